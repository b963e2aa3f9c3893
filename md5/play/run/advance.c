// Time passes: in one step, or in several if within it something begins or ends.
//
// A step of time is a row of moments with stretches between them. At a moment transitions are
// taken, and what lies where their states begin fires; in a stretch clips go on, and what they pass
// fires, up to and including where it ends. There is a moment at the beginning, at the end, and
// wherever a transition ends or an exit is reached. As there is always one at the end, it makes no
// difference whether a caller makes one step or several.
#include "md5/play/run/player.h"

#include <math.h>

// The longest step, in seconds; a longer one counts as that.
#define MOST_SECONDS 1e6

// On the way of the root motions weigh what they do on average in a stretch: while that changes,
// stretches are shorter than this part of a fade; where ways turn, than so many seconds.
#define PARTS_OF_A_FADE 8.0
#define MOST_SECONDS_OF_WAY 0.25

// Only so many are shorter for the sake of the way: it is less exact in a step of hours.
enum { MOST_PARTS_FOR_WAY = 4096 };

// -- Weights ----------------------------------------------------------------------------------

// How far the motion at a place in the chain has come in over what is below it.
static float fade_in_chain(md5_run *run, uint32_t place, double shift)
{
    const bool is_bottom = place == 0 && !run->has_snapshot;
    return is_bottom ? 1.0f : md5_fade_at(md5_live_at(run, place), shift);
}

// What each motion in play weighs in its layer in the last `seconds`, by Simpson's rule: the mean
// is nearly the same for any split of them.
static void weigh_chain(md5_run *run, double seconds)
{
    static const float parts[3] = {1.0f / 6.0f, 4.0f / 6.0f, 1.0f / 6.0f};
    if (run->num_used == 1 && !run->has_snapshot) {
        md5_newest(run)->weight = 1.0f;
        return;
    }
    for (uint32_t i = 0; i < run->num_used; i++)
        md5_live_at(run, i)->weight = 0.0f;
    for (int point = 0; point < 3; point++) {
        float rest = 1.0f;
        for (uint32_t i = run->num_used; i-- > 0;) {
            const float weight = rest * fade_in_chain(run, i, -0.5 * point * seconds);
            md5_live_at(run, i)->weight += parts[point] * weight;
            rest -= weight;
        }
    }
}

// What is left for a place by those that stand above it.
static float rest_for(md5_run *run, uint32_t place, double shift)
{
    float rest = 1.0f;
    for (uint32_t i = run->num_used; i-- > place + 1;)
        rest -= rest * fade_in_chain(run, i, shift);
    return rest;
}

// -- Events -----------------------------------------------------------------------------------

// Who hears what, and of which stretch.
typedef struct hearing {
    md5_player *player;
    md5_event_fn *events;
    void *user;
    double seconds; // 0: what lies where motions begin
} hearing;

// Brings a walker to its next event. False if there is none.
static bool find_next(const hearing *of, md5_walker *walker)
{
    md5_clock at;
    if (!md5_next_event(&walker->walk, &walker->event, &at))
        return false;
    if (of->seconds == 0.0)
        return true;
    const md5_live *const live = md5_live_at(walker->run, walker->place);
    const double seconds =
        md5_leaf_seconds(of->player, live, walker->leaf, live->leaves[walker->leaf].before, at);
    // Rounding may put an event before the last one, or beyond the end.
    const double when = of->seconds < 0.0 ? -seconds : seconds;
    walker->when = fmin(fmax(when, walker->when), fabs(of->seconds));
    return true;
}

static uint32_t add_walker(const hearing *of, md5_run *run, uint32_t place, uint32_t number,
                           uint32_t num_walkers)
{
    md5_player *const player = of->player;
    const md5_machine *const machine = player->machine;
    const md5_live *const live = md5_live_at(run, place);
    const md5_program *const program = md5_program_of(player, live);
    const md5_leaf *const leaf = &live->leaves[number];
    const md5_playable *const playable =
        &machine->playables[machine->leaves[program->first_leaf + number].playable];
    const md5_source *const source = &machine->sources[playable->source];
    const md5_cues cues = {&source->timings[playable->mode],
                           machine->cues + source->first_cue[playable->mode],
                           source->num_cues[playable->mode]};
    if (leaf->weight == 0.0f || cues.num_cues == 0)
        return num_walkers;
    md5_walker *const walker = &player->walkers[num_walkers];
    *walker = (md5_walker){
        .events = machine->tables.clips[playable->source].events,
        .run = run,
        .place = place,
        .leaf = number,
    };
    if (of->seconds == 0.0)
        walker->walk = md5_begin_event_start(&cues, leaf->now);
    else
        walker->walk = md5_begin_event_walk(&cues, leaf->before, leaf->now, leaf->is_at_start,
                                            run->ends_cycle && place + 1 == run->num_used);
    return find_next(of, walker) ? num_walkers + 1 : num_walkers;
}

static uint32_t gather_walkers(const hearing *of)
{
    uint32_t num_walkers = 0;
    for (uint32_t layer = 0; layer < of->player->machine->tables.num_layers; layer++) {
        md5_run *const run = &of->player->runs[layer];
        for (uint32_t i = 0; i < run->num_used; i++) {
            const md5_live *const live = md5_live_at(run, i);
            const md5_program *const program = md5_program_of(of->player, live);
            if (!program || (of->seconds == 0.0 && !live->is_new))
                continue;
            for (uint32_t leaf = 0; leaf < program->num_leaves; leaf++)
                num_walkers = add_walker(of, run, i, leaf, num_walkers);
        }
    }
    return num_walkers;
}

// What weighs less in its layer is rounding: where a fade ends, a float away from it.
#define LEAST_WEIGHT 1e-6f

// What an event weighs when it comes.
static void fire(const hearing *of, const md5_walker *walker)
{
    md5_player *const player = of->player;
    md5_run *const run = walker->run;
    const md5_live *const live = md5_live_at(run, walker->place);
    float weight;
    if (of->seconds == 0.0) {
        weight = rest_for(run, walker->place, 0.0) * md5_fade_of_start(live);
    } else {
        const double shift = walker->when - fabs(of->seconds);
        weight = rest_for(run, walker->place, shift) * fade_in_chain(run, walker->place, shift);
    }
    const float in_layer = weight * live->leaves[walker->leaf].weight;
    if (!(weight >= LEAST_WEIGHT && in_layer > 0.0f))
        return;
    player->status.num_events++;
    of->events(of->user, player, &walker->events[walker->event], in_layer);
}

// Nearer together, in seconds, two events count as at one moment.
#define ONE_MOMENT 1e-9

static md5_walker *first_of(md5_walker *walkers, uint32_t num_walkers)
{
    md5_walker *first = walkers;
    for (uint32_t i = 1; i < num_walkers; i++) {
        if (walkers[i].when < first->when - ONE_MOMENT)
            first = &walkers[i];
    }
    return first;
}

// In the order of time; at one moment in the order of layers and clips.
static void fire_events(const hearing *of)
{
    md5_player *const player = of->player;
    uint32_t num_walkers = gather_walkers(of);
    while (num_walkers > 0 && player->num_walked < MD5_MAX_STEP_EVENTS) {
        md5_walker *const walker = first_of(player->walkers, num_walkers);
        fire(of, walker);
        player->num_walked++;
        if (find_next(of, walker))
            continue;
        num_walkers--;
        for (md5_walker *at = walker; at < player->walkers + num_walkers; at++)
            at[0] = at[1];
    }
    for (uint32_t i = 0; i < num_walkers; i++)
        player->status.num_dropped += 1 + player->walkers[i].walk.num_left;
}

static void fire_starts(const hearing *of)
{
    md5_player *const player = of->player;
    if (!player->has_new)
        return;
    player->has_new = false;
    if (of->events && player->machine->has_events)
        fire_events(of);
    for (uint32_t layer = 0; layer < player->machine->tables.num_layers; layer++) {
        md5_run *const run = &player->runs[layer];
        for (uint32_t i = 0; i < run->num_used; i++)
            md5_live_at(run, i)->is_new = false;
    }
}

// -- Moments and stretches --------------------------------------------------------------------

static void pass_moment(const hearing *of)
{
    md5_take_transitions(of->player);
    fire_starts(of);
    of->player->is_settled = of->player->num_steps < MD5_MAX_STEP_PARTS;
}

// Whether some clip has come to where a cycle ends and another begins.
static bool is_at_whole(const md5_player *player, const md5_live *live)
{
    const md5_program *const program = md5_program_of(player, live);
    for (uint32_t i = 0; program && i < program->num_leaves; i++) {
        if (md5_clock_stays_whole(live->leaves[i].now, live->leaves[i].now))
            return true;
    }
    return false;
}

static void step_layer(md5_player *player, uint32_t layer, double seconds)
{
    md5_run *const run = &player->runs[layer];
    const md5_live *const newest = md5_newest(run);
    const bool was_under_way = md5_progress(newest) < 1.0;
    for (uint32_t i = 0; i < run->num_used; i++)
        md5_advance_live(player, md5_live_at(run, i), seconds);
    weigh_chain(run, fabs(seconds));
    run->settling.elapsed += fabs(seconds);
    if (was_under_way && md5_progress(newest) == 1.0)
        run->rests = false;
    run->ends_cycle = player->machine->layers[layer].has_waits && is_at_whole(player, newest)
                      && md5_is_at_exit(player, layer);
}

static void end_step(md5_run *run)
{
    if (run->num_used > 1 || run->has_snapshot)
        md5_end_faded(run);
    if (run->has_offsets && run->settling.elapsed >= run->settling.duration)
        run->has_offsets = false;
}

static void step(const hearing *of)
{
    md5_player *const player = of->player;
    const uint32_t num_layers = player->machine->tables.num_layers;
    for (uint32_t i = 0; i < num_layers; i++)
        step_layer(player, i, of->seconds);
    if (player->machine->has_way)
        player->motion = md5_way_mul(player->motion, md5_way_of_step(player));
    if (of->events && player->machine->has_events)
        fire_events(of);
    for (uint32_t i = 0; i < num_layers; i++)
        end_step(&player->runs[i]);
}

// Until the next moment at which something changes by itself. Backward, exits are not reached:
// clips go away from them.
static double next_stretch(md5_player *player, double left)
{
    const md5_machine *const machine = player->machine;
    const bool divides_way = machine->has_way && player->num_steps < MOST_PARTS_FOR_WAY;
    double most = fabs(left);
    for (uint32_t i = 0; i < machine->tables.num_layers; i++) {
        const md5_live *const live = md5_newest(&player->runs[i]);
        if (md5_progress(live) < 1.0) {
            most = md5_least(most, live->duration - live->elapsed);
            if (divides_way)
                most = md5_least(most, live->duration / PARTS_OF_A_FADE);
        }
        if (left > 0.0 && machine->layers[i].has_waits)
            most = md5_seconds_until_exit(player, i, most);
    }
    if (divides_way)
        most = md5_least(most, MOST_SECONDS_OF_WAY);
    if (player->num_steps >= MD5_MAX_STEP_PARTS)
        player->status.undivided = most = fabs(left);
    return left < 0.0 ? -most : most;
}

void md5_player_advance(md5_player *player, double seconds, md5_event_fn *events, void *user)
{
    double left = isfinite(seconds) ? fmin(fmax(seconds, -MOST_SECONDS), MOST_SECONDS) : 0.0;
    hearing of = {player, events, user, 0.0};
    player->motion = (md5_way){.cosine = 1.0};
    player->status = (md5_advance_status){0};
    player->num_walked = player->num_steps = 0;
    player->since_pose += fabs(left);
    if (left != 0.0)
        player->is_backward = left < 0.0;
    if (!player->is_settled)
        pass_moment(&of);
    while (left != 0.0) {
        of.seconds = next_stretch(player, left);
        step(&of);
        left -= of.seconds;
        of.seconds = 0.0;
        player->num_steps++;
        pass_moment(&of);
    }
}

md5_advance_status md5_player_last_advance(const md5_player *player)
{
    return player->status;
}

md5_transform md5_player_root_motion(const md5_player *player)
{
    return md5_way_transform(player->motion);
}
