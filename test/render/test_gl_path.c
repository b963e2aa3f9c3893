// The paths that AUTO does not choose, against the CPU and against the pictures of the other paths.
#include "test/render/test_gl_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUM_JOINTS = 30, NUM_VERTICES = 300 };

static double distance(md5_vec3 a, md5_vec3 b)
{
    const double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

// Captures a model of one mesh on a path. Positions and normals must be within 1e-3 of md5_skin().
static void check_exact(const gl_scene *scene, const md5_model *model, md5gl_path path)
{
    uint64_t random = 4;
    const md5_mesh *const mesh = &model->meshes[0];
    md5_mat34 palette[NUM_JOINTS];
    md5_vec3 cpu[NUM_VERTICES], cpu_normals[NUM_VERTICES], gpu[NUM_VERTICES],
        gpu_normals[NUM_VERTICES];
    md5_vec4 cpu_tangents[NUM_VERTICES], gpu_tangents[NUM_VERTICES];
    for (int i = 0; i < NUM_JOINTS; i++)
        palette[i] = scene_rotation(&random);
    md5gl_model *const copy = md5gl_create_model(scene->renderer, model, path, NULL);
    CHECK(copy && md5gl_mesh_path(copy, 0, NULL) == path);
    CHECK_STRING(scene_path_reason(copy, 0), "requested");
    CHECK(md5gl_capture(scene->renderer, copy, 0, palette, gpu, gpu_normals, gpu_tangents, NULL));
    md5_skin(mesh, palette, cpu, cpu_normals, cpu_tangents);
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        CHECK_NEAR(distance(cpu[i], gpu[i]), 0.0, 1e-3);
        CHECK_NEAR(distance(cpu_normals[i], gpu_normals[i]), 0.0, 1e-3);
        CHECK_NEAR(cpu_tangents[i].x, gpu_tangents[i].x, 1e-3);
        CHECK_NEAR(cpu_tangents[i].w, gpu_tangents[i].w, 0.0);
    }
    md5gl_destroy_model(scene->renderer, copy);
}

TEST_OWN_SCENE (gl_other_paths_agree_with_the_cpu) {
    uint64_t random = 17;
    md5_model *const model = scene_cloud(NUM_JOINTS, NUM_VERTICES, 9, true, &random);
    check_exact(scene, model, MD5GL_PATH_CPU);
    if (md5gl_has_path(scene->renderer, MD5GL_PATH_COMPUTE))
        check_exact(scene, model, MD5GL_PATH_COMPUTE);
    md5_free_model(model);
}

// Draws three instances with different palettes and placements, then one without a placement, with
// its edges.
static void draw_three(gl_stage *stage, md5gl_model *copy, gl_picture *picture)
{
    const md5_mat34 palettes[6] = {scene_moved(0, 0, 3), scene_identity, scene_identity,
                                   scene_moved(0, 5, 0), scene_identity, scene_moved(0, 0, -20)};
    const md5_mat34 placements[3] = {scene_moved(0, -50, 0), scene_moved(9, 10, 30),
                                     scene_moved(3, 50, 10)};
    md5gl_begin_frame(stage->scene.renderer, &stage->frame);
    CHECK(
        scene_pose_and_draw(stage->scene.renderer, copy, palettes, placements, 3, MD5GL_LIT, NULL));
    CHECK(scene_pose_and_draw(stage->scene.renderer, copy, palettes, NULL, 1,
                              MD5GL_LIT | MD5GL_WIREFRAME, NULL));
    scene_finish(&stage->scene, &stage->frame, picture);
}

// Counts the pixels that differ, and checks that the picture is not empty.
static unsigned count_differences(const gl_picture *a, const gl_picture *b)
{
    unsigned count = 0, lit = 0;
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

TEST_STAGE (gl_other_paths_draw_the_same_crowd, scene_square, 1) {
    gl_picture expected, picture;
    md5gl_renderer *const renderer = stage->scene.renderer;
    const uint32_t most = *scene_limits(renderer).max_texels;
    draw_three(stage, stage->copy, &expected);
    for (int path = MD5GL_PATH_CPU; path <= MD5GL_PATH_COMPUTE; path++) {
        if (!md5gl_has_path(renderer, (md5gl_path)path))
            continue;
        md5gl_model *const copy =
            md5gl_create_model(renderer, stage->model, (md5gl_path)path, NULL);
        for (uint32_t texels = 6; texels <= 18; texels += 6) {
            *scene_limits(renderer).max_texels = texels; // one, two, three palettes
            draw_three(stage, copy, &picture);
            CHECK_UINT(count_differences(&expected, &picture), 0);
        }
        *scene_limits(renderer).max_texels = most;
        md5gl_destroy_model(renderer, copy);
    }
}

// Posed once and drawn twice; then posed with no instances, which draws nothing.
TEST_STAGE (gl_a_pose_is_kept_until_the_next, scene_square, 1) {
    static const uint8_t black[4] = {0, 0, 0, 255};
    const md5_mat34 palettes[2] = {scene_identity, scene_identity};
    gl_picture first, second;
    md5gl_renderer *const renderer = stage->scene.renderer;
    CHECK(scene_pose(renderer, stage->copy, palettes, NULL, 1, NULL));
    for (int i = 0; i < 2; i++) {
        md5gl_begin_frame(renderer, &stage->frame);
        md5gl_draw_model(renderer, stage->copy, MD5GL_LIT);
        scene_finish(&stage->scene, &stage->frame, i == 0 ? &first : &second);
    }
    CHECK(picture_is(&first, 0, 0, scene_sideways(1, 1, 1).rgba, 1));
    CHECK(memcmp(&first, &second, sizeof first) == 0);
    CHECK(scene_pose(renderer, stage->copy, NULL, NULL, 0, NULL));
    md5gl_begin_frame(renderer, &stage->frame);
    md5gl_draw_model(renderer, stage->copy, MD5GL_LIT);
    scene_finish(&stage->scene, &stage->frame, &first);
    CHECK(picture_is(&first, 0, 0, black, 0));
}

TEST_STAGE (gl_data_beyond_texture_buffers_is_skinned_on_the_cpu, scene_square, 1) {
    gl_picture expected, picture;
    md5gl_renderer *const renderer = stage->scene.renderer;
    scene_draw(&stage->scene, &stage->frame, stage->copy, MD5GL_LIT, &expected);
    *scene_limits(renderer).max_texels = 5; // less than two joints' six rows
    md5gl_model *const copy = md5gl_create_model(renderer, stage->model, MD5GL_PATH_AUTO, NULL);
    CHECK(copy && md5gl_mesh_path(copy, 0, NULL) == MD5GL_PATH_CPU);
    CHECK(strstr(scene_path_reason(copy, 0), "too small") != NULL);
    scene_draw(&stage->scene, &stage->frame, copy, MD5GL_LIT, &picture);
    CHECK_UINT(count_differences(&expected, &picture), 0);
    md5gl_destroy_model(renderer, copy);
}

TEST_OWN_SCENE (gl_unsupported_path_is_refused) {
    md5_error error = {0};
    md5_model *const model = scene_square();
    const bool had = *scene_limits(scene->renderer).has_compute;
    *scene_limits(scene->renderer).has_compute = false;
    CHECK(!md5gl_has_path(scene->renderer, MD5GL_PATH_COMPUTE));
    CHECK(md5gl_has_path(scene->renderer, MD5GL_PATH_CPU));
    CHECK(md5gl_create_model(scene->renderer, model, MD5GL_PATH_COMPUTE, &error) == NULL);
    CHECK(error.status == MD5_ERROR_GPU && strstr(error.message, "4.3"));
    *scene_limits(scene->renderer).has_compute = had;
    md5_free_model(model);
}

TEST_STAGE (gl_draws_a_model_without_meshes, scene_square, 1) {
    static const char text[] = "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 0\n"
                               "joints {\n\"only\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n";
    const md5_mat34 palette = scene_identity;
    md5_error error = {0};
    gl_picture picture;
    md5gl_renderer *const renderer = stage->scene.renderer;
    md5_model *const model = md5_parse_model(text, sizeof text - 1, NULL, NULL);
    md5gl_model *const copy = md5gl_create_model(renderer, model, MD5GL_PATH_AUTO, &error);
    test_check(copy != NULL, __FILE__, __LINE__, "%s", error.message);
    stage->frame.casters = stage->model->bounds;
    md5gl_begin_frame(renderer, &stage->frame);
    CHECK(scene_pose(renderer, copy, &palette, NULL, 1, NULL));
    md5gl_draw_shadows(renderer, copy);
    md5gl_draw_model(renderer, copy, MD5GL_LIT | MD5GL_WIREFRAME);
    scene_finish(&stage->scene, &stage->frame, &picture);
    md5gl_destroy_model(renderer, copy);
    md5_free_model(model);
}
