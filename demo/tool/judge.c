// What engines say to the shape of a mesh, to a clip with its mesh, and to what lies beside them.
#include "demo/common/file.h"
#include "demo/common/text.h"
#include "demo/tool/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- Shapes ---------------------------------------------------------------------------------------

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
static uint32_t count_seams(const md5_mesh *mesh)
{
    enum { MAX_NEIGHBORS = 64 };
    const float width = 1e-3f;
    const uint32_t num_points = mesh->num_vertices;
    if (num_points == 0)
        return 0;
    md5_vec3 *const points = common_alloc(2 * (size_t)num_points, sizeof *points);
    uint32_t count = 0;
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
    free(points);
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
bool tool_is_inside_out(const md5_mesh *mesh)
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

void tool_judge_model(tool_facts *facts, const md5_model *model)
{
    if (!facts->points)
        tool_find_points(facts, model);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        const uint32_t num_seams = count_seams(mesh), num_apart = count_apart(mesh);
        const uint32_t num_flat = count_flat(mesh);
        if (num_seams > 0)
            tool_found(facts, RULE_SEAM, 0, "mesh %u: %u vertices lie within 0.001 of others", i,
                       num_seams);
        if (num_apart > 0)
            tool_found(facts, RULE_APART, 0, "mesh %u: the weights of %u vertices do not meet", i,
                       num_apart);
        if (num_flat > 0)
            tool_found(facts, RULE_NO_AREA, 0, "mesh %u: %u of %u triangles have no area", i,
                       num_flat, mesh->num_triangles);
        if (tool_is_inside_out(mesh))
            tool_found(facts, RULE_INSIDE_OUT, 0, "mesh %u is closed, and faces inwards", i);
    }
}

// == Pairs ========================================================================================

static int compare_joints(const void *a, const void *b)
{
    return strcmp((*(const named_joint *const *)a)->name, (*(const named_joint *const *)b)->name);
}

// Returns the joints sorted by name.
static const named_joint **sort_joints(const tool_facts *facts)
{
    const named_joint **const sorted = common_alloc(facts->num_joints, sizeof(named_joint *));
    for (uint32_t i = 0; i < facts->num_joints; i++)
        sorted[i] = &facts->joints[i];
    if (facts->num_joints > 0)
        qsort(sorted, facts->num_joints, sizeof *sorted, compare_joints);
    return sorted;
}

// What two lists of joints, sorted by name, do not share.
typedef struct difference {
    uint32_t num_only_a, num_only_b;
    const named_joint *only_a, *only_b; // the first in the file
} difference;

static difference compare_names(const named_joint **a, uint32_t num_a, const named_joint **b,
                                uint32_t num_b)
{
    difference found = {0};
    for (uint32_t i = 0, j = 0; i < num_a || j < num_b;) {
        const int order = i == num_a ? 1 : j == num_b ? -1 : strcmp(a[i]->name, b[j]->name);
        if (order < 0) {
            found.num_only_a++;
            if (!found.only_a || a[i] < found.only_a)
                found.only_a = a[i];
        } else if (order > 0) {
            found.num_only_b++;
            if (!found.only_b || b[j] < found.only_b)
                found.only_b = b[j];
        }
        i += order <= 0;
        j += order >= 0;
    }
    return found;
}

// The name of a mesh's joint that is nearest to one that it does not have, or NULL. Of a hostile
// mesh only the first joints are looked at.
static const char *nearest_name(const tool_facts *mesh, const char *name)
{
    tool_nearest nearest = {.work = 20000000};
    for (uint32_t i = 0; i < mesh->num_joints; i++)
        tool_compare_name(&nearest, name, mesh->joints[i].name);
    return nearest.name;
}

static const char *parent_name(const tool_facts *facts, uint32_t i)
{
    const int32_t parent = facts->joints[i].parent;
    return parent >= 0 && parent < (int32_t)facts->num_joints ? facts->joints[parent].name : "none";
}

// Joints that have the same names in both files, one by one: their order and parents.
static void judge_order(const tool_facts *mesh, tool_facts *clip)
{
    for (uint32_t i = 0; i < clip->num_joints; i++) {
        const named_joint *const joint = &clip->joints[i];
        if (strcmp(joint->name, mesh->joints[i].name) != 0) {
            tool_found(clip, RULE_PAIR_ORDER, joint->line, "joint %u is '%.60s', but '%.60s' in %s",
                       i, joint->name, mesh->joints[i].name, common_base(mesh->path));
            return;
        }
        if ((joint->parent < 0 ? -1 : joint->parent)
            != (mesh->joints[i].parent < 0 ? -1 : mesh->joints[i].parent)) {
            tool_found(clip, RULE_PAIR_PARENT, joint->line,
                       "the parent of '%.60s' is %.60s, but %.60s in %s", joint->name,
                       parent_name(clip, i), parent_name(mesh, i), common_base(mesh->path));
            return;
        }
    }
}

const tool_finding *tool_judge_pair(const tool_facts *mesh, tool_facts *clip, size_t *count)
{
    const size_t before = clip->num_found;
    *count = 0;
    if (mesh->num_joints == 0 || clip->num_joints == 0 || clip->judged_with == mesh)
        return NULL;
    clip->judged_with = mesh;
    const named_joint **const of_clip = sort_joints(clip), **const of_mesh = sort_joints(mesh);
    const difference names = compare_names(of_clip, clip->num_joints, of_mesh, mesh->num_joints);
    for (uint32_t i = 1; i < clip->num_joints; i++) {
        if (strcmp(of_clip[i]->name, of_clip[i - 1]->name) != 0)
            continue;
        tool_found(clip, RULE_SAME_NAME, of_clip[i]->line, "a second joint '%.100s'",
                   of_clip[i]->name);
        break;
    }
    const char *const file = common_base(mesh->path);
    if (mesh->num_joints != clip->num_joints) {
        const bool is_more = clip->num_joints > mesh->num_joints;
        const named_joint *const extra = is_more ? names.only_a : names.only_b;
        tool_found(clip, RULE_PAIR_COUNT, clip->joints_line,
                   "%u joints, but %s has %u: '%.60s' is not in the %s", clip->num_joints, file,
                   mesh->num_joints, extra ? extra->name : "", is_more ? "mesh" : "clip");
    }
    if (names.num_only_a > 0 && names.num_only_b > 0) {
        const char *const nearest = nearest_name(mesh, names.only_a->name);
        tool_found(clip, RULE_PAIR_NAME, names.only_a->line,
                   nearest ? "%s has no joint '%.60s': did you mean '%.60s'?"
                           : "%s has no joint '%.60s'",
                   file, names.only_a->name, nearest ? nearest : "");
    } else if (mesh->num_joints == clip->num_joints) {
        judge_order(mesh, clip);
    }
    free(of_clip);
    free(of_mesh);
    *count = clip->num_found - before;
    return *count > 0 ? clip->found + before : NULL;
}

// The number of frames of the .mdl of Quake or .md2 of Quake II that a clip's model replaces; 0:
// there is none.
static int32_t frames_of_replaced(const char *path)
{
    static const struct {
        const char *where, *ending, *word;
        size_t at; // of the number in the file's header
    } rows[] = {{"", ".mdl", "IDPO", 68}, {"", ".md2", "IDP2", 40}, {"../", ".md2", "IDP2", 40}};
    char *const folder = common_folder(path), *const stem = common_stem(path);
    int32_t frames = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && frames == 0; i++) {
        char *const name = common_format("%s%s%s", rows[i].where, stem, rows[i].ending);
        char *const file = common_join(folder, name);
        const char *reason = NULL;
        size_t size = 0;
        char *const bytes = common_is_file(file) ? common_read_stream(file, &size, &reason) : NULL;
        if (bytes && size >= rows[i].at + 4 && memcmp(bytes, rows[i].word, 4) == 0)
            for (int k = 0; k < 3; k++) // more than 2^24 are none
                frames |= (int32_t)(unsigned char)bytes[rows[i].at + (size_t)k] << 8 * k;
        free(bytes);
        free(file);
        free(name);
    }
    free(folder);
    free(stem);
    return frames;
}

void tool_judge_place(tool_facts *facts)
{
    static const char *const images[] = {"png", "tga", "jpg", "pcx", "lmp"};
    if (facts->is_clip) {
        const int32_t frames = frames_of_replaced(facts->path);
        if (frames > facts->num_frames)
            tool_found(facts, RULE_FEWER_FRAMES, 1,
                       "%d frames, but the model that is replaced has %d", (int)facts->num_frames,
                       (int)frames);
        return;
    }
    char *const folder = common_folder(facts->path), *const stem = common_stem(facts->path);
    const bool is_of_quake = strcmp(common_base(folder), "progs") == 0;
    if (is_of_quake && !tool_has_sibling(facts->path, stem, ".md5anim"))
        tool_found(facts, RULE_NO_CLIP, 1, "there is no %.100s.md5anim", stem);
    for (size_t i = 0; i < facts->num_shaders; i++) {
        char *found = is_of_quake ? NULL : tool_find_texture(facts->path, facts->shaders[i].name);
        for (size_t k = 0; is_of_quake && k < sizeof images / sizeof images[0] && !found; k++) {
            char *const name =
                common_format("%s_00_00.%s", common_base(facts->shaders[i].name), images[k]);
            found = common_join(folder, name);
            if (!common_is_file(found)) {
                free(found);
                found = NULL;
            }
            free(name);
        }
        if (found)
            tool_judge_image(facts, found);
        else if (is_of_quake)
            tool_found(facts, RULE_SKIN, facts->shaders[i].at.line, "no image %.100s_00_00",
                       facts->shaders[i].name);
        free(found);
    }
    free(folder);
    free(stem);
}
