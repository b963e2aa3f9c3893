// modelDefs, rule by rule, over a small mesh and two animations.
#include "test/game/game_case.h"
#include "test/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const md5_model_def *model_of(md5_game *game, const char *name)
{
    md5_error error;
    const md5_model_def *const model = md5_game_model_def(game, name, &error);
    CHECK(model);
    return model;
}

// The joints of a channel, as digits.
static void check_channel(const md5_model_def *model, md5_channel channel, const char *expected)
{
    char joints[16] = "";
    for (uint32_t i = 0; i < model->channels[channel].num_joints; i++)
        joints[i] = (char)('0' + model->channels[channel].joints[i]);
    CHECK_STRING(joints, expected);
}

// The names of the animations, each with a blank behind it.
static void check_anims(const md5_model_def *model, const char *expected)
{
    char names[256] = "";
    for (uint32_t i = 0; i < model->num_anims; i++) {
        strcat(names, md5_model_def_anim(model, i)->name);
        strcat(names, " ");
    }
    CHECK_STRING(names, expected);
}

TEST (models_have_mesh_skin_and_offset) {
    md5_game *const game =
        open_models("model m { mesh X.md5mesh skin Some\\Skin offset ( 1 -2 .5 ) }", NULL);
    const md5_model_def *const model = model_of(game, "M");
    CHECK_STRING(model->mesh, "X.md5mesh");
    CHECK_STRING(model->skin, "some/skin");
    CHECK_NEAR((double)model->offset.y, -2.0, 0.0);
    CHECK_UINT(model->num_joints, 4);
    CHECK_STRING(model->joints[2].name, "b");
    check_channel(model, MD5_CHANNEL_ALL, "0123");
    CHECK(!md5_game_model_def(game, "none", NULL));
    md5_destroy_game(game);
}

TEST (channels_add_and_remove_joints_from_left_to_right) {
    md5_game *const game = open_models(
        "model m { mesh x.md5mesh channel torso ( *A -b ) channel Legs ( c *root -*a ) }\n"
        "model n { mesh x.md5mesh channel torso ( *root ) channel torso ( a ) channel head ( b ) "
        "}\n",
        NULL);
    check_channel(model_of(game, "m"), MD5_CHANNEL_TORSO, "1");
    check_channel(model_of(game, "m"), MD5_CHANNEL_LEGS, "30");
    // A second list replaces the first, but the joints of the first remain taken.
    check_channel(model_of(game, "n"), MD5_CHANNEL_TORSO, "");
    check_channel(model_of(game, "n"), MD5_CHANNEL_HEAD, "");
    md5_destroy_game(game);
}

TEST (channels_warn_of_joints) {
    game_log log;
    md5_game *const game = open_models(
        "model m { mesh x.md5mesh\nchannel torso ( a nobody )\nchannel head ( *a ) }", &log);
    check_channel(model_of(game, "m"), MD5_CHANNEL_HEAD, "2");
    has_logged(&log, "def/all.def:2: Unknown joint 'nobody' in 'a nobody ' for model 'm'");
    has_logged(&log, "def/all.def:3: Joint 'a' assigned to multiple channels");
    md5_destroy_game(game);
}

TEST (anims_have_aliases_files_and_flags) {
    md5_game *const game =
        open_models("model m { mesh x.md5mesh anim pain_12 three.md5anim , three.md5anim { "
                    "ai_no_turn anim_turn } anim run two.md5anim }",
                    NULL);
    const md5_model_def *const model = model_of(game, "m");
    check_anims(model, "pain_12 run ");
    const md5_model_anim *const anim = md5_model_def_anim(model, 0);
    CHECK_STRING(anim->alias, "pain_");
    CHECK_UINT(anim->num_files, 2);
    CHECK_STRING(anim->files[1], "three.md5anim");
    CHECK_UINT(anim->num_frames, 3);
    CHECK_UINT(anim->milliseconds, 84); // 2 frames of 1/24 s: 83.3, rounded up
    CHECK_UINT(anim->flags, MD5_ANIM_NO_TURN | MD5_ANIM_TURN);
    md5_destroy_game(game);
}

TEST (frame_commands_are_sorted_by_frame) {
    md5_game *const game = open_models(
        "model m { mesh x.md5mesh anim run three.md5anim { frame 3 footstep frame 1 sound snd_x\n"
        "frame 3 muzzle_flash B frame 2.5 muzzle_flash \"\" frame 1 skin none\n"
        "frame 1 fire_missile_at_target c goal frame 1 start_emitter e a smoke frame 1 "
        "disableLegIK 2 frame 2 aviGame\n} }",
        NULL);
    const md5_model_anim *const anim = md5_model_def_anim(model_of(game, "m"), 0);
    static const md5_frame_command expected[] = {
        {1, MD5_FRAME_SOUND, "snd_x", MD5_NONE, 0},
        {1, MD5_FRAME_SKIN, "none", MD5_NONE, 0},
        {1, MD5_FRAME_FIRE_MISSILE_AT_TARGET, "goal", 3, 0},
        {1, MD5_FRAME_START_EMITTER, "e smoke", 1, 0},
        {1, MD5_FRAME_DISABLE_LEG_IK, "", MD5_NONE, 2},
        {2, MD5_FRAME_MUZZLE_FLASH, "", MD5_NONE, 0},
        {2, MD5_FRAME_AVI_GAME, "", MD5_NONE, 0},
        {3, MD5_FRAME_FOOTSTEP, "", MD5_NONE, 0},
        {3, MD5_FRAME_MUZZLE_FLASH, "B", 2, 0},
    };
    enum { COUNT = sizeof expected / sizeof expected[0] };
    CHECK_UINT(anim->num_commands, COUNT);
    for (uint32_t i = 0; i < COUNT && i < anim->num_commands; i++) {
        const md5_frame_command *const command = &anim->commands[i];
        CHECK_UINT(command->frame, expected[i].frame);
        CHECK_UINT(command->code, expected[i].code);
        CHECK_STRING(command->text, expected[i].text);
        CHECK(command->joint == expected[i].joint && command->leg == expected[i].leg);
    }
    md5_destroy_game(game);
}

TEST (models_inherit_replace_and_remove) {
    md5_game *const game = open_models(
        "model child { inherit base anim kick two.md5anim anim new two.md5anim remove pain }\n"
        "model base { mesh x.md5mesh channel torso ( *a ) anim walk1 two.md5anim\n"
        "anim kick three.md5anim { ai_no_turn } anim pain1 two.md5anim anim pain2 two.md5anim }\n",
        NULL);
    const md5_model_def *const child = model_of(game, "child");
    check_anims(child, "walk1 kick new ");
    CHECK_UINT(md5_model_def_anim(child, 1)->num_frames, 2);
    CHECK_UINT(md5_model_def_anim(child, 1)->flags, 0);
    check_channel(child, MD5_CHANNEL_TORSO, "12");
    check_anims(model_of(game, "base"), "walk1 kick pain1 pain2 ");
    md5_destroy_game(game);
}

static void check_defaulted(const char *text, const char *line)
{
    game_log log;
    md5_game *const game = open_models(text, &log);
    const md5_model_def *const model = model_of(game, "m");
    CHECK_UINT(model->decl->state, MD5_DECL_DEFAULTED);
    CHECK_STRING(model->mesh, "");
    CHECK_UINT(model->num_anims + model->num_joints, 0);
    has_logged(&log, line);
    md5_destroy_game(game);
}

#define WITH_MESH(text) "model m { mesh x.md5mesh\n" text " }"
#define WITH_ANIM(text) WITH_MESH("anim run two.md5anim { " text " }")

TEST (mistakes_default_a_model) {
    check_defaulted("model m { anim run two.md5anim }",
                    "def/all.def:1: Must specify mesh before defining anims");
    check_defaulted("model m { channel head ( a ) }",
                    "def/all.def:1: Must specify mesh before defining channels");
    check_defaulted("model m { mesh x.MD5MESH }", "def/all.def:1: Invalid model for MD5 mesh");
    check_defaulted("model m { mesh y.md5mesh }", "def/all.def:1: Model 'y.md5mesh' defaulted");
    check_defaulted(WITH_MESH("Anim run two.md5anim"), "def/all.def:2: unknown token 'Anim'");
    check_defaulted(WITH_MESH("anim 12 two.md5anim"), "def/all.def:2: Invalid animation name '12'");
    check_defaulted(WITH_MESH("anim w1 two.md5anim"), "def/all.def:2: Invalid animation name 'w1'");
    check_defaulted(WITH_MESH("anim run one.md5anim"),
                    "def/all.def:2: Couldn't load anim 'one.md5anim'");
    check_defaulted(
        WITH_MESH("anim run two.md5anim,three.md5anim"),
        "def/all.def:2: Anim 'three.md5anim' does not match length of anim 'two.md5anim'");
    check_defaulted(WITH_MESH("anim run two.md5anim,two.md5anim,two.md5anim,two.md5anim"),
                    "def/all.def:2: Exceeded max synced anims (3)");
    check_defaulted(WITH_MESH("anim run two.md5anim anim run two.md5anim"),
                    "def/all.def:2: Duplicate anim 'run'");
    check_defaulted(WITH_MESH("channel all ( a )"), "def/all.def:2: Unknown channel 'all'");
    check_defaulted(
        WITH_MESH("anim run two.md5anim remove run"),
        "def/all.def:2: Anim 'run' was not inherited.  Anim should be removed from the model def.");
    check_defaulted(WITH_MESH("remove run"), "def/all.def:2: Couldn't find anim 'run' to remove");
    check_defaulted(WITH_MESH("offset 1 2 3"), "def/all.def:2: Expected vector following 'offset'");
    check_defaulted("model m { inherit n } model n { wrong }",
                    "def/all.def:1: inherited model definition 'n' defaulted");
}

TEST (mistakes_in_frame_commands_default_a_model) {
    check_defaulted(WITH_ANIM("frame 0 jump"), "def/all.def:2: Frame 0 out of range");
    check_defaulted(WITH_ANIM("frame 3 jump"), "def/all.def:2: Frame 3 out of range");
    check_defaulted(WITH_ANIM("frame 1\njump"), "def/all.def:2: Unexpected end of line");
    check_defaulted(WITH_ANIM("frame 1 call\nf"), "def/all.def:2: Unexpected end of line");
    check_defaulted(WITH_ANIM("frame 1 dance"), "def/all.def:2: Unknown command 'dance'");
    check_defaulted(WITH_ANIM("frame - 1 jump"), "def/all.def:2: Invalid frame # after 'frame'");
    check_defaulted(WITH_ANIM("frame 1 launch_missile nobody"),
                    "def/all.def:2: Joint 'nobody' not found");
    check_defaulted(WITH_ANIM("rate 2"), "def/all.def:2: Unknown command 'rate'");
}

TEST (long_lines_of_parents_are_no_deep_recursion) {
    enum { COUNT = 20000, ROOM = 40 };
    char *const text = malloc((size_t)COUNT * ROOM);
    char *end = text;
    for (int i = COUNT; i > 0; i--)
        end += sprintf(end, "model m%d { inherit m%d }\n", i, i - 1);
    strcpy(end, "model m0 { offset ( 7 0 0 ) }");
    md5_game *const game = open_models(text, NULL);
    CHECK_NEAR((double)model_of(game, "m20000")->offset.x, 7.0, 0.0);
    md5_destroy_game(game);
    free(text);
}

TEST (models_that_inherit_themselves_end) {
    game_log log;
    md5_game *const game = open_models(
        "model a { inherit b offset ( 1 0 0 ) } model b { inherit a } model c { inherit c }", &log);
    CHECK_NEAR((double)model_of(game, "a")->offset.x, 1.0, 0.0);
    CHECK_UINT(model_of(game, "b")->decl->state, MD5_DECL_PARSED);
    CHECK_UINT(model_of(game, "c")->decl->state, MD5_DECL_PARSED);
    CHECK_UINT(log.count, 0);
    md5_destroy_game(game);
}

TEST (models_survive_failure_of_every_allocation) {
    static const game_text texts[] = {
        {"def/all.def",
         "model b { inherit m remove run skin s }\n"
         "model m { mesh x.md5mesh channel head ( *a ) anim run two.md5anim { frame 1 call f } }"},
        {"x.md5mesh", game_mesh},
        {"two.md5anim", game_anim2},
    };
    const md5_game_path place = game_place(texts, 3, false);
    for (size_t i = 1;; i++) {
        test_heap heap = {.fail_at = i};
        const md5_load_opts opts = {
            .allocator = {.alloc = test_heap_alloc, .free = test_heap_free, .user = &heap}};
        md5_error error;
        md5_game *const game = md5_create_game(&place, 1, &opts, &error);
        const md5_model_def *const model = game ? md5_game_model_def(game, "b", &error) : NULL;
        CHECK(model ? model->num_joints == 4 : error.status == MD5_ERROR_MEMORY);
        md5_destroy_game(game);
        CHECK_UINT(heap.live, 0);
        if (heap.num_allocs < i)
            break;
    }
}
