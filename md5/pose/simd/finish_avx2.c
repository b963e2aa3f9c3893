// Crowds from poses to palettes with AVX2. Not in kernels_avx2.c: where compilers see two uses of
// the same steps they inline them in neither, and `crowd` takes 8 % longer.
#include "md5/pose/kernels.h"

#if MD5_HAS_AVX2

#define MD5_WIDE_AVX2
#define MANY_REGISTERS 0
#include "md5/pose/simd/finish_wide.h"

#endif
