// Finds the instruction sets of the processor at run time: see cpu.h.
#include "md5/core/cpu.h"

#if !MD5_CAN_COMPILE_AVX2
static bool md5_processor_has_avx2(void)
{
    return false;
}
#endif

#if !MD5_CAN_COMPILE_AVX512
static bool md5_processor_has_avx512(void)
{
    return false;
}
#endif

// Returns true if the library contains code for an instruction set and the processor supports it.
bool md5i_cpu_has(md5_cpu level)
{
    switch (level) {
    case MD5_CPU_SCALAR:
        return true;
    case MD5_CPU_SSE2:
        return MD5_HAS_SSE2 != 0;
    case MD5_CPU_AVX2:
        return MD5_HAS_AVX2 && md5_processor_has_avx2();
    case MD5_CPU_AVX512:
        return MD5_HAS_AVX512 && md5_processor_has_avx512();
    case MD5_CPU_NEON:
        return MD5_HAS_NEON != 0;
    default:
        return false;
    }
}

// Returns the fastest instruction set of this processor that is not wider than `widest`. Only
// AVX-512 can be excluded.
md5_cpu md5i_cpu_best(md5_cpu widest)
{
    if (widest >= MD5_CPU_AVX512 && md5i_cpu_has(MD5_CPU_AVX512))
        return MD5_CPU_AVX512;
    if (md5i_cpu_has(MD5_CPU_AVX2))
        return MD5_CPU_AVX2;
    if (MD5_HAS_SSE2)
        return MD5_CPU_SSE2;
    return MD5_HAS_NEON ? MD5_CPU_NEON : MD5_CPU_SCALAR;
}
