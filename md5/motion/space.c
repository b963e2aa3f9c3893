// Transforms of joints in model space, and id's joint modifiers.
#include "md5/motion/space.h"

// Returns a unit vector perpendicular to the unit vector `v`. It is the forward axis without its
// component along `v`, or the up axis if `v` is nearly parallel to the forward axis.
md5_vec3 md5i_forward_perpendicular(md5_axes axes, md5_vec3 v)
{
    const md5_vec3 forward = md5_forward(axes);
    const md5_vec3 up = md5_up(axes);
    const bool is_along_forward = !(fabsf(md5_vec3_dot(v, forward)) < 0.99f);
    const md5_vec3 across = md5_vec3_reject(is_along_forward ? up : forward, v);
    return md5_vec3_normalize(across, up);
}

// Prepares a blend that is then applied to several joints. `weight` must be > 0. Weights above 1
// have the effect of 1.
void md5i_begin_rotation_blend(float weight, md5_rotation_blend *blend)
{
    blend->is_full = !(weight < 1);
    blend->weight = blend->is_full ? 1 : weight;
    if (!blend->is_full)
        blend->weights = md5i_slerp_weights_at(weight);
}

void md5i_slerp_joint(md5_xform *joint, const md5_rotation_blend *blend, md5_quat solved)
{
    joint->rotation = md5_slerp_weighted(&blend->weights, joint->rotation, solved);
}

// Returns the transform of one joint in model space. Composes the transforms of the joint and its
// ancestors, from the joint up to its root.
md5_float4_transform md5i_joint_transform(const md5_skeleton *skeleton, const md5_xform *pose,
                                          uint32_t joint)
{
    md5_float4 rotation = md5_float4_load_rotation(&pose[joint]);
    md5_float4 position = md5_float4_load_translation(&pose[joint]);
    for (uint32_t ancestor = skeleton->joints[joint].parent; ancestor != MD5_NONE;
         ancestor = skeleton->joints[ancestor].parent) {
        const md5_float4 local_rotation = md5_float4_load_rotation(&pose[ancestor]);
        const md5_float4 local_position = md5_float4_load_translation(&pose[ancestor]);
        position = md5_float4_add(local_position, md5_float4_rotate(local_rotation, position));
        rotation = md5_float4_quat_mul(local_rotation, rotation);
    }

    // The position does not depend on the accumulated rotation, so only the rotation is normalized.
    // The rotations are usually unit quaternions. Their product then has nearly unit length, which
    // is corrected without a square root.
    const float square = md5_float4_dot4(rotation, rotation);
    const bool is_nearly_unit = fabsf(square - 1) < 1e-4f;
    if (is_nearly_unit)
        rotation = md5_float4_scale(rotation, 1.5f - 0.5f * square);
    else
        rotation = md5_float4_from_quat(
            md5_quat_normalize(md5_quat_from_float4(rotation), MD5_NO_ROTATION));
    return (md5_float4_transform){rotation, position};
}

// Returns the transform of a joint's parent in model space, or the identity for a root.
md5_float4_transform md5i_parent_joint_transform(const md5_skeleton *skeleton,
                                                 const md5_xform *pose, uint32_t joint)
{
    const uint32_t parent = skeleton->joints[joint].parent;
    if (parent != MD5_NONE)
        return md5i_joint_transform(skeleton, pose, parent);
    return (md5_float4_transform){
        .rotation = md5_float4_set(0, 0, 0, 1),
        .position = md5_float4_set(0, 0, 0, 0),
    };
}

// Converts a transform of SIMD vectors to the public structure.
static md5_xform xform_from_transform(md5_float4_transform transform)
{
    return (md5_xform){
        .rotation = md5_quat_from_float4(transform.rotation),
        .translation = md5_vec3_from_float4(transform.position),
    };
}

// Returns the transform of one joint of `pose` in model space, for example to find the position of
// a hand.
md5_xform md5_joint_in_model(const md5_skeleton *skeleton, const md5_xform *pose, uint32_t joint)
{
    MD5_ASSERT_PART(skeleton, joints);
    MD5_ASSERT_NOT_NULL(pose);
    MD5_ASSERT(joint < skeleton->num_joints, "joint: must be an index into skeleton->joints");
    return xform_from_transform(md5i_joint_transform(skeleton, pose, joint));
}

md5_xform md5i_parent_in_model(const md5_skeleton *skeleton, const md5_xform *pose, uint32_t joint)
{
    return xform_from_transform(md5i_parent_joint_transform(skeleton, pose, joint));
}

// Writes the joints of a chain from the top down to `tip`, and returns their number. The chain has
// at most `length` joints, and fewer if it reaches the root.
uint32_t md5i_chain_joints(const md5_skeleton *skeleton, uint32_t tip, uint32_t length,
                           uint32_t *joints)
{
    // The joints are found from the tip up but written from the top down, so they are counted
    // first.
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

// Finds the joints of a chain that ends at `tip`, and their transforms in model space. Returns
// false if the tip is invalid, `length` is 0, or a position is not finite.
bool md5i_find_chain(const md5_skeleton *skeleton, const md5_xform *pose, uint32_t tip,
                     uint32_t length, md5_chain *chain)
{
    if (tip >= skeleton->num_joints || length == 0)
        return false;
    chain->count = md5i_chain_joints(skeleton, tip, length, chain->joints);
    const md5_float4_transform above =
        md5i_parent_joint_transform(skeleton, pose, chain->joints[0]);
    chain->above = md5_quat_from_float4(above.rotation);

    // The normalized rotation of a joint moves the next joint. The product of the rotations
    // continues without normalization, so that the processor need not finish the normalization
    // before it starts the next product.
    md5_float4 product = above.rotation;
    md5_float4 parent_rotation = above.rotation;
    md5_float4 position = above.position;
    bool is_valid = true;
    for (uint32_t i = 0; i < chain->count; i++) {
        const md5_xform *const local = &pose[chain->joints[i]];
        const md5_float4 bone =
            md5_float4_rotate(parent_rotation, md5_float4_load_translation(local));
        position = md5_float4_add(position, bone);
        product = md5_float4_quat_mul(product, md5_float4_load_rotation(local));
        const md5_float4 rotation = md5_float4_renormalize(product);
        chain->positions[i] = md5_vec3_from_float4(position);
        chain->rotations[i] = md5_quat_from_float4(rotation);
        is_valid = is_valid && md5_is_valid_vec3(chain->positions[i]);
        parent_rotation = rotation;
    }
    return is_valid;
}

// Rotates the joints of a chain to rotations[chain->count], which are in model space. A weight
// below 1 blends with the rotations of the pose.
void md5i_rotate_chain(const md5_chain *chain, const md5_quat *rotations, float weight,
                       md5_xform *pose)
{
    md5_rotation_blend blend;
    md5i_begin_rotation_blend(weight, &blend);
    md5_float4 parent = md5_float4_load(&chain->above);
    for (uint32_t i = 0; i < chain->count; i++) {
        const md5_float4 rotation = md5_float4_load(&rotations[i]);
        const md5_float4 local = md5_float4_quat_mul(md5_float4_conjugate(parent), rotation);
        md5_blend_joint_rotation(&pose[chain->joints[i]], &blend, local);
        parent = rotation;
    }
}

// == Modifiers ===================================================================================
//
// id's joint modifiers (idAnimator::SetJointPos, SetJointAxis). They change one joint of a pose
// whose transforms are relative to the parents.

// Returns the new rotation of a joint relative to its parent. `above` is the transform of the
// parent in model space, and `local` the joint's current rotation relative to the parent. `change`
// is in the space that `space` selects. It is applied in addition to `local`, or replaces it
// (override).
static md5_quat modified_rotation(md5_joint_space space, const md5_xform *above, md5_quat local,
                                  md5_quat change)
{
    const md5_quat parent_to_model = above->rotation;
    const md5_quat model_to_parent = md5_quat_conjugate(parent_to_model);
    const md5_quat parent_change = md5_quat_mul(model_to_parent, change);
    switch (space) {
    case MD5_JOINT_LOCAL: // in the axes of the joint: applied before its rotation
        return md5_quat_mul(local, change);
    case MD5_JOINT_MODEL: // in the axes of the model: applied after it
        return md5_quat_mul(md5_quat_mul(parent_change, parent_to_model), local);
    case MD5_JOINT_MODEL_OVERRIDE:
        return parent_change;
    default: // MD5_JOINT_LOCAL_OVERRIDE
        return change;
    }
}

// Returns the new translation of a joint relative to its parent. `above` is the transform of the
// parent in model space, and `local` the joint's current translation. As in id's code,
// MD5_JOINT_MODEL does not add the change to the position of joint 0. The change becomes its new
// position.
static md5_vec3 modified_translation(md5_joint_space space, const md5_xform *above, bool is_root,
                                     md5_vec3 local, md5_vec3 change)
{
    const md5_quat model_to_parent = md5_quat_conjugate(above->rotation);
    const bool is_model_position =
        space == MD5_JOINT_MODEL_OVERRIDE || (space == MD5_JOINT_MODEL && is_root);
    if (is_model_position)
        return md5_quat_rotate(model_to_parent, md5_vec3_sub(change, above->translation));
    if (space == MD5_JOINT_MODEL)
        return md5_vec3_add(local, md5_quat_rotate(model_to_parent, change));
    if (space == MD5_JOINT_LOCAL)
        return md5_vec3_add(local, change);
    return change; // MD5_JOINT_LOCAL_OVERRIDE
}

// Rotates one joint of a pose by `change`, in the space that `space` selects. `above` is the
// transform of the joint's parent in model space.
static void modify_rotation(md5_joint_space space, const md5_xform *above, md5_quat change,
                            float weight, md5_xform *local)
{
    const md5_quat unit = md5_quat_normalize(change, MD5_NO_ROTATION);
    const md5_quat rotation = modified_rotation(space, above, local->rotation, unit);
    md5_rotation_blend blend;
    md5i_begin_rotation_blend(weight, &blend);
    md5_blend_joint_rotation(local, &blend, md5_float4_from_quat(rotation));
}

// Moves one joint of a pose by `change`, in the space that `space` selects. Does nothing if the
// result is not finite.
static void modify_translation(md5_joint_space space, const md5_xform *above, bool is_root,
                               md5_vec3 change, float weight, md5_xform *local)
{
    const md5_vec3 translation =
        modified_translation(space, above, is_root, local->translation, change);
    if (!md5_is_valid_vec3(translation))
        return;
    if (weight < 1)
        local->translation = md5_vec3_lerp(local->translation, translation, weight);
    else
        local->translation = translation;
}

// Rotates and moves one joint of a pose by `change`, in the space that `space` selects. Ignores a
// rotation of 0 0 0 0, and a translation that is not finite. Returns false if the joint does not
// exist.
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

    const md5_xform above = md5i_parent_in_model(skeleton, pose, joint);
    if (md5_is_rotation(change.rotation))
        modify_rotation(space, &above, change.rotation, weight, &pose[joint]);
    if (md5_is_valid_vec3(change.translation))
        modify_translation(space, &above, joint == 0, change.translation, weight, &pose[joint]);
    return true;
}
