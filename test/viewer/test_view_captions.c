// Captions: the text, time and joint of the frame commands of a monster from our own game folder.
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"

enum { NUM_TEXTS = 3 };

typedef struct caption_case {
    view_log log;
    view_scene scene;
    view_play play;
} caption_case;

// Returns false without libzip, because the folder has no models then.
static bool open_captions(caption_case *fixture)
{
    *fixture = (caption_case){.log = {.level = VIEW_QUIET}, .play = {.playing = true, .speed = 1}};
    return view_load_game_scene(&fixture->scene, NULL,
                                test_path("models/game/base::monster_thimble"), &fixture->log);
}

static void close_captions(caption_case *fixture)
{
    view_free_scene(&fixture->scene);
}

static void play_until(caption_case *fixture, double time)
{
    for (; fixture->play.time < time; fixture->play.time += 0.01)
        view_pose(&fixture->scene, &fixture->play);
}

// Checks the captions of a clip, of which the newest is the first. `rate` is the frame rate of the
// clip in Hz.
static void check_captions(const view_entity *figure, const char *const *texts, double rate)
{
    for (int i = 0; i < NUM_TEXTS; i++) {
        unsigned frame = 0;
        CHECK_STRING(figure->fired[i].text, texts[i]);
        CHECK(sscanf(figure->fired[i].text, "%*s %*s %u", &frame) == 1);
        CHECK_NEAR(figure->fired[i].time, (frame - 1) / rate, 0.04); // two ticks
    }
}

TEST_IF (clips_of_a_state_are_captioned_with_their_joints, caption_case, fixture,
         open_captions(fixture), close_captions(fixture)) {
    static const char *const texts[2][NUM_TEXTS] = {
        {"torso shoot 13: sound_weapon snd_shot = thimble_shot",
         "torso shoot 13: launch_missile barrel_l", "torso shoot 13: muzzle_flash barrel_l"},
        {"torso shoot 25: sound_weapon snd_shot = thimble_shot",
         "torso shoot 25: launch_missile barrel_r", "torso shoot 25: muzzle_flash barrel_r"}};
    view_entity *const figure = &fixture->scene.entity;
    uint32_t shoot = 0;
    while (strcmp(view_script_name(figure, false, shoot), "Torso_Shoot") != 0)
        shoot++;
    view_run_script_item(figure, false, shoot, true);
    for (int i = 0; i < 2; i++) {
        play_until(fixture, 0.6 + 0.4 * i);
        CHECK_UINT(figure->num_fired, i == 0 ? NUM_TEXTS : 2 * NUM_TEXTS);
        check_captions(figure, texts[i], 30.0);
    }
}

// A caption contains the value of the key that the command names, or the joint.
TEST_IF (effects_are_captioned_with_their_names, caption_case, fixture, open_captions(fixture),
         close_captions(fixture)) {
    static const char *const texts[NUM_TEXTS] = {
        "all idle 25: trigger_fx smoke at eye",
        "all idle 13: sound_body snd_footstep = thimble_step", "all idle 13: fx fx/steam"};
    view_entity *const figure = &fixture->scene.entity;
    const uint32_t eye = md5_find_joint(&figure->entity->model->skeleton, "eye");
    const md5_frame_command commands[] = {{13, MD5_FRAME_FX, "fx/steam", MD5_NONE, 0},
                                          {13, MD5_FRAME_SOUND_BODY, "snd_footstep", MD5_NONE, 0},
                                          {25, MD5_FRAME_TRIGGER_FX, "smoke", eye, 0}};
    md5_model_anim anim = *figure->entity->clips[0].anim;
    anim.num_commands = COUNT_OF(commands);
    anim.commands = commands;
    md5_entity_clip *const clips = (md5_entity_clip *)(uintptr_t)figure->played.clips;
    const md5_model_anim *const original = clips[0].anim;
    clips[0].anim = &anim;
    CHECK(view_play_channel(figure, MD5_CHANNEL_ALL, 0));
    play_until(fixture, 1.2);
    clips[0].anim = original;
    CHECK_UINT(figure->num_fired, NUM_TEXTS);
    check_captions(figure, texts, 30.0);
}
