// Overlays: edges, lines, the ground grid, the panel and images.
#include "test/render/test_gl_stages.h"

static const uint8_t overlay_black[4] = {0, 0, 0, 255};
static const uint8_t overlay_white[4] = {255, 255, 255, 255};

TEST_SQUARE (gl_wireframe_shows_edges) {
    gl_picture alone;
    gl_picture over;
    gl_picture plain;
    stage_draw(stage, MD5GL_LIT, &plain);
    stage_draw(stage, MD5GL_WIREFRAME, &alone);
    stage_draw(stage, MD5GL_LIT | MD5GL_WIREFRAME, &over);
    CHECK_PIXEL(&alone, -10, -9, overlay_black, 0);
    CHECK_PIXEL(&over, -10, -9, scene_sideways(1, 1, 1).rgba, 1);
    // The diagonal runs from the upper left to the lower right corner. If a line passes exactly
    // between two pixels, GL lets drivers select either.
    unsigned num_bright = 0;
    unsigned num_dark = 0;
    for (int i = -15; i < 15; i++) {
        bool bright = false;
        bool dark = false;
        for (int up = -i - 2; up <= -i; up++) {
            bright = bright || picture_at(&alone, i, up)[2] > 100;
            dark = dark || picture_at(&over, i, up)[1] + 60 < picture_at(&plain, i, up)[1];
        }
        num_bright += bright;
        num_dark += dark;
    }
    CHECK_UINT(num_bright, 30);
    CHECK_UINT(num_dark, 30);
}

// Puts the eye 45 degrees above the side that scene_frame() looks at.
static void look_from_above(md5gl_frame *frame)
{
    const float s = 0.70710678f;
    frame->view_from_world = (md5_mat44){{0, -s, s, 0, 1, 0, 0, 0, 0, s, s, 0, 0, 0, 0, 1}};
}

// One step of 24 bits of depth at 0.625, -128 units towards the eye. The depth range is 1024 units.
static const float depth_step = 1.0f / 16384.0f;
static void measure_in_steps(md5gl_frame *frame)
{
    frame->clip_from_view.m[10] = -1.0f / 512.0f;
}

// Draws a diagonal line `behind` units behind the surface. Returns the number of columns, of 20, in
// which it is darker than the surface.
static unsigned count_edge(gl_stage *stage, float x, float behind, md5_vec3 back)
{
    gl_picture picture;
    unsigned count = 0;
    md5gl_renderer *const renderer = stage->renderer;
    const md5_mat34 palette[2] = {scene_identity, scene_identity};
    const md5_mat34 at = scene_moved(x, 0, 0);
    const md5_mat34 edges = scene_moved(x - behind * back.x, 0, -behind * back.z);
    md5gl_begin_frame(renderer, &stage->frame);
    CHECK(scene_pose_and_draw(renderer, stage->copy, palette, &at, 1, MD5GL_LIT, NULL));
    CHECK(scene_pose_and_draw(renderer, stage->copy, palette, &edges, 1, MD5GL_WIREFRAME, NULL));
    scene_finish(&stage->scene, &stage->frame, &picture);
    const int lit = scene_sideways(1, 1, 1).rgba[1];
    for (int right = -10; right < 10; right++) {
        bool is_dark = false;
        for (int up = -12; up < 12; up++)
            is_dark = is_dark || abs(picture_at(&picture, right, up)[1] - lit) > 30;
        count += is_dark;
    }
    return count;
}

// An edge is drawn in front of its surface, although depths are rounded and its pixels are next to
// the surface.
TEST_STAGE (gl_edges_are_in_front_of_their_surface, scene_square, 1) {
    measure_in_steps(&stage->frame);
    CHECK_UINT(count_edge(stage, -128, depth_step, (md5_vec3){1, 0, 0}), 20);
    look_from_above(&stage->frame);
    // OpenGL ES moves edges only by a fraction of the depth, independent of the slope
    if (!scene_wants_es())
        CHECK_UINT(count_edge(stage, 0, 0.4f, (md5_vec3){0.7071f, 0, 0.7071f}), 20);
}

// A plane is farther away than surfaces in the same plane: by a step of depth, and on a slope by
// the slope per pixel.
TEST_STAGE (gl_planes_are_behind_surfaces_in_them, scene_floor, 1) {
    gl_picture picture;
    md5gl_renderer *const renderer = stage->renderer;
    const md5_mat34 palette[2] = {scene_identity, scene_identity};
    for (int sloping = 0; sloping < 2; sloping++) {
        const md5_mat34 at = scene_moved(0, 0, sloping ? 0 : -128);
        if (sloping)
            look_from_above(&stage->frame);
        else
            scene_look_down(&stage->frame);
        measure_in_steps(&stage->frame);
        for (int i = 0; i < 2; i++) {
            const float above = sloping ? 0.5f : depth_step;
            md5gl_begin_frame(renderer, &stage->frame);
            CHECK(scene_pose_and_draw(renderer, stage->copy, palette, &at, 1, MD5GL_LIT, NULL));
            md5gl_draw_floor(renderer, at.m[11] + (i == 0 ? above : 3 * above), (md5_vec3){0, 0, 0},
                             300, UINT32_MAX);
            scene_finish(&stage->scene, &stage->frame, &picture);
            unsigned num_covered = 0;
            for (int right = -10; right < 10; right++) {
                for (int up = -10; up < 10; up++)
                    num_covered += picture_at(&picture, right, up)[2] < 200;
            }
            CHECK_UINT(num_covered, i == 0 ? 0 : 400);
        }
    }
}

static const md5gl_line_vertex level_line[2] = {
    {{-10, -50, 0}, {255, 255, 0, 255}},
    {{-10, 50, 0}, {255, 255, 0, 255}},
};

// Returns how many pixels a line covers in a column.
static double column_width(const gl_picture *picture, int right)
{
    double sum = 0;
    for (int up = -30; up < 30; up++)
        sum += picture_at(picture, right, up)[0] / 255.0;
    return sum;
}

TEST_SQUARE (gl_lines_have_width_and_round_ends) {
    gl_picture picture;
    for (int width = 1; width <= 9; width += 4) {
        stage_begin(stage);
        md5gl_draw_lines(stage->renderer, level_line, 2, (float)width, false);
        stage_finish(stage, &picture);
        CHECK_NEAR(column_width(&picture, 0), width, 0.1);
        CHECK_NEAR(column_width(&picture, -45), width, 0.1);
        CHECK_SMALL(column_width(&picture, 50 + width), 0.1);
    }
    const double full = column_width(&picture, 49);
    const double end = column_width(&picture, 53);
    CHECK(end < full - 1 && end > 1); // round, beyond the end point
    CHECK(picture_at(&picture, 0, 0)[1] == 255 && picture_at(&picture, 0, 0)[2] == 0);
}

TEST_SQUARE (gl_models_hide_lines_unless_on_top) {
    gl_picture picture;
    for (int on_top = 0; on_top < 2; on_top++) {
        stage_begin(stage);
        scene_pose_and_draw(stage->renderer, stage->copy, scene_identities, NULL, 1, MD5GL_LIT,
                            NULL);
        md5gl_draw_lines(stage->renderer, level_line, 2, 5, on_top);
        stage_finish(stage, &picture);
        CHECK_PIXEL(&picture, 35, 0, level_line[0].rgba, 1);
        const gl_color lit = scene_sideways(1, 1, 1);
        CHECK_PIXEL(&picture, 0, 0, on_top ? level_line[0].rgba : lit.rgba, 1);
    }
}

// A line from a point in front of the eye to a point far behind the eye must not be mirrored
// through the eye.
TEST_SQUARE (gl_lines_are_clipped_at_the_eye) {
    const md5gl_line_vertex before = {{0, 0, -10}, {255, 255, 255, 255}};
    const md5gl_line_vertex behind = {{1000, 0, -10}, {255, 255, 255, 255}}; // eye at x = 100
    const md5gl_line_vertex also_behind = {{500, 3, 5}, {255, 255, 255, 255}};
    const md5gl_line_vertex lines[2][4] = {{before, behind, behind, also_behind},
                                           {also_behind, behind, behind, before}};
    gl_picture picture;
    md5_mat44 *const clip = &stage->frame.clip_from_view;
    *clip = (md5_mat44){{0.75f, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1.002f, -1, 0, 0, -2.002f, 0}};
    stage->frame.view_from_world.m[14] = -100;
    for (int i = 0; i < 2; i++) {
        stage_begin(stage);
        md5gl_draw_lines(stage->renderer, lines[i], 4, 3, false);
        stage_finish(stage, &picture);
        // The end in front of the eye is 100 units away and 10 units below the middle of the image,
        // which is 60 * 10 / 100 pixels. From there the line leads to the lower border.
        CHECK_PIXEL(&picture, 0, -20, overlay_white, 1);
        CHECK_PIXEL(&picture, 0, -58, overlay_white, 1);
        unsigned num_outliers = 0;
        for (int up = -4; up < SCENE_HEIGHT / 2; up++) {
            for (int right = -SCENE_WIDTH / 2; right < SCENE_WIDTH / 2; right++)
                num_outliers += picture_at(&picture, right, up)[0] > 0;
        }
        CHECK_UINT(num_outliers, 0);
    }
}

TEST_SQUARE (gl_blended_overlays_do_not_write_depth) {
    const md5gl_line_vertex clear[2] = {{{50, -50, 0}, {255, 0, 0, 0}},
                                        {{50, 50, 0}, {255, 0, 0, 0}}};
    gl_picture picture;
    stage_begin(stage);
    md5gl_draw_lines(stage->renderer, clear, 2, 9, false);
    md5gl_draw_lines(stage->renderer, level_line, 2, 5, false);
    stage_finish(stage, &picture);
    CHECK_PIXEL(&picture, 0, 0, level_line[0].rgba, 1);
}

TEST_SQUARE (gl_grid_has_lines_at_cells_and_colored_axes) {
    gl_picture picture;
    scene_look_down(&stage->frame);
    stage_begin(stage);
    // The middle of the pixel to the right of a line is half a unit from it.
    md5gl_draw_grid(stage->renderer, 0, 20, (md5_vec3){0, 0, 0}, 300);
    stage_finish(stage, &picture);
    const uint8_t *const cell = picture_at(&picture, 31, 9);
    const uint8_t *const line = picture_at(&picture, 40, 9);
    const uint8_t *const x_axis = picture_at(&picture, 0, 9);
    const uint8_t *const y_axis = picture_at(&picture, 31, 0);
    CHECK(cell[0] == 0 && cell[1] == 0 && cell[2] == 0);
    CHECK(line[0] > 15 && line[1] > 15 && line[2] > 15);
    CHECK(x_axis[0] > 120 && x_axis[0] > 2 * x_axis[1]);  // red
    CHECK(y_axis[1] > 100 && y_axis[1] > y_axis[0] + 30); // green
    // A camera at the height of the grid sees it edge-on, so nothing is visible.
    scene_look_from_behind(&stage->frame);
    stage_begin(stage);
    md5gl_draw_grid(stage->renderer, 0, 20, (md5_vec3){0, 0, 0}, 300);
    stage_finish(stage, &picture);
    CHECK_PIXEL(&picture, 31, 9, overlay_black, 0); // edge-on
}

TEST_SQUARE (gl_grid_fades_towards_its_radius) {
    gl_picture picture;
    scene_look_down(&stage->frame);
    stage_begin(stage);
    md5gl_draw_grid(stage->renderer, 0, 20, (md5_vec3){0, 0, 0}, 60);
    stage_finish(stage, &picture);
    const int near = picture_at(&picture, 8, 0)[1];
    const int middle = picture_at(&picture, 45, 0)[1];
    CHECK(near > middle + 20 && middle > 5);
    CHECK_PIXEL(&picture, 65, 0, overlay_black, 0);
}

TEST_SQUARE (gl_panel_is_in_pixels_from_the_top_left) {
    static const uint8_t half[2] = {255, 0};
    const md5gl_panel_vertex triangles[6] = {
        {10, 5, 0, 0, {255, 0, 0, 255}},  {50, 5, 1, 0, {255, 0, 0, 255}},
        {10, 25, 0, 1, {255, 0, 0, 255}}, {10, 25, 0, 1, {255, 0, 0, 255}},
        {50, 5, 1, 0, {255, 0, 0, 255}},  {50, 25, 1, 1, {255, 0, 0, 255}},
    };
    gl_picture picture;
    const md5gl_texture mask =
        stage_keep(stage, scene_texture(stage->renderer, MD5GL_TEXTURE_MASK, 2, 1, half, NULL));
    CHECK(mask != 0);
    for (int masked = 0; masked < 2; masked++) {
        stage_begin(stage);
        md5gl_draw_panel(stage->renderer, masked ? mask : 0, MD5GL_TEXTURE_MASK, triangles, 6);
        stage_finish(stage, &picture);
        CHECK(picture.rgba[5][10][0] == 255 && picture.rgba[24][10][0] == 255);
        CHECK(picture.rgba[4][10][0] == 0 && picture.rgba[5][9][0] == 0);
        CHECK(picture.rgba[25][10][0] == 0 && picture.rgba[5][50][0] == 0);
        CHECK(picture.rgba[24][49][0] == (masked ? 0 : 255));
        // Halfway between a covered and an empty texel, half of the color remains.
        if (masked)
            CHECK(abs(picture.rgba[15][30][0] - 128) < 12);
    }
}

TEST_SQUARE (gl_panel_blends_its_color) {
    const md5gl_panel_vertex triangle[3] = {
        {0, 0, 0, 0, {255, 255, 255, 64}},
        {100, 0, 0, 0, {255, 255, 255, 64}},
        {0, 100, 0, 0, {255, 255, 255, 64}},
    };
    gl_picture picture;
    stage->frame.background[0] = 1;
    stage_begin(stage);
    md5gl_draw_panel(stage->renderer, 0, MD5GL_TEXTURE_MASK, triangle, 3);
    stage_finish(stage, &picture);
    const uint8_t expected[4] = {255, 64, 64, 255};
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(picture.rgba[10][10][i], expected[i], 1);
}

static void set_gray(md5gl_panel_vertex *vertex, uint8_t gray)
{
    for (int c = 0; c < 3; c++)
        vertex->rgba[c] = gray;
}

// Four steps of 8 bits over the whole width have the computed values, on average over small
// squares; a constant color is unchanged.
TEST_SQUARE (gl_gradients_have_no_bands) {
    enum { SIDE = 16 };
    md5gl_panel_vertex triangles[6] = {
        {0, 0, 0, 0, {0, 0, 0, 255}},
        {SCENE_WIDTH, 0, 0, 0, {0, 0, 0, 255}},
        {0, SCENE_HEIGHT, 0, 0, {0, 0, 0, 255}},
    };
    triangles[3] = triangles[2];
    triangles[4] = triangles[1];
    triangles[5] = (md5gl_panel_vertex){SCENE_WIDTH, SCENE_HEIGHT, 0, 0, {0, 0, 0, 255}};
    gl_picture picture;
    for (int steps = 0; steps < 5; steps++) {
        for (int i = 0; i < 6; i++)
            set_gray(&triangles[i], (uint8_t)(100 + (triangles[i].x > 0.0f ? steps : 0)));
        stage_begin(stage);
        md5gl_draw_panel(stage->renderer, 0, MD5GL_TEXTURE_MASK, triangles, 6);
        stage_finish(stage, &picture);
        for (int left = 0; left < SCENE_WIDTH; left += SIDE) {
            double sum = 0.0;
            for (int y = 0; y < SIDE; y++) {
                for (int x = 0; x < SIDE; x++)
                    sum += picture.rgba[y][left + x][0];
            }
            CHECK_NEAR(sum / (SIDE * SIDE),
                       100.0 + steps * (left + 0.5 * (double)SIDE) / (double)SCENE_WIDTH,
                       steps == 0 ? 0.0 : 0.1);
        }
    }
}

// Texels are shown as they are in the file, opaque and unlit: colors are not decoded from sRGB,
// and neither are the directions of a normal map.
TEST_SQUARE (gl_image_shows_texels_of_its_file) {
    static const uint8_t texels[2][4] = {{200, 100, 20, 255}, {10, 128, 250, 3}};
    // The centers of the texels are the centers of pixels 30 and 70.
    const md5gl_panel_vertex triangles[6] = {
        {10.5f, 5, 0, 0, {255, 255, 255, 255}},  {90.5f, 5, 1, 0, {255, 255, 255, 255}},
        {10.5f, 25, 0, 1, {255, 255, 255, 255}}, {10.5f, 25, 0, 1, {255, 255, 255, 255}},
        {90.5f, 5, 1, 0, {255, 255, 255, 255}},  {90.5f, 25, 1, 1, {255, 255, 255, 255}},
    };
    gl_picture picture;
    const md5gl_texture images[2] = {
        stage_color(stage, 2, 1, texels[0]),
        stage_keep(stage, scene_normals(stage->renderer, 2, 1, texels[0], 0, NULL)),
    };
    for (int is_color = 0; is_color < 2; is_color++) {
        stage_begin(stage);
        md5gl_draw_panel(stage->renderer, images[1 - is_color],
                         is_color == 1 ? MD5GL_TEXTURE_COLOR : MD5GL_TEXTURE_NORMALS, triangles, 6);
        stage_finish(stage, &picture);
        for (int i = 0; i < 2; i++) {
            const uint8_t *const shown = picture.rgba[15][30 + 40 * i];
            for (int c = 0; c < 3; c++)
                CHECK_NEAR(shown[c], texels[i][c], 1);
            CHECK_UINT(shown[3], 255);
        }
        CHECK_UINT(picture.rgba[15][9][0], 0);
        stage_begin(stage);
        md5gl_draw_panel(stage->renderer, 0, MD5GL_TEXTURE_COLOR, triangles, 2); // no triangle
        md5gl_draw_panel(stage->renderer, 0, MD5GL_TEXTURE_COLOR, triangles, 3);
        stage_finish(stage, &picture);
        CHECK(picture.rgba[6][12][1] == 255 && picture.rgba[24][88][1] == 0);
    }
}

// -- Paints ---------------------------------------------------------------------------------------

// Colors of materials, which multiply diffuse and specular textures, against values computed here.

static double srgb_to_linear(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static double encoded(double linear)
{
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1.0 / 2.4) - 0.055;
}

// The floor is lit by the point lights from an index on. The expected light is computed for a
// vertical ray from each light.
TEST_SQUARE (gl_floor_is_lit_by_point_lights) {
    static const double sand[3] = {0.82, 0.64, 0.47};
    const md5gl_point_light lights[2] = {
        {.position = {0, -40, 25}, .range = 50, .color = {0.4f, 0.2f, 0.1f}},
        {.position = {0, 40, 25}, .range = 50, .color = {0.1f, 0.2f, 0.4f}}};
    gl_picture picture;
    scene_look_down(&stage->frame);
    stage->frame.point_lights = lights;
    stage->frame.num_point_lights = 2;
    for (int first = 0; first < 4; first++) {
        stage_begin(stage);
        md5gl_draw_floor(stage->renderer, 0, (md5_vec3){0, 0, 0}, 1e5f,
                         first < 3 ? (uint32_t)first : UINT32_MAX);
        stage_finish(stage, &picture);
        for (int i = 0; i < 2; i++) {
            for (int c = 0; c < 3; c++) {
                // (1 - 1/16)^2 / (1 + 16/4) at half the range.
                const double light =
                    i >= first ? 0.87890625 / 5.0 * (double)lights[i].color[c] : 0.0;
                CHECK_NEAR(picture_at(&picture, i == 0 ? -40 : 40, 0)[c],
                           255.0 * encoded(srgb_to_linear(sand[c]) * (1.0 + light)), 1.2);
            }
        }
    }
}

static void check_pixel(const gl_picture *picture, const double expected[3], int line)
{
    for (int i = 0; i < 3; i++)
        test_check(fabs(picture_at(picture, 0, 0)[i] - 255 * expected[i]) <= 2, __FILE__, line,
                   "channel %d is %d, expected %.1f", i, picture_at(picture, 0, 0)[i],
                   255 * expected[i]);
}

static const uint8_t texel[4] = {200, 150, 100, 255};
static const md5_vec3 red = {1, 0.4f, 0};
static const double reds[3] = {1, 0.4, 0};

// The classic light multiplies the numbers in the files. The light of the studio multiplies linear
// colors.
TEST_SQUARE (gl_paints_multiply_the_diffuse_texture) {
    gl_picture picture;
    const md5gl_texture diffuse = stage_color(stage, 1, 1, texel);
    STAGE_MATERIAL(stage, .diffuse = diffuse, .diffuse_color = red);
    for (int classic = 0; classic < 2; classic++) {
        double expected[3];
        stage->frame.lighting = classic ? MD5GL_LIGHTING_CLASSIC : MD5GL_LIGHTING_STUDIO;
        stage_light(stage, 0, 1);
        stage_draw(stage, MD5GL_LIT, &picture);
        for (int i = 0; i < 3; i++) {
            const double file = texel[i] / 255.0;
            const double color = reds[i];
            // The sky of the studio reaches a wall from above and, in part, from below.
            const double ground[3] = {0.40, 0.36, 0.33};
            const double sky = 0.5 + 0.5 * ground[i];
            expected[i] = classic ? file * color
                                  : encoded(srgb_to_linear(file) * srgb_to_linear(color) * sky);
        }
        check_pixel(&picture, expected, __LINE__);
    }
}

// A highlight that is seen straight: twice the specular map.
TEST_SQUARE (gl_paints_multiply_the_specular_map) {
    static const uint8_t black[4] = {0, 0, 0, 255};
    static const uint8_t dark[4] = {100, 80, 60, 255};
    gl_picture picture;
    const md5gl_texture diffuse = stage_color(stage, 1, 1, black);
    const md5gl_texture specular = stage_color(stage, 1, 1, dark);
    STAGE_MATERIAL(stage, .diffuse = diffuse, .specular = specular, .specular_color = red);
    stage->frame.lighting = MD5GL_LIGHTING_CLASSIC;
    stage->frame.light_direction = (md5_vec3){1, 0, 0};
    stage_light(stage, 1, 0);
    stage_draw(stage, MD5GL_LIT, &picture);
    double expected[3];
    for (int i = 0; i < 3; i++)
        expected[i] = 2.0 * dark[i] / 255.0 * reds[i];
    check_pixel(&picture, expected, __LINE__);
}

// Vertex colors: as they are, ignored, inverted; together with a color.
TEST_STAGE (gl_paints_are_multiplied_by_vertex_colors, layer_quad, 1) {
    static const md5_vec3 white = {2, 1, 1}; // with t up to 1
    gl_picture pictures[3];
    stage->frame.lighting = MD5GL_LIGHTING_CLASSIC;
    stage_light(stage, 0, 1);
    for (int i = 0; i < 3; i++) {
        STAGE_MATERIAL(stage, .is_opaque = true, .no_vertex_color = i == 1,
                       .inverse_vertex_color = i == 2, .diffuse_color = white);
        stage_draw(stage, MD5GL_LIT, &pictures[i]);
    }
    for (int i = 0; i < 3; i++) {
        const double original = srgb_to_linear(picture_at(&pictures[0], 0, 0)[i] / 255.0);
        const double inverted = srgb_to_linear(picture_at(&pictures[2], 0, 0)[i] / 255.0);
        CHECK(original > 0 && original < 1);
        CHECK_UINT(picture_at(&pictures[1], 0, 0)[i], 255);
        CHECK_NEAR(original + inverted, 1, 0.02);
    }
}
