// A token of a declaration, and where a lexer is in its text: see decl_lex.h for the rules.
#ifndef MD5_GAME_DECL_TOKEN_H
#define MD5_GAME_DECL_TOKEN_H

#include "md5/game/game.h"
#include "md5/read/lex.h"

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

typedef struct md5_decl_lex {
    md5_game *game;
    const char *file;
    const char *at, *end;
    uint32_t line;          // as the engine counts
    const char *line_start; // of the line that `at` is in
    const char *last_at;    // before the token that was read last, and its line
    const char *last_start;
    uint32_t last_line;
    const char *token_at; // its first byte; `end` before it has been found
    bool has_unread;
    md5_token unread;
    bool joins_strings; // "a" \ "b"
} md5_decl_lex;

// Begins with a text whose first line has the number `line` in messages about `file`.
void md5i_decl_lex_begin(md5_decl_lex *lex, md5_game *game, const char *file, uint32_t line,
                         const char *text, size_t size);

// Begins with a declaration.
void md5i_decl_lex_begin_decl(md5_decl_lex *lex, md5_game *game, const md5_decl_entry *entry);

// Reports a warning at the beginning of the token that was read last, or, if the lexer has returned
// to before it, at the lexer's position. The line is the lexer's, as in the engine.
void md5i_decl_lex_warn(const md5_decl_lex *lex, const char *format, ...) MD5_PRINTF(2, 3);

// -- Tokens ---------------------------------------------------------------------------------------

// Whether a token is `text`, in quotes or not; md5i_token_is_word() ignores case.
bool md5i_token_is(const md5_token *token, const char *text);
bool md5i_token_is_word(const md5_token *token, const char *text);

// The value of a number as the engine converts it, 0 for other tokens.
float md5i_token_float(const md5_token *token);
int32_t md5i_token_int(const md5_token *token);

// A token for a message: in quotes, shortened if it is long.
md5_quoted md5i_token_show(const md5_token *token);

// Copies a token into game->arena. Returns NULL if memory runs out.
const char *md5i_keep_token(md5_game *game, const md5_token *token);

// -- Numbers --------------------------------------------------------------------------------------

// Reads the number at lex->at. In decl_number.c.
bool md5i_decl_lex_number(md5_decl_lex *lex, md5_token *token);

// The byte at `at`, NUL behind the end of the text.
static inline char md5_decl_lex_byte(const md5_decl_lex *lex, const char *at)
{
    return at < lex->end ? *at : '\0';
}

#endif
