// Migration of a player to another machine, for example to an edited version of its machine.
//
// Migration copies the state of all parts (layers, states, parameters and so on) that have the same
// names in both machines.
#include "md5/core/math.h"
#include "md5/play/run/player_state.h"

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
        md5i_copy_layer_poses(to, from, md5_blended_joints(player->machine, get_new_layer(job)));
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
        md5_copy_items(player->springs + to->first_spring, old_player->springs + from->first_spring,
                       to->desc.length, sizeof *player->springs);
    md5_copy_items(player->feet + to->first_foot, old_player->feet + from->first_foot,
                   to->desc.num_feet, sizeof *player->feet);
    md5_copy_items(player->foot_locks + to->first_sole, old_player->foot_locks + from->first_sole,
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
        md5i_store_parameter(to, parameter, goal);
        return;
    }

    md5i_store_parameter(to, parameter, value);
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
        MD5_COPY_ARRAY(to, from, stored_pose, machine->num_joints);
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

    // Copy the state of all parts with names. Report each part that the new machine does not have.
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
