// Compiles the kernels for posing, which are in kernels_wide.h, for NEON.
#include "md5/core/cpu.h"

#if MD5_HAS_NEON
#define MD5_WIDE_NEON
#include "md5/pose/simd/kernels_wide.h"
#endif
