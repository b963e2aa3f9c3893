// Blends the states of layers, and layers over each other, into a pose; how one state of a layer
// replaces another.
#include "md5/motion/space.h"
#include "md5/play/run/player_state.h"

// == Inertial transitions ========================================================================

// -- Velocities -----------------------------------------------------------------------------------

// The angle with the given sine and cosine, both >= 0 and times any factor. It is halved three
// times, so that a short series of the arc tangent is enough.
static double angle_of(double sine, double cosine)
{
    enum { HALVINGS = 3, TERMS = 9 };
    for (uint32_t i = 0; i < HALVINGS; i++)
        cosine += sqrt(cosine * cosine + sine * sine);
    const double t = cosine > 0 ? sine / cosine : 0;
    const double square = t * t;
    double sum = 0;
    for (int term = TERMS; term > 0; term--)
        sum = 1.0 / (2 * term - 1) - square * sum;
    return t * sum * (1 << HALVINGS);
}

// In double, because the results are often small differences.
void md5i_pose_velocity(const md5_xform *before, const md5_xform *now, uint32_t num_joints,
                        float seconds, md5_velocity *velocity)
{
    const float rate = seconds > 0 ? 1.0f / seconds : 0;
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        md5_quatd turn = md5_quatd_mul(md5_quatd_of(now[joint].rotation),
                                       md5_quatd_conjugate(md5_quatd_of(before[joint].rotation)));
        if (turn.w < 0)
            turn = md5_quatd_negate(turn);
        const double sine = sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
        const double scale = sine > 0 ? 2 * angle_of(sine, turn.w) / sine * rate : 0;
        velocity[joint] = (md5_velocity){
            .linear = md5_vec3_scale(
                md5_vec3_sub(now[joint].translation, before[joint].translation), rate),
            .angular = {(float)(turn.x * scale), (float)(turn.y * scale), (float)(turn.z * scale)},
        };
    }
}

// -- Offsets --------------------------------------------------------------------------------------

// Squared lengths of offsets that have a direction, and whose squares can be divided by.
#define SHORTEST 1e-18f
#define LONGEST 1e30f

// Of the shorter way round, so that its length is at most 1.
static md5_vec3 turn_of(md5_quat q)
{
    const float sign = q.w < 0 ? -1 : 1;
    return md5_vec3_scale((md5_vec3){q.x, q.y, q.z}, sign / (1 + sign * q.w));
}

static md5_quat quat_of(md5_vec3 turn)
{
    const float square = md5_vec3_dot(turn, turn);
    const float scale = 1.0f / (1 + square);
    const md5_vec3 axis = md5_vec3_scale(turn, 2 * scale);
    return (md5_quat){axis.x, axis.y, axis.z, (1 - square) * scale};
}

// How fast the length of an offset x changes with velocity v, as a part of itself: x.v / x.x. What
// would make it longer is dropped; what goes across does not change it. An offset that is next to
// nothing has no direction to keep.
static float rate_of(md5_vec3 offset, md5_vec3 velocity)
{
    const float square = md5_vec3_dot(offset, offset);
    if (!(square > SHORTEST && square < LONGEST))
        return 0;
    const float rate = md5_vec3_dot(offset, velocity) / square;
    return rate < 0 ? md5_larger(rate, MD5_FASTEST_DECAY) : 0;
}

void md5i_make_offsets(const md5_xform *from, const md5_velocity *from_velocities,
                       const md5_xform *to, const md5_velocity *to_velocities, uint32_t num_joints,
                       md5_offset *offsets)
{
    for (uint32_t i = 0; i < num_joints; i++) {
        const md5_vec3 turn =
            turn_of(md5_quat_mul(from[i].rotation, md5_quat_conjugate(to[i].rotation)));
        const md5_vec3 move = md5_vec3_sub(from[i].translation, to[i].translation);
        // With D = from * to^-1, angular velocities w: that of D is w_from - D w_to D^-1. Along the
        // axis of D, which D does not turn, that is w_from - w_to; and tan(angle / 4) = t changes
        // by (1 + t^2) / 4 times what the angle does.
        const md5_vec3 turning =
            md5_vec3_scale(md5_vec3_sub(from_velocities[i].angular, to_velocities[i].angular),
                           0.25f * (1 + md5_vec3_dot(turn, turn)));
        const md5_vec3 moving = md5_vec3_sub(from_velocities[i].linear, to_velocities[i].linear);
        offsets[i] = (md5_offset){turn, rate_of(turn, turning), move, rate_of(move, moving)};
    }
}

void md5i_add_offsets(const md5_offset *offsets, float elapsed, float duration, uint32_t num_joints,
                      md5_xform *pose)
{
    if (!(elapsed < duration))
        return;
    for (uint32_t i = 0; i < num_joints; i++) {
        const md5_offset *const offset = &offsets[i];
        const float turn_left = md5_offset_left(offset->turn_rate, elapsed, duration);
        const float move_left = md5_offset_left(offset->move_rate, elapsed, duration);
        if (turn_left > 0)
            pose[i].rotation =
                md5_quat_mul(quat_of(md5_vec3_scale(offset->turn, turn_left)), pose[i].rotation);
        if (move_left > 0)
            pose[i].translation =
                md5_vec3_add(pose[i].translation, md5_vec3_scale(offset->move, move_left));
    }
}

// == Sets of joints =============================================================================

// Joints of a list that are gathered at a time.
enum { CHUNK = 32 };

// A part of a set's joints: a chunk of its list, or all of them where they lie.
typedef struct joint_part {
    const uint32_t *listed; // NULL: no list
    const float *weights;
    uint32_t begin;
    uint32_t first;
    uint32_t count;
} joint_part;

// Goes on to the next part: begin with {0}. False at the end.
static bool next_part(const md5_joint_set *set, joint_part *part)
{
    const uint32_t begin = part->begin + part->count;
    const uint32_t left = set->count - begin;
    if (left == 0)
        return false;
    *part = (joint_part){
        .listed = set->list ? set->list + begin : NULL,
        .weights = set->weights ? set->weights + begin : NULL,
        .begin = begin,
        .first = set->first,
        .count = set->list && left > CHUNK ? CHUNK : left,
    };
    return true;
}

// The part's joints of a pose, which are brought to `room` if they do not stand together.
static const md5_xform *take(const joint_part *part, const md5_xform *pose, md5_xform room[CHUNK])
{
    if (!part->listed)
        return pose + part->first;
    for (uint32_t i = 0; i < part->count; i++)
        room[i] = pose[part->listed[i]];
    return room;
}

// Where they are worked on. What is done there is not in the pose before put().
static md5_xform *take_out(const joint_part *part, md5_xform *pose, md5_xform room[CHUNK])
{
    if (!part->listed)
        return pose + part->first;
    take(part, pose, room);
    return room;
}

static void put(const joint_part *part, const md5_xform *changed, md5_xform *pose)
{
    if (part->listed) {
        for (uint32_t i = 0; i < part->count; i++)
            pose[part->listed[i]] = changed[i];
    }
}

static void blend_joints(const md5_joint_set *set, const md5_xform *other, float weight,
                         md5_xform *pose)
{
    md5_xform of_pose[CHUNK], of_other[CHUNK];
    for (joint_part part = {0}; next_part(set, &part);) {
        md5_xform *const into = take_out(&part, pose, of_pose);
        md5_blend_poses(into, take(&part, other, of_other), weight, part.weights, part.count, into);
        put(&part, into, pose);
    }
}

// md5_blend_poses() of all `count` joints, or of the runs of a level of detail.
static void blend_all(const md5_detail_set *detail, const md5_xform *from, const md5_xform *to,
                      float weight, uint32_t count, md5_xform *pose)
{
    if (!detail)
        md5_blend_poses(from, to, weight, NULL, count, pose);
    if (detail) {
        for (uint32_t i = 0; i < detail->num_runs; i++) {
            const md5_joint_run run = detail->runs[i];
            md5_blend_poses(from + run.first, to + run.first, weight, NULL, run.count,
                            pose + run.first);
        }
    }
}

// Blends `other` over `pose` by mask and weight; mask MD5_NONE: all joints. Of a level of detail,
// if one is given, only the runs: other joints need not be defined.
static void blend_over(const md5_machine *machine, const md5_detail_set *detail, uint32_t mask,
                       const md5_xform *other, float weight, md5_xform *pose)
{
    if (mask == MD5_NONE) {
        blend_all(detail, pose, other, weight, machine->num_joints, pose);
        return;
    }
    const float *const weights = md5_mask_of(machine, mask);
    if (detail) { // where the mask's weight is 0, joints keep their bits
        for (uint32_t i = 0; i < detail->num_runs; i++) {
            const md5_joint_run run = detail->runs[i];
            if (md5_meets(run, &machine->mask_sets[mask].all))
                md5_blend_poses(pose + run.first, other + run.first, weight, weights + run.first,
                                run.count, pose + run.first);
        }
        return;
    }
    const md5_mask_sets *const sets = &machine->mask_sets[mask];
    if (weight < 1 || !sets->is_split) {
        blend_joints(&sets->all, other, weight, pose);
        return;
    }
    const uint32_t *const whole = sets->whole.list;
    for (uint32_t i = 0; i < sets->whole.count; i++)
        pose[whole[i]] = other[whole[i]];
    blend_joints(&sets->partial, other, weight, pose);
}

// Adds the difference of these joints to the reference to those of `pose`. Without a reference
// `source` is that difference, joint after joint of the set.
static void add_difference_of_joints(const md5_joint_set *set, const md5_xform *source,
                                     const md5_xform *reference, float weight, md5_xform *pose)
{
    md5_xform of_pose[CHUNK], of_source[CHUNK], of_reference[CHUNK];
    for (joint_part part = {0}; next_part(set, &part);) {
        md5_xform *const into = take_out(&part, pose, of_pose);
        md5_add_pose(into, reference ? take(&part, source, of_source) : source + part.begin,
                     reference ? take(&part, reference, of_reference) : NULL, weight, part.weights,
                     part.count, into);
        put(&part, into, pose);
    }
}

// == States =====================================================================================

// Stack of poses: the first is the result, the others are scratch.
typedef struct pose_stack {
    md5_xform *first;
    md5_xform *spare;
    uint32_t num_joints;
    uint32_t count;
} pose_stack;

static md5_xform *pose_at(const pose_stack *stack, uint32_t position)
{
    return position == 0 ? stack->first : stack->spare + (size_t)(position - 1) * stack->num_joints;
}

// A hash of the cycles that a state's clips are in.
static uint64_t cycles_at(md5_player *player, const md5_active_state *active, double seconds)
{
    uint64_t mark = 0;
    MD5_ASSERT(active->tree != NULL, "state: must have a motion");
    md5i_find_clocks(player, active, seconds);
    for (uint32_t i = 0; i < active->num_awake; i++) {
        const uint32_t number = active->awake[i];
        if (active->instances[number].weight != 0)
            mark = 31 * mark + (uint64_t)md5i_clock_after(player, active, number, seconds).cycle;
    }
    return mark;
}

// Some of a clip's joints: those of a layer, of a level of detail, or of both.
typedef struct selection {
    const md5_joint_set *joints;  // NULL: of all layers
    const md5_targets *targets;   // of `joints`
    const md5_detail_set *detail; // NULL: all; else the clip is not sampled whole
} selection;

// Now, or `shift` seconds from now, after md5i_find_clocks(). A clip with MD5_INTERPOLATE_STEP
// stands still.
static void sample_instance(const md5_player *player, const md5_active_state *active, double shift,
                            uint32_t number, const selection *only, md5_xform *pose)
{
    const md5_machine *const machine = player->machine;
    const md5_clip_instance *const instance = &active->instances[number];
    const md5_playable *const playable = active->tree->instances[number].playable;
    const md5_source *const source = playable->source;
    const md5_binding *const binding = source->binding;
    const bool is_step = source->interpolation == MD5_INTERPOLATE_STEP;
    const md5_clock clock =
        shift == 0 || is_step ? instance->now : md5i_clock_after(player, active, number, shift);
    const md5_sample_position sample =
        md5i_clock_sample_position(playable->timing, clock, source->interpolation);
    const md5_joint_set *const joints = only ? only->joints : NULL;
    const uint32_t *const listed = joints ? joints->list : NULL;
    if (!only || md5_is_sampled_whole(source)) {
        md5_sample(binding, sample, MD5_ROOT_FILE, pose);
    } else if (only->detail && !listed) { // a listed set is so small that runs save nothing
        const md5_joint_run *const runs = only->detail->runs;
        const md5_run_slots *const slots =
            only->detail->slots + (size_t)(source - machine->sources) * only->detail->num_runs;
        md5_targets targets = binding->internal.plan->targets;
        const bool has_constants = !targets.rotations_in_order || !targets.translations_in_order;
        for (uint32_t i = 0; i < only->detail->num_runs; i++) {
            if (joints && !md5_meets(runs[i], joints))
                continue;
            targets.rotation_slots = slots[i].rotations;
            targets.translation_slots = slots[i].translations;
            if (has_constants)
                md5_copy_constants(binding, runs[i].first, runs[i].count, pose);
            binding->internal.plan->kernels->sample(binding->anim, &sample, &targets, pose, NULL);
        }
    } else {
        MD5_ASSERT(joints != NULL, "joints: must not be NULL if the layer has no runs");
        if (!listed)
            md5_copy_constants(binding, joints->first, joints->count, pose);
        if (listed) {
            for (uint32_t i = 0; i < joints->count; i++)
                pose[listed[i]] = *md5_constant_of(binding, listed[i]);
        }
        binding->internal.plan->kernels->sample(binding->anim, &sample, only->targets, pose, NULL);
    }
    if (source->root_extraction == MD5_ROOT_EXTRACTION_NONE)
        return;
    const md5_root_track track = md5_track_of(source);
    const bool is_known = md5_is_at(&instance->root, clock) && !is_step;
    md5i_remove_root_delta(machine->model->skeleton.axes,
                           is_known ? instance->root.delta : md5i_root_delta_at(&track, &sample),
                           &pose[0]);
}

// The last pose is an item's. The first item's pose becomes the motion's; each later one is blended
// into it.
static void gather(const md5_player *player, const md5_active_state *active, const md5i_part *part,
                   const md5_detail_set *detail, pose_stack *stack)
{
    const md5_machine *const machine = player->machine;
    const md5_item *const item = part->item;
    const md5_motion *const parent = active->tree->parts[part->parent].motion;
    const float weight = active->weights[part->weight];
    float *const gathered = &player->gathered[part->parent];
    const bool is_first = *gathered == 0;
    *gathered += weight;
    if (is_first)
        return;
    md5_xform *const into = pose_at(stack, stack->count - 2);
    md5_xform *const last = pose_at(stack, stack->count - 1);
    if (parent->kind != MD5_MOTION_STACK)
        blend_over(machine, detail, MD5_NONE, last, weight / *gathered, into);
    else if (item->mode == MD5_LAYER_ADD)
        add_difference_of_joints(&item->added, last, item->reference, weight, into);
    else
        blend_over(machine, detail, item->mask, last, weight, into);
    stack->count--;
}

// Writes the pose of a state `shift` seconds from now. spare[tree->num_poses - 1] are scratch
// poses. Of a level of detail only the joints in runs are defined; NULL: all.
static void evaluate_state(md5_player *player, const md5_active_state *active,
                           const md5_detail_set *detail, double shift, md5_xform *spare,
                           md5_xform *pose)
{
    const md5_machine *const machine = player->machine;
    const md5_blend_tree *const tree = active->tree;
    MD5_ASSERT(tree != NULL, "state: must have a motion");
    if (shift != 0)
        md5i_find_clocks(player, active, shift);
    // What is added may be added to any joint.
    const md5_detail_set *const used = tree->has_added ? NULL : detail;
    const selection reduced = {.detail = used};
    const selection *const only = used ? &reduced : NULL;
    if (tree->num_parts == 1) { // a clip
        sample_instance(player, active, shift, 0, only, pose);
        return;
    }
    pose_stack stack = {.first = pose, .spare = spare, .num_joints = machine->num_joints};
    memset(player->gathered, 0, tree->num_parts * sizeof *player->gathered);
    for (uint32_t i = 0; i < tree->num_parts; i++) {
        const md5i_part *const part = &tree->parts[i];
        if (active->flows[i].total == 0)
            continue;
        if (part->motion->num_items == 0)
            sample_instance(player, active, shift, part->first, only,
                            pose_at(&stack, stack.count++));
        if (part->parent != MD5_NONE)
            gather(player, active, part, used, &stack);
    }
}

// Writes the current pose of the joints that the layer may change; other joints are undefined.
static void evaluate_joints(md5_player *player, const md5_play_layer *layer,
                            const md5_active_state *active, const md5_detail_set *detail,
                            md5_xform *spare, md5_xform *pose)
{
    const md5_state *const state = &layer->states[active->state];
    if (!state->is_partial) {
        evaluate_state(player, active, detail, 0, spare, pose);
        return;
    }
    const selection only = {&layer->joints, &state->targets, detail};
    sample_instance(player, active, 0, 0, &only, pose);
}

// == One-shots ================================================================================

// Blends one-shots over a pose. One alone in its slot is blended as a layer is. While one replaces
// another, each joint has their weights as shares: older ones are blended first, by more than their
// share, since newer ones then cover a part of them; where masks differ, other parts.

// The pose of a one-shot, and of one that is added its reference.
static void sample_one_shot(const md5_machine *machine, const md5_one_shot *one_shot,
                            md5_xform *pose, md5_xform *reference)
{
    const md5_sample_position sample = md5_one_shot_sample_position(machine, one_shot);
    const md5_sample_position frame = {.frame0 = one_shot->reference_frame,
                                       .frame1 = one_shot->reference_frame};
    md5i_sample_source(machine, &machine->sources[one_shot->source], &sample, pose);
    if (one_shot->mode == MD5_LAYER_ADD)
        md5i_sample_source(machine, &machine->sources[one_shot->reference], &frame, reference);
}

static void blend_one_shot(const md5_machine *machine, const md5_one_shot *one_shot, float weight,
                           md5_xform *spare, md5_xform *pose)
{
    md5_xform *const reference = spare + machine->num_joints;
    sample_one_shot(machine, one_shot, spare, reference);
    if (one_shot->mode != MD5_LAYER_ADD) {
        blend_over(machine, NULL, one_shot->mask, spare, weight, pose);
        return;
    }
    const md5_joint_set all = {.count = machine->num_joints};
    const md5_joint_set *const set =
        one_shot->mask == MD5_NONE ? &all : &machine->mask_sets[one_shot->mask].all;
    const size_t first = set->first;
    md5_add_pose(pose + first, spare + first, reference + first, weight,
                 one_shot->mask == MD5_NONE ? NULL : md5_mask_of(machine, one_shot->mask) + first,
                 set->count, pose + first);
}

// Writes for each joint what md5i_shot_share() says of one of a slot's one-shots.
static void find_shares(const md5_machine *machine, const md5_one_shot_slot *slot, uint32_t number,
                        const float *weights, float *shares)
{
    for (uint32_t joint = 0; joint < machine->num_joints; joint++) {
        float covered = 0;
        for (uint32_t i = number + 1; i < slot->num_one_shots; i++) {
            if (slot->one_shots[i].mode != MD5_LAYER_ADD)
                covered += weights[i] * md5_mask_at(machine, slot->one_shots[i].mask, joint);
        }
        const float own =
            weights[number] * md5_mask_at(machine, slot->one_shots[number].mask, joint);
        shares[joint] = md5i_one_shot_share(own, covered);
    }
}

// Blends the one-shots that are played over `num_below` layers.
static void blend_one_shots(md5_player *player, uint32_t num_below, md5_xform *spare,
                            md5_xform *pose)
{
    for (uint32_t i = 0; i < player->machine->num_slots; i++) {
        const md5_one_shot_slot *const slot = &player->slots[i];
        if (slot->num_one_shots > 1) {
            const md5_machine *const machine = player->machine;
            const uint32_t num_joints = machine->num_joints;
            md5_xform *const reference = spare + num_joints;
            float *const shares = (float *)(spare + 2 * (size_t)num_joints);
            float weights[MD5_SLOT_ONE_SHOTS];
            for (uint32_t j = 0; j < slot->num_one_shots; j++)
                weights[j] = md5i_one_shot_weight(player, &slot->one_shots[j], 0, 0);
            for (uint32_t j = 0; j < slot->num_one_shots; j++) {
                const md5_one_shot *const one_shot = &slot->one_shots[j];
                if (one_shot->num_below != num_below || weights[j] == 0)
                    continue;
                find_shares(machine, slot, j, weights, shares);
                sample_one_shot(machine, one_shot, spare, reference);
                if (one_shot->mode == MD5_LAYER_ADD)
                    md5_add_pose(pose, spare, reference, 1, shares, num_joints, pose);
                else
                    md5_blend_poses(pose, spare, 1, shares, num_joints, pose);
            }
            continue;
        }
        if (slot->num_one_shots == 0 || slot->one_shots[0].num_below != num_below)
            continue;
        const float weight = md5i_one_shot_weight(player, &slot->one_shots[0], 0, 0);
        if (weight > 0)
            blend_one_shot(player->machine, &slot->one_shots[0], weight, spare, pose);
    }
}

// == Layers =====================================================================================
//
// Blends layers to one pose: each layer's chain of active states is evaluated, then blended over or
// added to the layers below.

// Velocities are measured over this time, in seconds.
#define VELOCITY_STEP (1.0 / 256.0)

// The layer that is evaluated. An additive layer blends differences, of the joints that it changes.
typedef struct blending {
    md5_player *player;
    uint32_t number; // of the layer
    const md5_play_layer *layer;
    md5_layer_state *layer_state;
    const md5_detail_set *detail; // NULL: all joints
    uint32_t num_joints;          // of a pose
    uint32_t count;               // joints that are blended
    bool is_measured;             // poses at two times, for a velocity; else the current pose
    double begin;                 // seconds from now: -VELOCITY_STEP or 0
    double shift;                 // seconds from now: begin or begin + VELOCITY_STEP
} blending;

static blending blending_of(md5_player *player, uint32_t layer)
{
    const md5_machine *const machine = player->machine;
    const md5_play_layer *const played = &machine->layers[layer];
    return (blending){
        .player = player,
        .number = layer,
        .layer = played,
        .layer_state = &player->layer_states[layer],
        .num_joints = machine->num_joints,
        .count = md5_blended_joints(machine, played),
    };
}

static md5_xform *spare_pose(const blending *job, md5_xform *spare, uint32_t number)
{
    return spare + (size_t)number * job->num_joints;
}

static const md5_xform *reference_of(const blending *job, const md5_active_state *active)
{
    return job->layer->states[active->state].reference;
}

// Seconds from now at which a state's clips are sampled. If a clip would cross into another cycle
// while a velocity is measured, where its pose may jump, this moves farther from now.
static double clip_shift(const blending *job, const md5_active_state *active)
{
    enum { MAX_STEPS = 4 };
    if (!job->is_measured)
        return 0;
    const double direction = job->player->is_backward ? -1 : 1;
    const double further = job->begin < 0 ? -VELOCITY_STEP : VELOCITY_STEP;
    double moved = 0;
    for (uint32_t step = 0; step < MAX_STEPS; step++) {
        const double begin = direction * (job->begin + moved);
        if (cycles_at(job->player, active, begin)
            == cycles_at(job->player, active, begin + direction * VELOCITY_STEP))
            break;
        moved += further;
    }
    return direction * (job->shift + moved);
}

// Writes the pose of a state, or in an additive layer its difference from the reference.
static void evaluate(const blending *job, const md5_active_state *active, md5_xform *spare,
                     md5_xform *pose)
{
    const double shift = clip_shift(job, active);
    if (job->layer->mode != MD5_LAYER_ADD) {
        evaluate_state(job->player, active, job->detail, shift, spare, pose);
        return;
    }
    evaluate_state(job->player, active, NULL, shift, spare_pose(job, spare, 1), spare);
    const md5_xform *const reference = reference_of(job, active);
    md5_xform of_source[CHUNK], of_reference[CHUNK];
    for (joint_part part = {0}; next_part(&job->layer->joints, &part);)
        md5_subtract_pose(take(&part, spare, of_source), take(&part, reference, of_reference),
                          part.count, pose + part.begin);
}

// blend(blend(A, B), C): writes the pose of a part of the chain and returns its coverage, 0..1,
// which is below 1 if a state has no motion. Uses two spare poses and those of a state.
static float evaluate_chain(const blending *job, md5_chain_range part, md5_xform *spare,
                            md5_xform *pose)
{
    md5_layer_state *const layer_state = job->layer_state;
    float covered = 0;
    if (part.has_snapshot) {
        covered = layer_state->coverage;
        memcpy(pose, layer_state->snapshot, job->count * sizeof *pose);
    }
    for (uint32_t i = part.begin; i < part.end; i++) {
        const md5_active_state *const active = md5_active_at(layer_state, i);
        const float fade = md5i_fade_in(layer_state, part, i, job->shift);
        const float own = !active->tree ? 0 : fade;
        covered = (1 - fade) * covered + own;
        if (own == 0)
            continue;
        if (own >= covered) {
            evaluate(job, active, spare, pose);
            continue;
        }
        evaluate(job, active, spare_pose(job, spare, 1), spare);
        blend_all(job->detail, pose, spare, own / covered, job->count, pose);
    }
    if (!part.has_offsets || !(covered > 0))
        return covered;
    // What is left of an inertial transition.
    const float elapsed = (float)(layer_state->settling.elapsed + job->shift);
    const float duration = (float)layer_state->settling.duration;
    if (!job->detail)
        md5i_add_offsets(layer_state->offsets, elapsed, duration, job->count, pose);
    if (job->detail) {
        for (uint32_t i = 0; i < job->detail->num_runs; i++) {
            const md5_joint_run run = job->detail->runs[i];
            md5i_add_offsets(layer_state->offsets + run.first, elapsed, duration, run.count,
                             pose + run.first);
        }
    }
    return covered;
}

// Measures the velocities of a part of the chain. `before` and `after` are scratch poses.
static void measure(blending *job, md5_chain_range part, double begin, md5_xform *before,
                    md5_xform *after, md5_velocity *velocities)
{
    md5_xform *const rest = spare_pose(job, job->player->spare, 2);
    job->is_measured = true;
    job->begin = job->shift = begin;
    evaluate_chain(job, part, rest, before);
    job->shift = begin + VELOCITY_STEP;
    evaluate_chain(job, part, rest, after);
    job->is_measured = false;
    job->shift = 0;
    md5i_pose_velocity(before, after, job->count, (float)VELOCITY_STEP, velocities);
}

// Begins an inertial transition of `duration` seconds from one part of a chain, as it is blended
// now, to another, of the same layer or of another player's.
static void begin_offsets(blending *from, md5_chain_range old, blending *to, md5_chain_range fresh,
                          double duration)
{
    md5_layer_state *const layer_state = to->layer_state;
    md5_xform *const spare = from->player->spare;
    md5_xform *const pose = spare;
    md5_xform *const other = spare_pose(from, spare, 1);
    md5_xform *const rest = spare_pose(from, spare, 2);
    // If the last one began at this instant, nothing has moved since, and the velocity is still the
    // one that was measured then.
    if (!from->layer_state->has_offsets || from->layer_state->settling.elapsed > MD5_BORDER)
        measure(from, old, -VELOCITY_STEP, pose, other, layer_state->velocities);
    evaluate_chain(from, old, rest, pose);
    md5i_carry_motion(from->player, from->number, old, to->player, to->number, fresh);
    md5_xform *const target = layer_state->snapshot; // no longer needed
    md5_xform *const moved = spare_pose(to, to->player->spare, 1);
    measure(to, fresh, 0, moved, target, to->player->velocities);
    evaluate_chain(to, fresh, spare_pose(to, to->player->spare, 2), target);
    md5i_make_offsets(pose, layer_state->velocities, target, to->player->velocities, to->count,
                      layer_state->offsets);
    layer_state->has_snapshot = false;
    layer_state->has_offsets = true;
    layer_state->settling = (md5_fade_time){0, duration};
}

// Replaces the oldest `count` states of a layer and its frozen pose by one frozen pose.
static void freeze_oldest(md5_player *player, uint32_t layer, uint32_t count)
{
    blending job = blending_of(player, layer);
    md5_layer_state *const layer_state = job.layer_state;
    const md5_chain_range oldest = {.end = count, .has_snapshot = layer_state->has_snapshot};
    md5i_weigh_all(player);
    md5i_freeze_motion(player, layer, oldest);
    layer_state->coverage =
        evaluate_chain(&job, oldest, spare_pose(&job, player->spare, 1), player->spare);
    // A frozen pose is blended into the next frozen pose, so rounding errors of its rotations'
    // lengths would accumulate for as long as transitions interrupt each other.
    if (layer_state->coverage > 0) {
        for (uint32_t i = 0; i < job.count; i++) {
            layer_state->snapshot[i] = player->spare[i];
            layer_state->snapshot[i].rotation =
                md5_quat_normalize(player->spare[i].rotation, player->spare[i].rotation);
        }
    }
    layer_state->has_snapshot = true;
}

void md5i_continue_layer(md5_player *player, uint32_t layer, md5_player *old, uint32_t old_layer)
{
    blending from = blending_of(old, old_layer);
    blending to = blending_of(player, layer);
    md5_chain_range chain = md5_whole_chain(to.layer_state);
    const md5_chain_range old_chain = md5_whole_chain(from.layer_state);
    md5_xform *const pose = player->spare;
    md5_xform *const rest = spare_pose(&to, pose, 1);
    const float was =
        evaluate_chain(&from, old_chain, spare_pose(&from, old->spare, 1), old->spare);
    const float is = evaluate_chain(&to, chain, rest, pose);
    if (was != 1 || (is == 1 && memcmp(pose, old->spare, to.count * sizeof *pose) == 0))
        return; // there is nothing to begin at, or it goes on with the same bits
    chain.has_snapshot = chain.has_offsets = false;
    if (evaluate_chain(&to, chain, rest, pose) == 1)
        begin_offsets(&from, old_chain, &to, chain, 0.2); // seconds
}

// -- Changes of state ---------------------------------------------------------------------------

void md5i_change_state(md5_player *player, uint32_t layer, const md5_change *change)
{
    const md5_machine *const machine = player->machine;
    const md5_play_layer *const from = &machine->layers[layer];
    md5_layer_state *const layer_state = &player->layer_states[layer];
    const md5_active_state *const newest =
        layer_state->num_used > 0 ? md5_newest(layer_state) : NULL;
    // A transition from the newest state is seen to start from the one before it, if that began at
    // this instant.
    const bool is_seen = newest && (newest->from == MD5_NONE || newest->elapsed > MD5_BORDER);
    const uint32_t source = is_seen ? newest->state : newest ? newest->from : MD5_NONE;
    const double duration = source == MD5_NONE ? 0 : fmax(change->duration, 0.0);
    // Offsets need a pose on both sides.
    bool is_inertial = duration > 0 && change->fade == MD5_FADE_INERTIAL
                       && from->states[change->state].tree
                       && !(layer_state->has_snapshot && layer_state->coverage < 1);
    for (uint32_t i = 0; i < layer_state->num_used; i++)
        is_inertial = is_inertial && md5_active_at(layer_state, i)->tree;
    const bool fades = duration > 0 && !is_inertial;
    bool is_above = false; // above the state that is left, or one in step with that
    if (fades && newest) { // there is one: it has a source
        // A state that began to fade in at this instant is not visible yet and can be replaced.
        is_above = !(newest->fades && newest->elapsed <= MD5_BORDER) || newest->in_step;
        layer_state->num_used =
            (uint8_t)(layer_state->num_used - (newest->fades && newest->elapsed <= MD5_BORDER));
        // Room for one more: the oldest two, of which a frozen pose is one, become a frozen pose.
        if (layer_state->num_used + layer_state->has_snapshot >= MD5_MAX_ACTIVE) {
            const uint32_t count = layer_state->has_snapshot ? 1 : 2;
            freeze_oldest(player, layer, count);
            md5_end_oldest(layer_state, count);
        }
    } else if (!is_inertial) { // a cut or a reset
        layer_state->num_used = 0;
        layer_state->has_snapshot = layer_state->has_offsets = false;
    }
    uint32_t used = 0; // bits of slots
    for (uint32_t i = 0; i < layer_state->num_used; i++)
        used |= 1u << layer_state->order[i];
    uint8_t slot = 0;
    while ((used >> slot & 1u) != 0)
        slot++;
    layer_state->order[layer_state->num_used++] = slot;
    md5_active_state *const active = md5_slot(layer_state, slot);
    active->from = duration > 0 ? source : MD5_NONE;
    active->easing = &machine->easings[change->easing];
    active->elapsed = 0;
    active->duration = duration;
    active->fades = fades;
    active->in_step = change->in_step && is_above;
    active->leader = change->leader;
    active->priority = change->priority;
    active->interrupt = change->interrupt;
    active->weight = fades ? 0 : 1.0f;
    layer_state->is_resting = false;
    layer_state->causes = MD5_ALL_CAUSES;
    layer_state->deaf = UINT64_MAX;
    layer_state->random += MD5_WEYL;
    layer_state->is_entered = change->begin == MD5_BEGIN_AT;
    if (layer_state->is_entered)
        layer_state->entered = change->state;
    player->is_settled = false;
    md5i_begin_state(player, from, active, change);
    if (!is_inertial)
        return;
    blending job = blending_of(player, layer);
    const uint32_t last = layer_state->num_used - 1u;
    md5_chain_range old = md5_whole_chain(layer_state);
    old.end = last;
    md5i_weigh_all(player);
    begin_offsets(&job, old, &job, (md5_chain_range){.begin = last, .end = last + 1}, duration);
    md5_end_oldest(layer_state, last);
}

// -- All layers ---------------------------------------------------------------------------------

// The common case: a layer with one state and nothing else to blend. Returns NULL otherwise.
static const md5_active_state *single_motion(md5_layer_state *layer_state)
{
    const md5_active_state *const newest = md5_newest(layer_state);
    const bool is_single = layer_state->num_used == 1 && newest->tree && !layer_state->has_snapshot
                           && !layer_state->has_offsets;
    return is_single ? newest : NULL;
}

// The bind pose is below all layers.
static void begin_pose(const md5_machine *machine, bool *is_begun, md5_xform *pose)
{
    if (!*is_begun)
        memcpy(pose, machine->model->bind_local, machine->num_joints * sizeof *pose);
    *is_begun = true;
}

static void blend_layer(const blending *job, float weight, bool *is_begun, md5_xform *spare,
                        md5_xform *pose)
{
    const md5_machine *const machine = job->player->machine;
    const md5_play_layer *const layer = job->layer;
    // The first layer is evaluated into the result if nothing is visible below it.
    if (!*is_begun && layer->mode == MD5_LAYER_OVERRIDE && layer->mask == MD5_NONE && weight == 1) {
        const float covered = evaluate_chain(job, md5_whole_chain(job->layer_state), spare, pose);
        if (covered == 0)
            memcpy(pose, machine->model->bind_local, job->num_joints * sizeof *pose);
        else if (covered < 1)
            blend_all(job->detail, machine->model->bind_local, pose, covered, job->num_joints,
                      pose);
        *is_begun = true;
        return;
    }
    begin_pose(machine, is_begun, pose);
    const bool is_added = layer->mode == MD5_LAYER_ADD;
    const md5_active_state *const single =
        layer->mask == MD5_NONE && !is_added ? NULL : single_motion(job->layer_state);
    float covered = weight;
    if (!is_added && single && weight == 1 && layer->states[single->state].is_exact) {
        md5_xform saved[MD5_MOST_SAVED];
        const md5_joint_set *const partial = &machine->mask_sets[layer->mask].partial;
        for (uint32_t i = 0; i < partial->count; i++)
            saved[i] = pose[partial->list[i]];
        evaluate_joints(job->player, layer, single, NULL, spare, pose);
        md5_xform of_pose[CHUNK];
        for (joint_part part = {0}; next_part(partial, &part);) {
            md5_xform *const other = take_out(&part, pose, of_pose);
            md5_blend_poses(saved + part.begin, other, 1, part.weights, part.count, other);
            put(&part, other, pose);
        }
        return;
    }
    if (single)
        evaluate_joints(job->player, layer, single, job->detail, spare_pose(job, spare, 1), spare);
    else
        covered = weight
                  * evaluate_chain(job, md5_whole_chain(job->layer_state),
                                   spare_pose(job, spare, 1), spare);
    if (!(covered > 0))
        return;
    if (is_added) // a single state's difference need not be stored
        add_difference_of_joints(&layer->joints, spare, single ? reference_of(job, single) : NULL,
                                 covered, pose);
    else
        blend_over(machine, job->detail, layer->mask, spare, covered, pose);
}

// The joints of a layer that the next one leaves to be seen, if it surely overwrites many: it has a
// mask, its full weight and only one state. NULL: all.
static const md5_detail_set *seen_below(const md5_player *player, uint32_t layer)
{
    const md5_machine *const machine = player->machine;
    const uint32_t next = layer + 1;
    if (next >= machine->tables.num_layers || machine->layers[layer].mask != MD5_NONE)
        return NULL;
    const md5_play_layer *const above = &machine->layers[next];
    const bool covers = above->mode == MD5_LAYER_OVERRIDE && above->mask != MD5_NONE
                        && machine->rests[above->mask].num_runs > 0 && player->num_one_shots == 0
                        && md5i_weight_of(player, &above->weight) == 1
                        && single_motion(&player->layer_states[next]);
    return covers ? &machine->rests[above->mask] : NULL;
}

// Joints that are left out are as in the bind pose.
static void fill_left_out(const md5_machine *machine, const md5_detail_set *detail, uint32_t count,
                          md5_xform *pose)
{
    const uint32_t *const left_out = detail->left_out;
    for (uint32_t i = 0; i < count; i++)
        pose[left_out[i]] = machine->model->bind_local[left_out[i]];
}

// Some layers and one-shots are blended in full, also over joints that are in no run.
void md5i_blend_layers(md5_player *player, md5_xform *spare, md5_xform *pose)
{
    const md5_machine *const machine = player->machine;
    const md5_detail_set *const detail = md5_detail_of(player);
    if (detail && (machine->has_full_layers || player->num_one_shots > 0))
        fill_left_out(machine, detail, detail->num_outside, pose);
    const uint32_t num_layers = machine->tables.num_layers;
    bool is_begun = false;
    for (uint32_t i = 0; i < num_layers; i++) {
        const md5_play_layer *const layer = &machine->layers[i];
        const float weight = md5i_weight_of(player, &layer->weight);
        blending job = blending_of(player, i);
        if (layer->mode != MD5_LAYER_ADD)
            job.detail = detail ? detail : seen_below(player, i);
        // Whether it may change joints that are animated.
        const uint32_t mask = player->detail.mask;
        const bool is_seen = mask == MD5_NONE || machine->are_seen[(size_t)mask * num_layers + i];
        if (weight > 0 && is_seen)
            blend_layer(&job, weight, &is_begun, spare, pose);
        else if (weight > 0)
            begin_pose(machine, &is_begun, pose);
        if (player->num_one_shots > 0) {
            begin_pose(machine, &is_begun, pose);
            blend_one_shots(player, i + 1, spare, pose);
        }
    }
    begin_pose(machine, &is_begun, pose);
    if (num_layers == 0 && player->num_one_shots > 0)
        blend_one_shots(player, 0, spare, pose);
    if (detail)
        fill_left_out(machine, detail, detail->num_left_out, pose);
}
