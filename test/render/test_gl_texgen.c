// Stages whose texture coordinates are generated from directions or positions in the picture,
// against the CPU.
#include "test/render/test_gl_stages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 8 };

typedef struct sky {
    uint8_t rgba[6][SIDE * SIDE][4];
    md5gl_texture texture;
} sky;

static void make_sky(gl_stage *stage, sky *made)
{
    uint64_t random = 3;
    const uint8_t *sides[6];
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 4 * SIDE * SIDE; k++)
            made->rgba[i][k / 4][k % 4] = (uint8_t)(test_random_u32(&random) % 256);
        sides[i] = made->rgba[i][0];
    }
    made->texture = scene_stage_cube(stage->scene.renderer, SIDE, sides, true, NULL);
    CHECK(made->texture != 0);
}

// Returns the texel in a direction, by the table of the OpenGL specification, "Cube Map Texture
// Selection"; NULL near the border of two texels.
static const uint8_t *look(const sky *from, const double way[3])
{
    int axis = 0;
    for (int i = 1; i < 3; i++)
        axis = fabs(way[i]) > fabs(way[axis]) ? i : axis;
    const double sign = way[axis] < 0.0 ? -1.0 : 1.0, size = fabs(way[axis]);
    const double s = axis == 0 ? -sign * way[2] : axis == 1 ? way[0] : sign * way[0];
    const double t = axis == 1 ? sign * way[2] : -way[1];
    const double column = 0.5 * (s / size + 1.0) * (int)SIDE,
                 row = 0.5 * (t / size + 1.0) * (int)SIDE;
    if (fabs(column - round(column)) < 0.02 || fabs(row - round(row)) < 0.02)
        return NULL;
    return from->rgba[2 * axis + (sign < 0.0 ? 1 : 0)][(int)row * SIDE + (int)column];
}

// Draws the square at a placement with a stage.
static void draw(gl_stage *stage, const md5gl_stage *drawn, const md5_mat34 *place,
                 gl_picture *picture)
{
    const md5_mat34 palette[2] = {scene_identity, scene_identity};
    const md5gl_stage_list list = {.cull = MD5GL_CULL_NONE, .stages = drawn, .num_stages = 1};
    md5gl_renderer *const renderer = stage->scene.renderer;
    md5gl_begin_frame(renderer, &stage->frame);
    CHECK(scene_pose(renderer, stage->copy, palette, place, 1, NULL));
    CHECK(md5gl_draw_stages(renderer, stage->copy, MD5GL_STAGE_PASS_STAGES, &list, 1, NULL));
    scene_finish(&stage->scene, &stage->frame, picture);
}

static bool is_near(const uint8_t *pixel, const uint8_t *texel)
{
    for (int i = 0; i < 3; i++)
        if (abs(pixel[i] - texel[i]) > 2)
            return false;
    return true;
}

// 2 (N.E) N - E with E = (1, 0, 0)
static void reflect(const double normal[3], double reflected[3])
{
    for (int k = 0; k < 3; k++)
        reflected[k] = 2.0 * normal[0] * normal[k] - (k == 0 ? 1.0 : 0.0);
}

// The square, seen along -x by parallel rays, with random rotations: one direction for all of its
// pixels.
TEST_STAGE (gl_texgen_looks_along_normals_and_reflections, scene_square, 1) {
    uint64_t random = 11;
    gl_picture picture;
    sky around;
    int seen = 0;
    make_sky(stage, &around);
    md5gl_stage drawn = {
        .texture = around.texture, .source = MD5GL_FACTOR_ONE, .color = {1, 1, 1, 1}};
    for (int i = 0; i < 40; i++) {
        const md5_mat34 turned = scene_rotation(&random);
        const double normal[3] = {turned.m[0], turned.m[4], turned.m[8]}; // its x axis
        const double facing = normal[0];
        double reflected[3];
        reflect(normal, reflected);
        const bool reflects = i % 2 == 1;
        const uint8_t *const texel = look(&around, reflects ? reflected : normal);
        drawn.texgen = reflects ? MD5GL_TEXGEN_REFLECT : MD5GL_TEXGEN_NORMAL;
        if (fabs(facing) < 0.2 || texel == NULL)
            continue;
        draw(stage, &drawn, &turned, &picture);
        test_check(is_near(picture_at(&picture, 0, 0), texel), __FILE__, __LINE__, "turn %d", i);
        seen++;
    }
    CHECK(seen > 20);
    md5gl_destroy_texture(stage->scene.renderer, around.texture);
}

// A normal map of one direction, and a square that is rotated at random: the reflection is that of
// the map's normal, whose axes are the square's u (along its y), v (down its z) and normal (its x).
TEST_STAGE (gl_texgen_reflects_by_the_normal_map, scene_square, 1) {
    static const uint8_t texels[2][4] = {{180, 90, 220, 255}, {60, 150, 230, 255}};
    uint64_t random = 13;
    gl_picture picture;
    sky around;
    int seen = 0;
    make_sky(stage, &around);
    md5gl_texture maps[2];
    for (int i = 0; i < 2; i++)
        maps[i] = scene_normals(stage->scene.renderer, 1, 1, texels[i], 0, NULL);
    md5gl_stage drawn = {.texture = around.texture,
                         .source = MD5GL_FACTOR_ONE,
                         .color = {1, 1, 1, 1},
                         .texgen = MD5GL_TEXGEN_REFLECT};
    for (int i = 0; i < 40; i++) {
        const md5_mat34 turned = scene_rotation(&random);
        const uint8_t *const texel = texels[i % 2];
        double normal[3], length = 0.0;
        for (int k = 0; k < 3; k++) {
            const float *const row = turned.m + 4 * k;
            normal[k] = (texel[0] / 127.5 - 1.0) * row[1] - (texel[1] / 127.5 - 1.0) * row[2]
                        + (texel[2] / 127.5 - 1.0) * row[0];
            length += normal[k] * normal[k];
        }
        for (int k = 0; k < 3; k++)
            normal[k] /= sqrt(length);
        double reflected[3];
        reflect(normal, reflected);
        const uint8_t *const expected = look(&around, reflected);
        drawn.normals = maps[i % 2];
        if (fabsf(turned.m[0]) < 0.2f || expected == NULL)
            continue;
        draw(stage, &drawn, &turned, &picture);
        test_check(is_near(picture_at(&picture, 0, 0), expected), __FILE__, __LINE__, "turn %d", i);
        seen++;
    }
    CHECK(seen > 20);
    for (int i = 0; i < 2; i++)
        md5gl_destroy_texture(stage->scene.renderer, maps[i]);
    md5gl_destroy_texture(stage->scene.renderer, around.texture);
}

// Looks from 30 units in front of the square, where a unit is a pixel.
static void look_closely(md5gl_frame *frame)
{
    const float eye = 30.0f, near_z = 1.0f, far_z = 100.0f;
    memset(&frame->clip_from_view, 0, sizeof frame->clip_from_view);
    frame->clip_from_view.m[0] = 2.0f * eye / (float)SCENE_WIDTH;
    frame->clip_from_view.m[5] = 2.0f * eye / (float)SCENE_HEIGHT;
    frame->clip_from_view.m[10] = -(far_z + near_z) / (far_z - near_z);
    frame->clip_from_view.m[11] = -1.0f;
    frame->clip_from_view.m[14] = -2.0f * far_z * near_z / (far_z - near_z);
    frame->view_from_world.m[14] = -eye;
}

TEST_STAGE (gl_texgen_shows_the_sky_behind_the_surface, scene_square, 1) {
    gl_picture picture;
    sky around;
    int seen = 0;
    make_sky(stage, &around);
    look_closely(&stage->frame);
    md5gl_stage drawn = {.texture = around.texture,
                         .source = MD5GL_FACTOR_ONE,
                         .color = {1, 1, 1, 1},
                         .texgen = MD5GL_TEXGEN_SKYBOX};
    draw(stage, &drawn, NULL, &picture);
    for (int y = -19; y < 19; y++) {
        for (int z = -19; z < 19; z++) {
            const double way[3] = {-30.0, y + 0.5, z + 0.5};
            const uint8_t *const texel = look(&around, way);
            if (texel == NULL)
                continue;
            CHECK(is_near(picture_at(&picture, y, z), texel));
            seen++;
        }
    }
    CHECK(seen > 1000);
    // A matrix rotates the sky about the vertical: y of the direction to x, x to -y.
    const float quarter[2][3] = {{0, 1, 0}, {-1, 0, 0}};
    memcpy(drawn.matrix, quarter, sizeof quarter);
    drawn.has_matrix = true;
    draw(stage, &drawn, NULL, &picture);
    const double turned[3] = {5.5, 30.0, 2.5};
    CHECK(is_near(picture_at(&picture, 5, 2), look(&around, turned)));
    md5gl_destroy_texture(stage->scene.renderer, around.texture);
}

// The coordinates run from -1 to 1 over the picture, whatever the surface is: the texture repeats
// twice.
TEST_STAGE (gl_texgen_spans_the_picture, scene_square, 1) {
    uint64_t random = 5;
    gl_picture picture;
    int seen = 0;
    const gl_layer layer = layer_create(stage, MD5GL_WRAP_REPEAT, true, &random);
    const md5gl_stage drawn = {.texture = layer.texture,
                               .source = MD5GL_FACTOR_ONE,
                               .color = {1, 1, 1, 1},
                               .texgen = MD5GL_TEXGEN_SCREEN};
    draw(stage, &drawn, NULL, &picture);
    for (int y = -19; y < 19; y++) {
        for (int z = -19; z < 19; z++) {
            const double u = (y + 0.5) / (SCENE_WIDTH / 2), v = (z + 0.5) / (SCENE_HEIGHT / 2);
            const double column = (u - floor(u)) * (int)LAYER_SIDE;
            const double row = (v - floor(v)) * (int)LAYER_SIDE;
            if (fabs(column - round(column)) < 0.02 || fabs(row - round(row)) < 0.02)
                continue;
            CHECK(is_near(picture_at(&picture, y, z),
                          layer.rgba[(int)row * LAYER_SIDE + (int)column]));
            seen++;
        }
    }
    CHECK(seen > 1000);
    md5gl_destroy_texture(stage->scene.renderer, layer.texture);
}

TEST_OWN_SCENE (gl_stage_cube_has_limits) {
    static const uint8_t texel[4] = {1, 2, 3, 4};
    static const uint8_t *const sides[6] = {texel, texel, texel, texel, texel, texel};
    md5_error error;
    CHECK(scene_stage_cube(scene->renderer, 0, sides, true, &error) == 0);
    CHECK_UINT(error.status, MD5_ERROR_GPU);
    CHECK(scene_stage_cube(scene->renderer, 1u << 30, sides, true, &error) == 0);
    CHECK_UINT(error.status, MD5_ERROR_GPU);
    const md5gl_texture filtered = scene_stage_cube(scene->renderer, 1, sides, false, &error);
    CHECK(filtered != 0);
    md5gl_destroy_texture(scene->renderer, filtered);
}
