// The lexer of MD5 files and machine files. Tokens are words, numbers, strings and brackets,
// separated by white space and comments. Positions are pointers into the text. Lines and columns
// are counted only for messages. Counting starts at the location of the previous message, so that
// all messages together take linear time.
//
// White space consists of the bytes up to 0x20 except NUL, and of the bytes from 0x80 on. id's
// lexer also skips bytes from 0x80 on, for example a byte order mark or Latin-1 blanks. Comments
// have the forms // and /* */. NUL bytes at the end of the text are ignored. Any other NUL byte
// ends the word before it and is not a valid token.
#ifndef MD5_CORE_LEX_H
#define MD5_CORE_LEX_H

#include "md5/core/arena.h"
#include "md5/core/number.h"

// A part of the text, or a string in the arena. It is not terminated by NUL, and does not contain
// NUL.
typedef struct md5_span {
    const char *bytes;
    size_t size;
} md5_span;

// The state of a lexer.
typedef struct md5_lex {
    md5_arena *arena;      // memory of joined strings; its context receives errors and warnings
    const char *text;      // the whole text
    const char *at;        // the next byte to read
    const char *end;       // the end of the text
    const char *number_at; // start of the last number, even if it was invalid
    bool join_strings;     // "a" "b" is one string "ab": in .md5mesh, not in .md5anim
    md5_span mesh_comment; // NAME of the first comment `// meshes: NAME` since this was cleared
    // The location of the previous message: the position up to which lines were counted, the start
    // of the line at this position, and the number of this line. The next message continues to
    // count from there.
    const char *counted_to;
    const char *line_start;
    uint32_t counted_line;
} md5_lex;

// Starts a lexer at the beginning of a text, which may be NULL if `size` is 0.
void md5i_lex_begin(md5_lex *lex, md5_arena *arena, const char *text, size_t size);

// Finds the line and the column of `position`, both from 1. Columns count bytes. CR LF, LF and CR
// each end a line.
void md5i_lex_find_location(md5_lex *lex, const char *position, uint32_t *line, uint32_t *column);

// Report an error or a warning at a position. md5i_lex_fail() returns false. Warnings beyond
// max_warnings are counted but not reported.
bool md5i_lex_fail(md5_lex *lex, const char *position, md5_status status, const char *format, ...)
    MD5_PRINTF(4, 5);
void md5i_lex_warn(md5_lex *lex, const char *position, const char *format, ...) MD5_PRINTF(3, 4);

// Reports that the next token is not the expected one. The text is the message, followed by ",
// found" and the token.
bool md5i_lex_fail_expected(md5_lex *lex, const char *format, ...) MD5_PRINTF(2, 3);

// Reports a warning that begins with the token at its position, in quotes.
void md5i_lex_warn_token(md5_lex *lex, const char *position, const char *format, ...)
    MD5_PRINTF(3, 4);

// Returns the token at `position` for a message: quoted, or "the end of the file".
md5_quoted md5i_lex_token(const md5_lex *lex, const char *position);

// Skips white space and comments. Returns the position of the next token. An unterminated comment
// is an error and moves the lexer to the end of the text.
const char *md5i_lex_skip_space(md5_lex *lex);

// Returns false if an error was reported, such as an unterminated comment.
static inline bool md5_lex_is_ok(const md5_lex *lex)
{
    return lex->arena->context->error.status == MD5_OK;
}

// Returns the end of the token at `position`, which must be before the end of the text.
const char *md5i_lex_token_end(const md5_lex *lex, const char *position);

// Returns the end of the bare word at `position`.
const char *md5i_lex_word_end(const md5_lex *lex, const char *position);

// Returns the next token if it is a bare word, without consuming it; otherwise an empty span.
md5_span md5i_lex_peek_word(md5_lex *lex);

// Consume the next token and return true if it is the given bracket or keyword. Otherwise only skip
// white space.
bool md5i_lex_accept(md5_lex *lex, char bracket);
bool md5i_lex_accept_keyword(md5_lex *lex, const char *word);

// Consumes a bracket. Any other token is an error.
bool md5i_lex_expect(md5_lex *lex, char bracket);

// Returns true if the next token is `}`, or if no token follows.
bool md5i_lex_at_block_end(md5_lex *lex);

// Reads the string that begins with the quote at lex->at. Strings do not have escape sequences.
bool md5i_lex_string(md5_lex *lex, md5_span *text);

// Reads a quoted string or a bare word. `expected` describes the word in messages.
bool md5i_lex_text(md5_lex *lex, md5_span *text, const char *expected);

// Returns true if the span equals `text`. The first byte is compared first, because it differs in
// nearly all comparisons.
static inline bool md5_span_is(md5_span span, const char *text)
{
    if (span.size == 0)
        return text[0] == '\0';
    return span.bytes[0] == text[0] && span.size == strlen(text)
           && memcmp(span.bytes, text, span.size) == 0;
}

// Returns true if the fast readers of numbers (number.h) may be used at `position`. They read whole
// words of 8 or 16 bytes, including bytes around the number. Therefore the text must contain
// MD5_BYTES_BEFORE bytes before the position, and `size` bytes from it on.
static inline bool md5_lex_can_scan(const md5_lex *lex, const char *position, size_t size)
{
    return MD5_HAS_SHORTCUTS && position >= lex->text + MD5_BYTES_BEFORE
           && position + size <= lex->end;
}

// Returns true if the span is not empty and does not begin like a number.
static inline bool md5_span_is_name(md5_span span)
{
    if (span.size == 0)
        return false;
    const char c = span.bytes[0];
    const bool is_sign_or_point = c == '+' || c == '-' || c == '.';
    return !is_sign_or_point && !md5_is_digit(c);
}

// -- Names ------------------------------------------------------------------------------------

// Reads a name in a machine file, which is a quoted string or a bare word. Bare names may contain
// bytes from 0x80 on, so that UTF-8 is possible. `expected` describes the name in messages.
// md5i_lex_skip_name_space() skips white space and comments before such a name.
bool md5i_lex_name(md5_lex *lex, md5_span *name, const char *expected);
void md5i_lex_skip_name_space(md5_lex *lex);

// Reads the name of a joint in a model, which is a quoted string or a bare name. Bare names may
// contain bytes from 0x80 on. They may also contain blanks if another word follows: `Bip01 L Hand 3
// ( ...` begins with the name "Bip01 L Hand".
bool md5i_lex_joint_name(md5_lex *lex, md5_span *name);

// Skips the values of an unknown keyword: everything up to the next name that begins a line or for
// which `is_keyword` returns true, or the end of the block. Nested blocks in braces are skipped.
bool md5i_lex_skip_values(md5_lex *lex, bool (*is_keyword)(md5_span word));

// -- Numbers ----------------------------------------------------------------------------------

// Maximum absolute value of positions, offsets, biases and fields of view, as documented in
// md5model.h. The limit keeps all results finite, for any number of joints and weights in a text.
#define MD5_MAX_LENGTH 1e9f

static inline bool md5_length_in_range(float value)
{
    return value >= -MD5_MAX_LENGTH && value <= MD5_MAX_LENGTH;
}

static inline bool md5_vec3_in_range(md5_vec3 value)
{
    return md5_length_in_range(value.x) && md5_length_in_range(value.y)
           && md5_length_in_range(value.z);
}

// Reports that the number at `position` exceeds MD5_MAX_LENGTH.
bool md5i_lex_fail_length(md5_lex *lex, const char *position);

// Read a number. White space may separate a `-` from its digits. md5i_lex_length() reports an error
// if the number exceeds MD5_MAX_LENGTH.
bool md5i_lex_float(md5_lex *lex, float *value);
bool md5i_lex_double(md5_lex *lex, double *value);
bool md5i_lex_length(md5_lex *lex, float *value);

// Reads numbers up to the end of a block, at most `count`.
bool md5i_lex_floats(md5_lex *lex, float *numbers, uint32_t count, uint32_t *num_read);

// Reads ( x y z ). `number` reads the numbers: md5i_lex_float() or md5i_lex_length().
bool md5i_lex_vec3(md5_lex *lex, bool (*number)(md5_lex *lex, float *value), md5_vec3 *value);

// Reads an integer. A value outside of the range of int64_t becomes INT64_MAX or -INT64_MAX. A
// fraction is accepted as in id's lexer: `2.0` is 2, and `2.9` is truncated to 2 with a warning.
bool md5i_lex_int(md5_lex *lex, int64_t *value);

// Reads an integer from 0 to UINT32_MAX. `value_name` is its name in messages.
bool md5i_read_uint(md5_lex *lex, const char *value_name, uint32_t *value);

#endif
