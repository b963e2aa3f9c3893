// Entities as the viewer plays them: clips in channels, their time, frame commands, and poses.
#include "demo/viewer/motion/entity.h"
#include "demo/viewer/motion/motion.h"
#include "test/test.h"

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
