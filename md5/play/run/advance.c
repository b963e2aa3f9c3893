// Advances a player.
//
// A step is divided into intervals. In an interval clips advance, and the events that they pass
// fire, up to and including its end. At the instants between intervals transitions are taken, and
// the events where their states begin fire. There is an instant at the start and the end of the
// step, and wherever a transition ends or an exit is reached. Because there is always one at the
// end, the result does not depend on how a caller splits time into steps.
#include "md5/core/assert.h"
#include "md5/play/run/player.h"

#include <math.h>

// The longest step, in seconds; a longer one is cut to this.
#define MAX_SECONDS 1e6

// Root motion uses the mean weights of an interval: while weights change, an interval is at most
// this fraction of a fade; while root motion turns, at most so many seconds.
#define FADE_DIVISIONS 8.0
#define MAX_ROOT_SECONDS 0.25

// Only so many intervals are shortened for root motion: it is less exact in a step of hours.
enum { MAX_ROOT_PARTS = 4096 };

// -- Weights ----------------------------------------------------------------------------------

// Fade weight of a state in the chain over those below it.
static float fade_in_chain(md5_layer_state *layer_state, uint32_t position, double shift)
{
    const bool is_bottom = position == 0 && !layer_state->has_snapshot;
    return is_bottom ? 1.0f : md5_fade_at(md5_active_at(layer_state, position), shift);
}

// Mean weight of each active state in its layer over the last `seconds`, by Simpson's rule, which
// depends little on how this time is split.
static void weigh_chain(md5_layer_state *layer_state, double seconds)
{
    static const float parts[3] = {1.0f / 6.0f, 4.0f / 6.0f, 1.0f / 6.0f};
    if (layer_state->num_used == 1 && !layer_state->has_snapshot) {
        md5_newest(layer_state)->weight = 1.0f;
        return;
    }
    for (uint32_t i = 0; i < layer_state->num_used; i++)
        md5_active_at(layer_state, i)->weight = 0.0f;
    for (int point = 0; point < 3; point++) {
        float rest = 1.0f;
        for (uint32_t i = layer_state->num_used; i-- > 0;) {
            const float weight = rest * fade_in_chain(layer_state, i, -0.5 * point * seconds);
            md5_active_at(layer_state, i)->weight += parts[point] * weight;
            rest -= weight;
        }
    }
}

// Weight that the states above a position leave for it.
static float rest_for(md5_layer_state *layer_state, uint32_t position, double shift)
{
    float rest = 1.0f;
    for (uint32_t i = layer_state->num_used; i-- > position + 1;)
        rest -= rest * fade_in_chain(layer_state, i, shift);
    return rest;
}

// -- Events -----------------------------------------------------------------------------------

// What is advanced, the event callback, and the current interval.
typedef struct step_context {
    md5_player *player;
    md5_event_fn *events;
    void *user;
    double seconds; // 0: an instant: events where states begin
} step_context;

// Moves a walker to its next event. Returns false if there is none.
static bool find_next(const step_context *context, md5_walker *walker)
{
    md5_clock at;
    if (!md5_next_event(&walker->walk, &walker->event, &at))
        return false;
    if (context->seconds == 0.0)
        return true;
    const md5_active_state *const active = md5_active_at(walker->layer_state, walker->position);
    const double seconds = md5_instance_seconds(context->player, active, walker->instance,
                                                active->instances[walker->instance].before, at);
    // Rounding may put an event before the last one, or beyond the end.
    const double when = context->seconds < 0.0 ? -seconds : seconds;
    walker->when = fmin(fmax(when, walker->when), fabs(context->seconds));
    return true;
}

static uint32_t add_walker(const step_context *context, md5_layer_state *layer_state,
                           uint32_t position, uint32_t number, uint32_t num_walkers)
{
    md5_player *const player = context->player;
    const md5_machine *const machine = player->machine;
    const md5_active_state *const active = md5_active_at(layer_state, position);
    const md5_blend_tree *const tree = md5_tree_of(player, active);
    const md5_clip_instance *const instance = &active->instances[number];
    const md5_playable *const playable =
        &machine->playables[machine->instances[tree->first_instance + number].playable];
    const md5_source *const source = &machine->sources[playable->source];
    const md5_cues cues = {&source->timings[playable->mode],
                           machine->cues + source->first_cue[playable->mode],
                           source->num_cues[playable->mode]};
    if (instance->weight == 0.0f || cues.num_cues == 0)
        return num_walkers;
    md5_walker *const walker = &player->walkers[num_walkers];
    *walker = (md5_walker){
        .events = machine->tables.clips[playable->source].events,
        .layer_state = layer_state,
        .position = position,
        .instance = number,
    };
    if (context->seconds == 0.0)
        walker->walk = md5_begin_event_start(&cues, instance->now);
    else
        walker->walk =
            md5_begin_event_walk(&cues, instance->before, instance->now, instance->is_at_start,
                                 layer_state->ends_cycle && position + 1 == layer_state->num_used);
    return find_next(context, walker) ? num_walkers + 1 : num_walkers;
}

static uint32_t gather_walkers(const step_context *context)
{
    uint32_t num_walkers = 0;
    for (uint32_t layer = 0; layer < context->player->machine->tables.num_layers; layer++) {
        md5_layer_state *const layer_state = &context->player->layer_states[layer];
        for (uint32_t i = 0; i < layer_state->num_used; i++) {
            const md5_active_state *const active = md5_active_at(layer_state, i);
            const md5_blend_tree *const tree = md5_tree_of(context->player, active);
            if (!tree || (context->seconds == 0.0 && !active->is_new))
                continue;
            for (uint32_t instance = 0; instance < tree->num_instances; instance++)
                num_walkers = add_walker(context, layer_state, i, instance, num_walkers);
        }
    }
    return num_walkers;
}

// A smaller weight in a layer is a rounding error at the end of a fade.
#define MIN_EVENT_WEIGHT 1e-6f

// Calls the event callback, unless the event's weight is 0.
static void fire(const step_context *context, const md5_walker *walker)
{
    md5_player *const player = context->player;
    md5_layer_state *const layer_state = walker->layer_state;
    const md5_active_state *const active = md5_active_at(layer_state, walker->position);
    float weight;
    if (context->seconds == 0.0) {
        weight = rest_for(layer_state, walker->position, 0.0) * md5_fade_of_start(active);
    } else {
        const double shift = walker->when - fabs(context->seconds);
        weight = rest_for(layer_state, walker->position, shift)
                 * fade_in_chain(layer_state, walker->position, shift);
    }
    const float in_layer = weight * active->instances[walker->instance].weight;
    if (!(weight >= MIN_EVENT_WEIGHT && in_layer > 0.0f))
        return;
    player->status.num_events++;
    context->events(context->user, player, &walker->events[walker->event], in_layer);
}

// Events that are nearer in time than this, in seconds, are simultaneous.
#define SAME_INSTANT 1e-9

static md5_walker *first_of(md5_walker *walkers, uint32_t num_walkers)
{
    md5_walker *first = walkers;
    for (uint32_t i = 1; i < num_walkers; i++) {
        if (walkers[i].when < first->when - SAME_INSTANT)
            first = &walkers[i];
    }
    return first;
}

// In the order of time; simultaneous ones in the order of layers and clips.
static void fire_events(const step_context *context)
{
    md5_player *const player = context->player;
    uint32_t num_walkers = gather_walkers(context);
    while (num_walkers > 0 && player->num_walked < MD5_MAX_STEP_EVENTS) {
        md5_walker *const walker = first_of(player->walkers, num_walkers);
        fire(context, walker);
        player->num_walked++;
        if (find_next(context, walker))
            continue;
        num_walkers--;
        for (md5_walker *at = walker; at < player->walkers + num_walkers; at++)
            at[0] = at[1];
    }
    for (uint32_t i = 0; i < num_walkers; i++)
        player->status.num_dropped += 1 + player->walkers[i].walk.num_left;
}

static void fire_starts(const step_context *context)
{
    md5_player *const player = context->player;
    if (!player->has_new)
        return;
    player->has_new = false;
    if (context->events && player->machine->has_events)
        fire_events(context);
    for (uint32_t layer = 0; layer < player->machine->tables.num_layers; layer++) {
        md5_layer_state *const layer_state = &player->layer_states[layer];
        for (uint32_t i = 0; i < layer_state->num_used; i++)
            md5_active_at(layer_state, i)->is_new = false;
    }
}

// -- Instants and intervals -------------------------------------------------------------------

static void handle_instant(const step_context *context)
{
    md5_take_transitions(context->player);
    fire_starts(context);
    context->player->is_settled = context->player->num_steps < MD5_MAX_STEP_PARTS;
}

// Whether some clip is where a cycle ends and another begins.
static bool is_at_whole(const md5_player *player, const md5_active_state *active)
{
    const md5_blend_tree *const tree = md5_tree_of(player, active);
    for (uint32_t i = 0; tree && i < tree->num_instances; i++) {
        if (md5_clock_stays_whole(active->instances[i].now, active->instances[i].now))
            return true;
    }
    return false;
}

static void step_layer(md5_player *player, uint32_t layer, double seconds)
{
    md5_layer_state *const layer_state = &player->layer_states[layer];
    const md5_active_state *const newest = md5_newest(layer_state);
    const bool was_under_way = md5_progress(newest) < 1.0;
    for (uint32_t i = 0; i < layer_state->num_used; i++)
        md5_advance_state(player, md5_active_at(layer_state, i), seconds);
    weigh_chain(layer_state, fabs(seconds));
    layer_state->settling.elapsed += fabs(seconds);
    if (was_under_way && md5_progress(newest) == 1.0)
        layer_state->is_resting = false;
    layer_state->ends_cycle = player->machine->layers[layer].has_waits
                              && is_at_whole(player, newest) && md5_is_at_exit(player, layer);
}

static void end_step(md5_layer_state *layer_state)
{
    if (layer_state->num_used > 1 || layer_state->has_snapshot)
        md5_end_faded(layer_state);
    if (layer_state->has_offsets && layer_state->settling.elapsed >= layer_state->settling.duration)
        layer_state->has_offsets = false;
}

static void step(const step_context *context)
{
    md5_player *const player = context->player;
    const uint32_t num_layers = player->machine->tables.num_layers;
    for (uint32_t i = 0; i < num_layers; i++)
        step_layer(player, i, context->seconds);
    if (player->machine->has_root_motion)
        player->motion = md5_root_delta_mul(player->motion, md5_root_delta_of_step(player));
    if (context->events && player->machine->has_events)
        fire_events(context);
    for (uint32_t i = 0; i < num_layers; i++)
        end_step(&player->layer_states[i]);
}

// Length of the interval until a fade ends or an exit is reached. Backward, exits are not reached:
// clips move away from them.
static double next_interval(md5_player *player, double left)
{
    const md5_machine *const machine = player->machine;
    const bool divides_root_motion = machine->has_root_motion && player->num_steps < MAX_ROOT_PARTS;
    double most = fabs(left);
    for (uint32_t i = 0; i < machine->tables.num_layers; i++) {
        const md5_active_state *const active = md5_newest(&player->layer_states[i]);
        if (md5_progress(active) < 1.0) {
            most = md5_least(most, active->duration - active->elapsed);
            if (divides_root_motion)
                most = md5_least(most, active->duration / FADE_DIVISIONS);
        }
        if (left > 0.0 && machine->layers[i].has_waits)
            most = md5_seconds_until_exit(player, i, most);
    }
    if (divides_root_motion)
        most = md5_least(most, MAX_ROOT_SECONDS);
    if (player->num_steps >= MD5_MAX_STEP_PARTS)
        player->status.undivided = most = fabs(left);
    return left < 0.0 ? -most : most;
}

void md5_player_advance(md5_player *player, double seconds, md5_event_fn *events, void *user)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    double left = isfinite(seconds) ? fmin(fmax(seconds, -MAX_SECONDS), MAX_SECONDS) : 0.0;
    step_context context = {player, events, user, 0.0};
    player->motion = (md5_root_delta){.cosine = 1.0};
    player->status = (md5_advance_status){0};
    player->num_walked = player->num_steps = 0;
    player->since_pose += fabs(left);
    if (left != 0.0)
        player->is_backward = left < 0.0;
    if (!player->is_settled)
        handle_instant(&context);
    while (left != 0.0) {
        context.seconds = next_interval(player, left);
        step(&context);
        left -= context.seconds;
        context.seconds = 0.0;
        player->num_steps++;
        handle_instant(&context);
    }
}

md5_advance_status md5_player_last_advance(const md5_player *player)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    return player->status;
}

md5_transform md5_player_root_motion(const md5_player *player)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    return md5_root_delta_transform(player->motion);
}
