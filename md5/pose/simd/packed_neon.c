// Sampling of compressed clips with the registers of NEON: see packed_wide.h.
#include "md5/core/cpu.h"

#if MD5_HAS_NEON
#define MD5_WIDE_NEON
#include "md5/pose/simd/packed_wide.h"
#endif
