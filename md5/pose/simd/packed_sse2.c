// Sampling of compressed clips with the registers of SSE2: see packed_wide.h.
#include "md5/core/cpu.h"

#if MD5_HAS_SSE2
#define MD5_WIDE_SSE2
#include "md5/pose/simd/packed_wide.h"
#endif
