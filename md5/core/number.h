// Decimal text to numbers: no locale, correctly rounded, equal to strtof bit for bit.
#ifndef MD5_CORE_NUMBER_H
#define MD5_CORE_NUMBER_H

#include "md5/core/bytes.h"

#include <stdbool.h>
#include <stddef.h>

// Powers of ten that a double holds exactly.
enum { MD5_MAX_EXACT_POWER = 22, MD5_MAX_DIGITS = 18 };
extern const double md5i_exact_powers[MD5_MAX_EXACT_POWER + 1];

// Reads a float at `at`: digits with at most one point, at least one digit, an optional `-` or
// `+` before and an optional exponent (e or E) behind. Returns where it ends, or NULL if there is
// no number. A value beyond the range of float becomes infinity.
const char *md5i_scan_float_exact(const char *at, const char *end, float *value);

// The same number as a double: exact to the last bit for up to 15 digits and exponents up to 22,
// within 4 units of the last place otherwise.
const char *md5i_scan_double(const char *at, const char *end, double *value);

// The bits of a double that a float lacks decide how it rounds: 1000... is halfway between two
// floats.
static inline uint32_t md5_bits_below_float(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint32_t)bits & ((UINT32_C(1) << 29) - 1);
}

static inline bool md5_is_halfway(double value)
{
    return md5_bits_below_float(value) == UINT32_C(1) << 28;
}

// Whether `near`, which is off by at most 4 units of its last place, rounds to the same float as
// the exact value. That is so unless a point halfway between two floats is close by. `near` must
// not be below the range of normal floats.
static inline bool md5_rounds_safely(double near)
{
    enum { SLACK = 8 };
    const uint32_t half = UINT32_C(1) << 28;
    return md5_bits_below_float(near) - (half - SLACK)
           > 2 * SLACK; // unsigned: outside half -+ SLACK
}

#if MD5_HAS_WORDS
// How many bytes around a number md5i_scan_plain() may read.
enum { MD5_BYTES_BEFORE = 17, MD5_BYTES_BEHIND = 16 };

// Reads a number in its most common form: digits with a point, at most 15 bytes, then a blank.
// Returns the position of the blank, or NULL if the text has another form. No branch depends on the
// number of digits.
const char *md5i_scan_plain(const char *at, float *value);

// The same, faster for one digit before the point and ten after it, as id's exporter writes.
static inline const char *md5_scan_ten_decimals(const char *at, float *value)
{
    static const double parts[2] = {1e-10, -1e-10};
    const uint32_t negative = *at == '-';
    const char *const first = at + negative;
    const uint64_t last = md5_load_word(first + 4) ^ '0' * MD5_ONES; // decimals 3 to 10
    const uint64_t sums = last + (0x80 - 10) * MD5_ONES;
    if (((sums | last) & 0x80 * MD5_ONES) != 0 || !md5_is_blank(first[12]))
        return md5i_scan_plain(at, value);
    const int32_t upper = (first[0] - '0') * 100 + (first[2] - '0') * 10 + (first[3] - '0');
    const int64_t digits = upper * INT64_C(100000000) + md5_eight_digits(last);
    // Off by the rounding of 1e-10 and that of the product: at most 2 units of the last place.
    const double near = (double)digits * parts[negative];
    *value = (float)near;
    return md5_rounds_safely(near) ? first + 12 : md5i_scan_plain(at, value);
}

// The same, faster for one digit before the point and six or ten after it.
static inline const char *md5_scan_common(const char *at, float *value)
{
    static const float millions[2] = {1e6f, -1e6f};
    const uint32_t negative = *at == '-';
    const char *const first = at + negative;
    // A point becomes 0. Sums then set the highest bit of each byte that is not as expected; bytes
    // before the first such byte do not carry.
    const uint64_t digit = '0' * MD5_ONES, beyond = (0x80 - 10) * MD5_ONES;
    const uint64_t values = md5_load_word(first) ^ (digit ^ ('0' ^ '.') << 8);
    const uint64_t sums = values + (beyond + (9 << 8));
    if (((sums | values) & 0x80 * MD5_ONES) != 0)
        return md5_is_blank(first[1]) ? NULL : md5i_scan_plain(at, value);
    if (!md5_is_blank(first[8]))
        return md5_scan_ten_decimals(at, value);
    const uint32_t digits = md5_eight_digits(values) - (uint32_t)(values & 15) * 9000000;
    *value = (float)(int32_t)digits / millions[negative]; // of whole floats: rounded once
    return first + 8;
}
#endif

// Inline: at most 18 digits without an exponent. md5i_scan_float_exact() reads all others.
static inline const char *md5_scan_float(const char *at, const char *end, float *value)
{
    const char *next = at;
    const bool negative = next < end && *next == '-';
    next += negative;

    uint64_t digits = 0;
    const char *const first = next;
    while (next < end && (unsigned char)(*next - '0') < 10)
        digits = 10 * digits + (uint64_t)(*next++ - '0');
    size_t num_digits = (size_t)(next - first), num_decimals = 0;
    if (next < end && *next == '.') {
        const char *const point = next++;
        while (next < end && (unsigned char)(*next - '0') < 10)
            digits = 10 * digits + (uint64_t)(*next++ - '0');
        num_decimals = (size_t)(next - point) - 1;
        num_digits += num_decimals;
    }
    // An overflow of `digits` above is harmless: then there are too many of them.
    const bool has_exponent = next < end && (*next | 0x20) == 'e';
    if (num_digits - 1 >= MD5_MAX_DIGITS || has_exponent)
        return md5i_scan_float_exact(at, end, value);
    if (num_decimals == 0) {
        const float whole = (float)(int64_t)digits;
        *value = negative ? -whole : whole;
        return next;
    }

    // Two roundings: the digits to double, and the division.
    const double near = (double)(int64_t)digits / md5i_exact_powers[num_decimals];
    if (!md5_rounds_safely(near))
        return md5i_scan_float_exact(at, end, value);
    *value = negative ? -(float)near : (float)near;
    return next;
}

#endif
