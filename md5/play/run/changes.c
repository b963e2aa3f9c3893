// The active states of a layer: how one state replaces another.
#include "md5/play/run/player_state.h"

#include <math.h>
#include <string.h>

// Removes the oldest states from the chain.
static void end_oldest(md5_layer_state *layer_state, uint32_t count)
{
    layer_state->num_used = (uint8_t)(layer_state->num_used - count);
    memmove(layer_state->order, layer_state->order + count, layer_state->num_used);
}

// Removes all states: for a cut or a reset.
static void end_all(md5_layer_state *layer_state)
{
    layer_state->num_used = 0;
    layer_state->has_snapshot = layer_state->has_offsets = false;
}

static bool fades_still(const md5_active_state *active)
{
    return active->fades && md5i_progress(active) < 1.0;
}

void md5i_end_faded(md5_layer_state *layer_state)
{
    uint32_t first = layer_state->num_used - 1u;
    while (first > 0 && fades_still(md5_active_at(layer_state, first)))
        first--;
    end_oldest(layer_state, first);
    // The frozen pose is covered completely.
    if (!fades_still(md5_active_at(layer_state, 0)))
        layer_state->has_snapshot = false;
}

// Returns an unused slot.
static md5_active_state *take_slot(md5_layer_state *layer_state)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < layer_state->num_used; i++)
        used |= 1u << layer_state->order[i];
    uint8_t slot = 0;
    while ((used >> slot & 1u) != 0)
        slot++;
    layer_state->order[layer_state->num_used++] = slot;
    return md5_slot(layer_state, slot);
}

// Makes room for one more state: the oldest two, of which a frozen pose is one, become a frozen
// pose.
static void collapse(md5_player *player, uint32_t layer)
{
    md5_layer_state *const layer_state = &player->layer_states[layer];
    if (layer_state->num_used + layer_state->has_snapshot < MD5_MAX_ACTIVE)
        return;
    const uint32_t count = layer_state->has_snapshot ? 1 : 2;
    md5i_freeze_oldest(player, layer, count);
    end_oldest(layer_state, count);
}

// A state that began to fade in at this instant is not visible yet and can be replaced.
static void replace_unseen(md5_layer_state *layer_state)
{
    const md5_active_state *const newest = md5_newest(layer_state);
    if (newest->fades && newest->elapsed <= MD5_BORDER)
        layer_state->num_used--;
}

// The state that a transition from the newest one is seen to start from: that before it, if it
// began at this instant.
static int32_t source_of(md5_layer_state *layer_state)
{
    const md5_active_state *const newest = md5_newest(layer_state);
    const bool is_seen = newest->from < 0 || newest->elapsed > MD5_BORDER;
    return is_seen ? (int32_t)newest->state : newest->from;
}

// Offsets need a pose on both sides.
static bool has_poses(md5_layer_state *layer_state, const md5_state *to)
{
    if (to->tree < 0 || (layer_state->has_snapshot && layer_state->coverage < 1.0f))
        return false;
    for (uint32_t i = 0; i < layer_state->num_used; i++) {
        if (md5_active_at(layer_state, i)->tree < 0)
            return false;
    }
    return true;
}

void md5i_change_state(md5_player *player, uint32_t layer, const md5_change *change)
{
    const md5_machine *const machine = player->machine;
    const md5_play_layer *const from = &machine->layers[layer];
    md5_layer_state *const layer_state = &player->layer_states[layer];
    const int32_t source = layer_state->num_used > 0 ? source_of(layer_state) : -1;
    const double duration = source < 0 ? 0.0 : fmax(change->duration, 0.0);
    const bool is_inertial =
        duration > 0.0 && change->fade == MD5_FADE_INERTIAL
        && has_poses(layer_state, &machine->states[from->first_state + change->state]);
    const bool fades = duration > 0.0 && !is_inertial;
    if (fades) {
        replace_unseen(layer_state);
        collapse(player, layer);
    } else if (!is_inertial) {
        end_all(layer_state);
    }
    md5_active_state *const active = take_slot(layer_state);
    active->from = duration > 0.0 ? source : -1;
    active->easing = change->easing;
    active->curve = change->curve > 0 ? &player->machine->curves[change->curve - 1] : NULL;
    active->elapsed = 0.0;
    active->duration = duration;
    active->fades = fades;
    active->priority = change->priority;
    active->interrupt = change->interrupt;
    active->weight = fades ? 0.0f : 1.0f;
    layer_state->is_resting = false;
    layer_state->is_entered = change->begin == MD5_BEGIN_AT;
    if (layer_state->is_entered)
        layer_state->entered = (int32_t)change->state;
    player->is_settled = false;
    md5i_begin_state(player, from, active, change);
    if (!is_inertial)
        return;
    md5i_begin_offsets(player, layer, duration);
    end_oldest(layer_state, layer_state->num_used - 1u);
}
