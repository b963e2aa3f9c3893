// Saved players of old versions of the format: their bytes, written by the library as it was then,
// are still restored. In version 2 one-shots had one easing without parameters for both fades. In
// version 5 inertial transitions left the root's velocity, and a spring's was the present one.
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
    ROW(conditions, is_armed),
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
        ROW(follows, follow),
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
    md5_player_play_shot(player, 0, 1,
                         &(md5_shot_desc){.mask = "upper",
                                          .weight = 0.75f,
                                          .fade_in = 0.25f,
                                          .fade_out = 0.5f,
                                          .easing = MD5_EASE_SMOOTH});
    md5_player_play_shot(player, 1, 0,
                         &(md5_shot_desc){.mode = MD5_LAYER_ADD,
                                          .speed = -1.0f,
                                          .end = MD5_SHOT_HOLDS,
                                          .fade_in = 0.125f,
                                          .easing = MD5_EASE_CUBIC_OUT});
    md5_player_advance(player, 0.125, NULL, NULL);
    md5_player_play_shot(
        player, 0, 0,
        &(md5_shot_desc){
            .fade_in = 0.5f, .easing = MD5_EASE_QUADRATIC_IN, .end = MD5_SHOT_LOOPS, .start = 0.5});
    md5_player_stop_shot(player, 1, 0.25f);
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

static void read_saved(const char *text, size_t size, uint8_t *bytes)
{
    for (size_t i = 0; i < size; i++) {
        const char digits[3] = {text[2 * i], text[2 * i + 1], '\0'};
        bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
}

static double distance_now(md5_player *a, md5_player *b)
{
    md5_xform poses[2][PLAY_JOINTS];
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
    read_saved(saved, SAVED_SIZE, bytes);
    md5_error error = {0};
    if (!CHECK(md5_player_restore(old.player, bytes, sizeof bytes, &error)))
        printf("%s\n", error.message);
    for (int step = 0; step < 20; step++) {
        CHECK(distance_now(old.player, same.player) == 0.0);
        for (uint32_t slot = 0; slot < 2; slot++) {
            const md5_shot_status a = md5_player_shot(old.player, slot);
            const md5_shot_status b = md5_player_shot(same.player, slot);
            CHECK(a.is_playing == b.is_playing && a.is_stopping == b.is_stopping);
            // Times are sums of other parts than those of that library.
            CHECK(a.clip == b.clip && a.weight == b.weight);
            CHECK_NEAR(a.time, b.time, 1e-15);
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
    read_saved(saved, SAVED_SIZE, bytes);
    CHECK(md5_player_restore(of.player, bytes, sizeof bytes, NULL));
    const size_t size = md5_player_save(of.player, again, sizeof again);
    CHECK(size > sizeof bytes);
    CHECK_UINT(again[4], 6);
    CHECK(md5_player_restore(other.player, again, size, NULL));
    CHECK(distance_now(of.player, other.player) == 0.0);
    play_scene_end(&of);
    play_scene_end(&other);
}

// In version 2 easings have no parameters; its players have neither more nor fewer bytes.
TEST_WITH (saved_player_of_version_2_is_checked, play_scene, of, begin(of), play_scene_end(of)) {
    uint8_t bytes[SAVED_SIZE + 1] = {0};
    md5_error error;
    read_saved(saved, SAVED_SIZE, bytes);
    CHECK(!md5_player_restore(of->player, bytes, SAVED_SIZE + 1, &error));
    CHECK_UINT(error.status, MD5_ERROR_SYNTAX);
    CHECK(!md5_player_restore(of->player, bytes, SAVED_SIZE - 1, &error));
    CHECK_UINT(error.status, MD5_ERROR_SYNTAX);
    // The last one-shot's two easings come before its clock, 55 bytes from the end.
    const size_t easing = SAVED_SIZE - 55;
    for (size_t i = 0; i < 2; i++) {
        CHECK_UINT(bytes[easing + 4 * i], MD5_EASE_CUBIC_OUT);
        bytes[easing + 4 * i] = MD5_EASE_CUBIC_BEZIER;
        CHECK(!md5_player_restore(of->player, bytes, SAVED_SIZE, &error));
        CHECK_UINT(error.status, MD5_ERROR_RANGE);
        bytes[easing + 4 * i] = MD5_EASE_CUBIC_OUT;
    }
    // Version 1 is too old.
    bytes[4] = 1;
    CHECK(!md5_player_restore(of->player, bytes, SAVED_SIZE, &error));
    CHECK_STRING(
        error.message,
        "the player was saved in version 1 of the format, but versions 2 to 6 can be read");
}

// -- Version 5 ----------------------------------------------------------------------------------

// A parameter on a spring has been on its way from 1 to 5 for 0.375 seconds; an inertial transition
// of a second, from a clip of 40 units a second to one of 100, for 0.125.
static const char saved_5[] =
    "4d355053050000001843986f3c078898010100000000000000d83f000000000000294000000000000000"
    "000000000000000000000000000000f03f00000000000000000000000000000000000000000000000000"
    "000000ffffffff0100000000000000000000000000000000b25ada400000a04033af1cc10000803f0000"
    "00000000d83f00010000ffffffff01000000000000000000c03f000000000000f03f0000000000000000"
    "0000000000000000000000000000000000000000000000006205ce3b2dfceb3cd38a783d00000000c832"
    "9abe00000000000000000000000042af29bc0ded1a3c5c947d3c5fa700c228a8a9bf0000000000000000"
    "000000001869ed3d992ab3bd550d533c000000004bc890bf000000000000000025d479c03acb813c0101"
    "383d823fb23d00000000f844d33d0000000000000000000000000526a4bd856eb43cc4ca053d6b80d0bf"
    "130d9f3f0000000000000000000000003feaf9bc4e128fbd95148e3c011fc9bfbfaa9e3f000000000000"
    "000085d136c0971d4a3d9063c7bd725f603d00000000b87bc63d0000000000000000f07197c202da063d"
    "69e77a3d6a3fc13d0dc9e2bf094391bf000000000000000000000000abc25ebc82e9cb3d9789503b5cb4"
    "abc03760a9bf00000000000000005413fbbf5f4da33dee4876bd1c129d3d00000000da1097be00000000"
    "00000000b60fc3c1a4646cbdf7e37bbd6bbf553d00000000b490803f0000000000000000000000000100"
    "000000000000000000000000000000000000000000000000c03f000000000000f03f0000000000000000"
    "00000000000000000000000000000000c03f0000000000000000000000000000000000";

static void begin_5(play_scene *of)
{
    static const md5_parameter_desc pace = {"pace", MD5_PARAMETER_FLOAT, 1.0f};
    static const md5_follow_desc spring = {
        .parameter = "pace", .kind = MD5_FOLLOW_SPRING, .stiffness = 100.0f, .damping = 4.0f};
    static const md5_state_desc both[2] = {{"a", "a"}, {"b", "b"}};
    static const md5_layer_desc body = {.name = "body", ROWS(states, both)};
    play_scene_begin(of);
    for (uint32_t i = 0; i < 2; i++) {
        const play_walk walk = {40.0 + 60.0 * i, 0.0, 0.0};
        play_add_clip(&of->made, 21, 20.0, 0.3, walk, i);
        of->clips[i] = (md5_clip_desc){.name = i == 0 ? "a" : "b",
                                       .binding = of->made.bindings[i],
                                       .extract = MD5_EXTRACT_WALK};
    }
    play_scene_play(
        of, &(md5_machine_desc){ROW(parameters, pace), ROW(layers, body), ROW(follows, spring)});
}

TEST (saved_player_of_version_5_is_restored) {
    play_scene of;
    uint8_t bytes[(sizeof saved_5 - 1) / 2];
    begin_5(&of);
    read_saved(saved_5, sizeof bytes, bytes);
    CHECK(md5_player_restore(of.player, bytes, sizeof bytes, NULL));
    md5_player *const same = play_player(of.machine);
    md5_player_set(same, 0, 5.0f);
    md5_player_advance(same, 0.375, NULL, NULL);
    for (int step = 0; step < 10; step++) {
        CHECK_NEAR((double)md5_player_get(of.player, 0), (double)md5_player_get(same, 0), 2e-6);
        CHECK(md5_player_layer(of.player, 0).from == 0);
        md5_player_advance(of.player, 0.0625, NULL, NULL);
        md5_player_advance(same, 0.0625, NULL, NULL);
        // It goes on as it was: the root has the velocity of the new clip.
        CHECK_NEAR((double)md5_player_root_motion(of.player).translation.x, 6.25, 1e-4);
    }
    md5_destroy_player(same);
    play_scene_end(&of);
}
