// B-splines, cut into Bézier pieces.
//
// Each piece of degree d between two knots a < b has a polar form: a symmetric function of d
// arguments, linear in each, which de Boor's algorithm computes if every round takes an argument of
// its own. Its values at (a, ..., a, b, ..., b) are the Bézier points of the piece. L. Ramshaw,
// "Blossoms are polar forms", Computer Aided Geometric Design 6, 1989.
#include "md5/motion/pieces.h"

typedef struct spline {
    const md5_curve_desc *desc;
    int64_t degree, num_points;
    int64_t first, end; // pieces are between knots i and i + 1, from first to end - 1
} spline;

static spline spline_of(const md5_curve_desc *desc)
{
    const int64_t degree = (int64_t)md5i_curve_degree(desc), num_points = (int64_t)desc->num_points;
    return (spline){
        .desc = desc,
        .degree = degree,
        .num_points = num_points,
        .first = desc->is_closed ? 0 : degree,
        .end = num_points,
    };
}

static double knot(const spline *of, int64_t i)
{
    if (of->desc->knots)
        return (double)of->desc->knots[i];
    if (of->desc->is_closed || of->desc->kind == MD5_CURVE_B_SPLINE)
        return (double)i;
    const int64_t inner = i - of->degree, last = of->num_points - of->degree;
    return (double)(inner < 0 ? 0 : inner > last ? last : inner);
}

// The first of the degree + 1 points that a piece depends on is that of its own knot, less the
// degree; a closed curve is shifted so that it begins near point 0.
static md5_vec4d control(const spline *of, int64_t piece, int64_t i)
{
    int64_t point = piece - of->degree + i;
    if (of->desc->is_closed)
        point = (point + (of->degree + 1) / 2 + of->degree * of->num_points) % of->num_points;
    const md5_vec3 p = of->desc->points[point];
    const double w = of->desc->weights ? (double)of->desc->weights[point] : 1.0;
    return (md5_vec4d){w * (double)p.x, w * (double)p.y, w * (double)p.z, w};
}

// The polar form of a piece, of which the last `num_ends` arguments are its end, the others its
// start.
static md5_vec4d polar_form(const spline *of, int64_t piece, int64_t num_ends)
{
    const int64_t degree = of->degree;
    md5_vec4d p[MD5_MAX_CURVE_DEGREE + 1];
    for (int64_t i = 0; i <= degree; i++)
        p[i] = control(of, piece, i);
    for (int64_t round = 1; round <= degree; round++) {
        const double x = knot(of, piece + (round > degree - num_ends ? 1 : 0));
        for (int64_t i = degree; i >= round; i--) {
            const double from = knot(of, piece - degree + i), to = knot(of, piece + i + 1 - round);
            p[i] = md5_vec4d_lerp(p[i - 1], p[i], (x - from) / (to - from));
        }
    }
    return p[degree];
}

bool md5i_make_spline(md5_arena *arena, const md5_curve_desc *desc, md5_pieces *pieces)
{
    const spline of = spline_of(desc);
    const double start = knot(&of, of.first), range = knot(&of, of.end) - start;
    uint32_t count = 0;
    for (int64_t i = of.first; i < of.end; i++)
        count += knot(&of, i + 1) > knot(&of, i);
    TRY(md5i_take_pieces(arena, pieces, (uint32_t)of.degree, count));
    double *next = pieces->starts;
    md5_vec4d *point = pieces->points;
    for (int64_t i = of.first; i < of.end; i++) {
        if (!(knot(&of, i + 1) > knot(&of, i)))
            continue;
        *next++ = (knot(&of, i) - start) / range;
        for (int64_t j = 0; j <= of.degree; j++)
            *point++ = polar_form(&of, i, j);
    }
    *next = 1.0;
    return true;
}
