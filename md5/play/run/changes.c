// What is in play in a layer: how one motion takes the place of another.
#include "md5/play/run/player.h"

#include <math.h>
#include <string.h>

// Takes the oldest out of the chain.
static void end_oldest(md5_run *run, uint32_t count)
{
    run->num_used = (uint8_t)(run->num_used - count);
    memmove(run->order, run->order + count, run->num_used);
}

// All that came before: for a cut, and for a reset.
static void end_all(md5_run *run)
{
    run->num_used = 0;
    run->has_snapshot = run->has_offsets = false;
}

static bool fades_still(const md5_live *live)
{
    return live->fades && md5_progress(live) < 1.0;
}

void md5_end_faded(md5_run *run)
{
    uint32_t first = run->num_used - 1u;
    while (first > 0 && fades_still(md5_live_at(run, first)))
        first--;
    end_oldest(run, first);
    // Nothing shows through any more.
    if (!fades_still(md5_live_at(run, 0)))
        run->has_snapshot = false;
}

// A slot that is not in use.
static md5_live *take_slot(md5_run *run)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < run->num_used; i++)
        used |= 1u << run->order[i];
    uint8_t slot = 0;
    while ((used >> slot & 1u) != 0)
        slot++;
    run->order[run->num_used++] = slot;
    return md5_slot(run, slot);
}

// Makes room for one more: the oldest two, of which a frozen pose is one, become a frozen pose.
static void collapse(md5_player *player, uint32_t layer)
{
    md5_run *const run = &player->runs[layer];
    if (run->num_used + run->has_snapshot < MD5_MAX_LIVE)
        return;
    const uint32_t count = run->has_snapshot ? 1 : 2;
    md5_freeze_oldest(player, layer, count);
    end_oldest(run, count);
}

// What has begun to come in at this very moment does not show yet: another may take its place.
static void replace_unseen(md5_run *run)
{
    const md5_live *const newest = md5_newest(run);
    if (newest->fades && newest->elapsed <= MD5_BORDER)
        run->num_used--;
}

// Offsets are between two poses: they cannot do where on one side there is none.
static bool has_poses(md5_run *run, const md5_state *to)
{
    if (to->program < 0 || (run->has_snapshot && run->coverage < 1.0f))
        return false;
    for (uint32_t i = 0; i < run->num_used; i++) {
        if (md5_live_at(run, i)->program < 0)
            return false;
    }
    return true;
}

void md5_change_state(md5_player *player, uint32_t layer, const md5_change *change)
{
    const md5_machine *const machine = player->machine;
    const md5_play_layer *const from = &machine->layers[layer];
    md5_run *const run = &player->runs[layer];
    const int32_t left = run->num_used > 0 ? (int32_t)md5_newest(run)->state : -1;
    const double duration = left < 0 ? 0.0 : fmax(change->duration, 0.0);
    const bool is_inertial = duration > 0.0 && change->fade == MD5_FADE_INERTIAL
                             && has_poses(run, &machine->states[from->first_state + change->state]);
    const bool fades = duration > 0.0 && !is_inertial;
    if (fades) {
        replace_unseen(run);
        collapse(player, layer);
    } else if (!is_inertial) {
        end_all(run);
    }
    md5_live *const live = take_slot(run);
    live->from = duration > 0.0 ? left : -1;
    live->easing = change->easing;
    live->elapsed = 0.0;
    live->duration = duration;
    live->fades = fades;
    live->priority = change->priority;
    live->interrupt = change->interrupt;
    live->weight = fades ? 0.0f : 1.0f;
    run->rests = false;
    player->is_settled = false;
    md5_begin_live(player, from, live, change);
    if (!is_inertial)
        return;
    md5_begin_offsets(player, layer, duration);
    end_oldest(run, run->num_used - 1u);
}
