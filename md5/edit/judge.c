// Rules for loaded files. They concern the shape of a mesh, and a clip together with its mesh:
// joints, scale and rotation.
//
// The functions add diagnostics to a check of the text (scan.c). A clip is compared with its mesh
// in two ways. md5_check_pair() compares the joints of the two texts. md5_check_binding() compares
// the bones of the clip's poses with the bones of the bind pose.
#include "md5/core/names.h"
#include "md5/edit/axes.h"
#include "md5/edit/check.h"

#include <stdlib.h>

// == Shapes =======================================================================================

// Vertices that are nearer to each other than this, in units, probably belong to one seam and
// should have the same position.
#define SEAM_WIDTH 1e-3f

// Returns an integer key that sorts like the number. The bits of positive numbers ascend with the
// number. Setting the sign bit puts them above all negative numbers. The bits of negative numbers
// descend, so they are inverted.
static uint32_t sort_key(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t sign_bit = 1u << 31;
    return bits & sign_bit ? ~bits : bits | sign_bit;
}

// Sorts points by x with a radix sort, which is several times as fast as qsort(). Each pass sorts
// by 11 bits of the key, beginning with the lowest, and keeps the order of points with equal bits.
// Overwrites points[count] and buffer[count]. Returns the one that contains the result.
static md5_vec3 *sort_by_x(md5_vec3 *points, md5_vec3 *buffer, uint32_t count)
{
    enum { BITS = 11, NUM_DIGITS = 1 << BITS };
    md5_vec3 *from = points;
    md5_vec3 *to = buffer;
    for (int shift = 0; shift < 32; shift += BITS) {
        uint32_t starts[NUM_DIGITS] = {0};
        for (uint32_t i = 0; i < count; i++)
            starts[sort_key(from[i].x) >> shift & (NUM_DIGITS - 1)]++;

        // Replace the number of points with each digit by the index of the first of them.
        uint32_t sum = 0;
        for (uint32_t i = 0; i < NUM_DIGITS; i++) {
            const uint32_t size = starts[i];
            starts[i] = sum;
            sum += size;
        }

        // Move the points to their positions, and exchange the arrays for the next pass.
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t digit = sort_key(from[i].x) >> shift & (NUM_DIGITS - 1);
            to[starts[digit]] = from[i];
            starts[digit]++;
        }
        md5_vec3 *const sorted = to;
        to = from;
        from = sorted;
    }
    return from;
}

// Returns true if a point after points[index] is within SEAM_WIDTH of it, but not at the same
// position. The points are sorted by x, so only the next points can be near. At most MAX_NEIGHBORS
// points are compared, because many points could have the same x.
static bool has_near_point(const md5_vec3 *points, uint32_t count, uint32_t index)
{
    enum { MAX_NEIGHBORS = 64 };
    for (uint32_t k = index + 1; k < count && k - index <= MAX_NEIGHBORS; k++) {
        const md5_vec3 offset = md5_vec3_sub(points[k], points[index]);
        if (offset.x > SEAM_WIDTH)
            return false;
        const float square = md5_vec3_dot(offset, offset);
        if (square > 0 && square <= SEAM_WIDTH * SEAM_WIDTH)
            return true;
    }
    return false;
}

// Counts the vertices that are within SEAM_WIDTH of another vertex, but not at the same position.
// Returns 0 if memory runs out, which the arena reports.
static uint32_t count_seam_vertices(md5_arena *scratch, const md5_mesh *mesh)
{
    const uint32_t num_points = mesh->num_vertices;
    if (num_points == 0)
        return 0;

    md5_vec3 *const points = MD5_ALLOC_ARRAY(scratch, md5_vec3, 2 * (size_t)num_points);
    uint32_t count = 0;
    if (!points)
        return 0;

    memcpy(points, mesh->positions, num_points * sizeof *points);
    const md5_vec3 *const sorted = sort_by_x(points, points + num_points, num_points);
    for (uint32_t i = 0; i < num_points; i++) {
        if (has_near_point(sorted, num_points, i))
            count++;
    }
    return count;
}

// Counts the vertices whose weights disagree about the position in the bind pose. An influence
// stores its point times its bias. Therefore the distance between this point and the position is
// also multiplied by the bias.
static uint32_t count_scattered_vertices(const md5_mesh *mesh)
{
    static const float tolerance = 0.02f; // units, more than the rounding of numbers in files
    uint32_t count = 0;
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        float max_distance = 0;
        for (uint32_t k = mesh->first_influence[i]; k < mesh->first_influence[i + 1]; k++) {
            const md5_vec4 weighted = mesh->influences[k];
            const md5_vec3 offset = {weighted.x - weighted.w * mesh->positions[i].x,
                                     weighted.y - weighted.w * mesh->positions[i].y,
                                     weighted.z - weighted.w * mesh->positions[i].z};
            max_distance = fmaxf(max_distance, md5_vec3_length(offset));
        }
        if (max_distance > tolerance)
            count++;
    }
    return count;
}

// Counts the triangles whose area is zero within the precision of floats.
static uint32_t count_flat_triangles(const md5_mesh *mesh)
{
    // Ratio of twice the area to the square of the longer edge.
    static const float max_ratio = 1e-6f;
    const md5_vec3 *const positions = mesh->positions;
    uint32_t count = 0;
    for (uint32_t i = 0; i < mesh->num_triangles; i++) {
        const uint32_t *const indices = mesh->indices + 3 * (size_t)i;
        const md5_vec3 edge1 = md5_vec3_sub(positions[indices[1]], positions[indices[0]]);
        const md5_vec3 edge2 = md5_vec3_sub(positions[indices[2]], positions[indices[0]]);
        const float max_square = fmaxf(md5_vec3_dot(edge1, edge1), md5_vec3_dot(edge2, edge2));
        const float double_area = md5_vec3_length(md5_vec3_cross(edge1, edge2));
        if (double_area <= max_ratio * max_square)
            count++;
    }
    return count;
}

// Returns a hash of a directed edge. In a closed surface, each edge occurs equally often in both
// directions. Then the hashes of all edges minus the hashes of the reversed edges sum to 0.
// Vertices are identified by the bits of their positions, and 0 and -0 are equal.
static uint64_t hash_edge(md5_vec3 a, md5_vec3 b)
{
    const float numbers[6] = {a.x + 0, a.y + 0, a.z + 0, b.x + 0, b.y + 0, b.z + 0};
    uint64_t hash = 0;
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 29;
    }
    return hash * UINT64_C(0xBF58476D1CE4E5B9);
}

// Returns the hashes of a triangle's edges minus the hashes of the reversed edges.
static uint64_t edge_balance(const md5_vec3 vertices[3])
{
    uint64_t balance = 0;
    for (uint32_t k = 0; k < 3; k++) {
        const md5_vec3 from = vertices[k];
        const md5_vec3 to = vertices[(k + 1) % 3];
        balance += hash_edge(from, to) - hash_edge(to, from);
    }
    return balance;
}

// Returns six times the signed volume of the tetrahedron between a triangle and a point. It is
// positive if the point is behind the triangle. The front of a triangle in MD5 files is the side
// from which its vertices are clockwise.
static double signed_volume(const md5_vec3 vertices[3], md5_vec3 point)
{
    const md5_vec3 a = md5_vec3_sub(vertices[0], point);
    const md5_vec3 b = md5_vec3_sub(vertices[1], point);
    const md5_vec3 c = md5_vec3_sub(vertices[2], point);
    return (double)md5_vec3_dot(a, md5_vec3_cross(c, b));
}

// Returns true if a mesh is a closed surface whose triangles face inwards. The signed volumes
// between its triangles and its center then have a negative sum. An open surface, such as an eye or
// a sheet, has no outer side, so the result is false. Connected pieces of a mesh are not checked
// separately: a closed piece that faces inwards may be the inner wall of the piece around it.
bool md5_is_inside_out(const md5_mesh *mesh)
{
    // A sum below this fraction of the sum of the magnitudes is too small to have a reliable sign.
    static const double min_volume = 1e-4;
    MD5_ASSERT_PART(mesh, name);

    const md5_vec3 center = md5_vec3_scale(md5_vec3_add(mesh->bounds.min, mesh->bounds.max), 0.5f);
    double volume = 0;
    double sum_of_magnitudes = 0;
    uint64_t balance = 0; // 0 for a closed surface
    for (uint32_t i = 0; i < mesh->num_triangles; i++) {
        const uint32_t *const indices = mesh->indices + 3 * (size_t)i;
        md5_vec3 vertices[3];
        for (uint32_t k = 0; k < 3; k++)
            vertices[k] = mesh->positions[indices[k]];
        const double part = signed_volume(vertices, center);
        volume += part;
        sum_of_magnitudes += fabs(part);
        balance += edge_balance(vertices);
    }
    const bool is_closed = balance == 0;
    return is_closed && volume < -min_volume * sum_of_magnitudes;
}

// Adds diagnostics about the geometry of a loaded model. They report open seams, weights with
// different positions, flat triangles, and surfaces that face inwards.
bool md5_check_model(md5_check *check, const md5_model *model)
{
    MD5_ASSERT_ALIVE(check, MD5_TAG_CHECK);
    MD5_ASSERT_ALIVE(model, MD5_TAG_MODEL);
    md5_checker *const checker = (md5_checker *)check;
    const md5_text_location none = {0};

    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        const uint32_t num_seam = count_seam_vertices(&checker->scratch, mesh);
        const uint32_t num_scattered = count_scattered_vertices(mesh);
        const uint32_t num_flat = count_flat_triangles(mesh);
        md5i_arena_free(&checker->scratch);

        if (num_seam > 0)
            md5i_add_diagnostic(checker, "seam", none,
                                "mesh %u: %u vertices are less than 0.001 units from another "
                                "vertex: expected equal positions",
                                i, num_seam);
        if (num_scattered > 0)
            md5i_add_diagnostic(checker, "weights-apart", none,
                                "mesh %u: the weights of %u vertices have different positions: "
                                "expected one bind position per vertex",
                                i, num_scattered);
        if (num_flat > 0)
            md5i_add_diagnostic(checker, "no-area", none,
                                "mesh %u: %u of %u triangles have an area of 0", i, num_flat,
                                mesh->num_triangles);
        if (md5_is_inside_out(mesh))
            md5i_add_diagnostic(
                checker, "inside-out", none,
                "mesh %u is closed and faces inwards: expected triangles that face outwards", i);
    }
    return checker->context.error.status == MD5_OK;
}

// == Pairs ========================================================================================

enum { MAX_NAME_LENGTH = 255 };

// Returns the Levenshtein distance of two names, which is the number of bytes that must be changed,
// added or removed. b_length is at most MAX_NAME_LENGTH. The algorithm is the usual dynamic
// programming with one row of the table.
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    // In pass i of the outer loop, distances[k] becomes the distance between the first i bytes of a
    // and the first k bytes of b. Until then it contains the distance for i - 1 bytes of a.
    // `diagonal` is the distance for i - 1 and k - 1 bytes.
    size_t distances[MAX_NAME_LENGTH + 1];
    for (size_t k = 0; k <= b_length; k++)
        distances[k] = k;
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = distances[0];
        distances[0] = i;
        for (size_t k = 1; k <= b_length; k++) {
            const size_t shorter =
                distances[k] < distances[k - 1] ? distances[k] : distances[k - 1];
            const size_t add_or_remove = shorter + 1;
            const size_t change = a[i - 1] == b[k - 1] ? diagonal : diagonal + 1;
            diagonal = distances[k];
            distances[k] = change < add_or_remove ? change : add_or_remove;
        }
    }
    return distances[b_length];
}

// Returns the joint name of a mesh that is most similar to `name`, or NULL if none is similar. Two
// names are similar if their edit distance is below a third of the length, plus 2. Comparing two
// names takes time in proportion to the product of their lengths. The sum of these products is
// limited. Thus only some joints of a hostile file are compared.
static const char *nearest_name(const md5_check *mesh, const char *name)
{
    const size_t length = strlen(name);
    size_t remaining_cost = 20000000;
    size_t min_distance = length / 3 + 2;
    const char *nearest = NULL;
    for (uint32_t i = 0; i < mesh->num_joints; i++) {
        const char *const candidate = mesh->joints[i].name;
        const size_t candidate_length = strlen(candidate);
        const size_t cost = length * candidate_length + 1;
        // The edit distance is at least the difference of the lengths, so this test can skip the
        // comparison.
        const size_t difference =
            candidate_length > length ? candidate_length - length : length - candidate_length;
        if (remaining_cost < cost || difference >= min_distance)
            continue;
        remaining_cost -= cost;
        if (candidate_length > MAX_NAME_LENGTH)
            continue;
        const size_t distance = edit_distance(name, length, candidate, candidate_length);
        if (distance < min_distance) {
            nearest = candidate;
            min_distance = distance;
        }
    }
    return nearest;
}

// Returns the name of a joint's parent for messages.
static const char *parent_name(const md5_check *check, uint32_t joint)
{
    const int32_t parent = check->joints[joint].parent;
    if (parent < 0 || parent >= (int32_t)check->num_joints)
        return "none";
    return check->joints[parent].name;
}

// Returns true if two parent indices, which are negative for roots, are the same parent.
static bool is_same_parent(int32_t a, int32_t b)
{
    return a == b || (a < 0 && b < 0);
}

// Compares the order and the parents of joints in two files with the same joint names. Reports only
// the first difference.
static void check_order(md5_checker *checker, const md5_check *mesh, const char *file)
{
    const md5_check *const clip = &checker->check;
    const uint32_t num_joints = mesh->joints && clip->joints ? clip->num_joints : 0;
    for (uint32_t i = 0; i < num_joints; i++) {
        const md5_check_joint *const joint = &clip->joints[i];
        const md5_check_joint *const mesh_joint = &mesh->joints[i];
        const md5_text_location location = md5_at_line(joint->line);
        if (strcmp(joint->name, mesh_joint->name) != 0) {
            md5i_add_diagnostic(
                checker, "clip-joint-order", location,
                "joint %u is out of order: found '%.60s', expected '%.60s' as in %s", i,
                joint->name, mesh_joint->name, file);
            return;
        }
        if (!is_same_parent(joint->parent, mesh_joint->parent)) {
            md5i_add_diagnostic(
                checker, "clip-joint-parent", location,
                "joint '%.60s' has a wrong parent: found %.60s, expected %.60s as in %s",
                joint->name, parent_name(clip, i), parent_name(mesh, i), file);
            return;
        }
    }
}

// Returns a skeleton with only the names of a file's joints, which is sufficient for matching
// joints.
static md5_skeleton name_skeleton(md5_arena *scratch, const md5_check *check)
{
    md5_joint *const joints = MD5_ALLOC_ZEROED(scratch, md5_joint, check->num_joints);
    if (joints) {
        for (uint32_t i = 0; i < check->num_joints; i++)
            joints[i].name = check->joints[i].name;
    }
    return (md5_skeleton){.num_joints = check->num_joints, .joints = joints};
}

// Reports joints that have the name of an earlier joint. After sorting, equal names are adjacent.
void md5i_check_names(md5_checker *checker)
{
    const md5_skeleton skeleton = name_skeleton(&checker->scratch, &checker->check);
    const md5_sorted_name *const names =
        skeleton.joints ? md5i_sort_joint_names(&checker->scratch, &skeleton) : NULL;
    const bool is_clip = checker->check.kind == MD5_DOC_ANIM;
    if (!names)
        return;
    for (uint32_t i = 1; i < checker->check.num_joints; i++) {
        const md5_check_joint *const joint = &checker->check.joints[names[i].number];
        if (strcmp(names[i].name.bytes, names[i - 1].name.bytes) == 0)
            md5i_report_violation(
                checker, is_clip ? "same-name" : "same-name/mesh", md5_at_line(joint->line),
                "duplicate joint name '%.100s': expected unique names", joint->name);
    }
}

// Returns the first joint without a match in the other file, or NULL. matches[joint] is MD5_NONE
// for a joint without a match.
static const md5_check_joint *find_unmatched(const md5_check *check, const uint32_t *matches)
{
    for (uint32_t i = 0; i < check->num_joints; i++) {
        if (matches[i] == MD5_NONE)
            return &check->joints[i];
    }
    return NULL;
}

// Returns the part of a path after the last slash.
static const char *file_name(const char *path)
{
    const char *name = path;
    for (const char *byte = path; *byte; byte++) {
        if (*byte == '/' || *byte == '\\')
            name = byte + 1;
    }
    return name;
}

// Reports that a clip and its mesh have different numbers of joints. `extra` is a joint of the clip
// that the mesh lacks. `missing` is a joint of the mesh that the clip lacks. The one that the
// message needs must not be NULL.
static void report_joint_count(md5_checker *checker, const md5_check *mesh,
                               const md5_check_joint *extra, const md5_check_joint *missing)
{
    const md5_check *const clip = &checker->check;
    const bool is_missing_in_mesh = clip->num_joints > mesh->num_joints;
    const md5_check_joint *const example = is_missing_in_mesh ? extra : missing;
    md5i_add_diagnostic(checker, "clip-joint-count", md5_at_line(checker->joints_line),
                        "number of joints differs: found %u joints, but %s has %u; joint "
                        "'%.60s' is missing in the %s",
                        clip->num_joints, file_name(mesh->file), mesh->num_joints, example->name,
                        is_missing_in_mesh ? "mesh" : "clip");
}

// Reports differences between the joints of a clip and the joints of its mesh. in_mesh[] contains
// the matching joint of the mesh for each joint of the clip, or MD5_NONE. in_clip[] contains the
// reverse.
static void check_joints(md5_checker *checker, const md5_check *mesh, const uint32_t *in_mesh,
                         const uint32_t *in_clip)
{
    const md5_check *const clip = &checker->check;
    const md5_check_joint *const extra = find_unmatched(clip, in_mesh);
    const md5_check_joint *const missing = find_unmatched(mesh, in_clip);
    const char *const file = file_name(mesh->file);

    if (mesh->num_joints != clip->num_joints)
        report_joint_count(checker, mesh, extra, missing);

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

// Compares the joints of an animation with the joints of a model and adds diagnostics to `clip`.
// Returns the number of added diagnostics, or MD5_NONE if memory runs out.
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
    const md5_skeleton mesh_names = name_skeleton(scratch, mesh);
    const md5_skeleton clip_names = name_skeleton(scratch, clip);
    uint32_t *const in_clip = MD5_ALLOC_ARRAY(scratch, uint32_t, mesh->num_joints);
    uint32_t *const in_mesh = MD5_ALLOC_ARRAY(scratch, uint32_t, clip->num_joints);
    const bool has_memory = checker->context.error.status == MD5_OK;
    if (has_memory && md5i_match_joints(scratch, &mesh_names, &clip_names, in_clip, in_mesh))
        check_joints(checker, mesh, in_mesh, in_clip);
    md5i_arena_free(scratch);
    return checker->context.error.status == MD5_OK ? clip->num_diagnostics - num_before : MD5_NONE;
}

// == Scale and rotation ===========================================================================

// Compares two floats for qsort().
static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a;
    const float y = *(const float *)b;
    return (x > y) - (x < y);
}

// Minimum number of bones from which the scale or the rotation can be judged.
enum { MIN_BONES = 5 };

// The bone lengths of a clip's pose, relative to the bone lengths of the bind pose.
typedef struct bone_scale {
    float median;            // 1 if the pose has fewer than MIN_BONES bones
    bool has_different_unit; // the clip was written in another unit of length
} bone_scale;

// Returns true if the clip contains the same bone as the model. A bone is the line from a joint's
// parent to the joint. `joint` is an index in the model. clip->tracks[] contains the index in the
// clip for each joint of the model. The joint's parent can differ between the two files. Its
// translation then has another meaning in each of them, so lengths cannot be compared.
static bool has_common_bone(const md5_binding *clip, uint32_t joint)
{
    const uint32_t parent = clip->skeleton->joints[joint].parent;
    const uint32_t joint_in_clip = clip->tracks[joint];
    if (parent == MD5_NONE || joint_in_clip == MD5_NONE)
        return false;

    // A clip of version 6 contains no parents. Its translations are relative to the parents in the
    // model, so the parents are equal.
    if (clip->anim->parents_unknown)
        return true;
    const uint32_t parent_in_clip = clip->anim->skeleton.joints[joint_in_clip].parent;
    return parent_in_clip == clip->tracks[parent];
}

// The median ratio counts as a scale if it differs from 1 by more than LARGE_DEVIATION. A
// difference above SMALL_DEVIATION is sufficient if at least four fifths of the bones have this
// ratio, within SIMILAR_RATIO of the median.
#define LARGE_DEVIATION 0.2f
#define SMALL_DEVIATION 0.05f
#define SIMILAR_RATIO 0.02f

// Bones shorter than MIN_BONE_LENGTH, in units, are not measured. A ratio outside of MIN_SCALE to
// MAX_SCALE is not a change of units, but has another cause, such as a damaged file.
#define MIN_BONE_LENGTH 1e-5f
#define MIN_SCALE 1e-6f
#define MAX_SCALE 1e6f

// Measures by which factor the bones of a pose are longer than in the model. The factor is the
// median over all bones. has_different_unit is true if the factor is clear enough to be reported.
// ratios[num_joints] is a buffer.
static bone_scale measure_scale(const md5_binding *clip, const md5_xform *pose, float *ratios)
{
    const md5_joint *const joints = clip->skeleton->joints;
    uint32_t count = 0;
    uint32_t num_deep = 0; // bones that do not begin at a root
    for (uint32_t i = 0; i < clip->skeleton->num_joints; i++) {
        const float length = md5_vec3_length(clip->bind_local[i].translation);
        if (!(length > MIN_BONE_LENGTH) || !has_common_bone(clip, i))
            continue;
        ratios[count++] = md5_vec3_length(pose[i].translation) / length;
        if (joints[joints[i].parent].parent != MD5_NONE)
            num_deep++;
    }

    qsort(ratios, count, sizeof *ratios, compare_floats);
    const float median = count >= MIN_BONES ? ratios[count / 2] : 1;
    uint32_t num_similar = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (fabsf(ratios[i] - median) <= SIMILAR_RATIO * median)
            num_similar++;
    }

    // A clip may move the children of a root freely. Their bones alone are therefore not sufficient
    // evidence of a scale.
    const float deviation = fabsf(median - 1);
    const bool has_enough_deep_bones = num_deep >= MIN_BONES;
    const bool are_most_similar = num_similar >= count - count / 5;
    const bool is_large_deviation = deviation > LARGE_DEVIATION && has_enough_deep_bones;
    const bool is_common_deviation = deviation > SMALL_DEVIATION && are_most_similar;
    const bool is_in_range = median >= MIN_SCALE && median <= MAX_SCALE;
    return (bone_scale){median, is_in_range && (is_large_deviation || is_common_deviation)};
}

// Rounds a rotation to multiples of 90 degrees. Returns false if the rounded rotation is the
// identity, or differs from the rotation by more than 1 degree.
static bool round_to_right_angles(md5_quat q, md5_mat34 *rounded)
{
    static const float min_sum = 2.9997f; // for 1 degree
    static const float identity_trace = 3;
    // Let A be the angle between two rotations. The sum of the products of equal entries of their
    // matrices is
    //
    //   1 + 2 cos(A).
    //
    // The translation is 0 and adds nothing to the sum.
    float sum = 0;
    *rounded = md5_mat34_from_xform((md5_xform){.rotation = q});
    for (uint32_t i = 0; i < 12; i++) {
        const float nearest = rintf(rounded->m[i]);
        sum += nearest * rounded->m[i];
        rounded->m[i] = nearest;
    }
    const float trace = rounded->m[0] + rounded->m[5] + rounded->m[10];
    return sum >= min_sum && trace < identity_trace;
}

// Returns the direction from a joint's parent to the joint.
static md5_vec3 bone_direction(const md5_mat34 *joints, uint32_t joint, uint32_t parent)
{
    const md5_vec3 offset =
        md5_vec3_sub(md5_mat34_translation(joints[joint]), md5_mat34_translation(joints[parent]));
    return md5_vec3_normalize(offset, (md5_vec3){0});
}

// Compares the bones of a pose with the bind pose and with the rotated bind pose. For each bone,
// adds to `sum` the cosine of its angle to the rotated bone, minus the cosine of its angle to the
// original bone. Returns the sum, which is positive if the pose is nearer to the rotated bind pose.
static double compare_with_rotated_bind(const md5_skeleton *skeleton, const md5_mat34 *bind,
                                        md5_mat34 rotation, const md5_mat34 *pose, double sum)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t parent = skeleton->joints[i].parent;
        if (parent == MD5_NONE)
            continue;
        const md5_vec3 bone = bone_direction(bind, i, parent);
        const md5_vec3 change = md5_vec3_sub(md5_mat34_point(rotation, bone), bone);
        sum += (double)md5_vec3_dot(bone_direction(pose, i, parent), change);
    }
    return sum;
}

// Returns a description of a scale that is the ratio of two usual units, or "" for any other scale.
static const char *unit_hint(float scale)
{
    static const struct {
        float scale;
        const char *text;
    } units[] = {
        {0.0254f, " (meters instead of inches)"},      {39.37f, " (inches instead of meters)"},
        {0.01f, " (meters instead of centimeters)"},   {100, " (centimeters instead of meters)"},
        {0.3937f, " (inches instead of centimeters)"}, {2.54f, " (centimeters instead of inches)"},
    };
    for (uint32_t i = 0; i < MD5_COUNT(units); i++) {
        if (fabsf(scale / units[i].scale - 1) < 0.01f)
            return units[i].text;
    }
    return "";
}

// Working memory of md5_check_binding(). Each array has num_joints elements.
typedef struct pose_buffers {
    md5_xform *pose;
    md5_mat34 *joints; // the pose in model space
    md5_mat34 *bind;   // the bind pose in model space
    float *ratios;
} pose_buffers;

// Scale and rotation of a clip relative to its model.
typedef struct clip_space {
    float scale;
    md5_mat34 rotation;
    bool has_scale;
    bool has_rotation;
} clip_space;

// Compares the lengths of bones in the sampled pose with the bind pose. The clip has another scale
// only if all sampled frames have the same scale, with a tolerance of 5 %.
static void measure_frame_scale(const md5_binding *clip, const pose_buffers *buffers, bool is_first,
                                clip_space *space)
{
    const bone_scale bones = measure_scale(clip, buffers->pose, buffers->ratios);
    if (is_first) {
        space->scale = bones.median;
        space->has_scale = bones.has_different_unit;
    } else if (!(fabsf(bones.median - space->scale) < 0.05f * space->scale)) {
        space->has_scale = false;
    }
}

// Compares the rotation of the root in the sampled pose with the bind pose. The clip is rotated
// only if all sampled frames have the same rotation by right angles.
static void measure_frame_rotation(const md5_binding *clip, const pose_buffers *buffers,
                                   bool is_first, clip_space *space)
{
    const uint32_t root = clip->skeleton->order[0];
    const md5_mat34 previous = space->rotation;
    if (!space->has_rotation)
        return;
    const md5_quat inverse_bind = md5_quat_conjugate(clip->bind_local[root].rotation);
    const md5_quat rotation = md5_quat_mul(buffers->pose[root].rotation, inverse_bind);
    space->has_rotation = round_to_right_angles(rotation, &space->rotation);
    if (!is_first && memcmp(&space->rotation, &previous, sizeof previous) != 0)
        space->has_rotation = false;
}

// Measures the scale and the rotation of a clip relative to its model. Samples up to MAX_STEPS + 1
// frames, evenly from the first to the last. The clip has another scale or rotation only if all of
// these frames have it.
static clip_space measure_space(const md5_binding *clip, const pose_buffers *buffers)
{
    enum { MAX_STEPS = 15 };
    const md5_skeleton *const skeleton = clip->skeleton;
    const uint32_t last = clip->anim->num_frames - 1;
    const uint32_t num_steps = last < MAX_STEPS ? last : MAX_STEPS;
    clip_space space = {.scale = 1};
    space.has_rotation = skeleton->num_joints > MIN_BONES;
    double similarity = 0; // to the rotated bind pose, minus that to the bind pose
    md5_local_to_model(skeleton, clip->bind_local, buffers->bind);

    for (uint32_t i = 0; i <= num_steps; i++) {
        const uint32_t frame = i > 0 ? (uint32_t)((uint64_t)i * last / num_steps) : 0;
        const md5_sample_position position = {.frame0 = frame, .frame1 = frame};
        md5_sample(clip, position, MD5_ROOT_FILE, buffers->pose);
        md5_local_to_model(skeleton, buffers->pose, buffers->joints);
        measure_frame_scale(clip, buffers, i == 0, &space);
        measure_frame_rotation(clip, buffers, i == 0, &space);
        similarity = compare_with_rotated_bind(skeleton, buffers->bind, space.rotation,
                                               buffers->joints, similarity);
    }
    space.has_rotation = space.has_rotation && similarity > 0;
    return space;
}

// Reports joints whose axes differ from the mesh.
static void check_clip_axes(md5_checker *checker, const md5_binding *clip)
{
    md5_clip_axes axes = {0};
    if (!md5i_find_axes(&checker->scratch, clip, &axes) || axes.num_rotated == 0)
        return;
    md5i_add_diagnostic(checker, "clip-axes", md5_at_line(checker->joints_line),
                        "axes of joints differ from the mesh: %u of %u bones point in another "
                        "direction, joint '%.60s' by %.3g degrees; use 'md5tool fix --mesh'",
                        axes.num_rotated, axes.num_bones, clip->skeleton->joints[axes.joint].name,
                        axes.max_angle);
}

// Measures the scale and the rotation of a clip, and reports joints with other axes. If memory runs
// out, the context of the checker contains the error.
static clip_space check_clip_space(md5_checker *checker, const md5_binding *clip)
{
    const uint32_t num_joints = clip->skeleton->num_joints;
    md5_arena *const scratch = &checker->scratch;
    const pose_buffers buffers = {
        .pose = MD5_ALLOC_ARRAY(scratch, md5_xform, num_joints),
        .joints = MD5_ALLOC_ARRAY(scratch, md5_mat34, num_joints),
        .bind = MD5_ALLOC_ARRAY(scratch, md5_mat34, num_joints),
        .ratios = MD5_ALLOC_ARRAY(scratch, float, num_joints),
    };

    clip_space space = {0};
    if (checker->context.error.status == MD5_OK) {
        space = measure_space(clip, &buffers);
        check_clip_axes(checker, clip);
    }
    md5i_arena_free(scratch);
    return space;
}

// Adds a diagnostic if an animation has another scale, another rotation, or other joint axes than
// its model. Stores the correction in check->space.
bool md5_check_binding(md5_check *check, const md5_binding *clip)
{
    MD5_ASSERT_ALIVE(check, MD5_TAG_CHECK);
    MD5_ASSERT_BINDING(clip);
    md5_checker *const checker = (md5_checker *)check;
    const clip_space space = check_clip_space(checker, clip);
    if (checker->context.error.status != MD5_OK)
        return false;

    // md5_check_turns() reports the rotation, because it needs the rotations of all clips.
    if (space.has_rotation) {
        const md5_quat rotation = md5_quat_from_mat34(space.rotation);
        check->space.rotation = md5_quat_to_euler(md5_quat_conjugate(rotation));
    }
    check->space.scale = space.has_scale ? 1.0f / space.scale : 1;
    if (space.has_scale)
        md5i_add_diagnostic(checker, "clip-scale", md5_at_line(checker->joints_line),
                            "bones are %.4g times as long as in the mesh%s; use 'md5tool fix "
                            "--mesh'",
                            space.scale, unit_hint(space.scale));
    return checker->context.error.status == MD5_OK;
}

static bool is_rotated(const md5_check *clip)
{
    const md5_euler rotation = clip->space.rotation;
    return rotation.pitch != 0 || rotation.yaw != 0 || rotation.roll != 0;
}

static bool has_same_rotation(const md5_check *a, const md5_check *b)
{
    return memcmp(&a->space.rotation, &b->space.rotation, sizeof(md5_euler)) == 0;
}

// Writes a description of a rotation: its angle and axis if it is about one axis.
static void describe_rotation(md5_euler rotation, char *text, size_t size)
{
    const float angles[] = {rotation.roll, rotation.pitch, rotation.yaw}; // about x, y, z
    snprintf(text, size, "rotated by multiples of 90 degrees about several axes");
    for (uint32_t i = 0; i < 3; i++) {
        const bool is_only_axis = angles[(i + 1) % 3] == 0 && angles[(i + 2) % 3] == 0;
        if (!is_only_axis)
            continue;
        // `rotation` undoes the rotation that is described, so its angle is negated. A rotation by
        // 180 degrees is the same in both directions.
        const double degrees = angles[i] > 90 ? 180 : (double)-angles[i];
        snprintf(text, size, "rotated by %.0f degrees about %c", degrees, "xyz"[i]);
    }
}

// Reports the rotation of a clip. Either it is the only rotated clip (`is_single`), or `num_clips`
// clips have the same rotation.
static void report_rotation(md5_check *clip, size_t num_clips, bool is_single)
{
    md5_checker *const checker = (md5_checker *)clip;
    const md5_text_location location = md5_at_line(checker->joints_line);
    char rotation[64];
    describe_rotation(clip->space.rotation, rotation, sizeof rotation);
    if (num_clips == 1)
        md5i_add_diagnostic(checker, "clip-turn", location,
                            "clip is %s relative to the mesh; use 'md5tool fix --mesh'", rotation);
    else if (is_single)
        md5i_add_diagnostic(checker, "clip-turn", location,
                            "clip is %s relative to the mesh, but the other %zu clips are not; "
                            "use 'md5tool fix --mesh'",
                            rotation, num_clips - 1);
    else
        md5i_add_diagnostic(checker, "clip-turn", location,
                            "clip is %s relative to the mesh, as are the other %zu clips; use "
                            "'md5tool fix --mesh'",
                            rotation, num_clips - 1);
}

// Reports clips that are rotated relative to their model, in two cases: exactly one clip is
// rotated, or all clips have the same rotation. Other combinations are probably intended by the
// author.
bool md5_check_turns(md5_check *const *clips, size_t num_clips)
{
    size_t num_rotated = 0;
    size_t first = 0;
    bool is_same = true;
    for (size_t i = 0; i < num_clips; i++) {
        MD5_ASSERT_ALIVE(clips[i], MD5_TAG_CHECK);
        if (!is_rotated(clips[i]))
            continue;
        if (num_rotated == 0)
            first = i;
        num_rotated++;
        is_same = is_same && has_same_rotation(clips[i], clips[first]);
    }

    // Report the rotation of a single clip, or a rotation that all clips have in common.
    const bool is_single = num_rotated == 1;
    const bool is_common = num_rotated == num_clips && is_same;
    if (num_rotated == 0 || (!is_single && !is_common))
        return true;
    report_rotation(clips[first], num_clips, is_single);
    const md5_checker *const checker = (const md5_checker *)clips[first];
    return checker->context.error.status == MD5_OK;
}
