// Actors, rule by rule: times, weights, channels, frame commands, root motion, saving.
#include "test/game/entity_case.h"
#include "test/mistake.h"
#include "test/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Checks what fires in the next milliseconds.
static void check_fired(actor_stage *stage, uint32_t milliseconds, const char *expected)
{
    stage->fired[0] = '\0';
    advance_stage(stage, milliseconds);
    CHECK_STRING(stage->fired, expected);
}

static md5_vec3 local_of(actor_stage *stage, uint32_t joint)
{
    static md5_xform pose[ENTITY_JOINTS];
    md5_actor_pose(stage->actor, pose, NULL, NULL);
    return pose[joint].translation;
}

// The modelDef lifts the root by 100.
static void check_joints(actor_stage *stage, double root_x, double root_z, double spine,
                         double neck)
{
    CHECK_NEAR((double)local_of(stage, ROOT).x, root_x, 1e-4);
    CHECK_NEAR((double)local_of(stage, ROOT).z, 100.0 + root_z, 1e-4);
    CHECK_NEAR((double)local_of(stage, SPINE).z, spine, 1e-4);
    CHECK_NEAR((double)local_of(stage, NECK).z, neck, 1e-4);
}

#define TEST_HERE(title) \
    TEST_WITH (title, actor_stage, stage, open_stage(stage), close_stage(stage))

TEST_HERE (actors_begin_in_the_bind_pose) {
    check_joints(stage, 0.0, 5.0, 10.0, 10.0);
    CHECK(md5_actor_channel(stage->actor, MD5_CHANNEL_ALL).clip == MD5_NONE);
}

TEST_HERE (actors_play_once_and_hold_the_end) {
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "walk"), MD5_ACTOR_ONCE,
                         0, 0));
    advance_stage(stage, 250);
    check_joints(stage, 25.0, 0.0, 12.5, 10.0);
    advance_stage(stage, 150);
    check_joints(stage, 40.0, 0.0, 14.0, 10.0);
    advance_stage(stage, 5000);
    check_joints(stage, 40.0, 0.0, 14.0, 10.0);
    const md5_actor_status status = md5_actor_channel(stage->actor, MD5_CHANNEL_ALL);
    CHECK(status.has_ended && !status.is_cycling);
    CHECK_UINT(status.time, 400);
}

TEST_HERE (actors_cycle) {
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "walk"), MD5_ACTOR_CYCLE,
                         0, 0));
    advance_stage(stage, 400 + 150);
    check_joints(stage, 15.0, 0.0, 11.5, 10.0);
    const md5_actor_status status = md5_actor_channel(stage->actor, MD5_CHANNEL_ALL);
    CHECK(status.is_cycling && !status.has_ended);
    CHECK_UINT(status.time, 150);
}

TEST_HERE (actors_hold_frames) {
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "walk"), MD5_ACTOR_HOLD,
                         3, 0));
    advance_stage(stage, 1000);
    check_joints(stage, 20.0, 0.0, 12.0, 10.0);
    CHECK_UINT(md5_actor_channel(stage->actor, MD5_CHANNEL_ALL).held, 3);
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "walk"), MD5_ACTOR_HOLD,
                         77, 0));
    check_joints(stage, 40.0, 0.0, 14.0, 10.0);
    // The first frame is the base frame, whose spine is at 20 in "lift".
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "lift"), MD5_ACTOR_HOLD,
                         0, 0));
    check_joints(stage, 0.0, 0.0, 20.0, 10.0);
}

// Weights rise from the millisecond before the start: after 99 ms, 100 of 200 have passed.
TEST_HERE (new_clips_fade_in_over_old_ones) {
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "walk"), MD5_ACTOR_HOLD,
                         5, 0));
    advance_stage(stage, 10);
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "lift"), MD5_ACTOR_HOLD,
                         3, 200));
    advance_stage(stage, 99);
    check_joints(stage, 20.0, 0.0, 17.0, 15.0);
    CHECK_NEAR((double)md5_actor_channel(stage->actor, MD5_CHANNEL_ALL).weight, 0.5, 1e-6);
    advance_stage(stage, 50);
    check_joints(stage, 10.0, 0.0, 18.5, 17.5);
    // A third clip without a blend time hides both, which still fade.
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "walk"), MD5_ACTOR_HOLD,
                         1, 0));
    check_joints(stage, 0.0, 0.0, 10.0, 10.0);
}

// A clip that is replaced in the millisecond of its start leaves no trace.
TEST_HERE (clips_replaced_at_once_leave_no_trace) {
    advance_stage(stage, 5);
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "walk"), MD5_ACTOR_HOLD,
                         5, 0));
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "lift"), MD5_ACTOR_HOLD,
                         3, 200));
    advance_stage(stage, 50);
    check_joints(stage, 0.0, 0.0, 20.0, 20.0);
}

TEST_HERE (parts_follow_their_channels_where_all_leaves_room) {
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_TORSO, stage_clip(stage, "lift"), MD5_ACTOR_HOLD,
                         3, 0));
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_HEAD, stage_clip(stage, "lift"), MD5_ACTOR_HOLD,
                         2, 0));
    advance_stage(stage, 1);
    check_joints(stage, 0.0, 5.0, 20.0, 15.0); // the root has no channel
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "walk"), MD5_ACTOR_HOLD,
                         5, 100));
    advance_stage(stage, 49);
    // ALL has weight 0.5; the parts are blended over it by 1 / (0.5 + 1).
    check_joints(stage, 40.0, 0.0, 14.0 + (20.0 - 14.0) / 1.5, 10.0 + 5.0 / 1.5);
    advance_stage(stage, 50);
    check_joints(stage, 40.0, 0.0, 14.0, 10.0);
}

// Eyelids are blended over everything else, whatever the weights are.
TEST_HERE (eyelids_are_blended_over_all) {
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "walk"), MD5_ACTOR_HOLD,
                         5, 0));
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_EYELIDS, stage_clip(stage, "lift"),
                         MD5_ACTOR_HOLD, 2, 0));
    advance_stage(stage, 10);
    CHECK_NEAR((double)local_of(stage, LID).z, 1.0, 1e-5);
    CHECK(md5_actor_clear(stage->actor, MD5_CHANNEL_EYELIDS, 0));
    CHECK_NEAR((double)local_of(stage, LID).z, 1.0, 1e-5);
}

TEST_HERE (channels_are_cleared_over_time) {
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "walk"), MD5_ACTOR_HOLD,
                         5, 0));
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_TORSO, stage_clip(stage, "lift"), MD5_ACTOR_HOLD,
                         3, 0));
    advance_stage(stage, 1);
    CHECK(md5_actor_clear(stage->actor, MD5_CHANNEL_ALL, 100));
    advance_stage(stage, 49);
    check_joints(stage, 40.0, 0.0, 14.0 + (20.0 - 14.0) / 1.5, 10.0);
    // After its end it still moves the root, because nothing else does.
    advance_stage(stage, 100);
    check_joints(stage, 40.0, 0.0, 20.0, 10.0);
    CHECK(md5_actor_clear(stage->actor, MD5_CHANNEL_ALL, 0));
    check_joints(stage, 0.0, 5.0, 20.0, 10.0);
    CHECK(!md5_actor_clear(stage->actor, MD5_NUM_CHANNELS, 0));
}

TEST_HERE (clips_of_several_files_show_the_first) {
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "both"), MD5_ACTOR_ONCE,
                         0, 0));
    advance_stage(stage, 100);
    check_joints(stage, 10.0, 0.0, 11.0, 10.0);
    CHECK_NEAR((double)md5_actor_root_motion(stage->actor).translation.x, 10.0, 1e-4);
}

// While nothing plays the last pose stays, also in an actor that is restored.
TEST_HERE (actors_keep_their_pose_while_nothing_plays) {
    static unsigned char bytes[MD5_ACTOR_SAVE_SIZE];
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "walk"), MD5_ACTOR_CYCLE,
                         0, 0));
    advance_stage(stage, 150);
    check_joints(stage, 15.0, 0.0, 11.5, 10.0);
    advance_stage(stage, 50);
    CHECK(md5_actor_clear(stage->actor, MD5_CHANNEL_ALL, 0));
    md5_actor_save(stage->actor, bytes);
    for (int i = 0; i < 2; i++) {
        advance_stage(stage, 1000);
        check_joints(stage, 15.0, 0.0, 11.5, 10.0);
        // Joints of channels that do not play are in the bind pose, as long as another one does.
        CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_TORSO, stage_clip(stage, "lift"),
                             MD5_ACTOR_HOLD, 3, 0));
        check_joints(stage, 0.0, 5.0, 20.0, 10.0);
        CHECK(md5_actor_restore(stage->actor, bytes, sizeof bytes, NULL));
    }
}

// -- Frame commands -------------------------------------------------------------------------------

TEST_HERE (commands_fire_when_their_frames_are_passed) {
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "walk"), MD5_ACTOR_ONCE,
                         0, 0));
    check_fired(stage, 0, "");
    check_fired(stage, 16, "walk:footstep ");
    check_fired(stage, 183, "");
    check_fired(stage, 1, "walk:sound_body=snd_step ");
    check_fired(stage, 100, "");
    check_fired(stage, 100, "walk:event=last ");
    check_fired(stage, 400, "");
}

// At the end of a cycle the last frame and the first one fire.
TEST_HERE (cycles_fire_both_ends) {
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "walk"), MD5_ACTOR_CYCLE,
                         0, 0));
    check_fired(stage, 350, "walk:footstep walk:sound_body=snd_step ");
    check_fired(stage, 60, "walk:event=last walk:footstep ");
    // A tick of many cycles fires the commands of one.
    check_fired(stage, 4000 + 340, "walk:sound_body=snd_step ");
}

TEST_HERE (held_clips_are_silent) {
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "walk"), MD5_ACTOR_HOLD,
                         1, 0));
    check_fired(stage, 100, "");
}

TEST_HERE (commands_come_channel_by_channel) {
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_TORSO, stage_clip(stage, "lift"),
                         MD5_ACTOR_CYCLE, 0, 0));
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "walk"), MD5_ACTOR_CYCLE,
                         0, 0));
    check_fired(stage, 110, "walk:footstep lift:rightfoot ");
}

TEST (commands_have_words) {
    CHECK_STRING(md5_frame_code_name(MD5_FRAME_SOUND_CHATTER), "sound_chatter");
    CHECK_STRING(md5_frame_code_name(MD5_FRAME_STOP_EMITTER), "stop_emitter");
    CHECK(!md5_frame_code_name((md5_frame_code)77));
}

// -- Random choice --------------------------------------------------------------------------------

TEST_HERE (alternates_are_chosen_by_the_seed) {
    const uint32_t first = stage_clip(stage, "wander1"), second = stage_clip(stage, "wander2");
    CHECK(md5_actor_choose(stage->actor, NULL, "wander2") == second);
    CHECK(md5_actor_choose(stage->actor, NULL, "wander3") == MD5_NONE);
    CHECK(md5_actor_choose(stage->actor, NULL, "Wander") == MD5_NONE);
    CHECK(md5_actor_choose(stage->actor, NULL, "") == MD5_NONE);
    // seed * 69069 + 1: 1, 69070, 475628535, of which two are odd, and one is even.
    md5_actor_set_seed(stage->actor, 0);
    CHECK(md5_actor_choose(stage->actor, NULL, "wander") == second);
    CHECK(md5_actor_choose(stage->actor, NULL, "wander") == first);
    md5_actor_set_seed(stage->actor, 0);
    CHECK(md5_actor_choose(stage->actor, NULL, "wander") == second);
}

// With the seed 1 the next number is 69070, of whose lowest 15 bits 3534 is left: 3534 / 32768 of
// 400 ms is 43.
TEST_HERE (cycles_begin_anywhere_if_their_flag_says_so) {
    md5_actor_set_seed(stage->actor, 1);
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "wander1"),
                         MD5_ACTOR_CYCLE, 0, 0));
    CHECK_UINT(md5_actor_channel(stage->actor, MD5_CHANNEL_ALL).time, 43);
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "wander1"),
                         MD5_ACTOR_ONCE, 0, 0));
    CHECK_UINT(md5_actor_channel(stage->actor, MD5_CHANNEL_ALL).time, 0);
    // The start is a whole millisecond: 1000 - 43.14 = 956.86 becomes 956.
    advance_stage(stage, 1000);
    md5_actor_set_seed(stage->actor, 1);
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_HEAD, stage_clip(stage, "wander1"),
                         MD5_ACTOR_CYCLE, 0, 0));
    CHECK_UINT(md5_actor_channel(stage->actor, MD5_CHANNEL_HEAD).time, 44);
}

// A cycle that began at random did not begin now: it fades out when another clip begins at the same
// time, and its commands fire from where it is.
TEST_HERE (cycles_that_begin_anywhere_began_before) {
    md5_actor_set_seed(stage->actor, 1);
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "wander1"),
                         MD5_ACTOR_CYCLE, 0, 0));
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "lift"), MD5_ACTOR_HOLD,
                         3, 100));
    advance_stage(stage, 49);
    // At 92 ms the spine is at 10.92; half of the way to 20.
    check_joints(stage, 4.6, 0.0, 15.46, 15.0);
}

// The rate of Quake 4's modelDefs: "hasty" is "walk" at 2.5, which takes 160 ms.
TEST (clips_play_at_the_rate_of_their_modeldef) {
    actor_stage stage;
    open_stage_of(&stage, "quick", MD5_VERDICT_LENIENT);
    const uint32_t hasty = stage_clip(&stage, "hasty");
    CHECK(md5_actor_play(stage.actor, MD5_CHANNEL_ALL, hasty, MD5_ACTOR_ONCE, 0, 0));
    advance_stage(&stage, 60);
    check_joints(&stage, 15.0, 0.0, 11.5, 10.0);
    CHECK_UINT(md5_actor_channel(stage.actor, MD5_CHANNEL_ALL).time, 150);
    CHECK_NEAR((double)md5_actor_root_motion(stage.actor).translation.x, 15.0, 1e-4);
    check_fired(&stage, 20, "hasty:footstep ");
    advance_stage(&stage, 79);
    CHECK(!md5_actor_channel(stage.actor, MD5_CHANNEL_ALL).has_ended);
    advance_stage(&stage, 1);
    CHECK(md5_actor_channel(stage.actor, MD5_CHANNEL_ALL).has_ended);
    check_joints(&stage, 40.0, 0.0, 14.0, 10.0);
    CHECK(md5_actor_play(stage.actor, MD5_CHANNEL_ALL, hasty, MD5_ACTOR_CYCLE, 0, 0));
    advance_stage(&stage, 160 + 40);
    check_joints(&stage, 10.0, 0.0, 11.0, 10.0);
    close_stage(&stage);
}

// -- Root motion ----------------------------------------------------------------------------------

TEST_HERE (root_motion_passes_the_ends_of_cycles) {
    md5_actor_set_in_place(stage->actor, true);
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "walk"), MD5_ACTOR_CYCLE,
                         0, 0));
    double sum = 0.0;
    for (int i = 0; i < 11; i++) {
        advance_stage(stage, 70);
        sum += (double)md5_actor_root_motion(stage->actor).translation.x;
    }
    CHECK_NEAR(sum, 77.0, 1e-3);
    check_joints(stage, 0.0, 0.0, 13.7, 10.0);
    advance_stage(stage, 0);
    CHECK_NEAR((double)md5_actor_root_motion(stage->actor).translation.x, 0.0, 0.0);
}

// While "walk" fades out, its motion counts by its weight.
TEST_HERE (root_motion_is_blended) {
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "walk"), MD5_ACTOR_CYCLE,
                         0, 0));
    advance_stage(stage, 100);
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "lift"), MD5_ACTOR_CYCLE,
                         0, 200));
    advance_stage(stage, 99);
    CHECK_NEAR((double)md5_actor_root_motion(stage->actor).translation.x, 9.9 / 2.0, 1e-4);
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "walk"), MD5_ACTOR_HOLD,
                         2, 0));
    advance_stage(stage, 10);
    // A held frame moves nothing; the clips that fade out under it still do.
    CHECK_NEAR((double)md5_actor_root_motion(stage->actor).translation.x, 1.0, 1e-4);
}

TEST_HERE (turning_clips_turn_the_root) {
    md5_actor_set_in_place(stage->actor, true);
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "turn"), MD5_ACTOR_ONCE,
                         0, 0));
    advance_stage(stage, 50);
    const md5_vec3 x = {1.0f, 0.0f, 0.0f};
    const md5_vec3 turned = md5_quat_rotate(md5_actor_root_motion(stage->actor).rotation, x);
    // A file's -0.7071 with the engine's w is a turn by 90 degrees to the left, of which this is
    // half.
    CHECK_NEAR((double)turned.x, 0.70710678, 1e-4);
    CHECK_NEAR((double)turned.y, 0.70710678, 1e-4);
    // In the pose the root has the rotation that turning clips are made with: x stays, y is up.
    static md5_xform pose[ENTITY_JOINTS];
    md5_actor_pose(stage->actor, pose, NULL, NULL);
    const md5_vec3 y = {0.0f, 1.0f, 0.0f};
    const md5_vec3 up = md5_quat_rotate(pose[0].rotation, y);
    CHECK_NEAR((double)up.z, 1.0, 1e-5);
}

TEST_HERE (palettes_are_those_of_the_pose) {
    md5_xform pose[ENTITY_JOINTS];
    md5_mat34 joints[ENTITY_JOINTS], palette[ENTITY_JOINTS], alone[ENTITY_JOINTS];
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "walk"), MD5_ACTOR_ONCE,
                         0, 0));
    md5_actor_pose(stage->actor, pose, joints, palette);
    md5_actor_pose(stage->actor, pose, NULL, alone);
    CHECK(memcmp(palette, alone, sizeof palette) == 0);
    CHECK_NEAR((double)md5_mat34_translation(joints[NECK]).z, 120.0, 1e-4);
    CHECK_NEAR((double)md5_mat34_translation(palette[NECK]).z, 95.0, 1e-4);
}

// -- Mistakes -------------------------------------------------------------------------------------

TEST_HERE (actors_refuse_invalid_clips) {
    CHECK(!md5_actor_play(stage->actor, MD5_CHANNEL_ALL, MD5_NONE, MD5_ACTOR_ONCE, 0, 0));
    CHECK(!md5_actor_play(stage->actor, MD5_CHANNEL_ALL, 99, MD5_ACTOR_CYCLE, 0, 0));
    CHECK(!md5_actor_play(stage->actor, MD5_NUM_CHANNELS, 0, MD5_ACTOR_HOLD, 1, 0));
    CHECK(md5_actor_channel(stage->actor, MD5_NUM_CHANNELS).clip == MD5_NONE);
    check_joints(stage, 0.0, 5.0, 10.0, 10.0);
}

TEST_HERE (actors_report_that_memory_runs_out) {
    test_heap heap = {.fail_at = 1};
    const md5_load_opts opts = {
        .allocator = {.alloc = test_heap_alloc, .free = test_heap_free, .user = &heap}};
    md5_error error;
    CHECK(!md5_create_actor(stage->entity, &opts, &error));
    CHECK_UINT(error.status, MD5_ERROR_MEMORY);
    md5_actor *const actor = md5_create_actor(stage->entity, &opts, &error);
    CHECK(actor);
    md5_destroy_actor(actor);
    md5_destroy_actor(NULL);
    CHECK_UINT(heap.live, 0);
}

#if !defined(NDEBUG) && (defined(__unix__) || defined(__APPLE__))

static void make_of_nothing(const void *context)
{
    (void)context;
    (void)md5_create_actor(test_null(), NULL, NULL);
}

static void advance_nobody(const void *context)
{
    (void)context;
    md5_actor_advance(test_null(), 1, NULL, NULL);
}

static void pose_nowhere(const void *context)
{
    md5_actor_pose((md5_actor *)(uintptr_t)context, test_null(), NULL, NULL);
}

static void choose_nothing(const void *context)
{
    (void)md5_actor_choose((md5_actor *)(uintptr_t)context, NULL, test_null());
}

static void save_nowhere(const void *context)
{
    md5_actor_save(context, test_null());
}

TEST_HERE (actors_assert_their_arguments) {
    CHECK(strstr(test_message_of(make_of_nothing, NULL), "md5_create_actor(): entity: not NULL"));
    CHECK(strstr(test_message_of(advance_nobody, NULL), "md5_actor_advance(): actor: not NULL"));
    CHECK(strstr(test_message_of(pose_nowhere, stage->actor), "md5_actor_pose(): pose: not NULL"));
    CHECK(strstr(test_message_of(choose_nothing, stage->actor), "name: not NULL"));
    CHECK(strstr(test_message_of(save_nowhere, stage->actor), "bytes: not NULL"));
}

#endif
