// Inertial offsets: whole at first, gone at the end, smooth between, with the velocity there was.
#include "test/test.h"

#include "md5/core/math.h"
#include "md5/play/run/inertia.h"

static md5_quat random_quat(uint64_t *random)
{
    md5_quat q;
    float square;
    do {
        q.x = (float)(test_random(random) * 2.0 - 1.0);
        q.y = (float)(test_random(random) * 2.0 - 1.0);
        q.z = (float)(test_random(random) * 2.0 - 1.0);
        q.w = (float)(test_random(random) * 2.0 - 1.0);
        square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    } while (square < 0.01f || square > 1.0f);
    const float scale = 1.0f / sqrtf(square);
    return (md5_quat){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

static double angle_between(md5_quat a, md5_quat b)
{
    const md5_quat turn = md5_quat_mul(a, md5_quat_conjugate(b));
    const double sine = sqrt((double)(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z));
    return 2.0 * atan2(sine, fabs((double)turn.w));
}

static md5_transform random_transform(uint64_t *random)
{
    return (md5_transform){
        .rotation = random_quat(random),
        .translation = {(float)test_random(random), (float)test_random(random),
                        (float)test_random(random)},
    };
}

TEST (an_offset_is_whole_at_first_and_gone_at_the_end) {
    uint64_t random = 1;
    for (int i = 0; i < 20000; i++) {
        const md5_transform from = random_transform(&random), to = random_transform(&random);
        md5_offset offset;
        md5_make_offsets(&from, &from, &to, &to, 0.0f, 1, &offset);
        md5_transform pose = to;
        md5_add_offsets(&offset, 0.0f, 0.3f, 1, &pose);
        bool held = CHECK_NEAR(angle_between(pose.rotation, from.rotation), 0.0, 2e-6);
        const md5_vec3 off = md5_vec3_sub(pose.translation, from.translation);
        held &= CHECK_NEAR((double)md5_vec3_dot(off, off), 0.0, 1e-12);
        pose = to;
        md5_add_offsets(&offset, 0.3f, 0.3f, 1, &pose);
        held &= CHECK(pose.rotation.x == to.rotation.x && pose.translation.x == to.translation.x);
        if (!held)
            return;
    }
}

TEST (a_transition_without_duration_leaves_nothing) {
    const md5_transform from = {.rotation = {1.0f, 0.0f, 0.0f, 0.0f}};
    const md5_transform to = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
    md5_offset offset;
    md5_make_offsets(&from, &from, &to, &to, 0.1f, 1, &offset);
    md5_transform pose = to;
    md5_add_offsets(&offset, 0.0f, 0.0f, 1, &pose);
    CHECK(pose.rotation.w == 1.0f);
}

// From a joint that turns and moves at a steady speed to one at rest.
static md5_transform moving(double time, double speed)
{
    return (md5_transform){
        .rotation = {.x = (float)sin(0.5 * speed * time), .w = (float)cos(0.5 * speed * time)},
        .translation = {.y = (float)(10.0 * time)},
    };
}

TEST (velocity_goes_on_and_dies_away_without_a_jump) {
    const double step = 0.001, speed = 2.0;
    const md5_transform rest = {.rotation = {.z = 0.5f, .w = 0.8660254f}};
    const md5_transform now = moving(0.0, speed), before = moving(-step, speed);
    md5_offset offset;
    md5_make_offsets(&now, &before, &rest, &rest, (float)step, 1, &offset);
    md5_transform last = now;
    double last_speed = speed, most_jump = 0.0;
    for (int i = 1; i <= 500; i++) {
        md5_transform pose = rest;
        md5_add_offsets(&offset, (float)(i * step), 0.5f, 1, &pose);
        const double turned = angle_between(pose.rotation, last.rotation) / step;
        const double moved = (double)(pose.translation.y - last.translation.y) / step;
        most_jump = fmax(most_jump, fabs(turned - last_speed));
        if (i == 1) {
            CHECK_NEAR(turned, speed, 0.2);
            CHECK_NEAR(moved, 10.0, 0.2);
        }
        last = pose;
        last_speed = turned;
    }
    CHECK(most_jump < 0.2);
    CHECK_NEAR(last_speed, 0.0, 0.05);
}

TEST (turning_over_half_a_turn_keeps_its_direction) {
    // The offset is 179 degrees, and was 183 just before: as a turn the short way, 177 backward.
    const double degree = 3.14159265358979324 / 180.0;
    const md5_transform rest = {.rotation = {.w = 1.0f}};
    const md5_transform now = moving(179.0 * degree, 1.0), before = moving(183.0 * degree, 1.0);
    md5_offset offset;
    md5_make_offsets(&now, &before, &rest, &rest, 0.1f, 1, &offset);
    // tan(angle / 4) changes by half a radian for each radian there.
    CHECK_NEAR((double)offset.turn_velocity.x, -40.0 * degree / 2.0, 0.01);
}

TEST (a_step_of_next_to_no_time_has_no_velocity) {
    const md5_transform from = {.rotation = {1.0f, 0.0f, 0.0f, 0.0f}};
    const md5_transform to = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
    md5_offset offset;
    md5_make_offsets(&from, &to, &to, &to, 1e-30f, 1, &offset);
    CHECK(offset.turn_velocity.x == 0.0f && offset.move_velocity.x == 0.0f);
}
