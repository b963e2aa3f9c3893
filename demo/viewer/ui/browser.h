// The list of files, of clips, or of the contents of a game. The user can type a filter.
//
// A list is opened for a purpose (view_list_purpose), which determines the command for the chosen
// entry. view_browser is the state of the list.
#ifndef DEMO_VIEWER_UI_BROWSER_H
#define DEMO_VIEWER_UI_BROWSER_H

#include "demo/viewer/ui/ui.h"

typedef enum view_browser_kind {
    VIEW_BROWSE_NOTHING, // closed
    VIEW_BROWSE_FILES,
    VIEW_BROWSE_CLIPS,
    VIEW_BROWSE_CHANNEL, // clips for a channel of an entity
    VIEW_BROWSE_GAME,    // a section of a game's contents
} view_browser_kind;

// The kind of an entry. Tabs and the purpose of the list select entries by their kind.
typedef enum view_entry_kind {
    VIEW_ENTRY_MODEL, // a model or a machine
    VIEW_ENTRY_ANIM,
    VIEW_ENTRY_CAMERA,
    VIEW_ENTRY_PICTURE,
    VIEW_ENTRY_LIGHT,  // LIGHT and MAP are listed only when an image is requested
    VIEW_ENTRY_MAP,    // a joint map for retargeting
    VIEW_ENTRY_OTHER,  // a file of another format, converted when opened
    VIEW_ENTRY_FOLDER, // a folder or an archive
    VIEW_ENTRY_CLIP,   // a clip of the open model
    VIEW_ENTRY_NAMED,  // an item of a game
} view_entry_kind;

// An entry of the list: a file, a folder, a clip, or an item of a game.
typedef struct view_entry {
    view_entry_kind kind;
    char *label;
    char *path;       // path of the file, or name of the item of a game; NULL for a clip
    size_t clip;      // index of the clip
    bool is_from_mod; // the item belongs to the mod, not to its base game
    bool is_shown;    // the item is currently open
    bool is_missing;  // the recent file does not exist any more
    bool is_in_game;  // the path of the recent item is an address in a game
} view_entry;

// The purpose of a list of files: the kinds of files that it accepts, and the command that uses the
// chosen file.
typedef struct view_list_purpose {
    unsigned accepted_kinds; // one bit per view_entry_kind; 0: models, clips and cameras
    view_command answer;     // command for the chosen file; VIEW_NOTHING: open the file
    char *form;     // path of `answer`, in which "\1" is replaced by the file's path, or NULL
    bool is_folder; // a folder is chosen, not a file
    view_overlay returns_to; // overlay that reopens when the list is closed
    bool is_dropped; // a model was dropped on the open model; buttons offer other uses of it
} view_list_purpose;

// The state of the list. At most one list is open.
typedef struct view_browser {
    view_browser_kind kind;
    view_browser_kind was; // kind before it was closed; the entries are still valid
    view_list_purpose purpose;
    char *folder;     // listed folder or title; NULL: recent files, or no title
    uint32_t channel; // channel that the clips are listed for
    view_entry *entries;
    size_t num_entries;
    size_t *found; // [num_found] indices of the listed entries
    size_t num_found;
    size_t num_hidden;
    size_t selected;      // index into `found`: the entry that Enter opens
    char filter[4200];    // filter text, or a typed path
    unsigned shows;       // kinds that the tabs select, as in view_list_purpose.accepted_kinds
    bool selects_all;     // typed text replaces the filter
    bool is_peeking;      // the selected entry is enlarged
    bool shows_hidden;    // show names that begin with a dot
    bool shows_locations; // a small window shows the locations instead of the entries
    bool reveals;         // scroll until the selected entry is visible
    size_t num_rows;      // visible rows in the last frame
    size_t per_row;       // tiles per row in the last frame
    // Locations: recent files, home, the model's folder, examples, root, then games. "" stands for
    // a missing location.
    common_list locations;

    // Only for VIEW_BROWSE_GAME.
    char *on;            // name of the open item, or NULL
    size_t num_from_mod; // items of the mod
    bool shows_mod_only; // omit the base game
    view_section section;
    size_t num_in_section[VIEW_NUM_SECTIONS];
    bool is_scanning;   // the game is being read and has no entries yet
    size_t num_scanned; // files so far
} view_browser;

// Opens a list of the clips of the scene, of the files in the folder of the scene, or of the clips
// for channel `channel` of the scene's entity. If this list of clips or files is already open,
// closes it. If the scene has no clips to list, closes the list and returns false.
bool view_open_browser(view_browser *browser, view_browser_kind kind, uint32_t channel,
                       const view_scene *scene);

// Lists a folder. "" lists the recently opened files. `shown` is the path to select, or NULL.
void view_browse_folder(view_browser *browser, const char *folder, const char *shown,
                        const view_config *config);

// Moves the files with these paths to the beginning of the list.
void view_list_first(view_browser *browser, const common_list *paths);

// view_close_browser() hides the list but keeps its entries. view_clear_browser() also frees them.
void view_close_browser(view_browser *browser);
void view_clear_browser(view_browser *browser);

// Handles a key while the list is open, before any panel receives it. `code` is a key code of
// platform.h. Returns VIEW_NOTHING if the list is closed or does not use the key. The key may then
// be a letter of the filter.
view_command view_key_browser(view_browser *browser, int32_t code);

// Sets the filter and finds the listed entries. A text that is too long is truncated.
void view_filter_list(view_browser *browser, const char *text);

// The background color of the large preview.
#define VIEW_PREVIEW_COLOR VIEW_CONTROL

// -- Contents of a game folder or an archive: entities, models, clips and skins --------------

// Lists a section of a library. `shown` is the name of the item to select, or NULL.
void view_list_section(view_browser *browser, const view_library *library, view_section section,
                       const char *shown);

// Shows an empty list while the library at `location` is read.
void view_list_scan(view_browser *browser, const char *location);

// Draws the dialog of the open list and handles its input.
void view_browser_panel(view_ui *ui, view_browser *browser);

#endif
