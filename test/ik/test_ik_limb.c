// Limbs with specified joints and helper joints between them. Results for limbs and feet that
// cannot be solved.
#include "test/ik/test_ik_case.h"
#include "test/scoped.h"

static real3 joint_position(const ik_rig *rig, uint32_t joint)
{
    return ik_joint_transform(&rig->skeleton, rig->pose, joint).translation;
}

// Returns three random joints of a chain of 3 to 12 joints, from the top down.
static md5_limb random_limb(const ik_rig *rig, uint32_t count, uint64_t *random)
{
    const uint32_t root = test_random_u32(random) % (count - 2);
    const uint32_t middle = root + 1 + test_random_u32(random) % (count - root - 2);
    const uint32_t tip = middle + 1 + test_random_u32(random) % (count - middle - 1);
    return (md5_limb){rig->chain[root], rig->chain[middle], rig->chain[tip]};
}

// Returns a random target in reach of the limb.
static md5_vec3 target_for(const ik_rig *rig, const md5_limb *limb, uint64_t *random, double *reach)
{
    const real3 root = joint_position(rig, limb->root);
    const real3 middle = joint_position(rig, limb->middle);
    const double upper = real3_distance(root, middle);
    const double lower = real3_distance(middle, joint_position(rig, limb->tip));
    const double distance = test_between(fabs(upper - lower), upper + lower, random);
    *reach = upper + lower;
    return ik_point_around(root, distance, random);
}

TEST (ik_limb_reaches_with_intermediate_joints) {
    uint64_t random = 1;
    double max_angle = 0;
    for (int round = 0; round < 20000; round++) {
        ik_rig rig;
        const uint32_t count = 3 + test_random_u32(&random) % 10;
        ik_make_rig(&rig, count, 8, &random);
        const md5_limb limb = random_limb(&rig, count, &random);
        double reach;
        const md5_vec3 target = target_for(&rig, &limb, &random, &reach);
        const md5_vec3 pole = ik_random_point(30, &random);
        const md5_two_bone_job job = {
            .limb = &limb, .target = target, .pole = round % 2 ? &pole : NULL, .weight = 1};
        const ik_rig initial_rig = rig;
        CHECK(IK_SOLVE(two_bone, rig, job));
        CHECK_SMALL(real3_distance(joint_position(&rig, limb.tip), to_real3(target)) / reach, 2e-5);
        const real_transform tip = ik_joint_transform(&rig.skeleton, rig.pose, limb.tip);
        max_angle = fmax(
            max_angle,
            real4_angle(
                tip.rotation,
                ik_joint_transform(&initial_rig.skeleton, initial_rig.pose, limb.tip).rotation));
        ik_check_lengths(&rig, &initial_rig, count);
        for (uint32_t i = 0; i < count; i++) { // joints in between do not change
            const bool is_named = i == limb.root || i == limb.middle || i == limb.tip;
            CHECK(is_named || memcmp(&rig.pose[i], &initial_rig.pose[i], sizeof(md5_xform)) == 0);
        }
        if (!job.pole)
            continue;
        const real3 line = real3_sub(tip.translation, joint_position(&rig, limb.root));
        const real3 normal =
            real3_cross(line, real3_sub(to_real3(pole), joint_position(&rig, limb.root)));
        const real3 middle =
            real3_sub(joint_position(&rig, limb.middle), joint_position(&rig, limb.root));
        CHECK_SMALL(fabs(real3_dot(middle, normal)) / real3_length(normal) / reach, 2e-4);
    }
    CHECK_SMALL(max_angle, 2e-5);
}

TEST (ik_limb_stretches_intermediate_joints_evenly) {
    uint64_t random = 2;
    for (int round = 0; round < 2000; round++) {
        ik_rig rig;
        ik_make_rig(&rig, 8, 8, &random);
        const md5_limb limb = {rig.chain[1], rig.chain[4], rig.chain[7]};
        double reach;
        const md5_vec3 inside = target_for(&rig, &limb, &random, &reach);
        const real3 root = joint_position(&rig, limb.root);
        const real3 direction = real3_unit(real3_sub(to_real3(inside), root));
        const md5_two_bone_job job = {
            .limb = &limb,
            .target = ik_rounded(real3_add(root, real3_scale(direction, 1.3 * reach))),
            .params.stretch = 1.5f,
            .weight = 1,
        };
        CHECK(IK_SOLVE(two_bone, rig, job));
        CHECK_SMALL(real3_distance(joint_position(&rig, limb.tip), to_real3(job.target)) / reach,
                    1e-5);
    }
}

TEST (ik_limb_with_given_parents_has_the_same_bits) {
    uint64_t random = 3;
    for (int round = 0; round < 2000; round++) {
        ik_rig rig;
        ik_rig given;
        ik_make_rig(&rig, 5, 8, &random);
        given = rig;
        const md5_limb limb = {rig.chain[2], rig.chain[3], rig.chain[4]};
        md5_two_bone_job job = {.tip = rig.chain[4],
                                .target = ik_random_point(15, &random),
                                .params.stretch = 1.1f,
                                .weight = test_betweenf(0, 1.2f, &random)};
        IK_SOLVE(two_bone, rig, job);
        job.tip = 99;
        job.limb = &limb;
        CHECK(IK_SOLVE(two_bone, given, job));
        CHECK_BYTES(given.pose, rig.pose, sizeof rig.pose);
    }
}

TEST (ik_limb_of_unconnected_joints_is_rejected) {
    uint64_t random = 4;
    ik_rig rig;
    ik_make_rig(&rig, 6, 8, &random);
    const uint32_t *const c = rig.chain;
    const md5_limb wrong[] = {
        {c[0], c[2], 6},    {c[0], 9, c[4]},    {UINT32_MAX, c[2], c[4]}, {c[2], c[0], c[4]},
        {c[0], c[4], c[2]}, {c[0], c[2], c[2]}, {c[2], c[2], c[4]},       {c[4], c[2], c[0]},
    };
    const ik_rig initial_rig = rig;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        const md5_limb *const row = &wrong[i];
        const md5_two_bone_job job = {.limb = row, .weight = 1};
        CHECK(!IK_SOLVE(two_bone, rig, job));
    }
    CHECK_BYTES(rig.pose, initial_rig.pose, sizeof rig.pose);
}

// -- Feet -----------------------------------------------------------------------------------------

// A leg as Rigify exports it: the ankle is the child of a helper at the position of the knee, and
// the thigh has a helper that twists. Another joint is the child of a separate control, which is
// not part of the leg.
enum { ORIGIN, PELVIS, HIP, TWIST, KNEE, HELPER, ANKLE, CONTROL, LOOSE, JOINTS };
static const md5_joint leg_joints[JOINTS] = {
    {"origin", MD5_NONE}, {"pelvis", 0}, {"hip", 1},     {"twist", 2}, {"knee", 3},
    {"helper", 4},        {"ankle", 5},  {"control", 0}, {"loose", 7},
};
static const uint32_t leg_order[JOINTS] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
static const md5_skeleton leg_skeleton = {
    .num_joints = JOINTS, .joints = leg_joints, .order = leg_order};

static void make_leg(md5_xform *pose)
{
    const md5_quat none = {0, 0, 0, 1};
    const md5_quat bent = {0, -0.149438f, 0, 0.988771f};
    const md5_quat back = {0, 0.29552f, 0, 0.955336f};
    const md5_quat twist = {0, 0, 0.5f, 0.866025f};
    const md5_quat untwist = {0, 0, -0.5f, 0.866025f};
    for (int i = 0; i < JOINTS; i++)
        pose[i] = (md5_xform){none, {0, 0, 0}, 0};
    pose[PELVIS].translation.z = 20;
    pose[HIP].rotation = bent;
    pose[TWIST] = (md5_xform){twist, {0, 0, -4}, 0};
    pose[KNEE] = (md5_xform){md5_quat_mul(untwist, back), {0, 0, -6}, 0};
    pose[ANKLE].translation.z = -10;
    pose[LOOSE].translation.x = 3;
}

static double joint_height(const md5_xform *pose, uint32_t joint)
{
    return ik_joint_transform(&leg_skeleton, pose, joint).translation.z;
}

static uint32_t place_foot(md5_xform *pose, uint32_t pelvis, md5_foot *foot, float weight)
{
    md5_feet_job job = {
        .pelvis = pelvis, .feet = foot, .num_feet = 1, .seconds = 0.1f, .weight = weight};
    return md5_solve_feet(&leg_skeleton, &job, pose);
}

TEST (ik_feet_of_a_given_leg_are_placed_with_helper_joints) {
    md5_xform pose[JOINTS];
    md5_xform initial_pose[JOINTS];
    make_leg(pose);
    make_leg(initial_pose);
    md5_foot foot = {.ankle = ANKLE, .floor = 3, .has_leg = true, .knee = KNEE, .hip = HIP};
    CHECK_UINT(place_foot(pose, UINT32_MAX, &foot, 1), 1);
    CHECK(foot.result == MD5_LIMB_REACHED && foot.miss <= 1e-4f);
    CHECK_NEAR(joint_height(pose, ANKLE), joint_height(initial_pose, ANKLE) + 3, 1e-4);
    CHECK_NEAR(joint_height(pose, PELVIS), 20, 1e-6);
}

// If the joints of the same leg are not specified, they are found by their parents. The helper is
// then mistaken for the knee. An earlier version did not report this.
TEST (ik_feet_below_a_helper_joint_are_reported) {
    md5_xform pose[JOINTS];
    make_leg(pose);
    md5_foot foot = {.ankle = ANKLE, .floor = 3};
    CHECK_UINT(place_foot(pose, UINT32_MAX, &foot, 1), 0);
    CHECK(foot.result == MD5_LIMB_NO_BONE);
}

static md5_foot placed(md5_foot foot, float weight)
{
    md5_xform pose[JOINTS];
    make_leg(pose);
    const uint32_t count = place_foot(pose, PELVIS, &foot, weight);
    CHECK_UINT(count, foot.result == MD5_LIMB_REACHED);
    CHECK(ik_is_sound(pose, JOINTS));
    return foot;
}

TEST (ik_feet_report_why_they_are_not_placed) {
    const md5_foot leg = {.ankle = ANKLE, .has_leg = true, .knee = KNEE, .hip = HIP};
    for (int i = 0; i < 2; i++) {
        const float weight = i == 0 ? 1 : 0; // joints are checked at any weight
        md5_foot foot = leg;
        CHECK(placed(foot, weight).result == MD5_LIMB_REACHED);
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
    // If the pelvis moved, the hip would be lowered with the floor. Without this movement, a floor
    // that is 5 units lower is out of reach.
    md5_xform pose[JOINTS];
    make_leg(pose);
    md5_foot foot = leg;
    foot.floor = -5;
    CHECK_UINT(place_foot(pose, UINT32_MAX, &foot, 1), 0);
    CHECK(foot.result == MD5_LIMB_OUT_OF_REACH);
    const double target = 20 - 10 * 0.955336 * 2 - 5.0;
    CHECK_NEAR(foot.miss, 20 - target - 20, 1e-3);
    foot = leg;
    foot.floor = NAN;
    CHECK(placed(foot, 1).result == MD5_LIMB_NOT_FINITE);
    foot.floor = 1e16f;
    CHECK(placed(foot, 1).result == MD5_LIMB_NOT_FINITE);
}

// -- Other failures that were once not reported ---------------------------------------------------

TEST (ik_limb_of_an_inconsistent_pose_uses_measured_lengths) {
    md5_xform pose[JOINTS];
    make_leg(pose);
    pose[KNEE].rotation = (md5_quat){0, 0, 0, 1.5f}; // not of unit length
    md5_foot foot = {.ankle = ANKLE, .floor = 3, .has_leg = true, .knee = KNEE, .hip = HIP};
    const double initial_height = joint_height(pose, ANKLE);
    place_foot(pose, UINT32_MAX, &foot, 1);
    const bool is_raised = fabs(joint_height(pose, ANKLE) - initial_height - 3) < 1e-2;
    CHECK(is_raised || foot.result != MD5_LIMB_REACHED);
}

TEST (ik_joints_that_do_not_exist_are_reported) {
    md5_xform pose[JOINTS];
    md5_xform initial_pose[JOINTS];
    make_leg(pose);
    make_leg(initial_pose);
    const md5_xform change = {{0, 0, 1, 0}, {1, 2, 3}, 0};
    CHECK(!md5_modify_joint(&leg_skeleton, JOINTS, MD5_JOINT_LOCAL, change, 1, pose));
    CHECK(!md5_modify_joint(&leg_skeleton, UINT32_MAX, MD5_JOINT_LOCAL, change, 0, pose));
    md5_spring_joint state[3] = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    md5_spring_job job = {
        .tip = JOINTS, .length = 3, .state = state, .seconds = 0.1f, .is_first = true, .weight = 1};
    CHECK(!md5_solve_spring(&leg_skeleton, &job, pose));
    job.tip = ANKLE;
    job.length = 0;
    CHECK(!md5_solve_spring(&leg_skeleton, &job, pose));
    job.length = 3;
    job.params.stiffness = MD5_EXPLICIT_ZERO;
    CHECK(!md5_solve_spring(&leg_skeleton, &job, pose));
    CHECK_BYTES(pose, initial_pose, sizeof initial_pose);
    job.params.stiffness = 50;
    job.weight = 0;
    CHECK(md5_solve_spring(&leg_skeleton, &job, pose));
    CHECK(md5_modify_joint(&leg_skeleton, HIP, MD5_JOINT_LOCAL, change, 0, pose));
    CHECK_BYTES(pose, initial_pose, sizeof initial_pose);
    CHECK(md5_modify_joint(&leg_skeleton, HIP, MD5_JOINT_LOCAL, change, 1, pose));
}

// -- Two bone -------------------------------------------------------------------------------------

// Arms and legs that reach their targets: compared with joint positions in double precision.

static double bone_length(const ik_rig *rig, uint32_t i)
{
    return real3_length(to_real3(rig->pose[rig->chain[i]].translation));
}

// Returns a point at `distance` from the hip, which is the third joint from the end.
static md5_vec3 point_from_hip(const ik_rig *rig, uint32_t hip, double distance, uint64_t *random)
{
    return ik_point_around(ik_chain_position(rig, hip), distance, random);
}

// Creates a limb with bones of 1 to 10 units. Some limbs are straight.
static void make_limb(ik_rig *rig, uint32_t count, uint64_t *random)
{
    ik_make_rig(rig, count, 8, random);
    for (uint32_t i = count - 2; i < count; i++) {
        md5_vec3 *const bone = &rig->pose[rig->chain[i]].translation;
        const md5_vec3 direction = md5_vec3_normalize(*bone, (md5_vec3){1, 0, 0});
        *bone = md5_vec3_scale(direction, test_betweenf(1, 10, random));
        if (i == count - 1 && test_random_u32(random) % 8 == 0) {
            rig->pose[rig->chain[i - 1]].rotation = (md5_quat){0, 0, 0, 1};
            *bone = md5_vec3_scale(rig->pose[rig->chain[i - 1]].translation, 0.7f);
        }
    }
}

TEST (ik_two_bone_reaches_targets_in_reach) {
    uint64_t random = 1;
    for (int round = 0; round < 30000; round++) {
        ik_rig rig;
        const uint32_t count = 3 + test_random_u32(&random) % 4;
        const uint32_t hip = count - 3;
        make_limb(&rig, count, &random);
        const double upper = bone_length(&rig, hip + 1);
        const double lower = bone_length(&rig, hip + 2);
        const double shortest = fabs(upper - lower);
        const double longest = upper + lower;
        const double distance = test_between(shortest, longest, &random);
        const md5_vec3 target = point_from_hip(&rig, hip, distance, &random);
        const md5_vec3 pole = ik_random_point(30, &random);
        const md5_quat rotation = random_unit_quat(&random);
        md5_two_bone_job job = {.tip = rig.chain[count - 1], .target = target, .weight = 1};
        job.pole = round % 2 ? &pole : NULL;
        job.rotation = round % 3 == 0 ? &rotation : NULL;
        const real4 initial_rotation =
            ik_joint_transform(&rig.skeleton, rig.pose, job.tip).rotation;
        ik_rig initial_rig = rig;
        CHECK(IK_SOLVE(two_bone, rig, job));
        REQUIRE(ik_is_sound(rig.pose, count));
        const real_transform tip = ik_joint_transform(&rig.skeleton, rig.pose, job.tip);
        CHECK_SMALL(real3_distance(tip.translation, to_real3(target)) / longest, 1e-5);
        CHECK_SMALL(
            real4_angle(tip.rotation, job.rotation ? to_unit_real4(rotation) : initial_rotation),
            1e-5);
        ik_check_lengths(&rig, &initial_rig, count);
        if (!job.pole)
            continue;
        // The knee must be in the plane of the line from hip to foot and the pole, on the side of
        // the pole.
        const real3 line = real3_sub(tip.translation, ik_chain_position(&rig, hip));
        const real3 normal =
            real3_cross(line, real3_sub(to_real3(pole), ik_chain_position(&rig, hip)));
        const real3 knee =
            real3_sub(ik_chain_position(&rig, hip + 1), ik_chain_position(&rig, hip));
        const double off = real3_dot(knee, normal) / real3_length(normal);
        CHECK_SMALL(fabs(off) / longest, 1e-4);
        CHECK(real3_dot(real3_cross(normal, line), knee)
              >= -1e-4 * real3_length(normal) * longest * longest);
    }
}

// The axis of the hinge is unchanged: thigh and shin rotate about the former normal of the limb.
TEST (ik_two_bone_without_a_pole_keeps_the_plane_of_the_bend) {
    uint64_t random = 2;
    for (int round = 0; round < 5000; round++) {
        ik_rig rig;
        ik_make_rig(&rig, 3, 8, &random);
        const real3 a = ik_chain_position(&rig, 0);
        const real3 b = ik_chain_position(&rig, 1);
        const real3 c = ik_chain_position(&rig, 2);
        const real3 normal = real3_cross(real3_sub(b, a), real3_sub(c, a));
        const double area = real3_length(normal);
        if (area < 1)
            continue;
        // If the target is in the plane of the limb, the knee must remain in this plane.
        const double s = test_between(0.2, 0.9, &random);
        const double t = test_between(-0.5, 0.5, &random);
        const real3 u = real3_sub(b, a);
        const real3 v = real3_sub(c, a);
        const md5_vec3 target =
            ik_rounded(real3_add(a, real3_add(real3_scale(v, s), real3_scale(u, t))));
        const md5_two_bone_job job = {.tip = rig.chain[2], .target = target, .weight = 1};
        IK_SOLVE(two_bone, rig, job);
        const real3 knee = real3_sub(ik_chain_position(&rig, 1), a);
        CHECK_SMALL(fabs(real3_dot(knee, normal)) / area, 1e-3);
    }
}

// A straight limb does not define the plane in which it bends, so it bends forward.
TEST (ik_two_bone_without_a_pole_bends_straight_limbs_forward) {
    uint64_t random = 36;
    for (int round = 0; round < 5000; round++) {
        ik_rig rig;
        ik_make_rig(&rig, 3, 8, &random);
        const md5_vec3 thigh = rig.pose[rig.chain[1]].translation;
        rig.pose[rig.chain[1]].rotation = (md5_quat){0, 0, 0, 1};
        rig.pose[rig.chain[2]].translation = md5_vec3_scale(thigh, 0.7f);
        const double reach = 1.7 * bone_length(&rig, 1);
        if (reach < 1)
            continue;
        const md5_vec3 target =
            point_from_hip(&rig, 0, reach * test_between(0.4, 0.95, &random), &random);
        const md5_two_bone_job job = {.tip = rig.chain[2], .target = target, .weight = 1};
        IK_SOLVE(two_bone, rig, job);
        const real3 hip = ik_chain_position(&rig, 0);
        const real3 way = real3_unit(real3_sub(ik_chain_position(&rig, 2), hip));
        const real3 knee = real3_sub(ik_chain_position(&rig, 1), hip);
        const real3 bend = real3_sub(knee, real3_scale(way, real3_dot(knee, way)));
        const real3 front = real3_sub((real3){1, 0, 0}, real3_scale(way, way.x));
        if (real3_length(front) > 0.2) // otherwise the limb itself points forward or backward
            CHECK_SMALL(real3_distance(real3_unit(bend), real3_unit(front)), 1e-3);
    }
}

TEST (ik_two_bone_points_at_targets_out_of_reach) {
    uint64_t random = 3;
    for (int round = 0; round < 5000; round++) {
        ik_rig rig;
        make_limb(&rig, 4, &random);
        const double reach = bone_length(&rig, 2) + bone_length(&rig, 3);
        const double distance = reach * test_between(1, 50, &random);
        const md5_vec3 target = point_from_hip(&rig, 1, distance, &random);
        const md5_two_bone_job job = {.tip = rig.chain[3], .target = target, .weight = 1};
        IK_SOLVE(two_bone, rig, job);
        const real3 start = ik_chain_position(&rig, 1);
        const real3 direction = real3_unit(real3_sub(to_real3(target), start));
        const real3 end = real3_add(start, real3_scale(direction, reach));
        CHECK_SMALL(real3_distance(ik_chain_position(&rig, 3), end) / reach, 1e-5);
        CHECK(ik_is_sound(rig.pose, 4));
    }
}

// Returns the distance between foot and hip if the target is `distance` straight below the hip.
static double foot_distance(double distance, float soften, float stretch, ik_rig *rig)
{
    // The leg bends forward. Its thigh of 10 units and its shin of 8 units point down from the hip,
    // which is at 18.
    uint64_t random = 4;
    ik_make_rig(rig, 3, 1, &random);
    const float angle = 0.2f;
    rig->pose[rig->chain[0]] = (md5_xform){{0, sinf(-angle), 0, cosf(angle)}, {0, 0, 18}, 0};
    rig->pose[rig->chain[1]] = (md5_xform){{0, sinf(angle), 0, cosf(angle)}, {0, 0, -10}, 0};
    rig->pose[rig->chain[2]] = (md5_xform){{0, 0, 0, 1}, {0, 0, -8}, 0};

    const md5_two_bone_job job = {
        .tip = rig->chain[2],
        .target = {0, 0, (float)(18 - distance)},
        .params.soften = soften,
        .params.stretch = stretch,
        .weight = 1,
    };
    md5_solve_two_bone(&rig->skeleton, &job, rig->pose);
    return real3_distance(ik_chain_position(rig, 0), ik_chain_position(rig, 2));
}

TEST (ik_two_bone_softens_without_a_jump_in_velocity) {
    ik_rig rig;
    const double step = 0.01;
    const double reach = 18;
    const double onset = reach * 0.8;
    double last = foot_distance(4, 0.2f, 0, &rig);
    real3 last_knee = ik_chain_position(&rig, 1);
    for (int i = 1; i < 3600; i++) {
        const double distance = 4 + step * i;
        const double tip_distance = foot_distance(distance, 0.2f, 0, &rig);
        const real3 knee = ik_chain_position(&rig, 1);
        if (distance < onset)
            CHECK_NEAR(tip_distance, distance, 1e-4);
        CHECK(tip_distance >= last - 1e-4 && tip_distance <= last + step + 1e-4
              && tip_distance < reach + 1e-4);
        CHECK(real3_distance(knee, last_knee) < 20 * step);
        // x is the distance past the onset of the softening, as a fraction of the distance from the
        // onset to the reach. The curve is an exponential.
        const double x = (distance - onset) / (reach - onset);
        if (x > 0 && x < 1)
            CHECK_NEAR(tip_distance, reach - (reach - onset) * exp(-x), 1e-4);
        last = tip_distance;
        last_knee = knee;
    }
    CHECK(last > 0.99 * reach);
    CHECK_NEAR(foot_distance(17.9, 0, 0, &rig), 17.9, 1e-4);
    CHECK_NEAR(foot_distance(18.1, 0, 0, &rig), 18, 1e-4);
    CHECK_NEAR(foot_distance(9, 1, 0, &rig), 18 * (1 - exp(-0.5)), 1e-4);
    CHECK_NEAR(foot_distance(9, 5, NAN, &rig), 18 * (1 - exp(-0.5)), 1e-4);
    CHECK_NEAR(foot_distance(9, NAN, 0.5f, &rig), 9, 1e-4);
}

TEST (ik_two_bone_stretches_up_to_its_limit) {
    ik_rig rig;
    CHECK_NEAR(foot_distance(17, 0, 1.25f, &rig), 17, 1e-4);
    CHECK_NEAR(bone_length(&rig, 1), 10, 1e-6);
    CHECK_NEAR(foot_distance(19.8, 0, 1.25f, &rig), 19.8, 1e-4);
    CHECK_NEAR(bone_length(&rig, 1), 11, 1e-5);
    CHECK_NEAR(bone_length(&rig, 2), 8.8, 1e-5);
    CHECK_NEAR(foot_distance(40, 0, 1.25f, &rig), 22.5, 1e-4);
    CHECK_NEAR(foot_distance(40, 0.3f, INFINITY, &rig), 40, 1e-4);
    // With softening and stretching, the leg stretches instead of staying behind the target, again
    // without a jump.
    double last = foot_distance(10, 0.3f, 1.1f, &rig);
    for (int i = 0; i < 2500; i++) {
        const double distance = 10 + 0.02 * i;
        const double tip_distance = foot_distance(distance, 0.3f, 1.1f, &rig);
        CHECK(tip_distance >= last - 1e-4 && tip_distance <= last + 0.02 + 1e-4
              && tip_distance < 18 * 1.1 + 1e-4);
        last = tip_distance;
    }
    CHECK(last > 18 * 1.09);
}

TEST (ik_two_bone_rotates_by_its_weight) {
    uint64_t random = 5;
    for (int round = 0; round < 2000; round++) {
        ik_rig rig;
        ik_rig full;
        make_limb(&rig, 3, &random);
        full = rig;
        md5_two_bone_job job = {.tip = rig.chain[2], .params.stretch = 1.5f, .weight = 1};
        job.target = point_from_hip(&rig, 0, test_between(1, 20, &random), &random);
        IK_SOLVE(two_bone, full, job);
        ik_rig none = rig;
        ik_rig part = rig;
        job.weight = round % 2 ? 0 : NAN;
        IK_SOLVE(two_bone, none, job);
        CHECK_BYTES(none.pose, rig.pose, sizeof rig.pose);
        job.weight = (float)test_random(&random);
        IK_SOLVE(two_bone, part, job);
        for (uint32_t i = 0; i < 3; i++) {
            const md5_quat expected =
                md5_quat_slerp(rig.pose[i].rotation, full.pose[i].rotation, job.weight);
            CHECK_SMALL(real_angle(expected, part.pose[i].rotation), 1e-5);
            const md5_vec3 direction =
                md5_vec3_lerp(rig.pose[i].translation, full.pose[i].translation, job.weight);
            CHECK_SMALL(real_distance(direction, part.pose[i].translation), 1e-5);
        }
        job.weight = 7; // as 1
        IK_SOLVE(two_bone, rig, job);
        CHECK_BYTES(full.pose, rig.pose, sizeof rig.pose);
    }
}

TEST (ik_two_bone_needs_two_parents) {
    uint64_t random = 6;
    ik_rig rig;
    ik_make_rig(&rig, 3, 8, &random);
    const ik_rig initial_rig = rig;
    md5_two_bone_job job = {.tip = rig.chain[0], .weight = 1};
    CHECK(!IK_SOLVE(two_bone, rig, job));
    job.tip = rig.chain[1];
    CHECK(!IK_SOLVE(two_bone, rig, job));
    job.tip = 3;
    CHECK(!IK_SOLVE(two_bone, rig, job));
    CHECK_BYTES(rig.pose, initial_rig.pose, sizeof rig.pose);
}

static md5_vec3 odd_point(uint64_t *random)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, 1e15f, 9e14f, 1e-30f, 0, -0.0f};
    md5_vec3 point = ik_random_point(10, random);
    const uint32_t which = test_random_u32(random) % 64;
    if (which < 9)
        point.x = odd[which];
    else if (which < 18)
        point = (md5_vec3){odd[which - 9], odd[which - 9], odd[which - 9]};
    return point;
}

// Bones without length, straight, folded; targets on joints; NaN and infinity.
TEST (ik_two_bone_of_any_input_is_finite) {
    uint64_t random = 7;
    for (int round = 0; round < 60000; round++) {
        ik_rig rig;
        ik_make_rig(&rig, 3, 8, &random);
        for (uint32_t i = 0; i < 3; i++) {
            md5_xform *const joint = &rig.pose[rig.chain[i]];
            const uint32_t kind = test_random_u32(&random) % 8;
            if (kind < 2)
                joint->translation = (md5_vec3){0, 0, 0};
            else if (kind < 4)
                joint->translation = (md5_vec3){kind == 2 ? 5 : -5, 0, 0};
            else if (kind == 4)
                joint->translation = md5_vec3_scale(joint->translation, 1e14f);
            else if (kind == 5)
                joint->translation =
                    md5_vec3_scale(joint->translation, round % 2 ? 1e-17f : 4e-16f);
            else if (kind == 6 && i == 0)
                joint->translation = md5_vec3_scale(joint->translation, 1e15f);
            if (test_random_u32(&random) % 2)
                joint->rotation = (md5_quat){0, 0, 0, 1};
        }
        const md5_vec3 pole = odd_point(&random);
        const md5_quat rotation = {odd_point(&random).x, 0, 0, odd_point(&random).y};
        md5_two_bone_job job = {
            .tip = rig.chain[2],
            .target = odd_point(&random),
            .params.soften = odd_point(&random).x,
            .params.stretch = odd_point(&random).y,
            .weight = round % 5 ? 1 : odd_point(&random).z,
        };
        if (round % 2 != 0)
            job.pole = &pole;
        if (round % 3 == 0)
            job.rotation = &rotation;
        if (round % 7 < 3) {
            job.target = ik_rounded(ik_chain_position(&rig, (uint32_t)round % 7));
        }
        if (isfinite(job.params.stretch) && job.params.stretch > 100)
            job.params.stretch = 2;
        const ik_rig initial_rig = rig;
        CHECK(IK_SOLVE(two_bone, rig, job));
        REQUIRE(ik_is_sound(rig.pose, 3));
        if (!isfinite(job.target.x) || !(job.weight > 0))
            CHECK_BYTES(rig.pose, initial_rig.pose, sizeof rig.pose);
    }
}

// -- Aim ------------------------------------------------------------------------------------------

// Chains that look at a point. The expected directions are computed in double precision.

static const double pi = 3.14159265358979;

// Returns the angle between the forward direction of the tip and the direction to the target.
static double angle_off(const ik_rig *rig, const md5_aim_job *job)
{
    const real_transform tip = ik_joint_transform(&rig->skeleton, rig->pose, job->tip);
    const real3 sight = real4_rotate(tip.rotation, to_real3(job->params.forward));
    const real3 toward = real3_sub(to_real3(job->target), tip.translation);
    return atan2(real3_length(real3_cross(sight, toward)), real3_dot(sight, toward));
}

static md5_vec3 random_direction(uint64_t *random)
{
    return md5_quat_rotate(random_unit_quat(random), (md5_vec3){1, 0, 0});
}

TEST (ik_aim_looks_at_the_target_and_stays_upright) {
    uint64_t random = 1;
    for (int round = 0; round < 30000; round++) {
        ik_rig rig;
        const uint32_t count = 1 + test_random_u32(&random) % 6;
        ik_make_rig(&rig, count, 3, &random);
        md5_aim_job job = {
            .tip = rig.chain[count - 1],
            .length = 1 + test_random_u32(&random) % 8, // may be longer than the chain
            .target = ik_random_point(100, &random),
            .params.forward = random_direction(&random),
            .params.up = random_direction(&random),
            .weight = 1,
        };
        ik_rig initial_rig = rig;
        CHECK(IK_SOLVE(aim, rig, job));
        REQUIRE(ik_is_sound(rig.pose, count));
        ik_check_lengths(&rig, &initial_rig, count);
        const real_transform tip = ik_joint_transform(&rig.skeleton, rig.pose, job.tip);
        const real3 toward = real3_sub(to_real3(job.target), tip.translation);
        if (real3_length(toward) < 5)
            continue;
        CHECK_SMALL(angle_off(&rig, &job), 2e-6);
        // Up has no part to the left of the line of sight: it is in the plane of that line and the
        // vertical, and points upward. Skipped if that line is nearly vertical, or up nearly along
        // it.
        const real3 up = real4_rotate(tip.rotation, to_real3(job.params.up));
        const real3 left = real3_cross((real3){0, 0, 1}, toward);
        const double slant = real3_length(left) / real3_length(toward);
        const real3 lean =
            real3_cross(real4_rotate(tip.rotation, to_real3(job.params.forward)), up);
        if (slant > 0.11 && real3_length(lean) > 0.05) {
            CHECK_SMALL(fabs(real3_dot(up, left)) / real3_length(left), 1e-5);
            CHECK(real3_dot(real3_cross(toward, left), up) > 0);
        }
    }
}

// Creates a neck of four joints upward, looking along +x.
static void make_neck(ik_rig *rig)
{
    uint64_t random = 2;
    ik_make_rig(rig, 5, 1, &random);
    for (uint32_t i = 0; i < 5; i++)
        rig->pose[rig->chain[i]] = (md5_xform){{0, 0, 0, 1}, {0, 0, i == 0 ? 50 : 4}, 0};
}

static md5_aim_job look_at(const ik_rig *rig, uint32_t length, md5_vec3 target)
{
    return (md5_aim_job){
        .tip = rig->chain[4],
        .length = length,
        .target = target,
        .params.forward = {1, 0, 0},
        .params.up = {0, 0, 1},
        .weight = 1,
    };
}

// Returns the angle of a joint's rotation relative to its parent.
static double rotation_angle(const ik_rig *rig, uint32_t i)
{
    return real4_angle(to_unit_real4(rig->pose[rig->chain[i]].rotation), (real4){0, 0, 0, 1});
}

TEST (ik_aim_distributes_the_rotation_equally) {
    ik_rig rig;
    make_neck(&rig);
    md5_aim_job job = look_at(&rig, 4, (md5_vec3){0, 1000, 66});
    IK_SOLVE(aim, rig, job);
    CHECK_SMALL(rotation_angle(&rig, 0), 1e-6);
    for (uint32_t i = 1; i < 5u; i++)
        CHECK_NEAR(rotation_angle(&rig, i), pi / 8.0, 1e-5);
    // Nodding also moves the head, so the later joints must rotate a little more or less.
    make_neck(&rig);
    job.target = (md5_vec3){100, 0, 0};
    IK_SOLVE(aim, rig, job);
    for (uint32_t i = 1; i < 5u; i++)
        CHECK_NEAR(rotation_angle(&rig, i), atan2(66.0, 100.0) / 4.0, 0.05);
    CHECK_SMALL(angle_off(&rig, &job), 1e-6);
}

TEST (ik_aim_obeys_its_limit) {
    uint64_t random = 3;
    for (int round = 0; round < 5000; round++) {
        ik_rig rig;
        make_neck(&rig);
        md5_aim_job job =
            look_at(&rig, 1 + test_random_u32(&random) % 5, ik_random_point(100, &random));
        job.params.limit = test_betweenf(0.05f, 1.5f, &random);
        IK_SOLVE(aim, rig, job);
        CHECK(ik_is_sound(rig.pose, 5));
        for (uint32_t i = 0; i < 5; i++)
            CHECK(rotation_angle(&rig, i) - job.params.limit < 1e-6);
    }
    // The target requires a rotation by 90 degrees: the chain rotates up to its limit.
    ik_rig rig;
    make_neck(&rig);
    md5_aim_job job = look_at(&rig, 2, (md5_vec3){0, 1000, 66});
    job.params.limit = 0.4f;
    IK_SOLVE(aim, rig, job);
    CHECK_NEAR(angle_off(&rig, &job), pi / 2.0 - 0.8, 1e-5);
    static const float none[] = {0, -1, NAN, INFINITY, 3.2f};
    for (int i = 0; i < 5; i++) {
        make_neck(&rig);
        job.params.limit = none[i];
        IK_SOLVE(aim, rig, job);
        CHECK_SMALL(angle_off(&rig, &job), 1e-5);
    }
}

// If a target rises almost to the zenith, the tip rotates without a jerk.
TEST (ik_aim_has_no_jump_near_the_vertical) {
    ik_rig rig;
    real4 last = {0, 0, 0, 1};
    for (int i = 0; i < 4001; i++) {
        make_neck(&rig);
        const double angle = 0.3 + (pi / 2.0 - 0.3) * i / 4000.0 - 1e-3;
        const md5_vec3 target = {(float)(100 * cos(angle)), 3, (float)(66 + 100 * sin(angle))};
        md5_aim_job job = look_at(&rig, 1, target);
        IK_SOLVE(aim, rig, job);
        const real4 rotation = ik_joint_transform(&rig.skeleton, rig.pose, job.tip).rotation;
        if (i > 0)
            CHECK(real4_angle(last, rotation) < 0.02);
        last = rotation;
    }
}

TEST (ik_aim_rotates_by_its_weight) {
    uint64_t random = 4;
    for (int round = 0; round < 2000; round++) {
        ik_rig rig;
        ik_make_rig(&rig, 4, 3, &random);
        md5_aim_job job = look_at(&rig, 3, ik_random_point(50, &random));
        job.tip = rig.chain[3];
        ik_rig full = rig;
        ik_rig part = rig;
        IK_SOLVE(aim, full, job);
        job.weight = round % 2 ? 0 : NAN;
        IK_SOLVE(aim, part, job);
        CHECK_BYTES(part.pose, rig.pose, sizeof rig.pose);
        job.weight = (float)test_random(&random);
        IK_SOLVE(aim, part, job);
        ik_check_part(&rig, &full, &part, 4, job.weight, 2e-6);
    }
}

TEST (ik_aim_of_any_input_is_finite) {
    static const float odd[] = {NAN, INFINITY, 3e38f, 1e15f, 9e14f, 1e-30f, 0};
    uint64_t random = 5;
    for (int round = 0; round < 60000; round++) {
        ik_rig rig;
        const uint32_t count = 1 + test_random_u32(&random) % 5;
        ik_make_rig(&rig, count, 3, &random);
        md5_vec3 points[4];
        for (int i = 0; i < 4; i++) {
            points[i] = ik_random_point(5, &random);
            const uint32_t which = test_random_u32(&random) % 28;
            if (which < 7)
                points[i] = (md5_vec3){odd[which], odd[which], odd[which]};
        }
        const real3 eye =
            ik_joint_transform(&rig.skeleton, rig.pose, rig.chain[count - 1]).translation;
        if (round % 5 == 0)
            points[0] = ik_rounded(eye);
        if (round % 7 == 0)
            points[2] = points[1];
        if (round % 11 == 0)
            rig.pose[0].translation = points[3];
        else if (round % 3 == 0)
            rig.pose[0].translation = (md5_vec3){0, 0, 0};
        const bool is_sound = ik_is_sound(rig.pose, count);
        const md5_aim_job job = {.tip = rig.chain[count - 1],
                                 .length = 1 + test_random_u32(&random) % 100,
                                 .target = points[0],
                                 .params = {points[1], points[2], points[3].x},
                                 .weight = 1};
        CHECK(IK_SOLVE(aim, rig, job));
        if (is_sound && !CHECK(ik_is_sound(rig.pose, count)))
            return;
    }
    ik_rig rig;
    make_neck(&rig);
    md5_aim_job job = look_at(&rig, 0, (md5_vec3){1, 2, 3});
    CHECK(!IK_SOLVE(aim, rig, job));
    job.length = 1;
    job.tip = 5;
    CHECK(!IK_SOLVE(aim, rig, job));
}

// -- Softening ------------------------------------------------------------------------------------

// The softening of a limb near its reach: its formula, and its values in the demo's machine file
// and in the manual.

TEST (ik_soften_equals_the_formula_of_the_header) {
    const double reach = 18;
    ik_rig rig;
    for (int share = 1; share <= 40; share++) {
        const float soften = (float)share / 40.0f;
        const double onset = reach * (1.0 - soften);
        for (int i = 0; i < 401; i++) {
            const double distance = (float)(2.5 + 0.25 * i); // up to x of 5.7 or more
            const double x = (distance - onset) / (reach * soften);
            const double expected = x <= 0 ? distance : reach * (1 - soften * exp(-x));
            const double error =
                fabs(foot_distance(distance, soften, 0, &rig) - fmax(expected, 2)) / reach;
            if (x <= 0)
                CHECK_SMALL(error, 1e-6);
            else
                CHECK_SMALL(error, 1e-6);
        }
    }
}

static double distance_in_model(const md5_skeleton *skeleton, const md5_xform *pose, uint32_t a,
                                uint32_t b)
{
    return real3_distance(ik_joint_transform(skeleton, pose, a).translation,
                          ik_joint_transform(skeleton, pose, b).translation);
}

// Returns the largest distance by which the tip misses its target, as a fraction of the reach. The
// targets are at half of the reach to nine tenths of it.
static double max_miss(const md5_model *model, uint32_t tip, float soften)
{
    const md5_skeleton *const skeleton = &model->skeleton;
    md5_xform pose[128];
    double max_distance = 0;
    for (int i = 0; i < 41; i++) {
        if (!CHECK(skeleton->num_joints <= 128))
            return 1;
        memcpy(pose, model->bind_local, skeleton->num_joints * sizeof *pose);
        const uint32_t middle = skeleton->joints[tip].parent;
        const uint32_t root = skeleton->joints[middle].parent;
        const double reach = distance_in_model(skeleton, pose, tip, middle)
                             + distance_in_model(skeleton, pose, middle, root);
        const double distance = reach * (0.5 + 0.01 * i);
        const real3 from = ik_joint_transform(skeleton, pose, root).translation;
        const md5_two_bone_job job = {
            .tip = tip,
            .target = ik_rounded(real3_add(from, (real3){0.8 * distance, 0, 0.6 * distance})),
            .params.soften = soften,
            .weight = 1,
        };
        md5_solve_two_bone(skeleton, &job, pose);
        max_distance =
            fmax(max_distance, real3_distance(ik_joint_transform(skeleton, pose, tip).translation,
                                              to_real3(job.target))
                                   / reach);
    }
    return max_distance;
}

TEST (ik_soften_of_page_reach_keeps_near_targets) {
    md5_error error = {0};
    SCOPED_MACHINE_FILE file =
        md5_load_machine_file(test_path("models/bobbin/page_reach.md5machine"), NULL, &error);
    CHECK_STRING(error.message, "");

    SCOPED_MODEL model = our_model("models/bobbin/bobbin.md5mesh");
    uint32_t num_limbs = 0;
    for (uint32_t i = 0; CHECK(file && model) && i < file->desc.num_modifiers; i++) {
        const md5_modifier_desc *const modifier = &file->desc.modifiers[i];
        if (modifier->kind != MD5_MODIFIER_TWO_BONE)
            continue;
        const uint32_t tip = md5_find_joint(&model->skeleton, modifier->joint);
        CHECK_SMALL(max_miss(model, tip, modifier->two_bone.soften), 1e-5);
        num_limbs++;
    }
    CHECK_UINT(num_limbs, 1);
}

// The example of the manual: its text between the first two fences.
TEST (ik_soften_of_the_manual_example_is_small) {
    size_t size;
    SCOPED_STRING text = test_read_file(test_path("md5/play/machine_files.md"), &size);
    REQUIRE(text);
    char *const begin = strstr(text, "```\n") + 4;
    const size_t length = (size_t)(strstr(begin, "```") - begin);
    md5_error error = {0};
    SCOPED_MACHINE_FILE file = md5_parse_machine_file(begin, length, NULL, &error);
    CHECK_STRING(error.message, "");
    float max_soften = 0;
    for (uint32_t i = 0; CHECK(file) && i < file->desc.num_modifiers; i++)
        max_soften = fmaxf(max_soften, file->desc.modifiers[i].two_bone.soften);
    CHECK(max_soften > 0 && max_soften <= 0.1f);
}
