// The state that all panels share (view_ui). It contains the input of a run, the items under the
// mouse and with the keyboard focus, columns and their scroll positions, the selection, the notice
// and the tooltip. The state of a single panel is in the header of the panel.
#ifndef DEMO_VIEWER_UI_UI_STATE_H
#define DEMO_VIEWER_UI_UI_STATE_H

#include "demo/viewer/draw/draw.h"

// == Overlays =============================================================================

// The panel that is open over the image. At most one is open. An error is displayed above it.
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

// The object for which a context menu was opened. The commands of the menu refer to it.
enum { VIEW_TARGET_TEXT = 4097 };
typedef struct view_target {
    unsigned context; // VIEW_ON_*
    size_t number;
    size_t item;
    char name[VIEW_TARGET_TEXT]; // "" if there is none or it is too long
    char path[VIEW_TARGET_TEXT]; // "" if there is none or it is too long
} view_target;

// == Thumbnails of files ==================================================================

// A preview image of a file, or of an item of a game. A panel requests it with ui_thumbnail(). It
// is loaded in the background, so it appears some frames later. It is freed when no panel displays
// it any more.
enum { VIEW_MAX_THUMBNAILS = 96 };
typedef struct view_thumbnail {
    char *request;         // path of the file, or view_preview_request(); NULL: unused
    bool is_in_game;       // an item of the game that is listed
    bool is_visible;       // a panel displayed it in this frame
    bool is_valid;         // the following fields are valid
    bool is_wrong;         // the file cannot be read
    md5gl_texture texture; // 0: no preview
    uint32_t width;        // pixels
    uint32_t height;       // pixels
    uint32_t num_missing;  // images that an item of a game lacks
    char info[192];        // lines of text, the most important first
} view_thumbnail;

// == Hover preview ========================================================================

// A preview of an option's value, while the mouse rests on the value in a list. A clip is a value
// of --animation-index. The previous value is restored when the mouse leaves.
#define VIEW_HOVER_PREVIEW_DELAY 0.15 // seconds
typedef struct view_hover_preview {
    const view_option *option;       // option under the mouse, or NULL
    const view_option *value_option; // option of `value`; remains when the mouse leaves
    common_value value;
    double due;           // when the preview begins, seconds since the start
    double shown;         // `due` of the current preview
    view_options *before; // values to restore, to be freed; NULL: no preview
    view_play play;       // playback of the clip before the preview
    size_t clip;
} view_hover_preview;

// == Input, items and columns ==============================================================

// The input of a run: the position of the mouse in pixels, and an event of the mouse or keyboard. A
// run that draws a frame has no event.
typedef struct ui_mouse {
    float x;
    float y;
    bool is_pressed;
    bool is_moved;
    bool is_double; // second press of a double click
    bool is_right;  // click of the right button, which opens a context menu
    float wheel;    // steps
    float dragged;  // pixels downward, by a finger on a scrollable area
    int32_t key;    // key of platform.h; 0: none
    bool shift;
    bool control;
    bool alt;
    const char *text; // typed text, or NULL
} ui_mouse;

// An item. F6 moves the keyboard focus from area to area: all panels in a dock are one area, and a
// panel outside of the docks is another. F6 skips the headers of docks.
#define UI_DOCK_HEADER_AREA "header"
typedef struct ui_item_id {
    const char *panel; // NULL: none
    uint32_t number;   // from 1
    const char *area;  // name of the dock, UI_DOCK_HEADER_AREA, or `panel`
} ui_item_id;

// The keyboard focus.
typedef struct ui_focus {
    ui_item_id item;     // item that receives keys: a field, or an item reached by Tab
    ui_item_id at_press; // `item` when the mouse button was pressed
    view_rect rect;      // rectangle of the item in the last run
    bool is_present;     // the item exists in this run
    bool is_shown;       // the item has a visible frame: from Tab until the mouse is used
    bool selects_all;    // typed text replaces the text of the item, a field
    bool takes_next;     // after Tab, the next item gets the focus
    ui_item_id previous; // after Shift+Tab, the item that gets the focus
} ui_focus;

// The tooltip of the item under the mouse.
typedef struct ui_tooltip_state {
    char text[320]; // "": none
    // Time at which the mouse entered the item, seconds since the start. INFINITY after the item
    // was pressed, so that no tooltip appears.
    double hover_begin;
    bool is_shown;
} ui_tooltip_state;

// A text at the bottom of the image.
typedef struct ui_notice {
    char text[256];
    double end;         // time until which it is visible, seconds since the start
    view_action action; // command of a click on it, or VIEW_NOTHING
} ui_notice;

// A search of tests for the rectangle of the first item whose name "panel/label" begins with
// `name`.
typedef struct ui_probe {
    const char *name; // NULL: no test searches an item
    view_rect rect;
    char text[VIEW_MAX_LINE]; // text of the item if it is an ui_row()
} ui_probe;

// A scroll position in pixels. With smooth scrolling, `shown` moves towards `wanted` from frame to
// frame.
typedef struct ui_scroll {
    float wanted;
    float shown;
} ui_scroll;

// Indices of scroll positions. The docks have the first indices.
enum {
    UI_SCROLL_SETTINGS = VIEW_NUM_DOCKS,
    UI_SCROLL_START,
    UI_SCROLL_REPORT,
    UI_SCROLL_EXPORT,
    UI_SCROLL_EXPORT_SIDE,
    UI_SCROLL_CARD,
    UI_SCROLL_FILES,
    UI_SCROLL_LOCATIONS,
    UI_NUM_SCROLLS,
};

// A scrollable area whose rows are below each other.
typedef struct ui_column {
    view_rect area;
    ui_scroll *scroll;
    float y;               // top of the next row
    float margin;          // left and right of texts
    view_rect clip;        // clip rectangle of the canvas outside of the column
    bool is_hot;           // the mouse is over an item of the column
    bool has_focus;        // an item of the column has the keyboard focus
    bool scrolls_to_focus; // the focused item becomes visible
} ui_column;

// Sections that can be folded.
typedef enum ui_section_number {
    UI_SECTION_MESHES,
    UI_SECTION_CLIPS,
    UI_SECTION_LAYERS,
    UI_SECTION_JOINTS,
    UI_SECTION_LIGHTS,
    UI_SECTION_MATERIALS,
    UI_SECTION_TRANSFORM,
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

// The time for which a notice is visible, in seconds.
#define VIEW_NOTICE_SECONDS 2.5

// The state that panels share. view_run_ui() sets the first group of members for each run.
typedef struct view_ui {
    const view_stage *stage; // valid during view_run_ui()
    view_scene *scene;       // scene of `stage`
    view_canvas *canvas;     // canvas of `stage`
    float scale;             // pixels per layout unit
    float em;                // em of the font, pixels
    float line;              // line height of the font, pixels
    view_rect window;        // area for dialogs, below the menu bar
    ui_mouse mouse;
    bool is_event;         // this run handles an event and does not draw
    bool is_touched;       // touch screen: rows are higher
    bool is_event_handled; // an item has handled the event
    view_command command;  // response of an item to the event; owns its `path`
    view_target context;   // item whose context menu was requested in this run; `context` 0: none
    const char *modal;     // panel above all others, the only one that receives keys; NULL: none

    // Items and the keyboard focus.
    const char *dock;  // area of the panels that begin now, or NULL outside of docks
    ui_item_id item;   // the last item so far in this run
    ui_item_id top;    // the last item under the mouse so far in this run
    ui_item_id hot;    // the topmost item under the mouse
    ui_item_id active; // item whose value follows the mouse until the button is released
    const char *held;  // panel whose value the last press has changed
    float low;         // minimum of the active slider when it was pressed
    float high;        // maximum of the active slider when it was pressed
    ui_focus focus;

    // Rows, columns and sections.
    view_rect space; // rectangle of the next row for ui_slider()
    float label_width;
    float value_width;
    ui_column *column; // column that contains the next items, or NULL
    ui_scroll scrolls[UI_NUM_SCROLLS];
    bool is_smooth;    // after view_follow()
    float scroll_rest; // fraction of a line that a finger has scrolled, pixels
    uint32_t folded;   // bit i: section i of ui_section_number is folded

    // The open overlay, the docks, and the selection, which several panels display and change.
    view_overlay over; // set by ui_open_overlay()
    view_docks docks;
    view_selection selection;

    // Thumbnails, previews of values, tooltip and notice.
    view_thumbnail pictures[VIEW_MAX_THUMBNAILS];
    view_hover_preview hover_preview;
    ui_tooltip_state tooltip;
    ui_notice notice;
    ui_probe probe; // only for tests
} view_ui;

#endif
