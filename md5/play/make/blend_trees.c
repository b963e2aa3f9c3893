// Flattens the blend tree of each state: each motion as often as it is used, in the order of
// evaluation.
#include "md5/play/make/building.h"

// A tree that is being built.
typedef struct spreading {
    const md5_machine *machine;
    md5_blend_tree *tree;
    md5i_part *parts;     // [tree->num_parts]
    int32_t *group_of;    // [tree->num_parts] -1 = not synchronised
    uint32_t *first_clip; // [tree->num_parts] instance of the first clip
    uint32_t num_weights;
} spreading;

// The inputs of part `number` directly precede it, each preceded by its own inputs. Clips are
// numbered in the order of the table all the same.
static void spread_items(spreading *of, uint32_t number)
{
    const md5_machine *const machine = of->machine;
    md5i_part *const part = &of->parts[number];
    const md5_motion *const motion = &machine->motions[part->motion];
    const bool begins_group = motion->sync != MD5_SYNC_NONE && of->group_of[number] < 0;
    if (begins_group)
        of->group_of[number] = (int32_t)of->tree->num_groups++;
    part->leads_group = begins_group;
    part->children = of->num_weights;
    of->num_weights += motion->num_items;
    const md5_item *const items = machine->items + motion->first_item;
    uint32_t begin = number + 1 - motion->num_parts;
    for (uint32_t turn = 0; turn < motion->num_items; turn++) {
        const uint32_t i = items[turn].turn;
        const md5_item *const item = &items[i];
        const uint32_t end = begin + machine->motions[item->motion].num_parts;
        const bool in_step = motion->kind != MD5_MOTION_STACK || i == 0;
        of->group_of[end - 1] = in_step ? of->group_of[number] : -1;
        of->first_clip[end - 1] = of->first_clip[number] + item->num_before;
        of->parts[end - 1] = (md5i_part){
            .motion = item->motion,
            .parent = (int32_t)number,
            .item = motion->first_item + i,
            .weight = part->children + i,
            .instance = -1,
        };
        begin = end;
    }
}

// Poses on the stack: an item's pose becomes the first of its parent, or is blended into it.
static uint32_t count_poses(const spreading *of)
{
    const md5_machine *const machine = of->machine;
    uint32_t now = 0, most = 0;
    for (uint32_t i = 0; i < of->tree->num_parts; i++) {
        const md5i_part *const part = &of->parts[i];
        if (machine->motions[part->motion].kind == MD5_MOTION_CLIP)
            now++;
        most = now > most ? now : most;
        if (part->parent < 0)
            continue;
        const md5_motion *const parent = &machine->motions[of->parts[part->parent].motion];
        const uint32_t own = machine->motions[part->motion].num_parts;
        const bool is_first = i + 1 - own == (uint32_t)part->parent + 1 - parent->num_parts;
        if (!is_first)
            now--;
    }
    return most;
}

// Instances of clips, and what the tree has.
static void list_leaves(spreading *of, md5_instance_plan *instances)
{
    const md5_machine *const machine = of->machine;
    for (uint32_t i = 0; i < of->tree->num_parts; i++) {
        const md5i_part *const part = &of->parts[i];
        const md5_motion *const motion = &machine->motions[part->motion];
        of->tree->has_added =
            of->tree->has_added || (part->parent >= 0 && machine->items[part->item].reference >= 0);
        if (motion->kind != MD5_MOTION_CLIP)
            continue;
        const md5_source *const source =
            &machine->sources[machine->playables[motion->playable].source];
        of->tree->has_root_motion =
            of->tree->has_root_motion || source->extract != MD5_EXTRACT_NONE;
        of->parts[i].instance = (int32_t)of->first_clip[i];
        instances[of->first_clip[i]] = (md5_instance_plan){
            .playable = motion->playable,
            .part = i,
            .group = of->group_of[i],
        };
        of->tree->num_instances++;
    }
}

// Members of each group in the order of clip instances. Numbers of groups were given from the last
// part to the first.
static void list_members(const spreading *of, const md5_instance_plan *instances,
                         md5_group_plan *groups, uint32_t *members, size_t first_member)
{
    const md5_machine *const machine = of->machine;
    const md5_blend_tree *const tree = of->tree;
    for (uint32_t i = 0; i < tree->num_parts; i++) {
        if (!of->parts[i].leads_group)
            continue;
        groups[of->group_of[i]].num_markers =
            machine->motions[of->parts[i].motion].sync == MD5_SYNC_MARKERS;
    }
    for (uint32_t i = 0; i < tree->num_instances; i++) {
        if (instances[i].group >= 0)
            groups[instances[i].group].num_members++;
    }
    size_t begin = first_member;
    for (uint32_t i = 0; i < tree->num_groups; i++) {
        groups[i].first_member = begin;
        begin += groups[i].num_members;
        groups[i].num_members = 0;
    }
    for (uint32_t i = 0; i < tree->num_instances; i++) {
        if (instances[i].group < 0)
            continue;
        md5_group_plan *const group = &groups[instances[i].group];
        if (group->num_markers > 0)
            group->num_markers =
                machine->sources[machine->playables[instances[i].playable].source].num_markers;
        members[group->first_member - first_member + group->num_members++] = i;
    }
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static bool build_program(md5_building *building, md5_blend_tree *tree)
{
    md5_machine *const machine = building->machine;
    const uint32_t count = machine->motions[tree->motion].num_parts;
    spreading of = {
        .machine = machine,
        .tree = tree,
        .parts = machine->parts + machine->num_parts,
        .group_of = (int32_t *)md5i_build_array(building, count, sizeof *of.group_of),
        .first_clip = (uint32_t *)md5i_build_array(building, count, sizeof *of.first_clip),
        .num_weights = 1,
    };
    TRY(of.group_of && of.first_clip);
    tree->first_part = machine->num_parts;
    tree->num_parts = count;
    tree->first_instance = machine->num_instances;
    tree->first_group = machine->num_groups;
    of.parts[count - 1] = (md5i_part){.motion = tree->motion, .parent = -1, .instance = -1};
    of.group_of[count - 1] = -1;
    of.first_clip[count - 1] = 0;
    for (uint32_t i = count; i-- > 0;)
        spread_items(&of, i);
    md5_instance_plan *const instances = machine->instances + machine->num_instances;
    list_leaves(&of, instances);
    list_members(&of, instances, machine->groups + machine->num_groups,
                 machine->members + machine->num_members, machine->num_members);
    tree->num_poses = count_poses(&of);
    machine->num_parts += count;
    machine->num_instances += tree->num_instances;
    machine->num_groups += tree->num_groups;
    for (uint32_t i = 0; i < tree->num_groups; i++)
        machine->num_members += machine->groups[tree->first_group + i].num_members;
    machine->max_parts = larger(machine->max_parts, count);
    machine->max_instances = larger(machine->max_instances, tree->num_instances);
    machine->max_groups = larger(machine->max_groups, tree->num_groups);
    machine->max_poses = larger(machine->max_poses, tree->num_poses);
    return true;
}

enum { WANTED = -2 };

// Marks the motions that states have, and counts them and their parts.
static bool mark_motions(md5_building *building, size_t *num_trees, size_t *num_parts)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    for (uint32_t i = 0; i < desc->num_layers; i++) {
        const md5_layer_desc *const layer = &desc->layers[i];
        for (uint32_t k = 0; k < layer->num_states; k++) {
            const md5_state_desc *const state = &layer->states[k];
            int32_t number;
            TRY(md5i_resolve(building, &building->motions, &state->motion, "state",
                             state->name ? state->name : "", &number));
            if (number < 0 || machine->motions[number].tree == WANTED)
                continue;
            machine->motions[number].tree = WANTED;
            *num_trees += 1;
            *num_parts += machine->motions[number].num_parts;
        }
    }
    return true;
}

bool md5i_build_trees(md5_building *building)
{
    md5_machine *const machine = building->machine;
    size_t num_trees = 0, num_parts = 0;
    TRY(mark_motions(building, &num_trees, &num_parts));
    machine->trees =
        (md5_blend_tree *)md5i_build_array(building, num_trees, sizeof *machine->trees);
    machine->parts = (md5i_part *)md5i_build_array(building, num_parts, sizeof *machine->parts);
    machine->instances =
        (md5_instance_plan *)md5i_build_array(building, num_parts, sizeof *machine->instances);
    machine->groups =
        (md5_group_plan *)md5i_build_array(building, num_parts, sizeof *machine->groups);
    machine->members = (uint32_t *)md5i_build_array(building, num_parts, sizeof *machine->members);
    TRY(machine->trees && machine->parts && machine->instances && machine->groups
        && machine->members);
    for (uint32_t i = 0; i < machine->num_motions; i++) {
        if (machine->motions[i].tree != WANTED)
            continue;
        machine->motions[i].tree = (int32_t)machine->num_trees;
        md5_blend_tree *const tree = &machine->trees[machine->num_trees++];
        *tree = (md5_blend_tree){.motion = i};
        TRY(build_program(building, tree));
    }
    return true;
}
