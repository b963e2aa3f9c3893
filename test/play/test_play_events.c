// Tests of events, root motion and reports of machines. Each event must fire exactly once and all
// motion must be applied, for every division of the time into steps.
#include "test/scoped.h"
#include "test/play/test_play_case.h"

static const play_walk WALKS = {40, 0, 0};
static const play_walk RUNS = {100, 0, 3};
static const play_walk TURNS = {50, 0.7, 0};

// The events that the callback received.
typedef struct event_log {
    const md5_event *events[4096];
    float weights[4096];
    uint32_t count;
} event_log;

PLAY_LISTENER(hear)
{
    event_log *const to = user;
    CHECK(player && to->count < 4096);
    to->events[to->count] = event;
    to->weights[to->count++] = weight;
}

// Collects the events of one step.
static void listen(md5_player *player, double seconds, event_log *to)
{
    to->count = 0;
    md5_player_advance(player, seconds, hear, to);
}

// The keywords of clips that select the extracted motion of joint 0, indexed by
// md5_root_extraction.
STRINGS(EXTRACTS) = {"", "move", "walk", "turn"};

#define EVENTS "frame 15 footstep right frame 5 footstep left frame 0 start frame 20 end "

// Creates three clips of one second with the same events. `extract` is one of EXTRACTS.
static void begin(play_scene *fixture, const char *extract, const char *states)
{
    const play_walk walks[3] = {WALKS, RUNS, TURNS};
    play_scene_begin(fixture);
    for (uint32_t i = 0; i < 3; i++)
        play_add_clip(&fixture->assets, 21, 20, 0.3, walks[i], i);
    play_scene_read(fixture,
                    "clip walk f { %s " EVENTS "markers ( 2 10 ) } "
                    "clip run f { %s " EVENTS "markers ( 4 15 ) } "
                    "clip turn f { %s " EVENTS "markers ( 1 12 ) } float x 0.5 float pace 1 "
                    "motion once clip walk { once } motion swing clip run { ping_pong } "
                    "motion line line x { markers speed pace item walk 0 item run 1 } "
                    "motion bend line x { phase item walk 0 item turn 1 } "
                    "motion loop clip run { speed pace } layer body { %s }",
                    extract, extract, extract, states);
}

// -- Events -----------------------------------------------------------------------------------

TEST_PLAY (play_events_come_in_order, begin(fixture, "", "state walk walk")) {
    SCOPED_PLAYER player = play_player(fixture->machine);
    event_log reported = {0};
    listen(player, 2, &reported);
    CHECK_UINT(reported.count,
               9); // at a whole cycle, the end of one pass and the start of the next
    CHECK_STRING(reported.events[0]->name, "start");
    CHECK_STRING(reported.events[1]->text, "left");
    CHECK_STRING(reported.events[2]->text, "right");
    CHECK_STRING(reported.events[3]->name, "end");
    CHECK_STRING(reported.events[4]->name, "start");
    CHECK_STRING(reported.events[8]->name, "start");
    for (uint32_t i = 0; i < reported.count; i++)
        CHECK(reported.weights[i] == 1);
    listen(player, 0, &reported);
    CHECK_UINT(reported.count, 0);
    listen(player, -0.3, &reported);
    CHECK_UINT(reported.count, 1); // the event `end` is at the start of the step
    CHECK_STRING(reported.events[0]->text, "right");
    // Events that occur without a callback are lost: they do not fire later.
    play_advance(player, 0.3);
    // Seeking is not playback: an event at the new time does not fire, later events do.
    CHECK(md5_player_seek(player, 0, 0, 0.25));
    listen(player, 0, &reported);
    CHECK_UINT(reported.count, 0);
    listen(player, 0.5, &reported);
    CHECK_UINT(reported.count, 1);
    CHECK_STRING(reported.events[0]->text, "right");
}

// Plays the same random interval in one step and in many, with transitions and their exits.
TEST (play_events_do_not_depend_on_steps) {
    SCOPED_PLAY fixture;
    begin(&fixture, "",
          "state walk walk state line line state once once state swing swing state bend bend "
          "transition walk line { exit 1.3 duration 0.35 } transition line once { exit 1 } "
          "transition once swing { exit 1 duration 0.25 } "
          "transition swing bend { exit 1.1 duration 0.5 inertial } "
          "transition bend walk { exit 2 duration 0.3 interrupt_none }");
    uint64_t random = 5;
    for (int round = 0; round < 60; round++) {
        const double seconds = 12.0 * test_random(&random);
        const uint32_t parts = 1 + test_random_u32(&random) % 300;
        SCOPED_PLAYER single = play_player(fixture.machine);
        SCOPED_PLAYER split = play_player(fixture.machine);
        SCOPED event_log *const at_once = calloc(1, sizeof *at_once), *const bit_by_bit = calloc(
                                                                          1, sizeof *bit_by_bit);
        md5_player_advance(single, seconds, hear, at_once);
        double done = 0;
        for (uint32_t i = 0; i < parts; i++) {
            const double part = i + 1 < parts ? 2.0 * seconds / parts * test_random(&random) : 0.0;
            const double step = i + 1 < parts ? fmin(part, seconds - done) : seconds - done;
            md5_player_advance(split, step, hear, bit_by_bit);
            done += step;
        }
        CHECK_UINT(play_state(split), play_state(single));
        CHECK_NEAR(play_time(split), play_time(single), 1e-6);
        if (CHECK_UINT(bit_by_bit->count, at_once->count)) {
            for (uint32_t i = 0; i < at_once->count; i++)
                CHECK(at_once->events[i] == bit_by_bit->events[i]);
        }
    }
}

// The number of fired events must follow from the time of the clip.
TEST_PLAY (play_events_are_fired_once_per_pass, begin(fixture, "", "state loop loop")) {
    SCOPED_PLAYER player = play_player(fixture->machine);
    uint64_t random = 9;
    SCOPED event_log *const reported = calloc(1, sizeof *reported);
    md5_player_seek(player, 0, 0, 0.1);
    for (int i = 0; i < 20000; i++) {
        const double before = play_time(player);
        const double pace = 8.0 * (test_random(&random) - 0.5);
        const double seconds = test_random_u32(&random) % 50 == 0 ? 9.0 : 0.04;
        md5_player_set(player, 1, (float)pace);
        listen(player, seconds, reported);
        const double current = play_time(player);
        uint32_t left = 0;
        uint32_t ends = 0;
        for (uint32_t k = 0; k < reported->count; k++) {
            left += strcmp(reported->events[k]->text, "left") == 0;
            ends += strcmp(reported->events[k]->name, "end") == 0;
        }
        // The left foot touches the ground at n + 0.25, cycles end at n.
        CHECK_UINT(left, (uint64_t)fabs(floor(current - 0.25) - floor(before - 0.25)));
        CHECK_UINT(ends, (uint64_t)fabs(floor(current) - floor(before)));
    }
}

// Each event has the weight of its clip when it fires, in blend spaces and in fades. An event at
// the start of a fade has the weight at the middle of the first eighth of the fade.
TEST_PLAY (play_events_have_weights,
           begin(fixture, "", "state bend bend state run run state none nothing")) {
    SCOPED_PLAYER player = play_player(fixture->machine);
    event_log reported = {0};
    md5_player_set(player, 0, 0.25f);
    listen(player, 0.3, &reported);
    CHECK_UINT(reported.count, 4); // start and left foot of both clips
    CHECK_NEAR(reported.weights[2] + reported.weights[3], 1, 1e-6);
    CHECK_NEAR(fmaxf(reported.weights[2], reported.weights[3]), 0.75, 1e-6);
    // An event of a clip with weight 0 in its blend space does not fire.
    md5_player_set(player, 0, 0);
    listen(player, 0.6, &reported);
    CHECK_UINT(reported.count, 1);
    play_fade(player, 0, 1, 0.4f);
    listen(player, 0.2, &reported);
    CHECK_UINT(reported.count, 3); // end and start of one clip, start of the other
    float sum = 0;
    for (uint32_t i = 0; i < reported.count; i++)
        sum += reported.weights[i];
    CHECK_NEAR(sum, 0.75 + 0.75 + 1.0 / 16.0, 1e-5);
    play_fade(player, 0, 2, 0.1f);
    play_advance(player, 0.1);
    listen(player, 5, &reported);
    CHECK_UINT(reported.count, 0);
}

// -- Root motion ------------------------------------------------------------------------------

static void check_position(play_position at, double x, double y, double z, double yaw,
                           double tolerance)
{
    CHECK_NEAR(at.x, x, tolerance);
    CHECK_NEAR(at.y, y, tolerance);
    CHECK_NEAR(at.z, z, tolerance);
    CHECK_SMALL(remainder(at.yaw - yaw, 6.283185307179586), 0.01 * tolerance + 1e-5);
}

// Advances by `parts` random steps. Returns the position after root motion.
static play_position walk_on(md5_player *player, double seconds, uint32_t parts, uint64_t *random)
{
    play_position at = {0};
    double done = 0;
    for (uint32_t i = 0; i < parts; i++) {
        double part = seconds - done;
        if (i + 1 < parts)
            part = fmin(part, 2.0 * seconds / parts * test_random(random));
        play_advance(player, part);
        play_apply_motion(&at, md5_player_root_motion(player));
        done += part;
    }
    return at;
}

TEST (play_root_motion_equals_that_of_the_clips) {
    uint64_t random = 3;
    for (int extract = MD5_ROOT_EXTRACTION_NONE; extract <= MD5_ROOT_EXTRACTION_TURN; extract++) {
        SCOPED_PLAY fixture;
        begin(&fixture, EXTRACTS[extract],
              "state walk walk state turn turn state line line state once once state swing swing "
              "state bend bend");
        for (uint32_t parts = 1; parts < 400; parts *= 7) {
            SCOPED_PLAYER player = play_player(fixture.machine);
            const double s = 7.3;
            const bool goes = extract != MD5_ROOT_EXTRACTION_NONE;
            const bool extracts_rotation = extract == MD5_ROOT_EXTRACTION_TURN;
            const double up = extract == MD5_ROOT_EXTRACTION_MOVE ? 1.0 : 0.0;
            check_position(walk_on(player, s, parts, &random), goes ? 40.0 * s : 0.0, 0, 0, 0,
                           1e-3);
            // A blend of two walks advances by the mean of 40 and 100 units per cycle. The clips
            // are synchronized from marker to marker. These intervals have 8 and 12 frames in one
            // clip, 11 and 9 in the other.
            const double cycle =
                2.0 / (20.0 / 8.0 + 20.0 / 11.0) + 2.0 / (20.0 / 12.0 + 20.0 / 9.0);
            md5_player_seek(player, 0, 2, 0);
            check_position(walk_on(player, 7.0 * cycle, parts, &random), goes ? 490.0 : 0.0, 0,
                           10.5 * up, 0, 2e-3);
            md5_player_seek(player, 0, 3, 0.5);
            check_position(walk_on(player, s, parts, &random), goes ? 20.0 : 0.0, 0, 0, 0, 1e-3);
            // A ping-pong clip: one cycle takes two seconds, so in 4.7 s it plays forward and
            // backward twice, and then forward for 0.7 s.
            md5_player_seek(player, 0, 4, 0);
            check_position(walk_on(player, 4.7, parts, &random), goes ? 70.0 : 0.0, 0, 2.1 * up, 0,
                           1e-3);
            // A walk on a circle. Its frames are on the circle and positions between frames on
            // chords, so the tolerance is large.
            md5_player_seek(player, 0, 1, 0);
            const play_position at = walk_on(player, s, parts, &random);
            if (extracts_rotation)
                check_position(at, 50.0 / 0.7 * sin(0.7 * s), 50.0 / 0.7 * (1.0 - cos(0.7 * s)), 0,
                               0.7 * s, 0.03);
            // A blend of a straight and a curved walk rotates half as much, at the mean speed.
            md5_player_seek(player, 0, 5, 0);
            const play_position bent = walk_on(player, s, parts, &random);
            if (extracts_rotation)
                check_position(bent, 45.0 / 0.35 * sin(0.35 * s),
                               45.0 / 0.35 * (1.0 - cos(0.35 * s)), 0, 0.35 * s, 0.1);
        }
    }
}

// While weights change, root motion uses their mean: a fade between two speeds moves at half of
// each. An inertial transition, whose velocity changes smoothly, does so exactly.
TEST_PLAY (play_root_moves_smoothly_through_fades,
           begin(fixture, "walk", "state walk walk state run run state none nothing")) {
    uint64_t random = 4;
    for (uint32_t parts = 1; parts < 400; parts *= 7) {
        SCOPED_PLAYER player = play_player(fixture->machine);
        md5_player_fade_to(player, 0, 1, 1, MD5_FADE_CROSS, MD5_EASE_SMOOTH);
        check_position(walk_on(player, 2, parts, &random), 70.0 + 100.0, 0, 0, 0, 0.3);
        play_fade(player, 0, 2, 1);
        check_position(walk_on(player, 2, parts, &random), 50, 0, 0, 0, 0.3);
        // Seeking does not move the root, and a cut changes its velocity immediately.
        md5_player_seek(player, 0, 0, 0);
        md5_player_fade_to(player, 0, 1, 1, MD5_FADE_INERTIAL, MD5_EASE_LINEAR);
        check_position(walk_on(player, 1, parts, &random), 70, 0, 0, 0, 1e-3);
        md5_player_fade_to(player, 0, 0, 0, MD5_FADE_INERTIAL, MD5_EASE_LINEAR);
        check_position(walk_on(player, 0.5, parts, &random), 20, 0, 0, 0, 1e-3);
        md5_player_seek(player, 0, 0, 12);
        check_position(walk_on(player, 0, 1, &random), 0, 0, 0, 0, 0);
    }
}

// The velocity does not jump either when a fifth state begins and a pose is frozen: each of the at
// most four fades changes it by less than 60 units per second in one second.
TEST (play_root_keeps_its_velocity_when_a_pose_is_frozen) {
    enum { CHANGES = 12, PARTS = 50 };
    const double step = 1.0 / 512.0;
    SCOPED_PLAY fixture;
    begin(&fixture, "walk", "state walk walk state run run");
    md5_player *player = play_player(fixture.machine);
    md5_player *second = play_player(fixture.machine);
    double velocity = 40;
    for (uint32_t i = 0; i < CHANGES * PARTS; i++) {
        if (i % PARTS == 0)
            play_fade(player, 0, i / PARTS % 2, 1);
        if (i % PARTS == PARTS / 2) {
            md5_player *const copied = second;
            md5_player_copy(copied, player);
            second = player;
            player = copied;
        }
        play_advance(player, step);
        const double current = md5_player_root_motion(player).translation.x / step;
        CHECK_NEAR(current, velocity, 4.0 * 60.0 * step + 1e-3);
        velocity = current;
    }
    play_advance(player, 1);
    play_advance(player, 1);
    CHECK_NEAR(md5_player_root_motion(player).translation.x, 100, 1e-3);
    md5_destroy_player(player);
    md5_destroy_player(second);
}

// Extracted motion is removed from the pose; together they give the motion of the clip.
TEST_PLAY (play_root_and_pose_equal_the_clip, begin(fixture, "turn", "state turn turn")) {
    SCOPED_PLAYER player = play_player(fixture->machine);
    play_position at = {0};
    for (int i = 0; i < 20; i++) {
        play_advance(player, 0.0475);
        play_apply_motion(&at, md5_player_root_motion(player));
        md5_xform pose[PLAY_JOINTS];
        real_transform expected[PLAY_JOINTS];
        play_pose(player, pose);
        play_real_sample(fixture->assets.anims[2], 0.95 * (i + 1), expected);
        play_apply_motion(&at, pose[0]);
        CHECK_NEAR(at.x, expected[0].translation.x, 1e-3);
        CHECK_NEAR(at.y, expected[0].translation.y, 1e-3);
        const double yaw = 2.0 * atan(expected[0].rotation.z / expected[0].rotation.w);
        CHECK_SMALL(remainder(at.yaw - yaw, 6.283185307179586), 1e-4);
        CHECK_SMALL(pose[0].translation.x, 1e-3);
        at = (play_position){expected[0].translation.x, expected[0].translation.y, 0, at.yaw};
    }
}

// -- Reports --------------------------------------------------------------------------------------

// Events that a machine reports: states that begin and end, ends of transitions and of clips. The
// expected events were computed manually from durations: clips a (1 s) and b (0.5 s) end at their
// last frames.

enum { MAX_TEXT = 1024 };

typedef struct report_test {
    play_scene scene;
    char received[MAX_TEXT];
    md5_advance_status status; // result of the last step
} report_test;

// Appends "enter body/stand", "end a" and so on, and the names of the clips' own events.
PLAY_LISTENER(report_hear)
{
    STRINGS(words) = {"", "enter ", "leave ", "arrive ", "end "};
    char *const received = user;
    const size_t used = strlen(received);
    CHECK(weight > 0 && weight <= 1);
    if (event->kind >= MD5_EVENT_ENTER && event->kind <= MD5_EVENT_TRANSITION_END) {
        CHECK(weight == 1);
        snprintf(received + used, MAX_TEXT - used, "%s%s/%s %u.%u; ", words[event->kind],
                 event->text, event->name, event->layer, event->index);
    } else {
        snprintf(received + used, MAX_TEXT - used, "%s%s; ", words[event->kind], event->name);
    }
}

static void report_end(report_test *fixture)
{
    play_scene_end(&fixture->scene);
}
#define SCOPED_REPORT __attribute__((cleanup(report_end))) report_test
#define REPORTS_ALL "report { enter leave transition_end clip_end } "

// Creates two clips, a of 1 s and b of 0.5 s, and four states; the first state plays `motion`.
static void report_begin(report_test *fixture, const char *report, const char *motion,
                         const char *transitions)
{
    *fixture = (report_test){.received = ""};
    play_scene_clips(&fixture->scene, 1, 11, 10);
    play_scene_add(&fixture->scene, 6, 10, 0.3, 2);
    play_scene_read(
        &fixture->scene,
        "%s trigger jump clip a f clip b f { frame 5 last } "
        "motion b_once clip b { once } motion b_there clip b { ping_pong } "
        "motion b_back clip b { once start 1 speed -1 } "
        "layer body { state stand %s state jump b_once state rest nothing state land b %s }",
        report, motion, transitions);
}

static const char *advance(report_test *fixture, double seconds)
{
    fixture->received[0] = '\0';
    fixture->status =
        md5_player_advance(fixture->scene.player, seconds, report_hear, fixture->received);
    return fixture->received;
}

TEST (states_are_entered_and_exited_and_transitions_end) {
    SCOPED_REPORT fixture;
    report_begin(&fixture, REPORTS_ALL, "a",
                 "transition stand jump { when jump duration 0.25 } "
                 "transition jump stand { exit 1 inertial }");
    CHECK_STRING(advance(&fixture, 0), "enter body/stand 0.0; ");
    CHECK_STRING(advance(&fixture, 0.5), "");
    md5_player_set(fixture.scene.player, 0, 1);
    CHECK_STRING(advance(&fixture, 0), "leave body/stand 0.0; enter body/jump 0.1; ");
    CHECK_STRING(advance(&fixture, 0.125), "");
    CHECK_STRING(advance(&fixture, 0.125), "arrive body/jump 0.1; ");
    // The events at the end of the clip, in this order. The exit is a cut, which arrives
    // immediately.
    CHECK_STRING(advance(&fixture, 0.25), "last; end b; leave body/jump 0.1; enter body/stand 0.0; "
                                          "arrive body/stand 0.0; ");
    CHECK_STRING(advance(&fixture, 2), "end a; end a; ");
}

TEST (interrupted_transition_has_no_end) {
    SCOPED_REPORT fixture;
    report_begin(&fixture, REPORTS_ALL, "a", "");
    md5_player *const player = fixture.scene.player;
    advance(&fixture, 0.25);
    play_fade(player, 0, 2, 0.25f);
    CHECK_STRING(advance(&fixture, 0.125), "leave body/stand 0.0; enter body/rest 0.2; ");
    md5_player_fade_to(player, 0, 3, 0.125f, MD5_FADE_INERTIAL, MD5_EASE_LINEAR);
    CHECK_STRING(advance(&fixture, 0.1), "leave body/rest 0.2; enter body/land 0.3; ");
    CHECK_STRING(advance(&fixture, 0.1), "arrive body/land 0.3; ");
}

TEST (state_that_is_left_immediately_fires_no_events) {
    SCOPED_REPORT fixture;
    report_begin(&fixture, REPORTS_ALL, "a", "transition rest land");
    md5_player *const player = fixture.scene.player;
    advance(&fixture, 0);
    play_fade(player, 0, 1, 0);
    play_fade(player, 0, 2, 0);
    CHECK_STRING(advance(&fixture, 0), "leave body/stand 0.0; enter body/land 0.3; "
                                       "arrive body/land 0.3; ");
}

TEST (seek_does_not_report_events) {
    SCOPED_REPORT fixture;
    report_begin(&fixture, REPORTS_ALL, "a", "");
    advance(&fixture, 0);
    md5_player_seek(fixture.scene.player, 0, 3, 0.25);
    CHECK_STRING(advance(&fixture, 0.125), "");
    play_fade(fixture.scene.player, 0, 0, 0);
    CHECK_STRING(advance(&fixture, 0),
                 "leave body/land 0.3; enter body/stand 0.0; arrive body/stand 0.0; ");
    md5_player_reset(fixture.scene.player);
    CHECK_STRING(advance(&fixture, 0), "enter body/stand 0.0; ");
}

TEST (clips_end_in_every_mode_and_direction) {
    static const struct {
        const char *motion;
        double steps[3];
        const char *received[3];
    } cases[] = {
        {"b", {0.5, 1, -0.75}, {"last; end b; ", "last; end b; last; end b; ", "end b; last; "}},
        {"b_once", {0.25, 1, 1}, {"", "last; end b; ", ""}},
        {"b_there", {0.5, 0.5, 1}, {"last; ", "end b; ", "last; end b; "}},
        // Playback begins at the last frame, which does not count as reaching the end.
        {"b_back", {0, 0.25, 1}, {"last; ", "", "end b; "}},
        {"b_once", {1, -0.25, -1}, {"last; end b; ", "", "end b; "}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED_REPORT fixture;
        report_begin(&fixture, "report { clip_end }", cases[i].motion, "");
        for (int k = 0; k < 3; k++) {
            const char *const received = advance(&fixture, cases[i].steps[k]);
            CHECK_THAT(strcmp(received, cases[i].received[k]) == 0, "%s, step %d: %s",
                       cases[i].motion, k, received);
        }
    }
}

TEST (only_events_that_are_asked_for_are_reported) {
    static const char *const reports[4] = {"report { enter }", "report { leave }",
                                           "report { transition_end }", "report { clip_end }"};
    for (int kind = 0; kind < 4; kind++) {
        SCOPED_REPORT fixture;
        report_begin(&fixture, reports[kind], "a", "");
        advance(&fixture, 0);
        play_fade(fixture.scene.player, 0, 1, 0.25f);
        STRINGS(expected) = {
            "enter body/jump 0.1; last; ",
            "leave body/stand 0.0; last; ",
            "arrive body/jump 0.1; last; ",
            "last; end b; ",
        };
        CHECK_STRING(advance(&fixture, 1), expected[kind]);
        CHECK_UINT(fixture.status.num_events, 2);
    }
}

// A callback that is set later receives only changes from then on.
TEST (changes_without_a_callback_are_not_kept) {
    SCOPED_REPORT fixture;
    report_begin(&fixture, REPORTS_ALL, "a", "");
    play_advance(fixture.scene.player, 0.1);
    play_fade(fixture.scene.player, 0, 1, 0);
    play_advance(fixture.scene.player, 0.1);
    CHECK_STRING(advance(&fixture, 0.1), "");
}

TEST (tables_reject_reported_events) {
    static const md5_event event = {.frame = 5, .name = "last", .kind = MD5_EVENT_ENTER};
    md5_error error = {0};
    play_scene fixture;
    play_scene_clips(&fixture, 1, 11, 10);
    fixture.clips[0].events = &event;
    fixture.clips[0].num_events = 1;
    const md5_machine_desc desc = {
        .model = fixture.assets.model, .clips = fixture.clips, .num_clips = 1};
    CHECK_FAILS(md5_create_machine(&desc, NULL, &error), error, MD5_ERROR_RANGE);
    play_end(&fixture.assets);
}
