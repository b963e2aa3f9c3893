// Smooth normals: see md5i_build_normals().
#include "md5/skin/geometry.h"
#include "md5/skin/pair.h"

#include <assert.h>

// Shorter sums of unit vectors are rounding error, not a direction. Weighted sums are compared to
// the sum of their weights.
#define CANCELLED 1e-6

typedef struct normal_sum {
    md5_vec3d normal;
    double weight;
} normal_sum;

// The sums of each vertex.
typedef struct normal_sums {
    md5_vec4 *xy;
    md5_vec3 *z;     // in the memory of the normals, which are written later
    double *weights; // sums of the weights; NULL: all weights are 1
} normal_sums;

static_assert(sizeof(md5_vec4) == 2 * sizeof(double), "x and y of a sum fit into four floats");

// An edge of each of two triangles.
static inline md5_pair3 edge_between(const md5_vec3 *from0, const md5_vec3 *to0,
                                     const md5_vec3 *from1, const md5_vec3 *to1)
{
    const md5_pair xy0 = md5_pair_sub(md5_pair_of_floats(to0), md5_pair_of_floats(from0));
    const md5_pair xy1 = md5_pair_sub(md5_pair_of_floats(to1), md5_pair_of_floats(from1));
    return (md5_pair3){
        md5_pair_firsts(xy0, xy1),
        md5_pair_seconds(xy0, xy1),
        md5_pair_of((double)to0->z - (double)from0->z, (double)to1->z - (double)from1->z),
    };
}

// -- Weights --------------------------------------------------------------------------------

// Returns atan(t), 0 <= t <= 1, with a relative error below 1e-12. Two half angles,
// tan(a / 2) = t / (1 + sqrt(1 + t^2)), bring it below tan(pi / 16), where nine terms of the series
// are enough. C libraries disagree in the last bit of theirs.
static double arctangent(double t)
{
    t /= 1 + sqrt(1 + t * t);
    t /= 1 + sqrt(1 + t * t);
    double sum = 0;
    for (int i = 17; i > 0; i -= 2)
        sum = 1.0 / i - t * t * sum;
    return 4 * t * sum;
}

// The angle of a triangle at a corner. Its sine is twice the `area`, divided by the same lengths as
// the cosine.
static double angle_at(const md5_vec3 *points, const uint32_t *corners, int corner, double area)
{
    const double pi = 3.14159265358979323846;
    const md5_vec3d own = md5_vec3d_of(points[corners[corner]]);
    const md5_vec3d next = md5_vec3d_of(points[corners[(corner + 1) % 3]]);
    const md5_vec3d last = md5_vec3d_of(points[corners[(corner + 2) % 3]]);
    const double cosine = md5_vec3d_dot(md5_vec3d_sub(next, own), md5_vec3d_sub(last, own));
    const double half = arctangent(area / (sqrt(area * area + cosine * cosine) + fabs(cosine)));
    return cosine < 0 ? pi - 2 * half : 2 * half;
}

static inline void add_normal(const normal_sums *sums, uint32_t vertex, md5_pair xy, double z)
{
    md5_vec4 *const sum = &sums->xy[vertex];
    double sum_z;
    md5_pair_store(sum, md5_pair_add(md5_pair_load(sum), xy));
    memcpy(&sum_z, &sums->z[vertex], sizeof sum_z);
    sum_z += z;
    memcpy(&sums->z[vertex], &sum_z, sizeof sum_z);
}

// Adds the normal of a triangle, as long as twice its `area`, at unit length times the weight of
// each corner.
static void add_weighted(const normal_sums *sums, md5_normals weighting, const md5_vec3 *points,
                         const uint32_t *corners, md5_vec3d normal, double area)
{
    for (int i = 0; i < 3 && area > 0; i++) {
        const double weight =
            weighting == MD5_NORMALS_AREA ? area : angle_at(points, corners, i, area);
        const md5_vec3d added = md5_vec3d_scale(normal, weight / area);
        add_normal(sums, corners[i], md5_pair_of(added.x, added.y), added.z);
        sums->weights[corners[i]] += weight;
    }
}

// -- Sums -----------------------------------------------------------------------------------

static inline normal_sum sum_of(const normal_sums *sums, uint32_t vertex)
{
    double xy[2], z;
    memcpy(xy, &sums->xy[vertex], sizeof xy);
    memcpy(&z, &sums->z[vertex], sizeof z);
    const normal_sum sum = {{xy[0], xy[1], z}, sums->weights ? sums->weights[vertex] : 1};
    return sum;
}

// Gives all vertices at one position the sum of theirs, if that has a direction. `nexts` are those
// of md5i_chain_equals().
static void share_sums(const normal_sums *sums, uint32_t *nexts, uint32_t num_vertices)
{
    for (uint32_t i = 0; i < num_vertices; i++) {
        if (nexts[i] == num_vertices || nexts[i] == i) // alone, or done
            continue;
        normal_sum shared = {{0, 0, 0}, 0};
        for (uint32_t at = i; at < num_vertices; at = nexts[at]) {
            const normal_sum own = sum_of(sums, at);
            shared.normal = md5_vec3d_add(shared.normal, own.normal);
            shared.weight = sums->weights ? shared.weight + own.weight : 1;
        }
        const md5_vec3d sum = shared.normal;
        const bool has_direction = md5_vec3d_length(sum) > CANCELLED * shared.weight;
        for (uint32_t at = i, next; at < num_vertices; at = next) {
            next = nexts[at];
            nexts[at] = at;
            if (!has_direction)
                continue;
            md5_pair_store(&sums->xy[at], md5_pair_of(sum.x, sum.y));
            memcpy(&sums->z[at], &sum.z, sizeof sum.z);
            if (sums->weights)
                sums->weights[at] = shared.weight;
        }
    }
}

bool md5i_build_normals(md5_arena *arena, md5_mesh_build *mesh, uint32_t *nexts, md5_vec4 *scratch)
{
    const md5_arena_mark before = md5i_arena_here(arena);
    const md5_normals weighting = arena->context->normals;
    const uint32_t num_vertices = mesh->num_vertices;
    normal_sums sums = {.xy = scratch, .z = mesh->normals};
    md5_arena over = md5i_arena_over(arena->context, sums.xy, num_vertices * sizeof *sums.xy);
    const md5_arena_mark begin = md5i_arena_here(&over);
    const bool is_welded = md5i_weld(&over, mesh->positions, num_vertices, nexts);
    md5i_arena_rewind(&over, begin);
    TRY(is_welded);
    md5i_chain_equals(nexts, num_vertices);
    memset(sums.xy, 0, num_vertices * sizeof *sums.xy);
    memset(sums.z, 0, num_vertices * sizeof *sums.z);
    if (weighting == MD5_NORMALS_AREA || weighting == MD5_NORMALS_ANGLE)
        TRY(sums.weights = MD5_NEW(arena, double, num_vertices));
    const size_t num_triangles = mesh->num_triangles;
    for (size_t i = 0; i < num_triangles; i += 2) {
        // The outward normals of two triangles; front faces are clockwise.
        const uint32_t *const corners = mesh->indices + 3 * i;
        const uint32_t *const next = i + 1 < num_triangles ? corners + 3 : corners;
        const md5_vec3 *const points = mesh->positions;
        const md5_vec3 *const origin0 = &points[corners[0]];
        const md5_vec3 *const origin1 = &points[next[0]];
        const md5_pair3 b = edge_between(origin0, &points[corners[1]], origin1, &points[next[1]]);
        const md5_pair3 c = edge_between(origin0, &points[corners[2]], origin1, &points[next[2]]);
        const md5_pair3 normals = md5_pair3_cross(c, b);
        const md5_pair areas = md5_pair3_length(normals);
        if (sums.weights) {
            add_weighted(&sums, weighting, points, corners, md5_pair3_first(normals),
                         md5_pair_first(areas));
            if (next != corners)
                add_weighted(&sums, weighting, points, next, md5_pair3_second(normals),
                             md5_pair_second(areas));
            continue;
        }
        // A triangle without an area adds nothing.
        const md5_pair3 units = md5_pair3_scale(normals, md5_pair_inverse(areas));
        for (uint32_t k = 0; k < 3; k++)
            add_normal(&sums, corners[k], md5_pair_firsts(units.x, units.y),
                       md5_pair_first(units.z));
        if (next == corners)
            break;
        for (uint32_t k = 0; k < 3; k++)
            add_normal(&sums, next[k], md5_pair_seconds(units.x, units.y),
                       md5_pair_second(units.z));
    }
    share_sums(&sums, nexts, num_vertices);
    for (uint32_t i = 0; i < num_vertices; i += 2) {
        // The directions of the sums of two vertices, or of the last one twice.
        const uint32_t pair[2] = {i, i + 1 < num_vertices ? i + 1 : i};
        const normal_sum first = sum_of(&sums, pair[0]);
        const normal_sum second = sum_of(&sums, pair[1]);
        const md5_pair3 both = md5_pair3_of(first.normal, second.normal);
        const md5_pair length = md5_pair3_length(both);
        const bool has_direction[2] = {md5_pair_first(length) > CANCELLED * first.weight,
                                       md5_pair_second(length) > CANCELLED * second.weight};
        md5_pair3_round(md5_pair3_scale(both, md5_pair_inverse(length)), &mesh->normals[pair[0]],
                        &mesh->normals[pair[1]]);
        for (uint32_t k = 0; k < 2; k++) {
            if (!has_direction[k])
                mesh->normals[pair[k]] = (md5_vec3){0, 0, 1};
        }
    }
    md5i_arena_rewind(arena, before);
    return true;
}
