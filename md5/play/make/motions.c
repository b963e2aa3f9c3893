// Motions of a machine: clips, blend spaces, stacks; and the blend tree of each state.
#include "md5/core/math.h"
#include "md5/play/make/building.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- Speeds -------------------------------------------------------------------------------------

// Only a clip that loops at a speed of its own has one that can be measured.
static bool check_item(md5_building *building, const md5_motion_desc *desc, uint32_t number,
                       const md5_item *item)
{
    const md5_machine *const machine = building->machine;
    const md5_motion *const motion = &machine->motions[item->motion];
    if (desc->items[number].x != 0.0f || desc->items[number].y != 0.0f)
        return md5i_fail_at(building, &desc->items[number].x, MD5_ERROR_RANGE,
                            "motion %s: item %u (%s) has a position, but is placed by its speed",
                            QUOTED(desc->name), number, QUOTED(desc->items[number].motion));
    if (motion->kind == MD5_MOTION_CLIP && motion->speed > 0.0f && motion->speed_parameter < 0
        && machine->playables[motion->playable].mode == MD5_PLAY_LOOP)
        return true;
    return md5i_fail_at(
        building, &desc->items[number].motion, MD5_ERROR_MISMATCH,
        "motion %s: item %u (%s) has no speed of its own: it must be a clip that loops "
        "forward at a fixed speed",
        QUOTED(desc->name), number, QUOTED(desc->items[number].motion));
}

// Units that the root moves in a cycle, and the cycle's seconds.
static md5_stride measure(const md5_machine *machine, const md5_item *item, double *seconds)
{
    const md5_motion *const motion = &machine->motions[item->motion];
    const md5_playable *const clip = &machine->playables[motion->playable];
    const md5_source *const source = &machine->sources[clip->source];
    *seconds = 1.0 / (clip->cycles * (double)motion->speed);
    if (source->extract == MD5_EXTRACT_NONE)
        return (md5_stride){0.0, 0.0, 0.0};
    const md5_root_track track = md5_track_of(machine, source);
    return md5i_root_delta_stride(&track.frames[track.num_frames - 1]);
}

static double along(md5_stride stride, md5_stride axis)
{
    return stride.x * axis.x + stride.y * axis.y + stride.z * axis.z;
}

// The direction in which speeds count: that of the fastest item, but forward, left or up rather
// than backward, right or down. No direction if all stand.
static md5_stride find_axis(const md5_stride *strides, const md5_item *items, uint32_t count)
{
    md5_stride axis = {1.0, 0.0, 0.0};
    double fastest = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        const double length = sqrt(along(strides[i], strides[i]));
        if (!(length > fastest * items[i].gait.seconds))
            continue;
        fastest = length / items[i].gait.seconds;
        const md5_stride s = strides[i];
        const bool is_x = fabs(s.x) >= fabs(s.y) && fabs(s.x) >= fabs(s.z);
        const double main = is_x ? s.x : fabs(s.y) >= fabs(s.z) ? s.y : s.z;
        const double by = main < 0.0 ? -1.0 / length : 1.0 / length;
        axis = (md5_stride){s.x * by, s.y * by, s.z * by};
    }
    return axis;
}

static bool build_speeds(md5_building *building, const md5_motion_desc *desc, md5_item *items)
{
    md5_stride *const strides =
        (md5_stride *)md5i_build_array(building, desc->num_items, sizeof *strides);
    TRY(strides);
    for (uint32_t i = 0; i < desc->num_items; i++) {
        TRY(check_item(building, desc, i, &items[i]));
        strides[i] = measure(building->machine, &items[i], &items[i].gait.seconds);
    }
    const md5_stride axis = find_axis(strides, items, desc->num_items);
    for (uint32_t i = 0; i < desc->num_items; i++) {
        items[i].gait.speed = along(strides[i], axis) / items[i].gait.seconds;
        if (i > 0 && !(items[i].gait.speed > items[i - 1].gait.speed))
            return md5i_fail_at(
                building, &desc->items[i].motion, MD5_ERROR_RANGE,
                "motion %s: item %u (%s) moves the root at %g units/s, which must be "
                "faster than the one before, at %g",
                QUOTED(desc->name), i, QUOTED(desc->items[i].motion), items[i].gait.speed,
                items[i - 1].gait.speed);
    }
    return true;
}

// -- Motions ------------------------------------------------------------------------------------

// What the clips of a synchronised motion have in common.
typedef struct step_traits {
    bool has_once;    // one that ends
    bool has_turning; // one that goes there and back
    uint32_t fewest_markers, most_markers;
} step_traits;

typedef struct motion_arrays {
    md5_motion *motions;
    md5_item *items;
    md5_playable *playables;
    step_traits *traits; // [motions]
} motion_arrays;

static step_traits join(step_traits a, step_traits b)
{
    return (step_traits){
        .has_once = a.has_once || b.has_once,
        .has_turning = a.has_turning || b.has_turning,
        .fewest_markers = a.fewest_markers < b.fewest_markers ? a.fewest_markers : b.fewest_markers,
        .most_markers = a.most_markers > b.most_markers ? a.most_markers : b.most_markers,
    };
}

static void add_playable(md5_building *building, const motion_arrays *arrays, md5_motion *motion,
                         uint32_t source, md5_play_mode mode, double start)
{
    md5_machine *const machine = building->machine;
    const md5_source *const of = &machine->sources[source];
    motion->playable = (uint32_t)machine->num_playables++;
    motion->num_parts = motion->num_clips = 1;
    arrays->playables[motion->playable] = (md5_playable){
        .source = source,
        .mode = mode,
        .start = start,
        .cycles = 1.0 / md5i_timing_duration(&of->timings[mode]),
    };
    arrays->traits[motion - arrays->motions] = (step_traits){
        .has_once = mode == MD5_PLAY_ONCE,
        .has_turning = mode == MD5_PLAY_PING_PONG,
        .fewest_markers = of->num_markers,
        .most_markers = of->num_markers,
    };
}

// A parameter that may be left out.
static bool resolve_parameter(md5_building *building, const char *const *parameter,
                              const char *owner, int32_t *number)
{
    return md5i_resolve(building, &building->parameters, parameter, "motion", owner, number);
}

static bool build_clip_motion(md5_building *building, const motion_arrays *arrays,
                              const md5_motion_desc *desc, md5_motion *motion)
{
    int32_t clip;
    TRY(md5i_resolve(building, &building->clips, &desc->clip, "motion", desc->name, &clip));
    if (clip < 0)
        return md5i_fail_at(building, &desc->name, MD5_ERROR_MISMATCH, "motion %s names no clip",
                            QUOTED(desc->name));
    const bool is_float = (double)(float)desc->start == desc->start;
    const double start = is_float ? md5i_decimal_of((float)desc->start) : desc->start;
    add_playable(building, arrays, motion, (uint32_t)clip, desc->mode, start);
    return true;
}

// Which motion an item is, and what it is weighed by.
static bool build_item(md5_building *building, const motion_arrays *arrays,
                       const md5_motion_desc *desc, uint32_t number, md5_motion *motion,
                       md5_item *item)
{
    const md5_motion_item *const from = &desc->items[number];
    const int32_t self = (int32_t)(motion - arrays->motions);
    int32_t found;
    *item = (md5_item){.reference = -1, .num_before = motion->num_clips, .turn = number};
    TRY(md5i_resolve(building, &building->motions, &from->motion, "motion", desc->name, &found));
    if (found < 0)
        return md5i_fail_at(building, &from->motion, MD5_ERROR_MISMATCH,
                            "motion %s: item %u names no motion", QUOTED(desc->name), number);
    if (found >= self)
        return md5i_fail_at(building, &from->motion, MD5_ERROR_MISMATCH,
                            "motion %s is made of %s, which must be declared before it",
                            QUOTED(desc->name), QUOTED(from->motion));
    item->motion = (uint32_t)found;
    item->mode = from->mode;
    TRY(md5i_resolve(building, &building->masks, &from->mask, "motion", desc->name, &item->mask));
    md5_motion_item filled = *from;
    md5i_fill_defaults(&md5i_item_schema, &filled, 1.0f);
    item->weight.fixed = filled.weight;
    TRY(resolve_parameter(building, &from->weight_parameter, desc->name, &item->weight.parameter));
    TRY(md5i_build_curve(building, from->weight_curve, "motion", desc->name, &item->weight.curve));
    const bool is_added = desc->kind == MD5_MOTION_STACK && from->mode == MD5_LAYER_ADD;
    if (is_added && number == 0)
        return md5i_fail_at(building, &from->mode, MD5_ERROR_MISMATCH,
                            "motion %s has no item before the first, to which that could be added",
                            QUOTED(desc->name));
    if (is_added) {
        int32_t source;
        TRY(md5i_resolve(building, &building->clips, &from->reference, "motion", desc->name,
                         &source));
        if (source < 0)
            source = (int32_t)md5i_first_source(building, item->motion);
        TRY(md5i_build_reference(building, (uint32_t)source, &from->reference_frame,
                                 &item->reference));
        md5i_begin_marks(building);
        md5i_mark_changed(building, item->motion, item->reference);
        item->added = md5i_set_of_marks(building, item->mask);
    }
    motion->num_parts += arrays->motions[found].num_parts;
    motion->num_clips += arrays->motions[found].num_clips;
    if (motion->num_parts > MD5_MAX_PARTS)
        return md5i_fail_at(building, &from->motion, MD5_ERROR_RANGE,
                            "motion %s is made of more than %d parts", QUOTED(desc->name),
                            MD5_MAX_PARTS);
    return true;
}

static bool build_items(md5_building *building, const motion_arrays *arrays,
                        const md5_motion_desc *desc, md5_motion *motion)
{
    md5_machine *const machine = building->machine;
    if (desc->num_items == 0)
        return md5i_fail_at(building, &desc->name, MD5_ERROR_RANGE, "motion %s has no items",
                            QUOTED(desc->name));
    motion->first_item = machine->num_items;
    motion->num_items = desc->num_items;
    motion->num_parts = 1;
    machine->items = arrays->items;
    for (uint32_t i = 0; i < desc->num_items; i++)
        TRY(build_item(building, arrays, desc, i, motion, &arrays->items[machine->num_items++]));
    step_traits traits = arrays->traits[arrays->items[motion->first_item].motion];
    // Of a stack, only the first item is synchronised with others outside.
    for (uint32_t i = 1; desc->kind != MD5_MOTION_STACK && i < desc->num_items; i++)
        traits = join(traits, arrays->traits[arrays->items[motion->first_item + i].motion]);
    arrays->traits[motion - arrays->motions] = traits;
    return true;
}

static int compare_places(const void *left, const void *right)
{
    const md5_motion_item *a = *(const md5_motion_item *const *)left;
    const md5_motion_item *b = *(const md5_motion_item *const *)right;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return a->y < b->y ? -1 : a->y > b->y;
}

// Of equal places in the order of the table, so that it is the second that is one too many.
static int compare_items(const void *left, const void *right)
{
    const int order = compare_places(left, right);
    const md5_motion_item *a = *(const md5_motion_item *const *)left;
    const md5_motion_item *b = *(const md5_motion_item *const *)right;
    return order != 0 ? order : a < b ? -1 : a > b;
}

// Items of a plane are blended in the order of their places. A pose that is blended of three or
// more, two at a time, depends on the order, and must not on that of a table.
static bool check_places(md5_building *building, const md5_motion_desc *desc, size_t first_item)
{
    const uint32_t count = desc->num_items;
    if (desc->kind == MD5_MOTION_BY_SPEED)
        return build_speeds(building, desc, building->machine->items + first_item);
    if (desc->kind == MD5_MOTION_BLEND_1D) {
        for (uint32_t i = 1; i < count; i++) {
            if (!(desc->items[i].x > desc->items[i - 1].x))
                return md5i_fail_at(building, &desc->items[i].x, MD5_ERROR_RANGE,
                                    "motion %s: item %u is not above the one before",
                                    QUOTED(desc->name), i);
        }
        return true;
    }
    const md5_motion_item **const sorted =
        (const md5_motion_item **)md5i_build_array(building, count, sizeof *sorted);
    TRY(sorted);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = &desc->items[i];
    qsort(sorted, count, sizeof *sorted, compare_items);
    for (uint32_t i = 0; i < count; i++)
        building->machine->items[first_item + i].turn = (uint32_t)(sorted[i] - desc->items);
    for (uint32_t i = 1; i < count; i++) {
        if (compare_places(&sorted[i - 1], &sorted[i]) == 0)
            return md5i_fail_at(building, &sorted[i]->x, MD5_ERROR_RANGE,
                                "motion %s: items %s and %s are at the same position",
                                QUOTED(desc->name), QUOTED(sorted[i - 1]->motion),
                                QUOTED(sorted[i]->motion));
    }
    return true;
}

static bool check_sync(md5_building *building, const md5_motion_desc *desc,
                       const step_traits *traits)
{
    if (desc->sync == MD5_SYNC_NONE)
        return true;
    if (traits->has_once)
        return md5i_fail_at(building, &desc->sync, MD5_ERROR_MISMATCH,
                            "motion %s is synchronised, but one of its clips does not loop",
                            QUOTED(desc->name));
    if (desc->sync == MD5_SYNC_PHASE)
        return true;
    if (traits->has_turning)
        return md5i_fail_at(
            building, &desc->sync, MD5_ERROR_MISMATCH,
            "motion %s is synchronised by markers, but one of its clips is ping-pong",
            QUOTED(desc->name));
    if (traits->fewest_markers == 0 || traits->fewest_markers != traits->most_markers)
        return md5i_fail_at(
            building, &desc->sync, MD5_ERROR_MISMATCH,
            "motion %s is synchronised by markers, but its clips have %u to %u of them",
            QUOTED(desc->name), traits->fewest_markers, traits->most_markers);
    return true;
}

static bool build_space(md5_building *building, const motion_arrays *arrays,
                        const md5_motion_desc *desc, md5_motion *motion)
{
    TRY(build_items(building, arrays, desc, motion));
    TRY(check_places(building, desc, motion->first_item));
    TRY(check_sync(building, desc, &arrays->traits[motion - arrays->motions]));
    TRY(resolve_parameter(building, &desc->x_parameter, desc->name, &motion->x_parameter));
    TRY(resolve_parameter(building, &desc->y_parameter, desc->name, &motion->y_parameter));
    if (motion->x_parameter < 0)
        return md5i_fail_at(building, &desc->name, MD5_ERROR_MISMATCH,
                            "motion %s has no parameter for x", QUOTED(desc->name));
    if (desc->kind == MD5_MOTION_BLEND_2D && motion->y_parameter < 0)
        return md5i_fail_at(building, &desc->name, MD5_ERROR_MISMATCH,
                            "motion %s has no parameter for y", QUOTED(desc->name));
    motion->sync = desc->sync;
    return true;
}

static bool build_motion(md5_building *building, const motion_arrays *arrays,
                         const md5_motion_desc *desc, md5_motion *motion)
{
    md5_motion_desc filled = *desc;
    md5i_fill_defaults(&md5i_motion_schema, &filled, 1.0f);
    motion->kind = desc->kind;
    motion->speed = md5i_decimal_of(filled.speed);
    TRY(resolve_parameter(building, &desc->speed_parameter, desc->name, &motion->speed_parameter));
    if (desc->kind == MD5_MOTION_CLIP)
        return build_clip_motion(building, arrays, desc, motion);
    if (desc->kind != MD5_MOTION_STACK)
        return build_space(building, arrays, desc, motion);
    return build_items(building, arrays, desc, motion);
}

// Clips and motions share their names; a number below that of clips is a clip's.
static bool name_motions(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    TRY(md5i_begin_names(building->arena, &building->motions, "motion",
                         (size_t)desc->num_clips + desc->num_motions));
    for (uint32_t i = 0; i < desc->num_clips; i++)
        md5i_add_name(&building->motions, &desc->clips[i].name);
    for (uint32_t i = 0; i < desc->num_motions; i++)
        md5i_add_name(&building->motions, &desc->motions[i].name);
    return md5i_end_names(building->context, desc->locations, &building->motions);
}

uint32_t md5i_first_source(const md5_building *building, uint32_t motion)
{
    const md5_machine *const machine = building->machine;
    const md5_motion *at = &machine->motions[motion];
    // Each is made of ones before it: this ends.
    while (at->kind != MD5_MOTION_CLIP)
        at = &machine->motions[machine->items[at->first_item].motion];
    return machine->playables[at->playable].source;
}

// -- Blend trees: each motion as often as it is used, in the order of evaluation ---------------

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

static bool build_trees(md5_building *building)
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

bool md5i_build_motions(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    const size_t count = (size_t)desc->num_clips + desc->num_motions;
    TRY(name_motions(building));
    size_t num_items = 0;
    for (uint32_t i = 0; i < desc->num_motions; i++)
        num_items += desc->motions[i].num_items;
    const motion_arrays arrays = {
        .motions = (md5_motion *)md5i_build_array(building, count, sizeof *arrays.motions),
        .items = (md5_item *)md5i_build_array(building, num_items, sizeof *arrays.items),
        .playables = (md5_playable *)md5i_build_array(building, count, sizeof *arrays.playables),
        .traits = (step_traits *)md5i_build_array(building, count, sizeof *arrays.traits),
    };
    TRY(arrays.motions && arrays.items && arrays.playables && arrays.traits);
    machine->motions = arrays.motions;
    machine->items = arrays.items;
    machine->playables = arrays.playables;
    machine->num_motions = count;
    for (uint32_t i = 0; i < count; i++) {
        md5_motion *const motion = &arrays.motions[i];
        *motion = (md5_motion){
            .speed = 1.0,
            .speed_parameter = -1,
            .x_parameter = -1,
            .y_parameter = -1,
            .tree = -1,
        };
        if (i < desc->num_clips)
            add_playable(building, &arrays, motion, i, MD5_PLAY_LOOP, 0.0);
        else
            TRY(build_motion(building, &arrays, &desc->motions[i - desc->num_clips], motion));
    }
    return build_trees(building);
}
