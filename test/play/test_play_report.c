// Events that a machine reports: states entered and left, ends of transitions and clips. The
// expected events are computed manually from durations: clips a (1 s) and b (0.5 s) end at their
// last frames.
#include "test/play/test_play_case.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TEXT = 1024 };

typedef struct report_test {
    play_scene scene;
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

#define REPORTS_ALL "report { enter leave transition_end clip_end } "

// Two clips, a of 1 s and b of 0.5 s; four states, the first with `motion`.
static void begin(report_test *of, const char *report, const char *motion, const char *transitions)
{
    *of = (report_test){.heard = ""};
    play_scene_begin(&of->scene);
    play_scene_add(&of->scene, 11, 10.0, 0.3, 1);
    play_scene_add(&of->scene, 6, 10.0, 0.3, 2);
    play_scene_read(
        &of->scene,
        "%s trigger jump clip a f clip b f { frame 5 last } "
        "motion b_once clip b { once } motion b_there clip b { ping_pong } "
        "motion b_back clip b { once start 1 speed -1 } "
        "layer body { state stand %s state jump b_once state rest nothing state land b %s }",
        report, motion, transitions);
}

static const char *advance(report_test *of, double seconds)
{
    of->heard[0] = '\0';
    of->status = md5_player_advance(of->scene.player, seconds, hear, of->heard);
    return of->heard;
}

TEST (states_are_entered_and_left_and_transitions_end) {
    report_test of;
    begin(&of, REPORTS_ALL, "a",
          "transition stand jump { when jump duration 0.25 } "
          "transition jump stand { exit 1 inertial }");
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
    begin(&of, REPORTS_ALL, "a", "");
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
    begin(&of, REPORTS_ALL, "a", "transition rest land");
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
    begin(&of, REPORTS_ALL, "a", "");
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
        begin(&of, "report { clip_end }", cases[i].motion, "");
        for (int k = 0; k < 3; k++) {
            const char *const heard = advance(&of, cases[i].steps[k]);
            test_check(strcmp(heard, cases[i].heard[k]) == 0, __FILE__, __LINE__, "%s, step %d: %s",
                       cases[i].motion, k, heard);
        }
        play_scene_end(&of.scene);
    }
}

TEST (only_events_that_are_asked_for_are_reported) {
    static const char *const reports[4] = {"report { enter }", "report { leave }",
                                           "report { transition_end }", "report { clip_end }"};
    for (int kind = 0; kind < 4; kind++) {
        report_test of;
        begin(&of, reports[kind], "a", "");
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
    begin(&of, REPORTS_ALL, "a", "");
    md5_player_advance(of.scene.player, 0.1, NULL, NULL);
    md5_player_fade_to(of.scene.player, 0, 1, 0.0f, MD5_FADE_CROSS, MD5_EASE_LINEAR);
    md5_player_advance(of.scene.player, 0.1, NULL, NULL);
    CHECK_STRING(advance(&of, 0.1), "");
    play_scene_end(&of.scene);
}

TEST (tables_cannot_hold_reported_events) {
    static const md5_event event = {.frame = 5, .name = "last", .kind = MD5_EVENT_ENTER};
    md5_error error = {0};
    play_scene of;
    play_scene_begin(&of);
    play_scene_add(&of, 11, 10.0, 0.3, 1);
    of.clips[0].events = &event;
    of.clips[0].num_events = 1;
    const md5_machine_desc desc = {.model = of.made.model, .clips = of.clips, .num_clips = 1};
    CHECK(!md5_create_machine(&desc, NULL, &error));
    CHECK_UINT(error.status, MD5_ERROR_RANGE);
    play_end(&of.made);
}
