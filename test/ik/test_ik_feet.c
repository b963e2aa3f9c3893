// Feet on uneven ground.
#include "test/ik/test_ik_case.h"

enum { ORIGIN, PELVIS, HIP_L, KNEE_L, ANKLE_L, HIP_R, KNEE_R, ANKLE_R, HEAD, NUM_JOINTS };

static const md5_joint joints[NUM_JOINTS] = {
    {"origin", MD5_NONE}, {"pelvis", 0}, {"hip_l", 1},   {"knee_l", 2}, {"ankle_l", 3},
    {"hip_r", 1},         {"knee_r", 5}, {"ankle_r", 6}, {"head", 1},
};
static const uint32_t order[NUM_JOINTS] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
static const md5_skeleton skeleton = {.num_joints = NUM_JOINTS, .joints = joints, .order = order};

// Creates a pose with slightly bent legs of 10 and 10 units, whose ankles are about 1.5 units above
// the ground. The origin is rotated, so that its z is not the z of the model.
static void make_body(md5_xform *pose)
{
    const float s = sinf(0.15f);
    const float c = cosf(0.15f);
    const float half = sqrtf(0.5f);
    const md5_quat none = {0, 0, 0, 1};
    const md5_quat bent = {0, -s, 0, c};
    const md5_quat back = {0, 2 * s * c, 0, c * c - s * s};
    pose[ORIGIN] = (md5_xform){{half, 0, 0, half}, {1, 2, 3}, 0};
    pose[PELVIS] = (md5_xform){{-half, 0, 0, half}, {0, 17.6f, 0}, 0};
    for (uint32_t hip = HIP_L; hip <= HIP_R; hip += HIP_R - HIP_L) {
        const float side = hip == HIP_L ? 3 : -3;
        pose[hip] = (md5_xform){bent, {0, side, 0}, 0};
        pose[hip + 1] = (md5_xform){back, {0, 0, -10}, 0};
        pose[hip + 2] = (md5_xform){none, {0, 0, -10}, 0};
    }
    pose[HEAD] = (md5_xform){none, {0, 0, 20}, 0};
}

static real3 joint_position(const md5_xform *pose, uint32_t joint)
{
    return ik_joint_transform(&skeleton, pose, joint).translation;
}

static void solve_feet(md5_xform *pose, md5_foot *feet, float *drop, float smoothing, float seconds,
                       float weight)
{
    md5_feet_job job = {
        .pelvis = PELVIS,
        .feet = feet,
        .num_feet = 2,
        .drop = *drop,
        .smoothing = smoothing,
        .seconds = seconds,
        .weight = weight,
    };
    md5_solve_feet(&skeleton, &job, pose);
    *drop = job.drop;
}

TEST (ik_feet_on_even_ground_stay) {
    md5_xform pose[NUM_JOINTS];
    md5_xform initial_pose[NUM_JOINTS];
    make_body(pose);
    make_body(initial_pose);
    md5_foot feet[2] = {{.ankle = ANKLE_L}, {.ankle = ANKLE_R}};
    float drop = 0;
    solve_feet(pose, feet, &drop, 0.1f, 0.02f, 1);
    CHECK(drop == 0 && feet[0].lift == 0);
    for (int i = 0; i < NUM_JOINTS; i++) {
        CHECK_SMALL(real_angle(pose[i].rotation, initial_pose[i].rotation), 1e-5);
        CHECK_BYTES(&pose[i].translation, &initial_pose[i].translation, sizeof(md5_vec3));
    }
}

TEST (ik_feet_without_smoothing_are_placed_in_a_step_of_zero_seconds) {
    md5_xform pose[NUM_JOINTS];
    make_body(pose);
    md5_foot feet[2] = {{.ankle = ANKLE_L, .floor = 4}, {.ankle = ANKLE_R, .floor = -2.5f}};
    float drop = 0;
    solve_feet(pose, feet, &drop, 0, 0, 1);
    CHECK(drop == -2.5f && feet[0].lift == 4 && feet[1].lift == -2.5f);
    feet[0].floor = 0;
    solve_feet(pose, feet, &drop, 0.1f, 0, 1);
    CHECK(feet[0].lift == 4); // smoothed, which takes time
}

TEST (ik_feet_touch_their_floors) {
    md5_xform pose[NUM_JOINTS];
    md5_xform initial_pose[NUM_JOINTS];
    make_body(pose);
    make_body(initial_pose);
    const md5_vec3 slope = {0.6f, 0, 0.8f};
    md5_foot feet[2] = {
        {.ankle = ANKLE_L, .floor = 4, .normal = slope},
        {.ankle = ANKLE_R, .floor = -2.5f, .normal = {0, 0, 1}},
    };
    float drop = 0;
    solve_feet(pose, feet, &drop, 0, 0.02f, 1);
    CHECK(drop == -2.5f && feet[0].lift == 4 && feet[1].lift == -2.5f);
    for (int i = 0; i < 2; i++) {
        const real3 moved = real3_sub(joint_position(pose, feet[i].ankle),
                                      joint_position(initial_pose, feet[i].ankle));
        CHECK_SMALL(moved.x, 1e-4);
        CHECK_SMALL(moved.y, 1e-4);
        CHECK_NEAR(moved.z, feet[i].floor, 1e-4);
    }
    CHECK_NEAR(joint_position(pose, HEAD).z, joint_position(initial_pose, HEAD).z - 2.5, 1e-4);
    CHECK_NEAR(joint_position(pose, HEAD).x, joint_position(initial_pose, HEAD).x, 1e-4);
    // The direction of the left foot that was the up direction of the model is now the normal of
    // the slope. The knees bend as before.
    const real4 was = ik_joint_transform(&skeleton, initial_pose, ANKLE_L).rotation;
    const real3 up = real4_rotate(ik_joint_transform(&skeleton, pose, ANKLE_L).rotation,
                                  real4_rotate(real4_conjugate(was), (real3){0, 0, 1}));
    CHECK_SMALL(real3_distance(up, to_real3(slope)), 1e-5);
    CHECK(joint_position(pose, KNEE_L).x > joint_position(initial_pose, KNEE_L).x + 1);
    CHECK(ik_is_sound(pose, NUM_JOINTS));

    // If all floors are higher, the whole body rises.
    make_body(pose);
    feet[0].floor = 3;
    feet[1].floor = 2;
    solve_feet(pose, feet, &drop, 0, 0.02f, 1);
    CHECK_NEAR(joint_position(pose, HEAD).z, joint_position(initial_pose, HEAD).z + 2, 1e-4);
    CHECK_NEAR(joint_position(pose, ANKLE_R).z, joint_position(initial_pose, ANKLE_R).z + 2, 1e-4);
}

TEST (ik_feet_weight_scales_the_heights) {
    md5_xform pose[NUM_JOINTS];
    md5_xform initial_pose[NUM_JOINTS];
    make_body(pose);
    make_body(initial_pose);
    md5_foot feet[2] = {{.ankle = ANKLE_L, .floor = 4}, {.ankle = ANKLE_R, .floor = -2}};
    float drop = 0;
    solve_feet(pose, feet, &drop, 0, 0.02f, 0.25f);
    CHECK_NEAR(joint_position(pose, ANKLE_L).z, joint_position(initial_pose, ANKLE_L).z + 1, 1e-4);
    CHECK_NEAR(joint_position(pose, ANKLE_R).z, joint_position(initial_pose, ANKLE_R).z - 0.5,
               1e-4);
    CHECK_NEAR(joint_position(pose, HEAD).z, joint_position(initial_pose, HEAD).z - 0.5, 1e-4);
    make_body(pose);
    feet[0].floor = 5;
    solve_feet(pose, feet, &drop, 0, 0.02f, 0);
    CHECK_BYTES(pose, initial_pose, sizeof initial_pose);
    CHECK(feet[0].lift == 5);
}

TEST (ik_feet_are_smoothed_the_same_at_any_rate) {
    static const int steps[] = {1, 3, 100};
    for (int i = 0; i < 3; i++) {
        md5_xform pose[NUM_JOINTS];
        md5_foot feet[2] = {{.ankle = ANKLE_L, .floor = 4, .lift = 1},
                            {.ankle = ANKLE_R, .floor = -2}};
        float drop = 0;
        for (int step = 0; step < steps[i]; step++) {
            make_body(pose);
            solve_feet(pose, feet, &drop, 0.1f, 0.15f / (float)steps[i], 1);
        }
        CHECK_NEAR(feet[0].lift, 4 - 3 * exp(-1.5), 1e-5);
        CHECK_NEAR(feet[1].lift, -2 + 2 * exp(-1.5), 1e-5);
        CHECK_NEAR(drop, -2 + 2 * exp(-1.5), 1e-5);
    }
}

TEST (ik_feet_of_any_input_are_finite) {
    static const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, 0, -1, 50};
    uint64_t random = 1;
    for (int round = 0; round < 20000; round++) {
        md5_xform pose[NUM_JOINTS];
        make_body(pose);
        float numbers[12];
        for (int i = 0; i < 12; i++) {
            numbers[i] = test_betweenf(-5, 5, &random);
            const uint32_t which = test_random_u32(&random) % 28;
            if (which < 7)
                numbers[i] = odd[which];
        }
        md5_foot feet[3] = {
            {.ankle = ANKLE_L,
             .floor = numbers[0],
             .normal = {numbers[1], numbers[2], numbers[3]},
             .lift = numbers[4]},
            {.ankle = ANKLE_R, .floor = numbers[5], .normal = {0, 0, -1}},
            {.ankle = test_random_u32(&random) % 12, .floor = numbers[6]},
        };
        md5_feet_job job = {
            .pelvis = round % 8 ? PELVIS : test_random_u32(&random) % 12,
            ROWS(feet, feet),
            .drop = numbers[7],
            .smoothing = numbers[8],
            .seconds = numbers[9],
            .weight = numbers[10],
        };
        feet[2].has_leg = round % 2;
        feet[2].knee = test_random_u32(&random) % 12;
        feet[2].hip = test_random_u32(&random) % 12;
        md5_solve_feet(&skeleton, &job, pose);
        CHECK(isfinite(job.drop) && isfinite(feet[0].lift) && isfinite(feet[2].lift));
        REQUIRE(ik_is_sound(pose, NUM_JOINTS));
    }
    md5_xform pose[NUM_JOINTS];
    make_body(pose);
    md5_feet_job none = {
        .pelvis = PELVIS, .drop = 2, .smoothing = 0.1f, .seconds = 0.1f, .weight = 1};
    md5_solve_feet(&skeleton, &none, pose);
    CHECK(none.drop == 2); // no feet: unchanged
}
