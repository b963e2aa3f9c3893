// What differs between compilers, and nothing else of the library does: attributes, hints, vector
// types and questions to the processor, each in the form of GCC and Clang, in that of Microsoft's
// compiler, and as nothing for others. test/tree/compilers.sh looks for them elsewhere. Then the
// parts that macros leave out.
#ifndef MD5_CORE_COMPILER_H
#define MD5_CORE_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// clang-cl is Clang that calls itself Microsoft's compiler.
#if defined(__GNUC__) || defined(__clang__)

// The last arguments of a function are a printf() format, number `text`, and its values; it reports
// what is rare. Windows compilers know the printf() of old, which is not the one that is used.
#if defined(_WIN32)
#define MD5_PRINTF(text, values)
#else
#define MD5_PRINTF(text, values) __attribute__((cold, format(printf, text, values)))
#endif
#define MD5_NO_RETURN __attribute__((noreturn, cold))
#define MD5_NO_INLINE __attribute__((noinline))
#if defined(__wasm__) && defined(__OPTIMIZE_SIZE__) // a page waits for each byte
#define MD5_ALWAYS_INLINE inline
#else
#define MD5_ALWAYS_INLINE __attribute__((always_inline)) inline
#endif
// The function may use these instruction sets ("avx2").
#define MD5_TARGET(sets) __attribute__((target(sets)))
// Keeps the compiler from loading a register of kind "x" again for every use.
#define MD5_KEEP_LOADED(kind, a) __asm__("" : "+" kind(a))
// Keeps the compiler from computing a variable again for every use: it is in memory, and nothing is
// known of it.
#define MD5_KEEP_IN_MEMORY(a) __asm__("" : "+m"(a))

#elif defined(_MSC_VER)

#define MD5_PRINTF(text, values)
#define MD5_NO_RETURN __declspec(noreturn)
#define MD5_NO_INLINE __declspec(noinline)
#define MD5_ALWAYS_INLINE __forceinline
#define MD5_TARGET(sets) // every function may use every intrinsic
#define MD5_KEEP_LOADED(kind, a) ((void)(a))
#define MD5_KEEP_IN_MEMORY(a) ((void)(a))

#else

#define MD5_PRINTF(text, values)
#define MD5_NO_RETURN
#define MD5_NO_INLINE
#define MD5_ALWAYS_INLINE inline
#define MD5_TARGET(sets)
#define MD5_KEEP_LOADED(kind, a) ((void)(a))
#define MD5_KEEP_IN_MEMORY(a) ((void)(a))

#endif

// Precedes a function that reads freed memory, with which debug builds find the use of freed
// objects: AddressSanitizer does not report these reads.
#if defined(__clang__) || defined(__GNUC__)
#define MD5_READS_FREED __attribute__((no_sanitize("address")))
#else
#define MD5_READS_FREED
#endif

// Atomic operations: increment a counter and return its value before; replace a pointer and return
// the one before. Only debug builds need them, and can do without them.
#if defined(__clang__) || defined(__GNUC__)
#define MD5_HAS_ATOMICS 1
#define MD5_ATOMIC_INCREMENT(counter) __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED)
#define MD5_ATOMIC_EXCHANGE(variable, pointer) \
    __atomic_exchange_n(variable, pointer, __ATOMIC_ACQ_REL)
#else
#define MD5_HAS_ATOMICS 0
#endif

// Precedes a function that is rarely called: compiled for size, apart from frequent code.
#if defined(__GNUC__) || defined(__clang__)
#define MD5_COLD __attribute__((cold))
#else
#define MD5_COLD
#endif

// Precedes a short loop over an array of registers that must be unrolled, so that the array stays
// in registers.
#if defined(__clang__)
#define MD5_UNROLL _Pragma("unroll")
#elif defined(__GNUC__)
#define MD5_UNROLL _Pragma("GCC unroll 16")
#else
#define MD5_UNROLL
#endif

// Asks for memory that is written soon, and does not wait for it.
#if defined(__GNUC__)
#define MD5_PREFETCH(address) __builtin_prefetch(address, 1)
#else
#define MD5_PREFETCH(address) ((void)(address))
#endif

// -- Features ----------------------------------------------------------------------------------

// Files of the system and formats besides text of version 10. Programs may define these as 0.
#ifndef MD5_HAS_FILES
#define MD5_HAS_FILES 1
#endif
#ifndef MD5_HAS_FORMATS
#define MD5_HAS_FORMATS 1
#endif

// -- Kernels -----------------------------------------------------------------------------------

// Kernels for instruction sets. Without an optimizer they would be large and no faster than plain
// C, which has the same bits. Microsoft's compiler does not define whether it optimizes, only
// _DEBUG.
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

// Vectors of floats with operators, in the compilers that have them:
//   typedef float md5_float4 MD5_VECTOR_SIZE(16);
// MD5_SHUFFLE: the places i, j, k, l of a vector; `bits` is the type of as many int32_t.
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

// The index of the lowest bit that is set in a number that is not 0.
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

// Eight bytes of memory as a number, the lowest first; in one load where that is their order.
static inline uint64_t md5_load_word(const void *from)
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

// Whether kernels may use the intrinsics of x86-64, of AVX2 and AVX-512 after asking the processor,
// or of 64-bit ARM. GCC and Clang learn from the C runtime what the processor has; Windows answers
// for AVX2 only. 64-bit ARM with Microsoft's compiler, whose vectors cannot be initialized like
// others, uses plain C.
#if defined(_MSC_VER) && defined(_M_X64) && !defined(_M_ARM64EC)

#define MD5_IS_X86_64 1
#if defined(__clang__) && __clang_major__ < 19 && !defined(__AVX2__)
#define MD5_KNOWS_AVX2 0 // clang-cl's headers had it on request only
#else
#define MD5_KNOWS_AVX2 1
#endif
#define MD5_KNOWS_AVX512 0
// Of kernel32.dll, which every program has; 40 is PF_AVX2_INSTRUCTIONS_AVAILABLE.
__declspec(dllimport) int __stdcall IsProcessorFeaturePresent(unsigned long feature);
static inline bool md5_processor_has_avx2(void)
{
    return IsProcessorFeaturePresent(40) != 0;
}

#elif defined(_WIN32) && defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)

// GCC keeps wide registers on the stack as if it were aligned to them, which on Windows it is not:
// the program crashes (GCC's bug 54412).
#define MD5_IS_X86_64 1
#define MD5_KNOWS_AVX2 0
#define MD5_KNOWS_AVX512 0

#elif defined(__GNUC__) && defined(__x86_64__)

#define MD5_IS_X86_64 1
#define MD5_KNOWS_AVX2 1
#define MD5_KNOWS_AVX512 1
static inline bool md5_processor_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}

// The extensions that the kernels use, and two more, which exist only on processors that do not
// lower their clock for AVX-512.
static inline bool md5_processor_has_avx512(void)
{
    const bool has_used = !!__builtin_cpu_supports("avx512f") & !!__builtin_cpu_supports("avx512dq")
                          & !!__builtin_cpu_supports("avx512vl");
    return has_used & !!__builtin_cpu_supports("avx512vbmi2")
           & !!__builtin_cpu_supports("avx512bitalg");
}

#elif defined(__EMSCRIPTEN__) && defined(__SSE2__) && defined(__wasm_simd128__)

// Emscripten maps the intrinsics of SSE2 to the vectors of WebAssembly: -msse2 -msimd128. A browser
// without those vectors does not load the file at all, so that there is nothing to ask at run time.
#define MD5_IS_X86_64 1
#define MD5_KNOWS_AVX2 0
#define MD5_KNOWS_AVX512 0

#else
#define MD5_IS_X86_64 0
#define MD5_KNOWS_AVX2 0
#define MD5_KNOWS_AVX512 0
#endif

#if defined(__GNUC__) && defined(__AARCH64EL__)
#define MD5_IS_AARCH64 1
#else
#define MD5_IS_AARCH64 0
#endif

// Code that only saves time: the same results. Text is then read at less than half the speed.
#ifdef __OPTIMIZE_SIZE__
#define MD5_HAS_SHORTCUTS 0
#else
#define MD5_HAS_SHORTCUTS 1
#endif

#endif
