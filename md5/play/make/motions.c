// Builds the motions of a machine and their flattened blend trees.
//
// A source is a clip of the machine with the data that all its uses share. A motion plays one clip,
// or it blends its items, which are clips or other motions. In a blend space, parameters determine
// the weights of the items. In a stack, each item overrides the items below or is added to them.
#include "md5/core/math.h"
#include "md5/play/make/building.h"

#include <stdlib.h>

// -- Reference poses -----------------------------------------------------------------------------

// Returns the first clip of a motion. The search ends, because items are declared before the motion
// that contains them.
static const md5_source *find_first_clip(const md5_motion *motion)
{
    const md5_motion *first = motion;
    while (first->kind != MD5_MOTION_CLIP)
        first = first->items[0].motion;
    return first->playable.source;
}

// Samples a frame of a clip as a reference pose. An additive item or layer adds the difference
// between its pose and this pose. `clip` is MD5_NONE for the first clip of the motion. `frame` is a
// member of a row, whose address gives the location of an error.
bool md5i_build_reference(md5_building *building, uint32_t clip, const md5_motion *motion,
                          const uint32_t *frame, const md5_xform **reference)
{
    const md5_machine *const machine = building->machine;
    const md5_source *const source =
        clip == MD5_NONE ? find_first_clip(motion) : &machine->sources[clip];
    const uint32_t num_frames = source->binding->anim->num_frames;
    if (*frame >= num_frames)
        return md5i_fail_at(
            building, frame, MD5_ERROR_RANGE,
            "reference frame of clip %s is out of range: expected 0 to %u, found %u",
            MD5_QUOTED(building->desc->clips[source - machine->sources].name), num_frames - 1,
            *frame);

    md5_xform *const pose = MD5_ALLOC_ZEROED(building->arena, md5_xform, machine->num_joints);
    TRY(*reference = pose);
    md5i_sample_source(machine, source, &(md5_sample_position){.frame0 = *frame, .frame1 = *frame},
                       pose);
    return true;
}

// -- Speeds -------------------------------------------------------------------------------------

// Movement of the root in one cycle, in the axes that the root has in the middle of the cycle. If
// the root also rotates, its path is an arc. The length of this vector is the length of the path.
typedef struct root_stride {
    double x;
    double y;
    double z;
} root_stride;

// Returns the length of an arc divided by the length of its chord, from the cosine of half the
// angle t of the arc. The ratio is a product (Viete's formula), whose factors follow from the
// half-angle formula:
//
//   (t/2) / sin(t/2) = 1/cos(t/4) * 1/cos(t/8) * 1/cos(t/16) * ...
//   cos(x/2) = sqrt((1 + cos(x)) / 2)
static double arc_per_chord(double cosine_of_half)
{
    enum { HALVINGS = 26 }; // number of halvings after which the cosine is rounded to 1
    double cosine = cosine_of_half;
    double ratio = 1;
    for (uint32_t i = 0; i < HALVINGS; i++) {
        cosine = sqrt(0.5 + 0.5 * cosine);
        ratio /= cosine;
    }
    return ratio;
}

// Returns the distance that a clip moves the character in one cycle, forward, to the left and up,
// in units. Sets *seconds to the duration of the cycle. If the clip turns, the distance is measured
// along the arc.
static root_stride measure_stride(const md5_motion *motion, double *seconds)
{
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
    const md5_source *const source = motion->playable.source;
    *seconds = 1.0 / (motion->playable.cycles * motion->speed);
    if (source->root_extraction == MD5_ROOT_EXTRACTION_NONE)
        return (root_stride){0, 0, 0};

    // Rotate the displacement of the cycle, the chord of the arc, back by half of its yaw.
    const md5_root_delta *const delta = &source->root_deltas[source->binding->anim->num_frames - 1];
    const double cosine = sqrt(fmin(fmax(0.5 + 0.5 * delta->cosine, 0.0), 1.0));
    const double abs_sine = sqrt(1 - cosine * cosine);
    const double sine = delta->sine < 0 ? -abs_sine : abs_sine;
    const double x = cosine * delta->x + sine * delta->y;
    const double y = cosine * delta->y - sine * delta->x;

    const double ratio = arc_per_chord(cosine);
    return (root_stride){x * ratio, y * ratio, delta->z};
}

static double dot_strides(root_stride a, root_stride b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Returns the component of a stride with the largest absolute value.
static double largest_component(root_stride s)
{
    if (fabs(s.x) >= fabs(s.y) && fabs(s.x) >= fabs(s.z))
        return s.x;
    return fabs(s.y) >= fabs(s.z) ? s.y : s.z;
}

// Returns the axis along which speeds are measured. This is the direction in which the fastest item
// moves the root. If the largest component of this direction is negative, the axis is the opposite
// direction, so that speeds forward, to the left and up are positive. Returns the x axis if no item
// moves the root.
static root_stride find_speed_axis(const root_stride *strides, const md5_item *items,
                                   uint32_t num_items)
{
    root_stride axis = {1, 0, 0};
    double max_speed = 0;
    for (uint32_t i = 0; i < num_items; i++) {
        const root_stride stride = strides[i];
        const double length = sqrt(dot_strides(stride, stride));
        if (!(length > max_speed * items[i].seconds))
            continue;
        max_speed = length / items[i].seconds;
        const double scale = largest_component(stride) < 0 ? -1.0 / length : 1.0 / length;
        axis = (root_stride){stride.x * scale, stride.y * scale, stride.z * scale};
    }
    return axis;
}

// Returns true if a motion is a clip that loops forward at a fixed speed.
static bool is_looping_forward(const md5_motion *motion)
{
    if (motion->kind != MD5_MOTION_CLIP || motion->playable.mode != MD5_PLAY_LOOP)
        return false;
    return motion->speed > 0 && motion->speed_parameter == MD5_NONE;
}

// Checks an item of a MD5_MOTION_BY_SPEED. `motion` is its motion, which build_item() has set.
static bool check_speed_item(md5_building *building, const md5_motion_item *item, uint32_t index,
                             const md5_motion *motion)
{
    if (item->x != 0 || item->y != 0)
        return MD5_OUT_OF_RANGE(building, &item->x,
                                ": item %u (%s) has a position: expected none, because items of "
                                "'by_speed' are placed by their speed",
                                index, MD5_QUOTED(item->motion));
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
    if (!is_looping_forward(motion))
        return MD5_MISMATCH(building, &item->motion,
                            ": item %u (%s) has no fixed speed: expected a clip that loops "
                            "forward at a fixed speed",
                            index, MD5_QUOTED(item->motion));
    return true;
}

// Computes the positions of the items of a MD5_MOTION_BY_SPEED from the root speeds of their clips.
static bool build_speeds(md5_building *building, const md5_motion_desc *desc, md5_item *items)
{
    root_stride *const strides = MD5_ALLOC_ZEROED(building->scratch, root_stride, desc->num_items);
    TRY(strides);
    for (uint32_t i = 0; i < desc->num_items; i++) {
        TRY(check_speed_item(building, &desc->items[i], i, items[i].motion));
        strides[i] = measure_stride(items[i].motion, &items[i].seconds);
    }

    const root_stride axis = find_speed_axis(strides, items, desc->num_items);
    for (uint32_t i = 0; i < desc->num_items; i++) {
        items[i].position = dot_strides(strides[i], axis) / items[i].seconds;
        if (i > 0 && !(items[i].position > items[i - 1].position))
            return MD5_OUT_OF_RANGE(building, &desc->items[i].motion,
                                    ": items are not sorted by speed: item %u (%s) moves the root "
                                    "at %g units/s, the previous item at %g",
                                    i, MD5_QUOTED(desc->items[i].motion), items[i].position,
                                    items[i - 1].position);
    }
    return true;
}

// Checks an easing, the curve of a fade, and adds it to the machine's easings. Sets *number to its
// index; index 0 is the linear easing.
bool md5i_build_easing(md5_building *building, const md5_easing *easing, uint32_t *number)
{
    md5_machine *const machine = building->machine;
    *number = 0;
    if (easing->kind == MD5_EASE_LINEAR)
        return true;
    TRY(md5i_check_steps(building, easing));
    *number = (uint32_t)machine->num_easings++;
    machine->easings[*number] = *easing;
    return true;
}

// -- Motions ------------------------------------------------------------------------------------

// Makes a motion that plays one clip in a mode. `start` is the normalized time at which the clip
// begins. The traits of a motion decide if its clips can be synchronized.
static void set_clip(md5_motion *motion, const md5_source *source, md5_play_mode mode, double start)
{
    const md5_timing *const timing = &source->timings[mode];
    motion->num_parts = 1;
    motion->num_clips = 1;
    motion->playable = (md5_playable){
        .source = source,
        .timing = timing,
        .mode = mode,
        .start = start,
        .cycles = 1.0 / md5i_timing_duration(timing),
    };
    motion->traits = (md5_clip_traits){
        .has_once = mode == MD5_PLAY_ONCE,
        .has_ping_pong = mode == MD5_PLAY_PING_PONG,
        .min_markers = source->num_markers,
        .max_markers = source->num_markers,
    };
}

// Adds the traits of an item's clips to the traits of the motion that contains the item.
static void merge_traits(md5_clip_traits *motion, const md5_clip_traits *item)
{
    motion->has_once = motion->has_once || item->has_once;
    motion->has_ping_pong = motion->has_ping_pong || item->has_ping_pong;
    motion->max_markers = md5_larger_count(motion->max_markers, item->max_markers);
    if (item->min_markers < motion->min_markers)
        motion->min_markers = item->min_markers;
}

// Finds the motion of an item, which must be declared before the motion that contains it.
static bool find_item_motion(md5_building *building, const md5_motion_item *row, uint32_t index,
                             const md5_motion *container, md5_item *item)
{
    uint32_t found;
    TRY(MD5_RESOLVE(building, motions, row->motion, found));
    if (found == MD5_NONE)
        return MD5_MISMATCH(building, &row->motion,
                            ": motion of item %u is missing: expected the name of a motion or clip",
                            index);
    item->motion = &building->machine->motions[found];
    if (item->motion >= container)
        return MD5_MISMATCH(building, &row->motion,
                            " contains motion %s, which must be declared before it",
                            MD5_QUOTED(row->motion));
    return true;
}

// Builds the reference pose of an item that is added, and the set of joints that it changes.
static bool build_added_item(md5_building *building, const md5_motion_item *row, md5_item *item)
{
    uint32_t clip;
    TRY(MD5_RESOLVE(building, clips, row->reference, clip));
    TRY(md5i_build_reference(building, clip, item->motion, &row->reference_frame,
                             &item->reference));
    md5i_clear_marks(building);
    md5i_mark_changed(building, item->motion, item->reference);
    return md5i_build_marked_set(building, item->mask, &item->added);
}

// Builds the weight of an item: a fixed weight, or a parameter with an easing.
static bool build_item_weight(md5_building *building, const md5_motion_item *row, md5_item *item)
{
    md5_motion_item filled = *row;
    md5i_fill_defaults(&md5i_item_schema, &filled, 1);
    item->weight.fixed = filled.weight;
    TRY(MD5_RESOLVE(building, parameters, row->weight_parameter, item->weight.parameter));
    return md5i_build_easing(building, &row->weight_easing, &item->weight.easing);
}

// Builds one item of a blend space or stack: its clip or motion, weight, mask and reference pose.
// Adds the numbers of parts and clips of the item to the motion that contains it. A part is a clip
// or a motion of the flattened blend tree.
static bool build_item(md5_building *building, const md5_motion_desc *desc, uint32_t index,
                       md5_motion *motion, md5_item *item)
{
    const md5_motion_item *const row = &desc->items[index];
    const bool is_first = index == 0;
    const bool is_stack = desc->kind == MD5_MOTION_STACK;
    *item = (md5_item){
        .mode = row->mode,
        .position = row->x,
        .num_before = motion->num_clips,
        .blend_index = index,
    };
    TRY(find_item_motion(building, row, index, motion, item));
    TRY(MD5_RESOLVE(building, masks, row->mask, item->mask));
    TRY(build_item_weight(building, row, item));

    const bool is_added = is_stack && row->mode == MD5_LAYER_ADD;
    if (is_added && is_first)
        return MD5_MISMATCH(building, &row->mode,
                            ": mode of the first item is 'add': expected 'override'");
    if (is_added)
        TRY(build_added_item(building, row, item));

    motion->num_parts += item->motion->num_parts;
    motion->num_clips += item->motion->num_clips;
    if (motion->num_parts > MD5_MAX_PARTS)
        return MD5_OUT_OF_RANGE(building, &row->motion, " is too large: expected at most %d parts",
                                MD5_MAX_PARTS);

    // Only the first item of a stack can be synchronized with clips outside of the stack. So a
    // stack has the traits of its first item, and a blend space has the traits of all items.
    if (is_first)
        motion->traits = item->motion->traits;
    else if (!is_stack)
        merge_traits(&motion->traits, &item->motion->traits);
    return true;
}

// Compares items for qsort() by position. Items at the same position keep their order, so that the
// second is reported as a duplicate.
static int compare_items(const void *left, const void *right)
{
    const md5_motion_item *a = *(const md5_motion_item *const *)left;
    const md5_motion_item *b = *(const md5_motion_item *const *)right;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    return a < b ? -1 : a > b;
}

// Checks that the items of a 1D blend space are sorted by position, and that their positions
// differ.
static bool check_order(md5_building *building, const md5_motion_desc *desc)
{
    for (uint32_t i = 1; i < desc->num_items; i++) {
        if (!(desc->items[i].x > desc->items[i - 1].x))
            return MD5_OUT_OF_RANGE(
                building, &desc->items[i].x,
                ": items are not sorted by position: expected item %u above %g, found %g", i,
                (double)desc->items[i - 1].x, (double)desc->items[i].x);
    }
    return true;
}

// Sets the order in which the items of a 2D blend space are blended, and checks that their
// positions differ. The blend of three or more poses depends on their order. Items are blended in
// the order of their positions, so that the order of the table does not change the result.
static bool sort_items(md5_building *building, const md5_motion_desc *desc, md5_item *items)
{
    const uint32_t count = desc->num_items;
    const md5_motion_item **const sorted =
        MD5_ALLOC_ZEROED(building->scratch, const md5_motion_item *, count);
    TRY(sorted);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = &desc->items[i];
    qsort(sorted, count, sizeof *sorted, compare_items);

    // The items are blended in the order of `sorted`: items[i].blend_index is the item at position
    // i.
    for (uint32_t i = 0; i < count; i++)
        items[i].blend_index = (uint32_t)(sorted[i] - desc->items);
    for (uint32_t i = 1; i < count; i++) {
        if (sorted[i - 1]->x == sorted[i]->x && sorted[i - 1]->y == sorted[i]->y)
            return MD5_OUT_OF_RANGE(
                building, &sorted[i]->x, ": items %s and %s are at the same position",
                MD5_QUOTED(sorted[i - 1]->motion), MD5_QUOTED(sorted[i]->motion));
    }
    return true;
}

// Checks the positions of the items of a blend space, and computes positions from speeds.
static bool build_positions(md5_building *building, const md5_motion_desc *desc, md5_item *items)
{
    if (desc->kind == MD5_MOTION_BY_SPEED)
        return build_speeds(building, desc, items);
    if (desc->kind == MD5_MOTION_BLEND_1D)
        return check_order(building, desc);
    return sort_items(building, desc, items);
}

// Builds a motion that plays one clip.
static bool build_clip_motion(md5_building *building, const md5_motion_desc *desc,
                              md5_motion *motion)
{
    uint32_t clip;
    TRY(MD5_RESOLVE(building, clips, desc->clip, clip));
    if (clip == MD5_NONE)
        return MD5_MISMATCH(building, &desc->name, " has no clip: expected the name of a clip");
    // If the start was stored as a float, use the nearest decimal number: 0.1 for 0.1f.
    const bool is_float = (float)desc->start == desc->start;
    const double start = is_float ? md5i_decimal_from_float((float)desc->start) : desc->start;
    set_clip(motion, &building->machine->sources[clip], desc->mode, start);
    return true;
}

// Checks the `sync` member of a blend space: whether its clips can follow one clock. `traits`
// describes all its clips.
static bool check_sync(md5_building *building, const md5_motion_desc *desc,
                       const md5_clip_traits *traits)
{
    if (desc->sync != MD5_SYNC_NONE && traits->has_once)
        return MD5_MISMATCH(building, &desc->sync,
                            " cannot be synchronized: one of its clips does not loop");
    if (desc->sync != MD5_SYNC_MARKERS)
        return true;
    if (traits->has_ping_pong)
        return MD5_MISMATCH(building, &desc->sync,
                            " cannot be synchronized by markers: one of its clips plays ping-pong");
    if (traits->min_markers == 0 || traits->min_markers != traits->max_markers)
        return MD5_MISMATCH(building, &desc->sync,
                            " cannot be synchronized by markers: expected the same number in all "
                            "clips, at least 1, found %u to %u",
                            traits->min_markers, traits->max_markers);
    return true;
}

// Finds the parameters of the axes of a blend space.
static bool find_axes(md5_building *building, const md5_motion_desc *desc, md5_motion *motion)
{
    TRY(MD5_RESOLVE(building, parameters, desc->x_parameter, motion->x_parameter));
    TRY(MD5_RESOLVE(building, parameters, desc->y_parameter, motion->y_parameter));
    if (motion->x_parameter == MD5_NONE)
        return MD5_MISMATCH(building, &desc->name,
                            " has no parameter for axis %s: expected the name of a parameter", "x");
    if (desc->kind == MD5_MOTION_BLEND_2D && motion->y_parameter == MD5_NONE)
        return MD5_MISMATCH(building, &desc->name,
                            " has no parameter for axis %s: expected the name of a parameter", "y");
    return true;
}

// Builds the motion of row `index` of the table: a clip, a blend space or a stack.
static bool build_motion(md5_building *building, uint32_t index, md5_motion *motion)
{
    const md5_motion_desc *const desc = &building->desc->motions[index];
    md5_begin_row(building, "motion", desc->name);
    md5_motion_desc filled = *desc;
    md5i_fill_defaults(&md5i_motion_schema, &filled, 1);
    motion->kind = desc->kind;
    motion->speed = md5i_decimal_from_float(filled.speed);
    TRY(MD5_RESOLVE(building, parameters, desc->speed_parameter, motion->speed_parameter));
    if (desc->kind == MD5_MOTION_CLIP)
        return build_clip_motion(building, desc, motion);
    if (desc->num_items == 0)
        return MD5_OUT_OF_RANGE(building, &desc->name, " has no items: expected at least 1");

    md5_item *const items = MD5_ALLOC_ZEROED(building->arena, md5_item, desc->num_items);
    TRY(motion->items = items);
    motion->item_rows = building->machine->tables.motions[index].items;
    motion->num_items = desc->num_items;
    motion->num_parts = 1;
    for (uint32_t i = 0; i < desc->num_items; i++)
        TRY(build_item(building, desc, i, motion, &items[i]));
    if (desc->kind == MD5_MOTION_STACK)
        return true;

    TRY(build_positions(building, desc, items));
    TRY(check_sync(building, desc, &motion->traits));
    TRY(find_axes(building, desc, motion));
    motion->sync = desc->sync;
    return true;
}

// Builds the motions. Clips and motions share one list of names; indices below the number of clips
// are clips.
bool md5i_build_motions(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    const size_t count = (size_t)desc->num_clips + desc->num_motions;
    building->motions = building->clips;
    building->motions.kind = "motion";
    TRY(MD5_LIST_NAMES(building, &building->motions, desc, motions));

    TRY(machine->motions = MD5_ALLOC_ZEROED(building->arena, md5_motion, count));
    for (uint32_t i = 0; i < count; i++) {
        md5_motion *const motion = &machine->motions[i];
        *motion = (md5_motion){
            .speed = 1,
            .speed_parameter = MD5_NONE,
            .x_parameter = MD5_NONE,
            .y_parameter = MD5_NONE,
        };
        if (i < desc->num_clips)
            set_clip(motion, &machine->sources[i], MD5_PLAY_LOOP, 0);
        else
            TRY(build_motion(building, i - desc->num_clips, motion));
    }
    return true;
}

// -- Blend trees ----------------------------------------------------------------------------------

// A blend tree is an array of parts, one for each use of a clip or motion. The items of a part
// directly precede the part, so that a player can compute poses in the order of the array. An item
// that is a motion has several parts: first the parts of its own items, then the part of the
// motion.
//
// A synchronized group is a set of clips that follow one clock. A motion with `sync` begins a
// group, unless it is already in a group of an outer motion. The group then contains all clips of
// the motion. Of a stack, only the first item belongs to the group.
//
// Parts are in blend order. Clip instances have another order: the order of the items in the
// tables. The two orders differ in 2D blend spaces, which sort_items() sorts.

// Adds the items of part `index` to a tree, in the order in which they are blended.
// part_groups[index] is the synchronized group of the part, or MD5_NONE. Sets part_groups[] of the
// items.
static void flatten_items(md5_blend_tree *tree, uint32_t index, uint32_t *part_groups)
{
    const md5i_part *const part = &tree->parts[index];
    const md5_motion *const motion = part->motion;
    uint32_t begin = index + 1 - motion->num_parts; // first part of the item
    for (uint32_t k = 0; k < motion->num_items; k++) {
        const uint32_t i = motion->items[k].blend_index; // the item that is blended as number k
        const md5_item *const item = &motion->items[i];
        const uint32_t end = begin + item->motion->num_parts;
        const bool is_synchronized = motion->kind != MD5_MOTION_STACK || i == 0;
        part_groups[end - 1] = is_synchronized ? part_groups[index] : MD5_NONE;
        tree->parts[end - 1] = (md5i_part){
            .motion = item->motion,
            .parent = index,
            .item = item,
            .weight = part->children + i,
            .first = part->first + item->num_before,
        };
        begin = end;
    }
}

// Flattens a motion with nested motions to the array of parts of a tree. Iterates from the end, so
// that each part is added before its items. Sets part_groups[part] to the synchronized group of
// each part, or to MD5_NONE. Sets part->first, the index of the first clip instance below the part.
static void flatten_motion(const md5_motion *motion, md5_blend_tree *tree, uint32_t *part_groups)
{
    const uint32_t last = motion->num_parts - 1;
    uint32_t *next_blend = tree->blends;
    uint32_t num_weights = 1;
    tree->parts[last] = (md5i_part){.motion = motion, .parent = MD5_NONE};
    part_groups[last] = MD5_NONE;

    for (uint32_t i = motion->num_parts; i-- > 0;) { // parents before their items
        md5i_part *const part = &tree->parts[i];
        part->leads_group = part->motion->sync != MD5_SYNC_NONE && part_groups[i] == MD5_NONE;
        if (part->leads_group)
            part_groups[i] = tree->num_groups++;
        part->children = num_weights;
        num_weights += part->motion->num_items;
        tree->is_steady = tree->is_steady && part->motion->speed_parameter == MD5_NONE;
        if (part->motion->num_items > 0)
            *next_blend++ = i;
        flatten_items(tree, i, part_groups);
    }
}

// Returns true if a part is the first item of its parent, which then has the same first part.
static bool is_first_item(const md5_blend_tree *tree, uint32_t index)
{
    const md5i_part *const part = &tree->parts[index];
    const uint32_t begin = index + 1 - part->motion->num_parts;
    const uint32_t parent_begin = part->parent + 1 - tree->parts[part->parent].motion->num_parts;
    return begin == parent_begin;
}

// Fills in the properties of a tree that depend on all its parts: its clip instances, and the
// maximum number of poses on the stack. A player keeps the poses of parts on a stack until they are
// blended.
//
// Also sets num_markers of each group: 1 if the group is synchronized by markers, otherwise 0.
// list_group_members() replaces the 1 by the number of markers.
static void summarize_parts(md5_blend_tree *tree, const uint32_t *part_groups)
{
    uint32_t num_poses = 0; // currently on the stack
    for (uint32_t i = 0; i < tree->num_parts; i++) {
        const md5i_part *const part = &tree->parts[i];
        const md5_motion *const motion = part->motion;
        if (part->item && part->item->reference)
            tree->has_added = true;
        if (part->leads_group)
            tree->groups[part_groups[i]].num_markers = motion->sync == MD5_SYNC_MARKERS ? 1 : 0;
        if (motion->kind == MD5_MOTION_CLIP) {
            if (motion->playable.source->root_extraction != MD5_ROOT_EXTRACTION_NONE)
                tree->has_root_motion = true;
            tree->instances[part->first] =
                (md5_instance_plan){&motion->playable, i, part_groups[i]};
            num_poses++;
        }

        tree->num_poses = md5_larger_count(tree->num_poses, num_poses);
        // The pose of the first item becomes the pose of its parent. The poses of the other items
        // are blended into it, and leave the stack.
        if (part->parent != MD5_NONE && !is_first_item(tree, i))
            num_poses--;
    }
}

// Lists the clips of each synchronized group. All lists are stored in one array. The first pass
// counts the members of each group, which gives the start of each list. The second pass fills the
// lists.
static bool list_group_members(md5_building *building, md5_blend_tree *tree)
{
    uint32_t *members = MD5_ALLOC_ZEROED(building->arena, uint32_t, tree->num_instances);
    TRY(members);

    // Count the members, then reserve a range of the array for each group. num_members is reset to
    // 0, because filling the lists counts the members again.
    for (uint32_t i = 0; i < tree->num_instances; i++) {
        if (tree->instances[i].group != MD5_NONE)
            tree->groups[tree->instances[i].group].num_members++;
    }
    for (uint32_t i = 0; i < tree->num_groups; i++) {
        tree->groups[i].members = members;
        members += tree->groups[i].num_members;
        tree->groups[i].num_members = 0;
    }

    for (uint32_t i = 0; i < tree->num_instances; i++) {
        const md5_instance_plan *const plan = &tree->instances[i];
        if (plan->group == MD5_NONE)
            continue;
        md5_group_plan *const group = &tree->groups[plan->group];
        // summarize_parts() has set num_markers to 1 if the group is synchronized by markers.
        if (group->num_markers > 0)
            group->num_markers = plan->playable->source->num_markers;
        group->members[group->num_members++] = i;
    }
    return true;
}

// Allocates the blend tree of a motion with space for its parts and clips. Returns NULL and sets
// the error if memory runs out.
static md5_blend_tree *alloc_tree(md5_arena *arena, const md5_motion *motion)
{
    const uint32_t num_parts = motion->num_parts;
    const uint32_t num_clips = motion->num_clips;
    md5_blend_tree *const tree = MD5_ALLOC_ZEROED(arena, md5_blend_tree, 1);
    uint32_t *const blends = MD5_ALLOC_ZEROED(arena, uint32_t, num_parts - num_clips);
    md5i_part *const parts = MD5_ALLOC_ZEROED(arena, md5i_part, num_parts);
    md5_instance_plan *const instances = MD5_ALLOC_ZEROED(arena, md5_instance_plan, num_clips);
    if (!tree || !blends || !parts || !instances)
        return NULL;
    *tree = (md5_blend_tree){
        .motion = motion,
        .parts = parts,
        .instances = instances,
        .blends = blends,
        .is_steady = true,
        .num_parts = num_parts,
        .num_instances = num_clips,
    };
    return tree;
}

// Builds the blend tree of a motion as an array of parts, in which items precede the motion that
// blends them. A motion that is used several times has separate parts for each use. Players
// evaluate the tree by a loop over the parts, without recursion.
bool md5i_build_tree(md5_building *building, md5_motion *motion)
{
    md5_machine *const machine = building->machine;
    md5_blend_tree *const tree = alloc_tree(building->arena, motion);
    uint32_t *const part_groups = MD5_ALLOC_ZEROED(building->scratch, uint32_t, motion->num_parts);
    TRY(tree && part_groups);

    flatten_motion(motion, tree, part_groups); // sets the number of groups
    TRY(tree->groups = MD5_ALLOC_ZEROED(building->arena, md5_group_plan, tree->num_groups));
    summarize_parts(tree, part_groups);
    TRY(list_group_members(building, tree));
    motion->tree = tree;

    // The scratch memory of a player must be sufficient for the largest tree.
    machine->max_parts = md5_larger_count(machine->max_parts, tree->num_parts);
    machine->max_instances = md5_larger_count(machine->max_instances, tree->num_instances);
    machine->max_groups = md5_larger_count(machine->max_groups, tree->num_groups);
    machine->max_poses = md5_larger_count(machine->max_poses, tree->num_poses);
    return true;
}
