// Where a game lies: a folder or an archive, or several of them, the mod before its base, as
// "games/mod|games/base". A path that exists is one place even if it contains "|".
#ifndef DEMO_VIEWER_ASSETS_LIBRARY_H
#define DEMO_VIEWER_ASSETS_LIBRARY_H

#include "demo/viewer/base/log.h"

// Whether a path is no folder, or one with what games have: declarations or archives.
bool view_is_game(const char *path);

// Whether a file is of another format, and is converted when it is opened.
bool view_is_converted(const char *path);

// Returns the folders and archives of a place, best first, without slashes at their ends. Free with
// common_free_list().
common_list view_split_place(const char *place);

// Returns a place with others behind it; if there are none, with the engine's base: the folder
// "base" or "q4base" beside a mod's folder, if that is a game. To be freed.
char *view_with_bases(const char *place, const char **bases, size_t num_bases);

// Returns a title: the first path, then the last components of the others, "games/mod + base". To
// be freed.
char *view_title_of_place(const char *place);

// -- Libraries -----------------------------------------------------------------------------------
//
// A game folder, an archive, or any folder of MD5 files, opened: what there is to show in it, by
// names.
//
// What lies in it is addressed as "PLACE::NAME", such as "games/base::monster_imp" or
// "maps.pk4::models/imp/walk.md5anim": the place of the game, as above, and the name of
// an entity, a model or a file within, and for a character in another skin "::" and the skin's
// name. No name in a game contains "::".

typedef enum view_section {
    VIEW_ENTITIES, // whose models are of MD5 files
    VIEW_MODELS,   // modelDefs, then .md5mesh files
    VIEW_ANIMS,    // .md5anim files
    VIEW_SKINS,
    VIEW_NUM_SECTIONS,
} view_section;

// Read-only but for the game, which one thread at a time may use.
typedef struct view_library {
    uint32_t num_users; // who calls view_drop_library(); who takes it counts itself
    char *place;        // see view_split_place()
    common_game_places places;
    size_t num_own; // of them, those of the first folder or archive: the mod's
    md5_game *game;
    md5_load_opts opts; // of the game, and of what is loaded from it: they report warnings
    view_log *log;      // where these go now, or NULL
    const char **names[VIEW_NUM_SECTIONS];
    size_t num_names[VIEW_NUM_SECTIONS];
} view_library;

// Called by the thread that opens a library: a number of files that grows. Opening ends if it
// returns false.
typedef bool view_opening_fn(void *user, size_t num_files);

// Opens a folder or an archive, or a mod over its base; `on_file` may be NULL. Returns NULL and
// sets `error` on failure, or if `on_file` ended it. Memory is limited as by md5_create_game().
// Free with view_drop_library().
view_library *view_open_library(const char *place, view_opening_fn *on_file, void *user,
                                md5_error *error);

// A library is freed with its last user. On one thread only. NULL is allowed.
void view_drop_library(view_library *library);

// Whether a name is of the mod itself: a declaration in a file of it, or a file. False if there is
// no base.
bool view_is_own(const view_library *library, view_section section, size_t name);

// The parts of an address; texts are freed by view_free_address(). False if it is none: a path.
typedef struct view_address {
    char *place, *name, *skin; // skin: or NULL
} view_address;
bool view_read_address(const char *text, view_address *address);
void view_free_address(view_address *address);

// Makes an address; `skin` may be NULL. To be freed.
char *view_make_address(const char *place, const char *name, const char *skin);

// Writes up to three names of a library that are like `asked`: "a, b, c"; "" if there are none.
// Time: linear in the names.
void view_list_similar(const view_library *library, const char *asked, char *text, size_t size);

// -- On a thread ---------------------------------------------------------------------------------
//
// Opens a library on a thread of its own, so that a window stays responsive.

typedef struct view_scan {
    char *place; // that is opened; the rest is library.c's
} view_scan;

// Begins to open a folder or an archive. Never fails; what goes wrong is an error at the end.
view_scan *view_begin_scan(const char *place);

// Returns whether the scan has ended. Before that, the number of files that were found so far is
// in *num_files.
bool view_has_scanned(view_scan *scan, size_t *num_files);

// Waits for the end and frees the scan. Returns the library, or NULL and an error.
view_library *view_end_scan(view_scan *scan, md5_error *error);

// Stops and frees a scan. NULL is allowed.
void view_stop_scan(view_scan *scan);

#endif
