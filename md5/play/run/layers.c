// Computes the pose of all layers. Blends clips to poses of states, states to poses of layers, and
// layers and one-shot clips to the result. Also changes the state of a layer, with a crossfade or
// an inertial transition.
//
// evaluate_chain() blends the active states of a layer, its chain, in order. blend_layer() blends
// the result over the layers below or adds it to them. Sets of joints restrict the work to the
// joints that a layer may change.
#include "md5/motion/space.h"
#include "md5/play/run/player_state.h"

// == Inertial transitions ========================================================================

// -- Velocities -----------------------------------------------------------------------------------

// Returns the angle, in radians, from two numbers that are proportional to its sine and cosine.
// Both are at least 0. The angle is halved three times, so that a short series of the arc tangent
// is sufficient.
static double angle_from_ratio(double sine, double cosine)
{
    enum { HALVINGS = 3, TERMS = 9 };

    // Each halving changes only the denominator of the tangent:
    //
    //   tan(angle / 2) = sine / (cosine + hypotenuse)
    double denominator = cosine;
    for (uint32_t i = 0; i < HALVINGS; i++)
        denominator += sqrt(denominator * denominator + sine * sine);
    const double t = denominator > 0 ? sine / denominator : 0; // tangent of an eighth of the angle
    const double square = t * t;

    // atan(t) = t - t^3 / 3 + t^5 / 5 - ..., by Horner's rule.
    double sum = 0;
    for (int term = TERMS; term > 0; term--)
        sum = 1.0 / (2 * term - 1) - square * sum;
    return t * sum * (1 << HALVINGS);
}

// Computes the velocity of each joint from two poses that are `seconds` apart, along the shorter
// arc. If `seconds` is not above 0, all velocities are 0. Uses double precision, because the
// results are often small differences.
void md5i_pose_velocity(const md5_xform *before, const md5_xform *after, uint32_t num_joints,
                        float seconds, md5_velocity *velocity)
{
    const float rate = seconds > 0 ? 1.0f / seconds : 0;
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        md5_quatd rotation =
            md5_quatd_mul(md5_quatd_from_quat(after[joint].rotation),
                          md5_quatd_conjugate(md5_quatd_from_quat(before[joint].rotation)));
        if (rotation.w < 0)
            rotation = md5_quatd_negate(rotation);

        // x, y and z are the axis times the sine of half of the angle, and w is its cosine.
        const double sine =
            sqrt(rotation.x * rotation.x + rotation.y * rotation.y + rotation.z * rotation.z);
        const double scale = sine > 0 ? 2 * angle_from_ratio(sine, rotation.w) / sine * rate : 0;
        velocity[joint] = (md5_velocity){
            .linear = md5_vec3_scale(
                md5_vec3_sub(after[joint].translation, before[joint].translation), rate),
            .angular = {(float)(rotation.x * scale), (float)(rotation.y * scale),
                        (float)(rotation.z * scale)},
        };
    }
}

// -- Offsets --------------------------------------------------------------------------------------

// Range of the squared lengths of offsets for which a decay rate is computed. The squares in this
// range can be used as divisors.
#define MIN_SQUARE 1e-18f
#define MAX_SQUARE 1e30f

// Returns the modified Rodrigues parameters of the shorter rotation; their length is at most 1.
static md5_vec3 rodrigues_from_quat(md5_quat q)
{
    const float sign = q.w < 0 ? -1 : 1;
    return md5_vec3_scale((md5_vec3){q.x, q.y, q.z}, sign / (1 + sign * q.w));
}

// Returns the rotation with given modified Rodrigues parameters.
static md5_quat quat_from_rodrigues(md5_vec3 rotation)
{
    const float square = md5_vec3_dot(rotation, rotation);
    const float scale = 1.0f / (1 + square);
    const md5_vec3 axis = md5_vec3_scale(rotation, 2 * scale);
    return (md5_quat){axis.x, axis.y, axis.z, (1 - square) * scale};
}

// Returns the relative change of the length of an offset x by a velocity v, per second:
//
//   dot(x, v) / dot(x, x)
//
// A component of v that increases the length is ignored. A perpendicular component does not change
// the length. Returns 0 for an offset of almost 0, which does not have a direction.
static float decay_rate(md5_vec3 offset, md5_vec3 velocity)
{
    const float square = md5_vec3_dot(offset, offset);
    if (!(square > MIN_SQUARE && square < MAX_SQUARE))
        return 0;
    const float rate = md5_vec3_dot(offset, velocity) / square;
    return rate < 0 ? md5_larger(rate, MD5_FASTEST_DECAY) : 0;
}

// Returns the velocity of an offset's modified Rodrigues parameters t along their direction. `from`
// and `to` are the angular velocities w_from and w_to of the old and the new pose.
//
// Let D = from * to^-1 be the rotation of the offset. Its angular velocity is
//
//   w_from - D w_to D^-1
//
// D does not rotate its own axis, so along this axis the angular velocity is w_from - w_to. The
// length of t is tan(angle / 4). It changes (1 + t^2) / 4 times as fast as the angle.
static md5_vec3 rodrigues_velocity(md5_vec3 t, md5_vec3 from, md5_vec3 to)
{
    return md5_vec3_scale(md5_vec3_sub(from, to), 0.25f * (1 + md5_vec3_dot(t, t)));
}

// Computes the offsets of an inertial transition: the difference of each joint between the old pose
// (from) and the new pose (to), and the rate at which its length changes. The transition adds these
// offsets to the new pose and lets them decay. Offsets never grow.
void md5i_compute_offsets(const md5_xform *from, const md5_velocity *from_velocities,
                          const md5_xform *to, const md5_velocity *to_velocities,
                          uint32_t num_joints, md5_offset *offsets)
{
    for (uint32_t i = 0; i < num_joints; i++) {
        const md5_vec3 rotation =
            rodrigues_from_quat(md5_quat_mul(from[i].rotation, md5_quat_conjugate(to[i].rotation)));
        const md5_vec3 rotation_velocity =
            rodrigues_velocity(rotation, from_velocities[i].angular, to_velocities[i].angular);
        const md5_vec3 translation = md5_vec3_sub(from[i].translation, to[i].translation);
        const md5_vec3 translation_velocity =
            md5_vec3_sub(from_velocities[i].linear, to_velocities[i].linear);
        offsets[i] = (md5_offset){
            .rotation = rotation,
            .rotation_rate = decay_rate(rotation, rotation_velocity),
            .translation = translation,
            .translation_rate = decay_rate(translation, translation_velocity),
        };
    }
}

// Adds the remaining offsets of an inertial transition to a pose, `elapsed` seconds after its
// start. At the start they are complete; after `duration` seconds they are 0.
void md5i_add_offsets(const md5_offset *offsets, float elapsed, float duration, uint32_t num_joints,
                      md5_xform *pose)
{
    if (!(elapsed < duration))
        return;
    for (uint32_t i = 0; i < num_joints; i++) {
        const md5_offset *const offset = &offsets[i];
        const float rotation_left = md5_remaining_offset(offset->rotation_rate, elapsed, duration);
        const float translation_left =
            md5_remaining_offset(offset->translation_rate, elapsed, duration);
        if (rotation_left > 0) {
            const md5_quat rotation =
                quat_from_rodrigues(md5_vec3_scale(offset->rotation, rotation_left));
            pose[i].rotation = md5_quat_mul(rotation, pose[i].rotation);
        }
        if (translation_left > 0) {
            const md5_vec3 translation = md5_vec3_scale(offset->translation, translation_left);
            pose[i].translation = md5_vec3_add(pose[i].translation, translation);
        }
    }
}

// == Sets of joints =============================================================================

// Maximum number of joints of a list that are copied to an array in one step.
enum { CHUNK = 32 };

// A part of a joint set that one call of a kernel processes. Kernels need adjacent joints. If the
// set is a range, it is one part. If the set is a list, it is divided into chunks. The joints of a
// chunk are then copied ("gathered") to an array.
typedef struct joint_part {
    const uint32_t *listed; // NULL: the set is a range
    const float *weights;   // NULL: all weights are 1
    uint32_t begin;         // position of the part in the set
    uint32_t first;         // first joint of a range
    uint32_t count;
} joint_part;

// Moves to the next part of a set. Returns false after the last part. An iteration starts with {0},
// which is an empty part before the first.
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

// Returns the transforms of a part's joints as an array. If the joints are a range, this is the
// range in `pose`. If they are a list, it is a copy in `chunk`.
static const md5_xform *gather_joints(const joint_part *part, const md5_xform *pose,
                                      md5_xform chunk[CHUNK])
{
    if (!part->listed)
        return pose + part->first;
    for (uint32_t i = 0; i < part->count; i++)
        chunk[i] = pose[part->listed[i]];
    return chunk;
}

// Returns the transforms of a part's joints as an array for writing. If the joints are a list, the
// array is a copy. The caller must then call scatter_joints() to write it back to the pose.
static md5_xform *gather_writable(const joint_part *part, md5_xform *pose, md5_xform chunk[CHUNK])
{
    if (!part->listed)
        return pose + part->first;
    gather_joints(part, pose, chunk);
    return chunk;
}

// Writes the changed transforms of a part's joints back to the pose, if they are copies.
static void scatter_joints(const joint_part *part, const md5_xform *changed, md5_xform *pose)
{
    if (part->listed) {
        for (uint32_t i = 0; i < part->count; i++)
            pose[part->listed[i]] = changed[i];
    }
}

// Blends the joints of a set of `source` over the pose, with the weights of the set.
static void blend_joints(const md5_joint_set *set, const md5_xform *source, float weight,
                         md5_xform *pose)
{
    md5_xform pose_chunk[CHUNK];
    md5_xform source_chunk[CHUNK];
    for (joint_part part = {0}; next_part(set, &part);) {
        md5_xform *const into = gather_writable(&part, pose, pose_chunk);
        const md5_xform *const from = gather_joints(&part, source, source_chunk);
        md5_blend_poses(into, from, weight, part.weights, part.count, into);
        scatter_joints(&part, into, pose);
    }
}

// Calls md5_blend_poses() for all `count` joints, or for the runs of a level of detail.
static void blend_all(const md5_detail_set *detail, const md5_xform *from, const md5_xform *to,
                      float weight, uint32_t count, md5_xform *pose)
{
    if (!detail) {
        md5_blend_poses(from, to, weight, NULL, count, pose);
        return;
    }
    for (uint32_t i = 0; i < detail->num_runs; i++) {
        const md5_joint_run run = detail->runs[i];
        md5_blend_poses(from + run.first, to + run.first, weight, NULL, run.count,
                        pose + run.first);
    }
}

// Blends the runs of a level of detail that contain joints of a mask. A run may also contain joints
// with a mask weight of 0, which the blend does not change in any bit.
static void blend_masked_runs(const md5_detail_set *detail, const md5_joint_set *masked,
                              const float *mask_weights, const md5_xform *source, float weight,
                              md5_xform *pose)
{
    for (uint32_t i = 0; i < detail->num_runs; i++) {
        const md5_joint_run run = detail->runs[i];
        if (md5_run_overlaps_set(run, masked))
            md5_blend_poses(pose + run.first, source + run.first, weight, mask_weights + run.first,
                            run.count, pose + run.first);
    }
}

// Blends `source` over `pose` with a mask and a weight. The mask MD5_NONE means all joints. If
// `detail` is not NULL, only its runs are blended, and other joints need not be defined.
static void blend_over(const md5_machine *machine, const md5_detail_set *detail, uint32_t mask,
                       const md5_xform *source, float weight, md5_xform *pose)
{
    if (mask == MD5_NONE) {
        blend_all(detail, pose, source, weight, machine->num_joints, pose);
        return;
    }

    const md5_mask_sets *const sets = &machine->mask_sets[mask];
    if (detail) {
        blend_masked_runs(detail, &sets->all, md5_mask_weights(machine, mask), source, weight,
                          pose);
        return;
    }
    if (weight < 1 || !sets->is_split) {
        blend_joints(&sets->all, source, weight, pose);
        return;
    }

    // Joints with the weight 1 are copied.
    const uint32_t *const joints = sets->full.list;
    for (uint32_t i = 0; i < sets->full.count; i++)
        pose[joints[i]] = source[joints[i]];
    blend_joints(&sets->partial, source, weight, pose);
}

// Adds the difference between `source` and `reference` at the joints of a set to `pose`. If
// `reference` is NULL, `source` contains the differences, in the order of the set.
static void add_difference_of_joints(const md5_joint_set *set, const md5_xform *source,
                                     const md5_xform *reference, float weight, md5_xform *pose)
{
    md5_xform pose_chunk[CHUNK];
    md5_xform source_chunk[CHUNK];
    md5_xform reference_chunk[CHUNK];
    for (joint_part part = {0}; next_part(set, &part);) {
        md5_xform *const into = gather_writable(&part, pose, pose_chunk);
        const md5_xform *from = source + part.begin;
        const md5_xform *base = NULL;
        if (reference) {
            from = gather_joints(&part, source, source_chunk);
            base = gather_joints(&part, reference, reference_chunk);
        }
        md5_add_pose(into, from, base, weight, part.weights, part.count, into);
        scatter_joints(&part, into, pose);
    }
}

// == States =====================================================================================

// The stack on which the poses of a blend tree are blended. A clip pushes its pose. Blending an
// item pops the item's pose and blends it into the pose below. The last remaining pose is the
// result.
typedef struct pose_stack {
    md5_xform *first; // the lowest pose of the stack: the result
    md5_xform *spare; // scratch memory for the poses above it
    uint32_t num_joints;
    uint32_t count; // number of poses on the stack
} pose_stack;

static md5_xform *pose_at(const pose_stack *stack, uint32_t position)
{
    return position == 0 ? stack->first : stack->spare + (size_t)(position - 1) * stack->num_joints;
}

// Returns a hash of the cycle numbers of a state's clips, `seconds` from now. If the hashes of two
// times are equal, no clip enters another cycle between them: so no pose can jump there.
static uint64_t hash_cycles(md5_player *player, const md5_active_state *active, double seconds)
{
    uint64_t hash = 0;
    MD5_ASSERT(active->tree != NULL, "state: must have a motion");
    md5i_advance_group_clocks(player, active, seconds);
    for (uint32_t i = 0; i < active->num_active_instances; i++) {
        const uint32_t index = active->active_instances[i];
        if (active->instances[index].weight == 0)
            continue;
        const md5_clock clock = md5i_instance_clock_after(player, active, index, seconds);
        hash = 31 * hash + (uint64_t)clock.cycle;
    }
    return hash;
}

// The joints for which a clip must be sampled. These are the joints of a layer, the joints of a
// level of detail, or the joints that are in both.
typedef struct selection {
    const md5_joint_set *joints;  // joints of the layer, or NULL
    const md5_targets *targets;   // tracks of `joints`
    const md5_detail_set *detail; // joints of the level of detail, or NULL
} selection;

// Samples the joints that are animated at a level of detail, in runs of adjacent joints. If
// `joints` is not NULL, omits the runs that contain none of these joints.
static void sample_runs(const md5_machine *machine, const md5_source *source,
                        const md5_sample_position *sample, const md5_joint_set *joints,
                        const md5_detail_set *detail, md5_xform *pose)
{
    const md5_binding *const binding = source->binding;
    const md5_joint_run *const runs = detail->runs;
    const md5_run_slots *const slots =
        detail->slots + (size_t)(source - machine->sources) * detail->num_runs;
    md5_targets targets = binding->internal.plan->targets;
    const bool has_constants = !targets.rotations_in_order || !targets.translations_in_order;

    for (uint32_t i = 0; i < detail->num_runs; i++) {
        if (joints && !md5_run_overlaps_set(runs[i], joints))
            continue;

        targets.rotation_slots = slots[i].rotations;
        targets.translation_slots = slots[i].translations;
        if (has_constants)
            md5_copy_constants(binding, runs[i].first, runs[i].count, pose);
        binding->internal.plan->kernels->sample(binding->anim, sample, &targets, pose);
    }
}

// Samples the joints of a set. `targets` are the animated rotations and translations of the clip
// for these joints; other components are constant in the clip and are copied.
static void sample_set(const md5_binding *binding, const md5_sample_position *sample,
                       const md5_joint_set *joints, const md5_targets *targets, md5_xform *pose)
{
    const uint32_t *const listed = joints->list;
    if (listed) {
        for (uint32_t i = 0; i < joints->count; i++)
            pose[listed[i]] = *md5_constant_xform(binding, listed[i]);
    } else {
        md5_copy_constants(binding, joints->first, joints->count, pose);
    }
    binding->internal.plan->kernels->sample(binding->anim, sample, targets, pose);
}

// Samples the selected joints of a clip. `only` is NULL for all joints.
static void sample_selection(const md5_machine *machine, const md5_source *source,
                             const md5_sample_position *sample, const selection *only,
                             md5_xform *pose)
{
    if (!only || md5_requires_full_sampling(source)) {
        md5_sample(source->binding, *sample, MD5_ROOT_FILE, pose);
        return;
    }

    const md5_joint_set *const joints = only->joints;
    const bool is_listed = joints && joints->list;
    if (only->detail && !is_listed) { // a listed set is so small that runs save nothing
        sample_runs(machine, source, sample, joints, only->detail, pose);
        return;
    }
    MD5_ASSERT(joints != NULL, "joints: must not be NULL if the layer has no runs");
    sample_set(source->binding, sample, joints, only->targets, pose);
}

// Samples a clip of a state at the time `shift` seconds from now. If this is not 0,
// md5i_advance_group_clocks() must have been called for the time. A clip with MD5_INTERPOLATE_STEP
// is always sampled at the current time. `only` selects the joints; NULL selects all.
static void sample_instance(const md5_player *player, const md5_active_state *active, double shift,
                            uint32_t index, const selection *only, md5_xform *pose)
{
    const md5_machine *const machine = player->machine;
    const md5_clip_instance *const instance = &active->instances[index];
    const md5_playable *const playable = active->tree->instances[index].playable;
    const md5_source *const source = playable->source;

    const bool is_step = source->interpolation == MD5_INTERPOLATE_STEP;
    md5_clock clock = instance->clock;
    if (shift != 0 && !is_step)
        clock = md5i_instance_clock_after(player, active, index, shift);
    const md5_sample_position sample =
        md5i_clock_sample_position(playable->timing, clock, source->interpolation);
    sample_selection(machine, source, &sample, only, pose);

    // The game moves the character by extracted root motion, so the pose must not contain it.
    if (source->root_extraction == MD5_ROOT_EXTRACTION_NONE)
        return;
    const md5_root_track track = md5_get_root_track(source);
    const bool is_cached = md5_is_position_at(&instance->root, clock) && !is_step;
    const md5_root_delta delta =
        is_cached ? instance->root.delta : md5i_root_delta_at(&track, &sample);
    md5i_remove_root_delta(machine->model->skeleton.axes, delta, &pose[0]);
}

// Blends the last pose of the stack, which is an item's pose, into the pose of its motion. The pose
// of the first item becomes the pose of the motion.
static void blend_item(const md5_player *player, const md5_active_state *active,
                       const md5i_part *part, const md5_detail_set *detail, pose_stack *stack)
{
    const md5_machine *const machine = player->machine;
    const md5_item *const item = part->item;
    const md5_motion *const parent = active->tree->parts[part->parent].motion;
    const float weight = active->weights[part->weight];
    float *const blended_weights = &player->blended_weights[part->parent];
    const bool is_first = *blended_weights == 0;
    *blended_weights += weight;
    if (is_first)
        return;

    md5_xform *const into = pose_at(stack, stack->count - 2);
    md5_xform *const last = pose_at(stack, stack->count - 1);
    if (parent->kind != MD5_MOTION_STACK)
        blend_over(machine, detail, MD5_NONE, last, weight / *blended_weights, into);
    else if (item->mode == MD5_LAYER_ADD)
        add_difference_of_joints(&item->added, last, item->reference, weight, into);
    else
        blend_over(machine, detail, item->mask, last, weight, into);
    stack->count--;
}

// Computes the pose of a state `shift` seconds from now: samples its clips, and blends them as its
// blend tree specifies. spare[tree->num_poses - 1] is scratch memory. If `detail` is not NULL, only
// the joints in its runs are computed.
static void evaluate_state(md5_player *player, const md5_active_state *active,
                           const md5_detail_set *detail, double shift, md5_xform *spare,
                           md5_xform *pose)
{
    const md5_machine *const machine = player->machine;
    const md5_blend_tree *const tree = active->tree;
    MD5_ASSERT(tree != NULL, "state: must have a motion");
    if (shift != 0)
        md5i_advance_group_clocks(player, active, shift);

    // An additive item may change any joint, so all joints are computed if the tree has one.
    const md5_detail_set *const used = tree->has_added ? NULL : detail;
    const selection reduced = {.detail = used};
    const selection *const only = used ? &reduced : NULL;
    if (tree->num_parts == 1) { // a clip
        sample_instance(player, active, shift, 0, only, pose);
        return;
    }

    // The parts of the tree are in an order in which inputs precede the motion that blends them.
    pose_stack stack = {.first = pose, .spare = spare, .num_joints = machine->num_joints};
    memset(player->blended_weights, 0, tree->num_parts * sizeof *player->blended_weights);
    for (uint32_t i = 0; i < tree->num_parts; i++) {
        const md5i_part *const part = &tree->parts[i];
        if (active->flows[i].total == 0)
            continue;
        if (part->motion->num_items == 0)
            sample_instance(player, active, shift, part->first, only,
                            pose_at(&stack, stack.count++));
        if (part->parent != MD5_NONE)
            blend_item(player, active, part, used, &stack);
    }
}

// Computes the current pose of a state, at least for the joints that the layer may change. The
// values of other joints are undefined.
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

// == One-shot clips ===============================================================================
//
// A single clip in a slot is blended like a layer.
//
// While a clip replaces another, each joint must have the weights of both clips in the result. The
// older clip is blended first. The newer clip then covers a part of it. To compensate for this, the
// older clip is blended with a larger weight. If the masks of the clips differ, this weight differs
// between joints.

// Computes the pose of a one-shot clip and, if it is additive, its reference pose.
static void sample_one_shot(const md5_machine *machine, const md5_one_shot *one_shot,
                            md5_xform *pose, md5_xform *reference)
{
    const md5_sample_position sample = md5_one_shot_sample_position(machine, one_shot);
    const md5_sample_position reference_sample = {
        .frame0 = one_shot->reference_frame,
        .frame1 = one_shot->reference_frame,
    };
    md5i_sample_source(machine, &machine->sources[one_shot->source], &sample, pose);
    if (one_shot->mode == MD5_LAYER_ADD)
        md5i_sample_source(machine, &machine->sources[one_shot->reference], &reference_sample,
                           reference);
}

// Blends a one-shot clip, the only clip of its slot, over the pose or adds it to the pose. `spare`
// has two poses.
static void blend_one_shot(const md5_machine *machine, const md5_one_shot *one_shot, float weight,
                           md5_xform *spare, md5_xform *pose)
{
    md5_xform *const reference = spare + machine->num_joints;
    sample_one_shot(machine, one_shot, spare, reference);
    if (one_shot->mode != MD5_LAYER_ADD) {
        blend_over(machine, NULL, one_shot->mask, spare, weight, pose);
        return;
    }
    if (one_shot->mask == MD5_NONE) {
        md5_add_pose(pose, spare, reference, weight, NULL, machine->num_joints, pose);
        return;
    }

    const md5_joint_set *const set = &machine->mask_sets[one_shot->mask].all;
    const size_t first = set->first;
    md5_add_pose(pose + first, spare + first, reference + first, weight,
                 md5_mask_weights(machine, one_shot->mask) + first, set->count, pose + first);
}

// Computes for each joint the weight with which a clip of a slot is blended:
// md5i_one_shot_blend_weight().
static void compute_slot_weights(const md5_machine *machine, const md5_one_shot_slot *slot,
                                 uint32_t index, const float *clip_weights, float *joint_weights)
{
    for (uint32_t joint = 0; joint < machine->num_joints; joint++) {
        // `covered` is the weight of the newer clips, which are blended over this clip.
        float covered = 0;
        for (uint32_t i = index + 1; i < slot->num_one_shots; i++) {
            if (slot->one_shots[i].mode != MD5_LAYER_ADD)
                covered +=
                    clip_weights[i] * md5_mask_weight(machine, slot->one_shots[i].mask, joint);
        }
        const float weight =
            clip_weights[index] * md5_mask_weight(machine, slot->one_shots[index].mask, joint);
        joint_weights[joint] = md5i_one_shot_blend_weight(weight, covered);
    }
}

// Blends the clips of a slot that contains several clips. Blends only the clips that are played
// over the lowest `num_below` layers.
static void blend_slot(md5_player *player, const md5_one_shot_slot *slot, uint32_t num_below,
                       md5_xform *spare, md5_xform *pose)
{
    const md5_machine *const machine = player->machine;
    const uint32_t num_joints = machine->num_joints;
    float clip_weights[MD5_SLOT_ONE_SHOTS];
    for (uint32_t j = 0; j < slot->num_one_shots; j++)
        clip_weights[j] = md5i_one_shot_weight(player, &slot->one_shots[j], 0, 0);

    // The scratch memory contains the pose of a clip, its reference pose, and weights of joints.
    md5_xform *const reference = spare + num_joints;
    float *const joint_weights = (float *)(spare + 2 * (size_t)num_joints);
    for (uint32_t j = 0; j < slot->num_one_shots; j++) {
        const md5_one_shot *const one_shot = &slot->one_shots[j];
        if (one_shot->num_below != num_below || clip_weights[j] == 0)
            continue;
        compute_slot_weights(machine, slot, j, clip_weights, joint_weights);
        sample_one_shot(machine, one_shot, spare, reference);
        if (one_shot->mode == MD5_LAYER_ADD)
            md5_add_pose(pose, spare, reference, 1, joint_weights, num_joints, pose);
        else
            md5_blend_poses(pose, spare, 1, joint_weights, num_joints, pose);
    }
}

// Blends the one-shot clips that are played directly over the lowest `num_below` layers.
static void blend_one_shots(md5_player *player, uint32_t num_below, md5_xform *spare,
                            md5_xform *pose)
{
    for (uint32_t i = 0; i < player->machine->num_slots; i++) {
        const md5_one_shot_slot *const slot = &player->slots[i];
        if (slot->num_one_shots > 1) {
            blend_slot(player, slot, num_below, spare, pose);
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

// Distance of the two poses from which a velocity is computed, seconds.
#define VELOCITY_STEP (1.0 / 256.0)

// The evaluation of a layer. An additive layer blends differences at the joints that it may change.
typedef struct layer_job {
    md5_player *player;
    uint32_t layer_index;
    const md5_play_layer *layer;
    md5_layer_state *layer_state;
    const md5_detail_set *detail; // NULL: all joints
    uint32_t num_joints;          // joints of a pose
    uint32_t num_blended;         // joints that are blended
    bool is_measured;             // poses are computed at two times, for velocities
    double begin;                 // the earlier time, seconds from now: -VELOCITY_STEP or 0
    double shift;                 // time of the current pose: begin or begin + VELOCITY_STEP
} layer_job;

// Returns a job that evaluates all joints of a layer at the current time.
static layer_job begin_layer_job(md5_player *player, uint32_t layer_index)
{
    const md5_machine *const machine = player->machine;
    const md5_play_layer *const layer = &machine->layers[layer_index];
    return (layer_job){
        .player = player,
        .layer_index = layer_index,
        .layer = layer,
        .layer_state = &player->layer_states[layer_index],
        .num_joints = machine->num_joints,
        .num_blended = md5_blended_joints(machine, layer),
    };
}

// Returns the scratch pose with an index. All scratch poses have the same number of joints.
static md5_xform *spare_pose(const layer_job *job, md5_xform *spare, uint32_t index)
{
    return spare + (size_t)index * job->num_joints;
}

// Returns the reference pose of a state of an additive layer. The layer adds the difference between
// the pose of the state and this pose.
static const md5_xform *state_reference(const layer_job *job, const md5_active_state *active)
{
    return job->layer->states[active->state].reference;
}

// Returns the time at which a state's clips are sampled, seconds from now. A velocity is the
// difference of two poses at two times. If a clip enters another cycle between these times, its
// pose can jump. Therefore both times are moved away from now until no clip enters another cycle,
// but at most MAX_MOVES times.
static double clip_shift(const layer_job *job, const md5_active_state *active)
{
    enum { MAX_MOVES = 4 };
    if (!job->is_measured)
        return 0;

    const double direction = job->player->is_backward ? -1 : 1;
    const double away = job->begin < 0 ? -VELOCITY_STEP : VELOCITY_STEP;
    double moved = 0;
    for (uint32_t i = 0; i < MAX_MOVES; i++) {
        const double begin = direction * (job->begin + moved);
        const double end = begin + direction * VELOCITY_STEP;
        const uint64_t cycles = hash_cycles(job->player, active, begin);
        if (cycles == hash_cycles(job->player, active, end))
            break;
        moved += away;
    }
    return direction * (job->shift + moved);
}

// Computes the difference between two poses at the joints of a set, in the order of the set. The
// joints are gathered in chunks, so that md5_subtract_pose() reads arrays.
static void subtract_joints(const md5_joint_set *set, const md5_xform *source,
                            const md5_xform *reference, md5_xform *difference)
{
    md5_xform source_chunk[CHUNK];
    md5_xform reference_chunk[CHUNK];
    for (joint_part part = {0}; next_part(set, &part);) {
        const md5_xform *const from = gather_joints(&part, source, source_chunk);
        const md5_xform *const base = gather_joints(&part, reference, reference_chunk);
        md5_subtract_pose(from, base, part.count, difference + part.begin);
    }
}

// Computes the pose of a state or, in an additive layer, its difference from the reference pose.
// `spare` is scratch memory.
static void evaluate_active(const layer_job *job, const md5_active_state *active, md5_xform *spare,
                            md5_xform *pose)
{
    const double shift = clip_shift(job, active);
    if (job->layer->mode != MD5_LAYER_ADD) {
        evaluate_state(job->player, active, job->detail, shift, spare, pose);
        return;
    }

    // No level of detail is needed, because only the joints of the layer are read.
    md5_xform *const state_pose = spare;
    evaluate_state(job->player, active, NULL, shift, spare_pose(job, spare, 1), state_pose);
    subtract_joints(&job->layer->joints, state_pose, state_reference(job, active), pose);
}

// Adds the offsets of an inertial transition that remain at the current time to the pose of a
// layer.
static void add_remaining_offsets(const layer_job *job, md5_xform *pose)
{
    const md5_layer_state *const layer_state = job->layer_state;
    const float elapsed = (float)(layer_state->settling.elapsed + job->shift);
    const float duration = (float)layer_state->settling.duration;
    if (!job->detail) {
        md5i_add_offsets(layer_state->offsets, elapsed, duration, job->num_blended, pose);
        return;
    }
    for (uint32_t i = 0; i < job->detail->num_runs; i++) {
        const md5_joint_run run = job->detail->runs[i];
        md5i_add_offsets(layer_state->offsets + run.first, elapsed, duration, run.count,
                         pose + run.first);
    }
}

// Computes the pose of a range of a layer's chain of states, oldest first. For the states A, B and
// C it is blend(blend(A, B), C). Returns the coverage of the pose, 0..1. It is below 1 if a state
// does not have a motion. `spare` has room for two poses and the scratch poses of a state.
static float evaluate_chain(const layer_job *job, md5_chain_range part, md5_xform *spare,
                            md5_xform *pose)
{
    md5_layer_state *const layer_state = job->layer_state;
    float covered = 0;
    if (part.has_snapshot) {
        covered = layer_state->coverage;
        memcpy(pose, layer_state->snapshot, job->num_blended * sizeof *pose);
    }

    for (uint32_t i = part.begin; i < part.end; i++) {
        const md5_active_state *const active = md5_active_at(layer_state, i);
        const float fade = md5i_fade_in(layer_state, part, i, job->shift);
        const float state_coverage = active->tree ? fade : 0;
        covered = (1 - fade) * covered + state_coverage;
        if (state_coverage == 0)
            continue;
        if (state_coverage >= covered) { // nothing below is visible
            evaluate_active(job, active, spare, pose);
            continue;
        }
        evaluate_active(job, active, spare_pose(job, spare, 1), spare);
        blend_all(job->detail, pose, spare, state_coverage / covered, job->num_blended, pose);
    }

    if (part.has_offsets && covered > 0)
        add_remaining_offsets(job, pose);
    return covered;
}

// Computes the velocities of the joints in a part of the chain, from its poses at `begin` and
// VELOCITY_STEP later. Writes these poses to `before` and `after`, which are scratch memory.
static void measure_velocities(layer_job *job, md5_chain_range part, double begin,
                               md5_xform *before, md5_xform *after, md5_velocity *velocities)
{
    md5_xform *const spare = spare_pose(job, job->player->spare, 2);
    job->is_measured = true;
    job->begin = begin;
    job->shift = begin;
    evaluate_chain(job, part, spare, before);
    job->shift = begin + VELOCITY_STEP;
    evaluate_chain(job, part, spare, after);
    job->is_measured = false;
    job->shift = 0;
    md5i_pose_velocity(before, after, job->num_blended, (float)VELOCITY_STEP, velocities);
}

// Begins an inertial transition. Computes the offsets: the differences between the current old and
// new poses, and between their velocities. The offsets are added to the new pose and decay within
// `duration` seconds. Both poses come from chains of states. The old chain can belong to the same
// layer or to another player's layer.
static void begin_offsets(layer_job *from, md5_chain_range old_chain, layer_job *to,
                          md5_chain_range new_chain, double duration)
{
    md5_layer_state *const layer_state = to->layer_state;

    // Measure the velocity of the old pose before now. If the previous transition began at this
    // instant, nothing has moved since then, and the measured velocities are still valid.
    md5_xform *const old_spare = from->player->spare;
    md5_xform *const old_pose = old_spare;
    md5_xform *const old_after = spare_pose(from, old_spare, 1);
    if (!from->layer_state->has_offsets || from->layer_state->settling.elapsed > MD5_BORDER)
        measure_velocities(from, old_chain, -VELOCITY_STEP, old_pose, old_after,
                           layer_state->velocities);
    evaluate_chain(from, old_chain, spare_pose(from, old_spare, 2), old_pose);
    md5i_begin_motion_offsets(from->player, from->layer_index, old_chain, to->player,
                              to->layer_index, new_chain);

    // Measure the velocity of the new pose from now on. The frozen pose was part of the old pose
    // and is no longer needed, so its memory is reused. `old_pose` may be the first spare pose of
    // the same player, so only the following spare poses are used.
    md5_xform *const new_spare = to->player->spare;
    md5_xform *const new_before = spare_pose(to, new_spare, 1);
    md5_xform *const new_pose = layer_state->snapshot;
    measure_velocities(to, new_chain, 0, new_before, new_pose, to->player->velocities);
    evaluate_chain(to, new_chain, spare_pose(to, new_spare, 2), new_pose);

    md5i_compute_offsets(old_pose, layer_state->velocities, new_pose, to->player->velocities,
                         to->num_blended, layer_state->offsets);
    layer_state->has_snapshot = false;
    layer_state->has_offsets = true;
    layer_state->settling = (md5_fade_time){0, duration};
}

// Replaces the oldest `count` states of a layer and its frozen pose by one frozen pose.
static void freeze_oldest(md5_player *player, uint32_t layer, uint32_t count)
{
    layer_job job = begin_layer_job(player, layer);
    md5_layer_state *const layer_state = job.layer_state;
    const md5_chain_range oldest = {.end = count, .has_snapshot = layer_state->has_snapshot};
    md5i_update_weights(player);
    md5i_freeze_motion(player, layer, oldest);
    layer_state->coverage =
        evaluate_chain(&job, oldest, spare_pose(&job, player->spare, 1), player->spare);

    // Normalize rotations: a frozen pose may be blended into the next frozen pose, so errors of
    // their lengths would accumulate while transitions interrupt each other.
    if (layer_state->coverage > 0) {
        for (uint32_t i = 0; i < job.num_blended; i++) {
            layer_state->snapshot[i] = player->spare[i];
            layer_state->snapshot[i].rotation =
                md5_quat_normalize(player->spare[i].rotation, player->spare[i].rotation);
        }
    }
    layer_state->has_snapshot = true;
}

// Avoids a jump when a player takes over the states of another player's layer, for example after
// its machine file was reloaded. Begins an inertial transition from the old pose. Has no effect if
// a pose is incomplete or both are equal.
void md5i_continue_layer(md5_player *player, uint32_t layer, md5_player *old_player,
                         uint32_t old_layer)
{
    static const double duration = 0.2; // seconds of the transition
    layer_job from = begin_layer_job(old_player, old_layer);
    layer_job to = begin_layer_job(player, layer);
    md5_chain_range chain = md5_complete_chain(to.layer_state);
    const md5_chain_range old_chain = md5_complete_chain(from.layer_state);

    md5_xform *const old_pose = old_player->spare;
    md5_xform *const pose = player->spare;
    md5_xform *const spare = spare_pose(&to, pose, 1);
    const float old_coverage =
        evaluate_chain(&from, old_chain, spare_pose(&from, old_pose, 1), old_pose);
    const float coverage = evaluate_chain(&to, chain, spare, pose);
    if (old_coverage != 1)
        return; // the old pose is incomplete
    if (coverage == 1 && memcmp(pose, old_pose, to.num_blended * sizeof *pose) == 0)
        return; // the poses are equal

    // The new transition replaces the frozen pose and the offsets of the old player.
    chain.has_snapshot = false;
    chain.has_offsets = false;
    if (evaluate_chain(&to, chain, spare, pose) == 1)
        begin_offsets(&from, old_chain, &to, chain, duration);
}

// -- Changes of state ---------------------------------------------------------------------------

// Returns the state from which a new transition starts, or MD5_NONE. A state that began at this
// instant was never visible. The transition then starts from the state before it.
static uint32_t transition_source(const md5_active_state *newest)
{
    if (!newest)
        return MD5_NONE;
    const bool was_visible = newest->from == MD5_NONE || newest->elapsed > MD5_BORDER;
    return was_visible ? newest->state : newest->from;
}

// Returns true if a layer's chain and a new state have complete poses, which offsets require.
static bool have_poses(md5_layer_state *layer_state, const md5_state *state)
{
    if (!state->tree || (layer_state->has_snapshot && layer_state->coverage < 1))
        return false;
    for (uint32_t i = 0; i < layer_state->num_used; i++) {
        if (!md5_active_at(layer_state, i)->tree)
            return false;
    }
    return true;
}

// Makes space in the chain of active states for a state that fades in. Returns true if the new
// state will be above a state with whose clock it can be synchronized: the state from which the
// transition starts, or a state that shares its clock with that state.
static bool reserve_chain_position(md5_player *player, uint32_t layer)
{
    md5_layer_state *const layer_state = &player->layer_states[layer];
    const md5_active_state *const newest = md5_newest(layer_state);

    // A state that began to fade in at this instant is not visible yet and can be replaced.
    const bool is_replaced = newest->fades && newest->elapsed <= MD5_BORDER;
    const bool is_above = !is_replaced || newest->in_step;
    if (is_replaced)
        layer_state->num_used--;

    // If the chain is full, freeze the two oldest poses; one of them may be a frozen pose.
    if (layer_state->num_used + layer_state->has_snapshot >= MD5_MAX_ACTIVE) {
        const uint32_t count = layer_state->has_snapshot ? 1 : 2;
        freeze_oldest(player, layer, count);
        md5_end_oldest(layer_state, count);
    }
    return is_above;
}

// Returns the index of an unused slot.
static uint8_t find_unused_slot(const md5_layer_state *layer_state)
{
    bool are_used[MD5_SLOTS] = {false};
    for (uint32_t i = 0; i < layer_state->num_used; i++)
        are_used[layer_state->order[i]] = true;

    // An unused slot exists, because reserve_chain_position() was called before.
    uint8_t slot = 0;
    while (are_used[slot])
        slot++;
    return slot;
}

// Begins an inertial transition from the previous states of a layer to the newest state: stores the
// difference of their poses, which decreases during the transition, and ends the previous states.
static void begin_inertial_transition(md5_player *player, uint32_t layer, double duration)
{
    md5_layer_state *const layer_state = &player->layer_states[layer];
    layer_job job = begin_layer_job(player, layer);
    const uint32_t newest = layer_state->num_used - 1u;
    const md5_chain_range new_chain = {.begin = newest, .end = newest + 1};
    md5_chain_range old_chain = md5_complete_chain(layer_state);
    old_chain.end = newest;

    md5i_update_weights(player);
    begin_offsets(&job, old_chain, &job, new_chain, duration);
    md5_end_oldest(layer_state, newest);
}

// Removes all states, the frozen pose and the offsets from the chain.
static void clear_chain(md5_layer_state *layer_state)
{
    layer_state->num_used = 0;
    layer_state->has_snapshot = false;
    layer_state->has_offsets = false;
}

// Adds a state to the end of the chain, as the newest state. The caller must initialize it.
static md5_active_state *append_to_chain(md5_layer_state *layer_state)
{
    const uint8_t slot = find_unused_slot(layer_state);
    layer_state->order[layer_state->num_used++] = slot;
    return md5_slot(layer_state, slot);
}

// Resets the values of a layer that depend on its newest state, which was entered by a change.
static void reset_for_new_state(md5_layer_state *layer_state, const md5_change *change)
{
    layer_state->is_resting = false;
    layer_state->causes = MD5_ALL_CAUSES;
    layer_state->ignored_events = UINT64_MAX; // all events at this instant
    layer_state->random += MD5_WEYL;          // the next random number
    layer_state->is_entered = change->begin == MD5_BEGIN_AT;
    if (layer_state->is_entered)
        layer_state->entered = change->state;
}

// Sets the members of a new active state that a transition determines. `source` is the state from
// which the transition starts, or MD5_NONE; `duration` is in seconds.
static void set_transition(const md5_machine *machine, const md5_change *change, uint32_t source,
                           double duration, bool fades, md5_active_state *active)
{
    active->from = duration > 0 ? source : MD5_NONE;
    active->easing = &machine->easings[change->easing];
    active->elapsed = 0;
    active->duration = duration;
    active->fades = fades;
    active->leader = change->leader;
    active->priority = change->priority;
    active->interrupt = change->interrupt;
    active->weight = fades ? 0 : 1.0f;
}

// Makes another state the current state of a layer, in one of three ways:
// - crossfade: the old states remain in the chain, and the new state fades in over them
// - inertial: the old states end, and the difference from their pose decays over the new state
// - without a duration: the old states end
void md5i_change_state(md5_player *player, uint32_t layer_index, const md5_change *change)
{
    const md5_machine *const machine = player->machine;
    const md5_play_layer *const layer = &machine->layers[layer_index];
    md5_layer_state *const layer_state = &player->layer_states[layer_index];
    const md5_active_state *const newest =
        layer_state->num_used > 0 ? md5_newest(layer_state) : NULL;
    const uint32_t source = transition_source(newest);

    const double duration = source == MD5_NONE ? 0 : fmax(change->duration, 0.0);
    const bool is_inertial = duration > 0 && change->fade == MD5_FADE_INERTIAL
                             && have_poses(layer_state, &layer->states[change->state]);
    const bool fades = duration > 0 && !is_inertial;

    // An inertial transition does not clear the chain of old states yet: their pose is computed
    // once more, to measure its difference from the pose of the new state.
    bool is_above = false;
    if (fades && newest) // a fade has a source, so `newest` is not NULL
        is_above = reserve_chain_position(player, layer_index);
    else if (!is_inertial)
        clear_chain(layer_state);

    md5_active_state *const active = append_to_chain(layer_state);
    set_transition(machine, change, source, duration, fades, active);
    active->in_step = change->in_step && is_above;
    reset_for_new_state(layer_state, change);
    player->is_settled = false;
    md5i_begin_state(player, layer, active, change);
    if (is_inertial)
        begin_inertial_transition(player, layer_index, duration);
}

// -- All layers ---------------------------------------------------------------------------------

// Returns the only active state of a layer if it is the only pose of the layer, otherwise NULL.
// This is the common case.
static const md5_active_state *single_motion(md5_layer_state *layer_state)
{
    const md5_active_state *const newest = md5_newest(layer_state);
    const bool has_more_poses =
        layer_state->num_used > 1 || layer_state->has_snapshot || layer_state->has_offsets;
    const bool is_single = newest->tree && !has_more_poses;
    return is_single ? newest : NULL;
}

// Initializes the result with the bind pose, unless a layer was already written to it. The bind
// pose is below all layers. *is_begun is true if the result is initialized.
static void begin_layer_pose(const md5_machine *machine, bool *is_begun, md5_xform *pose)
{
    if (!*is_begun)
        memcpy(pose, machine->model->bind_local, machine->num_joints * sizeof *pose);
    *is_begun = true;
}

// Computes the pose of the first visible layer directly in the result, which saves a copy and a
// blend.
static void evaluate_first_layer(const layer_job *job, md5_xform *spare, md5_xform *pose)
{
    const md5_xform *const bind = job->player->machine->model->bind_local;
    const float covered = evaluate_chain(job, md5_complete_chain(job->layer_state), spare, pose);
    if (covered == 0)
        memcpy(pose, bind, job->num_joints * sizeof *pose);
    else if (covered < 1)
        blend_all(job->detail, bind, pose, covered, job->num_joints, pose);
}

// Samples the clip of an exact state (md5_state.is_exact) into the result. Joints with a partial
// mask weight are saved before and blended afterwards.
static void sample_into_result(const layer_job *job, const md5_active_state *active,
                               md5_xform *spare, md5_xform *pose)
{
    const md5_play_layer *const layer = job->layer;
    const md5_joint_set *const partial = &job->player->machine->mask_sets[layer->mask].partial;
    md5_xform saved[MD5_MAX_SAVED_JOINTS];
    for (uint32_t i = 0; i < partial->count; i++)
        saved[i] = pose[partial->list[i]];

    evaluate_joints(job->player, layer, active, NULL, spare, pose);

    md5_xform chunk[CHUNK];
    for (joint_part part = {0}; next_part(partial, &part);) {
        md5_xform *const into = gather_writable(&part, pose, chunk);
        md5_blend_poses(saved + part.begin, into, 1, part.weights, part.count, into);
        scatter_joints(&part, into, pose);
    }
}

// Computes the pose of a layer in `layer_pose`. Returns the weight with which it covers the layers
// below: its weight times its coverage. The coverage is below 1 if a state has no motion. If a
// single state is sufficient to compute the layer's joints, `single` is this state, otherwise NULL.
static float evaluate_layer(const layer_job *job, const md5_active_state *single, float weight,
                            md5_xform *spare, md5_xform *layer_pose)
{
    if (single) {
        evaluate_joints(job->player, job->layer, single, job->detail, spare, layer_pose);
        return weight;
    }
    const md5_chain_range chain = md5_complete_chain(job->layer_state);
    return weight * evaluate_chain(job, chain, spare, layer_pose);
}

// Blends a layer over the pose of the layers below, or adds it to that pose if it is additive.
// *is_begun is true if `pose` is initialized. Common cases, such as a layer with a single state,
// have faster paths with the same result.
static void blend_layer(const layer_job *job, float weight, bool *is_begun, md5_xform *spare,
                        md5_xform *pose)
{
    const md5_machine *const machine = job->player->machine;
    const md5_play_layer *const layer = job->layer;
    const bool is_added = layer->mode == MD5_LAYER_ADD;
    const bool is_full = !is_added && layer->mask == MD5_NONE;
    const bool hides_all_below = is_full && weight == 1;
    if (!*is_begun && hides_all_below) {
        evaluate_first_layer(job, spare, pose);
        *is_begun = true;
        return;
    }

    begin_layer_pose(machine, is_begun, pose);
    const md5_active_state *const single = is_full ? NULL : single_motion(job->layer_state);
    const bool is_exact = single && layer->states[single->state].is_exact;
    if (is_exact && !is_added && weight == 1) {
        sample_into_result(job, single, spare, pose);
        return;
    }

    // The first spare pose receives the pose of the layer. The remaining spare poses are
    // scratch memory.
    md5_xform *const layer_pose = spare;
    const float covered =
        evaluate_layer(job, single, weight, spare_pose(job, spare, 1), layer_pose);
    if (!(covered > 0))
        return;
    if (!is_added) {
        blend_over(machine, job->detail, layer->mask, layer_pose, covered, pose);
        return;
    }
    // For a chain of states, evaluate_chain() has computed the difference. For a single state the
    // difference is computed here.
    const md5_xform *const reference = single ? state_reference(job, single) : NULL;
    add_difference_of_joints(&layer->joints, layer_pose, reference, covered, pose);
}

// Returns the joints of a layer that remain visible below the next layer, or NULL if these may be
// all joints. The next layer covers joints completely if it has a mask, the weight 1 and a single
// state.
static const md5_detail_set *visible_below(const md5_player *player, uint32_t layer)
{
    const md5_machine *const machine = player->machine;
    const uint32_t next = layer + 1;
    if (next >= machine->tables.num_layers || machine->layers[layer].mask != MD5_NONE)
        return NULL;

    const md5_play_layer *const above = &machine->layers[next];
    if (above->mode != MD5_LAYER_OVERRIDE || above->mask == MD5_NONE || player->num_one_shots > 0)
        return NULL;

    const md5_detail_set *const uncovered = &machine->uncovered[above->mask];
    if (uncovered->num_runs == 0 || md5i_rule_weight(player, &above->weight) != 1)
        return NULL;
    return single_motion(&player->layer_states[next]) ? uncovered : NULL;
}

// Sets the first `count` joints that are not animated at a level of detail to the bind pose.
static void fill_omitted(const md5_machine *machine, const md5_detail_set *detail, uint32_t count,
                         md5_xform *pose)
{
    const uint32_t *const omitted = detail->omitted;
    for (uint32_t i = 0; i < count; i++)
        pose[omitted[i]] = machine->model->bind_local[omitted[i]];
}

// Returns true if a layer changes joints that are animated at the level of detail.
static bool is_layer_visible(const md5_player *player, uint32_t layer)
{
    const md5_machine *const machine = player->machine;
    const uint32_t mask = player->detail.mask;
    return mask == MD5_NONE
           || machine->are_visible[(size_t)mask * machine->tables.num_layers + layer];
}

// Computes the pose of all layers: blends them in their order, each with its weight and mask, and
// one-shot clips after the layers of their slots. `spare` is memory for the scratch poses that
// md5_player_pose_scratch() counts.
void md5i_blend_layers(md5_player *player, md5_xform *spare, md5_xform *pose)
{
    const md5_machine *const machine = player->machine;
    const md5_detail_set *const detail = md5_player_detail_set(player);
    // Additive layers, exact states and one-shot clips also change joints that are in no run, so
    // these joints must be initialized.
    if (detail && (machine->has_full_layers || player->num_one_shots > 0))
        fill_omitted(machine, detail, detail->num_outside, pose);

    const uint32_t num_layers = machine->tables.num_layers;
    bool is_begun = false; // `pose` is initialized
    for (uint32_t i = 0; i < num_layers; i++) {
        const md5_play_layer *const layer = &machine->layers[i];
        const float weight = md5i_rule_weight(player, &layer->weight);
        layer_job job = begin_layer_job(player, i);
        if (layer->mode != MD5_LAYER_ADD)
            job.detail = detail ? detail : visible_below(player, i);
        if (weight > 0 && is_layer_visible(player, i))
            blend_layer(&job, weight, &is_begun, spare, pose);
        else if (weight > 0)
            begin_layer_pose(machine, &is_begun, pose);

        if (player->num_one_shots > 0) {
            begin_layer_pose(machine, &is_begun, pose);
            blend_one_shots(player, i + 1, spare, pose);
        }
    }

    begin_layer_pose(machine, &is_begun, pose);
    if (num_layers == 0 && player->num_one_shots > 0)
        blend_one_shots(player, 0, spare, pose);
    if (detail)
        fill_omitted(machine, detail, detail->num_omitted, pose);
}
