#include "demo/viewer/base/sounds.h"

#include "demo/common/memory.h"
#include "demo/viewer/base/math.h"

void view_add_note(float samples[VIEW_LONGEST_SOUND], float start, int number, float octave,
                   float loudness)
{
    static const float steps[] = {0, 2, 4, 7, 9, 12, 14, 16, 19, 21, 24}; // semitones
    const float tone = 440 * exp2f(octave + steps[number] / 12.0f);
    for (int i = (int)(start * (float)VIEW_SOUND_RATE); i < VIEW_LONGEST_SOUND; i++) {
        const float time = (float)i / (float)VIEW_SOUND_RATE - start,
                    turns = 2 * VIEW_PI * tone * time;
        samples[i] +=
            loudness * fminf(time / 0.004f, 1)
            * (sinf(turns) * expf(-2.2f * time) + 0.25f * sinf(2 * turns) * expf(-8 * time)
               + 0.1f * sinf(3 * turns) * expf(-20 * time));
    }
}

// Noise through a low-pass filter, over a tone that falls.
void view_add_step(float samples[VIEW_LONGEST_SOUND], uint32_t random)
{
    float low = 0;
    COMMON_FOR (i, VIEW_SOUND_RATE / 6) {
        const float time = (float)i / (float)VIEW_SOUND_RATE;
        random = 1664525 * random + 1013904223;
        low += 0.12f * ((float)(random >> 8) / 8388608.0f - 1 - low);
        samples[i] += 0.5f * low * expf(-28 * time)
                      + 0.25f * sinf(2 * VIEW_PI * (95 - 160 * time) * time) * expf(-32 * time);
    }
}
