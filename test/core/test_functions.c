// Tests of the numerical functions in md5/motion/functions.h, which replace functions of libm. They
// are compared with libc and with closed forms. Public functions use them only in float precision
// and in a part of their range, so that they cannot show errors that are larger than the limits in
// functions.h.
#include "test/real.h"

#include "md5/motion/functions.h"

static const double pi = 3.14159265358979324;

// -- Elementary functions -------------------------------------------------------------------------

TEST (elementary_functions_equal_libc) {
    for (int i = 0; i < 4001; i++) {
        const double x = i / 4000.0;
        const double quarter = 0.5 * pi * (2 * x - 1);
        const double turns = 32 * (x - 0.5);
        const double angle = pi * x;
        if (!CHECK_NEAR(md5i_sine(quarter), sin(quarter), 1e-13)
            || !CHECK_NEAR(md5i_sine_of_turns(turns), sin(2 * pi * turns), 2e-13))
            return;
        if (!CHECK_NEAR(md5i_atan2(3 * sin(angle), 3 * cos(angle)), angle, 1e-14)
            || !CHECK_NEAR(md5i_power_of_two(10 * x) / exp2(10 * x), 1, 1e-9))
            return;
    }
    CHECK(md5i_atan2(0, 1) == 0 && md5i_atan2(0, 0) == 0);
    CHECK_NEAR(md5i_atan2(0, -1), pi, 1e-15);
    CHECK_NEAR(md5i_atan2(1e-300, 1), 1e-300, 1e-310);
}

TEST (decay_is_exp) {
    for (int i = 0; i < 1400; i++) {
        const double x = i < 700 ? i : pow(10, (i - 1400) * 0.01);
        CHECK_NEAR(md5i_decay(x), exp(-x), 1e-13);
        CHECK_SMALL(md5i_decay(x) / exp(-x) - 1, 1e-10);
    }
    CHECK(md5i_decay(0) == 1);
    CHECK(md5i_decay(INFINITY) == md5i_decay(800) && md5i_decay(1e300) < 1e-300);
}

// -- Damped springs -------------------------------------------------------------------------------

TEST (spring_step_equals_the_closed_form) {
    uint64_t random = 1;
    for (int round = 0; round < 20000; round++) {
        const double k = pow(10, test_between(-1, 4, &random));
        const double critical = 2 * sqrt(k);
        const double kinds[] = {0, 0.1 * critical, critical, 1.5 * critical, 30 * critical};
        const double c = kinds[round % 5];
        const double t = pow(10, test_between(-4, 1.5, &random));
        const real_swing exact = real_spring_step(k, c, t);
        const md5_swing found = md5i_swing_for(k, c, t);
        CHECK_NEAR(found.keep, exact.keep, 1e-8);
        CHECK_SMALL(fabs(found.drift - exact.drift) * sqrt(k), 1e-8);
    }
}

// -- Areas below easings --------------------------------------------------------------------------

// Compares the area below each easing with the sum of many thin strips. No strip contains an edge
// of a staircase of 2, 5 or 8 steps.
TEST (easing_areas_are_integrals) {
    enum { STRIPS = 40000, CURVES = 6, ALL = MD5_EASE_CUBIC_BEZIER + CURVES };
    static const md5_easing curves[CURVES] = {
        {.kind = MD5_EASE_CUBIC_BEZIER, .x1 = 0.25f, .y1 = 0.1f, .x2 = 0.25f, .y2 = 1},
        {.kind = MD5_EASE_CUBIC_BEZIER, .x1 = 0.9f, .y1 = -2, .x2 = 0.1f, .y2 = 3},
        {.kind = MD5_EASE_STEPS, .steps = 5},
        {.kind = MD5_EASE_STEPS, .steps = 8, .jump = MD5_JUMP_START},
        {.kind = MD5_EASE_STEPS, .steps = 2, .jump = MD5_JUMP_NONE},
        {.kind = MD5_EASE_STEPS, .steps = 5, .jump = MD5_JUMP_BOTH},
    };
    for (int i = 0; i < ALL; i++) {
        const md5_easing named = {.kind = (md5_ease_kind)i};
        const md5_easing *const curve =
            i < MD5_EASE_CUBIC_BEZIER ? &named : &curves[i - MD5_EASE_CUBIC_BEZIER];
        double sum = 0;
        for (int strip = 0; strip < STRIPS; strip++) {
            if (strip % 777 == 0)
                CHECK_NEAR(md5i_eased_area(curve, 0, (double)strip / (double)STRIPS), sum, 1e-7);
            sum += (double)md5_ease(*curve, ((float)strip + 0.5f) / (float)STRIPS) / (double)STRIPS;
        }
        CHECK_NEAR(md5i_eased_area(curve, 0, 1), sum, 1e-7);
        CHECK_NEAR(md5i_eased_area(curve, 0, 0.37) + md5i_eased_area(curve, 0.37, 1), sum, 1e-7);
    }
}
