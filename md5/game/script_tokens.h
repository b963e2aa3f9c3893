// Tokens of scripts. Reads a file and the files that it includes, evaluates directives and macros,
// and produces one array of tokens. The parser reads the array with a cursor.
//
// Macros are not expanded recursively: a stack contains the files, macros and macro arguments that
// are being read. The number of steps is limited, so time and memory are linear in the sizes of the
// files.
#ifndef MD5_GAME_SCRIPT_TOKENS_H
#define MD5_GAME_SCRIPT_TOKENS_H

#include "md5/core/file.h"
#include "md5/core/lex.h"
#include "md5/decl/containers.h"

// The kind of a token, which depends on its first two bytes.
typedef enum script_token_kind {
    SCRIPT_TOKEN_END, // also every token after an error
    SCRIPT_TOKEN_NAME,
    SCRIPT_TOKEN_NUMBER,
    SCRIPT_TOKEN_STRING, // with its double quotes
    SCRIPT_TOKEN_VECTOR, // with its single quotes
    SCRIPT_TOKEN_SIGN
} script_token_kind;

// A token: `size` bytes of the text of a file.
typedef struct script_token {
    script_token_kind kind;
    bool begins_line; // it is the first token of its line
    uint32_t file;    // index in script_tokens.files
    const char *at;
    size_t size;
} script_token;

// A file of the script, with the lexer that reads its text.
typedef struct script_file {
    const char *name;
    md5_file_text text;
    md5_lex lex;
} script_file;

// The files of a script and their tokens after preprocessing, with the cursor of the parser.
typedef struct script_tokens {
    md5_context *context;
    md5_arena *arena;
    script_file *files; // [num_files]
    uint32_t num_files;
    uint32_t reported_file; // index of the file that the context names in messages
    script_token *tokens;   // [num_tokens] the last token is SCRIPT_TOKEN_END
    uint32_t num_tokens;
    uint32_t at;        // index of the next token; after an error, of SCRIPT_TOKEN_END
    void *unused_entry; // see md5i_script_entry()
} script_tokens;

// Reads a file into an empty structure with context and arena. Returns false and sets the context's
// error if it fails. The caller must free the files in any case.
bool md5i_read_script_tokens(script_tokens *tokens, const char *path);
void md5i_free_script_files(script_tokens *tokens);

// -- Messages -------------------------------------------------------------------------------------

static inline bool md5_script_is_ok(const script_tokens *tokens)
{
    return tokens->context->error.status == MD5_OK;
}

// Reports the error "expected ..., found ..." at a token, and moves the cursor to the end.
void md5i_script_fail(script_tokens *tokens, const script_token *token, const char *expected);

// Reports a warning that consists of the token, in quotes, and a text.
void md5i_script_warn(script_tokens *tokens, const script_token *token, const char *text);

// -- Names ----------------------------------------------------------------------------------------

// Returns true if a token is a name or a sign with this text.
bool md5i_script_token_is(const script_token *token, const char *text);
bool md5i_script_tokens_equal(const script_token *a, const script_token *b);

// Returns a copy of a token in the arena, or "" if memory runs out.
const char *md5i_script_token_text(script_tokens *tokens, const script_token *token);

// Returns the location of the value of a name, which is added with the value NULL if it is new. If
// memory runs out, returns the location of a value that no name has.
void **md5i_script_entry(script_tokens *tokens, md5_name_map *map, const char *name);

// -- Cursor ---------------------------------------------------------------------------------------

static inline const script_token *md5_script_here(const script_tokens *tokens)
{
    return &tokens->tokens[tokens->at];
}

// Reads the next token if it is `text`. Returns true if it was read.
bool md5i_script_accept(script_tokens *tokens, const char *text);

// Reads the next token, which must be `text`. Any other token is an error.
void md5i_script_expect(script_tokens *tokens, const char *text);

// Reads and returns a name. Any other token is an error, is not read and is returned.
const script_token *md5i_script_read_name(script_tokens *tokens);

// Skips tokens up to and including the bracket that closes a bracket that was just read.
void md5i_script_skip_to(script_tokens *tokens, const char *open, const char *close);

#endif
