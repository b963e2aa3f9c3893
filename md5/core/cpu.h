// The instruction sets for which posing and skinning have kernels. All give the same bits.
#ifndef MD5_CORE_CPU_H
#define MD5_CORE_CPU_H

#include "md5/core/compiler.h"

// The sets that the compiler can generate code for.
#if MD5_HAS_SIMD && MD5_IS_X86_64
#define MD5_HAS_SSE2 1              // part of x86-64
#define MD5_HAS_AVX2 MD5_KNOWS_AVX2 // by function attributes; checked at run time
#define MD5_HAS_AVX512 MD5_KNOWS_AVX512
#elif MD5_HAS_SIMD && MD5_IS_AARCH64
#define MD5_HAS_NEON 1 // part of aarch64
#endif

// Default to 0, so that they can be used in #if.
#ifndef MD5_HAS_SSE2
#define MD5_HAS_SSE2 0
#endif
#ifndef MD5_HAS_AVX2
#define MD5_HAS_AVX2 0
#endif
#ifndef MD5_HAS_AVX512
#define MD5_HAS_AVX512 0
#endif
#ifndef MD5_HAS_NEON
#define MD5_HAS_NEON 0
#endif

typedef enum md5_cpu {
    MD5_CPU_SCALAR,
    MD5_CPU_SSE2,
    MD5_CPU_AVX2,
    MD5_CPU_AVX512, // posing has kernels for it, skinning where it is faster
    MD5_CPU_NEON,
    MD5_CPU_COUNT
} md5_cpu;

// {name_scalar, name_sse2, ...}: what a table has for each set, plain C where there is none.
#define MD5_OF_EACH_SET(name)                                                                      \
    {                                                                                              \
        name##_scalar, MD5_OF_SET(MD5_HAS_SSE2, name, sse2), MD5_OF_SET(MD5_HAS_AVX2, name, avx2), \
            MD5_OF_SET(MD5_HAS_AVX512, name, avx512), MD5_OF_SET(MD5_HAS_NEON, name, neon)         \
    }
#define MD5_OF_SET(has, name, set) MD5_SELECT(has, name, set)
#define MD5_SELECT(has, name, set) MD5_SELECT_##has(name, set)
#define MD5_SELECT_0(name, set) name##_scalar
#define MD5_SELECT_1(name, set) name##_##set

// Whether this machine can run the kernels of `level`, and they are compiled in.
bool md5i_cpu_has(md5_cpu level);

// Returns the fastest set; AVX-512 only if that is `widest`: it does not make all work faster.
// Cheap enough for every call: tests a bit that the C runtime has determined.
md5_cpu md5i_cpu_best(md5_cpu widest);

#endif
