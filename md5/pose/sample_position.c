// Converts time to frames, computes root motion, and reads the bounds of frames from the clip.
#include "md5/pose/sample_position.h"
#include "md5/core/math.h"
#include "md5/pose/tracks.h"

// Converts a number to an integer. Numbers beyond the range of int64_t become its nearest limit,
// because their conversion is undefined in C.
static int64_t clamp_to_int64(double value)
{
    if (value >= 0x1p63)
        return INT64_MAX;
    if (value <= -0x1p63)
        return INT64_MIN;
    return (int64_t)value;
}

// Returns time * frame_rate, limited to the range of a double. NaN becomes 0.
static double position_in_frames(double time, double frame_rate)
{
    const double position = time * frame_rate;
    if (fabs(position) <= DBL_MAX)
        return position;
    const double finite_time = isinf(time) ? copysign(DBL_MAX, time) : time;
    const double limited = finite_time * frame_rate;
    return isnan(limited) ? 0 : fmin(fmax(limited, -DBL_MAX), DBL_MAX);
}

// A position in frames, divided into the number of the cycle, a frame of the cycle, and a fraction
// of a frame.
typedef struct cycle_position {
    int64_t cycle;
    int64_t frame;  // 0 to the length of a cycle - 1
    float fraction; // 0 <= fraction < 1
} cycle_position;

// Divides a position of at most 2^62 frames into cycles of `length` frames. The cycle and the frame
// are exact, because the division is an integer division. floor() is avoided because it takes four
// operations without SSE4, and everything else waits for its result.
static inline cycle_position divide_position(double position, int64_t length)
{
    int64_t frame = (int64_t)position;
    if ((double)frame > position)
        frame--;
    float fraction = (float)(position - (double)frame + 0.0); // + 0.0 turns -0 into 0

    // A fraction that rounds to 1 becomes fraction 0 of the next frame. Only small positions have
    // such fractions, so `frame` cannot overflow.
    if (fraction >= 1) {
        fraction = 0;
        frame++;
    }

    cycle_position result = {frame / length, frame % length, fraction};
    if (result.frame < 0) {
        result.frame += length;
        result.cycle--;
    }
    return result;
}

// Divides a position of more than 2^62 frames into cycles. Such a large double has no fraction.
// fmod() gives the exact frame, but the number of the cycle is rounded to the precision of a
// double.
static cycle_position divide_large_position(double position, int64_t length)
{
    const double period = (double)length;
    double remainder = fmod(position, period);
    if (remainder < 0)
        remainder += period;
    return (cycle_position){clamp_to_int64((position - remainder) / period), (int64_t)remainder, 0};
}

// Converts a time in seconds to a sample position: the two frames around it and the fraction
// between them. `wrap` selects whether a time outside of the clip repeats the clip or is clamped.
md5_sample_position md5_sample_position_at(const md5_anim *anim, double time, md5_wrap wrap)
{
    MD5_ASSERT_ALIVE(anim, MD5_TAG_ANIM);
    MD5_ASSERT((unsigned)wrap <= MD5_WRAP_CLAMP, "wrap: must be a value of md5_wrap");
    const uint32_t last = anim->num_frames - 1;
    if (last == 0)
        return (md5_sample_position){.wrap = wrap};

    const bool is_clamped = wrap == MD5_WRAP_CLAMP;
    const double requested = position_in_frames(time, anim->frame_rate);
    const md5_sample_position end = {.frame0 = last, .frame1 = last, .wrap = MD5_WRAP_CLAMP};
    if (is_clamped && !(requested < (double)last))
        return end;

    // A cycle is one frame interval longer than a loop. It ends with the interval from the last
    // frame back to the first. A loop ends at the last frame, which equals the first.
    const double position = is_clamped && requested < 0 ? 0 : requested;
    const int64_t length = wrap == MD5_WRAP_CYCLE ? anim->num_frames : last;
    const cycle_position divided = fabs(position) <= 0x1p62
                                       ? divide_position(position, length)
                                       : divide_large_position(position, length);
    // A clamped position cannot be in a later cycle. If rounding has moved it there, it is at the
    // end.
    if (is_clamped && divided.cycle > 0)
        return end;
    const uint32_t frame = (uint32_t)divided.frame;
    return (md5_sample_position){
        .frame0 = frame,
        .frame1 = frame == last ? 0 : frame + 1,
        .fraction = divided.fraction,
        .wrap = wrap,
        .cycle = divided.cycle,
    };
}

// Returns the sample position between two given frames. Clamps the frames to the clip and the
// fraction to 0..1.
md5_sample_position md5_sample_position_from_frames(const md5_anim *anim, uint32_t frame0,
                                                    uint32_t frame1, float fraction)
{
    MD5_ASSERT_ALIVE(anim, MD5_TAG_ANIM);
    md5_sample_position sample = {.frame0 = frame0, .frame1 = frame1};
    md5_clamp_sample_position(anim, &sample);
    if (fraction >= 1) // a sample position requires a fraction below 1
        sample.frame0 = sample.frame1;
    else if (fraction > 0)
        sample.fraction = fraction;
    return sample;
}

// == The root ====================================================================================

// Returns true in the interval from the last frame to the first frame, which exists only with
// MD5_WRAP_CYCLE. The root stands still in this interval. Its displacement is already complete at
// the last frame, and the first frame belongs to the next cycle.
static bool ends_cycle(const md5_sample_position *sample)
{
    return sample->frame1 < sample->frame0;
}

// Returns the translation of joint 0 at a sample position, for the root modes MD5_ROOT_ID and
// MD5_ROOT_IN_PLACE.
md5_vec3 md5i_root_translation(const md5_anim *anim, const md5_sample_position *sample,
                               md5_root root)
{
    if (root == MD5_ROOT_IN_PLACE)
        return anim->constant[0].translation;

    const uint32_t frames[3] = {sample->frame0, sample->frame1, anim->num_frames - 1};
    md5_vec3 roots[3];
    md5i_read_root(anim, frames, 3, roots);

    // id's engine subtracts the translation of the base frame from every frame. The difference of
    // the last frame is the displacement of one cycle.
    const md5_vec3 base = anim->base_frame[0].translation;
    const md5_vec3 from = md5_vec3_sub(roots[0], base);
    md5_vec3 to = md5_vec3_sub(roots[1], base);
    const md5_vec3 cycle_displacement = md5_vec3_sub(roots[2], base);

    if (ends_cycle(sample)) // the next frame is the first frame of the next cycle
        to = md5_vec3_add(to, cycle_displacement);
    const md5_vec3 in_cycle = md5_vec3_lerp(from, to, sample->fraction);
    return md5_vec3_add(in_cycle, md5_vec3_scale(cycle_displacement, (float)sample->cycle));
}

// Returns the displacement along one axis from the start of a cycle to `sample`. `from` and `to`
// are the root's positions in the two frames of `sample`.
static double displacement_in_cycle(const md5_sample_position *sample, float from, float to,
                                    double cycle_length)
{
    const double start = (double)from;
    const double end = (double)to + (ends_cycle(sample) ? cycle_length : 0);
    return start + (end - start) * (double)sample->fraction;
}

// The root's position along one axis, in all frames that its motion between two sample positions
// depends on.
typedef struct axis_frames {
    float from[2]; // frame0 and frame1 of the start of the motion
    float to[2];   // frame0 and frame1 of its end
    float first;   // first frame of the clip
    float last;    // last frame of the clip
} axis_frames;

// Returns the motion of the root along one axis between two sample positions. It is computed in
// double, so that the motions of many short intervals add up to the motion of the whole interval.
static float axis_motion(const md5_sample_position *from, const md5_sample_position *to,
                         axis_frames axis)
{
    const double cycle_length = (double)axis.last - (double)axis.first;
    const double cycles = (double)to->cycle - (double)from->cycle;
    const double motion = displacement_in_cycle(to, axis.to[0], axis.to[1], cycle_length)
                          - displacement_in_cycle(from, axis.from[0], axis.from[1], cycle_length)
                          + cycles * cycle_length;
    return (float)fmax(-FLT_MAX, fmin(motion, FLT_MAX));
}

// Returns the displacement of the root between two sample positions, which may be any number of
// cycles apart.
md5_vec3 md5_anim_root_motion(const md5_anim *anim, md5_sample_position from,
                              md5_sample_position to)
{
    MD5_ASSERT_ALIVE(anim, MD5_TAG_ANIM);
    MD5_ASSERT_SAMPLE_POSITION(anim, from);
    MD5_ASSERT_SAMPLE_POSITION(anim, to);

    from.interpolation = to.interpolation = MD5_INTERPOLATE_LINEAR;
    md5_clamp_sample_position(anim, &from);
    md5_clamp_sample_position(anim, &to);

    // Frames of `from`, frames of `to`, then the first and the last frame of the clip.
    const uint32_t frames[6] = {from.frame0, from.frame1, to.frame0,
                                to.frame1,   0,           anim->num_frames - 1};
    md5_vec3 roots[6];
    md5i_read_root(anim, frames, 6, roots);

    const axis_frames x = {
        {roots[0].x, roots[1].x}, {roots[2].x, roots[3].x}, roots[4].x, roots[5].x};
    const axis_frames y = {
        {roots[0].y, roots[1].y}, {roots[2].y, roots[3].y}, roots[4].y, roots[5].y};
    const axis_frames z = {
        {roots[0].z, roots[1].z}, {roots[2].z, roots[3].z}, roots[4].z, roots[5].z};
    return (md5_vec3){
        axis_motion(&from, &to, x),
        axis_motion(&from, &to, y),
        axis_motion(&from, &to, z),
    };
}

// Returns the bounds at a sample position, from those that the file stores. The result is the union
// of the bounds of both frames, moved with the root. It is empty if the file has no bounds.
md5_bounds md5_anim_bounds(const md5_anim *anim, md5_sample_position sample, md5_root root)
{
    MD5_ASSERT_ALIVE(anim, MD5_TAG_ANIM);
    MD5_ASSERT((unsigned)root <= MD5_ROOT_IN_PLACE, "root: must be a value of md5_root");

    if (!anim->frame_bounds)
        return md5_bounds_from_points(NULL, 0);
    MD5_ASSERT_SAMPLE_POSITION(anim, sample);
    md5_clamp_sample_position(anim, &sample);

    const md5_bounds both =
        md5_bounds_union(anim->frame_bounds[sample.frame0], anim->frame_bounds[sample.frame1]);

    // The file stores the bounds of a character that moves with joint 0. If `root` removes this
    // motion from the pose, the bounds are moved back by it.
    const uint32_t frames[2] = {sample.frame0, sample.frame1};
    md5_vec3 roots[2];
    md5i_read_root(anim, frames, 2, roots);
    const md5_vec3 stored = md5_vec3_lerp(roots[0], roots[1], sample.fraction);

    md5_vec3 moved = {0, 0, 0};
    if (root == MD5_ROOT_IN_PLACE)
        moved = md5_vec3_sub(anim->constant[0].translation, stored);
    if (root == MD5_ROOT_ID)
        moved = md5_vec3_sub(anim->base_frame[0].translation, stored);
    return (md5_bounds){md5_vec3_add(both.min, moved), md5_vec3_add(both.max, moved)};
}
