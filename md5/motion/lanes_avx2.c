// Inverse kinematics in lanes with the registers of AVX2: see lanes.h.
#include "md5/core/cpu.h"

#if MD5_HAS_AVX2
#define MD5_WIDE_AVX2
#include "md5/motion/lanes_wide.h"
#endif
