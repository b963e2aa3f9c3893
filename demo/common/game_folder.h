// Provides game folders on disk as search paths for md5_create_game(). A game folder is a folder
// with its archives (.pk4, .pk3, .zip and .pak), or a single archive.
//
// Archives can be hostile. Sizes are checked against limits and against the file before memory is
// allocated. Entries are skipped if they could do harm or if their names are invalid in games.
#ifndef DEMO_COMMON_GAME_FOLDER_H
#define DEMO_COMMON_GAME_FOLDER_H

#include "md5/md5game.h"

typedef struct common_game_paths {
    md5_game_path *paths; // [count] in search order
    char **titles;        // [count] paths of the folders and archives
    size_t count;
    // Your function that is called for each folder while files are listed, with the number of files
    // found so far. The listing ends if it returns false. It may be NULL.
    bool (*should_continue)(void *user, size_t num_files);
    // Your function that receives warnings. It is called with the name "" for an archive that
    // cannot be read. It is also called for the first few entries that are skipped, or hidden by a
    // later entry of the same name. `name` can contain bytes that control a terminal. If the
    // function is NULL, a line is printed to standard error.
    void (*warn)(void *user, const char *name, const char *fault);
    void *user;
} common_game_paths;

// Appends a game folder with its archives, or a single archive. Add a mod before its base. Archives
// are searched in reverse order of their names, ignoring case. Files in .pak archives precede the
// files of the folder, as in Quake. The names of .pak archives are compared by their numbers. Files
// in other archives follow the files of the folder, as in Doom 3.
//
// A path that is not a folder must be a zip file or a .pak file of Quake. The first bytes decide,
// not the extension. The archive remains open. Returns false and writes error->message if an
// archive cannot be read, or if this build does not support zip files.
bool common_add_game_path(common_game_paths *game, const char *path, md5_error *error);

// Returns true if a path has the extension of an archive.
bool common_is_archive(const char *path);

// Returns true if a path is a folder, or a file with the extension of an archive.
bool common_contains_files(const char *path);

// Returns true if a path is probably a game. It is then an archive, or a folder that contains
// archives or declarations.
bool common_is_game_folder(const char *path);

// Frees all search paths. Call it after md5_destroy_game().
void common_free_game_paths(common_game_paths *game);

#endif
