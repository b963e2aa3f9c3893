#include "md5/motion/length.h"

// An arc is halved until that changes its length by no more than this share of the control polygon
// of its piece, in proportion. At a cusp the change shrinks with the square of the arc, so that it
// falls below after about 20 halvings.
#define TOLERANCE 1e-7
enum { MOST_HALVINGS = 24, MOST_ARCS = 1000, NUM_NODES = 4 };

// Rounding errors of speeds, as a share of the coordinates: far from the origin they exceed the
// tolerance, and halving does not make them smaller.
#define NOISE 1e-12

// Half of the nodes of the Gauss-Legendre rule with 8 of them, and their weights: the positive
// zeros of the Legendre polynomial P8, and 2 / ((1 - x^2) P8'(x)^2).
static const double nodes[NUM_NODES] = {
    0.18343464249564980,
    0.52553240991632899,
    0.79666647741362674,
    0.96028985649753623,
};
static const double weights[NUM_NODES] = {
    0.36268378337836198,
    0.31370664587788729,
    0.22238103445337447,
    0.10122853629037626,
};

static double speed_at(const md5_pieces *pieces, uint32_t piece, double share)
{
    return md5_vec3d_length(md5i_piece_at(pieces, piece, share).velocity);
}

static double integrate(const md5_pieces *pieces, uint32_t piece, double from, double to)
{
    const double center = 0.5 * (from + to), half = 0.5 * (to - from);
    double sum = 0.0;
    for (int i = 0; i < NUM_NODES; i++)
        sum += weights[i]
               * (speed_at(pieces, piece, center - half * nodes[i])
                  + speed_at(pieces, piece, center + half * nodes[i]));
    return half * sum;
}

static md5_vec3d corner(md5_vec4d p)
{
    return (md5_vec3d){p.x / p.w, p.y / p.w, p.z / p.w};
}

// The tolerance for an arc as long as the piece. A curve with positive weights is not longer than
// its control polygon.
static double allowed_change(const md5_pieces *pieces, uint32_t piece)
{
    const md5_vec4d *const p = pieces->points + (size_t)piece * (pieces->degree + 1);
    double length = 0.0, farthest = md5_vec3d_length(corner(p[0]));
    for (uint32_t i = 0; i < pieces->degree; i++) {
        const md5_vec3d from = corner(p[i]), to = corner(p[i + 1]);
        length += md5_vec3d_length(md5_vec3d_sub(to, from));
        farthest = fmax(farthest, md5_vec3d_length(to));
    }
    return TOLERANCE * length + NOISE * farthest;
}

// Adds the arcs of one piece in order, by adaptive halving; `index` is one of the 2^depth
// intervals.
static uint32_t measure_piece(const md5_pieces *pieces, uint32_t piece, md5_arc *arcs,
                              double *length)
{
    const double allowed = allowed_change(pieces, piece);
    uint32_t depth = 0, index = 0, count = 0;
    do {
        const double width = 1.0 / (double)(1u << depth);
        const double from = index * width, to = (index + 1) * width, middle = 0.5 * (from + to);
        const double whole = integrate(pieces, piece, from, to);
        const double halves =
            integrate(pieces, piece, from, middle) + integrate(pieces, piece, middle, to);
        const bool may_halve = depth < MOST_HALVINGS && count < MOST_ARCS;
        if (may_halve && fabs(whole - halves) > allowed * width) {
            depth++;
            index *= 2;
            continue;
        }
        if (arcs)
            arcs[count] = (md5_arc){*length, from, to, piece};
        *length += halves;
        count++;
        for (index++; depth > 0 && index % 2 == 0; depth--)
            index /= 2;
    } while (depth > 0);
    return count;
}

uint32_t md5i_measure_pieces(const md5_pieces *pieces, md5_arc *arcs, double *length)
{
    uint32_t count = 0;
    *length = 0.0;
    for (uint32_t piece = 0; piece < pieces->count; piece++)
        count += measure_piece(pieces, piece, arcs ? arcs + count : NULL, length);
    return count;
}

double md5i_length_of_arc(const md5_pieces *pieces, const md5_arc *arc, double to)
{
    return integrate(pieces, arc->piece, arc->from, to);
}

// Newton's method, with bisection where it would leave the interval that holds the solution.
double md5i_share_of_arc(const md5_pieces *pieces, const md5_arc *arc, double length)
{
    double low = arc->from, high = arc->to, share = low;
    for (int step = 0; step < 60; step++) {
        const double miss = md5i_length_of_arc(pieces, arc, share) - length;
        if (miss > 0.0)
            high = share;
        else
            low = share;
        const double speed = speed_at(pieces, arc->piece, share), last = share;
        share = last - miss / speed;
        if (!(share >= low && share <= high))
            share = 0.5 * (low + high);
        if (fabs(share - last) <= 1e-10 * (arc->to - arc->from))
            break;
    }
    return share;
}
