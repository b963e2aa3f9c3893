// Compiles the skinning kernel, which is in skin_wide.h, for AVX2.
#include "md5/core/cpu.h"

#if MD5_HAS_AVX2
#define MD5_WIDE_AVX2
#include "md5/skin/skin_wide.h"
#endif
