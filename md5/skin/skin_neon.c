// md5_skin() for NEON.
#include "md5/core/cpu.h"

#if MD5_HAS_NEON

#define MD5_WIDE_NEON
#include "md5/skin/skin_wide.h"

void md5_skin_neon(const md5_skin_job *job)
{
    skin(job);
}

#endif
