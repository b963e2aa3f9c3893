#include "demo/common/text.h"

#include <errno.h>
#include <math.h>

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

void common_write_text(char *text, size_t size, const char *format, va_list values)
{
    char raw[1024], piece[8];
    size_t used = 0;
    vsnprintf(raw, sizeof raw, format, values);
    for (const char *at = raw; *at != '\0';) {
        const size_t length = printable_length((const unsigned char *)at);
        if (length > 0)
            COMMON_TEXT(piece, "%.*s", (int)length, at);
        else
            COMMON_TEXT(piece, "\\x%02x", (unsigned char)*at);
        if (used + strlen(piece) >= size)
            break;
        memcpy(text + used, piece, strlen(piece));
        used += strlen(piece);
        at += length > 0 ? length : 1;
    }
    text[used] = '\0';
}

// Standard error is not buffered: a text is written in one piece, so that who reads it while it is
// written sees whole lines, and lines of other programs do not mix with it.
static void print(FILE *file, const char *text, char plain)
{
    for (;;) {
        // Up to the first byte that is neither printable nor `plain`.
        size_t length = 0;
        size_t next = 1;
        for (; next > 0; length += next) {
            next = printable_length((const unsigned char *)text + length);
            if (next == 0 && text[length] != '\0' && text[length] == plain)
                next = 1;
        }
        fwrite(text, 1, length, file);
        text += length;
        if (*text == '\0')
            return;
        fprintf(file, "\\x%02x", (unsigned char)*text++);
    }
}

static void print_quoted(const char *text)
{
    putchar('"');
    for (; text && *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < ' ' || c >= 0x7F)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void print_values(FILE *file, bool is_json, const char *format, va_list values)
{
    while (*format != '\0') {
        // What is printed as it is, or else a directive: %, its width and precision, its kind.
        char directive[16];
        const size_t size =
            *format != '%' ? strcspn(format, "%") : strspn(format + 1, "0123456789.-lz") + 2;
        const char kind = *format == '%' ? format[size - 1] : '\0';
        COMMON_TEXT(directive, "%.*s", (int)size, format);
        if (kind == '\0') {
            fwrite(format, 1, size, file);
        } else if (kind == 's') {
            const char *const text = va_arg(values, const char *);
            if (is_json)
                print_quoted(text);
            else
                print(file, text, '\0');
        } else if (kind == 'g' || kind == 'f') {
            const double number = va_arg(values, double);
            if (is_json && !isfinite(number))
                fputs("null", file);
            else
                fprintf(file, directive, number);
            // NOLINTNEXTLINE(bugprone-branch-clone): types differ
        } else if (kind == 'd' && strchr(directive, 'l') != NULL) {
            fprintf(file, directive, va_arg(values, long long));
        } else if (kind == 'd') {
            fprintf(file, directive, va_arg(values, int));
        } else if (strchr(directive, 'z') != NULL) {
            fprintf(file, directive, va_arg(values, size_t));
        } else if (strchr(directive, 'l') != NULL) {
            fprintf(file, directive, va_arg(values, unsigned long long));
        } else {
            fprintf(file, directive, va_arg(values, unsigned));
        }
        format += size;
    }
}

void common_print(FILE *file, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_values(file, false, format, values);
    va_end(values);
}

void common_print_json(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_values(stdout, true, format, values);
    va_end(values);
}

void common_print_either(bool is_json, const char *text, const char *json, ...)
{
    va_list values;
    va_start(values, json);
    print_values(stdout, is_json, is_json ? json : text, values);
    va_end(values);
}

void common_print_lines(FILE *file, const char *text)
{
    print(file, text, '\n');
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
