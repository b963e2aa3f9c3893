// The window, its GL context, and the main loop.
#ifndef DEMO_VIEWER_APP_WINDOW_H
#define DEMO_VIEWER_APP_WINDOW_H

#include "demo/viewer/jobs/view.h"

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
