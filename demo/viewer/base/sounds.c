#include "demo/viewer/base/sounds.h"

#include "demo/common/memory.h"
#include "demo/viewer/base/math.h"

// White noise, -1 to 1.
static float next_noise(uint32_t *random)
{
    *random = 1664525 * *random + 1013904223;
    return (float)(*random >> 8) / 8388608.0f - 1;
}

// == Of events ====================================================================================

// A tone or a band of noise whose pitch glides. An event may have several.
static const struct sound {
    const char *event;
    float start, seconds, peak; // peak: where it is loudest, a share of its time
    float low, high;            // hertz: at its beginning, and at its end
    float flutter;              // times a second that it comes and goes; 0: it does not
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

static void add(float samples[VIEW_LONGEST_SOUND], const struct sound *sound, float loudness)
{
    const float rate = (float)VIEW_SOUND_RATE;
    const int first = (int)(sound->start * rate);
    const int count = (int)(sound->seconds * rate);
    uint32_t random = 1;
    float turns = 0;
    float low = 0;
    float band = 0;
    for (int i = 0; i < count && first + i < VIEW_LONGEST_SOUND; i++) {
        const float share = (float)i / (float)count;
        const float time = (float)i / rate;
        const float pitch = sound->low * powf(sound->high / sound->low, share);
        turns += pitch / rate;
        // A state variable filter around the pitch: Chamberlin, "Musical Applications of
        // Microprocessors", 1980.
        const float tuning = 2 * sinf(VIEW_PI * pitch / rate);
        low += tuning * band;
        band += tuning * (next_noise(&random) - low - 0.5f * band);
        const float near = fminf(share / sound->peak, (1 - share) / (1 - sound->peak));
        const float wave = sound->is_noise ? band : sinf(2 * VIEW_PI * turns);
        samples[first + i] += loudness * sound->loudness * wave * near * near
                              * (0.5f + 0.5f * cosf(2 * VIEW_PI * sound->flutter * time));
    }
}

bool view_add_sound(float samples[VIEW_LONGEST_SOUND], const char *event, float loudness)
{
    const size_t length = strcspn(event, " ");
    bool is_there = false;
    for (size_t i = 0; i < COMMON_LENGTH(sounds); i++) {
        if (strlen(sounds[i].event) != length || memcmp(event, sounds[i].event, length) != 0)
            continue;
        add(samples, &sounds[i], loudness);
        is_there = true;
    }
    return is_there;
}
