// md5pose: operations on a single pose: turning and moving joints, inverse kinematics, springs,
// mirroring, retargeting. md5play.h uses them in state machines; blending is in
// md5model.h.
//
// Axes: "model x", "y" and "z" below are forward, left and up of the skeleton's axes, which are
// id's unless md5_load_opts.axes asked for others.
//
// A pose is md5_xform[model joints], relative to the parent, in joint order. Nothing here
// allocates or fails except md5_create_retarget(). Several threads may work on different poses.
#ifndef MD5POSE_H
#define MD5POSE_H

#include "md5model.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

// -- Space and joints ----------------------------------------------------------------------

// Returns the model-space transform of one joint of `pose`: the product of the transforms from the
// root down to it. `joint` must be valid. Time: depth of the joint.
MD5_PLAY_API md5_xform md5_joint_in_model(const md5_skeleton *skeleton, const md5_xform *pose,
                                          uint32_t joint);

// id's joint modifiers (idAnimator::SetJointPos, SetJointAxis); "world" there is model space.
typedef enum md5_joint_space {
    MD5_JOINT_LOCAL, // rotation applied before the joint's own, translation added in the parent's
                     // space
    MD5_JOINT_LOCAL_OVERRIDE, // replaces the animated transform
    MD5_JOINT_MODEL,          // rotation and translation applied in model space
    MD5_JOINT_MODEL_OVERRIDE, // replaces it, in model space
} md5_joint_space;

// Turns and moves one joint of `pose` as id's joint modifiers do, by `weight` 0..1. As in id's
// engine, a model-space position of joint 0 overrides. A rotation 0 0 0 0 leaves the rotation, a
// translation that is not finite leaves the translation, so either can be changed alone. Returns
// false and changes nothing if the joint index is invalid.
MD5_PLAY_API bool md5_modify_joint(const md5_skeleton *skeleton, uint32_t joint,
                                   md5_joint_space space, md5_xform change, float weight,
                                   md5_xform *pose);

// -- Inverse kinematics --------------------------------------------------------------------
//
// These functions change rotations of `pose` (md5_solve_two_bone() with stretch also translations)
// so that the tip reaches a model-space target, by `weight` 0..1: each rotation is slerped by this
// fraction. Input that is not finite, or farther than 1e15 units, changes nothing. Rotations stay
// of unit length for any input, and every platform gives the same bits. Time is linear in the
// length of the chain and the depth of its joints.
//
// The numbers of a tool are a struct of their own, which also stands in the rows of machines
// (md5machine.h), with the same names and defaults.

// What rotations a joint may have relative to its parent: rest * swing * twist, where the twist
// turns about `axis` and the swing about an axis perpendicular to it (Dobrowolski 2015,
// "Swing-twist decomposition in Clifford algebra").
typedef enum md5_limit_kind {
    MD5_LIMIT_NONE,  // any
    MD5_LIMIT_HINGE, // a twist from `min` to `max`, without swing: elbow, knee
    MD5_LIMIT_CONE,  // a swing of at most `swing`, and a twist from `min` to `max`: shoulder,
                     // neck
} md5_limit_kind;

// Angles are radians, positive as in md5_quat_from_axis_angle(). A table of limits has one row for
// each joint of the skeleton, in joint order; rows of joints that a call does not turn are ignored.
//
// Joints outside their limits are first moved to the nearest allowed rotation: swing and twist each
// to its nearest allowed value. So at weight 1 all joints of the chain obey, to 1e-6 radians, also
// if the target is out of reach; the result is then the nearest that was found. If min == max,
// or `swing` is 0, only this angle is allowed. A smaller weight slerps from the pose as it was.
typedef struct md5_joint_limit {
    md5_limit_kind kind;
    md5_quat rest;  // rotation of which the angles are 0, relative to the parent, such as that
                    // of md5_model.bind_local; 0 0 0 0 means none: 0 0 0 1
    md5_vec3 axis;  // in the joint's own space at `rest`, of any length above 0
    float min, max; // -pi <= min <= max <= pi
    float swing;    // of MD5_LIMIT_CONE: angle between `axis` and its direction at rest, 0..pi
    uint64_t reserved[2]; // 0
} md5_joint_limit;

// The joints of an arm or a leg. There may be others between them, such as twist helpers: they keep
// their transforms, and so their positions along the bone.
typedef struct md5_limb {
    uint32_t root, middle, tip; // shoulder, elbow, hand; hip, knee, ankle
} md5_limb;

typedef struct md5_two_bone_numbers {
    float soften;  // 0..1, share of the reach at its end over which the limb slows down; see below
    float stretch; // longest length as a share of the full reach, >= 1; 0 means 1
} md5_two_bone_numbers;

typedef struct md5_two_bone_job {
    uint32_t tip;         // hand or foot; its parent is the elbow or knee, whose parent is the root
    const md5_limb *limb; // the three joints; `tip` is ignored then. NULL: by parents, as above
    md5_vec3 target;      // target position of the tip
    const md5_vec3
        *pole; // the middle joint bends towards it; NULL: as in the pose, or forward (+x)
    const md5_quat *rotation; // of the tip in model space; NULL: keeps its model-space rotation
    md5_two_bone_numbers numbers;
    float weight;
    const md5_joint_limit *limits; // [num_joints] of root, middle and tip; NULL: none
    uint64_t reserved[4];          // 0
} md5_two_bone_job;
// Bends an arm or a leg so that its tip reaches the target; points it at a target out of reach.
// Returns false and changes nothing if the tip has no two ancestors, or if joints of `limb` do not
// exist or do not descend from each other.
//
// With R the reach, the sum of both bone lengths, and s = soften, the tip reaches every target up
// to R (1 - s) away from the root, except those nearer than the difference of the bone lengths. A
// target at a greater distance d pulls the tip to
//   R (1 - s exp(-x)),  x = (d - R (1 - s)) / (R s),
// to within 1e-6 of R: the limb never straightens abruptly, but misses a target at distance R by
// R s / e. So the effect is small for a small s: 0.05 is common, 0 softens nothing, 1 misses every
// target. With stretch, both bones grow by the same factor as soon as the target would be missed,
// so with softening the limb begins to stretch at R (1 - s).
//
// With limits, the limb is solved in the plane of its hinge, and the solution is moved into the
// limits. If this moves the tip away, other turns about the line from root to target are tried, and
// CCD brings the tip as near as it can; the pole then only decides where the search begins. The tip
// keeps its rotation as far as its limit allows.
MD5_PLAY_API bool md5_solve_two_bone(const md5_skeleton *skeleton, const md5_two_bone_job *job,
                                     md5_xform *pose);

// `forward` is turned to the target, and `up` leans neither left nor right of model z; the steeper
// the direction, the weaker this is. If `forward` and `up` are parallel, nothing rolls.
typedef struct md5_aim_numbers {
    md5_vec3 forward, up; // in the tip's space; 0 0 0 means x and z
    float limit;          // largest turn of each joint, radians; 0 = any turn, MD5_ZERO = none
} md5_aim_numbers;

typedef struct md5_aim_job {
    uint32_t tip;    // head, eye, gun
    uint32_t length; // joints that share the turn equally, tip included; the tip also corrects
                     // for its displacement by the others; at most MD5_MAX_CHAIN
    md5_vec3 target; // point to look at
    md5_aim_numbers numbers;
    float weight;
    uint64_t reserved[4]; // 0
} md5_aim_job;
// Turns a chain of joints so that the tip points at the target. Returns false and changes nothing
// if the tip is invalid or length is 0.
MD5_PLAY_API bool md5_solve_aim(const md5_skeleton *skeleton, const md5_aim_job *job,
                                md5_xform *pose);

// How md5_solve_chain() moves a tip to its target.
typedef enum md5_chain_solver {
    MD5_CHAIN_FABRIK, // draws bones to positions: Aristidou, Lasenby 2011
    MD5_CHAIN_CCD,    // joint by joint, turns those near the tip most: Wang, Chen 1991
    // Damped least squares (Wampler 1986; Nakamura, Hanafusa 1986): turns all joints together, by
    //   J^T (J J^T + lambda^2 I)^-1 e
    // for the tip's error e and its Jacobian J, and none by more than 0.5 radians in one iteration.
    // Most targets take about ten; it finds more of the targets that limits leave in reach than the
    // others do. lambda^2, as a share of the mean of the diagonal of J J^T, begins at 1/100, falls
    // to a fifth, down to 1e-6, after an iteration that came nearer, and grows sixfold after one
    // that did not, which is undone (Marquardt 1963); beyond 1e6 the search ends. Computed in
    // double.
    MD5_CHAIN_LEAST_SQUARES,
} md5_chain_solver;

typedef struct md5_chain_job {
    md5_chain_solver solver;
    uint32_t tip;
    uint32_t length; // joints of the chain, tip included, 2 to MD5_MAX_CHAIN; fewer if the
                     // chain reaches the root of the skeleton
    md5_vec3 target;
    float tolerance;     // units; stops if nearer
    uint32_t iterations; // at most
    float weight;
    const md5_joint_limit *limits; // [num_joints] of the chain's joints, tip included; NULL: none
    uint64_t reserved[4];          // 0
} md5_chain_job;
enum { MD5_MAX_CHAIN = 64 };
// Moves the tip of a chain to the target. Returns the remaining distance at weight 1 in units, or
// INFINITY if the tip is invalid or has no parent, or the target is not finite. The tip keeps its
// rotation relative to its parent. At most 1000 iterations are done.
//
// With limits, the distance is that of the nearest pose found, which is never farther than that of
// the given pose moved into its limits; no solver searches everywhere, so there may be a nearer
// one. CCD turns no joint away from the target, and each hinge by its best angle. FABRIK turns
// joints to their positions as their limits allow; after four rounds in vain it leaves the
// remaining iterations to CCD.
MD5_PLAY_API float md5_solve_chain(const md5_skeleton *skeleton, const md5_chain_job *job,
                                   md5_xform *pose);

// What a tip is to reach.
typedef struct md5_goal {
    uint32_t tip, length; // as in md5_chain_job: the joints that may turn
    md5_vec3 target;
    const md5_quat *rotation; // of the tip in model space; NULL: any, the tip keeps its own
    float weight;             // compared with other goals; above 0, or the goal is ignored
    float distance; // written: units from tip to target at weight 1 of the job; INFINITY if the
                    // goal is ignored or invalid
    uint64_t reserved[2]; // 0
} md5_goal;
enum { MD5_MAX_GOALS = 8, MD5_MAX_GOAL_JOINTS = 128 };
typedef struct md5_goals_job {
    md5_goal *goals;     // [num_goals]
    uint32_t num_goals;  // at most MD5_MAX_GOALS
    float tolerance;     // units; stops if all goals are nearer, see below
    uint32_t iterations; // at most
    float weight;
    const md5_joint_limit *limits; // [num_joints]; NULL: none
    uint64_t reserved[4];          // 0
} md5_goals_job;
// Moves several tips of one skeleton to their targets together, such as two hands on the same
// spine, by damped least squares with one Jacobian for all. Chains may share joints; a joint of any
// chain moves all tips below it. Minimizes the sum over the goals of squared errors times squared
// weights, so the weights decide which goal gives way if not all can be reached; to fade, use that
// of the job.
//
// An error of a rotation counts as the length of its chain for each radian (twice the sine of half
// of the angle), and must likewise be within the tolerance. A tip with a rotation turns too.
//
// Returns the largest distance among the goals that are not ignored: INFINITY if one of them is
// invalid, as in md5_solve_chain(), or if chains and the joints between them exceed
// MD5_MAX_GOAL_JOINTS; the others are solved without it. Needs about 100 KiB of stack.
MD5_PLAY_API float md5_solve_goals(const md5_skeleton *skeleton, const md5_goals_job *job,
                                   md5_xform *pose);

// Result of posing a limb.
typedef enum md5_limb_result {
    MD5_LIMB_PLACED,       // the tip is at its target, to 1e-4 of the reach
    MD5_LIMB_OUT_OF_REACH, // it points there, as near as it can
    MD5_LIMB_NO_JOINT,     // a joint index is invalid
    MD5_LIMB_NO_PARENTS,   // no joints are given, and the tip has no two ancestors
    MD5_LIMB_NO_CHAIN,     // the tip does not descend from the middle joint, or that from the root
    MD5_LIMB_NO_BONE,      // a bone is shorter than 1e-5 of the reach: the limb cannot bend. Rigs
                           // with helper joints have such bones: give the joints
    MD5_LIMB_NOT_FINITE,   // pose, height or target is not finite, or beyond 1e15 units
} md5_limb_result;

// Feet on uneven ground, as id's walk IK: each foot is lifted by the height of its floor, the
// pelvis drops to the lowest one (or rises if all are higher), legs bend.
typedef struct md5_foot {
    uint32_t ankle;  // unless has_leg, its parent is the knee, whose parent is the hip
    float floor;     // height of the ground under the foot, model z, 0 = where it stands; if it
                     // is not finite, `lift` stays
    md5_vec3 normal; // of the ground, model space, towards which the foot tilts; 0 0 0 = up
    float lift;      // smoothed height; kept by the caller between calls, initially 0
    // Whether knee and hip are given, as id's "ik_knee1" and "ik_hip1": for rigs with helper joints
    // between them, see md5_limb.
    bool has_leg;
    uint32_t knee, hip;
    md5_limb_result result; // written
    float miss; // written: units from ankle to target, INFINITY if the leg could not be bent
    uint64_t reserved[2]; // 0
} md5_foot;
// When a foot counts as standing, and how it is let go: of feet that machines hold where they
// stand: md5_modifier_hold in md5machine.h.
typedef struct md5_hold_numbers {
    float height;   // units; 0 means 0.3 of id's units, MD5_ZERO means 0
    float speed;    // units/s; 0 means 10 of id's units, MD5_ZERO means 0
    float distance; // units; 0 means 4 of id's units, MD5_ZERO means 0: feet are not held
    float release;  // seconds; 0 means 0.2, MD5_ZERO means 0: at once
} md5_hold_numbers;

typedef struct md5_feet_job {
    uint32_t pelvis; // is lowered with the lowest floor; it does not move if it is no joint
    md5_foot *feet;  // [num_feet]
    uint32_t num_feet;
    float drop;      // written: displacement of the pelvis; kept between calls, initially 0
    float smoothing; // time constant of `lift` and `drop`, seconds; 0 = none
    float seconds;   // since the last call: the result does not depend on the frame rate
    float weight;
    uint64_t reserved[4]; // 0
} md5_feet_job;
// Places feet on the ground. With weight 0 only `lift` and `drop` are updated and the joints
// checked. Returns the number of feet that are placed (MD5_LIMB_PLACED); `result` says what is
// wrong with the others. A leg without a chain of joints keeps its pose and moves with the pelvis.
MD5_PLAY_API uint32_t md5_solve_feet(const md5_skeleton *skeleton, md5_feet_job *job,
                                     md5_xform *pose);

// A chain that lags behind its animation and swings. A damped spring pulls the end of each joint to
// its animated position,
//   end'' = stiffness * (animated end - end) - damping * end' + acceleration
// and the joint points at it; the tip's end is as far from the tip, and in the same direction in
// its own space, as the tip is from its parent. Bones keep their lengths. Damping is relative to
// world space, as by air: at constant speed v the end trails by damping * v / stiffness.
typedef struct md5_spring_joint {
    md5_vec3 position, velocity; // of the joint's end, world space
    md5_vec3 target;             // its last animated position, world space
} md5_spring_joint;
typedef struct md5_spring_numbers {
    float stiffness; // 1/s^2; 0 means 120, MD5_ZERO: no effect
    float damping;   // 1/s; 0 means 8, MD5_ZERO means 0
    float gravity;   // units/s^2, down model z
} md5_spring_numbers;

typedef struct md5_spring_job {
    uint32_t tip, length; // as in md5_chain_job; the first joint keeps its animated position
    md5_spring_numbers numbers;
    md5_vec3 acceleration;   // besides gravity, such as wind, units/s^2, world space
    md5_xform placement;     // model to world: moving the character swings the chain
    md5_spring_joint *state; // [length] of the caller; written
    float seconds;           // since the last call
    bool is_first;           // the first call, or the first after a teleport
    float weight;
    uint64_t reserved[4]; // 0
} md5_spring_job;
// Advances a spring chain and poses it. The motion is solved exactly for an animation that moves
// linearly between calls: stable for any step, independent of how time is split. If `is_first`, the
// chain starts at its animated position; so does a state that is not finite. With weight 0 only the
// state advances. Returns false and changes nothing if the tip is invalid, a joint of the chain has
// no finite position, or stiffness is not above 0.
MD5_PLAY_API bool md5_solve_spring(const md5_skeleton *skeleton, const md5_spring_job *job,
                                   md5_xform *pose);

// -- Mirror, retarget ----------------------------------------------------------------------

// Finds the mirror partner of each joint, by names that differ only in their side: l and r in any
// case between signs (. _ - : space) or a sign and an end of the name (hand.L, l_hand,
// "Bip01 L Hand"); left and right in any case, anywhere; L and R at an end beside a small letter
// (Lhand). A joint without a partner is its own partner; so is each joint of a skeleton of more
// than 65536 joints. Writes mirror[num_joints]. Returns the number of joints that have a partner.
MD5_PLAY_API uint32_t md5_build_mirror(const md5_skeleton *skeleton, uint32_t *mirror);

// Mirrors a pose at the plane y = 0 of model space: exchanges left and right. Each joint takes the
// mirrored difference of its partner from the bind pose, so local axes need not be mirrored, nor
// bones equally long. Mirroring twice gives the original pose. `mirrored` and `pose`, [num_joints]
// each, must not overlap.
MD5_PLAY_API void md5_mirror_pose(const md5_model *model, const uint32_t *mirror,
                                  const md5_xform *pose, md5_xform *mirrored);

// Transfers poses of one model to another one with other proportions.
typedef struct md5_retarget md5_retarget;
typedef struct md5_joint_pair {
    const char *source, *target; // NULL: excludes the other one
    // For bind poses that differ here, as arms do between T and A pose: first turns the target's
    // bind pose, from this joint downward, so that the bone to its first driven child points as the
    // source's does.
    bool align;
    // NULL, or another source joint: the target turns by that part of the way from `source` to it,
    // as joints of chains of which the other skeleton has more or fewer.
    const char *next;
    float part;
    uint64_t reserved[2]; // 0
} md5_joint_pair;
// Creates a retarget; free it with md5_destroy_retarget(). pairs[num_pairs] map source joints to
// any number of target joints; joints not named are mapped by equal names; the others keep their
// bind pose, which opts->warn reports. Rotations are transferred in model space relative to the
// bind poses, so local axes may differ; bones keep the target's lengths. Legs are two aligned bones
// in a row that end in the lowest quarter of the driven joints of both: what they end in stands as
// in the bind pose. The pelvis, from which they hang, and its ancestors move as the source's do,
// scaled by the ratio of the legs, so that feet that stand do not slide; so do translations of
// other joints in their parents' space, but those that are aligned. Without legs the pelvis is the
// first driven joint above the ground in both bind poses, and the ratio that of its heights.
// Returns NULL with MD5_ERROR_MISMATCH if a name is unknown, a target is in two pairs, or no joint
// is mapped. Both models must outlive it.
MD5_PLAY_API md5_retarget *md5_create_retarget(const md5_model *source, const md5_model *target,
                                               const md5_joint_pair *pairs, uint32_t num_pairs,
                                               const md5_load_opts *opts, md5_error *error);
MD5_PLAY_API void md5_destroy_retarget(md5_retarget *retarget); // NULL is allowed
// Writes target[target joints] from source[source joints]. `scratch` is of any alignment and of
// md5_retarget_pose_scratch() bytes; the three must not overlap.
MD5_PLAY_API void md5_retarget_pose(const md5_retarget *retarget, const md5_xform *source,
                                    md5_xform *target, void *scratch);
MD5_PLAY_API size_t md5_retarget_pose_scratch(const md5_retarget *retarget);
MD5_PLAY_API float md5_retarget_ratio(const md5_retarget *retarget); // target / source

// == Walking legs ================================================================================
//
// Legs that walk by rules alone, without clips: over any ground, at any speed and in any
// direction.
//
// Each leg has a home, the place of its foot at rest. Legs belong to groups; only legs of one group
// are in the air at a time, while the feet of all others stay exactly where they stand. When the
// body has moved so far that a group lags behind its homes, its legs step to where their homes will
// be in the middle of their next stand. The body follows the feet: its height is their mean, its
// tilt that of the plane through them (the gait is that of Raibert's machines, 1986, ch. 2, without
// their dynamics: a foot lands half of a stand ahead of its home).
//
//   md5_walk_begin()                once: homes from a pose, feet on the ground
//   md5_walk_advance()              each frame: velocity and turn, seconds
//   md5_walk_placement()            where the character is
//   md5_walk_pose()                 bends body and legs of a pose, such as one of an idle clip
//
// Nothing allocates. The state is a plain structure without pointers: copy it to save it, for a
// replay or a network. Only + - * / and square roots are used, so every platform gives the same
// bits. World space has the axes of the skeleton, as in all of this header.

enum { MD5_MAX_LEGS = 8 };

// Returns the height of the ground, along the up axis, at a position in world space, whose own
// height does not matter. May write the ground's normal, which is up before, world space; its
// length does not matter. A height that is not finite counts as that of the character.
typedef float md5_terrain_fn(void *user, md5_vec3 at, md5_vec3 *normal);

typedef struct md5_leg {
    md5_limb limb; // hip, knee, ankle
    // A joint above the hip that turns the leg forward and backward about the body's up axis, such
    // as an insect's coxa; MD5_NONE: the hip does it.
    uint32_t swivel;
    uint32_t group;       // 0 .. num_groups - 1; neighbours should be in different ones
    uint64_t reserved[2]; // 0
} md5_leg;

// Zero in a field of the second part means its default. Units are those of the skeleton.
typedef struct md5_walk_desc {
    const md5_skeleton *skeleton;
    const md5_leg *legs;     // [num_legs]
    uint32_t num_legs;       // 1 to MD5_MAX_LEGS
    uint32_t num_groups;     // 1 to num_legs; each has a leg
    uint32_t body;           // joint that tilts, above all legs
    md5_terrain_fn *terrain; // NULL = flat ground at height 0
    void *user;

    // The default of a length is a share of the mean distance of the homes from their middle.
    float step_length;  // longest distance of a foot relative to its home; 0 = 0.5
    float step_height;  // of a foot above the line of its step; 0 = 0.15
    float slack;        // distance from home at which a leg steps; 0 = 0.1 of step_length
    float step_seconds; // of a slow step; 0 = 0.45
    float min_seconds;  // of the quickest step; 0 = 0.15
    float response;     // time constant with which velocity and turn follow, seconds; 0 = 0.15,
                        // MD5_ZERO = at once
    float smoothing;    // time constant of the body's height and tilt, seconds; 0 = 0.12
    float bank; // slope of leaning into a curve, for each unit/s^2 towards its inside; 0 = none
    uint64_t reserved[4]; // 0
} md5_walk_desc;

// A leg's part of the state.
typedef struct md5_foothold {
    md5_vec3 home;     // model space, at height 0
    float rise;        // of the ankle above the sole, units
    md5_quat rest;     // rotation of the ankle at rest, model space
    md5_vec3 position; // of the sole, world space; does not change while the foot stands
    md5_vec3 normal;   // of the ground there
    md5_quat facing;   // of the character when the foot came to stand, world space
    bool is_stepping;
    float progress;    // 0..1 of the step
    md5_vec3 from, to; // ends of the step
    md5_vec3 to_normal;
    md5_quat from_facing;
    float lift;           // height of the step above its line
    uint64_t reserved[2]; // 0
} md5_foothold;

// The state of a walk.
typedef struct md5_walk {
    md5_vec3 position; // of the character, world space, at the height of the ground
    md5_quat facing;   // rotation about the up axis, model to world
    md5_vec3 velocity; // units/s, model space
    float turn;        // radians/s, to the left
    md5_vec3 normal;   // the body's up, world space, unit length
    float radius;      // mean distance of the homes from their middle
    float seconds;     // of a step at the present speed
    uint32_t num_legs; // as in the description
    md5_foothold feet[MD5_MAX_LEGS];
    uint64_t reserved[4]; // 0
} md5_walk;

// Begins to walk: takes homes, heights and rotations of the feet from pose[num_joints], in which
// the character stands on the model's ground plane, and puts the feet on the ground at
// `placement`, of which only the rotation about the up axis counts. Returns false, and fills `walk`
// all the same, if a leg is no limb, see md5_limb_result, its swivel is not above its hip, or all
// homes are in one place.
MD5_PLAY_API bool md5_walk_begin(const md5_walk_desc *desc, const md5_xform *pose,
                                 md5_xform placement, md5_walk *walk);

// Walks for `seconds`. `velocity` is in model space, units/s, along the ground: forward, backward,
// sideways; `turn` is in radians/s, to the left. Both are reduced by one factor where feet would
// have to move faster than step_length in min_seconds. Numbers that are not finite count as 0.
// Computes in steps of at most 1/120 s, so the result hardly depends on the frame rate; at most
// one second a call.
MD5_PLAY_API void md5_walk_advance(const md5_walk_desc *desc, md5_walk *walk, md5_vec3 velocity,
                                   float turn, double seconds);

// Returns the model-to-world transform: rotation about the up axis, position on the ground.
MD5_PLAY_API md5_xform md5_walk_placement(const md5_walk *walk);

// Tilts the body of pose[num_joints], swivels legs and bends them so that each ankle is where its
// foot stands or steps, for a character at md5_walk_placement(). Returns the number of legs that
// reach it, to 1e-4 of their length.
MD5_PLAY_API uint32_t md5_walk_pose(const md5_walk_desc *desc, const md5_walk *walk,
                                    md5_xform *pose);

// == Gaze ========================================================================================
//
// A head and eyes that look about by themselves.
//
// The gaze rests on one point for a while and then jumps to another: a saccade, whose duration
// grows with its angle, 2.2 ms a degree and 21 ms (R. H. S. Carpenter, "Movements of the Eyes",
// 1988). Points are directions at random or targets that the caller gives, which are followed while
// they move. The head comes after, a part of the way, and the eyes keep the point meanwhile.
//
//   md5_gaze_begin(seed, &gaze)                               once
//   md5_gaze_advance(&desc, skeleton->axes, &gaze, seconds)   each frame
//   md5_gaze_pose(&desc, &gaze, skeleton, 1.0f, pose)         turns head and eyes of a pose
//
// Nothing allocates. The state is a plain structure without pointers: copy it to save it. The same
// seed gives the same gaze with the same bits on every platform, and, but for rounding, however the
// time is split into frames. Threads may share a description.

enum { MD5_MAX_EYES = 8 };

typedef struct md5_gaze_numbers {
    uint32_t length;    // joints that turn the head, itself included; 0 = 3
    float interest;     // 0..1: how often a target is selected; 0 = 0.5, MD5_ZERO = never
    float wide, high;   // of directions at random, tangents to each side; 0 = 0.8 and 0.35
    float distance;     // of points at random, units; 0 = 100
    float min_seconds;  // how long the gaze rests, at least 0.05 s; 0 = 0.4
    float max_seconds;  // 0 = 2.5
    float head_share;   // of the way that the head goes; 0 = 0.6, MD5_ZERO = none
    float head_seconds; // time constant with which it follows; 0 = 0.2, MD5_ZERO = at once
    float head_limit;   // largest turn of each joint, radians; 0 = 0.5, MD5_ZERO = none
    float eye_limit;    // largest turn of an eye, radians; 0 = 0.6, MD5_ZERO = none
} md5_gaze_numbers;

typedef struct md5_gaze_desc {
    uint32_t head;               // joint
    uint32_t eyes[MD5_MAX_EYES]; // [num_eyes] joints, whose own x axis looks ahead
    uint32_t num_eyes;           // 0: the head alone looks
    md5_vec3 origin;             // between the eyes at rest, model space
    const md5_vec3 *targets;     // [num_targets] points worth a look, model space
    uint32_t num_targets;
    md5_gaze_numbers numbers;
    uint64_t reserved[4]; // 0
} md5_gaze_desc;

// The state of a gaze. Directions are tangents to the left and upward of straight ahead.
typedef struct md5_gaze {
    uint64_t random;
    uint32_t target;      // index of the target that is looked at; MD5_NONE = a direction at random
    md5_vec2 from, to;    // of the last saccade
    md5_vec2 head;        // where the head is
    float seconds;        // since the saccade began
    float duration;       // of the saccade
    float rest;           // seconds until the next one
    uint64_t reserved[2]; // 0
} md5_gaze;

// Begins with a look straight ahead. Every seed gives another order.
MD5_PLAY_API void md5_gaze_begin(uint64_t seed, md5_gaze *gaze);

// Looks on for `seconds`, at most 60 in one call; nothing happens if it is not above 0. A state
// whose numbers are not finite or above 1e18 begins anew, from its `random`. Targets that are
// behind the origin or not finite are not looked at. `axes` are those of the skeleton.
MD5_PLAY_API void md5_gaze_advance(const md5_gaze_desc *desc, md5_axes axes, md5_gaze *gaze,
                                   double seconds);

// Returns the point that the eyes look at, model space.
MD5_PLAY_API md5_vec3 md5_gaze_point(const md5_gaze_desc *desc, md5_axes axes,
                                     const md5_gaze *gaze);

// Turns head and eyes of pose[num_joints] by `weight`, 0 to 1: see md5_solve_aim(). Returns the
// number of eyes that exist.
MD5_PLAY_API uint32_t md5_gaze_pose(const md5_gaze_desc *desc, const md5_gaze *gaze,
                                    const md5_skeleton *skeleton, float weight, md5_xform *pose);

#ifdef __cplusplus
}
#endif

#endif
