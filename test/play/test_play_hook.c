// Pose hooks of crowds: they see the pose that one character alone has, and what they change is in
// joints and palettes.
#include "test/play/test_play_case.h"

#include <stdlib.h>
#include <string.h>

enum { CROWD = 37, MOST_CALLS = 64 };

typedef struct crowd {
    play_scene scene;
    md5_player *players[CROWD], *alone[CROWD];
    md5_play_job jobs[CROWD];
    md5_mat34 joints[CROWD][PLAY_JOINTS], palettes[CROWD][PLAY_JOINTS];
    md5_xform seen[CROWD][PLAY_JOINTS];
    uint32_t first[MOST_CALLS], count[MOST_CALLS], num_calls;
} crowd;

// Keeps the poses, and turns a head.
static void hear_poses(void *user, const md5_play_job *jobs, uint32_t count,
                       md5_xform *const *poses)
{
    crowd *const of = user;
    const uint32_t first = (uint32_t)(jobs - of->jobs);
    of->first[of->num_calls] = first;
    of->count[of->num_calls++] = count;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(of->seen[first + i], poses[i], sizeof of->seen[0]);
        poses[i][4].rotation = (md5_quat){0.6f, 0.0f, 0.0f, 0.8f};
    }
}

static void begin(crowd *of)
{
    memset(of, 0, sizeof *of);
    play_scene_begin(&of->scene);
    play_scene_add(&of->scene, 17, 20.0, 0.5, 3);
    play_scene_read(&of->scene, "modifier look aim head layer all { state a a }");
    for (uint32_t i = 0; i < CROWD; i++) {
        md5_player **const both[2] = {&of->players[i], &of->alone[i]};
        for (int k = 0; k < 2; k++) {
            *both[k] = play_player(of->scene.machine);
            md5_player_seek(*both[k], 0, 0, 0.1 * i);
            md5_target *const target = md5_player_target(*both[k], 0);
            *target = (md5_target){.weight = 1.0f, .position = {50.0f, (float)i, 40.0f}};
        }
        of->jobs[i] = (md5_play_job){.player = of->players[i],
                                     .seconds = 0.03,
                                     .joints = of->joints[i],
                                     .palette = of->palettes[i]};
    }
}

static void end(crowd *of)
{
    for (uint32_t i = 0; i < CROWD; i++) {
        md5_destroy_player(of->players[i]);
        md5_destroy_player(of->alone[i]);
    }
    play_scene_end(&of->scene);
}

static void play(crowd *of)
{
    void *const scratch = malloc(md5_play_batch_scratch(of->jobs, CROWD, NULL));
    of->num_calls = 0;
    md5_play_batch(of->jobs, CROWD, NULL, scratch);
    free(scratch);
}

TEST (play_hook_is_between_modifiers_and_matrices) {
    crowd *const of = malloc(sizeof *of);
    begin(of);
    for (uint32_t i = 0; i < CROWD; i++) {
        of->jobs[i].hook = hear_poses;
        of->jobs[i].hook_user = of;
    }
    play(of);
    for (uint32_t i = 0; i < CROWD; i++) {
        md5_xform pose[PLAY_JOINTS];
        md5_mat34 joints[PLAY_JOINTS];
        md5_player_advance(of->alone[i], 0.03, NULL, NULL);
        play_pose(of->alone[i], pose);
        CHECK(memcmp(of->seen[i], pose, sizeof pose) == 0);
        pose[4].rotation = (md5_quat){0.6f, 0.0f, 0.0f, 0.8f};
        md5_local_to_model(&of->scene.made.model->skeleton, pose, joints);
        CHECK(memcmp(of->joints[i], joints, sizeof joints) == 0);
        md5_mat34 palette[PLAY_JOINTS];
        md5_build_palette(of->scene.made.model, joints, palette);
        CHECK(memcmp(of->palettes[i], palette, sizeof palette) == 0);
    }
    end(of);
    free(of);
}

TEST (play_hook_is_called_for_its_jobs_only) {
    crowd *const of = malloc(sizeof *of);
    begin(of);
    play(of);
    CHECK_UINT(of->num_calls, 0);
    md5_mat34 plain[CROWD][PLAY_JOINTS];
    // Twice the same instant, so that the crowd without hooks can be compared.
    for (uint32_t i = 0; i < CROWD; i++)
        of->jobs[i].seconds = 0.0;
    memcpy(plain, of->palettes, sizeof plain);
    for (uint32_t i = 3; i < 20; i++) {
        of->jobs[i].hook = i == 9 ? NULL : hear_poses;
        of->jobs[i].hook_user = of;
    }
    play(of);
    // Jobs are posed 16 at a time; the hook gets 3 to 8, 10 to 15 and 16 to 19.
    static const uint32_t first[] = {3, 10, 16}, count[] = {6, 6, 4};
    if (CHECK_UINT(of->num_calls, 3)) {
        CHECK(memcmp(of->first, first, sizeof first) == 0);
        CHECK(memcmp(of->count, count, sizeof count) == 0);
    }
    for (uint32_t i = 0; i < CROWD; i++) {
        const bool is_hooked = i >= 3 && i < 20 && i != 9;
        CHECK((memcmp(plain[i], of->palettes[i], sizeof plain[i]) != 0) == is_hooked);
    }
    end(of);
    free(of);
}

// For callers that need the poses of a crowd but no matrices.
TEST (play_hook_is_called_without_matrices) {
    crowd *const of = malloc(sizeof *of);
    begin(of);
    for (uint32_t i = 0; i < CROWD; i++) {
        of->jobs[i].joints = of->jobs[i].palette = NULL;
        of->jobs[i].hook = hear_poses;
        of->jobs[i].hook_user = of;
    }
    play(of);
    CHECK_UINT(of->num_calls, 3);
    CHECK(play_is_sound(of->seen[CROWD - 1], PLAY_JOINTS));
    end(of);
    free(of);
}
