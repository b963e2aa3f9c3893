// Values of options: rows say how they are read, into the members of a structure, and written.
#ifndef DEMO_COMMON_OPTIONS_H
#define DEMO_COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

// How a value is read and written. The member's type is in parentheses.
typedef enum common_kind {
    COMMON_SWITCH,   // yes or no (bool)
    COMMON_OPPOSITE, // a switch that clears its member: "no-maps" (bool)
    COMMON_EITHER,   // the first or the second word of "a|b" (bool)
    COMMON_CHOICE,   // one of the words of "a|b|c" (an enum that counts from 0)
    COMMON_COUNT,    // whole number within the range (uint32_t)
    COMMON_FLOAT,    // number within the range (float)
    COMMON_NUMBER,   // likewise (double)
    COMMON_GRID,     // two whole numbers within the range, "6x4" or "6,4" (uint32_t[2])
    COMMON_RANGE,    // "A-B", likewise, A < B (uint32_t[2])
    COMMON_COLOR,    // "#rrggbb" or "R,G,B" (float[3])
    COMMON_POINT,    // "X,Y,Z", each within the range (float[3])
    // The following are never written.
    COMMON_TEXT,      // not empty (const char *)
    COMMON_PAIR_TEXT, // "A=B", neither empty (const char *)
    COMMON_TEXTS,     // a text that is added (common_texts)
    COMMON_NUM_KINDS, // programs have kinds of their own from here on
} common_kind;

typedef struct common_texts {
    const char **names; // [count]; free() it
    size_t count;
} common_texts;

// `value`: the printed name of its value, or its words.
typedef struct common_option {
    const char *name;
    const char *value;
    int kind;
    size_t place; // offset of the member
    double low;
    double high;
} common_option;

// Sets the member of a structure that is the option's. NULL is the text of a switch alone. Returns
// false if the text is invalid; the member may then have any value.
bool common_read_value(const common_option *option, const char *text, void *structure);

// Says in problem[size] what it should be instead; `text` NULL: there is none.
void common_explain_value(const common_option *option, const char *text, char *problem,
                          size_t size);

// Returns the text that is read as the same value; the caller frees it. NULL if the kind is never
// written or a number is outside its range, as it is where none was given.
char *common_write_value(const common_option *option, const void *structure);

// The size of the members of a kind.
size_t common_value_size(int kind);

// Parts of texts: a number in the C locale, from `low` to `high`; what follows it is returned, NULL
// if there is none; and a word of "a|b|c" by its number, which the caller frees, NULL if there
// are not so many.
const char *common_take_number(const char *text, double low, double high, double *number);
char *common_copy_word(const char *words, unsigned number);

#endif
