// Limits of joints: the results of every solver are within the limits for all inputs.
#include "test/ik/test_ik_case.h"
#include "test/misuse.h"

// Returns the position of the tip in another pose within the limits.
static md5_vec3 reachable_target(const ik_rig *rig, uint32_t count, uint32_t length,
                                 const md5_joint_limit *limits, uint64_t *random)
{
    ik_rig target_rig = *rig;
    target_rig.skeleton.joints = rig->joints;
    for (uint32_t i = count - length; i < count; i++)
        target_rig.pose[rig->chain[i]].rotation =
            limit_random_rotation(&limits[rig->chain[i]], random);
    return ik_rounded(ik_chain_position(&target_rig, count - 1));
}

// Returns the distance to the target if the pose is only moved into its limits, without solving.
static double distance_within_limits(const ik_rig *rig, uint32_t count, const md5_chain_job *job)
{
    ik_rig moved = *rig;
    md5_chain_job none = *job;
    none.iterations = 0;
    IK_SOLVE(chain, moved, none);
    return real3_distance(ik_chain_position(&moved, count - 1), to_real3(job->target));
}

// Solves random chains with limits. Half of the targets are in reach within the limits, and of
// these at least `min_reached` of a hundred must be reached. Poses begin inside and outside of the
// limits.
static void check_limits(md5_chain_solver solver, int min_reached, uint64_t seed)
{
    uint64_t random = seed;
    int reached = 0;
    int in_reach = 0;
    for (int round = 0; round < 4000; round++) {
        ik_rig rig;
        md5_joint_limit limits[IK_JOINTS];
        const uint32_t count = 3 + test_random_u32(&random) % 8;
        const uint32_t length = 2 + test_random_u32(&random) % (count - 2);
        ik_make_rig(&rig, count, 5, &random);
        for (uint32_t i = 0; i < count; i++)
            limits[i] = limit_random(&random);
        if (round % 4 < 3)
            for (uint32_t i = 0; i < count; i++)
                rig.pose[i].rotation = limit_random_rotation(&limits[i], &random);
        const double reach = ik_reach(&rig, count, length);
        md5_chain_job job = {
            .solver = solver,
            .tip = rig.chain[count - 1],
            .length = length,
            .target = ik_random_point(8, &random),
            .tolerance = (float)(1e-3 * reach),
            .iterations = 200,
            .weight = 1,
            .limits = limits,
        };
        if (round % 2 == 0)
            job.target = reachable_target(&rig, count, length, limits, &random);
        const double rest = distance_within_limits(&rig, count, &job);
        const float left = IK_SOLVE(chain, rig, job);
        const double exact =
            real3_distance(ik_chain_position(&rig, count - 1), to_real3(job.target));
        const double excess = max_limit_excess(&rig, count, length, limits);
        const double error = fabs(exact - left) / (reach + rest);
        CHECK(excess <= 1e-6);
        CHECK_SMALL(error, 1e-5);
        in_reach += round % 2 == 0;
        reached += round % 2 == 0 && exact < 1.1e-3 * reach;
        CHECK(exact <= rest + 1e-5 * reach);
        REQUIRE(ik_is_sound(rig.pose, count));
    }
    CHECK(100 * reached >= min_reached * in_reach);
}

TEST (ik_ccd_obeys_limits) {
    check_limits(MD5_CHAIN_CCD, 90, 1);
}

TEST (ik_dls_obeys_limits) {
    check_limits(MD5_CHAIN_LEAST_SQUARES, 90, 8);
}

TEST (ik_fabrik_obeys_limits) {
    check_limits(MD5_CHAIN_FABRIK, 88, 2);
}

// Creates an arm: a shoulder with a cone, an elbow with a hinge, and a hand with a small range.
static void make_arm(ik_rig *rig, md5_joint_limit *limits, uint64_t *random)
{
    ik_make_rig(rig, 4, 3, random);
    const md5_vec3 along = {1, 0, 0};
    const md5_vec3 hinge = {0, 0, 1};
    const float lengths[] = {1, 1, test_betweenf(2, 4, random), test_betweenf(2, 4, random)};
    for (uint32_t i = 0; i < 4; i++)
        rig->pose[rig->chain[i]].translation = md5_vec3_scale(along, lengths[i]);
    memset(limits, 0, IK_JOINTS * sizeof *limits);
    const float twist = test_betweenf(0, 1.5f, random);
    limits[rig->chain[1]] = (md5_joint_limit){
        .kind = MD5_LIMIT_CONE,
        .axis = along,
        .min = -twist,
        .max = twist,
        .swing = test_betweenf(0.5f, 2.5f, random),
    };
    limits[rig->chain[2]] = (md5_joint_limit){
        .kind = MD5_LIMIT_HINGE,
        .axis = hinge,
        .min = 0,
        .max = test_betweenf(1.5f, 2.6f, random),
    };
    limits[rig->chain[3]] = (md5_joint_limit){
        .kind = MD5_LIMIT_CONE,
        .axis = along,
        .min = -0.3f,
        .max = 0.3f,
        .swing = 0.4f,
    };
}

TEST (ik_two_bone_obeys_limits) {
    uint64_t random = 3;
    int reached = 0;
    int in_reach = 0;
    for (int round = 0; round < 6000; round++) {
        ik_rig rig;
        md5_joint_limit limits[IK_JOINTS];
        make_arm(&rig, limits, &random);

        // The kinds of poses: 0 within the limits, 1 straight, 2 random.
        int kind = round % 3;
        for (uint32_t i = 1; i < 4u; i++) {
            md5_quat *const rotation = &rig.pose[rig.chain[i]].rotation;
            if (kind == 0)
                *rotation = limit_random_rotation(&limits[rig.chain[i]], &random);
            else if (kind == 1)
                *rotation = (md5_quat){0, 0, 0, 1};
            else
                *rotation = random_unit_quat(&random);
        }

        const md5_vec3 pole = ik_random_point(6, &random);
        md5_two_bone_job job = {
            .tip = rig.chain[3],
            .target = ik_random_point(8, &random),
            .weight = 1,
            .limits = limits,
        };
        if (round % 5 == 0)
            job.pole = &pole;
        if (round % 7 == 0)
            job.params.soften = 0.1f;
        if (round % 11 == 0)
            job.params.stretch = 1.2f;
        const bool is_reachable = round % 2 == 0 && round % 7 > 0;
        if (is_reachable)
            job.target = reachable_target(&rig, 4, 3, limits, &random);
        CHECK(IK_SOLVE(two_bone, rig, job));
        const double excess = max_limit_excess(&rig, 4, 3, limits);
        CHECK(excess <= 1e-6);
        in_reach += is_reachable;
        reached +=
            is_reachable && real3_distance(ik_chain_position(&rig, 3), to_real3(job.target)) < 0.01;
        REQUIRE(ik_is_sound(rig.pose, 4));
    }
    CHECK(100 * reached >= 99 * in_reach);
}

// Limits that the exact solution obeys change the result only by rounding.
TEST (ik_two_bone_is_exact_within_wide_limits) {
    uint64_t random = 4;
    for (int round = 0; round < 1000; round++) {
        ik_rig rig;
        md5_joint_limit limits[IK_JOINTS];
        ik_make_rig(&rig, 4, 3, &random);
        for (uint32_t i = 0; i < 4; i++)
            limits[i] = (md5_joint_limit){
                .kind = MD5_LIMIT_CONE,
                .rest = random_unit_quat(&random),
                .axis = ik_random_point(1, &random),
                .min = -3.14159265f,
                .max = 3.14159265f,
                .swing = 3.14159265f,
            };
        md5_two_bone_job job = {
            .tip = rig.chain[3], .target = ik_random_point(5, &random), .weight = 1};
        ik_rig free = rig;
        IK_SOLVE(two_bone, free, job);
        job.limits = limits;
        IK_SOLVE(two_bone, rig, job);
        for (uint32_t i = 0; i < 4; i++)
            CHECK_SMALL(real_angle(free.pose[i].rotation, rig.pose[i].rotation), 1e-6);
    }
}

// Checks a planar arm of two hinges with published numbers. The bones have the length 1, and a
// target at (1, 1) needs the elbow at 90 degrees. An arm whose elbow bends by at most 60 degrees
// ends at the distance sqrt(3) - sqrt(2).
static void check_planar(md5_chain_solver solver, float max_angle, double angle, double distance)
{
    ik_rig rig;
    ik_make_line(&rig, 3, 1);
    md5_joint_limit limits[IK_JOINTS] = {{.kind = MD5_LIMIT_NONE}};
    for (uint32_t i = 0; i < 3; i++) {
        limits[rig.chain[i]] = (md5_joint_limit){
            .kind = MD5_LIMIT_HINGE, .axis = {0, 0, 2}, .min = i ? 0 : -3, .max = 3};
    }
    limits[rig.chain[1]].max = max_angle;
    const md5_chain_job job = {.solver = solver,
                               .tip = rig.chain[2],
                               .length = 3,
                               .target = {1, 1, 0},
                               .tolerance = 1e-5f,
                               .iterations = 500,
                               .weight = 1,
                               .limits = limits};
    CHECK_NEAR(IK_SOLVE(chain, rig, job), distance, 1e-4);
    const real4 elbow = to_unit_real4(rig.pose[rig.chain[1]].rotation);
    CHECK_NEAR(2 * atan2(elbow.z, elbow.w), angle, 2e-3);
}

TEST (ik_limits_bend_a_planar_arm) {
    const double right = 1.57079632679489662;
    const double sixty = 1.04719755119659775;
    for (int i = 0; i < 3; i++) {
        check_planar((md5_chain_solver)i, 3, right, 0);
        check_planar((md5_chain_solver)i, (float)sixty, sixty, 0.317837245195782);
    }
}

// Checks a straight chain of hinges with a target on its line. If the target is in reach, the
// hinges bend, each to the side that its limit allows. Otherwise they do not bend.
static void check_straight_hinges(md5_chain_solver solver, float target, double distance)
{
    ik_rig rig;
    ik_make_line(&rig, 4, 1);
    md5_joint_limit limits[IK_JOINTS] = {{.kind = MD5_LIMIT_NONE}};
    for (uint32_t i = 0; i < 4; i++) {
        md5_joint_limit *const limit = &limits[rig.chain[i]];
        *limit = (md5_joint_limit){
            .kind = MD5_LIMIT_HINGE, .axis = {0, 1, 0}, .min = -2.5f, .max = 2.5f};
        if (i == 1)
            limit->min = 0;
        else if (i == 2)
            limit->max = 0;
    }
    const md5_chain_job job = {.solver = solver,
                               .tip = rig.chain[3],
                               .length = 4,
                               .target = {target, 0, 0},
                               .tolerance = 1e-4f,
                               .iterations = 500,
                               .weight = 1,
                               .limits = limits};
    CHECK_NEAR(IK_SOLVE(chain, rig, job), distance, 2e-4);
    CHECK_NEAR(real3_distance(ik_chain_position(&rig, 3), to_real3(job.target)), distance, 2e-4);
    CHECK_SMALL(max_limit_excess(&rig, 4, 4, limits), 1e-6);
}

TEST (ik_limits_bend_straight_hinges) {
    for (int i = 0; i < 3; i++) {
        const md5_chain_solver solver = (md5_chain_solver)i;
        check_straight_hinges(solver, 2, 0);
        check_straight_hinges(solver, 1.5f, 0);
        check_straight_hinges(solver, 3, 0);
        check_straight_hinges(solver, 5, 2);
    }
}

// A hinge outside of its range must be rotated to the nearest rotation inside. The test finds that
// rotation by trying many.
TEST (ik_limits_move_a_joint_to_the_nearest_rotation) {
    uint64_t random = 10;
    for (int round = 0; round < 200; round++) {
        ik_rig rig;
        ik_make_rig(&rig, 2, 1, &random);
        md5_joint_limit limits[IK_JOINTS] = {{.kind = MD5_LIMIT_NONE}};
        md5_joint_limit *const hinge = &limits[rig.chain[0]];
        do
            *hinge = limit_random(&random);
        while (hinge->kind != MD5_LIMIT_HINGE);
        const md5_chain_job job = {.solver = MD5_CHAIN_LEAST_SQUARES,
                                   .tip = rig.chain[1],
                                   .length = 2,
                                   .weight = 1,
                                   .limits = limits};
        const real4 initial_rotation = to_unit_real4(rig.pose[rig.chain[0]].rotation);
        IK_SOLVE(chain, rig, job);
        const double moved =
            real4_angle(initial_rotation, to_unit_real4(rig.pose[rig.chain[0]].rotation));
        md5_joint_limit point = *hinge;
        double min_found = 10;
        for (int i = 0; i < 501; i++) {
            point.min = hinge->min + (hinge->max - hinge->min) * (float)i / 500.0f;
            point.max = point.min;
            const double angle = real4_angle(initial_rotation,
                                             to_unit_real4(limit_random_rotation(&point, &random)));
            min_found = fmin(min_found, angle);
        }
        CHECK(moved < min_found + 1e-5);
    }
}

// A cone of 30 degrees about x: the arm that is to point along y stops at 30 degrees from x.
TEST (ik_a_cone_stops_a_swing_at_its_edge) {
    ik_rig rig;
    ik_make_line(&rig, 2, 2);
    md5_joint_limit limits[IK_JOINTS] = {{.kind = MD5_LIMIT_NONE}};
    limits[rig.chain[0]] =
        (md5_joint_limit){.kind = MD5_LIMIT_CONE, .axis = {1, 0, 0}, .swing = 0.523598776f};
    md5_chain_job job = {.solver = MD5_CHAIN_CCD,
                         .tip = rig.chain[1],
                         .length = 2,
                         .target = {0, 2, 0},
                         .tolerance = 1e-5f,
                         .iterations = 50,
                         .weight = 1,
                         .limits = limits};
    ik_rig second = rig;
    CHECK_NEAR(IK_SOLVE(chain, rig, job), 2, 1e-5); // 2 * 2 sin(30 degrees)
    CHECK_SMALL(real3_distance(ik_chain_position(&rig, 1), (real3){1.73205080756888, 1, 0}), 1e-5);
    job.solver = MD5_CHAIN_FABRIK;
    CHECK_NEAR(IK_SOLVE(chain, second, job), 2, 1e-5);
    CHECK_BYTES(rig.pose, second.pose, sizeof rig.pose);
}

// With weight 0, a pose outside its limits remains unchanged. With a weight in between, it is
// interpolated to the pose of weight 1.
TEST (ik_limits_are_scaled_by_weight) {
    uint64_t random = 7;
    for (int round = 0; round < 200; round++) {
        ik_rig rig;
        md5_joint_limit limits[IK_JOINTS];
        ik_make_rig(&rig, 5, 4, &random);
        for (uint32_t i = 0; i < 5; i++)
            limits[i] = limit_random(&random);
        md5_chain_job job = {.solver = MD5_CHAIN_CCD,
                             .tip = rig.chain[4],
                             .length = 4,
                             .target = ik_random_point(8, &random),
                             .tolerance = 0.01f,
                             .iterations = 20,
                             .weight = 1,
                             .limits = limits};
        ik_rig full = rig;
        ik_rig part = rig;
        const float left = IK_SOLVE(chain, full, job);
        job.weight = 0;
        CHECK(IK_SOLVE(chain, part, job) == left);
        CHECK_BYTES(part.pose, rig.pose, sizeof rig.pose);
        job.weight = (float)test_random(&random);
        CHECK(IK_SOLVE(chain, part, job) == left);
        ik_check_part(&rig, &full, &part, 5, job.weight, 3e-6);
    }
}

// An axis of any length above 0 is the same axis.
TEST (ik_limits_do_not_depend_on_the_length_of_an_axis) {
    static const float lengths[] = {1e-44f, 1e-30f, 1e-15f, 1e-3f, 7, 1e15f, 1e20f, 1e38f};
    uint64_t random = 9;
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        ik_rig rig;
        ik_make_rig(&rig, 3, 3, &random);
        // At this size, floats can represent only multiples of the length.
        const bool is_tiny = lengths[i] < 1e-40f;
        md5_joint_limit limits[2][IK_JOINTS] = {{{.kind = MD5_LIMIT_NONE}}};
        ik_rig second = rig;
        md5_chain_job job = {.solver = MD5_CHAIN_CCD,
                             .tip = rig.chain[2],
                             .length = 3,
                             .target = ik_random_point(4, &random),
                             .tolerance = 1e-5f,
                             .iterations = 50,
                             .weight = 1};
        for (int k = 0; k < 2; k++) {
            const float length = k == 0 ? 1 : lengths[i];
            limits[k][rig.chain[0]] = (md5_joint_limit){.kind = MD5_LIMIT_HINGE,
                                                        .axis = {0, is_tiny ? 0 : length, length},
                                                        .min = -0.3f,
                                                        .max = 0.4f};
            if (is_tiny)
                limits[0][rig.chain[0]].axis.y = 0;
        }
        job.limits = limits[0];
        IK_SOLVE(chain, rig, job);
        job.limits = limits[1];
        IK_SOLVE(chain, second, job);
        for (uint32_t k = 0; k < 3; k++)
            CHECK_SMALL(real_angle(rig.pose[k].rotation, second.pose[k].rotation), 1e-6);
    }
}

// -- Errors ---------------------------------------------------------------------------------------
//
// Errors of callers of inverse kinematics: with assertions they end the program with a message
// that names the function and the argument.

#if !defined(NDEBUG)

TEST (errors_in_limits_are_reported_with_function_and_argument) {
    const float max_angle = 3.1416f;
    const float beyond = nextafterf(max_angle, 4);
    const md5_joint_limit valid[] = {
        {.kind = MD5_LIMIT_HINGE, .axis = {1, 0, 0}, .min = -max_angle, .max = max_angle},
        {.kind = MD5_LIMIT_CONE, .axis = {1, 0, 0}, .swing = max_angle},
    };
    const md5_joint_limit wrong[] = {
        {.kind = (md5_limit_kind)3, .axis = {1, 0, 0}},
        {.kind = MD5_LIMIT_HINGE},
        {.kind = MD5_LIMIT_HINGE, .axis = {NAN, 0, 0}},
        {.kind = MD5_LIMIT_HINGE, .rest = {NAN, 0, 0, 1}, .axis = {1, 0, 0}},
        {.kind = MD5_LIMIT_HINGE, .axis = {1, 0, 0}, .min = 0.2f, .max = 0.1f},
        {.kind = MD5_LIMIT_HINGE, .axis = {1, 0, 0}, .max = beyond},
        {.kind = MD5_LIMIT_HINGE, .axis = {1, 0, 0}, .min = -beyond},
        {.kind = MD5_LIMIT_HINGE, .axis = {1, 0, 0}, .min = NAN},
        {.kind = MD5_LIMIT_CONE, .axis = {1, 0, 0}, .swing = -0.1f},
        {.kind = MD5_LIMIT_CONE, .axis = {1, 0, 0}, .swing = beyond},
    };
    static ik_rig rig;
    uint64_t random = 1;
    ik_make_rig(&rig, 4, 2, &random);
    for (size_t i = 0; i < COUNT_OF(valid); i++) { // an assertion that fails ends the program
        md5_joint_limit limits[IK_JOINTS] = {{.kind = MD5_LIMIT_NONE}};
        limits[rig.chain[1]] = valid[i];
        const md5_chain_job chain = {.tip = rig.chain[3], .length = 3, .limits = limits};
        IK_SOLVE(chain, rig, chain);
    }
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        md5_joint_limit limits[IK_JOINTS] = {{.kind = MD5_LIMIT_NONE}};
        limits[rig.chain[i % 3 + 1]] = wrong[i];
        const md5_chain_job chain = {.tip = rig.chain[3], .length = 3, .limits = limits};
        MISUSE("md5_solve_chain(): limits: must have known kinds", IK_SOLVE(chain, rig, chain));
        MISUSE("md5_solve_goals(): limits: must have known kinds",
               md5_solve_goals(&rig.skeleton, &(md5_goals_job){.limits = limits}, rig.pose));
        const md5_two_bone_job limb = {.tip = rig.chain[3], .limits = limits};
        MISUSE("md5_solve_two_bone(): limits: must have known kinds",
               IK_SOLVE(two_bone, rig, limb));
    }
}

TEST (errors_in_goals_are_reported_with_function_and_argument) {
    static ik_rig rig;
    md5_goal goals[MD5_MAX_GOALS + 1] = {{0}};
    uint64_t random = 2;
    ik_make_rig(&rig, 4, 2, &random);
    MISUSE("md5_solve_goals(): goals: must not be NULL",
           md5_solve_goals(&rig.skeleton, &(md5_goals_job){.num_goals = 1}, rig.pose));
    const md5_goals_job too_many = {.goals = goals, .num_goals = MD5_MAX_GOALS + 1};
    MISUSE("md5_solve_goals(): num_goals: must be at most MD5_MAX_GOALS",
           md5_solve_goals(&rig.skeleton, &too_many, rig.pose));
    MISUSE("md5_solve_goals(): job: reserved members",
           md5_solve_goals(&rig.skeleton, &(md5_goals_job){.reserved = {0, 1}}, rig.pose));
    MISUSE("md5_solve_goals(): job: must not be NULL",
           md5_solve_goals(&rig.skeleton, test_null(), rig.pose));
    MISUSE("md5_solve_chain(): job: must not be NULL",
           md5_solve_chain(&rig.skeleton, test_null(), rig.pose));
    MISUSE(
        "md5_solve_chain(): solver: must be a value of md5_chain_solver",
        md5_solve_chain(&rig.skeleton, &(md5_chain_job){.solver = (md5_chain_solver)3}, rig.pose));
}

#endif
