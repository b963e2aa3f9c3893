// The docks at the left, the right and the bottom of the image: the layout of the window, the
// headers and tabs of the docks, and the edges that resize them. Other files contain the panels in
// the docks.
#ifndef DEMO_VIEWER_UI_DOCKS_H
#define DEMO_VIEWER_UI_DOCKS_H

#include "demo/viewer/ui/ui.h"

// Returns the part of the image that no panel covers, in pixels. The user's camera centers the
// model in it. The result is stored in stage->region. Therefore the function must not read
// stage->region.
view_rect view_free_region(const view_stage *stage);

struct view_panels;

#define VIEW_SHEET_HANDLE "handle" // name of the panel that drags the sheet of a phone

// Draws the docks with their content, headers and edges, and the time bar. Also handles their
// input.
void view_dock_panels(view_ui *ui, struct view_panels *panels);

// Brings a panel to the front after a change of the options has switched it on. `before` and
// `after` are the options before and after the change. If panels in `after` exclude each other,
// switches off the older one.
void view_activate_opened_panels(view_ui *ui, const view_shown *before, view_shown *after);

#endif
