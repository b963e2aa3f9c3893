// Values of options: parsed from text to the members of a structure, and printed, as described by
// the entries of a table (common_option).
#ifndef DEMO_COMMON_OPTIONS_H
#define DEMO_COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

// The format of a value. The type of the member is in parentheses.
typedef enum common_kind {
    COMMON_SWITCH,   // yes or no (bool)
    COMMON_OPPOSITE, // a switch that clears its member: "no-maps" (bool)
    COMMON_EITHER,   // the first or the second word of "a|b" (bool)
    COMMON_CHOICE,   // one of the words of "a|b|c" (an enum that counts from 0)
    COMMON_COUNT,    // integer from `low` to `high` (uint32_t)
    COMMON_FLOAT,    // number from `low` to `high` (float)
    COMMON_NUMBER,   // number from `low` to `high` (double)
    COMMON_GRID,     // two integers from `low` to `high`, "6x4" or "6,4" (uint32_t[2])
    COMMON_RANGE,    // two integers from `low` to `high`, "A-B", A < B (uint32_t[2])
    COMMON_FRAMES,   // the same, but A can be larger than B (uint32_t[2])
    COMMON_COLOR,    // "#rrggbb" (float[3]); "R,G,B" from 0 to 1 is read, too
    COMMON_POINT,    // "X,Y,Z", each from `low` to `high` (float[3])
    // The following kinds are never written.
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

// Parses `text` to the option's member of a structure. `text` is NULL if a switch has no value.
// Returns false if the text is invalid; the member may then have any value.
bool common_read_value(const common_option *option, const char *text, void *structure);

// Writes an error message with the expected value to problem[size]. `text` is NULL if the value is
// missing.
void common_explain_value(const common_option *option, const char *text, char *problem,
                          size_t size);

// Returns the text of an option's member, which common_read_value() reads as the same value. The
// caller frees it. Returns NULL if the kind is never written, or if a number is out of range, which
// means that it is not set.
char *common_write_value(const common_option *option, const void *structure);

// Returns the size of a member of this kind, bytes.
size_t common_value_size(int kind);

// Parses a number from `low` to `high` in the C locale. Returns the text after it, or NULL.
const char *common_parse_number(const char *text, double low, double high, double *number);

// Returns a copy of the word of "a|b|c" with this index, or NULL. The caller frees it.
char *common_copy_word(const char *words, unsigned index);

#endif
