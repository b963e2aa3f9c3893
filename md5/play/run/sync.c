#include "md5/play/run/sync.h"

#include <math.h>

// Clocks of groups only ever loop.
static const md5_timing GROUP = {.num_frames = 2, .frame_rate = 1.0};

// Of a clip's cycle, from marker `first` to the next one, which may be the first of the next cycle.
static double part_of(const double *markers, uint32_t num_markers, uint32_t first)
{
    if (first + 1 < num_markers)
        return markers[first + 1] - markers[first];
    return markers[0] + 1.0 - markers[first];
}

// Shared cycles a second between marker `first` and the next.
static double rate_between(const md5_sync_item *items, uint32_t num_items, uint32_t num_markers,
                           uint32_t first)
{
    double sum = 0.0, total = 0.0;
    for (uint32_t i = 0; i < num_items; i++) {
        const double stretch =
            num_markers == 0 ? 1.0
                             : part_of(items[i].markers, num_markers, first) * (double)num_markers;
        sum += (double)items[i].weight * items[i].rate / stretch;
        total += (double)items[i].weight;
    }
    return total > 0.0 ? sum / total : 0.0;
}

double md5i_sync_cycle_seconds(const md5_sync_item *items, uint32_t num_items, uint32_t num_markers)
{
    if (num_markers == 0)
        return 1.0 / rate_between(items, num_items, 0, 0);
    double seconds = 0.0;
    for (uint32_t i = 0; i < num_markers; i++) {
        const double rate = rate_between(items, num_items, num_markers, i);
        if (rate == 0.0 || (seconds != 0.0 && (rate < 0.0) != (seconds < 0.0)))
            return 0.0;
        seconds += 1.0 / (rate * (double)num_markers);
    }
    return seconds;
}

// A place between markers: the number of the one before it, and the share of the way to the next.
typedef struct marker_place {
    uint32_t marker;
    double share;
} marker_place;

static marker_place place_of(double phase, uint32_t num_markers)
{
    const double position = phase * (double)num_markers;
    uint32_t marker = (uint32_t)position;
    if (marker >= num_markers)
        marker = num_markers - 1;
    return (marker_place){marker, position - (double)marker};
}

// Goes on within the present part only, up to its end; returns the seconds that are left.
static double advance_part(const md5_sync_item *items, uint32_t num_items, uint32_t num_markers,
                           md5_clock *clock, marker_place *position, double seconds)
{
    const double rate = rate_between(items, num_items, num_markers, position->marker);
    const double speed = rate * (double)num_markers; // parts a second
    const double delta = speed * seconds;
    const double room = delta >= 0.0 ? 1.0 - position->share : position->share;
    if (fabs(delta) < room || speed == 0.0) {
        position->share += delta;
        return 0.0;
    }
    const double used = (delta >= 0.0 ? room : -room) / speed;
    if (delta >= 0.0) {
        *position = (marker_place){(position->marker + 1) % num_markers, 0.0};
        clock->cycle += position->marker == 0;
    } else {
        clock->cycle -= position->marker == 0;
        *position = (marker_place){(position->marker + num_markers - 1) % num_markers, 1.0};
    }
    return seconds - used;
}

static md5_clock advance_markers(const md5_sync_item *items, uint32_t num_items,
                                 uint32_t num_markers, md5_clock clock, double seconds)
{
    const double whole = md5i_sync_cycle_seconds(items, num_items, num_markers);
    if (whole != 0.0 && fabs(seconds) >= fabs(whole)) {
        const double cycles = trunc(seconds / whole);
        clock = md5i_clock_advance(&GROUP, clock, cycles);
        seconds -= cycles * whole;
    }
    // Less than a cycle is left, or a direction that turns round at one of the markers, where it
    // stays: no more parts than there are, and one for each end.
    marker_place position = place_of(clock.phase, num_markers);
    for (uint32_t i = 0; i < num_markers + 2 && seconds != 0.0; i++)
        seconds = advance_part(items, num_items, num_markers, &clock, &position, seconds);
    const double phase = ((double)position.marker + position.share) / (double)num_markers;
    return md5i_clock_advance(&GROUP, (md5_clock){.cycle = clock.cycle}, phase);
}

md5_clock md5i_sync_advance(const md5_sync_item *items, uint32_t num_items, uint32_t num_markers,
                            md5_clock clock, double seconds)
{
    if (num_markers > 0)
        return advance_markers(items, num_items, num_markers, clock, seconds);
    const double rate = rate_between(items, num_items, 0, 0);
    return md5i_clock_advance(&GROUP, clock, rate * seconds);
}

// Seconds for less than a cycle, part after part.
static double seconds_of_parts(const md5_sync_item *items, uint32_t num_items, uint32_t num_markers,
                               md5_clock from, md5_clock to)
{
    const marker_place begin = place_of(from.phase, num_markers);
    const marker_place end = place_of(to.phase, num_markers);
    const int64_t num_parts =
        (to.cycle - from.cycle) * (int64_t)num_markers + end.marker - begin.marker;
    double seconds = 0.0;
    for (int64_t i = 0; i <= num_parts; i++) {
        const double first = i == 0 ? begin.share : 0.0;
        const double last = i == num_parts ? end.share : 1.0;
        const uint32_t marker = (uint32_t)((begin.marker + (uint64_t)i) % num_markers);
        const double rate = rate_between(items, num_items, num_markers, marker);
        if (last == first)
            continue;
        const double part = (last - first) / (rate * (double)num_markers);
        if (rate == 0.0 || part * seconds < 0.0) // it stays at this marker
            return (double)INFINITY;
        seconds += part;
    }
    return seconds;
}

static bool is_before(md5_clock a, md5_clock b)
{
    return a.cycle < b.cycle || (a.cycle == b.cycle && a.phase < b.phase);
}

double md5i_sync_seconds(const md5_sync_item *items, uint32_t num_items, uint32_t num_markers,
                         md5_clock from, md5_clock to)
{
    if (num_markers == 0) {
        const double cycles = md5_clock_between(from, to);
        return cycles == 0.0 ? 0.0 : cycles / rate_between(items, num_items, 0, 0);
    }
    const bool is_backward = is_before(to, from);
    md5_clock low = is_backward ? to : from;
    const md5_clock high = is_backward ? from : to;
    const int64_t whole = high.cycle - low.cycle - (high.phase < low.phase);
    double seconds = 0.0;
    if (whole > 0) {
        seconds = (double)whole * md5i_sync_cycle_seconds(items, num_items, num_markers);
        if (seconds == 0.0)
            return (double)INFINITY;
    }
    low.cycle += whole;
    seconds += seconds_of_parts(items, num_items, num_markers, low, high);
    return is_backward ? -seconds : seconds;
}

md5_clock md5i_sync_clock(const double *markers, uint32_t num_markers, md5_clock shared)
{
    if (num_markers == 0)
        return shared;
    const marker_place position = place_of(shared.phase, num_markers);
    const double phase =
        markers[position.marker] + position.share * part_of(markers, num_markers, position.marker);
    return md5i_clock_advance(&GROUP, (md5_clock){.cycle = shared.cycle}, phase);
}

md5_clock md5i_sync_shared(const double *markers, uint32_t num_markers, md5_clock own)
{
    if (num_markers == 0)
        return own;
    // Before the first marker lies the last part of the cycle before.
    double phase = own.phase;
    int64_t cycle = own.cycle;
    if (phase < markers[0]) {
        phase += 1.0;
        cycle--;
    }
    uint32_t marker = num_markers - 1;
    while (markers[marker] > phase)
        marker--;
    const double share = (phase - markers[marker]) / part_of(markers, num_markers, marker);
    return md5i_clock_advance(&GROUP, (md5_clock){.cycle = cycle},
                              ((double)marker + share) / (double)num_markers);
}
