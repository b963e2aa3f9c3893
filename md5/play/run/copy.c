// Copies a player onto another one of the same machine: only what is in use.
#include "md5/core/assert.h"
#include "md5/play/run/player_state.h"

#include <string.h>

static void copy_items(void *to, const void *from, size_t count, size_t size)
{
    if (count > 0)
        memcpy(to, from, count * size);
}

static void copy_active(const md5_machine *machine, md5_active_state *to,
                        const md5_active_state *from)
{
    md5_active_state copy = *from;
    copy.instances = to->instances;
    copy.groups = to->groups;
    copy.weights = to->weights;
    copy.totals = to->totals;
    *to = copy;
    if (from->tree < 0)
        return;
    const md5_blend_tree *const tree = &machine->trees[from->tree];
    copy_items(to->instances, from->instances, tree->num_instances, sizeof *to->instances);
    copy_items(to->groups, from->groups, tree->num_groups, sizeof *to->groups);
    copy_items(to->weights, from->weights, tree->num_parts, sizeof *to->weights);
    copy_items(to->totals, from->totals, tree->num_parts, sizeof *to->totals);
}

static void copy_layer(const md5_machine *machine, const md5_play_layer *layer, md5_layer_state *to,
                       md5_layer_state *from)
{
    const uint32_t count = md5_blended_joints(machine, layer);
    memcpy(to->order, from->order, sizeof to->order);
    to->num_used = from->num_used;
    to->has_snapshot = from->has_snapshot;
    to->has_offsets = from->has_offsets;
    to->is_resting = from->is_resting;
    to->is_entered = from->is_entered;
    to->entered = from->entered;
    to->coverage = from->coverage;
    to->settling = from->settling;
    if (from->has_snapshot && from->coverage > 0.0f)
        copy_items(to->snapshot, from->snapshot, count, sizeof *to->snapshot);
    to->frozen_root = from->frozen_root;
    if (from->has_snapshot)
        copy_items(to->frozen_morphs, from->frozen_morphs, machine->num_morphs, sizeof(float));
    if (from->has_offsets) {
        to->root_velocity = from->root_velocity;
        to->root_offset = from->root_offset;
        copy_items(to->offsets, from->offsets, count, sizeof *to->offsets);
        copy_items(to->velocities, from->velocities, count, sizeof *to->velocities);
        copy_items(to->morph_offsets, from->morph_offsets, machine->num_morphs, sizeof(float));
    }
    for (uint32_t i = 0; i < from->num_used; i++)
        copy_active(machine, md5_active_at(to, i), md5_active_at(from, i));
}

void md5_player_copy(md5_player *to, const md5_player *from)
{
    MD5_ASSERT(to != NULL, "to: not NULL");
    MD5_ASSERT(from != NULL, "from: not NULL");
    MD5_ASSERT(to->machine == from->machine, "to, from: of the same machine");
    const md5_machine *const machine = from->machine;
    const md5_machine_desc *const tables = &machine->tables;
    if (to == from)
        return;
    to->has_new = from->has_new;
    to->is_settled = from->is_settled;
    to->is_weighed = from->is_weighed;
    to->is_backward = from->is_backward;
    to->motion = from->motion;
    to->walked = from->walked;
    to->status = from->status;
    to->since_pose = from->since_pose;
    to->detail = from->detail;
    if (from->detail.is_kept)
        copy_items(to->kept, from->kept, machine->num_joints, sizeof *to->kept);
    copy_items(to->parameters, from->parameters, tables->num_parameters, sizeof *to->parameters);
    copy_items(to->followings, from->followings, tables->num_follows, sizeof *to->followings);
    copy_items(to->targets, from->targets, tables->num_modifiers, sizeof *to->targets);
    copy_items(to->are_placed, from->are_placed, tables->num_modifiers, sizeof *to->are_placed);
    copy_items(to->drops, from->drops, tables->num_modifiers, sizeof *to->drops);
    copy_items(to->feet, from->feet, machine->num_feet, sizeof *to->feet);
    copy_items(to->held, from->held, machine->num_soles, sizeof *to->held);
    copy_items(to->gazes, from->gazes, machine->num_gazes, sizeof *to->gazes);
    copy_items(to->springs, from->springs, machine->num_springs, sizeof *to->springs);
    for (uint32_t i = 0; i < tables->num_layers; i++)
        copy_layer(machine, &machine->layers[i], &to->layer_states[i], &from->layer_states[i]);
    to->num_shots = from->num_shots;
    for (uint32_t i = 0; i < machine->num_slots; i++) {
        to->slots[i].num_shots = from->slots[i].num_shots;
        copy_items(to->slots[i].shots, from->slots[i].shots, from->slots[i].num_shots,
                   sizeof(md5_shot));
    }
}
