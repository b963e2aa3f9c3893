// A player from the outside: made, copied, set, asked; its level of detail; the bounds of its pose;
// poses of one character or of a crowd.
#include "md5/core/freed.h"
#include "md5/core/jobs.h"
#include "md5/core/math.h"
#include "md5/play/run/player_state.h"

// -- Level of detail: which joints are animated, and how often a pose is computed ---------------

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

// The count of calls goes on at any level of detail, so a game may set it as often as it likes: the
// players of a crowd keep taking turns. No pose becomes older than the interval.
static bool begin_pose(md5_player *player)
{
    md5_detail_state *const state = &player->detail;
    const uint32_t call = state->num_calls++;
    if (state->interval == 1)
        return true;
    state->age++;
    return !state->is_kept || state->age >= state->interval
           || (call % state->interval + state->phase) % state->interval == 0;
}

// Ends a computed pose: keeps it if later calls may show it.
static void end_pose(md5_player *player, const md5_xform *pose)
{
    md5_detail_state *const state = &player->detail;
    player->since_pose = 0;
    player->walked = MD5_NO_DELTA;
    state->age = 0;
    state->is_kept = state->interval > 1;
    if (state->is_kept && player->machine->num_joints > 0)
        memcpy(player->kept_pose, pose, player->machine->num_joints * sizeof *pose);
}

// -- Bounds of the current pose -----------------------------------------------------------------

// A sum of places, each between `low` and `high`, with biases that sum to what the machine says of
// its vertices: the largest along one axis.
static float largest_sum(const md5_machine *machine, float low, float high)
{
    const float of_high = high * (high > 0 ? machine->most_bias : machine->least_bias);
    return of_high + (low < 0 ? -low * machine->most_negative : 0.0f);
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
    MD5_ASSERT_PLAYER(player);
    MD5_ASSERT(joints != NULL || player->machine->num_joints == 0, "joints: must not be NULL");
    const md5_machine *const machine = player->machine;
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    for (uint32_t i = 0; i < machine->num_joints; i++) {
        const float reach = machine->reaches[i];
        if (reach < 0 && machine->has_vertices)
            continue;
        const float wide = reach > 0 ? reach : 0.0f;
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

// -- A player from the outside: made, set, asked ------------------------------------------------

// An array of a player, of a layer's state or of a state that is active: the pointer to it.
typedef struct placed_array {
    void *pointer;
    size_t count;
    size_t size;
} placed_array;

// NOLINTNEXTLINE(bugprone-macro-parentheses): a member
#define ARRAY(owner, member, count)                        \
    {                                                      \
        &(owner)->member, (count), sizeof *(owner)->member \
    }

// Places arrays in the block, or only measures them.
static void place(md5_block *block, const placed_array *arrays, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *const bytes = md5i_block_take(block, arrays[i].count, arrays[i].size);
        memcpy(arrays[i].pointer, &bytes, sizeof bytes);
    }
}

#define OF_PLAYER(member, count) ARRAY(&placed, member, count) // in lay_out()
#define PLACE(block, arrays) place(block, arrays, MD5_COUNT(arrays))

// Room for the largest state of a layer.
static void place_live(md5_block *block, const md5_play_layer *layer, md5_active_state *active)
{
    *active = (md5_active_state){.tree = NULL};
    const placed_array arrays[] = {
        ARRAY(active, instances, layer->max_instances), ARRAY(active, groups, layer->max_groups),
        ARRAY(active, weights, layer->max_parts),       ARRAY(active, flows, layer->max_parts),
        ARRAY(active, awake, layer->max_instances),
    };
    PLACE(block, arrays);
}

// Lays a player out in the block, or measures that. What each step and each pose need lies together
// at the beginning: among many players, none is in the first cache when its turn comes.
static md5_player *lay_out(md5_block *block, const md5_machine *machine)
{
    const md5_machine_desc *const tables = &machine->tables;
    const size_t num_layers = tables->num_layers;
    const size_t num_joints = machine->num_joints;
    md5_player *const player = MD5_TAKE(block, md5_player, 1);
    md5_player placed = {.machine = machine};
    md5_layer_state measured = {.num_used = 0};
    md5_active_state other;
    const placed_array begun[] = {
        // Up to the next one md5_player_copy() copies them as a whole.
        OF_PLAYER(parameters, tables->num_parameters), OF_PLAYER(followings, tables->num_follows),
        OF_PLAYER(targets, tables->num_modifiers),     OF_PLAYER(are_placed, tables->num_modifiers),
        OF_PLAYER(drops, tables->num_modifiers),       OF_PLAYER(feet, machine->num_feet),
        OF_PLAYER(held, machine->num_soles),           OF_PLAYER(gazes, machine->num_gazes),
        OF_PLAYER(springs, machine->num_springs),      OF_PLAYER(windows, machine->num_windows),
        OF_PLAYER(consumed, tables->num_parameters),   OF_PLAYER(layer_states, num_layers),
    };
    PLACE(block, begun);
    if (placed.layer_states)
        memset(placed.layer_states, 0, num_layers * sizeof *placed.layer_states);
    size_t num_instances = 0;
    bool has_differences = false;
    for (size_t i = 0; i < num_layers; i++) {
        has_differences = has_differences || machine->layers[i].mode == MD5_LAYER_ADD;
        place_live(block, &machine->layers[i],
                   placed.layer_states ? &placed.layer_states[i].first : &other);
        num_instances += machine->layers[i].max_instances;
    }
    const placed_array used[] = {
        OF_PLAYER(gathered, machine->max_parts),
        OF_PLAYER(group_clocks, machine->max_groups),
        OF_PLAYER(sync_items, machine->max_instances),
        OF_PLAYER(root_deltas, machine->has_root_motion ? machine->max_poses : 0),
    };
    PLACE(block, used);
    for (size_t i = 0; i < num_layers; i++) { // what is only needed while states change
        md5_layer_state *const layer_state =
            placed.layer_states ? &placed.layer_states[i] : &measured;
        const placed_array others[] = {ARRAY(layer_state, others, MD5_SLOTS - 1)};
        const placed_array rest[] = {
            ARRAY(layer_state, snapshot, num_joints),
            ARRAY(layer_state, offsets, num_joints),
            ARRAY(layer_state, velocities, num_joints),
            ARRAY(layer_state, frozen_morphs, machine->num_sums),
            ARRAY(layer_state, morph_offsets, machine->num_sums),
        };
        PLACE(block, others);
        for (uint32_t k = 0; k < MD5_SLOTS - 1; k++)
            place_live(block, &machine->layers[i],
                       layer_state->others ? &layer_state->others[k] : &other);
        PLACE(block, rest);
    }
    // While states change: two poses that are compared, and those that each of them needs.
    const size_t num_spare = 2 + (size_t)has_differences + machine->max_poses;
    const size_t num_walkers =
        num_instances * MD5_MAX_ACTIVE + (size_t)machine->num_slots * MD5_SLOT_ONE_SHOTS;
    const placed_array last[] = {
        OF_PLAYER(slots, machine->num_slots),
        OF_PLAYER(walkers, machine->has_clip_events ? num_walkers : 0),
        OF_PLAYER(kept_pose, num_joints),
        OF_PLAYER(attached, tables->num_attached),
        OF_PLAYER(velocities, num_joints),
        OF_PLAYER(morphs, machine->num_sums),
        OF_PLAYER(spare, num_spare * num_joints),
    };
    PLACE(block, last);
    if (player)
        *player = placed;
    return player;
}

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
    lay_out(&block, machine);
    const size_t size = block.used;
    block = (md5_block){.base = (unsigned char *)md5i_alloc(&context, size)};
    if (!block.base)
        return NULL;
    md5_player *const player = lay_out(&block, machine);
    player->size = size;
    player->internal = (md5_internal){.allocator = context.allocator, .tag = MD5_TAG_PLAYER};
    for (uint32_t i = 0; i < machine->num_windows; i++) // a reset leaves them: their ends follow
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

// -- Copies: only what is in use ----------------------------------------------------------------

static void copy_items(void *to, const void *from, size_t count, size_t size)
{
    if (count > 0)
        memcpy(to, from, count * size);
}

// The items of an array that both have.
#define COPY(to, from, member, count) \
    copy_items((to)->member, (from)->member, (count), sizeof *(to)->member)

// Of a layer, what it has of poses.
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

static void copy_layer(const md5_machine *machine, const md5_play_layer *layer, md5_layer_state *to,
                       md5_layer_state *from)
{
    memcpy(to, from, offsetof(md5_layer_state, snapshot));
    copy_poses(to, from, md5_blended_joints(machine, layer));
    if (from->has_snapshot)
        COPY(to, from, frozen_morphs, machine->num_sums);
    if (from->has_offsets)
        COPY(to, from, morph_offsets, machine->num_sums);
    for (uint32_t i = 0; i < from->num_used; i++) {
        md5_active_state *const copy = md5_active_at(to, i);
        const md5_active_state *const active = md5_active_at(from, i);
        const md5_blend_tree *const tree = active->tree;
        memcpy(copy, active, offsetof(md5_active_state, instances));
        copy->num_awake = active->num_awake;
        copy->first_loose = active->first_loose;
        if (!tree)
            continue;
        COPY(copy, active, awake, tree->num_instances);
        COPY(copy, active, instances, tree->num_instances);
        COPY(copy, active, groups, tree->num_groups);
        COPY(copy, active, weights, tree->num_parts);
        COPY(copy, active, flows, tree->num_parts);
    }
}

void md5_player_copy(md5_player *to, const md5_player *from)
{
    MD5_ASSERT_PLAYER_CHANGE(to);
    MD5_ASSERT_PLAYER(from);
    MD5_ASSERT(to->machine == from->machine, "to, from: must be players of the same machine");
    const md5_machine *const machine = from->machine;
    if (to == from)
        return;
    memcpy(to, from, offsetof(md5_player, layer_states));
    if (from->detail.is_kept)
        COPY(to, from, kept_pose, machine->num_joints);
    // The arrays that lie together: see lay_out().
    memcpy(to->parameters, from->parameters,
           (size_t)((const char *)from->consumed - (const char *)from->parameters));
    for (uint32_t i = 0; i < machine->tables.num_layers; i++)
        copy_layer(machine, &machine->layers[i], &to->layer_states[i], &from->layer_states[i]);
    for (uint32_t i = 0; i < machine->num_slots; i++) {
        to->slots[i].num_one_shots = from->slots[i].num_one_shots;
        copy_items(to->slots[i].one_shots, from->slots[i].one_shots, from->slots[i].num_one_shots,
                   sizeof(md5_one_shot));
    }
}

static void put_parameter(md5_player *player, uint32_t parameter, float value)
{
    const bool is_float = player->machine->tables.parameters[parameter].kind == MD5_PARAMETER_FLOAT;
    const float set = is_float ? value : value != 0 ? 1.0f : 0.0f;
    player->is_weighed = player->is_weighed && player->parameters[parameter] == set;
    player->is_settled = player->is_settled && player->is_weighed;
    md5i_set_value(player, parameter, set);
}

void md5_player_reset(md5_player *player)
{
    MD5_ASSERT_PLAYER_CHANGE(player);
    const md5_machine_desc *const tables = &player->machine->tables;
    for (uint32_t i = 0; i < tables->num_parameters; i++) {
        const uint32_t row = player->machine->followers[i];
        put_parameter(player, i, tables->parameters[i].value);
        player->consumed[i] = 0;
        if (row != MD5_NONE)
            player->followings[row] =
                (md5_following){.goal = player->parameters[i], .from = player->parameters[i]};
    }
    for (uint32_t i = 0; i < tables->num_modifiers; i++) {
        const md5_modifier *const modifier = &player->machine->modifiers[i];
        player->targets[i] = (md5_target){.weight = modifier->desc.weight,
                                          .position = {INFINITY, INFINITY, INFINITY}};
        player->are_placed[i] = false;
        player->drops[i] = 0;
    }
    for (size_t i = 0; i < player->machine->num_feet; i++) {
        const md5_limb *const leg = &player->machine->legs[i];
        player->feet[i] =
            (md5_foot){.ankle = leg->tip, .has_leg = true, .knee = leg->middle, .hip = leg->root};
    }
    for (size_t i = 0; i < player->machine->num_soles; i++)
        player->held[i] = (md5_held){0};
    for (uint32_t i = 0; i < player->machine->num_slots; i++)
        player->slots[i].num_one_shots = 0;
    player->num_one_shots = 0;
    player->has_consumed = player->is_backward = false;
    player->status = (md5_advance_status){0};
    player->since_pose = 0;
    player->detail = (md5_detail_state){.mask = MD5_NONE, .interval = 1};
    player->motion = player->walked = MD5_NO_DELTA;
    for (uint32_t i = 0; i < tables->num_layers; i++) {
        player->layer_states[i].num_used = 0;
        player->layer_states[i].entered = MD5_NONE;
        md5i_change_state(player, i, &(md5_change){.begin = MD5_BEGIN_BEHIND});
    }
    md5_player_seed(player, 0);
    player->is_weighed = true;
}

// -- Going on in another machine: copies of what has the same name ------------------------------

static bool are_joints_alike(const md5_skeleton *a, const md5_skeleton *b)
{
    bool alike = a->num_joints == b->num_joints;
    for (uint32_t i = 0; i < a->num_joints && alike; i++)
        alike = a->joints[i].parent == b->joints[i].parent
                && strcmp(a->joints[i].name, b->joints[i].name) == 0;
    return alike;
}

static uint32_t adopted_state(const md5_machine *machine, uint32_t layer,
                              const md5_layer_desc *from, uint32_t state)
{
    return state == MD5_NONE ? MD5_NONE : md5_find_state(machine, layer, from->states[state].name);
}

static uint32_t adopted_mask(const md5_machine *machine, const md5_machine *old, uint32_t mask)
{
    return mask == MD5_NONE ? MD5_NONE : md5i_find_mask(machine, old->tables.masks[mask].name);
}

static void adopt_layer(md5_player *player, uint32_t layer, md5_player *old, uint32_t old_layer,
                        bool has_joints)
{
    const md5_machine *const machine = player->machine;
    const md5_play_layer *const played = &machine->layers[layer];
    const md5_play_layer *const was_played = &old->machine->layers[old_layer];
    const md5_layer_desc *const names = &old->machine->tables.layers[old_layer];
    md5_layer_state *const to = &player->layer_states[layer];
    md5_layer_state *const from = &old->layer_states[old_layer];
    const bool has_poses = has_joints && played->mode == was_played->mode
                           && played->joints.count == was_played->joints.count;
    memcpy(to, from, offsetof(md5_layer_state, snapshot));
    to->causes = MD5_ALL_CAUSES;
    to->is_resting = from->is_resting && machine->fingerprint == old->machine->fingerprint;
    to->entered = adopted_state(machine, layer, names, from->entered);
    to->has_snapshot = to->has_snapshot && has_poses;
    to->has_offsets = to->has_offsets && has_poses;
    to->num_used = 0;
    for (uint32_t i = 0; i < from->num_used; i++) {
        const md5_active_state *const was = md5_active_at(from, i);
        md5_active_state *const active = md5_slot(to, to->num_used);
        const uint32_t state = adopted_state(machine, layer, names, was->state);
        if (state == MD5_NONE)
            continue;
        to->order[to->num_used] = to->num_used;
        to->num_used++;
        md5i_begin_state(player, played, active, &(md5_change){.state = state});
        memcpy(active, was, offsetof(md5_active_state, instances));
        active->state = state;
        active->tree = played->states[state].tree;
        active->from = adopted_state(machine, layer, names, was->from);
        if (was_played->has_steps)
            active->leader = adopted_state(machine, layer, names, was->leader);
        active->easing = machine->easings; // if there is none like it
        for (size_t k = 0; k < machine->num_easings; k++)
            if (memcmp(&machine->easings[k], was->easing, sizeof *was->easing) == 0)
                active->easing = &machine->easings[k];
        if (active->tree && was->tree)
            md5i_adopt_clocks(player, active, old, was);
    }
    if (to->num_used == 0) { // all are gone
        const md5_active_state *const newest = md5_newest(from);
        const uint32_t left = md5_progress(newest) < 1 ? newest->from : MD5_NONE;
        const uint32_t state = adopted_state(machine, layer, names, left);
        md5i_change_state(
            player, layer,
            &(md5_change){.state = state == MD5_NONE ? 0 : state, .begin = MD5_BEGIN_BEHIND});
    }
    to->is_entered = to->is_entered && to->entered == md5_newest(to)->state;
    if (has_poses)
        copy_poses(to, from, md5_blended_joints(machine, played));
    if (to->has_snapshot)
        md5i_carry_morphs(player, old, from->frozen_morphs, to->frozen_morphs);
    if (to->has_offsets)
        md5i_carry_morphs(player, old, from->morph_offsets, to->morph_offsets);
    if (has_poses)
        md5i_continue_layer(player, layer, old, old_layer);
}

// Springs and feet go on if they are those of the same joints; else they begin anew.
static void adopt_modifier(md5_player *player, uint32_t number, const md5_player *old,
                           uint32_t old_number, bool has_joints)
{
    const md5_modifier *const to = &player->machine->modifiers[number];
    const md5_modifier *const from = &old->machine->modifiers[old_number];
    player->targets[number] = old->targets[old_number];
    if (to->desc.kind == MD5_MODIFIER_GAZE)
        player->gazes[to->gaze] = old->gazes[from->gaze];
    bool is_alike = has_joints && to->joint == from->joint && to->desc.length == from->desc.length
                    && to->desc.num_feet == from->desc.num_feet && to->num_held == from->num_held;
    for (uint32_t i = 0; i < to->desc.num_feet && is_alike; i++)
        is_alike = memcmp(&player->machine->legs[to->first_foot + i],
                          &old->machine->legs[from->first_foot + i], sizeof(md5_limb))
                   == 0;
    if (!is_alike)
        return;
    player->are_placed[number] = old->are_placed[old_number];
    player->drops[number] = old->drops[old_number];
    if (to->desc.kind == MD5_MODIFIER_SPRING)
        copy_items(player->springs + to->first_spring, old->springs + from->first_spring,
                   to->desc.length, sizeof *player->springs);
    copy_items(player->feet + to->first_foot, old->feet + from->first_foot, to->desc.num_feet,
               sizeof *player->feet);
    copy_items(player->held + to->first_sole, old->held + from->first_sole, to->num_held,
               sizeof *player->held);
}

// Returns false if what it needs is gone.
static bool adopt_one_shot(const md5_machine *machine, const md5_machine *old,
                           md5_one_shot *one_shot)
{
    const md5_machine_desc *const from = &old->tables;
    const double duration = md5i_timing_duration(md5_one_shot_timing(old, one_shot));
    const bool is_masked = one_shot->mask != MD5_NONE;
    const uint32_t source = one_shot->source;
    const uint32_t layer =
        one_shot->num_below == from->num_layers
            ? MD5_NONE
            : md5_find_layer(machine, from->layers[one_shot->num_below - 1].name);
    one_shot->source = md5_find_clip(machine, from->clips[one_shot->source].name);
    one_shot->reference = md5_find_clip(machine, from->clips[one_shot->reference].name);
    one_shot->mask = adopted_mask(machine, old, one_shot->mask);
    one_shot->num_below = layer == MD5_NONE ? machine->tables.num_layers : layer + 1;
    if (one_shot->source == MD5_NONE || one_shot->reference == MD5_NONE
        || (is_masked && one_shot->mask == MD5_NONE)
        || one_shot->reference_frame
               >= machine->sources[one_shot->reference].binding->anim->num_frames)
        return false;
    const md5_section *const sections = from->clips[source].sections;
    if (one_shot->section != MD5_NONE)
        one_shot->section =
            md5i_find_section(machine, one_shot->source, sections[one_shot->section].name);
    if (one_shot->next != MD5_NONE)
        one_shot->next =
            md5i_find_section(machine, one_shot->source, sections[one_shot->next].name);
    if (one_shot->row != MD5_NONE)
        one_shot->row = md5_find_one_shot(machine, from->one_shots[one_shot->row].name);
    one_shot->rate *= duration / md5i_timing_duration(md5_one_shot_timing(machine, one_shot));
    one_shot->rate = fmin(fmax(one_shot->rate, -MD5_MOST_ONE_SHOT_RATE), MD5_MOST_ONE_SHOT_RATE);
    return true;
}

// Returns what was found; tells if that is nothing.
static uint32_t tell(uint32_t found, const char *kind, const char *name, md5_lost_fn *lost,
                     void *user)
{
    if (found == MD5_NONE && lost)
        lost(user, kind, name);
    return found;
}

#define FIND_OR_TELL(function, kind, row) \
    tell(function(machine, (row).name), kind, (row).name, lost, user)

// Open windows stay open: of those of a clip that have one name, first the ones of the same frames,
// then the rest in order. `before`, which each interval sets anew, is 1 + the old one meanwhile.
static void adopt_windows(md5_player *to, const md5_player *from)
{
    const md5_machine *const machine = to->machine;
    const md5_machine *const was = from->machine;
    const md5_window_row *const rows = machine->windows;
    for (uint32_t i = 0; i < machine->num_windows; i++)
        to->windows[i] = (md5_window_state){0};
    for (uint32_t i = 0; i < 2 * was->num_windows; i++) {
        const uint32_t number = i % was->num_windows;
        const md5_window_row *const row = &was->windows[number];
        const uint32_t clip = md5_find_clip(machine, was->tables.clips[row->begin.index].name);
        uint32_t k = 0;
        uint32_t found = MD5_NONE;
        for (; k < machine->num_windows && to->windows[k].before != number + 1; k++) {
            const bool has_frames =
                rows[k].begin.frame == row->begin.frame && rows[k].end.frame == row->end.frame;
            if (found == MD5_NONE && to->windows[k].before == 0 && rows[k].begin.index == clip
                && strcmp(rows[k].name, row->name) == 0 && (has_frames || i != number))
                found = k;
        }
        if (found != MD5_NONE && k == machine->num_windows)
            to->windows[found] =
                (md5_window_state){.weight = from->windows[number].weight, .before = number + 1};
    }
}

void md5_player_migrate(md5_player *to, const md5_player *from, md5_lost_fn *lost, void *user)
{
    MD5_ASSERT_PLAYER_CHANGE(to);
    MD5_ASSERT_PLAYER(from);
    MD5_ASSERT(to != from, "to, from: must be two players");
    const md5_machine *const machine = to->machine;
    const md5_machine *const was = from->machine;
    const md5_machine_desc *const tables = &was->tables;
    const bool has_joints = are_joints_alike(&machine->model->skeleton, &was->model->skeleton);
    md5_player old = *from; // its weights are brought up to date, and nothing else
    old.is_weighed = old.has_moved = true;
    md5i_weigh_all(&old);
    md5_player_reset(to);
    md5_mark_callback(&to->internal, MD5_CALLBACK);
    memcpy(to, from, offsetof(md5_player, layer_states));
    to->machine = machine;
    to->detail.mask = adopted_mask(machine, was, from->detail.mask);
    to->detail.is_kept = from->detail.is_kept && has_joints;
    if (to->detail.is_kept)
        COPY(to, from, kept_pose, machine->num_joints);
    (void)tell(has_joints ? 0 : MD5_NONE, "model", tables->name, lost, user);
    for (uint32_t i = 0; i < tables->num_clips; i++)
        (void)FIND_OR_TELL(md5_find_clip, "clip", tables->clips[i]);
    for (uint32_t i = 0; i < tables->num_masks; i++)
        (void)FIND_OR_TELL(md5i_find_mask, "mask", tables->masks[i]);
    for (uint32_t i = 0; i < tables->num_parameters; i++) {
        const uint32_t found = FIND_OR_TELL(md5_find_parameter, "parameter", tables->parameters[i]);
        if (found == MD5_NONE)
            continue;
        // One that follows goes on; if it follows otherwise now, it begins anew where it is.
        const float value = from->parameters[i];
        const uint32_t row = machine->followers[found];
        const uint32_t old_row = was->followers[i];
        md5_following following = {.goal = value, .from = value};
        if (old_row != MD5_NONE)
            following.goal = from->followings[old_row].goal;
        if (row != MD5_NONE && old_row != MD5_NONE
            && memcmp(&machine->tables.follows[row].kind, &tables->follows[old_row].kind,
                      offsetof(md5_follow_desc, reserved) - offsetof(md5_follow_desc, kind))
                   == 0)
            following = from->followings[old_row];
        put_parameter(to, found, row == MD5_NONE ? following.goal : value);
        if (row != MD5_NONE)
            to->followings[row] = following;
    }
    for (uint32_t i = 0; i < tables->num_modifiers; i++) {
        const uint32_t found = FIND_OR_TELL(md5_find_modifier, "modifier", tables->modifiers[i]);
        if (found != MD5_NONE && machine->modifiers[found].desc.kind == tables->modifiers[i].kind)
            adopt_modifier(to, found, from, i, has_joints);
    }
    to->num_one_shots = 0;
    for (uint32_t i = 0; i < was->num_slots; i++) { // those with a name come first
        const uint32_t found =
            i < tables->num_slots ? FIND_OR_TELL(md5_find_slot, "slot", tables->slots[i]) : i;
        md5_one_shot_slot *const slot = &to->slots[found];
        if (found >= machine->num_slots || slot->num_one_shots > 0)
            continue;
        for (uint32_t k = 0; k < from->slots[i].num_one_shots; k++) {
            slot->one_shots[slot->num_one_shots] = from->slots[i].one_shots[k];
            slot->num_one_shots +=
                adopt_one_shot(machine, was, &slot->one_shots[slot->num_one_shots]);
        }
        to->num_one_shots += slot->num_one_shots;
    }
    for (uint32_t i = 0; i < tables->num_layers; i++) {
        const md5_layer_desc *const layer = &tables->layers[i];
        const uint32_t found = FIND_OR_TELL(md5_find_layer, "layer", *layer);
        if (found == MD5_NONE)
            continue;
        for (uint32_t k = 0; k < layer->num_states; k++)
            (void)tell(adopted_state(machine, found, layer, k), "state", layer->states[k].name,
                       lost, user);
        adopt_layer(to, found, &old, i, has_joints);
    }
    for (uint32_t i = 0; i < was->num_windows; i++) {
        if (was->windows[i].window == i)
            (void)FIND_OR_TELL(md5_find_window, "window", was->windows[i]);
    }
    for (uint32_t i = 0; i < was->num_curves; i++) {
        if (md5_find_curve(was, was->curves[i].name) == i)
            (void)FIND_OR_TELL(md5_find_curve, "curve", was->curves[i]);
    }
    adopt_windows(to, from);
    to->is_weighed = from->is_weighed;
    to->has_new = true; // at most, none is found
    to->has_consumed = false;
    to->is_settled = from->is_settled && machine->fingerprint == was->fingerprint;
    md5_mark_callback(&to->internal, MD5_NO_CALLBACK);
}

bool md5_player_set(md5_player *player, uint32_t parameter, float value)
{
    MD5_ASSERT_PLAYER_SET(player);
    if (parameter >= player->machine->tables.num_parameters || !isfinite(value))
        return false;
    if (!md5i_set_goal(player, parameter, value))
        put_parameter(player, parameter, value);
    return true;
}

float md5_player_get(const md5_player *player, uint32_t parameter)
{
    MD5_ASSERT_PLAYER(player);
    return parameter < player->machine->tables.num_parameters ? player->parameters[parameter]
                                                              : 0.0f;
}

static bool has_state(const md5_player *player, uint32_t layer, uint32_t state)
{
    return layer < player->machine->tables.num_layers
           && state < player->machine->layers[layer].num_states;
}

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
                          .begin = MD5_BEGIN_BEHIND,
                          .duration = isfinite(duration) ? md5i_decimal_of(duration) : 0.0,
                          .fade = fade,
                          .easing = (uint32_t)easing,
                          .interrupt = MD5_INTERRUPT_ANY,
                      });
    return true;
}

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

bool md5_player_attach(md5_player *player, uint32_t attached, const md5_mat34 *joints)
{
    MD5_ASSERT_PLAYER_CHANGE(player);
    const md5_machine_desc *const tables = &player->machine->tables;
    if (attached >= tables->num_attached || tables->attached[attached].joint)
        return false;
    player->attached[attached] = joints;
    return true;
}

// A modifier of that kind, or NULL.
static const md5_modifier *find_modifier(const md5_player *player, uint32_t number,
                                         md5_modifier_kind kind)
{
    const md5_machine *const machine = player->machine;
    const bool is_there =
        number < machine->tables.num_modifiers && machine->modifiers[number].desc.kind == kind;
    return is_there ? &machine->modifiers[number] : NULL;
}

md5_foot *md5_player_feet(md5_player *player, uint32_t modifier)
{
    MD5_ASSERT_PLAYER(player);
    const md5_modifier *const found = find_modifier(player, modifier, MD5_MODIFIER_FEET);
    return found ? player->feet + found->first_foot : NULL;
}

void md5_player_seed(md5_player *player, uint64_t seed)
{
    MD5_ASSERT_PLAYER_CHANGE(player);
    const md5_machine *const machine = player->machine;
    const uint64_t begin = md5_mixed(seed); // seeds that are near are far from each other then
    for (uint32_t i = 0; i < machine->tables.num_layers; i++)
        player->layer_states[i].random = md5_mixed(begin + i);
    for (uint32_t i = 0; i < machine->tables.num_modifiers; i++) {
        const md5_modifier *const modifier = &machine->modifiers[i];
        if (modifier->desc.kind == MD5_MODIFIER_GAZE)
            md5_gaze_begin(modifier->seed + begin, &player->gazes[modifier->gaze]);
    }
    player->is_settled = false;
}

md5_gaze *md5_player_gaze(md5_player *player, uint32_t modifier)
{
    MD5_ASSERT_PLAYER(player);
    const md5_modifier *const found = find_modifier(player, modifier, MD5_MODIFIER_GAZE);
    return found ? &player->gazes[found->gaze] : NULL;
}

void md5_player_set_ground(md5_player *player, md5_ground_fn *ground, void *user)
{
    MD5_ASSERT_PLAYER_CHANGE(player);
    player->ground = ground;
    player->ground_user = user;
}

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
        .weight = md5i_weight_of(player, &machine->layers[layer].weight),
    };
}

// == Poses ======================================================================================

// Poses are aligned to cache lines: a transform that straddles two costs twice.
enum { CACHE_LINE = 64 };

static md5_xform *align(void *scratch)
{
    const uintptr_t misplaced = (uintptr_t)scratch % CACHE_LINE;
    unsigned char *const bytes = (unsigned char *)scratch;
    return (md5_xform *)(void *)(bytes + (misplaced > 0 ? CACHE_LINE - misplaced : 0));
}

size_t md5_player_pose_scratch(const md5_machine *machine)
{
    MD5_ASSERT_ALIVE(machine, MD5_TAG_MACHINE);
    // One for a layer, one for the second of two blended states, one for a state whose difference
    // is computed, and those that evaluating a state needs besides its result, which is 1 of
    // max_poses. One-shots need three.
    const size_t num_spare = 2 + (machine->max_poses > 0 ? machine->max_poses : 1);
    return num_spare * machine->num_joints * sizeof(md5_xform) + CACHE_LINE;
}

// Joints that no one wants go where poses were: there are more than two of them.
static void make_matrices(const md5_machine *machine, const md5_xform *pose, md5_xform *spare,
                          md5_mat34 *joints, md5_mat34 *palette)
{
    if (palette)
        md5_local_to_palette(machine->model, pose, joints ? joints : (md5_mat34 *)spare, palette);
    else if (joints)
        md5_local_to_model(&machine->model->skeleton, pose, joints);
}

// The pose before modifiers, or the kept one.
static void blend_or_show(md5_player *player, bool is_computed, md5_xform *spare, md5_xform *pose)
{
    if (!is_computed) {
        copy_items(pose, player->kept_pose, player->machine->num_joints, sizeof *pose);
        return;
    }
    md5i_weigh_all(player);
    md5i_blend_layers(player, spare, pose);
}

bool md5_player_pose(md5_player *player, md5_xform *pose, md5_mat34 *joints, md5_mat34 *palette,
                     void *scratch)
{
    MD5_ASSERT_PLAYER_CHANGE(player);
    MD5_VALIDATE_CLIPS(player);
    MD5_ASSERT_NOT_NULL(scratch);
    MD5_ASSERT(pose != NULL || player->machine->num_joints == 0, "pose: must not be NULL");
    MD5_ASSERT_APART(joints, player->machine->num_joints, palette, player->machine->num_joints);
    md5_xform *const spare = align(scratch);
    const bool is_computed = begin_pose(player);
    blend_or_show(player, is_computed, spare, pose);
    if (is_computed) {
        md5i_apply_modifiers(player, pose);
        end_pose(player, pose);
    }
    make_matrices(player->machine, pose, spare, joints, palette);
    return is_computed;
}

// Characters that go together through advancing, blending, modifiers and matrices, each of which is
// as much code as a processor keeps at hand. No instruction set has more lanes for matrices.
enum { TOGETHER = MD5_MAX_HOOKED };

// Joints of a pose that ends where another may begin.
static size_t rounded(size_t num_joints)
{
    const size_t in_line = CACHE_LINE / sizeof(md5_xform);
    return (num_joints + in_line - 1) / in_line * in_line;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

// Of one worker: poses, and behind them either what one character needs, or matrices of all.
static size_t scratch_size(const md5_play_job *jobs, size_t count)
{
    size_t num_joints = 0;
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        const md5_machine *const machine = jobs[i].player->machine;
        num_joints = larger(num_joints, machine->num_joints);
        most = larger(most, md5_player_pose_scratch(machine));
    }
    most = larger(most, TOGETHER * num_joints * sizeof(md5_mat34) + CACHE_LINE);
    return count > 0 ? most + TOGETHER * rounded(num_joints) * sizeof(md5_xform) : 0;
}

size_t md5_play_batch_scratch(const md5_play_job *jobs, size_t count, const md5_threads *threads)
{
    MD5_ASSERT(jobs != NULL || count == 0, "jobs: must not be NULL");
    if (MD5_HAS_ASSERTS) {
        for (size_t i = 0; i < count; i++)
            MD5_ASSERT_PLAYER(jobs[i].player);
    }
    return md5i_scratch_of_all(threads, scratch_size(jobs, count));
}

// Jobs that are posed together. Their poses lie `step` transforms apart.
typedef struct team {
    md5_play_job *jobs[TOGETHER];
    size_t count;
    size_t step;
    md5_xform *poses;
    md5_xform *spare;
} team;

// Kernels for many characters come with a clip.
static size_t lanes_of(const md5_machine *machine)
{
    return machine->tables.num_clips > 0
               ? machine->sources[0].binding->internal.plan->kernels->width
               : 1;
}

// Whether they fill more than half of the lanes, and all want palettes of the same model.
static bool are_alike(md5_play_job *const *jobs, size_t count, size_t width)
{
    const md5_machine *const machine = jobs[0]->player->machine;
    bool alike = width > 1 && 2 * count > width;
    for (size_t i = 0; i < count; i++)
        alike = alike && jobs[i]->palette && jobs[i]->player->machine->model == machine->model;
    return alike;
}

// Behind their poses there is room for as many as there are lanes. Lanes that are left over do the
// first one's work again.
static void finish_alike(const team *group, size_t begin, size_t count)
{
    md5_play_job *const *const jobs = group->jobs + begin;
    md5_xform *const poses = group->poses + begin * group->step;
    const md5_machine *const machine = jobs[0]->player->machine;
    const md5_binding *const binding = machine->sources[0].binding;
    const size_t width = lanes_of(machine);
    md5_pose_job lane_jobs[TOGETHER];
    const md5_pose_job *lanes[TOGETHER];
    for (size_t i = 0; i < width; i++) {
        lanes[i] = &lane_jobs[i < count ? i : 0];
        if (i >= count)
            memcpy(poses + i * group->step, poses, machine->num_joints * sizeof *poses);
        else
            lane_jobs[i] = (md5_pose_job){
                .binding = binding, .palette = jobs[i]->palette, .joints = jobs[i]->joints};
    }
    binding->internal.plan->kernels->finish_crowd(lanes, poses, group->step, (float *)group->spare);
}

// Calls the hook of jobs[count], which share it.
static void call_hook(const md5_play_job *jobs, uint32_t count, md5_xform *const *poses)
{
    for (uint32_t i = 0; i < count; i++)
        md5_mark_callback(&jobs[i].player->internal, MD5_SETTING_CALLBACK);
    jobs->hook(jobs->hook_user, jobs, count, poses);
    for (uint32_t i = 0; i < count; i++)
        md5_mark_callback(&jobs[i].player->internal, MD5_NO_CALLBACK);
}

static void pose_team(team *group)
{
    size_t num_joints = 0;
    for (size_t i = 0; i < group->count; i++)
        num_joints = larger(num_joints, group->jobs[i]->player->machine->num_joints);
    group->step = rounded(num_joints);
    group->spare = group->poses + TOGETHER * group->step;
    for (size_t i = 0; i < group->count; i++) {
        const md5_play_job *const job = group->jobs[i];
        blend_or_show(job->player, job->is_computed, group->spare, group->poses + i * group->step);
    }
    for (size_t i = 0; i < group->count; i++) {
        md5_player *const player = group->jobs[i]->player;
        md5_xform *const pose = group->poses + i * group->step;
        if (!group->jobs[i]->is_computed)
            continue;
        md5i_apply_modifiers(player, pose);
        end_pose(player, pose);
    }
    // Adjacent jobs with the same hook share a call.
    md5_xform *listed[TOGETHER];
    for (size_t begin = 0, end; begin < group->count; begin = end) {
        const md5_play_job *const first = group->jobs[begin];
        for (end = begin; end < group->count && group->jobs[end] == first + (end - begin)
                          && group->jobs[end]->hook == first->hook
                          && group->jobs[end]->hook_user == first->hook_user;
             end++)
            listed[end - begin] = group->poses + end * group->step;
        if (first->hook)
            call_hook(first, (uint32_t)(end - begin), listed);
    }
    const size_t width = lanes_of(group->jobs[0]->player->machine);
    for (size_t begin = 0; begin < group->count; begin += width) {
        const size_t some = group->count - begin < width ? group->count - begin : width;
        if (are_alike(group->jobs + begin, some, width)) {
            finish_alike(group, begin, some);
            continue;
        }
        for (size_t i = begin; i < begin + some; i++)
            make_matrices(group->jobs[i]->player->machine, group->poses + i * group->step,
                          group->spare, group->jobs[i]->joints, group->jobs[i]->palette);
    }
    group->count = 0;
}

static void play_some(void *user, size_t first, size_t last, void *scratch)
{
    md5_play_job *const jobs = (md5_play_job *)user + first;
    const size_t count = last - first;
    team posed = {.poses = align(scratch)};
    for (size_t begin = 0; begin < count; begin += TOGETHER) {
        const size_t end = count - begin < TOGETHER ? count : begin + TOGETHER;
        for (size_t i = begin; i < end; i++) {
            md5_play_job *const job = &jobs[i];
            job->status = md5_player_advance(job->player, job->seconds, job->events, job->user);
            job->motion = md5_player_root_motion(job->player);
            job->is_computed = begin_pose(job->player);
        }
        for (size_t i = begin; i < end; i++) {
            if (!jobs[i].is_computed && jobs[i].keeps_matrices)
                continue;
            posed.jobs[posed.count++] = &jobs[i];
            if (posed.count == TOGETHER)
                pose_team(&posed);
        }
    }
    if (posed.count > 0)
        pose_team(&posed);
}

void md5_play_batch(md5_play_job *jobs, size_t count, const md5_threads *threads, void *scratch)
{
    MD5_ASSERT(jobs != NULL || count == 0, "jobs: must not be NULL");
    MD5_VALIDATE_RESERVED(jobs, count);
    MD5_ASSERT(scratch != NULL || count == 0, "scratch: must not be NULL");
    if (MD5_HAS_ASSERTS) {
        for (size_t i = 0; i < count; i++)
            MD5_ASSERT_PLAYER_CHANGE(jobs[i].player);
    }
    const md5_batch batch = {.run = play_some,
                             .user = jobs,
                             .count = count,
                             .scratch = scratch,
                             .size = threads ? scratch_size(jobs, count) : 0};
    md5i_run_batch(threads, &batch);
}

// -- Between fixed steps ------------------------------------------------------------------------

// The part of a screw motion: of its turn by 2 h about an axis, and of its translation. Across the
// axis the latter is the chord of an arc, whose part is sin(share h) / sin(h) as long and is turned
// back by (1 - share) h.
static md5_xform partial_motion(md5_xform motion, double share)
{
    if (share >= 1)
        return motion;
    const md5_quatd q = md5_quatd_of(motion.rotation);
    const double side = q.w < 0 ? -1.0 : 1.0; // the shorter way
    const md5_vec3d turn = {side * q.x, side * q.y, side * q.z};
    const double sine = md5_vec3d_length(turn);
    const double half = md5i_angle(sine, side * q.w);
    const double part = sine > 0 ? md5i_sine(share * half) / sine : share;
    const md5_vec3d axis = md5_vec3d_scale(turn, sine > 0 ? 1.0 / sine : 0.0);
    const md5_vec3d way = md5_vec3d_of(motion.translation);
    const md5_vec3d along = md5_vec3d_scale(axis, md5_vec3d_dot(axis, way));
    const md5_vec3d across = md5_vec3d_sub(way, along);
    const md5_vec3d aside = md5_vec3d_cross(axis, way);
    const double back = md5i_sine((1.0 - share) * half);
    const double ahead = sqrt(1.0 - back * back);
    const md5_vec3d chord =
        md5_vec3d_sub(md5_vec3d_scale(across, ahead), md5_vec3d_scale(aside, back));
    const double x = sine * part; // sin(share h)
    return (md5_xform){
        .rotation = {(float)(turn.x * part), (float)(turn.y * part), (float)(turn.z * part),
                     (float)sqrt(1.0 - x * x)},
        .translation = md5_vec3d_round(
            md5_vec3d_add(md5_vec3d_scale(along, share), md5_vec3d_scale(chord, part))),
    };
}

typedef struct interpolation_batch {
    md5_interpolated_pose_job *jobs;
    float share;
} interpolation_batch;

static void interpolate_player_range(void *user, size_t first, size_t last, void *scratch)
{
    const interpolation_batch *const batch = (const interpolation_batch *)user;
    (void)scratch;
    for (size_t i = first; i < last; i++) {
        md5_interpolated_pose_job *const job = &batch->jobs[i];
        md5_blend_poses(job->before, job->after, job->has_cut ? 1.0f : batch->share, NULL,
                        job->model->skeleton.num_joints, job->pose);
        md5_local_to_palette(job->model, job->pose, job->joints, job->palette);
        job->partial_motion = partial_motion(job->motion, batch->share);
    }
}

void md5_pose_interpolated(md5_interpolated_pose_job *jobs, size_t count, float share,
                           const md5_threads *threads)
{
    MD5_ASSERT(jobs != NULL || count == 0, "jobs: must not be NULL");
    MD5_VALIDATE_RESERVED(jobs, count);
    if (MD5_HAS_ASSERTS) {
        for (size_t i = 0; i < count; i++)
            MD5_ASSERT_ALIVE(jobs[i].model, MD5_TAG_MODEL);
    }
    interpolation_batch between = {jobs, share > 0 ? share < 1 ? share : 1.0f : 0.0f};
    const md5_batch batch = {.run = interpolate_player_range, .user = &between, .count = count};
    md5i_run_batch(threads, &batch);
}
