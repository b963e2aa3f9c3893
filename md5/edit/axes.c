// Bone axes of a clip relative to its model.
//
// A bone is the offset of a joint from its parent, in the axes of the parent. The model and the
// clip contain the same bone as vectors m and k, because they give the parent different axes. The
// rotation C from the clip's axes to the model's axes satisfies C k = m. This equation does not
// determine C. A single bone permits any additional rotation about itself, and a joint without
// children has no bone.
//
// Therefore C of a joint is the first of these rotations that fits its bones:
// 1. the rotation that fits most bones of the skeleton: most programs orient all bones alike
// 2. the rotation that fits the bones of the joint best, if they have several directions
// 3. the rotation of its parent
// 4. the multiple of 90 degrees that is nearest to an estimate: programs exchange axes
// 5. the estimate, rotated by the shortest arc to the bone
// A joint without bones uses the rotation of its parent, unless the estimate is near a multiple of
// 90 degrees. The estimate assumes that the first frame has the rotation of the bind pose relative
// to the parent.
#include "md5/edit/axes.h"

#include <stdlib.h>

enum {
    NUM_QUARTERS = 24,  // rotations by multiples of 90 degrees
    MIN_AXES_BONES = 5, // minimum number of rotated bones for different axes
};

#define MIN_BONE_COSINE 0.9848f // cosine of 10 degrees: directions with a larger cosine are equal

// State of md5i_find_axes(). A quarter turn is a rotation by a multiple of 90 degrees about any
// coordinate axes.
typedef struct axes_search {
    const md5_binding *clip;
    const md5_xform *pose; // first frame, relative to the parents
    bool *is_bone;         // [num_joints] the joint has the same bone in model and clip
    md5_quat quarters[NUM_QUARTERS];
    md5_quat common;        // rotation that fits most bones
    uint32_t *first_child;  // [num_joints] the first child with a bone, or MD5_NONE
    uint32_t *next_sibling; // [num_joints]
    md5_quat *rotations;    // [num_joints] result
} axes_search;

// Writes the 24 rotations by multiples of 90 degrees. The x axis points in one of 6 directions. The
// y axis points in one of the 4 directions that are perpendicular to x.
static void list_quarter_turns(md5_quat *quarters)
{
    static const md5_vec3 directions[] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                          {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    uint32_t count = 0;
    for (uint32_t i = 0; i < MD5_COUNT(directions); i++) {
        for (uint32_t k = 0; k < MD5_COUNT(directions); k++) {
            const md5_vec3 x = directions[i];
            const md5_vec3 y = directions[k];
            const md5_vec3 z = md5_vec3_cross(x, y);
            if (md5_vec3_dot(x, y) != 0)
                continue;
            // The axes are the columns of the matrix.
            const md5_mat34 m = {{x.x, y.x, z.x, 0, x.y, y.y, z.y, 0, x.z, y.z, z.z, 0}};
            quarters[count++] = md5_quat_from_mat34(m);
        }
    }
}

// Returns the direction of a bone in the axes that the model gives its parent.
static md5_vec3 bone_of_model(const axes_search *search, uint32_t joint)
{
    return md5_vec3_normalize(search->clip->bind_local[joint].translation, (md5_vec3){0, 0, 0});
}

// Returns the direction of a bone in the axes that the clip gives its parent.
static md5_vec3 bone_of_clip(const axes_search *search, uint32_t joint)
{
    return md5_vec3_normalize(search->pose[joint].translation, (md5_vec3){0, 0, 0});
}

static float quat_dot(md5_quat a, md5_quat b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// Rotates a bone of the clip. Returns the cosine of the angle between the result and the bone of
// the model.
static float bone_cosine(const axes_search *search, md5_quat rotation, uint32_t joint)
{
    return md5_vec3_dot(md5_quat_rotate(rotation, bone_of_clip(search, joint)),
                        bone_of_model(search, joint));
}

// Compares two bone length ratios for qsort().
static int compare_lengths(const void *a, const void *b)
{
    const float x = *(const float *)a;
    const float y = *(const float *)b;
    return (x > y) - (x < y);
}

// Measures the bone from a joint's parent to the joint. Sets *ratio to its length in the clip,
// divided by its length in the model. Returns false if the clip or the model lacks this bone.
static bool measure_bone(const axes_search *search, uint32_t joint, float *ratio)
{
    static const float min_length = 1e-5f; // units
    const md5_binding *const clip = search->clip;
    const md5_anim *const anim = clip->anim;
    const uint32_t parent = clip->skeleton->joints[joint].parent;
    const uint32_t track = clip->tracks[joint];
    const float length = md5_vec3_length(clip->bind_local[joint].translation);
    if (parent == MD5_NONE || track == MD5_NONE || !(length > min_length))
        return false;
    if (!anim->parents_unknown && anim->skeleton.joints[track].parent != clip->tracks[parent])
        return false;
    *ratio = md5_vec3_length(search->pose[joint].translation) / length;
    return true;
}

// Returns the scale of the clip, which is the median of the ratios of measure_bone(). It is 1 if
// there are no bones. Sets *num_ratios to the number of bones. ratios[num_joints] is a buffer.
static float find_median_ratio(const axes_search *search, float *ratios, uint32_t *num_ratios)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < search->clip->skeleton->num_joints; j++) {
        if (measure_bone(search, j, &ratios[count]))
            count++;
    }
    qsort(ratios, count, sizeof *ratios, compare_lengths);
    *num_ratios = count;
    return count > 0 ? ratios[count / 2] : 1;
}

// Marks the bones that have the same length in clip and model, apart from the scale of the clip.
// Lists the marked bones of each joint, and returns their number. If more than half of the bones
// have other lengths, returns 0, because the clip belongs to another skeleton. ratios[num_joints]
// is a buffer.
static uint32_t find_bones(axes_search *search, float *ratios)
{
    // Deviation of a bone's ratio, as a fraction of the scale.
    static const float max_deviation = 0.05f;
    static const float min_scale = 1e-6f;
    const md5_skeleton *const skeleton = search->clip->skeleton;
    uint32_t num_ratios = 0;
    const float scale = find_median_ratio(search, ratios, &num_ratios);

    uint32_t num_bones = 0;
    for (uint32_t j = 0; j < skeleton->num_joints; j++) {
        float ratio = 0;
        if (!measure_bone(search, j, &ratio))
            continue;
        const bool is_same_length = fabsf(ratio - scale) <= max_deviation * scale;
        if (!is_same_length || !(scale > min_scale))
            continue;
        const uint32_t parent = skeleton->joints[j].parent;
        search->is_bone[j] = true;
        search->next_sibling[j] = search->first_child[parent];
        search->first_child[parent] = j;
        num_bones++;
    }
    const bool is_same_skeleton = 2 * num_bones >= num_ratios;
    return is_same_skeleton ? num_bones : 0;
}

// Adds the bone of a joint to a least-squares fit. The eigenvector of the largest eigenvalue of
// `fit` is the quaternion of the rotation that fits all added bones best (Davenport's q method,
// 1968). Rows and columns have the order x y z w.
static void add_to_fit(const axes_search *search, uint32_t joint, double fit[4][4])
{
    const md5_vec3 in_clip = bone_of_clip(search, joint);
    const md5_vec3 in_model = bone_of_model(search, joint);
    const double from[3] = {(double)in_clip.x, (double)in_clip.y, (double)in_clip.z};
    const double to[3] = {(double)in_model.x, (double)in_model.y, (double)in_model.z};
    const double trace = from[0] * to[0] + from[1] * to[1] + from[2] * to[2];

    for (uint32_t row = 0; row < 3; row++) {
        const uint32_t y = (row + 1) % 3;
        const uint32_t z = (row + 2) % 3;
        const double cross = from[y] * to[z] - from[z] * to[y];
        fit[row][3] += cross;
        fit[3][row] += cross;
        for (uint32_t column = 0; column < 3; column++)
            fit[row][column] += from[row] * to[column] + from[column] * to[row];
        fit[row][row] -= trace;
    }
    fit[3][3] += trace;
}

// Returns the rotation that fits all added bones best. It is the eigenvector of the largest
// eigenvalue, which power iteration finds. The iteration converges to the eigenvalue with the
// largest absolute value. No eigenvalue is below -count. Therefore `count` is added to the
// diagonal, which makes all eigenvalues 0 or positive.
static md5_quat solve_fit(double fit[4][4], uint32_t count)
{
    enum { NUM_ROUNDS = 200 };
    // Start with a vector in no special direction, which is unlikely to be perpendicular to the
    // result.
    double v[4] = {0.5, 0.41, 0.31, 0.7};
    for (int round = 0; round < NUM_ROUNDS; round++) {
        double next[4];
        double sum = 0;
        for (uint32_t r = 0; r < 4; r++) {
            next[r] = v[r] * count;
            for (uint32_t c = 0; c < 4; c++)
                next[r] += fit[r][c] * v[c];
            sum += next[r] * next[r];
        }
        for (uint32_t r = 0; r < 4; r++)
            v[r] = sum > 0 ? next[r] / sqrt(sum) : v[r];
    }
    return (md5_quat){(float)v[0], (float)v[1], (float)v[2], (float)v[3]};
}

// Returns the number of bones of the skeleton that a rotation fits.
static uint32_t count_fitting_bones(const axes_search *search, md5_quat rotation)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < search->clip->skeleton->num_joints; j++) {
        if (search->is_bone[j] && bone_cosine(search, rotation, j) > MIN_BONE_COSINE)
            count++;
    }
    return count;
}

// Returns the quarter turn that fits most bones of the skeleton. Several quarter turns fit the same
// number if all bones are parallel. Then the one nearest to `estimate` is selected.
static md5_quat find_common_quarter_turn(const axes_search *search, md5_quat estimate)
{
    md5_quat best = {.w = 1};
    uint32_t best_count = 0;
    float best_cosine = 0;
    for (uint32_t q = 0; q < NUM_QUARTERS; q++) {
        const uint32_t count = count_fitting_bones(search, search->quarters[q]);
        const float cosine = fabsf(quat_dot(search->quarters[q], estimate));
        if (count > best_count || (count == best_count && cosine > best_cosine)) {
            best = search->quarters[q];
            best_count = count;
            best_cosine = cosine;
        }
    }
    return best;
}

// Returns the rotation that fits all bones of the skeleton best, by least squares. The first round
// uses all bones. The clip may animate some of them, so they do not fit. Each later round has a
// stricter limit, and excludes the bones that the previous result does not fit.
static md5_quat fit_all_bones(const axes_search *search, uint32_t num_bones)
{
    static const float min_cosines[] = {-2, MIN_BONE_COSINE, 0.9999f};
    md5_quat fitted = {.w = 1};
    for (uint32_t round = 0; round < MD5_COUNT(min_cosines); round++) {
        double fit[4][4] = {{0}};
        for (uint32_t j = 0; j < search->clip->skeleton->num_joints; j++) {
            if (search->is_bone[j] && bone_cosine(search, fitted, j) > min_cosines[round])
                add_to_fit(search, j, fit);
        }
        // The last rounds may have too few bones to determine a rotation. Such a rotation fits
        // fewer bones, and is not used.
        const md5_quat refined = solve_fit(fit, num_bones);
        if (round == 0
            || count_fitting_bones(search, refined) >= count_fitting_bones(search, fitted))
            fitted = refined;
    }
    return fitted;
}

// Returns the rotation that fits most bones of the skeleton. This is either a quarter turn or the
// rotation that fits all bones best. If several quarter turns fit, the selected one brings the root
// in the first frame nearest to its bind pose.
static md5_quat find_common_rotation(const axes_search *search, uint32_t num_bones)
{
    const uint32_t root = search->clip->skeleton->order[0];
    const md5_quat bind = search->clip->bind_local[root].rotation;
    const md5_quat estimate = md5_quat_mul(md5_quat_conjugate(bind), search->pose[root].rotation);

    const md5_quat quarter = find_common_quarter_turn(search, estimate);
    const md5_quat fitted = fit_all_bones(search, num_bones);
    const bool fits_more =
        count_fitting_bones(search, fitted) > count_fitting_bones(search, quarter);
    return fits_more ? fitted : quarter;
}

// Returns true if a rotation maps all bones of a joint from the clip to the model, within
// MIN_BONE_COSINE.
static bool fits_bones(const axes_search *search, md5_quat rotation, uint32_t joint)
{
    for (uint32_t j = search->first_child[joint]; j != MD5_NONE; j = search->next_sibling[j]) {
        if (bone_cosine(search, rotation, j) <= MIN_BONE_COSINE)
            return false;
    }
    return true;
}

// Finds the rotation that fits the bones of a joint best. Returns false, and leaves *rotation
// unchanged, if all bones are nearly parallel. Parallel bones do not determine a rotation.
static bool fit_children(const axes_search *search, uint32_t joint, md5_quat *rotation)
{
    const float min_sine = 0.2f; // sine of the angle between two directions that count as different
    const uint32_t first = search->first_child[joint];
    double fit[4][4] = {{0}};
    uint32_t count = 0;
    bool has_several = false;
    for (uint32_t j = first; j != MD5_NONE; j = search->next_sibling[j]) {
        const md5_vec3 cross = md5_vec3_cross(bone_of_clip(search, first), bone_of_clip(search, j));
        has_several = has_several || md5_vec3_length(cross) > min_sine;
        add_to_fit(search, j, fit);
        count++;
    }
    if (!has_several)
        return false;
    *rotation = solve_fit(fit, count);
    return true;
}

// Returns the quarter turn that fits the bones of a joint and is nearest to an estimate, as an
// index in search->quarters. Returns MD5_NONE if none fits.
static uint32_t find_quarter_turn(const axes_search *search, uint32_t joint, md5_quat estimate)
{
    uint32_t best = MD5_NONE;
    float best_cosine = 0;
    for (uint32_t q = 0; q < NUM_QUARTERS; q++) {
        const float cosine = fabsf(quat_dot(search->quarters[q], estimate));
        const bool is_better = best == MD5_NONE || cosine > best_cosine;
        if (is_better && fits_bones(search, search->quarters[q], joint)) {
            best = q;
            best_cosine = cosine;
        }
    }
    return best;
}

// Returns the rotation of a joint without bones. It is usually `usual`, which is the rotation of
// the parent, or of most bones if the joint has no parent. Most programs orient the last joint of a
// chain like the joint above it. The exception is an estimate near a quarter turn: the result is
// then this quarter turn.
static md5_quat find_rotation_without_bones(const axes_search *search, md5_quat usual,
                                            md5_quat estimate)
{
    const float near_cosine =
        0.985f; // cosine of 10 degrees, which is half of the angle of the rotation
    float best_cosine = fabsf(quat_dot(usual, estimate));
    md5_quat best = usual;
    for (uint32_t q = 0; q < NUM_QUARTERS && best_cosine < near_cosine; q++) {
        if (fabsf(quat_dot(search->quarters[q], estimate)) > near_cosine) {
            best = search->quarters[q];
            best_cosine = 1; // ends the loop
        }
    }
    return best;
}

// Returns the rotation from the axes of a joint in the clip to its axes in the model. Tries
// rotations from the most to the least likely, and returns the first that fits the bones of the
// joint. The start of this file explains the order. The rotation of the parent must be known
// already.
static md5_quat find_rotation(const axes_search *search, uint32_t joint)
{
    const uint32_t parent = search->clip->skeleton->joints[joint].parent;
    const md5_quat parent_rotation =
        parent != MD5_NONE ? search->rotations[parent] : (md5_quat){.w = 1};
    // The estimate maps the joint's axes in the clip to its axes in the model. It assumes that the
    // first frame has the rotation of the bind pose. It consists of three rotations: from the joint
    // to its parent in the clip, from the clip to the model at the parent, and back to the joint in
    // the bind pose.
    const md5_quat bind = search->clip->bind_local[joint].rotation;
    const md5_quat joint_to_parent = md5_quat_mul(parent_rotation, search->pose[joint].rotation);
    const md5_quat estimate = md5_quat_mul(md5_quat_conjugate(bind), joint_to_parent);

    const uint32_t child = search->first_child[joint];
    if (child == MD5_NONE) {
        const md5_quat usual = parent != MD5_NONE ? parent_rotation : search->common;
        return find_rotation_without_bones(search, usual, estimate);
    }

    md5_quat fitted = estimate;
    if (fits_bones(search, search->common, joint))
        return search->common;
    if (fit_children(search, joint, &fitted) && fits_bones(search, fitted, joint))
        return fitted;
    if (parent != MD5_NONE && fits_bones(search, parent_rotation, joint))
        return parent_rotation;

    const uint32_t quarter = find_quarter_turn(search, joint, estimate);
    if (quarter != MD5_NONE)
        return search->quarters[quarter];

    // None of these fits all bones: rotate the estimate by the shortest arc to the first bone.
    const md5_vec3 bone = md5_quat_rotate(estimate, bone_of_clip(search, child));
    return md5_quat_mul(md5_quat_between(bone, bone_of_model(search, child)), estimate);
}

// Allocates the arrays of a search, and samples the first frame of the clip.
static bool begin_search(md5_arena *arena, axes_search *search)
{
    const uint32_t num_joints = search->clip->skeleton->num_joints;
    md5_xform *const pose = MD5_ALLOC_ARRAY(arena, md5_xform, num_joints);
    search->is_bone = MD5_ALLOC_ZEROED(arena, bool, num_joints);
    search->first_child = MD5_ALLOC_ARRAY(arena, uint32_t, num_joints);
    search->next_sibling = MD5_ALLOC_ARRAY(arena, uint32_t, num_joints);
    search->rotations = MD5_ALLOC_ARRAY(arena, md5_quat, num_joints);
    TRY(pose && search->is_bone);
    TRY(search->first_child && search->next_sibling && search->rotations);

    const md5_sample_position first_frame = {.frame0 = 0, .frame1 = 0};
    md5_sample(search->clip, first_frame, MD5_ROOT_FILE, pose);
    search->pose = pose;
    for (uint32_t j = 0; j < num_joints; j++)
        search->first_child[j] = MD5_NONE;
    return true;
}

// Sets axes->num_rotated to the number of bones that have another direction in the clip than in the
// model. Sets axes->joint to the joint where the bone with the largest difference begins. Returns
// the cosine of this difference.
static float count_rotated_bones(const axes_search *search, md5_clip_axes *axes)
{
    const md5_skeleton *const skeleton = search->clip->skeleton;
    const md5_quat no_rotation = {.w = 1};
    float min_cosine = 1;
    if (axes->num_bones == 0)
        return min_cosine;
    for (uint32_t j = 0; j < skeleton->num_joints; j++) {
        if (!search->is_bone[j])
            continue;
        const float cosine = bone_cosine(search, no_rotation, j);
        if (cosine < MIN_BONE_COSINE)
            axes->num_rotated++;
        if (cosine < min_cosine) {
            min_cosine = cosine;
            axes->joint = skeleton->joints[j].parent;
        }
    }
    return min_cosine;
}

// Finds out if the bones of a clip have other local axes than the bones of the model. If so, finds
// the rotation by which they differ at each joint. Compares the directions of bones in the first
// frame. Returns false if memory runs out.
bool md5i_find_axes(md5_arena *arena, const md5_binding *clip, md5_clip_axes *axes)
{
    static const float degrees_per_radian = 57.29578f;
    const md5_skeleton *const skeleton = clip->skeleton;
    *axes = (md5_clip_axes){.joint = 0};
    axes_search search = {.clip = clip};
    float *const ratios = MD5_ALLOC_ARRAY(arena, float, skeleton->num_joints);
    TRY(ratios && begin_search(arena, &search));

    // Return without rotations if few bones differ.
    axes->num_bones = find_bones(&search, ratios);
    const float min_cosine = count_rotated_bones(&search, axes);
    if (axes->num_rotated < MIN_AXES_BONES || 2 * axes->num_rotated < axes->num_bones) {
        axes->num_rotated = 0;
        return true;
    }
    axes->max_angle = acosf(fmaxf(min_cosine, -1)) * degrees_per_radian;

    // Find the rotation of each joint, parents first.
    list_quarter_turns(search.quarters);
    search.common = find_common_rotation(&search, axes->num_bones);
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        search.rotations[joint] = find_rotation(&search, joint);
    }
    axes->rotations = search.rotations;
    return true;
}
