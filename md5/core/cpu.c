#include "md5/core/cpu.h"

static bool has_avx2(void)
{
#if MD5_HAS_AVX2
    return md5_processor_has_avx2();
#else
    return false;
#endif
}

static bool has_avx512(void)
{
#if MD5_HAS_AVX512
    return md5_processor_has_avx512();
#else
    return false;
#endif
}

bool md5i_cpu_has(md5_cpu level)
{
    static const bool is_compiled[MD5_CPU_COUNT] = {
        [MD5_CPU_SCALAR] = true,       [MD5_CPU_SSE2] = MD5_HAS_SSE2,
        [MD5_CPU_AVX2] = MD5_HAS_AVX2, [MD5_CPU_AVX512] = MD5_HAS_AVX512,
        [MD5_CPU_NEON] = MD5_HAS_NEON,
    };
    if (level >= MD5_CPU_COUNT || !is_compiled[level])
        return false;
    if (level == MD5_CPU_AVX2)
        return has_avx2();
    return level != MD5_CPU_AVX512 || has_avx512();
}

md5_cpu md5i_cpu_best(void)
{
    static const md5_cpu narrow = MD5_HAS_SSE2   ? MD5_CPU_SSE2
                                  : MD5_HAS_NEON ? MD5_CPU_NEON
                                                 : MD5_CPU_SCALAR;
    return has_avx2() ? MD5_CPU_AVX2 : narrow;
}
