// Limbs and chains of several characters, solved in the lanes of registers: against the same ones
// solved one by one, bit for bit.
#include "test/ik/test_ik_case.h"

#include "md5/motion/lanes.h"

enum { ROUNDS = 3000 };

// Characters of the skeleton of `rig`, with poses of their own.
typedef struct lanes_case {
    ik_rig rig;
    uint32_t num_joints, count;
    md5_xform poses[MD5_IK_MOST][IK_JOINTS], expected[MD5_IK_MOST][IK_JOINTS];
    md5_xform *each[MD5_IK_MOST];
} lanes_case;

// Numbers at the ends of what is usual, or none.
static float odd_number(uint64_t *random)
{
    static const float numbers[] = {0, -0.0f, 1, 1e-20f, 1e20f, -1e20f, INFINITY, NAN, -1e-6f};
    return numbers[test_random_u32(random) % (COUNT_OF(numbers))];
}

static void begin(lanes_case *fixture, uint32_t num_joints, uint64_t *random)
{
    memset(fixture, 0, sizeof *fixture);
    fixture->num_joints = num_joints;
    ik_make_rig(&fixture->rig, num_joints, 8, random);
    fixture->rig.skeleton.axes = (md5_axes)(test_random_u32(random) % 6);
    fixture->count = 1 + test_random_u32(random) % MD5_IK_MOST;
    FOR (i, fixture->count) {
        md5_xform *const pose = fixture->poses[i];
        memcpy(pose, fixture->rig.pose, fixture->num_joints * sizeof *pose);
        fixture->each[i] = pose;
        FOR (joint, fixture->num_joints) {
            const uint32_t kind = test_random_u32(random) % 16;
            if (kind > 1)
                pose[joint].rotation = made_any_rotation(random);
            if (kind == 1)
                pose[joint].rotation = (md5_quat){0, 0, 0, 1}; // a straight limb
            if (test_random_u32(random) % 200 == 0)
                pose[joint].rotation.x = odd_number(random);
            if (test_random_u32(random) % 200 == 0)
                pose[joint].translation.y = odd_number(random);
        }
        memcpy(fixture->expected[i], pose, fixture->num_joints * sizeof *pose);
    }
}

static md5_vec3 make_target(double size, uint64_t *random)
{
    md5_vec3 target = ik_random_point(size, random);
    if (test_random_u32(random) % 16 == 0)
        target.x = odd_number(random);
    return target;
}

static float make_weight(uint64_t *random)
{
    return test_random_u32(random) % 8 > 0 ? 1 : (float)test_random(random);
}

static bool are_equal(const lanes_case *fixture)
{
    FOR (i, fixture->count)
        if (memcmp(fixture->poses[i], fixture->expected[i],
                   fixture->num_joints * sizeof fixture->poses[i][0])
            != 0)
            return false;
    return true;
}

static void try_limbs(md5_cpu level, uint64_t *random)
{
    static lanes_case fixture;
    md5_two_bone_job jobs[MD5_IK_MOST];
    md5_vec3 poles[MD5_IK_MOST];
    md5_quat rotations[MD5_IK_MOST];
    const uint32_t num_joints = 3 + test_random_u32(random) % 6;
    begin(&fixture, num_joints, random);
    const uint32_t *const chain = fixture.rig.chain;
    const uint32_t root = test_random_u32(random) % (num_joints - 2);
    const uint32_t middle = root + 1 + test_random_u32(random) % (num_joints - 2 - root);
    const uint32_t tip = middle + 1 + test_random_u32(random) % (num_joints - 1 - middle);
    const md5_limb limb = {chain[root], chain[middle], chain[tip]};
    const float soften = test_random_u32(random) % 2 ? 0 : (float)test_between(-1, 2, random);
    const float stretch = test_random_u32(random) % 2 ? 0 : (float)test_between(0, 4, random);
    const bool is_plain = test_random_u32(random) % 2 > 0;
    FOR (i, fixture.count) {
        poles[i] = make_target(30, random);
        rotations[i] = made_any_rotation(random);
        if (test_random_u32(random) % 16 == 0)
            rotations[i].x = odd_number(random);
        jobs[i] = (md5_two_bone_job){.limb = &limb,
                                     .target = make_target(30, random),
                                     .numbers.soften = soften,
                                     .numbers.stretch = stretch,
                                     .weight = make_weight(random)};
        if (!is_plain && test_random_u32(random) % 2 > 0)
            jobs[i].pole = &poles[i];
        if (!is_plain && test_random_u32(random) % 2 > 0)
            jobs[i].rotation = &rotations[i];
        md5_solve_two_bone(&fixture.rig.skeleton, &jobs[i], fixture.expected[i]);
    }
    md5i_two_bone_all(level, &fixture.rig.skeleton, jobs, fixture.each, fixture.count);
    CHECK(are_equal(&fixture));
}

static void try_chains(md5_cpu level, uint64_t *random)
{
    static lanes_case fixture;
    md5_aim_job jobs[MD5_IK_MOST];
    const uint32_t num_joints = 1 + test_random_u32(random) % 12;
    begin(&fixture, num_joints, random);
    const uint32_t kind = test_random_u32(random) % 8;
    const md5_aim_job shared = {
        .tip = fixture.rig.chain[test_random_u32(random) % num_joints],
        .length = 1 + test_random_u32(random) % 12,
        .numbers.forward = kind > 4 ? make_target(1, random) : (md5_vec3){0, 0, 0},
        .numbers.up = kind == 6 ? make_target(1, random) : (md5_vec3){0, 0, 0},
        .numbers.limit = kind == 0  ? MD5_ZERO
                         : kind < 4 ? test_betweenf(0, 4, random)
                                    : 0,
    };
    FOR (i, fixture.count) {
        jobs[i] = shared;
        jobs[i].target = make_target(30, random);
        jobs[i].weight = make_weight(random);
        md5_solve_aim(&fixture.rig.skeleton, &jobs[i], fixture.expected[i]);
    }
    md5i_aim_all(level, &fixture.rig.skeleton, jobs, fixture.each, fixture.count);
    CHECK(are_equal(&fixture));
}

static void try_levels(void (*try)(md5_cpu, uint64_t *))
{
    FOR (level, MD5_CPU_COUNT) {
        uint64_t random = 1;
        for (int round = 0; round < ROUNDS && md5i_cpu_has((md5_cpu)level); round++)
            try((md5_cpu)level, &random);
    }
}

TEST (ik_limbs_in_lanes_have_the_bits_of_single_ones) {
    try_levels(try_limbs);
}

TEST (ik_chains_that_aim_in_lanes_have_the_bits_of_single_ones) {
    try_levels(try_chains);
}

#if MD5_HAS_SSE2
// That lanes leave everything to single ones would be seen by nobody else.
TEST (ik_lanes_solve_what_is_usual) {
    static lanes_case fixture;
    uint64_t random = 7;
    uint32_t num_solved = 0;
    FOR (round, 100) {
        begin(&fixture, 3, &random);
        const md5_limb limb = {fixture.rig.chain[0], fixture.rig.chain[1], fixture.rig.chain[2]};
        md5_limb_lanes lanes = {.skeleton = &fixture.rig.skeleton, .joints = &limb, .most = 1};
        FOR (i, 4) {
            lanes.poses[i] = fixture.poses[i];
            memcpy(fixture.poses[i], fixture.rig.pose, sizeof fixture.rig.pose);
            lanes.are_usual[i] = 1;
            lanes.targets.x[i] = (float)(i + 1);
        }
        for (uint32_t bits = md5i_bend_lanes_sse2(&lanes); bits != 0; bits /= 2)
            num_solved += bits % 2;
    }
    CHECK(num_solved > 300);
}
#endif
