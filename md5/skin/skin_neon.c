// Compiles the skinning kernel, which is in skin_wide.h, for NEON.
#include "md5/core/cpu.h"

#if MD5_HAS_NEON
#define MD5_WIDE_NEON
#include "md5/skin/skin_wide.h"
#endif
