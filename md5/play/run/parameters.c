// Parameters of a player. A smoothed parameter moves to its goal over time.
#include "md5/core/math.h"
#include "md5/play/run/player_state.h"

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

// Precision with which the time is found at which a parameter passes a kink, seconds.
#define SAME_TIME 1e-13

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
void md5i_follow_goals(md5_player *player, double seconds, md5_smoothing_task task)
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
        if (task == MD5_SMOOTHING_PREDICT)
            continue;
        player->has_moved = true;
        if (task == MD5_SMOOTHING_MEAN) {
            md5i_set_value(player, i, mean_value(follow, smoothing, seconds));
        } else {
            md5i_set_value(player, i, smoothing->next);
            advance_smoothing(follow, seconds, smoothing);
        }
    }
}

// Returns true if a smoothed parameter has not reached its goal.
bool md5i_is_following(const md5_player *player)
{
    for (uint32_t i = 0; i < player->machine->tables.num_follows; i++) {
        if (is_parameter_moving(&player->smoothings[i]))
            return true;
    }
    return false;
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
    const bool holds_now = md5i_condition_holds_for(kink, player->parameters[kink->parameter]);
    double before = 0;
    double after = max_seconds;
    double middle = max_seconds - SAME_TIME; // the parameter may be at the kink at the end
    for (int k = 0; k < MD5_MAX_BISECTIONS && after - before > SAME_TIME; k++) {
        const float value = value_after(follow, &player->smoothings[index], middle);
        if (md5i_condition_holds_for(kink, value) == holds_now)
            before = middle;
        else
            after = middle;
        middle = 0.5 * (before + after);
    }
    return after;
}

// Returns the seconds, at most `max_seconds`, until a smoothed parameter is at one of the machine's
// kinks.
double md5i_seconds_to_kink(md5_player *player, double max_seconds)
{
    const md5_machine *const machine = player->machine;
    double nearest = max_seconds;
    md5i_follow_goals(player, max_seconds, MD5_SMOOTHING_PREDICT);
    for (size_t i = 0; i < machine->num_kinks; i++) {
        const md5_play_condition *const kink = &machine->kinks[i];
        const uint32_t index = machine->smoothing_rows[kink->parameter];
        const float current = player->parameters[kink->parameter];
        const float next = player->smoothings[index].next;
        const bool passes =
            current != next
            && md5i_condition_holds_for(kink, current) != md5i_condition_holds_for(kink, next);
        if (passes)
            nearest = seconds_to_passed_kink(player, kink, nearest);
    }
    return nearest;
}
