// Converts decimal text to numbers. Results are correctly rounded (bit-identical to strtof) and do
// not depend on the locale. md5i_scan_float() reads any number. The other functions are fast paths
// for the usual forms in MD5 files. They read 8 or 16 bytes at a time, including bytes around the
// number, and return NULL for any other form.
#ifndef MD5_CORE_NUMBER_H
#define MD5_CORE_NUMBER_H

#include "md5/core/cpu.h"

// -- Digits, 8 or 16 bytes at a time -------------------------------------------------------------

// Returns true for bytes 1 to 0x20. Bytes from 0x80 on also separate tokens. They are rare, so only
// the lexer handles them.
static inline bool md5_is_blank(char c)
{
    return (unsigned char)(c - 1) < 0x20;
}

static inline bool md5_is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

#define MD5_ONES UINT64_C(0x0101010101010101) // multiplied by a byte: that byte in all 8 bytes

// Converts eight digits to a number. Digits are bytes with the values 0 to 9; the most significant
// digit is the lowest byte.
static inline uint32_t md5_eight_digits(uint64_t values)
{
    // Combine pairs of digits to numbers of two digits, pairs of these to four digits, and pairs of
    // those to eight.
    values = values * (10 * 256 + 1) >> 8;
    values = (values & UINT64_C(0x00FF00FF00FF00FF)) * (100 * 65536 + 1) >> 16;
    return (uint32_t)((values & UINT64_C(0x0000FFFF0000FFFF)) * (UINT64_C(10000) << 32 | 1) >> 32);
}

// Returns a mask of the 16 bytes at `text`: bit i is 1 if text[i] is not a digit. There is one
// definition for each instruction set.
#if MD5_HAS_SSE2
#include <emmintrin.h>

// Finds non-digits among 16 bytes with SSE2.
static inline uint64_t md5_not_digits(const char *text)
{
    // Move the digits to the ten highest values of a signed byte. One comparison then finds all
    // other bytes.
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text);
    const __m128i moved = _mm_add_epi8(bytes, _mm_set1_epi8(0x7F - '9'));
    return (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmplt_epi8(moved, _mm_set1_epi8(0x7F - 9)));
}

#elif MD5_HAS_NEON
#include <arm_neon.h>

// Finds non-digits among 16 bytes with NEON.
static inline uint64_t md5_not_digits(const char *text)
{
    static const uint8_t bits[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t values = vsubq_u8(vld1q_u8((const uint8_t *)text), vdupq_n_u8('0'));
    const uint8x16_t each = vandq_u8(vcgtq_u8(values, vdupq_n_u8(9)), vld1q_u8(bits));
    return (uint64_t)vaddv_u8(vget_low_u8(each)) | (uint64_t)vaddv_u8(vget_high_u8(each)) << 8;
}

#else

// Finds non-digits among 16 bytes without SIMD: processes eight bytes at a time as one integer.
static inline uint64_t md5_not_digits(const char *text)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < 2; i++) {
        // The addition sets the highest bit of each byte above 9, and no sum carries to the next
        // byte. The shift moves these bits to the lowest bits of their bytes. The product then
        // collects the eight bits in its highest byte.
        const uint64_t values = md5_read_u64le(text + 8 * i) ^ '0' * MD5_ONES;
        const uint64_t above = (values & 0x7F * MD5_ONES) + (0x80 - 10) * MD5_ONES;
        const uint64_t non_digits = (above | values) >> 7 & MD5_ONES;
        bits |= (non_digits * UINT64_C(0x0102040810204080) >> 56) << (8 * i);
    }
    return bits;
}

#endif

// -- Numbers -----------------------------------------------------------------------------------

// Powers of ten up to 10^22, which a double represents exactly. MD5_MAX_DIGITS is the number of
// decimal digits that always fit into an int64_t.
enum { MD5_MAX_EXACT_POWER = 22, MD5_MAX_DIGITS = 18 };
extern const double md5i_exact_powers[MD5_MAX_EXACT_POWER + 1];

// Reads a float at `text`. It consists of an optional `-` or `+`, digits with at most one point and
// at least one digit, and an optional exponent (e or E). Returns the end of the number, or NULL if
// the text is not a number. A value above the range of float becomes infinity.
const char *md5i_scan_float(const char *text, const char *end, float *value);

// Reads the same numbers as a double. The result is correctly rounded for up to 15 digits and
// exponents up to 22; otherwise the error is at most 4 units of the last place.
const char *md5i_scan_double(const char *text, const char *end, double *value);

// Returns true if `near` rounds to the same float as the exact value that it approximates. `near`
// may differ from that value by 4 units in its last place. It rounds differently only if a midpoint
// between two floats lies in this range. `near` must not be below the range of normal floats.
static inline bool md5_rounds_safely(double near)
{
    enum { SLACK = 8 };
    const uint32_t half = UINT32_C(1) << 28; // the midpoint, in the bits that a float does not have
    uint64_t bits;
    memcpy(&bits, &near, sizeof bits);
    // True if these bits are outside of half -+ SLACK. The difference is unsigned and wraps.
    return ((uint32_t)bits & (2 * half - 1)) - (half - SLACK) > 2 * SLACK;
}

// Bytes before and after the start of a number that the functions below may read.
enum { MD5_BYTES_BEFORE = 17, MD5_BYTES_AFTER = 16 };

// Reads an integer of up to seven digits before a blank. Returns the position of the blank, or NULL
// if the text has another form. A leading zero is another form, so that the lexer reads such a
// number and warns about it.
static inline const char *md5_scan_uint(const char *text, uint32_t *value)
{
    // A byte of `values` is at most 9 if it is a digit. The highest bit of a byte of `non_digits`
    // is set if the byte is not a digit. This is true up to the first such byte, because a carry of
    // the sum affects only later bytes.
    const uint64_t values = md5_read_u64le(text) ^ '0' * MD5_ONES;
    const uint64_t non_digits = ((values + (0x80 - 10) * MD5_ONES) | values) & 0x80 * MD5_ONES;
    if (non_digits == 0)
        return NULL;
    const size_t length = md5_lowest_bit(non_digits) / 8;
    if (length == 0 || !md5_is_blank(text[length]))
        return NULL;
    if (*text == '0' && length > 1)
        return NULL;
    *value = md5_eight_digits(values << (64 - 8 * length));
    return text + length;
}

// Reads a number in its most common form: digits with a point, at most 15 bytes, before a blank.
// Returns the position of the blank, or NULL if the text has another form. No branch depends on the
// number of digits.
const char *md5i_scan_plain(const char *text, float *value);

// Like md5i_scan_plain(), but faster for numbers with one digit before the point and ten after it,
// the format of id's exporter. Other numbers are passed to md5i_scan_plain().
static MD5_ALWAYS_INLINE const char *md5_scan_ten_decimals(const char *text, float *value)
{
    static const double parts[2] = {1e-10, -1e-10};
    const uint32_t negative = *text == '-';
    const char *const first = text + negative;
    const uint64_t last = md5_read_u64le(first + 4) ^ '0' * MD5_ONES; // decimals 3 to 10
    const uint64_t sums = last + (0x80 - 10) * MD5_ONES;
    if (((sums | last) & 0x80 * MD5_ONES) != 0 || !md5_is_blank(first[12]))
        return md5i_scan_plain(text, value);
    const int32_t upper = (first[0] - '0') * 100 + (first[2] - '0') * 10 + (first[3] - '0');
    const int64_t digits = upper * INT64_C(100000000) + md5_eight_digits(last);
    // The error has two sources: the rounding of the constant 1e-10 and of the product. Together
    // they cause at most 2 units in the last place.
    const double near = (double)digits * parts[negative];
    *value = (float)near;
    return md5_rounds_safely(near) ? first + 12 : md5i_scan_plain(text, value);
}

// Reads one digit before a blank, which is a common bias and texture coordinate.
static inline const char *md5_scan_digit(const char *text, uint32_t negative, float *value)
{
    static const float signs[2] = {1, -1};
    if (!md5_is_digit(*text))
        return NULL;
    *value = (float)(*text - '0') * signs[negative]; // -0 has a sign
    return text + 1;
}

// Like md5i_scan_plain(), but faster for numbers with one digit before the point and six or ten
// after it, and also reads numbers of one digit. Other numbers are passed to md5i_scan_plain().
static MD5_ALWAYS_INLINE const char *md5_scan_common(const char *text, float *value)
{
    static const float millions[2] = {1e6f, -1e6f};
    const uint32_t negative = *text == '-';
    const char *const first = text + negative;
    // Eight bytes: a digit, a point and six decimals. The XOR turns digits into their values 0 to
    // 9, and the point into 0. The addition sets the highest bit of each byte that is neither, up
    // to the first such byte: only sums after it may be wrong because of a carry.
    const uint64_t digit = '0' * MD5_ONES;
    const uint64_t overflow = (0x80 - 10) * MD5_ONES; // sets the highest bit of values above 9
    const uint64_t values = md5_read_u64le(first) ^ (digit ^ ('0' ^ '.') << 8);
    const uint64_t sums = values + (overflow + (9 << 8));
    if (((sums | values) & 0x80 * MD5_ONES) != 0)
        return md5_is_blank(first[1]) ? md5_scan_digit(first, negative, value)
                                      : md5i_scan_plain(text, value);
    if (!md5_is_blank(first[8]))
        return md5_scan_ten_decimals(text, value);
    const uint32_t digits = md5_eight_digits(values) - (uint32_t)(values & 15) * 9000000;
    *value = (float)(int32_t)digits / millions[negative]; // both are exact, so it rounds only once
    return first + 8;
}

// Reads `count` numbers like md5_scan_run(), but as a call instead of inline code.
const char *md5i_scan_run(const char *text, float *numbers, int count);

// Reads `count` numbers that are separated by single blanks. Returns the end of the last number.
// Returns NULL if a number does not have the usual form that md5_scan_common() reads.
static MD5_ALWAYS_INLINE const char *md5_scan_run(const char *text, float *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        text = md5_scan_common(text, &numbers[i]);
        if (!text)
            return NULL;
        text++; // the blank
    }
    return text - 1;
}

#endif
