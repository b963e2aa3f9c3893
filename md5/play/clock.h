// The time of one clip: its clock, the events that it passes in a time step, and its root motion.
//
// A clock (md5_clock) counts the cycles of a clip. It supports looping, ping-pong and clips that
// are played once, in both directions and at any speed. It does not lose precision over days. An
// event iterator lists the events between two clocks. A root track stores the displacement of joint
// 0 for each frame.
#ifndef MD5_PLAY_CLOCK_H
#define MD5_PLAY_CLOCK_H

#include "md5/md5play.h"

// The properties of a clip that determine its duration and its behavior at the end.
typedef struct md5_timing {
    uint32_t num_frames; // at least 1
    double frame_rate;   // frames per second, above 0
    md5_period period;
    md5_play_mode mode;
} md5_timing;

// The playback position of a clip: the number of completed cycles, and the phase in the current
// cycle. Two numbers give the phase the same precision after a week as at the start. 0 <= phase <
// 1. Exception: with MD5_PLAY_ONCE the cycle is always 0, and the phase is 1 at the end.
typedef struct md5_clock {
    int64_t cycle;
    double phase;
} md5_clock;

// Returns the number of intervals between frames in one pass through the clip. The result is at
// least 1, so that a clip of one frame has a duration.
static inline uint32_t md5_timing_intervals(const md5_timing *timing)
{
    if (timing->num_frames == 1)
        return 1;
    const bool is_open = timing->period == MD5_PERIOD_OPEN && timing->mode == MD5_PLAY_LOOP;
    return is_open ? timing->num_frames : timing->num_frames - 1;
}

// Returns the duration of one cycle, in seconds, above 0.
double md5i_timing_duration(const md5_timing *timing);

// Returns the clock at a normalized time. Normalized time is measured in cycles: 0 is the start of
// the clip, and 1 is the end of the first cycle. A time that is not finite counts as 0.
md5_clock md5i_clock_at(const md5_timing *timing, double time);

// Returns the normalized time of a clock.
static inline double md5_clock_time(md5_clock clock)
{
    return (double)clock.cycle + clock.phase;
}

// Returns the shortest decimal number that rounds to this float. For 0.3f, which is 0.300000012,
// this is 0.3. Tables contain times as floats, but the author of a file means the decimal number.
// Returns the float itself if it is above 1e6 or if 7 digits after the point are not sufficient.
double md5i_decimal_from_float(float time);

// Returns the clock after `cycles` more cycles. `cycles` may be negative or a fraction. If it is
// not finite, the clock does not change. The cycle count is limited to 2^62.
md5_clock md5i_clock_advance(const md5_timing *timing, md5_clock clock, double cycles);

// Two times are equal if they differ by less than this, in cycles. The value is far above all
// rounding errors and far below the length of a frame.
#define MD5_BORDER 1e-9

// Returns the number of cycles from one clock to another.
static inline double md5_cycles_between(md5_clock from, md5_clock to)
{
    return (double)(to.cycle - from.cycle) + (to.phase - from.phase);
}

static inline bool md5_is_integer_phase(double phase)
{
    return phase <= MD5_BORDER || phase >= 1.0 - MD5_BORDER;
}

// Returns true if both clocks are at the same boundary between two cycles.
static inline bool md5_is_same_cycle_boundary(md5_clock from, md5_clock to)
{
    const double delta = md5_cycles_between(from, to);
    if (delta > 2.0 * MD5_BORDER || delta < -2.0 * MD5_BORDER)
        return false;
    return md5_is_integer_phase(from.phase) && md5_is_integer_phase(to.phase);
}

// Returns the clock of the nearest frame if it is at most `max_distance` cycles away, otherwise
// `clock`. This restores the exact frame of a time that was stored as a float.
md5_clock md5i_clock_snap(const md5_timing *timing, md5_clock clock, double max_distance);

// Returns the sample position of a clock. For MD5_PLAY_LOOP, its cycle is the cycle of the clock. A
// clock less than MD5_BORDER before the end of a cycle gives the first frame of the next cycle,
// because its events have fired too.
md5_sample_position md5i_clock_sample_position(const md5_timing *timing, md5_clock clock,
                                               md5_interpolation interpolation);

// -- Events -------------------------------------------------------------------------------------
//
// A step is a movement of a clip's clock from one position to another. It passes each event once
// per pass through the clip, in the order of playback. This is also true for backward playback,
// across loops, and for steps of many cycles. The result does not depend on the division of time
// into steps.
//
// A clock is a sum with rounding errors. The errors differ if the same time is divided into other
// steps. Therefore an event counts as reached slightly early, MD5_BORDER of a cycle before its
// position:

// A cue: the position of an event in a cycle. A ping-pong cycle passes most events twice, so they
// have two cues. The last frame of a loop has phase 1, not 0. Therefore its event fires at the end
// of a cycle and not at the start of the first.
typedef struct md5_cue {
    double phase;   // 0..1
    uint32_t event; // index of the event in the clip
} md5_cue;

// Writes the cues of `num_events` events to cues[], sorted by phase. Events of the same frame keep
// the order of their table. All frames must be within the clip. If `has_ends` is true, both ends of
// a cycle also get a cue, with the event index `num_events`. Returns the number of cues, at most 2
// * num_events without the ends.
uint32_t md5i_build_cues(const md5_timing *timing, const md5_event *events, uint32_t num_events,
                         bool has_ends, md5_cue *cues);

// Adds the cues of windows to cues[num_cues], and sorts all cues. A window is a range of frames; it
// has at most 4 cues. The cue that opens window i in forward playback has the event index
// `first_index` + 2 * i, and the cue that closes it the next index. Returns the new number of cues.
uint32_t md5i_add_window_cues(const md5_timing *timing, const md5_window *windows,
                              uint32_t num_windows, uint32_t first_index, md5_cue *cues,
                              uint32_t num_cues);

// The cues of one clip: cues[num_cues], as written by md5i_build_cues().
typedef struct md5_cues {
    const md5_timing *timing;
    const md5_cue *cues;
    uint32_t num_cues;
} md5_cues;

// Iterator over events in the order of playback. The next event is cue `next` of cycle `cycle`.
typedef struct md5_event_iterator {
    const md5_cue *cues;
    int64_t num_cues;
    int64_t cycle;
    int64_t next;      // index in cues[]
    uint64_t num_left; // number of events that follow
    bool is_backward;
} md5_event_iterator;

// Begins to iterate over the events of a step from `from` to `to`. Two flags decide about events at
// the boundary between two cycles:
//
// - `at_start` is true if the clip has not moved since its start at `from`. If `from` is a whole
//   cycle, a backward step then passes the end of the previous cycle, because the clip has not
//   passed it forward.
// - `ends_cycle` is true if the clip stops at `to`. If `to` is a boundary, the events at the start
//   of the next cycle do not fire.
md5_event_iterator md5i_begin_events(const md5_cues *cues, md5_clock from, md5_clock to,
                                     bool at_start, bool ends_cycle);

// Returns the number of cues in the clock's cycle that are below the clock. `is_backward` is the
// direction in which the clip continues, `at_start` is as for md5i_begin_events().
uint32_t md5i_count_cues_below(const md5_cues *cues, md5_clock clock, bool is_backward,
                               bool at_start);

// Begins to iterate over the events at the position where a clip starts. Events at the end of the
// previous cycle are not included.
md5_event_iterator md5i_begin_start_events(const md5_cues *cues, md5_clock start);

// Writes the index and the clock of the next event. Returns false if no event is left.
bool md5i_next_event(md5_event_iterator *iterator, uint32_t *event, md5_clock *when);

// -- Root motion --------------------------------------------------------------------------------
//
// Root motion is the part of joint 0's motion that moves the character. It is removed from the
// poses of a clip and reported to the game.

// Displacement of the root in id's axes: a yaw (rotation about z) and a translation. The precision
// is double, so that many short steps add up to a long step. The yaw is stored as a unit complex
// number. It needs no trigonometric functions, so every platform computes the same bits.
typedef struct md5_root_delta {
    double x;
    double y;
    double z;
    double cosine; // cosine of the yaw
    double sine;   // sine of the yaw
} md5_root_delta;

// No displacement.
#define MD5_NO_DELTA ((md5_root_delta){.cosine = 1.0})

// Returns the displacement `a` followed by the displacement `b`. `b` is relative to the position
// and the direction at the end of `a`.
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

// Returns the displacement that reverses `delta`. It is relative to the position and the direction
// at the end of `delta`.
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

// Interpolates two displacements. The complex numbers of the yaws are interpolated linearly and
// normalized, so the yaw takes the shorter arc. If the yaws differ by 180 degrees, both arcs have
// the same length, and the yaw of `a` is used.
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
    if (scale > 0) {
        delta.cosine *= scale;
        delta.sine *= scale;
    } else {
        delta.cosine = a.cosine;
        delta.sine = a.sine;
    }
    return delta;
}

// Converts a displacement to a transform. A quaternion contains half of the yaw; adding 1 to a unit
// complex number halves its angle. A yaw of 180 degrees has two possible quaternions; this function
// returns the rotation to the left.
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

// The displacement of joint 0 in each frame of a clip, relative to the first frame.
typedef struct md5_root_track {
    md5_root_extraction root_extraction;
    uint32_t num_frames;
    const md5_root_delta *frames; // [num_frames], the first is MD5_NO_DELTA
} md5_root_track;

// Computes frames[num_frames] from roots[num_frames]. roots[] contains the transform of joint 0 in
// each frame, in model space and id's axes.
void md5i_build_root_track(md5_root_extraction extract, const md5_xform *roots, uint32_t num_frames,
                           md5_root_delta *frames);

// Returns the displacement at a sample position, relative to the start of its cycle. With
// MD5_PERIOD_OPEN, a cycle ends with an interval from the last frame to the first frame, in which
// the displacement is constant. The track's `root_extraction` must not be NONE.
md5_root_delta md5i_root_delta_at(const md5_root_track *track, const md5_sample_position *sample);

// The displacement of a clip's root at a clock. The root motion of a step is the difference between
// two such positions. The caller stores the second position, because it is the first position of
// the next step.
typedef struct md5_root_position {
    md5_clock clock;
    int64_t cycle; // cycle of the sample position; 0 unless MD5_PLAY_LOOP
    md5_root_delta delta;
} md5_root_position;

// Returns the displacement of a clip's root at a clock, relative to the start of the clock's cycle.
static inline md5_root_position md5_root_position_at(const md5_root_track *track,
                                                     const md5_timing *timing, md5_clock clock)
{
    const md5_sample_position sample =
        md5i_clock_sample_position(timing, clock, MD5_INTERPOLATE_LINEAR);
    return (md5_root_position){clock, sample.cycle, md5i_root_delta_at(track, &sample)};
}

// Returns the displacement between two positions, including whole cycles, in the character's space
// at `from`. For ONCE and PING_PONG, whole cycles add nothing, because the clip returns to its
// start.
md5_root_delta md5i_root_delta_between(const md5_root_track *track, const md5_root_position *from,
                                       const md5_root_position *to);

// Removes a displacement from `root`, joint 0 of a pose in the model's axes.
void md5i_remove_root_delta(md5_axes axes, md5_root_delta delta, md5_xform *root);

#endif
