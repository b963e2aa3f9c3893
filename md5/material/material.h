// Tables, materials and skins, for declarations that refer to them.
#ifndef MD5_MATERIAL_MATERIAL_H
#define MD5_MATERIAL_MATERIAL_H

#include "md5/decl/game.h"
#include "md5/md5material.h"

// Parses a table if it has not been parsed: entry->parsed becomes an md5_table. Returns false if
// memory runs out.
bool md5i_parse_table(md5_game *game, md5_decl_entry *entry);

// Returns the value at x, in cycles: x = 1 is the end of the table. As in the engine, a table of
// one value is 1 everywhere. Returns 0 if x is not finite.
float md5i_table_at(const md5_table *table, float x);

// Return the material or the skin of a name, parsed; an implicit one if no file declares it. Return
// NULL and set the context's error if memory runs out.
md5_decl_entry *md5i_parse_material_of(md5_game *game, const char *name, size_t size);
md5_decl_entry *md5i_parse_skin_of(md5_game *game, const char *name, size_t size);

#endif
