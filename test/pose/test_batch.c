// Crowds: with every instruction set, each character has the same result as if it is posed
// separately.
#include "test/scoped.h"
#include "test/pose/clip_case.h"
#include "test/pose/test_generated_pose.h"
#include "test/pose/instruction_sets.h"
#include "test/pose/with_kernels.h"

#include "md5/pose/skeleton.h"

// -- Access to internal functions for other tests -------------------------------------------------

uint32_t num_instruction_sets(void)
{
    return MD5_CPU_COUNT;
}

bool has_instruction_set(uint32_t set)
{
    return md5i_cpu_has((md5_cpu)set);
}

void sample_with_set(uint32_t set, const md5_binding *binding, const md5_sample_position *sample,
                     md5_root root, md5_xform *pose)
{
    sample_with(md5i_get_pose_kernels((md5_cpu)set), binding, sample, root, pose);
}

void sample_packed_with_set(uint32_t set, const md5_anim *anim, const md5_sample_position *sample,
                            md5_xform *pose)
{
    md5i_packed_sample_all(md5i_get_pose_kernels((md5_cpu)set)->sample_packed,
                           anim->internal.packed, sample, pose);
}

static md5_combine_job get_combine_job(const combine_job *job)
{
    static const md5_combine_kind kinds[NUM_COMBINE_CALLS] = {
        [COMBINE_BLEND] = MD5_BLEND,
        [COMBINE_NLERP] = MD5_BLEND_NLERP,
        [COMBINE_ADD] = MD5_ADD,
        [COMBINE_SUBTRACT] = MD5_SUBTRACT,
        [COMBINE_ADD_DIFFERENCE] = MD5_ADD_DIFFERENCE,
    };
    return (md5_combine_job){
        .kind = kinds[job->call],
        .a = job->a,
        .b = job->b,
        .reference = job->reference,
        .out = job->out,
        .joint_weights = job->joint_weights,
        .weight = job->weight,
        .count = job->count,
    };
}

void combine_with_set(uint32_t set, const combine_job *job)
{
    const md5_combine_job combined = get_combine_job(job);
    md5i_combine_kernels[set](&combined);
}

void combine_in_plain_c(const combine_job *job)
{
    const md5_combine_job combined = get_combine_job(job);
    md5i_blend_scalar(&combined);
}

void compute_bind_pose(const md5_skeleton *skeleton, const md5_xform *transforms, md5_xform *local,
                       md5_mat34 *bind, md5_mat34 *inverse)
{
    md5i_build_bind_pose(skeleton, transforms, local, bind, inverse);
}

// -- Crowds ---------------------------------------------------------------------------------------

enum { MAX_JOINTS = 40, MAX_GENERATED = 200, MAX_JOBS = 400 };

// A crowd of jobs and their results: MAX_JOINTS matrices for each.
typedef struct generated_crowd {
    generated_pose generated[MAX_GENERATED];
    uint32_t num_generated;
    md5_pose_job jobs[MAX_JOBS];
    uint32_t num_jobs;
    md5_mat34 palettes[MAX_JOBS][MAX_JOINTS];
    md5_mat34 joints[MAX_JOBS][MAX_JOINTS];
    md5_mat34 expected_palettes[MAX_JOBS][MAX_JOINTS];
    md5_mat34 expected_joints[MAX_JOBS][MAX_JOINTS];
} generated_crowd;

static void clear(generated_crowd *crowd)
{
    memset(crowd->palettes, 0x5a, sizeof crowd->palettes);
    memset(crowd->joints, 0x5a, sizeof crowd->joints);
}

// Creates a crowd of random jobs for random models and clips.
static generated_crowd *make_crowd(uint32_t num_generated, uint32_t num_jobs, uint32_t max_joints,
                                   uint64_t *random)
{
    generated_crowd *const crowd = test_calloc(1, sizeof *crowd);
    crowd->num_generated = num_generated;
    crowd->num_jobs = num_jobs;
    for (uint32_t i = 0; i < num_generated; i++) {
        const double parts[3] = {0, test_random(random), 1};
        generate_pose(&crowd->generated[i], 1 + test_random_u32(random) % max_joints,
                      (joint_pairing)(i % NUM_PAIRINGS), parts[test_random_u32(random) % 3],
                      parts[test_random_u32(random) % 3], random);
    }
    for (uint32_t i = 0; i < num_jobs; i++) {
        const generated_pose *const generated =
            &crowd->generated[test_random_u32(random) % num_generated];
        crowd->jobs[i] = (md5_pose_job){
            .binding = generated->binding,
            .sample = make_sample_position(&generated->anim, random),
            .root = (md5_root)(test_random_u32(random) % 3),
            .palette = crowd->palettes[i],
            .joints = test_random_u32(random) % 4 == 0 ? crowd->joints[i] : NULL,
        };
    }
    return crowd;
}

static void free_crowd(generated_crowd *crowd)
{
    for (uint32_t i = 0; i < crowd->num_generated; i++)
        free_generated_pose(&crowd->generated[i]);
    free(crowd);
}

static void release_crowd(generated_crowd *const *owner)
{
    free_crowd(*owner);
}
#define SCOPED_CROWD __attribute__((cleanup(release_crowd))) generated_crowd *const

// Poses the jobs one by one with the scalar code.
static void expect(generated_crowd *crowd)
{
    const md5_pose_kernels *const scalar = md5i_get_pose_kernels(MD5_CPU_SCALAR);
    clear(crowd);
    for (uint32_t i = 0; i < crowd->num_jobs; i++) {
        md5_pose_job *const job = &crowd->jobs[i];
        md5_xform pose[MAX_JOINTS];
        md5_mat34 joints[MAX_JOINTS];
        md5_mat34 *const model = job->joints ? job->joints : joints;
        sample_with(scalar, job->binding, &job->sample, job->root, pose);
        scalar->finish(job->binding->skeleton, job->binding->inverse_bind, pose, model,
                       job->palette);
    }
    memcpy(crowd->expected_palettes, crowd->palettes, sizeof crowd->palettes);
    memcpy(crowd->expected_joints, crowd->joints, sizeof crowd->joints);
}

static void check_crowd(const generated_crowd *crowd, const char *description, md5_cpu level)
{
    for (uint32_t i = 0; i < crowd->num_jobs; i++) {
        const bool same =
            memcmp(crowd->palettes[i], crowd->expected_palettes[i], sizeof crowd->palettes[i]) == 0
            && memcmp(crowd->joints[i], crowd->expected_joints[i], sizeof crowd->joints[i]) == 0;
        if (!CHECK_THAT(same, "%s, instruction set %d: job %u of %u", description, (int)level,
                        (unsigned)i, (unsigned)crowd->num_jobs))
            return;
    }
}

// Poses a part of the crowd, with scratch memory of exactly the required size at any address.
static void pose_part(const md5_pose_kernels *kernels, generated_crowd *crowd, size_t begin,
                      size_t count, size_t misplaced)
{
    const size_t size = md5_pose_batch_scratch(crowd->jobs + begin, count, NULL);
    SCOPED unsigned char *const memory = test_alloc(misplaced + size);
    md5i_pose_batch_with(kernels, crowd->jobs + begin, count, memory + misplaced);
}

// Poses the crowd in one call, and in parts, as several threads would.
static void check_with_all_levels(generated_crowd *crowd, uint64_t *random)
{
    expect(crowd);
    for (md5_cpu level = MD5_CPU_SCALAR; level < MD5_CPU_COUNT; level++) {
        if (!md5i_cpu_has(level))
            continue;
        const md5_pose_kernels *const kernels = md5i_get_pose_kernels(level);
        clear(crowd);
        pose_part(kernels, crowd, 0, crowd->num_jobs, test_random_u32(random) % 64);
        check_crowd(crowd, "at once", level);
        clear(crowd);
        for (size_t begin = 0; begin < crowd->num_jobs;) {
            const size_t left = crowd->num_jobs - begin;
            const size_t count = 1 + test_random_u32(random) % left;
            pose_part(kernels, crowd, begin, count, 4);
            begin += count;
        }
        check_crowd(crowd, "in parts", level);
    }
}

TEST (batch_of_poses_equals_the_single_call) {
    enum { NUM_JOBS = 16 };
    uint64_t random = 5;
    for (int round = 0; round < 40; round++) {
        SCOPED_CROWD crowd = make_crowd(1, NUM_JOBS, MAX_JOINTS, &random);
        for (uint32_t i = 0; i < NUM_JOBS && round % 2; i++)
            crowd->jobs[i].joints = NULL;
        expect(crowd);
        for (md5_cpu level = MD5_CPU_SCALAR; level < MD5_CPU_COUNT; level++) {
            if (!md5i_cpu_has(level))
                continue;
            const md5_pose_kernels *const kernels = md5i_get_pose_kernels(level);
            if (kernels->width == 1)
                continue;
            // Jobs beyond a multiple of the set's width keep their expected results.
            memcpy(crowd->palettes, crowd->expected_palettes, sizeof crowd->palettes);
            memcpy(crowd->joints, crowd->expected_joints, sizeof crowd->joints);
            memset(crowd->palettes, 0x5a, kernels->width * sizeof crowd->palettes[0]);
            memset(crowd->joints, 0x5a, kernels->width * sizeof crowd->joints[0]);

            // Finishes poses with gaps between them, with scratch memory of exactly the required
            // size.
            enum { STEP = MAX_JOINTS + 3, MAX_WIDTH = 16 };
            const size_t num_joints = crowd->jobs[0].binding->skeleton->num_joints;
            static md5_xform pose[MAX_WIDTH][STEP];
            const md5_pose_job *jobs[MAX_WIDTH];
            for (uint32_t i = 0; i < kernels->width; i++) {
                const md5_pose_job *const job = jobs[i] = &crowd->jobs[i];
                sample_with(kernels, job->binding, &job->sample, job->root, pose[i]);
            }
            SCOPED_ARRAY(md5_mat34, scratch, num_joints * kernels->width);
            kernels->finish_crowd(jobs, pose[0], STEP, scratch->m);

            check_crowd(crowd, "from poses", level);
        }
    }
}

// Uses 1 to 40 jobs, so that every remainder of every SIMD width occurs.
TEST (batch_of_one_binding_equals_the_single_call) {
    uint64_t random = 1;
    for (uint32_t num_jobs = 1; num_jobs <= 40; num_jobs++) {
        SCOPED_CROWD crowd = make_crowd(1, num_jobs, MAX_JOINTS, &random);
        check_with_all_levels(crowd, &random);
    }
}

TEST (batch_of_mixed_models_and_clips_equals_the_single_call) {
    uint64_t random = 2;
    for (int round = 0; round < 12; round++) {
        SCOPED_CROWD crowd =
            make_crowd(2 + test_random_u32(&random) % 14, 1 + test_random_u32(&random) % MAX_JOBS,
                       MAX_JOINTS, &random);
        check_with_all_levels(crowd, &random);
    }
}

// More bindings than md5/pose/crowd.c has groups of waiting jobs.
TEST (batch_of_very_many_bindings_equals_the_single_call) {
    uint64_t random = 3;
    SCOPED_CROWD crowd = make_crowd(MAX_GENERATED, MAX_JOBS, 9, &random);
    check_with_all_levels(crowd, &random);
}

TEST (batch_of_zero_items_writes_nothing) {
    CHECK(md5_pose_batch_scratch(NULL, 0, NULL) < 4096);
    md5_pose_batch(NULL, 0, NULL, NULL);
    uint64_t random = 4;
    SCOPED_CROWD crowd = make_crowd(3, 9, MAX_JOINTS, &random);
    expect(crowd);
    // No single job needs more scratch memory than the whole crowd.
    const size_t total_size = md5_pose_batch_scratch(crowd->jobs, crowd->num_jobs, NULL);
    for (uint32_t i = 0; i < crowd->num_jobs; i++)
        CHECK(md5_pose_batch_scratch(&crowd->jobs[i], 1, NULL) <= total_size);
    SCOPED unsigned char *const scratch = malloc(total_size);
    clear(crowd);
    md5_pose_batch(crowd->jobs, crowd->num_jobs, NULL, scratch);
    check_crowd(crowd, "the public call", MD5_CPU_COUNT);
}

// -- Jobs of different interpolations -----------------------------------------------------------

// Sets the interpolation of each job to nlerp or, if `is_mixed` is true, to a random kind. A
// position with step interpolation has the fraction 0, as md5_clamp_sample_position() returns it.
static void interpolate(generated_crowd *crowd, bool is_mixed, uint64_t *random)
{
    for (uint32_t i = 0; i < crowd->num_jobs; i++) {
        md5_pose_job *const job = &crowd->jobs[i];
        md5_sample_position *const sample = &job->sample;
        sample->interpolation =
            is_mixed ? (md5_interpolation)(test_random_u32(random) % 4) : MD5_INTERPOLATE_NLERP;
        if (sample->interpolation == MD5_INTERPOLATE_STEP)
            sample->fraction = 0;
    }
}

TEST (batch_by_nlerp_equals_the_single_call) {
    uint64_t random = 21;
    for (uint32_t round = 0; round < 52; round++) {
        const bool is_mixed = round >= 40;
        uint32_t num_bindings = 1;
        uint32_t num_jobs = round + 1;
        if (is_mixed) {
            num_jobs = 1 + test_random_u32(&random) % MAX_JOBS;
            num_bindings = 2 + test_random_u32(&random) % 14;
        }
        SCOPED_CROWD crowd = make_crowd(num_bindings, num_jobs, MAX_JOINTS, &random);
        interpolate(crowd, is_mixed, &random);
        check_with_all_levels(crowd, &random);
    }
}

// The public functions for one job and for many jobs give equal bits, which differ from the bits of
// slerp.
TEST (batch_by_nlerp_has_the_bits_of_the_public_calls) {
    md5_pose_batch(NULL, 0, NULL, NULL);
    uint64_t random = 22;
    SCOPED_CROWD crowd = make_crowd(32, 200, MAX_JOINTS, &random);
    unsigned char *const scratch =
        malloc(md5_pose_batch_scratch(crowd->jobs, crowd->num_jobs, NULL));
    uint32_t num_different = 0;
    interpolate(crowd, false, &random);
    clear(crowd);
    md5_pose_batch(crowd->jobs, crowd->num_jobs, NULL, scratch);
    for (uint32_t i = 0; i < crowd->num_jobs; i++) {
        md5_pose_job *const job = &crowd->jobs[i];
        const md5_binding *const binding = job->binding;
        const uint32_t count = binding->skeleton->num_joints;
        md5_xform pose[MAX_JOINTS];
        md5_mat34 joints[MAX_JOINTS];
        md5_mat34 palette[MAX_JOINTS];
        md5_sample(binding, job->sample, job->root, pose);
        md5_local_to_model(binding->skeleton, pose, joints);
        for (uint32_t k = 0; k < count; k++)
            palette[k] = md5_mat34_mul(joints[k], binding->inverse_bind[k]);
        CHECK_BYTES(palette, job->palette, count * sizeof *palette);
        if (job->joints)
            CHECK_BYTES(joints, job->joints, count * sizeof *joints);
        md5_sample_position by_slerp = job->sample;
        by_slerp.interpolation = MD5_INTERPOLATE_LINEAR;
        md5_pose_palette(binding, by_slerp, job->root, pose, joints, palette);
        num_different += memcmp(palette, job->palette, count * sizeof *palette) != 0 ? 1 : 0;
    }
    // Only one job must differ, because compilers draw the random numbers of the crowd in different
    // orders, and not every clip rotates.
    CHECK(num_different > 0);
    free(scratch);
}

// -- Omitted results ----------------------------------------------------------------------------

// Both output arrays are optional. Each has the same bits with and without the other, and
// neither is written past its end.
TEST (joints_or_palettes_alone_have_the_same_bits) {
    uint64_t random = 11;
    for (int round = 0; round < 80; round++) {
        SCOPED_GENERATED_POSE generated;
        const uint32_t count = 1 + test_random_u32(&random) % MAX_JOINTS;
        generate_pose(&generated, count, (joint_pairing)(round % NUM_PAIRINGS), 0.5, 0.5, &random);
        md5_mat34 joints[MAX_JOINTS + 1];
        md5_mat34 palette[MAX_JOINTS + 1];
        md5_mat34 expected_joints[MAX_JOINTS];
        md5_mat34 expected[MAX_JOINTS];
        md5_xform pose[MAX_JOINTS];
        const size_t size = count * sizeof *palette;
        md5_sample_position sample = make_sample_position(&generated.anim, &random);
        sample.interpolation = (md5_interpolation)(round % 4);
        const md5_root root = (md5_root)(round % 3);
        md5_sample(generated.binding, sample, root, pose);
        md5_local_to_model(&generated.model.skeleton, pose, expected_joints);
        md5_build_palette(&generated.model, expected_joints, expected);
        for (int kind = 0; kind < 8; kind++) {
            const bool has_joints = kind & 1;
            const bool has_palette = kind & 2;
            const bool from_sample = kind & 4;
            memset(joints, 0x5a, sizeof joints);
            memset(palette, 0x5a, sizeof palette);
            md5_mat34 *const joints_out = has_joints ? joints : NULL;
            md5_mat34 *const palette_out = has_palette ? palette : NULL;
            if (from_sample)
                md5_pose_palette(generated.binding, sample, root, pose, joints_out, palette_out);
            else
                md5_local_to_palette(&generated.model, pose, joints_out, palette_out);
            CHECK(!has_joints || memcmp(joints, expected_joints, size) == 0);
            CHECK(!has_palette || memcmp(palette, expected, size) == 0);
            CHECK(*(unsigned char *)&joints[has_joints ? count : 0] == 0x5a);
            CHECK(*(unsigned char *)&palette[has_palette ? count : 0] == 0x5a);
            // Store the pose for the next call, as md5_sample() writes it.
            md5_sample(generated.binding, sample, root, pose);
        }
    }
}

// -- Instruction sets -----------------------------------------------------------------------------
//
// Posing with every instruction set that this machine has: the same bits as the scalar code.

enum { POSE_SIMD_MAX_JOINTS = 130 };

// The output of one call, followed by a joint that must not change.
typedef struct results {
    md5_xform pose[POSE_SIMD_MAX_JOINTS + 1];
    md5_mat34 joints[POSE_SIMD_MAX_JOINTS + 1];
    md5_mat34 palette[POSE_SIMD_MAX_JOINTS + 1];
} results;

static void pose_simd_clear(results *found)
{
    memset(found, 0x5a, sizeof *found);
}

static void check_same(const results *found, const results *expected, const char *description,
                       md5_cpu level, uint32_t num_joints)
{
    CHECK_THAT(memcmp(found, expected, sizeof *found) == 0,
               "%s with instruction set %d gives the scalar bits of %u joints", description,
               (int)level, (unsigned)num_joints);
}

// Poses by three separate calls, one for each step.
static void pose_in_steps(const md5_pose_kernels *kernels, const generated_pose *generated,
                          const md5_sample_position *sample, md5_root root, results *found)
{
    const uint32_t count = generated->model.skeleton.num_joints;
    pose_simd_clear(found);
    sample_with(kernels, generated->binding, sample, root, found->pose);
    kernels->finish(&generated->model.skeleton, NULL, found->pose, found->joints, NULL);
    kernels->multiply(count, found->joints, generated->model.inverse_bind, found->palette);
}

// Poses by one call for all steps. The scratch memory may have any content, but nothing past its
// end may change.
static void pose_at_once(const md5_pose_kernels *kernels, const generated_pose *generated,
                         const md5_sample_position *sample, md5_root root, const results *expected,
                         results *found)
{
    const uint32_t count = generated->model.skeleton.num_joints;
    pose_simd_clear(found);
    pose_palette_with(kernels, generated->binding, sample, root, found->pose, found->joints,
                      found->palette);
    memcpy(found->pose, expected->pose, count * sizeof found->pose[0]);
}

// Poses only some of the joints. The results of the other joints are undefined.
static void pose_in_part(const md5_pose_kernels *kernels, const generated_pose *generated,
                         const md5_sample_position *sample, uint32_t first, uint32_t size,
                         const results *expected, results *found)
{
    const uint32_t count = generated->model.skeleton.num_joints;
    bool wanted[POSE_SIMD_MAX_JOINTS] = {false};
    for (uint32_t i = first; i < first + size; i++)
        wanted[i] = true;
    const md5_targets targets =
        md5_narrow_targets(&generated->binding->internal.plan->targets, wanted);
    pose_simd_clear(found);
    md5_copy_constants(generated->binding, first, size, found->pose);
    kernels->sample(&generated->anim, sample, &targets, found->pose);
    for (uint32_t i = 0; i < count; i++) {
        if (!wanted[i])
            found->pose[i] = expected->pose[i];
    }
}

// Checks that all instruction sets compute the same pose at a sample position, both in separate
// steps and in one call.
static void check_sample_position(const generated_pose *generated,
                                  const md5_sample_position *sample, md5_root root)
{
    static results expected;
    static results expected_anim;
    static results expected_nlerp;
    static results found;
    const md5_pose_kernels *const scalar = md5i_get_pose_kernels(MD5_CPU_SCALAR);
    const uint32_t count = generated->model.skeleton.num_joints;
    pose_in_steps(scalar, generated, sample, root, &expected);
    pose_at_once(scalar, generated, sample, root, &expected, &found);
    check_same(&found, &expected, "posing at once", MD5_CPU_SCALAR, count);
    pose_simd_clear(&expected_anim);
    md5i_sample_anim_with(scalar, &generated->anim, sample, root, expected_anim.pose);
    pose_simd_clear(&expected_nlerp);
    md5_sample_position by_nlerp = *sample;
    by_nlerp.interpolation = MD5_INTERPOLATE_NLERP;
    sample_with(scalar, generated->binding, &by_nlerp, root, expected_nlerp.pose);

    for (md5_cpu level = MD5_CPU_SCALAR + 1; level < MD5_CPU_COUNT; level++) {
        if (!md5i_cpu_has(level))
            continue;
        const md5_pose_kernels *const kernels = md5i_get_pose_kernels(level);
        pose_in_steps(kernels, generated, sample, root, &found);
        check_same(&found, &expected, "posing in steps", level, count);

        // Sample the pose, then compute the other steps in one call.
        pose_simd_clear(&found);
        sample_with(kernels, generated->binding, sample, root, found.pose);
        kernels->finish(&generated->model.skeleton, generated->model.inverse_bind, found.pose,
                        found.joints, found.palette);

        check_same(&found, &expected, "posing in halves", level, count);
        pose_at_once(kernels, generated, sample, root, &expected, &found);
        check_same(&found, &expected, "posing at once", level, count);
        pose_simd_clear(&found);
        md5i_sample_anim_with(kernels, &generated->anim, sample, root, found.pose);
        check_same(&found, &expected_anim, "sampling", level, count);
        pose_simd_clear(&found);
        sample_with(kernels, generated->binding, &by_nlerp, root, found.pose);
        check_same(&found, &expected_nlerp, "sampling by nlerp", level, count);
        memcpy(found.joints, expected.joints, sizeof found.joints);
        kernels->multiply(count, found.joints, generated->model.inverse_bind, found.joints);
        CHECK_BYTES(found.joints, expected.palette, count * sizeof found.joints[0]);
    }
}

// Checks all instruction sets with a random model and clip.
static void check_generated_pose(uint32_t num_joints, joint_pairing pairing, double turning,
                                 double moving, uint64_t *random)
{
    SCOPED_GENERATED_POSE generated;
    generate_pose(&generated, num_joints, pairing, turning, moving, random);
    for (int round = 0; round < 6; round++) {
        const md5_sample_position sample = make_sample_position(&generated.anim, random);
        for (int root = MD5_ROOT_FILE; root <= MD5_ROOT_IN_PLACE; root++)
            check_sample_position(&generated, &sample, (md5_root)root);

        // Samples a random range of joints with every instruction set.
        static results expected;
        static results found;
        const uint32_t count = generated.model.skeleton.num_joints;
        const uint32_t first = test_random_u32(random) % count;
        const uint32_t size = test_random_u32(random) % (count - first + 1);
        pose_simd_clear(&expected);
        if (generated.binding->num_rebases > 0)
            continue;
        sample_with(md5i_get_pose_kernels(MD5_CPU_SCALAR), generated.binding, &sample,
                    MD5_ROOT_FILE, expected.pose);
        for (md5_cpu level = MD5_CPU_SCALAR; level < MD5_CPU_COUNT; level++) {
            if (!md5i_cpu_has(level))
                continue;
            pose_in_part(md5i_get_pose_kernels(level), &generated, &sample, first, size, &expected,
                         &found);
            check_same(&found, &expected, "a part", level, count);
        }
    }
}

// Uses all numbers of joints, so that every remainder of every SIMD width occurs.
TEST (pose_gives_the_same_bits_with_every_instruction_set) {
    uint64_t random = 1;
    for (uint32_t num_joints = 1; num_joints <= POSE_SIMD_MAX_JOINTS; num_joints++)
        check_generated_pose(num_joints, PAIRING_SAME, 1, 1, &random);
}

TEST (pose_of_partly_still_clips_gives_the_same_bits) {
    uint64_t random = 2;
    for (int round = 0; round < 60; round++) {
        const double parts[4] = {0, 1, test_random(&random), test_random(&random)};
        check_generated_pose(1 + test_random_u32(&random) % POSE_SIMD_MAX_JOINTS, PAIRING_SAME,
                             parts[test_random_u32(&random) % 4],
                             parts[test_random_u32(&random) % 4], &random);
    }
}

TEST (pose_through_other_skeletons_gives_the_same_bits) {
    uint64_t random = 3;
    for (int round = 0; round < 90; round++) {
        const double turning = round % 2 ? 1 : test_random(&random);
        check_generated_pose(2 + test_random_u32(&random) % (POSE_SIMD_MAX_JOINTS - 1),
                             (joint_pairing)(1 + round % (NUM_PAIRINGS - 1)), turning,
                             test_random(&random), &random);
    }
}

// The tests above would prove nothing if every instruction set were the scalar set, or if the
// created bindings did not have rebases, missing joints and extra joints.
TEST (pose_tests_cover_their_cases) {
    const uint32_t widths[MD5_CPU_COUNT] = {
        [MD5_CPU_SCALAR] = 1,  [MD5_CPU_SSE2] = 4, [MD5_CPU_AVX2] = 8,
        [MD5_CPU_AVX512] = 16, [MD5_CPU_NEON] = 4,
    };
    for (md5_cpu level = MD5_CPU_SCALAR; level < MD5_CPU_COUNT; level++) {
        if (!md5i_cpu_has(level))
            continue;
        CHECK_UINT(md5i_get_pose_kernels(level)->width, widths[level]);
    }
    uint64_t random = 4;
    for (int pairing = PAIRING_SAME; pairing < NUM_PAIRINGS; pairing++) {
        SCOPED_GENERATED_POSE generated;
        generate_pose(&generated, 100, (joint_pairing)pairing, 1, 1, &random);
        const md5_binding *const binding = generated.binding;
        if (pairing <= PAIRING_REORDERED)
            CHECK(binding->same_order == (pairing == PAIRING_SAME) && binding->num_rebases == 0);
        else if (pairing == PAIRING_MISSING)
            CHECK(binding->num_missing > 0 && binding->num_extra > 0);
        else
            CHECK(binding->num_rebases > 0);
    }
}

// Tests the public functions, with the instruction set that they select.
TEST (pose_palette_is_the_three_steps) {
    uint64_t random = 5;
    for (int round = 0; round < 20; round++) {
        static results steps;
        static results once;
        SCOPED_GENERATED_POSE generated;
        generate_pose(&generated, 1 + test_random_u32(&random) % POSE_SIMD_MAX_JOINTS,
                      (joint_pairing)(round % NUM_PAIRINGS), 0.8, 0.8, &random);
        const uint32_t count = generated.model.skeleton.num_joints;
        const md5_sample_position sample = make_sample_position(&generated.anim, &random);
        pose_simd_clear(&steps);
        pose_simd_clear(&once);
        md5_sample(generated.binding, sample, MD5_ROOT_ID, steps.pose);
        md5_local_to_model(&generated.model.skeleton, steps.pose, steps.joints);
        md5_build_palette(&generated.model, steps.joints, steps.palette);
        md5_pose_palette(generated.binding, sample, MD5_ROOT_ID, once.pose, once.joints,
                         once.palette);
        CHECK_BYTES(once.joints, steps.joints, sizeof once.joints);
        CHECK_BYTES(once.palette, steps.palette, sizeof once.palette);
        pose_simd_clear(&once);
        md5_sample(generated.binding, sample, MD5_ROOT_ID, once.pose);
        md5_local_to_palette(&generated.model, once.pose, once.joints, once.palette);
        check_same(&once, &steps, "posing in halves", MD5_CPU_COUNT, count);
        static results expected;
        pose_in_steps(md5i_get_pose_kernels(MD5_CPU_SCALAR), &generated, &sample, MD5_ROOT_ID,
                      &expected);
        check_same(&steps, &expected, "posing in steps", MD5_CPU_SCALAR, count);
    }
}
