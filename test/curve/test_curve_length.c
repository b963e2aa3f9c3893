// Lengths and distances along curves, against closed forms.
#include "test/curve/test_curve_case.h"

#include <math.h>

static const double pi = 3.14159265358979324;

// A circle of radius r in the plane z = 5: four quarters of degree 2 (Piegl and Tiller, The NURBS
// Book, 7.5).
static md5_curve *circle_of(float r)
{
    static const float x[] = {1, 1, 0, -1, -1, -1, 0, 1, 1}, y[] = {0, 1, 1, 1, 0, -1, -1, -1, 0};
    static const float knots[] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4};
    const float half = (float)sqrt(0.5);
    const float weights[] = {1, half, 1, half, 1, half, 1, half, 1};
    md5_vec3 points[9];
    for (int i = 0; i < 9; i++)
        points[i] = (md5_vec3){r * x[i], r * y[i], 5.0f};
    const md5_curve_desc desc = {.kind = MD5_CURVE_NURBS,
                                 ROWS(points, points),
                                 .degree = 2,
                                 .weights = weights,
                                 .knots = knots};
    return curve_of(&desc);
}

TEST (curve_nurbs_circle_is_a_circle) {
    md5_curve *const circle = circle_of(1.0f);
    CHECK(md5_curve_start(circle, 3) < 1.0 && md5_curve_start(circle, 4) == 1.0);
    for (int i = 0; i <= 10000; i++) {
        const md5_vec3 p = md5_curve_point(circle, i / 10000.0);
        const md5_vec3 tangent = md5_curve_tangent(circle, i / 10000.0);
        if (!CHECK_NEAR(hypot((double)p.x, (double)p.y), 1.0, 1e-6) || !CHECK(p.z == 5.0f)
            || !CHECK_NEAR((double)(p.x * tangent.x + p.y * tangent.y), 0.0, 1e-5))
            break;
    }
    CHECK_NEAR(md5_curve_length(circle), 2.0 * pi, 1e-6);
    md5_destroy_curve(circle);
}

TEST (curve_equal_distances_on_a_circle_are_equal_angles) {
    md5_curve *const circle = circle_of(10.0f);
    const double length = md5_curve_length(circle);
    for (int i = 0; i <= 720; i++) {
        const double angle = 2.0 * pi * i / 720.0;
        const md5_vec3 p = md5_curve_point(circle, md5_curve_at_distance(circle, length * i / 720));
        if (!CHECK_NEAR((double)p.x, 10.0 * cos(angle), 1e-5)
            || !CHECK_NEAR((double)p.y, 10.0 * sin(angle), 1e-5))
            break;
    }
    md5_destroy_curve(circle);
}

TEST (curve_length_of_a_line_is_its_distance) {
    const md5_vec3 points[] = {{1, 2, 3}, {4, 6, 15}};
    const md5_curve_desc desc = {ROWS(points, points)};
    md5_curve *const line = curve_of(&desc);
    CHECK_NEAR(md5_curve_length(line), 13.0, 1e-12);
    for (int i = 0; i <= 10; i++) {
        CHECK_NEAR(md5_curve_at_distance(line, 1.3 * i), 0.1 * i, 1e-9);
        CHECK_NEAR(md5_curve_distance(line, 0.1 * i), 1.3 * i, 1e-9);
    }
    md5_destroy_curve(line);
}

// y = x^2 from 0 to 1, whose length is sqrt(5) / 2 + asinh(2) / 4, and from 0 to x is
// (2 x sqrt(1 + 4 x^2) + asinh(2 x)) / 4.
TEST (curve_length_of_a_parabola) {
    const md5_vec3 points[] = {{0, 0, 0}, {0.5f, 0, 0}, {1, 1, 0}};
    const md5_curve_desc desc = {.kind = MD5_CURVE_BEZIER, ROWS(points, points)};
    md5_curve *const parabola = curve_of(&desc);
    CHECK_NEAR(md5_curve_length(parabola), sqrt(5.0) / 2.0 + asinh(2.0) / 4.0, 1e-6);
    for (int i = 0; i <= 100; i++) {
        const double x = 0.01 * i;
        const double exact = (2.0 * x * sqrt(1.0 + 4.0 * x * x) + asinh(2.0 * x)) / 4.0;
        CHECK_NEAR(md5_curve_distance(parabola, x), exact, 1e-6);
        CHECK_NEAR(md5_curve_at_distance(parabola, exact), x, 2e-6);
    }
    md5_destroy_curve(parabola);
}

// (t^2, t^3) for t from -1 to 1 has a cusp in the middle, where its speed is 0. Its length is
// 2 (13 sqrt(13) - 8) / 27.
TEST (curve_length_with_a_cusp) {
    const md5_vec3 points[] = {{1, -1, 0}, {-1.0f / 3.0f, 1, 0}, {-1.0f / 3.0f, -1, 0}, {1, 1, 0}};
    const md5_curve_desc desc = {.kind = MD5_CURVE_BEZIER, ROWS(points, points)};
    md5_curve *const cusp = curve_of(&desc);
    CHECK_NEAR((double)md5_vec3_length(md5_curve_tangent(cusp, 0.5)), 0.0, 1e-6);
    const double length = 2.0 * (13.0 * sqrt(13.0) - 8.0) / 27.0;
    CHECK_NEAR(md5_curve_length(cusp), length, 1e-6);
    CHECK_NEAR(md5_curve_distance(cusp, 0.5), length / 2.0, 1e-6);
    CHECK_NEAR(md5_curve_at_distance(cusp, length / 2.0), 0.5, 1e-3);
    md5_destroy_curve(cusp);
}

// Compares a random curve with a polygon of so many sides that its error is below the tolerance.
TEST (curve_length_is_that_of_a_fine_polygon) {
    md5_vec3 points[CURVE_POINTS];
    curve_points(points, 3);
    const md5_curve_desc desc = {ROWS(points, points), .is_closed = true};
    md5_curve *const curve = curve_of(&desc);
    const int num_sides = 4000;
    double sum = 0.0;
    md5_vec3 last = md5_curve_point(curve, 0.0);
    for (int i = 1; i <= num_sides; i++) {
        const md5_vec3 p = md5_curve_point(curve, (double)i / num_sides);
        const md5_vec3 step = md5_vec3_sub(p, last);
        sum += sqrt((double)step.x * (double)step.x + (double)step.y * (double)step.y
                    + (double)step.z * (double)step.z);
        last = p;
    }
    CHECK_NEAR(md5_curve_length(curve) / sum, 1.0, 2e-5);
    md5_destroy_curve(curve);
}

static void check_round_trip(const md5_curve_desc *desc)
{
    md5_curve *const curve = curve_of(desc);
    const double length = md5_curve_length(curve);
    double last = 0.0;
    CHECK(md5_curve_at_distance(curve, 0.0) == 0.0);
    for (int i = 1; i < 1000; i++) {
        const double distance = length * i / 1000.0;
        const double t = md5_curve_at_distance(curve, distance);
        if (!CHECK(t >= last && t <= 1.0)
            || !CHECK_NEAR(md5_curve_distance(curve, t) / length, i / 1000.0, 1e-6))
            break;
        last = t;
    }
    if (!desc->is_closed)
        CHECK(md5_curve_at_distance(curve, length) == 1.0
              && md5_curve_distance(curve, 1.0) == length
              && md5_curve_at_distance(curve, 2.0 * length) == 1.0
              && md5_curve_at_distance(curve, -1.0) == 0.0);
    CHECK(md5_curve_at_distance(curve, NAN) == 0.0 && md5_curve_distance(curve, NAN) == 0.0);
    md5_destroy_curve(curve);
}

TEST (curve_distance_and_parameter_are_inverse) {
    md5_vec3 points[CURVE_POINTS];
    for (uint64_t seed = 1; seed <= 20; seed++) {
        curve_points(points, seed);
        md5_curve_desc desc = {ROWS(points, points)};
        desc.kind = seed % 2 ? MD5_CURVE_CATMULL_ROM : MD5_CURVE_B_SPLINE;
        desc.is_closed = seed % 4 < 2;
        check_round_trip(&desc);
    }
}

// Chords of equal steps along a smooth curve differ only by its curvature.
TEST (curve_equal_distances_are_equal_steps) {
    md5_vec3 points[CURVE_POINTS];
    curve_points(points, 4);
    const md5_curve_desc desc = {.kind = MD5_CURVE_B_SPLINE, ROWS(points, points)};
    md5_curve *const curve = curve_of(&desc);
    const int num_steps = 8000;
    const double step = md5_curve_length(curve) / num_steps;
    md5_vec3 last = md5_curve_point(curve, 0.0);
    for (int i = 1; i <= num_steps; i++) {
        const md5_vec3 p = md5_curve_point(curve, md5_curve_at_distance(curve, i * step));
        if (!CHECK_NEAR((double)md5_vec3_length(md5_vec3_sub(p, last)) / step, 1.0, 1e-3))
            break;
        last = p;
    }
    md5_destroy_curve(curve);
}
