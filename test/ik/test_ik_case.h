// Chains of joints for tests of inverse kinematics, and positions of joints in double precision.
#ifndef TEST_IK_TEST_IK_CASE_H
#define TEST_IK_TEST_IK_CASE_H

#include "test/pose/test_generated_pose.h"
#include "test/real.h"

#include "md5/md5pose.h"

enum { IK_JOINTS = 64 };

// A chain; chain[0] is the root. Either the index of each parent is lower than the indices of its
// children, or it is higher for all.
typedef struct ik_rig {
    md5_skeleton skeleton;
    uint32_t chain[IK_JOINTS];
    md5_xform pose[IK_JOINTS];
    md5_joint joints[IK_JOINTS];
    char names[IK_JOINTS][16];
    uint32_t order[IK_JOINTS];
} ik_rig;

// Creates a chain with random rotations, and with random translations of up to `size` along each
// axis. In half of the rigs, parents have higher indices than their children.
void ik_make_rig(ik_rig *rig, uint32_t count, double size, uint64_t *random);

md5_vec3 ik_random_point(double size, uint64_t *random);
md5_vec3 ik_rounded(real3 point);
// Returns a point at a distance from another point, in a random direction.
md5_vec3 ik_point_around(real3 middle, double distance, uint64_t *random);

// Creates a chain of joints without rotations, in a line along x, `step` apart.
void ik_make_line(ik_rig *rig, uint32_t count, float step);

// Solves a job, two_bone, chain or aim, for a rig.
#define IK_SOLVE(kind, rig, job) md5_solve_##kind(&(rig).skeleton, &(job), (rig).pose)

// Returns the transform of a joint in model space, computed from normalized rotations.
real_transform ik_joint_transform(const md5_skeleton *skeleton, const md5_xform *pose,
                                  uint32_t joint);

// Returns the position of joint `i` of the chain in model space.
real3 ik_chain_position(const ik_rig *rig, uint32_t i);

// Returns the total length of the bones between the last `length` joints.
double ik_reach(const ik_rig *rig, uint32_t count, uint32_t length);

// Checks that the translations of `rig` and `old` are bit-identical.
void ik_check_lengths(const ik_rig *rig, const ik_rig *old, uint32_t count);

// Checks that each rotation of `part` is the interpolation between `rig` and `full` by `weight`.
void ik_check_part(const ik_rig *rig, const ik_rig *full, const ik_rig *part, uint32_t count,
                   float weight, double tolerance);

// Returns true if all rotations have unit length, within 1e-6, and all translations are finite.
bool ik_is_sound(const md5_xform *pose, uint32_t count);

// -- Limits -------------------------------------------------------------------------------------
//
// Random limits of joints, rotations that obey them, and how far a rotation is outside its limit:
// in double precision, by angles.

// Returns a random limit: a hinge, a cone or no limit. Some ranges are empty except for one angle.
md5_joint_limit limit_random(uint64_t *random);

// Returns a random rotation that the limit allows.
md5_quat limit_random_rotation(const md5_joint_limit *limit, uint64_t *random);

// Returns by how many radians a rotation relative to the parent is outside its limit, or 0 if it is
// inside.
double limit_excess(const md5_joint_limit *limit, md5_quat local);

// Returns the largest excess of the last `length` joints of a chain.
double max_limit_excess(const ik_rig *rig, uint32_t count, uint32_t length,
                        const md5_joint_limit *limits);

#endif
