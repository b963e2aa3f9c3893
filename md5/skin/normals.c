#include "md5/skin/normals.h"

#include "md5/core/pair.h"
#include "md5/core/math.h"
#include "md5/skin/weld.h"

#include <string.h>

// Shorter sums of unit vectors are rounding error, not a direction.
#define CANCELLED 1e-6

// Sums for each vertex. x and y use the memory of the tangent, which is written later.
typedef struct normal_sums {
    md5_vec4 *xy;
    double *z;
} normal_sums;

_Static_assert(sizeof(md5_vec4) == 2 * sizeof(double), "x and y of a sum fit into a tangent");

static void add_to_corners(const normal_sums *sums, const uint32_t *corners, md5_pair xy, double z)
{
    for (int i = 0; i < 3; i++) {
        const uint32_t vertex = corners[i];
        md5_vec4 *const sum = &sums->xy[vertex];
        md5_pair_store(sum, md5_pair_add(md5_pair_load(sum), xy));
        sums->z[vertex] += z;
    }
}

static md5_vec3d sum_of(const normal_sums *sums, uint32_t vertex)
{
    double xy[2];
    memcpy(xy, &sums->xy[vertex], sizeof xy);
    return (md5_vec3d){xy[0], xy[1], sums->z[vertex]};
}

// x y z of an edge of each of two triangles.
typedef struct edge {
    md5_pair x, y, z;
} edge;

static inline edge edge_between(const md5_vec3 *from0, const md5_vec3 *to0, const md5_vec3 *from1,
                                const md5_vec3 *to1)
{
    const md5_pair xy0 = md5_pair_sub(md5_pair_of_floats(to0), md5_pair_of_floats(from0));
    const md5_pair xy1 = md5_pair_sub(md5_pair_of_floats(to1), md5_pair_of_floats(from1));
    return (edge){
        md5_pair_firsts(xy0, xy1),
        md5_pair_seconds(xy0, xy1),
        md5_pair_of((double)to0->z - (double)from0->z, (double)to1->z - (double)from1->z),
    };
}

// Adds the outward unit normals of two triangles to the sums of their corners; front faces are
// clockwise. A triangle without an area adds nothing. If both are the same triangle, it is added
// once.
static void add_two_triangles(const md5_vec3 *points, const uint32_t *first, const uint32_t *second,
                              const normal_sums *sums)
{
    const md5_vec3 *const origin0 = &points[first[0]], *const origin1 = &points[second[0]];
    const edge b = edge_between(origin0, &points[first[1]], origin1, &points[second[1]]);
    const edge c = edge_between(origin0, &points[first[2]], origin1, &points[second[2]]);
    const md5_pair x = md5_pair_sub(md5_pair_mul(c.y, b.z), md5_pair_mul(c.z, b.y));
    const md5_pair y = md5_pair_sub(md5_pair_mul(c.z, b.x), md5_pair_mul(c.x, b.z));
    const md5_pair z = md5_pair_sub(md5_pair_mul(c.x, b.y), md5_pair_mul(c.y, b.x));
    const md5_pair scale = md5_pair_inverse(md5_pair_length(x, y, z));
    const md5_pair unit_x = md5_pair_mul(x, scale), unit_y = md5_pair_mul(y, scale);
    const md5_pair unit_z = md5_pair_mul(z, scale);
    add_to_corners(sums, first, md5_pair_firsts(unit_x, unit_y), md5_pair_first(unit_z));
    if (second != first)
        add_to_corners(sums, second, md5_pair_seconds(unit_x, unit_y),
                       md5_pair_first(md5_pair_swap(unit_z)));
}

// Writes the direction of a sum. Returns false if it has none.
static bool write_normal(md5_vec3d sum, md5_vec3 *normal)
{
    const double length = md5_vec3d_length(sum);
    if (!(length > CANCELLED))
        return false;
    const md5_vec3d unit = md5_vec3d_scale(sum, 1.0 / length);
    *normal = (md5_vec3){(float)unit.x, (float)unit.y, (float)unit.z};
    return true;
}

// Numbers the positions that several vertices share, from num_vertices on: shared_ids[i] becomes
// that number, and stays i if no other vertex has the position. Returns the number of shared
// positions.
static uint32_t number_shared_positions(uint32_t *shared_ids, uint32_t num_vertices)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < num_vertices; i++) {
        const uint32_t first = shared_ids[i];
        if (first == i)
            continue;
        if (shared_ids[first] == first)
            shared_ids[first] = num_vertices + count++;
        shared_ids[i] = shared_ids[first];
    }
    return count;
}

static void add_triangles(const md5_geometry_arrays *arrays, uint32_t num_triangles,
                          const normal_sums *of_vertices)
{
    for (size_t i = 0; i < num_triangles; i += 2) {
        const uint32_t *const corners = arrays->indices + 3 * i;
        const uint32_t *const next = i + 1 < num_triangles ? corners + 3 : corners;
        add_two_triangles(arrays->positions, corners, next, of_vertices);
    }
}

bool md5_build_normals(md5_arena *arena, uint32_t num_vertices, uint32_t num_triangles,
                       const md5_geometry_arrays *arrays)
{
    const md5_arena_mark before = md5_arena_here(arena);
    uint32_t *const shared_ids = md5_arena_room(arena, num_vertices, sizeof *shared_ids);
    TRY(shared_ids);
    TRY(md5_weld(arena, arrays->positions, num_vertices, shared_ids));
    const uint32_t num_shared = number_shared_positions(shared_ids, num_vertices);
    const normal_sums of_vertices = {
        .xy = arrays->tangents,
        .z = md5_arena_alloc(arena, num_vertices, sizeof *of_vertices.z),
    };
    TRY(of_vertices.z);
    md5_vec3d *const of_positions = md5_arena_alloc(arena, num_shared, sizeof *of_positions);
    TRY(of_positions);

    memset(of_vertices.xy, 0, num_vertices * sizeof *of_vertices.xy);
    add_triangles(arrays, num_triangles, &of_vertices);
    for (uint32_t i = 0; i < num_vertices; i++) {
        if (shared_ids[i] == i)
            continue;
        md5_vec3d *const sum = &of_positions[shared_ids[i] - num_vertices];
        *sum = md5_vec3d_add(*sum, sum_of(&of_vertices, i));
    }
    for (uint32_t i = 0; i < num_vertices; i++) {
        md5_vec3 *const normal = &arrays->normals[i];
        const bool is_shared = shared_ids[i] != i;
        if (is_shared && write_normal(of_positions[shared_ids[i] - num_vertices], normal))
            continue;
        if (!write_normal(sum_of(&of_vertices, i), normal))
            *normal = (md5_vec3){0.0f, 0.0f, 1.0f};
    }
    md5_arena_rewind(arena, before);
    return true;
}
