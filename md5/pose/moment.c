#include "md5/pose/moment.h"

#include <float.h>
#include <math.h>

// A position on the endless sequence of frames.
typedef struct frame_position {
    uint32_t frame; // within its cycle
    float fraction; // 0 <= fraction < 1
    int64_t cycle;
} frame_position;

// Converts time to frames. Clamps to the largest double; NaN becomes 0.
static double position_at(double time, double frame_rate)
{
    if (isinf(time))
        time = copysign(DBL_MAX, time);
    const double position = time * frame_rate;
    if (isinf(position))
        return copysign(DBL_MAX, position);
    return isnan(position) ? 0.0 : position;
}

// Positions that fit into an int64 are divided as integers, exactly.
static frame_position wrap_near(double position, int64_t length)
{
    const double start = floor(position);
    float fraction = (float)(position - start);
    int64_t frame = (int64_t)start;
    // A fraction that rounds to 1 is the next frame's 0. Such fractions occur only far from the
    // limits of int64, so that the next frame cannot overflow.
    if (fraction >= 1.0f) {
        fraction = 0.0f;
        frame++;
    }
    int64_t cycle = frame / length;
    int64_t rest = frame % length;
    if (rest < 0) {
        rest += length;
        cycle--;
    }
    return (frame_position){(uint32_t)rest, fraction, cycle};
}

// Larger positions are whole frames. fmod is exact; the cycle has the precision of a double.
static frame_position wrap_far(double position, int64_t length)
{
    const double period = (double)length;
    double rest = fmod(position, period);
    if (rest < 0.0)
        rest += period;
    const double cycle = (position - rest) / period;
    frame_position wrapped = {.frame = (uint32_t)rest};
    if (cycle >= 0x1p63)
        wrapped.cycle = INT64_MAX;
    else if (cycle <= -0x1p63)
        wrapped.cycle = INT64_MIN;
    else
        wrapped.cycle = (int64_t)cycle;
    return wrapped;
}

static frame_position wrap_position(double position, uint32_t length)
{
    if (fabs(position) <= 0x1p62)
        return wrap_near(position, (int64_t)length);
    return wrap_far(position, (int64_t)length);
}

static md5_moment clamped_moment(double position, uint32_t last)
{
    const md5_moment end = {.frame0 = last, .frame1 = last, .wrap = MD5_WRAP_CLAMP};
    if (!(position < (double)last))
        return end;
    const frame_position wrapped = wrap_position(position > 0.0 ? position : 0.0, last);
    // The fraction may have rounded up to the end.
    if (wrapped.cycle > 0)
        return end;
    return (md5_moment){
        .frame0 = wrapped.frame,
        .frame1 = wrapped.frame + 1,
        .fraction = wrapped.fraction,
        .wrap = MD5_WRAP_CLAMP,
    };
}

md5_moment md5i_moment_in(uint32_t num_frames, double frame_rate, double time, md5_wrap wrap)
{
    const uint32_t last = num_frames - 1;
    if (last == 0)
        return (md5_moment){.wrap = wrap};

    const double position = position_at(time, frame_rate);
    if (wrap == MD5_WRAP_CLAMP)
        return clamped_moment(position, last);

    const uint32_t length = wrap == MD5_WRAP_CYCLE ? num_frames : last;
    const frame_position wrapped = wrap_position(position, length);
    return (md5_moment){
        .frame0 = wrapped.frame,
        .frame1 = wrapped.frame == last ? 0 : wrapped.frame + 1,
        .fraction = wrapped.fraction,
        .wrap = wrap,
        .cycle = wrapped.cycle,
    };
}

md5_moment md5_moment_at(const md5_anim *anim, double time, md5_wrap wrap)
{
    MD5_ASSERT(anim != NULL, "anim: not NULL");
    MD5_ASSERT((unsigned)wrap <= MD5_WRAP_CLAMP, "wrap: a md5_wrap");
    return md5i_moment_in(anim->num_frames, anim->frame_rate, time, wrap);
}

md5_moment md5_moment_from_frames(const md5_anim *anim, uint32_t frame0, uint32_t frame1,
                                  float fraction)
{
    MD5_ASSERT(anim != NULL, "anim: not NULL");
    const md5_moment moment = {.frame0 = frame0, .frame1 = frame1};
    md5_moment clamped = md5_clamp_moment(anim, &moment);
    if (fraction >= 1.0f) // a moment's fraction is below 1
        clamped.frame0 = clamped.frame1;
    else if (fraction > 0.0f)
        clamped.fraction = fraction;
    return clamped;
}
