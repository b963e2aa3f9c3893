// Reads the tokens of MD5 files and machine files: words, brackets, strings, names and numbers.
// Errors and warnings are reported with their location in the text. The functions for white space
// and numbers have a fast path for the usual form of a text. All other functions are called rarely.
#include "md5/core/lex.h"

#include <limits.h>

enum { SPACE = 1, BRACKET = 2 }; // 0: a byte of a word

// clang-format off
#define S SPACE
#define B BRACKET
static const uint8_t char_classes[256] = {
    // NUL is a bracket: it ends words, and no function accepts it.
    B, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S,
    //  !  "              '  (  )
    S, 0, B, 0, 0, 0, 0, B, B, B, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    //                                                                                {     }
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, B, 0, B, 0, 0,
    S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S,
    S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S,
    S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S,
    S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S,
};
#undef S
#undef B
// clang-format on

static uint8_t char_class(char c)
{
    return char_classes[(unsigned char)c];
}

static bool is_lex_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

// Starts a lexer at the beginning of a text. The text may be NULL if `size` is 0. White space and
// NUL bytes at its end are ignored.
MD5_COLD void md5i_lex_begin(md5_lex *lex, md5_arena *arena, const char *text, size_t size)
{
    const char *const start = text ? text : ""; // NULL + 0 is undefined
    // Ignore NUL bytes and blanks at the end, with which some files end.
    size_t used_size = size;
    while (used_size > 0 && (unsigned char)start[used_size - 1] <= ' ')
        used_size--;
    *lex = (md5_lex){
        .arena = arena,
        .text = start,
        .at = start,
        .end = start + used_size,
        .counted_to = start,
        .line_start = start,
        .counted_line = 1,
    };
}

// -- Messages -------------------------------------------------------------------------------

// Finds the line and the column of a position. Counting continues at the position of the previous
// message, unless that position is later in the text. Messages in the order of the text therefore
// take linear time in total.
MD5_COLD void md5i_lex_find_location(md5_lex *lex, const char *position, uint32_t *line,
                                     uint32_t *column)
{
    const bool is_before_last_line = position < lex->line_start;
    if (is_before_last_line) { // count from the start of the text
        lex->counted_to = lex->text;
        lex->line_start = lex->text;
        lex->counted_line = 1;
    }

    const char *next = lex->counted_to < position ? lex->counted_to : position;
    for (; next < position; next++) {
        // The text does not end with white space, so a byte follows each CR.
        const bool is_end = *next == '\n' || (*next == '\r' && next[1] != '\n');
        if (is_end) {
            lex->counted_line++;
            lex->line_start = next + 1;
        }
    }

    lex->counted_to = position;
    *line = lex->counted_line;
    *column = (uint32_t)(position - lex->line_start) + 1;
}

// Reports an error with the line and the column of `position`, unless the call has failed before.
// Returns false.
MD5_COLD bool md5i_lex_fail(md5_lex *lex, const char *position, md5_status status,
                            const char *format, ...)
{
    char message[sizeof((md5_error *)0)->message];
    md5_context *const context = lex->arena->context;
    uint32_t line;
    uint32_t column;
    if (context->error.status != MD5_OK)
        return false;
    MD5_PRINT(message, format);
    md5i_lex_find_location(lex, position, &line, &column);
    return md5i_fail(context, status, line, column, "%s", message);
}

// Returns the end of the bare word at `position`.
const char *md5i_lex_word_end(const md5_lex *lex, const char *position)
{
    while (position < lex->end && char_class(*position) == 0)
        position++;
    return position;
}

// Returns the end of the token at `position`, which must be before the end of the text. The token
// is a word, a text in quotes, or a single character such as a bracket.
MD5_COLD const char *md5i_lex_token_end(const md5_lex *lex, const char *position)
{
    const char *next = position + 1;
    if (!is_quote(*position))
        return char_class(*position) == 0 ? md5i_lex_word_end(lex, position) : next;
    while (next < lex->end && *next != *position && !is_lex_line_end(*next))
        next++;
    const bool is_closed = next < lex->end && *next == *position;
    return is_closed ? next + 1 : next;
}

// Returns the token at `position` for a message: quoted, or "the end of the file".
MD5_COLD md5_quoted md5i_lex_token(const md5_lex *lex, const char *position)
{
    const md5_quoted end = {"the end of the file"};
    return position < lex->end
               ? md5i_quote(position, (size_t)(md5i_lex_token_end(lex, position) - position))
               : end;
}

// Reports that the next token is not the expected one. The text is the message, followed by ",
// found" and the token.
MD5_COLD bool md5i_lex_fail_expected(md5_lex *lex, const char *format, ...)
{
    char message[sizeof((md5_error *)0)->message];
    MD5_PRINT(message, format);
    return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "%s, found %s", message,
                         md5i_lex_token(lex, lex->at).text);
}

// Counts a warning about the token at `position`. Reports it unless it repeats an earlier warning
// or exceeds the limit. Warnings with the same format are merged only if they are about the same
// name. If `with_token`, the message begins with the quoted token.
static void warn(md5_lex *lex, const char *position, bool with_token, const char *format,
                 va_list arguments)
{
    md5_context *const context = lex->arena->context;
    const bool has_token = position < lex->end;
    const char *const token_end = has_token ? md5i_lex_token_end(lex, position) : position;
    const md5_span token = {position, (size_t)(token_end - position)};
    const size_t name_size = md5_span_is_name(token) ? token.size : 0;

    uint32_t line = 0;
    uint32_t column = 0;
    if (context->warn)
        md5i_lex_find_location(lex, position, &line, &column);
    if (!md5i_count_warning(context, format, position, name_size, line))
        return;

    char message[sizeof context->error.message];
    size_t length = 0;
    if (with_token)
        length =
            (size_t)snprintf(message, sizeof message, "%s ", md5i_lex_token(lex, position).text);
    vsnprintf(message + length, sizeof message - length, format, arguments);
    md5i_report_warning(context, line, column, message);
}

// Reports a warning at a position of the text. `format` and the values after it are as for
// printf().
void md5i_lex_warn(md5_lex *lex, const char *position, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    warn(lex, position, false, format, arguments);
    va_end(arguments);
}

// Reports a warning that begins with the token at its position, in quotes.
void md5i_lex_warn_token(md5_lex *lex, const char *position, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    warn(lex, position, true, format, arguments);
    va_end(arguments);
}

// -- White space ----------------------------------------------------------------------------

// Returns the end of the white space and control characters at `text`.
static const char *skip_low_bytes(const char *text, const char *end)
{
    while (text < end && (unsigned char)*text <= ' ')
        text++;
    return text;
}

// If a comment has the form `// meshes: NAME`, stores NAME in lex->mesh_comment. Exporters write
// the name of a mesh in this form. After lex->mesh_comment was cleared, only the first such comment
// is used. `text` is the start of the comment after its slashes, and `end` is its end.
static void read_mesh_comment(md5_lex *lex, const char *text, const char *end)
{
    static const char label[] = "meshes:";
    enum { LENGTH = sizeof label - 1 };
    const char *const first = skip_low_bytes(text, end);
    const bool has_label = end - first >= LENGTH && memcmp(first, label, LENGTH) == 0;
    if (!has_label || lex->mesh_comment.bytes)
        return;

    const char *const name = skip_low_bytes(first + LENGTH, end);
    const char *name_end = end;
    while (name_end > name && (unsigned char)name_end[-1] <= ' ')
        name_end--;
    const size_t size = (size_t)(name_end - name);
    if (!memchr(name, '\0', size))
        lex->mesh_comment = (md5_span){name, size};
}

// Skips a comment of either kind. An unterminated comment is an error and ends the file.
static MD5_COLD MD5_NO_INLINE void skip_comment(md5_lex *lex)
{
    const char *const start = lex->at;
    const char *next = start + 2;

    if (start[1] == '/') {
        while (next < lex->end && !is_lex_line_end(*next))
            next++;
        lex->at = next;
        read_mesh_comment(lex, start + 2, next);
        return;
    }

    // Find the first `*` that is followed by `/`. The last byte of the text is not searched,
    // because no `/` can follow it.
    for (; lex->end - next >= 2; next++) {
        next = (const char *)memchr(next, '*', (size_t)(lex->end - next - 1));
        if (!next)
            break;
        if (next[1] == '/') {
            lex->at = next + 2;
            return;
        }
    }

    md5i_lex_fail(lex, start, MD5_ERROR_SYNTAX,
                  "unterminated comment: expected '*/', found the end of the file");
    lex->at = lex->end;
}

// Returns true if a comment begins at `position`, in the form of C or C++.
static inline bool begins_comment(const char *position, const char *end)
{
    if (position == end || *position != '/')
        return false;
    return end - position >= 2 && (position[1] == '/' || position[1] == '*');
}

// Moves the lexer past white space and comments. Bytes above `max_byte` are not skipped. Bytes from
// 0x80 on are white space, except at the start of a name: readers of names pass 0x7F.
static MD5_ALWAYS_INLINE void skip_lex_blanks(md5_lex *lex, unsigned char max_byte)
{
    const char *position = lex->at;
    for (;;) {
        while (position < lex->end && char_class(*position) == SPACE
               && (unsigned char)*position <= max_byte)
            position++;
        lex->at = position;
        if (!begins_comment(position, lex->end))
            return;
        skip_comment(lex);
        position = lex->at;
    }
}

// Skips white space and comments. Returns the position of the next token.
const char *md5i_lex_skip_space(md5_lex *lex)
{
    skip_lex_blanks(lex, UCHAR_MAX);
    return lex->at;
}

// -- Words and brackets ---------------------------------------------------------------------

// Skips white space, and returns the bare word after it without consuming the word. A bare word is
// a word without quotes. The result is empty if the next token is not a bare word.
md5_span md5i_lex_peek_word(md5_lex *lex)
{
    skip_lex_blanks(lex, UCHAR_MAX);
    return (md5_span){lex->at, (size_t)(md5i_lex_word_end(lex, lex->at) - lex->at)};
}

// Skips white space. If the next character is `bracket`, consumes it and returns true.
bool md5i_lex_accept(md5_lex *lex, char bracket)
{
    skip_lex_blanks(lex, UCHAR_MAX);
    if (lex->at == lex->end || *lex->at != bracket)
        return false;
    lex->at++;
    return true;
}

// Skips white space. If the next token is the keyword `word`, consumes it and returns true.
bool md5i_lex_accept_keyword(md5_lex *lex, const char *word)
{
    skip_lex_blanks(lex, UCHAR_MAX);
    // Compare the first byte before searching for the end of the word, because it differs in nearly
    // all calls.
    if (lex->at == lex->end || *lex->at != *word)
        return false;
    const char *const end = md5i_lex_word_end(lex, lex->at);
    if (!md5_span_is((md5_span){lex->at, (size_t)(end - lex->at)}, word))
        return false;
    lex->at = end;
    return true;
}

// Skips white space. Returns true if the next token is `}`, or if no token follows.
bool md5i_lex_at_block_end(md5_lex *lex)
{
    skip_lex_blanks(lex, UCHAR_MAX);
    return lex->at == lex->end || *lex->at == '}';
}

// Consumes a bracket. Any other token is an error.
bool md5i_lex_expect(md5_lex *lex, char bracket)
{
    if (!md5i_lex_accept(lex, bracket))
        return md5i_lex_fail_expected(lex, "expected '%c'", bracket);
    return true;
}

// -- Strings --------------------------------------------------------------------------------

// Returns true if strings cannot contain `c`.
static bool ends_string(char c)
{
    return is_lex_line_end(c) || c == '\0';
}

// Fails at a NUL byte, which no string and no value may contain.
MD5_COLD static bool fail_at_nul(md5_lex *lex, const char *at)
{
    return md5i_lex_fail(lex, at, MD5_ERROR_SYNTAX,
                         "invalid text: expected characters, found a NUL byte");
}

// Reads the string whose opening quote is at lex->at. The closing quote must be the same character
// on the same line. Sets `text` to the bytes between the quotes.
MD5_COLD bool md5i_lex_string(md5_lex *lex, md5_span *text)
{
    const char *const start = lex->at;
    const char *position = start + 1;
    while (position < lex->end && *position != *start && !ends_string(*position))
        position++;

    if (position < lex->end && *position == '\0')
        return fail_at_nul(lex, position);
    if (position == lex->end || *position != *start)
        return md5i_lex_fail(lex, start, MD5_ERROR_SYNTAX,
                             "unterminated string: expected %c before the end of the line", *start);

    *text = (md5_span){start + 1, (size_t)(position - start) - 1};
    lex->at = position + 1;
    return true;
}

// Reads a string, and all strings that directly follow it in the same kind of quotes. Copies their
// content to `joined` unless it is NULL. Sets *count to the number of strings, *size to the sum of
// their sizes, and *last to the last string.
static MD5_COLD bool read_strings(md5_lex *lex, char *joined, size_t *count, size_t *size,
                                  md5_span *last)
{
    const char quote = *lex->at;
    *count = 0;
    *size = 0;
    do {
        TRY(md5i_lex_string(lex, last));
        if (joined && last->size > 0)
            memcpy(joined + *size, last->bytes, last->size);
        *size += last->size;
        (*count)++;
    } while (lex->join_strings && md5i_lex_skip_space(lex) < lex->end && *lex->at == quote);
    return true;
}

// Reads a quoted string or a bare word, and sets `text` to its content. `expected` describes the
// content in the error message. If lex->join_strings is set, consecutive strings become one text.
MD5_COLD bool md5i_lex_text(md5_lex *lex, md5_span *text, const char *expected)
{
    *text = md5i_lex_peek_word(lex);
    const char *const start = lex->at;
    const bool is_string = start < lex->end && is_quote(*start);
    if (!is_string) {
        lex->at += text->size;
        if (text->size == 0)
            return md5i_lex_fail_expected(lex, "expected %s", expected);
        return true;
    }

    // One string needs no copy: it is a part of the file's text.
    size_t count = 0;
    size_t size = 0;
    TRY(read_strings(lex, NULL, &count, &size, text));
    if (count == 1)
        return true;

    // Now the size of the joined strings is known. Read them again into memory of this size.
    char *const joined = MD5_ALLOC_ZEROED(lex->arena, char, size);
    TRY(joined);
    md5_span last = {NULL, 0};
    lex->at = start;
    TRY(read_strings(lex, joined, &count, &size, &last));
    *text = (md5_span){joined, size};
    return true;
}

// -- Names ----------------------------------------------------------------------------------

static bool is_name_byte(char c)
{
    return char_class(c) == 0 || (unsigned char)c >= 0x80;
}

// Returns the end of the bare joint name that begins at `position`. A name may contain blanks. It
// continues after a blank if the next word on the line does not begin like a number.
static const char *find_name_end(const md5_lex *lex, const char *position)
{
    for (;;) {
        while (position < lex->end && is_name_byte(*position))
            position++;
        const char *next = position;
        while (next < lex->end && (*next == ' ' || *next == '\t'))
            next++;
        if (next == lex->end || !is_name_byte(*next))
            return position;
        if (md5_is_digit(*next) || strchr("+-./", *next))
            return position;
        position = next;
    }
}

// Reads the name of a joint: a quoted string, or a bare name, which may contain blanks and bytes
// from 0x80 on.
MD5_COLD bool md5i_lex_joint_name(md5_lex *lex, md5_span *name)
{
    md5i_lex_skip_space(lex);
    const bool is_bare = lex->at < lex->end && char_class(*lex->at) == 0;
    if (!is_bare)
        return md5i_lex_text(lex, name, "a joint name");

    // md5i_lex_skip_space() has skipped bytes from 0x80 on as white space. Go back, because they
    // are part of the name.
    const char *start = lex->at;
    while (start > lex->text && (unsigned char)start[-1] >= 0x80)
        start--;
    lex->at = find_name_end(lex, lex->at);
    *name = (md5_span){start, (size_t)(lex->at - start)};
    return true;
}

// Skips white space and comments before a name, which may begin with a byte from 0x80 on.
void md5i_lex_skip_name_space(md5_lex *lex)
{
    skip_lex_blanks(lex, 0x7F);
}

// Reads a name in a machine file: a quoted string or a bare word, which may contain bytes from 0x80
// on. `expected` describes the name for the error message.
bool md5i_lex_name(md5_lex *lex, md5_span *name, const char *expected)
{
    md5i_lex_skip_name_space(lex);
    const char *const start = lex->at;
    const char *end = start;
    while (end < lex->end && is_name_byte(*end))
        end++;
    if (end == start)
        return md5i_lex_text(lex, name, expected);
    *name = (md5_span){start, (size_t)(end - start)};
    lex->at = end;
    return true;
}

// -- Numbers --------------------------------------------------------------------------------

// Returns true if a text begins with a word, ignoring case. `lower_case` contains only lower-case
// letters, so setting bit 0x20 converts the letters of the text to lower case.
static bool word_begins(const char *position, const char *end, const char *lower_case)
{
    for (; *lower_case; position++, lower_case++) {
        if (position == end || (*position | 0x20) != *lower_case)
            return false;
    }
    return true;
}

// Returns true if the word from `digits` to `end` is not a finite number. Such words are nan, inf,
// and numbers with `#` like 1.#INF. `digits_end` is the first byte after the digits of the word.
static bool is_not_finite(const char *digits, const char *digits_end, const char *end)
{
    if (word_begins(digits, end, "nan") || word_begins(digits, end, "inf"))
        return true;
    return digits_end > digits && digits_end < end && *digits_end == '#';
}

// Reports why the word at `position` is not a number, and returns false. There are messages for nan
// and inf, hexadecimal numbers, and numbers with a decimal comma. For all other words the message
// names the expected kind of number, `kind`, which includes its article.
static MD5_COLD bool bad_number(md5_lex *lex, const char *position, const char *kind)
{
    const char *const end = md5i_lex_word_end(lex, position);
    const md5_quoted token = md5i_lex_token(lex, position);

    // Find the digits after the signs.
    const char *digits = position;
    while (digits < end && (*digits == '-' || *digits == '+'))
        digits++;
    const char *digits_end = digits;
    while (digits_end < end && (md5_is_digit(*digits_end) || *digits_end == '.'))
        digits_end++;

    if (is_not_finite(digits, digits_end, end))
        return md5i_lex_fail(lex, position, MD5_ERROR_RANGE,
                             "invalid number: expected a finite value, found %s", token.text);
    if (word_begins(digits, end, "0x"))
        return md5i_lex_fail(lex, position, MD5_ERROR_SYNTAX,
                             "invalid number: expected a decimal number, found %s", token.text);
    if (digits_end > digits && digits_end < end && *digits_end == ',')
        return md5i_lex_fail(lex, position, MD5_ERROR_SYNTAX,
                             "invalid number: expected a decimal point, found %s", token.text);
    return md5i_lex_fail(lex, position, MD5_ERROR_SYNTAX, "expected %s, found %s", kind,
                         token.text);
}

// Skips a `-` that is separated from its number by white space. Returns true if there was one.
static bool skip_separate_minus(md5_lex *lex)
{
    if (lex->end - lex->at < 2 || *lex->at != '-' || char_class(lex->at[1]) != SPACE)
        return false;
    lex->at++;
    md5i_lex_skip_space(lex);
    return true;
}

// Returns the end of a number whose digits end at `next`. The number may end with the suffix `f`,
// which the original lexer accepts. Returns NULL if `next` is NULL or the next byte cannot follow a
// number. Only white space, brackets, comments and the end of the text can.
static const char *find_number_end(const md5_lex *lex, const char *next)
{
    if (!next)
        return NULL;
    if (next < lex->end && (*next | 0x20) == 'f')
        next++;
    const bool is_end = next == lex->end || char_class(*next) != 0;
    return is_end || begins_comment(next, lex->end) ? next : NULL;
}

// Reads a float in any form, which includes a separate sign, an exponent and the suffix `f`.
// Reports an error if the text is not a number or its value is too large. md5i_lex_float() calls it
// for unusual forms only, because it is slower.
static MD5_COLD MD5_NO_INLINE bool lex_any_float(md5_lex *lex, float *value)
{
    const char *const start = lex->at;
    const bool negate = skip_separate_minus(lex);
    const bool is_signed_twice = negate && lex->at < lex->end && strchr("+-", *lex->at);
    const char *const next = find_number_end(lex, md5i_scan_float(lex->at, lex->end, value));

    if (!next)
        return bad_number(lex, lex->at, "a number");
    if (is_signed_twice)
        return bad_number(lex, start, "a number");
    const bool is_infinite = *value - *value != 0; // inf - inf is NaN
    if (is_infinite)
        return md5i_lex_fail(lex, start, MD5_ERROR_RANGE,
                             "number is too large: expected at most 3.4e38, found %s",
                             md5i_lex_token(lex, start).text);

    if (negate)
        *value = -*value;
    lex->at = next;
    return true;
}

// Reads a number. White space may separate a `-` from its digits. A fast scanner reads numbers in
// the usual form if enough bytes follow them. lex_any_float() reads all others.
bool md5i_lex_float(md5_lex *lex, float *value)
{
    skip_lex_blanks(lex, UCHAR_MAX);
    const char *const position = lex->number_at = lex->at;
    const char *const next =
        md5_lex_can_scan(lex, position, MD5_BYTES_AFTER) ? md5i_scan_run(position, value, 1) : NULL;
    if (!next)
        return lex_any_float(lex, value);
    lex->at = next;
    return true;
}

// Reads up to `count` floats. Reads fewer if the block ends before. Sets *num_read to the number of
// floats. The fast scanner for the usual form is tried first.
bool md5i_lex_floats(md5_lex *lex, float *numbers, uint32_t count, uint32_t *num_read)
{
    const char *position = lex->at;
    uint32_t i = 0;

    for (; i < count; i++) {
        while (position < lex->end && md5_is_blank(*position))
            position++;
        const char *const next = md5_lex_can_scan(lex, position, MD5_BYTES_AFTER)
                                     ? md5_scan_common(position, &numbers[i])
                                     : NULL;

        lex->at = next ? next : position;
        if (!next && md5i_lex_at_block_end(lex))
            break;
        if (!next)
            TRY(md5i_lex_float(lex, &numbers[i]));
        position = lex->at;
    }
    *num_read = i;
    return true;
}

// Reports that the number at `position` exceeds MD5_MAX_LENGTH.
bool md5i_lex_fail_length(md5_lex *lex, const char *position)
{
    return md5i_lex_fail(lex, position, MD5_ERROR_RANGE,
                         "number is out of range: expected -1e9 to 1e9, found %s",
                         md5i_lex_token(lex, position).text);
}

// Reads a coordinate, which must be within MD5_MAX_LENGTH.
bool md5i_lex_length(md5_lex *lex, float *value)
{
    TRY(md5i_lex_float(lex, value));
    if (!md5_length_in_range(*value))
        return md5i_lex_fail_length(lex, lex->number_at);
    return true;
}

// Reads ( x y z ) in the usual form, which has one blank between two tokens. Returns the end, or
// NULL if the text has another form.
static const char *scan_vec3(const md5_lex *lex, md5_vec3 *value)
{
    enum { BYTES = 3 * MD5_BYTES_AFTER + 2 };
    const char *const start = lex->at;
    if (!md5_lex_can_scan(lex, start, BYTES) || start[0] != '(' || start[1] != ' ')
        return NULL;
    const char *const next = md5i_scan_run(start + 2, (float *)value, 3);
    return next && next[1] == ')' ? next + 2 : NULL;
}

// Reads ( x y z ). The fast scanner for the usual form is tried first. If it fails, `number` reads
// each number. With md5i_lex_length() as `number`, numbers above MD5_MAX_LENGTH are errors.
bool md5i_lex_vec3(md5_lex *lex, bool (*number)(md5_lex *lex, float *value), md5_vec3 *value)
{
    md5i_lex_skip_space(lex);
    const char *const end = scan_vec3(lex, value);
    const bool is_limited = number == md5i_lex_length;
    if (end && (!is_limited || md5_vec3_in_range(*value))) {
        lex->at = end;
        return true;
    }
    TRY(md5i_lex_expect(lex, '('));
    TRY(number(lex, &value->x));
    TRY(number(lex, &value->y));
    TRY(number(lex, &value->z));
    return md5i_lex_expect(lex, ')');
}

// Reads a number as a double. Values outside of the range of float are errors, because no caller
// needs them. The number is read twice: md5i_lex_float() checks it and moves the lexer, and then
// the same text is converted to a double.
bool md5i_lex_double(md5_lex *lex, double *value)
{
    float checked; // only its range is needed
    md5i_lex_skip_space(lex);
    md5_lex start = *lex;
    TRY(md5i_lex_float(lex, &checked));
    const bool negate = skip_separate_minus(&start);
    *value = 0; // a valid number replaces it, but compilers cannot see that
    md5i_scan_double(start.at, start.end, value);
    if (negate)
        *value = -*value;
    return true;
}

// Warns about an integer that other readers interpret differently. Either its fraction is not 0, as
// in 2.9, or it looks like an octal number, as in 012. The number begins at `start` with its sign.
// Its digits begin at `first`. Its fraction is from `point` to `end`.
static void warn_about_int(md5_lex *lex, const char *start, const char *first, const char *point,
                           const char *end, int64_t value)
{
    bool has_fraction = false;
    for (const char *next = point; next < end; next++)
        has_fraction = has_fraction || (*next != '.' && *next != '0');
    if (has_fraction)
        md5i_lex_warn_token(lex, start, "is not an integer: truncated to %lld", (long long)value);
    else if (*first == '0' && (value > 7 || value < -7))
        md5i_lex_warn_token(lex, start,
                            "has a leading 0: read as a decimal number, but the original engine "
                            "reads an octal number; remove the 0");
}

// Skips a fraction: a point and digits. Returns `at` if there is no point.
static const char *skip_fraction(const md5_lex *lex, const char *at)
{
    if (at == lex->end || *at != '.')
        return at;
    at++;
    while (at < lex->end && md5_is_digit(*at))
        at++;
    return at;
}

// Reads an integer in any form: of any length, with a sign, a fraction or a suffix. The fraction is
// dropped with a warning. A number that is too large becomes INT64_MAX or -INT64_MAX.
static MD5_COLD MD5_NO_INLINE bool lex_any_int(md5_lex *lex, int64_t *value)
{
    const int64_t limit = INT64_MAX / 10 - 1; // below it, another digit cannot overflow

    // Skip the sign, which may be separated from the digits.
    const char *const start = lex->at;
    const bool is_negative = start < lex->end && *start == '-';
    const bool has_separate_minus = skip_separate_minus(lex);
    const char *first = lex->at;
    const bool has_sign = first < lex->end && (*first == '-' || *first == '+');
    if (has_sign && !has_separate_minus)
        first++;

    const char *point = first; // end of the digits, where a fraction may begin
    int64_t magnitude = 0;
    for (; point < lex->end && md5_is_digit(*point); point++)
        magnitude = magnitude < limit ? 10 * magnitude + (*point - '0') : INT64_MAX;
    if (point == first)
        return bad_number(lex, lex->at, "an integer");

    const char *const fraction_end = skip_fraction(lex, point);
    const char *const end = find_number_end(lex, fraction_end);
    if (!end)
        return bad_number(lex, start, "an integer");

    *value = is_negative ? -magnitude : magnitude;
    warn_about_int(lex, start, first, point, fraction_end, *value);
    lex->at = end;
    return true;
}

// Reads an integer. The fast scanner reads up to seven digits; lex_any_int() reads all other forms
// and reports errors.
bool md5i_lex_int(md5_lex *lex, int64_t *value)
{
    skip_lex_blanks(lex, UCHAR_MAX);
    const char *const start = lex->number_at = lex->at;
    uint32_t number;
    const char *const next =
        md5_lex_can_scan(lex, start, MD5_BYTES_AFTER) ? md5_scan_uint(start, &number) : NULL;
    if (!next)
        return lex_any_int(lex, value);
    *value = number;
    lex->at = next;
    return true;
}

// -- Unknown keywords -----------------------------------------------------------------------

// Returns true if only blanks precede lex->at on its line.
static bool is_line_start(const md5_lex *lex)
{
    const char *start = lex->at;
    while (start > lex->text && (start[-1] == ' ' || start[-1] == '\t'))
        start--;
    return start == lex->text || is_lex_line_end(start[-1]);
}

// Skips the values of an unknown keyword. They end before the next known keyword, before a name at
// the start of a line, at the end of the block, or at the end of the text. A nested block in braces
// is skipped as a whole.
bool md5i_lex_skip_values(md5_lex *lex, bool (*is_keyword)(md5_span word))
{
    const char *block_at = NULL; // position of the outermost block
    size_t depth = 0;            // number of open blocks

    for (;;) {
        const md5_span word = md5i_lex_peek_word(lex);
        if (lex->at == lex->end)
            break;

        // Outside of blocks, the values end at a `}` or at the next keyword.
        const char c = *lex->at;
        if (depth == 0) {
            if (c == '}')
                return true;
            if (md5_span_is_name(word) && (is_line_start(lex) || is_keyword(word)))
                return true;
            block_at = lex->at;
        }

        if (c == '{')
            depth++;
        else if (c == '}')
            depth--;

        md5_span text;
        if (c == '\0')
            return fail_at_nul(lex, lex->at);
        if (is_quote(c))
            TRY(md5i_lex_string(lex, &text));
        else
            lex->at = md5i_lex_token_end(lex, lex->at);
    }

    if (depth > 0)
        return md5i_lex_fail(lex, block_at, MD5_ERROR_SYNTAX,
                             "unterminated block: expected '}', found the end of the file");
    return true;
}

// Reads an integer from 0 to UINT32_MAX. `value_name` is its name for the error message.
bool md5i_read_uint(md5_lex *lex, const char *value_name, uint32_t *value)
{
    int64_t number = 0;
    *value = 0; // callers do not use it after an error, but compilers cannot see that
    TRY(md5i_lex_int(lex, &number));
    if (number < 0 || number > UINT32_MAX)
        return md5i_lex_fail(lex, lex->number_at, MD5_ERROR_RANGE,
                             "%s is out of range: expected 0 to 4294967295, found %lld", value_name,
                             (long long)number);
    *value = (uint32_t)number;
    return true;
}
