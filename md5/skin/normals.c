#include "md5/skin/normals.h"

#include "md5/core/pair.h"
#include "md5/core/math.h"
#include "md5/skin/weld.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Shorter sums of unit vectors are rounding error, not a direction. Weighted sums are compared to
// the sum of their weights.
#define CANCELLED 1e-6

// Sums for each vertex. x and y use the memory of the tangent, which is written later.
typedef struct normal_sums {
    md5_vec4 *xy;
    double *z;
    double *weights; // sums of the weights; NULL: all weights are 1
} normal_sums;

// A sum of all vertices at one position.
typedef struct position_sum {
    md5_vec3d normal;
    double weight;
} position_sum;

static_assert(sizeof(md5_vec4) == 2 * sizeof(double), "x and y of a sum fit into a tangent");

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

// Returns what the length of a sum is compared to.
static double weight_of(const normal_sums *sums, uint32_t vertex)
{
    return sums->weights ? sums->weights[vertex] : 1.0;
}

// -- Equal weights --------------------------------------------------------------------------

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

// -- Weights --------------------------------------------------------------------------------

// Returns atan(t), 0 <= t <= 1, with a relative error below 1e-12. Two half angles,
// tan(a / 2) = t / (1 + sqrt(1 + t^2)), bring it below tan(pi / 16), where nine terms of the series
// are enough. C libraries disagree in the last bit of theirs.
static double arctangent(double t)
{
    t /= 1.0 + sqrt(1.0 + t * t);
    t /= 1.0 + sqrt(1.0 + t * t);
    double sum = 0.0;
    for (int i = 17; i > 0; i -= 2)
        sum = 1.0 / i - t * t * sum;
    return 4.0 * t * sum;
}

// Returns the angle whose sine and cosine have the ratio of `sine` >= 0 to `cosine`.
static double angle_of(double sine, double cosine)
{
    const double pi = 3.14159265358979323846;
    const double half = arctangent(sine / (sqrt(sine * sine + cosine * cosine) + fabs(cosine)));
    return cosine < 0.0 ? pi - 2.0 * half : 2.0 * half;
}

// Adds the outward unit normal of a triangle, times its weight at each corner, to their sums.
static void add_weighted_triangle(const md5_vec3 *points, const uint32_t *corners,
                                  md5_normals weighting, const normal_sums *sums)
{
    const md5_vec3d a = md5_vec3d_of(points[corners[0]]), b = md5_vec3d_of(points[corners[1]]);
    const md5_vec3d c = md5_vec3d_of(points[corners[2]]);
    const md5_vec3d ab = md5_vec3d_sub(b, a), ac = md5_vec3d_sub(c, a), bc = md5_vec3d_sub(c, b);
    const md5_vec3d cross = md5_vec3d_cross(ac, ab);
    const double area = md5_vec3d_length(cross); // twice
    if (!(area > 0.0))
        return;
    // At each corner the sine of the angle is `area`, divided by the same lengths as the cosine.
    const double cosines[3] = {md5_vec3d_dot(ab, ac), -md5_vec3d_dot(ab, bc),
                               md5_vec3d_dot(ac, bc)};
    for (int i = 0; i < 3; i++) {
        const uint32_t vertex = corners[i];
        const double weight = weighting == MD5_NORMALS_AREA ? area : angle_of(area, cosines[i]);
        const md5_vec3d normal = md5_vec3d_scale(cross, weight / area);
        md5_vec4 *const xy = &sums->xy[vertex];
        md5_pair_store(xy, md5_pair_add(md5_pair_load(xy), md5_pair_of(normal.x, normal.y)));
        sums->z[vertex] += normal.z;
        sums->weights[vertex] += weight;
    }
}

// -- Sums -----------------------------------------------------------------------------------

// Writes the direction of a sum. Returns false if it has none.
static bool write_normal(md5_vec3d sum, double weight, md5_vec3 *normal)
{
    const double length = md5_vec3d_length(sum);
    if (!(length > CANCELLED * weight))
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
                          md5_normals weighting, const normal_sums *of_vertices)
{
    for (size_t i = 0; i < num_triangles && of_vertices->weights; i++)
        add_weighted_triangle(arrays->positions, arrays->indices + 3 * i, weighting, of_vertices);
    for (size_t i = 0; i < num_triangles && !of_vertices->weights; i += 2) {
        const uint32_t *const corners = arrays->indices + 3 * i;
        const uint32_t *const next = i + 1 < num_triangles ? corners + 3 : corners;
        add_two_triangles(arrays->positions, corners, next, of_vertices);
    }
}

// Takes zeroed sums from the arena, as far as tangents have no room for them.
static bool begin_sums(md5_arena *arena, uint32_t num_vertices, md5_normals weighting,
                       md5_vec4 *tangents, normal_sums *sums)
{
    const bool has_weights = weighting == MD5_NORMALS_AREA || weighting == MD5_NORMALS_ANGLE;
    *sums = (normal_sums){.xy = tangents};
    if (tangents)
        memset(tangents, 0, num_vertices * sizeof *tangents);
    else
        TRY(sums->xy = (md5_vec4 *)md5i_arena_alloc(arena, num_vertices, sizeof *sums->xy));
    TRY(sums->z = (double *)md5i_arena_alloc(arena, num_vertices, sizeof *sums->z));
    if (has_weights)
        TRY(sums->weights = (double *)md5i_arena_alloc(arena, num_vertices, sizeof *sums->weights));
    return true;
}

// The sums of all vertices, and of the positions that several share.
typedef struct all_sums {
    normal_sums of_vertices;
    position_sum *of_positions;
    const uint32_t *shared_ids; // as number_shared_positions() makes them
    uint32_t num_vertices;
} all_sums;

static inline bool is_shared(const all_sums *sums, uint32_t vertex)
{
    return sums->shared_ids[vertex] != vertex;
}

static inline position_sum *shared_sum(const all_sums *sums, uint32_t vertex)
{
    return &sums->of_positions[sums->shared_ids[vertex] - sums->num_vertices];
}

static void add_to_positions(const all_sums *sums)
{
    const double *const weights = sums->of_vertices.weights;
    for (uint32_t i = 0; i < sums->num_vertices; i++) {
        if (!is_shared(sums, i))
            continue;
        position_sum *const sum = shared_sum(sums, i);
        sum->normal = md5_vec3d_add(sum->normal, sum_of(&sums->of_vertices, i));
        sum->weight = weights ? sum->weight + weights[i] : 1.0;
    }
}

static inline position_sum own_sum(const all_sums *sums, uint32_t vertex)
{
    const position_sum own = {sum_of(&sums->of_vertices, vertex),
                              weight_of(&sums->of_vertices, vertex)};
    return own;
}

// The sum of a position if it has a direction, else that of the vertex, else up.
static void write_any_normal(const all_sums *sums, uint32_t vertex, md5_vec3 *normal)
{
    const position_sum own = own_sum(sums, vertex);
    const position_sum *const shared = is_shared(sums, vertex) ? shared_sum(sums, vertex) : NULL;
    if (shared && write_normal(shared->normal, shared->weight, normal))
        return;
    if (!write_normal(own.normal, own.weight, normal))
        *normal = (md5_vec3){0.0f, 0.0f, 1.0f};
}

static inline position_sum first_choice(const all_sums *sums, uint32_t vertex)
{
    return is_shared(sums, vertex) ? *shared_sum(sums, vertex) : own_sum(sums, vertex);
}

// Writes the normals of two vertices, as write_any_normal() does. Returns false if the sum of one
// has no direction.
static inline bool write_two_normals(const all_sums *sums, uint32_t vertex, md5_vec3 *normals)
{
    const position_sum first = first_choice(sums, vertex), second = first_choice(sums, vertex + 1);
    const md5_pair3 both = md5_pair3_of(first.normal, second.normal);
    const md5_pair length = md5_pair_length(both.x, both.y, both.z);
    if (!(md5_pair_first(length) > CANCELLED * first.weight
          && md5_pair_first(md5_pair_swap(length)) > CANCELLED * second.weight))
        return false;
    md5_pair3_round(md5_pair3_scale(both, md5_pair_inverse(length)), &normals[0], &normals[1]);
    return true;
}

static void write_normals(const all_sums *sums, md5_vec3 *normals)
{
    for (uint32_t i = 0; i < sums->num_vertices;) {
        if (i + 1 < sums->num_vertices && write_two_normals(sums, i, &normals[i])) {
            i += 2;
        } else {
            write_any_normal(sums, i, &normals[i]);
            i++;
        }
    }
}

bool md5i_build_normals(md5_arena *arena, uint32_t num_vertices, uint32_t num_triangles,
                        md5_normals weighting, const md5_geometry_arrays *arrays)
{
    const md5_arena_mark before = md5i_arena_here(arena);
    uint32_t *const shared_ids =
        (uint32_t *)md5i_arena_room(arena, num_vertices, sizeof *shared_ids);
    TRY(shared_ids);
    TRY(md5i_weld(arena, arrays->positions, num_vertices, shared_ids));
    const uint32_t num_shared = number_shared_positions(shared_ids, num_vertices);
    all_sums sums = {.shared_ids = shared_ids, .num_vertices = num_vertices};
    TRY(begin_sums(arena, num_vertices, weighting, arrays->tangents, &sums.of_vertices));
    TRY(sums.of_positions =
            (position_sum *)md5i_arena_alloc(arena, num_shared, sizeof *sums.of_positions));
    add_triangles(arrays, num_triangles, weighting, &sums.of_vertices);
    add_to_positions(&sums);
    write_normals(&sums, arrays->normals);
    md5i_arena_rewind(arena, before);
    return true;
}
