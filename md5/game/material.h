// Materials, for declarations that refer to them.
#ifndef MD5_GAME_MATERIAL_H
#define MD5_GAME_MATERIAL_H

#include "md5/game/decls.h"

// Returns the material of a name, parsed, implicit if no file declares it. Returns NULL and sets
// the context's error if memory runs out.
md5_decl_entry *md5i_parse_material_of(md5_game *game, const char *name, size_t size);

// The same for a declaration.
bool md5i_parse_material(md5_game *game, md5_decl_entry *entry);

#endif
