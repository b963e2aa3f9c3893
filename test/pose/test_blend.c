// Blending and adding poses: against the exact result in double, at the ends, and with every
// instruction set.
#include "test/pose/instruction_sets.h"
#include "test/scoped.h"
#include "test/pose/test_generated_pose.h"
#include "test/real.h"

enum { MAX_COUNT = 300 };

static float random_number(uint64_t *random)
{
    return (float)(200 * test_random(random) - 100);
}

static md5_xform random_transform(uint64_t *random)
{
    const md5_quat rotation = random_unit_quat(random);
    const float x = random_number(random);
    const float y = random_number(random);
    return (md5_xform){rotation, {x, y, random_number(random)}, 0};
}

static md5_quat negative(md5_quat q)
{
    return (md5_quat){-q.x, -q.y, -q.z, -q.w};
}

// Returns a rotation near `a`, equal to it, its negative, or any other.
static md5_xform random_partner(md5_xform a, uint64_t *random)
{
    md5_xform b = random_transform(random);
    const uint32_t kind = test_random_u32(random) % 8;
    if (kind == 0)
        b.rotation = a.rotation;
    if (kind == 1)
        b.rotation = negative(a.rotation);
    if (kind == 2 || kind == 3) {
        const float part = (float)pow(10, -7 * test_random(random));
        b.rotation = md5_quat_slerp(a.rotation, b.rotation, part);
    }
    if (kind == 3)
        b.rotation = negative(b.rotation);
    return b;
}

// -- Exact answers --------------------------------------------------------------------------------

static double off_unit(md5_quat q)
{
    return fabs(real4_length(q) - 1);
}

static double off_lerp(md5_vec3 found, md5_vec3 a, md5_vec3 b, double t)
{
    const double x = a.x + ((double)b.x - a.x) * t;
    const double y = a.y + ((double)b.y - a.y) * t;
    const double z = a.z + ((double)b.z - a.z) * t;
    return fmax(fmax(fabs(found.x - x), fabs(found.y - y)), fabs(found.z - z));
}

typedef struct poses {
    md5_xform a[MAX_COUNT];
    md5_xform b[MAX_COUNT];
    md5_xform c[MAX_COUNT];
    md5_xform out[MAX_COUNT];
    float weights[MAX_COUNT];
} poses;

static void make_poses(poses *set, uint64_t *random)
{
    for (int i = 0; i < MAX_COUNT; i++) {
        set->a[i] = random_transform(random);
        set->b[i] = random_partner(set->a[i], random);
        set->c[i] = random_partner(set->b[i], random);
        set->weights[i] = (float)test_random(random);
    }
}

#define TEST_POSES(title, seed) \
    TEST_WITH (title, poses, set, make_poses(set, &(uint64_t){seed}), (void)0)

TEST (blend_is_exact_to_a_millionth_of_a_radian) {
    static poses set;
    uint64_t random = 1;
    for (int round = 0; round < 300000 / MAX_COUNT; round++) {
        make_poses(&set, &random);
        md5_blend_poses(set.a, set.b, 1, set.weights, MAX_COUNT, set.out);
        for (int i = 0; i < MAX_COUNT; i++) {
            const md5_xform a = set.a[i];
            const md5_xform b = set.b[i];
            const md5_xform found = set.out[i];
            const double t = (double)set.weights[i];
            const real4 expected =
                real4_slerp(to_unit_real4(a.rotation),
                            real4_towards(to_unit_real4(b.rotation), to_unit_real4(a.rotation)), t);
            CHECK_SMALL(off_unit(found.rotation), 5e-7);
            const md5_vec3 translation = found.translation;
            CHECK_SMALL(off_lerp(translation, a.translation, b.translation, t), 3e-5);
            // If the quaternions are 90 degrees apart, both arcs are correct.
            if (!(fabs(real4_dot(to_unit_real4(a.rotation), to_unit_real4(b.rotation))) < 1e-6))
                CHECK_SMALL(real4_angle(to_unit_real4(found.rotation), expected), 1e-6);
        }
    }
}

// Covers all weights, and all angles up to 180 degrees between the rotations.
TEST (blend_is_exact_for_all_angles_and_weights) {
    enum { STEPS = 100 };
    for (int i = 0; i <= STEPS; i++) {
        const double angle = acos(0.0) * i / (double)STEPS;
        const md5_xform a = {{1, 0, 0, 0}, {0, 0, 0}, 0};
        const md5_xform b = {{(float)cos(angle), 0, (float)sin(angle), 0}, a.translation, 0};
        for (int k = 0; k <= STEPS; k++) {
            md5_xform found;
            const float t = (float)k / (float)STEPS;
            md5_blend_poses(&a, &b, t, NULL, 1, &found);
            const double rotated = angle * (double)t;
            const real4 expected = {cos(rotated), 0, sin(rotated), 0};
            CHECK_SMALL(real4_angle(to_unit_real4(found.rotation), expected), 1e-6);
            CHECK_SMALL(off_unit(found.rotation), 5e-7);
        }
    }
}

// -- Ends and masks -------------------------------------------------------------------------------

static bool same(const md5_xform *a, const md5_xform *b, size_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

// Blends two poses like md5_blend_poses(), with slerp or with nlerp.
static void blend_by(md5_interpolation interpolation, const poses *set, float weight,
                     const float *joint_weights, md5_xform *out)
{
    md5_blend_batch(&(md5_blend_job){.from = set->a,
                                     .to = set->b,
                                     .joint_weights = joint_weights,
                                     .pose = out,
                                     .weight = weight,
                                     .count = MAX_COUNT,
                                     .interpolation = interpolation},
                    1);
}

TEST (blend_by_nlerp_is_the_sum_at_unit_length) {
    static poses set;
    uint64_t random = 12;
    for (int round = 0; round < 60000 / MAX_COUNT; round++) {
        make_poses(&set, &random);
        blend_by(MD5_INTERPOLATE_NLERP, &set, 1, set.weights, set.out);
        for (int i = 0; i < MAX_COUNT; i++) {
            const real4 a = to_unit_real4(set.a[i].rotation);
            const real4 b = to_unit_real4(set.b[i].rotation);
            const double t = (double)set.weights[i];
            const double sign = real4_dot(a, b) < 0 ? -t : t;
            const real4 sum = {a.x * (1 - t) + b.x * sign, a.y * (1 - t) + b.y * sign,
                               a.z * (1 - t) + b.z * sign, a.w * (1 - t) + b.w * sign};
            CHECK_SMALL(off_unit(set.out[i].rotation), 5e-7);
            CHECK_SMALL(
                off_lerp(set.out[i].translation, set.a[i].translation, set.b[i].translation, t),
                3e-5);
            if (!(fabs(real4_dot(a, b)) < 1e-6))
                CHECK_SMALL(real4_angle(to_unit_real4(set.out[i].rotation), sum), 1e-6);
        }
    }
}

// A job whose optional members are 0 computes md5_blend_poses(). A job can use the result of an
// earlier job.
TEST_POSES (blend_jobs_are_done_in_order, 13) {
    static md5_xform expected[MAX_COUNT];
    md5_blend_poses(set->a, set->b, 0.3f, NULL, MAX_COUNT, expected);
    md5_blend_poses(expected, set->c, 0.6f, set->weights, MAX_COUNT, expected);
    const md5_blend_job jobs[] = {
        {.from = set->a, .to = set->b, .pose = set->out, .weight = 0.3f, .count = MAX_COUNT},
        {.from = set->out,
         .to = set->c,
         .joint_weights = set->weights,
         .pose = set->out,
         .weight = 0.6f,
         .count = MAX_COUNT}};
    md5_blend_batch(jobs, 2);
    CHECK(same(set->out, expected, MAX_COUNT));
}

TEST_POSES (blend_ends_are_the_inputs_bit_by_bit, 2) {
    set->a[3].translation.x = set->a[70].rotation.y = -0.0f;
    set->b[3].translation.x = set->b[70].rotation.y = 0;
    const float low[] = {0, -0.0f, -1, -INFINITY, NAN};
    const float high[] = {1, 7, INFINITY};
    const md5_interpolation kinds[] = {MD5_INTERPOLATE_LINEAR, MD5_INTERPOLATE_NLERP};
    for (size_t j = 0; j < COUNT_OF(kinds); j++) {
        for (size_t i = 0; i < COUNT_OF(low); i++) {
            blend_by(kinds[j], set, low[i], NULL, set->out);
            CHECK(same(set->out, set->a, MAX_COUNT));
        }
        for (size_t i = 0; i < COUNT_OF(high); i++) {
            blend_by(kinds[j], set, high[i], NULL, set->out);
            CHECK(same(set->out, set->b, MAX_COUNT));
        }
    }
}

// With a mask of 0, 1 and values in between, each joint has the result of blending only this joint.
TEST (blend_mask_weighs_each_joint) {
    static poses set;
    static poses expected;
    uint64_t random = 3;
    make_poses(&set, &random);
    const float ends[] = {0, 1, -1, 2, NAN, INFINITY};
    for (int i = 0; i < MAX_COUNT; i++) {
        // Blocks in which all joints are blended, all are copied, or some are blended and some are
        // copied.
        if (i % 100 >= 40 && (i % 100 > 80 || i % 3 == 0))
            set.weights[i] = ends[test_random_u32(&random) % 6];
    }
    expected = set;
    for (int i = 0; i < MAX_COUNT; i++)
        md5_blend_poses(&set.a[i], &set.b[i], 0.75f * set.weights[i], NULL, 1, &expected.out[i]);
    md5_blend_poses(set.a, set.b, 0.75f, set.weights, MAX_COUNT, set.out);
    CHECK(same(set.out, expected.out, MAX_COUNT));
    for (int i = 0; i < MAX_COUNT; i++)
        md5_add_pose(&set.a[i], &set.b[i], NULL, 0.75f * set.weights[i], NULL, 1, &expected.out[i]);
    md5_add_pose(set.a, set.b, NULL, 0.75f, set.weights, MAX_COUNT, set.out);
    CHECK(same(set.out, expected.out, MAX_COUNT));
    for (int i = 0; i < MAX_COUNT; i++) {
        if (set.weights[i] == 0 && !CHECK(same(&set.out[i], &set.a[i], 1)))
            return;
    }
}

TEST (blend_of_a_pose_with_itself_returns_the_pose) {
    static poses set;
    uint64_t random = 4;
    make_poses(&set, &random);
    for (int round = 0; round < 200; round++) {
        const float weight = (float)test_random(&random);
        memcpy(set.b, set.a, sizeof set.b);
        blend_by(MD5_INTERPOLATE_LINEAR, &set, weight, NULL, set.out);
        REQUIRE(same(set.out, set.a, MAX_COUNT));
        blend_by(MD5_INTERPOLATE_NLERP, &set, weight, NULL, set.out);
        REQUIRE(same(set.out, set.a, MAX_COUNT));
        for (int i = 0; i < MAX_COUNT; i++) {
            set.b[i] = set.a[i];
            set.b[i].rotation = negative(set.a[i].rotation);
        }
        md5_blend_poses(set.a, set.b, weight, NULL, MAX_COUNT, set.out);
        REQUIRE(same(set.out, set.a, MAX_COUNT));
    }
}

// The result is the same rotation, on the shorter arc, if an input is -q instead of q.
TEST (blend_rotates_along_the_shorter_arc) {
    static poses set;
    static poses negated;
    uint64_t random = 5;
    make_poses(&set, &random);
    negated = set;
    for (int i = 0; i < MAX_COUNT; i++)
        negated.b[i].rotation = negative(set.b[i].rotation);
    md5_blend_poses(set.a, set.b, 0.4f, NULL, MAX_COUNT, set.out);
    md5_blend_poses(negated.a, negated.b, 0.4f, NULL, MAX_COUNT, negated.out);
    CHECK(same(set.out, negated.out, MAX_COUNT));
    for (int i = 0; i < MAX_COUNT; i++) {
        const real4 a = to_unit_real4(set.a[i].rotation);
        const real4 found = to_unit_real4(set.out[i].rotation);
        REQUIRE(real4_dot(a, found) > 0.8);
    }
}

// -- Differences ----------------------------------------------------------------------------------

static double off_transform(md5_xform found, md5_xform expected)
{
    const double rotated =
        real4_angle(to_unit_real4(found.rotation), to_unit_real4(expected.rotation));
    const double moved = off_lerp(found.translation, expected.translation, expected.translation, 0);
    return fmax(rotated, moved / 100.0);
}

TEST (added_differences_restore_the_original_pose) {
    static poses set;
    static md5_xform difference[MAX_COUNT];
    static md5_xform back[MAX_COUNT];
    uint64_t random = 6;
    double max_sign_error = 0;
    for (int round = 0; round < 100; round++) {
        make_poses(&set, &random);
        md5_subtract_pose(set.b, set.a, MAX_COUNT, difference);
        md5_add_pose(set.a, difference, NULL, 1, NULL, MAX_COUNT, set.out);
        md5_add_pose(set.b, difference, NULL, -1, NULL, MAX_COUNT, back);
        for (int i = 0; i < MAX_COUNT; i++) {
            CHECK_SMALL(off_transform(set.out[i], set.b[i]), 1e-6);
            CHECK_SMALL(off_transform(back[i], set.a[i]), 1e-6);
            real_update_max(&max_sign_error,
                            fabs((double)set.out[i].rotation.x - set.b[i].rotation.x));
        }
    }
    CHECK_SMALL(max_sign_error, 1e-6); // the result is q and not -q, which is the same rotation
}

TEST (added_differences_are_weighted_exactly) {
    static poses set;
    uint64_t random = 7;
    const real4 identity = {0, 0, 0, 1};
    for (int round = 0; round < 1000; round++) {
        make_poses(&set, &random);
        const float sign = round % 2 ? -1 : 1;
        md5_add_pose(set.a, set.b, NULL, sign, set.weights, MAX_COUNT, set.out);
        for (int i = 0; i < MAX_COUNT; i++) {
            const md5_xform a = set.a[i];
            const md5_xform b = set.b[i];
            const md5_xform found = set.out[i];
            const double t = (double)set.weights[i];
            real4 part =
                real4_slerp(identity, real4_towards(to_unit_real4(b.rotation), identity), t);
            if (sign < 0)
                part = real4_conjugate(part);
            const real4 expected = real4_mul(to_unit_real4(a.rotation), part);
            CHECK_SMALL(real4_angle(to_unit_real4(found.rotation), expected), 3e-6);
            CHECK_SMALL(off_unit(found.rotation), 2e-6);
            const md5_vec3 sum = md5_vec3_add(a.translation, md5_vec3_scale(b.translation, sign));
            CHECK_SMALL(off_lerp(found.translation, a.translation, sum, t), 4e-5);
        }
    }
}

TEST (added_weights_are_clamped) {
    static poses set;
    static poses expected;
    uint64_t random = 8;
    make_poses(&set, &random);
    const float none[] = {0, -0.0f, NAN};
    for (int i = 0; i < 3; i++) {
        md5_add_pose(set.a, set.b, NULL, none[i], NULL, MAX_COUNT, set.out);
        CHECK(same(set.out, set.a, MAX_COUNT));
    }
    for (int i = 0; i < 2; i++) {
        const float sign = i ? -1 : 1;
        md5_add_pose(set.a, set.b, NULL, sign, NULL, MAX_COUNT, expected.out);
        md5_add_pose(set.a, set.b, NULL, sign * 3, NULL, MAX_COUNT, set.out);
        CHECK(same(set.out, expected.out, MAX_COUNT));
        md5_add_pose(set.a, set.b, NULL, sign * INFINITY, NULL, MAX_COUNT, set.out);
        CHECK(same(set.out, expected.out, MAX_COUNT));
    }
}

// A joint rotates about its own current axes, which determines the order of the product.
TEST (added_rotations_are_about_the_axes_of_the_joint) {
    const float half = sqrtf(0.5f);
    const md5_xform rotated = {{0, 0, half, half}, {1, 2, 3}, 0}; // about z
    const md5_xform nod = {{0, half, 0, half}, {0, 0, 4}, 0};     // about y
    md5_xform out;
    md5_add_pose(&rotated, &nod, NULL, 1, NULL, 1, &out);
    // The joint's own y axis, which the nod does not change, was rotated to -x.
    const md5_vec3 axis = md5_quat_rotate(out.rotation, (md5_vec3){0, 1, 0});
    CHECK_NEAR(axis.x, -1, 1e-6);
    // The added translation is not rotated by the joint's rotation.
    CHECK_EXACT(out.translation.x, 1);
    CHECK_EXACT(out.translation.z, 7);
}

static void check_difference(const poses *set, float weight, const float *joint_weights)
{
    static poses found;
    static md5_xform expected[MAX_COUNT];
    md5_subtract_pose(set->b, set->c, MAX_COUNT, expected);
    md5_add_pose(set->a, expected, NULL, weight, joint_weights, MAX_COUNT, expected);
    memset(found.out, 0x5a, sizeof found.out);
    md5_add_pose(set->a, set->b, set->c, weight, joint_weights, MAX_COUNT, found.out);
    CHECK(same(found.out, expected, MAX_COUNT));
}

TEST_POSES (differences_made_and_added_in_one_call_give_the_same_bits, 10) {
    const float weights[] = {1, 0.3f, 0, -0.4f, -1, 2, NAN};
    for (size_t i = 0; i < COUNT_OF(weights); i++) {
        check_difference(set, weights[i], NULL);
        check_difference(set, weights[i], set->weights);
    }
}

// -- Instruction sets, numbers of joints, output arrays ------------------------------------

static void run_call(uint32_t instruction_set, combine_call call, const poses *set, float weight,
                     const float *joint_weights, uint32_t count, md5_xform *out)
{
    combine_job job = {
        .call = call,
        .a = set->a,
        .b = set->b,
        .out = out,
        .joint_weights = joint_weights,
        .weight = weight,
        .count = count,
    };
    if (call == COMBINE_ADD_DIFFERENCE)
        job.reference = set->c;
    if (call == COMBINE_SUBTRACT) {
        job.joint_weights = NULL;
        job.weight = -1;
    }
    combine_with_set(instruction_set, &job);
}

// Also uses the inputs as outputs. Nothing past the result may change.
static void check_level(uint32_t level, const poses *set, float weight, const float *joint_weights,
                        uint32_t count)
{
    static poses found;
    static md5_xform expected[MAX_COUNT];
    for (int kind = 0; kind < NUM_COMBINE_CALLS; kind++) {
        memset(expected, 0x5a, sizeof expected);
        run_call(0, (combine_call)kind, set, weight, joint_weights, count, expected);
        memset(found.out, 0x5a, sizeof found.out);
        run_call(level, (combine_call)kind, set, weight, joint_weights, count, found.out);
        bool held = same(found.out, expected, MAX_COUNT);
        memcpy(&found, set, sizeof found);
        run_call(level, (combine_call)kind, &found, weight, joint_weights, count, found.a);
        held = held && same(found.a, expected, count)
               && same(found.a + count, set->a + count, MAX_COUNT - count);
        memcpy(&found, set, sizeof found);
        run_call(level, (combine_call)kind, &found, weight, joint_weights, count, found.b);
        held = held && same(found.b, expected, count);
        memcpy(&found, set, sizeof found);
        run_call(level, (combine_call)kind, &found, weight, joint_weights, count, found.c);
        held = held && same(found.c, expected, count);
        CHECK_THAT(held, "call %d with instruction set %d and %u joints", kind, (int)level,
                   (unsigned)count);
    }
}

TEST (blend_gives_the_same_bits_with_every_instruction_set) {
    static poses set;
    uint64_t random = 9;
    for (uint32_t count = 0; count < MAX_COUNT; count += count < 150 ? 1 : 7) {
        make_poses(&set, &random);
        if (count % 3 == 0) {
            for (int i = 0; i < MAX_COUNT; i++) {
                const float kinds[4] = {0, 1, -0.5f, set.weights[i]};
                set.weights[i] = kinds[test_random_u32(&random) % 4];
            }
        }
        const float weights[4] = {1, 0, -0.8f, (float)test_random(&random)};
        for (uint32_t level = 0; level < num_instruction_sets(); level++) {
            if (!has_instruction_set(level))
                continue;
            check_level(level, &set, weights[count % 4], NULL, count);
            check_level(level, &set, weights[(count + 1) % 4], set.weights, count);
        }
    }
}

// Builds without SIMD blend with a function in plain C, also with an input as the output.
TEST (blend_in_plain_c_gives_the_bits_of_the_kernels) {
    static poses set;
    static poses found;
    static md5_xform expected[MAX_COUNT];
    uint64_t random = 11;
    for (uint32_t count = 0; count < 60; count++) {
        make_poses(&set, &random);
        const float weights[4] = {1, 0, -0.8f, (float)test_random(&random)};
        for (uint32_t i = 0; i < 4; i++) {
            const float *const joint_weights = i % 2 == 0 ? NULL : set.weights;
            const combine_call call = count % 2 == 0 ? COMBINE_BLEND : COMBINE_NLERP;
            combine_job job = {.call = call,
                               .a = set.a,
                               .b = set.b,
                               .out = found.out,
                               .joint_weights = joint_weights,
                               .weight = weights[i],
                               .count = count};
            run_call(0, call, &set, weights[i], joint_weights, count, expected);
            combine_in_plain_c(&job);
            CHECK(same(found.out, expected, count));
            memcpy(found.a, set.a, sizeof found.a);
            job.a = found.a;
            job.out = found.a;
            combine_in_plain_c(&job);
            CHECK(same(found.a, expected, count));
        }
    }
}

// -- Masks from channel words ---------------------------------------------------------------------
//
// Masks from channel words, against the expected weight of each joint.

enum { NUM_JOINTS = 9 };

// origin - waist - chest - neck - head
//                        - arm - hand
//        - leg - foot          ; `hand` comes before `arm`, its parent
static const md5_joint joints[NUM_JOINTS] = {
    {"origin", MD5_NONE}, {"waist", 0}, {"chest", 1}, {"neck", 2}, {"Head", 3},
    {"hand", 6},          {"arm", 2},   {"leg", 0},   {"foot", 7},
};
static const uint32_t order[NUM_JOINTS] = {0, 1, 2, 3, 4, 6, 5, 7, 8};
static const md5_skeleton skeleton = {.num_joints = NUM_JOINTS, .joints = joints, .order = order};

// Compares with one digit for each joint: the weight times `denominator`.
static void check_mask(const char *words, uint32_t feather, const char *digits, int denominator)
{
    float weights[NUM_JOINTS];
    md5_error error = {0};
    CHECK(md5_build_mask(&skeleton, words, feather, weights, &error));
    CHECK_STRING(error.message, "");
    for (int i = 0; i < NUM_JOINTS; i++) {
        const float expected = (float)(digits[i] - '0') / (float)denominator;
        if (!CHECK(weights[i] == expected))
            printf("mask '%s': joint %s has %g\n", words, joints[i].name, weights[i]);
    }
}

TEST (mask_adds_and_removes_joints_from_left_to_right) {
    check_mask("", 0, "000000000", 1);
    check_mask("chest", 0, "001000000", 1);
    check_mask("*waist", 0, "011111100", 1);
    check_mask("*waist -*neck", 0, "011001100", 1);
    check_mask(" *waist\t-*neck\n-arm\r\n*leg ", 0, "011001011", 1);
    check_mask("-*waist *origin", 0, "111111111", 1);
    check_mask("*origin -*origin", 0, "000000000", 1);
    check_mask("*arm -hand foot", 0, "000000101", 1);
    check_mask("-chest", 3, "000000000", 1);
}

TEST (mask_feathers_down_from_the_top_of_each_word) {
    check_mask("*waist", 1, "012222200", 2);
    check_mask("*waist", 2, "012333300", 3);
    check_mask("*waist", 3, "012344300", 4);
    check_mask("*origin", 4, "123455423", 5);
    check_mask("*leg chest", 2, "001000012", 3);
    // A joint keeps its weight if it is larger than the new weight. A joint that was removed starts
    // again from weight 0.
    check_mask("*waist *chest arm", 2, "012333300", 3);
    check_mask("*waist -*chest *chest", 2, "011233200", 3);
}

TEST (mask_joints_are_found_in_any_case_if_no_other_has_the_name) {
    check_mask("head", 0, "000010000", 1);
    check_mask("HEAD", 0, "000010000", 1);
    check_mask("Head", 0, "000010000", 1);
    static const md5_joint twins[3] = {{"HAND", MD5_NONE}, {"hand", MD5_NONE}, {"Hand", MD5_NONE}};
    static const uint32_t chain_order[3] = {0, 1, 2};
    const md5_skeleton three = {.num_joints = 3, .joints = twins, .order = chain_order};
    float weights[3];
    CHECK(md5_build_mask(&three, "hand", 0, weights, NULL));
    CHECK(weights[0] == 0 && weights[1] == 1 && weights[2] == 0);
    CHECK(md5_build_mask(&three, "hAND", 0, weights, NULL));
    CHECK(weights[0] == 1 && weights[1] == 0 && weights[2] == 0);
}

// Joints whose names contain characters with a meaning in masks.
static const md5_joint odd_joints[NUM_JOINTS] = {
    {"origin", MD5_NONE}, {"Bip01 L Hand", 0}, {"-*hand", 1},
    {"it's", 1},          {"a \"b\" c", 3},    {"C:\\dir\\", 4},
    {"*Bip01 R", 0},      {"Bip01 R", 6},      {"l\xc3\xa4uft", 0},
};
static const uint32_t odd_order[NUM_JOINTS] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
static const md5_skeleton odd = {
    .num_joints = NUM_JOINTS, .joints = odd_joints, .order = odd_order};

static void check_odd(const char *words, const char *digits)
{
    float weights[NUM_JOINTS];
    md5_error error = {0};
    if (!CHECK(md5_build_mask(&odd, words, 0, weights, &error)))
        printf("%s: %s\n", words, error.message);
    for (int i = 0; i < NUM_JOINTS; i++) {
        if (!CHECK(weights[i] == (float)(digits[i] - '0')))
            printf("mask %s: joint %s has %g\n", words, odd_joints[i].name, weights[i]);
    }
}

TEST (mask_accepts_names_in_quotes) {
    check_odd("\"Bip01 L Hand\"", "010000000");
    check_odd("'Bip01 L Hand'", "010000000");
    check_odd("*\"Bip01 L Hand\"", "011111000");
    check_odd("\"*Bip01 L Hand\"", "011111000");
    check_odd("*origin -\"Bip01 L Hand\"", "101111111");
    check_odd("*origin -*'Bip01 L Hand' ", "100000111");
    check_odd("*origin \"-*bip01 l hand\" origin", "100000111");
    check_odd("\"it's\"\tit's", "000100000");
    check_odd("*'a \"b\" c'", "000011000");
    check_odd("'C:\\dir\\' C:\\dir\\", "000001000");
    check_odd("\"l\xc3\xa4uft\" l\xc3\xa4uft", "000000001");
}

// In quotes an existing name has precedence over signs.
TEST (mask_reads_quoted_signs_as_part_of_an_existing_name) {
    check_odd("\"-*hand\"", "001000000");
    check_odd("*origin -\"-*hand\"", "110111111");
    check_odd("\"*Bip01 R\"", "000000100");
    check_odd("*\"*Bip01 R\"", "000000110");
    check_odd("*\"Bip01 R\"", "000000010");
}

static void check_failure(const char *words, uint32_t column, const char *message)
{
    float weights[NUM_JOINTS];
    md5_error error = {0};
    CHECK_FAILS(md5_build_mask(&skeleton, words, 0, weights, &error), error, MD5_ERROR_SYNTAX);
    CHECK_UINT(error.line, 1);
    CHECK_UINT(error.column, column);
    CHECK_STRING(error.message, message);
}

TEST (mask_reports_errors_with_location) {
    check_failure("*waist -*tail", 10, "unknown joint 'tail'");
    check_failure("wais", 1, "unknown joint 'wais'");
    check_failure("waists", 1, "unknown joint 'waists'");
    check_failure("waist - chest", 7, "'-' must be followed by a joint name");
    check_failure("waist -*", 8, "'*' must be followed by a joint name");
    check_failure("*", 1, "'*' must be followed by a joint name");
    check_failure("*-waist", 2, "unknown joint '-waist'");
    check_failure("--waist", 2, "unknown joint '-waist'");
    check_failure("waist \"*tail\"", 7, "unknown joint '*tail'");
    check_failure("waist *\"ta il\"", 8, "unknown joint 'ta il'");
    check_failure("\"-*\"", 1, "unknown joint '-*'");
    check_failure("waist \"\"", 7, "empty joint name: expected the name of a joint");
    check_failure("waist -''", 7, "'-' must be followed by a joint name");
    check_failure("waist \"chest", 7,
                  "unterminated name: expected a quote before the end of the line");
    check_failure("waist -'chest\nneck'", 8,
                  "unterminated name: expected a quote before the end of the line");
    check_failure("\"waist\"\"chest\"", 8, "expected a blank after 'waist'");
    check_failure("*\"waist\"x", 9, "expected a blank after 'waist'");
}

TEST (mask_counts_lines) {
    STRINGS(texts) = {"waist\n\n *tail", "waist\r\n\r\n *tail", "\r\rwaist\r *tail"};
    static const uint32_t lines[] = {3, 3, 4};
    for (int i = 0; i < 3; i++) {
        float weights[NUM_JOINTS];
        md5_error error = {0};
        CHECK(!md5_build_mask(&skeleton, texts[i], 0, weights, &error));
        CHECK_UINT(error.line, lines[i]);
        CHECK_UINT(error.column, 3);
    }
}

// The longest feather, and a chain longer than it.
TEST (mask_feathers_along_any_depth) {
    enum { LONG = 5000 };
    static md5_joint chain[LONG];
    static uint32_t long_order[LONG];
    static float weights[LONG];
    for (uint32_t i = 0; i < LONG; i++) {
        chain[i] = (md5_joint){i == 0 ? "top" : "below", i - 1};
        long_order[i] = i;
    }
    const md5_skeleton deep = {.num_joints = LONG, .joints = chain, .order = long_order};
    CHECK(md5_build_mask(&deep, "*top", UINT32_MAX, weights, NULL));
    for (int i = 0; i < LONG; i++)
        CHECK(weights[i] == (i < 2047 ? (float)(i + 1) / 2048.0f : 1));
}
