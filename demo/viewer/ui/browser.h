// Lists of files, clips and textures, and of the contents of a game.
#ifndef DEMO_VIEWER_UI_BROWSER_H
#define DEMO_VIEWER_UI_BROWSER_H

#include "demo/viewer/assets/library.h"
#include "demo/viewer/assets/image.h"
#include "demo/viewer/base/config.h"
#include "demo/viewer/base/keys.h"
#include "demo/viewer/motion/scene.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum view_browser_kind {
    VIEW_BROWSE_NOTHING, // it is closed
    VIEW_BROWSE_FILES,
    VIEW_BROWSE_CLIPS,
    VIEW_BROWSE_TEXTURES, // of a mesh
    VIEW_BROWSE_CHANNEL,  // clips for a channel of an entity
    VIEW_BROWSE_GAME,     // a section of a game's contents
} view_browser_kind;

typedef enum view_entry_kind {
    VIEW_ENTRY_FILE,
    VIEW_ENTRY_RECENT, // a file, shown with its folder
    VIEW_ENTRY_FOLDER,
    VIEW_ENTRY_ABOVE, // the parent folder: the first entry
    VIEW_ENTRY_CLIP,
    VIEW_ENTRY_TEXTURE,
    VIEW_ENTRY_NAMED,         // in a game
    VIEW_ENTRY_GROUP,         // names in a game that begin with its path
    VIEW_ENTRY_OWN,           // the names of a mod without its base
    VIEW_ENTRY_FOUND_TEXTURE, // the one that the search finds: the first entry
} view_entry_kind;

typedef struct view_entry {
    view_entry_kind kind;
    char *label, *path; // path: NULL for a clip, a found texture and the names of a mod
    size_t clip;
    bool is_own;   // a name of the mod, not of its base
    bool is_shown; // in the picture
} view_entry;

typedef struct view_browser {
    view_browser_kind kind;
    char *folder;     // the listed one, or that of a game; a title; or NULL
    uint32_t mesh;    // that the textures are for
    uint32_t channel; // that the clips are for
    view_entry *entries;
    size_t num_entries;
    size_t *found; // [num_found] indices of entries that contain the filter
    size_t num_found;
    size_t chosen,
        first; // indices into `found`: the entry that Enter takes, the topmost visible one
    char filter[64];
    bool fresh;      // opened by a key whose text must be ignored
    size_t num_rows; // that the list had room for when it was last drawn

    // Of a game: first all names of a section, then the groups that are listed (see
    // view_go_to_group()).
    size_t num_names;
    char *group;         // the beginning of what is listed; NULL: everything
    size_t num_left_out; // bytes of each name, as they are the same: its folder
    bool is_own_alone;   // without the base
    view_section section;
    size_t num_in_section[VIEW_NUM_SECTIONS];
    bool is_scanning;   // there are no entries yet
    size_t num_scanned; // files so far
} view_browser;

// Opens a list: of the scene's clips, of the files in its folder and recent files, of its entity's
// clips for channel `number`, or of the images of the package that its model lies in, as textures
// of mesh `number`. One of clips or files that is open is closed instead. `config`: the
// configuration, or NULL. If there are no clips to list, closes the list and returns false.
bool view_open_browser(view_browser *browser, view_browser_kind kind, uint32_t number,
                       const view_scene *scene, const view_config *config);

// Lists another folder.
void view_browse_folder(view_browser *browser, const char *folder, const view_config *config);

// So many names are listed without groups.
enum { VIEW_MOST_UNGROUPED = 30 };

// Closes the list and frees its entries.
void view_clear_browser(view_browser *browser);

// The list takes keys and text before anything else while it is open: VIEW_NOTHING is returned
// if it is closed, or does not use the key. `code`: SDL_Keycode.
view_command view_key_browser(view_browser *browser, int32_t code, bool repeated);
view_command view_type_browser(view_browser *browser, const char *text);

// The name of the entry of a game that is `offset` lines below the chosen one, or NULL.
const char *view_listed_name(const view_browser *browser, long long offset);

// Of the frame that the preview is drawn on.
#define VIEW_PREVIEW_COLOR 0x2A303AFFu

// == Contents of a game ====================================================================
//
// The contents of a game folder or an archive as a list: entities, models, clips and skins.

// Lists a section of a library. `shown`: the name of what is shown, which is chosen, or NULL.
void view_list_section(view_browser *browser, const view_library *library, view_section section,
                       const char *shown);

// Lists nothing yet: the library of `place` is being opened.
void view_list_scan(view_browser *browser, const char *place);

#endif
