// Joints in model space, and rotations for inverse kinematics. All functions use only + - * / and
// sqrtf in a fixed order, so that every platform gives the same bits.
#ifndef MD5_MOTION_SPACE_H
#define MD5_MOTION_SPACE_H

#include "md5/core/object.h"
#include "md5/core/float4.h"
#include "md5/md5pose.h"
#include "md5/core/slerp.h"

// Checks the arguments that all functions md5_solve_*() have in common.
#define MD5_ASSERT_JOB(skeleton, job, pose)                                                  \
    do {                                                                                     \
        MD5_ASSERT_PART(skeleton, joints);                                                   \
        MD5_ASSERT((pose) != NULL || (skeleton)->num_joints == 0, "pose: must not be NULL"); \
        MD5_ASSERT((job) != NULL, "job: must not be NULL");                                  \
        MD5_ASSERT_RESERVED(job);                                                            \
    } while (0)

#define MD5_NO_ROTATION ((md5_quat){0.0f, 0.0f, 0.0f, 1.0f})

// Bound for the coordinates of positions. Squares of distances of such positions are finite.
#define MD5_MAX_COORDINATE 1e15f

// The cosine of 120 degrees. For larger angles, the formula of md5_float4_between_at() is
// inaccurate.
#define MD5_MIN_ARC_COSINE (-0.5f)

// Returns false if a coordinate is NaN or not below MD5_MAX_COORDINATE.
static inline bool md5_is_valid_vec3(md5_vec3 v)
{
    return fabsf(v.x) < MD5_MAX_COORDINATE && fabsf(v.y) < MD5_MAX_COORDINATE
           && fabsf(v.z) < MD5_MAX_COORDINATE;
}

static inline float md5_quat_square(md5_quat q)
{
    return q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
}

// Returns false if the quaternion cannot be normalized.
static inline bool md5_is_rotation(md5_quat q)
{
    const float square = md5_quat_square(q);
    return square > 1e-30f && square < 1e30f;
}

// Normalizes a quaternion whose length is nearly 1, without a square root. See
// md5_float4_renormalize().
static inline md5_quat md5_quat_trim(md5_quat q)
{
    const float scale = 1.5f - 0.5f * md5_quat_square(q);
    return (md5_quat){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

// Returns the rotation about a unit axis by an angle. `cosine` and `sine` are the cosine and the
// sine of the angle, and may have a common factor > 0. Returns the identity if both are 0.
//
// The tangent of the half angle has two formulas. The first is accurate for acute angles, the
// second for obtuse angles:
//
//   sine / (1 + cosine)
//   (1 - cosine) / sine
static inline md5_float4 md5_float4_about(md5_float4 axis, float cosine, float sine)
{
    const float size = sqrtf(cosine * cosine + sine * sine);
    const bool is_acute = cosine >= 0;
    const float half_cosine = is_acute ? size + cosine : sine;
    const float half_sine = is_acute ? sine : size - cosine;
    const float square = half_cosine * half_cosine + half_sine * half_sine;
    if (!(square > 1e-30f))
        return md5_float4_set(0, 0, 0, 1);
    const float scale = 1.0f / sqrtf(square);
    return md5_float4_with_w(md5_float4_scale(axis, half_sine * scale), half_cosine * scale);
}

// Returns the shortest rotation from one unit vector to another. `cosine` is their dot product. For
// opposite vectors, the axis is an arbitrary perpendicular vector.
static inline md5_float4 md5_float4_between_at(md5_float4 from, md5_float4 to, float cosine)
{
    if (!(cosine > MD5_MIN_ARC_COSINE))
        return md5_float4_from_quat(
            md5i_quat_between_far(md5_vec3_from_float4(from), md5_vec3_from_float4(to)));
    // The quaternion is (from x to, 1 + cosine), divided by its length sqrt(2 (1 + cosine)).
    const float half_cosine = sqrtf(0.5f + 0.5f * cosine);
    return md5_float4_with_w(md5_float4_scale(md5_float4_cross(from, to), 0.5f / half_cosine),
                             half_cosine);
}

static inline md5_float4 md5_float4_between(md5_float4 from, md5_float4 to)
{
    return md5_float4_between_at(from, to, md5_float4_dot3(from, to));
}

// Returns the shortest rotation between two unit vectors, as md5_quat_between() does.
static inline md5_quat md5_rotation_between(md5_vec3 from, md5_vec3 to)
{
    return md5_quat_from_float4(
        md5_float4_between(md5_float4_from_vec3(from), md5_float4_from_vec3(to)));
}

// Returns a unit vector perpendicular to the unit vector `v`. It is the forward axis of the model
// without its component along `v`. If `v` is nearly parallel to the forward axis, the up axis is
// used instead.
md5_vec3 md5i_forward_perpendicular(md5_axes axes, md5_vec3 v);

// The weight with which the rotations of a solver are blended with the current rotations of joints.
typedef struct md5_rotation_blend {
    float weight;              // 0..1
    bool is_full;              // the weight is 1
    md5_slerp_weights weights; // set unless is_full
} md5_rotation_blend;

// Prepares a blend for several joints. `weight` > 0; weights above 1 have the effect of 1.
void md5i_begin_rotation_blend(float weight, md5_rotation_blend *blend);

// Sets the rotation of a joint to the slerp between its current rotation and `solved`.
void md5i_slerp_joint(md5_xform *joint, const md5_rotation_blend *blend, md5_quat solved);

// Blends a solved rotation into a joint, in the space of its parent. `solved` is a product of unit
// quaternions, so that its length is nearly 1 and is corrected. Any other length is an error of the
// solver, for example after a division by 0. The joint is then not changed.
static inline void md5_blend_joint_rotation(md5_xform *joint, const md5_rotation_blend *blend,
                                            md5_float4 solved)
{
    const float square = md5_float4_dot4(solved, solved);
    const bool is_unit = fabsf(square - 1.0f) < 0.01f; // false for NaN
    if (!is_unit)
        return;
    const md5_float4 to = md5_float4_scale(solved, 1.5f - 0.5f * square); // md5_float4_renormalize
    if (!blend->is_full) {
        md5i_slerp_joint(joint, blend, md5_quat_from_float4(to));
        return;
    }
    // q and -q are the same rotation. A slerp with a smaller weight would lead to the one that is
    // nearer to the current rotation. Storing this one keeps the result continuous in the weight.
    // The sign rarely changes, so that processors predict the branch.
    const float cosine = md5_float4_dot4(md5_float4_load_rotation(joint), to);
    joint->rotation = md5_quat_from_float4(to);
    if (cosine < 0)
        joint->rotation = md5_quat_from_float4(md5_float4_scale(to, -1));
}

// A rotation and a position.
typedef struct md5_float4_transform {
    md5_float4 rotation;
    md5_float4 position;
} md5_float4_transform;

// Return the transform of a joint in model space, and of the parent of a joint. The parent of a
// root is the identity.
md5_float4_transform md5i_joint_transform(const md5_skeleton *skeleton, const md5_xform *pose,
                                          uint32_t joint);
md5_float4_transform md5i_parent_joint_transform(const md5_skeleton *skeleton,
                                                 const md5_xform *pose, uint32_t joint);

// Like md5i_parent_joint_transform(), but returns an md5_xform.
md5_xform md5i_parent_in_model(const md5_skeleton *skeleton, const md5_xform *pose, uint32_t joint);

// -- Limbs ------------------------------------------------------------------------------------

// Returns true if a joint is a descendant of the joint `above`.
bool md5i_is_descendant(const md5_skeleton *skeleton, uint32_t joint, uint32_t above);

// Return MD5_LIMB_REACHED if the joints form a limb, otherwise the reason why they do not.
// md5i_limb_above() first sets the tip and the two joints above it.
md5_limb_result md5i_check_limb(const md5_skeleton *skeleton, const md5_limb *limb);
md5_limb_result md5i_limb_above(const md5_skeleton *skeleton, uint32_t tip, md5_limb *limb);

// Like md5_solve_two_bone(), but the limb must be valid and the weight > 0. If `miss` is not NULL,
// sets it to the resulting distance between tip and target in units, or to INFINITY if nothing was
// done. The result then describes this distance.
md5_limb_result md5i_bend_limb(const md5_skeleton *skeleton, md5_xform *pose,
                               const md5_limb *joints, const md5_two_bone_job *job, float *miss);

// Largest number of iterations of a solver. Larger values of a job have the effect of this value.
enum { MD5_MAX_ITERATIONS = 1000 };

// -- Chains -----------------------------------------------------------------------------------

// A joint, the tip, and its ancestors, ordered from the highest ancestor down to the tip.
typedef struct md5_chain {
    uint32_t count; // 1 to MD5_MAX_CHAIN
    md5_quat above; // model-space rotation of the first joint's parent
    uint32_t joints[MD5_MAX_CHAIN];
    md5_vec3 positions[MD5_MAX_CHAIN]; // model space
    md5_quat rotations[MD5_MAX_CHAIN]; // model space
} md5_chain;

// Writes the joints of a chain from the top down to `tip`, and returns their number. The chain has
// at most `length` and at most MD5_MAX_CHAIN joints, and ends early at a root.
uint32_t md5i_chain_joints(const md5_skeleton *skeleton, uint32_t tip, uint32_t length,
                           uint32_t *joints);

// Finds the joints of a chain as md5i_chain_joints() does, and their transforms in model space.
// Returns false if the tip is invalid, `length` is 0, or a joint does not have a finite position.
bool md5i_find_chain(const md5_skeleton *skeleton, const md5_xform *pose, uint32_t tip,
                     uint32_t length, md5_chain *chain);

// Rotates the joints of a chain to rotations[chain->count], which are in model space. A weight
// below 1 blends with the rotations of the pose.
void md5i_rotate_chain(const md5_chain *chain, const md5_quat *rotations, float weight,
                       md5_xform *pose);

#endif
