// Tokens, and what every reader of them needs to begin and to report warnings.
#include "md5/game/decl_token.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// -- Lexers ---------------------------------------------------------------------------------------

void md5i_decl_lex_begin(md5_decl_lex *lex, md5_game *game, const char *file, uint32_t line,
                         const char *text, size_t size)
{
    *lex = (md5_decl_lex){
        .game = game,
        .file = file,
        .at = text,
        .end = text + size,
        .line = line,
        .line_start = text,
        .last_at = text,
        .last_start = text,
        .last_line = line,
        .token_at = text + size,
    };
    lex->joins_strings = true;
}

void md5i_decl_lex_begin_decl(md5_decl_lex *lex, md5_game *game, const md5_decl_entry *entry)
{
    md5i_decl_lex_begin(lex, game, entry->decl.file, entry->decl.line, entry->decl.text,
                        entry->decl.size);
    lex->line_start = lex->last_start = entry->line_start;
}

void md5i_decl_lex_warn(const md5_decl_lex *lex, const char *format, ...)
{
    md5_context *const context = &lex->game->context;
    char message[sizeof context->error->message];
    char *const file = context->error->file;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const bool has_token = lex->token_at >= lex->line_start && lex->token_at < lex->at;
    const char *const place = has_token ? lex->token_at : lex->at;
    // md5i_warn() takes the file's name from the error, which has none in this call.
    (void)snprintf(file, sizeof context->error->file, "%s", lex->file ? lex->file : "");
    md5i_warn(context, lex->line, (uint32_t)(place - lex->line_start) + 1, "%s", message);
    file[0] = '\0';
}

// -- Tokens ---------------------------------------------------------------------------------------

bool md5i_token_is(const md5_token *token, const char *text)
{
    return strlen(text) == token->size && memcmp(token->text, text, token->size) == 0;
}

bool md5i_token_is_word(const md5_token *token, const char *text)
{
    size_t i = 0;
    while (i < token->size && text[i] && md5_lower(token->text[i]) == md5_lower(text[i]))
        i++;
    return i == token->size && text[i] == '\0';
}

float md5i_token_float(const md5_token *token)
{
    return token->kind == MD5_TOKEN_NUMBER ? (float)token->number : 0.0f;
}

int32_t md5i_token_int(const md5_token *token)
{
    const double number = token->kind == MD5_TOKEN_NUMBER ? token->number : 0.0;
    if (!(number < 4294967296.0))
        return INT32_MAX;
    return (int32_t)(uint32_t)number;
}

md5_quoted md5i_token_show(const md5_token *token)
{
    return md5i_quote(token->text, token->size);
}

const char *md5i_keep_token(md5_game *game, const md5_token *token)
{
    return md5_game_copy(&game->arena, token->text, token->size);
}
