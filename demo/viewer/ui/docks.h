// The docks at the left, the right and the bottom: the layout of the window, the headers and tabs
// of the docks, and the edges that resize them. The panels inside are in other files.
#ifndef DEMO_VIEWER_UI_DOCKS_H
#define DEMO_VIEWER_UI_DOCKS_H

#include "demo/viewer/ui/ui.h"

// Returns the part of the image that no panel covers, in pixels. The user's camera shows the model
// there. Does not read stage->region, which is computed from this function.
view_rect view_free_region(const view_stage *stage);

struct view_panels;

// Runs the docks, their headers and edges, and the time bar.
#define VIEW_SHEET_HANDLE "handle"
void view_dock_panels(view_ui *ui, struct view_panels *panels);

// Activates the tab of a panel that was switched on if docks share one area.
void view_activate_opened_panels(view_ui *ui, const view_shown *before, view_shown *now);

#endif
