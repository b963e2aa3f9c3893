// Points and tangents of curves, against textbook sums in double precision that share nothing with
// the library.
#include "test/curve/test_curve_case.h"

#include <math.h>

static point3 sum_of(const md5_vec3 *points, const double *shares, int count)
{
    point3 sum = {{0, 0, 0}};
    for (int i = 0; i < count; i++) {
        sum.x[0] += shares[i] * (double)points[i].x;
        sum.x[1] += shares[i] * (double)points[i].y;
        sum.x[2] += shares[i] * (double)points[i].z;
    }
    return sum;
}

typedef point3 exact_curve(const md5_curve_desc *desc, double t);

// -- Textbook forms -------------------------------------------------------------------------------

// Bernstein polynomials.
static point3 exact_bezier(const md5_curve_desc *desc, double t)
{
    const int degree = (int)desc->num_points - 1;
    double shares[CURVE_POINTS] = {0}, binomial = 1.0;
    for (int i = 0; i <= degree; i++) {
        shares[i] = binomial * pow(t, i) * pow(1.0 - t, degree - i);
        binomial = binomial * (degree - i) / (i + 1);
    }
    return sum_of(desc->points, shares, degree + 1);
}

static point3 exact_cubic_bezier(const md5_curve_desc *desc, double t)
{
    const int n = (int)desc->num_points, count = desc->is_closed ? n / 3 : (n - 1) / 3;
    const int piece = (int)fmin(floor(t * count), count - 1);
    md5_vec3 four[4];
    for (int i = 0; i < 4; i++)
        four[i] = desc->points[(3 * piece + i) % n];
    const md5_curve_desc one = {ROWS(points, four)};
    return exact_bezier(&one, t * count - piece);
}

// The basis matrix of Catmull and Rom, tension 1/2; beyond the ends mirrored points.
static point3 exact_uniform_catmull_rom(const md5_curve_desc *desc, double t)
{
    const int n = (int)desc->num_points, count = desc->is_closed ? n : n - 1;
    const int piece = (int)fmin(floor(t * count), count - 1);
    const double u = t * count - piece;
    double shares[CURVE_POINTS] = {0};
    const double four[4] = {
        (-u + 2 * u * u - u * u * u) / 2,
        (2 - 5 * u * u + 3 * u * u * u) / 2,
        (u + 4 * u * u - 3 * u * u * u) / 2,
        (-u * u + u * u * u) / 2,
    };
    for (int i = 0; i < 4; i++) {
        const int at = piece - 1 + i;
        if (desc->is_closed) {
            shares[(at + n) % n] += four[i];
        } else if (at < 0 || at >= n) { // 2 p0 - p1
            shares[at < 0 ? 0 : n - 1] += 2 * four[i];
            shares[at < 0 ? 1 : n - 2] -= four[i];
        } else {
            shares[at] += four[i];
        }
    }
    return sum_of(desc->points, shares, n);
}

static point3 at_point(const md5_curve_desc *desc, int i)
{
    const int n = (int)desc->num_points;
    if (desc->is_closed || (i >= 0 && i < n)) {
        const md5_vec3 p = desc->points[(i + n) % n];
        return (point3){{(double)p.x, (double)p.y, (double)p.z}};
    }
    point3 mirrored;
    const point3 end = at_point(desc, i < 0 ? 0 : n - 1);
    const point3 next = at_point(desc, i < 0 ? 1 : n - 2);
    for (int k = 0; k < 3; k++)
        mirrored.x[k] = 2 * end.x[k] - next.x[k];
    return mirrored;
}

static double square_root_of_step(const md5_curve_desc *desc, int i)
{
    const point3 a = at_point(desc, i), b = at_point(desc, i + 1);
    double square = 0.0;
    for (int k = 0; k < 3; k++)
        square += (b.x[k] - a.x[k]) * (b.x[k] - a.x[k]);
    return pow(square, 0.25);
}

// The pyramid of Barry and Goldman 1988; knot intervals are square roots of distances.
static point3 exact_centripetal(const md5_curve_desc *desc, double t)
{
    const int n = (int)desc->num_points, count = desc->is_closed ? n : n - 1;
    double total = 0.0, start = 0.0;
    for (int i = 0; i < count; i++)
        total += square_root_of_step(desc, i);
    int piece = 0;
    while (piece + 1 < count && start + square_root_of_step(desc, piece) <= t * total)
        start += square_root_of_step(desc, piece++);
    double knots[4];
    knots[1] = start;
    knots[0] = start - square_root_of_step(desc, piece - 1);
    knots[2] = start + square_root_of_step(desc, piece);
    knots[3] = knots[2] + square_root_of_step(desc, piece + 1);
    point3 p[4];
    for (int i = 0; i < 4; i++)
        p[i] = at_point(desc, piece - 1 + i);
    const double x = t * total;
    for (int round = 1; round <= 3; round++) {
        for (int i = 0; i + round < 4; i++) {
            // Round 1 spans one interval, round 2 spans two, and round 3 the middle one.
            const double from = round == 3 ? knots[1] : knots[i];
            const double to = round == 3 ? knots[2] : knots[i + round];
            const double share = (x - from) / (to - from);
            for (int k = 0; k < 3; k++)
                p[i].x[k] = (1.0 - share) * p[i].x[k] + share * p[i + 1].x[k];
        }
    }
    return p[0];
}

// The basis functions of Cox and de Boor.
static double basis(const double *knots, int i, int degree, double u)
{
    if (degree == 0)
        return u >= knots[i] && u < knots[i + 1] ? 1.0 : 0.0;
    const double left = knots[i + degree] - knots[i], right = knots[i + degree + 1] - knots[i + 1];
    double sum = 0.0;
    if (left > 0.0)
        sum += (u - knots[i]) / left * basis(knots, i, degree - 1, u);
    if (right > 0.0)
        sum += (knots[i + degree + 1] - u) / right * basis(knots, i + 1, degree - 1, u);
    return sum;
}

static point3 rational_sum(const md5_curve_desc *desc, const double *knots, int degree, double u)
{
    double shares[CURVE_POINTS], total = 0.0;
    const int n = (int)desc->num_points;
    for (int i = 0; i < n; i++) {
        shares[i] = basis(knots, i, degree, u) * (desc->weights ? (double)desc->weights[i] : 1.0);
        total += shares[i];
    }
    for (int i = 0; i < n; i++)
        shares[i] /= total;
    return sum_of(desc->points, shares, n);
}

static point3 exact_nurbs(const md5_curve_desc *desc, double t)
{
    const int n = (int)desc->num_points, degree = desc->degree ? (int)desc->degree : 3;
    double knots[2 * CURVE_POINTS + 16];
    for (int i = 0; i <= n + degree; i++)
        knots[i] = desc->knots ? (double)desc->knots[i] : fmin(fmax(i - degree, 0), n - degree);
    return rational_sum(desc, knots, degree, knots[degree] + t * (knots[n] - knots[degree]));
}

// Knots 0, 1, 2, ...; a closed spline is an open one over points that repeat from the start.
static point3 exact_b_spline(const md5_curve_desc *desc, double t)
{
    const int n = (int)desc->num_points;
    md5_vec3 points[CURVE_POINTS + 3];
    double knots[CURVE_POINTS + 8];
    for (int i = 0; i < n + 3; i++) // piece 0 of a closed spline is near point 0
        points[i] = desc->points[desc->is_closed ? (i + n - 1) % n : i % n];
    for (int i = 0; i < CURVE_POINTS + 8; i++)
        knots[i] = i;
    const int count = desc->is_closed ? n + 3 : n;
    double shares[CURVE_POINTS + 3];
    for (int i = 0; i < count; i++)
        shares[i] = basis(knots, i, 3, 3.0 + t * (count - 3));
    return sum_of(points, shares, count);
}

// -- Points and tangents --------------------------------------------------------------------------

static bool check_at(const md5_curve *curve, const md5_curve_desc *desc, exact_curve *exact,
                     double t)
{
    const double h = 1e-6;
    const point3 before = exact(desc, t - h), after = exact(desc, t + h);
    point3 tangent;
    for (int k = 0; k < 3; k++)
        tangent.x[k] = (after.x[k] - before.x[k]) / (2.0 * h);
    return CHECK_NEAR(curve_distance(md5_curve_point(curve, t), exact(desc, t)), 0.0, 1e-5)
           && CHECK_NEAR(curve_distance(md5_curve_tangent(curve, t), tangent), 0.0, 5e-4);
}

// Stays away from the starts of pieces, where the difference would span two pieces.
static void check_curve(const md5_curve_desc *desc, exact_curve *exact)
{
    md5_curve *const curve = curve_of(desc);
    uint64_t random = 9;
    for (int i = 0; curve && i < 500; i++) {
        const double t = 1e-5 + 0.99998 * test_random(&random);
        bool is_near_start = false;
        for (uint32_t piece = 0; !is_near_start && md5_curve_start(curve, piece) < t + 1e-5;
             piece++)
            is_near_start = fabs(md5_curve_start(curve, piece) - t) < 1e-5;
        if (!is_near_start && !check_at(curve, desc, exact, t))
            break;
    }
    md5_destroy_curve(curve);
}

static void check_open_and_closed(md5_curve_kind kind, uint32_t open, uint32_t closed,
                                  exact_curve *exact)
{
    md5_vec3 points[CURVE_POINTS];
    for (uint64_t seed = 1; seed <= 5; seed++) {
        curve_points(points, seed);
        md5_curve_desc desc = {.kind = kind, .points = points, .num_points = open};
        check_curve(&desc, exact);
        desc.num_points = closed;
        desc.is_closed = true;
        check_curve(&desc, exact);
    }
}

TEST (curve_catmull_rom_is_the_pyramid_of_barry_and_goldman) {
    check_open_and_closed(MD5_CURVE_CATMULL_ROM, 7, 6, exact_centripetal);
    check_open_and_closed(MD5_CURVE_CATMULL_ROM, 2, 3, exact_centripetal);
}

TEST (curve_uniform_catmull_rom_is_its_basis_matrix) {
    check_open_and_closed(MD5_CURVE_CATMULL_ROM_UNIFORM, 7, 6, exact_uniform_catmull_rom);
    check_open_and_closed(MD5_CURVE_CATMULL_ROM_UNIFORM, 2, 3, exact_uniform_catmull_rom);
}

TEST (curve_cubic_bezier_is_bernsteins_sum) {
    check_open_and_closed(MD5_CURVE_CUBIC_BEZIER, 10, 9, exact_cubic_bezier);
    check_open_and_closed(MD5_CURVE_CUBIC_BEZIER, 4, 3, exact_cubic_bezier);
}

TEST (curve_b_spline_is_cox_and_de_boors_sum) {
    check_open_and_closed(MD5_CURVE_B_SPLINE, 9, 8, exact_b_spline);
    check_open_and_closed(MD5_CURVE_B_SPLINE, 4, 3, exact_b_spline);
}

TEST (curve_bezier_of_any_degree_is_bernsteins_sum) {
    md5_vec3 points[CURVE_POINTS];
    for (uint32_t count = 2; count <= CURVE_POINTS; count++) {
        curve_points(points, count);
        const md5_curve_desc desc = {
            .kind = MD5_CURVE_BEZIER, .points = points, .num_points = count};
        check_curve(&desc, exact_bezier);
    }
}

TEST (curve_nurbs_is_cox_and_de_boors_sum) {
    static const float weights[CURVE_POINTS] = {1, 2, 0.25f, 1, 1, 4, 0.5f, 0.7f, 1.5f, 1, 3, 1};
    md5_vec3 points[CURVE_POINTS];
    for (uint32_t degree = 1; degree <= 7; degree++) {
        curve_points(points, degree);
        md5_curve_desc desc = {.kind = MD5_CURVE_NURBS, ROWS(points, points), .degree = degree};
        check_curve(&desc, exact_nurbs);
        desc.weights = weights;
        check_curve(&desc, exact_nurbs);
        desc.num_points = degree + 1;
        check_curve(&desc, exact_nurbs);
    }
}

// Knots that are not clamped, repeat, and are far from even.
TEST (curve_nurbs_with_knots_of_its_own) {
    static const float knots[] = {-1.0f, 0.0f, 0.5f, 1.0f, 1.5f, 1.5f,  1.5f,  4.0f,
                                  4.25f, 7.0f, 7.0f, 8.0f, 9.0f, 12.0f, 13.0f, 13.5f};
    md5_vec3 points[CURVE_POINTS];
    curve_points(points, 77);
    const md5_curve_desc desc = {.kind = MD5_CURVE_NURBS, ROWS(points, points), .knots = knots};
    check_curve(&desc, exact_nurbs);
}

// -- Basis functions, ends, joints ----------------------------------------------------------------

static const md5_curve_desc every_kind[] = {
    {.kind = MD5_CURVE_CATMULL_ROM, .num_points = 7},
    {.kind = MD5_CURVE_CATMULL_ROM, .num_points = 7, .is_closed = true},
    {.kind = MD5_CURVE_CATMULL_ROM_UNIFORM, .num_points = 7},
    {.kind = MD5_CURVE_CATMULL_ROM_UNIFORM, .num_points = 7, .is_closed = true},
    {.kind = MD5_CURVE_CUBIC_BEZIER, .num_points = 7},
    {.kind = MD5_CURVE_CUBIC_BEZIER, .num_points = 9, .is_closed = true},
    {.kind = MD5_CURVE_BEZIER, .num_points = 9},
    {.kind = MD5_CURVE_B_SPLINE, .num_points = 7},
    {.kind = MD5_CURVE_B_SPLINE, .num_points = 7, .is_closed = true},
    {.kind = MD5_CURVE_NURBS, .num_points = 9, .degree = 4},
    {.kind = MD5_CURVE_NURBS, .num_points = 9, .degree = 2, .is_closed = true},
};
enum { NUM_KINDS = sizeof every_kind / sizeof every_kind[0] };

// Basis functions that sum to 1 leave a point where it is.
TEST (curve_of_equal_points_is_a_point) {
    md5_vec3 points[CURVE_POINTS];
    for (int i = 0; i < CURVE_POINTS; i++)
        points[i] = (md5_vec3){3.1f, -77.7f, 1e-3f};
    for (int kind = 0; kind < NUM_KINDS; kind++) {
        md5_curve_desc desc = every_kind[kind];
        desc.points = points;
        md5_curve *const curve = curve_of(&desc);
        CHECK_NEAR(md5_curve_length(curve), 0.0, 1e-12);
        for (int i = 0; i <= 100; i++) {
            const md5_vec3 p = md5_curve_point(curve, i * 0.01);
            const md5_vec3 tangent = md5_curve_tangent(curve, i * 0.01);
            CHECK(p.x == points[0].x && p.y == points[0].y && p.z == points[0].z);
            CHECK_NEAR((double)md5_vec3_length(tangent), 0.0, 1e-10);
        }
        const double t = md5_curve_at_distance(curve, 5.0);
        CHECK(t >= 0.0 && t <= 1.0);
        md5_destroy_curve(curve);
    }
}

// The basis functions sum to 1 for any weights and knots, however uneven.
TEST (curve_nurbs_with_any_weights_of_equal_points_is_a_point) {
    static const float weights[] = {0.001f, 1000.0f, 1.0f, 0.5f, 7.0f, 0.001f, 1000.0f};
    static const float knots[] = {0, 0, 0, 0, 1, 1, 5, 9, 9, 9, 9};
    md5_vec3 points[7];
    for (int i = 0; i < 7; i++)
        points[i] = (md5_vec3){1.0f / 3.0f, 12345.678f, -1e20f};
    const md5_curve_desc desc = {
        .kind = MD5_CURVE_NURBS, ROWS(points, points), .weights = weights, .knots = knots};
    md5_curve *const curve = curve_of(&desc);
    for (int i = 0; i <= 1000; i++) {
        const md5_vec3 p = md5_curve_point(curve, i * 0.001);
        CHECK(p.x == points[0].x && p.y == points[0].y && p.z == points[0].z);
    }
    md5_destroy_curve(curve);
}

static bool is_same(md5_vec3 a, md5_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

TEST (curve_passes_its_ends_exactly) {
    md5_vec3 points[CURVE_POINTS];
    curve_points(points, 5);
    for (int kind = 0; kind < NUM_KINDS; kind++) {
        md5_curve_desc desc = every_kind[kind];
        desc.points = points;
        if (desc.kind == MD5_CURVE_B_SPLINE || (desc.kind == MD5_CURVE_NURBS && desc.is_closed))
            continue;
        md5_curve *const curve = curve_of(&desc);
        const md5_vec3 last = points[desc.is_closed ? 0 : desc.num_points - 1];
        CHECK(is_same(md5_curve_point(curve, 0.0), points[0]));
        CHECK(is_same(md5_curve_point(curve, 1.0), last));
        CHECK(is_same(md5_curve_point(curve, NAN), points[0]));
        if (!desc.is_closed)
            CHECK(is_same(md5_curve_point(curve, -7.0), points[0])
                  && is_same(md5_curve_point(curve, INFINITY), last));
        md5_destroy_curve(curve);
    }
}

TEST (curve_catmull_rom_passes_all_points) {
    md5_vec3 points[CURVE_POINTS];
    curve_points(points, 6);
    for (int kind = 0; kind < 4; kind++) {
        md5_curve_desc desc = every_kind[kind];
        desc.points = points;
        md5_curve *const curve = curve_of(&desc);
        CHECK(md5_curve_start(curve, 0) == 0.0);
        CHECK(md5_curve_start(curve, desc.is_closed ? 7 : 6) == 1.0);
        for (uint32_t i = 0; i < 7; i++)
            CHECK(is_same(md5_curve_point(curve, md5_curve_start(curve, i)), points[i]));
        md5_destroy_curve(curve);
    }
}

TEST (curve_closed_goes_round) {
    md5_vec3 points[CURVE_POINTS];
    curve_points(points, 8);
    for (int kind = 0; kind < NUM_KINDS; kind++) {
        md5_curve_desc desc = every_kind[kind];
        if (!desc.is_closed)
            continue;
        desc.points = points;
        md5_curve *const curve = curve_of(&desc);
        for (int i = 0; i < 64; i++) {
            const double t = i / 64.0;
            CHECK(is_same(md5_curve_point(curve, t), md5_curve_point(curve, t + 3.0)));
            CHECK(is_same(md5_curve_point(curve, t), md5_curve_point(curve, t - 2.0)));
        }
        const double length = md5_curve_length(curve);
        CHECK_NEAR(md5_curve_at_distance(curve, 2.25 * length),
                   md5_curve_at_distance(curve, 0.25 * length), 1e-9);
        CHECK_NEAR(md5_curve_at_distance(curve, -0.75 * length),
                   md5_curve_at_distance(curve, 0.25 * length), 1e-9);
        CHECK(is_same(md5_curve_point(curve, INFINITY), md5_curve_point(curve, 0.0)));
        md5_destroy_curve(curve);
    }
}

// Compares tangents just before and just after the start of each piece. Cubic Bézier curves are
// left out, because their points decide how pieces join.
TEST (curve_has_no_jump_in_its_velocity) {
    md5_vec3 points[CURVE_POINTS];
    curve_points(points, 10);
    for (int kind = 0; kind < NUM_KINDS; kind++) {
        md5_curve_desc desc = every_kind[kind];
        if (desc.kind == MD5_CURVE_CUBIC_BEZIER)
            continue;
        desc.points = points;
        md5_curve *const curve = curve_of(&desc);
        for (uint32_t i = desc.is_closed ? 0 : 1; md5_curve_start(curve, i) < 1.0; i++) {
            const double start = md5_curve_start(curve, i);
            const md5_vec3 before = md5_curve_tangent(curve, start - 1e-9);
            const md5_vec3 after = md5_curve_tangent(curve, start + 1e-9);
            const double jump = (double)md5_vec3_length(md5_vec3_sub(after, before));
            CHECK_NEAR(jump / (double)md5_vec3_length(after), 0.0, 1e-4);
        }
        md5_destroy_curve(curve);
    }
}
