// Limbs whose joints are given, with helper joints between them; results for limbs and feet that
// cannot be placed.
#include "test/ik/test_ik_case.h"

#include <math.h>
#include <string.h>

static real3 at_of(const ik_rig *rig, uint32_t joint)
{
    return ik_place(&rig->skeleton, rig->pose, joint).at;
}

static double between(real3 a, real3 b)
{
    return real3_length(real3_sub(a, b));
}

// Any three joints of a chain of 3 to 12, from the top down.
static md5_limb random_limb(const ik_rig *rig, uint32_t count, uint64_t *random)
{
    const uint32_t root = test_random_u32(random) % (count - 2);
    const uint32_t middle = root + 1 + test_random_u32(random) % (count - root - 2);
    const uint32_t tip = middle + 1 + test_random_u32(random) % (count - middle - 1);
    return (md5_limb){rig->chain[root], rig->chain[middle], rig->chain[tip]};
}

// A target in reach of the limb.
static md5_vec3 target_for(const ik_rig *rig, const md5_limb *limb, uint64_t *random, double *reach)
{
    const real3 root = at_of(rig, limb->root), middle = at_of(rig, limb->middle);
    const double upper = between(root, middle), lower = between(middle, at_of(rig, limb->tip));
    const double distance = ik_between(fabs(upper - lower), upper + lower, random);
    const real3 way = real4_rotate(real4_of(made_any_rotation(random)), (real3){distance, 0, 0});
    *reach = upper + lower;
    return (md5_vec3){(float)(root.x + way.x), (float)(root.y + way.y), (float)(root.z + way.z)};
}

TEST (ik_limb_reaches_past_joints_between) {
    uint64_t random = 1;
    double worst = 0.0, worst_turn = 0.0, worst_plane = 0.0;
    for (int round = 0; round < 20000; round++) {
        ik_rig rig;
        const uint32_t count = 3 + test_random_u32(&random) % 10;
        ik_make_rig(&rig, count, 8.0, &random);
        const md5_limb limb = random_limb(&rig, count, &random);
        double reach;
        const md5_vec3 target = target_for(&rig, &limb, &random, &reach);
        const md5_vec3 pole = ik_random_point(30.0, &random);
        const md5_two_bone_job job = {
            .limb = &limb, .target = target, .pole = round % 2 ? &pole : NULL, .weight = 1.0f};
        const ik_rig old = rig;
        CHECK(md5_solve_two_bone(&rig.skeleton, &job, rig.pose));
        worst = fmax(worst, between(at_of(&rig, limb.tip), real3_of(target)) / reach);
        const real_place tip = ik_place(&rig.skeleton, rig.pose, limb.tip);
        worst_turn =
            fmax(worst_turn,
                 real4_angle(tip.rotation, ik_place(&old.skeleton, old.pose, limb.tip).rotation));
        for (uint32_t i = 0; i < count; i++) { // joints between are left as they are
            const bool is_named = i == limb.root || i == limb.middle || i == limb.tip;
            CHECK(is_named || memcmp(&rig.pose[i], &old.pose[i], sizeof(md5_xform)) == 0);
            CHECK(memcmp(&rig.pose[i].translation, &old.pose[i].translation, sizeof(md5_vec3))
                  == 0);
        }
        if (!job.pole)
            continue;
        const real3 line = real3_sub(tip.at, at_of(&rig, limb.root));
        const real3 normal = real3_cross(line, real3_sub(real3_of(pole), at_of(&rig, limb.root)));
        const real3 middle = real3_sub(at_of(&rig, limb.middle), at_of(&rig, limb.root));
        worst_plane =
            fmax(worst_plane, fabs(real3_dot(middle, normal)) / real3_length(normal) / reach);
    }
    CHECK_NEAR(worst, 0.0, 2e-5);
    CHECK_NEAR(worst_turn, 0.0, 2e-5);
    CHECK_NEAR(worst_plane, 0.0, 2e-4);
}

TEST (ik_limb_stretches_joints_between_alike) {
    uint64_t random = 2;
    for (int round = 0; round < 2000; round++) {
        ik_rig rig;
        ik_make_rig(&rig, 8, 8.0, &random);
        const md5_limb limb = {rig.chain[1], rig.chain[4], rig.chain[7]};
        double reach;
        const md5_vec3 inside = target_for(&rig, &limb, &random, &reach);
        const real3 root = at_of(&rig, limb.root);
        const real3 way = real3_sub(real3_of(inside), root);
        const double by = 1.3 * reach / real3_length(way);
        const md5_two_bone_job job = {
            .limb = &limb,
            .target = {(float)(root.x + way.x * by), (float)(root.y + way.y * by),
                       (float)(root.z + way.z * by)},
            .numbers.stretch = 1.5f,
            .weight = 1.0f,
        };
        CHECK(md5_solve_two_bone(&rig.skeleton, &job, rig.pose));
        CHECK_NEAR(between(at_of(&rig, limb.tip), real3_of(job.target)) / reach, 0.0, 1e-5);
    }
}

TEST (ik_limb_of_parents_given_is_the_same_to_the_bit) {
    uint64_t random = 3;
    for (int round = 0; round < 2000; round++) {
        ik_rig rig, given;
        ik_make_rig(&rig, 5, 8.0, &random);
        given = rig;
        const md5_limb limb = {rig.chain[2], rig.chain[3], rig.chain[4]};
        md5_two_bone_job job = {.tip = rig.chain[4],
                                .target = ik_random_point(15.0, &random),
                                .numbers.stretch = 1.1f,
                                .weight = (float)ik_between(0.0, 1.2, &random)};
        md5_solve_two_bone(&rig.skeleton, &job, rig.pose);
        job.tip = 99;
        job.limb = &limb;
        CHECK(md5_solve_two_bone(&rig.skeleton, &job, given.pose));
        CHECK(memcmp(given.pose, rig.pose, sizeof rig.pose) == 0);
    }
}

TEST (ik_limb_of_joints_that_do_not_hang_together_is_refused) {
    uint64_t random = 4;
    ik_rig rig;
    ik_make_rig(&rig, 6, 8.0, &random);
    const uint32_t *const c = rig.chain;
    const md5_limb wrong[] = {
        {c[0], c[2], 6},    {c[0], 9, c[4]},    {UINT32_MAX, c[2], c[4]}, {c[2], c[0], c[4]},
        {c[0], c[4], c[2]}, {c[0], c[2], c[2]}, {c[2], c[2], c[4]},       {c[4], c[2], c[0]},
    };
    const ik_rig old = rig;
    for (uint32_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const md5_two_bone_job job = {.limb = &wrong[i], .weight = 1.0f};
        CHECK(!md5_solve_two_bone(&rig.skeleton, &job, rig.pose));
    }
    CHECK(memcmp(rig.pose, old.pose, sizeof rig.pose) == 0);
}

// -- Feet -----------------------------------------------------------------------------------------

// As exporters of Rigify write legs: the ankle is the child of a helper at the knee's position, and
// the thigh has a helper that twists. Another joint is the child of a control of its own, which is
// no part of the leg.
enum { ORIGIN, PELVIS, HIP, TWIST, KNEE, HELPER, ANKLE, CONTROL, LOOSE, JOINTS };
static const md5_joint leg_joints[JOINTS] = {
    {"origin", -1}, {"pelvis", 0}, {"hip", 1},     {"twist", 2}, {"knee", 3},
    {"helper", 4},  {"ankle", 5},  {"control", 0}, {"loose", 7},
};
static const uint32_t leg_order[JOINTS] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
static const md5_skeleton leg_skeleton = {
    .num_joints = JOINTS, .joints = leg_joints, .order = leg_order};

static void make_leg(md5_xform *pose)
{
    const md5_quat none = {0, 0, 0, 1};
    const md5_quat bent = {0, -0.149438f, 0, 0.988771f}, back = {0, 0.29552f, 0, 0.955336f};
    const md5_quat twist = {0, 0, 0.5f, 0.866025f}, untwist = {0, 0, -0.5f, 0.866025f};
    for (uint32_t i = 0; i < JOINTS; i++)
        pose[i] = (md5_xform){none, {0, 0, 0}, 0};
    pose[PELVIS].translation.z = 20.0f;
    pose[HIP].rotation = bent;
    pose[TWIST] = (md5_xform){twist, {0, 0, -4}, 0};
    pose[KNEE] = (md5_xform){md5_quat_mul(untwist, back), {0, 0, -6}, 0};
    pose[ANKLE].translation.z = -10.0f;
    pose[LOOSE].translation.x = 3.0f;
}

static double height_of(const md5_xform *pose, uint32_t joint)
{
    return ik_place(&leg_skeleton, pose, joint).at.z;
}

static uint32_t place_foot(md5_xform *pose, uint32_t pelvis, md5_foot *foot, float weight)
{
    md5_feet_job job = {
        .pelvis = pelvis, .feet = foot, .num_feet = 1, .seconds = 0.1f, .weight = weight};
    return md5_solve_feet(&leg_skeleton, &job, pose);
}

TEST (ik_feet_of_a_given_leg_are_placed_past_helpers) {
    md5_xform pose[JOINTS], old[JOINTS];
    make_leg(pose);
    make_leg(old);
    md5_foot foot = {.ankle = ANKLE, .floor = 3.0f, .has_leg = true, .knee = KNEE, .hip = HIP};
    CHECK_UINT(place_foot(pose, UINT32_MAX, &foot, 1.0f), 1);
    CHECK(foot.result == MD5_LIMB_PLACED && foot.miss <= 1e-4f);
    CHECK_NEAR(height_of(pose, ANKLE), height_of(old, ANKLE) + 3.0, 1e-4);
    CHECK_NEAR(height_of(pose, PELVIS), 20.0, 1e-6);
}

// The same leg found by its parents: the helper is taken for the knee. This was once not reported.
TEST (ik_feet_that_hang_on_a_helper_are_reported) {
    md5_xform pose[JOINTS];
    make_leg(pose);
    md5_foot foot = {.ankle = ANKLE, .floor = 3.0f};
    CHECK_UINT(place_foot(pose, UINT32_MAX, &foot, 1.0f), 0);
    CHECK(foot.result == MD5_LIMB_NO_BONE);
}

static md5_foot placed(md5_foot foot, float weight)
{
    md5_xform pose[JOINTS];
    make_leg(pose);
    const uint32_t count = place_foot(pose, PELVIS, &foot, weight);
    CHECK_UINT(count, foot.result == MD5_LIMB_PLACED);
    CHECK(ik_is_sound(pose, JOINTS));
    return foot;
}

TEST (ik_feet_report_why_they_are_not_placed) {
    const md5_foot leg = {.ankle = ANKLE, .has_leg = true, .knee = KNEE, .hip = HIP};
    for (int i = 0; i < 2; i++) {
        const float weight = i == 0 ? 1.0f : 0.0f; // joints are checked at any weight
        md5_foot foot = leg;
        CHECK(placed(foot, weight).result == MD5_LIMB_PLACED);
        foot.ankle = JOINTS;
        CHECK(placed(foot, weight).result == MD5_LIMB_NO_JOINT);
        foot = leg;
        foot.hip = UINT32_MAX;
        CHECK(placed(foot, weight).result == MD5_LIMB_NO_JOINT);
        foot = leg;
        foot.ankle = LOOSE;
        CHECK(placed(foot, weight).result == MD5_LIMB_NO_CHAIN);
        CHECK(placed(foot, weight).miss == INFINITY);
        foot = leg;
        foot.hip = KNEE;
        foot.knee = HIP;
        CHECK(placed(foot, weight).result == MD5_LIMB_NO_CHAIN);
        CHECK(placed((md5_foot){.ankle = JOINTS}, weight).result == MD5_LIMB_NO_JOINT);
        CHECK(placed((md5_foot){.ankle = PELVIS}, weight).result == MD5_LIMB_NO_PARENTS);
        CHECK(placed((md5_foot){.ankle = CONTROL}, weight).result == MD5_LIMB_NO_PARENTS);
    }
    // If the pelvis moved, the hip would move as far as the floor. Without it, a floor that is 5
    // units lower is out of reach.
    md5_xform pose[JOINTS];
    make_leg(pose);
    md5_foot foot = leg;
    foot.floor = -5.0f;
    CHECK_UINT(place_foot(pose, UINT32_MAX, &foot, 1.0f), 0);
    CHECK(foot.result == MD5_LIMB_OUT_OF_REACH);
    const double target = 20.0 - 10.0 * 0.955336 * 2.0 - 5.0;
    CHECK_NEAR(foot.miss, 20.0 - target - 20.0, 1e-3);
    foot = leg;
    foot.floor = NAN;
    CHECK(placed(foot, 1.0f).result == MD5_LIMB_NOT_FINITE);
    foot.floor = 1e16f;
    CHECK(placed(foot, 1.0f).result == MD5_LIMB_NOT_FINITE);
}

// -- Other failures that were once not reported ---------------------------------------------------

TEST (ik_limb_of_an_unsound_pose_is_measured_not_assumed) {
    md5_xform pose[JOINTS];
    make_leg(pose);
    pose[KNEE].rotation = (md5_quat){0.0f, 0.0f, 0.0f, 1.5f}; // not of unit length
    md5_foot foot = {.ankle = ANKLE, .floor = 3.0f, .has_leg = true, .knee = KNEE, .hip = HIP};
    const double before = height_of(pose, ANKLE);
    place_foot(pose, UINT32_MAX, &foot, 1.0f);
    const bool is_there = fabs(height_of(pose, ANKLE) - before - 3.0) < 1e-2;
    CHECK(is_there || foot.result != MD5_LIMB_PLACED);
}

TEST (ik_joints_that_do_not_exist_are_reported) {
    md5_xform pose[JOINTS], old[JOINTS];
    make_leg(pose);
    make_leg(old);
    const md5_xform change = {{0, 0, 1, 0}, {1, 2, 3}, 0};
    CHECK(!md5_modify_joint(&leg_skeleton, JOINTS, MD5_JOINT_LOCAL, change, 1.0f, pose));
    CHECK(!md5_modify_joint(&leg_skeleton, UINT32_MAX, MD5_JOINT_LOCAL, change, 0.0f, pose));
    md5_spring_joint state[3] = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    md5_spring_job job = {.tip = JOINTS,
                          .length = 3,
                          .state = state,
                          .seconds = 0.1f,
                          .is_first = true,
                          .weight = 1.0f};
    CHECK(!md5_solve_spring(&leg_skeleton, &job, pose));
    job.tip = ANKLE;
    job.length = 0;
    CHECK(!md5_solve_spring(&leg_skeleton, &job, pose));
    job.length = 3;
    job.numbers.stiffness = MD5_ZERO;
    CHECK(!md5_solve_spring(&leg_skeleton, &job, pose));
    CHECK(memcmp(pose, old, sizeof old) == 0);
    job.numbers.stiffness = 50.0f;
    job.weight = 0.0f;
    CHECK(md5_solve_spring(&leg_skeleton, &job, pose));
    CHECK(md5_modify_joint(&leg_skeleton, HIP, MD5_JOINT_LOCAL, change, 0.0f, pose));
    CHECK(memcmp(pose, old, sizeof old) == 0);
    CHECK(md5_modify_joint(&leg_skeleton, HIP, MD5_JOINT_LOCAL, change, 1.0f, pose));
}
