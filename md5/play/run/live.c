// A state's motion in play: weights from the parameters, clocks of its clips.
#include "md5/play/run/blend_space.h"
#include "md5/play/run/by_speed.h"
#include "md5/play/run/player.h"

#include <math.h>
#include <string.h>

// A moment that was stepped to exactly may be this far off, in cycles or seconds.
#define SLACK 1e-9

// A second. More says nothing, and would in the end be too many to count.
#define MOST_CYCLES 1e6

static const md5_timing *timing_of(const md5_machine *machine, const md5_leaf_plan *plan)
{
    const md5_playable *const playable = &machine->playables[plan->playable];
    return &machine->sources[playable->source].timings[playable->mode];
}

static const double *markers_of(const md5_machine *machine, const md5_leaf_plan *plan)
{
    const md5_playable *const playable = &machine->playables[plan->playable];
    return machine->markers + machine->sources[playable->source].first_marker;
}

float md5_weight_of(const md5_player *player, int32_t parameter, float fixed)
{
    if (parameter < 0)
        return fixed;
    const float value = player->parameters[parameter];
    return value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value;
}

// What the items of a motion weigh in it. Returns by what factor they go faster besides.
static double weigh_items(const md5_player *player, uint32_t number, float *weights)
{
    const md5_machine *const machine = player->machine;
    const md5_motion *const motion = &machine->motions[number];
    if (motion->kind == MD5_MOTION_BY_SPEED)
        return md5_weigh_by_speed(machine, motion, (double)player->parameters[motion->x_parameter],
                                  weights);
    if (motion->kind == MD5_MOTION_BLEND_1D) {
        md5_blend_weights_1d(md5_places_of(machine, number), motion->num_items,
                             player->parameters[motion->x_parameter], weights);
    } else if (motion->kind == MD5_MOTION_BLEND_2D) {
        md5_blend_weights_2d(md5_places_of(machine, number), motion->num_items,
                             player->parameters[motion->x_parameter],
                             player->parameters[motion->y_parameter], weights);
    } else {
        const md5_item *const items = machine->items + motion->first_item;
        weights[0] = 1.0f;
        for (uint32_t i = 1; i < motion->num_items; i++)
            weights[i] = md5_weight_of(player, items[i].weight_parameter, items[i].weight);
    }
    return 1.0;
}

void md5_weigh_live(md5_player *player, md5_live *live)
{
    const md5_machine *const machine = player->machine;
    const md5_program *const program = md5_program_of(player, live);
    if (!program)
        return;
    const md5_part *const parts = machine->parts + program->first_part;
    live->weights[0] = 1.0f;
    for (uint32_t i = program->num_parts; i-- > 0;) {
        const md5_part *const part = &parts[i];
        const md5_motion *const motion = &machine->motions[part->motion];
        const float weight = live->weights[part->weight];
        md5_flow *const flow = &player->flows[i];
        *flow = (md5_flow){1.0, 1.0f};
        live->totals[i] = weight;
        if (part->parent >= 0) {
            *flow = player->flows[part->parent];
            flow->share *= weight;
            live->totals[i] *= live->totals[part->parent];
        }
        flow->speed *= (double)motion->speed;
        if (motion->speed_parameter >= 0)
            flow->speed *= (double)player->parameters[motion->speed_parameter];
        if (part->leads_group)
            flow->share = 1.0f;
        if (part->leaf < 0) {
            flow->speed *= weigh_items(player, part->motion, live->weights + part->children);
            continue;
        }
        md5_leaf *const leaf = &live->leaves[part->leaf];
        const double rate = flow->speed * machine->playables[motion->playable].cycles;
        leaf->rate = md5_least(rate > -MOST_CYCLES ? rate : -MOST_CYCLES, MOST_CYCLES);
        leaf->weight = live->totals[i];
        leaf->share = flow->share;
    }
}

void md5_weigh_all(md5_player *player)
{
    for (uint32_t layer = 0; !player->is_weighed && layer < player->machine->tables.num_layers;
         layer++) {
        md5_run *const run = &player->runs[layer];
        for (uint32_t i = 0; i < run->num_used; i++)
            md5_weigh_live(player, md5_live_at(run, i));
    }
    player->is_weighed = true;
}

static void set_clocks(const md5_program *program, md5_live *live, const md5_clock *leaves,
                       const md5_clock *groups)
{
    for (uint32_t i = 0; i < program->num_leaves; i++)
        live->leaves[i].now = leaves[i];
    if (program->num_groups > 0)
        memcpy(live->groups, groups, program->num_groups * sizeof *groups);
}

// A group's members, at the shared clock.
static void follow(const md5_player *player, const md5_program *program,
                   const md5_group_plan *group, md5_clock shared)
{
    const md5_machine *const machine = player->machine;
    for (uint32_t i = 0; i < group->num_members; i++) {
        const uint32_t leaf = machine->members[group->first_member + i];
        const md5_leaf_plan *const plan = &machine->leaves[program->first_leaf + leaf];
        player->leaf_clocks[leaf] =
            md5_sync_clock(markers_of(machine, plan), group->num_markers, shared);
    }
}

void md5_begin_live(md5_player *player, const md5_play_layer *layer, md5_live *live, uint32_t state,
                    double time, bool adds_start)
{
    const md5_machine *const machine = player->machine;
    live->state = state;
    live->program = machine->states[layer->first_state + state].program;
    live->is_new = true;
    const md5_program *const program = md5_program_of(player, live);
    if (!program)
        return;
    const md5_leaf_plan *const plans = machine->leaves + program->first_leaf;
    for (uint32_t i = 0; i < program->num_leaves; i++) {
        const double own = machine->playables[plans[i].playable].start;
        player->leaf_clocks[i] =
            md5_clock_at(timing_of(machine, &plans[i]), adds_start ? own + time : time);
    }
    for (uint32_t i = 0; i < program->num_groups; i++) {
        const md5_group_plan *const group = &machine->groups[program->first_group + i];
        const uint32_t leader = machine->members[group->first_member];
        player->group_clocks[i] = md5_sync_shared(markers_of(machine, &plans[leader]),
                                                  group->num_markers, player->leaf_clocks[leader]);
        follow(player, program, group, player->group_clocks[i]);
    }
    set_clocks(program, live, player->leaf_clocks, player->group_clocks);
    for (uint32_t i = 0; i < program->num_leaves; i++) {
        live->leaves[i].before = live->leaves[i].now;
        live->leaves[i].stood = 0.0;
        live->leaves[i].root.clock.phase = -1.0; // nowhere
    }
    md5_weigh_live(player, live);
}

static md5_clock group_clock_after(const md5_player *player, const md5_live *live,
                                   const md5_program *program, uint32_t number, double seconds)
{
    const md5_machine *const machine = player->machine;
    const md5_group_plan *const group = &machine->groups[program->first_group + number];
    for (uint32_t i = 0; i < group->num_members; i++) {
        const uint32_t leaf = machine->members[group->first_member + i];
        player->sync_items[i] = (md5_sync_item){
            .weight = live->leaves[leaf].share,
            .rate = live->leaves[leaf].rate,
            .markers = markers_of(machine, &machine->leaves[program->first_leaf + leaf]),
        };
    }
    return md5_sync_advance(player->sync_items, group->num_members, group->num_markers,
                            live->groups[number], seconds);
}

// Of a leaf that goes by itself.
static md5_clock leaf_clock_after(const md5_player *player, const md5_live *live,
                                  const md5_program *program, uint32_t number, double seconds)
{
    const md5_machine *const machine = player->machine;
    const md5_leaf *const leaf = &live->leaves[number];
    const md5_timing *const timing =
        timing_of(machine, &machine->leaves[program->first_leaf + number]);
    return md5_clock_advance(timing, leaf->now, leaf->rate * seconds);
}

void md5_find_clocks(md5_player *player, const md5_live *live, double seconds)
{
    const md5_machine *const machine = player->machine;
    const md5_program *const program = md5_program_of(player, live);
    for (uint32_t i = 0; i < program->num_leaves; i++) {
        if (machine->leaves[program->first_leaf + i].group < 0)
            player->leaf_clocks[i] = leaf_clock_after(player, live, program, i, seconds);
    }
    for (uint32_t i = 0; i < program->num_groups; i++) {
        player->group_clocks[i] = group_clock_after(player, live, program, i, seconds);
        follow(player, program, &machine->groups[program->first_group + i],
               player->group_clocks[i]);
    }
}

// A clip that is played once has made a step: how long has it been at its end now? What it would
// have gone beyond that says so.
static void count_rest(md5_leaf *leaf, double seconds)
{
    const double beyond = leaf->before.phase + leaf->rate * seconds - leaf->now.phase;
    if (beyond == 0.0)
        leaf->stood = 0.0;
    else if (leaf->now.phase == leaf->before.phase)
        leaf->stood += fabs(seconds);
    else
        leaf->stood = fabs(beyond / leaf->rate);
}

static void count_rests(const md5_machine *machine, const md5_program *program, md5_live *live,
                        double seconds)
{
    for (uint32_t i = 0; i < program->num_leaves; i++) {
        if (timing_of(machine, &machine->leaves[program->first_leaf + i])->mode == MD5_PLAY_ONCE)
            count_rest(&live->leaves[i], seconds);
    }
}

void md5_advance_live(md5_player *player, md5_live *live, double seconds)
{
    const md5_program *const program = md5_program_of(player, live);
    live->elapsed += fabs(seconds);
    if (!program)
        return;
    for (uint32_t i = 0; i < program->num_leaves; i++)
        live->leaves[i].before = live->leaves[i].now;
    if (seconds == 0.0)
        return;
    if (program->num_groups == 0) {
        for (uint32_t i = 0; i < program->num_leaves; i++)
            live->leaves[i].now = leaf_clock_after(player, live, program, i, seconds);
    } else {
        md5_find_clocks(player, live, seconds);
        set_clocks(program, live, player->leaf_clocks, player->group_clocks);
    }
    count_rests(player->machine, program, live, seconds);
}

double md5_live_time(const md5_live *live)
{
    return live->program < 0 ? 0.0 : md5_clock_time(live->leaves[0].now);
}

double md5_live_phase(const md5_live *live)
{
    return live->program < 0 ? 0.0 : live->leaves[0].now.phase;
}

// Cycles a second of the first clip: by itself, or as its group goes on the whole.
static double rate_of(const md5_player *player, const md5_live *live)
{
    const md5_machine *const machine = player->machine;
    const md5_program *const program = md5_program_of(player, live);
    const int32_t number = machine->leaves[program->first_leaf].group;
    if (number < 0)
        return live->leaves[0].rate;
    const md5_group_plan *const group = &machine->groups[program->first_group + (uint32_t)number];
    double rate = 0.0;
    for (uint32_t i = 0; i < group->num_members; i++) {
        const md5_leaf *const leaf = &live->leaves[machine->members[group->first_member + i]];
        rate += (double)leaf->share * leaf->rate;
    }
    return rate;
}

// How far there is still to go to `exit`, in cycles, the way that it plays.
static double way_to(double exit, double rate, double time)
{
    return rate < 0.0 ? time - (1.0 - exit) : exit - time;
}

bool md5_has_reached(const md5_player *player, const md5_live *live, double exit)
{
    if (live->program < 0)
        return true;
    return way_to(exit, rate_of(player, live), md5_live_time(live)) <= SLACK;
}

double md5_seconds_until(md5_player *player, const md5_live *live, double exit, double most)
{
    const md5_machine *const machine = player->machine;
    const double rate = live->program < 0 ? 0.0 : rate_of(player, live);
    const double way = way_to(exit, rate, md5_live_time(live));
    if (rate == 0.0 || way <= SLACK)
        return most;
    const md5_program *const program = md5_program_of(player, live);
    const md5_leaf_plan *const first = &machine->leaves[program->first_leaf];
    // A clip that is played once comes no further than its end.
    if (timing_of(machine, first)->mode == MD5_PLAY_ONCE && exit > 1.0)
        return most;
    if (first->group < 0
        || machine->groups[program->first_group + (uint32_t)first->group].num_markers == 0)
        return fmin(way / fabs(rate), most);
    // From marker to marker the speed changes: halve the time until it is found.
    double low = 0.0, high = most;
    md5_find_clocks(player, live, high);
    if (way_to(exit, rate, md5_clock_time(player->leaf_clocks[0])) > SLACK)
        return most;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        md5_find_clocks(player, live, middle);
        if (way_to(exit, rate, md5_clock_time(player->leaf_clocks[0])) > 0.0)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static double progress_at(const md5_live *live, double elapsed)
{
    if (elapsed >= live->duration - SLACK)
        return 1.0;
    return elapsed > 0.0 ? elapsed / live->duration : 0.0;
}

double md5_progress(const md5_live *live)
{
    return progress_at(live, live->elapsed);
}

float md5_fade_at(const md5_live *live, double shift)
{
    return md5_ease(live->easing, (float)progress_at(live, live->elapsed + shift));
}
