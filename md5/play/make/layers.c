// Builds the layers of a machine and everything that their states use: masks and other sets of
// joints, motions and their flattened blend trees, transitions, one-shot clips, and sources of
// morph targets.
//
// The tables of md5_machine_desc describe a machine; a row is an element of a table. The functions
// here check a row, find the objects whose names it contains, and fill in the object that players
// use. A function build_...() sets the context's error and returns false on failure.
//
// A source is a clip of the machine with the data that all its uses share. A motion plays one clip,
// or it blends its items, which are clips or other motions. In a blend space, parameters determine
// the weights of the items. In a stack, each item overrides the items below or is added to them.
#include "md5/core/math.h"
#include "md5/play/make/building.h"

#include <stdlib.h>

static uint32_t larger_count(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

// == Sets of joints =============================================================================

// Returns true if it is faster to process a list of `num_listed` joints than a range of
// `num_spanned` joints that contains them. A listed joint costs about as much as two joints of a
// range.
static bool is_list_faster(uint32_t num_listed, uint32_t num_spanned)
{
    return num_listed <= num_spanned / 2;
}

// Appends a joint to a set that is a list.
static void list_joint(md5_joint_set *set, uint32_t joint, float weight)
{
    set->list[set->count] = joint;
    set->weights[set->count++] = weight;
}

// The next functions build a set of joints in two steps: they mark its joints in building->marks[],
// which has one element per joint, and then convert the marks to a set.

// Returns the range from the first to the last marked joint, with the weights of a mask. The range
// may include joints that are not marked.
static md5_joint_set marked_range(const md5_building *building, uint32_t mask)
{
    const float *const weights = md5_mask_weights(building->machine, mask);
    uint32_t first = 0;
    uint32_t end = building->machine->num_joints;
    while (end > 0 && !building->marks[end - 1])
        end--;
    while (first < end && !building->marks[first])
        first++;
    return (md5_joint_set){
        .first = first, .count = end - first, .weights = weights ? (float *)weights + first : NULL};
}

// Divides the joints of a mask into two sets: joints with weight 1 (`full`), which need no
// blending, and joints with a weight between 0 and 1 (`partial`). Both sets share one pair of
// arrays; the partial joints follow the whole joints. Returns false if memory runs out.
static bool split_mask(md5_building *building, uint32_t mask)
{
    const md5_machine *const machine = building->machine;
    const uint32_t num_joints = machine->num_joints;
    const float *const weights = md5_mask_weights(machine, mask);
    md5_mask_sets *const sets = &machine->mask_sets[mask];
    sets->full.list = MD5_ALLOC_ZEROED(building->arena, uint32_t, num_joints);
    sets->full.weights = MD5_ALLOC_ZEROED(building->arena, float, num_joints);
    TRY(sets->full.list && sets->full.weights);

    for (uint32_t i = 0; i < num_joints; i++) {
        building->marks[i] = weights[i] > 0;
        if (weights[i] >= 1)
            list_joint(&sets->full, i, 1);
    }
    sets->all = marked_range(building, mask);

    sets->partial.list = sets->full.list + sets->full.count;
    sets->partial.weights = sets->full.weights + sets->full.count;
    for (uint32_t i = 0; i < num_joints; i++) {
        if (weights[i] > 0 && weights[i] < 1)
            list_joint(&sets->partial, i, weights[i]);
    }
    sets->is_split = is_list_faster(sets->partial.count, sets->all.count);
    return true;
}

// Marks the joints that a list of slots drives. A clip stores the rotations and the translations of
// its animated joints in slots; targets[slot] is the joint, or MD5_NONE.
static void mark_targets(const uint32_t *targets, uint32_t count, bool *marks)
{
    for (uint32_t i = 0; i < count; i++) {
        if (targets[i] != MD5_NONE)
            marks[targets[i]] = true;
    }
}

// Marks the joints that a clip can move away from a reference pose. These are the joints that it
// animates, and the joints whose first frame differs from the reference. Existing marks are kept,
// so that calls for several clips mark the joints of all of them.
static void mark_changed_by(md5_building *building, const md5_source *source,
                            const md5_xform *reference)
{
    const md5_binding *const binding = source->binding;
    const md5_targets *const targets = &binding->internal.plan->targets;
    bool *const marks = building->marks;
    const bool may_change_all = binding->num_rebases > 0;
    md5i_sample_source(building->machine, source, &(md5_sample_position){0}, building->sampled);
    for (uint32_t i = 0; i < building->machine->num_joints; i++) {
        const bool differs = memcmp(&building->sampled[i], &reference[i], sizeof reference[i]) != 0;
        if (may_change_all || differs)
            marks[i] = true;
    }
    mark_targets(targets->rotations, binding->anim->num_rotations, marks);
    mark_targets(targets->translations, binding->anim->num_translations, marks);
    // Root motion extraction rounds joint 0 differently from sampling, so joint 0 may differ.
    if (source->root_extraction != MD5_ROOT_EXTRACTION_NONE)
        marks[0] = true;
}

// Clears the marks of all joints: building->marks[num_joints].
static void clear_marks(md5_building *building)
{
    memset(building->marks, 0, building->machine->num_joints * sizeof *building->marks);
}

// Returns true if a motion is a clip or a blend space of a few clips.
static bool has_few_clips(const md5_motion *motion)
{
    enum { MAX_CLIPS = 16 };
    if (motion->kind == MD5_MOTION_CLIP)
        return true;
    if (motion->kind == MD5_MOTION_STACK || motion->num_items > MAX_CLIPS)
        return false;
    for (uint32_t i = 0; i < motion->num_items; i++) {
        if (motion->items[i].motion->kind != MD5_MOTION_CLIP)
            return false;
    }
    return true;
}

// Marks the joints that a motion can move away from a reference. For a motion with many clips or
// with nested motions, these are all joints.
static void mark_changed(md5_building *building, const md5_motion *motion,
                         const md5_xform *reference)
{
    if (!has_few_clips(motion)) {
        for (uint32_t i = 0; i < building->machine->num_joints; i++)
            building->marks[i] = true;
    } else if (motion->kind == MD5_MOTION_CLIP) {
        mark_changed_by(building, motion->playable.source, reference);
    } else {
        for (uint32_t i = 0; i < motion->num_items; i++)
            mark_changed_by(building, motion->items[i].motion->playable.source, reference);
    }
}

// Repeats the last joint of a list until the list fills whole SIMD vectors, so that loops need no
// special case for the end. This is safe, because the joint gets the same result each time.
static void fill_last_vector(md5_joint_set *set, uint32_t capacity)
{
    enum { VECTOR_LANES = 8 };
    while (set->count % VECTOR_LANES != 0 && set->count < capacity)
        list_joint(set, set->list[set->count - 1], set->weights[set->count - 1]);
}

// Builds the set of the marked joints that have a weight above 0 in a mask. The set is a range of
// joints or, if that is faster, a list of them.
static bool build_marked_set(md5_building *building, uint32_t mask, md5_joint_set *set)
{
    const uint32_t num_joints = building->machine->num_joints;
    const float *const weights = md5_mask_weights(building->machine, mask);
    bool *const marks = building->marks;
    uint32_t num_marked = 0;
    for (uint32_t i = 0; i < num_joints; i++) {
        marks[i] = marks[i] && (!weights || weights[i] > 0);
        if (marks[i])
            num_marked++;
    }
    *set = marked_range(building, mask);
    if (!is_list_faster(num_marked, set->count))
        return true;

    *set = (md5_joint_set){
        .list = MD5_ALLOC_ZEROED(building->arena, uint32_t, num_joints),
        .weights = MD5_ALLOC_ZEROED(building->arena, float, num_joints),
    };
    TRY(set->list && set->weights);
    for (uint32_t i = 0; i < num_joints; i++) {
        if (marks[i])
            list_joint(set, i, weights ? weights[i] : 1);
    }
    fill_last_vector(set, num_joints);
    return true;
}

// Returns true if a range of slots drives only marked joints. targets[slot] is the joint of a slot.
static bool drive_only_marked(const uint32_t *targets, md5_slots slots, const bool *marks)
{
    for (uint32_t i = slots.first; i < slots.first + slots.count; i++) {
        if (targets[i] != MD5_NONE && !marks[targets[i]])
            return false;
    }
    return true;
}

// Returns true if a clip can be sampled directly into the blended pose of the layers below. This
// has two conditions:
//
// - Few joints of the mask have a partial weight, so that their old values can be saved.
// - Each joint between the first and the last joint of the mask has a weight above 0.
static bool can_sample_into_result(const md5_mask_sets *sets)
{
    const bool has_few_partial = sets->is_split && sets->partial.count <= MD5_MAX_SAVED_JOINTS;
    const bool has_no_gap = sets->full.count + sets->partial.count == sets->all.count;
    return has_few_partial && has_no_gap;
}

// Marks the joints of a set and clears all other marks.
static void mark_set(md5_building *building, const md5_joint_set *set)
{
    clear_marks(building);
    for (uint32_t i = 0; i < set->count; i++) {
        const uint32_t joint = set->list ? set->list[i] : set->first + i;
        building->marks[joint] = true;
    }
}

// Reduces the work of a state in a layer that affects only some joints. `state->targets` becomes
// the list of the clip's rotations and translations (slots) that must be sampled for these joints.
// Also sets
//
// - state->is_partial if these are not all slots of the clip,
// - state->is_exact if sampling writes only these joints, so that the result needs no copy.
//
// A state that blends several clips is always sampled completely.
static void narrow_state(md5_building *building, const md5_play_layer *layer, md5_state *state)
{
    const bool *const marks = building->marks;
    if (!state->tree || state->tree->num_parts > 1)
        return;
    const md5_source *const source = state->tree->motion->playable.source;
    mark_set(building, &layer->joints);

    // The extraction of root motion needs joint 0.
    const bool can_omit_rest = marks[0] || source->root_extraction == MD5_ROOT_EXTRACTION_NONE;
    state->is_partial = can_omit_rest && !md5_requires_full_sampling(source);
    state->targets = md5_narrow_targets(&source->binding->internal.plan->targets, marks);
    if (!state->is_partial || layer->mode != MD5_LAYER_OVERRIDE)
        return;

    const md5_targets *const targets = &state->targets;
    state->is_exact =
        can_sample_into_result(&building->machine->mask_sets[layer->mask])
        && drive_only_marked(targets->rotations, targets->rotation_slots, marks)
        && drive_only_marked(targets->translations, targets->translation_slots, marks);
}

// -- Levels of detail ---------------------------------------------------------------------------
//
// A level of detail animates only some joints: see md5_detail_set. Its joints are divided into
// runs, which are ranges of consecutive joints. Kernels are faster for ranges than for lists.
//
// A clip stores its tracks in slots: a slot contains the rotation or the translation of one joint.
// So sampling a run requires only a range of the slots. These ranges are computed here, for each
// clip and run.

// A gap of fewer joints than this between animated joints is included in a run. An additional run
// costs about as much as this number of joints, which is the width of the widest kernels.
enum { MAX_GAP = 16 };

// Divides the animated joints into runs. Two runs with fewer than MAX_GAP joints between them are
// merged, because computing these joints is faster than beginning another run.
//
// The array has space for the largest possible number of runs: each run has at least one joint, and
// at least MAX_GAP joints are between two runs.
static bool build_runs(md5_building *building, const bool *are_animated, md5_detail_set *set)
{
    const uint32_t num_joints = building->machine->num_joints;
    TRY(set->runs =
            MD5_ALLOC_ZEROED(building->arena, md5_joint_run, num_joints / (MAX_GAP + 1) + 1));
    for (uint32_t i = 0; i < num_joints; i++) {
        if (!are_animated[i])
            continue;
        md5_joint_run *const last = set->num_runs > 0 ? &set->runs[set->num_runs - 1] : NULL;
        if (last && i - (last->first + last->count) < MAX_GAP)
            last->count = i + 1 - last->first;
        else
            set->runs[set->num_runs++] = (md5_joint_run){i, 1};
    }
    return true;
}

// Lists the joints that are not animated: first the joints outside of all runs, then the joints in
// a run.
static void list_omitted(md5_detail_set *set, uint32_t num_joints)
{
    uint32_t run = 0; // the first run that does not end before joint i
    for (uint32_t i = 0; i < num_joints; i++) {
        while (run < set->num_runs && i >= set->runs[run].first + set->runs[run].count)
            run++;
        if (set->are_animated[i])
            continue;

        const bool is_in_run = run < set->num_runs && i >= set->runs[run].first;
        const uint32_t end = set->num_omitted++;
        if (is_in_run) {
            set->omitted[end] = i;
        } else {
            // Insert the joint after the joints outside of runs: move the joint there to the end.
            const uint32_t first_in_run = set->num_outside++;
            set->omitted[end] = set->omitted[first_in_run];
            set->omitted[first_in_run] = i;
        }
    }
}

// Builds the joints that are animated at the level of detail of a mask: the joints with a weight,
// their ancestors and joint 0. Also divides them into runs, and lists the other joints.
static bool build_detail_set(md5_building *building, const float *weights, md5_detail_set *set)
{
    const md5_skeleton *const skeleton = &building->machine->model->skeleton;
    const uint32_t num_joints = skeleton->num_joints;
    set->are_animated = MD5_ALLOC_ZEROED(building->arena, bool, num_joints);
    set->omitted = MD5_ALLOC_ZEROED(building->arena, uint32_t, num_joints);
    TRY(set->are_animated && set->omitted);

    for (uint32_t i = 0; i < num_joints; i++) {
        if (i > 0 && !(weights[i] > 0))
            continue;
        for (uint32_t joint = i; joint != MD5_NONE && !set->are_animated[joint];
             joint = skeleton->joints[joint].parent)
            set->are_animated[joint] = true;
    }

    TRY(build_runs(building, set->are_animated, set));
    list_omitted(set, num_joints);
    return true;
}

// Allocates and fills set->slots[clip * num_runs + run]: for each clip and run, the smallest range
// of rotation slots and of translation slots that drives all joints of the run. Uses
// building->marks to mark the joints of one run at a time. Returns false if memory runs out.
static bool find_run_slots(md5_building *building, md5_detail_set *set)
{
    const uint32_t num_clips = building->desc->num_clips;
    set->slots = (md5_run_slots *)md5i_arena_alloc_zeroed(building->arena, set->num_runs,
                                                          num_clips * sizeof *set->slots);
    TRY(set->slots);

    for (uint32_t i = 0; i < set->num_runs; i++) {
        const md5_joint_set run_joints = {.first = set->runs[i].first, .count = set->runs[i].count};
        mark_set(building, &run_joints);
        for (size_t clip = 0; clip < num_clips; clip++) {
            const md5_binding *const binding = building->machine->sources[clip].binding;
            const md5_targets *const all_targets = &binding->internal.plan->targets;
            const md5_targets narrowed = md5_narrow_targets(all_targets, building->marks);
            set->slots[clip * set->num_runs + i] =
                (md5_run_slots){narrowed.rotation_slots, narrowed.translation_slots};
        }
    }
    return true;
}

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
static bool build_reference(md5_building *building, uint32_t clip, const md5_motion *motion,
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

// -- Masks --------------------------------------------------------------------------------------

// Sets the error of a mask's joint list. Converts the location in the list to a location in the
// machine file; without a machine file, only the column remains. Returns false.
static bool fail_mask(md5_building *building, const md5_mask_desc *mask, const md5_error *error)
{
    const md5_location start = md5i_find_location(building->desc->locations, &mask->joints);
    md5_location position = {0, error->column};
    if (start.line > 0) {
        position.line = start.line + error->line - 1;
        const bool is_on_first_line = error->line == 1;
        if (is_on_first_line)
            position.column += start.column - 1;
    }
    return md5i_fail(building->context, error->status, position.line, position.column,
                     "mask %s: %s", MD5_QUOTED(mask->name), error->message);
}

// Finds the joints that remain visible below a layer with a mask, as runs: the joints with a weight
// below 1, and joint 0, which contains the root motion. If these are nearly all joints, runs would
// not save time, and num_runs becomes 0.
static bool build_uncovered_runs(md5_building *building, const float *weights,
                                 md5_detail_set *uncovered)
{
    const uint32_t num_joints = building->machine->num_joints;
    for (uint32_t joint = 0; joint < num_joints; joint++)
        building->marks[joint] = joint == 0 || weights[joint] < 1;
    TRY(build_runs(building, building->marks, uncovered));
    uint32_t num_computed = 0;
    for (uint32_t run = 0; run < uncovered->num_runs; run++)
        num_computed += uncovered->runs[run].count;
    if (num_computed + MAX_GAP > num_joints)
        uncovered->num_runs = 0;
    return true;
}

// Builds the weights of a mask and the sets of joints that depend on them.
static bool build_mask_sets(md5_building *building, uint32_t index)
{
    md5_machine *const machine = building->machine;
    const md5_mask_desc *const mask = &building->desc->masks[index];
    float *const weights = machine->masks + index * (size_t)machine->num_joints;
    md5_detail_set *const detail = &machine->details[index];
    md5_detail_set *const uncovered = &machine->uncovered[index];
    md5_error error = {.status = MD5_OK};
    if (!md5_build_mask(&building->desc->model->skeleton, mask->joints ? mask->joints : "",
                        mask->feather, weights, &error))
        return fail_mask(building, mask, &error);

    TRY(split_mask(building, index));
    TRY(build_detail_set(building, weights, detail));
    if (machine->mask_sets[index].is_split)
        TRY(build_uncovered_runs(building, weights, uncovered));
    return find_run_slots(building, detail) && find_run_slots(building, uncovered);
}

// Builds the masks: their names, weights and sets of joints.
static bool build_masks(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    const size_t num_joints = machine->num_joints;
    const uint32_t num_masks = desc->num_masks;
    TRY(MD5_LIST_NAMES(building, &building->masks, desc, masks));

    machine->masks = (float *)md5i_arena_alloc_zeroed(building->arena, num_masks,
                                                      num_joints * sizeof *machine->masks);
    machine->mask_sets = MD5_ALLOC_ZEROED(building->arena, md5_mask_sets, num_masks);
    machine->details = MD5_ALLOC_ZEROED(building->arena, md5_detail_set, num_masks);
    machine->uncovered = MD5_ALLOC_ZEROED(building->arena, md5_detail_set, num_masks);
    TRY(machine->masks && machine->mask_sets && machine->details && machine->uncovered);

    for (uint32_t i = 0; i < num_masks; i++)
        TRY(build_mask_sets(building, i));
    return true;
}

// == Motions ====================================================================================

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
    motion->max_markers = larger_count(motion->max_markers, item->max_markers);
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
    TRY(build_reference(building, clip, item->motion, &row->reference_frame, &item->reference));
    clear_marks(building);
    mark_changed(building, item->motion, item->reference);
    return build_marked_set(building, item->mask, &item->added);
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

// Checks the `sync` member of a blend space: whether its clips can follow one clock. `traits` are
// those of all its clips.
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
static bool build_motions(md5_building *building)
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
// Parts are in blend order. Clip instances have another order: that of the items in the tables. The
// two orders differ in 2D blend spaces, which sort_items() sorts.

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

        tree->num_poses = larger_count(tree->num_poses, num_poses);
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
static bool build_tree(md5_building *building, md5_motion *motion)
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
    machine->max_parts = larger_count(machine->max_parts, tree->num_parts);
    machine->max_instances = larger_count(machine->max_instances, tree->num_instances);
    machine->max_groups = larger_count(machine->max_groups, tree->num_groups);
    machine->max_poses = larger_count(machine->max_poses, tree->num_poses);
    return true;
}

// == Layers =====================================================================================

// Builds the events that report entering and leaving a state, and the end of a transition to it.
static bool build_state_events(md5_building *building, uint32_t layer, uint32_t state)
{
    const md5_layer_desc *const table = &building->machine->tables.layers[layer];
    md5_event *const events = MD5_ALLOC_ZEROED(building->arena, md5_event, MD5_STATE_EVENTS);
    TRY(building->machine->layers[layer].states[state].events = events);
    for (uint32_t k = 0; k < MD5_STATE_EVENTS; k++) {
        events[k] = (md5_event){
            .name = table->states[state].name,
            .text = table->name,
            .kind = (md5_event_kind)(MD5_EVENT_ENTER + k),
            .layer = layer,
            .index = state,
        };
    }
    return true;
}

// Finds the motion of a state and builds its blend tree, unless another state has built it.
static bool build_state_tree(md5_building *building, const md5_state_desc *desc, md5_state *state)
{
    uint32_t found;
    TRY(MD5_RESOLVE(building, motions, desc->motion, found));
    if (found == MD5_NONE)
        return true;
    md5_motion *const motion = &building->machine->motions[found];
    TRY(motion->tree || build_tree(building, motion));
    state->tree = motion->tree;
    return true;
}

// Raises the maximum sizes of a layer to the sizes of a state's tree. A player allocates memory for
// these sizes once, and uses it for any state of the layer.
static void merge_tree(md5_play_layer *layer, const md5_blend_tree *tree)
{
    layer->has_root_motion = layer->has_root_motion || tree->has_root_motion;
    layer->max_instances = larger_count(layer->max_instances, tree->num_instances);
    layer->max_groups = larger_count(layer->max_groups, tree->num_groups);
    layer->max_parts = larger_count(layer->max_parts, tree->num_parts);
}

// Builds the reference pose of a state of an additive layer, and marks the joints that the state
// changes. If the layer does not name a reference clip, the reference clip of each state is its
// first clip.
static bool build_state_reference(md5_building *building, const md5_layer_desc *desc,
                                  md5_state *state)
{
    const md5_motion *const motion = state->tree->motion;
    uint32_t clip;
    md5_begin_row(building, "layer", desc->name);
    TRY(MD5_RESOLVE(building, clips, desc->reference, clip));
    TRY(build_reference(building, clip, motion, &desc->reference_frame, &state->reference));
    mark_changed(building, motion, state->reference);
    return true;
}

// Sets the joints of a layer, and the rotations and translations of clips that each state samples
// for them. A layer without a mask that is not additive has all joints.
static bool build_layer_joints(md5_building *building, md5_play_layer *layer)
{
    md5_machine *const machine = building->machine;
    if (layer->mode == MD5_LAYER_ADD) {
        TRY(build_marked_set(building, layer->mask, &layer->joints));
        machine->has_full_layers = true;
    } else if (layer->mask != MD5_NONE) {
        layer->joints = machine->mask_sets[layer->mask].all;
    } else {
        return true; // all joints
    }
    for (uint32_t i = 0; i < layer->num_states; i++) {
        narrow_state(building, layer, &layer->states[i]);
        if (layer->states[i].is_exact)
            machine->has_full_layers = true;
    }
    return true;
}

// Builds the states of a layer: the blend tree of each state, its events, and the joints that the
// layer changes.
static bool build_states(md5_building *building, uint32_t index, md5_names *names)
{
    md5_machine *const machine = building->machine;
    const md5_layer_desc *const desc = &building->desc->layers[index];
    md5_play_layer *const layer = &machine->layers[index];
    if (desc->num_states == 0)
        return MD5_OUT_OF_RANGE(building, &desc->name, " has no states: expected at least 1");
    TRY(MD5_LIST_NAMES(building, names, desc, states));
    TRY(layer->states = MD5_ALLOC_ZEROED(building->arena, md5_state, desc->num_states));
    layer->num_states = desc->num_states;

    // In an additive layer, the marks are the joints that any state changes.
    clear_marks(building);
    for (uint32_t i = 0; i < desc->num_states; i++) {
        md5_state *const state = &layer->states[i];
        md5_begin_row(building, "state", desc->states[i].name);
        TRY(build_state_tree(building, &desc->states[i], state));
        if (machine->reports_states)
            TRY(build_state_events(building, index, i));
        if (!state->tree)
            continue;
        merge_tree(layer, state->tree);
        if (layer->mode == MD5_LAYER_ADD)
            TRY(build_state_reference(building, desc, state));
    }
    return build_layer_joints(building, layer);
}

// Returns true if the time of a state continues above 1. If the first clip of the state is played
// once, its time ends at 1.
static bool continues_after_end(const md5_play_layer *layer, uint32_t state)
{
    const md5_blend_tree *const tree = layer->states[state].tree;
    return !tree || tree->instances[0].playable->mode != MD5_PLAY_ONCE;
}

// Returns NULL if a state's first clip can share its clock with another state. Otherwise returns
// the reason, which is a part of an error message.
static const char *find_step_obstacle(const md5_blend_tree *tree)
{
    if (!tree)
        return "it has no motion";
    const md5_play_mode mode = tree->instances[0].playable->mode;
    if (mode == MD5_PLAY_ONCE)
        return "its first clip does not loop";
    if (mode == MD5_PLAY_PING_PONG && md5_num_step_markers(tree) > 0)
        return "its first clip has markers and plays ping-pong";
    return NULL;
}

// Checks that a transition with `in_step` can synchronize a state with the state `to`, which may be
// the same state.
static bool check_step(md5_building *building, const md5_layer_desc *layer_desc,
                       const md5_transition_desc *desc, const md5_play_layer *layer, uint32_t state,
                       uint32_t to)
{
    const md5_blend_tree *const tree = layer->states[state].tree;
    const md5_blend_tree *const to_tree = layer->states[to].tree;
    const char *const obstacle = find_step_obstacle(tree);
    if (obstacle)
        return MD5_MISMATCH(building, &desc->in_step,
                            ": state %s cannot be synchronized with 'in_step': %s",
                            MD5_QUOTED(layer_desc->states[state].name), obstacle);
    if (md5_num_step_markers(tree) != md5_num_step_markers(to_tree))
        return MD5_MISMATCH(building, &desc->in_step,
                            ": states %s and %s cannot be synchronized with 'in_step': expected "
                            "the same number of markers, found %u and %u",
                            MD5_QUOTED(layer_desc->states[state].name), MD5_QUOTED(desc->to),
                            md5_num_step_markers(tree), md5_num_step_markers(to_tree));
    return true;
}

// Sorts transitions by their source state, then by descending priority, then by their order in the
// table. Transitions from any state are first.
static int compare_transitions(const void *left, const void *right)
{
    const md5_transition *a = (const md5_transition *)left;
    const md5_transition *b = (const md5_transition *)right;
    if (a->from != b->from)
        return a->from + 1 < b->from + 1 ? -1 : 1; // MD5_NONE + 1 wraps around to 0
    if (a->change.priority != b->change.priority)
        return a->change.priority > b->change.priority ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

// Returns true if `wanted` is the name of an event, or its name and text separated by a space.
static bool matches_event(const char *wanted, const md5_event *event)
{
    const size_t length = strlen(event->name);
    if (strncmp(wanted, event->name, length) != 0)
        return false;
    if (wanted[length] == '\0')
        return true;
    return wanted[length] == ' ' && event->text && strcmp(wanted + length + 1, event->text) == 0;
}

// Adds an event bit to the events of a clip that match a name, and sets *is_found if an event
// matches. Returns false if memory runs out.
static bool add_event_bit(md5_building *building, uint32_t clip, const char *name,
                          uint64_t event_bit, bool *is_found)
{
    md5_source *const source = &building->machine->sources[clip];
    const md5_clip_desc *const desc = &building->desc->clips[clip];
    // The end of the clip and both ends of its windows are events too, so they need bits.
    const size_t num_events = (size_t)desc->num_events + 1 + 2 * (size_t)desc->num_windows;
    if (!source->event_bits)
        source->event_bits = MD5_ALLOC_ZEROED(building->arena, uint64_t, num_events);
    TRY(source->event_bits);
    for (uint32_t k = 0; k < desc->num_events; k++) {
        if (!matches_event(name, &desc->events[k]))
            continue;
        source->event_bits[k] |= event_bit;
        source->all_event_bits |= source->event_bits[k];
        *is_found = true;
    }
    return true;
}

// Finds the event bit of an event name. Event bits let players test conditions on events quickly. A
// new name gets the next bit, and all events with this name get the bit too. Fails if no event has
// the name, or if the machine uses more than MD5_MAX_EVENT_BITS names.
static bool find_event_bit(md5_building *building, const char *const *name, uint64_t *event_bit)
{
    md5_machine *const machine = building->machine;
    const char *const event_name = *name;
    if (!event_name || event_name[0] == '\0')
        return MD5_MISMATCH(building, name,
                            " has no event name: expected the name of an event of a clip");

    uint32_t index = 0;
    while (index < machine->num_event_bits && strcmp(building->event_bits[index], event_name) != 0)
        index++;
    if (index == MD5_MAX_EVENT_BITS)
        return MD5_OUT_OF_RANGE(building, name,
                                " refers to too many events: expected at most %d in a machine",
                                MD5_MAX_EVENT_BITS);
    *event_bit = (uint64_t)1 << index;
    const bool is_new = index == machine->num_event_bits;
    if (!is_new)
        return true;

    building->event_bits[machine->num_event_bits++] = event_name;
    bool is_found = false;
    for (uint32_t i = 0; i < building->desc->num_clips; i++)
        TRY(add_event_bit(building, i, event_name, *event_bit, &is_found));
    if (!is_found)
        return MD5_MISMATCH(building, name, " refers to unknown event %s: no clip contains it",
                            MD5_QUOTED(event_name));
    return true;
}

// Returns the event bits of all events of a state's first clip. An event bit stands for a name that
// conditions or exits use: see find_event_bit().
static uint64_t first_clip_bits(const md5_play_layer *layer, uint32_t state)
{
    const md5_blend_tree *const tree = layer->states[state].tree;
    return tree ? tree->instances[0].playable->source->all_event_bits : 0;
}

static bool is_time_condition(const md5_condition *row)
{
    return row->kind != MD5_WHEN_PARAMETER && row->kind != MD5_WHEN_EVENT;
}

// Checks that a condition has the members that its kind requires. `parameter` is the index of the
// parameter that the condition names, or MD5_NONE.
static bool check_condition_members(md5_building *building, const md5_condition *row,
                                    uint32_t parameter)
{
    if (row->kind == MD5_WHEN_PARAMETER && parameter == MD5_NONE)
        return MD5_MISMATCH(
            building, &row->parameter,
            ": parameter of a condition is missing: expected the name of a parameter");
    if (row->kind == MD5_WHEN_EVENT && row->compare != MD5_IS_SET)
        return MD5_MISMATCH(building, &row->parameter,
                            ": condition about an event has a wrong comparison: expected %u "
                            "(MD5_IS_SET), found %u",
                            (unsigned)MD5_IS_SET, (unsigned)row->compare);
    if (is_time_condition(row) && row->compare <= MD5_IS_CLEAR)
        return MD5_MISMATCH(building, &row->parameter, ": condition has no comparison");
    return true;
}

// Checks the range of a condition with a random time.
static bool check_random_time(md5_building *building, const md5_condition *row, double shortest,
                              double longest)
{
    if (row->kind != MD5_WHEN_STATE_TIME)
        return MD5_OUT_OF_RANGE(building, &row->longest,
                                ": only 'state_time' can have a range: expected one number, found "
                                "%g to %g",
                                shortest, longest);
    if (!(shortest >= 0 && longest >= shortest))
        return MD5_OUT_OF_RANGE(building, &row->longest,
                                ": range of a condition is not ascending: expected two ascending "
                                "numbers from 0 or more, found %g to %g",
                                shortest, longest);
    return true;
}

// The part of a machine that a condition belongs to.
typedef enum condition_owner { OWNED_BY_TRANSITION, OWNED_BY_ONE_SHOT } condition_owner;

// Resolves the subject of a condition: sets *parameter to the index of a parameter or MD5_NONE, and
// *event_bit to the bit of an event or 0. A time has neither; one-shots cannot have a time.
static bool find_condition_subject(md5_building *building, condition_owner owner,
                                   const md5_condition *row, uint32_t *parameter,
                                   uint64_t *event_bit)
{
    *parameter = MD5_NONE;
    *event_bit = 0;
    if (row->kind == MD5_WHEN_EVENT)
        return find_event_bit(building, &row->parameter, event_bit);
    if (!is_time_condition(row))
        return MD5_RESOLVE(building, parameters, row->parameter, *parameter);
    if (owner == OWNED_BY_ONE_SHOT)
        return MD5_MISMATCH(
            building, &row->parameter,
            ": 'state_time' and 'time_left' are not supported in conditions of one-shots");
    return true;
}

// Adds a condition to the machine's conditions. `num_following` is the number of conditions after
// it that belong to the same alternative, and must also be true.
static bool build_condition(md5_building *building, condition_owner owner, const md5_condition *row,
                            uint32_t num_following)
{
    md5_machine *const machine = building->machine;
    uint32_t parameter;
    uint64_t event_bit;
    TRY(find_condition_subject(building, owner, row, &parameter, &event_bit));
    TRY(check_condition_members(building, row, parameter));
    const double shortest = md5i_decimal_from_float(row->value);
    const double longest = md5i_decimal_from_float(row->longest);
    const bool is_random = row->longest != 0;
    if (is_random)
        TRY(check_random_time(building, row, shortest, longest));

    machine->conditions[machine->num_conditions++] = (md5_play_condition){
        .parameter = parameter,
        .compare = row->compare,
        .value = row->value,
        .kind = row->kind,
        .num_following = num_following,
        .seconds = shortest,
        .event_bit = event_bit,
        .spread = is_random ? longest - shortest : 0,
    };
    const bool depends_on_time = is_time_condition(row) || row->kind == MD5_WHEN_EVENT;
    machine->has_chances = machine->has_chances || is_random;
    machine->has_times = machine->has_times || depends_on_time;
    return true;
}

// Adds the conditions of a transition or of a one-shot clip to the machine's conditions. They form
// alternatives. The transition is possible if all conditions of one alternative hold.
static bool build_conditions(md5_building *building, condition_owner owner,
                             const md5_condition *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t num_following = 0; // conditions up to the next alternative
        while (i + num_following + 1 < count && !rows[i + num_following + 1].begins_alternative)
            num_following++;
        TRY(build_condition(building, owner, &rows[i], num_following));
    }
    return true;
}

// Returns the causes that can open a transition, as bits: the passage of time, or a change of one
// of its parameters. Players test a transition only after one of its causes.
static uint64_t transition_causes(const md5_transition *transition)
{
    const bool is_always = transition->waits || transition->num_conditions == 0;
    uint64_t causes = is_always ? MD5_CAUSE_TIME : 0;
    for (uint32_t i = 0; i < transition->num_conditions; i++) {
        const md5_play_condition *const condition = &transition->conditions[i];
        if (condition->kind == MD5_WHEN_PARAMETER)
            causes |= md5_parameter_cause(condition->parameter);
        else
            causes |= MD5_CAUSE_TIME;
    }
    return causes;
}

// Sets the range of transitions of each state of a layer, and the causes of each transition.
// transitions[count] are sorted by compare_transitions().
static bool list_transitions(md5_building *building, md5_play_layer *layer,
                             const md5_transition *transitions, uint32_t count)
{
    uint64_t *const causes = MD5_ALLOC_ZEROED(building->arena, uint64_t, count);
    TRY(layer->causes = causes);
    for (uint32_t i = 0; i < count; i++) {
        causes[i] = transition_causes(&transitions[i]);
        if (transitions[i].from == MD5_NONE) {
            layer->num_any++;
            layer->any_causes |= causes[i];
            continue;
        }
        md5_state *const from = &layer->states[transitions[i].from];
        if (from->num_transitions == 0)
            from->first_transition = i;
        from->num_transitions++;
        from->causes |= causes[i];
    }
    return true;
}

// Event bits of the first clips of a layer's states: see find_event_bit().
typedef struct first_clip_events {
    uint64_t in_one_state;   // in at least one state
    uint64_t in_two_states;  // in at least two states
    uint32_t num_event_bits; // number of the machine's event bits when this was computed
} first_clip_events;

// Computes the events of first clips again if the machine has got another event bit since the last
// call.
static void update_first_clip_events(const md5_machine *machine, const md5_play_layer *layer,
                                     first_clip_events *event_bits)
{
    if (event_bits->num_event_bits == machine->num_event_bits)
        return;
    *event_bits = (first_clip_events){.num_event_bits = machine->num_event_bits};
    for (uint32_t i = 0; i < layer->num_states; i++) {
        event_bits->in_two_states |= event_bits->in_one_state & first_clip_bits(layer, i);
        event_bits->in_one_state |= first_clip_bits(layer, i);
    }
}

// Finds the event bit of the event at which a transition exits. The first clip of a source state
// must contain the event.
static bool build_exit_event(md5_building *building, const md5_transition_desc *desc,
                             const md5_play_layer *layer, first_clip_events *event_bits,
                             md5_transition *transition)
{
    TRY(find_event_bit(building, &desc->exit_event, &transition->exit_event_bit));
    update_first_clip_events(building->machine, layer, event_bits);
    uint64_t source_bits;
    if (transition->from != MD5_NONE) {
        source_bits = first_clip_bits(layer, transition->from);
    } else {
        // The transition can begin in any state except its target.
        const uint64_t target_bits = first_clip_bits(layer, transition->change.state);
        source_bits = event_bits->in_two_states | (event_bits->in_one_state & ~target_bits);
    }
    if ((source_bits & transition->exit_event_bit) == 0)
        return MD5_MISMATCH(
            building, &desc->exit_event,
            " exits at unknown event %s: no first clip of its source states contains it",
            MD5_QUOTED(desc->exit_event));
    return true;
}

// Returns true if an exit time above 1 is reached in at least one source state of a transition. The
// normalized time of a state is 1 after the first cycle of its first clip, so an exit time of 2.5
// is in the third cycle. It is reached only if the time of the source state continues after the
// first cycle. `num_continuing` is the number of states of the layer with this property.
static bool reaches_later_cycle(const md5_play_layer *layer, const md5_transition *transition,
                                uint32_t num_continuing)
{
    if (transition->from != MD5_NONE)
        return continues_after_end(layer, transition->from);

    // The transition can begin in any state except its own target.
    const bool target_continues = continues_after_end(layer, transition->change.state);
    const uint32_t num_sources = target_continues ? num_continuing - 1 : num_continuing;
    return num_sources > 0;
}

// Warns if a transition waits for an exit time that is never reached. A time up to 1 is always
// reached. An exit time in every cycle (exits_each) is also reached in the first cycle.
// `num_continuing` is that of reaches_later_cycle().
static void warn_about_exit(md5_building *building, const md5_layer_desc *layer_desc,
                            const md5_transition_desc *desc, const md5_play_layer *layer,
                            const md5_transition *transition, uint32_t num_continuing)
{
    const bool exits_after_end = desc->waits && !transition->exits_each && desc->exit > 1;
    if (!exits_after_end || reaches_later_cycle(layer, transition, num_continuing))
        return;
    const md5_location location = md5i_find_location(building->desc->locations, &desc->exit);
    md5i_warn(building->context, location.line, location.column,
              "layer %s: exit %g of the transition to %s is never reached: clips that play "
              "once end at 1",
              MD5_QUOTED(layer_desc->name), desc->exit, MD5_QUOTED(desc->to));
}

// Checks a transition with `in_step`, which synchronizes its target with its source: both states
// must be able to share a clock. Also finds the leader, the state whose rate the shared clock gets.
//
// A transition from any state is checked with all states of the layer. This is done only once:
// *are_alike becomes true when all states have passed.
static bool build_step(md5_building *building, const md5_layer_desc *layer_desc,
                       const md5_transition_desc *desc, const md5_play_layer *layer,
                       const md5_names *names, bool *are_alike, md5_transition *transition)
{
    const uint32_t from = transition->from;
    const uint32_t to = transition->change.state;
    uint32_t *const leader = &transition->change.leader;
    TRY(check_step(building, layer_desc, desc, layer, to, to));
    if (from != MD5_NONE) {
        TRY(check_step(building, layer_desc, desc, layer, from, to));
    } else if (!*are_alike) {
        for (uint32_t k = 0; k < layer->num_states; k++)
            TRY(check_step(building, layer_desc, desc, layer, k, to));
        *are_alike = true;
    }

    TRY(md5i_resolve(building, names, &desc->leader, leader));
    if (*leader == MD5_NONE || from == MD5_NONE)
        return true;
    if (*leader != to && *leader != from)
        return MD5_MISMATCH(building, &desc->leader, ": leader %s is not one of its two states",
                            MD5_QUOTED(desc->leader));
    return true;
}

// Finds the states that a transition names, and copies the values of its row.
static bool copy_transition(md5_building *building, const md5_layer_desc *layer_desc,
                            uint32_t number, const md5_names *names, md5_transition *transition)
{
    const md5_transition_desc *const desc = &layer_desc->transitions[number];
    const md5_machine *const machine = building->machine;
    uint32_t from;
    uint32_t to;
    TRY(md5i_resolve(building, names, &desc->from, &from));
    TRY(md5i_resolve(building, names, &desc->to, &to));
    if (to == MD5_NONE)
        return md5i_fail_at(
            building, &desc->to, MD5_ERROR_MISMATCH,
            "layer %s: transition %u has no target state: expected the name of a state",
            MD5_QUOTED(layer_desc->name), number);

    const md5_change change = {
        .state = to,
        .start = md5i_decimal_from_float(desc->start),
        .begin = MD5_BEGIN_AFTER_START,
        .duration = md5i_decimal_from_float(desc->duration),
        .fade = desc->fade,
        .easing = (uint32_t)desc->easing.kind,
        .priority = desc->priority,
        .interrupt = desc->interrupt,
        .in_step = desc->in_step,
    };
    *transition = (md5_transition){
        .from = from,
        .change = change,
        .conditions = machine->conditions + machine->num_conditions,
        .num_conditions = desc->num_conditions,
        .number = number,
        .exit = md5i_decimal_from_float(desc->exit),
        .waits = desc->waits || desc->exit_event,
        .keeps_phase = desc->keeps_phase,
        .exits_each = desc->exits_each || desc->exit_event,
    };
    if (desc->exits_each) // an exit in each cycle is above 0 and at most 1
        transition->exit -= ceil(transition->exit) - 1;
    return true;
}

// Values that are computed once for all transitions of a layer.
typedef struct transition_context {
    const md5_layer_desc *layer_desc;
    const md5_names *names;       // names of the layer's states
    first_clip_events event_bits; // updated when a transition adds an event bit
    bool are_alike;               // all states can share a clock
    uint32_t num_continuing;      // states that continue after the end of their clip
} transition_context;

// Builds a transition. Its conditions are appended to the conditions of the machine.
static bool build_transition(md5_building *building, transition_context *context, uint32_t index,
                             md5_play_layer *layer, md5_transition *transition)
{
    const md5_layer_desc *const layer_desc = context->layer_desc;
    const md5_transition_desc *const desc = &layer_desc->transitions[index];
    md5_begin_row(building, "transition of layer", layer_desc->name);
    TRY(copy_transition(building, layer_desc, index, context->names, transition));
    if (desc->exit_event)
        TRY(build_exit_event(building, desc, layer, &context->event_bits, transition));
    warn_about_exit(building, layer_desc, desc, layer, transition, context->num_continuing);
    if (md5_has_easing_parameters(desc->easing.kind))
        TRY(md5i_build_easing(building, &desc->easing, &transition->change.easing));
    TRY(build_conditions(building, OWNED_BY_TRANSITION, desc->conditions, desc->num_conditions));

    layer->has_waits = layer->has_waits || transition->waits;
    if (!desc->in_step)
        return true;
    layer->has_steps = true;
    building->machine->has_steps = true;
    return build_step(building, layer_desc, desc, layer, context->names, &context->are_alike,
                      transition);
}

// Builds the transitions of a layer, sorted in the order in which players test them. `names` are
// the names of the layer's states.
static bool build_transitions(md5_building *building, uint32_t layer_index, const md5_names *names)
{
    const md5_layer_desc *const layer_desc = &building->desc->layers[layer_index];
    const uint32_t count = layer_desc->num_transitions;
    md5_play_layer *const layer = &building->machine->layers[layer_index];
    md5_transition *const transitions = MD5_ALLOC_ZEROED(building->arena, md5_transition, count);
    TRY(layer->transitions = transitions);

    transition_context context = {.layer_desc = layer_desc, .names = names};
    for (uint32_t i = 0; i < layer->num_states; i++)
        context.num_continuing += continues_after_end(layer, i);
    for (uint32_t i = 0; i < count; i++)
        TRY(build_transition(building, &context, i, layer, &transitions[i]));

    qsort(transitions, count, sizeof *transitions, compare_transitions);
    return list_transitions(building, layer, transitions, count);
}

// == Curves and morph targets ===================================================================

// Checks the keys of a morph or curve over a clip. `owner` is the location of errors about all
// keys.
static bool check_clip_keys(md5_building *building, const char *const *owner, uint32_t clip,
                            const md5_morph_key *keys, uint32_t num_keys)
{
    const uint32_t num_frames = building->machine->sources[clip].binding->anim->num_frames;
    const char *const name = building->desc->clips[clip].name;
    if (num_keys == 0)
        return MD5_OUT_OF_RANGE(building, owner, " has no keys for clip %s: expected at least 1",
                                MD5_QUOTED(name));

    for (uint32_t i = 0; i < num_keys; i++) {
        const md5_morph_key *const key = &keys[i];
        if (key->frame >= num_frames)
            return md5i_fail_at(
                building, &key->frame, MD5_ERROR_RANGE,
                "key of %s %s is out of range: expected a frame from 0 to %u in clip %s, found %u",
                building->kind, MD5_QUOTED(building->owner), num_frames - 1, MD5_QUOTED(name),
                key->frame);
        if (i > 0 && key->frame <= key[-1].frame)
            return MD5_OUT_OF_RANGE(building, &key->frame,
                                    ": keys are out of order: expected a frame above %u, found %u",
                                    key[-1].frame, key->frame);
    }
    return true;
}

// A player adds up the weighted values of all rows with the same name: see md5_sum_row. Assigns a
// number to each distinct name, in the order of the first rows, and stores it in rows[i].target.
// Also sets rows[number].first to the first row with the name. Sets *num_targets to the number of
// names; it must be 0 before.
static bool number_rows(md5_building *building, md5_names *names, md5_sum_row *rows, uint32_t count,
                        uint32_t *num_targets)
{
    names->may_repeat = true;
    TRY(md5i_list_names(building, names, rows, count, sizeof *rows));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first; // first row with the name of row i
        TRY(md5i_resolve(building, names, &rows[i].name, &first));
        if (first < i) {
            rows[i].target = rows[first].target;
            continue;
        }
        rows[i].target = *num_targets;
        rows[*num_targets].first = i;
        (*num_targets)++;
    }
    return true;
}

// Checks the animation curves of a clip, which are numbers that change over its frames, and adds
// them to the table of weighted sums. Curves with the same name in several clips are blended like
// the clips.
static bool build_clip_curves(md5_building *building, uint32_t clip_index)
{
    md5_machine *const machine = building->machine;
    const md5_clip_desc *const clip = &building->desc->clips[clip_index];
    md5_names names = {.kind = "curve"};
    TRY(MD5_LIST_NAMES(building, &names, clip, curves));

    for (uint32_t k = 0; k < clip->num_curves; k++) {
        const md5_clip_curve *const curve = &clip->curves[k];
        const md5_clip_curve *const copy = &machine->tables.clips[clip_index].curves[k];
        md5_begin_row(building, "curve", curve->name);
        TRY(md5i_check_steps(building, &curve->easing));
        TRY(check_clip_keys(building, &curve->name, clip_index, curve->keys, curve->num_keys));
        machine->curves[machine->num_curves++] = (md5_sum_row){
            .name = copy->name,
            .target_kind = MD5_SUM_CURVE,
            .drive = MD5_MORPH_BY_CLIP,
            .source = clip_index,
            .weight = 1,
            .keys = copy->keys,
            .num_keys = copy->num_keys,
            .easing = &copy->easing,
        };
    }
    return true;
}

// Builds the rows of the animation curves of all clips, and numbers their names. A curve stores a
// number for each frame of a clip, which blends like the clip.
bool md5i_build_curves(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    // The table contains the rows of morphs, then of curves, then of modifiers.
    const size_t num_rows = (size_t)desc->num_morphs + building->num_curves + desc->num_modifiers;
    TRY(machine->morph_rows = MD5_ALLOC_ZEROED(building->arena, md5_sum_row, num_rows));
    machine->curves = machine->morph_rows + desc->num_morphs;
    for (uint32_t i = 0; i < desc->num_clips; i++)
        TRY(build_clip_curves(building, i));
    return number_rows(building, &building->curves, machine->curves, machine->num_curves,
                       &machine->num_sums);
}

// Checks that a name that the row's kind needs is not NULL. `kind` is the kind of the named thing,
// for the error message.
static bool check_named(md5_building *building, const char *const *name, const char *kind)
{
    if (*name)
        return true;
    (void)MD5_MISMATCH(building, name, " has no %s", kind);
    return false;
}

// Resolves the names of a layer and of one of its states, which are required, to indices in `row`.
bool md5i_resolve_state(md5_building *building, const char *const *layer, const char *const *state,
                        md5_sum_row *row)
{
    TRY(check_named(building, layer, "layer") && check_named(building, state, "state"));
    row->layer = md5_find_layer(building->machine, *layer);
    if (row->layer == MD5_NONE)
        return MD5_MISMATCH(building, layer, " refers to unknown layer %s", MD5_QUOTED(*layer));
    row->source = md5_find_state(building->machine, row->layer, *state);
    if (row->source == MD5_NONE)
        return MD5_MISMATCH(building, state, " refers to unknown state %s of layer %s",
                            MD5_QUOTED(*state), MD5_QUOTED(*layer));
    return true;
}

// Finds the index of a name in `names`. Fails if the name is missing, although the kind of the row
// requires it, or unknown.
static bool resolve_named(md5_building *building, const md5_names *names, const char *const *name,
                          uint32_t *index)
{
    TRY(check_named(building, name, names->kind));
    return md5i_resolve(building, names, name, index);
}

// Resolves the source of a morph target's weight: a parameter, a state, a clip, a curve or a
// window.
static bool find_drive(md5_building *building, const md5_morph_desc *morph, md5_sum_row *row)
{
    row->num_keys = morph->num_keys;
    switch (morph->drive) {
    case MD5_MORPH_BY_STATE:
        return md5i_resolve_state(building, &morph->layer, &morph->state, row);
    case MD5_MORPH_BY_CLIP:
        TRY(resolve_named(building, &building->clips, &morph->clip, &row->source));
        return check_clip_keys(building, &morph->target, row->source, morph->keys, morph->num_keys);
    case MD5_MORPH_BY_CURVE:
        return resolve_named(building, &building->curves, &morph->curve, &row->source);
    case MD5_MORPH_BY_WINDOW:
        return resolve_named(building, &building->windows, &morph->window, &row->source);
    default: // MD5_MORPH_BY_PARAMETER
        return resolve_named(building, &building->parameters, &morph->parameter, &row->source);
    }
}

// Builds the row of a morph, which connects a morph target to the source of its weight.
static bool build_morph(md5_building *building, uint32_t index)
{
    const md5_morph_desc *const morph = &building->desc->morphs[index];
    const md5_morph_desc *const copy = &building->machine->tables.morphs[index];
    md5_sum_row *const row = &building->machine->morph_rows[index];
    if (!morph->target || morph->target[0] == '\0')
        return md5i_fail_at(building, &morph->target, MD5_ERROR_MISMATCH,
                            "morph %u has no target: expected the name of a morph target", index);

    md5_begin_row(building, "morph", morph->target);
    md5_morph_desc filled = *morph;
    md5i_fill_defaults(&md5i_morph_schema, &filled, 1);
    row->name = copy->target;
    row->keys = copy->keys;
    row->drive = morph->drive;
    row->weight = filled.weight;
    return find_drive(building, morph, row);
}

// Builds the rows of the morphs, and assigns the sums of morphs and curves.
static bool build_morphs(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    md5_names names = {.kind = "morph"};
    for (uint32_t i = 0; i < desc->num_morphs; i++)
        TRY(build_morph(building, i));
    TRY(number_rows(building, &names, machine->morph_rows, desc->num_morphs, &machine->num_morphs));

    // The sums of morph targets are first, then the sums of curves, then the sums of modifiers.
    // Until here, `target` of a curve is the number of its name. Each curve has MD5_NUM_CURVE_SUMS
    // sums.
    const uint32_t num_curve_names = machine->num_sums; // set by md5i_build_curves()
    machine->num_rows = desc->num_morphs + machine->num_curves;
    machine->num_sums = machine->num_morphs + MD5_NUM_CURVE_SUMS * num_curve_names;
    for (uint32_t i = 0; i < machine->num_curves; i++) {
        const uint32_t name = machine->curves[i].target;
        machine->curves[i].target = machine->num_morphs + MD5_NUM_CURVE_SUMS * name;
    }
    return true;
}

// == One-shots ===================================================================================

// Checks the names in the rows of slots. A slot plays one one-shot clip at a time.
static bool check_slots(md5_building *building, const md5_names *layers)
{
    const md5_machine_desc *const desc = building->desc;
    uint32_t unused; // the names are resolved again when a one-shot clip starts
    for (uint32_t i = 0; i < desc->num_slots; i++) {
        const md5_slot_desc *const row = &desc->slots[i];
        md5_begin_row(building, "slot", row->name);
        TRY(MD5_RESOLVE(building, masks, row->mask, unused));
        TRY(md5i_resolve(building, layers, &row->layer, &unused));
        TRY(MD5_RESOLVE(building, clips, row->reference, unused));
    }
    return true;
}

// Checks the reference frame and the section of a one-shot clip.
static bool check_one_shot_frames(md5_building *building, const md5_one_shot_desc *row,
                                  uint32_t slot, uint32_t clip)
{
    const md5_machine *const machine = building->machine;
    const md5_one_shot_desc filled = md5_apply_slot_defaults(machine, slot, *row);
    const uint32_t reference = filled.reference ? md5_find_clip(machine, filled.reference) : clip;
    const uint32_t num_frames = machine->sources[reference].binding->anim->num_frames;

    // The error is located at the frame, which was declared together with its clip: in the one-shot
    // or in the slot.
    const uint32_t *const location =
        row->reference ? &row->reference_frame : &building->desc->slots[slot].reference_frame;
    if (filled.reference_frame >= num_frames)
        return MD5_OUT_OF_RANGE(building, location,
                                ": reference frame is out of range: expected 0 to %u, found %u",
                                num_frames - 1, filled.reference_frame);

    if (row->section && md5i_find_section(machine, clip, row->section) == MD5_NONE)
        return MD5_MISMATCH(building, &row->section, " refers to unknown section %s of its clip",
                            MD5_QUOTED(row->section));
    return true;
}

// Checks a one-shot clip of the tables and builds its conditions. Its other values are read from
// the tables each time that it starts.
static bool build_one_shot(md5_building *building, const md5_one_shot_desc *row,
                           const md5_names *slots, const md5_names *layers,
                           md5_play_one_shot *one_shot)
{
    md5_machine *const machine = building->machine;
    uint32_t slot;
    uint32_t clip;
    uint32_t unused; // names that are only checked here
    TRY(md5i_resolve(building, slots, &row->slot, &slot));
    TRY(MD5_RESOLVE(building, clips, row->clip, clip));
    TRY(MD5_RESOLVE(building, masks, row->mask, unused));
    TRY(md5i_resolve(building, layers, &row->layer, &unused));
    TRY(MD5_RESOLVE(building, clips, row->reference, unused));
    TRY(md5i_check_steps(building, &row->fade_in_easing));
    TRY(md5i_check_steps(building, &row->fade_out_easing));

    if (slot == MD5_NONE || clip == MD5_NONE)
        return MD5_MISMATCH(building, &row->name, " has no %s", slot == MD5_NONE ? "slot" : "clip");
    TRY(check_one_shot_frames(building, row, slot, clip));

    // The conditions of the exit are stored after the conditions of the start.
    md5_play_condition *const conditions = machine->conditions + machine->num_conditions;
    *one_shot = (md5_play_one_shot){
        .slot = slot,
        .conditions = conditions,
        .until = conditions + row->num_conditions,
    };
    TRY(build_conditions(building, OWNED_BY_ONE_SHOT, row->conditions, row->num_conditions));
    return build_conditions(building, OWNED_BY_ONE_SHOT, row->until, row->num_until);
}

// Builds the one-shot clips of the tables, and checks their slots.
static bool build_one_shots(md5_building *building, const md5_names *layers)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    md5_names slots = {.kind = "slot"};
    md5_names one_shots = {.kind = "one_shot"};
    TRY(MD5_LIST_NAMES(building, &slots, desc, slots));
    TRY(MD5_LIST_NAMES(building, &one_shots, desc, one_shots));
    TRY(machine->one_shots =
            MD5_ALLOC_ZEROED(building->arena, md5_play_one_shot, desc->num_one_shots));
    TRY(check_slots(building, layers));
    for (uint32_t i = 0; i < desc->num_one_shots; i++) {
        md5_begin_row(building, one_shots.kind, desc->one_shots[i].name);
        TRY(build_one_shot(building, &desc->one_shots[i], &slots, layers, &machine->one_shots[i]));
    }
    return true;
}

// == All =========================================================================================

// Returns true if a layer may change a joint that is animated at a reduced level of detail.
static bool may_change_animated(const md5_machine *machine, const md5_play_layer *layer,
                                const md5_detail_set *detail)
{
    const md5_joint_set *const joints = &layer->joints;
    const float *const weights = md5_mask_weights(machine, layer->mask);
    if (layer->mode != MD5_LAYER_ADD && !weights)
        return true; // may change any joint
    for (uint32_t n = 0; n < joints->count; n++) {
        const uint32_t joint = joints->list ? joints->list[n] : joints->first + n;
        if (detail->are_animated[joint] && (!weights || weights[joint] > 0))
            return true;
    }
    return false;
}

// Builds a layer: its mode, mask and weight, its states and transitions.
static bool build_layer(md5_building *building, uint32_t index)
{
    const md5_layer_desc *const desc = &building->desc->layers[index];
    md5_play_layer *const layer = &building->machine->layers[index];
    md5_names states = {.kind = "state"};
    md5_layer_desc filled = *desc;
    md5_begin_row(building, "layer", desc->name);
    md5i_fill_defaults(&md5i_layer_schema, &filled, 1);
    *layer = (md5_play_layer){.mode = desc->mode, .weight = {.fixed = filled.weight}};
    TRY(MD5_RESOLVE(building, masks, desc->mask, layer->mask));
    TRY(MD5_RESOLVE(building, parameters, desc->weight_parameter, layer->weight.parameter));
    TRY(md5i_build_easing(building, &desc->weight_easing, &layer->weight.easing));
    return build_states(building, index, &states) && build_transitions(building, index, &states);
}

// For each level of detail and each layer, stores in are_visible[mask * num_layers + layer] if the
// layer may change a joint that is animated at this level. Players omit other layers.
static bool find_visible_layers(md5_building *building)
{
    md5_machine *const machine = building->machine;
    const size_t num_layers = building->desc->num_layers;
    const size_t num_masks = building->desc->num_masks;
    machine->are_visible = (bool *)md5i_arena_alloc_zeroed(
        building->arena, num_masks, num_layers * sizeof *machine->are_visible);
    TRY(machine->are_visible);
    for (size_t i = 0; i < num_masks; i++) {
        for (size_t k = 0; k < num_layers; k++)
            machine->are_visible[i * num_layers + k] =
                may_change_animated(machine, &machine->layers[k], &machine->details[i]);
    }
    return true;
}

// Builds the layers of the machine with everything that they refer to: masks, motions, states,
// conditions, one-shot clips and morphs. The order matters: later steps use the results of earlier
// steps.
bool md5i_build_layers(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    md5_names layers = {.kind = "layer"};
    TRY(build_masks(building) && build_motions(building));
    TRY(MD5_LIST_NAMES(building, &layers, desc, layers));

    machine->layers = MD5_ALLOC_ZEROED(building->arena, md5_play_layer, desc->num_layers);
    machine->conditions =
        MD5_ALLOC_ZEROED(building->arena, md5_play_condition, building->num_conditions);
    TRY(machine->layers && machine->conditions);

    for (uint32_t i = 0; i < desc->num_layers; i++)
        TRY(build_layer(building, i));
    TRY(find_visible_layers(building));
    TRY(build_one_shots(building, &layers));
    return build_morphs(building);
}
