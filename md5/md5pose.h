// md5pose: what can be done with a pose, by itself: joints turned and moved, inverse kinematics,
// springs, mirroring, retargeting, measuring. md5play.h makes machines of it; blending is in
// md5model.h.
//
// A pose is md5_transform[model joints], relative to the parent, in joint order. Nothing here
// allocates or fails but what makes a retarget. Any number of threads may work on poses of their
// own.
#ifndef MD5POSE_H
#define MD5POSE_H

#include "md5model.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

// Says 0 in fields whose 0 means a default other than 0, so that {0} means all defaults: layer and
// item weights, speed, limit, stiffness, damping. For a number x that is worked out:
// `x == 0.0f ? MD5_ZERO : x`. The value is FLT_MIN, which counts as exactly 0 there.
#define MD5_ZERO 1.17549435e-38f

// -- Space and joints ----------------------------------------------------------------------

// Model-space transform of one joint of `pose`: its way up to the root, multiplied.
MD5_API md5_transform md5_joint_in_model(const md5_skeleton *skeleton, const md5_transform *pose,
                                         uint32_t joint);

// What is attached to a joint: model-space matrix of joints[joint] * offset.
MD5_API md5_mat34 md5_attach(const md5_mat34 *joints, uint32_t joint, md5_transform offset);

// id's joint modifiers (idAnimator::SetJointPos, SetJointAxis); "world" there is model space.
typedef enum md5_joint_space {
    MD5_JOINT_LOCAL,          // turned before the parent's rotation, moved in the parent's space
    MD5_JOINT_LOCAL_OVERRIDE, // in place of the animated transform
    MD5_JOINT_MODEL,          // turned and moved in model space
    MD5_JOINT_MODEL_OVERRIDE, // in place of it, in model space
} md5_joint_space;

// Turns and moves one joint of `pose` as id's joint modifiers do, by `weight` 0..1. In model
// space, a position of joint 0 overrides, as there. A rotation 0 0 0 0 turns nothing, a translation
// that is not finite moves nothing: so one can be changed, or overridden, without the other.
// False if there is no such joint.
MD5_API bool md5_modify_joint(const md5_skeleton *skeleton, md5_transform *pose, uint32_t joint,
                              md5_joint_space space, md5_transform change, float weight);

// -- Inverse kinematics --------------------------------------------------------------------
//
// All of these change rotations of `pose` (md5_two_bone() with stretch also translations) so that
// the tip comes to a model-space target, by `weight` 0..1: each rotation is slerped that far. What
// is not finite, or farther than 1e15 units, changes nothing. Rotations stay of unit length
// whatever comes in, and every machine gives the same bits. Time linear in the length of the chain
// and the depth of its joints.

// The joints of an arm or a leg. Others may lie between them, such as helpers that twist: they keep
// their transforms, and so their places along the bone.
typedef struct md5_limb {
    uint32_t root, middle, tip; // shoulder, elbow, hand; hip, knee, ankle
} md5_limb;

typedef struct md5_two_bone_job {
    uint32_t tip;         // hand or foot; its parent is elbow or knee, whose parent is the root
    const md5_limb *limb; // the three joints; `tip` is not used then. NULL: by parents, as above
    md5_vec3 target;      // where the tip is to be
    const md5_vec3 *pole; // the middle joint bends towards it; NULL: as it is bent, or forward (+x)
    const md5_quat *rotation; // of the tip in model space; NULL: keeps its own, relative to model
    float soften;  // 0..1, share of the reach at its end over which the limb slows down; see below
    float stretch; // longest length as a share of the full reach, >= 1; 0 counts as 1
    float weight;
} md5_two_bone_job;
// False if the tip has no two parents, or if `limb` names joints that do not exist or do not hang
// on each other: nothing changes then. A target out of reach is pointed at.
//
// With R the reach, which is the length of both bones, and s = soften, the tip hits every target up
// to R (1 - s) away from the root, but for those nearer than the bones' difference. A target at a
// distance d beyond that pulls the tip to
//   R (1 - s exp(-x)),  x = (d - R (1 - s)) / (R s),
// to within 1e-6 of R: the limb never straightens with a jerk, but misses by R s / e where the
// target is just R away. So a small s is a small effect: 0.05 is common, 0 softens nothing, 1
// misses every target. With stretch, both bones grow alike as soon as the target would be missed
// otherwise, so that softening begins to stretch the limb at R (1 - s).
MD5_API bool md5_two_bone(const md5_skeleton *skeleton, md5_transform *pose,
                          const md5_two_bone_job *job);

// `forward` comes to point at the target, and `up` leans neither left nor right of model z, the
// nearer to the vertical one looks the less so; where both are one direction, nothing rolls.
typedef struct md5_aim_job {
    uint32_t tip;         // head, eye, gun
    uint32_t length;      // joints that share the turn, tip included, each an equal part; the tip
                          // also what the way of the others has changed; at most MD5_MAX_CHAIN
    md5_vec3 target;      // point to look at
    md5_vec3 forward, up; // in the tip's space; 0 0 0 counts as x and z
    float limit;          // largest turn of each joint, radians; 0 = any turn, MD5_ZERO = none
    float weight;
} md5_aim_job;
// False if there is no such joint.
MD5_API bool md5_aim(const md5_skeleton *skeleton, md5_transform *pose, const md5_aim_job *job);

typedef struct md5_chain_job {
    uint32_t tip;
    uint32_t length; // joints of the chain, tip included, 2 to MD5_MAX_CHAIN; those that there are
                     // if the root of the skeleton comes first
    md5_vec3 target;
    float tolerance;     // units; ends when nearer
    uint32_t iterations; // at most
    float weight;
} md5_chain_job;
enum { MD5_MAX_CHAIN = 64 };
// Both return the distance that remains with weight 1, INFINITY where there is no such joint,
// parent or target. The tip keeps its rotation relative to its parent. At most 1000 iterations are
// made. FABRIK: Aristidou, Lasenby 2011. CCD, which turns joints near the tip most: Wang, Chen
// 1991.
MD5_API float md5_fabrik(const md5_skeleton *skeleton, md5_transform *pose,
                         const md5_chain_job *job);
MD5_API float md5_ccd(const md5_skeleton *skeleton, md5_transform *pose, const md5_chain_job *job);

// What became of a limb.
typedef enum md5_limb_result {
    MD5_LIMB_PLACED,       // the tip is at its target, to 1e-4 of the reach
    MD5_LIMB_OUT_OF_REACH, // it points there, as far or as near as it can
    MD5_LIMB_NO_JOINT,     // a number is no joint of the skeleton
    MD5_LIMB_NO_PARENTS,   // the joints were not given, and the tip has no two parents
    MD5_LIMB_NO_CHAIN,     // the tip does not hang on the middle joint, or that not on the root
    MD5_LIMB_NO_BONE,      // a bone is shorter than 1e-5 of the reach: the limb cannot bend. Rigs
                           // with helper joints are such: give the joints
    MD5_LIMB_NOT_FINITE,   // pose, height or target is not finite, or beyond 1e15 units
} md5_limb_result;

// Feet on uneven ground, as id's walk IK: each foot is lifted by how high its floor lies, the
// pelvis drops by the lowest (or rises, where all lie higher), legs bend.
typedef struct md5_foot {
    uint32_t ankle; // without has_leg, its parent is the knee, whose parent is the hip
    float floor; // height of the ground under the foot, model z, 0 = where it stands; one that is
                 // not finite leaves `lift` as it is
    md5_vec3 normal; // of the ground, model space, towards which the foot tilts; 0 0 0 = up
    float lift;      // smoothed height; kept by the caller between calls, 0 at first
    // Knee and hip are given, as id's "ik_knee1" and "ik_hip1" do. For rigs whose ankle does not
    // hang on the knee itself but on a helper: see md5_limb.
    bool has_leg;
    uint32_t knee, hip;
    md5_limb_result result; // written
    float miss; // written: units from ankle to target, INFINITY if the leg could not be bent
} md5_foot;
// `smoothing` is the time constant in seconds, 0 = none; `seconds` the step: exact for any frame
// rate. `drop`, how far the pelvis has moved, is kept like `lift`. Both go on with weight 0, with
// which nothing else happens but the check of the joints. A pelvis that is no joint does not move.
// Returns how many feet are placed (MD5_LIMB_PLACED): of each other one, `result` says why not. A
// leg without a chain of joints keeps its pose and goes with the pelvis.
MD5_API uint32_t md5_place_feet(const md5_skeleton *skeleton, md5_transform *pose, uint32_t pelvis,
                                md5_foot *feet, uint32_t num_feet, float *drop, float smoothing,
                                float seconds, float weight);

// A chain that lags behind its animation and swings. The end of each joint is drawn to where the
// animation has it by a damped spring of its own,
//   end'' = stiffness * (animated end - end) - damping * end' + acceleration
// and the joint points at it; the tip's end is as far from it, and in the same direction in its own
// space, as it is from its parent. Bones keep their lengths. Damping is against the space that
// `placement` goes to, as by air: at constant speed v the end trails by damping * v / stiffness.
typedef struct md5_spring_joint {
    md5_vec3 position, velocity; // of the joint's end, in the space that `placement` goes to
    md5_vec3 target;             // where the animation last had it, likewise
} md5_spring_joint;
typedef struct md5_spring_job {
    uint32_t tip, length;     // as in md5_chain_job; the first joint's place is the animation's
    float stiffness, damping; // 1/s^2, 1/s; without stiffness nothing happens
    md5_vec3 acceleration;    // gravity and wind, units/s^2, where `placement` goes to
    md5_transform placement;  // of the character in the world, so that it swings when that moves
    float weight;
} md5_spring_job;
// Solved exactly, the animation taken to go evenly from call to call: stable for any step, and the
// same however a stretch of time is split. state[length]; set `is_first` for the first call, or
// after a jump of the character: then the chain stands where the animation has it. A state that is
// not finite begins anew likewise. With weight 0 it swings on unseen. False, and nothing changes,
// if there is no such joint, a joint of the chain is at no finite place, or stiffness is not above
// 0.
MD5_API bool md5_spring(const md5_skeleton *skeleton, md5_transform *pose,
                        const md5_spring_job *job, md5_spring_joint *state, float seconds,
                        bool is_first);

// -- Mirror, retarget, measure -------------------------------------------------------------

// Which joint is the mirror image of which, by names equal but for their sides, which are: l and r
// in any case between signs (. _ - : space) or a sign and an end (hand.L, l_hand, "Bip01 L Hand");
// left and right in any case, anywhere; L and R at an end beside a small letter (Lhand). A joint
// without a partner is its own; so is any in a skeleton of more than 65536 joints. Writes
// mirror[num_joints]. Returns how many joints have a partner.
MD5_API uint32_t md5_find_mirror(const md5_skeleton *skeleton, uint32_t *mirror);

// The pose seen in a mirror through the plane y = 0 of model space: left is right. Each joint does
// what its partner did, measured against the bind pose: so sides need not have mirrored axes, nor
// bones equal lengths. Twice mirrored is the pose itself. `mirrored` and `pose` must be apart.
MD5_API void md5_mirror_pose(const md5_model *model, const uint32_t *mirror,
                             const md5_transform *pose, md5_transform *mirrored);

// How a pose of one model is shown by another with other proportions.
typedef struct md5_retarget md5_retarget;
typedef struct md5_joint_pair {
    const char *source, *target; // NULL: the other one is left out
    // For bind poses that differ here, as arms do between T and A: the target's is first turned,
    // from this joint downward, until the bone to its first driven child points as the source's
    // does.
    bool align;
} md5_joint_pair;
// `pairs` name what goes where, one source to any number of targets; joints not named go by equal
// name; others keep their bind pose, which is told through opts->warn. Rotations are carried over
// in model space relative to the bind poses, so that local axes may differ; bones keep the target's
// lengths. The pelvis (the first driven joint above the ground in both bind poses) and what it
// hangs on go where the source's go, scaled by the ratio of the pelvis' heights in the bind poses;
// so do moves of other joints in their parents' space. NULL with MD5_ERROR_MISMATCH where a name is
// unknown, a target in two pairs, or nothing goes anywhere. Both models must outlive it.
MD5_API md5_retarget *md5_create_retarget(const md5_model *source, const md5_model *target,
                                          const md5_joint_pair *pairs, uint32_t num_pairs,
                                          const md5_load_opts *opts, md5_error *error);
MD5_API void md5_free_retarget(md5_retarget *retarget);
// `scratch` is [source joints] of memory to work in; all three must be apart.
MD5_API void md5_retarget_pose(const md5_retarget *retarget, const md5_transform *source,
                               md5_transform *scratch, md5_transform *target);

// How far two poses of one skeleton are apart: mean over the joints of the distance between their
// model-space places, plus `size` times the angle between their rotations relative to the parent (0
// to pi), each joint weighted by weights[joint], NULL = 1. `scratch` is [2 * num_joints].
MD5_API float md5_pose_distance(const md5_skeleton *skeleton, const md5_transform *a,
                                const md5_transform *b, const float *weights, float size,
                                md5_transform *scratch);

// Velocity of each joint from one pose to the next, in its parent's space: linear in units/s,
// angular as rotation vector in radians/s, the shorter way round. All 0 unless seconds > 0.
typedef struct md5_velocity {
    md5_vec3 linear, angular;
} md5_velocity;
MD5_API void md5_pose_velocity(const md5_transform *before, const md5_transform *now,
                               uint32_t num_joints, float seconds, md5_velocity *velocity);

#ifdef __cplusplus
}
#endif

#endif
