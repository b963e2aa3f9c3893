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

// Random translations up to `size` along each axis, random rotations. In half of the rigs the
// indices of parents are higher.
void ik_make_rig(ik_rig *rig, uint32_t count, double size, uint64_t *random);

md5_vec3 ik_random_point(double size, uint64_t *random);
md5_vec3 ik_rounded(real3 point);
// A point at a distance from another in any direction.
md5_vec3 ik_point_around(real3 middle, double distance, uint64_t *random);

// Joints without rotations in a line along x, `step` apart.
void ik_make_line(ik_rig *rig, uint32_t count, float step);

// Solves a job, two_bone, chain or aim, for a rig.
#define IK_SOLVE(kind, rig, job) md5_solve_##kind(&(rig).skeleton, &(job), (rig).pose)

// The joint in model space, from normalized rotations.
real_transform ik_joint_transform(const md5_skeleton *skeleton, const md5_xform *pose,
                                  uint32_t joint);

// The position of joint `i` of the chain in model space.
real3 ik_chain_position(const ik_rig *rig, uint32_t i);

// The total length of the bones between the last `length` joints.
double ik_reach(const ik_rig *rig, uint32_t count, uint32_t length);

// Checks that no bit of a translation differs from before.
void ik_check_lengths(const ik_rig *rig, const ik_rig *old, uint32_t count);

// Checks that the rotations of `part` are by `weight` on the way from `rig` to `full`.
void ik_check_part(const ik_rig *rig, const ik_rig *full, const ik_rig *part, uint32_t count,
                   float weight, double tolerance);

// Returns true if all rotations have unit length, within 1e-6, and all translations are finite.
bool ik_is_sound(const md5_xform *pose, uint32_t count);

// -- Limits -------------------------------------------------------------------------------------
//
// Random limits of joints, rotations that obey them, and how far a rotation is outside its limit:
// in double precision, by angles.

// A hinge or a cone, sometimes no limit, sometimes of zero width.
md5_joint_limit limit_random(uint64_t *random);

// A random rotation that the limit allows.
md5_quat limit_random_rotation(const md5_joint_limit *limit, uint64_t *random);

// Radians by which a rotation relative to the parent is outside its limit; 0 if it is inside.
double limit_excess(const md5_joint_limit *limit, md5_quat local);

// The largest excess of the last `length` joints of a chain.
double max_limit_excess(const ik_rig *rig, uint32_t count, uint32_t length,
                        const md5_joint_limit *limits);

#endif
