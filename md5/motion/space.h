// Joints in model space, and rotations for inverse kinematics. Everything here uses only + - * /
// and sqrtf in a fixed order, so that every platform gives the same bits.
#ifndef MD5_IK_SPACE_H
#define MD5_IK_SPACE_H

#include "md5/core/object.h"
#include "md5/core/float4.h"
#include "md5/md5pose.h"
#include "md5/core/slerp.h"

// Checks the arguments that all md5_solve_*() have.
#define MD5_ASSERT_JOB(skeleton, job, pose)                                                  \
    do {                                                                                     \
        MD5_ASSERT_PART(skeleton, joints);                                                   \
        MD5_ASSERT((pose) != NULL || (skeleton)->num_joints == 0, "pose: must not be NULL"); \
        MD5_ASSERT((job) != NULL, "job: must not be NULL");                                  \
        MD5_ASSERT_RESERVED(job);                                                            \
    } while (0)

#define MD5_NO_ROTATION ((md5_quat){0.0f, 0.0f, 0.0f, 1.0f})

// Largest coordinate of a position: squares of distances stay finite.
#define MD5_MAX_COORDINATE 1e15f

// The cosine of 120 degrees.
#define MD5_MIN_ARC_COSINE (-0.5f)

// Returns false if a coordinate is not finite or larger than MD5_MAX_COORDINATE.
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

// See md5_float4_renormalize().
static inline md5_quat md5_quat_trim(md5_quat q)
{
    const float scale = 1.5f - 0.5f * md5_quat_square(q);
    return (md5_quat){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

// Returns the rotation about a unit axis by an angle. `cosine` and `sine` are those of the angle,
// both multiplied by any factor > 0. Returns the identity if both are 0. The tangent of the half
// angle is sine / (1 + cosine), which is accurate for acute angles, and (1 - cosine) / sine, which
// is accurate for obtuse angles.
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
    // The quaternion (from x to, 1 + cosine), whose square is 2 (1 + cosine).
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

// Returns a unit vector perpendicular to the unit vector `v`: the direction of the forward axis
// without its component along `v`. If `v` is nearly parallel to the forward axis, uses the up axis.
md5_vec3 md5i_forward_perpendicular(md5_axes axes, md5_vec3 v);

// The weight with which solved rotations are blended with the current rotations of joints.
typedef struct md5_rotation_blend {
    float weight;              // 0..1
    bool is_full;              // the weight is 1
    md5_slerp_weights weights; // unless is_full
} md5_rotation_blend;

// Prepares a blend for several joints. `weight` > 0; weights above 1 have the effect of 1.
void md5i_begin_rotation_blend(float weight, md5_rotation_blend *blend);

// Sets the rotation of a joint to a slerp between it and `solved`.
void md5i_slerp_joint(md5_xform *joint, const md5_rotation_blend *blend, md5_quat solved);

// Blends a solved rotation into a joint, in the space of its parent. `solved` is a product of unit
// quaternions, whose length is renormalized. If it is not nearly 1, for example because the solver
// divided by 0, the joint is not changed.
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
    // Both q and -q are the same rotation. Stores the one to which a slerp with a smaller weight
    // would lead, so that the result is continuous in the weight. The sign rarely changes, so
    // processors predict the branch.
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

// Return the model-space transform of a joint, and of its parent, which is the identity for a root.
md5_float4_transform md5i_joint_transform(const md5_skeleton *skeleton, const md5_xform *pose,
                                          uint32_t joint);
md5_float4_transform md5i_parent_joint_transform(const md5_skeleton *skeleton,
                                                 const md5_xform *pose, uint32_t joint);

// Returns the same as md5i_parent_joint_transform(), as an md5_xform.
md5_xform md5i_parent_in_model(const md5_skeleton *skeleton, const md5_xform *pose, uint32_t joint);

// -- Limbs ------------------------------------------------------------------------------------

// Returns true if a joint is a descendant of the joint `above`.
bool md5i_is_descendant(const md5_skeleton *skeleton, uint32_t joint, uint32_t above);

// Return MD5_LIMB_REACHED if the joints are a limb; md5i_limb_above() first fills in the tip and
// the two joints above it.
md5_limb_result md5i_check_limb(const md5_skeleton *skeleton, const md5_limb *limb);
md5_limb_result md5i_limb_above(const md5_skeleton *skeleton, uint32_t tip, md5_limb *limb);

// md5_solve_two_bone() for a valid limb and a weight > 0. If `miss` is not NULL, sets it to the
// resulting distance between tip and target, in units, INFINITY if nothing was done, and returns
// the result for it.
md5_limb_result md5i_bend_limb(const md5_skeleton *skeleton, md5_xform *pose,
                               const md5_limb *joints, const md5_two_bone_job *job, float *miss);

// Limit of iterations of all solvers.
enum { MD5_MAX_ITERATIONS = 1000 };

// -- Chains -----------------------------------------------------------------------------------

// A joint and its ancestors, from the top down.
typedef struct md5_chain {
    uint32_t count; // 1 to MD5_MAX_CHAIN
    md5_quat above; // model-space rotation of the first joint's parent
    uint32_t joints[MD5_MAX_CHAIN];
    md5_vec3 positions[MD5_MAX_CHAIN]; // model space
    md5_quat rotations[MD5_MAX_CHAIN]; // model space
} md5_chain;

// Writes at most `length` and MD5_MAX_CHAIN joints from the top down to the tip, fewer at the root.
// Returns their number.
uint32_t md5i_chain_joints(const md5_skeleton *skeleton, uint32_t tip, uint32_t length,
                           uint32_t *joints);

// Finds at most `length` joints, fewer at the root. Returns false if the tip is invalid, or one of
// them has no finite position.
bool md5i_find_chain(const md5_skeleton *skeleton, const md5_xform *pose, uint32_t tip,
                     uint32_t length, md5_chain *chain);

// Sets the chain's joints to the model-space rotations rotations[chain->count], with a weight.
void md5i_rotate_chain(const md5_chain *chain, const md5_quat *rotations, float weight,
                       md5_xform *pose);

#endif
