// Events: each exactly once a pass, in order, however the time is split.
#include "test/test.h"

#include "md5/play/clock.h"

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

// How a step begins and ends.
typedef enum step_kind { PLAIN, AT_START, ENDS_CYCLE } step_kind;

// What fires from one normalised time to another, appended to `fired`.
static void walk(const md5_timing *timing, double from, double to, step_kind kind, char *fired)
{
    md5_cue table[2 * NUM_EVENTS];
    const md5_cues cues = {timing, table, md5i_make_cues(timing, EVENTS, NUM_EVENTS, false, table)};
    md5_event_walk events =
        md5i_begin_event_walk(&cues, md5i_clock_at(timing, from), md5i_clock_at(timing, to),
                              kind == AT_START, kind == ENDS_CYCLE);
    const double way = to < from ? -1.0 : 1.0;
    uint32_t event;
    md5_clock when;
    double last = from;
    size_t length = strlen(fired);
    uint64_t num_left = events.num_left;
    while (length < MOST_FIRED && md5i_next_event(&events, &event, &when)) {
        CHECK(way * (md5_clock_time(when) - last) >= -2e-9);
        CHECK_UINT(events.num_left, --num_left);
        last = md5_clock_time(when);
        fired[length++] = EVENTS[event].name[0];
    }
    fired[length] = '\0';
}

static void check_step(md5_play_mode mode, double from, double to, step_kind kind,
                       const char *expected)
{
    const md5_timing timing = timing_of(mode);
    char fired[MOST_FIRED + 1] = "";
    walk(&timing, from, to, kind, fired);
    CHECK_STRING(fired, expected);
}

static void check_walk(md5_play_mode mode, double from, double to, const char *expected)
{
    check_step(mode, from, to, PLAIN, expected);
}

static void check_start(md5_play_mode mode, double at, const char *expected)
{
    const md5_timing timing = timing_of(mode);
    md5_cue table[2 * NUM_EVENTS];
    const md5_cues cues = {&timing, table,
                           md5i_make_cues(&timing, EVENTS, NUM_EVENTS, false, table)};
    md5_event_walk events = md5i_begin_event_start(&cues, md5i_clock_at(&timing, at));
    char fired[MOST_FIRED + 1] = "";
    uint32_t event;
    md5_clock when;
    for (size_t i = 0; i < MOST_FIRED && md5i_next_event(&events, &event, &when); i++)
        fired[i] = EVENTS[event].name[0];
    CHECK_STRING(fired, expected);
}

TEST (events_fire_after_where_a_step_begins_up_to_where_it_ends) {
    check_walk(MD5_PLAY_LOOP, 0.0, 0.5, "bc");
    check_walk(MD5_PLAY_LOOP, 0.5, 0.75, "d");
    check_walk(MD5_PLAY_LOOP, 0.5, 0.5, "");
    check_walk(MD5_PLAY_LOOP, 0.1, 0.2, "");
}

TEST (events_fire_where_a_clip_begins) {
    check_start(MD5_PLAY_LOOP, 0.0, "a");
    check_start(MD5_PLAY_LOOP, 3.0, "a");
    check_start(MD5_PLAY_LOOP, 0.5, "bc");
    check_start(MD5_PLAY_LOOP, 0.6, "");
    check_start(MD5_PLAY_ONCE, 1.0, "e");
    check_start(MD5_PLAY_PING_PONG, 0.5, "e");
    // The next step, forward and backward: only backward does it pass the end of the cycle before.
    check_step(MD5_PLAY_LOOP, 0.0, 0.5, AT_START, "bc");
    check_step(MD5_PLAY_LOOP, 0.0, -0.3, AT_START, "ed");
    check_step(MD5_PLAY_LOOP, 0.5, 0.2, AT_START, "");
    check_step(MD5_PLAY_ONCE, 1.0, 0.5, AT_START, "dcb");
}

TEST (a_loop_that_is_left_at_the_end_of_a_cycle_does_not_begin_another) {
    check_step(MD5_PLAY_LOOP, 0.8, 1.0, ENDS_CYCLE, "e");
    check_step(MD5_PLAY_LOOP, 0.8, 2.0, ENDS_CYCLE, "eabcde");
    check_step(MD5_PLAY_LOOP, 0.2, 0.5, ENDS_CYCLE, "bc");
    check_step(MD5_PLAY_LOOP, 1.1, 1.0, ENDS_CYCLE, "a");
    check_step(MD5_PLAY_LOOP, 1.0, 1.0, ENDS_CYCLE, "");
    check_step(MD5_PLAY_ONCE, 0.8, 1.0, ENDS_CYCLE, "e");
    check_step(MD5_PLAY_PING_PONG, 0.8, 1.0, ENDS_CYCLE, "a");
}

TEST (rounding_does_not_move_an_event_to_another_step) {
    for (int i = -4; i <= 4; i++) {
        const double off = 1e-10 * i;
        check_walk(MD5_PLAY_LOOP, 0.4, 0.5 + off, "bc");
        check_walk(MD5_PLAY_LOOP, 0.5 + off, 0.6, "");
        check_walk(MD5_PLAY_LOOP, 0.6, 0.5 + off, "cb");
        check_walk(MD5_PLAY_LOOP, 0.5 + off, 0.4, "");
        check_walk(MD5_PLAY_LOOP, 0.9, 1.0 + off, "ea");
        check_walk(MD5_PLAY_LOOP, 1.0 + off, 1.1, "");
        check_walk(MD5_PLAY_LOOP, 1.1, 1.0 + off, "ae");
        check_walk(MD5_PLAY_LOOP, 1.0 + off, 0.9, "");
        check_step(MD5_PLAY_LOOP, 0.9, 1.0 + off, ENDS_CYCLE, "e");
    }
}

// The events of a step of 1e12 cycles are counted, not visited one by one.
TEST (events_that_are_left_are_counted) {
    const md5_timing timing = timing_of(MD5_PLAY_LOOP);
    md5_cue table[2 * NUM_EVENTS];
    const md5_cues cues = {&timing, table,
                           md5i_make_cues(&timing, EVENTS, NUM_EVENTS, false, table)};
    md5_event_walk events = md5i_begin_event_walk(&cues, md5i_clock_at(&timing, 0.0),
                                                  md5i_clock_at(&timing, 1e12), false, false);
    CHECK_UINT(events.num_left, 5000000000000);
    events = md5i_begin_event_walk(&cues, (md5_clock){-((int64_t)1 << 62), 0.5},
                                   (md5_clock){(int64_t)1 << 62, 0.5}, false, false);
    CHECK_UINT(events.num_left, 1000000000000000000);
}

TEST (the_last_frame_of_a_loop_comes_before_the_first) {
    check_walk(MD5_PLAY_LOOP, 0.8, 1.0, "ea");
    check_walk(MD5_PLAY_LOOP, 0.8, 1.6, "eabc");
    check_walk(MD5_PLAY_LOOP, 1.0, 1.6, "bc");
    check_walk(MD5_PLAY_LOOP, 0.0, 3.0, "bcdeabcdeabcdea");
}

TEST (backward_events_fire_in_the_other_order) {
    check_walk(MD5_PLAY_LOOP, 0.9, 0.1, "dcb");
    check_walk(MD5_PLAY_LOOP, 1.0, 0.5, "dcb");
    check_walk(MD5_PLAY_LOOP, 1.1, 0.9, "ae");
    check_walk(MD5_PLAY_LOOP, 1.1, 1.0, "ae");
    check_walk(MD5_PLAY_LOOP, 0.5, -0.5, "aedcb");
}

TEST (once_fires_each_end_once) {
    check_walk(MD5_PLAY_ONCE, 0.0, 5.0, "bcde");
    check_walk(MD5_PLAY_ONCE, 1.0, 5.0, "");
    check_walk(MD5_PLAY_ONCE, 1.0, -5.0, "dcba");
}

TEST (ping_pong_passes_inner_frames_twice) {
    check_walk(MD5_PLAY_PING_PONG, 0.0, 1.0, "bcdedbca");
    check_walk(MD5_PLAY_PING_PONG, 0.4, 0.6, "e");
    check_walk(MD5_PLAY_PING_PONG, 0.9, 2.1, "abcdedbca");
}

TEST (a_clip_without_events_has_none) {
    const md5_timing timing = timing_of(MD5_PLAY_LOOP);
    const md5_cues cues = {.timing = &timing};
    md5_event_walk events = md5i_begin_event_walk(&cues, md5i_clock_at(&timing, 0.0),
                                                  md5i_clock_at(&timing, 9.0), true, false);
    uint32_t event;
    md5_clock when;
    CHECK(!md5i_next_event(&events, &event, &when));
}

TEST (backward_over_a_clip_with_nothing_but_its_last_frame) {
    const md5_timing timing = timing_of(MD5_PLAY_LOOP);
    const md5_event last = {.frame = 4, .name = "e"};
    md5_cue table[2];
    const md5_cues cues = {&timing, table, md5i_make_cues(&timing, &last, 1, false, table)};
    md5_event_walk events = md5i_begin_event_walk(&cues, md5i_clock_at(&timing, 3.0),
                                                  md5i_clock_at(&timing, 1.0), false, false);
    uint32_t event;
    md5_clock when;
    CHECK(md5i_next_event(&events, &event, &when));
    CHECK_NEAR(md5_clock_time(when), 2.0, 1e-12);
    CHECK(md5i_next_event(&events, &event, &when));
    CHECK_NEAR(md5_clock_time(when), 1.0, 1e-12);
    CHECK(!md5i_next_event(&events, &event, &when));
}

// The same stretch in one step and in many, in all modes, in both directions.
TEST (any_split_of_a_step_fires_the_same_events) {
    uint64_t random = 5;
    for (int i = 0; i < 20000; i++) {
        const md5_timing timing = timing_of((md5_play_mode)(i % 3));
        const double from = test_random(&random) * 4.0 - 2.0;
        const double to = from + (test_random(&random) - 0.5) * 6.0;
        char whole[MOST_FIRED + 1] = "", parts[MOST_FIRED + 1] = "";
        walk(&timing, from, to, PLAIN, whole);
        double at = from;
        for (int part = 0; part < 4; part++) {
            // Events lie at quarters of a cycle.
            double next = at + (to - at) * test_random(&random);
            if (part == 1)
                next = (double)(int64_t)(next * 4.0) / 4.0;
            if (part == 3 || (to >= from ? next < at || next > to : next > at || next < to))
                next = to;
            walk(&timing, at, next, PLAIN, parts);
            at = next;
        }
        if (!CHECK_STRING(parts, whole))
            return;
    }
}
