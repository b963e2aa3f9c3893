// Tokens of a text: words, numbers, strings, brackets, with white space and comments between
// them anywhere. Positions are pointers into the text; lines and columns are counted only when
// a message needs them.
//
// White space: bytes up to 0x20 except NUL, and bytes from 0x80 on, which the original's lexer
// skips too (a byte order mark, Latin-1 blanks). Comments: // to the end of the line, and /* */.
// NUL bytes at the end of the text are cut off; elsewhere they are no part of any token.
#ifndef MD5_READ_LEX_H
#define MD5_READ_LEX_H

#include "md5/core/arena.h"
#include "md5/read/number.h"

// Bytes of the text, or of the arena; no NUL.
typedef struct md5_span {
    const char *bytes;
    size_t size;
} md5_span;

typedef struct md5_lex {
    md5_arena *arena;
    const char *text, *at, *end; // `at`: the next byte to be read
    bool join_strings;           // "a" "b" is one string "ab": in .md5mesh, not in .md5anim
    md5_span mesh_comment;       // NAME of the first `// meshes: NAME` since this was cleared
    // How far lines were counted for the last message: the next one goes on from there.
    const char *counted_to, *line_start;
    uint32_t counted_line;
} md5_lex;

enum { MD5_SPACE = 1, MD5_BRACKET = 2 };
extern const uint8_t md5_char_classes[256]; // 0: part of a word

void md5_lex_begin(md5_lex *lex, md5_arena *arena, const char *text, size_t size);

// Line and column of `at`, from 1, in bytes. CR LF, LF and CR each end a line.
void md5_lex_place(md5_lex *lex, const char *at, uint32_t *line, uint32_t *column);

// Records an error or a warning at a place. The first returns false. Warnings past the cap
// cost no more than counting them.
bool md5_lex_fail(md5_lex *lex, const char *at, md5_status status, const char *format, ...)
    MD5_PRINTF(4, 5);
void md5_lex_warn(md5_lex *lex, const char *at, const char *format, ...) MD5_PRINTF(3, 4);

// A warning that begins with the token at its place, in quotes.
void md5_lex_warn_token(md5_lex *lex, const char *at, const char *format, ...) MD5_PRINTF(3, 4);

// For messages: the token at `at`, quoted, or "the end of the file".
md5_quoted md5_lex_token(const md5_lex *lex, const char *at);

// Skips white space and comments. A comment without end is an error; the lexer then stands at
// the end of the text.
void md5_lex_skip_comment(md5_lex *lex);
static inline void md5_lex_space(md5_lex *lex)
{
    while (lex->at < lex->end) {
        if (md5_char_classes[(unsigned char)*lex->at] == MD5_SPACE) {
            lex->at++;
        } else if (*lex->at == '/' && lex->end - lex->at > 1
                   && (lex->at[1] == '/' || lex->at[1] == '*')) {
            md5_lex_skip_comment(lex);
        } else {
            return;
        }
    }
}

// Where the bare word at `at` ends.
const char *md5_lex_word_end(const md5_lex *lex, const char *at);

// The bare word that comes next, not consumed; size 0 if something else does.
md5_span md5_lex_peek_word(md5_lex *lex);

// Whether the next token is the bracket or keyword; if so, it is consumed.
bool md5_lex_take(md5_lex *lex, char bracket);
static inline bool md5_lex_take_word(md5_lex *lex, const char *word);

// The same, but an error if it is something else.
bool md5_lex_expect(md5_lex *lex, char bracket);

// The string that begins at the quote at lex->at. No escapes: a backslash is a backslash.
bool md5_lex_string(md5_lex *lex, md5_span *text);

// A quoted string, or a bare word. `what` names it in the message.
bool md5_lex_text(md5_lex *lex, md5_span *text, const char *what);

// The same for a name in a text of ours, whose bare form may have bytes from 0x80 on, as UTF-8 has;
// and skipping what may stand before one.
bool md5_lex_name(md5_lex *lex, md5_span *name, const char *what);
void md5_lex_blanks(md5_lex *lex);

// The same for the name of a joint in a model, whose bare form may have bytes from 0x80 on, and
// blanks followed by a further word: `Bip01 L Hand 3 ( ...` names "Bip01 L Hand".
bool md5_lex_joint_name(md5_lex *lex, md5_span *name);

// Positions, offsets, biases and fields of view are at most this, either way: what is computed from
// them then stays finite, with any number of joints and weights that a text can hold. That is also
// the limit that md5model.h states.
#define MD5_MOST_LENGTH 1e9f

static inline bool md5_is_length(float value)
{
    return value >= -MD5_MOST_LENGTH && value <= MD5_MOST_LENGTH;
}

static inline bool md5_is_point(md5_vec3 value)
{
    return md5_is_length(value.x) && md5_is_length(value.y) && md5_is_length(value.z);
}

// The number at `at` is none of these: an error.
bool md5_lex_fail_length(md5_lex *lex, const char *at);

// Numbers. A `-` may stand apart from its number.
bool md5_lex_float_slow(md5_lex *lex, float *value);
bool md5_lex_double(md5_lex *lex, double *value);

// A whole number; what int64_t cannot hold becomes +-INT64_MAX. `2.0` is one too, and `2.9` is
// read as 2 with a warning, as the original reads it.
bool md5_lex_int_slow(md5_lex *lex, int64_t *value);

// Skips what follows an unknown word: everything up to the next word that starts a line or that
// `is_known`, or the end of the block; a block in braces that belongs to it, whole.
bool md5_lex_skip_values(md5_lex *lex, bool (*is_known)(md5_span word));

// The first byte tells nearly all words apart, in texts too that have little else than words.
static inline bool md5_span_is(md5_span span, const char *text)
{
    if (span.size == 0)
        return text[0] == '\0';
    return span.bytes[0] == text[0] && span.size == strlen(text)
           && memcmp(span.bytes, text, span.size) == 0;
}

// Whether a number may end before `at`.
static inline bool md5_lex_ends(const md5_lex *lex, const char *at)
{
    return at == lex->end || md5_char_classes[(unsigned char)*at] != 0;
}

// Whether it begins as no number does.
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

static inline bool md5_lex_float(md5_lex *lex, float *value)
{
    md5_lex_space(lex);
    if (lex->end - lex->at > 1 && md5_char_classes[(unsigned char)lex->at[1]] != 0) {
        const unsigned digit = (unsigned char)(*lex->at - '0');
        if (digit < 10) {
            *value = (float)digit;
            lex->at++;
            return true;
        }
    }
    const char *const next = md5_scan_float(lex->at, lex->end, value);
    if (!next || !md5_lex_ends(lex, next) || *value - *value != 0.0f)
        return md5_lex_float_slow(lex, value);
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
        return md5_lex_int_slow(lex, value);
    *value = negative ? -digits : digits;
    lex->at = next;
    return true;
}

static inline bool md5_lex_bracket(md5_lex *lex, char bracket)
{
    md5_lex_space(lex);
    if (lex->at == lex->end || *lex->at != bracket)
        return md5_lex_expect(lex, bracket);
    lex->at++;
    return true;
}

// A number that is not too large.
static inline bool md5_lex_length(md5_lex *lex, float *value)
{
    md5_lex_space(lex);
    const char *const at = lex->at;
    if (!md5_lex_float(lex, value))
        return false;
    return md5_is_length(*value) || md5_lex_fail_length(lex, at);
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

#endif
