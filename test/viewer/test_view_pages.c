// All pages: each can be opened, is drawn at two sizes, and has sliders that the mouse moves.
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"

#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/stage.h"
#include "demo/viewer/jobs/export.h"

#define TEST_HERE(title) TEST_SCREEN (title, screen_begin(s, 1280, 720))

// Returns true if all text and shapes are within the window.
static bool is_inside(const screen *s)
{
    const view_canvas *const canvas = &s->viewer.drawing.canvas;
    for (uint32_t i = 0; i < canvas->count; i++) {
        const md5gl_panel_vertex v = canvas->vertices[i];
        if (!(fminf(v.x, v.y) >= -1.0f && v.x <= s->width + 1.0f && v.y <= s->height + 1.0f))
            return false;
    }
    return canvas->count > 0;
}

// Draws the window to a target that is only a corner of it: the tests check positions and not
// pixels, and software rendering computes each pixel.
static void draw(screen *s)
{
    md5gl_target *const target = md5gl_create_target(s->gl.renderer, 160, 120, 1, NULL);
    CHECK(view_draw(&s->viewer, target, (uint32_t)s->width, (uint32_t)s->height, VIEW_OMIT_NOTHING,
                    NULL));
    md5gl_destroy_target(s->gl.renderer, target);
    CHECK(is_inside(s));
}

static view_command scroll_wheel(screen *s, const view_stage *stage, float x, float y, float wheel)
{
    return view_run_ui(&s->viewer.ui, &s->viewer.panels, stage,
                       &(ui_mouse){.x = x, .y = y, .wheel = wheel});
}

// Scrolls with the wheel until the item with this name is visible.
static void reveal(screen *s, const view_stage *stage, const char *name)
{
    const view_rect window = {0, 40, stage->width, stage->height - 40.0f};
    const view_rect panel =
        view_inset(s->viewer.pages.open == VIEW_CONTENTS ? window : s->viewer.pages.panel,
                   2.0f * VIEW_PADDING * stage->font->scale);
    for (int i = 0; i < 100; i++) {
        const view_rect found = item_find(&s->viewer, stage, name);
        const bool is_above = found.y < panel.y - 15.0f;
        if (!is_above && found.y + found.height <= panel.y + panel.height + 15.0f)
            return;
        (void)scroll_wheel(s, stage, panel.x + 5.0f, panel.y + 5.0f, is_above ? 0.5f : -0.5f);
    }
    CHECK_THAT(false, "%s does not come into sight", name);
}

// Presses and releases at a fraction of the width of an item, "panel/label".
static void press(screen *s, const char *name, float part)
{
    const view_stage stage = view_build_stage(&s->viewer, s->width, s->height);
    if (s->viewer.pages.open >= 0)
        reveal(s, &stage, name);
    CHECK(view_execute(&s->viewer, item_press(&s->viewer, &stage, name, part, 0.5f)));
    (void)item_release(&s->viewer);
}

// Selects a word of a slider. If the words do not fit into a row, they are in a list that is opened
// first.
static void select_word(screen *s, const view_slider *slider, float *value, float word)
{
    char row[128], item[192];
    snprintf(row, sizeof row, "page-slider/%s", slider->name);
    snprintf(item, sizeof item, "%s=%s", row, slider->words[(int)word]);
    if (*value == word)
        return;
    const view_stage stage = view_build_stage(&s->viewer, s->width, s->height);
    if (!(item_find(&s->viewer, &stage, item).width > 0.0f)) {
        press(s, row, 0.5f);
        draw(s);
    }
    press(s, item, 0.5f);
    CHECK(s->viewer.pages.unfolded == 0 && *value == word);
}

// Moves each slider to 10 % and 90 % of its range, checks the drawn position, and resets it by a
// click on its name. If the slider is a choice, selects the first, the last and the default word.
static void move_sliders(screen *s, const view_page *page)
{
    for (uint32_t i = 0; i < 2 * view_num_sliders(page); i++) {
        const view_slider *const slider = &page->sliders[i / 2];
        const bool is_last = i % 2 == 1;
        const bool is_whole = slider->words != NULL;
        const float part = is_last ? 0.9f : 0.1f;
        const float range = slider->high - slider->low;
        float *const value = &s->viewer.pages.values[i / 2];
        float before = *value;
        const bool is_choice = is_whole && slider->words != view_integer_slider;
        char row[128];
        snprintf(row, sizeof row, "page-slider/%s", slider->name);
        if (is_choice)
            select_word(s, slider, value, is_last ? slider->high : 0.0f);
        else {
            // The track begins after the name and ends before the value.
            press(s, row, 0.34f + part * 0.36f);
            // A value halfway between two whole numbers may be rounded either way.
            CHECK_NEAR(*value, slider->low + part * range, is_whole ? 0.501 : 1e-3 * range);
            CHECK(!is_whole || *value == roundf(*value));
        }
        if (is_last)
            draw(s);
        if (is_choice)
            select_word(s, slider, value, before);
        else
            press(s, row, 0.05f);
        CHECK(*value == before);
    }
}

static const view_page *open_page(screen *s, uint32_t number)
{
    s->options.page = view_page_at(number)->name;
    CHECK(view_select_page(&s->viewer) && s->viewer.pages.open == (int32_t)number);
    return view_page_at(number);
}

// Software rendering computes every texel of the shadow map, so sliders move without shadows.
TEST_LONG (view_pages_draw_at_two_sizes_and_as_their_sliders_move) {
    static const float sizes[2][2] = {{1280, 720}, {800, 600}};
    screen storage;
    screen *const s = &storage;
    const bool is_open = screen_begin(s, 1280, 720);
    for (uint32_t i = 0; i < view_num_pages && is_open; i++) {
        const view_page *const page = open_page(s, i);
        for (size_t j = 0; j < COUNT_OF(sizes); j++) {
            s->width = sizes[j][0];
            s->height = sizes[j][1];
            draw(s);
            CHECK(s->viewer.pages.panel.y + s->viewer.pages.panel.height <= s->height);
        }
        CHECK(s->viewer.pages.picture.num_facts > 0);
        for (uint32_t k = 0; k < s->viewer.pages.picture.num_plots; k++)
            CHECK(s->viewer.pages.picture.plots[k].series[0].count > 0);
        s->viewer.options->shown.shadows = false;
        move_sliders(s, page);
        s->viewer.options->shown.shadows = true;
    }
    (void)screen_close(s);
}

TEST_HERE (view_pages_scroll_text_that_is_too_long) {
    s->width = 800.0f;
    s->height = 600.0f;
    (void)open_page(s, (uint32_t)view_find_page("sign"));
    const view_stage stage = view_build_stage(&s->viewer, s->width, s->height);
    draw(s);
    const uint32_t before = s->viewer.drawing.canvas.count;
    float last = 0.0f;
    for (int i = 0; i < 42; i++) {
        last = s->viewer.pages.scroll.wanted;
        CHECK(view_execute(&s->viewer, scroll_wheel(s, &stage, 100.0f, 100.0f, -1.0f)));
        CHECK(i > 0 || s->viewer.pages.scroll.wanted > 0.0f);
        if (i >= 40)
            draw(s);
    }
    CHECK(s->viewer.pages.scroll.wanted == last && last < 600.0f);
    CHECK(s->viewer.drawing.canvas.count != before); // the lines have scrolled
}

// A row of figures is shown nearly from the front: the farthest figure is at most an eighth smaller
// than the nearest.
static void check_sizes_of_figures(const screen *s, const view_page *page)
{
    float smallest = INFINITY;
    float largest = 0;
    for (uint32_t i = 0; i < VIEW_PAGE_FIGURES && page->figures[i].label != NULL; i++) {
        const md5_vec3 place = {0, page->figures[i].y, 0};
        smallest = fminf(smallest, 1 / view_half_height_at(&s->viewer.pages.lens, place));
        largest = fmaxf(largest, 1 / view_half_height_at(&s->viewer.pages.lens, place));
    }
    CHECK_THAT(largest == 0 || smallest > 0.875f * largest, "%s: %g", page->name,
               smallest / largest);
}

// The code is completely visible, so it does not scroll.
static void check_code_is_visible(screen *s, const view_page *page)
{
    const view_stage stage = view_build_stage(&s->viewer, s->width, s->height);
    (void)view_execute(&s->viewer, scroll_wheel(s, &stage, s->width - 100.0f, 690.0f, -1.0f));
    CHECK_THAT(!(s->viewer.pages.code_scroll.wanted > 0.0f), "%s", page->name);
}

// In a window of 1280 x 720 pixels. Each page is opened once for both checks, because that takes
// most of the time.
TEST_HERE (view_pages_show_their_complete_code_and_figures_in_nearly_equal_sizes) {
    for (uint32_t i = 0; i < view_num_pages; i++) {
        const view_page *const page = open_page(s, i);
        draw(s);
        check_sizes_of_figures(s, page);
        check_code_is_visible(s, page);
    }
}

TEST_HERE (view_pages_are_shown_from_the_direction_of_the_command_line) {
    s->options.azimuth_given = true;
    s->options.azimuth = 50;
    s->viewer.cameras.user.azimuth = 50;
    (void)open_page(s, (uint32_t)view_find_page("sign"));
    CHECK(s->viewer.cameras.user.azimuth == 50);
}

// If a line of a hundred characters fits below the figures, the code is there and scrolls by
// itself. Otherwise the code is in the panel.
TEST_HERE (view_pages_have_their_code_below_the_figures_in_a_wide_window) {
    static const struct {
        float width;
        bool is_beside;
    } windows[] = {{1280.0f, true}, {1100.0f, false}};
    for (size_t i = 0; i < COUNT_OF(windows); i++) {
        s->width = windows[i].width;
        s->height = 500.0f;
        (void)open_page(s, (uint32_t)view_find_page("dual"));
        const view_stage stage = view_build_stage(&s->viewer, s->width, s->height);
        draw(s);
        CHECK(windows[i].is_beside == (s->viewer.pages.lens.shift_y > 0.2f));
        (void)view_execute(&s->viewer, scroll_wheel(s, &stage, s->width - 100.0f, 450.0f, -1.0f));
        CHECK(windows[i].is_beside == (s->viewer.pages.code_scroll.wanted > 0.0f));
        CHECK(!(s->viewer.pages.scroll.wanted > 0.0f));
    }
}

// In the narrow drawing of a lesson on a phone, the names of four series need two lines. The plot
// is higher there, so that three lines of text remain for the curves below the title and the names.
TEST_HERE (view_pages_leave_space_for_curves_in_a_narrow_window) {
    s->width = 360.0f;
    s->height = 300.0f;
    s->options.shown.panel = false;
    s->options.is_given[view_option_index(VIEW_OPTION(shown.panel))] = true;
    (void)open_page(s, (uint32_t)view_find_page("ik"));
    const view_stage stage = view_build_stage(&s->viewer, s->width, s->height);
    draw(s);
    const float line = stage.font->line[VIEW_TEXT];
    const float num_lines = 1 + 2 + 3 + 1; // lines of the title, the names, the curves and the axis
    CHECK(view_page_plots_height(&stage) >= num_lines * line);
    CHECK(view_page_plots_height(&stage) <= 0.6f * s->height);
    CHECK(is_inside(s));
}

// A click shows the answer, which makes the panel longer, and another click hides it.
TEST_HERE (view_pages_show_their_answer_after_a_click) {
    static const char button[] = "page-slider/answer=Show answer";
    const view_page *const page = open_page(s, (uint32_t)view_find_page("line"));
    CHECK(page->answer != NULL && !s->viewer.pages.shows_answer);
    draw(s);
    const uint32_t before = s->viewer.drawing.canvas.count;
    press(s, button, 0.5f);
    draw(s);
    CHECK(s->viewer.pages.shows_answer && s->viewer.drawing.canvas.count > before);
    press(s, "page-slider/answer=Hide answer", 0.5f);
    draw(s);
    CHECK(!s->viewer.pages.shows_answer && s->viewer.drawing.canvas.count == before);
    (void)open_page(s, (uint32_t)view_find_page("sign"));
    CHECK(!s->viewer.pages.shows_answer);
}

// Without its panel a page consists of the drawing and its plots, which have the full width.
TEST_HERE (view_pages_can_hide_their_panel) {
    (void)open_page(s, (uint32_t)view_find_page("additive"));
    view_stage stage = view_build_stage(&s->viewer, s->width, s->height);
    draw(s);
    CHECK(item_find(&s->viewer, &stage, "page-slider/weight").width > 0.0f);
    CHECK(s->viewer.pages.lens.shift_x > 0.3f); // the middle is to the right of the panel
    s->options.is_given[view_option_index(VIEW_OPTION(shown.panel))] = true;
    s->options.shown.panel = false;
    stage = view_build_stage(&s->viewer, s->width, s->height);
    draw(s);
    CHECK(!(item_find(&s->viewer, &stage, "page-slider/weight").width > 0.0f));
    CHECK(fabsf(s->viewer.pages.lens.shift_x) < 0.02f);
}

// On a phone in portrait orientation the panel is below the figures and plots, and as wide as they
// are.
TEST_HERE (view_pages_have_their_panel_at_the_bottom_on_a_phone) {
    s->width = 390.0f;
    s->height = 844.0f;
    (void)open_page(s, (uint32_t)view_find_page("easing"));
    draw(s);
    const view_rect panel = s->viewer.pages.panel;
    CHECK(panel.width > 360.0f && panel.y > 400.0f && panel.y + panel.height <= s->height);
    CHECK(s->viewer.pages.lens.shift_y > 0.5f && fabsf(s->viewer.pages.lens.shift_x) < 0.05f);
}

TEST_HERE (view_pages_link_to_others) {
    for (uint32_t i = 0; i < view_num_pages; i++) {
        const char *const *const see = view_page_at(i)->see;
        for (int k = 0; k < VIEW_PAGE_LINKS && (k == 0 || see[k] != NULL); k++)
            CHECK(see[k] != NULL && view_find_page(see[k]) >= 0
                  && view_find_page(see[k]) != (int32_t)i);
    }
    (void)open_page(s, (uint32_t)view_find_page("slerp"));
    draw(s);
    press(s, "page-slider/See also=Euler angles", 0.5f);
    CHECK(s->viewer.pages.open == view_find_page("euler"));
    draw(s);
    press(s, "page-slider/Next=All lessons", 0.5f);
    CHECK(s->viewer.pages.open == VIEW_CONTENTS);
}

// A clip may play backward without end. A page, whose steps begin at 0, then shows its beginning.
TEST_HERE (view_pages_have_no_time_before_their_beginning) {
    const double times[] = {0, -2.9};
    uint8_t pixels[2][160 * 120 * 4];
    (void)open_page(s, (uint32_t)view_find_page("interpolation"));
    md5gl_target *const target = md5gl_create_target(s->gl.renderer, 160, 120, 1, NULL);
    for (int i = 0; i < 2; i++) {
        s->viewer.play.time = times[i];
        CHECK(view_draw(&s->viewer, target, 160, 120, VIEW_OMIT_INTERFACE, NULL));
        CHECK(md5gl_read_pixels(s->gl.renderer, target, 160, 120, pixels[i], NULL));
    }
    md5gl_destroy_target(s->gl.renderer, target);
    CHECK_BYTES(pixels[1], pixels[0], sizeof pixels[0]);
}

TEST (view_pages_have_unique_names) {
    for (uint32_t i = 0; i < view_num_pages; i++) {
        const view_page *const page = view_page_at(i);
        CHECK(view_find_page(page->name) == (int32_t)i && page->lines[0] != '\0');
        CHECK(view_num_sliders(page) > 0 && view_num_sliders(page) <= VIEW_PAGE_SLIDERS);
        for (uint32_t k = 0; k < view_num_sliders(page); k++)
            CHECK(page->sliders[k].first >= page->sliders[k].low
                  && page->sliders[k].first <= page->sliders[k].high);
    }
    CHECK(view_find_page("no such page") == -1 && view_page_at(view_num_pages) == NULL);
}

static void turn_page(screen *s, view_action action, int32_t page)
{
    CHECK(view_execute(&s->viewer, (view_command){.action = action}));
    CHECK(s->viewer.pages.open == page);
}

TEST_HERE (view_pages_can_be_cycled_and_closed) {
    s->width = 320;
    s->height = 240;
    turn_page(s, VIEW_NEXT_PAGE, VIEW_CONTENTS);
    turn_page(s, VIEW_NEXT_PAGE, 0);
    turn_page(s, VIEW_PREVIOUS_PAGE, VIEW_CONTENTS);
    turn_page(s, VIEW_PREVIOUS_PAGE, (int32_t)view_num_pages - 1);
    turn_page(s, VIEW_CLOSE_LISTS, -1);
    draw(s); // draws the document instead of a page
}

TEST_HERE (view_pages_have_thumbnails_in_the_contents) {
    s->options.page = "contents";
    CHECK(view_select_page(&s->viewer));
    for (uint32_t i = 0; i < 2; i++) { // in a window, one per frame
        CHECK(view_lacks_thumbnails(&s->viewer.pages));
        draw(s);
        CHECK(s->viewer.pages.num_thumbnails == i + 1 && s->viewer.pages.thumbnails != 0);
    }
    // Two thumbnails of the first row are drawn, and the third is not.
    const uint8_t *const atlas = s->viewer.pages.atlas;
    REQUIRE(atlas);
    CHECK(atlas[3] == 255 && atlas[4 * 208 + 3] == 255 && atlas[4 * 416 + 3] == 0);
}

TEST_HERE (view_pages_open_from_the_contents) {
    char name[128];
    turn_page(s, VIEW_NEXT_PAGE, VIEW_CONTENTS);
    turn_page(s, VIEW_NEXT_PAGE, 0); // opens a page, so that there is a document to draw
    turn_page(s, VIEW_PREVIOUS_PAGE, VIEW_CONTENTS);
    draw(s);
    const view_stage stage = view_build_stage(&s->viewer, s->width, s->height);
    for (uint32_t i = 0; i < view_num_pages; i++) {
        snprintf(name, sizeof name, "contents/%s", view_page_at((i + 3) % view_num_pages)->title);
        const view_rect row = item_find(&s->viewer, &stage, name);
        CHECK(row.width > 0.0f && row.x + row.width < 1280.0f);
    }
    press(s, name, 0.1f); // the last one
    CHECK(s->viewer.pages.open == 2);
    const view_stage opened = view_build_stage(&s->viewer, s->width, s->height);
    CHECK(!view_execute(&s->viewer, item_press_at(&s->viewer, &opened, 1279.0f, 1.0f)));
}

TEST_HERE (view_pages_close_from_the_contents_below_the_menu_bar) {
    s->options.shown.panel = true;
    turn_page(s, VIEW_NEXT_PAGE, VIEW_CONTENTS);
    draw(s);
    const view_stage stage = view_build_stage(&s->viewer, s->width, s->height);
    const view_rect menu = item_find(&s->viewer, &stage, "bar/File");
    const view_rect close = item_find(&s->viewer, &stage, "contents/close");
    CHECK(menu.width > 0.0f && close.y >= menu.y + menu.height);
    view_execute(&s->viewer, item_press(&s->viewer, &stage, "contents/close", 0.5f, 0.5f));
    CHECK(s->viewer.pages.open == -1);
}

TEST_HERE (view_pages_have_sliders_that_can_be_set) {
    static const char sliders[] = "unknown slider of lesson additive; valid names: 'difference', "
                                  "'head turned, degrees', 'weight'";
    static const struct {
        const char *page, *name;
        float value;
        double time;
        int slider; // index of the slider that has the value then; -1: an error
        const char *message;
    } rows[] = {
        {"additive", "weight", 0.5f, 0, 2, ""},
        {"additive", "head turned", 12, 0, 1, ""}, // without its unit
        {"ik", "target, left", 20, 0, 1, ""},
        {"additive", "nonsense", 1, 0, -1, sliders},
        {"additive", "weigh", 1, 0, -1, sliders},
        {"ik", "target", 1, 0, -1, "'target, left'"},
        {"additive", "head turned", 90, 0, -1,
         "--set head turned=90: expected a number from -80 to 80"},
        {"additive", "difference", 0.5f, 0, -1,
         "--set difference=0.5: expected a whole number from 0 to 1"},
        {"additive", "weight", 1, 2, -1,
         "--set weight: @TIME is not supported for the sliders of a lesson"},
        {"contents", "speed", 3, 0, -1,
         "--set has no effect on the list of lessons; name a lesson"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) { // the options --lesson PAGE --set NAME=VALUE@TIME
        char *const name = common_copy(rows[i].name);
        char *const message = s->viewer.log.error;
        s->options.page = rows[i].page;
        s->options.settings =
            (view_settings){&(view_setting){name, rows[i].value, rows[i].time}, 1};
        message[0] = '\0';
        CHECK(view_select_page(&s->viewer) == (rows[i].message[0] == '\0'));
        const bool is_part = strchr("u'", rows[i].message[0]) != NULL && rows[i].slider < 0;
        CHECK_THAT(is_part ? strstr(message, rows[i].message) != NULL
                           : strcmp(message, rows[i].message) == 0,
                   "%s", message);
        CHECK(rows[i].slider < 0 || s->viewer.pages.values[rows[i].slider] == rows[i].value);
        // A link that sets slider 2 leaves slider 1 unchanged.
        CHECK(rows[i].slider != 2 || s->viewer.pages.values[1] == 60.0f);
        free(name);
    }
    s->options.settings = (view_settings){.count = 0};
}

TEST_HERE (view_pages_have_a_command_line_with_their_sliders) {
    (void)open_page(s, (uint32_t)view_find_page("additive"));
    s->viewer.pages.values[1] = 12.5f;
    SCOPED_STRING line = view_command_line(&s->viewer);
    CHECK_THAT(strstr(line, " --lesson additive ")
                   && strstr(line, " --set 'head turned, degrees=12.5'"),
               "%s", line);
    CHECK(!strstr(line, "weight") && !strstr(line, ".md5mesh") && !strstr(line, "--no-auto"));
}

TEST_HERE (view_unknown_pages_are_reported) {
    s->options.page = "nothing";
    CHECK(!view_select_page(&s->viewer) && strstr(s->viewer.log.error, "--lesson list"));
    // Lessons of earlier versions became part of another lesson or a section of the course. The
    // error names the replacement.
    s->options.page = "timing";
    CHECK(!view_select_page(&s->viewer));
    CHECK_STRING(s->viewer.log.error, "--lesson timing was removed: use --lesson easing");
    s->options.page = "curves";
    CHECK(!view_select_page(&s->viewer));
    CHECK_STRING(s->viewer.log.error,
                 "--lesson curves was removed: see demo/docs/learn.md#curves-in-space");
    s->options.page = NULL;
    CHECK(view_select_page(&s->viewer));
}
