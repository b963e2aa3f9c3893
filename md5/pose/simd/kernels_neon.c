// The kernels for NEON.
#include "md5/pose/kernels.h"

#if MD5_HAS_NEON

#define MD5_WIDE_NEON
#define FEWEST 4
#define NARROWER (&md5i_pose_kernels_scalar)
#define MANY_REGISTERS 1
#include "md5/pose/simd/kernels_wide.h"

const md5_pose_kernels md5i_pose_kernels_neon = KERNELS;

#endif
