#define _POSIX_C_SOURCE 200809L // clock_gettime()

// Measures the speed of skinning in a web page: poses a model by a clip, and skins all of its
// meshes with normals repeatedly. skin MODEL.md5mesh CLIP.md5anim prints nanoseconds per vertex of
// the fastest run, because slower runs were interrupted. test/long/web.sh compares builds with and
// without SIMD.
#include "md5/md5skin.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 500, MAX_JOINTS = 256 };

static double current_time(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int count, char **arguments)
{
    static md5_xform pose[MAX_JOINTS];
    static md5_mat34 joints[MAX_JOINTS], palette[MAX_JOINTS];
    md5_error error = {0};
    double fastest = 1e9; // seconds
    size_t num_vertices = 0;
    size_t max_vertices = 0;
    if (count != 3)
        return 2;
    md5_model *const model = md5_load_model(arguments[1], NULL, &error);
    md5_anim *const anim = model ? md5_load_anim(arguments[2], NULL, &error) : NULL;
    md5_binding *const binding = anim ? md5_bind(model, anim, NULL, &error) : NULL;
    if (!binding || model->skeleton.num_joints > MAX_JOINTS) {
        fprintf(stderr, "%s\n", binding ? "too many joints" : error.message);
        return 1;
    }
    md5_sample(binding, md5_sample_position_at(anim, 0.3, MD5_WRAP_LOOP), MD5_ROOT_FILE, pose);
    md5_local_to_model(&model->skeleton, pose, joints);
    md5_build_palette(model, joints, palette);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        num_vertices += model->meshes[i].num_vertices;
        if (model->meshes[i].num_vertices > max_vertices)
            max_vertices = model->meshes[i].num_vertices;
    }
    md5_vec3 *const positions = malloc(max_vertices * sizeof *positions);
    md5_vec3 *const normals = malloc(max_vertices * sizeof *normals);
    if (positions && normals) {
        for (int run = 0; run < RUNS; run++) {
            const double begin = current_time();
            for (uint32_t i = 0; i < model->num_meshes; i++)
                md5_skin(&model->meshes[i], palette, positions, normals, NULL);
            const double seconds = current_time() - begin;
            fastest = seconds < fastest ? seconds : fastest;
        }
    }
    printf("%.3f\n", 1e9 * fastest / (double)num_vertices);
    free(positions);
    free(normals);
    md5_free_binding(binding);
    md5_free_anim(anim);
    md5_free_model(model);
    return 0;
}
