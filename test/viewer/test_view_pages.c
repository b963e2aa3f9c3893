// All pages: each opens, is drawn at two sizes, and has sliders that the mouse moves.
#include "test/own.h"
#include "test/render/test_gl_scene.h"
#include "test/viewer/test_view_case.h"

#include "demo/viewer/app/window.h"

// The target is only a corner of the picture, which is of any size: the tests check positions and
// not pixels, and software rendering draws each pixel.
typedef struct paged {
    gl_scene gl;
    view_options options;
    view_state viewer;
    md5gl_target *target;
    uint32_t width, height;
} paged;

static bool open_viewer(paged *p)
{
    char problem[256];
    md5_error error = {0};
    *p = (paged){.width = 1280, .height = 720};
    CHECK(view_read_options(0, NULL, &p->options, problem, sizeof problem));
    p->options.level = VIEW_QUIET;
    if (!scene_share(&p->gl))
        return false;
    view_begin(&p->viewer, &p->options);
    p->viewer.lights = view_usual_lights();
    p->viewer.renderer = p->gl.renderer;
    p->target = md5gl_create_target(p->gl.renderer, 160, 120, 1, &error);
    return CHECK(view_set_scale(&p->viewer, 1.0f)) && CHECK(p->target);
}

static bool close_viewer(paged *p)
{
    view_end(&p->viewer);
    md5gl_destroy_target(p->gl.renderer, p->target);
    view_free_options(&p->options);
    scene_close(&p->gl);
    return false;
}

#define TEST_HERE(title) \
    TEST_IF (title, paged, p, open_viewer(p) || close_viewer(p), (void)close_viewer(p))

static view_stage stage_of(paged *p)
{
    return view_stage_of(&p->viewer, (float)p->width, (float)p->height);
}

// Whether all text and shapes are within the picture.
static bool is_inside(const paged *p)
{
    const view_canvas *const canvas = &p->viewer.canvas;
    for (uint32_t i = 0; i < canvas->count; i++) {
        const md5gl_panel_vertex v = canvas->vertices[i];
        if (!(fminf(v.x, v.y) >= -1.0f && v.x <= (float)p->width + 1.0f
              && v.y <= (float)p->height + 1.0f))
            return false;
    }
    return canvas->count > 0;
}

static void draw(paged *p)
{
    md5_error error = {0};
    CHECK(view_draw(&p->viewer, p->target, p->width, p->height, false, false, &error));
    CHECK(is_inside(p));
}

static void turn_wheel(paged *p, const view_stage *stage, float x, float y, float wheel)
{
    (void)view_run_ui(&p->viewer.ui, stage, &(ui_mouse){.x = x, .y = y, .wheel = wheel});
}

// Turns the wheel until what is called so is in sight.
static void reveal(paged *p, const view_stage *stage, const char *sought)
{
    const view_rect window = {0.0f, 40.0f, stage->width, stage->height - 40.0f};
    const view_rect panel =
        view_inset(p->viewer.pages.open == VIEW_CONTENTS ? window : p->viewer.pages.panel,
                   2.0f * VIEW_PADDING * stage->font->scale);
    for (int i = 0; i < 100; i++) {
        const view_rect found = item_find(&p->viewer, stage, sought);
        const bool is_above = found.y < panel.y - 15.0f;
        if (!is_above && found.y + found.height <= panel.y + panel.height + 15.0f)
            return;
        turn_wheel(p, stage, panel.x + 5.0f, panel.y + 5.0f, is_above ? 0.5f : -0.5f);
    }
    CHECK_THAT(false, "%s does not come into sight", sought);
}

// Presses and releases at a part of the width of an item, "panel/label".
static void press(paged *p, const char *sought, float part)
{
    const view_stage stage = stage_of(p);
    if (p->viewer.pages.open >= 0)
        reveal(p, &stage, sought);
    CHECK(view_perform(&p->viewer, item_press(&p->viewer, &stage, sought, part, 0.5f)));
    (void)item_release(&p->viewer);
}

// Selects a word of a slider, which is unfolded if its words are too many for a row.
static void select_word(paged *p, const view_slider *slider, float *value, float word)
{
    char row[128], item[192];
    snprintf(row, sizeof row, "page-slider/%s", slider->name);
    snprintf(item, sizeof item, "%s=%s", row,
             slider->words == view_easings ? md5_easing_name((md5_ease_kind)word)
                                           : slider->words[(int)word]);
    if (*value == word)
        return;
    const view_stage stage = stage_of(p);
    if (!(item_find(&p->viewer, &stage, item).width > 0.0f)) {
        press(p, row, 0.5f);
        draw(p);
    }
    press(p, item, 0.5f);
    CHECK(p->viewer.pages.unfolded == 0 && *value == word);
}

// Moves each slider to a tenth and to nine tenths of its range, where it is drawn, and, by its
// name, back; of choices, takes the first, the last and the usual one.
static void move_sliders(paged *p, const view_page *page)
{
    for (uint32_t i = 0; i < 2 * view_num_sliders(page); i++) {
        const view_slider *const slider = &page->sliders[i / 2];
        const bool is_last = i % 2 == 1, is_whole = slider->words != NULL;
        const float part = is_last ? 0.9f : 0.1f, range = slider->high - slider->low;
        float *const value = &p->viewer.pages.values[i / 2], before = *value;
        const bool is_choice = is_whole && slider->words != view_whole;
        char row[128];
        snprintf(row, sizeof row, "page-slider/%s", slider->name);
        if (is_choice)
            select_word(p, slider, value, is_last ? slider->high : 0.0f);
        else {
            // The track begins after the name and ends before the value.
            press(p, row, 0.34f + part * 0.36f);
            // A value halfway between two whole numbers may be rounded either way.
            CHECK_NEAR(*value, slider->low + part * range, is_whole ? 0.501 : 1e-3 * range);
            CHECK(!is_whole || *value == roundf(*value));
        }
        if (is_last)
            draw(p);
        if (is_choice)
            select_word(p, slider, value, before);
        else
            press(p, row, 0.05f);
        CHECK(*value == before);
    }
}

static const view_page *open_page(paged *p, uint32_t number)
{
    p->options.page = view_page_at(number)->name;
    CHECK(view_choose_page(&p->viewer) && p->viewer.pages.open == (int32_t)number);
    return view_page_at(number);
}

// Software rendering draws every texel of the shadow map: sliders move without.
TEST_LONG (view_pages_draw_at_two_sizes_and_as_their_sliders_move) {
    static const uint32_t sizes[2][2] = {{1280, 720}, {800, 600}};
    paged fixture, *const p = &fixture;
    bool is_open = open_viewer(p);
    for (uint32_t i = 0; i < view_num_pages && is_open; i++) {
        const view_page *const page = open_page(p, i);
        EACH (size, sizes) {
            p->width = (*size)[0];
            p->height = (*size)[1];
            draw(p);
            CHECK(p->viewer.pages.panel.y + p->viewer.pages.panel.height <= (float)p->height);
        }
        p->viewer.shown.shadows = false;
        move_sliders(p, page);
        p->viewer.shown.shadows = true;
    }
    (void)close_viewer(p);
}

TEST_HERE (view_pages_scroll_text_that_is_too_long) {
    p->width = 800;
    p->height = 600;
    (void)open_page(p, (uint32_t)view_find_page("limits"));
    const view_stage stage = stage_of(p);
    const float *const wanted = &p->viewer.pages.scroll.wanted;
    draw(p);
    const uint32_t before = p->viewer.canvas.count;
    const ui_mouse down = {.x = 100.0f, .y = 100.0f, .wheel = -1.0f};
    CHECK(view_perform(&p->viewer, view_run_ui(&p->viewer.ui, &stage, &down)));
    CHECK(*wanted > 0.0f);
    for (int i = 0; i < 40; i++)
        turn_wheel(p, &stage, 100.0f, 100.0f, -1.0f);
    draw(p);
    const float last = *wanted;
    turn_wheel(p, &stage, 100.0f, 100.0f, -1.0f);
    draw(p);
    CHECK(*wanted == last && last < 600.0f);
    draw(p);
    CHECK(p->viewer.canvas.count != before); // other lines
}

TEST_HERE (view_pages_lead_to_others) {
    for (uint32_t i = 0; i < view_num_pages; i++) {
        const char *const *const see = view_page_at(i)->see;
        for (int k = 0; k < VIEW_PAGE_LINKS && (k == 0 || see[k] != NULL); k++)
            CHECK(see[k] != NULL && view_find_page(see[k]) >= 0
                  && view_find_page(see[k]) != (int32_t)i);
    }
    (void)open_page(p, (uint32_t)view_find_page("slerp"));
    draw(p);
    press(p, "page-slider/see=Euler angles", 0.5f);
    CHECK(p->viewer.pages.open == view_find_page("euler"));
}

TEST (view_pages_have_names_of_their_own) {
    for (uint32_t i = 0; i < view_num_pages; i++) {
        const view_page *const page = view_page_at(i);
        CHECK(view_find_page(page->name) == (int32_t)i && page->lines[0] != '\0');
        CHECK(view_num_sliders(page) > 0 && view_num_sliders(page) <= VIEW_PAGE_SLIDERS);
        for (uint32_t s = 0; s < view_num_sliders(page); s++)
            CHECK(page->sliders[s].first >= page->sliders[s].low
                  && page->sliders[s].first <= page->sliders[s].high);
    }
    CHECK(view_find_page("no such page") == -1 && view_page_at(view_num_pages) == NULL);
}

static void turn(paged *p, view_action action, int32_t page)
{
    CHECK(view_perform(&p->viewer, (view_command){.action = action}));
    CHECK(p->viewer.pages.open == page);
}

TEST_HERE (view_pages_turn_from_the_contents_round_and_close) {
    p->width = 320;
    p->height = 240;
    turn(p, VIEW_NEXT_PAGE, VIEW_CONTENTS);
    turn(p, VIEW_NEXT_PAGE, 0);
    turn(p, VIEW_PREVIOUS_PAGE, VIEW_CONTENTS);
    turn(p, VIEW_PREVIOUS_PAGE, (int32_t)view_num_pages - 1);
    turn(p, VIEW_CLOSE_LISTS, -1);
    draw(p); // the document instead of a page
}

TEST_HERE (view_pages_have_a_picture_each_in_the_contents) {
    p->options.page = "contents";
    CHECK(view_choose_page(&p->viewer));
    for (uint32_t i = 0; i < 2; i++) { // in a window, one for each frame
        CHECK(view_lacks_thumbnails(&p->viewer.pages));
        draw(p);
        CHECK(p->viewer.pages.num_thumbnails == i + 1 && p->viewer.pages.thumbnails != 0);
    }
    // Two of the first row are drawn, the third is not.
    const uint8_t *const atlas = p->viewer.pages.atlas;
    REQUIRE(atlas);
    CHECK(atlas[3] == 255 && atlas[4 * 208 + 3] == 255 && atlas[4 * 416 + 3] == 0);
}

TEST_HERE (view_pages_open_from_the_contents) {
    char sought[128];
    turn(p, VIEW_NEXT_PAGE, VIEW_CONTENTS);
    turn(p, VIEW_NEXT_PAGE, 0); // a document to draw
    turn(p, VIEW_PREVIOUS_PAGE, VIEW_CONTENTS);
    draw(p);
    const view_stage stage = stage_of(p);
    for (uint32_t i = 0; i < view_num_pages; i++) {
        snprintf(sought, sizeof sought, "contents/%s",
                 view_page_at((i + 3) % view_num_pages)->title);
        const view_rect row = item_find(&p->viewer, &stage, sought);
        CHECK(row.width > 0.0f && row.x + row.width < 1280.0f);
    }
    press(p, sought, 0.1f); // the last one
    CHECK(p->viewer.pages.open == 2);
    CHECK(!view_perform(&p->viewer, item_press_at(&p->viewer, &stage, 1279.0f, 1.0f)));
}

// Returns the error of --page PAGE --set NAME=VALUE@TIME, "" if there is none.
static const char *set_on_page(paged *p, const char *page, const char *name, float value,
                               double time)
{
    char parameter[64];
    snprintf(parameter, sizeof parameter, "%s", name);
    view_setting setting = {parameter, value, time};
    p->options.page = page;
    p->options.settings = &setting;
    p->options.num_settings = 1;
    p->viewer.log.error[0] = '\0';
    CHECK(view_choose_page(&p->viewer) == (p->viewer.log.error[0] == '\0'));
    p->options.page = NULL;
    p->options.settings = NULL;
    p->options.num_settings = 0;
    return p->viewer.log.error;
}

TEST_HERE (view_pages_have_sliders_that_can_be_set) {
    static const char sliders[] = "page follow has 'manner', 'speed, 1/s', 'damping', 'seconds'";
    static const struct {
        const char *page, *name;
        float value;
        double time;
        int slider; // that has the value then; -1: none
        const char *said;
    } rows[] = {
        {"follow", "damping", 1.5f, 0, 2, ""},
        {"follow", "speed", 12, 0, 1, ""}, // without its unit
        {"ik", "target, up", 20, 0, 4, ""},
        {"follow", "nonsense", 1, 0, -1, sliders},
        {"follow", "damp", 1, 0, -1, sliders},
        {"ik", "target", 1, 0, -1, "'target, left'"},
        {"follow", "speed", 30, 0, -1, "--set speed=30: expected a number from 1 to 20"},
        {"follow", "manner", 0.5f, 0, -1, "--set manner=0.5: expected a whole number from 0 to 2"},
        {"follow", "speed", 3, 2, -1, "--set speed: page follow has no @TIME"},
        {"contents", "speed", 3, 0, -1, "--set: the contents have no sliders"},
    };
    EACH (row, rows) {
        const char *const said = set_on_page(p, row->page, row->name, row->value, row->time);
        const bool is_part = strchr("p'", row->said[0]) != NULL && row->slider < 0;
        CHECK_THAT(is_part ? strstr(said, row->said) != NULL : strcmp(said, row->said) == 0, "%s",
                   said);
        CHECK(row->slider < 0 || p->viewer.pages.values[row->slider] == row->value);
        CHECK(row->slider != 2 || p->viewer.pages.values[1] == 9.0f); // the others as they were
    }
}

TEST_HERE (view_pages_have_a_command_line_with_their_sliders) {
    CHECK_STRING(set_on_page(p, "follow", "speed", 12.5f, 0.0), "");
    OWN char *const line = view_command_line(&p->viewer);
    CHECK_THAT(strstr(line, " --page follow ") && strstr(line, " --set 'speed, 1/s=12.5'"), "%s",
               line);
    CHECK(!strstr(line, "damping") && !strstr(line, ".md5mesh") && !strstr(line, "--no-auto"));
}

TEST_HERE (view_pages_that_are_not_there_are_reported) {
    p->options.page = "nothing";
    CHECK(!view_choose_page(&p->viewer) && strstr(p->viewer.log.error, "--page list"));
    p->options.page = NULL;
    CHECK(view_choose_page(&p->viewer));
}
