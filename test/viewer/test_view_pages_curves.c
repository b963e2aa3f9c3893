// The facts that the pages of curves, rotations and inverse kinematics show.
#include "test/own.h"
#include "test/real.h"
#include "test/viewer/test_view_case.h"

TEST_PAGE (page_curves_go_through_the_point_or_near_it, "curves") {
    // Both kinds of Catmull-Rom, cubic Bézier pieces (point 3 is an end of two), one Bézier,
    // B-spline.
    static const bool through[] = {true, true, true, false, false};
    for (int kind = 0; kind < 5; kind++) {
        page_set(of, "curve", (float)kind);
        page_show(of, 1.0);
        const double distance = page_fact(of, "to the moved point");
        CHECK(through[kind] ? distance < 0.6 : distance > 1.0);
        CHECK(page_fact(of, "length") > 100.0); // of B-splines: not from end to end
    }
}

TEST_PAGE (page_curves_have_constant_speed_by_distance, "curves") {
    page_show(of, 1.0);
    const double length = page_fact(of, "length");
    CHECK_NEAR(page_fact(of, "distance gone"), length / 5.0, 1e-2); // 1 s of 5 s
    const view_series *const even = page_series(of, 0, "by distance"), *const uneven = page_series(
                                                                           of, 0, "by t");
    double largest = 0.0;
    for (uint32_t i = 0; i + 1 < even->count; i++) {
        CHECK_NEAR(even->points[i].y, length, 0.02 * length);
        largest = fmax(largest, fabs(uneven->points[i].y - length));
    }
    CHECK(largest > 0.2 * length);
}

TEST_PAGE (page_curves_weigh_a_point_of_a_nurbs, "curves") {
    page_set(of, "curve", 5.0f);
    double before = 1e9;
    for (int i = 0; i < 4; i++) {
        page_set(of, "weight (NURBS)", (float)(1 << i));
        page_show(of, 1.0);
        const double distance = page_fact(of, "to the moved point");
        CHECK(distance < before); // the heavier, the nearer
        before = distance;
    }
}

// The nearest of many points of the curve and of the lines between them, in double precision.
static double nearest_to(const md5_curve *curve, md5_vec3 point)
{
    enum { COUNT = 200000 };
    double nearest = INFINITY;
    for (int i = 0; i <= COUNT; i++)
        nearest = fmin(nearest, real_distance(md5_curve_point(curve, i / (double)COUNT), point));
    return nearest;
}

TEST_PAGE (page_curves_shows_how_near_the_curve_comes, "curves") {
    static const md5_vec3 points[7] = {
        {0.0f, -60.0f, 12.0f}, {18.0f, -42.0f, 50.0f}, {6.0f, -36.0f, 52.0f}, {-10.0f, 0.0f, 62.0f},
        {14.0f, 30.0f, 8.0f},  {24.0f, 44.0f, 30.0f},  {0.0f, 60.0f, 44.0f}};
    for (int kind = 0; kind < 5; kind++) {
        const md5_curve_desc desc = {.kind = (md5_curve_kind)kind, ROWS(points, points)};
        OWN_CURVE curve = md5_create_curve(&desc, NULL, NULL);
        page_set(of, "curve", (float)kind);
        page_show(of, 1.2);
        CHECK_NEAR(page_fact(of, "to the moved point"), nearest_to(curve, points[3]), 1e-3);
        if (kind < 3) // a point of the curve
            CHECK_NEAR(page_fact(of, "to the moved point"), 0.0, 1e-4);
    }
}

// The rotation from one unit quaternion to another as axis times angle, in double precision.
static void log_between(md5_quat a, md5_quat b, double turn[3])
{
    const double x = (double)a.w * b.x - (double)a.x * b.w - (double)a.y * b.z + (double)a.z * b.y,
                 y = (double)a.w * b.y + (double)a.x * b.z - (double)a.y * b.w - (double)a.z * b.x,
                 z = (double)a.w * b.z - (double)a.x * b.y + (double)a.y * b.x - (double)a.z * b.w,
                 w = (double)a.x * b.x + (double)a.y * b.y + (double)a.z * b.z + (double)a.w * b.w;
    const double sine = sqrt(x * x + y * y + z * z);
    const double scale = 2.0 * atan2(sine, fabs(w)) / sine * (w < 0.0 ? -1.0 : 1.0);
    turn[0] = scale * x;
    turn[1] = scale * y;
    turn[2] = scale * z;
}

// From key to key, each a second, slerp turns at a constant velocity, which about axes that turn
// along is the same at both ends. Squad is smooth.
TEST_PAGE (page_squad_has_no_jumps_of_velocity, "squad") {
    static const md5_vec3 axes[5] = {{0.0f, 0.0f, 1.0f},
                                     {0.0f, 1.0f, 0.3f},
                                     {1.0f, 0.0f, 0.4f},
                                     {0.0f, -1.0f, 0.5f},
                                     {-0.6f, 0.2f, 1.0f}};
    for (int i = 1; i <= 4; i++) {
        const float spread = 0.3f * (float)i;
        double turns[5][3], largest = 0.0;
        md5_quat keys[5];
        for (int k = 0; k < 5; k++)
            keys[k] = md5_quat_from_axis_angle(axes[k], k % 2 == 0 ? spread : -spread);
        for (int k = 0; k < 5; k++)
            log_between(keys[k], keys[(k + 1) % 5], turns[k]);
        for (int k = 0; k < 5; k++) {
            const double *const a = turns[k], *const b = turns[(k + 1) % 5];
            largest = fmax(largest, sqrt(pow(a[0] - b[0], 2.0) + pow(a[1] - b[1], 2.0)
                                         + pow(a[2] - b[2], 2.0)));
        }
        page_set(of, "spread, radians", spread);
        page_show(of, 0.4);
        CHECK_NEAR(page_fact(of, "largest jump at a key, slerp"), largest, 1e-3);
        CHECK(page_fact(of, "largest jump at a key, squad") < 1e-3);
    }
    page_show(of, 2.0); // at a key both agree
    const md5_quat a = of->picture.figures[0].place.rotation,
                   b = of->picture.figures[1].place.rotation;
    CHECK_NEAR(fabs((double)(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w)), 1.0, 1e-5);
}

// As the page says: angle by angle the way is longer than by slerp, and uneven.
TEST (page_euler_takes_the_longer_way) {
    double length = 0.0, least = INFINITY, most = 0.0, turn[3];
    md5_quat last = {0.0f, 0.0f, 0.0f, 1.0f};
    for (int i = 1; i <= 200; i++) {
        const float t = (float)i / 200.0f;
        const md5_quat now = md5_quat_from_euler((md5_euler){80.0f * t, 130.0f * t, 60.0f * t});
        log_between(last, now, turn);
        const double step = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
        length += step;
        least = fmin(least, step);
        most = fmax(most, step);
        last = now;
    }
    log_between((md5_quat){0.0f, 0.0f, 0.0f, 1.0f}, last, turn);
    const double straight = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
    CHECK(length > 1.15 * straight && most > 1.4 * least);
}

TEST_PAGE (page_euler_loses_a_direction_at_ninety_degrees, "euler") {
    page_set(of, "t (below 0: moves)", 1.0f);
    for (int pitch = -90; pitch <= 90; pitch += 30) {
        page_set(of, "pitch", (float)pitch);
        page_show(of, 0.0);
        CHECK_NEAR(page_fact(of, "1 = three free axes"), cos(pitch * 3.14159265358979 / 180.0),
                   1e-5);
        CHECK_NEAR(page_fact(of, "between the two"), 0.0, 0.05); // at the end both agree
    }
    CHECK_NEAR(page_fact(of, "roll, there and back"), 0.0, 1e-3); // indistinguishable from yaw
    page_set(of, "pitch", 80.0f);
    page_set(of, "t (below 0: moves)", 0.5f);
    page_show(of, 0.0);
    CHECK(page_fact(of, "between the two") > 10.0); // in between they do not
    CHECK_NEAR(page_fact(of, "pitch, there and back"), 40.0, 1e-2);
}

static double miss_of(const page_case *of, const char *tip, md5_vec3 target)
{
    const view_figure *const figure = &of->picture.figures[0];
    const md5_vec3 at = view_joint_place(&of->picture, figure, view_page_joint(&of->picture, tip));
    return real_distance(at, target);
}

TEST_PAGE (page_ik_reports_the_distance_of_the_hand, "ik") {
    const md5_vec3 target = {8.0f, 17.0f, 27.0f};
    page_set(of, "target, forward", target.x);
    page_set(of, "target, left", target.y);
    page_set(of, "target, up", target.z);
    page_set(of, "joints", 4.0f);
    for (int solver = 0; solver < 4; solver++) {
        page_set(of, "solver", (float)solver);
        page_show(of, 0.0);
        const double miss = miss_of(of, "hand_l", target);
        CHECK_NEAR(page_fact(of, "distance"), miss, 1e-3);
        CHECK(miss < (solver == 1 ? 1.0 : 0.05)); // CCD converges slowly
        // No solver's distance increases over the iterations.
        const view_series *const series = &of->picture.plots[0].series[solver];
        CHECK(series->points[24].y <= series->points[0].y);
    }
    CHECK_THAT(page_fact(of, "DLS to 0.01 units") < page_fact(of, "FABRIK to 0.01 units"), "%g %g",
               page_fact(of, "DLS to 0.01 units"), page_fact(of, "FABRIK to 0.01 units"));
}

// One iteration less is not enough, from the same pose.
TEST_PAGE (page_ik_counts_the_iterations_that_are_needed, "ik") {
    page_show(of, 0.0);
    md5_xform *const pose = view_spare_pose(&of->picture, 7);
    for (int solver = 0; solver < 2; solver++) {
        const double needed =
            page_fact(of, solver == 0 ? "FABRIK to 0.01 units" : "DLS to 0.01 units");
        for (int less = 0; less < 2; less++) {
            const md5_chain_job job = {.solver =
                                           solver == 0 ? MD5_CHAIN_FABRIK : MD5_CHAIN_LEAST_SQUARES,
                                       .tip = view_page_joint(&of->picture, "hand_l"),
                                       .length = 4,
                                       .target = {12.0f, 12.0f, 32.0f},
                                       .iterations = (uint32_t)needed - (uint32_t)less,
                                       .weight = 1.0f};
            view_sample_clip(&of->picture, "stand", 0.0, pose);
            const float distance = md5_solve_chain(of->scene.skeleton, &job, pose);
            CHECK((distance <= 0.01f) == (less == 0));
        }
    }
}

TEST_PAGE (page_ik_points_at_what_is_out_of_reach, "ik") {
    page_set(of, "target, forward", 28.0f);
    page_set(of, "target, left", 34.0f);
    page_set(of, "target, up", 54.0f);
    page_set(of, "joints", 3.0f);
    page_set(of, "solver", 0.0f);
    page_show(of, 0.0);
    const view_figure *const figure = &of->picture.figures[0];
    const md5_vec3 shoulder = view_joint_place(&of->picture, figure,
                                               view_page_joint(&of->picture, "upperarm_l")),
                   hand = view_joint_place(&of->picture, figure,
                                           view_page_joint(&of->picture, "hand_l"));
    const double whole = real_distance((md5_vec3){28.0f, 34.0f, 54.0f}, shoulder);
    CHECK_NEAR(page_fact(of, "distance"), whole - real_distance(hand, shoulder), 1e-2);
}

TEST_PAGE (page_limits_are_kept_wherever_the_target_is, "limits") {
    page_set(of, "elbow from, rad", -0.2f);
    page_set(of, "elbow to, rad", 1.2f);
    page_set(of, "shoulder, rad", 0.7f);
    for (int solver = 0; solver < 3; solver++)
        for (int i = 0; i < 12; i++) {
            page_set(of, "solver", (float)solver);
            page_set(of, "target, forward", -24.0f + 4.0f * (float)i);
            page_set(of, "target, up", 6.0f + 4.0f * (float)i);
            page_show(of, 0.0);
            const double elbow = page_fact(of, "elbow, limited");
            CHECK(elbow > -0.2 - 1e-3 && elbow < 1.2 + 1e-3);
            CHECK_NEAR(page_fact(of, "elbow sideways, limited"), 0.0, 1e-3);
            CHECK(page_fact(of, "shoulder, limited") < 0.7 + 1e-3);
        }
    CHECK(page_fact(of, "elbow sideways, free") > 0.01); // without limits it is no hinge
}

// The nearest that the arm can come by trying all its angles: a hinge, a cone and a twist.
TEST_PAGE (page_limits_come_as_near_as_the_joints_can, "limits") {
    const md5_model *const model = of->scene.model;
    const md5_vec3 target = {-8.0f, 12.0f, 38.0f}, x = {1.0f, 0.0f, 0.0f};
    page_show(of, 0.0);
    const uint32_t upper = view_page_joint(&of->picture, "upperarm_l"),
                   lower = view_page_joint(&of->picture, "forearm_l"),
                   hand = view_page_joint(&of->picture, "hand_l");
    const md5_vec3 a = md5_mat34_translation(model->bind[upper]),
                   b = md5_mat34_translation(model->bind[lower]),
                   c = md5_mat34_translation(model->bind[hand]);
    const md5_quat down = md5_quat_conjugate(md5_quat_from_mat34(model->bind[lower]));
    const md5_vec3 elbow = md5_vec3_normalize(
        md5_quat_rotate(down, md5_vec3_cross(md5_vec3_sub(b, a), md5_vec3_sub(c, b))), x);
    md5_xform *const pose = view_spare_pose(&of->picture, 0);
    double best = INFINITY;
    for (int bend = 0; bend <= 24; bend++)
        for (int swing = 0; swing <= 10; swing++)
            for (int way = 0; way < 48; way++)
                for (int twist = 0; twist <= 8; twist++) {
                    const double turn = 6.28318530717959 * way / 48.0;
                    const md5_vec3 about = {0.0f, (float)cos(turn), (float)sin(turn)};
                    const md5_quat shoulder =
                        md5_quat_mul(md5_quat_from_axis_angle(about, 0.1f * (float)swing),
                                     md5_quat_from_axis_angle(x, -0.5f + 0.125f * (float)twist));
                    view_sample_clip(&of->picture, "stand", 0.0, pose);
                    pose[upper].rotation =
                        md5_quat_mul(model->bind_local[upper].rotation, shoulder);
                    pose[lower].rotation = md5_quat_mul(
                        model->bind_local[lower].rotation,
                        md5_quat_from_axis_angle(elbow, -0.4f + 2.3f / 24.0f * (float)bend));
                    const md5_vec3 at =
                        md5_joint_in_model(of->scene.skeleton, pose, hand).translation;
                    best = fmin(best, real_distance(at, target));
                }
    for (int solver = 0; solver < 3; solver++) {
        page_set(of, "solver", (float)solver);
        page_show(of, 0.0);
        const double distance = page_fact(of, "distance, limited");
        CHECK_THAT(distance > best - 0.1 && distance < 1.05 * best, "%g, of a scan %g", distance,
                   best);
    }
}

TEST_PAGE (page_goals_give_way_by_weight, "goals") {
    page_set(of, "apart, units", 20.0f);
    page_show(of, 0.0);
    CHECK(page_fact(of, "left hand, weight 1") < 0.01); // both can arrive
    CHECK(page_fact(of, "right hand") < 0.01);
    page_set(of, "apart, units", 76.0f);
    page_set(of, "weight of the right", 8.0f);
    page_show(of, 0.0);
    CHECK(page_fact(of, "right hand") < page_fact(of, "left hand, weight 1"));
    page_set(of, "weight of the right", 0.1f);
    page_show(of, 0.0);
    CHECK(page_fact(of, "right hand") > page_fact(of, "left hand, weight 1"));
}

// -- The page of easing ---------------------------------------------------------------------------

// The facts that the pages of easing and interpolation show.

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
        const double z = ratios[i];
        page_set(of, "damping", ratios[i]);
        page_show(of, 0.0);
        const double jump = 2.0 * exp(-3.14159265358979 * z / sqrt(1.0 - z * z));
        CHECK_NEAR(page_fact(of, "overshoot"), jump, 5e-4);
    }
    // What is shown is what runs: no factor is hidden.
    CHECK(strstr(of->page->lines, "2.0f * f->damping * f->speed"));
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
        const double half = angles[i] * 3.14159265358979 / 360.0;
        double largest = 0.0;
        for (uint32_t p = 0; p < series->count; p++) {
            const double t = series->points[p].x;
            const double sum = atan2(t * sin(half), 1.0 - t + t * cos(half));
            const double error = fabs(sum - t * half) * 360.0 / 3.14159265358979;
            CHECK_NEAR(series->points[p].y, error, 2e-3);
            largest = fmax(largest, error);
        }
        CHECK_NEAR(page_fact(of, "largest difference"), largest, 2e-3 * largest + 1e-4);
    }
}

// -- The page of morph targets --------------------------------------------------------------------

// The facts that the page of morph targets shows.

static md5_model *load_target(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "models/bobbin/morphs/%s.md5mesh", name);
    md5_model *const target = md5_load_model(test_path(path), NULL, NULL);
    CHECK(target);
    return target;
}

// The largest distance between vertices of the base and of a target's file.
static double difference_of_files(const md5_model *base, const char *name)
{
    OWN_MODEL target = load_target(name);
    double largest = 0.0;
    for (uint32_t m = 0; target != NULL && m < target->num_meshes; m++)
        for (uint32_t v = 0; v < target->meshes[m].num_vertices; v++) {
            const double move =
                real_distance(target->meshes[m].positions[v], base->meshes[m].positions[v]);
            largest = move > largest ? move : largest;
        }
    return largest;
}

// How many vertices of all meshes some target's file has elsewhere, or with another normal or
// tangent, by more than `least`.
static uint32_t count_changed(const view_scene *scene, double least)
{
    enum { MOST = 16 };
    md5_model *targets[MOST] = {NULL};
    const uint32_t count = scene->morph->num_targets;
    uint32_t num_changed = 0;
    for (uint32_t i = 0; CHECK(count <= MOST) && i < count; i++)
        targets[i] = load_target(scene->morph->targets[i].name);
    for (uint32_t m = 0; m < scene->model->num_meshes; m++)
        for (uint32_t v = 0; v < scene->model->meshes[m].num_vertices; v++) {
            const md5_mesh *const base = &scene->model->meshes[m];
            bool is_changed = false;
            for (uint32_t i = 0; i < count; i++) {
                const md5_mesh *const mesh = &targets[i]->meshes[m];
                const md5_vec4 a = mesh->tangents[v], b = base->tangents[v];
                is_changed =
                    is_changed || real_distance(mesh->positions[v], base->positions[v]) > least
                    || real_distance(mesh->normals[v], base->normals[v]) > least
                    || real_distance((md5_vec3){a.x, a.y, a.z}, (md5_vec3){b.x, b.y, b.z}) > least;
            }
            num_changed += is_changed ? 1u : 0u;
        }
    for (uint32_t i = 0; i < count; i++)
        md5_free_model(targets[i]);
    return num_changed;
}

TEST_PAGE (page_morph_counts_the_vertices_of_all_meshes, "morph") {
    page_show(of, 1.0);
    const md5_model *const model = of->scene.model;
    const double all = model->meshes[0].num_vertices + model->meshes[1].num_vertices;
    CHECK(model->num_meshes == 2 && page_fact(of, "of") == all);
    const double changed = page_fact(of, "vertices that some target changes");
    CHECK(changed >= count_changed(&of->scene, 1e-4) && changed <= count_changed(&of->scene, 1e-6));
}

TEST_PAGE (page_morph_moves_by_the_files_differences, "morph") {
    static const char *const names[] = {"smile", "fright", "sleepy", "oh", "blink"};
    for (int i = 0; i < 5; i++)
        page_set(of, names[i], 0.0f);
    page_show(of, 1.0);
    CHECK_NEAR(page_fact(of, "largest move"), 0.0, 1e-5);
    for (int i = 0; i < 5; i++) {
        page_set(of, names[i], 1.0f);
        page_show(of, 1.0);
        CHECK_NEAR(page_fact(of, "largest move"), difference_of_files(of->scene.model, names[i]),
                   1e-4);
        const uint32_t target = md5_find_morph_target(of->scene.morph, names[i]);
        CHECK(target != MD5_NONE && of->picture.figures[0].morph_weights[target] == 1.0f);
        page_set(of, names[i], 0.0f);
    }
}

// -- The page of walking --------------------------------------------------------------------------

// The facts that the page of procedural walking shows.

// The height of the page's ground, in double precision.
static double ground_at(double height, double x, double y)
{
    return height * (sin(0.071 * x) * cos(0.083 * y) + 0.5 * sin(0.11 * y + 1.0));
}

// Checks that the centres of all crosses of a colour are on the ground; returns their number. A
// cross has three lines.
static uint32_t count_on_ground(const view_picture *picture, view_color color, double height)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < picture->lines.count; i += 2) {
        const md5gl_line_vertex *const ends = &picture->lines.vertices[i];
        const md5_vec3 from = ends[0].position, to = ends[1].position;
        const double x = 0.5 * ((double)from.x + to.x), y = 0.5 * ((double)from.y + to.y),
                     z = 0.5 * ((double)from.z + to.z);
        if (!page_has_color(ends, color))
            continue;
        CHECK_NEAR(z, ground_at(height, x, y), 2e-3);
        count++;
    }
    return count / 3;
}

TEST_PAGE (page_walk_places_feet_on_the_ground, "walk") {
    page_set(of, "hills, units", 5.0f);
    page_show(of, 6.0);
    CHECK(page_fact(of, "legs that reach") == 6.0);
    CHECK_NEAR(page_fact(of, "speed"), 18.0, 0.01);
    CHECK(page_fact(of, "feet placed") > 40.0);
    CHECK(count_on_ground(&of->picture, VIEW_BLUE, 5.0) == page_fact(of, "feet placed"));
    CHECK(count_on_ground(&of->picture, VIEW_GREEN, 5.0) >= 3);
    // 18 units a second and 20 degrees a second result in a circle.
    const double radius = 18.0 / (20.0 * 3.14159265358979 / 180.0);
    const md5_vec3 at = of->picture.figures[0].place.translation;
    CHECK_NEAR(hypot((double)at.x, at.y - radius), radius, 0.05 * radius);
}

TEST_PAGE (page_walk_lifts_one_group_at_a_time, "walk") {
    page_show(of, 6.0);
    const view_series *const left = page_series(of, 0, "front left");
    const view_series *const right = page_series(of, 0, "front right");
    const view_series *const middle = page_series(of, 0, "middle right");
    uint32_t in_air = 0;
    CHECK(left->count > 100 && left->count == right->count);
    for (uint32_t i = 0; i < left->count; i++) {
        const bool a = left->points[i].y > 0.3f, b = right->points[i].y > -0.7f,
                   c = middle->points[i].y > -2.7f;
        CHECK(!(a && b));
        CHECK(a == c); // of one group
        in_air += a ? 1u : 0u;
    }
    CHECK(in_air > 20);
}

// Where a foot stands, and where its ankle was posed when this was first seen.
typedef struct stand {
    md5_vec3 place, ankle;
} stand;

// The posed ankle that is nearest to a place.
static md5_vec3 nearest_ankle(const view_picture *picture, md5_vec3 place)
{
    static const char *const ankles[6] = {"foot_1_l", "foot_1_r", "foot_2_l",
                                          "foot_2_r", "foot_3_l", "foot_3_r"};
    md5_vec3 nearest = {INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < 6; i++) {
        const md5_vec3 at =
            view_joint_place(picture, &picture->figures[0], view_page_joint(picture, ankles[i]));
        if (!(real_distance(nearest, place) < real_distance(at, place)))
            nearest = at;
    }
    return nearest;
}

// Green crosses are where feet stand: the ankles above them do not move, whatever the state says.
TEST_PAGE (page_walk_measures_what_is_posed, "walk") {
    enum { MOST = 256 };
    stand stands[MOST];
    int num_stands = 0, num_seen = 0;
    double moved = 0.0;
    for (int i = 0; i <= 240; i++) {
        page_show(of, 2.0 + i / 60.0);
        for (uint32_t k = 0; k < of->picture.lines.count; k += 2) {
            const md5gl_line_vertex *const ends = &of->picture.lines.vertices[k];
            const md5_vec3 from = ends[0].position, to = ends[1].position;
            const bool is_first = from.y == to.y && from.z == to.z;
            if (!page_has_color(ends, VIEW_GREEN) || !is_first)
                continue;
            const md5_vec3 place = md5_vec3_lerp(from, to, 0.5f);
            const md5_vec3 ankle = nearest_ankle(&of->picture, place);
            int number = 0;
            while (number < num_stands && real_distance(stands[number].place, place) > 1e-3)
                number++;
            if (number == num_stands && CHECK(num_stands < MOST))
                stands[num_stands++] = (stand){place, ankle};
            moved = fmax(moved, real_distance(stands[number].ankle, ankle));
            num_seen++;
        }
    }
    CHECK(num_stands > 20 && num_seen > 500);
    for (int leg = 0; leg < 6; leg++)
        CHECK(of->picture.plots[0].series[leg].count > 100);
    const double shown = page_fact(of, "a standing ankle moved");
    CHECK(shown > 0.0 && shown < 1e-3 && moved < 1e-3 && moved > 0.5 * shown);
    const uint32_t body = view_page_joint(&of->picture, "body");
    const md5_quat bind = md5_quat_from_mat34(of->scene.model->bind[body]),
                   posed = md5_joint_in_model(of->scene.skeleton, of->picture.figures[0].pose, body)
                               .rotation;
    const md5_quat turn = md5_quat_mul(of->picture.figures[0].place.rotation,
                                       md5_quat_mul(posed, md5_quat_conjugate(bind)));
    const md5_vec3 up = md5_quat_rotate(turn, (md5_vec3){0.0f, 0.0f, 1.0f});
    CHECK_NEAR(page_fact(of, "body tilts"), acos((double)up.z) * 57.29577951, 0.05);
}

TEST_PAGE (page_walk_stands_and_walks_sideways, "walk") {
    page_set(of, "speed, units/s", 0.0f);
    page_set(of, "turn, degrees/s", 0.0f);
    page_show(of, 5.0);
    CHECK(page_fact(of, "feet placed") == 0.0);
    page_set(of, "speed, units/s", 10.0f);
    page_set(of, "direction, degrees", 90.0f);
    page_show(of, 5.0);
    const md5_vec3 at = of->picture.figures[0].place.translation;
    CHECK_NEAR(at.x, 0.0, 0.01);
    CHECK(at.y > 40.0f && at.y < 50.0f); // it takes time to reach full speed
}

// Of a rotation by an angle and the identity: 1 - 2 t (1 - t) (1 - cos angle), which is the square
// of the length of the mean of two complex numbers.
TEST_PAGE (page_matrices_mean_loses_its_volume, "matrices") {
    for (int angle = 0; angle <= 180; angle += 60)
        for (int part = 0; part <= 4; part++) {
            const double t = part / 4.0;
            page_set(of, "angle, degrees", (float)angle);
            page_set(of, "t (below 0: moves)", (float)t);
            page_show(of, 0.0);
            const double cosine = cos(angle * 3.14159265358979 / 180.0);
            CHECK_NEAR(page_fact(of, "volume"), 1.0 - 2.0 * t * (1.0 - t) * (1.0 - cosine), 1e-5);
        }
}

TEST_PAGE (page_frame_rate_product_depends_on_it_and_the_share_does_not, "frame_rate") {
    static const float rates[2] = {10.0f, 40.0f};
    double products[2], shares[2];
    for (int i = 0; i < 2; i++) {
        page_set(of, "speed, 1/s", 12.0f);
        page_set(of, "frames a second", rates[i]);
        page_show(of, 0.3);
        products[i] = page_fact(of, "left after 1 s, product");
        CHECK_NEAR(products[i], pow(1.0 - 12.0 / (double)rates[i], (double)rates[i]), 1e-6);
        shares[i] = page_series_at(page_series(of, 0, "1 - exp(-speed * dt)"), 0.5001);
        CHECK_NEAR(shares[i], 1.0 - 2.0 * exp(-6.0), 1e-4);
    }
    CHECK(fabs(products[0] - products[1]) > 1e-7);
    CHECK_NEAR(shares[0], shares[1], 1e-5);
}

TEST_PAGE (page_frame_rate_product_diverges_from_two_on, "frame_rate") {
    page_set(of, "speed, 1/s", 24.0f);
    page_set(of, "frames a second", 8.0f);
    page_show(of, 0.3);
    const view_series *const product = page_series(of, 0, "speed * dt");
    CHECK_NEAR(product->points[product->count - 1].y, 1.0 - 2.0 * pow(1.0 - 24.0 / 8.0, 8.0), 1e-3);
}
