// Which state a layer is in: transitions, conditions, times, interruption.
#include "test/play/test_play_case.h"

#include <stdarg.h>

enum { STAND, WALK, JUMP, SIT };

static const char *const FADES[2] = {"cross", "inertial"};

#define CLIPS "clip stand f clip walk f clip jump f clip sit f "
#define STATES "state stand stand state walk walk state jump once state sit sit "

// Clips of a second.
static void begin_clips(play_scene *of)
{
    play_scene_begin(of);
    for (uint32_t i = 0; i < 4; i++)
        play_scene_add(of, 21, 20.0, 0.3, i);
}

// Two layers of four states each; the tests give the transitions, as in a machine file.
TEST_PRINTF(2, 3) static void begin(play_scene *of, const char *transitions, ...)
{
    char text[512];
    va_list values;
    va_start(values, transitions);
    vsnprintf(text, sizeof text, transitions, values);
    va_end(values);
    begin_clips(of);
    play_scene_read(of,
                    CLIPS "motion once clip jump { once } "
                          "motion back clip sit { once start 1 speed -1 } "
                          "float speed bool armed trigger leap "
                          "layer body { " STATES "%s } layer arms { " STATES "%s }",
                    text, text);
}

static uint32_t state_after(play_scene *of, double seconds)
{
    md5_player_advance(of->player, seconds, NULL, NULL);
    return md5_player_layer(of->player, 0).state;
}

TEST (states_follow_conditions) {
    static const struct {
        const char *when;
        uint32_t parameter;
        float set;
        bool holds;
    } cases[] = {
        {"armed", 1, 1.0f, true},       {"armed", 1, 0.0f, false},
        {"not armed", 1, 1.0f, false},  {"not armed", 1, 0.0f, true},
        {"speed", 0, -0.5f, true},      {"speed < 2", 0, 1.9f, true},
        {"speed < 2", 0, 2.0f, false},  {"speed > 2", 0, 2.1f, true},
        {"speed > 2", 0, 2.0f, false},  {"speed <= 2", 0, 2.0f, true},
        {"speed <= 2", 0, 2.1f, false}, {"speed >= 2", 0, 2.0f, true},
        {"speed >= 2", 0, 1.9f, false},
    };
    EACH (row, cases) {
        OWN_PLAY of;
        begin(&of, "transition stand walk { when %s }", row->when);
        CHECK(md5_player_set(of.player, row->parameter, row->set));
        const md5_machine_desc *const tables = md5_machine_tables(of.machine);
        md5_condition condition = tables->layers[0].transitions[0].conditions[0];
        CHECK(md5_player_is_met(of.player, &condition) == row->holds);
        condition.parameter = "none";
        CHECK(!md5_player_is_met(of.player, &condition));
        CHECK_UINT(state_after(&of, 0.01), row->holds ? WALK : STAND);
    }
}

TEST_WITH (states_need_all_conditions, play_scene, of,
           begin(of, "transition stand walk { when speed > 1 and armed }"), play_scene_end(of)) {
    md5_player_set(of->player, 0, 2.0f);
    CHECK_UINT(state_after(of, 0.01), STAND);
    md5_player_set(of->player, 1, 7.0f);
    CHECK(md5_player_get(of->player, 1) == 1.0f);
    CHECK_UINT(state_after(of, 0.01), WALK);
}

// Both layers see it in the step in which it is set; then it is used up.
TEST (states_use_up_triggers) {
    OWN_PLAY of;
    begin(&of, "transition stand jump { when leap } transition jump sit { when leap } "
               "transition sit stand { when not leap }");
    CHECK(md5_player_set(of.player, 2, 1.0f));
    CHECK_UINT(state_after(&of, 0.01), JUMP);
    CHECK_UINT(md5_player_layer(of.player, 1).state, JUMP);
    CHECK(md5_player_get(of.player, 2) == 0.0f);
    CHECK_UINT(state_after(&of, 0.01), JUMP);
    md5_player_set(of.player, 2, 1.0f);
    // To sit, which it leaves immediately: the trigger is no longer set in this layer.
    CHECK_UINT(state_after(&of, 0.01), STAND);
    CHECK_UINT(state_after(&of, 0.01), STAND);
}

// The exit falls within a step: the rest of the step is the next state's.
TEST (states_leave_at_their_exit) {
    for (int parts = 1; parts < 60; parts = 2 * parts + 1) {
        OWN_PLAY of;
        begin(&of, "transition stand walk { exit 1.5 } transition walk jump { exit 0.25 } "
                   "transition jump sit { exit 1 }");
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
    }
}

// A clip that is played once ends at 1: nothing comes after it. Backward, an exit counts from the
// end of the clip.
TEST (states_end_with_their_clip) {
    play_scene of;
    begin(&of, "transition stand jump { exit 0 } transition jump sit { exit 1.01 }");
    CHECK_UINT(state_after(&of, 0.0), JUMP);
    CHECK_UINT(state_after(&of, 7.0), JUMP);
    CHECK_NEAR(md5_player_layer(of.player, 0).time, 1.0, 0.0);
    play_scene_end(&of);

    begin_clips(&of);
    play_scene_read(&of, CLIPS "motion once clip jump { once } "
                               "motion back clip sit { once start 1 speed -1 } "
                               "layer body { state back back state walk walk "
                               "transition back walk { exit 0.75 } }");
    md5_player *const player = of.player;
    md5_player_advance(player, 0.7, NULL, NULL);
    CHECK_UINT(md5_player_layer(player, 0).state, 0);
    CHECK_NEAR(md5_player_layer(player, 0).time, 0.3, 1e-9);
    md5_player_advance(player, 0.1, NULL, NULL);
    CHECK_UINT(md5_player_layer(player, 0).state, 1);
    CHECK_NEAR(md5_player_layer(player, 0).time, 0.05, 1e-9);
    play_scene_end(&of);
}

// A clip that stands still does not reach its exit until it moves again.
TEST_WITH (states_wait_for_what_stands, play_scene, of, begin_clips(of), play_scene_end(of)) {
    play_scene_read(of, CLIPS "float speed motion paced clip walk { speed speed } "
                              "layer body { state paced paced state sit sit "
                              "transition paced sit { exit 0.5 } }");
    md5_player *const player = of->player;
    md5_player_advance(player, 10.0, NULL, NULL);
    CHECK_UINT(md5_player_layer(player, 0).state, 0);
    md5_player_set(player, 0, 4.0f);
    md5_player_advance(player, 0.225, NULL, NULL);
    CHECK_UINT(md5_player_layer(player, 0).state, 1);
    CHECK_NEAR(md5_player_layer(player, 0).time, 0.1, 1e-9);
}

TEST (states_go_by_priority) {
    static const char *const transitions[3] = {
        "transition stand walk ", "transition stand sit { priority 2 duration 1 interrupt_none } ",
        "transition any jump { priority 2 } transition sit walk { priority -1 }"};
    for (uint32_t first = 0; first < 3; first++) {
        static const uint32_t expected[3] = {SIT, SIT, JUMP};
        OWN_PLAY of;
        begin(&of, "%s%s%s", first < 1 ? transitions[0] : "", first < 2 ? transitions[1] : "",
              transitions[2]);
        CHECK_UINT(state_after(&of, 0.0), expected[first]);
    }
    // Of transitions of equal priority, the first in the table.
    play_scene same;
    begin(&same, "transition stand sit { interrupt_none duration 1 } transition stand walk "
                 "transition any jump");
    CHECK_UINT(state_after(&same, 0.0), SIT);
    play_scene_end(&same);
    // From any state, but not to the one that it is in.
    play_scene of;
    begin(&of, "transition any walk { duration 0.5 }");
    CHECK_UINT(state_after(&of, 0.25), WALK);
    CHECK_NEAR(md5_player_layer(of.player, 0).progress, 0.5, 1e-6);
    CHECK(md5_player_layer(of.player, 0).from == STAND);
    CHECK_UINT(state_after(&of, 0.25), WALK);
    CHECK(md5_player_layer(of.player, 0).from == MD5_NONE);
    play_scene_end(&of);
}

TEST (states_may_be_interrupted) {
    static const struct {
        const char *interrupt;
        int priority;
        bool at_once;
    } cases[] = {
        {"any", -5, true}, {"higher", 0, false}, {"higher", 1, true}, {"none", 100, false}};
    for (int fade = 0; fade < 2; fade++) {
        EACH (row, cases) {
            OWN_PLAY of;
            begin(&of,
                  "transition stand walk { when leap duration 0.5 interrupt_%s %s } "
                  "transition walk sit { when armed priority %d }",
                  row->interrupt, FADES[fade], row->priority);
            md5_player_set(of.player, 2, 1.0f);
            CHECK_UINT(state_after(&of, 0.1), WALK);
            md5_player_set(of.player, 1, 1.0f);
            CHECK_UINT(state_after(&of, 0.1), row->at_once ? SIT : WALK);
            // As soon as the first transition has ended, within the step.
            CHECK_UINT(state_after(&of, 0.4), SIT);
            if (!row->at_once)
                CHECK_NEAR(md5_player_layer(of.player, 0).time, 0.1, 1e-6);
        }
    }
}

// Two transitions at one instant: the state between them is not seen, neither in the pose, which
// fades from the first to the last, nor in the status.
TEST (states_that_are_left_at_once_are_no_source) {
    for (int fade = 0; fade < 4; fade++) {
        OWN_PLAY of;
        begin(&of,
              "transition stand walk { when armed duration 0.5 %s } "
              "transition walk sit { when armed duration 0.5 %s }",
              FADES[fade & 1], FADES[fade >> 1]);
        CHECK_UINT(state_after(&of, 0.3), STAND);
        md5_player_set(of.player, 1, 1.0f);
        CHECK_UINT(state_after(&of, 0.0), SIT);
        CHECK_UINT(md5_player_layer(of.player, 0).from, STAND);
        CHECK_UINT(state_after(&of, 0.2), SIT);
        CHECK_UINT(md5_player_layer(of.player, 0).from, STAND);
        md5_xform pose[PLAY_JOINTS];
        real_place stand[PLAY_JOINTS], sit[PLAY_JOINTS], both[PLAY_JOINTS];
        play_pose(of.player, pose);
        play_real_sample(of.made.anims[STAND], 10.0, stand);
        play_real_sample(of.made.anims[SIT], 4.0, sit);
        play_real_blend(stand, sit, 0.4, NULL, both);
        if (fade == 0)
            CHECK(play_distance(pose, both) < 1e-4);
    }
}

TEST (states_begin_at_their_start_times) {
    OWN_PLAY of;
    begin(&of, "transition stand walk { exit 2.25 keep_phase } "
               "transition walk sit { exit 0.5 start 0.125 }");
    CHECK_UINT(state_after(&of, 2.24), STAND);
    CHECK_UINT(state_after(&of, 0.01), WALK); // as soon as the exit is reached
    CHECK_NEAR(md5_player_layer(of.player, 0).time, 0.25, 1e-9);
    CHECK_UINT(state_after(&of, 0.3), SIT);
    CHECK_NEAR(md5_player_layer(of.player, 0).time, 0.175, 1e-9);
}

// Circles of transitions end: those that are always open, and those that take almost no time.
TEST (states_may_go_in_circles) {
    OWN_PLAY of;
    begin(&of, "transition stand walk transition walk stand "
               "transition jump sit { exit 1e-7 } transition sit jump { exit 1e-7 }");
    md5_player_fade_to(of.player, 1, JUMP, 0.0f, MD5_FADE_CROSS, MD5_EASE_LINEAR);
    for (int i = 0; i < 20; i++)
        CHECK(state_after(&of, 0.1) <= WALK);
}

TEST_WITH (states_can_be_set, play_scene, of, begin(of, " "), play_scene_end(of)) {
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
    md5_player_advance(of->player, NAN, NULL, NULL);
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
