// Finding declarations by name, and reporting errors in them.
#ifndef MD5_DECL_DECLS_H
#define MD5_DECL_DECLS_H

#include "md5/decl/decl_lex.h"

// Writes the spelling of a name by which declarations are found: lower case, / for \, cut at the
// last dot.
enum { MD5_LONGEST_NAME = 1024 };
void md5i_canonical_name(char result[MD5_LONGEST_NAME], const char *name, size_t size);

// Returns the declaration of a name of `size` bytes, spelled as in any file; NULL if there is none.
md5_decl_entry *md5i_find_entry(const md5_game *game, md5_decl_type type, const char *name,
                                size_t size);

// The same, but adds an implicit declaration without text if there is none. Returns NULL and sets
// the context's error if memory runs out.
md5_decl_entry *md5i_find_or_add_entry(md5_game *game, md5_decl_type type, const char *name,
                                       size_t size);

// A public call for what a name declares: parses its entry, which adds an implicit one of a type
// that needs no file. Returns what it is parsed to; NULL if there is none, or, with the error set,
// if memory runs out.
typedef bool md5_parse_fn(md5_game *game, md5_decl_entry *entry);
const void *md5i_request(md5_game *game, md5_decl_type type, const char *name, md5_parse_fn *parse,
                         md5_error *error);

// == Verdicts =====================================================================================
//
// The two modes of reading declarations: what happens to it after an error.

// Reports an error, in the engine's words. In engine mode it spoils the declaration:
// *lex->is_defaulted becomes true. In lenient mode the warning also says what was expected,
// and the caller goes on reading.
void md5i_decl_error(const md5_decl_lex *lex, const char *expected, const char *format, ...)
    MD5_PRINTF(3, 4);

#endif
