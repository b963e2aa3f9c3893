#include "demo/common/options.h"

#include "demo/common/memory.h"

#include <math.h>

// How many numbers a kind has; of COMMON_NUMBER 64 bits, of all others 32.
static const int num_numbers[COMMON_NUM_KINDS] = {
    [COMMON_COUNT] = 1, [COMMON_FLOAT] = 1, [COMMON_NUMBER] = 1, [COMMON_GRID] = 2,
    [COMMON_RANGE] = 2, [COMMON_COLOR] = 3, [COMMON_POINT] = 3,
};

static bool is_whole(int kind)
{
    return kind == COMMON_COUNT || kind == COMMON_GRID || kind == COMMON_RANGE;
}

const char *common_take_number(const char *text, double low, double high, double *number)
{
    char *end = NULL;
    *number = strtod(text, &end);
    return end != text && *number >= low && *number <= high ? end : NULL;
}

char *common_copy_word(const char *words, unsigned number)
{
    for (; number > 0 && words; number--) {
        words = strchr(words, '|');
        words = words ? words + 1 : NULL;
    }
    return words ? common_format("%.*s", (int)strcspn(words, "|"), words) : NULL;
}

// The number of `word` among "a|b|c", or -1.
static int find_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (int number = 0;; number++) {
        const size_t end = strcspn(words, "|");
        if (end == length && strncmp(words, word, length) == 0)
            return number;
        if (words[end] == '\0')
            return -1;
        words += end + 1;
    }
}

bool common_read_value(const common_option *option, const char *text, void *structure)
{
    const int kind = option->kind;
    const int count = num_numbers[kind];
    void *const member = (unsigned char *)structure + option->place;
    const double high = kind == COMMON_COLOR ? 1 : option->high;
    const char *rest = text;
    double number = 0;
    double before = 0;
    if (kind <= COMMON_CHOICE) {
        const bool is_switch = kind <= COMMON_OPPOSITE;
        const char *const words = is_switch ? "no|yes|false|true|0|1|off|on" : option->value;
        const int word = text ? find_word(words, text) : 1;
        if (kind == COMMON_CHOICE)
            memcpy(member, &word, sizeof word);
        else
            *(bool *)member = (word % 2 == 1) != (kind == COMMON_OPPOSITE);
        return word >= 0;
    }
    if (kind == COMMON_TEXTS) {
        common_texts *const texts = member;
        *COMMON_MORE(texts->names, texts->count) = text;
        return text[0] != '\0';
    }
    if (count == 0) {
        *(const char **)member = text;
        rest = strchr(text, '=');
        return kind == COMMON_TEXT ? text[0] != '\0' : rest && rest != text && rest[1] != '\0';
    }
    if (kind == COMMON_COLOR && text[0] == '#') {
        char *end = NULL;
        const unsigned long hex = strtoul(text + 1, &end, 16);
        for (int i = 0; i < 3; i++)
            ((float *)member)[i] = (float)((hex >> (16 - 8 * i)) & 255) / 255.0f;
        return strlen(text) == 7 && *end == '\0' && strchr("-+", text[1]) == NULL;
    }
    const char between = kind == COMMON_RANGE                       ? '-'
                         : kind == COMMON_GRID && strchr(text, 'x') ? 'x'
                                                                    : ',';
    for (int i = 0; i < count; i++) {
        before = number;
        rest = common_take_number(rest, option->low, high, &number);
        if (!rest || *rest++ != (i + 1 < count ? between : '\0')
            || (is_whole(kind) && number != floor(number)))
            return false;
        if (kind == COMMON_NUMBER)
            *(double *)member = number;
        else if (is_whole(kind))
            ((uint32_t *)member)[i] = (uint32_t)number;
        else
            ((float *)member)[i] = (float)number;
    }
    return kind != COMMON_RANGE || before < number;
}

void common_explain_value(const common_option *option, const char *text, char *problem, size_t size)
{
    const char *const value = option->value ? option->value : "yes or no";
    const bool is_each = option->kind == COMMON_GRID || option->kind == COMMON_POINT;
    char limits[64] = "";
    if (option->low > 0 && option->low < 1e-9)
        COMMON_TEXT(limits, ", above 0");
    else if (option->high > option->low && option->high < 1e300) // it takes numbers
        COMMON_TEXT(limits, ", %sfrom %g to %g", is_each ? "each " : "", option->low, option->high);
    if (text)
        snprintf(problem, size, "--%s: expected %s%s, found '%s'", option->name, value, limits,
                 text);
    else
        snprintf(problem, size, "--%s: missing value: expected %s", option->name, value);
}

char *common_write_value(const common_option *option, const void *structure)
{
    const int kind = option->kind;
    const int count = num_numbers[kind];
    const void *const member = (const unsigned char *)structure + option->place;
    char text[96];
    size_t used = 0;
    unsigned choice = 0;
    if (kind == COMMON_CHOICE)
        memcpy(&choice, member, sizeof choice);
    else if (kind <= COMMON_EITHER)
        choice = *(const bool *)member;
    if (kind <= COMMON_CHOICE)
        return common_copy_word(kind == COMMON_SWITCH     ? "no|yes"
                                : kind == COMMON_OPPOSITE ? "yes|no"
                                                          : option->value,
                                choice);
    for (int i = 0; i < count; i++) {
        const double number = kind == COMMON_NUMBER ? *(const double *)member
                              : is_whole(kind)      ? ((const uint32_t *)member)[i]
                                                    : (double)((const float *)member)[i];
        if ((kind == COMMON_FLOAT || kind == COMMON_NUMBER)
            && !(number >= option->low && number <= option->high))
            return NULL;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*g",
                                 i == 0                 ? ""
                                 : kind == COMMON_RANGE ? "-"
                                                        : ",",
                                 kind == COMMON_NUMBER ? 17
                                 : is_whole(kind)      ? 10
                                                       : 9,
                                 number);
    }
    return count > 0 ? common_copy(text) : NULL;
}

size_t common_value_size(int kind)
{
    return kind <= COMMON_EITHER    ? sizeof(bool)
           : kind == COMMON_CHOICE  ? sizeof(unsigned)
           : num_numbers[kind] == 0 ? sizeof(char *)
           : kind == COMMON_NUMBER  ? sizeof(double)
                                    : (size_t)num_numbers[kind] * sizeof(uint32_t);
}
