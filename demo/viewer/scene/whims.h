// What characters of a crowd come to want: to stand, to walk, to run, to do something else.
#ifndef DEMO_VIEWER_SCENE_WHIMS_H
#define DEMO_VIEWER_SCENE_WHIMS_H

#include "demo/viewer/scene/crowd.h"

// Uniform in 0..1, its own sequence for each character.
float view_next_random(uint64_t *state);

// Lets member `number`, which has a player, want something for as long as it waited, and walk
// there.
void view_live(view_crowd *crowd, uint32_t number);

#endif
