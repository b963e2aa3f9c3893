#include "md5/skin/tangents.h"

#include "md5/skin/vec3d.h"

// A sum of unit vectors of which less than this lies beside the normal is rounding.
#define UNDEFINED 1e-6

// Where u and v of the texture run in space.
typedef struct texture_axes {
    md5_vec3d along_u, along_v;
} texture_axes;

// Unit vectors; zero where the texture is drawn out to a line or a point.
//
// With e0, e1 the edges and (du, dv) what they cross of the texture, P(u, v) obeys
//   e0 = P_u * du0 + P_v * dv0,  e1 = P_u * du1 + P_v * dv1,
// which solves to P_u = (e0 * dv1 - e1 * dv0) / area and P_v = (e1 * du0 - e0 * du1) / area with
// area = du0 * dv1 - dv0 * du1. Of the division only the sign matters here.
static texture_axes axes_of_triangle(const md5_geometry_arrays *arrays, const uint32_t *corners)
{
    const uint32_t a = corners[0], b = corners[1], c = corners[2];
    const md5_vec2 *uv = arrays->texcoords;
    const double du0 = (double)uv[b].x - (double)uv[a].x, dv0 = (double)uv[b].y - (double)uv[a].y;
    const double du1 = (double)uv[c].x - (double)uv[a].x, dv1 = (double)uv[c].y - (double)uv[a].y;
    const double area = du0 * dv1 - dv0 * du1;
    if (!(area < 0.0 || area > 0.0))
        return (texture_axes){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};

    const double sign = area < 0.0 ? -1.0 : 1.0;
    const md5_vec3d origin = md5_vec3d_of(arrays->positions[a]);
    const md5_vec3d e0 = md5_vec3d_sub(md5_vec3d_of(arrays->positions[b]), origin);
    const md5_vec3d e1 = md5_vec3d_sub(md5_vec3d_of(arrays->positions[c]), origin);
    const md5_vec3d u = md5_vec3d_sub(md5_vec3d_scale(e0, dv1), md5_vec3d_scale(e1, dv0));
    const md5_vec3d v = md5_vec3d_sub(md5_vec3d_scale(e1, du0), md5_vec3d_scale(e0, du1));
    return (texture_axes){
        md5_vec3d_scale(md5_vec3d_normalize(u), sign),
        md5_vec3d_scale(md5_vec3d_normalize(v), sign),
    };
}

// At right angles to a unit vector.
static md5_vec3d any_perpendicular(md5_vec3d normal)
{
    const double x = fabs(normal.x), y = fabs(normal.y), z = fabs(normal.z);
    md5_vec3d furthest = {0.0, 0.0, 1.0}; // coordinate axis
    if (x <= y && x <= z)
        furthest = (md5_vec3d){1.0, 0.0, 0.0};
    else if (y <= z)
        furthest = (md5_vec3d){0.0, 1.0, 0.0};
    return md5_vec3d_normalize(md5_vec3d_cross(normal, furthest));
}

md5_vec3d md5_tangent_beside(md5_vec3 normal, md5_vec3d along)
{
    // The normal is unit to a float's rounding only, which would show where `along` runs close to
    // it.
    const md5_vec3d n = md5_vec3d_of(normal);
    const double part = md5_vec3d_dot(n, along) / md5_vec3d_dot(n, n);
    const md5_vec3d beside = md5_vec3d_sub(along, md5_vec3d_scale(n, part));
    const bool defined = md5_vec3d_length(beside) > UNDEFINED;
    return defined ? md5_vec3d_normalize(beside) : any_perpendicular(n);
}

static md5_vec4 make_tangent(md5_vec3 normal, const texture_axes *sum)
{
    const md5_vec3d n = md5_vec3d_of(normal);
    const md5_vec3d tangent = md5_tangent_beside(normal, sum->along_u);
    const double side = md5_vec3d_dot(md5_vec3d_cross(n, tangent), sum->along_v);
    const md5_vec3 rounded = md5_vec3d_round(tangent);
    return (md5_vec4){rounded.x, rounded.y, rounded.z, side < 0.0 ? -1.0f : 1.0f};
}

bool md5_build_tangents(md5_arena *arena, uint32_t num_vertices, uint32_t num_triangles,
                        const md5_geometry_arrays *arrays)
{
    texture_axes *sums = md5_arena_alloc(arena, num_vertices, sizeof *sums);
    TRY(sums);
    for (size_t i = 0; i < num_triangles; i++) {
        const uint32_t *corners = arrays->indices + 3 * i;
        const texture_axes axes = axes_of_triangle(arrays, corners);
        for (int corner = 0; corner < 3; corner++) {
            texture_axes *sum = &sums[corners[corner]];
            sum->along_u = md5_vec3d_add(sum->along_u, axes.along_u);
            sum->along_v = md5_vec3d_add(sum->along_v, axes.along_v);
        }
    }
    for (uint32_t i = 0; i < num_vertices; i++)
        arrays->tangents[i] = make_tangent(arrays->normals[i], &sums[i]);
    return true;
}
