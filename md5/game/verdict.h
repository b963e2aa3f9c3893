// The two verdicts on a declaration: what happens to it after a mistake.
#ifndef MD5_GAME_VERDICT_H
#define MD5_GAME_VERDICT_H

#include "md5/game/decl_lex.h"

// Where an unknown word stands.
typedef enum md5_word_place { MD5_WORD_MATERIAL, MD5_WORD_STAGE, MD5_WORD_MODEL } md5_word_place;

static inline bool md5_is_lenient(const md5_game *game)
{
    return game->verdict == MD5_VERDICT_LENIENT;
}

// Reports a mistake, in the engine's words. Returns true if it spoils the declaration: in the
// engine's verdict. In the lenient verdict the warning also says what was expected, and the caller
// goes on reading.
bool md5i_mistake(const md5_decl_lex *lex, const char *expected, const char *format, ...)
    MD5_PRINTF(3, 4);

// In the lenient verdict: skips the arguments of an unknown word that has just been read. If it is
// a word of another engine, these are the arguments that it has there; else the rest of the line up
// to a brace.
void md5i_skip_unknown_word(md5_decl_lex *lex, const md5_token *word, md5_word_place place);

// Returns the engine whose word a token is, or NULL if no engine is known to have it.
const char *md5i_engine_of_word(const md5_token *word, md5_word_place place);

#endif
