// Tests of the posing kernels that are compiled for one float at a time, in plain C: their
// arithmetic without an instruction set. Except for shuffles of registers, this is the code of
// every instruction set.
#include "test/test.h"
#include "test/pose/test_generated_pose.h"
#include "test/pose/with_kernels.h"

#include "md5/pose/simd/crowd_wide.h"
#include "md5/pose/simd/one_wide.h"

enum { MAX_JOINTS = 50 };

static const md5_pose_kernels plain = {
    .sample = sample_pose,
    .multiply = multiply_joints,
    .finish = finish_pose,
    .crowd = pose_crowd,
    .finish_crowd = finish_crowd_poses,
    .width = MD5_WIDTH,
};

// Checks that the kernels for one float at a time compute the same bits as the scalar kernels.
static void check_generated_pose(const generated_pose *generated, uint64_t *random)
{
    static md5_xform pose[MAX_JOINTS], expected_pose[MAX_JOINTS];
    static md5_mat34 joints[MAX_JOINTS];
    static md5_mat34 palette[MAX_JOINTS];
    static md5_mat34 scratch[MAX_JOINTS];
    static md5_mat34 expected_joints[MAX_JOINTS], expected[MAX_JOINTS];
    const md5_pose_kernels *const scalar = md5i_get_pose_kernels(MD5_CPU_SCALAR);
    const md5_skeleton *const skeleton = &generated->model.skeleton;
    const size_t size = skeleton->num_joints * sizeof expected[0];
    const md5_sample_position sample = make_sample_position(&generated->anim, random);
    const md5_root root = (md5_root)(test_random_u32(random) % 3);
    pose_palette_with(scalar, generated->binding, &sample, root, expected_pose, expected_joints,
                      expected);

    sample_with(&plain, generated->binding, &sample, root, pose);
    CHECK_BYTES(pose, expected_pose, skeleton->num_joints * sizeof pose[0]);
    static md5_xform nlerp[MAX_JOINTS], expected_nlerp[MAX_JOINTS];
    md5_sample_position by_nlerp = sample;
    by_nlerp.interpolation = MD5_INTERPOLATE_NLERP;
    sample_with(scalar, generated->binding, &by_nlerp, root, expected_nlerp);
    sample_with(&plain, generated->binding, &by_nlerp, root, nlerp);
    CHECK(memcmp(nlerp, expected_nlerp, skeleton->num_joints * sizeof nlerp[0]) == 0);
    plain.finish(skeleton, NULL, pose, joints, NULL);
    CHECK(memcmp(joints, expected_joints, size) == 0);
    plain.multiply(skeleton->num_joints, joints, generated->model.inverse_bind, palette);
    CHECK_BYTES(palette, expected, size);
    memset(palette, 0, size);
    memset(joints, 0, size);
    plain.finish(&generated->model.skeleton, generated->model.inverse_bind, pose, joints, palette);
    CHECK_BYTES(joints, expected_joints, size);
    CHECK_BYTES(palette, expected, size);
    md5_pose_job job = {
        .binding = generated->binding, .sample = sample, .root = root, .palette = palette};
    const md5_pose_job *const jobs[1] = {&job};
    memset(palette, 0, size);
    plain.finish_crowd(jobs, pose, 0, scratch->m);
    CHECK_BYTES(palette, expected, size);
    memset(palette, 0, size);
    memset(joints, 0, size);
    job.joints = joints;
    plain.finish_crowd(jobs, pose, 0, scratch->m);
    CHECK_BYTES(joints, expected_joints, size);
    CHECK_BYTES(palette, expected, size);
    if (generated->binding->num_rebases > 0)
        return;

    memset(palette, 0, size);
    memset(joints, 0, size);
    pose_palette_with(&plain, generated->binding, &sample, root, pose, joints, palette);
    CHECK_BYTES(joints, expected_joints, size);
    CHECK_BYTES(palette, expected, size);
    memset(palette, 0, size);
    memset(joints, 0, size);
    job.joints = NULL;
    plain.crowd(jobs, scratch->m);
    CHECK_BYTES(palette, expected, size);
    memset(palette, 0, size);
    job.joints = joints;
    plain.crowd(jobs, scratch->m);
    CHECK_BYTES(joints, expected_joints, size);
    CHECK_BYTES(palette, expected, size);
    scalar->finish(skeleton, generated->model.inverse_bind, expected_nlerp, expected_joints,
                   expected);
    memset(palette, 0, size);
    job.sample = by_nlerp;
    plain.crowd(jobs, scratch->m);
    CHECK_BYTES(palette, expected, size);
}

// The kernels in *_wide.h, compiled for one float at a time, compute the same bits as the scalar
// kernels. This separates errors of the algorithm from errors of an instruction set.
TEST (wide_kernels_one_float_wide_give_the_same_bits) {
    uint64_t random = 1;
    for (int round = 0; round < 100; round++) {
        SCOPED_GENERATED_POSE generated;
        const double turning = round % 3 ? test_random(&random) : 1;
        generate_pose(&generated, 1 + test_random_u32(&random) % MAX_JOINTS,
                      (joint_pairing)(round % NUM_PAIRINGS), turning, test_random(&random),
                      &random);
        check_generated_pose(&generated, &random);
    }
}
