// FABRIK, CCD and damped least squares: against where the joints are in double precision.
#include "test/ik/test_ik_case.h"

#include <math.h>
#include <string.h>

// At most `most_missed` tips may end farther than the tolerance from a target in reach, and none
// farther than `farthest_miss` times the reach.
static void check_reaching(md5_chain_solver solver, int most_missed, double farthest_miss,
                           uint64_t seed)
{
    const double farthest = 0.95;
    uint64_t random = seed;
    double worst = 0.0, worst_left = 0.0;
    int missed = 0, rounds = 3000;
    for (int round = 0; round < rounds; round++) {
        ik_rig rig;
        const uint32_t count = 4 + test_random_u32(&random) % 8;
        const uint32_t length = 3 + test_random_u32(&random) % (count - 3);
        ik_make_rig(&rig, count, 5.0, &random);
        const double reach = ik_reach(&rig, count, length);
        const real3 start = ik_place_in_chain(&rig, count - length);
        const double distance = reach * ik_between(0.3, farthest, &random);
        const real3 way =
            real4_rotate(real4_of(made_any_rotation(&random)), (real3){distance, 0, 0});
        const md5_chain_job job = {
            .solver = solver,
            .tip = rig.chain[count - 1],
            .length = length,
            .target = {(float)(start.x + way.x), (float)(start.y + way.y),
                       (float)(start.z + way.z)},
            .tolerance = (float)(1e-3 * reach),
            .iterations = 500,
            .weight = 1.0f,
        };
        const ik_rig old = rig;
        const float left = md5_solve_chain(&rig.skeleton, &job, rig.pose);
        const double exact =
            real3_distance(ik_place_in_chain(&rig, count - 1), real3_of(job.target));
        // A bone longer than all others together keeps the tip away from near targets.
        double longest = 0.0;
        for (uint32_t i = count - length + 1; i < count; i++)
            longest = fmax(longest, real3_length(real3_of(rig.pose[rig.chain[i]].translation)));
        if (2.0 * longest - reach < 0.25 * reach) {
            worst = fmax(worst, exact / reach);
            missed += exact > 1.01e-3 * reach;
        }
        worst_left = fmax(worst_left, fabs(exact - (double)left) / reach);
        if (!CHECK(ik_is_sound(rig.pose, count)))
            return;
        for (uint32_t i = 0; i < count; i++) {
            CHECK(memcmp(&rig.pose[i].translation, &old.pose[i].translation, sizeof(md5_vec3))
                  == 0);
            if (i < count - length || i == count - 1) // not turned by the solver
                CHECK_NEAR(real4_angle(real4_of(rig.pose[rig.chain[i]].rotation),
                                       real4_of(old.pose[rig.chain[i]].rotation)),
                           0.0, 1e-5);
        }
    }
    CHECK(missed <= most_missed);
    CHECK_NEAR(worst, 0.0, farthest_miss);
    CHECK_NEAR(worst_left, 0.0, 1e-5);
}

TEST (ik_fabrik_reaches_what_is_in_reach) {
    check_reaching(MD5_CHAIN_FABRIK, 0, 1.01e-3, 1);
}

TEST (ik_ccd_reaches_what_is_in_reach) {
    // It converges slowly if a chain ends up nearly straight.
    check_reaching(MD5_CHAIN_CCD, 10, 0.05, 2);
}

TEST (ik_dls_reaches_what_is_in_reach) {
    check_reaching(MD5_CHAIN_LEAST_SQUARES, 0, 1.01e-3, 7);
}

static md5_chain_job straight_job(md5_chain_solver solver, ik_rig *rig, md5_vec3 target)
{
    uint64_t random = 3;
    ik_make_rig(rig, 5, 1.0, &random);
    for (uint32_t i = 0; i < 5; i++)
        rig->pose[rig->chain[i]] = (md5_xform){{0, 0, 0, 1}, {i ? 4.0f : 0, 0, 0}, 0};
    return (md5_chain_job){.solver = solver,
                           .tip = rig->chain[4],
                           .length = 5,
                           .target = target,
                           .tolerance = 1e-3f,
                           .iterations = 100,
                           .weight = 1.0f};
}

// A straight chain, and a target on its line: nothing says which way to bend, but it must.
static void check_straight(md5_chain_solver solver)
{
    static const float places[] = {10.0f, 3.0f, -6.0f, 15.5f};
    for (int i = 0; i < 4; i++) {
        ik_rig rig;
        const md5_chain_job job = straight_job(solver, &rig, (md5_vec3){places[i], 0.0f, 0.0f});
        const float left = md5_solve_chain(&rig.skeleton, &job, rig.pose);
        CHECK(left <= 1e-3f);
        CHECK_NEAR(ik_place_in_chain(&rig, 4).x, places[i], 2e-3);
        CHECK(ik_is_sound(rig.pose, 5));
    }
    // The tip is at the target already: nothing changes.
    ik_rig rig;
    const md5_chain_job there = straight_job(solver, &rig, (md5_vec3){16.0f, 0.0f, 0.0f});
    const ik_rig old = rig;
    CHECK(md5_solve_chain(&rig.skeleton, &there, rig.pose) == 0.0f);
    CHECK(memcmp(rig.pose, old.pose, sizeof old.pose) == 0);
}

TEST (ik_fabrik_bends_a_straight_chain) {
    check_straight(MD5_CHAIN_FABRIK);
}

TEST (ik_ccd_bends_a_straight_chain) {
    check_straight(MD5_CHAIN_CCD);
}

TEST (ik_dls_bends_a_straight_chain) {
    check_straight(MD5_CHAIN_LEAST_SQUARES);
}

TEST (ik_dls_stretches_out_to_what_is_out_of_reach) {
    ik_rig rig;
    const md5_chain_job job =
        straight_job(MD5_CHAIN_LEAST_SQUARES, &rig, (md5_vec3){0.0f, 30.0f, 40.0f});
    CHECK_NEAR(md5_solve_chain(&rig.skeleton, &job, rig.pose), 34.0, 1e-3);
}

TEST (ik_fabrik_points_at_what_is_out_of_reach) {
    ik_rig rig;
    const md5_chain_job job = straight_job(MD5_CHAIN_FABRIK, &rig, (md5_vec3){0.0f, 30.0f, 40.0f});
    CHECK_NEAR(md5_solve_chain(&rig.skeleton, &job, rig.pose), 34.0, 1e-4);
    CHECK_NEAR(real3_distance(ik_place_in_chain(&rig, 4), (real3){0.0, 9.6, 12.8}), 0.0, 1e-4);
}

TEST (ik_ccd_stretches_out_to_what_is_out_of_reach) {
    ik_rig rig;
    const md5_chain_job job = straight_job(MD5_CHAIN_CCD, &rig, (md5_vec3){0.0f, 30.0f, 40.0f});
    CHECK_NEAR(md5_solve_chain(&rig.skeleton, &job, rig.pose), 34.0, 0.1);
}

static void check_weight(md5_chain_solver solver)
{
    uint64_t random = 4;
    for (int round = 0; round < 300; round++) {
        ik_rig rig;
        ik_make_rig(&rig, 6, 4.0, &random);
        md5_chain_job job = {.solver = solver,
                             .tip = rig.chain[5],
                             .length = 5,
                             .target = ik_random_point(8.0, &random),
                             .tolerance = 0.01f,
                             .iterations = 20,
                             .weight = 1.0f};
        ik_rig whole = rig, part = rig;
        const float left = md5_solve_chain(&rig.skeleton, &job, whole.pose);
        job.weight = round % 2 ? 0.0f : NAN;
        CHECK(md5_solve_chain(&rig.skeleton, &job, part.pose) == left);
        CHECK(memcmp(part.pose, rig.pose, sizeof rig.pose) == 0);
        job.weight = (float)test_random(&random);
        CHECK(md5_solve_chain(&rig.skeleton, &job, part.pose) == left);
        for (uint32_t i = 0; i < 6; i++) {
            const md5_quat expected =
                md5_quat_slerp(rig.pose[i].rotation, whole.pose[i].rotation, job.weight);
            CHECK_NEAR(real4_angle(real4_of(expected), real4_of(part.pose[i].rotation)), 0.0, 3e-6);
        }
    }
}

TEST (ik_chains_go_as_far_as_their_weight_says) {
    check_weight(MD5_CHAIN_FABRIK);
    check_weight(MD5_CHAIN_CCD);
    check_weight(MD5_CHAIN_LEAST_SQUARES);
}

static void check_survival(md5_chain_solver solver, uint64_t seed)
{
    static const float odd[] = {NAN, INFINITY, 3e38f, 1e15f, 9e14f, 1e-30f, 0.0f, -1.0f};
    uint64_t random = seed;
    for (int round = 0; round < 10000; round++) {
        ik_rig rig;
        const uint32_t count = 1 + test_random_u32(&random) % 6;
        ik_make_rig(&rig, count, 3.0, &random);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t kind = test_random_u32(&random) % 16;
            if (kind == 0)
                rig.pose[i].translation = (md5_vec3){0.0f, 0.0f, 0.0f};
            else if (kind == 1)
                rig.pose[i].translation = md5_vec3_scale(rig.pose[i].translation, 1e14f);
            else if (kind == 2)
                rig.pose[i].translation = md5_vec3_scale(rig.pose[i].translation, 1e-17f);
            else if (kind < 6)
                rig.pose[i].rotation = (md5_quat){0.0f, 0.0f, 0.0f, 1.0f};
        }
        md5_chain_job job = {
            .solver = solver,
            .tip = test_random_u32(&random) % (count + 1),
            .length = test_random_u32(&random) % 100,
            .target = ik_random_point(9.0, &random),
            .tolerance = odd[test_random_u32(&random) % 8],
            .iterations = test_random_u32(&random) % 20,
            .weight = 1.0f,
        };
        if (round % 5 == 0)
            job.target.y = odd[test_random_u32(&random) % 8];
        if (round % 5 == 1) {
            const real3 at = ik_place_in_chain(&rig, test_random_u32(&random) % count);
            job.target = (md5_vec3){(float)at.x, (float)at.y, (float)at.z};
        }
        const ik_rig old = rig;
        const float left = md5_solve_chain(&rig.skeleton, &job, rig.pose);
        CHECK(left >= 0.0f);
        if (!CHECK(ik_is_sound(rig.pose, count)))
            return;
        if (job.tip == count || job.length < 2 || !isfinite(job.target.y))
            CHECK(left == INFINITY && memcmp(rig.pose, old.pose, sizeof rig.pose) == 0);
    }
}

TEST (ik_fabrik_survives_anything) {
    check_survival(MD5_CHAIN_FABRIK, 5);
}

TEST (ik_ccd_survives_anything) {
    check_survival(MD5_CHAIN_CCD, 6);
}

TEST (ik_dls_survives_anything) {
    check_survival(MD5_CHAIN_LEAST_SQUARES, 8);
}

// Longer than any chain may be: the last joints are used.
TEST (ik_chains_end_at_the_longest) {
    enum { LONG = 100 };
    static md5_joint joints[LONG];
    static uint32_t order[LONG];
    static md5_xform pose[LONG];
    for (uint32_t i = 0; i < LONG; i++) {
        joints[i] = (md5_joint){"j", (int32_t)i - 1};
        order[i] = i;
        pose[i] = (md5_xform){{0, 0, 0, 1}, {1, 0, 0}, 0};
    }
    const md5_skeleton skeleton = {.num_joints = LONG, .joints = joints, .order = order};
    const md5_chain_job job = {.tip = LONG - 1,
                               .length = LONG,
                               .target = {37.0f, 100.0f, 0.0f},
                               .tolerance = 0.01f,
                               .iterations = 50,
                               .weight = 1.0f};
    CHECK_NEAR(md5_solve_chain(&skeleton, &job, pose), 37.0, 1e-3);
    CHECK(pose[LONG - 1 - MD5_MAX_CHAIN].rotation.w == 1.0f);
    CHECK(pose[LONG - MD5_MAX_CHAIN].rotation.w != 1.0f);
    CHECK_NEAR(md5_joint_in_model(&skeleton, pose, LONG - 1).translation.y, 63.0, 1e-3);
}
