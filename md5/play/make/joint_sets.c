// Builds the sets of joints that states, levels of detail and masks need. A player computes only
// the joints of a set.
#include "md5/core/math.h"
#include "md5/play/make/building.h"

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
void md5i_clear_marks(md5_building *building)
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
void md5i_mark_changed(md5_building *building, const md5_motion *motion, const md5_xform *reference)
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
bool md5i_build_marked_set(md5_building *building, uint32_t mask, md5_joint_set *set)
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
void md5i_mark_set(md5_building *building, const md5_joint_set *set)
{
    md5i_clear_marks(building);
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
void md5i_narrow_state(md5_building *building, const md5_play_layer *layer, md5_state *state)
{
    const bool *const marks = building->marks;
    if (!state->tree || state->tree->num_parts > 1)
        return;
    const md5_source *const source = state->tree->motion->playable.source;
    md5i_mark_set(building, &layer->joints);

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
        md5i_mark_set(building, &run_joints);
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
bool md5i_build_masks(md5_building *building)
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
