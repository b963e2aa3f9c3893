// Procedural walking: moves the feet of a pose to their footholds.
#include "md5/core/assert.h"
#include "md5/motion/walk.h"

// World space: the ankle is above the sole along the ground's normal.
static md5_vec3 ankle_of(const md5_walk_gait *gait, const md5_foothold *foot)
{
    if (!foot->is_stepping)
        return md5_vec3_add(foot->position, md5_vec3_scale(foot->normal, foot->rise));
    const md5_vec3 normal =
        md5_vec3_normalize(md5_vec3_lerp(foot->normal, foot->to_normal, foot->progress), gait->up);
    return md5_vec3_add(md5i_foot_in_step(gait, foot), md5_vec3_scale(normal, foot->rise));
}

md5_vec3 md5_walk_ankle(const md5_walk_desc *desc, const md5_walk *walk, uint32_t leg)
{
    MD5_ASSERT(desc != NULL && walk != NULL, "desc, walk: not NULL");
    MD5_ASSERT(leg < walk->num_legs, "leg: below num_legs");
    const md5_walk_gait gait = md5i_walk_gait_of(desc, walk->radius);
    return ankle_of(&gait, &walk->feet[leg]);
}

// The rotation of an ankle in model space: that at rest, with the heading of the character when the
// foot landed, and tilted like the ground.
static md5_quat ankle_rotation(const md5_walk_gait *gait, const md5_walk *walk,
                               const md5_foothold *foot)
{
    const md5_quat facing = foot->is_stepping
                                ? md5_quat_slerp(foot->from_facing, walk->facing, foot->progress)
                                : foot->facing;
    const md5_vec3 normal =
        foot->is_stepping ? md5_vec3_normalize(
            md5_vec3_lerp(foot->normal, foot->to_normal, foot->progress), gait->up)
                          : foot->normal;
    const md5_quat tilt = md5_turn_between(gait->up, normal);
    const md5_quat world = md5_quat_mul(tilt, md5_quat_mul(facing, foot->rest));
    return md5_quat_normalize(md5_quat_mul(md5_quat_conjugate(walk->facing), world), foot->rest);
}

static void turn_in_model(const md5_skeleton *skeleton, md5_xform *pose, uint32_t joint,
                          md5_quat turn)
{
    const md5_xform change = {.rotation = turn};
    (void)md5_modify_joint(skeleton, pose, joint, MD5_JOINT_MODEL, change, 1.0f);
}

// Rotates the swivel about the body's up axis so that the target is in the plane of the leg.
static void swivel_leg(const md5_skeleton *skeleton, md5_xform *pose, const md5_leg *leg,
                       md5_vec3 target, md5_vec3 body_up)
{
    const uint32_t swivel = (uint32_t)leg->swivel;
    const md5_vec3 at = md5_joint_in_model(skeleton, pose, swivel).translation;
    const md5_vec3 tip = md5_joint_in_model(skeleton, pose, leg->limb.tip).translation;
    const md5_vec3 none = {0.0f, 0.0f, 0.0f};
    const md5_vec3 from = md5_vec3_normalize(md5_vec3_beside(md5_vec3_sub(tip, at), body_up), none);
    const md5_vec3 to =
        md5_vec3_normalize(md5_vec3_beside(md5_vec3_sub(target, at), body_up), none);
    if (md5_vec3_dot(from, from) > 0.5f && md5_vec3_dot(to, to) > 0.5f)
        turn_in_model(skeleton, pose, swivel, md5_turn_between(from, to));
}

uint32_t md5_walk_pose(const md5_walk_desc *desc, const md5_walk *walk, md5_xform *pose)
{
    MD5_ASSERT(desc != NULL && walk != NULL && pose != NULL, "desc, walk, pose: not NULL");
    MD5_ASSERT(walk->num_legs == desc->num_legs, "walk: begun with this description");
    const md5_walk_gait gait = md5i_walk_gait_of(desc, walk->radius);
    const md5_xform to_model = md5_xform_inverse(md5_walk_placement(walk));
    const md5_vec3 normal = md5_quat_rotate(to_model.rotation, walk->normal);
    turn_in_model(desc->skeleton, pose, desc->body, md5_turn_between(gait.up, normal));
    uint32_t num_placed = 0;
    for (uint32_t i = 0; i < desc->num_legs; i++) {
        md5_limb limb = desc->legs[i].limb;
        if (md5i_check_limb(desc->skeleton, &limb) != MD5_LIMB_PLACED)
            continue;
        const md5_vec3 target = md5_xform_point(to_model, ankle_of(&gait, &walk->feet[i]));
        if (desc->legs[i].swivel >= 0
            && (uint32_t)desc->legs[i].swivel < desc->skeleton->num_joints)
            swivel_leg(desc->skeleton, pose, &desc->legs[i], target, normal);
        const md5_quat rotation = ankle_rotation(&gait, walk, &walk->feet[i]);
        const md5_two_bone_job job = {.target = target, .rotation = &rotation, .weight = 1.0f};
        float miss = 0.0f;
        num_placed += md5i_bend_limb(desc->skeleton, pose, &limb, &job, &miss) == MD5_LIMB_PLACED;
    }
    return num_placed;
}
