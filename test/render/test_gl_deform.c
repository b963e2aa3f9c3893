// Meshes whose surface the caller computes for each pose: md5gl_set_deform().
#include "test/render/test_gl_stages.h"

#include <string.h>

static const md5gl_stage adding = {.source = MD5GL_FACTOR_ONE,
                                   .target = MD5GL_FACTOR_ONE,
                                   .color = {1, 1, 1, 1},
                                   .vertex_color = MD5GL_VERTEX_COLOR_MODULATE};

// Draws two instances of the model side by side, or one if `placed` is false.
static void draw(gl_stage *stage, md5gl_texture texture, bool placed, gl_picture *picture)
{
    static const md5_mat34 palette[4] = {{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
                                         {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
                                         {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
                                         {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}}};
    const md5_mat34 placements[2] = {scene_moved(0, -25, 0), scene_moved(0, 25, 0)};
    md5gl_stage textured = adding;
    textured.texture = texture;
    const md5gl_stage_list list = {ROW(stages, textured)};
    md5gl_renderer *const renderer = stage->scene.renderer;
    md5gl_begin_frame(renderer, &stage->frame);
    CHECK(scene_pose(renderer, stage->copy, palette, placed ? placements : NULL, placed ? 2 : 1,
                     NULL));
    CHECK(md5gl_draw_stages(renderer, stage->copy, MD5GL_STAGE_PASS_STAGES, &list, 1, NULL));
    scene_finish(&stage->scene, &stage->frame, picture);
}

// Copies the quad's surface, moved by `user`.
static void write_moved(void *user, uint32_t mesh, uint32_t instance, const md5_vec3 *positions,
                        const md5_vec3 *normals, md5_vec3 *to_positions, md5_vec2 *texcoords,
                        md5_vec4 *colours)
{
    const md5_vec3 *const by = user;
    CHECK(mesh == 0 && instance < 2 && normals[0].x > 0.99f);
    for (int i = 0; i < 4; i++) {
        to_positions[i] = md5_vec3_add(positions[i], *by);
        texcoords[i] = (md5_vec2){i % 2 == 0 ? 0.0f : 1.0f, i < 2 ? 1.0f : 0.0f};
        colours[i] = (md5_vec4){1, 1, 1, 1};
    }
}

// Writes two quads side by side, the right one darker.
static void write_strip(void *user, uint32_t mesh, uint32_t instance, const md5_vec3 *positions,
                        const md5_vec3 *normals, md5_vec3 *to_positions, md5_vec2 *texcoords,
                        md5_vec4 *colours)
{
    (void)user, (void)mesh, (void)instance, (void)normals;
    for (int i = 0; i < 8; i++) {
        to_positions[i] = positions[i % 4];
        to_positions[i].y += i < 4 ? -20.0f : 20.0f;
        texcoords[i] = (md5_vec2){0, 0};
        colours[i] = (md5_vec4){i < 4 ? 1.0f : 0.25f, 0, 0, 1};
    }
}

static bool open_on(gl_stage *stage, md5gl_path path)
{
    if (!scene_open_stage(stage, scene_square, 1))
        return false;
    md5gl_destroy_model(stage->scene.renderer, stage->copy);
    stage->copy = md5gl_create_model(stage->scene.renderer, stage->model, path, NULL);
    return CHECK(stage->copy != NULL);
}

#define TEST_HERE(title) \
    TEST_IF (title, gl_stage, stage, open_on(stage, MD5GL_PATH_CPU), scene_close_stage(stage))

// A moved surface moves in the picture, also with two instances. Without the deform the mesh's own
// surface is drawn again.
TEST_HERE (gl_deform_moves_the_surface) {
    uint64_t random = 7;
    md5_vec3 by = {0, 0, 0};
    gl_picture own[2], moved, expected;
    md5gl_renderer *const renderer = stage->scene.renderer;
    const gl_layer layer = layer_create(stage, MD5GL_WRAP_REPEAT, true, &random);
    const md5gl_deform deform = {.num_vertices = 4,
                                 .num_triangles = 2,
                                 .indices = stage->model->meshes[0].indices,
                                 .write = write_moved,
                                 .user = &by};
    for (int placed = 0; placed < 2; placed++)
        draw(stage, layer.texture, placed == 1, &own[placed]);
    CHECK(md5gl_set_deform(renderer, stage->copy, 0, &deform, NULL));
    for (int placed = 0; placed < 2; placed++) {
        draw(stage, layer.texture, placed == 1, &moved);
        CHECK(layer_difference(&moved, &own[placed]) == 0);
    }
    by = (md5_vec3){0, 10, -20};
    draw(stage, layer.texture, true, &moved);
    CHECK(layer_difference(&moved, &own[1]) > 50);
    CHECK(md5gl_set_deform(renderer, stage->copy, 0, NULL, NULL));
    draw(stage, layer.texture, true, &expected);
    CHECK(layer_difference(&expected, &own[1]) == 0);
    for (int row = 0; row < SCENE_HEIGHT - 20; row++)
        CHECK(memcmp(moved.rgba[row + 20][10], expected.rgba[row][0],
                     sizeof expected.rgba[row] - sizeof expected.rgba[row][0] * 10)
              == 0);
    md5gl_destroy_texture(renderer, layer.texture);
}

TEST_HERE (gl_deform_has_its_own_triangles_and_colours) {
    static const uint32_t two_quads[12] = {0, 2, 1, 1, 2, 3, 4, 6, 5, 5, 6, 7};
    static const uint8_t left[4] = {255, 0, 0, 255}, right[4] = {64, 0, 0, 255};
    gl_picture picture;
    const md5gl_deform deform = {
        .num_vertices = 8, .num_triangles = 4, .indices = two_quads, .write = write_strip};
    CHECK(md5gl_set_deform(stage->scene.renderer, stage->copy, 0, &deform, NULL));
    draw(stage, 0, false, &picture);
    CHECK(picture_is(&picture, -30, 5, left, 1));
    CHECK(picture_is(&picture, 30, 5, right, 1));
    // A second deform replaces the first one; the model frees it.
    CHECK(md5gl_set_deform(stage->scene.renderer, stage->copy, 0, &deform, NULL));
    draw(stage, 0, false, &picture);
    CHECK(picture_is(&picture, 30, 5, right, 1));
}

// Moves the second instance alone.
static void write_second(void *user, uint32_t mesh, uint32_t instance, const md5_vec3 *positions,
                         const md5_vec3 *normals, md5_vec3 *to_positions, md5_vec2 *texcoords,
                         md5_vec4 *colours)
{
    static const md5_vec3 by[2] = {{0, 0, 0}, {0, 0, -20}};
    (void)user;
    write_moved((void *)(uintptr_t)&by[instance], mesh, instance, positions, normals, to_positions,
                texcoords, colours);
}

// On whatever path a mesh is, its deform moves it to the CPU's, and each instance has a surface of
// its own: here the left one stays, and the right one goes down by 20 pixels.
TEST (gl_deform_differs_between_instances) {
    static const md5gl_path paths[] = {MD5GL_PATH_4, MD5GL_PATH_8, MD5GL_PATH_EXACT,
                                       MD5GL_PATH_COMPUTE};
    uint64_t random = 9;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        gl_stage stage;
        gl_picture own, moved;
        if (!scene_open_stage(&stage, scene_square, 1))
            return;
        md5gl_renderer *const renderer = stage.scene.renderer;
        if (md5gl_has_path(renderer, paths[i])) {
            const gl_layer layer = layer_create(&stage, MD5GL_WRAP_REPEAT, true, &random);
            const md5gl_deform deform = {.num_vertices = 4,
                                         .num_triangles = 2,
                                         .indices = stage.model->meshes[0].indices,
                                         .write = write_second};
            md5gl_destroy_model(renderer, stage.copy);
            stage.copy = md5gl_create_model(renderer, stage.model, paths[i], NULL);
            draw(&stage, layer.texture, true, &own);
            CHECK(md5gl_mesh_path(stage.copy, 0, NULL) == paths[i]);
            CHECK(md5gl_set_deform(renderer, stage.copy, 0, &deform, NULL));
            CHECK(md5gl_mesh_path(stage.copy, 0, NULL) == MD5GL_PATH_CPU);
            CHECK_STRING(scene_path_reason(stage.copy, 0), "deformed");
            draw(&stage, layer.texture, true, &moved);
            CHECK(layer_difference(&own, &moved) > 50);
            enum { HALF = SCENE_WIDTH / 2 };
            for (int row = 0; row < SCENE_HEIGHT - 20; row++) {
                const size_t size = HALF * sizeof own.rgba[row][0];
                CHECK(memcmp(moved.rgba[row][0], own.rgba[row][0], size) == 0);
                CHECK(memcmp(moved.rgba[row + 20][HALF], own.rgba[row][HALF], size) == 0);
            }
            md5gl_destroy_texture(renderer, layer.texture);
        }
        scene_close_stage(&stage);
    }
}

TEST_HERE (gl_deform_is_refused) {
    static const uint32_t none[3] = {0, 1, 2};
    md5gl_deform deform = {
        .num_vertices = 4, .num_triangles = 1, .indices = none, .write = write_strip};
    md5_error error;
    deform.num_vertices = 3; // fewer than the mesh has
    CHECK(!md5gl_set_deform(stage->scene.renderer, stage->copy, 0, &deform, &error));
    CHECK_UINT(error.status, MD5_ERROR_RANGE);
    CHECK(md5gl_set_deform(stage->scene.renderer, stage->copy, 0, NULL, &error));
}
