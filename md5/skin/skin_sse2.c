// Both ways of skinning for SSE2.
#include "md5/core/cpu.h"

#if MD5_HAS_SSE2

#define MD5_WIDE_SSE2
#include "md5/skin/skin_wide.h"

void md5i_skin_sse2(const md5i_skin_job *job)
{
    skin(job);
}

void md5i_dual_sse2(const md5_dual_job *job)
{
    skin_dual(job);
}

#endif
