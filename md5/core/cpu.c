#include "md5/core/cpu.h"

#include <stddef.h>

static bool has_avx2(void)
{
#if MD5_HAS_AVX2
    return __builtin_cpu_supports("avx2") != 0;
#else
    return false;
#endif
}

// Those that the kernels use, and two more, which came with the machines that no longer run slower
// for it.
static bool has_avx512(void)
{
#if MD5_HAS_AVX512
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")
           && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi2")
           && __builtin_cpu_supports("avx512bitalg");
#else
    return false;
#endif
}

bool md5_cpu_has(md5_cpu level)
{
    const bool has[MD5_CPU_COUNT] = {
        [MD5_CPU_SCALAR] = true,         [MD5_CPU_SSE2] = MD5_HAS_SSE2, [MD5_CPU_AVX2] = has_avx2(),
        [MD5_CPU_AVX512] = has_avx512(), [MD5_CPU_NEON] = MD5_HAS_NEON,
    };
    return level < MD5_CPU_COUNT && has[level];
}

md5_cpu md5_cpu_best(void)
{
    static const md5_cpu best_last[] = {MD5_CPU_SSE2, MD5_CPU_AVX2, MD5_CPU_NEON};
    md5_cpu best = MD5_CPU_SCALAR;
    for (size_t i = 0; i < sizeof best_last / sizeof best_last[0]; i++)
        best = md5_cpu_has(best_last[i]) ? best_last[i] : best;
    return best;
}
