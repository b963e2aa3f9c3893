#include "md5/motion/pieces.h"

// De Casteljau's algorithm: each round replaces neighbours by the point between them; the last two
// are the derivative. In homogeneous coordinates, P = w p has P' = w' p + w p'.
md5_motion_at md5i_piece_at(const md5_pieces *pieces, uint32_t piece, double share)
{
    const uint32_t degree = pieces->degree;
    const md5_vec4d *const points = pieces->points + (size_t)piece * (degree + 1);
    md5_vec4d p[MD5_MAX_CURVE_DEGREE + 1];
    for (uint32_t i = 0; i <= degree; i++)
        p[i] = points[i];
    for (uint32_t left = degree; left > 1; left--) {
        for (uint32_t i = 0; i < left; i++)
            p[i] = md5_vec4d_lerp(p[i], p[i + 1], share);
    }
    const md5_vec4d at = md5_vec4d_lerp(p[0], p[1], share);
    const md5_vec3d point = {at.x / at.w, at.y / at.w, at.z / at.w};
    const double w = p[1].w - p[0].w, scale = (double)degree / at.w;
    return (md5_motion_at){
        point,
        {
            scale * (p[1].x - p[0].x - w * point.x),
            scale * (p[1].y - p[0].y - w * point.y),
            scale * (p[1].z - p[0].z - w * point.z),
        },
    };
}

bool md5i_take_pieces(md5_arena *arena, md5_pieces *pieces, uint32_t degree, uint32_t count)
{
    const size_t num_points = (size_t)count * (degree + 1);
    pieces->degree = degree;
    pieces->count = count;
    pieces->starts = (double *)md5i_arena_room(arena, (size_t)count + 1, sizeof *pieces->starts);
    TRY(pieces->starts);
    pieces->points = (md5_vec4d *)md5i_arena_room(arena, num_points, sizeof *pieces->points);
    return pieces->points != NULL;
}

static md5_vec4d whole(md5_vec3 p)
{
    return (md5_vec4d){(double)p.x, (double)p.y, (double)p.z, 1.0};
}

bool md5i_make_bezier(md5_arena *arena, const md5_curve_desc *desc, md5_pieces *pieces)
{
    const uint32_t degree = md5i_curve_degree(desc);
    const uint32_t count = (desc->num_points - (desc->is_closed ? 0 : 1)) / degree;
    TRY(md5i_take_pieces(arena, pieces, degree, count));
    for (uint32_t i = 0; i < count; i++) {
        pieces->starts[i] = (double)i / count;
        for (uint32_t j = 0; j <= degree; j++) {
            const uint32_t point = (i * degree + j) % desc->num_points;
            pieces->points[(size_t)i * (degree + 1) + j] = whole(desc->points[point]);
        }
    }
    pieces->starts[count] = 1.0;
    return true;
}
