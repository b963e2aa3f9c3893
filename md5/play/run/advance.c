// Advances a player: transitions, clocks, events, root motion and smoothed parameters.
//
// md5_player_advance() divides a step into intervals. In an interval clips advance, and the events
// up to and including its end fire. Between intervals are instants, at which transitions are taken
// and the events at the start of new states fire. The start and the end of the step, the end of
// each transition and each exit are instants. Because each step ends with an instant, the result
// does not depend on the division of time into steps.
#include "md5/core/math.h"
#include "md5/play/run/player_state.h"

// == Parameters =================================================================================

// Sets a parameter. The new value can change the result of a condition only if a threshold is
// between the old and the new value, or equal to one of them.
void md5i_set_value(md5_player *player, uint32_t parameter, float value)
{
    const md5_machine *const machine = player->machine;
    const md5_play_condition *const thresholds = machine->thresholds;
    const float previous = player->parameters[parameter];
    const md5_play_condition low = {.parameter = parameter,
                                    .value = previous < value ? previous : value};
    // Binary search for the first threshold that is not below both values.
    uint32_t next = 0;
    uint32_t high = previous == value ? 0 : (uint32_t)machine->num_thresholds;
    while (next < high) {
        const uint32_t middle = next + (high - next) / 2;
        if (md5_is_threshold_before(&thresholds[middle], &low))
            next = middle + 1;
        else
            high = middle;
    }
    const bool has_threshold = next < machine->num_thresholds
                               && thresholds[next].parameter == parameter
                               && thresholds[next].value <= md5_larger(previous, value);
    if (previous != value && has_threshold) {
        for (uint32_t i = 0; i < machine->tables.num_layers; i++)
            player->layer_states[i].causes |= md5_parameter_cause(parameter);
    }
    player->parameters[parameter] = value;
}

// -- Smoothed parameters --------------------------------------------------------------------------
//
// The value of a smoothed parameter, and its mean over an interval, have a closed form of the time
// since its goal was set. Therefore they do not depend on the division of time into steps.

// e^-40 of a distance is too small to change a float.
#define NEGLIGIBLE_EXPONENT 40.0

// In a shorter interval the rounding errors of an integral exceed the change of the parameter,
// seconds.
#define MIN_MEAN_SECONDS 1e-7

// Distance of a parameter from its goal, and its velocity, per second.
typedef struct movement {
    double distance;
    double velocity;
} movement;

// Returns the seconds after which the remaining distance is negligible. For a spring this is
// determined by its slower root.
static double settling_time(const md5_follow_desc *follow)
{
    const double k = follow->stiffness;
    const double c = follow->damping;
    if (follow->kind == MD5_FOLLOW_EASE)
        return follow->duration;
    return NEGLIGIBLE_EXPONENT
           / (follow->kind == MD5_FOLLOW_SMOOTH ? follow->rate : fmin(0.5 * c, k / c));
}

// Returns the movement of a parameter `elapsed` seconds after its goal was set.
static movement movement_after(const md5_follow_desc *follow,
                               const md5_parameter_smoothing *smoothing, double elapsed)
{
    const double x = (double)smoothing->from - smoothing->goal;
    const double v = smoothing->velocity;
    if (elapsed >= settling_time(follow))
        return (movement){0, 0};
    if (follow->kind == MD5_FOLLOW_SMOOTH)
        return (movement){x * md5i_decay(follow->rate * elapsed), 0};
    if (follow->kind == MD5_FOLLOW_EASE)
        return (movement){x - x * md5i_eased(&follow->easing, elapsed / follow->duration), 0};
    const double k = follow->stiffness;
    const double c = follow->damping;
    const md5_swing swing = md5i_swing_for(k, c, elapsed);
    return (movement){swing.keep * x + swing.drift * v,
                      -k * swing.drift * x + (swing.keep - c * swing.drift) * v};
}

// Returns the value of a parameter `seconds` from now.
static float value_after(const md5_follow_desc *follow, const md5_parameter_smoothing *smoothing,
                         double seconds)
{
    const movement then = movement_after(follow, smoothing, smoothing->elapsed + seconds);
    return md5_round_to_float(smoothing->goal + then.distance);
}

// Returns the mean value of a parameter over the next `seconds`. The integral of a spring's
// distance is the integral of x = -(x'' + c x') / k. With k = rate, c = 1 and x'' = 0 this is also
// the integral of a SMOOTH parameter. An easing has an integral of its own.
static float mean_value(const md5_follow_desc *follow, const md5_parameter_smoothing *smoothing,
                        double seconds)
{
    const double begin = smoothing->elapsed;
    const double end = md5_smaller(begin + seconds, settling_time(follow));
    if (seconds <= MIN_MEAN_SECONDS || end <= begin)
        return value_after(follow, smoothing, 0.5 * seconds);
    const movement current = movement_after(follow, smoothing, begin);
    const movement then = movement_after(follow, smoothing, begin + seconds);
    const bool is_spring = follow->kind == MD5_FOLLOW_SPRING;
    const double k = (is_spring ? follow->stiffness : follow->rate);
    const double c = is_spring ? follow->damping : 1;
    const double t = follow->duration;
    double sum = (current.velocity - then.velocity + c * (current.distance - then.distance)) / k;
    if (follow->kind == MD5_FOLLOW_EASE) {
        const double eased_area =
            t * md5i_eased_area(&follow->easing, begin / t, md5_smaller(end / t, 1));
        sum = ((double)smoothing->from - smoothing->goal) * (end - begin - eased_area);
    }
    return md5_round_to_float(smoothing->goal + sum / seconds);
}

static bool is_parameter_moving(const md5_parameter_smoothing *smoothing)
{
    return smoothing->from != smoothing->goal || smoothing->velocity != 0;
}

bool md5i_set_goal(md5_player *player, uint32_t parameter, float goal)
{
    const uint32_t row = player->machine->smoothing_rows[parameter];
    if (row == MD5_NONE)
        return false;
    md5_parameter_smoothing *const smoothing = &player->smoothings[row];
    if (smoothing->goal == goal)
        return true;
    const movement current =
        movement_after(&player->machine->tables.follows[row], smoothing, smoothing->elapsed);
    *smoothing = (md5_parameter_smoothing){.goal = goal,
                                           .from = player->parameters[parameter],
                                           .velocity = md5_round_to_float(current.velocity)};
    return true;
}

typedef enum follow_task {
    FOLLOW_PREDICT, // only sets md5_parameter_smoothing.next to the value at the end of the
                    // interval
    FOLLOW_MEAN,    // sets parameters to their means over the interval
    FOLLOW_MOVE,    // moves parameters to the end of the interval
} follow_task;

// Processes all smoothed parameters for an interval of `seconds`, above 0.
static void follow_goals(md5_player *player, double seconds, follow_task task)
{
    for (uint32_t i = 0; i < player->machine->tables.num_parameters; i++) {
        const uint32_t row = player->machine->smoothing_rows[i];
        if (row == MD5_NONE)
            continue;
        const md5_follow_desc *const follow = &player->machine->tables.follows[row];
        md5_parameter_smoothing *const smoothing = &player->smoothings[row];
        smoothing->next = is_parameter_moving(smoothing) ? value_after(follow, smoothing, seconds)
                                                         : player->parameters[i];
        if (task == FOLLOW_PREDICT || !is_parameter_moving(smoothing))
            continue;
        player->has_moved = true;
        md5i_set_value(player, i,
                       task == FOLLOW_MEAN ? mean_value(follow, smoothing, seconds)
                                           : smoothing->next);
        if (task == FOLLOW_MEAN)
            continue;
        smoothing->elapsed += seconds;
        if (smoothing->elapsed >= settling_time(follow))
            *smoothing =
                (md5_parameter_smoothing){.goal = smoothing->goal, .from = smoothing->goal};
    }
}

// Returns true if a smoothed parameter has not reached its goal.
static bool is_following(const md5_player *player)
{
    for (uint32_t i = 0; i < player->machine->tables.num_follows; i++) {
        if (is_parameter_moving(&player->smoothings[i]))
            return true;
    }
    return false;
}

// == Transitions ================================================================================

// The instant at which a condition changes is found with this precision, seconds.
#define SAME_TIME 1e-13

// Exit times are limited to this, in cycles. A later exit is never reached.
#define MAX_EXIT 0x1p52

// -- Exits --------------------------------------------------------------------------------------

// Returns true if a clip plays backward, by its rate or by the mean rate of its group.
static bool is_playing_backward(const md5_active_state *active, uint32_t instance)
{
    const md5_blend_tree *const tree = active->tree;
    const uint32_t number = tree->instances[instance].group;
    if (number == MD5_NONE)
        return active->instances[instance].rate < 0;
    const md5_group_plan *const group = &tree->groups[number];
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
    exit_position position = {.is_backward = is_playing_backward(active, 0)};
    const double limited = fmin(fmax(exit, -MAX_EXIT), MAX_EXIT);
    const double time = position.is_backward ? 1 - limited : limited;
    // The exit of a clip that is played once may be outside of the clip.
    const double whole = floor(time);
    position.clock = md5i_clock_snap(timing, (md5_clock){(int64_t)whole, time - whole},
                                     MD5_FLOAT_ERROR * fmax(1.0, fabs(exit)));
    position.time = md5_clock_time(position.clock);
    return position;
}

// Returns the remaining distance to an exit, in cycles.
static double cycles_to_exit(const exit_position *exit, double time)
{
    return exit->is_backward ? time - exit->time : exit->time - time;
}

// Returns true if a time is at or after an exit. Usually this is clear without snapping to frames.
static bool is_past_exit(const md5_active_state *active, double exit, double time)
{
    if (!active->tree)
        return true;
    const double delta = is_playing_backward(active, 0) ? time - (1 - exit) : exit - time;
    if (fabs(delta) > 1e-6 * fmax(1.0, fabs(exit)))
        return delta < 0;
    const exit_position position = find_exit(active, exit);
    return cycles_to_exit(&position, time) <= MD5_BORDER;
}

// Returns the number of cycles, more than `min_cycles`, until a clip is at the nearest cue, and
// sets *target to the clock there. Returns INFINITY if there is no such cue. If `event_bits` (the
// event bits of the clip's events) is not NULL, only the cues with the event bit `event_bit` count.
static double cycles_to_cue(const md5_cues *cues, const uint64_t *event_bits, uint64_t event_bit,
                            md5_clock current, bool backward, double min_cycles, md5_clock *target)
{
    double nearest = INFINITY;
    for (uint32_t i = 0; i < cues->num_cues; i++) {
        const md5_cue *const cue = &cues->cues[i];
        if (event_bits && (event_bits[cue->event] & event_bit) == 0)
            continue;
        const double distance = backward ? current.phase - cue->phase : cue->phase - current.phase;
        double whole = 0;
        if (cues->timing->mode != MD5_PLAY_ONCE)
            whole = floor(min_cycles - distance) + 1;
        if (!(distance + whole > min_cycles) || distance + whole >= nearest)
            continue;
        nearest = distance + whole;
        *target = (md5_clock){current.cycle + (int64_t)(backward ? -whole : whole), cue->phase};
    }
    return nearest;
}

// Returns the number of cycles, more than `min_cycles`, until the next exit of a transition that
// exits in each cycle, and sets *target to the clock there.
static double cycles_to_repeated_exit(const md5_active_state *active,
                                      const md5_transition *transition, double min_cycles,
                                      md5_clock *target)
{
    const md5_playable *const playable = active->tree->instances[0].playable;
    const md5_source *const source = playable->source;
    const bool backward = is_playing_backward(active, 0);
    if (transition->exit_event_bit != 0)
        return cycles_to_cue(&source->cues[playable->mode], source->event_bits,
                             transition->exit_event_bit, active->instances[0].clock, backward,
                             min_cycles, target);
    const double phase = backward ? 1 - transition->exit : transition->exit;
    const md5_clock exit =
        md5i_clock_snap(playable->timing, (md5_clock){0, phase}, MD5_FLOAT_ERROR);
    const md5_cue cue = {md5_clock_time(exit), 0};
    const md5_cues exit_cues = {playable->timing, &cue, 1};
    return cycles_to_cue(&exit_cues, NULL, 0, active->instances[0].clock, backward, min_cycles,
                         target);
}

// Returns true if a state has reached the exit of a transition, or if the transition does not have
// an exit. If `at_start` is true, returns the result at the time when the state began.
static bool has_reached_exit(const md5_player *player, const md5_active_state *active,
                             const md5_transition *transition, bool at_start)
{
    md5_clock exit;
    if (!transition->waits)
        return true;
    const double time = at_start ? active->start_time : md5i_active_time(active);
    if (!transition->exits_each)
        return is_past_exit(active, transition->exit, time);
    if (!active->tree)
        return transition->exit_event_bit == 0;
    if (player->is_backward || fabs(time - active->start_time) <= MD5_BORDER)
        return false;
    return cycles_to_repeated_exit(active, transition, -MD5_BORDER, &exit) <= MD5_BORDER;
}

// Returns the seconds, at most `max_seconds`, until the exit of a transition is reached.
static double seconds_to_exit(md5_player *player, const md5_active_state *active,
                              const md5_transition *transition, double max_seconds)
{
    const double exit = transition->exit;
    if (!active->tree)
        return max_seconds;
    const md5_instance_plan *const plan = active->tree->instances;
    const md5_clock current = active->instances[0].clock;
    const double rate = active->instances[0].rate;
    md5_clock target = current;
    if (transition->exits_each) {
        cycles_to_repeated_exit(active, transition, MD5_BORDER, &target);
        const double seconds = fabs(md5i_instance_seconds(player, active, 0, current, target));
        return seconds > 0 ? md5_smaller(max_seconds, seconds) : max_seconds;
    }
    // Fast path for the common case: the exit is clearly not reached within `max_seconds`.
    if (plan->group == MD5_NONE && rate > 0
        && exit - md5_clock_time(current) > rate * max_seconds + 1e-6 * fmax(1.0, fabs(exit)))
        return max_seconds;
    const exit_position position = find_exit(active, exit);
    if (cycles_to_exit(&position, md5_clock_time(current)) <= MD5_BORDER)
        return max_seconds;
    // A clip that is played once stops at its end.
    if (plan->playable->timing->mode == MD5_PLAY_ONCE && (position.time < 0 || position.time > 1))
        return max_seconds;
    const double seconds = md5i_instance_seconds(player, active, 0, current, position.clock);
    return seconds > 0 && seconds < max_seconds ? seconds : max_seconds;
}

// -- Conditions -----------------------------------------------------------------------------------

static bool holds_for(const md5_play_condition *condition, float value)
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

bool md5_player_condition_holds(const md5_player *player, const md5_condition *condition)
{
    MD5_ASSERT_PLAYER(player);
    MD5_ASSERT_NOT_NULL(condition);
    const uint32_t parameter = md5_find_parameter(player->machine, condition->parameter);
    if (condition->kind != MD5_WHEN_PARAMETER || parameter == MD5_NONE)
        return false;
    const md5_play_condition resolved = {.compare = condition->compare, .value = condition->value};
    return holds_for(&resolved, player->parameters[parameter]);
}

// Returns the seconds until the time of a condition of the newest state is reached; 0 or less if it
// was reached. If `at_start` is true, returns the result at the time when the state began.
static double seconds_to_condition(const md5_player *player, md5_layer_state *layer_state,
                                   const md5_play_condition *condition, bool at_start)
{
    const md5_active_state *const active = md5_newest(layer_state);
    double time = condition->seconds;
    if (condition->spread > 0) {
        const uint64_t index = (uint64_t)(condition - player->machine->conditions);
        time += condition->spread * md5_random_float(layer_state->random + index);
    }
    if (condition->kind == MD5_WHEN_STATE_TIME)
        return time - (at_start ? 0 : active->elapsed);
    if (!active->tree)
        return -condition->seconds;
    const md5_timing *const timing = active->tree->instances[0].playable->timing;
    const bool backward = is_playing_backward(active, 0);
    const md5_clock current =
        at_start ? md5i_clock_at(timing, active->start_time) : active->instances[0].clock;
    const md5_cue cue = {backward ? 0 : 1.0, 0};
    const md5_cues end_cues = {timing, &cue, 1};
    md5_clock end = current;
    cycles_to_cue(&end_cues, NULL, 0, current, backward, MD5_BORDER, &end);
    const double left = md5i_instance_seconds(player, active, 0, current, end);
    return left >= 0 ? left - condition->seconds : (double)INFINITY; // the clip does not move
}

// Returns the seconds, at most `max_seconds`, until a time condition of a transition changes.
static double seconds_to_conditions(const md5_player *player, md5_layer_state *layer_state,
                                    const md5_transition *transition, bool goes_back,
                                    double max_seconds)
{
    const md5_active_state *const active = md5_newest(layer_state);
    for (uint32_t i = 0; i < transition->num_conditions; i++) {
        const md5_play_condition *const condition = &transition->conditions[i];
        const bool is_left = condition->kind == MD5_WHEN_TIME_LEFT;
        if (condition->kind != MD5_WHEN_STATE_TIME && (!is_left || goes_back))
            continue;
        double seconds = seconds_to_condition(player, layer_state, condition, false);
        const double left = seconds + condition->seconds;
        if (is_left && active->tree && layer_state->is_steered) {
            seconds =
                md5i_seconds_until_time_left(layer_state, left, condition->seconds, max_seconds);
            seconds = md5_smaller(seconds, left);
        }
        if (is_left && seconds <= MD5_BORDER) // the next change is the start of the next cycle
            seconds = left;
        if (seconds > MD5_BORDER)
            max_seconds = md5_smaller(max_seconds, seconds);
    }
    return max_seconds;
}

// Returns true if a condition about time or an event holds. If `at_start` is true, returns the
// result at the time when the state began; events at that time were for the previous state.
// `active` is NULL for one-shot clips, whose conditions can only be about events.
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
    const double seconds =
        seconds_to_condition(player, &player->layer_states[layer], condition, at_start);
    const bool is_reached = seconds <= MD5_BORDER;
    return is_reached == (is_above != is_left);
}

// Returns true if a parameter condition holds for a layer. A trigger that the layer has consumed is
// clear for this layer.
static inline bool holds_parameter(const md5_player *player, uint32_t layer,
                                   const md5_play_condition *condition)
{
    const bool is_clear = condition->compare == MD5_IS_CLEAR;
    const bool is_consumed = player->consumed[condition->parameter] == layer + 1;
    if (is_consumed && (is_clear || condition->compare == MD5_IS_SET))
        return is_clear;
    return holds_for(condition, player->parameters[condition->parameter]);
}

// Returns true if all conditions of one alternative hold for a layer. `conditions` is its first
// condition; num_following of this condition is the number of the others.
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

// The conditions of a transition are alternatives, one after another: the transition is possible if
// all conditions of any alternative hold. Returns true if an alternative holds for a layer, and
// sets *first to the index of its first condition. Without conditions, always returns true. The
// layer index of one-shot clips is the number of layers.
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

// Consumes the triggers of an alternative: immediately for this layer, for the other layers after
// all of them were processed. Returns true if the alternative has triggers.
static bool consume_triggers(md5_player *player, uint32_t layer,
                             const md5_play_condition *conditions, uint32_t count)
{
    bool has_triggers = false;
    if (count == 0)
        return false;
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

// Returns true if a transition may interrupt the current transition, or if there is none.
static bool may_interrupt(const md5_active_state *active, const md5_transition *transition)
{
    if (active->interrupt == MD5_INTERRUPT_ANY || md5_progress(active) == 1)
        return true;
    return active->interrupt == MD5_INTERRUPT_HIGHER
           && transition->change.priority > active->priority;
}

// Returns true if a transition is possible, except for its exit. Sets *first like
// holds_any_alternative().
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

// Iterator over the transitions of a state and the transitions from any state that one of some
// causes may open, in the order of priority. Both lists are in this order and are merged.
typedef struct candidates {
    const md5_play_layer *layer;
    uint64_t causes;
    uint32_t state_next; // next transition of the state, as an index in the layer
    uint32_t state_end;
    uint32_t any_next; // next transition from any state
    uint32_t any_end;
} candidates;

static inline candidates begin_candidates(const md5_player *player, uint32_t layer,
                                          const md5_active_state *active, uint64_t causes)
{
    const md5_play_layer *const played = &player->machine->layers[layer];
    const md5_state *const state = &played->states[active->state];
    const uint32_t num_candidates = (state->causes & causes) != 0 ? state->num_transitions : 0;
    return (candidates){.layer = played,
                        .causes = causes,
                        .state_next = state->first_transition,
                        .state_end = state->first_transition + num_candidates,
                        .any_end = (played->any_causes & causes) != 0 ? played->num_any : 0};
}

// Returns the first transition from `number` on that one of the causes may open, or `end`.
static inline uint32_t next_with_cause(const candidates *all, uint32_t number, uint32_t end)
{
    const uint64_t *const causes = all->layer->causes;
    const uint64_t wanted = all->causes;
    while (number < end && (causes[number] & wanted) == 0)
        number++;
    return number;
}

// Returns true if the transition `a` precedes `b`: by priority, then by the order of the table.
static inline bool precedes(const md5_transition *a, const md5_transition *b)
{
    if (a->change.priority != b->change.priority)
        return a->change.priority > b->change.priority;
    return a->number < b->number;
}

// Returns the next transition, or NULL at the end.
static inline const md5_transition *next_candidate(candidates *all)
{
    const md5_transition *const transitions = all->layer->transitions;
    all->state_next = next_with_cause(all, all->state_next, all->state_end);
    all->any_next = next_with_cause(all, all->any_next, all->any_end);
    const bool has_state = all->state_next < all->state_end;
    const bool has_any = all->any_next < all->any_end;
    if (!has_state && !has_any)
        return NULL;
    if (!has_any)
        return &transitions[all->state_next++];
    if (!has_state || precedes(&transitions[all->any_next], &transitions[all->state_next]))
        return &transitions[all->any_next++];
    return &transitions[all->state_next++];
}

// Returns true if a transition was already open when the state began.
static bool was_open_at_start(const md5_player *player, uint32_t layer,
                              const md5_active_state *active, const md5_transition *transition)
{
    uint32_t first;
    return has_reached_exit(player, active, transition, true)
           && holds_any_alternative(player, layer, active, transition->conditions,
                                    transition->num_conditions, true, &first);
}

// Finds an open transition among the transitions that one of the layer's causes may have opened.
static MD5_NO_INLINE const md5_transition *find_open_candidate(const md5_player *player,
                                                               uint32_t layer,
                                                               const md5_active_state *active,
                                                               uint32_t *first)
{
    const md5_layer_state *const layer_state = &player->layer_states[layer];
    candidates all = begin_candidates(player, layer, active, layer_state->causes);
    for (const md5_transition *candidate = next_candidate(&all); candidate;
         candidate = next_candidate(&all)) {
        if (!is_open(player, layer, active, candidate, first)
            || !has_reached_exit(player, active, candidate, false))
            continue;
        // In a resting layer only transitions that open later count: see take_transitions().
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

// Returns the phase at which a transition leaves a state. If the transition waited for an exit,
// this is the fraction of the exit.
static double leaving_phase(const md5_active_state *left, const md5_transition *transition)
{
    if (!left->tree)
        return 0;
    const md5_timing *const timing = left->tree->instances[0].playable->timing;
    const exit_position exit = find_exit(left, transition->exit);
    const bool is_at_exit = fabs(cycles_to_exit(&exit, md5i_active_time(left))) <= MD5_BORDER;
    if (!transition->waits || transition->exits_each || !is_at_exit)
        return md5i_clock_snap(timing, left->instances[0].clock, MD5_BORDER).phase;
    return timing->mode == MD5_PLAY_ONCE ? exit.time : exit.clock.phase;
}

// Takes transitions of a layer until none is possible at this instant. If it takes more transitions
// than exist, they form a cycle that takes no time and never ends. In this case the layer rests in
// its current state: transitions that were open at that time are ignored until a parameter changes
// or the current transition ends. Therefore the result does not depend on the number of calls.
static void take_transitions(md5_player *player, uint32_t layer)
{
    md5_layer_state *const layer_state = &player->layer_states[layer];
    const md5_machine *const machine = player->machine;
    const uint32_t max_taken = machine->tables.layers[layer].num_transitions + 1;
    for (uint32_t num_taken = 0; player->num_steps < MD5_MAX_STEP_PARTS; player->num_steps++) {
        uint32_t first;
        const md5_active_state *const left = md5_newest(layer_state);
        const md5_transition *const open = find_open_transition(player, layer, left, &first);
        if (!open) {
            if (!layer_state->is_resting) // a resting layer has open transitions
                layer_state->causes = MD5_CAUSE_TIME;
            return;
        }
        if (num_taken == max_taken) {
            layer_state->is_resting = true;
            return;
        }
        num_taken++;
        // A transition that consumes a trigger cannot be part of a cycle.
        if (consume_triggers(player, layer, open->conditions + first, open->num_conditions - first))
            num_taken = 0;
        md5_change change = open->change;
        const md5_blend_tree *const next = machine->layers[layer].states[change.state].tree;
        if (change.in_step && next) {
            change.begin = MD5_BEGIN_AT_PREVIOUS_PHASE;
            change.start = md5i_shared_start_time(left, next);
        } else if (open->keeps_phase) {
            change.begin = MD5_BEGIN_AT_PREVIOUS_PHASE;
            change.start = leaving_phase(left, open);
        }
        const bool is_cut = !(change.duration > 0) && change.begin != MD5_BEGIN_AT_PREVIOUS_PHASE;
        if (is_cut && md5i_rule_weight(player, &machine->layers[layer].weight) > 0)
            player->status.num_cuts++;
        md5i_change_state(player, layer, &change);
        if (change.in_step) // the next exit depends on the shared rate
            md5i_update_shared_rates(player, 0, 0);
    }
}

// -- One-shot clips -------------------------------------------------------------------------------

// Returns true if a one-shot clip has begun to fade out, so that another clip may start in its
// slot. A clip that fades out from its start does not count, otherwise it would replace itself at
// every instant. In backward playback a clip moves away from its end.
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

// Stops the clip of a row of the one-shot table if its `until` conditions hold. Events that fired
// when the clip started do not stop it.
static void stop_if_due(md5_player *player, uint32_t index)
{
    const md5_one_shot_desc *const row = &player->machine->tables.one_shots[index];
    const md5_play_one_shot *const one_shot = &player->machine->one_shots[index];
    const md5_one_shot *const newest = md5_newest_one_shot(player, one_shot->slot);
    if (!newest || newest->row != index || newest->is_stopping)
        return;
    const uint64_t heard = player->heard_events;
    player->heard_events = heard & ~newest->ignored_events;
    if (is_triggered(player, one_shot->until, row->num_until, true))
        md5_player_stop_one_shot(player, one_shot->slot, row->fade_out);
    player->heard_events = heard;
}

// Starts a row of the one-shot table if its conditions hold and its slot is free, fades out, or
// plays a clip of lower priority. If an event currently prevents the start, the row and its
// triggers are evaluated again when the event is over.
static void start_if_due(md5_player *player, uint32_t index)
{
    const md5_one_shot_desc *const rows = player->machine->tables.one_shots;
    const md5_one_shot_desc *const row = &rows[index];
    const md5_play_one_shot *const one_shot = &player->machine->one_shots[index];
    const md5_one_shot *const newest = md5_newest_one_shot(player, one_shot->slot);
    if (newest) {
        const int32_t priority = newest->row != MD5_NONE ? rows[newest->row].priority : 0;
        if (priority >= row->priority && !is_fading_out(player, newest))
            return;
    }
    if (player->heard_events != 0 && is_triggered(player, one_shot->until, row->num_until, false))
        return;
    if (!is_triggered(player, one_shot->conditions, row->num_conditions, true))
        return;
    if (is_triggered(player, one_shot->until, row->num_until, true))
        return;
    if (md5_player_play_one_shot(player, MD5_NONE, MD5_NONE, row))
        md5_newest_one_shot(player, one_shot->slot)->ignored_events = UINT64_MAX;
}

// Stops clips of the one-shot table, then starts others.
static void update_one_shots(md5_player *player)
{
    const uint32_t count = player->machine->tables.num_one_shots;
    for (uint32_t i = 0; i < count; i++)
        stop_if_due(player, i);
    for (uint32_t i = 0; i < count; i++)
        start_if_due(player, i);
}

// -- Kinks of smoothed parameters -----------------------------------------------------------------

// Returns the seconds, at most `max_seconds`, until a smoothed parameter is at one of the machine's
// kinks.
static double seconds_to_kink(md5_player *player, double max_seconds)
{
    const md5_machine *const machine = player->machine;
    follow_goals(player, max_seconds, FOLLOW_PREDICT);
    for (size_t i = 0; i < machine->num_kinks; i++) {
        const md5_play_condition *const kink = &machine->kinks[i];
        const uint32_t row = machine->smoothing_rows[kink->parameter];
        const float current = player->parameters[kink->parameter];
        const float next = player->smoothings[row].next;
        if (current == next || holds_for(kink, current) == holds_for(kink, next))
            continue;
        // Bisection. The first sample is just before the end, which may already be a kink.
        double before = 0;
        double middle = max_seconds - SAME_TIME;
        for (int k = 0; k < MD5_MAX_BISECTIONS && max_seconds - before > SAME_TIME; k++) {
            const float then =
                value_after(&machine->tables.follows[row], &player->smoothings[row], middle);
            if (holds_for(kink, then) == holds_for(kink, current))
                before = middle;
            else
                max_seconds = middle;
            middle = 0.5 * (before + max_seconds);
        }
    }
    return max_seconds;
}

// == Steps ======================================================================================

// Maximum length of a step, seconds. A longer step is cut to this.
#define MAX_SECONDS 1e6

// Root motion uses the mean weights of an interval. While weights change, an interval is at most
// this fraction of a fade.
#define FADE_DIVISIONS 8.0

// While root motion rotates, an interval has at most this length, seconds.
#define MAX_ROOT_SECONDS 0.25

// While parameters are smoothed, an interval has at most this length, seconds: a value that is not
// a linear function of a parameter is computed from the mean of the parameter.
#define MAX_FOLLOW_SECONDS 0.02

// Precision of the end of an interval, seconds.
#define CLOSE_SECONDS 1e-13

// FADE_DIVISIONS, MAX_ROOT_SECONDS and MAX_FOLLOW_SECONDS apply to at most this number of intervals
// per step. The intervals of the remaining time are longer, and their results less exact.
enum { MAX_DIVIDED_PARTS = MD5_MAX_STEP_PARTS / 2 };

// -- Weights ------------------------------------------------------------------------------------

// Computes the mean weight of each active state in its layer over the last `seconds`. Simpson's
// rule makes the result almost independent of the division of this time.
static void compute_chain_weights(md5_layer_state *layer_state, double seconds)
{
    static const float parts[3] = {1.0f / 6.0f, 4.0f / 6.0f, 1.0f / 6.0f};
    const md5_chain_range all = md5_whole_chain(layer_state);
    if (layer_state->num_used == 1 && !layer_state->has_snapshot) {
        md5_newest(layer_state)->weight = 1;
        return;
    }
    for (uint32_t i = 0; i < layer_state->num_used; i++)
        md5_active_at(layer_state, i)->weight = 0;
    for (uint32_t point = 0; point < 3; point++) {
        float uncovered = 1; // weight that the states above leave
        for (uint32_t i = layer_state->num_used; i-- > 0;) {
            const float weight =
                uncovered * md5i_fade_in(layer_state, all, i, -0.5 * point * seconds);
            md5_active_at(layer_state, i)->weight += parts[point] * weight;
            uncovered -= weight;
        }
    }
}

// Progress of a fade whose weight is used for events at the start of the fade.
#define START_FADE (1.0 / 16.0)

// -- Events -------------------------------------------------------------------------------------

// The player that is advanced, the event callback, and the current interval.
typedef struct step_context {
    md5_player *player;
    md5_event_fn *events;
    void *user;
    double seconds; // length of the interval; 0: an instant, where the events of new states fire
} step_context;

// A smaller weight in a layer is a rounding error at the end of a fade.
#define MIN_EVENT_WEIGHT 1e-6f

// Returns the weight that the states above a state of a layer leave, `shift` seconds from now.
static float weight_left_above(md5_layer_state *layer_state, uint32_t position, double shift)
{
    const md5_chain_range all = md5_whole_chain(layer_state);
    float left = 1;
    for (uint32_t i = layer_state->num_used; i-- > position + 1;)
        left -= left * md5i_fade_in(layer_state, all, i, shift);
    return left;
}

// Returns the weight for the events at the start of a new state. A state that fades in has the
// weight 0 then, but its events must not be silent: they get the weight in the middle of the first
// eighth of the fade.
static float start_fade(const md5_active_state *active)
{
    return active->fades ? md5_clamped_ease(active->easing, START_FADE) : 1;
}

// Returns the weight of a clip at the time of its cursor's next event.
static float event_weight(const step_context *context, const md5_event_cursor *cursor)
{
    const double shift = cursor->when - fabs(context->seconds); // from the end of the interval
    if (cursor->one_shot)
        return md5i_one_shot_weight(context->player, cursor->one_shot, shift, START_FADE);
    md5_layer_state *const layer_state = cursor->layer_state;
    const md5_active_state *const active = md5_active_at(layer_state, cursor->position);
    const bool is_start = context->seconds == 0 && active->is_new;
    float weight;
    if (is_start)
        weight = weight_left_above(layer_state, cursor->position, 0) * start_fade(active);
    else
        weight = weight_left_above(layer_state, cursor->position, shift)
                 * md5i_fade_in(layer_state, md5_whole_chain(layer_state), cursor->position, shift);
    return weight >= MIN_EVENT_WEIGHT ? weight * active->instances[cursor->instance].weight : 0;
}

// Calls the event callback if there is one.
static void call_event_callback(const step_context *context, const md5_event *event, float weight)
{
    if (!context->events)
        return;
    context->player->status.num_events++;
    md5_mark_callback(&context->player->internal, MD5_CALLBACK);
    context->events(context->user, context->player, event, weight);
    md5_mark_callback(&context->player->internal, MD5_NO_CALLBACK);
}

// Counts an event of the step. Returns false if the step has too many events; then the event is
// dropped.
static bool count_event(md5_player *player)
{
    if (player->num_passed_events >= MD5_MAX_STEP_EVENTS) {
        player->status.num_dropped++;
        return false;
    }
    player->num_passed_events++;
    return true;
}

// Opens or closes a window and reports this with the weight window->max_weight.
static void set_window_open(const step_context *context, uint32_t number, bool opens)
{
    md5_player *const player = context->player;
    md5_window_state *const window = &player->windows[number];
    const md5_machine_window *const row = &player->machine->windows[number];
    window->weight = opens ? window->max_weight : 0;
    call_event_callback(context, opens ? &row->begin : &row->end, window->max_weight);
}

// Opens and closes windows for reasons other than a clip that passes their frames.
static void update_windows(const step_context *context)
{
    md5_player *const player = context->player;
    for (uint32_t opens = 0; opens < 2; opens++) {
        for (uint32_t i = 0; i < player->machine->num_windows; i++) {
            md5_window_state *const window = &player->windows[i];
            const bool is_open = window->weight > 0;
            const bool has_clips = window->count > 0;
            if (is_open && has_clips)
                window->weight = window->max_weight;
            // A dropped change is detected again in the next step.
            if (is_open != has_clips && has_clips == opens && count_event(player))
                set_window_open(context, i, opens);
        }
    }
}

// Events whose times differ by less than this, in seconds, and by less than half of this in cycles,
// are simultaneous. It is less than MD5_BORDER, so an interval that ends there passes both events.
#define SAME_INSTANT 1e-9

// Returns true if a cue is not an event in this interval. An end of a cycle is not an event at the
// start of a clip, nor at the start of a cycle in the direction of playback. Windows, whose indices
// follow the end, are not processed at an instant.
static bool is_skipped(const step_context *context, const md5_event_cursor *cursor, md5_clock clock)
{
    const uint32_t end = context->player->machine->tables.clips[cursor->clip].num_events;
    if (cursor->event < end)
        return false;
    if (context->seconds == 0)
        return true;
    return cursor->event == end && (clock.phase == 0) != cursor->walk.is_backward;
}

// Advances a cursor to its next event. Returns false at the end.
static bool advance_cursor(const step_context *context, md5_event_cursor *cursor)
{
    md5_clock clock;
    do {
        if (!md5i_next_event(&cursor->walk, &cursor->event, &clock))
            return false;
    } while (is_skipped(context, cursor, clock));
    if (context->seconds == 0)
        return true;
    double seconds;
    double rate;
    if (cursor->one_shot) {
        const double cycles = md5_cycles_between(cursor->one_shot->clock_before, clock);
        rate = cursor->one_shot->rate;
        seconds = cycles == 0 ? 0 : cycles / rate;
    } else {
        const md5_active_state *const active = md5_active_at(cursor->layer_state, cursor->position);
        rate = active->instances[cursor->instance].rate;
        seconds = md5i_instance_seconds(context->player, active, cursor->instance,
                                        active->instances[cursor->instance].clock_before, clock);
    }
    cursor->slack = SAME_INSTANT / fmax(2 * fabs(rate), 1.0);
    // By rounding, the event could be before the previous event or after the end of the interval.
    const double whole = fabs(context->seconds);
    double when = fmin(context->seconds < 0 ? -seconds : seconds, whole);
    if (!cursor->one_shot && cursor->layer_state->is_steered)
        when = md5i_shared_clock_seconds(cursor->layer_state, cursor->position, cursor->instance,
                                         when / whole, whole);
    cursor->when = fmin(fmax(when, cursor->when), whole);
    return true;
}

// Counts a clip in each of its windows that contains the clock. Its weight there is the weight of
// an event.
static void count_windows(const step_context *context, const md5_event_cursor *cursor,
                          const md5_cues *cues, md5_clock clock, bool at_start)
{
    md5_player *const player = context->player;
    const md5_clip_desc *const clip = &player->machine->tables.clips[cursor->clip];
    md5_window_state *const windows =
        player->windows + player->machine->sources[cursor->clip].first_window;
    for (uint32_t i = 0; i < clip->num_windows; i++)
        windows[i].count_before = windows[i].count;
    const uint32_t num_below = md5i_count_cues_below(cues, clock, cursor->is_backward, at_start);
    for (uint32_t i = 0; i < num_below; i++) {
        // The numbers of cues are first those of the events, then of the end of the clip, then two
        // for each window: its begin and its end.
        const uint32_t first_window_cue = clip->num_events + 1;
        const uint32_t event = cues->cues[i].event;
        if (event < first_window_cue || event - first_window_cue >= 2 * clip->num_windows)
            continue;
        const uint32_t window = (event - first_window_cue) / 2;
        const bool is_begin = (event - first_window_cue) % 2 == 0;
        if (is_begin)
            windows[window].count++;
        else
            windows[window].count--;
    }
    const float weight = event_weight(context, cursor);
    for (uint32_t i = 0; i < clip->num_windows; i++) {
        if (windows[i].count > windows[i].count_before)
            windows[i].max_weight =
                md5_larger(windows[i].max_weight, md5_larger(weight, MIN_EVENT_WEIGHT));
    }
}

// Adds a cursor if its clip passes an event.
static void add_cursor(const step_context *context, md5_event_cursor cursor, const md5_cues *cues,
                       md5_clock before, md5_clock current, bool is_at_start, bool ends_cycle,
                       uint32_t *num_cursors)
{
    const bool is_instant = context->seconds == 0;
    if (context->player->machine->tables.clips[cursor.clip].num_windows > 0)
        count_windows(context, &cursor, cues, is_instant ? current : before,
                      is_at_start && (!is_instant || md5_is_same_cycle_boundary(before, current)));
    if (is_instant && !cursor.is_new)
        return;
    if (is_instant)
        cursor.walk = md5i_begin_start_events(cues, current);
    else
        cursor.walk = md5i_begin_events(cues, before, current, is_at_start, ends_cycle);
    context->player->cursors[*num_cursors] = cursor;
    if (advance_cursor(context, &context->player->cursors[*num_cursors]))
        (*num_cursors)++;
}

// Processes the passage of a window's first or last frame.
static void pass_window_frame(const step_context *context, const md5_event_cursor *cursor,
                              float weight)
{
    md5_player *const player = context->player;
    const md5_source *const source = &player->machine->sources[cursor->clip];
    const uint32_t num_events = player->machine->tables.clips[cursor->clip].num_events;
    const uint32_t number = cursor->event - num_events - 1;
    const uint32_t window = source->first_window + number / 2;
    md5_window_state *const state = &player->windows[window];
    const bool opens = (number % 2 == 0) != cursor->walk.is_backward;
    if (opens)
        state->count++;
    else if (state->count > 0)
        state->count--;
    state->max_weight = md5_larger(weight, MIN_EVENT_WEIGHT);
    const bool is_closed = state->weight == 0;
    const bool changes = opens ? is_closed : !is_closed && state->count == 0;
    if (changes)
        set_window_open(context, window, opens);
}

// Passes an event to conditions. Conditions are evaluated at the end of the interval; an earlier
// event is at the start of a clip that begins backward, and is ignored.
static void record_event(const step_context *context, const md5_event_cursor *cursor,
                         uint64_t event_bits)
{
    if (cursor->when - fabs(context->seconds) >= -MD5_BORDER)
        context->player->heard_events |= event_bits;
    if (context->seconds != 0)
        return;
    if (!cursor->one_shot)
        cursor->layer_state->ignored_events |= event_bits;
    else if (cursor->one_shot->fade_in.elapsed <= MD5_BORDER) // not the start of a later section
        cursor->one_shot->ignored_events |= event_bits;
}

// Passes an event to conditions and to the event callback, unless the event is silent.
static void fire_event(const step_context *context, const md5_event_cursor *cursor)
{
    const md5_machine *const machine = context->player->machine;
    const md5_clip_desc *const clip = &machine->tables.clips[cursor->clip];
    const uint64_t *const event_bits = machine->sources[cursor->clip].event_bits;
    const float weight = event_weight(context, cursor);
    if (cursor->event > clip->num_events) {
        pass_window_frame(context, cursor, weight);
        return;
    }
    if (!(weight > 0) || (cursor->one_shot && weight < MIN_EVENT_WEIGHT))
        return;
    if (event_bits)
        record_event(context, cursor, event_bits[cursor->event]);
    const bool is_end = cursor->event == clip->num_events;
    call_event_callback(
        context, is_end ? &machine->clip_ends[cursor->clip] : &clip->events[cursor->event], weight);
}

// Adds the cursors of the clips of an active state.
static void add_state_cursors(const step_context *context, md5_layer_state *layer_state,
                              uint32_t position, uint32_t *num_cursors)
{
    const md5_player *const player = context->player;
    const md5_machine *const machine = player->machine;
    const md5_active_state *const active = md5_active_at(layer_state, position);
    const bool ends_cycle = layer_state->ends_cycle && position + 1 == layer_state->num_used;
    for (uint32_t j = 0; j < active->num_active_instances; j++) {
        const uint32_t k = active->active_instances[j];
        const md5_clip_instance *const instance = &active->instances[k];
        const md5_playable *const playable = active->tree->instances[k].playable;
        const md5_cues *const cues = &playable->source->cues[playable->mode];
        if (instance->weight == 0 || cues->num_cues == 0)
            continue;
        md5_event_cursor cursor = {
            .clip = (uint32_t)(playable->source - machine->sources),
            .layer_state = layer_state,
            .position = position,
            .instance = k,
            .is_new = active->is_new,
        };
        if (machine->num_windows > 0)
            cursor.is_backward = is_playing_backward(active, k) != player->is_backward;
        add_cursor(context, cursor, cues, instance->clock_before, instance->clock,
                   instance->is_at_start, ends_cycle, num_cursors);
    }
}

// Adds a cursor for each clip and one-shot clip that passes an event. Returns their number.
static uint32_t collect_cursors(const step_context *context)
{
    md5_player *const player = context->player;
    const md5_machine *const machine = player->machine;
    const bool is_instant = context->seconds == 0;
    uint32_t num_cursors = 0;
    for (uint32_t layer = 0; layer < machine->tables.num_layers; layer++) {
        md5_layer_state *const layer_state = &player->layer_states[layer];
        for (uint32_t i = 0; i < layer_state->num_used; i++) {
            const md5_active_state *const active = md5_active_at(layer_state, i);
            const bool can_pass = !is_instant || active->is_new || machine->num_windows > 0;
            if (active->tree && can_pass)
                add_state_cursors(context, layer_state, i, &num_cursors);
        }
    }
    md5_one_shot *one_shot;
    md5_one_shot_iterator walk = {0};
    while ((one_shot = md5_next_one_shot(player, &walk)) != NULL) {
        const md5_play_mode mode = md5_one_shot_timing(machine, one_shot)->mode;
        const md5_cues *const cues = &machine->sources[one_shot->source].cues[mode];
        if (cues->num_cues == 0)
            continue;
        const md5_event_cursor cursor = {
            .clip = one_shot->source,
            .one_shot = one_shot,
            .is_new = one_shot->is_new,
            .is_backward = (one_shot->rate < 0) != player->is_backward,
        };
        add_cursor(context, cursor, cues, one_shot->clock_before, one_shot->clock,
                   one_shot->is_at_start, false, &num_cursors);
    }
    return num_cursors;
}

// Fires the events of an interval or instant in the order of time. Simultaneous events are in the
// order of layers and clips.
static void fire_events(const step_context *context)
{
    md5_player *const player = context->player;
    const md5_machine *const machine = player->machine;
    const bool is_instant = context->seconds == 0;
    for (uint32_t i = 0; i < machine->num_windows; i++)
        player->windows[i] = (md5_window_state){.weight = player->windows[i].weight};
    uint32_t num_cursors = collect_cursors(context);
    if (!is_instant)
        update_windows(context);
    while (num_cursors > 0 && player->num_passed_events < MD5_MAX_STEP_EVENTS) {
        md5_event_cursor *cursor = player->cursors;
        for (uint32_t i = 1; i < num_cursors; i++) {
            if (player->cursors[i].when < cursor->when - cursor->slack)
                cursor = &player->cursors[i];
        }
        fire_event(context, cursor);
        player->num_passed_events++;
        if (advance_cursor(context, cursor))
            continue;
        const size_t num_after = (size_t)(player->cursors + --num_cursors - cursor);
        memmove(cursor, cursor + 1, num_after * sizeof *cursor);
    }
    for (uint32_t i = 0; i < num_cursors; i++)
        player->status.num_dropped += 1 + player->cursors[i].walk.num_left;
    if (is_instant)
        update_windows(context);
}

// Returns true if events of clips have an effect: on the game, on windows or on conditions.
static bool needs_clip_events(const step_context *context)
{
    const md5_machine *const machine = context->player->machine;
    if (!machine->has_clip_events)
        return false;
    return context->events || machine->num_windows > 0 || machine->num_event_bits > 0;
}

// Returns true if the machine reports a kind of event of a state.
static bool is_reported(const md5_report_desc *reports, md5_event_kind kind)
{
    switch (kind) {
    case MD5_EVENT_ENTER:
        return reports->enter;
    case MD5_EVENT_LEAVE:
        return reports->leave;
    default:
        return reports->transition_end;
    }
}

// Calls the event callback for an event of a state if the machine reports events of its kind.
static void report_state_event(const step_context *context, uint32_t layer, uint32_t state,
                               md5_event_kind kind)
{
    const md5_machine *const machine = context->player->machine;
    if (!context->events || !is_reported(&machine->tables.report, kind))
        return;
    if (count_event(context->player))
        call_event_callback(
            context, &machine->layers[layer].states[state].events[kind - MD5_EVENT_ENTER], 1);
}

// -- Instants and intervals ---------------------------------------------------------------------

// Resets the triggers that were consumed.
static void clear_consumed(md5_player *player)
{
    for (uint32_t i = 0; i < player->machine->tables.num_parameters; i++) {
        if (player->consumed[i] == 0)
            continue;
        player->consumed[i] = 0;
        md5i_set_value(player, i, 0);
    }
}

// Takes transitions and starts one-shot clips until none is possible at this instant.
static void take_all_transitions(md5_player *player)
{
    const md5_machine_desc *const tables = &player->machine->tables;
    bool is_again = true;
    while (is_again) { // a consumed trigger may open transitions that wait for it to be clear
        md5i_update_weights(player);
        if (player->machine->has_steps && md5i_has_shared_clock(player))
            md5i_update_shared_rates(player, 0, 0);
        for (uint32_t i = 0; i < tables->num_layers; i++)
            take_transitions(player, i);
        if (player->num_steps < MD5_MAX_STEP_PARTS)
            update_one_shots(player);
        is_again = player->has_consumed;
        // Events are heard in one pass. One-shot clips may start when the events are over.
        if (!player->has_consumed && player->heard_events != 0) {
            player->heard_events = 0;
            is_again = tables->num_one_shots > 0;
        }
        if (player->has_consumed) {
            clear_consumed(player);
            player->is_weighed = false;
        }
        player->has_consumed = false;
    }
}

// Reports the states that layers have left and entered. States that were left at the same instant
// at which they were entered are not reported.
static void report_entered_states(const step_context *context)
{
    md5_player *const player = context->player;
    for (uint32_t i = 0; i < player->machine->tables.num_layers; i++) {
        md5_layer_state *const layer_state = &player->layer_states[i];
        const md5_active_state *const newest = md5_newest(layer_state);
        const uint32_t left = layer_state->entered;
        if (layer_state->is_entered)
            continue;
        layer_state->is_entered = true;
        layer_state->entered = newest->state;
        if (left != MD5_NONE)
            report_state_event(context, i, left, MD5_EVENT_LEAVE);
        report_state_event(context, i, newest->state, MD5_EVENT_ENTER);
        if (left != MD5_NONE && md5_progress(newest) == 1)
            report_state_event(context, i, newest->state, MD5_EVENT_TRANSITION_END);
    }
}

// Marks all states and one-shot clips as not new: the events at their start have fired.
static void clear_new(md5_player *player)
{
    for (uint32_t i = 0; i < player->machine->tables.num_layers; i++) {
        for (uint32_t k = 0; k < player->layer_states[i].num_used; k++)
            md5_active_at(&player->layer_states[i], k)->is_new = false;
    }
    md5_one_shot *one_shot;
    md5_one_shot_iterator walk = {0};
    while ((one_shot = md5_next_one_shot(player, &walk)) != NULL)
        one_shot->is_new = false;
}

// Takes transitions, then fires the events at the start of states and one-shot clips.
static void handle_instant(const step_context *context)
{
    md5_player *const player = context->player;
    take_all_transitions(player);
    if (player->has_new || player->machine->num_windows > 0) {
        player->has_new = false;
        if (player->machine->reports_states)
            report_entered_states(context);
        if (needs_clip_events(context))
            fire_events(context);
        clear_new(player);
    }
    player->is_settled = player->num_steps < MD5_MAX_STEP_PARTS;
}

// Advances the clocks and weights of all states.
static void advance_layers(md5_player *player, double seconds)
{
    for (uint32_t layer = 0; layer < player->machine->tables.num_layers; layer++) {
        md5_layer_state *const layer_state = &player->layer_states[layer];
        const md5_active_state *const newest = md5_newest(layer_state);
        const bool was_fading = md5_progress(newest) < 1;
        for (uint32_t i = 0; i < layer_state->num_used; i++)
            md5i_advance_state(player, md5_active_at(layer_state, i), seconds);
        compute_chain_weights(layer_state, fabs(seconds));
        layer_state->settling.elapsed += fabs(seconds);
        layer_state->has_arrived = was_fading && md5_progress(newest) == 1;
        if (!layer_state->has_arrived)
            continue;
        layer_state->is_resting = false;
        // Transitions that could not interrupt the finished transition are possible now.
        layer_state->causes = MD5_ALL_CAUSES;
    }
}

static void advance_one_shots(md5_player *player, double seconds)
{
    md5_one_shot *one_shot;
    md5_one_shot_iterator walk = {0};
    while ((one_shot = md5_next_one_shot(player, &walk)) != NULL) {
        one_shot->is_at_start =
            one_shot->is_at_start
            && md5_is_same_cycle_boundary(one_shot->clock_before, one_shot->clock);
        one_shot->clock_before = one_shot->clock;
        one_shot->clock = md5i_clock_advance(md5_one_shot_timing(player->machine, one_shot),
                                             one_shot->clock, one_shot->rate * seconds);
        one_shot->fade_in.elapsed += fabs(seconds);
        one_shot->stopping.elapsed += fabs(seconds);
    }
}

// Returns true if an active clip of a state is at the boundary between two cycles.
static bool is_at_cycle_boundary(const md5_active_state *active)
{
    for (uint32_t i = 0; i < active->num_active_instances; i++) {
        const md5_clock current = active->instances[active->active_instances[i]].clock;
        if (md5_is_same_cycle_boundary(current, current))
            return true;
    }
    return false;
}

// Finds the layers whose newest state takes an exit at the boundary between two cycles.
static void find_cycle_ends(md5_player *player)
{
    for (uint32_t layer = 0; layer < player->machine->tables.num_layers; layer++) {
        md5_layer_state *const layer_state = &player->layer_states[layer];
        const md5_active_state *const newest = md5_newest(layer_state);
        layer_state->ends_cycle = false;
        if (!player->machine->layers[layer].has_waits || !is_at_cycle_boundary(newest))
            continue;
        uint32_t first;
        const md5_transition *const open = find_open_transition(player, layer, newest, &first);
        layer_state->ends_cycle = open && open->waits && open->exit_event_bit == 0;
    }
}

// Removes the states and the frozen pose of a layer that have faded out, and finished offsets.
static void remove_faded_states(md5_layer_state *layer_state)
{
    if (layer_state->num_used > 1 || layer_state->has_snapshot) {
        uint32_t lowest = layer_state->num_used;
        bool covers = false;
        while (lowest > 0 && !covers) {
            const md5_active_state *const active = md5_active_at(layer_state, --lowest);
            covers = !active->fades || md5_progress(active) == 1;
        }
        md5_end_oldest(layer_state, lowest);
        layer_state->has_snapshot = layer_state->has_snapshot && !covers;
    }
    const md5_fade_time settling = layer_state->settling;
    layer_state->has_offsets = layer_state->has_offsets && settling.elapsed < settling.duration;
}

// Returns true if a one-shot clip has reached its end.
static bool has_ended(const md5_one_shot *one_shot)
{
    if (one_shot->end != MD5_ONE_SHOT_ENDS || one_shot->rate == 0)
        return false;
    return md5_one_shot_cycles_left(one_shot, one_shot->clock.phase) <= MD5_BORDER;
}

// Ends sections, and removes one-shot clips that have ended or faded out.
static void end_one_shots(md5_player *player, double seconds)
{
    for (uint32_t i = 0; i < player->machine->num_slots && player->num_one_shots > 0; i++) {
        md5_one_shot_slot *const slot = &player->slots[i];
        for (uint32_t k = slot->num_one_shots; k-- > 0;) {
            md5_one_shot *const one_shot = &slot->one_shots[k];
            const md5_fade_time stopping = one_shot->stopping;
            const bool has_faded =
                one_shot->is_stopping && stopping.elapsed >= stopping.duration - MD5_BORDER;
            const bool has_next = one_shot->next != MD5_NONE;
            // In backward playback a clip moves away from the end of its section.
            if (seconds > 0 && md5i_section_cycles_left(player->machine, one_shot) <= MD5_BORDER)
                md5i_end_section(player, one_shot);
            if (!has_faded && (has_next || !has_ended(one_shot)))
                continue;
            if (!has_faded && !(one_shot->fade_out > 0))
                player->status.num_cuts++;
            md5_remove_one_shot(player, slot, k);
        }
    }
}

// Advances the player by an interval and fires its events.
static void advance_interval(const step_context *context)
{
    md5_player *const player = context->player;
    const md5_machine *const machine = player->machine;
    const uint32_t num_layers = machine->tables.num_layers;
    const double seconds = context->seconds;
    advance_layers(player, seconds);
    advance_one_shots(player, seconds);
    if (machine->has_root_motion)
        player->motion =
            md5_root_delta_mul(player->motion, md5i_step_root_delta(player, fabs(seconds)));
    // From here on parameters have their values at the end; weights and rates are still means.
    if (seconds > 0 && is_following(player))
        follow_goals(player, seconds, FOLLOW_MOVE);
    player->is_weighed = player->is_weighed && !player->is_at_kink;
    find_cycle_ends(player);
    if (needs_clip_events(context))
        fire_events(context);
    if (machine->reports_states) {
        for (uint32_t i = 0; i < num_layers; i++) {
            if (player->layer_states[i].has_arrived)
                report_state_event(context, i, md5_newest(&player->layer_states[i])->state,
                                   MD5_EVENT_TRANSITION_END);
        }
    }
    for (uint32_t layer = 0; layer < num_layers; layer++)
        remove_faded_states(&player->layer_states[layer]);
    end_one_shots(player, seconds);
}

// -- Length of an interval ------------------------------------------------------------------------

// Limits *part to a fraction of a fade and to the remaining time of the fade.
static void limit_to_fade_part(md5_fade_time fade, double *part)
{
    const double left = fade.duration - fade.elapsed;
    if (left > MD5_BORDER)
        *part = md5_smaller(*part, md5_smaller(left, fade.duration / FADE_DIVISIONS));
}

// Returns the seconds, at most `max_seconds`, until a one-shot clip or its section ends, allows
// another clip to start, or passes an event that conditions use. Also limits *part to the time for
// which its weight changes steadily, and to a fraction of a fade.
static double seconds_to_one_shot_change(const md5_player *player, const md5_one_shot *one_shot,
                                         double max_seconds, double *part)
{
    const md5_source *const source = &player->machine->sources[one_shot->source];
    const bool is_reversed = (one_shot->rate < 0) != player->is_backward;
    const double speed = fabs(one_shot->rate);
    md5_clock target;
    if (source->event_bits) {
        const md5_play_mode mode = md5_one_shot_timing(player->machine, one_shot)->mode;
        const double cycles_to_event =
            cycles_to_cue(&source->cues[mode], source->event_bits, UINT64_MAX, one_shot->clock,
                          is_reversed, MD5_BORDER, &target);
        max_seconds = md5_smaller(max_seconds, cycles_to_event / speed);
    }
    const double left_of_stop = one_shot->stopping.duration - one_shot->stopping.elapsed;
    limit_to_fade_part(one_shot->fade_in, part);
    if (one_shot->is_stopping && left_of_stop > MD5_BORDER) {
        limit_to_fade_part(one_shot->stopping, part);
        max_seconds = md5_smaller(max_seconds, left_of_stop);
    }
    const double in_section = md5i_section_cycles_left(player->machine, one_shot);
    if (one_shot->rate != 0 && !player->is_backward && in_section > MD5_BORDER)
        max_seconds = md5_smaller(max_seconds, in_section / speed);
    if (one_shot->end != MD5_ONE_SHOT_ENDS || one_shot->rate == 0 || one_shot->next != MD5_NONE)
        return max_seconds;
    const double cycles = is_reversed ? one_shot->clock.phase : 1 - one_shot->clock.phase;
    if (cycles <= MD5_BORDER)
        return max_seconds;
    const double before_fade =
        md5_one_shot_cycles_left(one_shot, one_shot->clock.phase) / speed - one_shot->fade_out;
    const bool is_before_fade = before_fade > MD5_BORDER;
    if (one_shot->fade_out > 0) {
        const double steady_seconds =
            is_before_fade ? before_fade : one_shot->fade_out / FADE_DIVISIONS;
        *part = md5_smaller(*part, steady_seconds);
    }
    if (player->machine->tables.num_one_shots > 0 && is_before_fade)
        max_seconds = md5_smaller(max_seconds, before_fade);
    return md5_smaller(max_seconds, cycles / speed);
}

// Returns the seconds, at most `max_seconds`, until a clip of a state passes an event that
// conditions use.
static double seconds_to_heard_event(const md5_player *player, const md5_active_state *active,
                                     bool goes_back, double max_seconds)
{
    for (uint32_t j = 0; j < active->num_active_instances; j++) {
        const uint32_t i = active->active_instances[j];
        const md5_playable *const playable = active->tree->instances[i].playable;
        const md5_clip_instance *const instance = &active->instances[i];
        md5_clock target = instance->clock;
        if (!playable->source->event_bits)
            continue;
        cycles_to_cue(&playable->source->cues[playable->mode], playable->source->event_bits,
                      UINT64_MAX, target, is_playing_backward(active, i) != goes_back, MD5_BORDER,
                      &target);
        const double seconds =
            fabs(md5i_instance_seconds(player, active, i, instance->clock, target));
        if (instance->weight != 0 && seconds > 0)
            max_seconds = md5_smaller(max_seconds, seconds);
    }
    return max_seconds;
}

// Returns the seconds, at most `max_seconds`, until a condition about time or an event may change.
static double seconds_to_time_change(const md5_player *player, bool goes_back, double max_seconds)
{
    for (uint32_t i = 0; i < player->machine->tables.num_layers; i++) {
        md5_layer_state *const layer_state = &player->layer_states[i];
        const md5_active_state *const newest = md5_newest(layer_state);
        if (player->machine->num_event_bits > 0) {
            for (uint32_t k = 0; k < layer_state->num_used; k++)
                max_seconds = seconds_to_heard_event(player, md5_active_at(layer_state, k),
                                                     goes_back, max_seconds);
        }
        candidates all = begin_candidates(player, i, newest, MD5_CAUSE_TIME);
        for (const md5_transition *candidate = next_candidate(&all); candidate;
             candidate = next_candidate(&all)) {
            if (may_interrupt(newest, candidate))
                max_seconds =
                    seconds_to_conditions(player, layer_state, candidate, goes_back, max_seconds);
        }
    }
    return max_seconds;
}

// Returns the seconds, at most `max_seconds`, until a fade of a layer ends or a transition of the
// layer reaches its exit. Also limits *part to a fraction of a fade. Exits are not reached
// backward, because clips move away from them.
static double seconds_to_layer_change(md5_player *player, uint32_t layer, bool goes_forward,
                                      double max_seconds, double *part)
{
    const md5_machine *const machine = player->machine;
    md5_layer_state *const layer_state = &player->layer_states[layer];
    for (uint32_t k = 0; k < layer_state->num_used; k++) {
        const md5_active_state *const active = md5_active_at(layer_state, k);
        if (md5_progress(active) == 1)
            continue;
        *part = md5_smaller(*part, active->duration / FADE_DIVISIONS);
        // When a state covers the states below it, the windows of their clips close.
        if (k + 1u == layer_state->num_used || machine->num_windows > 0)
            max_seconds = md5_smaller(max_seconds, active->duration - active->elapsed);
    }
    if (!goes_forward || !machine->layers[layer].has_waits)
        return max_seconds;
    uint32_t first;
    const md5_active_state *const newest = md5_newest(layer_state);
    candidates all = begin_candidates(player, layer, newest, MD5_CAUSE_TIME);
    for (const md5_transition *candidate = next_candidate(&all); candidate;
         candidate = next_candidate(&all)) {
        if (candidate->waits && is_open(player, layer, newest, candidate, &first))
            max_seconds = seconds_to_exit(player, newest, candidate, max_seconds);
    }
    return max_seconds;
}

// Returns the length of the interval until a fade ends or an exit is reached. The sign is the sign
// of `left`, the remaining time of the step, which is not 0. Root motion may divide the interval,
// but not just before its end, where an exit could count as reached too early.
static double next_interval(md5_player *player, double left)
{
    const md5_machine *const machine = player->machine;
    const bool divides = machine->has_root_motion && player->num_steps < MAX_DIVIDED_PARTS;
    double length = fabs(left);
    double part = MAX_ROOT_SECONDS;
    if (machine->has_times)
        length = seconds_to_time_change(player, left < 0, length);
    for (uint32_t i = 0; i < machine->tables.num_layers; i++)
        length = seconds_to_layer_change(player, i, left > 0, length, &part);
    const md5_one_shot *one_shot;
    md5_one_shot_iterator walk = {0};
    while ((one_shot = md5_next_one_shot(player, &walk)) != NULL)
        length = seconds_to_one_shot_change(player, one_shot, length, &part);
    if (divides && part < length)
        length = md5_smaller(part, 0.99 * length);
    if (player->num_steps >= MD5_MAX_STEP_PARTS) {
        length = fabs(left);
        player->status.undivided = length;
    }
    return left < 0 ? -length : length;
}

// Returns the length of the next interval. While parameters are smoothed or states are
// synchronized, rates and weights are means over the interval, and its end depends on the rates.
// The length is found by iteration, which converges quickly because rates change little. If a clip
// ends inside one length but not inside another, the iteration can alternate between both. Then the
// shorter length is used, because no clip ends inside it.
static double find_interval(md5_player *player, double left)
{
    enum { USUAL_GUESSES = 10, MAX_GUESSES = 60 };
    player->is_at_kink = false;
    const bool follows = left > 0 && is_following(player);
    const bool steps = player->machine->has_steps && md5i_has_shared_clock(player);
    if (!follows && !steps)
        return next_interval(player, left);
    const bool divides = player->num_steps < MAX_DIVIDED_PARTS;
    const bool is_limited = divides && follows;
    const double longest = is_limited ? md5_smaller(left, MAX_FOLLOW_SECONDS) : fabs(left);
    const double max_seconds = is_limited ? seconds_to_kink(player, longest) : longest;
    double seconds = max_seconds;
    for (int guess = 0;; guess++) {
        double part = max_seconds;
        if (follows) {
            follow_goals(player, seconds, FOLLOW_MEAN);
            md5i_update_weights(player);
        }
        if (steps)
            part = md5i_update_shared_rates(player, left < 0 ? -seconds : seconds, max_seconds);
        const double next = fabs(next_interval(player, left < 0 ? -part : part));
        player->is_at_kink = follows && max_seconds < longest && seconds == max_seconds;
        const bool is_close = fabs(next - seconds) <= CLOSE_SECONDS;
        const bool alternates = guess >= USUAL_GUESSES && next > seconds;
        if (is_close || alternates || guess == MAX_GUESSES)
            return left < 0 ? -seconds : seconds;
        seconds = next;
    }
}

// Handles instants until no event is left for conditions. States and one-shot clips that exist
// before the first instant hear all events that fire there, except for the events at their own
// start.
static void handle_instants(const step_context *context)
{
    md5_one_shot *one_shot;
    for (uint32_t i = 0; i < context->player->machine->tables.num_layers; i++)
        context->player->layer_states[i].ignored_events = 0;
    md5_one_shot_iterator walk = {0};
    while ((one_shot = md5_next_one_shot(context->player, &walk)) != NULL)
        one_shot->ignored_events = 0;
    do
        handle_instant(context);
    while (context->player->heard_events != 0);
}

md5_advance_status md5_player_advance(md5_player *player, double seconds, md5_event_fn *events,
                                      void *user)
{
    MD5_ASSERT_PLAYER_CHANGE(player);
    MD5_VALIDATE_CLIPS(player);
    double left = isfinite(seconds) ? fmin(fmax(seconds, -MAX_SECONDS), MAX_SECONDS) : 0;
    step_context context = {player, events, user, 0};
    player->motion = MD5_NO_DELTA;
    player->status = (md5_advance_status){0};
    player->num_passed_events = 0;
    player->num_steps = 0;
    player->heard_events = 0;
    player->since_pose += fabs(left);
    if (left != 0) { // in the other direction other conditions may hold
        player->is_settled = player->is_settled && player->is_backward == (left < 0);
        player->is_backward = left < 0;
    }
    if (left > 0 && player->machine->num_gazes > 0)
        md5i_advance_gazes(player, left);
    if (!player->is_settled)
        handle_instants(&context);
    while (left != 0) {
        context.seconds = find_interval(player, left);
        advance_interval(&context);
        left -= context.seconds;
        context.seconds = 0;
        player->num_steps++;
        handle_instants(&context);
    }
    if (player->machine->num_soles > 0)
        player->motion_since_pose = md5_root_delta_mul(player->motion_since_pose, player->motion);
    return player->status;
}

md5_xform md5_player_root_motion(const md5_player *player)
{
    MD5_ASSERT_PLAYER(player);
    return md5_transform_to_axes(player->machine->model->skeleton.axes,
                                 md5_root_delta_transform(player->motion));
}
