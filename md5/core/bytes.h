// Finds and converts digits in 8 or 16 bytes of a text at a time.
#ifndef MD5_CORE_BYTES_H
#define MD5_CORE_BYTES_H

#include "md5/core/cpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Functions that read numbers by words are compiled only with MD5_HAS_WORDS.
#if MD5_HAS_WORDS

#define MD5_ONES UINT64_C(0x0101010101010101) // times a byte: that byte in all 8 bytes

static inline uint64_t md5_load_word(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

// Bytes 1 to 0x20. Bytes from 0x80 on also separate tokens, but are rare and left to the lexer.
static inline bool md5_is_blank(char c)
{
    return (unsigned char)(c - 1) < 0x20;
}

// Mask of the last `count` (1 to 8) bytes of a word.
static inline uint64_t md5_last_bytes(size_t count)
{
    return ~UINT64_C(0) << (64 - 8 * count);
}

// Converts eight digits, bytes from 0 to 9, most significant first, to a number.
static inline uint32_t md5_eight_digits(uint64_t values)
{
    // Combines digits to pairs, pairs to fours, fours to eight.
    values = values * (10 * 256 + 1) >> 8;
    values = (values & UINT64_C(0x00FF00FF00FF00FF)) * (100 * 65536 + 1) >> 16;
    return (uint32_t)((values & UINT64_C(0x0000FFFF0000FFFF)) * (UINT64_C(10000) << 32 | 1) >> 32);
}

// Returns 16 bits, lowest first: 1 for each byte that is not a digit. With SSE2, NEON, or by words.
#if MD5_HAS_SSE2
#include <emmintrin.h>

static inline uint64_t md5_not_digits(const char *at)
{
    // Shifts digits to the ten highest values of a signed byte.
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
    const __m128i moved = _mm_add_epi8(bytes, _mm_set1_epi8(0x7F - '9'));
    return (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmplt_epi8(moved, _mm_set1_epi8(0x7F - 9)));
}

#elif MD5_HAS_NEON
#include <arm_neon.h>

static inline uint64_t md5_not_digits(const char *at)
{
    static const uint8_t bits[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t values = vsubq_u8(vld1q_u8((const uint8_t *)at), vdupq_n_u8('0'));
    const uint8x16_t each = vandq_u8(vcgtq_u8(values, vdupq_n_u8(9)), vld1q_u8(bits));
    return (uint64_t)vaddv_u8(vget_low_u8(each)) | (uint64_t)vaddv_u8(vget_high_u8(each)) << 8;
}

#else

static inline uint64_t md5_not_digits(const char *at)
{
    uint64_t bits = 0;
    for (int i = 0; i < 2; i++) {
        // No byte carries to the next; the product gathers the highest bits of all bytes.
        const uint64_t values = md5_load_word(at + 8 * i) ^ '0' * MD5_ONES;
        const uint64_t above = (values & 0x7F * MD5_ONES) + (0x80 - 10) * MD5_ONES;
        const uint64_t others = (above | values) >> 7 & MD5_ONES;
        bits |= (others * UINT64_C(0x0102040810204080) >> 56) << (8 * i);
    }
    return bits;
}

#endif
#endif
#endif
