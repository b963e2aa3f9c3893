// The docks at the left, the right and the bottom: the layout of the window, the headers and tabs
// of the docks, and the edges that resize them. The panels inside are in other files.
#ifndef DEMO_VIEWER_UI_DOCKS_H
#define DEMO_VIEWER_UI_DOCKS_H

#include "demo/viewer/ui/ui.h"

// Returns the part of the image that no panel covers, in pixels. The user's camera shows the model
// there. Does not read stage->region, which is computed from this function.
view_rect view_free_region(const view_stage *stage);

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

#define VIEW_SHEET_HANDLE "handle"
void view_dock_panels(view_ui *ui);

// Activates the tab of a panel that was switched on if docks share one area.
void view_activate_opened_panels(view_ui *ui, const view_shown *before, view_shown *now);

#endif
