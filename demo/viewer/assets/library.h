// Game libraries: the names of the entities, models, clips and skins of a game, and the addresses
// of these items.
//
// The location of a game is a folder or an archive. It can also be several of them, separated by
// "|", with a mod before its base: "games/mod|games/base". A path that exists is one location even
// if it contains "|".
#ifndef DEMO_VIEWER_ASSETS_LIBRARY_H
#define DEMO_VIEWER_ASSETS_LIBRARY_H

#include "demo/viewer/base/log.h"

// Returns true if a location can be opened as a game: any path that is not a folder, or a folder
// with declarations or archives of a game.
bool view_is_game(const char *path);

// Returns true if a file has another format and is converted when it is opened.
bool view_is_converted(const char *path);

// Returns the folders and archives of a location, without slashes at their ends. Files of the first
// have priority. Free the list with common_free_list().
common_list view_split_location(const char *location);

// Returns a location followed by the locations bases[num_bases]. If `num_bases` is 0, appends the
// base of the game. This is the folder "base" or "q4base" next to the folder, if it exists. The
// caller frees the text.
char *view_with_bases(const char *location, const char **bases, size_t num_bases);

// Returns the title of a location for the interface, such as "games/mod + base". It consists of the
// first path and the last components of the other paths. The caller frees it.
char *view_location_title(const char *location);

// -- Libraries -----------------------------------------------------------------------------------
//
// An opened game folder, archive, or any folder of MD5 files, with the names of its content.
//
// The address of an item is "PLACE::NAME", such as "games/base::monster_imp" or
// "maps.pk4::models/imp/walk.md5anim". PLACE is the location of the game, as above. NAME is the
// name of an entity, a model or a file in the game. "::" and the name of a skin may follow, to show
// a character in this skin. No name in a game contains "::".

typedef enum view_section {
    VIEW_ENTITIES, // entities whose models are MD5 files
    VIEW_MODELS,   // modelDefs, then .md5mesh files
    VIEW_ANIMS,    // .md5anim files
    VIEW_SKINS,
    VIEW_NUM_SECTIONS,
} view_section;

// Read-only except the game, which must be used by one thread at a time.
typedef struct view_library {
    uint32_t num_users; // reference count, decreased by view_drop_library()
    char *location;     // see view_split_location()
    common_game_paths search_paths;
    size_t num_mod_paths; // number of `search_paths` that belong to the first location, which is
                          // the mod
    md5_game *game;
    md5_load_opts opts; // options of the game and of files loaded from it; they report warnings
    view_log *log;      // receives the warnings, or NULL
    const char **names[VIEW_NUM_SECTIONS]; // names[section][num_names[section]]
    size_t num_names[VIEW_NUM_SECTIONS];
} view_library;

// Callback of the thread that opens a library. Receives the number of files so far, and returns
// false to abort.
typedef bool view_opening_fn(void *user, size_t num_files);

// Opens a folder or an archive, or a mod over its base. `on_file` may be NULL. Returns NULL and
// sets `error` on failure, or if `on_file` returned false. The memory is limited as by
// md5_create_game(). Free the library with view_drop_library().
view_library *view_open_library(const char *location, view_opening_fn *on_file, void *user,
                                md5_error *error);

// Releases a reference to a library. The last release frees the library. The reference count is not
// atomic, so all references to one library must be added and released on the same thread. NULL is
// allowed.
void view_drop_library(view_library *library);

// Returns true if a name belongs to the mod itself: the name is a file of the mod, or is declared
// in one. Returns false if the library has no base.
bool view_is_from_mod(const view_library *library, view_section section, size_t name);

// The parts of an address. view_read_address() returns false if the text is a path. Free them with
// view_free_address().
typedef struct view_address {
    char *location;
    char *name;
    char *skin; // or NULL
} view_address;
bool view_read_address(const char *text, view_address *address);
void view_free_address(view_address *address);

// Returns true if a text is an address, not a path.
bool view_is_address(const char *text);

// Returns an address, to be freed. `skin` may be NULL.
char *view_make_address(const char *location, const char *name, const char *skin);

// Writes up to three names of a library that are similar to `query`, for error messages: "a, b, c",
// or "". The time is linear in the number of names.
void view_list_similar(const view_library *library, const char *query, char *text, size_t size);

// -- On a thread ---------------------------------------------------------------------------------
//
// Opens a library on a thread, so that a window remains responsive.

typedef struct view_scan {
    char *location; // location that is opened; other members are private to library.c
} view_scan;

// Starts to open a folder or an archive. Errors are returned by view_end_scan().
view_scan *view_begin_scan(const char *location);

// Returns true if the scan has ended. Sets *num_files to the number of files found so far.
bool view_is_scan_done(view_scan *scan, size_t *num_files);

// Waits for the end and frees the scan. Returns the library, or NULL and an error.
view_library *view_end_scan(view_scan *scan, md5_error *error);

// Stops and frees a scan. NULL is allowed.
void view_stop_scan(view_scan *scan);

#endif
