// Splits the text of an input file into tokens, and reports errors with their line and column.
#ifndef DEMO_CONVERT_TOKENS_H
#define DEMO_CONVERT_TOKENS_H

#include "demo/convert/convert.h"

// A position in a text, from which tokens are read, with the information for error messages.
typedef struct convert_tokens {
    const char *path;
    md5_error *error;
    const char *at;         // next byte
    const char *end;        // end of the text or of its last line; numbers must not reach it
    const char *line_start; // first byte of the current line
    uint32_t line;          // from 1
    const char *end_name;   // name of the end in error messages, such as "the end of the file"
    unsigned max_shown;     // bytes of a token that error messages quote
} convert_tokens;

// Moves in->at to the next token and returns its length, or 0 at the end. isspace() defines blanks.
size_t convert_next_token(convert_tokens *in);

// Stores the line and the column of `position`, which is in the current line. Returns false.
bool convert_set_error_location(const convert_tokens *in, const char *position);

// Fails with a message and a position in the current line. The value of the expression is false.
#define convert_fail_at(in, status, position, ...)              \
    (convert_fail((in)->error, status, (in)->path, __VA_ARGS__) \
     || convert_set_error_location(in, position))

// Fails with "expected X, found Y", in which Y is the next token. Returns false.
bool convert_fail_token(convert_tokens *in, const char *expected);

// Reads a token that is a number of at most 1e9. `expected` describes it in the error message.
bool convert_read_number(convert_tokens *in, const char *expected, double *number);

// Searches for a text in the bytes from `at` to `end`. Returns the position after its first
// occurrence, or NULL.
const char *convert_find_after(const char *at, const char *end, const char *text);

// Computes the line and the column of a position in a text, both from 1.
void convert_locate(const char *text, const char *position, uint32_t *line, uint32_t *column);

#endif
