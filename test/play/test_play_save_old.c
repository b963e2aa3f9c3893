// A saved player of version 2 of the format, in which one-shots had one easing without parameters
// for both fades: its bytes, written by the library as it was then, are still restored.
#include "test/play/test_play_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const md5_parameter_desc parameters[2] = {{"speed", MD5_PARAMETER_FLOAT, 0.0f},
                                                 {"armed", MD5_PARAMETER_BOOL, 0.0f}};
static const md5_follow_desc follow = {
    .parameter = "speed", .kind = MD5_FOLLOW_EASE, .duration = 0.5f, .easing = MD5_EASE_SMOOTH};
static const md5_mask_desc mask = {"upper", "*spine", 2};
static const md5_state_desc states[2] = {{"low", "a"}, {"high", "b"}};
static const md5_condition is_armed = {"armed", MD5_IS_SET, 0.0f};
static const md5_transition_desc rise = {
    .from = "low",
    .to = "high",
    .conditions = &is_armed,
    .num_conditions = 1,
    .duration = 0.5f,
    .easing = MD5_EASE_CUBIC_BEZIER,
    .curve = {.x1 = 0.25f, .y1 = 0.125f, .x2 = 0.25f, .y2 = 1}};
static const md5_layer_desc layer = {
    .name = "body", .states = states, .transitions = &rise, .num_states = 2, .num_transitions = 1};
static const md5_modifier_desc look = {
    .name = "look", .kind = MD5_MODIFIER_AIM, .joint = "head", .length = 3};

static void begin(play_scene *of)
{
    const md5_machine_desc desc = {
        .name = "old",
        .masks = &mask,
        .parameters = parameters,
        .layers = &layer,
        .modifiers = &look,
        .num_masks = 1,
        .num_parameters = 2,
        .num_layers = 1,
        .num_modifiers = 1,
        .follows = &follow,
        .num_follows = 1,
        .max_shots = 2,
    };
    play_scene_begin(of);
    play_scene_add(of, 11, 10.0, 0.3, 1);
    play_scene_add(of, 17, 20.0, 0.4, 2);
    play_scene_play(of, &desc);
}

// What the player had done when it was saved: it is in a transition, a parameter is following its
// goal, and three one-shots play, of which one is being replaced and one is being stopped.
static void act(md5_player *player)
{
    md5_player_set(player, 0, 2.0f);
    md5_player_set(player, 1, 1.0f);
    md5_target *const target = md5_player_target(player, 0);
    target->weight = 0.5f;
    target->position = (md5_vec3){20.0f, 5.0f, 60.0f};
    md5_player_advance(player, 0.125, NULL, NULL);
    md5_player_play(player, 0, 1,
                    &(md5_shot_desc){.mask = "upper",
                                     .weight = 0.75f,
                                     .fade_in = 0.25f,
                                     .fade_out = 0.5f,
                                     .easing = MD5_EASE_SMOOTH});
    md5_player_play(player, 1, 0,
                    &(md5_shot_desc){.mode = MD5_LAYER_ADD,
                                     .speed = -1.0f,
                                     .end = MD5_SHOT_HOLDS,
                                     .fade_in = 0.125f,
                                     .easing = MD5_EASE_CUBIC_OUT});
    md5_player_advance(player, 0.125, NULL, NULL);
    md5_player_play(
        player, 0, 0,
        &(md5_shot_desc){
            .fade_in = 0.5f, .easing = MD5_EASE_QUADRATIC_IN, .end = MD5_SHOT_LOOPS, .start = 0.5});
    md5_player_stop(player, 1, 0.25f);
    md5_player_advance(player, 0.0625, NULL, NULL);
}

// What that library's md5_player_save() wrote then, in hexadecimal.
static const char saved[] =
    "4d355053020000007a72686d79a899f3010100000000000000d43f000000000000000000000000000000"
    "000000000000000000000000000000f03f00000000000000000000000000000000000000000000000000"
    "000000ffffffff01000000000000000000000000000000000000af3f0000803f00000040000000000000"
    "0000000000000000d43f0000003f0000a0410000a040000070420000000000000000000000000000803f"
    "000000000000000000000000000000000000ffffffff0200000000000000ffffffff0000000000000000"
    "00000000000000000000d43f000000000000000000000000000000000000000000000000000000000000"
    "0000d43f000100000000000000210000000000000000000000000000000000d43f000000000000e03f01"
    "0000000000000000000000000000000000000000000000d93f0002000000010000000100000000000000"
    "000000000100000000000000000000000000403f000000000000f43f000000000000e03f000000000000"
    "d03f01000000020000000000000000000000000000000000ce3f00000000000000c83f00010000803f00"
    "0000000000b03f000000000000e03f0000000001000000ffffffff000000000000000000000000020000"
    "000000803f000000000000f03f0000000000000000000000000000e03f02000000000000000000000000"
    "000000000000000000e23f00000000000000b03f00000000803f010000000000000001000000ffffffff"
    "010000000000000000000000010000000000803f000000000000f0bf0000000000000000000000000000"
    "c03f06000000060000000000000000000000000000000000ea3f00000000000000c83f00010000803f00"
    "0000000000b03f000000000000d03f";

enum { SAVED_SIZE = (sizeof saved - 1) / 2 };

static void read_saved(uint8_t bytes[SAVED_SIZE])
{
    for (size_t i = 0; i < SAVED_SIZE; i++) {
        const char digits[3] = {saved[2 * i], saved[2 * i + 1], '\0'};
        bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
}

static double distance_now(md5_player *a, md5_player *b)
{
    md5_transform poses[2][PLAY_JOINTS];
    play_pose(a, poses[0]);
    play_pose(b, poses[1]);
    return play_pose_distance(poses[0], poses[1]);
}

TEST (saved_player_of_version_2_is_restored) {
    play_scene old, same;
    uint8_t bytes[SAVED_SIZE];
    begin(&old);
    begin(&same);
    act(same.player);
    read_saved(bytes);
    md5_error error = {0};
    if (!CHECK(md5_player_restore(old.player, bytes, sizeof bytes, &error)))
        printf("%s\n", error.message);
    for (int step = 0; step < 20; step++) {
        CHECK(distance_now(old.player, same.player) == 0.0);
        for (uint32_t slot = 0; slot < 2; slot++) {
            const md5_shot_status a = md5_player_shot(old.player, slot);
            const md5_shot_status b = md5_player_shot(same.player, slot);
            CHECK(a.is_playing == b.is_playing && a.is_stopping == b.is_stopping);
            CHECK(a.clip == b.clip && a.time == b.time && a.weight == b.weight);
        }
        CHECK(md5_player_get(old.player, 0) == md5_player_get(same.player, 0));
        md5_player_advance(old.player, 0.0625, NULL, NULL);
        md5_player_advance(same.player, 0.0625, NULL, NULL);
    }
    play_scene_end(&old);
    play_scene_end(&same);
}

// Saved again, the player is in the new version, and nothing is lost.
TEST (saved_player_of_version_2_is_saved_in_the_newest) {
    play_scene of, other;
    uint8_t bytes[SAVED_SIZE], again[2 * SAVED_SIZE];
    begin(&of);
    begin(&other);
    read_saved(bytes);
    CHECK(md5_player_restore(of.player, bytes, sizeof bytes, NULL));
    const size_t size = md5_player_save(of.player, again, sizeof again);
    CHECK(size > sizeof bytes);
    CHECK_UINT(again[4], 5);
    CHECK(md5_player_restore(other.player, again, size, NULL));
    CHECK(distance_now(of.player, other.player) == 0.0);
    play_scene_end(&of);
    play_scene_end(&other);
}

// In version 2 easings have no parameters; its players have neither more nor fewer bytes.
TEST (saved_player_of_version_2_is_checked) {
    play_scene of;
    uint8_t bytes[SAVED_SIZE + 1] = {0};
    md5_error error;
    begin(&of);
    read_saved(bytes);
    CHECK(!md5_player_restore(of.player, bytes, SAVED_SIZE + 1, &error));
    CHECK_UINT(error.status, MD5_ERROR_SYNTAX);
    CHECK(!md5_player_restore(of.player, bytes, SAVED_SIZE - 1, &error));
    CHECK_UINT(error.status, MD5_ERROR_SYNTAX);
    // The last one-shot's two easings come before its clock, 55 bytes from the end.
    const size_t easing = SAVED_SIZE - 55;
    for (size_t i = 0; i < 2; i++) {
        CHECK_UINT(bytes[easing + 4 * i], MD5_EASE_CUBIC_OUT);
        bytes[easing + 4 * i] = MD5_EASE_CUBIC_BEZIER;
        CHECK(!md5_player_restore(of.player, bytes, SAVED_SIZE, &error));
        CHECK_UINT(error.status, MD5_ERROR_RANGE);
        bytes[easing + 4 * i] = MD5_EASE_CUBIC_OUT;
    }
    // Version 1 is too old.
    bytes[4] = 1;
    CHECK(!md5_player_restore(of.player, bytes, SAVED_SIZE, &error));
    CHECK_STRING(
        error.message,
        "the player was saved in version 1 of the format, but versions 2 to 5 can be read");
    play_scene_end(&of);
}
