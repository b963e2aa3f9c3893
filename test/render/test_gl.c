// Drawn pictures against expected pixels that are computed here.
#include "test/render/test_gl_scene.h"

#include <stdlib.h>
#include <string.h>

static const uint8_t black[4] = {0, 0, 0, 255};

static md5gl_texture make_texture(gl_stage *stage, uint32_t width, uint32_t height,
                                  const uint8_t *rgba)
{
    md5_error error = {0};
    const md5gl_texture texture =
        scene_texture(stage->scene.renderer, MD5GL_TEXTURE_COLOR, width, height, rgba, &error);
    CHECK(texture != 0);
    md5gl_set_material(stage->copy, 0, 0, &(md5gl_material){.diffuse = texture});
    return texture;
}

// -- Models -----------------------------------------------------------------------------------

TEST_STAGE (gl_front_faces_are_clockwise, scene_square, 1) {
    gl_picture picture;
    const gl_colour lit = scene_sideways(1, 1, 1);
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, 0, 0, lit.rgba, 1));
    CHECK(picture_is(&picture, -18, 18, lit.rgba, 1));
    CHECK(picture_is(&picture, 18, -18, lit.rgba, 1));
    CHECK(picture_is(&picture, 23, 0, black, 0));
    CHECK(picture_is(&picture, 0, -23, black, 0));

    scene_look_from_behind(&stage->frame);
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, 0, 0, black, 0));
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT | MD5GL_NO_CULLING, &picture);
    CHECK(picture_is(&picture, 0, 0, lit.rgba, 1));
}

TEST_STAGE (gl_image_top_row_is_at_v_0, scene_square, 1) {
    // Quarters of two by two texels, so that filtering does not blend their centres.
    static const uint8_t colours[2][2][4] = {{{255, 0, 0, 255}, {0, 255, 0, 255}},
                                             {{0, 0, 255, 255}, {255, 255, 255, 255}}};
    uint8_t image[4][4][4];
    for (int y = 0; y < 4; y++) {
        for (int x = 0; x < 4; x++)
            memcpy(image[y][x], colours[y / 2][x / 2], 4);
    }
    gl_picture picture;
    const md5gl_texture texture = make_texture(stage, 4, 4, image[0][0]);
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, -10, 9, scene_sideways(1, 0, 0).rgba, 1));
    CHECK(picture_is(&picture, 9, 9, scene_sideways(0, 1, 0).rgba, 1));
    CHECK(picture_is(&picture, -10, -10, scene_sideways(0, 0, 1).rgba, 1));
    CHECK(picture_is(&picture, 9, -10, scene_sideways(1, 1, 1).rgba, 1));
    md5gl_destroy_texture(stage->scene.renderer, texture);
}

TEST_STAGE (gl_colours_are_srgb_and_light_is_linear, scene_floor, 1) {
    static const uint8_t middle[4] = {128, 64, 200, 255};
    gl_picture picture;
    scene_look_down(&stage->frame);
    // Ambient light 1 from above leaves a texture's colour unchanged; 0.5 on white is 188 in sRGB,
    // not 128.
    const md5gl_texture texture = make_texture(stage, 1, 1, middle);
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, 0, 0, middle, 1));
    md5gl_set_material(stage->copy, 0, 0, &(md5gl_material){.diffuse = 0});
    for (int i = 0; i < 3; i++)
        stage->frame.ambient[i] = 0.5f;
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, 0, 0, (uint8_t[4]){188, 188, 188, 255}, 1));
    md5gl_destroy_texture(stage->scene.renderer, texture);
}

TEST_STAGE (gl_placements_rotate_normals, scene_square, 1) {
    static const md5_mat34 upward = {{0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0}}; // x to z
    const md5_mat34 palette[2] = {scene_identity, scene_identity};
    gl_picture picture;
    scene_look_down(&stage->frame);
    md5gl_begin_frame(stage->scene.renderer, &stage->frame);
    CHECK(scene_pose_and_draw(stage->scene.renderer, stage->copy, palette, &upward, 1, MD5GL_LIT,
                              NULL));
    scene_finish(&stage->scene, &stage->frame, &picture);
    CHECK(picture_is(&picture, 0, 0, (uint8_t[4]){255, 255, 255, 255}, 1)); // the whole sky
}

TEST_STAGE (gl_key_light_shines_from_its_direction, scene_floor, 1) {
    gl_picture above, aslant, below;
    scene_look_down(&stage->frame);
    for (int i = 0; i < 3; i++) {
        stage->frame.ambient[i] = 0.0f;
        stage->frame.light[i] = 0.5f;
    }
    stage->frame.light_direction = (md5_vec3){0, 0, 7}; // any length
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &above);
    stage->frame.light_direction = (md5_vec3){0, 4, 2};
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &aslant);
    stage->frame.light_direction = (md5_vec3){0, 0, -1};
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &below);
    const int high = picture_at(&above, 0, 0)[0], low = picture_at(&aslant, 0, 0)[0];
    CHECK(high >= 188); // 0.5 in linear colour, plus a highlight
    CHECK(high - low > 25 && low > 60);
    CHECK(picture_is(&below, 0, 0, black, 0));
}

// All mipmap levels exist, and levels whose texels are larger than a cell have the mean of the two
// greys in linear colour: 0.2542 is that of 138, 0.5520 that of 196.
TEST_STAGE (gl_checker_is_even_at_a_distance, scene_square, 1) {
    gl_picture picture;
    md5gl_set_material(stage->copy, 0, 0,
                       &(md5gl_material){.diffuse = md5gl_checker_texture(stage->scene.renderer)});
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, -18, 18, scene_sideways(0.2542, 0.2542, 0.2542).rgba, 8));
    for (int i = 0; i < 12; i++)
        stage->frame.clip_from_view.m[i] *= 0.07f; // 128 texels on 2.8 pixels
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, 0, 0, scene_sideways(0.4031, 0.4031, 0.4031).rgba, 3));
}

// The left half is kept, the right half is cut out; neither is fully opaque or fully transparent.
static void check_holes(uint32_t samples)
{
    static const uint8_t image[16] = {255, 255, 255, 170, 255, 255, 255, 90,
                                      255, 255, 255, 170, 255, 255, 255, 90};
    gl_stage stage;
    gl_picture picture;
    if (!scene_open_stage(&stage, scene_square, samples))
        return;
    const md5gl_texture texture = make_texture(&stage, 2, 2, image);
    stage.frame.background[3] = 0.0f;
    scene_draw(&stage.scene, &stage.frame, stage.copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, -10, 0, scene_sideways(1, 1, 1).rgba, 1));
    CHECK(picture_is(&picture, 10, 0, (uint8_t[4]){0, 0, 0, 0}, 0));
    // Alpha crosses 0.5 a little to the right of the middle, between the texels' centres.
    unsigned num_partial = 0;
    for (int right = -15; right < 15; right++) {
        const uint8_t alpha = picture_at(&picture, right, 5)[3];
        num_partial += alpha > 0 && alpha < 255;
        CHECK(right < 0 ? alpha == 255 : right < 2 || alpha == 0);
    }
    CHECK(samples > 1 ? num_partial <= 2 : num_partial == 0);
    md5gl_destroy_texture(stage.scene.renderer, texture);
    scene_close_stage(&stage);
}

TEST (gl_texels_below_half_alpha_are_cut_out) {
    check_holes(1);
    check_holes(4);
}

// Two of five texels are opaque, so a small mipmap level has a mean alpha of 0.4, below the
// threshold of 0.5. The square must not be cut out.
TEST_STAGE (gl_fine_hair_does_not_vanish_at_a_distance, scene_square, 1) {
    static uint8_t image[256][256][4];
    gl_picture picture;
    memset(image, 255, sizeof image);
    for (int y = 0; y < 256; y++) {
        for (int x = 0; x < 256; x++)
            image[y][x][3] = (x + y) % 5 < 2 ? 255 : 0;
    }
    const md5gl_texture texture = make_texture(stage, 256, 256, image[0][0]);
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, 0, 0, scene_sideways(1, 1, 1).rgba, 1));
    md5gl_destroy_texture(stage->scene.renderer, texture);
}

TEST_STAGE (gl_untextured_is_grey_and_hidden_meshes_are_not_drawn, scene_square, 1) {
    static const uint8_t red[4] = {255, 0, 0, 255};
    gl_picture picture;
    const md5gl_texture texture = make_texture(stage, 1, 1, red);
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT | MD5GL_UNTEXTURED, &picture);
    const uint8_t *const grey = picture_at(&picture, 0, 0);
    CHECK(grey[0] > 80 && grey[0] < 200 && abs(grey[0] - grey[1]) < 12);
    md5gl_set_visible(stage->copy, 0, false);
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, 0, 0, black, 0));
    md5gl_set_visible(stage->copy, 0, true);
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &picture);
    CHECK(picture_is(&picture, 0, 0, scene_sideways(1, 0, 0).rgba, 1));
    md5gl_destroy_texture(stage->scene.renderer, texture);
}

// -- Instances --------------------------------------------------------------------------------

// Three squares: one to the left; one in the middle, edge-on and so invisible; one to the right,
// whose palette moves the upper corners down by twenty.
static void draw_three(gl_stage *stage, md5_mat34 first_low, gl_picture *picture)
{
    const md5_mat34 palettes[6] = {first_low,      scene_identity, scene_identity,
                                   scene_identity, scene_identity, scene_moved(0, 0, -20)};
    md5_mat34 edge_on = {{0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0}};
    const md5_mat34 placements[3] = {scene_moved(0, -50, 0), edge_on, scene_moved(3, 50, 10)};
    md5_error error = {0};
    md5gl_begin_frame(stage->scene.renderer, &stage->frame);
    CHECK(scene_pose_and_draw(stage->scene.renderer, stage->copy, palettes, placements, 3,
                              MD5GL_LIT, &error));
    scene_finish(&stage->scene, &stage->frame, picture);
}

static void check_three(const gl_picture *picture)
{
    const gl_colour lit = scene_sideways(1, 1, 1);
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

TEST_STAGE (gl_instances_use_their_placements, scene_square, 1) {
    gl_picture whole, split;
    draw_three(stage, scene_identity, &whole);
    check_three(&whole);
    // A limit of two palettes of two joints, then of one: the instances take two and three draws.
    *scene_limits(stage->scene.renderer).max_texels = 15;
    draw_three(stage, scene_identity, &split);
    CHECK(memcmp(&whole, &split, sizeof whole) == 0);
    *scene_limits(stage->scene.renderer).max_texels = 6;
    draw_three(stage, scene_identity, &split);
    CHECK(memcmp(&whole, &split, sizeof whole) == 0);
}

TEST_STAGE (gl_every_path_draws_the_same_picture, scene_square, 1) {
    gl_picture by_path[3];
    md5gl_renderer *const renderer = stage->scene.renderer;
    for (int i = 0; i < 3; i++) {
        md5gl_destroy_model(renderer, stage->copy);
        const md5gl_path path = (md5gl_path)(MD5GL_PATH_4 + i);
        stage->copy = md5gl_create_model(renderer, stage->model, path, NULL);
        CHECK(md5gl_mesh_path(stage->copy, 0, NULL) == path);
        draw_three(stage, scene_moved(0, 0, 0.001f), &by_path[i]);
        check_three(&by_path[i]);
    }
}

// -- Background and samples -------------------------------------------------------------------

TEST_STAGE (gl_transparent_background_has_straight_alpha, scene_square, 4) {
    gl_picture picture;
    const md5_mat34 turned = {{1, 0, 0, 0, 0, 0.866f, -0.5f, 0, 0, 0.5f, 0.866f, 0}};
    const md5_mat34 palette[2] = {turned, turned};
    memset(stage->frame.background, 0, sizeof stage->frame.background);
    md5gl_begin_frame(stage->scene.renderer, &stage->frame);
    CHECK(
        scene_pose_and_draw(stage->scene.renderer, stage->copy, palette, NULL, 1, MD5GL_LIT, NULL));
    scene_finish(&stage->scene, &stage->frame, &picture);

    CHECK(picture_is(&picture, -50, 0, (uint8_t[4]){0, 0, 0, 0}, 0));
    // If the edge covers a pixel in part, alpha is the coverage and the colour is the square's own,
    // up to the rounding error of dividing by a small 8-bit alpha.
    unsigned num_partial = 0, num_full = 0;
    for (int y = 0; y < SCENE_HEIGHT; y++) {
        for (int x = 0; x < SCENE_WIDTH; x++) {
            const uint8_t *const pixel = picture.rgba[y][x];
            const gl_colour lit = scene_sideways(1, 1, 1);
            num_full += pixel[3] == 255;
            num_partial += pixel[3] > 0 && pixel[3] < 255;
            for (int i = 0; i < 3 && pixel[3] > 0; i++)
                CHECK(abs(pixel[i] - lit.rgba[i]) <= 1 + 255 / pixel[3]);
        }
    }
    // 40 * 40 pixels, without the edge if the device supports partial coverage.
    const bool multisampled = scene_limits(stage->scene.renderer).max_samples > 1;
    CHECK(num_full > 1400 && num_full <= (multisampled ? 1600 : 1700));
    CHECK(multisampled ? num_partial > 60 && num_partial < 260 : num_partial == 0);
}

TEST_STAGE (gl_background_is_as_given, scene_square, 1) {
    gl_picture picture;
    const float background[4] = {0.2f, 0.4f, 0.6f, 0.5f};
    memcpy(stage->frame.background, background, sizeof background);
    md5gl_begin_frame(stage->scene.renderer, &stage->frame);
    scene_finish(&stage->scene, &stage->frame, &picture);
    // Premultiplied storage in steps of 1/255 leaves steps of two at half alpha.
    CHECK(picture_is(&picture, 3, 4, (uint8_t[4]){51, 102, 153, 128}, 2));
}

TEST_STAGE (gl_default_framebuffer_is_drawn_and_read, scene_square, 1) {
    gl_picture picture;
    stage->frame.target = NULL;
    const md5_mat34 palette[2] = {scene_moved(0, 0, 25), scene_moved(0, 0, 25)};
    md5gl_begin_frame(stage->scene.renderer, &stage->frame);
    CHECK(
        scene_pose_and_draw(stage->scene.renderer, stage->copy, palette, NULL, 1, MD5GL_LIT, NULL));
    scene_finish(&stage->scene, &stage->frame, &picture);
    CHECK(picture_is(&picture, 0, 43, scene_sideways(1, 1, 1).rgba, 1)); // top row first
    CHECK(picture_is(&picture, 0, -43, black, 0));
}
