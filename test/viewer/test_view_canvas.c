// The viewer's canvas: clipping at its clip rectangle, and formatting of numbers.
#include "test/render/test_gl_scene.h"

#include "demo/viewer/base/canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const view_rect clip = {10, 20, 30, 40};

// A canvas whose font has no letters and whose texture has a size of 1 x 1.
typedef struct sheet {
    view_font font;
    view_canvas canvas;
} sheet;

static bool open_sheet(sheet *fixture)
{
    *fixture = (sheet){.font = {.scale = 1,
                                .solid_u = 0.5f,
                                .solid_v = 0.5f,
                                .disc_u1 = 1,
                                .disc_v1 = 1,
                                .disc_radius = 8}};
    fixture->canvas.font = &fixture->font;
    return true;
}

#define TEST_HERE(title) TEST_IF (title, sheet, s, open_sheet(s), free(s->canvas.vertices))

static double area(const view_canvas *canvas)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < canvas->count; i += 3) {
        const md5gl_panel_vertex *const v = canvas->vertices + i;
        sum += 0.5
               * fabs((double)(v[1].x - v[0].x) * (double)(v[2].y - v[0].y)
                      - (double)(v[2].x - v[0].x) * (double)(v[1].y - v[0].y));
    }
    return sum;
}

static bool is_inside(const view_canvas *canvas, view_rect rect)
{
    for (uint32_t i = 0; i < canvas->count; i++) {
        const md5gl_panel_vertex *const v = &canvas->vertices[i];
        const bool is_beside = v->x < rect.x || v->x > rect.x + rect.width;
        const bool is_above_or_below = v->y < rect.y || v->y > rect.y + rect.height;
        if (is_beside || is_above_or_below)
            return false;
    }
    return true;
}

TEST_HERE (canvas_starts_without_a_clip) {
    view_draw_rect(&s->canvas, (view_rect){-100, -100, 300, 300}, ~0u);
    CHECK_EXACT(area(&s->canvas), 90000);
    CHECK_EXACT(view_clip_canvas(&s->canvas, clip).width, 0);
}

TEST_HERE (canvas_returns_the_previous_clip) {
    const view_rect none = view_clip_canvas(&s->canvas, clip);
    const view_rect last = view_clip_canvas(&s->canvas, none);
    CHECK(last.x == clip.x && last.y == clip.y);
    CHECK(last.width == clip.width && last.height == clip.height);
    view_draw_rect(&s->canvas, (view_rect){0, 0, 100, 100}, ~0u);
    CHECK_EXACT(area(&s->canvas), 10000);
}

TEST_HERE (canvas_without_content_ends_clipping) {
    view_clip_canvas(&s->canvas, clip);
    view_clear_canvas(&s->canvas);
    view_draw_rect(&s->canvas, (view_rect){0, 0, 5, 5}, ~0u);
    CHECK_EXACT(area(&s->canvas), 25);
}

TEST_HERE (canvas_clip_without_area_hides_everything) {
    view_clip_canvas(&s->canvas, (view_rect){10, 20, 0, 40});
    view_draw_rect(&s->canvas, (view_rect){0, 0, 100, 100}, ~0u);
    view_draw_disc(&s->canvas, 10.0f, 30.0f, 5.0f, ~0u);
    CHECK_UINT(s->canvas.count, 0);
    view_clip_canvas(&s->canvas, (view_rect){10, 20, -5, 40});
    view_draw_rect(&s->canvas, (view_rect){0, 0, 100, 100}, ~0u);
    CHECK_UINT(s->canvas.count, 0);
}

TEST_HERE (canvas_cuts_all_shapes_at_the_clip) {
    static const float corners[6] = {0, 0, 100, 30, 5, 90};
    static const float ends[4] = {0, 0, 60, 70};
    view_clip_canvas(&s->canvas, clip);
    view_draw_rect(&s->canvas, (view_rect){0, 0, 100, 100}, ~0u);
    CHECK_EXACT(area(&s->canvas), 1200);
    view_draw_round_rect(&s->canvas, (view_rect){5, 5, 30, 30}, 8.0f, ~0u);
    CHECK_NEAR(area(&s->canvas), 1200.0 + 25.0 * 15.0, 1e-3);
    view_draw_disc(&s->canvas, 40.0f, 60.0f, 10.0f, ~0u);
    CHECK_NEAR(area(&s->canvas), 1200.0 + 25.0 * 15.0 + 100.0, 1e-3);
    view_draw_triangle(&s->canvas, corners, ~0u);
    view_draw_segment(&s->canvas, ends, 6.0f, ~0u);
    CHECK(is_inside(&s->canvas, clip));
}

// The triangle has its right angle at (0, 0) and sides of 40. The part within the clip is a small
// right triangle at (10, 20).
TEST_HERE (canvas_cuts_a_triangle_exactly) {
    static const float corners[6] = {0, 0, 40, 0, 0, 40};
    view_clip_canvas(&s->canvas, clip);
    view_draw_triangle(&s->canvas, corners, ~0u);
    CHECK_NEAR(area(&s->canvas), 50, 1e-4);
}

// First all four corners of the clip are within the triangle; then all corners of the triangle are
// within the clip.
TEST_HERE (canvas_cuts_a_large_triangle_to_the_whole_clip) {
    static const float large[6] = {-500, -500, 900, -500, -500, 900};
    static const float small[6] = {12, 22, 14, 22, 12, 25};
    view_clip_canvas(&s->canvas, clip);
    view_draw_triangle(&s->canvas, large, ~0u);
    CHECK_NEAR(area(&s->canvas), 1200, 1e-2);
    view_clear_canvas(&s->canvas);
    view_clip_canvas(&s->canvas, clip);
    view_draw_triangle(&s->canvas, small, ~0u);
    CHECK_UINT(s->canvas.count, 3);
    CHECK_NEAR(area(&s->canvas), 3, 1e-4);
}

TEST_HERE (canvas_cuts_texture_and_gradient_in_proportion) {
    static const float uv[4] = {0, 0.25f, 1, 0.75f};
    view_clip_canvas(&s->canvas, clip);
    view_draw_image(&s->canvas, (view_rect){0, 0, 100, 100}, uv, 1, true);
    CHECK_UINT(s->canvas.num_images, 1);
    const md5gl_panel_vertex *const v = s->canvas.images[0].vertices;
    CHECK_NEAR(v[0].u, 0.1, 1e-6);
    CHECK_NEAR(v[0].v, 0.25 + 0.5 * 0.2, 1e-6);
    CHECK_NEAR(v[2].u, 0.4, 1e-6);
    CHECK_NEAR(v[2].v, 0.25 + 0.5 * 0.6, 1e-6);
    view_draw_gradient(&s->canvas, (view_rect){0, 0, 100, 100}, 0x000000FFu, 0xC86400FFu);
    CHECK_UINT(s->canvas.vertices[0].rgba[0], 40);
    CHECK_UINT(s->canvas.vertices[0].rgba[1], 20);
    CHECK_UINT(s->canvas.vertices[2].rgba[0], 120);
    CHECK_UINT(s->canvas.vertices[2].rgba[3], 255);
}

TEST_HERE (canvas_skips_shapes_outside_the_clip) {
    static const float full_texture[4] = {0, 0, 1, 1};
    static const float corners[6] = {0, 0, 9, 0, 0, 99};
    view_clip_canvas(&s->canvas, clip);
    view_draw_image(&s->canvas, (view_rect){50, 30, 5, 5}, full_texture, 1, true);
    view_draw_rect(&s->canvas, (view_rect){0, 0, 10, 100}, ~0u);
    view_draw_triangle(&s->canvas, corners, ~0u);
    CHECK_UINT(s->canvas.num_images, 0);
    CHECK_UINT(s->canvas.count, 0);
}

TEST (canvas_cuts_text_at_the_clip) {
    gl_scene gl = {0};
    sheet fixture;
    md5_error error;
    CHECK(open_sheet(&fixture));
    if (scene_share(&gl) && CHECK(view_make_font(&fixture.font, gl.renderer, 1.0f, &error))) {
        view_clip_canvas(&fixture.canvas, clip);
        const float used =
            view_draw_text(&fixture.canvas, VIEW_TEXT, 5.0f, 15.0f, 0, ~0u, "WWWWWWWW");
        CHECK_NEAR(used, view_text_width(&fixture.font, VIEW_TEXT, "WWWWWWWW"), 1e-3);
        CHECK(fixture.canvas.count > 0);
        CHECK(is_inside(&fixture.canvas, clip));
        view_free_font(&fixture.font, gl.renderer);
    }
    free(fixture.canvas.vertices);
    scene_close(&gl);
}

// -- Numbers --------------------------------------------------------------------------------------

#define MINUS "\xE2\x88\x92"
#define DIGIT_SPACE "\xE2\x80\x87"

TEST (canvas_writes_numbers_with_sensible_digits) {
    static const struct {
        double value;
        int decimals;
        bool reserves_sign;
        const char *expected;
    } cases[] = {
        {1.5, 3, false, "1.500"},
        {-1.5, 3, false, MINUS "1.500"},
        {0, 3, false, "0.000"},
        {-0.0, 3, false, "0.000"},
        {-1.884e-09, 3, false, "0.000"},
        {0.00049, 3, false, "0.000"},
        {-0.00049, 3, false, "0.000"},
        {-0.0006, 3, false, MINUS "0.001"},
        {-0.4, 0, false, "0"},
        {12.345678, 2, false, "12.35"},
        {0.70710678, 4, false, "0.7071"},
        {9999.9994, 3, false, "9999.999"},
        {9999.9996, 3, false, "10000.00"},
        {12345.678, 3, false, "12345.68"},
        {-123456.78, 3, false, MINUS "123456.8"},
        {1234567.8, 3, false, "1234568"},
        {12345678.9, 3, false, "12345679"},
        {12345.678, 0, false, "12346"},
        {2.5, 3, true, DIGIT_SPACE "2.500"},
        {-2.5, 3, true, MINUS "2.500"},
        {-0.0001, 3, true, DIGIT_SPACE "0.000"},
        {-1e38, 3, false, MINUS "1e+38"},
        {INFINITY, 3, false, "\xE2\x88\x9E"},
        {-INFINITY, 3, false, MINUS "\xE2\x88\x9E"},
        {NAN, 3, false, "\xE2\x80\x93"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[32];
        CHECK_STRING(view_format_number(text, sizeof text, cases[i].value, cases[i].decimals,
                                        cases[i].reserves_sign),
                     cases[i].expected);
    }
}

TEST (canvas_keeps_numbers_within_their_memory) {
    char text[4];
    CHECK_STRING(view_format_number(text, sizeof text, 1234.5, 1, false), "123");
    CHECK(strlen(view_format_number(text, 1, 1234.5, 1, false)) == 0);
}

TEST (canvas_cuts_parts_off_a_rectangle) {
    static const struct {
        view_side side;
        view_rect part, rest;
    } cases[] = {{VIEW_AT_LEFT, {10, 20, 8, 40}, {18, 20, 22, 40}},
                 {VIEW_AT_RIGHT, {32, 20, 8, 40}, {10, 20, 22, 40}},
                 {VIEW_AT_TOP, {10, 20, 30, 8}, {10, 28, 30, 32}},
                 {VIEW_AT_BOTTOM, {10, 52, 30, 8}, {10, 20, 30, 32}}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        view_rect rest = clip;
        const view_rect part = view_cut(&rest, cases[i].side, 8);
        CHECK_BYTES(&part, &cases[i].part, sizeof part);
        CHECK_BYTES(&rest, &cases[i].rest, sizeof rest);
    }
    view_rect rest = clip;
    CHECK_EXACT(view_cut(&rest, VIEW_AT_BOTTOM, 41).height, 40); // at most the height that is left
    CHECK_EXACT(rest.height, 0);
}
