// Sounds of events, and the times at which they are heard.
#define _XOPEN_SOURCE 700 // setenv()
#include "demo/viewer/base/sounds.h"
#include "demo/viewer/platform/platform_sdl.h"
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"

// Returns the number of changes from below 0 to above, before `end`.
static uint32_t count_waves(const float *samples, uint32_t end)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < end - 1; i++)
        count += samples[i] <= 0.0f && samples[i + 1] > 0.0f;
    return count;
}

TEST (view_events_have_sounds_that_end) {
    STRINGS(events) = {"inhale", "fire ", "chirp",   "snore of his",
                       "pat",    "thud",  "landing", "footstep left"};
    for (size_t j = 0; j < COUNT_OF(events); j++) {
        SCOPED float *const samples = test_calloc(VIEW_LONGEST_SOUND, sizeof *samples);
        float peak = 0.0f;
        CHECK(view_add_sound(samples, events[j], 1.0f));
        for (int i = 0; i < VIEW_LONGEST_SOUND; i++)
            peak = fmaxf(peak, fabsf(samples[i]));
        CHECK_THAT(peak > 0.05f && peak < 0.7f, "%s: %g", events[j], (double)peak);
        for (int i = 0; i < VIEW_LONGEST_SOUND / 4; i++)
            CHECK_EXACT(samples[VIEW_LONGEST_SOUND - 1 - i], 0);
    }
}

// A sound is added to the samples, so that two sounds at the same time are the sum of both. An
// unknown name does not change the samples.
TEST (view_sounds_are_added) {
    SCOPED float *const samples = test_calloc(VIEW_LONGEST_SOUND, sizeof *samples);
    STRINGS(unknown_names) = {"", " pat", "pats", "pa", "leaves"};
    for (size_t i = 0; i < COUNT_OF(unknown_names); i++)
        CHECK(!view_add_sound(samples, unknown_names[i], 1.0f));
    for (int i = 0; i < VIEW_LONGEST_SOUND; i++)
        CHECK_EXACT(samples[i], 0);
    CHECK(view_add_sound(samples, "chirp", 1.0f));
    const float once = samples[1000];
    CHECK(once != 0.0f && view_add_sound(samples, "chirp", 1.0f));
    CHECK_EXACT(samples[1000], 2.0f * once);
}

// In 0.09 s the pitch of the sound "chirp" rises exponentially from 1900 to 3000 Hz. The mean of
// such a pitch is the difference of its ends divided by the logarithm of their quotient.
TEST (view_chirps_rise) {
    SCOPED float *const samples = test_calloc(VIEW_LONGEST_SOUND, sizeof *samples);
    CHECK(view_add_sound(samples, "chirp", 1.0f));
    const uint32_t end = (uint32_t)(0.09 * (double)VIEW_SOUND_RATE);
    const uint32_t half = end / 2;
    CHECK_NEAR(count_waves(samples, end), 0.09 * (3000.0 - 1900.0) / log(3000.0 / 1900.0), 2);
    CHECK(count_waves(samples, half) + 10 < count_waves(samples + half, half));
}

// Bobbin's breath before a sneeze is heard, but only while the user does not control him.
TEST (view_demo_scene_is_heard) {
    CHECK(setenv("SDL_AUDIODRIVER", "dummy", 1) == 0);
    for (int acts = 0; acts < 2; acts++) {
        SCOPED view_window *const window = test_calloc(1, sizeof *window);
        view_machine host;
        view_log log = {.level = VIEW_QUIET};
        if (!CHECK(
                view_load_machine(&host, test_path("models/bobbin/bobbin.md5machine"), NULL, &log)))
            return;
        host.plays_demo = acts == 1;
        view_run_machine(&host, 18.5); // earlier events are not heard
        host.sounds_played_until = host.time;
        for (double time = 18.5; time < 18.6; time += 1.0 / 30.0) {
            view_run_machine(&host, time);
            view_play_demo_sounds(&host, window);
        }
        CHECK(!window->has_sound_begun);
        view_run_machine(&host, 18.8);
        view_play_demo_sounds(&host, window);
        CHECK(window->has_sound_begun == (acts == 1));
        if (window->speaker != 0)
            SDL_CloseAudioDevice(window->speaker);
        view_free_machine(&host);
    }
}
