// Blinking and default animations of actors, and clip names with prefixes.
#include "test/game/entity_case.h"
#include "test/mistake.h"
#include "test/test.h"

#include <math.h>
#include <string.h>

#define HEAD "MD5Version 10\ncommandline \"\"\n"

// Animations of the head, 2 frames at 10 a second: one joint moves from x = 0 to x = 8.
#define HEAD_ANIM(jaw, tooth)                                                              \
    HEAD "numFrames 2\nnumJoints 3\nframeRate 10\nnumAnimatedComponents 1\nhierarchy {\n"  \
         "\"top\" -1 0 0\n\"jaw\" 0 " jaw " 0\n\"tooth\" 1 " tooth " 0\n}\nbounds {\n"     \
         "( 0 0 0 ) ( 1 1 1 )\n( 0 0 0 ) ( 1 1 1 )\n}\nbaseframe {\n( 0 0 0 ) ( 0 0 0 )\n" \
         "( 2 0 0 ) ( 0 0 0 )\n( 1 0 0 ) ( 0 0 0 )\n}\nframe 0 {\n0\n}\nframe 1 {\n8\n}\n"

static const char chew[] = HEAD_ANIM("1", "0"), bite[] = HEAD_ANIM("0", "1");

#define HEAD_MODEL                                                                   \
    "model lively { mesh head.md5mesh channel eyelids ( tooth )\n"                   \
    "anim def_head chew.md5anim anim blink bite.md5anim { frame 2 event blinked }\n" \
    "anim sad_walk chew.md5anim anim sad_run1 bite.md5anim anim walk bite.md5anim }\n"

static md5_game *open_heads(const char *text)
{
    enum { MOST = 16 };
    static game_text texts[MOST];
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

// A head with a body that waits 1 to 3 seconds between two blinks.
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

#define TEST_HERE(title) TEST_WITH (title, head_stage, stage, open_head(stage), close_head(stage))

TEST_HERE (heads_move_by_themselves) {
    CHECK_NEAR((double)stage->entity->model_offset.y, 2.0, 0.0);
    CHECK_UINT(stage->entity->blink_min, 1000);
    CHECK_UINT(stage->entity->blink_max, 3000);
    const md5_actor_status status = md5_actor_channel(stage->head, MD5_CHANNEL_ALL);
    CHECK(status.is_cycling && status.clip == 0);
    CHECK(md5_actor_channel(stage->body, MD5_CHANNEL_ALL).clip == MD5_NONE);
    md5_xform pose[3];
    md5_actor_advance(stage->head, 50, NULL, NULL);
    md5_actor_pose(stage->head, pose, NULL, NULL);
    CHECK_NEAR((double)pose[1].translation.x, 4.0, 1e-4); // half of the way from 0 to 8
    CHECK_NEAR((double)pose[2].translation.x, 0.0, 1e-4); // the blink begins
    md5_actor_advance(stage->body, 50, NULL, NULL);
    CHECK(md5_actor_channel(stage->body, MD5_CHANNEL_EYELIDS).clip == MD5_NONE);
}

// The engine's generator from state 0 gives 1 and 3534 (for the choice of two clips), then 1015,
// 14284 and 2653: waits of 1000 + 2000 n / 32768 milliseconds.
TEST_HERE (eyelids_blink_at_random_times) {
    static const uint32_t waits[] = {1061, 1871, 1161};
    int num_blinks = 0;
    md5_actor_advance(stage->head, 10, count_blinks, &num_blinks);
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        md5_actor_advance(stage->head, 100, count_blinks, &num_blinks);
        CHECK_UINT((unsigned)num_blinks, (unsigned)i + 1);
        md5_actor_advance(stage->head, waits[i] - 101, count_blinks, &num_blinks);
        CHECK(md5_actor_channel(stage->head, MD5_CHANNEL_EYELIDS).has_ended);
        md5_actor_advance(stage->head, 1, count_blinks, &num_blinks);
        CHECK(!md5_actor_channel(stage->head, MD5_CHANNEL_EYELIDS).has_ended);
        CHECK_UINT(md5_actor_channel(stage->head, MD5_CHANNEL_EYELIDS).time, 0);
    }
}

TEST_HERE (blinking_stops_and_goes_on) {
    int num_blinks = 0;
    md5_actor_advance(stage->head, 10, NULL, NULL);
    md5_actor_set_blinking(stage->head, false);
    md5_actor_advance(stage->head, 84, NULL, NULL); // it fades out over two frames of 24 a second
    CHECK_NEAR((double)md5_actor_channel(stage->head, MD5_CHANNEL_EYELIDS).weight, 0.0, 0.0);
    md5_actor_advance(stage->head, 5000, NULL, NULL);
    md5_actor_advance(stage->head, 5000, count_blinks, &num_blinks);
    CHECK_UINT((unsigned)num_blinks, 0);
    md5_actor_set_blinking(stage->head, true);
    md5_actor_advance(stage->head, 3000, NULL, NULL);
    CHECK_UINT(md5_actor_channel(stage->head, MD5_CHANNEL_EYELIDS).time, 0);
    // The body is an actor that never blinks.
    md5_actor_set_blinking(stage->body, false);
    md5_actor_advance(stage->body, 100, NULL, NULL);
    CHECK(md5_actor_channel(stage->body, MD5_CHANNEL_EYELIDS).clip == MD5_NONE);
}

// A body without a head blinks, but does not cycle "def_head". Invalid times are clamped.
TEST (bodies_without_heads_blink_too) {
    md5_game *const game = open_heads(
        HEAD_MODEL "entityDef e { \"model\" \"lively\" \"blink_min\" \"-1\" \"blink_max\" "
                   "\"1e30\" } entityDef f { \"model\" \"lively\" }");
    md5_entity *const entity = load_entity(game, "e"), *const other = load_entity(game, "f");
    CHECK_UINT(entity->blink_min, 0);
    CHECK_UINT(entity->blink_max, MD5_MAX_BLINK_WAIT);
    CHECK_UINT(other->blink_min, 500);
    CHECK_UINT(other->blink_max, 8000);
    md5_actor *const actor = md5_create_actor(other, NULL, NULL);
    md5_actor_spawn(actor, other);
    CHECK(md5_actor_channel(actor, MD5_CHANNEL_ALL).clip == MD5_NONE);
    md5_actor_advance(actor, 16, NULL, NULL);
    CHECK(md5_actor_channel(actor, MD5_CHANNEL_EYELIDS).clip == 1);
    md5_destroy_actor(actor);
    md5_free_entity(entity);
    md5_free_entity(other);
    md5_destroy_game(game);
}

TEST_HERE (restored_heads_blink_at_the_same_time) {
    static unsigned char bytes[MD5_ACTOR_SAVE_SIZE], changed[MD5_ACTOR_SAVE_SIZE];
    enum { CLIP = 40, MIN = 44, MAX = 48, NEXT = 52 };
    static const struct change {
        size_t at;
        unsigned char value;
    } changes[] = {{CLIP, 77}, {CLIP + 3, 0x80}, {MIN + 3, 0x7F}, {MAX + 3, 0xFF}, {NEXT + 7, 1}};
    md5_actor_advance(stage->head, 10, NULL, NULL);
    md5_actor_save(stage->head, bytes);
    md5_actor_advance(stage->head, 9000, NULL, NULL);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        memcpy(changed, bytes, sizeof bytes);
        changed[changes[i].at] = changes[i].value;
        md5_error error;
        CHECK(!md5_actor_restore(stage->head, changed, sizeof changed, &error));
        CHECK_UINT(error.status, MD5_ERROR_RANGE);
    }
    CHECK(md5_actor_restore(stage->head, bytes, sizeof bytes, NULL));
    md5_actor_advance(stage->head, 1060, NULL, NULL);
    CHECK(md5_actor_channel(stage->head, MD5_CHANNEL_EYELIDS).has_ended);
    md5_actor_advance(stage->head, 1, NULL, NULL);
    CHECK_UINT(md5_actor_channel(stage->head, MD5_CHANNEL_EYELIDS).time, 0);
}

TEST (clips_with_a_prefix_count_first) {
    md5_game *const game = open_heads(HEAD_MODEL);
    md5_entity *const entity = load_entity(game, "lively");
    md5_actor *const actor = md5_create_actor(entity, NULL, NULL);
    CHECK(md5_actor_choose(actor, "sad", "walk") == 2);
    CHECK(md5_actor_choose(actor, "", "walk") == 4);
    CHECK(md5_actor_choose(actor, "glad", "walk") == 4);
    CHECK(md5_actor_choose(actor, "sad", "run1") == 3); // a digit: one clip
    CHECK(md5_actor_choose(actor, "sad", "run") == 3);  // an alias
    CHECK(md5_actor_choose(actor, "sad", "sit") == MD5_NONE);
    CHECK(md5_actor_choose(actor, "sa", "walk") == 4); // "sa_walk" is no clip
    md5_destroy_actor(actor);
    md5_free_entity(entity);
    md5_destroy_game(game);
}

#if !defined(NDEBUG) && (defined(__unix__) || defined(__APPLE__))

static void appear_nowhere(const void *context)
{
    md5_actor_spawn((md5_actor *)(uintptr_t)context, test_null());
}

static void appear_as_nobody(const void *context)
{
    md5_actor_spawn(test_null(), context);
}

static void blink_nowhere(const void *context)
{
    (void)context;
    md5_actor_set_blinking(test_null(), true);
}

static void choose_without_name(const void *context)
{
    (void)md5_actor_choose((md5_actor *)(uintptr_t)context, NULL, test_null());
}

TEST_WITH (appearing_actors_assert_their_arguments, actor_stage, stage, open_stage(stage),
           close_stage(stage)) {
    CHECK(strstr(test_message_of(appear_nowhere, stage->actor), "body: not NULL"));
    CHECK(strstr(test_message_of(appear_as_nobody, stage->entity), "actor: not NULL"));
    CHECK(strstr(test_message_of(blink_nowhere, NULL), "md5_actor_set_blinking(): actor"));
    CHECK(strstr(test_message_of(choose_without_name, stage->actor), "name: not NULL"));
}

#endif
