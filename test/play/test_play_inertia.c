// Offsets of inertial transitions: full at the start, zero at the end, never longer in between,
// with the initial velocity if that leads to the target.
#include "test/play/test_play_case.h"

#include "md5/play/run/inertia.h"

static md5_vec3 random_vec3(uint64_t *random)
{
    return (md5_vec3){(float)(test_random(random) * 2.0 - 1.0),
                      (float)(test_random(random) * 2.0 - 1.0),
                      (float)(test_random(random) * 2.0 - 1.0)};
}

static md5_quat random_quat(uint64_t *random)
{
    md5_quat q;
    float square;
    do {
        const md5_vec3 v = random_vec3(random);
        q = (md5_quat){v.x, v.y, v.z, (float)(test_random(random) * 2.0 - 1.0)};
        square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    } while (square < 0.01f || square > 1.0f);
    const float scale = 1.0f / sqrtf(square);
    return (md5_quat){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

static md5_xform random_transform(uint64_t *random)
{
    return (md5_xform){.rotation = random_quat(random), .translation = random_vec3(random)};
}

// Velocities of about 1e-4 to 1e4: from nearly none to far more than joints have.
static md5_velocity random_velocity(uint64_t *random)
{
    const float size = (float)pow(10.0, test_random(random) * 8.0 - 4.0);
    return (md5_velocity){.linear = md5_vec3_scale(random_vec3(random), size),
                          .angular = md5_vec3_scale(random_vec3(random), size)};
}

static const md5_velocity STILL = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};

TEST (an_offset_is_full_at_the_start_and_zero_at_the_end) {
    uint64_t random = 1;
    for (int i = 0; i < 20000; i++) {
        const md5_xform from = random_transform(&random), to = random_transform(&random);
        const md5_velocity velocity = random_velocity(&random);
        md5_offset offset;
        md5i_make_offsets(&from, &velocity, &to, &STILL, 1, &offset);
        md5_xform pose = to;
        md5i_add_offsets(&offset, 0.0f, 0.3f, 1, &pose);
        bool held = CHECK_NEAR(play_angle_between(pose.rotation, from.rotation), 0.0, 2e-6);
        held &= CHECK_NEAR(play_distance_between(pose.translation, from.translation), 0.0, 1e-6);
        pose = to;
        md5i_add_offsets(&offset, 0.3f, 0.3f, 1, &pose);
        held &= CHECK(pose.rotation.x == to.rotation.x && pose.translation.x == to.translation.x);
        if (!held)
            return;
    }
}

// Offsets of every size, also tiny ones, and velocities of every size and direction. The shown
// transform comes nearer to the target from step to step, however the target moves.
TEST (an_offset_never_becomes_longer) {
    uint64_t random = 2;
    for (uint32_t left = play_transitions(20000); left > 0; left--) {
        const md5_velocity from_velocity = random_velocity(&random);
        const md5_velocity to_velocity = random_velocity(&random);
        const md5_xform from = random_transform(&random);
        md5_xform to = random_transform(&random);
        if (left % 4 == 0)
            to = from;
        if (left % 4 == 1)
            to.rotation = md5_quat_mul((md5_quat){1e-5f, 0.0f, 0.0f, 1.0f}, from.rotation);
        md5_offset offset;
        md5i_make_offsets(&from, &from_velocity, &to, &to_velocity, 1, &offset);
        double angle = play_angle_between(from.rotation, to.rotation);
        double distance = play_distance_between(from.translation, to.translation);
        const float duration = (float)(0.01 + 2.0 * test_random(&random));
        for (int step = 0; step <= 40; step++) {
            const md5_xform target = random_transform(&random);
            md5_xform pose = target;
            md5i_add_offsets(&offset, duration * (float)step / 40.0f, duration, 1, &pose);
            const double angle_now = play_angle_between(pose.rotation, target.rotation);
            const double distance_now = play_distance_between(pose.translation, target.translation);
            if (!CHECK(angle_now <= angle + 2e-6) || !CHECK(distance_now <= distance + 1e-6))
                return;
            angle = angle_now;
            distance = distance_now;
        }
    }
}

// Bollo's quintic as given in his talk, for the length of an offset, in double precision.
static double bollo(double x0, double v0, double duration, double t)
{
    const double v = fmin(v0, 0.0);
    const double t1 = v < 0.0 ? fmin(duration, -5.0 * x0 / v) : duration;
    if (t >= t1)
        return 0.0;
    const double a0 = fmax((-8.0 * v * t1 - 20.0 * x0) / (t1 * t1), 0.0);
    const double a = -(a0 * t1 * t1 + 6.0 * v * t1 + 12.0 * x0) / (2.0 * pow(t1, 5.0));
    const double b = (3.0 * a0 * t1 * t1 + 16.0 * v * t1 + 30.0 * x0) / (2.0 * pow(t1, 4.0));
    const double c = -(3.0 * a0 * t1 * t1 + 12.0 * v * t1 + 20.0 * x0) / (2.0 * pow(t1, 3.0));
    return ((((a * t + b) * t + c) * t + 0.5 * a0) * t + v) * t + x0;
}

TEST (an_offset_decays_as_in_the_talk) {
    uint64_t random = 3;
    const md5_quat none = {0.0f, 0.0f, 0.0f, 1.0f};
    for (int i = 0; i < 20000; i++) {
        const double x0 = 0.1 + test_random(&random), v0 = 40.0 * test_random(&random) - 35.0;
        const double duration = 0.1 + test_random(&random), t = duration * test_random(&random);
        // Along y; velocity across it has no effect.
        const md5_xform from = {.rotation = none, .translation = {0.0f, (float)x0, 0.0f}};
        const md5_xform to = {.rotation = none};
        const md5_velocity of_from = {.linear = {5.0f, (float)(v0 + 3.0), 0.0f}};
        const md5_velocity of_to = {.linear = {0.0f, 3.0f, -7.0f}};
        md5_offset offset;
        md5i_make_offsets(&from, &of_from, &to, &of_to, 1, &offset);
        md5_xform pose = to;
        md5i_add_offsets(&offset, (float)t, (float)duration, 1, &pose);
        if (!CHECK_NEAR((double)pose.translation.y, bollo(x0, v0, duration, t), 2e-5)
            || !CHECK(pose.translation.x == 0.0f && pose.translation.z == 0.0f))
            return;
    }
}

TEST (a_transition_without_duration_leaves_nothing) {
    const md5_xform from = {.rotation = {1.0f, 0.0f, 0.0f, 0.0f}};
    const md5_xform to = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
    md5_offset offset;
    md5i_make_offsets(&from, &STILL, &to, &STILL, 1, &offset);
    md5_xform pose = to;
    md5i_add_offsets(&offset, 0.0f, 0.0f, 1, &pose);
    CHECK(pose.rotation.w == 1.0f);
}

// Both joints turn and move at steady speeds. The speed of approach does not jump at the start, and
// then changes only as the quintic does.
TEST (velocity_towards_the_target_continues_without_a_jump) {
    const double step = 0.0005;
    uint64_t random = 4;
    for (int i = 0; i < 200; i++) {
        const double angle = 0.2 + 2.8 * test_random(&random);
        const double approach = 4.0 * test_random(&random); // radians and units a second
        const md5_xform to = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
        const md5_xform from = {
            .rotation = {.z = (float)sin(0.5 * angle), .w = (float)cos(0.5 * angle)},
            .translation = {0.0f, (float)angle, 0.0f},
        };
        const md5_velocity of_from = {.linear = {1.0f, -1.0f, 0.0f}, .angular = {3.0f, 0.0f, 1.0f}};
        const md5_velocity of_to = {.linear = {0.0f, (float)(approach - 1.0), 0.0f},
                                    .angular = {0.0f, 0.0f, (float)(approach + 1.0)}};
        md5_offset offset;
        md5i_make_offsets(&from, &of_from, &to, &of_to, 1, &offset);
        double left[2] = {angle, angle}, speed[2] = {approach, approach}, most_jump = 0.0;
        for (int k = 1; k <= 1000; k++) {
            md5_xform pose = to;
            md5i_add_offsets(&offset, (float)(k * step), 0.5f, 1, &pose);
            const double now[2] = {play_angle_between(pose.rotation, to.rotation),
                                   play_distance_between(pose.translation, to.translation)};
            for (int part = 0; part < 2; part++) {
                const double speed_now = (left[part] - now[part]) / step;
                most_jump = fmax(most_jump, fabs(speed_now - speed[part]));
                left[part] = now[part];
                speed[part] = speed_now;
            }
        }
        // The acceleration is below 6 angle / duration^2 + 20 approach / duration.
        if (!CHECK(most_jump < step * (60.0 * angle + 60.0 * approach) + 0.01))
            return;
    }
}

// A velocity past half a turn leads away from the target, the long way round.
TEST (velocity_beyond_half_a_turn_is_dropped) {
    const double degree = 3.14159265358979324 / 180.0;
    const md5_xform to = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
    for (int side = -1; side <= 1; side += 2) {
        const double half = 0.5 * 179.9 * degree;
        const md5_xform from = {.rotation = {.x = (float)sin(half), .w = (float)cos(half)}};
        const md5_velocity velocity = {.angular = {(float)(side * 3.0), 0.0f, 0.0f}};
        md5_offset offset;
        md5i_make_offsets(&from, &velocity, &to, &STILL, 1, &offset);
        CHECK((offset.turn_rate == 0.0f) == (side > 0));
        // tan(angle / 4) is 1 here, and its derivative 1/2 per radian.
        CHECK_NEAR((double)offset.turn_rate, side > 0 ? 0.0 : -1.5, 0.01);
    }
}

// Offsets of any size give finite results.
TEST (offsets_next_to_nothing_and_beyond_reason_are_sound) {
    static const float sizes[] = {0.0f, 1e-30f, 1e-18f, 1e-9f, 1.0f, 1e15f, 1e18f};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            const md5_xform to = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
            md5_xform from = to;
            from.translation.z = sizes[i];
            const md5_velocity velocity = {.linear = {0.0f, sizes[k], -sizes[k]},
                                           .angular = {sizes[k], 0.0f, 0.0f}};
            md5_offset offset;
            md5i_make_offsets(&from, &velocity, &to, &STILL, 1, &offset);
            for (int step = -1; step <= 4; step++) {
                md5_xform pose = to;
                md5i_add_offsets(&offset, 0.1f * (float)step, 0.3f, 1, &pose);
                CHECK(isfinite(pose.translation.z) && isfinite(pose.rotation.w));
                CHECK(step < 0 || pose.translation.z <= sizes[i]);
                CHECK(step < 0 || pose.translation.z >= 0.0f);
            }
        }
    }
}
