// The docks at the left, the right and the bottom: the layout of the window, the headers and tabs
// of the docks, and the edges that resize them. The panels inside are in other files.
#ifndef DEMO_VIEWER_UI_DOCKS_H
#define DEMO_VIEWER_UI_DOCKS_H

#include "demo/viewer/ui/ui.h"

// Returns the part of the image that no panel covers, in pixels. The user's camera shows the model
// there. The function must not read stage->region, which is set to its result.
view_rect view_free_region(const view_stage *stage);

struct view_panels;

#define VIEW_SHEET_HANDLE "handle" // name of the panel that drags the sheet of a phone

// Draws and handles the docks with their content, headers and edges, and the time bar.
void view_dock_panels(view_ui *ui, struct view_panels *panels);

// Brings a panel to the front that a change of the options has switched on. `before` and `now` are
// the options before and after the change. Corrects `now` if it contains panels that exclude each
// other.
void view_activate_opened_panels(view_ui *ui, const view_shown *before, view_shown *now);

#endif
