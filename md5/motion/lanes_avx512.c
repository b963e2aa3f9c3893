// Inverse kinematics in lanes with the registers of AVX-512: see lanes.h.
#include "md5/core/cpu.h"

#if MD5_HAS_AVX512
#define MD5_WIDE_AVX512
#include "md5/motion/lanes_wide.h"
#endif
