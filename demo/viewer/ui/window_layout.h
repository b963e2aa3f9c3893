// The layout of the window: the parts that are displayed for the current document and options, and
// their rectangles. Panels read their own rectangles from it.
#ifndef DEMO_VIEWER_UI_WINDOW_LAYOUT_H
#define DEMO_VIEWER_UI_WINDOW_LAYOUT_H

#include "demo/viewer/draw/draw.h"

// Returns the input of view_lay_out(): the size of the window, and the parts that it should
// contain.
view_layout_request view_requested_layout(const view_stage *stage);

// Returns the rectangles of the parts of the window.
view_layout view_current_layout(const view_stage *stage);

// Returns true if the document is a state machine. Clips and crowds are displayed otherwise.
static inline bool view_shows_machine(const view_stage *stage)
{
    return view_get_mode(stage->document) == VIEW_MODE_MACHINE;
}

// Returns true if the bottom dock belongs to a clip or to compared joints, not to a state graph.
static inline bool view_shows_curves(const view_stage *stage)
{
    return !view_shows_machine(stage)
           || (stage->shown->differences && stage->document->compare.model != NULL);
}

#endif
