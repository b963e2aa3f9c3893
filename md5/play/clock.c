#include "md5/play/clock.h"

#include <math.h>

// From here on a double has no place for the frames between whole cycles.
#define MAX_RATE 0x1p52

// A ping-pong cycle goes there and back; it turns at the last frame, whatever the period.
static bool turns(const md5_timing *timing)
{
    return timing->mode == MD5_PLAY_PING_PONG;
}

uint32_t md5i_timing_intervals(const md5_timing *timing)
{
    if (timing->num_frames == 1)
        return 1;
    const bool is_open = timing->period == MD5_PERIOD_OPEN && timing->mode == MD5_PLAY_LOOP;
    return is_open ? timing->num_frames : timing->num_frames - 1;
}

double md5i_timing_duration(const md5_timing *timing)
{
    const double delta = (double)md5i_timing_intervals(timing) / timing->frame_rate;
    return turns(timing) ? 2.0 * delta : delta;
}

// Beyond this many, one more or less makes no difference to anybody.
#define FARTHEST ((int64_t)1 << 62)

static int64_t add_cycles(int64_t cycle, int64_t more)
{
    const int64_t sum = cycle + more; // neither is so large that it could overflow
    return sum > FARTHEST ? FARTHEST : sum < -FARTHEST ? -FARTHEST : sum;
}

md5_clock md5i_clock_advance(const md5_timing *timing, md5_clock clock, double cycles)
{
    const double phase = clock.phase + cycles;
    if (phase >= 0.0 && phase < 1.0) // most often; the rest comes to the same, in a longer way
        return (md5_clock){clock.cycle, phase};
    if (!isfinite(cycles))
        return clock;
    if (timing->mode == MD5_PLAY_ONCE)
        return (md5_clock){.phase = fmin(fmax(phase, 0.0), 1.0)};
    const double limited = fmin(fmax(phase, -MAX_RATE), MAX_RATE);
    const double whole = floor(limited);
    double rest = limited - whole;
    int64_t cycle = add_cycles(clock.cycle, (int64_t)whole);
    // Just below a whole cycle the difference can round up to 1.
    if (rest >= 1.0) {
        rest = 0.0;
        cycle++;
    }
    return (md5_clock){cycle, rest};
}

double md5i_decimal_of(float time)
{
    double scale = 1.0;
    for (int digits = 0; digits < 8 && fabsf(time) <= 1e6f; digits++) {
        const double decimal = floor((double)time * scale + 0.5) / scale;
        if ((float)decimal == time)
            return decimal;
        scale *= 10.0;
    }
    return (double)time;
}

md5_clock md5i_clock_at(const md5_timing *timing, double time)
{
    return md5i_clock_advance(timing, (md5_clock){0}, time);
}

md5_clock md5i_clock_shift(const md5_timing *timing, md5_clock clock, double cycles)
{
    const md5_clock moved = {clock.cycle, clock.phase + cycles};
    if (timing->mode == MD5_PLAY_ONCE)
        return moved;
    if (moved.phase < 0.0)
        return (md5_clock){moved.cycle - 1, moved.phase + 1.0};
    if (moved.phase >= 1.0)
        return (md5_clock){moved.cycle + 1, moved.phase - 1.0};
    return moved;
}

md5_clock md5i_clock_snap(const md5_timing *timing, md5_clock clock, double most)
{
    double frames = (double)md5i_timing_intervals(timing) * (turns(timing) ? 2.0 : 1.0);
    if (most * frames > 0.25) // so many that any time is near one: whole cycles only
        frames = 1.0;
    const double frame = floor(clock.phase * frames + 0.5);
    if (!(fabs(clock.phase * frames - frame) <= most * frames))
        return clock;
    if (frame < frames || timing->mode == MD5_PLAY_ONCE)
        return (md5_clock){clock.cycle, frame / frames};
    return (md5_clock){clock.cycle + 1, 0.0};
}

double md5i_clock_frame(const md5_timing *timing, md5_clock clock)
{
    const double intervals = (double)md5i_timing_intervals(timing);
    if (!turns(timing))
        return clock.phase * intervals;
    return (clock.phase <= 0.5 ? clock.phase : 1.0 - clock.phase) * 2.0 * intervals;
}

md5_moment md5i_clock_moment(const md5_timing *timing, md5_clock clock,
                             md5_interpolation interpolation)
{
    const uint32_t last = timing->num_frames - 1;
    const bool loops = timing->mode == MD5_PLAY_LOOP;
    md5_moment moment = {
        .wrap = !loops                              ? MD5_WRAP_CLAMP
                : timing->period == MD5_PERIOD_OPEN ? MD5_WRAP_CYCLE
                                                    : MD5_WRAP_LOOP,
        .interpolation = interpolation,
        .cycle = loops ? clock.cycle : 0,
    };
    if (loops && clock.phase >= 1.0 - MD5_BORDER) {
        moment.cycle++;
        return moment;
    }
    const double position = md5i_clock_frame(timing, clock);
    uint32_t frame = (uint32_t)position; // not below 0
    float fraction = (float)(position - (double)frame);
    if (fraction >= 1.0f) {
        fraction = 0.0f;
        frame++;
    }
    // The end of a way: of a clip of one frame, of one that is played once, or by rounding.
    const uint32_t end = timing->num_frames == 1 ? 0 : md5i_timing_intervals(timing);
    if (frame >= end) {
        // With MD5_PERIOD_OPEN that is the first frame of the next cycle, which the root has come
        // to.
        const bool is_next = end > last;
        moment.frame0 = moment.frame1 = end == 0 || is_next ? 0 : last;
        moment.cycle += is_next;
        return moment;
    }
    moment.frame0 = moment.frame1 = frame;
    if (interpolation == MD5_INTERPOLATE_STEP)
        return moment;
    moment.frame1 = frame == last ? 0 : frame + 1;
    moment.fraction = fraction;
    return moment;
}
