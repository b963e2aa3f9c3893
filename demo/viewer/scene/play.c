#include "demo/viewer/scene/play.h"

#include <math.h>

double view_cycle_length(const view_play *play, const md5_anim *anim)
{
    if (play->wrap == MD5_WRAP_CYCLE)
        return (double)anim->num_frames / anim->frame_rate;
    return anim->duration;
}

md5_moment view_moment(const view_play *play, const md5_anim *anim)
{
    md5_moment moment = md5_moment_at(anim, play->time, play->wrap);
    if (play->held_at_end) {
        const uint32_t last = anim->num_frames - 1;
        moment = (md5_moment){.frame0 = last, .frame1 = last, .cycle = moment.cycle};
    }
    return moment;
}

double view_frame_place(const view_play *play, const md5_anim *anim)
{
    const md5_moment moment = view_moment(play, anim);
    return (double)moment.frame0 + (double)moment.fraction;
}

double view_cycle_time(const view_play *play, const md5_anim *anim)
{
    return view_frame_place(play, anim) / anim->frame_rate;
}

void view_advance(view_play *play, const md5_anim *anim, double seconds)
{
    if (!play->playing)
        return;
    play->held_at_end = false;
    play->time += seconds * play->speed * (play->backward ? -1.0 : 1.0);
    if (play->wrap != MD5_WRAP_CLAMP || anim == NULL)
        return;
    const double end = play->backward ? 0.0 : anim->duration;
    if (play->backward ? play->time <= end : play->time >= end) {
        play->time = end;
        play->playing = false;
    }
}

void view_seek(view_play *play, const md5_anim *anim, double seconds)
{
    play->playing = false;
    play->held_at_end = false;
    if (anim == NULL)
        return;
    const double length = view_cycle_length(play, anim);
    // Keeps the current cycle, since the root may have moved far in earlier ones.
    const double begin = (double)view_moment(play, anim).cycle * length;
    const double position = fmin(fmax(seconds, 0.0), length);
    play->time = play->wrap == MD5_WRAP_CLAMP ? position : begin + position;
    // The time of the last frame of a loop already belongs to the next cycle: stay in this one.
    if (play->wrap == MD5_WRAP_LOOP && position >= anim->duration && anim->num_frames > 1) {
        play->held_at_end = true;
        play->time = begin + anim->duration * (1.0 - 1e-9);
    } else if (play->wrap == MD5_WRAP_CYCLE && position >= length) {
        play->time = begin + length * (1.0 - 1e-9);
    }
}

void view_step(view_play *play, const md5_anim *anim, int step)
{
    play->playing = false;
    if (anim == NULL || anim->num_frames < 2)
        return;
    const double position = view_frame_place(play, anim), nearest = round(position);
    const double last = (double)(anim->num_frames - 1);
    double next = step > 0 ? floor(position) + 1.0 : ceil(position) - 1.0;
    // The time of a whole frame converts back to a frame only up to rounding error.
    if (fabs(position - nearest) < 1e-4)
        next = nearest + (double)step;
    if (play->wrap != MD5_WRAP_CLAMP && next > last)
        next = 0.0;
    if (play->wrap != MD5_WRAP_CLAMP && next < 0.0)
        next = last;
    view_seek(play, anim, next / anim->frame_rate);
}

void view_toggle_play(view_play *play, const md5_anim *anim)
{
    play->playing = !play->playing;
    play->held_at_end = false;
    if (!play->playing || anim == NULL || play->wrap != MD5_WRAP_CLAMP)
        return;
    if (!play->backward && play->time >= anim->duration)
        play->time = 0.0;
    else if (play->backward && play->time <= 0.0)
        play->time = anim->duration;
}

void view_change_speed(view_play *play, int step)
{
    const double speed = step > 0 ? play->speed * 2.0 : play->speed * 0.5;
    play->speed = fmin(fmax(speed, 1.0 / 16.0), 16.0);
}

const char *view_wrap_name(md5_wrap wrap)
{
    static const char *const names[] = {"loop", "cycle", "once"};
    return names[wrap];
}
