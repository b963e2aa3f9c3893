// A clip's clock: loops, ends and reversals, at any speed, and the same for any split of the time.
#include "test/test.h"

#include "md5/play/clock.h"

#include <math.h>

static md5_timing timing_of(uint32_t num_frames, md5_period period, md5_play_mode mode)
{
    return (md5_timing){num_frames, 24.0, period, mode};
}

static void check_moment(const md5_timing *timing, double time, uint32_t frame0, uint32_t frame1,
                         double fraction)
{
    const md5_clock clock = md5i_clock_at(timing, time);
    const md5_moment moment = md5i_clock_moment(timing, clock, MD5_INTERPOLATE_LINEAR);
    CHECK_UINT(moment.frame0, frame0);
    CHECK_UINT(moment.frame1, frame1);
    CHECK_NEAR((double)moment.fraction, fraction, 1e-6);
}

TEST (a_closed_loop_of_five_frames_has_four_intervals) {
    const md5_timing timing = timing_of(5, MD5_PERIOD_CLOSED, MD5_PLAY_LOOP);
    CHECK_UINT(md5i_timing_intervals(&timing), 4);
    CHECK_NEAR(md5i_timing_duration(&timing), 4.0 / 24.0, 1e-12);
    check_moment(&timing, 0.0, 0, 1, 0.0);
    check_moment(&timing, 0.625, 2, 3, 0.5);
    check_moment(&timing, 1.0, 0, 1, 0.0);
    check_moment(&timing, -0.125, 3, 4, 0.5);
    CHECK(md5i_clock_at(&timing, -0.125).cycle == -1);
}

TEST (an_open_loop_leads_from_its_last_frame_to_its_first) {
    const md5_timing timing = timing_of(5, MD5_PERIOD_OPEN, MD5_PLAY_LOOP);
    CHECK_UINT(md5i_timing_intervals(&timing), 5);
    check_moment(&timing, 0.9, 4, 0, 0.5);
    // A clip that does not loop has no interval there.
    const md5_timing once = timing_of(5, MD5_PERIOD_OPEN, MD5_PLAY_ONCE);
    CHECK_UINT(md5i_timing_intervals(&once), 4);
}

TEST (once_holds_both_its_ends) {
    const md5_timing timing = timing_of(5, MD5_PERIOD_CLOSED, MD5_PLAY_ONCE);
    check_moment(&timing, 1.0, 4, 4, 0.0);
    check_moment(&timing, 7.0, 4, 4, 0.0);
    check_moment(&timing, -7.0, 0, 1, 0.0);
    md5_clock clock = md5i_clock_advance(&timing, md5i_clock_at(&timing, 7.0), -0.25);
    CHECK(md5_clock_time(clock) == 0.75);
    clock = md5i_clock_advance(&timing, clock, -2.0);
    CHECK(md5_clock_time(clock) == 0.0);
}

TEST (ping_pong_turns_at_both_ends) {
    const md5_timing timing = timing_of(5, MD5_PERIOD_CLOSED, MD5_PLAY_PING_PONG);
    CHECK_NEAR(md5i_timing_duration(&timing), 8.0 / 24.0, 1e-12);
    check_moment(&timing, 0.25, 2, 3, 0.0);
    check_moment(&timing, 0.5, 4, 4, 0.0);
    check_moment(&timing, 0.8125, 1, 2, 0.5);
    check_moment(&timing, 1.0, 0, 1, 0.0);
    CHECK(md5i_clock_moment(&timing, md5i_clock_at(&timing, 3.25), MD5_INTERPOLATE_LINEAR).cycle
          == 0);
}

TEST (a_clip_of_one_frame_has_a_duration_and_stands_still) {
    for (int mode = MD5_PLAY_LOOP; mode <= MD5_PLAY_PING_PONG; mode++) {
        const md5_timing timing = timing_of(1, MD5_PERIOD_OPEN, (md5_play_mode)mode);
        CHECK(md5i_timing_duration(&timing) > 0.0);
        check_moment(&timing, 0.4, 0, 0, 0.0);
    }
}

TEST (steps_hold_each_frame) {
    const md5_timing timing = timing_of(5, MD5_PERIOD_CLOSED, MD5_PLAY_LOOP);
    const md5_clock clock = md5i_clock_at(&timing, 0.7);
    const md5_moment moment = md5i_clock_moment(&timing, clock, MD5_INTERPOLATE_STEP);
    CHECK_UINT(moment.frame0, 2);
    CHECK_UINT(moment.frame1, 2);
    CHECK(moment.fraction == 0.0f);
}

TEST (what_is_not_finite_does_not_move_a_clock) {
    const md5_timing timing = timing_of(5, MD5_PERIOD_CLOSED, MD5_PLAY_LOOP);
    const md5_clock clock = md5i_clock_at(&timing, 0.3);
    CHECK(md5_clock_time(md5i_clock_advance(&timing, clock, (double)NAN)) == 0.3);
    CHECK(md5_clock_time(md5i_clock_advance(&timing, clock, (double)INFINITY)) == 0.3);
    CHECK(md5_clock_time(md5i_clock_at(&timing, (double)NAN)) == 0.0);
    // Far beyond what a double divides into frames there is still a phase.
    const md5_clock far = md5i_clock_at(&timing, -1e300);
    CHECK(far.phase >= 0.0 && far.phase < 1.0);
}

TEST (just_below_a_cycle_rounds_up_to_the_next) {
    const md5_timing timing = timing_of(5, MD5_PERIOD_CLOSED, MD5_PLAY_LOOP);
    const md5_clock clock = md5i_clock_at(&timing, -1e-20);
    CHECK(clock.cycle == 0 && clock.phase == 0.0);
    // And a fraction that a float cannot tell from the next frame is that frame.
    check_moment(&timing, 0.25 - 1e-13, 1, 2, 0.0);
    check_moment(&timing, 1.0 - 2e-9, 4, 4, 0.0);
    // Where the events of the next cycle have fired, it is the next cycle's first frame.
    check_moment(&timing, 1.0 - 1e-13, 0, 0, 0.0);
    const md5_clock end = md5i_clock_at(&timing, 3.0 - 1e-13);
    CHECK(md5i_clock_moment(&timing, end, MD5_INTERPOLATE_LINEAR).cycle == 3);
}

// That end is the first frame of the next cycle: with a root of the cycle before it would jump back
// by one cycle.
TEST (the_end_of_an_open_loop_belongs_to_the_next_cycle) {
    const md5_timing open = timing_of(5, MD5_PERIOD_OPEN, MD5_PLAY_LOOP);
    const md5_clock clock = md5i_clock_at(&open, 3.0 - 1e-13);
    const md5_moment moment = md5i_clock_moment(&open, clock, MD5_INTERPOLATE_LINEAR);
    CHECK_UINT(moment.frame0, 0);
    CHECK(moment.cycle == 3);
}

TEST (a_float_is_the_decimal_that_was_meant) {
    static const double times[] = {0.0, 0.3, 0.7, 0.1, -0.7, 1.5, 2.25, 12.345, 1.0 / 3.0, 1e-3};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        CHECK_NEAR(md5i_decimal_of((float)times[i]), times[i], i == 8 ? 2e-8 : 0.0);
    CHECK(md5i_decimal_of(1e30f) == (double)1e30f);
    CHECK(md5i_decimal_of(1e-30f) == (double)1e-30f);
    CHECK(md5i_decimal_of(16777217.0f) == 16777216.0);
}

TEST (a_time_near_a_frame_snaps_to_it) {
    const md5_timing loop = timing_of(5, MD5_PERIOD_CLOSED, MD5_PLAY_LOOP);
    const md5_timing once = timing_of(5, MD5_PERIOD_CLOSED, MD5_PLAY_ONCE);
    CHECK(md5_clock_time(md5i_clock_snap(&loop, md5i_clock_at(&loop, 0.25 + 1e-8), 1e-7)) == 0.25);
    CHECK(md5_clock_time(md5i_clock_snap(&loop, md5i_clock_at(&loop, 3.0 - 1e-8), 1e-7)) == 3.0);
    CHECK(md5_clock_time(md5i_clock_snap(&once, md5i_clock_at(&once, 1.0 - 1e-8), 1e-7)) == 1.0);
    CHECK(md5_clock_time(md5i_clock_snap(&loop, md5i_clock_at(&loop, 0.26), 1e-7)) == 0.26);
    // With 100 million frames every time is near a frame: only whole cycles count.
    const md5_timing many = timing_of(100000000, MD5_PERIOD_CLOSED, MD5_PLAY_LOOP);
    CHECK(md5_clock_time(md5i_clock_snap(&many, md5i_clock_at(&many, 0.123), 1e-7)) == 0.123);
    CHECK(md5_clock_time(md5i_clock_snap(&many, md5i_clock_at(&many, 1.0 - 1e-8), 1e-7)) == 1.0);
}

TEST (days_of_small_steps_lose_nothing_that_shows) {
    const md5_timing timing = timing_of(25, MD5_PERIOD_CLOSED, MD5_PLAY_LOOP);
    const double duration = md5i_timing_duration(&timing);
    md5_clock clock = {0};
    const uint32_t steps = 2000000;
    for (uint32_t i = 0; i < steps; i++)
        clock = md5i_clock_advance(&timing, clock, 0.1 / duration);
    CHECK_NEAR(md5_clock_time(clock), steps * 0.1 / duration, 1e-6);
}
