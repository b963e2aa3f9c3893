// Advances a player: transitions, clocks, events, root motion and smoothed parameters.
//
// A step is the time by which a call of md5_player_advance() advances the player. It is divided
// into intervals. In an interval, clips advance, and the events up to and including its end fire.
//
// An instant is a point of time between intervals. At an instant, transitions are taken, and the
// events at the start of new states fire. Instants are the start and the end of the step, the end
// of each transition, and each exit. Because each step ends with an instant, the result does not
// depend on the division of time into steps.
//
// A transition changes the state of a layer when its conditions hold. It may also wait for an exit,
// which is a position of the state's first clip. A window is a named range of frames. A cue is a
// phase of a clip at which something happens: an event, the first or last frame of a window, or the
// end of the cycle.
#include "md5/core/math.h"
#include "md5/play/run/player_state.h"

// == Parameters =================================================================================

// Returns true if a threshold of a parameter is in low..high. A threshold is a value at which a
// condition changes its result.
static bool has_threshold_between(const md5_machine *machine, uint32_t parameter, float low,
                                  float high)
{
    // Binary search for the first threshold that is at least `low`.
    const md5_play_condition *const thresholds = machine->thresholds;
    const md5_play_condition lowest = {.parameter = parameter, .value = low};
    uint32_t begin = 0;
    uint32_t end = (uint32_t)machine->num_thresholds;
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        if (md5_is_threshold_before(&thresholds[middle], &lowest))
            begin = middle + 1;
        else
            end = middle;
    }
    return begin < machine->num_thresholds && thresholds[begin].parameter == parameter
           && thresholds[begin].value <= high;
}

// Sets a parameter. The new value can change a condition only if a threshold is between the old and
// the new value, or equal to one of them. Only then are transitions tested again.
void md5i_set_value(md5_player *player, uint32_t parameter, float value)
{
    const md5_machine *const machine = player->machine;
    const float previous = player->parameters[parameter];
    const float low = previous < value ? previous : value;
    const float high = md5_larger(previous, value);
    if (previous != value && has_threshold_between(machine, parameter, low, high)) {
        for (uint32_t i = 0; i < machine->tables.num_layers; i++)
            player->layer_states[i].causes |= md5_parameter_cause(parameter);
    }
    player->parameters[parameter] = value;
}

// -- Smoothed parameters --------------------------------------------------------------------------
//
// The value of a smoothed parameter and its mean over an interval are formulas of the time since
// its goal was set. Therefore they do not depend on the division of time into steps.

// A distance that has decreased to e^-40 of its initial value is negligible, because it cannot
// change a float.
#define NEGLIGIBLE_EXPONENT 40.0

// Minimum length of an interval for the mean of a parameter, seconds. In shorter intervals, the
// rounding errors of the integral exceed the change of the parameter.
#define MIN_MEAN_SECONDS 1e-7

// The movement of a smoothed parameter at one time: its distance from the goal, and the change of
// this distance per second.
typedef struct movement {
    double distance;
    double velocity;
} movement;

// Returns the seconds after which a parameter's distance from its goal is negligible. The distance
// of a spring is a sum of two exponentials. The slower of them determines the time.
static double settling_time(const md5_follow_desc *follow)
{
    if (follow->kind == MD5_FOLLOW_EASE)
        return follow->duration;
    if (follow->kind == MD5_FOLLOW_SMOOTH)
        return NEGLIGIBLE_EXPONENT / follow->rate;
    const double k = follow->stiffness;
    const double c = follow->damping;
    return NEGLIGIBLE_EXPONENT / fmin(0.5 * c, k / c);
}

// Returns the distance and the velocity of a smoothed parameter `elapsed` seconds after its goal
// was set. Only springs have a velocity, because only they continue with the velocity that the
// parameter had before. md5_swing (motion/functions.h) contains the formulas of springs.
static movement movement_after(const md5_follow_desc *follow,
                               const md5_parameter_smoothing *smoothing, double elapsed)
{
    const double distance = (double)smoothing->from - smoothing->goal;
    const double velocity = smoothing->velocity;
    if (elapsed >= settling_time(follow))
        return (movement){0, 0};
    if (follow->kind == MD5_FOLLOW_SMOOTH)
        return (movement){distance * md5i_decay(follow->rate * elapsed), 0};
    if (follow->kind == MD5_FOLLOW_EASE) {
        const double eased = md5i_eased(&follow->easing, elapsed / follow->duration);
        return (movement){distance - distance * eased, 0};
    }

    const double stiffness = follow->stiffness;
    const double damping = follow->damping;
    const md5_swing swing = md5i_swing_for(stiffness, damping, elapsed);
    return (movement){
        .distance = swing.keep * distance + swing.drift * velocity,
        .velocity =
            -stiffness * swing.drift * distance + (swing.keep - damping * swing.drift) * velocity,
    };
}

// Returns the value of a smoothed parameter `seconds` from now.
static float value_after(const md5_follow_desc *follow, const md5_parameter_smoothing *smoothing,
                         double seconds)
{
    const movement then = movement_after(follow, smoothing, smoothing->elapsed + seconds);
    return md5_round_to_float(smoothing->goal + then.distance);
}

// Returns the integral of a parameter's distance from its goal, for a parameter with an easing. The
// integral extends from `begin` to `end`, in seconds after the goal was set.
static double eased_distance_integral(const md5_follow_desc *follow,
                                      const md5_parameter_smoothing *smoothing, double begin,
                                      double end)
{
    const double duration = follow->duration;
    const double eased_area =
        duration
        * md5i_eased_area(&follow->easing, begin / duration, md5_smaller(end / duration, 1));
    return ((double)smoothing->from - smoothing->goal) * (end - begin - eased_area);
}

// Returns the integral of a parameter's distance x from its goal, for a parameter with a spring.
// The integral extends from the time of the movement `from` to the time of `to`. By the equation of
// the spring,
//
//   x = -(x'' + c x') / k
//
// So the integral follows from the differences of x' and x between both times. With k = rate, c = 1
// and x'' = 0, the formula is also valid for a SMOOTH parameter.
static double spring_distance_integral(const md5_follow_desc *follow, movement from, movement to)
{
    const bool is_spring = follow->kind == MD5_FOLLOW_SPRING;
    const double k = is_spring ? follow->stiffness : follow->rate;
    const double c = is_spring ? follow->damping : 1;
    return (from.velocity - to.velocity + c * (from.distance - to.distance)) / k;
}

// Returns the mean value of a smoothed parameter over the next `seconds`.
static float mean_value(const md5_follow_desc *follow, const md5_parameter_smoothing *smoothing,
                        double seconds)
{
    const double begin = smoothing->elapsed;
    const double end = md5_smaller(begin + seconds, settling_time(follow));
    if (seconds <= MIN_MEAN_SECONDS || end <= begin)
        return value_after(follow, smoothing, 0.5 * seconds);

    double integral;
    if (follow->kind == MD5_FOLLOW_EASE)
        integral = eased_distance_integral(follow, smoothing, begin, end);
    else
        integral = spring_distance_integral(follow, movement_after(follow, smoothing, begin),
                                            movement_after(follow, smoothing, begin + seconds));
    return md5_round_to_float(smoothing->goal + integral / seconds);
}

// Returns true if a smoothed parameter has not reached its goal, or is at its goal but has a
// velocity.
static bool is_parameter_moving(const md5_parameter_smoothing *smoothing)
{
    return smoothing->from != smoothing->goal || smoothing->velocity != 0;
}

// Sets the goal of a smoothed parameter. The parameter moves to the goal over time, from its
// current value and velocity. Returns false if the parameter is not smoothed.
bool md5i_set_goal(md5_player *player, uint32_t parameter, float goal)
{
    const uint32_t index = player->machine->smoothing_rows[parameter];
    if (index == MD5_NONE)
        return false;
    md5_parameter_smoothing *const smoothing = &player->smoothings[index];
    if (smoothing->goal == goal)
        return true;

    const movement current =
        movement_after(&player->machine->tables.follows[index], smoothing, smoothing->elapsed);
    *smoothing = (md5_parameter_smoothing){.goal = goal,
                                           .from = player->parameters[parameter],
                                           .velocity = md5_round_to_float(current.velocity)};
    return true;
}

// The task of follow_goals(). Every task also computes md5_parameter_smoothing.next, the value at
// the end of the interval.
typedef enum follow_task {
    FOLLOW_PREDICT, // changes no parameter
    FOLLOW_MEAN,    // sets parameters to their means over the interval
    FOLLOW_MOVE,    // moves parameters to the end of the interval
} follow_task;

// Advances the time of a smoothed parameter, and ends its movement if its distance is negligible.
static void advance_smoothing(const md5_follow_desc *follow, double seconds,
                              md5_parameter_smoothing *smoothing)
{
    smoothing->elapsed += seconds;
    if (smoothing->elapsed >= settling_time(follow))
        *smoothing = (md5_parameter_smoothing){.goal = smoothing->goal, .from = smoothing->goal};
}

// Moves all smoothed parameters toward their goals in an interval of `seconds`, which is above 0.
// `task` selects if parameters get the means of the interval, the values at its end, or no new
// values.
static void follow_goals(md5_player *player, double seconds, follow_task task)
{
    const md5_machine *const machine = player->machine;
    for (uint32_t i = 0; i < machine->tables.num_parameters; i++) {
        const uint32_t smoothing_index = machine->smoothing_rows[i];
        if (smoothing_index == MD5_NONE)
            continue;

        const md5_follow_desc *const follow = &machine->tables.follows[smoothing_index];
        md5_parameter_smoothing *const smoothing = &player->smoothings[smoothing_index];
        if (!is_parameter_moving(smoothing)) {
            smoothing->next = player->parameters[i];
            continue;
        }

        smoothing->next = value_after(follow, smoothing, seconds);
        if (task == FOLLOW_PREDICT)
            continue;
        player->has_moved = true;
        if (task == FOLLOW_MEAN) {
            md5i_set_value(player, i, mean_value(follow, smoothing, seconds));
        } else {
            md5i_set_value(player, i, smoothing->next);
            advance_smoothing(follow, seconds, smoothing);
        }
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

// Precision with which the time of a condition's change is found, seconds.
#define SAME_TIME 1e-13

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
static bool is_playing_backward(const md5_active_state *active, uint32_t instance)
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
    exit_position position = {.is_backward = is_playing_backward(active, 0)};
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
    const double delta = is_playing_backward(active, 0) ? time - (1 - exit) : exit - time;
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
static double cycles_to_cue(const md5_cues *cues, const uint64_t *event_bits, uint64_t event_bit,
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
    const bool backward = is_playing_backward(active, 0);
    if (transition->exit_event_bit != 0)
        return cycles_to_cue(&source->cues[playable->mode], source->event_bits,
                             transition->exit_event_bit, active->instances[0].clock, backward,
                             min_cycles, target);

    // The exit is at a phase of the cycle: search a list with one cue at this phase.
    const double phase = backward ? 1 - transition->exit : transition->exit;
    const md5_clock exit =
        md5i_clock_snap(playable->timing, (md5_clock){0, phase}, MD5_FLOAT_ERROR);
    const md5_cue cue = {md5_clock_time(exit), 0};
    const md5_cues exit_cues = {playable->timing, &cue, 1};
    return cycles_to_cue(&exit_cues, NULL, 0, active->instances[0].clock, backward, min_cycles,
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
    return holds_for(&resolved, player->parameters[parameter]);
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
    return holds_for(condition, player->parameters[condition->parameter]);
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
        // start_transitions().
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
static void start_transitions(md5_player *player, uint32_t layer)
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

// -- One-shot clips -------------------------------------------------------------------------------

// Returns true if a one-shot clip has begun to fade out, so that another clip may start in its
// slot. A clip that fades out from its start does not count, because it would replace itself at
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
static void update_one_shots(md5_player *player)
{
    const uint32_t count = player->machine->tables.num_one_shots;
    for (uint32_t i = 0; i < count; i++)
        stop_if_due(player, i);
    for (uint32_t i = 0; i < count; i++)
        start_if_due(player, i);
}

// -- Kinks of smoothed parameters -----------------------------------------------------------------

// A kink is a value of a smoothed parameter at which its effect changes: the threshold of a
// condition, or the position of an item in a blend space. Between two kinks, results are smooth
// functions of the parameter. The mean of a result over an interval then follows from the mean of
// the parameter. Therefore an interval ends at each kink.

// Returns the seconds, at most `max_seconds`, until a smoothed parameter passes a kink. The kink is
// between the parameter's current value and its value after `max_seconds`. Uses bisection.
static double seconds_to_passed_kink(const md5_player *player, const md5_play_condition *kink,
                                     double max_seconds)
{
    const uint32_t index = player->machine->smoothing_rows[kink->parameter];
    const md5_follow_desc *const follow = &player->machine->tables.follows[index];
    const bool holds_now = holds_for(kink, player->parameters[kink->parameter]);
    double before = 0;
    double after = max_seconds;
    double middle = max_seconds - SAME_TIME; // the parameter may be at the kink at the end
    for (int k = 0; k < MD5_MAX_BISECTIONS && after - before > SAME_TIME; k++) {
        const float value = value_after(follow, &player->smoothings[index], middle);
        if (holds_for(kink, value) == holds_now)
            before = middle;
        else
            after = middle;
        middle = 0.5 * (before + after);
    }
    return after;
}

// Returns the seconds, at most `max_seconds`, until a smoothed parameter is at one of the machine's
// kinks.
static double seconds_to_kink(md5_player *player, double max_seconds)
{
    const md5_machine *const machine = player->machine;
    double nearest = max_seconds;
    follow_goals(player, max_seconds, FOLLOW_PREDICT);
    for (size_t i = 0; i < machine->num_kinks; i++) {
        const md5_play_condition *const kink = &machine->kinks[i];
        const uint32_t index = machine->smoothing_rows[kink->parameter];
        const float current = player->parameters[kink->parameter];
        const float next = player->smoothings[index].next;
        const bool passes = current != next && holds_for(kink, current) != holds_for(kink, next);
        if (passes)
            nearest = seconds_to_passed_kink(player, kink, nearest);
    }
    return nearest;
}

// == Steps ======================================================================================

// Maximum length of a step, seconds. Longer steps are shortened to this length.
#define MAX_SECONDS 1e6

// Root motion is blended with the mean weights of an interval. While weights change, intervals are
// at most this fraction of a fade, so that the means are exact enough.
#define FADE_DIVISIONS 8.0

// Maximum length of an interval while root motion rotates, seconds.
#define MAX_ROOT_SECONDS 0.25

// Maximum length of an interval while parameters are smoothed, seconds. A result is computed from
// the mean of a parameter over the interval. This is exact only if the result is a linear function
// of the parameter, so the interval must be short.
#define MAX_FOLLOW_SECONDS 0.02

// Precision of the end of an interval, seconds.
#define CLOSE_SECONDS 1e-13

// Maximum number of intervals per step to which FADE_DIVISIONS, MAX_ROOT_SECONDS and
// MAX_FOLLOW_SECONDS apply. The remaining time is divided into longer intervals, so its results are
// less exact.
enum { MAX_DIVIDED_PARTS = MD5_MAX_STEP_PARTS / 2 };

// -- Weights ------------------------------------------------------------------------------------

// Computes the mean weight of each active state in its layer over the last `seconds`, by Simpson's
// rule: from the weights at the end, in the middle and at the start. The result is almost
// independent of the division of this time into steps.
static void compute_chain_weights(md5_layer_state *layer_state, double seconds)
{
    if (layer_state->num_used == 1 && !layer_state->has_snapshot) {
        md5_newest(layer_state)->weight = 1;
        return;
    }

    static const float simpson_weights[3] = {1.0f / 6.0f, 4.0f / 6.0f, 1.0f / 6.0f};
    const md5_chain_range all = md5_complete_chain(layer_state);
    for (uint32_t i = 0; i < layer_state->num_used; i++)
        md5_active_at(layer_state, i)->weight = 0;
    for (uint32_t point = 0; point < 3; point++) {
        float uncovered = 1; // weight that the states above leave to this state
        for (uint32_t i = layer_state->num_used; i-- > 0;) {
            const float weight =
                uncovered * md5i_fade_in(layer_state, all, i, -0.5 * point * seconds);
            md5_active_at(layer_state, i)->weight += simpson_weights[point] * weight;
            uncovered -= weight;
        }
    }
}

// Progress of a fade at which the weight of its first events is computed: see start_fade().
#define START_FADE (1.0 / 16.0)

// -- Events -------------------------------------------------------------------------------------

// The player that is advanced, the event callback, and the current interval.
typedef struct step_context {
    md5_player *player;
    md5_event_fn *events;
    void *user;
    double seconds; // length of the interval; 0: an instant
} step_context;

// Events with a smaller weight do not fire: such a weight is a rounding error at the end of a fade.
#define MIN_EVENT_WEIGHT 1e-6f

// Returns the weight that the states above a state leave to it and to the states below it, 0..1,
// `shift` seconds from now.
static float weight_left_above(md5_layer_state *layer_state, uint32_t position, double shift)
{
    const md5_chain_range all = md5_complete_chain(layer_state);
    float left = 1;
    for (uint32_t i = layer_state->num_used; i-- > position + 1;)
        left -= left * md5i_fade_in(layer_state, all, i, shift);
    return left;
}

// Returns the weight of the events at the start of a new state. The weight of a fade is 0 at its
// start, but events of weight 0 do not fire. Therefore these events get the weight of the fade at
// the progress START_FADE.
static float start_fade(const md5_active_state *active)
{
    return active->fades ? md5_clamped_ease(active->easing, START_FADE) : 1;
}

// Returns the weight of a clip at the time of its cursor's next event.
static float event_weight(const step_context *context, const md5_event_cursor *cursor)
{
    // Time of the event relative to the end of the interval, seconds. The weight functions count
    // time from the end.
    const double shift = cursor->when - fabs(context->seconds);
    if (cursor->one_shot)
        return md5i_one_shot_weight(context->player, cursor->one_shot, shift, START_FADE);

    md5_layer_state *const layer_state = cursor->layer_state;
    const md5_active_state *const active = md5_active_at(layer_state, cursor->position);
    const bool is_start = context->seconds == 0 && active->is_new;
    float weight;
    if (is_start)
        weight = weight_left_above(layer_state, cursor->position, 0) * start_fade(active);
    else
        weight =
            weight_left_above(layer_state, cursor->position, shift)
            * md5i_fade_in(layer_state, md5_complete_chain(layer_state), cursor->position, shift);
    return weight >= MIN_EVENT_WEIGHT ? weight * active->instances[cursor->instance].weight : 0;
}

// Calls the event callback of md5_player_advance(), unless it is NULL.
static void call_event_callback(const step_context *context, const md5_event *event, float weight)
{
    if (!context->events)
        return;
    context->player->status.num_events++;
    md5_mark_callback(&context->player->internal, MD5_CALLBACK);
    context->events(context->user, context->player, event, weight);
    md5_mark_callback(&context->player->internal, MD5_NO_CALLBACK);
}

// Counts an event of the step. Returns false if the step has too many events; the caller must then
// drop the event.
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
static void set_window_open(const step_context *context, uint32_t index, bool opens)
{
    md5_player *const player = context->player;
    md5_window_state *const window = &player->windows[index];
    const md5_machine_window *const events = &player->machine->windows[index];
    window->weight = opens ? window->max_weight : 0;
    call_event_callback(context, opens ? &events->begin : &events->end, window->max_weight);
}

// A window is a named range of frames, for example the frames in which an attack can be answered.
// It is open while at least one clip is inside it. Usually a clip opens or closes it by passing its
// first or last frame: see pass_window_frame(). But a clip can also start or stop inside a window.
// The next two functions handle such changes.

// Compares the state of each window with the clips that it contains. If `opens` is true, opens the
// windows that contain a clip. Otherwise closes the windows that do not contain a clip.
static void set_changed_windows(const step_context *context, bool opens)
{
    md5_player *const player = context->player;
    for (uint32_t i = 0; i < player->machine->num_windows; i++) {
        md5_window_state *const window = &player->windows[i];
        const bool is_open = window->weight > 0;
        const bool has_clips = window->count > 0;
        if (is_open && has_clips)
            window->weight = window->max_weight;

        const bool changes = opens ? has_clips && !is_open : is_open && !has_clips;
        // If the step has too many events, the change is detected again in the next step.
        if (changes && count_event(player))
            set_window_open(context, i, opens);
    }
}

// Closes the windows that contain no clip, then opens the windows that do.
static void update_windows(const step_context *context)
{
    set_changed_windows(context, false);
    set_changed_windows(context, true);
}

// Two events are simultaneous if their times differ by less than this, in seconds, and by less than
// half of this, in cycles. The value is less than MD5_BORDER, so an interval that ends there passes
// both events.
#define SAME_INSTANT 1e-9

// Returns true if the cursor's cue must not be reported now. There are two cases:
//
// - The cue is the end of a cycle, and the clip is at its start or at the start of a cycle in the
//   direction of playback.
// - The cue belongs to a window, and this is an instant. The indices of such cues are above the
//   index of the end.
static bool is_skipped(const step_context *context, const md5_event_cursor *cursor, md5_clock clock)
{
    const uint32_t end = context->player->machine->tables.clips[cursor->clip].num_events;
    if (cursor->event < end)
        return false;
    if (context->seconds == 0)
        return true;
    return cursor->event == end && (clock.phase == 0) != cursor->iterator.is_backward;
}

// Distance in time from the start of an interval to an event of a cursor's clip.
typedef struct event_distance {
    double seconds; // negative if time runs backward
    double rate;    // cycles per second
} event_distance;

// Returns the time that passes from the start of the interval until a cursor's clip is at `clock`,
// and the rate of the clip.
static event_distance distance_to_event(const step_context *context, const md5_event_cursor *cursor,
                                        md5_clock clock)
{
    if (cursor->one_shot) {
        const double rate = cursor->one_shot->rate;
        const double cycles = md5_cycles_between(cursor->one_shot->clock_before, clock);
        return (event_distance){cycles == 0 ? 0 : cycles / rate, rate};
    }
    const md5_active_state *const active = md5_active_at(cursor->layer_state, cursor->position);
    const md5_clip_instance *const instance = &active->instances[cursor->instance];
    const double seconds = md5i_instance_seconds(context->player, active, cursor->instance,
                                                 instance->clock_before, clock);
    return (event_distance){seconds, instance->rate};
}

// Returns the time of an event, in seconds since the start of the interval. `distance` is the
// movement of the clip from the start of the interval to the event.
static double time_of_event(const step_context *context, const md5_event_cursor *cursor,
                            event_distance distance)
{
    const double interval = fabs(context->seconds);
    const double seconds = context->seconds < 0 ? -distance.seconds : distance.seconds;
    const double when = fmin(seconds, interval);
    const bool has_constant_rate = cursor->one_shot || !cursor->layer_state->is_steered;
    if (has_constant_rate)
        return when;
    return md5i_shared_clock_seconds(cursor->layer_state, cursor->position, cursor->instance,
                                     when / interval, interval);
}

// Moves a cursor to the next event that its clip passes. Returns false if the clip passes no more
// events.
static bool advance_cursor(const step_context *context, md5_event_cursor *cursor)
{
    md5_clock clock;
    do {
        if (!md5i_next_event(&cursor->iterator, &cursor->event, &clock))
            return false;
    } while (is_skipped(context, cursor, clock));
    if (context->seconds == 0)
        return true;

    const event_distance distance = distance_to_event(context, cursor, clock);
    cursor->slack = SAME_INSTANT / fmax(2 * fabs(distance.rate), 1.0);
    // Because of rounding, the event could be before the previous event or after the end of the
    // interval. Keep it in between.
    const double when = time_of_event(context, cursor, distance);
    cursor->when = fmin(fmax(when, cursor->when), fabs(context->seconds));
    return true;
}

// The window to which a cue belongs. A cue has the index of an event, or one of the following
// indices after all events: one for the end of the clip, then two for each window, for its begin
// and its end.
typedef struct window_cue {
    uint32_t window; // index in the clip; MD5_NONE: the cue is an event or the end
    bool is_begin;
} window_cue;

// Returns the window to which a cue of a clip belongs. `event` is the index md5_cue.event.
static inline window_cue decode_window_cue(const md5_clip_desc *clip, uint32_t event)
{
    const uint32_t first_window_cue = clip->num_events + 1;
    if (event < first_window_cue)
        return (window_cue){MD5_NONE, false};
    const uint32_t index = event - first_window_cue;
    return (window_cue){index / 2, index % 2 == 0};
}

// Counts a clip in each window that contains `clock`. The weight of each of these windows becomes
// at least the weight of the clip. `at_start` is true if the clip is at its start and has not
// moved.
static void count_windows(const step_context *context, const md5_event_cursor *cursor,
                          const md5_cues *cues, md5_clock clock, bool at_start)
{
    md5_player *const player = context->player;
    const md5_clip_desc *const clip = &player->machine->tables.clips[cursor->clip];
    md5_window_state *const windows =
        player->windows + player->machine->sources[cursor->clip].first_window;
    for (uint32_t i = 0; i < clip->num_windows; i++)
        windows[i].count_before = windows[i].count;

    // The clip is inside a window if it has passed the beginning of the window but not its end.
    const uint32_t num_below = md5i_count_cues_below(cues, clock, cursor->is_backward, at_start);
    for (uint32_t i = 0; i < num_below; i++) {
        const window_cue cue = decode_window_cue(clip, cues->cues[i].event);
        if (cue.window >= clip->num_windows) // also for MD5_NONE
            continue;
        if (cue.is_begin)
            windows[cue.window].count++;
        else
            windows[cue.window].count--;
    }

    const float weight = event_weight(context, cursor);
    for (uint32_t i = 0; i < clip->num_windows; i++) {
        if (windows[i].count > windows[i].count_before)
            windows[i].max_weight =
                md5_larger(windows[i].max_weight, md5_larger(weight, MIN_EVENT_WEIGHT));
    }
}

// The movement of a clip in an interval.
typedef struct clip_movement {
    md5_clock before;  // clock at the start of the interval
    md5_clock current; // clock at the end of the interval
    bool is_at_start;  // the clip had not moved at the start of the interval
    bool ends_cycle;   // the clip takes an exit at the end of a cycle
} clip_movement;

// Counts a clip in its windows at the start of an interval or at an instant. The events of the
// interval then open and close windows.
static void count_clip_in_windows(const step_context *context, const md5_event_cursor *cursor,
                                  const md5_cues *cues, const clip_movement *moved)
{
    const bool is_instant = context->seconds == 0;
    const bool has_moved = is_instant && !md5_is_same_cycle_boundary(moved->before, moved->current);
    const bool is_at_start = moved->is_at_start && !has_moved;
    const md5_clock start = is_instant ? moved->current : moved->before;
    count_windows(context, cursor, cues, start, is_at_start);
}

// Adds a cursor to player->cursors if its clip passes an event. In an interval, the cursor iterates
// over the events between the clip's clocks. At an instant, it iterates over the events at the
// start of a new clip. Also counts the clip in its windows.
static void add_cursor(const step_context *context, md5_event_cursor cursor, const md5_cues *cues,
                       clip_movement moved, uint32_t *num_cursors)
{
    const bool is_instant = context->seconds == 0;
    const bool has_windows = context->player->machine->tables.clips[cursor.clip].num_windows > 0;
    if (has_windows)
        count_clip_in_windows(context, &cursor, cues, &moved);
    const bool passes_no_event = is_instant && !cursor.is_new;
    if (passes_no_event)
        return;

    if (is_instant)
        cursor.iterator = md5i_begin_start_events(cues, moved.current);
    else
        cursor.iterator = md5i_begin_events(cues, moved.before, moved.current, moved.is_at_start,
                                            moved.ends_cycle);
    md5_event_cursor *const added = &context->player->cursors[*num_cursors];
    *added = cursor;
    if (advance_cursor(context, added))
        (*num_cursors)++;
}

// Opens or closes a window when a clip passes its first or last frame. Several clips can be inside
// the same window. It opens when the first clip enters it, and closes when the last clip leaves it.
static void pass_window_frame(const step_context *context, const md5_event_cursor *cursor,
                              float weight)
{
    md5_player *const player = context->player;
    const md5_source *const source = &player->machine->sources[cursor->clip];
    const md5_clip_desc *const clip = &player->machine->tables.clips[cursor->clip];
    const window_cue cue = decode_window_cue(clip, cursor->event);
    const uint32_t window = source->first_window + cue.window;
    md5_window_state *const state = &player->windows[window];

    const bool enters = cue.is_begin != cursor->iterator.is_backward;
    if (enters)
        state->count++;
    else if (state->count > 0)
        state->count--;
    state->max_weight = md5_larger(weight, MIN_EVENT_WEIGHT);

    const bool is_open = state->weight != 0;
    const bool opens = enters && !is_open;
    const bool closes = !enters && is_open && state->count == 0;
    if (opens || closes)
        set_window_open(context, window, opens);
}

// Makes an event available to conditions. Conditions are evaluated at the end of an interval, so
// only events there count. An interval ends at each event that conditions use. The only exception
// is the event at the start of a clip that begins to play backward. It is ignored.
static void record_event(const step_context *context, const md5_event_cursor *cursor,
                         uint64_t event_bits)
{
    if (cursor->when - fabs(context->seconds) >= -MD5_BORDER)
        context->player->heard_events |= event_bits;
    if (context->seconds != 0)
        return;
    if (!cursor->one_shot)
        cursor->layer_state->ignored_events |= event_bits;
    else if (cursor->one_shot->fade_in.elapsed <= MD5_BORDER) // not if a later section starts
        cursor->one_shot->ignored_events |= event_bits;
}

// Makes an event available to conditions and calls the event callback, unless the event is silent
// because its weight is 0.
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

// Adds a cursor for each clip of an active state that has events. A cursor iterates over the events
// that its clip passes in this interval. The earliest event of all cursors fires next.
static void add_state_cursors(const step_context *context, md5_layer_state *layer_state,
                              uint32_t position, uint32_t *num_cursors)
{
    const md5_player *const player = context->player;
    const md5_machine *const machine = player->machine;
    const md5_active_state *const active = md5_active_at(layer_state, position);
    const bool ends_cycle = layer_state->ends_cycle && position + 1 == layer_state->num_used;
    for (uint32_t j = 0; j < active->num_active_instances; j++) {
        const uint32_t index = active->active_instances[j];
        const md5_clip_instance *const instance = &active->instances[index];
        const md5_playable *const playable = active->tree->instances[index].playable;
        const md5_cues *const cues = &playable->source->cues[playable->mode];
        if (instance->weight == 0 || cues->num_cues == 0)
            continue;

        md5_event_cursor cursor = {
            .clip = (uint32_t)(playable->source - machine->sources),
            .layer_state = layer_state,
            .position = position,
            .instance = index,
            .is_new = active->is_new,
        };
        if (machine->num_windows > 0)
            cursor.is_backward = is_playing_backward(active, index) != player->is_backward;
        const clip_movement moved = {
            .before = instance->clock_before,
            .current = instance->clock,
            .is_at_start = instance->is_at_start,
            .ends_cycle = ends_cycle,
        };
        add_cursor(context, cursor, cues, moved, num_cursors);
    }
}

// Adds the cursors of one-shot clips.
static void add_one_shot_cursors(const step_context *context, uint32_t *num_cursors)
{
    const md5_player *const player = context->player;
    const md5_machine *const machine = player->machine;
    md5_one_shot *one_shot;
    md5_one_shot_iterator iterator = {0};
    while ((one_shot = md5_next_one_shot(player, &iterator)) != NULL) {
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
        const clip_movement moved = {
            .before = one_shot->clock_before,
            .current = one_shot->clock,
            .is_at_start = one_shot->is_at_start,
        };
        add_cursor(context, cursor, cues, moved, num_cursors);
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
    add_one_shot_cursors(context, &num_cursors);
    return num_cursors;
}

// Returns the cursor with the earliest event. If several events are simultaneous, returns the first
// of their cursors.
static md5_event_cursor *earliest_cursor(md5_event_cursor *cursors, uint32_t num_cursors)
{
    md5_event_cursor *earliest = cursors;
    for (uint32_t i = 1; i < num_cursors; i++) {
        if (cursors[i].when < earliest->when - earliest->slack)
            earliest = &cursors[i];
    }
    return earliest;
}

// Fires the events of all clips in an interval or at an instant, in the order of time. Simultaneous
// events are in the order of layers and clips.
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
        md5_event_cursor *const cursor = earliest_cursor(player->cursors, num_cursors);
        fire_event(context, cursor);
        player->num_passed_events++;
        if (advance_cursor(context, cursor))
            continue;

        // Remove the cursor, and keep the order of the other cursors.
        num_cursors--;
        const size_t num_after = (size_t)(player->cursors + num_cursors - cursor);
        memmove(cursor, cursor + 1, num_after * sizeof *cursor);
    }

    // If the step has too many events, the remaining events are dropped. Count them.
    for (uint32_t i = 0; i < num_cursors; i++)
        player->status.num_dropped += 1 + player->cursors[i].iterator.num_left;
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

// Resets the triggers that were consumed at this instant.
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
static void start_all_transitions(md5_player *player)
{
    const md5_machine_desc *const tables = &player->machine->tables;
    bool repeats = true;
    while (repeats) {
        md5i_update_weights(player);
        if (player->machine->has_steps && md5i_has_shared_clock(player))
            md5i_update_shared_rates(player, 0, 0);
        for (uint32_t i = 0; i < tables->num_layers; i++)
            start_transitions(player, i);
        if (player->num_steps < MD5_MAX_STEP_PARTS)
            update_one_shots(player);

        repeats = false;
        if (player->has_consumed) {
            // A transition may wait until a trigger is not set, so test all transitions again.
            clear_consumed(player);
            player->is_weighed = false;
            player->has_consumed = false;
            repeats = true;
        } else if (player->heard_events != 0) {
            // Conditions see events in only one pass. One-shot clips that the events prevented may
            // start in the next pass.
            player->heard_events = 0;
            repeats = tables->num_one_shots > 0;
        }
    }
}

// Reports the states that layers have left and entered. A state that was entered and left at the
// same instant is not reported, because it was never visible.
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

// Marks all states and one-shot clips as not new, after the events at their start have fired.
static void clear_new(md5_player *player)
{
    for (uint32_t i = 0; i < player->machine->tables.num_layers; i++) {
        for (uint32_t k = 0; k < player->layer_states[i].num_used; k++)
            md5_active_at(&player->layer_states[i], k)->is_new = false;
    }
    md5_one_shot *one_shot;
    md5_one_shot_iterator iterator = {0};
    while ((one_shot = md5_next_one_shot(player, &iterator)) != NULL)
        one_shot->is_new = false;
}

// Takes the transitions that are possible now, then fires the events at the start of the new states
// and one-shot clips.
static void handle_instant(const step_context *context)
{
    md5_player *const player = context->player;
    start_all_transitions(player);
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
        if (layer_state->has_arrived) {
            // The finished transition no longer blocks other transitions.
            layer_state->is_resting = false;
            layer_state->causes = MD5_ALL_CAUSES;
        }
    }
}

// Advances the clocks and fades of all one-shot clips.
static void advance_one_shots(md5_player *player, double seconds)
{
    md5_one_shot *one_shot;
    md5_one_shot_iterator iterator = {0};
    while ((one_shot = md5_next_one_shot(player, &iterator)) != NULL) {
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

// Marks the layers whose newest state takes an exit at the boundary between two cycles. There the
// events at the start of the next cycle must not fire.
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
        // Find the newest state that completely covers the states below it. If no state does,
        // `lowest` is 0, and all poses are still visible.
        uint32_t lowest = layer_state->num_used;
        bool covers = false;
        while (lowest > 0 && !covers) {
            lowest--;
            const md5_active_state *const active = md5_active_at(layer_state, lowest);
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

// Ends the section of a one-shot clip if the clip has reached its end. Returns true if the clip
// must be removed, because it has ended or faded out. A clip that ends without a fade-out is
// counted as cut.
static bool end_one_shot(md5_player *player, md5_one_shot *one_shot, double seconds)
{
    const md5_fade_time stopping = one_shot->stopping;
    const bool has_faded =
        one_shot->is_stopping && stopping.elapsed >= stopping.duration - MD5_BORDER;
    const bool has_next = one_shot->next != MD5_NONE; // before the section ends
    // A clip that plays backward moves away from the end of its section, so only a clip that plays
    // forward can end it.
    if (seconds > 0 && md5i_section_cycles_left(player->machine, one_shot) <= MD5_BORDER)
        md5i_end_section(player, one_shot);

    const bool ends = !has_faded && !has_next && has_ended(one_shot);
    if (ends && !(one_shot->fade_out > 0))
        player->status.num_cuts++;
    return ends || has_faded;
}

// Ends sections, and removes one-shot clips that have ended or faded out in the last interval.
static void end_one_shots(md5_player *player, double seconds)
{
    for (uint32_t i = 0; i < player->machine->num_slots && player->num_one_shots > 0; i++) {
        md5_one_shot_slot *const slot = &player->slots[i];
        for (uint32_t k = slot->num_one_shots; k-- > 0;) {
            if (end_one_shot(player, &slot->one_shots[k], seconds))
                md5_remove_one_shot(player, slot, k);
        }
    }
}

// Reports the transitions that ended in this interval.
static void report_transition_ends(const step_context *context)
{
    md5_player *const player = context->player;
    for (uint32_t i = 0; i < player->machine->tables.num_layers; i++) {
        if (player->layer_states[i].has_arrived)
            report_state_event(context, i, md5_newest(&player->layer_states[i])->state,
                               MD5_EVENT_TRANSITION_END);
    }
}

// Advances the player by the interval of the context and fires the events in it.
static void advance_interval(const step_context *context)
{
    md5_player *const player = context->player;
    const md5_machine *const machine = player->machine;
    const double seconds = context->seconds;
    advance_layers(player, seconds);
    advance_one_shots(player, seconds);
    if (machine->has_root_motion)
        player->motion =
            md5_root_delta_mul(player->motion, md5i_step_root_delta(player, fabs(seconds)));

    // From here on parameters have their values at the end of the interval. Weights and rates are
    // still means.
    if (seconds > 0 && is_following(player))
        follow_goals(player, seconds, FOLLOW_MOVE);
    player->is_weighed = player->is_weighed && !player->is_at_kink;

    find_cycle_ends(player);
    if (needs_clip_events(context))
        fire_events(context);
    if (machine->reports_states)
        report_transition_ends(context);

    for (uint32_t layer = 0; layer < machine->tables.num_layers; layer++)
        remove_faded_states(&player->layer_states[layer]);
    end_one_shots(player, seconds);
}

// -- Length of an interval ------------------------------------------------------------------------

// The functions seconds_to_...() return the time until something may happen that must end the
// interval. Some of them also limit *part. This is the longest interval in which weights change so
// steadily that root motion can use their means.

// Limits *part to a fraction of a fade and to its remaining time, unless the fade has ended.
static void limit_to_fade_part(md5_fade_time fade, double *part)
{
    const double left = fade.duration - fade.elapsed;
    if (left > MD5_BORDER)
        *part = md5_smaller(*part, md5_smaller(left, fade.duration / FADE_DIVISIONS));
}

// Returns the seconds, at most `max_seconds`, until a one-shot clip passes an event that conditions
// use.
static double seconds_to_one_shot_event(const md5_player *player, const md5_one_shot *one_shot,
                                        bool is_reversed, double max_seconds)
{
    const md5_source *const source = &player->machine->sources[one_shot->source];
    if (!source->event_bits)
        return max_seconds;
    const md5_play_mode mode = md5_one_shot_timing(player->machine, one_shot)->mode;
    md5_clock target;
    const double cycles = cycles_to_cue(&source->cues[mode], source->event_bits, UINT64_MAX,
                                        one_shot->clock, is_reversed, MD5_BORDER, &target);
    return md5_smaller(max_seconds, cycles / fabs(one_shot->rate));
}

// Returns the seconds, at most `max_seconds`, until a one-shot clip ends or begins to fade out.
// Another clip may then start in its slot. `cycles` is the remaining distance of the clip. Also
// limits *part to the time before the fade or to a fraction of the fade.
static double seconds_to_one_shot_end(const md5_player *player, const md5_one_shot *one_shot,
                                      double cycles, double max_seconds, double *part)
{
    const double speed = fabs(one_shot->rate);
    const double before_fade =
        md5_one_shot_cycles_left(one_shot, one_shot->clock.phase) / speed - one_shot->fade_out;
    const bool is_before_fade = before_fade > MD5_BORDER;
    if (one_shot->fade_out > 0) {
        const double steady_seconds =
            is_before_fade ? before_fade : one_shot->fade_out / FADE_DIVISIONS;
        *part = md5_smaller(*part, steady_seconds);
    }

    const double to_end = md5_smaller(max_seconds, cycles / speed);
    const bool may_start_one_shot = player->machine->tables.num_one_shots > 0;
    return may_start_one_shot && is_before_fade ? md5_smaller(before_fade, to_end) : to_end;
}

// Returns the seconds, at most `max_seconds`, until a one-shot clip has faded out because it was
// stopped. Also limits *part to a fraction of its fades.
static double seconds_to_one_shot_stop(const md5_one_shot *one_shot, double max_seconds,
                                       double *part)
{
    limit_to_fade_part(one_shot->fade_in, part);
    const double left = one_shot->stopping.duration - one_shot->stopping.elapsed;
    if (!one_shot->is_stopping || !(left > MD5_BORDER))
        return max_seconds;
    limit_to_fade_part(one_shot->stopping, part);
    return md5_smaller(max_seconds, left);
}

// Returns the seconds, at most `max_seconds`, until the current section of a one-shot clip ends. A
// section is a range of frames, after which the clip continues with the section `next`. In backward
// playback, sections do not end.
static double seconds_to_section_end(const md5_player *player, const md5_one_shot *one_shot,
                                     double max_seconds)
{
    const double cycles = md5i_section_cycles_left(player->machine, one_shot);
    const bool moves_to_end = one_shot->rate != 0 && !player->is_backward;
    if (!moves_to_end || !(cycles > MD5_BORDER))
        return max_seconds;
    return md5_smaller(max_seconds, cycles / fabs(one_shot->rate));
}

// Returns the seconds, at most `max_seconds`, until a one-shot clip or its section ends, allows
// another clip to start, or passes an event that conditions use. Also limits *part to the time for
// which its weight changes steadily, and to a fraction of a fade.
static double seconds_to_one_shot_change(const md5_player *player, const md5_one_shot *one_shot,
                                         double max_seconds, double *part)
{
    const bool is_reversed = (one_shot->rate < 0) != player->is_backward;
    double nearest = seconds_to_one_shot_event(player, one_shot, is_reversed, max_seconds);
    nearest = seconds_to_one_shot_stop(one_shot, nearest, part);
    nearest = seconds_to_section_end(player, one_shot, nearest);

    const bool has_next_section = one_shot->next != MD5_NONE;
    const bool can_end = one_shot->end == MD5_ONE_SHOT_ENDS && one_shot->rate != 0;
    const double cycles = is_reversed ? one_shot->clock.phase : 1 - one_shot->clock.phase;
    if (!can_end || has_next_section || cycles <= MD5_BORDER)
        return nearest;
    return seconds_to_one_shot_end(player, one_shot, cycles, nearest, part);
}

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
        const bool is_reversed = is_playing_backward(active, index) != goes_back;
        cycles_to_cue(&source->cues[playable->mode], source->event_bits, UINT64_MAX, target,
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
static double seconds_to_layer_time_change(const md5_player *player, uint32_t layer, bool goes_back,
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

// Returns the seconds, at most `max_seconds`, until a condition about time or an event may change
// in any layer.
static double seconds_to_time_change(const md5_player *player, bool goes_back, double max_seconds)
{
    double seconds = max_seconds;
    for (uint32_t i = 0; i < player->machine->tables.num_layers; i++)
        seconds = seconds_to_layer_time_change(player, i, goes_back, seconds);
    return seconds;
}

// Returns the seconds, at most `max_seconds`, until a fade of a layer ends. Also limits *part to a
// fraction of each fade, in which the fade is almost linear.
static double seconds_to_fade_end(const md5_player *player, md5_layer_state *layer_state,
                                  double max_seconds, double *part)
{
    double seconds = max_seconds;
    for (uint32_t k = 0; k < layer_state->num_used; k++) {
        const md5_active_state *const active = md5_active_at(layer_state, k);
        if (md5_progress(active) == 1)
            continue;
        *part = md5_smaller(*part, active->duration / FADE_DIVISIONS);
        // When a state completely covers the states below it, the windows of their clips close.
        const bool is_newest = k + 1u == layer_state->num_used;
        if (is_newest || player->machine->num_windows > 0)
            seconds = md5_smaller(seconds, active->duration - active->elapsed);
    }
    return seconds;
}

// Returns the seconds, at most `max_seconds`, until a transition of a layer reaches its exit, if
// the conditions of the transition are true.
static double seconds_to_next_exit(md5_player *player, uint32_t layer, double max_seconds)
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

// Returns the seconds, at most `max_seconds`, until a fade of a layer ends or a transition of the
// layer reaches its exit. Also limits *part to a fraction of a fade. Exits are not reached
// backward, because clips move away from them.
static double seconds_to_layer_change(md5_player *player, uint32_t layer, bool goes_forward,
                                      double max_seconds, double *part)
{
    md5_layer_state *const layer_state = &player->layer_states[layer];
    const double seconds = seconds_to_fade_end(player, layer_state, max_seconds, part);
    const bool may_exit = goes_forward && player->machine->layers[layer].has_waits;
    return may_exit ? seconds_to_next_exit(player, layer, seconds) : seconds;
}

// Returns the length of the interval until a fade ends or an exit is reached. It has the sign of
// `left`, the remaining time of the step, which is not 0.
//
// Root motion may require a shorter interval. It never divides the interval just before its end: an
// exit at the end could then count as reached too early.
static double next_interval(md5_player *player, double left)
{
    const md5_machine *const machine = player->machine;
    double length = fabs(left);
    double part = MAX_ROOT_SECONDS;
    if (machine->has_times)
        length = seconds_to_time_change(player, left < 0, length);
    for (uint32_t i = 0; i < machine->tables.num_layers; i++)
        length = seconds_to_layer_change(player, i, left > 0, length, &part);
    const md5_one_shot *one_shot;
    md5_one_shot_iterator iterator = {0};
    while ((one_shot = md5_next_one_shot(player, &iterator)) != NULL)
        length = seconds_to_one_shot_change(player, one_shot, length, &part);

    const bool divides = machine->has_root_motion && player->num_steps < MAX_DIVIDED_PARTS;
    if (divides && part < length)
        length = md5_smaller(part, 0.99 * length);
    if (player->num_steps >= MD5_MAX_STEP_PARTS) {
        length = fabs(left);
        player->status.undivided = length;
    }
    return left < 0 ? -length : length;
}

// Changes within an interval because of which its length must be found by iteration.
typedef struct interval_changes {
    bool is_smoothing;    // smoothed parameters move
    bool is_synchronized; // states share a clock, whose rate follows their weights
} interval_changes;

// Computes the means of rates and weights over the next `seconds`, then the length of the interval
// from these means. `left` is the remaining time of the step, and its sign is the direction of
// time. The length is positive and at most `max_seconds`.
static double improve_interval(md5_player *player, interval_changes changes, double seconds,
                               double max_seconds, double left)
{
    const double direction = left < 0 ? -1.0 : 1.0;
    double part = max_seconds;
    if (changes.is_smoothing) {
        follow_goals(player, seconds, FOLLOW_MEAN);
        md5i_update_weights(player);
    }
    if (changes.is_synchronized)
        part = md5i_update_shared_rates(player, direction * seconds, max_seconds);
    return fabs(next_interval(player, direction * part));
}

// Returns the length of the next interval, with the sign of `left`, the remaining time of the step.
//
// While parameters are smoothed or states are synchronized, rates and weights are means over the
// interval, and the end of the interval depends on the rates. The length is found by iteration,
// which converges quickly because rates change little.
//
// The iteration can alternate between two lengths, if a clip ends inside one but not inside the
// other. Then the shorter length is used, because no clip ends inside it.
static double find_interval(md5_player *player, double left)
{
    enum { USUAL_GUESSES = 10, MAX_GUESSES = 60 };
    player->is_at_kink = false;
    const interval_changes changes = {
        .is_smoothing = left > 0 && is_following(player),
        .is_synchronized = player->machine->has_steps && md5i_has_shared_clock(player),
    };
    if (!changes.is_smoothing && !changes.is_synchronized)
        return next_interval(player, left);

    // Smoothed parameters limit the length of an interval, and end it at each kink.
    const bool is_limited = changes.is_smoothing && player->num_steps < MAX_DIVIDED_PARTS;
    const double longest = is_limited ? md5_smaller(left, MAX_FOLLOW_SECONDS) : fabs(left);
    const double max_seconds = is_limited ? seconds_to_kink(player, longest) : longest;
    const bool ends_at_kink = changes.is_smoothing && max_seconds < longest;

    double seconds = max_seconds;
    for (int guess = 0;; guess++) {
        const double next = improve_interval(player, changes, seconds, max_seconds, left);
        player->is_at_kink = ends_at_kink && seconds == max_seconds;
        const bool is_close = fabs(next - seconds) <= CLOSE_SECONDS;
        const bool alternates = guess >= USUAL_GUESSES && next > seconds;
        if (is_close || alternates || guess == MAX_GUESSES)
            return left < 0 ? -seconds : seconds;
        seconds = next;
    }
}

// Handles instants until no event is left for conditions. An event that fires at an instant can
// cause a transition to a state whose own events fire at the next instant, without time in between.
// States and one-shot clips that exist before the first instant receive all events that fire here,
// except for the events at their own start.
static void handle_instants(const step_context *context)
{
    for (uint32_t i = 0; i < context->player->machine->tables.num_layers; i++)
        context->player->layer_states[i].ignored_events = 0;
    md5_one_shot *one_shot;
    md5_one_shot_iterator iterator = {0};
    while ((one_shot = md5_next_one_shot(context->player, &iterator)) != NULL)
        one_shot->ignored_events = 0;
    do
        handle_instant(context);
    while (context->player->heard_events != 0);
}

// Resets the results of the last call of md5_player_advance(). If time has changed its direction,
// other conditions may hold, so transitions are tested again. `seconds` is the duration of this
// call.
static void begin_advance(md5_player *player, double seconds)
{
    player->motion = MD5_NO_DELTA;
    player->status = (md5_advance_status){0};
    player->num_passed_events = 0;
    player->num_steps = 0;
    player->heard_events = 0;
    player->since_pose += fabs(seconds);
    if (seconds == 0)
        return;
    const bool is_backward = seconds < 0;
    player->is_settled = player->is_settled && player->is_backward == is_backward;
    player->is_backward = is_backward;
}

// Advances a player by `seconds`: takes transitions, plays clips, reports events, and sums up the
// root motion. The time is divided at each instant at which something can change, such as a
// satisfied condition, so that the result does not depend on the frame rate.
md5_advance_status md5_player_advance(md5_player *player, double seconds, md5_event_fn *events,
                                      void *user)
{
    MD5_ASSERT_PLAYER_CHANGE(player);
    MD5_VALIDATE_CLIPS(player);

    double left = isfinite(seconds) ? fmin(fmax(seconds, -MAX_SECONDS), MAX_SECONDS) : 0;
    begin_advance(player, left);
    if (left > 0 && player->machine->num_gazes > 0)
        md5i_advance_gazes(player, left);

    // Divide the step into intervals with an instant after each. If no transition can be taken
    // before the first interval, the instant there is omitted.
    step_context context = {.player = player, .events = events, .user = user};
    if (!player->is_settled)
        handle_instants(&context);
    while (left != 0) {
        context.seconds = find_interval(player, left);
        advance_interval(&context);
        left -= context.seconds;
        context.seconds = 0; // an instant follows each interval
        player->num_steps++;
        handle_instants(&context);
    }

    if (player->machine->num_soles > 0)
        player->motion_since_pose = md5_root_delta_mul(player->motion_since_pose, player->motion);
    return player->status;
}

// Returns the root motion of the last md5_player_advance(): the distance and rotation by which the
// game must move the character.
md5_xform md5_player_root_motion(const md5_player *player)
{
    MD5_ASSERT_PLAYER(player);
    return md5_transform_to_axes(player->machine->model->skeleton.axes,
                                 md5_root_delta_transform(player->motion));
}
