// Prints text from untrusted sources. Characters that could control a terminal are escaped.
#include "demo/common/text.h"

#include <errno.h>
#include <math.h>

// Returns the length of the UTF-8 sequence that begins with a byte, or 0 if no sequence does.
static size_t sequence_length(unsigned char lead)
{
    if (lead < 0xC2 || lead > 0xF4)
        return 0;
    if (lead >= 0xF0)
        return 4;
    return lead >= 0xE0 ? 3 : 2;
}

// Returns true if the first two bytes of a UTF-8 sequence can encode a printable character. Control
// characters, overlong forms, surrogates, and values above the last code point are excluded. The
// second byte distinguishes them from other characters.
static bool is_printable_sequence(unsigned char lead, unsigned char next)
{
    switch (lead) {
    case 0xC2:
    case 0xE0:
        return next >= 0xA0;
    case 0xED:
        return next <= 0x9F;
    case 0xF0:
        return next >= 0x90;
    case 0xF4:
        return next <= 0x8F;
    default:
        return true;
    }
}

// Returns the length in bytes of the character at `text`, or 0 if it is not printable. A zero byte
// is never a part of a sequence, so the end of the text is not exceeded.
static size_t printable_length(const unsigned char *text)
{
    const unsigned char lead = text[0];
    if (lead < 0x80)
        return lead >= 0x20 && lead != 0x7F ? 1 : 0;
    const size_t length = sequence_length(lead);
    if (length == 0)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xC0) != 0x80)
            return 0;
    }
    return is_printable_sequence(lead, text[1]) ? length : 0;
}

// Formats a text and copies it character by character. Each byte that is not printable becomes an
// escape sequence. The result ends before the first character that does not fit.
void common_write_text(char *text, size_t size, const char *format, va_list values)
{
    char raw[1024];
    char escaped[8]; // one character or its escape sequence
    size_t used = 0;
    vsnprintf(raw, sizeof raw, format, values);
    const char *next = raw;
    while (*next != '\0') {
        const size_t length = printable_length((const unsigned char *)next);
        if (length > 0)
            COMMON_TEXT(escaped, "%.*s", (int)length, next);
        else
            COMMON_TEXT(escaped, "\\x%02x", (unsigned char)*next);

        const size_t escaped_length = strlen(escaped);
        if (used + escaped_length >= size)
            break;
        memcpy(text + used, escaped, escaped_length);
        used += escaped_length;
        next += length > 0 ? length : 1;
    }
    text[used] = '\0';
}

// Returns the number of bytes at the start of a text that need no escape sequence. These are
// printable characters and the character `plain`.
static size_t plain_length(const char *text, char plain)
{
    size_t length = 0;
    for (;;) {
        const size_t next = printable_length((const unsigned char *)text + length);
        const bool is_plain = text[length] != '\0' && text[length] == plain;
        if (next == 0 && !is_plain)
            return length;
        length += next > 0 ? next : 1;
    }
}

// Prints a text. Bytes that are not printable become escape sequences, except for the character
// `plain`. Standard error is not buffered, so each printable part is written in one call. Readers
// of a pipe then see complete lines, which are not mixed with lines of other programs.
static void print(FILE *file, const char *text, char plain)
{
    const char *rest = text;
    for (;;) {
        const size_t length = plain_length(rest, plain);
        fwrite(rest, 1, length, file);
        rest += length;
        if (*rest == '\0')
            return;
        fprintf(file, "\\x%02x", (unsigned char)*rest);
        rest++;
    }
}

// Prints a text as a JSON string. NULL becomes "". Only ASCII is printed directly. Each other byte
// is escaped as the character with its number.
static void print_quoted(const char *text)
{
    putchar('"');
    for (const char *at = text ? text : ""; *at; at++) {
        const unsigned char c = (unsigned char)*at;
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < ' ' || c >= 0x7F)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

// Prints a text as a JSON string or, if not `is_json`, with escape sequences.
static void print_string(FILE *file, bool is_json, const char *text)
{
    if (is_json)
        print_quoted(text);
    else
        print(file, text, '\0');
}

// Prints a number as vfprintf() does. In JSON, a number that is not finite is null.
static void print_double(FILE *file, bool is_json, const char *directive, double number)
{
    if (is_json && !isfinite(number))
        fputs("null", file);
    else
        fprintf(file, directive, number);
}

// Prints formatted text like vfprintf(), but escapes texts (%s). In JSON, a text is printed in
// quotes, and a number that is not finite as null. The type of each value depends on its directive,
// for example on l and z for larger integers. The format is therefore processed directive by
// directive.
static void print_values(FILE *file, bool is_json, const char *format, va_list values)
{
    while (*format != '\0') {
        // The next part of the format is either text up to the next directive, or a directive. A
        // directive consists of %, width, precision, length, and one letter for the kind.
        char directive[16];
        const bool is_directive = *format == '%';
        const size_t size =
            is_directive ? strspn(format + 1, "0123456789.-lz") + 2 : strcspn(format, "%");
        const char kind = is_directive ? format[size - 1] : '\0';
        COMMON_TEXT(directive, "%.*s", (int)size, format);

        const bool is_long = strchr(directive, 'l') != NULL;
        if (kind == '\0')
            fwrite(format, 1, size, file);
        else if (kind == 's')
            print_string(file, is_json, va_arg(values, const char *));
        else if (kind == 'g' || kind == 'f')
            print_double(file, is_json, directive, va_arg(values, double));
        else if (kind == 'd' && is_long)
            fprintf(file, directive, va_arg(values, long long)); // NOLINT(bugprone-branch-clone)
        else if (kind == 'd')
            fprintf(file, directive, va_arg(values, int));
        else if (strchr(directive, 'z') != NULL)
            fprintf(file, directive, va_arg(values, size_t));
        else if (is_long)
            fprintf(file, directive, va_arg(values, unsigned long long));
        else
            fprintf(file, directive, va_arg(values, unsigned));
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

// Prints the output error that errno describes. errno is 0 if the cause is unknown. Returns 1.
static int report_output_error(const char *program)
{
    if (errno != 0)
        fprintf(stderr, "%s: error: cannot write the output: %s\n", program, strerror(errno));
    else
        fprintf(stderr, "%s: error: cannot write the output\n", program);
    return 1;
}

const char *common_noun(uint64_t count, const char *singular, const char *plural)
{
    return count == 1 ? singular : plural;
}

// Writes the buffered output. Clears the error of the stream, so that it is not reported again.
int common_flush_output(const char *program)
{
    errno = 0;
    const bool had_failed = ferror(stdout) != 0;
    const bool is_written = fflush(stdout) == 0 && !had_failed;
    clearerr(stdout);
    return is_written ? 0 : report_output_error(program);
}

// Closes standard output, because some file systems report errors only then. Returns 1 and
// prints an error if some output could not be written, and otherwise 0.
int common_end_output(const char *program)
{
    errno = 0;
    const bool had_failed = ferror(stdout) != 0;
    if (fclose(stdout) == 0 && !had_failed)
        return 0;
    return report_output_error(program);
}
