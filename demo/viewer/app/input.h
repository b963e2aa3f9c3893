// Control of what moves the model, by keys and mouse.
#ifndef DEMO_VIEWER_APP_INPUT_H
#define DEMO_VIEWER_APP_INPUT_H

#include "demo/viewer/jobs/view.h"

// A key that drives it (its action is VIEW_AHEAD or a later one) is pressed or released.
void view_drive(view_state *viewer, const view_binding *binding, bool down);

// Whether the action, one of a machine's, drives what moves the model although the mode is that of
// clips.
bool view_drives_clips(const view_state *viewer, view_action action);

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
