// The time bar at the bottom: buttons, the timeline of the clip, and values of playback.
#ifndef DEMO_VIEWER_UI_TIMEBAR_H
#define DEMO_VIEWER_UI_TIMEBAR_H

#include "demo/viewer/ui/ui.h"

// Draws the time bar in the rectangle `bar`, for a clip or a state machine. Also handles its
// input.
void view_time_bar(view_ui *ui, view_rect bar);

#endif
