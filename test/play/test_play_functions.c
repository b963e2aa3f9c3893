// Tests of functions of md5/play that players call, but that no caller can call with the inputs
// that show their limits: clocks of 1e12 cycles, weights of single items, offsets of a single
// joint, states that only damaged bytes contain.
#include "test/ik/test_ik_case.h"
#include "test/scoped.h"
#include "test/play/test_play_case.h"

#include "md5/play/run/player_state.h"

// -- Access for other tests -----------------------------------------------------------------------

bool play_is_foot_locked(const md5_player *player, uint32_t foot)
{
    return player->foot_locks[foot].is_locked;
}

md5_vec3 play_foot_shift(const md5_player *player, uint32_t foot)
{
    return player->foot_locks[foot].shift;
}

float *play_foot_number(md5_player *player, uint32_t foot, uint32_t index)
{
    md5_foot_lock *const lock = &player->foot_locks[foot];
    float *const numbers[PLAY_FOOT_NUMBERS] = {
        &lock->position.x,
        &lock->shift.y,
        &lock->shift_velocity.x,
        &lock->animated_sole.x,
        &lock->animated_heading.y,
        &lock->locked_heading.x,
        [PLAY_FOOT_HALF_TANGENT] = &lock->half_tangent,
        &lock->half_tangent_rate,
    };
    return numbers[index];
}

bool play_compute_covered_joints(md5_machine *machine, uint32_t layer)
{
    const bool has_runs = machine->uncovered[layer].num_runs > 0;
    machine->uncovered[layer].num_runs = 0;
    return has_runs;
}

play_contact play_sole_contact(const md5_machine *machine, uint32_t sole, uint32_t frame)
{
    if (sole >= machine->num_soles || frame >= machine->num_frames)
        return PLAY_CONTACT_OUTSIDE;
    static const play_contact contacts[] = {
        [MD5_CONTACT_NONE] = PLAY_CONTACT_NONE,
        [MD5_CONTACT_STANDS] = PLAY_CONTACT_STANDS,
        [MD5_CONTACT_TURNS] = PLAY_CONTACT_TURNS,
        [MD5_CONTACT_SLIDES] = PLAY_CONTACT_SLIDES,
    };
    return contacts[machine->contacts[(size_t)sole * machine->num_frames + frame]];
}

const md5_machine *play_get_machine(const md5_player *player)
{
    return player->machine;
}

md5_sample_position play_layer_sample_position(const md5_player *player, uint32_t layer,
                                               uint32_t source, md5_interpolation kind)
{
    const md5_clock clock = md5_newest(&player->layer_states[layer])->instances[0].clock;
    return md5i_clock_sample_position(&player->machine->sources[source].timings[MD5_PLAY_LOOP],
                                      clock, kind);
}

// -- Clocks ---------------------------------------------------------------------------------------

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

// In a closed loop the last frame equals the first, so the loop has one interval less than frames.
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
    const md5_clock distant_clock = md5i_clock_at(&timing, -1e300);
    CHECK(distant_clock.phase >= 0 && distant_clock.phase < 1);
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

// The kind of a step. In a step AT_START, events at its start fire too. A step with ENDS_CYCLE ends
// exactly at the end of a cycle.
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

// The last frame of a closed loop is the first frame of the next cycle. If time runs backward over
// two ends of the loop, its event fires once at each end.
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
    const md5_clock distant_clock = md5i_clock_at(&LOOP, 100);
    const md5_root_delta delta = root_delta(&fixture.track, &LOOP, (md5_clock){0}, distant_clock);
    CHECK_NEAR(delta.x, 1600, 1e-3);
    const md5_root_delta back = root_delta(&fixture.track, &LOOP, distant_clock, (md5_clock){0});
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

// -- Blend spaces -----------------------------------------------------------------------------

TEST (on_a_line_the_weight_is_split_between_the_neighbors) {
    const md5_item items[] = {{.position = -1}, {.position = 0}, {.position = 4}};
    const struct {
        float x, weights[3];
    } rows[] = {
        {-9, {1, 0, 0}}, {-1, {1, 0, 0}},        {-0.25f, {0.25f, 0.75f, 0}},
        {0, {0, 1, 0}},  {3, {0, 0.25f, 0.75f}}, {9, {0, 0, 1}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        float weights[3];
        md5i_blend_weights_1d(items, 3, rows[i].x, weights);
        for (int item = 0; item < 3; item++)
            CHECK_NEAR(weights[item], rows[i].weights[item], 1e-6);
    }
}

TEST (in_a_plane_an_item_has_full_weight_at_its_position_and_weights_sum_to_one) {
    const md5_motion_item items[] = {
        {.x = 0, .y = 0}, {.x = 2, .y = 0}, {.x = -2, .y = 0}, {.x = 0, .y = 1}, {.x = 3, .y = 3},
    };
    enum { COUNT = COUNT_OF(items) };
    float weights[COUNT];
    float previous_weights[COUNT] = {0};
    for (int item = 0; item < COUNT; item++) {
        md5i_blend_weights_2d(items, COUNT, items[item].x, items[item].y, weights);
        for (int other_item = 0; other_item < COUNT; other_item++)
            CHECK(weights[other_item] == (item == other_item ? 1 : 0));
    }
    // At every position of a path through the plane, the weights must not be negative and must have
    // the sum 1. They must change continuously along the path.
    for (int step = 0; step < 4000; step++) {
        const float x = -6 + 0.003f * (float)step;
        const float y = 0.001f * (float)(step % 4000) - 1;
        md5i_blend_weights_2d(items, COUNT, x, y, weights);
        double sum = 0;
        for (int item = 0; item < COUNT; item++) {
            sum += weights[item];
            CHECK(weights[item] >= 0);
            if (step > 0 && !CHECK_NEAR(weights[item], previous_weights[item], 0.01))
                return;
            previous_weights[item] = weights[item];
        }
        if (!CHECK_NEAR(sum, 1, 1e-6))
            return;
    }
}

// Returns the weight of an item by the formula of the paper. md5i_blend_weights_2d() contains the
// reference.
static double influence_in_plane(const md5_motion_item *items, uint32_t count, uint32_t item,
                                 double x, double y)
{
    double min_weight = 1;
    for (uint32_t other_item = 0; other_item < count; other_item++) {
        const double to_x = items[other_item].x - items[item].x;
        const double to_y = items[other_item].y - items[item].y;
        const double along = (x - items[item].x) * to_x + (y - items[item].y) * to_y;
        if (other_item != item)
            min_weight = fmin(min_weight, 1 - along / (to_x * to_x + to_y * to_y));
    }
    return fmax(min_weight, 0);
}

TEST (in_a_plane_the_other_items_limit_each_weight) {
    enum { COUNT = 40 };
    uint64_t random = 11;
    md5_motion_item items[COUNT] = {{0}};
    for (int item = 0; item < COUNT; item++) {
        items[item].x = test_betweenf(-5, 5, &random);
        items[item].y = test_betweenf(-5, 5, &random);
    }
    for (int round = 0; round < 200; round++) {
        const float x = test_betweenf(-6, 6, &random);
        const float y = test_betweenf(-6, 6, &random);
        float weights[COUNT];
        double expected[COUNT];
        double sum = 0;
        for (uint32_t item = 0; item < COUNT; item++)
            sum += expected[item] = influence_in_plane(items, COUNT, item, x, y);
        md5i_blend_weights_2d(items, COUNT, x, y, weights);
        for (int item = 0; item < COUNT; item++)
            CHECK_NEAR(weights[item], expected[item] / sum, 1e-6);
    }
}

TEST (one_item_has_all_the_weight) {
    float weight;
    md5i_blend_weights_1d(&(md5_item){.position = 3}, 1, -8, &weight);
    CHECK(weight == 1);
    md5i_blend_weights_2d(&(md5_motion_item){.x = 3}, 1, -8, 1e30f, &weight);
    CHECK(weight == 1);
}

// -- Synchronized clips -----------------------------------------------------------------------

TEST (without_markers_a_group_advances_at_the_mean_rate) {
    const md5_sync_item items[] = {{0.25f, 1, NULL}, {0.75f, 2, NULL}};
    const md5_clock clock = md5i_sync_advance(items, 2, 0, (md5_clock){3, 0.5}, 2);
    CHECK_NEAR(md5_clock_time(clock), 7, 1e-12);
    CHECK_NEAR(md5_clock_time(md5i_sync_clock(NULL, 0, clock)), 7, 1e-12);
    CHECK_NEAR(md5_clock_time(md5i_sync_shared(NULL, 0, clock)), 7, 1e-12);
    const md5_sync_item nothing = {0, 1, NULL};
    CHECK_EXACT(md5_clock_time(md5i_sync_advance(&nothing, 1, 0, clock, 2)), 7);
}

static const double WALK[] = {0.1, 0.6, 0.8};
static const double RUN[] = {0, 0.3, 0.9};

TEST (clips_are_synchronized_at_their_markers) {
    for (int marker = 0; marker < 3; marker++) {
        const md5_clock shared = {7, marker / 3.0};
        CHECK_NEAR(md5_clock_time(md5i_sync_clock(WALK, 3, shared)), 7 + WALK[marker], 1e-12);
        CHECK_NEAR(md5_clock_time(md5i_sync_clock(RUN, 3, shared)), 7 + RUN[marker], 1e-12);
    }
    for (int step = -300; step < 300; step++) {
        const double time = 0.01 * step;
        const md5_timing loop = {2, 1, MD5_PERIOD_CLOSED, MD5_PLAY_LOOP};
        const md5_clock shared = md5i_sync_shared(WALK, 3, md5i_clock_at(&loop, time));
        CHECK_NEAR(md5_clock_time(md5i_sync_clock(WALK, 3, shared)), time, 1e-9);
    }
}

TEST (a_single_clip_of_a_group_advances_at_its_own_rate) {
    const md5_sync_item walk = {1, 0.8, WALK};
    for (int step = -38; step < 38; step++) {
        const double seconds = 0.13 * step;
        const md5_clock shared = md5i_sync_advance(&walk, 1, 3, (md5_clock){0}, seconds);
        const double walk_time = md5_clock_time(md5i_sync_clock(WALK, 3, shared));
        CHECK_NEAR(walk_time - WALK[0], 0.8 * seconds, 1e-9);
    }
}

TEST (a_group_with_markers_does_not_depend_on_the_split) {
    const md5_sync_item items[] = {{0.3f, 0.8, WALK}, {0.7f, 1.7, RUN}};
    uint64_t random = 3;
    for (int i = 0; i < 3000; i++) {
        const double seconds = test_random(&random) * 10 - 5.0;
        const md5_clock start = {0, test_random(&random)};
        const md5_clock single_step = md5i_sync_advance(items, 2, 3, start, seconds);
        md5_clock clock = start;
        double left = seconds;
        for (int part = 0; part < 6; part++) {
            const double step = part == 5 ? left : left * test_random(&random);
            clock = md5i_sync_advance(items, 2, 3, clock, step);
            left -= step;
        }
        if (!CHECK_NEAR(md5_clock_time(clock), md5_clock_time(single_step), 1e-9))
            return;
    }
}

TEST (a_group_with_forward_and_backward_clips_stops) {
    // The clip plays forward in the first part and backward in the second: the clock remains at the
    // marker between them.
    const double even[] = {0, 0.5};
    const double late[] = {0, 0.9};
    const md5_sync_item items[] = {{0.5f, 1, even}, {0.5f, -1, late}};
    const md5_clock ahead = md5i_sync_advance(items, 2, 2, (md5_clock){0, 0.25}, 100);
    CHECK_NEAR(md5_clock_time(ahead), 0.5, 1e-9);
    // A clip with a rate of 0 does not move.
    const md5_sync_item still = {1, 0, even};
    const md5_clock resting_clock = md5i_sync_advance(&still, 1, 2, (md5_clock){0, 0.25}, 100);
    CHECK_NEAR(md5_clock_time(resting_clock), 0.25, 1e-12);
}

TEST (the_end_of_the_last_part_is_the_next_cycle) {
    const md5_clock below = {2, 1 - 1e-17};
    const double even[] = {0, 0.5};
    CHECK_NEAR(md5_clock_time(md5i_sync_clock(even, 2, below)), 3, 1e-12);
}

TEST (sync_seconds_is_the_inverse_of_sync_advance) {
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

// The library does not create such a state, but the bytes of a damaged saved player can contain it.
TEST (states_with_different_markers_are_not_synchronized) {
    SCOPED_PLAY fixture;
    play_scene_clips(&fixture, 1, 21, 20);
    play_scene_add(&fixture, 11, 30, 0.3, 2);
    play_scene_read(
        &fixture,
        "trigger go clip a \"\" { markers ( 0 5 10 15 ) } clip b \"\" layer body {"
        " state a a state b b transition a a { exit 9 in_step }"
        " transition b a { when go duration 0.5 } transition a b { when go duration 0.5 } }");
    play_advance(fixture.player, 0.9);
    md5_player_set(fixture.player, 0, 1);
    play_advance(fixture.player, 0.1);
    md5_newest(&fixture.player->layer_states[0])->in_step = true;
    md5_newest(&fixture.player->layer_states[0])->leader = MD5_NONE;
    play_advance(fixture.player, 0.1);
    CHECK_NEAR(play_time(fixture.player), 0.2 * 3.0, 1e-9);
    md5_player_set(fixture.player, 0, 1);
    play_advance(fixture.player, 0.1);
    md5_newest(&fixture.player->layer_states[0])->in_step = true;
    play_advance(fixture.player, 0.1);
    CHECK_NEAR(play_time(fixture.player), 0.2, 1e-9);
}

// -- Inertia --------------------------------------------------------------------------------------
//
// Offsets of inertial transitions: complete at the start, zero at the end, never longer in between,
// with the initial velocity if it leads to the target.

static md5_xform random_transform(uint64_t *random)
{
    return (md5_xform){.rotation = random_unit_quat(random),
                       .translation = ik_random_point(1, random)};
}

// Returns a random velocity, whose size is from 1e-4 (nearly at rest) to 1e4 (much faster than
// joints move).
static md5_velocity random_velocity(uint64_t *random)
{
    const float size = (float)pow(10, test_random(random) * 8 - 4.0);
    return (md5_velocity){.linear = md5_vec3_scale(ik_random_point(1, random), size),
                          .angular = md5_vec3_scale(ik_random_point(1, random), size)};
}

static const md5_velocity STILL = {{0, 0, 0}, {0, 0, 0}};

static md5_offset compute_offset(const md5_xform *from, md5_velocity from_velocity,
                                 const md5_xform *to, md5_velocity to_velocity)
{
    md5_offset offset;
    md5i_compute_offsets(from, &from_velocity, to, &to_velocity, 1, &offset);
    return offset;
}

// An inertial transition adds an offset to the new pose. At its start the result is the old pose,
// and at its end the new pose, without rounding.
TEST (an_offset_is_full_at_the_start_and_zero_at_the_end) {
    uint64_t random = 1;
    for (int i = 0; i < 20000; i++) {
        const md5_xform from = random_transform(&random);
        const md5_xform to = random_transform(&random);
        const md5_offset offset = compute_offset(&from, random_velocity(&random), &to, STILL);
        md5_xform pose = to;
        md5i_add_offsets(&offset, 0, 0.3f, 1, &pose);
        bool held = CHECK_SMALL(real_angle(pose.rotation, from.rotation), 2e-6);
        held &= CHECK_SMALL(real_distance(pose.translation, from.translation), 1e-6);
        pose = to;
        md5i_add_offsets(&offset, 0.3f, 0.3f, 1, &pose);
        held &= CHECK(pose.rotation.x == to.rotation.x && pose.translation.x == to.translation.x);
        if (!held)
            return;
    }
}

// Offsets and velocities of every size and direction, also tiny offsets. The resulting transform
// approaches the target in every step, for every motion of the target.
TEST (an_offset_never_becomes_longer) {
    uint64_t random = 2;
    for (uint32_t left = play_transitions(20000); left > 0; left--) {
        const md5_velocity from_velocity = random_velocity(&random);
        const md5_velocity to_velocity = random_velocity(&random);
        const md5_xform from = random_transform(&random);
        md5_xform to = random_transform(&random);
        if (left % 4 == 0)
            to = from;
        if (left % 4 == 1)
            to.rotation = md5_quat_mul((md5_quat){1e-5f, 0, 0, 1}, from.rotation);
        const md5_offset offset = compute_offset(&from, from_velocity, &to, to_velocity);
        double angle = real_angle(from.rotation, to.rotation);
        double distance = real_distance(from.translation, to.translation);
        const float duration = (float)(0.01 + 2 * test_random(&random));
        for (int step = 0; step < 41; step++) {
            const md5_xform target = random_transform(&random);
            md5_xform pose = target;
            md5i_add_offsets(&offset, duration * (float)step / 40.0f, duration, 1, &pose);
            const double current_angle = real_angle(pose.rotation, target.rotation);
            const double current_distance = real_distance(pose.translation, target.translation);
            if (!CHECK(current_angle <= angle + 2e-6)
                || !CHECK(current_distance <= distance + 1e-6))
                return;
            angle = current_angle;
            distance = current_distance;
        }
    }
}

// Bollo's quintic as published in his talk, for the length of an offset, in double precision.
static double bollo(double x0, double v0, double duration, double t)
{
    const double v = fmin(v0, 0);
    const double t1 = v < 0 ? fmin(duration, -5 * x0 / v) : duration;
    if (t >= t1)
        return 0;
    const double a0 = fmax((-8 * v * t1 - 20 * x0) / (t1 * t1), 0);
    const double a = -(a0 * t1 * t1 + 6 * v * t1 + 12 * x0) / (2 * pow(t1, 5));
    const double b = (3 * a0 * t1 * t1 + 16 * v * t1 + 30 * x0) / (2 * pow(t1, 4));
    const double c = -(3 * a0 * t1 * t1 + 12 * v * t1 + 20 * x0) / (2 * pow(t1, 3));
    return ((((a * t + b) * t + c) * t + 0.5 * a0) * t + v) * t + x0;
}

TEST (an_offset_decays_as_published) {
    uint64_t random = 3;
    const md5_quat none = {0, 0, 0, 1};
    for (int i = 0; i < 20000; i++) {
        const double x0 = 0.1 + test_random(&random);
        const double v0 = 40 * test_random(&random) - 35;
        const double duration = 0.1 + test_random(&random);
        const double t = duration * test_random(&random);
        // The velocity is along y; velocity across it has no effect.
        const md5_xform from = {.rotation = none, .translation = {0, (float)x0, 0}};
        const md5_xform to = {.rotation = none};
        const md5_velocity from_velocity = {.linear = {5, (float)(v0 + 3), 0}};
        const md5_velocity to_velocity = {.linear = {0, 3, -7}};
        const md5_offset offset = compute_offset(&from, from_velocity, &to, to_velocity);
        md5_xform pose = to;
        md5i_add_offsets(&offset, (float)t, (float)duration, 1, &pose);
        if (!CHECK_NEAR(pose.translation.y, bollo(x0, v0, duration, t), 2e-5)
            || !CHECK(pose.translation.x == 0 && pose.translation.z == 0))
            return;
    }
}

TEST (a_transition_without_duration_leaves_no_offset) {
    const md5_xform from = {.rotation = {1, 0, 0, 0}};
    const md5_xform to = {.rotation = {0, 0, 0, 1}};
    const md5_offset offset = compute_offset(&from, STILL, &to, STILL);
    md5_xform pose = to;
    md5i_add_offsets(&offset, 0, 0, 1, &pose);
    CHECK(pose.rotation.w == 1);
}

// Both joints rotate and move at constant speeds. The speed of approach must not jump at the start;
// after that it changes only as the quintic does.
TEST (velocity_towards_the_target_continues_without_a_jump) {
    const double step = 0.0005;
    uint64_t random = 4;
    for (int i = 0; i < 200; i++) {
        const double angle = 0.2 + 2.8 * test_random(&random);
        const double approach = 4 * test_random(&random); // radians and units per second
        const md5_xform to = {.rotation = {0, 0, 0, 1}};
        const md5_xform from = {
            .rotation = {.z = (float)sin(0.5 * angle), .w = (float)cos(0.5 * angle)},
            .translation = {0, (float)angle, 0},
        };
        const md5_velocity from_velocity = {.linear = {1, -1, 0}, .angular = {3, 0, 1}};
        const md5_velocity to_velocity = {.linear = {0, (float)(approach - 1), 0},
                                          .angular = {0, 0, (float)(approach + 1)}};
        const md5_offset offset = compute_offset(&from, from_velocity, &to, to_velocity);
        double left[2] = {angle, angle};
        double speed[2] = {approach, approach};
        double max_jump = 0;
        for (int k = 1; k <= 1000; k++) {
            md5_xform pose = to;
            md5i_add_offsets(&offset, (float)(k * step), 0.5f, 1, &pose);
            const double current[2] = {real_angle(pose.rotation, to.rotation),
                                       real_distance(pose.translation, to.translation)};
            for (int part = 0; part < 2; part++) {
                const double current_speed = (left[part] - current[part]) / step;
                max_jump = fmax(max_jump, fabs(current_speed - speed[part]));
                left[part] = current[part];
                speed[part] = current_speed;
            }
        }
        // The acceleration is below 6 angle / duration^2 + 20 approach / duration.
        REQUIRE(max_jump < step * (60 * angle + 60 * approach) + 0.01);
    }
}

// A velocity past an angle of 180 degrees leads away from the target.
TEST (velocity_beyond_half_a_turn_is_dropped) {
    const double degree = 3.14159265358979324 / 180.0;
    const md5_xform to = {.rotation = {0, 0, 0, 1}};
    for (int side = -1; side <= 1; side += 2) {
        const double half = 0.5 * 179.9 * degree;
        const md5_xform from = {.rotation = {.x = (float)sin(half), .w = (float)cos(half)}};
        const md5_velocity velocity = {.angular = {(float)(side * 3.0), 0, 0}};
        const md5_offset offset = compute_offset(&from, velocity, &to, STILL);
        CHECK((offset.rotation_rate == 0) == (side > 0));
        // tan(angle / 4) is 1 here, and its derivative 1/2 per radian.
        CHECK_NEAR(offset.rotation_rate, side > 0 ? 0 : -1.5, 0.01);
    }
}

// Offsets of any size must give finite results.
TEST (offsets_of_tiny_and_huge_size_are_finite) {
    static const float sizes[] = {0, 1e-30f, 1e-18f, 1e-9f, 1, 1e15f, 1e18f};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        for (size_t k = 0; k < COUNT_OF(sizes); k++) {
            const md5_xform to = {.rotation = {0, 0, 0, 1}};
            md5_xform from = to;
            from.translation.z = sizes[i];
            const md5_velocity velocity = {.linear = {0, sizes[k], -sizes[k]},
                                           .angular = {sizes[k], 0, 0}};
            const md5_offset offset = compute_offset(&from, velocity, &to, STILL);
            for (int step = -1; step <= 4; step++) {
                md5_xform pose = to;
                md5i_add_offsets(&offset, 0.1f * (float)step, 0.3f, 1, &pose);
                CHECK(isfinite(pose.translation.z) && isfinite(pose.rotation.w));
                CHECK(step < 0 || pose.translation.z <= sizes[i]);
                CHECK(step < 0 || pose.translation.z >= 0);
            }
        }
    }
}

// -- Velocities ---------------------------------------------------------------------------------

TEST (pose_tools_velocity_equals_that_of_a_steady_rotation) {
    uint64_t random = 2;
    for (int round = 0; round < 20000; round++) {
        const md5_xform first_pose = {random_unit_quat(&random), ik_random_point(9, &random), 0};
        // The joint rotates about a random axis of the parent's space, by up to half a turn.
        const real3 axis = real4_rotate(to_unit_real4(random_unit_quat(&random)), (real3){1, 0, 0});
        const double angle =
            round % 3 ? test_between(0, 3.14, &random) : pow(10, test_between(-5, 0, &random));
        const double s = sin(angle / 2.0);
        const double c = cos(angle / 2.0);
        const real4 rotated = real4_mul((real4){axis.x * s, axis.y * s, axis.z * s, c},
                                        to_unit_real4(first_pose.rotation));
        const double sign = round % 2 ? 1 : -1;
        const md5_xform current = {{(float)(sign * rotated.x), (float)(sign * rotated.y),
                                    (float)(sign * rotated.z), (float)(sign * rotated.w)},
                                   {first_pose.translation.x + 1, first_pose.translation.y,
                                    first_pose.translation.z - 0.5f},
                                   0};
        md5_velocity velocity;
        md5i_pose_velocity(&first_pose, &current, 1, 0.25f, &velocity);
        CHECK_NEAR(velocity.angular.x, axis.x * angle * 4, 1e-5);
        CHECK_NEAR(velocity.angular.y, axis.y * angle * 4, 1e-5);
        CHECK_NEAR(velocity.angular.z, axis.z * angle * 4, 1e-5);
        CHECK_NEAR(velocity.linear.x, 4, 1e-5);
        CHECK_NEAR(velocity.linear.z, -2, 1e-5);
    }
}

TEST (pose_tools_velocity_of_no_time_is_none) {
    uint64_t random = 3;
    const md5_xform a = {random_unit_quat(&random), {1, 2, 3}, 0};
    const md5_xform b = {random_unit_quat(&random), {4, 5, 6}, 0};
    static const float none[] = {0, -1, NAN};
    for (int i = 0; i < 3; i++) {
        md5_velocity velocity;
        md5i_pose_velocity(&a, &b, 1, none[i], &velocity);
        CHECK(velocity.linear.x == 0 && velocity.angular.x == 0);
        md5i_pose_velocity(&a, &a, 1, 1, &velocity);
        CHECK(velocity.linear.x == 0 && velocity.angular.z == 0);
    }
}

// -- Locked feet ---------------------------------------------------------------------------------

// A rotated foot does not stretch its leg either. The character rotates by 30 degrees about a sole,
// so that the ankle 4 units behind it has to be 8 sin 15 = 2.07 units next to the animated ankle: a
// leg of 10 becomes a leg of 10.21.
TEST (play_hold_does_not_stretch_legs_by_rotation) {
    static const md5_hold_params hold = {
        .height = 0.3f, .speed = 10, .distance = 4, .release = 0.2f};
    for (int is_long = 0; is_long < 2; is_long++) {
        md5_foot_lock lock = {0};
        md5_foot_lock_step step = {
            .seconds = 0.1f,
            .cosine = 1,
            .heading = {1, 0, 0},
            .is_planted = true,
            .ankle = {-4, 0, 2},
            .leg = {0, 0, -10},
            .reach = is_long ? 10.25f : 10.2f,
        };
        md5i_advance_foot_lock(&hold, &step, true, &lock);
        CHECK(lock.is_locked && lock.half_tangent == 0);
        step.cosine = cosf(0.52359878f);
        step.sine = sinf(0.52359878f);
        md5i_advance_foot_lock(&hold, &step, false, &lock);
        CHECK(lock.is_locked == (is_long == 1));
        const md5_vec3 shift = md5i_locked_ankle_shift(&lock, step.ankle, 1);
        if (lock.is_locked)
            CHECK_NEAR(hypot((double)shift.x, shift.y), 2.0705523608, 1e-5);
    }
}
