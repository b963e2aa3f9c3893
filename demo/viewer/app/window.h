// The window: its clock and its loop.
#ifndef DEMO_VIEWER_APP_WINDOW_H
#define DEMO_VIEWER_APP_WINDOW_H

#include "demo/viewer/jobs/view.h"

#include <stdbool.h>

// The clock of a window: by how much clip and camera advance from frame to frame. A frame may take
// any time; the next one makes up for it, so that a clip never plays in slow motion. Only time in
// which nothing was to move is left out: waiting for events while the picture stands, and opening
// files. All times are in seconds.
typedef struct view_pace {
    double last; // when the last frame began, by the caller's clock
    double held; // since then, time that is left out
} view_pace;

// A frame begins at `now`: returns the time since the last one, without what was left out; 0 for a
// clock that went backward. After more than 10 s the program was suspended: that counts as 10 s.
double view_pace_frame(view_pace *pace, double now);

// Between two frames, events were handled or files read for `seconds`. `moving`: the picture moved
// by itself meanwhile; then only long work, such as opening a file, is left out.
void view_pace_work(view_pace *pace, double seconds, bool moving);

// Opens a window, hidden unless `visible`, with an OpenGL 3.3 core context, and the renderer on
// it. Without a display a hidden one is created by SDL's offscreen driver, unless SDL_VIDEODRIVER
// is set. Returns false and logs an error on failure.
bool view_open_window(view_state *viewer, bool visible);
void view_close_window(view_state *viewer);

// Runs until the window is closed. Returns false, and logs why, if GL fails.
bool view_run_window(view_state *viewer);

// Handles one event; `redraw` is set if the picture changes by it. (input.c)
union SDL_Event;
void view_handle_event(view_state *viewer, const union SDL_Event *event, bool *redraw);

#endif
