// Converts transforms that are relative to the parent joints to model space, and back.
#include "md5/core/math.h"
#include "md5/pose/kernels.h"

// Converts a pose to joint matrices in model space. pose[num_joints] contains transforms relative
// to the parents. The function writes joints[num_joints].
void md5_local_to_model(const md5_skeleton *skeleton, const md5_xform *pose, md5_mat34 *joints)
{
    MD5_ASSERT_PART(skeleton, joints);
    MD5_ASSERT_ARRAY(pose, skeleton->num_joints);
    MD5_ASSERT_ARRAY(joints, skeleton->num_joints);
    // Each joint depends on its parent, so latency matters more than width. The instruction set
    // with the lowest latency is fastest.
    MD5_POSE_KERNELS(AVX2)->finish(skeleton, NULL, pose, joints, NULL);
}

// -- Transforms -----------------------------------------------------------------------------

// Returns a * b, and normalizes the rotation. Otherwise the rounding errors of a long chain of
// joints would add up.
static md5_xform multiply_normalized(md5_xform a, md5_xform b)
{
    md5_xform result = md5_xform_mul(a, b);
    const md5_quat q = result.rotation;
    const float scale = 1.0f / sqrtf(((q.x * q.x + q.y * q.y) + q.z * q.z) + q.w * q.w);
    result.rotation = (md5_quat){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
    return result;
}

// Converts a pose to transforms in model space. Parents are converted before their children. The
// two arrays may be the same.
void md5_local_to_model_xforms(const md5_skeleton *skeleton, const md5_xform *pose,
                               md5_xform *joints)
{
    MD5_ASSERT_PART(skeleton, joints);
    MD5_ASSERT_ARRAY(pose, skeleton->num_joints);
    MD5_ASSERT_ARRAY(joints, skeleton->num_joints);
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        if (parent == MD5_NONE)
            joints[joint] = pose[joint];
        else
            joints[joint] = multiply_normalized(joints[parent], pose[joint]);
    }
}

// Converts transforms in model space to a pose. Children are converted before their parents, so
// that a parent is still in model space when a child reads it. Therefore the two arrays may be the
// same.
void md5_model_to_local_xforms(const md5_skeleton *skeleton, const md5_xform *joints,
                               md5_xform *pose)
{
    MD5_ASSERT_PART(skeleton, joints);
    MD5_ASSERT_ARRAY(joints, skeleton->num_joints);
    MD5_ASSERT_ARRAY(pose, skeleton->num_joints);
    for (uint32_t i = skeleton->num_joints; i-- > 0;) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        if (parent == MD5_NONE)
            pose[joint] = joints[joint];
        else
            pose[joint] = multiply_normalized(md5_xform_inverse(joints[parent]), joints[joint]);
    }
}
