// Poses of one character or of a crowd.
#include "md5/core/assert.h"
#include "md5/core/jobs.h"
#include "md5/play/run/player_state.h"

#include <string.h>

// Poses are aligned to cache lines: a transform that straddles two costs twice.
enum { CACHE_LINE = 64 };

static md5_xform *align(void *scratch)
{
    const uintptr_t misplaced = (uintptr_t)scratch % CACHE_LINE;
    unsigned char *const bytes = (unsigned char *)scratch;
    return (md5_xform *)(void *)(bytes + (misplaced > 0 ? CACHE_LINE - misplaced : 0));
}

size_t md5_player_pose_scratch(const md5_machine *machine)
{
    MD5_ASSERT(machine != NULL, "machine: not NULL");
    return md5i_spare_poses(machine) * machine->num_joints * sizeof(md5_xform) + CACHE_LINE;
}

// Joints that no one wants go where poses were: there are more than two of them.
static void make_matrices(const md5_machine *machine, const md5_xform *pose, md5_xform *spare,
                          md5_mat34 *joints, md5_mat34 *palette)
{
    if (palette)
        md5_local_to_palette(machine->model, pose, joints ? joints : (md5_mat34 *)spare, palette);
    else if (joints)
        md5_local_to_model(&machine->model->skeleton, pose, joints);
}

static void show_kept(const md5_player *player, md5_xform *pose)
{
    if (player->machine->num_joints > 0)
        memcpy(pose, player->kept, player->machine->num_joints * sizeof *pose);
}

bool md5_player_pose(md5_player *player, md5_xform *pose, md5_mat34 *joints, md5_mat34 *palette,
                     void *scratch)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    MD5_ASSERT(scratch != NULL, "scratch: not NULL");
    MD5_ASSERT(pose != NULL || player->machine->num_joints == 0, "pose: not NULL");
    MD5_ASSERT(md5_are_apart(joints, player->machine->num_joints * sizeof *joints, palette,
                             player->machine->num_joints * sizeof *palette),
               "joints, palette: must not overlap");
    md5_xform *const spare = align(scratch);
    const bool is_computed = md5i_begin_pose(player);
    if (is_computed) {
        md5i_weigh_all(player);
        md5i_blend_layers(player, spare, pose);
        md5i_apply_modifiers(player, pose);
        md5i_end_pose(player, pose);
    } else {
        show_kept(player, pose);
    }
    make_matrices(player->machine, pose, spare, joints, palette);
    return is_computed;
}

// Characters that go together through advancing, blending, modifiers and matrices, each of which is
// as much code as a processor keeps at hand. No instruction set has more lanes for matrices.
enum { TOGETHER = MD5_MAX_HOOKED };

// Joints of a pose that ends where another may begin.
static size_t rounded(size_t num_joints)
{
    const size_t in_line = CACHE_LINE / sizeof(md5_xform);
    return (num_joints + in_line - 1) / in_line * in_line;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
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

// Of one worker: poses, and behind them either what one character needs, or matrices of all.
static size_t scratch_size(const md5_play_job *jobs, size_t count)
{
    size_t num_joints = 0, most = 0;
    for (size_t i = 0; i < count; i++) {
        const md5_machine *const machine = jobs[i].player->machine;
        num_joints = larger(num_joints, machine->num_joints);
        most = larger(most, md5_player_pose_scratch(machine));
    }
    most = larger(most, TOGETHER * num_joints * sizeof(md5_mat34) + CACHE_LINE);
    return count > 0 ? most + TOGETHER * rounded(num_joints) * sizeof(md5_xform) : 0;
}

size_t md5_play_batch_scratch(const md5_play_job *jobs, size_t count, const md5_threads *threads)
{
    MD5_ASSERT(jobs != NULL || count == 0, "jobs: not NULL");
    MD5_VALIDATE(all_have_players(jobs, count), "jobs: each has a player");
    return md5i_scratch_of_all(threads, scratch_size(jobs, count));
}

// Jobs that are posed together. Their poses lie `step` transforms apart.
typedef struct team {
    md5_play_job *jobs[TOGETHER];
    size_t count, step;
    md5_xform *poses, *spare;
} team;

// Kernels for many characters come with a clip.
static size_t lanes_of(const md5_machine *machine)
{
    return machine->tables.num_clips > 0 ? machine->sources[0].binding->plan->kernels->width : 1;
}

// Whether they fill more than half of the lanes, and all want palettes of the same model.
static bool are_alike(md5_play_job *const *jobs, size_t count, size_t width)
{
    const md5_machine *const machine = jobs[0]->player->machine;
    bool alike = width > 1 && 2 * count > width;
    for (size_t i = 0; i < count; i++)
        alike = alike && jobs[i]->palette && jobs[i]->player->machine->model == machine->model;
    return alike;
}

// Behind their poses there is room for as many as there are lanes. Lanes that are left over do the
// first one's work again.
static void finish_alike(const team *of, size_t begin, size_t count)
{
    md5_play_job *const *const jobs = of->jobs + begin;
    md5_xform *const poses = of->poses + begin * of->step;
    const md5_machine *const machine = jobs[0]->player->machine;
    const md5_binding *const binding = machine->sources[0].binding;
    const size_t width = lanes_of(machine);
    md5_pose_job made[TOGETHER];
    const md5_pose_job *lanes[TOGETHER];
    for (size_t i = 0; i < width; i++) {
        lanes[i] = &made[i < count ? i : 0];
        if (i >= count)
            memcpy(poses + i * of->step, poses, machine->num_joints * sizeof *poses);
        else
            made[i] = (md5_pose_job){
                .binding = binding, .palette = jobs[i]->palette, .joints = jobs[i]->joints};
    }
    binding->plan->kernels->finish_crowd(lanes, poses, of->step, (float *)of->spare);
}

static void finish(const team *of)
{
    const size_t width = lanes_of(of->jobs[0]->player->machine);
    for (size_t begin = 0; begin < of->count; begin += width) {
        const size_t some = of->count - begin < width ? of->count - begin : width;
        if (are_alike(of->jobs + begin, some, width)) {
            finish_alike(of, begin, some);
            continue;
        }
        for (size_t i = begin; i < begin + some; i++)
            make_matrices(of->jobs[i]->player->machine, of->poses + i * of->step, of->spare,
                          of->jobs[i]->joints, of->jobs[i]->palette);
    }
}

// Adjacent jobs with the same hook share a call.
static void call_hooks(const team *of)
{
    md5_xform *listed[TOGETHER];
    for (size_t begin = 0, end; begin < of->count; begin = end) {
        const md5_play_job *const first = of->jobs[begin];
        for (end = begin;
             end < of->count && of->jobs[end] == first + (end - begin)
             && of->jobs[end]->hook == first->hook && of->jobs[end]->hook_user == first->hook_user;
             end++)
            listed[end - begin] = of->poses + end * of->step;
        if (first->hook)
            first->hook(first->hook_user, first, (uint32_t)(end - begin), listed);
    }
}

// Those that are computed, in groups of the same machine.
static void modify(const team *of)
{
    md5_player *players[TOGETHER];
    md5_xform *poses[TOGETHER];
    uint32_t count = 0;
    for (size_t i = 0; i < of->count; i++) {
        md5_player *const player = of->jobs[i]->player;
        if (!of->jobs[i]->is_computed)
            continue;
        if (count > 0 && players[0]->machine != player->machine) {
            md5i_apply_all_modifiers(players, poses, count);
            count = 0;
        }
        players[count] = player;
        poses[count++] = of->poses + i * of->step;
    }
    if (count > 0)
        md5i_apply_all_modifiers(players, poses, count);
    for (size_t i = 0; i < of->count; i++)
        if (of->jobs[i]->is_computed)
            md5i_end_pose(of->jobs[i]->player, of->poses + i * of->step);
}

static void pose_team(team *of)
{
    size_t num_joints = 0;
    for (size_t i = 0; i < of->count; i++)
        num_joints = larger(num_joints, of->jobs[i]->player->machine->num_joints);
    of->step = rounded(num_joints);
    of->spare = of->poses + TOGETHER * of->step;
    for (size_t i = 0; i < of->count; i++) {
        md5_player *const player = of->jobs[i]->player;
        md5_xform *const pose = of->poses + i * of->step;
        if (!of->jobs[i]->is_computed) {
            show_kept(player, pose);
            continue;
        }
        md5i_weigh_all(player);
        md5i_blend_layers(player, of->spare, pose);
    }
    modify(of);
    call_hooks(of);
    finish(of);
    of->count = 0;
}

static void advance(md5_play_job *job)
{
    job->status = md5_player_advance(job->player, job->seconds, job->events, job->user);
    job->motion = md5_player_root_motion(job->player);
    job->is_computed = md5i_begin_pose(job->player);
}

static void play_some(void *user, size_t first, size_t last, void *scratch)
{
    md5_play_job *const jobs = (md5_play_job *)user + first;
    const size_t count = last - first;
    team posed = {.poses = align(scratch)};
    for (size_t begin = 0; begin < count; begin += TOGETHER) {
        const size_t end = count - begin < TOGETHER ? count : begin + TOGETHER;
        for (size_t i = begin; i < end; i++)
            advance(&jobs[i]);
        for (size_t i = begin; i < end; i++) {
            if (!jobs[i].is_computed && jobs[i].keeps_matrices)
                continue;
            posed.jobs[posed.count++] = &jobs[i];
            if (posed.count == TOGETHER)
                pose_team(&posed);
        }
    }
    if (posed.count > 0)
        pose_team(&posed);
}

void md5_play_batch(md5_play_job *jobs, size_t count, const md5_threads *threads, void *scratch)
{
    MD5_ASSERT(jobs != NULL || count == 0, "jobs: not NULL");
    MD5_ASSERT(scratch != NULL || count == 0, "scratch: not NULL");
    MD5_VALIDATE(all_have_players(jobs, count), "jobs: each has a player");
    const md5_batch batch = {.run = play_some,
                             .user = jobs,
                             .count = count,
                             .scratch = scratch,
                             .size = threads ? scratch_size(jobs, count) : 0};
    md5i_run_batch(threads, &batch);
}
