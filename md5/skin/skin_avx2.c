// Both ways of skinning for AVX2.
#include "md5/core/cpu.h"

#if MD5_HAS_AVX2

#define MD5_WIDE_AVX2
#include "md5/skin/skin_wide.h"

void md5i_skin_avx2(const md5i_skin_job *job)
{
    skin(job);
}

void md5i_skin_run_avx2(const md5i_skin_job *job, const md5_skin_run *run)
{
    skin_run(job, run, NULL);
}

void md5i_dual_avx2(const md5_dual_job *job)
{
    skin_dual(job);
}

#endif
