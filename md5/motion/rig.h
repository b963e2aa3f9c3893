// The joints that a solver rotates, in double precision, with their limits. Solvers change
// md5_rig_joint.local within its limit; md5i_place_rig() computes model-space rotations and
// positions.
#ifndef MD5_IK_RIG_H
#define MD5_IK_RIG_H

#include "md5/motion/limit.h"
#include "md5/motion/space.h"

typedef struct md5_rig_joint {
    uint32_t joint;     // of the skeleton
    int32_t parent;     // in the rig, before this one; -1: none
    bool is_held;       // not turned, and not written to the pose
    md5_quatd local;    // relative to the parent
    md5_quatd above;    // without a parent in the rig: model-space rotation of the parent joint
    md5_quatd rotation; // model space
    md5_vec3d offset;   // from the parent, in its space
    md5_vec3d place;    // model space; given if there is no parent
    md5_limit limit;
} md5_rig_joint;

typedef struct md5_rig {
    uint32_t count;
    md5_rig_joint joints[MD5_MAX_GOAL_JOINTS]; // parents before children
} md5_rig;

// Creates a rig of a chain, in which each joint is the parent of the next. Moves rotations into
// their limits.
void md5i_rig_chain(const md5_chain *chain, const md5_xform *pose, const md5_joint_limit *limits,
                    md5_rig *rig);

// Computes rotations and places of all joints from `first` on.
void md5i_place_rig(md5_rig *rig, uint32_t first);

// The model-space rotation of a joint's parent.
md5_quatd md5i_rig_above(const md5_rig *rig, uint32_t joint);

// The allowed rotation, relative to the parent, that is nearest to the current one followed by
// `turn` (model space).
md5_quatd md5i_rig_turned(const md5_rig *rig, uint32_t joint, md5_quatd turn);

// Solvers cannot bend a straight chain whose target is on its line: bends the joints above `tip` a
// little, as far as their limits allow. Does nothing to other chains, or if the tip is within
// `tolerance` of the target.
void md5i_bend_straight(md5_axes axes, md5_rig *rig, uint32_t tip, md5_vec3d target,
                        double tolerance);

// Saves and restores the rotations: kept[rig->count].
void md5i_keep_rig(const md5_rig *rig, md5_quatd *kept);
void md5i_restore_rig(const md5_quatd *kept, md5_rig *rig);

// Writes the rotations to the pose, blended by `weight` > 0.
void md5i_write_rig(const md5_rig *rig, float weight, md5_xform *pose);

// CCD and FABRIK for a rig that is one chain, under limits: turn the joints above the last one so
// that it comes nearer to the target. They return its distance, and never end farther away than
// they began.
typedef double md5_rig_solver(md5_axes axes, md5_rig *rig, md5_vec3d target, double tolerance,
                              uint32_t iterations);
md5_rig_solver md5i_ccd_limited, md5i_fabrik_limited;

// -- Limbs ----------------------------------------------------------------------------------------

// A bone of a limb: where its lower end is in the space of its upper one, and the rotation there of
// what the lower joint is relative to.
typedef struct md5_limb_bone {
    md5_vec3 offset;
    md5_quat above;
} md5_limb_bone;

// A limb as it was solved without limits.
typedef struct md5_limb_pose {
    const md5_joint_limit *limits; // [num_joints]
    md5_xform above; // model space: rotation of the root's parent, position of the root
    md5_limb_bone upper, lower;
    float stretch;
    md5_quat root, middle, tip; // relative to their parents
} md5_limb_pose;

// Moves root and middle into their limits before the limb is solved. If the middle is a hinge that
// is straight, or bent to the side to which it can bend less, also bends it to the middle of its
// range: the limb is then solved in the plane of the hinge.
void md5i_ready_limb(const md5_limb *joints, md5_limb_pose *limb);

// Moves the rotations into the limits; where this moves the tip, turns root and middle until it is
// as near as can be found to where it was. The tip keeps its rotation in model space if its limit
// allows.
void md5i_limit_limb(md5_axes axes, const md5_limb *joints, md5_limb_pose *limb);

#endif
