#include "md5/pose/moment.h"

#include <float.h>
#include <math.h>

// A place on the endless strip of frames: a whole frame, and the way to the next.
typedef struct strip_place {
    uint32_t frame; // within its cycle
    float fraction; // 0 <= fraction < 1
    int64_t cycle;
} strip_place;

// In frames. Products past the largest double count as that.
static double position_at(double time, double frame_rate)
{
    if (isinf(time))
        time = copysign(DBL_MAX, time);
    const double position = time * frame_rate;
    if (isinf(position))
        return copysign(DBL_MAX, position);
    return isnan(position) ? 0.0 : position;
}

// Positions that an int64 holds are divided as integers, exactly.
static strip_place place_near(double position, int64_t length)
{
    const double start = floor(position);
    float fraction = (float)(position - start);
    int64_t frame = (int64_t)start;
    // A fraction that rounds to 1 is the next frame's 0. One this large only occurs where
    // frames are far from the end of int64.
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
    return (strip_place){(uint32_t)rest, fraction, cycle};
}

// Positions beyond are whole frames. fmod is exact; the cycle has the precision of a double.
static strip_place place_far(double position, int64_t length)
{
    const double whole = (double)length;
    double rest = fmod(position, whole);
    if (rest < 0.0)
        rest += whole;
    const double cycle = (position - rest) / whole;
    strip_place place = {.frame = (uint32_t)rest};
    if (cycle >= 0x1p63)
        place.cycle = INT64_MAX;
    else if (cycle <= -0x1p63)
        place.cycle = INT64_MIN;
    else
        place.cycle = (int64_t)cycle;
    return place;
}

static strip_place place_on_strip(double position, uint32_t length)
{
    if (fabs(position) <= 0x1p62)
        return place_near(position, (int64_t)length);
    return place_far(position, (int64_t)length);
}

static md5_moment clamped_moment(double position, uint32_t last)
{
    if (!(position < (double)last))
        return (md5_moment){.frame0 = last, .frame1 = last};
    const strip_place place = place_on_strip(position > 0.0 ? position : 0.0, last);
    // The last fraction before the end may have rounded up to it.
    if (place.cycle > 0)
        return (md5_moment){.frame0 = last, .frame1 = last};
    return (md5_moment){
        .frame0 = place.frame,
        .frame1 = place.frame + 1,
        .fraction = place.fraction,
    };
}

md5_moment md5_moment_in(uint32_t num_frames, double frame_rate, double time, md5_wrap wrap)
{
    const uint32_t last = num_frames - 1;
    if (last == 0)
        return (md5_moment){0};

    const double position = position_at(time, frame_rate);
    if (wrap == MD5_WRAP_CLAMP)
        return clamped_moment(position, last);

    const uint32_t length = wrap == MD5_WRAP_CYCLE ? num_frames : last;
    const strip_place place = place_on_strip(position, length);
    return (md5_moment){
        .frame0 = place.frame,
        .frame1 = place.frame == last ? 0 : place.frame + 1,
        .fraction = place.fraction,
        .cycle = place.cycle,
    };
}

md5_moment md5_moment_at(const md5_anim *anim, double time, md5_wrap wrap)
{
    MD5_ASSERT(anim != NULL, "anim: not NULL");
    MD5_ASSERT((unsigned)wrap <= MD5_WRAP_CLAMP, "wrap: a md5_wrap");
    return md5_moment_in(anim->num_frames, anim->frame_rate, time, wrap);
}
