// Layers become one pose: each is what its chain of motions makes, laid over or added to what is
// below.
#include "md5/play/run/joint_set.h"
#include "md5/play/run/player.h"

#include <math.h>
#include <string.h>

// Over how long velocities are measured, in seconds.
#define VELOCITY_STEP (1.0 / 256.0)

// What is blended. In a layer that is added that is differences, of the joints that it changes.
typedef struct blending {
    md5_player *player;
    const md5_play_layer *layer;
    md5_run *run;
    uint32_t num_joints; // of a pose
    uint32_t count;      // of what is blended
    bool is_measured;    // VELOCITY_STEP, from `begin` on; else it is blended as it is now
    double begin;        // seconds from now: -VELOCITY_STEP or 0
    double shift;        // seconds from now: begin or begin + VELOCITY_STEP
} blending;

// Places in the order of a chain; the frozen pose stands before the first.
typedef struct stretch {
    uint32_t begin, end;
    bool has_snapshot, has_offsets;
} stretch;

static blending blending_of(md5_player *player, uint32_t layer)
{
    const md5_machine *const machine = player->machine;
    const md5_play_layer *const of = &machine->layers[layer];
    return (blending){
        .player = player,
        .layer = of,
        .run = &player->runs[layer],
        .num_joints = machine->num_joints,
        .count = of->mode == MD5_LAYER_ADD ? of->joints.count : machine->num_joints,
    };
}

static md5_transform *spare_pose(const blending *of, md5_transform *spare, uint32_t number)
{
    return spare + (size_t)number * of->num_joints;
}

static int32_t reference_of(const blending *of, const md5_live *live)
{
    return of->player->machine->states[of->layer->first_state + live->state].reference;
}

// Seconds from now at which a motion's clips are looked at. A velocity is measured that much
// further from now that no clip comes into another cycle meanwhile, where it may be elsewhere.
static double clip_shift(const blending *of, const md5_live *live)
{
    enum { MOST_STEPS = 4 };
    if (!of->is_measured)
        return 0.0;
    const double direction = of->player->is_backward ? -1.0 : 1.0;
    const double further = of->begin < 0.0 ? -VELOCITY_STEP : VELOCITY_STEP;
    double moved = 0.0;
    for (int step = 0; step < MOST_STEPS; step++) {
        const double begin = direction * (of->begin + moved);
        if (md5_stays_in_cycle(of->player, live, begin, begin + direction * VELOCITY_STEP))
            break;
        moved += further;
    }
    return direction * (of->shift + moved);
}

// One motion's pose, or in a layer that is added its difference to the reference.
static void evaluate(const blending *of, const md5_live *live, md5_transform *spare,
                     md5_transform *pose)
{
    const double shift = clip_shift(of, live);
    if (of->layer->mode != MD5_LAYER_ADD) {
        md5_evaluate_live(of->player, live, shift, spare, pose);
        return;
    }
    md5_evaluate_live(of->player, live, shift, spare_pose(of, spare, 1), spare);
    md5_subtract_joints(of->player->machine, &of->layer->joints, spare, reference_of(of, live),
                        pose);
}

// mix(mix(A, B), C): writes a part of the chain and returns how much of it there is, as states that
// are nothing have no pose. Uses two spare poses and those of a motion.
static float evaluate_chain(const blending *of, stretch part, md5_transform *spare,
                            md5_transform *pose)
{
    const md5_run *const run = of->run;
    float covered = 0.0f;
    if (part.has_snapshot) {
        covered = run->coverage;
        memcpy(pose, run->snapshot, of->count * sizeof *pose);
    }
    for (uint32_t i = part.begin; i < part.end; i++) {
        const md5_live *const live = md5_live_at(of->run, i);
        const bool is_bottom = i == part.begin && !part.has_snapshot;
        const float fade = is_bottom ? 1.0f : md5_fade_at(live, of->shift);
        const float own = live->program < 0 ? 0.0f : fade;
        covered = (1.0f - fade) * covered + own;
        if (own == 0.0f)
            continue;
        if (own >= covered) {
            evaluate(of, live, spare, pose);
            continue;
        }
        md5_transform *const other = spare;
        evaluate(of, live, spare_pose(of, spare, 1), other);
        of->player->machine->kernels->blend(pose, other, own / covered, NULL, of->count, pose);
    }
    if (part.has_offsets && covered > 0.0f)
        md5_add_offsets(run->offsets, (float)(run->settling.elapsed + of->shift),
                        (float)run->settling.duration, of->count, pose);
    return covered;
}

// The velocities of a part of the chain. Works in two poses and spare ones.
static void measure(blending *of, stretch part, double begin, md5_transform *before,
                    md5_transform *after, md5_velocity *velocities)
{
    md5_transform *const rest = spare_pose(of, of->player->spare, 2);
    of->is_measured = true;
    of->begin = of->shift = begin;
    evaluate_chain(of, part, rest, before);
    of->shift = begin + VELOCITY_STEP;
    evaluate_chain(of, part, rest, after);
    of->is_measured = false;
    of->shift = 0.0;
    md5_pose_velocity(before, after, of->count, (float)VELOCITY_STEP, velocities);
}

void md5_begin_offsets(md5_player *player, uint32_t layer, double duration)
{
    blending of = blending_of(player, layer);
    md5_run *const run = of.run;
    const uint32_t newest = run->num_used - 1u;
    const stretch old = {0, newest, run->has_snapshot, run->has_offsets};
    const stretch new = {.begin = newest, .end = run->num_used};
    md5_transform *const from = player->spare, *const other = spare_pose(&of, player->spare, 1);
    md5_transform *const rest = spare_pose(&of, player->spare, 2);
    md5_weigh_all(player);
    // If one has begun at this very moment, nothing has moved since, and the velocity is still that
    // of what it left.
    if (!run->has_offsets || run->settling.elapsed > 0.0)
        measure(&of, old, -VELOCITY_STEP, from, other, run->velocities);
    evaluate_chain(&of, old, rest, from);
    md5_transform *const to = run->snapshot; // which was needed until here
    measure(&of, new, 0.0, other, to, player->velocities);
    evaluate_chain(&of, new, rest, to);
    md5_make_offsets(from, run->velocities, to, player->velocities, of.count, run->offsets);
    run->has_snapshot = false;
    run->has_offsets = true;
    run->settling = (md5_fade_time){0.0, duration};
}

void md5_freeze_oldest(md5_player *player, uint32_t layer, uint32_t count)
{
    blending of = blending_of(player, layer);
    md5_run *const run = of.run;
    const stretch oldest = {.end = count, .has_snapshot = run->has_snapshot};
    md5_weigh_all(player);
    run->coverage = evaluate_chain(&of, oldest, spare_pose(&of, player->spare, 1), player->spare);
    if (run->coverage > 0.0f)
        memcpy(run->snapshot, player->spare, of.count * sizeof *player->spare);
    run->has_snapshot = true;
}

// Writes the pose of a layer and returns how much of it there is.
static float evaluate_layer(const blending *of, md5_transform *spare, md5_transform *pose)
{
    const md5_run *const run = of->run;
    const stretch all = {0, run->num_used, run->has_snapshot, run->has_offsets};
    return evaluate_chain(of, all, spare, pose);
}

// What a layer shows most often: one motion by itself. NULL if there is more to it.
static const md5_live *single_motion(md5_run *run)
{
    const md5_live *const newest = md5_newest(run);
    const bool is_single =
        run->num_used == 1 && newest->program >= 0 && !run->has_snapshot && !run->has_offsets;
    return is_single ? newest : NULL;
}

// A layer that is added. Of one motion the difference need not be written.
static void add_layer(const blending *of, float weight, md5_transform *spare, md5_transform *pose)
{
    const md5_machine *const machine = of->player->machine;
    const md5_joint_set *const joints = &of->layer->joints;
    const md5_live *const single = single_motion(of->run);
    if (single) {
        md5_evaluate_joints(of->player, of->layer, single, spare_pose(of, spare, 1), spare);
        md5_add_difference_of_joints(machine, joints, spare, reference_of(of, single), weight,
                                     pose);
        return;
    }
    const float covered = weight * evaluate_layer(of, spare_pose(of, spare, 1), spare);
    if (covered > 0.0f)
        md5_add_joints(machine, joints, spare, covered, pose);
}

static void lay_over(const blending *of, float weight, md5_transform *spare, md5_transform *pose)
{
    const md5_machine *const machine = of->player->machine;
    const md5_play_layer *const layer = of->layer;
    const md5_live *const single = layer->mask < 0 ? NULL : single_motion(of->run);
    float covered = weight;
    if (single && weight == 1.0f && machine->states[layer->first_state + single->state].is_exact) {
        md5_transform saved[MD5_MOST_SAVED];
        md5_save_between(machine, layer->mask, pose, saved);
        md5_evaluate_joints(of->player, layer, single, spare, pose);
        md5_lay_under(machine, layer->mask, saved, pose);
        return;
    }
    if (single)
        md5_evaluate_joints(of->player, layer, single, spare_pose(of, spare, 1), spare);
    else
        covered = weight * evaluate_layer(of, spare_pose(of, spare, 1), spare);
    if (covered > 0.0f)
        md5_lay_over(machine, layer->mask, spare, covered, pose);
}

static void blend_layer(const blending *of, float weight, bool *is_begun, md5_transform *spare,
                        md5_transform *pose)
{
    const md5_machine *const machine = of->player->machine;
    const md5_play_layer *const layer = of->layer;
    // The first one may go where the result does, if nothing is to shine through.
    if (!*is_begun && layer->mode == MD5_LAYER_OVERRIDE && layer->mask < 0 && weight == 1.0f) {
        const float covered = evaluate_layer(of, spare, pose);
        if (covered == 0.0f)
            memcpy(pose, machine->model->bind_local, of->num_joints * sizeof *pose);
        else if (covered < 1.0f)
            machine->kernels->blend(machine->model->bind_local, pose, covered, NULL, of->num_joints,
                                    pose);
        *is_begun = true;
        return;
    }
    if (!*is_begun)
        memcpy(pose, machine->model->bind_local, of->num_joints * sizeof *pose);
    *is_begun = true;
    if (layer->mode == MD5_LAYER_ADD) {
        add_layer(of, weight, spare, pose);
        return;
    }
    lay_over(of, weight, spare, pose);
}

// Of a layer, of two motions that are mixed, of one whose difference is taken, and what this needs
// beside the pose that it is written to.
size_t md5_spare_poses(const md5_machine *machine)
{
    return 1 + 1 + 1 + (size_t)machine->max_poses - 1;
}

// Two that are compared, and as above.
size_t md5_captured_poses(const md5_machine *machine)
{
    bool has_differences = false;
    for (uint32_t i = 0; i < machine->tables.num_layers; i++)
        has_differences = has_differences || machine->layers[i].mode == MD5_LAYER_ADD;
    return 2 + 1 + (size_t)has_differences + (size_t)machine->max_poses - 1;
}

void md5_blend_layers(md5_player *player, md5_transform *spare, md5_transform *pose)
{
    const md5_machine *const machine = player->machine;
    bool is_begun = false;
    for (uint32_t i = 0; i < machine->tables.num_layers; i++) {
        const md5_play_layer *const layer = &machine->layers[i];
        const float weight = md5_weight_of(player, layer->weight_parameter, layer->weight);
        const blending of = blending_of(player, i);
        if (weight > 0.0f)
            blend_layer(&of, weight, &is_begun, spare, pose);
    }
    if (!is_begun)
        memcpy(pose, machine->model->bind_local, machine->num_joints * sizeof *pose);
}
