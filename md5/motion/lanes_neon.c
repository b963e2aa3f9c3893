// Inverse kinematics in lanes with the registers of NEON: see lanes.h.
#include "md5/core/cpu.h"

#if MD5_HAS_NEON
#define MD5_WIDE_NEON
#include "md5/motion/lanes_wide.h"
#endif
