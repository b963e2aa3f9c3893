// Compares swinging chains with the closed forms of the damped spring.
#include "test/ik/test_ik_case.h"

// Creates a tail of `count` joints that points back from the root. Each joint is 4 units long.
static void make_tail(ik_rig *rig, uint32_t count)
{
    uint64_t random = 2;
    ik_make_rig(rig, count, 1, &random);
    for (uint32_t i = 0; i < count; i++)
        rig->pose[rig->chain[i]] = (md5_xform){{0, 0, 0, 1}, {-4, 0, i ? 0 : 20}, 0};
}

static md5_spring_job tail_job(const ik_rig *rig, uint32_t count)
{
    return (md5_spring_job){
        .tip = rig->chain[count - 1],
        .length = count,
        .params = {.stiffness = 100, .damping = 6},
        .placement.rotation = {0, 0, 0, 1},
        .weight = 1,
    };
}

static bool advance(const ik_rig *rig, md5_spring_job job, md5_spring_joint *state, float seconds,
                    bool is_first, md5_xform *pose)
{
    job.state = state;
    job.seconds = seconds;
    job.is_first = is_first;
    return md5_solve_spring(&rig->skeleton, &job, pose);
}

TEST (ik_spring_at_rest_equals_the_animation) {
    ik_rig rig;
    make_tail(&rig, 5);
    const ik_rig initial_rig = rig;
    md5_spring_joint state[5];
    memset(state, 0xFF, sizeof state); // never read
    const md5_spring_job job = tail_job(&rig, 5);
    for (int i = 0; i < 100; i++) {
        advance(&rig, job, state, 0.02f, i == 0, rig.pose);
        CHECK_BYTES(rig.pose, initial_rig.pose, sizeof rig.pose);
    }
}

// Releases the end of the first joint, whose rest position is (-8, 0, 20), from another position.
// Returns its z, which equals the closed form for any number of steps.
static double end_after(float total, int steps, float damping, double *exact)
{
    ik_rig rig;
    make_tail(&rig, 3);
    md5_spring_job job = tail_job(&rig, 3);
    job.params.damping = damping == 0 ? MD5_EXPLICIT_ZERO : damping;
    md5_spring_joint state[3];
    advance(&rig, job, state, 0, true, rig.pose);
    make_tail(&rig, 3);
    state[0].position.z = 23;
    state[0].velocity.z = -40;
    for (int i = 0; i < steps; i++) {
        make_tail(&rig, 3);
        advance(&rig, job, state, total / (float)steps, false, rig.pose);
    }
    const real_swing swing = real_spring_step(100, damping, total);
    *exact = 20 + swing.keep * 3 - swing.drift * 40;
    // The joint points at the position of the spring.
    const real3 start = ik_joint_transform(&rig.skeleton, rig.pose, rig.chain[0]).translation;
    const real3 end = ik_joint_transform(&rig.skeleton, rig.pose, rig.chain[1]).translation;
    const real3 bone = real3_sub(end, start);
    const real3 displacement = real3_sub(to_real3(state[0].position), start);
    CHECK_NEAR(real3_length(bone), 4, 1e-5);
    CHECK_SMALL(real3_length(real3_cross(bone, displacement)), 1e-4);
    CHECK(real3_dot(bone, displacement) > 0);
    return state[0].position.z;
}

TEST (ik_spring_is_exact_for_any_split_of_the_time) {
    static const float damping[] = {0, 4, 20, 90};
    static const int steps[] = {1, 2, 7, 60, 997};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 5; j++) {
            double exact;
            const double found = end_after(0.7f, steps[j], damping[i], &exact);
            CHECK_NEAR(found, exact, 1e-4);
        }
    }
}

// If a character moves at constant speed, the tail follows at a constant distance, independent of
// the time steps.
TEST (ik_spring_follows_a_steady_motion_independently_of_steps) {
    for (int steps = 1; steps < 1000; steps *= 5) {
        ik_rig rig;
        make_tail(&rig, 2);
        md5_spring_job job = tail_job(&rig, 2);
        md5_spring_joint state[2];
        advance(&rig, job, state, 0, true, rig.pose);
        for (int i = 1; i <= steps; i++) {
            make_tail(&rig, 2);
            job.placement.translation.y = 30 * (float)i / (float)steps;
            advance(&rig, job, state, 3.0f / (float)steps, false, rig.pose);
        }
        // The end lags by damping * speed / stiffness, minus the remaining effect of the start.
        const real_swing swing = real_spring_step(100, 6, 3);
        const double lag = -6 * 10.0 / 100.0;
        const double exact = 30 + lag + swing.keep * -lag + swing.drift * -10;
        CHECK_NEAR(state[0].position.y, exact, 1e-4);
        CHECK_NEAR(state[0].target.y, 30, 1e-6);
        CHECK(md5_joint_in_model(&rig.skeleton, rig.pose, rig.chain[1]).translation.y < -0.1f);
    }
}

TEST (ik_spring_hangs_down_by_gravity) {
    ik_rig rig;
    make_tail(&rig, 3);
    md5_spring_job job = tail_job(&rig, 3);
    job.acceleration = (md5_vec3){0, 0, -200};
    // The character faces along the world's y axis. Gravity still points down the character's z
    // axis.
    job.placement = (md5_xform){{0, 0, 0.70710678f, 0.70710678f}, {100, 50, 7}, 0};
    md5_spring_joint state[3];
    for (int i = 0; i < 500; i++) {
        make_tail(&rig, 3);
        advance(&rig, job, state, 0.05f, i == 0, rig.pose);
    }
    CHECK_NEAR(state[1].position.z, 27 - 2.0, 1e-3);
    CHECK_NEAR(state[1].position.x, 100, 1e-3);
    CHECK_NEAR(state[1].position.y, 50 - 12.0, 1e-3);
    const real3 tip = ik_joint_transform(&rig.skeleton, rig.pose, rig.chain[2]).translation;
    CHECK(tip.z < 19 && fabs(tip.y) < 1e-3);
}

TEST (ik_spring_considers_weight_and_first_joint) {
    ik_rig rig;
    make_tail(&rig, 3);
    const ik_rig initial_rig = rig;
    md5_spring_job job = tail_job(&rig, 3);
    md5_spring_joint state[3];
    advance(&rig, job, state, 0, true, rig.pose);
    state[0].position.z += 2;
    ik_rig full = rig;
    ik_rig part = rig;
    ik_rig none = rig;
    md5_spring_joint same[3];
    memcpy(same, state, sizeof same);
    advance(&rig, job, same, 0, false, full.pose);
    job.weight = 0.25f;
    advance(&rig, job, same, 0, false, part.pose);
    const md5_quat expected =
        md5_quat_slerp(rig.pose[rig.chain[0]].rotation, full.pose[rig.chain[0]].rotation, 0.25f);
    CHECK_SMALL(real_angle(expected, part.pose[rig.chain[0]].rotation), 1e-6);
    // With weight 0 the chain continues to swing, although this is not visible.
    job.weight = 0;
    advance(&rig, job, same, 0.01f, false, none.pose);
    CHECK_BYTES(none.pose, initial_rig.pose, sizeof initial_rig.pose);
    CHECK(same[0].position.z < state[0].position.z);
    // The character jumps to another position.
    job.weight = 1;
    job.placement.translation = (md5_vec3){1e4f, 0, 0};
    advance(&rig, job, same, 0.01f, true, none.pose);
    CHECK_BYTES(none.pose, initial_rig.pose, sizeof initial_rig.pose);
    CHECK(same[0].velocity.x == 0 && same[0].position.x == same[0].target.x);
}

TEST (ik_spring_of_any_input_is_finite) {
    static const float odd[] = {NAN,   INFINITY, -INFINITY, 3e38f, 1e15f,
                                9e14f, 1e10f,    1e-30f,    0,     -1};
    uint64_t random = 3;
    for (int round = 0; round < 20000; round++) {
        ik_rig rig;
        const uint32_t count = 1 + test_random_u32(&random) % 5;
        ik_make_rig(&rig, count, 3, &random);
        float numbers[12];
        for (int i = 0; i < 12; i++) {
            numbers[i] = test_betweenf(0, 100, &random);
            const uint32_t which = test_random_u32(&random) % 60;
            if (which < 10)
                numbers[i] = odd[which];
        }
        md5_spring_joint state[IK_JOINTS];
        memset(state, round % 3 ? 0 : 0xFF, sizeof state);
        const md5_spring_job job = {
            .tip = rig.chain[count - 1],
            .length = test_random_u32(&random) % 100,
            .params = {.stiffness = numbers[0], .damping = numbers[1]},
            .acceleration = {numbers[2], numbers[3], numbers[4]},
            .placement = {{numbers[5], 0, 0, 1}, {numbers[6], numbers[7], numbers[8]}, 0},
            .weight = 1,
        };
        if (round % 4 == 0)
            rig.pose[0].translation = (md5_vec3){0, 0, 0};
        for (int step = 0; step < 5; step++)
            advance(&rig, job, state, numbers[9], false, rig.pose);
        REQUIRE(ik_is_sound(rig.pose, count));
    }
    ik_rig rig;
    make_tail(&rig, 3);
    const ik_rig initial_rig = rig;
    md5_spring_job job = tail_job(&rig, 3);
    job.tip = 3;
    advance(&rig, job, NULL, 0.1f, true, rig.pose);
    CHECK_BYTES(rig.pose, initial_rig.pose, sizeof rig.pose);
}
