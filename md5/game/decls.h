// Which file declares which name.
#ifndef MD5_GAME_DECLS_H
#define MD5_GAME_DECLS_H

#include "md5/game/decl_lex.h"

// Reads the files of declarations and fills game->decls. Returns false if memory runs out.
bool md5i_game_index_decls(md5_game *game);

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

#endif
