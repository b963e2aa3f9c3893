// Events that a machine reports: states entered and left, ends of transitions and clips. The
// expected events are computed manually from durations: clips a (1 s) and b (0.5 s) end at their
// last frames.
#include "test/play/test_play_case.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TEXT = 1024 };

typedef struct report_test {
    play_scene scene;
    md5_event events[1];
    md5_motion_desc motions[3];
    md5_state_desc states[4];
    md5_transition_desc transitions[3];
    md5_parameter_desc parameters[1];
    md5_condition condition;
    md5_layer_desc layers[2];
    md5_machine_desc desc;
    char heard[MOST_TEXT];
    md5_advance_status status; // of the last step
} report_test;

// Writes "enter body/stand", "end a" and so on, and of clips' own events their names.
static void hear(void *user, md5_player *player, const md5_event *event, float weight)
{
    static const char *const words[] = {"", "enter ", "leave ", "arrive ", "end "};
    char *const heard = user;
    const size_t used = strlen(heard);
    (void)player;
    CHECK(weight > 0.0f && weight <= 1.0f);
    if (event->kind >= MD5_EVENT_ENTER && event->kind <= MD5_EVENT_TRANSITION_END) {
        CHECK(weight == 1.0f);
        snprintf(heard + used, MOST_TEXT - used, "%s%s/%s %u.%u; ", words[event->kind], event->text,
                 event->name, event->layer, event->index);
    } else {
        snprintf(heard + used, MOST_TEXT - used, "%s%s; ", words[event->kind], event->name);
    }
}

static void begin(report_test *of)
{
    *of = (report_test){.heard = ""};
    play_scene_begin(&of->scene);
    play_scene_add(&of->scene, 11, 10.0, 0.3, 1); // a: 1 s
    play_scene_add(&of->scene, 6, 10.0, 0.3, 2);  // b: 0.5 s
    of->events[0] = (md5_event){.frame = 5, .name = "last"};
    of->scene.clips[1].events = of->events;
    of->scene.clips[1].num_events = 1;
    of->motions[0] = (md5_motion_desc){.name = "b_once", .clip = "b", .mode = MD5_PLAY_ONCE};
    of->motions[1] = (md5_motion_desc){.name = "b_there", .clip = "b", .mode = MD5_PLAY_PING_PONG};
    of->motions[2] = (md5_motion_desc){
        .name = "b_back", .clip = "b", .mode = MD5_PLAY_ONCE, .start = 1.0, .speed = -1.0f};
    of->states[0] = (md5_state_desc){"stand", "a"};
    of->states[1] = (md5_state_desc){"jump", "b_once"};
    of->states[2] = (md5_state_desc){"rest", NULL};
    of->states[3] = (md5_state_desc){"land", "b"};
    of->parameters[0] = (md5_parameter_desc){.name = "jump", .kind = MD5_PARAMETER_TRIGGER};
    of->condition = (md5_condition){.parameter = "jump"};
    of->layers[0] =
        (md5_layer_desc){.name = "body", ROWS(states, of->states), .transitions = of->transitions};
    of->desc = (md5_machine_desc){
        ROWS(motions, of->motions),
        ROWS(parameters, of->parameters),
        .layers = of->layers,
        .num_layers = 1,
        .report = {true, true, true, true},
    };
}

static void make(report_test *of)
{
    play_scene_play(&of->scene, &of->desc);
}

static const char *advance(report_test *of, double seconds)
{
    of->heard[0] = '\0';
    of->status = md5_player_advance(of->scene.player, seconds, hear, of->heard);
    return of->heard;
}

TEST (states_are_entered_and_left_and_transitions_end) {
    report_test of;
    begin(&of);
    of.transitions[0] = (md5_transition_desc){
        .from = "stand", .to = "jump", ROW(conditions, of.condition), .duration = 0.25f};
    of.transitions[1] = (md5_transition_desc){
        .from = "jump", .to = "stand", .waits = true, .exit = 1.0f, .fade = MD5_FADE_INERTIAL};
    of.layers[0].num_transitions = 2;
    make(&of);
    CHECK_STRING(advance(&of, 0.0), "enter body/stand 0.0; ");
    CHECK_STRING(advance(&of, 0.5), "");
    md5_player_set(of.scene.player, 0, 1.0f);
    CHECK_STRING(advance(&of, 0.0), "leave body/stand 0.0; enter body/jump 0.1; ");
    CHECK_STRING(advance(&of, 0.125), "");
    CHECK_STRING(advance(&of, 0.125), "arrive body/jump 0.1; ");
    // At the clip's end, in this order; the exit is a cut, which arrives immediately.
    CHECK_STRING(advance(&of, 0.25), "last; end b; leave body/jump 0.1; enter body/stand 0.0; "
                                     "arrive body/stand 0.0; ");
    CHECK_STRING(advance(&of, 2.0), "end a; end a; ");
    play_scene_end(&of.scene);
}

TEST (interrupted_transition_has_no_end) {
    report_test of;
    begin(&of);
    make(&of);
    md5_player *const player = of.scene.player;
    advance(&of, 0.25);
    md5_player_fade_to(player, 0, 2, 0.25f, MD5_FADE_CROSS, MD5_EASE_LINEAR);
    CHECK_STRING(advance(&of, 0.125), "leave body/stand 0.0; enter body/rest 0.2; ");
    md5_player_fade_to(player, 0, 3, 0.125f, MD5_FADE_INERTIAL, MD5_EASE_LINEAR);
    CHECK_STRING(advance(&of, 0.1), "leave body/rest 0.2; enter body/land 0.3; ");
    CHECK_STRING(advance(&of, 0.1), "arrive body/land 0.3; ");
    play_scene_end(&of.scene);
}

TEST (state_that_is_left_at_once_is_silent) {
    report_test of;
    begin(&of);
    of.transitions[0] = (md5_transition_desc){.from = "rest", .to = "land"};
    of.layers[0].num_transitions = 1;
    make(&of);
    md5_player *const player = of.scene.player;
    advance(&of, 0.0);
    md5_player_fade_to(player, 0, 1, 0.0f, MD5_FADE_CROSS, MD5_EASE_LINEAR);
    md5_player_fade_to(player, 0, 2, 0.0f, MD5_FADE_CROSS, MD5_EASE_LINEAR);
    CHECK_STRING(advance(&of, 0.0), "leave body/stand 0.0; enter body/land 0.3; "
                                    "arrive body/land 0.3; ");
    play_scene_end(&of.scene);
}

TEST (seek_reports_nothing) {
    report_test of;
    begin(&of);
    make(&of);
    advance(&of, 0.0);
    md5_player_seek(of.scene.player, 0, 3, 0.25);
    CHECK_STRING(advance(&of, 0.125), "");
    md5_player_fade_to(of.scene.player, 0, 0, 0.0f, MD5_FADE_CROSS, MD5_EASE_LINEAR);
    CHECK_STRING(advance(&of, 0.0),
                 "leave body/land 0.3; enter body/stand 0.0; arrive body/stand 0.0; ");
    md5_player_reset(of.scene.player);
    CHECK_STRING(advance(&of, 0.0), "enter body/stand 0.0; ");
    play_scene_end(&of.scene);
}

TEST (clips_end_in_every_mode_and_direction) {
    static const struct {
        const char *motion;
        double steps[3];
        const char *heard[3];
    } cases[] = {
        {"b", {0.5, 1.0, -0.75}, {"last; end b; ", "last; end b; last; end b; ", "end b; last; "}},
        {"b_once", {0.25, 1.0, 1.0}, {"", "last; end b; ", ""}},
        {"b_there", {0.5, 0.5, 1.0}, {"last; ", "end b; ", "last; end b; "}},
        // It begins at its last frame, which is not its end.
        {"b_back", {0.0, 0.25, 1.0}, {"last; ", "", "end b; "}},
        {"b_once", {1.0, -0.25, -1.0}, {"last; end b; ", "", "end b; "}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        report_test of;
        begin(&of);
        of.desc.report = (md5_report_desc){.clip_end = true};
        of.states[0].motion = cases[i].motion;
        make(&of);
        for (int k = 0; k < 3; k++) {
            const char *const heard = advance(&of, cases[i].steps[k]);
            test_check(strcmp(heard, cases[i].heard[k]) == 0, __FILE__, __LINE__, "%s, step %d: %s",
                       cases[i].motion, k, heard);
        }
        play_scene_end(&of.scene);
    }
}

TEST (only_events_that_are_asked_for_are_reported) {
    for (int kind = 0; kind < 4; kind++) {
        report_test of;
        begin(&of);
        of.desc.report = (md5_report_desc){kind == 0, kind == 1, kind == 2, kind == 3};
        make(&of);
        advance(&of, 0.0);
        md5_player_fade_to(of.scene.player, 0, 1, 0.25f, MD5_FADE_CROSS, MD5_EASE_LINEAR);
        static const char *const expected[] = {
            "enter body/jump 0.1; last; ",
            "leave body/stand 0.0; last; ",
            "arrive body/jump 0.1; last; ",
            "last; end b; ",
        };
        CHECK_STRING(advance(&of, 1.0), expected[kind]);
        CHECK_UINT(of.status.num_events, 2);
        play_scene_end(&of.scene);
    }
}

// A callback that begins to listen later hears only what changes from then on.
TEST (changes_without_a_callback_are_not_kept) {
    report_test of;
    begin(&of);
    make(&of);
    md5_player_advance(of.scene.player, 0.1, NULL, NULL);
    md5_player_fade_to(of.scene.player, 0, 1, 0.0f, MD5_FADE_CROSS, MD5_EASE_LINEAR);
    md5_player_advance(of.scene.player, 0.1, NULL, NULL);
    CHECK_STRING(advance(&of, 0.1), "");
    play_scene_end(&of.scene);
}

TEST (tables_cannot_hold_reported_events) {
    report_test of;
    begin(&of);
    of.events[0].kind = MD5_EVENT_ENTER;
    md5_error error = {0};
    of.desc.model = of.scene.made.model;
    of.desc.clips = of.scene.clips;
    of.desc.num_clips = of.scene.made.num_clips;
    CHECK(!md5_create_machine(&of.desc, NULL, &error));
    CHECK_UINT(error.status, MD5_ERROR_RANGE);
    play_end(&of.scene.made);
}
