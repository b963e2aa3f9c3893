// Parses and prints values of options according to their kinds.
#include "demo/common/options.h"

#include "demo/common/memory.h"

#include <math.h>

// The number of numbers in a value of each kind. Kinds without numbers have 0. A COMMON_NUMBER has
// 64 bits, and all other numbers have 32.
static const int num_numbers[COMMON_NUM_KINDS] = {
    [COMMON_COUNT] = 1, [COMMON_FLOAT] = 1,  [COMMON_NUMBER] = 1, [COMMON_GRID] = 2,
    [COMMON_RANGE] = 2, [COMMON_FRAMES] = 2, [COMMON_COLOR] = 3,  [COMMON_POINT] = 3,
};

int common_count_numbers(int kind)
{
    return kind < COMMON_NUM_KINDS ? num_numbers[kind] : 0;
}

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

// Returns the type of the values of a kind.
static common_value_type value_type(int kind)
{
    if (kind <= COMMON_CHOICE)
        return COMMON_VALUE_CHOICE;
    if (common_count_numbers(kind) > 0)
        return COMMON_VALUE_NUMBERS;
    return kind < COMMON_NUM_KINDS ? COMMON_VALUE_TEXT : COMMON_VALUE_NONE;
}

// == Storing and loading ==========================================================================

unsigned common_count_words(const char *words)
{
    unsigned count = 1;
    for (const char *c = words; *c != '\0'; c++) {
        if (*c == '|')
            count++;
    }
    return count;
}

// Returns true if the option has a choice with this index.
static bool is_choice_valid(const common_option *option, unsigned choice)
{
    const unsigned count = option->kind == COMMON_CHOICE ? common_count_words(option->value) : 2;
    return choice < count;
}

// Returns true if all numbers are in the option's range, and are integers if the kind requires
// this. The two ends of a range must differ. Only the ends of frames may be in reverse order.
static bool are_numbers_valid(const common_option *option, const double *numbers)
{
    const int kind = option->kind;
    const double high = kind == COMMON_COLOR ? 1 : option->high;
    for (int i = 0; i < num_numbers[kind]; i++) {
        const double number = numbers[i];
        const bool is_in_range = number >= option->low && number <= high; // false for NaN
        const bool has_fraction = number != floor(number);
        if (!is_in_range || (is_integer(kind) && has_fraction))
            return false;
    }
    if (kind == COMMON_FRAMES)
        return numbers[0] != numbers[1];
    return kind != COMMON_RANGE || numbers[0] < numbers[1];
}

// Returns true if a text is valid for a kind. It must not be empty. For COMMON_PAIR_TEXT, it must
// have the form "A=B" with two sides that are not empty.
static bool is_text_valid(int kind, const char *text)
{
    if (kind != COMMON_PAIR_TEXT)
        return text[0] != '\0';
    const char *const equals = strchr(text, '=');
    return equals != NULL && equals != text && equals[1] != '\0';
}

// Returns true if a value has the type that the option requires and is in its range.
static bool is_value_valid(const common_option *option, const common_value *value)
{
    if (value->type != value_type(option->kind))
        return false;
    switch (value->type) {
    case COMMON_VALUE_CHOICE:
        return is_choice_valid(option, value->choice);
    case COMMON_VALUE_NUMBERS:
        return are_numbers_valid(option, value->numbers);
    case COMMON_VALUE_TEXT:
        return is_text_valid(option->kind, value->text);
    default:
        return false;
    }
}

// Writes one number of a value to a member. `index` is its index in the member, and `kind`
// determines the member's type.
static void store_number(int kind, void *member, int index, double number)
{
    if (kind == COMMON_NUMBER)
        *(double *)member = number;
    else if (is_integer(kind))
        ((uint32_t *)member)[index] = (uint32_t)number;
    else if (kind == COMMON_COLOR) // rounded to the colors that "#rrggbb" can express
        ((float *)member)[index] = rintf(255 * (float)number) / 255.0f;
    else
        ((float *)member)[index] = (float)number;
}

// Writes a switch to its member, a bool, or a choice to its member, an enum.
static void store_choice(int kind, void *member, unsigned choice)
{
    if (kind == COMMON_CHOICE)
        memcpy(member, &choice, sizeof choice);
    else
        *(bool *)member = choice == 1;
}

// Writes a text, or adds it to a list of texts.
static void store_text(int kind, void *member, const char *text)
{
    if (kind == COMMON_TEXTS) {
        common_texts *const texts = member;
        *COMMON_ADD_ITEM(texts->names, texts->count) = text;
    } else {
        *(const char **)member = text;
    }
}

// Checks a value. If it is valid, converts it to the type of the option's member and writes it.
bool common_store_value(const common_option *option, const common_value *value, void *structure)
{
    const int kind = option->kind;
    void *const member = (unsigned char *)structure + option->offset;
    if (!is_value_valid(option, value))
        return false;

    if (value->type == COMMON_VALUE_CHOICE) {
        store_choice(kind, member, value->choice);
    } else if (value->type == COMMON_VALUE_TEXT) {
        store_text(kind, member, value->text);
    } else {
        for (int i = 0; i < num_numbers[kind]; i++)
            store_number(kind, member, i, value->numbers[i]);
    }
    return true;
}

// Returns element `index` of an option's member, which can have any numeric type, as a double.
static double load_number(int kind, const void *member, int index)
{
    if (kind == COMMON_NUMBER)
        return *(const double *)member;
    if (is_integer(kind))
        return ((const uint32_t *)member)[index];
    return (double)((const float *)member)[index];
}

// Loads the numbers of an option's member. Returns false if one of them is outside of its limits or
// NaN. Such a number means that the option is not set.
static bool load_numbers(const common_option *option, const void *member, double *numbers)
{
    const int kind = option->kind;
    const bool has_limits = kind == COMMON_FLOAT || kind == COMMON_NUMBER;
    for (int i = 0; i < num_numbers[kind]; i++) {
        numbers[i] = load_number(kind, member, i);
        if (has_limits && !(numbers[i] >= option->low && numbers[i] <= option->high))
            return false;
    }
    return true;
}

// Returns the choice of a member, which is a bool for a switch and an enum for a choice.
static unsigned load_choice(int kind, const void *member)
{
    unsigned choice;
    if (kind != COMMON_CHOICE)
        return *(const bool *)member;
    memcpy(&choice, member, sizeof choice);
    return choice;
}

// Reads the member of an option. The type is COMMON_VALUE_NONE if the member is not set. It is also
// COMMON_VALUE_NONE for lists of texts, because no program prints them.
common_value common_load_value(const common_option *option, const void *structure)
{
    const int kind = option->kind;
    const void *const member = (const unsigned char *)structure + option->offset;
    common_value value = {.type = COMMON_VALUE_NONE};
    if (kind == COMMON_TEXTS)
        return value;

    const common_value_type type = value_type(kind);
    if (type == COMMON_VALUE_NUMBERS && !load_numbers(option, member, value.numbers))
        return value;
    if (type == COMMON_VALUE_CHOICE)
        value.choice = load_choice(kind, member);
    else if (type == COMMON_VALUE_TEXT)
        value.text = *(const char *const *)member;
    value.type = type;
    return value;
}

// Returns true if two values have the same type and the same content. Values of different types
// are never equal, even if they would be printed in the same way.
bool common_are_values_equal(const common_value *a, const common_value *b)
{
    if (a->type != b->type)
        return false;
    if (a->type == COMMON_VALUE_TEXT)
        return strcmp(a->text, b->text) == 0;
    // Compares the bits, because -0 and 0 have different texts.
    return a->choice == b->choice && memcmp(a->numbers, b->numbers, sizeof a->numbers) == 0;
}

// Returns the size in bytes of a member that stores a value of this kind. A COMMON_NUMBER is a
// double; all other numbers, uint32_t or float, have 4 bytes.
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

// == Parsing ======================================================================================

const char *common_parse_number(const char *text, double low, double high, double *number)
{
    char *end = NULL;
    *number = strtod(text, &end);
    const bool is_valid = end != text && *number >= low && *number <= high;
    return is_valid ? end : NULL;
}

// Returns a copy of one word of a list such as "a|b|c", which the caller frees. `words` may be
// NULL. The result is NULL if the list has too few words.
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

// Parses a switch or a choice. `text` is NULL if a switch is given without a value, which means on.
// Returns false if the text is not one of the choices.
static bool parse_choice(const common_option *option, const char *text, unsigned *choice)
{
    // The words of a switch alternate between off and on, so that an odd index means on.
    const bool is_switch = option->kind <= COMMON_OPPOSITE;
    const char *const choices = is_switch ? "no|yes|false|true|0|1|off|on" : option->value;
    const int index = text != NULL ? find_choice(choices, text) : 1;
    if (index < 0)
        return false;
    *choice = (unsigned)index;
    if (is_switch)
        *choice = (index % 2 == 1) != (option->kind == COMMON_OPPOSITE);
    return true;
}

// Parses a color "#rrggbb" to three numbers from 0 to 1. Returns false for other texts.
static bool parse_hex_color(const char *text, double *channels)
{
    char *end = NULL;
    const unsigned long hex = strtoul(text + 1, &end, 16);
    for (int i = 0; i < 3; i++)
        channels[i] = (double)((hex >> (16 - 8 * i)) & 255) / 255.0;
    const bool has_sign = strchr("-+", text[1]) != NULL; // strtoul() accepts a sign
    return strlen(text) == 7 && *end == '\0' && !has_sign;
}

// Returns the character between the numbers of a value. The numbers of a grid can be separated by x
// or by a comma.
static char number_separator(int kind, const char *text)
{
    if (has_hyphen(kind))
        return '-';
    return kind == COMMON_GRID && strchr(text, 'x') ? 'x' : ',';
}

// Parses the numbers of a value. Returns false if the text does not have the form of its kind. The
// caller checks the range of the numbers.
static bool parse_numbers(int kind, const char *text, double *numbers)
{
    const int count = num_numbers[kind];
    const char separator = number_separator(kind, text);
    if (kind == COMMON_COLOR && text[0] == '#')
        return parse_hex_color(text, numbers);
    for (int i = 0; i < count; i++) {
        const char end = i + 1 < count ? separator : '\0';
        text = common_parse_number(text, -INFINITY, INFINITY, &numbers[i]);
        if (text == NULL || *text != end)
            return false;
        text++;
    }
    return true;
}

// Parses a text with the function of its type, then checks the range of the value.
bool common_parse_value(const common_option *option, const char *text, common_value *value)
{
    const common_value_type type = value_type(option->kind);
    bool is_parsed = true;
    *value = (common_value){.type = type};
    if (type == COMMON_VALUE_CHOICE)
        is_parsed = parse_choice(option, text, &value->choice);
    else if (type == COMMON_VALUE_NUMBERS)
        is_parsed = parse_numbers(option->kind, text, value->numbers);
    else
        value->text = text;
    return is_parsed && is_value_valid(option, value);
}

bool common_read_value(const common_option *option, const char *text, void *structure)
{
    common_value value;
    return common_parse_value(option, text, &value)
           && common_store_value(option, &value, structure);
}

// == Printing =====================================================================================

// Writes the limits of a number for a message, as ", above 0" or ", from A to B". Writes "" if the
// number has no limits.
static void write_limits(const common_option *option, char *limits, size_t size)
{
    static const double smallest = 1e-9;   // a lower limit between 0 and this only excludes 0
    static const double unlimited = 1e300; // an upper limit from this on does not limit
    const bool has_limits = option->high > option->low && option->high < unlimited;
    const bool is_each = option->kind == COMMON_GRID || option->kind == COMMON_POINT;
    limits[0] = '\0';
    if (option->low > 0 && option->low < smallest)
        snprintf(limits, size, ", above 0");
    else if (has_limits)
        snprintf(limits, size, ", %sfrom %.10g to %.10g", is_each ? "each " : "", option->low,
                 option->high);
}

// Writes the description of an option's value for a message. A list of words "a|b|c" becomes
// "a, b or c". A switch has no description, so "yes or no" is used.
static void write_expected(const common_option *option, char *expected, size_t size)
{
    expected[0] = '\0';
    if (!option->value) {
        common_append(expected, size, "", "yes or no");
        return;
    }
    const char *word = option->value;
    for (;;) {
        const size_t length = strcspn(word, "|");
        const char *const next = word[length] == '|' ? word + length + 1 : NULL;
        const char *const separator = next ? ", " : " or ";
        common_append(expected, size, separator, "%.*s", (int)length, word);
        if (!next)
            return;
        word = next;
    }
}

// Writes an error message about a missing or invalid value of an option to problem[size]. The
// limits of a number are shown if it has any.
void common_explain_value(const common_option *option, const char *text, char *problem, size_t size)
{
    char value[256];
    char limits[64];
    write_expected(option, value, sizeof value);
    write_limits(option, limits, sizeof limits);
    if (text)
        snprintf(problem, size, "--%s: expected %s%s, found '%s'", option->name, value, limits,
                 text);
    else
        snprintf(problem, size, "option --%s has no value: expected %s", option->name, value);
}

// Returns the word of a switch or a choice.
static char *write_choice(const common_option *option, unsigned choice)
{
    if (option->kind == COMMON_SWITCH)
        return common_copy_word("no|yes", choice);
    if (option->kind == COMMON_OPPOSITE)
        return common_copy_word("yes|no", choice);
    return common_copy_word(option->value, choice);
}

// Returns the text "#rrggbb" of a color.
static char *write_hex_color(const double *color)
{
    unsigned channels[3];
    for (int i = 0; i < 3; i++)
        channels[i] = (unsigned)lrintf(255 * fminf(fmaxf((float)color[i], 0), 1));
    return common_format("#%02x%02x%02x", channels[0], channels[1], channels[2]);
}

// Returns how many significant digits are needed so that different values of a kind have different
// texts.
static int significant_digits(int kind)
{
    if (kind == COMMON_NUMBER)
        return 17;
    return is_integer(kind) ? 10 : 9;
}

// Returns the text of numbers, with a hyphen or a comma between them.
static char *write_numbers(int kind, const double *numbers)
{
    const char *const separator = has_hyphen(kind) ? "-" : ",";
    const int digits = significant_digits(kind);
    char text[96];
    size_t used = 0;
    for (int i = 0; i < num_numbers[kind]; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*g", i == 0 ? "" : separator,
                                 digits, numbers[i]);
    return common_copy(text);
}

// Returns a value as text. common_parse_value() parses this text as the same value. Returns NULL
// for COMMON_VALUE_NONE, COMMON_VALUE_DEFAULT, and a text that is NULL.
char *common_print_value(const common_option *option, const common_value *value)
{
    if (value->type == COMMON_VALUE_CHOICE)
        return write_choice(option, value->choice);
    if (value->type == COMMON_VALUE_TEXT)
        return common_copy(value->text);
    if (value->type != COMMON_VALUE_NUMBERS)
        return NULL;
    if (option->kind == COMMON_COLOR)
        return write_hex_color(value->numbers);
    return write_numbers(option->kind, value->numbers);
}
