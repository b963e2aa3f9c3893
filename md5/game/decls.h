// Which file declares which name, what an error in a declaration means, and the declarations that
// others refer to.
#ifndef MD5_GAME_DECLS_H
#define MD5_GAME_DECLS_H

#include "md5/game/decl_lex.h"

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
// The two verdicts on a declaration: what happens to it after an error.

// Where an unknown word stands.
typedef enum md5_word_place { MD5_WORD_MATERIAL, MD5_WORD_STAGE, MD5_WORD_MODEL } md5_word_place;

// Reports an error, in the engine's words. In the engine's verdict it spoils the declaration:
// *lex->is_defaulted becomes true. In the lenient verdict the warning also says what was expected,
// and the caller goes on reading.
void md5i_decl_error(const md5_decl_lex *lex, const char *expected, const char *format, ...)
    MD5_PRINTF(3, 4);

// In the lenient verdict: skips the arguments of an unknown word that has just been read. If it is
// a word of another engine, these are the arguments that it has there; else the rest of the line up
// to a brace.
void md5i_skip_unknown_word(md5_decl_lex *lex, const md5_token *word, md5_word_place place);

// Reports an unknown word that has just been read, as "WHAT 'word'", or, in the lenient verdict, as
// one of another engine if one is known to have it. `name` is that of the declaration, or NULL if
// the message does without. Then skips its arguments, unless it spoils the declaration, as
// md5i_decl_error() does.
void md5i_unknown_word(md5_decl_lex *lex, const md5_token *word, md5_word_place place,
                       const char *what, const char *name, const char *expected);

// == Tables =======================================================================================
//
// Tables, for declarations that refer to them.

// Parses a table, unless that has been done: entry->parsed becomes an md5_table. Returns false if
// memory runs out.
bool md5i_parse_table(md5_game *game, md5_decl_entry *entry);

// Returns the value at x, in cycles: x = 1 is the end of the table. A table of one value is 1
// everywhere, as in the engine. If x is not finite, returns 0.
float md5i_table_at(const md5_table *table, float x);

// == Materials ====================================================================================
//
// Materials, for declarations that refer to them.

// Returns the material of a name, parsed, implicit if no file declares it. Returns NULL and sets
// the context's error if memory runs out.
md5_decl_entry *md5i_parse_material_of(md5_game *game, const char *name, size_t size);

// == Skins ========================================================================================
//
// Skins, for declarations that refer to them.

// Returns the skin of a name, parsed, implicit if no file declares it. Returns NULL and sets the
// context's error if memory runs out.
md5_decl_entry *md5i_parse_skin_of(md5_game *game, const char *name, size_t size);

#endif
