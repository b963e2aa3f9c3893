// Motions of a machine: clips, blend spaces, stacks.
#include "md5/core/math.h"
#include "md5/play/make/building.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define QUOTED(name) md5i_quote((name), strlen(name)).text

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
        return md5i_build_speeds(building, desc, building->machine->items + first_item);
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
    return true;
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
