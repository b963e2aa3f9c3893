#include "test/ik/test_walk_case.h"

#include "test/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t joint_of(const md5_model *model, const char *part, uint32_t leg)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%u_%c", part, leg % 3 + 1, leg < 3 ? 'l' : 'r');
    return md5_find_joint(&model->skeleton, name);
}

walk_case *walk_new(md5_axes axes, md5_terrain_fn *terrain)
{
    walk_case *const of = calloc(1, sizeof *of);
    if (!of)
        return NULL;
    const md5_load_opts opts = {.axes = axes};
    of->model = md5_load_model(test_path("models/thimble/thimble.md5mesh"), &opts, NULL);
    if (!of->model) {
        free(of);
        return NULL;
    }
    of->pose = malloc(of->model->skeleton.num_joints * sizeof *of->pose);
    of->joints = malloc(of->model->skeleton.num_joints * sizeof *of->joints);
    for (uint32_t i = 0; i < 6; i++)
        of->legs[i] = (md5_leg){
            .limb = {joint_of(of->model, "femur", i), joint_of(of->model, "tibia", i),
                     joint_of(of->model, "foot", i)},
            .swivel = joint_of(of->model, "coxa", i),
            .group = (i + i / 3) % 2,
        };
    of->desc = (md5_walk_desc){
        .skeleton = &of->model->skeleton,
        .legs = of->legs,
        .num_legs = 6,
        .num_groups = 2,
        .body = md5_find_joint(&of->model->skeleton, "body"),
        .terrain = terrain,
    };
    const md5_xform origin = {.rotation = {0, 0, 0, 1}};
    if (!of->pose || !of->joints
        || !md5_walk_begin(&of->desc, of->model->bind_local, origin, &of->walk)) {
        walk_free(of);
        return NULL;
    }
    return of;
}

void walk_free(walk_case *of)
{
    if (!of)
        return;
    free(of->joints);
    free(of->pose);
    md5_free_model(of->model);
    free(of);
}

void walk_pose(walk_case *of)
{
    memcpy(of->pose, of->model->bind_local, of->model->skeleton.num_joints * sizeof *of->pose);
    of->num_placed = md5_walk_pose(&of->desc, &of->walk, of->pose);
}

float walk_waves(void *user, md5_vec3 at, md5_vec3 *normal)
{
    (void)user;
    const double x = (double)at.x / 15.0, y = (double)at.y / 11.0;
    *normal =
        (md5_vec3){(float)(-0.1 * cos(x) * cos(y)), (float)(1.5 / 11.0 * sin(x) * sin(y)), 1.0f};
    return (float)(1.5 * sin(x) * cos(y));
}
