#include "md5/core/cpu.h"

bool md5i_cpu_has(md5_cpu level)
{
#if MD5_HAS_AVX2
    if (level == MD5_CPU_AVX2)
        return md5_processor_has_avx2();
#endif
#if MD5_HAS_AVX512
    if (level == MD5_CPU_AVX512)
        return md5_processor_has_avx512();
#endif
    return level == MD5_CPU_SCALAR || (level == MD5_CPU_SSE2 && MD5_HAS_SSE2)
           || (level == MD5_CPU_NEON && MD5_HAS_NEON);
}

md5_cpu md5i_cpu_best(md5_cpu widest)
{
    if (widest >= MD5_CPU_AVX512 && md5i_cpu_has(MD5_CPU_AVX512))
        return MD5_CPU_AVX512;
    const md5_cpu usual = MD5_HAS_SSE2   ? MD5_CPU_SSE2
                          : MD5_HAS_NEON ? MD5_CPU_NEON
                                         : MD5_CPU_SCALAR;
    return md5i_cpu_has(MD5_CPU_AVX2) ? MD5_CPU_AVX2 : usual;
}
