// md5pose: operations that change one pose, for example to let a hand reach an object. The
// operations can be combined: each operation takes a pose that md5_sample() or another operation
// has written. This code moves a hand to a target in model space and then computes the joint
// matrices:
//
//   md5_two_bone_job reach = MD5_INIT;
//   reach.tip = md5_find_joint(skeleton, "hand_l");
//   reach.target = target;
//   reach.weight = 1.0f;
//   md5_solve_two_bone(skeleton, &reach, pose);
//   md5_local_to_model(skeleton, pose, joints);
//
// The header contains these groups of functions:
//
// - Joint modifiers rotate and move a single joint, such as the turret of a tank.
// - Inverse kinematics moves a hand, a foot or the end of a chain of joints to a target.
// - Foot placement adapts the feet to uneven ground.
// - Springs let a chain of joints swing, for example hair or a tail.
// - Mirroring exchanges left and right.
// - Retargeting transfers poses to a model with other proportions.
// - The procedural gait moves legs by rules, without clips.
// - The gaze lets a head and eyes look around.
//
// md5play.h uses these operations in state machines, and md5model.h contains blending.
//
// Pose: an array md5_xform[model joints] in joint order. Each transform is relative to the parent
// of the joint.
//
// Axes: "model x", "model y" and "model z" mean the directions forward, left and up in model space.
// These are the axes of id's engine unless md5_load_opts.axes selected others.
//
// Terms: a chain is a sequence of joints in which each joint is the parent of the next one. The tip
// is the last joint of a chain, for example a hand. A bone is the line from a joint to the next
// joint of the chain.
//
// Only md5_create_retarget() allocates memory and can fail. Several threads may work on different
// poses at the same time.
#ifndef MD5POSE_H
#define MD5POSE_H

#include "md5model.h" // installed in the same folder

#ifdef __cplusplus
extern "C" {
#endif

// -- Space and joints ----------------------------------------------------------------------

// Returns the transform of one joint of `pose` in model space, for example to find the position of
// a hand: the product of the transforms of the joint and all its ancestors. Use it if you need only
// a few joints; md5_local_to_model() computes all joints. `joint` must be a valid index. The time
// is linear in the number of ancestors.
MD5_PLAY_API md5_xform md5_joint_in_model(const md5_skeleton *skeleton, const md5_xform *pose,
                                          uint32_t joint);

// Selects how md5_modify_joint() applies its argument `change` to a joint. The values correspond to
// the joint modifiers of id's engine (idAnimator::SetJointPos, SetJointAxis), which call model
// space "world".
typedef enum md5_joint_space {
    // `change` is added to the animated transform. The resulting rotation is the rotation of the
    // joint times the rotation of `change`. The translation is added in the space of the parent.
    MD5_JOINT_LOCAL,
    // `change` replaces the animated transform. It is relative to the parent.
    MD5_JOINT_LOCAL_OVERRIDE,
    // `change` is added to the animated transform. Its rotation and translation are applied in
    // model space.
    MD5_JOINT_MODEL,
    // `change` replaces the animated transform. It is in model space.
    MD5_JOINT_MODEL_OVERRIDE,
} md5_joint_space;

// Rotates and moves one joint of a pose, for example the turret of a tank. `change` is the
// transform, `space` selects how it is applied, and `weight` from 0 to 1 is the strength. To change
// only the translation, set the rotation to 0 0 0 0. To change only the rotation, set a coordinate
// of the translation to a value that is not finite. As in id's engine, MD5_JOINT_MODEL replaces the
// position of joint 0 instead of adding to it. Returns false and changes nothing if the index of
// the joint is invalid.
MD5_PLAY_API bool md5_modify_joint(const md5_skeleton *skeleton, uint32_t joint,
                                   md5_joint_space space, md5_xform change, float weight,
                                   md5_xform *pose);

// -- Inverse kinematics --------------------------------------------------------------------
// The functions in this section change rotations of `pose` so that the tip of a chain reaches a
// target. Target positions are in model space. Only md5_solve_two_bone() with stretch also changes
// translations.
//
// `weight` from 0 to 1 is the strength of the effect: each rotation is interpolated by slerp from
// the original rotation. Input that is not finite or outside 1e15 units has no effect. The
// resulting rotations have unit length for any input, and every platform computes the same bits.
// The time is linear in the length of the chain and in the number of ancestors of its joints.
//
// The parameters that describe a solver are in a separate structure, such as md5_two_bone_params.
// The tables of state machines (md5machine.h) contain the same structures, with the same names and
// defaults.

// The kinds of joint limits. A joint limit defines which rotations of a joint relative to its
// parent are allowed. For this purpose the rotation is written as
//
//   rest * swing * twist
//
// where `rest` is the rotation at rest, the twist is a rotation around the axis of the limit, and
// the swing is a rotation around an axis perpendicular to it (Dobrowolski 2015, "Swing-twist
// decomposition in Clifford algebra").
typedef enum md5_limit_kind {
    MD5_LIMIT_NONE, // Any rotation is allowed.
    // Only a rotation around the axis (a twist), from `min` to `max`, is allowed, as in an elbow or
    // a knee.
    MD5_LIMIT_HINGE,
    // A twist from `min` to `max` and a swing of at most `swing` are allowed, as in a shoulder or a
    // neck.
    MD5_LIMIT_CONE,
} md5_limit_kind;

// The limit of the rotation of one joint. Solvers receive an array of limits with one element per
// joint of the skeleton, in joint order. They use only the elements of the joints that they rotate.
// Angles are in radians and have the sign of md5_quat_from_axis_angle().
//
// A joint that is outside its limit is first moved to the nearest allowed rotation; swing and twist
// are clamped separately. At weight 1, all joints of the chain are within their limits, with an
// error of at most 1e-6 radians. This is also true if the target is out of reach; the result is
// then the nearest pose that was found. With a smaller weight, the result is interpolated between
// the original pose and this pose by slerp.
//
// If `min` equals `max`, only this angle is allowed. If `swing` is 0, no swing is allowed.
typedef struct md5_joint_limit {
    md5_limit_kind kind;
    // Rotation of the joint, relative to its parent, at which swing and twist are 0, for example
    // the rotation in md5_model.bind_local. The value 0 0 0 0 counts as 0 0 0 1.
    md5_quat rest;
    // Axis around which the twist is measured, in the space of the joint at `rest`, with any length
    // above 0.
    md5_vec3 axis;
    float min, max; // Smallest and largest twist, in radians: -pi <= min <= max <= pi.
    // Largest swing, which is the angle between `axis` and its direction at rest, from 0 to pi.
    // Only MD5_LIMIT_CONE uses it.
    float swing;
    uint64_t reserved[2]; // must be 0
} md5_joint_limit;

// The three joints of an arm or a leg. The skeleton may contain other joints between them, such as
// twist helpers. These joints keep their transforms relative to their parents, and therefore their
// positions along the bone.
typedef struct md5_limb {
    // Indices of the joints: shoulder, elbow and hand, or hip, knee and ankle.
    uint32_t root, middle, tip;
} md5_limb;

// Parameters of md5_solve_two_bone(), which bends an arm or a leg. The comment of the function
// explains them.
typedef struct md5_two_bone_params {
    // Softening, from 0 to 1: the part of the full reach, at its end, in which the limb straightens
    // slowly instead of abruptly. The value 0 means no softening.
    float soften;
    // Largest length of the stretched limb, divided by its full reach (the sum of both bone
    // lengths); at least 1. The value 0 means 1: the limb is not stretched.
    float stretch;
} md5_two_bone_params;

// Arguments of md5_solve_two_bone(), which bends an arm or a leg so that the hand or foot reaches a
// target.
typedef struct md5_two_bone_job {
    // Index of the tip: the hand or foot. Its parent is the elbow or knee, and the parent of the
    // elbow or knee is the shoulder or hip. If `limb` is not NULL, this member is not used.
    uint32_t tip;
    // Indices of the three joints, for skeletons with other joints between them. If NULL, the three
    // joints are `tip`, its parent and the parent of its parent.
    const md5_limb *limb;
    md5_vec3 target; // position that the tip should reach, in model space
    // The elbow or knee bends towards this point, in model space. If NULL, it bends in the same
    // direction as in the pose, or forward (model x) if the limb is straight or folded in the pose.
    const md5_vec3 *pole;
    // Rotation that the tip should have, in model space. If NULL, the tip keeps the model-space
    // rotation that it has in the pose.
    const md5_quat *rotation;
    md5_two_bone_params params; // softening and stretch
    float weight;               // strength of the effect, from 0 (none) to 1 (full effect)
    // [num_joints] Limits of the rotations of joints, of which the limits of the three joints are
    // used. If NULL, there are no limits.
    const md5_joint_limit *limits;
    uint64_t reserved[4]; // must be 0
} md5_two_bone_job;

// Bends an arm or a leg so that its tip reaches the target. If the target is out of reach, the limb
// points at the target. Returns false and changes nothing if the tip does not have two ancestors.
// If `limb` is used, returns false if one of its joints does not exist, or if the middle joint is
// not a descendant of the root or the tip is not a descendant of the middle joint.
//
// Softening. Without softening, a limb straightens abruptly when the target moves out of reach.
// Softening prevents this. Let R be the full reach, which is the sum of both bone lengths, let s be
// `soften`, and let d be the distance of the target from the root of the limb. If d <= R (1 - s),
// the tip reaches the target, unless d is smaller than the difference of the bone lengths. If d is
// larger, the distance of the tip from the root is
//
//   R (1 - s exp(-x)) where x = (d - R (1 - s)) / (R s)
//
// with an error of at most 1e-6 of R. The tip then misses a target at the distance R by R s / e,
// where e is Euler's number. A common value of s is 0.05. The value 0 disables softening; with the
// value 1, every target is missed.
//
// Stretch. If the target would be missed and `stretch` is above 1, both bones are scaled by the
// same factor. If softening is used too, the limb starts to stretch at the distance R (1 - s).
//
// Limits. With joint limits, the limb is solved in the plane of its hinge, and the solution is
// moved into the limits. If this moves the tip away from the target, the solver tries other
// rotations around the line from the root to the target. It then uses the algorithm CCD (see
// md5_chain_solver) to move the tip as close to the target as possible. In this case, `pole` only
// selects the start of the search. The tip keeps its rotation if its limit allows it.
MD5_PLAY_API bool md5_solve_two_bone(const md5_skeleton *skeleton, const md5_two_bone_job *job,
                                     md5_xform *pose);

// Parameters of md5_solve_aim(): the directions of the tip. The solver rotates `forward` to the
// target and keeps `up` upright, so that the tip leans neither to the left nor to the right of
// model z. This correction becomes weaker as the direction to the target becomes steeper. If
// `forward` and `up` are parallel, the tip does not roll.
typedef struct md5_aim_params {
    // Forward direction and up direction of the tip, in its own space. 0 0 0 selects the defaults:
    // x for `forward` and z for `up`.
    md5_vec3 forward, up;
    // Largest rotation of each joint, in radians. If 0, rotations are not limited.
    // MD5_EXPLICIT_ZERO means that joints do not rotate.
    float limit;
} md5_aim_params;

// Arguments of md5_solve_aim(), which rotates joints so that one of them points at a target.
typedef struct md5_aim_job {
    // Index of the joint that points at the target: a head, an eye or a gun.
    uint32_t tip;
    // Number of joints that share the rotation equally, including the tip, at most MD5_MAX_CHAIN.
    // The rotation of the other joints displaces the tip; the tip compensates for this
    // displacement.
    uint32_t length;
    md5_vec3 target;       // point at which the tip points, in model space
    md5_aim_params params; // directions of the tip, and the limit of rotations
    float weight;          // strength of the effect, from 0 (none) to 1 (full effect)
    uint64_t reserved[4];  // must be 0
} md5_aim_job;

// Rotates a chain of joints so that the tip points at the target, for example neck and head.
// Returns false and changes nothing if the tip is invalid or `length` is 0.
MD5_PLAY_API bool md5_solve_aim(const md5_skeleton *skeleton, const md5_aim_job *job,
                                md5_xform *pose);

// The algorithms with which md5_solve_chain() moves the tip of a chain of joints to a target.
typedef enum md5_chain_solver {
    // The algorithm FABRIK moves the joints along their bones, from the tip to the root and back,
    // until the tip reaches the target (Aristidou, Lasenby 2011).
    MD5_CHAIN_FABRIK,
    // Cyclic coordinate descent rotates one joint after another. Joints near the tip rotate most
    // (Wang, Chen 1991).
    MD5_CHAIN_CCD,
    // Damped least squares (Wampler 1986; Nakamura, Hanafusa 1986) rotates all joints of the chain
    // together. Each iteration rotates them by the angles
    //
    //   J^T (J J^T + lambda^2 I)^-1 e
    //
    // where e is the vector from the tip to the target, J is the Jacobian (the derivative of the
    // tip's position by the rotations of the joints), I is the identity matrix and lambda is the
    // damping. No joint rotates by more than 0.5 radians per iteration. Most targets require about
    // ten iterations. With joint limits, this solver reaches more of the reachable targets than the
    // other solvers.
    //
    // The damping is adapted (Marquardt 1963). lambda^2, relative to the mean of the diagonal of J
    // J^T, starts at 1/100. After an iteration that reduced the distance to the target, it is
    // divided by 5, but it does not become smaller than 1e-6. After any other iteration, it is
    // multiplied by 6 and the iteration is undone. If it becomes larger than 1e6, the search ends.
    // The computation uses double precision.
    MD5_CHAIN_LEAST_SQUARES,
} md5_chain_solver;

// Arguments of md5_solve_chain(), which moves the last joint (the tip) of a chain of joints to a
// target.
typedef struct md5_chain_job {
    md5_chain_solver solver;
    uint32_t tip; // index of the last joint of the chain, which should reach the target
    // Number of joints of the chain, including the tip, from 2 to MD5_MAX_CHAIN. If the tip has
    // fewer ancestors, the chain begins at the root of the skeleton.
    uint32_t length;
    md5_vec3 target; // position that the tip should reach, in model space
    // Distance in units. The search stops if the tip is nearer to the target than this distance.
    float tolerance;
    uint32_t iterations; // largest number of iterations of the search
    float weight;        // strength of the effect, from 0 (none) to 1 (full effect)
    // [num_joints] Limits of the rotations of joints, of which the limits of the chain's joints are
    // used. If NULL, there are no limits.
    const md5_joint_limit *limits;
    uint64_t reserved[4]; // must be 0
} md5_chain_job;

// The largest number of joints of a chain.
enum { MD5_MAX_CHAIN = 64 };

// Moves the tip of a chain of any length to the target, for example a tail or a tentacle. The tip
// keeps its rotation relative to its parent. Performs at most 1000 iterations. Returns the distance
// of the tip from the target at weight 1, in units. Returns INFINITY and leaves the pose unchanged
// if the tip is invalid or has no parent, or if the target or the position of a joint of the chain
// is not finite.
//
// With joint limits, the result is the nearest pose that was found. It is never farther from the
// target than the original pose after its joints are moved into their limits. No solver searches
// all poses, so a nearer pose may exist. CCD rotates no joint away from the target, and it rotates
// each hinge by the best angle. FABRIK moves joints to their positions within their limits. If four
// iterations do not reduce the distance, FABRIK uses CCD for the remaining iterations.
MD5_PLAY_API float md5_solve_chain(const md5_skeleton *skeleton, const md5_chain_job *job,
                                   md5_xform *pose);

// One goal of md5_solve_goals(): a tip (the last joint of a chain) and the target that it should
// reach.
typedef struct md5_goal {
    // Index of the tip, and number of joints of the chain that may rotate, as in md5_chain_job.
    uint32_t tip, length;
    md5_vec3 target; // position that the tip should reach, in model space
    // Rotation that the tip should have, in model space. If NULL, any rotation is allowed, and the
    // tip keeps its rotation relative to its parent.
    const md5_quat *rotation;
    // Weight of the goal relative to the other goals. A goal whose weight is not above 0 is
    // ignored.
    float weight;
    // The function writes the distance from the tip to the target here, in units, at weight 1 of
    // the job. The distance is INFINITY if the goal is ignored or invalid.
    float distance;
    uint64_t reserved[2]; // must be 0
} md5_goal;

// The largest number of goals of md5_solve_goals(), and the largest number of joints in their
// chains.
enum { MD5_MAX_GOALS = 8, MD5_MAX_GOAL_JOINTS = 128 };

// Arguments of md5_solve_goals(), which moves several tips of one skeleton to their targets
// together.
typedef struct md5_goals_job {
    // [num_goals] The goals, which are solved together.
    md5_goal *goals;
    uint32_t num_goals; // number of goals, at most MD5_MAX_GOALS
    // The search stops if the errors of all goals are smaller than this value, in units. The
    // comment of md5_solve_goals() defines the error.
    float tolerance;
    uint32_t iterations; // largest number of iterations of the search
    // Strength of the whole effect, from 0 (the pose is unchanged) to 1 (full effect).
    float weight;
    // [num_joints] Limits of the rotations of joints. If NULL, there are no limits.
    const md5_joint_limit *limits;
    uint64_t reserved[4]; // must be 0
} md5_goals_job;

// Moves several tips of one skeleton to their targets together. Use it for goals that share joints,
// for example two hands that are moved by the same spine. Each joint of any chain moves all tips
// below it.
//
// The method is damped least squares with one Jacobian for all goals (see MD5_CHAIN_LEAST_SQUARES).
// It minimizes the sum, over all goals, of the squared error times the squared weight. If not all
// goals can be reached, the weights are therefore priorities. To fade the whole effect in or out,
// use the weight of the job.
//
// The error of a goal is the distance of the tip from its target. If the goal has a rotation, the
// error of the rotation is converted to a distance: it is multiplied by the length of the chain.
// The error of a rotation by the angle a is 2 sin(a / 2), which is about a in radians. This
// distance must also be within the tolerance. A tip with a rotation goal rotates itself too.
//
// Returns the largest distance of all goals that are not ignored. Returns INFINITY if a goal is
// invalid for one of the reasons of md5_solve_chain(); the other goals are solved without it.
// Returns INFINITY also if the chains, and the joints between them, have more than
// MD5_MAX_GOAL_JOINTS joints. Uses about 100 KiB of stack.
MD5_PLAY_API float md5_solve_goals(const md5_skeleton *skeleton, const md5_goals_job *job,
                                   md5_xform *pose);

// The result of moving an arm or a leg to its target.
typedef enum md5_limb_result {
    MD5_LIMB_REACHED, // The tip is at its target, within 1e-4 of the reach of the limb.
    // The target is out of reach. The limb points at the target, and the tip is as near as
    // possible.
    MD5_LIMB_OUT_OF_REACH,
    MD5_LIMB_NO_JOINT, // The index of a joint is invalid.
    // The tip does not have a parent and a grandparent, which are needed because the caller did not
    // specify the other joints (md5_foot.has_leg is false).
    MD5_LIMB_NO_PARENTS,
    // The tip is not a descendant of the middle joint, or the middle joint is not a descendant of
    // the root.
    MD5_LIMB_NO_CHAIN,
    // A bone is shorter than 1e-5 of the reach, so the limb cannot bend. Skeletons with helper
    // joints have such bones; specify the joints of the limb instead.
    MD5_LIMB_NO_BONE,
    // The pose, the height of the ground or the target is not finite or outside 1e15 units.
    MD5_LIMB_NOT_FINITE,
} md5_limb_result;

// A foot on uneven ground, for md5_solve_feet(). The function lifts each foot by the height of the
// ground under it, moves the pelvis up or down by the height of the lowest ground, and bends the
// legs accordingly. This is the walk IK of id's engine.
typedef struct md5_foot {
    // Index of the ankle joint. Its parent is the knee and the parent of the knee is the hip,
    // unless has_leg is true.
    uint32_t ankle;
    // Height of the ground under the foot along model z, relative to the origin of the model. If it
    // is not finite, `lift` does not change.
    float floor;
    // Normal of the ground in model space, towards which the foot tilts. 0 0 0 means straight up.
    md5_vec3 normal;
    // Smoothed height by which the foot is lifted, in units. Initialize it with 0. Each call
    // updates it, so store it between calls.
    float lift;
    // If true, `knee` and `hip` are the other joints of the leg. If false, the function finds these
    // joints from `ankle`. Use true for skeletons with helper joints between them (see md5_limb).
    // The keys "ik_knee1" and "ik_hip1" of id's entities contain these joints.
    bool has_leg;
    uint32_t knee, hip;
    // The function writes the result here: success, or the reason why the foot did not reach its
    // target.
    md5_limb_result result;
    // The function writes the distance from the ankle to its target here, in units. The distance is
    // INFINITY if the leg could not be bent.
    float miss;
    uint64_t reserved[2]; // must be 0
} md5_foot;

// Conditions for locking feet, so that they do not slide. A locked foot remains at its position on
// the ground while blends and transitions move the animated foot. State machines use these
// parameters; md5_modifier_hold in md5machine.h explains all rules. The defaults are given in units
// of id's engine, and converted to the units of the model.
typedef struct md5_hold_params {
    // Largest height above the ground plane at which a sole counts as standing in a clip, in units.
    // 0 means 0.3 units of id's engine; MD5_EXPLICIT_ZERO means 0.
    float height;
    // Largest speed at which a sole counts as standing in a clip, in units/s. 0 means 10 units of
    // id's engine per second; MD5_EXPLICIT_ZERO means 0.
    float speed;
    // Largest distance between the locked and the animated position of a foot, in units; a foot
    // that is farther away is released. 0 means 4 units of id's engine. MD5_EXPLICIT_ZERO means 0;
    // feet are then not locked.
    float distance;
    // Time in which a released foot moves to its animated position, in seconds. 0 means 0.2;
    // MD5_EXPLICIT_ZERO means immediately.
    float release;
} md5_hold_params;

// Arguments of md5_solve_feet(), which places the feet of a pose on uneven ground.
typedef struct md5_feet_job {
    // Index of the joint that is moved up or down with the lowest ground. If the index is invalid,
    // no such joint is moved.
    uint32_t pelvis;
    md5_foot *feet;    // [num_feet] the feet, with the height of the ground under each
    uint32_t num_feet; // number of feet
    // Displacement of the pelvis along model z, in units. Initialize it with 0. Each call updates
    // it, so store it between calls.
    float drop;
    // Time constant, in seconds, with which `lift` of the feet and `drop` follow changes of the
    // ground. If 0, they follow immediately.
    float smoothing;
    // Time since the last call, in seconds. The result does not depend on the frame rate.
    float seconds;
    // Strength of the effect, from 0 (the pose is unchanged) to 1 (full effect).
    float weight;
    uint64_t reserved[4]; // must be 0
} md5_feet_job;

// Places the feet of a pose on uneven ground. Returns the number of feet that are at their targets
// (MD5_LIMB_REACHED). md5_foot.result contains the result for each foot. A leg without a valid
// chain of joints keeps its pose and moves with the pelvis. With weight 0, the function does not
// change the pose; it only updates `lift` and `drop` and checks the joints.
MD5_PLAY_API uint32_t md5_solve_feet(const md5_skeleton *skeleton, md5_feet_job *job,
                                     md5_xform *pose);

// The state of one joint of a chain that swings; md5_solve_spring() updates it.
typedef struct md5_spring_joint {
    // Position and velocity of the point at the end of the joint's bone, in world space.
    md5_vec3 position, velocity;
    // Position that the animation gave this point in the last call, in world space.
    md5_vec3 target;
} md5_spring_joint;

// Parameters of a spring chain, which is a chain of joints that swings, such as hair or a tail.
typedef struct md5_spring_params {
    // Stiffness of the springs that pull the joints to the animation, in 1/s^2. 0 means 120;
    // MD5_EXPLICIT_ZERO disables the effect.
    float stiffness;
    // Damping of the springs, in 1/s. 0 means 8; MD5_EXPLICIT_ZERO means 0.
    float damping;
    // Acceleration downward (along minus model z), in units/s^2.
    float gravity;
} md5_spring_params;

// Arguments of md5_solve_spring(), which lets a chain of joints, such as hair or a tail, swing.
typedef struct md5_spring_job {
    // Index of the last joint of the chain, and number of its joints, as in md5_chain_job. The
    // first joint keeps its animated position.
    uint32_t tip, length;
    md5_spring_params params; // stiffness, damping and gravity
    // Additional acceleration, such as wind, in world space, in units/s^2.
    md5_vec3 acceleration;
    // Transform of the character from model space to world space. If it changes, the chain swings.
    md5_xform placement;
    // [length] State of the joints of the chain. It is owned by the caller and updated by each
    // call.
    md5_spring_joint *state;
    float seconds; // time since the last call, in seconds
    // Set this member to true in the first call and after the character was teleported: the chain
    // then starts at rest.
    bool is_first;
    // Strength of the effect, from 0 (the pose is unchanged) to 1 (full effect).
    float weight;
    uint64_t reserved[4]; // must be 0
} md5_spring_job;

// Moves a spring chain: a chain of joints that lags behind its animation and swings, such as hair,
// a tail or a belt. Advances the state of the chain by job->seconds and writes the rotations of its
// joints to `pose`.
//
// Each joint of the chain has an end, which is the point at the end of its bone. The last joint,
// the tip, has no next joint; its end is as far from the tip, and in the same direction in the
// tip's space, as the tip is from its parent. A damped spring pulls each end to its animated
// position:
//
//   end'' = stiffness * (animated end - end) - damping * end' + acceleration
//
// and the joint is rotated so that it points at its end. Bones keep their lengths. The damping is
// relative to world space, like the resistance of air: if the character moves at the constant speed
// v, the end trails by damping * v / stiffness. The equation is solved exactly for an animation
// that moves linearly between two calls. Therefore the motion is stable for any duration of a step,
// and it does not depend on the division of time into steps.
//
// The chain starts at its animated position if `is_first` is true or if the state is not finite.
// With weight 0, only the state is advanced. Returns false and changes nothing if the tip is
// invalid, if the position of a joint of the chain is not finite, or if the stiffness is not above
// 0.
MD5_PLAY_API bool md5_solve_spring(const md5_skeleton *skeleton, const md5_spring_job *job,
                                   md5_xform *pose);

// -- Mirror, retarget ----------------------------------------------------------------------

// Finds the mirror partner of each joint, for md5_mirror_pose(). The partner of a left joint is the
// right joint with the same name except for the side. Writes mirror[num_joints]: the index of the
// partner of each joint. Returns the number of joints that have a partner. A joint without a
// partner is its own partner. If the skeleton has more than 65536 joints, no joint has a partner.
//
// Names contain their side in one of three forms:
//
// - The letter l or r in upper or lower case, between two separators or between a separator and an
//   end of the name. Separators are . _ - : and the space. Examples: hand.L, l_hand, "Bip01 L
//   Hand".
// - The word left or right in upper or lower case, at any position.
// - The letter L or R at an end of the name, next to a lower-case letter. Example: Lhand.
MD5_PLAY_API uint32_t md5_build_mirror(const md5_skeleton *skeleton, uint32_t *mirror);

// Exchanges left and right of a pose by mirroring it at the plane through the origin of model space
// that is perpendicular to the left direction. This is the plane y = 0 for MD5_AXES_ID and
// MD5_AXES_Z_UP_LEFT, and x = 0 for all other axes.
//
// `mirror` is the result of md5_build_mirror(). Each joint receives the mirrored difference between
// its partner's transform and the partner's bind pose. Therefore the local axes of the skeleton
// need not be symmetric, and bones may have different lengths. Mirroring twice restores the
// original pose. The arrays `pose` and `mirrored`, with num_joints elements each, must not overlap.
MD5_PLAY_API void md5_mirror_pose(const md5_model *model, const uint32_t *mirror,
                                  const md5_xform *pose, md5_xform *mirrored);

// A mapping between the joints of two models, with which poses of one model (the source) are
// transferred to a model with other proportions (the target). The structure is opaque.
typedef struct md5_retarget md5_retarget;

// A pair of joints for retargeting: a joint of the source model drives a joint of the target model.
typedef struct md5_joint_pair {
    // Names of the joints. If one name is NULL, the other joint is excluded from retargeting.
    const char *source, *target;
    // Set this member to true if the bind poses of the models differ at this joint, for example for
    // the arms of a T-pose and an A-pose. The bind pose of the target is then rotated, from this
    // joint downward, before poses are compared, so that the bone to the first child that has a
    // pair points in the direction of the bone of the source.
    bool align;
    // Name of a second source joint, or NULL. If it is not NULL, the target joint receives a
    // rotation that is interpolated between the rotations of `source` (fraction 0) and `next`
    // (fraction 1). Use this for chains with different numbers of joints, such as spines.
    const char *next;
    float fraction;
    uint64_t reserved[2]; // must be 0
} md5_joint_pair;

// Creates a retarget from the model `source` to the model `target`. Both models must exist as long
// as the retarget. Free it with md5_destroy_retarget(). Use a retarget to play the clips of one
// model on a model with other proportions or other names of joints.
//
// Mapping. pairs[num_pairs] map source joints to target joints; a source joint may drive any number
// of target joints. Joints without a pair are mapped by equal names. Target joints that are not
// mapped keep their bind pose, which causes a warning (opts->warn). A target joint that is mapped
// is called driven.
//
// Rotations. Rotations are transferred in model space, relative to the bind poses, so the local
// axes of the models may differ. Bones keep the lengths of the target.
//
// Legs. An aligned joint is a joint whose pair has `align` set, and an aligned bone begins at an
// aligned joint. A leg consists of two consecutive aligned bones that end in the lowest quarter of
// the driven joints, in both models. The joint at the end of a leg keeps its bind pose relative to
// the ground. The pelvis is the joint above the legs. The pelvis and its ancestors move like the
// same joints of the source, scaled by the ratio of the leg lengths, so that planted feet do not
// slide. Translations of other joints are scaled by the same ratio in the space of their parents,
// except for aligned joints. If no legs are found, the pelvis is the first driven joint that is
// above the ground in both bind poses, and the ratio is the quotient of its heights in both models.
//
// Returns NULL with MD5_ERROR_MISMATCH if a name does not exist, if a target joint is in two pairs,
// or if no joint is mapped, and with MD5_ERROR_MEMORY if memory runs out. `opts` may be NULL; its
// members allocator, warn, warn_user and max_warnings are used.
MD5_PLAY_API md5_retarget *md5_create_retarget(const md5_model *source, const md5_model *target,
                                               const md5_joint_pair *pairs, uint32_t num_pairs,
                                               const md5_load_opts *opts, md5_error *error);
MD5_PLAY_API void md5_destroy_retarget(md5_retarget *retarget); // accepts NULL

// Transfers a pose: reads source[source joints] and writes target[target joints]. `scratch` is
// memory of the caller with md5_retarget_pose_scratch() bytes, at any alignment. The three arrays
// must not overlap.
MD5_PLAY_API void md5_retarget_pose(const md5_retarget *retarget, const md5_xform *source,
                                    md5_xform *target, void *scratch);

// Returns the size of the scratch memory of md5_retarget_pose() in bytes.
MD5_PLAY_API size_t md5_retarget_pose_scratch(const md5_retarget *retarget);

// Returns the ratio by which displacements of the pelvis are scaled: the leg length of the target
// divided by the leg length of the source, or the ratio of heights if there are no legs.
MD5_PLAY_API float md5_retarget_ratio(const md5_retarget *retarget);

// == Procedural gait =============================================================================
//
// A procedural gait moves legs by rules instead of clips. It works for any number of legs up to
// MD5_MAX_LEGS, on any ground, at any speed and in any direction.
//
// Each leg has a home, which is the position of its foot at rest relative to the body. Legs are
// divided into groups. Only the legs of one group are in the air at a time, while all other feet
// remain at their positions. When the body has moved so far that the feet of a group are too far
// behind their homes, the legs of this group step. Each foot lands at the position that its home
// will have in the middle of the following stance. A stance is the time in which a foot is on the
// ground. The body follows the feet: its height is the mean of their heights, and it tilts with the
// plane through them. The rule for landing (a foot lands half of a stance ahead of its home) is the
// rule of Raibert's machines (1986, ch. 2); their dynamics are not simulated.
//
// Use the functions in the following order:
//
//   md5_gait_begin()       once: reads the homes from a pose, puts the feet on the ground
//   md5_gait_advance()     each frame: moves the character with a velocity and a turning rate
//   md5_gait_placement()   each frame: returns the transform of the character
//   md5_gait_pose()        each frame: bends body and legs of a pose, for example of an idle clip
//
// These functions do not allocate memory. The state of a gait is a plain structure without
// pointers. Copy it to save it, for a replay or for a network. Only the operations + - * / and
// square roots are used, so every platform computes the same bits. World space has the axes of the
// skeleton, as everywhere in this header.

// The largest number of legs of a gait.
enum { MD5_MAX_LEGS = 8 };

// A function of the caller that returns the height of the ground, along the up axis, at the
// position `at` in world space. The height of `at` has no meaning. The function may write the
// normal of the ground to *normal, in world space and with any length; its initial value is the up
// direction. If the result is not finite, the height of the character is used.
typedef float md5_terrain_fn(void *user, md5_vec3 at, md5_vec3 *normal);

// Description of a leg of a procedural gait, in which rules instead of clips move the legs.
typedef struct md5_leg {
    md5_limb limb; // indices of the joints of hip, knee and ankle
    // Index of a joint above the hip that rotates the leg forward and backward around the up axis
    // of the body, such as the coxa of an insect. If MD5_NONE, the hip performs this rotation.
    uint32_t swivel;
    // Group of the leg, from 0 to num_groups - 1; the legs of a group step together. Neighboring
    // legs should be in different groups.
    uint32_t group;
    uint64_t reserved[2]; // must be 0
} md5_leg;

// Description of a procedural gait, in which rules instead of clips move the legs. Lengths are in
// units of the skeleton. Members after `user` are optional: a value of 0 selects the default.
typedef struct md5_gait_desc {
    const md5_skeleton *skeleton;
    const md5_leg *legs; // [num_legs] joints and group of each leg
    uint32_t num_legs;   // number of legs, 1 to MD5_MAX_LEGS
    // Number of groups of legs, 1 to num_legs. Each group must contain a leg.
    uint32_t num_groups;
    // Index of the joint that tilts with the ground. It must be an ancestor of all legs.
    uint32_t body;
    // Function that returns the height of the ground. If NULL, the ground is flat and at height 0.
    md5_terrain_fn *terrain;
    void *user; // first argument of `terrain`

    // The home of a foot is its position at rest. The radius of the gait is the mean distance of
    // the homes from their common center. It measures the size of the character, so the next two
    // defaults are fractions of it.

    // Largest distance of a foot from its home. 0 means 0.5 times the radius of the gait.
    float step_length;
    // Height of a foot above the straight line of its step. 0 means 0.15 times the radius of the
    // gait.
    float step_height;
    // Distance of a foot from its home at which the leg steps. 0 means 0.1 times step_length.
    float slack;
    float step_seconds; // duration of a step at low speed, in seconds; 0 means 0.45
    float min_seconds;  // duration of a step at the highest speed, in seconds; 0 means 0.15
    // Time constant, in seconds, with which the velocity and the turning rate follow the requested
    // values. The value 0 means 0.15, MD5_EXPLICIT_ZERO means immediate changes.
    float response;
    // Time constant, in seconds, with which the height and the tilt of the body follow the feet.
    // The value 0 means 0.12.
    float smoothing;
    // Tilt of the body towards the inside of a curve: slope of the tilt per unit/s^2 of sideways
    // acceleration. The value 0 means no tilt.
    float bank;
    uint64_t reserved[4]; // must be 0
} md5_gait_desc;

// State of one leg of a procedural gait.
typedef struct md5_foothold {
    // Home of the foot: its position at rest, in model space, at height 0.
    md5_vec3 home;
    float rise;    // height of the ankle joint above the sole of the foot, in units
    md5_quat rest; // rotation of the ankle at rest, in model space
    // Position of the sole, in world space. It is constant while the foot is on the ground.
    md5_vec3 position;
    md5_vec3 normal; // normal of the ground at the position of the sole, in world space
    // Rotation of the character, in world space, at the time when the foot landed.
    md5_quat facing;
    bool is_stepping; // true while the foot is in the air
    // Completed fraction of the current step, 0 to 1.
    float progress;
    md5_vec3 from, to; // start and end of the current step, in world space
    // Normal of the ground at the end of the current step, in world space.
    md5_vec3 to_normal;
    // Value of `facing` at the start of the current step.
    md5_quat from_facing;
    // Height to which the foot rises above the line from the start to the end of the step, in
    // units.
    float lift;
    uint64_t reserved[2]; // must be 0
} md5_foothold;

// State of a procedural gait: the position and velocity of the character, and its feet.
typedef struct md5_gait {
    // Position of the character on the ground, in world space.
    md5_vec3 position;
    // Rotation of the character around the up axis, from model space to world space.
    md5_quat facing;
    md5_vec3 velocity; // current velocity, in units/s, in model space
    // Current turning rate, in radians/s. Positive values turn left.
    float turn_rate;
    // Up direction of the body, which follows the ground: a unit vector in world space.
    md5_vec3 normal;
    float radius; // mean distance of the homes of the feet from their center, in units
    // Duration of a step at the current speed, in seconds.
    float seconds;
    uint32_t num_legs;               // number of legs in the description
    md5_foothold feet[MD5_MAX_LEGS]; // [num_legs] state of each leg
    uint64_t reserved[4];            // must be 0
} md5_gait;

// Starts a gait and writes its state to *gait. Reads homes, heights and rotations of the feet from
// pose[num_joints]. In this pose the character must stand on the ground plane of the model. The
// feet are put on the ground at `placement`, the transform of the character in world space; only
// its position and its rotation around the up axis are used. A position that is not finite is
// replaced by the origin. Returns false if a leg is not a valid limb (see md5_limb_result), if the
// swivel of a leg is not above its hip, or if all homes are at the same position. *gait is
// initialized in these cases too.
MD5_PLAY_API bool md5_gait_begin(const md5_gait_desc *desc, const md5_xform *pose,
                                 md5_xform placement, md5_gait *gait);

// Advances the gait by `seconds`, at most one second per call. `velocity` is the requested velocity
// along the ground, in model space and units/s; it can point forward, backward or sideways.
// `turn_rate` is the requested turning rate in radians/s; positive values turn left. If feet would
// have to move farther than step_length within min_seconds, velocity and turning rate are reduced
// by the same factor. Numbers that are not finite count as 0. The time is divided into steps of at
// most 1/120 s, so the result hardly depends on the frame rate.
MD5_PLAY_API void md5_gait_advance(const md5_gait_desc *desc, md5_gait *gait, md5_vec3 velocity,
                                   float turn_rate, double seconds);

// Returns the transform of the character from model space to world space: its position on the
// ground and its rotation around the up axis.
MD5_PLAY_API md5_xform md5_gait_placement(const md5_gait *gait);

// Applies the gait to pose[num_joints]: tilts the body, rotates swivels and bends the legs so that
// each foot is at its current position, on the ground or in a step. The result is for a character
// whose transform is md5_gait_placement(). Returns the number of legs whose ankle reaches this
// position, within 1e-4 of the length of the leg.
MD5_PLAY_API uint32_t md5_gait_pose(const md5_gait_desc *desc, const md5_gait *gait,
                                    md5_xform *pose);

// == Gaze ========================================================================================
//
// The gaze moves a head and eyes that look around automatically.
//
// The gaze rests on a point for some time and then jumps to another point. Such a jump is called a
// saccade. Its duration grows with its angle: 2.2 ms per degree plus 21 ms (R. H. S. Carpenter,
// "Movements of the Eyes", 1988). The points are random directions, or targets of the caller, which
// the gaze follows while they move. The head rotates with a delay and by a part of the angle, while
// the eyes remain on the point.
//
//   md5_gaze_begin(seed, &gaze)                               once
//   md5_gaze_advance(&desc, skeleton->axes, &gaze, seconds)   each frame
//   md5_gaze_pose(&desc, &gaze, skeleton, 1.0f, pose)         rotates head and eyes of a pose
//
// These functions do not allocate memory. The state is a plain structure without pointers; copy it
// to save it. The same seed gives the same gaze, with the same bits on every platform. Except for
// rounding, the gaze does not depend on the frame rate. Several threads may use the same
// description.

// The largest number of eyes of a gaze.
enum { MD5_MAX_EYES = 8 };

// Parameters of a gaze: a head and eyes that look around automatically. A member that is 0 has its
// default.
typedef struct md5_gaze_params {
    // Number of joints that rotate the head, including the head's joint. 0 means 3.
    uint32_t length;
    // Probability with which the gaze selects a target of the caller instead of a random direction,
    // 0 to 1. 0 means 0.5; MD5_EXPLICIT_ZERO means that targets are never selected.
    float interest;
    // Range of random directions, as tangents of angles: `wide` for the largest angle to each side,
    // `high` for the largest angle up and down. 0 means 0.8 for `wide` and 0.35 for `high`.
    float wide, high;
    // Distance of the random points at which the eyes look, in units. 0 means 100.
    float distance;
    // Shortest time for which the gaze rests on a point, in seconds, at least 0.05. 0 means 0.4.
    float min_seconds;
    // Longest time for which the gaze rests on a point, in seconds. 0 means 2.5.
    float max_seconds;
    // Fraction of the angle to the point by which the head rotates. 0 means 0.6; MD5_EXPLICIT_ZERO
    // means that only the eyes rotate.
    float head_share;
    // Time constant, in seconds, with which the head follows the eyes. 0 means 0.2;
    // MD5_EXPLICIT_ZERO means no delay.
    float head_seconds;
    // Largest rotation of each of the head's joints, in radians. 0 means 0.5; MD5_EXPLICIT_ZERO
    // means no rotation.
    float head_limit;
    // Largest rotation of an eye, in radians. 0 means 0.6; MD5_EXPLICIT_ZERO means no rotation.
    float eye_limit;
} md5_gaze_params;

// Description of a gaze (a head and eyes that look around automatically): its joints, targets and
// parameters.
typedef struct md5_gaze_desc {
    uint32_t head; // index of the head's joint
    // [num_eyes] Indices of the eyes' joints. The local x axis of each joint must point forward.
    uint32_t eyes[MD5_MAX_EYES];
    // Number of eyes. If 0, only the head rotates.
    uint32_t num_eyes;
    // Point between the eyes at rest, in model space.
    md5_vec3 origin;
    // [num_targets] Points of interest, at which the gaze looks from time to time, in model space.
    const md5_vec3 *targets;
    uint32_t num_targets;
    md5_gaze_params params; // angles, distances and times of the gaze
    uint64_t reserved[4];   // must be 0
} md5_gaze_desc;

// State of a gaze. A direction is stored as two tangents: of its angle to the left, and of its
// angle upward, both from straight ahead. A saccade is a jump of the gaze from one point to
// another.
typedef struct md5_gaze {
    uint64_t random; // state of the random number generator
    // Index of the target at which the gaze looks. If MD5_NONE, it looks in a random direction.
    uint32_t target;
    // Directions of the gaze at the start and at the end of the last saccade.
    md5_vec2 from, to;
    md5_vec2 head;        // current direction of the head
    float seconds;        // time since the start of the last saccade (jump of the gaze), in seconds
    float duration;       // duration of the last saccade (jump of the gaze), in seconds
    float rest;           // time until the next saccade (jump of the gaze), in seconds
    uint64_t reserved[2]; // must be 0
} md5_gaze;

// Starts a gaze that looks straight ahead. The seed determines the sequence of random directions
// and rests; different seeds give different sequences.
MD5_PLAY_API void md5_gaze_begin(uint64_t seed, md5_gaze *gaze);

// Advances the gaze by `seconds`, at most 60 seconds per call. `axes` are the axes of the skeleton.
// The call has no effect if `seconds` is not above 0. Targets that are behind the origin, or whose
// coordinates are not finite, are ignored. If the state contains numbers that are not finite or
// above 1e18, it is reset, and its member `random` is used as the seed.
MD5_PLAY_API void md5_gaze_advance(const md5_gaze_desc *desc, md5_axes axes, md5_gaze *gaze,
                                   double seconds);

// Returns the point at which the eyes look, in model space. `axes` are the axes of the skeleton.
MD5_PLAY_API md5_vec3 md5_gaze_point(const md5_gaze_desc *desc, md5_axes axes,
                                     const md5_gaze *gaze);

// Rotates the head and the eyes of pose[num_joints] towards the point of the gaze. `weight` from 0
// to 1 is the strength of the effect; see md5_solve_aim(). Returns the number of eyes whose joints
// exist.
MD5_PLAY_API uint32_t md5_gaze_pose(const md5_gaze_desc *desc, const md5_gaze *gaze,
                                    const md5_skeleton *skeleton, float weight, md5_xform *pose);

#ifdef __cplusplus
}
#endif

#endif
