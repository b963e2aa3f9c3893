// Tells a machine where the mouse pointer is, and that it was clicked on, by parameters of reserved
// names; those that it lacks are left out:
//   pointer               1 from the pointer's first motion until it has been still for a while
//   eyes_yaw, eyes_pitch  where it is, seen from the character: degrees to the left and up
//   head_yaw, head_pitch  the same, so that a machine can let them follow more slowly
//   click                 a trigger: the character was clicked on
//   guest_ahead, guest_left  where a guest is, seen from the character: units
// Without a pointer they stay as they are: as --set sets them.
#ifndef DEMO_VIEWER_SCENE_POINTER_H
#define DEMO_VIEWER_SCENE_POINTER_H

#include "demo/viewer/scene/machine.h"

// The pointer is at `target`, world space.
void view_point_at(view_machine *machine, md5_vec3 target);

// Sets the parameters, before each step. A direction behind the character stays on the side on
// which it came there until it is 30 degrees beyond the middle, so that no head swings round.
void view_tell_pointer(view_machine *machine);

void view_click_machine(view_machine *machine);

#endif
