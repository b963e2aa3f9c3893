// Which transition is taken, and when.
#include "md5/play/run/player.h"

static bool holds(const md5_player *player, uint32_t layer, const md5_play_condition *condition)
{
    const float value = player->parameters[condition->parameter];
    const bool is_used = player->consumed[condition->parameter] == layer + 1;
    switch (condition->compare) {
    case MD5_IS_SET:
        return value != 0.0f && !is_used;
    case MD5_IS_CLEAR:
        return value == 0.0f || is_used;
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

// Whether all but time allows it.
static bool is_open(const md5_player *player, uint32_t layer, const md5_live *live,
                    const md5_transition *transition)
{
    if (transition->from < 0 && transition->to == live->state)
        return false;
    if (md5_progress(live) < 1.0) {
        if (live->interrupt == MD5_INTERRUPT_NONE)
            return false;
        if (live->interrupt == MD5_INTERRUPT_HIGHER && transition->priority <= live->priority)
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

// Two lists, each with the first to be asked first, as one.
typedef struct candidates {
    const md5_transition *own, *own_end, *any, *any_end;
} candidates;

static candidates candidates_of(const md5_player *player, uint32_t layer, const md5_live *live)
{
    const md5_machine *const machine = player->machine;
    const md5_play_layer *const of = &machine->layers[layer];
    const md5_state *const state = &machine->states[of->first_state + live->state];
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
                                       const md5_live *live)
{
    candidates all = candidates_of(player, layer, live);
    for (const md5_transition *at = next_candidate(&all); at; at = next_candidate(&all)) {
        if (is_open(player, layer, live, at)
            && (!at->waits || md5_has_reached(player, live, (double)at->exit)))
            return at;
    }
    return NULL;
}

// A trigger that the transition asked for is used up: in this layer at once, for the others at the
// end of the step.
static void consume(md5_player *player, uint32_t layer, const md5_transition *transition)
{
    const md5_machine *const machine = player->machine;
    const md5_play_condition *const conditions = machine->conditions + transition->first_condition;
    for (uint32_t i = 0; i < transition->num_conditions; i++) {
        const uint32_t parameter = conditions[i].parameter;
        if (machine->tables.parameters[parameter].kind != MD5_PARAMETER_TRIGGER
            || conditions[i].compare == MD5_IS_CLEAR)
            continue;
        player->consumed[parameter] = layer + 1;
        player->has_consumed = true;
    }
}

static void take(md5_player *player, uint32_t layer, const md5_transition *transition)
{
    md5_change change = {
        .state = transition->to,
        .start = (double)transition->start,
        .adds_start = true,
        .duration = transition->duration,
        .fade = transition->fade,
        .easing = transition->easing,
        .priority = transition->priority,
        .interrupt = transition->interrupt,
    };
    if (transition->keeps_phase) {
        change.start = md5_live_phase(md5_newest(&player->runs[layer]));
        change.adds_start = false;
    }
    consume(player, layer, transition);
    md5_change_state(player, layer, &change);
}

// One that leads on at once is taken at once, so that it does not matter how often one steps. There
// is an end to it: a circle of transitions that are always open has none.
void md5_take_transitions(md5_player *player, uint32_t layer)
{
    enum { MOST_HOPS = 8 };
    for (uint32_t hop = 0; hop < MOST_HOPS; hop++) {
        const md5_transition *const open =
            find_open(player, layer, md5_newest(&player->runs[layer]));
        if (!open)
            return;
        take(player, layer, open);
    }
}

double md5_seconds_until_exit(md5_player *player, uint32_t layer, double most)
{
    const md5_live *const live = md5_newest(&player->runs[layer]);
    candidates all = candidates_of(player, layer, live);
    for (const md5_transition *at = next_candidate(&all); at; at = next_candidate(&all)) {
        if (at->waits && is_open(player, layer, live, at))
            most = md5_seconds_until(player, live, (double)at->exit, most);
    }
    return most;
}
