// Game folders on disk, as places for md5_open_game(): the folder itself, then its archives, .pk4
// and .pak.
#ifndef DEMO_COMMON_GAME_FOLDER_H
#define DEMO_COMMON_GAME_FOLDER_H

#include "md5/md5game.h"

typedef struct common_game_places {
    md5_game_path *paths; // [count] best first
    char **titles;        // [count] the paths of the folders and archives
    size_t count;
} common_game_places;

// Adds a game folder behind those that are there: add a mod before its base. Archives come by name,
// ignoring case, the last one first. Prints a warning to standard error for each archive that
// cannot be read, and for entries that are left out. Returns false if there is no such folder.
bool common_add_game_folder(common_game_places *places, const char *folder);

// Frees all places, after md5_free_game().
void common_free_game_places(common_game_places *places);

#endif
