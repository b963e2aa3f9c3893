// Random limits of joints, rotations that obey them, and how far a rotation is outside its limit:
// in double precision, by angles.
#ifndef TEST_IK_TEST_IK_LIMIT_CASE_H
#define TEST_IK_TEST_IK_LIMIT_CASE_H

#include "test/ik/test_ik_case.h"

// A hinge or a cone, sometimes no limit, sometimes of zero width.
md5_joint_limit limit_random(uint64_t *random);

// A random rotation that the limit allows.
md5_quat limit_random_rotation(const md5_joint_limit *limit, uint64_t *random);

// Radians by which a rotation relative to the parent is outside its limit; 0 if it is inside.
double limit_excess(const md5_joint_limit *limit, md5_quat local);

// The largest excess of the last `length` joints of a chain.
double limit_worst(const ik_rig *rig, uint32_t count, uint32_t length,
                   const md5_joint_limit *limits);

#endif
