// Tests of clip clocks: loops, ends and reversals at any speed, events, root motion and exits. The
// results must be the same for every division of the time into steps.
//
// The first three parts test internal functions (clock, event walk, root track); "Boundaries" tests
// the same through players.
#include "test/scoped.h"
#include "test/play/test_play_case.h"

#include "md5/play/run/player_state.h"

#include <stdarg.h>

static md5_timing make_timing(uint32_t num_frames, md5_period period, md5_play_mode mode)
{
    return (md5_timing){num_frames, 24, period, mode};
}

static void check_sample_position(const md5_timing *timing, double time, uint32_t frame0,
                                  uint32_t frame1, double fraction)
{
    const md5_clock clock = md5i_clock_at(timing, time);
    const md5_sample_position sample =
        md5i_clock_sample_position(timing, clock, MD5_INTERPOLATE_LINEAR);
    CHECK_UINT(sample.frame0, frame0);
    CHECK_UINT(sample.frame1, frame1);
    CHECK_NEAR(sample.fraction, fraction, 1e-6);
}

TEST (a_closed_loop_of_five_frames_has_four_intervals) {
    const md5_timing timing = make_timing(5, MD5_PERIOD_CLOSED, MD5_PLAY_LOOP);
    CHECK_UINT(md5_timing_intervals(&timing), 4);
    CHECK_NEAR(md5i_timing_duration(&timing), 4.0 / 24.0, 1e-12);
    check_sample_position(&timing, 0, 0, 1, 0);
    check_sample_position(&timing, 0.625, 2, 3, 0.5);
    check_sample_position(&timing, 1, 0, 1, 0);
    check_sample_position(&timing, -0.125, 3, 4, 0.5);
    CHECK(md5i_clock_at(&timing, -0.125).cycle == -1);
}

TEST (an_open_loop_leads_from_its_last_frame_to_its_first) {
    const md5_timing timing = make_timing(5, MD5_PERIOD_OPEN, MD5_PLAY_LOOP);
    CHECK_UINT(md5_timing_intervals(&timing), 5);
    check_sample_position(&timing, 0.9, 4, 0, 0.5);
    // A clip that does not loop has no interval from the last frame to the first.
    const md5_timing once = make_timing(5, MD5_PERIOD_OPEN, MD5_PLAY_ONCE);
    CHECK_UINT(md5_timing_intervals(&once), 4);
}

TEST (clips_played_once_stop_at_both_ends) {
    const md5_timing timing = make_timing(5, MD5_PERIOD_CLOSED, MD5_PLAY_ONCE);
    check_sample_position(&timing, 1, 4, 4, 0);
    check_sample_position(&timing, 7, 4, 4, 0);
    check_sample_position(&timing, -7, 0, 1, 0);
    md5_clock clock = md5i_clock_advance(&timing, md5i_clock_at(&timing, 7), -0.25);
    CHECK(md5_clock_time(clock) == 0.75);
    clock = md5i_clock_advance(&timing, clock, -2);
    CHECK(md5_clock_time(clock) == 0);
}

TEST (ping_pong_turns_at_both_ends) {
    const md5_timing timing = make_timing(5, MD5_PERIOD_CLOSED, MD5_PLAY_PING_PONG);
    CHECK_NEAR(md5i_timing_duration(&timing), 8.0 / 24.0, 1e-12);
    check_sample_position(&timing, 0.25, 2, 3, 0);
    check_sample_position(&timing, 0.5, 4, 4, 0);
    check_sample_position(&timing, 0.8125, 1, 2, 0.5);
    check_sample_position(&timing, 1, 0, 1, 0);
    CHECK(md5i_clock_sample_position(&timing, md5i_clock_at(&timing, 3.25), MD5_INTERPOLATE_LINEAR)
              .cycle
          == 0);
}

TEST (a_clip_of_one_frame_has_a_duration_and_stands_still) {
    for (int mode = MD5_PLAY_LOOP; mode <= MD5_PLAY_PING_PONG; mode++) {
        const md5_timing timing = make_timing(1, MD5_PERIOD_OPEN, (md5_play_mode)mode);
        CHECK(md5i_timing_duration(&timing) > 0);
        check_sample_position(&timing, 0.4, 0, 0, 0);
    }
}

TEST (step_interpolation_shows_each_frame) {
    const md5_timing timing = make_timing(5, MD5_PERIOD_CLOSED, MD5_PLAY_LOOP);
    const md5_clock clock = md5i_clock_at(&timing, 0.7);
    const md5_sample_position sample =
        md5i_clock_sample_position(&timing, clock, MD5_INTERPOLATE_STEP);
    CHECK_UINT(sample.frame0, 2);
    CHECK_UINT(sample.frame1, 2);
    CHECK(sample.fraction == 0);
}

TEST (times_that_are_not_finite_do_not_advance_a_clock) {
    const md5_timing timing = make_timing(5, MD5_PERIOD_CLOSED, MD5_PLAY_LOOP);
    const md5_clock clock = md5i_clock_at(&timing, 0.3);
    CHECK(md5_clock_time(md5i_clock_advance(&timing, clock, NAN)) == 0.3);
    CHECK(md5_clock_time(md5i_clock_advance(&timing, clock, INFINITY)) == 0.3);
    CHECK(md5_clock_time(md5i_clock_at(&timing, NAN)) == 0);
    // A time that is too large for a double to be divided into frames still has a phase.
    const md5_clock far = md5i_clock_at(&timing, -1e300);
    CHECK(far.phase >= 0 && far.phase < 1);
}

TEST (time_just_below_a_cycle_rounds_up_to_the_next) {
    const md5_timing timing = make_timing(5, MD5_PERIOD_CLOSED, MD5_PLAY_LOOP);
    const md5_clock clock = md5i_clock_at(&timing, -1e-20);
    CHECK(clock.cycle == 0 && clock.phase == 0);
    // A fraction that a float cannot distinguish from the next frame becomes that frame.
    check_sample_position(&timing, 0.25 - 1e-13, 1, 2, 0);
    check_sample_position(&timing, 1 - 2e-9, 4, 4, 0);
    // If the events of the next cycle have fired, the position is the first frame of the next
    // cycle.
    check_sample_position(&timing, 1 - 1e-13, 0, 0, 0);
    const md5_clock end = md5i_clock_at(&timing, 3 - 1e-13);
    CHECK(md5i_clock_sample_position(&timing, end, MD5_INTERPOLATE_LINEAR).cycle == 3);
}

// The end of an open loop is the first frame of the next cycle: with the root of the previous
// cycle, the character would jump back by one cycle.
TEST (the_end_of_an_open_loop_belongs_to_the_next_cycle) {
    const md5_timing open = make_timing(5, MD5_PERIOD_OPEN, MD5_PLAY_LOOP);
    const md5_clock clock = md5i_clock_at(&open, 3 - 1e-13);
    const md5_sample_position sample =
        md5i_clock_sample_position(&open, clock, MD5_INTERPOLATE_LINEAR);
    CHECK_UINT(sample.frame0, 0);
    CHECK(sample.cycle == 3);
}

TEST (a_float_time_is_the_nearest_decimal) {
    static const double times[] = {0, 0.3, 0.7, 0.1, -0.7, 1.5, 2.25, 12.345, 1.0 / 3.0, 1e-3};
    for (size_t i = 0; i < COUNT_OF(times); i++)
        CHECK_NEAR(md5i_decimal_from_float((float)times[i]), times[i], i == 8 ? 2e-8 : 0);
    CHECK(md5i_decimal_from_float(1e30f) == 1e30f);
    CHECK(md5i_decimal_from_float(1e-30f) == 1e-30f);
    CHECK(md5i_decimal_from_float(16777217.0f) == 16777216.0);
}

static double snapped(const md5_timing *timing, double time)
{
    return md5_clock_time(md5i_clock_snap(timing, md5i_clock_at(timing, time), 1e-7));
}

TEST (a_time_near_a_frame_snaps_to_it) {
    const md5_timing loop = make_timing(5, MD5_PERIOD_CLOSED, MD5_PLAY_LOOP);
    const md5_timing once = make_timing(5, MD5_PERIOD_CLOSED, MD5_PLAY_ONCE);
    CHECK(snapped(&loop, 0.25 + 1e-8) == 0.25);
    CHECK(snapped(&loop, 3.0 - 1e-8) == 3);
    CHECK(snapped(&once, 1.0 - 1e-8) == 1);
    CHECK(snapped(&loop, 0.26) == 0.26);
    // With 100 million frames every time is near a frame, so only whole cycles are snapped.
    const md5_timing many = make_timing(100000000, MD5_PERIOD_CLOSED, MD5_PLAY_LOOP);
    CHECK(snapped(&many, 0.123) == 0.123);
    CHECK(snapped(&many, 1.0 - 1e-8) == 1);
}

TEST (days_of_small_steps_accumulate_no_visible_error) {
    const md5_timing timing = make_timing(25, MD5_PERIOD_CLOSED, MD5_PLAY_LOOP);
    const double duration = md5i_timing_duration(&timing);
    md5_clock clock = {0};
    const uint32_t steps = 2000000;
    for (uint32_t i = 0; i < steps; i++)
        clock = md5i_clock_advance(&timing, clock, 0.1 / duration);
    CHECK_NEAR(md5_clock_time(clock), steps * 0.1 / duration, 1e-6);
}

// -- Order of events ------------------------------------------------------------------------------
//
// Each event must fire exactly once per pass, in order, for every division of the time.

enum { NUM_EVENTS = 5, MAX_FIRED = 64 };

// Events at frames 0 2 2 3 4 of five, with the letters a b c d e.
static const md5_event EVENTS[NUM_EVENTS] = {
    {.frame = 0, .name = "a"}, {.frame = 2, .name = "b"}, {.frame = 2, .name = "c"},
    {.frame = 3, .name = "d"}, {.frame = 4, .name = "e"},
};

static md5_timing event_walk_timing(md5_play_mode mode)
{
    return (md5_timing){5, 10, MD5_PERIOD_CLOSED, mode};
}

static md5_cues create_cues(const md5_timing *timing, md5_cue table[2 * NUM_EVENTS])
{
    return (md5_cues){timing, table, md5i_build_cues(timing, EVENTS, NUM_EVENTS, false, table)};
}

// How a step begins or ends. AT_START: events at the start of the step fire too. ENDS_CYCLE: the
// step ends exactly at the end of a cycle.
typedef enum step_kind { PLAIN, AT_START, ENDS_CYCLE } step_kind;

// Appends the events between two normalized times to `fired`.
static void walk(const md5_timing *timing, double from, double to, step_kind kind, char *fired)
{
    md5_cue table[2 * NUM_EVENTS];
    const md5_cues cues = create_cues(timing, table);
    md5_event_iterator events =
        md5i_begin_events(&cues, md5i_clock_at(timing, from), md5i_clock_at(timing, to),
                          kind == AT_START, kind == ENDS_CYCLE);
    const double direction = to < from ? -1 : 1;
    uint32_t event;
    md5_clock when;
    double last = from;
    size_t length = strlen(fired);
    uint64_t num_left = events.num_left;
    while (length < MAX_FIRED && md5i_next_event(&events, &event, &when)) {
        CHECK(direction * (md5_clock_time(when) - last) >= -2e-9);
        CHECK_UINT(events.num_left, --num_left);
        last = md5_clock_time(when);
        fired[length++] = EVENTS[event].name[0];
    }
    fired[length] = '\0';
}

static void check_step(md5_play_mode mode, double from, double to, step_kind kind,
                       const char *expected)
{
    const md5_timing timing = event_walk_timing(mode);
    char fired[MAX_FIRED + 1] = "";
    walk(&timing, from, to, kind, fired);
    CHECK_STRING(fired, expected);
}

static void check_walk(md5_play_mode mode, double from, double to, const char *expected)
{
    check_step(mode, from, to, PLAIN, expected);
}

static void check_start(md5_play_mode mode, double at, const char *expected)
{
    const md5_timing timing = event_walk_timing(mode);
    md5_cue table[2 * NUM_EVENTS];
    const md5_cues cues = create_cues(&timing, table);
    md5_event_iterator events = md5i_begin_start_events(&cues, md5i_clock_at(&timing, at));
    char fired[MAX_FIRED + 1] = "";
    uint32_t event;
    md5_clock when;
    for (size_t i = 0; i < MAX_FIRED && md5i_next_event(&events, &event, &when); i++)
        fired[i] = EVENTS[event].name[0];
    CHECK_STRING(fired, expected);
}

TEST (events_fire_after_where_a_step_begins_up_to_where_it_ends) {
    check_walk(MD5_PLAY_LOOP, 0, 0.5, "bc");
    check_walk(MD5_PLAY_LOOP, 0.5, 0.75, "d");
    check_walk(MD5_PLAY_LOOP, 0.5, 0.5, "");
    check_walk(MD5_PLAY_LOOP, 0.1, 0.2, "");
}

TEST (events_fire_where_a_clip_begins) {
    check_start(MD5_PLAY_LOOP, 0, "a");
    check_start(MD5_PLAY_LOOP, 3, "a");
    check_start(MD5_PLAY_LOOP, 0.5, "bc");
    check_start(MD5_PLAY_LOOP, 0.6, "");
    check_start(MD5_PLAY_ONCE, 1, "e");
    check_start(MD5_PLAY_PING_PONG, 0.5, "e");
    // The next step, forward and backward: only the backward step passes the end of the previous
    // cycle.
    check_step(MD5_PLAY_LOOP, 0, 0.5, AT_START, "bc");
    check_step(MD5_PLAY_LOOP, 0, -0.3, AT_START, "ed");
    check_step(MD5_PLAY_LOOP, 0.5, 0.2, AT_START, "");
    check_step(MD5_PLAY_ONCE, 1, 0.5, AT_START, "dcb");
}

TEST (a_loop_that_ends_at_a_cycle_does_not_begin_another) {
    check_step(MD5_PLAY_LOOP, 0.8, 1, ENDS_CYCLE, "e");
    check_step(MD5_PLAY_LOOP, 0.8, 2, ENDS_CYCLE, "eabcde");
    check_step(MD5_PLAY_LOOP, 0.2, 0.5, ENDS_CYCLE, "bc");
    check_step(MD5_PLAY_LOOP, 1.1, 1, ENDS_CYCLE, "a");
    check_step(MD5_PLAY_LOOP, 1, 1, ENDS_CYCLE, "");
    check_step(MD5_PLAY_ONCE, 0.8, 1, ENDS_CYCLE, "e");
    check_step(MD5_PLAY_PING_PONG, 0.8, 1, ENDS_CYCLE, "a");
}

TEST (rounding_does_not_move_an_event_to_another_step) {
    for (int i = -4; i <= 4; i++) {
        const double off = 1e-10 * i;
        check_walk(MD5_PLAY_LOOP, 0.4, 0.5 + off, "bc");
        check_walk(MD5_PLAY_LOOP, 0.5 + off, 0.6, "");
        check_walk(MD5_PLAY_LOOP, 0.6, 0.5 + off, "cb");
        check_walk(MD5_PLAY_LOOP, 0.5 + off, 0.4, "");
        check_walk(MD5_PLAY_LOOP, 0.9, 1 + off, "ea");
        check_walk(MD5_PLAY_LOOP, 1 + off, 1.1, "");
        check_walk(MD5_PLAY_LOOP, 1.1, 1 + off, "ae");
        check_walk(MD5_PLAY_LOOP, 1 + off, 0.9, "");
        check_step(MD5_PLAY_LOOP, 0.9, 1 + off, ENDS_CYCLE, "e");
    }
}

// The events of a step of 1e12 cycles are counted, not visited one by one.
TEST (events_that_are_not_reported_are_counted) {
    const md5_timing timing = event_walk_timing(MD5_PLAY_LOOP);
    md5_cue table[2 * NUM_EVENTS];
    const md5_cues cues = create_cues(&timing, table);
    md5_event_iterator events = md5i_begin_events(&cues, md5i_clock_at(&timing, 0),
                                                  md5i_clock_at(&timing, 1e12), false, false);
    CHECK_UINT(events.num_left, 5000000000000);
    events = md5i_begin_events(&cues, (md5_clock){-((int64_t)1 << 62), 0.5},
                               (md5_clock){(int64_t)1 << 62, 0.5}, false, false);
    CHECK_UINT(events.num_left, 1000000000000000000);
}

TEST (the_last_frame_of_a_loop_precedes_the_first) {
    check_walk(MD5_PLAY_LOOP, 0.8, 1, "ea");
    check_walk(MD5_PLAY_LOOP, 0.8, 1.6, "eabc");
    check_walk(MD5_PLAY_LOOP, 1, 1.6, "bc");
    check_walk(MD5_PLAY_LOOP, 0, 3, "bcdeabcdeabcdea");
}

TEST (backward_events_fire_in_reverse_order) {
    check_walk(MD5_PLAY_LOOP, 0.9, 0.1, "dcb");
    check_walk(MD5_PLAY_LOOP, 1, 0.5, "dcb");
    check_walk(MD5_PLAY_LOOP, 1.1, 0.9, "ae");
    check_walk(MD5_PLAY_LOOP, 1.1, 1, "ae");
    check_walk(MD5_PLAY_LOOP, 0.5, -0.5, "aedcb");
}

TEST (clips_played_once_fire_each_end_once) {
    check_walk(MD5_PLAY_ONCE, 0, 5, "bcde");
    check_walk(MD5_PLAY_ONCE, 1, 5, "");
    check_walk(MD5_PLAY_ONCE, 1, -5, "dcba");
}

TEST (ping_pong_passes_inner_frames_twice) {
    check_walk(MD5_PLAY_PING_PONG, 0, 1, "bcdedbca");
    check_walk(MD5_PLAY_PING_PONG, 0.4, 0.6, "e");
    check_walk(MD5_PLAY_PING_PONG, 0.9, 2.1, "abcdedbca");
}

TEST (a_clip_without_events_has_none) {
    const md5_timing timing = event_walk_timing(MD5_PLAY_LOOP);
    const md5_cues cues = {.timing = &timing};
    md5_event_iterator events =
        md5i_begin_events(&cues, md5i_clock_at(&timing, 0), md5i_clock_at(&timing, 9), true, false);
    uint32_t event;
    md5_clock when;
    CHECK(!md5i_next_event(&events, &event, &when));
}

TEST (backward_events_of_the_last_frame_only) {
    const md5_timing timing = event_walk_timing(MD5_PLAY_LOOP);
    const md5_event last = {.frame = 4, .name = "e"};
    md5_cue table[2];
    const md5_cues cues = {&timing, table, md5i_build_cues(&timing, &last, 1, false, table)};
    md5_event_iterator events = md5i_begin_events(&cues, md5i_clock_at(&timing, 3),
                                                  md5i_clock_at(&timing, 1), false, false);
    uint32_t event;
    md5_clock when;
    CHECK(md5i_next_event(&events, &event, &when));
    CHECK_NEAR(md5_clock_time(when), 2, 1e-12);
    CHECK(md5i_next_event(&events, &event, &when));
    CHECK_NEAR(md5_clock_time(when), 1, 1e-12);
    CHECK(!md5i_next_event(&events, &event, &when));
}

// Plays the same interval in one step and in many, in all modes and in both directions.
TEST (any_split_of_a_step_fires_the_same_events) {
    uint64_t random = 5;
    for (int i = 0; i < 20000; i++) {
        const md5_timing timing = event_walk_timing((md5_play_mode)(i % 3));
        const double from = test_random(&random) * 4 - 2.0;
        const double to = from + (test_random(&random) - 0.5) * 6;
        char single[MAX_FIRED + 1] = "";
        char parts[MAX_FIRED + 1] = "";
        walk(&timing, from, to, PLAIN, single);
        double at = from;
        for (int part = 0; part < 4; part++) {
            // Events are at quarters of a cycle.
            double next = at + (to - at) * test_random(&random);
            if (part == 1)
                next = (double)(int64_t)(next * 4) / 4.0;
            bool is_outside = next > at || next < to;
            if (to >= from)
                is_outside = next < at || next > to;
            if (part == 3 || is_outside)
                next = to;
            walk(&timing, at, next, PLAIN, parts);
            at = next;
        }
        if (!CHECK_STRING(parts, single))
            return;
    }
}

// -- Root motion ----------------------------------------------------------------------------------
//
// Root motion, which is extracted from a clip, for every division of the time.

enum { NUM_FRAMES = 9 };

// Walks along a curve to the left: at frame i it has rotated by i * step radians.
static void build_roots(double step, md5_xform *roots)
{
    for (int i = 0; i < NUM_FRAMES; i++) {
        const double yaw = 0.3 + i * step;
        roots[i] = (md5_xform){
            .rotation = {.z = (float)sin(0.5 * yaw), .w = (float)cos(0.5 * yaw)},
            .translation = {(float)(5 + 2.0 * i), (float)(0.3 * i * i), (float)(40 + i)},
        };
    }
}

// The roots of build_roots(), and the root motion that is extracted from them.
typedef struct rooted {
    md5_xform roots[NUM_FRAMES];
    md5_root_delta frames[NUM_FRAMES];
    md5_root_track track;
} rooted;

static void extract_roots(rooted *fixture, md5_root_extraction extract)
{
    md5i_build_root_track(extract, fixture->roots, NUM_FRAMES, fixture->frames);
    fixture->track = (md5_root_track){extract, NUM_FRAMES, fixture->frames};
}

static void begin_rooted(rooted *fixture, double step, md5_root_extraction extract)
{
    build_roots(step, fixture->roots);
    extract_roots(fixture, extract);
}

static const md5_timing LOOP = {NUM_FRAMES, 10, MD5_PERIOD_CLOSED, MD5_PLAY_LOOP};

static bool deltas_agree(md5_root_delta a, md5_root_delta b, double tolerance)
{
    return CHECK_NEAR(a.x, b.x, tolerance) && CHECK_NEAR(a.y, b.y, tolerance)
           && CHECK_NEAR(a.z, b.z, tolerance) && CHECK_NEAR(a.cosine, b.cosine, tolerance)
           && CHECK_NEAR(a.sine, b.sine, tolerance);
}

static md5_root_delta root_delta(const md5_root_track *track, const md5_timing *timing,
                                 md5_clock from, md5_clock to)
{
    const md5_root_position start = md5_root_position_at(track, timing, from);
    const md5_root_position end = md5_root_position_at(track, timing, to);
    return md5i_root_delta_between(track, &start, &end);
}

TEST (a_root_delta_times_its_inverse_is_identity) {
    const md5_root_delta delta = {3, -4, 5, 0.6, 0.8};
    const md5_root_delta none = {.cosine = 1};
    deltas_agree(md5_root_delta_mul(delta, md5_root_delta_inverse(delta)), none, 1e-12);
    deltas_agree(md5_root_delta_mul(md5_root_delta_inverse(delta), delta), none, 1e-12);
}

TEST (a_root_delta_as_a_transform_rotates_by_its_yaw) {
    const md5_xform left = md5_root_delta_transform((md5_root_delta){1, 2, 3, 0, 1});
    const md5_vec3 ahead = md5_quat_rotate(left.rotation, (md5_vec3){1, 0, 0});
    CHECK_SMALL(ahead.x, 1e-6);
    CHECK_NEAR(ahead.y, 1, 1e-6);
    CHECK_EXACT(left.translation.z, 3);
    const md5_xform back = md5_root_delta_transform((md5_root_delta){.cosine = -1});
    CHECK_EXACT(back.rotation.z, 1);
    CHECK_EXACT(back.rotation.w, 0);
}

TEST (each_root_mode_extracts_its_axes) {
    rooted fixture;
    begin_rooted(&fixture, 0, MD5_ROOT_EXTRACTION_MOVE);
    const md5_clock start = {0};
    const md5_clock end = md5i_clock_at(&LOOP, 0.5);
    deltas_agree(root_delta(&fixture.track, &LOOP, start, end), (md5_root_delta){8, 4.8, 4, 1, 0},
                 1e-5);
    extract_roots(&fixture, MD5_ROOT_EXTRACTION_WALK);
    deltas_agree(root_delta(&fixture.track, &LOOP, start, end), (md5_root_delta){8, 4.8, 0, 1, 0},
                 1e-5);
}

// With the extracted part restored, the root equals the root of the clip: delta * residual =
// sampled.
TEST (extracted_root_motion_restores_the_clip) {
    rooted fixture;
    build_roots(0.4, fixture.roots);
    for (int extract = MD5_ROOT_EXTRACTION_MOVE; extract <= MD5_ROOT_EXTRACTION_TURN; extract++) {
        extract_roots(&fixture, (md5_root_extraction)extract);
        for (uint32_t frame = 0; frame + 1 < NUM_FRAMES; frame++) {
            const md5_clock clock = md5i_clock_at(&LOOP, frame / 8.0);
            const md5_sample_position sample =
                md5i_clock_sample_position(&LOOP, clock, MD5_INTERPOLATE_LINEAR);
            md5_xform left = fixture.roots[frame];
            md5i_remove_root_delta(MD5_AXES_ID, md5i_root_delta_at(&fixture.track, &sample), &left);
            const md5_root_delta delta = root_delta(&fixture.track, &LOOP, (md5_clock){0}, clock);
            const md5_xform single = md5_xform_mul(md5_root_delta_transform(delta), left);
            const md5_vec3 off = md5_vec3_sub(single.translation, fixture.roots[frame].translation);
            CHECK_SMALL(md5_vec3_dot(off, off), 1e-8);
            CHECK_NEAR(left.translation.x, 5, 1e-4);
            CHECK_SMALL(left.translation.y, 1e-4);
            if (extract == MD5_ROOT_EXTRACTION_TURN) {
                CHECK_NEAR(left.rotation.z, fixture.roots[0].rotation.z, 1e-5);
                CHECK_NEAR(left.rotation.w, fixture.roots[0].rotation.w, 1e-5);
            }
        }
    }
}

TEST (root_deltas_of_any_split_of_the_time_add_up) {
    rooted fixture;
    begin_rooted(&fixture, 0.35, MD5_ROOT_EXTRACTION_TURN);
    uint64_t random = 9;
    for (int i = 0; i < 5000; i++) {
        const md5_timing timing = {NUM_FRAMES, 10, (md5_period)(i % 2), (md5_play_mode)(i / 2 % 3)};
        const double from = test_random(&random) * 6 - 3.0;
        const double to = from + test_random(&random) * 8 - 4.0;
        const md5_clock start = md5i_clock_at(&timing, from);
        const md5_clock end = md5i_clock_at(&timing, to);
        md5_root_delta sum = {.cosine = 1};
        md5_clock at = start;
        for (int part = 0; part < 5; part++) {
            const md5_clock next =
                part == 4 ? end : md5i_clock_at(&timing, from + (to - from) * test_random(&random));
            sum = md5_root_delta_mul(sum, root_delta(&fixture.track, &timing, at, next));
            at = next;
        }
        if (!deltas_agree(sum, root_delta(&fixture.track, &timing, start, end), 1e-9))
            return;
    }
}

TEST (a_hundred_cycles_of_a_straight_walk_equal_a_hundred_times_one) {
    rooted fixture;
    begin_rooted(&fixture, 0, MD5_ROOT_EXTRACTION_WALK);
    const md5_clock far = md5i_clock_at(&LOOP, 100);
    const md5_root_delta delta = root_delta(&fixture.track, &LOOP, (md5_clock){0}, far);
    CHECK_NEAR(delta.x, 1600, 1e-3);
    const md5_root_delta back = root_delta(&fixture.track, &LOOP, far, (md5_clock){0});
    deltas_agree(md5_root_delta_mul(delta, back), (md5_root_delta){.cosine = 1}, 1e-9);
}

TEST (a_root_upside_down_keeps_its_previous_yaw) {
    rooted fixture;
    build_roots(0.2, fixture.roots);
    fixture.roots[4].rotation = (md5_quat){1, 0, 0, 0};
    extract_roots(&fixture, MD5_ROOT_EXTRACTION_TURN);
    CHECK_NEAR(fixture.frames[4].cosine, fixture.frames[3].cosine, 1e-12);
    CHECK_NEAR(fixture.frames[4].sine, fixture.frames[3].sine, 1e-12);
}

TEST (half_a_turn_from_frame_to_frame_has_a_root_delta) {
    rooted fixture;
    begin_rooted(&fixture, 3.14159265358979, MD5_ROOT_EXTRACTION_TURN);
    for (int step = 0; step < 32; step++) {
        const md5_clock clock = md5i_clock_at(&LOOP, step / 32.0);
        const md5_root_delta delta = root_delta(&fixture.track, &LOOP, (md5_clock){0}, clock);
        CHECK_NEAR(delta.cosine * delta.cosine + delta.sine * delta.sine, 1, 1e-6);
    }
}

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
    event_log got = {0};
    md5_player_reset(fixture->player);
    for (uint32_t i = 0; i < steps; i++)
        md5_player_advance(fixture->player, seconds / steps, hear, &got);
    return got;
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
                const event_log got = events_in(&fixture, seconds, (uint32_t)(seconds * RATES[j]));
                uint32_t num_first = 0;
                for (uint32_t k = 0; k < got.count; k++)
                    num_first += got.names[k] == 'A';
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

TEST_PLAY (boundaries_of_a_first_step_of_zero_seconds, begin_states(fixture, " ")) {
    CHECK_STRING(events_in(fixture, -0.4, 1).names, "azn");
    for (uint32_t zeros = 1; zeros < 3u; zeros++) {
        event_log got = {0};
        md5_player_reset(fixture->player);
        for (uint32_t i = 0; i < zeros; i++)
            md5_player_advance(fixture->player, 0, hear, &got);
        CHECK_STRING(got.names, "a");
        md5_player_advance(fixture->player, -1e-12, hear, &got);
        md5_player_advance(fixture->player, -0.4, hear, &got);
        CHECK_STRING(got.names, "azn");
        // Events that were passed backward fire again, in reverse order, when the time advances
        // again.
        md5_player_advance(fixture->player, 0.4, hear, &got);
        CHECK_STRING(got.names, "aznnza");
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

TEST_PLAY (boundaries_are_silent_without_weight, begin_states(fixture, " ")) {
    event_log got = events_in(fixture, 0.1, 1);
    play_fade(fixture->player, 0, 1, 0.2f);
    got = (event_log){0};
    md5_player_advance(fixture->player, 0, hear, &got);
    CHECK_STRING(got.names, "A");
    CHECK_NEAR(got.sum, 1.0 / 16.0, 1e-6);
    // `a` reaches its event at 0.3 at the end of the fade, when its weight is 0.
    md5_player_advance(fixture->player, 0.2, hear, &got);
    CHECK_STRING(got.names, "A");
    play_fade(fixture->player, 0, 0, 0.4f);
    got = (event_log){0};
    for (int i = 0; i < 4; i++)
        md5_player_advance(fixture->player, 0.025, hear, &got);
    CHECK_STRING(got.names, "aM");
    CHECK_NEAR(got.sum, 1.0 / 16.0 + 0.75, 1e-5); // weight at the event, for every step
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
        event_log got = {0};
        const md5_advance_status status = md5_player_advance(fixture->player, delta[i], hear, &got);
        CHECK_UINT(got.count, MD5_MAX_STEP_EVENTS);
        CHECK_UINT(status.num_events, MD5_MAX_STEP_EVENTS);
        // 1e12 cycles have four events each. Backward (i = 1), there is one more event, because the
        // event of the last frame, where the step begins, fires twice.
        CHECK_UINT(status.num_dropped, 4000000000000 + (uint64_t)i - MD5_MAX_STEP_EVENTS);
        CHECK(status.undivided == 0);
    }
    event_log got = {0};
    md5_player_set(fixture->player, PACE, 1);
    md5_player_advance(fixture->player, INFINITY, hear, &got);
    CHECK_UINT(md5_player_advance(fixture->player, NAN, hear, &got).num_dropped, 0);
    CHECK_UINT(got.count, 0);
}

// Endless transitions: the remaining time of the step passes in one part.
TEST (boundaries_of_a_step_with_too_many_transitions) {
    SCOPED_PLAY fixture;
    begin(&fixture, FAST "layer body { state fast fast state b b "
                         "transition fast fast { exit 1 duration 1e-4 } "
                         "transition fast b { exit 1e30 } }");
    CHECK(md5_player_set(fixture.player, PACE, 3e5f));
    event_log got = {0};
    const md5_advance_status status = md5_player_advance(fixture.player, 1e6, hear, &got);
    CHECK(status.undivided > 9e5 && status.undivided < 1e6);
    CHECK(status.num_events > 0 && status.num_dropped > 0);
    CHECK_UINT(play_state(fixture.player), 0);
    CHECK(md5_player_advance(fixture.player, 1e-6, hear, &got).undivided == 0);
}

// A step is divided into at most MD5_MAX_STEP_PARTS parts. Every second part is a cycle of one
// second, and the part after it is a transition, which takes no time.
TEST_PLAY (boundaries_of_a_step_omit_time_after_the_last_part,
           begin(fixture, FAST "layer body { state fast fast transition fast fast { exit 1 } }")) {
    CHECK_NEAR(md5_player_advance(fixture->player, 1e6, NULL, NULL).undivided,
               1e6 - MD5_MAX_STEP_PARTS / 2, 1e-6);
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
            const event_log got = events_in(fixture, delta, (uint32_t)steps[i]);
            play_pose(fixture->player, pose);
            CHECK_STRING(got.names, delta > 0 ? "amnza" : "aznmaz");
            CHECK_SMALL(pose[0].translation.x, 1e-4);
        }
    }
}

// -- Synchronized clips -----------------------------------------------------------------------

// md5i_sync_seconds() is the inverse of md5i_sync_advance().
TEST (boundaries_of_synchronized_clips) {
    uint64_t random = 3;
    for (int i = 0; i < 20000; i++) {
        double markers[3][3];
        md5_sync_item items[3];
        const uint32_t num_markers = (uint32_t)(i % 4);
        const double sign = i % 8 < 4 ? 1 : -1;
        for (uint32_t k = 0; k < 3; k++) {
            for (uint32_t m = 0; m < 3; m++)
                markers[k][m] = 0.3 * m + 0.2 * test_random(&random);
            items[k] = (md5_sync_item){.weight = (float)(0.1 + test_random(&random)),
                                       .rate = sign * (0.2 + 2 * test_random(&random)),
                                       .markers = markers[k]};
        }
        const md5_clock from = {(int64_t)(i % 5) - 2, test_random(&random)};
        const double seconds = 8 * (test_random(&random) - 0.5);
        const md5_clock to = md5i_sync_advance(items, 3, num_markers, from, seconds);
        CHECK_NEAR(md5i_sync_seconds(items, 3, num_markers, from, to), seconds, 1e-9);
    }
    // A clock whose rate is 0 never reaches a later time.
    const double marker[2] = {0, 0.5};
    const md5_sync_item still = {.weight = 1, .rate = 0, .markers = marker};
    CHECK(!isfinite(md5i_sync_seconds(&still, 1, 2, (md5_clock){0, 0.1}, (md5_clock){0, 0.9})));
    CHECK(!isfinite(md5i_sync_seconds(&still, 1, 0, (md5_clock){0, 0.1}, (md5_clock){5, 0.9})));
}
