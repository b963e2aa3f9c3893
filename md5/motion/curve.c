// Curves through points: checks of their descriptions, conversion to pieces, arc length and
// evaluation. Also smooth rotations through keys (squad).
#include "md5/core/freed.h"
#include "md5/core/arena.h"
#include "md5/core/math.h"
#include "md5/motion/functions.h"

// All kinds of curves are converted to Bézier pieces, so that one evaluation and one computation of
// length suffice. Points are homogeneous (w x, w y, w z, w), which permits rational pieces.
typedef struct md5_vec4d {
    double x;
    double y;
    double z;
    double w;
} md5_vec4d;

typedef struct md5_pieces {
    uint32_t degree;
    uint32_t count;    // number of pieces
    double *starts;    // [count + 1] values of t at which the pieces begin; the last is 1
    md5_vec4d *points; // [count][degree + 1] control points
} md5_pieces;

// Interpolates from `a` at t = 0 to `b` at t = 1. At these t, the result is exactly `a` or `b`.
static inline md5_vec4d md5_vec4d_lerp(md5_vec4d a, md5_vec4d b, double t)
{
    const double s = 1 - t;
    return (md5_vec4d){
        s * a.x + t * b.x,
        s * a.y + t * b.y,
        s * a.z + t * b.z,
        s * a.w + t * b.w,
    };
}

// A point of a piece, and its derivative by the fraction of the piece.
typedef struct curve_sample {
    md5_vec3d point;
    md5_vec3d velocity;
} curve_sample;

// A part of one piece of a curve. It is so short that one quadrature measures its length
// accurately.
typedef struct md5_arc {
    double distance; // length of the curve up to the start of the arc, units
    double from;     // start of the arc as a fraction of the piece
    double to;       // end of the arc as a fraction of the piece
    uint32_t piece;
} md5_arc;

// == Checks ======================================================================================
//
// Checks descriptions of curves.

#define MIN_WEIGHT 0.001f
#define MAX_WEIGHT 1000.0f
#define MIN_SPAN 1e-9 // smallest span of different knots, as a fraction of their range

static const char *const curve_kind_names[] = {
    [MD5_CURVE_CATMULL_ROM] = "Catmull-Rom curve",
    [MD5_CURVE_CATMULL_ROM_UNIFORM] = "Catmull-Rom curve",
    [MD5_CURVE_CUBIC_BEZIER] = "cubic Bézier curve",
    [MD5_CURVE_BEZIER] = "Bézier curve",
    [MD5_CURVE_B_SPLINE] = "B-spline",
    [MD5_CURVE_NURBS] = "NURBS",
};

// Returns the degree of a curve's polynomials. A Bézier curve is one polynomial, whose degree
// follows from the number of points.
static uint32_t curve_degree(const md5_curve_desc *desc)
{
    switch (desc->kind) {
    case MD5_CURVE_BEZIER:
        return desc->num_points - 1;
    case MD5_CURVE_NURBS:
        return desc->degree != 0 ? desc->degree : 3;
    default:
        return 3;
    }
}

// Fails unless knot `i` is finite, and equal to the previous knot or clearly above it. `range` is
// the difference between the knots at the ends of the curve.
static bool check_knot(md5_context *context, const float *knots, uint32_t i, double range)
{
    if (!(fabsf(knots[i]) <= FLT_MAX))
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "knot %u is not finite: expected a finite number, found %g", i, knots[i]);
    if (i == 0)
        return true;

    const double step = (double)knots[i] - knots[i - 1];
    const double min_step = MIN_SPAN * range;
    if (step < 0)
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "knots are not ascending: knot %u is %g, but knot %u is %g", i, knots[i],
                        i - 1, knots[i - 1]);
    if (step > 0 && step < min_step)
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "knots %u and %u are too close: expected a difference of 0 or at least "
                        "%g, found %g",
                        i - 1, i, min_step, step);
    return true;
}

// Fails unless the knots ascend from the start to the end of the curve and do not interrupt it.
static bool check_knots(md5_context *context, const md5_curve_desc *desc)
{
    const uint32_t degree = curve_degree(desc);
    const uint32_t num_points = desc->num_points;
    const float *const knots = desc->knots;

    // The curve begins at knots[degree] and ends at knots[num_points].
    const double range = (double)knots[num_points] - knots[degree];
    for (uint32_t i = 0; i <= num_points + degree; i++)
        TRY(check_knot(context, knots, i, range));
    if (!(range > 0))
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "range of the knots is empty: expected knot %u to be less than knot %u, "
                        "found %g for both",
                        degree, num_points, knots[num_points]);

    // More than `degree` equal knots would interrupt the curve, so they are an error.
    for (uint32_t i = 1; i < num_points; i++) {
        if (knots[i] == knots[i + degree])
            return MD5_FAIL(
                context, MD5_ERROR_RANGE,
                "too many equal knots: knots %u to %u are all %g, expected at most %u equal knots",
                i, i + degree, knots[i], degree);
    }
    return true;
}

// Returns the minimum number of points of a curve.
static uint32_t min_curve_points(const md5_curve_desc *desc)
{
    if (desc->is_closed)
        return 3;
    switch (desc->kind) {
    case MD5_CURVE_CATMULL_ROM:
    case MD5_CURVE_CATMULL_ROM_UNIFORM:
    case MD5_CURVE_BEZIER:
        return 2;
    default:
        return curve_degree(desc) + 1;
    }
}

// Fails if a curve of cubic Bézier pieces cannot have this number of points. Each piece adds 3
// points. An open curve has one more, its end.
static bool check_cubic_points(md5_context *context, const md5_curve_desc *desc)
{
    const char *const form = desc->is_closed ? "closed" : "open";
    const uint32_t num_ends = desc->is_closed ? 0 : 1;
    if (desc->num_points % 3 == num_ends)
        return true;
    return MD5_FAIL(context, MD5_ERROR_RANGE,
                    "wrong number of points of the %s %s: expected 3 n%s, found %u", form,
                    curve_kind_names[desc->kind], desc->is_closed ? "" : " + 1", desc->num_points);
}

// Fails if a curve of this kind cannot have this number of points.
static bool check_num_points(md5_context *context, const md5_curve_desc *desc)
{
    const char *const kind = curve_kind_names[desc->kind];
    const char *const form = desc->is_closed ? "closed" : "open";
    const uint32_t num_points = desc->num_points;
    const uint32_t min_points = min_curve_points(desc);
    const uint32_t max_points =
        desc->kind == MD5_CURVE_BEZIER ? MD5_MAX_CURVE_DEGREE + 1 : MD5_MAX_CURVE_POINTS;
    if (num_points < min_points || num_points > max_points)
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "wrong number of points of the %s %s: expected %u to %u, found %u", form,
                        kind, min_points, max_points, num_points);
    if (desc->kind == MD5_CURVE_BEZIER && desc->is_closed)
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "closed %s is not supported: expected an open curve", kind);
    if (desc->kind == MD5_CURVE_CUBIC_BEZIER)
        return check_cubic_points(context, desc);
    return true;
}

// Fails unless all coordinates of all points are finite.
static bool check_points(md5_context *context, const md5_curve_desc *desc)
{
    for (uint32_t i = 0; i < desc->num_points; i++) {
        const md5_vec3 p = desc->points[i];
        if (!(fabsf(p.x) <= FLT_MAX && fabsf(p.y) <= FLT_MAX && fabsf(p.z) <= FLT_MAX))
            return MD5_FAIL(
                context, MD5_ERROR_RANGE,
                "point %u is not finite: expected finite coordinates, found ( %g %g %g )", i, p.x,
                p.y, p.z);
    }
    return true;
}

// Fails unless the weights of a rational curve (NURBS) are within the supported range.
static bool check_weights(md5_context *context, const md5_curve_desc *desc)
{
    if (!desc->weights)
        return true;
    for (uint32_t i = 0; i < desc->num_points; i++) {
        const float weight = desc->weights[i];
        if (!(weight >= MIN_WEIGHT && weight <= MAX_WEIGHT))
            return MD5_FAIL(context, MD5_ERROR_RANGE,
                            "weight %u is out of range: expected %g to %g, found %g", i, MIN_WEIGHT,
                            MAX_WEIGHT, weight);
    }
    return true;
}

// Fails if weights or knots of a description are outside their limits. Also fails if degree,
// weights or knots are given for a curve of another kind than NURBS.
static bool check_nurbs_data(md5_context *context, const md5_curve_desc *desc)
{
    const bool has_nurbs_data = desc->weights || desc->knots || desc->degree != 0;
    if (has_nurbs_data && desc->kind != MD5_CURVE_NURBS)
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "degree, weights and knots are only supported for NURBS: expected none, "
                        "found some for a %s",
                        curve_kind_names[desc->kind]);
    TRY(check_weights(context, desc));
    if (!desc->knots)
        return true;
    if (desc->is_closed)
        return MD5_FAIL(
            context, MD5_ERROR_RANGE,
            "closed NURBS has knots: expected no knots, because closed NURBS are uniform");
    return check_knots(context, desc);
}

// Fails if the description of a curve is not valid.
static bool check_curve(md5_context *context, const md5_curve_desc *desc)
{
    if ((unsigned)desc->kind > MD5_CURVE_NURBS)
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "curve kind is out of range: expected 0 to %u, found %u", MD5_CURVE_NURBS,
                        desc->kind);
    if (desc->degree > MD5_MAX_CURVE_DEGREE)
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "curve degree is out of range: expected at most %u, found %u",
                        MD5_MAX_CURVE_DEGREE, desc->degree);
    TRY(check_num_points(context, desc));
    TRY(check_points(context, desc));
    return check_nurbs_data(context, desc);
}

// == Pieces ======================================================================================

// Returns the point and the velocity of a piece by De Casteljau's algorithm. Each round replaces
// each pair of neighboring points by a point between them. The last round leaves the point on the
// curve. The derivative is `degree` times the difference of the two points before the last round.
//
// The points are homogeneous: the algorithm computes P = w p for the point p with the weight w. The
// velocity p' follows from the derivative P':
//
//   P' = w' p + w p'
//   p' = (P' - w' p) / w
static curve_sample evaluate_piece(const md5_pieces *pieces, uint32_t piece, double fraction)
{
    const uint32_t degree = pieces->degree;
    const md5_vec4d *const points = pieces->points + (size_t)piece * (degree + 1);
    md5_vec4d p[MD5_MAX_CURVE_DEGREE + 1];
    for (uint32_t i = 0; i <= degree; i++)
        p[i] = points[i];

    // The last round is separate, because the derivative needs the two points before it.
    for (uint32_t left = degree; left > 1; left--) {
        for (uint32_t i = 0; i < left; i++)
            p[i] = md5_vec4d_lerp(p[i], p[i + 1], fraction);
    }

    const md5_vec4d weighted_point = md5_vec4d_lerp(p[0], p[1], fraction);
    const double w = weighted_point.w;
    const md5_vec3d point = {weighted_point.x / w, weighted_point.y / w, weighted_point.z / w};
    const double weight_step = p[1].w - p[0].w;
    const double scale = degree / w;
    const md5_vec3d velocity = {
        scale * (p[1].x - p[0].x - weight_step * point.x),
        scale * (p[1].y - p[0].y - weight_step * point.y),
        scale * (p[1].z - p[0].z - weight_step * point.z),
    };
    return (curve_sample){point, velocity};
}

// Allocates the arrays of `count` pieces in an arena. Returns false if memory runs out.
static bool alloc_pieces(md5_arena *arena, md5_pieces *pieces, uint32_t degree, uint32_t count)
{
    const size_t num_points = (size_t)count * (degree + 1);
    pieces->degree = degree;
    pieces->count = count;
    pieces->starts = MD5_ALLOC_ARRAY(arena, double, (size_t)count + 1);
    TRY(pieces->starts);
    pieces->points = MD5_ALLOC_ARRAY(arena, md5_vec4d, num_points);
    return pieces->points != NULL;
}

static md5_vec4d extend_point(md5_vec3 p)
{
    return (md5_vec4d){p.x, p.y, p.z, 1};
}

// Builds the pieces of a Bézier curve from a checked description. Consecutive pieces share a point.
// The last piece of a closed curve ends at the first point.
static bool build_bezier(md5_arena *arena, const md5_curve_desc *desc, md5_pieces *pieces)
{
    const uint32_t degree = curve_degree(desc);
    const uint32_t num_ends = desc->is_closed ? 0 : 1;
    const uint32_t num_pieces = (desc->num_points - num_ends) / degree;
    TRY(alloc_pieces(arena, pieces, degree, num_pieces));
    for (uint32_t i = 0; i < num_pieces; i++) {
        md5_vec4d *const points = pieces->points + (size_t)i * (degree + 1);
        pieces->starts[i] = (double)i / num_pieces;
        for (uint32_t j = 0; j <= degree; j++) {
            const uint32_t point = (i * degree + j) % desc->num_points;
            points[j] = extend_point(desc->points[point]);
        }
    }
    pieces->starts[num_pieces] = 1;
    return true;
}

// == Catmull-Rom curves ==========================================================================
//
// At each point, a Catmull-Rom curve has the velocity of the parabola through this point and its
// neighbors. Between two points, it is the cubic with the velocities at both.

// Shortest duration of a piece relative to the longest. Avoids a division by 0 for pieces between
// equal points.
#define MIN_TIME_RATIO 1e-3

// The points of a Catmull-Rom curve. A piece is the part of the curve between two points. Each
// piece has a duration, on which velocities depend. The parameter t of the curve is proportional to
// the sum of the durations.
typedef struct curve_path {
    const md5_vec3 *points;
    uint32_t num_points;
    uint32_t num_pieces; // num_points if the curve is closed, otherwise one less
    bool is_uniform;     // all pieces take the same time
    double min_time;     // minimum duration of a piece
} curve_path;

// Returns the vector from the start of a piece to its end.
static md5_vec3d piece_vector(const curve_path *path, uint32_t piece)
{
    const md5_vec3 from = path->points[piece];
    const md5_vec3 to = path->points[(piece + 1) % path->num_points];
    return md5_vec3d_sub(md5_vec3d_from_vec3(to), md5_vec3d_from_vec3(from));
}

// Returns the duration of a piece: the square root of the distance between its ends (centripetal
// parameters), or 1 for a uniform curve.
static double piece_time(const curve_path *path, uint32_t piece)
{
    if (path->is_uniform)
        return 1;
    const double time = sqrt(md5_vec3d_length(piece_vector(path, piece)));
    return time > path->min_time ? time : path->min_time;
}

// Returns the velocity at a point. The piece with the same index starts at this point. At an inner
// point, the velocity is the derivative of the parabola through the point and its neighbors. At an
// end of an open path, it is the mean velocity along the only adjacent piece.
static md5_vec3d velocity_at(const curve_path *path, uint32_t point)
{
    const bool is_closed = path->num_pieces == path->num_points;
    const uint32_t after = point % path->num_points; // the pieces after and before the point
    const uint32_t before = (point + path->num_points - 1) % path->num_points;
    const bool is_first = !is_closed && point == 0;
    const bool is_last = !is_closed && point == path->num_pieces;
    if (is_first || is_last) {
        const uint32_t only = is_first ? after : before;
        return md5_vec3d_scale(piece_vector(path, only), 1.0 / piece_time(path, only));
    }

    const double time_before = piece_time(path, before);
    const double time_after = piece_time(path, after);
    const double sum = time_before + time_after;
    const double scale_before = time_after / (time_before * sum);
    const double scale_after = time_before / (time_after * sum);
    return md5_vec3d_add(md5_vec3d_scale(piece_vector(path, before), scale_before),
                         md5_vec3d_scale(piece_vector(path, after), scale_after));
}

// Returns a control point of weight 1: the position after `time` at a velocity.
static md5_vec4d control_point(md5_vec3d point, md5_vec3d velocity, double time)
{
    const md5_vec3d moved = md5_vec3d_add(point, md5_vec3d_scale(velocity, time));
    return (md5_vec4d){moved.x, moved.y, moved.z, 1};
}

// Returns the path of a Catmull-Rom curve, with the minimum duration of a piece.
static curve_path create_path(const md5_curve_desc *desc)
{
    curve_path path = {
        .points = desc->points,
        .num_points = desc->num_points,
        .num_pieces = desc->num_points - (desc->is_closed ? 0 : 1),
        .is_uniform = desc->kind == MD5_CURVE_CATMULL_ROM_UNIFORM,
    };

    // `min_time` is still 0, so that piece_time() returns the durations without their lower limit.
    double max_time = 0;
    for (uint32_t piece = 0; piece < path.num_pieces; piece++)
        max_time = fmax(max_time, piece_time(&path, piece));
    path.min_time = max_time > 0 ? MIN_TIME_RATIO * max_time : 1;
    return path;
}

// Converts a Catmull-Rom curve to cubic Bézier pieces, one between each two consecutive points. The
// inner control points of a piece are its ends plus or minus a third of the velocity there,
// multiplied by the duration.
static bool build_catmull_rom(md5_arena *arena, const md5_curve_desc *desc, md5_pieces *pieces)
{
    enum { DEGREE = 3 };
    const curve_path path = create_path(desc);
    TRY(alloc_pieces(arena, pieces, DEGREE, path.num_pieces));
    double total_time = 0;
    for (uint32_t i = 0; i < path.num_pieces; i++) {
        const md5_vec3d from = md5_vec3d_from_vec3(desc->points[i]);
        const md5_vec3d to = md5_vec3d_from_vec3(desc->points[(i + 1) % path.num_points]);
        const double third = piece_time(&path, i) / 3.0;
        md5_vec4d *const p = pieces->points + (DEGREE + 1) * (size_t)i;
        p[0] = control_point(from, from, 0);
        p[1] = control_point(from, velocity_at(&path, i), third);
        p[2] = control_point(to, velocity_at(&path, i + 1), -third);
        p[3] = control_point(to, to, 0);
        pieces->starts[i] = total_time;
        total_time += piece_time(&path, i);
    }

    // Scale the starts from durations to the parameter 0..1.
    for (uint32_t i = 0; i < path.num_pieces; i++)
        pieces->starts[i] /= total_time;
    pieces->starts[path.num_pieces] = 1;
    return true;
}

// == B-splines ===================================================================================
//
// B-splines and NURBS, converted to Bézier pieces.
//
// Each piece of degree d between two knots a < b has a polar form, a symmetric function of d
// arguments that is linear in each of them. De Boor's algorithm computes the polar form if each of
// its d rounds uses another argument. The Bézier points of the piece are the values of the polar
// form at (a, ..., a, b, ..., b). See L. Ramshaw, "Blossoms are polar forms", Computer Aided
// Geometric Design 6, 1989.

typedef struct spline {
    const md5_curve_desc *desc;
    int64_t degree;
    int64_t num_points;
    // Piece i is between the knots i and i + 1. The curve consists of the pieces `first` to `end` -
    // 1.
    int64_t first;
    int64_t end;
} spline;

// Returns knot `i`. Without an array of knots, the knots are consecutive numbers. An open NURBS
// then begins and ends with equal knots, so that it passes through its first and last point.
static double knot(const spline *curve, int64_t i)
{
    if (curve->desc->knots)
        return curve->desc->knots[i];
    if (curve->desc->is_closed || curve->desc->kind == MD5_CURVE_B_SPLINE)
        return (double)i;
    const int64_t inner = i - curve->degree;
    const int64_t last = curve->num_points - curve->degree;
    if (inner < 0)
        return 0;
    return (double)(inner > last ? last : inner);
}

// Returns the index of the control point that is `offset` points after the first control point of a
// piece. The points of a closed curve repeat. They are shifted by half of the degree, so that the
// curve begins near point 0.
static int64_t control_index(const spline *curve, int64_t piece, int64_t offset)
{
    const int64_t index = piece - curve->degree + offset;
    if (!curve->desc->is_closed)
        return index;
    const int64_t shifted = index + (curve->degree + 1) / 2;
    // Add a multiple of the number of points, so that the dividend is not negative.
    return (shifted + curve->degree * curve->num_points) % curve->num_points;
}

// Copies the degree + 1 control points that affect a piece, in homogeneous coordinates.
static void load_control_points(const spline *curve, int64_t piece, md5_vec4d *p)
{
    const md5_curve_desc *const desc = curve->desc;
    for (int64_t i = 0; i <= curve->degree; i++) {
        const int64_t index = control_index(curve, piece, i);
        const md5_vec3 position = desc->points[index];
        const double w = desc->weights ? desc->weights[index] : 1;
        p[i] = (md5_vec4d){w * position.x, w * position.y, w * position.z, w};
    }
}

// Returns Bézier point `num_ends` of a piece by de Boor's algorithm. It is a value of the polar
// form of the piece. The last `num_ends` arguments are the knot at the end of the piece, and the
// other arguments are the knot at its start. Each round uses one argument.
static md5_vec4d polar_form(const spline *curve, int64_t piece, int64_t num_ends)
{
    const int64_t degree = curve->degree;
    md5_vec4d p[MD5_MAX_CURVE_DEGREE + 1];
    load_control_points(curve, piece, p);
    for (int64_t round = 1; round <= degree; round++) {
        const bool is_end = round > degree - num_ends;
        const double x = knot(curve, is_end ? piece + 1 : piece);
        for (int64_t i = degree; i >= round; i--) {
            const double from = knot(curve, piece - degree + i);
            const double to = knot(curve, piece + i + 1 - round);
            p[i] = md5_vec4d_lerp(p[i - 1], p[i], (x - from) / (to - from));
        }
    }
    return p[degree];
}

// Returns true if the span from knot `i` to the next knot is a piece of the curve. A span between
// equal knots is empty, and not a piece.
static bool is_piece(const spline *curve, int64_t i)
{
    return knot(curve, i + 1) > knot(curve, i);
}

// Returns the number of pieces of a spline.
static uint32_t count_spline_pieces(const spline *curve)
{
    uint32_t count = 0;
    for (int64_t i = curve->first; i < curve->end; i++) {
        if (is_piece(curve, i))
            count++;
    }
    return count;
}

// Converts a B-spline or NURBS to Bézier pieces, one for each span between two different knots. The
// description must have been checked.
static bool build_spline(md5_arena *arena, const md5_curve_desc *desc, md5_pieces *pieces)
{
    const spline curve = {
        .desc = desc,
        .degree = curve_degree(desc),
        .num_points = desc->num_points,
        .first = desc->is_closed ? 0 : (int64_t)curve_degree(desc),
        .end = desc->num_points,
    };
    const uint32_t num_pieces = count_spline_pieces(&curve);
    TRY(alloc_pieces(arena, pieces, (uint32_t)curve.degree, num_pieces));

    const double first_knot = knot(&curve, curve.first);
    const double range = knot(&curve, curve.end) - first_knot;
    double *next_start = pieces->starts;
    md5_vec4d *next_point = pieces->points;
    for (int64_t i = curve.first; i < curve.end; i++) {
        if (!is_piece(&curve, i))
            continue;
        *next_start++ = (knot(&curve, i) - first_knot) / range;
        for (int64_t j = 0; j <= curve.degree; j++)
            *next_point++ = polar_form(&curve, i, j);
    }
    *next_start = 1;
    return true;
}

// == Length ======================================================================================

// The arcs of a piece are halved until another halving changes their measured length by less than
// this fraction of the length of the control polygon. At a cusp, the change decreases with the
// square of the arc's length, so that about 20 halvings suffice.
#define TOLERANCE 1e-7
enum { MAX_HALVINGS = 24, MAX_ARCS = 1000, NUM_NODES = 4 };

// Rounding errors of the speed on a curve, as a fraction of the largest coordinate. Far from the
// origin, they are larger than the tolerance. Halving an arc does not reduce them, so a difference
// below this error does not cause a halving.
#define NOISE 1e-12

// The positive nodes of the Gauss-Legendre rule with 8 nodes, and their weights. The nodes are the
// zeros of the Legendre polynomial P8. The weights are 2 / ((1 - x^2) P8'(x)^2).
static const double nodes[NUM_NODES] = {
    0.18343464249564980,
    0.52553240991632899,
    0.79666647741362674,
    0.96028985649753623,
};
static const double node_weights[NUM_NODES] = {
    0.36268378337836198,
    0.31370664587788729,
    0.22238103445337447,
    0.10122853629037626,
};

static double speed_at(const md5_pieces *pieces, uint32_t piece, double fraction)
{
    return md5_vec3d_length(evaluate_piece(pieces, piece, fraction).velocity);
}

// Returns the length of a part of a piece, the integral of the speed, by Gauss-Legendre quadrature.
static double integrate(const md5_pieces *pieces, uint32_t piece, double from, double to)
{
    const double center = 0.5 * (from + to);
    const double half = 0.5 * (to - from);
    double sum = 0;
    for (uint32_t i = 0; i < NUM_NODES; i++) {
        const double speed_before = speed_at(pieces, piece, center - half * nodes[i]);
        const double speed_after = speed_at(pieces, piece, center + half * nodes[i]);
        sum += node_weights[i] * (speed_before + speed_after);
    }
    return half * sum;
}

// Converts a homogeneous control point to its position.
static md5_vec3d control_position(md5_vec4d p)
{
    return (md5_vec3d){p.x / p.w, p.y / p.w, p.z / p.w};
}

// Returns the allowed error of the length of a whole piece. It is relative to the length of the
// control polygon, because a curve with positive weights is not longer than its polygon.
static double length_tolerance(const md5_pieces *pieces, uint32_t piece)
{
    const md5_vec4d *const p = pieces->points + (size_t)piece * (pieces->degree + 1);
    double polygon = 0;
    double max_distance = md5_vec3d_length(control_position(p[0])); // from the origin
    for (uint32_t i = 0; i < pieces->degree; i++) {
        const md5_vec3d from = control_position(p[i]);
        const md5_vec3d to = control_position(p[i + 1]);
        polygon += md5_vec3d_length(md5_vec3d_sub(to, from));
        max_distance = fmax(max_distance, md5_vec3d_length(to));
    }
    return TOLERANCE * polygon + NOISE * max_distance;
}

// One of the 2^depth equal intervals of a piece. The intervals form a binary tree, whose root is
// the whole piece.
typedef struct piece_interval {
    uint32_t depth;
    uint32_t index;
} piece_interval;

static piece_interval first_half(piece_interval interval)
{
    return (piece_interval){interval.depth + 1, interval.index * 2};
}

// Returns the interval that follows an interval and all its halves. Returns depth 0 at the end of
// the piece.
static piece_interval next_piece_interval(piece_interval interval)
{
    piece_interval next = {interval.depth, interval.index + 1};
    // If index + 1 is even, the interval was the second half of its parent. The next interval is
    // then the one that follows the parent.
    while (next.depth > 0 && next.index % 2 == 0) {
        next.index /= 2;
        next.depth--;
    }
    return next;
}

// Divides a piece into arcs and measures them. Halves an interval of the piece until the lengths of
// its halves add up to its own length, within the tolerance. It then becomes an arc. Writes the
// arcs in order, unless `arcs` is NULL. Adds their lengths to *length, and returns their number.
static uint32_t measure_piece(const md5_pieces *pieces, uint32_t piece, md5_arc *arcs,
                              double *length)
{
    const double tolerance = length_tolerance(pieces, piece);
    piece_interval interval = {0, 0};
    uint32_t count = 0;
    do {
        const double width = 1.0 / (1u << interval.depth);
        const double from = interval.index * width;
        const double to = (interval.index + 1) * width;
        const double middle = 0.5 * (from + to);
        const double estimate = integrate(pieces, piece, from, to);
        const double halves =
            integrate(pieces, piece, from, middle) + integrate(pieces, piece, middle, to);

        const bool may_halve = interval.depth < MAX_HALVINGS && count < MAX_ARCS;
        const bool is_inexact = fabs(estimate - halves) > tolerance * width;
        if (may_halve && is_inexact) {
            interval = first_half(interval);
            continue;
        }

        if (arcs) {
            arcs[count] = (md5_arc){
                .distance = *length,
                .from = from,
                .to = to,
                .piece = piece,
            };
        }
        *length += halves;
        count++;
        interval = next_piece_interval(interval);
    } while (interval.depth > 0);
    return count;
}

// Divides all pieces into arcs. Writes the arcs, unless `arcs` is NULL. Sets *length to the length
// of the curve, and returns the number of arcs.
static uint32_t measure_pieces(const md5_pieces *pieces, md5_arc *arcs, double *length)
{
    uint32_t count = 0;
    *length = 0;
    for (uint32_t piece = 0; piece < pieces->count; piece++)
        count += measure_piece(pieces, piece, arcs ? arcs + count : NULL, length);
    return count;
}

// The search of parameter_at_length() ends after this number of steps, or when the parameter
// changes by less than this fraction of the arc.
enum { MAX_SEARCH_STEPS = 60 };
static const double search_tolerance = 1e-10;

// Returns the position, as a fraction of the piece, at which the distance from the start of an arc
// is `length`. Uses Newton's method, and bisection if a step would leave the interval that contains
// the solution.
static double parameter_at_length(const md5_pieces *pieces, const md5_arc *arc, double length)
{
    double low = arc->from;
    double high = arc->to;
    double parameter = low;
    for (uint32_t step = 0; step < MAX_SEARCH_STEPS; step++) {
        const double error = integrate(pieces, arc->piece, arc->from, parameter) - length;
        if (error > 0)
            high = parameter;
        else
            low = parameter;
        const double previous = parameter;
        parameter = previous - error / speed_at(pieces, arc->piece, parameter);
        const bool is_inside = parameter >= low && parameter <= high; // false for NaN
        if (!is_inside)
            parameter = 0.5 * (low + high);
        if (fabs(parameter - previous) <= search_tolerance * (arc->to - arc->from))
            break;
    }
    return parameter;
}

// == Curves ======================================================================================
//
// Creation and evaluation of curves.

struct md5_curve {
    md5_pieces pieces;
    md5_arc *arcs;
    uint32_t num_arcs;
    bool is_closed;
    double length;
    size_t size; // size of the memory block
    md5_internal internal;
};

// -- Creation -------------------------------------------------------------------------------------

static size_t num_control_points(const md5_pieces *pieces)
{
    return (size_t)pieces->count * (pieces->degree + 1);
}

// Lays out a curve and its arrays in a block. Stores the addresses of the arrays in `content`, and
// returns the address of the curve. All addresses are NULL while the block is only measured.
static md5_curve *lay_out_curve(md5_block *block, md5_curve *content)
{
    md5_pieces *const pieces = &content->pieces;
    md5_curve *const curve = MD5_BLOCK_ARRAY(block, md5_curve, 1);
    pieces->points = MD5_BLOCK_ARRAY(block, md5_vec4d, num_control_points(pieces));
    pieces->starts = MD5_BLOCK_ARRAY(block, double, (size_t)pieces->count + 1);
    content->arcs = MD5_BLOCK_ARRAY(block, md5_arc, content->num_arcs);
    return curve;
}

// Creates a curve in one memory block, with copies of the pieces. Returns NULL if memory runs out.
static md5_curve *build_curve(md5_context *context, const md5_pieces *pieces, bool is_closed)
{
    md5_curve content = {
        .pieces = *pieces,
        .is_closed = is_closed,
        .internal = {.allocator = context->allocator, .tag = MD5_TAG_CURVE},
    };
    content.num_arcs = measure_pieces(pieces, NULL, &content.length);

    // The first call measures the block, and the second call returns addresses in it.
    md5_block block = {NULL, 0};
    lay_out_curve(&block, &content);
    if (!md5i_block_end_measuring(context, &block))
        return NULL;
    md5_curve *const curve = lay_out_curve(&block, &content);
    content.size = block.used;

    *curve = content;
    memcpy(curve->pieces.points, pieces->points,
           num_control_points(pieces) * sizeof *pieces->points);
    memcpy(curve->pieces.starts, pieces->starts, (pieces->count + 1) * sizeof *pieces->starts);
    measure_pieces(pieces, curve->arcs, &curve->length);
    return curve;
}

// Converts a checked description to Bézier pieces.
static bool build_pieces(md5_arena *arena, const md5_curve_desc *desc, md5_pieces *pieces)
{
    switch (desc->kind) {
    case MD5_CURVE_CUBIC_BEZIER:
    case MD5_CURVE_BEZIER:
        return build_bezier(arena, desc, pieces);
    case MD5_CURVE_B_SPLINE:
    case MD5_CURVE_NURBS:
        return build_spline(arena, desc, pieces);
    default:
        return build_catmull_rom(arena, desc, pieces);
    }
}

// Creates a curve: checks its description, converts it to Bézier pieces, and measures its length.
// Returns NULL and sets the error on failure.
md5_curve *md5_create_curve(const md5_curve_desc *desc, const md5_allocator *allocator,
                            md5_error *error)
{
    MD5_ASSERT_NOT_NULL(desc);
    MD5_ASSERT_RESERVED(desc);
    MD5_ASSERT_ALLOCATOR(allocator);
    MD5_ASSERT(desc->points || desc->num_points == 0, "desc->points: must not be NULL");

    md5_context context;
    md5i_context_begin_memory(&context, allocator ? *allocator : (md5_allocator){0}, error);
    if (!check_curve(&context, desc) || !desc->points) // a valid curve has points
        return NULL;

    md5_arena arena = {.context = &context};
    md5_pieces pieces;
    md5_curve *curve = NULL;
    if (build_pieces(&arena, desc, &pieces))
        curve = build_curve(&context, &pieces, desc->is_closed);
    md5i_arena_free(&arena);
    return curve;
}

void md5_destroy_curve(md5_curve *curve)
{
    MD5_FREE(curve, MD5_TAG_CURVE);
}

// -- Evaluation -----------------------------------------------------------------------------------

// Moves a parameter or distance into 0..end. Clamps it on an open curve, and wraps it around on a
// closed curve. Returns 0 for NaN.
static double clamp_parameter(const md5_curve *curve, double value, double end)
{
    const bool is_inside = value > 0 && value < end;
    if (is_inside)
        return value;
    if (curve->is_closed && end > 0) {
        const double wrapped = value - end * floor(value / end);
        return wrapped > 0 && wrapped < end ? wrapped : 0; // 0 if the value is not finite
    }
    if (!(value > 0))
        return 0;
    return value < end ? value : end;
}

// Returns the index of the last of `count` items whose first member is at most `x`, or 0 if there
// is none. Items are `stride` bytes apart, and begin with a double that increases from item to
// item. Binary search for pieces, arcs and spans.
static uint32_t find_last(const void *items, size_t stride, uint32_t count, double x)
{
    uint32_t low = 0;
    uint32_t high = count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        double start;
        memcpy(&start, (const char *)items + middle * stride, sizeof start);
        if (start <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

typedef struct curve_location {
    uint32_t piece;
    double fraction; // position within the piece, 0 to 1
} curve_location;

// Returns the piece that contains the parameter t, and the position of t in it.
static curve_location locate(const md5_curve *curve, double t)
{
    const double *const starts = curve->pieces.starts;
    const double inside = clamp_parameter(curve, t, 1);
    const uint32_t piece = find_last(starts, sizeof *starts, curve->pieces.count, inside);
    const double width = starts[piece + 1] - starts[piece];
    return (curve_location){piece, (inside - starts[piece]) / width};
}

// Returns the point of a curve at t. If the kind of curve passes through its first and last point,
// the results at t = 0 and t = 1 are exactly these points.
md5_vec3 md5_curve_point(const md5_curve *curve, double t)
{
    MD5_ASSERT_ALIVE(curve, MD5_TAG_CURVE);
    const curve_location at = locate(curve, t);
    return md5_vec3d_round(evaluate_piece(&curve->pieces, at.piece, at.fraction).point);
}

// Returns the derivative of the curve's point by t: its length is in units of length per unit of t.
// evaluate_piece() computes the derivative by the fraction of the piece instead. It is divided by
// the width of the piece, which is a difference of t.
md5_vec3 md5_curve_tangent(const md5_curve *curve, double t)
{
    MD5_ASSERT_ALIVE(curve, MD5_TAG_CURVE);
    const curve_location at = locate(curve, t);
    const double *const starts = curve->pieces.starts;
    const double width = starts[at.piece + 1] - starts[at.piece];
    const md5_vec3d velocity = evaluate_piece(&curve->pieces, at.piece, at.fraction).velocity;
    return md5_vec3d_round(md5_vec3d_scale(velocity, 1.0 / width));
}

// Returns the value of the parameter t at which a piece of the curve starts, for example to find
// the time at which an object passes a point.
double md5_curve_start(const md5_curve *curve, uint32_t piece)
{
    MD5_ASSERT_ALIVE(curve, MD5_TAG_CURVE);
    MD5_ASSERT(piece <= curve->pieces.count, "piece: must be at most the number of pieces");
    return curve->pieces.starts[piece];
}

// -- Distance -------------------------------------------------------------------------------------

double md5_curve_length(const md5_curve *curve)
{
    MD5_ASSERT_ALIVE(curve, MD5_TAG_CURVE);
    return curve->length;
}

// Returns the value of the parameter t at a distance from the start of the curve. The distance is a
// length along the curve, in the unit of the curve's points. Finds the arc that contains the
// distance, then the position in this arc.
double md5_curve_at_distance(const md5_curve *curve, double distance)
{
    MD5_ASSERT_ALIVE(curve, MD5_TAG_CURVE);
    const double inside = clamp_parameter(curve, distance, curve->length);
    if (inside <= 0)
        return 0;
    if (inside >= curve->length)
        return 1;

    const uint32_t index = find_last(curve->arcs, sizeof *curve->arcs, curve->num_arcs, inside);
    const md5_arc *const arc = &curve->arcs[index];
    const double fraction = parameter_at_length(&curve->pieces, arc, inside - arc->distance);
    const double start = curve->pieces.starts[arc->piece];
    const double end = curve->pieces.starts[arc->piece + 1];
    return start + fraction * (end - start);
}

// Returns the last arc that begins at or before a location.
static const md5_arc *find_arc(const md5_curve *curve, curve_location at)
{
    uint32_t low = 0;
    uint32_t high = curve->num_arcs;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        const md5_arc *const arc = &curve->arcs[middle];
        if (arc->piece < at.piece || (arc->piece == at.piece && arc->from <= at.fraction))
            low = middle;
        else
            high = middle;
    }
    return &curve->arcs[low];
}

// Returns the length of the curve from its start to the point at the parameter t, in the unit of
// the curve's points. This is the inverse of md5_curve_at_distance().
double md5_curve_distance(const md5_curve *curve, double t)
{
    MD5_ASSERT_ALIVE(curve, MD5_TAG_CURVE);
    const curve_location at = locate(curve, t);
    if (at.piece + 1 == curve->pieces.count && at.fraction >= 1)
        return curve->length;
    const md5_arc *const arc = find_arc(curve, at);
    return arc->distance + integrate(&curve->pieces, arc->piece, arc->from, at.fraction);
}

// == Rotations along keys, by squad ==============================================================
//
// Between two keys q0 and q1 the rotation is
//
//   squad(u) = slerp(slerp(q0, q1, u), slerp(a, b, u), 2 u (1 - u))
//
// with u from 0 to 1 and two control points a and b. Logarithms are rotation vectors of half the
// angle. The derivatives at the keys are
//
//   squad'(0) = q0 (log(q0^-1 q1) + 2 log(q0^-1 a))
//   squad'(1) = q1 (log(q0^-1 q1) - 2 log(q1^-1 b))
//
// The control points are selected so that the terms in parentheses equal h V0 and h V1. V0 and V1
// are the velocities at the keys, and h is the number of seconds between the keys:
//
//   a = q0 exp((h V0 - log(q0^-1 q1)) / 2)
//   b = q1 exp((log(q0^-1 q1) - h V1) / 2)
//
// If all h are equal and the velocity at a key is the mean of both sides, these are the control
// points of Shoemake.

#define CURVE_PI 3.14159265358979324

// The interpolation from one key, q0, to the next key, q1. See the formulas above.
typedef struct curve_span {
    double start;
    double seconds;
    md5_quatd key;            // q0
    md5_quatd inner;          // a
    md5_vec3d key_rotation;   // logarithm of the rotation from q0 to q1
    md5_vec3d inner_rotation; // logarithm of the rotation from a to b
} curve_span;

struct md5_squad {
    uint32_t num_spans;
    double first;  // seconds
    double end;    // seconds
    double period; // seconds; 0: not periodic
    size_t size;   // size of the memory block
    md5_internal internal;
    md5_quatd last; // key at the end of the last span
    curve_span spans[];
};

// -- Quaternions ----------------------------------------------------------------------------------

// Returns the logarithm of the rotation from one quaternion to another. Its length is from 0 to pi.
// Returns 0 if this rotation is the quaternion -1, whose axis is undefined.
static md5_vec3d rotation_vector(md5_quatd from, md5_quatd to)
{
    const md5_quatd rotation = md5_quatd_mul(md5_quatd_conjugate(from), to);
    const md5_vec3d axis = {rotation.x, rotation.y, rotation.z};
    const double sine = md5_vec3d_length(axis);
    return md5_vec3d_scale(axis, sine > 0 ? md5i_atan2(sine, rotation.w) / sine : 0);
}

// Returns `q` rotated by a fraction of a rotation vector: q * exp(fraction * rotation).
static md5_quatd rotate_by(md5_quatd q, md5_vec3d rotation, double fraction)
{
    const md5_vec3d part = md5_vec3d_scale(rotation, fraction);
    const double angle = md5_vec3d_length(part);
    const double turns = angle / (2 * CURVE_PI);
    const double scale = angle > 0 ? md5i_sine_of_turns(turns) / angle : 0;
    const double cosine = angle > 0 ? md5i_sine_of_turns(turns + 0.25) : 1;
    return md5_quatd_mul(q, (md5_quatd){part.x * scale, part.y * scale, part.z * scale, cosine});
}

// -- Creation -------------------------------------------------------------------------------------

// The arguments of md5_create_squad(). A span is the interval from one key to the next.
typedef struct curve_keys {
    const md5_quat *keys; // [num_keys]
    const double *times;  // [num_keys] seconds
    uint32_t num_keys;
    uint32_t num_spans; // includes the span from the last key to the first if there is a period
    double period;      // seconds; 0: not periodic
} curve_keys;

// Limits of the squared length of a key. Keys outside of them cannot be normalized accurately.
#define MIN_KEY_SQUARE 1e-30
#define MAX_KEY_SQUARE 1e30

// Fails unless the quaternion of a key can be normalized, and its time is finite and later than the
// time of the previous key.
static bool check_curve_key(md5_context *context, const curve_keys *list, uint32_t i)
{
    const md5_quat q = list->keys[i];
    const double square = md5_quatd_dot(md5_quatd_from_quat(q), md5_quatd_from_quat(q));
    if (!(square > MIN_KEY_SQUARE && square < MAX_KEY_SQUARE))
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "key %u is not a rotation: expected a quaternion of length 1e-15 to 1e15, "
                        "found ( %g %g %g %g )",
                        i, q.x, q.y, q.z, q.w);

    const double time = list->times[i];
    if (!(fabs(time) <= DBL_MAX))
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "time of key %u is not finite: expected a number of seconds, found %g", i,
                        time);
    if (i > 0 && !(time > list->times[i - 1]))
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "key times are not ascending: key %u is at %g seconds, but key %u is at "
                        "%g seconds",
                        i, time, i - 1, list->times[i - 1]);
    return true;
}

// Fails if a key is invalid, or the period does not extend past the last key.
static bool check_curve_keys(md5_context *context, const curve_keys *list)
{
    for (uint32_t i = 0; i < list->num_keys; i++)
        TRY(check_curve_key(context, list, i));

    const double last = list->times[list->num_keys - 1];
    if (list->period == 0)
        return true;
    if (!(list->period <= DBL_MAX))
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "period is not finite: expected 0 or a number of seconds, found %g",
                        list->period);
    if (!(list->times[0] + list->period > last))
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "period is too short: expected 0 or more than %g seconds, found %g",
                        last - list->times[0], list->period);
    return true;
}

// Returns a key with length 1. After the last key, the keys repeat.
static md5_quatd unit_key(const curve_keys *list, uint32_t key)
{
    const md5_quatd q = md5_quatd_from_quat(list->keys[key % list->num_keys]);
    const double scale = 1.0 / sqrt(md5_quatd_dot(q, q));
    return (md5_quatd){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

// Returns the angular velocity at the key between span `i` - 1 and span `i`. It is half of the
// rotation in radians per second, because a logarithm has half of the angle.
//
// It is the mean of the velocities of both spans, each weighted by the duration of the other span.
// It is limited to one whole rotation in the longer span. At the ends of a curve that is not
// periodic, only one span is adjacent, and its velocity is used.
static md5_vec3d angular_velocity_at(const md5_squad *squad, uint32_t i)
{
    const uint32_t count = squad->num_spans;
    const bool has_before = i > 0 || squad->period > 0;
    const bool has_after = i < count || squad->period > 0;
    const uint32_t previous = (i + count - 1) % count;
    const curve_span *const after = &squad->spans[has_after ? i % count : previous];
    const curve_span *const before = has_before ? &squad->spans[previous] : after;

    // The velocity of a span is its rotation divided by its duration.
    const double sum = before->seconds + after->seconds;
    const double scale_before = after->seconds / sum / before->seconds;
    const double scale_after = before->seconds / sum / after->seconds;
    const md5_vec3d velocity = md5_vec3d_add(md5_vec3d_scale(before->key_rotation, scale_before),
                                             md5_vec3d_scale(after->key_rotation, scale_after));

    const double max_speed = CURVE_PI / fmax(before->seconds, after->seconds);
    const double speed = md5_vec3d_length(velocity);
    if (!(speed <= DBL_MAX))
        return (md5_vec3d){0, 0, 0};
    return speed > max_speed ? md5_vec3d_scale(velocity, max_speed / speed) : velocity;
}

// Copies times and keys to the spans. A key and its negative are the same rotation. Of the two,
// each key becomes the one that is nearer to the previous key.
static void copy_curve_keys(const curve_keys *list, md5_squad *squad)
{
    md5_quatd key = unit_key(list, 0);
    for (uint32_t i = 0; i < list->num_spans; i++) {
        const bool is_last = i + 1 == list->num_keys; // the span back to the first key
        const double end = is_last ? list->times[0] + list->period : list->times[i + 1];
        md5_quatd next = unit_key(list, i + 1);
        if (md5_quatd_dot(key, next) < 0)
            next = md5_quatd_negate(next);
        squad->spans[i] = (curve_span){
            .start = list->times[i],
            .seconds = end - list->times[i],
            .key = key,
            .key_rotation = rotation_vector(key, next),
        };
        key = next;
    }
    squad->last = key;
}

// Computes the points a and b of each span, which depend on the velocities at both ends of the
// span.
static void add_inner_points(md5_squad *squad)
{
    for (uint32_t i = 0; i < squad->num_spans; i++) {
        curve_span *const span = &squad->spans[i];
        const bool is_last = i + 1 == squad->num_spans;
        const md5_quatd end_key = is_last ? squad->last : squad->spans[i + 1].key;

        // Velocities multiplied by the duration of the span: h V0 and h V1.
        const md5_vec3d start_velocity =
            md5_vec3d_scale(angular_velocity_at(squad, i), span->seconds);
        const md5_vec3d end_velocity =
            md5_vec3d_scale(angular_velocity_at(squad, i + 1), span->seconds);

        const md5_vec3d from_start = md5_vec3d_sub(start_velocity, span->key_rotation);
        const md5_vec3d from_end = md5_vec3d_sub(span->key_rotation, end_velocity);
        const md5_quatd inner_end = rotate_by(end_key, from_end, 0.5); // b
        span->inner = rotate_by(span->key, from_start, 0.5);           // a
        span->inner_rotation = rotation_vector(span->inner, inner_end);
    }
}

// Allocates a rotation curve (see md5_create_squad()) and sets its members except for the spans.
// check_curve_keys() must have accepted `list`. Returns NULL if memory runs out.
static md5_squad *alloc_squad(md5_context *context, const curve_keys *list)
{
    // A block without memory only adds up the sizes. The allocated memory contains the squad, and
    // the spans directly after it.
    md5_block block = {NULL, 0};
    md5i_block_alloc(&block, 1, sizeof(md5_squad));
    md5i_block_alloc(&block, list->num_spans, sizeof(curve_span));
    md5_squad *const squad = (md5_squad *)md5i_alloc(context, block.used);
    if (!squad)
        return NULL;

    const double first = list->times[0];
    squad->num_spans = list->num_spans;
    squad->first = first;
    squad->end = list->period > 0 ? first + list->period : list->times[list->num_keys - 1];
    squad->period = list->period;
    squad->size = block.used;
    squad->internal = (md5_internal){.allocator = context->allocator, .tag = MD5_TAG_SQUAD};
    return squad;
}

// Creates a smooth rotation curve through keys (squad: spherical quadrangle interpolation, Shoemake
// 1987). `times` are in seconds. If `period` is above 0, the curve is closed: it continues from the
// last key to the first.
md5_squad *md5_create_squad(const md5_quat *rotations, const double *times, uint32_t num_keys,
                            double period, const md5_allocator *allocator, md5_error *error)
{
    MD5_ASSERT_ALLOCATOR(allocator);
    MD5_ASSERT(rotations || num_keys == 0, "rotations: must not be NULL");
    MD5_ASSERT(times || num_keys == 0, "times: must not be NULL");

    md5_context context;
    md5i_context_begin_memory(&context, allocator ? *allocator : (md5_allocator){0}, error);
    if (num_keys == 0) {
        MD5_FAIL(&context, MD5_ERROR_RANGE, "rotation curve has no keys: expected at least 1");
        return NULL;
    }

    const curve_keys list = {
        .keys = rotations,
        .times = times,
        .num_keys = num_keys,
        .num_spans = period != 0 ? num_keys : num_keys - 1,
        .period = period,
    };
    if (!check_curve_keys(&context, &list))
        return NULL;
    md5_squad *const squad = alloc_squad(&context, &list);
    if (!squad)
        return NULL;
    copy_curve_keys(&list, squad);
    add_inner_points(squad);
    return squad;
}

void md5_destroy_squad(md5_squad *squad)
{
    MD5_FREE(squad, MD5_TAG_SQUAD);
}

// -- Evaluation -----------------------------------------------------------------------------------

// Normalizes a quaternion and rounds it to float.
static md5_quat round_quat(md5_quatd q)
{
    const double scale = 1.0 / sqrt(md5_quatd_dot(q, q));
    return (md5_quat){(float)(q.x * scale), (float)(q.y * scale), (float)(q.z * scale),
                      (float)(q.w * scale)};
}

// Converts a time to a time within the range of a squad's keys. Wraps it around if the squad is
// periodic, and then clamps it.
static double time_in_squad(const md5_squad *squad, double time)
{
    const bool is_inside = time >= squad->first && time < squad->end;
    double wrapped = time;
    if (squad->period > 0 && !is_inside)
        wrapped -= squad->period * floor((time - squad->first) / squad->period);
    if (!(wrapped > squad->first))
        return squad->first;
    return wrapped < squad->end ? wrapped : squad->end;
}

// Returns the rotation of a squad at a time in seconds.
md5_quat md5_squad_rotation(const md5_squad *squad, double time)
{
    MD5_ASSERT_ALIVE(squad, MD5_TAG_SQUAD);
    const double inside = time_in_squad(squad, time);
    if (squad->num_spans == 0 || inside >= squad->end)
        return round_quat(squad->last);

    // The formula of squad() above; `u` is the fraction of the span.
    const uint32_t span_index =
        find_last(squad->spans, sizeof *squad->spans, squad->num_spans, inside);
    const curve_span *const span = &squad->spans[span_index];
    const double u = (inside - span->start) / span->seconds;
    const md5_quatd key = rotate_by(span->key, span->key_rotation, u);
    const md5_quatd inner = rotate_by(span->inner, span->inner_rotation, u);
    return round_quat(rotate_by(key, rotation_vector(key, inner), 2 * u * (1 - u)));
}
