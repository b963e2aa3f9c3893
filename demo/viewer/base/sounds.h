// Sounds of clip events, which are computed from sine waves and noise. Several sounds can be added
// to the same buffer of samples. view_play_sound() of the platform then plays the buffer.
#ifndef DEMO_VIEWER_BASE_SOUNDS_H
#define DEMO_VIEWER_BASE_SOUNDS_H

#include "demo/viewer/platform/platform.h"

enum { VIEW_LONGEST_SOUND = 2 * VIEW_SOUND_RATE }; // two seconds

// Adds the sound of a clip event to the samples. The first word of `event` is the name of the
// event. A `loudness` of 1 is the default. Returns false and adds nothing if the event has no
// sound.
bool view_add_sound(float samples[VIEW_LONGEST_SOUND], const char *event, float loudness);

#endif
