// All pages: each opens, is drawn at two sizes, and has sliders that the mouse moves.
#include "test/own.h"
#include "test/render/test_gl_scene.h"
#include "test/viewer/test_view_case.h"

#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/view.h"
#include "demo/viewer/pages/page.h"

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
    *p = (paged){.width = 0};
    CHECK(view_read_options(0, NULL, &p->options, problem, sizeof problem));
    p->options.level = VIEW_QUIET;
    if (!scene_share(&p->gl))
        return false;
    view_begin(&p->viewer, &p->options);
    p->viewer.lights = view_usual_lights();
    p->viewer.renderer = p->gl.renderer;
    return CHECK(view_set_scale(&p->viewer, 1.0f));
}

// The target is only a corner of the picture: the tests check positions and not pixels, and
// software rendering draws each pixel.
static bool resize(paged *p, uint32_t width, uint32_t height)
{
    enum { CORNER_WIDTH = 160, CORNER_HEIGHT = 120 };
    md5_error error = {0};
    md5gl_destroy_target(p->gl.renderer, p->target);
    p->width = width;
    p->height = height;
    p->target = md5gl_create_target(p->gl.renderer, CORNER_WIDTH, CORNER_HEIGHT, 1, &error);
    return CHECK(p->target);
}

static void close_viewer(paged *p)
{
    view_end(&p->viewer);
    md5gl_destroy_target(p->gl.renderer, p->target);
    view_free_options(&p->options);
    scene_close(&p->gl);
}

// Whether all text and shapes are within the picture.
static bool is_inside(const paged *p)
{
    const view_canvas *const canvas = &p->viewer.canvas;
    for (uint32_t i = 0; i < canvas->count; i++) {
        const md5gl_panel_vertex v = canvas->vertices[i];
        if (!(v.x >= -1.0f && v.y >= -1.0f && v.x <= (float)p->width + 1.0f
              && v.y <= (float)p->height + 1.0f))
            return false;
    }
    return canvas->count > 0;
}

static bool draw(paged *p)
{
    md5_error error = {0};
    return CHECK(view_draw(&p->viewer, p->target, p->width, p->height, false, false, &error));
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
        (void)view_run_ui(&p->viewer.ui, stage,
                          &(ui_mouse){.x = panel.x + 5.0f,
                                      .y = panel.y + 5.0f,
                                      .wheel = is_above ? 0.5f : -0.5f});
    }
    CHECK_THAT(false, "%s does not come into sight", sought);
}

// Presses and releases at a part of the width of what the open panel calls so.
static bool press(paged *p, const char *panel, const char *name, float part)
{
    char sought[128];
    snprintf(sought, sizeof sought, "%s/%s", panel, name);
    const view_stage stage = view_stage_of(&p->viewer, (float)p->width, (float)p->height);
    if (p->viewer.pages.open >= 0)
        reveal(p, &stage, sought);
    const bool is_taken =
        view_perform(&p->viewer, item_press(&p->viewer, &stage, sought, part, 0.5f));
    (void)item_release(&p->viewer);
    return is_taken;
}

static bool is_choice(const view_slider *slider)
{
    return slider->words != NULL && slider->words != view_whole;
}

// Chooses a word of a slider, which is unfolded if its words are too many for a row.
static void choose(paged *p, const view_slider *slider, int word)
{
    if (p->viewer.pages.values[slider - p->viewer.pages.picture.page->sliders] == (float)word)
        return;
    const view_stage stage = view_stage_of(&p->viewer, (float)p->width, (float)p->height);
    char name[128];
    snprintf(name, sizeof name, "%s=%s", slider->name,
             slider->words == view_easings ? md5_easing_name((md5_ease_kind)word)
                                           : slider->words[word]);
    char sought[192];
    snprintf(sought, sizeof sought, "page-slider/%s", name);
    if (!(item_find(&p->viewer, &stage, sought).width > 0.0f)) {
        CHECK(press(p, "page-slider", slider->name, 0.5f));
        draw(p);
        CHECK(is_inside(p));
    }
    CHECK(press(p, "page-slider", name, 0.5f));
    CHECK(p->viewer.pages.unfolded == 0);
}

// Moves each slider to a tenth and to nine tenths of its range, and, by its name, back; of choices,
// takes the first, the last and the usual one. If `draws`, draws each at the second. Callers
// disable shadows, because software rendering draws every texel of the shadow map.
static void move_sliders(paged *p, const view_page *page, bool draws)
{
    float *const values = p->viewer.pages.values;
    for (uint32_t i = 0; i < view_num_sliders(page); i++)
        for (int side = 0; side < 2; side++) {
            const view_slider *const slider = &page->sliders[i];
            const float part = side == 0 ? 0.1f : 0.9f, before = values[i];
            if (is_choice(slider)) {
                const float end = side == 0 ? 0.0f : slider->high;
                choose(p, slider, (int)end);
                CHECK(values[i] == end);
                if (side == 1 && draws)
                    draw(p);
                choose(p, slider, (int)before);
                CHECK(values[i] == before);
                continue;
            }
            // The track begins after the name and ends before the value.
            CHECK(press(p, "page-slider", slider->name, 0.34f + part * 0.36f));
            const float value = slider->low + part * (slider->high - slider->low);
            const bool is_whole = slider->words != NULL;
            // A value halfway between two whole numbers may be rounded either way.
            CHECK_NEAR(values[i], value, is_whole ? 0.501 : 1e-3 * (slider->high - slider->low));
            CHECK(!is_whole || values[i] == roundf(values[i]));
            if (side == 1 && draws)
                draw(p);
            CHECK(press(p, "page-slider", slider->name, 0.05f));
            CHECK(values[i] == before);
        }
}

static void check_page(paged *p, const view_page *page)
{
    draw(p);
    CHECK(is_inside(p));
    CHECK(page->lines[0] != '\0');
    const float bottom = p->viewer.pages.panel.y + p->viewer.pages.panel.height;
    CHECK(bottom <= (float)p->height);
}

static bool open_page(paged *p, uint32_t i)
{
    p->options.page = view_page_at(i)->name;
    return CHECK(view_choose_page(&p->viewer)) && CHECK(p->viewer.pages.open == (int32_t)i);
}

TEST_LONG (view_pages_draw_and_their_sliders_move) {
    paged p;
    if (open_viewer(&p) && resize(&p, 800, 600)) {
        p.viewer.shown.shadows = false;
        for (uint32_t i = 0; i < view_num_pages && open_page(&p, i); i++) {
            check_page(&p, view_page_at(i));
            move_sliders(&p, view_page_at(i), false);
        }
    }
    close_viewer(&p);
}

TEST_LONG (view_pages_draw_at_two_sizes_and_as_their_sliders_move) {
    static const uint32_t sizes[2][2] = {{1280, 720}, {800, 600}};
    paged p;
    if (open_viewer(&p)) {
        for (uint32_t i = 0; i < view_num_pages && open_page(&p, i); i++) {
            for (int size = 0; size < 2 && resize(&p, sizes[size][0], sizes[size][1]); size++)
                check_page(&p, view_page_at(i));
            p.viewer.shown.shadows = false;
            move_sliders(&p, view_page_at(i), true);
            p.viewer.shown.shadows = true;
        }
    }
    close_viewer(&p);
}

TEST (view_pages_scroll_text_that_is_too_long) {
    paged p;
    if (open_viewer(&p) && resize(&p, 800, 600)
        && open_page(&p, (uint32_t)view_find_page("limits"))) {
        const view_stage stage = view_stage_of(&p.viewer, 800.0f, 600.0f);
        const ui_mouse down = {.x = 100.0f, .y = 100.0f, .wheel = -1.0f};
        draw(&p);
        const uint32_t before = p.viewer.canvas.count;
        CHECK(view_perform(&p.viewer, view_run_ui(&p.viewer.ui, &stage, &down)));
        CHECK(p.viewer.pages.scroll.wanted > 0.0f);
        for (int i = 0; i < 40; i++)
            (void)view_run_ui(&p.viewer.ui, &stage, &down);
        draw(&p);
        const float last = p.viewer.pages.scroll.wanted;
        (void)view_run_ui(&p.viewer.ui, &stage, &down);
        draw(&p);
        CHECK(p.viewer.pages.scroll.wanted == last && last < 600.0f);
        draw(&p);
        CHECK(is_inside(&p));
        CHECK(p.viewer.canvas.count != before); // other lines
    }
    close_viewer(&p);
}

TEST (view_pages_lead_to_others) {
    paged p;
    if (open_viewer(&p) && resize(&p, 1280, 720)) {
        for (uint32_t i = 0; i < view_num_pages; i++) {
            const view_page *const page = view_page_at(i);
            CHECK(page->see[0] != NULL);
            for (int k = 0; k < VIEW_PAGE_LINKS && page->see[k] != NULL; k++)
                CHECK(view_find_page(page->see[k]) >= 0
                      && view_find_page(page->see[k]) != (int32_t)i);
        }
        if (open_page(&p, (uint32_t)view_find_page("slerp"))) {
            draw(&p);
            CHECK(press(&p, "page-slider", "see=Euler angles", 0.5f));
            CHECK(p.viewer.pages.open == view_find_page("euler"));
        }
    }
    close_viewer(&p);
}

TEST (view_pages_have_names_of_their_own) {
    for (uint32_t i = 0; i < view_num_pages; i++) {
        const view_page *const page = view_page_at(i);
        CHECK(view_find_page(page->name) == (int32_t)i);
        CHECK(view_num_sliders(page) > 0 && view_num_sliders(page) <= VIEW_PAGE_SLIDERS);
        for (uint32_t s = 0; s < view_num_sliders(page); s++) {
            const view_slider *const slider = &page->sliders[s];
            CHECK(slider->first >= slider->low && slider->first <= slider->high);
        }
    }
    CHECK(view_find_page("no such page") == -1);
}

static void turn(paged *p, view_action action)
{
    CHECK(view_perform(&p->viewer, (view_command){.action = action}));
}

TEST (view_pages_turn_from_the_contents_round_and_close) {
    paged p;
    if (open_viewer(&p) && resize(&p, 320, 240)) {
        turn(&p, VIEW_NEXT_PAGE);
        CHECK(p.viewer.pages.open == VIEW_CONTENTS);
        turn(&p, VIEW_NEXT_PAGE);
        CHECK(p.viewer.pages.open == 0);
        turn(&p, VIEW_PREVIOUS_PAGE);
        CHECK(p.viewer.pages.open == VIEW_CONTENTS);
        turn(&p, VIEW_PREVIOUS_PAGE);
        CHECK(p.viewer.pages.open == (int32_t)view_num_pages - 1);
        turn(&p, VIEW_CLOSE_LISTS);
        CHECK(p.viewer.pages.open == -1);
        draw(&p); // the document instead of a page
    }
    close_viewer(&p);
}

TEST (view_pages_have_a_picture_each_in_the_contents) {
    paged p;
    if (open_viewer(&p) && resize(&p, 1280, 720)) {
        p.options.page = "contents";
        CHECK(view_choose_page(&p.viewer));
        for (uint32_t i = 0; i < 2; i++) { // in a window, one for each frame
            CHECK(view_lacks_thumbnails(&p.viewer.pages));
            draw(&p);
            CHECK(p.viewer.pages.num_thumbnails == i + 1 && p.viewer.pages.thumbnails != 0);
        }
        // Two of the first row are drawn, the third is not.
        const uint8_t *const atlas = p.viewer.pages.atlas;
        if (CHECK(atlas))
            CHECK(atlas[3] == 255 && atlas[4 * 208 + 3] == 255 && atlas[4 * 416 + 3] == 0);
    }
    close_viewer(&p);
}

TEST (view_pages_open_from_the_contents) {
    paged p;
    if (open_viewer(&p) && resize(&p, 1280, 720)) {
        p.options.page = "contents";
        CHECK(view_choose_page(&p.viewer));
        turn(&p, VIEW_NEXT_PAGE); // a document to draw
        turn(&p, VIEW_PREVIOUS_PAGE);
        draw(&p);
        CHECK(is_inside(&p));
        const view_stage stage = view_stage_of(&p.viewer, 1280.0f, 720.0f);
        for (uint32_t i = 0; i < view_num_pages; i++) {
            char sought[128];
            snprintf(sought, sizeof sought, "contents/%s", view_page_at(i)->title);
            const view_rect row = item_find(&p.viewer, &stage, sought);
            CHECK(row.width > 0.0f && row.x + row.width < 1280.0f);
        }
        CHECK(press(&p, "contents", view_page_at(2)->title, 0.1f));
        CHECK(p.viewer.pages.open == 2);
        CHECK(!view_perform(&p.viewer, item_press_at(&p.viewer, &stage, 1279.0f, 1.0f)));
    }
    close_viewer(&p);
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

TEST_IF (view_pages_have_sliders_that_can_be_set, paged, p,
         open_viewer(p) || (close_viewer(p), false), close_viewer(p)) {
    CHECK_STRING(set_on_page(p, "follow", "damping", 1.5f, 0.0), "");
    CHECK(p->viewer.pages.values[2] == 1.5f && p->viewer.pages.values[1] == 9.0f);
    CHECK_STRING(set_on_page(p, "follow", "speed", 12.0f, 0.0), ""); // without its unit
    CHECK(p->viewer.pages.values[1] == 12.0f);
    CHECK_STRING(set_on_page(p, "ik", "target, up", 20.0f, 0.0), "");
    CHECK(p->viewer.pages.values[4] == 20.0f);
    static const char sliders[] = "page follow has 'manner', 'speed, 1/s', 'damping', 'seconds'";
    CHECK(strstr(set_on_page(p, "follow", "nonsense", 1.0f, 0.0), sliders));
    CHECK(strstr(set_on_page(p, "follow", "damp", 1.0f, 0.0), sliders));
    CHECK(strstr(set_on_page(p, "ik", "target", 1.0f, 0.0), "'target, left'"));
    CHECK_STRING(set_on_page(p, "follow", "speed", 30.0f, 0.0),
                 "--set speed=30: expected a number from 1 to 20");
    CHECK_STRING(set_on_page(p, "follow", "manner", 0.5f, 0.0),
                 "--set manner=0.5: expected a whole number from 0 to 2");
    CHECK_STRING(set_on_page(p, "follow", "speed", 3.0f, 2.0),
                 "--set speed: page follow has no @TIME");
    CHECK_STRING(set_on_page(p, "contents", "speed", 3.0f, 0.0),
                 "--set: the contents have no sliders");
}

TEST_IF (view_pages_have_a_command_line_with_their_sliders, paged, p,
         open_viewer(p) || (close_viewer(p), false), close_viewer(p)) {
    CHECK_STRING(set_on_page(p, "follow", "speed", 12.5f, 0.0), "");
    OWN char *const line = view_command_line(&p->viewer);
    CHECK_THAT(strstr(line, " --page follow ") && strstr(line, " --set 'speed, 1/s=12.5'"), "%s",
               line);
    CHECK(!strstr(line, "damping") && !strstr(line, ".md5mesh") && !strstr(line, "--no-auto"));
}

TEST_IF (view_pages_that_are_not_there_are_reported, paged, p,
         open_viewer(p) || (close_viewer(p), false), close_viewer(p)) {
    p->options.page = "nothing";
    CHECK(!view_choose_page(&p->viewer));
    CHECK(strstr(p->viewer.log.error, "--page list"));
    p->options.page = NULL;
    CHECK(view_choose_page(&p->viewer));
}
