// The lexer: words, numbers, strings and brackets, separated by any white space and comments.
// Positions are pointers into the text; lines and columns are counted only for messages, onward
// from the last one, so that reporting takes linear time.
//
// White space: bytes up to 0x20 except NUL, and bytes from 0x80 on, which id's lexer skips
// too (a byte order mark, Latin-1 blanks). Comments: // to the end of the line, and /* */.
// NUL bytes at the end of the text are ignored; elsewhere they belong to no token.
#ifndef MD5_CORE_LEX_H
#define MD5_CORE_LEX_H

#include "md5/core/arena.h"
#include "md5/core/number.h"

#include <string.h>

// A piece of text, in the file's text or in the arena; without NUL.
typedef struct md5_span {
    const char *bytes;
    size_t size;
} md5_span;

typedef struct md5_lex {
    md5_arena *arena;
    const char *text, *at, *end; // `at`: the next byte to be read
    bool join_strings;           // "a" "b" is one string "ab": in .md5mesh, not in .md5anim
    md5_span mesh_comment;       // NAME of the first `// meshes: NAME` since this was cleared
    // State of the line count, for the next message.
    const char *counted_to, *line_start;
    uint32_t counted_line;
} md5_lex;

enum { MD5_SPACE = 1, MD5_BRACKET = 2 };
extern const uint8_t md5i_char_classes[256]; // 0: part of a word

void md5i_lex_begin(md5_lex *lex, md5_arena *arena, const char *text, size_t size);

// Line and column of `at`, from 1, in bytes. CR LF, LF and CR each end a line.
void md5i_lex_place(md5_lex *lex, const char *at, uint32_t *line, uint32_t *column);

// Report an error or a warning at a position. md5i_lex_fail() returns false. Warnings beyond
// max_warnings are only counted.
bool md5i_lex_fail(md5_lex *lex, const char *at, md5_status status, const char *format, ...)
    MD5_PRINTF(4, 5);
void md5i_lex_warn(md5_lex *lex, const char *at, const char *format, ...) MD5_PRINTF(3, 4);

// Reports a warning that begins with the token at its position, in quotes.
void md5i_lex_warn_token(md5_lex *lex, const char *at, const char *format, ...) MD5_PRINTF(3, 4);

// Returns the token at `at` for a message: quoted, or "the end of the file".
md5_quoted md5i_lex_token(const md5_lex *lex, const char *at);

// Skips white space and comments. A comment without end is an error and moves the lexer to the end
// of the text.
void md5i_lex_skip_comment(md5_lex *lex);
static inline void md5_lex_space(md5_lex *lex)
{
    while (lex->at < lex->end) {
        if (md5i_char_classes[(unsigned char)*lex->at] == MD5_SPACE) {
            lex->at++;
        } else if (*lex->at == '/' && lex->end - lex->at > 1
                   && (lex->at[1] == '/' || lex->at[1] == '*')) {
            md5i_lex_skip_comment(lex);
        } else {
            return;
        }
    }
}

// Returns the position of the next token.
static inline const char *md5_lex_next(md5_lex *lex)
{
    md5_lex_space(lex);
    return lex->at;
}

// Returns the end of the bare word at `at`.
const char *md5i_lex_word_end(const md5_lex *lex, const char *at);

// Returns the next token if it is a bare word, without consuming it; else size 0.
md5_span md5i_lex_peek_word(md5_lex *lex);

// Whether the next token is the bracket or keyword; if so, it is consumed.
bool md5i_lex_take(md5_lex *lex, char bracket);
static inline bool md5_lex_take_word(md5_lex *lex, const char *word);

// The same, but any other token is an error.
bool md5i_lex_expect(md5_lex *lex, char bracket);

// Reads the string that begins with the quote at lex->at. There are no escape sequences.
bool md5i_lex_string(md5_lex *lex, md5_span *text);

// Reads a quoted string or a bare word. Messages call it `what`.
bool md5i_lex_text(md5_lex *lex, md5_span *text, const char *what);

// Whether the span equals `text`. Comparing the first byte first rejects nearly all other words.
static inline bool md5_span_is(md5_span span, const char *text)
{
    if (span.size == 0)
        return text[0] == '\0';
    return span.bytes[0] == text[0] && span.size == strlen(text)
           && memcmp(span.bytes, text, span.size) == 0;
}

// Whether a token may end before `at`.
static inline bool md5_lex_ends(const md5_lex *lex, const char *at)
{
    return at == lex->end || md5i_char_classes[(unsigned char)*at] != 0;
}

// Whether the span begins as no number does.
static inline bool md5_span_is_name(md5_span span)
{
    if (span.size == 0)
        return false;
    const char c = span.bytes[0];
    return (unsigned char)(c - '0') >= 10 && c != '+' && c != '-' && c != '.';
}

static inline bool md5_lex_take_word(md5_lex *lex, const char *word)
{
    const size_t length = strlen(word);
    md5_lex_space(lex);
    if ((size_t)(lex->end - lex->at) < length || memcmp(lex->at, word, length) != 0
        || !md5_lex_ends(lex, lex->at + length))
        return false;
    lex->at += length;
    return true;
}

// Whether a `}` comes next, or the end of the text.
static inline bool md5_lex_at_block_end(md5_lex *lex)
{
    md5_lex_space(lex);
    return lex->at == lex->end || *lex->at == '}';
}

static inline bool md5_lex_bracket(md5_lex *lex, char bracket)
{
    md5_lex_space(lex);
    if (lex->at == lex->end || *lex->at != bracket)
        return md5i_lex_expect(lex, bracket);
    lex->at++;
    return true;
}

// -- Values: names, numbers, points; short numbers are read inline -------------------------------

// -- Names ------------------------------------------------------------------------------------

// Reads the name of a thing in a machine file, a quoted string or a bare word; bare names may have
// bytes from 0x80 on, as in UTF-8. md5i_lex_blanks() skips white space and comments before such a
// name.
bool md5i_lex_name(md5_lex *lex, md5_span *name, const char *what);
void md5i_lex_blanks(md5_lex *lex);

// Reads a joint's name in a model: as before, but bare names may have bytes from 0x80 on, and
// blanks followed by another word: `Bip01 L Hand 3 ( ...` names "Bip01 L Hand".
bool md5i_lex_joint_name(md5_lex *lex, md5_span *name);

// Skips the values of an unknown word: everything up to the next word that begins a line or that
// `is_known` accepts, or the end of the block. Skips nested blocks in braces as a whole.
bool md5i_lex_skip_values(md5_lex *lex, bool (*is_known)(md5_span word));

// -- Numbers ----------------------------------------------------------------------------------

// Largest absolute value of positions, offsets, biases and fields of view, as md5model.h states.
// Results computed from them are finite for any number of joints and weights that a text can hold.
#define MD5_MOST_LENGTH 1e9f

static inline bool md5_is_length(float value)
{
    return value >= -MD5_MOST_LENGTH && value <= MD5_MOST_LENGTH;
}

static inline bool md5_is_point(md5_vec3 value)
{
    return md5_is_length(value.x) && md5_is_length(value.y) && md5_is_length(value.z);
}

// Reports that the number at `at` exceeds this limit.
bool md5i_lex_fail_length(md5_lex *lex, const char *at);

// Read a number. White space may separate a `-` from its number.
bool md5i_lex_float_slow(md5_lex *lex, float *value);
bool md5i_lex_double(md5_lex *lex, double *value);

// Reads a whole number; beyond the range of int64_t it becomes +-INT64_MAX. `2.0` is accepted, and
// `2.9` is read as 2 with a warning, as id's lexer does.
bool md5i_lex_int_slow(md5_lex *lex, int64_t *value);

static inline bool md5_lex_float(md5_lex *lex, float *value)
{
    md5_lex_space(lex);
    if (lex->end - lex->at > 1 && md5i_char_classes[(unsigned char)lex->at[1]] != 0) {
        const unsigned digit = (unsigned char)(*lex->at - '0');
        if (digit < 10) {
            *value = (float)digit;
            lex->at++;
            return true;
        }
    }
    const char *const next = md5_scan_float(lex->at, lex->end, value);
    if (!next || !md5_lex_ends(lex, next) || *value - *value != 0.0f)
        return md5i_lex_float_slow(lex, value);
    lex->at = next;
    return true;
}

static inline bool md5_lex_int(md5_lex *lex, int64_t *value)
{
    enum { SAFE_DIGITS = 18 };
    md5_lex_space(lex);
    const char *next = lex->at;
    const bool negative = next < lex->end && *next == '-';
    next += negative;
    const char *const first = next;
    int64_t digits = 0;
    while (next < lex->end && (unsigned char)(*next - '0') < 10 && next - first < SAFE_DIGITS)
        digits = 10 * digits + (*next++ - '0');
    const bool is_plain = next > first && (*first != '0' || next - first == 1);
    if (!is_plain || !md5_lex_ends(lex, next))
        return md5i_lex_int_slow(lex, value);
    *value = negative ? -digits : digits;
    lex->at = next;
    return true;
}

// Reads a number within MD5_MOST_LENGTH.
static inline bool md5_lex_length(md5_lex *lex, float *value)
{
    md5_lex_space(lex);
    const char *const at = lex->at;
    if (!md5_lex_float(lex, value))
        return false;
    return md5_is_length(*value) || md5i_lex_fail_length(lex, at);
}

// ( x y z ) of such numbers
static inline bool md5_lex_point(md5_lex *lex, md5_vec3 *value)
{
    return md5_lex_bracket(lex, '(') && md5_lex_length(lex, &value->x)
           && md5_lex_length(lex, &value->y) && md5_lex_length(lex, &value->z)
           && md5_lex_bracket(lex, ')');
}

// ( x y z )
static inline bool md5_lex_vec3(md5_lex *lex, md5_vec3 *value)
{
    return md5_lex_bracket(lex, '(') && md5_lex_float(lex, &value->x)
           && md5_lex_float(lex, &value->y) && md5_lex_float(lex, &value->z)
           && md5_lex_bracket(lex, ')');
}

// Reads a whole number from 0 to UINT32_MAX. Messages call it `what`.
bool md5i_read_uint(md5_lex *lex, const char *what, uint32_t *value);

#endif
