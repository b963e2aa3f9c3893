// The words of a text, as readers of formats take them: in order, with their places in errors.
#ifndef DEMO_CONVERT_WORDS_H
#define DEMO_CONVERT_WORDS_H

#include "demo/convert/convert.h"

typedef struct convert_words {
    const char *path;
    md5_error *error;
    const char *at, *end; // `end`: of the text or of its line, where no number goes on
    const char *line_start;
    uint32_t line;       // from 1
    const char *end_is;  // for messages: "the end"
    unsigned most_shown; // bytes of a word, likewise
} convert_words;

// Moves to the next word, and returns its length; 0 at the end. Blanks are those of isspace().
size_t convert_next_word(convert_words *in);

// Fails at a position of the line that is read, or by what was expected instead of the word there.
bool convert_place_error(const convert_words *in, const char *position);
#define convert_fail_at(in, status, position, ...)              \
    (convert_fail((in)->error, status, (in)->path, __VA_ARGS__) \
     || convert_place_error(in, position))
bool convert_fail_word(convert_words *in, const char *expected);

// Reads a number of at most 1e9, which is a whole word.
bool convert_read_number(convert_words *in, const char *what, double *number);

#endif
