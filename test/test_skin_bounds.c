// md5_skin_bounds() against the vertices that md5_skin() writes.
#include "test/test.h"

#include "md5/md5model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double worst_difference(md5_bounds a, md5_bounds b)
{
    const float *const x = &a.min.x, *const y = &b.min.x;
    double worst = 0.0;
    for (int i = 0; i < 3; i++) {
        worst = fmax(worst, fabs((double)x[i] - (double)y[i]));
        worst = fmax(worst, fabs((double)(&a.max.x)[i] - (double)(&b.max.x)[i]));
    }
    return worst;
}

TEST (skin_bounds_hold_what_is_skinned) {
    md5_error error;
    md5_model *const model =
        md5_load_model(test_path("test/reference/data/weights.md5mesh"), NULL, &error);
    md5_anim *const anim =
        md5_load_anim(test_path("test/reference/data/weights.md5anim"), NULL, &error);
    md5_binding *const binding = model && anim ? md5_bind(model, anim, NULL, &error) : NULL;
    if (!CHECK(binding != NULL))
        return;
    md5_transform pose[16];
    md5_mat34 palette[16];
    md5_vec3 points[256];
    CHECK(model->skeleton.num_joints <= 16);
    for (int step = 0; step < 20; step++) {
        const md5_moment moment = md5_moment_at(anim, step * 0.0137, MD5_WRAP_LOOP);
        md5_sample(binding, &moment, MD5_ROOT_FILE, pose);
        md5_local_to_model(&model->skeleton, pose, palette);
        md5_build_palette(model, palette, palette);
        md5_bounds skinned = md5_bounds_of_points(NULL, 0);
        for (uint32_t m = 0; m < model->num_meshes; m++) {
            const md5_mesh *const mesh = &model->meshes[m];
            if (!CHECK(mesh->num_vertices <= 256))
                break;
            md5_skin(mesh, palette, points, NULL, NULL);
            skinned = md5_bounds_union(skinned, md5_bounds_of_points(points, mesh->num_vertices));
        }
        CHECK(worst_difference(md5_skin_bounds(model, palette), skinned) < 1e-5);
    }
    md5_free_binding(binding);
    md5_free_anim(anim);
    md5_free_model(model);
}

TEST (skin_bounds_of_nothing_are_empty) {
    static const md5_model none;
    const md5_bounds bounds = md5_skin_bounds(&none, NULL);
    CHECK(bounds.min.x > bounds.max.x);
}
