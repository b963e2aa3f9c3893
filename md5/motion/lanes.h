// Inverse kinematics of several characters of the same skeleton, one in each lane of a register:
// limb.c and aim.c for the usual case. Characters for which anything is unusual are left to
// those; so all have the bits of md5_solve_two_bone() and md5_solve_aim().
#ifndef MD5_IK_LANES_H
#define MD5_IK_LANES_H

#include "md5/core/cpu.h"
#include "md5/md5pose.h"

// Characters of one call, at most, and as many lanes as a register has.
enum { MD5_IK_MOST = 16 };

// Vectors shorter than this share of a limb's reach have no direction.
#define MD5_NOTHING 1e-5f

// If the sine of the angle between sight and vertical is smaller, keeping upright fades out.
#define MD5_STEEP 0.1f

// md5_solve_two_bone() and md5_solve_aim() of `count` characters: jobs[count], poses[count], all
// different. The jobs have the same limb, which is one, or tip and length, and differ only in
// target, pole, rotation and weight. `level`: registers, which must be available.
void md5i_two_bone_all(md5_cpu level, const md5_skeleton *skeleton, const md5_two_bone_job *jobs,
                       md5_xform *const *poses, uint32_t count);
void md5i_aim_all(md5_cpu level, const md5_skeleton *skeleton, const md5_aim_job *jobs,
                  md5_xform *const *poses, uint32_t count);

// -- Kernels -------------------------------------------------------------------------------------
//
// As many characters as there are lanes. They return one bit for each lane that they have solved;
// the poses of other lanes are as before.

typedef struct md5_lane_vec3 {
    float x[MD5_IK_MOST], y[MD5_IK_MOST], z[MD5_IK_MOST];
} md5_lane_vec3;

typedef struct md5_limb_lanes {
    const md5_skeleton *skeleton;
    const md5_limb *joints;
    float soften; // 0..1
    float most;   // stretching, 1 or more
    bool has_poles, has_rotations;
    md5_xform *poses[MD5_IK_MOST];
    float are_usual[MD5_IK_MOST];       // 1: it is to be solved, else 0
    md5_lane_vec3 targets, poles, axes; // axes: x y z of rotations
    float cosines[MD5_IK_MOST];         // w of rotations
    float are_poled[MD5_IK_MOST], are_turned[MD5_IK_MOST];
    float stretches[MD5_IK_MOST]; // out: by what the caller is to stretch the limbs
} md5_limb_lanes;

typedef uint32_t md5_limb_kernel(md5_limb_lanes *lanes);
md5_limb_kernel md5i_bend_lanes_sse2, md5i_bend_lanes_avx2, md5i_bend_lanes_avx512,
    md5i_bend_lanes_neon;

enum { MD5_AIM_JOINTS = 8 }; // longer chains are turned one by one

// What the joints of an aim take from its job.
typedef struct md5_aim_rule {
    md5_axes axes;
    md5_vec3 forward, up; // of the tip
    float up_along;       // cosine between them
    bool stays_upright;
    bool is_limited;
    float max_sine, max_cosine; // of half of the limit
} md5_aim_rule;

// aim.c
md5_aim_rule md5i_aim_rule_of(const md5_skeleton *skeleton, const md5_aim_job *job);

typedef struct md5_aim_batch {
    const md5_skeleton *skeleton;
    md5_aim_rule rule;
    uint32_t count; // a power of two
    uint32_t joints[MD5_AIM_JOINTS];
    md5_xform *poses[MD5_IK_MOST];
    float are_usual[MD5_IK_MOST];
    md5_lane_vec3 targets;
} md5_aim_batch;

typedef uint32_t md5_aim_kernel(const md5_aim_batch *lanes);
md5_aim_kernel md5i_turn_lanes_sse2, md5i_turn_lanes_avx2, md5i_turn_lanes_avx512,
    md5i_turn_lanes_neon;

#endif
