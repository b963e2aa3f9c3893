// Keywords that other engines added to materials, stages and models.
#ifndef MD5_MATERIAL_ENGINE_WORDS_H
#define MD5_MATERIAL_ENGINE_WORDS_H

#include "md5/decl/decls.h"

// The kind of declaration that a keyword is in.
typedef enum md5_word_place { MD5_WORD_MATERIAL, MD5_WORD_STAGE, MD5_WORD_MODEL } md5_word_place;

// Skips the arguments of an unknown keyword that was just read, in the lenient mode: those that the
// keyword has in the engine that added it; if no engine is known to have it, the rest of the line
// up to a brace.
void md5i_skip_unknown_word(md5_decl_lex *lex, const md5_token *word, md5_word_place place);

// Reports an unknown keyword that was just read as "WHAT 'word'", or, in the lenient mode, as a
// keyword of the engine that added it. `name` is the name of the declaration, or NULL if the
// message does not contain it. Then skips the arguments, unless the keyword makes the declaration
// defaulted as in md5i_decl_error().
void md5i_unknown_word(md5_decl_lex *lex, const md5_token *word, md5_word_place place,
                       const char *what, const char *name, const char *expected);

#endif
