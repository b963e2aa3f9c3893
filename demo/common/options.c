// Parses and prints values of options according to their kinds.
#include "demo/common/options.h"

#include "demo/common/memory.h"

#include <math.h>

// The count of numbers in a value. COMMON_NUMBER has 64 bits, all other numbers have 32.
static const int num_numbers[COMMON_NUM_KINDS] = {
    [COMMON_COUNT] = 1, [COMMON_FLOAT] = 1,  [COMMON_NUMBER] = 1, [COMMON_GRID] = 2,
    [COMMON_RANGE] = 2, [COMMON_FRAMES] = 2, [COMMON_COLOR] = 3,  [COMMON_POINT] = 3,
};

// Returns true if a value of a kind has the form "A-B".
static bool has_hyphen(int kind)
{
    return kind == COMMON_RANGE || kind == COMMON_FRAMES;
}

// Returns true if the numbers of a kind are integers.
static bool is_integer(int kind)
{
    return kind == COMMON_COUNT || kind == COMMON_GRID || has_hyphen(kind);
}

const char *common_parse_number(const char *text, double low, double high, double *number)
{
    char *end = NULL;
    *number = strtod(text, &end);
    const bool is_valid = end != text && *number >= low && *number <= high;
    return is_valid ? end : NULL;
}

char *common_copy_word(const char *words, unsigned index)
{
    for (; index > 0 && words; index--) {
        words = strchr(words, '|');
        words = words ? words + 1 : NULL;
    }
    return words ? common_format("%.*s", (int)strcspn(words, "|"), words) : NULL;
}

// Returns the index of a text in the list "a|b|c" of choices, or -1.
static int find_choice(const char *choices, const char *text)
{
    const size_t length = strlen(text);
    for (int index = 0;; index++) {
        const size_t end = strcspn(choices, "|");
        if (end == length && strncmp(choices, text, length) == 0)
            return index;
        if (choices[end] == '\0')
            return -1;
        choices += end + 1;
    }
}

// Reads a switch or a choice. If `text` is NULL, reads the second choice: a switch is set.
static bool read_choice(const common_option *option, const char *text, void *member)
{
    // Choices with an odd index set a switch.
    const bool is_switch = option->kind <= COMMON_OPPOSITE;
    const char *const choices = is_switch ? "no|yes|false|true|0|1|off|on" : option->value;
    const int index = text ? find_choice(choices, text) : 1;
    if (option->kind == COMMON_CHOICE)
        memcpy(member, &index, sizeof index);
    else
        *(bool *)member = (index % 2 == 1) != (option->kind == COMMON_OPPOSITE);
    return index >= 0;
}

// Reads a text, or a text "A=B" in which neither side is empty.
static bool read_text(const common_option *option, const char *text, const char **member)
{
    *member = text;
    if (option->kind == COMMON_TEXT)
        return text[0] != '\0';
    const char *const equals = strchr(text, '=');
    return equals && equals != text && equals[1] != '\0';
}

// Reads a colour "#rrggbb".
static bool read_hex_color(const char *text, float *color)
{
    char *end = NULL;
    const unsigned long hex = strtoul(text + 1, &end, 16);
    for (int i = 0; i < 3; i++)
        color[i] = (float)((hex >> (16 - 8 * i)) & 255) / 255.0f;
    return strlen(text) == 7 && *end == '\0' && strchr("-+", text[1]) == NULL;
}

// Returns the character between the numbers of a value.
static char number_separator(int kind, const char *text)
{
    if (has_hyphen(kind))
        return '-';
    return kind == COMMON_GRID && strchr(text, 'x') ? 'x' : ',';
}

static void store_number(int kind, void *member, int index, double number)
{
    if (kind == COMMON_NUMBER)
        *(double *)member = number;
    else if (is_integer(kind))
        ((uint32_t *)member)[index] = (uint32_t)number;
    else
        ((float *)member)[index] = (float)number;
}

static bool read_numbers(const common_option *option, const char *text, void *member)
{
    const int kind = option->kind;
    const int count = num_numbers[kind];
    const double high = kind == COMMON_COLOR ? 1 : option->high;
    const char separator = number_separator(kind, text);
    double number = 0;
    double previous = 0;
    for (int i = 0; i < count; i++) {
        const char end = i + 1 < count ? separator : '\0';
        previous = number;
        text = common_parse_number(text, option->low, high, &number);
        if (!text || *text != end)
            return false;
        if (is_integer(kind) && number != floor(number))
            return false;
        store_number(kind, member, i, number);
        text++;
    }
    if (kind == COMMON_FRAMES)
        return previous < number || previous > number;
    return kind != COMMON_RANGE || previous < number;
}

// Reads a color "#rrggbb", or "R,G,B" from 0 to 1, which is rounded to the values of "#rrggbb".
static bool read_color(const common_option *option, const char *text, float *color)
{
    if (text[0] == '#')
        return read_hex_color(text, color);
    if (!read_numbers(option, text, color))
        return false;
    for (int i = 0; i < 3; i++)
        color[i] = rintf(255 * color[i]) / 255.0f;
    return true;
}

bool common_read_value(const common_option *option, const char *text, void *structure)
{
    const int kind = option->kind;
    void *const member = (unsigned char *)structure + option->offset;
    if (kind <= COMMON_CHOICE)
        return read_choice(option, text, member);
    if (kind == COMMON_TEXTS) {
        common_texts *const texts = member;
        *COMMON_ADD_ITEM(texts->names, texts->count) = text;
        return text[0] != '\0';
    }
    if (num_numbers[kind] == 0)
        return read_text(option, text, member);
    if (kind == COMMON_COLOR)
        return read_color(option, text, member);
    return read_numbers(option, text, member);
}

// Writes the limits of a number: "", ", above 0" or ", from A to B".
static void write_limits(const common_option *option, char *limits, size_t size)
{
    static const double smallest = 1e-9; // a smaller lower limit only excludes 0
    static const double unlimited = 1e300;
    const bool has_limits = option->high > option->low && option->high < unlimited;
    const bool is_each = option->kind == COMMON_GRID || option->kind == COMMON_POINT;
    limits[0] = '\0';
    if (option->low > 0 && option->low < smallest)
        snprintf(limits, size, ", above 0");
    else if (has_limits)
        snprintf(limits, size, ", %sfrom %g to %g", is_each ? "each " : "", option->low,
                 option->high);
}

void common_explain_value(const common_option *option, const char *text, char *problem, size_t size)
{
    const char *const value = option->value ? option->value : "yes or no";
    char limits[64];
    write_limits(option, limits, sizeof limits);
    if (text)
        snprintf(problem, size, "--%s: expected %s%s, found '%s'", option->name, value, limits,
                 text);
    else
        snprintf(problem, size, "option --%s has no value: expected %s", option->name, value);
}

// Returns the word of a switch or a choice.
static char *write_choice(const common_option *option, const void *member)
{
    unsigned choice = 0;
    if (option->kind == COMMON_CHOICE)
        memcpy(&choice, member, sizeof choice);
    else
        choice = *(const bool *)member;
    if (option->kind == COMMON_SWITCH)
        return common_copy_word("no|yes", choice);
    if (option->kind == COMMON_OPPOSITE)
        return common_copy_word("yes|no", choice);
    return common_copy_word(option->value, choice);
}

static double load_number(int kind, const void *member, int index)
{
    if (kind == COMMON_NUMBER)
        return *(const double *)member;
    if (is_integer(kind))
        return ((const uint32_t *)member)[index];
    return (double)((const float *)member)[index];
}

// Returns the text "#rrggbb" of a color.
static char *write_hex_color(const float *color)
{
    unsigned channels[3];
    for (int i = 0; i < 3; i++)
        channels[i] = (unsigned)lrintf(255 * fminf(fmaxf(color[i], 0), 1));
    return common_format("#%02x%02x%02x", channels[0], channels[1], channels[2]);
}

// Returns the number of significant digits that identify every value of a kind.
static int significant_digits(int kind)
{
    if (kind == COMMON_NUMBER)
        return 17;
    return is_integer(kind) ? 10 : 9;
}

char *common_write_value(const common_option *option, const void *structure)
{
    const int kind = option->kind;
    const int count = num_numbers[kind];
    const void *const member = (const unsigned char *)structure + option->offset;
    const char *const separator = has_hyphen(kind) ? "-" : ",";
    const bool has_limits = kind == COMMON_FLOAT || kind == COMMON_NUMBER;
    char text[96];
    size_t used = 0;
    if (kind <= COMMON_CHOICE)
        return write_choice(option, member);
    if (kind == COMMON_COLOR)
        return write_hex_color(member);

    for (int i = 0; i < count; i++) {
        const double number = load_number(kind, member, i);
        if (has_limits && !(number >= option->low && number <= option->high))
            return NULL;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*g", i == 0 ? "" : separator,
                                 significant_digits(kind), number);
    }
    return count > 0 ? common_copy(text) : NULL;
}

size_t common_value_size(int kind)
{
    if (kind <= COMMON_EITHER)
        return sizeof(bool);
    if (kind == COMMON_CHOICE)
        return sizeof(unsigned);
    if (num_numbers[kind] == 0)
        return sizeof(char *);
    if (kind == COMMON_NUMBER)
        return sizeof(double);
    return (size_t)num_numbers[kind] * sizeof(uint32_t);
}
