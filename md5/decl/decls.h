// Finds declarations by name, and reports errors in them.
#ifndef MD5_DECL_DECLS_H
#define MD5_DECL_DECLS_H

#include "md5/decl/decl_lex.h"

// Writes the key by which a name is found. It is the name in lower case, with / instead of \, and
// without the last dot and the text after it. Names with the same key mean the same declaration.
enum { MD5_MAX_NAME_SIZE = 1024 };
void md5i_canonical_name(char result[MD5_MAX_NAME_SIZE], const char *name, size_t size);

// Returns the declaration with the name name[size], in any spelling that has the same key. Returns
// NULL if it does not exist.
md5_decl_entry *md5i_find_entry(const md5_game *game, md5_decl_type type, const char *name,
                                size_t size);

// Like md5i_find_entry(), but adds an implicit declaration, which has no text, if the declaration
// does not exist. Returns NULL and sets the context's error if memory runs out.
md5_decl_entry *md5i_find_or_add_entry(md5_game *game, md5_decl_type type, const char *name,
                                       size_t size);

// Implements public functions that return a parsed declaration by its name. Calls `parse` at the
// first request. Like the engine, creates an implicit declaration for a missing material or skin.
// For other missing declarations returns NULL. If memory runs out, returns NULL and sets `error`.
typedef bool md5_parse_fn(md5_game *game, md5_decl_entry *entry);
const void *md5i_request_decl(md5_game *game, md5_decl_type type, const char *name,
                              md5_parse_fn *parse, md5_error *error);

// == Errors =======================================================================================

// Reports an error in a declaration, with the text that the engine prints. In engine mode the error
// makes the declaration invalid: *lex->is_defaulted becomes true. In lenient mode the message also
// contains the text `expected`, and the caller continues to read.
void md5i_decl_error(const md5_decl_lex *lex, const char *expected, const char *format, ...)
    MD5_PRINTF(3, 4);

#endif
