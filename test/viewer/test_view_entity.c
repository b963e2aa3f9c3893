// Entities as the viewer plays them: clips in channels, their time, frame commands, and poses.
#include "test/test.h"

#include "demo/viewer/motion/entity.h"
#include "demo/viewer/motion/machine.h"
#include "demo/viewer/motion/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct played {
    view_log log;
    view_scene scene;
    view_play play;
} played;

static bool open_played(played *of, const char *address)
{
    *of = (played){.log = {.level = VIEW_QUIET}, .play = {.playing = true, .speed = 1.0}};
    return CHECK(view_load_game_scene(&of->scene, NULL, address, &of->log));
}

static int32_t find_clip(const view_entity *of, const char *name)
{
    for (uint32_t i = 0; i < of->entity->num_clips; i++)
        if (strcmp(of->entity->clips[i].anim->name, name) == 0)
            return (int32_t)i;
    CHECK(false);
    return -1;
}

static void play_for(played *of, double seconds)
{
    for (int i = 0; i < 50; i++) {
        of->play.time += seconds / 50;
        view_pose(&of->scene, &of->play);
    }
}

// The largest distance between the positions of joints[0, count).
static double difference(const md5_mat34 *a, const md5_mat34 *b, uint32_t count)
{
    double worst = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        const md5_vec3 way = md5_vec3_sub(md5_mat34_translation(a[i]), md5_mat34_translation(b[i]));
        const double distance = (double)md5_vec3_length(way);
        worst = distance > worst ? distance : worst;
    }
    return worst;
}

static const char *const bobbin = "models/game/base::monster_bobbin";

TEST (torso_over_legs_is_posed_as_by_the_engine) {
    played of;
    if (!open_played(&of, test_path(bobbin)))
        return;
    view_entity *const entity = &of.scene.entity;
    const int32_t walk = find_clip(entity, "walk"), run = find_clip(entity, "run");
    CHECK(view_play_channel(entity, MD5_CHANNEL_LEGS, walk));
    CHECK(view_play_channel(entity, MD5_CHANNEL_TORSO, run) && entity->focus == MD5_CHANNEL_TORSO);
    CHECK(entity->channels[MD5_CHANNEL_ALL].clip == -1);
    CHECK(entity->channels[MD5_CHANNEL_LEGS].clip == walk);
    of.play.time = 0.0;
    play_for(&of, 0.8); // the channel "all" has faded out
    // An actor that has never played anything else.
    const uint32_t count = entity->entity->model->skeleton.num_joints;
    md5_actor *const actor = md5_create_actor(&entity->played, NULL, NULL);
    md5_xform *const pose = common_alloc(count, sizeof *pose);
    md5_mat34 *const joints = common_alloc(count, sizeof *joints);
    CHECK(md5_actor_play(actor, MD5_CHANNEL_LEGS, (uint32_t)walk, MD5_ACTOR_CYCLE, 0, 0));
    CHECK(md5_actor_play(actor, MD5_CHANNEL_TORSO, (uint32_t)run, MD5_ACTOR_CYCLE, 0, 0));
    md5_actor_advance(actor, 800, NULL, NULL);
    md5_actor_pose(actor, pose, joints, NULL);
    CHECK_NEAR(difference(joints, of.scene.joints, count), 0.0, 0.02); // a millisecond more or less
    CHECK(md5_actor_play(actor, MD5_CHANNEL_TORSO, (uint32_t)walk, MD5_ACTOR_CYCLE, 0, 0));
    md5_actor_advance(actor, 800, NULL, NULL);
    md5_actor_pose(actor, pose, joints, NULL);
    CHECK(difference(joints, of.scene.joints, count) > 1.0); // the test can fail
    md5_destroy_actor(actor);
    free(pose);
    free(joints);
    view_free_scene(&of.scene);
}

TEST (channels_divide_what_all_played) {
    played of;
    if (!open_played(&of, test_path(bobbin)))
        return;
    view_entity *const entity = &of.scene.entity;
    const int32_t walk = find_clip(entity, "walk"), run = find_clip(entity, "run");
    CHECK(view_play_channel(entity, MD5_CHANNEL_ALL, walk));
    CHECK(view_play_channel(entity, MD5_CHANNEL_TORSO, run));
    CHECK(entity->channels[MD5_CHANNEL_LEGS].clip == walk);
    CHECK(view_play_channel(entity, MD5_CHANNEL_ALL, run));
    CHECK(entity->channels[MD5_CHANNEL_LEGS].clip == -1);
    CHECK(entity->channels[MD5_CHANNEL_TORSO].clip == -1);
    CHECK(view_play_channel(entity, MD5_CHANNEL_ALL, -1));
    CHECK(entity->channels[MD5_CHANNEL_ALL].clip == -1);
    CHECK(!view_has_channel(entity, MD5_CHANNEL_EYELIDS));
    CHECK(!view_play_channel(entity, MD5_CHANNEL_EYELIDS, run)); // has no joints
    CHECK(!view_play_channel(entity, MD5_CHANNEL_ALL, 1000));
    view_free_scene(&of.scene);
}

TEST (time_goes_back_to_the_same_pose) {
    played of;
    if (!open_played(&of, test_path(bobbin)))
        return;
    view_entity *const entity = &of.scene.entity;
    CHECK(view_play_channel(entity, MD5_CHANNEL_ALL, find_clip(entity, "run")));
    of.play.time = 0.0;
    play_for(&of, 0.5);
    const uint32_t count = entity->entity->model->skeleton.num_joints;
    md5_mat34 *const joints = common_alloc(count, sizeof *joints);
    memcpy(joints, of.scene.joints, count * sizeof *joints);
    play_for(&of, 0.3);
    CHECK(difference(joints, of.scene.joints, count) > 1.0);
    of.play.time = 0.5;
    view_pose(&of.scene, &of.play);
    CHECK_NEAR(difference(joints, of.scene.joints, count), 0.0, 1e-4);
    // After a million cycles, which are skipped and not played.
    const double length = 0.001 * entity->anims[entity->channels[0].clip].milliseconds;
    of.play.time = 0.5 + length * 1e6;
    view_pose(&of.scene, &of.play);
    CHECK_NEAR(difference(joints, of.scene.joints, count), 0.0, 0.2); // of whole milliseconds
    of.play.time = -0.25;
    view_pose(&of.scene, &of.play);
    of.play.time = (double)NAN; // never produced, but must not hang
    view_pose(&of.scene, &of.play);
    free(joints);
    view_free_scene(&of.scene);
}

TEST (frame_commands_fire_as_they_pass) {
    played of;
    if (!open_played(&of, test_path(bobbin)))
        return;
    view_entity *const entity = &of.scene.entity;
    CHECK(view_play_channel(entity, MD5_CHANNEL_ALL, find_clip(entity, "walk")));
    of.play.time = 0.0;
    const uint32_t before = entity->num_fired;
    play_for(&of, 0.1); // two commands of frame 1
    CHECK(entity->num_fired == before + 2);
    CHECK(strcmp(entity->fired[0].text, "all walk 1: leftfoot") == 0);
    CHECK(strcmp(entity->fired[1].text, "all walk 1: sound_body snd_footstep") == 0);
    play_for(&of, 12.0 / 24.0); // of frame 13: 0.5 s after frame 1 at 24 a second
    CHECK(entity->num_fired == before + 4);
    CHECK(strcmp(entity->fired[0].text, "all walk 13: rightfoot") == 0);
    CHECK_NEAR(entity->fired[0].time, 0.5, 0.03);
    of.play.time = 0.1; // backward: no commands
    view_pose(&of.scene, &of.play);
    CHECK(entity->num_fired == before + 4);
    view_free_scene(&of.scene);
}

TEST (channel_in_focus_has_the_time) {
    played of;
    if (!open_played(&of, test_path(bobbin)))
        return;
    view_entity *const entity = &of.scene.entity;
    CHECK(view_play_channel(entity, MD5_CHANNEL_LEGS, find_clip(entity, "walk")));
    of.play.time = 0.0;
    play_for(&of, 0.75);
    CHECK(view_play_channel(entity, MD5_CHANNEL_TORSO, find_clip(entity, "run")));
    CHECK_NEAR(entity->time, 0.0, 1e-9);
    of.play.time = 0.0;
    play_for(&of, 0.25);
    CHECK_NEAR(view_focus_channel(entity, MD5_CHANNEL_LEGS), 1.0, 1e-9);
    CHECK(entity->focus == MD5_CHANNEL_LEGS);
    CHECK_NEAR(view_focus_channel(entity, MD5_CHANNEL_HEAD), 1.0, 1e-9); // plays nothing
    CHECK(entity->focus == MD5_CHANNEL_LEGS);
    view_free_scene(&of.scene);
}

TEST (head_stays_on_its_body) {
    played of;
    if (!open_played(&of, test_path("models/game/base::monster_bobbin_watchman")))
        return;
    const view_entity *const entity = &of.scene.entity;
    of.play.time = 0.0;
    for (int i = 0; i < 5; i++) {
        play_for(&of, 0.2);
        for (uint32_t p = 1; p < entity->num_parts; p++) {
            const view_entity_part *const part = &entity->parts[p];
            // Poses relative to parents and joints in model space agree over the whole model.
            const uint32_t parent = entity->parts[part->above].first_joint + part->hung->joint;
            const md5_mat34 local = md5_mat34_from_xform(of.scene.pose[part->first_joint]);
            const md5_mat34 joint = md5_mat34_mul(of.scene.joints[parent], local);
            CHECK_NEAR(difference(&joint, &of.scene.joints[part->first_joint], 1), 0.0, 1e-3);
            // An attached part is near its joint.
            CHECK(difference(&of.scene.joints[parent], &of.scene.joints[part->first_joint], 1)
                  < 30.0);
        }
    }
    view_free_scene(&of.scene);
}

TEST (own_clip_of_a_scene_is_played_as_it_is) {
    played of;
    if (!open_played(&of, test_path(bobbin)))
        return;
    const size_t num_clips = of.scene.num_clips;
    CHECK(of.scene.entity.is_played);
    CHECK(view_add_game_clip(&of.scene, "models/md5/bobbin/walk.md5anim", &of.log));
    CHECK(of.scene.num_clips == num_clips + 1 && !of.scene.entity.is_played);
    view_pose(&of.scene, &of.play);
    view_choose_clip(&of.scene, 0);
    CHECK(of.scene.entity.is_played);
    view_free_scene(&of.scene);
}

// -- View guest -----------------------------------------------------------------------------------

// A machine that visits another: events of either set the triggers of the other.

static const char *state_of(const view_machine *machine)
{
    return machine->desc->layers[0].states[md5_player_layer(machine->player, 0).state].name;
}

static void set_off(view_machine *machine, const char *name)
{
    const uint32_t parameter = md5_find_parameter(machine->character->machine, name);
    CHECK(parameter != MD5_NONE && md5_player_set(machine->player, parameter, 1.0f));
}

TEST (view_carried_fire_burns_when_he_sneezes) {
    view_log log = {.level = VIEW_QUIET};
    view_machine host, fire;
    if (!CHECK(view_load_machine(&host, test_path("models/bobbin/bobbin.md5machine"), NULL, &log)
               && view_load_machine(&fire, test_path("models/bobbin/attached/head.md5machine"),
                                    NULL, &log)))
        return;
    host.carried = &fire;
    set_off(&host, "sneeze");
    view_run_machine(&host, 1.2);
    CHECK_STRING(state_of(&fire), "out");
    view_run_machine(&host, 1.4);
    CHECK_STRING(state_of(&fire), "burst");
    view_restart_machine(&host);
    CHECK_STRING(state_of(&fire), "out");
    set_off(&host, "sneeze");
    view_run_machine(&host, 4.0);
    CHECK_STRING(state_of(&fire), "out");
    view_free_machine(&fire);
    view_free_machine(&host);
}

TEST (view_guest_comes_when_he_snores_and_folds_when_he_strikes) {
    view_log log = {.level = VIEW_QUIET};
    view_machine host, guest;
    if (!CHECK(view_load_machine(&host, test_path("models/bobbin/bobbin.md5machine"), NULL, &log)
               && view_load_machine(&guest, test_path("models/thimble/visitor.md5machine"), NULL,
                                    &log)))
        return;
    host.guest = &guest;
    guest.host = &host;
    guest.start.translation = guest.place.translation = (md5_vec3){50.0f, 0.0f, 0.0f};
    view_run_machine(&host, 24.0);
    CHECK_STRING(state_of(&guest), "waits");
    CHECK_NEAR((double)guest.place.translation.x, 50.0, 0.0);
    view_run_machine(&host, 39.3); // a snore or two later
    CHECK_STRING(state_of(&host), "doze");
    CHECK_STRING(state_of(&guest), "looks");
    CHECK(guest.place.translation.x > 360.0f);
    view_run_machine(&host, 42.0); // it has chirped
    CHECK_STRING(state_of(&host), "idle");
    CHECK_STRING(state_of(&guest), "begs");
    set_off(&host, "attack");
    view_run_machine(&host, 42.3);
    CHECK_STRING(state_of(&guest), "begs"); // he winds up still
    view_run_machine(&host, 43.0);
    CHECK_STRING(state_of(&guest), "fold");
    view_restart_machine(&host);
    CHECK_STRING(state_of(&guest), "waits");
    CHECK_NEAR((double)guest.place.translation.x, 50.0, 0.0);
    view_free_machine(&guest);
    view_free_machine(&host);
}

// A guest that stands before him is patted; one elsewhere is not, and nothing is left of its
// begging.
TEST (view_guest_is_patted_where_the_hand_reaches) {
    view_log log = {.level = VIEW_QUIET};
    for (int far = 0; far < 2; far++) {
        view_machine host, guest;
        if (!CHECK(
                view_load_machine(&host, test_path("models/bobbin/bobbin.md5machine"), NULL, &log)
                && view_load_machine(&guest, test_path("models/thimble/visitor.md5machine"), NULL,
                                     &log)))
            return;
        host.guest = &guest;
        guest.host = &host;
        guest.place.translation = (md5_vec3){far ? 60.0f : 27.0f, -13.0f, 0.0f};
        view_run_machine(&host, 0.1);
        set_off(&host, "beg");
        view_run_machine(&host, 0.2);
        CHECK_STRING(state_of(&host), far ? "idle" : "pat");
        guest.place.translation.x = 27.0f;
        view_run_machine(&host, 1.0);
        CHECK_STRING(state_of(&host), far ? "idle" : "pat");
        view_free_machine(&guest);
        view_free_machine(&host);
    }
}

// A guest that has gone comes again from where it began, seen from its host.
TEST (view_guest_that_is_far_away_comes_to_where_its_host_is) {
    view_log log = {.level = VIEW_QUIET};
    view_machine host, guest;
    if (!CHECK(view_load_machine(&host, test_path("models/bobbin/bobbin.md5machine"), NULL, &log)
               && view_load_machine(&guest, test_path("models/thimble/visitor.md5machine"), NULL,
                                    &log)))
        return;
    host.guest = &guest;
    guest.host = &host;
    guest.start.translation = (md5_vec3){30.0f, 40.0f, 0.0f};
    host.place.translation = (md5_vec3){1000.0f, 0.0f, 0.0f};
    view_run_machine(&host, 26.3);
    CHECK_STRING(state_of(&guest), "start");
    CHECK_NEAR((double)guest.place.translation.x, 1030.0, 6.0);
    CHECK_NEAR((double)guest.place.translation.y, 40.0, 0.1);
    view_free_machine(&guest);
    view_free_machine(&host);
}
