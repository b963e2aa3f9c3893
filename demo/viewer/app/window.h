// The window: its clock and its loop, and control of what it shows by keys and mouse.
#ifndef DEMO_VIEWER_APP_WINDOW_H
#define DEMO_VIEWER_APP_WINDOW_H

#include "demo/viewer/jobs/view.h"

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

// -- Smooth motion -------------------------------------------------------------------------

// Moves camera and lists of a window on for `seconds`, exponentially, so that the motion does not
// depend on the frame rate. Returns whether they are still on their way. Until the first call they
// are drawn where they are set.
bool view_follow(view_state *viewer, double seconds);

// Shows what is opened in the window until the user closes that. Returns false on failure.
bool view_run_window(view_state *viewer);

// -- Input: input.c -------------------------------------------------------------------------

// Handles one event, whose place is in points of the system, and frees its path; `redraw` is set if
// the picture changes by it.
void view_handle_event(view_state *viewer, const view_input *in_points, bool *redraw);

// A key that drives what moves the model (its action is VIEW_AHEAD or a later one) is pressed or
// released.
void view_drive(view_state *viewer, const view_command_row *row, bool down);

// Whether keys go to what moves the model: until Esc, and again from Enter or a click on.
bool view_drives(const view_state *viewer);

// What it looks at follows the mouse at (x, y), in pixels, at the character's distance from the
// eye.
void view_point_mover(view_state *viewer, float x, float y);

// Carries out a command and frees its path; then logs the state at the level "debug". Returns
// whether there was anything to do: not for VIEW_NOTHING.
bool view_perform(view_state *viewer, view_command command);

// Shows in the panel what is at pixel (x, y) of the body, and marks the joint that moves it most; a
// click beside the body ends that.
void view_pick_at(view_state *viewer, float x, float y);

// Measures the distance from that spot to what is at pixel (x, y); beside the body there is none.
// The first click of all is as view_pick_at().
void view_measure_at(view_state *viewer, float x, float y);

#endif
