// Reads the tokens of declarations: names, numbers, strings and punctuation. decl_lex.h lists the
// rules of the engine that this lexer reproduces.
#include "md5/decl/decl_lex.h"

#include <stdio.h>
#include <string.h>

// == Tokens =======================================================================================
//
// Starting a lexer, warnings, and the content of tokens.

// -- Lexers ---------------------------------------------------------------------------------------

// Begins to read text[size]. Messages contain the file name `file`. `line` is the line number of
// the first line.
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

// Begins to read the text of a declaration. If md5i_decl_error() reports an error in engine mode,
// it sets *is_defaulted to true.
void md5i_decl_lex_begin_decl(md5_decl_lex *lex, md5_game *game, const md5_decl_entry *entry,
                              bool *is_defaulted)
{
    md5i_decl_lex_begin(lex, game, entry->decl.file, entry->decl.line, entry->decl.text,
                        entry->decl.size);
    lex->line_start = lex->last.line_start = entry->line_start;
    lex->is_defaulted = is_defaulted;
}

// Reports a warning at the last token. If this token is on an earlier line, the warning is at the
// position of the lexer. `format` and the values after it are as for printf().
void md5i_decl_lex_warn(const md5_decl_lex *lex, const char *format, ...)
{
    if (lex->is_silent) // a silent lexer may have no game
        return;
    md5_context *const context = &lex->game->context;
    char message[sizeof context->error.message];
    char *const file = context->error.file;
    MD5_PRINT(message, format);
    const bool has_token = lex->token_at >= lex->line_start && lex->token_at < lex->at;
    const char *const position = has_token ? lex->token_at : lex->at;
    // md5i_warn() takes the file name from the context's error. Set it only for this warning,
    // because errors of other files use the same context.
    (void)snprintf(file, sizeof context->error.file, "%s", lex->file ? lex->file : "");
    md5i_warn(context, lex->line, (uint32_t)(position - lex->line_start) + 1, "%s", message);
    file[0] = '\0';
}

// -- Tokens ---------------------------------------------------------------------------------------

bool md5i_token_is(const md5_token *token, const char *text)
{
    return strlen(text) == token->size && memcmp(token->text, text, token->size) == 0;
}

// Returns true if the text of a token is `text`, ignoring case.
bool md5i_token_is_word(const md5_token *token, const char *text)
{
    size_t i = 0;
    while (i < token->size && text[i] && md5_lower(token->text[i]) == md5_lower(text[i]))
        i++;
    return i == token->size && text[i] == '\0';
}

// Searches a table of structures whose first member is a string. Returns the entry with the text of
// the token, ignoring case, or NULL. The table has `count` entries of `size` bytes.
const void *md5i_find_token_in_table(const md5_token *token, const void *table, size_t count,
                                     size_t size)
{
    for (size_t i = 0; i < count; i++) {
        const void *const entry = (const char *)table + i * size;
        if (md5i_token_is_word(token, *(const char *const *)entry))
            return entry;
    }
    return NULL;
}

float md5i_token_float(const md5_token *token)
{
    return token->kind == MD5_TOKEN_NUMBER ? (float)token->number : 0.0f;
}

// Returns the integer of a number token. As in the engine, the number is converted to an unsigned
// integer and then reinterpreted as signed. Other tokens give 0.
int32_t md5i_token_int(const md5_token *token)
{
    const double number = token->kind == MD5_TOKEN_NUMBER ? token->number : 0.0;
    if (!(number < 4294967296.0))
        return INT32_MAX;
    return (int32_t)(uint32_t)number;
}

const char *md5i_copy_token(md5_game *game, const md5_token *token)
{
    return md5_copy_text(&game->arena, token->text, token->size);
}

// == Numbers ======================================================================================
//
// As in the engine, a number is the sum of its digits in double precision. Therefore the result
// is not always the nearest float.

// byte_at() returns the byte at the position of the lexer, next_byte() the byte after it. After the
// end of the text, both return NUL.
static char byte_at(const md5_decl_lex *lex)
{
    return lex->at < lex->end ? *lex->at : '\0';
}

static char next_byte(const md5_decl_lex *lex)
{
    return lex->end - lex->at > 1 ? lex->at[1] : '\0';
}

// Returns true if a character is a digit in base 2, 8, 10 or 16.
static bool is_digit_of_base(char c, unsigned base)
{
    if (base < 16)
        return c >= '0' && c < (char)('0' + base);
    const char lower = md5_lower(c);
    return md5_is_digit(c) || (lower >= 'a' && lower <= 'f');
}

static bool is_upper_case(char c)
{
    return c >= 'A' && c <= 'Z';
}

static unsigned digit_value(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(md5_lower(c) - 'a') + 10;
}

// Reads the digits at the position of the lexer as an integer. As in the engine, the result is
// modulo 2^32.
static uint32_t read_integer(md5_decl_lex *lex, unsigned base)
{
    uint32_t value = 0;
    for (; is_digit_of_base(byte_at(lex), base); lex->at++)
        value = value * base + digit_value(*lex->at);
    return value;
}

// Returns the value of the decimal number from `digit` up to `end`. The text consists of digits and
// at most one point.
static double decimal_value(const char *digit, const char *end)
{
    double value = 0.0;
    double unit = 0.1;
    for (; digit < end && *digit != '.'; digit++)
        value = value * 10.0 + digit_value(*digit);
    if (digit < end)
        digit++; // the point
    for (; digit < end; digit++) {
        value += digit_value(*digit) * unit;
        unit *= 0.1;
    }
    return value;
}

// Reads all decimal digits at the position of the lexer and returns their value. Returns
// `max_value` if the value reaches it, so that long numbers do not overflow.
static uint32_t read_limited_digits(md5_decl_lex *lex, uint32_t max_value)
{
    uint32_t value = 0;
    for (; is_digit_of_base(byte_at(lex), 10); lex->at++)
        value = value < max_value ? 10 * value + digit_value(*lex->at) : max_value;
    return value;
}

// Reads an exponent after the e: an optional sign and digits. Multiplies or divides token->number
// by this power of ten.
static void read_exponent(md5_decl_lex *lex, md5_token *token)
{
    enum { MAX_EXPONENT = 400 }; // a larger exponent makes every double 0 or infinite
    const bool is_negative = byte_at(lex) == '-';
    if (is_negative || byte_at(lex) == '+')
        lex->at++;
    const uint32_t exponent = read_limited_digits(lex, MAX_EXPONENT);
    double factor = 1.0;
    for (uint32_t i = 0; i < exponent; i++)
        factor *= 10.0;
    token->number = is_negative ? token->number / factor : token->number * factor;
}

// Skips the end of a number such as 1.#INF, from the # on, and reports the number. `start` is the
// start of the number. As in the engine, the number is a valid token nevertheless.
static void skip_not_finite(md5_decl_lex *lex, const char *start)
{
    while (byte_at(lex) == '#' || is_upper_case(byte_at(lex)) || is_digit_of_base(byte_at(lex), 10))
        lex->at++;
    const md5_token shown = {.text = start, .size = (size_t)(lex->at - start)};
    md5i_decl_lex_warn(lex, "parsed %s", MD5_QUOTED_TOKEN(&shown));
}

// Reads a decimal integer or a real number into token->number and token->is_real. A number that is
// not finite is written with a # and a name, such as 1.#INF. If the number has a second point,
// reports it and returns false.
static bool read_decimal(md5_decl_lex *lex, md5_token *token)
{
    const char *const start = lex->at;
    uint32_t dots = 0;
    for (; is_digit_of_base(byte_at(lex), 10) || byte_at(lex) == '.'; lex->at++) {
        if (*lex->at == '.')
            dots++;
    }
    if (dots > 1) {
        md5i_decl_lex_warn(lex, "more than one dot in number");
        return false;
    }

    const char next = byte_at(lex);
    token->is_real = dots == 1 || next == 'e';
    if (!token->is_real) { // read the digits again as an integer, which is modulo 2^32
        lex->at = start;
        token->number = read_integer(lex, 10);
        return true;
    }

    token->number = decimal_value(start, lex->at);
    if (next == 'e') {
        lex->at++;
        read_exponent(lex, token);
    } else if (next == '#') {
        skip_not_finite(lex, start);
    }
    return true;
}

// Returns the base of a number that begins with 0. `second` is the byte after the 0.
static unsigned base_from_prefix(char second)
{
    if (md5_lower(second) == 'x')
        return 16;
    return md5_lower(second) == 'b' ? 2 : 8;
}

// Skips the suffixes of a number, in upper or lower case. A real number may have one f or l. An
// integer may have two suffixes, each u or l.
static void skip_number_suffixes(md5_decl_lex *lex, bool is_real)
{
    const int max_suffixes = is_real ? 1 : 2;
    const char suffix = is_real ? 'f' : 'u';
    for (int i = 0; i < max_suffixes; i++) {
        const char c = md5_lower(byte_at(lex));
        if (c != 'l' && c != suffix)
            return;
        lex->at++;
    }
}

// Reads the number at the position of the lexer. Skips its suffixes, which are not part of the
// token's text. If the number is invalid, reports an error and returns false.
static bool decl_lex_number(md5_decl_lex *lex, md5_token *token)
{
    const char *const start = lex->at;
    token->kind = MD5_TOKEN_NUMBER;
    if (*start == '0' && next_byte(lex) != '.') {
        // Examples are 0x1f, 0b1, 017 and 0. The prefix is 0x or 0b, or the single 0 of an octal
        // number.
        const unsigned base = base_from_prefix(next_byte(lex));
        lex->at += base == 8 ? 1 : 2;
        token->number = read_integer(lex, base);
    } else {
        TRY(read_decimal(lex, token));
    }

    token->text = start;
    token->size = (size_t)(lex->at - start);
    skip_number_suffixes(lex, token->is_real);
    return true;
}

// == Text =========================================================================================

// -- White space ----------------------------------------------------------------------------------

static bool is_decl_blank(char c)
{
    return (unsigned char)c <= ' ' || (unsigned char)c >= 0x80;
}

// Skips the newline at the position of the lexer and counts the line.
static void next_line(md5_decl_lex *lex)
{
    lex->line++;
    lex->at++;
    lex->line_start = lex->at;
}

// Skips a comment from // to the end of its line, including the newline.
static void skip_line_comment(md5_decl_lex *lex)
{
    while (byte_at(lex) != '\0' && byte_at(lex) != '\n')
        lex->at++;
    if (byte_at(lex) == '\n')
        next_line(lex);
}

// Skips a block comment. As in the engine, the byte after the comment is skipped too. If this
// byte is a newline, the line is not counted.
static void skip_block_comment(md5_decl_lex *lex)
{
    lex->at += 2; // the opening /*
    for (; byte_at(lex) != '\0'; lex->at++) {
        if (*lex->at == '\n') {
            lex->line++;
            lex->line_start = lex->at + 1;
        } else if (*lex->at == '/' && lex->at[-1] == '*') {
            break;
        } else if (*lex->at == '/' && next_byte(lex) == '*') {
            md5i_decl_lex_warn(lex, "nested comment");
        }
    }

    // Skip the slash that ends the comment, and the next byte.
    for (int i = 0; i < 2 && byte_at(lex) != '\0'; i++) {
        if (*lex->at == '\n')
            lex->line_start = lex->at + 1;
        lex->at++;
    }
}

// Skips white space and comments before a token. Returns false at the end of the text.
static bool skip_space(md5_decl_lex *lex)
{
    for (;;) {
        while (byte_at(lex) != '\0' && is_decl_blank(*lex->at)) {
            if (*lex->at == '\n')
                next_line(lex);
            else
                lex->at++;
        }
        const char second = byte_at(lex) == '/' ? next_byte(lex) : '\0';
        if (second == '/')
            skip_line_comment(lex);
        else if (second == '*')
            skip_block_comment(lex);
        else
            return byte_at(lex) != '\0';
    }
}

// -- Strings --------------------------------------------------------------------------------------

// Moves the lexer back to a saved position, so that the text after it is read again.
static void return_to(md5_decl_lex *lex, md5_decl_position position)
{
    lex->at = position.at;
    lex->line_start = position.line_start;
    lex->line = position.line;
}

// Reads one quoted part of a string. A string can consist of several parts: "a" \ "b". Stores the
// text between the quotes in `text` and `size`. If the part does not end on its line, reports an
// error and returns false.
static bool read_part(md5_decl_lex *lex, char quote, const char **text, size_t *size)
{
    lex->at++; // the opening quote
    *text = lex->at;
    while (byte_at(lex) != quote) {
        if (byte_at(lex) == '\0' || byte_at(lex) == '\n') {
            md5i_decl_lex_warn(lex,
                               byte_at(lex) ? "newline inside string" : "missing trailing quote");
            return false;
        }
        lex->at++;
    }
    *size = (size_t)(lex->at - *text);
    lex->at++; // the closing quote
    return true;
}

// Returns true if a backslash follows a part of a string, so that another part is joined to it.
// Skips the white space before the backslash. Only parts in double quotes can be joined.
static bool find_backslash(md5_decl_lex *lex, char quote)
{
    if (!lex->joins_strings || quote != '"')
        return false;
    return skip_space(lex) && *lex->at == '\\';
}

// Searches for the next part of a string. If a backslash joins another part, sets `is_joined` to
// true and moves the lexer to the quote of that part. Otherwise sets it to false and does not move
// the lexer. If no string follows the backslash, reports an error and returns false.
static bool find_next_part(md5_decl_lex *lex, char quote, bool *is_joined)
{
    const md5_decl_position before = {lex->at, lex->line_start, lex->line};
    *is_joined = find_backslash(lex, quote);
    if (!*is_joined) {
        return_to(lex, before);
        return true;
    }
    lex->at++; // the backslash
    if (skip_space(lex) && *lex->at == quote)
        return true;
    md5i_decl_lex_warn(lex, "expecting string after '\\' terminated line");
    return false;
}

// Appends a text to the text of a token, which is in the arena. *capacity is the allocated size, 0
// before the first call. It doubles when it is too small, so that appending takes linear time.
// Returns false if memory runs out.
bool md5i_append_text(md5_arena *arena, md5_token *token, size_t *capacity, const char *text,
                      size_t size)
{
    char *memory = (char *)(uintptr_t)token->text;
    if (size + token->size > *capacity) {
        *capacity = 2 * (size + token->size);
        memory = (char *)md5i_arena_alloc_raw(arena, *capacity, 1);
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

// Reads a string. If it has several parts, their texts are joined in scratch memory. Returns false
// after an error or if memory runs out.
static bool read_string_token(md5_decl_lex *lex, char quote, md5_token *token)
{
    bool is_joined = false;
    size_t capacity = 0;
    token->kind = MD5_TOKEN_STRING;
    token->is_literal = quote == '\'';
    TRY(read_part(lex, quote, &token->text, &token->size));
    TRY(find_next_part(lex, quote, &is_joined));
    while (is_joined) {
        const char *text;
        size_t size;
        TRY(read_part(lex, quote, &text, &size));
        TRY(md5i_append_text(&lex->game->scratch, token, &capacity, text, size));
        TRY(find_next_part(lex, quote, &is_joined));
    }
    return true;
}

// -- Names and punctuation ------------------------------------------------------------------------

// Returns true if a name can begin with a character. Paths count as names, so / \ and . are
// included.
static bool begins_name(char c)
{
    const bool is_path_byte = c == '/' || c == '\\' || c == '.';
    return is_path_byte || md5_is_letter(c);
}

// Reads a name. The caller has checked its first character. Later characters may also be digits and
// colons.
static void read_name_token(md5_decl_lex *lex, md5_token *token)
{
    token->kind = MD5_TOKEN_NAME;
    token->text = lex->at++;
    while (begins_name(byte_at(lex)) || byte_at(lex) == ':' || is_digit_of_base(byte_at(lex), 10))
        lex->at++;
    token->size = (size_t)(lex->at - token->text);
}

// Returns the length of the longest punctuation token at the position of the lexer, or 0 if no such
// token begins there.
static size_t measure_punctuation(const md5_decl_lex *lex)
{
    // Longer tokens precede their beginnings, such as >>= before >> and >. So the first match is
    // the longest. Tokens that begin with / \ or . are missing, because the lexer reads them as
    // names.
    static const char *const tokens[] = {
        ">>=", "<<=", "##", "&&", "||", ">=", "<=", "==", "!=", "*=", "%=", "+=",
        "-=",  "++",  "--", "&=", "|=", "^=", ">>", "<<", "->", "::", "*",  "%",
        "+",   "-",   "=",  "&",  "|",  "^",  "!",  ">",  "<",  ":",  "#"};
    // No longer token begins with these characters.
    static const char one_byte_tokens[] = "{}(),;[]?~$";

    const char c = *lex->at;
    if (c != '\0' && strchr(one_byte_tokens, c))
        return 1;
    const size_t bytes_left = (size_t)(lex->end - lex->at);
    for (size_t i = 0; i < MD5_COUNT(tokens); i++) {
        const size_t size = strlen(tokens[i]);
        if (size <= bytes_left && memcmp(lex->at, tokens[i], size) == 0)
            return size;
    }
    return 0;
}

// Reads the longest punctuation token at the position of the lexer. If the character is unknown,
// reports it and returns false.
static bool read_punctuation(md5_decl_lex *lex, md5_token *token)
{
    const size_t size = measure_punctuation(lex);
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

// -- Reading --------------------------------------------------------------------------------------

// Reads the next token: a number, a string in quotes, a name or punctuation. Returns false at the
// end of the text and after an error, which was reported.
bool md5i_decl_lex_read(md5_decl_lex *lex, md5_token *token)
{
    if (lex->has_unread) {
        lex->has_unread = false;
        *token = lex->unread;
        return true;
    }

    lex->last = (md5_decl_position){lex->at, lex->line_start, lex->line};
    lex->token_at = lex->end;
    *token = (md5_token){.text = lex->at};
    TRY(skip_space(lex));

    lex->token_at = token->at = lex->at;
    token->lines_crossed = lex->line - lex->last.line;

    const char c = *lex->at;
    if (is_digit_of_base(c, 10) || (c == '.' && is_digit_of_base(next_byte(lex), 10)))
        return decl_lex_number(lex, token);
    if (c == '"' || c == '\'')
        return read_string_token(lex, c, token);
    if (!begins_name(c))
        return read_punctuation(lex, token);
    read_name_token(lex, token);
    return true;
}

// Reads the next token if it is on the same line as the previous token. Otherwise returns false and
// does not move the lexer.
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

// Reads a token that must exist. At the end of the text, reports a warning and returns false.
bool md5i_decl_lex_read_any(md5_decl_lex *lex, md5_token *token)
{
    if (md5i_decl_lex_read(lex, token))
        return true;
    md5i_decl_lex_warn(lex, "couldn't read expected token");
    return false;
}

// Reads a token that must be `text`. If it is a different token, reports a warning and returns
// false.
bool md5i_decl_lex_expect(md5_decl_lex *lex, const char *text)
{
    md5_token token;
    if (!md5i_decl_lex_read(lex, &token)) {
        md5i_decl_lex_warn(lex, "couldn't find expected '%s'", text);
        return false;
    }
    if (md5i_token_is(&token, text))
        return true;
    md5i_decl_lex_warn(lex, "expected '%s' but found %s", text, MD5_QUOTED_TOKEN(&token));
    return false;
}

// Reads the next token if it is `text`. Otherwise returns false and does not move the lexer.
bool md5i_decl_lex_accept(md5_decl_lex *lex, const char *text)
{
    md5_token token;
    TRY(md5i_decl_lex_read(lex, &token));
    if (md5i_token_is(&token, text))
        return true;
    return_to(lex, lex->last);
    return false;
}

// Skips tokens up to and including the token `text`. Returns false if the text does not contain it.
bool md5i_decl_lex_skip_until(md5_decl_lex *lex, const char *text)
{
    md5_token token;
    while (md5i_decl_lex_read(lex, &token)) {
        if (md5i_token_is(&token, text))
            return true;
    }
    return false;
}

// Skips all tokens up to the end of the current line.
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

// Skips tokens until all braces are closed. `depth` is the number of braces that are already open.
// Returns false if the text ends before.
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

// Reads a token that must be a number, after a minus. If it is a different token, reports a warning
// and returns false.
static bool read_negated(md5_decl_lex *lex, md5_token *token)
{
    TRY(md5i_decl_lex_read_any(lex, token));
    if (token->kind == MD5_TOKEN_NUMBER)
        return true;
    md5i_decl_lex_warn(lex, "expected a number but found %s", MD5_QUOTED_TOKEN(token));
    return false;
}

// Reads a number with an optional minus. The minus is a separate token. If another token follows,
// reports it, sets the value to 0, and returns false.
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
    md5i_decl_lex_warn(lex, "expected float value, found %s", MD5_QUOTED_TOKEN(&token));
    return false;
}

// Reads an integer with an optional minus. The minus is a separate token. Any other token is
// reported, and the function returns 0.
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
        return value == INT32_MIN ? value : -value; // -INT32_MIN would overflow
    }
    if (token.kind != MD5_TOKEN_NUMBER)
        md5i_decl_lex_warn(lex, "expected integer value, found %s", MD5_QUOTED_TOKEN(&token));
    return md5i_token_int(&token);
}

// Reads `count` numbers in round brackets, such as ( 0 0 1 ), into value[count]. If a bracket is
// missing, reports it and returns false.
bool md5i_decl_lex_vector(md5_decl_lex *lex, float *value, size_t count)
{
    TRY(md5i_decl_lex_expect(lex, "("));
    for (size_t i = 0; i < count; i++)
        (void)md5i_decl_lex_float(lex, &value[i]);
    return md5i_decl_lex_expect(lex, ")");
}
