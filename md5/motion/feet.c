// Feet on uneven ground, as in id's walk IK: each ankle is moved by the height of the floor under
// it, the pelvis is lowered with the lowest floor, and the legs are solved for the ankles.
#include "md5/core/assert.h"
#include "md5/motion/decay.h"
#include "md5/motion/hold.h"
#include "md5/motion/space.h"

// Moves `height` towards `goal`; the share `keep` of the difference remains.
static float smoothed(float height, float goal, float keep)
{
    const float from = fabsf(height) < MD5_FARTHEST ? height : 0.0f;
    const float to = fabsf(goal) < MD5_FARTHEST ? goal : from;
    return to + (from - to) * keep;
}

static float keep_for(float smoothing, float seconds)
{
    if (!(smoothing > 0.0f))
        return 0.0f; // also in a step of 0 seconds, such as a single pose
    return seconds > 0.0f ? (float)md5i_decay((double)seconds / (double)smoothing) : 1.0f;
}

static float lowest_floor(const md5_foot *feet, uint32_t num_feet)
{
    float lowest = INFINITY;
    for (uint32_t i = 0; i < num_feet; i++)
        lowest = feet[i].floor < lowest ? feet[i].floor : lowest;
    return lowest;
}

static void shift_joint(const md5_skeleton *skeleton, md5_xform *pose, uint32_t joint, float height)
{
    const md5_quat above = md5i_parent_in_model(skeleton, pose, joint).rotation;
    const md5_vec3 shift =
        md5_quat_rotate(md5_quat_conjugate(above),
                        md5i_vec3_to_axes(skeleton->axes, (md5_vec3){0.0f, 0.0f, height}));
    pose[joint].translation = md5_vec3_add(pose[joint].translation, shift);
}

// The rotation about a unit axis by the angle whose half has this tangent.
static md5_quat turn_about(md5_vec3 axis, float tangent)
{
    const float cosine = 1.0f / sqrtf(1.0f + tangent * tangent);
    const md5_vec3 v = md5_vec3_scale(axis, tangent * cosine);
    return (md5_quat){v.x, v.y, v.z, cosine};
}

static md5_limb_result find_leg(const md5_skeleton *skeleton, const md5_foot *foot, md5_limb *leg)
{
    if (!foot->has_leg)
        return md5i_limb_above(skeleton, foot->ankle, leg);
    *leg = (md5_limb){foot->hip, foot->knee, foot->ankle};
    return md5i_check_limb(skeleton, leg);
}

// `sunk`: the height by which the pelvis has moved the ankle. `held`: by what it is to be moved and
// turned, or NULL.
static md5_limb_result place_foot(const md5_skeleton *skeleton, md5_xform *pose,
                                  const md5_limb *leg, md5_foot *foot, const md5_held *held,
                                  float sunk, float weight)
{
    const md5_vec3 up = md5_up(skeleton->axes);
    const md5_xform ankle = md5_joint_in_model(skeleton, pose, foot->ankle);
    const md5_vec3 normal = md5_is_place(foot->normal) ? md5_vec3_normalize(foot->normal, up) : up;
    const md5_quat tilt = md5_quat_slerp(MD5_NO_TURN, md5_turn_between(up, normal), weight);
    md5_quat rotation = ankle.rotation;
    md5_vec3 target = md5i_vec3_from_axes(skeleton->axes, ankle.translation);
    target.z = target.z - sunk + foot->lift * weight;
    if (held) {
        target = md5_vec3_add(target, md5i_held_shift(held, target, weight));
        target.z += held->lift * weight;
        const float turn = md5_is_mirrored(skeleton->axes) ? -held->turn : held->turn;
        rotation = md5_quat_mul(turn_about(up, turn * weight), rotation);
    }
    rotation = md5_quat_mul(tilt, rotation);
    const md5_two_bone_job job = {
        .target = md5i_vec3_to_axes(skeleton->axes, target),
        .rotation = &rotation,
        .weight = 1.0f,
    };
    return md5i_bend_limb(skeleton, pose, leg, &job, &foot->miss);
}

uint32_t md5i_place_held_feet(const md5_skeleton *skeleton, md5_xform *pose, uint32_t pelvis,
                              md5_foot *feet, uint32_t num_feet, const md5_held *held,
                              uint32_t num_held, float *drop, float smoothing, float seconds,
                              float weight)
{
    const float keep = keep_for(smoothing, seconds);
    *drop = smoothed(*drop, lowest_floor(feet, num_feet), keep);
    for (uint32_t i = 0; i < num_feet; i++)
        feet[i].lift = smoothed(feet[i].lift, feet[i].floor, keep);
    const float most = weight > 0.0f ? (weight < 1.0f ? weight : 1.0f) : 0.0f;
    const float sunk = *drop * most;
    if (most > 0.0f && pelvis < skeleton->num_joints)
        shift_joint(skeleton, pose, pelvis, sunk);
    uint32_t num_placed = 0;
    for (uint32_t i = 0; i < num_feet; i++) {
        md5_foot *const foot = &feet[i];
        md5_limb leg;
        foot->result = find_leg(skeleton, foot, &leg);
        foot->miss = foot->result == MD5_LIMB_PLACED ? 0.0f : INFINITY;
        if (foot->result == MD5_LIMB_PLACED && most > 0.0f) {
            const bool has_sunk =
                foot->ankle == pelvis || md5i_is_below(skeleton, foot->ankle, pelvis);
            foot->result = place_foot(skeleton, pose, &leg, foot, i < num_held ? &held[i] : NULL,
                                      has_sunk ? sunk : 0.0f, most);
        }
        if (foot->result == MD5_LIMB_PLACED && !(fabsf(foot->floor) < MD5_FARTHEST))
            foot->result = MD5_LIMB_NOT_FINITE;
        num_placed += foot->result == MD5_LIMB_PLACED;
    }
    return num_placed;
}

uint32_t md5_solve_feet(const md5_skeleton *skeleton, md5_xform *pose, uint32_t pelvis,
                        md5_foot *feet, uint32_t num_feet, float *drop, float smoothing,
                        float seconds, float weight)
{
    MD5_ASSERT(skeleton != NULL, "skeleton: not NULL");
    MD5_ASSERT(pose != NULL || skeleton->num_joints == 0, "pose: not NULL");
    MD5_ASSERT(feet != NULL || num_feet == 0, "feet: not NULL");
    MD5_ASSERT(drop != NULL, "drop: not NULL");
    return md5i_place_held_feet(skeleton, pose, pelvis, feet, num_feet, NULL, 0, drop, smoothing,
                                seconds, weight);
}
