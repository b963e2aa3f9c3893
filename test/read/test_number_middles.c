// Numbers at and next to the middle between two floats, in all ranges and lengths: these take the
// longest way of reading and are the easiest to get wrong. Compared with strtof().
#include "md5/core/number.h"
#include "test/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_ROOM = 256 };

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool check_text(const char *text)
{
    char *end;
    const float expected = strtof(text, &end);
    float value = -1.0f, exact = -1.0f;
    const char *const value_end = md5_scan_float(text, text + strlen(text), &value);
    const char *const exact_end = md5i_scan_float_exact(text, text + strlen(text), &exact);
    return test_check(value_end == end && exact_end == end && bits_of(value) == bits_of(expected)
                          && bits_of(exact) == bits_of(expected),
                      __FILE__, __LINE__, "%s is read as %a and %a, expected %a", text,
                      (double)value, (double)exact, (double)expected);
}

// The bits of a finite float, often a subnormal one, or one near the largest float, the smallest
// normal one or 1.
static uint32_t random_bits(uint64_t *random)
{
    const uint32_t largest = 0x7F7FFFFF, smallest_normal = 0x00800000, one = 0x3F800000;
    const uint32_t bits = test_random_u32(random);
    switch (test_random_u32(random) % 6) {
    case 0:
        return bits % (2 * smallest_normal);
    case 1:
        return largest - bits % 16;
    case 2:
        return smallest_normal - 32 + bits % 64;
    case 3:
        return one + bits % 1024;
    default:
        return bits % (largest + 1);
    }
}

// The middle between a float and the next one; infinity counts as 2^128.
static double middle_behind(uint32_t bits)
{
    const double low = (double)float_of(bits);
    const double high = isinf(float_of(bits + 1)) ? 0x1p128 : (double)float_of(bits + 1);
    return (low + high) / 2.0;
}

// Appends digits far after the last one that counts, before an exponent.
static void write_past_end(char *text, double middle, const char *digits)
{
    enum { ALL_DIGITS = 120 };
    char exponent[16];
    snprintf(text, TEXT_ROOM, "%.*e", ALL_DIGITS, middle);
    char *const end = strchr(text, 'e');
    strcpy(exponent, end);
    strcpy(end, digits);
    strcat(text, exponent);
}

static void write_near(char *text, double middle, uint64_t *random)
{
    static const char *const past[] = {"", "00", "1", "000000000000000000000000000001"};
    const int digits = (int)(test_random_u32(random) % 20);
    double moved = middle;
    switch (test_random_u32(random) % 4) {
    case 0:
        snprintf(text, TEXT_ROOM, "%.*e", digits, middle);
        break;
    case 1:
        snprintf(text, TEXT_ROOM, "%.*g", digits + 1, middle);
        break;
    case 2:
        write_past_end(text, middle, past[digits % 4]);
        break;
    default:
        for (int i = digits % 3; i > 0; i--)
            moved = nextafter(moved, digits % 2 ? 0.0 : (double)INFINITY);
        snprintf(text, TEXT_ROOM, "%.*e", 15 + digits, moved);
    }
}

TEST (number_is_right_on_both_sides_of_every_middle) {
    enum { NUM_TEXTS = 100000 };
    uint64_t random = 17;
    for (int i = 0; i < NUM_TEXTS; i++) {
        char text[TEXT_ROOM];
        write_near(text, middle_behind(random_bits(&random)), &random);
        if (!check_text(text))
            return;
    }
}

TEST (number_is_right_around_the_largest_float) {
    static const char *const texts[] = {"3.4028234e38",
                                        "3.4028235e38",
                                        "3.40282346638528859811704183484516925e38",
                                        "3.4028235677973366e38",
                                        "3.402823567797336e38",
                                        "3.4028235677973367e38",
                                        "3.40282356779733661637539395458142568447e38",
                                        "3.40282356779733661637539395458142568448e38",
                                        "340282356779733661637539395458142568447",
                                        "3.4028236e38",
                                        "3.4028237e38",
                                        "1e39",
                                        "4e38"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        check_text(texts[i]);
}
