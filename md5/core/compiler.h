// Everything that depends on the compiler: attributes, hints, vector types and queries of the
// processor. Each exists for GCC and Clang, for Microsoft's compiler, and as an empty fallback for
// other compilers. test/tree/compilers.sh rejects such code in other files. This file also defines
// the feature switches MD5_HAS_*.
#ifndef MD5_CORE_COMPILER_H
#define MD5_CORE_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// clang-cl defines both __clang__ and _MSC_VER.
#if defined(__GNUC__) || defined(__clang__)

// Declares that argument `text` of a function is a printf() format and argument `values` the first
// of its values. Such functions report rare events, so they are also cold. Not on Windows, where
// compilers check against the conversions of an older printf().
#if defined(_WIN32)
#define MD5_PRINTF(text, values)
#else
#define MD5_PRINTF(text, values) __attribute__((cold, format(printf, text, values)))
#endif
#define MD5_NO_INLINE __attribute__((noinline))
#if defined(__wasm__) && defined(__OPTIMIZE_SIZE__) // download size is more important than speed
#define MD5_ALWAYS_INLINE inline
#else
#define MD5_ALWAYS_INLINE __attribute__((always_inline)) inline
#endif

#elif defined(_MSC_VER)

#define MD5_PRINTF(text, values)
#define MD5_NO_INLINE __declspec(noinline)
#define MD5_ALWAYS_INLINE __forceinline

#else

#define MD5_PRINTF(text, values)
#define MD5_NO_INLINE
#define MD5_ALWAYS_INLINE inline

#endif

// Attributes and hints that only kernels and assertions use.
#if defined(__GNUC__) || defined(__clang__)

#define MD5_NO_RETURN __attribute__((noreturn, cold))
// The function may use these instruction sets ("avx2").
#define MD5_TARGET(sets) __attribute__((target(sets)))
// Prevents the compiler from loading a register of kind "x" again for every use.
#define MD5_KEEP_LOADED(kind, a) __asm__("" : "+" kind(a))
// Prevents the compiler from computing a variable again for every use: the variable is in memory
// and may have any value.
#define MD5_KEEP_IN_MEMORY(a) __asm__("" : "+m"(a))

#else

#if defined(_MSC_VER)
#define MD5_NO_RETURN __declspec(noreturn)
#else
#define MD5_NO_RETURN
#endif
#define MD5_TARGET(sets) // with Microsoft's compiler, every function may use every intrinsic
#define MD5_KEEP_LOADED(kind, a) ((void)(a))
#define MD5_KEEP_IN_MEMORY(a) ((void)(a))

#endif

// Precedes a function that reads freed memory on purpose: debug builds detect the use of freed
// objects that way. AddressSanitizer does not report these reads.
#if defined(__clang__) || defined(__GNUC__)
#define MD5_READS_FREED __attribute__((no_sanitize("address")))
#else
#define MD5_READS_FREED
#endif

// Atomic operations that return the previous value: increment a counter, replace a pointer. Only
// debug builds use them, and only if they exist.
#if defined(__clang__) || defined(__GNUC__)
#define MD5_HAS_ATOMICS 1
#define MD5_ATOMIC_INCREMENT(counter) __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED)
#define MD5_ATOMIC_EXCHANGE(variable, pointer) \
    __atomic_exchange_n(variable, pointer, __ATOMIC_ACQ_REL)
#else
#define MD5_HAS_ATOMICS 0
#endif

// Precedes a function that is rarely called. It is compiled for size and placed away from hot code.
#if MD5_IS_SMALL && defined(__clang__)
#define MD5_COLD __attribute__((cold, minsize, noinline))
#elif defined(__GNUC__) || defined(__clang__)
#define MD5_COLD __attribute__((cold))
#else
#define MD5_COLD
#endif

// Precedes a short loop over an array of SIMD values. The loop must be unrolled, so that the array
// is in registers.
#if defined(__clang__)
#define MD5_UNROLL _Pragma("unroll")
#elif defined(__GNUC__)
#define MD5_UNROLL _Pragma("GCC unroll 16")
#else
#define MD5_UNROLL
#endif

// Prefetches memory for writing.
#if defined(__GNUC__)
#define MD5_PREFETCH(address) __builtin_prefetch(address, 1)
#else
#define MD5_PREFETCH(address) ((void)(address))
#endif

// -- Features ----------------------------------------------------------------------------------

// Programs may define these as 0: MD5_HAS_FILES to omit the access to the file system,
// MD5_HAS_FORMATS to omit all formats except text of version 10.
#ifndef MD5_HAS_FILES
#define MD5_HAS_FILES 1
#endif
#ifndef MD5_HAS_FORMATS
#define MD5_HAS_FORMATS 1
#endif

// 1 while amalgamate.py decides conditions for the small form of the library (md5/small).
#ifndef MD5_IS_SMALL
#define MD5_IS_SMALL 0
#endif

// -- Kernels -----------------------------------------------------------------------------------

// Kernels for instruction sets are compiled only with optimization. Without it they would be large
// and no faster than plain C, which gives the same bits. Microsoft's compiler does not define a
// macro for optimization, only _DEBUG.
#ifndef MD5_HAS_SIMD
#if defined(__OPTIMIZE__)
#define MD5_HAS_SIMD 1
#elif defined(__GNUC__) || defined(__clang__) || defined(_DEBUG)
#define MD5_HAS_SIMD 0
#else
#define MD5_HAS_SIMD 1
#endif
#endif

// -- Vectors -----------------------------------------------------------------------------------

// Vector types with operators, in GCC and Clang:
//   typedef float md5_float4 MD5_VECTOR_SIZE(16);
// MD5_SHUFFLE returns the elements i, j, k, l of the vector `a`. `bits` is the type of a vector of
// as many int32_t.
#if defined(__GNUC__) || defined(__clang__)
#define MD5_HAS_VECTORS 1
#define MD5_VECTOR_SIZE(bytes) __attribute__((vector_size(bytes)))
#if defined(__clang__)
#define MD5_SHUFFLE(bits, a, i, j, k, l) __builtin_shufflevector(a, a, i, j, k, l)
#else
#define MD5_SHUFFLE(bits, a, i, j, k, l) __builtin_shuffle(a, (bits){i, j, k, l})
#endif
#else
#define MD5_HAS_VECTORS 0
#endif

// -- Bits --------------------------------------------------------------------------------------

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

// Returns the index of the lowest set bit of a number that is not 0.
static inline size_t md5_lowest_bit(uint64_t bits)
{
#if defined(__GNUC__) || defined(__clang__)
    return (size_t)__builtin_ctzll(bits);
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
    unsigned long index;
    (void)_BitScanForward64(&index, bits);
    return index;
#else
    size_t index = 0;
    while (!(bits >> index & 1))
        index++;
    return index;
#endif
}

// Reads eight bytes as a little-endian number, with one load if the processor is little-endian.
static inline uint64_t md5_read_u64le(const void *from)
{
    uint64_t word = 0;
#if defined(_MSC_VER) || (defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
    memcpy(&word, from, sizeof word);
#else
    for (int i = 0; i < 8; i++)
        word |= (uint64_t)((const unsigned char *)from)[i] << (8 * i);
#endif
    return word;
}

// -- Processors --------------------------------------------------------------------------------

// MD5_IS_X86_64, MD5_IS_AARCH64: kernels may use the intrinsics of x86-64 or 64-bit ARM.
// MD5_CAN_COMPILE_AVX2, MD5_CAN_COMPILE_AVX512: the compiler can compile kernels for these
// extensions, which run only if the processor supports them. With GCC and Clang the C runtime
// detects the extensions; Windows has a query for AVX2 only. Microsoft's compiler for 64-bit ARM
// uses plain C, because its vector types do not support the initializers of the kernels.
#if defined(_MSC_VER) && defined(_M_X64) && !defined(_M_ARM64EC)

#define MD5_IS_X86_64 1
#if defined(__clang__) && __clang_major__ < 19 && !defined(__AVX2__)
#define MD5_CAN_COMPILE_AVX2 0 // older headers of clang-cl declare it only with -mavx2
#else
#define MD5_CAN_COMPILE_AVX2 1
#endif
#define MD5_CAN_COMPILE_AVX512 0
// A function of kernel32.dll, with which every program is linked. 40 is
// PF_AVX2_INSTRUCTIONS_AVAILABLE.
__declspec(dllimport) int __stdcall IsProcessorFeaturePresent(unsigned long feature);
static inline bool md5_processor_has_avx2(void)
{
    return IsProcessorFeaturePresent(40) != 0;
}

#elif defined(_WIN32) && defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)

// GCC stores wide registers on the stack with aligned instructions, but the stack is not aligned to
// them on Windows, so that the program would crash (GCC bug 54412).
#define MD5_IS_X86_64 1
#define MD5_CAN_COMPILE_AVX2 0
#define MD5_CAN_COMPILE_AVX512 0

#elif defined(__GNUC__) && defined(__x86_64__)

#define MD5_IS_X86_64 1
#define MD5_CAN_COMPILE_AVX2 1
#define MD5_CAN_COMPILE_AVX512 1
static inline bool md5_processor_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}

// Checks the extensions that the kernels use (F, DQ, VL), and two that they do not use (VBMI2,
// BITALG). The latter exist only on processors that do not reduce their clock rate for AVX-512.
static inline bool md5_processor_has_avx512(void)
{
    const bool can_run_kernels = __builtin_cpu_supports("avx512f")
                                 && __builtin_cpu_supports("avx512dq")
                                 && __builtin_cpu_supports("avx512vl");
    const bool has_full_clock_rate =
        __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bitalg");
    return can_run_kernels && has_full_clock_rate;
}

#elif defined(__EMSCRIPTEN__) && defined(__SSE2__) && defined(__wasm_simd128__)

// With -msse2 -msimd128 Emscripten maps the intrinsics of SSE2 to the vectors of WebAssembly. A
// browser without these vectors cannot load the file, so that a check at run time is not needed.
#define MD5_IS_X86_64 1
#define MD5_CAN_COMPILE_AVX2 0
#define MD5_CAN_COMPILE_AVX512 0

#else
#define MD5_IS_X86_64 0
#define MD5_CAN_COMPILE_AVX2 0
#define MD5_CAN_COMPILE_AVX512 0
#endif

#if defined(__GNUC__) && defined(__AARCH64EL__)
#define MD5_IS_AARCH64 1
#else
#define MD5_IS_AARCH64 0
#endif

// Code paths that only save time and have the same results. Without them text is read at less than
// half the speed.
#ifdef __OPTIMIZE_SIZE__
#define MD5_HAS_SHORTCUTS 0
#else
#define MD5_HAS_SHORTCUTS 1
#endif

#endif
