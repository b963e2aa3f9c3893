// Catmull-Rom curves: at each point the velocity of the parabola through it and its neighbours, and
// between two points the cubic with these velocities.
#include "md5/motion/pieces.h"

// Shortest duration of a piece relative to the longest: avoids division by 0 for equal points.
#define LEAST_SHARE 1e-3

typedef struct path {
    const md5_vec3 *points;
    uint32_t num_points, num_pieces;
    bool is_uniform;
    double least; // time of a piece
} path;

static md5_vec3d step_of(const path *of, uint32_t piece)
{
    const md5_vec3 from = of->points[piece], to = of->points[(piece + 1) % of->num_points];
    return md5_vec3d_sub(md5_vec3d_of(to), md5_vec3d_of(from));
}

static double time_of(const path *of, uint32_t piece)
{
    if (of->is_uniform)
        return 1.0;
    const double time = sqrt(md5_vec3d_length(step_of(of, piece)));
    return time > of->least ? time : of->least;
}

static path path_of(const md5_curve_desc *desc)
{
    path made = {
        .points = desc->points,
        .num_points = desc->num_points,
        .num_pieces = desc->num_points - (desc->is_closed ? 0 : 1),
        .is_uniform = desc->kind == MD5_CURVE_CATMULL_ROM_UNIFORM,
    };
    double longest = 0.0;
    for (uint32_t piece = 0; piece < made.num_pieces; piece++)
        longest = fmax(longest, time_of(&made, piece));
    made.least = longest > 0.0 ? LEAST_SHARE * longest : 1.0;
    return made;
}

// Velocity at the start of a piece, or at the end of the last one of an open path.
static md5_vec3d velocity_at(const path *of, uint32_t point)
{
    const bool is_closed = of->num_pieces == of->num_points;
    const uint32_t after = point % of->num_points;
    const uint32_t before = (point + of->num_points - 1) % of->num_points;
    if (!is_closed && (point == 0 || point == of->num_pieces)) {
        const uint32_t only = point == 0 ? after : before;
        return md5_vec3d_scale(step_of(of, only), 1.0 / time_of(of, only));
    }
    const double time_before = time_of(of, before), time_after = time_of(of, after);
    const double sum = time_before + time_after;
    return md5_vec3d_add(md5_vec3d_scale(step_of(of, before), time_after / (time_before * sum)),
                         md5_vec3d_scale(step_of(of, after), time_before / (time_after * sum)));
}

static md5_vec4d beside(md5_vec3d point, md5_vec3d velocity, double time)
{
    const md5_vec3d at = md5_vec3d_add(point, md5_vec3d_scale(velocity, time));
    return (md5_vec4d){at.x, at.y, at.z, 1.0};
}

bool md5i_make_catmull_rom(md5_arena *arena, const md5_curve_desc *desc, md5_pieces *pieces)
{
    const path of = path_of(desc);
    TRY(md5i_take_pieces(arena, pieces, 3, of.num_pieces));
    double total = 0.0;
    for (uint32_t i = 0; i < of.num_pieces; i++) {
        const md5_vec3d from = md5_vec3d_of(desc->points[i]);
        const md5_vec3d to = md5_vec3d_of(desc->points[(i + 1) % of.num_points]);
        const double third = time_of(&of, i) / 3.0;
        md5_vec4d *const p = pieces->points + 4 * (size_t)i;
        p[0] = beside(from, from, 0.0);
        p[1] = beside(from, velocity_at(&of, i), third);
        p[2] = beside(to, velocity_at(&of, i + 1), -third);
        p[3] = beside(to, to, 0.0);
        pieces->starts[i] = total;
        total += time_of(&of, i);
    }
    for (uint32_t i = 0; i < of.num_pieces; i++)
        pieces->starts[i] /= total;
    pieces->starts[of.num_pieces] = 1.0;
    return true;
}
