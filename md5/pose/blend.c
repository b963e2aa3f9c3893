// Blends, adds and subtracts poses: checks arguments and chooses a kernel.
#include "md5/core/assert.h"
#include "md5/pose/kernels.h"

#define MD5_ASSERT_POSE(pose) MD5_ASSERT((pose) != NULL || count == 0, #pose ": not NULL")

void md5_blend_poses(const md5_xform *from, const md5_xform *to, float weight,
                     const float *joint_weights, uint32_t count, md5_xform *pose)
{
    MD5_ASSERT_POSE(from);
    MD5_ASSERT_POSE(to);
    MD5_ASSERT_POSE(pose);
    md5i_pose_kernels_best()->blend(from, to, weight, joint_weights, count, pose);
}

md5_xform md5_xform_blend(md5_xform a, md5_xform b, float t)
{
    md5_xform blend;
    md5i_pose_kernels_best()->blend(&a, &b, t, NULL, 1, &blend);
    return blend;
}

void md5_subtract_pose(const md5_xform *source, const md5_xform *reference, uint32_t count,
                       md5_xform *difference)
{
    MD5_ASSERT_POSE(source);
    MD5_ASSERT_POSE(reference);
    MD5_ASSERT_POSE(difference);
    md5i_pose_kernels_best()->subtract(source, reference, count, difference);
}

void md5_add_pose(const md5_xform *pose, const md5_xform *source, const md5_xform *reference,
                  float weight, const float *joint_weights, uint32_t count, md5_xform *out)
{
    MD5_ASSERT_POSE(pose);
    MD5_ASSERT_POSE(source);
    MD5_ASSERT_POSE(out);
    const md5_pose_kernels *const kernels = md5i_pose_kernels_best();
    if (reference)
        kernels->add_difference(pose, source, reference, weight, joint_weights, count, out);
    else
        kernels->add(pose, source, weight, joint_weights, count, out);
}
