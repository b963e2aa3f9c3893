// Both ways of skinning for NEON.
#include "md5/core/cpu.h"

#if MD5_HAS_NEON

#define MD5_WIDE_NEON
#include "md5/skin/skin_wide.h"

void md5i_skin_neon(const md5i_skin_job *job)
{
    skin(job);
}

void md5i_dual_neon(const md5_dual_job *job)
{
    skin_dual(job);
}

#endif
