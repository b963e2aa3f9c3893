// The files of a game: the best of each name among all search paths.
#ifndef MD5_GAME_FILES_H
#define MD5_GAME_FILES_H

#include "md5/game/game.h"

// Fills game->files and game->entries. Returns false if memory runs out.
bool md5i_game_index_files(md5_game *game);

// Returns the file of a name as the engine would find it, or NULL.
const md5_game_entry *md5i_game_find_file(const md5_game *game, const char *name);

// Opens a file of at most `most` bytes, 0 = any; close it with md5i_game_close_file(). Returns NULL
// with a reason in error->message.
const char *md5i_game_open_file(const md5_game *game, const md5_game_entry *entry, size_t most,
                                size_t *size, md5_error *error);
void md5i_game_close_file(const md5_game *game, const md5_game_entry *entry, const char *bytes,
                          size_t size);

// When a file was last changed: see md5_game_path.time.
int64_t md5i_game_file_time(const md5_game *game, const md5_game_entry *entry);

#endif
