// Procedural walking: checks of a description, the terrain, positions and velocities of homes.
#include "md5/motion/walk.h"

#include "md5/core/assert.h"

static float or_default(float value, float otherwise)
{
    return value == 0.0f ? otherwise : value == MD5_ZERO ? 0.0f : value;
}

md5_walk_gait md5i_walk_gait_of(const md5_walk_desc *desc, float radius)
{
    const md5_axes axes = desc->skeleton->axes;
    md5_walk_gait gait = {
        .desc = desc,
        .forward = md5_forward(axes),
        .left = md5i_vec3_to_axes(axes, (md5_vec3){0.0f, 1.0f, 0.0f}),
        .up = md5_up(axes),
        .step_length = or_default(desc->step_length, 0.5f * radius),
        .step_height = or_default(desc->step_height, 0.15f * radius),
        .step_seconds = or_default(desc->step_seconds, 0.45f),
        .least_seconds = or_default(desc->least_seconds, 0.15f),
        .response = or_default(desc->response, 0.15f),
        .smoothing = or_default(desc->smoothing, 0.12f),
    };
    gait.slack = or_default(desc->slack, 0.1f * gait.step_length);
    return gait;
}

md5_vec3 md5i_ground_at(const md5_walk_gait *gait, const md5_walk *walk, md5_vec3 at,
                        md5_vec3 *normal)
{
    md5_vec3 found = gait->up;
    float height = 0.0f;
    if (gait->desc->terrain)
        height = gait->desc->terrain(gait->desc->user, at, &found);
    if (!(fabsf(height) < MD5_FARTHEST))
        height = md5_vec3_dot(walk->position, gait->up);
    *normal = md5_is_place(found) ? md5_vec3_normalize(found, gait->up) : gait->up;
    return md5_vec3_add(md5_level(gait, at), md5_vec3_scale(gait->up, height));
}

md5_vec3 md5i_home_of(const md5_walk *walk, uint32_t leg)
{
    return md5_xform_point(md5_walk_placement(walk), walk->feet[leg].home);
}

md5_vec3 md5i_home_velocity(const md5_walk_gait *gait, const md5_walk *walk, uint32_t leg)
{
    const md5_vec3 home = walk->feet[leg].home;
    const float ahead = md5_vec3_dot(home, gait->forward), aside = md5_vec3_dot(home, gait->left);
    const md5_vec3 around = md5_vec3_add(md5_vec3_scale(gait->forward, -aside * walk->turn),
                                         md5_vec3_scale(gait->left, ahead * walk->turn));
    return md5_quat_rotate(walk->facing, md5_vec3_add(walk->velocity, around));
}

md5_xform md5_walk_placement(const md5_walk *walk)
{
    MD5_ASSERT(walk != NULL, "walk: not NULL");
    return (md5_xform){.rotation = walk->facing, .translation = walk->position};
}
