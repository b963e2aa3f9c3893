// The window: its main loop, its clock and its input.
#ifndef DEMO_VIEWER_APP_WINDOW_H
#define DEMO_VIEWER_APP_WINDOW_H

#include "demo/viewer/jobs/view.h"

// The clock of the window. It determines how far clips and the camera advance in each frame. A
// frame that took long lets the next frame advance further, so that a clip never plays in slow
// motion. Two kinds of time are subtracted: waiting for events while the image is still, and
// opening files. All times are in seconds.
typedef struct view_pace {
    double last; // begin of the last frame, on the caller's clock
    double held; // time to subtract from the current frame
} view_pace;

// Begins a frame at the time `time`. Returns the time since the last frame minus the subtracted
// time. Returns 0 if the clock went backward. The result is at most 10 s, because after a longer
// time the program was suspended.
double view_pace_frame(view_pace *pace, double time);

// Subtracts the duration of events or of reading files, `seconds`, from the current frame. If the
// image was `moving`, only a long duration is subtracted, for example the opening of a file.
void view_adjust_frame_pace(view_pace *pace, double seconds, bool moving);

// -- Smooth motion -------------------------------------------------------------------------

// Moves the camera and the lists of the window towards their targets. The distance decreases
// exponentially, so that the motion does not depend on the frame rate. Returns true while anything
// is moving. Before the first call, everything is at its target.
bool view_follow(view_state *viewer, double seconds);

// Runs the window until the user closes it. Returns false on failure.
bool view_run_window(view_state *viewer);

// -- Events: input.c ------------------------------------------------------------------------

// Handles an event and frees its path. The position of the event is in points of the operating
// system. Sets `redraw` to true if the image changes.
void view_handle_event(view_state *viewer, const view_input *in_points, bool *redraw);

// -- Control of a character: control.c --------------------------------------------------------

// Handles a press or release of a key that controls the character. The action of `entry` is between
// VIEW_AHEAD and VIEW_TRIGGER.
void view_control_character(view_state *viewer, const view_menu_entry *entry, bool down);

// Returns true if keys control the character. Escape ends this control. Enter or a click in the 3D
// view restores it.
bool view_controls_character(const view_state *viewer);

// Makes the controlled character look and reach towards the pixel (x, y). The point in the scene is
// nearer to the camera than the camera's target.
void view_point_mover(view_state *viewer, float x, float y);

// -- Commands: execute.c -----------------------------------------------------------------------

// Executes a command, frees its path, and logs the state at the level "debug". Returns false for
// VIEW_NOTHING.
bool view_execute(view_state *viewer, view_command command);

// Opens the context menu at the pixel (x, y). `pick` is the point of the model at this pixel. If it
// is not set, the pixel shows the ground and the menu contains commands for the ground.
void view_open_context(view_state *viewer, const view_pick *pick, float x, float y);

// -- Points of the body: mouse.c ---------------------------------------------------------------

// Selects the point of the body at the pixel (x, y), and the joint that has the largest influence
// on it. A pixel outside of the body clears the selection.
void view_pick_at(view_state *viewer, float x, float y);

// Measures the distance from the selected point to the point of the body at the pixel (x, y). If no
// point is selected, acts as view_pick_at().
void view_measure_at(view_state *viewer, float x, float y);

#endif
