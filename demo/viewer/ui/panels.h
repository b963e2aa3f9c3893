// The state of all panels (view_panels), and the function that runs them. This header includes the
// headers of all panels, for the window and its jobs.
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
    view_card card;
    view_overlay synced_overlay; // view_ui.over after the last view_sync_overlay()
} view_panels;

// Opens an overlay, which replaces the open one. VIEW_OVERLAY_NONE closes the open overlay.
void view_open_overlay(view_ui *ui, view_panels *panels, view_overlay over);

// Makes ui->over, the open overlay, agree with the states of the file list, the menu and the start
// page. Must be called after one of them was opened or closed.
void view_sync_overlay(view_ui *ui, view_panels *panels);

// Resets the selection, the scroll positions and the state of panels that are about one document.
void view_reset_panels(view_ui *ui, view_panels *panels);

// The time for which the mouse must rest on an item before its tooltip appears, in seconds.
#define VIEW_TOOLTIP_DELAY 0.5

// Returns the on-screen stick, with which a finger controls the character. Its reach is 0 if no
// character can be controlled, or if the screen is not a touch screen.
view_stick view_stick_position(const view_stage *stage);

// Runs all panels. If `event` is NULL, draws them to the canvas of the stage.
//
// Otherwise the panels handle the event without drawing, and the function returns the command that
// the user has requested. If there is no command, it returns VIEW_HANDLED if a panel has used the
// event or must be drawn again. Otherwise it returns VIEW_NOTHING. After a press on a value, the
// value follows the mouse until the caller clears ui->held and ui->active.
view_command view_run_ui(view_ui *ui, view_panels *panels, const view_stage *stage,
                         const ui_mouse *event);

#endif
