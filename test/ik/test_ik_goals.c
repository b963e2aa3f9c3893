// Several goals for one skeleton: a spine with two arms, against double precision.
#include "test/ik/test_ik_limit_case.h"

#include <math.h>
#include <string.h>

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

static void make_body(body *made, bool has_limits, uint64_t *random)
{
    static const int32_t parents[BODY_JOINTS] = {-1, 0, 1, 2, 3, 4, 5, 6, 3, 8, 9, 10};
    memset(made, 0, sizeof *made);
    made->skeleton =
        (md5_skeleton){.num_joints = BODY_JOINTS, .joints = made->joints, .order = made->order};
    for (uint32_t i = 0; i < BODY_JOINTS; i++) {
        made->joints[i] = (md5_joint){"joint", parents[i]};
        made->order[i] = i;
        if (has_limits)
            made->limits[i] = limit_random(random);
        made->pose[i] = (md5_xform){
            .rotation = limit_random_rotation(&made->limits[i], random),
            .translation = ik_random_point(3.0, random),
        };
    }
}

static real3 at_of(const body *of, uint32_t joint)
{
    return ik_place(&of->skeleton, of->pose, joint).at;
}

static double distance_to(const body *of, uint32_t joint, md5_vec3 target)
{
    return real3_length(real3_sub(at_of(of, joint), real3_of(target)));
}

static md5_vec3 rounded(real3 v)
{
    return (md5_vec3){(float)v.x, (float)v.y, (float)v.z};
}

// Moves both hands and the chest to where they are in another pose that obeys the limits. Returns
// whether all three arrive.
static bool reach_with_hands(body *of, bool has_limits, uint64_t *random)
{
    body other = *of;
    other.skeleton.joints = of->joints;
    for (uint32_t i = 1; i < BODY_JOINTS; i++)
        if (i % 4 != 0) // not the shoulder blades
            other.pose[i].rotation = limit_random_rotation(&of->limits[i], random);
    const body old = *of;
    md5_goal goals[] = {
        {.tip = LEFT, .length = 3, .target = rounded(at_of(&other, LEFT)), .weight = 1.0f},
        {.tip = CHEST, .length = 3, .target = rounded(at_of(&other, CHEST)), .weight = 0.5f},
        {.tip = RIGHT, .length = 3, .target = rounded(at_of(&other, RIGHT)), .weight = 2.0f},
    };
    const md5_goals_job job = {
        ROWS(goals, goals),
        .tolerance = 0.01f,
        .iterations = 300,
        .weight = 1.0f,
        .limits = has_limits ? of->limits : NULL,
    };
    const float most = md5_solve_goals(&of->skeleton, &job, of->pose);
    double farthest = 0.0;
    for (int i = 0; i < 3; i++) {
        const double exact = distance_to(of, goals[i].tip, goals[i].target);
        CHECK_NEAR(exact, (double)goals[i].distance, 1e-4);
        farthest = exact > farthest ? exact : farthest;
    }
    CHECK_NEAR(farthest, (double)most, 1e-4);
    CHECK(ik_is_sound(of->pose, BODY_JOINTS));
    for (uint32_t i = 0; i < BODY_JOINTS; i += 4) // in no chain
        CHECK(memcmp(&of->pose[i], &old.pose[i], sizeof of->pose[i]) == 0);
    for (uint32_t i = 1; i < BODY_JOINTS; i++)
        if (i % 4 != 0)
            CHECK(limit_excess(&of->limits[i], of->pose[i].rotation) < 1e-6);
    return farthest < 0.011;
}

static void check_hands(bool has_limits, int least_reached)
{
    uint64_t random = 11;
    int reached = 0;
    for (int round = 0; round < 1000; round++) {
        body of;
        make_body(&of, has_limits, &random);
        reached += reach_with_hands(&of, has_limits, &random);
    }
    if (!CHECK(reached >= least_reached))
        CHECK_UINT((unsigned)reached, (unsigned)least_reached);
}

TEST (ik_goals_are_reached_together) {
    check_hands(false, 990);
}

TEST (ik_goals_obey_limits) {
    check_hands(true, 700);
}

// One tip, two targets in reach: the minimum of w^2 |x - a|^2 + v^2 |x - b|^2.
TEST (ik_goals_give_way_by_their_weights) {
    uint64_t random = 12;
    for (int round = 0; round < 200; round++) {
        body of;
        make_body(&of, false, &random);
        const md5_vec3 here = rounded(at_of(&of, LEFT));
        const md5_vec3 a = md5_vec3_add(here, ik_random_point(0.4, &random));
        const md5_vec3 b = md5_vec3_add(here, ik_random_point(0.4, &random));
        const double w = ik_between(0.3, 2.0, &random), v = ik_between(0.3, 2.0, &random);
        md5_goal goals[] = {
            {.tip = LEFT, .length = 7, .target = a, .weight = (float)w},
            {.tip = LEFT, .length = 7, .target = b, .weight = (float)v},
        };
        const md5_goals_job job = {ROWS(goals, goals), .iterations = 500, .weight = 1.0f};
        md5_solve_goals(&of.skeleton, &job, of.pose);
        const double of_a = w * w / (w * w + v * v), of_b = 1.0 - of_a;
        const real3 p = real3_of(a), q = real3_of(b);
        const real3 middle = {of_a * p.x + of_b * q.x, of_a * p.y + of_b * q.y,
                              of_a * p.z + of_b * q.z};
        CHECK_NEAR(real3_length(real3_sub(at_of(&of, LEFT), middle)), 0.0, 1e-3);
    }
}

TEST (ik_goals_turn_tips) {
    uint64_t random = 13;
    int reached = 0;
    for (int round = 0; round < 500; round++) {
        body of;
        make_body(&of, false, &random);
        body other = of;
        for (uint32_t i = 1; i < BODY_JOINTS; i++)
            other.pose[i].rotation = made_any_rotation(&random);
        const real_place there = ik_place(&other.skeleton, other.pose, RIGHT);
        const md5_quat rotation = {(float)there.rotation.x, (float)there.rotation.y,
                                   (float)there.rotation.z, (float)there.rotation.w};
        md5_goal goal = {RIGHT, 7, rounded(there.at), &rotation, 1.0f, 0.0f};
        const md5_goals_job job = {ROW(goals, goal), .tolerance = 1e-3f, .iterations = 500,
                                   .weight = 1.0f};
        const double left = (double)md5_solve_goals(&of.skeleton, &job, of.pose);
        const real_place now = ik_place(&of.skeleton, of.pose, RIGHT);
        CHECK_NEAR(real3_length(real3_sub(now.at, real3_of(goal.target))), left, 1e-4);
        reached += left < 1.1e-3 && real4_angle(now.rotation, there.rotation) < 2e-3;
    }
    CHECK(reached >= 480);
}

// For one goal the result is that of its chain.
TEST (ik_one_goal_is_damped_least_squares) {
    uint64_t random = 14;
    for (int round = 0; round < 200; round++) {
        body of;
        make_body(&of, round % 2 > 0, &random);
        const md5_chain_job one = {.solver = MD5_CHAIN_LEAST_SQUARES,
                                   .tip = LEFT,
                                   .length = 5,
                                   .target = ik_random_point(9.0, &random),
                                   .tolerance = 0.01f,
                                   .iterations = 40,
                                   .weight = 0.7f,
                                   .limits = of.limits};
        md5_goal goal = {LEFT, 5, one.target, NULL, 1.0f, 0.0f};
        const md5_goals_job job = {
            ROW(goals, goal), .tolerance = 0.01f,  .iterations = 40,
            .weight = 0.7f,   .limits = of.limits,
        };
        body single = of;
        CHECK_NEAR(md5_solve_chain(&single.skeleton, &one, single.pose),
                   md5_solve_goals(&of.skeleton, &job, of.pose), 1e-4);
        for (uint32_t i = 0; i < BODY_JOINTS; i++)
            CHECK_NEAR(
                real4_angle(real4_of(single.pose[i].rotation), real4_of(of.pose[i].rotation)), 0.0,
                1e-3);
    }
}

// Goals that are ignored or invalid are left out; the others are reached as without them.
TEST (ik_goals_leave_out_what_they_cannot_use) {
    static const md5_quat no_rotation = {0.0f, 0.0f, 0.0f, 0.0f};
    const md5_goal wrong[] = {
        {.tip = BODY_JOINTS, .length = 3, .weight = 1.0f},
        {.tip = 0, .length = 3, .weight = 1.0f},
        {.tip = RIGHT, .length = 1, .weight = 1.0f},
        {.tip = RIGHT, .length = 3, .target = {NAN, 0, 0}, .weight = 1.0f},
        {.tip = RIGHT, .length = 3, .target = {0, 0, 2e15f}, .weight = 1.0f},
        {.tip = RIGHT, .length = 3, .rotation = &no_rotation, .weight = 1.0f},
        {.tip = RIGHT, .length = 3, .weight = INFINITY},
        {.tip = RIGHT, .length = 3, .weight = 0.0f},
        {.tip = RIGHT, .length = 3, .weight = NAN},
    };
    uint64_t random = 15;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        body of;
        make_body(&of, false, &random);
        body alone = of;
        const md5_goal right = {
            .tip = LEFT, .length = 3, .target = ik_random_point(5.0, &random), .weight = 1.0f};
        md5_goal goals[] = {wrong[i], right};
        md5_goals_job job = {ROWS(goals, goals), .iterations = 9, .weight = 1.0f};
        const float left = md5_solve_goals(&of.skeleton, &job, of.pose);
        CHECK(goals[0].distance == INFINITY);
        CHECK(left == (goals[0].weight > 0.0f ? INFINITY : goals[1].distance));
        job.goals++;
        job.num_goals = 1;
        md5_solve_goals(&alone.skeleton, &job, alone.pose);
        CHECK(memcmp(of.pose, alone.pose, sizeof of.pose) == 0);
    }
    const md5_goals_job none = {.weight = 1.0f};
    body of;
    make_body(&of, false, &random);
    CHECK(md5_solve_goals(&of.skeleton, &none, of.pose) == 0.0f);
}

// Joints between two chains count as joints, and too many are refused.
TEST (ik_goals_end_at_the_most_joints) {
    enum { LONG = MD5_MAX_GOAL_JOINTS + 8 };
    static md5_joint joints[LONG];
    static uint32_t order[LONG];
    static md5_xform pose[LONG];
    for (uint32_t i = 0; i < LONG; i++) {
        joints[i] = (md5_joint){"joint", (int32_t)i - 1};
        order[i] = i;
        pose[i] = (md5_xform){{0, 0, 0, 1}, {1, 0, 0}, 0};
    }
    const md5_skeleton skeleton = {.num_joints = LONG, .joints = joints, .order = order};
    md5_goal goals[] = {
        {.tip = LONG - 1, .length = 4, .target = {(float)LONG - 3.0f, 1.0f, 0.0f}, .weight = 1.0f},
        {.tip = 10, .length = 4, .target = {9.0f, 1.0f, 0.0f}, .weight = 1.0f},
    };
    const md5_goals_job job = {ROWS(goals, goals), .tolerance = 0.01f, .iterations = 99,
                               .weight = 1.0f};
    goals[1].tip = 10; // from joint 7 to the end: 129 joints
    CHECK(md5_solve_goals(&skeleton, &job, pose) == INFINITY);
    CHECK(goals[0].distance == INFINITY && goals[1].distance < 0.01f);
    goals[1].tip = 11;
    goals[1].target.x = 10.0f;
    CHECK(md5_solve_goals(&skeleton, &job, pose) < 0.01f);
}
