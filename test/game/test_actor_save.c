// Saved actors: restored with the same bits, or refused.
#include "test/game/entity_case.h"
#include "test/test.h"

#include <math.h>
#include <string.h>

static void make_history(actor_stage *stage)
{
    md5_actor_set_seed(stage->actor, 99);
    md5_actor_set_in_place(stage->actor, true);
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "wander1"),
                         MD5_ACTOR_CYCLE, 0, 0));
    advance_stage(stage, 33);
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_ALL, stage_clip(stage, "lift"), MD5_ACTOR_ONCE,
                         0, 300));
    CHECK(md5_actor_play(stage->actor, MD5_CHANNEL_TORSO, stage_clip(stage, "walk"), MD5_ACTOR_HOLD,
                         3, 100));
    advance_stage(stage, 44);
}

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
    const uint32_t chosen = md5_actor_choose(stage->actor, NULL, "wander");
    advance_stage(stage, 500);
    md5_error error;
    CHECK(md5_actor_restore(stage->actor, bytes, sizeof bytes, &error));
    advance_stage(stage, 55);
    md5_actor_pose(stage->actor, pose, NULL, NULL);
    CHECK(memcmp(pose, expected, sizeof pose) == 0);
    const md5_xform again = md5_actor_root_motion(stage->actor);
    CHECK(memcmp(&again, &motion, sizeof again) == 0);
    CHECK(md5_actor_choose(stage->actor, NULL, "wander") == chosen);
}

static void check_refused(actor_stage *stage, const unsigned char *bytes, size_t size,
                          md5_status status, const char *message)
{
    static unsigned char before[MD5_ACTOR_SAVE_SIZE], after[MD5_ACTOR_SAVE_SIZE];
    md5_error error;
    md5_actor_save(stage->actor, before);
    CHECK(!md5_actor_restore(stage->actor, bytes, size, &error));
    CHECK_UINT(error.status, status);
    test_check(strstr(error.message, message) != NULL, __FILE__, __LINE__, "message: %s",
               error.message);
    md5_actor_save(stage->actor, after);
    CHECK(memcmp(before, after, sizeof before) == 0);
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
    static const struct change {
        size_t at;
        unsigned char value;
    } changes[] = {
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
        {SLOT + 48, 66}, // of the last pose
    };
    make_history(stage);
    md5_actor_save(stage->actor, bytes);
    check_refused(stage, bytes, sizeof bytes - 1, MD5_ERROR_SYNTAX, "expected the 1508 bytes");
    bytes[0] = 'm';
    check_refused(stage, bytes, sizeof bytes, MD5_ERROR_SYNTAX, "something else");
    bytes[0] = 'M';
    bytes[VERSION] = 1;
    check_refused(stage, bytes, sizeof bytes, MD5_ERROR_MISMATCH, "version 1");
    bytes[VERSION] = 4;
    bytes[FINGERPRINT] ^= 1;
    check_refused(stage, bytes, sizeof bytes, MD5_ERROR_MISMATCH, "other clips");
    bytes[FINGERPRINT] ^= 1;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        const unsigned char before = bytes[changes[i].at];
        bytes[changes[i].at] = changes[i].value;
        check_refused(stage, bytes, sizeof bytes, MD5_ERROR_RANGE, "out of range");
        bytes[changes[i].at] = before;
    }
    CHECK(md5_actor_restore(stage->actor, bytes, sizeof bytes, NULL));
}

// Whatever bytes are accepted, an actor can go on from them.
TEST_HERE (altered_saves_are_refused_or_playable) {
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
            (void)md5_actor_root_motion(stage->actor);
        }
        bytes[i] = before;
    }
}
