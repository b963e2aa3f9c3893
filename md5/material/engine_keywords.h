// Skips and reports unknown keywords of materials, stages and models. engine_keywords.c lists the
// keywords that other engines added.
#ifndef MD5_MATERIAL_ENGINE_KEYWORDS_H
#define MD5_MATERIAL_ENGINE_KEYWORDS_H

#include "md5/decl/decls.h"

// The kind of declaration that contains a keyword.
typedef enum md5_keyword_scope {
    MD5_SCOPE_MATERIAL,
    MD5_SCOPE_STAGE,
    MD5_SCOPE_MODEL
} md5_keyword_scope;

// Skips the arguments of an unknown keyword that was just read. This is for the lenient mode. If
// the keyword belongs to another engine, skips the arguments that it has there. Otherwise skips the
// remaining tokens of the line, up to a brace.
void md5i_skip_unknown_keyword(md5_decl_lex *lex, const md5_token *keyword,
                               md5_keyword_scope scope);

// Reports an unknown keyword that was just read. The message is "PROBLEM 'keyword'". In lenient
// mode, it names the engine that added the keyword instead, if that is known. `name` is the name of
// the declaration, or NULL if the message does not contain it. The lenient mode then skips the
// arguments. In engine mode the declaration becomes defaulted, as in md5i_decl_error().
void md5i_report_unknown_keyword(md5_decl_lex *lex, const md5_token *keyword,
                                 md5_keyword_scope scope, const char *problem, const char *name,
                                 const char *expected);

#endif
