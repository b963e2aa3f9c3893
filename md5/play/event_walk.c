#include "md5/play/event_walk.h"

#include <math.h>
#include <stdlib.h>

static int compare_cues(const void *left, const void *right)
{
    const md5_cue *a = left, *b = right;
    if (a->phase != b->phase)
        return a->phase < b->phase ? -1 : 1;
    return a->event < b->event ? -1 : a->event > b->event;
}

uint32_t md5_make_cues(const md5_timing *timing, const md5_event *events, uint32_t num_events,
                       md5_cue *cues)
{
    const double intervals = (double)md5_timing_intervals(timing);
    uint32_t num_cues = 0;
    for (uint32_t i = 0; i < num_events; i++) {
        const double phase = (double)events[i].frame / intervals;
        if (timing->mode != MD5_PLAY_PING_PONG) {
            cues[num_cues++] = (md5_cue){phase, i};
            continue;
        }
        cues[num_cues++] = (md5_cue){0.5 * phase, i};
        if (phase > 0.0 && phase < 1.0)
            cues[num_cues++] = (md5_cue){1.0 - 0.5 * phase, i};
    }
    qsort(cues, num_cues, sizeof *cues, compare_cues);
    return num_cues;
}

// Number of cues whose phase is below `phase`, or, with `or_at`, not above it.
static int64_t count_below(const md5_cue *cues, int64_t num_cues, double phase, bool or_at)
{
    int64_t low = 0, high = num_cues;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const double at = cues[middle].phase;
        if (at < phase || (or_at && at == phase))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

md5_event_walk md5_begin_event_walk(const md5_timing *timing, const md5_cue *cues,
                                    uint32_t num_cues, md5_clock before, md5_clock now,
                                    bool includes_start)
{
    md5_event_walk walk = {
        .cues = cues,
        .num_cues = num_cues,
        .before = before,
        .now = now,
        .is_loop = timing->mode == MD5_PLAY_LOOP,
        .is_backward =
            now.cycle < before.cycle || (now.cycle == before.cycle && now.phase < before.phase),
        .cycle = before.cycle,
    };
    if (!walk.is_backward) {
        walk.next = count_below(cues, num_cues, before.phase, !includes_start);
        return walk;
    }
    walk.next = count_below(cues, num_cues, before.phase, includes_start) - 1;
    // At the start of a cycle, cues at the end of the one before lie where the step begins.
    if (walk.next < 0 && before.phase == 0.0 && !includes_start) {
        walk.cycle--;
        walk.next = count_below(cues, num_cues, 1.0, false) - 1;
    }
    return walk;
}

// Brings the walk to a cue, if it stands beyond the end or the start of its cycle.
static void turn_over(md5_event_walk *walk)
{
    if (!walk->is_backward && walk->next >= walk->num_cues) {
        walk->next = 0;
        walk->cycle++;
    } else if (walk->is_backward && walk->next < 0) {
        walk->next = walk->num_cues - 1;
        walk->cycle--;
    }
}

static bool is_within(const md5_event_walk *walk, double phase)
{
    const md5_clock now = walk->now;
    if (!walk->is_backward)
        return walk->cycle < now.cycle || (walk->cycle == now.cycle && phase <= now.phase);
    if (walk->cycle == now.cycle - 1)
        return walk->is_loop && now.phase == 0.0 && phase == 1.0;
    return walk->cycle > now.cycle || (walk->cycle == now.cycle && phase >= now.phase);
}

bool md5_next_event(md5_event_walk *walk, uint32_t *event, double *when)
{
    if (walk->num_cues == 0)
        return false;
    turn_over(walk);
    const md5_cue *const cue = &walk->cues[walk->next];
    if (!is_within(walk, cue->phase))
        return false;
    const md5_clock before = walk->before, now = walk->now;
    const double length = (double)(now.cycle - before.cycle) + (now.phase - before.phase);
    const double way = (double)(walk->cycle - before.cycle) + (cue->phase - before.phase);
    *event = cue->event;
    // Rounding may put an event before the last one, or beyond the end.
    if (length != 0.0)
        walk->when = fmin(fmax(way / length, walk->when), 1.0);
    *when = walk->when;
    walk->next += walk->is_backward ? -1 : 1;
    return true;
}
