// What engines say to the shape of a mesh, and to a clip with its mesh: joints, scale and turn.
#include "md5/core/names.h"
#include "md5/edit/check.h"

#include <stdlib.h>

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
            is_split |= square > 0 && square <= width * width;
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
        float most = 0;
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
    const float numbers[6] = {a.x + 0, a.y + 0, a.z + 0, b.x + 0, b.y + 0, b.z + 0};
    uint64_t term = 0;
    for (uint32_t i = 0; i < 6; i++) {
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
    MD5_ASSERT_PART(mesh, name);
    const md5_vec3 middle = md5_vec3_scale(md5_vec3_add(mesh->bounds.min, mesh->bounds.max), 0.5f);
    double volume = 0;
    double all = 0;
    uint64_t open = 0;
    for (uint32_t i = 0; i < mesh->num_triangles; i++) {
        const uint32_t *const corner = mesh->indices + 3 * (size_t)i;
        md5_vec3 at[3];
        for (uint32_t k = 0; k < 3; k++)
            at[k] = mesh->positions[corner[k]];
        for (uint32_t k = 0; k < 3; k++)
            open += edge_term(at[k], at[(k + 1) % 3]) - edge_term(at[(k + 1) % 3], at[k]);
        const md5_vec3 a = md5_vec3_sub(at[0], middle);
        const md5_vec3 b = md5_vec3_sub(at[1], middle);
        const md5_vec3 c = md5_vec3_sub(at[2], middle);
        const double part = (double)md5_vec3_dot(a, md5_vec3_cross(c, b)); // clockwise outside
        volume += part;
        all += fabs(part);
    }
    return open == 0 && volume < -1e-4 * all;
}

bool md5_check_model(md5_check *check, const md5_model *model)
{
    MD5_ASSERT_ALIVE(check, MD5_TAG_CHECK);
    MD5_ASSERT_ALIVE(model, MD5_TAG_MODEL);
    md5_checker *const checker = (md5_checker *)check;
    const md5_text_location none = {0};
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        const uint32_t num_seams = count_seams(&checker->scratch, mesh);
        const uint32_t num_apart = count_apart(mesh);
        const uint32_t num_flat = count_flat(mesh);
        md5i_arena_free(&checker->scratch);
        if (num_seams > 0)
            md5i_add_diagnostic(checker, "seam", none,
                                "mesh %u: %u vertices are within 0.001 units of other vertices", i,
                                num_seams);
        if (num_apart > 0)
            md5i_add_diagnostic(checker, "weights-apart", none,
                                "mesh %u: weights of %u vertices have different positions", i,
                                num_apart);
        if (num_flat > 0)
            md5i_add_diagnostic(checker, "no-area", none, "mesh %u: %u of %u triangles have zero area",
                                i, num_flat, mesh->num_triangles);
        if (md5_is_inside_out(mesh))
            md5i_add_diagnostic(checker, "inside-out", none,
                                "mesh %u is closed, but its triangles face inwards", i);
    }
    return checker->context.error.status == MD5_OK;
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
    size_t work = 20000000;
    size_t least = length / 3 + 2;
    const char *nearest = NULL;
    for (uint32_t i = 0; i < mesh->num_joints; i++) {
        const char *const other = mesh->joints[i].name;
        const size_t size = strlen(other);
        const size_t cost = length * size + 1;
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
static void check_order(md5_checker *checker, const md5_check *mesh, const char *file)
{
    const md5_check *const clip = &checker->check;
    if (mesh->joints) {
        for (uint32_t i = 0; i < clip->num_joints; i++) {
            const md5_check_joint *const joint = &clip->joints[i];
            const md5_check_joint *const other = &mesh->joints[i];
            const bool is_same = strcmp(joint->name, other->name) == 0;
            const md5_text_location at = md5_at_line(joint->line);
            if (!is_same)
                md5i_add_diagnostic(checker, "clip-joint-order", at,
                                    "joint order differs: joint %u is '%.60s', but '%.60s' in %s",
                                    i, joint->name, other->name, file);
            else if (joint->parent != other->parent && (joint->parent >= 0 || other->parent >= 0))
                md5i_add_diagnostic(checker, "clip-joint-parent", at,
                                    "parent of joint '%.60s' differs: %.60s, but %.60s in %s",
                                    joint->name, parent_name(clip, i), parent_name(mesh, i), file);
            else
                continue;
            return;
        }
    }
}

// The joints of a file, as a skeleton for their names.
static md5_skeleton skeleton_of(md5_arena *scratch, const md5_check *check)
{
    md5_joint *const joints = MD5_NEW(scratch, md5_joint, check->num_joints);
    if (joints) {
        for (uint32_t i = 0; i < check->num_joints; i++)
            joints[i].name = check->joints[i].name;
    }
    return (md5_skeleton){.num_joints = check->num_joints, .joints = joints};
}

void md5i_check_names(md5_checker *checker)
{
    const md5_skeleton skeleton = skeleton_of(&checker->scratch, &checker->check);
    const md5_ordered_name *const names =
        skeleton.joints ? md5i_order_joint_names(&checker->scratch, &skeleton) : NULL;
    const bool is_clip = checker->check.kind == MD5_DOC_ANIM;
    for (uint32_t i = 1; names && i < checker->check.num_joints; i++) {
        const md5_check_joint *const twin = &checker->check.joints[names[i].number];
        if (strcmp(names[i].name.bytes, names[i - 1].name.bytes) == 0)
            md5i_report_violation(checker, is_clip ? "same-name" : "same-name/mesh", md5_at_line(twin->line),
                       "duplicate joint name '%.100s'", twin->name);
    }
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
    MD5_ASSERT_ALIVE(mesh, MD5_TAG_CHECK);
    MD5_ASSERT_ALIVE(clip, MD5_TAG_CHECK);
    md5_checker *const checker = (md5_checker *)clip;
    md5_arena *const scratch = &checker->scratch;
    const uint32_t num_before = clip->num_diagnostics;
    if (mesh->num_joints == 0 || clip->num_joints == 0 || checker->pair == mesh)
        return 0;
    checker->pair = mesh;
    const md5_skeleton of_mesh = skeleton_of(scratch, mesh);
    const md5_skeleton of_clip = skeleton_of(scratch, clip);
    uint32_t *const in_clip = MD5_ROOM(scratch, uint32_t, mesh->num_joints);
    uint32_t *const in_mesh = MD5_ROOM(scratch, uint32_t, clip->num_joints);
    if (of_mesh.joints && of_clip.joints && in_clip && in_mesh
        && md5i_match_joints(scratch, &of_mesh, &of_clip, in_clip, in_mesh)) {
        const md5_check_joint *const extra = find_single(clip, in_mesh);
        const md5_check_joint *const missing = find_single(mesh, in_clip);
        const char *file = mesh->file;
        for (const char *c = file; *c; c++)
            file = *c == '/' || *c == '\\' ? c + 1 : file;
        const bool is_more = clip->num_joints > mesh->num_joints;
        if (mesh->num_joints != clip->num_joints)
            md5i_add_diagnostic(
                checker, "clip-joint-count", md5_at_line(checker->joints_line),
                "number of joints differs: found %u, but %s has %u; '%.60s' is missing in the %s",
                clip->num_joints, file, mesh->num_joints, (is_more ? extra : missing)->name,
                is_more ? "mesh" : "clip");
        if (extra && missing) {
            const char *const nearest = nearest_name(mesh, extra->name);
            md5i_add_diagnostic(checker, "clip-joint-name", md5_at_line(extra->line),
                                nearest ? "%s has no joint '%.60s': did you mean '%.60s'?"
                                        : "%s has no joint '%.60s'",
                                file, extra->name, nearest);
        } else if (mesh->num_joints == clip->num_joints) {
            check_order(checker, mesh, file);
        }
    }
    md5i_arena_free(scratch);
    return checker->context.error.status == MD5_OK ? clip->num_diagnostics - num_before : MD5_NONE;
}

// == Scale and turn ===============================================================================

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a;
    const float y = *(const float *)b;
    return (x > y) - (x < y);
}

enum { MIN_BONES = 5 }; // fewer say nothing

// How many times as long the bones of a clip are in a pose as its model's: the median. Whether that
// is another unit: it is that of nearly all of them, or far off, and not of joints that hang on the
// root and may fly.
static float find_scale(const md5_binding *clip, const md5_xform *pose, float *ratios,
                        bool *is_other)
{
    const md5_joint *const joints = clip->skeleton->joints;
    const md5_anim *const anim = clip->anim;
    uint32_t count = 0;
    uint32_t num_deep = 0;
    uint32_t num_alike = 0;
    for (uint32_t i = 0; i < clip->skeleton->num_joints; i++) {
        const uint32_t track = clip->tracks[i];
        const uint32_t parent = joints[i].parent;
        const float length = md5_vec3_length(clip->bind_local[i].translation);
        if (track == MD5_NONE || parent == MD5_NONE || !(length > 1e-5f)
            || (!anim->parents_unknown
                && anim->skeleton.joints[track].parent != clip->tracks[parent]))
            continue;
        ratios[count++] = md5_vec3_length(pose[i].translation) / length;
        num_deep += joints[parent].parent != MD5_NONE;
    }
    qsort(ratios, count, sizeof *ratios, compare_floats);
    const float median = count >= MIN_BONES ? ratios[count / 2] : 1;
    const float off = fabsf(median - 1);
    for (uint32_t i = 0; i < count; i++)
        num_alike += fabsf(ratios[i] - median) <= 0.02f * median;
    *is_other = median >= 1e-6f && median <= 1e6f
                && ((off > 0.2f && num_deep >= MIN_BONES)
                    || (off > 0.05f && num_alike >= count - count / 5));
    return median;
}

// Rounds a rotation to quarter turns. Returns false if it is further than 1 degree from these, or
// none.
static bool round_turn(md5_quat q, md5_mat34 *turn)
{
    float sum = 0; // 1 + 2 cos of the angle between both
    *turn = md5_mat34_from_xform((md5_xform){.rotation = q});
    for (uint32_t i = 0; i < 12; i++) {
        const float whole = rintf(turn->m[i]);
        sum += whole * turn->m[i];
        turn->m[i] = whole;
    }
    return sum >= 2.9997f && turn->m[0] + turn->m[5] + turn->m[10] < 3;
}

// The direction from a joint's parent to the joint.
static md5_vec3 bone_of(const md5_mat34 *placed, uint32_t joint, uint32_t parent)
{
    const md5_vec3 way =
        md5_vec3_sub(md5_mat34_translation(placed[joint]), md5_mat34_translation(placed[parent]));
    return md5_vec3_normalize(way, (md5_vec3){0});
}

bool md5_check_binding(md5_check *check, const md5_binding *clip)
{
    MD5_ASSERT_ALIVE(check, MD5_TAG_CHECK);
    MD5_ASSERT_BINDING(clip);
    static const struct {
        float scale;
        const char *text;
    } units[] = {
        {0.0254f, " (meters instead of inches)"},      {39.37f, " (inches instead of meters)"},
        {0.01f, " (meters instead of centimeters)"},   {100, " (centimeters instead of meters)"},
        {0.3937f, " (inches instead of centimeters)"}, {2.54f, " (centimeters instead of inches)"}};
    md5_checker *const checker = (md5_checker *)check;
    const md5_skeleton *const skeleton = clip->skeleton;
    const uint32_t num_joints = skeleton->num_joints;
    const uint32_t root = skeleton->order[0];
    const uint32_t last = clip->anim->num_frames - 1;
    const uint32_t num_steps = last < 15 ? last : 15;
    const md5_quat back = md5_quat_conjugate(clip->bind_local[root].rotation);
    md5_xform *const pose = MD5_ROOM(&checker->scratch, md5_xform, num_joints);
    md5_mat34 *const placed = MD5_ROOM(&checker->scratch, md5_mat34, num_joints);
    md5_mat34 *const bind = MD5_ROOM(&checker->scratch, md5_mat34, num_joints);
    float *const ratios = MD5_ROOM(&checker->scratch, float, num_joints);
    float scale = 1;
    md5_mat34 turn = {{0}};
    double nearer = 0; // bones to the turned bind pose than to that itself
    bool has_scale = true;
    bool has_turn = num_joints > MIN_BONES;
    if (bind)
        md5_local_to_model(skeleton, clip->bind_local, bind);
    for (uint32_t i = 0; i <= num_steps && pose && placed && bind && ratios; i++) {
        const uint32_t frame = i > 0 ? (uint32_t)((uint64_t)i * last / num_steps) : 0;
        const md5_mat34 before = turn;
        bool is_other;
        md5_sample(clip, (md5_sample_position){.frame0 = frame, .frame1 = frame}, MD5_ROOT_FILE,
                   pose);
        md5_local_to_model(skeleton, pose, placed);
        const float now = find_scale(clip, pose, ratios, &is_other);
        scale = i == 0 ? now : scale;
        has_scale = i == 0 ? is_other : has_scale && fabsf(now - scale) < 0.05f * scale;
        has_turn = has_turn && round_turn(md5_quat_mul(pose[root].rotation, back), &turn)
                   && (i == 0 || memcmp(&turn, &before, sizeof turn) == 0);
        for (uint32_t k = 0; k < num_joints; k++) {
            const uint32_t parent = skeleton->joints[k].parent;
            const md5_vec3 own = bone_of(bind, k, parent != MD5_NONE ? parent : k);
            const md5_vec3 away = md5_vec3_sub(md5_mat34_point(turn, own), own);
            if (parent != MD5_NONE)
                nearer += (double)md5_vec3_dot(bone_of(placed, k, parent), away);
        }
    }
    md5i_arena_free(&checker->scratch);
    if (checker->context.error.status != MD5_OK)
        return false;
    if (has_turn && nearer > 0)
        check->space.rotation = md5_quat_to_euler(md5_quat_conjugate(md5_quat_from_mat34(turn)));
    check->space.scale = has_scale ? 1.0f / scale : 1;
    const char *text = "";
    for (uint32_t i = 0; i < MD5_COUNT(units); i++)
        text = fabsf(scale / units[i].scale - 1) < 0.01f ? units[i].text : text;
    if (has_scale)
        md5i_add_diagnostic(
            checker, "clip-scale", md5_at_line(checker->joints_line),
            "bones are %.4g times as long as in the mesh%s; use 'md5tool fix --mesh'", scale, text);
    return checker->context.error.status == MD5_OK;
}

static bool is_turned(const md5_check *clip)
{
    const md5_euler turn = clip->space.rotation;
    return turn.pitch != 0 || turn.yaw != 0 || turn.roll != 0;
}

bool md5_check_turns(md5_check *const *clips, size_t num_clips)
{
    size_t num_turned = 0;
    size_t first = 0;
    bool is_alike = true;
    for (size_t i = 0; i < num_clips; i++) {
        MD5_ASSERT_ALIVE(clips[i], MD5_TAG_CHECK);
        if (!is_turned(clips[i]))
            continue;
        first = num_turned++ == 0 ? i : first;
        is_alike &=
            memcmp(&clips[i]->space.rotation, &clips[first]->space.rotation, sizeof(md5_euler))
            == 0;
    }
    if (num_turned == 0 || (num_turned > 1 && !(is_alike && num_turned == num_clips)))
        return true;
    md5_checker *const checker = (md5_checker *)clips[first];
    const md5_euler turn = clips[first]->space.rotation;
    const float angles[] = {turn.roll, turn.pitch, turn.yaw};
    char what[64] = "rotated by multiples of 90 degrees about several axes";
    for (uint32_t i = 0; i < 3; i++)
        if (angles[(i + 1) % 3] == 0 && angles[(i + 2) % 3] == 0)
            snprintf(what, sizeof what, "rotated by %.0f degrees about %c",
                     angles[i] > 90 ? 180 : (double)-angles[i], "xyz"[i]);
    md5i_add_diagnostic(checker, "clip-turn", md5_at_line(checker->joints_line),
                        num_clips == 1 ? "clip is %s relative to the mesh; use 'md5tool fix --mesh'"
                        : num_turned == 1 ? "clip is %s relative to the mesh, but the other %zu "
                                            "clips are not; use 'md5tool fix --mesh'"
                                          : "clip is %s relative to the mesh, as are the other %zu "
                                            "clips; use 'md5tool fix --mesh'",
                        what, num_clips - 1);
    return checker->context.error.status == MD5_OK;
}
