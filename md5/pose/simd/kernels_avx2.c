// Compiles the kernels for posing, which are in kernels_wide.h, for AVX2.
#include "md5/core/cpu.h"

#if MD5_HAS_AVX2
#define MD5_WIDE_AVX2
#include "md5/pose/simd/kernels_wide.h"
#endif
