// Conversion of text to float: bit-identical to strtof() of the C library, which rounds correctly.
#include "test/scoped.h"

#include "md5/core/number.h"

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Scans a text in memory of exactly its size, so that a read past its end is detected.
static const char *scan(const char *text, size_t size, float *value, char **memory)
{
    *memory = test_alloc(size);
    memcpy(*memory, text, size);
    return md5i_scan_float(*memory, *memory + size, value);
}

// Reads a number before a blank with md5_scan_common(), in a block of exactly the bytes that it
// may access.
static const char *scan_by_words(const char *text, float *value, char **memory)
{
    const size_t size = strlen(text);
    const size_t total = MD5_BYTES_BEFORE + size + MD5_BYTES_AFTER;
    *memory = test_alloc(total);
    memset(*memory, '7', total); // digits that do not affect the value
    char *const at = *memory + MD5_BYTES_BEFORE;
    memcpy(at, text, size);
    at[size] = ' ';
    return md5_scan_common(at, value);
}

// Checks that md5_scan_common() reads the whole number correctly, or rejects the text.
static bool words_equal_strtof(const char *text)
{
    char *memory;
    float value = -1;
    const float expected = strtof(text, NULL);
    const char *const end = scan_by_words(text, &value, &memory);
    const bool equal = !end
                       || (end == memory + MD5_BYTES_BEFORE + strlen(text)
                           && float_bits(value) == float_bits(expected));
    free(memory);
    return CHECK_THAT(equal, "'%s' gives %a by words, strtof %a", text, value, expected);
}

TEST (number_common_forms_are_read_by_words) {
    STRINGS(plain) = {
        "0.000000",
        "-0.000000",
        "9.999999",
        "-1.234567",
        "0.5",
        "-0.5",
        "12.5",
        "-12.345678",
        "123456.78",
        ".25",
        "-.12345678",
        "0.12345678",
        "0.8613679409",
        "-123.12345678",
        "999999.12345678",
        "1234.5",
        "-0.1",
        "0.1234567890123",
        "-5.123456789012",
        "0",
        "-0",
        "1",
        "-1",
        "9",
        "-9",
    };
    STRINGS(other_texts) = {
        "12",
        "-12",
        "/",
        ":",
        "-/",
        "-:",
        "1.",
        "",
        "-",
        "+1.5",
        "1.5e3",
        "1..5",
        "1.2.3",
        "0x1.5",
        "1,5",
        "1.5f",
        "--1.5",
        "(1.5",
        "1/234567",
        "1*234567",
        "0.1234567a",
        "123456789.5",
        "123456789.1234567",
        "0.12345678901234",
        "16777216.0",
        "65536.00390625",
        "1.00000005960464",
        "12345678901234567.5",
    };
    for (size_t i = 0; i < COUNT_OF(plain); i++) {
        char *memory;
        float value = -1;
        const bool is_read = scan_by_words(plain[i], &value, &memory) != NULL;
        free(memory);
        CHECK_THAT(is_read, "'%s' is not read by words", plain[i]);
        words_equal_strtof(plain[i]);
    }
    for (size_t i = 0; i < COUNT_OF(other_texts); i++) {
        char *memory;
        float value = -1;
        const bool is_read = scan_by_words(other_texts[i], &value, &memory) != NULL;
        free(memory);
        CHECK_THAT(!is_read, "'%s' is read by words", other_texts[i]);
    }
}

// Numbers with one digit and ten decimals, as id's exporter writes them: random numbers, and
// numbers near the middle between two floats.
TEST (number_with_ten_decimals_is_read_by_words) {
    uint64_t random = 11;
    for (int i = 0; i < 300000; i++) {
        const uint32_t a = test_random_u32(&random);
        const uint32_t b = test_random_u32(&random);
        // The middle between two floats is half a unit above a float.
        const double step = ldexp(1, (int)(b % 27) - 24);
        const double middle = ldexp((a | 0x800000u) + 0.5, -32) * step * 8;
        const double number = i & 1 ? a * 2e-9 : middle;
        char text[64];
        const char *const sign = b & 1 ? "-" : "";
        snprintf(text, sizeof text, "%s%.10f", sign, number < 9.9 ? number : 0.5);
        if (!words_equal_strtof(text))
            return;
    }
}

TEST (number_by_words_ends_at_a_blank_only) {
    char text[] = "777777777777777771.500000_7777777777777777";
    char longer[] = "7777777777777777712.50000_7777777777777777";
    char digit[] = "777777777777777771_7777777777777777";
    float value;
    for (int c = 0; c < 256; c++) {
        text[25] = longer[25] = digit[18] = (char)c;
        const bool is_blank = c > 0 && c <= ' ';
        CHECK((md5_scan_common(text + 17, &value) != NULL) == is_blank);
        CHECK((md5_scan_common(longer + 17, &value) != NULL) == is_blank);
        CHECK((md5_scan_common(digit + 17, &value) != NULL) == is_blank);
    }
}

// Checks both methods to read a number, the general method and reading by machine words: they must
// have the result of strtof(), and end at the same position.
static bool equals_strtof(const char *text)
{
    const size_t size = strlen(text);
    char *rest, *memory;
    const float expected = strtof(text, &rest);
    float value = -1;
    const char *const end = scan(text, size, &value, &memory);
    const bool equal =
        end && end - memory == rest - text && float_bits(value) == float_bits(expected);
    free(memory);
    return CHECK_THAT(equal, "'%s' gives %a, strtof %a", text, value, expected)
           && words_equal_strtof(text);
}

STRINGS(selected_texts) = {
    "0",
    "-0",
    "0.0",
    "-0.000000",
    ".5",
    "5.",
    "-.5",
    "-5.",
    "+1",
    "+.25",
    "00.5",
    "0e5",
    "01.5",
    "1e5",
    "1E5",
    "1e+5",
    "1e-5",
    "1.5E-05",
    "123456789",
    "0.1",
    "0.707107",
    "-0.9999999403953552",
    "3.14159265358979323846264338327950288419716939937510582097494459",
    // Numbers halfway between two floats, and just below and above. If both floats are equally
    // near, the even one is selected.
    "16777217",
    "16777219",
    "16777217.0000000000000000000000000000000000000000000001",
    "16777216.9999999999999999999999999999999999999999999999",
    "33554434.0",
    "33554438",
    "1.00000005960464477539062500",
    "1.000000059604644775390625000000000000001",
    "1.00000005960464477539062499999999999999999999999999999999999999999999",
    "1.000000178813934326171875",
    "9007199791611905",
    "9007200328482816",
    // Numbers near the largest float.
    "3.4028234663852885981e38",
    "3.4028235677973366e38",
    "3.40282356779733661637539e38",
    "3.40282356779733661637540e38",
    "3.4e38",
    "1e38",
    "1e39",
    "-1e39",
    "1e40",
    "1e310",
    "1e9999999999999999999",
    "-1e99999999999",
    "1.17549435e-38",
    "1.1754943157898258e-38",
    "1.17549428e-38",
    "1e-38",
    "1e-40",
    "1e-45",
    "7.006492321624085e-46",
    "7.0064923216240853e-46",
    "7.0064923216240854e-46",
    "7.1e-46",
    "7e-46",
    "1e-46",
    "1e-47",
    "1e-60",
    "1e-400",
    "-1e-9999999999999999999",
    "0e9999999999",
    "0.0e-99999999999",
    "1.4012984643e-45",
    "2.1019476964872256e-45",
    "4.9e-324",
    // Numbers whose exponents cancel their zeros, and numbers with more digits than 64 bits can
    // store.
    "100000000000000000000000000000000000000e-38",
    "0.0000000000000000000000000000000000001e37",
    "123456789012345678",
    "1234567890123456789",
    "12345678901234567890",
    "999999999999999999",
    "0.999999999999999999",
    "0.9999999999999999999",
    "18446744073709551616",
    "18446744073709551617e-10",
    "1234567890123456789012345678901234567890",
};

TEST (number_equals_strtof_on_selected_texts) {
    for (size_t i = 0; i < COUNT_OF(selected_texts); i++)
        equals_strtof(selected_texts[i]);
}

// The text after a number and an exponent without digits are not consumed.
TEST (number_ends_where_its_text_ends) {
    static const struct {
        const char *text;
        size_t length; // 0: no number
    } cases[] = {
        {"1 2", 1},
        {"1)", 1},
        {"1.5.5", 3},
        {"1e", 1},
        {"1e+", 1},
        {"1e-x", 1},
        {"1.e", 2},
        {"1e5e5", 3},
        {"1-2", 1},
        {"0x10", 1},
        {"1,5", 1},
        {"1.#IND", 2},
        {"1.5f", 3},
        {"", 0},
        {".", 0},
        {"-", 0},
        {"+", 0},
        {"-.", 0},
        {".e5", 0},
        {"e5", 0},
        {"nan", 0},
        {"inf", 0},
        {"--1", 0},
        {"-+1", 0},
        {"- 1", 0},
        {"\x00"
         "1",
         0},
        {" 1", 0},
        {"1e 5", 1},
        {"..5", 0},
        {"1:5", 1},
        {"1.5:", 3},
        {"1/5", 1},
        {"1.5/", 3},
        {"1e5:", 3},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const size_t size = strlen(cases[i].text);
        float value;
        char *memory;
        const char *const end = scan(cases[i].text, size, &value, &memory);
        CHECK_THAT(end == (cases[i].length ? memory + cases[i].length : NULL),
                   "'%s' ends elsewhere", cases[i].text);
        free(memory);
    }
}

// The middle between two adjacent floats is a double with finitely many decimals. There, and next
// to it, every digit affects the result.
TEST (number_rounds_halfway_cases_as_strtof) {
    uint64_t random = 1;
    for (int i = 0; i < 20000; i++) {
        // All exponents occur, and every fourth number has one of the smallest.
        uint32_t bits = test_random_u32(&random) & 0x7FFFFFFF;
        if (i % 4 == 0)
            bits &= 0x00FFFFFF;
        if (bits >= 0x7F7FFFFF)
            continue;
        const double half = ((double)float_from_bits(bits) + float_from_bits(bits + 1)) / 2.0;
        char text[256];
        const int length = snprintf(text, sizeof text, "%.120e", half);
        char *const exponent = strchr(text, 'e');
        if (!CHECK(length > 0 && exponent) || !equals_strtof(text))
            return;
        exponent[-1] = '1'; // above by 10^-120
        if (!equals_strtof(text))
            return;
        snprintf(text, sizeof text, "%.*e", 1 + i % 60, half); // somewhere near
        if (!equals_strtof(text))
            return;
    }
}

TEST (number_accepts_any_number_of_digits) {
    enum { MAX = 2000 };
    static char text[MAX + 64];
    for (size_t zeros = 0; zeros < MAX; zeros += 37) {
        // 1 000...0 e-zeros, 0.000...01 e+zeros, and a digit far after a halfway point.
        memset(text, '0', sizeof text);
        text[0] = '1';
        snprintf(text + 1 + zeros, 32, "e-%zu", zeros);
        equals_strtof(text);
        memset(text, '0', sizeof text);
        text[1] = '.';
        snprintf(text + 2 + zeros, 32, "1e%zu", zeros + 1);
        equals_strtof(text);
        memset(text, '0', sizeof text);
        memcpy(text, "16777217.", 9);
        snprintf(text + 9 + zeros, 32, "1");
        equals_strtof(text);
    }
}

// Checks random numbers in the forms of exporters: with six or ten decimals, with up to 17 digits,
// and with exponents.
static void check_random_texts(uint64_t random, int count)
{
    char text[64];
    for (int i = 0; i < count; i++) {
        const uint32_t a = test_random_u32(&random);
        const uint32_t b = test_random_u32(&random);
        const char *const sign = a & 1 ? "-" : "";
        switch (i % 6) {
        case 0:
            snprintf(text, sizeof text, "%s%u.%06u", sign, a >> 20, b % 1000000);
            break;
        case 1:
            snprintf(text, sizeof text, "%s0.%010llu", sign,
                     (unsigned long long)b * 7 % 10000000000);
            break;
        case 2:
            snprintf(text, sizeof text, "%s%u.%09u%08u", sign, a >> 28, b % 1000000000,
                     a % 100000000);
            break;
        case 3:
            snprintf(text, sizeof text, "%s%u%ue%d", sign, a, b >> (b & 31),
                     (int)(a >> 8 & 127) - 75);
            break;
        case 4: // any float, in up to 17 digits
            if ((a & 0x7F800000) == 0x7F800000)
                continue;
            snprintf(text, sizeof text, "%.*g", (int)(b % 17) + 1, float_from_bits(a));
            break;
        default:
            snprintf(text, sizeof text, "%s.%u%s%u", sign, a, b & 1 ? "e" : "E-", b >> 26);
            break;
        }
        float value;
        const char *const end = md5i_scan_float(text, text + strlen(text), &value);
        if (end != text + strlen(text) || float_bits(value) != float_bits(strtof(text, NULL))) {
            equals_strtof(text);
            return;
        }
    }
}

TEST (number_equals_strtof_on_random_texts) {
    check_random_texts(7, 150000);
}

TEST_LONG (number_equals_strtof_on_a_million_random_texts) {
    check_random_texts(8, 1100000);
}

// Each line of the table is `text hexbits`. The bits were computed by exact rational arithmetic,
// which shares no code with strtof.
TEST (number_equals_the_exact_reference) {
    SCOPED_STRING table = test_read_file(test_path("test/reference/data/floats.txt"), NULL);
    size_t num_lines = 0;
    REQUIRE(table);
    for (char *line = strtok(table, "\n"); line; line = strtok(NULL, "\n")) {
        char *const space = strchr(line, ' ');
        if (line[0] == '#' || !CHECK(space))
            continue;
        const uint32_t expected = (uint32_t)strtoul(space + 1, NULL, 16);
        float value = 0;
        char *memory;
        const char *const end = scan(line, (size_t)(space - line), &value, &memory);
        CHECK_THAT(end == memory + (space - line) && float_bits(value) == expected,
                   "%.*s gives %08x", (int)(space - line), line, float_bits(value));
        free(memory);
        num_lines++;
    }
    CHECK(num_lines > 1000);
}

TEST (number_as_double_is_close) {
    STRINGS(texts) = {"24",       "29.97", "-0.5", "59.94005994005994",     "0", "1e22",
                      "30000e-3", "1e-30", "3e38", "12345678901234567890.5"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        double value = -1;
        const double expected = strtod(texts[i], NULL);
        const char *const end = md5i_scan_double(texts[i], texts[i] + strlen(texts[i]), &value);
        CHECK(end && *end == '\0');
        CHECK_NEAR(value, expected, fabs(expected) * 1e-15);
    }
    double untouched = -1;
    static const char none[] = "-.e1";
    CHECK(md5i_scan_double(none, none + strlen(none), &untouched) == NULL);
    CHECK(untouched == -1);
    // Frame rates are exact; numbers far outside the range become infinite or zero, as for a float.
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"29.97", 29.97}, {"59.94", 59.94}, {"23.976", 23.976}, {"1e300", INFINITY}, {"1e-300", 0}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double value = -1;
        const char *const text = cases[i].text;
        CHECK(md5i_scan_double(text, text + strlen(text), &value) == text + strlen(text));
        CHECK(value == cases[i].value);
    }
}

// -- Middles between two floats -------------------------------------------------------------------
//
// Numbers at and next to the middle between two floats, in all ranges and lengths: these take the
// longest way of reading and are the easiest to get wrong. Compared with strtof().

enum { TEXT_ROOM = 256 };

static bool check_text(const char *text)
{
    char *end;
    const float expected = strtof(text, &end);
    float value = -1;
    const char *const value_end = md5i_scan_float(text, text + strlen(text), &value);
    return CHECK_THAT(value_end == end && float_bits(value) == float_bits(expected),
                      "%s is read as %a, expected %a", text, value, expected);
}

// Returns the bits of a finite float, often of a subnormal one, or of one near the largest float,
// the smallest normal float or 1.
static uint32_t random_bits(uint64_t *random)
{
    const uint32_t largest = 0x7F7FFFFF;
    const uint32_t smallest_normal = 0x00800000;
    const uint32_t first_bits = 0x3F800000;
    const uint32_t bits = test_random_u32(random);
    switch (test_random_u32(random) % 6) {
    case 0:
        return bits % (2 * smallest_normal);
    case 1:
        return largest - bits % 16;
    case 2:
        return smallest_normal - 32 + bits % 64;
    case 3:
        return first_bits + bits % 1024;
    default:
        return bits % (largest + 1);
    }
}

// Returns the middle between a float and the next one. Infinity counts as 2^128.
static double middle_behind(uint32_t bits)
{
    const double low = float_from_bits(bits);
    const double high = isinf(float_from_bits(bits + 1)) ? 0x1p128 : float_from_bits(bits + 1);
    return (low + high) / 2.0;
}

TEST (number_is_exact_on_both_sides_of_every_midpoint) {
    enum { NUM_TEXTS = 100000 };
    uint64_t random = 17;
    for (int i = 0; i < NUM_TEXTS; i++) {
        char text[TEXT_ROOM];
        double middle = middle_behind(random_bits(&random));
        STRINGS(past) = {"", "00", "1", "000000000000000000000000000001"};
        const int digits = (int)(test_random_u32(&random) % 20);
        double moved = middle;
        switch (test_random_u32(&random) % 4) {
        case 0:
            snprintf(text, TEXT_ROOM, "%.*e", digits, middle);
            break;
        case 1:
            snprintf(text, TEXT_ROOM, "%.*g", digits + 1, middle);
            break;
        case 2: {
            // Many digits after the last digit that affects the value, followed by an exponent.
            enum { ALL_DIGITS = 120 };
            char exponent[16];
            snprintf(text, TEXT_ROOM, "%.*e", ALL_DIGITS, middle);
            char *const end = strchr(text, 'e');
            strcpy(exponent, end);
            strcpy(end, past[digits % 4]);
            strcat(text, exponent);
        } break;
        default:
            for (int j = digits % 3; j > 0; j--)
                moved = nextafter(moved, digits % 2 ? 0 : INFINITY);
            snprintf(text, TEXT_ROOM, "%.*e", 15 + digits, moved);
        }
        if (!check_text(text))
            return;
    }
}

TEST (number_is_exact_around_the_largest_float) {
    STRINGS(texts) = {"3.4028234e38",
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
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        check_text(texts[i]);
}
