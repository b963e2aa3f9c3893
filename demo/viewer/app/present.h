// Shows pictures in the window: in full quality or, with a viewer->economy, in less, which is drawn
// into a smaller target and enlarged; the interface over it keeps the resolution of the window.
#ifndef DEMO_VIEWER_APP_PRESENT_H
#define DEMO_VIEWER_APP_PRESENT_H

#include "demo/viewer/jobs/view.h"

// What pictures are drawn into before they are shown; zeroed at first.
typedef struct view_present {
    md5gl_target *target; // or NULL
    uint32_t width, height, samples;
} view_present;

// Draws one frame into the window, before the swap, with viewer->economy. Returns false on failure.
bool view_present_frame(view_present *present, view_state *viewer, md5_error *error);

void view_end_present(view_present *present, view_state *viewer);

#endif
