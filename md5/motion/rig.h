// A rig is a copy, in double precision, of the joints that a solver rotates, with their limits. A
// solver changes md5_rig_joint.local within the limit of the joint. md5i_update_rig() then computes
// rotations and positions in model space.
#ifndef MD5_MOTION_RIG_H
#define MD5_MOTION_RIG_H

#include "md5/motion/space.h"

// -- Limits -----------------------------------------------------------------------------------
//
// Angles are stored as the cosine and sine of their half, as in quaternions. They are computed once
// per call and joint, without libm, so that all platforms give the same bits.

// Cosine and sine of half of an angle.
typedef struct md5_half_angle {
    double cosine;
    double sine;
} md5_half_angle;

// A md5_joint_limit in the form that solvers use.
typedef struct md5_limit {
    md5_limit_kind kind;
    md5_quatd rest;
    md5_vec3d axis;        // unit length
    md5_half_angle middle; // middle of the range of the hinge or of the twist
    md5_half_angle width;  // from the middle of the range to either end
    md5_half_angle swing;
} md5_limit;

#define MD5_LIMIT_RULE                                                                           \
    "limits: must have known kinds, an axis that is not 0, -pi <= min <= max <= pi, 0 <= swing " \
    "<= pi"

// Returns true if the limits of joints[count] comply with the rules of md5_joint_limit. If `joints`
// is NULL, checks the first `count` limits. Returns true if `limits` is NULL.
bool md5i_are_limits(const md5_joint_limit *limits, const uint32_t *joints, uint32_t count);

// Prepares a limit. A limit that is NULL or violates the rules allows any rotation.
md5_limit md5i_prepare_limit(const md5_joint_limit *limit);

// Clamps a rotation relative to the parent to a limit: its swing and its twist separately. Returns
// `local` itself if it is allowed.
md5_quatd md5i_limit_nearest(const md5_limit *limit, md5_quatd local);

// Returns the rotation in the middle of a hinge's range.
md5_quatd md5i_limit_middle(const md5_limit *limit);

// Returns `q` with unit length, or the identity if `q` cannot be normalized.
md5_quatd md5i_quatd_unit(md5_quatd q);

// Returns the rotation about a unit axis by an angle. `cosine` and `sine` are the cosine and the
// sine of the angle, and may have a common factor > 0. Returns the identity if both are 0.
md5_quatd md5i_quatd_about(md5_vec3d axis, double cosine, double sine);

// Rotates a vector by a unit quaternion, in double precision.
static inline md5_vec3d md5_quatd_rotate(md5_quatd q, md5_vec3d v)
{
    const md5_vec3d axis = {q.x, q.y, q.z};
    const md5_vec3d twice = md5_vec3d_scale(md5_vec3d_cross(axis, v), 2);
    return md5_vec3d_add(md5_vec3d_add(v, md5_vec3d_scale(twice, q.w)),
                         md5_vec3d_cross(axis, twice));
}

// An axis about which a joint may rotate without leaving its limit, and whether the joint has
// reached an end of the range.
typedef struct md5_limit_axis {
    md5_vec3d axis; // unit length, in the space of the parent
    bool is_at_max; // the joint is at the maximum of its range
    bool is_at_min; // the joint is at the minimum of its range
} md5_limit_axis;

// Writes the axes about which a joint may rotate, at most three, and returns their number. `local`,
// its rotation relative to the parent, must be within the limit.
uint32_t md5i_limit_axes(const md5_limit *limit, md5_quatd local, md5_limit_axis *axes);

// -- Rig --------------------------------------------------------------------------------------

typedef struct md5_rig_joint {
    uint32_t joint;     // index in the skeleton
    uint32_t parent;    // index in the rig, less than the index of this joint; MD5_NONE if there is
                        // none
    bool is_held;       // solvers do not rotate the joint, and do not write it to the pose
    md5_quatd local;    // rotation relative to the parent
    md5_quatd above;    // model-space rotation of the skeleton's parent joint; used only without a
                        // parent in the rig
    md5_quatd rotation; // model space
    md5_vec3d offset;   // position relative to the parent, in the parent's axes
    md5_vec3d position; // model space; an input for joints without a parent in the rig
    md5_limit limit;
} md5_rig_joint;

typedef struct md5_rig {
    md5_axes axes;
    uint32_t count;
    md5_rig_joint joints[MD5_MAX_GOAL_JOINTS]; // parents before children
} md5_rig;

// Computes the model-space rotations and positions of all joints from md5_rig_joint.local.
void md5i_update_rig(md5_rig *rig);

// Returns the model-space rotation of a joint's parent. `index` is the joint's index in the rig.
md5_quatd md5i_rig_parent_rotation(const md5_rig *rig, uint32_t index);

// A solver for a rig that is a single chain with limits. It rotates the joints so that the last
// joint moves towards the target. Returns the remaining distance in units, which is never larger
// than at the start.
typedef double md5_rig_solver(md5_rig *rig, md5_vec3d target, double tolerance,
                              uint32_t iterations);
md5_rig_solver md5i_ccd_limited;

#endif
