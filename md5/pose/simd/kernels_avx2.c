// The kernels for AVX2.
#include "md5/pose/kernels.h"

#if MD5_HAS_AVX2

#define MD5_WIDE_AVX2
#define FEWEST 8
#define NARROWER (&md5i_pose_kernels_sse2)
#define MANY_REGISTERS 0
#include "md5/pose/simd/kernels_wide.h"

const md5_pose_kernels md5i_pose_kernels_avx2 = KERNELS;

#endif
