// Curves: creation, and their public functions.
#include "md5/core/assert.h"
#include "md5/motion/length.h"

#include <string.h>

struct md5_curve {
    md5_pieces pieces;
    md5_arc *arcs;
    uint32_t num_arcs;
    bool is_closed;
    double length;
    size_t size; // of this block
    md5_allocator allocator;
};

// -- Creation -------------------------------------------------------------------------------------

// The layout of the block. Pointers are invalid while measuring.
static md5_curve *lay_out(md5_block *block, const md5_pieces *pieces, uint32_t num_arcs,
                          md5_curve *parts)
{
    const size_t num_points = (size_t)pieces->count * (pieces->degree + 1);
    md5_curve *const curve = (md5_curve *)md5i_block_take(block, 1, sizeof *curve);
    parts->pieces = *pieces;
    parts->pieces.points = (md5_vec4d *)md5i_block_take(block, num_points, sizeof(md5_vec4d));
    parts->pieces.starts =
        (double *)md5i_block_take(block, (size_t)pieces->count + 1, sizeof(double));
    parts->arcs = (md5_arc *)md5i_block_take(block, num_arcs, sizeof(md5_arc));
    parts->num_arcs = num_arcs;
    return curve;
}

static md5_curve *place_curve(md5_context *context, const md5_pieces *pieces)
{
    md5_curve parts = {.size = 0};
    md5_block block = {NULL, 0};
    const uint32_t num_arcs = md5i_measure_pieces(pieces, NULL, &parts.length);
    lay_out(&block, pieces, num_arcs, &parts);
    parts.size = block.used;
    block = (md5_block){(unsigned char *)md5i_alloc(context, parts.size), 0};
    if (!block.base)
        return NULL;
    md5_curve *const curve = lay_out(&block, pieces, num_arcs, &parts);
    *curve = parts;
    const size_t num_points = (size_t)pieces->count * (pieces->degree + 1);
    memcpy(curve->pieces.points, pieces->points, num_points * sizeof *pieces->points);
    memcpy(curve->pieces.starts, pieces->starts, (pieces->count + 1) * sizeof *pieces->starts);
    md5i_measure_pieces(pieces, curve->arcs, &curve->length);
    curve->allocator = context->allocator;
    return curve;
}

static md5_curve *make_curve(md5_arena *arena, const md5_curve_desc *desc)
{
    md5_pieces pieces;
    if (!md5i_check_curve(arena->context, desc))
        return NULL;
    const bool is_bezier = desc->kind == MD5_CURVE_CUBIC_BEZIER || desc->kind == MD5_CURVE_BEZIER;
    const bool is_spline = desc->kind == MD5_CURVE_B_SPLINE || desc->kind == MD5_CURVE_NURBS;
    const bool is_made = is_bezier   ? md5i_make_bezier(arena, desc, &pieces)
                         : is_spline ? md5i_make_spline(arena, desc, &pieces)
                                     : md5i_make_catmull_rom(arena, desc, &pieces);
    return is_made ? place_curve(arena->context, &pieces) : NULL;
}

md5_curve *md5_create_curve(const md5_curve_desc *desc, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT(desc != NULL, "desc: not NULL");
    MD5_ASSERT_RESERVED(desc);
    MD5_ASSERT_OPTS(opts);
    MD5_ASSERT(desc->points != NULL || desc->num_points == 0, "desc->points: not NULL");
    md5_context context;
    md5i_context_begin(&context, opts, NULL, error);
    md5_arena arena = {.context = &context};
    md5_curve *const curve = make_curve(&arena, desc);
    if (curve)
        curve->is_closed = desc->is_closed;
    md5i_arena_free(&arena);
    return curve;
}

void md5_destroy_curve(md5_curve *curve)
{
    if (!curve)
        return;
    const md5_allocator allocator = curve->allocator;
    allocator.free(allocator.user, curve, curve->size);
}

// -- Evaluation -----------------------------------------------------------------------------------

// Clamps t for an open curve, wraps it around for a closed one.
static double within(const md5_curve *curve, double value, double end)
{
    if (curve->is_closed && end > 0.0 && !(value >= 0.0 && value < end)) {
        const double rest = value - end * floor(value / end);
        value = rest < end ? rest : 0.0; // also if it is not finite
    }
    return value > 0.0 ? value < end ? value : end : 0.0;
}

typedef struct location {
    uint32_t piece;
    double share;
} location;

// Finds the last piece that begins at or before t, by bisection.
static location locate(const md5_curve *curve, double t)
{
    const double *const starts = curve->pieces.starts;
    const double inside = within(curve, t, 1.0);
    uint32_t low = 0, high = curve->pieces.count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (starts[middle] <= inside)
            low = middle;
        else
            high = middle;
    }
    return (location){low, (inside - starts[low]) / (starts[low + 1] - starts[low])};
}

md5_vec3 md5_curve_point(const md5_curve *curve, double t)
{
    MD5_ASSERT(curve != NULL, "curve: not NULL");
    const location at = locate(curve, t);
    return md5_vec3d_round(md5i_piece_at(&curve->pieces, at.piece, at.share).point);
}

md5_vec3 md5_curve_tangent(const md5_curve *curve, double t)
{
    MD5_ASSERT(curve != NULL, "curve: not NULL");
    const location at = locate(curve, t);
    const double *const starts = curve->pieces.starts;
    const double width = starts[at.piece + 1] - starts[at.piece];
    const md5_vec3d velocity = md5i_piece_at(&curve->pieces, at.piece, at.share).velocity;
    return md5_vec3d_round(md5_vec3d_scale(velocity, 1.0 / width));
}

uint32_t md5_curve_num_pieces(const md5_curve *curve)
{
    MD5_ASSERT(curve != NULL, "curve: not NULL");
    return curve->pieces.count;
}

double md5_curve_start(const md5_curve *curve, uint32_t piece)
{
    MD5_ASSERT(curve != NULL, "curve: not NULL");
    MD5_ASSERT(piece <= curve->pieces.count, "piece: at most the number of pieces");
    return curve->pieces.starts[piece];
}

// -- Distance -------------------------------------------------------------------------------------

double md5_curve_length(const md5_curve *curve)
{
    MD5_ASSERT(curve != NULL, "curve: not NULL");
    return curve->length;
}

double md5_curve_at_distance(const md5_curve *curve, double distance)
{
    MD5_ASSERT(curve != NULL, "curve: not NULL");
    const double inside = within(curve, distance, curve->length);
    if (inside <= 0.0)
        return 0.0;
    if (inside >= curve->length)
        return 1.0;
    uint32_t low = 0, high = curve->num_arcs;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (curve->arcs[middle].distance <= inside)
            low = middle;
        else
            high = middle;
    }
    const md5_arc *const arc = &curve->arcs[low];
    const double share = md5i_share_of_arc(&curve->pieces, arc, inside - arc->distance);
    const double *const starts = curve->pieces.starts;
    return starts[arc->piece] + share * (starts[arc->piece + 1] - starts[arc->piece]);
}

double md5_curve_distance(const md5_curve *curve, double t)
{
    MD5_ASSERT(curve != NULL, "curve: not NULL");
    const location at = locate(curve, t);
    if (at.piece + 1 == curve->pieces.count && at.share >= 1.0)
        return curve->length;
    uint32_t low = 0, high = curve->num_arcs;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        const md5_arc *const arc = &curve->arcs[middle];
        if (arc->piece < at.piece || (arc->piece == at.piece && arc->from <= at.share))
            low = middle;
        else
            high = middle;
    }
    const md5_arc *const arc = &curve->arcs[low];
    return arc->distance + md5i_length_of_arc(&curve->pieces, arc, at.share);
}
