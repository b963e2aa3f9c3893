// Blends, adds and subtracts poses: checks arguments and chooses a kernel.
#include "md5/core/assert.h"
#include "md5/pose/kernels.h"

#define MD5_ASSERT_POSE(pose) MD5_ASSERT((pose) != NULL || count == 0, #pose ": not NULL")

void md5_blend_poses(const md5_transform *from, const md5_transform *to, float weight,
                     const float *joint_weights, uint32_t count, md5_transform *pose)
{
    MD5_ASSERT_POSE(from);
    MD5_ASSERT_POSE(to);
    MD5_ASSERT_POSE(pose);
    md5_pose_kernels_best()->blend(from, to, weight, joint_weights, count, pose);
}

md5_transform md5_transform_blend(md5_transform a, md5_transform b, float t)
{
    md5_transform blend;
    md5_pose_kernels_best()->blend(&a, &b, t, NULL, 1, &blend);
    return blend;
}

void md5_make_additive(const md5_transform *source, const md5_transform *reference, uint32_t count,
                       md5_transform *difference)
{
    MD5_ASSERT_POSE(source);
    MD5_ASSERT_POSE(reference);
    MD5_ASSERT_POSE(difference);
    md5_pose_kernels_best()->subtract(source, reference, count, difference);
}

void md5_add_pose(const md5_transform *pose, const md5_transform *difference, float weight,
                  const float *joint_weights, uint32_t count, md5_transform *out)
{
    MD5_ASSERT_POSE(pose);
    MD5_ASSERT_POSE(difference);
    MD5_ASSERT_POSE(out);
    md5_pose_kernels_best()->add(pose, difference, weight, joint_weights, count, out);
}

void md5_add_difference(const md5_transform *pose, const md5_transform *source,
                        const md5_transform *reference, float weight, const float *joint_weights,
                        uint32_t count, md5_transform *out)
{
    MD5_ASSERT_POSE(pose);
    MD5_ASSERT_POSE(source);
    MD5_ASSERT_POSE(reference);
    MD5_ASSERT_POSE(out);
    md5_pose_kernels_best()->add_difference(pose, source, reference, weight, joint_weights, count,
                                            out);
}
