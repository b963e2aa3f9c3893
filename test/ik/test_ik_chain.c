// Tests of FABRIK, CCD and damped least squares: compared with joint positions in double precision.
#include "test/ik/test_ik_case.h"

// Solves random chains for targets in reach. At most `max_missed` tips may miss their target by
// more than the tolerance, and none by more than `farthest_miss` times the reach.
static void check_reaching(md5_chain_solver solver, int max_missed, double farthest_miss,
                           uint64_t seed)
{
    const double farthest = 0.95;
    uint64_t random = seed;
    int missed = 0;
    int rounds = 3000;
    for (int round = 0; round < rounds; round++) {
        ik_rig rig;
        const uint32_t count = 4 + test_random_u32(&random) % 8;
        const uint32_t length = 3 + test_random_u32(&random) % (count - 3);
        ik_make_rig(&rig, count, 5, &random);
        const double reach = ik_reach(&rig, count, length);
        const real3 start = ik_chain_position(&rig, count - length);
        const double distance = reach * test_between(0.3, farthest, &random);
        const md5_chain_job job = {
            .solver = solver,
            .tip = rig.chain[count - 1],
            .length = length,
            .target = ik_point_around(start, distance, &random),
            .tolerance = (float)(1e-3 * reach),
            .iterations = 500,
            .weight = 1,
        };
        const ik_rig initial_rig = rig;
        const float left = IK_SOLVE(chain, rig, job);
        const double exact =
            real3_distance(ik_chain_position(&rig, count - 1), to_real3(job.target));
        // If a bone is longer than all others together, the tip cannot reach near targets, so such
        // chains are not counted.
        double longest = 0;
        for (uint32_t i = count - length + 1; i < count; i++)
            longest = fmax(longest, real3_length(to_real3(rig.pose[rig.chain[i]].translation)));
        if (2.0 * longest - reach < 0.25 * reach) {
            CHECK(exact / reach <= farthest_miss);
            missed += exact > 1.01e-3 * reach;
        }
        CHECK_SMALL(fabs(exact - left) / reach, 1e-5);
        REQUIRE(ik_is_sound(rig.pose, count));
        ik_check_lengths(&rig, &initial_rig, count);
        for (uint32_t i = 0; i < count; i++) {
            if (i < count - length || i == count - 1) // not turned by the solver
                CHECK_SMALL(real_angle(rig.pose[rig.chain[i]].rotation,
                                       initial_rig.pose[rig.chain[i]].rotation),
                            1e-5);
        }
    }
    CHECK(missed <= max_missed);
}

TEST (ik_fabrik_reaches_targets_in_reach) {
    check_reaching(MD5_CHAIN_FABRIK, 0, 1.01e-3, 1);
}

TEST (ik_ccd_reaches_targets_in_reach) {
    // CCD converges slowly if a chain is nearly straight at the end, so a few misses are allowed.
    check_reaching(MD5_CHAIN_CCD, 10, 0.05, 2);
}

TEST (ik_dls_reaches_targets_in_reach) {
    check_reaching(MD5_CHAIN_LEAST_SQUARES, 0, 1.01e-3, 7);
}

// A problem that is rotated as a whole has the rotated solution, after any number of iterations.
TEST (ik_dls_does_not_depend_on_axes) {
    uint64_t random = 11;
    for (int round = 0; round < 200; round++) {
        const uint32_t count = 4;
        ik_rig rig;
        ik_make_rig(&rig, count, 5, &random);
        md5_chain_job job = {.solver = MD5_CHAIN_LEAST_SQUARES,
                             .tip = rig.chain[count - 1],
                             .length = count,
                             .target = ik_random_point(8, &random),
                             .tolerance = 1e-4f,
                             .iterations = 1 + (uint32_t)round % 3,
                             .weight = 1};
        const md5_quat rotation = random_unit_quat(&random);
        ik_rig rotated = rig;
        md5_xform *const root = &rotated.pose[rig.chain[0]];
        root->rotation = md5_quat_mul(rotation, root->rotation);
        root->translation = md5_quat_rotate(rotation, root->translation);
        IK_SOLVE(chain, rig, job);
        job.target = md5_quat_rotate(rotation, job.target);
        IK_SOLVE(chain, rotated, job);
        for (uint32_t i = 0; i < count; i++) {
            md5_quat expected = rig.pose[rig.chain[i]].rotation;
            if (i == 0)
                expected = md5_quat_mul(rotation, expected);
            CHECK_SMALL(real_angle(rotated.pose[rig.chain[i]].rotation, expected), 1e-4);
        }
    }
}

static md5_chain_job straight_job(md5_chain_solver solver, ik_rig *rig, md5_vec3 target)
{
    ik_make_line(rig, 5, 4);
    return (md5_chain_job){.solver = solver,
                           .tip = rig->chain[4],
                           .length = 5,
                           .target = target,
                           .tolerance = 1e-3f,
                           .iterations = 100,
                           .weight = 1};
}

// Checks a straight chain with a target on its line. The chain must bend, although no direction is
// preferred.
static void check_straight(md5_chain_solver solver)
{
    static const float target_x[] = {10, 3, -6, 15.5f};
    for (int i = 0; i < 4; i++) {
        ik_rig rig;
        const md5_chain_job job = straight_job(solver, &rig, (md5_vec3){target_x[i], 0, 0});
        const float left = IK_SOLVE(chain, rig, job);
        CHECK(left <= 1e-3f);
        CHECK_NEAR(ik_chain_position(&rig, 4).x, target_x[i], 2e-3);
        CHECK(ik_is_sound(rig.pose, 5));
    }
    ik_rig rig;
    md5_chain_job job = straight_job(solver, &rig, (md5_vec3){10, 0, 0});
    const ik_rig straight = rig;
    job.iterations = 0;
    CHECK(IK_SOLVE(chain, rig, job) == 6);
    CHECK_BYTES(rig.pose, straight.pose, sizeof rig.pose);
    job.iterations = 1;
    CHECK(IK_SOLVE(chain, rig, job) < 6);
    // The tip is at the target from the start, so nothing may change.
    const md5_chain_job there = straight_job(solver, &rig, (md5_vec3){16, 0, 0});
    const ik_rig initial_rig = rig;
    CHECK(IK_SOLVE(chain, rig, there) == 0);
    CHECK_BYTES(rig.pose, initial_rig.pose, sizeof initial_rig.pose);
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

TEST (ik_dls_stretches_toward_targets_out_of_reach) {
    ik_rig rig;
    const md5_chain_job job = straight_job(MD5_CHAIN_LEAST_SQUARES, &rig, (md5_vec3){0, 30, 40});
    CHECK_NEAR(IK_SOLVE(chain, rig, job), 34, 1e-3);
}

TEST (ik_fabrik_points_at_targets_out_of_reach) {
    ik_rig rig;
    const md5_chain_job job = straight_job(MD5_CHAIN_FABRIK, &rig, (md5_vec3){0, 30, 40});
    CHECK_NEAR(IK_SOLVE(chain, rig, job), 34, 1e-4);
    CHECK_SMALL(real3_distance(ik_chain_position(&rig, 4), (real3){0, 9.6, 12.8}), 1e-4);
}

TEST (ik_ccd_stretches_toward_targets_out_of_reach) {
    ik_rig rig;
    const md5_chain_job job = straight_job(MD5_CHAIN_CCD, &rig, (md5_vec3){0, 30, 40});
    CHECK_NEAR(IK_SOLVE(chain, rig, job), 34, 0.1);
}

// Checks that the weights 0 and NaN do not change the pose, and that other weights interpolate each
// rotation.
static void check_weight(md5_chain_solver solver)
{
    uint64_t random = 4;
    for (int round = 0; round < 300; round++) {
        ik_rig rig;
        ik_make_rig(&rig, 6, 4, &random);
        md5_chain_job job = {.solver = solver,
                             .tip = rig.chain[5],
                             .length = 5,
                             .target = ik_random_point(8, &random),
                             .tolerance = 0.01f,
                             .iterations = 20,
                             .weight = 1};
        ik_rig full = rig;
        ik_rig part = rig;
        const float left = IK_SOLVE(chain, full, job);
        job.weight = round % 2 ? 0.0f : NAN;
        CHECK(IK_SOLVE(chain, part, job) == left);
        CHECK_BYTES(part.pose, rig.pose, sizeof rig.pose);
        job.weight = (float)test_random(&random);
        CHECK(IK_SOLVE(chain, part, job) == left);
        ik_check_part(&rig, &full, &part, 6, job.weight, 3e-6);
    }
}

TEST (ik_chains_move_in_proportion_to_their_weight) {
    check_weight(MD5_CHAIN_FABRIK);
    check_weight(MD5_CHAIN_CCD);
    check_weight(MD5_CHAIN_LEAST_SQUARES);
}

// Solves 10000 random chains with bones of extreme lengths and settings that are not finite.
static void check_survival(md5_chain_solver solver, uint64_t seed)
{
    static const float odd[] = {NAN, INFINITY, 3e38f, 1e15f, 9e14f, 1e-30f, 0, -1};
    uint64_t random = seed;
    for (int round = 0; round < 10000; round++) {
        ik_rig rig;
        const uint32_t count = 1 + test_random_u32(&random) % 6;
        ik_make_rig(&rig, count, 3, &random);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t kind = test_random_u32(&random) % 16;
            if (kind == 0)
                rig.pose[i].translation = (md5_vec3){0, 0, 0};
            else if (kind == 1)
                rig.pose[i].translation = md5_vec3_scale(rig.pose[i].translation, 1e14f);
            else if (kind == 2)
                rig.pose[i].translation = md5_vec3_scale(rig.pose[i].translation, 1e-17f);
            else if (kind < 6)
                rig.pose[i].rotation = (md5_quat){0, 0, 0, 1};
        }
        md5_chain_job job = {
            .solver = solver,
            .tip = test_random_u32(&random) % (count + 1),
            .length = test_random_u32(&random) % 100,
            .target = ik_random_point(9, &random),
            .tolerance = odd[test_random_u32(&random) % 8],
            .iterations = test_random_u32(&random) % 20,
            .weight = 1,
        };
        if (round % 5 == 0)
            job.target.y = odd[test_random_u32(&random) % 8];
        if (round % 5 == 1) {
            job.target = ik_rounded(ik_chain_position(&rig, test_random_u32(&random) % count));
        }
        const ik_rig initial_rig = rig;
        const float left = IK_SOLVE(chain, rig, job);
        CHECK(left >= 0);
        REQUIRE(ik_is_sound(rig.pose, count));
        if (job.tip == count || job.length < 2 || !isfinite(job.target.y))
            CHECK(left == INFINITY && memcmp(rig.pose, initial_rig.pose, sizeof rig.pose) == 0);
    }
}

TEST (ik_fabrik_of_any_input_is_finite) {
    check_survival(MD5_CHAIN_FABRIK, 5);
}

TEST (ik_ccd_of_any_input_is_finite) {
    check_survival(MD5_CHAIN_CCD, 6);
}

TEST (ik_dls_of_any_input_is_finite) {
    check_survival(MD5_CHAIN_LEAST_SQUARES, 8);
}

// The chain is longer than the limit, so only its last joints are used.
TEST (ik_chains_have_a_limit_of_joints) {
    enum { LONG = 100 };
    static md5_joint joints[LONG];
    static uint32_t order[LONG];
    static md5_xform pose[LONG];
    for (uint32_t i = 0; i < LONG; i++) {
        joints[i] = (md5_joint){"j", i - 1};
        order[i] = i;
        pose[i] = (md5_xform){{0, 0, 0, 1}, {1, 0, 0}, 0};
    }
    const md5_skeleton skeleton = {.num_joints = LONG, .joints = joints, .order = order};
    const md5_chain_job job = {.tip = LONG - 1,
                               .length = LONG,
                               .target = {37, 100, 0},
                               .tolerance = 0.01f,
                               .iterations = 50,
                               .weight = 1};
    CHECK_NEAR(md5_solve_chain(&skeleton, &job, pose), 37, 1e-3);
    CHECK(pose[LONG - 1 - MD5_MAX_CHAIN].rotation.w == 1);
    CHECK(pose[LONG - MD5_MAX_CHAIN].rotation.w != 1);
    CHECK_NEAR(md5_joint_in_model(&skeleton, pose, LONG - 1).translation.y, 63, 1e-3);
}

// -- Goals ----------------------------------------------------------------------------------------

// Several goals for one skeleton: a spine with two arms, against double precision.

// A root with eight arms of one joint and a hand. Each hand has a goal.
TEST (goals_of_eight_hands_are_reached) {
    enum { NUM_JOINTS = 1 + 2 * MD5_MAX_GOALS };
    md5_joint joints[NUM_JOINTS] = {{"root", MD5_NONE}};
    uint32_t order[NUM_JOINTS] = {0};
    md5_xform pose[NUM_JOINTS] = {{.rotation = {0, 0, 0, 1}}};
    md5_goal goals[MD5_MAX_GOALS] = {{0}};
    for (uint32_t i = 0; i < MD5_MAX_GOALS; i++) {
        const uint32_t arm = 1 + 2 * i;
        const uint32_t hand = arm + 1;
        joints[arm] = (md5_joint){"arm", 0};
        joints[hand] = (md5_joint){"hand", arm};
        order[arm] = arm;
        order[hand] = hand;
        pose[arm] = (md5_xform){.rotation = {0, 0, 0, 1}, .translation = {0, 10 * (float)i, 0}};
        pose[hand] = (md5_xform){.rotation = {0, 0, 0, 1}, .translation = {3, 0, 0}};
        goals[i] =
            (md5_goal){.tip = hand, .length = 2, .target = {0, 10 * (float)i, 3}, .weight = 1};
    }
    const md5_skeleton skeleton = {.num_joints = NUM_JOINTS, .joints = joints, .order = order};
    const md5_goals_job job = {.goals = goals,
                               .num_goals = MD5_MAX_GOALS,
                               .tolerance = 1e-3f,
                               .iterations = 100,
                               .weight = 1};
    md5_solve_goals(&skeleton, &job, pose);
    for (uint32_t i = 0; i < MD5_MAX_GOALS; i++) {
        const md5_vec3 hand = md5_joint_in_model(&skeleton, pose, goals[i].tip).translation;
        CHECK_SMALL(real_distance(hand, goals[i].target), 2e-3);
    }
}

// 0 root, 1..3 spine, 4 and 8 shoulder blades, which are in no chain of an arm, 5..7 and 9..11
// arms.
enum { BODY_JOINTS = 12, CHEST = 3, LEFT = 7, RIGHT = 11, BLADE = 4 };

typedef struct body {
    md5_skeleton skeleton;
    md5_joint joints[BODY_JOINTS];
    uint32_t order[BODY_JOINTS];
    md5_xform pose[BODY_JOINTS];
    md5_joint_limit limits[BODY_JOINTS];
} body;

static void make_body(body *fixture, bool has_limits, uint64_t *random)
{
    static const uint32_t parents[BODY_JOINTS] = {MD5_NONE, 0, 1, 2, 3, 4, 5, 6, 3, 8, 9, 10};
    memset(fixture, 0, sizeof *fixture);
    fixture->skeleton = (md5_skeleton){
        .num_joints = BODY_JOINTS, .joints = fixture->joints, .order = fixture->order};
    for (uint32_t i = 0; i < BODY_JOINTS; i++) {
        fixture->joints[i] = (md5_joint){"joint", parents[i]};
        fixture->order[i] = i;
        if (has_limits)
            fixture->limits[i] = limit_random(random);
        fixture->pose[i] = (md5_xform){
            .rotation = limit_random_rotation(&fixture->limits[i], random),
            .translation = ik_random_point(3, random),
        };
    }
}

static real3 joint_position(const body *fixture, uint32_t joint)
{
    return ik_joint_transform(&fixture->skeleton, fixture->pose, joint).translation;
}

static double distance_to(const body *fixture, uint32_t joint, md5_vec3 target)
{
    return real3_distance(joint_position(fixture, joint), to_real3(target));
}

// Moves both hands and the chest to the positions that they have in another pose within the limits.
// Returns true if all three reach these positions.
static bool reach_with_hands(body *fixture, bool has_limits, uint64_t *random)
{
    body target_body = *fixture;
    target_body.skeleton.joints = fixture->joints;
    for (int i = 1; i < BODY_JOINTS; i++) {
        if (i % 4 != 0) // not the shoulder blades
            target_body.pose[i].rotation = limit_random_rotation(&fixture->limits[i], random);
    }
    const body initial_body = *fixture;
    md5_goal goals[] = {
        {.tip = LEFT,
         .length = 3,
         .target = ik_rounded(joint_position(&target_body, LEFT)),
         .weight = 1},
        {.tip = CHEST,
         .length = 3,
         .target = ik_rounded(joint_position(&target_body, CHEST)),
         .weight = 0.5f},
        {.tip = RIGHT,
         .length = 3,
         .target = ik_rounded(joint_position(&target_body, RIGHT)),
         .weight = 2},
    };
    const md5_goals_job job = {
        ROWS(goals, goals),
        .tolerance = 0.01f,
        .iterations = 300,
        .weight = 1,
        .limits = has_limits ? fixture->limits : NULL,
    };
    const float max_distance = md5_solve_goals(&fixture->skeleton, &job, fixture->pose);
    double farthest = 0;
    for (size_t i = 0; i < COUNT_OF(goals); i++) {
        md5_goal *const row = &goals[i];
        const double exact = distance_to(fixture, row->tip, row->target);
        CHECK_NEAR(exact, row->distance, 1e-4);
        farthest = exact > farthest ? exact : farthest;
    }
    CHECK_NEAR(farthest, max_distance, 1e-4);
    CHECK(ik_is_sound(fixture->pose, BODY_JOINTS));
    for (uint32_t i = 0; i < BODY_JOINTS; i += 4) // in no chain
        CHECK_BYTES(&fixture->pose[i], &initial_body.pose[i], sizeof fixture->pose[i]);
    for (int i = 1; i < BODY_JOINTS; i++) {
        if (i % 4 != 0)
            CHECK(limit_excess(&fixture->limits[i], fixture->pose[i].rotation) < 1e-6);
    }
    return farthest < 0.011;
}

static void check_hands(bool has_limits, int min_reached)
{
    uint64_t random = 11;
    int reached = 0;
    for (int round = 0; round < 1000; round++) {
        body fixture;
        make_body(&fixture, has_limits, &random);
        reached += reach_with_hands(&fixture, has_limits, &random);
    }
    if (!CHECK(reached >= min_reached))
        CHECK_UINT((unsigned)reached, (unsigned)min_reached);
}

TEST (ik_goals_are_reached_together) {
    check_hands(false, 990);
}

TEST (ik_goals_obey_limits) {
    check_hands(true, 700);
}

// Two goals of one tip have different targets, a and b, that the chain can reach. The tip moves to
// the minimum of w^2 |x - a|^2 + v^2 |x - b|^2.
TEST (ik_goals_compete_by_their_weights) {
    uint64_t random = 12;
    for (int round = 0; round < 200; round++) {
        body fixture;
        make_body(&fixture, false, &random);
        const md5_vec3 here = ik_rounded(joint_position(&fixture, LEFT));
        const md5_vec3 a = md5_vec3_add(here, ik_random_point(0.4, &random));
        const md5_vec3 b = md5_vec3_add(here, ik_random_point(0.4, &random));
        const double w = test_between(0.3, 2, &random);
        const double v = test_between(0.3, 2, &random);
        md5_goal goals[] = {
            {.tip = LEFT, .length = 7, .target = a, .weight = (float)w},
            {.tip = LEFT, .length = 7, .target = b, .weight = (float)v},
        };
        const md5_goals_job job = {ROWS(goals, goals), .iterations = 500, .weight = 1};
        md5_solve_goals(&fixture.skeleton, &job, fixture.pose);
        const double weight_a = w * w / (w * w + v * v);
        const double weight_b = 1.0 - weight_a;
        const real3 middle =
            real3_add(real3_scale(to_real3(a), weight_a), real3_scale(to_real3(b), weight_b));
        CHECK_SMALL(real3_distance(joint_position(&fixture, LEFT), middle), 1e-3);
    }
}

TEST (ik_goals_rotate_the_last_joint) {
    uint64_t random = 13;
    int reached = 0;
    for (int round = 0; round < 500; round++) {
        body fixture;
        make_body(&fixture, false, &random);
        body target_body = fixture;
        for (int i = 1; i < BODY_JOINTS; i++)
            target_body.pose[i].rotation = random_unit_quat(&random);
        const real_transform there =
            ik_joint_transform(&target_body.skeleton, target_body.pose, RIGHT);
        const md5_quat rotation = {(float)there.rotation.x, (float)there.rotation.y,
                                   (float)there.rotation.z, (float)there.rotation.w};
        md5_goal goal = {.tip = RIGHT,
                         .length = 7,
                         .target = ik_rounded(there.translation),
                         .rotation = &rotation,
                         .weight = 1};
        const md5_goals_job job = {ROW(goals, goal), .tolerance = 1e-3f, .iterations = 500,
                                   .weight = 1};
        const double left = md5_solve_goals(&fixture.skeleton, &job, fixture.pose);
        const real_transform reached_transform =
            ik_joint_transform(&fixture.skeleton, fixture.pose, RIGHT);
        CHECK_NEAR(real3_distance(reached_transform.translation, to_real3(goal.target)), left,
                   1e-4);
        reached += left < 1.1e-3 && real4_angle(reached_transform.rotation, there.rotation) < 2e-3;
    }
    CHECK(reached >= 480);
}

// For one goal the result equals the result of the solver for a single chain.
TEST (ik_one_goal_equals_damped_least_squares) {
    uint64_t random = 14;
    for (int round = 0; round < 200; round++) {
        body fixture;
        make_body(&fixture, round % 2 > 0, &random);
        const md5_chain_job chain_job = {.solver = MD5_CHAIN_LEAST_SQUARES,
                                         .tip = LEFT,
                                         .length = 5,
                                         .target = ik_random_point(9, &random),
                                         .tolerance = 0.01f,
                                         .iterations = 40,
                                         .weight = 0.7f,
                                         .limits = fixture.limits};
        md5_goal goal = {.tip = LEFT, .length = 5, .target = chain_job.target, .weight = 1};
        const md5_goals_job job = {
            ROW(goals, goal), .tolerance = 0.01f,       .iterations = 40,
            .weight = 0.7f,   .limits = fixture.limits,
        };
        body single = fixture;
        CHECK_NEAR(IK_SOLVE(chain, single, chain_job),
                   md5_solve_goals(&fixture.skeleton, &job, fixture.pose), 1e-4);
        for (int i = 0; i < BODY_JOINTS; i++)
            CHECK_SMALL(real_angle(single.pose[i].rotation, fixture.pose[i].rotation), 1e-3);
    }
}

// Goals that are disabled or invalid have no effect on the other goals.
TEST (ik_goals_that_are_invalid_are_ignored) {
    static const md5_quat no_rotation = {0, 0, 0, 0};
    const md5_goal wrong[] = {
        {.tip = BODY_JOINTS, .length = 3, .weight = 1},
        {.tip = 0, .length = 3, .weight = 1},
        {.tip = RIGHT, .length = 1, .weight = 1},
        {.tip = RIGHT, .length = 3, .target = {NAN, 0, 0}, .weight = 1},
        {.tip = RIGHT, .length = 3, .target = {0, 0, 2e15f}, .weight = 1},
        {.tip = RIGHT, .length = 3, .rotation = &no_rotation, .weight = 1},
        {.tip = RIGHT, .length = 3, .weight = INFINITY},
        {.tip = RIGHT, .length = 3, .weight = 0},
        {.tip = RIGHT, .length = 3, .weight = NAN},
    };
    uint64_t random = 15;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        const md5_goal *const row = &wrong[i];
        body fixture;
        make_body(&fixture, false, &random);
        body single_goal = fixture;
        const md5_goal right = {
            .tip = LEFT, .length = 3, .target = ik_random_point(5, &random), .weight = 1};
        md5_goal goals[] = {*row, right};
        md5_goals_job job = {ROWS(goals, goals), .iterations = 9, .weight = 1};
        const float left = md5_solve_goals(&fixture.skeleton, &job, fixture.pose);
        CHECK(goals[0].distance == INFINITY);
        CHECK(left == (goals[0].weight > 0 ? INFINITY : goals[1].distance));
        job.goals++;
        job.num_goals = 1;
        md5_solve_goals(&single_goal.skeleton, &job, single_goal.pose);
        CHECK_BYTES(fixture.pose, single_goal.pose, sizeof fixture.pose);
    }
    const md5_goals_job none = {.weight = 1};
    body fixture;
    make_body(&fixture, false, &random);
    CHECK(md5_solve_goals(&fixture.skeleton, &none, fixture.pose) == 0);
}

// A goal with a longer chain rotates the last 64 joints. The joint above them keeps its rotation.
TEST (goals_rotate_at_most_64_joints_of_a_chain) {
    enum { LONG = MD5_MAX_CHAIN + 8, TIP = LONG - 1, FIRST = LONG - MD5_MAX_CHAIN };
    static md5_joint joints[LONG];
    static uint32_t order[LONG];
    static md5_xform pose[LONG];
    for (uint32_t i = 0; i < LONG; i++) {
        joints[i] = (md5_joint){"joint", i - 1};
        order[i] = i;
        pose[i] = (md5_xform){{0, 0, 0, 1}, {1, 0, 0}, 0};
    }
    const md5_skeleton skeleton = {.num_joints = LONG, .joints = joints, .order = order};
    md5_goal goal = {.tip = TIP, .length = LONG, .target = {20, 30, 0}, .weight = 1};
    const md5_goals_job job = {.goals = &goal, .num_goals = 1, .iterations = 10, .weight = 1};
    md5_solve_goals(&skeleton, &job, pose);
    CHECK(pose[FIRST].rotation.w != 1);
    for (uint32_t i = 0; i < FIRST; i++)
        CHECK(pose[i].rotation.w == 1);
}

// Joints between two chains are included in the number of joints, which is limited.
TEST (ik_goals_have_a_limit_of_joints) {
    enum { LONG = MD5_MAX_GOAL_JOINTS + 8 };
    static md5_joint joints[LONG];
    static uint32_t order[LONG];
    static md5_xform pose[LONG];
    for (uint32_t i = 0; i < LONG; i++) {
        joints[i] = (md5_joint){"joint", i - 1};
        order[i] = i;
        pose[i] = (md5_xform){{0, 0, 0, 1}, {1, 0, 0}, 0};
    }
    const md5_skeleton skeleton = {.num_joints = LONG, .joints = joints, .order = order};
    md5_goal goals[] = {
        {.tip = LONG - 1, .length = 4, .target = {(float)LONG - 3, 1, 0}, .weight = 1},
        {.tip = 10, .length = 4, .target = {9, 1, 0}, .weight = 1},
    };
    const md5_goals_job job = {ROWS(goals, goals), .tolerance = 0.01f, .iterations = 99,
                               .weight = 1};
    goals[1].tip = 10; // from joint 7 to the end: 129 joints
    CHECK(md5_solve_goals(&skeleton, &job, pose) == INFINITY);
    CHECK(goals[0].distance == INFINITY && goals[1].distance < 0.01f);
    goals[1].tip = 11;
    goals[1].target.x = 10;
    CHECK(md5_solve_goals(&skeleton, &job, pose) < 0.01f);
}
