// Numbers of declarations. Their values are summed digit by digit in double, as the engine does,
// which is not always the nearest float.
#include "md5/game/decl_token.h"

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
    for (; is_digit(md5_decl_lex_byte(lex, lex->at), base); lex->at++)
        value = value * base + digit_value(*lex->at);
    return value;
}

// 0x1f, 0b1, 017 or 0.
static void read_prefixed(md5_decl_lex *lex, md5_token *token)
{
    const char second = md5_lower(md5_decl_lex_byte(lex, lex->at + 1));
    const unsigned base = second == 'x' ? 16 : second == 'b' ? 2 : 8;
    lex->at += base == 8 ? 1 : 2;
    token->number = (double)read_whole(lex, base);
}

static void scale_by_exponent(md5_decl_lex *lex, double *value)
{
    enum { MOST = 400 }; // beyond it every double is 0 or infinite
    const bool is_negative = md5_decl_lex_byte(lex, lex->at) == '-';
    if (is_negative || md5_decl_lex_byte(lex, lex->at) == '+')
        lex->at++;
    uint32_t power = 0;
    for (; is_digit(md5_decl_lex_byte(lex, lex->at), 10); lex->at++)
        power = power < MOST ? 10 * power + digit_value(*lex->at) : MOST;
    double factor = 1.0;
    for (uint32_t i = 0; i < power; i++)
        factor *= 10.0;
    *value = is_negative ? *value / factor : *value * factor;
}

static double value_of_digits(const char *at, const char *end)
{
    double value = 0.0, place = 0.1;
    for (; at < end && *at != '.'; at++)
        value = value * 10.0 + digit_value(*at);
    for (at += at < end; at < end; at++) {
        value += digit_value(*at) * place;
        place *= 0.1;
    }
    return value;
}

// 1.#INF and the like: an error in declarations, but a token that is read.
static void read_exception(md5_decl_lex *lex, const char *start)
{
    while (lex->at < lex->end
           && (*lex->at == '#' || (*lex->at >= 'A' && *lex->at <= 'Z') || is_digit(*lex->at, 10)))
        lex->at++;
    const md5_token shown = {.text = start, .size = (size_t)(lex->at - start)};
    md5i_decl_lex_warn(lex, "parsed %s", md5i_token_show(&shown).text);
}

static bool read_decimal(md5_decl_lex *lex, md5_token *token)
{
    const char *const start = lex->at;
    uint32_t dots = 0;
    for (; is_digit(md5_decl_lex_byte(lex, lex->at), 10) || md5_decl_lex_byte(lex, lex->at) == '.';
         lex->at++)
        dots += *lex->at == '.';
    if (dots > 1) {
        md5i_decl_lex_warn(lex, "more than one dot in number");
        return false;
    }
    const char *const digits_end = lex->at;
    const char next = md5_decl_lex_byte(lex, lex->at);
    token->is_real = dots == 1 || next == 'e';
    if (!token->is_real) {
        lex->at = start;
        token->number = (double)read_whole(lex, 10);
        return true;
    }
    token->number = value_of_digits(start, digits_end);
    if (next == 'e') {
        lex->at++;
        scale_by_exponent(lex, &token->number);
    } else if (next == '#') {
        read_exception(lex, start);
    }
    return true;
}

// One f or l behind a real number, up to two of l and u behind a whole one.
static void skip_suffix(md5_decl_lex *lex, bool is_real)
{
    for (int i = 0; i < (is_real ? 1 : 2); i++) {
        const char c = md5_lower(md5_decl_lex_byte(lex, lex->at));
        if (c != 'l' && c != (is_real ? 'f' : 'u'))
            return;
        lex->at++;
    }
}

bool md5i_decl_lex_number(md5_decl_lex *lex, md5_token *token)
{
    const char *const start = lex->at;
    token->kind = MD5_TOKEN_NUMBER;
    if (*start == '0' && md5_decl_lex_byte(lex, start + 1) != '.')
        read_prefixed(lex, token);
    else
        TRY(read_decimal(lex, token));
    token->text = start;
    token->size = (size_t)(lex->at - start);
    skip_suffix(lex, token->is_real);
    return true;
}
