// Which events a clip passes in a step of time: each exactly once a pass, in order, however time is
// split, across loops, backward, and through steps of many cycles.
//
// The times of a clip come from sums that are rounded, and another split of the same time rounds
// otherwise. So an event counts as reached from MD5_BORDER of a cycle before it: forward a step
// from `before` to `now` passes what lies in (before + MD5_BORDER, now + MD5_BORDER], backward in
// [now - MD5_BORDER, before - MD5_BORDER). Rounding is far smaller than that, and the borders of
// neighbouring steps fall on each other.
#ifndef MD5_PLAY_EVENT_WALK_H
#define MD5_PLAY_EVENT_WALK_H

#include "md5/play/clock.h"

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
    int64_t cycle, next;
    uint64_t num_left;
    bool is_backward;
} md5_event_walk;

// A step from `before` to `now`. at_start: the clip has not moved since it began at `before`; if
// that is a whole cycle, backward it passes the end of the cycle before, which forward it has not
// passed. ends_cycle: the clip is left at `now`; then a cycle that would begin there does not: its
// first event is silent.
md5_event_walk md5i_begin_event_walk(const md5_cues *of, md5_clock before, md5_clock now,
                                     bool at_start, bool ends_cycle);

// The events where a clip begins, without those at the end of the previous cycle.
md5_event_walk md5i_begin_event_start(const md5_cues *of, md5_clock start);

// Writes the next event and its clock. Returns false if there is none.
bool md5i_next_event(md5_event_walk *walk, uint32_t *event, md5_clock *when);

#endif
