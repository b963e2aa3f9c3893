// What is in play in a layer: how one motion takes the place of another.
#include "md5/play/run/player.h"

#include <math.h>
#include <string.h>

// Takes one out of the chain.
static void end_live(md5_run *run, uint32_t place)
{
    if (place < run->num_ghosts)
        run->num_ghosts--;
    run->num_used--;
    memmove(run->order + place, run->order + place + 1, run->num_used - place);
}

void md5_end_ghosts(md5_run *run)
{
    run->is_left = false;
    if (run->num_ghosts == 0)
        return;
    memmove(run->order, run->order + run->num_ghosts, (size_t)run->num_used - run->num_ghosts);
    run->num_used = (uint8_t)(run->num_used - run->num_ghosts);
    run->num_ghosts = 0;
}

// All that came before: for a cut, and for a reset.
static void end_all(md5_run *run)
{
    run->num_used = run->num_ghosts = 0;
    run->is_left = run->has_snapshot = run->has_offsets = false;
}

static bool fades_still(const md5_live *live)
{
    return live->fades && md5_progress(live) < 1.0;
}

void md5_end_faded(md5_run *run)
{
    uint32_t first = run->num_used - 1u;
    while (first > run->num_ghosts && fades_still(md5_live_at(run, first)))
        first--;
    for (; first > run->num_ghosts; first--)
        end_live(run, run->num_ghosts);
    // Nothing shows through any more. An inertial transition still needs to see what it left.
    if (run->is_left || fades_still(md5_live_at(run, run->num_ghosts)))
        return;
    md5_end_ghosts(run);
    run->has_snapshot = false;
}

// A slot that is not in use; if need be, the oldest one's.
static md5_live *take_slot(md5_run *run)
{
    if (run->num_used == MD5_SLOTS)
        end_live(run, 0);
    uint32_t used = 0;
    for (uint32_t i = 0; i < run->num_used; i++)
        used |= 1u << run->order[i];
    uint8_t slot = 0;
    while ((used >> slot & 1u) != 0)
        slot++;
    run->order[run->num_used++] = slot;
    return md5_slot(run, slot);
}

// Makes room for one more: the two oldest become a frozen pose, at the next pose. What came after
// an inertial transition that no pose has shown yet may go at once.
static void collapse(md5_run *run)
{
    const uint32_t num_lives = (uint32_t)run->num_used - run->num_ghosts;
    if (run->is_left) {
        if (num_lives == MD5_MAX_LIVE)
            end_live(run, run->num_ghosts);
        return;
    }
    const bool is_frozen = run->has_snapshot || run->num_ghosts > 0;
    if (num_lives + is_frozen == MD5_MAX_LIVE)
        run->num_ghosts = (uint8_t)(run->num_ghosts + (is_frozen ? 1 : 2));
}

// What has begun to come in at this very moment does not show yet: another may take its place.
static void replace_unseen(md5_run *run)
{
    const md5_live *const newest = md5_newest(run);
    if (newest->fades && newest->elapsed == 0.0)
        end_live(run, run->num_used - 1u);
}

// Everything that shows becomes what an inertial transition leaves.
static void leave(md5_run *run, double duration)
{
    // What no pose has shown need not be left.
    while (run->is_left && run->num_used > run->num_ghosts)
        end_live(run, run->num_ghosts);
    run->num_ghosts = run->num_used;
    run->is_left = true;
    run->leaving = (md5_span){0.0, duration};
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
    const double duration = left < 0 ? 0.0 : fmax((double)change->duration, 0.0);
    bool fades = duration > 0.0;
    if (!fades) {
        end_all(run);
    } else if (change->fade == MD5_FADE_INERTIAL
               && has_poses(run, &machine->states[from->first_state + change->state])) {
        leave(run, duration);
        fades = false;
    } else {
        replace_unseen(run);
        collapse(run);
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
    md5_begin_live(player, from, live, change->state, change->start, change->adds_start);
}
