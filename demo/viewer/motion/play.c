// Playback time of a clip with its range, and positions in camera paths; see play.h.
#include "demo/viewer/motion/play.h"

#include "demo/common/file.h"
#include "demo/common/memory.h"

char *view_push_event(view_event events[VIEW_EVENTS], double time)
{
    memmove(&events[1], &events[0], (VIEW_EVENTS - 1) * sizeof *events);
    events[0].time = time;
    return events[0].text;
}

double view_cycle_length(const view_play *play, const md5_anim *anim)
{
    if (play->wrap == MD5_WRAP_CYCLE)
        return anim->num_frames / anim->frame_rate;
    return anim->duration;
}

md5_sample_position view_sample_position(const view_play *play, const md5_anim *anim)
{
    md5_sample_position sample = md5_sample_position_at(anim, play->time, play->wrap);
    if (play->held_at_end) {
        const uint32_t last = anim->num_frames - 1;
        sample = (md5_sample_position){.frame0 = last, .frame1 = last, .cycle = sample.cycle};
    }
    return sample;
}

double view_frame_position(const view_play *play, const md5_anim *anim)
{
    const md5_sample_position sample = view_sample_position(play, anim);
    return sample.frame0 + (double)sample.fraction;
}

double view_cycle_time(const view_play *play, const md5_anim *anim)
{
    return view_frame_position(play, anim) / anim->frame_rate;
}

bool view_find_range(const view_play *play, const md5_anim *anim, double *begin, double *end)
{
    if (anim == NULL || play->range_last <= play->range_first
        || play->range_first + 1 >= anim->num_frames)
        return false;
    *begin = play->range_first / anim->frame_rate;
    *end = fmin(play->range_last, anim->num_frames - 1) / anim->frame_rate;
    return true;
}

bool view_set_range(view_play *play, const md5_anim *anim, bool end)
{
    if (anim == NULL || anim->num_frames < 2)
        return false;
    const uint32_t last = anim->num_frames - 1;
    const uint32_t frame = (uint32_t)fmin(round(view_frame_position(play, anim)), last);
    const bool is_set = play->range_last > play->range_first;
    uint32_t range_first = 0;
    uint32_t range_last = last;
    if (end) {
        range_last = frame;
        if (is_set && play->range_first < frame)
            range_first = play->range_first;
    } else {
        range_first = frame;
        if (is_set && play->range_last > frame)
            range_last = play->range_last;
    }
    if (range_last <= range_first)
        return false;
    play->range_first = range_first;
    play->range_last = range_last;
    return true;
}

void view_advance(view_play *play, const md5_anim *anim, double seconds)
{
    double first, last;
    if (!play->playing)
        return;
    play->held_at_end = false;
    const double delta = seconds * play->speed * (play->backward ? -1 : 1);
    if (view_find_range(play, anim, &first, &last)) {
        const double length = view_cycle_length(play, anim);
        const double from = play->wrap == MD5_WRAP_CLAMP ? 0 : floor(play->time / length) * length;
        const double place = play->time - from;
        const bool is_inside = place >= first && place <= last;
        double start = play->backward ? last : first;
        if (is_inside)
            start = place;
        // A time that has passed an end of the range wraps around, or stops at that end if the clip
        // plays once.
        double next = start + delta;
        if (!(next >= first && next < last) && play->wrap == MD5_WRAP_CLAMP) {
            play->playing = false;
            next = next < first ? first : last;
        } else if (!(next >= first && next < last)) {
            const double over = fmod(next - first, last - first);
            next = first + (over < 0 ? over + last - first : over);
        }
        play->time = from + next;
        return;
    }
    play->time += delta;
    if (play->wrap != MD5_WRAP_CLAMP || anim == NULL)
        return;
    const double end = play->backward ? 0 : anim->duration;
    if (play->backward ? play->time <= end : play->time >= end) {
        play->time = end;
        play->playing = false;
    }
}

uint32_t view_count_images(const view_play *play, const md5_anim *anim, double rate)
{
    const double max_images = 1e6;
    double first = 0;
    double last = 0;
    if (anim == NULL || !(play->speed > 0))
        return 1;
    const double length = view_find_range(play, anim, &first, &last)
                              ? last - first + 1.0 / anim->frame_rate
                              : view_cycle_length(play, anim);
    return (uint32_t)fmin(fmax(round(length / play->speed * rate), 1), max_images);
}

void view_seek(view_play *play, const md5_anim *anim, double seconds)
{
    play->playing = false;
    play->held_at_end = false;
    if (anim == NULL)
        return;
    const double length = view_cycle_length(play, anim);
    // Keep the current cycle, because the root may have moved far in earlier cycles.
    const double begin = (double)view_sample_position(play, anim).cycle * length;
    const double position = fmin(fmax(seconds, 0), length);
    play->time = play->wrap == MD5_WRAP_CLAMP ? position : begin + position;
    // The time of the last frame of a loop already belongs to the next cycle; remain in the current
    // cycle.
    if (play->wrap == MD5_WRAP_LOOP && position >= anim->duration && anim->num_frames > 1) {
        play->held_at_end = true;
        play->time = begin + anim->duration * (1 - 1e-9);
    } else if (play->wrap == MD5_WRAP_CYCLE && position >= length) {
        play->time = begin + length * (1 - 1e-9);
    }
}

void view_toggle_play(view_play *play, const md5_anim *anim)
{
    play->playing = !play->playing;
    play->held_at_end = false;
    if (!play->playing || anim == NULL || play->wrap != MD5_WRAP_CLAMP)
        return;
    double begin = 0;
    double end = anim->duration;
    view_find_range(play, anim, &begin, &end);
    if (!play->backward && play->time >= end)
        play->time = begin;
    else if (play->backward && play->time <= begin)
        play->time = end;
}

const char *view_wrap_name(md5_wrap wrap)
{
    static const char *const names[] = {"loop", "cycle", "once"};
    return names[wrap];
}

// -- Camera paths --------------------------------------------------------------------------------

md5_camera_view view_camera_path_at(const view_camera_path *camera_path, const view_play *play)
{
    return md5_camera_at(camera_path->camera, play->time, play->wrap, camera_path->smoothing);
}

uint32_t view_camera_path_frame(const view_camera_path *camera_path, uint32_t played,
                                uint32_t *shot)
{
    const md5_camera *const camera = camera_path->camera;
    // Each cut that was passed removes one frame of the file, which no shot plays.
    while (*shot < camera->num_cuts && played + *shot >= camera->cuts[*shot])
        ++*shot;
    const uint32_t frame = played + *shot;
    return frame < camera->num_frames ? frame : camera->num_frames - 1;
}

view_camera_path_place view_find_path_position(const view_camera_path *camera_path,
                                               const view_play *play)
{
    const md5_sample_position sample =
        md5_sample_position_at(&camera_path->clock, play->time, play->wrap);
    view_camera_path_place place = {0};
    const uint32_t frame = view_camera_path_frame(camera_path, sample.frame0, &place.shot);
    // Hold the last frame, as md5_camera_at() does; a clip would blend into its first frame.
    const bool is_held = sample.frame1 <= sample.frame0;
    place.frame = frame + (is_held ? 0 : (double)sample.fraction);
    return place;
}
