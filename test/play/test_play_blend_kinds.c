// Blending of clips where other implementations have had errors: signs of rotations, references of
// differences, synchronisation, interpolation.
#include "test/play/test_play_case.h"

#include <math.h>
#include <string.h>

#define NEAR 3e-5

// q and -q are the same rotation. A file may contain either.
static void flip_signs(md5_anim *anim, uint64_t *random)
{
    md5_quat *const rotations = (md5_quat *)anim->rotations;
    for (uint32_t i = 0; i < anim->num_frames * anim->num_rotations; i++) {
        if (test_random_u32(random) % 2 == 0)
            continue;
        const md5_quat q = rotations[i];
        rotations[i] = (md5_quat){-q.x, -q.y, -q.z, -q.w};
    }
}

// A player of two layers: one that fades from clip a to b, one that adds c.
static void begin_signs(play_scene *of, bool flips)
{
    uint64_t random = 3;
    play_scene_begin(of);
    for (uint32_t i = 0; i < 3; i++) {
        play_scene_add(of, 25, 24.0, 0.6, 41 + i);
        if (flips)
            flip_signs(of->made.anims[i], &random);
    }
    const md5_state_desc states[] = {{"a", "a"}, {"b", "b"}, {"c", "c"}};
    const md5_layer_desc layers[] = {
        {.name = "body", ROWS(states, states)},
        {.name = "more",
         ROWS(states, states),
         .mode = MD5_LAYER_ADD,
         .weight = 0.5f,
         .reference = "c"},
    };
    play_scene_play(of, &(md5_machine_desc){ROWS(layers, layers)});
}

TEST (blend_kinds_know_no_signs) {
    for (int fade = 0; fade < 2; fade++) {
        play_scene plain, flipped;
        begin_signs(&plain, false);
        begin_signs(&flipped, true);
        for (int i = 0; i < 200; i++) {
            play_scene *const both[2] = {&plain, &flipped};
            md5_xform pose[2][PLAY_JOINTS];
            for (int k = 0; k < 2; k++) {
                if (i % 37 == 5)
                    md5_player_fade_to(both[k]->player, (uint32_t)(i % 2), (uint32_t)(i % 3), 0.4f,
                                       (md5_fade)fade, MD5_EASE_SMOOTH);
                md5_player_advance(both[k]->player, 0.02, NULL, NULL);
                play_pose(both[k]->player, pose[k]);
            }
            // Offsets are found from speeds, which magnify rounding by 256 a second.
            CHECK(play_pose_distance(pose[0], pose[1]) < (fade ? 2e-3 : NEAR));
        }
        play_scene_end(&plain);
        play_scene_end(&flipped);
    }
}

// A clip as a difference, added to its reference, gives the clip itself.
TEST_WITH (blend_kinds_add_to_the_reference, play_scene, of, play_scene_begin(of),
           play_scene_end(of)) {
    play_scene_add(of, 25, 24.0, 0.9, 51);
    play_scene_add(of, 25, 24.0, 0.9, 52);
    const md5_parameter_desc parameters[] = {{"still", MD5_PARAMETER_FLOAT, 0.0f}};
    const md5_motion_desc motions[] = {{.name = "still",
                                        .kind = MD5_MOTION_CLIP,
                                        .clip = "a",
                                        .start = 0.25,
                                        .speed_parameter = "still"}};
    const md5_state_desc base[] = {{"still", "still"}}, more[] = {{"b", "b"}};
    const md5_layer_desc layers[] = {
        {.name = "body", ROWS(states, base)},
        {.name = "more",
         ROWS(states, more),
         .mode = MD5_LAYER_ADD,
         .reference = "a",
         .reference_frame = 6},
    };
    play_scene_play(of, &(md5_machine_desc){ROWS(motions, motions), ROWS(parameters, parameters),
                                            ROWS(layers, layers)});
    for (int i = 0; i < 60; i++) {
        md5_xform pose[PLAY_JOINTS];
        play_real expected[PLAY_JOINTS];
        play_pose(of->player, pose);
        play_real_sample(of->made.anims[1], fmod(0.03 * i, 1.0) * 24.0, expected);
        CHECK(play_distance(pose, expected) < NEAR);
        md5_player_advance(of->player, 0.03, NULL, NULL);
    }
}

// Left foot with left foot, and right with right: half way between two clips of 20 and 30
// intervals, whose markers divide them differently.
TEST_WITH (blend_kinds_synchronise_by_markers, play_scene, of, play_scene_begin(of),
           play_scene_end(of)) {
    static const uint32_t feet[2][2] = {{2, 10}, {3, 21}};
    play_scene_add(of, 21, 20.0, 0.5, 61);
    play_scene_add(of, 31, 20.0, 0.5, 62);
    for (int i = 0; i < 2; i++) {
        of->clips[i].markers = feet[i];
        of->clips[i].num_markers = 2;
    }
    const md5_parameter_desc parameters[] = {{"x", MD5_PARAMETER_FLOAT, 0.5f}};
    const md5_motion_item items[] = {{.motion = "a", .x = 0.0f}, {.motion = "b", .x = 1.0f}};
    const md5_motion_desc motions[] = {{.name = "go",
                                        .kind = MD5_MOTION_BLEND_1D,
                                        .sync = MD5_SYNC_MARKERS,
                                        .x_parameter = "x",
                                        ROWS(items, items)}};
    const md5_state_desc states[] = {{"go", "go"}};
    const md5_transition_desc transitions[] = {
        {.from = "go", .to = "go", .waits = true, .exit = 1.25f}};
    const md5_layer_desc layers[] = {
        {.name = "body", ROWS(states, states), ROWS(transitions, transitions)}};
    play_scene_play(of, &(md5_machine_desc){ROWS(motions, motions), ROWS(parameters, parameters),
                                            ROWS(layers, layers)});
    // Seconds from left to right foot, and on to the left one: at the mean of the two speeds.
    const double to_right = 2.0 / (20.0 / 8.0 + 20.0 / 18.0);
    const double to_left = 2.0 / (20.0 / 12.0 + 20.0 / 12.0);
    // It begins at the first frame of the walk, which is 10 of 12 parts on the way to the left
    // foot.
    const double first = to_left * 2.0 / 12.0;
    const double moments[4] = {first, first + to_right, first + 0.5 * to_right,
                               first + to_right + 0.25 * to_left};
    const double frames[4][2] = {{2.0, 3.0}, {10.0, 21.0}, {6.0, 12.0}, {13.0, 24.0}};
    for (int i = 0; i < 4; i++) {
        md5_xform pose[PLAY_JOINTS];
        play_real expected[PLAY_JOINTS], run[PLAY_JOINTS];
        md5_player_reset(of->player);
        md5_player_advance(of->player, moments[i], NULL, NULL);
        play_pose(of->player, pose);
        play_real_sample(of->made.anims[0], frames[i][0], expected);
        play_real_sample(of->made.anims[1], frames[i][1], run);
        play_real_blend(expected, run, 0.5, NULL, expected);
        CHECK(play_distance(pose, expected) < NEAR);
        CHECK_NEAR(md5_player_layer(of->player, 0).time, frames[i][0] / 20.0, 1e-6);
    }
    // The walk reaches 1.25 at the predicted time, although its speed changes: frame 5 is three of
    // eight parts on the way to the right foot.
    md5_player_reset(of->player);
    md5_player_advance(of->player, first + to_right + to_left + 3.0 / 8.0 * to_right - 0.01, NULL,
                       NULL);
    CHECK_NEAR(md5_player_layer(of->player, 0).time, 1.25, 0.03);
    CHECK(md5_player_layer(of->player, 0).time < 1.25);
    md5_player_advance(of->player, 0.01 + to_left / 12.0, NULL, NULL);
    CHECK_NEAR(md5_player_layer(of->player, 0).time, 0.05, 1e-6);
}

// Steps hold each frame; curves are those of md5_sample(), whatever the clip does at its end.
TEST (blend_kinds_interpolate) {
    for (int kind = 0; kind < 5; kind++) {
        static const md5_wrap wraps[5] = {MD5_WRAP_LOOP, MD5_WRAP_CYCLE, MD5_WRAP_CLAMP,
                                          MD5_WRAP_LOOP, MD5_WRAP_LOOP};
        const bool steps = kind == 3, is_nlerp = kind == 4;
        play_scene of;
        play_scene_begin(&of);
        play_scene_add(&of, 9, 8.0, 0.9, 71);
        of.clips[0].period = kind == 1 ? MD5_PERIOD_OPEN : MD5_PERIOD_CLOSED;
        of.clips[0].interpolation = is_nlerp ? MD5_INTERPOLATE_NLERP
                                    : steps  ? MD5_INTERPOLATE_STEP
                                             : MD5_INTERPOLATE_CUBIC;
        const md5_motion_desc motions[] = {
            {.name = "once", .kind = MD5_MOTION_CLIP, .clip = "a", .mode = MD5_PLAY_ONCE}};
        const md5_state_desc states[] = {{"a", kind == 2 ? "once" : "a"}};
        const md5_layer_desc layers[] = {{.name = "body", ROWS(states, states)}};
        play_scene_play(&of, &(md5_machine_desc){ROWS(motions, motions), ROWS(layers, layers)});
        for (int i = 0; i < 100; i++) {
            md5_xform pose[PLAY_JOINTS], expected[PLAY_JOINTS];
            const double seconds = i / 64.0; // exact, and so the same bits
            md5_moment moment = md5_moment_at(of.made.anims[0], seconds, wraps[kind]);
            moment.interpolation = of.clips[0].interpolation;
            md5_sample(of.made.bindings[0], moment, MD5_ROOT_FILE, expected);
            play_pose(of.player, pose);
            CHECK(play_pose_distance(pose, expected) < 1e-5);
            md5_player_advance(of.player, 1.0 / 64.0, NULL, NULL);
        }
        play_scene_end(&of);
    }
}

// The items of a plane in any order of the table.
TEST (blend_kinds_of_a_plane_know_no_order) {
    enum { ITEMS = 5, ORDERS = 120 };
    static const md5_parameter_desc parameters[] = {{"x", MD5_PARAMETER_FLOAT, 0.2f},
                                                    {"y", MD5_PARAMETER_FLOAT, 0.1f}};
    static const char *const names[ITEMS] = {"a", "b", "c", "d", "e"};
    static const float places[ITEMS][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {0, 0}};
    md5_xform first[PLAY_JOINTS], pose[PLAY_JOINTS];
    play_scene of;
    play_scene_begin(&of);
    for (uint32_t i = 0; i < ITEMS; i++)
        play_scene_add(&of, 25, 24.0, 1.2, 81 + i);
    for (uint32_t order = 0; order < ORDERS; order++) {
        md5_motion_item items[ITEMS];
        uint32_t left[ITEMS] = {0, 1, 2, 3, 4}, rest = order;
        for (uint32_t i = 0; i < ITEMS; i++) {
            const uint32_t taken = rest % (ITEMS - i), item = left[taken];
            rest /= ITEMS - i;
            left[taken] = left[ITEMS - 1 - i];
            items[i] = (md5_motion_item){
                .motion = names[item], .x = places[item][0], .y = places[item][1]};
        }
        const md5_motion_desc plane = {.name = "go",
                                       .kind = MD5_MOTION_BLEND_2D,
                                       .x_parameter = "x",
                                       .y_parameter = "y",
                                       ROWS(items, items)};
        const md5_state_desc state = {"go", "go"};
        const md5_layer_desc layer = {.name = "body", ROW(states, state)};
        play_scene_play(&of, &(md5_machine_desc){ROWS(parameters, parameters), ROW(motions, plane),
                                                 ROW(layers, layer)});
        md5_player_advance(of.player, 0.4, NULL, NULL);
        play_pose(of.player, order == 0 ? first : pose);
        CHECK(order == 0 || play_pose_distance(first, pose) < 1e-6);
        md5_destroy_player(of.player);
        md5_destroy_machine(of.machine);
    }
    play_end(&of.made);
}
