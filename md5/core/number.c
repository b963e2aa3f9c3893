// Converts decimal text to floats. First a number is computed in double with a small error. If a
// midpoint between two floats is too close to that double, an exact comparison decides the
// rounding. It uses integers of several hundred bits (`big`).
#include "md5/core/number.h"

#include "md5/core/floats.h"

#include <math.h>

const double md5i_exact_powers[MD5_MAX_EXACT_POWER + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

enum {
    // Number of digits that are stored. A midpoint of two floats is at least 2^-150 times an odd
    // number below 2^25, so it has at most 113 significant decimal digits. Further digits therefore
    // only decide whether a number equals a midpoint or is above it.
    KEPT_DIGITS = 120,
    // A number with a larger exponent rounds to infinity, a number with a smaller exponent to zero.
    LARGEST_POWER = 39,
    SMALLEST_POWER = -47,
    // Digits of an exponent are ignored after it has reached this value, because such exponents
    // give 0 or infinity. The stored exponent is below ten times this value, so an int64_t can
    // contain its sum with a count of digits.
    EXPONENT_LIMIT = 1 << 30,
};

// A decimal number: 0.d1 d2 d3 ... * 10^exponent.
typedef struct scanned_decimal {
    bool negative;
    uint32_t num_digits; // stored significant digits, from the first that is not 0; 0 = the value 0
    bool has_more;       // digits other than 0 follow the stored digits
    int64_t exponent;
    unsigned char digits[KEPT_DIGITS];
} scanned_decimal;

// If an exponent is at `text`, adds it to *exponent and returns the position after it. Otherwise
// returns `text`. An `e` without digits is not part of the number, as for strtof().
static inline const char *scan_exponent(const char *text, const char *end, int64_t *exponent)
{
    if (text == end || (*text | 0x20) != 'e')
        return text;
    const char *digit = text + 1;
    const bool negative = digit < end && *digit == '-';
    if (digit < end && (*digit == '-' || *digit == '+'))
        digit++;
    if (digit >= end || !md5_is_digit(*digit))
        return text;

    int64_t value = 0;
    for (; digit < end && md5_is_digit(*digit); digit++) {
        if (value < EXPONENT_LIMIT) // more digits do not change the result
            value = 10 * value + (*digit - '0');
    }
    *exponent += negative ? -value : value;
    return digit;
}

// Scans the number at `text` without rounding. It consists of a sign, digits, a point, digits and
// an exponent. Returns the position after it, or NULL if it has no digit.
//
// The value is 0.DIGITS * 10^exponent. Leading zeros are not stored. Each other digit before the
// point increases the exponent by 1; each zero directly after the point decreases it by 1.
static MD5_COLD const char *scan_decimal(const char *text, const char *end, scanned_decimal *number)
{
    const char *next = text;
    bool has_digits = false;
    bool is_past_point = false;
    number->negative = next < end && *next == '-';
    number->has_more = false;
    number->num_digits = 0;
    number->exponent = 0;

    if (next < end && (*next == '-' || *next == '+'))
        next++;

    for (; next < end; next++) {
        if (*next == '.' && !is_past_point) {
            is_past_point = true;
            continue;
        }
        if (!md5_is_digit(*next))
            break;
        has_digits = true;

        if (number->num_digits == 0 && *next == '0') {
            if (is_past_point)
                number->exponent--;
            continue;
        }
        if (!is_past_point)
            number->exponent++;
        if (number->num_digits < KEPT_DIGITS)
            number->digits[number->num_digits++] = (unsigned char)(*next - '0');
        else
            number->has_more |= *next != '0';
    }

    if (!has_digits)
        return NULL;
    return scan_exponent(next, end, &number->exponent);
}

// Computes an approximation of a scanned number. Its error is at most 4 units in the last place of
// a double. Returns false if the power of ten is too large.
//
// The error has three sources, whose sum is slightly more than 4 times 2^-53:
//
// - the digits after the 18th, which are omitted: 10^-17, less than 2^-56
// - the conversion of the digits to double
// - up to three multiplications or divisions by exact powers of ten
static bool to_near_double(const scanned_decimal *number, double *near)
{
    enum { MAX_POWER = 3 * MD5_MAX_EXACT_POWER };
    const uint32_t num_used =
        number->num_digits < MD5_MAX_DIGITS ? number->num_digits : MD5_MAX_DIGITS;
    int64_t digits = 0;
    for (uint32_t i = 0; i < num_used; i++)
        digits = 10 * digits + number->digits[i];

    const int64_t power = number->exponent - num_used;
    int64_t remaining_power = power < 0 ? -power : power;

    *near = (double)digits;
    if (digits == 0)
        return true;
    if (remaining_power > MAX_POWER)
        return false;

    while (remaining_power > 0) {
        const int64_t step =
            remaining_power < MD5_MAX_EXACT_POWER ? remaining_power : MD5_MAX_EXACT_POWER;
        *near = power < 0 ? *near / md5i_exact_powers[step] : *near * md5i_exact_powers[step];
        remaining_power -= step;
    }
    return true;
}

// -- Integers of several hundred bits -------------------------------------------------------

// Capacity of a `big`, sufficient for both sides of compare_exactly():
//
// - 10^(KEPT_DIGITS - SMALLEST_POWER), which has 555 bits, times a factor of 25 bits
// - a number of KEPT_DIGITS digits, which has 399 bits, shifted left by 150
enum { BIG_WORDS = 20 };

// An integer of up to 640 bits, as digits of base 2^32, the lowest first. The number 0 has no
// digits.
typedef struct big {
    uint32_t count;
    uint32_t words[BIG_WORDS];
} big;

// Computes number = number * factor + addend.
static void big_multiply_add(big *number, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (uint32_t i = 0; i < number->count; i++) {
        carry += (uint64_t)number->words[i] * factor;
        number->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry > 0)
        number->words[number->count++] = (uint32_t)carry;
}

// Multiplies an integer by 2^bits. Moves its words for each 32 bits, and multiplies by the
// remaining power of two.
static void big_shift_left(big *number, uint32_t bits)
{
    const uint32_t words = bits / 32;
    const uint32_t remaining = bits % 32;
    memmove(number->words + words, number->words, number->count * sizeof number->words[0]);
    memset(number->words, 0, words * sizeof number->words[0]);
    number->count += words;
    big_multiply_add(number, UINT32_C(1) << remaining, 0);
}

// Exponent of the largest power of ten in 32 bits.
enum { WORD_POWER = 9 };

// Multiplies an integer by 10^times. Each step multiplies by the largest power of ten that fits
// into a word.
static void big_multiply_by_ten(big *number, int64_t times)
{
    for (; times > 0; times -= WORD_POWER)
        big_multiply_add(number,
                         (uint32_t)md5i_exact_powers[times < WORD_POWER ? times : WORD_POWER], 0);
}

// Returns 1, 0 or -1 if a is greater than, equal to or less than b.
static int big_compare(const big *a, const big *b)
{
    int order = (a->count > b->count) - (a->count < b->count);
    for (uint32_t i = a->count; order == 0 && i-- > 0;)
        order = (a->words[i] > b->words[i]) - (a->words[i] < b->words[i]);
    return order;
}

// Sets `result` to the digits of a number as an integer, without its power of ten. Collects up to
// WORD_POWER digits in a 32-bit word. Then one multiplication by a power of ten appends them.
static void big_from_digits(big *result, const scanned_decimal *number)
{
    uint32_t digits = 0;
    uint32_t count = 0;
    result->count = 0;
    for (uint32_t i = 0; i < number->num_digits; i++) {
        digits = 10 * digits + number->digits[i];
        count++;
        if (count < WORD_POWER && i + 1 < number->num_digits)
            continue;
        big_multiply_add(result, (uint32_t)md5i_exact_powers[count], digits);
        digits = 0;
        count = 0;
    }
}

// Returns 1, 0 or -1 if the number is greater than, equal to or less than factor * 2^exponent. Both
// sides are multiplied by powers of 10 and 2 that make them whole numbers, which are then compared
// exactly.
static int compare_exactly(const scanned_decimal *number, uint32_t factor, int32_t exponent)
{
    const int64_t power = number->exponent - number->num_digits;
    big left;
    big right;
    big_from_digits(&left, number);
    right.count = 0;
    big_multiply_add(&right, 0, factor);

    if (power > 0)
        big_multiply_by_ten(&left, power);
    else
        big_multiply_by_ten(&right, -power);
    if (exponent > 0)
        big_shift_left(&right, (uint32_t)exponent);
    else
        big_shift_left(&left, (uint32_t)-exponent);

    // If the stored digits are equal, the digits that were not stored make the number greater.
    const int order = big_compare(&left, &right);
    return order == 0 && number->has_more ? 1 : order;
}

// -- Floats ---------------------------------------------------------------------------------

// Rounds a number to an integer times 2^unit, and returns this integer. `near` is the approximation
// of the number. Of two multiples at the same distance, the even one is returned.
static MD5_COLD uint32_t round_exactly(const scanned_decimal *number, double near, int32_t unit)
{
    const uint32_t below = (uint32_t)ldexp(near, -unit);
    const int order = compare_exactly(number, 2 * below + 1, unit - 1);
    const bool is_odd = (below & 1) != 0;
    const bool rounds_up = order > 0 || (order == 0 && is_odd);
    return below + rounds_up;
}

// Rounds a number below twice the smallest normal float to a float. All such floats are multiples
// of 2^UNIT, and the bits of such a float are the factor as an integer. Therefore the factor is
// computed by rounding. `near` approximates the number well enough unless it is close to a midpoint
// between two floats.
static inline float to_small_float(const scanned_decimal *number, double near)
{
    enum { UNIT = -149 };
    const double close = 1e-6; // distance to a midpoint, in units; much larger than the error
    const double units = near * 0x1p149;
    const double below = floor(units);
    uint32_t bits = (uint32_t)below + (units - below > 0.5);
    if (fabs(units - below - 0.5) < close)
        bits = round_exactly(number, near, UNIT);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Rounds a scanned number, without its sign, to the nearest float, or to the even one of two
// equally near floats. Normally the approximation in double is rounded. The exact digits are
// compared only if the error of the approximation could change the result.
static MD5_COLD float to_float(const scanned_decimal *number)
{
    // The smallest normal float is 1.1755e-38. The limit is above it, so that all denormal floats,
    // and numbers that round to the smallest normal float, are rounded by to_small_float().
    const double small_limit = 1.2e-38;
    // The largest float is 3.40282347e38. Numbers above the limit may round to the largest
    // float or to infinity, so they are rounded exactly.
    const double large_limit = 3.4028234e38;
    const double infinite_limit = 0x1p128; // larger approximations always round to infinity
    enum { BITS = 24 };                    // precision of a float
    double near;

    if (number->num_digits == 0 || number->exponent < SMALLEST_POWER)
        return 0;
    if (number->exponent > LARGEST_POWER)
        return INFINITY;

    to_near_double(number, &near); // always succeeds for these exponents
    if (near >= infinite_limit)
        return INFINITY;

    if (near < small_limit)
        return to_small_float(number, near);

    if (near < large_limit && md5_rounds_safely(near))
        return (float)near;
    // A float near the number is a factor of at most 24 bits times 2^unit. The factor is rounded to
    // an integer, and its conversion to float is exact, even if it was rounded up to 2^24. If the
    // result is 2^128, ldexpf() returns infinity.
    const int32_t unit = ilogb(near) - (BITS - 1);
    return ldexpf((float)round_exactly(number, near, unit), unit);
}

// Reads a float at `text`, and returns the end of the number or NULL if the text is not a number. A
// number consists of an optional `-` or `+`, digits with at most one point, and an optional
// exponent. A value above the range of float becomes infinity.
const char *md5i_scan_float(const char *text, const char *end, float *value)
{
    scanned_decimal number;
    const char *const next = scan_decimal(text, end, &number);
    if (!next)
        return NULL;
    const float magnitude = to_float(&number);
    *value = number.negative ? -magnitude : magnitude;
    return next;
}

// Reads the number at `text` as a double and returns its end, or NULL if the text is not a number.
const char *md5i_scan_double(const char *text, const char *end, double *value)
{
    scanned_decimal number;
    const char *const next = scan_decimal(text, end, &number);
    if (!next)
        return NULL;
    // With a too large power of ten, the number rounds to infinity or 0 as a float. The double gets
    // the same value.
    double magnitude;
    if (!to_near_double(&number, &magnitude))
        magnitude = (double)to_float(&number);
    *value = number.negative ? -magnitude : magnitude;
    return next;
}

// -- Eight bytes at a time ------------------------------------------------------------------

// Returns the mask of the last `count` (1 to 8) bytes in memory of eight bytes.
static uint64_t last_bytes(size_t count)
{
    return ~UINT64_C(0) << (64 - 8 * count);
}

// Returns the value of a number of up to eight digits, with a decimal point, that ends at `end`.
//
// Rounding twice, to this double and then to float, gives the correct result. The reason is that
// the double is on the same side of each midpoint between two floats as the exact value:
//
//   exact value   d / 10^k with up to eight digits d, and k <= 8
//   midpoint      m / 2^s with m < 2^25
//
// If both are not equal, they differ by at least 1 / (10^k * 2^s). This is more than 2^-52 of the
// value.
static MD5_ALWAYS_INLINE double short_number(const char *end, size_t num_digits,
                                             size_t num_decimals)
{
    // The last eight digits without the point. Digits before the point are read one byte earlier.
    const uint64_t decimals = last_bytes(num_decimals);
    const uint64_t word =
        (md5_read_u64le(end - 8) & decimals) | (md5_read_u64le(end - 9) & ~decimals);
    const uint64_t digits = (word ^ '0' * MD5_ONES) & last_bytes(num_digits);
    return (double)(int32_t)md5_eight_digits(digits) / md5i_exact_powers[num_decimals];
}

// Returns the approximate value of a number of 9 to 14 digits that ends at `end`. At least eight of
// the digits are decimals. md5_rounds_safely() takes the error into account.
static MD5_ALWAYS_INLINE double long_number(const char *end, size_t num_digits, size_t num_decimals)
{
    // The digits are in two words. One contains the last eight digits, which are decimals. The
    // other contains the digits before them, without the point.
    const uint64_t decimals = num_decimals > 8 ? last_bytes(num_decimals - 8) : 0;
    const uint64_t word =
        (md5_read_u64le(end - 16) & decimals) | (md5_read_u64le(end - 17) & ~decimals);
    const uint64_t upper_digits = (word ^ '0' * MD5_ONES) & last_bytes(num_digits - 8);
    const int64_t upper = md5_eight_digits(upper_digits);
    const int64_t lower = md5_eight_digits(md5_read_u64le(end - 8) ^ '0' * MD5_ONES);
    return (double)(upper * 100000000 + lower) / md5i_exact_powers[num_decimals];
}

// Reads a number of the form [-]digits.digits before a blank. Word operations on eight or sixteen
// bytes replace a loop over the digits. Returns the end of the number. Returns NULL if the text has
// another form or the result might be inexact. The caller then uses the general scanner.
const char *md5i_scan_plain(const char *text, float *value)
{
    const uint32_t negative = *text == '-';

    // Each bit marks a byte that is not a digit. The sign is not marked. The first bit is the
    // point, and the second is the end of the number.
    const uint64_t non_digits = md5_not_digits(text) - negative;
    const uint64_t after_point = non_digits & (non_digits - 1);
    if (after_point == 0)
        return NULL;

    const size_t point = md5_lowest_bit(non_digits);
    const size_t length = md5_lowest_bit(after_point);
    const size_t num_digits = length - 1 - negative;
    const size_t num_decimals = length - 1 - point;
    const char *const end = text + length;
    if (text[point] != '.' || !md5_is_blank(*end) || num_decimals == 0)
        return NULL;

    double near; // the magnitude
    if (num_digits <= 8) {
        near = short_number(end, num_digits, num_decimals);
    } else {
        if (num_decimals < 8)
            return NULL;
        near = long_number(end, num_digits, num_decimals);
        if (!md5_rounds_safely(near))
            return NULL;
    }

    // Set the sign without a branch, because signs are not predictable.
    const float magnitude = (float)near;
    uint32_t bits;
    memcpy(&bits, &magnitude, sizeof bits);
    bits |= negative << 31;
    memcpy(value, &bits, sizeof bits);
    return end;
}

const char *md5i_scan_run(const char *text, float *numbers, int count)
{
    return md5_scan_run(text, numbers, count);
}
