// Tests of points, tangents and lengths of curves, compared with textbook formulas in double
// precision that share no code with the library.
//
// "Textbook forms" contains the formulas; the remaining parts compare points and tangents, basis
// functions, lengths, and test hostile input.
#include "test/misuse.h"
#include "test/scoped.h"
#include "test/real.h"

#include <float.h>

// Random points and curves for tests, and distances to points in double precision.

enum { CURVE_POINTS = 12 };

typedef struct point3 {
    double x[3];
} point3;

// Fills `points` with random points in a box of 20 units.
static void curve_points(md5_vec3 points[CURVE_POINTS], uint64_t seed)
{
    for (int i = 0; i < CURVE_POINTS; i++) {
        points[i].x = test_betweenf(-10, 10, &seed);
        points[i].y = test_betweenf(-10, 10, &seed);
        points[i].z = test_betweenf(-10, 10, &seed);
    }
}

// Creates the curve of a description that must be valid.
static md5_curve *create_curve(const md5_curve_desc *desc)
{
    md5_error error = {0};
    md5_curve *const curve = md5_create_curve(desc, NULL, &error);
    CHECK_DONE(curve, error);
    return curve;
}

static double curve_distance(md5_vec3 a, point3 b)
{
    const double x = a.x - b.x[0];
    const double y = a.y - b.x[1];
    const double z = a.z - b.x[2];
    return sqrt(x * x + y * y + z * z);
}

static point3 weighted_sum(const md5_vec3 *points, const double *shares, int count)
{
    point3 sum = {{0, 0, 0}};
    for (int i = 0; i < count; i++) {
        sum.x[0] += shares[i] * points[i].x;
        sum.x[1] += shares[i] * points[i].y;
        sum.x[2] += shares[i] * points[i].z;
    }
    return sum;
}

typedef point3 exact_curve(const md5_curve_desc *desc, double t);

// -- Textbook forms -------------------------------------------------------------------------------

// Bernstein polynomials.
static point3 exact_bezier(const md5_curve_desc *desc, double t)
{
    const int degree = (int)desc->num_points - 1;
    double shares[CURVE_POINTS] = {0};
    double binomial = 1;
    for (int i = 0; i <= degree; i++) {
        shares[i] = binomial * pow(t, i) * pow(1 - t, degree - i);
        binomial = binomial * (degree - i) / (i + 1);
    }
    return weighted_sum(desc->points, shares, degree + 1);
}

static point3 exact_cubic_bezier(const md5_curve_desc *desc, double t)
{
    const int n = (int)desc->num_points;
    const int count = desc->is_closed ? n / 3 : (n - 1) / 3;
    const int piece = (int)fmin(floor(t * count), count - 1);
    md5_vec3 four[4];
    for (int i = 0; i < 4; i++)
        four[i] = desc->points[(3 * piece + i) % n];
    const md5_curve_desc piece_desc = {ROWS(points, four)};
    return exact_bezier(&piece_desc, t * count - piece);
}

// Returns a point of the curve by the basis matrix of Catmull and Rom for the tension 1/2. Points
// are mirrored at the ends.
static point3 exact_uniform_catmull_rom(const md5_curve_desc *desc, double t)
{
    const int n = (int)desc->num_points;
    const int count = desc->is_closed ? n : n - 1;
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
    return weighted_sum(desc->points, shares, n);
}

static point3 at_point(const md5_curve_desc *desc, int i)
{
    const int n = (int)desc->num_points;
    if (desc->is_closed || (i >= 0 && i < n)) {
        const md5_vec3 p = desc->points[(i + n) % n];
        return (point3){{p.x, p.y, p.z}};
    }
    point3 mirrored;
    const point3 end = at_point(desc, i < 0 ? 0 : n - 1);
    const point3 next = at_point(desc, i < 0 ? 1 : n - 2);
    for (int k = 0; k < 3; k++)
        mirrored.x[k] = 2 * end.x[k] - next.x[k];
    return mirrored;
}

static double step_square_root(const md5_curve_desc *desc, int i)
{
    const point3 a = at_point(desc, i);
    const point3 b = at_point(desc, i + 1);
    double square = 0;
    for (int k = 0; k < 3; k++)
        square += (b.x[k] - a.x[k]) * (b.x[k] - a.x[k]);
    return pow(square, 0.25);
}

// Returns a point of the curve by the pyramid of Barry and Goldman 1988. Knot intervals are square
// roots of distances.
static point3 exact_centripetal(const md5_curve_desc *desc, double t)
{
    const int n = (int)desc->num_points;
    const int count = desc->is_closed ? n : n - 1;
    double total = 0;
    double start = 0;
    for (int i = 0; i < count; i++)
        total += step_square_root(desc, i);
    int piece = 0;
    while (piece + 1 < count && start + step_square_root(desc, piece) <= t * total)
        start += step_square_root(desc, piece++);
    double knots[4];
    knots[1] = start;
    knots[0] = start - step_square_root(desc, piece - 1);
    knots[2] = start + step_square_root(desc, piece);
    knots[3] = knots[2] + step_square_root(desc, piece + 1);
    point3 p[4];
    for (int i = 0; i < 4; i++)
        p[i] = at_point(desc, piece - 1 + i);
    const double x = t * total;
    for (int round = 1; round <= 3; round++) {
        for (int i = 0; i + round < 4; i++) {
            // The points of round 1 depend on one interval, the points of round 2 on two intervals,
            // and the points of round 3 on the middle interval.
            const double from = round == 3 ? knots[1] : knots[i];
            const double to = round == 3 ? knots[2] : knots[i + round];
            const double fraction = (x - from) / (to - from);
            for (int k = 0; k < 3; k++)
                p[i].x[k] = (1 - fraction) * p[i].x[k] + fraction * p[i + 1].x[k];
        }
    }
    return p[0];
}

// Returns a basis function of Cox and de Boor.
static double basis(const double *knots, int i, int degree, double u)
{
    if (degree == 0)
        return u >= knots[i] && u < knots[i + 1] ? 1 : 0.0;
    const double left = knots[i + degree] - knots[i];
    const double right = knots[i + degree + 1] - knots[i + 1];
    double sum = 0;
    if (left > 0)
        sum += (u - knots[i]) / left * basis(knots, i, degree - 1, u);
    if (right > 0)
        sum += (knots[i + degree + 1] - u) / right * basis(knots, i + 1, degree - 1, u);
    return sum;
}

static point3 rational_sum(const md5_curve_desc *desc, const double *knots, int degree, double u)
{
    double shares[CURVE_POINTS];
    double total = 0;
    const int n = (int)desc->num_points;
    for (int i = 0; i < n; i++) {
        shares[i] = basis(knots, i, degree, u) * (desc->weights ? desc->weights[i] : 1);
        total += shares[i];
    }
    for (int i = 0; i < n; i++)
        shares[i] /= total;
    return weighted_sum(desc->points, shares, n);
}

static point3 exact_nurbs(const md5_curve_desc *desc, double t)
{
    const int n = (int)desc->num_points;
    const int degree = desc->degree ? (int)desc->degree : 3;
    double knots[2 * CURVE_POINTS + 16];
    for (int i = 0; i <= n + degree; i++)
        knots[i] = desc->knots ? desc->knots[i] : fmin(fmax(i - degree, 0), n - degree);
    return rational_sum(desc, knots, degree, knots[degree] + t * (knots[n] - knots[degree]));
}

// Returns a point of a uniform cubic B-spline as the sum of the basis functions, in double
// precision. The knots are 0, 1, 2, ... A closed spline is computed as an open spline whose last
// points repeat the first points.
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
        shares[i] = basis(knots, i, 3, 3 + t * (count - 3));
    return weighted_sum(points, shares, count);
}

// -- Points and tangents --------------------------------------------------------------------------

static bool check_at(const md5_curve *curve, const md5_curve_desc *desc, exact_curve *exact,
                     double t)
{
    const double h = 1e-6;
    const point3 point_before = exact(desc, t - h);
    const point3 point_after = exact(desc, t + h);
    point3 tangent;
    for (int k = 0; k < 3; k++)
        tangent.x[k] = (point_after.x[k] - point_before.x[k]) / (2 * h);
    return CHECK_SMALL(curve_distance(md5_curve_point(curve, t), exact(desc, t)), 1e-5)
           && CHECK_SMALL(curve_distance(md5_curve_tangent(curve, t), tangent), 5e-4);
}

// Avoids the starts of pieces, where the difference would span two pieces.
static void check_curve(const md5_curve_desc *desc, exact_curve *exact)
{
    SCOPED_CURVE curve = create_curve(desc);
    uint64_t random = 9;
    if (curve) {
        for (int i = 0; i < 500; i++) {
            const double t = 1e-5 + 0.99998 * test_random(&random);
            bool is_near_start = false;
            for (uint32_t piece = 0; !is_near_start && md5_curve_start(curve, piece) < t + 1e-5;
                 piece++)
                is_near_start = fabs(md5_curve_start(curve, piece) - t) < 1e-5;
            if (!is_near_start && !check_at(curve, desc, exact, t))
                break;
        }
    }
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

// The knots are not clamped, occur repeatedly, and have very different distances.
TEST (curve_nurbs_with_nonuniform_knots) {
    static const float knots[] = {-1,    0, 0.5f, 1, 1.5f, 1.5f, 1.5f, 4,
                                  4.25f, 7, 7,    8, 9,    12,   13,   13.5f};
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
enum { NUM_KINDS = COUNT_OF(every_kind) };

static md5_curve_desc make_kind(int kind, const md5_vec3 *points)
{
    md5_curve_desc desc = every_kind[kind];
    desc.points = points;
    return desc;
}

static bool is_same(md5_vec3 a, md5_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Basis functions with the sum 1 do not move a curve whose points are all equal.
TEST (curve_of_equal_points_is_a_point) {
    md5_vec3 points[CURVE_POINTS];
    for (int i = 0; i < CURVE_POINTS; i++)
        points[i] = (md5_vec3){3.1f, -77.7f, 1e-3f};
    for (int kind = 0; kind < NUM_KINDS; kind++) {
        const md5_curve_desc desc = make_kind(kind, points);
        SCOPED_CURVE curve = create_curve(&desc);
        CHECK_SMALL(md5_curve_length(curve), 1e-12);
        for (int i = 0; i < 101; i++) {
            const md5_vec3 p = md5_curve_point(curve, i * 0.01);
            const md5_vec3 tangent = md5_curve_tangent(curve, i * 0.01);
            CHECK(is_same(p, points[0]));
            CHECK_SMALL(md5_vec3_length(tangent), 1e-10);
        }
        const double t = md5_curve_at_distance(curve, 5);
        CHECK(t >= 0 && t <= 1);
    }
}

// The sum of the basis functions is 1 for any weights and knots, even if they are very uneven.
TEST (curve_nurbs_of_equal_points_is_a_point_for_any_weights) {
    static const float weights[] = {0.001f, 1000, 1, 0.5f, 7, 0.001f, 1000};
    static const float knots[] = {0, 0, 0, 0, 1, 1, 5, 9, 9, 9, 9};
    md5_vec3 points[7];
    for (int i = 0; i < 7; i++)
        points[i] = (md5_vec3){1.0f / 3, 12345.678f, -1e20f};
    const md5_curve_desc desc = {
        .kind = MD5_CURVE_NURBS, ROWS(points, points), .weights = weights, .knots = knots};
    SCOPED_CURVE curve = create_curve(&desc);
    for (int i = 0; i < 1001; i++) {
        CHECK(is_same(md5_curve_point(curve, i * 0.001), points[0]));
    }
}

TEST (curve_passes_its_ends_exactly) {
    md5_vec3 points[CURVE_POINTS];
    curve_points(points, 5);
    for (int kind = 0; kind < NUM_KINDS; kind++) {
        const md5_curve_desc desc = make_kind(kind, points);
        if (desc.kind == MD5_CURVE_B_SPLINE || (desc.kind == MD5_CURVE_NURBS && desc.is_closed))
            continue;
        SCOPED_CURVE curve = create_curve(&desc);
        const md5_vec3 last = points[desc.is_closed ? 0 : desc.num_points - 1];
        CHECK(is_same(md5_curve_point(curve, 0), points[0]));
        CHECK(is_same(md5_curve_point(curve, 1), last));
        CHECK(is_same(md5_curve_point(curve, NAN), points[0]));
        if (!desc.is_closed)
            CHECK(is_same(md5_curve_point(curve, -7), points[0])
                  && is_same(md5_curve_point(curve, INFINITY), last));
    }
}

TEST (curve_catmull_rom_passes_all_points) {
    md5_vec3 points[CURVE_POINTS];
    curve_points(points, 6);
    for (int kind = 0; kind < 4; kind++) {
        const md5_curve_desc desc = make_kind(kind, points);
        SCOPED_CURVE curve = create_curve(&desc);
        CHECK(md5_curve_start(curve, 0) == 0);
        CHECK(md5_curve_start(curve, desc.is_closed ? 7 : 6) == 1);
        for (uint32_t i = 0; i < 7; i++)
            CHECK(is_same(md5_curve_point(curve, md5_curve_start(curve, i)), points[i]));
    }
}

TEST (curve_that_is_closed_returns_to_its_start) {
    md5_vec3 points[CURVE_POINTS];
    curve_points(points, 8);
    for (int kind = 0; kind < NUM_KINDS; kind++) {
        const md5_curve_desc desc = make_kind(kind, points);
        if (!desc.is_closed)
            continue;
        SCOPED_CURVE curve = create_curve(&desc);
        for (int i = 0; i < 64; i++) {
            const double t = i / 64.0;
            CHECK(is_same(md5_curve_point(curve, t), md5_curve_point(curve, t + 3)));
            CHECK(is_same(md5_curve_point(curve, t), md5_curve_point(curve, t - 2)));
        }
        const double length = md5_curve_length(curve);
        CHECK_NEAR(md5_curve_at_distance(curve, 2.25 * length),
                   md5_curve_at_distance(curve, 0.25 * length), 1e-9);
        CHECK_NEAR(md5_curve_at_distance(curve, -0.75 * length),
                   md5_curve_at_distance(curve, 0.25 * length), 1e-9);
        CHECK(is_same(md5_curve_point(curve, INFINITY), md5_curve_point(curve, 0)));
    }
}

// Compares tangents just before and just after the start of each piece. Cubic Bézier curves are
// skipped, because their points determine how pieces are connected.
TEST (curve_has_no_jump_in_its_velocity) {
    md5_vec3 points[CURVE_POINTS];
    curve_points(points, 10);
    for (int kind = 0; kind < NUM_KINDS; kind++) {
        const md5_curve_desc desc = make_kind(kind, points);
        if (desc.kind == MD5_CURVE_CUBIC_BEZIER)
            continue;
        SCOPED_CURVE curve = create_curve(&desc);
        for (uint32_t i = desc.is_closed ? 0 : 1; md5_curve_start(curve, i) < 1; i++) {
            const double start = md5_curve_start(curve, i);
            const md5_vec3 tangent_before = md5_curve_tangent(curve, start - 1e-9);
            const md5_vec3 tangent_after = md5_curve_tangent(curve, start + 1e-9);
            const double jump = md5_vec3_length(md5_vec3_sub(tangent_after, tangent_before));
            CHECK_SMALL(jump / (double)md5_vec3_length(tangent_after), 1e-4);
        }
    }
}

// -- Lengths --------------------------------------------------------------------------------------

// Lengths and distances along curves, compared with closed forms.

static const double pi = 3.14159265358979324;

// Creates a circle of radius r in the plane z = 5 from four quarters of degree 2 (Piegl and Tiller,
// The NURBS Book, 7.5).
static md5_curve *create_circle(float r)
{
    static const float x[] = {1, 1, 0, -1, -1, -1, 0, 1, 1};
    static const float y[] = {0, 1, 1, 1, 0, -1, -1, -1, 0};
    static const float knots[] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4};
    const float half = (float)sqrt(0.5);
    const float weights[] = {1, half, 1, half, 1, half, 1, half, 1};
    md5_vec3 points[9];
    for (int i = 0; i < 9; i++)
        points[i] = (md5_vec3){r * x[i], r * y[i], 5};
    const md5_curve_desc desc = {.kind = MD5_CURVE_NURBS,
                                 ROWS(points, points),
                                 .degree = 2,
                                 .weights = weights,
                                 .knots = knots};
    return create_curve(&desc);
}

TEST (curve_nurbs_circle_is_a_circle) {
    SCOPED_CURVE circle = create_circle(1);
    CHECK(md5_curve_start(circle, 3) < 1 && md5_curve_start(circle, 4) == 1);
    for (int i = 0; i < 10001; i++) {
        const md5_vec3 p = md5_curve_point(circle, i / 10000.0);
        const md5_vec3 tangent = md5_curve_tangent(circle, i / 10000.0);
        if (!CHECK_NEAR(hypot((double)p.x, (double)p.y), 1, 1e-6) || !CHECK(p.z == 5)
            || !CHECK_SMALL((p.x * tangent.x + p.y * tangent.y), 1e-5))
            break;
    }
    CHECK_NEAR(md5_curve_length(circle), 2 * pi, 1e-6);
}

TEST (curve_equal_distances_on_a_circle_are_equal_angles) {
    SCOPED_CURVE circle = create_circle(10);
    const double length = md5_curve_length(circle);
    for (int i = 0; i < 721; i++) {
        const double angle = 2 * pi * i / 720.0;
        const md5_vec3 p = md5_curve_point(circle, md5_curve_at_distance(circle, length * i / 720));
        if (!CHECK_NEAR(p.x, 10 * cos(angle), 1e-5) || !CHECK_NEAR(p.y, 10 * sin(angle), 1e-5))
            break;
    }
}

TEST (curve_length_of_a_line_is_its_distance) {
    const md5_vec3 points[] = {{1, 2, 3}, {4, 6, 15}};
    const md5_curve_desc desc = {ROWS(points, points)};
    SCOPED_CURVE line = create_curve(&desc);
    CHECK_NEAR(md5_curve_length(line), 13, 1e-12);
    for (int i = 0; i < 11; i++) {
        CHECK_NEAR(md5_curve_at_distance(line, 1.3 * i), 0.1 * i, 1e-9);
        CHECK_NEAR(md5_curve_distance(line, 0.1 * i), 1.3 * i, 1e-9);
    }
}

// y = x^2 from 0 to 1, whose length is sqrt(5) / 2 + asinh(2) / 4, and from 0 to x is
// (2 x sqrt(1 + 4 x^2) + asinh(2 x)) / 4.
TEST (curve_length_of_a_parabola) {
    const md5_vec3 points[] = {{0, 0, 0}, {0.5f, 0, 0}, {1, 1, 0}};
    const md5_curve_desc desc = {.kind = MD5_CURVE_BEZIER, ROWS(points, points)};
    SCOPED_CURVE parabola = create_curve(&desc);
    CHECK_NEAR(md5_curve_length(parabola), sqrt(5.0) / 2.0 + asinh(2) / 4.0, 1e-6);
    for (int i = 0; i < 101; i++) {
        const double x = 0.01 * i;
        const double exact = (2 * x * sqrt(1 + 4 * x * x) + asinh(2 * x)) / 4.0;
        CHECK_NEAR(md5_curve_distance(parabola, x), exact, 1e-6);
        CHECK_NEAR(md5_curve_at_distance(parabola, exact), x, 2e-6);
    }
}

// (t^2, t^3) for t from -1 to 1 has a cusp in the middle, where its speed is 0. Its length is
// 2 (13 sqrt(13) - 8) / 27.
TEST (curve_length_with_a_cusp) {
    const md5_vec3 points[] = {{1, -1, 0}, {-1.0f / 3, 1, 0}, {-1.0f / 3, -1, 0}, {1, 1, 0}};
    const md5_curve_desc desc = {.kind = MD5_CURVE_BEZIER, ROWS(points, points)};
    SCOPED_CURVE cusp = create_curve(&desc);
    CHECK_SMALL(md5_vec3_length(md5_curve_tangent(cusp, 0.5)), 1e-6);
    const double length = 2 * (13 * sqrt(13.0) - 8) / 27.0;
    CHECK_NEAR(md5_curve_length(cusp), length, 1e-6);
    CHECK_NEAR(md5_curve_distance(cusp, 0.5), length / 2.0, 1e-6);
    CHECK_NEAR(md5_curve_at_distance(cusp, length / 2.0), 0.5, 1e-3);
}

// Compares a random curve with a polygon that has enough sides for an error below the tolerance.
TEST (curve_length_equals_that_of_a_fine_polygon) {
    md5_vec3 points[CURVE_POINTS];
    curve_points(points, 3);
    const md5_curve_desc desc = {ROWS(points, points), .is_closed = true};
    SCOPED_CURVE curve = create_curve(&desc);
    const int num_sides = 4000;
    double sum = 0;
    md5_vec3 last = md5_curve_point(curve, 0);
    for (int i = 1; i <= num_sides; i++) {
        const md5_vec3 p = md5_curve_point(curve, (double)i / num_sides);
        sum += real_distance(p, last);
        last = p;
    }
    CHECK_NEAR(md5_curve_length(curve) / sum, 1, 2e-5);
}

TEST (curve_distance_and_parameter_are_inverse) {
    md5_vec3 points[CURVE_POINTS];
    for (uint64_t seed = 1; seed <= 20; seed++) {
        curve_points(points, seed);
        md5_curve_desc desc = {ROWS(points, points)};
        desc.kind = seed % 2 ? MD5_CURVE_CATMULL_ROM : MD5_CURVE_B_SPLINE;
        desc.is_closed = seed % 4 < 2;
        SCOPED_CURVE curve = create_curve(&desc);
        const double length = md5_curve_length(curve);
        double last = 0;
        CHECK(md5_curve_at_distance(curve, 0) == 0);
        for (int i = 1; i < 1000; i++) {
            const double distance = length * i / 1000.0;
            const double t = md5_curve_at_distance(curve, distance);
            if (!CHECK(t >= last && t <= 1)
                || !CHECK_NEAR(md5_curve_distance(curve, t) / length, i / 1000.0, 1e-6))
                break;
            last = t;
        }
        if (!desc.is_closed) {
            CHECK(md5_curve_at_distance(curve, length) == 1);
            CHECK(md5_curve_distance(curve, 1) == length);
            CHECK(md5_curve_at_distance(curve, 2 * length) == 1);
            CHECK(md5_curve_at_distance(curve, -1) == 0);
        }
        CHECK(md5_curve_at_distance(curve, NAN) == 0 && md5_curve_distance(curve, NAN) == 0);
    }
}

// Chords of equal steps along a smooth curve differ only by its curvature.
TEST (curve_equal_distances_are_equal_steps) {
    md5_vec3 points[CURVE_POINTS];
    curve_points(points, 4);
    const md5_curve_desc desc = {.kind = MD5_CURVE_B_SPLINE, ROWS(points, points)};
    SCOPED_CURVE curve = create_curve(&desc);
    const int num_steps = 8000;
    const double step = md5_curve_length(curve) / num_steps;
    md5_vec3 last = md5_curve_point(curve, 0);
    for (int i = 1; i <= num_steps; i++) {
        const md5_vec3 p = md5_curve_point(curve, md5_curve_at_distance(curve, i * step));
        if (!CHECK_NEAR(md5_vec3_length(md5_vec3_sub(p, last)) / step, 1, 1e-3))
            break;
        last = p;
    }
}

// -- Hostile input --------------------------------------------------------------------------------

// Curves of extreme numbers, rejected descriptions, failing memory, invalid calls.

static const md5_vec3 line[MD5_MAX_CURVE_DEGREE + 2] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0},
                                                        {4, 0, 0}, {5, 0, 0}, {6, 0, 0}, {7, 0, 0}};

static void refuse(const md5_curve_desc *desc, const char *message)
{
    md5_error error = {0};
    SCOPED_CURVE curve = md5_create_curve(desc, NULL, &error);
    CHECK_FAILS(curve, error, MD5_ERROR_RANGE);
    CHECK_STRING(error.message, message);
}

TEST (curve_rejects_wrong_numbers_of_points) {
    static const struct {
        md5_curve_desc desc; // its points are taken from `line`
        const char *message;
    } cases[] = {
        {{.num_points = 0},
         "wrong number of points of the open Catmull-Rom curve: expected 2 to 1048576, found 0"},
        {{.num_points = 2, .is_closed = true},
         "wrong number of points of the closed Catmull-Rom curve: expected 3 to 1048576, found 2"},
        {{.num_points = MD5_MAX_CURVE_POINTS + 1},
         "wrong number of points of the open Catmull-Rom curve: expected 2 to 1048576, found "
         "1048577"},
        {{.kind = MD5_CURVE_CUBIC_BEZIER, .num_points = 5},
         "wrong number of points of the open cubic Bézier curve: expected 3 n + 1, found 5"},
        {{.kind = MD5_CURVE_CUBIC_BEZIER, .num_points = 4, .is_closed = true},
         "wrong number of points of the closed cubic Bézier curve: expected 3 n, found 4"},
        {{.kind = MD5_CURVE_BEZIER, .num_points = 17},
         "wrong number of points of the open Bézier curve: expected 2 to 16, found 17"},
        {{.kind = MD5_CURVE_BEZIER, .num_points = 4, .is_closed = true},
         "closed Bézier curve is not supported: expected an open curve"},
        {{.kind = MD5_CURVE_B_SPLINE, .num_points = 3},
         "wrong number of points of the open B-spline: expected 4 to 1048576, found 3"},
        {{.kind = MD5_CURVE_NURBS, .num_points = 5, .degree = 5},
         "wrong number of points of the open NURBS: expected 6 to 1048576, found 5"},
        {{.kind = MD5_CURVE_NURBS, .num_points = 8, .degree = 16},
         "curve degree is out of range: expected at most 15, found 16"},
        {{.kind = (md5_curve_kind)6, .num_points = 8},
         "curve kind is out of range: expected 0 to 5, found 6"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        md5_curve_desc desc = cases[i].desc;
        desc.points = line;
        refuse(&desc, cases[i].message);
    }
}

TEST (curve_rejects_points_that_are_not_finite) {
    const md5_vec3 points[] = {{0, 0, 0}, {1, INFINITY, 2}};
    refuse(&(md5_curve_desc){.points = points, .num_points = 2},
           "point 1 is not finite: expected finite coordinates, found ( 1 inf 2 )");
}

// The points are equally spaced on a line, so the curve passes it at a constant speed.
TEST (curve_may_have_a_degree_of_15) {
    md5_vec3 points[MD5_MAX_CURVE_DEGREE + 1] = {{0, 0, 0}};
    for (int i = 0; i <= MD5_MAX_CURVE_DEGREE; i++)
        points[i].x = (float)i;
    const md5_curve_desc desc = {
        .kind = MD5_CURVE_NURBS, ROWS(points, points), .degree = MD5_MAX_CURVE_DEGREE};
    md5_error error = {0};
    SCOPED_CURVE curve = md5_create_curve(&desc, NULL, &error);
    if (CHECK_DONE(curve, error))
        CHECK_NEAR(md5_curve_point(curve, 0.5).x, 0.5 * (double)MD5_MAX_CURVE_DEGREE, 1e-5);
}

TEST (curve_rejects_invalid_weights) {
    // The limits are accepted by curve_of_hostile_weights_and_knots_is_finite.
    const float bad[] = {0, -1, nextafterf(0.001f, 0), nextafterf(1000, INFINITY), INFINITY};
    STRINGS(messages) = {"0", "-1", "0.001", "1000", "inf"};
    for (int i = 0; i < 5; i++) {
        const float weights[] = {1, 1, bad[i], 1};
        char message[80] = "weight 2 is out of range: expected 0.001 to 1000, found ";
        strcat(message, messages[i]);
        refuse(
            &(md5_curve_desc){
                .kind = MD5_CURVE_NURBS, .points = line, .num_points = 4, .weights = weights},
            message);
    }
    const float nan[] = {NAN, 1, 1, 1};
    CHECK(!md5_create_curve(
        &(md5_curve_desc){.kind = MD5_CURVE_NURBS, .points = line, .num_points = 4, .weights = nan},
        NULL, NULL));
    const float weights[] = {1, 1, 1, 1};
    refuse(
        &(md5_curve_desc){
            .kind = MD5_CURVE_B_SPLINE, .points = line, .num_points = 4, .weights = weights},
        "degree, weights and knots are only supported for NURBS: expected none, found some for a "
        "B-spline");
}

TEST (curve_rejects_invalid_knots) {
    static const struct {
        float knots[10];
        const char *message;
    } cases[] = {
        {{0, 0, 0, 0, 2, 1, 3, 3, 3, 3}, "knots are not ascending: knot 5 is 1, but knot 4 is 2"},
        {{0, 0, 0, INFINITY, 1, 2, 3, 3, 3, 3},
         "knot 3 is not finite: expected a finite number, found inf"},
        {{0, 0, 0, 1, 1, 1, 1, 3, 3, 3},
         "range of the knots is empty: expected knot 3 to be less than knot 6, found 1 for both"},
        {{0, 0, 1, 1, 1, 1, 3, 3, 3, 3},
         "too many equal knots: knots 2 to 5 are all 1, expected at most 3 equal knots"},
        {{0, 0, 0, 0, 1e-10f, 1, 3, 3, 3, 3},
         "knots 3 and 4 are too close: expected a difference of 0 or at least 3e-09, found 1e-10"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        refuse(
            &(md5_curve_desc){
                .kind = MD5_CURVE_NURBS, .points = line, .num_points = 6, .knots = cases[i].knots},
            cases[i].message);
    refuse(&(md5_curve_desc){.kind = MD5_CURVE_NURBS,
                             .points = line,
                             .num_points = 6,
                             .is_closed = true,
                             .knots = cases[0].knots},
           "closed NURBS has knots: expected no knots, because closed NURBS are uniform");
}

static bool is_finite(md5_vec3 v)
{
    return fabsf(v.x) <= FLT_MAX && fabsf(v.y) <= FLT_MAX && fabsf(v.z) <= FLT_MAX;
}

static void check_finite(const md5_curve_desc *desc)
{
    SCOPED_CURVE curve = create_curve(desc);
    const double length = md5_curve_length(curve);
    CHECK(length >= 0 && length < HUGE_VAL);
    for (int i = 0; i < 201; i++) {
        const double t = i / 200.0;
        const double at = md5_curve_at_distance(curve, t * length);
        if (!CHECK(at >= 0 && at <= 1) || !CHECK(is_finite(md5_curve_point(curve, t))))
            break;
        if (!CHECK(is_finite(md5_curve_tangent(curve, t))))
            break;
        if (!CHECK(md5_curve_distance(curve, t) <= length * (1 + 1e-6)))
            break;
    }
}

// Tests the largest and smallest floats, and repeated points.
TEST (curve_of_hostile_points_is_finite) {
    static const float values[] = {0,      1,     -1,      FLT_MAX, -FLT_MAX, FLT_MIN,
                                   1e-45f, 1e19f, -1e-19f, 1,       0,        1e30f};
    uint64_t random = 1;
    for (int round = 0; round < 60; round++) {
        md5_vec3 points[CURVE_POINTS];
        for (int i = 0; i < CURVE_POINTS; i++) {
            points[i].x = values[test_random_u32(&random) % 12];
            points[i].y = values[test_random_u32(&random) % 12];
            points[i].z = values[test_random_u32(&random) % 12];
            if (i > 0 && test_random_u32(&random) % 2 == 0)
                points[i] = points[i - 1];
        }
        static const uint32_t counts[] = {12, 12, 10, 9, 12, 12};
        for (int kind = 0; kind <= MD5_CURVE_NURBS; kind++)
            check_finite(&(md5_curve_desc){
                .kind = (md5_curve_kind)kind, .points = points, .num_points = counts[kind]});
    }
}

TEST (curve_of_hostile_weights_and_knots_is_finite) {
    static const float knots[] = {-FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX, -1e37f,  0,
                                  0,        0,        1e38f,    FLT_MAX,  FLT_MAX, FLT_MAX};
    static const float weights[] = {0.001f, 1000, 0.001f, 1000, 1000, 0.001f, 0.001f, 1};
    check_finite(&(md5_curve_desc){.kind = MD5_CURVE_NURBS,
                                   .points = line,
                                   .num_points = 8,
                                   .weights = weights,
                                   .knots = knots});
}

// Between equal points a Catmull-Rom curve stands still or almost still; elsewhere it advances.
TEST (curve_with_equal_neighbors_still_passes_them) {
    const md5_vec3 points[] = {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 2, 0}};
    SCOPED_CURVE curve = create_curve(&(md5_curve_desc){.points = points, .num_points = 6});
    for (uint32_t i = 0; i < 6; i++) {
        CHECK(is_same(md5_curve_point(curve, md5_curve_start(curve, i)), points[i]));
    }
    CHECK_NEAR(md5_curve_length(curve), 3, 0.1);
}

TEST (curve_of_many_points_has_the_right_length) {
    enum { MANY = 100000 };
    static md5_vec3 points[MANY];
    for (int i = 0; i < MANY; i++)
        points[i] = (md5_vec3){(float)i, 0, 0};
    SCOPED_CURVE curve = create_curve(&(md5_curve_desc){.points = points, .num_points = MANY});
    CHECK_NEAR(md5_curve_length(curve), MANY - 1, 1e-3);
    CHECK_NEAR(md5_curve_point(curve, md5_curve_at_distance(curve, 77777.25)).x, 77777.25, 1e-2);
}

TEST (curve_survives_failure_of_every_allocation) {
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        SCOPED_CURVE curve = md5_create_curve(&(md5_curve_desc){.points = line, .num_points = 8},
                                              &failure.opts.allocator, &failure.error);
        CHECK_FAILURE(failure, curve);
    }
    const md5_allocator small = {.limit = 100};
    md5_error error = {0};
    CHECK_FAILS(
        md5_create_curve(&(md5_curve_desc){.points = line, .num_points = 8}, &small, &error), error,
        MD5_ERROR_MEMORY);
    md5_destroy_curve(NULL);
}

// -- Errors ---------------------------------------------------------------------------------------

#if !defined(NDEBUG)

TEST (errors_with_curves_are_reported) {
    static const md5_curve_desc no_points = {.num_points = 3};
    static const md5_curve_desc reserved = {.reserved = {0, 1}};
    SCOPED_CURVE curve = create_curve(&(md5_curve_desc){.points = line, .num_points = 8});
    MISUSE("md5_create_curve(): desc: must not be NULL", md5_create_curve(test_null(), NULL, NULL));
    MISUSE("md5_create_curve(): desc->points: must not be NULL",
           md5_create_curve(&no_points, NULL, NULL));
    MISUSE("md5_create_curve(): desc: reserved members must be 0",
           md5_create_curve(&reserved, NULL, NULL));
    MISUSE("md5_curve_point(): curve: must not be NULL", md5_curve_point(test_null(), 0.5));
    MISUSE("md5_curve_tangent(): curve: must not be NULL", md5_curve_tangent(test_null(), 0.5));
    MISUSE("md5_curve_at_distance(): curve: must not be NULL",
           md5_curve_at_distance(test_null(), 0.5));
    MISUSE("md5_curve_start(): piece: must be at most the number of pieces",
           md5_curve_start(curve, 8));
}

#endif
