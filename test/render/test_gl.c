// Compares drawn images with expected pixels that are computed here.
#include "test/scoped.h"
#include "test/real.h"
#include "test/render/test_gl_scene.h"

static const uint8_t gl_black[4] = {0, 0, 0, 255};

static void paint(gl_stage *stage, uint32_t width, uint32_t height, const uint8_t *rgba)
{
    STAGE_MATERIAL(stage, .diffuse = stage_color(stage, width, height, rgba));
}

// -- Models -----------------------------------------------------------------------------------

TEST_SQUARE (gl_front_faces_are_clockwise) {
    gl_picture picture;
    const gl_color lit = scene_sideways(1, 1, 1);
    stage_draw(stage, MD5GL_LIT, &picture);
    CHECK_PIXEL(&picture, 0, 0, lit.rgba, 1);
    CHECK_PIXEL(&picture, -18, 18, lit.rgba, 1);
    CHECK_PIXEL(&picture, 18, -18, lit.rgba, 1);
    CHECK_PIXEL(&picture, 23, 0, gl_black, 0);
    CHECK_PIXEL(&picture, 0, -23, gl_black, 0);

    scene_look_from_behind(&stage->frame);
    stage_draw(stage, MD5GL_LIT, &picture);
    CHECK_PIXEL(&picture, 0, 0, gl_black, 0);
    stage_draw(stage, MD5GL_LIT | MD5GL_NO_CULLING, &picture);
    CHECK_PIXEL(&picture, 0, 0, lit.rgba, 1);
}

TEST_SQUARE (gl_image_top_row_is_at_v_0) {
    // Quarters of two by two texels, so that filtering does not blend their centers.
    static const uint8_t colors[2][2][4] = {{{255, 0, 0, 255}, {0, 255, 0, 255}},
                                            {{0, 0, 255, 255}, {255, 255, 255, 255}}};
    uint8_t image[4][4][4];
    for (int y = 0; y < 4; y++) {
        for (int x = 0; x < 4; x++)
            memcpy(image[y][x], colors[y / 2][x / 2], 4);
    }
    gl_picture picture;
    paint(stage, 4, 4, image[0][0]);
    stage_draw(stage, MD5GL_LIT, &picture);
    CHECK_PIXEL(&picture, -10, 9, scene_sideways(1, 0, 0).rgba, 1);
    CHECK_PIXEL(&picture, 9, 9, scene_sideways(0, 1, 0).rgba, 1);
    CHECK_PIXEL(&picture, -10, -10, scene_sideways(0, 0, 1).rgba, 1);
    CHECK_PIXEL(&picture, 9, -10, scene_sideways(1, 1, 1).rgba, 1);
}

TEST_STAGE (gl_colors_are_srgb_and_light_is_linear, scene_floor, 1) {
    static const uint8_t middle[4] = {128, 64, 200, 255};
    gl_picture picture;
    scene_look_down(&stage->frame);
    // Ambient light 1 from above leaves a texture's color unchanged; 0.5 on white is 188 in sRGB,
    // not 128.
    paint(stage, 1, 1, middle);
    stage_draw(stage, MD5GL_LIT, &picture);
    CHECK_PIXEL(&picture, 0, 0, middle, 1);
    STAGE_MATERIAL(stage, .diffuse = 0);
    stage_light(stage, 0, 0.5f);
    stage_draw(stage, MD5GL_LIT, &picture);
    CHECK_PIXEL(&picture, 0, 0, (uint8_t[4]){188, 188, 188, 255}, 1);
}

TEST_SQUARE (gl_placements_rotate_normals) {
    static const md5_mat34 upward = {{0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0}}; // x to z
    gl_picture picture;
    scene_look_down(&stage->frame);
    stage_draw_posed(stage, scene_identities, &upward, 1, &picture);
    CHECK_PIXEL(&picture, 0, 0, (uint8_t[4]){255, 255, 255, 255}, 1); // the whole sky
}

// Back faces are not drawn. A square that is mirrored from left to right, between two squares that
// are not mirrored, still shows its front, also after its skin was set. A square that is mirrored
// from front to back shows its back and is not drawn.
TEST_SQUARE (gl_mirrored_placements_show_their_front) {
    static const md5_mat34 left_to_right = {{1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 0}};
    static const md5_mat34 front_to_back = {{-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    const md5_mat34 row[3] = {scene_moved(0, -50, 0), left_to_right, scene_moved(0, 50, 0)};
    const uint8_t *const white = scene_sideways(1, 1, 1).rgba;
    gl_picture picture;
    stage_draw_posed(stage, scene_identities, row, 3, &picture);
    for (int right = -50; right <= 50; right += 50)
        CHECK_PIXEL(&picture, right, 0, white, 1);
    stage_draw_posed(stage, scene_identities, &front_to_back, 1, &picture);
    CHECK_PIXEL(&picture, 0, 0, gl_black, 0);
}

// A floor of 45 degrees that is scaled to a sixth of its height is nearly flat: its normal
// approaches the vertical. Without cofactors it would approach the horizontal.
TEST_SQUARE (gl_placements_scale_unevenly) {
    const float s = sqrtf(0.5f);
    const md5_mat34 slope = {{s, 0, -s, 0, 0, 1, 0, 0, s, 0, s, 0}}; // x to x and z
    md5_mat34 flat = slope;
    for (int i = 8; i < 11; i++)
        flat.m[i] /= 6;
    const md5_mat34 rotated = {{1, 0, -6, 0, 0, sqrtf(37), 0, 0, 6, 0, 1, 0}};
    md5_mat34 same = rotated; // divided by its scale: a rotation to the same direction
    for (int i = 0; i < 11; i++)
        same.m[i] /= sqrtf(37);
    gl_picture uneven;
    gl_picture even;
    scene_look_down(&stage->frame);
    stage->frame.light_direction = (md5_vec3){1, 0, 0};
    stage_light(stage, 0.5f, 0.25f);
    stage_draw_posed(stage, scene_identities, &flat, 1, &uneven);
    stage_draw_posed(stage, scene_identities, &same, 1, &even);
    CHECK_PIXEL(&uneven, 0, 0, picture_at(&even, 0, 0), 1);
}

TEST_STAGE (gl_key_light_shines_from_its_direction, scene_floor, 1) {
    gl_picture above;
    gl_picture aslant;
    gl_picture below;
    scene_look_down(&stage->frame);
    stage_light(stage, 0.5f, 0);
    stage->frame.light_direction = (md5_vec3){0, 0, 7}; // any length
    stage_draw(stage, MD5GL_LIT, &above);
    stage->frame.light_direction = (md5_vec3){0, 4, 2};
    stage_draw(stage, MD5GL_LIT, &aslant);
    stage->frame.light_direction = (md5_vec3){0, 0, -1};
    stage_draw(stage, MD5GL_LIT, &below);
    const int high = picture_at(&above, 0, 0)[0];
    const int low = picture_at(&aslant, 0, 0)[0];
    CHECK(high >= 188); // 0.5 in linear color, plus a highlight
    CHECK(high - low > 25 && low > 60);
    CHECK_PIXEL(&below, 0, 0, gl_black, 0);
}

// All mipmap levels exist. Levels whose texels are larger than a cell contain the mean of both
// grays in linear color: 138 is 0.2542 and 196 is 0.5520.
TEST_SQUARE (gl_checker_is_even_at_a_distance) {
    gl_picture picture;
    STAGE_MATERIAL(stage, .diffuse = md5gl_checker_texture(stage->renderer));
    stage_draw(stage, MD5GL_LIT, &picture);
    CHECK_PIXEL(&picture, -18, 18, scene_sideways(0.2542, 0.2542, 0.2542).rgba, 8);
    for (int i = 0; i < 12; i++)
        stage->frame.clip_from_view.m[i] *= 0.07f; // 128 texels on 2.8 pixels
    stage_draw(stage, MD5GL_LIT, &picture);
    CHECK_PIXEL(&picture, 0, 0, scene_sideways(0.4031, 0.4031, 0.4031).rgba, 3);
}

// Checks that the left half of a square is kept and the right half is cut out, although neither is
// fully opaque or fully transparent.
static void check_holes(uint32_t samples)
{
    static const uint8_t image[16] = {255, 255, 255, 170, 255, 255, 255, 90,
                                      255, 255, 255, 170, 255, 255, 255, 90};
    gl_stage stage;
    gl_picture picture;
    if (!scene_open_stage(&stage, scene_square, samples))
        return;
    paint(&stage, 2, 2, image);
    stage.frame.background[3] = 0;
    stage_draw(&stage, MD5GL_LIT, &picture);
    CHECK_PIXEL(&picture, -10, 0, scene_sideways(1, 1, 1).rgba, 1);
    CHECK_PIXEL(&picture, 10, 0, (uint8_t[4]){0, 0, 0, 0}, 0);
    // Alpha crosses 0.5 a little to the right of the middle, between the texels' centers.
    unsigned num_partial = 0;
    for (int right = -15; right < 15; right++) {
        const uint8_t alpha = picture_at(&picture, right, 5)[3];
        num_partial += alpha > 0 && alpha < 255;
        CHECK(right < 0 ? alpha == 255 : right < 2 || alpha == 0);
    }
    CHECK(samples > 1 ? num_partial <= 2 : num_partial == 0);
    scene_close_stage(&stage);
}

TEST (gl_texels_below_half_alpha_are_cut_out) {
    check_holes(1);
    check_holes(4);
}

// Two of five texels are opaque, so a small mipmap level has a mean alpha of 0.4, below the
// threshold of 0.5. The square must not be cut out.
TEST_SQUARE (gl_fine_hair_does_not_vanish_at_a_distance) {
    static uint8_t image[256][256][4];
    gl_picture picture;
    memset(image, 255, sizeof image);
    for (int y = 0; y < 256; y++) {
        for (int x = 0; x < 256; x++)
            image[y][x][3] = (x + y) % 5 < 2 ? 255 : 0;
    }
    paint(stage, 256, 256, image[0][0]);
    stage_draw(stage, MD5GL_LIT, &picture);
    CHECK_PIXEL(&picture, 0, 0, scene_sideways(1, 1, 1).rgba, 1);
}

TEST_SQUARE (gl_untextured_is_gray_and_hidden_meshes_are_not_drawn) {
    static const uint8_t red[4] = {255, 0, 0, 255};
    gl_picture picture;
    paint(stage, 1, 1, red);
    stage_draw(stage, MD5GL_LIT | MD5GL_UNTEXTURED, &picture);
    const uint8_t *const gray = picture_at(&picture, 0, 0);
    CHECK(gray[0] > 80 && gray[0] < 200 && abs(gray[0] - gray[1]) < 12);
    md5gl_set_visible(stage->copy, 0, false);
    stage_draw(stage, MD5GL_LIT, &picture);
    CHECK_PIXEL(&picture, 0, 0, gl_black, 0);
    md5gl_set_visible(stage->copy, 0, true);
    stage_draw(stage, MD5GL_LIT, &picture);
    CHECK_PIXEL(&picture, 0, 0, scene_sideways(1, 0, 0).rgba, 1);
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
    stage_draw_posed(stage, palettes, placements, 3, picture);
}

static void check_three(const gl_picture *picture)
{
    const gl_color lit = scene_sideways(1, 1, 1);
    CHECK_PIXEL(picture, -50, 17, lit.rgba, 1);
    CHECK_PIXEL(picture, -32, -17, lit.rgba, 1);
    CHECK_PIXEL(picture, -28, 0, gl_black, 0);
    CHECK_PIXEL(picture, 0, 0, gl_black, 0);
    CHECK_PIXEL(picture, 32, 0, lit.rgba, 1);
    CHECK_PIXEL(picture, 50, 8, lit.rgba, 1);
    CHECK_PIXEL(picture, 50, 12, gl_black, 0); // its upper edge is at 20 - 20 + 10
    CHECK_PIXEL(picture, 50, -8, lit.rgba, 1);
    CHECK_PIXEL(picture, 50, -12, gl_black, 0);
}

TEST_SQUARE (gl_instances_use_their_placements) {
    gl_picture complete;
    gl_picture split;
    draw_three(stage, scene_identity, &complete);
    check_three(&complete);
    // With a limit of two palettes (15 texels), the three instances take two draws. With one
    // palette (6 texels) they take three draws.
    *scene_limits(stage->renderer).max_texels = 15;
    draw_three(stage, scene_identity, &split);
    CHECK_BYTES(&complete, &split, sizeof complete);
    *scene_limits(stage->renderer).max_texels = 6;
    draw_three(stage, scene_identity, &split);
    CHECK_BYTES(&complete, &split, sizeof complete);
}

TEST_SQUARE (gl_every_path_draws_the_same_picture) {
    gl_picture by_path[3];
    for (int i = 0; i < 3; i++) {
        const md5gl_path path = (md5gl_path)(MD5GL_PATH_4 + i);
        stage_use_path(stage, path);
        CHECK(md5gl_mesh_path(stage->copy, 0, NULL) == path);
        draw_three(stage, scene_moved(0, 0, 0.001f), &by_path[i]);
        check_three(&by_path[i]);
    }
}

// -- Background and samples -------------------------------------------------------------------

TEST_STAGE (gl_transparent_background_has_straight_alpha, scene_square, 4) {
    gl_picture picture;
    const md5_mat34 rotated = {{1, 0, 0, 0, 0, 0.866f, -0.5f, 0, 0, 0.5f, 0.866f, 0}};
    const md5_mat34 palette[2] = {rotated, rotated};
    memset(stage->frame.background, 0, sizeof stage->frame.background);
    stage_draw_posed(stage, palette, NULL, 1, &picture);

    CHECK_PIXEL(&picture, -50, 0, (uint8_t[4]){0, 0, 0, 0}, 0);
    // If the edge covers a part of a pixel, alpha is the coverage. The color is the color of the
    // square, except for the rounding error of a division by a small 8-bit alpha.
    unsigned num_partial = 0;
    unsigned num_full = 0;
    for (int y = 0; y < SCENE_HEIGHT; y++) {
        for (int x = 0; x < SCENE_WIDTH; x++) {
            const uint8_t *const pixel = picture.rgba[y][x];
            const gl_color lit = scene_sideways(1, 1, 1);
            num_full += pixel[3] == 255;
            num_partial += pixel[3] > 0 && pixel[3] < 255;
            if (pixel[3] > 0) {
                for (int i = 0; i < 3; i++)
                    CHECK(abs(pixel[i] - lit.rgba[i]) <= 1 + 255 / pixel[3]);
            }
        }
    }
    // 40 * 40 pixels, without the edge if the device supports partial coverage.
    const bool multisampled = scene_limits(stage->renderer).max_samples > 1;
    CHECK(num_full > 1400 && num_full <= (multisampled ? 1600 : 1700));
    CHECK(multisampled ? num_partial > 60 && num_partial < 260 : num_partial == 0);
}

// Computes the mean of each pixel's samples, like a blit.
TEST_STAGE (gl_samples_are_averaged, scene_square, 4) {
    static gl_picture renderer_picture;
    static gl_picture copied;
    const GladGLContext *const gl = scene_gl(stage->renderer);
    const md5_mat34 rotated = {{1, 0, 0, 0, 0, 0.866f, -0.5f, 0, 0, 0.5f, 0.866f, 0}};
    const md5_mat34 palette[2] = {rotated, rotated};
    md5gl_target *const plain =
        md5gl_create_target(stage->renderer, SCENE_WIDTH, SCENE_HEIGHT, 1, NULL);
    stage_draw_posed(stage, palette, NULL, 1, &renderer_picture);
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, md5gl_get_target_names(stage->target).framebuffer);
    gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, md5gl_get_target_names(plain).framebuffer);
    gl->BlitFramebuffer(0, 0, SCENE_WIDTH, SCENE_HEIGHT, 0, 0, SCENE_WIDTH, SCENE_HEIGHT,
                        GL_COLOR_BUFFER_BIT, GL_NEAREST);
    CHECK(md5gl_read_pixels(stage->renderer, plain, SCENE_WIDTH, SCENE_HEIGHT, copied.rgba[0][0],
                            NULL));
    CHECK(memcmp(&renderer_picture, &copied, sizeof renderer_picture) == 0);
    CHECK(picture_at(&renderer_picture, 0, 0)[0] > 0);
    md5gl_destroy_target(stage->renderer, plain);
}

TEST_SQUARE (gl_background_is_as_given) {
    gl_picture picture;
    const float background[4] = {0.2f, 0.4f, 0.6f, 0.5f};
    memcpy(stage->frame.background, background, sizeof background);
    stage_begin(stage);
    stage_finish(stage, &picture);
    // Premultiplied storage in steps of 1/255 leaves steps of two at half alpha.
    CHECK_PIXEL(&picture, 3, 4, (uint8_t[4]){51, 102, 153, 128}, 2);
}

TEST_SQUARE (gl_default_framebuffer_is_drawn_and_read) {
    gl_picture picture;
    stage->frame.target = NULL;
    const md5_mat34 palette[2] = {scene_moved(0, 0, 25), scene_moved(0, 0, 25)};
    stage_draw_posed(stage, palette, NULL, 1, &picture);
    CHECK_PIXEL(&picture, 0, 43, scene_sideways(1, 1, 1).rgba, 1); // top row first
    CHECK_PIXEL(&picture, 0, -43, gl_black, 0);
}

// -- Mipmap ---------------------------------------------------------------------------------------

// Compares the renderer's mipmaps with the mean of the area that a texel covers, in double
// precision.

enum { MAX_SIDE = 40 };

static double srgb_to_linear(double byte)
{
    const double value = byte / 255.0;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static double linear_to_srgb(double linear)
{
    return 255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055);
}

// Returns the part of texel `index` that is covered by texel `at` of `half`, in texels along one
// side.
static double covered(uint32_t side, uint32_t half, uint32_t at, uint32_t index)
{
    const double width = (double)side / half;
    const double from = at * width;
    const double to = from + width;
    const double begin = from > index ? from : index;
    const double end = to < index + 1.0 ? to : index + 1.0;
    return end > begin ? end - begin : 0;
}

// A level of a texture: four bytes per texel.
typedef struct texture_level {
    uint32_t width;
    uint32_t height;
    uint8_t rgba[4 * MAX_SIDE * MAX_SIDE];
} texture_level;

// Returns the mean of a channel over the area of a texel of the next level.
static double area_mean(const texture_level *level, const texture_level *next, uint32_t x,
                        uint32_t y, uint32_t channel, bool is_srgb)
{
    double sum = 0;
    double complete = 0;
    for (uint32_t v = 0; v < level->height; v++) {
        for (uint32_t u = 0; u < level->width; u++) {
            const double covered_area = covered(level->width, next->width, x, u)
                                        * covered(level->height, next->height, y, v);
            const double byte = level->rgba[4 * ((size_t)v * level->width + u) + channel];
            sum += covered_area * (is_srgb ? srgb_to_linear(byte) : byte);
            complete += covered_area;
        }
    }
    return is_srgb ? linear_to_srgb(sum / complete) : sum / complete;
}

// Every byte must be nearest to the mean. Linear color has 16 bits, so its error is a thousandth of
// a byte, and a fortieth where sRGB is steepest.
static void check_half(const texture_level *level, const texture_level *half, bool is_srgb)
{
    for (uint32_t i = 0; i < 4 * half->width * half->height; i++) {
        const uint32_t x = i / 4 % half->width;
        const uint32_t y = i / 4 / half->width;
        const double mean = area_mean(level, half, x, y, i % 4, is_srgb && i % 4 < 3);
        CHECK_NEAR(half->rgba[i], mean, is_srgb ? 0.525 : 0.500001);
    }
}

// Creates a texture of random texels and compares each level with the level before it.
static void check_levels(const gl_scene *scene, uint32_t width, uint32_t height, bool is_srgb,
                         uint64_t seed)
{
    static texture_level levels[2];
    texture_level *level = &levels[0];
    texture_level *half = &levels[1];
    *level = (texture_level){.width = width, .height = height};
    for (size_t i = 0; i < sizeof level->rgba; i++)
        level->rgba[i] = (uint8_t)(test_random_u32(&seed) % (i % 64 < 32 ? 256 : 24));
    const md5gl_texture texture =
        scene_texture(scene->renderer, is_srgb ? MD5GL_TEXTURE_COLOR : MD5GL_TEXTURE_STAGE, width,
                      height, level->rgba, NULL);
    for (int number = 1; level->width > 1 || level->height > 1; number++) {
        half->width = level->width > 1 ? level->width / 2 : 1;
        half->height = level->height > 1 ? level->height / 2 : 1;
        scene_read_level(scene, texture, number, half->width, half->height, half->rgba);
        check_half(level, half, is_srgb);
        texture_level *const last = level;
        level = half;
        half = last;
    }
    md5gl_destroy_texture(scene->renderer, texture);
}

TEST_SCENE (gl_mipmaps_are_means_of_areas) {
    static const uint32_t sides[][2] = {{16, 8}, {7, 6}, {6, 7}, {13, 5}, {1, 9},
                                        {8, 1},  {3, 3}, {2, 2}, {39, 40}};
    for (size_t i = 0; i < COUNT_OF(sides); i++) {
        check_levels(scene, sides[i][0], sides[i][1], false, i);
        check_levels(scene, sides[i][0], sides[i][1], true, i + 100);
    }
}

// The mean of four equal texels is this texel.
TEST_SCENE (gl_mipmaps_keep_every_value_of_srgb) {
    enum { VALUES = 256 };
    static uint8_t texels[2][2 * VALUES][4];
    static uint8_t half[VALUES][4];
    for (int x = 0; x < 2 * VALUES; x++) {
        memset(texels[0][x], x / 2, sizeof texels[0][x]);
        memset(texels[1][x], x / 2, sizeof texels[1][x]);
    }
    const md5gl_texture texture =
        scene_texture(scene->renderer, MD5GL_TEXTURE_COLOR, 2 * VALUES, 2, texels[0][0], NULL);
    scene_read_level(scene, texture, 1, VALUES, 1, half[0]);
    for (int value = 0; value < VALUES; value++) {
        for (int i = 0; i < 4; i++)
            CHECK_UINT(half[value][i], (uint64_t)value);
    }
    md5gl_destroy_texture(scene->renderer, texture);
}

// A texture has all levels: black and white cells of one texel are gray in level 1, and each cell
// of 2 x 1 texels of the last two levels too. 188 is half of white in linear color.
TEST_SCENE (gl_textures_have_all_levels) {
    uint8_t texels[8][4][4];
    for (int i = 0; i < 32; i++)
        memset(texels[i / 4][i % 4], (i / 4 + i) % 2 ? 255 : 0, 4);
    const md5gl_texture texture =
        scene_texture(scene->renderer, MD5GL_TEXTURE_COLOR, 4, 8, texels[0][0], NULL);
    for (int level = 1; level < 4; level++) {
        uint8_t back[8][4] = {{0}};
        scene_read_level(scene, texture, level, level == 1 ? 2 : 1, 8u >> level, back[0]);
        CHECK(back[0][0] == 188 && back[0][1] == 188 && back[0][2] == 188 && back[0][3] == 128);
    }
    md5gl_destroy_texture(scene->renderer, texture);
}

// -- Skinning paths -------------------------------------------------------------------------------

// Compares the paths that AUTO does not select with the CPU and with the images of the other paths.

enum { NUM_JOINTS = 30, NUM_VERTICES = 300 };

// Captures a model of one mesh on a path. Positions and normals must be within 1e-3 of md5_skin().
static void check_exact(const gl_scene *scene, const md5_model *model, md5gl_path path)
{
    uint64_t random = 4;
    const md5_mesh *const mesh = &model->meshes[0];
    md5_mat34 palette[NUM_JOINTS];
    md5_vec3 cpu[NUM_VERTICES];
    md5_vec3 cpu_normals[NUM_VERTICES];
    md5_vec3 gpu[NUM_VERTICES];
    md5_vec3 gpu_normals[NUM_VERTICES];
    md5_vec4 cpu_tangents[NUM_VERTICES];
    md5_vec4 gpu_tangents[NUM_VERTICES];
    for (int i = 0; i < NUM_JOINTS; i++)
        palette[i] = scene_rotation(&random);
    md5gl_model *const copy = md5gl_create_model(scene->renderer, model, path, NULL);
    CHECK(copy && md5gl_mesh_path(copy, 0, NULL) == path);
    CHECK_STRING(scene_path_reason(copy, 0), "requested");
    CHECK(md5gl_capture(scene->renderer, copy, 0, palette, gpu, gpu_normals, gpu_tangents, NULL));
    md5_skin(mesh, palette, cpu, cpu_normals, cpu_tangents);
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        CHECK_SMALL(real_distance(cpu[i], gpu[i]), 1e-3);
        CHECK_SMALL(real_distance(cpu_normals[i], gpu_normals[i]), 1e-3);
        CHECK_NEAR(cpu_tangents[i].x, gpu_tangents[i].x, 1e-3);
        CHECK_EXACT(cpu_tangents[i].w, gpu_tangents[i].w);
    }
    md5gl_destroy_model(scene->renderer, copy);
}

TEST_UNSHARED_SCENE (gl_other_paths_agree_with_the_cpu) {
    uint64_t random = 17;
    SCOPED_MODEL model = scene_cloud(NUM_JOINTS, NUM_VERTICES, 9, true, &random);
    check_exact(scene, model, MD5GL_PATH_CPU);
    if (md5gl_has_path(scene->renderer, MD5GL_PATH_COMPUTE))
        check_exact(scene, model, MD5GL_PATH_COMPUTE);
}

// Draws three instances with different palettes and placements, then one without a placement, with
// its edges.
static void path_draw_three(gl_stage *stage, md5gl_model *copy, gl_picture *picture)
{
    const md5_mat34 palettes[6] = {scene_moved(0, 0, 3), scene_identity, scene_identity,
                                   scene_moved(0, 5, 0), scene_identity, scene_moved(0, 0, -20)};
    const md5_mat34 placements[3] = {scene_moved(0, -50, 0), scene_moved(9, 10, 30),
                                     scene_moved(3, 50, 10)};
    stage_begin(stage);
    CHECK(scene_pose_and_draw(stage->renderer, copy, palettes, placements, 3, MD5GL_LIT, NULL));
    CHECK(scene_pose_and_draw(stage->renderer, copy, palettes, NULL, 1, MD5GL_LIT | MD5GL_WIREFRAME,
                              NULL));
    stage_finish(stage, picture);
}

// Counts different pixels, and checks that the image is not empty.
static unsigned count_differences(const gl_picture *a, const gl_picture *b)
{
    unsigned count = 0;
    unsigned lit = 0;
    for (int y = 0; y < SCENE_HEIGHT; y++) {
        for (int x = 0; x < SCENE_WIDTH; x++) {
            lit += a->rgba[y][x][0] > 100;
            for (int i = 0; i < 3; i++)
                count += abs(a->rgba[y][x][i] - b->rgba[y][x][i]) > 2;
        }
    }
    CHECK(lit > 1500);
    return count;
}

TEST_SQUARE (gl_other_paths_draw_the_same_crowd) {
    gl_picture expected;
    gl_picture picture;
    md5gl_renderer *const renderer = stage->renderer;
    const uint32_t max_texels = *scene_limits(renderer).max_texels;
    path_draw_three(stage, stage->copy, &expected);
    for (md5gl_path path = MD5GL_PATH_CPU; path <= MD5GL_PATH_COMPUTE; path++) {
        if (!md5gl_has_path(renderer, path))
            continue;
        md5gl_model *const copy = md5gl_create_model(renderer, stage->model, path, NULL);
        for (uint32_t texels = 6; texels <= 18; texels += 6) {
            *scene_limits(renderer).max_texels = texels; // one, two, three palettes
            path_draw_three(stage, copy, &picture);
            CHECK_UINT(count_differences(&expected, &picture), 0);
        }
        *scene_limits(renderer).max_texels = max_texels;
        md5gl_destroy_model(renderer, copy);
    }
}

// An instance is posed once and drawn twice. After posing without instances nothing is drawn.
TEST_SQUARE (gl_a_pose_is_kept_until_the_next) {
    static const uint8_t black[4] = {0, 0, 0, 255};
    gl_picture first;
    gl_picture second;
    stage_pose(stage, scene_identities, NULL, 1);
    for (int i = 0; i < 2; i++) {
        stage_begin(stage);
        md5gl_draw_model(stage->renderer, stage->copy, MD5GL_LIT);
        stage_finish(stage, i == 0 ? &first : &second);
    }
    CHECK_PIXEL(&first, 0, 0, scene_sideways(1, 1, 1).rgba, 1);
    CHECK_BYTES(&first, &second, sizeof first);
    stage_pose(stage, NULL, NULL, 0);
    stage_begin(stage);
    md5gl_draw_model(stage->renderer, stage->copy, MD5GL_LIT);
    stage_finish(stage, &first);
    CHECK_PIXEL(&first, 0, 0, black, 0);
}

// The simulated device has texture buffers that are too small for the palette.
TEST_SQUARE (gl_data_beyond_texture_buffers_is_skinned_on_the_cpu) {
    gl_picture expected;
    gl_picture picture;
    stage_draw(stage, MD5GL_LIT, &expected);
    *scene_limits(stage->renderer).max_texels = 5; // less than two joints' six rows
    md5gl_model *const copy =
        md5gl_create_model(stage->renderer, stage->model, MD5GL_PATH_AUTO, NULL);
    CHECK(copy && md5gl_mesh_path(copy, 0, NULL) == MD5GL_PATH_CPU);
    CHECK(strstr(scene_path_reason(copy, 0), "too small"));
    scene_draw(&stage->scene, &stage->frame, copy, MD5GL_LIT, &picture);
    CHECK_UINT(count_differences(&expected, &picture), 0);
    md5gl_destroy_model(stage->renderer, copy);
}

TEST_UNSHARED_SCENE (gl_unsupported_path_is_refused) {
    md5_error error = {0};
    SCOPED_MODEL model = scene_square();
    const bool had = *scene_limits(scene->renderer).has_compute;
    *scene_limits(scene->renderer).has_compute = false;
    CHECK(!md5gl_has_path(scene->renderer, MD5GL_PATH_COMPUTE));
    CHECK(md5gl_has_path(scene->renderer, MD5GL_PATH_CPU));
    CHECK_SAYS(md5gl_create_model(scene->renderer, model, MD5GL_PATH_COMPUTE, &error), error,
               MD5_ERROR_GPU, "4.3");
    *scene_limits(scene->renderer).has_compute = had;
}

TEST_SQUARE (gl_draws_a_model_without_meshes) {
    static const char text[] = "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 0\n"
                               "joints {\n\"only\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n";
    const md5_mat34 palette = scene_identity;
    md5_error error = {0};
    gl_picture picture;
    md5gl_renderer *const renderer = stage->renderer;
    SCOPED_MODEL model = text_model(text, NULL);
    md5gl_model *const copy = md5gl_create_model(renderer, model, MD5GL_PATH_AUTO, &error);
    CHECK_DONE(copy, error);
    stage->frame.casters = stage->model->bounds;
    stage_begin(stage);
    CHECK(scene_pose(renderer, copy, &palette, NULL, 1, NULL));
    md5gl_draw_shadows(renderer, copy);
    md5gl_draw_model(renderer, copy, MD5GL_LIT | MD5GL_WIREFRAME);
    stage_finish(stage, &picture);
    md5gl_destroy_model(renderer, copy);
}
