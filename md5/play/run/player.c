// Public functions of a player: creation, copying, setters and getters. Advancing, poses, saving,
// migration and one-shot clips are in other files.
//
// lay_out_player() places all memory of a player in one block.
#include "md5/core/freed.h"
#include "md5/core/math.h"
#include "md5/play/run/player_state.h"

// -- Memory layout, creation ----------------------------------------------------------------------
//
// A player and its arrays are one block. The functions of this section run twice. In the first run
// the block has no memory: all addresses are NULL, and only the size is computed. The second run
// assigns the addresses.

// A pointer to an array in the block of a player: the member that contains the pointer, and the
// size of the array.
typedef struct array_layout {
    void *pointer;
    size_t count;
    size_t size;
} array_layout;

// NOLINTNEXTLINE(bugprone-macro-parentheses): a member
#define ARRAY(owner, member, count)                        \
    {                                                      \
        &(owner)->member, (count), sizeof *(owner)->member \
    }

// Assigns memory of the block to arrays, or only adds up their sizes.
static void assign_arrays(md5_block *block, const array_layout *arrays, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *const bytes = md5i_block_alloc(block, arrays[i].count, arrays[i].size);
        memcpy(arrays[i].pointer, &bytes, sizeof bytes);
    }
}

#define ASSIGN_ARRAYS(block, arrays) assign_arrays(block, arrays, MD5_COUNT(arrays))

// Assigns addresses in the memory block of a player to the arrays of an active state. They have the
// size for the largest state of the layer, so that the state can change without an allocation.
static void lay_out_active_state(md5_block *block, const md5_play_layer *layer,
                                 md5_active_state *active)
{
    *active = (md5_active_state){.tree = NULL};
    const array_layout arrays[] = {
        ARRAY(active, instances, layer->max_instances),
        ARRAY(active, groups, layer->max_groups),
        ARRAY(active, weights, layer->max_parts),
        ARRAY(active, flows, layer->max_parts),
        ARRAY(active, active_instances, layer->max_instances),
    };
    ASSIGN_ARRAYS(block, arrays);
}

// Assigns addresses in the memory block of a player to the arrays of a layer that are only used
// while states change: the slots after the first, the frozen pose and the offsets.
static void lay_out_layer(md5_block *block, const md5_machine *machine, const md5_play_layer *layer,
                          md5_layer_state *layer_state)
{
    const array_layout slots[] = {ARRAY(layer_state, more_slots, MD5_SLOTS - 1)};
    ASSIGN_ARRAYS(block, slots);
    md5_active_state unused; // while the size is measured
    for (uint32_t k = 0; k < MD5_SLOTS - 1; k++)
        lay_out_active_state(block, layer,
                             layer_state->more_slots ? &layer_state->more_slots[k] : &unused);

    const array_layout poses[] = {
        ARRAY(layer_state, snapshot, machine->num_joints),
        ARRAY(layer_state, offsets, machine->num_joints),
        ARRAY(layer_state, velocities, machine->num_joints),
        ARRAY(layer_state, frozen_morphs, machine->num_sums),
        ARRAY(layer_state, morph_offsets, machine->num_sums),
    };
    ASSIGN_ARRAYS(block, poses);
}

// Assigns addresses in the memory block of a player to the arrays that each step and each pose
// uses. While the block is only measured, the addresses are NULL.
static void lay_out_state(md5_block *block, const md5_machine *machine, md5_player *layout)
{
    const md5_machine_desc *const tables = &machine->tables;
    const array_layout arrays[] = {
        // md5_player_copy() copies these arrays up to `consumed` in one call.
        ARRAY(layout, parameters, tables->num_parameters),
        ARRAY(layout, smoothings, tables->num_follows),
        ARRAY(layout, targets, tables->num_modifiers),
        ARRAY(layout, are_placed, tables->num_modifiers),
        ARRAY(layout, drops, tables->num_modifiers),
        ARRAY(layout, feet, machine->num_feet),
        ARRAY(layout, foot_locks, machine->num_soles),
        ARRAY(layout, gazes, machine->num_gazes),
        ARRAY(layout, springs, machine->num_springs),
        ARRAY(layout, windows, machine->num_windows),
        ARRAY(layout, consumed, tables->num_parameters),
        ARRAY(layout, layer_states, tables->num_layers),
    };
    ASSIGN_ARRAYS(block, arrays);

    if (layout->layer_states)
        memset(layout->layer_states, 0, tables->num_layers * sizeof *layout->layer_states);
    md5_active_state unused; // while the size is measured
    for (size_t i = 0; i < tables->num_layers; i++)
        lay_out_active_state(block, &machine->layers[i],
                             layout->layer_states ? &layout->layer_states[i].first : &unused);
}

// Assigns addresses in the memory block of a player to the arrays that are used only within a step
// or while a pose is computed.
static void lay_out_step_scratch(md5_block *block, const md5_machine *machine, md5_player *layout)
{
    const array_layout arrays[] = {
        ARRAY(layout, blended_weights, machine->max_parts),
        ARRAY(layout, group_clocks, machine->max_groups),
        ARRAY(layout, sync_items, machine->max_instances),
        ARRAY(layout, root_deltas, machine->has_root_motion ? machine->max_poses : 0),
    };
    ASSIGN_ARRAYS(block, arrays);
}

// Assigns addresses in the memory block of a player to the arrays that are only used for one-shot
// clips, stored poses and changes of states.
static void lay_out_rarely_used(md5_block *block, const md5_machine *machine, md5_player *layout)
{
    size_t num_instances = 0; // number of instances of one state per layer
    bool has_additive_layer = false;
    for (size_t i = 0; i < machine->tables.num_layers; i++) {
        const md5_play_layer *const layer = &machine->layers[i];
        num_instances += layer->max_instances;
        has_additive_layer = has_additive_layer || layer->mode == MD5_LAYER_ADD;
    }

    // A change of state compares two poses and needs the scratch poses of their evaluation. An
    // additive layer also needs its reference pose.
    const size_t num_spare = 2 + (size_t)has_additive_layer + machine->max_poses;
    const size_t num_cursors =
        num_instances * MD5_MAX_ACTIVE + (size_t)machine->num_slots * MD5_SLOT_ONE_SHOTS;

    const array_layout arrays[] = {
        ARRAY(layout, slots, machine->num_slots),
        ARRAY(layout, cursors, machine->has_clip_events ? num_cursors : 0),
        ARRAY(layout, stored_pose, machine->num_joints),
        ARRAY(layout, attached, machine->tables.num_attached),
        ARRAY(layout, velocities, machine->num_joints),
        ARRAY(layout, morphs, machine->num_sums),
        ARRAY(layout, spare, num_spare * machine->num_joints),
    };
    ASSIGN_ARRAYS(block, arrays);
}

// Assigns addresses in the block to a player and its arrays, or only computes the size. The data
// for each step and each pose is at the beginning, because in a crowd it must be loaded into the
// cache for each player.
static md5_player *lay_out_player(md5_block *block, const md5_machine *machine)
{
    md5_player *const player = MD5_BLOCK_ARRAY(block, md5_player, 1);
    md5_player layout = {.machine = machine};
    lay_out_state(block, machine, &layout);
    lay_out_step_scratch(block, machine, &layout);
    md5_layer_state unused = {.num_used = 0}; // while the size is measured
    for (size_t i = 0; i < machine->tables.num_layers; i++)
        lay_out_layer(block, machine, &machine->layers[i],
                      layout.layer_states ? &layout.layer_states[i] : &unused);
    lay_out_rarely_used(block, machine, &layout);
    if (player)
        *player = layout;
    return player;
}

// Creates a player at time 0, in the initial state of each layer. The layout runs twice: first to
// measure the memory block, then to assign addresses in it.
md5_player *md5_create_player(const md5_machine *machine, const md5_allocator *allocator,
                              md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(machine, MD5_TAG_MACHINE);
    if (!machine) {
        md5i_fail_missing(error, "machine");
        return NULL;
    }
    MD5_ASSERT_ALLOCATOR(allocator);

    md5_context context;
    md5i_context_begin_memory(&context, allocator ? *allocator : machine->internal.allocator,
                              error);
    md5_block block = {0};
    lay_out_player(&block, machine); // measures the size
    const size_t size = block.used;
    block = (md5_block){.base = (unsigned char *)md5i_alloc(&context, size)};
    if (!block.base)
        return NULL;
    md5_player *const player = lay_out_player(&block, machine);

    player->size = size;
    player->internal = (md5_internal){.allocator = context.allocator, .tag = MD5_TAG_PLAYER};
    for (uint32_t i = 0; i < machine->num_windows; i++) // md5_player_reset() does not clear them
        player->windows[i] = (md5_window_state){0};
    for (uint32_t i = 0; i < machine->tables.num_attached; i++)
        player->attached[i] = NULL;
    for (uint32_t i = 0; i < machine->tables.num_parameters; i++)
        player->parameters[i] = 0;

    md5_player_reset(player);
    return player;
}

void md5_destroy_player(md5_player *player)
{
    MD5_FREE(player, MD5_TAG_PLAYER);
}

// -- Copies ---------------------------------------------------------------------------------------

// Copies the poses of a layer that are in use.
void md5i_copy_layer_poses(md5_layer_state *to, const md5_layer_state *from, uint32_t num_joints)
{
    if (from->has_snapshot && from->coverage > 0)
        MD5_COPY_ARRAY(to, from, snapshot, num_joints);
    if (!from->has_offsets)
        return;
    to->root_velocity = from->root_velocity;
    to->root_offset = from->root_offset;
    MD5_COPY_ARRAY(to, from, offsets, num_joints);
    MD5_COPY_ARRAY(to, from, velocities, num_joints);
}

// Copies an active state, and the elements of its arrays that the state uses.
static void copy_active_state(md5_active_state *to, const md5_active_state *from)
{
    const md5_blend_tree *const tree = from->tree;
    memcpy(to, from, offsetof(md5_active_state, instances));
    to->num_active_instances = from->num_active_instances;
    to->first_inactive = from->first_inactive;
    if (!tree)
        return;
    MD5_COPY_ARRAY(to, from, active_instances, tree->num_instances);
    MD5_COPY_ARRAY(to, from, instances, tree->num_instances);
    MD5_COPY_ARRAY(to, from, groups, tree->num_groups);
    MD5_COPY_ARRAY(to, from, weights, tree->num_parts);
    MD5_COPY_ARRAY(to, from, flows, tree->num_parts);
}

// Copies the state of a layer between players of one machine.
static void copy_layer(const md5_machine *machine, const md5_play_layer *layer, md5_layer_state *to,
                       md5_layer_state *from)
{
    memcpy(to, from, offsetof(md5_layer_state, snapshot));
    md5i_copy_layer_poses(to, from, md5_blended_joints(machine, layer));
    if (from->has_snapshot)
        MD5_COPY_ARRAY(to, from, frozen_morphs, machine->num_sums);
    if (from->has_offsets)
        MD5_COPY_ARRAY(to, from, morph_offsets, machine->num_sums);
    for (uint32_t i = 0; i < from->num_used; i++)
        copy_active_state(md5_active_at(to, i), md5_active_at(from, i));
}

static void copy_slot(md5_one_shot_slot *to, const md5_one_shot_slot *from)
{
    to->num_one_shots = from->num_one_shots;
    md5_copy_items(to->one_shots, from->one_shots, from->num_one_shots, sizeof(md5_one_shot));
}

// Copies the state of a player to another player of the same machine, for example to simulate
// future steps.
void md5_player_copy(md5_player *to, const md5_player *from)
{
    MD5_ASSERT_PLAYER_CHANGE(to);
    MD5_ASSERT_PLAYER(from);
    MD5_ASSERT(to->machine == from->machine, "to, from: must be players of the same machine");
    const md5_machine *const machine = from->machine;
    if (to == from)
        return;
    memcpy(to, from, offsetof(md5_player, layer_states));
    if (from->detail.has_stored_pose)
        MD5_COPY_ARRAY(to, from, stored_pose, machine->num_joints);
    // The arrays from `parameters` to `consumed` are adjacent in the block: see lay_out_state().
    const size_t size = (size_t)((const char *)from->consumed - (const char *)from->parameters);
    memcpy(to->parameters, from->parameters, size);
    for (uint32_t i = 0; i < machine->tables.num_layers; i++)
        copy_layer(machine, &machine->layers[i], &to->layer_states[i], &from->layer_states[i]);
    for (uint32_t i = 0; i < machine->num_slots; i++)
        copy_slot(&to->slots[i], &from->slots[i]);
}

// Sets a parameter without smoothing. A bool or trigger becomes 0 or 1. If the value changes,
// weights must be computed again, and transitions may be possible.
void md5i_store_parameter(md5_player *player, uint32_t parameter, float value)
{
    const bool is_float = player->machine->tables.parameters[parameter].kind == MD5_PARAMETER_FLOAT;
    if (!is_float)
        value = value != 0 ? 1.0f : 0.0f;
    player->is_weighed = player->is_weighed && player->parameters[parameter] == value;
    player->is_settled = player->is_settled && player->is_weighed;
    md5i_set_value(player, parameter, value);
}

// Sets all parameters to their first values, without smoothing.
static void reset_parameters(md5_player *player)
{
    const md5_machine *const machine = player->machine;
    for (uint32_t i = 0; i < machine->tables.num_parameters; i++) {
        const uint32_t smoothing = machine->smoothing_rows[i];
        md5i_store_parameter(player, i, machine->tables.parameters[i].value);
        player->consumed[i] = 0;
        if (smoothing == MD5_NONE)
            continue;
        player->smoothings[smoothing] = (md5_parameter_smoothing){
            .goal = player->parameters[i],
            .from = player->parameters[i],
        };
    }
}

// Resets the targets and the states of modifiers. A position at infinity means no target, so the
// modifier does not change the pose.
static void reset_modifiers(md5_player *player)
{
    const md5_machine *const machine = player->machine;
    for (uint32_t i = 0; i < machine->tables.num_modifiers; i++) {
        player->targets[i] = (md5_target){
            .weight = machine->modifiers[i].desc.weight,
            .position = {INFINITY, INFINITY, INFINITY},
        };
        player->are_placed[i] = false;
        player->drops[i] = 0;
    }

    for (size_t i = 0; i < machine->num_feet; i++) {
        const md5_limb *const leg = &machine->legs[i];
        player->feet[i] = (md5_foot){
            .ankle = leg->tip,
            .has_leg = true,
            .knee = leg->middle,
            .hip = leg->root,
        };
    }

    for (size_t i = 0; i < machine->num_soles; i++)
        player->foot_locks[i] = (md5_foot_lock){0};
}

// Starts each layer in its first state.
static void reset_layers(md5_player *player)
{
    for (uint32_t i = 0; i < player->machine->tables.num_layers; i++) {
        player->layer_states[i].num_used = 0;
        player->layer_states[i].entered = MD5_NONE;
        md5i_change_state(player, i, &(md5_change){.begin = MD5_BEGIN_AFTER_START});
    }
}

// Restores the state that the player had after md5_create_player(), for example to start a level
// again.
void md5_player_reset(md5_player *player)
{
    MD5_ASSERT_PLAYER_CHANGE(player);
    reset_parameters(player);
    reset_modifiers(player);
    for (uint32_t i = 0; i < player->machine->num_slots; i++)
        player->slots[i].num_one_shots = 0;
    player->num_one_shots = 0;
    player->has_consumed = false;
    player->is_backward = false;
    player->status = (md5_advance_status){0};
    player->since_pose = 0;
    player->detail = (md5_detail_state){.mask = MD5_NONE, .interval = 1};
    player->motion = MD5_NO_DELTA;
    player->motion_since_pose = MD5_NO_DELTA;
    reset_layers(player);
    md5_player_seed(player, 0);
    player->is_weighed = true;
}

// -- Setters and getters --------------------------------------------------------------------------

// Sets a parameter of the machine, or the goal of a smoothed parameter. Returns false if the index
// is invalid or the value is not finite.
bool md5_player_set(md5_player *player, uint32_t parameter, float value)
{
    MD5_ASSERT_PLAYER_SET(player);
    if (parameter >= player->machine->tables.num_parameters || !isfinite(value))
        return false;
    if (!md5i_set_goal(player, parameter, value))
        md5i_store_parameter(player, parameter, value);
    return true;
}

// Returns the current value of a parameter, or 0 if the index is invalid. The value of a smoothed
// parameter (md5_follow_desc) is the smoothed value, not the value that was set.
float md5_player_get(const md5_player *player, uint32_t parameter)
{
    MD5_ASSERT_PLAYER(player);
    if (parameter >= player->machine->tables.num_parameters)
        return 0.0f;
    return player->parameters[parameter];
}

static bool has_state(const md5_player *player, uint32_t layer, uint32_t state)
{
    return layer < player->machine->tables.num_layers
           && state < player->machine->layers[layer].num_states;
}

// Starts a transition of a layer to a state over `duration` seconds. The machine need not contain
// such a transition. Returns false if the state does not exist.
bool md5_player_fade_to(md5_player *player, uint32_t layer, uint32_t state, float duration,
                        md5_fade fade, md5_ease_kind easing)
{
    MD5_ASSERT_PLAYER_CHANGE(player);
    MD5_ASSERT((unsigned)fade <= MD5_FADE_INERTIAL, "fade: must be a value of md5_fade");
    MD5_ASSERT((unsigned)easing <= MD5_LAST_FADE_EASING,
               "easing: must be an easing without parameters");
    if (!has_state(player, layer, state))
        return false;
    md5i_change_state(player, layer,
                      &(md5_change){
                          .state = state,
                          .begin = MD5_BEGIN_AFTER_START,
                          .duration = isfinite(duration) ? md5i_decimal_from_float(duration) : 0.0,
                          .fade = fade,
                          .easing = (uint32_t)easing,
                          .interrupt = MD5_INTERRUPT_ANY,
                      });
    return true;
}

// Changes the state of a layer immediately, and continues at the normalized time `time` of the new
// state (0 is the start of its clip, 1 its end).
bool md5_player_seek(md5_player *player, uint32_t layer, uint32_t state, double time)
{
    MD5_ASSERT_PLAYER_CHANGE(player);
    if (!has_state(player, layer, state))
        return false;
    md5i_change_state(player, layer, &(md5_change){.state = state, .start = time});
    return true;
}

md5_target *md5_player_target(md5_player *player, uint32_t modifier)
{
    MD5_ASSERT_PLAYER(player);
    return modifier < player->machine->tables.num_modifiers ? &player->targets[modifier] : NULL;
}

// Sets the joint matrices of an attached model that is not attached to a joint of the character,
// such as a partner in a handshake. Returns false if there is no such model.
bool md5_player_attach(md5_player *player, uint32_t attached, const md5_mat34 *joints)
{
    MD5_ASSERT_PLAYER_CHANGE(player);
    const md5_machine_desc *const tables = &player->machine->tables;
    if (attached >= tables->num_attached || tables->attached[attached].joint)
        return false;
    player->attached[attached] = joints;
    return true;
}

// Returns the modifier with an index if it is of this kind, otherwise NULL.
static const md5_modifier *find_modifier(const md5_player *player, uint32_t index,
                                         md5_modifier_kind kind)
{
    const md5_machine *const machine = player->machine;
    if (index >= machine->tables.num_modifiers || machine->modifiers[index].desc.kind != kind)
        return NULL;
    return &machine->modifiers[index];
}

// Returns the feet of a modifier that places feet on the ground (MD5_MODIFIER_FEET). The result is
// an array with num_feet elements, in the order of md5_modifier_desc.feet.
md5_foot *md5_player_feet(md5_player *player, uint32_t modifier)
{
    MD5_ASSERT_PLAYER(player);
    const md5_modifier *const found = find_modifier(player, modifier, MD5_MODIFIER_FEET);
    return found ? player->feet + found->first_foot : NULL;
}

// Sets the random seed of the player. The random numbers of all layers and all gazes follow from
// it.
void md5_player_seed(md5_player *player, uint64_t seed)
{
    MD5_ASSERT_PLAYER_CHANGE(player);
    const md5_machine *const machine = player->machine;
    const uint64_t begin = md5_mix_bits(seed); // similar seeds give unrelated values
    for (uint32_t i = 0; i < machine->tables.num_layers; i++)
        player->layer_states[i].random = md5_mix_bits(begin + i);
    for (uint32_t i = 0; i < machine->tables.num_modifiers; i++) {
        const md5_modifier *const modifier = &machine->modifiers[i];
        if (modifier->desc.kind == MD5_MODIFIER_GAZE)
            md5_gaze_begin(modifier->seed + begin, &player->gazes[modifier->gaze]);
    }
    player->is_settled = false;
}

// Returns the state of a modifier that makes a character look around (MD5_MODIFIER_GAZE). Returns
// NULL if the modifier has another kind or the index is invalid.
md5_gaze *md5_player_gaze(md5_player *player, uint32_t modifier)
{
    MD5_ASSERT_PLAYER(player);
    const md5_modifier *const found = find_modifier(player, modifier, MD5_MODIFIER_GAZE);
    return found ? &player->gazes[found->gaze] : NULL;
}

// Sets the ground function of a player. If `ground` is NULL, which is the initial value, the game
// writes the heights to md5_player_feet() instead. md5_player_reset() does not change the function.
void md5_player_set_ground(md5_player *player, md5_ground_fn *ground, void *user)
{
    MD5_ASSERT_PLAYER_CHANGE(player);
    player->ground = ground;
    player->ground_user = user;
}

// Returns the current state of a layer, the state from which it fades, and the progress of the
// fade. If the index is invalid, `from` is MD5_NONE and all other members are 0.
md5_layer_status md5_player_layer(const md5_player *player, uint32_t layer)
{
    MD5_ASSERT_PLAYER(player);
    const md5_machine *const machine = player->machine;
    if (layer >= machine->tables.num_layers)
        return (md5_layer_status){.from = MD5_NONE};
    const md5_active_state *const active = md5_newest(&player->layer_states[layer]);
    const double progress = md5_progress(active);
    return (md5_layer_status){
        .state = active->state,
        .from = progress < 1 ? active->from : MD5_NONE,
        .progress = (float)progress,
        .time = md5i_active_time(active),
        .weight = md5i_rule_weight(player, &machine->layers[layer].weight),
    };
}
