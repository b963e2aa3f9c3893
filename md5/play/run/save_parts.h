// What the parts of a saved player share.
#ifndef MD5_PLAY_RUN_SAVE_PARTS_H
#define MD5_PLAY_RUN_SAVE_PARTS_H

#include "md5/play/run/archive.h"
#include "md5/play/run/player_state.h"

#include <float.h>

// The largest phase below 1.
#define MD5_BELOW_ONE 0x1.fffffffffffffp-1

// No clock counts farther: see md5i_clock_advance().
#define MD5_MOST_CYCLES (((int64_t)1 << 62) + 1)

static inline bool md5_keep_time(md5_archive *archive, double *seconds, const char *what)
{
    return md5i_keep_double(archive, seconds, 0.0, (double)FLT_MAX, what);
}

// Whether a clip is where it says that it started.
static inline bool md5_check_start(md5_archive *archive, bool is_at_start, md5_clock now)
{
    if (archive->mode != MD5_ARCHIVE_CHECK || !is_at_start || md5_clock_stays_whole(now, now))
        return true;
    return md5i_archive_fail(archive, MD5_ERROR_RANGE,
                             "a clip is not at the start it is said to be at");
}

// Writes or reads the target of a modifier, and its state if it has one.
bool md5i_keep_modifier(md5_archive *archive, const md5_player *player, uint32_t number);

// Writes or reads the one-shots of a slot.
bool md5i_keep_slot(md5_archive *archive, const md5_machine *machine, md5_shot_slot *slot);

#endif
