// Which events a clip passes in a step of time: each exactly once a pass, in order, however time is
// split, across loops, backward, and through steps of many cycles.
#ifndef MD5_PLAY_EVENT_WALK_H
#define MD5_PLAY_EVENT_WALK_H

#include "md5/play/clock.h"

// Where in a cycle an event lies. A ping-pong cycle passes most of them twice. The last frame of a
// loop is 1, so that it fires at the end of a cycle and not when the first one starts.
typedef struct md5_cue {
    double phase;   // 0..1
    uint32_t event; // its number in the clip
} md5_cue;

// Cues of `num_events` events, sorted by phase, events of one frame in the order of their table.
// Writes cues[], at most 2 * num_events, and returns how many. Frames lie within the clip.
uint32_t md5_make_cues(const md5_timing *timing, const md5_event *events, uint32_t num_events,
                       md5_cue *cues);

// A step from `before` to `now`. What lies at `now` belongs to it, what lies at `before` only when
// it includes its start.
typedef struct md5_event_walk {
    const md5_cue *cues;
    int64_t num_cues;
    md5_clock before, now;
    bool is_loop, is_backward;
    int64_t cycle, next; // of the cue to be looked at
    double when;         // of the last one
} md5_event_walk;

md5_event_walk md5_begin_event_walk(const md5_timing *timing, const md5_cue *cues,
                                    uint32_t num_cues, md5_clock before, md5_clock now,
                                    bool includes_start);

// The next event, and when in the step it comes, 0..1. False if there is none.
bool md5_next_event(md5_event_walk *walk, uint32_t *event, double *when);

#endif
