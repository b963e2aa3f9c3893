// The time of one clip, in cycles: loops, ends and ping-pong, at any speed, exact over days.
#ifndef MD5_PLAY_CLOCK_H
#define MD5_PLAY_CLOCK_H

#include "md5/md5play.h"

// The properties of a clip that its time depends on.
typedef struct md5_timing {
    uint32_t num_frames; // >= 1
    double frame_rate;   // frames a second, > 0
    md5_period period;
    md5_play_mode mode;
} md5_timing;

// Whole cycles, and the fraction of the current one. They are separate so that the fraction has the
// same precision after a week as at the start. 0 <= phase < 1, except with MD5_PLAY_ONCE, where
// cycle is 0 and phase 1 is the end.
typedef struct md5_clock {
    int64_t cycle;
    double phase;
} md5_clock;

// Intervals between frames in one pass through the clip; at least 1, so that a clip of one frame
// has a duration.
static inline uint32_t md5_timing_intervals(const md5_timing *timing)
{
    if (timing->num_frames == 1)
        return 1;
    const bool is_open = timing->period == MD5_PERIOD_OPEN && timing->mode == MD5_PLAY_LOOP;
    return is_open ? timing->num_frames : timing->num_frames - 1;
}

// Seconds of one cycle, > 0.
double md5i_timing_duration(const md5_timing *timing);

// The clock at a normalised time, which counts cycles. Not finite counts as 0.
md5_clock md5i_clock_at(const md5_timing *timing, double time);
static inline double md5_clock_time(md5_clock clock)
{
    return (double)clock.cycle + clock.phase;
}

// The shortest decimal that is read as this float: 0.3 for 0.3f, which is 1e-8 above it. Times in
// tables are floats, and frames lie where they are meant, not where floats round to. Of numbers
// that are no short decimal, and beyond 1e6, the float itself.
double md5i_decimal_of(float time);

// The clock after `cycles` more, which may be negative; not finite counts as 0. Beyond 2^62 cycles
// they are no longer counted.
md5_clock md5i_clock_advance(const md5_timing *timing, md5_clock clock, double cycles);

// Times that are nearer than this, in cycles, are equal: far more than rounding errors, far less
// than a frame.
#define MD5_BORDER 1e-9

// Cycles from one clock to another.
static inline double md5_clock_between(md5_clock from, md5_clock to)
{
    return (double)(to.cycle - from.cycle) + (to.phase - from.phase);
}

// Whether both are where the same cycle ends and the next one begins.
static inline bool md5_clock_stays_whole(md5_clock from, md5_clock to)
{
    const bool is_whole = from.phase <= MD5_BORDER || from.phase >= 1.0 - MD5_BORDER;
    const double delta = md5_clock_between(from, to);
    return is_whole && delta <= 2.0 * MD5_BORDER && delta >= -2.0 * MD5_BORDER
           && (to.phase <= MD5_BORDER || to.phase >= 1.0 - MD5_BORDER);
}

// The nearest frame, if the clock is not farther than `most` cycles from it. This restores the
// frame of a time that was given as a float.
md5_clock md5i_clock_snap(const md5_timing *timing, md5_clock clock, double most);

// The sample position. With MD5_PLAY_LOOP `cycle` is the clock's; where the next one begins, to
// within MD5_BORDER, it is at that one's first frame, as the events are.
md5_sample_position md5i_clock_sample_position(const md5_timing *timing, md5_clock clock,
                                               md5_interpolation interpolation);

// -- Events -------------------------------------------------------------------------------------
//
// Which events a clip passes in a step of time: each exactly once a pass, in order, however time is
// split, across loops, backward, and through steps of many cycles.
//
// The times of a clip come from sums that are rounded, and another split of the same time rounds
// otherwise. So an event counts as reached from MD5_BORDER of a cycle before it: forward a step
// from `before` to `now` passes what lies in (before + MD5_BORDER, now + MD5_BORDER], backward in
// [now - MD5_BORDER, before - MD5_BORDER). Rounding is far smaller than that, and the borders of
// neighbouring steps fall on each other.

// Position of an event in a cycle. A ping-pong cycle passes most of them twice. The last frame of a
// loop is 1, so that it fires at the end of a cycle and not when the first one starts.
typedef struct md5_cue {
    double phase;   // 0..1
    uint32_t event; // its number in the clip
} md5_cue;

// Cues of `num_events` events, sorted by phase, events of one frame in the order of their table.
// Writes cues[], at most 2 * num_events, and returns how many. Frames lie within the clip. With
// `has_ends` both ends of a cycle have a cue too, for event `num_events`.
uint32_t md5i_make_cues(const md5_timing *timing, const md5_event *events, uint32_t num_events,
                        bool has_ends, md5_cue *cues);

// Adds the cues of windows to cues[num_cues], at most 4 for each, and sorts all. Returns how many
// there are. A window is open between a cue and the next one of it: the number of window i is
// `number` + 2 * i where it opens forward, and one more where it closes.
uint32_t md5i_add_window_cues(const md5_timing *timing, const md5_window *windows,
                              uint32_t num_windows, uint32_t number, md5_cue *cues,
                              uint32_t num_cues);

// The cues of one clip: cues[num_cues], as md5i_make_cues() writes them.
typedef struct md5_cues {
    const md5_timing *timing;
    const md5_cue *cues;
    uint32_t num_cues;
} md5_cues;

// The remaining events, from cue `next` of cycle `cycle` on.
typedef struct md5_event_walk {
    const md5_cue *cues;
    int64_t num_cues;
    int64_t cycle;
    int64_t next;
    uint64_t num_left;
    bool is_backward;
} md5_event_walk;

// A step from `before` to `now`. at_start: the clip has not moved since it began at `before`; if
// that is a whole cycle, backward it passes the end of the cycle before, which forward it has not
// passed. ends_cycle: the clip is left at `now`; then a cycle that would begin there does not: its
// first event is silent.
md5_event_walk md5i_begin_event_walk(const md5_cues *cues, md5_clock before, md5_clock now,
                                     bool at_start, bool ends_cycle);

// How many cues of its cycle lie below a clock, from which a clip goes on in a direction.
uint32_t md5i_cues_below(const md5_cues *cues, md5_clock clock, bool is_backward, bool at_start);

// The events where a clip begins, without those at the end of the previous cycle.
md5_event_walk md5i_begin_event_start(const md5_cues *cues, md5_clock start);

// Writes the next event and its clock. Returns false if there is none.
bool md5i_next_event(md5_event_walk *walk, uint32_t *event, md5_clock *when);

// -- Root motion --------------------------------------------------------------------------------
//
// Root motion of a clip: the part of the motion of joint 0 that is extracted from its poses and
// reported to the game, and what remains.

// A displacement of the root in id's axes: a rotation about z, then a translation. In double, so
// that many short steps add up to a long one. The rotation is a unit complex number, which needs no
// trigonometry and gives the same bits on every platform.
typedef struct md5_root_delta {
    double x;
    double y;
    double z;
    double cosine, sine; // of the yaw
} md5_root_delta;

// No displacement.
#define MD5_NO_DELTA ((md5_root_delta){.cosine = 1.0})

// First b, then a.
static inline md5_root_delta md5_root_delta_mul(md5_root_delta a, md5_root_delta b)
{
    return (md5_root_delta){
        .x = a.x + (a.cosine * b.x - a.sine * b.y),
        .y = a.y + (a.sine * b.x + a.cosine * b.y),
        .z = a.z + b.z,
        .cosine = a.cosine * b.cosine - a.sine * b.sine,
        .sine = a.cosine * b.sine + a.sine * b.cosine,
    };
}

static inline md5_root_delta md5_root_delta_inverse(md5_root_delta delta)
{
    return (md5_root_delta){
        .x = -(delta.cosine * delta.x + delta.sine * delta.y),
        .y = -(delta.cosine * delta.y - delta.sine * delta.x),
        .z = -delta.z,
        .cosine = delta.cosine,
        .sine = -delta.sine,
    };
}

// Between two. The shorter arc of yaw is near enough to its chord, brought to unit length; of half
// a turn, which has no shorter arc, it is that of `a`.
static inline md5_root_delta md5_root_delta_lerp(md5_root_delta a, md5_root_delta b, double t)
{
    md5_root_delta delta = {
        .x = a.x + (b.x - a.x) * t,
        .y = a.y + (b.y - a.y) * t,
        .z = a.z + (b.z - a.z) * t,
        .cosine = a.cosine + (b.cosine - a.cosine) * t,
        .sine = a.sine + (b.sine - a.sine) * t,
    };
    const double square = delta.cosine * delta.cosine + delta.sine * delta.sine;
    const double scale = square < 1e-12 ? 0.0 : 1.0 / sqrt(square);
    delta.cosine = scale > 0 ? delta.cosine * scale : a.cosine;
    delta.sine = scale > 0 ? delta.sine * scale : a.sine;
    return delta;
}

// Half the angle of a complex number is found by adding 1; a half turn has two halves, of which
// this takes the one to the left.
static inline md5_xform md5_root_delta_transform(md5_root_delta delta)
{
    const bool is_half_turn = 1.0 + delta.cosine < 1e-12;
    const double w = is_half_turn ? 0.0 : 1.0 + delta.cosine;
    const double z = is_half_turn ? 1.0 : delta.sine;
    const double length = sqrt(w * w + z * z);
    return (md5_xform){
        .rotation = {.z = (float)(z / length), .w = (float)(w / length)},
        .translation = {(float)delta.x, (float)delta.y, (float)delta.z},
    };
}

// Displacement of joint 0 from the first frame of a clip, for each frame.
typedef struct md5_root_track {
    md5_root_extraction root_extraction;
    uint32_t num_frames;
    const md5_root_delta *frames; // [num_frames], the first is no displacement
} md5_root_track;

// Fills frames[] from joint 0's model-space transform in each frame, roots[num_frames], in id's
// axes.
void md5i_make_root_track(md5_root_extraction extract, const md5_xform *roots, uint32_t num_frames,
                          md5_root_delta *frames);

// The displacement at a sample position of a cycle. In the interval of MD5_PERIOD_OPEN that leads
// back to the first frame it does not change. `extract` must not be NONE.
md5_root_delta md5i_root_delta_at(const md5_root_track *track, const md5_sample_position *sample);

// The displacement at a clock. A step needs two; the second is the first of the next step.
typedef struct md5_root_position {
    md5_clock clock;
    int64_t cycle; // with MD5_PLAY_LOOP, else 0
    md5_root_delta delta;
} md5_root_position;

static inline md5_root_position md5_root_position_at(const md5_root_track *track,
                                                     const md5_timing *timing, md5_clock clock)
{
    const md5_sample_position sample =
        md5i_clock_sample_position(timing, clock, MD5_INTERPOLATE_LINEAR);
    return (md5_root_position){clock, sample.cycle, md5i_root_delta_at(track, &sample)};
}

// The displacement from one to the other, whole cycles included, in the character's space at the
// first. With ONCE and PING_PONG cycles add nothing: the clip returns to its start.
md5_root_delta md5i_root_delta_between(const md5_root_track *track, const md5_root_position *from,
                                       const md5_root_position *to);

// Removes from pose[0], in the model's axes, the displacement that is extracted at its sample
// position.
void md5i_remove_root_delta(md5_axes axes, md5_root_delta delta, md5_xform *root);

#endif
