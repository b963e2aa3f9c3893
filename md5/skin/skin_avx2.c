// md5_skin() for AVX2.
#include "md5/core/cpu.h"

#if MD5_HAS_AVX2

#define MD5_WIDE_AVX2
#include "md5/skin/skin_wide.h"

void md5_skin_avx2(const md5_skin_job *job)
{
    skin(job);
}

#endif
