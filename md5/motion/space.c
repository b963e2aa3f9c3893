// Joints in model space.
#include "md5/motion/space.h"

md5_vec3 md5i_forward_beside(md5_axes axes, md5_vec3 v)
{
    const md5_vec3 forward = md5_forward(axes);
    const md5_vec3 up = md5_up(axes);
    const bool is_across = fabsf(md5_vec3_dot(v, forward)) < 0.99f;
    const md5_vec3 beside = md5_vec3_reject(is_across ? forward : up, v);
    return md5_vec3_normalize(beside, up);
}

void md5i_share_of(float weight, md5_share *share)
{
    share->is_whole = !(weight < 1);
    share->weight = share->is_whole ? 1 : weight;
    if (!share->is_whole)
        share->weights = md5i_slerp_weights_at(weight);
}

void md5i_turn_partly(md5_xform *joint, const md5_share *share, md5_quat turned)
{
    joint->rotation = md5_slerp_weighted(&share->weights, joint->rotation, turned);
}

md5_float4_place md5i_place_of(const md5_skeleton *skeleton, const md5_xform *pose, uint32_t joint)
{
    md5_float4 rotation = md5_float4_load_rotation(&pose[joint]);
    md5_float4 place = md5_float4_load_translation(&pose[joint]);
    for (uint32_t above = skeleton->joints[joint].parent; above != MD5_NONE;
         above = skeleton->joints[above].parent) {
        const md5_float4 turn = md5_float4_load_rotation(&pose[above]);
        place = md5_float4_add(md5_float4_load_translation(&pose[above]),
                               md5_float4_rotate(turn, place));
        rotation = md5_float4_quat_mul(turn, rotation);
    }
    // Positions use each joint's accumulated rotation, so rounding errors accumulate only there.
    // Products of unit quaternions, the usual case, need no square root to be normalized.
    const float square = md5_float4_dot4(rotation, rotation);
    if (fabsf(square - 1) < 1e-4f)
        rotation = md5_float4_scale(rotation, 1.5f - 0.5f * square);
    else
        rotation =
            md5_float4_from_quat(md5_quat_normalize(md5_quat_from_float4(rotation), MD5_NO_TURN));
    return (md5_float4_place){rotation, place};
}

md5_float4_place md5i_place_above(const md5_skeleton *skeleton, const md5_xform *pose,
                                  uint32_t joint)
{
    const uint32_t parent = skeleton->joints[joint].parent;
    if (parent != MD5_NONE)
        return md5i_place_of(skeleton, pose, parent);
    return (md5_float4_place){
        .rotation = md5_float4_set(0, 0, 0, 1),
        .place = md5_float4_set(0, 0, 0, 0),
    };
}

static md5_xform xform_from_place(md5_float4_place place)
{
    return (md5_xform){
        .rotation = md5_quat_from_float4(place.rotation),
        .translation = md5_vec3_from_float4(place.place),
    };
}

md5_xform md5_joint_in_model(const md5_skeleton *skeleton, const md5_xform *pose, uint32_t joint)
{
    MD5_ASSERT_PART(skeleton, joints);
    MD5_ASSERT_NOT_NULL(pose);
    MD5_ASSERT(joint < skeleton->num_joints, "joint: must be an index into skeleton->joints");
    return xform_from_place(md5i_place_of(skeleton, pose, joint));
}

md5_xform md5i_parent_in_model(const md5_skeleton *skeleton, const md5_xform *pose, uint32_t joint)
{
    return xform_from_place(md5i_place_above(skeleton, pose, joint));
}

uint32_t md5i_chain_joints(const md5_skeleton *skeleton, uint32_t tip, uint32_t length,
                           uint32_t *joints)
{
    uint32_t count = 0;
    for (uint32_t ancestor = tip; ancestor != MD5_NONE && count < length && count < MD5_MAX_CHAIN;
         ancestor = skeleton->joints[ancestor].parent)
        count++;
    uint32_t joint = tip;
    for (uint32_t i = count; i-- > 0;) {
        joints[i] = joint;
        joint = skeleton->joints[joint].parent;
    }
    return count;
}

bool md5i_find_chain(const md5_skeleton *skeleton, const md5_xform *pose, uint32_t tip,
                     uint32_t length, md5_chain *chain)
{
    if (tip >= skeleton->num_joints || length == 0)
        return false;
    const uint32_t count = md5i_chain_joints(skeleton, tip, length, chain->joints);
    chain->count = count;
    const md5_float4_place above = md5i_place_above(skeleton, pose, chain->joints[0]);
    chain->above = md5_quat_from_float4(above.rotation);
    md5_float4 product = above.rotation;
    md5_float4 rotation = product;
    md5_float4 place = above.place;
    bool is_sound = true;
    for (uint32_t i = 0; i < count; i++) {
        const md5_xform *const local = &pose[chain->joints[i]];
        place =
            md5_float4_add(place, md5_float4_rotate(rotation, md5_float4_load_translation(local)));
        product = md5_float4_quat_mul(product, md5_float4_load_rotation(local));
        rotation = md5_float4_renormalize(product); // not on the critical path of the next joint
        chain->places[i] = md5_vec3_from_float4(place);
        chain->rotations[i] = md5_quat_from_float4(rotation);
        is_sound = is_sound && md5_is_place(chain->places[i]);
    }
    return is_sound;
}

void md5i_turn_chain(const md5_chain *chain, const md5_quat *turned, float weight, md5_xform *pose)
{
    md5_share share;
    md5i_share_of(weight, &share);
    md5_float4 above = md5_float4_load(&chain->above);
    for (uint32_t i = 0; i < chain->count; i++) {
        const md5_float4 now = md5_float4_load(&turned[i]);
        md5_turn_joint(&pose[chain->joints[i]], &share,
                       md5_float4_quat_mul(md5_float4_conjugate(above), now));
        above = now;
    }
}

// == Modifiers ===================================================================================
//
// id's joint modifiers (idAnimator::SetJointPos, SetJointAxis), for a pose relative to the parents.

bool md5_modify_joint(const md5_skeleton *skeleton, uint32_t joint, md5_joint_space space,
                      md5_xform change, float weight, md5_xform *pose)
{
    MD5_ASSERT_PART(skeleton, joints);
    MD5_ASSERT(pose || skeleton->num_joints == 0, "pose: must not be NULL");
    MD5_ASSERT((unsigned)space <= MD5_JOINT_MODEL_OVERRIDE,
               "space: must be a value of md5_joint_space");
    if (joint >= skeleton->num_joints)
        return false;
    if (!(weight > 0))
        return true;
    md5_xform *const changed = &pose[joint];
    const md5_xform above = md5i_parent_in_model(skeleton, pose, joint);
    const md5_quat down = md5_quat_conjugate(above.rotation);
    if (md5_is_rotation(change.rotation)) {
        md5_quat turn = md5_quat_normalize(change.rotation, MD5_NO_TURN);
        if (space == MD5_JOINT_LOCAL)
            turn = md5_quat_mul(changed->rotation, turn);
        else if (space != MD5_JOINT_LOCAL_OVERRIDE)
            turn = md5_quat_mul(down, turn);
        if (space == MD5_JOINT_MODEL)
            turn = md5_quat_mul(md5_quat_mul(turn, above.rotation), changed->rotation);
        md5_share share;
        md5i_share_of(weight, &share);
        md5_turn_joint(changed, &share, md5_float4_from_quat(turn));
    }
    md5_vec3 place = change.translation;
    if (!md5_is_place(place))
        return true;
    // The original adds the position of joint 0 to nothing.
    if (space == MD5_JOINT_MODEL_OVERRIDE || (space == MD5_JOINT_MODEL && joint == 0))
        place = md5_quat_rotate(down, md5_vec3_sub(place, above.translation));
    else if (space == MD5_JOINT_MODEL)
        place = md5_vec3_add(changed->translation, md5_quat_rotate(down, place));
    else if (space == MD5_JOINT_LOCAL)
        place = md5_vec3_add(changed->translation, place);
    if (md5_is_place(place))
        changed->translation =
            weight < 1 ? md5_vec3_lerp(changed->translation, place, weight) : place;
    return true;
}
