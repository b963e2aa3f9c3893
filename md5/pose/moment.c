#include "md5/pose/moment.h"
#include "md5/pose/sampling.h"

md5_moment md5_moment_at(const md5_anim *anim, double time, md5_wrap wrap)
{
    MD5_ASSERT_ASSET(anim);
    MD5_ASSERT((unsigned)wrap <= MD5_WRAP_CLAMP, "wrap: a md5_wrap");
    const uint32_t last = anim->num_frames - 1;
    if (last == 0)
        return (md5_moment){.wrap = wrap};

    double position = time * anim->frame_rate;
    if (!(fabs(position) <= DBL_MAX)) { // clamps to the largest double; NaN becomes 0
        position = (isinf(time) ? copysign(DBL_MAX, time) : time) * anim->frame_rate;
        position = isnan(position) ? 0 : fmin(fmax(position, -DBL_MAX), DBL_MAX);
    }
    const md5_moment end = {.frame0 = last, .frame1 = last, .wrap = MD5_WRAP_CLAMP};
    if (wrap == MD5_WRAP_CLAMP && !(position < (double)last))
        return end;
    if (wrap == MD5_WRAP_CLAMP && position < 0)
        position = 0;

    // The frame within its cycle of so many, 0 <= fraction < 1, and the cycle.
    const int64_t length = wrap == MD5_WRAP_CYCLE ? anim->num_frames : last;
    int64_t frame, cycle;
    float fraction = 0;
    if (fabs(position) <= 0x1p62) {
        // Positions that fit into an int64 are divided as integers, exactly. No floor(), which
        // without SSE4 is four operations that the frames wait for. Adding 0 turns -0 into 0.
        frame = (int64_t)position;
        if ((double)frame > position)
            frame--;
        fraction = (float)(position - (double)frame + 0.0);
        // A fraction that rounds to 1 is the next frame's 0. Such fractions occur only far from the
        // limits of int64, so that the next frame cannot overflow.
        if (fraction >= 1) {
            fraction = 0;
            frame++;
        }
        cycle = frame / length;
        frame %= length;
        if (frame < 0) {
            frame += length;
            cycle--;
        }
    } else {
        // Larger positions are whole frames. fmod is exact; the cycle has the precision of a
        // double.
        const double period = (double)length;
        double rest = fmod(position, period);
        if (rest < 0)
            rest += period;
        const double cycles = (position - rest) / period;
        frame = (int64_t)rest;
        cycle = cycles >= 0x1p63 ? INT64_MAX : cycles <= -0x1p63 ? INT64_MIN : (int64_t)cycles;
    }
    // Clamped, the fraction may have rounded up to the end.
    if (wrap == MD5_WRAP_CLAMP && cycle > 0)
        return end;
    return (md5_moment){
        .frame0 = (uint32_t)frame,
        .frame1 = frame == (int64_t)last ? 0 : (uint32_t)frame + 1,
        .fraction = fraction,
        .wrap = wrap,
        .cycle = cycle,
    };
}

md5_moment md5_moment_from_frames(const md5_anim *anim, uint32_t frame0, uint32_t frame1,
                                  float fraction)
{
    MD5_ASSERT_ASSET(anim);
    md5_moment moment = {.frame0 = frame0, .frame1 = frame1};
    md5_clamp_moment(anim, &moment);
    if (fraction >= 1) // a moment's fraction is below 1
        moment.frame0 = moment.frame1;
    else if (fraction > 0)
        moment.fraction = fraction;
    return moment;
}

// == The root ====================================================================================

static md5_vec3 root_of_frame(const md5_anim *anim, uint32_t frame)
{
    // The list ascends: joint 0 comes first if it is in it.
    const bool moves = anim->num_translations > 0 && anim->translation_joints[0] == 0;
    return moves ? md5_frame_translation(anim, frame, 0) : anim->constant[0].translation;
}

// The interval from the last frame into the first, which only MD5_WRAP_CYCLE has. The character has
// reached the end of its displacement and does not move: the first frame belongs to the next cycle.
static bool ends_cycle(const md5_moment *moment)
{
    return moment->frame1 < moment->frame0;
}

md5_vec3 md5i_root_translation(const md5_anim *anim, const md5_moment *moment, md5_root root)
{
    if (root == MD5_ROOT_IN_PLACE)
        return anim->constant[0].translation;

    // id's engine subtracts the base frame's translation from every frame. The remainder in the
    // last frame is the displacement of a cycle.
    const md5_vec3 base = anim->base_frame[0].translation;
    const md5_vec3 displacement = md5_vec3_sub(root_of_frame(anim, anim->num_frames - 1), base);
    const md5_vec3 from = md5_vec3_sub(root_of_frame(anim, moment->frame0), base);
    md5_vec3 to = md5_vec3_sub(root_of_frame(anim, moment->frame1), base);
    if (ends_cycle(moment))
        to = md5_vec3_add(to, displacement);
    return md5_vec3_add(md5_vec3_lerp(from, to, moment->fraction),
                        md5_vec3_scale(displacement, (float)moment->cycle));
}

// One axis of the displacement from the start of a cycle to `moment`.
static double displacement_in_cycle(const md5_moment *moment, float from, float to,
                                    double cycle_length)
{
    const double start = (double)from;
    const double end = (double)to + (ends_cycle(moment) ? cycle_length : 0);
    return start + (end - start) * (double)moment->fraction;
}

// In double, so that the motions of many short intervals add up to that of the long one.
static float axis_motion(const md5_moment *from, const md5_moment *to, const float frames[4],
                         float first, float last)
{
    const double cycle_length = (double)last - (double)first;
    const double cycles = (double)to->cycle - (double)from->cycle;
    const double motion = displacement_in_cycle(to, frames[2], frames[3], cycle_length)
                          - displacement_in_cycle(from, frames[0], frames[1], cycle_length)
                          + cycles * cycle_length;
    return (float)fmax(-FLT_MAX, fmin(motion, FLT_MAX));
}

md5_vec3 md5_anim_root_motion(const md5_anim *anim, md5_moment from, md5_moment to)
{
    MD5_ASSERT_ASSET(anim);
    MD5_ASSERT_MOMENT(anim, from);
    MD5_ASSERT_MOMENT(anim, to);
    from.interpolation = to.interpolation = MD5_INTERPOLATE_LINEAR;
    md5_clamp_moment(anim, &from);
    md5_clamp_moment(anim, &to);
    const md5_vec3 a = root_of_frame(anim, from.frame0), b = root_of_frame(anim, from.frame1);
    const md5_vec3 c = root_of_frame(anim, to.frame0), d = root_of_frame(anim, to.frame1);
    const md5_vec3 first = root_of_frame(anim, 0), last = root_of_frame(anim, anim->num_frames - 1);
    const float x[] = {a.x, b.x, c.x, d.x}, y[] = {a.y, b.y, c.y, d.y}, z[] = {a.z, b.z, c.z, d.z};
    return (md5_vec3){
        axis_motion(&from, &to, x, first.x, last.x),
        axis_motion(&from, &to, y, first.y, last.y),
        axis_motion(&from, &to, z, first.z, last.z),
    };
}

md5_bounds md5_anim_bounds(const md5_anim *anim, md5_moment moment, md5_root root)
{
    MD5_ASSERT_ASSET(anim);
    MD5_ASSERT((unsigned)root <= MD5_ROOT_IN_PLACE, "root: a md5_root");
    if (!anim->frame_bounds)
        return md5_bounds_from_points(NULL, 0);
    MD5_ASSERT_MOMENT(anim, moment);
    md5_clamp_moment(anim, &moment);
    const md5_bounds both =
        md5_bounds_union(anim->frame_bounds[moment.frame0], anim->frame_bounds[moment.frame1]);
    // Joint 0's translation as stored, interpolated between the frames of `moment`.
    const md5_vec3 stored = md5_vec3_lerp(root_of_frame(anim, moment.frame0),
                                          root_of_frame(anim, moment.frame1), moment.fraction);
    md5_vec3 moved = {0, 0, 0};
    if (root == MD5_ROOT_IN_PLACE)
        moved = md5_vec3_sub(anim->constant[0].translation, stored);
    if (root == MD5_ROOT_ID)
        moved = md5_vec3_sub(anim->base_frame[0].translation, stored);
    return (md5_bounds){md5_vec3_add(both.min, moved), md5_vec3_add(both.max, moved)};
}
