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

static size_t scratch_of(const md5_machine *machine, size_t num_more)
{
    const size_t pose = machine->num_joints * sizeof(md5_transform);
    return (md5_spare_poses(machine) + num_more) * pose + CACHE_LINE;
}

size_t md5_player_scratch(const md5_machine *machine)
{
    return scratch_of(machine, 0);
}

void md5_player_pose(md5_player *player, void *scratch, md5_transform *pose, md5_mat34 *joints,
                     md5_mat34 *palette)
{
    const md5_machine *const machine = player->machine;
    const md5_model *const model = machine->model;
    md5_transform *const spare = align(scratch);
    md5_weigh_all(player);
    md5_blend_layers(player, spare, pose);
    md5_apply_modifiers(player, pose);
    player->since_pose = 0.0;
    // Joints that no one wants go where poses were: there are more than two of them.
    if (palette)
        machine->kernels->finish(model, pose, joints ? joints : (md5_mat34 *)spare, palette);
    else if (joints)
        md5_local_to_model(&model->skeleton, pose, joints);
}

size_t md5_play_batch_scratch(const md5_play_job *jobs, size_t count)
{
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t size = scratch_of(jobs[i].player->machine, 1);
        most = size > most ? size : most;
    }
    return most;
}

void md5_play_batch(md5_play_job *jobs, size_t count, void *scratch)
{
    md5_transform *const pose = align(scratch);
    for (size_t i = 0; i < count; i++) {
        md5_play_job *const job = &jobs[i];
        md5_player_advance(job->player, job->seconds, job->events, job->user);
        job->motion = md5_player_root_motion(job->player);
        md5_player_pose(job->player, pose + job->player->machine->num_joints, pose, job->joints,
                        job->palette);
    }
}
