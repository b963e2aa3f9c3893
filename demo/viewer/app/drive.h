// Control of what moves the model, by keys and mouse.
#ifndef DEMO_VIEWER_APP_DRIVE_H
#define DEMO_VIEWER_APP_DRIVE_H

#include "demo/viewer/jobs/view.h"

// A key that drives it (its action is VIEW_AHEAD or a later one) is pressed or released.
void view_drive(view_state *viewer, const view_binding *binding, bool down);

// Whether the action, one of a machine's, drives what moves the model although the mode is that of
// clips.
bool view_drives_clips(const view_state *viewer, view_action action);

// What it looks at follows the mouse at (x, y), in pixels, at the character's distance from the
// eye.
void view_point_mover(view_state *viewer, float x, float y);

#endif
