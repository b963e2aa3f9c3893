// Compiles the kernels for posing, which are in kernels_wide.h, for SSE2.
#include "md5/core/cpu.h"

#if MD5_HAS_SSE2
#define MD5_WIDE_SSE2
#include "md5/pose/simd/kernels_wide.h"
#endif
