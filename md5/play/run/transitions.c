// Transitions: the selection of the transition that a layer takes at an instant, the conditions and
// exits on which it depends, and the time at which they may change. Conditions also start and stop
// one-shot clips.
//
// A transition changes the state of a layer when its conditions hold. It may also wait for an exit,
// which is a position of the state's first clip.
#include "md5/core/math.h"
#include "md5/play/run/player_state.h"

// Limit of exit times, in cycles. No clip reaches a later exit.
#define MAX_EXIT 0x1p52

// Minimum distance of a time that is clearly before or after an exit, relative to the larger of 1
// and the exit. Snapping to frames moves times only by much smaller distances.
#define CLEAR_EXIT_DISTANCE 1e-6

// -- Exits --------------------------------------------------------------------------------------
//
// A transition can wait for an exit of the state's first clip. There are three kinds: a normalized
// time, which is reached once; a phase, which is reached in each cycle; and an event of the clip.

// Returns true if a clip plays backward. In a group, the mean rate of the group determines the
// direction.
bool md5i_is_playing_backward(const md5_active_state *active, uint32_t instance)
{
    const md5_blend_tree *const tree = active->tree;
    const uint32_t group_index = tree->instances[instance].group;
    if (group_index == MD5_NONE)
        return active->instances[instance].rate < 0;

    const md5_group_plan *const group = &tree->groups[group_index];
    double rate = 0;
    for (uint32_t i = 0; i < group->num_members; i++) {
        const md5_clip_instance *const member = &active->instances[group->members[i]];
        rate += member->group_weight * member->rate;
    }
    return rate < 0;
}

// Position of the first clip of a state at an exit.
typedef struct exit_position {
    md5_clock clock;
    double time;      // normalized time of `clock`
    bool is_backward; // direction of playback
} exit_position;

// Computes the position of a state's first clip at an exit time.
static exit_position find_exit(const md5_active_state *active, double exit)
{
    const md5_timing *const timing = active->tree->instances[0].playable->timing;
    exit_position position = {.is_backward = md5i_is_playing_backward(active, 0)};
    const double limited = fmin(fmax(exit, -MAX_EXIT), MAX_EXIT);
    const double time = position.is_backward ? 1 - limited : limited;

    // For a clip that is played once, the exit may be outside of the clip.
    const double cycle = floor(time);
    position.clock = md5i_clock_snap(timing, (md5_clock){(int64_t)cycle, time - cycle},
                                     MD5_FLOAT_ERROR * fmax(1.0, fabs(exit)));
    position.time = md5_clock_time(position.clock);
    return position;
}

// Returns the remaining distance to an exit, in cycles.
static double cycles_to_exit(const exit_position *exit, double time)
{
    return exit->is_backward ? time - exit->time : exit->time - time;
}

// Returns true if a time of a state's first clip is at or after an exit. find_exit() corrects the
// rounding of the exit, but is slow. Therefore it is called only if the time is near the exit.
static bool is_past_exit(const md5_active_state *active, double exit, double time)
{
    if (!active->tree)
        return true;
    const double delta = md5i_is_playing_backward(active, 0) ? time - (1 - exit) : exit - time;
    if (fabs(delta) > CLEAR_EXIT_DISTANCE * fmax(1.0, fabs(exit)))
        return delta < 0;
    const exit_position position = find_exit(active, exit);
    return cycles_to_exit(&position, time) <= MD5_BORDER;
}

// Returns the distance of a cue in the direction of playback, in cycles. A repeating clip passes
// the cue in each cycle. The distance is then the distance of the first pass that is more than
// `min_cycles` away. Sets *num_cycles to the number of cycle boundaries before this pass.
static double distance_to_cue(const md5_timing *timing, const md5_cue *cue, double phase,
                              bool backward, double min_cycles, double *num_cycles)
{
    const double distance = backward ? phase - cue->phase : cue->phase - phase;
    *num_cycles = 0;
    if (timing->mode != MD5_PLAY_ONCE)
        *num_cycles = floor(min_cycles - distance) + 1;
    return distance + *num_cycles;
}

// Finds the next cue of a clip in the direction of playback that is more than `min_cycles` away.
// Returns its distance in cycles, and sets *target to the clock there. Returns INFINITY if the clip
// does not pass another cue.
//
// `event_bits` contains the event bits of each cue. If it is not NULL, only events with one of the
// bits in `event_bit` are found.
double md5i_cycles_to_cue(const md5_cues *cues, const uint64_t *event_bits, uint64_t event_bit,
                          md5_clock current, bool backward, double min_cycles, md5_clock *target)
{
    double nearest = INFINITY;
    for (uint32_t i = 0; i < cues->num_cues; i++) {
        const md5_cue *const cue = &cues->cues[i];
        if (event_bits && (event_bits[cue->event] & event_bit) == 0)
            continue;
        double num_cycles;
        const double distance =
            distance_to_cue(cues->timing, cue, current.phase, backward, min_cycles, &num_cycles);
        if (!(distance > min_cycles) || distance >= nearest)
            continue;
        nearest = distance;
        const int64_t cycles = (int64_t)(backward ? -num_cycles : num_cycles);
        *target = (md5_clock){current.cycle + cycles, cue->phase};
    }
    return nearest;
}

// Returns the number of cycles until the next exit of a transition that exits in each cycle. The
// result is more than `min_cycles`. Sets *target to the clock at the exit.
static double cycles_to_repeated_exit(const md5_active_state *active,
                                      const md5_transition *transition, double min_cycles,
                                      md5_clock *target)
{
    const md5_playable *const playable = active->tree->instances[0].playable;
    const md5_source *const source = playable->source;
    const bool backward = md5i_is_playing_backward(active, 0);
    if (transition->exit_event_bit != 0)
        return md5i_cycles_to_cue(&source->cues[playable->mode], source->event_bits,
                                  transition->exit_event_bit, active->instances[0].clock, backward,
                                  min_cycles, target);

    // The exit is at a phase of the cycle: search a list with one cue at this phase.
    const double phase = backward ? 1 - transition->exit : transition->exit;
    const md5_clock exit =
        md5i_clock_snap(playable->timing, (md5_clock){0, phase}, MD5_FLOAT_ERROR);
    const md5_cue cue = {md5_clock_time(exit), 0};
    const md5_cues exit_cues = {playable->timing, &cue, 1};
    return md5i_cycles_to_cue(&exit_cues, NULL, 0, active->instances[0].clock, backward, min_cycles,
                              target);
}

// Returns true if a state has reached the exit of a transition, or if the transition does not have
// an exit. If `at_start` is true, returns the result for the time when the state began.
static bool has_reached_exit(const md5_player *player, const md5_active_state *active,
                             const md5_transition *transition, bool at_start)
{
    if (!transition->waits)
        return true;
    const double time = at_start ? active->start_time : md5i_active_time(active);
    if (!transition->exits_each)
        return is_past_exit(active, transition->exit, time);

    if (!active->tree)
        return transition->exit_event_bit == 0;
    if (player->is_backward || fabs(time - active->start_time) <= MD5_BORDER)
        return false;
    md5_clock exit;
    return cycles_to_repeated_exit(active, transition, -MD5_BORDER, &exit) <= MD5_BORDER;
}

// Returns the seconds, at most `max_seconds`, until the next exit of a transition that exits in
// each cycle.
static double seconds_to_repeated_exit(const md5_player *player, const md5_active_state *active,
                                       const md5_transition *transition, double max_seconds)
{
    const md5_clock current = active->instances[0].clock;
    md5_clock exit = current;
    cycles_to_repeated_exit(active, transition, MD5_BORDER, &exit);
    const double seconds = fabs(md5i_instance_seconds(player, active, 0, current, exit));
    return seconds > 0 ? md5_smaller(max_seconds, seconds) : max_seconds;
}

// Returns true if an exit is too far away to be reached within `seconds`. This is a quick test: it
// may return false although the exit is not reached.
static bool is_far_before_exit(const md5_active_state *active, double exit, double seconds)
{
    const double rate = active->instances[0].rate;
    const bool has_constant_rate = active->tree->instances[0].group == MD5_NONE;
    if (!has_constant_rate || !(rate > 0))
        return false;
    const double clear_distance = CLEAR_EXIT_DISTANCE * fmax(1.0, fabs(exit));
    return exit - md5_clock_time(active->instances[0].clock) > rate * seconds + clear_distance;
}

// Returns the seconds, at most `max_seconds`, until a state's first clip reaches the exit of a
// transition. Returns `max_seconds` if the clip has passed the exit or never reaches it.
static double seconds_to_exit(md5_player *player, const md5_active_state *active,
                              const md5_transition *transition, double max_seconds)
{
    if (!active->tree)
        return max_seconds;
    if (transition->exits_each)
        return seconds_to_repeated_exit(player, active, transition, max_seconds);
    if (is_far_before_exit(active, transition->exit, max_seconds))
        return max_seconds;

    const md5_clock current = active->instances[0].clock;
    const exit_position exit = find_exit(active, transition->exit);
    const bool is_passed = cycles_to_exit(&exit, md5_clock_time(current)) <= MD5_BORDER;
    const bool stops_at_end = active->tree->instances[0].playable->timing->mode == MD5_PLAY_ONCE;
    const bool is_outside_of_clip = exit.time < 0 || exit.time > 1;
    if (is_passed || (stops_at_end && is_outside_of_clip))
        return max_seconds;
    const double seconds = md5i_instance_seconds(player, active, 0, current, exit.clock);
    return seconds > 0 && seconds < max_seconds ? seconds : max_seconds;
}

// -- Conditions -----------------------------------------------------------------------------------

// Returns true if a condition on a parameter holds for the value `value` of the parameter.
bool md5i_condition_holds_for(const md5_play_condition *condition, float value)
{
    switch (condition->compare) {
    case MD5_IS_SET:
        return value != 0;
    case MD5_IS_CLEAR:
        return value == 0;
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

// Returns true if the player's current parameters satisfy a condition. Returns false for conditions
// on a time or an event.
bool md5_player_condition_holds(const md5_player *player, const md5_condition *condition)
{
    MD5_ASSERT_PLAYER(player);
    MD5_ASSERT_NOT_NULL(condition);
    const uint32_t parameter = md5_find_parameter(player->machine, condition->parameter);
    if (condition->kind != MD5_WHEN_PARAMETER || parameter == MD5_NONE)
        return false;
    const md5_play_condition resolved = {.compare = condition->compare, .value = condition->value};
    return md5i_condition_holds_for(&resolved, player->parameters[parameter]);
}

// Returns the time of a MD5_WHEN_STATE_TIME condition. If the condition has a spread, a random time
// is added. It remains the same while the newest state is active.
static double state_time_threshold(const md5_player *player, const md5_layer_state *layer_state,
                                   const md5_play_condition *condition)
{
    double time = condition->seconds;
    if (condition->spread > 0) {
        const uint64_t index = (uint64_t)(condition - player->machine->conditions);
        time += condition->spread * md5_random_float(layer_state->random + index);
    }
    return time;
}

// Returns the seconds until the remaining time of a state's first clip in its cycle becomes the
// time of a condition. If `at_start` is true, returns the result for the time when the state began.
// A state without a motion has no remaining time.
static double seconds_to_clip_time_left(const md5_player *player, const md5_active_state *active,
                                        const md5_play_condition *condition, bool at_start)
{
    if (!active->tree)
        return -condition->seconds;

    // Search the end of the current cycle in a list that contains it as the only cue.
    const md5_timing *const timing = active->tree->instances[0].playable->timing;
    const bool backward = md5i_is_playing_backward(active, 0);
    const md5_clock current =
        at_start ? md5i_clock_at(timing, active->start_time) : active->instances[0].clock;
    const md5_cue cue = {backward ? 0 : 1.0, 0};
    const md5_cues end_cues = {timing, &cue, 1};
    md5_clock end = current;
    md5i_cycles_to_cue(&end_cues, NULL, 0, current, backward, MD5_BORDER, &end);
    const double left = md5i_instance_seconds(player, active, 0, current, end);
    return left >= 0 ? left - condition->seconds : (double)INFINITY; // the clip does not move
}

// Returns the seconds until the newest state reaches the time of a condition. Returns 0 or less if
// it has reached the time. If `at_start` is true, returns the result for the time when the state
// began.
static double seconds_to_condition(const md5_player *player, md5_layer_state *layer_state,
                                   const md5_play_condition *condition, bool at_start)
{
    const md5_active_state *const active = md5_newest(layer_state);
    if (condition->kind != MD5_WHEN_STATE_TIME)
        return seconds_to_clip_time_left(player, active, condition, at_start);
    const double elapsed = at_start ? 0 : active->elapsed;
    return state_time_threshold(player, layer_state, condition) - elapsed;
}

// Returns the seconds until the result of a MD5_WHEN_TIME_LEFT condition changes: when the
// remaining time of the cycle becomes the time of the condition, or when the next cycle begins. The
// result need not be exact if it is above `max_seconds`.
static double seconds_to_time_left(const md5_player *player, md5_layer_state *layer_state,
                                   const md5_play_condition *condition, double max_seconds)
{
    const double seconds_at_constant_rate =
        seconds_to_condition(player, layer_state, condition, false);
    const double seconds_to_next_cycle = seconds_at_constant_rate + condition->seconds;
    const bool shares_clock = md5_newest(layer_state)->tree && layer_state->is_steered;
    double seconds = seconds_at_constant_rate;
    if (shares_clock) {
        const double seconds_at_shared_rate = md5i_seconds_until_time_left(
            layer_state, seconds_to_next_cycle, condition->seconds, max_seconds);
        seconds = md5_smaller(seconds_at_shared_rate, seconds_to_next_cycle);
    }
    const bool is_reached = seconds <= MD5_BORDER;
    return is_reached ? seconds_to_next_cycle : seconds;
}

// Returns the seconds, at most `max_seconds`, until a time condition of a transition changes.
// `goes_back` is true for backward playback. There the remaining time of a cycle increases, so it
// never meets a condition.
static double seconds_to_conditions(const md5_player *player, md5_layer_state *layer_state,
                                    const md5_transition *transition, bool goes_back,
                                    double max_seconds)
{
    double nearest = max_seconds;
    for (uint32_t i = 0; i < transition->num_conditions; i++) {
        const md5_play_condition *const condition = &transition->conditions[i];
        double seconds = 0;
        if (condition->kind == MD5_WHEN_STATE_TIME)
            seconds = seconds_to_condition(player, layer_state, condition, false);
        else if (condition->kind == MD5_WHEN_TIME_LEFT && !goes_back)
            seconds = seconds_to_time_left(player, layer_state, condition, nearest);
        if (seconds > MD5_BORDER)
            nearest = md5_smaller(nearest, seconds);
    }
    return nearest;
}

// Returns true if a condition on a time or an event holds. If `at_start` is true, returns the
// result for the time when the state began; events at that time belonged to the previous state.
// `active` is NULL for one-shot clips, whose conditions cannot depend on a time.
static MD5_NO_INLINE bool holds_time_or_event(const md5_player *player, uint32_t layer,
                                              const md5_active_state *active,
                                              const md5_play_condition *condition, bool at_start)
{
    const uint64_t ignored_events = active ? player->layer_states[layer].ignored_events : 0;
    if (condition->kind == MD5_WHEN_EVENT)
        return !at_start && (player->heard_events & condition->event_bit & ~ignored_events) != 0;

    const bool is_above =
        condition->compare == MD5_IS_GREATER || condition->compare == MD5_IS_AT_LEAST;
    const bool is_left = condition->kind == MD5_WHEN_TIME_LEFT;
    if (is_left && player->is_backward)
        return false;

    // `is_reached` is true if the state's time is above the time of the condition, or if the time
    // left is below it. The comparisons "state time above" and "time left below" hold from then on.
    // The comparisons "state time below" and "time left above" hold before.
    const double seconds =
        seconds_to_condition(player, &player->layer_states[layer], condition, at_start);
    const bool is_reached = seconds <= MD5_BORDER;
    const bool holds_when_reached = is_above != is_left;
    return is_reached == holds_when_reached;
}

// Returns true if a condition on a parameter holds for a layer. A trigger is a parameter that a
// transition resets. A trigger that this layer has consumed counts as not set.
static inline bool holds_parameter(const md5_player *player, uint32_t layer,
                                   const md5_play_condition *condition)
{
    const bool is_clear = condition->compare == MD5_IS_CLEAR;
    const bool is_consumed = player->consumed[condition->parameter] == layer + 1;
    if (is_consumed && (is_clear || condition->compare == MD5_IS_SET))
        return is_clear;
    return md5i_condition_holds_for(condition, player->parameters[condition->parameter]);
}

// Returns true if all conditions of one alternative hold for a layer. `conditions` is its first
// condition, which contains the number of following conditions.
static inline bool holds_alternative(const md5_player *player, uint32_t layer,
                                     const md5_active_state *active,
                                     const md5_play_condition *conditions, bool at_start)
{
    const uint32_t count = conditions->num_following + 1;
    for (uint32_t i = 0; i < count; i++) {
        const md5_play_condition *const condition = &conditions[i];
        bool holds;
        if (condition->kind == MD5_WHEN_PARAMETER)
            holds = holds_parameter(player, layer, condition);
        else
            holds = holds_time_or_event(player, layer, active, condition, at_start);
        if (!holds)
            return false;
    }
    return true;
}

// Returns true if a transition or one-shot clip is possible for a layer. Its conditions form
// alternatives, one after another, and all conditions of one alternative must hold. Sets *first to
// the index of the first condition of this alternative. Without conditions, always returns true.
// For one-shot clips, `layer` is the number of layers.
static inline bool holds_any_alternative(const md5_player *player, uint32_t layer,
                                         const md5_active_state *active,
                                         const md5_play_condition *conditions, uint32_t count,
                                         bool at_start, uint32_t *first)
{
    uint32_t i = 0;
    while (i < count && !holds_alternative(player, layer, active, &conditions[i], at_start))
        i += conditions[i].num_following + 1; // the first condition of the next alternative
    *first = i;
    return i < count || count == 0;
}

// Consumes the triggers of an alternative. They are reset immediately for this layer. For other
// layers they are reset after all layers were processed. Returns true if the alternative has
// triggers.
static bool consume_triggers(md5_player *player, uint32_t layer,
                             const md5_play_condition *conditions, uint32_t count)
{
    if (count == 0)
        return false;

    bool has_triggers = false;
    for (uint32_t i = 0; i <= conditions->num_following; i++) {
        const uint32_t parameter = conditions[i].parameter;
        if (parameter == MD5_NONE || conditions[i].compare == MD5_IS_CLEAR)
            continue;
        if (player->machine->tables.parameters[parameter].kind != MD5_PARAMETER_TRIGGER)
            continue;
        player->consumed[parameter] = layer + 1;
        player->has_consumed = true;
        has_triggers = true;
    }
    return has_triggers;
}

// -- Selection of a transition --------------------------------------------------------------------

// Returns true if a transition may interrupt the transition by which the active state was entered,
// or if that transition has ended.
static bool may_interrupt(const md5_active_state *active, const md5_transition *transition)
{
    if (active->interrupt == MD5_INTERRUPT_ANY || md5_progress(active) == 1)
        return true;
    return active->interrupt == MD5_INTERRUPT_HIGHER
           && transition->change.priority > active->priority;
}

// Returns true if a transition is possible, without a test of its exit. Sets *first as
// holds_any_alternative() does.
static bool is_open(const md5_player *player, uint32_t layer, const md5_active_state *active,
                    const md5_transition *transition, uint32_t *first)
{
    if (transition->from == MD5_NONE && transition->change.state == active->state)
        return false;
    if (!may_interrupt(active, transition))
        return false;
    return holds_any_alternative(player, layer, active, transition->conditions,
                                 transition->num_conditions, false, first);
}

// Iterator over the transitions that can leave a state, by priority. It merges the state's own
// transitions and the transitions from any state, which are both sorted. It skips transitions that
// none of `causes` can make possible.
typedef struct candidate_iterator {
    const md5_play_layer *layer;
    uint64_t causes;
    uint32_t state_next; // next transition of the state, as an index in the layer
    uint32_t state_end;
    uint32_t any_next; // next transition from any state
    uint32_t any_end;
} candidate_iterator;

// Begins to iterate over the transitions that may leave an active state because of `causes`.
static inline candidate_iterator begin_candidates(const md5_player *player, uint32_t layer,
                                                  const md5_active_state *active, uint64_t causes)
{
    const md5_play_layer *const played = &player->machine->layers[layer];
    const md5_state *const state = &played->states[active->state];
    const uint32_t num_candidates = (state->causes & causes) != 0 ? state->num_transitions : 0;
    return (candidate_iterator){
        .layer = played,
        .causes = causes,
        .state_next = state->first_transition,
        .state_end = state->first_transition + num_candidates,
        .any_end = (played->any_causes & causes) != 0 ? played->num_any : 0,
    };
}

// Returns the index of the first transition that one of the iterator's causes can make possible.
// Searches from `index` up to `end`. Returns `end` if there is no such transition.
static inline uint32_t next_with_cause(const candidate_iterator *iterator, uint32_t index,
                                       uint32_t end)
{
    const uint64_t *const transition_causes = iterator->layer->causes;
    const uint64_t causes = iterator->causes;
    while (index < end && (transition_causes[index] & causes) == 0)
        index++;
    return index;
}

// Returns true if the transition `a` precedes `b`: by priority, then by the order of the table.
static inline bool precedes(const md5_transition *a, const md5_transition *b)
{
    if (a->change.priority != b->change.priority)
        return a->change.priority > b->change.priority;
    return a->number < b->number;
}

// Returns the next transition of both lists, which is the one with the higher priority. Returns
// NULL at the end.
static inline const md5_transition *next_candidate(candidate_iterator *iterator)
{
    const md5_transition *const transitions = iterator->layer->transitions;
    iterator->state_next = next_with_cause(iterator, iterator->state_next, iterator->state_end);
    iterator->any_next = next_with_cause(iterator, iterator->any_next, iterator->any_end);
    const bool has_state = iterator->state_next < iterator->state_end;
    const bool has_any = iterator->any_next < iterator->any_end;

    if (!has_state && !has_any)
        return NULL;
    const md5_transition *const from_state = &transitions[iterator->state_next];
    const md5_transition *const from_any = &transitions[iterator->any_next];
    const bool is_from_any = has_any && (!has_state || precedes(from_any, from_state));
    if (is_from_any) {
        iterator->any_next++;
        return from_any;
    }
    iterator->state_next++;
    return from_state;
}

// Returns true if a transition was already possible when the state began.
static bool was_open_at_start(const md5_player *player, uint32_t layer,
                              const md5_active_state *active, const md5_transition *transition)
{
    uint32_t first;
    return has_reached_exit(player, active, transition, true)
           && holds_any_alternative(player, layer, active, transition->conditions,
                                    transition->num_conditions, true, &first);
}

// Finds the transition that a layer takes at this instant. Tests only the transitions that one of
// the layer's causes can have made possible. Sets *first to the first condition of the alternative
// that holds. Returns NULL if no transition can be taken.
static MD5_NO_INLINE const md5_transition *find_open_candidate(const md5_player *player,
                                                               uint32_t layer,
                                                               const md5_active_state *active,
                                                               uint32_t *first)
{
    const md5_layer_state *const layer_state = &player->layer_states[layer];
    candidate_iterator iterator = begin_candidates(player, layer, active, layer_state->causes);
    for (const md5_transition *candidate = next_candidate(&iterator); candidate;
         candidate = next_candidate(&iterator)) {
        if (!is_open(player, layer, active, candidate, first))
            continue;
        if (!has_reached_exit(player, active, candidate, false))
            continue;
        // A resting layer ignores transitions that were possible when its state began: see
        // md5i_start_transitions().
        if (layer_state->is_resting && was_open_at_start(player, layer, active, candidate))
            continue;
        return candidate;
    }
    return NULL;
}

// Finds the transition that a layer takes at this instant, or NULL.
static inline const md5_transition *find_open_transition(const md5_player *player, uint32_t layer,
                                                         const md5_active_state *active,
                                                         uint32_t *first)
{
    const md5_play_layer *const played = &player->machine->layers[layer];
    const uint64_t causes = played->states[active->state].causes | played->any_causes;
    if ((causes & player->layer_states[layer].causes) == 0)
        return NULL;
    return find_open_candidate(player, layer, active, first);
}

// Returns the phase of a state's first clip at which a transition leaves the state. A transition
// with a single exit leaves exactly at the exit. The clock can be a rounding error before or after
// it, so the phase of the exit is returned instead of the phase of the clock.
static double leaving_phase(const md5_active_state *left, const md5_transition *transition)
{
    if (!left->tree)
        return 0;
    const md5_timing *const timing = left->tree->instances[0].playable->timing;
    const exit_position exit = find_exit(left, transition->exit);
    const bool has_single_exit = transition->waits && !transition->exits_each;
    const bool is_at_exit = fabs(cycles_to_exit(&exit, md5i_active_time(left))) <= MD5_BORDER;
    if (has_single_exit && is_at_exit)
        return timing->mode == MD5_PLAY_ONCE ? exit.time : exit.clock.phase;
    return md5i_clock_snap(timing, left->instances[0].clock, MD5_BORDER).phase;
}

// Returns the change of state of a transition, with the start time of the new state.
static md5_change change_by_transition(const md5_play_layer *layer, const md5_active_state *left,
                                       const md5_transition *transition)
{
    md5_change change = transition->change;
    const md5_blend_tree *const next = layer->states[change.state].tree;
    if (change.in_step && next) {
        change.begin = MD5_BEGIN_AT_PREVIOUS_PHASE;
        change.start = md5i_shared_start_time(left, next);
    } else if (transition->keeps_phase) {
        change.begin = MD5_BEGIN_AT_PREVIOUS_PHASE;
        change.start = leaving_phase(left, transition);
    }
    return change;
}

// Takes a transition of a layer from its newest state.
static void start_transition(md5_player *player, uint32_t layer, const md5_transition *transition)
{
    const md5_play_layer *const played = &player->machine->layers[layer];
    const md5_active_state *const left = md5_newest(&player->layer_states[layer]);
    const md5_change change = change_by_transition(played, left, transition);

    const bool is_cut = !(change.duration > 0) && change.begin != MD5_BEGIN_AT_PREVIOUS_PHASE;
    if (is_cut && md5i_rule_weight(player, &played->weight) > 0)
        player->status.num_cuts++;

    md5i_change_state(player, layer, &change);
    if (change.in_step) // exits depend on the rate of the shared clock
        md5i_update_shared_rates(player, 0, 0);
}

// Takes transitions of a layer until none is possible at this instant.
//
// Transitions could lead in a cycle forever: from state A to B, and at the same instant back to A.
// If more transitions were taken than the layer has, one of them was taken twice, which shows such
// a cycle.
//
// The layer then rests in its current state: it ignores the transitions that were possible when
// this state began. It rests until a parameter changes, the current transition ends, or the layer
// enters another state. Without this rule, each call of the player would take some more transitions
// of the cycle, and the state would depend on the number of calls.
static inline void start_transitions(md5_player *player, uint32_t layer)
{
    md5_layer_state *const layer_state = &player->layer_states[layer];
    const uint32_t max_taken = player->machine->tables.layers[layer].num_transitions + 1;
    for (uint32_t num_taken = 0; player->num_steps < MD5_MAX_STEP_PARTS; player->num_steps++) {
        uint32_t first;
        const md5_transition *const open =
            find_open_transition(player, layer, md5_newest(layer_state), &first);
        if (!open) {
            if (!layer_state->is_resting) // a resting layer still has possible transitions
                layer_state->causes = MD5_CAUSE_TIME;
            return;
        }
        if (num_taken == max_taken) {
            layer_state->is_resting = true;
            return;
        }

        num_taken++;
        // A trigger is set only by the game, so a transition that consumes one cannot be part of a
        // cycle.
        if (consume_triggers(player, layer, open->conditions + first, open->num_conditions - first))
            num_taken = 0;
        start_transition(player, layer, open);
    }
}

// Takes transitions of all layers until none is possible at this instant.
void md5i_start_transitions(md5_player *player)
{
    for (uint32_t i = 0; i < player->machine->tables.num_layers; i++)
        start_transitions(player, i);
}

// Returns true if a layer takes a transition at this instant because its clip has reached an exit
// that is not an event.
bool md5i_takes_exit(const md5_player *player, uint32_t layer)
{
    uint32_t first;
    const md5_active_state *const newest = md5_newest(&player->layer_states[layer]);
    const md5_transition *const open = find_open_transition(player, layer, newest, &first);
    return open && open->waits && open->exit_event_bit == 0;
}

// -- One-shot clips -------------------------------------------------------------------------------

// Returns true if a one-shot clip has begun to fade out, so that another clip may start in its
// slot. Returns false for a clip that fades out from its start to its end. Otherwise, such a clip
// would replace itself at every instant. In backward playback a clip moves away from its end.
static bool is_fading_out(const md5_player *player, const md5_one_shot *one_shot)
{
    if (one_shot->is_stopping)
        return true;
    if (one_shot->end != MD5_ONE_SHOT_ENDS || one_shot->rate == 0)
        return false;
    if (one_shot->next != MD5_NONE || player->is_backward)
        return false;

    const double left =
        md5_one_shot_cycles_left(one_shot, one_shot->clock.phase) / fabs(one_shot->rate)
        - MD5_BORDER;
    return left <= one_shot->fade_out
           && one_shot->fade_in.elapsed + left - MD5_BORDER > one_shot->fade_out;
}

// Returns true if a one-shot clip has conditions and they hold. If `consumes` is true, their
// triggers are consumed.
static bool is_triggered(md5_player *player, const md5_play_condition *conditions, uint32_t count,
                         bool consumes)
{
    const uint32_t layer = player->machine->tables.num_layers;
    uint32_t first;
    const bool is_set =
        count > 0 && holds_any_alternative(player, layer, NULL, conditions, count, false, &first);
    if (is_set && consumes)
        consume_triggers(player, layer, conditions + first, count - first);
    return is_set;
}

// Stops the clip of an entry of the one-shot table if its `until` conditions hold. The events that
// started the clip do not stop it.
static void stop_if_due(md5_player *player, uint32_t index)
{
    const md5_one_shot_desc *const desc = &player->machine->tables.one_shots[index];
    const md5_play_one_shot *const one_shot = &player->machine->one_shots[index];
    const md5_one_shot *const newest = md5_newest_one_shot(player, one_shot->slot);
    if (!newest || newest->desc_index != index || newest->is_stopping)
        return;

    // Evaluate the conditions without the events that this clip ignores.
    const uint64_t heard = player->heard_events;
    player->heard_events = heard & ~newest->ignored_events;
    if (is_triggered(player, one_shot->until, desc->num_until, true))
        md5_player_stop_one_shot(player, one_shot->slot, desc->fade_out);
    player->heard_events = heard;
}

// Returns true if a one-shot clip of a priority may start in a slot: the slot is free, its clip
// fades out, or its clip has a lower priority.
static bool can_use_slot(const md5_player *player, uint32_t slot, int32_t priority)
{
    const md5_one_shot_desc *const descs = player->machine->tables.one_shots;
    const md5_one_shot *const newest = md5_newest_one_shot(player, slot);
    if (!newest)
        return true;
    const bool is_in_table = newest->desc_index != MD5_NONE;
    const int32_t newest_priority = is_in_table ? descs[newest->desc_index].priority : 0;
    return newest_priority < priority || is_fading_out(player, newest);
}

// Starts an entry of the one-shot table if its conditions hold and its slot can be used. An entry
// whose `until` conditions hold does not start, because it would stop immediately.
static void start_if_due(md5_player *player, uint32_t index)
{
    const md5_one_shot_desc *const desc = &player->machine->tables.one_shots[index];
    const md5_play_one_shot *const one_shot = &player->machine->one_shots[index];
    if (!can_use_slot(player, one_shot->slot, desc->priority))
        return;

    // If a current event prevents the start, no trigger is consumed. The entry is evaluated again
    // when the event is over.
    const bool is_prevented =
        player->heard_events != 0 && is_triggered(player, one_shot->until, desc->num_until, false);
    if (is_prevented || !is_triggered(player, one_shot->conditions, desc->num_conditions, true))
        return;
    if (is_triggered(player, one_shot->until, desc->num_until, true))
        return;
    if (md5_player_play_one_shot(player, MD5_NONE, MD5_NONE, desc))
        md5_newest_one_shot(player, one_shot->slot)->ignored_events = UINT64_MAX;
}

// Stops and starts the entries of the one-shot table whose conditions hold. Stops come first,
// because they free slots for the starting clips.
void md5i_update_one_shots(md5_player *player)
{
    const uint32_t count = player->machine->tables.num_one_shots;
    for (uint32_t i = 0; i < count; i++)
        stop_if_due(player, i);
    for (uint32_t i = 0; i < count; i++)
        start_if_due(player, i);
}
// -- Time of the next change ------------------------------------------------------------------

// Returns the seconds, at most `max_seconds`, until a clip of a state passes an event that
// conditions use. Clips without a weight are ignored.
static double seconds_to_heard_event(const md5_player *player, const md5_active_state *active,
                                     bool goes_back, double max_seconds)
{
    double nearest = max_seconds;
    for (uint32_t j = 0; j < active->num_active_instances; j++) {
        const uint32_t index = active->active_instances[j];
        const md5_playable *const playable = active->tree->instances[index].playable;
        const md5_source *const source = playable->source;
        const md5_clip_instance *const instance = &active->instances[index];
        if (!source->event_bits)
            continue;

        md5_clock target = instance->clock;
        const bool is_reversed = md5i_is_playing_backward(active, index) != goes_back;
        md5i_cycles_to_cue(&source->cues[playable->mode], source->event_bits, UINT64_MAX, target,
                           is_reversed, MD5_BORDER, &target);
        const double seconds =
            fabs(md5i_instance_seconds(player, active, index, instance->clock, target));
        if (instance->weight != 0 && seconds > 0)
            nearest = md5_smaller(nearest, seconds);
    }
    return nearest;
}

// Returns the seconds, at most `max_seconds`, until a condition about time or an event may change
// in a layer.
double md5i_seconds_to_layer_time_change(const md5_player *player, uint32_t layer, bool goes_back,
                                         double max_seconds)
{
    md5_layer_state *const layer_state = &player->layer_states[layer];
    const md5_active_state *const newest = md5_newest(layer_state);
    double seconds = max_seconds;
    if (player->machine->num_event_bits > 0) {
        for (uint32_t k = 0; k < layer_state->num_used; k++)
            seconds =
                seconds_to_heard_event(player, md5_active_at(layer_state, k), goes_back, seconds);
    }

    candidate_iterator iterator = begin_candidates(player, layer, newest, MD5_CAUSE_TIME);
    for (const md5_transition *candidate = next_candidate(&iterator); candidate;
         candidate = next_candidate(&iterator)) {
        if (may_interrupt(newest, candidate))
            seconds = seconds_to_conditions(player, layer_state, candidate, goes_back, seconds);
    }
    return seconds;
}
// Returns the seconds, at most `max_seconds`, until a transition of a layer reaches its exit, if
// the conditions of the transition are true.
double md5i_seconds_to_next_exit(md5_player *player, uint32_t layer, double max_seconds)
{
    double seconds = max_seconds;
    uint32_t first;
    const md5_active_state *const newest = md5_newest(&player->layer_states[layer]);
    candidate_iterator iterator = begin_candidates(player, layer, newest, MD5_CAUSE_TIME);
    for (const md5_transition *candidate = next_candidate(&iterator); candidate;
         candidate = next_candidate(&iterator)) {
        if (candidate->waits && is_open(player, layer, newest, candidate, &first))
            seconds = seconds_to_exit(player, newest, candidate, seconds);
    }
    return seconds;
}
