#include "md5/core/cpu.h"

static bool has_avx2(void)
{
#if MD5_HAS_AVX2
    return __builtin_cpu_supports("avx2") != 0;
#else
    return false;
#endif
}

// The extensions that the kernels use, and two more, which exist only on processors that do not
// lower their clock for AVX-512.
static bool has_avx512(void)
{
#if MD5_HAS_AVX512
    const bool has_used = !!__builtin_cpu_supports("avx512f") & !!__builtin_cpu_supports("avx512dq")
                          & !!__builtin_cpu_supports("avx512vl");
    return has_used & !!__builtin_cpu_supports("avx512vbmi2")
           & !!__builtin_cpu_supports("avx512bitalg");
#else
    return false;
#endif
}

bool md5_cpu_has(md5_cpu level)
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

md5_cpu md5_cpu_best(void)
{
    static const md5_cpu narrow = MD5_HAS_SSE2   ? MD5_CPU_SSE2
                                  : MD5_HAS_NEON ? MD5_CPU_NEON
                                                 : MD5_CPU_SCALAR;
    return has_avx2() ? MD5_CPU_AVX2 : narrow;
}
