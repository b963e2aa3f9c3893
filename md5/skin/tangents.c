// Derives tangents. A vertex on a mirror seam is split into two drawn vertices, because both sides
// need different tangents. Files of version 12 store normals and tangents, which are converted
// instead.
#include "md5/skin/tangents.h"
#include "md5/core/pair.h"

#include <assert.h>

// == Mirror seams ================================================================================

// A set of vertices of the file, one bit for each vertex.
typedef uint32_t vertex_bits;
enum { BITS = 32 };

static inline bool contains_vertex(const vertex_bits *set, uint32_t vertex)
{
    return set[vertex / BITS] >> vertex % BITS & 1;
}

static inline void add_vertex(vertex_bits *set, uint32_t vertex)
{
    set[vertex / BITS] |= (vertex_bits)1 << vertex % BITS;
}

// Returns true if a triangle shows the mirrored texture, which means that its signed area on the
// texture is negative. The sign is exact for texture coordinates of usual size: products of
// differences of such floats are exact in double precision.
static inline bool is_mirrored(const md5_vec2 *texcoords, uint32_t a, uint32_t b, uint32_t c)
{
    const md5_pair corner = md5_pair_load_floats(&texcoords[a]);
    const md5_pair ab = md5_pair_sub(md5_pair_load_floats(&texcoords[b]), corner);
    const md5_pair ac = md5_pair_sub(md5_pair_load_floats(&texcoords[c]), corner);
    return md5_pair_cross(ab, ac) < 0;
}

// Returns the set of the vertices on mirror seams. A plain triangle shows the texture in its
// original orientation, a mirrored triangle shows it mirrored. A vertex of both kinds of triangles
// is on a mirror seam. Returns NULL and sets the context's error if memory runs out.
static const vertex_bits *find_seams(md5_arena *scratch, const md5_mesh_build *mesh)
{
    const size_t size = mesh->num_file_vertices / BITS + 1;
    vertex_bits *const plain = MD5_ALLOC_ZEROED(scratch, vertex_bits, 2 * size);
    if (!plain)
        return NULL;
    vertex_bits *const mirrored = plain + size;

    // A tangent from the file is used on both sides of a seam, so no vertex is split.
    if (mesh->has_frames || scratch->context->skip_geometry & MD5_GEOMETRY_TANGENTS)
        return mirrored;

    const uint32_t *const end = mesh->indices + 3 * (size_t)mesh->num_triangles;
    for (const uint32_t *corners = mesh->indices; corners < end; corners += 3) {
        const uint32_t a = corners[0];
        const uint32_t b = corners[1];
        const uint32_t c = corners[2];
        vertex_bits *const users = is_mirrored(mesh->texcoords, a, b, c) ? mirrored : plain;
        add_vertex(users, a);
        add_vertex(users, b);
        add_vertex(users, c);
    }

    for (size_t i = 0; i < size; i++)
        mirrored[i] &= plain[i];
    return mirrored;
}

// Changes the indices of the mirrored triangles at mirror seams to the copies of their vertices.
// `seams` is the set of the vertices on seams, copies[vertex] the copy of such a vertex.
static void use_copies(md5_mesh_build *mesh, const vertex_bits *seams, const uint32_t *copies)
{
    for (size_t i = 0; i < mesh->num_triangles; i++) {
        uint32_t *const corners = mesh->indices + 3 * i;
        const uint32_t a = corners[0];
        const uint32_t b = corners[1];
        const uint32_t c = corners[2];
        const bool has_copy =
            contains_vertex(seams, a) || contains_vertex(seams, b) || contains_vertex(seams, c);
        if (!has_copy || !is_mirrored(mesh->texcoords, a, b, c))
            continue;
        corners[0] = contains_vertex(seams, a) ? copies[a] : a;
        corners[1] = contains_vertex(seams, b) ? copies[b] : b;
        corners[2] = contains_vertex(seams, c) ? copies[c] : c;
    }
}

// Adds a copy of each vertex on a mirror seam after the vertices of the file. Writes the sources of
// the copies, and changes the indices of mirrored triangles to the copies. Returns false and sets
// the context's error if memory runs out.
static bool split_seams(md5_arena *scratch, md5_mesh_build *mesh)
{
    const md5_arena_mark before = md5i_arena_position(scratch);
    const uint32_t num_vertices = mesh->num_file_vertices;
    const vertex_bits *const seams = find_seams(scratch, mesh);
    TRY(seams);
    uint32_t *const copies = MD5_ALLOC_ARRAY(scratch, uint32_t, num_vertices);
    TRY(copies);

    uint32_t next_copy = num_vertices;
    for (uint32_t vertex = 0; vertex < num_vertices; vertex++) {
        if (!contains_vertex(seams, vertex))
            continue;
        copies[vertex] = next_copy;
        mesh->sources[next_copy] = vertex;
        next_copy++;
    }
    use_copies(mesh, seams, copies);
    md5i_arena_rewind(scratch, before);
    return true;
}

// Sets the numbers of drawn vertices and of influences of a mesh, with a copy of each vertex on a
// mirror seam. Returns false and sets the context's error if memory runs out.
bool md5i_measure_with_seams(md5_arena *scratch, md5_mesh_build *mesh)
{
    const md5_arena_mark before = md5i_arena_position(scratch);
    const vertex_bits *const seams = find_seams(scratch, mesh);
    TRY(seams);

    // Files are smaller than 2^31 bytes and contain fewer weights than bytes, so twice the number
    // of influences fits into 32 bits.
    uint32_t num_vertices = mesh->num_file_vertices;
    uint32_t num_influences = 0;
    for (uint32_t vertex = 0; vertex < mesh->num_file_vertices; vertex++) {
        const uint32_t vertex_influences = md5i_count_influences(mesh, vertex);
        num_influences += vertex_influences;
        if (contains_vertex(seams, vertex)) {
            // The copy of the vertex has the same influences, so it needs the same space for them.
            num_vertices++;
            num_influences += vertex_influences;
        }
    }

    mesh->num_vertices = num_vertices;
    mesh->num_influences = num_influences;
    md5i_arena_rewind(scratch, before);
    return true;
}

// Copies the texture coordinates, positions and influences of vertices on mirror seams to their
// copies.
static void copy_seam_vertices(md5_mesh_build *mesh)
{
    uint32_t *const first_influence = mesh->first_influence;
    uint32_t used = first_influence[mesh->num_file_vertices];
    for (uint32_t vertex = mesh->num_file_vertices; vertex < mesh->num_vertices; vertex++) {
        const uint32_t from = mesh->sources[vertex];
        mesh->texcoords[vertex] = mesh->texcoords[from];
        mesh->positions[vertex] = mesh->positions[from];
        for (uint32_t i = first_influence[from]; i < first_influence[from + 1]; i++, used++) {
            mesh->influence_joints[used] = mesh->influence_joints[i];
            mesh->influences[used] = mesh->influences[i];
        }
        first_influence[vertex + 1] = used;
    }
}

// == Tangents ====================================================================================

static_assert(sizeof(md5_vec4) == 2 * sizeof(double), "z of both axes fits into a tangent");

// A tangent is the part of a sum of unit vectors that is perpendicular to the normal. If this part
// is shorter than UNDEFINED, it consists of rounding errors, so the tangent has no direction.
#define UNDEFINED 1e-6

// The directions of the texture's u and v axes in space. x[0] and y[0] belong to the u axis, x[1]
// and y[1] to the v axis. The two z coordinates are in the memory of the vertex's tangent, which is
// written later.
typedef struct texture_axes {
    double x[2];
    double y[2];
} texture_axes;

static void add_to_sums(void *sums, md5_pair a)
{
    md5_pair_store(sums, md5_pair_add(md5_pair_load(sums), a));
}

// Returns the unit vector perpendicular to the normal `n` that is nearest to `along`. If `along` is
// zero or parallel to the normal, returns an arbitrary perpendicular vector.
static inline md5_vec3d project(md5_vec3d n, md5_vec3d along)
{
    // The length of the normal is 1 only within float rounding. Dividing by its square matters if
    // `along` is almost parallel to the normal.
    const double parallel = md5_vec3d_dot(n, along) / md5_vec3d_dot(n, n);
    const md5_vec3d projected = md5_vec3d_sub(along, md5_vec3d_scale(n, parallel));
    const double length = md5_vec3d_length(projected);
    return length > UNDEFINED ? md5_vec3d_scale(projected, 1.0 / length)
                              : md5_vec3d_perpendicular(n);
}

// An axis of the texture: the direction in which u or v increases.
typedef enum texture_axis { TEXTURE_U, TEXTURE_V } texture_axis;

// Returns the sums along one axis of the texture for two vertices, as two vectors. z[i] contains z
// of both axes of vertex i: see texture_axes.
static inline md5_pair3 two_sums(const texture_axes *const sums[2], const md5_pair z[2],
                                 texture_axis axis)
{
    const md5_pair pairs[3][2] = {{md5_pair_load(sums[0]->x), md5_pair_load(sums[1]->x)},
                                  {md5_pair_load(sums[0]->y), md5_pair_load(sums[1]->y)},
                                  {z[0], z[1]}};
    md5_pair along[3];
    for (uint32_t i = 0; i < 3; i++)
        along[i] = axis == TEXTURE_V ? md5_pair_seconds(pairs[i][0], pairs[i][1])
                                     : md5_pair_firsts(pairs[i][0], pairs[i][1]);
    const md5_pair3 both = {along[0], along[1], along[2]};
    return both;
}

// Returns true if a triangle uses one of the `count` vertices from `begin` on.
static bool has_vertex_in_range(const uint32_t *corners, uint32_t begin, uint32_t count)
{
    return corners[0] - begin < count || corners[1] - begin < count || corners[2] - begin < count;
}

// Computes the unit vectors along u and v of a triangle. Returns false if its area on the texture
// is 0. Each pair contains the values of u and v, or of the edges e0 and e1.
//
// Let P(u, v) be the point of the triangle that shows the texture coordinates (u, v), and P_u and
// P_v its derivatives. Edge i changes the texture coordinates by (du_i, dv_i). Therefore
//
//   e0 = P_u * du0 + P_v * dv0
//   e1 = P_u * du1 + P_v * dv1
//
// and the solution is
//
//   area = du0 * dv1 - dv0 * du1
//   P_u  = (e0 * dv1 - e1 * dv0) / area
//   P_v  = (e1 * du0 - e0 * du1) / area.
//
// The vectors are normalized, so only the sign of the area matters.
static MD5_ALWAYS_INLINE bool triangle_texture_axes(const md5_mesh_build *mesh,
                                                    const uint32_t *corners, md5_pair3 *unit)
{
    // d0 and d1 are the differences of texture coordinates along both edges, (du0, dv0) and (du1,
    // dv1).
    const md5_vec2 *const uv = mesh->texcoords;
    const md5_pair uv_a = md5_pair_load_floats(&uv[corners[0]]);
    const md5_pair d0 = md5_pair_sub(md5_pair_load_floats(&uv[corners[1]]), uv_a);
    const md5_pair d1 = md5_pair_sub(md5_pair_load_floats(&uv[corners[2]]), uv_a);
    const double area = md5_pair_cross(d0, d1);
    if (!(area < 0 || area > 0)) // also if the area is NaN
        return false;

    const md5_vec3 *const pa = &mesh->positions[corners[0]];
    const md5_vec3 *const pb = &mesh->positions[corners[1]];
    const md5_vec3 *const pc = &mesh->positions[corners[2]];
    const md5_pair origin = md5_pair_load_floats(pa);
    const md5_pair e0 = md5_pair_sub(md5_pair_load_floats(pb), origin);
    const md5_pair e1 = md5_pair_sub(md5_pair_load_floats(pc), origin);
    const md5_pair3 edges = {md5_pair_firsts(e0, e1), md5_pair_seconds(e0, e1),
                             md5_pair_sub(md5_pair_set(pb->z, pc->z), md5_pair_both(pa->z))};

    // The numerators of P_u and P_v.
    const md5_pair plus = md5_pair_inner(d1, d0);
    const md5_pair minus = md5_pair_inner(d0, d1);
    const md5_pair3 along =
        md5_pair3_sub(md5_pair3_scale(edges, plus), md5_pair3_scale(md5_pair3_swap(edges), minus));

    const double sign = area < 0 ? -1 : 1;
    const md5_pair scale =
        md5_pair_mul(md5_pair_inverse(md5_pair3_length(along)), md5_pair_both(sign));
    *unit = md5_pair3_scale(along, scale);
    return true;
}

// Adds the unit vectors along u and v of each triangle to the sums of its vertices, for the `count`
// vertices from `begin` on.
static void sum_texture_axes(const md5_mesh_build *mesh, uint32_t begin, uint32_t count,
                             texture_axes *sums)
{
    memset(sums, 0, count * sizeof *sums);
    memset(mesh->tangents + begin, 0, count * sizeof *mesh->tangents);

    for (size_t i = 0; i < mesh->num_triangles; i++) {
        const uint32_t *const corners = mesh->indices + 3 * i;
        if (count < mesh->num_vertices && !has_vertex_in_range(corners, begin, count))
            continue;
        md5_pair3 unit;
        if (!triangle_texture_axes(mesh, corners, &unit))
            continue;

        for (uint32_t corner = 0; corner < 3; corner++) {
            const uint32_t slot = corners[corner] - begin;
            if (slot >= count)
                continue;
            add_to_sums(sums[slot].x, unit.x);
            add_to_sums(sums[slot].y, unit.y);
            add_to_sums(&mesh->tangents[corners[corner]], unit.z);
        }
    }
}

// Returns project() of two vertices at a time, computed with the same operations.
static inline md5_pair3 project_two(md5_pair3 n, md5_pair3 along)
{
    const md5_pair parallel = md5_pair_div(md5_pair3_dot(n, along), md5_pair3_dot(n, n));
    const md5_pair3 projected = md5_pair3_sub(along, md5_pair3_scale(n, parallel));
    const md5_pair length = md5_pair3_length(projected);
    const md5_pair3 unit = md5_pair3_scale(projected, md5_pair_inverse(length));
    const bool first_is_defined = md5_pair_first(length) > UNDEFINED;
    const bool second_is_defined = md5_pair_second(length) > UNDEFINED;

    if (first_is_defined && second_is_defined)
        return unit;

    md5_vec3d first = md5_pair3_first(unit);
    md5_vec3d second = md5_pair3_second(unit);
    if (!first_is_defined)
        first = md5_vec3d_perpendicular(md5_pair3_first(n));
    if (!second_is_defined)
        second = md5_vec3d_perpendicular(md5_pair3_second(n));
    return md5_pair3_set(first, second);
}

// Writes the tangents of the `count` vertices from `begin` on. A tangent is the unit vector along
// u, perpendicular to the normal. Its w is 1 if v is along normal x tangent, else -1. sums[count]
// is scratch memory.
//
// Two vertices are computed at a time, because vector instructions process two doubles. A pair
// contains a value of vertex i and the same value of the next vertex. If the number of vertices is
// odd, the last pair contains the last vertex twice.
//
// The scratch memory contains only x and y of the sums. The two z coordinates of a vertex are
// stored as doubles in the four floats of its tangent. This saves a third of the scratch memory.
// Therefore the function loads z of both vertices before it writes their tangents.
static void write_tangents(const md5_mesh_build *mesh, uint32_t begin, uint32_t count,
                           texture_axes *sums)
{
    sum_texture_axes(mesh, begin, count, sums);

    for (uint32_t i = 0; i < count; i += 2) {
        const uint32_t next = i + 1 < count ? i + 1 : i;
        md5_vec4 *const tangents[2] = {&mesh->tangents[begin + i], &mesh->tangents[begin + next]};
        const texture_axes *const axes[2] = {&sums[i], &sums[next]};
        const md5_pair z[2] = {md5_pair_load(tangents[0]), md5_pair_load(tangents[1])};

        const md5_pair3 u = two_sums(axes, z, TEXTURE_U);
        const md5_pair3 v = two_sums(axes, z, TEXTURE_V);
        const md5_pair3 n = md5_pair3_set(md5_vec3d_from_vec3(mesh->normals[begin + i]),
                                          md5_vec3d_from_vec3(mesh->normals[begin + next]));

        // (normal x tangent) . v is negative if v points to the opposite side of normal x tangent.
        const md5_pair3 unit = project_two(n, u);
        const md5_pair sides = md5_pair3_dot(md5_pair3_cross(n, unit), v);

        md5_vec3 first;
        md5_vec3 second;
        md5_pair3_round(unit, &first, &second);

        const float side0 = md5_pair_first(sides) < 0 ? -1 : 1;
        const float side1 = md5_pair_second(sides) < 0 ? -1 : 1;
        *tangents[0] = (md5_vec4){first.x, first.y, first.z, side0};
        *tangents[1] = (md5_vec4){second.x, second.y, second.z, side1};
    }
}

// Computes the tangents of a mesh from its indices, positions, normals and texcoords. Returns false
// and sets the context's error if memory runs out.
//
// All triangles of a drawn vertex have equal weight. Vertices at the same position can have
// different tangents, because their textures can have different directions. If +u has no direction,
// the tangent is an arbitrary unit vector perpendicular to the normal, with w = 1.
static bool build_tangents(md5_arena *arena, md5_mesh_build *mesh)
{
    const md5_arena_mark before = md5i_arena_position(arena);
    const uint32_t num_vertices = mesh->num_vertices;

    // Process as many vertices at a time as the scratch memory has space for, but in at most
    // MAX_PARTS parts, because each part reads all triangles.
    enum { MAX_PARTS = 8 };
    const size_t capacity = md5i_arena_free_bytes(arena) / sizeof(texture_axes);
    const size_t min_size = num_vertices / MAX_PARTS + 1;
    const size_t part_size = capacity > min_size ? capacity : min_size;
    // The vertices are processed in parts, so the sums of the texture axes need memory only for one
    // part.
    texture_axes *const sums = MD5_ALLOC_ARRAY(arena, texture_axes, part_size);
    TRY(sums);

    for (size_t begin = 0; begin < num_vertices; begin += part_size) {
        const size_t left = num_vertices - begin;
        const size_t count = left < part_size ? left : part_size;
        write_tangents(mesh, (uint32_t)begin, (uint32_t)count, sums);
    }
    md5i_arena_rewind(arena, before);
    return true;
}

// == Normals and tangents of the file ============================================================

// Returns a direction of the file in model space, with unit length, or zero if it has no direction.
// `bind` can be NULL. The direction is normalized before it is rotated, because the values in a
// file can be too large or too small for arithmetic in floats.
static md5_vec3d file_direction(md5_vec3 from_file, const md5_mat34 *bind)
{
    const md5_vec3d unit = md5_vec3d_normalize(md5_vec3d_from_vec3(from_file));
    if (!bind)
        return unit;
    return md5_vec3d_normalize(md5_vec3d_from_vec3(md5_mat34_rotate(bind, md5_vec3d_round(unit))));
}

// Returns the tangent of a vertex of the file in model space, with unit length and perpendicular to
// its normal. `bind` has the same meaning as for file_direction().
static md5_vec4 stored_tangent(md5_vec4 from_file, md5_vec3 normal, const md5_mat34 *bind)
{
    const md5_vec3d along = file_direction((md5_vec3){from_file.x, from_file.y, from_file.z}, bind);
    const md5_vec3 tangent = md5_vec3d_round(project(md5_vec3d_from_vec3(normal), along));
    const float side = from_file.w < 0 ? -1.0f : 1.0f; // sign of the bitangent
    return (md5_vec4){tangent.x, tangent.y, tangent.z, side};
}

// Converts the normals and tangents of the file to model space, from the space of the joint of each
// vertex's first influence. Normalizes both, and makes tangents perpendicular to normals.
static void convert_stored_frames(const md5_mesh_joints *joints, md5_mesh_build *mesh)
{
    for (uint32_t vertex = 0; vertex < mesh->num_file_vertices; vertex++) {
        const uint32_t first = mesh->first_influence[vertex];
        const bool has_joint = first < mesh->first_influence[vertex + 1];
        const md5_mat34 *const bind =
            has_joint ? &joints->bind[mesh->influence_joints[first]] : NULL;

        const md5_vec3d direction = file_direction(mesh->normals[vertex], bind);
        const bool has_normal = md5_vec3d_dot(direction, direction) > 0;
        const md5_vec3 normal = has_normal ? md5_vec3d_round(direction) : (md5_vec3){0, 0, 1};
        mesh->normals[vertex] = normal;
        if (mesh->tangents)
            mesh->tangents[vertex] = stored_tangent(mesh->tangents[vertex], normal, bind);
    }
}

// == All steps ===================================================================================

// Derives a mesh in place: splits mirror seams, then derives influences, normals and, unless
// mesh->tangents is NULL, tangents. Returns false and sets the context's error if memory runs out.
bool md5i_build_with_tangents(md5_arena *scratch, const md5_mesh_joints *joints,
                              md5_mesh_build *mesh)
{
    const md5_arena_mark before = md5i_arena_position(scratch);
    if (mesh->num_vertices > mesh->num_file_vertices)
        TRY(split_seams(scratch, mesh));
    TRY(md5i_build_influences(scratch, joints, mesh));
    copy_seam_vertices(mesh);

    if (mesh->num_vertices == 0)
        return true;
    if (mesh->has_frames) {
        convert_stored_frames(joints, mesh);
        return true;
    }

    uint32_t *const nexts = MD5_ALLOC_ARRAY(scratch, uint32_t, mesh->num_vertices);
    md5_vec4 *sums = mesh->tangents; // reuse the memory of the tangents, which are written later
    if (!sums)
        sums = MD5_ALLOC_ARRAY(scratch, md5_vec4, mesh->num_vertices);
    TRY(nexts && sums && md5i_build_normals(scratch, mesh, nexts, sums));
    md5i_arena_rewind(scratch, before);
    return !mesh->tangents || build_tangents(scratch, mesh);
}
