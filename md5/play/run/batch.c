// Poses of one character or of a crowd.
#include "md5/core/assert.h"
#include "md5/play/run/player.h"

#include <string.h>

// Poses are aligned to cache lines: a transform that straddles two costs twice.
enum { CACHE_LINE = 64 };

static md5_transform *align(void *scratch)
{
    const uintptr_t misplaced = (uintptr_t)scratch % CACHE_LINE;
    unsigned char *const bytes = (unsigned char *)scratch;
    return (md5_transform *)(void *)(bytes + (misplaced > 0 ? CACHE_LINE - misplaced : 0));
}

size_t md5_player_scratch(const md5_machine *machine)
{
    MD5_ASSERT(machine != NULL, "machine: not NULL");
    return md5_spare_poses(machine) * machine->num_joints * sizeof(md5_transform) + CACHE_LINE;
}

// Joints that no one wants go where poses were: there are more than two of them.
static void make_matrices(const md5_machine *machine, const md5_transform *pose,
                          md5_transform *spare, md5_mat34 *joints, md5_mat34 *palette)
{
    if (palette)
        machine->kernels->finish(&machine->model->skeleton, machine->model->inverse_bind, pose,
                                 joints ? joints : (md5_mat34 *)spare, palette);
    else if (joints)
        md5_local_to_model(&machine->model->skeleton, pose, joints);
}

void md5_player_pose(md5_player *player, void *scratch, md5_transform *pose, md5_mat34 *joints,
                     md5_mat34 *palette)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    MD5_ASSERT(scratch != NULL, "scratch: not NULL");
    MD5_ASSERT(pose != NULL || player->machine->num_joints == 0, "pose: not NULL");
    MD5_ASSERT(md5_are_apart(joints, player->machine->num_joints * sizeof *joints, palette,
                             player->machine->num_joints * sizeof *palette),
               "joints, palette: must not overlap");
    const md5_machine *const machine = player->machine;
    md5_transform *const spare = align(scratch);
    md5_weigh_all(player);
    md5_blend_layers(player, spare, pose);
    md5_apply_modifiers(player, pose);
    player->since_pose = 0.0;
    make_matrices(machine, pose, spare, joints, palette);
}

// Characters that go together through advancing, blending, modifiers and matrices, each of which is
// as much code as a processor keeps at hand. No instruction set has more lanes for matrices.
enum { TOGETHER = MD5_MOST_HOOKED };

// Joints of a pose that ends where another may begin.
static size_t rounded(size_t num_joints)
{
    const size_t in_line = CACHE_LINE / sizeof(md5_transform);
    return (num_joints + in_line - 1) / in_line * in_line;
}

static size_t most_joints(const md5_play_job *jobs, size_t count)
{
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t num_joints = jobs[i].player->machine->num_joints;
        most = num_joints > most ? num_joints : most;
    }
    return most;
}

#if !defined(NDEBUG)
static bool all_have_players(const md5_play_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!jobs[i].player)
            return false;
    }
    return true;
}
#endif

// Poses, and behind them either what one character needs, or matrices of all.
size_t md5_play_batch_scratch(const md5_play_job *jobs, size_t count)
{
    MD5_ASSERT(jobs != NULL || count == 0, "jobs: not NULL");
    MD5_VALIDATE(all_have_players(jobs, count), "jobs: each has a player");
    const size_t num_joints = most_joints(jobs, count);
    size_t most = TOGETHER * num_joints * sizeof(md5_mat34) + CACHE_LINE;
    for (size_t i = 0; i < count; i++) {
        const size_t size = md5_player_scratch(jobs[i].player->machine);
        most = size > most ? size : most;
    }
    return count > 0 ? most + TOGETHER * rounded(num_joints) * sizeof(md5_transform) : 0;
}

// Whether they fill more than half of the lanes, and all want palettes of the same model.
static bool are_alike(const md5_play_job *jobs, size_t count, size_t width)
{
    const md5_machine *const machine = jobs[0].player->machine;
    bool alike = width > 1 && 2 * count > width && machine->tables.num_clips > 0;
    for (size_t i = 0; i < count; i++)
        alike = alike && jobs[i].palette && jobs[i].player->machine->model == machine->model;
    return alike;
}

// Their poses lie `step` transforms apart, with room behind them for as many as there are lanes.
// Lanes that are left over do the first one's work again.
static void finish_alike(const md5_play_job *jobs, size_t count, md5_transform *poses, size_t step,
                         float *scratch)
{
    const md5_machine *const machine = jobs[0].player->machine;
    const size_t width = machine->kernels->width;
    md5_pose_job made[TOGETHER];
    const md5_pose_job *lanes[TOGETHER];
    for (size_t i = 0; i < width; i++) {
        lanes[i] = &made[i < count ? i : 0];
        if (i >= count)
            memcpy(poses + i * step, poses, machine->num_joints * sizeof *poses);
        else
            made[i] = (md5_pose_job){.binding = machine->sources[0].binding,
                                     .palette = jobs[i].palette,
                                     .joints = jobs[i].joints};
    }
    machine->kernels->finish_crowd(lanes, poses, step, scratch);
}

static void finish(const md5_play_job *jobs, size_t count, md5_transform *poses, size_t step,
                   md5_transform *spare)
{
    const size_t width = jobs[0].player->machine->kernels->width;
    for (size_t begin = 0; begin < count; begin += width) {
        const size_t some = count - begin < width ? count - begin : width;
        if (are_alike(jobs + begin, some, width)) {
            finish_alike(jobs + begin, some, poses + begin * step, step, (float *)spare);
            continue;
        }
        for (size_t i = begin; i < begin + some; i++)
            make_matrices(jobs[i].player->machine, poses + i * step, spare, jobs[i].joints,
                          jobs[i].palette);
    }
}

// Adjacent jobs with the same hook share a call.
static void call_hooks(const md5_play_job *jobs, size_t count, md5_transform *poses, size_t step)
{
    md5_transform *listed[TOGETHER];
    for (size_t begin = 0, end; begin < count; begin = end) {
        md5_pose_hook_fn *const hook = jobs[begin].hook;
        for (end = begin;
             end < count && jobs[end].hook == hook && jobs[end].hook_user == jobs[begin].hook_user;
             end++)
            listed[end - begin] = poses + end * step;
        if (hook)
            hook(jobs[begin].hook_user, jobs + begin, (uint32_t)(end - begin), listed);
    }
}

static void play_together(md5_play_job *jobs, size_t count, md5_transform *poses)
{
    const size_t step = rounded(most_joints(jobs, count));
    md5_transform *const spare = poses + TOGETHER * step;
    for (size_t i = 0; i < count; i++) {
        md5_play_job *const job = &jobs[i];
        md5_player_advance(job->player, job->seconds, job->events, job->user);
        job->motion = md5_player_root_motion(job->player);
    }
    for (size_t i = 0; i < count; i++) {
        md5_weigh_all(jobs[i].player);
        md5_blend_layers(jobs[i].player, spare, poses + i * step);
    }
    for (size_t i = 0; i < count; i++) {
        md5_apply_modifiers(jobs[i].player, poses + i * step);
        jobs[i].player->since_pose = 0.0;
    }
    call_hooks(jobs, count, poses, step);
    finish(jobs, count, poses, step, spare);
}

void md5_play_batch(md5_play_job *jobs, size_t count, void *scratch)
{
    MD5_ASSERT(jobs != NULL || count == 0, "jobs: not NULL");
    MD5_ASSERT(scratch != NULL || count == 0, "scratch: not NULL");
    MD5_VALIDATE(all_have_players(jobs, count), "jobs: each has a player");
    md5_transform *const poses = align(scratch);
    for (size_t i = 0; i < count; i += TOGETHER)
        play_together(jobs + i, count - i < TOGETHER ? count - i : TOGETHER, poses);
}
