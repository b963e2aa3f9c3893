// Compiles the kernels for posing, which are in kernels_wide.h, for AVX-512.
#include "md5/core/cpu.h"

#if MD5_HAS_AVX512
#define MD5_WIDE_AVX512
#include "md5/pose/simd/kernels_wide.h"
#endif
