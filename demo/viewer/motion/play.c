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

// Returns the pair of frames to interpolate, and the weight of the second frame. If playback was
// stopped at the end of a looping clip, returns its last frame. The time alone would select the
// first frame of the next cycle.
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

// Finds the times at which the played range of a clip begins and ends. Returns false if the
// whole clip is played. The range is given by its first and its last frame. Both are converted
// to seconds by the frame rate of the clip.
bool view_find_range(const view_play *play, const md5_anim *anim, double *begin, double *end)
{
    if (anim == NULL)
        return false;
    const bool is_set = play->range_first < play->range_last;
    const bool is_in_clip = play->range_first + 1 < anim->num_frames;
    if (!is_set || !is_in_clip)
        return false;
    *begin = play->range_first / anim->frame_rate;
    *end = fmin(play->range_last, anim->num_frames - 1) / anim->frame_rate;
    return true;
}

// Moves one end of the played range to the current frame. If the range would then be empty, the
// other end moves as far as possible: the begin to the first frame of the clip, the end to its last
// frame.
bool view_set_range(view_play *play, const md5_anim *anim, bool end)
{
    if (anim == NULL || anim->num_frames < 2)
        return false;
    const uint32_t last_frame = anim->num_frames - 1;
    const uint32_t frame = (uint32_t)fmin(round(view_frame_position(play, anim)), last_frame);

    // Without a range, the whole clip is the range.
    const bool is_set = play->range_last > play->range_first;
    uint32_t range_first = is_set ? play->range_first : 0;
    uint32_t range_last = is_set ? play->range_last : last_frame;
    if (end) {
        range_last = frame;
        if (range_first >= frame)
            range_first = 0;
    } else {
        range_first = frame;
        if (range_last <= frame)
            range_last = last_frame;
    }
    if (range_last <= range_first)
        return false;
    play->range_first = range_first;
    play->range_last = range_last;
    return true;
}

// Wraps a time into the range from `first` to `last`, as if the range was repeated without end.
static double wrap_into_range(double time, double first, double last)
{
    const double length = last - first;
    const double remainder = fmod(time - first, length); // negative for a time before the range
    return first + (remainder < 0 ? remainder + last - first : remainder);
}

// Advances the time by `delta` seconds within the range from `first` to `last`, which are seconds
// in a cycle of the clip. A time outside of the range first moves to the start of the range. At an
// end of the range, the time wraps around, or stops there if the clip plays once.
static void advance_in_range(view_play *play, const md5_anim *anim, double first, double last,
                             double delta)
{
    const bool plays_once = play->wrap == MD5_WRAP_CLAMP;
    const double length = view_cycle_length(play, anim);
    const double cycle_begin = plays_once ? 0 : floor(play->time / length) * length;

    double position = play->time - cycle_begin; // in the cycle
    const bool is_inside = position >= first && position <= last;
    if (!is_inside)
        position = play->backward ? last : first;
    position += delta;

    const bool has_left = !(position >= first && position < last);
    if (has_left && plays_once) {
        play->playing = false;
        position = position < first ? first : last;
    } else if (has_left) {
        position = wrap_into_range(position, first, last);
    }
    play->time = cycle_begin + position;
}

// Stops a clip that plays once at its end or, backward, at its begin.
static void stop_at_end(view_play *play, const md5_anim *anim)
{
    const bool is_before_begin = play->backward && play->time <= 0;
    const bool is_after_end = !play->backward && play->time >= anim->duration;
    if (is_before_begin || is_after_end) {
        play->time = play->backward ? 0 : anim->duration;
        play->playing = false;
    }
}

// Advances the time of playback by a duration in seconds, in the range or over the whole clip.
void view_advance(view_play *play, const md5_anim *anim, double seconds)
{
    if (!play->playing)
        return;
    play->held_at_end = false;
    const double delta = seconds * play->speed * (play->backward ? -1 : 1);
    double first, last;
    if (view_find_range(play, anim, &first, &last)) {
        advance_in_range(play, anim, first, last, delta);
        return;
    }
    play->time += delta;
    if (anim != NULL && play->wrap == MD5_WRAP_CLAMP)
        stop_at_end(play, anim);
}

// Returns the number of images of one cycle or of the range. The last frame of a range is also
// shown for the duration of a frame. A range is therefore one frame longer than the distance
// between its ends.
uint32_t view_count_images(const view_play *play, const md5_anim *anim, double rate)
{
    const double max_images = 1e6;
    if (anim == NULL || !(play->speed > 0))
        return 1;
    double first, last;
    double length = view_cycle_length(play, anim);
    if (view_find_range(play, anim, &first, &last))
        length = last - first + 1.0 / anim->frame_rate;
    const double num_images = round(length / play->speed * rate);
    return (uint32_t)fmin(fmax(num_images, 1), max_images);
}

// Jumps to a time of the current cycle and pauses. Remains in this cycle, because root motion may
// have moved the model far away in earlier cycles.
void view_seek(view_play *play, const md5_anim *anim, double seconds)
{
    play->playing = false;
    play->held_at_end = false;
    if (anim == NULL)
        return;
    const double length = view_cycle_length(play, anim);
    const double position = fmin(fmax(seconds, 0), length);
    if (play->wrap == MD5_WRAP_CLAMP) {
        play->time = position;
        return;
    }
    const double cycle_begin = (double)view_sample_position(play, anim).cycle * length;
    play->time = cycle_begin + position;

    // The time at the end of a cycle already belongs to the next cycle. A time slightly before the
    // end keeps the current cycle.
    const double before_end = 1 - 1e-9;
    if (play->wrap == MD5_WRAP_LOOP && position >= anim->duration && anim->num_frames > 1) {
        play->held_at_end = true;
        play->time = cycle_begin + anim->duration * before_end;
    } else if (play->wrap == MD5_WRAP_CYCLE && position >= length) {
        play->time = cycle_begin + length * before_end;
    }
}

// Pauses or continues. A clip that plays once and has ended restarts at its begin or, backward, at
// its end.
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

// Converts a played frame of a camera path to a frame of its file. At each cut, the file has one
// more frame, at which the old view ends. This frame is never shown.
uint32_t view_camera_path_frame(const view_camera_path *camera_path, uint32_t played,
                                uint32_t *shot)
{
    const md5_camera *const camera = camera_path->camera;
    // Each passed cut adds one to the frame in the file, because no shot plays the last frame
    // before a cut.
    while (*shot < camera->num_cuts && played + *shot >= camera->cuts[*shot])
        ++*shot;
    const uint32_t frame = played + *shot;
    return frame < camera->num_frames ? frame : camera->num_frames - 1;
}

// Returns the shot and the frame of a camera path at the time of playback. Between two frames, the
// position has a fraction. After the last frame, the position remains there, as in md5_camera_at().
// Unlike a clip, a camera path is not blended with its first frame.
view_camera_path_position view_find_path_position(const view_camera_path *camera_path,
                                                  const view_play *play)
{
    const md5_sample_position sample =
        md5_sample_position_at(&camera_path->clock, play->time, play->wrap);
    view_camera_path_position position = {0};
    const uint32_t frame = view_camera_path_frame(camera_path, sample.frame0, &position.shot);
    const bool is_held = sample.frame1 <= sample.frame0;
    position.frame = frame + (is_held ? 0 : (double)sample.fraction);
    return position;
}
