// The kernels for SSE2.
#include "md5/pose/kernels.h"

#if MD5_HAS_SSE2

#define MD5_WIDE_SSE2
#define FEWEST 4
#define NARROWER (&md5i_pose_kernels_scalar)
#define MANY_REGISTERS 0
#include "md5/pose/simd/kernels_wide.h"

const md5_pose_kernels md5i_pose_kernels_sse2 = KERNELS;

#endif
