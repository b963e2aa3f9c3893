// Parsing of tables, materials and skins on request, for declarations that refer to them.
#ifndef MD5_MATERIAL_MATERIAL_H
#define MD5_MATERIAL_MATERIAL_H

#include "md5/decl/game.h"
#include "md5/md5material.h"

// Parses a table if it has not been parsed: entry->parsed becomes an md5_table. Returns false if
// memory runs out.
bool md5i_parse_table(md5_game *game, md5_decl_entry *entry);

// Returns the value of a table at `x`. `x` counts cycles, so 1 is the end of the table. As in the
// engine, a table with one value returns 1 everywhere. Returns 0 if `x` is not finite.
float md5i_sample_table(const md5_table *table, float x);

// Return the parsed material or skin with a name. If no file declares it, add an implicit one.
// Return NULL and set the context's error if memory runs out.
md5_decl_entry *md5i_parse_material_named(md5_game *game, const char *name, size_t size);
md5_decl_entry *md5i_parse_skin_named(md5_game *game, const char *name, size_t size);

#endif
