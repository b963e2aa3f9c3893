// Wander behaviour of a crowd: characters stand, walk, run and fire triggers at random.
#ifndef DEMO_VIEWER_SCENE_WANDER_H
#define DEMO_VIEWER_SCENE_WANDER_H

#include "demo/viewer/scene/crowd.h"

// Returns a random number, uniform in 0..1, and advances `state`.
float view_next_random(uint64_t *state);

// Advances member `number`, which has a player, by the time since its last update: chooses its
// behaviour, plays its machine and moves it.
void view_wander(view_crowd *crowd, uint32_t number);

#endif
