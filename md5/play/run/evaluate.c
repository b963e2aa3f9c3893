// The pose of a state's motion.
#include "md5/play/run/joint_set.h"
#include "md5/play/run/player_state.h"

#include <math.h>
#include <string.h>

// Stack of poses: the first is the result, the others are scratch.
typedef struct pose_stack {
    md5_xform *first, *spare;
    uint32_t num_joints, count;
} pose_stack;

static md5_xform *pose_at(const pose_stack *stack, uint32_t position)
{
    return position == 0 ? stack->first : stack->spare + (size_t)(position - 1) * stack->num_joints;
}

// A hash of the cycles that a state's clips are in.
static uint64_t cycles_at(md5_player *player, const md5_active_state *active, double seconds)
{
    const md5_blend_tree *const tree = md5_tree_of(player, active);
    uint64_t mark = 0;
    md5i_find_clocks(player, active, seconds);
    for (uint32_t i = 0; i < tree->num_instances; i++) {
        if (active->instances[i].weight != 0.0f)
            mark = 31 * mark + (uint64_t)player->instance_clocks[i].cycle;
    }
    return mark;
}

bool md5i_stays_in_cycle(md5_player *player, const md5_active_state *active, double a, double b)
{
    return cycles_at(player, active, a) == cycles_at(player, active, b);
}

// Clocks of a state's clips: now, or `shift` seconds from now as computed by md5i_find_clocks(). A
// clip with MD5_INTERPOLATE_STEP stands still.
typedef struct instant {
    const md5_clip_instance *instances;
    const md5_clock *shifted; // NULL: now
    double shift;
} instant;

static md5_clock clock_at(const instant *at, uint32_t number, const md5_source *source,
                          const md5_timing *timing)
{
    const md5_clip_instance *const instance = &at->instances[number];
    if (!at->shifted || source->interpolation == MD5_INTERPOLATE_STEP)
        return instance->now;
    return md5_clock_after(timing, instance, at->shifted[number], at->shift);
}

// Some of a clip's joints: those of a layer, of a level of detail, or of both.
typedef struct selection {
    const md5_joint_set *joints;  // NULL: of all layers
    const md5_targets *targets;   // of `joints`
    const md5_detail_set *detail; // NULL: all; else the clip is not sampled whole
} selection;

static void sample_joints(const md5_machine *machine, const md5_source *source,
                          const selection *only, const md5_moment *moment, md5_xform *pose)
{
    const md5_binding *const binding = source->binding;
    const md5_joint_set *const joints = only->joints;
    const uint32_t *const listed = machine->listed + joints->list;
    if (joints->is_listed) {
        for (uint32_t i = 0; i < joints->count; i++)
            pose[listed[i]] = *md5_constant_of(binding, listed[i]);
    } else {
        md5_copy_constants(binding, joints->first, joints->count, pose);
    }
    binding->plan->kernels->sample(binding->anim, moment, only->targets, pose);
}

// A listed set is small: then the level of detail saves nothing.
static void sample_runs(const md5_machine *machine, const md5_source *source, const selection *only,
                        const md5_moment *moment, md5_xform *pose)
{
    const md5_binding *const binding = source->binding;
    const md5_detail_set *const detail = only->detail;
    const size_t clip = (size_t)(source - machine->sources);
    const md5_joint_run *const runs = machine->runs + detail->first_run;
    const md5_run_slots *const slots =
        machine->run_slots + detail->first_slots + clip * detail->num_runs;
    md5_targets targets = binding->plan->targets;
    const bool has_constants = !targets.rotations_in_order || !targets.translations_in_order;
    for (uint32_t i = 0; i < detail->num_runs; i++) {
        if (only->joints && !md5_meets(runs[i], only->joints))
            continue;
        targets.rotation_slots = slots[i].rotations;
        targets.translation_slots = slots[i].translations;
        if (has_constants)
            md5_copy_constants(binding, runs[i].first, runs[i].count, pose);
        binding->plan->kernels->sample(binding->anim, moment, &targets, pose);
    }
}

static void sample_selected(const md5_machine *machine, const md5_source *source,
                            const selection *only, const md5_moment *moment, md5_xform *pose)
{
    const bool is_listed = only->joints && only->joints->is_listed;
    if (only->detail && !is_listed)
        sample_runs(machine, source, only, moment, pose);
    else
        sample_joints(machine, source, only, moment, pose);
}

static void sample_instance(const md5_machine *machine, const md5_blend_tree *tree,
                            const instant *at, uint32_t number, const selection *only,
                            md5_xform *pose)
{
    const md5_instance_plan *const plan = &machine->instances[tree->first_instance + number];
    const md5_clip_instance *const instance = &at->instances[number];
    const md5_playable *const playable = &machine->playables[plan->playable];
    const md5_source *const source = &machine->sources[playable->source];
    const md5_timing *const timing = &source->timings[playable->mode];
    const md5_clock clock = clock_at(at, number, source, timing);
    const md5_moment moment = md5i_clock_moment(timing, clock, source->interpolation);
    if (only && !md5_is_sampled_whole(source))
        sample_selected(machine, source, only, &moment, pose);
    else
        md5_sample(source->binding, moment, MD5_ROOT_FILE, pose);
    if (source->extract == MD5_EXTRACT_NONE)
        return;
    const md5_root_track track = md5_track_of(machine, source);
    const bool is_known =
        md5_is_at(&instance->root, clock) && source->interpolation != MD5_INTERPOLATE_STEP;
    md5i_remove_root_delta(machine->model->skeleton.axes,
                           is_known ? instance->root.delta : md5i_root_delta_at(&track, &moment),
                           &pose[0]);
}

// The last pose is an item's. The first item's pose becomes the motion's; each later one is blended
// into it.
static void gather(const md5_player *player, const md5_active_state *active, const md5i_part *part,
                   const md5_detail_set *detail, pose_stack *stack)
{
    const md5_machine *const machine = player->machine;
    const md5_item *const item = &machine->items[part->item];
    const md5i_part *const parts = machine->parts + md5_tree_of(player, active)->first_part;
    const md5_motion *const parent = &machine->motions[parts[part->parent].motion];
    const float weight = active->weights[part->weight];
    float *const gathered = &player->gathered[part->parent];
    const bool is_first = *gathered == 0.0f;
    *gathered += weight;
    if (is_first)
        return;
    md5_xform *const into = pose_at(stack, stack->count - 2);
    md5_xform *const last = pose_at(stack, stack->count - 1);
    if (parent->kind != MD5_MOTION_STACK)
        md5i_blend_over(machine, detail, -1, last, weight / *gathered, into);
    else if (item->mode == MD5_LAYER_ADD)
        md5i_add_difference_of_joints(machine, &item->added, last, item->reference, weight, into);
    else
        md5i_blend_over(machine, detail, item->mask, last, weight, into);
    stack->count--;
}

void md5i_evaluate_state(md5_player *player, const md5_active_state *active,
                         const md5_detail_set *detail, double shift, md5_xform *spare,
                         md5_xform *pose)
{
    const md5_machine *const machine = player->machine;
    const md5_blend_tree *const tree = md5_tree_of(player, active);
    if (shift != 0.0)
        md5i_find_clocks(player, active, shift);
    const instant at = {active->instances, shift != 0.0 ? player->instance_clocks : NULL, shift};
    // What is added may be added to any joint.
    const md5_detail_set *const used = tree->has_added ? NULL : detail;
    const selection reduced = {.detail = used};
    const selection *const only = used ? &reduced : NULL;
    if (tree->num_parts == 1) { // a clip
        sample_instance(machine, tree, &at, 0, only, pose);
        return;
    }
    const md5i_part *const parts = machine->parts + tree->first_part;
    pose_stack stack = {.first = pose, .spare = spare, .num_joints = machine->num_joints};
    memset(player->gathered, 0, tree->num_parts * sizeof *player->gathered);
    for (uint32_t i = 0; i < tree->num_parts; i++) {
        const md5i_part *const part = &parts[i];
        if (active->totals[i] == 0.0f)
            continue;
        if (part->instance >= 0)
            sample_instance(machine, tree, &at, (uint32_t)part->instance, only,
                            pose_at(&stack, stack.count++));
        if (part->parent >= 0)
            gather(player, active, part, used, &stack);
    }
}

void md5i_evaluate_joints(md5_player *player, const md5_play_layer *layer,
                          const md5_active_state *active, const md5_detail_set *detail,
                          md5_xform *spare, md5_xform *pose)
{
    const md5_machine *const machine = player->machine;
    const md5_state *const state = &machine->states[layer->first_state + active->state];
    if (!state->is_partial) {
        md5i_evaluate_state(player, active, detail, 0.0, spare, pose);
        return;
    }
    const instant now = {.instances = active->instances};
    const selection only = {&layer->joints, &state->targets, detail};
    sample_instance(machine, md5_tree_of(player, active), &now, 0, &only, pose);
}
