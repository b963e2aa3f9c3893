#include "md5/core/cpu.h"

bool md5i_cpu_has(md5_cpu level)
{
    switch (level) { // NOLINT(bugprone-branch-clone): what is compiled differs
    case MD5_CPU_SCALAR:
        return true;
    case MD5_CPU_SSE2:
        return MD5_HAS_SSE2;
    case MD5_CPU_NEON:
        return MD5_HAS_NEON;
#if MD5_HAS_AVX2
    case MD5_CPU_AVX2:
        return md5_processor_has_avx2();
#endif
#if MD5_HAS_AVX512
    case MD5_CPU_AVX512:
        return md5_processor_has_avx512();
#endif
    default:
        return false;
    }
}

md5_cpu md5i_cpu_best(void)
{
    if (md5i_cpu_has(MD5_CPU_AVX2))
        return MD5_CPU_AVX2;
    return MD5_HAS_SSE2 ? MD5_CPU_SSE2 : MD5_HAS_NEON ? MD5_CPU_NEON : MD5_CPU_SCALAR;
}
