// Crowds from poses to palettes with SSE2. Not in kernels_sse2.c: where compilers see two uses of
// the same steps they inline them in neither, and `crowd` takes 8 % longer.
#include "md5/pose/kernels.h"

#if MD5_HAS_SSE2

#define MD5_WIDE_SSE2
#define MANY_REGISTERS 0
#include "md5/pose/simd/finish_wide.h"

#endif
