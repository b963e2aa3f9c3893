// Crowds from poses to palettes with NEON. Not in kernels_neon.c: where compilers see two uses of
// the same steps they inline them in neither, and `crowd` takes 8 % longer.
#include "md5/pose/kernels.h"

#if MD5_HAS_NEON

#define MD5_WIDE_NEON
#define MANY_REGISTERS 1
#include "md5/pose/simd/finish_wide.h"

#endif
