// The lexer of declarations. It follows the rules of the engine's class idLexer, including its
// faults, because any difference would change the meaning of some existing file:
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
    MD5_TOKEN_STRING, // a text in " or '
    MD5_TOKEN_PUNCTUATION
} md5_token_kind;

// A token of a declaration, and its location in the text.
typedef struct md5_token {
    md5_token_kind kind;
    const char *text; // [size] in the text, or in game->scratch for joined strings; no NUL
    size_t size;
    const char *at;         // first byte in the text; of a string, its opening quote
    uint32_t lines_crossed; // number of line ends between the previous token and this token
    double number;          // value of a number, 0 for other tokens
    bool is_real;           // the token is a number with a point or an exponent
    bool is_literal;        // the token is a string in single quotes
} md5_token;

// A saved position of the lexer, to which it can return.
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
    uint32_t line;          // line at `at`, counted with the engine's faults
    const char *line_start; // start of the line that contains `at`
    md5_decl_position last; // position before the last token
    const char *token_at;   // first byte of the last token; `end` if no token was found
    bool has_unread;
    md5_token unread;   // if `has_unread`, the token that the next read returns
    bool joins_strings; // "a" \ "b" is one string
    bool is_silent;     // no warnings are reported, because the text is read a second time
    bool *is_defaulted; // flag of the declaration that is read; set by md5i_decl_error()
} md5_decl_lex;

// Begins to read text[size]. Messages contain the file name `file`. `line` is the line number of
// the first line.
void md5i_decl_lex_begin(md5_decl_lex *lex, md5_game *game, const char *file, uint32_t line,
                         const char *text, size_t size);

// Begins to read the text of a declaration. If md5i_decl_error() reports an error in engine mode,
// it sets *is_defaulted to true.
void md5i_decl_lex_begin_decl(md5_decl_lex *lex, md5_game *game, const md5_decl_entry *entry,
                              bool *is_defaulted);

// Reports a warning at the beginning of the last token. If the lexer was moved back before that
// token, or the token is on an earlier line, the warning is at the position of the lexer. Like in
// the engine, the line is always the line of the lexer. `format` and the values after it are as for
// printf().
void md5i_decl_lex_warn(const md5_decl_lex *lex, const char *format, ...) MD5_PRINTF(2, 3);

// -- Tokens ---------------------------------------------------------------------------------------

// Return true if the text of a token is `text`. The token may be a string in quotes.
// md5i_token_is_word() ignores case.
bool md5i_token_is(const md5_token *token, const char *text);
bool md5i_token_is_word(const md5_token *token, const char *text);

// Searches a table of structures whose first member is a string. Returns the entry with the text of
// the token, ignoring case, or NULL. The table has `count` entries of `size` bytes.
const void *md5i_find_token_in_table(const md5_token *token, const void *table, size_t count,
                                     size_t size);
#define MD5_FIND_TOKEN(type, table, token) \
    ((const type *)md5i_find_token_in_table(token, table, MD5_COUNT(table), sizeof(table)[0]))

// Return the value of a number token, converted as in the engine. Other tokens have the value 0.
float md5i_token_float(const md5_token *token);
int32_t md5i_token_int(const md5_token *token);

// The text of a token for a message: in quotes, truncated if it is long.
#define MD5_QUOTED_TOKEN(token) md5i_quote((token)->text, (token)->size).text

// Appends a text to the text of a token, which is in the arena. *capacity is the allocated size. It
// must be 0 before the first call, which copies the token's text to the arena. The capacity doubles
// when it is too small, so that appending takes linear time. Returns false if memory runs out.
bool md5i_append_text(md5_arena *arena, md5_token *token, size_t *capacity, const char *text,
                      size_t size);

// Copies the text of a token to game->arena. Returns NULL if memory runs out.
const char *md5i_copy_token(md5_game *game, const md5_token *token);

// -- Reading --------------------------------------------------------------------------------------

// Reads the next token. Returns false at the end of the text and after an error, which was
// reported.
bool md5i_decl_lex_read(md5_decl_lex *lex, md5_token *token);

// Reads the next token if it is on the same line as the previous token. Otherwise returns false and
// does not move the lexer.
bool md5i_decl_lex_read_on_line(md5_decl_lex *lex, md5_token *token);

// Gives a token back to the lexer. The next read returns this token again. Only one token can be
// given back between two reads.
void md5i_decl_lex_unread(md5_decl_lex *lex, const md5_token *token);

// Reads a token that must exist. At the end of the text, reports a warning and returns false.
bool md5i_decl_lex_read_any(md5_decl_lex *lex, md5_token *token);

// Reads a token that must be `text`. If it is a different token, reports a warning and returns
// false. The token is consumed in both cases.
bool md5i_decl_lex_expect(md5_decl_lex *lex, const char *text);

// If the next token is `text`, consumes it and returns true. Otherwise returns false and does not
// move the lexer.
bool md5i_decl_lex_accept(md5_decl_lex *lex, const char *text);

// md5i_decl_lex_skip_until() skips tokens up to and including the token `text`. It returns false if
// the text does not contain it. md5i_decl_lex_skip_line() skips the rest of the line.
bool md5i_decl_lex_skip_until(md5_decl_lex *lex, const char *text);
void md5i_decl_lex_skip_line(md5_decl_lex *lex);

// Skips tokens until all braces are closed. `depth` is the number of braces that are already open.
// Returns false if the text ends before.
bool md5i_decl_lex_skip_braces(md5_decl_lex *lex, uint32_t depth);

// Read a number with an optional minus. Any other token is reported and has the value 0. After such
// a token, md5i_decl_lex_float() returns false.
bool md5i_decl_lex_float(md5_decl_lex *lex, float *value);
int32_t md5i_decl_lex_int(md5_decl_lex *lex);

// Reads `count` numbers in round brackets, such as ( 0 0 1 ), into value[count]. If a bracket is
// missing, reports it and returns false.
bool md5i_decl_lex_vector(md5_decl_lex *lex, float *value, size_t count);

#endif
