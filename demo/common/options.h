// Values of options. A table describes the options of a program, with one entry for each option
// (common_option). A value has a type (common_value). Values are stored in the members of a
// structure, and are converted from and to text.
#ifndef DEMO_COMMON_OPTIONS_H
#define DEMO_COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

// The format of a value as text. The type of the member that stores it is in parentheses.
typedef enum common_kind {
    COMMON_SWITCH,    // yes or no (bool)
    COMMON_OPPOSITE,  // a switch that clears its member: "no-maps" (bool)
    COMMON_EITHER,    // the first or the second word of "a|b" (bool)
    COMMON_CHOICE,    // one of the words of "a|b|c" (an enum that counts from 0)
    COMMON_COUNT,     // integer from `low` to `high` (uint32_t)
    COMMON_FLOAT,     // number from `low` to `high` (float)
    COMMON_NUMBER,    // number from `low` to `high` (double)
    COMMON_GRID,      // two integers from `low` to `high`, "6x4" or "6,4" (uint32_t[2])
    COMMON_RANGE,     // two integers from `low` to `high`, "A-B", A < B (uint32_t[2])
    COMMON_FRAMES,    // the same, but A can be larger than B (uint32_t[2])
    COMMON_COLOR,     // "#rrggbb" (float[3]); "R,G,B" from 0 to 1 is read, too
    COMMON_POINT,     // "X,Y,Z", each from `low` to `high` (float[3])
    COMMON_TEXT,      // text that is not empty (const char *)
    COMMON_PAIR_TEXT, // "A=B", neither side empty (const char *)
    COMMON_TEXTS,     // text that is appended (common_texts)
    COMMON_NUM_KINDS, // the first kind that programs can define themselves
} common_kind;

typedef struct common_texts {
    const char **names; // [count]; free with free()
    size_t count;
} common_texts;

typedef struct common_option {
    const char *name;
    const char *value; // name of the value in messages, or its words "a|b|c"
    int kind;          // common_kind, or a kind of the program
    size_t offset;     // offset of the member
    double low;        // limits of numbers
    double high;
} common_option;

// -- Typed values ---------------------------------------------------------------------------------

typedef enum common_value_type {
    COMMON_VALUE_NONE,
    COMMON_VALUE_DEFAULT, // reset to the default; is never read from a text
    COMMON_VALUE_CHOICE,  // value of the kinds COMMON_SWITCH to COMMON_CHOICE
    COMMON_VALUE_NUMBERS, // value of the kinds COMMON_COUNT to COMMON_POINT
    COMMON_VALUE_TEXT,    // value of the kinds COMMON_TEXT to COMMON_TEXTS
} common_value_type;

enum { COMMON_MAX_NUMBERS = 3 };

typedef struct common_value {
    common_value_type type;
    // The index of a choice's word. For a switch, it is the value of its member, 0 or 1. The member
    // of a COMMON_OPPOSITE is the opposite of its text, so there 0 means "yes".
    unsigned choice;
    double numbers[COMMON_MAX_NUMBERS]; // components of a color are 0 to 1
    const char *text;                   // not owned
} common_value;

static inline common_value common_choice_value(unsigned choice)
{
    return (common_value){.type = COMMON_VALUE_CHOICE, .choice = choice};
}

static inline common_value common_number_value(double number)
{
    return (common_value){.type = COMMON_VALUE_NUMBERS, .numbers = {number}};
}

static inline common_value common_text_value(const char *text)
{
    return (common_value){.type = COMMON_VALUE_TEXT, .text = text};
}

// Stores a value in the option's member of a structure. A text of COMMON_TEXTS is added to the
// earlier texts. Returns false and changes nothing if the value is out of range or has another type
// than the option.
bool common_store_value(const common_option *option, const common_value *value, void *structure);

// Returns the value of an option's member. The type is COMMON_VALUE_NONE if a number is out of
// range, which means that it is not set. It is also COMMON_VALUE_NONE for COMMON_TEXTS.
common_value common_load_value(const common_option *option, const void *structure);

// Returns true if two values are equal. Texts are compared by their characters.
bool common_are_values_equal(const common_value *a, const common_value *b);

// Returns how many numbers a value of this kind has. Returns 0 if it has none.
int common_count_numbers(int kind);

// Returns the number of words in a list such as "a|b|c".
unsigned common_count_words(const char *words);

// -- Texts of values ------------------------------------------------------------------------------

// Parses the text of a value. `text` is NULL if a switch is given without a value. For the kinds
// COMMON_TEXT to COMMON_TEXTS, the value refers to the text, which is not copied. Returns false if
// the text is invalid or the value is out of range.
bool common_parse_value(const common_option *option, const char *text, common_value *value);

// Parses `text` and stores the value in the option's member of a structure. Returns false and
// changes nothing if the text is invalid.
bool common_read_value(const common_option *option, const char *text, void *structure);

// Writes an error message with the expected value to problem[size]. `text` is NULL if the value is
// missing.
void common_explain_value(const common_option *option, const char *text, char *problem,
                          size_t size);

// Returns a value as text. common_read_value() reads this text as the same value. The caller frees
// it. Returns NULL for COMMON_VALUE_NONE, COMMON_VALUE_DEFAULT, and texts that are NULL.
char *common_print_value(const common_option *option, const common_value *value);

// Returns the size in bytes of a member that stores a value of this kind.
size_t common_value_size(int kind);

// Parses a number from `low` to `high` in the format of the C locale. Returns the text after the
// number, or NULL if there is no such number.
const char *common_parse_number(const char *text, double low, double high, double *number);

// Returns a copy of word `index` of a list such as "a|b|c", or NULL. The caller frees it.
char *common_copy_word(const char *words, unsigned index);

#endif
