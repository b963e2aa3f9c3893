#include "md5/play/event_walk.h"

#include <stdlib.h>

static int compare_cues(const void *left, const void *right)
{
    const md5_cue *a = (const md5_cue *)left, *b = (const md5_cue *)right;
    if (a->phase != b->phase)
        return a->phase < b->phase ? -1 : 1;
    return a->event < b->event ? -1 : a->event > b->event;
}

uint32_t md5i_make_cues(const md5_timing *timing, const md5_event *events, uint32_t num_events,
                        bool has_ends, md5_cue *cues)
{
    const double intervals = (double)md5i_timing_intervals(timing);
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
    if (has_ends) {
        cues[num_cues++] = (md5_cue){0.0, num_events};
        cues[num_cues++] = (md5_cue){1.0, num_events};
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

// A border between cues: those from `next` of `cycle` on lie above it.
typedef struct border {
    int64_t cycle, next;
} border;

// The border just below or, with `is_above`, above what lies at a clock.
static border border_at(const md5_cues *of, md5_clock clock, bool is_above)
{
    return (border){clock.cycle, count_below(of->cues, of->num_cues, clock.phase, is_above)};
}

// As many cues as a step can have; more cannot be told from it.
#define MOST_CUES 1e18

static uint64_t cues_between(const md5_cues *of, border low, border high)
{
    const double cycles = (double)high.cycle - (double)low.cycle;
    if (cycles * (double)of->num_cues >= MOST_CUES)
        return (uint64_t)MOST_CUES;
    const int64_t count = (high.cycle - low.cycle) * (int64_t)of->num_cues + (high.next - low.next);
    return count > 0 ? (uint64_t)count : 0;
}

// Within its cycle, also beyond its ends.
static md5_clock moved(md5_clock clock, double by)
{
    return (md5_clock){clock.cycle, clock.phase + by};
}

// Where a step has come to, seen a border's width ahead in its direction.
static border end_of_step(const md5_cues *of, md5_clock now, double ahead, bool ends_cycle)
{
    const md5_clock end = md5i_clock_shift(of->timing, now, ahead);
    const md5_clock back = md5i_clock_shift(of->timing, now, -ahead);
    // Where ping-pong comes back to its first frame, that is where its cycle ends.
    if (!ends_cycle || of->timing->mode != MD5_PLAY_LOOP || end.cycle == back.cycle)
        return border_at(of, end, ahead > 0.0);
    return (border){back.cycle, ahead > 0.0 ? of->num_cues : 0};
}

static border begin_of_step(const md5_cues *of, md5_clock before, double ahead, bool at_start)
{
    if (at_start && ahead < 0.0 && of->timing->mode == MD5_PLAY_LOOP
        && md5_clock_stays_whole(before, before))
        return (border){md5i_clock_shift(of->timing, before, -ahead).cycle, 0};
    return border_at(of, md5i_clock_shift(of->timing, before, ahead), ahead > 0.0);
}

md5_event_walk md5i_begin_event_walk(const md5_cues *of, md5_clock before, md5_clock now,
                                     bool at_start, bool ends_cycle)
{
    const bool is_backward =
        now.cycle < before.cycle || (now.cycle == before.cycle && now.phase < before.phase);
    const double ahead = is_backward ? -MD5_BORDER : MD5_BORDER;
    const bool stays = at_start && md5_clock_stays_whole(before, now);
    const border end = end_of_step(of, now, ahead, ends_cycle || stays);
    const border begin = begin_of_step(of, before, ahead, at_start);
    return (md5_event_walk){
        .cues = of->cues,
        .num_cues = of->num_cues,
        .cycle = begin.cycle,
        .next = is_backward ? begin.next - 1 : begin.next,
        .num_left = is_backward ? cues_between(of, end, begin) : cues_between(of, begin, end),
        .is_backward = is_backward,
    };
}

md5_event_walk md5i_begin_event_start(const md5_cues *of, md5_clock start)
{
    const border low = border_at(of, moved(start, -MD5_BORDER), false);
    const border high = border_at(of, moved(start, MD5_BORDER), true);
    return (md5_event_walk){
        .cues = of->cues,
        .num_cues = of->num_cues,
        .cycle = low.cycle,
        .next = low.next,
        .num_left = cues_between(of, low, high),
    };
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

bool md5i_next_event(md5_event_walk *walk, uint32_t *event, md5_clock *when)
{
    if (walk->num_left == 0)
        return false;
    turn_over(walk);
    const md5_cue *const cue = &walk->cues[walk->next];
    *event = cue->event;
    *when = (md5_clock){walk->cycle, cue->phase};
    walk->next += walk->is_backward ? -1 : 1;
    walk->num_left--;
    return true;
}
