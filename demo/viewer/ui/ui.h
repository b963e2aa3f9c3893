// The user interface over the image: panels, lists and the time bar.
//
// Each panel is a function on the immediate-mode core below (`view_ui`, the ui_ functions). Panels
// read the scene, camera and options from a `view_stage`. They return a `view_command` for changes
// that they cannot make themselves.
#ifndef DEMO_VIEWER_UI_UI_H
#define DEMO_VIEWER_UI_UI_H

#include "demo/viewer/draw/draw.h"
#include "demo/viewer/ui/graph_layout.h"

// == Thumbnails of files ==================================================================

// A preview of a file or of an item of a game. A panel requests it with ui_thumbnail(). It is
// loaded in the background, appears some frames later, and is freed when no panel displays it.
enum { VIEW_MAX_THUMBNAILS = 96 };
enum { VIEW_INVITING = 8 }; // seconds: see view_ui.end_at
typedef struct view_thumbnail {
    char *wish;            // path of the file, or view_preview_request(); NULL: unused
    bool is_in_game;       // an item of the game that is listed
    bool is_seen;          // a panel displayed it in this frame
    bool is_made;          // the following fields are valid
    bool is_wrong;         // the file cannot be read
    md5gl_texture texture; // 0: no preview
    uint32_t width;        // pixels
    uint32_t height;       // pixels
    uint32_t num_missing;  // images that an item of a game lacks
    char facts[192];       // lines of text, the most important first
} view_thumbnail;

// == Lists of files and clips, and of the contents of a game (browser.c) ========

typedef enum view_browser_kind {
    VIEW_BROWSE_NOTHING, // closed
    VIEW_BROWSE_FILES,
    VIEW_BROWSE_CLIPS,
    VIEW_BROWSE_CHANNEL, // clips for a channel of an entity
    VIEW_BROWSE_GAME,    // a section of a game's contents
} view_browser_kind;

typedef enum view_entry_kind {
    VIEW_ENTRY_MODEL, // or a machine; the kinds from here to PICTURE are files
    VIEW_ENTRY_ANIM,
    VIEW_ENTRY_CAMERA,
    VIEW_ENTRY_PICTURE,
    VIEW_ENTRY_LIGHT,  // LIGHT and MAP are listed only when an image is requested
    VIEW_ENTRY_MAP,    // a joint map for retargeting
    VIEW_ENTRY_OTHER,  // a file of another format, converted when opened
    VIEW_ENTRY_FOLDER, // or an archive
    VIEW_ENTRY_CLIP,   // a clip of the open model
    VIEW_ENTRY_NAMED,  // an item of a game
} view_entry_kind;

typedef struct view_entry {
    view_entry_kind kind;
    char *label;
    char *path; // NULL: a clip, or an item of a mod
    size_t clip;
    bool is_own;     // an item of the mod, not of its base game
    bool is_shown;   // currently open
    bool is_missing; // a recent file that does not exist any more
    bool is_in_game; // a recent item whose path is an address in a game
} view_entry;

// Purpose of a file list.
typedef struct view_list_purpose {
    unsigned takes; // accepted kinds, one bit per view_entry_kind; 0: models, clips and cameras
    view_command answer; // command with `form` as its path; VIEW_NOTHING: open the file
    char *form;          // path in which "\1" is replaced by the file's path; NULL: only the path
} view_list_purpose;

typedef struct view_browser {
    view_browser_kind kind;
    view_browser_kind was; // kind before it was closed; the entries are still valid
    view_list_purpose asked;
    char *folder;     // listed folder or title; NULL: recent files, or no title
    uint32_t channel; // channel that the clips are listed for
    view_entry *entries;
    size_t num_entries;
    size_t *found; // [num_found] indices of the listed entries
    size_t num_found;
    size_t num_hidden;
    size_t selected;   // index into `found`: the entry that Enter opens
    char filter[4200]; // filter text, or a typed path
    unsigned shows;    // kinds that the tabs select, as in view_list_purpose.takes
    bool selects_all;  // typed text replaces the filter
    bool is_peeking;   // the selected entry is enlarged
    bool shows_hidden; // show names that begin with a dot
    bool shows_places; // a small window shows the locations instead of the entries
    bool reveals;      // scroll until the selected entry is visible
    size_t num_rows;   // visible rows in the last frame
    size_t per_row;    // tiles per row in the last frame

    // Only for VIEW_BROWSE_GAME.
    char *on;          // name of the open item, or NULL
    size_t num_own;    // items of the mod
    bool is_own_alone; // omit the base game
    view_section section;
    size_t num_in_section[VIEW_NUM_SECTIONS];
    bool is_scanning;   // the game is being read and has no entries yet
    size_t num_scanned; // files so far
} view_browser;

// Opens a list of the clips of the scene, of the files in the folder of the scene, or of the clips
// for channel `number` of the entity of the scene. Closes the list instead if it already shows
// clips or files of the same kind. Closes the list and returns false if the scene has no clips to
// list.
bool view_open_browser(view_browser *browser, view_browser_kind kind, uint32_t number,
                       const view_scene *scene);

// Lists a folder. "" lists the recently opened files. `shown` is the path to select, or NULL.
void view_browse_folder(view_browser *browser, const char *folder, const char *shown,
                        const view_config *config);

// Moves the files with these paths to the beginning of the list.
void view_list_first(view_browser *browser, const common_list *paths);

// view_close_browser() hides the list. view_clear_browser() also frees its entries.
void view_close_browser(view_browser *browser);
void view_clear_browser(view_browser *browser);

// Handles a key before all other panels while the list is open. Returns VIEW_NOTHING if the list is
// closed or does not use the key, which may be a letter for the filter. `code` is a key code of
// platform.h.
view_command view_key_browser(view_browser *browser, int32_t code);

// Sets the filter and lists the matching entries. Truncates a long text.
void view_filter_list(view_browser *browser, const char *text);

// Background of the large preview.
#define VIEW_PREVIEW_COLOR VIEW_CONTROL

// -- Contents of a game folder or an archive: entities, models, clips and skins --------------

// Lists a section of a library. `shown` is the name of the item to select, or NULL.
void view_list_section(view_browser *browser, const view_library *library, view_section section,
                       const char *shown);

// Shows an empty list while the library at `place` is read.
void view_list_scan(view_browser *browser, const char *place);

// == The page of the selected mesh, and images for it (textures.c) ========================

// Statistics and defects of a mesh, computed when the mesh is first displayed.
typedef struct view_mesh_facts {
    const md5_mesh *mesh;    // the mesh
    uint32_t num_joints;     // joints that influence the mesh
    uint32_t min_influences; // minimum number of influences per vertex
    view_mesh_defects faults;
} view_mesh_facts;

typedef struct view_texture_panel {
    uint32_t column;  // index of the selected map
    uint32_t hovered; // 1 + index of the map under the mouse; 0: none
    view_mesh_facts facts;
    char *offered; // path of a dropped image whose map is not selected yet, or NULL
    char *saved;   // path for the next save, or NULL
    bool replaces; // `saved` is an existing file
} view_texture_panel;

// Forgets the dropped image and the path for the next save.
void view_clear_textures(view_texture_panel *panel);

void view_mesh_page(struct view_ui *ui);

// == Overlays =============================================================================

// The panel that is open over the image. Only one is open at a time; an error covers it.
typedef enum view_overlay {
    VIEW_OVERLAY_NONE,
    VIEW_OVERLAY_MENU, // a menu of the bar, or a context menu
    VIEW_OVERLAY_SEARCH,
    VIEW_OVERLAY_CARD,
    VIEW_OVERLAY_FILES, // view_browser (browser.c)
    VIEW_OVERLAY_EXPORT,
    VIEW_OVERLAY_SETTINGS,
    VIEW_OVERLAY_START, // the start page, which reappears when the overlay over it is closed
} view_overlay;

// A dialog for the options of a command (settings.c). Also the state of the editors of options,
// which the settings and the touch panel use.
typedef struct view_card {
    const view_command_row *row; // command that opened the card, or NULL
    char **before;               // [view_num_options] texts of its options when it was opened
    float length;                // height of its rows, pixels
    float label_width;           // longest name of a number, pixels; 0 outside of the card
    float moved[2];              // displacement by dragging, pixels
    float grip[2];               // position of the mouse minus `moved` at the press, pixels
    const view_option *focused;  // option whose first field gets the focus next, or NULL
    const view_option *opened;   // option whose list of values is open, or NULL
    uint32_t line;               // index of the value of `opened` that the list is for
    const view_option *wrong;    // option whose last value was invalid, or NULL
    char problem[256];           // error message for `wrong`
    const view_option *waits;    // option that becomes `waiting` at the time `due`
    char *waiting;               // text, or NULL
    double due;                  // seconds since the start
    bool closes;                 // close the card when `waiting` was applied successfully
    uint32_t typing;             // number of the item whose text is `typed`; 0: none
    char typed[512];
    char filter[64];  // of the open list
    char sought[64];  // search text of the settings
    float hue;        // remembered while the color is grey, 0 to 1
    bool picks_color; // the next click in the viewport selects its color
} view_card;

// == Hover preview ========================================================================

// Applies the value of an option, or a clip as --animation-index, while the mouse rests on it in a
// list. The previous value is restored when the mouse leaves.
#define VIEW_TRIAL_DELAY 0.15 // seconds
typedef struct view_trial {
    const view_option *option; // option under the mouse, or NULL
    char text[128];
    double due;     // when the preview begins, seconds since the start
    double shown;   // `due` of the current preview
    char *before;   // value to restore, to be freed; NULL: no preview
    view_play play; // playback of the clip before the preview
    size_t clip;
} view_trial;

// Requests a preview of a value while the last item is under the mouse. Ignores options that read
// files.
void ui_try(struct view_ui *ui, const view_option *option, const char *text);

// == The page of a model that is retargeted (retarget.c) ==================================

typedef struct view_retarget_page {
    bool is_closed;
    bool is_short;          // omit joints that were matched by equal names
    uint32_t picked;        // 1 + joint of the other model that is being matched; 0: none
    char saved[512];        // path of the last saved file, or ""
    view_retargeting *made; // retargeting that the page displays
} view_retarget_page;

#define VIEW_RETARGET_WIDTH 38.0f // minimum width of the inspector, em

// Numbers of the command VIEW_SAVE_RETARGETED.
enum { VIEW_SAVE_CLIP, VIEW_SAVE_CLIPS, VIEW_SAVE_MAP };

// == Menus and the search for commands (menu.c) ===================================

typedef enum view_menu_kind {
    VIEW_NO_MENU,
    VIEW_MENU_OF_BAR,
    VIEW_MENU_OF_CONTEXT, // of the clicked item
    VIEW_MENU_SEARCH,
} view_menu_kind;

enum { VIEW_NUM_USED = 16 };

// The item that a context menu refers to. Its commands contain the same values.
enum { VIEW_TARGET_TEXT = 4097 };
typedef struct view_target {
    unsigned context; // VIEW_ON_*
    size_t number;
    size_t item;
    char name[VIEW_TARGET_TEXT]; // "": none, or too long
    char path[VIEW_TARGET_TEXT]; // likewise
} view_target;

typedef struct view_menus {
    view_menu_kind kind;
    view_menu menu; // selected menu of the bar
    view_target target;
    float x;                     // left edge, pixels
    float y;                     // top edge, pixels
    char group[192];             // name of the open submenu; "": none
    const view_command_row *row; // command of `group`
    size_t selected;             // line that the keys selected; SIZE_MAX: none
    size_t first;                // topmost visible line
    size_t inner_first;          // topmost visible line of the submenu
    float last_x;                // previous position of the mouse
    char text[256];              // search text
} view_menus;

// == The state graph of a machine (graph.c) ===============================================

enum { VIEW_TAKEN_EDGES = 8 };
typedef struct view_taken_edge {
    uint32_t edge; // MD5_NONE: none
    double time;   // of the machine, seconds
} view_taken_edge;

// The displayed layer, its position and zoom, and its cached layout.
typedef struct view_graph_view {
    uint32_t layer;
    float zoom;   // 0: fits the panel
    float x;      // left edge of the graph relative to the panel, pixels
    float y;      // top edge of the graph relative to the panel, pixels
    float grip_x; // last position of the mouse while dragging
    float grip_y;
    uint32_t hovered;                        // state or edge under the mouse; 0: none
    uint32_t running;                        // active edge, or MD5_NONE
    view_taken_edge taken[VIEW_TAKEN_EDGES]; // newest first
    view_graph *graph;                       // layout for the following fields
    uint64_t fingerprint;
    float scale;
    uint32_t laid_out; // layer
    view_graph_area area_of_layout;
} view_graph_view;

// Frees the layout. The selected layer is unchanged.
void view_clear_graph(view_graph_view *view);

// == Curves of a joint over the clip, and its distance to another (curves.c) ==============

enum { VIEW_NUM_VALUE_KINDS = 3 }; // position, degrees, quaternion
typedef float view_joint_values[VIEW_NUM_VALUE_KINDS][4];

typedef struct view_curves {
    view_joint_values *values; // [num_frames of `anim`] of the joint, relative to its parent
    const md5_anim *anim;      // NULL: none
    uint32_t joint;
    md5_root root;
    uint32_t kind;           // displayed kind of values
    uint32_t compared_frame; // displayed frame of the distances
    uint32_t revealed;       // row that the table was scrolled to
} view_curves;

// == Errors and warnings (reports.c) =======================================================

// The lines of a file around an error.
enum { VIEW_EXCERPT_LINES = 7, VIEW_EXCERPT_BYTES = 128 };
typedef struct view_excerpt {
    uint64_t error_key; // view_log.num_errors when it was read, or the hash of a report
    uint32_t first;     // number of the first line, from 1
    uint32_t count;     // number of lines
    uint32_t caret;     // byte in the wrong line
    bool is_cut;        // the lines are truncated at their beginning
    char lines[VIEW_EXCERPT_LINES][VIEW_EXCERPT_BYTES];
} view_excerpt;

typedef struct view_problems {
    char filter[64];
    size_t selected; // index among the problems that match the filter
    size_t shown;    // 1 + the report whose lines are displayed; 0: none
    bool has_keys;
    char *repair;   // description of the repair, one change per line; NULL: no dialog
    char *broken;   // path of the file to repair
    char *repaired; // path of the repaired file
} view_problems;

// Closes the dialog of a repair.
void view_forget_repair(view_problems *problems);

// == The start page (start.c) =============================================================

typedef struct view_start {
    bool is_open;
    common_list recent;   // paths
    common_list examples; // paths
    common_list pages;    // titles of the lessons
    uint32_t missing;     // bit i: recent file i does not exist
} view_start;

// Closes the start page and frees its lists.
void view_clear_start(struct view_ui *ui);

// == The export dialog (export.c) =========================================================

typedef enum view_export_kind {
    VIEW_EXPORT_PICTURE,
    VIEW_EXPORT_MOVIE,
    VIEW_EXPORT_TURNTABLE,
    VIEW_EXPORT_SHEET,
    VIEW_EXPORT_MODEL, // the model and its clips, converted
} view_export_kind;

// Input of the user: indices into lists of choices, and texts as typed. The dialog shows a default
// in place of an empty text.
typedef struct view_export_choices {
    uint32_t kind; // view_export_kind
    uint32_t clips;
    uint32_t size;
    uint32_t format;
    uint32_t samples;
    uint32_t background;
    uint32_t labels;
    uint32_t model_format;
    char range[24];
    char frames[16];
    char sheet[16];
    char resolution[24];
    char rate[16];
    char folder[512];
    char name[128];
} view_export_choices;

typedef struct view_export {
    bool is_set; // view_select_export() has initialized `choices`
    view_export_choices choices;
    bool asks; // the question about an existing file is open

    // Set by the caller:
    bool has_desktop;    // the desktop has a dialog to select a folder
    common_list endings; // file extensions of the model formats
    char problem[256];   // reason why export is disabled, or ""
    char *output;        // value of --output
    char *line;          // equivalent command line, or NULL
    char *file;          // first output file, or NULL
    bool exists;         // an output file already exists
    uint32_t done;       // finished images
    uint32_t total;      // images; 0: no export is running
    double left;         // remaining time, seconds

    bool is_small; // the dialog is too small for the preview
    bool is_stale; // the preview must be rendered again
    md5gl_texture preview;
    float preview_shape; // width divided by height
    double bytes;        // estimated file size; 0: unknown
    double next;         // earliest time of the next preview, seconds since the start
} view_export;

#define VIEW_EXPORT_PANEL "export"
enum { VIEW_FOLDER_OF_EXPORT = 1 }; // number of the command VIEW_OPEN_FOLDER
void view_export_panel(struct view_ui *ui);

// Writes the choices to `options`, after it has initialized them on the first call. A `number` of 2
// or more is appended to the file name. Returns false and sets `problem` if a choice is invalid.
// The caller frees `output` with view_free_export().
bool view_select_export(view_export *export, const view_stage *stage, unsigned number,
                        view_options *options);
void view_free_export(view_export *export);

// Writes the choices, except the range of the clip, as one line, to be freed. view_read_choices()
// returns false and changes nothing if the text is invalid.
char *view_write_choices(const view_export_choices *choices);
bool view_read_choices(view_export_choices *choices, const char *text);

// == The core of the interface (ui.c) =====================================================
//
// A panel is a function that draws itself and handles the mouse. It runs once per frame, and once
// per mouse event without drawing. It directly changes the values that the stage allows. Any other
// request of the user becomes a command.
//
// An item is a rectangle that reacts to the mouse. It is identified by its panel and its number in
// the panel, not by an address, because the data that it displays may move. If items overlap, the
// last one is on top.

// -- State ----------------------------------------------------------------------------------

// Input state of one run: position of the mouse in pixels, and the event of the mouse or keyboard.
// There is no event when a frame is drawn.
typedef struct ui_mouse {
    float x;
    float y;
    bool is_pressed;
    bool is_moved;
    bool is_double; // second press of a double click
    bool is_right;  // click of the right button, which opens a context menu
    float wheel;    // steps
    float dragged;  // pixels downward, by a finger on a scrollable area
    int32_t key;    // of platform.h; 0: none
    bool shift;
    bool control;
    bool alt;
    const char *text; // typed text, or NULL
} ui_mouse;

typedef struct ui_item_id {
    const char *panel; // NULL: none
    uint32_t number;   // from 1
} ui_item_id;

// Scroll position in pixels. `shown` approaches `wanted` if scrolling is smooth.
typedef struct ui_scroll {
    float wanted;
    float shown;
} ui_scroll;

// Scroll positions: one per dock, then other columns.
enum {
    UI_SCROLL_SETTINGS = VIEW_NUM_DOCKS,
    UI_SCROLL_START,
    UI_SCROLL_REPORT,
    UI_SCROLL_EXPORT,
    UI_SCROLL_EXPORT_SIDE,
    UI_SCROLL_CARD,
    UI_SCROLL_FILES,
    UI_SCROLL_PLACES,
    UI_NUM_SCROLLS,
};

// Rows below each other, scrolled in an area.
typedef struct ui_column {
    view_rect area;
    ui_scroll *scroll;
    float y;        // top of the next row
    float margin;   // left and right of texts
    view_rect clip; // clip rectangle of the canvas outside of the column
    bool is_hot;    // the mouse is over an item of the column
    bool has_focus; // an item of the column has the keyboard focus
} ui_column;

// Sections that can be folded.
typedef enum ui_section_number {
    UI_SECTION_MESHES,
    UI_SECTION_CLIPS,
    UI_SECTION_LAYERS,
    UI_SECTION_JOINTS,
    UI_SECTION_LIGHTS,
    UI_SECTION_MATERIALS,
    UI_SECTION_PLACE,
    UI_SECTION_WEIGHTS,
    UI_SECTION_TRIGGERS,
    UI_SECTION_PARAMETERS,
    UI_SECTION_CHANNELS,
    UI_SECTION_TIME,
    UI_SECTION_MODEL,
    UI_SECTION_STATISTICS,
    UI_SECTION_SPOT,
    UI_SECTION_MATERIAL_LIST,
    UI_SECTION_MATERIAL,
    UI_SECTION_MORPHS,
    UI_SECTION_LIMITS,
    UI_SECTION_TWO,
    UI_SECTION_LOOKED,
    UI_SECTION_TEXTURES,
    UI_SECTION_SHAPE,
    UI_SECTION_FAULTS,
    UI_SECTION_UV,
    UI_SECTION_STATES,
    UI_SECTION_FLAGS,
} ui_section_number;

enum { VIEW_MAX_MATERIALS = 256 }; // materials of further meshes are not listed

enum { UI_MAX_FOLDED = 1024 }; // joints with a larger index cannot be folded

// State of the interface: the input of the current run, and the state of each panel.
typedef struct view_ui {
    const view_stage *stage; // valid during view_run_ui()
    view_scene *scene;       // scene of `stage`
    view_canvas *canvas;     // canvas of `stage`
    float scale;             // pixels per layout unit
    float em;                // em of the font, pixels
    float line;              // line height of the font, pixels
    view_rect window;        // area for dialogs, below the menu bar
    ui_mouse mouse;
    bool is_event;        // this run handles an event and does not draw
    bool is_touched;      // touch screen: rows are higher
    bool has_taken;       // an item has handled the event
    view_command command; // response of an item to the event; owns its `path`
    ui_item_id item;      // the last item so far in this run
    ui_item_id top;       // the last item under the mouse so far in this run
    ui_item_id hot;       // the topmost item under the mouse
    ui_item_id active;    // item whose value follows the mouse until the button is released
    ui_item_id focus;     // item that receives keys: a field, or an item reached by Tab
    view_rect focus_rect; // rectangle of that item in the last run
    bool is_focus_there;  // that item exists in this run
    bool is_focus_shown;  // the focus has a visible frame: from Tab until the mouse is used
    bool selects_all;     // typed text replaces the text of the focused field
    bool takes_next;      // Tab was pressed: the next item gets the focus
    // File that the previous viewer was opening or recording when it crashed, or "".
    char lost[1024];
    bool loses_movie;    // that file is an unfinished movie
    double lost_seconds; // length of that movie
    // When the card after the first minute opens, seconds since the start. A notice precedes it
    // by VIEW_INVITING seconds. 0: never; negative: the card is open.
    double end_at;
    ui_item_id before; // Tab: previous item that can get the focus
    const char *modal; // panel above all others, the only one that receives keys; NULL: none
    float low;         // minimum of the active slider when it was pressed
    float high;        // maximum of the active slider when it was pressed
    const char *held;  // panel whose value the last press has changed

    view_rect space; // rectangle of the next row for ui_slider()
    float label_width;
    float value_width;

    // For tests: finds the rectangle of the first item whose "panel/label" begins with `sought`.
    const char *sought;
    view_rect found;
    char found_text[VIEW_MAX_LINE]; // text of the item if it is an ui_row()

    view_overlay over; // set by view_open_overlay()
    view_browser browser;
    // Paths: recent files, home, the model's folder, examples, root ("": missing), then games.
    common_list places;
    view_thumbnail pictures[VIEW_MAX_THUMBNAILS];
    view_menus menu;
    view_card card;
    view_trial trial;
    const view_command_row *used[VIEW_NUM_USED]; // last used commands, for the command search
    size_t num_used;
    view_graph_view graph;
    view_docks docks;
    ui_scroll scrolls[UI_NUM_SCROLLS];
    ui_column *column; // column that contains the next items, or NULL
    bool is_smooth;    // after view_follow()
    float scroll_rest; // fraction of a line that a finger has scrolled, pixels
    char filter[64];   // of the outliner
    bool is_headless;  // the outliner lists only one section
    uint32_t folded;   // bit i: section i of ui_section_number is folded
    uint64_t folded_joints[UI_MAX_FOLDED / 64]; // one bit per joint
    uint64_t open_layers;                       // one bit per layer
    int32_t revealed_joint;                     // joint that the outliner was scrolled to
    int32_t hovered_joint;                      // joint under the mouse in a list; -1: none
    int32_t selected_joint;                     // clicked joint; -1: none
    int32_t measured_from;     // joint at which the measured distance begins; -1: none
    int32_t selected_material; // first mesh with the selected material; -1: none
    // Selected mesh; -1: none. Only one of mesh, material and joint is selected at a time.
    int32_t selected_mesh;
    double lit_end; // until when the edges of the mesh are highlighted, seconds since the start
    view_pick lit;  // vertex of the row under the mouse
    bool keeps_lit; // until the next press
    view_curves curves;
    char notice[256]; // shown at the bottom until notice_end
    char tip[320];    // tooltip of the item under the mouse; "": none
    // When the mouse entered the item, seconds since the start; INFINITY: the item was pressed.
    double tip_since;
    bool is_tip_shown;
    view_start start;
    view_excerpt excerpt; // of the error in the log
    view_problems problems;
    view_export export;
    view_texture_panel textures;
    view_retarget_page retarget;
    double notice_end;         // seconds since the start
    view_action notice_action; // command of a click on the notice
} view_ui;

// Opens an overlay and closes the previous one. VIEW_OVERLAY_NONE closes the overlay.
void view_open_overlay(view_ui *ui, view_overlay over);

// Updates `over` after the file list was opened or closed.
void view_sync_overlay(view_ui *ui);

// -- Panels and items -----------------------------------------------------------------------

// Begins a panel. The log and tests use its name.
void ui_begin(view_ui *ui, const char *panel);

// Adds an item. Returns true if it was pressed.
bool ui_item(view_ui *ui, view_rect rect, const char *label);

// Draws the background of a panel and begins the panel. The background is its first item.
bool ui_box(view_ui *ui, const char *panel, view_rect box, const char *label);

// Returns true and consumes the event if the event is this key, the panel receives keys and no
// other item has used the event.
bool ui_key(view_ui *ui, int32_t key);

// Returns true if the key moves the focus to another item.
static inline bool ui_passes_focus(const view_ui *ui)
{
    return ui->mouse.key == VIEW_KEY_TAB || ui->mouse.key == VIEW_KEY_F(6);
}

// Return true if the last item is under the mouse, and if it has the keyboard focus.
bool ui_is_hot(const view_ui *ui);
bool ui_is_focused(const view_ui *ui);

// Sets the tooltip of the last item if the mouse is over the item: a text, the tooltip of a
// command, or the whole text if it is wider than `width` pixels.
void ui_tip(view_ui *ui, const char *text);
void ui_tip_command(view_ui *ui, view_action action);
void ui_tip_cut(view_ui *ui, const char *text, float width);

// Opens the context menu of the last item if the item was clicked with the right button. Returns
// true if the menu was opened. `name` and `path` are copied; each may be NULL.
bool ui_context(view_ui *ui, unsigned context, size_t number, size_t item, const char *name,
                const char *path);

// A filled rectangle that can be pressed; ui_button() adds a centered text. Both return true if
// they were pressed.
bool ui_tile(view_ui *ui, view_rect rect, const char *label, bool is_selected);
bool ui_button(view_ui *ui, view_rect rect, const char *text, bool is_selected);

// An icon in the middle of an item, dim unless the mouse is over the item. Returns true if it was
// pressed.
bool ui_sign(view_ui *ui, view_rect box, const char *label, const char *sign);

// A progress bar, filled to `part`, 0 to 1.
void ui_bar(const view_ui *ui, view_rect rect, float part);

// Background of a popup, with an edge; `radius` in layout units.
void ui_popover(const view_ui *ui, view_rect box, float radius, view_color edge);

// Lines of text in a popup. Its corner is at (x, y), moved to remain in the window. If there is no
// space below `y`, the popup ends at `above`.
typedef struct ui_line {
    view_color color;
    char text[320];
} ui_line;
void ui_note(const view_ui *ui, float x, float y, float above, const ui_line *lines, size_t count);

// Draws an image in the middle of a box, as large as possible with the given aspect ratio.
void ui_image(view_ui *ui, view_rect box, md5gl_texture image, uint32_t width, uint32_t height,
              bool is_color);

// Adjacent buttons, exactly one of which is selected. Returns true if the selection has changed.
bool ui_segment(view_ui *ui, view_rect rect, const char *const *words, uint32_t count,
                uint32_t *choice);

// A text field of one line. `hint` is its label and the placeholder of an empty field. The field
// receives keys and text while it has the focus. Returns true if `text`, a buffer of `size` bytes
// with its terminator, has changed.
bool ui_field(view_ui *ui, view_rect rect, const char *hint, char *text, size_t size);

// Copies a text to the clipboard and shows the notice "Copied: WHAT" from the time `now` on.
void ui_copy(view_ui *ui, double now, const char *text, const char *what);

// Gives the focus to the next item unless an item of the same panel has it.
void ui_focus_next(view_ui *ui);

// A dialog in the middle of the window, which dims everything else and receives all presses; it
// must be modal. Sizes in pixels without the padding. Returns the area below the title.
view_rect ui_dialog(view_ui *ui, const char *panel, float width, float height, const char *title);

// Returns true if the mouse is over any item of the panel.
bool ui_is_panel_hot(const view_ui *ui);

// Lets the last item follow the mouse while the button is held, beginning when `is_pressed` is
// true. Sets `part` to the position of the mouse on the track, 0 to 1, and returns true while it
// does.
bool ui_drag(view_ui *ui, bool is_pressed, view_rect track, float *part);

// view_draw_text() and view_text_width() with the normal text size.
float ui_text(const view_ui *ui, float x, float y, float width, view_color color, const char *text);
float ui_text_width(const view_ui *ui, const char *text);

// -- Rows -----------------------------------------------------------------------------------

// A row with a name, a slider, and a text at the right, or NULL. A click on the name sets `value`
// to `usual`; if `usual` is NULL, the name is a part of the slider. Returns true if `value` has
// changed.
bool ui_slider(view_ui *ui, const char *name, view_color name_color, const char *text,
               view_color text_color, float low, float high, const float *usual, float *value);

// Draws the name of the next row. Sets `rest` to the area of its value and returns the row.
view_rect ui_next_row(view_ui *ui, const char *name, view_color color, view_rect *rest);

// A row with a name, a switch or, if it `is_button`, a disc, and the name of a key. Returns true if
// it was pressed.
bool ui_switch(view_ui *ui, const char *name, bool is_set, bool is_button, const char *key);

// -- Columns --------------------------------------------------------------------------------

// A scrollable part of a panel. Its rows are clipped to the area.
void ui_begin_column(view_ui *ui, ui_column *column, view_rect area, ui_scroll *scroll);
void ui_end_column(view_ui *ui);

// Reserves the next row of the column. Returns true if any part of it is visible.
bool ui_reserve_row(view_ui *ui, float height, view_rect *row);

// A text in up to three rows of the column, with a name at the left in ui->label_width. Returns
// true if it was pressed.
typedef struct ui_words {
    const char *name; // NULL: none; " ": reserves the space of a name
    view_color color;
    const char *hint; // key or effect, at the right; NULL: the row cannot be pressed
    bool is_title;    // large text
    bool is_fixed;    // always one line
} ui_words;
bool ui_row(view_ui *ui, const ui_words *words, const char *text);

// ui_row() with a text formatted as by printf(). It cannot be pressed.
void ui_figure(view_ui *ui, view_color color, const char *name, const char *format, ...)
    COMMON_PRINTF(4, 5);

// An empty row of half the line height.
void ui_gap(view_ui *ui);

// Icons of a folded and an open section or submenu.
#define UI_SIGN_FOLDED "\xE2\x96\xB8"
#define UI_SIGN_OPEN "\xE2\x96\xBE"

// The header of a section, with a text at the right. Returns true if the section is open.
bool ui_section(view_ui *ui, ui_section_number number, const char *title, const char *text);

// Returns the top of a text line that is vertically centered in a row.
float ui_text_top(const view_ui *ui, view_rect row);

// Draws a text that ends at `right`.
void ui_text_left_of(view_ui *ui, float right, float y, view_color color, const char *text);

// The header of a page: the name of the selected item, and a text at the right.
void ui_page_title(view_ui *ui, const char *name, const char *text);

// A row with a name and a text, which is a link if it `is_link`. Returns true if the link was
// pressed.
bool ui_pair(view_ui *ui, const char *name, const char *text, bool is_link);

// ui_pair() with a text formatted as by printf(), without a link.
void ui_fact(view_ui *ui, const char *name, const char *format, ...) COMMON_PRINTF(3, 4);

// A row of a table: a name, and right-aligned columns of numbers, each `wide` pixels wide.
enum { UI_MAX_CELLS = 5 };
typedef struct ui_cells {
    const char *name;
    char texts[UI_MAX_CELLS][32];
    uint32_t count;
    view_color color;         // color of the name
    const view_color *colors; // [count] colors of the numbers; NULL: `color`
} ui_cells;
void ui_draw_cells(view_ui *ui, view_rect row, float wide, const ui_cells *cells);

// Returns a command from the panel: an action, and members of view_command.
#define UI_COMMAND(ui, ...) ((ui)->command = (view_command){.action = __VA_ARGS__})

// -- Lists ----------------------------------------------------------------------------------

// Scrolls a list of `count` lines by the wheel or a finger. `room` lines are visible, beginning
// with `first`. Returns false without such an event.
bool ui_scroll_lines(view_ui *ui, float height, size_t room, size_t count, size_t *first);

// Returns the preview of a file, or of an item of the listed game, and requests it if needed.
// Returns NULL if the cache is full.
view_thumbnail *ui_thumbnail(view_ui *ui, const char *wish, bool is_in_game);

// Tiles in a grid that fills the width of the column. ui_next_tile() places the next tile, at least
// `least` pixels wide, and returns true if it is visible. A `count` of 0 begins a row.
typedef struct ui_grid {
    uint32_t count;   // tiles in the row so far
    uint32_t per_row; // tiles per row
    bool is_flat;     // for the caller
    bool is_seen;     // the row is visible
    float height;
    view_rect row;
} ui_grid;
bool ui_next_tile(view_ui *ui, ui_grid *grid, float least, float height, view_rect *box);

// An image above two lines of text; a wide tile has the text at the right of the image. Returns
// true if it was pressed.
typedef struct ui_thing {
    const char *label; // of the item
    const char *name;
    const char *text;
    const char *sign;              // icon instead of an image, or NULL
    const view_thumbnail *picture; // or NULL
    md5gl_texture texture;         // a square image if `picture` is NULL, or 0
    bool is_selected;
    bool is_link;
    bool is_wrong;
    bool is_grey;
    bool is_data; // the texels of the image are not colors
} ui_thing;
bool ui_thing_tile(view_ui *ui, view_rect box, const ui_thing *thing);

// A tile of a clip. Its image is requested if the tile is visible.
bool ui_clip_tile(view_ui *ui, view_rect box, size_t number, bool is_selected, bool is_seen);

// Draws a text in the middle of a box.
void ui_text_in(view_ui *ui, view_rect box, view_color color, const char *text);

// -- Parts of dialogs -----------------------------------------------------------------------

// A dialog of this size in layout units, or smaller if the window is. Sets `foot` to its last row
// and returns the area above.
view_rect ui_footed_dialog(view_ui *ui, const char *panel, float width, float height,
                           const char *title, view_rect *foot);

// Buttons as wide as their texts, at the beginning or the end of `row`, which becomes the remaining
// part of the row. `primary` is the index of a highlighted button, or -1. Returns the index of the
// pressed button, or -1.
int ui_buttons(view_ui *ui, view_rect *row, const char *const *words, int count, int primary,
               bool at_end);

// A column that keys scroll, too. It scrolls without animation.
void ui_begin_list(view_ui *ui, ui_column *column, view_rect area, ui_scroll *scroll);

// Adds a text to the column, with line breaks between words.
void ui_column_text(view_ui *ui, view_color color, const char *text);

// == The panels (panels.c) ================================================================

// Returns the part of the image that no panel covers, in pixels. The user's camera shows the model
// there. Does not read stage->region, which is computed from this function.
view_rect view_free_region(const view_stage *stage);

// Returns the VIEW_NEEDS_* bits that the document satisfies.
uint32_t view_found_needs(const view_document *document);

// Returns the VIEW_NEEDS_* bits that a command requires and the document does not satisfy.
uint32_t view_missing_needs(const view_stage *stage, const view_command_row *row);

// Delay of a tooltip, seconds.
#define VIEW_TIP_DELAY 0.5

// Opens a menu at (x, y), or the first menu of the bar. Set the target of a context menu after this
// call. view_close_menu() closes the open menu.
void view_open_menu(view_ui *ui, view_menu_kind kind, float x, float y);
void view_close_menu(view_ui *ui);

// Writes entry `number` of a list: its name, and the text that an option is set to. Returns false
// if the list has no such entry.
bool view_list_thing(const view_stage *stage, view_menu_list list, const view_option *option,
                     size_t number, char name[128], char text[128]);

// Reserves the next row of the column for ui_slider(), ui_switch() and ui_next_row().
void ui_begin_row(view_ui *ui);

// Returns the command that sets an option. The command owns the text.
static inline view_command view_set_command(const view_option *option, char *text)
{
    return (view_command){VIEW_SET, (size_t)(option - view_option_rows), 0, text};
}

// The next row of the column: the name of an option, an editor for its kind, and a reset button.
// Returns true if it was used. Changes become commands VIEW_SET. Typed texts, and options that
// reload files, are applied 0.3 s after the last change.
bool ui_setting(view_ui *ui, const view_option *option);

// Returns the delayed command if its time is reached, or VIEW_NOTHING. INFINITY returns it
// immediately.
view_command view_pop_delayed_command(view_ui *ui, double now);

// Opens the card of an option, with all options of its group. --retarget instead returns the
// command that opens the list of files, because its page opens after it was set. view_clear_card()
// frees the memory of the card.
view_command view_open_card(view_ui *ui, const view_stage *stage, size_t option);
void view_clear_card(view_card *card);
void view_card_panel(view_ui *ui);

// Returns the command that sets an option of the open card by a click in the viewport. `joint` is
// the clicked joint, or -1; `color` is the clicked color, or 0.
view_command view_pick_for_card(view_ui *ui, const view_stage *stage, int32_t joint,
                                view_color color);

// All options by headings, first the modified ones, then the shortcuts. --keys shows only the
// shortcuts.
void view_settings_panel(view_ui *ui);

// Reports the result of a delayed or immediate VIEW_SET to the open card. If it failed, the card
// shows the error and remains open.
void view_report_to_card(view_ui *ui, view_log *log, const view_option *option, bool is_set);

// The menu bar and the open menu.
void view_menu_panel(view_ui *ui);

// Lists the shortcuts that affect the document, as the help shows them. Returns the number of
// lines.
uint32_t view_current_keys(const view_document *document, view_key_line lines[VIEW_MAX_KEY_LINES]);

// The page of a model that is retargeted, which replaces the other pages of the inspector.
// view_shows_retarget() returns true if it is open.
void view_retarget_rows(view_ui *ui);
static inline bool view_shows_retarget(const view_ui *ui, const view_stage *stage)
{
    return stage->document->companions[0].model != NULL && !ui->retarget.is_closed;
}

// Opens the retargeting page in front of the other pages.
void view_show_retarget(view_ui *ui);

// Matches the joint that is selected now with the joint of the other model that was picked on the
// page, if any.
void view_match_partner(view_ui *ui, const view_stage *stage);

// Projects a point of the world to pixels; returns false if it is not near the visible region.
// view_mark_pixel() draws a marker with a name.
bool view_find_pixel(const view_stage *stage, md5_vec3 place, float at[2]);
void view_mark_pixel(const view_stage *stage, const float at[2], const char *name);

// Returns the joint under the mouse, or else the selected joint, or -1.
int32_t view_marked_joint(const view_ui *ui, const view_scene *scene);

// -- Drawing and input ----------------------------------------------------------------------

// Returns the on-screen stick that moves the model by a finger. Its reach is 0 if nothing can be
// moved or the screen is not a touch screen.
view_stick view_stick_position(const view_stage *stage);

// Runs all panels. Without an event, draws them to the canvas of the stage. With an event, draws
// nothing and returns the resulting command, or VIEW_NOTHING if no panel was hit or the event
// changes nothing visible. After a press on a value, the value follows the mouse until the caller
// clears ui->held and ui->active.
view_command view_run_ui(view_ui *ui, const view_stage *stage, const ui_mouse *event);

// -- Layout ---------------------------------------------------------------------------------

// Returns the panels that the window should contain, and their layout.
view_layout_wish view_requested_layout(const view_stage *stage);
view_layout view_current_layout(const view_stage *stage);

// Returns true if a state machine with its parameters is displayed.
static inline bool view_shows_machine(const view_stage *stage)
{
    return view_mode_of(stage->document) == VIEW_MODE_MACHINE;
}

// Returns true if the bottom dock belongs to a clip or to compared joints, not to a state graph.
static inline bool view_shows_curves(const view_stage *stage)
{
    return !view_shows_machine(stage)
           || (stage->shown->differences && stage->document->compare.model != NULL);
}

// -- The panels -----------------------------------------------------------------------------

#define VIEW_DOT "  \xE2\x80\xA2  " // separates the parts of a text

// Docks with their headers (docks.c), and their content (outliner.c, inspector.c, timebar.c).
#define VIEW_SHEET_HANDLE "handle"
void view_dock_panels(view_ui *ui);
void view_outliner(view_ui *ui, view_rect area);
void view_inspector(view_ui *ui, view_rect area);
void view_look_panel(view_ui *ui, view_rect area); // settings.c
void view_time_bar(view_ui *ui, view_rect bar);

// Activates the tab of a panel that was switched on if docks share one area.
void view_activate_opened_panels(view_ui *ui, const view_shown *before, view_shown *now);

// Resets the folded sections and scroll positions for a new document.
void view_reset_rows(view_ui *ui);

// Selects a mesh and highlights it; the inspector shows its page. `now`: seconds since the start.
void view_select_mesh(view_ui *ui, double now, uint32_t mesh);

// Selects the material of a mesh.
void view_select_material(view_ui *ui, uint32_t mesh);

// A legend for the displays of the surface in the lower right corner of the free area (surface.c).
// Its box has no width if nothing is displayed.
void view_surface_panel(view_ui *ui);

// Draws the triangles of a mesh over its texture by their texture coordinates.
void view_draw_uv(const view_stage *stage, uint32_t number, view_rect inside);

// Statistics of the document (info.c).
void view_figures_panel(view_ui *ui);

// The distance between two selected joints or two clicked points (info.c).
void view_two_panel(view_ui *ui);

// Values of the panels above.
//
// Returns the vector between two picked points in the last skinned pose, in model space and its
// units.
md5_vec3 view_pick_difference(const view_scene *scene, const view_pick *from, const view_pick *to);

// Returns the matrix from world space to the space of the model file.
md5_mat34 view_model_from_world(const view_scene *scene);

// Returns the transform of a joint, relative to its parent if it has one and `in_parent` is true,
// or in model space.
md5_mat34 view_joint_matrix(const view_scene *scene, uint32_t joint, bool in_parent);

// Names and decimal places of each kind of joint values, and names and colors of the axes.
extern const char *const view_value_names[VIEW_NUM_VALUE_KINDS];
extern const char *const view_axis_names[4];
extern const int view_value_places[VIEW_NUM_VALUE_KINDS];
extern const view_color view_axis_colors[4];
void view_find_values(md5_mat34 matrix, view_joint_values values);

// Content of the bottom dock for a clip (curves.c).
void view_curves_panel(view_ui *ui, view_rect area);

// The state graph in the bottom dock (graph.c). view_shows_graph() returns true if it is visible.
bool view_shows_graph(const view_stage *stage);
void view_graph_panel(view_ui *ui);

// Cards that ask for a decision (start.c): after a crash of the previous viewer, and after the
// first minute. view_has_choice() returns true while a card is open.
#define VIEW_CHOICE_PANEL "choice"
bool view_has_choice(const view_ui *ui);
void view_choice_panel(view_ui *ui);

// The start page, which replaces all other panels (start.c). view_start_box() returns its
// rectangle.
void view_start_panel(view_ui *ui);
view_rect view_start_box(const view_stage *stage);

// The indicator of a recording at the top, which is not recorded; a click ends the recording
// (reports.c).
void view_recording_panel(view_ui *ui, const view_stage *stage);

// The list of problems in its dock (reports.c). view_is_about_mesh() returns true if a report
// concerns a mesh of the scene.
void view_problems_panel(view_ui *ui, view_rect area);
bool view_is_about_mesh(const view_stage *stage, const view_report *report, uint32_t mesh);

// Returns true if a mesh lacks a map. A material may draw only in stages, without a texture.
// (textures.c)
bool view_lacks_image(const view_textures *textures, uint32_t mesh, md5gl_image_kind map);

// The window of the error in the log, or of the location of a problem (reports.c).
// view_open_report() returns the name of the open panel, or NULL.
void view_reports_panel(view_ui *ui);
const char *view_open_report(const view_ui *ui);

// The open file list, over all other panels (browser.c).
void view_browser_panel(view_ui *ui);

#endif
