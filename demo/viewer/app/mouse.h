// Events of the mouse and of touch screens, for input.c. Positions are in pixels of the image.
#ifndef DEMO_VIEWER_APP_MOUSE_H
#define DEMO_VIEWER_APP_MOUSE_H

#include "demo/viewer/jobs/view.h"

// Handles the press of a mouse button or finger. A panel at this position has priority. Otherwise
// the press begins to drag the stick, a limb of the ragdoll, or the camera.
void view_press_button(view_state *viewer, const view_input *event);

// Handles a movement of the mouse or of a finger, and continues the current drag. Returns true if
// the image must be drawn again.
bool view_move_pointer(view_state *viewer, const view_input *event);

// Handles a released mouse button or a lifted finger. Ends the drag, and executes a click if the
// pointer has hardly moved. Logs the name of the drag, or of the panel whose value was dragged.
void view_release_button(view_state *viewer, const view_input *event);

// Handles the mouse wheel. A panel under the pointer scrolls. Otherwise the camera zooms, and the
// point under the pointer keeps its position in the image.
void view_scroll_wheel(view_state *viewer, const view_input *event);

// Returns the point of the model's surface at the pixel (x, y). The result is not set if the pixel
// does not show the model. A crowd cannot be picked.
view_pick view_find_pick_at(view_state *viewer, float x, float y);

// Returns the number of image pixels per unit of mouse coordinates. It is more than 1 on
// high-resolution screens.
float view_mouse_scale(const view_state *viewer);

#endif
