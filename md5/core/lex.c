#include "md5/core/lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// clang-format off
#define S MD5_SPACE
#define B MD5_BRACKET
const uint8_t md5i_char_classes[256] = {
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
    return md5i_char_classes[(unsigned char)c];
}

void md5i_lex_begin(md5_lex *lex, md5_arena *arena, const char *text, size_t size)
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
void md5i_lex_place(md5_lex *lex, const char *at, uint32_t *line, uint32_t *column)
{
    if (at < lex->line_start) {
        lex->counted_to = lex->line_start = lex->text;
        lex->counted_line = 1;
    }
    const char *next = lex->counted_to < at ? lex->counted_to : at;
    for (; next < at; next++) {
        // The text does not end in white space, so something follows a CR.
        const bool is_end = *next == '\n' || (*next == '\r' && next[1] != '\n');
        if (is_end) {
            lex->counted_line++;
            lex->line_start = next + 1;
        }
    }
    lex->counted_to = at;
    *line = lex->counted_line;
    *column = (uint32_t)(at - lex->line_start) + 1;
}

bool md5i_lex_fail(md5_lex *lex, const char *at, md5_status status, const char *format, ...)
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
    md5i_lex_place(lex, at, &line, &column);
    return md5i_fail(context, status, line, column, "%s", message);
}

const char *md5i_lex_word_end(const md5_lex *lex, const char *at)
{
    while (at < lex->end && char_class(*at) == 0)
        at++;
    return at;
}

// Returns the end of the token at `at`, which is not the end of the text.
static const char *token_end(const md5_lex *lex, const char *at)
{
    const char *next = at + 1;
    if (*at != '"' && *at != '\'')
        return char_class(*at) == 0 ? md5i_lex_word_end(lex, at) : next;
    while (next < lex->end && *next != *at && *next != '\n' && *next != '\r')
        next++;
    return next + (next < lex->end && *next == *at);
}

md5_quoted md5i_lex_token(const md5_lex *lex, const char *at)
{
    const md5_quoted end = {"the end of the file"};
    return at < lex->end ? md5i_quote(at, (size_t)(token_end(lex, at) - at)) : end;
}

// Warnings are of one kind only if they are about the same word or name.
static void warn(md5_lex *lex, const char *at, bool with_token, const char *format,
                 va_list arguments)
{
    md5_context *const context = lex->arena->context;
    const md5_span token = {at, at < lex->end ? (size_t)(token_end(lex, at) - at) : 0};
    uint32_t line = 0, column = 0;
    char message[sizeof context->error->message] = "";
    size_t length = 0;
    if (context->warn)
        md5i_lex_place(lex, at, &line, &column);
    if (!md5i_count_warning(context, format, at, md5_span_is_name(token) ? token.size : 0, line))
        return;
    if (with_token)
        length = (size_t)snprintf(message, sizeof message, "%s ", md5i_lex_token(lex, at).text);
    vsnprintf(message + length, sizeof message - length, format, arguments);
    md5i_report_warning(context, line, column, message);
}

void md5i_lex_warn(md5_lex *lex, const char *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    warn(lex, at, false, format, arguments);
    va_end(arguments);
}

void md5i_lex_warn_token(md5_lex *lex, const char *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    warn(lex, at, true, format, arguments);
    va_end(arguments);
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

void md5i_lex_skip_comment(md5_lex *lex)
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
        at = (const char *)memchr(at, '*', (size_t)(lex->end - at - 1));
        if (!at)
            break;
        if (at[1] == '/') {
            lex->at = at + 2;
            return;
        }
    }
    md5i_lex_fail(lex, start, MD5_ERROR_SYNTAX, "this comment has no end: '*/' is missing");
    lex->at = lex->end;
}

// -- Words and brackets ---------------------------------------------------------------------

md5_span md5i_lex_peek_word(md5_lex *lex)
{
    md5_lex_space(lex);
    return (md5_span){lex->at, (size_t)(md5i_lex_word_end(lex, lex->at) - lex->at)};
}

bool md5i_lex_take(md5_lex *lex, char bracket)
{
    md5_lex_space(lex);
    if (lex->at == lex->end || *lex->at != bracket)
        return false;
    lex->at++;
    return true;
}

bool md5i_lex_expect(md5_lex *lex, char bracket)
{
    if (md5i_lex_take(lex, bracket))
        return true;
    return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "expected '%c', found %s", bracket,
                         md5i_lex_token(lex, lex->at).text);
}

// -- Strings --------------------------------------------------------------------------------

bool md5i_lex_string(md5_lex *lex, md5_span *text)
{
    const char *const start = lex->at;
    const char *at = start + 1;
    while (at < lex->end && *at != *start && *at != '\n' && *at != '\r' && *at != '\0')
        at++;
    if (at < lex->end && *at == '\0')
        return md5i_lex_fail(lex, at, MD5_ERROR_SYNTAX, "this string contains a NUL byte");
    if (at == lex->end || *at != *start)
        return md5i_lex_fail(lex, start, MD5_ERROR_SYNTAX,
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
    md5_span part = {0};
    size_t size = first.size;
    while (has_next_part(lex, quote)) {
        TRY(md5i_lex_string(lex, &part));
        size += part.size;
    }
    char *const joined = (char *)md5i_arena_alloc(lex->arena, size, 1);
    TRY(joined);
    *text = (md5_span){joined, size};
    memcpy(joined, first.bytes, first.size);
    size = first.size;
    lex->at = start;
    while (has_next_part(lex, quote)) {
        md5i_lex_string(lex, &part); // as before, without an error
        if (part.size > 0)
            memcpy(joined + size, part.bytes, part.size);
        size += part.size;
    }
    return true;
}

static bool read_string(md5_lex *lex, md5_span *text)
{
    const char quote = *lex->at;
    TRY(md5i_lex_string(lex, text));
    if (lex->join_strings && has_next_part(lex, quote))
        return join_strings(lex, quote, *text, text);
    return true;
}

bool md5i_lex_text(md5_lex *lex, md5_span *text, const char *what)
{
    *text = md5i_lex_peek_word(lex);
    if (lex->at < lex->end && (*lex->at == '"' || *lex->at == '\''))
        return read_string(lex, text);
    if (text->size == 0)
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "expected %s, found %s", what,
                             md5i_lex_token(lex, lex->at).text);
    lex->at += text->size;
    return true;
}
