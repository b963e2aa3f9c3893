// Tests of the assertions of md5play.h and md5pose.h: an invalid call ends the program with a
// message that contains the function and the argument.
#include "test/misuse.h"
#include "test/play/test_play_case.h"

#if !defined(NDEBUG)

static md5_xform poses[3 * PLAY_JOINTS];
static md5_mat34 matrices[2 * PLAY_JOINTS];
static unsigned char scratch[1 << 16];

TEST_PLAY (reserved_member_of_each_kind_of_table_is_an_error, play_scene_begin(fixture)) {
    const md5_clip_desc clip = {.reserved = {[2] = 1}};
    const md5_slot_desc slot = {.reserved = {[1] = 1}};
    const md5_one_shot_desc one_shot = {.reserved = {[1] = 1}};
    const md5_motion_item item = {.reserved = {[2] = 1}};
    const md5_motion_desc motions[] = {{.reserved = {[3] = 1}}, {ROW(items, item)}};
    const md5_transition_desc transition = {.reserved = {[1] = 1}};
    const md5_layer_desc layers[] = {{.reserved = {[2] = 1}}, {ROW(transitions, transition)}};
    const md5_modifier_gaze gaze = {.reserved = {[3] = 1}};
    const md5_modifier_hold hold = {.reserved = {[3] = 1}};
    const md5_modifier_desc modifier = {.reserved = {[0] = 1}};
    const md5_modifier_desc looking = {.gaze = &gaze};
    const md5_modifier_desc holding = {.hold = &hold};
    const md5_morph_desc morph = {.reserved = {[1] = 1}};
    const md5_machine_desc errors[] = {
        {.reserved = {[2] = 1}},    {ROW(clips, clip)},        {ROW(motions, motions[0])},
        {ROW(motions, motions[1])}, {ROW(layers, layers[0])},  {ROW(layers, layers[1])},
        {ROW(modifiers, modifier)}, {ROW(modifiers, looking)}, {ROW(modifiers, holding)},
        {ROW(morphs, morph)},       {ROW(slots, slot)},        {ROW(one_shots, one_shot)},
    };
    for (size_t i = 0; i < COUNT_OF(errors); i++) {
        const md5_machine_desc *const error = &errors[i];
        md5_machine_desc desc = *error;
        desc.model = fixture->assets.model;
        MISUSE("md5_create_machine(): desc: reserved members",
               md5_create_machine(&desc, NULL, NULL));
    }
}

TEST_PLAY (errors_with_players_and_poses_are_reported_with_function_and_argument,
           play_scene_begin(fixture)) {
    play_scene_add(fixture, 25, 24, 1, 3);
    const md5_state_desc state = {.name = "a", .motion = "a"};
    const md5_layer_desc layer = {.name = "body", ROW(states, state)};
    play_scene_play(fixture, &(md5_machine_desc){ROW(layers, layer)});
    MISUSE("md5_player_advance(): player: must not be NULL", play_advance(NULL, 0.1));
    MISUSE("md5_player_fade_to(): easing: must be an easing without parameters",
           md5_player_fade_to(fixture->player, 0, 0, 0.1f, MD5_FADE_CROSS, MD5_EASE_CUBIC_BEZIER));
    MISUSE("md5_player_play_one_shot(): mode: must be a value of md5_layer_mode",
           PLAY_ONE_SHOT(fixture->player, 0, 0, .mode = (md5_layer_mode)2));
    MISUSE("md5_player_play_one_shot(): fade_in_easing: must have a kind of md5_ease_kind and a "
           "jump of md5_jump",
           {
               const md5_easing curve = {.kind = (md5_ease_kind)99};
               PLAY_ONE_SHOT(fixture->player, 0, 0, .fade_in_easing = curve);
           });
    MISUSE("md5_player_play_one_shot(): fade_out_easing: must have a kind of md5_ease_kind and a "
           "jump of md5_jump",
           {
               const md5_easing curve = {.jump = (md5_jump)9};
               PLAY_ONE_SHOT(fixture->player, 0, 0, .fade_out_easing = curve);
           });
    MISUSE("md5_player_one_shot_section(): change: must be a value of md5_section_change",
           md5_player_one_shot_section(fixture->player, 0, "a", (md5_section_change)4));
    MISUSE("md5_player_set_detail(): player: must not be NULL",
           md5_player_set_detail(test_null(), NULL));
    MISUSE("md5_player_seed(): player: must not be NULL", md5_player_seed(test_null(), 0));
    MISUSE("md5_player_gaze(): player: must not be NULL", md5_player_gaze(test_null(), 0));
    MISUSE("md5_player_pose(): pose: must not be NULL",
           md5_player_pose(fixture->player, NULL, NULL, NULL, scratch));
    MISUSE("md5_player_morphs(): player: must not be NULL", {
        float weights[1];
        md5_player_morphs(test_null(), weights);
    });
    MISUSE("md5_player_pose(): joints, palette: must not overlap",
           md5_player_pose(fixture->player, poses, matrices, matrices + 1, scratch));
    MISUSE("md5_play_batch(): jobs[i].player: must not be NULL", {
        md5_play_job job = {0};
        md5_play_batch(&job, 1, NULL, scratch);
    });
    MISUSE("md5_find_layer(): machine: must not be NULL", md5_find_layer(NULL, "body"));
    MISUSE("md5_create_machine(): desc: must not be NULL",
           md5_create_machine(test_null(), NULL, NULL));
    MISUSE("md5_joint_in_model(): joint: must be an index",
           md5_joint_in_model(&fixture->assets.model->skeleton, poses, PLAY_JOINTS));
    MISUSE("md5_solve_aim(): job: must not be NULL",
           md5_solve_aim(&fixture->assets.model->skeleton, test_null(), poses));
    MISUSE("md5_solve_spring(): state: must not be NULL", {
        const md5_spring_job job = {.tip = 4, .length = 2, .is_first = true};
        md5_solve_spring(&fixture->assets.model->skeleton, &job, poses);
    });
    MISUSE("md5_mirror_pose(): mirrored, pose: must not overlap", {
        static uint32_t mirror[PLAY_JOINTS];
        md5_mirror_pose(fixture->assets.model, mirror, poses, poses + 1);
    });
    MISUSE("md5_build_mask(): patterns: must not be NULL", {
        static float weights[PLAY_JOINTS];
        md5_build_mask(&fixture->assets.model->skeleton, NULL, 0, weights, NULL);
    });
    MISUSE("md5_player_play_one_shot(): desc: reserved members must be 0",
           PLAY_ONE_SHOT(fixture->player, 0, 0, .reserved = {1}));
    MISUSE("md5_create_player(): allocator: alloc and free must both",
           md5_create_player(fixture->machine, &(md5_allocator){.free = test_heap_free}, NULL));
}

#endif
