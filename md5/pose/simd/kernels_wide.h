// The kernels of one instruction set and their table. A file kernels_*.c selects the instruction
// set and includes this file.
#ifndef MD5_POSE_SIMD_KERNELS_WIDE_H
#define MD5_POSE_SIMD_KERNELS_WIDE_H

#include "md5/pose/simd/blend_wide.h"
#include "md5/pose/simd/crowd_wide.h"
#include "md5/pose/simd/one_wide.h"
#include "md5/pose/simd/packed_wide.h"

const md5_pose_kernels MD5_WIDE_NAME(md5i_pose_kernels) = {
    .sample = sample_pose,
    .sample_packed = sample_packed_pose,
    .multiply = multiply_joints,
    .finish = finish_pose,
    .crowd = pose_crowd,
    .finish_crowd = finish_crowd_poses,
    .width = MD5_WIDTH,
};

#endif
