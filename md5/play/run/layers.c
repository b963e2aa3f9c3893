// Layers become one pose: each is what its chain of motions makes, laid over or added to what is
// below.
#include "md5/play/run/joint_set.h"
#include "md5/play/run/player.h"

#include <math.h>
#include <string.h>

// How far apart two poses are whose difference is a velocity, in seconds.
#define VELOCITY_STEP (1.0 / 256.0)

// What is blended. In a layer that is added that is differences, of the joints that it changes.
typedef struct blending {
    md5_player *player;
    const md5_play_layer *layer;
    md5_run *run;
    uint32_t num_joints; // of a pose
    uint32_t count;      // of what is blended
    double shift;        // seconds from now, not above 0
} blending;

// Places in the order of a chain; the frozen pose stands before the first.
typedef struct stretch {
    uint32_t begin, end;
    bool has_snapshot;
} stretch;

static md5_transform *spare_pose(const blending *of, md5_transform *spare, uint32_t number)
{
    return spare + (size_t)number * of->num_joints;
}

static int32_t reference_of(const blending *of, const md5_live *live)
{
    return of->player->machine->states[of->layer->first_state + live->state].reference;
}

// One motion's pose, or in a layer that is added its difference to the reference.
static void evaluate(const blending *of, const md5_live *live, md5_transform *spare,
                     md5_transform *pose)
{
    if (of->layer->mode != MD5_LAYER_ADD) {
        md5_evaluate_live(of->player, live, of->shift, spare, pose);
        return;
    }
    md5_evaluate_live(of->player, live, of->shift, spare_pose(of, spare, 1), spare);
    md5_subtract_joints(of->player->machine, &of->layer->joints, spare, reference_of(of, live),
                        pose);
}

// mix(mix(A, B), C): writes a part of the chain and returns how much of it there is, as states that
// are nothing have no pose. Uses two spare poses and those of a motion.
static float evaluate_chain(const blending *of, stretch part, md5_transform *spare,
                            md5_transform *pose)
{
    float covered = 0.0f;
    if (part.has_snapshot) {
        covered = of->run->coverage;
        memcpy(pose, of->run->snapshot, of->count * sizeof *pose);
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
    return covered;
}

static void add_offsets(const blending *of, float covered, md5_transform *pose)
{
    const md5_run *const run = of->run;
    if (run->has_offsets && covered > 0.0f)
        md5_add_offsets(run->offsets, (float)(run->settling.elapsed + of->shift),
                        (float)run->settling.duration, of->count, pose);
}

// A part of the chain as it is shown: with what is left of an earlier transition.
static bool evaluate_left(const blending *of, stretch part, md5_transform *spare,
                          md5_transform *pose)
{
    const float covered = evaluate_chain(of, part, spare, pose);
    add_offsets(of, covered, pose);
    return covered > 0.0f;
}

// An inertial transition begins: what it left is seen once more, as it is now and as it was shortly
// before, and so is what it leads to. Where either is nothing, there is no difference to die away.
static void begin_offsets(blending *of, md5_transform *spare, md5_transform *to)
{
    md5_run *const run = of->run;
    const stretch old = {0, run->num_ghosts, run->has_snapshot};
    const stretch new = {run->num_ghosts, run->num_used, false};
    md5_transform *const from = spare_pose(of, spare, 0);
    md5_transform *const from_before = spare_pose(of, spare, 1);
    md5_transform *const to_before = spare_pose(of, spare, 2);
    md5_transform *const rest = spare_pose(of, spare, 3);
    bool is_there = evaluate_left(of, old, rest, from) && evaluate_chain(of, new, rest, to) > 0.0f;
    of->shift = -VELOCITY_STEP;
    is_there = is_there && evaluate_left(of, old, rest, from_before)
               && evaluate_chain(of, new, rest, to_before) > 0.0f;
    of->shift = 0.0;
    if (is_there)
        md5_make_offsets(from, from_before, to, to_before, (float)VELOCITY_STEP, of->count,
                         run->offsets);
    md5_end_ghosts(run);
    run->has_snapshot = false;
    run->has_offsets = is_there;
    run->settling = (md5_span){0.0, run->leaving.duration - run->leaving.elapsed};
}

// Freezes what a chain that has become too long has lost.
static void freeze_ghosts(const blending *of, md5_transform *spare)
{
    md5_run *const run = of->run;
    const stretch ghosts = {0, run->num_ghosts, run->has_snapshot};
    run->coverage = evaluate_chain(of, ghosts, spare_pose(of, spare, 1), spare);
    if (run->coverage > 0.0f)
        memcpy(run->snapshot, spare, of->count * sizeof *spare);
    run->has_snapshot = true;
    md5_end_ghosts(run);
}

// Writes the pose of a layer and returns how much of it there is.
static float evaluate_layer(blending *of, md5_transform *spare, md5_transform *pose)
{
    md5_run *const run = of->run;
    if (run->num_ghosts > 0) {
        if (run->is_left)
            begin_offsets(of, spare, pose);
        else
            freeze_ghosts(of, spare);
    }
    const stretch all = {0, run->num_used, run->has_snapshot};
    const float covered = evaluate_chain(of, all, spare, pose);
    add_offsets(of, covered, pose);
    return covered;
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
static void add_layer(blending *of, float weight, md5_transform *spare, md5_transform *pose)
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

static void lay_over(blending *of, float weight, md5_transform *spare, md5_transform *pose)
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

static void blend_layer(blending *of, float weight, bool *is_begun, md5_transform *spare,
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

// A layer that is not to be seen has nothing to be continuous with.
static void skip_layer(md5_run *run)
{
    if (run->num_ghosts > 0) {
        md5_end_ghosts(run);
        run->has_snapshot = false;
    }
    run->has_offsets = false;
}

size_t md5_spare_poses(const md5_machine *machine)
{
    // Of a layer, of what an inertial transition compares, of two motions that are mixed, of one
    // whose difference is taken.
    return 1 + 3 + 1 + 1 + (size_t)machine->max_poses;
}

void md5_blend_layers(md5_player *player, md5_transform *spare, md5_transform *pose)
{
    const md5_machine *const machine = player->machine;
    bool is_begun = false;
    for (uint32_t i = 0; i < machine->tables.num_layers; i++) {
        const md5_play_layer *const layer = &machine->layers[i];
        const float weight = md5_weight_of(player, layer->weight_parameter, layer->weight);
        blending of = {
            .player = player,
            .layer = layer,
            .run = &player->runs[i],
            .num_joints = machine->num_joints,
            .count = layer->mode == MD5_LAYER_ADD ? layer->joints.count : machine->num_joints,
        };
        if (weight == 0.0f)
            skip_layer(of.run);
        else
            blend_layer(&of, weight, &is_begun, spare, pose);
    }
    if (!is_begun)
        memcpy(pose, machine->model->bind_local, machine->num_joints * sizeof *pose);
}
