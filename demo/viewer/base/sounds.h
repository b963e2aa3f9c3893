// Sounds of clip events, computed from sine waves and noise. A sound is added to the samples in a
// buffer, so that several sounds can be mixed; view_play_sound() of the platform plays the buffer.
#ifndef DEMO_VIEWER_BASE_SOUNDS_H
#define DEMO_VIEWER_BASE_SOUNDS_H

#include "demo/viewer/platform/platform.h"

enum { VIEW_LONGEST_SOUND = 2 * VIEW_SOUND_RATE }; // samples; two seconds

// Adds the sound of a clip event to the samples. The name of the event is the first word of
// `event`; the default `loudness` is 1. Returns false and adds nothing if the event does not have a
// sound.
bool view_add_sound(float samples[VIEW_LONGEST_SOUND], const char *event, float loudness);

#endif
