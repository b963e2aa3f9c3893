// Tangents, and what follows from them: vertices on mirror seams are drawn twice, since one tangent
// cannot serve both sides. Normals and tangents that the file stores (version 12).
#include "md5/skin/tangents.h"
#include "md5/skin/pair.h"

#include <assert.h>

// == Mirror seams ================================================================================

enum { PER_BYTE = 4 };

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
    if (!uses || mesh->has_frames || scratch->context->skip_geometry & MD5_GEOMETRY_TANGENTS)
        return uses;
    const size_t num_corners = 3 * (size_t)mesh->num_triangles;
    for (size_t i = 0; i < num_corners; i += 3) {
        const uint32_t *const corners = mesh->indices + i;
        const unsigned use =
            is_mirrored(mesh->texcoords, corners[0], corners[1], corners[2]) ? MIRRORED : PLAIN;
        for (uint32_t k = 0; k < 3; k++)
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
    for (uint32_t vertex = 0; vertex < num_vertices; vertex++) {
        if (!is_on_seam(uses, vertex))
            continue;
        copies[vertex] = next;
        mesh->sources[next++] = vertex;
    }
    for (size_t i = 0; i < mesh->num_triangles; i++) {
        uint32_t *const corners = mesh->indices + 3 * i;
        const uint32_t a = corners[0];
        const uint32_t b = corners[1];
        const uint32_t c = corners[2];
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

bool md5i_measure_with_seams(md5_arena *scratch, md5_mesh_build *mesh)
{
    const md5_arena_mark before = md5i_arena_here(scratch);
    const unsigned char *const uses = find_uses(scratch, mesh);
    TRY(uses);
    // Texts are below 2^31 bytes and refer to fewer weights than that, so that twice as many fit
    // into 32 bits.
    uint32_t num_vertices = mesh->num_file_vertices;
    uint32_t num_influences = 0;
    for (uint32_t vertex = 0; vertex < mesh->num_file_vertices; vertex++) {
        const uint32_t on_seam = is_on_seam(uses, vertex);
        num_vertices += on_seam;
        num_influences += md5i_count_influences(mesh, vertex) << on_seam;
    }
    mesh->num_vertices = num_vertices;
    mesh->num_influences = num_influences;
    md5i_arena_rewind(scratch, before);
    return true;
}

// Gives the copies of vertices on seams what their originals have.
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

// If less than this of a sum of unit vectors is perpendicular to the normal, it is rounding error.
#define UNDEFINED 1e-6

// Directions of the texture's u and v axes in space: x of both, y of both. z of both uses the
// memory of the vertex's tangent, which is written later.
typedef struct texture_axes {
    double x[2];
    double y[2];
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
    for (uint32_t i = 0; i < 3; i++)
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
        const md5_pair plus = md5_pair_inner(d1, d0);
        const md5_pair minus = md5_pair_inner(d0, d1);
        const md5_pair3 along = md5_pair3_sub(md5_pair3_scale(edges, plus),
                                              md5_pair3_scale(md5_pair3_swap(edges), minus));
        const double sign = area < 0 ? -1 : 1;
        const md5_pair scale =
            md5_pair_mul(md5_pair_inverse(md5_pair3_length(along)), md5_pair_both(sign));
        const md5_pair3 unit = md5_pair3_scale(along, scale);
        for (uint32_t corner = 0; corner < 3; corner++) {
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
        const md5_pair3 u = two_sums(axes, z, false);
        const md5_pair3 v = two_sums(axes, z, true);
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
    const size_t room = md5i_arena_left(arena) / sizeof(texture_axes);
    const size_t least = num_vertices / 8 + 1;
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

// == Normals and tangents of the file ============================================================

// Returns the direction in model space, of unit length, or zero if it has none. `bind` may be NULL.
// Normalized before it is rotated: a file's numbers may be too large or too small for floats.
static md5_vec3d file_direction(md5_vec3 from_file, const md5_mat34 *bind)
{
    const md5_vec3d unit = md5_vec3d_normalize(md5_vec3d_of(from_file));
    if (!bind)
        return unit;
    return md5_vec3d_normalize(md5_vec3d_of(md5_mat34_rotate(bind, md5_vec3d_round(unit))));
}

// Converts the file's normals and tangents to model space.
static void convert_stored_frames(const md5_mesh_joints *joints, md5_mesh_build *mesh)
{
    // The file's normals and tangents come to model space, from the space of each vertex's
    // dominant joint, which is that of its first influence. Both get unit length, tangents are
    // made perpendicular to normals.
    for (uint32_t vertex = 0; vertex < mesh->num_file_vertices; vertex++) {
        const uint32_t first = mesh->first_influence[vertex];
        const bool has_joint = first < mesh->first_influence[vertex + 1];
        const md5_mat34 *const bind =
            has_joint ? &joints->bind[mesh->influence_joints[first]] : NULL;
        const md5_vec3d up = file_direction(mesh->normals[vertex], bind);
        const bool has_normal = md5_vec3d_dot(up, up) > 0;
        const md5_vec3 normal = has_normal ? md5_vec3d_round(up) : (md5_vec3){0, 0, 1};
        mesh->normals[vertex] = normal;
        if (!mesh->tangents)
            continue;
        const md5_vec4 from_file = mesh->tangents[vertex];
        const md5_vec3d along =
            file_direction((md5_vec3){from_file.x, from_file.y, from_file.z}, bind);
        const md5_vec3 tangent = md5_vec3d_round(project(md5_vec3d_of(normal), along));
        mesh->tangents[vertex] =
            (md5_vec4){tangent.x, tangent.y, tangent.z, from_file.w < 0 ? -1.0f : 1.0f};
    }
}

// == All steps ===================================================================================

bool md5i_build_with_tangents(md5_arena *scratch, const md5_mesh_joints *joints,
                              md5_mesh_build *mesh)
{
    const md5_arena_mark before = md5i_arena_here(scratch);
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
    uint32_t *const nexts = MD5_ROOM(scratch, uint32_t, mesh->num_vertices);
    md5_vec4 *sums = mesh->tangents; // are written later
    if (!sums)
        sums = MD5_ROOM(scratch, md5_vec4, mesh->num_vertices);
    TRY(nexts && sums && md5i_build_normals(scratch, mesh, nexts, sums));
    md5i_arena_rewind(scratch, before);
    return !mesh->tangents || build_tangents(scratch, mesh);
}
