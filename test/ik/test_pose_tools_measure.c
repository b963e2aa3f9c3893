// Velocities of joints: against even turns.
#include "md5/play/run/inertia.h"
#include "test/ik/test_ik_case.h"

#include <math.h>

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
        md5i_pose_velocity(&before, &now, 1, 0.25f, &velocity);
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
        md5i_pose_velocity(&a, &b, 1, none[i], &velocity);
        CHECK(velocity.linear.x == 0.0f && velocity.angular.x == 0.0f);
        md5i_pose_velocity(&a, &a, 1, 1.0f, &velocity);
        CHECK(velocity.linear.x == 0.0f && velocity.angular.z == 0.0f);
    }
}
