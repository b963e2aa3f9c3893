// Game folders on disk, as places for md5_create_game(): the folder itself, then its archives, .pk4
// and .pak; or an archive by itself.
//
// Archives come from anywhere. Sizes are checked against limits and against the file before memory
// is taken; entries that could do harm, or that no game could ask for, are left out.
#ifndef DEMO_COMMON_GAME_FOLDER_H
#define DEMO_COMMON_GAME_FOLDER_H

#include "md5/md5game.h"

#include <stddef.h>
#include <stdint.h>

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

// == Archives: zip files, as .pk4 archives are, through libzip, and Quake's .pak files
// =============

typedef struct common_archive common_archive;

// Why an archive or an entry cannot be read: one line.
typedef struct common_fault {
    char text[160];
} common_fault;

// Called for each entry that is left out, or hidden by a later one of its name. `name` is as it is
// stored, with bytes that no terminal may show, and may be "".
typedef void common_archive_warn(void *user, const char *name, const char *fault);

// Opens an archive and reads its list of files. The first bytes decide its kind. Returns NULL and
// fills `fault` if it is none, or if this build reads no zip files. The file stays open. `warn` may
// be NULL; it is called for the first few entries. Free with common_close_archive().
common_archive *common_open_archive(const char *path, common_archive_warn *warn, void *user,
                                    common_fault *fault);
void common_close_archive(common_archive *archive);

// The files, in the order of the archive's list; names as they are stored.
size_t common_archive_count(const common_archive *archive);
const char *common_archive_name(const common_archive *archive, size_t file);
uint64_t common_archive_size(const common_archive *archive, size_t file);

// Reads a file; free() the result, which is not NULL for 0 bytes. Returns NULL and fills `fault` if
// its bytes are damaged or memory runs out.
char *common_archive_read(common_archive *archive, size_t file, size_t *size, common_fault *fault);

#endif
