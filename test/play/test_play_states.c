// Which state a layer is in: transitions, conditions, times, interruption.
#include "test/play/test_play_case.h"

#include <math.h>
#include <string.h>

static const play_walk STANDS = {0.0, 0.0, 0.0};

enum { STAND, WALK, JUMP, SIT };

// A layer of four states, each a clip of a second; the tests give the transitions.
typedef struct states_case {
    play_case made;
    md5_clip_desc clips[4];
    md5_motion_desc motions[2];
    md5_parameter_desc parameters[3];
    md5_state_desc states[4];
    md5_layer_desc layers[2];
    md5_machine *machine;
    md5_player *player;
} states_case;

static void begin(states_case *of, const md5_transition_desc *transitions, uint32_t count)
{
    static const char *const names[4] = {"stand", "walk", "jump", "sit"};
    memset(of, 0, sizeof *of);
    play_begin(&of->made);
    for (uint32_t i = 0; i < 4; i++) {
        play_add_clip(&of->made, 21, 20.0, 0.3, STANDS, i);
        of->clips[i] = (md5_clip_desc){.name = names[i], .binding = of->made.bindings[i]};
        of->states[i] = (md5_state_desc){names[i], names[i]};
    }
    of->motions[0] = (md5_motion_desc){
        .name = "once", .kind = MD5_MOTION_CLIP, .clip = "jump", .mode = MD5_PLAY_ONCE};
    of->motions[1] = (md5_motion_desc){.name = "back",
                                       .kind = MD5_MOTION_CLIP,
                                       .clip = "sit",
                                       .mode = MD5_PLAY_ONCE,
                                       .start = 1.0,
                                       .speed = -1.0f};
    of->states[JUMP].motion = "once";
    of->parameters[0] = (md5_parameter_desc){"speed", MD5_PARAMETER_FLOAT, 0.0f};
    of->parameters[1] = (md5_parameter_desc){"armed", MD5_PARAMETER_BOOL, 0.0f};
    of->parameters[2] = (md5_parameter_desc){"leap", MD5_PARAMETER_TRIGGER, 0.0f};
    for (int i = 0; i < 2; i++)
        of->layers[i] = (md5_layer_desc){.name = i == 0 ? "body" : "arms",
                                         ROWS(states, of->states),
                                         .transitions = transitions,
                                         .num_transitions = count};
    of->machine = play_machine(&(md5_machine_desc){.model = of->made.model,
                                                   ROWS(clips, of->clips),
                                                   ROWS(motions, of->motions),
                                                   ROWS(parameters, of->parameters),
                                                   ROWS(layers, of->layers)});
    of->player = play_player(of->machine);
}

static void end(states_case *of)
{
    md5_destroy_player(of->player);
    md5_destroy_machine(of->machine);
    play_end(&of->made);
}

static uint32_t state_after(states_case *of, double seconds)
{
    md5_player_advance(of->player, seconds, NULL, NULL);
    return md5_player_layer(of->player, 0).state;
}

TEST (states_follow_conditions) {
    static const struct {
        md5_comparison compare;
        float value, set;
        uint32_t parameter;
        bool holds;
    } cases[] = {
        {MD5_IS_SET, 0, 1.0f, 1, true},          {MD5_IS_SET, 0, 0.0f, 1, false},
        {MD5_IS_CLEAR, 0, 1.0f, 1, false},       {MD5_IS_CLEAR, 0, 0.0f, 1, true},
        {MD5_IS_SET, 0, -0.5f, 0, true},         {MD5_IS_LESS, 2.0f, 1.9f, 0, true},
        {MD5_IS_LESS, 2.0f, 2.0f, 0, false},     {MD5_IS_GREATER, 2.0f, 2.1f, 0, true},
        {MD5_IS_GREATER, 2.0f, 2.0f, 0, false},  {MD5_IS_AT_MOST, 2.0f, 2.0f, 0, true},
        {MD5_IS_AT_MOST, 2.0f, 2.1f, 0, false},  {MD5_IS_AT_LEAST, 2.0f, 2.0f, 0, true},
        {MD5_IS_AT_LEAST, 2.0f, 1.9f, 0, false},
    };
    static const char *const names[2] = {"speed", "armed"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const md5_condition condition = {names[cases[i].parameter], cases[i].compare,
                                         cases[i].value};
        const md5_transition_desc transition = {
            .from = "stand", .to = "walk", ROW(conditions, condition)};
        states_case of;
        begin(&of, &transition, 1);
        CHECK(md5_player_set(of.player, cases[i].parameter, cases[i].set));
        CHECK_UINT(state_after(&of, 0.01), cases[i].holds ? WALK : STAND);
        end(&of);
    }
}

TEST (states_need_all_conditions) {
    const md5_condition both[] = {{"speed", MD5_IS_GREATER, 1.0f}, {"armed", MD5_IS_SET, 0.0f}};
    const md5_transition_desc transition = {.from = "stand", .to = "walk", ROWS(conditions, both)};
    states_case of;
    begin(&of, &transition, 1);
    md5_player_set(of.player, 0, 2.0f);
    CHECK_UINT(state_after(&of, 0.01), STAND);
    md5_player_set(of.player, 1, 7.0f);
    CHECK(md5_player_get(of.player, 1) == 1.0f);
    CHECK_UINT(state_after(&of, 0.01), WALK);
    end(&of);
}

// Both layers see it in the step in which it is set; then it is used up.
TEST (states_use_up_triggers) {
    const md5_condition leaps = {"leap", MD5_IS_SET, 0.0f}, calm = {"leap", MD5_IS_CLEAR, 0.0f};
    const md5_transition_desc transitions[] = {
        {.from = "stand", .to = "jump", ROW(conditions, leaps)},
        {.from = "jump", .to = "sit", ROW(conditions, leaps)},
        {.from = "sit", .to = "stand", ROW(conditions, calm)},
    };
    states_case of;
    begin(&of, transitions, 3);
    CHECK(md5_player_set(of.player, 2, 1.0f));
    CHECK_UINT(state_after(&of, 0.01), JUMP);
    CHECK_UINT(md5_player_layer(of.player, 1).state, JUMP);
    CHECK(md5_player_get(of.player, 2) == 0.0f);
    CHECK_UINT(state_after(&of, 0.01), JUMP);
    md5_player_set(of.player, 2, 1.0f);
    // To sit, which it leaves immediately: the trigger is no longer set in this layer.
    CHECK_UINT(state_after(&of, 0.01), STAND);
    CHECK_UINT(state_after(&of, 0.01), STAND);
    end(&of);
}

// The exit falls within a step: the rest of the step is the next state's.
TEST (states_leave_at_their_exit) {
    const md5_transition_desc transitions[] = {
        {.from = "stand", .to = "walk", .waits = true, .exit = 1.5f},
        {.from = "walk", .to = "jump", .waits = true, .exit = 0.25f},
        {.from = "jump", .to = "sit", .waits = true, .exit = 1.0f},
    };
    for (int parts = 1; parts < 60; parts = 2 * parts + 1) {
        states_case of;
        begin(&of, transitions, 3);
        for (int i = 0; i < parts; i++)
            CHECK(state_after(&of, 1.4 / parts) == STAND);
        for (int i = 0; i < parts; i++)
            md5_player_advance(of.player, 0.2 / parts, NULL, NULL);
        md5_layer_status status = md5_player_layer(of.player, 0);
        CHECK_UINT(status.state, WALK);
        CHECK_NEAR(status.time, 0.1, 1e-9);
        for (int i = 0; i < parts; i++)
            md5_player_advance(of.player, 1.65 / parts, NULL, NULL);
        status = md5_player_layer(of.player, 0);
        CHECK_UINT(status.state, SIT);
        CHECK_NEAR(status.time, 0.5, 1e-9);
        CHECK(status.from == MD5_NONE);
        end(&of);
    }
}

// A clip that is played once ends at 1: nothing comes after it. Backward, an exit counts from the
// end of the clip.
TEST (states_end_with_their_clip) {
    const md5_transition_desc transitions[] = {
        {.from = "stand", .to = "jump", .waits = true, .exit = 0.0f},
        {.from = "jump", .to = "sit", .waits = true, .exit = 1.01f},
    };
    states_case of;
    begin(&of, transitions, 2);
    CHECK_UINT(state_after(&of, 0.0), JUMP);
    CHECK_UINT(state_after(&of, 7.0), JUMP);
    CHECK_NEAR(md5_player_layer(of.player, 0).time, 1.0, 0.0);
    end(&of);

    const md5_transition_desc back = {.from = "back", .to = "walk", .waits = true, .exit = 0.75f};
    memset(&of, 0, sizeof of);
    begin(&of, NULL, 0);
    const md5_state_desc states[] = {{"back", "back"}, {"walk", "walk"}};
    const md5_layer_desc layer = {.name = "body", ROWS(states, states), ROW(transitions, back)};
    md5_machine *const machine = play_machine(&(md5_machine_desc){.model = of.made.model,
                                                                  ROWS(clips, of.clips),
                                                                  ROWS(motions, of.motions),
                                                                  ROW(layers, layer)});
    md5_player *const player = play_player(machine);
    md5_player_advance(player, 0.7, NULL, NULL);
    CHECK_UINT(md5_player_layer(player, 0).state, 0);
    CHECK_NEAR(md5_player_layer(player, 0).time, 0.3, 1e-9);
    md5_player_advance(player, 0.1, NULL, NULL);
    CHECK_UINT(md5_player_layer(player, 0).state, 1);
    CHECK_NEAR(md5_player_layer(player, 0).time, 0.05, 1e-9);
    md5_destroy_player(player);
    md5_destroy_machine(machine);
    end(&of);
}

// A clip that stands still does not reach its exit until it moves again.
TEST_WITH (states_wait_for_what_stands, states_case, of, begin(of, NULL, 0), end(of)) {
    const md5_motion_desc paced = {
        .name = "paced", .kind = MD5_MOTION_CLIP, .clip = "walk", .speed_parameter = "speed"};
    const md5_state_desc states[] = {{"paced", "paced"}, {"sit", "sit"}};
    const md5_transition_desc leaves = {.from = "paced", .to = "sit", .waits = true, .exit = 0.5f};
    const md5_layer_desc layer = {.name = "body", ROWS(states, states), ROW(transitions, leaves)};
    md5_machine *const machine = play_machine(&(md5_machine_desc){.model = of->made.model,
                                                                  ROWS(clips, of->clips),
                                                                  ROW(motions, paced),
                                                                  .parameters = of->parameters,
                                                                  .num_parameters = 1,
                                                                  ROW(layers, layer)});
    md5_player *const player = play_player(machine);
    md5_player_advance(player, 10.0, NULL, NULL);
    CHECK_UINT(md5_player_layer(player, 0).state, 0);
    md5_player_set(player, 0, 4.0f);
    md5_player_advance(player, 0.225, NULL, NULL);
    CHECK_UINT(md5_player_layer(player, 0).state, 1);
    CHECK_NEAR(md5_player_layer(player, 0).time, 0.1, 1e-9);
    md5_destroy_player(player);
    md5_destroy_machine(machine);
}

TEST (states_go_by_priority) {
    const md5_transition_desc transitions[] = {
        {.from = "stand", .to = "walk"},
        {.from = "stand",
         .to = "sit",
         .priority = 2,
         .duration = 1.0f,
         .interrupt = MD5_INTERRUPT_NONE},
        {.to = "jump", .priority = 2},
        {.from = "sit", .to = "walk", .priority = -1},
    };
    for (uint32_t first = 0; first < 3; first++) {
        static const uint32_t expected[3] = {SIT, SIT, JUMP};
        states_case of;
        begin(&of, transitions + first, 3 - first);
        CHECK_UINT(state_after(&of, 0.0), expected[first]);
        end(&of);
    }
    // Of transitions of equal priority, the first in the table.
    const md5_transition_desc equals[] = {
        {.from = "stand", .to = "sit", .interrupt = MD5_INTERRUPT_NONE, .duration = 1.0f},
        {.from = "stand", .to = "walk"},
        {.to = "jump"},
    };
    states_case same;
    begin(&same, equals, 3);
    CHECK_UINT(state_after(&same, 0.0), SIT);
    end(&same);
    // From any state, but not to the one that it is in.
    const md5_transition_desc any[] = {{.to = "walk", .duration = 0.5f}};
    states_case of;
    begin(&of, any, 1);
    CHECK_UINT(state_after(&of, 0.25), WALK);
    CHECK_NEAR(md5_player_layer(of.player, 0).progress, 0.5, 1e-6);
    CHECK(md5_player_layer(of.player, 0).from == STAND);
    CHECK_UINT(state_after(&of, 0.25), WALK);
    CHECK(md5_player_layer(of.player, 0).from == MD5_NONE);
    end(&of);
}

TEST (states_may_be_interrupted) {
    static const struct {
        md5_interrupt interrupt;
        int32_t priority;
        bool at_once;
    } cases[] = {{MD5_INTERRUPT_ANY, -5, true},
                 {MD5_INTERRUPT_HIGHER, 0, false},
                 {MD5_INTERRUPT_HIGHER, 1, true},
                 {MD5_INTERRUPT_NONE, 100, false}};
    for (int fade = 0; fade < 2; fade++) {
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            const md5_condition leaps = {"leap", MD5_IS_SET, 0.0f};
            const md5_condition armed = {"armed", MD5_IS_SET, 0.0f};
            const md5_transition_desc transitions[] = {
                {.from = "stand",
                 .to = "walk",
                 ROW(conditions, leaps),
                 .duration = 0.5f,
                 .interrupt = cases[i].interrupt,
                 .fade = (md5_fade)fade},
                {.from = "walk",
                 .to = "sit",
                 ROW(conditions, armed),
                 .priority = cases[i].priority},
            };
            states_case of;
            begin(&of, transitions, 2);
            md5_player_set(of.player, 2, 1.0f);
            CHECK_UINT(state_after(&of, 0.1), WALK);
            md5_player_set(of.player, 1, 1.0f);
            CHECK_UINT(state_after(&of, 0.1), cases[i].at_once ? SIT : WALK);
            // As soon as the first transition has ended, within the step.
            CHECK_UINT(state_after(&of, 0.4), SIT);
            if (!cases[i].at_once)
                CHECK_NEAR(md5_player_layer(of.player, 0).time, 0.1, 1e-6);
            end(&of);
        }
    }
}

// Two transitions at one instant: the state between them is not seen, neither in the pose, which
// fades from the first to the last, nor in the status.
TEST (states_that_are_left_at_once_are_no_source) {
    for (int fade = 0; fade < 4; fade++) {
        const md5_condition armed = {"armed", MD5_IS_SET, 0.0f};
        md5_transition_desc transitions[] = {
            {.from = "stand", .to = "walk", .fade = (md5_fade)(fade & 1)},
            {.from = "walk", .to = "sit", .fade = (md5_fade)(fade >> 1)},
        };
        for (int i = 0; i < 2; i++) {
            transitions[i].conditions = &armed;
            transitions[i].num_conditions = 1;
            transitions[i].duration = 0.5f;
        }
        states_case of;
        begin(&of, transitions, 2);
        CHECK_UINT(state_after(&of, 0.3), STAND);
        md5_player_set(of.player, 1, 1.0f);
        CHECK_UINT(state_after(&of, 0.0), SIT);
        CHECK_UINT(md5_player_layer(of.player, 0).from, STAND);
        CHECK_UINT(state_after(&of, 0.2), SIT);
        CHECK_UINT(md5_player_layer(of.player, 0).from, STAND);
        md5_xform pose[PLAY_JOINTS];
        play_real stand[PLAY_JOINTS], sit[PLAY_JOINTS], both[PLAY_JOINTS];
        play_pose(of.player, pose);
        play_real_sample(of.made.anims[STAND], 10.0, stand);
        play_real_sample(of.made.anims[SIT], 4.0, sit);
        play_real_blend(stand, sit, 0.4, NULL, both);
        if (fade == 0)
            CHECK(play_distance(pose, both) < 1e-4);
        end(&of);
    }
}

TEST (states_begin_at_their_start_times) {
    const md5_transition_desc transitions[] = {
        {.from = "stand", .to = "walk", .waits = true, .exit = 2.25f, .keeps_phase = true},
        {.from = "walk", .to = "sit", .waits = true, .exit = 0.5f, .start = 0.125f},
    };
    states_case of;
    begin(&of, transitions, 2);
    CHECK_UINT(state_after(&of, 2.24), STAND);
    CHECK_UINT(state_after(&of, 0.01), WALK); // as soon as the exit is reached
    CHECK_NEAR(md5_player_layer(of.player, 0).time, 0.25, 1e-9);
    CHECK_UINT(state_after(&of, 0.3), SIT);
    CHECK_NEAR(md5_player_layer(of.player, 0).time, 0.175, 1e-9);
    end(&of);
}

// Circles of transitions end: those that are always open, and those that take almost no time.
TEST (states_may_go_in_circles) {
    const md5_transition_desc transitions[] = {
        {.from = "stand", .to = "walk"},
        {.from = "walk", .to = "stand"},
        {.from = "jump", .to = "sit", .waits = true, .exit = 1e-7f},
        {.from = "sit", .to = "jump", .waits = true, .exit = 1e-7f},
    };
    states_case of;
    begin(&of, transitions, 4);
    md5_player_fade_to(of.player, 1, JUMP, 0.0f, MD5_FADE_CROSS, MD5_EASE_LINEAR);
    for (int i = 0; i < 20; i++)
        CHECK(state_after(&of, 0.1) <= WALK);
    end(&of);
}

TEST_WITH (states_can_be_set, states_case, of, begin(of, NULL, 0), end(of)) {
    CHECK(!md5_player_set(of->player, 3, 1.0f) && md5_player_get(of->player, 3) == 0.0f);
    CHECK(!md5_player_set(of->player, 0, NAN) && !md5_player_set(of->player, 0, INFINITY));
    CHECK(md5_player_get(of->player, 0) == 0.0f);
    CHECK(!md5_player_fade_to(of->player, 2, 0, 0.0f, MD5_FADE_CROSS, MD5_EASE_LINEAR));
    CHECK(!md5_player_fade_to(of->player, 0, 4, 0.0f, MD5_FADE_CROSS, MD5_EASE_LINEAR));
    CHECK(!md5_player_seek(of->player, 2, 0, 0.0) && !md5_player_seek(of->player, 0, 4, 0.0));
    CHECK(md5_player_layer(of->player, 2).from == MD5_NONE);
    CHECK(md5_player_target(of->player, 0) == NULL);
    CHECK(md5_player_seek(of->player, 0, SIT, 3.75));
    CHECK_NEAR(md5_player_layer(of->player, 0).time, 3.75, 0.0);
    CHECK(md5_player_fade_to(of->player, 0, WALK, NAN, MD5_FADE_CROSS, MD5_EASE_LINEAR));
    CHECK(md5_player_layer(of->player, 0).from == MD5_NONE);
    CHECK(md5_player_fade_to(of->player, 0, WALK, 1.0f, MD5_FADE_CROSS, MD5_EASE_LINEAR));
    CHECK(md5_player_layer(of->player, 0).from == WALK);
    md5_player_advance(of->player, (double)NAN, NULL, NULL);
    CHECK_NEAR(md5_player_layer(of->player, 0).progress, 0.0, 0.0);
    // Backward, clips go back; the transition goes on.
    md5_player_advance(of->player, -0.25, NULL, NULL);
    CHECK_NEAR(md5_player_layer(of->player, 0).progress, 0.25, 1e-7);
    CHECK_NEAR(md5_player_layer(of->player, 0).time, -0.25, 1e-9);
    md5_player_set(of->player, 0, 5.0f);
    md5_player_reset(of->player);
    CHECK_UINT(md5_player_layer(of->player, 0).state, STAND);
    CHECK_NEAR(md5_player_layer(of->player, 0).time, 0.0, 0.0);
    CHECK(md5_player_get(of->player, 0) == 0.0f);
}
