// Events at the borders of steps, states and fades; steps that are far too large.
#include "test/play/test_play_case.h"

#include "md5/play/run/player_state.h"

#include <math.h>
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

static const md5_event OF_A[] = {{.frame = 0, .name = "a"},
                                 {.frame = 6, .name = "m"},
                                 {.frame = 14, .name = "n"},
                                 {.frame = 20, .name = "z"}};
static const md5_event OF_B[] = {{.frame = 0, .name = "A"},
                                 {.frame = 6, .name = "M"},
                                 {.frame = 14, .name = "N"},
                                 {.frame = 20, .name = "Z"}};

enum { FLAG, PACE };

// Two clips of a second, `a` and `b`, with events at 0, 0.3, 0.7 and 1; `b` calls them in capitals.
static void begin(play_scene *of, md5_machine_desc desc)
{
    static const md5_parameter_desc parameters[] = {{"flag", MD5_PARAMETER_BOOL, 0.0f},
                                                    {"pace", MD5_PARAMETER_FLOAT, 1.0f}};
    play_scene_begin(of);
    for (uint32_t i = 0; i < 2; i++) {
        play_scene_add(of, 21, 20.0, 0.3, i);
        of->clips[i].events = i == 0 ? OF_A : OF_B;
        of->clips[i].num_events = 4;
    }
    desc.parameters = parameters;
    desc.num_parameters = 2;
    play_scene_play(of, &desc);
}

static const md5_state_desc A_AND_B[] = {{"a", "a"}, {"b", "b"}};

// One layer with the states `a` and `b` and `count` transitions.
static void begin_states(play_scene *of, const md5_transition_desc *transitions, uint32_t count)
{
    const md5_layer_desc layer = {.name = "body",
                                  ROWS(states, A_AND_B),
                                  .transitions = transitions,
                                  .num_transitions = count};
    begin(of, (md5_machine_desc){ROW(layers, layer)});
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
    static const float exits[] = {1.0f, 2.0f, 3.0f, 4.0f, 7.0f};
    static const float durations[] = {0.0f, 0.2f, 0.25f};
    for (size_t exit = 0; exit < 5; exit++) {
        for (size_t i = 0; i < 6; i++) {
            const md5_transition_desc keeps = {.from = "a",
                                               .to = "b",
                                               .waits = true,
                                               .exit = exits[exit],
                                               .duration = durations[i / 2],
                                               .fade = (md5_fade)(i % 2),
                                               .keeps_phase = true};
            play_scene of;
            begin_states(&of, &keeps, 1);
            const double seconds = (double)exits[exit] + 2.5;
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
        float exit;
        bool keeps_phase;
        double seconds;
        const char *expected;
    } cases[] = {
        {1.0f, false, 1.0, "amnzA"}, {1.0f, true, 1.0, "amnzA"},   {2.0f, true, 2.0, "amnzamnzA"},
        {0.3f, false, 0.3, "amA"},   {0.3f, true, 0.3, "am"},      {0.7f, false, 0.7, "amnA"},
        {0.7f, true, 1.0, "amnZA"},  {1.3f, true, 1.8, "amnzamN"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const md5_transition_desc leaves = {.from = "a",
                                            .to = "b",
                                            .waits = true,
                                            .exit = cases[i].exit,
                                            .keeps_phase = cases[i].keeps_phase};
        play_scene of;
        begin_states(&of, &leaves, 1);
        for (uint32_t steps = 1; steps < 400; steps = 2 * steps + 1)
            CHECK_STRING(heard_in(&of, cases[i].seconds, steps).names, cases[i].expected);
        play_scene_end(&of);
    }
}

// A state with a transition to itself starts again: its first frame fires once.
TEST (borders_of_a_state_that_follows_itself) {
    const md5_transition_desc again = {.from = "a", .to = "a", .waits = true, .exit = 1.0f};
    play_scene of;
    begin_states(&of, &again, 1);
    for (uint32_t steps = 1; steps < 400; steps = 2 * steps + 1) {
        CHECK_STRING(heard_in(&of, 3.0, steps).names, "amnzamnzamnza");
        CHECK_NEAR(md5_player_layer(of.player, 0).time, 0.0, 1e-7);
    }
    play_scene_end(&of);
}

// A clip that is played once ends within a step: its last event fires then, not at the end of the
// step.
TEST (borders_of_a_clip_that_ends_within_a_step) {
    const md5_motion_desc once = {
        .name = "once", .kind = MD5_MOTION_CLIP, .clip = "a", .mode = MD5_PLAY_ONCE};
    const md5_state_desc first = {"once", "once"}, second = {"b", "b"};
    const md5_layer_desc layers[] = {{.name = "one", ROW(states, first)},
                                     {.name = "two", ROW(states, second)}};
    play_scene of;
    begin(&of, (md5_machine_desc){ROW(motions, once), ROWS(layers, layers)});
    for (uint32_t steps = 1; steps < 400; steps = 2 * steps + 1)
        CHECK_STRING(heard_in(&of, 1.5, steps).names, "aAmMnNzZAM");
    play_scene_end(&of);
}

// -- Backward ---------------------------------------------------------------------------------

TEST_WITH (borders_of_a_first_step_of_no_time, play_scene, of, begin_states(of, NULL, 0),
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
    const md5_transition_desc there_and_on[] = {
        {.from = "a", .to = "b", .duration = 0.5f, .interrupt = MD5_INTERRUPT_NONE},
        {.from = "b", .to = "a", .start = 0.5f},
    };
    play_scene of;
    begin_states(&of, there_and_on, 2);
    // Half a second to b, then a from 0.5, which fades to b immediately.
    for (uint32_t steps = 1; steps < 60; steps = 2 * steps + 1) {
        heard_in(&of, -0.75, steps);
        CHECK_UINT(md5_player_layer(of.player, 0).state, 1);
        CHECK_NEAR((double)md5_player_layer(of.player, 0).progress, 0.5, 1e-6);
    }
    play_scene_end(&of);
}

// -- Weights ----------------------------------------------------------------------------------

TEST_WITH (borders_are_silent_without_weight, play_scene, of, begin_states(of, NULL, 0),
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
        md5_transition_desc circle[2];
        uint32_t count;
        double time;
    } cases[] = {
        {{{.from = "a", .to = "b"}, {.from = "b", .to = "a"}}, 2, 1.2},
        {{{.from = "a", .to = "a", .waits = true, .exit = 0.0f}}, 1, 1.2},
        {{{.to = "b"}, {.to = "a", .start = 0.5f}}, 2, 1.2},
        // After the end of the fade the circle is followed again.
        {{{.from = "a", .to = "b"}, {.from = "b", .to = "a", .duration = 0.5f}}, 2, 0.2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        play_scene of;
        begin_states(&of, cases[i].circle, cases[i].count);
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
    const md5_parameter_desc leap = {"leap", MD5_PARAMETER_TRIGGER, 0.0f};
    const md5_condition leaps = {"leap", MD5_IS_SET, 0.0f};
    const md5_transition_desc on[2] = {
        {.from = "a", .to = "b", ROW(conditions, leaps)},
        {.from = "a", .to = "b", ROW(conditions, leaps), .waits = true, .exit = 0.5f},
    };
    md5_layer_desc layers[2];
    for (int i = 0; i < 2; i++)
        layers[i] = (md5_layer_desc){
            .name = i == 0 ? "one" : "two", ROWS(states, A_AND_B), ROW(transitions, on[i])};
    for (uint32_t steps = 1; steps < 10; steps += 3) {
        play_scene of;
        play_scene_begin(&of);
        for (uint32_t i = 0; i < 2; i++)
            play_scene_add(&of, 21, 20.0, 0.3, i);
        play_scene_play(&of, &(md5_machine_desc){ROW(parameters, leap), ROWS(layers, layers)});
        md5_player_set(of.player, 0, 1.0f);
        for (uint32_t i = 0; i < steps; i++)
            md5_player_advance(of.player, 0.9 / steps, NULL, NULL);
        CHECK_UINT(md5_player_layer(of.player, 0).state, 1);
        CHECK_UINT(md5_player_layer(of.player, 1).state, 0);
        play_scene_end(&of);
    }
}

// -- Steps that are far too large -------------------------------------------------------------

static const md5_motion_desc PACED[] = {
    {.name = "fast", .kind = MD5_MOTION_CLIP, .clip = "a", .speed_parameter = "pace"}};

// A million seconds at a million times the speed: what fires is capped, the rest is counted.
TEST (borders_of_a_step_of_too_many_events) {
    const md5_state_desc state = {"fast", "fast"};
    const md5_layer_desc layer = {.name = "body", ROW(states, state)};
    play_scene of;
    begin(&of, (md5_machine_desc){ROWS(motions, PACED), ROW(layers, layer)});
    static const double way[2] = {1e6, -1e6};
    for (int i = 0; i < 2; i++) {
        md5_player_reset(of.player);
        md5_player_advance(of.player, 0.0, NULL, NULL);
        CHECK(md5_player_set(of.player, PACE, 1e6f));
        heard got = {0};
        const md5_advance_status status = md5_player_advance(of.player, way[i], hear, &got);
        CHECK_UINT(got.count, MD5_MAX_STEP_EVENTS);
        CHECK_UINT(status.num_events, MD5_MAX_STEP_EVENTS);
        // Four a cycle, 1e12 cycles; backward the last frame, from which it begins, comes twice.
        CHECK_UINT(status.num_dropped, 4000000000000 + (uint64_t)i - MD5_MAX_STEP_EVENTS);
        CHECK(status.undivided == 0.0);
    }
    heard got = {0};
    md5_player_set(of.player, PACE, 1.0f);
    md5_player_advance(of.player, INFINITY, hear, &got);
    CHECK_UINT(md5_player_advance(of.player, (double)NAN, hear, &got).num_dropped, 0);
    CHECK_UINT(got.count, 0);
    play_scene_end(&of);
}

// Endless transitions: the rest of the step passes undivided.
TEST (borders_of_a_step_of_too_many_transitions) {
    const md5_state_desc states[] = {{"fast", "fast"}, {"b", "b"}};
    const md5_transition_desc again[] = {
        {.from = "fast", .to = "fast", .waits = true, .exit = 1.0f, .duration = 1e-4f},
        {.from = "fast", .to = "b", .waits = true, .exit = 1e30f},
    };
    const md5_layer_desc layer = {.name = "body", ROWS(states, states), ROWS(transitions, again)};
    play_scene of;
    begin(&of, (md5_machine_desc){ROWS(motions, PACED), ROW(layers, layer)});
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
TEST (borders_of_a_step_leave_what_is_after_its_parts) {
    const md5_state_desc state = {"fast", "fast"};
    const md5_transition_desc again = {.from = "fast", .to = "fast", .waits = true, .exit = 1.0f};
    const md5_layer_desc layer = {.name = "body", ROW(states, state), ROW(transitions, again)};
    play_scene of;
    begin(&of, (md5_machine_desc){ROWS(motions, PACED), ROW(layers, layer)});
    CHECK_NEAR(md5_player_advance(of.player, 1e6, NULL, NULL).undivided,
               1e6 - MD5_MAX_STEP_PARTS / 2, 1e-6);
    play_scene_end(&of);
}

// -- Poses --------------------------------------------------------------------------------------

// At the border of two cycles, whatever steps lead there, the events of the last frame and of the
// first have fired, and the pose is the first. The root, which stays in the pose, goes 40 units
// from the first to the last.
TEST_WITH (borders_of_cycles_show_the_first_frame, play_scene, of, play_scene_begin(of),
           play_scene_end(of)) {
    static const int steps[] = {1, 3, 7, 10, 24, 49, 60, 98, 144, 1000};
    play_add_clip(&of->made, 21, 20.0, 0.3, (play_walk){40.0, 0.0, 0.0}, 1);
    of->clips[0] =
        (md5_clip_desc){.name = "a", .binding = of->made.bindings[0], ROWS(events, OF_A)};
    const md5_layer_desc layer = {.name = "body", .states = A_AND_B, .num_states = 1};
    play_scene_play(of, &(md5_machine_desc){ROW(layers, layer)});
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
