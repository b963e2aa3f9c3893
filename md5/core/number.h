// Decimal text to numbers: no locale, correctly rounded, equal to strtof bit for bit.
#ifndef MD5_CORE_NUMBER_H
#define MD5_CORE_NUMBER_H

#include "md5/core/cpu.h"

// -- Digits in 8 or 16 bytes of a text at a time ------------------------------------------------

// Bytes 1 to 0x20. Bytes from 0x80 on also separate tokens, but are rare and left to the lexer.
static inline bool md5_is_blank(char c)
{
    return (unsigned char)(c - 1) < 0x20;
}

static inline bool md5_is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

#define MD5_ONES UINT64_C(0x0101010101010101) // times a byte: that byte in all 8 bytes

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

static inline uint64_t md5_not_digits(const char *text)
{
    // Shifts digits to the ten highest values of a signed byte.
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text);
    const __m128i moved = _mm_add_epi8(bytes, _mm_set1_epi8(0x7F - '9'));
    return (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmplt_epi8(moved, _mm_set1_epi8(0x7F - 9)));
}

#elif MD5_HAS_NEON
#include <arm_neon.h>

static inline uint64_t md5_not_digits(const char *text)
{
    static const uint8_t bits[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t values = vsubq_u8(vld1q_u8((const uint8_t *)text), vdupq_n_u8('0'));
    const uint8x16_t each = vandq_u8(vcgtq_u8(values, vdupq_n_u8(9)), vld1q_u8(bits));
    return (uint64_t)vaddv_u8(vget_low_u8(each)) | (uint64_t)vaddv_u8(vget_high_u8(each)) << 8;
}

#else

static inline uint64_t md5_not_digits(const char *text)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < 2; i++) {
        // No byte carries to the next; the product gathers the highest bits of all bytes.
        const uint64_t values = md5_load_word(text + 8 * i) ^ '0' * MD5_ONES;
        const uint64_t above = (values & 0x7F * MD5_ONES) + (0x80 - 10) * MD5_ONES;
        const uint64_t others = (above | values) >> 7 & MD5_ONES;
        bits |= (others * UINT64_C(0x0102040810204080) >> 56) << (8 * i);
    }
    return bits;
}

#endif

// -- Numbers -----------------------------------------------------------------------------------

// Powers of ten that a double holds exactly.
enum { MD5_MAX_EXACT_POWER = 22, MD5_MAX_DIGITS = 18 };
extern const double md5i_exact_powers[MD5_MAX_EXACT_POWER + 1];

// Reads a float at `text`: digits with at most one point, at least one digit, an optional `-` or
// `+` before and an optional exponent (e or E) behind. Returns where it ends, or NULL if there is
// no number. A value beyond the range of float becomes infinity.
const char *md5i_scan_float(const char *text, const char *end, float *value);

// The same number as a double: exact to the last bit for up to 15 digits and exponents up to 22,
// within 4 units of the last place otherwise.
const char *md5i_scan_double(const char *text, const char *end, double *value);

// Whether `near`, which is off by at most 4 units of its last place, rounds to the same float as
// the exact value. That is so unless a point halfway between two floats is close by. `near` must
// not be below the range of normal floats.
static inline bool md5_rounds_safely(double near)
{
    enum { SLACK = 8 };
    const uint32_t half = UINT32_C(1) << 28; // of the bits that a float lacks
    uint64_t bits;
    memcpy(&bits, &near, sizeof bits);
    // Unsigned: outside half -+ SLACK.
    return ((uint32_t)bits & (2 * half - 1)) - (half - SLACK) > 2 * SLACK;
}

// How many bytes around a number md5i_scan_plain() may read.
enum { MD5_BYTES_BEFORE = 17, MD5_BYTES_BEHIND = 16 };

// Reads a whole number of up to seven digits, then a blank. Returns the position of the blank, or
// NULL if the text has another form; of a leading zero may have to be warned.
static inline const char *md5_scan_uint(const char *text, uint32_t *value)
{
    // Sums reach the highest bit of the first byte that is no digit.
    const uint64_t values = md5_load_word(text) ^ '0' * MD5_ONES;
    const uint64_t others = ((values + (0x80 - 10) * MD5_ONES) | values) & 0x80 * MD5_ONES;
    if (others == 0)
        return NULL;
    const size_t length = md5_lowest_bit(others) / 8;
    if (length == 0 || !md5_is_blank(text[length]) || (*text == '0' && length > 1))
        return NULL;
    *value = md5_eight_digits(values << (64 - 8 * length));
    return text + length;
}

// Reads a number in its most common form: digits with a point, at most 15 bytes, then a blank.
// Returns the position of the blank, or NULL if the text has another form. No branch depends on the
// number of digits.
const char *md5i_scan_plain(const char *text, float *value);

// The same, faster for one digit before the point and ten after it, as id's exporter writes.
static MD5_ALWAYS_INLINE const char *md5_scan_ten_decimals(const char *text, float *value)
{
    static const double parts[2] = {1e-10, -1e-10};
    const uint32_t negative = *text == '-';
    const char *const first = text + negative;
    const uint64_t last = md5_load_word(first + 4) ^ '0' * MD5_ONES; // decimals 3 to 10
    const uint64_t sums = last + (0x80 - 10) * MD5_ONES;
    if (((sums | last) & 0x80 * MD5_ONES) != 0 || !md5_is_blank(first[12]))
        return md5i_scan_plain(text, value);
    const int32_t upper = (first[0] - '0') * 100 + (first[2] - '0') * 10 + (first[3] - '0');
    const int64_t digits = upper * INT64_C(100000000) + md5_eight_digits(last);
    // Off by the rounding of 1e-10 and that of the product: at most 2 units of the last place.
    const double near = (double)digits * parts[negative];
    *value = (float)near;
    return md5_rounds_safely(near) ? first + 12 : md5i_scan_plain(text, value);
}

// The same, faster for one digit before the point and six or ten after it.
static MD5_ALWAYS_INLINE const char *md5_scan_common(const char *text, float *value)
{
    static const float millions[2] = {1e6f, -1e6f};
    const uint32_t negative = *text == '-';
    const char *const first = text + negative;
    // A point becomes 0. Sums then set the highest bit of each byte that is not as expected; bytes
    // before the first such byte do not carry.
    const uint64_t digit = '0' * MD5_ONES;
    const uint64_t beyond = (0x80 - 10) * MD5_ONES;
    const uint64_t values = md5_load_word(first) ^ (digit ^ ('0' ^ '.') << 8);
    const uint64_t sums = values + (beyond + (9 << 8));
    if (((sums | values) & 0x80 * MD5_ONES) != 0)
        return md5_is_blank(first[1]) ? NULL : md5i_scan_plain(text, value);
    if (!md5_is_blank(first[8]))
        return md5_scan_ten_decimals(text, value);
    const uint32_t digits = md5_eight_digits(values) - (uint32_t)(values & 15) * 9000000;
    *value = (float)(int32_t)digits / millions[negative]; // of whole floats: rounded once
    return first + 8;
}

// Reads so many of these, with one blank between two. Returns the position of the blank behind the
// last, or NULL.
const char *md5i_scan_run(const char *text, float *numbers, int count);

#endif
