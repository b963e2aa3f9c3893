// The kernels for AVX2.
#include "md5/pose/kernels.h"

#if MD5_HAS_AVX2

#define MD5_WIDE_AVX2
#define FEWEST 8
#define NARROWER (&md5_pose_kernels_sse2)
#define MANY_REGISTERS 0
#include "md5/pose/simd/blend_wide.h"
#include "md5/pose/simd/crowd_wide.h"
#include "md5/pose/simd/finish_wide.h"
#include "md5/pose/simd/one_wide.h"

const md5_pose_kernels md5_pose_kernels_avx2 = {
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
