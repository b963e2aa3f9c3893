// Events: each exactly once a pass, in order, however the time is split.
#include "test/test.h"

#include "md5/play/event_walk.h"

#include <string.h>

enum { NUM_EVENTS = 5, MOST_FIRED = 64 };

// Frames 0 2 2 3 4 of five, as letters a b c d e.
static const md5_event EVENTS[NUM_EVENTS] = {
    {.frame = 0, .name = "a"}, {.frame = 2, .name = "b"}, {.frame = 2, .name = "c"},
    {.frame = 3, .name = "d"}, {.frame = 4, .name = "e"},
};

static md5_timing timing_of(md5_play_mode mode)
{
    return (md5_timing){5, 10.0, MD5_PERIOD_CLOSED, mode};
}

// What fires from one normalised time to another, appended to `fired`.
static void walk(const md5_timing *timing, double from, double to, bool includes_start, char *fired)
{
    md5_cue cues[2 * NUM_EVENTS];
    const uint32_t num_cues = md5_make_cues(timing, EVENTS, NUM_EVENTS, cues);
    md5_event_walk events = md5_begin_event_walk(timing, cues, num_cues, md5_clock_at(timing, from),
                                                 md5_clock_at(timing, to), includes_start);
    uint32_t event;
    double when, last = 0.0;
    size_t length = strlen(fired);
    while (length < MOST_FIRED && md5_next_event(&events, &event, &when)) {
        CHECK(when >= last && when <= 1.0);
        last = when;
        fired[length++] = EVENTS[event].name[0];
    }
    fired[length] = '\0';
}

static void check_walk(md5_play_mode mode, double from, double to, bool includes_start,
                       const char *expected)
{
    const md5_timing timing = timing_of(mode);
    char fired[MOST_FIRED + 1] = "";
    walk(&timing, from, to, includes_start, fired);
    CHECK_STRING(fired, expected);
}

TEST (events_fire_after_where_a_step_begins_up_to_where_it_ends) {
    check_walk(MD5_PLAY_LOOP, 0.0, 0.5, false, "bc");
    check_walk(MD5_PLAY_LOOP, 0.0, 0.5, true, "abc");
    check_walk(MD5_PLAY_LOOP, 0.5, 0.75, false, "d");
    check_walk(MD5_PLAY_LOOP, 0.5, 0.5, false, "");
    check_walk(MD5_PLAY_LOOP, 0.5, 0.5, true, "bc");
    check_walk(MD5_PLAY_LOOP, 0.1, 0.2, false, "");
}

TEST (the_last_frame_of_a_loop_comes_before_the_first) {
    check_walk(MD5_PLAY_LOOP, 0.8, 1.0, false, "ea");
    check_walk(MD5_PLAY_LOOP, 0.8, 1.6, false, "eabc");
    check_walk(MD5_PLAY_LOOP, 1.0, 1.6, false, "bc");
    check_walk(MD5_PLAY_LOOP, 0.0, 3.0, false, "bcdeabcdeabcdea");
}

TEST (backward_events_fire_in_the_other_order) {
    check_walk(MD5_PLAY_LOOP, 0.9, 0.1, false, "dcb");
    check_walk(MD5_PLAY_LOOP, 1.0, 0.5, false, "dcb");
    check_walk(MD5_PLAY_LOOP, 1.1, 0.9, false, "ae");
    check_walk(MD5_PLAY_LOOP, 1.1, 1.0, false, "ae");
    check_walk(MD5_PLAY_LOOP, 0.5, -0.5, false, "aedcb");
    check_walk(MD5_PLAY_LOOP, 0.75, 0.75 - 1e-9, true, "d");
}

TEST (once_fires_each_end_once) {
    check_walk(MD5_PLAY_ONCE, 0.0, 5.0, true, "abcde");
    check_walk(MD5_PLAY_ONCE, 1.0, 5.0, false, "");
    check_walk(MD5_PLAY_ONCE, 1.0, -5.0, false, "dcba");
    check_walk(MD5_PLAY_ONCE, 1.0, 0.5, true, "edcb");
}

TEST (ping_pong_passes_inner_frames_twice) {
    check_walk(MD5_PLAY_PING_PONG, 0.0, 1.0, true, "abcdedbca");
    check_walk(MD5_PLAY_PING_PONG, 0.4, 0.6, false, "e");
    check_walk(MD5_PLAY_PING_PONG, 0.9, 2.1, false, "abcdedbca");
}

TEST (a_clip_without_events_has_none) {
    const md5_timing timing = timing_of(MD5_PLAY_LOOP);
    md5_event_walk events = md5_begin_event_walk(&timing, NULL, 0, md5_clock_at(&timing, 0.0),
                                                 md5_clock_at(&timing, 9.0), true);
    uint32_t event;
    double when;
    CHECK(!md5_next_event(&events, &event, &when));
}

TEST (backward_over_a_clip_with_nothing_but_its_last_frame) {
    const md5_timing timing = timing_of(MD5_PLAY_LOOP);
    const md5_event last = {.frame = 4, .name = "e"};
    md5_cue cues[2];
    const uint32_t num_cues = md5_make_cues(&timing, &last, 1, cues);
    md5_event_walk events = md5_begin_event_walk(
        &timing, cues, num_cues, md5_clock_at(&timing, 3.0), md5_clock_at(&timing, 1.0), false);
    uint32_t event;
    double when;
    CHECK(md5_next_event(&events, &event, &when));
    CHECK_NEAR(when, 0.5, 1e-12);
    CHECK(md5_next_event(&events, &event, &when));
    CHECK_NEAR(when, 1.0, 1e-12);
    CHECK(!md5_next_event(&events, &event, &when));
}

// The same stretch in one step and in many, in all modes, both ways.
TEST (any_split_of_a_step_fires_the_same_events) {
    uint64_t random = 5;
    for (int i = 0; i < 20000; i++) {
        const md5_timing timing = timing_of((md5_play_mode)(i % 3));
        const double from = test_random(&random) * 4.0 - 2.0;
        const double to = from + (test_random(&random) - 0.5) * 6.0;
        char whole[MOST_FIRED + 1] = "", parts[MOST_FIRED + 1] = "";
        walk(&timing, from, to, false, whole);
        double at = from;
        for (int part = 0; part < 4; part++) {
            // Quarters of a cycle are where events are.
            double next = at + (to - at) * test_random(&random);
            if (part == 1)
                next = (double)(int64_t)(next * 4.0) / 4.0;
            if (part == 3 || (to >= from ? next < at || next > to : next > at || next < to))
                next = to;
            walk(&timing, at, next, false, parts);
            at = next;
        }
        if (!CHECK_STRING(parts, whole))
            return;
    }
}
