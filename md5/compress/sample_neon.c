// Sampling with the registers of NEON: see sample_wide.h.
#include "md5/core/cpu.h"

#if MD5_HAS_NEON
#define MD5_WIDE_NEON
#include "md5/compress/sample_wide.h"
#endif
