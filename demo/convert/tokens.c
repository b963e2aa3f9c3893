// Implements the tokenizer of the text formats: BVH, SMD and OBJ.
#include "demo/convert/tokens.h"

// Skips blanks, so that in->at is the first byte of the next token. Returns the length of the
// token, or 0 at the end of the text.
size_t convert_next_token(convert_tokens *in)
{
    for (; in->at < in->end && isspace((unsigned char)*in->at); in->at++) {
        if (*in->at == '\n') {
            in->line++;
            in->line_start = in->at + 1;
        }
    }
    size_t length = 0;
    while (in->at + length < in->end && !isspace((unsigned char)in->at[length]))
        length++;
    return length;
}

bool convert_set_error_location(const convert_tokens *in, const char *position)
{
    in->error->line = in->line;
    in->error->column = (uint32_t)(position - in->line_start) + 1;
    return false;
}

// Fails with the message "expected X, found Y", in which Y is the next token. Shows at most
// in->max_shown bytes of the token. At the end of the text, shows the name of the end instead,
// without quotes.
bool convert_fail_token(convert_tokens *in, const char *expected)
{
    size_t length = convert_next_token(in);
    const char *const format = length > 0 ? "expected %s, found '%.*s'" : "expected %s, found %.*s";
    const char *const found = length > 0 ? in->at : in->end_name;
    if (length == 0)
        length = strlen(in->end_name);
    if (length > in->max_shown)
        length = in->max_shown;
    return convert_fail_at(in, MD5_ERROR_SYNTAX, in->at, format, expected, (int)length, found);
}

// Reads the next token as a number of at most 1e9. Returns false and fills the error on failure.
// The whole token must be a number. Infinity, NaN and larger numbers are refused, because later
// computations could overflow. If the token is not accepted, the position remains before it.
bool convert_read_number(convert_tokens *in, const char *expected, double *number)
{
    const size_t length = convert_next_token(in);
    char *end = NULL;
    *number = length > 0 ? strtod(in->at, &end) : 0;
    if (length == 0 || end != in->at + length || !(fabs(*number) <= 1e9))
        return convert_fail_token(in, expected);
    in->at += length;
    return true;
}

const char *convert_find_after(const char *at, const char *end, const char *text)
{
    const size_t length = strlen(text);
    for (; (size_t)(end - at) >= length; at++) {
        at = memchr(at, text[0], (size_t)(end - at) - length + 1);
        if (!at || memcmp(at, text, length) == 0)
            return at ? at + length : NULL;
    }
    return NULL;
}

void convert_locate(const char *text, const char *position, uint32_t *line, uint32_t *column)
{
    const char *start = text; // of the line
    const char *next = convert_find_after(start, position, "\n");
    *line = 1;
    while (next) {
        start = next;
        (*line)++;
        next = convert_find_after(start, position, "\n");
    }
    *column = (uint32_t)(position - start) + 1;
}
