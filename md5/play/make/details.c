// Levels of detail: which joints a mask leaves to be animated, and which slots of the clips drive
// them. Likewise the joints that are still seen below a layer with the mask.
#include "md5/play/make/building.h"

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
                md5i_narrow_targets(&binding->plan->targets, building->marks);
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
