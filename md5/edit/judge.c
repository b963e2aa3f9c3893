// What engines say to the shape of a mesh, and to a clip with its mesh.
#include "md5/core/assert.h"
#include "md5/core/names.h"
#include "md5/edit/check.h"
#include "md5/md5math.h"

#include <math.h>

// == Shapes =======================================================================================

// The bits of a number, in the order of numbers.
static uint32_t key_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 31 ? ~bits : bits | 1u << 31;
}

// Sorts points by x, by 11 bits of it at a time, from the lowest: several times as fast as qsort().
// The result is in `points` or in `others`, [count] each, and is returned.
static md5_vec3 *sort_by_x(md5_vec3 *points, md5_vec3 *others, uint32_t count)
{
    enum { BITS = 11, NUM_DIGITS = 1 << BITS };
    for (int shift = 0; shift < 32; shift += BITS) {
        uint32_t starts[NUM_DIGITS] = {0};
        for (uint32_t i = 0; i < count; i++)
            starts[key_of(points[i].x) >> shift & (NUM_DIGITS - 1)]++;
        for (uint32_t i = 0, sum = 0; i < NUM_DIGITS; i++) {
            const uint32_t size = starts[i];
            starts[i] = sum;
            sum += size;
        }
        for (uint32_t i = 0; i < count; i++)
            others[starts[key_of(points[i].x) >> shift & (NUM_DIGITS - 1)]++] = points[i];
        md5_vec3 *const sorted = others;
        others = points;
        points = sorted;
    }
    return points;
}

// The number of vertices that lie beside another one, nearer than a seam is wide and not at the
// same place, by a sweep along x. Of a cloud that a plane holds only so many neighbours are looked
// at.
static uint32_t count_seams(md5_arena *scratch, const md5_mesh *mesh)
{
    enum { MAX_NEIGHBORS = 64 };
    const float width = 1e-3f;
    const uint32_t num_points = mesh->num_vertices;
    if (num_points == 0)
        return 0;
    md5_vec3 *const points = MD5_ROOM(scratch, md5_vec3, 2 * (size_t)num_points);
    uint32_t count = 0;
    if (!points)
        return 0;
    memcpy(points, mesh->positions, num_points * sizeof *points);
    const md5_vec3 *const sorted = sort_by_x(points, points + num_points, num_points);
    for (uint32_t i = 0; i < num_points; i++) {
        bool is_split = false;
        for (uint32_t k = i + 1; k < num_points && k - i <= MAX_NEIGHBORS; k++) {
            const md5_vec3 away = md5_vec3_sub(sorted[k], sorted[i]);
            if (away.x > width)
                break;
            const float square = md5_vec3_dot(away, away);
            is_split |= square > 0.0f && square <= width * width;
        }
        count += is_split;
    }
    return count;
}

// The number of vertices whose weights lie further apart than files round.
static uint32_t count_apart(const md5_mesh *mesh)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        float most = 0.0f;
        for (uint32_t k = mesh->first_influence[i]; k < mesh->first_influence[i + 1]; k++) {
            const md5_vec4 at = mesh->influences[k];
            const md5_vec3 away = {at.x - at.w * mesh->positions[i].x,
                                   at.y - at.w * mesh->positions[i].y,
                                   at.z - at.w * mesh->positions[i].z};
            most = fmaxf(most, md5_vec3_length(away));
        }
        count += most > 0.02f;
    }
    return count;
}

// The number of triangles that have no area, within what floats round.
static uint32_t count_flat(const md5_mesh *mesh)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < mesh->num_triangles; i++) {
        const uint32_t *const corner = mesh->indices + 3 * (size_t)i;
        const md5_vec3 a = md5_vec3_sub(mesh->positions[corner[1]], mesh->positions[corner[0]]);
        const md5_vec3 b = md5_vec3_sub(mesh->positions[corner[2]], mesh->positions[corner[0]]);
        const float longest = fmaxf(md5_vec3_dot(a, a), md5_vec3_dot(b, b));
        count += md5_vec3_length(md5_vec3_cross(a, b)) <= 1e-6f * longest;
    }
    return count;
}

// What an edge adds to a sum that is 0 if each edge of a surface is met in both directions equally
// often. Vertices are welded by their position: its bits stand for it. +-0 are one.
static uint64_t edge_term(md5_vec3 a, md5_vec3 b)
{
    const float numbers[6] = {a.x + 0.0f, a.y + 0.0f, a.z + 0.0f,
                              b.x + 0.0f, b.y + 0.0f, b.z + 0.0f};
    uint64_t term = 0;
    for (int i = 0; i < 6; i++) {
        uint32_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        term = (term ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
        term ^= term >> 29;
    }
    return term * UINT64_C(0xBF58476D1CE4E5B9);
}

// Of an open surface, such as an eye or a sheet, nothing says which side is the outer one. The mesh
// is seen as a whole, not by its pieces: a closed piece that faces inwards may be the inner wall of
// what is around it.
bool md5_is_inside_out(const md5_mesh *mesh)
{
    const md5_vec3 middle = md5_vec3_scale(md5_vec3_add(mesh->bounds.min, mesh->bounds.max), 0.5f);
    double volume = 0.0, all = 0.0;
    uint64_t open = 0;
    for (uint32_t i = 0; i < mesh->num_triangles; i++) {
        const uint32_t *const corner = mesh->indices + 3 * (size_t)i;
        md5_vec3 at[3];
        for (int k = 0; k < 3; k++)
            at[k] = mesh->positions[corner[k]];
        for (int k = 0; k < 3; k++)
            open += edge_term(at[k], at[(k + 1) % 3]) - edge_term(at[(k + 1) % 3], at[k]);
        const md5_vec3 a = md5_vec3_sub(at[0], middle), b = md5_vec3_sub(at[1], middle);
        const md5_vec3 c = md5_vec3_sub(at[2], middle);
        const double part = (double)md5_vec3_dot(a, md5_vec3_cross(c, b)); // clockwise outside
        volume += part;
        all += fabs(part);
    }
    return open == 0 && volume < -1e-4 * all;
}

bool md5_check_model(md5_check *check, const md5_model *model)
{
    md5_checker *const from = (md5_checker *)check;
    const md5_text_place none = {0};
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        const uint32_t num_seams = count_seams(&from->scratch, mesh), num_apart = count_apart(mesh);
        const uint32_t num_flat = count_flat(mesh);
        md5i_arena_free(&from->scratch);
        if (num_seams > 0)
            md5i_add_finding(from, "seam", none, "mesh %u: %u vertices lie within 0.001 of others",
                             i, num_seams);
        if (num_apart > 0)
            md5i_add_finding(from, "weights-apart", none,
                             "mesh %u: the weights of %u vertices do not meet", i, num_apart);
        if (num_flat > 0)
            md5i_add_finding(from, "no-area", none, "mesh %u: %u of %u triangles have no area", i,
                             num_flat, mesh->num_triangles);
        if (md5_is_inside_out(mesh))
            md5i_add_finding(from, "inside-out", none, "mesh %u is closed, and faces inwards", i);
    }
    return from->context.error.status == MD5_OK;
}

// == Pairs ========================================================================================

// How many bytes of a name are to be changed, added or left out to get another one; `other` has
// less than 256.
static size_t distance_of(const char *name, size_t length, const char *other, size_t size)
{
    size_t row[256];
    for (size_t k = 0; k <= size; k++)
        row[k] = k;
    for (size_t i = 1; i <= length; i++) {
        size_t before = row[0]++;
        for (size_t k = 1; k <= size; k++) {
            const size_t change = before + (name[i - 1] != other[k - 1]);
            const size_t step = (row[k] < row[k - 1] ? row[k] : row[k - 1]) + 1;
            before = row[k];
            row[k] = change < step ? change : step;
        }
    }
    return row[size];
}

// The name of a mesh's joint that is nearest to one that it does not have, or NULL. Of a hostile
// mesh only the first joints are looked at.
static const char *nearest_name(const md5_check *mesh, const char *name)
{
    enum { LONGEST = 255 };
    const size_t length = strlen(name);
    size_t work = 20000000, least = length / 3 + 2;
    const char *nearest = NULL;
    for (uint32_t i = 0; i < mesh->num_joints; i++) {
        const char *const other = mesh->joints[i].name;
        const size_t size = strlen(other), cost = length * size + 1;
        if (work < cost || (size > length ? size - length : length - size) >= least)
            continue;
        work -= cost;
        const size_t distance = size > LONGEST ? least : distance_of(name, length, other, size);
        if (distance < least) {
            nearest = other;
            least = distance;
        }
    }
    return nearest;
}

static const char *parent_name(const md5_check *of, uint32_t i)
{
    const int32_t parent = of->joints[i].parent;
    return parent >= 0 && parent < (int32_t)of->num_joints ? of->joints[parent].name : "none";
}

// Joints that have the same names in both files, one by one: their order and parents.
static void check_order(md5_checker *from, const md5_check *mesh, const char *file)
{
    const md5_check *const clip = &from->check;
    for (uint32_t i = 0; i < clip->num_joints; i++) {
        const md5_check_joint *const joint = &clip->joints[i], *const other = &mesh->joints[i];
        const bool is_same = strcmp(joint->name, other->name) == 0;
        const md5_text_place at = md5_at_line(joint->line);
        if (!is_same)
            md5i_add_finding(from, "clip-joint-order", at, "joint %u is '%.60s', but '%.60s' in %s",
                             i, joint->name, other->name, file);
        else if (joint->parent != other->parent && (joint->parent >= 0 || other->parent >= 0))
            md5i_add_finding(from, "clip-joint-parent", at,
                             "the parent of '%.60s' is %.60s, but %.60s in %s", joint->name,
                             parent_name(clip, i), parent_name(mesh, i), file);
        else
            continue;
        return;
    }
}

// The joints of a file, as a skeleton for their names.
static md5_skeleton skeleton_of(md5_arena *scratch, const md5_check *check)
{
    md5_joint *const joints = MD5_NEW(scratch, md5_joint, check->num_joints);
    for (uint32_t i = 0; joints && i < check->num_joints; i++)
        joints[i].name = check->joints[i].name;
    return (md5_skeleton){.num_joints = check->num_joints, .joints = joints};
}

// The first joint whose name comes a second time, in the order of names.
static const md5_check_joint *find_twin(md5_arena *scratch, const md5_check *clip)
{
    md5_ordered_name *names = MD5_ROOM(scratch, md5_ordered_name, clip->num_joints);
    for (uint32_t i = 0; names && i < clip->num_joints; i++)
        names[i] = (md5_ordered_name){{clip->joints[i].name, strlen(clip->joints[i].name)}, i};
    names = md5i_order_names(scratch, names, clip->num_joints);
    for (uint32_t i = 1; names && i < clip->num_joints; i++)
        if (strcmp(names[i].name.bytes, names[i - 1].name.bytes) == 0)
            return &clip->joints[names[i].number];
    return NULL;
}

// The first joint that another file does not have, or NULL.
static const md5_check_joint *find_single(const md5_check *of, const uint32_t *others)
{
    for (uint32_t i = 0; i < of->num_joints; i++)
        if (others[i] == MD5_NONE)
            return &of->joints[i];
    return NULL;
}

uint32_t md5_check_pair(const md5_check *mesh, md5_check *clip)
{
    md5_checker *const from = (md5_checker *)clip;
    md5_arena *const scratch = &from->scratch;
    const uint32_t num_before = clip->num_findings;
    if (mesh->num_joints == 0 || clip->num_joints == 0 || from->pair == mesh)
        return 0;
    from->pair = mesh;
    const md5_skeleton of_mesh = skeleton_of(scratch, mesh), of_clip = skeleton_of(scratch, clip);
    uint32_t *const in_clip = MD5_ROOM(scratch, uint32_t, mesh->num_joints);
    uint32_t *const in_mesh = MD5_ROOM(scratch, uint32_t, clip->num_joints);
    const md5_check_joint *const twin = find_twin(scratch, clip);
    if (of_mesh.joints && of_clip.joints && in_clip && in_mesh
        && md5i_match_joints(scratch, &of_mesh, &of_clip, in_clip, in_mesh)) {
        const md5_check_joint *const extra = find_single(clip, in_mesh);
        const md5_check_joint *const missing = find_single(mesh, in_clip);
        const char *file = mesh->file;
        for (const char *c = file; *c; c++)
            file = *c == '/' || *c == '\\' ? c + 1 : file;
        if (twin)
            md5i_add_finding(from, "same-name", md5_at_line(twin->line), "a second joint '%.100s'",
                             twin->name);
        const bool is_more = clip->num_joints > mesh->num_joints;
        if (mesh->num_joints != clip->num_joints)
            md5i_add_finding(from, "clip-joint-count", md5_at_line(from->joints_line),
                             "%u joints, but %s has %u: '%.60s' is not in the %s", clip->num_joints,
                             file, mesh->num_joints, (is_more ? extra : missing)->name,
                             is_more ? "mesh" : "clip");
        if (extra && missing) {
            const char *const nearest = nearest_name(mesh, extra->name);
            md5i_add_finding(from, "clip-joint-name", md5_at_line(extra->line),
                             nearest ? "%s has no joint '%.60s': did you mean '%.60s'?"
                                     : "%s has no joint '%.60s'",
                             file, extra->name, nearest);
        } else if (mesh->num_joints == clip->num_joints) {
            check_order(from, mesh, file);
        }
    }
    md5i_arena_free(scratch);
    return from->context.error.status == MD5_OK ? clip->num_findings - num_before : MD5_NONE;
}
