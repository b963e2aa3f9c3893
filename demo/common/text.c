#include "demo/common/text.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

// Returns the length in bytes of the printable character at `text`; 0 if there is none. A NUL is
// never part of a sequence.
static size_t printable_length(const unsigned char *text)
{
    const unsigned char lead = text[0];
    if (lead < 0x80)
        return lead >= 0x20 && lead != 0x7F ? 1 : 0;
    const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xC0) != 0x80)
            return 0;
    // Control characters, overlong forms, surrogates, and beyond the last code point.
    const unsigned char next = text[1];
    const bool is_bad = (lead == 0xC2 && next < 0xA0) || (lead == 0xE0 && next < 0xA0)
                        || (lead == 0xED && next > 0x9F) || (lead == 0xF0 && next < 0x90)
                        || (lead == 0xF4 && next > 0x8F);
    return is_bad ? 0 : length;
}

// Returns the length in bytes of the text that is printed as it is: up to the first byte that is
// not printable and not in `kept`.
static size_t plain_length(const char *text, const char *kept)
{
    size_t length = 0;
    while (text[length] != '\0') {
        const size_t next = printable_length((const unsigned char *)text + length);
        if (next == 0 && strchr(kept, text[length]) == NULL)
            break;
        length += next > 0 ? next : 1;
    }
    return length;
}

// Standard error is not buffered: a text is written in one piece, so that who reads it while it is
// written sees whole lines, and lines of other programs do not mix with it.
static void print(FILE *file, const char *text, const char *kept)
{
    for (;;) {
        const size_t length = plain_length(text, kept);
        (void)fwrite(text, 1, length, file);
        text += length;
        if (*text == '\0')
            return;
        fprintf(file, "\\x%02x", (unsigned)(unsigned char)*text++);
    }
}

void common_print_text(FILE *file, const char *text)
{
    print(file, text, "");
}

void common_print_between(FILE *file, const char *before, const char *text, const char *after)
{
    fputs(before, file);
    common_print_text(file, text);
    fputs(after, file);
}

void common_print_lines(FILE *file, const char *text)
{
    print(file, text, "\n");
}

int common_end_output(const char *program)
{
    errno = 0;
    const bool had_failed = ferror(stdout) != 0;
    if (fclose(stdout) == 0 && !had_failed)
        return 0;
    fprintf(stderr, "%s: error: cannot write the output%s%s\n", program, errno != 0 ? ": " : "",
            errno != 0 ? strerror(errno) : "");
    return 1;
}
