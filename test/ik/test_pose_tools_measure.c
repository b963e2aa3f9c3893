// How far poses are apart, and velocities: against atan2 and double precision.
#include "test/ik/test_ik_case.h"

#include <math.h>
#include <string.h>

TEST (pose_tools_distance_is_the_mean_of_its_parts) {
    uint64_t random = 1;
    for (int round = 0; round < 500; round++) {
        ik_rig a, b;
        const uint32_t count = 1 + test_random_u32(&random) % 12;
        ik_make_rig(&a, count, 5.0, &random);
        b = a;
        b.skeleton = a.skeleton;
        float weights[IK_JOINTS];
        double sum = 0.0, whole = 0.0;
        for (uint32_t i = 0; i < count; i++) {
            const double part = pow(10.0, ik_between(-6.0, 0.0, &random));
            const md5_quat turn = made_any_rotation(&random);
            b.pose[i].rotation = md5_quat_slerp(a.pose[i].rotation, turn, (float)part);
            b.pose[i].translation.x += (float)ik_between(-part, part, &random);
            if (round % 4 == 0) // the same rotation
                b.pose[i].rotation = (md5_quat){-b.pose[i].rotation.x, -b.pose[i].rotation.y,
                                                -b.pose[i].rotation.z, -b.pose[i].rotation.w};
            weights[i] = round % 2 ? 1.0f : (float)test_random(&random);
        }
        for (uint32_t i = 0; i < count; i++) {
            const real_place from = ik_place(&a.skeleton, a.pose, i);
            const real_place to = ik_place(&a.skeleton, b.pose, i);
            const double angle =
                real4_angle(real4_of(a.pose[i].rotation), real4_of(b.pose[i].rotation));
            sum += (double)weights[i] * (real3_length(real3_sub(to.at, from.at)) + 3.0 * angle);
            whole += (double)weights[i];
        }
        md5_xform scratch[2 * IK_JOINTS];
        const float found = md5_pose_distance(&a.skeleton, a.pose, b.pose,
                                              round % 2 ? NULL : weights, 3.0f, scratch);
        CHECK_NEAR(found, sum / whole, 2e-5 + 1e-5 * sum / whole);
        CHECK(md5_pose_distance(&a.skeleton, a.pose, a.pose, NULL, 3.0f, scratch) == 0.0f);
    }
    ik_rig rig;
    ik_make_rig(&rig, 2, 5.0, &random);
    const float none[2] = {0.0f, 0.0f};
    md5_xform scratch[4];
    const md5_xform no_turns[2] = {{{0, 0, 0, 0}, {0, 0, 0}, 0}, {{0, 0, 0, 0}, {0, 0, 0}, 0}};
    CHECK(md5_pose_distance(&rig.skeleton, no_turns, no_turns, NULL, 1.0f, scratch) == 0.0f);
    CHECK(md5_pose_distance(&rig.skeleton, rig.pose, rig.pose, none, 1.0f, scratch) == 0.0f);
}

TEST (pose_tools_velocity_is_that_of_an_even_turn) {
    uint64_t random = 2;
    for (int round = 0; round < 20000; round++) {
        const md5_xform before = {made_any_rotation(&random), ik_random_point(9.0, &random), 0};
        // A turn about an axis of the parent's space by up to half a turn.
        const real3 axis = real4_rotate(real4_of(made_any_rotation(&random)), (real3){1, 0, 0});
        const double angle =
            round % 3 ? ik_between(0.0, 3.14, &random) : pow(10.0, ik_between(-5.0, 0.0, &random));
        const double s = sin(angle / 2.0), c = cos(angle / 2.0);
        const real4 turned =
            real4_mul((real4){axis.x * s, axis.y * s, axis.z * s, c}, real4_of(before.rotation));
        const double sign = round % 2 ? 1.0 : -1.0;
        const md5_xform now = {
            {(float)(sign * turned.x), (float)(sign * turned.y), (float)(sign * turned.z),
             (float)(sign * turned.w)},
            {before.translation.x + 1.0f, before.translation.y, before.translation.z - 0.5f},
            0};
        md5_velocity velocity;
        md5_pose_velocity(&before, &now, 1, 0.25f, &velocity);
        CHECK_NEAR(velocity.angular.x, axis.x * angle * 4.0, 1e-5);
        CHECK_NEAR(velocity.angular.y, axis.y * angle * 4.0, 1e-5);
        CHECK_NEAR(velocity.angular.z, axis.z * angle * 4.0, 1e-5);
        CHECK_NEAR(velocity.linear.x, 4.0, 1e-5);
        CHECK_NEAR(velocity.linear.z, -2.0, 1e-5);
    }
}

TEST (pose_tools_velocity_of_no_time_is_none) {
    uint64_t random = 3;
    const md5_xform a = {made_any_rotation(&random), {1, 2, 3}, 0};
    const md5_xform b = {made_any_rotation(&random), {4, 5, 6}, 0};
    static const float none[] = {0.0f, -1.0f, NAN};
    for (int i = 0; i < 3; i++) {
        md5_velocity velocity;
        md5_pose_velocity(&a, &b, 1, none[i], &velocity);
        CHECK(velocity.linear.x == 0.0f && velocity.angular.x == 0.0f);
        md5_pose_velocity(&a, &a, 1, 1.0f, &velocity);
        CHECK(velocity.linear.x == 0.0f && velocity.angular.z == 0.0f);
    }
}
