// Control of a state machine by keys and mouse.
#ifndef DEMO_VIEWER_APP_DRIVE_H
#define DEMO_VIEWER_APP_DRIVE_H

#include "demo/viewer/jobs/view.h"

// A key that drives the machine (its action is VIEW_AHEAD or a later one) is pressed or released.
void view_drive(view_state *viewer, const view_binding *binding, bool down);

// Whether the action, one of a machine's, moves legs that walk by rules.
bool view_drives_legs(const view_state *viewer, view_action action);

// The target follows the mouse at (x, y), in pixels, at the character's distance from the eye.
void view_point_machine(view_state *viewer, float x, float y);

#endif
