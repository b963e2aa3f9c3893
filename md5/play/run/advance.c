// Advances a player.
//
// A step is divided into intervals. In an interval clips advance, and the events that they pass
// fire, up to and including its end. At the instants between intervals transitions are taken, and
// the events where their states begin fire. There is an instant at the start and the end of the
// step, and wherever a transition ends or an exit is reached. Because there is always one at the
// end, the result does not depend on how a caller splits time into steps.
#include "md5/core/math.h"
#include "md5/play/run/player_state.h"

// == Parameters =================================================================================

// A value may only change conditions if it passes a threshold, or begins or ends at one.
void md5i_set_value(md5_player *player, uint32_t parameter, float value)
{
    const md5_machine *const machine = player->machine;
    const md5_play_condition *const thresholds = machine->thresholds;
    const float old = player->parameters[parameter];
    const md5_play_condition low = {.parameter = parameter, .value = old < value ? old : value};
    // The first threshold that is not below both values.
    uint32_t next = 0;
    uint32_t high = old == value ? 0 : (uint32_t)machine->num_thresholds;
    while (next < high) {
        const uint32_t middle = next + (high - next) / 2;
        if (md5_is_lower(&thresholds[middle], &low))
            next = middle + 1;
        else
            high = middle;
    }
    const bool is_passed = old != value && next < machine->num_thresholds
                           && thresholds[next].parameter == parameter
                           && thresholds[next].value <= md5_larger(old, value);
    if (is_passed) {
        for (uint32_t i = 0; i < machine->tables.num_layers; i++)
            player->layer_states[i].causes |= md5_cause_of(parameter);
    }
    player->parameters[parameter] = value;
}

// -- Parameters that follow ---------------------------------------------------------------------
//
// Parameters that follow what is set. Where one is, and its mean over a time, follow from where it
// began and how long ago, so that it does not matter in how many steps.

// Of e^-40 of a distance a float shows nothing.
#define MIN_LEFT 40.0

// In a shorter time the rounding errors of an integral are larger than a change.
#define SHORTEST 1e-7

// The distance of a parameter from its goal, and how fast that changes.
typedef struct movement {
    double distance;
    double velocity;
} movement;

// Seconds after which nothing is left of a distance: of a spring, by no more than its slower root.
static double arrival(const md5_follow_desc *follow)
{
    const double k = follow->stiffness;
    const double c = follow->damping;
    if (follow->kind == MD5_FOLLOW_EASE)
        return follow->duration;
    return MIN_LEFT / (follow->kind == MD5_FOLLOW_SMOOTH ? follow->rate : fmin(0.5 * c, k / c));
}

static movement moved(const md5_follow_desc *follow, const md5_following *following, double elapsed)
{
    const double x = (double)following->from - following->goal;
    const double v = following->velocity;
    if (elapsed >= arrival(follow))
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

static float value_after(const md5_follow_desc *follow, const md5_following *following,
                         double seconds)
{
    const movement then = moved(follow, following, following->elapsed + seconds);
    return md5_round_to_float(following->goal + then.distance);
}

// The integral of a spring's x = -(x'' + c x') / k, which for k = rate and c = 1 without x'' is
// that of a SMOOTH parameter; and of an easing.
static float mean_of(const md5_follow_desc *follow, const md5_following *following, double seconds)
{
    const double begin = following->elapsed;
    const double end = md5_least(begin + seconds, arrival(follow));
    if (seconds <= SHORTEST || end <= begin)
        return value_after(follow, following, 0.5 * seconds);
    const movement now = moved(follow, following, begin);
    const movement then = moved(follow, following, begin + seconds);
    const bool is_spring = follow->kind == MD5_FOLLOW_SPRING;
    const double k = (is_spring ? follow->stiffness : follow->rate);
    const double c = is_spring ? follow->damping : 1;
    const double t = follow->duration;
    double sum = (now.velocity - then.velocity + c * (now.distance - then.distance)) / k;
    if (follow->kind == MD5_FOLLOW_EASE)
        sum = ((double)following->from - following->goal)
              * (end - begin
                 - t * md5i_eased_area(&follow->easing, begin / t, md5_least(end / t, 1)));
    return md5_round_to_float(following->goal + sum / seconds);
}

static bool is_moving(const md5_following *following)
{
    return following->from != following->goal || following->velocity != 0;
}

bool md5i_set_goal(md5_player *player, uint32_t parameter, float goal)
{
    const uint32_t row = player->machine->followers[parameter];
    if (row == MD5_NONE)
        return false;
    md5_following *const following = &player->followings[row];
    if (following->goal == goal)
        return true;
    const movement now =
        moved(&player->machine->tables.follows[row], following, following->elapsed);
    *following = (md5_following){.goal = goal,
                                 .from = player->parameters[parameter],
                                 .velocity = md5_round_to_float(now.velocity)};
    return true;
}

typedef enum md5_follow_task {
    MD5_FOLLOW_LOOKS, // only sets the followings' `next`: where their parameters will be
    MD5_FOLLOW_MEAN,  // sets parameters to their means over the time
    MD5_FOLLOW_MOVES, // moves them
} md5_follow_task;

// Lets the parameters that follow go on by `seconds`, above 0.
static void follow_goals(md5_player *player, double seconds, md5_follow_task task)
{
    for (uint32_t i = 0; i < player->machine->tables.num_parameters; i++) {
        const uint32_t row = player->machine->followers[i];
        if (row == MD5_NONE)
            continue;
        const md5_follow_desc *const follow = &player->machine->tables.follows[row];
        md5_following *const following = &player->followings[row];
        following->next =
            is_moving(following) ? value_after(follow, following, seconds) : player->parameters[i];
        if (task == MD5_FOLLOW_LOOKS || !is_moving(following))
            continue;
        player->has_moved = true;
        md5i_set_value(player, i,
                       task == MD5_FOLLOW_MEAN ? mean_of(follow, following, seconds)
                                               : following->next);
        if (task == MD5_FOLLOW_MEAN)
            continue;
        following->elapsed += seconds;
        if (following->elapsed >= arrival(follow))
            *following = (md5_following){.goal = following->goal, .from = following->goal};
    }
}

static bool is_following(const md5_player *player)
{
    for (uint32_t i = 0; i < player->machine->tables.num_follows; i++) {
        if (is_moving(&player->followings[i]))
            return true;
    }
    return false;
}

// == Transitions ================================================================================

// Seconds: when a condition changes is found to within this.
#define SAME_TIME 1e-13

// Cycles. A later exit is never reached.
#define MAX_EXIT 0x1p52

// -- Exits --------------------------------------------------------------------------------------

// Whether a clip plays backward: by its own rate, or by the mean rate of its group.
static bool is_backward(const md5_active_state *active, uint32_t instance)
{
    const md5_blend_tree *const tree = active->tree;
    const uint32_t number = tree->instances[instance].group;
    if (number == MD5_NONE)
        return active->instances[instance].rate < 0;
    const md5_group_plan *const group = &tree->groups[number];
    double rate = 0;
    for (uint32_t i = 0; i < group->num_members; i++) {
        const md5_clip_instance *const member = &active->instances[group->members[i]];
        rate += member->share * member->rate;
    }
    return rate < 0;
}

// Position of the first clip when a state is at its exit, in the direction that it plays.
typedef struct exit_position {
    md5_clock clock;
    double time; // of the same
    bool is_backward;
} exit_position;

static exit_position exit_of(const md5_active_state *active, double exit)
{
    const md5_timing *const timing = active->tree->instances[0].playable->timing;
    exit_position position = {.is_backward = is_backward(active, 0)};
    const double limited = fmin(fmax(exit, -MAX_EXIT), MAX_EXIT);
    const double time = position.is_backward ? 1 - limited : limited;
    // An exit may lie beyond the ends of a clip that is played once.
    const double whole = floor(time);
    position.clock = md5i_clock_snap(timing, (md5_clock){(int64_t)whole, time - whole},
                                     MD5_FLOAT_ERROR * fmax(1.0, fabs(exit)));
    position.time = md5_clock_time(position.clock);
    return position;
}

// Remaining distance to an exit, in cycles.
static double distance_to(const exit_position *exit, double time)
{
    return exit->is_backward ? time - exit->time : exit->time - time;
}

// Whether a time is at or after an exit. Usually this is clear without snapping to frames.
static bool is_behind(const md5_active_state *active, double exit, double time)
{
    if (!active->tree)
        return true;
    const double delta = is_backward(active, 0) ? time - (1 - exit) : exit - time;
    if (fabs(delta) > 1e-6 * fmax(1.0, fabs(exit)))
        return delta < 0;
    const exit_position position = exit_of(active, exit);
    return distance_to(&position, time) <= MD5_BORDER;
}

// The cycles, more than `beyond`, after which a clip is at the nearest of some cues, and the clock
// there: of those that an ear hears, if `ears` has the ears of the clip's events. INFINITY: at
// none.
static double cycles_until(const md5_cues *cues, const uint64_t *ears, uint64_t ear, md5_clock now,
                           bool backward, double beyond, md5_clock *place)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < cues->num_cues; i++) {
        const md5_cue *const cue = &cues->cues[i];
        const double distance = backward ? now.phase - cue->phase : cue->phase - now.phase;
        const double whole = cues->timing->mode == MD5_PLAY_ONCE ? 0 : floor(beyond - distance) + 1;
        if ((ears && (ears[cue->event] & ear) == 0) || !(distance + whole > beyond)
            || distance + whole >= least)
            continue;
        least = distance + whole;
        *place = (md5_clock){now.cycle + (int64_t)(backward ? -whole : whole), cue->phase};
    }
    return least;
}

// The same for the places where a transition leaves a state in each cycle.
static double cycles_until_exit(const md5_active_state *active, const md5_transition *transition,
                                double beyond, md5_clock *place)
{
    const md5_playable *const playable = active->tree->instances[0].playable;
    const md5_source *const source = playable->source;
    const bool backward = is_backward(active, 0);
    const double share = backward ? 1 - transition->exit : transition->exit;
    const md5_clock at = md5i_clock_snap(playable->timing, (md5_clock){0, share}, MD5_FLOAT_ERROR);
    const md5_cue cue = {md5_clock_time(at), 0};
    const md5_cues own = {playable->timing, &cue, 1};
    const bool is_event = transition->exit_ear != 0;
    return cycles_until(is_event ? &source->cues[playable->mode] : &own,
                        is_event ? source->ears : NULL, transition->exit_ear,
                        active->instances[0].now, backward, beyond, place);
}

// Whether a state has reached the exit of a transition, if that waits; at_start: whether it had
// when it began.
static bool has_reached(const md5_player *player, const md5_active_state *active,
                        const md5_transition *transition, bool at_start)
{
    const double time = at_start ? active->start_time : md5i_active_time(active);
    md5_clock place;
    if (!transition->waits || !transition->exits_each)
        return !transition->waits || is_behind(active, transition->exit, time);
    if (!active->tree)
        return transition->exit_ear == 0;
    return !player->is_backward && fabs(time - active->start_time) > MD5_BORDER
           && cycles_until_exit(active, transition, -MD5_BORDER, &place) <= MD5_BORDER;
}

// Seconds, up to `most`, until the exit of a transition is reached.
static double seconds_until(md5_player *player, const md5_active_state *active,
                            const md5_transition *transition, double most)
{
    const double exit = transition->exit;
    if (!active->tree)
        return most;
    const md5_instance_plan *const plan = active->tree->instances;
    const md5_clock now = active->instances[0].now;
    const double rate = active->instances[0].rate;
    md5_clock place = now;
    if (transition->exits_each) {
        cycles_until_exit(active, transition, MD5_BORDER, &place);
        const double seconds = fabs(md5i_instance_seconds(player, active, 0, now, place));
        return seconds > 0 ? md5_least(most, seconds) : most;
    }
    // The common case: clearly not reached within `most`.
    if (plan->group == MD5_NONE && rate > 0
        && exit - md5_clock_time(now) > rate * most + 1e-6 * fmax(1.0, fabs(exit)))
        return most;
    const exit_position position = exit_of(active, exit);
    if (distance_to(&position, md5_clock_time(now)) <= MD5_BORDER)
        return most;
    // A clip that is played once stops at its end.
    if (plan->playable->timing->mode == MD5_PLAY_ONCE && (position.time < 0 || position.time > 1))
        return most;
    const double seconds = md5i_instance_seconds(player, active, 0, now, position.clock);
    return seconds > 0 && seconds < most ? seconds : most;
}

// -- Which is taken, and when -------------------------------------------------------------------

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
    const md5_play_condition known = {.compare = condition->compare, .value = condition->value};
    const uint32_t parameter = md5_find_parameter(player->machine, condition->parameter);
    return condition->kind == MD5_WHEN_PARAMETER && parameter != MD5_NONE
           && holds_for(&known, player->parameters[parameter]);
}

// Seconds until the time of a condition of the newest state comes, not above 0 if it has; at_start:
// when the state began.
static double seconds_until_time(const md5_player *player, md5_layer_state *layer_state,
                                 const md5_play_condition *condition, bool at_start)
{
    const md5_active_state *const active = md5_newest(layer_state);
    double time = condition->seconds;
    if (condition->spread > 0)
        time +=
            condition->spread
            * md5_chance(layer_state->random + (uint64_t)(condition - player->machine->conditions));
    if (condition->kind == MD5_WHEN_STATE_TIME)
        return time - (at_start ? 0 : active->elapsed);
    if (!active->tree)
        return -condition->seconds;
    const md5_timing *const timing = active->tree->instances[0].playable->timing;
    const bool backward = is_backward(active, 0);
    const md5_clock now =
        at_start ? md5i_clock_at(timing, active->start_time) : active->instances[0].now;
    const md5_cue cue = {backward ? 0 : 1.0, 0};
    const md5_cues own = {timing, &cue, 1};
    md5_clock end = now;
    cycles_until(&own, NULL, 0, now, backward, MD5_BORDER, &end);
    const double left = md5i_instance_seconds(player, active, 0, now, end);
    return left >= 0 ? left - condition->seconds : (double)INFINITY; // it stands
}

// Seconds, up to `most`, until a condition of a layer's transition that is about time changes.
static double seconds_until_times(const md5_player *player, md5_layer_state *layer_state,
                                  const md5_transition *transition, bool goes_back, double most)
{
    const md5_active_state *const active = md5_newest(layer_state);
    for (uint32_t i = 0; i < transition->num_conditions; i++) {
        const md5_play_condition *const condition = &transition->conditions[i];
        const bool is_left = condition->kind == MD5_WHEN_TIME_LEFT;
        if (condition->kind != MD5_WHEN_STATE_TIME && (!is_left || goes_back))
            continue;
        double seconds = seconds_until_time(player, layer_state, condition, false);
        const double left = seconds + condition->seconds;
        if (is_left && active->tree && layer_state->is_steered)
            seconds = md5_least(
                md5i_seconds_until_left(layer_state, left, condition->seconds, most), left);
        if (is_left && seconds <= MD5_BORDER) // another cycle begins
            seconds = left;
        if (seconds > MD5_BORDER)
            most = md5_least(most, seconds);
    }
    return most;
}

// Whether a condition that is not about a parameter holds; at_start: whether it did when the state
// began. What is heard then was for the state before. Only of states, but for what is heard.
static MD5_NO_INLINE bool holds_otherwise(const md5_player *player, uint32_t layer,
                                          const md5_active_state *active,
                                          const md5_play_condition *condition, bool at_start)
{
    const uint64_t deaf = active ? player->layer_states[layer].deaf : 0;
    if (condition->kind == MD5_WHEN_EVENT)
        return !at_start && (player->heard & condition->ear & ~deaf) != 0;
    const bool is_above =
        condition->compare == MD5_IS_GREATER || condition->compare == MD5_IS_AT_LEAST;
    const bool is_left = condition->kind == MD5_WHEN_TIME_LEFT;
    return !(is_left && player->is_backward)
           && (seconds_until_time(player, &player->layer_states[layer], condition, at_start)
               <= MD5_BORDER)
                  == (is_above != is_left);
}

// Whether all conditions of an alternative hold for a layer: *first becomes the number of its first
// one. One-shots are one layer more, behind the others.
static inline bool some_hold(const md5_player *player, uint32_t layer,
                             const md5_active_state *active, const md5_play_condition *conditions,
                             uint32_t count, bool at_start, uint32_t *first)
{
    *first = 0;
    for (uint32_t i = 0; i < count;) {
        const md5_play_condition *const condition = &conditions[i];
        bool holds;
        if (condition->kind != MD5_WHEN_PARAMETER) {
            holds = holds_otherwise(player, layer, active, condition, at_start);
        } else {
            const bool is_clear = condition->compare == MD5_IS_CLEAR;
            // A trigger that this layer has consumed is clear to it.
            const bool is_used = player->consumed[condition->parameter] == layer + 1
                                 && (is_clear || condition->compare == MD5_IS_SET);
            holds =
                is_used ? is_clear : holds_for(condition, player->parameters[condition->parameter]);
        }
        if (!holds)
            *first = i += condition->num_behind + 1;
        else if (condition->num_behind == 0)
            return true;
        else
            i++;
    }
    return count == 0;
}

// Consumes the triggers of an alternative, if there are conditions: for this layer now, for the
// others after all of them have seen it. Returns whether there are some.
static bool consume(md5_player *player, uint32_t layer, const md5_play_condition *conditions,
                    uint32_t count)
{
    bool has_some = false;
    for (uint32_t i = 0; count > 0 && i <= conditions->num_behind; i++) {
        const uint32_t parameter = conditions[i].parameter;
        if (parameter == MD5_NONE
            || player->machine->tables.parameters[parameter].kind != MD5_PARAMETER_TRIGGER
            || conditions[i].compare == MD5_IS_CLEAR)
            continue;
        player->consumed[parameter] = layer + 1;
        player->has_consumed = has_some = true;
    }
    return has_some;
}

// Whether a transition may interrupt the one that is under way, if there is one.
static bool may_interrupt(const md5_active_state *active, const md5_transition *transition)
{
    return active->interrupt == MD5_INTERRUPT_ANY || md5_progress(active) == 1
           || (active->interrupt == MD5_INTERRUPT_HIGHER
               && transition->change.priority > active->priority);
}

// Whether a transition is possible, apart from its exit time: then *first is as some_hold() says.
static bool is_open(const md5_player *player, uint32_t layer, const md5_active_state *active,
                    const md5_transition *transition, uint32_t *first)
{
    if (transition->from == MD5_NONE && transition->change.state == active->state)
        return false;
    if (!may_interrupt(active, transition))
        return false;
    return some_hold(player, layer, active, transition->conditions, transition->num_conditions,
                     false, first);
}

// Merges two lists of transitions that are each in the order of priority: those that one of some
// causes may open.
typedef struct candidates {
    const md5_play_layer *layer;
    uint64_t causes;
    uint32_t own, own_end, any, any_end; // numbers in the layer
} candidates;

static inline candidates candidates_of(const md5_player *player, uint32_t layer,
                                       const md5_active_state *active, uint64_t causes)
{
    const md5_play_layer *const played = &player->machine->layers[layer];
    const md5_state *const state = &played->states[active->state];
    const uint32_t num_own = (state->causes & causes) != 0 ? state->num_transitions : 0;
    return (candidates){.layer = played,
                        .causes = causes,
                        .own = state->first_transition,
                        .own_end = state->first_transition + num_own,
                        .any_end = (played->any_causes & causes) != 0 ? played->num_any : 0};
}

// From `number` on; `end`: none.
static inline uint32_t next_number(const candidates *all, uint32_t number, uint32_t end)
{
    const uint64_t *const causes = all->layer->causes;
    const uint64_t wanted = all->causes;
    while (number < end && (causes[number] & wanted) == 0)
        number++;
    return number;
}

// NULL at the end.
static inline const md5_transition *next_candidate(candidates *all)
{
    const md5_transition *const transitions = all->layer->transitions;
    all->own = next_number(all, all->own, all->own_end);
    all->any = next_number(all, all->any, all->any_end);
    if (all->any == all->any_end)
        return all->own == all->own_end ? NULL : &transitions[all->own++];
    const md5_transition *const own = &transitions[all->own];
    const md5_transition *const any = &transitions[all->any];
    const bool is_any = all->own == all->own_end
                        || (own->change.priority == any->change.priority
                                ? any->number < own->number
                                : own->change.priority < any->change.priority);
    return &transitions[is_any ? all->any++ : all->own++];
}

// One of those that a cause may have opened since none was open.
static MD5_NO_INLINE const md5_transition *find_candidate(const md5_player *player, uint32_t layer,
                                                          const md5_active_state *active,
                                                          uint32_t *first)
{
    uint32_t other;
    const md5_transition *candidate;
    for (candidates all = candidates_of(player, layer, active, player->layer_states[layer].causes);
         (candidate = next_candidate(&all));) {
        // In a resting layer only transitions that open later count: see take_in_layer().
        if (is_open(player, layer, active, candidate, first)
            && has_reached(player, active, candidate, false)
            && !(player->layer_states[layer].is_resting
                 && has_reached(player, active, candidate, true)
                 && some_hold(player, layer, active, candidate->conditions,
                              candidate->num_conditions, true, &other)))
            return candidate;
    }
    return NULL;
}

static inline const md5_transition *find_open(const md5_player *player, uint32_t layer,
                                              const md5_active_state *active, uint32_t *first)
{
    const md5_play_layer *const played = &player->machine->layers[layer];
    const uint64_t causes = played->states[active->state].causes | played->any_causes;
    return (causes & player->layer_states[layer].causes) == 0
               ? NULL
               : find_candidate(player, layer, active, first);
}

// Takes transitions of a layer until none is possible at this instant. If more are taken than there
// are, they form a cycle, which would never end because no time passes: then the layer rests in its
// current state. Transitions that were open then are ignored until a parameter changes or the
// current transition ends; so the result does not depend on how often this is called.
static void take_in_layer(md5_player *player, uint32_t layer)
{
    md5_layer_state *const layer_state = &player->layer_states[layer];
    const md5_machine *const machine = player->machine;
    const uint32_t most = machine->tables.layers[layer].num_transitions + 1;
    for (uint32_t num_taken = 0; player->num_steps < MD5_MAX_STEP_PARTS; player->num_steps++) {
        uint32_t first;
        const md5_active_state *const left = md5_newest(layer_state);
        const md5_transition *const open = find_open(player, layer, left, &first);
        if (!open) {
            if (!layer_state->is_resting) // then some are open
                layer_state->causes = MD5_CAUSE_TIME;
            return;
        }
        if (num_taken == most) {
            layer_state->is_resting = true;
            return;
        }
        num_taken++;
        // What is part of a cycle consumes nothing.
        if (consume(player, layer, open->conditions + first, open->num_conditions - first))
            num_taken = 0;
        md5_change change = open->change;
        const md5_blend_tree *const next = machine->layers[layer].states[change.state].tree;
        if (change.in_step && next) {
            change.begin = MD5_BEGIN_AS_LEFT;
            change.start = md5i_start_in_step(left, next);
        } else if (open->keeps_phase) {
            // The phase at which it leaves the state; if it waited for an exit, the fraction of
            // the exit.
            change.begin = MD5_BEGIN_AS_LEFT;
            change.start = 0;
            if (left->tree) {
                const md5_timing *const timing = left->tree->instances[0].playable->timing;
                const exit_position exit = exit_of(left, open->exit);
                const bool is_exit =
                    open->waits && !open->exits_each
                    && fabs(distance_to(&exit, md5i_active_time(left))) <= MD5_BORDER;
                change.start =
                    !is_exit ? md5i_clock_snap(timing, left->instances[0].now, MD5_BORDER).phase
                    : timing->mode == MD5_PLAY_ONCE ? exit.time
                                                    : exit.clock.phase;
            }
        }
        if (!(change.duration > 0) && change.begin != MD5_BEGIN_AS_LEFT
            && md5i_weight_of(player, &machine->layers[layer].weight) > 0)
            player->status.num_cuts++;
        md5i_change_state(player, layer, &change);
        if (change.in_step) // the next exit is that of how it plays from now on
            md5i_keep_in_step(player, 0, 0);
    }
}

// Whether a one-shot has begun to fade out. One that does so as it begins would make room for
// itself at every instant. Backward in time it moves away from its end.
static bool is_fading_out(const md5_player *player, const md5_one_shot *one_shot)
{
    if (one_shot->is_stopping || one_shot->end != MD5_ONE_SHOT_ENDS || one_shot->rate == 0
        || one_shot->next != MD5_NONE || player->is_backward)
        return one_shot->is_stopping;
    const double left =
        md5_cycles_left(one_shot, one_shot->now.phase) / fabs(one_shot->rate) - MD5_BORDER;
    return left <= one_shot->fade_out
           && one_shot->fade_in.elapsed + left - MD5_BORDER > one_shot->fade_out;
}

// Whether there are conditions of a one-shot and all hold. Then, if they are `used`, their triggers
// are consumed.
static bool set_off(md5_player *player, const md5_play_condition *conditions, uint32_t count,
                    bool used)
{
    const uint32_t layer = player->machine->tables.num_layers;
    uint32_t first;
    const bool is_set =
        count > 0 && some_hold(player, layer, NULL, conditions, count, false, &first);
    if (is_set && used)
        consume(player, layer, conditions + first, count - first);
    return is_set;
}

// Stops one-shots of the table, and then begins others. One that must not begin because of what is
// heard is looked at again, with its triggers, when nothing is heard any more.
static void take_one_shots(md5_player *player)
{
    const md5_one_shot_desc *const rows = player->machine->tables.one_shots;
    const uint32_t count = player->machine->tables.num_one_shots;
    const uint64_t heard = player->heard;
    for (uint32_t i = 0; i < 2 * count; i++) {
        const md5_one_shot_desc *const row = &rows[i % count];
        const md5_play_one_shot *const one_shot = &player->machine->one_shots[i % count];
        md5_one_shot *const newest = md5_newest_one_shot(player, one_shot->slot);
        const int32_t taken = newest && newest->row != MD5_NONE ? rows[newest->row].priority : 0;
        if (i < count) {
            player->heard = newest ? heard & ~newest->deaf : heard;
            if (newest && newest->row == i && !newest->is_stopping
                && set_off(player, one_shot->until, row->num_until, true))
                md5_player_stop_one_shot(player, one_shot->slot, row->fade_out);
            player->heard = heard;
        } else if ((!newest || taken < row->priority || is_fading_out(player, newest))
                   && !(heard != 0 && set_off(player, one_shot->until, row->num_until, false))
                   && set_off(player, one_shot->conditions, row->num_conditions, true)
                   && !set_off(player, one_shot->until, row->num_until, true)
                   && md5_player_play_one_shot(player, MD5_NONE, MD5_NONE, row)) {
            md5_newest_one_shot(player, one_shot->slot)->deaf = UINT64_MAX;
        }
    }
}

// Seconds, up to `most`, until a parameter that follows is at one of the machine's kinks.
static double seconds_until_kink(md5_player *player, double most)
{
    const md5_machine *const machine = player->machine;
    follow_goals(player, most, MD5_FOLLOW_LOOKS);
    for (size_t i = 0; i < machine->num_kinks; i++) {
        const md5_play_condition *const kink = &machine->kinks[i];
        const uint32_t row = machine->followers[kink->parameter];
        const float now = player->parameters[kink->parameter];
        const float next = player->followings[row].next;
        if (now == next || holds_for(kink, now) == holds_for(kink, next))
            continue;
        // It may be the one that ends the time already.
        double before = 0;
        double middle = most - SAME_TIME;
        for (int k = 0; k < MD5_MOST_HALVES && most - before > SAME_TIME; k++) {
            const float then =
                value_after(&machine->tables.follows[row], &player->followings[row], middle);
            if (holds_for(kink, then) == holds_for(kink, now))
                before = middle;
            else
                most = middle;
            middle = 0.5 * (before + most);
        }
    }
    return most;
}

// == Steps ======================================================================================

// The longest step, in seconds; a longer one is cut to this.
#define MAX_SECONDS 1e6

// Root motion uses the mean weights of an interval: while weights change, an interval is at most
// this fraction of a fade; while root motion turns, at most so many seconds.
#define FADE_DIVISIONS 8.0
#define MAX_ROOT_SECONDS 0.25

// While parameters move, an interval is at most so many seconds: what is no linear function of one
// is that of its mean.
#define MAX_FOLLOW_SECONDS 0.02

// Seconds: near enough to the end of an interval.
#define CLOSE_SECONDS 1e-13

// Only so many intervals are shortened for these: a step of hours is less exact.
enum { MAX_DIVIDED_PARTS = MD5_MAX_STEP_PARTS / 2 };

// -- Weights ------------------------------------------------------------------------------------

// Mean weight of each active state in its layer over the last `seconds`, by Simpson's rule, which
// depends little on how this time is split.
static void weigh_chain(md5_layer_state *layer_state, double seconds)
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
        float rest = 1;
        for (uint32_t i = layer_state->num_used; i-- > 0;) {
            const float weight = rest * md5i_fade_in(layer_state, all, i, -0.5 * point * seconds);
            md5_active_at(layer_state, i)->weight += parts[point] * weight;
            rest -= weight;
        }
    }
}

// Progress of a fade that events at its start are weighted with.
#define START_FADE (1.0 / 16.0)

// -- Events -------------------------------------------------------------------------------------

// What is advanced, the event callback, and the current interval.
typedef struct step_context {
    md5_player *player;
    md5_event_fn *events;
    void *user;
    double seconds; // 0: an instant: events where states begin
} step_context;

// A smaller weight in a layer is a rounding error at the end of a fade.
#define MIN_EVENT_WEIGHT 1e-6f

// Weight of a clip at its walker's time.
static float weight_of(const step_context *context, const md5_walker *walker)
{
    md5_layer_state *const layer_state = walker->layer_state;
    const double shift = walker->when - fabs(context->seconds);
    if (walker->one_shot)
        return md5i_one_shot_weight(context->player, walker->one_shot, shift, START_FADE);
    const md5_active_state *const active = md5_active_at(layer_state, walker->position);
    const md5_chain_range all = md5_whole_chain(layer_state);
    const bool is_start = context->seconds == 0 && active->is_new;
    float rest = 1; // what the states above leave
    for (uint32_t i = layer_state->num_used; i-- > walker->position + 1;)
        rest -= rest * md5i_fade_in(layer_state, all, i, is_start ? 0 : shift);
    // A fade is 0 where a state begins, but the events must not be silent: they get the weight in
    // the middle of the first eighth of the fade.
    const float fade = !is_start       ? md5i_fade_in(layer_state, all, walker->position, shift)
                       : active->fades ? md5_eased_weight(active->easing, START_FADE)
                                       : 1;
    const float weight = rest * fade;
    return weight >= MIN_EVENT_WEIGHT ? weight * active->instances[walker->instance].weight : 0;
}

// Calls the event callback, if there is one.
static void tell(const step_context *context, const md5_event *event, float weight)
{
    if (!context->events)
        return;
    context->player->status.num_events++;
    md5_mark_callback(&context->player->internal, MD5_CALLBACK);
    context->events(context->user, context->player, event, weight);
    md5_mark_callback(&context->player->internal, MD5_NO_CALLBACK);
}

// Counts an event among those of the step. If it has too many, this one is dropped: returns false.
static bool count_event(md5_player *player)
{
    const bool has_room = player->num_walked < MD5_MAX_STEP_EVENTS;
    player->num_walked += has_room;
    player->status.num_dropped += !has_room;
    return has_room;
}

// Opens or closes a window, with the weight in its `most`.
static void turn_window(const step_context *context, uint32_t number, bool opens)
{
    md5_player *const player = context->player;
    md5_window_state *const window = &player->windows[number];
    const md5_window_row *const row = &player->machine->windows[number];
    window->weight = opens ? window->most : 0;
    tell(context, opens ? &row->begin : &row->end, window->most);
}

// Opens and closes windows for other reasons than that a clip passes their frames.
static void settle_windows(const step_context *context)
{
    md5_player *const player = context->player;
    for (uint32_t opens = 0; opens < 2; opens++) {
        for (uint32_t i = 0; i < player->machine->num_windows; i++) {
            md5_window_state *const window = &player->windows[i];
            const bool is_open = window->weight > 0;
            const bool has_clips = window->count > 0;
            if (is_open && has_clips)
                window->weight = window->most;
            // One that is dropped is seen in the next step.
            if (is_open != has_clips && has_clips == opens && count_event(player))
                turn_window(context, i, opens);
        }
    }
}

// Seconds; events that are nearer in time than this, and than half of it in cycles, are
// simultaneous. So an interval that ends there passes both: that is less than MD5_BORDER.
#define SAME_INSTANT 1e-9

// Moves a walker to its next event. Returns false if there is none.
static bool find_next(const step_context *context, md5_walker *walker)
{
    const uint32_t end = context->player->machine->tables.clips[walker->clip].num_events;
    md5_clock clock;
    do {
        if (!md5i_next_event(&walker->walk, &walker->event, &clock))
            return false;
        // An end of a cycle is none where a clip begins, or where its cycle begins in the direction
        // that it plays. Windows, which have numbers behind it, are not walked at an instant.
    } while ((walker->event >= end && context->seconds == 0)
             || (walker->event == end && (clock.phase == 0) != walker->walk.is_backward));
    if (context->seconds == 0)
        return true;
    double seconds, rate;
    if (walker->one_shot) {
        const double cycles = md5_clock_between(walker->one_shot->before, clock);
        rate = walker->one_shot->rate;
        seconds = cycles == 0 ? 0 : cycles / rate;
    } else {
        const md5_active_state *const active = md5_active_at(walker->layer_state, walker->position);
        rate = active->instances[walker->instance].rate;
        seconds = md5i_instance_seconds(context->player, active, walker->instance,
                                        active->instances[walker->instance].before, clock);
    }
    walker->slack = SAME_INSTANT / fmax(2 * fabs(rate), 1.0);
    // Rounding may put an event before the last one, or beyond the end.
    const double whole = fabs(context->seconds);
    double when = fmin(context->seconds < 0 ? -seconds : seconds, whole);
    if (!walker->one_shot && walker->layer_state->is_steered)
        when = md5i_seconds_in_step(walker->layer_state, walker->position, walker->instance,
                                    when / whole, whole);
    walker->when = fmin(fmax(when, walker->when), whole);
    return true;
}

// Counts a clip in the windows at whose frames it is; its weight there is that of an event.
static void count_windows(const step_context *context, const md5_walker *walker,
                          const md5_cues *cues, md5_clock clock, bool at_start)
{
    md5_player *const player = context->player;
    const md5_clip_desc *const clip = &player->machine->tables.clips[walker->clip];
    md5_window_state *const windows =
        player->windows + player->machine->sources[walker->clip].first_window;
    for (uint32_t i = 0; i < clip->num_windows; i++)
        windows[i].before = windows[i].count;
    const uint32_t num_below = md5i_cues_below(cues, clock, walker->is_backward, at_start);
    for (uint32_t i = 0; i < num_below; i++) {
        const uint32_t number = cues->cues[i].event - clip->num_events - 1; // wraps: of an event
        if (number < 2 * clip->num_windows)
            windows[number / 2].count += number % 2 == 0 ? 1 : UINT32_MAX;
    }
    const float weight = weight_of(context, walker);
    for (uint32_t i = 0; i < clip->num_windows; i++) {
        if (windows[i].count > windows[i].before)
            windows[i].most = md5_larger(windows[i].most, md5_larger(weight, MIN_EVENT_WEIGHT));
    }
}

// Adds a walker, if there is an event for it.
static void add_walker(const step_context *context, md5_walker walker, const md5_cues *cues,
                       md5_clock before, md5_clock now, bool is_at_start, bool ends_cycle,
                       uint32_t *num_walkers)
{
    const bool is_instant = context->seconds == 0;
    if (context->player->machine->tables.clips[walker.clip].num_windows > 0)
        count_windows(context, &walker, cues, is_instant ? now : before,
                      is_at_start && (!is_instant || md5_clock_stays_whole(before, now)));
    if (is_instant && !walker.is_new)
        return;
    walker.walk = is_instant ? md5i_begin_event_start(cues, now)
                             : md5i_begin_event_walk(cues, before, now, is_at_start, ends_cycle);
    context->player->walkers[*num_walkers] = walker;
    *num_walkers += find_next(context, &context->player->walkers[*num_walkers]);
}

// Lets an event be heard and calls the event callback, unless the event is silent.
static void fire(const step_context *context, const md5_walker *walker)
{
    md5_player *const player = context->player;
    const md5_clip_desc *const clip = &player->machine->tables.clips[walker->clip];
    const uint64_t *const ears = player->machine->sources[walker->clip].ears;
    const float weight = weight_of(context, walker);
    if (walker->event > clip->num_events) {
        const uint32_t number = walker->event - clip->num_events - 1;
        const uint32_t window = player->machine->sources[walker->clip].first_window + number / 2;
        md5_window_state *const state = &player->windows[window];
        const bool opens = (number % 2 == 0) != walker->walk.is_backward;
        state->count += opens ? 1 : state->count > 0 ? UINT32_MAX : 0;
        state->most = md5_larger(weight, MIN_EVENT_WEIGHT);
        if (opens == (state->weight == 0) && (opens || state->count == 0))
            turn_window(context, window, opens);
        return;
    }
    if (!(weight > 0) || (walker->one_shot && weight < MIN_EVENT_WEIGHT))
        return;
    uint64_t *const deaf = walker->one_shot ? &walker->one_shot->deaf : &walker->layer_state->deaf;
    if (ears && walker->when - fabs(context->seconds) >= -MD5_BORDER)
        player->heard |= ears[walker->event]; // not what a clip that begins backward leaves behind
    if (ears && context->seconds == 0 // not a section, which does not begin with its one-shot
        && !(walker->one_shot && walker->one_shot->fade_in.elapsed > MD5_BORDER))
        *deaf |= ears[walker->event];
    tell(context,
         walker->event < clip->num_events ? &clip->events[walker->event]
                                          : &player->machine->clip_ends[walker->clip],
         weight);
}

// In the order of time; simultaneous ones in the order of layers and clips.
static void fire_events(const step_context *context)
{
    md5_player *const player = context->player;
    const md5_machine *const machine = player->machine;
    const bool is_instant = context->seconds == 0;
    uint32_t num_walkers = 0; // one for each clip and one-shot that passes an event
    for (uint32_t i = 0; i < machine->num_windows; i++)
        player->windows[i] = (md5_window_state){.weight = player->windows[i].weight};
    for (uint32_t layer = 0; layer < machine->tables.num_layers; layer++) {
        md5_layer_state *const layer_state = &player->layer_states[layer];
        for (uint32_t i = 0; i < layer_state->num_used; i++) {
            const md5_active_state *const active = md5_active_at(layer_state, i);
            const md5_blend_tree *const tree = active->tree;
            const bool ends_cycle = layer_state->ends_cycle && i + 1 == layer_state->num_used;
            if (!tree || (is_instant && !active->is_new && machine->num_windows == 0))
                continue;
            for (uint32_t j = 0; j < active->num_awake; j++) {
                const uint32_t k = active->awake[j];
                const md5_clip_instance *const instance = &active->instances[k];
                const md5_playable *const playable = tree->instances[k].playable;
                const md5_cues *const cues = &playable->source->cues[playable->mode];
                if (instance->weight != 0 && cues->num_cues > 0)
                    add_walker(context,
                               (md5_walker){
                                   .clip = (uint32_t)(playable->source - machine->sources),
                                   .layer_state = layer_state,
                                   .position = i,
                                   .instance = k,
                                   .is_new = active->is_new,
                                   .is_backward = machine->num_windows > 0
                                                  && is_backward(active, k) != player->is_backward,
                               },
                               cues, instance->before, instance->now, instance->is_at_start,
                               ends_cycle, &num_walkers);
            }
        }
    }
    md5_one_shot *one_shot;
    md5_one_shot_walk walk = {0};
    while ((one_shot = md5_next_one_shot(player, &walk)) != NULL) {
        const md5_play_mode mode = md5_one_shot_timing(machine, one_shot)->mode;
        const md5_cues *const cues = &machine->sources[one_shot->source].cues[mode];
        if (cues->num_cues > 0)
            add_walker(context,
                       (md5_walker){.clip = one_shot->source,
                                    .one_shot = one_shot,
                                    .is_new = one_shot->is_new,
                                    .is_backward = (one_shot->rate < 0) != player->is_backward},
                       cues, one_shot->before, one_shot->now, one_shot->is_at_start, false,
                       &num_walkers);
    }
    if (!is_instant)
        settle_windows(context);
    while (num_walkers > 0 && player->num_walked < MD5_MAX_STEP_EVENTS) {
        md5_walker *walker = player->walkers;
        for (uint32_t i = 1; i < num_walkers; i++) {
            if (player->walkers[i].when < walker->when - walker->slack)
                walker = &player->walkers[i];
        }
        fire(context, walker);
        player->num_walked++;
        if (find_next(context, walker))
            continue;
        const size_t behind = (size_t)(player->walkers + --num_walkers - walker);
        memmove(walker, walker + 1, behind * sizeof *walker);
    }
    for (uint32_t i = 0; i < num_walkers; i++)
        player->status.num_dropped += 1 + player->walkers[i].walk.num_left;
    if (is_instant)
        settle_windows(context);
}

// Whether events of clips matter. Windows and conditions hear them also where the game does not.
static bool has_events(const step_context *context)
{
    const md5_machine *const machine = context->player->machine;
    return machine->has_clip_events
           && (context->events || machine->num_windows > 0 || machine->num_ears > 0);
}

// Calls the event callback for an event of a state, if events of its kind are reported.
static void report(const step_context *context, uint32_t layer, uint32_t state, md5_event_kind kind)
{
    const md5_machine *const machine = context->player->machine;
    const md5_report_desc *const reports = &machine->tables.report;
    const bool is_reported = kind == MD5_EVENT_ENTER   ? reports->enter
                             : kind == MD5_EVENT_LEAVE ? reports->leave
                                                       : reports->transition_end;
    if (context->events && is_reported && count_event(context->player))
        tell(context, &machine->layers[layer].states[state].events[kind - MD5_EVENT_ENTER], 1);
}

// -- Instants and intervals ---------------------------------------------------------------------

static void handle_instant(const step_context *context)
{
    md5_player *const player = context->player;
    const md5_machine_desc *const tables = &player->machine->tables;
    bool is_again = true;
    while (is_again) { // a consumed trigger may open transitions that wait for it to be clear
        md5i_weigh_all(player);
        if (player->machine->has_steps && md5i_is_in_step(player))
            md5i_keep_in_step(player, 0, 0);
        for (uint32_t i = 0; i < tables->num_layers; i++)
            take_in_layer(player, i);
        if (player->num_steps < MD5_MAX_STEP_PARTS)
            take_one_shots(player);
        // What is heard is for one call, and one-shots may begin when it is over.
        const bool is_over = !player->has_consumed && player->heard != 0;
        player->heard = is_over ? 0 : player->heard;
        is_again = player->has_consumed || (is_over && tables->num_one_shots > 0);
        if (player->has_consumed) {
            for (uint32_t i = 0; i < tables->num_parameters; i++) {
                if (player->consumed[i] == 0)
                    continue;
                player->consumed[i] = 0;
                md5i_set_value(player, i, 0);
            }
        }
        player->is_weighed = player->is_weighed && !player->has_consumed;
        player->has_consumed = false;
    }

    // The events where states and one-shots begin.
    if (player->has_new || player->machine->num_windows > 0) {
        player->has_new = false;
        // States that were left again at this instant are not seen any more.
        if (player->machine->reports_states) {
            for (uint32_t i = 0; i < tables->num_layers; i++) {
                md5_layer_state *const layer_state = &player->layer_states[i];
                const md5_active_state *const newest = md5_newest(layer_state);
                const uint32_t left = layer_state->entered;
                if (layer_state->is_entered)
                    continue;
                layer_state->is_entered = true;
                layer_state->entered = newest->state;
                if (left != MD5_NONE)
                    report(context, i, left, MD5_EVENT_LEAVE);
                report(context, i, newest->state, MD5_EVENT_ENTER);
                if (left != MD5_NONE && md5_progress(newest) == 1)
                    report(context, i, newest->state, MD5_EVENT_TRANSITION_END);
            }
        }
        if (has_events(context))
            fire_events(context);
        for (uint32_t i = 0; i < tables->num_layers; i++) {
            for (uint32_t k = 0; k < player->layer_states[i].num_used; k++)
                md5_active_at(&player->layer_states[i], k)->is_new = false;
        }
        md5_one_shot *one_shot;
        md5_one_shot_walk walk = {0};
        while ((one_shot = md5_next_one_shot(player, &walk)) != NULL)
            one_shot->is_new = false;
    }
    player->is_settled = player->num_steps < MD5_MAX_STEP_PARTS;
}

static void step(const step_context *context)
{
    md5_player *const player = context->player;
    const md5_machine *const machine = player->machine;
    const uint32_t num_layers = machine->tables.num_layers;
    const double seconds = context->seconds;
    uint32_t first;
    for (uint32_t layer = 0; layer < num_layers; layer++) {
        md5_layer_state *const layer_state = &player->layer_states[layer];
        const md5_active_state *const newest = md5_newest(layer_state);
        const bool was_under_way = md5_progress(newest) < 1;
        for (uint32_t i = 0; i < layer_state->num_used; i++)
            md5i_advance_state(player, md5_active_at(layer_state, i), seconds);
        weigh_chain(layer_state, fabs(seconds));
        layer_state->settling.elapsed += fabs(seconds);
        layer_state->has_arrived = was_under_way && md5_progress(newest) == 1;
        if (!layer_state->has_arrived)
            continue;
        layer_state->is_resting = false;
        layer_state->causes = MD5_ALL_CAUSES; // what might not interrupt it may follow it
    }
    md5_one_shot *one_shot;
    md5_one_shot_walk walk = {0};
    while ((one_shot = md5_next_one_shot(player, &walk)) != NULL) {
        one_shot->is_at_start =
            one_shot->is_at_start && md5_clock_stays_whole(one_shot->before, one_shot->now);
        one_shot->before = one_shot->now;
        one_shot->now = md5i_clock_advance(md5_one_shot_timing(machine, one_shot), one_shot->now,
                                           one_shot->rate * seconds);
        one_shot->fade_in.elapsed += fabs(seconds);
        one_shot->stopping.elapsed += fabs(seconds);
    }
    if (machine->has_root_motion)
        player->motion =
            md5_root_delta_mul(player->motion, md5i_root_delta_of_step(player, fabs(seconds)));
    // From here on parameters are where they are at the end; weights and rates are still means.
    if (seconds > 0 && is_following(player))
        follow_goals(player, seconds, MD5_FOLLOW_MOVES);
    player->is_weighed = player->is_weighed && !player->is_at_kink;
    // Whether the newest state of a layer takes an exit where a cycle ends and another begins.
    for (uint32_t layer = 0; layer < num_layers; layer++) {
        md5_layer_state *const layer_state = &player->layer_states[layer];
        const md5_active_state *const newest = md5_newest(layer_state);
        bool is_at_whole = false;
        if (machine->layers[layer].has_waits) {
            for (uint32_t i = 0; i < newest->num_awake; i++) {
                const md5_clock now = newest->instances[newest->awake[i]].now;
                is_at_whole = is_at_whole || md5_clock_stays_whole(now, now);
            }
        }
        const md5_transition *const open =
            is_at_whole ? find_open(player, layer, newest, &first) : NULL;
        layer_state->ends_cycle = open && open->waits && open->exit_ear == 0;
    }
    if (has_events(context))
        fire_events(context);
    if (machine->reports_states) {
        for (uint32_t i = 0; i < num_layers; i++) {
            if (player->layer_states[i].has_arrived)
                report(context, i, md5_newest(&player->layer_states[i])->state,
                       MD5_EVENT_TRANSITION_END);
        }
    }
    for (uint32_t layer = 0; layer < num_layers; layer++) {
        md5_layer_state *const layer_state = &player->layer_states[layer];
        // What has faded out ends.
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
    for (uint32_t i = 0; i < machine->num_slots && player->num_one_shots > 0; i++) {
        md5_one_shot_slot *const slot = &player->slots[i];
        for (uint32_t k = slot->num_one_shots; k-- > 0;) {
            // Backward in time a clip moves away from its end.
            md5_one_shot *const ended = &slot->one_shots[k];
            const md5_fade_time stopping = ended->stopping;
            const bool has_faded =
                ended->is_stopping && stopping.elapsed >= stopping.duration - MD5_BORDER;
            const bool goes_on = ended->next != MD5_NONE;
            if (seconds > 0 && md5i_section_left(machine, ended) <= MD5_BORDER)
                md5i_end_section(player, ended);
            if (has_faded
                || (ended->end == MD5_ONE_SHOT_ENDS && ended->rate != 0 && !goes_on
                    && md5_cycles_left(ended, ended->now.phase) <= MD5_BORDER)) {
                player->status.num_cuts += !has_faded && !(ended->fade_out > 0);
                md5_remove_one_shot(player, slot, k);
            }
        }
    }
}

// Lets *part be at most a part of a fade and what is left of it.
static void divide_fade(md5_fade_time fade, double *part)
{
    const double rest = fade.duration - fade.elapsed;
    if (rest > MD5_BORDER)
        *part = md5_least(*part, md5_least(rest, fade.duration / FADE_DIVISIONS));
}

// Seconds, up to `most`, until a one-shot or its section ends, it makes room for another one, or
// passes an event that some ear hears. *part becomes at most how long its weight changes as now,
// and a part of a fade.
static double seconds_until_change(const md5_player *player, const md5_one_shot *one_shot,
                                   double most, double *part)
{
    const md5_source *const source = &player->machine->sources[one_shot->source];
    md5_clock place;
    if (source->ears)
        most = md5_least(
            most, cycles_until(&source->cues[md5_one_shot_timing(player->machine, one_shot)->mode],
                               source->ears, UINT64_MAX, one_shot->now,
                               (one_shot->rate < 0) != player->is_backward, MD5_BORDER, &place)
                      / fabs(one_shot->rate));
    const double left_of_stop = one_shot->stopping.duration - one_shot->stopping.elapsed;
    divide_fade(one_shot->fade_in, part);
    if (one_shot->is_stopping && left_of_stop > MD5_BORDER) {
        divide_fade(one_shot->stopping, part);
        most = md5_least(most, left_of_stop);
    }
    const double in_section = md5i_section_left(player->machine, one_shot);
    if (one_shot->rate != 0 && !player->is_backward && in_section > MD5_BORDER)
        most = md5_least(most, in_section / fabs(one_shot->rate));
    if (one_shot->end != MD5_ONE_SHOT_ENDS || one_shot->rate == 0 || one_shot->next != MD5_NONE)
        return most;
    const bool approaches = (one_shot->rate < 0) == player->is_backward;
    const double cycles = approaches ? 1 - one_shot->now.phase : one_shot->now.phase;
    if (cycles <= MD5_BORDER)
        return most;
    const double before_fade =
        md5_cycles_left(one_shot, one_shot->now.phase) / fabs(one_shot->rate) - one_shot->fade_out;
    if (one_shot->fade_out > 0)
        *part = md5_least(*part, before_fade > MD5_BORDER ? before_fade
                                                          : one_shot->fade_out / FADE_DIVISIONS);
    if (player->machine->tables.num_one_shots > 0 && before_fade > MD5_BORDER)
        most = md5_least(most, before_fade);
    return md5_least(most, cycles / fabs(one_shot->rate));
}

// Seconds, up to `most`, until a clip of a state passes an event that some ear hears.
static double seconds_until_heard(const md5_player *player, const md5_active_state *active,
                                  bool goes_back, double most)
{
    for (uint32_t j = 0; j < active->num_awake; j++) {
        const uint32_t i = active->awake[j];
        const md5_playable *const playable = active->tree->instances[i].playable;
        const md5_clip_instance *const instance = &active->instances[i];
        md5_clock place = instance->now;
        if (!playable->source->ears)
            continue;
        cycles_until(&playable->source->cues[playable->mode], playable->source->ears, UINT64_MAX,
                     place, is_backward(active, i) != goes_back, MD5_BORDER, &place);
        const double seconds = fabs(md5i_instance_seconds(player, active, i, instance->now, place));
        if (instance->weight != 0 && seconds > 0)
            most = md5_least(most, seconds);
    }
    return most;
}

// Seconds, up to `most`, until a condition about time changes or an ear hears something.
static double seconds_until_told(const md5_player *player, bool goes_back, double most)
{
    for (uint32_t i = 0; i < player->machine->tables.num_layers; i++) {
        md5_layer_state *const layer_state = &player->layer_states[i];
        const md5_active_state *const newest = md5_newest(layer_state);
        if (player->machine->num_ears > 0) {
            for (uint32_t k = 0; k < layer_state->num_used; k++)
                most = seconds_until_heard(player, md5_active_at(layer_state, k), goes_back, most);
        }
        const md5_transition *candidate;
        for (candidates all = candidates_of(player, i, newest, MD5_CAUSE_TIME);
             (candidate = next_candidate(&all));)
            if (may_interrupt(newest, candidate))
                most = seconds_until_times(player, layer_state, candidate, goes_back, most);
    }
    return most;
}

// Length of the interval until a fade ends or an exit is reached. Backward, exits are not reached:
// clips move away from them. Root motion may divide it, but not right before its end, where an exit
// might count as reached too early.
static double next_interval(md5_player *player, double left)
{
    const md5_machine *const machine = player->machine;
    const bool divides = machine->has_root_motion && player->num_steps < MAX_DIVIDED_PARTS;
    double most = fabs(left);
    double part = MAX_ROOT_SECONDS;
    uint32_t first;
    if (machine->has_times)
        most = seconds_until_told(player, left < 0, most);
    for (uint32_t i = 0; i < machine->tables.num_layers; i++) {
        md5_layer_state *const layer_state = &player->layer_states[i];
        for (uint32_t k = 0; k < layer_state->num_used; k++) {
            const md5_active_state *const active = md5_active_at(layer_state, k);
            if (md5_progress(active) == 1)
                continue;
            part = md5_least(part, active->duration / FADE_DIVISIONS);
            // Where it covers those below, their windows close.
            if (k + 1u == layer_state->num_used || machine->num_windows > 0)
                most = md5_least(most, active->duration - active->elapsed);
        }
        if (!(left > 0) || !machine->layers[i].has_waits)
            continue;
        // Until a transition of the layer becomes active.
        const md5_active_state *const newest = md5_newest(layer_state);
        const md5_transition *candidate;
        for (candidates all = candidates_of(player, i, newest, MD5_CAUSE_TIME);
             (candidate = next_candidate(&all));)
            if (candidate->waits && is_open(player, i, newest, candidate, &first))
                most = seconds_until(player, newest, candidate, most);
    }
    const md5_one_shot *one_shot;
    md5_one_shot_walk walk = {0};
    while ((one_shot = md5_next_one_shot(player, &walk)) != NULL)
        most = seconds_until_change(player, one_shot, most, &part);
    if (divides && part < most)
        most = md5_least(part, 0.99 * most);
    if (player->num_steps >= MD5_MAX_STEP_PARTS)
        player->status.undivided = most = fabs(left);
    return left < 0 ? -most : most;
}

// The next interval. While parameters move or states are in step, rates and weights are those of
// their means over it. When it ends depends on the rates in turn; each guess is nearer by as much
// as they change little. The time that a clip has left at the present rate may come at one guess,
// and not at the next, for ever: then one is taken before whose end nothing happens.
static double average_interval(md5_player *player, double left)
{
    enum { USUAL_GUESSES = 10, MAX_GUESSES = 60 };
    player->is_at_kink = false;
    const bool follows = left > 0 && is_following(player);
    const bool steps = player->machine->has_steps && md5i_is_in_step(player);
    if (!follows && !steps)
        return next_interval(player, left);
    const bool divides = player->num_steps < MAX_DIVIDED_PARTS;
    const double longest = divides && follows ? md5_least(left, MAX_FOLLOW_SECONDS) : fabs(left);
    const double most = divides && follows ? seconds_until_kink(player, longest) : longest;
    double seconds = most;
    for (int guess = 0;; guess++) {
        double part = most;
        if (follows) {
            follow_goals(player, seconds, MD5_FOLLOW_MEAN);
            md5i_weigh_all(player);
        }
        if (steps)
            part = md5i_keep_in_step(player, left < 0 ? -seconds : seconds, most);
        const double next = fabs(next_interval(player, left < 0 ? -part : part));
        player->is_at_kink = follows && most < longest && seconds == most;
        if (fabs(next - seconds) <= CLOSE_SECONDS || guess == MAX_GUESSES
            || (guess >= USUAL_GUESSES && next > seconds))
            return left < 0 ? -seconds : seconds;
        seconds = next;
    }
}

// What was there before the instant hears all that is fired then, but what it begins with.
static void handle_all(const step_context *context)
{
    md5_one_shot *one_shot;
    for (uint32_t i = 0; i < context->player->machine->tables.num_layers; i++)
        context->player->layer_states[i].deaf = 0;
    md5_one_shot_walk walk = {0};
    while ((one_shot = md5_next_one_shot(context->player, &walk)) != NULL)
        one_shot->deaf = 0;
    do
        handle_instant(context);
    while (context->player->heard != 0);
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
    player->num_walked = player->num_steps = 0;
    player->heard = 0;
    player->since_pose += fabs(left);
    if (left != 0) { // what did not hold in the other direction may
        player->is_settled = player->is_settled && player->is_backward == (left < 0);
        player->is_backward = left < 0;
    }
    if (left > 0 && player->machine->num_gazes > 0)
        md5i_advance_gazes(player, left);
    if (!player->is_settled)
        handle_all(&context);
    while (left != 0) {
        context.seconds = average_interval(player, left);
        step(&context);
        left -= context.seconds;
        context.seconds = 0;
        player->num_steps++;
        handle_all(&context);
    }
    if (player->machine->num_soles > 0)
        player->walked = md5_root_delta_mul(player->walked, player->motion);
    return player->status;
}

md5_xform md5_player_root_motion(const md5_player *player)
{
    MD5_ASSERT_PLAYER(player);
    return md5_transform_to_axes(player->machine->model->skeleton.axes,
                                 md5_root_delta_transform(player->motion));
}
