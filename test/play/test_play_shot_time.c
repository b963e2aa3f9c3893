// One-shots over time: events, root motion, and that the result does not depend on how time is
// split.
#include "test/play/test_play_case.h"

#include <stdio.h>
#include <string.h>

enum { BASE, LUNGE, NOD, CLIPS, MOST_HEARD = 256 };

static const double frame_rate = 20.0;

typedef struct heard {
    const md5_event *events[MOST_HEARD];
    float weights[MOST_HEARD];
    uint32_t count;
} heard;

typedef struct acting {
    play_case made;
    md5_machine *machine;
    md5_player *player;
    heard heard;
    play_place place;
} acting;

// Two clips that walk, at 40 and 100 units a second, and one that stands; masks with and without
// joint 0.
static void begin(acting *of)
{
    static const uint32_t num_frames[CLIPS] = {25, 17, 21};
    static const play_walk walks[CLIPS] = {{40.0, 0.0, 0.0}, {100.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    memset(of, 0, sizeof *of);
    play_begin(&of->made);
    for (uint32_t i = 0; i < CLIPS; i++)
        play_add_clip(&of->made, num_frames[i], frame_rate, 0.5, walks[i], 31 + i);
    of->machine =
        play_machine_read(&of->made, NULL,
                          "clip base f { walk frame 0 step left frame 12 step right } "
                          "clip lunge f { walk frame 0 begin frame 8 hit frame 16 end } clip nod f "
                          "mask upper ( *spine ) { feather 1 } mask lower ( *origin -*spine ) "
                          "layer body { state base base }");
    of->player = play_player(of->machine);
}

static void end(acting *of)
{
    md5_destroy_player(of->player);
    md5_destroy_machine(of->machine);
    play_end(&of->made);
}

static void hear(void *user, md5_player *player, const md5_event *event, float weight)
{
    acting *const of = user;
    CHECK(player == of->player && weight > 0.0f && weight <= 1.0f);
    if (of->heard.count == MOST_HEARD)
        return;
    of->heard.events[of->heard.count] = event;
    of->heard.weights[of->heard.count++] = weight;
}

static void advance(acting *of, double seconds)
{
    md5_player_advance(of->player, seconds, hear, of);
    play_go_on(&of->place, md5_player_root_motion(of->player));
}

// Events of one-shots that were heard, in words; those of the layer are left out.
static void report(const acting *of, char *text, size_t size)
{
    text[0] = '\0';
    for (uint32_t i = 0; i < of->heard.count; i++) {
        const size_t used = strlen(text);
        if (strcmp(of->heard.events[i]->name, "step") != 0)
            snprintf(text + used, size - used, "%s %.4f ", of->heard.events[i]->name,
                     (double)of->heard.weights[i]);
    }
}

#define EXPECT_EVENTS(of, expected)              \
    do {                                         \
        char reported[1024];                     \
        report((of), reported, sizeof reported); \
        CHECK_STRING(reported, expected);        \
        (of)->heard.count = 0;                   \
    } while (0)

#define TEST_HERE(title) TEST_WITH (title, acting, of, begin(of), end(of))

TEST_HERE (shot_fires_its_events_once) {
    md5_player_play_shot(of->player, 0, LUNGE, NULL);
    advance(of, 0.0);
    EXPECT_EVENTS(of, "begin 1.0000 ");
    advance(of, 0.4);
    EXPECT_EVENTS(of, "hit 1.0000 ");
    advance(of, 0.4);
    EXPECT_EVENTS(of, "end 1.0000 ");
    advance(of, 5.0);
    EXPECT_EVENTS(of, "");
    // All of it in one step; twice around.
    md5_player_play_shot(of->player, 1, LUNGE, &(md5_shot_desc){.weight = 0.5f});
    advance(of, 5.0);
    EXPECT_EVENTS(of, "begin 0.5000 hit 0.5000 end 0.5000 ");
    md5_player_play_shot(of->player, 1, LUNGE, &(md5_shot_desc){.end = MD5_SHOT_LOOPS});
    advance(of, 1.7);
    EXPECT_EVENTS(of, "begin 1.0000 hit 1.0000 end 1.0000 begin 1.0000 hit 1.0000 end 1.0000 "
                      "begin 1.0000 ");
    // Backward from its end.
    md5_player_play_shot(of->player, 1, LUNGE, &(md5_shot_desc){.speed = -2.0f});
    advance(of, 1.0);
    EXPECT_EVENTS(of, "end 1.0000 hit 1.0000 begin 1.0000 ");
    // Backward from the start of a cycle, which is the end of the cycle before.
    md5_player_play_shot(of->player, 1, LUNGE,
                         &(md5_shot_desc){.speed = -1.0f, .end = MD5_SHOT_LOOPS});
    advance(of, 0.6);
    EXPECT_EVENTS(of, "begin 1.0000 end 1.0000 hit 1.0000 ");
}

// With negative time it plays backward, leaves the fade at its end, and waits at its start.
TEST_HERE (shot_goes_back_in_time) {
    md5_player_play_shot(of->player, 0, LUNGE, &(md5_shot_desc){.fade_out = 0.5f});
    advance(of, 0.7);
    CHECK_NEAR((double)md5_player_shot(of->player, 0).weight, 0.2, 1e-6);
    of->heard.count = 0;
    advance(of, -0.6);
    EXPECT_EVENTS(of, "hit 0.8000 ");
    CHECK_NEAR((double)md5_player_shot(of->player, 0).weight, 1.0, 1e-6);
    advance(of, -5.0);
    EXPECT_EVENTS(of, "begin 1.0000 ");
    advance(of, 0.4);
    EXPECT_EVENTS(of, "hit 0.8000 ");
    CHECK_NEAR(md5_player_shot(of->player, 0).time, 0.5, 1e-9);
}

// The middle of the first eighth of a linear fade is 1/16.
TEST_HERE (shot_events_within_fades_have_their_weight) {
    const md5_shot_desc slow = {.fade_in = 0.5f, .fade_out = 0.5f};
    md5_player_play_shot(of->player, 0, LUNGE, &slow);
    advance(of, 1.0);
    EXPECT_EVENTS(of, "begin 0.0625 hit 0.6400 end 0.0625 ");
    // Stopped before the hit: at 0.4 s a third is left. A one-shot that has stopped is silent.
    md5_player_play_shot(of->player, 0, LUNGE, NULL);
    advance(of, 0.2);
    md5_player_stop_shot(of->player, 0, 0.3f);
    advance(of, 1.0);
    EXPECT_EVENTS(of, "begin 1.0000 hit 0.3333 ");
    // A one-shot that is replaced in the moment of its start fires nothing.
    md5_player_play_shot(of->player, 0, LUNGE, &slow);
    md5_player_play_shot(of->player, 0, NOD, &slow);
    advance(of, 1.0);
    EXPECT_EVENTS(of, "");
}

TEST (shot_moves_the_root_by_its_weight_at_joint_0) {
    static const struct {
        md5_shot_desc desc;
        uint32_t clip;
        double way; // in 0.8 s
    } cases[] = {
        {{0}, LUNGE, 80.0},
        {{.weight = 0.5f}, LUNGE, 56.0},
        {{.mask = "upper"}, LUNGE, 32.0},
        {{.mask = "lower"}, LUNGE, 80.0},
        {{.fade_in = 0.2f, .fade_out = 0.3f}, LUNGE, 40.0 * 0.8 + 60.0 * 0.55},
        {{.mode = MD5_LAYER_ADD, .weight = 0.25f}, LUNGE, 32.0 + 20.0},
        {{.speed = -1.0f, .mode = MD5_LAYER_ADD}, LUNGE, 32.0 - 80.0},
        {{.end = MD5_SHOT_LOOPS}, NOD, 0.0},
        {{.end = MD5_SHOT_LOOPS, .mask = "upper"}, NOD, 32.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        acting of;
        begin(&of);
        CHECK(md5_player_play_shot(of.player, 0, cases[i].clip, &cases[i].desc));
        advance(&of, 0.8);
        if (!CHECK_NEAR(of.place.x, cases[i].way, 2e-3))
            printf("case %zu\n", i);
        md5_player_stop_shot(of.player, 0, 0.0f);
        of.place.x = 0.0;
        advance(&of, 1.0);
        CHECK_NEAR(of.place.x, 40.0, 1e-3);
        end(&of);
    }
}

// The root moves from the one to the other as the weights do.
TEST_HERE (shot_that_replaces_another_shares_the_root) {
    md5_player_play_shot(of->player, 0, LUNGE, &(md5_shot_desc){.end = MD5_SHOT_LOOPS});
    advance(of, 0.1);
    md5_player_play_shot(of->player, 0, NOD,
                         &(md5_shot_desc){.fade_in = 0.4f, .end = MD5_SHOT_LOOPS});
    of->place.x = 0.0;
    advance(of, 0.4);
    CHECK_NEAR(of->place.x, 100.0 * 0.2, 2e-3);
}

// -- Splits -----------------------------------------------------------------------------------

static void act(acting *of, uint64_t *random)
{
    static const char *const masks[] = {NULL, NULL, "upper", "lower"};
    const md5_easing easing = {.kind = (md5_ease_kind)(test_random_u32(random) % 3)};
    const md5_shot_desc desc = {
        .mode = (md5_layer_mode)(test_random_u32(random) % 2),
        .mask = masks[test_random_u32(random) % 4],
        .end = (md5_shot_end)(test_random_u32(random) % 3),
        .speed = (float)(3.0 * test_random(random) - 1.0),
        .start = 0.5 * (test_random_u32(random) % 2),
        .fade_in = 0.15f * (float)(test_random_u32(random) % 3),
        .fade_out = 0.1f * (float)(test_random_u32(random) % 3),
        .fade_in_easing = easing,
        .fade_out_easing = easing,
    };
    const uint32_t choice = test_random_u32(random) % 4, slot = test_random_u32(random) % 2;
    const uint32_t clip = test_random_u32(random) % CLIPS;
    if (choice == 0)
        md5_player_stop_shot(of->player, slot, desc.fade_in);
    else if (choice < 3)
        CHECK(md5_player_play_shot(of->player, slot, clip, &desc));
}

// The same stretch of time in random parts.
static void advance_split(acting *of, double seconds, uint64_t *random)
{
    double left = seconds;
    for (int i = 0; i < 12; i++) {
        const double part = test_random_u32(random) % 4 == 0 ? 0.0 : left * test_random(random);
        advance(of, part);
        left -= part;
    }
    advance(of, left);
}

static void compare(const acting *whole, const acting *split)
{
    md5_xform pose[PLAY_JOINTS], other[PLAY_JOINTS];
    CHECK_UINT(split->heard.count, whole->heard.count);
    for (uint32_t i = 0; i < whole->heard.count && i < split->heard.count; i++) {
        CHECK_STRING(split->heard.events[i]->name, whole->heard.events[i]->name);
        CHECK_NEAR((double)split->heard.weights[i], (double)whole->heard.weights[i], 1e-4);
    }
    play_pose(whole->player, pose);
    play_pose(split->player, other);
    CHECK_NEAR(play_pose_distance(pose, other), 0.0, 1e-4);
    CHECK_NEAR(split->place.x, whole->place.x, 0.05);
    for (uint32_t slot = 0; slot < 4; slot++) {
        const md5_shot_status a = md5_player_shot(whole->player, slot);
        const md5_shot_status b = md5_player_shot(split->player, slot);
        CHECK(a.is_playing == b.is_playing && a.clip == b.clip && a.is_stopping == b.is_stopping);
        CHECK_NEAR(b.time, a.time, 1e-8);
    }
}

TEST (shot_is_the_same_in_any_split_of_time) {
    static acting whole, split;
    begin(&whole);
    begin(&split);
    uint64_t random = 5, same = 5, cuts = 6;
    for (int i = 0; i < 400; i++) {
        act(&whole, &random);
        act(&split, &same);
        const double stretch = 1.5 * test_random(&random) - (i % 5 == 4 ? 1.5 : 0.0);
        test_random(&same);
        whole.heard.count = split.heard.count = 0;
        whole.place = split.place = (play_place){0};
        advance(&whole, stretch);
        advance_split(&split, stretch, &cuts);
        compare(&whole, &split);
    }
    end(&whole);
    end(&split);
}
