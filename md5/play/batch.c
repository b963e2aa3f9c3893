// Poses out, for one character and for a crowd.
#include "md5/play/player.h"

#include <math.h>

// Poses begin where a cache line does: those that lie across its border cost twice.
enum { CACHE_LINE = 64 };

static md5_transform *align(void *scratch)
{
    const uintptr_t misplaced = (uintptr_t)scratch % CACHE_LINE;
    unsigned char *const bytes = scratch;
    return (void *)(bytes + (misplaced > 0 ? CACHE_LINE - misplaced : 0));
}

size_t md5_player_scratch(const md5_machine *machine)
{
    return md5_spare_poses(machine) * machine->num_joints * sizeof(md5_transform) + CACHE_LINE;
}

// Joints that no one wants go where poses were: there are more than two of them.
static void make_matrices(const md5_machine *machine, const md5_transform *pose,
                          md5_transform *spare, md5_mat34 *joints, md5_mat34 *palette)
{
    if (palette)
        machine->kernels->finish(machine->model, pose, joints ? joints : (md5_mat34 *)spare,
                                 palette);
    else if (joints)
        md5_local_to_model(&machine->model->skeleton, pose, joints);
}

void md5_player_pose(md5_player *player, void *scratch, md5_transform *pose, md5_mat34 *joints,
                     md5_mat34 *palette)
{
    const md5_machine *const machine = player->machine;
    md5_transform *const spare = align(scratch);
    md5_weigh_all(player);
    md5_blend_layers(player, spare, pose);
    md5_apply_modifiers(player, pose);
    player->since_pose = 0.0;
    make_matrices(machine, pose, spare, joints, palette);
}

// Characters that go together through advancing, blending, modifiers and matrices, each of which is
// as much code as a processor keeps at hand.
enum { TOGETHER = 8 };

// Joints of a pose that ends where another may begin.
static size_t rounded(uint32_t num_joints)
{
    const size_t in_line = CACHE_LINE / sizeof(md5_transform);
    return (num_joints + in_line - 1) / in_line * in_line;
}

size_t md5_play_batch_scratch(const md5_play_job *jobs, size_t count)
{
    size_t most = 0, most_joints = 0;
    for (size_t i = 0; i < count; i++) {
        const md5_machine *const machine = jobs[i].player->machine;
        const size_t size = md5_player_scratch(machine), joints = rounded(machine->num_joints);
        most = size > most ? size : most;
        most_joints = joints > most_joints ? joints : most_joints;
    }
    return most + TOGETHER * most_joints * sizeof(md5_transform);
}

static void play_together(md5_play_job *jobs, size_t count, md5_transform *scratch)
{
    md5_transform *poses[TOGETHER];
    for (size_t i = 0; i < count; i++) {
        md5_play_job *const job = &jobs[i];
        md5_player_advance(job->player, job->seconds, job->events, job->user);
        job->motion = md5_player_root_motion(job->player);
    }
    for (size_t i = 0; i < count; i++) {
        md5_player *const player = jobs[i].player;
        poses[i] = scratch;
        scratch += rounded(player->machine->num_joints);
        md5_weigh_all(player);
        md5_blend_layers(player, scratch, poses[i]);
    }
    for (size_t i = 0; i < count; i++) {
        md5_apply_modifiers(jobs[i].player, poses[i]);
        jobs[i].player->since_pose = 0.0;
    }
    for (size_t i = 0; i < count; i++)
        make_matrices(jobs[i].player->machine, poses[i], scratch, jobs[i].joints, jobs[i].palette);
}

void md5_play_batch(md5_play_job *jobs, size_t count, void *scratch)
{
    md5_transform *const poses = align(scratch);
    for (size_t i = 0; i < count; i += TOGETHER)
        play_together(jobs + i, count - i < TOGETHER ? count - i : TOGETHER, poses);
}
