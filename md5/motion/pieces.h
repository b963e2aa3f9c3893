// A curve as Bézier pieces, the common form of all kinds, so that there is one evaluation and one
// computation of length. Points are homogeneous (w x, w y, w z, w), so that pieces may be rational.
#ifndef MD5_CURVE_PIECES_H
#define MD5_CURVE_PIECES_H

#include "md5/core/arena.h"
#include "md5/core/math.h"
#include "md5/md5curve.h"

typedef struct md5_vec4d {
    double x, y, z, w;
} md5_vec4d;

typedef struct md5_pieces {
    uint32_t degree, count;
    double *starts;    // [count + 1] t at which each begins; the last is 1
    md5_vec4d *points; // [count][degree + 1]
} md5_pieces;

// a at 0 and b at 1, exactly.
static inline md5_vec4d md5_vec4d_lerp(md5_vec4d a, md5_vec4d b, double t)
{
    const double s = 1.0 - t;
    return (md5_vec4d){
        s * a.x + t * b.x,
        s * a.y + t * b.y,
        s * a.z + t * b.z,
        s * a.w + t * b.w,
    };
}

// Point and derivative at a position 0..1 within a piece.
typedef struct md5_motion_at {
    md5_vec3d point, velocity;
} md5_motion_at;
md5_motion_at md5i_piece_at(const md5_pieces *pieces, uint32_t piece, double share);

// Allocates the arrays of `count` pieces in an arena.
bool md5i_take_pieces(md5_arena *arena, md5_pieces *pieces, uint32_t degree, uint32_t count);

// Fail if numbers of the description are outside their limits.
bool md5i_check_curve(md5_context *context, const md5_curve_desc *desc);
uint32_t md5i_curve_degree(const md5_curve_desc *desc);

// Make the pieces of a checked description.
bool md5i_make_bezier(md5_arena *arena, const md5_curve_desc *desc, md5_pieces *pieces);
bool md5i_make_catmull_rom(md5_arena *arena, const md5_curve_desc *desc, md5_pieces *pieces);
bool md5i_make_spline(md5_arena *arena, const md5_curve_desc *desc, md5_pieces *pieces);

#endif
