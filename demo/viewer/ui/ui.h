// The interface over the picture: panels, lists and the time bar. `view_stage` is what it shows.
#ifndef DEMO_VIEWER_UI_UI_H
#define DEMO_VIEWER_UI_UI_H

#include "demo/viewer/base/config.h"
#include "demo/viewer/base/keys.h"
#include "demo/viewer/base/panel.h"
#include "demo/viewer/draw/draw.h"
#include "demo/viewer/ui/graph_layout.h"

// == Lists of files, clips and textures, and of the contents of a game (browser.c) ========

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

    // Of a game: first all names of a section, then the groups that are listed.
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

// Lists a folder of files; `shown`: the path of the one that is shown, or NULL.
void view_browse_folder(view_browser *browser, const char *folder, const char *shown,
                        const view_config *config);

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

// -- Contents of a game folder or an archive: entities, models, clips and skins --------------

// Lists a section of a library. `shown`: the name of what is shown, which is chosen, or NULL.
void view_list_section(view_browser *browser, const view_library *library, view_section section,
                       const char *shown);

// Lists nothing yet: the library of `place` is being opened.
void view_list_scan(view_browser *browser, const char *place);

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
} view_graph_view;

// Frees what was laid out; the layer stays chosen.
void view_clear_graph(view_graph_view *view);

// == The core: what a panel is made of (ui.c) =============================================
//
// A panel is one function that draws itself and answers the mouse in one go; it is run for each
// picture, and for each event of the mouse, without drawing then. It changes the values that the
// stage lets it change; everything else that the user wants is a command.
//
// An item is a rectangle that the mouse can hit. It is known by its panel and its number in it, not
// by its address, since what it shows may move. Of items over each other the last one is on top.

// -- State ----------------------------------------------------------------------------------

// Where the mouse is, in pixels, and what it has just done: nothing while a picture is drawn.
typedef struct ui_mouse {
    float x, y;
    bool is_pressed, is_moved;
    float wheel; // steps
} ui_mouse;

typedef struct ui_item_id {
    const char *panel; // NULL: none
    uint32_t number;   // from 1
} ui_item_id;

typedef struct view_ui {
    view_canvas *canvas; // of the current run
    ui_mouse mouse;
    bool is_event;        // it is run for an event, not for a picture
    bool has_taken;       // an item has used the event
    view_command command; // that an item answers the event by; takes over its `path`
    ui_item_id item;      // the last one of the run
    ui_item_id top;       // of those so far, the last one below the mouse
    ui_item_id hot;       // the topmost below the mouse
    ui_item_id active;    // whose value follows the mouse until the button is released
    float low, high;      // the range of the active slider when it was pressed
    const char *held;     // the panel whose value the last press has changed
    bool is_on_figures;   // the mouse is on their panel, also beside its rows

    // Of a panel that is scaled down towards (fit_x, fit_y), from canvas vertex `first` on.
    float fit_x, fit_y, fit;
    uint32_t first;
    view_rect space; // the next row that ui_slider() takes
    float label_width, value_width;

    // For tests: the place of the first item whose "panel/label" begins with these words.
    const char *sought;
    view_rect found;

    view_browser browser;
    view_graph_view graph;
    float hierarchy_scroll; // lines
    float shown_scroll;     // on its way there, if it moves smoothly
    bool is_smooth;         // after view_follow()
    int32_t hovered_joint;  // in the list, -1 = none
    int32_t chosen_joint;   // that was clicked on, likewise
    char notice[256];       // shown at the bottom until notice_end, in seconds since the start
    double notice_end;
} view_ui;

// -- Panels and items -----------------------------------------------------------------------

// Begins a panel. Its name is the word for it in the log and in tests.
void ui_begin(view_ui *ui, const char *panel);

// Scales down what was drawn since, if its rows are, see ui_rows().
void ui_end(view_ui *ui);

// Adds an item. Returns whether it was pressed.
bool ui_item(view_ui *ui, view_rect rect, const char *label);

// Draws the box of a panel and begins it: the box is its first item, and is not scaled down.
bool ui_box(view_ui *ui, const char *panel, view_rect box, const char *label);

// Whether the mouse is on any item of the panel.
bool ui_is_panel_hot(const view_ui *ui);

// From when it `is_pressed` on, the last item follows the mouse. While it does, sets `part` to
// where the mouse is on a track, 0 to 1, and returns true.
bool ui_drag(view_ui *ui, bool is_pressed, view_rect track, float *part);

// -- Rows -----------------------------------------------------------------------------------

// Begins a panel of rows and draws them where they are placed, which is what ui_end() scales. Those
// with a number for a click are items; returns the number of the one that was pressed, or 0.
// Sliders and switches take their spaces.
int32_t ui_rows(view_ui *ui, const char *panel, view_rows *rows);

// The next row: a name, a slider, and a text at the right, or NULL. A click on the name sets the
// `usual` value; NULL: the name is part of the slider. Returns whether `value` was changed.
bool ui_slider(view_ui *ui, const char *name, view_color name_color, const char *text,
               view_color text_color, float low, float high, const float *usual, float *value);

// The next row: a name and a box or, if it `is_button`, a disc, with the name of a key. Returns
// whether it was pressed.
bool ui_switch(view_ui *ui, const char *name, bool is_set, bool is_button, const char *key);

// -- Lists ----------------------------------------------------------------------------------

// Lines of text, of which those from `first` on are shown, as many as `rows` has room for. What it
// shows of a line is `text`, moved to the right by `indent`.
typedef struct ui_list {
    view_rect rows;
    size_t count, first;
    float highlight;         // how much wider than the rows that of the chosen line is, pixels
    float bar_x;             // where the scroll bar is, if there are more lines
    size_t hovered, pressed; // lines; SIZE_MAX: none
} ui_list;

// How many lines the rectangle has room for.
size_t ui_list_room(const view_ui *ui, view_rect rows);

// A line of a list, which is an item. Sets `hovered` and `pressed`.
void ui_line(view_ui *ui, ui_list *list, size_t line, bool is_chosen, float indent,
             view_color color, const char *label, const char *text);
void ui_scroll_bar(view_ui *ui, const ui_list *list);

// == The panels (panels.c) ================================================================

// The part of the picture that no panel covers, in pixels: there the user's camera shows the model.
// Does not read stage->region, which is computed from it.
view_rect view_free_region(const view_stage *stage);

// The keys of the mode that the document is in, as the help lists them; returns the number of
// lines.
uint32_t view_current_keys(const view_document *document, view_key_line lines[VIEW_MAX_KEY_LINES]);

// The joint that is hovered over or chosen, or -1.
int32_t view_marked_joint(const view_ui *ui, const view_scene *scene);

// -- Drawing and input ----------------------------------------------------------------------

// Without an event, adds panels, if they are shown, and open lists to the stage's canvas. With one,
// draws nothing and returns what it asks for. VIEW_NOTHING: no part of the interface was hit, or
// moving the mouse does not change the picture. From a press on that changes a value until the
// caller clears ui->held and ui->active, the value follows the mouse.
view_command view_run_ui(view_ui *ui, const view_stage *stage, const ui_mouse *event);

// -- What is shown, and where ---------------------------------------------------------------

// Small windows, in which panels of full width leave no space between them, have small panels:
// fewer figures.
static inline bool view_is_compact(const view_stage *stage)
{
    return stage->width < 1000.0f * stage->font->scale;
}

// Whether the machine with its parameters, or the time bar, is shown beside the figures.
static inline bool view_shows_machine(const view_stage *stage)
{
    return view_mode_of(stage->document) == VIEW_MODE_MACHINE && !stage->shown->help
           && !stage->shown->hierarchy;
}

static inline bool view_shows_bar(const view_stage *stage)
{
    return !view_shows_machine(stage) && view_clock(&stage->document->scene) != NULL;
}

#define VIEW_BAR_HEIGHT 40.0f // in units of layout

// The upper edge of the time bar, or the lower one of the picture.
static inline float view_bar_top(const view_stage *stage)
{
    const float height = (VIEW_MARGIN + VIEW_BAR_HEIGHT) * stage->font->scale;
    return stage->height - (view_shows_bar(stage) ? height : 0.0f);
}

// -- The panels -----------------------------------------------------------------------------

#define VIEW_DOT "  \xE2\x80\xA2  " // between the parts of a text

// Lists and places the rows of a panel; where its box is then.
typedef void view_list_fn(const view_stage *stage, view_rows *rows);
view_rect view_box_of(const view_stage *stage, view_list_fn *list);

// Figures of the document, at the left: info.c.
view_list_fn view_list_figures;
void view_figures_panel(view_ui *ui, const view_stage *stage);

// What they say of a spot and of a joint:
//
// From one spot to another in the pose that was skinned last, in model space and its units.
md5_vec3 view_pick_difference(const view_scene *scene, const view_pick *from, const view_pick *to);

// A matrix from where the character stands and is turned to the model's space, as in its file.
md5_mat34 view_model_from_world(const view_scene *scene);

// The joint relative to its parent, if it has one, or in model space.
md5_mat34 view_joint_matrix(const view_scene *scene, uint32_t joint, bool in_parent);

// A state machine at the right.
view_list_fn view_list_machine;

// Its state graph in a box, which is at least 20 em wide, or nothing is drawn: graph.c.
void view_graph_panel(view_ui *ui, const view_stage *stage, view_rect box);

// The open list, over everything: browser.c.
void view_browser_panel(view_ui *ui, const view_stage *stage);

#endif
