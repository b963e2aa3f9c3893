// Sampling with the registers of AVX2: see sample_wide.h.
#include "md5/core/cpu.h"

#if MD5_HAS_AVX2
#define MD5_WIDE_AVX2
#include "md5/compress/sample_wide.h"
#endif
