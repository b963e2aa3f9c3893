// Synchronised clips of a blend space share one clock.
#ifndef MD5_PLAY_RUN_SYNC_H
#define MD5_PLAY_RUN_SYNC_H

#include "md5/play/clock.h"

// One clip of a group.
typedef struct md5_sync_item {
    float weight; // of all items together more than 0
    double rate;  // own rate, cycles a second; negative = backward
    // Phases of its markers, ascending, 0 <= phase < 1, and how many; the same
    // number for each clip of a group. 0: clips have equal phases.
    const double *markers;
} md5_sync_item;

// The shared clock after `seconds`. Its rate is the weighted mean of the rates; with markers, the
// weighted mean of the rates at which each clip moves from this marker to the next. The result does
// not depend on how the time is split.
md5_clock md5i_sync_advance(const md5_sync_item *items, uint32_t num_items, uint32_t num_markers,
                            md5_clock clock, double seconds);

// Seconds of a whole shared cycle; with markers, 0 if some part of it stands still or runs
// backward.
double md5i_sync_cycle_seconds(const md5_sync_item *items, uint32_t num_items,
                               uint32_t num_markers);

// Seconds that the shared clock takes from one position to another: negative if time must run
// backward, not finite if it never arrives. `items` as for md5i_sync_advance().
double md5i_sync_seconds(const md5_sync_item *items, uint32_t num_items, uint32_t num_markers,
                         md5_clock from, md5_clock to);

// An item's own clock: equal to the shared one without markers; with them, the shared clock's phase
// 0 is the first marker, and each marker takes an equal part of a cycle.
md5_clock md5i_sync_clock(const double *markers, uint32_t num_markers, md5_clock shared);

// The shared clock when an item's own is `own`: the inverse, up to rounding error.
md5_clock md5i_sync_shared(const double *markers, uint32_t num_markers, md5_clock own);

#endif
