#include "demo/convert/words.h"

size_t convert_next_word(convert_words *in)
{
    for (; in->at < in->end && isspace((unsigned char)*in->at); in->at++)
        if (*in->at == '\n') {
            in->line++;
            in->line_start = in->at + 1;
        }
    size_t length = 0;
    while (in->at + length < in->end && !isspace((unsigned char)in->at[length]))
        length++;
    return length;
}

bool convert_place_error(const convert_words *in, const char *position)
{
    in->error->line = in->line;
    in->error->column = (uint32_t)(position - in->line_start) + 1;
    return false;
}

bool convert_fail_word(convert_words *in, const char *expected)
{
    const size_t length = convert_next_word(in);
    const size_t shown = length > 0 ? length : strlen(in->end_is);
    return convert_fail_at(in, MD5_ERROR_SYNTAX, in->at,
                           length > 0 ? "expected %s, found '%.*s'" : "expected %s, found %.*s",
                           expected, (int)(shown < in->most_shown ? shown : in->most_shown),
                           length > 0 ? in->at : in->end_is);
}

bool convert_read_number(convert_words *in, const char *what, double *number)
{
    const size_t length = convert_next_word(in);
    char *end = NULL;
    *number = length > 0 ? strtod(in->at, &end) : 0;
    if (length == 0 || end != in->at + length || !(fabs(*number) <= 1e9))
        return convert_fail_word(in, what);
    in->at += length;
    return true;
}
