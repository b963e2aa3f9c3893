// Models without tangents, and models whose geometry was released after the upload.
#include "test/render/test_gl_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static md5_model *load(gl_scene *scene, const md5_load_opts *opts)
{
    if (!scene_open(scene, NULL))
        return NULL;
    return md5_load_model(test_path("models/thimble/thimble.md5mesh"), opts, NULL);
}

// The largest error of the first mesh's positions and normals, skinned by the GPU in a random pose.
// `whole` is the model with its geometry.
static double error_of(gl_scene *scene, md5gl_model *copy, const md5_model *whole)
{
    const md5_mesh *const mesh = &whole->meshes[0];
    uint64_t random = 3;
    md5_mat34 *const palette = calloc(whole->skeleton.num_joints, sizeof *palette);
    md5_vec3 *const cpu = calloc(mesh->num_vertices, 2 * sizeof *cpu);
    md5_vec3 *const gpu = calloc(mesh->num_vertices, 2 * sizeof *gpu);
    md5_vec4 *const tangents = calloc(mesh->num_vertices, sizeof *tangents);
    md5_vec3 *const cpu_normals = cpu + mesh->num_vertices, *const gpu_normals =
                                                                gpu + mesh->num_vertices;
    for (uint32_t i = 0; i < whole->skeleton.num_joints; i++)
        palette[i] = scene_rotation(&random);
    md5_skin(mesh, palette, cpu, cpu_normals, NULL);
    double worst = 0.0;
    md5_error error;
    CHECK(md5gl_capture(scene->renderer, copy, 0, palette, gpu, gpu_normals, tangents, &error));
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        const md5_vec3 *const a[2] = {&cpu[i], &cpu_normals[i]}, *const b[2] = {&gpu[i],
                                                                                &gpu_normals[i]};
        for (int k = 0; k < 2; k++) {
            worst = fmax(worst, fabs((double)a[k]->x - (double)b[k]->x));
            worst = fmax(worst, fabs((double)a[k]->y - (double)b[k]->y));
            worst = fmax(worst, fabs((double)a[k]->z - (double)b[k]->z));
        }
        if (!whole->meshes[0].tangents) // without tangents: zero
            CHECK(tangents[i].x == 0.0f && tangents[i].w == 0.0f);
    }
    free(palette);
    free(cpu);
    free(gpu);
    free(tangents);
    return worst;
}

TEST (gl_draws_models_without_tangents_on_every_path) {
    gl_scene scene;
    md5_model *const model = load(&scene, &(md5_load_opts){.without = MD5_PART_TANGENTS});
    if (!model)
        return;
    for (int path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE; path++) {
        md5_error error;
        md5gl_model *const copy =
            md5gl_create_model(scene.renderer, model, (md5gl_path)path, &error);
        if (!copy) { // the driver lacks what the path needs
            CHECK(error.status == MD5_ERROR_GPU && path > MD5GL_PATH_CPU);
            continue;
        }
        CHECK_NEAR(error_of(&scene, copy, model), 0.0, 2e-3);
        md5gl_destroy_model(scene.renderer, copy);
    }
    md5_free_model(model);
    scene_close(&scene);
}

TEST (gl_draws_models_after_their_geometry_is_released) {
    gl_scene scene;
    md5_model *const model = load(&scene, NULL);
    if (!model)
        return;
    md5_model *const whole =
        md5_load_model(test_path("models/thimble/thimble.md5mesh"), NULL, NULL);
    md5gl_model *copies[MD5GL_PATH_COMPUTE + 1] = {NULL};
    for (int path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE; path++)
        copies[path] = md5gl_create_model(scene.renderer, model, (md5gl_path)path, NULL);
    CHECK(copies[MD5GL_PATH_4] && copies[MD5GL_PATH_CPU]);
    md5_release_geometry(model);
    for (int path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE; path++) {
        md5_error error;
        if (path == MD5GL_PATH_CPU) {
            const size_t num_joints = model->skeleton.num_joints;
            md5_mat34 *const palette = calloc(num_joints, sizeof *palette);
            CHECK(!scene_pose(scene.renderer, copies[path], palette, NULL, 1, &error));
            CHECK(strstr(error.message, "geometry was released") != NULL);
            free(palette);
        } else if (copies[path]) {
            CHECK_NEAR(error_of(&scene, copies[path], whole), 0.0, 2e-3);
        }
        md5gl_destroy_model(scene.renderer, copies[path]);
    }
    md5_error error;
    CHECK(md5gl_create_model(scene.renderer, model, MD5GL_PATH_AUTO, &error) == NULL);
    CHECK(error.status == MD5_ERROR_MISMATCH);
    md5_free_model(model);
    md5_free_model(whole);
    scene_close(&scene);
}
