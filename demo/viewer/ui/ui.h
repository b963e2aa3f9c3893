// The interface over the picture: panels, lists and the time bar. `view_stage` is what it shows.
#ifndef DEMO_VIEWER_UI_UI_H
#define DEMO_VIEWER_UI_UI_H

#include "demo/viewer/draw/draw.h"
#include "demo/viewer/ui/graph_layout.h"

// == Small pictures of files ==============================================================

// A picture of a file or of something in a game, asked for by what shows it: it is there some
// pictures later, and lasts while it is seen.
enum { VIEW_MAX_PICTURES = 96 };
enum { VIEW_INVITING = 8 }; // seconds: see view_ui.end_at
typedef struct view_small_picture {
    char *wish;             // a path, or of a game: see view_preview_request(); NULL: unused
    bool is_in_game;        // the one that is listed
    bool is_seen, is_made;  // is_made: what follows is known
    bool is_wrong;          // the file cannot be read
    md5gl_texture texture;  // 0: cannot be shown
    uint32_t width, height; // of that
    uint32_t num_missing;   // images, of a thing in a game
    char facts[192];        // lines: the first says the most
} view_small_picture;

// == Lists of files and clips, and of the contents of a game (browser.c) ========

typedef enum view_browser_kind {
    VIEW_BROWSE_NOTHING, // it is closed
    VIEW_BROWSE_FILES,
    VIEW_BROWSE_CLIPS,
    VIEW_BROWSE_CHANNEL, // clips for a channel of an entity
    VIEW_BROWSE_GAME,    // a section of a game's contents
} view_browser_kind;

typedef enum view_entry_kind {
    VIEW_ENTRY_MODEL, // or a machine: files, from here to PICTURE
    VIEW_ENTRY_ANIM,
    VIEW_ENTRY_CAMERA,
    VIEW_ENTRY_PICTURE,
    VIEW_ENTRY_LIGHT,  // these two are listed only if they are asked for, as pictures
    VIEW_ENTRY_MAP,    // of joints
    VIEW_ENTRY_OTHER,  // a format that is converted when it is opened
    VIEW_ENTRY_FOLDER, // or an archive
    VIEW_ENTRY_CLIP,   // of what is shown
    VIEW_ENTRY_NAMED,  // in a game
} view_entry_kind;

typedef struct view_entry {
    view_entry_kind kind;
    char *label, *path; // path: NULL for a clip and the names of a mod
    size_t clip;
    bool is_own;                 // a name of the mod, not of its base
    bool is_shown;               // in the picture
    bool is_missing, is_in_game; // of recent ones: is gone, is an address
} view_entry;

// What files are listed for.
typedef struct view_asked {
    unsigned takes;      // kinds of them, a bit each; 0: models, clips and cameras
    view_command answer; // by `form` with the path in place of "\1"; VIEW_NOTHING: it is opened
    char *form;          // NULL: the path alone
} view_asked;

typedef struct view_browser {
    view_browser_kind kind;
    view_browser_kind was; // when it was closed last: its entries are still there
    view_asked asked;
    char *folder;     // the listed one, NULL: recent files; or a title, or NULL
    uint32_t channel; // that the clips are for
    view_entry *entries;
    size_t num_entries;
    size_t *found; // [num_found] indices of entries that are listed
    size_t num_found;
    size_t num_hidden;
    size_t selected;          // index into `found`: the entry that Enter takes
    char filter[4200];        // or a path that is typed
    unsigned shows;           // of what files are listed for, as `takes`
    bool selects_all;         // what is typed replaces the filter
    bool is_peeking;          // the selected one is shown large
    bool shows_hidden;        // names that begin with a dot
    bool shows_places;        // in a small window, instead of entries
    bool reveals;             // the selected one is to be moved into sight
    size_t num_rows, per_row; // that there was room for when it was last drawn

    // Of a game.
    char *on;          // the name of what is shown, or NULL
    size_t num_own;    // names of the mod
    bool is_own_alone; // without the base
    view_section section;
    size_t num_in_section[VIEW_NUM_SECTIONS];
    bool is_scanning;   // there are no entries yet
    size_t num_scanned; // files so far
} view_browser;

// Opens a list: of the scene's clips, of the files in its folder, or of its
// entity's clips for channel `number`. One of clips or files that is open is closed instead. If
// there are no clips to list, closes the list and returns false.
bool view_open_browser(view_browser *browser, view_browser_kind kind, uint32_t number,
                       const view_scene *scene);

// Lists a folder of files, "": those that were opened before; `shown`: the path of the one that is
// selected, or NULL.
void view_browse_folder(view_browser *browser, const char *folder, const char *shown,
                        const view_config *config);

// Has the files of these paths before all others of such a list.
void view_list_first(view_browser *browser, const common_list *paths);

// Closes the list; or also frees its entries.
void view_close_browser(view_browser *browser);
void view_clear_browser(view_browser *browser);

// The list takes keys before anything else while it is open: VIEW_NOTHING is returned if it is
// closed, or does not use the key, which may be one of its filter. `code`: of platform.h.
view_command view_key_browser(view_browser *browser, int32_t code);

// Lists what contains the text, which is cut if it is too long.
void view_filter_list(view_browser *browser, const char *text);

// Of the frame that the preview is drawn on.
#define VIEW_PREVIEW_COLOR VIEW_CONTROL

// -- Contents of a game folder or an archive: entities, models, clips and skins --------------

// Lists a section of a library. `shown`: the name of what is shown, which is selected, or NULL.
void view_list_section(view_browser *browser, const view_library *library, view_section section,
                       const char *shown);

// Lists nothing yet: the library of `place` is being opened.
void view_list_scan(view_browser *browser, const char *place);

// == The page of the selected mesh, and images for it (textures.c) ========================

// Figures of a mesh that are found once.
typedef struct view_mesh_facts {
    const md5_mesh *of;
    uint32_t num_joints, least; // that move it; influences of a vertex
    view_faults faults;
} view_mesh_facts;

typedef struct view_texture_panel {
    uint32_t column;  // the map that is selected
    uint32_t hovered; // 1 + the map below the mouse; 0: none
    view_mesh_facts facts;
    char *offered; // an image that was dropped and waits for its place, or NULL
    char *saved;   // the file that may be written next, or NULL
    bool replaces; // which exists
} view_texture_panel;

// Forgets what was dropped, and what may be written.
void view_clear_textures(view_texture_panel *panel);

void view_mesh_page(struct view_ui *ui);

// == What lies over the picture ===========================================================

// One thing at a time; an error is above it.
typedef enum view_over {
    VIEW_OVER_NOTHING,
    VIEW_OVER_MENU, // of the bar, or of what was clicked on
    VIEW_OVER_SEARCH,
    VIEW_OVER_CARD,
    VIEW_OVER_FILES, // a list: browser.c
    VIEW_OVER_EXPORT,
    VIEW_OVER_SETTINGS,
    VIEW_OVER_START, // the start page, which comes back when what covers it is closed
} view_over;

typedef struct view_card {
    const view_command_row *row; // of a command that it was opened by, or NULL
    char **before;               // [view_num_options] texts of its rows when it was opened
    float length;                // of its rows, pixels
    float label_width;           // of the longest name of a number, pixels; 0 outside of the card
    float moved[2], grip[2];     // by its head; where the mouse was, less that: pixels
    const view_option *focused;  // whose first field takes the focus next, or NULL
    const view_option *opened;   // whose list is, of this line of its values; or NULL
    uint32_t line;
    const view_option *wrong; // whose value could not be shown, or NULL
    char problem[256];        // why
    const view_option *waits; // that is set to `waiting` when it is `due`
    char *waiting;            // or NULL
    double due;
    bool closes;                 // as soon as that was shown
    uint32_t typing;             // the number of the item whose text is `typed`; 0: none
    char typed[512], filter[64]; // filter: of the list
    char sought[64];             // in all settings
    float hue;                   // of a color, also of grey
    bool picks_color;            // a click on the picture takes its color
} view_card;

// == What is tried ========================================================================

// The value of an option or, as --animation-index, a clip is shown while the mouse rests on it in a
// list, and taken back when the mouse leaves.
#define VIEW_TRIAL_DELAY 0.15 // seconds
typedef struct view_trial {
    const view_option *option; // below the mouse, or NULL
    char text[128];
    double due, shown; // when that is shown; the same of what is
    char *before;      // NULL: nothing is; to be freed
    view_play play;    // of the clip before
    size_t clip;
} view_trial;

// Wants to have that shown while the last item is below the mouse. What reads files is not tried.
void ui_try(struct view_ui *ui, const view_option *option, const char *text);

// == The page of a model that is retargeted (retarget.c) ==================================

typedef struct view_retarget_page {
    bool is_closed, is_short; // short: without joints that are found by equal names
    uint32_t picked;          // 1 + the other model's joint that gets a partner; 0: none
    char saved[512];          // the file that was written last, or ""
    view_retargeting *made;   // by drawing
} view_retarget_page;

#define VIEW_RETARGET_WIDTH 38.0f // em, at least, of the inspector

enum { VIEW_SAVE_CLIP, VIEW_SAVE_CLIPS, VIEW_SAVE_MAP }; // numbers of VIEW_SAVE_RETARGETED

// == Menus and the search for commands (menu.c) ===================================

typedef enum view_menu_kind {
    VIEW_NO_MENU,
    VIEW_MENU_OF_BAR,
    VIEW_MENU_OF_CONTEXT, // of what was clicked on
    VIEW_MENU_SEARCH,
} view_menu_kind;

enum { VIEW_NUM_USED = 16 };

// What a context menu is about, as it is in the commands that are about it.
enum { VIEW_TARGET_TEXT = 4097 };
typedef struct view_target {
    unsigned context; // VIEW_ON_*
    size_t number;
    size_t item;
    char name[VIEW_TARGET_TEXT], path[VIEW_TARGET_TEXT]; // "": there is none, or it is longer
} view_target;

typedef struct view_menus {
    view_menu_kind kind;
    view_menu menu; // of the bar
    view_target target;
    float x, y;                  // where it begins, pixels
    char group[192];             // the menu within that is open; "": none
    const view_command_row *row; // of that
    size_t selected;             // line, by keys; SIZE_MAX: none
    size_t first, inner_first;   // the topmost line of each
    float last_x;                // where the mouse came from
    char text[256];              // that is typed
} view_menus;

// == The state graph of a machine (graph.c) ===============================================

enum { VIEW_TAKEN_EDGES = 8 };
typedef struct view_taken_edge {
    uint32_t edge; // MD5_NONE: none
    double time;   // of the machine
} view_taken_edge;

// Which layer is shown and where, and what of it lasts from picture to picture.
typedef struct view_graph_view {
    uint32_t layer;
    float zoom, x, y;     // pixels of its corner from that of the panel; zoom 0: as it fits
    float grip_x, grip_y; // where the mouse was when it was dragged last
    uint32_t hovered;     // a number of the state or edge below the mouse; 0: none
    uint32_t running;     // edge, or MD5_NONE
    view_taken_edge taken[VIEW_TAKEN_EDGES]; // newest first
    view_graph *graph;                       // of what follows
    uint64_t fingerprint;
    float scale;
    uint32_t laid_out; // layer
    view_graph_area area_of_layout;
} view_graph_view;

// Frees what was laid out; the layer stays selected.
void view_clear_graph(view_graph_view *view);

// == Curves of a joint over the clip, and its distance to another (curves.c) ==============

enum { VIEW_NUM_VALUE_KINDS = 3 }; // position, degrees, quaternion
typedef float view_joint_values[VIEW_NUM_VALUE_KINDS][4];

typedef struct view_curves {
    view_joint_values *values; // [num_frames of `anim`] of the joint, relative to its parent
    const md5_anim *anim;      // NULL: none
    uint32_t joint;
    md5_root root;
    // What is shown: the kind of values, the frame of distances; and a row that was scrolled to.
    uint32_t kind;
    uint32_t told;
    uint32_t revealed;
} view_curves;

// == Errors and warnings (reports.c) =======================================================

// The lines of a file around the place of an error.
enum { VIEW_EXCERPT_LINES = 7, VIEW_EXCERPT_BYTES = 128 };
typedef struct view_excerpt {
    uint64_t of;           // view_log.num_errors when it was read, or the hash of a report
    uint32_t first, count; // number of the first line, from 1; how many there are
    uint32_t caret;        // byte in the wrong line
    bool is_cut;           // they begin in the middle of their lines
    char lines[VIEW_EXCERPT_LINES][VIEW_EXCERPT_BYTES];
} view_excerpt;

typedef struct view_problems {
    char filter[64];
    size_t selected; // row of those that contain the filter
    size_t shown;    // 1 + the report whose place in its file is shown; 0: none
    bool has_keys;
    char *repair;            // what would be changed in a file, by lines; NULL: it is not asked
    char *broken, *repaired; // that file, and the one that is written
} view_problems;

// Closes the dialog of a repair.
void view_forget_repair(view_problems *problems);

// == The start page (start.c) =============================================================

typedef struct view_start {
    bool is_open;
    common_list recent, examples; // paths
    common_list pages;            // titles by their numbers
    uint32_t missing;             // recent files that are gone: a bit each
} view_start;

// Closes it and frees its lists.
void view_clear_start(struct view_ui *ui);

// == The dialog of what is exported (export.c) ============================================

typedef enum view_export_kind {
    VIEW_EXPORT_PICTURE,
    VIEW_EXPORT_MOVIE,
    VIEW_EXPORT_TURNTABLE,
    VIEW_EXPORT_SHEET,
    VIEW_EXPORT_MODEL, // the model and its clips, converted
} view_export_kind;

// What the user selects: the numbers of words, and texts as they are typed, of which empty ones
// stand for what the dialog shows in their place.
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
    bool is_set; // the choices are: by view_select_export()
    view_export_choices choices;
    bool asks; // whether to replace the file

    // Told by the owner.
    bool has_desktop;     // with a dialog that the folder is selected in
    common_list endings;  // of the formats of models
    char problem[256];    // why this cannot be exported, or ""
    char *output;         // for --output
    char *line;           // the command line that does the same, or NULL
    char *file;           // that it writes first, or NULL
    bool exists;          // one of them
    uint32_t done, total; // pictures; total 0: nothing is exported now
    double left;          // seconds

    // A small picture of what is written, and about how many bytes that will have, 0: unknown.
    bool is_small; // the dialog, which has no room for it
    bool is_stale;
    md5gl_texture preview;
    float preview_shape; // width to height
    double bytes, next;  // next: seconds since the start, when it may be drawn again
} view_export;

#define VIEW_EXPORT_PANEL "export"
enum { VIEW_FOLDER_OF_EXPORT = 1 }; // the number of a command VIEW_OPEN_FOLDER
void view_export_panel(struct view_ui *ui);

// Sets what the choices say in options that describe the rest; those that were never made are set
// first. `number`: from 2 on it is added to the name. `output` is the caller's to free, with
// view_free_export(). Returns false and tells the problem if a choice cannot be read.
bool view_select_export(view_export *export, const view_stage *stage, unsigned number,
                        view_options *options);
void view_free_export(view_export *export);

// The choices as one line, to be freed; all but the range, which is of a clip. Reading returns
// false, and sets nothing, if the text is not like that.
char *view_write_choices(const view_export_choices *choices);
bool view_read_choices(view_export_choices *choices, const char *text);

// == The core: what a panel is made of (ui.c) =============================================
//
// A panel is one function that draws itself and answers the mouse in one go; it is run for each
// picture, and for each event of the mouse, without drawing then. It changes the values that the
// stage lets it change; everything else that the user wants is a command.
//
// An item is a rectangle that the mouse can hit. It is known by its panel and its number in it, not
// by its address, since what it shows may move. Of items over each other the last one is on top.

// -- State ----------------------------------------------------------------------------------

// Where the mouse is, in pixels, and what it or the keyboard has just done: nothing while a picture
// is drawn.
typedef struct ui_mouse {
    float x;
    float y;
    bool is_pressed;
    bool is_moved;
    bool is_double; // the second press of two
    bool is_right;  // a click of the right button, which opens a menu
    float wheel;    // steps
    float dragged;  // pixels downward, by a finger on what can be scrolled
    int32_t key;    // of platform.h; 0: none
    bool shift;
    bool control;
    bool alt;
    const char *text; // typed, or NULL
} ui_mouse;

typedef struct ui_item_id {
    const char *panel; // NULL: none
    uint32_t number;   // from 1
} ui_item_id;

// What is scrolled, in pixels: to where, and how far it is on its way there if it moves smoothly.
typedef struct ui_scroll {
    float wanted;
    float shown;
} ui_scroll;

// Of docks, each by its number, and of other columns.
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

// Rows below each other, of which an area shows a part.
typedef struct ui_column {
    view_rect area;
    ui_scroll *scroll;
    float y;        // of the next row
    float margin;   // of texts, from its edges
    view_rect clip; // of the canvas, outside of the column
    bool is_hot;    // the mouse is on one of its items
    bool has_focus; // so is the keyboard
} ui_column;

// Those that can be folded.
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

enum { VIEW_MAX_MATERIALS = 256 }; // those of the first meshes are listed

enum { UI_MAX_FOLDED = 1024 }; // joints; those behind are always open

typedef struct view_ui {
    const view_stage *stage; // what is shown, in view_run_ui()
    view_scene *scene;       // of that
    view_canvas *canvas;     // of the current run
    float scale, em, line;   // of its font: pixels of a layout unit, of an em, of a line of text
    view_rect window;        // that dialogs lie in: below the menu bar
    ui_mouse mouse;
    bool is_event;        // it is run for an event, not for a picture
    bool is_touched;      // by fingers: rows are higher
    bool has_taken;       // an item has used the event
    view_command command; // that an item answers the event by; takes over its `path`
    ui_item_id item;      // the last one of the run
    ui_item_id top;       // of those so far, the last one below the mouse
    ui_item_id hot;       // the topmost below the mouse
    ui_item_id active;    // whose value follows the mouse until the button is released
    ui_item_id focus;     // takes keys: a field, or what the key Tab has reached
    view_rect focus_rect; // where that was drawn last
    bool is_focus_there;  // it was met in this run
    bool is_focus_shown;  // by a frame: from Tab until the mouse is used
    bool selects_all;     // what is typed replaces the text of the field that has the focus
    bool takes_next;      // on Tab, the next item takes the focus
    char lost[1024];      // what the last viewer did not survive; "": nothing
    bool loses_movie;
    double lost_seconds;
    // When the card after the first minute comes, and before it for VIEW_INVITING seconds a line;
    // 0: never, below 0: it is there.
    double end_at;
    ui_item_id before; // on Tab, the item before that could take it
    const char *modal; // the panel above all others, which alone takes keys; NULL: none
    float low, high;   // the range of the active slider when it was pressed
    const char *held;  // the panel whose value the last press has changed

    view_rect space; // the next row that ui_slider() takes
    float label_width;
    float value_width;

    // For tests: the place of the first item whose "panel/label" begins with these words.
    const char *sought;
    view_rect found;
    char found_text[VIEW_MAX_LINE]; // if it is of ui_row()

    view_over over; // set by view_lay_over()
    view_browser browser;
    common_list places; // recent files, home, where files are, examples, root; "": none; then games
    view_small_picture pictures[VIEW_MAX_PICTURES];
    view_menus menu;
    view_card card;
    view_trial trial;
    const view_command_row *used[VIEW_NUM_USED]; // the last ones, for the search
    size_t num_used;
    view_graph_view graph;
    view_docks docks;
    ui_scroll scrolls[UI_NUM_SCROLLS];
    ui_column *column; // the items are in, or NULL
    bool is_smooth;    // after view_follow()
    float scroll_rest; // pixels that a finger has moved lines, less than one
    char filter[64];   // of the outliner
    bool is_headless;  // it lists one section alone
    uint32_t folded;   // sections: see ui_section_number
    uint64_t folded_joints[UI_MAX_FOLDED / 64], open_layers; // a bit for each of the first
    int32_t revealed_joint;                                  // that the outliner was scrolled to
    int32_t hovered_joint;                                   // in the list, -1 = none
    int32_t selected_joint;                                  // that was clicked on, likewise
    int32_t measured_from; // joint from which the distance to the selected one is shown, likewise
    int32_t selected_material; // the first mesh that has it, likewise
    int32_t selected_mesh;     // likewise; of mesh, material and joint one is selected at a time
    double lit_end; // until then the edges of the mesh are lit, in seconds since the start
    view_pick lit;  // the vertex that a row below the mouse is of
    bool keeps_lit; // until the next press
    view_curves curves;
    char notice[256]; // shown at the bottom until notice_end, in seconds since the start
    char tip[320];    // of the item below the mouse; "": it has none
    double tip_since; // the mouse is on that, likewise; INFINITY: it was pressed
    bool is_tip_shown;
    view_start start;
    view_excerpt excerpt; // of the log's error
    view_problems problems;
    view_export export;
    view_texture_panel textures;
    view_retarget_page retarget;
    double notice_end;
    view_action notice_action; // what a click on it does
} view_ui;

// Opens something over the picture and closes what lay there. VIEW_OVER_NOTHING: closes it.
void view_lay_over(view_ui *ui, view_over over);

// After the list was opened or closed.
void view_note_over(view_ui *ui);

// -- Panels and items -----------------------------------------------------------------------

// Begins a panel. Its name is the word for it in the log and in tests.
void ui_begin(view_ui *ui, const char *panel);

// Adds an item. Returns whether it was pressed.
bool ui_item(view_ui *ui, view_rect rect, const char *label);

// Draws the box of a panel and begins it: the box is its first item.
bool ui_box(view_ui *ui, const char *panel, view_rect box, const char *label);

// Whether the event is this key and for this panel, and nothing has used it. It is used then.
bool ui_key(view_ui *ui, int32_t key);

// Whether a key gives the focus to another item.
static inline bool ui_passes_focus(const view_ui *ui)
{
    return ui->mouse.key == VIEW_KEY_TAB || ui->mouse.key == VIEW_KEY_F(6);
}

// Whether the mouse is on the last item, or the keyboard.
bool ui_is_hot(const view_ui *ui);
bool ui_is_focused(const view_ui *ui);

// Explains the last item while the mouse rests on it: by a text, by the command that it gives, or
// by the whole text where that has more than `width` pixels.
void ui_tip(view_ui *ui, const char *text);
void ui_tip_command(view_ui *ui, view_action action);
void ui_tip_cut(view_ui *ui, const char *text, float width);

// A right click on the last item opens its menu. Returns whether there was one. `name` and `path`:
// to be copied, or NULL.
bool ui_context(view_ui *ui, unsigned context, size_t number, size_t item, const char *name,
                const char *path);

// What is filled, `is_selected` or not, and can be pressed; with a text in its middle it is a
// button. Returns whether it was pressed.
bool ui_tile(view_ui *ui, view_rect rect, const char *label, bool is_selected);
bool ui_button(view_ui *ui, view_rect rect, const char *text, bool is_selected);

// A sign in the middle of an item that is dim until the mouse is there. Returns whether it was
// pressed.
bool ui_sign(view_ui *ui, view_rect box, const char *label, const char *sign);

// A bar that is filled up to a part, 0 to 1.
void ui_bar(const view_ui *ui, view_rect rect, float part);

// The box of what lies over all else, with an edge around it; the radius in layout units.
void ui_popover(const view_ui *ui, view_rect box, float radius, view_color edge);

// Lines of text in such a box: its corner is at (x, y) or where it fits: if there is no room below
// `y`, it ends at `above`.
typedef struct ui_line {
    view_color color;
    char text[320];
} ui_line;
void ui_note(const view_ui *ui, float x, float y, float above, const ui_line *lines, size_t count);

// An image of that shape in the middle of a box, as large as fits.
void ui_image(view_ui *ui, view_rect box, md5gl_texture image, uint32_t width, uint32_t height,
              bool is_color);

// Words side by side, one of which is the choice. Returns whether another one was pressed.
bool ui_segment(view_ui *ui, view_rect rect, const char *const *words, uint32_t count,
                uint32_t *choice);

// A field of one line; `hint` is shown while it is empty, and is its label. While it has the focus,
// keys and text are its own. Returns whether `text`, of at most `size` bytes with its end, has
// changed.
bool ui_field(view_ui *ui, view_rect rect, const char *hint, char *text, size_t size);

// Puts a text into the clipboard, and says so, at that time: "Copied: WHAT".
void ui_copy(view_ui *ui, double now, const char *text, const char *what);

// Gives the focus to the item that comes next, unless one of its panel has it.
void ui_focus_next(view_ui *ui);

// A dialog in the middle, which dims everything else and takes all presses; it must be modal.
// Returns what is inside of it, below its title. Sizes in pixels, without the padding.
view_rect ui_dialog(view_ui *ui, const char *panel, float width, float height, const char *title);

// Whether the mouse is on any item of the panel.
bool ui_is_panel_hot(const view_ui *ui);

// From when it `is_pressed` on, the last item follows the mouse. While it does, sets `part` to
// where the mouse is on a track, 0 to 1, and returns true.
bool ui_drag(view_ui *ui, bool is_pressed, view_rect track, float *part);

// view_draw_text() and view_text_width(), of the size that all but titles have.
float ui_text(const view_ui *ui, float x, float y, float width, view_color color, const char *text);
float ui_text_width(const view_ui *ui, const char *text);

// -- Rows -----------------------------------------------------------------------------------

// The next row: a name, a slider, and a text at the right, or NULL. A click on the name sets the
// `usual` value; NULL: the name is part of the slider. Returns whether `value` was changed.
bool ui_slider(view_ui *ui, const char *name, view_color name_color, const char *text,
               view_color text_color, float low, float high, const float *usual, float *value);

// The next row, with its name; sets the part after that.
view_rect ui_next_row(view_ui *ui, const char *name, view_color color, view_rect *rest);

// The next row: a name and a box or, if it `is_button`, a disc, with the name of a key. Returns
// whether it was pressed.
bool ui_switch(view_ui *ui, const char *name, bool is_set, bool is_button, const char *key);

// -- Columns --------------------------------------------------------------------------------

// A part of a panel that is scrolled: its rows are cut off outside of the area.
void ui_begin_column(view_ui *ui, ui_column *column, view_rect area, ui_scroll *scroll);
void ui_end_column(view_ui *ui);

// The next row of the column. Returns whether any of it is seen.
bool ui_take_row(view_ui *ui, float height, view_rect *row);

// The next rows of the column: a text, in three lines at most, with a name at its left that has
// ui->label_width. Returns whether it was pressed.
typedef struct ui_words {
    const char *name; // NULL: none; " ": its place stays empty
    view_color color;
    const char *hint; // of what can be pressed: a key or what it does, at the right; else NULL
    bool is_title;    // in large letters
    bool is_fixed;    // one line, whatever it says
} ui_words;
bool ui_row(view_ui *ui, const ui_words *words, const char *text);

// The same with a text as of printf(), which cannot be pressed.
void ui_figure(view_ui *ui, view_color color, const char *name, const char *format, ...)
    COMMON_PRINTF(4, 5);

// Half a line without anything.
void ui_gap(view_ui *ui);

// Of what can be folded, and a menu within.
#define UI_SIGN_FOLDED "\xE2\x96\xB8"
#define UI_SIGN_OPEN "\xE2\x96\xBE"

// The head of a section, with a text at the right. Returns whether it is open.
bool ui_section(view_ui *ui, ui_section_number number, const char *title, const char *text);

// The top of a line in the middle of a row.
float ui_text_top(const view_ui *ui, view_rect row);

// A text that ends at `right`.
void ui_text_left_of(view_ui *ui, float right, float y, view_color color, const char *text);

// The head of a page: the name of what is selected, and a text at the right.
void ui_page_title(view_ui *ui, const char *name, const char *text);

// A row of a name and a text, which is a link if it `is_link`. Returns whether that was pressed.
bool ui_pair(view_ui *ui, const char *name, const char *text, bool is_link);

// The same with a text as of printf(), which is no link.
void ui_fact(view_ui *ui, const char *name, const char *format, ...) COMMON_PRINTF(3, 4);

// A row of a table: a name, and columns of numbers, `wide` pixels each, up to the right end.
enum { UI_MAX_CELLS = 5 };
typedef struct ui_cells {
    const char *name;
    char texts[UI_MAX_CELLS][32];
    uint32_t count;
    view_color color;         // of the name
    const view_color *colors; // [count] of the numbers; NULL: the same
} ui_cells;
void ui_draw_cells(view_ui *ui, view_rect row, float wide, const ui_cells *of);

// Asks for a command: an action, and members of view_command.
#define UI_ASK(ui, ...) ((ui)->command = (view_command){.action = __VA_ARGS__})

// -- Lists ----------------------------------------------------------------------------------

// Scrolls `count` lines, of which `room` are seen from `first` on, by the wheel or a finger.
// Returns false if neither does.
bool ui_scroll_lines(view_ui *ui, float height, size_t room, size_t count, size_t *first);

// The picture of a file, or of a wish of the listed game. NULL: there are too many.
view_small_picture *ui_picture(view_ui *ui, const char *wish, bool is_in_game);

// Tiles side by side, as many as the column has room for: the next one of a row. `height` 0 of the
// grid begins a row. Returns whether it is seen.
typedef struct ui_grid {
    uint32_t count, per_row; // count: of the row; 0 begins one
    bool is_flat;            // the caller's
    bool is_seen;
    float height;
    view_rect row;
} ui_grid;
bool ui_next_tile(view_ui *ui, ui_grid *grid, float least, float height, view_rect *box);

// A picture above two lines of text; in a wide box beside them. Returns whether it was pressed.
typedef struct ui_thing {
    const char *label, *name, *text, *sign; // label: of the item; sign: instead of a picture
    const view_small_picture *picture;      // or NULL
    md5gl_texture texture;                  // a square one in its place, or 0
    bool is_selected;
    bool is_link;
    bool is_wrong;
    bool is_grey;
    bool is_data; // the picture's texels are no colors
} ui_thing;
bool ui_thing_tile(view_ui *ui, view_rect box, const ui_thing *thing);

// Such a tile of a clip, whose picture is wanted if it is seen.
bool ui_clip_tile(view_ui *ui, view_rect box, size_t number, bool is_selected, bool is_seen);

// A text in the middle of a box.
void ui_text_in(view_ui *ui, view_rect box, view_color color, const char *text);

// -- Parts of dialogs -----------------------------------------------------------------------

// A dialog of at most that size, in layout units, or as large as the window has room for. Returns
// what is above its last row, `foot`.
view_rect ui_footed_dialog(view_ui *ui, const char *panel, float width, float height,
                           const char *title, view_rect *foot);

// Buttons as wide as their words, at the beginning or the end of a row, which becomes what is left
// of it. `primary`: the number of a selected one, or -1. Returns the number of the pressed one, or
// -1.
int ui_buttons(view_ui *ui, view_rect *row, const char *const *words, int count, int primary,
               bool at_end);

// A column that keys scroll, too, without smooth motion.
void ui_begin_list(view_ui *ui, ui_column *column, view_rect area, ui_scroll *scroll);

// A text as the next rows of the column, broken between words.
void ui_column_text(view_ui *ui, view_color color, const char *text);

// == The panels (panels.c) ================================================================

// The part of the picture that no panel covers, in pixels: there the user's camera shows the model.
// Does not read stage->region, which is computed from it.
view_rect view_free_region(const view_stage *stage);

// What a document has of what commands need: VIEW_NEEDS_*.
uint32_t view_found_needs(const view_document *document);

// What of the needs of a command the document lacks: VIEW_NEEDS_*.
uint32_t view_missing_for(const view_stage *stage, const view_command_row *row);

// How long the mouse rests on an item until that is explained, seconds.
#define VIEW_TIP_DELAY 0.5

// Opens a menu; of the bar, the first one, at (x, y); or closes the open one. The target of that of
// a context is to be set after that.
void view_open_menu(view_ui *ui, view_menu_kind kind, float x, float y);
void view_close_menu(view_ui *ui);

// What is at a place of a list, which an option is set to by `text`; false: it ends before.
bool view_list_thing(const view_stage *stage, view_menu_list list, const view_option *option,
                     size_t number, char name[128], char text[128]);

// The next row of the column, for ui_slider(), ui_switch() and ui_next_row().
void ui_begin_row(view_ui *ui);

// The command that sets an option; takes over the text.
static inline view_command view_set_command(const view_option *option, char *text)
{
    return (view_command){VIEW_SET, (size_t)(option - view_option_rows), 0, text};
}

// The next row of the column: the name of an option, the picker of its kind, and the sign that
// resets it. Returns whether that is used. What it asks for are commands VIEW_SET; those of a text
// that is typed, and of what opens the files again, wait until nothing has followed for 0.3 s.
bool ui_setting(view_ui *ui, const view_option *option);

// The one that has waited long enough, if any does. INFINITY: whatever waits.
view_command view_take_waiting(view_ui *ui, double now);

// Opens the card of an option, with all rows of its group. What has a page of its own once it is
// set is a file that is asked for: returns the command that lists files. Clearing frees what it
// holds.
view_command view_ask(view_ui *ui, const view_stage *stage, size_t option);
void view_clear_card(view_card *card);
void view_card_panel(view_ui *ui);

// What a click on the picture sets of the open card: the joint there, or -1, and the color, or 0.
view_command view_pick_for_card(view_ui *ui, const view_stage *stage, int32_t joint,
                                view_color color);

// All options by their headings, those that were changed first, and the keys; of --keys those
// alone.
void view_settings_panel(view_ui *ui);

// Whether an option could be set: if not, the open card says so in place of an error, and stays.
void view_answer_card(view_ui *ui, view_log *log, const view_option *option, bool is_set);

// The bar at the top, and the open menu.
void view_menu_panel(view_ui *ui);

// The keys that do something with the document, as the help lists them; returns the number of
// lines.
uint32_t view_current_keys(const view_document *document, view_key_line lines[VIEW_MAX_KEY_LINES]);

// The page of a model that is retargeted, in place of what else the inspector shows, and whether it
// is open.
void view_retarget_rows(view_ui *ui);
static inline bool view_shows_retarget(const view_ui *ui, const view_stage *stage)
{
    return stage->document->companions[0].model != NULL && !ui->retarget.is_closed;
}

// Opens it, in front of what lies in its place.
void view_show_retarget(view_ui *ui);

// Gives the joint of the other model that was picked there, if there is one, the joint that was
// selected now as its partner.
void view_take_partner(view_ui *ui, const view_stage *stage);

// Where a place in the world is in the picture; false: nowhere near. Marks it, with a name.
bool view_find_pixel(const view_stage *stage, md5_vec3 place, float at[2]);
void view_mark_pixel(const view_stage *stage, const float at[2], const char *name);

// The joint that is hovered over or selected, or -1.
int32_t view_marked_joint(const view_ui *ui, const view_scene *scene);

// -- Drawing and input ----------------------------------------------------------------------

// Where a finger can drive what moves the model; .reach is 0 where there is nothing to drive, or no
// finger.
view_stick view_place_stick(const view_stage *stage);

// Without an event, adds panels, if they are shown, and open lists to the stage's canvas. With one,
// draws nothing and returns what it asks for. VIEW_NOTHING: no part of the interface was hit, or
// moving the mouse does not change the picture. From a press on that changes a value until the
// caller clears ui->held and ui->active, the value follows the mouse.
view_command view_run_ui(view_ui *ui, const view_stage *stage, const ui_mouse *event);

// -- What is shown, and where ---------------------------------------------------------------

// What is laid out in the window, and where that lies.
view_layout_wish view_wish_layout(const view_stage *stage);
view_layout view_layout_of(const view_stage *stage);

// Whether a machine with its parameters is shown.
static inline bool view_shows_machine(const view_stage *stage)
{
    return view_mode_of(stage->document) == VIEW_MODE_MACHINE;
}

// Whether what is at the bottom is of a clip or of compared joints, instead of a state graph.
static inline bool view_shows_curves(const view_stage *stage)
{
    return !view_shows_machine(stage)
           || (stage->shown->differences && stage->document->compare.model != NULL);
}

// -- The panels -----------------------------------------------------------------------------

#define VIEW_DOT "  \xE2\x80\xA2  " // between the parts of a text

// Docks with their heads: docks.c. What is in them: outliner.c; inspector.c; timebar.c.
#define VIEW_SHEET_HANDLE "handle"
void view_dock_panels(view_ui *ui);
void view_outliner(view_ui *ui, view_rect area);
void view_inspector(view_ui *ui, view_rect area);
void view_look_panel(view_ui *ui, view_rect area); // settings.c
void view_time_bar(view_ui *ui, view_rect bar);

// What was switched on comes to the front where docks share one place.
void view_bring_to_front(view_ui *ui, const view_shown *before, view_shown *now);

// Another document: what was folded and scrolled to is another's.
void view_forget_rows(view_ui *ui);

// Selects a mesh, and lights it: the inspector shows its page. `now`: seconds since the start.
void view_select_mesh(view_ui *ui, double now, uint32_t mesh);

// Selects the material of a mesh.
void view_select_material(view_ui *ui, uint32_t mesh);

// What the surface shows besides, in the lower right corner of the free part: surface.c. Its box
// has no width if there is nothing.
void view_surface_panel(view_ui *ui);

// Draws the triangles of a mesh over its texture by their texture coordinates.
void view_draw_uv(const view_stage *stage, uint32_t number, view_rect inside);

// Figures of the document: info.c.
void view_figures_panel(view_ui *ui);

// From the joint that is measured from to the selected one, or between the two spots that were
// clicked on.
void view_two_panel(view_ui *ui);

// What they say of a spot and of a joint:
//
// From one spot to another in the pose that was skinned last, in model space and its units.
md5_vec3 view_pick_difference(const view_scene *scene, const view_pick *from, const view_pick *to);

// A matrix from where the character stands and is turned to the model's space, as in its file.
md5_mat34 view_model_from_world(const view_scene *scene);

// The joint relative to its parent, if it has one, or in model space.
md5_mat34 view_joint_matrix(const view_scene *scene, uint32_t joint, bool in_parent);

// The values of a joint: how each kind is called, with so many places; the axes.
extern const char *const view_value_names[VIEW_NUM_VALUE_KINDS], *const view_axis_names[4];
extern const int view_value_places[VIEW_NUM_VALUE_KINDS];
extern const view_color view_axis_colors[4];
void view_find_values(md5_mat34 matrix, view_joint_values values);

// What is at the bottom for a clip, in its dock: curves.c.
void view_curves_panel(view_ui *ui, view_rect area);

// Its state graph at the bottom: whether it is shown, and where. graph.c.
bool view_shows_graph(const view_stage *stage);
void view_graph_panel(view_ui *ui);

// Cards that ask for a decision, start.c: after a crash of the previous viewer, and after the first
// minute. view_has_choice() returns true while a card is shown.
#define VIEW_CHOICE_PANEL "choice"
bool view_has_choice(const view_ui *ui);
void view_choice_panel(view_ui *ui);

// The start page, in place of all other panels: start.c. It covers this part of the picture.
void view_start_panel(view_ui *ui);
view_rect view_start_box(const view_stage *stage);

// The sign of a recording at the top, a click on which ends it; it is no part of the movie:
// reports.c.
void view_recording_panel(view_ui *ui, const view_stage *stage);

// The list of problems in its dock, and whether one is about a mesh of the scene: reports.c.
void view_problems_panel(view_ui *ui, view_rect area);
bool view_is_about_mesh(const view_stage *stage, const view_report *report, uint32_t mesh);

// Whether a mesh lacks a map: a material may draw all in stages, without a texture. textures.c.
bool view_lacks_image(const view_textures *textures, uint32_t mesh, md5gl_image_kind map);

// The window of the log's error, or of the place of a problem: reports.c. The name of the panel, or
// NULL.
void view_reports_panel(view_ui *ui);
const char *view_open_report(const view_ui *ui);

// The open list, over everything: browser.c.
void view_browser_panel(view_ui *ui);

#endif
