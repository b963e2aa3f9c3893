// md5_skin_bounds() against the vertices that md5_skin() writes.
#include "test/test.h"

#include "md5/md5model.h"
#include "md5/md5skin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double difference(md5_vec3 a, md5_vec3 b)
{
    return fmax(fabs((double)(a.x - b.x)),
                fmax(fabs((double)(a.y - b.y)), fabs((double)(a.z - b.z))));
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
    md5_xform pose[16];
    md5_mat34 palette[16];
    md5_vec3 points[256];
    CHECK(model->skeleton.num_joints <= 16);
    for (int step = 0; step < 20; step++) {
        const md5_moment moment = md5_moment_at(anim, step * 0.0137, MD5_WRAP_LOOP);
        md5_sample(binding, moment, MD5_ROOT_FILE, pose);
        md5_local_to_model(&model->skeleton, pose, palette);
        md5_build_palette(model, palette, palette);
        md5_bounds skinned = md5_bounds_from_points(NULL, 0);
        for (uint32_t m = 0; m < model->num_meshes; m++) {
            const md5_mesh *const mesh = &model->meshes[m];
            if (!CHECK(mesh->num_vertices <= 256))
                break;
            md5_skin(mesh, palette, points, NULL, NULL);
            skinned = md5_bounds_union(skinned, md5_bounds_from_points(points, mesh->num_vertices));
        }
        const md5_bounds found = md5_skin_bounds(model, palette);
        CHECK(difference(found.min, skinned.min) < 1e-5);
        CHECK(difference(found.max, skinned.max) < 1e-5);
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
