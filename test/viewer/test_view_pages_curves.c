// The facts that the pages of curves, rotations and inverse kinematics show.
#include "test/viewer/test_view_page_case.h"

#include <math.h>

static double length_of(md5_vec3 a)
{
    return sqrt((double)a.x * (double)a.x + (double)a.y * (double)a.y + (double)a.z * (double)a.z);
}

TEST (page_curves_go_through_the_point_or_near_it) {
    // Both kinds of Catmull-Rom, cubic Bézier pieces (point 3 is an end of two), one Bézier,
    // B-spline.
    static const bool through[] = {true, true, true, false, false};
    page_case of;
    if (page_open(&of, "curves")) {
        for (int kind = 0; kind < 5; kind++) {
            page_set(&of, "curve", (float)kind);
            page_show(&of, 1.0);
            const double distance = page_fact(&of, "to the moved point");
            CHECK(through[kind] ? distance < 0.6 : distance > 1.0);
            CHECK(page_fact(&of, "length") > 100.0); // of B-splines: not from end to end
        }
    }
    page_close(&of);
}

TEST (page_curves_have_constant_speed_by_distance) {
    page_case of;
    if (page_open(&of, "curves")) {
        page_show(&of, 1.0);
        const double length = page_fact(&of, "length");
        CHECK_NEAR(page_fact(&of, "distance gone"), length / 5.0, 1e-2); // 1 s of 5 s
        const view_series *const even = page_series(&of, 0, "by distance"), *const uneven =
                                                                                page_series(&of, 0,
                                                                                            "by t");
        double largest = 0.0;
        for (uint32_t i = 0; i + 1 < even->count; i++) {
            CHECK_NEAR(even->points[i].y, length, 0.02 * length);
            largest = fmax(largest, fabs((double)uneven->points[i].y - length));
        }
        CHECK(largest > 0.2 * length);
    }
    page_close(&of);
}

TEST (page_curves_weigh_a_point_of_a_nurbs) {
    page_case of;
    if (page_open(&of, "curves")) {
        page_set(&of, "curve", 5.0f);
        double before = 1e9;
        for (int i = 0; i < 4; i++) {
            page_set(&of, "weight (NURBS)", (float)(1 << i));
            page_show(&of, 1.0);
            const double distance = page_fact(&of, "to the moved point");
            CHECK(distance < before); // the heavier, the nearer
            before = distance;
        }
    }
    page_close(&of);
}

TEST (page_squad_has_no_jumps_of_speed) {
    page_case of;
    if (page_open(&of, "squad")) {
        for (int i = 1; i <= 4; i++) {
            page_set(&of, "spread, radians", 0.3f * (float)i);
            page_show(&of, 0.4);
            // The curve is sampled 128 times; from one sample to the next the speed of the smooth
            // one changes little.
            CHECK(page_fact(&of, "largest jump, squad")
                  < 0.5 * page_fact(&of, "largest jump, slerp"));
        }
        page_show(&of, 2.0); // at a key both agree
        const md5_quat a = of.picture.figures[0].place.rotation,
                       b = of.picture.figures[1].place.rotation;
        CHECK_NEAR(fabs((double)(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w)), 1.0, 1e-5);
    }
    page_close(&of);
}

TEST (page_euler_loses_a_direction_at_ninety_degrees) {
    page_case of;
    if (page_open(&of, "euler")) {
        page_set(&of, "t (below 0: moves)", 1.0f);
        for (int pitch = -90; pitch <= 90; pitch += 30) {
            page_set(&of, "pitch", (float)pitch);
            page_show(&of, 0.0);
            CHECK_NEAR(page_fact(&of, "1 = three free axes"), cos(pitch * 3.14159265358979 / 180.0),
                       1e-5);
            CHECK_NEAR(page_fact(&of, "between the two"), 0.0, 0.05); // at the end both agree
        }
        CHECK_NEAR(page_fact(&of, "roll, there and back"), 0.0, 1e-3); // indistinguishable from yaw
        page_set(&of, "pitch", 80.0f);
        page_set(&of, "t (below 0: moves)", 0.5f);
        page_show(&of, 0.0);
        CHECK(page_fact(&of, "between the two") > 10.0); // in between they do not
        CHECK_NEAR(page_fact(&of, "pitch, there and back"), 40.0, 1e-2);
    }
    page_close(&of);
}

static double miss_of(const page_case *of, const char *tip, md5_vec3 target)
{
    const view_figure *const figure = &of->picture.figures[0];
    const md5_vec3 at = view_joint_place(&of->picture, figure, view_page_joint(&of->picture, tip));
    return length_of(md5_vec3_sub(at, target));
}

TEST (page_ik_reports_the_distance_of_the_hand) {
    page_case of;
    if (page_open(&of, "ik")) {
        const md5_vec3 target = {8.0f, 16.0f, 26.0f};
        page_set(&of, "target, forward", target.x);
        page_set(&of, "target, left", target.y);
        page_set(&of, "target, up", target.z);
        page_set(&of, "joints", 4.0f);
        for (int solver = 0; solver < 4; solver++) {
            page_set(&of, "solver", (float)solver);
            page_show(&of, 0.0);
            const double miss = miss_of(&of, "hand_l", target);
            CHECK_NEAR(page_fact(&of, "distance"), miss, 1e-3);
            CHECK(miss < (solver == 1 ? 1.0 : 0.05)); // CCD converges slowly
            // No solver's distance increases over the iterations.
            const view_series *const series = &of.picture.plots[0].series[solver];
            CHECK(series->points[24].y <= series->points[0].y);
        }
        CHECK(page_fact(&of, "DLS to 0.01 units") < page_fact(&of, "FABRIK to 0.01 units"));
    }
    page_close(&of);
}

TEST (page_ik_points_at_what_is_out_of_reach) {
    page_case of;
    if (page_open(&of, "ik")) {
        page_set(&of, "target, forward", 28.0f);
        page_set(&of, "target, left", 34.0f);
        page_set(&of, "target, up", 54.0f);
        page_set(&of, "joints", 3.0f);
        page_set(&of, "solver", 0.0f);
        page_show(&of, 0.0);
        const view_figure *const figure = &of.picture.figures[0];
        const md5_vec3 shoulder = view_joint_place(&of.picture, figure,
                                                   view_page_joint(&of.picture, "upperarm_l")),
                       hand = view_joint_place(&of.picture, figure,
                                               view_page_joint(&of.picture, "hand_l"));
        const double whole = length_of(md5_vec3_sub((md5_vec3){28.0f, 34.0f, 54.0f}, shoulder));
        CHECK_NEAR(page_fact(&of, "distance"), whole - length_of(md5_vec3_sub(hand, shoulder)),
                   1e-2);
    }
    page_close(&of);
}

TEST (page_limits_are_kept_wherever_the_target_is) {
    page_case of;
    if (page_open(&of, "limits")) {
        page_set(&of, "elbow from, rad", -0.2f);
        page_set(&of, "elbow to, rad", 1.2f);
        page_set(&of, "shoulder, rad", 0.7f);
        for (int solver = 0; solver < 3; solver++)
            for (int i = 0; i < 12; i++) {
                page_set(&of, "solver", (float)solver);
                page_set(&of, "target, forward", -24.0f + 4.0f * (float)i);
                page_set(&of, "target, up", 6.0f + 4.0f * (float)i);
                page_show(&of, 0.0);
                const double elbow = page_fact(&of, "elbow, limited");
                CHECK(elbow > -0.2 - 1e-3 && elbow < 1.2 + 1e-3);
                CHECK_NEAR(page_fact(&of, "elbow sideways, limited"), 0.0, 1e-3);
                CHECK(page_fact(&of, "shoulder, limited") < 0.7 + 1e-3);
            }
        CHECK(page_fact(&of, "elbow sideways, free") > 0.01); // without limits it is no hinge
    }
    page_close(&of);
}

TEST (page_goals_give_way_by_weight) {
    page_case of;
    if (page_open(&of, "goals")) {
        page_set(&of, "apart, units", 20.0f);
        page_show(&of, 0.0);
        CHECK(page_fact(&of, "left hand, weight 1") < 0.01); // both can arrive
        CHECK(page_fact(&of, "right hand") < 0.01);
        page_set(&of, "apart, units", 76.0f);
        page_set(&of, "weight of the right", 8.0f);
        page_show(&of, 0.0);
        CHECK(page_fact(&of, "right hand") < page_fact(&of, "left hand, weight 1"));
        page_set(&of, "weight of the right", 0.1f);
        page_show(&of, 0.0);
        CHECK(page_fact(&of, "right hand") > page_fact(&of, "left hand, weight 1"));
    }
    page_close(&of);
}
