// The time of a clip: its clock, the events that it passes, and its root motion.
#include "md5/core/math.h"
#include "md5/play/clock.h"

#include <stdlib.h>

// From here on a double has no place for the frames between whole cycles.
#define MAX_RATE 0x1p52

// A ping-pong cycle goes there and back; it turns at the last frame, whatever the period.
static bool turns(const md5_timing *timing)
{
    return timing->mode == MD5_PLAY_PING_PONG;
}

double md5i_timing_duration(const md5_timing *timing)
{
    const double delta = md5_timing_intervals(timing) / timing->frame_rate;
    return turns(timing) ? 2 * delta : delta;
}

// Beyond this many, one more or less makes no difference to anybody.
#define FARTHEST ((int64_t)1 << 62)

md5_clock md5i_clock_advance(const md5_timing *timing, md5_clock clock, double cycles)
{
    const double phase = clock.phase + cycles;
    if (phase >= 0 && phase < 1) // most often; the rest comes to the same, in a longer way
        return (md5_clock){clock.cycle, phase};
    if (!isfinite(cycles))
        return clock;
    if (timing->mode == MD5_PLAY_ONCE)
        return (md5_clock){.phase = fmin(fmax(phase, 0.0), 1.0)};
    const double limited = fmin(fmax(phase, -MAX_RATE), MAX_RATE);
    const double whole = floor(limited);
    double rest = limited - whole;
    // Neither is so large that the sum could overflow.
    int64_t cycle = clock.cycle + (int64_t)whole;
    cycle = cycle > FARTHEST ? FARTHEST : cycle < -FARTHEST ? -FARTHEST : cycle;
    // Just below a whole cycle the difference can round up to 1.
    if (rest >= 1) {
        rest = 0;
        cycle++;
    }
    return (md5_clock){cycle, rest};
}

double md5i_decimal_of(float time)
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

// A clock moved by less than a cycle, for comparing only: ONCE may come to lie beyond its ends.
static md5_clock clock_shift(const md5_timing *timing, md5_clock clock, double cycles)
{
    clock.phase += cycles;
    const bool wraps = timing->mode != MD5_PLAY_ONCE && (clock.phase < 0 || clock.phase >= 1);
    const int by = wraps ? (clock.phase < 0 ? -1 : 1) : 0;
    return (md5_clock){clock.cycle + by, clock.phase - by};
}

md5_clock md5i_clock_snap(const md5_timing *timing, md5_clock clock, double most)
{
    double frames = md5_timing_intervals(timing) * (turns(timing) ? 2 : 1.0);
    if (most * frames > 0.25) // so many that any time is near one: whole cycles only
        frames = 1;
    const double frame = floor(clock.phase * frames + 0.5);
    if (!(fabs(clock.phase * frames - frame) <= most * frames))
        return clock;
    if (frame < frames || timing->mode == MD5_PLAY_ONCE)
        return (md5_clock){clock.cycle, frame / frames};
    return (md5_clock){clock.cycle + 1, 0};
}

md5_sample_position md5i_clock_sample_position(const md5_timing *timing, md5_clock clock,
                                               md5_interpolation interpolation)
{
    const uint32_t last = timing->num_frames - 1;
    const bool loops = timing->mode == MD5_PLAY_LOOP;
    md5_sample_position sample = {
        .wrap = !loops                              ? MD5_WRAP_CLAMP
                : timing->period == MD5_PERIOD_OPEN ? MD5_WRAP_CYCLE
                                                    : MD5_WRAP_LOOP,
        .interpolation = interpolation,
        .cycle = loops ? clock.cycle : 0,
    };
    if (loops && clock.phase >= 1 - MD5_BORDER) {
        sample.cycle++;
        return sample;
    }
    // In frames: 0 .. intervals.
    const double intervals = md5_timing_intervals(timing);
    const double position =
        turns(timing) ? (clock.phase <= 0.5 ? clock.phase : 1 - clock.phase) * 2 * intervals
                      : clock.phase * intervals;
    uint32_t frame = (uint32_t)position; // not below 0
    float fraction = (float)(position - frame);
    if (fraction >= 1) {
        fraction = 0;
        frame++;
    }
    // The end of a way: of a clip of one frame, of one that is played once, or by rounding.
    const uint32_t end = timing->num_frames == 1 ? 0 : md5_timing_intervals(timing);
    if (frame >= end) {
        // With MD5_PERIOD_OPEN that is the first frame of the next cycle, which the root has come
        // to.
        const bool is_next = end > last;
        sample.frame0 = sample.frame1 = end == 0 || is_next ? 0 : last;
        sample.cycle += is_next;
        return sample;
    }
    sample.frame0 = sample.frame1 = frame;
    if (interpolation == MD5_INTERPOLATE_STEP)
        return sample;
    sample.frame1 = frame == last ? 0 : frame + 1;
    sample.fraction = fraction;
    return sample;
}

// == Events =====================================================================================

static int compare_cues(const void *left, const void *right)
{
    const md5_cue *a = (const md5_cue *)left;
    const md5_cue *b = (const md5_cue *)right;
    if (a->phase != b->phase)
        return a->phase < b->phase ? -1 : 1;
    return a->event < b->event ? -1 : a->event > b->event;
}

uint32_t md5i_make_cues(const md5_timing *timing, const md5_event *events, uint32_t num_events,
                        bool has_ends, md5_cue *cues)
{
    const double intervals = md5_timing_intervals(timing);
    uint32_t num_cues = 0;
    for (uint32_t i = 0; i < num_events; i++) {
        const double phase = events[i].frame / intervals;
        cues[num_cues++] = (md5_cue){turns(timing) ? 0.5 * phase : phase, i};
        if (turns(timing) && phase > 0 && phase < 1)
            cues[num_cues++] = (md5_cue){1 - 0.5 * phase, i};
    }
    if (has_ends) {
        cues[num_cues++] = (md5_cue){0, num_events};
        cues[num_cues++] = (md5_cue){1, num_events};
    }
    qsort(cues, num_cues, sizeof *cues, compare_cues);
    return num_cues;
}

uint32_t md5i_add_window_cues(const md5_timing *timing, const md5_window *windows,
                              uint32_t num_windows, uint32_t number, md5_cue *cues,
                              uint32_t num_cues)
{
    const double intervals = md5_timing_intervals(timing);
    const double scale = turns(timing) ? 0.5 : 1;
    for (uint32_t i = 0; i < num_windows; i++, number += 2) {
        const double first = scale * (windows[i].first / intervals);
        const double last = scale * (windows[i].last / intervals);
        cues[num_cues++] = (md5_cue){first, number};
        cues[num_cues++] = (md5_cue){last, number + 1};
        if (!turns(timing))
            continue;
        cues[num_cues++] = (md5_cue){1 - last, number};
        cues[num_cues++] = (md5_cue){1 - first, number + 1};
    }
    qsort(cues, num_cues, sizeof *cues, compare_cues);
    return num_cues;
}

// A border between cues: those from `next` of `cycle` on lie above it.
typedef struct border {
    int64_t cycle;
    int64_t next;
} border;

// The border just below or, with `is_above`, above what lies at a clock.
static border border_at(const md5_cues *cues, md5_clock clock, bool is_above)
{
    // The first cue after the clock, or with !is_above also at it.
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

// As many cues as a step can have; more cannot be told from it.
#define MAX_CUES 1e18

static uint64_t cues_between(const md5_cues *cues, border low, border high)
{
    const double cycles = (double)high.cycle - (double)low.cycle;
    if (cycles * cues->num_cues >= MAX_CUES)
        return (uint64_t)MAX_CUES;
    const int64_t count =
        (high.cycle - low.cycle) * (int64_t)cues->num_cues + (high.next - low.next);
    return count > 0 ? (uint64_t)count : 0;
}

// Where the walk of a clip begins: seen a border's width ahead, as where it ends.
static border border_from(const md5_cues *cues, md5_clock clock, bool is_backward, bool at_start)
{
    const double ahead = is_backward ? -MD5_BORDER : MD5_BORDER;
    if (at_start && is_backward && cues->timing->mode == MD5_PLAY_LOOP
        && md5_clock_stays_whole(clock, clock))
        return (border){clock_shift(cues->timing, clock, -ahead).cycle, 0};
    return border_at(cues, clock_shift(cues->timing, clock, ahead), ahead > 0);
}

uint32_t md5i_cues_below(const md5_cues *cues, md5_clock clock, bool is_backward, bool at_start)
{
    return (uint32_t)border_from(cues, clock, is_backward, at_start).next;
}

md5_event_walk md5i_begin_event_walk(const md5_cues *cues, md5_clock before, md5_clock now,
                                     bool at_start, bool ends_cycle)
{
    const bool is_backward =
        now.cycle < before.cycle || (now.cycle == before.cycle && now.phase < before.phase);
    const double ahead = is_backward ? -MD5_BORDER : MD5_BORDER;
    const bool stays = at_start && md5_clock_stays_whole(before, now);
    const bool is_loop = cues->timing->mode == MD5_PLAY_LOOP;
    // Where it has come to, seen a border's width ahead in its direction. Where ping-pong comes
    // back to its first frame, that is where its cycle ends.
    const md5_clock next = clock_shift(cues->timing, now, ahead);
    const md5_clock back = clock_shift(cues->timing, now, -ahead);
    border end = border_at(cues, next, ahead > 0);
    if ((ends_cycle || stays) && is_loop && next.cycle != back.cycle)
        end = (border){back.cycle, ahead > 0 ? cues->num_cues : 0};
    const border begin = border_from(cues, before, is_backward, at_start);
    return (md5_event_walk){
        .cues = cues->cues,
        .num_cues = cues->num_cues,
        .cycle = begin.cycle,
        .next = is_backward ? begin.next - 1 : begin.next,
        .num_left = is_backward ? cues_between(cues, end, begin) : cues_between(cues, begin, end),
        .is_backward = is_backward,
    };
}

md5_event_walk md5i_begin_event_start(const md5_cues *cues, md5_clock start)
{
    // Within its cycle, also beyond its ends.
    const border low = border_at(cues, (md5_clock){start.cycle, start.phase - MD5_BORDER}, false);
    const border high = border_at(cues, (md5_clock){start.cycle, start.phase + MD5_BORDER}, true);
    return (md5_event_walk){
        .cues = cues->cues,
        .num_cues = cues->num_cues,
        .cycle = low.cycle,
        .next = low.next,
        .num_left = cues_between(cues, low, high),
    };
}

bool md5i_next_event(md5_event_walk *walk, uint32_t *event, md5_clock *when)
{
    if (walk->num_left == 0)
        return false;
    // Beyond the end or the start of its cycle the walk goes on in the next one.
    if (!walk->is_backward && walk->next >= walk->num_cues) {
        walk->next = 0;
        walk->cycle++;
    } else if (walk->is_backward && walk->next < 0) {
        walk->next = walk->num_cues - 1;
        walk->cycle--;
    }
    const md5_cue *const cue = &walk->cues[walk->next];
    *event = cue->event;
    *when = (md5_clock){walk->cycle, cue->phase};
    walk->next += walk->is_backward ? -1 : 1;
    walk->num_left--;
    return true;
}

// == Root motion ================================================================================

void md5i_make_root_track(md5_root_extraction extract, const md5_xform *roots, uint32_t num_frames,
                          md5_root_delta *frames)
{
    md5_root_delta back = MD5_NO_DELTA;
    md5_root_delta delta = MD5_NO_DELTA;
    for (uint32_t i = 0; i < num_frames; i++) {
        const md5_vec3 position = roots[i].translation;
        delta.x = position.x;
        delta.y = position.y;
        delta.z = extract == MD5_ROOT_EXTRACTION_MOVE ? position.z : 0;
        // The part of the rotation that turns about z, as a complex number; that of the frame
        // before where it turns upside down and there is none. The quaternion's w + iz is half of
        // it, and squared the whole.
        const double w = roots[i].rotation.w;
        const double z = roots[i].rotation.z;
        const double square = w * w + z * z;
        if (extract == MD5_ROOT_EXTRACTION_TURN && square >= 1e-8) {
            delta.cosine = (w * w - z * z) / square;
            delta.sine = 2 * w * z / square;
        }
        if (i == 0)
            back = md5_root_delta_inverse(delta);
        frames[i] = md5_root_delta_mul(delta, back);
    }
    if (num_frames > 0)
        frames[0] = MD5_NO_DELTA;
}

// Between two frames. What this is off from the sampled rotation stays in the pose.
md5_root_delta md5i_root_delta_at(const md5_root_track *track, const md5_sample_position *sample)
{
    const bool is_back = sample->frame1 < sample->frame0; // to the first frame: no displacement
    return md5_root_delta_lerp(track->frames[sample->frame0],
                               track->frames[is_back ? sample->frame0 : sample->frame1],
                               sample->fraction);
}

md5_root_delta md5i_root_delta_between(const md5_root_track *track, const md5_root_position *from,
                                       const md5_root_position *to)
{
    md5_root_delta delta = to->delta;
    if (to->cycle != from->cycle) {
        // The whole cycles between: a power of one, by squaring.
        md5_root_delta cycles = MD5_NO_DELTA;
        const int64_t power = to->cycle - from->cycle;
        md5_root_delta square = track->frames[track->num_frames - 1];
        if (power < 0)
            square = md5_root_delta_inverse(square);
        uint64_t rest = power < 0 ? 0 - (uint64_t)power : (uint64_t)power;
        for (; rest > 0; rest /= 2) {
            if (rest % 2 == 1)
                cycles = md5_root_delta_mul(cycles, square);
            square = md5_root_delta_mul(square, square);
        }
        delta = md5_root_delta_mul(cycles, delta);
    }
    return md5_root_delta_mul(md5_root_delta_inverse(from->delta), delta);
}

void md5i_remove_root_delta(md5_axes axes, md5_root_delta delta, md5_xform *root)
{
    const md5_xform back = md5_root_delta_transform(md5_root_delta_inverse(delta));
    *root = md5_xform_mul(md5_transform_to_axes(axes, back), *root);
}
