// Short sounds, computed when they are played.
#include "demo/viewer/lanterns/state.h"

#include "demo/viewer/base/math.h"
#include "demo/viewer/platform/platform.h"

#include <string.h>

enum { LONGEST = 2 * VIEW_SOUND_RATE }; // samples

typedef struct sound {
    uint32_t count;
    float samples[LONGEST];
} sound;

// Adds a tone that begins at `start` and dies away: its first three partials, the higher ones
// sooner.
static void add_tone(sound *to, float start, float frequency, float decay, float loudness)
{
    const uint32_t first = (uint32_t)(start * VIEW_SOUND_RATE);
    for (uint32_t i = first; i < LONGEST; i++) {
        const float time = (float)(i - first) / VIEW_SOUND_RATE;
        const float attack = fminf(time / 0.004f, 1.0f);
        float sum = 0.0f;
        for (int partial = 1; partial <= 3; partial++)
            sum += sinf(2.0f * VIEW_PI * frequency * (float)partial * time)
                   * expf(-decay * (float)(partial * partial) * time) / (float)(partial * partial);
        to->samples[i] += loudness * attack * sum;
    }
    to->count = LONGEST;
}

// A note of the pentatonic scale above a deep A.
static float note(uint32_t number)
{
    static const float steps[] = {0.0f, 2.0f, 4.0f, 7.0f, 9.0f}; // semitones
    return 440.0f * exp2f((steps[number % 5] + 12.0f * (float)(number / 5)) / 12.0f);
}

// A soft thud: noise through a low-pass filter, over a tone that falls.
static void add_step(sound *to, uint32_t number)
{
    uint32_t noise = 2463534242u + number * 977u;
    float low = 0.0f;
    to->count = VIEW_SOUND_RATE / 6;
    for (uint32_t i = 0; i < to->count; i++) {
        const float time = (float)i / VIEW_SOUND_RATE;
        noise ^= noise << 13;
        noise ^= noise >> 17;
        noise ^= noise << 5;
        low += 0.12f * ((float)(noise >> 8) / 8388608.0f - 1.0f - low);
        to->samples[i] =
            0.5f * low * expf(-28.0f * time)
            + 0.25f * sinf(2.0f * VIEW_PI * (95.0f - 160.0f * time) * time) * expf(-32.0f * time);
    }
}

// Plays it, if there is anything, and empties it.
static void play(sound *made, view_window *window)
{
    if (made->count > 0)
        view_play_sound(window, made->samples, made->count);
    memset(made, 0, sizeof *made);
}

void view_hear_game(view_game *game, view_window *window)
{
    if (game == NULL)
        return;
    const view_game_facts now = game->facts, before = game->heard;
    game->heard = now;
    const bool is_same = now.num_steps == before.num_steps && now.num_lit == before.num_lit
                         && now.phase == before.phase;
    if (is_same || now.is_demo || before.is_demo)
        return;
    sound made = {.count = 0};
    if (now.num_steps > before.num_steps) {
        add_step(&made, now.num_steps);
        play(&made, window);
    }
    if (now.num_lit > before.num_lit) {
        add_tone(&made, 0.0f, note(now.num_lit), 2.2f, 0.16f);
        add_tone(&made, 0.09f, note(now.num_lit + 2), 2.2f, 0.12f);
        play(&made, window);
    }
    const bool ends = now.phase != before.phase && now.phase != VIEW_GAME_PLAYS;
    const bool is_won = now.phase == VIEW_GAME_WON;
    for (uint32_t i = 0; i < 5 && ends; i++)
        add_tone(&made, 0.14f * (float)i, is_won ? note(2 * i) : 0.25f * note(5 - i),
                 is_won ? 2.0f : 3.0f, 0.1f);
    play(&made, window);
}
