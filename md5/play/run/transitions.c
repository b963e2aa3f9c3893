// Which transition is taken, and when; and how one state replaces another.
#include "md5/play/run/player_state.h"

#include <math.h>
#include <string.h>

// Seconds: when a condition changes is found to within this.
#define SAME_TIME 1e-13

static bool holds_for(const md5_play_condition *condition, float value)
{
    switch (condition->compare) {
    case MD5_IS_SET:
        return value != 0.0f;
    case MD5_IS_CLEAR:
        return value == 0.0f;
    case MD5_IS_LESS:
        return value < condition->value;
    case MD5_IS_GREATER:
        return value > condition->value;
    case MD5_IS_AT_MOST:
        return value <= condition->value;
    case MD5_IS_AT_LEAST:
        break;
    }
    return value >= condition->value;
}

static bool holds(const md5_player *player, uint32_t layer, const md5_play_condition *condition)
{
    const bool is_used = player->consumed[condition->parameter] == layer + 1;
    if (is_used && (condition->compare == MD5_IS_SET || condition->compare == MD5_IS_CLEAR))
        return condition->compare == MD5_IS_CLEAR;
    return holds_for(condition, player->parameters[condition->parameter]);
}

// Whether a transition is possible, apart from its exit time.
static bool is_open(const md5_player *player, uint32_t layer, const md5_active_state *active,
                    const md5_transition *transition)
{
    if (transition->from < 0 && transition->to == active->state)
        return false;
    if (md5i_progress(active) < 1.0) {
        if (active->interrupt == MD5_INTERRUPT_NONE)
            return false;
        if (active->interrupt == MD5_INTERRUPT_HIGHER && transition->priority <= active->priority)
            return false;
    }
    const md5_play_condition *const conditions =
        player->machine->conditions + transition->first_condition;
    for (uint32_t i = 0; i < transition->num_conditions; i++) {
        if (!holds(player, layer, &conditions[i]))
            return false;
    }
    return true;
}

// In a resting layer only transitions that open later count: see take_in_layer().
static bool is_suppressed(const md5_player *player, uint32_t layer, const md5_active_state *active,
                          const md5_transition *transition)
{
    return player->layer_states[layer].is_resting
           && (!transition->waits || md5i_began_behind(player, active, transition->exit));
}

// Merges two lists of transitions that are each in the order of priority.
typedef struct candidates {
    const md5_transition *own, *own_end, *any, *any_end;
} candidates;

static candidates candidates_of(const md5_player *player, uint32_t layer,
                                const md5_active_state *active)
{
    const md5_machine *const machine = player->machine;
    const md5_play_layer *const of = &machine->layers[layer];
    const md5_state *const state = &machine->states[of->first_state + active->state];
    candidates all = {
        .own = machine->transitions + state->first_transition,
        .any = machine->transitions + of->first_any,
    };
    all.own_end = all.own + state->num_transitions;
    all.any_end = all.any + of->num_any;
    return all;
}

static const md5_transition *next_candidate(candidates *all)
{
    if (all->own == all->own_end)
        return all->any == all->any_end ? NULL : all->any++;
    if (all->any == all->any_end || all->own->priority > all->any->priority)
        return all->own++;
    if (all->own->priority < all->any->priority || all->any->number < all->own->number)
        return all->any++;
    return all->own++;
}

static const md5_transition *find_open(const md5_player *player, uint32_t layer,
                                       const md5_active_state *active)
{
    candidates all = candidates_of(player, layer, active);
    for (const md5_transition *at = next_candidate(&all); at; at = next_candidate(&all)) {
        if (is_open(player, layer, active, at)
            && (!at->waits || md5i_has_reached(player, active, at->exit))
            && !is_suppressed(player, layer, active, at))
            return at;
    }
    return NULL;
}

// Consumes the triggers of a transition: for this layer now, for the others after all of them have
// seen it. Returns whether there was one.
static bool consume(md5_player *player, uint32_t layer, const md5_transition *transition)
{
    const md5_machine *const machine = player->machine;
    const md5_play_condition *const conditions = machine->conditions + transition->first_condition;
    bool has_consumed = false;
    for (uint32_t i = 0; i < transition->num_conditions; i++) {
        const uint32_t parameter = conditions[i].parameter;
        if (machine->tables.parameters[parameter].kind != MD5_PARAMETER_TRIGGER
            || conditions[i].compare == MD5_IS_CLEAR)
            continue;
        player->consumed[parameter] = layer + 1;
        player->has_consumed = has_consumed = true;
    }
    return has_consumed;
}

static void take(md5_player *player, uint32_t layer, const md5_transition *transition)
{
    md5_change change = {
        .state = transition->to,
        .start = transition->start,
        .begin = MD5_BEGIN_BEHIND,
        .duration = transition->duration,
        .fade = transition->fade,
        .easing = transition->easing,
        .curve = transition->curve,
        .priority = transition->priority,
        .interrupt = transition->interrupt,
    };
    if (transition->keeps_phase) {
        change.start =
            md5i_exit_phase(player, md5_newest(&player->layer_states[layer]), transition);
        change.begin = MD5_BEGIN_AS_LEFT;
    }
    md5i_change_state(player, layer, &change);
}

// Takes transitions of a layer until none is possible at this instant. If more are taken than there
// are, they form a cycle, which would never end because no time passes: then the layer rests in its
// current state. Transitions that were open then are ignored until a parameter changes or the
// current transition ends; so the result does not depend on how often this is called.
static void take_in_layer(md5_player *player, uint32_t layer)
{
    md5_layer_state *const layer_state = &player->layer_states[layer];
    const uint32_t most = player->machine->tables.layers[layer].num_transitions + 1;
    for (uint32_t num_taken = 0; player->num_steps < MD5_MAX_STEP_PARTS; player->num_steps++) {
        const md5_transition *const open = find_open(player, layer, md5_newest(layer_state));
        if (!open)
            return;
        if (num_taken == most) {
            layer_state->is_resting = true;
            return;
        }
        num_taken = consume(player, layer, open) ? 0 : num_taken + 1;
        take(player, layer, open);
    }
}

// Returns whether there were any.
static bool clear_triggers(md5_player *player)
{
    if (!player->has_consumed)
        return false;
    for (uint32_t i = 0; i < player->machine->tables.num_parameters; i++) {
        if (player->consumed[i] > 0)
            player->parameters[i] = 0.0f;
        player->consumed[i] = 0;
    }
    player->has_consumed = false;
    player->is_weighed = false;
    return true;
}

// A consumed trigger may open transitions that wait for it to be clear.
void md5i_take_transitions(md5_player *player)
{
    do {
        md5i_weigh_all(player);
        for (uint32_t i = 0; i < player->machine->tables.num_layers; i++)
            take_in_layer(player, i);
    } while (clear_triggers(player));
}

bool md5i_is_at_exit(const md5_player *player, uint32_t layer)
{
    const md5_transition *const open =
        find_open(player, layer, md5_newest(&player->layer_states[layer]));
    return open && open->waits;
}

double md5i_seconds_until_exit(md5_player *player, uint32_t layer, double most)
{
    const md5_active_state *const active = md5_newest(&player->layer_states[layer]);
    candidates all = candidates_of(player, layer, active);
    for (const md5_transition *at = next_candidate(&all); at; at = next_candidate(&all)) {
        if (at->waits && is_open(player, layer, active, at))
            most = md5i_seconds_until(player, active, at->exit, most);
    }
    return most;
}

double md5i_seconds_until_kink(md5_player *player, double most)
{
    const md5_machine *const machine = player->machine;
    md5i_follow_goals(player, most, MD5_FOLLOW_LOOKS);
    for (size_t i = 0; i < machine->num_kinks; i++) {
        const md5_play_condition *const kink = &machine->kinks[i];
        const int32_t row = machine->followers[kink->parameter];
        const float now = player->parameters[kink->parameter], next = player->followings[row].next;
        if (now == next || holds_for(kink, now) == holds_for(kink, next))
            continue;
        // It may be the one that ends the time already.
        double before = 0.0, middle = most - SAME_TIME;
        while (most - before > SAME_TIME) {
            if (holds_for(kink, md5i_followed(player, row, middle)) == holds_for(kink, now))
                before = middle;
            else
                most = middle;
            middle = 0.5 * (before + most);
        }
    }
    return most;
}

// -- How one state replaces another --------------------------------------------------------------

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
