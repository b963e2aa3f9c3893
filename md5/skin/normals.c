// Computes smooth normals. The normal of a vertex is the weighted mean of the normals of its
// triangles.
//
// The normals of triangles are computed two at a time (pair.h), and summed for each vertex. Then
// the sums of vertices at the same position are merged and normalized.
#include "md5/skin/geometry.h"
#include "md5/core/pair.h"

#include <assert.h>

// A sum of unit vectors below this length has no direction, because it consists of rounding errors.
// A weighted sum is compared with this value times the sum of its weights.
#define MIN_NORMAL_SUM 1e-6

// The sum of the weighted normals of triangles at one vertex, and the sum of their weights.
typedef struct normal_sum {
    md5_vec3d normal;
    double weight;
} normal_sum;

// The sums of all vertices, in double precision. They reuse the memory of other arrays. x and y are
// in an md5_vec4. z is in the memory of the vertex's normal, which is written later.
typedef struct normal_sums {
    md5_vec4 *xy;
    md5_vec3 *z;
    double *weights; // sums of the weights; NULL: all weights are 1
} normal_sums;

static_assert(sizeof(md5_vec4) == 2 * sizeof(double), "x and y of a sum fit into four floats");

// Returns one edge vector of each of two triangles, in double precision: from0 to to0, and from1 to
// to1.
static inline md5_pair3 edge_between(const md5_vec3 *from0, const md5_vec3 *to0,
                                     const md5_vec3 *from1, const md5_vec3 *to1)
{
    const md5_pair xy0 = md5_pair_sub(md5_pair_load_floats(to0), md5_pair_load_floats(from0));
    const md5_pair xy1 = md5_pair_sub(md5_pair_load_floats(to1), md5_pair_load_floats(from1));
    return (md5_pair3){
        md5_pair_firsts(xy0, xy1),
        md5_pair_seconds(xy0, xy1),
        md5_pair_set((double)to0->z - (double)from0->z, (double)to1->z - (double)from1->z),
    };
}

// -- Weights --------------------------------------------------------------------------------

// Returns atan(t) for 0 <= t <= 1 with a relative error below 1e-12. The atan() of C libraries is
// not used, because its last bits differ between systems.
//
// Halves the angle twice with tan(a / 2) = t / (1 + sqrt(1 + t^2)). The tangent is then below
// tan(pi / 16), where nine terms of the power series are sufficient.
static double arctangent(double t)
{
    t /= 1 + sqrt(1 + t * t);
    t /= 1 + sqrt(1 + t * t);
    double sum = 0;
    for (int i = 17; i > 0; i -= 2)
        sum = 1.0 / i - t * t * sum;
    return 4 * t * sum;
}

// Returns the angle of a triangle at one of its corners, in radians. `area` is twice the area of
// the triangle.
//
// `area` and `cosine` are the sine and the cosine of the angle, both times the lengths of the two
// edges. Therefore tan(angle / 2) = sine / (1 + cosine) can be computed without dividing by the
// lengths.
static double corner_angle(const md5_vec3 *points, const uint32_t *corners, int corner, double area)
{
    const double pi = 3.14159265358979323846;
    const md5_vec3d origin = md5_vec3d_from_vec3(points[corners[corner]]);
    const md5_vec3d next = md5_vec3d_from_vec3(points[corners[(corner + 1) % 3]]);
    const md5_vec3d last = md5_vec3d_from_vec3(points[corners[(corner + 2) % 3]]);
    const double cosine = md5_vec3d_dot(md5_vec3d_sub(next, origin), md5_vec3d_sub(last, origin));
    const double half = arctangent(area / (sqrt(area * area + cosine * cosine) + fabs(cosine)));
    return cosine < 0 ? pi - 2 * half : 2 * half;
}

// Adds a normal to the sum of a vertex, in double precision. One instruction adds x and y. The
// doubles are stored with memcpy(), because their memory has the type of float arrays.
static inline void add_normal(const normal_sums *sums, uint32_t vertex, md5_pair xy, double z)
{
    md5_vec4 *const sum = &sums->xy[vertex];
    double sum_z;
    md5_pair_store(sum, md5_pair_add(md5_pair_load(sum), xy));
    memcpy(&sum_z, &sums->z[vertex], sizeof sum_z);
    sum_z += z;
    memcpy(&sums->z[vertex], &sum_z, sizeof sum_z);
}

// Adds the unit normal of a triangle to the sums of its corners, times the weight of each corner.
// `area` is the length of `normal`, which is twice the area of the triangle. A triangle without
// area adds nothing.
static void add_weighted(const normal_sums *sums, md5_normals weighting, const md5_vec3 *points,
                         const uint32_t *corners, md5_vec3d normal, double area)
{
    for (int i = 0; i < 3 && area > 0; i++) {
        const double weight =
            weighting == MD5_NORMALS_AREA ? area : corner_angle(points, corners, i, area);
        const md5_vec3d added = md5_vec3d_scale(normal, weight / area);
        add_normal(sums, corners[i], md5_pair_set(added.x, added.y), added.z);
        sums->weights[corners[i]] += weight;
    }
}

// -- Sums -----------------------------------------------------------------------------------

// Returns the sum of the normals of a vertex and the sum of their weights. Without stored weights,
// the sum of the weights is 1.
static inline normal_sum load_sum(const normal_sums *sums, uint32_t vertex)
{
    double xy[2];
    double z;
    memcpy(xy, &sums->xy[vertex], sizeof xy);
    memcpy(&z, &sums->z[vertex], sizeof z);
    const normal_sum sum = {{xy[0], xy[1], z}, sums->weights ? sums->weights[vertex] : 1};
    return sum;
}

// Returns the total of the sums of all vertices at one position, which form a chain.
static normal_sum add_chain(const normal_sums *sums, const uint32_t *nexts, uint32_t first,
                            uint32_t num_vertices)
{
    normal_sum total = {{0, 0, 0}, 0};
    for (uint32_t vertex = first; vertex < num_vertices; vertex = nexts[vertex]) {
        const normal_sum sum = load_sum(sums, vertex);
        total.normal = md5_vec3d_add(total.normal, sum.normal);
        total.weight = sums->weights ? total.weight + sum.weight : 1;
    }
    return total;
}

// Replaces the sum of a vertex.
static void store_sum(const normal_sums *sums, uint32_t vertex, const normal_sum *sum)
{
    md5_pair_store(&sums->xy[vertex], md5_pair_set(sum->normal.x, sum->normal.y));
    memcpy(&sums->z[vertex], &sum->normal.z, sizeof sum->normal.z);
    if (sums->weights)
        sums->weights[vertex] = sum->weight;
}

// Replaces the sums of all vertices at the same position by their total, which makes seams
// invisible. If the total has no direction, the sums remain. nexts[num_vertices] is the result of
// md5i_chain_equals(): the next vertex at the same position, or num_vertices. `nexts` is
// overwritten, because a visited vertex refers to itself.
static void merge_sums(const normal_sums *sums, uint32_t *nexts, uint32_t num_vertices)
{
    for (uint32_t i = 0; i < num_vertices; i++) {
        // The last vertex of a chain can only be unvisited here if it is alone at its position.
        const bool is_alone = nexts[i] == num_vertices;
        const bool is_visited = nexts[i] == i;
        if (is_alone || is_visited)
            continue;

        const normal_sum total = add_chain(sums, nexts, i, num_vertices);
        const bool has_direction = md5_vec3d_length(total.normal) > MIN_NORMAL_SUM * total.weight;
        uint32_t vertex = i;
        while (vertex < num_vertices) {
            const uint32_t next = nexts[vertex];
            nexts[vertex] = vertex; // visited
            if (has_direction)
                store_sum(sums, vertex, &total);
            vertex = next;
        }
    }
}

// Adds the normals of all triangles to the sums of their vertices. Two triangles are computed at a
// time, as the elements of pairs. If the number of triangles is odd, the last triangle is in both
// elements, but is added only once. Normals point outward, because front faces are clockwise. A
// triangle without area adds nothing.
static void add_triangles(const normal_sums *sums, md5_normals weighting,
                          const md5_mesh_build *mesh)
{
    const md5_vec3 *const points = mesh->positions;
    const size_t num_triangles = mesh->num_triangles;
    for (size_t i = 0; i < num_triangles; i += 2) {
        const uint32_t *const corners = mesh->indices + 3 * i;
        const uint32_t *const next = i + 1 < num_triangles ? corners + 3 : corners;

        const md5_vec3 *const origin0 = &points[corners[0]];
        const md5_vec3 *const origin1 = &points[next[0]];
        const md5_pair3 b = edge_between(origin0, &points[corners[1]], origin1, &points[next[1]]);
        const md5_pair3 c = edge_between(origin0, &points[corners[2]], origin1, &points[next[2]]);
        const md5_pair3 normals = md5_pair3_cross(c, b);
        const md5_pair areas = md5_pair3_length(normals);

        if (sums->weights) {
            add_weighted(sums, weighting, points, corners, md5_pair3_first(normals),
                         md5_pair_first(areas));
            if (next != corners)
                add_weighted(sums, weighting, points, next, md5_pair3_second(normals),
                             md5_pair_second(areas));
            continue;
        }

        const md5_pair3 units = md5_pair3_scale(normals, md5_pair_inverse(areas));
        for (uint32_t k = 0; k < 3; k++)
            add_normal(sums, corners[k], md5_pair_firsts(units.x, units.y),
                       md5_pair_first(units.z));

        if (next == corners)
            break;
        for (uint32_t k = 0; k < 3; k++)
            add_normal(sums, next[k], md5_pair_seconds(units.x, units.y), md5_pair_second(units.z));
    }
}

// Normalizes the sums of all vertices and writes the normals. Two vertices are computed at a time.
// If the number is odd, the last vertex is computed twice. A sum without a direction becomes 0 0 1.
static void write_normals(const normal_sums *sums, md5_mesh_build *mesh)
{
    const uint32_t num_vertices = mesh->num_vertices;
    for (uint32_t i = 0; i < num_vertices; i += 2) {
        const uint32_t pair[2] = {i, i + 1 < num_vertices ? i + 1 : i};
        const normal_sum first = load_sum(sums, pair[0]);
        const normal_sum second = load_sum(sums, pair[1]);

        const md5_pair3 both = md5_pair3_set(first.normal, second.normal);
        const md5_pair length = md5_pair3_length(both);
        const bool has_direction[2] = {md5_pair_first(length) > MIN_NORMAL_SUM * first.weight,
                                       md5_pair_second(length) > MIN_NORMAL_SUM * second.weight};

        md5_pair3_round(md5_pair3_scale(both, md5_pair_inverse(length)), &mesh->normals[pair[0]],
                        &mesh->normals[pair[1]]);

        for (uint32_t k = 0; k < 2; k++) {
            if (!has_direction[k])
                mesh->normals[pair[k]] = (md5_vec3){0, 0, 1};
        }
    }
}

// Chains the vertices at the same position. Writes the next vertex of each chain to
// nexts[num_vertices]. `memory` has space for num_vertices elements and is overwritten. Returns
// false and sets the context's error if memory runs out.
static bool chain_positions(md5_context *context, const md5_mesh_build *mesh, md5_vec4 *memory,
                            uint32_t *nexts)
{
    const uint32_t num_vertices = mesh->num_vertices;
    md5_arena weld_arena = md5i_arena_in_memory(context, memory, num_vertices * sizeof *memory);
    const md5_arena_mark begin = md5i_arena_position(&weld_arena);
    const bool is_welded = md5i_weld(&weld_arena, mesh->positions, num_vertices, nexts);
    md5i_arena_rewind(&weld_arena, begin);
    TRY(is_welded);
    md5i_chain_equals(nexts, num_vertices);
    return true;
}

// Computes the normals of a mesh. Chains the vertices at the same position, sums the normals of
// their triangles, and normalizes the sums. nexts[num_vertices] and scratch[num_vertices] are
// scratch memory.
bool md5i_build_normals(md5_arena *arena, md5_mesh_build *mesh, uint32_t *nexts, md5_vec4 *scratch)
{
    const md5_arena_mark before = md5i_arena_position(arena);
    const md5_normals weighting = arena->context->normals;
    const uint32_t num_vertices = mesh->num_vertices;
    TRY(chain_positions(arena->context, mesh, scratch, nexts));

    // Sum the normals of the triangles.
    normal_sums sums = {.xy = scratch, .z = mesh->normals};
    memset(sums.xy, 0, num_vertices * sizeof *sums.xy);
    memset(sums.z, 0, num_vertices * sizeof *sums.z);
    const bool is_weighted = weighting == MD5_NORMALS_AREA || weighting == MD5_NORMALS_ANGLE;
    if (is_weighted) {
        sums.weights = MD5_ALLOC_ZEROED(arena, double, num_vertices);
        TRY(sums.weights);
    }
    add_triangles(&sums, weighting, mesh);
    merge_sums(&sums, nexts, num_vertices);
    write_normals(&sums, mesh);
    md5i_arena_rewind(arena, before);
    return true;
}
