// The table of the kernels in plain C, and the kernel that combines poses. The small form of the
// library has its own table and does not combine poses with this kernel.
#include "md5/pose/simd/blend_wide.h"

const md5_pose_kernels md5i_pose_kernels_scalar = {
    .sample = md5i_sample_scalar,
    .sample_packed = md5i_packed_sample_scalar,
    .multiply = md5i_multiply_scalar,
    .finish = md5i_finish_scalar,
    .width = 1,
};
