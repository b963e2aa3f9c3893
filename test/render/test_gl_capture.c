// Vertices skinned by the vertex shader, read back, against md5_skin() on the CPU.
#include "test/render/test_gl_scene.h"

#include <math.h>
#include <stdlib.h>

enum { NUM_JOINTS = 40, NUM_VERTICES = 600 };

// Tolerance between GPU and CPU, as a fraction of the model's size.
#define AGREEMENT 1e-5

static double length(md5_vec3 v)
{
    return sqrt((double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z);
}

static double distance(md5_vec3 a, md5_vec3 b)
{
    return length((md5_vec3){a.x - b.x, a.y - b.y, a.z - b.z});
}

static md5_vec3 along(md5_vec4 tangent)
{
    return (md5_vec3){tangent.x, tangent.y, tangent.z};
}

static double size_of(const md5_model *model)
{
    return distance(model->bounds.min, model->bounds.max);
}

// Gives every joint a random position and rotation: joints[i] in model space, palette[i] from the
// bind pose.
static void pose_at_random(const md5_model *model, md5_mat34 *joints, md5_mat34 *palette,
                           uint64_t *random)
{
    for (uint32_t i = 0; i < model->skeleton.num_joints; i++) {
        joints[i] = scene_rotation(random);
        for (int row = 0; row < 3; row++)
            joints[i].m[4 * row + 3] = (float)(40.0 * test_random(random) - 20.0);
    }
    md5_build_palette(model, joints, palette);
}

typedef struct errors {
    double position, normal, tangent; // the largest of all vertices
} errors;

// Returns the largest differences between GPU and CPU.
static errors compare(const gl_scene *scene, md5gl_model *copy, const md5_model *model,
                      const md5_mat34 *palette)
{
    const md5_mesh *const mesh = &model->meshes[0];
    const size_t count = mesh->num_vertices;
    md5_vec3 *const cpu = calloc(count, 2 * sizeof *cpu), *const cpu_normals = cpu + count;
    md5_vec3 *const gpu = calloc(count, 2 * sizeof *gpu), *const gpu_normals = gpu + count;
    errors largest = {0.0, 0.0, 0.0};
    md5_error error;
    md5_vec4 *const tangents = calloc(count, 2 * sizeof *tangents);
    md5_vec4 *const gpu_tangents = tangents + count;
    md5_skin(mesh, palette, cpu, cpu_normals, tangents);
    CHECK(md5gl_capture(scene->renderer, copy, 0, palette, gpu, gpu_normals, gpu_tangents, &error));
    for (size_t i = 0; i < count; i++) {
        largest.position = fmax(largest.position, distance(cpu[i], gpu[i]));
        largest.normal = fmax(largest.normal, distance(cpu_normals[i], gpu_normals[i]));
        CHECK_NEAR(length(gpu_normals[i]), 1.0, 1e-5);
        largest.tangent =
            fmax(largest.tangent, distance(along(tangents[i]), along(gpu_tangents[i])));
        CHECK_NEAR(gpu_tangents[i].w, tangents[i].w, 0.0);
    }
    free(tangents);
    free(cpu);
    free(gpu);
    return largest;
}

static void check_agreement(uint32_t most_weights, bool off, md5gl_path wanted, md5gl_path expected)
{
    uint64_t random = 7 + most_weights;
    gl_scene scene;
    if (!scene_open(&scene, NULL))
        return;
    md5_model *const model = scene_cloud(NUM_JOINTS, NUM_VERTICES, most_weights, off, &random);
    md5gl_model *const copy = md5gl_create_model(scene.renderer, model, wanted, NULL);
    CHECK(copy && md5gl_mesh_path(copy, 0, NULL) == expected);
    for (int i = 0; i < 5; i++) {
        md5_mat34 joints[NUM_JOINTS], palette[NUM_JOINTS];
        pose_at_random(model, joints, palette, &random);
        const errors largest = compare(&scene, copy, model, palette);
        CHECK_NEAR(largest.position / size_of(model), 0.0, AGREEMENT);
        CHECK_NEAR(largest.normal, 0.0, 1e-3);
        CHECK_NEAR(largest.tangent, 0.0, 1e-3);
    }
    md5gl_destroy_model(scene.renderer, copy);
    md5_free_model(model);
    scene_close(&scene);
}

TEST (gl_capture_path_4_agrees_with_the_cpu) {
    check_agreement(4, false, MD5GL_PATH_AUTO, MD5GL_PATH_4);
}

TEST (gl_capture_path_8_agrees_with_the_cpu) {
    check_agreement(8, false, MD5GL_PATH_AUTO, MD5GL_PATH_8);
}

TEST (gl_capture_exact_path_agrees_with_the_cpu_for_many_weights) {
    check_agreement(30, false, MD5GL_PATH_AUTO, MD5GL_PATH_EXACT);
}

TEST (gl_capture_exact_path_agrees_for_other_sums_and_scattered_offsets) {
    check_agreement(3, true, MD5GL_PATH_AUTO, MD5GL_PATH_EXACT);
}

TEST (gl_capture_forced_paths_agree_if_lossless) {
    check_agreement(4, false, MD5GL_PATH_8, MD5GL_PATH_8);
    check_agreement(4, false, MD5GL_PATH_EXACT, MD5GL_PATH_EXACT);
}

// The error of a forced lossy path is at most the predicted loss, and not zero.
TEST_OWN_SCENE (gl_capture_forced_path_loses_as_predicted) {
    static const md5gl_path paths[2] = {MD5GL_PATH_4, MD5GL_PATH_8};
    uint64_t random = 99;
    md5_model *const model = scene_cloud(NUM_JOINTS, NUM_VERTICES, 12, true, &random);
    for (int i = 0; i < 2; i++) {
        md5gl_model *const copy = md5gl_create_model(scene->renderer, model, paths[i], NULL);
        CHECK(copy && md5gl_mesh_path(copy, 0, NULL) == paths[i]);
        md5_mat34 joints[NUM_JOINTS], palette[NUM_JOINTS];
        pose_at_random(model, joints, palette, &random);
        const double lost = compare(scene, copy, model, palette).position;
        const double foretold = md5_pack_loss(model, 0, i ? 8 : 4, joints);
        CHECK(lost <= foretold + AGREEMENT * size_of(model));
        CHECK(lost > 0.02 * foretold && foretold > 0.0);
        md5gl_destroy_model(scene->renderer, copy);
    }
    md5_free_model(model);
}

// More joints than 16 bits can index. Joint 70000 and joint 70000 - 65536 are far apart.
TEST (gl_capture_distinguishes_many_joints) {
    uint64_t random = 5;
    gl_scene scene;
    if (!scene_open(&scene, NULL))
        return;
    const uint32_t num_joints = 70001;
    if (*scene_limits(scene.renderer).max_texels < 3 * num_joints) {
        test_skip("GL_MAX_TEXTURE_BUFFER_SIZE is %u",
                  (unsigned)*scene_limits(scene.renderer).max_texels);
        scene_close(&scene);
        return;
    }
    md5_model *const model = scene_cloud(num_joints, NUM_VERTICES, 3, false, &random);
    md5_mat34 *const joints = calloc(num_joints, 2 * sizeof *joints);
    pose_at_random(model, joints, joints + num_joints, &random);
    for (int path = MD5GL_PATH_4; path <= MD5GL_PATH_EXACT; path++) {
        md5gl_model *const copy = md5gl_create_model(scene.renderer, model, (md5gl_path)path, NULL);
        const errors largest = compare(&scene, copy, model, joints + num_joints);
        CHECK_NEAR(largest.position / size_of(model), 0.0, AGREEMENT);
        md5gl_destroy_model(scene.renderer, copy);
    }
    free(joints);
    md5_free_model(model);
    scene_close(&scene);
}

TEST_OWN_SCENE (gl_capture_without_normals) {
    md5_model *const model = scene_square();
    md5gl_model *const copy = md5gl_create_model(scene->renderer, model, MD5GL_PATH_AUTO, NULL);
    const md5_mat34 palette[2] = {scene_identity, scene_moved(1, 2, 3)};
    md5_vec3 positions[4];
    md5_error error;
    CHECK(md5gl_capture(scene->renderer, copy, 0, palette, positions, NULL, NULL, &error));
    CHECK_NEAR(positions[0].z, -20.0, 0.0);
    CHECK_NEAR(positions[3].x, 1.0, 0.0);
    CHECK_NEAR(positions[3].y, 22.0, 0.0);
    CHECK_NEAR(positions[3].z, 23.0, 0.0);
    md5gl_destroy_model(scene->renderer, copy);
    md5_free_model(model);
}

// Opposed rotations cancel out and leave no direction: the normal is then the bind pose's.
TEST_OWN_SCENE (gl_capture_keeps_the_bind_normal_if_rotations_cancel_out) {
    static const md5_mat34 half_turn = {{-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 0}};
    md5_model *const model = scene_hinge();
    const md5_mat34 palette[2] = {scene_identity, half_turn};
    for (int path = MD5GL_PATH_4; path <= MD5GL_PATH_EXACT; path++) {
        md5gl_model *const copy =
            md5gl_create_model(scene->renderer, model, (md5gl_path)path, NULL);
        md5_vec3 positions[4], normals[4];
        CHECK(md5gl_capture(scene->renderer, copy, 0, palette, positions, normals, NULL, NULL));
        CHECK_NEAR(positions[3].y, 0.0, 1e-6);
        CHECK_NEAR(positions[3].z, 20.0, 1e-5);
        CHECK_NEAR(normals[3].x, 1.0, 1e-6);
        CHECK_NEAR(normals[3].z, 0.0, 1e-6);
        md5gl_destroy_model(scene->renderer, copy);
    }
    md5_free_model(model);
}
