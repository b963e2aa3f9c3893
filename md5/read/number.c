#include "md5/read/number.h"

#include <math.h>

const double md5_exact_powers[MD5_MAX_EXACT_POWER + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

enum {
    // A point halfway between two floats has at most 113 significant decimal digits: 2^-150 times
    // an odd number below 2^25. More digits than are kept only say on which side of it one is.
    KEPT_DIGITS = 120,
    // Beyond these powers of ten every float is infinite, or rounds to zero.
    LARGEST_POWER = 39,
    SMALLEST_POWER = -47,
    // Where an exponent stops counting; twice as much still fits an int64_t of digit counts.
    EXPONENT_LIMIT = 1 << 30,
};

// A number as it is written: significant digits, first to last, times 10^exponent.
typedef struct decimal {
    bool negative;
    uint32_t num_digits; // kept; the first is not 0; none = the number is 0
    bool has_more;       // digits other than 0 follow those that are kept
    int64_t exponent;    // value = 0.d1 d2 d3 ... * 10^exponent
    unsigned char digits[KEPT_DIGITS];
} decimal;

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

// Reads an exponent's digits at `at`; leaves `at` alone where none follow, as strtof does.
static const char *scan_exponent(const char *at, const char *end, int64_t *exponent)
{
    const char *next = at + 1;
    const bool negative = next < end && *next == '-';
    if (next < end && (*next == '-' || *next == '+'))
        next++;
    if (next >= end || !is_digit(*next))
        return at;
    int64_t value = 0;
    for (; next < end && is_digit(*next); next++) {
        if (value < EXPONENT_LIMIT)
            value = 10 * value + (*next - '0');
    }
    *exponent += negative ? -value : value;
    return next;
}

static const char *scan_decimal(const char *at, const char *end, decimal *number)
{
    const char *next = at;
    bool any = false, past_point = false;
    *number = (decimal){.negative = next < end && *next == '-'};
    if (next < end && (*next == '-' || *next == '+'))
        next++;
    for (; next < end; next++) {
        if (*next == '.' && !past_point) {
            past_point = true;
            continue;
        }
        if (!is_digit(*next))
            break;
        any = true;
        if (number->num_digits == 0 && *next == '0') {
            number->exponent -= past_point; // leading zeros
            continue;
        }
        number->exponent += !past_point;
        if (number->num_digits < KEPT_DIGITS)
            number->digits[number->num_digits++] = (unsigned char)(*next - '0');
        else
            number->has_more |= *next != '0';
    }
    if (!any)
        return NULL;
    if (next < end && (*next | 0x20) == 'e')
        next = scan_exponent(next, end, &number->exponent);
    return next;
}

// The number within 4 units of the last place of a double, or false where powers are too large.
// Roundings: leaving out digits after the 18th (10^-17, under 2^-56), the digits to double, one or
// two steps by powers of ten: 3 times 2^-53 and a little.
static bool to_near_double(const decimal *number, double *near)
{
    const uint32_t used = number->num_digits < MD5_MAX_DIGITS ? number->num_digits : MD5_MAX_DIGITS;
    int64_t digits = 0;
    for (uint32_t i = 0; i < used; i++)
        digits = 10 * digits + number->digits[i];
    const int64_t power = number->exponent - used;
    const int64_t size = power < 0 ? -power : power;
    *near = (double)digits;
    if (digits == 0)
        return true;
    const int64_t most = MD5_MAX_EXACT_POWER;
    if (size > 2 * most)
        return false;
    const int64_t first = size < most ? size : most;
    const double steps[2] = {md5_exact_powers[first], md5_exact_powers[size - first]};
    for (int i = 0; i < 2; i++)
        *near = power < 0 ? *near / steps[i] : *near * steps[i];
    return true;
}

// -- Whole numbers of any size --

// Enough for 10^(KEPT_DIGITS + 1 - SMALLEST_POWER), 558 bits, shifted up by 27 bits or less, or
// for either side of the quotient shifted to the length of the other.
enum { BIG_WORDS = 24 };

// Base 2^32, lowest first; words from `count` on are 0.
typedef struct big {
    uint32_t count;
    uint32_t words[BIG_WORDS];
} big;

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

static void big_shift_left(big *number, uint32_t bits)
{
    const uint32_t words = bits / 32, rest = bits % 32;
    if (number->count == 0)
        return;
    if (words > 0) {
        memmove(number->words + words, number->words, number->count * sizeof number->words[0]);
        memset(number->words, 0, words * sizeof number->words[0]);
        number->count += words;
    }
    if (rest > 0)
        big_multiply_add(number, UINT32_C(1) << rest, 0);
}

static int32_t big_bits(const big *number)
{
    int32_t bits = 32 * (int32_t)(number->count - 1);
    for (uint32_t top = number->words[number->count - 1]; top > 0; top >>= 1)
        bits++;
    return bits;
}

static int big_compare(const big *a, const big *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (uint32_t i = a->count; i-- > 0;) {
        if (a->words[i] != b->words[i])
            return a->words[i] < b->words[i] ? -1 : 1;
    }
    return 0;
}

// a -= b, where a >= b.
static void big_subtract(big *a, const big *b)
{
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        const uint64_t difference = (uint64_t)a->words[i] - b->words[i] - borrow;
        a->words[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
    while (a->count > 0 && a->words[a->count - 1] == 0)
        a->count--;
}

// mantissa * 2^exponent, plus something below one unit if `has_rest`, to the nearest float, ties
// to even. The mantissa has 26 or 27 bits.
static float round_to_float(uint32_t mantissa, int32_t exponent, bool has_rest)
{
    enum { FLOAT_BITS = 24, LOWEST_EXPONENT = -149 };
    int32_t drop = mantissa >> 26 ? 27 - FLOAT_BITS : 26 - FLOAT_BITS;
    if (exponent + drop < LOWEST_EXPONENT)
        drop = LOWEST_EXPONENT - exponent; // fewer bits are left below 2^-126
    if (drop > 31)
        return 0.0f;
    const uint64_t half = UINT64_C(1) << (drop - 1);
    const uint64_t rest = mantissa & (2 * half - 1);
    uint32_t kept = (uint32_t)((uint64_t)mantissa >> drop);
    if (rest > half || (rest == half && (has_rest || (kept & 1))))
        kept++;
    return ldexpf((float)kept, exponent + drop); // exact: at most 24 bits, or infinite
}

// The quotient of two whole numbers, digits * 10^power, one bit at a time.
static float to_exact_float(const decimal *number)
{
    big over = {0}, under = {.count = 1, .words = {1}};
    for (uint32_t i = 0; i < number->num_digits; i++)
        big_multiply_add(&over, 10, number->digits[i]);
    int64_t power = number->exponent - number->num_digits;
    if (number->has_more) { // any digit behind the kept ones stands for all of them
        big_multiply_add(&over, 10, 1);
        power--;
    }
    for (; power > 0; power--)
        big_multiply_add(&over, 10, 0);
    for (; power < 0; power++)
        big_multiply_add(&under, 10, 0);

    // over / under * 2^-exponent lies between 2^25 and 2^27.
    const int32_t exponent = big_bits(&over) - big_bits(&under) - 26;
    if (exponent < 0)
        big_shift_left(&over, (uint32_t)-exponent);
    else
        big_shift_left(&under, (uint32_t)exponent);
    big_shift_left(&under, 26);
    uint32_t quotient = 0;
    for (int bit = 26; bit >= 0; bit--) {
        quotient <<= 1;
        if (big_compare(&over, &under) >= 0) {
            big_subtract(&over, &under);
            quotient |= 1;
        }
        big_shift_left(&over, 1);
    }
    return round_to_float(quotient, exponent, over.count > 0);
}

static float to_float(const decimal *number)
{
    const double smallest = 1.2e-38, largest = 3.4e38; // safely normal
    double near;
    if (number->num_digits == 0 || number->exponent < SMALLEST_POWER)
        return 0.0f;
    if (number->exponent > LARGEST_POWER)
        return INFINITY;
    if (to_near_double(number, &near) && near > smallest && near < largest
        && md5_rounds_safely(near))
        return (float)near;
    return to_exact_float(number);
}

const char *md5_scan_float_exact(const char *at, const char *end, float *value)
{
    decimal number;
    const char *next = scan_decimal(at, end, &number);
    if (next) {
        const float size = to_float(&number);
        *value = number.negative ? -size : size;
    }
    return next;
}

const char *md5_scan_double(const char *at, const char *end, double *value)
{
    decimal number;
    double size;
    const char *next = scan_decimal(at, end, &number);
    if (next) {
        // Where the powers are too large for that way, a float is close enough to refuse it.
        if (!to_near_double(&number, &size))
            size = (double)to_float(&number);
        *value = number.negative ? -size : size;
    }
    return next;
}
