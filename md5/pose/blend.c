// Blending, adding and subtracting poses. Each function describes the work as an md5_combine_job,
// and passes it to the fastest kernel of the processor.
#include "md5/pose/kernels.h"

// Blends two poses by slerp. Weight 0 gives `from`, and weight 1 gives `to`. joint_weights[count]
// multiplies the weight of each joint, or is NULL.
void md5_blend_poses(const md5_xform *from, const md5_xform *to, float weight,
                     const float *joint_weights, uint32_t count, md5_xform *pose)
{
    MD5_ASSERT_ARRAY(from, count);
    MD5_ASSERT_ARRAY(to, count);
    MD5_ASSERT_ARRAY(pose, count);
    MD5_BLEND_KERNEL(&(md5_combine_job){
        .kind = MD5_BLEND,
        .a = from,
        .b = to,
        .out = pose,
        .joint_weights = joint_weights,
        .weight = weight,
        .count = count,
    });
}

// Performs `count` independent blends of two poses each. Each job selects slerp or nlerp.
void md5_blend_batch(const md5_blend_job *jobs, size_t count)
{
    MD5_ASSERT_ARRAY(jobs, count);
    MD5_VALIDATE_RESERVED(jobs, count);
    for (size_t i = 0; i < count; i++) {
        const md5_blend_job *const job = &jobs[i];
        const bool is_nlerp = job->interpolation == MD5_INTERPOLATE_NLERP;
        MD5_ASSERT((job->from && job->to && job->pose) || job->count == 0,
                   "jobs: must have three poses each");
        MD5_ASSERT(is_nlerp || job->interpolation == MD5_INTERPOLATE_LINEAR,
                   "jobs: interpolation must be LINEAR or NLERP");
        MD5_BLEND_KERNEL(&(md5_combine_job){
            .kind = is_nlerp ? MD5_BLEND_NLERP : MD5_BLEND,
            .a = job->from,
            .b = job->to,
            .out = job->pose,
            .joint_weights = job->joint_weights,
            .weight = job->weight,
            .count = job->count,
        });
    }
}

// Interpolates between two transforms, from `a` at t = 0 to `b` at t = 1. `t` is clamped to 0..1.
// Rotations are interpolated by slerp and translations linearly, exactly as by md5_blend_poses().
md5_xform md5_xform_blend(md5_xform a, md5_xform b, float t)
{
    md5_xform blend;
    md5_blend_poses(&a, &b, t, NULL, 1, &blend);
    return blend;
}

// Computes the difference from `reference` to `source` for each joint. md5_add_pose() can add this
// difference to other poses.
void md5_subtract_pose(const md5_xform *source, const md5_xform *reference, uint32_t count,
                       md5_xform *difference)
{
    MD5_ASSERT_ARRAY(source, count);
    MD5_ASSERT_ARRAY(reference, count);
    MD5_ASSERT_ARRAY(difference, count);
    md5i_combine_kernels[md5i_cpu_best(MD5_CPU_AVX512)](&(md5_combine_job){
        .kind = MD5_SUBTRACT,
        .a = source,
        .b = reference,
        .out = difference,
        .weight = -1,
        .count = count,
    });
}

// Adds `weight` times a difference to a pose. If `reference` is NULL, `source` is the difference.
// Otherwise the difference from `reference` to `source` is computed and added in one call.
void md5_add_pose(const md5_xform *pose, const md5_xform *source, const md5_xform *reference,
                  float weight, const float *joint_weights, uint32_t count, md5_xform *out)
{
    MD5_ASSERT_ARRAY(pose, count);
    MD5_ASSERT_ARRAY(source, count);
    MD5_ASSERT_ARRAY(out, count);
    md5i_combine_kernels[md5i_cpu_best(MD5_CPU_AVX512)](&(md5_combine_job){
        .kind = reference ? MD5_ADD_DIFFERENCE : MD5_ADD,
        .a = pose,
        .b = source,
        .reference = reference,
        .out = out,
        .joint_weights = joint_weights,
        .weight = weight,
        .count = count,
    });
}
