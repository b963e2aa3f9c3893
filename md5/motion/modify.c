// id's joint modifiers (idAnimator::SetJointPos, SetJointAxis), for a pose relative to the parents.
#include "md5/core/assert.h"
#include "md5/motion/space.h"

static md5_quat turned_rotation(md5_joint_space space, md5_quat above, md5_quat local,
                                md5_quat turn)
{
    const md5_quat down = md5_quat_conjugate(above);
    switch (space) {
    case MD5_JOINT_LOCAL:
        return md5_quat_mul(local, turn);
    case MD5_JOINT_MODEL:
        return md5_quat_mul(md5_quat_mul(md5_quat_mul(down, turn), above), local);
    case MD5_JOINT_MODEL_OVERRIDE:
        return md5_quat_mul(down, turn);
    default: // MD5_JOINT_LOCAL_OVERRIDE
        return turn;
    }
}

static md5_vec3 moved_place(md5_joint_space space, md5_xform above, md5_vec3 local, md5_vec3 move)
{
    const md5_quat down = md5_quat_conjugate(above.rotation);
    switch (space) {
    case MD5_JOINT_LOCAL:
        return md5_vec3_add(local, move);
    case MD5_JOINT_MODEL:
        return md5_vec3_add(local, md5_quat_rotate(down, move));
    case MD5_JOINT_MODEL_OVERRIDE:
        return md5_quat_rotate(down, md5_vec3_sub(move, above.translation));
    default: // MD5_JOINT_LOCAL_OVERRIDE
        return move;
    }
}

bool md5_modify_joint(const md5_skeleton *skeleton, md5_xform *pose, uint32_t joint,
                      md5_joint_space space, md5_xform change, float weight)
{
    MD5_ASSERT(skeleton != NULL, "skeleton: not NULL");
    MD5_ASSERT(pose != NULL || skeleton->num_joints == 0, "pose: not NULL");
    MD5_ASSERT((unsigned)space <= MD5_JOINT_MODEL_OVERRIDE, "space: a md5_joint_space");
    if (joint >= skeleton->num_joints)
        return false;
    if (!(weight > 0.0f))
        return true;
    md5_xform *const changed = &pose[joint];
    const md5_xform above = md5i_parent_in_model(skeleton, pose, joint);
    if (md5_is_rotation(change.rotation)) {
        const md5_quat turn = md5_quat_normalize(change.rotation, MD5_NO_TURN);
        md5_share share;
        md5i_share_of(weight, &share);
        md5_turn_joint(
            changed, &share,
            md5_float4_of_quat(turned_rotation(space, above.rotation, changed->rotation, turn)));
    }
    if (!md5_is_place(change.translation))
        return true;
    // The original adds the position of joint 0 to nothing.
    const md5_joint_space way =
        space == MD5_JOINT_MODEL && joint == 0 ? MD5_JOINT_MODEL_OVERRIDE : space;
    const md5_vec3 place = moved_place(way, above, changed->translation, change.translation);
    if (md5_is_place(place))
        changed->translation =
            weight < 1.0f ? md5_vec3_lerp(changed->translation, place, weight) : place;
    return true;
}
