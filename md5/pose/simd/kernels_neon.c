// The kernels for NEON.
#include "md5/pose/kernels.h"

#if MD5_HAS_NEON

#define MD5_WIDE_NEON
#define FEWEST 4
#define NARROWER (&md5_pose_kernels_scalar)
#define MANY_REGISTERS 1
#include "md5/pose/simd/blend_wide.h"
#include "md5/pose/simd/crowd_wide.h"
#include "md5/pose/simd/finish_wide.h"
#include "md5/pose/simd/one_wide.h"

const md5_pose_kernels md5_pose_kernels_neon = {
    .sample = sample,
    .compose = compose,
    .multiply = multiply,
    .finish = finish,
    .single = single,
    .blend = blend,
    .add = add,
    .subtract = subtract,
    .add_difference = add_difference,
    .crowd = crowd,
    .finish_crowd = finish_crowd,
    .width = MD5_WIDTH,
};

#endif
