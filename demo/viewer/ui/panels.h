// The state of the interface (view_ui) with the state of each panel, and the function that runs all
// panels. The window and its jobs include this file; it includes the headers of all panels.
#ifndef DEMO_VIEWER_UI_PANELS_H
#define DEMO_VIEWER_UI_PANELS_H

#include "demo/viewer/ui/browser.h"
#include "demo/viewer/ui/curves.h"
#include "demo/viewer/ui/docks.h"
#include "demo/viewer/ui/export.h"
#include "demo/viewer/ui/graph.h"
#include "demo/viewer/ui/info.h"
#include "demo/viewer/ui/inspector.h"
#include "demo/viewer/ui/menu.h"
#include "demo/viewer/ui/outliner.h"
#include "demo/viewer/ui/reports.h"
#include "demo/viewer/ui/retarget.h"
#include "demo/viewer/ui/settings.h"
#include "demo/viewer/ui/start.h"
#include "demo/viewer/ui/surface.h"
#include "demo/viewer/ui/textures.h"
#include "demo/viewer/ui/timebar.h"
#include "demo/viewer/ui/ui.h"
#include "demo/viewer/ui/window_layout.h"

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
    ui_item_id before;    // Tab: previous item that can get the focus
    const char *modal;    // panel above all others, the only one that receives keys; NULL: none
    float low;            // minimum of the active slider when it was pressed
    float high;           // maximum of the active slider when it was pressed
    const char *held;     // panel whose value the last press has changed

    view_rect space; // rectangle of the next row for ui_slider()
    float label_width;
    float value_width;

    // For tests: finds the rectangle of the first item whose "panel/label" begins with `sought`.
    const char *sought;
    view_rect found;
    char found_text[VIEW_MAX_LINE]; // text of the item if it is an ui_row()

    view_overlay over;   // set by ui_open_overlay()
    view_target context; // item whose context menu was requested in this run; `context` 0: none
    view_thumbnail pictures[VIEW_MAX_THUMBNAILS];
    view_card card;
    view_trial trial;
    view_docks docks;
    ui_scroll scrolls[UI_NUM_SCROLLS];
    ui_column *column;         // column that contains the next items, or NULL
    bool is_smooth;            // after view_follow()
    float scroll_rest;         // fraction of a line that a finger has scrolled, pixels
    uint32_t folded;           // bit i: section i of ui_section_number is folded
    int32_t hovered_joint;     // joint under the mouse in a list; -1: none
    int32_t selected_joint;    // clicked joint; -1: none
    int32_t measured_from;     // joint at which the measured distance begins; -1: none
    int32_t selected_material; // first mesh with the selected material; -1: none
    // Selected mesh; -1: none. Only one of mesh, material and joint is selected at a time.
    int32_t selected_mesh;
    double lit_end;   // until when the edges of the mesh are highlighted, seconds since the start
    view_pick lit;    // vertex of the row under the mouse
    bool keeps_lit;   // until the next press
    char notice[256]; // shown at the bottom until notice_end
    char tip[320];    // tooltip of the item under the mouse; "": none
    // When the mouse entered the item, seconds since the start; INFINITY: the item was pressed.
    double tip_since;
    bool is_tip_shown;
    double notice_end;         // seconds since the start
    view_action notice_action; // command of a click on the notice
} view_ui;

// The state of each panel.
typedef struct view_panels {
    view_outliner outliner;
    view_curves curves;
    view_graph_view graph;
    view_texture_panel textures;
    view_retarget_page retarget;
    view_problems problems;
    view_browser browser;
    view_menus menu;
    view_start start;
    view_decision decision;
    view_export export;
    view_overlay synced_overlay; // view_ui.over after the last view_sync_overlay()
} view_panels;

// Opens an overlay and closes the previous one. VIEW_OVERLAY_NONE closes the overlay.
void view_open_overlay(view_ui *ui, view_panels *panels, view_overlay over);

// Makes `over` and the states of the file list, the menu and the start page consistent after one of
// them was opened or closed.
void view_sync_overlay(view_ui *ui, view_panels *panels);

// Resets the folded sections, scroll positions and selections for a new document.
void view_reset_panels(view_ui *ui, view_panels *panels);

// Delay of a tooltip, seconds.
#define VIEW_TIP_DELAY 0.5

// Returns the on-screen stick that moves the model by a finger. Its reach is 0 if nothing can be
// moved or the screen is not a touch screen.
view_stick view_stick_position(const view_stage *stage);

// Runs all panels. Without an event, draws them to the canvas of the stage. With an event, draws
// nothing and returns the resulting command, or VIEW_NOTHING if no panel was hit or the event
// changes nothing visible. After a press on a value, the value follows the mouse until the caller
// clears ui->held and ui->active.
view_command view_run_ui(view_ui *ui, view_panels *panels, const view_stage *stage,
                         const ui_mouse *event);

#endif
