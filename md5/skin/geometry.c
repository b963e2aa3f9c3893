// What loading derives from a mesh's weights: see geometry.h. Influences first, then the copies of
// vertices on mirror seams, normals, tangents, and the order of them all.
#include "md5/skin/geometry.h"
#include "md5/skin/pair.h"

#include <assert.h>

// == Influences ==================================================================================

// Up to this many weights, influences are sorted by insertion, above by heap sort.
enum { FEW_INFLUENCES = 16 };

typedef struct influence {
    md5_vec4 value;
    uint32_t joint;
} influence;

// Four numbers x y z w.
typedef struct quad {
    md5_pair xy, zw;
} quad;

// The sum of the weights of one vertex on one joint: (bias * point, bias).
typedef struct joint_sum {
    quad sum;
    uint32_t joint;
} joint_sum;

// The sums of one vertex, found by joint. `slots` is a sparse set: slots[joint] is valid only if it
// is below num_sums and that sum names the joint. So it needs no clearing between vertices, and a
// vertex costs only its own weights.
typedef struct weight_merger {
    const md5_mesh_joints *joints;
    uint32_t *slots;    // [joints]
    joint_sum *sums;    // [largest number of weights of a vertex]
    influence *rounded; // the same
    uint32_t num_sums;
} weight_merger;

static quad quad_add(quad a, quad b)
{
    return (quad){md5_pair_add(a.xy, b.xy), md5_pair_add(a.zw, b.zw)};
}

static quad quad_scale(quad a, md5_pair factor)
{
    return (quad){md5_pair_mul(a.xy, factor), md5_pair_mul(a.zw, factor)};
}

static quad quad_zero(void)
{
    return (quad){md5_pair_both(0), md5_pair_both(0)};
}

// A column of a bind matrix, whose last row is 0 0 0 1, times a number.
static inline quad scaled_column(const float *m, int column, float factor)
{
    const quad whole = {md5_pair_of(m[column], m[4 + column]),
                        md5_pair_of(m[8 + column], column < 3 ? 0 : 1.0)};
    return quad_scale(whole, md5_pair_both(factor));
}

// (bias * point, bias)
static inline quad weighted_point(const weight_merger *merger, const md5_weight *weight)
{
    const float *const m = merger->joints->bind[weight->joint].m;
    const quad x = scaled_column(m, 0, weight->offset.x), y = scaled_column(m, 1, weight->offset.y);
    const quad z = scaled_column(m, 2, weight->offset.z), at = scaled_column(m, 3, 1);
    return quad_scale(quad_add(quad_add(quad_add(x, y), z), at), md5_pair_both(weight->bias));
}

// Sorts by magnitude, so that packing keeps the largest influences also if biases are negative.
static bool comes_before(influence a, influence b)
{
    const float bias_a = fabsf(a.value.w), bias_b = fabsf(b.value.w);
    return bias_a > bias_b || (bias_a == bias_b && a.joint < b.joint);
}

// Moves the item at `hole` down until no child comes after it.
static void sift_down(influence *heap, uint32_t hole, uint32_t count)
{
    const influence item = heap[hole];
    while (hole < count / 2) {
        uint32_t child = 2 * hole + 1;
        if (child + 1 < count && comes_before(heap[child], heap[child + 1]))
            child++;
        if (!comes_before(item, heap[child]))
            break;
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = item;
}

static bool is_zero(md5_vec4 value)
{
    return value.x == 0 && value.y == 0 && value.z == 0 && value.w == 0;
}

// Writes the sums that are not zero, sorted. Returns their number.
static uint32_t write_sums(const weight_merger *merger, uint32_t *joints, md5_vec4 *values)
{
    const bool are_few = merger->num_sums <= FEW_INFLUENCES;
    influence *const items = merger->rounded;
    uint32_t count = 0;
    MD5_EACH (const joint_sum, sum, merger, sums) {
        const influence item = {md5_pair_round(sum->sum.xy, sum->sum.zw), sum->joint};
        if (is_zero(item.value))
            continue;
        uint32_t slot = count++;
        for (; are_few && slot > 0 && comes_before(item, items[slot - 1]); slot--)
            items[slot] = items[slot - 1];
        items[slot] = item;
    }
    if (!are_few) { // heap sort: n * log n for any input, without recursion or memory
        for (uint32_t i = count / 2; i > 0; i--)
            sift_down(items, i - 1, count);
        for (uint32_t last = count; last-- > 1;) {
            const influence top = items[0];
            items[0] = items[last];
            items[last] = top;
            sift_down(items, 0, last);
        }
    }
    MD5_FOR (i, count) {
        joints[i] = items[i].joint;
        values[i] = items[i].value;
    }
    return count;
}

// Writes positions, first_influence (except the last element), influence_joints and influences of
// the file's vertices, and sets *used to the number of influences. Returns false and sets the
// context's error if memory runs out.
//
// Several weights of a vertex on one joint J add up to one influence without loss, because
// J * (b1 * p1, b1) + J * (b2 * p2, b2) = J * (b1 * p1 + b2 * p2, b1 + b2).
// Influences that are zero in all four numbers are omitted.
static bool gather_influences(md5_arena *scratch, const md5_mesh_joints *joints,
                              md5_mesh_build *mesh, uint32_t *used)
{
    weight_merger merger = {.joints = joints, .slots = joints->scratch};
    uint32_t max_weights = 0, next = 0;
    MD5_FOR (i, mesh->num_file_vertices) {
        const uint32_t count = mesh->file_vertices[i].num_weights;
        max_weights = count > max_weights ? count : max_weights;
    }
    TRY(merger.sums = MD5_ROOM(scratch, joint_sum, max_weights));
    TRY(merger.rounded = MD5_ROOM(scratch, influence, max_weights));

    MD5_FOR (i, mesh->num_file_vertices) {
        const uint32_t num_weights = mesh->file_vertices[i].num_weights;
        const md5_weight *const weights = mesh->weights + mesh->file_vertices[i].first_weight;
        uint32_t *const influence_joints = mesh->influence_joints + next;
        md5_vec4 *const values = mesh->influences + next;
        mesh->first_influence[i] = next;
        // Weights are summed by joint, in the file's order, and give the position in the bind pose.
        // Adding to zero turns -0 into +0.
        quad position = quad_zero();
        merger.num_sums = 0;
        MD5_FOR (j, num_weights) {
            const quad point = weighted_point(&merger, &weights[j]);
            const uint32_t joint = weights[j].joint;
            position = quad_add(position, point);
            if (num_weights == 1)
                break; // the position is also the influence
            uint32_t slot = merger.slots[joint];
            if (slot >= merger.num_sums || merger.sums[slot].joint != joint) {
                slot = merger.slots[joint] = merger.num_sums++;
                merger.sums[slot] = (joint_sum){quad_zero(), joint};
            }
            merger.sums[slot].sum = quad_add(merger.sums[slot].sum, point);
        }
        const md5_vec4 rounded = md5_pair_round(position.xy, position.zw);
        mesh->positions[i] = (md5_vec3){rounded.x, rounded.y, rounded.z};
        if (num_weights != 1)
            next += write_sums(&merger, influence_joints, values);
        else if (!is_zero(rounded)) {
            *influence_joints = weights->joint;
            *values = rounded;
            next++;
        }
    }
    *used = next;
    return true;
}

// Vertices of more weights than this are rare, and finding their equal joints takes long.
enum { FEW_WEIGHTS = 16 };

// Returns the number of influences of a file's vertex: weights of bias 0 add nothing, those on the
// same joint are merged. Of many weights all count, and if weights cancel out, or are below what a
// float holds, this is more than gather_influences() writes.
static uint32_t count_influences(const md5_weight *weights, uint32_t num_weights)
{
    uint64_t joints = 0; // a bit for each remainder by 64
    uint32_t count = 0, num_merged = 0;
    MD5_FOR (i, num_weights) {
        const uint64_t joint = (uint64_t)(weights[i].bias != 0) << weights[i].joint % 64;
        count += joint != 0;
        if ((joints & joint) && num_weights <= FEW_WEIGHTS) {
            uint32_t k = 0; // an earlier weight on the same joint
            while (k < i && (weights[k].joint != weights[i].joint || weights[k].bias == 0))
                k++;
            num_merged += k < i;
        }
        joints |= joint;
    }
    return count - num_merged;
}

// == Mirror seams ================================================================================

enum { PER_BYTE = 4 };

#ifndef MD5_NO_PARTS
enum { PLAIN = 1, MIRRORED = 2, BOTH = PLAIN | MIRRORED, BITS = 2 };

// The kinds of triangles that use a vertex, two bits each.
static bool is_on_seam(const unsigned char *uses, uint32_t vertex)
{
    return (uses[vertex / PER_BYTE] >> (BITS * (vertex % PER_BYTE)) & BOTH) == BOTH;
}

// Whether the texture is mirrored on a triangle: negative signed area of a, b, c on the texture.
// An area of 0 counts as not mirrored. The sign is exact for coordinates of common size, because
// a double holds the products of the differences of such floats without rounding.
static inline bool is_mirrored(const md5_vec2 *texcoords, uint32_t a, uint32_t b, uint32_t c)
{
    const md5_pair corner = md5_pair_of_floats(&texcoords[a]);
    const md5_pair ab = md5_pair_sub(md5_pair_of_floats(&texcoords[b]), corner);
    const md5_pair ac = md5_pair_sub(md5_pair_of_floats(&texcoords[c]), corner);
    return md5_pair_cross(ab, ac) < 0;
}

// Returns NULL and sets the context's error if memory runs out.
static unsigned char *find_uses(md5_arena *scratch, const md5_mesh_build *mesh)
{
    unsigned char *const uses =
        MD5_NEW(scratch, unsigned char, mesh->num_file_vertices / PER_BYTE + 1);
    // A vertex with a tangent from the file keeps it on both sides.
    if (!uses || mesh->has_frames || scratch->context->without & MD5_PART_TANGENTS)
        return uses;
    const size_t num_corners = 3 * (size_t)mesh->num_triangles;
    for (size_t i = 0; i < num_corners; i += 3) {
        const uint32_t *const corners = mesh->indices + i;
        const unsigned use =
            is_mirrored(mesh->texcoords, corners[0], corners[1], corners[2]) ? MIRRORED : PLAIN;
        MD5_FOR (k, 3)
            uses[corners[k] / PER_BYTE] |= (unsigned char)(use << (BITS * (corners[k] % PER_BYTE)));
    }
    return uses;
}

// Writes the sources of the copies, and changes the indices: mirrored triangles use the copies,
// which follow the file's vertices. Returns false and sets the context's error if memory runs out.
static bool split_seams(md5_arena *scratch, md5_mesh_build *mesh)
{
    const md5_arena_mark before = md5i_arena_here(scratch);
    const uint32_t num_vertices = mesh->num_file_vertices;
    const unsigned char *const uses = find_uses(scratch, mesh);
    TRY(uses);
    uint32_t *const copies = MD5_ROOM(scratch, uint32_t, num_vertices);
    TRY(copies);
    uint32_t next = num_vertices;
    MD5_FOR (vertex, num_vertices) {
        if (!is_on_seam(uses, vertex))
            continue;
        copies[vertex] = next;
        mesh->sources[next++] = vertex;
    }
    for (size_t i = 0; i < mesh->num_triangles; i++) {
        uint32_t *const corners = mesh->indices + 3 * i;
        const uint32_t a = corners[0], b = corners[1], c = corners[2];
        const bool has_copy = is_on_seam(uses, a) || is_on_seam(uses, b) || is_on_seam(uses, c);
        if (!has_copy || !is_mirrored(mesh->texcoords, a, b, c))
            continue;
        corners[0] = is_on_seam(uses, a) ? copies[a] : a;
        corners[1] = is_on_seam(uses, b) ? copies[b] : b;
        corners[2] = is_on_seam(uses, c) ? copies[c] : c;
    }
    md5i_arena_rewind(scratch, before);
    return true;
}
#endif

bool md5i_geometry_measure(md5_arena *scratch, md5_mesh_build *mesh)
{
#ifndef MD5_NO_PARTS
    const md5_arena_mark before = md5i_arena_here(scratch);
    const unsigned char *const uses = find_uses(scratch, mesh);
    TRY(uses);
#define IS_ON_SEAM(vertex) is_on_seam(uses, vertex)
#else
    (void)scratch;
#define IS_ON_SEAM(vertex) false
#endif
    // Texts are below 2^31 bytes and refer to fewer weights than that, so that twice as many fit
    // into 32 bits.
    uint32_t num_vertices = mesh->num_file_vertices, num_influences = 0;
    MD5_FOR (vertex, mesh->num_file_vertices) {
        const uint32_t on_seam = IS_ON_SEAM(vertex);
        num_vertices += on_seam;
        const md5_vertex *const own = &mesh->file_vertices[vertex];
        num_influences += count_influences(mesh->weights + own->first_weight, own->num_weights)
                          << on_seam;
    }
    mesh->num_vertices = num_vertices;
    mesh->num_influences = num_influences;
#ifndef MD5_NO_PARTS
    md5i_arena_rewind(scratch, before);
#endif
    return true;
}

// == Normals =====================================================================================

// Shorter sums of unit vectors are rounding error, not a direction. Weighted sums are compared to
// the sum of their weights.
#define CANCELLED 1e-6

typedef struct normal_sum {
    md5_vec3d normal;
    double weight;
} normal_sum;

// Sums for each vertex, in the memory of what is written later.
typedef struct normal_sums {
    md5_vec4 *xy;    // tangents
    md5_vec3 *z;     // normals
    double *weights; // sums of the weights; NULL: all weights are 1
} normal_sums;

static_assert(sizeof(md5_vec4) == 2 * sizeof(double), "x and y of a sum fit into a tangent");

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
    MD5_FOR (i, num_vertices) {
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

// Writes the normals of a mesh from its indices and positions. Its tangents, if it has them, serve
// as scratch memory. Returns false and sets the context's error if memory runs out.
//
// The unit normals of all triangles that meet at a position count as `weighting` says, whichever of
// the vertices there they use, so that texture seams and mirror seams are invisible. If the sum of
// a position cancels out, as on a sheet whose front and back have separate vertices, each vertex
// takes the sum of its own triangles; if that cancels out too, 0 0 1.
static bool build_normals(md5_arena *arena, md5_mesh_build *mesh)
{
    const md5_arena_mark before = md5i_arena_here(arena);
    const md5_normals weighting = arena->context->normals;
    const uint32_t num_vertices = mesh->num_vertices;
    uint32_t *const nexts = MD5_ROOM(arena, uint32_t, num_vertices);
    TRY(nexts);
    normal_sums sums = {.xy = mesh->tangents, .z = mesh->normals};
    if (!sums.xy)
        TRY(sums.xy = MD5_ROOM(arena, md5_vec4, num_vertices));
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
        const md5_vec3 *const origin0 = &points[corners[0]], *const origin1 = &points[next[0]];
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
        MD5_FOR (k, 3)
            add_normal(&sums, corners[k], md5_pair_firsts(units.x, units.y),
                       md5_pair_first(units.z));
        MD5_FOR_WHILE (k, 3, next != corners)
            add_normal(&sums, next[k], md5_pair_seconds(units.x, units.y),
                       md5_pair_second(units.z));
    }
    share_sums(&sums, nexts, num_vertices);
    for (uint32_t i = 0; i < num_vertices; i += 2) {
        // The directions of the sums of two vertices, or of the last one twice.
        const uint32_t pair[2] = {i, i + 1 < num_vertices ? i + 1 : i};
        const normal_sum first = sum_of(&sums, pair[0]), second = sum_of(&sums, pair[1]);
        const md5_pair3 both = md5_pair3_of(first.normal, second.normal);
        const md5_pair length = md5_pair3_length(both);
        const bool has_direction[2] = {md5_pair_first(length) > CANCELLED * first.weight,
                                       md5_pair_second(length) > CANCELLED * second.weight};
        md5_pair3_round(md5_pair3_scale(both, md5_pair_inverse(length)), &mesh->normals[pair[0]],
                        &mesh->normals[pair[1]]);
        MD5_FOR (k, 2) {
            if (!has_direction[k])
                mesh->normals[pair[k]] = (md5_vec3){0, 0, 1};
        }
    }
    md5i_arena_rewind(arena, before);
    return true;
}

// == Tangents ====================================================================================

#ifndef MD5_NO_PARTS
static_assert(sizeof(md5_vec4) == 2 * sizeof(double), "z of both axes fits into a tangent");

// If less than this of a sum of unit vectors is perpendicular to the normal, it is rounding error.
#define UNDEFINED 1e-6

// Directions of the texture's u and v axes in space: x of both, y of both. z of both uses the
// memory of the vertex's tangent, which is written later.
typedef struct texture_axes {
    double x[2], y[2];
} texture_axes;

static void add_to_sums(void *sums, md5_pair a)
{
    md5_pair_store(sums, md5_pair_add(md5_pair_load(sums), a));
}

// The unit vector perpendicular to `n` that is nearest to `along`; any perpendicular one if `along`
// is zero or parallel to the normal.
static inline md5_vec3d project(md5_vec3d n, md5_vec3d along)
{
    // The normal has unit length up to float rounding only, which would matter if `along` is almost
    // parallel to it.
    const double parallel = md5_vec3d_dot(n, along) / md5_vec3d_dot(n, n);
    const md5_vec3d projected = md5_vec3d_sub(along, md5_vec3d_scale(n, parallel));
    const double length = md5_vec3d_length(projected);
    return length > UNDEFINED ? md5_vec3d_scale(projected, 1.0 / length) : md5_vec3d_across(n);
}

// The directions along one axis of the texture of two vertices, u or v first.
static inline md5_pair3 two_sums(const texture_axes *const sums[2], const md5_pair z[2], bool is_v)
{
    const md5_pair pairs[3][2] = {{md5_pair_load(sums[0]->x), md5_pair_load(sums[1]->x)},
                                  {md5_pair_load(sums[0]->y), md5_pair_load(sums[1]->y)},
                                  {z[0], z[1]}};
    md5_pair along[3];
    MD5_FOR (i, 3)
        along[i] = is_v ? md5_pair_seconds(pairs[i][0], pairs[i][1])
                        : md5_pair_firsts(pairs[i][0], pairs[i][1]);
    const md5_pair3 both = {along[0], along[1], along[2]};
    return both;
}

// Writes those of the `count` vertices from `begin` on, for which sums[] are scratch memory.
static void write_tangents(const md5_mesh_build *mesh, uint32_t begin, uint32_t count,
                           texture_axes *sums)
{
    memset(sums, 0, count * sizeof *sums);
    memset(mesh->tangents + begin, 0, count * sizeof *mesh->tangents);
    for (size_t i = 0; i < mesh->num_triangles; i++) {
        // The unit vectors of a triangle; none if its texture area is a line or a point.
        //
        // With edges e0, e1 that span (du, dv) of the texture, P(u, v) obeys
        //   e0 = P_u * du0 + P_v * dv0,  e1 = P_u * du1 + P_v * dv1,
        // which solves to P_u = (e0 * dv1 - e1 * dv0) / area and P_v = (e1 * du0 - e0 * du1) / area
        // with area = du0 * dv1 - dv0 * du1. Only the sign of the division matters here.
        const uint32_t *const corners = mesh->indices + 3 * i;
        if (count < mesh->num_vertices && corners[0] - begin >= count && corners[1] - begin >= count
            && corners[2] - begin >= count)
            continue;
        const md5_vec2 *const uv = mesh->texcoords;
        const md5_pair uv_a = md5_pair_of_floats(&uv[corners[0]]);
        const md5_pair d0 = md5_pair_sub(md5_pair_of_floats(&uv[corners[1]]), uv_a);
        const md5_pair d1 = md5_pair_sub(md5_pair_of_floats(&uv[corners[2]]), uv_a);
        const double area = md5_pair_cross(d0, d1);
        if (!(area < 0 || area > 0))
            continue;

        const md5_vec3 *const pa = &mesh->positions[corners[0]];
        const md5_vec3 *const pb = &mesh->positions[corners[1]];
        const md5_vec3 *const pc = &mesh->positions[corners[2]];
        const md5_pair origin = md5_pair_of_floats(pa);
        const md5_pair e0 = md5_pair_sub(md5_pair_of_floats(pb), origin);
        const md5_pair e1 = md5_pair_sub(md5_pair_of_floats(pc), origin);
        const md5_pair3 edges = {md5_pair_firsts(e0, e1), md5_pair_seconds(e0, e1),
                                 md5_pair_sub(md5_pair_of(pb->z, pc->z), md5_pair_both(pa->z))};
        // P_u first, P_v second.
        const md5_pair plus = md5_pair_inner(d1, d0), minus = md5_pair_inner(d0, d1);
        const md5_pair3 along = md5_pair3_sub(md5_pair3_scale(edges, plus),
                                              md5_pair3_scale(md5_pair3_swap(edges), minus));
        const double sign = area < 0 ? -1 : 1;
        const md5_pair scale =
            md5_pair_mul(md5_pair_inverse(md5_pair3_length(along)), md5_pair_both(sign));
        const md5_pair3 unit = md5_pair3_scale(along, scale);
        MD5_FOR (corner, 3) {
            const uint32_t slot = corners[corner] - begin;
            if (slot >= count)
                continue;
            add_to_sums(sums[slot].x, unit.x);
            add_to_sums(sums[slot].y, unit.y);
            add_to_sums(&mesh->tangents[corners[corner]], unit.z);
        }
    }
    for (uint32_t i = 0; i < count; i += 2) {
        // project() of two vertices, or of the last one twice. Tangents hold z of the sums.
        const uint32_t next = i + 1 < count ? i + 1 : i;
        md5_vec4 *const tangents[2] = {&mesh->tangents[begin + i], &mesh->tangents[begin + next]};
        const texture_axes *const axes[2] = {&sums[i], &sums[next]};
        const md5_pair z[2] = {md5_pair_load(tangents[0]), md5_pair_load(tangents[1])};
        const md5_pair3 u = two_sums(axes, z, false), v = two_sums(axes, z, true);
        const md5_pair3 n = md5_pair3_of(md5_vec3d_of(mesh->normals[begin + i]),
                                         md5_vec3d_of(mesh->normals[begin + next]));
        const md5_pair parallel = md5_pair_div(md5_pair3_dot(n, u), md5_pair3_dot(n, n));
        const md5_pair3 projected = md5_pair3_sub(u, md5_pair3_scale(n, parallel));
        const md5_pair length = md5_pair3_length(projected);
        md5_pair3 unit = md5_pair3_scale(projected, md5_pair_inverse(length));
        const bool first_is_defined = md5_pair_first(length) > UNDEFINED;
        const bool second_is_defined = md5_pair_second(length) > UNDEFINED;
        if (!first_is_defined || !second_is_defined)
            unit = md5_pair3_of(
                first_is_defined ? md5_pair3_first(unit) : md5_vec3d_across(md5_pair3_first(n)),
                second_is_defined ? md5_pair3_second(unit) : md5_vec3d_across(md5_pair3_second(n)));
        const md5_pair sides = md5_pair3_dot(md5_pair3_cross(n, unit), v);
        md5_vec3 first, second;
        md5_pair3_round(unit, &first, &second);
        const float side0 = md5_pair_first(sides) < 0 ? -1 : 1;
        const float side1 = md5_pair_second(sides) < 0 ? -1 : 1;
        *tangents[0] = (md5_vec4){first.x, first.y, first.z, side0};
        *tangents[1] = (md5_vec4){second.x, second.y, second.z, side1};
    }
}

// Writes the tangents of a mesh from its indices, positions, normals and texcoords. Every triangle
// of a drawn vertex has equal weight. Vertices at the same position do not share tangents, since
// their textures may have different directions. If +u has no direction, the tangent is any unit
// vector perpendicular to the normal, with w = 1. Returns false and sets the context's error if
// memory runs out.
static bool build_tangents(md5_arena *arena, md5_mesh_build *mesh)
{
    const md5_arena_mark before = md5i_arena_here(arena);
    const uint32_t num_vertices = mesh->num_vertices;
    // As many vertices at a time as there is room for the sums of, but not in more than eight
    // parts, since each looks at all triangles.
    const size_t room = md5i_arena_left(arena) / sizeof(texture_axes), least = num_vertices / 8 + 1;
    const size_t most = room > least ? room : least;
    texture_axes *const sums = MD5_ROOM(arena, texture_axes, most);
    TRY(sums);
    for (size_t begin = 0; begin < num_vertices; begin += most) {
        const size_t left = num_vertices - begin;
        write_tangents(mesh, (uint32_t)begin, (uint32_t)(left < most ? left : most), sums);
    }
    md5i_arena_rewind(arena, before);
    return true;
}
#endif

// == All steps ===================================================================================

// Sums of biases within this of 1 count as 1: files round each bias to six decimals.
#define OFF_SUM 1e-4

#ifndef MD5_ONLY_VERSION_10
// Returns the direction in model space, of unit length, or zero if it has none. `bind` may be NULL.
// Normalized before it is rotated: a file's numbers may be too large or too small for floats.
static md5_vec3d file_direction(md5_vec3 from_file, const md5_mat34 *bind)
{
    const md5_vec3d unit = md5_vec3d_normalize(md5_vec3d_of(from_file));
    if (!bind)
        return unit;
    return md5_vec3d_normalize(md5_vec3d_of(md5_mat34_rotate(bind, md5_vec3d_round(unit))));
}
#endif

bool md5i_geometry_build(md5_arena *scratch, const md5_mesh_joints *joints, md5_mesh_build *mesh)
{
    const md5_arena_mark before = md5i_arena_here(scratch);
    const uint32_t num_read = mesh->num_file_vertices;
    uint32_t *const first_influence = mesh->first_influence, used;
    if (num_read == 0) {
        first_influence[0] = 0;
        return true;
    }
    // The sources of drawn vertices: the file's vertices themselves, then those of the copies.
    MD5_FOR (vertex, num_read)
        mesh->sources[vertex] = vertex;
#ifndef MD5_NO_PARTS
    if (mesh->num_vertices > num_read)
        TRY(split_seams(scratch, mesh));
#endif
    TRY(gather_influences(scratch, joints, mesh, &used));
    first_influence[num_read] = used;
    MD5_FOR_FROM (vertex, num_read, mesh->num_vertices) { // copies
        const uint32_t from = mesh->sources[vertex];
        mesh->texcoords[vertex] = mesh->texcoords[from];
        mesh->positions[vertex] = mesh->positions[from];
        for (uint32_t i = first_influence[from]; i < first_influence[from + 1]; i++, used++) {
            mesh->influence_joints[used] = mesh->influence_joints[i];
            mesh->influences[used] = mesh->influences[i];
        }
        first_influence[vertex + 1] = used;
    }
    md5i_arena_rewind(scratch, before);
#ifndef MD5_ONLY_VERSION_10
    if (mesh->has_frames) {
        // The file's normals and tangents come to model space, from the space of each vertex's
        // dominant joint, which is that of its first influence. Both get unit length, tangents are
        // made perpendicular to normals.
        MD5_FOR (vertex, mesh->num_file_vertices) {
            const uint32_t first = mesh->first_influence[vertex];
            const bool has_joint = first < mesh->first_influence[vertex + 1];
            const md5_mat34 *const bind =
                has_joint ? &joints->bind[mesh->influence_joints[first]] : NULL;
            const md5_vec3d up = file_direction(mesh->normals[vertex], bind);
            const bool has_normal = md5_vec3d_dot(up, up) > 0;
            const md5_vec3 normal = has_normal ? md5_vec3d_round(up) : (md5_vec3){0, 0, 1};
            mesh->normals[vertex] = normal;
#ifndef MD5_NO_PARTS
            if (!mesh->tangents)
                continue;
            const md5_vec4 from_file = mesh->tangents[vertex];
            const md5_vec3d along =
                file_direction((md5_vec3){from_file.x, from_file.y, from_file.z}, bind);
            const md5_vec3 tangent = md5_vec3d_round(project(md5_vec3d_of(normal), along));
            mesh->tangents[vertex] =
                (md5_vec4){tangent.x, tangent.y, tangent.z, from_file.w < 0 ? -1.0f : 1.0f};
#endif
        }
        return true;
    }
#endif
    TRY(build_normals(scratch, mesh));
#ifndef MD5_NO_PARTS
    TRY(!mesh->tangents || build_tangents(scratch, mesh));
#endif
    return true;
}

enum { ROOM = 512 }; // for what a few weights and joints need

size_t md5i_geometry_build_size(uint64_t num_vertices)
{
    return (size_t)num_vertices * sizeof(double[4]) + ROOM; // sums of texture axes
}

size_t md5i_geometry_least_size(uint64_t num_vertices)
{
    return (size_t)num_vertices / PER_BYTE + ROOM; // uses of vertices
}

void md5i_geometry_summarize(md5_mesh *mesh)
{
    mesh->max_weights = mesh->num_off_sums = mesh->max_influences = 0;
    MD5_EACH (const md5_vertex, vertex, mesh, file_vertices) {
        if (vertex->num_weights > mesh->max_weights)
            mesh->max_weights = vertex->num_weights;
        double sum = 0;
        MD5_FOR (k, vertex->num_weights)
            sum += (double)mesh->weights[vertex->first_weight + k].bias;
        mesh->num_off_sums += vertex->num_weights > 0 && !(fabs(sum - 1) <= OFF_SUM);
    }
    MD5_FOR (i, mesh->num_vertices) {
        const uint32_t count = mesh->first_influence[i + 1] - mesh->first_influence[i];
        if (count > mesh->max_influences)
            mesh->max_influences = count;
    }
    mesh->num_influences = mesh->first_influence[mesh->num_vertices];
    mesh->bounds = md5_bounds_from_points(mesh->positions, mesh->num_vertices);
}
