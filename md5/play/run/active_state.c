// Plays one state: weights from the parameters, clocks of its clips.
#include "md5/play/run/blend_space.h"
#include "md5/play/run/player_state.h"

#include <math.h>
#include <string.h>

// Times of transitions are floats: their error, relative to the larger of 1 and the time.
#define FLOAT_ERROR 6e-8

// Cycles. A later exit is never reached.
#define MAX_EXIT 0x1p52

// Progress of a fade that events at its start are weighted with.
#define START_FADE (1.0 / 16.0)

// Cycles a second. Higher rates are meaningless and would overflow the count of cycles.
#define MAX_RATE 1e6

static const double *markers_of(const md5_machine *machine, const md5_instance_plan *plan)
{
    const md5_playable *const playable = &machine->playables[plan->playable];
    return machine->markers + machine->sources[playable->source].first_marker;
}

float md5i_weight_of(const md5_player *player, const md5_weight_rule *rule)
{
    if (rule->parameter < 0)
        return rule->fixed;
    const float value = player->parameters[rule->parameter];
    if (rule->curve > 0)
        return md5_curved_weight(&player->machine->curves[rule->curve - 1], MD5_EASE_LINEAR,
                                 (double)value);
    return value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value;
}

// Computes the weights of a motion's items. Returns the factor by which the items play faster.
static double weigh_items(const md5_player *player, uint32_t number, float *weights)
{
    const md5_machine *const machine = player->machine;
    const md5_motion *const motion = &machine->motions[number];
    if (motion->kind == MD5_MOTION_BY_SPEED)
        return md5i_weigh_by_speed(machine, motion, (double)player->parameters[motion->x_parameter],
                                   weights);
    if (motion->kind == MD5_MOTION_BLEND_1D) {
        md5i_blend_weights_1d(md5_space_items(machine, number), motion->num_items,
                              player->parameters[motion->x_parameter], weights);
    } else if (motion->kind == MD5_MOTION_BLEND_2D) {
        md5i_blend_weights_2d(md5_space_items(machine, number), motion->num_items,
                              player->parameters[motion->x_parameter],
                              player->parameters[motion->y_parameter], weights);
    } else {
        const md5_item *const items = machine->items + motion->first_item;
        weights[0] = 1.0f;
        for (uint32_t i = 1; i < motion->num_items; i++)
            weights[i] = md5i_weight_of(player, &items[i].weight);
    }
    return 1.0;
}

void md5i_weigh_state(md5_player *player, md5_active_state *active)
{
    const md5_machine *const machine = player->machine;
    const md5_blend_tree *const tree = md5_tree_of(player, active);
    if (!tree)
        return;
    const md5i_part *const parts = machine->parts + tree->first_part;
    active->weights[0] = 1.0f;
    for (uint32_t i = tree->num_parts; i-- > 0;) {
        const md5i_part *const part = &parts[i];
        const md5_motion *const motion = &machine->motions[part->motion];
        const float weight = active->weights[part->weight];
        md5_flow *const flow = &player->flows[i];
        *flow = (md5_flow){1.0, 1.0f};
        active->totals[i] = weight;
        if (part->parent >= 0) {
            *flow = player->flows[part->parent];
            flow->share *= weight;
            active->totals[i] *= active->totals[part->parent];
        }
        flow->speed *= motion->speed;
        if (motion->speed_parameter >= 0)
            flow->speed *= (double)player->parameters[motion->speed_parameter];
        if (part->leads_group)
            flow->share = 1.0f;
        if (part->instance < 0) {
            flow->speed *= weigh_items(player, part->motion, active->weights + part->children);
            continue;
        }
        md5_clip_instance *const instance = &active->instances[part->instance];
        const double rate = flow->speed * machine->playables[motion->playable].cycles;
        instance->rate = md5_least(rate > -MAX_RATE ? rate : -MAX_RATE, MAX_RATE);
        instance->weight = active->totals[i];
        instance->share = flow->share;
    }
}

void md5i_weigh_all(md5_player *player)
{
    const bool is_weighed = player->is_weighed && !player->has_moved;
    for (uint32_t layer = 0; !is_weighed && layer < player->machine->tables.num_layers; layer++) {
        md5_layer_state *const layer_state = &player->layer_states[layer];
        layer_state->is_resting = layer_state->is_resting && player->is_weighed;
        for (uint32_t i = 0; i < layer_state->num_used; i++)
            md5i_weigh_state(player, md5_active_at(layer_state, i));
    }
    player->is_weighed = true;
    player->has_moved = false;
}

static void set_clocks(const md5_blend_tree *tree, md5_active_state *active,
                       const md5_clock *instances, const md5_clock *groups)
{
    for (uint32_t i = 0; i < tree->num_instances; i++)
        active->instances[i].now = instances[i];
    if (tree->num_groups > 0)
        memcpy(active->groups, groups, tree->num_groups * sizeof *groups);
}

// Sets the clocks of a group's members from the shared clock.
static void follow(const md5_player *player, const md5_blend_tree *tree,
                   const md5_group_plan *group, md5_clock shared)
{
    const md5_machine *const machine = player->machine;
    for (uint32_t i = 0; i < group->num_members; i++) {
        const uint32_t instance = machine->members[group->first_member + i];
        const md5_instance_plan *const plan = &machine->instances[tree->first_instance + instance];
        player->instance_clocks[instance] =
            md5i_sync_clock(markers_of(machine, plan), group->num_markers, shared);
    }
}

// Where a clip begins. With MD5_BEGIN_AS_LEFT only the phase counts, not the cycle.
static md5_clock clock_of_start(const md5_machine *machine, const md5_instance_plan *plan,
                                const md5_change *change)
{
    const md5_timing *const timing = md5_timing_of(machine, plan);
    const double own = machine->playables[plan->playable].start;
    md5_clock clock = md5i_clock_at(timing, change->begin == MD5_BEGIN_BEHIND ? own + change->start
                                                                              : change->start);
    if (change->begin == MD5_BEGIN_AT)
        return clock;
    clock = md5i_clock_snap(timing, clock, FLOAT_ERROR * fmax(1.0, fabs(md5_clock_time(clock))));
    if (change->begin == MD5_BEGIN_AS_LEFT)
        clock.cycle = 0;
    return clock;
}

void md5i_begin_state(md5_player *player, const md5_play_layer *layer, md5_active_state *active,
                      const md5_change *change)
{
    const md5_machine *const machine = player->machine;
    active->state = change->state;
    active->tree = machine->states[layer->first_state + change->state].tree;
    active->is_new = false;
    active->start_time = 0.0;
    player->has_new = true;
    const md5_blend_tree *const tree = md5_tree_of(player, active);
    if (!tree)
        return;
    const md5_instance_plan *const plans = machine->instances + tree->first_instance;
    for (uint32_t i = 0; i < tree->num_instances; i++)
        player->instance_clocks[i] = clock_of_start(machine, &plans[i], change);
    for (uint32_t i = 0; i < tree->num_groups; i++) {
        const md5_group_plan *const group = &machine->groups[tree->first_group + i];
        const uint32_t leader = machine->members[group->first_member];
        player->group_clocks[i] =
            md5i_sync_shared(markers_of(machine, &plans[leader]), group->num_markers,
                             player->instance_clocks[leader]);
        follow(player, tree, group, player->group_clocks[i]);
    }
    set_clocks(tree, active, player->instance_clocks, player->group_clocks);
    for (uint32_t i = 0; i < tree->num_instances; i++) {
        md5_clip_instance *const instance = &active->instances[i];
        if (change->begin != MD5_BEGIN_AT) // the clocks of group members are rounded
            instance->now =
                md5i_clock_snap(md5_timing_of(machine, &plans[i]), instance->now, MD5_BORDER);
        instance->before = instance->now;
        instance->seconds_at_end = 0.0;
        instance->is_at_start = change->begin != MD5_BEGIN_AT;
        instance->root.clock.phase = -1.0; // invalid
    }
    active->start_time = md5i_active_time(active);
    // Events within a cycle that continues have fired in the previous state.
    active->is_new =
        change->begin == MD5_BEGIN_BEHIND
        || (change->begin == MD5_BEGIN_AS_LEFT && !(active->instances[0].now.phase > 0.0));
    md5i_weigh_state(player, active);
}

// Writes the group's clips to player->sync_items.
static void gather_group(const md5_player *player, const md5_active_state *active,
                         const md5_blend_tree *tree, const md5_group_plan *group)
{
    const md5_machine *const machine = player->machine;
    for (uint32_t i = 0; i < group->num_members; i++) {
        const uint32_t instance = machine->members[group->first_member + i];
        player->sync_items[i] = (md5_sync_item){
            .weight = active->instances[instance].share,
            .rate = active->instances[instance].rate,
            .markers = markers_of(machine, &machine->instances[tree->first_instance + instance]),
        };
    }
}

static md5_clock group_clock_after(const md5_player *player, const md5_active_state *active,
                                   const md5_blend_tree *tree, uint32_t number, double seconds)
{
    const md5_group_plan *const group = &player->machine->groups[tree->first_group + number];
    gather_group(player, active, tree, group);
    return md5i_sync_advance(player->sync_items, group->num_members, group->num_markers,
                             active->groups[number], seconds);
}

// Of a clip that is not synchronised.
static md5_clock instance_clock_after(const md5_player *player, const md5_active_state *active,
                                      const md5_blend_tree *tree, uint32_t number, double seconds)
{
    const md5_machine *const machine = player->machine;
    const md5_clip_instance *const instance = &active->instances[number];
    const md5_timing *const timing =
        md5_timing_of(machine, &machine->instances[tree->first_instance + number]);
    return md5i_clock_advance(timing, instance->now, instance->rate * seconds);
}

void md5i_find_clocks(md5_player *player, const md5_active_state *active, double seconds)
{
    const md5_machine *const machine = player->machine;
    const md5_blend_tree *const tree = md5_tree_of(player, active);
    for (uint32_t i = 0; i < tree->num_instances; i++) {
        if (machine->instances[tree->first_instance + i].group < 0)
            player->instance_clocks[i] = instance_clock_after(player, active, tree, i, seconds);
    }
    for (uint32_t i = 0; i < tree->num_groups; i++) {
        player->group_clocks[i] = group_clock_after(player, active, tree, i, seconds);
        follow(player, tree, &machine->groups[tree->first_group + i], player->group_clocks[i]);
    }
}

// Updates for how long a clip that is played once has been at its end, from how far it would have
// advanced beyond it.
static void count_rest(md5_clip_instance *instance, double seconds)
{
    const double cycles = instance->rate * seconds, end = cycles > 0.0 ? 1.0 : 0.0;
    const double beyond = instance->before.phase + cycles - instance->now.phase;
    if (cycles == 0.0 || instance->now.phase != end)
        instance->seconds_at_end = 0.0;
    else if (instance->before.phase == end)
        instance->seconds_at_end += fabs(seconds);
    else
        instance->seconds_at_end = fabs(beyond / instance->rate);
}

static void count_rests(const md5_machine *machine, const md5_blend_tree *tree,
                        md5_active_state *active, double seconds)
{
    for (uint32_t i = 0; i < tree->num_instances; i++) {
        if (md5_timing_of(machine, &machine->instances[tree->first_instance + i])->mode
            == MD5_PLAY_ONCE)
            count_rest(&active->instances[i], seconds);
    }
}

void md5i_advance_state(md5_player *player, md5_active_state *active, double seconds)
{
    const md5_blend_tree *const tree = md5_tree_of(player, active);
    active->elapsed += fabs(seconds);
    if (!tree)
        return;
    for (uint32_t i = 0; i < tree->num_instances; i++) {
        md5_clip_instance *const instance = &active->instances[i];
        instance->is_at_start =
            instance->is_at_start && md5_clock_stays_whole(instance->before, instance->now);
        instance->before = instance->now;
    }
    if (seconds == 0.0)
        return;
    if (tree->num_groups == 0) {
        for (uint32_t i = 0; i < tree->num_instances; i++)
            active->instances[i].now = instance_clock_after(player, active, tree, i, seconds);
    } else {
        md5i_find_clocks(player, active, seconds);
        set_clocks(tree, active, player->instance_clocks, player->group_clocks);
    }
    count_rests(player->machine, tree, active, seconds);
}

double md5i_active_time(const md5_active_state *active)
{
    return active->tree < 0 ? 0.0 : md5_clock_time(active->instances[0].now);
}

double md5i_instance_seconds(const md5_player *player, const md5_active_state *active,
                             uint32_t number, md5_clock from, md5_clock to)
{
    const md5_machine *const machine = player->machine;
    const md5_blend_tree *const tree = md5_tree_of(player, active);
    const md5_instance_plan *const plan = &machine->instances[tree->first_instance + number];
    if (plan->group < 0) {
        const double cycles = md5_clock_between(from, to);
        return cycles == 0.0 ? 0.0 : cycles / active->instances[number].rate;
    }
    const md5_group_plan *const group = &machine->groups[tree->first_group + (uint32_t)plan->group];
    const double *const markers = markers_of(machine, plan);
    gather_group(player, active, tree, group);
    return md5i_sync_seconds(player->sync_items, group->num_members, group->num_markers,
                             md5i_sync_shared(markers, group->num_markers, from),
                             md5i_sync_shared(markers, group->num_markers, to));
}

// Whether the first clip plays backward: by its own rate, or by the mean rate of its group.
static bool is_backward(const md5_player *player, const md5_active_state *active)
{
    const md5_machine *const machine = player->machine;
    const md5_blend_tree *const tree = md5_tree_of(player, active);
    const int32_t number = machine->instances[tree->first_instance].group;
    if (number < 0)
        return active->instances[0].rate < 0.0;
    const md5_group_plan *const group = &machine->groups[tree->first_group + (uint32_t)number];
    double rate = 0.0;
    for (uint32_t i = 0; i < group->num_members; i++) {
        const md5_clip_instance *const instance =
            &active->instances[machine->members[group->first_member + i]];
        rate += (double)instance->share * instance->rate;
    }
    return rate < 0.0;
}

// Position of the first clip when a state is at its exit, in the direction that it plays.
typedef struct exit_position {
    md5_clock clock;
    double time; // of the same
    bool is_backward;
} exit_position;

static exit_position exit_of(const md5_player *player, const md5_active_state *active, double exit)
{
    const md5_machine *const machine = player->machine;
    const md5_blend_tree *const tree = md5_tree_of(player, active);
    const md5_timing *const timing =
        md5_timing_of(machine, &machine->instances[tree->first_instance]);
    exit_position position = {.is_backward = is_backward(player, active)};
    const double limited = fmin(fmax(exit, -MAX_EXIT), MAX_EXIT);
    const double time = position.is_backward ? 1.0 - limited : limited;
    // An exit may lie beyond the ends of a clip that is played once.
    const double whole = floor(time);
    position.clock = md5i_clock_snap(timing, (md5_clock){(int64_t)whole, time - whole},
                                     FLOAT_ERROR * fmax(1.0, fabs(exit)));
    position.time = md5_clock_time(position.clock);
    return position;
}

// Remaining distance to an exit, in cycles.
static double distance_to(const exit_position *exit, double time)
{
    return exit->is_backward ? time - exit->time : exit->time - time;
}

// Whether a time is at or after an exit. Usually this is clear without snapping to frames.
static bool is_behind(const md5_player *player, const md5_active_state *active, double exit,
                      double time)
{
    if (active->tree < 0)
        return true;
    const double delta = is_backward(player, active) ? time - (1.0 - exit) : exit - time;
    if (fabs(delta) > 1e-6 * fmax(1.0, fabs(exit)))
        return delta < 0.0;
    const exit_position position = exit_of(player, active, exit);
    return distance_to(&position, time) <= MD5_BORDER;
}

bool md5i_has_reached(const md5_player *player, const md5_active_state *active, double exit)
{
    return is_behind(player, active, exit, md5i_active_time(active));
}

bool md5i_began_behind(const md5_player *player, const md5_active_state *active, double exit)
{
    return is_behind(player, active, exit, active->start_time);
}

double md5i_seconds_until(md5_player *player, const md5_active_state *active, double exit,
                          double most)
{
    if (active->tree < 0)
        return most;
    const md5_machine *const machine = player->machine;
    const md5_blend_tree *const tree = md5_tree_of(player, active);
    const md5_instance_plan *const plan = &machine->instances[tree->first_instance];
    const md5_clock now = active->instances[0].now;
    const double rate = active->instances[0].rate;
    // The common case: clearly not reached within `most`.
    if (plan->group < 0 && rate > 0.0
        && exit - md5_clock_time(now) > rate * most + 1e-6 * fmax(1.0, fabs(exit)))
        return most;
    const exit_position position = exit_of(player, active, exit);
    if (distance_to(&position, md5_clock_time(now)) <= MD5_BORDER)
        return most;
    // A clip that is played once stops at its end.
    if (md5_timing_of(machine, plan)->mode == MD5_PLAY_ONCE
        && (position.time < 0.0 || position.time > 1.0))
        return most;
    const double seconds = md5i_instance_seconds(player, active, 0, now, position.clock);
    return seconds > 0.0 && seconds < most ? seconds : most;
}

double md5i_exit_phase(const md5_player *player, const md5_active_state *active,
                       const md5_transition *transition)
{
    if (active->tree < 0)
        return 0.0;
    const md5_machine *const machine = player->machine;
    const md5_blend_tree *const tree = md5_tree_of(player, active);
    const md5_timing *const timing =
        md5_timing_of(machine, &machine->instances[tree->first_instance]);
    const exit_position exit = exit_of(player, active, transition->exit);
    const bool is_once = timing->mode == MD5_PLAY_ONCE;
    if (transition->waits && fabs(distance_to(&exit, md5i_active_time(active))) <= MD5_BORDER)
        return is_once ? exit.time : exit.clock.phase;
    return md5i_clock_snap(timing, active->instances[0].now, MD5_BORDER).phase;
}

double md5i_progress(const md5_active_state *active)
{
    return md5_progress_of(active->elapsed, active->duration);
}

float md5i_fade_of_start(const md5_active_state *active)
{
    return active->fades ? md5_curved_weight(active->curve, active->easing, START_FADE) : 1.0f;
}

float md5i_fade_at(const md5_active_state *active, double shift)
{
    return md5_curved_weight(active->curve, active->easing,
                             md5_progress_of(active->elapsed + shift, active->duration));
}
