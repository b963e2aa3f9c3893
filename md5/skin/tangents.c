#include "md5/skin/tangents.h"

#include "md5/core/pair.h"
#include "md5/core/math.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(md5_vec4) == 2 * sizeof(double), "z of both axes fits into a tangent");

// If less than this of a sum of unit vectors is perpendicular to the normal, it is rounding error.
#define UNDEFINED 1e-6

// Directions of the texture's u and v axes in space: x of both, y of both. z of both uses the
// memory of the vertex's tangent, which is written later.
typedef struct texture_axes {
    double x[2], y[2];
} texture_axes;

static void add_to(void *sums, md5_pair a)
{
    md5_pair_store(sums, md5_pair_add(md5_pair_load(sums), a));
}

// Adds the unit vectors of a triangle to its corners' sums; nothing if its texture area is a line
// or a point.
//
// With edges e0, e1 that span (du, dv) of the texture, P(u, v) obeys
//   e0 = P_u * du0 + P_v * dv0,  e1 = P_u * du1 + P_v * dv1,
// which solves to P_u = (e0 * dv1 - e1 * dv0) / area and P_v = (e1 * du0 - e0 * du1) / area with
// area = du0 * dv1 - dv0 * du1. Only the sign of the division matters here.
static void add_triangle(const md5_geometry_arrays *arrays, const uint32_t *corners,
                         texture_axes *sums)
{
    const md5_vec2 *const uv = arrays->texcoords;
    const md5_pair uv_a = md5_pair_of_floats(&uv[corners[0]]);
    const md5_pair d0 = md5_pair_sub(md5_pair_of_floats(&uv[corners[1]]), uv_a);
    const md5_pair d1 = md5_pair_sub(md5_pair_of_floats(&uv[corners[2]]), uv_a);
    const double area = md5_pair_cross(d0, d1);
    if (!(area < 0.0 || area > 0.0))
        return;

    const md5_vec3 *const pa = &arrays->positions[corners[0]];
    const md5_vec3 *const pb = &arrays->positions[corners[1]];
    const md5_vec3 *const pc = &arrays->positions[corners[2]];
    const md5_pair origin = md5_pair_of_floats(pa);
    const md5_pair e0 = md5_pair_sub(md5_pair_of_floats(pb), origin);
    const md5_pair e1 = md5_pair_sub(md5_pair_of_floats(pc), origin);
    const md5_pair ex = md5_pair_firsts(e0, e1), ey = md5_pair_seconds(e0, e1);
    const md5_pair ez =
        md5_pair_sub(md5_pair_of((double)pb->z, (double)pc->z), md5_pair_both((double)pa->z));
    // P_u first, P_v second.
    const md5_pair plus = md5_pair_inner(d1, d0), minus = md5_pair_inner(d0, d1);
    const md5_pair x = md5_pair_sub(md5_pair_mul(ex, plus), md5_pair_mul(md5_pair_swap(ex), minus));
    const md5_pair y = md5_pair_sub(md5_pair_mul(ey, plus), md5_pair_mul(md5_pair_swap(ey), minus));
    const md5_pair z = md5_pair_sub(md5_pair_mul(ez, plus), md5_pair_mul(md5_pair_swap(ez), minus));
    const double sign = area < 0.0 ? -1.0 : 1.0;
    const md5_pair scale =
        md5_pair_mul(md5_pair_inverse(md5_pair_length(x, y, z)), md5_pair_both(sign));
    const md5_pair unit_x = md5_pair_mul(x, scale), unit_y = md5_pair_mul(y, scale);
    const md5_pair unit_z = md5_pair_mul(z, scale);
    for (int corner = 0; corner < 3; corner++) {
        texture_axes *const sum = &sums[corners[corner]];
        add_to(sum->x, unit_x);
        add_to(sum->y, unit_y);
        add_to(&arrays->tangents[corners[corner]], unit_z);
    }
}

// Returns any unit vector perpendicular to a unit vector.
static md5_vec3d any_perpendicular(md5_vec3d normal)
{
    const double x = fabs(normal.x), y = fabs(normal.y), z = fabs(normal.z);
    md5_vec3d axis = {0.0, 0.0, 1.0}; // the one farthest from the normal
    if (x <= y && x <= z)
        axis = (md5_vec3d){1.0, 0.0, 0.0};
    else if (y <= z)
        axis = (md5_vec3d){0.0, 1.0, 0.0};
    return md5_vec3d_normalize(md5_vec3d_cross(normal, axis));
}

static inline md5_vec3d project(md5_vec3d n, md5_vec3d along)
{
    // The normal has unit length up to float rounding only, which would matter if `along` is almost
    // parallel to it.
    const double parallel = md5_vec3d_dot(n, along) / md5_vec3d_dot(n, n);
    const md5_vec3d projected = md5_vec3d_sub(along, md5_vec3d_scale(n, parallel));
    const double length = md5_vec3d_length(projected);
    return length > UNDEFINED ? md5_vec3d_scale(projected, 1.0 / length) : any_perpendicular(n);
}

md5_vec3d md5i_tangent_near(md5_vec3 normal, md5_vec3d along)
{
    return project(md5_vec3d_of(normal), along);
}

// `tangent` holds z of the sums on entry.
static void make_tangent(md5_vec3 normal, const texture_axes *sum, md5_vec4 *tangent)
{
    double z[2];
    memcpy(z, tangent, sizeof z);
    const md5_vec3d n = md5_vec3d_of(normal);
    const md5_vec3d along_u = {sum->x[0], sum->y[0], z[0]};
    const md5_vec3d along_v = {sum->x[1], sum->y[1], z[1]};
    const md5_vec3d unit = project(n, along_u);
    const double side = md5_vec3d_dot(md5_vec3d_cross(n, unit), along_v);
    *tangent = (md5_vec4){(float)unit.x, (float)unit.y, (float)unit.z, side < 0.0 ? -1.0f : 1.0f};
}

static inline md5_pair3 two_normals(const md5_vec3 *normals)
{
    return md5_pair3_of(md5_vec3d_of(normals[0]), md5_vec3d_of(normals[1]));
}

// The directions along one axis of the texture of two vertices, u or v first.
static inline md5_pair3 two_sums(const texture_axes *sums, const md5_vec4 *tangents, bool is_v)
{
    const md5_pair pairs[3][2] = {{md5_pair_load(sums[0].x), md5_pair_load(sums[1].x)},
                                  {md5_pair_load(sums[0].y), md5_pair_load(sums[1].y)},
                                  {md5_pair_load(&tangents[0]), md5_pair_load(&tangents[1])}};
    md5_pair along[3];
    for (int i = 0; i < 3; i++)
        along[i] = is_v ? md5_pair_seconds(pairs[i][0], pairs[i][1])
                        : md5_pair_firsts(pairs[i][0], pairs[i][1]);
    const md5_pair3 both = {along[0], along[1], along[2]};
    return both;
}

// make_tangent() for two vertices. Returns false, and writes nothing, if a tangent is undefined.
static inline bool make_two_tangents(const md5_vec3 *normals, const texture_axes *sums,
                                     md5_vec4 *tangents)
{
    const md5_pair3 n = two_normals(normals);
    const md5_pair3 u = two_sums(sums, tangents, false), v = two_sums(sums, tangents, true);
    const md5_pair parallel = md5_pair_div(md5_pair3_dot(n, u), md5_pair3_dot(n, n));
    const md5_pair3 off = md5_pair3_scale(n, parallel);
    const md5_pair3 projected = {md5_pair_sub(u.x, off.x), md5_pair_sub(u.y, off.y),
                                 md5_pair_sub(u.z, off.z)};
    const md5_pair length = md5_pair_length(projected.x, projected.y, projected.z);
    if (!(md5_pair_first(length) > UNDEFINED && md5_pair_first(md5_pair_swap(length)) > UNDEFINED))
        return false;
    const md5_pair3 unit = md5_pair3_scale(projected, md5_pair_inverse(length));
    const md5_pair3 across = {md5_pair_sub(md5_pair_mul(n.y, unit.z), md5_pair_mul(n.z, unit.y)),
                              md5_pair_sub(md5_pair_mul(n.z, unit.x), md5_pair_mul(n.x, unit.z)),
                              md5_pair_sub(md5_pair_mul(n.x, unit.y), md5_pair_mul(n.y, unit.x))};
    const md5_pair sides = md5_pair3_dot(across, v);
    md5_vec3 first, second;
    md5_pair3_round(unit, &first, &second);
    const float side0 = md5_pair_first(sides) < 0.0 ? -1.0f : 1.0f;
    const float side1 = md5_pair_first(md5_pair_swap(sides)) < 0.0 ? -1.0f : 1.0f;
    tangents[0] = (md5_vec4){first.x, first.y, first.z, side0};
    tangents[1] = (md5_vec4){second.x, second.y, second.z, side1};
    return true;
}

static void make_tangents(const md5_vec3 *normals, const texture_axes *sums, uint32_t count,
                          md5_vec4 *tangents)
{
    for (uint32_t i = 0; i < count;) {
        if (i + 1 < count && make_two_tangents(&normals[i], &sums[i], &tangents[i])) {
            i += 2;
        } else {
            make_tangent(normals[i], &sums[i], &tangents[i]);
            i++;
        }
    }
}

bool md5i_build_tangents(md5_arena *arena, uint32_t num_vertices, uint32_t num_triangles,
                         const md5_geometry_arrays *arrays)
{
    const md5_arena_mark before = md5i_arena_here(arena);
    texture_axes *const sums = (texture_axes *)md5i_arena_alloc(arena, num_vertices, sizeof *sums);
    TRY(sums);
    memset(arrays->tangents, 0, num_vertices * sizeof *arrays->tangents);
    for (size_t i = 0; i < num_triangles; i++)
        add_triangle(arrays, arrays->indices + 3 * i, sums);
    make_tangents(arrays->normals, sums, num_vertices, arrays->tangents);
    md5i_arena_rewind(arena, before);
    return true;
}
