// Updates a crowd.
//
// An update (view_run_crowd) has three parts. view_advance_part() advances the members and selects
// their levels. view_pose_part() computes the palettes. view_write_member_range() writes the arrays
// that are drawn. Several worker threads call each part, for different ranges of members.
#include "demo/viewer/crowd/crowd.h"

#include "demo/common/threads.h"
#include "demo/viewer/platform/platform.h"

// Returns true if the members of a kind play a state machine.
static bool has_machines(const view_crowd *crowd)
{
    for (uint32_t k = 0; k < crowd->num_kinds; k++) {
        if (crowd->kinds[k].machine != NULL)
            return true;
    }
    return false;
}

// Advances all members of the crowd to a time, seconds, which may be before the current time.
// Members with machines advance in steps of limited length, and only through the last
// `max_simulated` seconds. Members that play clips can jump to any time.
static void advance_crowd(view_crowd *crowd, double time, const view_culling *culling)
{
    const double max_step = 1.0 / 15.0; // seconds
    const double max_simulated = 30;    // seconds
    double remaining = time - crowd->time;
    crowd->pace = fabsf((float)remaining);

    // Skip the time that is not simulated.
    double skipped = 0;
    if (!has_machines(crowd))
        skipped = remaining;
    else if (remaining > max_simulated)
        skipped = remaining - max_simulated;
    crowd->time += skipped;
    remaining -= skipped;

    // Levels of detail are selected once, in the last step. This step may be 0 seconds long.
    bool is_last = false;
    while (!is_last) {
        is_last = !(remaining > max_step);
        const double step = is_last ? remaining : max_step;
        crowd->step = (float)step;
        crowd->time += step;
        crowd->culling = is_last ? culling : NULL;
        md5_threads_run(crowd->threads, crowd->count, view_advance_part, crowd);
        remaining -= max_step;
    }
}

// Advances all members of the crowd. If the crowd is drawn (`culling` is not NULL), also poses the
// visible members. Each phase runs on all threads.
void view_run_crowd(view_crowd *crowd, double time, const view_culling *culling)
{
    const double begin = view_seconds();
    advance_crowd(crowd, time, culling);
    if (culling != NULL) {
        view_select_posed(crowd);
        md5_threads_run(crowd->threads, crowd->num_posed, view_pose_part, crowd);
        md5_threads_run(crowd->threads, crowd->count, view_write_member_range, crowd);
        crowd->num_frames++;
    }
    crowd->culling = NULL;

    // A moving average of the duration of updates.
    crowd->last_seconds = view_seconds() - begin;
    crowd->seconds =
        crowd->seconds > 0 ? 0.9 * crowd->seconds + 0.1 * crowd->last_seconds : crowd->last_seconds;
}
