// Finds declarations by name, and reports errors in them.
#ifndef MD5_DECL_DECLS_H
#define MD5_DECL_DECLS_H

#include "md5/decl/decl_lex.h"

// Writes the key of a name: lower case, / instead of \, without the last dot and the text after it.
// Names with the same key are the same declaration.
enum { MD5_MAX_NAME_SIZE = 1024 };
void md5i_canonical_name(char result[MD5_MAX_NAME_SIZE], const char *name, size_t size);

// Returns the declaration of a name of `size` bytes, in any spelling; NULL if it does not exist.
md5_decl_entry *md5i_find_entry(const md5_game *game, md5_decl_type type, const char *name,
                                size_t size);

// Like md5i_find_entry(), but adds an implicit declaration without text if the declaration does not
// exist. Returns NULL and sets the context's error if memory runs out.
md5_decl_entry *md5i_find_or_add_entry(md5_game *game, md5_decl_type type, const char *name,
                                       size_t size);

// A public call that requests the parsed declaration of a name. Parses it if needed. A missing
// material or skin becomes an implicit declaration; other missing declarations are NULL. Returns
// NULL with the error set if memory runs out.
typedef bool md5_parse_fn(md5_game *game, md5_decl_entry *entry);
const void *md5i_request_decl(md5_game *game, md5_decl_type type, const char *name,
                              md5_parse_fn *parse, md5_error *error);

// == Errors =======================================================================================

// Reports an error with the text of the engine. In engine mode the error makes the declaration
// invalid: *lex->is_defaulted becomes true. In lenient mode the warning also contains the expected
// text, and the caller continues to read.
void md5i_decl_error(const md5_decl_lex *lex, const char *expected, const char *format, ...)
    MD5_PRINTF(3, 4);

#endif
