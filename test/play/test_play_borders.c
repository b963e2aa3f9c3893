// Events at the borders of steps, states and fades; steps that are far too large.
#include "test/play/test_play_case.h"

#include "md5/play/run/player_state.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// The events that the callback received, by the first letters of their names.
typedef struct heard {
    char names[512];
    double least_weight, sum;
    uint32_t count;
} heard;

static void hear(void *user, md5_player *player, const md5_event *event, float weight)
{
    heard *const to = user;
    CHECK(player != NULL);
    if (to->count == 0 || (double)weight < to->least_weight)
        to->least_weight = (double)weight;
    to->sum += (double)weight;
    if (to->count < sizeof to->names - 1)
        to->names[to->count] = event->name[0];
    to->count++;
}

enum { FLAG, PACE };

// Two clips of a second, `a` and `b`, with events at 0, 0.3, 0.7 and 1; `b` calls them in capitals.
#define CLIPS                                                 \
    "bool flag float pace 1 "                                 \
    "clip a f { frame 0 a frame 6 m frame 14 n frame 20 z } " \
    "clip b f { frame 0 A frame 6 M frame 14 N frame 20 Z } "
#define FAST "motion fast clip a { speed pace } "

static void begin(play_scene *of, const char *rows)
{
    play_scene_begin(of);
    for (uint32_t i = 0; i < 2; i++)
        play_scene_add(of, 21, 20.0, 0.3, i);
    play_scene_read(of, CLIPS "%s", rows);
}

// One layer with the states `a` and `b` and transitions, as in a machine file.
TEST_PRINTF(2, 3) static void begin_states(play_scene *of, const char *transitions, ...)
{
    char rows[512];
    va_list values;
    va_start(values, transitions);
    const int head = snprintf(rows, sizeof rows, "layer body { state a a state b b ");
    const int used = vsnprintf(rows + head, sizeof rows - (size_t)head, transitions, values);
    va_end(values);
    strcpy(rows + head + used, " }");
    begin(of, rows);
}

// Returns the events that fire in `steps` equal steps from the start.
static heard heard_in(play_scene *of, double seconds, uint32_t steps)
{
    heard got = {0};
    md5_player_reset(of->player);
    for (uint32_t i = 0; i < steps; i++)
        md5_player_advance(of->player, seconds / steps, hear, &got);
    return got;
}

// -- Exits ------------------------------------------------------------------------------------

static const double RATES[] = {24, 25, 30, 48, 50, 60, 72, 75, 90, 100, 120, 144, 165, 240};

// The new state begins at the fraction of the exit: not at 0 with one frame rate and at 0.99999
// with another.
TEST (borders_keep_the_phase_of_whole_exits) {
    static const double exits[] = {1.0, 2.0, 3.0, 4.0, 7.0};
    static const double durations[] = {0.0, 0.2, 0.25};
    for (size_t exit = 0; exit < 5; exit++) {
        for (size_t i = 0; i < 6; i++) {
            play_scene of;
            begin_states(&of, "transition a b { exit %g duration %g %s keep_phase }", exits[exit],
                         durations[i / 2], i % 2 ? "inertial" : "cross");
            const double seconds = exits[exit] + 2.5;
            for (size_t rate = 0; rate < sizeof RATES / sizeof RATES[0]; rate++) {
                const heard got = heard_in(&of, seconds, (uint32_t)(seconds * RATES[rate]));
                uint32_t num_first = 0;
                for (uint32_t k = 0; k < got.count; k++)
                    num_first += got.names[k] == 'A';
                CHECK_UINT(num_first, 3);
                CHECK_NEAR(md5_player_layer(of.player, 0).time, 2.5, 1e-7);
            }
            play_scene_end(&of);
        }
    }
}

// At the end of a cycle the last frame of the old clip and the first frame of the new one fire,
// never both first frames.
TEST (borders_have_an_owner) {
    static const struct {
        double exit;
        bool keeps_phase;
        double seconds;
        const char *expected;
    } cases[] = {
        {1.0, false, 1.0, "amnzA"}, {1.0, true, 1.0, "amnzA"},   {2.0, true, 2.0, "amnzamnzA"},
        {0.3, false, 0.3, "amA"},   {0.3, true, 0.3, "am"},      {0.7, false, 0.7, "amnA"},
        {0.7, true, 1.0, "amnZA"},  {1.3, true, 1.8, "amnzamN"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        play_scene of;
        begin_states(&of, "transition a b { exit %g %s }", cases[i].exit,
                     cases[i].keeps_phase ? "keep_phase" : "");
        for (uint32_t steps = 1; steps < 400; steps = 2 * steps + 1)
            CHECK_STRING(heard_in(&of, cases[i].seconds, steps).names, cases[i].expected);
        play_scene_end(&of);
    }
}

// A state with a transition to itself starts again: its first frame fires once.
TEST_WITH (borders_of_a_state_that_follows_itself, play_scene, of,
           begin_states(of, "transition a a { exit 1 }"), play_scene_end(of)) {
    for (uint32_t steps = 1; steps < 400; steps = 2 * steps + 1) {
        CHECK_STRING(heard_in(of, 3.0, steps).names, "amnzamnzamnza");
        CHECK_NEAR(md5_player_layer(of->player, 0).time, 0.0, 1e-7);
    }
}

// A clip that is played once ends within a step: its last event fires then, not at the end of the
// step.
TEST (borders_of_a_clip_that_ends_within_a_step) {
    play_scene of;
    begin(&of, "motion once clip a { once } "
               "layer one { state once once } layer two { state b b }");
    for (uint32_t steps = 1; steps < 400; steps = 2 * steps + 1)
        CHECK_STRING(heard_in(&of, 1.5, steps).names, "aAmMnNzZAM");
    play_scene_end(&of);
}

// -- Backward ---------------------------------------------------------------------------------

TEST_WITH (borders_of_a_first_step_of_no_time, play_scene, of, begin_states(of, " "),
           play_scene_end(of)) {
    CHECK_STRING(heard_in(of, -0.4, 1).names, "azn");
    for (uint32_t zeros = 1; zeros < 3; zeros++) {
        heard got = {0};
        md5_player_reset(of->player);
        for (uint32_t i = 0; i < zeros; i++)
            md5_player_advance(of->player, 0.0, hear, &got);
        CHECK_STRING(got.names, "a");
        md5_player_advance(of->player, -1e-12, hear, &got);
        md5_player_advance(of->player, -0.4, hear, &got);
        CHECK_STRING(got.names, "azn");
        // Events that were passed backward fire again, in reverse order, when time goes forward.
        md5_player_advance(of->player, 0.4, hear, &got);
        CHECK_STRING(got.names, "aznnza");
    }
}

// A fade ends within the step; the transition that it delayed follows immediately.
TEST (borders_divide_backward_steps) {
    play_scene of;
    begin_states(&of, "transition a b { duration 0.5 interrupt_none } "
                      "transition b a { start 0.5 }");
    // Half a second to b, then a from 0.5, which fades to b immediately.
    for (uint32_t steps = 1; steps < 60; steps = 2 * steps + 1) {
        heard_in(&of, -0.75, steps);
        CHECK_UINT(md5_player_layer(of.player, 0).state, 1);
        CHECK_NEAR((double)md5_player_layer(of.player, 0).progress, 0.5, 1e-6);
    }
    play_scene_end(&of);
}

// -- Weights ----------------------------------------------------------------------------------

TEST_WITH (borders_are_silent_without_weight, play_scene, of, begin_states(of, " "),
           play_scene_end(of)) {
    heard got = heard_in(of, 0.1, 1);
    md5_player_fade_to(of->player, 0, 1, 0.2f, MD5_FADE_CROSS, MD5_EASE_LINEAR);
    got = (heard){0};
    md5_player_advance(of->player, 0.0, hear, &got);
    CHECK_STRING(got.names, "A");
    CHECK_NEAR(got.sum, 1.0 / 16.0, 1e-6);
    // `a` reaches its event at 0.3 at the end of the fade, when its weight is 0.
    md5_player_advance(of->player, 0.2, hear, &got);
    CHECK_STRING(got.names, "A");
    md5_player_fade_to(of->player, 0, 0, 0.4f, MD5_FADE_CROSS, MD5_EASE_LINEAR);
    got = (heard){0};
    for (int i = 0; i < 4; i++)
        md5_player_advance(of->player, 0.025, hear, &got);
    CHECK_STRING(got.names, "aM");
    CHECK_NEAR(got.sum, 1.0 / 16.0 + 0.75, 1e-5); // at the event, whatever the step is
}

// -- Circles ----------------------------------------------------------------------------------

// Such a circle is followed once; then time passes in the state that it has reached.
TEST (borders_of_circles_in_no_time) {
    static const struct {
        const char *circle;
        double time;
    } cases[] = {
        {"transition a b transition b a", 1.2},
        {"transition a a { exit 0 }", 1.2},
        {"transition any b transition any a { start 0.5 }", 1.2},
        // After the end of the fade the circle is followed again.
        {"transition a b transition b a { duration 0.5 }", 0.2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        play_scene of;
        begin_states(&of, "%s", cases[i].circle);
        const heard whole = heard_in(&of, 1.2, 1);
        const md5_layer_status at_end = md5_player_layer(of.player, 0);
        CHECK(whole.count >= 3);
        CHECK_NEAR(fmod(at_end.time, 0.5), fmod(cases[i].time, 0.5), 1e-9);
        for (uint32_t steps = 2; steps < 100; steps *= 3) {
            CHECK_STRING(heard_in(&of, 1.2, steps).names, whole.names);
            CHECK_UINT(md5_player_layer(of.player, 0).state, at_end.state);
        }
        play_scene_end(&of);
    }
}

// A trigger is consumed when it starts a transition, not at the end of a step.
TEST (borders_consume_triggers_immediately) {
    for (uint32_t steps = 1; steps < 10; steps += 3) {
        play_scene of;
        play_scene_begin(&of);
        for (uint32_t i = 0; i < 2; i++)
            play_scene_add(&of, 21, 20.0, 0.3, i);
        play_scene_read(&of, "trigger leap layer one { state a a state b b "
                             "transition a b { when leap } } layer two { state a a state b b "
                             "transition a b { when leap exit 0.5 } }");
        md5_player_set(of.player, 0, 1.0f);
        for (uint32_t i = 0; i < steps; i++)
            md5_player_advance(of.player, 0.9 / steps, NULL, NULL);
        CHECK_UINT(md5_player_layer(of.player, 0).state, 1);
        CHECK_UINT(md5_player_layer(of.player, 1).state, 0);
        play_scene_end(&of);
    }
}

// -- Steps that are far too large -------------------------------------------------------------

// A million seconds at a million times the speed: what fires is capped, the rest is counted.
TEST_WITH (borders_of_a_step_of_too_many_events, play_scene, of,
           begin(of, FAST "layer body { state fast fast }"), play_scene_end(of)) {
    static const double way[2] = {1e6, -1e6};
    for (int i = 0; i < 2; i++) {
        md5_player_reset(of->player);
        md5_player_advance(of->player, 0.0, NULL, NULL);
        CHECK(md5_player_set(of->player, PACE, 1e6f));
        heard got = {0};
        const md5_advance_status status = md5_player_advance(of->player, way[i], hear, &got);
        CHECK_UINT(got.count, MD5_MAX_STEP_EVENTS);
        CHECK_UINT(status.num_events, MD5_MAX_STEP_EVENTS);
        // Four a cycle, 1e12 cycles; backward the last frame, from which it begins, comes twice.
        CHECK_UINT(status.num_dropped, 4000000000000 + (uint64_t)i - MD5_MAX_STEP_EVENTS);
        CHECK(status.undivided == 0.0);
    }
    heard got = {0};
    md5_player_set(of->player, PACE, 1.0f);
    md5_player_advance(of->player, INFINITY, hear, &got);
    CHECK_UINT(md5_player_advance(of->player, (double)NAN, hear, &got).num_dropped, 0);
    CHECK_UINT(got.count, 0);
}

// Endless transitions: the rest of the step passes undivided.
TEST (borders_of_a_step_of_too_many_transitions) {
    play_scene of;
    begin(&of, FAST "layer body { state fast fast state b b "
                    "transition fast fast { exit 1 duration 1e-4 } "
                    "transition fast b { exit 1e30 } }");
    CHECK(md5_player_set(of.player, PACE, 3e5f));
    heard got = {0};
    const md5_advance_status status = md5_player_advance(of.player, 1e6, hear, &got);
    CHECK(status.undivided > 9e5 && status.undivided < 1e6);
    CHECK(status.num_events > 0 && status.num_dropped > 0);
    CHECK_UINT(md5_player_layer(of.player, 0).state, 0);
    CHECK(md5_player_advance(of.player, 1e-6, hear, &got).undivided == 0.0);
    play_scene_end(&of);
}

// Half of the parts are cycles of a second each, the others the transitions behind them.
TEST_WITH (borders_of_a_step_leave_what_is_after_its_parts, play_scene, of,
           begin(of, FAST "layer body { state fast fast transition fast fast { exit 1 } }"),
           play_scene_end(of)) {
    CHECK_NEAR(md5_player_advance(of->player, 1e6, NULL, NULL).undivided,
               1e6 - MD5_MAX_STEP_PARTS / 2, 1e-6);
}

// -- Poses --------------------------------------------------------------------------------------

// At the border of two cycles, whatever steps lead there, the events of the last frame and of the
// first have fired, and the pose is the first. The root, which stays in the pose, goes 40 units
// from the first to the last.
TEST_WITH (borders_of_cycles_show_the_first_frame, play_scene, of, play_scene_begin(of),
           play_scene_end(of)) {
    static const int steps[] = {1, 3, 7, 10, 24, 49, 60, 98, 144, 1000};
    play_add_clip(&of->made, 21, 20.0, 0.3, (play_walk){40.0, 0.0, 0.0}, 1);
    play_scene_read(of, "clip a f { frame 0 a frame 6 m frame 14 n frame 20 z } "
                        "layer body { state a a }");
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        for (int way = -1; way <= 1; way += 2) {
            md5_xform pose[PLAY_JOINTS];
            const heard got = heard_in(of, way, (uint32_t)steps[i]);
            play_pose(of->player, pose);
            CHECK_STRING(got.names, way > 0 ? "amnza" : "aznmaz");
            CHECK_NEAR((double)pose[0].translation.x, 0.0, 1e-4);
        }
    }
}

// -- Synchronised clips -----------------------------------------------------------------------

// md5i_sync_seconds() is the inverse of md5i_sync_advance().
TEST (borders_of_synchronised_clips) {
    uint64_t random = 3;
    for (int i = 0; i < 20000; i++) {
        double markers[3][3];
        md5_sync_item items[3];
        const uint32_t num_markers = (uint32_t)(i % 4);
        const double sign = i % 8 < 4 ? 1.0 : -1.0;
        for (uint32_t k = 0; k < 3; k++) {
            for (uint32_t m = 0; m < 3; m++)
                markers[k][m] = 0.3 * m + 0.2 * test_random(&random);
            items[k] = (md5_sync_item){.weight = (float)(0.1 + test_random(&random)),
                                       .rate = sign * (0.2 + 2.0 * test_random(&random)),
                                       .markers = markers[k]};
        }
        const md5_clock from = {(int64_t)(i % 5) - 2, test_random(&random)};
        const double seconds = 8.0 * (test_random(&random) - 0.5);
        const md5_clock to = md5i_sync_advance(items, 3, num_markers, from, seconds);
        CHECK_NEAR(md5i_sync_seconds(items, 3, num_markers, from, to), seconds, 1e-9);
    }
    // A clock that stands still never reaches a later time.
    const double marker[2] = {0.0, 0.5};
    const md5_sync_item still = {.weight = 1.0f, .rate = 0.0, .markers = marker};
    CHECK(!isfinite(md5i_sync_seconds(&still, 1, 2, (md5_clock){0, 0.1}, (md5_clock){0, 0.9})));
    CHECK(!isfinite(md5i_sync_seconds(&still, 1, 0, (md5_clock){0, 0.1}, (md5_clock){5, 0.9})));
}
