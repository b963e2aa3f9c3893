// Selects the instruction set of the kernels. Posing and skinning have a kernel for each set in
// md5_cpu, and all kernels give the same bits. MD5_HAS_<SET> is 1 if the compiler can generate
// kernels for a set. Such a kernel may run only if md5i_cpu_has() returns true.
#ifndef MD5_CORE_CPU_H
#define MD5_CORE_CPU_H

#include "md5/core/compiler.h"

// The sets for which the compiler can generate code.
#if MD5_HAS_SIMD && MD5_IS_X86_64
#define MD5_HAS_SSE2 1                    // part of x86-64
#define MD5_HAS_AVX2 MD5_CAN_COMPILE_AVX2 // with function attributes; checked at run time
#define MD5_HAS_AVX512 MD5_CAN_COMPILE_AVX512
#elif MD5_HAS_SIMD && MD5_IS_AARCH64
#define MD5_HAS_NEON 1 // part of aarch64
#endif

// Define the macros of all other sets as 0, so that #if and initializers can use them.
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
    MD5_CPU_AVX512, // all kernels of posing; kernels of skinning only if they are faster
    MD5_CPU_NEON,
    MD5_CPU_COUNT
} md5_cpu;

// Initializes a table that has an entry for each set: {name_scalar, name_sse2, ...}. If a set is
// not compiled, its entry is name_scalar.
#define MD5_KERNEL_PER_SET(name)                                    \
    {                                                               \
        name##_scalar, MD5_KERNEL_OF_SET(MD5_HAS_SSE2, name, sse2), \
            MD5_KERNEL_OF_SET(MD5_HAS_AVX2, name, avx2),            \
            MD5_KERNEL_OF_SET(MD5_HAS_AVX512, name, avx512),        \
            MD5_KERNEL_OF_SET(MD5_HAS_NEON, name, neon)             \
    }
// Expands to name_<set> or name_scalar. The first macro exists because `has` must be replaced by 0
// or 1 before MD5_SELECT() joins it to a name.
#define MD5_KERNEL_OF_SET(has, name, set) MD5_SELECT(has, name, set)
#define MD5_SELECT(has, name, set) MD5_SELECT_##has(name, set)
#define MD5_SELECT_0(name, set) name##_scalar
#define MD5_SELECT_1(name, set) name##_##set

// Returns true if the kernels of `level` are compiled and this processor can run them.
bool md5i_cpu_has(md5_cpu level);

// Returns the fastest set that is not wider than `widest`. AVX-512 slows down some kinds of work,
// so their callers exclude it with a lower `widest`. The function is cheap enough for every call,
// because it only tests bits that the C runtime has set.
md5_cpu md5i_cpu_best(md5_cpu widest);

#endif
