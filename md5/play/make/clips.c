// Clips and masks of a machine; which joints a mask lays over others, and which an added motion can
// change.
#include "md5/core/axes.h"
#include "md5/core/math.h"
#include "md5/play/make/building.h"
#include "md5/pose/plan.h"

#include <string.h>

// == Sets of joints =============================================================================

// A set takes the place of few joints among many: a list costs as much as so many joints that are
// not in it.
static bool pays_off(uint32_t num_listed, uint32_t num_spanned)
{
    return num_listed <= num_spanned / 2;
}

static void list_joint(md5_joint_set *set, uint32_t joint, float weight)
{
    set->list[set->count] = joint;
    set->weights[set->count++] = weight;
}

// From the first joint that has a mark to the last.
static md5_joint_set span_of(const md5_building *building, int32_t mask)
{
    const float *const weights = md5_mask_of(building->machine, mask);
    uint32_t first = 0, end = building->machine->num_joints;
    while (end > 0 && !building->marks[end - 1])
        end--;
    while (first < end && !building->marks[first])
        first++;
    return (md5_joint_set){
        .first = first, .count = end - first, .weights = weights ? (float *)weights + first : NULL};
}

// Finds the sets of a mask, which is there already.
static bool split_mask(md5_building *building, uint32_t mask)
{
    const md5_machine *const machine = building->machine;
    const uint32_t num_joints = machine->num_joints;
    const float *const weights = md5_mask_of(machine, (int32_t)mask);
    md5_mask_sets *const sets = &machine->mask_sets[mask];
    sets->whole.list = (uint32_t *)md5i_build_array(building, num_joints, sizeof(uint32_t));
    sets->whole.weights = (float *)md5i_build_array(building, num_joints, sizeof(float));
    TRY(sets->whole.list && sets->whole.weights);
    for (uint32_t i = 0; i < num_joints; i++) {
        building->marks[i] = weights[i] > 0.0f;
        if (weights[i] >= 1.0f)
            list_joint(&sets->whole, i, 1.0f);
    }
    sets->all = span_of(building, (int32_t)mask);
    sets->partial.list = sets->whole.list + sets->whole.count;
    sets->partial.weights = sets->whole.weights + sets->whole.count;
    for (uint32_t i = 0; i < num_joints; i++) {
        if (weights[i] > 0.0f && weights[i] < 1.0f)
            list_joint(&sets->partial, i, weights[i]);
    }
    sets->is_split = pays_off(sets->partial.count, sets->all.count);
    return true;
}

// Marks the joints to which something in the clip goes, and those that are elsewhere than in the
// reference.
static void mark_changed_by(md5_building *building, const md5_source *source,
                            const md5_xform *reference)
{
    const md5_binding *const binding = source->binding;
    const md5_targets *const targets = &binding->plan->targets;
    const uint32_t num_joints = building->machine->num_joints;
    bool *const marks = building->marks;
    md5i_sample_source(building->machine, source, &(md5_moment){0}, building->sampled);
    for (uint32_t i = 0; i < num_joints; i++)
        marks[i] = marks[i] || binding->num_rebases > 0
                   || memcmp(&building->sampled[i], &reference[i], sizeof reference[i]) != 0;
    for (uint32_t i = 0; i < binding->anim->num_rotations; i++) {
        if (targets->rotations[i] != MD5_NONE)
            marks[targets->rotations[i]] = true;
    }
    for (uint32_t i = 0; i < binding->anim->num_translations; i++) {
        if (targets->translations[i] != MD5_NONE)
            marks[targets->translations[i]] = true;
    }
    // What is extracted is worked out in another way than what is sampled.
    marks[0] = marks[0] || source->extract != MD5_EXTRACT_NONE;
}

void md5i_begin_marks(md5_building *building)
{
    memset(building->marks, 0, building->machine->num_joints * sizeof *building->marks);
}

// A motion of clips is looked at clip by clip, if they are not many. Any other may change all.
void md5i_mark_changed(md5_building *building, const md5_motion *motion, const md5_xform *reference)
{
    enum { MAX_CLIPS = 16 };
    if (motion->kind == MD5_MOTION_CLIP) {
        mark_changed_by(building, motion->playable.source, reference);
        return;
    }
    bool is_known = motion->kind != MD5_MOTION_STACK && motion->num_items <= MAX_CLIPS;
    for (uint32_t i = 0; is_known && i < motion->num_items; i++) {
        const md5_motion *const item = motion->items[i].motion;
        is_known = item->kind == MD5_MOTION_CLIP;
        if (is_known)
            mark_changed_by(building, item->playable.source, reference);
    }
    for (uint32_t i = 0; !is_known && i < building->machine->num_joints; i++)
        building->marks[i] = true;
}

bool md5i_set_of_marks(md5_building *building, int32_t mask, md5_joint_set *set)
{
    const uint32_t num_joints = building->machine->num_joints;
    const float *const weights = md5_mask_of(building->machine, mask);
    bool *const marks = building->marks;
    uint32_t count = 0;
    for (uint32_t i = 0; i < num_joints; i++) {
        marks[i] = marks[i] && (!weights || weights[i] > 0.0f);
        count += marks[i];
    }
    *set = span_of(building, mask);
    if (!pays_off(count, set->count))
        return true;
    *set = (md5_joint_set){
        .list = (uint32_t *)md5i_build_array(building, num_joints, sizeof(uint32_t)),
        .weights = (float *)md5i_build_array(building, num_joints, sizeof(float)),
    };
    TRY(set->list && set->weights);
    for (uint32_t i = 0; i < num_joints; i++) {
        if (marks[i])
            list_joint(set, i, weights ? weights[i] : 1.0f);
    }
    // The last joint once more, and again, until the list fills registers of eight: as often as it
    // is there, the same comes out for it.
    while (set->count % 8 != 0 && set->count < num_joints)
        list_joint(set, set->list[set->count - 1], set->weights[set->count - 1]);
    return true;
}

// Whether slots drive only joints that have a mark.
static bool are_marked(const uint32_t *targets, md5_slots slots, const bool *marks)
{
    bool marked = true;
    for (uint32_t i = slots.first; i < slots.first + slots.count; i++)
        marked = marked && (targets[i] == MD5_NONE || marks[targets[i]]);
    return marked;
}

void md5i_narrow_state(md5_building *building, const md5_play_layer *layer, md5_state *state)
{
    const md5_joint_set *const joints = &layer->joints;
    bool *const marks = building->marks;
    if (!state->tree || state->tree->num_parts > 1)
        return;
    const md5_source *const source = state->tree->motion->playable.source;
    md5i_begin_marks(building);
    for (uint32_t i = 0; i < joints->count; i++)
        marks[joints->list ? joints->list[i] : joints->first + i] = true;
    // What is extracted is taken from joint 0.
    const bool has_root = marks[0] || source->extract == MD5_EXTRACT_NONE;
    state->is_partial = has_root && !md5_is_sampled_whole(source);
    state->targets = md5_narrow_targets(&source->binding->plan->targets, marks);
    if (!state->is_partial || layer->mode != MD5_LAYER_OVERRIDE)
        return;
    // Whether the mask can be blended over by sampling into the result.
    const md5_mask_sets *const sets = &building->machine->mask_sets[layer->mask];
    state->is_exact =
        sets->is_split && sets->partial.count <= MD5_MOST_SAVED
        && sets->whole.count + sets->partial.count == sets->all.count
        && are_marked(state->targets.rotations, state->targets.rotation_slots, marks)
        && are_marked(state->targets.translations, state->targets.translation_slots, marks);
}

// -- Levels of detail ---------------------------------------------------------------------------

// Another run costs about as much as so many joints: a register of the widest kernels.
enum { WIDEST_GAP = 16 };

static bool divide(md5_building *building, const bool *are_animated, md5_detail_set *set)
{
    const uint32_t num_joints = building->machine->num_joints;
    set->runs = (md5_joint_run *)md5i_build_array(building, num_joints / (WIDEST_GAP + 1) + 1,
                                                  sizeof *set->runs);
    TRY(set->runs);
    for (uint32_t i = 0; i < num_joints; i++) {
        if (!are_animated[i])
            continue;
        md5_joint_run *const last = set->num_runs > 0 ? &set->runs[set->num_runs - 1] : NULL;
        if (last && i - (last->first + last->count) < WIDEST_GAP)
            last->count = i + 1 - last->first;
        else
            set->runs[set->num_runs++] = (md5_joint_run){i, 1};
    }
    return true;
}

// The joints with a weight and their ancestors, and joint 0; then those that are left out.
static bool find_runs(md5_building *building, const float *weights, md5_detail_set *set)
{
    const md5_skeleton *const skeleton = &building->machine->model->skeleton;
    const uint32_t num_joints = skeleton->num_joints;
    set->are_animated = (bool *)md5i_build_array(building, num_joints, sizeof(bool));
    set->left_out = (uint32_t *)md5i_build_array(building, num_joints, sizeof(uint32_t));
    TRY(set->are_animated && set->left_out);
    for (uint32_t i = 0; i < num_joints; i++) {
        if (i > 0 && !(weights[i] > 0.0f))
            continue;
        for (uint32_t joint = i; joint != MD5_NONE && !set->are_animated[joint];
             joint = skeleton->joints[joint].parent)
            set->are_animated[joint] = true;
    }
    TRY(divide(building, set->are_animated, set));
    for (int round = 0; round < 2; round++) { // those outside of runs first
        uint32_t run = 0;
        for (uint32_t i = 0; i < num_joints; i++) {
            while (run < set->num_runs && i >= set->runs[run].first + set->runs[run].count)
                run++;
            const bool is_inside = run < set->num_runs && i >= set->runs[run].first;
            if (!set->are_animated[i] && is_inside == (round == 1))
                set->left_out[set->num_left_out++] = i;
        }
        if (round == 0)
            set->num_outside = set->num_left_out;
    }
    return true;
}

// Joints that a mask covers in whole are overwritten: below it only the others are needed, and
// joint 0, of which root motion is taken. No runs: the mask covers too few to make a difference.
static bool find_rest(md5_building *building, const float *weights, md5_detail_set *set)
{
    const uint32_t num_joints = building->machine->num_joints;
    for (uint32_t joint = 0; joint < num_joints; joint++)
        building->marks[joint] = joint == 0 || weights[joint] < 1.0f;
    TRY(divide(building, building->marks, set));
    uint32_t num_left = 0;
    for (uint32_t run = 0; run < set->num_runs; run++)
        num_left += set->runs[run].count;
    if (num_left + WIDEST_GAP > num_joints)
        set->num_runs = 0;
    return true;
}

static bool find_slots(md5_building *building, md5_detail_set *set)
{
    const uint32_t num_clips = building->desc->num_clips;
    set->slots =
        (md5_run_slots *)md5i_build_array(building, set->num_runs, num_clips * sizeof *set->slots);
    TRY(set->slots);
    for (uint32_t i = 0; i < set->num_runs; i++) {
        const md5_joint_run *const run = &set->runs[i];
        md5i_begin_marks(building);
        for (uint32_t joint = run->first; joint < run->first + run->count; joint++)
            building->marks[joint] = true;
        for (size_t clip = 0; clip < num_clips; clip++) {
            const md5_binding *const binding = building->machine->sources[clip].binding;
            const md5_targets narrowed =
                md5_narrow_targets(&binding->plan->targets, building->marks);
            set->slots[clip * set->num_runs + i] =
                (md5_run_slots){narrowed.rotation_slots, narrowed.translation_slots};
        }
    }
    return true;
}

bool md5i_build_details(md5_building *building)
{
    md5_machine *const machine = building->machine;
    const uint32_t num_masks = building->desc->num_masks;
    machine->details =
        (md5_detail_set *)md5i_build_array(building, num_masks, sizeof *machine->details);
    machine->rests =
        (md5_detail_set *)md5i_build_array(building, num_masks, sizeof *machine->rests);
    TRY(machine->details && machine->rests);
    for (uint32_t i = 0; i < num_masks; i++) {
        const float *const weights = md5_mask_of(machine, (int32_t)i);
        TRY(find_runs(building, weights, &machine->details[i]));
        TRY(!machine->mask_sets[i].is_split || find_rest(building, weights, &machine->rests[i]));
        TRY(find_slots(building, &machine->details[i]) && find_slots(building, &machine->rests[i]));
    }
    return true;
}

// A layer without a mask that is not added may change any joint.
static bool is_seen(const md5_machine *machine, const md5_detail_set *set,
                    const md5_play_layer *layer)
{
    const md5_joint_set *const joints = &layer->joints;
    const float *const weights = md5_mask_of(machine, layer->mask);
    bool seen = layer->mode != MD5_LAYER_ADD && !weights;
    for (uint32_t i = 0; i < joints->count && !seen; i++) {
        const uint32_t joint = joints->list ? joints->list[i] : joints->first + i;
        seen = set->are_animated[joint] && (!weights || weights[joint] > 0.0f);
    }
    return seen;
}

bool md5i_build_seen_layers(md5_building *building)
{
    md5_machine *const machine = building->machine;
    const uint32_t num_masks = building->desc->num_masks;
    const uint32_t num_layers = building->desc->num_layers;
    machine->are_seen =
        (bool *)md5i_build_array(building, num_masks, num_layers * sizeof *machine->are_seen);
    TRY(machine->are_seen);
    for (size_t i = 0; i < num_masks; i++) {
        for (uint32_t k = 0; k < num_layers; k++)
            machine->are_seen[i * num_layers + k] =
                is_seen(machine, &machine->details[i], &machine->layers[k]);
    }
    return true;
}

// == Clips and masks ============================================================================

static bool check_clip(md5_building *building, const md5_clip_desc *clip)
{
    if (!clip->binding)
        return md5i_fail_at(building, &clip->name, MD5_ERROR_MISSING, "clip %s has no binding",
                            QUOTED(clip->name));
    if (!clip->binding->model)
        return md5i_fail_at(building, &clip->name, MD5_ERROR_MISMATCH,
                            "clip %s is bound to a skeleton, not to the machine's model",
                            QUOTED(clip->name));
    if (clip->binding->model != building->desc->model)
        return md5i_fail_at(building, &clip->name, MD5_ERROR_MISMATCH,
                            "clip %s is bound to another model", QUOTED(clip->name));
    return true;
}

static bool check_events(md5_building *building, const md5_clip_desc *clip)
{
    const uint32_t num_frames = clip->binding->anim->num_frames;
    for (uint32_t i = 0; i < clip->num_events; i++) {
        const md5_event *const event = &clip->events[i];
        if (!event->name || !event->name[0])
            return md5i_fail_at(building, &event->name, MD5_ERROR_MISMATCH,
                                "clip %s: event %u has no name", QUOTED(clip->name), i);
        if (event->frame >= num_frames)
            return md5i_fail_at(building, &event->frame, MD5_ERROR_RANGE,
                                "clip %s: event %s is at frame %u, but the last frame is %u",
                                QUOTED(clip->name), QUOTED(event->name), event->frame,
                                num_frames - 1);
    }
    return true;
}

// Joint 0 in every frame.
static bool build_root_deltas(md5_building *building, md5_source *source)
{
    const md5_binding *const binding = source->binding;
    const uint32_t num_frames = binding->anim->num_frames;
    md5_xform *const roots =
        (md5_xform *)md5i_arena_alloc(building->scratch, num_frames, sizeof *roots);
    md5_root_delta *const root_deltas =
        (md5_root_delta *)md5i_build_array(building, num_frames, sizeof *root_deltas);
    TRY(roots && root_deltas);
    for (uint32_t frame = 0; frame < num_frames; frame++) {
        md5_sample(binding, (md5_moment){.frame0 = frame, .frame1 = frame}, MD5_ROOT_FILE,
                   building->sampled);
        roots[frame] =
            md5i_transform_from_axes(binding->model->skeleton.axes, building->sampled[0]);
    }
    md5i_make_root_track(source->extract, roots, num_frames, root_deltas);
    source->root_deltas = root_deltas;
    building->machine->has_root_motion = true;
    return true;
}

static bool build_clip(md5_building *building, const md5_clip_desc *clip, md5_source *source)
{
    enum { CUES = 2 }; // of an event, and of a clip's end: in ping-pong
    md5_machine *const machine = building->machine;
    const md5_anim *const anim = clip->binding->anim;
    const bool has_ends = building->desc->report.clip_end;
    *source = (md5_source){
        .binding = clip->binding,
        .interpolation = clip->interpolation,
        .extract = clip->extract,
        .first_frame = machine->num_frames,
    };
    for (int mode = 0; mode < MD5_PLAY_MODES; mode++) {
        source->timings[mode] = (md5_timing){
            .num_frames = anim->num_frames,
            .frame_rate = anim->frame_rate,
            .period = clip->period,
            .mode = (md5_play_mode)mode,
        };
        md5_cue *const cues = (md5_cue *)md5i_build_array(
            building, (size_t)clip->num_events + has_ends, CUES * sizeof *cues);
        TRY(cues);
        source->cues[mode] = (md5_cues){
            &source->timings[mode], cues,
            md5i_make_cues(&source->timings[mode], clip->events, clip->num_events, has_ends, cues)};
    }
    machine->has_clip_events = machine->has_clip_events || has_ends || clip->num_events > 0;
    machine->num_frames += anim->num_frames;
    // A marker at the end of a cycle would be one at its start again.
    const uint32_t intervals = md5i_timing_intervals(&source->timings[MD5_PLAY_LOOP]);
    double *const markers =
        (double *)md5i_build_array(building, clip->num_markers, sizeof *markers);
    TRY(markers);
    for (uint32_t i = 0; i < clip->num_markers; i++) {
        const uint32_t frame = clip->markers[i];
        if (frame >= intervals)
            return md5i_fail_at(building, &clip->markers[i], MD5_ERROR_RANGE,
                                "clip %s: a marker is at frame %u, but the cycle ends at frame %u",
                                QUOTED(clip->name), frame, intervals);
        if (i > 0 && frame <= clip->markers[i - 1])
            return md5i_fail_at(building, &clip->markers[i], MD5_ERROR_RANGE,
                                "clip %s: the marker at frame %u is not after the one before",
                                QUOTED(clip->name), frame);
        markers[i] = (double)frame / (double)intervals;
    }
    source->markers = markers;
    source->num_markers = clip->num_markers;
    return clip->extract == MD5_EXTRACT_NONE || build_root_deltas(building, source);
}

bool md5i_build_clips(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    TRY(md5i_begin_names(building->scratch, &building->clips, "clip", desc->num_clips));
    for (uint32_t i = 0; i < desc->num_clips; i++)
        md5i_add_name(&building->clips, &desc->clips[i].name);
    TRY(md5i_end_names(building->context, desc->locations, &building->clips));
    machine->sources =
        (md5_source *)md5i_build_array(building, desc->num_clips, sizeof *machine->sources);
    TRY(machine->sources);
    for (uint32_t i = 0; i < desc->num_clips; i++)
        TRY(check_clip(building, &desc->clips[i]) && check_events(building, &desc->clips[i]));
    for (uint32_t i = 0; i < desc->num_clips; i++)
        TRY(build_clip(building, &desc->clips[i], &machine->sources[i]));
    return true;
}

// An error's place in the joints of a mask becomes one in the text that these stand in.
static bool build_mask(md5_building *building, const md5_mask_desc *mask, float *weights)
{
    const char *const joints = mask->joints ? mask->joints : "";
    md5_error error = {.status = MD5_OK};
    if (md5_build_mask(&building->desc->model->skeleton, joints, mask->feather, weights, &error))
        return true;
    const md5_location start = md5i_find_location(building->desc->locations, &mask->joints);
    md5_location position = {0, error.column};
    if (start.line > 0) {
        position.line = start.line + error.line - 1;
        position.column += error.line == 1 ? start.column - 1 : 0;
    }
    return md5i_fail(building->context, error.status, position.line, position.column, "mask %s: %s",
                     QUOTED(mask->name), error.message);
}

bool md5i_build_masks(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    const size_t num_joints = building->machine->num_joints;
    TRY(md5i_begin_names(building->scratch, &building->masks, "mask", desc->num_masks));
    for (uint32_t i = 0; i < desc->num_masks; i++)
        md5i_add_name(&building->masks, &desc->masks[i].name);
    TRY(md5i_end_names(building->context, desc->locations, &building->masks));

    md5_machine *const machine = building->machine;
    machine->masks =
        (float *)md5i_build_array(building, desc->num_masks, num_joints * sizeof *machine->masks);
    machine->mask_sets =
        (md5_mask_sets *)md5i_build_array(building, desc->num_masks, sizeof *machine->mask_sets);
    TRY(machine->masks && machine->mask_sets);
    for (uint32_t i = 0; i < desc->num_masks; i++) {
        TRY(build_mask(building, &desc->masks[i], machine->masks + i * num_joints));
        TRY(split_mask(building, i));
    }
    return true;
}
