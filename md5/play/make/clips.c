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

static void list_joint(md5_machine *machine, md5_joint_set *set, uint32_t joint, float weight)
{
    machine->listed[machine->num_listed] = joint;
    machine->listed_weights[machine->num_listed++] = weight;
    set->count++;
}

static md5_joint_set begin_list(const md5_machine *machine, int32_t mask)
{
    return (md5_joint_set){.is_listed = true, .mask = mask, .list = machine->num_listed};
}

// From the first joint that has a mark to the last.
static md5_joint_set span_of(const bool *marks, uint32_t num_joints, int32_t mask)
{
    uint32_t first = 0, end = num_joints;
    while (end > 0 && !marks[end - 1])
        end--;
    while (first < end && !marks[first])
        first++;
    return (md5_joint_set){.mask = mask, .first = first, .count = end - first};
}

// Lists are at most as long as there are joints: one for each mask, of what is added, and two for
// layers that are.
bool md5i_begin_sets(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    const size_t num_joints = machine->num_joints;
    size_t count = desc->num_masks;
    for (uint32_t i = 0; i < desc->num_motions; i++) {
        const md5_motion_desc *const motion = &desc->motions[i];
        for (uint32_t k = 0; motion->items && k < motion->num_items; k++)
            count += motion->items[k].mode == MD5_LAYER_ADD;
    }
    for (uint32_t i = 0; i < desc->num_layers; i++)
        count += desc->layers[i].mode == MD5_LAYER_ADD;
    machine->listed =
        (uint32_t *)md5i_build_array(building, count, num_joints * sizeof *machine->listed);
    machine->listed_weights =
        (float *)md5i_build_array(building, count, num_joints * sizeof *machine->listed_weights);
    building->marks = (bool *)md5i_build_array(building, num_joints, sizeof *building->marks);
    building->sampled =
        (md5_xform *)md5i_build_array(building, num_joints, sizeof *building->sampled);
    return machine->listed && machine->listed_weights && building->marks && building->sampled;
}

// Finds the sets of a mask, which is there already.
static void split_mask(md5_building *building, uint32_t mask)
{
    md5_machine *const machine = building->machine;
    const float *const weights = md5_mask_of(machine, (int32_t)mask);
    md5_mask_sets *const sets = &machine->mask_sets[mask];
    for (uint32_t i = 0; i < machine->num_joints; i++)
        building->marks[i] = weights[i] > 0.0f;
    sets->all = span_of(building->marks, machine->num_joints, (int32_t)mask);
    sets->whole = begin_list(machine, (int32_t)mask);
    for (uint32_t i = 0; i < machine->num_joints; i++) {
        if (weights[i] >= 1.0f)
            list_joint(machine, &sets->whole, i, 1.0f);
    }
    sets->partial = begin_list(machine, (int32_t)mask);
    for (uint32_t i = 0; i < machine->num_joints; i++) {
        if (weights[i] > 0.0f && weights[i] < 1.0f)
            list_joint(machine, &sets->partial, i, weights[i]);
    }
    sets->is_split = pays_off(sets->partial.count, sets->all.count);
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
        if (targets->rotations[i] >= 0)
            marks[targets->rotations[i]] = true;
    }
    for (uint32_t i = 0; i < binding->anim->num_translations; i++) {
        if (targets->translations[i] >= 0)
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
void md5i_mark_changed(md5_building *building, uint32_t motion, int32_t reference)
{
    enum { MOST_CLIPS = 16 };
    const md5_machine *const machine = building->machine;
    const md5_motion *const of = &machine->motions[motion];
    const md5_xform *const from = md5_reference_of(machine, reference);
    if (of->kind == MD5_MOTION_CLIP) {
        mark_changed_by(building, &machine->sources[machine->playables[of->playable].source], from);
        return;
    }
    bool is_known = of->kind != MD5_MOTION_STACK && of->num_items <= MOST_CLIPS;
    for (uint32_t i = 0; is_known && i < of->num_items; i++) {
        const md5_motion *const item = &machine->motions[machine->items[of->first_item + i].motion];
        is_known = item->kind == MD5_MOTION_CLIP;
        if (is_known)
            mark_changed_by(building, &machine->sources[machine->playables[item->playable].source],
                            from);
    }
    for (uint32_t i = 0; !is_known && i < machine->num_joints; i++)
        building->marks[i] = true;
}

md5_joint_set md5i_set_of_marks(md5_building *building, int32_t mask)
{
    md5_machine *const machine = building->machine;
    const float *const weights = md5_mask_of(machine, mask);
    bool *const marks = building->marks;
    uint32_t count = 0;
    for (uint32_t i = 0; i < machine->num_joints; i++) {
        marks[i] = marks[i] && (!weights || weights[i] > 0.0f);
        count += marks[i];
    }
    const md5_joint_set span = span_of(marks, machine->num_joints, mask);
    if (!pays_off(count, span.count))
        return span;
    md5_joint_set set = begin_list(machine, mask);
    for (uint32_t i = 0; i < machine->num_joints; i++) {
        if (marks[i])
            list_joint(machine, &set, i, weights ? weights[i] : 1.0f);
    }
    // The last joint once more, and again, until the list fills registers of eight: as often as it
    // is there, the same comes out for it.
    const size_t last = machine->num_listed - 1;
    while (set.count % 8 != 0 && set.count < machine->num_joints)
        list_joint(machine, &set, machine->listed[last], machine->listed_weights[last]);
    return set;
}

// Whether slots drive only joints that have a mark.
static bool are_marked(const int32_t *targets, md5_slots slots, const bool *marks)
{
    bool marked = true;
    for (uint32_t i = slots.first; i < slots.first + slots.count; i++)
        marked = marked && (targets[i] < 0 || marks[targets[i]]);
    return marked;
}

// Whether a mask can be blended over by sampling into the result.
static bool is_mask_full(const md5_machine *machine, int32_t mask)
{
    const md5_mask_sets *const sets = &machine->mask_sets[mask];
    return sets->is_split && sets->partial.count <= MD5_MOST_SAVED
           && sets->whole.count + sets->partial.count == sets->all.count;
}

void md5i_narrow_state(md5_building *building, const md5_play_layer *layer, md5_state *state)
{
    const md5_machine *const machine = building->machine;
    const md5_joint_set *const joints = &layer->joints;
    if (state->tree < 0 || machine->trees[state->tree].num_parts > 1)
        return;
    const md5_motion *const clip = &machine->motions[machine->trees[state->tree].motion];
    const md5_source *const source = &machine->sources[machine->playables[clip->playable].source];
    md5i_begin_marks(building);
    for (uint32_t i = 0; i < joints->count; i++)
        building->marks[joints->is_listed ? machine->listed[joints->list + i] : joints->first + i] =
            true;
    // What is extracted is taken from joint 0.
    const bool has_root = building->marks[0] || source->extract == MD5_EXTRACT_NONE;
    state->is_partial = has_root && !md5_is_sampled_whole(source);
    state->targets = md5_narrow_targets(&source->binding->plan->targets, building->marks);
    state->is_exact =
        state->is_partial && layer->mode == MD5_LAYER_OVERRIDE && is_mask_full(machine, layer->mask)
        && are_marked(state->targets.rotations, state->targets.rotation_slots, building->marks)
        && are_marked(state->targets.translations, state->targets.translation_slots,
                      building->marks);
}

// -- Levels of detail ---------------------------------------------------------------------------

// Another run costs about as much as so many joints: a register of the widest kernels.
enum { WIDEST_GAP = 16 };

static void find_animated(const md5_machine *machine, const float *weights, bool *are_animated)
{
    const md5_skeleton *const skeleton = &machine->model->skeleton;
    for (uint32_t i = 0; i < machine->num_joints; i++) {
        if (i > 0 && !(weights[i] > 0.0f))
            continue;
        for (int32_t joint = (int32_t)i; joint >= 0 && !are_animated[joint];
             joint = skeleton->joints[joint].parent)
            are_animated[joint] = true;
    }
}

static void divide(const bool *are_animated, uint32_t num_joints, md5_detail_set *set,
                   md5_joint_run *runs)
{
    for (uint32_t i = 0; i < num_joints; i++) {
        if (!are_animated[i])
            continue;
        md5_joint_run *const last = set->num_runs > 0 ? &runs[set->num_runs - 1] : NULL;
        if (last && i - (last->first + last->count) < WIDEST_GAP)
            last->count = i + 1 - last->first;
        else
            runs[set->num_runs++] = (md5_joint_run){i, 1};
    }
}

// Those outside of runs first.
static void list_left_out(const md5_machine *machine, md5_detail_set *set, uint32_t *left_out)
{
    const bool *const are_animated = machine->are_animated + set->first_joint;
    for (int round = 0; round < 2; round++) {
        uint32_t run = 0;
        for (uint32_t i = 0; i < machine->num_joints; i++) {
            const md5_joint_run *const runs = machine->runs + set->first_run;
            while (run < set->num_runs && i >= runs[run].first + runs[run].count)
                run++;
            const bool is_inside = run < set->num_runs && i >= runs[run].first;
            if (!are_animated[i] && is_inside == (round == 1))
                left_out[set->num_left_out++] = i;
        }
        if (round == 0)
            set->num_outside = set->num_left_out;
    }
}

static bool find_runs(md5_building *building)
{
    md5_machine *const machine = building->machine;
    const size_t num_masks = building->desc->num_masks, num_joints = machine->num_joints;
    const size_t most_runs = num_joints / (WIDEST_GAP + 1) + 1;
    machine->details =
        (md5_detail_set *)md5i_build_array(building, num_masks, sizeof *machine->details);
    machine->are_animated =
        (bool *)md5i_build_array(building, num_masks, num_joints * sizeof *machine->are_animated);
    machine->left_out =
        (uint32_t *)md5i_build_array(building, num_masks, num_joints * sizeof *machine->left_out);
    machine->runs = (md5_joint_run *)md5i_build_array(building, num_masks,
                                                      2 * most_runs * sizeof *machine->runs);
    TRY(machine->details && machine->are_animated && machine->left_out && machine->runs);
    for (size_t i = 0; i < num_masks; i++) {
        md5_detail_set *const set = &machine->details[i];
        *set = (md5_detail_set){.first_joint = i * num_joints, .first_run = machine->num_runs};
        bool *const are_animated = machine->are_animated + set->first_joint;
        find_animated(machine, md5_mask_of(machine, (int32_t)i), are_animated);
        divide(are_animated, machine->num_joints, set, machine->runs + set->first_run);
        list_left_out(machine, set, machine->left_out + set->first_joint);
        machine->num_runs += set->num_runs;
    }
    return true;
}

// Joints that a mask covers in whole are overwritten: below it only the others are needed, and
// joint 0, of which root motion is taken. No runs: the mask covers too few to make a difference.
static bool find_rests(md5_building *building)
{
    md5_machine *const machine = building->machine;
    const uint32_t num_joints = machine->num_joints;
    machine->rests = (md5_detail_set *)md5i_build_array(building, building->desc->num_masks,
                                                        sizeof *machine->rests);
    TRY(machine->rests);
    for (uint32_t i = 0; i < building->desc->num_masks; i++) {
        const float *const weights = md5_mask_of(machine, (int32_t)i);
        md5_detail_set *const set = &machine->rests[i];
        *set = (md5_detail_set){.first_run = machine->num_runs};
        if (!machine->mask_sets[i].is_split)
            continue;
        md5i_begin_marks(building);
        for (uint32_t joint = 0; joint < num_joints; joint++)
            building->marks[joint] = joint == 0 || weights[joint] < 1.0f;
        divide(building->marks, num_joints, set, machine->runs + set->first_run);
        uint32_t num_left = 0;
        for (uint32_t run = 0; run < set->num_runs; run++)
            num_left += machine->runs[set->first_run + run].count;
        if (num_left + WIDEST_GAP > num_joints)
            set->num_runs = 0;
        machine->num_runs += set->num_runs;
    }
    return true;
}

// Writes slots[clips][num_runs].
static void find_slots(md5_building *building, const md5_detail_set *set, md5_run_slots *slots)
{
    const md5_machine *const machine = building->machine;
    const uint32_t num_clips = building->desc->num_clips;
    for (uint32_t i = 0; i < set->num_runs; i++) {
        const md5_joint_run *const run = &machine->runs[set->first_run + i];
        md5i_begin_marks(building);
        for (uint32_t joint = run->first; joint < run->first + run->count; joint++)
            building->marks[joint] = true;
        for (size_t clip = 0; clip < num_clips; clip++) {
            const md5_binding *const binding = machine->sources[clip].binding;
            const md5_targets narrowed =
                md5_narrow_targets(&binding->plan->targets, building->marks);
            slots[clip * set->num_runs + i] =
                (md5_run_slots){narrowed.rotation_slots, narrowed.translation_slots};
        }
    }
}

bool md5i_build_details(md5_building *building)
{
    md5_machine *const machine = building->machine;
    const uint32_t num_clips = building->desc->num_clips;
    TRY(find_runs(building) && find_rests(building));
    machine->run_slots = (md5_run_slots *)md5i_build_array(building, machine->num_runs,
                                                           num_clips * sizeof *machine->run_slots);
    TRY(machine->run_slots);
    const uint32_t num_masks = building->desc->num_masks;
    for (uint32_t i = 0; i < 2 * num_masks; i++) {
        md5_detail_set *const set =
            i < num_masks ? &machine->details[i] : &machine->rests[i - num_masks];
        set->first_slots = machine->num_run_slots;
        find_slots(building, set, machine->run_slots + set->first_slots);
        machine->num_run_slots += (size_t)set->num_runs * num_clips;
    }
    return true;
}

// A layer without a mask that is not added may change any joint.
static bool is_seen(const md5_machine *machine, const md5_detail_set *set,
                    const md5_play_layer *layer)
{
    const md5_joint_set *const joints = &layer->joints;
    const bool *const are_animated = machine->are_animated + set->first_joint;
    const float *const weights = md5_mask_of(machine, layer->mask);
    bool seen = layer->mode != MD5_LAYER_ADD && !weights;
    for (uint32_t i = 0; i < joints->count && !seen; i++) {
        const uint32_t joint =
            joints->is_listed ? machine->listed[joints->list + i] : joints->first + i;
        seen = are_animated[joint] && (!weights || weights[joint] > 0.0f);
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
        return md5i_fail_at(building, &clip->name, MD5_ERROR_MISMATCH, "clip %s has no binding",
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

// A marker at the end of a cycle would be one at its start again.
static bool build_markers(md5_building *building, const md5_clip_desc *clip, md5_source *source,
                          double *markers)
{
    const uint32_t intervals = md5i_timing_intervals(&source->timings[MD5_PLAY_LOOP]);
    source->num_markers = clip->num_markers;
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
    return true;
}

// Joint 0 in every frame.
static bool build_ways(md5_building *building, const md5_source *source,
                       md5_root_delta *root_deltas)
{
    const md5_binding *const binding = source->binding;
    const uint32_t num_frames = binding->anim->num_frames;
    const size_t num_joints = binding->skeleton->num_joints;
    md5_xform *const pose = (md5_xform *)md5i_build_array(building, num_joints, sizeof *pose);
    md5_xform *const roots = (md5_xform *)md5i_build_array(building, num_frames, sizeof *roots);
    TRY(pose && roots);
    for (uint32_t frame = 0; frame < num_frames; frame++) {
        md5_sample(binding, (md5_moment){.frame0 = frame, .frame1 = frame}, MD5_ROOT_FILE, pose);
        roots[frame] = md5i_transform_from_axes(binding->model->skeleton.axes, pose[0]);
    }
    md5i_make_root_track(source->extract, roots, num_frames, root_deltas);
    return true;
}

typedef struct clip_arrays {
    md5_source *sources;
    md5_cue *cues;
    double *markers;
    md5_root_delta *root_deltas;
} clip_arrays;

static bool build_clip(md5_building *building, const md5_clip_desc *clip, md5_source *source,
                       const clip_arrays *arrays)
{
    md5_machine *const machine = building->machine;
    const md5_anim *const anim = clip->binding->anim;
    *source = (md5_source){
        .binding = clip->binding,
        .interpolation = clip->interpolation,
        .extract = clip->extract,
        .first_delta = machine->num_deltas,
        .first_frame = machine->num_frames,
        .first_marker = machine->num_markers,
    };
    for (int mode = 0; mode < MD5_PLAY_MODES; mode++) {
        source->timings[mode] = (md5_timing){
            .num_frames = anim->num_frames,
            .frame_rate = anim->frame_rate,
            .period = clip->period,
            .mode = (md5_play_mode)mode,
        };
        source->first_cue[mode] = machine->num_cues;
        source->num_cues[mode] =
            md5i_make_cues(&source->timings[mode], clip->events, clip->num_events,
                           building->desc->report.clip_end, arrays->cues + machine->num_cues);
        machine->num_cues += source->num_cues[mode];
    }
    TRY(build_markers(building, clip, source, arrays->markers + machine->num_markers));
    machine->num_markers += clip->num_markers;
    machine->num_frames += anim->num_frames;
    if (clip->extract != MD5_EXTRACT_NONE) {
        TRY(build_ways(building, source, arrays->root_deltas + machine->num_deltas));
        machine->num_deltas += anim->num_frames;
    }
    return true;
}

// Everything is checked before anything is counted: counts of what is wrong mean nothing.
static bool check_clips(md5_building *building, size_t *num_events, size_t *num_markers,
                        size_t *num_deltas)
{
    const md5_machine_desc *const desc = building->desc;
    TRY(md5i_begin_names(building->arena, &building->clips, "clip", desc->num_clips));
    for (uint32_t i = 0; i < desc->num_clips; i++)
        md5i_add_name(&building->clips, &desc->clips[i].name);
    TRY(md5i_end_names(building->context, desc->locations, &building->clips));
    for (uint32_t i = 0; i < desc->num_clips; i++) {
        const md5_clip_desc *const clip = &desc->clips[i];
        TRY(check_clip(building, clip));
        TRY(check_events(building, clip));
        *num_events += clip->num_events;
        *num_markers += clip->num_markers;
        *num_deltas += clip->extract != MD5_EXTRACT_NONE ? clip->binding->anim->num_frames : 0;
    }
    return true;
}

bool md5i_build_clips(md5_building *building)
{
    enum { CUES = 4 }; // of one event: two in ping-pong; of the ends of a clip less than two times
    const md5_machine_desc *const desc = building->desc;
    size_t num_events = 0, num_markers = 0, num_deltas = 0;
    TRY(check_clips(building, &num_events, &num_markers, &num_deltas));
    const size_t num_ends = desc->report.clip_end ? 2 * (size_t)desc->num_clips : 0;
    const clip_arrays arrays = {
        .sources =
            (md5_source *)md5i_build_array(building, desc->num_clips, sizeof *arrays.sources),
        .cues = (md5_cue *)md5i_build_array(building, num_events + num_ends,
                                            CUES * sizeof *arrays.cues),
        .markers = (double *)md5i_build_array(building, num_markers, sizeof *arrays.markers),
        .root_deltas =
            (md5_root_delta *)md5i_build_array(building, num_deltas, sizeof *arrays.root_deltas),
    };
    TRY(arrays.sources && arrays.cues && arrays.markers && arrays.root_deltas);
    for (uint32_t i = 0; i < desc->num_clips; i++)
        TRY(build_clip(building, &desc->clips[i], &arrays.sources[i], &arrays));
    building->machine->sources = arrays.sources;
    building->machine->cues = arrays.cues;
    building->machine->markers = arrays.markers;
    building->machine->root_deltas = arrays.root_deltas;
    building->machine->has_root_motion = num_deltas > 0;
    building->machine->has_clip_events = num_events + num_ends > 0;
    return true;
}

// An error's place in the joints of a mask becomes one in the text that these stand in.
static bool build_mask(md5_building *building, const md5_mask_desc *mask, float *weights)
{
    const char *const joints = mask->joints ? mask->joints : "";
    md5_error error;
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
    TRY(md5i_begin_names(building->arena, &building->masks, "mask", desc->num_masks));
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
        split_mask(building, i);
    }
    return true;
}
