// Blends layers to one pose: each layer's chain of active states is evaluated, then blended over or
// added to the layers below.
#include "md5/motion/space.h"
#include "md5/play/run/joint_set.h"
#include "md5/play/run/player_state.h"

#include <math.h>
#include <string.h>

// Velocities are measured over this time, in seconds.
#define VELOCITY_STEP (1.0 / 256.0)

// The layer that is evaluated. An additive layer blends differences, of the joints that it changes.
typedef struct blending {
    md5_player *player;
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
    const md5_play_layer *const of = &machine->layers[layer];
    return (blending){
        .player = player,
        .layer = of,
        .layer_state = &player->layer_states[layer],
        .num_joints = machine->num_joints,
        .count = md5_blended_joints(machine, of),
    };
}

static md5_xform *spare_pose(const blending *of, md5_xform *spare, uint32_t number)
{
    return spare + (size_t)number * of->num_joints;
}

static int32_t reference_of(const blending *of, const md5_active_state *active)
{
    return of->player->machine->states[of->layer->first_state + active->state].reference;
}

// Seconds from now at which a state's clips are sampled. If a clip would cross into another cycle
// while a velocity is measured, where its pose may jump, this moves farther from now.
static double clip_shift(const blending *of, const md5_active_state *active)
{
    enum { MOST_STEPS = 4 };
    if (!of->is_measured)
        return 0.0;
    const double direction = of->player->is_backward ? -1.0 : 1.0;
    const double further = of->begin < 0.0 ? -VELOCITY_STEP : VELOCITY_STEP;
    double moved = 0.0;
    for (int step = 0; step < MOST_STEPS; step++) {
        const double begin = direction * (of->begin + moved);
        if (md5i_stays_in_cycle(of->player, active, begin, begin + direction * VELOCITY_STEP))
            break;
        moved += further;
    }
    return direction * (of->shift + moved);
}

// Writes the pose of a state, or in an additive layer its difference from the reference.
static void evaluate(const blending *of, const md5_active_state *active, md5_xform *spare,
                     md5_xform *pose)
{
    const double shift = clip_shift(of, active);
    if (of->layer->mode != MD5_LAYER_ADD) {
        md5i_evaluate_state(of->player, active, of->detail, shift, spare, pose);
        return;
    }
    md5i_evaluate_state(of->player, active, NULL, shift, spare_pose(of, spare, 1), spare);
    md5i_subtract_joints(of->player->machine, &of->layer->joints, spare, reference_of(of, active),
                         pose);
}

// Adds what is left of an inertial transition.
static void add_offsets(const blending *of, md5_xform *pose)
{
    const md5_machine *const machine = of->player->machine;
    const md5_layer_state *const layer_state = of->layer_state;
    const float elapsed = (float)(layer_state->settling.elapsed + of->shift);
    const float duration = (float)layer_state->settling.duration;
    if (!of->detail)
        md5i_add_offsets(layer_state->offsets, elapsed, duration, of->count, pose);
    for (uint32_t i = 0; of->detail && i < of->detail->num_runs; i++) {
        const md5_joint_run run = machine->runs[of->detail->first_run + i];
        md5i_add_offsets(layer_state->offsets + run.first, elapsed, duration, run.count,
                         pose + run.first);
    }
}

// blend(blend(A, B), C): writes the pose of a part of the chain and returns its coverage, 0..1,
// which is below 1 if a state has no motion. Uses two spare poses and those of a state.
static float evaluate_chain(const blending *of, md5_chain_range part, md5_xform *spare,
                            md5_xform *pose)
{
    const md5_machine *const machine = of->player->machine;
    const md5_layer_state *const layer_state = of->layer_state;
    float covered = 0.0f;
    if (part.has_snapshot) {
        covered = layer_state->coverage;
        memcpy(pose, layer_state->snapshot, of->count * sizeof *pose);
    }
    for (uint32_t i = part.begin; i < part.end; i++) {
        const md5_active_state *const active = md5_active_at(of->layer_state, i);
        const bool is_bottom = i == part.begin && !part.has_snapshot;
        const float fade = is_bottom ? 1.0f : md5i_fade_at(active, of->shift);
        const float own = active->tree < 0 ? 0.0f : fade;
        covered = (1.0f - fade) * covered + own;
        if (own == 0.0f)
            continue;
        if (own >= covered) {
            evaluate(of, active, spare, pose);
            continue;
        }
        md5_xform *const other = spare;
        evaluate(of, active, spare_pose(of, spare, 1), other);
        if (of->detail)
            md5i_blend_over(machine, of->detail, -1, other, own / covered, pose);
        else
            md5_blend_poses(pose, other, own / covered, NULL, of->count, pose);
    }
    if (part.has_offsets && covered > 0.0f)
        add_offsets(of, pose);
    return covered;
}

// Measures the velocities of a part of the chain. `before` and `after` are scratch poses.
static void measure(blending *of, md5_chain_range part, double begin, md5_xform *before,
                    md5_xform *after, md5_velocity *velocities)
{
    md5_xform *const rest = spare_pose(of, of->player->spare, 2);
    of->is_measured = true;
    of->begin = of->shift = begin;
    evaluate_chain(of, part, rest, before);
    of->shift = begin + VELOCITY_STEP;
    evaluate_chain(of, part, rest, after);
    of->is_measured = false;
    of->shift = 0.0;
    md5_pose_velocity(before, after, of->count, (float)VELOCITY_STEP, velocities);
}

static void offset_morphs(const blending *of, uint32_t layer, md5_chain_range old,
                          md5_chain_range fresh)
{
    float *const from = of->player->morphs, *const offsets = of->layer_state->morph_offsets;
    md5i_weigh_morphs(of->player, layer, old, from);
    md5i_weigh_morphs(of->player, layer, fresh, offsets);
    for (uint32_t i = 0; i < of->player->machine->num_morphs; i++)
        offsets[i] = from[i] - offsets[i];
}

void md5i_begin_offsets(md5_player *player, uint32_t layer, double duration)
{
    blending of = blending_of(player, layer);
    md5_layer_state *const layer_state = of.layer_state;
    const uint32_t newest = layer_state->num_used - 1u;
    const md5_chain_range old = {0, newest, layer_state->has_snapshot, layer_state->has_offsets};
    const md5_chain_range fresh = {.begin = newest, .end = layer_state->num_used};
    md5_xform *const from = player->spare, *const other = spare_pose(&of, player->spare, 1);
    md5_xform *const rest = spare_pose(&of, player->spare, 2);
    md5i_weigh_all(player);
    // If the last one began at this instant, nothing has moved since, and the velocity is still the
    // one that was measured then.
    if (!layer_state->has_offsets || layer_state->settling.elapsed > MD5_BORDER)
        measure(&of, old, -VELOCITY_STEP, from, other, layer_state->velocities);
    evaluate_chain(&of, old, rest, from);
    if (of.layer->has_root_motion)
        md5i_carry_root(player, layer_state, old, fresh);
    md5_xform *const to = layer_state->snapshot; // no longer needed
    measure(&of, fresh, 0.0, other, to, player->velocities);
    evaluate_chain(&of, fresh, rest, to);
    offset_morphs(&of, layer, old, fresh);
    md5i_make_offsets(from, layer_state->velocities, to, player->velocities, of.count,
                      layer_state->offsets);
    layer_state->has_snapshot = false;
    layer_state->has_offsets = true;
    layer_state->settling = (md5_fade_time){0.0, duration};
}

// A frozen pose is blended into the next frozen pose, so rounding errors of its rotations' lengths
// would accumulate for as long as transitions interrupt each other.
static void freeze(const md5_xform *pose, uint32_t count, md5_xform *snapshot)
{
    for (uint32_t i = 0; i < count; i++) {
        snapshot[i] = pose[i];
        snapshot[i].rotation = md5_quat_normalize(pose[i].rotation, pose[i].rotation);
    }
}

void md5i_freeze_oldest(md5_player *player, uint32_t layer, uint32_t count)
{
    blending of = blending_of(player, layer);
    md5_layer_state *const layer_state = of.layer_state;
    const md5_chain_range oldest = {.end = count, .has_snapshot = layer_state->has_snapshot};
    md5i_weigh_all(player);
    if (of.layer->has_root_motion)
        layer_state->frozen_root = md5i_measure_root(player, layer_state, oldest, true);
    layer_state->coverage =
        evaluate_chain(&of, oldest, spare_pose(&of, player->spare, 1), player->spare);
    if (layer_state->coverage > 0.0f)
        freeze(player->spare, of.count, layer_state->snapshot);
    md5i_weigh_morphs(player, layer, oldest, layer_state->frozen_morphs);
    layer_state->has_snapshot = true;
}

// Writes the pose of a layer and returns its coverage.
static float evaluate_layer(const blending *of, md5_xform *spare, md5_xform *pose)
{
    const md5_layer_state *const layer_state = of->layer_state;
    const md5_chain_range all = {0, layer_state->num_used, layer_state->has_snapshot,
                                 layer_state->has_offsets};
    return evaluate_chain(of, all, spare, pose);
}

// The common case: a layer with one state and nothing else to blend. Returns NULL otherwise.
static const md5_active_state *single_motion(md5_layer_state *layer_state)
{
    const md5_active_state *const newest = md5_newest(layer_state);
    const bool is_single = layer_state->num_used == 1 && newest->tree >= 0
                           && !layer_state->has_snapshot && !layer_state->has_offsets;
    return is_single ? newest : NULL;
}

// Adds an additive layer. A single state's difference need not be stored.
static void add_layer(const blending *of, float weight, md5_xform *spare, md5_xform *pose)
{
    const md5_machine *const machine = of->player->machine;
    const md5_joint_set *const joints = &of->layer->joints;
    const md5_active_state *const single = single_motion(of->layer_state);
    if (single) {
        md5i_evaluate_joints(of->player, of->layer, single, NULL, spare_pose(of, spare, 1), spare);
        md5i_add_difference_of_joints(machine, joints, spare, reference_of(of, single), weight,
                                      pose);
        return;
    }
    const float covered = weight * evaluate_layer(of, spare_pose(of, spare, 1), spare);
    if (covered > 0.0f)
        md5i_add_joints(machine, joints, spare, covered, pose);
}

static void blend_over(const blending *of, float weight, md5_xform *spare, md5_xform *pose)
{
    const md5_machine *const machine = of->player->machine;
    const md5_play_layer *const layer = of->layer;
    const md5_active_state *const single = layer->mask < 0 ? NULL : single_motion(of->layer_state);
    float covered = weight;
    if (single && weight == 1.0f && machine->states[layer->first_state + single->state].is_exact) {
        md5_xform saved[MD5_MOST_SAVED];
        md5i_save_between(machine, layer->mask, pose, saved);
        md5i_evaluate_joints(of->player, layer, single, NULL, spare, pose);
        md5i_blend_saved(machine, layer->mask, saved, pose);
        return;
    }
    if (single)
        md5i_evaluate_joints(of->player, layer, single, of->detail, spare_pose(of, spare, 1),
                             spare);
    else
        covered = weight * evaluate_layer(of, spare_pose(of, spare, 1), spare);
    if (covered > 0.0f)
        md5i_blend_over(machine, of->detail, layer->mask, spare, covered, pose);
}

// The bind pose is below all layers.
static void begin_pose(const md5_machine *machine, bool *is_begun, md5_xform *pose)
{
    if (!*is_begun)
        memcpy(pose, machine->model->bind_local, machine->num_joints * sizeof *pose);
    *is_begun = true;
}

static void blend_layer(const blending *of, float weight, bool *is_begun, md5_xform *spare,
                        md5_xform *pose)
{
    const md5_machine *const machine = of->player->machine;
    const md5_play_layer *const layer = of->layer;
    // The first layer is evaluated into the result if nothing is visible below it.
    if (!*is_begun && layer->mode == MD5_LAYER_OVERRIDE && layer->mask < 0 && weight == 1.0f) {
        const float covered = evaluate_layer(of, spare, pose);
        if (covered == 0.0f)
            memcpy(pose, machine->model->bind_local, of->num_joints * sizeof *pose);
        else if (covered < 1.0f)
            md5i_blend_all(machine, of->detail, machine->model->bind_local, pose, covered, pose);
        *is_begun = true;
        return;
    }
    begin_pose(machine, is_begun, pose);
    if (layer->mode == MD5_LAYER_ADD) {
        add_layer(of, weight, spare, pose);
        return;
    }
    blend_over(of, weight, spare, pose);
}

// One for a layer, one for the second of two blended states, one for a state whose difference is
// computed, and those that evaluating a state needs besides its result, which is 1 of max_poses.
// One-shots need three.
size_t md5i_spare_poses(const md5_machine *machine)
{
    const size_t num_poses = machine->max_poses > 0 ? machine->max_poses : 1;
    return 1 + 1 + 1 + num_poses - 1;
}

// Two that are compared, and those above.
size_t md5i_captured_poses(const md5_machine *machine)
{
    bool has_differences = false;
    for (uint32_t i = 0; i < machine->tables.num_layers; i++)
        has_differences = has_differences || machine->layers[i].mode == MD5_LAYER_ADD;
    return 2 + 1 + (size_t)has_differences + (size_t)machine->max_poses - 1;
}

// The joints of a layer that the next one leaves to be seen, if it surely overwrites many: it has a
// mask, its full weight and only one state. NULL: all.
static const md5_detail_set *seen_below(const md5_player *player, uint32_t layer)
{
    const md5_machine *const machine = player->machine;
    const uint32_t next = layer + 1;
    if (next >= machine->tables.num_layers || machine->layers[layer].mask >= 0)
        return NULL;
    const md5_play_layer *const above = &machine->layers[next];
    const bool covers = above->mode == MD5_LAYER_OVERRIDE && above->mask >= 0
                        && machine->rests[above->mask].num_runs > 0 && player->num_shots == 0
                        && md5i_weight_of(player, &above->weight) == 1.0f
                        && single_motion(&player->layer_states[next]);
    return covers ? &machine->rests[above->mask] : NULL;
}

static void blend_all_layers(md5_player *player, const md5_detail_set *detail, md5_xform *spare,
                             md5_xform *pose)
{
    const md5_machine *const machine = player->machine;
    const uint32_t num_layers = machine->tables.num_layers;
    bool is_begun = false;
    for (uint32_t i = 0; i < num_layers; i++) {
        const md5_play_layer *const layer = &machine->layers[i];
        const float weight = md5i_weight_of(player, &layer->weight);
        blending of = blending_of(player, i);
        if (layer->mode != MD5_LAYER_ADD)
            of.detail = detail ? detail : seen_below(player, i);
        if (weight > 0.0f && md5_is_layer_seen(player, i))
            blend_layer(&of, weight, &is_begun, spare, pose);
        else if (weight > 0.0f)
            begin_pose(machine, &is_begun, pose);
        if (player->num_shots > 0) {
            begin_pose(machine, &is_begun, pose);
            md5i_blend_shots(player, i + 1, spare, pose);
        }
    }
    begin_pose(machine, &is_begun, pose);
    if (num_layers == 0 && player->num_shots > 0)
        md5i_blend_shots(player, 0, spare, pose);
}

// Joints that are left out are as in the bind pose.
static void fill_left_out(const md5_machine *machine, const md5_detail_set *detail, uint32_t count,
                          md5_xform *pose)
{
    const uint32_t *const left_out = machine->left_out + detail->first_joint;
    for (uint32_t i = 0; i < count; i++)
        pose[left_out[i]] = machine->model->bind_local[left_out[i]];
}

// Some layers and one-shots are blended in full, also over joints that are in no run.
void md5i_blend_layers(md5_player *player, md5_xform *spare, md5_xform *pose)
{
    const md5_machine *const machine = player->machine;
    const md5_detail_set *const detail = md5_detail_of(player);
    if (detail && (machine->has_full_layers || player->num_shots > 0))
        fill_left_out(machine, detail, detail->num_outside, pose);
    blend_all_layers(player, detail, spare, pose);
    if (detail)
        fill_left_out(machine, detail, detail->num_left_out, pose);
}
