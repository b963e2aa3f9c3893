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
    const md5_motion *const motion = item->motion; // found by build_item(), as its clip is
    if (desc->items[number].x != 0.0f || desc->items[number].y != 0.0f)
        return md5i_fail_at(building, &desc->items[number].x, MD5_ERROR_RANGE,
                            "motion %s: item %u (%s) has a position, but is placed by its speed",
                            QUOTED(desc->name), number, QUOTED(desc->items[number].motion));
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
    if (motion->kind == MD5_MOTION_CLIP && motion->speed > 0.0f && motion->speed_parameter < 0
        && motion->playable.mode == MD5_PLAY_LOOP)
        return true;
    return md5i_fail_at(
        building, &desc->items[number].motion, MD5_ERROR_MISMATCH,
        "motion %s: item %u (%s) has no speed of its own: it must be a clip that loops "
        "forward at a fixed speed",
        QUOTED(desc->name), number, QUOTED(desc->items[number].motion));
}

// Units that the root moves in a cycle, and the cycle's seconds.
static md5_stride measure(const md5_motion *motion, double *seconds)
{
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
    const md5_source *const source = motion->playable.source;
    *seconds = 1.0 / (motion->playable.cycles * (double)motion->speed);
    if (source->extract == MD5_EXTRACT_NONE)
        return (md5_stride){0.0, 0.0, 0.0};
    return md5i_root_delta_stride(&source->root_deltas[source->binding->anim->num_frames - 1]);
}

static double along(md5_stride stride, md5_stride axis)
{
    return stride.x * axis.x + stride.y * axis.y + stride.z * axis.z;
}

static bool build_speeds(md5_building *building, const md5_motion_desc *desc, md5_item *items)
{
    md5_stride *const strides =
        (md5_stride *)md5i_arena_alloc(building->scratch, desc->num_items, sizeof *strides);
    TRY(strides);
    for (uint32_t i = 0; i < desc->num_items; i++) {
        TRY(check_item(building, desc, i, &items[i]));
        strides[i] = measure(items[i].motion, &items[i].gait.seconds);
    }
    // The direction in which speeds count: that of the fastest item, but forward, left or up rather
    // than backward, right or down. No direction if all stand.
    md5_stride axis = {1.0, 0.0, 0.0};
    double fastest = 0.0;
    for (uint32_t i = 0; i < desc->num_items; i++) {
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

static md5_clip_traits join(md5_clip_traits a, md5_clip_traits b)
{
    return (md5_clip_traits){
        .has_once = a.has_once || b.has_once,
        .has_turning = a.has_turning || b.has_turning,
        .min_markers = a.min_markers < b.min_markers ? a.min_markers : b.min_markers,
        .max_markers = a.max_markers > b.max_markers ? a.max_markers : b.max_markers,
    };
}

static void set_clip(md5_motion *motion, const md5_source *source, md5_play_mode mode, double start)
{
    const md5_timing *const timing = &source->timings[mode];
    motion->num_parts = motion->num_clips = 1;
    motion->playable =
        (md5_playable){source, timing, mode, start, 1.0 / md5i_timing_duration(timing)};
    motion->traits = (md5_clip_traits){mode == MD5_PLAY_ONCE, mode == MD5_PLAY_PING_PONG,
                                       source->num_markers, source->num_markers};
}

// A parameter that may be left out.
static bool resolve_parameter(md5_building *building, const char *const *parameter,
                              const char *owner, int32_t *number)
{
    return md5i_resolve(building, &building->parameters, parameter, "motion", owner, number);
}

// Which motion an item is, and what it is weighed by.
static bool build_item(md5_building *building, const md5_motion_desc *desc, uint32_t number,
                       md5_motion *motion, md5_item *item)
{
    const md5_motion_item *const from = &desc->items[number];
    int32_t found;
    *item = (md5_item){.num_before = motion->num_clips, .turn = number};
    TRY(md5i_resolve(building, &building->motions, &from->motion, "motion", desc->name, &found));
    if (found < 0)
        return md5i_fail_at(building, &from->motion, MD5_ERROR_MISMATCH,
                            "motion %s: item %u names no motion", QUOTED(desc->name), number);
    item->motion = &building->machine->motions[found];
    if (item->motion >= motion)
        return md5i_fail_at(building, &from->motion, MD5_ERROR_MISMATCH,
                            "motion %s is made of %s, which must be declared before it",
                            QUOTED(desc->name), QUOTED(from->motion));
    item->mode = from->mode;
    TRY(md5i_resolve(building, &building->masks, &from->mask, "motion", desc->name, &item->mask));
    md5_motion_item filled = *from;
    md5i_fill_defaults(&md5i_item_schema, &filled, 1.0f);
    item->weight.fixed = filled.weight;
    TRY(resolve_parameter(building, &from->weight_parameter, desc->name, &item->weight.parameter));
    TRY(md5i_build_curve(building, &from->weight_easing, "motion", desc->name,
                         &item->weight.curve));
    const bool is_added = desc->kind == MD5_MOTION_STACK && from->mode == MD5_LAYER_ADD;
    if (is_added && number == 0)
        return md5i_fail_at(building, &from->mode, MD5_ERROR_MISMATCH,
                            "motion %s has no item before the first, to which that could be added",
                            QUOTED(desc->name));
    if (is_added) {
        int32_t clip;
        TRY(md5i_resolve(building, &building->clips, &from->reference, "motion", desc->name,
                         &clip));
        TRY(md5i_build_reference(building, clip, item->motion, &from->reference_frame,
                                 &item->reference));
        md5i_begin_marks(building);
        md5i_mark_changed(building, item->motion, item->reference);
        TRY(md5i_set_of_marks(building, item->mask, &item->added));
    }
    motion->num_parts += item->motion->num_parts;
    motion->num_clips += item->motion->num_clips;
    if (motion->num_parts > MD5_MAX_PARTS)
        return md5i_fail_at(building, &from->motion, MD5_ERROR_RANGE,
                            "motion %s is made of more than %d parts", QUOTED(desc->name),
                            MD5_MAX_PARTS);
    // Of a stack, only the first item is synchronised with others outside.
    if (number == 0)
        motion->traits = item->motion->traits;
    else if (desc->kind != MD5_MOTION_STACK)
        motion->traits = join(motion->traits, item->motion->traits);
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
static bool check_places(md5_building *building, const md5_motion_desc *desc, md5_item *items)
{
    const uint32_t count = desc->num_items;
    if (desc->kind == MD5_MOTION_BY_SPEED)
        return build_speeds(building, desc, items);
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
        (const md5_motion_item **)md5i_arena_alloc(building->scratch, count, sizeof *sorted);
    TRY(sorted);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = &desc->items[i];
    qsort(sorted, count, sizeof *sorted, compare_items);
    for (uint32_t i = 0; i < count; i++)
        items[i].turn = (uint32_t)(sorted[i] - desc->items);
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
                       const md5_clip_traits *traits)
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
    if (traits->min_markers == 0 || traits->min_markers != traits->max_markers)
        return md5i_fail_at(
            building, &desc->sync, MD5_ERROR_MISMATCH,
            "motion %s is synchronised by markers, but its clips have %u to %u of them",
            QUOTED(desc->name), traits->min_markers, traits->max_markers);
    return true;
}

static bool build_motion(md5_building *building, uint32_t number, md5_motion *motion)
{
    const md5_motion_desc *const desc = &building->desc->motions[number];
    md5_motion_desc filled = *desc;
    md5i_fill_defaults(&md5i_motion_schema, &filled, 1.0f);
    motion->kind = desc->kind;
    motion->speed = md5i_decimal_of(filled.speed);
    TRY(resolve_parameter(building, &desc->speed_parameter, desc->name, &motion->speed_parameter));
    if (desc->kind == MD5_MOTION_CLIP) {
        int32_t clip;
        TRY(md5i_resolve(building, &building->clips, &desc->clip, "motion", desc->name, &clip));
        if (clip < 0)
            return md5i_fail_at(building, &desc->name, MD5_ERROR_MISMATCH,
                                "motion %s names no clip", QUOTED(desc->name));
        const bool is_float = (double)(float)desc->start == desc->start;
        set_clip(motion, &building->machine->sources[clip], desc->mode,
                 is_float ? md5i_decimal_of((float)desc->start) : desc->start);
        return true;
    }
    if (desc->num_items == 0)
        return md5i_fail_at(building, &desc->name, MD5_ERROR_RANGE, "motion %s has no items",
                            QUOTED(desc->name));
    md5_item *const items = (md5_item *)md5i_build_array(building, desc->num_items, sizeof *items);
    TRY(items);
    motion->items = items;
    motion->places = building->machine->tables.motions[number].items;
    motion->num_items = desc->num_items;
    motion->num_parts = 1;
    for (uint32_t i = 0; i < desc->num_items; i++)
        TRY(build_item(building, desc, i, motion, &items[i]));
    if (desc->kind == MD5_MOTION_STACK)
        return true;
    TRY(check_places(building, desc, items));
    TRY(check_sync(building, desc, &motion->traits));
    TRY(resolve_parameter(building, &desc->x_parameter, desc->name, &motion->x_parameter));
    TRY(resolve_parameter(building, &desc->y_parameter, desc->name, &motion->y_parameter));
    const bool has_x = motion->x_parameter >= 0;
    if (!has_x || (desc->kind == MD5_MOTION_BLEND_2D && motion->y_parameter < 0))
        return md5i_fail_at(building, &desc->name, MD5_ERROR_MISMATCH,
                            "motion %s has no parameter for %s", QUOTED(desc->name),
                            has_x ? "y" : "x");
    motion->sync = desc->sync;
    return true;
}

// Clips and motions share their names; a number below that of clips is a clip's.
bool md5i_build_motions(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    const size_t count = (size_t)desc->num_clips + desc->num_motions;
    TRY(md5i_begin_names(building->scratch, &building->motions, "motion", count));
    for (uint32_t i = 0; i < desc->num_clips; i++)
        md5i_add_name(&building->motions, &desc->clips[i].name);
    for (uint32_t i = 0; i < desc->num_motions; i++)
        md5i_add_name(&building->motions, &desc->motions[i].name);
    TRY(md5i_end_names(building->context, desc->locations, &building->motions));
    machine->motions = (md5_motion *)md5i_build_array(building, count, sizeof *machine->motions);
    TRY(machine->motions);
    for (uint32_t i = 0; i < count; i++) {
        md5_motion *const motion = &machine->motions[i];
        *motion =
            (md5_motion){.speed = 1.0, .speed_parameter = -1, .x_parameter = -1, .y_parameter = -1};
        if (i < desc->num_clips)
            set_clip(motion, &machine->sources[i], MD5_PLAY_LOOP, 0.0);
        else
            TRY(build_motion(building, i - desc->num_clips, motion));
    }
    return true;
}

// -- Blend trees: each motion as often as it is used, in the order of evaluation -----------------

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

bool md5i_build_tree(md5_building *building, md5_motion *motion)
{
    md5_machine *const machine = building->machine;
    const uint32_t num_parts = motion->num_parts;
    md5_blend_tree *const tree = (md5_blend_tree *)md5i_build_array(building, 1, sizeof *tree);
    // Of each part: its synchronised group, -1 = none; the instance of its first clip.
    int32_t *const group_of =
        (int32_t *)md5i_arena_alloc(building->scratch, num_parts, sizeof *group_of);
    uint32_t *const first_clip =
        (uint32_t *)md5i_arena_alloc(building->scratch, num_parts, sizeof *first_clip);
    md5i_part *const parts = (md5i_part *)md5i_build_array(building, num_parts, sizeof *parts);
    md5_instance_plan *const instances =
        (md5_instance_plan *)md5i_build_array(building, motion->num_clips, sizeof *instances);
    TRY(tree && group_of && first_clip && parts && instances);
    *tree = (md5_blend_tree){.motion = motion,
                             .parts = parts,
                             .instances = instances,
                             .num_parts = num_parts,
                             .num_instances = motion->num_clips};
    // The inputs of a part directly precede it, each preceded by its own inputs. Clips are numbered
    // in the order of the table all the same.
    uint32_t num_weights = 1;
    parts[num_parts - 1] = (md5i_part){.motion = motion, .parent = -1, .instance = -1};
    group_of[num_parts - 1] = -1;
    for (uint32_t number = num_parts; number-- > 0;) {
        md5i_part *const part = &parts[number];
        const md5_motion *const owner = part->motion;
        part->leads_group = owner->sync != MD5_SYNC_NONE && group_of[number] < 0;
        if (part->leads_group)
            group_of[number] = (int32_t)tree->num_groups++;
        part->children = num_weights;
        num_weights += owner->num_items;
        uint32_t begin = number + 1 - owner->num_parts;
        for (uint32_t turn = 0; turn < owner->num_items; turn++) {
            const uint32_t i = owner->items[turn].turn;
            const md5_item *const item = &owner->items[i];
            const uint32_t end = begin + item->motion->num_parts;
            const bool in_step = owner->kind != MD5_MOTION_STACK || i == 0;
            group_of[end - 1] = in_step ? group_of[number] : -1;
            first_clip[end - 1] = first_clip[number] + item->num_before;
            parts[end - 1] = (md5i_part){
                .motion = item->motion,
                .parent = (int32_t)number,
                .item = item,
                .weight = part->children + i,
                .instance = -1,
            };
            begin = end;
        }
    }
    tree->groups =
        (md5_group_plan *)md5i_build_array(building, tree->num_groups, sizeof *tree->groups);
    TRY(tree->groups);
    uint32_t num_poses = 0; // on the stack
    for (uint32_t i = 0; i < num_parts; i++) {
        md5i_part *const part = &parts[i];
        const md5_motion *const own = part->motion;
        tree->has_added = tree->has_added || (part->item && part->item->reference);
        if (part->leads_group)
            tree->groups[group_of[i]].num_markers = own->sync == MD5_SYNC_MARKERS;
        if (own->kind == MD5_MOTION_CLIP) {
            tree->has_root_motion =
                tree->has_root_motion || own->playable.source->extract != MD5_EXTRACT_NONE;
            part->instance = (int32_t)first_clip[i];
            instances[first_clip[i]] = (md5_instance_plan){&own->playable, i, group_of[i]};
            num_poses++;
        }
        tree->num_poses = larger(tree->num_poses, num_poses);
        // An item's pose becomes the first of its parent, or is blended into it.
        if (part->parent >= 0
            && i + 1 - own->num_parts
                   != (uint32_t)part->parent + 1 - parts[part->parent].motion->num_parts)
            num_poses--;
    }
    motion->tree = tree;
    machine->max_parts = larger(machine->max_parts, num_parts);
    machine->max_instances = larger(machine->max_instances, tree->num_instances);
    machine->max_groups = larger(machine->max_groups, tree->num_groups);
    machine->max_poses = larger(machine->max_poses, tree->num_poses);
    // Members of each group in the order of clip instances.
    uint32_t *members =
        (uint32_t *)md5i_build_array(building, tree->num_instances, sizeof *members);
    TRY(members);
    for (uint32_t i = 0; i < tree->num_instances; i++) {
        if (tree->instances[i].group >= 0)
            tree->groups[tree->instances[i].group].num_members++;
    }
    for (uint32_t i = 0; i < tree->num_groups; i++) {
        tree->groups[i].members = members;
        members += tree->groups[i].num_members;
        tree->groups[i].num_members = 0;
    }
    for (uint32_t i = 0; i < tree->num_instances; i++) {
        const md5_instance_plan *const plan = &tree->instances[i];
        if (plan->group < 0)
            continue;
        md5_group_plan *const group = &tree->groups[plan->group];
        if (group->num_markers > 0)
            group->num_markers = plan->playable->source->num_markers;
        group->members[group->num_members++] = i;
    }
    return true;
}
