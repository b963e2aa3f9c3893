// The lexer of declarations. It follows id's rules (idLexer with the flags of declarations)
// including their faults, because any difference would change the result for some existing file.
//
// - White space: bytes up to 0x20 and, outside strings, from 0x80 on. A NUL ends the text.
// - The byte after a comment /* */ is skipped too. If it ends a line, this line is not counted.
// - Names begin with a letter, _ / \ or . and continue with these characters, digits and : but not
//   with -.
// - Numbers: 010 is octal, 0x1f hexadecimal, 0b1 binary. An exponent is a lower-case e. Suffixes
//   f F l L u U are skipped. 1.2.3 is an error.
// - Strings in " or ' end on their line and do not have escapes. Two strings in " with a backslash
//   between them are one string: "a" \ "b".
// - After an error and at the end of the text, md5i_decl_lex_read() returns false.
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
    MD5_TOKEN_STRING, // in " or '
    MD5_TOKEN_PUNCTUATION
} md5_token_kind;

// A token of a declaration, with its location in the text.
typedef struct md5_token {
    md5_token_kind kind;
    const char *text; // [size] in the text, or in game->scratch for joined strings; no NUL
    size_t size;
    const char *at;         // first byte in the text, including the quote
    uint32_t lines_crossed; // line ends between the previous token and this one
    double number;          // 0 for other tokens than numbers
    bool is_real;           // a number with a point or an exponent
    bool is_literal;        // a string in single quotes
} md5_token;

// A saved position of the lexer.
typedef struct md5_decl_position {
    const char *at;
    const char *line_start;
    uint32_t line;
} md5_decl_position;

// The lexer: the text of a file or declaration, and the position in it.
typedef struct md5_decl_lex {
    md5_game *game;
    const char *file;
    const char *at;
    const char *end;
    uint32_t line;          // as the engine counts lines
    const char *line_start; // start of the line that contains `at`
    md5_decl_position last; // position before the last token
    const char *token_at;   // first byte of the last token; `end` if no token was found
    bool has_unread;
    md5_token unread;   // the next token if `has_unread`
    bool joins_strings; // "a" \ "b" is one string
    bool is_silent;     // does not report warnings, because the text is read a second time
    bool *is_defaulted; // flag of the declaration that is read; md5i_decl_error() sets it
} md5_decl_lex;

// Begins to read a text whose first line has the number `line` in messages about `file`.
void md5i_decl_lex_begin(md5_decl_lex *lex, md5_game *game, const char *file, uint32_t line,
                         const char *text, size_t size);

// Begins to read a declaration. *is_defaulted becomes true if an error makes it invalid: see
// md5i_decl_error().
void md5i_decl_lex_begin_decl(md5_decl_lex *lex, md5_game *game, const md5_decl_entry *entry,
                              bool *is_defaulted);

// Reports a warning at the beginning of the last token. If the lexer has returned to a position
// before that token, or the token is on an earlier line, reports it at the position of the lexer.
// The line is that of the lexer, like in the engine.
void md5i_decl_lex_warn(const md5_decl_lex *lex, const char *format, ...) MD5_PRINTF(2, 3);

// -- Tokens ---------------------------------------------------------------------------------------

// Return true if the text of a token is `text`, in quotes or not. md5i_token_is_word() ignores
// case.
bool md5i_token_is(const md5_token *token, const char *text);
bool md5i_token_is_word(const md5_token *token, const char *text);

// Returns the entry of a table whose first member is the text of the token, ignoring case; NULL if
// no entry matches. The table has `count` entries of `size` bytes.
const void *md5i_find_token_in_table(const md5_token *token, const void *table, size_t count,
                                     size_t size);
#define MD5_FIND_TOKEN(type, table, token) \
    ((const type *)md5i_find_token_in_table(token, table, MD5_COUNT(table), sizeof(table)[0]))

// Return the value of a number as the engine converts it; 0 for other tokens.
float md5i_token_float(const md5_token *token);
int32_t md5i_token_int(const md5_token *token);

// The text of a token for a message: in quotes, truncated if it is long.
#define MD5_QUOTED_TOKEN(token) md5i_quote((token)->text, (token)->size).text

// Appends a text to the text of a token. *capacity must be 0 before the first call: then the text
// of the token is copied to the arena. The capacity doubles, so that appending takes linear time.
// Returns false if memory runs out.
bool md5i_append_text(md5_arena *arena, md5_token *token, size_t *capacity, const char *text,
                      size_t size);

// Copies the text of a token to game->arena. Returns NULL if memory runs out.
const char *md5i_copy_token(md5_game *game, const md5_token *token);

// -- Reading --------------------------------------------------------------------------------------

// Reads the next token. Returns false at the end of the text and after an error, which is reported.
bool md5i_decl_lex_read(md5_decl_lex *lex, md5_token *token);

// Reads the next token if it is on the line of the previous token. Otherwise returns false and does
// not move the lexer.
bool md5i_decl_lex_read_on_line(md5_decl_lex *lex, md5_token *token);

// Returns a token to the lexer: it is the next token again. Only one token can be returned between
// two reads.
void md5i_decl_lex_unread(md5_decl_lex *lex, const md5_token *token);

// Reads a token. Reports a warning at the end of the text.
bool md5i_decl_lex_read_any(md5_decl_lex *lex, md5_token *token);

// Reads a token, which must be `text`. Reports any other token, which is consumed too.
bool md5i_decl_lex_expect(md5_decl_lex *lex, const char *text);

// Consumes the next token and returns true if it is `text`.
bool md5i_decl_lex_accept(md5_decl_lex *lex, const char *text);

// Skip tokens up to and including the token `text`, or to the end of the line. Skipping to a token
// returns false if the text does not contain it.
bool md5i_decl_lex_skip_until(md5_decl_lex *lex, const char *text);
void md5i_decl_lex_skip_line(md5_decl_lex *lex);

// Skips tokens until all braces are closed. `depth` braces are open at the start.
bool md5i_decl_lex_skip_braces(md5_decl_lex *lex, uint32_t depth);

// Read a number with an optional minus. Any other token is reported and has the value 0.
// md5i_decl_lex_float() returns false if it reported a token.
bool md5i_decl_lex_float(md5_decl_lex *lex, float *value);
int32_t md5i_decl_lex_int(md5_decl_lex *lex);

// Reads ( x y z ) into value[count]. Reports a missing bracket and returns false.
bool md5i_decl_lex_vector(md5_decl_lex *lex, float *value, size_t count);

#endif
