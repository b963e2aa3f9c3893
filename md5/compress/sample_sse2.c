// Sampling with the registers of SSE2: see sample_wide.h.
#include "md5/core/cpu.h"

#if MD5_HAS_SSE2
#define MD5_WIDE_SSE2
#include "md5/compress/sample_wide.h"
#endif
