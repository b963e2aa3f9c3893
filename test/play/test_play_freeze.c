// A pose that is frozen again and again, because transitions interrupt each other for hours, stays
// a pose: rounding errors do not accumulate.
#include "test/play/test_play_case.h"

static void check_endless_interruption(md5_layer_mode mode)
{
    enum { CHANGES = 20000, CHECKED = 1000 };
    play_scene of;
    play_scene_begin(&of);
    play_scene_add(&of, 25, 24.0, 1.0, 3);
    play_scene_add(&of, 31, 24.0, 1.0, 4);
    const md5_state_desc states[] = {{"a", "a"}, {"b", "b"}};
    const md5_layer_desc layers[] = {{.name = "body", .states = states, .num_states = 1},
                                     {.name = "tested", .mode = mode, ROWS(states, states)}};
    play_scene_play(&of, &(md5_machine_desc){ROWS(layers, layers)});
    for (uint32_t i = 0; i < CHANGES; i++) {
        md5_xform pose[PLAY_JOINTS];
        CHECK(md5_player_fade_to(of.player, 1, i % 2, 10.0f, MD5_FADE_CROSS, MD5_EASE_LINEAR));
        md5_player_advance(of.player, 1e-4, NULL, NULL);
        if (i % CHECKED != 0)
            continue;
        play_pose(of.player, pose);
        if (!CHECK(play_is_sound(pose, PLAY_JOINTS)))
            break;
    }
    play_scene_end(&of);
}

TEST (rotations_stay_unit_length_while_transitions_interrupt_each_other) {
    check_endless_interruption(MD5_LAYER_OVERRIDE);
    check_endless_interruption(MD5_LAYER_ADD);
}
