// Sounds, computed from sines and noise. Each is added to what the samples hold, so that several
// are heard together; view_play_sound() of the platform plays them.
#ifndef DEMO_VIEWER_BASE_SOUNDS_H
#define DEMO_VIEWER_BASE_SOUNDS_H

#include "demo/viewer/platform/platform.h"

enum { VIEW_LONGEST_SOUND = 2 * VIEW_SOUND_RATE }; // samples: two seconds

// The sound of an event of a clip, whose name is the first word of a text; `loudness`: usually 1.
// Returns false if there is none: then nothing is added.
bool view_add_sound(float samples[VIEW_LONGEST_SOUND], const char *event, float loudness);

#endif
