// Tables, for declarations that refer to them.
#ifndef MD5_GAME_TABLE_H
#define MD5_GAME_TABLE_H

#include "md5/game/decls.h"

// Parses a table, unless that has been done: entry->parsed becomes an md5_table. Returns false if
// memory runs out.
bool md5i_parse_table(md5_game *game, md5_decl_entry *entry);

#endif
