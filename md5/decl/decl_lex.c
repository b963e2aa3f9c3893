// The tokens of declarations.
#include "md5/decl/decl_lex.h"

#include <stdio.h>
#include <string.h>

// == Tokens =======================================================================================
//
// Tokens, and what every reader of them needs to begin and to report warnings.

// -- Lexers ---------------------------------------------------------------------------------------

void md5i_decl_lex_begin(md5_decl_lex *lex, md5_game *game, const char *file, uint32_t line,
                         const char *text, size_t size)
{
    *lex = (md5_decl_lex){
        .game = game,
        .file = file,
        .at = text,
        .end = text + size,
        .line = line,
        .line_start = text,
        .last = {text, text, line},
        .token_at = text + size,
        .joins_strings = true,
    };
}

void md5i_decl_lex_begin_decl(md5_decl_lex *lex, md5_game *game, const md5_decl_entry *entry,
                              bool *is_defaulted)
{
    md5i_decl_lex_begin(lex, game, entry->decl.file, entry->decl.line, entry->decl.text,
                        entry->decl.size);
    lex->line_start = lex->last.line_start = entry->line_start;
    lex->is_defaulted = is_defaulted;
}

void md5i_decl_lex_warn(const md5_decl_lex *lex, const char *format, ...)
{
    if (lex->is_silent) // and there may be no game
        return;
    md5_context *const context = &lex->game->context;
    char message[sizeof context->error.message];
    char *const file = context->error.file;
    MD5_PRINT(message, format);
    const bool has_token = lex->token_at >= lex->line_start && lex->token_at < lex->at;
    const char *const place = has_token ? lex->token_at : lex->at;
    // md5i_warn() takes the file's name from the error, which has none in this call.
    (void)snprintf(file, sizeof context->error.file, "%s", lex->file ? lex->file : "");
    md5i_warn(context, lex->line, (uint32_t)(place - lex->line_start) + 1, "%s", message);
    file[0] = '\0';
}

// -- Tokens ---------------------------------------------------------------------------------------

bool md5i_token_is(const md5_token *token, const char *text)
{
    return strlen(text) == token->size && memcmp(token->text, text, token->size) == 0;
}

bool md5i_token_is_word(const md5_token *token, const char *text)
{
    size_t i = 0;
    while (i < token->size && text[i] && md5_lower(token->text[i]) == md5_lower(text[i]))
        i++;
    return i == token->size && text[i] == '\0';
}

const void *md5i_token_row(const md5_token *token, const void *rows, size_t count, size_t size)
{
    const char *row = (const char *)rows;
    for (size_t i = 0; i < count; i++, row += size) {
        if (md5i_token_is_word(token, *(const char *const *)(const void *)row))
            return row;
    }
    return NULL;
}

float md5i_token_float(const md5_token *token)
{
    return token->kind == MD5_TOKEN_NUMBER ? (float)token->number : 0.0f;
}

int32_t md5i_token_int(const md5_token *token)
{
    const double number = token->kind == MD5_TOKEN_NUMBER ? token->number : 0.0;
    if (!(number < 4294967296.0))
        return INT32_MAX;
    return (int32_t)(uint32_t)number;
}

const char *md5i_keep_token(md5_game *game, const md5_token *token)
{
    return md5_copy_text(&game->arena, token->text, token->size);
}

// == Numbers ======================================================================================
//
// Numbers of declarations. Their values are summed digit by digit in double, as the engine does,
// which is not always the nearest float.

// The byte at lex->at, and the one behind it; NUL behind the end of the text.
static char byte_at(const md5_decl_lex *lex)
{
    return lex->at < lex->end ? *lex->at : '\0';
}

static char next_byte(const md5_decl_lex *lex)
{
    return lex->end - lex->at > 1 ? lex->at[1] : '\0';
}

static bool is_digit(char c, unsigned base)
{
    if (base == 16)
        return (c >= '0' && c <= '9') || (md5_lower(c) >= 'a' && md5_lower(c) <= 'f');
    return c >= '0' && c < (char)('0' + base);
}

static unsigned digit_value(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(md5_lower(c) - 'a') + 10;
}

// Reads digits at lex->at as a whole number, modulo 2^32 as the engine's.
static uint32_t read_whole(md5_decl_lex *lex, unsigned base)
{
    uint32_t value = 0;
    for (; is_digit(byte_at(lex), base); lex->at++)
        value = value * base + digit_value(*lex->at);
    return value;
}

static bool read_decimal(md5_decl_lex *lex, md5_token *token)
{
    const char *const start = lex->at;
    uint32_t dots = 0;
    for (; is_digit(byte_at(lex), 10) || byte_at(lex) == '.'; lex->at++)
        dots += *lex->at == '.';
    if (dots > 1) {
        md5i_decl_lex_warn(lex, "more than one dot in number");
        return false;
    }
    const char *const digits_end = lex->at;
    const char next = byte_at(lex);
    token->is_real = dots == 1 || next == 'e';
    if (!token->is_real) {
        lex->at = start;
        token->number = read_whole(lex, 10);
        return true;
    }
    const char *digit = start;
    double value = 0.0;
    double place = 0.1;
    for (; digit < digits_end && *digit != '.'; digit++)
        value = value * 10.0 + digit_value(*digit);
    for (digit += digit < digits_end; digit < digits_end; digit++) {
        value += digit_value(*digit) * place;
        place *= 0.1;
    }
    token->number = value;
    if (next == 'e') {
        lex->at++;
        enum { MOST = 400 }; // beyond it every double is 0 or infinite
        const bool is_negative = byte_at(lex) == '-';
        if (is_negative || byte_at(lex) == '+')
            lex->at++;
        uint32_t power = 0;
        for (; is_digit(byte_at(lex), 10); lex->at++)
            power = power < MOST ? 10 * power + digit_value(*lex->at) : MOST;
        double factor = 1.0;
        for (uint32_t i = 0; i < power; i++)
            factor *= 10.0;
        token->number = is_negative ? token->number / factor : token->number * factor;
    } else if (next == '#') {
        // 1.#INF and the like: an error in declarations, but a token that is read.
        while (
            lex->at < lex->end
            && (*lex->at == '#' || (*lex->at >= 'A' && *lex->at <= 'Z') || is_digit(*lex->at, 10)))
            lex->at++;
        const md5_token shown = {.text = start, .size = (size_t)(lex->at - start)};
        md5i_decl_lex_warn(lex, "parsed %s", MD5_SHOWN(&shown));
    }
    return true;
}

// Reads the number at lex->at.
static bool decl_lex_number(md5_decl_lex *lex, md5_token *token)
{
    const char *const start = lex->at;
    token->kind = MD5_TOKEN_NUMBER;
    if (*start == '0' && next_byte(lex) != '.') {
        // 0x1f, 0b1, 017 or 0.
        const char second = md5_lower(next_byte(lex));
        const unsigned base = second == 'x' ? 16 : second == 'b' ? 2 : 8;
        lex->at += base == 8 ? 1 : 2;
        token->number = read_whole(lex, base);
    } else
        TRY(read_decimal(lex, token));
    token->text = start;
    token->size = (size_t)(lex->at - start);
    // One f or l behind a real number, up to two of l and u behind a whole one.
    for (int i = 0; i < (token->is_real ? 1 : 2); i++) {
        const char c = md5_lower(byte_at(lex));
        if (c != 'l' && c != (token->is_real ? 'f' : 'u'))
            break;
        lex->at++;
    }
    return true;
}

// == Text =========================================================================================

// -- White space ----------------------------------------------------------------------------------

static bool is_blank(char c)
{
    return (unsigned char)c <= ' ' || (unsigned char)c >= 0x80;
}

// Steps over one byte that ends a line.
static void next_line(md5_decl_lex *lex)
{
    lex->line++;
    lex->at++;
    lex->line_start = lex->at;
}

// Returns false at the end of the text.
static bool skip_space(md5_decl_lex *lex)
{
    for (;;) {
        while (byte_at(lex) != '\0' && is_blank(*lex->at)) {
            if (*lex->at == '\n')
                next_line(lex);
            else
                lex->at++;
        }
        const char second = byte_at(lex) == '/' ? next_byte(lex) : '\0';
        if (second == '/') {
            // The lexer is at //.
            while (byte_at(lex) != '\0' && byte_at(lex) != '\n')
                lex->at++;
            if (byte_at(lex) == '\n')
                next_line(lex);
        } else if (second == '*') {
            // The lexer is at a slash and a star. As in the engine, the byte behind the comment is
            // swallowed too, and if that ends a line, the line is not counted.
            lex->at++;
            for (lex->at++; byte_at(lex) != '\0'; lex->at++) {
                if (*lex->at == '\n') {
                    lex->line++;
                    lex->line_start = lex->at + 1;
                } else if (*lex->at == '/' && lex->at[-1] == '*') {
                    break;
                } else if (*lex->at == '/' && next_byte(lex) == '*') {
                    md5i_decl_lex_warn(lex, "nested comment");
                }
            }
            for (int i = 0; i < 2 && byte_at(lex) != '\0'; i++) {
                if (*lex->at == '\n')
                    lex->line_start = lex->at + 1;
                lex->at++;
            }
        } else
            return byte_at(lex) != '\0';
    }
}

// -- Strings --------------------------------------------------------------------------------------

static void return_to(md5_decl_lex *lex, md5_decl_place place)
{
    lex->at = place.at;
    lex->line_start = place.line_start;
    lex->line = place.line;
}

// Reads up to the quote that ends a part of a string, and steps over it.
static bool read_part(md5_decl_lex *lex, char quote, const char **text, size_t *size)
{
    *text = ++lex->at;
    while (byte_at(lex) != quote) {
        if (byte_at(lex) == '\0' || byte_at(lex) == '\n') {
            md5i_decl_lex_warn(lex,
                               byte_at(lex) ? "newline inside string" : "missing trailing quote");
            return false;
        }
        lex->at++;
    }
    *size = (size_t)(lex->at++ - *text);
    return true;
}

// Behind a string: moves to the quote of a part that a backslash joins. `is_joined` says whether
// there is one. Returns false, reported, if the backslash is not followed by a string.
static bool find_joined(md5_decl_lex *lex, char quote, bool *is_joined)
{
    const md5_decl_place before = {lex->at, lex->line_start, lex->line};
    *is_joined = lex->joins_strings && quote == '"' && skip_space(lex) && *lex->at == '\\';
    if (!*is_joined) {
        return_to(lex, before);
        return true;
    }
    lex->at++;
    if (skip_space(lex) && *lex->at == quote)
        return true;
    md5i_decl_lex_warn(lex, "expecting string after '\\' terminated line");
    return false;
}

bool md5i_append_text(md5_arena *arena, md5_token *token, size_t *room, const char *text,
                      size_t size)
{
    char *memory = (char *)(uintptr_t)token->text;
    if (size + token->size > *room) {
        *room = 2 * (size + token->size);
        memory = (char *)md5i_arena_room(arena, *room, 1);
        TRY(memory);
        if (token->size > 0)
            memcpy(memory, token->text, token->size);
    }
    if (size > 0)
        memcpy(memory + token->size, text, size);
    token->text = memory;
    token->size += size;
    return true;
}

// -- Names and punctuation ------------------------------------------------------------------------

static bool begins_name(char c)
{
    return md5_is_letter(c) || c == '/' || c == '\\' || c == '.';
}

// -- Reading --------------------------------------------------------------------------------------

bool md5i_decl_lex_read(md5_decl_lex *lex, md5_token *token)
{
    if (lex->has_unread) {
        lex->has_unread = false;
        *token = lex->unread;
        return true;
    }
    lex->last = (md5_decl_place){lex->at, lex->line_start, lex->line};
    lex->token_at = lex->end;
    *token = (md5_token){.text = lex->at};
    TRY(skip_space(lex));
    lex->token_at = token->at = lex->at;
    token->lines_crossed = lex->line - lex->last.line;
    const char c = *lex->at;
    const char second = next_byte(lex);
    if ((c >= '0' && c <= '9') || (c == '.' && second >= '0' && second <= '9'))
        return decl_lex_number(lex, token);
    if (c == '"' || c == '\'') {
        bool is_joined = false;
        size_t room = 0;
        token->kind = MD5_TOKEN_STRING;
        token->is_literal = c == '\'';
        TRY(read_part(lex, c, &token->text, &token->size) && find_joined(lex, c, &is_joined));
        while (is_joined) {
            const char *text;
            size_t size;
            TRY(read_part(lex, c, &text, &size)
                && md5i_append_text(&lex->game->scratch, token, &room, text, size)
                && find_joined(lex, c, &is_joined));
        }
        return true;
    }
    if (!begins_name(c)) {
        // Longer ones first. Those that begin with / \ or . are names.
        static const char *const all[] = {
            ">>=", "<<=", "##", "&&", "||", ">=", "<=", "==", "!=", "*=", "%=", "+=",
            "-=",  "++",  "--", "&=", "|=", "^=", ">>", "<<", "->", "::", "*",  "%",
            "+",   "-",   "=",  "&",  "|",  "^",  "!",  ">",  "<",  ":",  "#"};
        static const char alone[] = "{}(),;[]?~$"; // begin nothing longer
        size_t size = c != '\0' && strchr(alone, c) ? 1 : 0;
        for (size_t i = 0; i < MD5_COUNT(all) && size == 0; i++) {
            const size_t length = strlen(all[i]);
            if (length <= (size_t)(lex->end - lex->at) && memcmp(lex->at, all[i], length) == 0)
                size = length;
        }
        if (size == 0) {
            md5i_decl_lex_warn(lex, "unknown punctuation %s", md5i_quote(lex->at, 1).text);
            return false;
        }
        token->kind = MD5_TOKEN_PUNCTUATION;
        token->text = lex->at;
        token->size = size;
        lex->at += size;
        return true;
    }
    token->kind = MD5_TOKEN_NAME;
    token->text = lex->at++;
    while (begins_name(byte_at(lex)) || byte_at(lex) == ':'
           || (byte_at(lex) >= '0' && byte_at(lex) <= '9'))
        lex->at++;
    token->size = (size_t)(lex->at - token->text);
    return true;
}

bool md5i_decl_lex_read_on_line(md5_decl_lex *lex, md5_token *token)
{
    md5_token next;
    if (!md5i_decl_lex_read(lex, &next)) {
        return_to(lex, lex->last);
        return false;
    }
    if (next.lines_crossed == 0) {
        *token = next;
        return true;
    }
    return_to(lex, lex->last);
    *token = (md5_token){.text = lex->at};
    return false;
}

void md5i_decl_lex_unread(md5_decl_lex *lex, const md5_token *token)
{
    lex->unread = *token;
    lex->has_unread = true;
}

bool md5i_decl_lex_any(md5_decl_lex *lex, md5_token *token)
{
    if (md5i_decl_lex_read(lex, token))
        return true;
    md5i_decl_lex_warn(lex, "couldn't read expected token");
    return false;
}

bool md5i_decl_lex_expect(md5_decl_lex *lex, const char *text)
{
    md5_token token;
    if (!md5i_decl_lex_read(lex, &token)) {
        md5i_decl_lex_warn(lex, "couldn't find expected '%s'", text);
        return false;
    }
    if (md5i_token_is(&token, text))
        return true;
    md5i_decl_lex_warn(lex, "expected '%s' but found %s", text, MD5_SHOWN(&token));
    return false;
}

bool md5i_decl_lex_take(md5_decl_lex *lex, const char *text)
{
    md5_token token;
    TRY(md5i_decl_lex_read(lex, &token));
    if (md5i_token_is(&token, text))
        return true;
    return_to(lex, lex->last);
    return false;
}

bool md5i_decl_lex_skip_until(md5_decl_lex *lex, const char *text)
{
    md5_token token;
    while (md5i_decl_lex_read(lex, &token)) {
        if (md5i_token_is(&token, text))
            return true;
    }
    return false;
}

void md5i_decl_lex_skip_line(md5_decl_lex *lex)
{
    md5_token token;
    while (md5i_decl_lex_read(lex, &token)) {
        if (token.lines_crossed > 0) {
            return_to(lex, lex->last);
            return;
        }
    }
}

bool md5i_decl_lex_skip_braces(md5_decl_lex *lex, uint32_t depth)
{
    md5_token token;
    do {
        TRY(md5i_decl_lex_read(lex, &token));
        if (token.kind == MD5_TOKEN_PUNCTUATION && md5i_token_is(&token, "{"))
            depth++;
        else if (token.kind == MD5_TOKEN_PUNCTUATION && md5i_token_is(&token, "}"))
            depth--;
    } while (depth > 0);
    return true;
}

// -- Values ---------------------------------------------------------------------------------------

// Reads a number behind a minus.
static bool read_negated(md5_decl_lex *lex, md5_token *token)
{
    TRY(md5i_decl_lex_any(lex, token));
    if (token->kind == MD5_TOKEN_NUMBER)
        return true;
    md5i_decl_lex_warn(lex, "expected a number but found %s", MD5_SHOWN(token));
    return false;
}

bool md5i_decl_lex_float(md5_decl_lex *lex, float *value)
{
    md5_token token;
    *value = 0.0f;
    if (!md5i_decl_lex_read(lex, &token)) {
        md5i_decl_lex_warn(lex, "couldn't read expected floating point number");
        return false;
    }
    if (token.kind == MD5_TOKEN_PUNCTUATION && md5i_token_is(&token, "-")) {
        const bool is_read = read_negated(lex, &token);
        *value = -md5i_token_float(&token);
        return is_read;
    }
    *value = md5i_token_float(&token);
    if (token.kind == MD5_TOKEN_NUMBER)
        return true;
    md5i_decl_lex_warn(lex, "expected float value, found %s", MD5_SHOWN(&token));
    return false;
}

int32_t md5i_decl_lex_int(md5_decl_lex *lex)
{
    md5_token token;
    if (!md5i_decl_lex_read(lex, &token)) {
        md5i_decl_lex_warn(lex, "couldn't read expected integer");
        return 0;
    }
    if (token.kind == MD5_TOKEN_PUNCTUATION && md5i_token_is(&token, "-")) {
        (void)read_negated(lex, &token);
        const int32_t value = md5i_token_int(&token);
        return value == INT32_MIN ? value : -value;
    }
    if (token.kind != MD5_TOKEN_NUMBER)
        md5i_decl_lex_warn(lex, "expected integer value, found %s", MD5_SHOWN(&token));
    return md5i_token_int(&token);
}

bool md5i_decl_lex_vector(md5_decl_lex *lex, float *value, size_t count)
{
    TRY(md5i_decl_lex_expect(lex, "("));
    for (size_t i = 0; i < count; i++)
        (void)md5i_decl_lex_float(lex, &value[i]);
    return md5i_decl_lex_expect(lex, ")");
}
