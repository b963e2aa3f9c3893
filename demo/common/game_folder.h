// Game folders on disk, as places for md5_create_game(): the folder itself with its archives, .pk4,
// .pk3, .zip and .pak; or an archive by itself.
//
// Archives come from anywhere. Sizes are checked against limits and against the file before memory
// is taken; entries that could do harm, or that no game could ask for, are left out.
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
    // Called for an archive that cannot be read, whose `name` is "", and for the first few entries
    // that are left out or hidden by a later one of their name. `name` is as it is stored, with
    // bytes that no terminal may show. NULL: a line is printed to standard error.
    void (*warn)(void *user, const char *name, const char *fault);
    void *user;
} common_game_places;

// Adds a game folder with its archives behind those that are there: add a mod before its base.
// Archives come by name, ignoring case, the last one first: as in Quake .pak files before the
// folder, by their numbers, as in Doom 3 others behind it. A path that is no folder is an archive:
// a zip file through libzip or a .pak file of Quake, by its first bytes, whatever its name ends in;
// it stays open. Returns false and writes to error->message why an archive cannot be read, or that
// this build reads no zip files.
bool common_add_game_place(common_game_places *places, const char *path, md5_error *error);

// Whether a path has the ending of an archive.
bool common_is_archive(const char *path);

// Whether a path is a folder, or a file with that ending.
bool common_holds_files(const char *path);

// Whether such a path looks like a game: an archive, or a folder of archives or of declarations.
bool common_is_game_folder(const char *path);

// Frees all places, after md5_destroy_game().
void common_free_game_places(common_game_places *places);

#endif
