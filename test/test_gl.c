// What is drawn where: pictures against expectations that are computed here.
#include "test/test_gl_scene.h"

#include "render/gl_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t black[4] = {0, 0, 0, 255}, white[4] = {255, 255, 255, 255};

// What ambient 1 and no key light make of white on a surface that faces sideways: halfway between
// the sky's 1 and the ground's part of it, encoded as sRGB.
static const double sideways[3] = {(1.0 + 0.40) / 2, (1.0 + 0.36) / 2, (1.0 + 0.33) / 2};

static uint8_t encode(double linear)
{
    const double encoded =
        linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
    return (uint8_t)lround(255.0 * encoded);
}

typedef struct colour {
    uint8_t rgba[4];
} colour;

static colour sideways_colour(double red, double green, double blue)
{
    return (colour){
        {encode(red * sideways[0]), encode(green * sideways[1]), encode(blue * sideways[2]), 255}};
}

// -- A scene with a target and a square -------------------------------------------------------

typedef struct gl_stage {
    gl_scene scene;
    md5gl_target *target;
    md5_model *model;
    md5gl_model *copy;
    md5gl_frame frame;
} gl_stage;

static bool open_stage(gl_stage *stage, md5_model *(*make)(void), uint32_t samples)
{
    if (!scene_open(&stage->scene, NULL))
        return false;
    md5gl_renderer *const renderer = stage->scene.renderer;
    stage->target = md5gl_create_target(renderer, SCENE_WIDTH, SCENE_HEIGHT, samples, NULL);
    stage->model = make();
    stage->copy = md5gl_create_model(renderer, stage->model, MD5GL_PATH_AUTO, NULL);
    stage->frame = scene_frame(stage->target);
    return CHECK(stage->target && stage->copy);
}

static void close_stage(gl_stage *stage)
{
    md5gl_destroy_model(stage->scene.renderer, stage->copy);
    md5gl_destroy_target(stage->scene.renderer, stage->target);
    scene_close(&stage->scene);
    md5_free_model(stage->model);
}

static md5gl_texture make_texture(gl_stage *stage, uint32_t width, uint32_t height,
                                  const uint8_t *rgba)
{
    md5_error error;
    const md5gl_texture texture =
        md5gl_create_texture(stage->scene.renderer, width, height, rgba, &error);
    CHECK(texture != 0);
    md5gl_set_texture(stage->copy, 0, texture);
    return texture;
}

// -- Models -----------------------------------------------------------------------------------

TEST (gl_front_faces_are_clockwise) {
    gl_stage stage;
    gl_picture picture;
    if (!open_stage(&stage, scene_square, 1))
        return;
    const colour lit = sideways_colour(1, 1, 1);
    scene_draw(&stage.scene, &stage.frame, stage.copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, 0, 0, lit.rgba, 1));
    CHECK(picture_is(&picture, -18, 18, lit.rgba, 1));
    CHECK(picture_is(&picture, 18, -18, lit.rgba, 1));
    CHECK(picture_is(&picture, 23, 0, black, 0));
    CHECK(picture_is(&picture, 0, -23, black, 0));

    scene_look_from_behind(&stage.frame);
    scene_draw(&stage.scene, &stage.frame, stage.copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, 0, 0, black, 0));
    scene_draw(&stage.scene, &stage.frame, stage.copy, MD5GL_LIT | MD5GL_NO_CULLING, &picture);
    CHECK(picture_is(&picture, 0, 0, lit.rgba, 1));
    close_stage(&stage);
}

TEST (gl_image_top_row_is_at_v_0) {
    // Quarters of two texels by two, so that their middles are not blended with their neighbours.
    static const uint8_t colours[2][2][4] = {{{255, 0, 0, 255}, {0, 255, 0, 255}},
                                             {{0, 0, 255, 255}, {255, 255, 255, 255}}};
    uint8_t image[4][4][4];
    for (int y = 0; y < 4; y++) {
        for (int x = 0; x < 4; x++)
            memcpy(image[y][x], colours[y / 2][x / 2], 4);
    }
    gl_stage stage;
    gl_picture picture;
    if (!open_stage(&stage, scene_square, 1))
        return;
    const md5gl_texture texture = make_texture(&stage, 4, 4, image[0][0]);
    scene_draw(&stage.scene, &stage.frame, stage.copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, -10, 9, sideways_colour(1, 0, 0).rgba, 1));
    CHECK(picture_is(&picture, 9, 9, sideways_colour(0, 1, 0).rgba, 1));
    CHECK(picture_is(&picture, -10, -10, sideways_colour(0, 0, 1).rgba, 1));
    CHECK(picture_is(&picture, 9, -10, sideways_colour(1, 1, 1).rgba, 1));
    md5gl_destroy_texture(stage.scene.renderer, texture);
    close_stage(&stage);
}

TEST (gl_colours_are_srgb_and_light_is_linear) {
    static const uint8_t middle[4] = {128, 64, 200, 255};
    gl_stage stage;
    gl_picture picture;
    if (!open_stage(&stage, scene_floor, 1))
        return;
    scene_look_down(&stage.frame);
    // Under the sky's full light a texture comes out as it is; half of the light is 188, not 128.
    const md5gl_texture texture = make_texture(&stage, 1, 1, middle);
    scene_draw(&stage.scene, &stage.frame, stage.copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, 0, 0, middle, 1));
    md5gl_set_texture(stage.copy, 0, 0);
    for (int i = 0; i < 3; i++)
        stage.frame.ambient[i] = 0.5f;
    scene_draw(&stage.scene, &stage.frame, stage.copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, 0, 0, (uint8_t[4]){188, 188, 188, 255}, 1));
    md5gl_destroy_texture(stage.scene.renderer, texture);
    close_stage(&stage);
}

TEST (gl_key_light_shines_from_where_it_is) {
    gl_stage stage;
    gl_picture above, aslant, below;
    if (!open_stage(&stage, scene_floor, 1))
        return;
    scene_look_down(&stage.frame);
    for (int i = 0; i < 3; i++) {
        stage.frame.ambient[i] = 0.0f;
        stage.frame.light[i] = 0.5f;
    }
    stage.frame.light_direction = (md5_vec3){0, 0, 7}; // any length
    scene_draw(&stage.scene, &stage.frame, stage.copy, MD5GL_LIT, &above);
    stage.frame.light_direction = (md5_vec3){0, 4, 2};
    scene_draw(&stage.scene, &stage.frame, stage.copy, MD5GL_LIT, &aslant);
    stage.frame.light_direction = (md5_vec3){0, 0, -1};
    scene_draw(&stage.scene, &stage.frame, stage.copy, MD5GL_LIT, &below);
    const int high = picture_at(&above, 0, 0)[0], low = picture_at(&aslant, 0, 0)[0];
    CHECK(high >= 188); // all of 0.5, and a gloss on top
    CHECK(high - low > 25 && low > 60);
    CHECK(picture_is(&below, 0, 0, black, 0));
    close_stage(&stage);
}

// Left half whole, right half a hole; neither is quite opaque or quite clear.
static void check_holes(uint32_t samples)
{
    static const uint8_t image[16] = {255, 255, 255, 170, 255, 255, 255, 90,
                                      255, 255, 255, 170, 255, 255, 255, 90};
    gl_stage stage;
    gl_picture picture;
    if (!open_stage(&stage, scene_square, samples))
        return;
    const md5gl_texture texture = make_texture(&stage, 2, 2, image);
    stage.frame.background[3] = 0.0f;
    scene_draw(&stage.scene, &stage.frame, stage.copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, -10, 0, sideways_colour(1, 1, 1).rgba, 1));
    CHECK(picture_is(&picture, 10, 0, (uint8_t[4]){0, 0, 0, 0}, 0));
    // Alpha passes a half a little to the right of the middle, between the texels' centres.
    unsigned num_partial = 0;
    for (int right = -15; right < 15; right++) {
        const uint8_t alpha = picture_at(&picture, right, 5)[3];
        num_partial += alpha > 0 && alpha < 255;
        CHECK(right < 0 ? alpha == 255 : right < 2 || alpha == 0);
    }
    CHECK(samples > 1 ? num_partial <= 2 : num_partial == 0);
    md5gl_destroy_texture(stage.scene.renderer, texture);
    close_stage(&stage);
}

TEST (gl_texels_below_half_alpha_are_holes) {
    check_holes(1);
    check_holes(4);
}

// Seen small, every second texel clear: what a mipmap makes of it is kept rather than lost.
TEST (gl_fine_hair_does_not_vanish_at_a_distance) {
    static uint8_t image[256][256][4];
    gl_stage stage;
    gl_picture picture;
    if (!open_stage(&stage, scene_square, 1))
        return;
    memset(image, 255, sizeof image);
    for (int y = 0; y < 256; y++) {
        for (int x = 0; x < 256; x++)
            image[y][x][3] = (x + y) % 5 < 2 ? 255 : 0;
    }
    const md5gl_texture texture = make_texture(&stage, 256, 256, image[0][0]);
    scene_draw(&stage.scene, &stage.frame, stage.copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, 0, 0, sideways_colour(1, 1, 1).rgba, 1));
    md5gl_destroy_texture(stage.scene.renderer, texture);
    close_stage(&stage);
}

TEST (gl_untextured_is_grey_and_hidden_meshes_are_not_drawn) {
    static const uint8_t red[4] = {255, 0, 0, 255};
    gl_stage stage;
    gl_picture picture;
    if (!open_stage(&stage, scene_square, 1))
        return;
    const md5gl_texture texture = make_texture(&stage, 1, 1, red);
    scene_draw(&stage.scene, &stage.frame, stage.copy, MD5GL_LIT | MD5GL_UNTEXTURED, &picture);
    const uint8_t *const grey = picture_at(&picture, 0, 0);
    CHECK(grey[0] > 80 && grey[0] < 200 && abs(grey[0] - grey[1]) < 12);
    md5gl_set_visible(stage.copy, 0, false);
    scene_draw(&stage.scene, &stage.frame, stage.copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, 0, 0, black, 0));
    md5gl_set_visible(stage.copy, 0, true);
    scene_draw(&stage.scene, &stage.frame, stage.copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, 0, 0, sideways_colour(1, 0, 0).rgba, 1));
    md5gl_destroy_texture(stage.scene.renderer, texture);
    close_stage(&stage);
}

// -- Instances --------------------------------------------------------------------------------

// Three squares: to the left; in the middle, turned on edge, so that it is not seen; to the right
// and, by its palette, its upper corners twenty lower, so that nothing is left of its height.
static void draw_three(gl_stage *stage, md5_mat34 first_low, gl_picture *picture)
{
    const md5_mat34 palettes[6] = {first_low,      scene_identity, scene_identity,
                                   scene_identity, scene_identity, scene_moved(0, 0, -20)};
    md5_mat34 edge_on = {{0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0}};
    const md5_mat34 placements[3] = {scene_moved(0, -50, 0), edge_on, scene_moved(3, 50, 10)};
    md5_error error;
    md5gl_begin_frame(stage->scene.renderer, &stage->frame);
    CHECK(md5gl_draw_models(stage->scene.renderer, stage->copy, palettes, placements, 3, MD5GL_LIT,
                            &error));
    scene_finish(&stage->scene, &stage->frame, picture);
}

static void check_three(const gl_picture *picture)
{
    const colour lit = sideways_colour(1, 1, 1);
    CHECK(picture_is(picture, -50, 17, lit.rgba, 1));
    CHECK(picture_is(picture, -32, -17, lit.rgba, 1));
    CHECK(picture_is(picture, -28, 0, black, 0));
    CHECK(picture_is(picture, 0, 0, black, 0));
    CHECK(picture_is(picture, 32, 0, lit.rgba, 1));
    CHECK(picture_is(picture, 50, 8, lit.rgba, 1));
    CHECK(picture_is(picture, 50, 12, black, 0)); // its upper edge is at 20 - 20 + 10
    CHECK(picture_is(picture, 50, -8, lit.rgba, 1));
    CHECK(picture_is(picture, 50, -12, black, 0));
}

TEST (gl_instances_stand_where_they_are_placed) {
    gl_stage stage;
    gl_picture whole, split;
    if (!open_stage(&stage, scene_square, 1))
        return;
    draw_three(&stage, scene_identity, &whole);
    check_three(&whole);
    // Room for two palettes of two joints, then for one: the instances go in two and three draws.
    stage.scene.renderer->max_texels = 15;
    draw_three(&stage, scene_identity, &split);
    CHECK(memcmp(&whole, &split, sizeof whole) == 0);
    stage.scene.renderer->max_texels = 6;
    draw_three(&stage, scene_identity, &split);
    CHECK(memcmp(&whole, &split, sizeof whole) == 0);
    close_stage(&stage);
}

TEST (gl_every_path_draws_the_same_picture) {
    gl_stage stage;
    gl_picture by_path[3];
    if (!open_stage(&stage, scene_square, 1))
        return;
    md5gl_renderer *const renderer = stage.scene.renderer;
    for (int i = 0; i < 3; i++) {
        md5gl_destroy_model(renderer, stage.copy);
        const md5gl_path path = (md5gl_path)(MD5GL_PATH_4 + i);
        stage.copy = md5gl_create_model(renderer, stage.model, path, NULL);
        CHECK(md5gl_mesh_path(stage.copy, 0) == path);
        draw_three(&stage, scene_moved(0, 0, 0.001f), &by_path[i]);
        check_three(&by_path[i]);
    }
    close_stage(&stage);
}

// -- Background and samples -------------------------------------------------------------------

TEST (gl_transparent_background_has_straight_alpha) {
    gl_stage stage;
    gl_picture picture;
    if (!open_stage(&stage, scene_square, 4))
        return;
    const md5_mat34 turned = {{1, 0, 0, 0, 0, 0.866f, -0.5f, 0, 0, 0.5f, 0.866f, 0}};
    const md5_mat34 palette[2] = {turned, turned};
    memset(stage.frame.background, 0, sizeof stage.frame.background);
    md5gl_begin_frame(stage.scene.renderer, &stage.frame);
    CHECK(md5gl_draw_models(stage.scene.renderer, stage.copy, palette, NULL, 1, MD5GL_LIT, NULL));
    scene_finish(&stage.scene, &stage.frame, &picture);

    CHECK(picture_is(&picture, -50, 0, (uint8_t[4]){0, 0, 0, 0}, 0));
    // Where the edge covers a pixel in part, alpha tells how much, and the colour is the square's
    // own, to within what dividing by a small alpha of whole steps can tell.
    unsigned num_partial = 0, num_full = 0;
    for (int y = 0; y < SCENE_HEIGHT; y++) {
        for (int x = 0; x < SCENE_WIDTH; x++) {
            const uint8_t *const pixel = picture.rgba[y][x];
            const colour lit = sideways_colour(1, 1, 1);
            num_full += pixel[3] == 255;
            num_partial += pixel[3] > 0 && pixel[3] < 255;
            for (int i = 0; i < 3 && pixel[3] > 0; i++)
                CHECK(abs(pixel[i] - lit.rgba[i]) <= 1 + 255 / pixel[3]);
        }
    }
    CHECK(num_full > 1400 && num_full < 1600); // 40 * 40 less the edge
    CHECK(num_partial > 60 && num_partial < 260);
    close_stage(&stage);
}

TEST (gl_background_is_as_given) {
    gl_stage stage;
    gl_picture picture;
    if (!open_stage(&stage, scene_square, 1))
        return;
    const float background[4] = {0.2f, 0.4f, 0.6f, 0.5f};
    memcpy(stage.frame.background, background, sizeof background);
    md5gl_begin_frame(stage.scene.renderer, &stage.frame);
    scene_finish(&stage.scene, &stage.frame, &picture);
    // Stored premultiplied in steps of 1/255, a half alpha leaves steps of two.
    CHECK(picture_is(&picture, 3, 4, (uint8_t[4]){51, 102, 153, 128}, 2));
    close_stage(&stage);
}

TEST (gl_default_framebuffer_is_drawn_and_read) {
    gl_stage stage;
    gl_picture picture;
    if (!open_stage(&stage, scene_square, 1))
        return;
    stage.frame.target = NULL;
    const md5_mat34 palette[2] = {scene_moved(0, 0, 25), scene_moved(0, 0, 25)};
    md5gl_begin_frame(stage.scene.renderer, &stage.frame);
    CHECK(md5gl_draw_models(stage.scene.renderer, stage.copy, palette, NULL, 1, MD5GL_LIT, NULL));
    scene_finish(&stage.scene, &stage.frame, &picture);
    CHECK(picture_is(&picture, 0, 43, sideways_colour(1, 1, 1).rgba, 1)); // top row first
    CHECK(picture_is(&picture, 0, -43, black, 0));
    close_stage(&stage);
}

// -- Overlays ---------------------------------------------------------------------------------

TEST (gl_wireframe_shows_edges) {
    gl_stage stage;
    gl_picture alone, over, plain;
    if (!open_stage(&stage, scene_square, 1))
        return;
    scene_draw(&stage.scene, &stage.frame, stage.copy, MD5GL_LIT, &plain);
    scene_draw(&stage.scene, &stage.frame, stage.copy, MD5GL_WIREFRAME, &alone);
    scene_draw(&stage.scene, &stage.frame, stage.copy, MD5GL_LIT | MD5GL_WIREFRAME, &over);
    CHECK(picture_is(&alone, -10, -9, black, 0));
    CHECK(picture_is(&over, -10, -9, sideways_colour(1, 1, 1).rgba, 1));
    // The diagonal runs from the upper left to the lower right corner.
    unsigned num_bright = 0, num_dark = 0;
    for (int i = -15; i < 15; i++) {
        const int up = -i - 1;
        num_bright += picture_at(&alone, i, up)[2] > 100;
        num_dark += picture_at(&over, i, up)[1] + 60 < picture_at(&plain, i, up)[1];
    }
    CHECK_UINT(num_bright, 30);
    CHECK_UINT(num_dark, 30);
    close_stage(&stage);
}

static const md5gl_line_vertex level_line[2] = {
    {{-10, -50, 0}, {255, 255, 0, 255}},
    {{-10, 50, 0}, {255, 255, 0, 255}},
};

// How many whole pixels a line covers in a column.
static double column_width(const gl_picture *picture, int right)
{
    double sum = 0.0;
    for (int up = -30; up < 30; up++)
        sum += picture_at(picture, right, up)[0] / 255.0;
    return sum;
}

TEST (gl_lines_have_width_and_round_ends) {
    gl_stage stage;
    gl_picture picture;
    if (!open_stage(&stage, scene_square, 1))
        return;
    for (int width = 1; width <= 9; width += 4) {
        md5gl_begin_frame(stage.scene.renderer, &stage.frame);
        md5gl_draw_lines(stage.scene.renderer, level_line, 2, (float)width, false);
        scene_finish(&stage.scene, &stage.frame, &picture);
        CHECK_NEAR(column_width(&picture, 0), width, 0.1);
        CHECK_NEAR(column_width(&picture, -45), width, 0.1);
        CHECK_NEAR(column_width(&picture, 50 + width), 0.0, 0.1);
    }
    const double full = column_width(&picture, 49), end = column_width(&picture, 53);
    CHECK(end < full - 1.0 && end > 1.0); // round, beyond the end point
    CHECK(picture_at(&picture, 0, 0)[1] == 255 && picture_at(&picture, 0, 0)[2] == 0);
    close_stage(&stage);
}

TEST (gl_lines_hide_behind_models_unless_on_top) {
    gl_stage stage;
    gl_picture picture;
    if (!open_stage(&stage, scene_square, 1))
        return;
    const md5_mat34 palette[2] = {scene_identity, scene_identity};
    for (int on_top = 0; on_top < 2; on_top++) {
        md5gl_begin_frame(stage.scene.renderer, &stage.frame);
        md5gl_draw_models(stage.scene.renderer, stage.copy, palette, NULL, 1, MD5GL_LIT, NULL);
        md5gl_draw_lines(stage.scene.renderer, level_line, 2, 5.0f, on_top);
        scene_finish(&stage.scene, &stage.frame, &picture);
        CHECK(picture_is(&picture, 35, 0, level_line[0].rgba, 1));
        const colour lit = sideways_colour(1, 1, 1);
        CHECK(picture_is(&picture, 0, 0, on_top ? level_line[0].rgba : lit.rgba, 1));
    }
    close_stage(&stage);
}

// A line from before the eye to far behind it must not be mirrored through the eye.
TEST (gl_lines_are_cut_at_the_eye) {
    const md5gl_line_vertex through[4] = {
        {{0, 0, -10}, {255, 255, 255, 255}},
        {{1000, 0, -10}, {255, 255, 255, 255}}, // the eye is at x = 100
        {{500, 3, 0}, {255, 255, 255, 255}},
        {{1000, 4, 5}, {255, 255, 255, 255}},
    };
    gl_stage stage;
    gl_picture picture;
    if (!open_stage(&stage, scene_square, 1))
        return;
    md5gl_mat44 *const clip = &stage.frame.clip_from_view;
    *clip = (md5gl_mat44){{0.75f, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1.002f, -1, 0, 0, -2.002f, 0}};
    stage.frame.view_from_world.m[14] = -100.0f;
    md5gl_begin_frame(stage.scene.renderer, &stage.frame);
    md5gl_draw_lines(stage.scene.renderer, through, 4, 3.0f, false);
    scene_finish(&stage.scene, &stage.frame, &picture);
    // Its far end is 10 below the middle, 100 away: 60 * 10 / 100 pixels.
    CHECK(picture_is(&picture, 0, -20, white, 1));
    CHECK(picture_is(&picture, 0, -58, white, 1));
    CHECK(picture_is(&picture, 0, -3, black, 0));
    for (int up = 0; up < SCENE_HEIGHT / 2; up++) {
        for (int right = -SCENE_WIDTH / 2; right < SCENE_WIDTH / 2; right++)
            CHECK(picture_at(&picture, right, up)[0] == 0);
    }
    close_stage(&stage);
}

TEST (gl_grid_has_lines_at_cells_and_coloured_axes) {
    gl_stage stage;
    gl_picture picture;
    if (!open_stage(&stage, scene_square, 1))
        return;
    scene_look_down(&stage.frame);
    md5gl_begin_frame(stage.scene.renderer, &stage.frame);
    // The middle of the pixel to the right of a line is half a unit from it.
    md5gl_draw_grid(stage.scene.renderer, 0.0f, 20.0f, (md5_vec3){0, 0, 0}, 300.0f);
    scene_finish(&stage.scene, &stage.frame, &picture);
    const uint8_t *const cell = picture_at(&picture, 31, 9);
    const uint8_t *const line = picture_at(&picture, 40, 9);
    const uint8_t *const x_axis = picture_at(&picture, 0, 9);
    const uint8_t *const y_axis = picture_at(&picture, 31, 0);
    CHECK(cell[0] == 0 && cell[1] == 0 && cell[2] == 0);
    CHECK(line[0] > 15 && line[1] > 15 && line[2] > 15);
    CHECK(x_axis[0] > 120 && x_axis[0] > 2 * x_axis[1]);  // red
    CHECK(y_axis[1] > 100 && y_axis[1] > y_axis[0] + 30); // green
    // Its height counts, too: raised, it hides nothing and is hidden by nothing, lowered likewise.
    scene_look_from_behind(&stage.frame);
    md5gl_begin_frame(stage.scene.renderer, &stage.frame);
    md5gl_draw_grid(stage.scene.renderer, 0.0f, 20.0f, (md5_vec3){0, 0, 0}, 300.0f);
    scene_finish(&stage.scene, &stage.frame, &picture);
    CHECK(picture_is(&picture, 31, 9, black, 0)); // edge-on
    close_stage(&stage);
}

TEST (gl_grid_fades_towards_its_radius) {
    gl_stage stage;
    gl_picture picture;
    if (!open_stage(&stage, scene_square, 1))
        return;
    scene_look_down(&stage.frame);
    md5gl_begin_frame(stage.scene.renderer, &stage.frame);
    md5gl_draw_grid(stage.scene.renderer, 0.0f, 20.0f, (md5_vec3){0, 0, 0}, 60.0f);
    scene_finish(&stage.scene, &stage.frame, &picture);
    const int near = picture_at(&picture, 8, 0)[1], middle = picture_at(&picture, 45, 0)[1];
    CHECK(near > middle + 20 && middle > 5);
    CHECK(picture_is(&picture, 65, 0, black, 0));
    close_stage(&stage);
}

TEST (gl_panel_is_in_pixels_from_the_top_left) {
    static const uint8_t half[2] = {255, 0};
    const md5gl_panel_vertex triangles[6] = {
        {10, 5, 0, 0, {255, 0, 0, 255}},  {50, 5, 1, 0, {255, 0, 0, 255}},
        {10, 25, 0, 1, {255, 0, 0, 255}}, {10, 25, 0, 1, {255, 0, 0, 255}},
        {50, 5, 1, 0, {255, 0, 0, 255}},  {50, 25, 1, 1, {255, 0, 0, 255}},
    };
    gl_stage stage;
    gl_picture picture;
    if (!open_stage(&stage, scene_square, 1))
        return;
    md5_error error;
    const md5gl_texture mask = md5gl_create_mask(stage.scene.renderer, 2, 1, half, &error);
    CHECK(mask != 0);
    for (int masked = 0; masked < 2; masked++) {
        md5gl_begin_frame(stage.scene.renderer, &stage.frame);
        md5gl_draw_panel(stage.scene.renderer, masked ? mask : 0, triangles, 6);
        scene_finish(&stage.scene, &stage.frame, &picture);
        CHECK(picture.rgba[5][10][0] == 255 && picture.rgba[24][10][0] == 255);
        CHECK(picture.rgba[4][10][0] == 0 && picture.rgba[5][9][0] == 0);
        CHECK(picture.rgba[25][10][0] == 0 && picture.rgba[5][50][0] == 0);
        CHECK(picture.rgba[24][49][0] == (masked ? 0 : 255));
        // Halfway between a covered and an empty texel, half of the colour is left.
        if (masked)
            CHECK(abs(picture.rgba[15][30][0] - 128) < 12);
    }
    md5gl_destroy_texture(stage.scene.renderer, mask);
    close_stage(&stage);
}

TEST (gl_panel_blends_its_colour) {
    const md5gl_panel_vertex triangle[3] = {
        {0, 0, 0, 0, {255, 255, 255, 64}},
        {100, 0, 0, 0, {255, 255, 255, 64}},
        {0, 100, 0, 0, {255, 255, 255, 64}},
    };
    gl_stage stage;
    gl_picture picture;
    if (!open_stage(&stage, scene_square, 1))
        return;
    stage.frame.background[0] = 1.0f;
    md5gl_begin_frame(stage.scene.renderer, &stage.frame);
    md5gl_draw_panel(stage.scene.renderer, 0, triangle, 3);
    scene_finish(&stage.scene, &stage.frame, &picture);
    const uint8_t expected[4] = {255, 64, 64, 255};
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(picture.rgba[10][10][i], expected[i], 1.0);
    close_stage(&stage);
}
