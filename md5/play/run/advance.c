// Advances a player: divides a step into intervals, and advances clocks, fades and root motion in
// each. transitions.c, events.c and parameters.c contain the work that is done at an instant.
//
// A step is the time by which a call of md5_player_advance() advances the player. It is divided
// into intervals. In an interval, clips advance, and the events up to and including its end fire.
//
// An instant is a point of time between intervals. At an instant, transitions are taken, and the
// events at the start of new states fire. Instants are the start and the end of the step, the end
// of each transition, and each exit. Because each step ends with an instant, the result does not
// depend on the division of time into steps.
#include "md5/core/math.h"
#include "md5/play/run/player_state.h"

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
        md5i_start_transitions(player);
        if (player->num_steps < MD5_MAX_STEP_PARTS)
            md5i_update_one_shots(player);

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
static void report_entered_states(const md5_step_context *context)
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
            md5i_report_state_event(context, i, left, MD5_EVENT_LEAVE);
        md5i_report_state_event(context, i, newest->state, MD5_EVENT_ENTER);
        if (left != MD5_NONE && md5_progress(newest) == 1)
            md5i_report_state_event(context, i, newest->state, MD5_EVENT_TRANSITION_END);
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
static void handle_instant(const md5_step_context *context)
{
    md5_player *const player = context->player;
    start_all_transitions(player);
    if (player->has_new || player->machine->num_windows > 0) {
        player->has_new = false;
        if (player->machine->reports_states)
            report_entered_states(context);
        if (md5i_needs_clip_events(context))
            md5i_fire_events(context);
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
        const bool may_exit =
            player->machine->layers[layer].has_waits && is_at_cycle_boundary(newest);
        layer_state->ends_cycle = may_exit && md5i_takes_exit(player, layer);
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
static void report_transition_ends(const md5_step_context *context)
{
    md5_player *const player = context->player;
    for (uint32_t i = 0; i < player->machine->tables.num_layers; i++) {
        if (player->layer_states[i].has_arrived)
            md5i_report_state_event(context, i, md5_newest(&player->layer_states[i])->state,
                                    MD5_EVENT_TRANSITION_END);
    }
}

// Advances the player by the interval of the context and fires the events in it.
static void advance_interval(const md5_step_context *context)
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
    if (seconds > 0 && md5i_is_following(player))
        md5i_follow_goals(player, seconds, MD5_SMOOTHING_MOVE);
    player->is_weighed = player->is_weighed && !player->is_at_kink;

    find_cycle_ends(player);
    if (md5i_needs_clip_events(context))
        md5i_fire_events(context);
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
    const double cycles = md5i_cycles_to_cue(&source->cues[mode], source->event_bits, UINT64_MAX,
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
// Returns the seconds, at most `max_seconds`, until a condition about time or an event may change
// in any layer.
static double seconds_to_time_change(const md5_player *player, bool goes_back, double max_seconds)
{
    double seconds = max_seconds;
    for (uint32_t i = 0; i < player->machine->tables.num_layers; i++)
        seconds = md5i_seconds_to_layer_time_change(player, i, goes_back, seconds);
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
// Returns the seconds, at most `max_seconds`, until a fade of a layer ends or a transition of the
// layer reaches its exit. Also limits *part to a fraction of a fade. Exits are not reached
// backward, because clips move away from them.
static double seconds_to_layer_change(md5_player *player, uint32_t layer, bool goes_forward,
                                      double max_seconds, double *part)
{
    md5_layer_state *const layer_state = &player->layer_states[layer];
    const double seconds = seconds_to_fade_end(player, layer_state, max_seconds, part);
    const bool may_exit = goes_forward && player->machine->layers[layer].has_waits;
    return may_exit ? md5i_seconds_to_next_exit(player, layer, seconds) : seconds;
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
        md5i_follow_goals(player, seconds, MD5_SMOOTHING_MEAN);
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
        .is_smoothing = left > 0 && md5i_is_following(player),
        .is_synchronized = player->machine->has_steps && md5i_has_shared_clock(player),
    };
    if (!changes.is_smoothing && !changes.is_synchronized)
        return next_interval(player, left);

    // Smoothed parameters limit the length of an interval, and end it at each kink.
    const bool is_limited = changes.is_smoothing && player->num_steps < MAX_DIVIDED_PARTS;
    const double longest = is_limited ? md5_smaller(left, MAX_FOLLOW_SECONDS) : fabs(left);
    const double max_seconds = is_limited ? md5i_seconds_to_kink(player, longest) : longest;
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
static void handle_instants(const md5_step_context *context)
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
    md5_step_context context = {.player = player, .events = events, .user = user};
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
