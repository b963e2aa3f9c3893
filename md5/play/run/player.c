// A player from the outside: made, set, asked; its level of detail; the bounds of its pose.
#include "md5/core/arena.h"
#include "md5/core/assert.h"
#include "md5/core/math.h"
#include "md5/play/machine.h"
#include "md5/play/run/player_state.h"

#include <float.h>
#include <math.h>
#include <string.h>

// -- Level of detail: which joints are animated, and how often a pose is computed ----------------

bool md5_player_set_detail(md5_player *player, const md5_detail *detail)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    const md5_detail full = {0};
    const md5_detail *const set = detail ? detail : &full;
    const int32_t mask = md5_find_mask(player->machine, set->mask);
    if (set->mask && mask < 0)
        return false;
    const uint32_t interval = set->interval > 1 ? set->interval : 1;
    player->detail.mask = mask;
    player->detail.interval = interval;
    player->detail.phase = set->phase % interval;
    return true;
}

// The count of calls goes on at any level of detail, so a game may set it as often as it likes: the
// players of a crowd keep taking turns. No pose becomes older than the interval.
bool md5i_begin_pose(md5_player *player)
{
    md5_detail_state *const state = &player->detail;
    const uint32_t call = state->num_calls++;
    if (state->interval == 1)
        return true;
    state->age++;
    return !state->is_kept || state->age >= state->interval
           || (call % state->interval + state->phase) % state->interval == 0;
}

void md5i_end_pose(md5_player *player, const md5_xform *pose)
{
    md5_detail_state *const state = &player->detail;
    player->since_pose = 0.0;
    player->walked = (md5_root_delta){.cosine = 1.0};
    state->age = 0;
    state->is_kept = state->interval > 1;
    if (state->is_kept && player->machine->num_joints > 0)
        memcpy(player->kept, pose, player->machine->num_joints * sizeof *pose);
}

// Chains end in ancestors of their tips, which are animated if the tips are.
bool md5i_is_animated(const md5_machine *machine, const md5_detail_set *detail,
                      const md5_modifier *modifier)
{
    const bool *const are_animated = machine->are_animated + detail->first_joint;
    bool all = are_animated[modifier->joint];
    const bool has_feet = modifier->desc.kind == MD5_MODIFIER_FEET;
    for (uint32_t i = 0; has_feet && i < modifier->desc.num_feet; i++)
        all = all && are_animated[machine->legs[modifier->first_foot + i].tip];
    return all;
}

// -- Bounds of the current pose ------------------------------------------------------------------

// A sum of places, each between `low` and `high`, with biases that sum to what the machine says of
// its vertices: the largest along one axis.
static float largest_sum(const md5_machine *machine, float low, float high)
{
    const float of_high = high * (high > 0.0f ? machine->most_bias : machine->least_bias);
    return of_high + (low < 0.0f ? -low * machine->most_negative : 0.0f);
}

static void sum_axis(const md5_machine *machine, float *low, float *high)
{
    const float most = largest_sum(machine, *low, *high);
    const float least = -largest_sum(machine, -*high, -*low);
    // Rounding, in the places and in whoever works out the vertices.
    const float slack = machine->beside + 1e-5f * (fabsf(most) + fabsf(least));
    *low = least - slack;
    *high = most + slack;
}

md5_bounds md5_player_bounds(const md5_player *player, const md5_mat34 *joints)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    MD5_ASSERT(joints != NULL || player->machine->num_joints == 0, "joints: not NULL");
    const md5_machine *const machine = player->machine;
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    for (uint32_t i = 0; i < machine->num_joints; i++) {
        const float reach = machine->reaches[i];
        if (reach < 0.0f && machine->has_vertices)
            continue;
        const float wide = reach > 0.0f ? reach : 0.0f;
        const md5_vec3 position = md5_mat34_translation(joints[i]);
        const md5_vec3 size = {wide, wide, wide};
        bounds = md5_bounds_union(
            bounds, (md5_bounds){md5_vec3_sub(position, size), md5_vec3_add(position, size)});
    }
    if (!machine->has_vertices)
        return bounds;
    sum_axis(machine, &bounds.min.x, &bounds.max.x);
    sum_axis(machine, &bounds.min.y, &bounds.max.y);
    sum_axis(machine, &bounds.min.z, &bounds.max.z);
    return bounds;
}

// -- A player from the outside: made, set, asked -------------------------------------------------

// Room for the largest state of a layer. `layer_state` is NULL while measuring.
static void place_live(md5_block *block, const md5_play_layer *layer, md5_active_state *active)
{
    const md5_active_state placed = {
        .instances = (md5_clip_instance *)md5i_block_take(block, layer->max_instances,
                                                          sizeof *placed.instances),
        .groups = (md5_clock *)md5i_block_take(block, layer->max_groups, sizeof *placed.groups),
        .weights = (float *)md5i_block_take(block, layer->max_parts, sizeof *placed.weights),
        .totals = (float *)md5i_block_take(block, layer->max_parts, sizeof *placed.totals),
    };
    if (active)
        *active = placed;
}

// What is only needed while states change.
static void place_rest(md5_block *block, const md5_machine *machine, const md5_play_layer *layer,
                       md5_layer_state *layer_state)
{
    md5_active_state *const others =
        (md5_active_state *)md5i_block_take(block, MD5_SLOTS - 1, sizeof *others);
    for (uint32_t i = 0; i < MD5_SLOTS - 1; i++)
        place_live(block, layer, others ? &others[i] : NULL);
    md5_xform *const snapshot =
        (md5_xform *)md5i_block_take(block, machine->num_joints, sizeof *snapshot);
    md5_offset *const offsets =
        (md5_offset *)md5i_block_take(block, machine->num_joints, sizeof *offsets);
    md5_velocity *const velocities =
        (md5_velocity *)md5i_block_take(block, machine->num_joints, sizeof *velocities);
    float *const frozen =
        (float *)md5i_block_take(block, machine->num_morphs, sizeof *layer_state->frozen_morphs);
    float *const left =
        (float *)md5i_block_take(block, machine->num_morphs, sizeof *layer_state->morph_offsets);
    if (!layer_state)
        return;
    layer_state->frozen_morphs = frozen;
    layer_state->morph_offsets = left;
    layer_state->others = others;
    layer_state->snapshot = snapshot;
    layer_state->offsets = offsets;
    layer_state->velocities = velocities;
}

// Lays a player out in the block, or measures that. What each step and each pose need lies together
// at the beginning: among many players, none is in the first cache when its turn comes.
static md5_player *lay_out(md5_block *block, const md5_machine *machine)
{
    const md5_machine_desc *const tables = &machine->tables;
    md5_player *const player = (md5_player *)md5i_block_take(block, 1, sizeof *player);
    md5_player placed = {.machine = machine};
    placed.parameters =
        (float *)md5i_block_take(block, tables->num_parameters, sizeof *placed.parameters);
    placed.followings =
        (md5_following *)md5i_block_take(block, tables->num_follows, sizeof *placed.followings);
    placed.consumed =
        (uint32_t *)md5i_block_take(block, tables->num_parameters, sizeof *placed.consumed);
    placed.layer_states =
        (md5_layer_state *)md5i_block_take(block, tables->num_layers, sizeof *placed.layer_states);
    if (placed.layer_states)
        memset(placed.layer_states, 0, tables->num_layers * sizeof *placed.layer_states);
    size_t num_instances = 0;
    for (uint32_t i = 0; i < tables->num_layers; i++) {
        place_live(block, &machine->layers[i],
                   placed.layer_states ? &placed.layer_states[i].first : NULL);
        num_instances += machine->layers[i].max_instances;
    }
    placed.targets =
        (md5_target *)md5i_block_take(block, tables->num_modifiers, sizeof *placed.targets);
    placed.are_placed =
        (bool *)md5i_block_take(block, tables->num_modifiers, sizeof *placed.are_placed);
    placed.drops = (float *)md5i_block_take(block, tables->num_modifiers, sizeof *placed.drops);
    placed.feet = (md5_foot *)md5i_block_take(block, machine->num_feet, sizeof *placed.feet);
    placed.held = (md5_held *)md5i_block_take(block, machine->num_soles, sizeof *placed.held);
    placed.gazes = (md5_gaze *)md5i_block_take(block, machine->num_gazes, sizeof *placed.gazes);
    placed.flows = (md5_flow *)md5i_block_take(block, machine->max_parts, sizeof *placed.flows);
    placed.gathered = (float *)md5i_block_take(block, machine->max_parts, sizeof *placed.gathered);
    placed.instance_clocks =
        (md5_clock *)md5i_block_take(block, machine->max_instances, sizeof *placed.instance_clocks);
    placed.group_clocks =
        (md5_clock *)md5i_block_take(block, machine->max_groups, sizeof *placed.group_clocks);
    placed.sync_items =
        (md5_sync_item *)md5i_block_take(block, machine->max_instances, sizeof *placed.sync_items);
    placed.root_deltas = (md5_root_delta *)md5i_block_take(
        block, machine->has_root_motion ? machine->max_poses : 0, sizeof *placed.root_deltas);
    for (uint32_t i = 0; i < tables->num_layers; i++)
        place_rest(block, machine, &machine->layers[i],
                   placed.layer_states ? &placed.layer_states[i] : NULL);
    placed.slots =
        (md5_shot_slot *)md5i_block_take(block, machine->num_slots, sizeof *placed.slots);
    placed.springs =
        (md5_spring_joint *)md5i_block_take(block, machine->num_springs, sizeof *placed.springs);
    const size_t num_walkers =
        num_instances * MD5_MAX_ACTIVE + (size_t)machine->num_slots * MD5_SLOT_SHOTS;
    placed.walkers = (md5_walker *)md5i_block_take(
        block, machine->has_clip_events ? num_walkers : 0, sizeof *placed.walkers);
    placed.kept = (md5_xform *)md5i_block_take(block, machine->num_joints, sizeof *placed.kept);
    placed.velocities =
        (md5_velocity *)md5i_block_take(block, machine->num_joints, sizeof *placed.velocities);
    placed.morphs = (float *)md5i_block_take(block, machine->num_morphs, sizeof *placed.morphs);
    placed.spare = (md5_xform *)md5i_block_take(
        block, md5i_captured_poses(machine) * machine->num_joints, sizeof *placed.spare);
    if (player)
        *player = placed;
    return player;
}

md5_player *md5_create_player(const md5_machine *machine, const md5_allocator *allocator,
                              md5_error *error)
{
    MD5_ASSERT(machine != NULL, "machine: not NULL");
    MD5_ASSERT(!allocator || !allocator->alloc == !allocator->free,
               "allocator: both functions or none");
    const md5_load_opts opts = {.allocator = allocator ? *allocator : machine->allocator};
    md5_context context;
    md5i_context_begin(&context, &opts, NULL, error);
    md5_block block = {0};
    lay_out(&block, machine);
    const size_t size = block.used;
    block = (md5_block){.base = (unsigned char *)md5i_alloc(&context, size)};
    if (!block.base)
        return NULL;
    md5_player *const player = lay_out(&block, machine);
    player->size = size;
    player->allocator = context.allocator;
    md5_player_reset(player);
    return player;
}

void md5_destroy_player(md5_player *player)
{
    if (!player)
        return;
    const md5_allocator allocator = player->allocator;
    allocator.free(allocator.user, player, player->size);
}

static void put_parameter(md5_player *player, uint32_t parameter, float value)
{
    const bool is_float = player->machine->tables.parameters[parameter].kind == MD5_PARAMETER_FLOAT;
    const float set = is_float ? value : value != 0.0f ? 1.0f : 0.0f;
    player->is_weighed = player->is_weighed && player->parameters[parameter] == set;
    player->is_settled = player->is_settled && player->is_weighed;
    player->parameters[parameter] = set;
}

void md5_player_reset(md5_player *player)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    const md5_machine_desc *const tables = &player->machine->tables;
    for (uint32_t i = 0; i < tables->num_parameters; i++) {
        put_parameter(player, i, tables->parameters[i].value);
        player->consumed[i] = 0;
    }
    md5i_rest_parameters(player);
    for (uint32_t i = 0; i < tables->num_modifiers; i++) {
        const md5_modifier *const modifier = &player->machine->modifiers[i];
        player->targets[i] = (md5_target){.weight = modifier->desc.weight,
                                          .position = {INFINITY, INFINITY, INFINITY}};
        player->are_placed[i] = false;
        player->drops[i] = 0.0f;
        if (modifier->desc.kind == MD5_MODIFIER_GAZE)
            md5_gaze_begin(modifier->seed, &player->gazes[modifier->gaze]);
    }
    for (size_t i = 0; i < player->machine->num_feet; i++) {
        const md5_limb *const leg = &player->machine->legs[i];
        player->feet[i] =
            (md5_foot){.ankle = leg->tip, .has_leg = true, .knee = leg->middle, .hip = leg->root};
    }
    for (size_t i = 0; i < player->machine->num_soles; i++)
        player->held[i] = (md5_held){0};
    for (uint32_t i = 0; i < player->machine->num_slots; i++)
        player->slots[i].num_shots = 0;
    player->num_shots = 0;
    player->has_consumed = player->is_backward = false;
    player->status = (md5_advance_status){0};
    player->since_pose = 0.0;
    player->detail = (md5_detail_state){.mask = -1, .interval = 1};
    player->motion = player->walked = (md5_root_delta){.cosine = 1.0};
    for (uint32_t i = 0; i < tables->num_layers; i++) {
        player->layer_states[i].num_used = 0;
        player->layer_states[i].entered = -1;
        md5i_change_state(player, i, &(md5_change){.begin = MD5_BEGIN_BEHIND});
    }
    player->is_weighed = true;
}

bool md5_player_set(md5_player *player, uint32_t parameter, float value)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    const md5_machine_desc *const tables = &player->machine->tables;
    if (parameter >= tables->num_parameters || !isfinite(value))
        return false;
    if (!md5i_set_goal(player, parameter, value))
        put_parameter(player, parameter, value);
    return true;
}

float md5_player_get(const md5_player *player, uint32_t parameter)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    return parameter < player->machine->tables.num_parameters ? player->parameters[parameter]
                                                              : 0.0f;
}

static bool has_state(const md5_player *player, uint32_t layer, uint32_t state)
{
    return layer < player->machine->tables.num_layers
           && state < player->machine->layers[layer].num_states;
}

bool md5_player_fade_to(md5_player *player, uint32_t layer, uint32_t state, float duration,
                        md5_fade fade, md5_easing easing)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    MD5_ASSERT((unsigned)fade <= MD5_FADE_INERTIAL, "fade: a md5_fade");
    MD5_ASSERT((unsigned)easing <= MD5_LAST_FADE_EASING, "easing: one without parameters");
    if (!has_state(player, layer, state))
        return false;
    md5i_change_state(player, layer,
                      &(md5_change){
                          .state = state,
                          .begin = MD5_BEGIN_BEHIND,
                          .duration = isfinite(duration) ? md5i_decimal_of(duration) : 0.0,
                          .fade = fade,
                          .easing = easing,
                          .interrupt = MD5_INTERRUPT_ANY,
                      });
    return true;
}

bool md5_player_seek(md5_player *player, uint32_t layer, uint32_t state, double time)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    if (!has_state(player, layer, state))
        return false;
    md5i_change_state(player, layer, &(md5_change){.state = state, .start = time});
    return true;
}

md5_target *md5_player_target(md5_player *player, uint32_t modifier)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    return modifier < player->machine->tables.num_modifiers ? &player->targets[modifier] : NULL;
}

md5_foot *md5_player_feet(md5_player *player, uint32_t modifier)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    const md5_machine *const machine = player->machine;
    const bool has_feet = modifier < machine->tables.num_modifiers
                          && machine->modifiers[modifier].desc.kind == MD5_MODIFIER_FEET;
    return has_feet ? player->feet + machine->modifiers[modifier].first_foot : NULL;
}

md5_gaze *md5_player_gaze(md5_player *player, uint32_t modifier)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    const md5_machine *const machine = player->machine;
    const bool has_gaze = modifier < machine->tables.num_modifiers
                          && machine->modifiers[modifier].desc.kind == MD5_MODIFIER_GAZE;
    return has_gaze ? &player->gazes[machine->modifiers[modifier].gaze] : NULL;
}

void md5_player_set_ground(md5_player *player, md5_ground_fn *ground, void *user)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    player->ground = ground;
    player->ground_user = user;
}

md5_layer_status md5_player_layer(const md5_player *player, uint32_t layer)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    const md5_machine *const machine = player->machine;
    if (layer >= machine->tables.num_layers)
        return (md5_layer_status){.from = MD5_NONE};
    const md5_play_layer *const of = &machine->layers[layer];
    md5_layer_state *const layer_state = &player->layer_states[layer];
    const md5_active_state *const active = md5_newest(layer_state);
    const double progress = md5i_progress(active);
    return (md5_layer_status){
        .state = active->state,
        .from = progress < 1.0 ? (uint32_t)active->from : MD5_NONE,
        .progress = (float)progress,
        .time = md5i_active_time(active),
        .weight = md5i_weight_of(player, &of->weight),
    };
}
