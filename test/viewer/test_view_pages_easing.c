// The facts that the pages of easing and interpolation show.
#include "test/viewer/test_view_page_case.h"

#include <math.h>
#include <string.h>

TEST_PAGE (page_easing_moves_the_character_by_the_published_formula, "easing") {
    page_set(of, "easing", (float)(int)MD5_EASE_BACK_OUT);
    page_set(of, "seconds", 2.0f);
    for (int i = 0; i <= 20; i++) {
        const double t = i / 20.0, c1 = 1.70158;
        const double eased = 1.0 + (c1 + 1.0) * pow(t - 1.0, 3) + c1 * pow(t - 1.0, 2);
        page_show(of, 2.0 * t);
        CHECK_NEAR(page_fact(of, "part of the time"), t, 1e-6);
        CHECK_NEAR(page_fact(of, "eased value"), eased, 1e-5);
        CHECK_NEAR(of->picture.figures[0].place.translation.y, -30.0 + 60.0 * eased, 1e-3);
        CHECK_NEAR(of->picture.plots[0].marks[0].point.y, eased, 1e-5);
        const double slope = 3.0 * (c1 + 1.0) * pow(t - 1.0, 2) + 2.0 * c1 * (t - 1.0);
        if (i > 0 && i < 20)
            CHECK_NEAR(page_fact(of, "speed, linear = 1"), slope, 1e-3);
    }
    page_show(of, 2.3); // he stands
    CHECK_NEAR(page_fact(of, "speed, linear = 1"), 0.0, 0.0);
}

TEST_PAGE (page_timing_is_that_of_style_sheets, "timing") {
    // `ease` of CSS at half of the time, solved with libc: x(s) = 1/2 at s = 0.7004.
    page_set(of, "x1", 0.25f);
    page_set(of, "y1", 0.1f);
    page_set(of, "x2", 0.25f);
    page_set(of, "y2", 1.0f);
    page_show(of, 1.0);
    CHECK_NEAR(page_fact(of, "eased value"), 0.8024034, 1e-5);
    page_set(of, "kind", 1.0f);
    page_set(of, "steps", 4.0f);
    page_show(of, 0.6);
    CHECK_NEAR(page_fact(of, "eased value"), 0.25, 1e-6);
}

// A spring of damping ratio z overshoots a jump by exp(-pi z / sqrt(1 - z^2)) of it.
TEST_PAGE (page_follow_overshoots_as_springs_do, "follow") {
    static const float ratios[] = {0.1f, 0.35f, 0.7f};
    page_set(of, "manner", 1.0f);
    page_set(of, "speed, 1/s", 9.0f);
    for (int i = 0; i < 3; i++) {
        const double z = (double)ratios[i];
        page_set(of, "damping", ratios[i]);
        page_show(of, 0.0);
        const double jump = 2.0 * exp(-3.14159265358979 * z / sqrt(1.0 - z * z));
        CHECK_NEAR(page_fact(of, "overshoot"), jump, 5e-4);
    }
    // What is shown is what runs: no factor is hidden.
    CHECK(strstr(view_page_lines("follow"), "2.0f * f->damping * f->speed") != NULL);
    page_set(of, "damping", 1.0f);
    page_show(of, 0.0);
    CHECK_NEAR(page_fact(of, "overshoot"), 0.0, 1e-6);
}

TEST_PAGE (page_follow_approaches_exponentially_or_in_time, "follow") {
    page_set(of, "manner", 0.0f);
    page_set(of, "speed, 1/s", 4.0f);
    page_show(of, 0.0);
    const view_series *series = page_series(of, 0, "value");
    for (int i = 0; i < 8; i++) {
        CHECK_NEAR(page_series_at(series, 0.15 * i), 1.0 - 2.0 * exp(-4.0 * 0.15 * i), 2e-3);
        page_show(of, 0.15 * i + 1e-9);
        CHECK_NEAR(page_fact(of, "value"), 1.0 - 2.0 * exp(-4.0 * 0.15 * i), 1e-5);
    }
    page_set(of, "manner", 2.0f);
    page_set(of, "seconds", 0.5f);
    page_show(of, 0.125 + 1e-9); // a quarter of the time: 4 / 64 of the way
    CHECK_NEAR(page_fact(of, "value"), -1.0 + 2.0 / 16.0, 1e-5);
    page_show(of, 0.6);
    CHECK_NEAR(page_fact(of, "value"), page_fact(of, "target"), 1e-6);
}

TEST_PAGE (page_interpolation_shows_what_each_way_does, "interpolation") {
    page_set(of, "speed", 0.1f);
    double largest = 0.0;
    for (int i = 0; i < 12; i++) {
        const double time = 0.31 + 0.13 * i;
        page_set(of, "interpolation", 1.0f);
        page_show(of, time);
        CHECK_NEAR(page_fact(of, "to slerp"), 0.0, 1e-3);
        page_set(of, "interpolation", 2.0f);
        page_show(of, time);
        CHECK_NEAR(page_fact(of, "to slerp"), page_fact(of, "nlerp to slerp"), 1e-3);
        largest = fmax(largest, page_fact(of, "to slerp"));
    }
    CHECK(largest > 1e-3 && largest < 1.0); // visible, but small
    // Between frames, step interpolation keeps the last frame; all interpolations agree at
    // frames.
    page_set(of, "interpolation", 0.0f);
    page_set(of, "speed", 1.0f);
    page_show(of, 0.5 / 30.0);
    CHECK(page_fact(of, "to slerp") > 1.0);
    page_set(of, "interpolation", 3.0f);
    page_show(of, 8.0 / 30.0);
    CHECK_NEAR(page_fact(of, "to slerp"), 0.0, 1e-2);
    CHECK_NEAR(page_fact(of, "frames a second"),
               view_page_clip(&of->picture, "attack")->anim->frame_rate, 0.0);
    CHECK(strstr(of->page->about, "30") == NULL); // clips may have any rate, many have 60
}

// What lies on each other in the plot of heights is seen in that of distances: in powers of ten.
TEST_PAGE (page_interpolation_tells_the_curves_apart, "interpolation") {
    page_show(of, of->page->start);
    const view_series *const nlerp = page_series(of, 1, "nlerp"), *const cubic =
                                                                      page_series(of, 1, "cubic");
    float most[2] = {-9.0f, -9.0f};
    for (uint32_t i = 0; i < nlerp->count; i++) {
        most[0] = fmaxf(most[0], nlerp->points[i].y);
        most[1] = fmaxf(most[1], cubic->points[i].y);
        if (i % 32 == 0) // at frames
            CHECK(nlerp->points[i].y < -3.0f && cubic->points[i].y < -3.0f);
    }
    // Of the right hand: 0.0037 and 0.54 units.
    CHECK(most[0] > -3.0f && most[0] < -2.0f && most[1] > -1.0f);
}

TEST_PAGE (page_slerp_shows_the_largest_error_of_the_sum, "slerp") {
    static const float angles[] = {30.0f, 90.0f, 150.0f};
    for (int i = 0; i < 3; i++) {
        page_set(of, "angle, degrees", angles[i]);
        page_show(of, 1.0);
        const view_series *const series = page_series(of, 1, "nlerp to slerp");
        // The angle of the normalized sum of two quaternions, in the plane that they span.
        const double half = (double)angles[i] * 3.14159265358979 / 360.0;
        double largest = 0.0;
        for (uint32_t p = 0; p < series->count; p++) {
            const double t = (double)series->points[p].x;
            const double sum = atan2(t * sin(half), 1.0 - t + t * cos(half));
            const double error = fabs(sum - t * half) * 360.0 / 3.14159265358979;
            CHECK_NEAR(series->points[p].y, error, 2e-3);
            largest = fmax(largest, error);
        }
        CHECK_NEAR(page_fact(of, "largest difference"), largest, 2e-3 * largest + 1e-4);
    }
}
