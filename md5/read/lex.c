#include "md5/read/lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// clang-format off
#define S MD5_SPACE
#define B MD5_BRACKET
const uint8_t md5_char_classes[256] = {
    // NUL counts as a bracket: it ends words, and is expected nowhere.
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
    return md5_char_classes[(unsigned char)c];
}

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

void md5_lex_begin(md5_lex *lex, md5_arena *arena, const char *text, size_t size)
{
    while (size > 0 && (unsigned char)text[size - 1] <= ' ')
        size--; // trailing NUL bytes, and blanks among them
    *lex = (md5_lex){
        .arena = arena,
        .text = text,
        .at = text,
        .end = text + size,
        .counted_to = text,
        .line_start = text,
        .counted_line = 1,
    };
}

// -- Messages -------------------------------------------------------------------------------

// Counts on from the last place, so that messages in the order of the text take linear time.
void md5_lex_place(md5_lex *lex, const char *at, uint32_t *line, uint32_t *column)
{
    if (at < lex->line_start) {
        lex->counted_to = lex->line_start = lex->text;
        lex->counted_line = 1;
    }
    const char *next = lex->counted_to < at ? lex->counted_to : at;
    for (; next < at; next++) {
        const bool is_end =
            *next == '\n' || (*next == '\r' && (next + 1 == lex->end || next[1] != '\n'));
        if (is_end) {
            lex->counted_line++;
            lex->line_start = next + 1;
        }
    }
    lex->counted_to = at;
    *line = lex->counted_line;
    *column = (uint32_t)(at - lex->line_start) + 1;
}

bool md5_lex_fail(md5_lex *lex, const char *at, md5_status status, const char *format, ...)
{
    char message[sizeof((md5_error *)0)->message];
    md5_context *const context = lex->arena->context;
    uint32_t line, column;
    if (context->error->status != MD5_OK)
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    md5_lex_place(lex, at, &line, &column);
    return md5_fail(context, status, line, column, "%s", message);
}

void md5_lex_warn(md5_lex *lex, const char *at, const char *format, ...)
{
    char message[sizeof((md5_error *)0)->message];
    md5_context *const context = lex->arena->context;
    uint32_t line = 0, column = 0;
    message[0] = '\0';
    if (context->warn && context->num_warnings < context->max_warnings) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message, sizeof message, format, arguments);
        va_end(arguments);
        md5_lex_place(lex, at, &line, &column);
    }
    md5_warn(context, line, column, "%s", message);
}

// Where the word at `at` ends.
static const char *word_end(const md5_lex *lex, const char *at)
{
    while (at < lex->end && char_class(*at) == 0)
        at++;
    return at;
}

md5_quoted md5_lex_token(const md5_lex *lex, const char *at)
{
    if (at >= lex->end) {
        md5_quoted end = {"the end of the file"};
        return end;
    }
    const char *next = at + 1;
    if (*at == '"' || *at == '\'') {
        while (next < lex->end && *next != *at && *next != '\n' && *next != '\r')
            next++;
        next += next < lex->end && *next == *at;
    } else if (char_class(*at) == 0) {
        next = word_end(lex, at);
    }
    return md5_quote(at, (size_t)(next - at));
}

// -- White space ----------------------------------------------------------------------------

// Exporters write a mesh's name as `// meshes: NAME`.
static void note_mesh_name(md5_lex *lex, const char *at, const char *end)
{
    static const char label[] = "meshes:";
    enum { LENGTH = sizeof label - 1 };
    while (at < end && (unsigned char)*at <= ' ')
        at++;
    if (lex->mesh_comment.bytes || end - at < LENGTH || memcmp(at, label, LENGTH) != 0)
        return;
    at += LENGTH;
    while (at < end && (unsigned char)*at <= ' ')
        at++;
    while (end > at && (unsigned char)end[-1] <= ' ')
        end--;
    if (!memchr(at, '\0', (size_t)(end - at)))
        lex->mesh_comment = (md5_span){at, (size_t)(end - at)};
}

void md5_lex_skip_comment(md5_lex *lex)
{
    const char *const start = lex->at;
    const char *at = start + 2;
    if (start[1] == '/') {
        while (at < lex->end && *at != '\n' && *at != '\r')
            at++;
        note_mesh_name(lex, start + 2, at);
        lex->at = at;
        return;
    }
    for (; lex->end - at >= 2; at++) {
        at = memchr(at, '*', (size_t)(lex->end - at - 1));
        if (!at)
            break;
        if (at[1] == '/') {
            lex->at = at + 2;
            return;
        }
    }
    md5_lex_fail(lex, start, MD5_ERROR_SYNTAX, "this comment has no end: '*/' is missing");
    lex->at = lex->end;
}

// -- Words and brackets ---------------------------------------------------------------------

bool md5_span_is(md5_span span, const char *text)
{
    return strncmp(span.bytes, text, span.size) == 0 && text[span.size] == '\0';
}

md5_span md5_lex_peek_word(md5_lex *lex)
{
    md5_lex_space(lex);
    return (md5_span){lex->at, (size_t)(word_end(lex, lex->at) - lex->at)};
}

bool md5_lex_take(md5_lex *lex, char bracket)
{
    md5_lex_space(lex);
    if (lex->at == lex->end || *lex->at != bracket)
        return false;
    lex->at++;
    return true;
}

bool md5_lex_expect(md5_lex *lex, char bracket)
{
    if (md5_lex_take(lex, bracket))
        return true;
    return md5_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "expected '%c', found %s", bracket,
                        md5_lex_token(lex, lex->at).text);
}

// -- Strings --------------------------------------------------------------------------------

// The string that begins at the quote at lex->at. No escapes: a backslash is a backslash.
static bool scan_string(md5_lex *lex, md5_span *text)
{
    const char *const start = lex->at;
    const char *at = start + 1;
    while (at < lex->end && *at != *start && *at != '\n' && *at != '\r' && *at != '\0')
        at++;
    if (at < lex->end && *at == '\0')
        return md5_lex_fail(lex, at, MD5_ERROR_SYNTAX, "a NUL byte stands in this string");
    if (at == lex->end || *at != *start)
        return md5_lex_fail(lex, start, MD5_ERROR_SYNTAX,
                            "this string has no end on its line: %c is missing", *start);
    *text = (md5_span){start + 1, (size_t)(at - start) - 1};
    lex->at = at + 1;
    return true;
}

// Whether another string in the same quotes follows, which then belongs to the last one.
static bool has_next_part(md5_lex *lex, char quote)
{
    md5_lex_space(lex);
    return lex->at < lex->end && *lex->at == quote;
}

// Joins the strings that follow `first`: once to measure, once to copy.
static bool join_strings(md5_lex *lex, char quote, md5_span first, md5_span *text)
{
    const char *const start = lex->at;
    md5_span part;
    size_t size = first.size;
    while (has_next_part(lex, quote)) {
        TRY(scan_string(lex, &part));
        size += part.size;
    }
    char *const joined = md5_arena_alloc(lex->arena, size, 1);
    TRY(joined);
    *text = (md5_span){joined, size};
    memcpy(joined, first.bytes, first.size);
    size = first.size;
    lex->at = start;
    while (has_next_part(lex, quote)) {
        TRY(scan_string(lex, &part));
        memcpy(joined + size, part.bytes, part.size);
        size += part.size;
    }
    return true;
}

static bool read_string(md5_lex *lex, md5_span *text)
{
    const char quote = *lex->at;
    TRY(scan_string(lex, text));
    if (lex->join_strings && has_next_part(lex, quote))
        return join_strings(lex, quote, *text, text);
    return true;
}

bool md5_lex_text(md5_lex *lex, md5_span *text, const char *what)
{
    *text = md5_lex_peek_word(lex);
    if (lex->at < lex->end && (*lex->at == '"' || *lex->at == '\''))
        return read_string(lex, text);
    if (text->size == 0)
        return md5_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "expected %s, found %s", what,
                            md5_lex_token(lex, lex->at).text);
    lex->at += text->size;
    return true;
}

static bool is_name_byte(char c)
{
    return char_class(c) == 0 || (unsigned char)c >= 0x80;
}

// Blanks may stand in a bare name if a word follows on the same line that is no number.
static const char *name_end(const md5_lex *lex, const char *at)
{
    for (;;) {
        while (at < lex->end && is_name_byte(*at))
            at++;
        const char *next = at;
        while (next < lex->end && (*next == ' ' || *next == '\t'))
            next++;
        if (next == lex->end || !is_name_byte(*next) || is_digit(*next) || strchr("+-./", *next))
            return at;
        at = next;
    }
}

bool md5_lex_joint_name(md5_lex *lex, md5_span *name)
{
    md5_lex_space(lex);
    if (lex->at < lex->end && char_class(*lex->at) == 0) {
        // Bytes from 0x80 on were taken for white space, but belong to the name.
        const char *start = lex->at;
        while (start > lex->text && (unsigned char)start[-1] >= 0x80)
            start--;
        lex->at = name_end(lex, lex->at);
        *name = (md5_span){start, (size_t)(lex->at - start)};
        return true;
    }
    return md5_lex_text(lex, name, "the name of a joint");
}

// -- Numbers --------------------------------------------------------------------------------

static bool word_begins(const char *at, const char *end, const char *lower_case)
{
    for (; *lower_case; at++, lower_case++) {
        if (at == end || (*at | 0x20) != *lower_case)
            return false;
    }
    return true;
}

// Says what is wrong with the number at `at`, which the grammar cannot read.
static bool bad_number(md5_lex *lex, const char *at, const char *kind)
{
    const char *const end = word_end(lex, at);
    const char *digits = at;
    const md5_quoted token = md5_lex_token(lex, at);
    while (digits < end && (*digits == '-' || *digits == '+'))
        digits++;
    const char *rest = digits;
    while (rest < end && (is_digit(*rest) || *rest == '.'))
        rest++;
    if (word_begins(digits, end, "nan") || word_begins(digits, end, "inf")
        || (rest > digits && rest < end && *rest == '#'))
        return md5_lex_fail(lex, at, MD5_ERROR_RANGE, "%s is not a finite number", token.text);
    if (word_begins(digits, end, "0x"))
        return md5_lex_fail(lex, at, MD5_ERROR_SYNTAX, "%s is hexadecimal: numbers are decimal",
                            token.text);
    if (rest > digits && rest < end && *rest == ',')
        return md5_lex_fail(lex, at, MD5_ERROR_SYNTAX,
                            "%s has a decimal comma: numbers are written with a point", token.text);
    return md5_lex_fail(lex, at, MD5_ERROR_SYNTAX, "expected %s, found %s", kind, token.text);
}

// Steps over a `-` that stands apart from its number.
static bool take_lone_minus(md5_lex *lex)
{
    if (lex->end - lex->at < 2 || *lex->at != '-' || char_class(lex->at[1]) != MD5_SPACE)
        return false;
    lex->at++;
    md5_lex_space(lex);
    return true;
}

// Where a number that ends at `next` is followed by what may follow one: NULL if not. A C suffix
// counts to it, as in the original's lexer; so does a comment.
static const char *number_end(const md5_lex *lex, const char *next)
{
    if (!next)
        return NULL;
    if (next < lex->end && (*next | 0x20) == 'f')
        next++;
    const bool is_comment =
        lex->end - next >= 2 && *next == '/' && (next[1] == '/' || next[1] == '*');
    return is_comment || md5_lex_ends(lex, next) ? next : NULL;
}

bool md5_lex_float_slow(md5_lex *lex, float *value)
{
    md5_lex_space(lex);
    const char *const start = lex->at;
    const bool negate = take_lone_minus(lex);
    const bool is_signed_twice = negate && lex->at < lex->end && strchr("+-", *lex->at);
    const char *const next = number_end(lex, md5_scan_float_exact(lex->at, lex->end, value));
    if (!next || is_signed_twice)
        return bad_number(lex, negate && !next ? lex->at : start, "a number");
    if (*value - *value != 0.0f)
        return md5_lex_fail(lex, start, MD5_ERROR_RANGE, "%s is too large for a 32-bit float",
                            md5_lex_token(lex, start).text);
    if (negate)
        *value = -*value;
    lex->at = next;
    return true;
}

// Its range is that of float, which is ample for what needs it.
bool md5_lex_double(md5_lex *lex, double *value)
{
    float narrow;
    md5_lex_space(lex);
    md5_lex start = *lex;
    TRY(md5_lex_float(lex, &narrow));
    const bool negate = take_lone_minus(&start);
    md5_scan_double(start.at, start.end, value);
    if (negate)
        *value = -*value;
    return true;
}

bool md5_lex_int_slow(md5_lex *lex, int64_t *value)
{
    const int64_t limit = INT64_MAX / 10 - 1;
    md5_lex_space(lex);
    const char *const start = lex->at;
    take_lone_minus(lex);
    const bool negative = *start == '-';
    const char *next = lex->at;
    if (next < lex->end && (*next == '-' || *next == '+') && next == start)
        next++;

    const char *const first = next;
    int64_t whole = 0;
    bool has_fraction = false, is_octal = false;
    for (; next < lex->end && is_digit(*next); next++)
        whole = whole < limit ? 10 * whole + (*next - '0') : INT64_MAX;
    const bool any = next > first;
    is_octal = any && *first == '0' && whole > 7;
    if (any && next < lex->end && *next == '.') {
        for (next++; next < lex->end && is_digit(*next); next++)
            has_fraction |= *next != '0';
    }
    next = any ? number_end(lex, next) : NULL;
    if (!next)
        return bad_number(lex, any ? start : lex->at, "a whole number");
    *value = negative ? -whole : whole;
    if (has_fraction)
        md5_lex_warn(lex, start, "%s is read as the whole number %lld",
                     md5_lex_token(lex, start).text, (long long)*value);
    else if (is_octal)
        md5_lex_warn(lex, start, "%s is read as decimal; the original engine reads it as octal",
                     md5_lex_token(lex, start).text);
    lex->at = next;
    return true;
}

// -- What is not known ----------------------------------------------------------------------

static bool starts_line(const md5_lex *lex, const char *at)
{
    while (at > lex->text && (at[-1] == ' ' || at[-1] == '\t'))
        at--;
    return at == lex->text || at[-1] == '\n' || at[-1] == '\r';
}

// Steps over one token.
static bool skip_token(md5_lex *lex)
{
    md5_span text;
    if (*lex->at == '"' || *lex->at == '\'')
        return scan_string(lex, &text);
    const char *const end = word_end(lex, lex->at);
    lex->at = end > lex->at ? end : lex->at + 1;
    return true;
}

bool md5_lex_skip_values(md5_lex *lex, bool (*is_known)(md5_span word))
{
    const char *block = NULL;
    size_t depth = 0;
    for (;;) {
        const md5_span word = md5_lex_peek_word(lex);
        if (lex->at == lex->end)
            break;
        const char c = *lex->at;
        if (depth == 0) {
            const bool is_name = word.size > 0 && !is_digit(c) && !strchr("+-.", c);
            if (c == '}' || (is_name && (starts_line(lex, lex->at) || is_known(word))))
                return true;
            block = lex->at;
        }
        depth += c == '{';
        depth -= c == '}';
        TRY(skip_token(lex));
    }
    if (depth > 0)
        return md5_lex_fail(lex, block, MD5_ERROR_SYNTAX, "this block has no end: '}' is missing");
    return true;
}
