// The tokens of declarations, by id's rules (idLexer with the flags of declarations), faults
// included: any difference would change the result for some real file.
//
// - White space: bytes up to 0x20 and, outside strings, from 0x80 on. A NUL ends the text.
// - A comment of the form /* */ swallows the byte behind it, uncounted if that ends a line.
// - Names begin with a letter, _ / \ or . and go on with these, digits and : but not with -.
// - Numbers: 010 is octal, 0x1f hexadecimal, 0b1 binary; an exponent is a lower-case e; f F l L u U
//   behind a number are swallowed. 1.2.3 is an error.
// - Strings in " or ' end on their line, have no escapes, and are joined only by a backslash:
//   "a" \ "b". An error or the end of the text ends reading: md5i_decl_lex_read() returns false.
#ifndef MD5_DECL_DECL_LEX_H
#define MD5_DECL_DECL_LEX_H

#include "md5/decl/game.h"
#include "md5/core/lex.h"

static inline bool md5_is_letter(char c)
{
    return (md5_lower(c) >= 'a' && md5_lower(c) <= 'z') || c == '_';
}

typedef enum md5_token_kind {
    MD5_TOKEN_NAME,
    MD5_TOKEN_NUMBER,
    MD5_TOKEN_STRING, // in either kind of quotes
    MD5_TOKEN_PUNCTUATION
} md5_token_kind;

typedef struct md5_token {
    md5_token_kind kind;
    const char *text; // [size] of the text read, or in game->scratch if it is joined; no NUL
    size_t size;
    const char *at;         // its first byte in the text read, a quote included
    uint32_t lines_crossed; // between the token before and this one
    double number;          // 0 unless a number
    bool is_real;           // a number with a point or an exponent
    bool is_literal;        // a string in single quotes
} md5_token;

// A position to return to.
typedef struct md5_decl_place {
    const char *at;
    const char *line_start;
    uint32_t line;
} md5_decl_place;

typedef struct md5_decl_lex {
    md5_game *game;
    const char *file;
    const char *at;
    const char *end;
    uint32_t line;          // as the engine counts
    const char *line_start; // of the line that `at` is in
    md5_decl_place last;    // before the token that was read last
    const char *token_at;   // its first byte; `end` before it has been found
    bool has_unread;
    md5_token unread;
    bool joins_strings; // "a" \ "b"
    bool is_silent;     // reports no warnings: the text is also read elsewhere
    bool *is_defaulted; // of the declaration that is read: md5i_decl_error() sets it
} md5_decl_lex;

// Begins with a text whose first line has the number `line` in messages about `file`.
void md5i_decl_lex_begin(md5_decl_lex *lex, md5_game *game, const char *file, uint32_t line,
                         const char *text, size_t size);

// Begins with a declaration. `is_defaulted` becomes true if an error spoils it: see
// md5i_decl_error().
void md5i_decl_lex_begin_decl(md5_decl_lex *lex, md5_game *game, const md5_decl_entry *entry,
                              bool *is_defaulted);

// Reports a warning at the beginning of the token that was read last, or, if the lexer has returned
// to before it, at the lexer's position. The line is the lexer's, as in the engine.
void md5i_decl_lex_warn(const md5_decl_lex *lex, const char *format, ...) MD5_PRINTF(2, 3);

// -- Tokens ---------------------------------------------------------------------------------------

// Whether a token is `text`, in quotes or not; md5i_token_is_word() ignores case.
bool md5i_token_is(const md5_token *token, const char *text);
bool md5i_token_is_word(const md5_token *token, const char *text);

// Returns the row of an array whose first member is a word that the token is, ignoring case; NULL
// if there is none.
const void *md5i_token_row(const md5_token *token, const void *rows, size_t count, size_t size);
#define MD5_TOKEN_ROW(type, rows, token) \
    ((const type *)md5i_token_row(token, rows, MD5_COUNT(rows), sizeof(rows)[0]))

// The value of a number as the engine converts it, 0 for other tokens.
float md5i_token_float(const md5_token *token);
int32_t md5i_token_int(const md5_token *token);

// A token for a message: in quotes, shortened if it is long.
#define MD5_SHOWN(token) md5i_quote((token)->text, (token)->size).text

// Appends a text to that of a token, which lies in the arena once it has `*room` bytes, 0 at first.
// They double, so appending takes linear time. Returns false if memory runs out.
bool md5i_append_text(md5_arena *arena, md5_token *token, size_t *room, const char *text,
                      size_t size);

// Copies a token into game->arena. Returns NULL if memory runs out.
const char *md5i_keep_token(md5_game *game, const md5_token *token);

// -- Numbers --------------------------------------------------------------------------------------

// Reads the next token. Returns false at the end of the text and after an error, which is reported.
bool md5i_decl_lex_read(md5_decl_lex *lex, md5_token *token);

// The same if the token is on the line of the one before it; else reads nothing.
bool md5i_decl_lex_read_on_line(md5_decl_lex *lex, md5_token *token);

// Makes `token` the next one again. Only once between two reads.
void md5i_decl_lex_unread(md5_decl_lex *lex, const md5_token *token);

// Reads a token; reports if there is none.
bool md5i_decl_lex_any(md5_decl_lex *lex, md5_token *token);

// Reads a token that must be `text`; reports another one, which is lost.
bool md5i_decl_lex_expect(md5_decl_lex *lex, const char *text);

// Reads the next token if it is `text`.
bool md5i_decl_lex_take(md5_decl_lex *lex, const char *text);

// Skips tokens up to and including one that is `text`.
bool md5i_decl_lex_skip_until(md5_decl_lex *lex, const char *text);
void md5i_decl_lex_skip_line(md5_decl_lex *lex);

// Skips tokens until all braces are closed, of which `depth` are open at the start.
bool md5i_decl_lex_skip_braces(md5_decl_lex *lex, uint32_t depth);

// Reads a number, with a minus before it or without. Reports another token, whose value is 0.
// Returns false if it reported.
bool md5i_decl_lex_float(md5_decl_lex *lex, float *value);
int32_t md5i_decl_lex_int(md5_decl_lex *lex);

// Reads ( x y z ) into value[count]. Returns false and reports if a bracket is missing.
bool md5i_decl_lex_vector(md5_decl_lex *lex, float *value, size_t count);

#endif
