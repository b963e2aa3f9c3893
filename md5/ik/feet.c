// Feet on uneven ground, by the idea of id's walk IK: each ankle is lifted as high as its floor
// lies, the pelvis goes down with the lowest of them, and the legs make up the difference.
#include "md5/ik/space.h"
#include "md5/ik/spring.h"

static bool is_below(const md5_skeleton *skeleton, uint32_t joint, uint32_t above)
{
    for (int32_t i = (int32_t)joint; i >= 0; i = skeleton->joints[i].parent) {
        if ((uint32_t)i == above)
            return true;
    }
    return false;
}

// `height` on its way to `goal`, of which `keep` is still to be gone afterwards.
static float smoothed(float height, float goal, float keep)
{
    const float from = fabsf(height) < MD5_FARTHEST ? height : 0.0f;
    const float to = fabsf(goal) < MD5_FARTHEST ? goal : from;
    return to + (from - to) * keep;
}

static float keep_for(float smoothing, float seconds)
{
    if (!(seconds > 0.0f))
        return 1.0f;
    return smoothing > 0.0f ? (float)md5_decay((double)seconds / (double)smoothing) : 0.0f;
}

static float lowest_floor(const md5_foot *feet, uint32_t num_feet)
{
    float lowest = INFINITY;
    for (uint32_t i = 0; i < num_feet; i++)
        lowest = feet[i].floor < lowest ? feet[i].floor : lowest;
    return lowest;
}

static void shift_joint(const md5_skeleton *skeleton, md5_transform *pose, uint32_t joint,
                        float height)
{
    const md5_quat above = md5_parent_in_model(skeleton, pose, joint).rotation;
    const md5_vec3 shift =
        md5_quat_rotate(md5_quat_conjugate(above), (md5_vec3){0.0f, 0.0f, height});
    pose[joint].translation = md5_vec3_add(pose[joint].translation, shift);
}

// `sunk` is how far the ankle has gone with the pelvis.
static void place_foot(const md5_skeleton *skeleton, md5_transform *pose, const md5_foot *foot,
                       float sunk, float weight)
{
    const md5_vec3 up = {0.0f, 0.0f, 1.0f};
    const md5_transform ankle = md5_joint_in_model(skeleton, pose, foot->ankle);
    const md5_vec3 normal = md5_is_place(foot->normal) ? md5_vec3_normalize(foot->normal, up) : up;
    const md5_quat tilt = md5_slerp(MD5_NO_TURN, md5_quat_between(up, normal), weight);
    const md5_quat rotation = md5_quat_mul(tilt, ankle.rotation);
    const md5_two_bone_job job = {
        .tip = foot->ankle,
        .target = {ankle.translation.x, ankle.translation.y,
                   ankle.translation.z - sunk + foot->lift * weight},
        .rotation = &rotation,
        .weight = 1.0f,
    };
    md5_two_bone(skeleton, pose, &job);
}

void md5_place_feet(const md5_skeleton *skeleton, md5_transform *pose, uint32_t pelvis,
                    md5_foot *feet, uint32_t num_feet, float *drop, float smoothing, float seconds,
                    float weight)
{
    const float keep = keep_for(smoothing, seconds);
    *drop = smoothed(*drop, lowest_floor(feet, num_feet), keep);
    for (uint32_t i = 0; i < num_feet; i++)
        feet[i].lift = smoothed(feet[i].lift, feet[i].floor, keep);
    if (!(weight > 0.0f))
        return;
    const float most = weight < 1.0f ? weight : 1.0f;
    const float sunk = *drop * most;
    if (pelvis < skeleton->num_joints)
        shift_joint(skeleton, pose, pelvis, sunk);
    for (uint32_t i = 0; i < num_feet; i++) {
        if (feet[i].ankle >= skeleton->num_joints)
            continue;
        const bool has_sunk = is_below(skeleton, feet[i].ankle, pelvis);
        place_foot(skeleton, pose, &feet[i], has_sunk ? sunk : 0.0f, most);
    }
}
