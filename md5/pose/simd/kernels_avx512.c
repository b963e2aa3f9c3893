// The kernels for AVX-512.
#include "md5/pose/kernels.h"

#if MD5_HAS_AVX512

#define MD5_WIDE_AVX512
#define FEWEST 33
#define NARROWER (&md5i_pose_kernels_avx2)
#define MANY_REGISTERS 1
#include "md5/pose/simd/kernels_wide.h"

const md5_pose_kernels md5i_pose_kernels_avx512 = KERNELS;

#endif
