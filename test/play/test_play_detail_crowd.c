// Level of detail in crowds: each job gives what its player gives alone, and each frame costs the
// same.
#include "test/play/test_play_case.h"

#include <stdlib.h>
#include <string.h>

enum { CROWD = 70 };

typedef struct crowd {
    play_scene scene;
    md5_player *players[CROWD], *alone[CROWD];
    md5_play_job jobs[CROWD];
    md5_mat34 joints[CROWD][PLAY_JOINTS], palettes[CROWD][PLAY_JOINTS];
    uint32_t num_hooked;
} crowd;

// Moves a hand by the number of the job.
static void hook(void *user, const md5_play_job *jobs, uint32_t count, md5_xform *const *poses)
{
    crowd *const of = user;
    of->num_hooked += count;
    for (uint32_t i = 0; i < count; i++) {
        CHECK(jobs[i].is_computed || !jobs[i].keeps_matrices);
        poses[i][6].translation.x += (float)(jobs + i - of->jobs);
    }
}

static crowd *begin_crowd(void)
{
    static const md5_state_desc states[] = {{"a", "a"}};
    static const md5_layer_desc layer = {.name = "all", ROWS(states, states)};
    static const md5_mask_desc trunk = {"trunk", "chest", 0};
    static const md5_modifier_desc look = {
        .name = "look", .kind = MD5_MODIFIER_AIM, .joint = "head"};
    crowd *const of = calloc(1, sizeof *of);
    play_scene_begin(&of->scene);
    play_scene_add(&of->scene, 17, 20.0, 0.5, 3);
    play_scene_play(&of->scene, &(md5_machine_desc){ROW(layers, layer), ROW(masks, trunk),
                                                    ROW(modifiers, look)});
    for (uint32_t i = 0; i < CROWD; i++) {
        md5_player **const both[2] = {&of->players[i], &of->alone[i]};
        for (int k = 0; k < 2; k++) {
            *both[k] = play_player(of->scene.machine);
            md5_player_seek(*both[k], 0, 0, 0.1 * i);
            *md5_player_target(*both[k], 0) =
                (md5_target){.weight = 1.0f, .position = {50.0f, (float)i, 40.0f}};
            const md5_detail detail = {
                .mask = i % 3 == 0 ? "trunk" : NULL, .interval = i % 5, .phase = i};
            CHECK(md5_player_set_detail(*both[k], &detail));
        }
        of->jobs[i] = (md5_play_job){.player = of->players[i],
                                     .seconds = 0.03,
                                     .hook = i % 7 < 3 ? hook : NULL,
                                     .hook_user = of,
                                     .joints = of->joints[i],
                                     .palette = of->palettes[i]};
    }
    return of;
}

static void end_crowd(crowd *of)
{
    for (uint32_t i = 0; i < CROWD; i++) {
        md5_destroy_player(of->players[i]);
        md5_destroy_player(of->alone[i]);
    }
    play_scene_end(&of->scene);
    free(of);
}

static void play_crowd(crowd *of)
{
    void *const scratch = malloc(md5_play_batch_scratch(of->jobs, CROWD, NULL));
    of->num_hooked = 0;
    md5_play_batch(of->jobs, CROWD, NULL, scratch);
    free(scratch);
}

// Compares a job with its player alone, whose pose is changed as the hook changes it.
static bool is_as_alone(const crowd *of, uint32_t number, void *scratch)
{
    const md5_model *const model = of->scene.made.model;
    const md5_play_job *const job = &of->jobs[number];
    md5_xform pose[PLAY_JOINTS];
    md5_mat34 joints[PLAY_JOINTS], palette[PLAY_JOINTS];
    md5_player_advance(of->alone[number], job->seconds, NULL, NULL);
    const bool is_computed = md5_player_pose(of->alone[number], pose, NULL, NULL, scratch);
    if (job->hook)
        pose[6].translation.x += (float)number;
    md5_local_to_model(&model->skeleton, pose, joints);
    md5_build_palette(model, joints, palette);
    return CHECK(job->is_computed == is_computed)
           && CHECK(memcmp(of->joints[number], joints, sizeof joints) == 0)
           && CHECK(memcmp(of->palettes[number], palette, sizeof palette) == 0);
}

TEST (detail_of_a_crowd_is_that_of_each) {
    crowd *const of = begin_crowd();
    void *const scratch = malloc(md5_player_pose_scratch(of->scene.machine));
    uint32_t num_hooks = 0;
    for (uint32_t i = 0; i < CROWD; i++)
        num_hooks += of->jobs[i].hook != NULL;
    for (int frame = 0; frame < 9; frame++) {
        play_crowd(of);
        CHECK_UINT(of->num_hooked, num_hooks);
        for (uint32_t i = 0; i < CROWD; i++)
            is_as_alone(of, i, scratch);
    }
    free(scratch);
    end_crowd(of);
}

TEST (detail_of_a_crowd_leaves_kept_matrices_alone) {
    crowd *const of = begin_crowd();
    play_crowd(of);
    for (uint32_t i = 0; i < CROWD; i++)
        of->jobs[i].keeps_matrices = true;
    md5_mat34 *const before = malloc(sizeof of->palettes);
    for (int frame = 0; frame < 9; frame++) {
        uint32_t num_hooks = 0;
        memcpy(before, of->palettes, sizeof of->palettes);
        memset(of->joints, 0, sizeof of->joints);
        play_crowd(of);
        for (uint32_t i = 0; i < CROWD; i++) {
            const bool is_computed = of->jobs[i].is_computed;
            CHECK((memcmp(&before[i * PLAY_JOINTS], of->palettes[i], sizeof of->palettes[i]) != 0)
                  == is_computed);
            CHECK((of->joints[i][0].m[0] != 0.0f) == is_computed);
            num_hooks += of->jobs[i].hook && is_computed;
        }
        CHECK_UINT(of->num_hooked, num_hooks);
    }
    free(before);
    end_crowd(of);
}

// The detail is set in every frame, and changes for some players.
TEST (detail_of_a_crowd_costs_the_same_in_each_frame) {
    crowd *const of = begin_crowd();
    for (int frame = 0; frame < 40; frame++) {
        uint32_t num_computed = 0;
        for (uint32_t i = 0; i < 64; i++)
            md5_player_set_detail(of->players[i], &(md5_detail){.interval = 4, .phase = i});
        for (uint32_t i = 0; i < 4; i++) // they come near, and go again
            md5_player_set_detail(of->players[i], frame / 10 % 2 ? NULL : &(md5_detail){0});
        play_crowd(of);
        for (uint32_t i = 4; i < 64; i++)
            num_computed += of->jobs[i].is_computed;
        CHECK_UINT(num_computed, frame == 0 ? 60 : 15);
    }
    end_crowd(of);
}
