// Time passes: in one step, or in several where within it something begins or ends.
#include "md5/play/run/player.h"

#include <math.h>

// The longest step, in seconds; a longer one counts as that.
#define MOST_SECONDS 1e6

// Weights on the way of the root are taken in the middle of a step: while they change, steps are
// shorter than this part of a fade; where ways turn, than so many seconds.
#define PARTS_OF_A_FADE 8.0
#define MOST_SECONDS_OF_WAY 0.25

// A step is divided into no more than so many.
enum { MOST_STEPS = 64 };

// -- Events -----------------------------------------------------------------------------------

static uint32_t add_walker(md5_player *player, const md5_live *live, uint32_t number,
                           uint32_t num_walkers)
{
    const md5_machine *const machine = player->machine;
    const md5_program *const program = md5_program_of(player, live);
    const md5_leaf *const leaf = &live->leaves[number];
    const md5_playable *const playable =
        &machine->playables[machine->leaves[program->first_leaf + number].playable];
    const md5_source *const source = &machine->sources[playable->source];
    if (leaf->weight == 0.0f || source->num_cues[playable->mode] == 0)
        return num_walkers;
    md5_walker *const walker = &player->walkers[num_walkers];
    walker->walk = md5_begin_event_walk(
        &source->timings[playable->mode], machine->cues + source->first_cue[playable->mode],
        source->num_cues[playable->mode], leaf->before, leaf->now, live->is_new);
    if (!md5_next_event(&walker->walk, &walker->event, &walker->when))
        return num_walkers;
    walker->events = machine->tables.clips[playable->source].events;
    walker->weight = live->weight * leaf->weight;
    return num_walkers + 1;
}

static uint32_t gather_walkers(md5_player *player)
{
    uint32_t num_walkers = 0;
    for (uint32_t layer = 0; layer < player->machine->tables.num_layers; layer++) {
        md5_run *const run = &player->runs[layer];
        for (uint32_t i = 0; i < run->num_used; i++) {
            const md5_live *const live = md5_live_at(run, i);
            const md5_program *const program = md5_program_of(player, live);
            for (uint32_t leaf = 0; program && leaf < program->num_leaves; leaf++)
                num_walkers = add_walker(player, live, leaf, num_walkers);
        }
    }
    return num_walkers;
}

// Nearer together, as parts of a step, two events count as at one moment.
#define ONE_MOMENT 1e-9

// In the order of time; at one moment in the order of layers and clips.
static void fire_events(md5_player *player, md5_event_fn *events, void *user)
{
    uint32_t num_walkers = gather_walkers(player);
    while (num_walkers > 0) {
        uint32_t next = 0;
        for (uint32_t i = 1; i < num_walkers; i++) {
            if (player->walkers[i].when < player->walkers[next].when - ONE_MOMENT)
                next = i;
        }
        md5_walker *const walker = &player->walkers[next];
        events(user, player, &walker->events[walker->event], walker->weight);
        if (md5_next_event(&walker->walk, &walker->event, &walker->when))
            continue;
        num_walkers--;
        for (uint32_t i = next; i < num_walkers; i++)
            player->walkers[i] = player->walkers[i + 1];
    }
}

// -- Steps ------------------------------------------------------------------------------------

// What each motion in play weighs in its layer, `shift` seconds from now.
static void weigh_chain(md5_run *run, double shift)
{
    float rest = 1.0f;
    for (uint32_t i = run->num_used; i-- > 0;) {
        md5_live *const live = md5_live_at(run, i);
        const bool is_bottom = i == 0 && !run->has_snapshot;
        const float fade = is_bottom ? 1.0f : md5_fade_at(live, shift);
        live->weight = rest * fade;
        rest -= live->weight;
    }
}

static void step_layer(md5_player *player, md5_run *run, double seconds)
{
    for (uint32_t i = 0; i < run->num_used; i++)
        md5_advance_live(player, md5_live_at(run, i), seconds);
    weigh_chain(run, -0.5 * fabs(seconds));
    run->settling.elapsed += fabs(seconds);
}

static void end_step(md5_run *run)
{
    for (uint32_t i = 0; i < run->num_used; i++)
        md5_live_at(run, i)->is_new = false;
    if (run->num_used > 1 || run->has_snapshot)
        md5_end_faded(run);
    if (run->has_offsets && run->settling.elapsed >= run->settling.duration)
        run->has_offsets = false;
}

static void step(md5_player *player, double seconds, md5_event_fn *events, void *user)
{
    const uint32_t num_layers = player->machine->tables.num_layers;
    for (uint32_t i = 0; i < num_layers; i++)
        step_layer(player, &player->runs[i], seconds);
    if (player->machine->has_way)
        player->motion = md5_way_mul(player->motion, md5_way_of_step(player));
    if (events && player->machine->has_events)
        fire_events(player, events, user);
    for (uint32_t i = 0; i < num_layers; i++)
        end_step(&player->runs[i]);
}

// How long a step may be: until the next moment at which something changes by itself.
static double seconds_of_step(md5_player *player, double seconds)
{
    double most = seconds;
    for (uint32_t i = 0; i < player->machine->tables.num_layers; i++) {
        const md5_live *const live = md5_newest(&player->runs[i]);
        if (md5_progress(live) < 1.0) {
            most = md5_least(most, live->duration - live->elapsed);
            if (player->machine->has_way)
                most = md5_least(most, live->duration / PARTS_OF_A_FADE);
        }
        if (player->machine->layers[i].has_waits)
            most = md5_seconds_until_exit(player, i, most);
    }
    return player->machine->has_way ? md5_least(most, MOST_SECONDS_OF_WAY) : most;
}

static void take_transitions(md5_player *player)
{
    md5_weigh_all(player);
    for (uint32_t i = 0; i < player->machine->tables.num_layers; i++)
        md5_take_transitions(player, i);
}

static void clear_triggers(md5_player *player)
{
    if (!player->has_consumed)
        return;
    for (uint32_t i = 0; i < player->machine->tables.num_parameters; i++) {
        if (player->consumed[i] > 0)
            player->parameters[i] = 0.0f;
        player->consumed[i] = 0;
    }
    player->has_consumed = false;
    player->is_weighed = false;
}

void md5_player_advance(md5_player *player, double seconds, md5_event_fn *events, void *user)
{
    double left = isfinite(seconds) ? fmin(fmax(seconds, -MOST_SECONDS), MOST_SECONDS) : 0.0;
    player->motion = (md5_way){.cosine = 1.0};
    player->since_pose += fabs(left);
    if (left != 0.0)
        player->is_backward = left < 0.0;
    take_transitions(player);
    for (uint32_t steps = 1; left > 0.0 && steps < MOST_STEPS; steps++) {
        const double part = seconds_of_step(player, left);
        if (!(part < left))
            break;
        step(player, part, events, user);
        left -= part;
        take_transitions(player);
    }
    step(player, left, events, user);
    clear_triggers(player);
}

md5_transform md5_player_root_motion(const md5_player *player)
{
    return md5_way_transform(player->motion);
}
