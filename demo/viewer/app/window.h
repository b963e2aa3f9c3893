// The window: its main loop and clock, and input.
#ifndef DEMO_VIEWER_APP_WINDOW_H
#define DEMO_VIEWER_APP_WINDOW_H

#include "demo/viewer/jobs/view.h"

// The clock of a window, which determines how far the clip and the camera advance per frame. If a
// frame takes long, the next frame advances further, so that a clip never plays in slow motion.
// Time in which nothing should move is subtracted: waiting for events while the image is still, and
// opening files. All times are in seconds.
typedef struct view_pace {
    double last; // begin of the last frame, by the caller's clock
    double held; // time to subtract since then
} view_pace;

// Begins a frame at the time `now`. Returns the time since the last frame minus the subtracted
// time; 0 if the clock went backward. If more than 10 s have passed, the program was suspended:
// returns 10 s.
double view_pace_frame(view_pace *pace, double now);

// Reports that events were handled or files were read for `seconds` between two frames. If the
// image was `moving`, only long work is subtracted, such as opening a file.
void view_adjust_frame_pace(view_pace *pace, double seconds, bool moving);

// -- Smooth motion -------------------------------------------------------------------------

// Moves the camera and the lists of a window towards their targets. The motion is exponential, so
// that it does not depend on the frame rate. Returns true if they have not arrived. Before the
// first call they are drawn at their targets.
bool view_follow(view_state *viewer, double seconds);

// Runs the window until the user closes it. Returns false on failure.
bool view_run_window(view_state *viewer);

// -- Input: input.c -------------------------------------------------------------------------

// Handles an event, whose position is in points of the system, and frees its path. Sets `redraw` if
// the image changes.
void view_handle_event(view_state *viewer, const view_input *in_points, bool *redraw);

// Handles a press or release of a key that controls a character. The action of `entry` is
// VIEW_AHEAD to VIEW_TRIGGER.
void view_control_character(view_state *viewer, const view_menu_entry *entry, bool down);

// Returns true if keys control a character. Escape releases the keys; Enter or a click in the 3D
// view takes control again.
bool view_controls_character(const view_state *viewer);

// Makes the controlled character look and reach towards the pixel (x, y). The point is slightly
// nearer to the camera than the target of the camera.
void view_point_mover(view_state *viewer, float x, float y);

// Executes a command and frees its path, then logs the state at the level "debug". Returns false
// for VIEW_NOTHING.
bool view_execute(view_state *viewer, view_command command);

// Selects the point of the body at pixel (x, y) and the joint that influences it most. A click
// outside of the body clears the selection.
void view_pick_at(view_state *viewer, float x, float y);

// Measures the distance from the selected point to the point of the body at pixel (x, y). Without a
// selected point it does the same as view_pick_at().
void view_measure_at(view_state *viewer, float x, float y);

#endif
