// Tests of players at the boundaries of clips: loops, ends and reversals at any speed, events, root
// motion and exits. The results must be the same for every division of the time into steps.
// test_play_functions.c tests the clocks of single clips.
#include "test/scoped.h"
#include "test/play/test_play_case.h"

#include <stdarg.h>

// Root motion is relative to the root in the first frame, for any position of it.
TEST (root_motion_begins_at_the_start_of_the_clip) {
    SCOPED_PLAY fixture;
    play_scene_begin(&fixture);
    play_add_clip(&fixture.assets, 21, 20, 0.3, (play_walk){30, 0, 0}, 1);
    md5_anim moved = *fixture.assets.anims[0];
    const size_t count = (size_t)moved.num_frames * moved.num_translations;
    SCOPED md5_vec3 *const translations = malloc(count * sizeof *translations);
    CHECK_UINT(moved.translation_joints[0], 0);
    for (size_t i = 0; i < count; i++) {
        const md5_vec3 at = moved.translations[i];
        translations[i] =
            i % moved.num_translations > 0 ? at : (md5_vec3){at.x + 7, at.y - 3, at.z + 5};
    }
    moved.translations = translations;
    SCOPED_BINDING binding = md5_bind(fixture.assets.model, &moved, NULL, NULL);
    fixture.clips[0] = (md5_clip_desc){
        .name = "walk", .binding = binding, .root_extraction = MD5_ROOT_EXTRACTION_MOVE};
    play_scene_read(&fixture, "layer body { state walk walk }");
    play_advance(fixture.player, 0.1);
    const md5_vec3 delta = md5_player_root_motion(fixture.player).translation;
    CHECK_NEAR(delta.x, 3, 1e-4);
    CHECK_SMALL(delta.y, 1e-4);
    CHECK_SMALL(delta.z, 1e-4);
}

// -- Events at boundaries -------------------------------------------------------------------------

// Events at the boundaries of steps, states and fades; steps that are far too large.

// The first letters of the names of the received events.
typedef struct event_log {
    char names[512];
    double min_weight, sum;
    uint32_t count;
} event_log;

PLAY_LISTENER(hear)
{
    event_log *const to = user;
    CHECK(player);
    if (to->count == 0 || weight < to->min_weight)
        to->min_weight = weight;
    to->sum += weight;
    if (to->count < sizeof to->names - 1)
        to->names[to->count] = event->name[0];
    to->count++;
}

enum { FLAG, PACE };

// Two clips of one second, `a` and `b`, with events at 0, 0.3, 0.7 and 1; `b` has capital letters.
#define CLIPS                                                 \
    "bool flag float pace 1 "                                 \
    "clip a f { frame 0 a frame 6 m frame 14 n frame 20 z } " \
    "clip b f { frame 0 A frame 6 M frame 14 N frame 20 Z } "
#define FAST "motion fast clip a { speed pace } "

static void begin(play_scene *fixture, const char *rows)
{
    play_scene_make(fixture, 2, CLIPS "%s", rows);
}

// Creates one layer with the states `a` and `b` and transitions in the syntax of a machine file.
TEST_PRINTF(2, 3) static void begin_states(play_scene *fixture, const char *transitions, ...)
{
    char rows[512];
    va_list values;
    va_start(values, transitions);
    const int head = snprintf(rows, sizeof rows, "layer body { state a a state b b ");
    const int used = vsnprintf(rows + head, sizeof rows - (size_t)head, transitions, values);
    va_end(values);
    strcpy(rows + head + used, " }");
    begin(fixture, rows);
}

// Returns the events that fire in `steps` equal steps from the start.
static event_log events_in(play_scene *fixture, double seconds, uint32_t steps)
{
    event_log reported = {0};
    md5_player_reset(fixture->player);
    for (uint32_t i = 0; i < steps; i++)
        md5_player_advance(fixture->player, seconds / steps, hear, &reported);
    return reported;
}

// -- Exits ------------------------------------------------------------------------------------

static const double RATES[] = {24, 25, 30, 48, 50, 60, 72, 75, 90, 100, 120, 144, 165, 240};

// The new state begins at the fraction of the exit, for all frame rates: not at 0 with one rate and
// at 0.99999 with another.
TEST (exits_at_whole_cycles_keep_the_phase) {
    static const double exits[] = {1, 2, 3, 4, 7};
    static const double durations[] = {0, 0.2, 0.25};
    for (uint32_t exit = 0; exit < 5; exit++) {
        for (uint32_t i = 0; i < 6; i++) {
            SCOPED_PLAY fixture;
            begin_states(&fixture, "transition a b { exit %g duration %g %s keep_phase }",
                         exits[exit], durations[i / 2], i % 2 ? "inertial" : "cross");
            const double seconds = exits[exit] + 2.5;
            for (size_t j = 0; j < COUNT_OF(RATES); j++) {
                const event_log reported =
                    events_in(&fixture, seconds, (uint32_t)(seconds * RATES[j]));
                uint32_t num_first = 0;
                for (uint32_t k = 0; k < reported.count; k++)
                    num_first += reported.names[k] == 'A';
                CHECK_UINT(num_first, 3);
                CHECK_NEAR(play_time(fixture.player), 2.5, 1e-7);
            }
        }
    }
}

// At the end of a cycle the last frame of the previous clip and the first frame of the new clip
// fire; the first frames of both clips never fire together.
TEST (frames_at_a_boundary_fire_for_one_clip) {
    static const struct {
        double exit;
        bool keeps_phase;
        double seconds;
        const char *expected;
    } cases[] = {
        {1, false, 1, "amnzA"},   {1, true, 1, "amnzA"},       {2, true, 2, "amnzamnzA"},
        {0.3, false, 0.3, "amA"}, {0.3, true, 0.3, "am"},      {0.7, false, 0.7, "amnA"},
        {0.7, true, 1, "amnZA"},  {1.3, true, 1.8, "amnzamN"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED_PLAY fixture;
        begin_states(&fixture, "transition a b { exit %g %s }", cases[i].exit,
                     cases[i].keeps_phase ? "keep_phase" : "");
        for (uint32_t steps = 1; steps < 400; steps = 2 * steps + 1)
            CHECK_STRING(events_in(&fixture, cases[i].seconds, steps).names, cases[i].expected);
    }
}

// A state with a transition to itself starts again: its first frame fires once.
TEST_PLAY (boundaries_of_a_state_that_follows_itself,
           begin_states(fixture, "transition a a { exit 1 }")) {
    for (uint32_t steps = 1; steps < 400; steps = 2 * steps + 1) {
        CHECK_STRING(events_in(fixture, 3, steps).names, "amnzamnzamnza");
        CHECK_SMALL(play_time(fixture->player), 1e-7);
    }
}

// A clip that is played once ends within a step: its last event fires then, not at the end of the
// step.
TEST (boundaries_of_a_clip_that_ends_within_a_step) {
    SCOPED_PLAY fixture;
    begin(&fixture, "motion once clip a { once } "
                    "layer one { state once once } layer two { state b b }");
    for (uint32_t steps = 1; steps < 400; steps = 2 * steps + 1)
        CHECK_STRING(events_in(&fixture, 1.5, steps).names, "aAmMnNzZAM");
}

// -- Backward ---------------------------------------------------------------------------------

// A first step of 0 seconds fires the event at the start of the clip once. A second step of 0
// seconds and a step backward do not fire it again.
TEST_PLAY (boundaries_of_a_first_step_of_zero_seconds, begin_states(fixture, " ")) {
    CHECK_STRING(events_in(fixture, -0.4, 1).names, "azn");
    for (uint32_t zeros = 1; zeros < 3u; zeros++) {
        event_log reported = {0};
        md5_player_reset(fixture->player);
        for (uint32_t i = 0; i < zeros; i++)
            md5_player_advance(fixture->player, 0, hear, &reported);
        CHECK_STRING(reported.names, "a");
        md5_player_advance(fixture->player, -1e-12, hear, &reported);
        md5_player_advance(fixture->player, -0.4, hear, &reported);
        CHECK_STRING(reported.names, "azn");
        // Events that were passed backward fire again, in reverse order, when the time advances
        // again.
        md5_player_advance(fixture->player, 0.4, hear, &reported);
        CHECK_STRING(reported.names, "aznnza");
    }
}

// A fade ends within the step; the transition that it delayed follows immediately.
TEST (boundaries_divide_backward_steps) {
    SCOPED_PLAY fixture;
    begin_states(&fixture, "transition a b { duration 0.5 interrupt_none } "
                           "transition b a { start 0.5 }");
    // The fade from a to b takes 0.5 s. At its end, the state changes to a and immediately begins
    // the next fade to b, which is half done after 0.75 s.
    for (uint32_t steps = 1; steps < 60; steps = 2 * steps + 1) {
        events_in(&fixture, -0.75, steps);
        CHECK_UINT(play_state(fixture.player), 1);
        CHECK_NEAR(md5_player_layer(fixture.player, 0).progress, 0.5, 1e-6);
    }
}

// -- Weights ----------------------------------------------------------------------------------

// An event does not fire if the weight of its clip is 0 at this time, here at the end of a fade.
TEST_PLAY (boundaries_are_silent_without_weight, begin_states(fixture, " ")) {
    event_log reported = events_in(fixture, 0.1, 1);
    play_fade(fixture->player, 0, 1, 0.2f);
    reported = (event_log){0};
    md5_player_advance(fixture->player, 0, hear, &reported);
    CHECK_STRING(reported.names, "A");
    CHECK_NEAR(reported.sum, 1.0 / 16.0, 1e-6);
    // `a` reaches its event at 0.3 at the end of the fade, when its weight is 0.
    md5_player_advance(fixture->player, 0.2, hear, &reported);
    CHECK_STRING(reported.names, "A");
    play_fade(fixture->player, 0, 0, 0.4f);
    reported = (event_log){0};
    for (int i = 0; i < 4; i++)
        md5_player_advance(fixture->player, 0.025, hear, &reported);
    CHECK_STRING(reported.names, "aM");
    CHECK_NEAR(reported.sum, 1.0 / 16.0 + 0.75, 1e-5); // weight at the event, for every step
}

// -- Circles ----------------------------------------------------------------------------------

// A cycle of transitions is followed once; after that, time passes in the state that was reached.
TEST (boundaries_of_cycles_of_zero_seconds) {
    static const struct {
        const char *circle;
        double time;
    } cases[] = {
        {"transition a b transition b a", 1.2},
        {"transition a a { exit 0 }", 1.2},
        {"transition any b transition any a { start 0.5 }", 1.2},
        // The cycle is followed again after the end of the fade.
        {"transition a b transition b a { duration 0.5 }", 0.2},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED_PLAY fixture;
        begin_states(&fixture, "%s", cases[i].circle);
        const event_log single = events_in(&fixture, 1.2, 1);
        const md5_layer_status at_end = md5_player_layer(fixture.player, 0);
        CHECK(single.count >= 3);
        CHECK_NEAR(fmod(at_end.time, 0.5), fmod(cases[i].time, 0.5), 1e-9);
        for (uint32_t steps = 2; steps < 100; steps *= 3) {
            CHECK_STRING(events_in(&fixture, 1.2, steps).names, single.names);
            CHECK_UINT(play_state(fixture.player), at_end.state);
        }
    }
}

// A trigger is consumed when it starts a transition, not at the end of a step.
TEST (boundaries_consume_triggers_immediately) {
    for (int steps = 1; steps < 10; steps += 3) {
        SCOPED_PLAY fixture;
        play_scene_make(&fixture, 2,
                        "trigger leap layer one { state a a state b b "
                        "transition a b { when leap } } layer two { state a a state b b "
                        "transition a b { when leap exit 0.5 } }");
        md5_player_set(fixture.player, 0, 1);
        play_steps(fixture.player, steps, 0.9);
        CHECK_UINT(play_state(fixture.player), 1);
        CHECK_UINT(md5_player_layer(fixture.player, 1).state, 0);
    }
}

// -- Steps that are far too large -------------------------------------------------------------

// A million seconds at a million times the speed: the number of fired events is limited, the
// remaining events are counted.
TEST_PLAY (boundaries_of_a_step_with_too_many_events,
           begin(fixture, FAST "layer body { state fast fast }")) {
    static const double delta[2] = {1e6, -1e6};
    for (int i = 0; i < 2; i++) {
        md5_player_reset(fixture->player);
        play_advance(fixture->player, 0);
        CHECK(md5_player_set(fixture->player, PACE, 1e6f));
        event_log reported = {0};
        const md5_advance_status status =
            md5_player_advance(fixture->player, delta[i], hear, &reported);
        CHECK_UINT(reported.count, MD5_MAX_STEP_EVENTS);
        CHECK_UINT(status.num_events, MD5_MAX_STEP_EVENTS);
        // 1e12 cycles have four events each. Backward (i = 1), there is one more event, because the
        // event of the last frame, where the step begins, fires twice.
        CHECK_UINT(status.num_dropped, 4000000000000 + (uint64_t)i - MD5_MAX_STEP_EVENTS);
        CHECK(status.undivided == 0);
    }
    event_log reported = {0};
    md5_player_set(fixture->player, PACE, 1);
    md5_player_advance(fixture->player, INFINITY, hear, &reported);
    CHECK_UINT(md5_player_advance(fixture->player, NAN, hear, &reported).num_dropped, 0);
    CHECK_UINT(reported.count, 0);
}

// Endless transitions: the remaining time of the step passes in one part.
TEST (boundaries_of_a_step_with_too_many_transitions) {
    SCOPED_PLAY fixture;
    begin(&fixture, FAST "layer body { state fast fast state b b "
                         "transition fast fast { exit 1 duration 1e-4 } "
                         "transition fast b { exit 1e30 } }");
    CHECK(md5_player_set(fixture.player, PACE, 3e5f));
    event_log reported = {0};
    const md5_advance_status status = md5_player_advance(fixture.player, 1e6, hear, &reported);
    CHECK(status.undivided > 9e5 && status.undivided < 1e6);
    CHECK(status.num_events > 0 && status.num_dropped > 0);
    CHECK_UINT(play_state(fixture.player), 0);
    CHECK(md5_player_advance(fixture.player, 1e-6, hear, &reported).undivided == 0);
}

// A step is divided into at most MD5_MAX_STEP_PARTS parts. Every second part is a cycle of one
// second, and the part after it is a transition, which takes no time.
TEST_PLAY (boundaries_of_a_step_omit_time_after_the_last_part,
           begin(fixture, FAST "layer body { state fast fast transition fast fast { exit 1 } }")) {
    CHECK_NEAR(md5_player_advance(fixture->player, 1e6, NULL, NULL).undivided,
               1e6 - MD5_MAX_STEP_PARTS / 2, 1e-6);
}

// The last part of the limit ends after 32 768 seconds. At this instant a clip of the slot ends,
// too, but the next one-shot does not start before the next call.
TEST_PLAY (boundaries_of_a_step_start_no_one_shot_after_the_last_part,
           begin(fixture, FAST "slot body_slot { } one_shot nod body_slot b { when flag holds } "
                               "layer body { state fast fast transition fast fast { exit 1 } }")) {
    const float cycles = MD5_MAX_STEP_PARTS / 2;
    const md5_one_shot_desc once = {.speed = 1 / cycles};
    CHECK(md5_player_play_one_shot(fixture->player, 0, 0, &once));
    md5_player_set(fixture->player, FLAG, 1);
    CHECK_NEAR(md5_player_advance(fixture->player, 1e6, NULL, NULL).undivided, 1e6 - (double)cycles,
               1e-6);
    CHECK(!md5_player_one_shot(fixture->player, 0).is_playing);
    md5_player_advance(fixture->player, 0, NULL, NULL);
    CHECK(md5_player_one_shot(fixture->player, 0).is_playing);
    CHECK_UINT(md5_player_one_shot(fixture->player, 0).clip, 1);
}

// -- Poses --------------------------------------------------------------------------------------

// At the boundary of two cycles, for every division into steps, the events of the last frame and of
// the first frame have fired, and the pose is the first frame. The root, which remains in the pose,
// moves 40 units from the first frame to the last.
TEST_PLAY (boundaries_of_cycles_show_the_first_frame, play_scene_begin(fixture)) {
    static const int steps[] = {1, 3, 7, 10, 24, 49, 60, 98, 144, 1000};
    play_add_clip(&fixture->assets, 21, 20, 0.3, (play_walk){40, 0, 0}, 1);
    play_scene_read(fixture, "clip a f { frame 0 a frame 6 m frame 14 n frame 20 z } "
                             "layer body { state a a }");
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        for (int delta = -1; delta <= 1; delta += 2) {
            md5_xform pose[PLAY_JOINTS];
            const event_log reported = events_in(fixture, delta, (uint32_t)steps[i]);
            play_pose(fixture->player, pose);
            CHECK_STRING(reported.names, delta > 0 ? "amnza" : "aznmaz");
            CHECK_SMALL(pose[0].translation.x, 1e-4);
        }
    }
}
