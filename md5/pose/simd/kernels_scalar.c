// The kernels in plain C.
#include "md5/pose/kernels.h"

#define NARROWER MD5_CPU_SCALAR
#include "md5/pose/simd/blend_wide.h"

#include <stddef.h>

const md5_pose_kernels md5_pose_kernels_scalar = {
    .sample = md5_sample_scalar,
    .compose = md5_compose_scalar,
    .multiply = md5_multiply_scalar,
    .finish = md5_finish_scalar,
    .single = md5_single_scalar,
    .blend = blend,
    .add = add,
    .subtract = subtract,
    .add_difference = add_difference,
    .crowd = NULL,
    .finish_crowd = NULL,
    .width = 1,
};
