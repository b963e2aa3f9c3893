// Actors, rule by rule: times, weights, channels, frame commands, root motion, saving.
#include "test/game/entity_case.h"
#include "test/misuse.h"
#include "test/scoped.h"
#include "test/real.h"

// Checks the frame commands of the next milliseconds.
static void check_fired(actor_stage *stage, uint32_t milliseconds, const char *expected)
{
    stage->fired[0] = '\0';
    advance_stage(stage, milliseconds);
    CHECK_STRING(stage->fired, expected);
}

static void play(actor_stage *stage, md5_channel channel, const char *clip, md5_actor_mode mode,
                 uint32_t frame, uint32_t blend)
{
    CHECK(md5_actor_play(stage->actor, channel, stage_clip(stage, clip), mode, frame, blend));
}

// Compares positions of joints with the pose of the actor. The modelDef lifts the root by 100.
static void check_joints(actor_stage *stage, double root_x, double root_z, double spine,
                         double neck)
{
    md5_xform pose[ENTITY_JOINTS];
    md5_actor_pose(stage->actor, pose, NULL, NULL);
    CHECK_NEAR(pose[ROOT].translation.x, root_x, 1e-4);
    CHECK_NEAR(pose[ROOT].translation.z, 100.0 + root_z, 1e-4);
    CHECK_NEAR(pose[SPINE].translation.z, spine, 1e-4);
    CHECK_NEAR(pose[NECK].translation.z, neck, 1e-4);
}

static void check_after(actor_stage *stage, uint32_t milliseconds, double root_x, double root_z,
                        double spine, double neck)
{
    advance_stage(stage, milliseconds);
    check_joints(stage, root_x, root_z, spine, neck);
}

static md5_actor_status actor_status(const actor_stage *stage)
{
    return md5_actor_channel(stage->actor, MD5_CHANNEL_ALL);
}

static md5_actor_status eyelids(const md5_actor *actor)
{
    return md5_actor_channel(actor, MD5_CHANNEL_EYELIDS);
}

static float moved(const actor_stage *stage)
{
    return md5_actor_root_motion(stage->actor).translation.x;
}

static uint32_t select_clip(const actor_stage *stage, const char *name)
{
    return md5_actor_choose(stage->actor, NULL, name);
}

static void advance(md5_actor *actor, uint32_t milliseconds)
{
    md5_actor_advance(actor, milliseconds, NULL, NULL);
}

#define TEST_HERE(title) \
    TEST_WITH (title, actor_stage, stage, open_stage(stage), close_stage(stage))

TEST_HERE (actors_begin_in_the_bind_pose) {
    check_joints(stage, 0.0, 5.0, 10.0, 10.0);
    CHECK(actor_status(stage).clip == MD5_NONE);
}

TEST_HERE (actors_play_once_and_hold_the_end) {
    play(stage, MD5_CHANNEL_ALL, "walk", MD5_ACTOR_ONCE, 0, 0);
    check_after(stage, 250, 25.0, 0.0, 12.5, 10.0);
    check_after(stage, 150, 40.0, 0.0, 14.0, 10.0);
    check_after(stage, 5000, 40.0, 0.0, 14.0, 10.0);
    const md5_actor_status status = actor_status(stage);
    CHECK(status.has_ended && !status.is_cycling);
    CHECK_UINT(status.time, 400);
}

TEST_HERE (actors_cycle) {
    play(stage, MD5_CHANNEL_ALL, "walk", MD5_ACTOR_CYCLE, 0, 0);
    check_after(stage, 400 + 150, 15.0, 0.0, 11.5, 10.0);
    const md5_actor_status status = actor_status(stage);
    CHECK(status.is_cycling && !status.has_ended);
    CHECK_UINT(status.time, 150);
}

TEST_HERE (actors_hold_frames) {
    play(stage, MD5_CHANNEL_ALL, "walk", MD5_ACTOR_HOLD, 3, 0);
    check_after(stage, 1000, 20.0, 0.0, 12.0, 10.0);
    CHECK_UINT(actor_status(stage).held, 3);
    play(stage, MD5_CHANNEL_ALL, "walk", MD5_ACTOR_HOLD, 77, 0);
    check_joints(stage, 40.0, 0.0, 14.0, 10.0);
    // The first frame is the base frame, whose spine is at 20 in "lift".
    play(stage, MD5_CHANNEL_ALL, "lift", MD5_ACTOR_HOLD, 0, 0);
    check_joints(stage, 0.0, 0.0, 20.0, 10.0);
}

// A pose remains unchanged until a call changes the actor, even without an advance of the time.
TEST_HERE (poses_follow_the_commands_of_the_actor) {
    static unsigned char bytes[MD5_ACTOR_SAVE_SIZE];
    play(stage, MD5_CHANNEL_ALL, "walk", MD5_ACTOR_HOLD, 3, 0);
    check_joints(stage, 20.0, 0.0, 12.0, 10.0);
    md5_actor_save(stage->actor, bytes);
    md5_actor_set_in_place(stage->actor, true);
    check_joints(stage, 0.0, 0.0, 12.0, 10.0);
    CHECK(md5_actor_restore(stage->actor, bytes, sizeof bytes, NULL));
    check_joints(stage, 20.0, 0.0, 12.0, 10.0);
    play(stage, MD5_CHANNEL_TORSO, "lift", MD5_ACTOR_HOLD, 3, 0);
    play(stage, MD5_CHANNEL_ALL, "walk", MD5_ACTOR_HOLD, 5, 0);
    check_joints(stage, 40.0, 0.0, 14.0, 10.0);
}

// Weights begin to rise one millisecond before the start: 99 ms after the start, 100 of 200 ms have
// passed.
TEST_HERE (new_clips_fade_in_over_old_ones) {
    play(stage, MD5_CHANNEL_ALL, "walk", MD5_ACTOR_HOLD, 5, 0);
    advance_stage(stage, 10);
    play(stage, MD5_CHANNEL_ALL, "lift", MD5_ACTOR_HOLD, 3, 200);
    check_after(stage, 99, 20.0, 0.0, 17.0, 15.0);
    CHECK_NEAR(actor_status(stage).weight, 0.5, 1e-6);
    check_after(stage, 50, 10.0, 0.0, 18.5, 17.5);
    // A third clip without a blend time hides both clips, which continue to fade.
    play(stage, MD5_CHANNEL_ALL, "walk", MD5_ACTOR_HOLD, 1, 0);
    check_joints(stage, 0.0, 0.0, 10.0, 10.0);
}

// A clip that is replaced at the time of its start has no effect.
TEST_HERE (clips_that_are_replaced_immediately_have_no_effect) {
    advance_stage(stage, 5);
    play(stage, MD5_CHANNEL_ALL, "walk", MD5_ACTOR_HOLD, 5, 0);
    play(stage, MD5_CHANNEL_ALL, "lift", MD5_ACTOR_HOLD, 3, 200);
    check_after(stage, 50, 0.0, 0.0, 20.0, 20.0);
}

TEST_HERE (parts_follow_their_channels_unless_the_whole_body_plays) {
    play(stage, MD5_CHANNEL_TORSO, "lift", MD5_ACTOR_HOLD, 3, 0);
    play(stage, MD5_CHANNEL_HEAD, "lift", MD5_ACTOR_HOLD, 2, 0);
    check_after(stage, 1, 0.0, 5.0, 20.0, 15.0); // the root has no channel
    play(stage, MD5_CHANNEL_ALL, "walk", MD5_ACTOR_HOLD, 5, 100);
    advance_stage(stage, 49);
    // ALL has weight 0.5; the parts are blended over it by 1 / (0.5 + 1).
    check_joints(stage, 40.0, 0.0, 14.0 + (20.0 - 14.0) / 1.5, 10.0 + 5.0 / 1.5);
    check_after(stage, 50, 40.0, 0.0, 14.0, 10.0);
}

// Eyelids are blended over all other channels, independent of the weights.
TEST_HERE (eyelids_are_blended_over_all) {
    play(stage, MD5_CHANNEL_ALL, "walk", MD5_ACTOR_HOLD, 5, 0);
    play(stage, MD5_CHANNEL_EYELIDS, "lift", MD5_ACTOR_HOLD, 2, 0);
    advance_stage(stage, 10);
    for (int i = 0; i < 2; i++) {
        md5_xform pose[ENTITY_JOINTS];
        md5_actor_pose(stage->actor, pose, NULL, NULL);
        CHECK_NEAR(pose[LID].translation.z, 1, 1e-5);
        CHECK(md5_actor_clear(stage->actor, MD5_CHANNEL_EYELIDS, 0));
    }
}

TEST_HERE (channels_are_cleared_over_time) {
    play(stage, MD5_CHANNEL_ALL, "walk", MD5_ACTOR_HOLD, 5, 0);
    play(stage, MD5_CHANNEL_TORSO, "lift", MD5_ACTOR_HOLD, 3, 0);
    advance_stage(stage, 1);
    CHECK(md5_actor_clear(stage->actor, MD5_CHANNEL_ALL, 100));
    check_after(stage, 49, 40.0, 0.0, 14.0 + (20.0 - 14.0) / 1.5, 10.0);
    // The ended clip still moves the root, because no other clip does.
    check_after(stage, 100, 40.0, 0.0, 20.0, 10.0);
    CHECK(md5_actor_clear(stage->actor, MD5_CHANNEL_ALL, 0));
    check_joints(stage, 0.0, 5.0, 20.0, 10.0);
    CHECK(!md5_actor_clear(stage->actor, MD5_NUM_CHANNELS, 0));
}

// If an animation is declared with several files, which the engine blends, the actor plays the
// first file, with its root motion.
TEST_HERE (clips_of_several_files_show_the_first) {
    play(stage, MD5_CHANNEL_ALL, "both", MD5_ACTOR_ONCE, 0, 0);
    check_after(stage, 100, 10.0, 0.0, 11.0, 10.0);
    CHECK_NEAR(moved(stage), 10, 1e-4);
}

// If no clip plays, the actor keeps the last pose. The same is true after a restore.
TEST_HERE (actors_keep_their_pose_while_nothing_plays) {
    static unsigned char bytes[MD5_ACTOR_SAVE_SIZE];
    play(stage, MD5_CHANNEL_ALL, "walk", MD5_ACTOR_CYCLE, 0, 0);
    check_after(stage, 150, 15.0, 0.0, 11.5, 10.0);
    advance_stage(stage, 50);
    CHECK(md5_actor_clear(stage->actor, MD5_CHANNEL_ALL, 0));
    md5_actor_save(stage->actor, bytes);
    for (int i = 0; i < 2; i++) {
        advance_stage(stage, 1000);
        check_joints(stage, 15.0, 0.0, 11.5, 10.0);
        // If one channel plays, the joints of channels without a clip are in the bind pose.
        play(stage, MD5_CHANNEL_TORSO, "lift", MD5_ACTOR_HOLD, 3, 0);
        check_joints(stage, 0.0, 5.0, 20.0, 10.0);
        CHECK(md5_actor_restore(stage->actor, bytes, sizeof bytes, NULL));
    }
}

// -- Frame commands -------------------------------------------------------------------------------

TEST_HERE (commands_fire_when_their_frames_are_passed) {
    play(stage, MD5_CHANNEL_ALL, "walk", MD5_ACTOR_ONCE, 0, 0);
    check_fired(stage, 0, "");
    check_fired(stage, 16, "walk:footstep ");
    check_fired(stage, 183, "");
    check_fired(stage, 1, "walk:sound_body=snd_step ");
    check_fired(stage, 100, "");
    check_fired(stage, 100, "walk:event=last ");
    check_fired(stage, 400, "");
}

// At the end of a cycle the commands of the last frame and of the first frame are called.
TEST_HERE (cycles_fire_both_ends) {
    play(stage, MD5_CHANNEL_ALL, "walk", MD5_ACTOR_CYCLE, 0, 0);
    check_fired(stage, 350, "walk:footstep walk:sound_body=snd_step ");
    check_fired(stage, 60, "walk:event=last walk:footstep ");
    // A tick that is longer than many cycles calls the commands of one cycle.
    check_fired(stage, 4000 + 340, "walk:sound_body=snd_step ");
}

// An actor that holds one frame does not fire the commands of this frame.
TEST_HERE (held_clips_are_silent) {
    play(stage, MD5_CHANNEL_ALL, "walk", MD5_ACTOR_HOLD, 1, 0);
    check_fired(stage, 100, "");
}

TEST_HERE (commands_come_channel_by_channel) {
    play(stage, MD5_CHANNEL_TORSO, "lift", MD5_ACTOR_CYCLE, 0, 0);
    play(stage, MD5_CHANNEL_ALL, "walk", MD5_ACTOR_CYCLE, 0, 0);
    check_fired(stage, 110, "walk:footstep lift:rightfoot ");
}

// Frame commands have the keywords of model declarations; unknown values do not have a name.
TEST (commands_have_words) {
    CHECK_STRING(md5_frame_code_name(MD5_FRAME_SOUND_CHATTER), "sound_chatter");
    CHECK_STRING(md5_frame_code_name(MD5_FRAME_STOP_EMITTER), "stop_emitter");
    CHECK(!md5_frame_code_name((md5_frame_code)77));
}

// -- Random choice --------------------------------------------------------------------------------

TEST_HERE (alternates_are_selected_by_the_seed) {
    const uint32_t first = stage_clip(stage, "wander1");
    const uint32_t second = stage_clip(stage, "wander2");
    CHECK(select_clip(stage, "wander2") == second);
    CHECK(select_clip(stage, "wander3") == MD5_NONE);
    CHECK(select_clip(stage, "Wander") == MD5_NONE);
    CHECK(select_clip(stage, "") == MD5_NONE);
    // seed * 69069 + 1 yields 1, 69070, 475628535: two odd numbers and an even number.
    md5_actor_set_seed(stage->actor, 0);
    CHECK(select_clip(stage, "wander") == second);
    CHECK(select_clip(stage, "wander") == first);
    md5_actor_set_seed(stage->actor, 0);
    CHECK(select_clip(stage, "wander") == second);
}

// With the seed 1 the next number is 69070. Its lowest 15 bits are 3534, and 3534 / 32768 of 400 ms
// is 43.
TEST_HERE (cycles_begin_anywhere_if_their_flag_says_so) {
    md5_actor_set_seed(stage->actor, 1);
    play(stage, MD5_CHANNEL_ALL, "wander1", MD5_ACTOR_CYCLE, 0, 0);
    CHECK_UINT(actor_status(stage).time, 43);
    play(stage, MD5_CHANNEL_ALL, "wander1", MD5_ACTOR_ONCE, 0, 0);
    CHECK_UINT(actor_status(stage).time, 0);
    // The start is a whole millisecond: 1000 - 43.14 = 956.86 becomes 956.
    advance_stage(stage, 1000);
    md5_actor_set_seed(stage->actor, 1);
    play(stage, MD5_CHANNEL_HEAD, "wander1", MD5_ACTOR_CYCLE, 0, 0);
    CHECK_UINT(md5_actor_channel(stage->actor, MD5_CHANNEL_HEAD).time, 44);
}

// The start time of a cycle with a random start is not the current time: it fades out if another
// clip starts at the current time, and its commands are called from its current frame on.
TEST_HERE (cycles_that_begin_anywhere_began_before) {
    md5_actor_set_seed(stage->actor, 1);
    play(stage, MD5_CHANNEL_ALL, "wander1", MD5_ACTOR_CYCLE, 0, 0);
    play(stage, MD5_CHANNEL_ALL, "lift", MD5_ACTOR_HOLD, 3, 100);
    advance_stage(stage, 49);
    // At 92 ms the spine is at 10.92. The blend is halfway to 20.
    check_joints(stage, 4.6, 0.0, 15.46, 15.0);
}

// The rate of Quake 4's modelDefs: "hasty" is "walk" at 2.5, which takes 160 ms.
TEST_WITH (clips_play_at_the_rate_of_their_modeldef, actor_stage, stage,
           open_stage_with(stage, "quick", MD5_PARSE_LENIENT), close_stage(stage)) {
    play(stage, MD5_CHANNEL_ALL, "hasty", MD5_ACTOR_ONCE, 0, 0);
    check_after(stage, 60, 15.0, 0.0, 11.5, 10.0);
    CHECK_UINT(actor_status(stage).time, 150);
    CHECK_NEAR(moved(stage), 15, 1e-4);
    check_fired(stage, 20, "hasty:footstep ");
    advance_stage(stage, 79);
    CHECK(!actor_status(stage).has_ended);
    advance_stage(stage, 1);
    CHECK(actor_status(stage).has_ended);
    check_joints(stage, 40.0, 0.0, 14.0, 10.0);
    play(stage, MD5_CHANNEL_ALL, "hasty", MD5_ACTOR_CYCLE, 0, 0);
    check_after(stage, 160 + 40, 10.0, 0.0, 11.0, 10.0);
}

// -- Root motion ----------------------------------------------------------------------------------

TEST_HERE (root_motion_passes_the_ends_of_cycles) {
    md5_actor_set_in_place(stage->actor, true);
    play(stage, MD5_CHANNEL_ALL, "walk", MD5_ACTOR_CYCLE, 0, 0);
    double sum = 0.0;
    for (int i = 0; i < 11; i++) {
        advance_stage(stage, 70);
        sum += moved(stage);
    }
    CHECK_NEAR(sum, 77, 1e-3);
    check_joints(stage, 0.0, 0.0, 13.7, 10.0);
    advance_stage(stage, 0);
    CHECK_EXACT(moved(stage), 0);
}

// While "walk" fades out, its root motion is multiplied by its weight.
TEST_HERE (root_motion_is_blended) {
    play(stage, MD5_CHANNEL_ALL, "walk", MD5_ACTOR_CYCLE, 0, 0);
    advance_stage(stage, 100);
    play(stage, MD5_CHANNEL_ALL, "lift", MD5_ACTOR_CYCLE, 0, 200);
    advance_stage(stage, 99);
    CHECK_NEAR(moved(stage), 9.9 / 2.0, 1e-4);
    play(stage, MD5_CHANNEL_ALL, "walk", MD5_ACTOR_HOLD, 2, 0);
    advance_stage(stage, 10);
    // A held frame has no root motion, but the clips that fade out still have.
    CHECK_NEAR(moved(stage), 1, 1e-4);
}

TEST_HERE (rotating_clips_rotate_the_root) {
    md5_actor_set_in_place(stage->actor, true);
    play(stage, MD5_CHANNEL_ALL, "turn", MD5_ACTOR_ONCE, 0, 0);
    advance_stage(stage, 50);
    const md5_vec3 rotated =
        md5_quat_rotate(md5_actor_root_motion(stage->actor).rotation, (md5_vec3){1, 0, 0});
    // -0.7071 in a file, with the w that the engine computes, is a rotation by 90 degrees to the
    // left. The expected rotation is half of it.
    CHECK_NEAR(rotated.x, 0.70710678, 1e-4);
    CHECK_NEAR(rotated.y, 0.70710678, 1e-4);
    // In the pose the root has the fixed rotation of clips with `anim_turn`: x is unchanged, y is
    // up.
    static md5_xform pose[ENTITY_JOINTS];
    md5_actor_pose(stage->actor, pose, NULL, NULL);
    CHECK_NEAR(md5_quat_rotate(pose[0].rotation, (md5_vec3){0, 1, 0}).z, 1, 1e-5);
}

TEST_HERE (palettes_equal_those_of_the_pose) {
    md5_xform pose[ENTITY_JOINTS];
    md5_mat34 joints[ENTITY_JOINTS];
    md5_mat34 palette[ENTITY_JOINTS];
    md5_mat34 alone[ENTITY_JOINTS];
    play(stage, MD5_CHANNEL_ALL, "walk", MD5_ACTOR_ONCE, 0, 0);
    md5_actor_pose(stage->actor, pose, joints, palette);
    md5_actor_pose(stage->actor, pose, NULL, alone);
    CHECK_BYTES(palette, alone, sizeof palette);
    CHECK_NEAR(md5_mat34_translation(joints[NECK]).z, 120, 1e-4);
    CHECK_NEAR(md5_mat34_translation(palette[NECK]).z, 95, 1e-4);
}

// -- Errors ---------------------------------------------------------------------------------------

TEST_HERE (actors_reject_invalid_clips) {
    CHECK(!md5_actor_play(stage->actor, MD5_CHANNEL_ALL, MD5_NONE, MD5_ACTOR_ONCE, 0, 0));
    CHECK(!md5_actor_play(stage->actor, MD5_CHANNEL_ALL, 99, MD5_ACTOR_CYCLE, 0, 0));
    CHECK(!md5_actor_play(stage->actor, MD5_NUM_CHANNELS, 0, MD5_ACTOR_HOLD, 1, 0));
    CHECK(md5_actor_channel(stage->actor, MD5_NUM_CHANNELS).clip == MD5_NONE);
    check_joints(stage, 0.0, 5.0, 10.0, 10.0);
}

TEST_HERE (actors_report_that_memory_runs_out) {
    test_heap heap = {.fail_at = 1};
    const md5_allocator allocator = {
        .alloc = test_heap_alloc, .free = test_heap_free, .user = &heap};
    md5_error error = {0};
    CHECK_FAILS(md5_create_actor(stage->entity, &allocator, &error), error, MD5_ERROR_MEMORY);
    md5_actor *const actor = md5_create_actor(stage->entity, &allocator, &error);
    CHECK(actor);
    md5_destroy_actor(actor);
    md5_destroy_actor(NULL);
    CHECK_UINT(heap.live, 0);
}

#if !defined(NDEBUG) && (defined(__unix__) || defined(__APPLE__))

TEST_HERE (actors_assert_their_arguments) {
    MISUSE("md5_actor_advance(): actor: must not be NULL",
           md5_actor_advance(test_null(), 1, NULL, NULL));
    MISUSE("md5_actor_pose(): pose: must not be NULL",
           md5_actor_pose(stage->actor, test_null(), NULL, NULL));
    MISUSE("name: must not be NULL", select_clip(stage, test_null()));
    MISUSE("bytes: must not be NULL", md5_actor_save(stage->actor, test_null()));
}

#endif

// -- Appear ---------------------------------------------------------------------------------------

// Blinking and default animations of actors, and clip names with prefixes.

#define HEAD "MD5Version 10\ncommandline \"\"\n"

// Animations of the head, 2 frames at 10 a second: one joint moves from x = 0 to x = 8.
#define HEAD_ANIM(jaw, tooth)                                                              \
    HEAD "numFrames 2\nnumJoints 3\nframeRate 10\nnumAnimatedComponents 1\nhierarchy {\n"  \
         "\"top\" -1 0 0\n\"jaw\" 0 " jaw " 0\n\"tooth\" 1 " tooth " 0\n}\nbounds {\n"     \
         "( 0 0 0 ) ( 1 1 1 )\n( 0 0 0 ) ( 1 1 1 )\n}\nbaseframe {\n( 0 0 0 ) ( 0 0 0 )\n" \
         "( 2 0 0 ) ( 0 0 0 )\n( 1 0 0 ) ( 0 0 0 )\n}\nframe 0 {\n0\n}\nframe 1 {\n8\n}\n"

static const char chew[] = HEAD_ANIM("1", "0");
static const char bite[] = HEAD_ANIM("0", "1");

#define HEAD_MODEL                                                                   \
    "model lively { mesh head.md5mesh channel eyelids ( tooth )\n"                   \
    "anim def_head chew.md5anim anim blink bite.md5anim { frame 2 event blinked }\n" \
    "anim sad_walk chew.md5anim anim sad_run1 bite.md5anim anim walk bite.md5anim }\n"

static md5_game *open_heads(const char *text)
{
    enum { MAX = 16 };
    static game_text texts[MAX];
    for (size_t i = 0; i < num_entity_files; i++)
        texts[i] = entity_files[i];
    texts[num_entity_files] = (game_text){"chew.md5anim", chew};
    texts[num_entity_files + 1] = (game_text){"bite.md5anim", bite};
    texts[num_entity_files + 2] = (game_text){"def/b.def", text};
    return open_texts(texts, num_entity_files + 3, NULL);
}

static void count_blinks(void *user, const md5_frame_command *command, const md5_entity_clip *clip,
                         md5_channel channel)
{
    *(int *)user += strcmp(command->text, "blinked") == 0 && channel == MD5_CHANNEL_EYELIDS
                    && strcmp(clip->anim->name, "blink") == 0;
}

// A head with a body that blinks every 1 to 3 seconds.
typedef struct head_stage {
    md5_game *game;
    md5_entity *entity;
    md5_actor *body, *head;
} head_stage;

static void open_head(head_stage *stage)
{
    stage->game = open_heads(HEAD_MODEL "entityDef e { \"model\" \"body\" \"def_head\" \"lively\"\n"
                                        "\"head_joint\" \"neck\" \"blink_min\" \"1\" "
                                        "\"blink_max\" \"3\" \"offsetModel\" \"1 2 3\" }");
    stage->entity = load_entity(stage->game, "e");
    stage->body = md5_create_actor(stage->entity, NULL, NULL);
    stage->head = md5_create_actor(stage->entity->parts[0].entity, NULL, NULL);
    md5_actor_spawn(stage->body, stage->entity);
    md5_actor_spawn(stage->head, stage->entity);
}

static void close_head(head_stage *stage)
{
    md5_destroy_actor(stage->body);
    md5_destroy_actor(stage->head);
    md5_free_entity(stage->entity);
    md5_destroy_game(stage->game);
}

#undef TEST_HERE
#define TEST_HERE(title) TEST_WITH (title, head_stage, stage, open_head(stage), close_head(stage))

// A separate head plays its own idle cycle and blinks, although the body does not play any clip.
TEST_HERE (heads_move_by_themselves) {
    CHECK_EXACT(stage->entity->model_offset.y, 2);
    CHECK_UINT(stage->entity->blink_min, 1000);
    CHECK_UINT(stage->entity->blink_max, 3000);
    const md5_actor_status status = md5_actor_channel(stage->head, MD5_CHANNEL_ALL);
    CHECK(status.is_cycling && status.clip == 0);
    CHECK(md5_actor_channel(stage->body, MD5_CHANNEL_ALL).clip == MD5_NONE);
    md5_xform pose[3];
    advance(stage->head, 50);
    md5_actor_pose(stage->head, pose, NULL, NULL);
    CHECK_NEAR(pose[1].translation.x, 4, 1e-4); // half of the way from 0 to 8
    CHECK_SMALL(pose[2].translation.x, 1e-4);   // the blink begins
    advance(stage->body, 50);
    CHECK(eyelids(stage->body).clip == MD5_NONE);
}

// The engine's generator from state 0 gives 1 and 3534 (for the choice of two clips), then 1015,
// 14284 and 2653: waits of 1000 + 2000 n / 32768 milliseconds.
TEST_HERE (eyelids_blink_at_random_times) {
    static const uint32_t waits[] = {1061, 1871, 1161};
    int num_blinks = 0;
    md5_actor_advance(stage->head, 10, count_blinks, &num_blinks);
    for (size_t i = 0; i < COUNT_OF(waits); i++) {
        md5_actor_advance(stage->head, 100, count_blinks, &num_blinks);
        CHECK_UINT((unsigned)num_blinks, (unsigned)i + 1);
        md5_actor_advance(stage->head, waits[i] - 101, count_blinks, &num_blinks);
        CHECK(eyelids(stage->head).has_ended);
        md5_actor_advance(stage->head, 1, count_blinks, &num_blinks);
        CHECK(!eyelids(stage->head).has_ended);
        CHECK_UINT(eyelids(stage->head).time, 0);
    }
}

TEST_HERE (blinking_stops_and_goes_on) {
    int num_blinks = 0;
    advance(stage->head, 10);
    md5_actor_set_blinking(stage->head, false);
    advance(stage->head, 84); // it fades out over two frames of 24 a second
    CHECK_EXACT(eyelids(stage->head).weight, 0);
    advance(stage->head, 5000);
    md5_actor_advance(stage->head, 5000, count_blinks, &num_blinks);
    CHECK_UINT((unsigned)num_blinks, 0);
    md5_actor_set_blinking(stage->head, true);
    advance(stage->head, 3000);
    CHECK_UINT(eyelids(stage->head).time, 0);
    // The body is an actor that never blinks.
    md5_actor_set_blinking(stage->body, false);
    advance(stage->body, 100);
    CHECK(eyelids(stage->body).clip == MD5_NONE);
}

// A body without a head blinks, but does not cycle "def_head". Invalid times are clamped.
TEST (blinks_work_for_bodies_without_heads) {
    SCOPED_GAME game = open_heads(
        HEAD_MODEL "entityDef e { \"model\" \"lively\" \"blink_min\" \"-1\" \"blink_max\" "
                   "\"1e30\" } entityDef f { \"model\" \"lively\" }");
    SCOPED_ENTITY entity = load_entity(game, "e");
    SCOPED_ENTITY default_entity = load_entity(game, "f");
    CHECK_UINT(entity->blink_min, 0);
    CHECK_UINT(entity->blink_max, MD5_MAX_BLINK_WAIT);
    CHECK_UINT(default_entity->blink_min, 500);
    CHECK_UINT(default_entity->blink_max, 8000);
    SCOPED_ACTOR actor = md5_create_actor(default_entity, NULL, NULL);
    md5_actor_spawn(actor, default_entity);
    CHECK(md5_actor_channel(actor, MD5_CHANNEL_ALL).clip == MD5_NONE);
    advance(actor, 16);
    CHECK(eyelids(actor).clip == 1);
}

typedef struct byte_change {
    size_t at;
    unsigned char value;
} byte_change;

TEST_HERE (restored_heads_blink_at_the_same_time) {
    static unsigned char bytes[MD5_ACTOR_SAVE_SIZE], changed[MD5_ACTOR_SAVE_SIZE];
    enum { CLIP = 40, MIN = 44, MAX = 48, NEXT = 52 };
    static const byte_change changes[] = {
        {CLIP, 77}, {CLIP + 3, 0x80}, {MIN + 3, 0x7F}, {MAX + 3, 0xFF}, {NEXT + 7, 1}};
    advance(stage->head, 10);
    md5_actor_save(stage->head, bytes);
    advance(stage->head, 9000);
    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        const byte_change *const row = &changes[i];
        memcpy(changed, bytes, sizeof bytes);
        changed[row->at] = row->value;
        md5_error error = {0};
        CHECK_FAILS(md5_actor_restore(stage->head, changed, sizeof changed, &error), error,
                    MD5_ERROR_RANGE);
    }
    CHECK(md5_actor_restore(stage->head, bytes, sizeof bytes, NULL));
    advance(stage->head, 1060);
    CHECK(eyelids(stage->head).has_ended);
    advance(stage->head, 1);
    CHECK_UINT(eyelids(stage->head).time, 0);
}

TEST (clips_with_a_prefix_have_precedence) {
    SCOPED_GAME game = open_heads(HEAD_MODEL);
    SCOPED_ENTITY entity = load_entity(game, "lively");
    SCOPED_ACTOR actor = md5_create_actor(entity, NULL, NULL);
    CHECK(md5_actor_choose(actor, "sad", "walk") == 2);
    CHECK(md5_actor_choose(actor, "", "walk") == 4);
    CHECK(md5_actor_choose(actor, "glad", "walk") == 4);
    CHECK(md5_actor_choose(actor, "sad", "run1") == 3); // a digit: one clip
    CHECK(md5_actor_choose(actor, "sad", "run") == 3);  // an alias
    CHECK(md5_actor_choose(actor, "sad", "sit") == MD5_NONE);
    CHECK(md5_actor_choose(actor, "sa", "walk") == 4); // "sa_walk" is not a clip
}

// The numbers of 64 successive draws are different modulo 64.
TEST (one_of_the_first_64_alternates_is_selected) {
    enum { MAX_ALTERNATES = 64 };
    char text[64 + 32 * (MAX_ALTERNATES + 1)] = "model crowd { mesh body.md5mesh\n";
    for (int i = 0; i <= MAX_ALTERNATES; i++) {
        char line[40];
        (void)snprintf(line, sizeof line, "anim cheer%d walk.md5anim\n", i);
        strcat(text, line);
    }
    strcat(text, "}\n");
    SCOPED_GAME game = open_entity_game(text, NULL);
    SCOPED_ENTITY entity = load_entity(game, "crowd");
    SCOPED_ACTOR actor = md5_create_actor(entity, NULL, NULL);
    bool is_selected[MAX_ALTERNATES + 1] = {false};
    for (int i = 0; i < MAX_ALTERNATES; i++) {
        const uint32_t clip = md5_actor_choose(actor, NULL, "cheer");
        REQUIRE(clip < MAX_ALTERNATES);
        CHECK_THAT(!is_selected[clip], "%u again", clip);
        is_selected[clip] = true;
    }
    CHECK(md5_actor_choose(actor, NULL, "cheer64") == MAX_ALTERNATES); // has a number, no alias
}

#if !defined(NDEBUG) && (defined(__unix__) || defined(__APPLE__))

TEST_WITH (appearing_actors_assert_their_arguments, actor_stage, stage, open_stage(stage),
           close_stage(stage)) {
    MISUSE("body: must not be NULL", md5_actor_spawn(stage->actor, test_null()));
    MISUSE("actor: must not be NULL", md5_actor_spawn(test_null(), stage->entity));
    MISUSE("md5_actor_set_blinking(): actor", md5_actor_set_blinking(test_null(), true));
}

#endif

// -- Save -----------------------------------------------------------------------------------------

// Saved actors: restored with the same bits, or refused.

static void make_history(actor_stage *stage)
{
    md5_actor_set_seed(stage->actor, 99);
    md5_actor_set_in_place(stage->actor, true);
    play(stage, MD5_CHANNEL_ALL, "wander1", MD5_ACTOR_CYCLE, 0, 0);
    advance_stage(stage, 33);
    play(stage, MD5_CHANNEL_ALL, "lift", MD5_ACTOR_ONCE, 0, 300);
    play(stage, MD5_CHANNEL_TORSO, "walk", MD5_ACTOR_HOLD, 3, 100);
    advance_stage(stage, 44);
}

#undef TEST_HERE
#define TEST_HERE(title) \
    TEST_WITH (title, actor_stage, stage, open_stage(stage), close_stage(stage))

TEST_HERE (restored_actors_continue_with_the_same_bits) {
    static unsigned char bytes[MD5_ACTOR_SAVE_SIZE];
    md5_xform expected[ENTITY_JOINTS], pose[ENTITY_JOINTS];
    make_history(stage);
    md5_actor_save(stage->actor, bytes);
    advance_stage(stage, 55);
    md5_actor_pose(stage->actor, expected, NULL, NULL);
    const md5_xform motion = md5_actor_root_motion(stage->actor);
    const uint32_t selected = select_clip(stage, "wander");
    advance_stage(stage, 500);
    CHECK(md5_actor_restore(stage->actor, bytes, sizeof bytes, NULL));
    advance_stage(stage, 55);
    md5_actor_pose(stage->actor, pose, NULL, NULL);
    CHECK_BYTES(pose, expected, sizeof pose);
    const md5_xform second_motion = md5_actor_root_motion(stage->actor);
    CHECK_BYTES(&second_motion, &motion, sizeof second_motion);
    CHECK(select_clip(stage, "wander") == selected);
}

static void check_refused(actor_stage *stage, const unsigned char *bytes, size_t size,
                          md5_status status, const char *message)
{
    static unsigned char before[MD5_ACTOR_SAVE_SIZE], after[MD5_ACTOR_SAVE_SIZE];
    md5_error error = {0};
    md5_actor_save(stage->actor, before);
    CHECK_FAILS(md5_actor_restore(stage->actor, bytes, size, &error), error, status);
    CHECK_THAT(strstr(error.message, message) != NULL, "message: %s", error.message);
    md5_actor_save(stage->actor, after);
    CHECK_BYTES(before, after, sizeof before);
}

TEST_HERE (saved_actors_are_checked) {
    static unsigned char bytes[MD5_ACTOR_SAVE_SIZE];
    enum {
        VERSION = 4,
        FINGERPRINT = 8,
        TIME = 16,
        FLAGS = 36,
        BLINK = 40,
        SHOWN_AT = 60,
        SLOT = 68
    };
    static const byte_change changes[] = {
        {TIME + 7, 0x7F},
        {FLAGS, 4},
        {FLAGS, 3},
        {BLINK, 0},
        {BLINK + 4, 1},
        {BLINK + 12, 1},
        {SHOWN_AT + 7, 0x7F},
        {SLOT, 66},
        {SLOT + 3, 0x80},
        {SLOT + 4, 200},
        {SLOT + 8, 2},
        {SLOT + 16 + 7, 1},
        {SLOT + 24 + 6, 0x7F},
        {SLOT + 32 + 7, 0x80},
        {SLOT + 40 + 3, 0xBF},
        {SLOT + 44 + 3, 0x7F},
        {SLOT + 48, 0},        // no cycles,
        {SLOT + 52 + 3, 0xBF}, // a rate below 0
        {SLOT + 56 + 7, 0x7F},
        {SLOT + 64, 66}, // time of the last pose
    };
    make_history(stage);
    md5_actor_save(stage->actor, bytes);
    check_refused(stage, bytes, sizeof bytes - 1, MD5_ERROR_SYNTAX,
                  "data is not a saved actor: expected 1988 bytes, found 1987 bytes");
    bytes[0] = 'm';
    check_refused(stage, bytes, sizeof bytes, MD5_ERROR_SYNTAX, "found 1988 bytes of other data");
    bytes[0] = 'M';
    bytes[VERSION] = 1;
    check_refused(stage, bytes, sizeof bytes, MD5_ERROR_MISMATCH,
                  "unsupported version of a saved actor: expected 5, found 1");
    bytes[VERSION] = 5;
    bytes[FINGERPRINT] ^= 1;
    check_refused(stage, bytes, sizeof bytes, MD5_ERROR_MISMATCH,
                  "saved actor does not match the entity: expected an actor that was saved with "
                  "the same clips");
    bytes[FINGERPRINT] ^= 1;
    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        const byte_change *const row = &changes[i];
        const unsigned char before = bytes[row->at];
        bytes[row->at] = row->value;
        check_refused(stage, bytes, sizeof bytes, MD5_ERROR_RANGE,
                      "invalid saved actor: a value is out of range; save the actor again");
        bytes[row->at] = before;
    }
    CHECK(md5_actor_restore(stage->actor, bytes, sizeof bytes, NULL));
}

// A number of a saved actor: the last value that is accepted in one direction. The next value is
// rejected.
typedef struct number_limit {
    const char *name;
    size_t at;
    size_t num_bytes;
    int64_t limit;
    int64_t next;
} number_limit;

static void write_number(unsigned char *bytes, const number_limit *number, int64_t value)
{
    for (size_t i = 0; i < number->num_bytes; i++)
        bytes[number->at + i] = (unsigned char)((uint64_t)value >> 8 * i);
}

// Floats are written as their bits: the next float has the next number.
TEST_HERE (saved_actors_have_limits_of_numbers) {
    enum {
        TIME = 16,
        BLINK = 40,
        POSED_TIME = 60,
        SLOT = 68,
        FLAGS = SLOT + 8,
        CYCLES = SLOT + 48
    };
    const int64_t min_time = -((int64_t)1 << 40);
    const int64_t max_time = (int64_t)1 << 54;
    const int64_t max_offset = (int64_t)1 << 61;
    const int64_t max_wait = MD5_MAX_BLINK_WAIT;
    const uint32_t lift = stage_clip(stage, "lift");
    const int64_t num_frames = stage->entity->clips[lift].anims[0]->num_frames;
    const int64_t num_clips = stage->entity->num_clips;
    const number_limit limits[] = {
        {"time", TIME, 8, max_time, max_time + 1},
        {"time below 0", TIME, 8, min_time, min_time - 1},
        {"previous time", TIME + 8, 8, max_time, max_time + 1},
        {"time of the last pose", POSED_TIME, 8, max_time, max_time + 1},
        {"flags", TIME + 20, 4, 3, 4},
        {"clip of blinks", BLINK, 4, num_clips - 1, num_clips},
        {"shortest wait", BLINK + 4, 4, max_wait, max_wait + 1},
        {"longest wait", BLINK + 8, 4, max_wait, max_wait + 1},
        {"next blink", BLINK + 12, 8, max_time, max_time + 1},
        {"clip", SLOT, 4, num_clips - 1, num_clips},
        {"held frame", SLOT + 4, 4, num_frames, num_frames + 1},
        {"flags of a clip", FLAGS, 4, 1, 2},
        {"start", SLOT + 16, 8, max_time, max_time + 1},
        {"start below 0", SLOT + 16, 8, min_time, min_time - 1},
        {"end", SLOT + 24, 8, max_time, max_time + 1},
        {"start of fading", SLOT + 32, 8, max_time, max_time + 1},
        {"weight of 1 before", SLOT + 40, 4, 0x3F800000, 0x3F800001},
        {"weight of -0 before", SLOT + 40, 4, 0x80000000, 0x80000001},
        {"weight of 1 after", SLOT + 44, 4, 0x3F800000, 0x3F800001},
        {"weight of -0 after", SLOT + 44, 4, 0x80000000, 0x80000001},
        {"cycles", CYCLES, 4, MD5_MAX_CYCLES, MD5_MAX_CYCLES + 1},
        {"endless cycles", CYCLES, 4, -1, -2},
        {"one cycle", CYCLES, 4, 1, 0},
        {"rate of 100", SLOT + 52, 4, 0x42C80000, 0x42C80001},
        {"rate of 0.01", SLOT + 52, 4, 0x3C23D70A, 0x3C23D709},
        {"rate of 0", SLOT + 52, 4, 0, 1},
        {"offset", SLOT + 56, 8, max_offset, max_offset + 1},
        {"offset below 0", SLOT + 56, 8, -max_offset, -max_offset - 1},
    };
    static unsigned char bytes[MD5_ACTOR_SAVE_SIZE], changed[MD5_ACTOR_SAVE_SIZE];
    const number_limit blink_clip = {.at = BLINK, .num_bytes = 4};
    make_history(stage);
    md5_actor_save(stage->actor, bytes);
    write_number(bytes, &blink_clip, lift);
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        const number_limit *const number = &limits[i];
        memcpy(changed, bytes, sizeof changed);
        write_number(changed, number, number->limit);
        CHECK_THAT(md5_actor_restore(stage->actor, changed, sizeof changed, NULL), "%s",
                   number->name);
        write_number(changed, number, number->next);
        CHECK_THAT(!md5_actor_restore(stage->actor, changed, sizeof changed, NULL), "%s: next",
                   number->name);
    }
}

// Time stops at 2^53 ms.
TEST_HERE (the_time_of_an_actor_has_a_limit) {
    const number_limit time = {.at = 16, .num_bytes = 8};
    const int64_t limit = (int64_t)1 << 53;
    static unsigned char bytes[MD5_ACTOR_SAVE_SIZE], later[MD5_ACTOR_SAVE_SIZE];
    for (int64_t i = -1; i < 1; i++) {
        md5_actor_save(stage->actor, bytes);
        write_number(bytes, &time, limit + i);
        CHECK(md5_actor_restore(stage->actor, bytes, sizeof bytes, NULL));
        advance(stage->actor, 16);
        md5_actor_save(stage->actor, later);
        write_number(bytes, &time, i < 0 ? limit + i + 16 : limit);
        CHECK_BYTES(later + time.at, bytes + time.at, time.num_bytes);
    }
}

TEST_HERE (changes_of_a_clip_have_limits) {
    md5_actor *const actor = stage->actor;
    const md5_channel all = MD5_CHANNEL_ALL;
    play(stage, all, "lift", MD5_ACTOR_ONCE, 0, 0);
    CHECK(md5_actor_set_rate(actor, all, 0.01f));
    CHECK(!md5_actor_set_rate(actor, all, nextafterf(0.01f, 0.0f)));
    CHECK(md5_actor_set_rate(actor, all, 100.0f));
    CHECK(!md5_actor_set_rate(actor, all, nextafterf(100.0f, 200.0f)));
    CHECK(md5_actor_set_cycles(actor, all, MD5_MAX_CYCLES));
    CHECK(!md5_actor_set_cycles(actor, all, MD5_MAX_CYCLES + 1));
    CHECK(md5_actor_set_start(actor, all, MD5_MAX_PASSED));
    CHECK(!md5_actor_set_start(actor, all, (int64_t)MD5_MAX_PASSED + 1));
    CHECK(md5_actor_set_start(actor, all, 0));
    CHECK(!md5_actor_set_start(actor, all, -1));
}

// An actor can continue from every accepted state.
TEST_HERE (altered_saves_are_rejected_or_playable) {
    static unsigned char bytes[MD5_ACTOR_SAVE_SIZE];
    md5_xform pose[ENTITY_JOINTS];
    uint64_t state = 7;
    make_history(stage);
    md5_actor_save(stage->actor, bytes);
    for (size_t i = 0; i < sizeof bytes; i++) {
        const unsigned char before = bytes[i];
        bytes[i] = (unsigned char)test_random_u32(&state);
        if (md5_actor_restore(stage->actor, bytes, sizeof bytes, NULL)) {
            advance_stage(stage, 12345678);
            md5_actor_pose(stage->actor, pose, NULL, NULL);
            CHECK(isfinite(pose[0].translation.x) && isfinite(pose[NECK].translation.z));
            md5_actor_root_motion(stage->actor);
        }
        bytes[i] = before;
    }
}

// -- Golden ---------------------------------------------------------------------------------------

// Compares poses of layered channels with poses of the original engine: six scenarios, 33 poses of
// 40 joints (MD5_CORPUS, golden/d3/verdicts/poses).

// -- The folder -----------------------------------------------------------------------------------

STRINGS(files) = {
    "def/rules.def",
    "skins/rules.skin",
    "materials/rules.mtr",
    "models/md5/stromar/stromar.md5mesh",
    "models/md5/stromar/s_idle.md5anim",
    "models/md5/stromar/s_forward.md5anim",
    "models/md5/stromar/s_melee_attack.md5anim",
    "models/md5/stromar/s_taunt.md5anim",
};

static const golden_folder minigame = {"d3/minigame/base", files, COUNT_OF(files)};

// -- Scenarios ------------------------------------------------------------------------------------

enum { MAX_JOINTS = 64 };

// cycle|play|frame|clear CHANNEL ANIM [FRAME] START BLEND, where `clear` has no animation.
typedef struct pose_command {
    char word[8];
    md5_channel channel;
    char anim[32];
    unsigned frame;
    unsigned start;
    unsigned blend;
} pose_command;

typedef struct scenario {
    char file[32], model[32];
    pose_command commands[8];
    int num_commands;
    const char *cursor;
} scenario;

static bool next_word(scenario *all, char *word, size_t capacity)
{
    int length = 0;
    char format[16];
    snprintf(format, sizeof format, " %%%zus%%n", capacity - 1);
    if (*all->cursor == '\n' || sscanf(all->cursor, format, word, &length) != 1)
        return false;
    all->cursor += length;
    while (*all->cursor == ' ' || *all->cursor == '\r')
        all->cursor++;
    return true;
}

static unsigned next_number(scenario *all)
{
    char word[16] = "";
    (void)next_word(all, word, sizeof word);
    return (unsigned)strtoul(word, NULL, 10);
}

// Reads a line of pose.cfg: orcPose FILE MODEL "TIMES" COMMANDS...
static void read_scenario(const char *line, scenario *all)
{
    char word[32];
    memset(all, 0, sizeof *all);
    all->cursor = line;
    (void)next_word(all, word, sizeof word);
    (void)next_word(all, all->file, sizeof all->file);
    (void)next_word(all, all->model, sizeof all->model);
    all->cursor = strchr(strchr(all->cursor, '"') + 1, '"') + 2;
    while (all->num_commands < 8 && next_word(all, word, sizeof word)) {
        pose_command *const command = &all->commands[all->num_commands++];
        snprintf(command->word, sizeof command->word, "%.7s", word);
        (void)next_word(all, word, sizeof word);
        STRINGS(names) = {"all", "torso", "legs", "head", "eyelids"};
        int channel = 0;
        while (channel < MD5_NUM_CHANNELS - 1 && strcmp(names[channel], word) != 0)
            channel++;
        command->channel = (md5_channel)channel;
        if (strcmp(command->word, "clear") != 0)
            (void)next_word(all, command->anim, sizeof command->anim);
        if (strcmp(command->word, "frame") == 0)
            command->frame = next_number(all);
        command->start = next_number(all);
        command->blend = next_number(all);
    }
}

static bool obey(md5_actor *actor, const pose_command *command)
{
    if (strcmp(command->word, "clear") == 0)
        return md5_actor_clear(actor, command->channel, command->blend);
    const uint32_t clip = md5_actor_choose(actor, NULL, command->anim);
    md5_actor_mode mode = MD5_ACTOR_HOLD;
    if (strcmp(command->word, "play") == 0)
        mode = MD5_ACTOR_ONCE;
    else if (strcmp(command->word, "cycle") == 0)
        mode = MD5_ACTOR_CYCLE;
    return md5_actor_play(actor, command->channel, clip, mode, command->frame, command->blend);
}

// -- Comparison -----------------------------------------------------------------------------------

static uint32_t read_numbers(const char **at, double *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char *end;
        numbers[i] = strtod(*at, &end);
        if (end == *at)
            return i;
        *at = end;
    }
    return count;
}

// Compares the joints of a pose with the text that follows "time N" and the bounds. Returns the
// largest difference of any number.
static double compare(md5_actor *actor, const md5_entity *entity, const char *text)
{
    static md5_xform pose[MAX_JOINTS];
    static md5_mat34 joints[MAX_JOINTS];
    double expected[12] = {0};
    CHECK(entity->model->skeleton.num_joints <= MAX_JOINTS);
    md5_actor_pose(actor, pose, joints, NULL);
    text = strstr(text, "bounds") + strlen("bounds");
    CHECK_UINT(read_numbers(&text, expected, 6), 6);
    double max_difference = 0.0;
    for (uint32_t i = 0; i < entity->model->skeleton.num_joints; i++) {
        double joint;
        CHECK_UINT(read_numbers(&text, &joint, 1), 1);
        CHECK_UINT(read_numbers(&text, expected, 12), 12);
        CHECK_UINT((unsigned)joint, i);
        for (int k = 0; k < 12; k++)
            real_update_max(&max_difference, fabs(joints[i].m[k] - expected[k]));
    }
    return max_difference;
}

// Returns the seed after a scenario. The random numbers of the engine continue from scenario to
// scenario: a name without a digit at its end uses one number, and so does a cycle of "idle", which
// begins at a random time.
static uint32_t seed_after(const scenario *all, uint32_t seed)
{
    for (int i = 0; i < all->num_commands; i++) {
        const pose_command *const command = &all->commands[i];
        const size_t length = strlen(command->anim);
        const bool is_exact = length == 0 || strchr("0123456789", command->anim[length - 1]);
        const bool is_anywhere =
            strcmp(command->word, "cycle") == 0 && strcmp(command->anim, "idle") == 0;
        if (!is_exact)
            seed = seed * 69069u + 1u;
        if (is_anywhere)
            seed = seed * 69069u + 1u;
    }
    return seed;
}

// Returns the number of poses that are equal.
static uint32_t play_scenario(md5_game *game, const scenario *all, uint32_t seed,
                              uint32_t *num_poses)
{
    uint32_t num_equal = 0;
    int next = 0;
    SCOPED_ENTITY entity = md5_load_entity(game, all->model, NULL, NULL);
    char name[64];
    snprintf(name, sizeof name, "d3/verdicts/poses/%s", all->file);
    SCOPED_STRING golden = read_golden(name, NULL);
    CHECK(entity && golden);
    SCOPED_ACTOR actor = entity ? md5_create_actor(entity, NULL, NULL) : NULL;
    unsigned last_time = 0;
    if (actor)
        md5_actor_set_seed(actor, seed);
    if (actor) {
        for (const char *at = golden ? strstr(golden, "\ntime ") : NULL; at;
             at = strstr(at + 1, "\ntime ")) {
            const unsigned time = (unsigned)strtoul(at + strlen("\ntime "), NULL, 10);
            for (; next < all->num_commands && all->commands[next].start <= time; next++) {
                md5_actor_advance(actor, all->commands[next].start - last_time, NULL, NULL);
                last_time = all->commands[next].start;
                CHECK(obey(actor, &all->commands[next]));
            }
            advance(actor, time - last_time);
            last_time = time;
            const double distance = compare(actor, entity, at);
            (*num_poses)++;
            num_equal += distance <= 1e-4;
            CHECK_THAT(distance <= 1e-4, "%s at %u ms: off by %g", all->file, time, distance);
        }
    }
    return num_equal;
}

TEST (actor_poses_equal_those_of_the_original_engine) {
    REQUIRE_CORPUS();
    uint32_t num_equal = 0;
    uint32_t num_poses = 0;
    uint32_t seed = 0;
    SCOPED_GAME game = open_golden_game(&minigame, NULL);
    SCOPED_STRING config = read_golden("d3/verdicts/poses/pose.cfg", NULL);
    CHECK(game && config && md5_game_set_parse_mode(game, MD5_PARSE_ENGINE, NULL));
    for (const char *line = config; line && *line;) {
        scenario all;
        read_scenario(line, &all);
        num_equal += play_scenario(game, &all, seed, &num_poses);
        seed = seed_after(&all, seed);
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    CHECK_UINT(num_poses, 33);
    CHECK_UINT(num_equal, 33);
}
