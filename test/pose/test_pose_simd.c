// Posing with every instruction set that this machine has: the same bits as the scalar code.
#include "test/test.h"
#include "test/pose/test_made_pose.h"

#include "md5/pose/kernels.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_JOINTS = 130 };

static const md5_cpu all_levels[] = {MD5_CPU_SSE2, MD5_CPU_AVX2, MD5_CPU_AVX512, MD5_CPU_NEON};
enum { NUM_LEVELS = sizeof all_levels / sizeof all_levels[0] };

// The output of one call, followed by a joint that must not change.
typedef struct results {
    md5_xform pose[MAX_JOINTS + 1];
    md5_mat34 joints[MAX_JOINTS + 1], palette[MAX_JOINTS + 1];
} results;

static void clear(results *found)
{
    memset(found, 0x5a, sizeof *found);
}

static void check_same(const results *found, const results *expected, const char *what,
                       md5_cpu level, uint32_t num_joints)
{
    test_check(memcmp(found, expected, sizeof *found) == 0, __FILE__, __LINE__,
               "%s with instruction set %d gives the scalar bits of %u joints", what, (int)level,
               (unsigned)num_joints);
}

// Each step by itself.
static void pose_in_steps(const md5_pose_kernels *kernels, const made_pose *made,
                          const md5_moment *moment, md5_root root, results *found)
{
    const uint32_t count = made->model.skeleton.num_joints;
    clear(found);
    md5i_sample_with(kernels, made->binding, moment, root, found->pose);
    kernels->compose(&made->model.skeleton, found->pose, found->joints);
    kernels->multiply(count, found->joints, made->model.inverse_bind, found->palette);
}

// Sampling, then the other steps in one call.
static void pose_in_halves(const md5_pose_kernels *kernels, const made_pose *made,
                           const md5_moment *moment, md5_root root, results *found)
{
    clear(found);
    md5i_sample_with(kernels, made->binding, moment, root, found->pose);
    kernels->finish(&made->model.skeleton, made->model.inverse_bind, found->pose, found->joints,
                    found->palette);
}

// All steps in one call. The scratch memory may have any content, but nothing past it may change.
static void pose_at_once(const md5_pose_kernels *kernels, const made_pose *made,
                         const md5_moment *moment, md5_root root, const results *expected,
                         results *found)
{
    const uint32_t count = made->model.skeleton.num_joints;
    clear(found);
    md5i_pose_palette_with(kernels, made->binding, moment, root, found->pose, found->joints,
                           found->palette);
    memcpy(found->pose, expected->pose, count * sizeof found->pose[0]);
}

// Only some of the joints; the others are undefined.
static void pose_in_part(const md5_pose_kernels *kernels, const made_pose *made,
                         const md5_moment *moment, uint32_t first, uint32_t size,
                         const results *expected, results *found)
{
    const uint32_t count = made->model.skeleton.num_joints;
    bool wanted[MAX_JOINTS] = {false};
    for (uint32_t i = first; i < first + size; i++)
        wanted[i] = true;
    const md5_targets targets = md5_narrow_targets(&made->binding->plan->targets, wanted);
    clear(found);
    md5_copy_constants(made->binding, first, size, found->pose);
    kernels->sample(&made->anim, moment, &targets, found->pose);
    for (uint32_t i = 0; i < count; i++) {
        if (!wanted[i])
            found->pose[i] = expected->pose[i];
    }
}

// Samples a random range of joints with every instruction set.
static void check_part(const made_pose *made, const md5_moment *moment, uint64_t *random)
{
    static results expected, found;
    const uint32_t count = made->model.skeleton.num_joints;
    const uint32_t first = test_random_u32(random) % count;
    const uint32_t size = test_random_u32(random) % (count - first + 1);
    clear(&expected);
    if (made->binding->num_rebases > 0)
        return;
    md5i_sample_with(md5i_pose_kernels_of(MD5_CPU_SCALAR), made->binding, moment, MD5_ROOT_FILE,
                     expected.pose);
    pose_in_part(md5i_pose_kernels_of(MD5_CPU_SCALAR), made, moment, first, size, &expected,
                 &found);
    check_same(&found, &expected, "a part", MD5_CPU_SCALAR, count);
    for (int i = 0; i < NUM_LEVELS; i++) {
        if (!md5i_cpu_has(all_levels[i]))
            continue;
        pose_in_part(md5i_pose_kernels_of(all_levels[i]), made, moment, first, size, &expected,
                     &found);
        check_same(&found, &expected, "a part", all_levels[i], count);
    }
}

static void check_moment(const made_pose *made, const md5_moment *moment, md5_root root)
{
    static results expected, expected_anim, expected_nlerp, found;
    const md5_pose_kernels *const scalar = md5i_pose_kernels_of(MD5_CPU_SCALAR);
    const uint32_t count = made->model.skeleton.num_joints;
    pose_in_steps(scalar, made, moment, root, &expected);
    pose_at_once(scalar, made, moment, root, &expected, &found);
    check_same(&found, &expected, "posing at once", MD5_CPU_SCALAR, count);
    clear(&expected_anim);
    md5i_sample_anim_with(scalar, &made->anim, moment, root, expected_anim.pose);
    clear(&expected_nlerp);
    md5_moment by_nlerp = *moment;
    by_nlerp.interpolation = MD5_INTERPOLATE_NLERP;
    md5i_sample_with(scalar, made->binding, &by_nlerp, root, expected_nlerp.pose);

    for (int i = 0; i < NUM_LEVELS; i++) {
        const md5_cpu level = all_levels[i];
        if (!md5i_cpu_has(level))
            continue;
        const md5_pose_kernels *const kernels = md5i_pose_kernels_of(level);
        pose_in_steps(kernels, made, moment, root, &found);
        check_same(&found, &expected, "posing in steps", level, count);
        pose_in_halves(kernels, made, moment, root, &found);
        check_same(&found, &expected, "posing in halves", level, count);
        pose_at_once(kernels, made, moment, root, &expected, &found);
        check_same(&found, &expected, "posing at once", level, count);
        clear(&found);
        md5i_sample_anim_with(kernels, &made->anim, moment, root, found.pose);
        check_same(&found, &expected_anim, "sampling", level, count);
        clear(&found);
        md5i_sample_with(kernels, made->binding, &by_nlerp, root, found.pose);
        check_same(&found, &expected_nlerp, "sampling by nlerp", level, count);
        memcpy(found.joints, expected.joints, sizeof found.joints);
        kernels->multiply(count, found.joints, made->model.inverse_bind, found.joints);
        CHECK(memcmp(found.joints, expected.palette, count * sizeof found.joints[0]) == 0);
    }
}

static void check_made(uint32_t num_joints, made_pairing pairing, double turning, double moving,
                       uint64_t *random)
{
    made_pose made;
    make_pose(&made, num_joints, pairing, turning, moving, random);
    for (int round = 0; round < 6; round++) {
        const md5_moment moment = make_moment(&made.anim, random);
        for (int root = MD5_ROOT_FILE; root <= MD5_ROOT_IN_PLACE; root++)
            check_moment(&made, &moment, (md5_root)root);
        check_part(&made, &moment, random);
    }
    free_pose(&made);
}

// All numbers of joints, so that every remainder of every width occurs.
TEST (pose_gives_the_same_bits_with_every_instruction_set) {
    uint64_t random = 1;
    for (uint32_t num_joints = 1; num_joints <= MAX_JOINTS; num_joints++)
        check_made(num_joints, MADE_SAME, 1.0, 1.0, &random);
}

TEST (pose_of_partly_still_clips_gives_the_same_bits) {
    uint64_t random = 2;
    for (int round = 0; round < 60; round++) {
        const double parts[4] = {0.0, 1.0, test_random(&random), test_random(&random)};
        check_made(1 + test_random_u32(&random) % MAX_JOINTS, MADE_SAME,
                   parts[test_random_u32(&random) % 4], parts[test_random_u32(&random) % 4],
                   &random);
    }
}

TEST (pose_through_other_skeletons_gives_the_same_bits) {
    uint64_t random = 3;
    for (int round = 0; round < 90; round++) {
        const double turning = round % 2 ? 1.0 : test_random(&random);
        check_made(2 + test_random_u32(&random) % (MAX_JOINTS - 1),
                   (made_pairing)(1 + round % (MADE_PAIRINGS - 1)), turning, test_random(&random),
                   &random);
    }
}

// The tests above would prove nothing if every set were the scalar one, or if the made bindings had
// no rebases, missing or extra joints.
TEST (pose_tests_reach_what_they_are_about) {
    const uint32_t widths[MD5_CPU_COUNT] = {
        [MD5_CPU_SCALAR] = 1,  [MD5_CPU_SSE2] = 4, [MD5_CPU_AVX2] = 8,
        [MD5_CPU_AVX512] = 16, [MD5_CPU_NEON] = 4,
    };
    for (int level = 0; level < MD5_CPU_COUNT; level++) {
        if (md5i_cpu_has((md5_cpu)level))
            CHECK_UINT(md5i_pose_kernels_of((md5_cpu)level)->width, widths[level]);
    }
    uint64_t random = 4;
    made_pose made;
    make_pose(&made, 100, MADE_SAME, 1.0, 1.0, &random);
    CHECK(made.binding->same_order && made.binding->num_rebases == 0);
    free_pose(&made);
    make_pose(&made, 100, MADE_ORDER, 1.0, 1.0, &random);
    CHECK(!made.binding->same_order && made.binding->num_rebases == 0);
    free_pose(&made);
    make_pose(&made, 100, MADE_MISSING, 1.0, 1.0, &random);
    CHECK(made.binding->num_missing > 0 && made.binding->num_extra > 0);
    free_pose(&made);
    make_pose(&made, 100, MADE_PARENTS, 1.0, 1.0, &random);
    CHECK(made.binding->num_rebases > 0);
    free_pose(&made);
}

// The public calls, whichever instruction set they use.
TEST (pose_palette_is_the_three_steps) {
    uint64_t random = 5;
    for (int round = 0; round < 20; round++) {
        static results steps, once;
        made_pose made;
        make_pose(&made, 1 + test_random_u32(&random) % MAX_JOINTS,
                  (made_pairing)(round % MADE_PAIRINGS), 0.8, 0.8, &random);
        const uint32_t count = made.model.skeleton.num_joints;
        const md5_moment moment = make_moment(&made.anim, &random);
        clear(&steps);
        clear(&once);
        md5_sample(made.binding, moment, MD5_ROOT_ID, steps.pose);
        md5_local_to_model(&made.model.skeleton, steps.pose, steps.joints);
        md5_build_palette(&made.model, steps.joints, steps.palette);
        md5_pose_palette(made.binding, moment, MD5_ROOT_ID, once.pose, once.joints, once.palette);
        CHECK(memcmp(once.joints, steps.joints, sizeof once.joints) == 0);
        CHECK(memcmp(once.palette, steps.palette, sizeof once.palette) == 0);
        clear(&once);
        md5_sample(made.binding, moment, MD5_ROOT_ID, once.pose);
        md5_local_to_palette(&made.model, once.pose, once.joints, once.palette);
        check_same(&once, &steps, "posing in halves", MD5_CPU_COUNT, count);
        static results expected;
        pose_in_steps(md5i_pose_kernels_of(MD5_CPU_SCALAR), &made, &moment, MD5_ROOT_ID, &expected);
        check_same(&steps, &expected, "posing in steps", MD5_CPU_SCALAR, count);
        free_pose(&made);
    }
}
