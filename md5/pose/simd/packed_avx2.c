// Sampling of compressed clips with the registers of AVX2: see packed_wide.h.
#include "md5/core/cpu.h"

#if MD5_HAS_AVX2
#define MD5_WIDE_AVX2
#include "md5/pose/simd/packed_wide.h"
#endif
