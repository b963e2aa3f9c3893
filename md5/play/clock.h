// The time of one clip, in cycles: loops, ends and ping-pong, at any speed, exact over days.
#ifndef MD5_PLAY_CLOCK_H
#define MD5_PLAY_CLOCK_H

#include "md5/md5play.h"

// The properties of a clip that its time depends on.
typedef struct md5_timing {
    uint32_t num_frames; // >= 1
    double frame_rate;   // frames a second, > 0
    md5_period period;
    md5_play_mode mode;
} md5_timing;

// Whole cycles, and the fraction of the current one. They are separate so that the fraction has the
// same precision after a week as at the start. 0 <= phase < 1, except with MD5_PLAY_ONCE, where
// cycle is 0 and phase 1 is the end.
typedef struct md5_clock {
    int64_t cycle;
    double phase;
} md5_clock;

// Intervals between frames in one pass through the clip; at least 1, so that a clip of one frame
// has a duration.
uint32_t md5i_timing_intervals(const md5_timing *timing);

// Seconds of one cycle, > 0.
double md5i_timing_duration(const md5_timing *timing);

// The clock at a normalised time, which counts cycles. Not finite counts as 0.
md5_clock md5i_clock_at(const md5_timing *timing, double time);
static inline double md5_clock_time(md5_clock clock)
{
    return (double)clock.cycle + clock.phase;
}

// The shortest decimal that is read as this float: 0.3 for 0.3f, which is 1e-8 above it. Times in
// tables are floats, and frames lie where they are meant, not where floats round to. Of numbers
// that are no short decimal, and beyond 1e6, the float itself.
double md5i_decimal_of(float time);

// The clock after `cycles` more, which may be negative; not finite counts as 0. Beyond 2^62 cycles
// they are no longer counted.
md5_clock md5i_clock_advance(const md5_timing *timing, md5_clock clock, double cycles);

// Times that are nearer than this, in cycles, are equal: far more than rounding errors, far less
// than a frame.
#define MD5_BORDER 1e-9

// A clock moved by less than a cycle, for comparing only: ONCE may come to lie beyond its ends.
md5_clock md5i_clock_shift(const md5_timing *timing, md5_clock clock, double cycles);

// Cycles from one clock to another.
static inline double md5_clock_between(md5_clock from, md5_clock to)
{
    return (double)(to.cycle - from.cycle) + (to.phase - from.phase);
}

// Whether both are where the same cycle ends and the next one begins.
static inline bool md5_clock_stays_whole(md5_clock from, md5_clock to)
{
    const bool is_whole = from.phase <= MD5_BORDER || from.phase >= 1.0 - MD5_BORDER;
    const double delta = md5_clock_between(from, to);
    return is_whole && delta <= 2.0 * MD5_BORDER && delta >= -2.0 * MD5_BORDER
           && (to.phase <= MD5_BORDER || to.phase >= 1.0 - MD5_BORDER);
}

// The nearest frame, if the clock is not farther than `most` cycles from it. This restores the
// frame of a time that was given as a float.
md5_clock md5i_clock_snap(const md5_timing *timing, md5_clock clock, double most);

// The position in the clip, in frames: 0 .. intervals.
double md5i_clock_frame(const md5_timing *timing, md5_clock clock);

// The sample position. With MD5_PLAY_LOOP `cycle` is the clock's; where the next one begins, to
// within MD5_BORDER, it is at that one's first frame, as the events are.
md5_moment md5i_clock_moment(const md5_timing *timing, md5_clock clock,
                             md5_interpolation interpolation);

#endif
