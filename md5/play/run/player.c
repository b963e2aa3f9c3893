// Public functions of a player: creation, copying, migration to an edited machine, setters and
// getters, level of detail, and bounds. Also computes poses of one character, of a batch, and
// between fixed steps. Advancing, saving and one-shot clips are in other files.
//
// lay_out_player() places all memory of a player in one block. A batch processes groups of
// characters together (pose_group), so that code stays in the instruction cache and matrices use
// all SIMD lanes.
#include "md5/core/freed.h"
#include "md5/core/jobs.h"
#include "md5/core/math.h"
#include "md5/play/run/player_state.h"

// -- Level of detail ------------------------------------------------------------------------------

// Sets the level of detail: the mask of the joints that are computed, and the number of calls after
// which the pose is computed again. The calls between repeat the last pose. Returns false if the
// mask does not exist.
bool md5_player_set_detail(md5_player *player, const md5_detail *detail)
{
    MD5_ASSERT_PLAYER_CHANGE(player);
    MD5_ASSERT_RESERVED(detail);
    const md5_detail full = {0};
    const md5_detail *const set = detail ? detail : &full;
    const uint32_t mask = md5i_find_mask(player->machine, set->mask);
    if (set->mask && mask == MD5_NONE)
        return false;
    const uint32_t interval = set->interval > 1 ? set->interval : 1;
    player->detail.mask = mask;
    player->detail.interval = interval;
    player->detail.phase = set->phase % interval;
    return true;
}

// Counts a request for a pose. Returns true if the pose must be computed, and false if the stored
// pose is repeated. No stored pose becomes older than the interval.
//
// Requests are counted at any level of detail. The players of a crowd therefore compute poses in
// different calls, even if the game changes the level often.
static bool begin_player_pose(md5_player *player)
{
    md5_detail_state *const state = &player->detail;
    const uint32_t call = state->num_calls++;
    if (state->interval == 1)
        return true;
    state->age++;
    if (!state->has_stored_pose || state->age >= state->interval)
        return true;
    return (call % state->interval + state->phase) % state->interval == 0;
}

// Ends the computation of a pose. Stores the pose if later calls may repeat it.
static void end_pose(md5_player *player, const md5_xform *pose)
{
    md5_detail_state *const state = &player->detail;
    player->since_pose = 0;
    player->motion_since_pose = MD5_NO_DELTA;
    state->age = 0;
    state->has_stored_pose = state->interval > 1;
    if (state->has_stored_pose && player->machine->num_joints > 0)
        memcpy(player->stored_pose, pose, player->machine->num_joints * sizeof *pose);
}

// -- Bounds of the current pose -----------------------------------------------------------------

// Returns the maximum of a weighted sum of positions between `low` and `high`, along one axis. For
// each vertex, the sum of its positive weights is between min_positive_bias and max_positive_bias.
// The sum of its negative weights is at least -max_negative_bias.
static float max_sum(const md5_machine *machine, float low, float high)
{
    const float positive_weights =
        high > 0 ? machine->max_positive_bias : machine->min_positive_bias;
    const float max_of_negative = low < 0 ? -low * machine->max_negative_bias : 0.0f;
    return high * positive_weights + max_of_negative;
}

// Extends the range of joint positions along one axis to the range of the vertices.
static void extend_to_vertices(const md5_machine *machine, float *low, float *high)
{
    const float max = max_sum(machine, *low, *high);
    const float min = -max_sum(machine, -*high, -*low);
    // The slack covers rounding errors of the positions, and of any method to compute the vertices.
    const float relative_error = 1e-5f;
    const float slack = machine->loose_distance + relative_error * (fabsf(max) + fabsf(min));
    *low = min - slack;
    *high = max + slack;
}

// Returns bounds of the character in model space: a box around all joints, extended by the
// distances of their vertices. The box contains all vertices, but is larger than necessary.
md5_bounds md5_player_bounds(const md5_player *player, const md5_mat34 *joints)
{
    MD5_ASSERT_PLAYER(player);
    MD5_ASSERT(joints != NULL || player->machine->num_joints == 0, "joints: must not be NULL");

    const md5_machine *const machine = player->machine;
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    for (uint32_t i = 0; i < machine->num_joints; i++) {
        const float reach = machine->reaches[i];
        if (reach < 0 && machine->has_vertices)
            continue;
        const float extent = reach > 0 ? reach : 0.0f;
        const md5_vec3 position = md5_mat34_translation(joints[i]);
        const md5_vec3 size = {extent, extent, extent};
        bounds = md5_bounds_union(
            bounds, (md5_bounds){md5_vec3_sub(position, size), md5_vec3_add(position, size)});
    }
    if (!machine->has_vertices)
        return bounds;

    extend_to_vertices(machine, &bounds.min.x, &bounds.max.x);
    extend_to_vertices(machine, &bounds.min.y, &bounds.max.y);
    extend_to_vertices(machine, &bounds.min.z, &bounds.max.z);
    return bounds;
}

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
    size_t num_instances = 0; // of one state per layer
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

static void copy_items(void *to, const void *from, size_t count, size_t size)
{
    if (count > 0)
        memcpy(to, from, count * size);
}

// Copies the first `count` elements of an array that both objects have.
#define COPY(to, from, member, count) \
    copy_items((to)->member, (from)->member, (count), sizeof *(to)->member)

// Copies the poses of a layer that are in use.
static void copy_poses(md5_layer_state *to, const md5_layer_state *from, uint32_t num_joints)
{
    if (from->has_snapshot && from->coverage > 0)
        COPY(to, from, snapshot, num_joints);
    if (!from->has_offsets)
        return;
    to->root_velocity = from->root_velocity;
    to->root_offset = from->root_offset;
    COPY(to, from, offsets, num_joints);
    COPY(to, from, velocities, num_joints);
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
    COPY(to, from, active_instances, tree->num_instances);
    COPY(to, from, instances, tree->num_instances);
    COPY(to, from, groups, tree->num_groups);
    COPY(to, from, weights, tree->num_parts);
    COPY(to, from, flows, tree->num_parts);
}

// Copies the state of a layer between players of one machine.
static void copy_layer(const md5_machine *machine, const md5_play_layer *layer, md5_layer_state *to,
                       md5_layer_state *from)
{
    memcpy(to, from, offsetof(md5_layer_state, snapshot));
    copy_poses(to, from, md5_blended_joints(machine, layer));
    if (from->has_snapshot)
        COPY(to, from, frozen_morphs, machine->num_sums);
    if (from->has_offsets)
        COPY(to, from, morph_offsets, machine->num_sums);
    for (uint32_t i = 0; i < from->num_used; i++)
        copy_active_state(md5_active_at(to, i), md5_active_at(from, i));
}

static void copy_slot(md5_one_shot_slot *to, const md5_one_shot_slot *from)
{
    to->num_one_shots = from->num_one_shots;
    copy_items(to->one_shots, from->one_shots, from->num_one_shots, sizeof(md5_one_shot));
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
        COPY(to, from, stored_pose, machine->num_joints);
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
static void store_parameter(md5_player *player, uint32_t parameter, float value)
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
        store_parameter(player, i, machine->tables.parameters[i].value);
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

// -- Migration to another machine -----------------------------------------------------------------
//
// Migration copies the state of all parts (layers, states, parameters and so on) that have the same
// names in both machines.

// Returns true if two skeletons have the same joint names and parents, in the same order.
static bool have_same_joints(const md5_skeleton *a, const md5_skeleton *b)
{
    if (a->num_joints != b->num_joints)
        return false;
    for (uint32_t i = 0; i < a->num_joints; i++) {
        if (a->joints[i].parent != b->joints[i].parent)
            return false;
        if (strcmp(a->joints[i].name, b->joints[i].name) != 0)
            return false;
    }
    return true;
}

// Finds a state of an old layer by its name in a layer of the new machine. Returns MD5_NONE if it
// does not exist.
static uint32_t find_adopted_state(const md5_machine *machine, uint32_t layer,
                                   const md5_layer_desc *old_layer, uint32_t old_state)
{
    if (old_state == MD5_NONE)
        return MD5_NONE;
    return md5_find_state(machine, layer, old_layer->states[old_state].name);
}

// Finds a mask of the previous machine by its name in the edited machine. Returns MD5_NONE if it
// does not exist.
static uint32_t find_adopted_mask(const md5_machine *machine, const md5_machine *old_machine,
                                  uint32_t mask)
{
    if (mask == MD5_NONE)
        return MD5_NONE;
    return md5i_find_mask(machine, old_machine->tables.masks[mask].name);
}

// A layer of a player, and the layer of the old player whose state it adopts.
typedef struct layer_migration {
    md5_player *player;
    uint32_t layer;
    md5_player *old_player;
    uint32_t old_layer;
} layer_migration;

static const md5_play_layer *get_new_layer(const layer_migration *job)
{
    return &job->player->machine->layers[job->layer];
}

static const md5_play_layer *get_old_layer(const layer_migration *job)
{
    return &job->old_player->machine->layers[job->old_layer];
}

static uint32_t find_new_state(const layer_migration *job, uint32_t old_state)
{
    return find_adopted_state(job->player->machine, job->layer,
                              &job->old_player->machine->tables.layers[job->old_layer], old_state);
}

// Returns the same easing in a machine, or a linear easing if the machine does not have it.
static const md5_easing *find_easing(const md5_machine *machine, const md5_easing *easing)
{
    for (size_t k = 0; k < machine->num_easings; k++) {
        if (memcmp(&machine->easings[k], easing, sizeof *easing) == 0)
            return &machine->easings[k];
    }
    return machine->easings; // the first easing is linear
}

// Copies an active state of the old layer to a new active state. `state` is its index in the new
// machine.
static void adopt_active_state(const layer_migration *job, uint32_t state,
                               const md5_active_state *old_active)
{
    md5_player *const player = job->player;
    md5_layer_state *const to = &player->layer_states[job->layer];
    md5_active_state *const active = md5_slot(to, to->num_used);
    to->order[to->num_used] = to->num_used;
    to->num_used++;
    md5i_begin_state(player, get_new_layer(job), active, &(md5_change){.state = state});

    // Replace the values of a new state by the values of the old state.
    memcpy(active, old_active, offsetof(md5_active_state, instances));
    active->state = state;
    active->tree = get_new_layer(job)->states[state].tree;
    active->from = find_new_state(job, old_active->from);
    if (get_old_layer(job)->has_steps)
        active->leader = find_new_state(job, old_active->leader);
    active->easing = find_easing(player->machine, old_active->easing);

    if (active->tree && old_active->tree)
        md5i_copy_clocks(player, active, job->old_player, old_active);
}

// Starts a layer whose active states do not exist in the new machine. The layer starts in the state
// that a transition was leaving, otherwise in its first state.
static void restart_layer(const layer_migration *job, md5_layer_state *from)
{
    const md5_active_state *const newest = md5_newest(from);
    const bool is_in_transition = md5_progress(newest) < 1;
    const uint32_t left = find_new_state(job, is_in_transition ? newest->from : MD5_NONE);
    const md5_change change = {.state = left == MD5_NONE ? 0 : left,
                               .begin = MD5_BEGIN_AFTER_START};
    md5i_change_state(job->player, job->layer, &change);
}

// Returns true if poses of a layer, which are arrays of joints, have the same meaning in both
// machines: the layers have the same mode and change the same number of joints of one skeleton.
// `has_joints` is true if both models have the same joints.
static bool can_adopt_poses(const layer_migration *job, bool has_joints)
{
    const md5_play_layer *const layer = get_new_layer(job);
    const md5_play_layer *const old_layer = get_old_layer(job);
    const bool has_same_mode = layer->mode == old_layer->mode;
    const bool has_same_joints = has_joints && layer->joints.count == old_layer->joints.count;
    return has_same_mode && has_same_joints;
}

// Copies the values of a layer except for its states, poses and sums: flags, times and random
// numbers. Values that depend on the machine are adapted.
static void adopt_layer_values(const layer_migration *job, bool has_poses)
{
    const md5_machine *const machine = job->player->machine;
    const md5_machine *const old_machine = job->old_player->machine;
    md5_layer_state *const to = &job->player->layer_states[job->layer];
    const md5_layer_state *const from = &job->old_player->layer_states[job->old_layer];
    memcpy(to, from, offsetof(md5_layer_state, snapshot));

    // Test all transitions again, because the new machine may have other transitions. A layer may
    // only continue to rest if the machines are equal.
    to->causes = MD5_ALL_CAUSES;
    to->is_resting = from->is_resting && machine->fingerprint == old_machine->fingerprint;
    to->entered = find_new_state(job, from->entered);
    to->has_snapshot = to->has_snapshot && has_poses;
    to->has_offsets = to->has_offsets && has_poses;
}

// Copies the active states that exist in the new machine, in the order of the chain. If none
// exists, restarts the layer.
static void adopt_active_states(const layer_migration *job)
{
    md5_layer_state *const to = &job->player->layer_states[job->layer];
    md5_layer_state *const from = &job->old_player->layer_states[job->old_layer];
    to->num_used = 0; // adopt_active_state() increases it
    for (uint32_t i = 0; i < from->num_used; i++) {
        const md5_active_state *const old_active = md5_active_at(from, i);
        const uint32_t state = find_new_state(job, old_active->state);
        if (state != MD5_NONE)
            adopt_active_state(job, state, old_active);
    }
    if (to->num_used == 0)
        restart_layer(job, from);
}

// Continues a layer of the old player in the new player. States are matched by name. If the pose of
// the layer is not the same as before, an inertial transition begins. `has_joints` is true if both
// models have the same joints.
static void adopt_layer(const layer_migration *job, bool has_joints)
{
    md5_player *const player = job->player;
    md5_player *const old_player = job->old_player;
    md5_layer_state *const to = &player->layer_states[job->layer];
    md5_layer_state *const from = &old_player->layer_states[job->old_layer];
    const bool has_poses = can_adopt_poses(job, has_joints);
    adopt_layer_values(job, has_poses);
    adopt_active_states(job);

    // If the newest state was not copied, another state is now the newest, and its entry was not
    // reported yet.
    to->is_entered = to->is_entered && to->entered == md5_newest(to)->state;

    if (has_poses)
        copy_poses(to, from, md5_blended_joints(player->machine, get_new_layer(job)));
    if (to->has_snapshot)
        md5i_copy_sums(player, old_player, from->frozen_morphs, to->frozen_morphs);
    if (to->has_offsets)
        md5i_copy_sums(player, old_player, from->morph_offsets, to->morph_offsets);
    if (has_poses)
        md5i_continue_layer(player, job->layer, old_player, job->old_layer);
}

// Returns true if two modifiers move the same joints.
static bool have_same_legs(const md5_machine *machine_a, const md5_modifier *a,
                           const md5_machine *machine_b, const md5_modifier *b)
{
    if (a->joint != b->joint || a->desc.length != b->desc.length)
        return false;
    if (a->desc.num_feet != b->desc.num_feet || a->num_locked_feet != b->num_locked_feet)
        return false;
    for (uint32_t i = 0; i < a->desc.num_feet; i++) {
        const md5_limb *const leg_a = &machine_a->legs[a->first_foot + i];
        const md5_limb *const leg_b = &machine_b->legs[b->first_foot + i];
        if (memcmp(leg_a, leg_b, sizeof(md5_limb)) != 0)
            return false;
    }
    return true;
}

// Copies the state of a modifier of the old player to modifier `index` of the new player. Springs
// and feet are copied only if they move the same joints; otherwise they start again. `has_joints`
// is true if both models have the same joints.
static void adopt_modifier(md5_player *player, uint32_t index, const md5_player *old_player,
                           uint32_t old_index, bool has_joints)
{
    const md5_modifier *const to = &player->machine->modifiers[index];
    const md5_modifier *const from = &old_player->machine->modifiers[old_index];
    player->targets[index] = old_player->targets[old_index];
    if (to->desc.kind == MD5_MODIFIER_GAZE)
        player->gazes[to->gaze] = old_player->gazes[from->gaze];
    const bool moves_same_joints =
        has_joints && have_same_legs(player->machine, to, old_player->machine, from);
    if (!moves_same_joints)
        return;

    player->are_placed[index] = old_player->are_placed[old_index];
    player->drops[index] = old_player->drops[old_index];
    if (to->desc.kind == MD5_MODIFIER_SPRING)
        copy_items(player->springs + to->first_spring, old_player->springs + from->first_spring,
                   to->desc.length, sizeof *player->springs);
    copy_items(player->feet + to->first_foot, old_player->feet + from->first_foot,
               to->desc.num_feet, sizeof *player->feet);
    copy_items(player->foot_locks + to->first_sole, old_player->foot_locks + from->first_sole,
               to->num_locked_feet, sizeof *player->foot_locks);
}

// Finds the sections of a one-shot clip in the new machine. The clip was `old_source` in the old
// machine.
static void adopt_sections(const md5_machine *machine, const md5_machine *old_machine,
                           uint32_t old_source, md5_one_shot *one_shot)
{
    const md5_section *const sections = old_machine->tables.clips[old_source].sections;
    const uint32_t source = one_shot->source;
    if (one_shot->section != MD5_NONE)
        one_shot->section = md5i_find_section(machine, source, sections[one_shot->section].name);
    if (one_shot->next != MD5_NONE)
        one_shot->next = md5i_find_section(machine, source, sections[one_shot->next].name);
}

// Returns the number of layers over which a one-shot clip of another machine is played. These are
// the layers up to the layer with the same name. If that layer does not exist, or the clip was
// played over all layers, these are all layers.
static uint32_t find_adopted_num_below(const md5_machine *machine, const md5_machine *old_machine,
                                       uint32_t old_num_below)
{
    const md5_machine_desc *const old_tables = &old_machine->tables;
    if (old_num_below == old_tables->num_layers)
        return machine->tables.num_layers;
    const char *const name = old_tables->layers[old_num_below - 1].name;
    const uint32_t layer = md5_find_layer(machine, name);
    return layer == MD5_NONE ? machine->tables.num_layers : layer + 1;
}

// Returns the rate of a one-shot clip of the old machine in the new machine, cycles per second. If
// the duration of the clip has changed, the rate changes so that the playback speed remains.
static double adopt_rate(const md5_machine *machine, const md5_one_shot *one_shot,
                         const md5_machine *old_machine, const md5_one_shot *old_one_shot)
{
    const double old_duration =
        md5i_timing_duration(md5_one_shot_timing(old_machine, old_one_shot));
    const double duration = md5i_timing_duration(md5_one_shot_timing(machine, one_shot));
    const double rate = old_one_shot->rate * (old_duration / duration);
    return fmin(fmax(rate, -MD5_MAX_ONE_SHOT_RATE), MD5_MAX_ONE_SHOT_RATE);
}

// Converts a one-shot clip to another machine, matching its clip, reference pose and mask by name.
// Returns false if one of them does not exist there.
static bool adopt_one_shot(const md5_machine *machine, const md5_machine *old_machine,
                           md5_one_shot *one_shot)
{
    const md5_machine_desc *const old_tables = &old_machine->tables;
    const md5_one_shot old_one_shot = *one_shot;
    one_shot->source = md5_find_clip(machine, old_tables->clips[old_one_shot.source].name);
    one_shot->reference = md5_find_clip(machine, old_tables->clips[old_one_shot.reference].name);
    one_shot->mask = find_adopted_mask(machine, old_machine, old_one_shot.mask);
    one_shot->num_below = find_adopted_num_below(machine, old_machine, old_one_shot.num_below);

    if (one_shot->source == MD5_NONE || one_shot->reference == MD5_NONE)
        return false;
    const bool has_lost_mask = old_one_shot.mask != MD5_NONE && one_shot->mask == MD5_NONE;
    if (has_lost_mask)
        return false;
    const md5_source *const reference = &machine->sources[one_shot->reference];
    if (old_one_shot.reference_frame >= reference->binding->anim->num_frames)
        return false;

    adopt_sections(machine, old_machine, old_one_shot.source, one_shot);
    if (old_one_shot.desc_index != MD5_NONE)
        one_shot->desc_index =
            md5_find_one_shot(machine, old_tables->one_shots[old_one_shot.desc_index].name);
    one_shot->rate = adopt_rate(machine, one_shot, old_machine, &old_one_shot);
    return true;
}

// A migration from one player to another, and the callback that reports parts of the old machine
// that do not exist in the new machine.
typedef struct migration {
    md5_player *to;
    const md5_player *from;
    bool has_joints; // both models have the same joints
    md5_lost_fn *lost;
    void *user;
} migration;

// Reports a missing part if `found` is MD5_NONE. Returns `found`.
static uint32_t report_missing(const migration *job, uint32_t found, const char *kind,
                               const char *name)
{
    if (found == MD5_NONE && job->lost)
        job->lost(job->user, kind, name);
    return found;
}

// Returns the index of a named part of the new machine, such as a layer or a slot, that `find`
// searches. Reports the part if it is missing, and returns MD5_NONE.
static uint32_t find_part(const migration *job,
                          uint32_t (*find)(const md5_machine *machine, const char *name),
                          const char *kind, const char *name)
{
    return report_missing(job, find(job->to->machine, name), kind, name);
}

// Returns true if the state of a window of the old machine was copied to a window of the player.
static bool is_window_adopted(const md5_player *player, uint32_t old_window)
{
    for (uint32_t k = 0; k < player->machine->num_windows; k++) {
        if (player->windows[k].adopted == old_window + 1)
            return true;
    }
    return false;
}

// The windows to which the state of an old window may be copied.
typedef enum window_match { SAME_FRAMES, ANY_FRAMES } window_match;

// Returns the index of a window of the clip `clip` that has the same name as a window of the old
// machine. Skips windows to which a state was already copied. Returns MD5_NONE if there is no such
// window.
static uint32_t find_unused_window(const md5_player *player, const md5_machine_window *old_window,
                                   uint32_t clip, window_match match)
{
    for (uint32_t k = 0; k < player->machine->num_windows; k++) {
        const md5_machine_window *const window = &player->machine->windows[k];
        const bool is_used = player->windows[k].adopted != 0;
        if (is_used || window->begin.index != clip)
            continue;
        if (strcmp(window->name, old_window->name) != 0)
            continue;
        const bool has_same_frames = window->begin.frame == old_window->begin.frame
                                     && window->end.frame == old_window->end.frame;
        if (has_same_frames || match == ANY_FRAMES)
            return k;
    }
    return MD5_NONE;
}

// Copies the state of the windows of an old player that are not copied yet.
static void adopt_remaining_windows(md5_player *to, const md5_player *from, window_match match)
{
    const md5_machine *const machine = to->machine;
    const md5_machine *const old_machine = from->machine;
    for (uint32_t i = 0; i < old_machine->num_windows; i++) {
        if (is_window_adopted(to, i))
            continue;
        const md5_machine_window *const old_window = &old_machine->windows[i];
        const char *const clip_name = old_machine->tables.clips[old_window->begin.index].name;
        const uint32_t clip = md5_find_clip(machine, clip_name);
        const uint32_t found = find_unused_window(to, old_window, clip, match);
        if (found == MD5_NONE)
            continue;
        to->windows[found] = (md5_window_state){
            .weight = from->windows[i].weight,
            .adopted = i + 1,
        };
    }
}

// Copies the state of windows, so that open windows remain open. A clip may have several windows
// with one name: windows with equal frames are matched first. The remaining windows
// of that name are then matched in order.
static void adopt_windows(md5_player *to, const md5_player *from)
{
    for (uint32_t i = 0; i < to->machine->num_windows; i++)
        to->windows[i] = (md5_window_state){0};
    adopt_remaining_windows(to, from, SAME_FRAMES);
    adopt_remaining_windows(to, from, ANY_FRAMES);
}

// Returns true if two rules of smoothing are equal, except for the names of their parameters.
static bool is_same_smoothing(const md5_follow_desc *a, const md5_follow_desc *b)
{
    const size_t begin = offsetof(md5_follow_desc, kind);
    const size_t end = offsetof(md5_follow_desc, reserved);
    return memcmp(&a->kind, &b->kind, end - begin) == 0;
}

// Copies the value of parameter `old` to parameter `parameter` of the new player. A smoothed
// parameter continues; if its rule has changed, it starts again at its current value.
static void migrate_parameter(const migration *job, uint32_t parameter, uint32_t old)
{
    md5_player *const to = job->to;
    const md5_player *const from = job->from;
    const float value = from->parameters[old];
    const uint32_t index = to->machine->smoothing_rows[parameter];
    const uint32_t old_index = from->machine->smoothing_rows[old];
    const bool was_smoothed = old_index != MD5_NONE;
    const float goal = was_smoothed ? from->smoothings[old_index].goal : value;
    if (index == MD5_NONE) {
        store_parameter(to, parameter, goal);
        return;
    }

    store_parameter(to, parameter, value);
    to->smoothings[index] = (md5_parameter_smoothing){.goal = goal, .from = value};
    if (was_smoothed
        && is_same_smoothing(&to->machine->tables.follows[index],
                             &from->machine->tables.follows[old_index]))
        to->smoothings[index] = from->smoothings[old_index];
}

// Copies the values of the parameters that exist in both machines, and reports missing parameters.
static void migrate_parameters(const migration *job)
{
    const md5_machine_desc *const tables = &job->from->machine->tables;
    for (uint32_t i = 0; i < tables->num_parameters; i++) {
        const uint32_t found =
            find_part(job, md5_find_parameter, "parameter", tables->parameters[i].name);
        if (found != MD5_NONE)
            migrate_parameter(job, found, i);
    }
}

// Copies the one-shot clips of a slot to an empty slot of the new player.
static void migrate_slot(const migration *job, const md5_one_shot_slot *old_slot,
                         md5_one_shot_slot *slot)
{
    for (uint32_t k = 0; k < old_slot->num_one_shots; k++) {
        md5_one_shot *const one_shot = &slot->one_shots[slot->num_one_shots];
        *one_shot = old_slot->one_shots[k];
        if (adopt_one_shot(job->to->machine, job->from->machine, one_shot))
            slot->num_one_shots++;
    }
    job->to->num_one_shots += slot->num_one_shots;
}

// Copies the one-shot clips. Slots with names precede slots without names, and are found by
// name. A slot without a name is copied to the slot with the same index, if that slot is empty.
static void migrate_slots(const migration *job)
{
    md5_player *const to = job->to;
    const md5_machine *const old_machine = job->from->machine;
    const md5_machine_desc *const tables = &old_machine->tables;
    to->num_one_shots = 0;
    for (uint32_t i = 0; i < old_machine->num_slots; i++) {
        const bool has_name = i < tables->num_slots;
        uint32_t found = i;
        if (has_name)
            found = find_part(job, md5_find_slot, "slot", tables->slots[i].name);
        if (found < to->machine->num_slots && to->slots[found].num_one_shots == 0)
            migrate_slot(job, &job->from->slots[i], &to->slots[found]);
    }
}

// Copies the layers that exist in both machines, and reports missing layers and states.
static void migrate_layers(const migration *job, md5_player *old_player)
{
    const md5_machine_desc *const tables = &job->from->machine->tables;
    for (uint32_t i = 0; i < tables->num_layers; i++) {
        const md5_layer_desc *const layer = &tables->layers[i];
        const uint32_t found = find_part(job, md5_find_layer, "layer", layer->name);
        if (found == MD5_NONE)
            continue;
        for (uint32_t k = 0; k < layer->num_states; k++) {
            const uint32_t state = find_adopted_state(job->to->machine, found, layer, k);
            (void)report_missing(job, state, "state", layer->states[k].name);
        }
        const layer_migration adopted = {
            .player = job->to,
            .layer = found,
            .old_player = old_player,
            .old_layer = i,
        };
        adopt_layer(&adopted, job->has_joints);
    }
}

// Copies the states of the modifiers that exist in both machines and have the same kind. Reports
// missing modifiers.
static void migrate_modifiers(const migration *job)
{
    const md5_machine_desc *const tables = &job->from->machine->tables;
    for (uint32_t i = 0; i < tables->num_modifiers; i++) {
        const md5_modifier_desc *const modifier = &tables->modifiers[i];
        const uint32_t found = find_part(job, md5_find_modifier, "modifier", modifier->name);
        if (found != MD5_NONE && job->to->machine->modifiers[found].desc.kind == modifier->kind)
            adopt_modifier(job->to, found, job->from, i, job->has_joints);
    }
}

// Reports the clips and masks of the old machine that do not exist in the new machine. They have no
// state that could be copied.
static void report_missing_clips_and_masks(const migration *job)
{
    const md5_machine_desc *const tables = &job->from->machine->tables;
    for (uint32_t i = 0; i < tables->num_clips; i++)
        (void)find_part(job, md5_find_clip, "clip", tables->clips[i].name);
    for (uint32_t i = 0; i < tables->num_masks; i++)
        (void)find_part(job, md5i_find_mask, "mask", tables->masks[i].name);
}

// Reports the windows and curves of the old machine that do not exist in the new machine. Several
// rows of their tables may have the same name, which is reported only once.
static void report_missing_windows_and_curves(const migration *job)
{
    const md5_machine *const old_machine = job->from->machine;
    for (uint32_t i = 0; i < old_machine->num_windows; i++) {
        const bool is_first = old_machine->windows[i].window == i;
        if (is_first)
            (void)find_part(job, md5_find_window, "window", old_machine->windows[i].name);
    }
    for (uint32_t i = 0; i < old_machine->num_curves; i++) {
        const bool is_first = md5_find_curve(old_machine, old_machine->curves[i].name) == i;
        if (is_first)
            (void)find_part(job, md5_find_curve, "curve", old_machine->curves[i].name);
    }
}

// Returns a copy of a player with weights that are up to date. The copy shares the arrays of the
// player: md5i_update_weights() only changes values that are derived from others.
static md5_player copy_with_weights(const md5_player *player)
{
    md5_player copy = *player;
    copy.is_weighed = true;
    copy.has_moved = true;
    md5i_update_weights(&copy);
    return copy;
}

// Copies the values of a player that belong to no named row of the machine: times, flags, the level
// of detail and, if both models have the same joints, the stored pose. The mask of the level of
// detail is found by its name.
static void migrate_values(const migration *job)
{
    md5_player *const to = job->to;
    const md5_player *const from = job->from;
    const md5_machine *const machine = to->machine;
    memcpy(to, from, offsetof(md5_player, layer_states));
    to->machine = machine;
    to->detail.mask = find_adopted_mask(machine, from->machine, from->detail.mask);
    to->detail.has_stored_pose = from->detail.has_stored_pose && job->has_joints;
    if (to->detail.has_stored_pose)
        COPY(to, from, stored_pose, machine->num_joints);
}

// Transfers the state of a player to a player of an edited version of its machine, matching
// everything by name. Calls `lost` for each part of the state that the new machine does not have.
void md5_player_migrate(md5_player *to, const md5_player *from, md5_lost_fn *lost, void *user)
{
    MD5_ASSERT_PLAYER_CHANGE(to);
    MD5_ASSERT_PLAYER(from);
    MD5_ASSERT(to != from, "to, from: must be two different players");
    const md5_machine *const machine = to->machine;
    const md5_machine *const old_machine = from->machine;
    const migration job = {
        .to = to,
        .from = from,
        .has_joints = have_same_joints(&machine->model->skeleton, &old_machine->model->skeleton),
        .lost = lost,
        .user = user,
    };
    md5_player old_player = copy_with_weights(from);
    md5_player_reset(to);
    md5_mark_callback(&to->internal, MD5_CALLBACK);
    migrate_values(&job);

    // Copy everything that has a name, and report what the new machine does not have.
    (void)report_missing(&job, job.has_joints ? 0 : MD5_NONE, "model", old_machine->tables.name);
    report_missing_clips_and_masks(&job);
    migrate_parameters(&job);
    migrate_modifiers(&job);
    migrate_slots(&job);
    migrate_layers(&job, &old_player);
    report_missing_windows_and_curves(&job);
    adopt_windows(to, from);

    // The functions above have marked the player as changed.
    to->is_weighed = from->is_weighed;
    to->has_new = true; // possibly without a new state, which only costs time
    to->has_consumed = false;
    to->is_settled = from->is_settled && machine->fingerprint == old_machine->fingerprint;
    md5_mark_callback(&to->internal, MD5_NO_CALLBACK);
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
        store_parameter(player, parameter, value);
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

// == Poses ======================================================================================

// Poses are aligned to cache lines. A transform in two cache lines costs twice as much.
enum { CACHE_LINE = 64 };

// Returns the first address in the scratch memory at which a cache line begins, so that poses are
// aligned.
static md5_xform *align_to_cache_line(void *scratch)
{
    const uintptr_t misplaced = (uintptr_t)scratch % CACHE_LINE;
    unsigned char *const bytes = (unsigned char *)scratch;
    return (md5_xform *)(void *)(bytes + (misplaced > 0 ? CACHE_LINE - misplaced : 0));
}

// Returns the size of the scratch memory for md5_player_pose(), in bytes.
size_t md5_player_pose_scratch(const md5_machine *machine)
{
    MD5_ASSERT_ALIVE(machine, MD5_TAG_MACHINE);
    // One pose for a layer, one for the second of two blended states, one for a state whose
    // difference is computed, and the scratch poses of a state: max_poses - 1. One-shot clips need
    // three poses.
    const size_t num_spare = 2 + (machine->max_poses > 0 ? machine->max_poses : 1);
    return num_spare * machine->num_joints * sizeof(md5_xform) + CACHE_LINE;
}

// Computes the requested matrices. If `joints` is NULL but needed, uses `spare`, which has more
// than two poses, for them.
static void compute_matrices(const md5_machine *machine, const md5_xform *pose, md5_xform *spare,
                             md5_mat34 *joints, md5_mat34 *palette)
{
    if (palette)
        md5_local_to_palette(machine->model, pose, joints ? joints : (md5_mat34 *)spare, palette);
    else if (joints)
        md5_local_to_model(&machine->model->skeleton, pose, joints);
}

// Computes the pose of the layers, without modifiers. If `is_computed` is false, copies the stored
// pose instead.
static void compute_or_load_pose(md5_player *player, bool is_computed, md5_xform *spare,
                                 md5_xform *pose)
{
    if (!is_computed) {
        copy_items(pose, player->stored_pose, player->machine->num_joints, sizeof *pose);
        return;
    }
    md5i_update_weights(player);
    md5i_blend_layers(player, spare, pose);
}

// Computes the pose of a character at the current time, then its matrices: blends the layers,
// applies the modifiers, and composes the joints. If the level of detail skips this pose, repeats
// the previous pose and returns false.
bool md5_player_pose(md5_player *player, md5_xform *pose, md5_mat34 *joints, md5_mat34 *palette,
                     void *scratch)
{
    MD5_ASSERT_PLAYER_CHANGE(player);
    MD5_VALIDATE_CLIPS(player);
    MD5_ASSERT_NOT_NULL(scratch);
    MD5_ASSERT(pose != NULL || player->machine->num_joints == 0, "pose: must not be NULL");
    MD5_ASSERT_DISJOINT(joints, player->machine->num_joints, palette, player->machine->num_joints);
    md5_xform *const spare = align_to_cache_line(scratch);
    const bool is_computed = begin_player_pose(player);
    compute_or_load_pose(player, is_computed, spare, pose);
    if (is_computed) {
        md5i_apply_modifiers(player, pose);
        end_pose(player, pose);
    }
    compute_matrices(player->machine, pose, spare, joints, palette);
    return is_computed;
}

// Number of characters that a batch processes together, in four passes: advance, blend, modifiers,
// matrices. The code of each pass fits into the instruction cache. The group fills all lanes of a
// SIMD register, because no instruction set has more lanes.
enum { GROUP_SIZE = MD5_MAX_HOOKED };

// Returns the number of joints of a pose, rounded up so that the next pose is aligned.
static size_t round_to_cache_line(size_t num_joints)
{
    const size_t in_line = CACHE_LINE / sizeof(md5_xform);
    return (num_joints + in_line - 1) / in_line * in_line;
}

static size_t larger_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

// Returns the scratch size of one worker: the poses of a group, then the larger of the scratch
// memory of one character and the matrices of a group.
static size_t scratch_size(const md5_play_job *jobs, size_t count)
{
    if (count == 0)
        return 0;
    size_t max_joints = 0;
    size_t max_pose_scratch = 0;
    for (size_t i = 0; i < count; i++) {
        const md5_machine *const machine = jobs[i].player->machine;
        max_joints = larger_size(max_joints, machine->num_joints);
        max_pose_scratch = larger_size(max_pose_scratch, md5_player_pose_scratch(machine));
    }
    const size_t poses_size = GROUP_SIZE * round_to_cache_line(max_joints) * sizeof(md5_xform);
    const size_t matrices_size = GROUP_SIZE * max_joints * sizeof(md5_mat34) + CACHE_LINE;
    return poses_size + larger_size(max_pose_scratch, matrices_size);
}

// Returns the size of the scratch memory for md5_play_batch() with these threads, in bytes.
size_t md5_play_batch_scratch(const md5_play_job *jobs, size_t count, const md5_threads *threads)
{
    MD5_ASSERT(jobs != NULL || count == 0, "jobs: must not be NULL");
    if (MD5_HAS_ASSERTS) {
        for (size_t i = 0; i < count; i++)
            MD5_ASSERT_PLAYER(jobs[i].player);
    }
    return md5i_batch_scratch_size(threads, scratch_size(jobs, count));
}

// Jobs that are processed together. The distance between their poses is `step` transforms.
typedef struct job_group {
    md5_play_job *jobs[GROUP_SIZE];
    size_t count;
    size_t step;
    md5_xform *poses;
    md5_xform *spare;
} job_group;

// Returns the number of characters that the SIMD kernel of the machine's clips processes at the
// same time, or 1 for a machine without clips, which has no kernel.
static size_t num_lanes(const md5_machine *machine)
{
    if (machine->tables.num_clips == 0)
        return 1;
    return machine->sources[0].binding->internal.plan->kernels->width;
}

// Returns true if jobs fill more than half of the lanes and all request palettes of the same model.
static bool can_share_kernels(md5_play_job *const *jobs, size_t count, size_t width)
{
    const md5_machine *const machine = jobs[0]->player->machine;
    if (width <= 1 || 2 * count <= width)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!jobs[i]->palette || jobs[i]->player->machine->model != machine->model)
            return false;
    }
    return true;
}

// Computes joint matrices and palettes of several characters from their poses, one character in
// each SIMD lane. Unused lanes repeat the work of the first character; the poses have space for all
// lanes.
static void compute_group_matrices(const job_group *group, size_t begin, size_t count)
{
    md5_play_job *const *const jobs = group->jobs + begin;
    md5_xform *const poses = group->poses + begin * group->step;
    const md5_machine *const machine = jobs[0]->player->machine;
    const md5_binding *const binding = machine->sources[0].binding;
    const size_t width = num_lanes(machine);

    md5_pose_job lane_jobs[GROUP_SIZE];
    const md5_pose_job *lanes[GROUP_SIZE];
    for (size_t i = 0; i < width; i++) {
        const bool is_unused = i >= count;
        if (is_unused) {
            lanes[i] = &lane_jobs[0];
            memcpy(poses + i * group->step, poses, machine->num_joints * sizeof *poses);
            continue;
        }
        lanes[i] = &lane_jobs[i];
        lane_jobs[i] = (md5_pose_job){
            .binding = binding,
            .palette = jobs[i]->palette,
            .joints = jobs[i]->joints,
        };
    }
    binding->internal.plan->kernels->finish_crowd(lanes, poses, group->step, (float *)group->spare);
}

// Calls the hook of jobs[count], which have the same hook.
static void call_hook(const md5_play_job *jobs, uint32_t count, md5_xform *const *poses)
{
    for (uint32_t i = 0; i < count; i++)
        md5_mark_callback(&jobs[i].player->internal, MD5_SETTING_CALLBACK);
    jobs->hook(jobs->hook_user, jobs, count, poses);
    for (uint32_t i = 0; i < count; i++)
        md5_mark_callback(&jobs[i].player->internal, MD5_NO_CALLBACK);
}

// Returns the end of the adjacent jobs in a group with the same hook as job `begin`.
static size_t find_hook_end(const job_group *group, size_t begin)
{
    const md5_play_job *const first = group->jobs[begin];
    size_t end = begin;
    while (end < group->count) {
        const md5_play_job *const job = group->jobs[end];
        const bool is_adjacent = job == first + (end - begin);
        if (!is_adjacent || job->hook != first->hook || job->hook_user != first->hook_user)
            break;
        end++;
    }
    return end;
}

// Calls the hooks of a group. Adjacent jobs with the same hook are passed in one call.
static void call_hooks(const job_group *group)
{
    md5_xform *poses[GROUP_SIZE];
    size_t begin = 0;
    while (begin < group->count) {
        const size_t end = find_hook_end(group, begin);
        for (size_t i = begin; i < end; i++)
            poses[i - begin] = group->poses + i * group->step;
        if (group->jobs[begin]->hook)
            call_hook(group->jobs[begin], (uint32_t)(end - begin), poses);
        begin = end;
    }
}

// Computes or loads the poses of a group, and applies modifiers to computed poses.
static void compute_group_poses(const job_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        const md5_play_job *const job = group->jobs[i];
        compute_or_load_pose(job->player, job->is_computed, group->spare,
                             group->poses + i * group->step);
    }
    for (size_t i = 0; i < group->count; i++) {
        md5_player *const player = group->jobs[i]->player;
        md5_xform *const pose = group->poses + i * group->step;
        if (!group->jobs[i]->is_computed)
            continue;
        md5i_apply_modifiers(player, pose);
        end_pose(player, pose);
    }
}

// Computes the matrices of a group of jobs. Computes several characters at the same time with SIMD
// if they can share the kernels, and one character after the other if they cannot.
static void compute_all_matrices(const job_group *group)
{
    const size_t width = num_lanes(group->jobs[0]->player->machine);
    for (size_t begin = 0; begin < group->count; begin += width) {
        const size_t remaining = group->count - begin;
        const size_t count = remaining < width ? remaining : width;
        if (can_share_kernels(group->jobs + begin, count, width)) {
            compute_group_matrices(group, begin, count);
            continue;
        }
        for (size_t i = begin; i < begin + count; i++) {
            const md5_play_job *const job = group->jobs[i];
            compute_matrices(job->player->machine, group->poses + i * group->step, group->spare,
                             job->joints, job->palette);
        }
    }
}

// Computes the poses and matrices of the jobs in a group, and empties the group.
static void pose_group(job_group *group)
{
    size_t max_joints = 0;
    for (size_t i = 0; i < group->count; i++)
        max_joints = larger_size(max_joints, group->jobs[i]->player->machine->num_joints);
    group->step = round_to_cache_line(max_joints);
    group->spare = group->poses + GROUP_SIZE * group->step;

    compute_group_poses(group);
    call_hooks(group);
    compute_all_matrices(group);
    group->count = 0;
}

// Advances the player of a job, and decides whether its pose is computed or the stored pose used.
static void advance_job(md5_play_job *job)
{
    job->status = md5_player_advance(job->player, job->seconds, job->events, job->user);
    job->motion = md5_player_root_motion(job->player);
    job->is_computed = begin_player_pose(job->player);
}

// Adds a job to a group, unless its matrices remain unchanged. Poses the group when it is full.
static void add_to_group(job_group *group, md5_play_job *job)
{
    if (!job->is_computed && job->keeps_matrices)
        return;
    group->jobs[group->count++] = job;
    if (group->count == GROUP_SIZE)
        pose_group(group);
}

// Advances and poses the jobs first..last - 1 of a batch. The jobs are posed in groups, because
// SIMD kernels compute the matrices of several characters at the same time.
static void play_range(void *user, size_t first, size_t last, void *scratch)
{
    md5_play_job *const jobs = (md5_play_job *)user + first;
    const size_t count = last - first;
    job_group group = {.poses = align_to_cache_line(scratch)};
    for (size_t begin = 0; begin < count; begin += GROUP_SIZE) {
        const size_t end = count - begin < GROUP_SIZE ? count : begin + GROUP_SIZE;
        for (size_t i = begin; i < end; i++)
            advance_job(&jobs[i]);
        for (size_t i = begin; i < end; i++)
            add_to_group(&group, &jobs[i]);
    }
    if (group.count > 0)
        pose_group(&group);
}

// Advances and poses the characters of jobs[count] on several threads. The results are equal to
// those of a separate call for each character.
void md5_play_batch(md5_play_job *jobs, size_t count, const md5_threads *threads, void *scratch)
{
    MD5_ASSERT(jobs != NULL || count == 0, "jobs: must not be NULL");
    MD5_VALIDATE_RESERVED(jobs, count);
    MD5_ASSERT(scratch != NULL || count == 0, "scratch: must not be NULL");
    if (MD5_HAS_ASSERTS) {
        for (size_t i = 0; i < count; i++)
            MD5_ASSERT_PLAYER_CHANGE(jobs[i].player);
    }
    const md5_batch batch = {
        .run = play_range,
        .user = jobs,
        .count = count,
        .scratch = scratch,
        .size = threads ? scratch_size(jobs, count) : 0,
    };
    md5i_run_batch(threads, &batch);
}

// -- Between fixed steps ------------------------------------------------------------------------

// Returns a fraction of a movement. The movement is regarded as a screw motion: a rotation by 2 h
// about an axis, and a translation along it.
//
// The component of the translation perpendicular to the axis is the chord of an arc. The fraction
// of the arc has a shorter chord. It is rotated back by (1 - fraction) h, and its length is the
// length of the whole chord times
//
//   sin(fraction h) / sin(h)
static md5_xform partial_motion(md5_xform motion, double fraction)
{
    if (fraction >= 1)
        return motion;

    const md5_quatd q = md5_quatd_from_quat(motion.rotation);
    const double sign = q.w < 0 ? -1.0 : 1.0;                        // selects the shorter rotation
    const md5_vec3d rotation = {sign * q.x, sign * q.y, sign * q.z}; // the axis, times sin(h)
    const double sine = md5_vec3d_length(rotation);                  // sin(h)
    const double half_angle = md5i_atan2(sine, sign * q.w);          // h
    const double sine_ratio = sine > 0 ? md5i_sine(fraction * half_angle) / sine : fraction;

    // Split the translation into its components along and perpendicular to the axis.
    const md5_vec3d axis = md5_vec3d_scale(rotation, sine > 0 ? 1.0 / sine : 0.0);
    const md5_vec3d translation = md5_vec3d_from_vec3(motion.translation);
    const md5_vec3d along = md5_vec3d_scale(axis, md5_vec3d_dot(axis, translation));
    const md5_vec3d across = md5_vec3d_sub(translation, along);

    // Rotate the perpendicular component back.
    const md5_vec3d normal = md5_vec3d_cross(axis, translation);
    const double back_sine = md5i_sine((1.0 - fraction) * half_angle);
    const double back_cosine = sqrt(1.0 - back_sine * back_sine);
    const md5_vec3d chord =
        md5_vec3d_sub(md5_vec3d_scale(across, back_cosine), md5_vec3d_scale(normal, back_sine));

    const double partial_sine = sine * sine_ratio; // sin(fraction h)
    return (md5_xform){
        .rotation = {(float)(rotation.x * sine_ratio), (float)(rotation.y * sine_ratio),
                     (float)(rotation.z * sine_ratio),
                     (float)sqrt(1.0 - partial_sine * partial_sine)},
        .translation = md5_vec3d_round(
            md5_vec3d_add(md5_vec3d_scale(along, fraction), md5_vec3d_scale(chord, sine_ratio))),
    };
}

typedef struct interpolation_batch {
    md5_interpolated_pose_job *jobs;
    float fraction; // of the step
} interpolation_batch;

// Computes the poses and matrices of the jobs first..last of a batch.
static void interpolate_player_range(void *user, size_t first, size_t last, void *scratch)
{
    const interpolation_batch *const batch = (const interpolation_batch *)user;
    (void)scratch;
    for (size_t i = first; i < last; i++) {
        md5_interpolated_pose_job *const job = &batch->jobs[i];
        md5_blend_poses(job->before, job->after, job->has_cut ? 1.0f : batch->fraction, NULL,
                        job->model->skeleton.num_joints, job->pose);
        md5_local_to_palette(job->model, job->pose, job->joints, job->palette);
        job->partial_motion = partial_motion(job->motion, batch->fraction);
    }
}

// Computes poses between two fixed time steps of a game on several threads. `fraction` is the
// position between the steps, clamped to 0..1.
void md5_pose_interpolated(md5_interpolated_pose_job *jobs, size_t count, float fraction,
                           const md5_threads *threads)
{
    MD5_ASSERT(jobs != NULL || count == 0, "jobs: must not be NULL");
    MD5_VALIDATE_RESERVED(jobs, count);
    if (MD5_HAS_ASSERTS) {
        for (size_t i = 0; i < count; i++)
            MD5_ASSERT_ALIVE(jobs[i].model, MD5_TAG_MODEL);
    }
    float clamped = fraction > 0 ? fraction : 0.0f;
    if (clamped > 1)
        clamped = 1;
    interpolation_batch between = {jobs, clamped};
    const md5_batch batch = {.run = interpolate_player_range, .user = &between, .count = count};
    md5i_run_batch(threads, &batch);
}
