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

// A piece of text, in the file's text or in the arena; without NUL.
typedef struct md5_span {
    const char *bytes;
    size_t size;
} md5_span;

typedef struct md5_lex {
    md5_arena *arena;
    const char *text, *at, *end; // `at`: the next byte to be read
    const char *number_at;       // where the last number begins that was read, or tried
    bool join_strings;           // "a" "b" is one string "ab": in .md5mesh, not in .md5anim
    md5_span mesh_comment;       // NAME of the first `// meshes: NAME` since this was cleared
    // State of the line count, for the next message.
    const char *counted_to;
    const char *line_start;
    uint32_t counted_line;
} md5_lex;

void md5i_lex_begin(md5_lex *lex, md5_arena *arena, const char *text, size_t size);

// Line and column of `position`, from 1, in bytes. CR LF, LF and CR each end a line.
void md5i_lex_place(md5_lex *lex, const char *position, uint32_t *line, uint32_t *column);

// Report an error or a warning at a position. md5i_lex_fail() returns false. Warnings beyond
// max_warnings are only counted.
bool md5i_lex_fail(md5_lex *lex, const char *position, md5_status status, const char *format, ...)
    MD5_PRINTF(4, 5);
void md5i_lex_warn(md5_lex *lex, const char *position, const char *format, ...) MD5_PRINTF(3, 4);

// Reports that the next token is not what was expected: the message, then ", found" and the token.
bool md5i_lex_fail_found(md5_lex *lex, const char *format, ...) MD5_PRINTF(2, 3);

// Reports a warning that begins with the token at its position, in quotes.
void md5i_lex_warn_token(md5_lex *lex, const char *position, const char *format, ...)
    MD5_PRINTF(3, 4);

// Returns the token at `position` for a message: quoted, or "the end of the file".
md5_quoted md5i_lex_token(const md5_lex *lex, const char *position);

// Skips white space and comments. Returns the position of the next token. A comment without end is
// an error and moves the lexer to the end of the text.
const char *md5i_lex_next(md5_lex *lex);

// Returns false if an error was reported, such as a comment without an end.
static inline bool md5_lex_is_ok(const md5_lex *lex)
{
    return lex->arena->context->error.status == MD5_OK;
}

// Returns the end of the token at `position`, which is not the end of the text.
const char *md5i_lex_token_end(const md5_lex *lex, const char *position);

// Returns the end of the bare word at `position`.
const char *md5i_lex_word_end(const md5_lex *lex, const char *position);

// Returns the next token if it is a bare word, without consuming it; else size 0.
md5_span md5i_lex_peek_word(md5_lex *lex);

// Whether the next token is the bracket or keyword; if so, it is consumed.
bool md5i_lex_take(md5_lex *lex, char bracket);
bool md5i_lex_take_word(md5_lex *lex, const char *word);

// The same, but any other token is an error.
bool md5i_lex_expect(md5_lex *lex, char bracket);

// Whether a `}` comes next, or the end of the text.
bool md5i_lex_at_block_end(md5_lex *lex);

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

// Whether so many bytes follow `position`, and those before it that md5_scan_common() asks for.
static inline bool md5_lex_has_room(const md5_lex *lex, const char *position, size_t size)
{
    return MD5_HAS_SHORTCUTS && position >= lex->text + MD5_BYTES_BEFORE
           && position + size <= lex->end;
}

// Whether the span begins as no number does.
static inline bool md5_span_is_name(md5_span span)
{
    if (span.size == 0)
        return false;
    const char c = span.bytes[0];
    return !md5_is_digit(c) && c != '+' && c != '-' && c != '.';
}

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

// Reports that the number at `position` exceeds this limit.
bool md5i_lex_fail_length(md5_lex *lex, const char *position);

// Read a number. White space may separate a `-` from its number. A length is within
// MD5_MOST_LENGTH.
bool md5i_lex_float(md5_lex *lex, float *value);
bool md5i_lex_double(md5_lex *lex, double *value);
bool md5i_lex_length(md5_lex *lex, float *value);

// Reads numbers up to the end of a block, at most `count`.
bool md5i_lex_floats(md5_lex *lex, float *numbers, uint32_t count, uint32_t *num_read);

// Reads ( x y z ) of numbers by one of the two functions for floats.
bool md5i_lex_vec3(md5_lex *lex, bool (*number)(md5_lex *lex, float *value), md5_vec3 *value);

// Reads a whole number; beyond the range of int64_t it becomes +-INT64_MAX. `2.0` is accepted, and
// `2.9` is read as 2 with a warning, as id's lexer does.
bool md5i_lex_int(md5_lex *lex, int64_t *value);

// Reads a whole number from 0 to UINT32_MAX. Messages call it `what`.
bool md5i_read_uint(md5_lex *lex, const char *what, uint32_t *value);

#endif
