// Unknown keywords of materials, stages and models: skipping them and reporting them. Keywords that
// other engines added are listed in engine_keywords.c.
#ifndef MD5_MATERIAL_ENGINE_KEYWORDS_H
#define MD5_MATERIAL_ENGINE_KEYWORDS_H

#include "md5/decl/decls.h"

// The kind of declaration that contains a keyword.
typedef enum md5_keyword_scope {
    MD5_SCOPE_MATERIAL,
    MD5_SCOPE_STAGE,
    MD5_SCOPE_MODEL
} md5_keyword_scope;

// Skips the arguments of an unknown keyword that was just read. If the keyword belongs to another
// engine, skips the arguments that it has there. If no engine is known to have the keyword, skips
// the remaining tokens of the line, up to a brace. For the lenient mode.
void md5i_skip_unknown_keyword(md5_decl_lex *lex, const md5_token *keyword,
                               md5_keyword_scope scope);

// Reports an unknown keyword that was just read as "PROBLEM 'keyword'", or, in the lenient mode, as
// a keyword of the engine that added it. `name` is the name of the declaration, or NULL if the
// message does not contain it. Then skips the arguments in the lenient mode; in the engine mode the
// declaration becomes defaulted, as in md5i_decl_error().
void md5i_report_unknown_keyword(md5_decl_lex *lex, const md5_token *keyword,
                                 md5_keyword_scope scope, const char *problem, const char *name,
                                 const char *expected);

#endif
