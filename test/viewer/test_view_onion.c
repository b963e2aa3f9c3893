// Onion skin: which frames its ghosts show, and that drawing them changes no state.
#include "test/viewer/test_view_shot.h"

#include "demo/viewer/app/input.h"
#include "demo/viewer/draw/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MODEL "models/bobbin/bobbin.md5mesh models/bobbin/jump.md5anim --animation-time 0.4"
#define SIZE " --samples 1 --resolution 160,120 --no-background --grid=no"

static double frame_of(const view_ghost *ghost)
{
    return (double)ghost->moment.frame0 + (double)ghost->moment.fraction;
}

// A clip of 11 frames, ten a second, at frame 4.
TEST (view_ghosts_are_frames_before_and_after) {
    md5_anim anim;
    memset(&anim, 0, sizeof anim);
    anim.num_frames = 11;
    anim.frame_rate = 10.0;
    anim.duration = 1.0;
    view_ghost ghosts[2 * VIEW_MAX_ONION];
    view_play play = {.time = 0.4, .speed = 1.0, .wrap = MD5_WRAP_LOOP};
    const view_onion none = {.count = 0, .step = 3}, two = {.count = 2, .step = 3};
    const double looped[4] = {1, 7, 8, 0}, once[3] = {1, 7, 10};
    CHECK_UINT(view_find_ghosts(&none, &play, &anim, ghosts), 0);
    CHECK_UINT(view_find_ghosts(&two, &play, &anim, ghosts), 4);
    for (int i = 0; i < 4; i++) {
        // The last frame of a loop is the first one: frame 10 is frame 0.
        CHECK_NEAR(fmod(frame_of(&ghosts[i]) + 1e-4, 10.0), looped[i], 2e-3);
        const bool is_blue = ghosts[i].tint.z > ghosts[i].tint.x;
        CHECK(is_blue == (i % 2 == 0));
    }
    CHECK(ghosts[2].tint.w > ghosts[0].tint.w); // farther ones are fainter
    play.wrap = MD5_WRAP_CLAMP;
    CHECK_UINT(view_find_ghosts(&two, &play, &anim, ghosts), 3); // none before the first frame
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(frame_of(&ghosts[i]), once[i], 2e-3);
    anim.num_frames = 1;
    CHECK_UINT(view_find_ghosts(&two, &play, &anim, ghosts), 0);
}

TEST_SCENE (view_ghosts_are_drawn_and_leave_nothing) {
    shot_viewer viewer;
    if (shot_open(&viewer, scene, MODEL SIZE)) {
        view_state *const state = &viewer.state;
        const view_scene *const shown = &state->document->scene;
        shot before = shot_draw(&viewer);
        const md5_vec3 at = md5_mat34_translation(shown->joints[20]);
        view_perform(state, (view_command){.action = VIEW_NEXT_ONION});
        view_perform(state, (view_command){.action = VIEW_NEXT_ONION});
        CHECK_UINT(state->onion.count, 2);
        shot with = shot_draw(&viewer);
        const md5_vec3 still_at = md5_mat34_translation(shown->joints[20]);
        CHECK(memcmp(&at, &still_at, sizeof at) == 0);
        CHECK(shot_cover_of(&with).share > 1.1 * shot_cover_of(&before).share);
        view_perform(state, (view_command){.action = VIEW_NEXT_ONION});
        view_perform(state, (view_command){.action = VIEW_NEXT_ONION});
        CHECK_UINT(state->onion.count, 0);
        shot after = shot_draw(&viewer);
        CHECK(shot_same(&before, &after));
        free(before.rgba);
        free(with.rgba);
        free(after.rgba);
    }
    shot_close(&viewer);
}

// Joints without a model have ghosts too; morph targets deform every ghost.
TEST_SCENE (view_ghosts_of_joints_and_of_morphed_models) {
    shot joints = shot_take(scene, "models/bobbin/jump.md5anim --animation-time 0.4" SIZE);
    shot with = shot_take(scene, "models/bobbin/jump.md5anim --animation-time 0.4 --onion 1" SIZE);
    CHECK(shot_cover_of(&with).share > 1.3 * shot_cover_of(&joints).share);
    free(joints.rgba);
    free(with.rgba);
    shot_viewer viewer;
    if (shot_open(&viewer, scene, MODEL SIZE " --onion 1 --morph oh=1")) {
        shot morphed = shot_draw(&viewer);
        for (uint32_t i = 0; i < viewer.state.document->morphs.morph->num_targets; i++)
            viewer.state.document->morphs.weights[i] = 0.0f;
        shot plain = shot_draw(&viewer);
        CHECK(!shot_same(&morphed, &plain));
        free(morphed.rgba);
        free(plain.rgba);
    }
    shot_close(&viewer);
}
