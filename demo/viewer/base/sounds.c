// Synthesizes the sounds of clip events. A table defines each sound by tones and bands of noise.
#include "demo/viewer/base/sounds.h"

#include "demo/common/memory.h"
#include "demo/viewer/base/math.h"

// Returns the next sample of white noise, between -1 and 1. `random` is the state of the generator.
static float next_noise(uint32_t *random)
{
    *random = 1664525 * *random + 1013904223;
    return (float)(*random >> 8) / 8388608.0f - 1;
}

// == Sounds of events =============================================================================

// A tone or a band of noise whose pitch changes. The sound of an event may consist of several
// entries.
static const struct sound {
    const char *event;
    float start;     // seconds after the event
    float seconds;   // duration
    float peak;      // time of the maximum, as a fraction of the duration
    float low, high; // pitch at the beginning and at the end, Hz
    float flutter;   // frequency of the amplitude modulation, Hz; 0 = none
    bool is_noise;
    float loudness;
} sounds[] = {
    {"inhale", 0, 0.3f, 0.85f, 600, 1500, 0, true, 0.25f},
    {"fire", 0.06f, 0.12f, 0.2f, 3200, 1600, 0, true, 0.3f},
    {"fire", 0.06f, 0.9f, 0.06f, 1500, 130, 0, true, 0.4f},
    {"chirp", 0, 0.09f, 0.3f, 1900, 3000, 0, false, 0.1f},
    {"chirp", 0.14f, 0.14f, 0.3f, 2100, 3600, 0, false, 0.12f},
    {"snore", 0, 0.95f, 0.6f, 110, 160, 27, false, 0.15f},
    {"snore", 0, 0.95f, 0.6f, 350, 600, 27, true, 0.35f},
    {"snore", 0.9f, 0.6f, 0.3f, 900, 400, 0, true, 0.08f}, // out
    {"pat", 0, 0.14f, 0.08f, 210, 110, 0, false, 0.2f},
    {"pat", 0, 0.06f, 0.12f, 600, 250, 0, true, 0.1f},
    {"thud", 0, 0.2f, 0.03f, 130, 55, 0, false, 0.4f},
    {"thud", 0, 0.14f, 0.03f, 500, 150, 0, true, 0.25f},
    {"landing", 0, 0.12f, 0.06f, 400, 110, 0, true, 0.4f},
    {"footstep", 0, 0.1f, 0.08f, 380, 130, 0, true, 0.2f},
};

// Adds a tone or filtered noise to the samples. Its pitch changes from sound->low to sound->high
// (Hz). An envelope and a periodic flutter change its loudness.
static void add_sound(float samples[VIEW_LONGEST_SOUND], const struct sound *sound, float loudness)
{
    const float rate = (float)VIEW_SOUND_RATE;
    const int first = (int)(sound->start * rate);
    const int count = (int)(sound->seconds * rate);
    uint32_t random = 1;
    float cycles = 0;
    float low = 0;
    float band = 0;
    for (int i = 0; i < count && first + i < VIEW_LONGEST_SOUND; i++) {
        const float fraction = (float)i / (float)count;
        const float time = (float)i / rate;
        const float pitch = sound->low * powf(sound->high / sound->low, fraction);
        cycles += pitch / rate;
        // A state variable filter whose center frequency is the pitch. See Chamberlin, "Musical
        // Applications of Microprocessors", 1980.
        const float tuning = 2 * sinf(VIEW_PI * pitch / rate);
        low += tuning * band;
        band += tuning * (next_noise(&random) - low - 0.5f * band);
        const float envelope = fminf(fraction / sound->peak, (1 - fraction) / (1 - sound->peak));
        const float wave = sound->is_noise ? band : sinf(2 * VIEW_PI * cycles);
        samples[first + i] += loudness * sound->loudness * wave * envelope * envelope
                              * (0.5f + 0.5f * cosf(2 * VIEW_PI * sound->flutter * time));
    }
}

// Adds the sound of a clip event to the samples. Returns false if the event has no sound. A
// sound consists of several entries of the table with the same event, which are added to each
// other.
bool view_add_sound(float samples[VIEW_LONGEST_SOUND], const char *event, float loudness)
{
    const size_t length = strcspn(event, " ");
    bool is_found = false;
    for (size_t i = 0; i < COMMON_LENGTH(sounds); i++) {
        if (strlen(sounds[i].event) != length || memcmp(event, sounds[i].event, length) != 0)
            continue;
        add_sound(samples, &sounds[i], loudness);
        is_found = true;
    }
    return is_found;
}
