// Game folders on disk, as places for md5_create_game(): the folder itself, then its archives, .pk4
// and .pak; or an archive by itself.
#ifndef DEMO_COMMON_GAME_FOLDER_H
#define DEMO_COMMON_GAME_FOLDER_H

#include "md5/md5game.h"

typedef struct common_game_places {
    md5_game_path *paths; // [count] best first
    char **titles;        // [count] the paths of the folders and archives
    size_t count;
    // Called for each folder while its files are listed, with their number so far; if it returns
    // false, the listing ends there. NULL: not called.
    bool (*goes_on)(void *user, size_t num_files);
    void *user;
} common_game_places;

// Adds a game folder behind those that are there: add a mod before its base. Archives come by name,
// ignoring case, the last one first. Prints a warning to standard error for each archive that
// cannot be read, and for entries that are left out. Returns false if there is no such folder.
bool common_add_game_folder(common_game_places *places, const char *folder);

// Adds an archive, whatever its name ends in. Returns false and writes why it cannot be read to
// `reason` (160 bytes are enough).
bool common_add_game_archive(common_game_places *places, const char *path, char *reason,
                             size_t size);

// Frees all places, after md5_destroy_game().
void common_free_game_places(common_game_places *places);

#endif
