// Inverse kinematics in lanes with the registers of SSE2: see lanes.h.
#include "md5/core/cpu.h"

#if MD5_HAS_SSE2
#define MD5_WIDE_SSE2
#include "md5/motion/lanes_wide.h"
#endif
