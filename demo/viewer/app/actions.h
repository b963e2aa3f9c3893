// The actions of keys, and of clicks with the same effect.
#ifndef DEMO_VIEWER_APP_ACTIONS_H
#define DEMO_VIEWER_APP_ACTIONS_H

#include "demo/viewer/jobs/view.h"

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
