// Clocks of clips, the events that a clip passes in a time step, and root motion.
#include "md5/core/math.h"
#include "md5/play/clock.h"

#include <stdlib.h>

// Largest change of a clock in one step, in cycles. In a larger double, no bits are left for a
// fraction.
#define MAX_CLOCK_PHASE 0x1p52

// Returns true if a clip alternates between forward and backward playback. Such a cycle contains
// both directions.
static bool is_ping_pong(const md5_timing *timing)
{
    return timing->mode == MD5_PLAY_PING_PONG;
}

double md5i_timing_duration(const md5_timing *timing)
{
    const double delta = md5_timing_intervals(timing) / timing->frame_rate;
    return is_ping_pong(timing) ? 2 * delta : delta;
}

// Limit of the cycle count. It is far above all playback times and prevents overflow.
#define MAX_CYCLE ((int64_t)1 << 62)

// Clamps a cycle count to its limits. Further steps do not change a count at a limit.
static int64_t clamp_cycle(int64_t cycle)
{
    if (cycle > MAX_CYCLE)
        return MAX_CYCLE;
    return cycle < -MAX_CYCLE ? -MAX_CYCLE : cycle;
}

// Returns a clip's clock after `cycles` more cycles. `cycles` may be negative or a fraction. A clip
// that is played once stops at its ends.
md5_clock md5i_clock_advance(const md5_timing *timing, md5_clock clock, double cycles)
{
    const double phase = clock.phase + cycles;
    if (phase >= 0 && phase < 1) // fast path: the code below gives the same result
        return (md5_clock){clock.cycle, phase};
    if (!isfinite(cycles))
        return clock;
    if (timing->mode == MD5_PLAY_ONCE)
        return (md5_clock){.phase = fmin(fmax(phase, 0.0), 1.0)};
    const double limited = fmin(fmax(phase, -MAX_CLOCK_PHASE), MAX_CLOCK_PHASE);
    const double num_cycles = floor(limited);
    double fraction = limited - num_cycles;
    // The sum cannot overflow: its terms are at most 2^62 and 2^52.
    int64_t cycle = clamp_cycle(clock.cycle + (int64_t)num_cycles);
    // If `limited` is just below a whole number, the difference can round up to 1.
    if (fraction >= 1) {
        fraction = 0;
        cycle++;
    }
    return (md5_clock){cycle, fraction};
}

// Returns the shortest decimal number that rounds to this float. For 0.3f, which is 0.300000012,
// this is 0.3. Machine files contain decimal numbers, so this finds events at such a time exactly.
double md5i_decimal_from_float(float time)
{
    double scale = 1;
    for (int digits = 0; digits < 8 && fabsf(time) <= 1e6f; digits++) {
        const double decimal = floor(time * scale + 0.5) / scale;
        if ((float)decimal == time)
            return decimal;
        scale *= 10;
    }
    return time;
}

md5_clock md5i_clock_at(const md5_timing *timing, double time)
{
    return md5i_clock_advance(timing, (md5_clock){0}, time);
}

// Returns a clock moved by less than a cycle. The result is only for comparisons, because its phase
// may be outside of 0..1 for a clip that is played once.
static md5_clock clock_shift(const md5_timing *timing, md5_clock clock, double cycles)
{
    clock.phase += cycles;
    int wraps = 0;
    if (timing->mode != MD5_PLAY_ONCE && clock.phase < 0)
        wraps = -1;
    else if (timing->mode != MD5_PLAY_ONCE && clock.phase >= 1)
        wraps = 1;
    return (md5_clock){clock.cycle + wraps, clock.phase - wraps};
}

// Moves a clock to the nearest frame if this frame is at most `max_distance` cycles away. So a time
// that was rounded to float becomes an exact frame again.
md5_clock md5i_clock_snap(const md5_timing *timing, md5_clock clock, double max_distance)
{
    double frames_per_cycle = md5_timing_intervals(timing) * (is_ping_pong(timing) ? 2 : 1.0);
    // If `max_distance` is above a quarter of a frame, more than half of all times would become
    // frames. Then snap only to whole cycles.
    if (max_distance * frames_per_cycle > 0.25)
        frames_per_cycle = 1;

    const double nearest_frame = floor(clock.phase * frames_per_cycle + 0.5);
    const double distance = fabs(clock.phase * frames_per_cycle - nearest_frame); // in frames
    if (!(distance <= max_distance * frames_per_cycle))
        return clock;
    if (nearest_frame < frames_per_cycle || timing->mode == MD5_PLAY_ONCE)
        return (md5_clock){clock.cycle, nearest_frame / frames_per_cycle};
    return (md5_clock){clock.cycle + 1, 0};
}

// Returns the behavior of a clip's samples after its last frame. The clip stops there, continues
// with a first frame that equals the last frame, or is blended from the last frame to the first.
static md5_wrap get_wrap(const md5_timing *timing)
{
    if (timing->mode != MD5_PLAY_LOOP)
        return MD5_WRAP_CLAMP;
    return timing->period == MD5_PERIOD_OPEN ? MD5_WRAP_CYCLE : MD5_WRAP_LOOP;
}

// Converts a phase to a position in frames: 0 at the first frame, and the number of intervals at
// the end of the clip.
static double get_frame_position(const md5_timing *timing, double phase)
{
    const double intervals = md5_timing_intervals(timing);
    if (!is_ping_pong(timing))
        return phase * intervals;
    const double distance = phase <= 0.5 ? phase : 1 - phase; // from the first frame
    return distance * 2 * intervals;
}

// Sets a sample position to `end`, the frame at which a cycle ends. With MD5_PERIOD_OPEN, a cycle
// ends with an interval from the last frame to the first frame of the next cycle, so `end` is
// num_frames. The sample is then the first frame, and its cycle is the next cycle.
static inline void sample_end(const md5_timing *timing, uint32_t end, md5_sample_position *sample)
{
    const bool is_next_cycle = end >= timing->num_frames;
    const uint32_t end_frame = is_next_cycle ? 0 : end;
    sample->frame0 = end_frame;
    sample->frame1 = end_frame;
    if (is_next_cycle)
        sample->cycle++;
}

// Converts a clock to a sample position: the two frames around the clock, and the fraction of the
// interval between them.
md5_sample_position md5i_clock_sample_position(const md5_timing *timing, md5_clock clock,
                                               md5_interpolation interpolation)
{
    const bool loops = timing->mode == MD5_PLAY_LOOP;
    md5_sample_position sample = {
        .wrap = get_wrap(timing),
        .interpolation = interpolation,
        .cycle = loops ? clock.cycle : 0,
    };
    if (loops && clock.phase >= 1 - MD5_BORDER) { // the start of the next cycle
        sample.cycle++;
        return sample;
    }

    const double position = get_frame_position(timing, clock.phase);
    uint32_t frame = (uint32_t)position; // not below 0
    float fraction = (float)(position - frame);
    if (fraction >= 1) { // rounded up from just below 1
        fraction = 0;
        frame++;
    }

    // A position is at the end if a clip that is played once has ended, if the clip has one frame,
    // or because of rounding.
    const uint32_t end = timing->num_frames == 1 ? 0 : md5_timing_intervals(timing);
    if (frame >= end) {
        sample_end(timing, end, &sample);
        return sample;
    }

    sample.frame0 = frame;
    sample.frame1 = frame;
    if (interpolation == MD5_INTERPOLATE_STEP)
        return sample;
    const uint32_t last = timing->num_frames - 1;
    sample.frame1 = frame == last ? 0 : frame + 1;
    sample.fraction = fraction;
    return sample;
}

// == Events =====================================================================================

// Compares two cues for qsort(): by phase, then by the index of the event.
static int compare_cues(const void *left, const void *right)
{
    const md5_cue *a = (const md5_cue *)left;
    const md5_cue *b = (const md5_cue *)right;
    if (a->phase != b->phase)
        return a->phase < b->phase ? -1 : 1;
    return a->event < b->event ? -1 : a->event > b->event;
}

// Converts the events of a clip to cues, which are positions in a cycle, sorted by phase. Ping-pong
// playback passes most events twice per cycle. If `has_ends` is true, both ends of a cycle get a
// cue with the event index `num_events`. Returns the number of cues.
uint32_t md5i_build_cues(const md5_timing *timing, const md5_event *events, uint32_t num_events,
                         bool has_ends, md5_cue *cues)
{
    const double intervals = md5_timing_intervals(timing);
    uint32_t num_cues = 0;
    for (uint32_t i = 0; i < num_events; i++) {
        const double phase = events[i].frame / intervals;
        if (!is_ping_pong(timing)) {
            cues[num_cues++] = (md5_cue){phase, i};
            continue;
        }

        // In a ping-pong cycle an event occurs a second time in the backward half, unless it is at
        // an end of the clip.
        cues[num_cues++] = (md5_cue){0.5 * phase, i};
        if (phase > 0 && phase < 1)
            cues[num_cues++] = (md5_cue){1 - 0.5 * phase, i};
    }

    if (has_ends) {
        cues[num_cues++] = (md5_cue){0, num_events};
        cues[num_cues++] = (md5_cue){1, num_events};
    }
    qsort(cues, num_cues, sizeof *cues, compare_cues);
    return num_cues;
}

// Adds cues for each window of a clip, at the phases where it opens and closes, and sorts all cues.
// A window is a range of frames, for example while a sword can hit. The cues of window i have the
// event indices first_index + 2 * i and first_index + 2 * i + 1. Returns the new number of cues.
uint32_t md5i_add_window_cues(const md5_timing *timing, const md5_window *windows,
                              uint32_t num_windows, uint32_t first_index, md5_cue *cues,
                              uint32_t num_cues)
{
    const double intervals = md5_timing_intervals(timing);
    const double scale = is_ping_pong(timing) ? 0.5 : 1;
    for (uint32_t i = 0; i < num_windows; i++) {
        const uint32_t begin = first_index + 2 * i;
        const uint32_t end = begin + 1;
        const double first = scale * (windows[i].first / intervals);
        const double last = scale * (windows[i].last / intervals);
        cues[num_cues++] = (md5_cue){first, begin};
        cues[num_cues++] = (md5_cue){last, end};

        // In a ping-pong cycle the window occurs a second time in the backward half, where its ends
        // are exchanged.
        if (!is_ping_pong(timing))
            continue;
        cues[num_cues++] = (md5_cue){1 - last, begin};
        cues[num_cues++] = (md5_cue){1 - first, end};
    }
    qsort(cues, num_cues, sizeof *cues, compare_cues);
    return num_cues;
}

// A border: a position between two consecutive cues in the endless sequence of cycles. A step
// passes the cues between the border at its start and the border at its end. In cycle `cycle`, cue
// `next` and all later cues are after the border. If `next` is num_cues, the border is after all
// cues of the cycle.
typedef struct border {
    int64_t cycle;
    int64_t next;
} border;

// Returns the border directly before the cues at the phase of a clock or, if `is_above` is true,
// directly after them.
static border border_at(const md5_cues *cues, md5_clock clock, bool is_above)
{
    // Binary search: find the first cue after the clock if `is_above`, otherwise the first cue at
    // or after the clock.
    uint32_t next = 0;
    uint32_t high = cues->num_cues;
    while (next < high) {
        const uint32_t middle = next + (high - next) / 2;
        const double phase = cues->cues[middle].phase;
        if (phase < clock.phase || (is_above && phase == clock.phase))
            next = middle + 1;
        else
            high = middle;
    }
    return (border){clock.cycle, next};
}

// Limit of the number of cues in a step, so that the number does not overflow.
#define MAX_CUES 1e18

// Returns the number of cues from `low` to `high`; 0 if `high` is below `low`.
static uint64_t cues_between(const md5_cues *cues, border low, border high)
{
    const double cycles = (double)high.cycle - (double)low.cycle;
    if (cycles * cues->num_cues >= MAX_CUES)
        return (uint64_t)MAX_CUES;
    const int64_t count =
        (high.cycle - low.cycle) * (int64_t)cues->num_cues + (high.next - low.next);
    return count > 0 ? (uint64_t)count : 0;
}

// Returns the border at the start of a step. Events up to MD5_BORDER ahead of the clock have fired
// in the last step, so the border is at this distance. The exception is a loop that starts at the
// boundary between two cycles (`at_start`) and plays backward. It has not passed the event at the
// end of the earlier cycle yet, so the border is at the boundary itself.
static border border_from(const md5_cues *cues, md5_clock clock, bool is_backward, bool at_start)
{
    const double ahead = is_backward ? -MD5_BORDER : MD5_BORDER;
    const bool is_loop_start = at_start && cues->timing->mode == MD5_PLAY_LOOP;
    if (is_backward && is_loop_start && md5_is_same_cycle_boundary(clock, clock))
        return (border){clock_shift(cues->timing, clock, -ahead).cycle, 0};
    return border_at(cues, clock_shift(cues->timing, clock, ahead), ahead > 0);
}

uint32_t md5i_count_cues_below(const md5_cues *cues, md5_clock clock, bool is_backward,
                               bool at_start)
{
    return (uint32_t)border_from(cues, clock, is_backward, at_start).next;
}

static bool is_clock_before(md5_clock a, md5_clock b)
{
    return a.cycle < b.cycle || (a.cycle == b.cycle && a.phase < b.phase);
}

// Returns the border at the end of a step from `from` to `to`, MD5_BORDER ahead of `to` in the
// direction of playback. The flags are as for md5i_begin_events().
static border border_to(const md5_cues *cues, md5_clock from, md5_clock to, bool at_start,
                        bool ends_cycle)
{
    const double ahead = is_clock_before(to, from) ? -MD5_BORDER : MD5_BORDER;
    const md5_clock after = clock_shift(cues->timing, to, ahead);
    const md5_clock before = clock_shift(cues->timing, to, -ahead);
    // A step can end at the boundary between two cycles of a loop. Events at the start of the next
    // cycle then belong to the step only if the clip continues. They do not belong to it if the
    // clip stops at the boundary (ends_cycle), or has not moved from it since its start.
    const bool is_loop_boundary =
        cues->timing->mode == MD5_PLAY_LOOP && after.cycle != before.cycle;
    const bool stays = at_start && md5_is_same_cycle_boundary(from, to);
    if (is_loop_boundary && (ends_cycle || stays))
        return (border){before.cycle, ahead > 0 ? cues->num_cues : 0};
    return border_at(cues, after, ahead > 0);
}

// Begins to iterate over the events that a clip passes while its clock moves from `from` to `to`,
// forward or backward. `at_start` is true if the clip has not moved since its start. `ends_cycle`
// is true if the clip stops at `to`.
md5_event_iterator md5i_begin_events(const md5_cues *cues, md5_clock from, md5_clock to,
                                     bool at_start, bool ends_cycle)
{
    const bool is_backward = is_clock_before(to, from);
    const border begin = border_from(cues, from, is_backward, at_start);
    const border end = border_to(cues, from, to, at_start, ends_cycle);
    md5_event_iterator iterator = {
        .cues = cues->cues,
        .num_cues = cues->num_cues,
        .cycle = begin.cycle,
        .is_backward = is_backward,
    };
    if (is_backward) {
        iterator.next = begin.next - 1;
        iterator.num_left = cues_between(cues, end, begin);
    } else {
        iterator.next = begin.next;
        iterator.num_left = cues_between(cues, begin, end);
    }
    return iterator;
}

// Begins to iterate over the events at the position where a clip starts. Events up to MD5_BORDER
// before or after this position are included, because of rounding errors.
md5_event_iterator md5i_begin_start_events(const md5_cues *cues, md5_clock start)
{
    // The clocks are not wrapped to 0..1, because events of neighboring cycles must not be
    // included.
    const border low = border_at(cues, (md5_clock){start.cycle, start.phase - MD5_BORDER}, false);
    const border high = border_at(cues, (md5_clock){start.cycle, start.phase + MD5_BORDER}, true);
    return (md5_event_iterator){
        .cues = cues->cues,
        .num_cues = cues->num_cues,
        .cycle = low.cycle,
        .next = low.next,
        .num_left = cues_between(cues, low, high),
    };
}

// Writes the index and the clock of the next event in playback order. Returns false if no event is
// left.
bool md5i_next_event(md5_event_iterator *iterator, uint32_t *event, md5_clock *when)
{
    if (iterator->num_left == 0)
        return false;
    // The cycle has no cue left, so continue in the next cycle, or backward in the previous cycle.
    if (!iterator->is_backward && iterator->next >= iterator->num_cues) {
        iterator->next = 0;
        iterator->cycle++;
    } else if (iterator->is_backward && iterator->next < 0) {
        iterator->next = iterator->num_cues - 1;
        iterator->cycle--;
    }

    const md5_cue *const cue = &iterator->cues[iterator->next];
    *event = cue->event;
    *when = (md5_clock){iterator->cycle, cue->phase};
    iterator->next += iterator->is_backward ? -1 : 1;
    iterator->num_left--;
    return true;
}

// == Root motion ================================================================================

// Sets the yaw of a displacement to the yaw of a rotation. The complex number w + iz of the
// quaternion has half of the yaw, so its square has the whole yaw. If the joint is upside down, w
// and z are 0. The yaw then remains unchanged.
static void set_yaw(md5_quat rotation, md5_root_delta *delta)
{
    static const double min_square = 1e-8;
    const double w = rotation.w;
    const double z = rotation.z;
    const double square = w * w + z * z;
    if (!(square >= min_square))
        return;
    delta->cosine = (w * w - z * z) / square;
    delta->sine = 2 * w * z / square;
}

// Extracts the root motion of a clip: for each frame, the displacement of joint 0 on the ground
// since the first frame. Depending on `extract`, this includes the height, or the rotation about
// the up axis. roots[num_frames] are the transforms of joint 0 in id's axes.
void md5i_build_root_track(md5_root_extraction extract, const md5_xform *roots, uint32_t num_frames,
                           md5_root_delta *frames)
{
    md5_root_delta back = MD5_NO_DELTA; // from the first frame to the origin
    md5_root_delta delta = MD5_NO_DELTA;
    for (uint32_t i = 0; i < num_frames; i++) {
        const md5_vec3 position = roots[i].translation;
        delta.x = position.x;
        delta.y = position.y;
        delta.z = extract == MD5_ROOT_EXTRACTION_MOVE ? position.z : 0;
        if (extract == MD5_ROOT_EXTRACTION_TURN)
            set_yaw(roots[i].rotation, &delta);

        if (i == 0)
            back = md5_root_delta_inverse(delta);
        frames[i] = md5_root_delta_mul(delta, back);
    }
    if (num_frames > 0)
        frames[0] = MD5_NO_DELTA; // exactly, without rounding errors
}

// Returns the displacement of the root at a sample position, interpolated between its two frames.
// In the interval from the last frame to the first frame of a loop, the displacement keeps the
// value of the last frame. Interpolating to the displacement of the first frame, which is 0, would
// move the character back by the whole cycle. The motion of joint 0 in this interval is not
// extracted, so it remains in the pose.
md5_root_delta md5i_root_delta_at(const md5_root_track *track, const md5_sample_position *sample)
{
    const bool is_to_first_frame = sample->frame1 < sample->frame0;
    const uint32_t frame1 = is_to_first_frame ? sample->frame0 : sample->frame1;
    return md5_root_delta_lerp(track->frames[sample->frame0], track->frames[frame1],
                               sample->fraction);
}

// Returns the displacement of `count` cycles. Repeated squaring needs few multiplications for any
// count. A negative count gives the inverse displacement.
static md5_root_delta displacement_of_cycles(md5_root_delta cycle, int64_t count)
{
    const bool is_negative = count < 0;
    uint64_t remaining = is_negative ? 0 - (uint64_t)count : (uint64_t)count;
    md5_root_delta square = is_negative ? md5_root_delta_inverse(cycle) : cycle;
    md5_root_delta product = MD5_NO_DELTA;
    for (; remaining > 0; remaining /= 2) {
        if (remaining % 2 == 1)
            product = md5_root_delta_mul(product, square);
        square = md5_root_delta_mul(square, square);
    }
    return product;
}

// Returns the root motion between two positions of a clip, in the character's space at `from`. Each
// complete cycle between them adds the displacement of the whole clip.
md5_root_delta md5i_root_delta_between(const md5_root_track *track, const md5_root_position *from,
                                       const md5_root_position *to)
{
    md5_root_delta delta = to->delta;
    if (to->cycle != from->cycle) {
        const md5_root_delta cycle = track->frames[track->num_frames - 1];
        delta =
            md5_root_delta_mul(displacement_of_cycles(cycle, to->cycle - from->cycle), to->delta);
    }
    return md5_root_delta_mul(md5_root_delta_inverse(from->delta), delta);
}

void md5i_remove_root_delta(md5_axes axes, md5_root_delta delta, md5_xform *root)
{
    const md5_xform back = md5_root_delta_transform(md5_root_delta_inverse(delta));
    *root = md5_xform_mul(md5_transform_to_axes(axes, back), *root);
}
