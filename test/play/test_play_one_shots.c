// Tests of one-shot clips: their effect on the pose compared with double precision, slots, fades
// and errors.
//
// The later parts test their events and root motion over time, fades with curves, sections
// (compared with a simulator), stops by events, and the table of one-shot clips in a machine.
#include "test/scoped.h"
#include "test/play/test_play_case.h"

enum { BASE, HIT, WAVE };

// Clips of 25, 17 and 21 frames at 20 Hz: 1.2, 0.8 and 1 s.
static const uint32_t one_shots_num_frames[3] = {25, 17, 21};
static const double rate = 20;

static void begin(play_scene *fixture)
{
    play_scene_begin(fixture);
    for (uint32_t i = 0; i < 3; i++)
        play_scene_add(fixture, one_shots_num_frames[i], rate, 0.4 + 0.2 * i, 11 + i);
    play_scene_read(fixture,
                    "float top mask upper ( *spine ) { feather 2 } mask arms ( *larm *rarm ) "
                    "layer body { state base a } layer top { add weight top state top c }");
}

static void advance(play_scene *fixture, double seconds)
{
    play_advance(fixture->player, seconds);
}

// Samples a looping clip at a time in seconds.
static void real_loop(const play_scene *fixture, uint32_t clip, double seconds,
                      real_transform *pose)
{
    play_real_sample(fixture->assets.anims[clip],
                     fmod(seconds * rate, one_shots_num_frames[clip] - 1.0), pose);
}

static double miss(const play_scene *fixture, const real_transform *expected)
{
    return play_miss(fixture->player, expected);
}

static void build_mask(const play_scene *fixture, uint32_t mask, float *weights)
{
    md5_build_mask(&fixture->assets.model->skeleton,
                   md5_machine_tables(fixture->machine)->masks[mask].joints, mask == 0 ? 2 : 0,
                   weights, NULL);
}

// Returns the weight of a clip of 0.8 s with linear fades of 0.2 s in and 0.3 s out.
static double expected_weight(double time)
{
    return fmin(time / 0.2, 1) * fmin((0.8 - time) / 0.3, 1);
}

TEST (one_shot_is_blended_over_the_layers_with_its_fades) {
    for (int masked = 0; masked < 2; masked++) {
        SCOPED_PLAY fixture;
        float mask[PLAY_JOINTS];
        begin(&fixture);
        build_mask(&fixture, 0, mask);
        const md5_one_shot_desc desc = {
            .mask = masked ? "upper" : NULL, .weight = 0.75f, .fade_in = 0.2f, .fade_out = 0.3f};
        advance(&fixture, 0.35);
        CHECK(md5_player_play_one_shot(fixture.player, 0, HIT, &desc));
        for (int step = 1; step < 16; step++) {
            real_transform base[PLAY_JOINTS];
            real_transform hit[PLAY_JOINTS];
            real_transform expected[PLAY_JOINTS];
            const double time = 0.05 * step;
            const double weight = 0.75 * expected_weight(time);
            advance(&fixture, 0.05);
            real_loop(&fixture, BASE, 0.35 + time, base);
            real_loop(&fixture, HIT, time, hit);
            play_real_blend(base, hit, weight, masked ? mask : NULL, expected);
            CHECK_SMALL(miss(&fixture, expected), 2e-5);
            const md5_one_shot_status status = md5_player_one_shot(fixture.player, 0);
            CHECK(status.is_playing && status.clip == HIT && !status.is_stopping);
            CHECK_NEAR(status.weight, weight, 1e-6);
            CHECK_NEAR(status.time, time / 0.8, 1e-9);
        }
        advance(&fixture, 0.05);
        CHECK(!md5_player_one_shot(fixture.player, 0).is_playing);
        real_transform base[PLAY_JOINTS];
        real_loop(&fixture, BASE, 1.15, base);
        CHECK_SMALL(miss(&fixture, base), 2e-5);
    }
}

// A slot can contain four one-shots. If a fifth begins, the one-shot with the smallest weight, here
// the first, ends immediately. The second player never plays it and must have the same poses.
TEST (one_shot_of_least_weight_leaves_a_full_slot) {
    SCOPED_PLAY fixture;
    begin(&fixture);
    SCOPED_PLAYER second = md5_create_player(fixture.machine, NULL, NULL);
    for (int i = 0; i < 5; i++) {
        const md5_one_shot_desc desc = {
            .weight = i == 0 ? 0.01f : 1.0f, .end = MD5_ONE_SHOT_LOOPS, .fade_in = 1};
        CHECK((play_player_distance(fixture.player, second) > 0) == (i > 0));
        CHECK(md5_player_play_one_shot(fixture.player, 0, i % 2 == 0 ? HIT : WAVE, &desc));
        if (i > 0)
            CHECK(md5_player_play_one_shot(second, 0, i % 2 == 0 ? HIT : WAVE, &desc));
        CHECK((play_player_distance(fixture.player, second) == 0) == (i == 0 || i == 4));
        advance(&fixture, 0.1);
        play_advance(second, 0.1);
    }
    CHECK(play_player_distance(fixture.player, second) == 0);
}

// An additive one-shot adds the difference between its clip and a reference frame, which belongs to
// the same clip or to another clip.
TEST (one_shot_adds_its_difference) {
    for (int variant = 0; variant < 3; variant++) {
        SCOPED_PLAY fixture;
        float mask[PLAY_JOINTS];
        begin(&fixture);
        build_mask(&fixture, 1, mask);
        md5_one_shot_desc desc = {.mode = MD5_LAYER_ADD, .weight = 0.5f};
        desc.mask = variant == 1 ? "arms" : NULL;
        desc.reference = variant == 2 ? "c" : NULL;
        desc.reference_frame = variant == 2 ? 5 : 0;
        CHECK(md5_player_play_one_shot(fixture.player, 3, HIT, &desc));
        advance(&fixture, 0.33);
        real_transform base[PLAY_JOINTS];
        real_transform hit[PLAY_JOINTS];
        real_transform from[PLAY_JOINTS];
        real_transform expected[PLAY_JOINTS];
        real_loop(&fixture, BASE, 0.33, base);
        real_loop(&fixture, HIT, 0.33, hit);
        if (variant == 2)
            play_real_sample(fixture.assets.anims[WAVE], 5.0, from);
        else
            play_real_sample(fixture.assets.anims[HIT], 0.0, from);
        play_real_add(base, hit, from, 0.5, variant == 1 ? mask : NULL, expected);
        CHECK_SMALL(miss(&fixture, expected), 3e-5);
    }
}

#define TEST_HERE(title) TEST_PLAY (title, begin(fixture))

TEST_HERE (one_shot_is_played_over_its_layer) {
    md5_player_set(fixture->player, 0, 1); // the weight of `top`
    PLAY_ONE_SHOT(fixture->player, 0, HIT, .layer = "body");
    advance(fixture, 0.4);
    real_transform hit[PLAY_JOINTS];
    real_transform top[PLAY_JOINTS];
    real_transform from[PLAY_JOINTS];
    real_transform expected[PLAY_JOINTS];
    real_loop(fixture, HIT, 0.4, hit);
    real_loop(fixture, WAVE, 0.4, top);
    play_real_sample(fixture->assets.anims[WAVE], 0, from);
    play_real_add(hit, top, from, 1, NULL, expected);
    CHECK_SMALL(miss(fixture, expected), 3e-5);
    // A one-shot over all layers hides them; in a higher slot it also hides the one-shot in the
    // lower slot.
    md5_player_play_one_shot(fixture->player, 1, WAVE, NULL);
    advance(fixture, 0.2);
    real_loop(fixture, WAVE, 0.2, expected);
    CHECK_SMALL(miss(fixture, expected), 2e-5);
}

TEST (one_shot_starts_and_ends_as_documented) {
    static const struct {
        md5_one_shot_desc desc;
        double seconds, frame; // -1: the clip has ended
    } cases[] = {
        {{.start = 0.25}, 0.2, 8},
        {{.start = 0.25}, 0.59, 15.8},
        {{.start = 0.25}, 0.6, -1},
        {{.speed = 2}, 0.3, 12},
        {{.speed = 2}, 0.4, -1},
        {{.speed = -1}, 0.3, 10},
        {{.speed = -0.5f, .start = 0.5}, 0.4, 4},
        {{.speed = -0.5f, .start = 0.5}, 0.8, -1},
        {{.speed = MD5_EXPLICIT_ZERO, .start = 0.5}, 50, 8},
        {{.end = MD5_ONE_SHOT_HOLDS}, 7, 16},
        {{.end = MD5_ONE_SHOT_HOLDS, .speed = -1}, 7, 0},
        {{.end = MD5_ONE_SHOT_LOOPS}, 1.9, 6},
        {{.end = MD5_ONE_SHOT_LOOPS, .speed = -1}, 1.9, 10},
        {{.end = MD5_ONE_SHOT_LOOPS, .start = 0.5}, 0.5, 2},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED_PLAY fixture;
        real_transform expected[PLAY_JOINTS];
        begin(&fixture);
        CHECK(md5_player_play_one_shot(fixture.player, 0, HIT, &cases[i].desc));
        advance(&fixture, 0.5 * cases[i].seconds);
        advance(&fixture, 0.5 * cases[i].seconds);
        const bool is_playing = md5_player_one_shot(fixture.player, 0).is_playing;
        CHECK(is_playing == (cases[i].frame >= 0));
        if (is_playing)
            play_real_sample(fixture.assets.anims[HIT], cases[i].frame, expected);
        else
            real_loop(&fixture, BASE, cases[i].seconds, expected);
        if (!CHECK_SMALL(miss(&fixture, expected), 3e-5))
            printf("case %zu\n", i);
    }
}

// While `new` fades in over `old`, each joint is blended by their weights, also if only one of the
// masks contains it. The old clip is blended first, by its fraction of the remaining weight.
TEST_HERE (one_shot_fills_a_slot_joint_by_joint) {
    float old_mask[PLAY_JOINTS];
    float new_mask[PLAY_JOINTS];
    float fractions[PLAY_JOINTS];
    build_mask(fixture, 0, old_mask);
    build_mask(fixture, 1, new_mask);
    const md5_one_shot_desc old = {.mask = "upper", .end = MD5_ONE_SHOT_LOOPS, .weight = 0.9f};
    const md5_one_shot_desc new = {.mask = "arms",
                                   .end = MD5_ONE_SHOT_LOOPS,
                                   .fade_in = 0.4f,
                                   .fade_in_easing.kind = MD5_EASE_SMOOTH,
                                   .fade_out_easing.kind = MD5_EASE_SMOOTH};
    CHECK(md5_player_play_one_shot(fixture->player, 2, HIT, &old));
    advance(fixture, 0.1);
    CHECK(md5_player_play_one_shot(fixture->player, 2, WAVE, &new));
    for (int step = 1; step <= 8; step++) {
        real_transform base[PLAY_JOINTS];
        real_transform hit[PLAY_JOINTS];
        real_transform wave[PLAY_JOINTS];
        real_transform expected_joints[PLAY_JOINTS];
        const double time = 0.05 * step;
        const double t = time / 0.4;
        const double in = t * t * (3.0 - 2.0 * t);
        advance(fixture, 0.05);
        for (int i = 0; i < PLAY_JOINTS; i++) {
            const double left = 1.0 - in * new_mask[i];
            const double weight = 0.9 * (1.0 - in) * old_mask[i];
            fractions[i] = left > 0 ? (float)fmin(weight / left, 1) : 0.0f;
        }
        real_loop(fixture, BASE, 0.1 + time, base);
        real_loop(fixture, HIT, 0.1 + time, hit);
        real_loop(fixture, WAVE, time, wave);
        play_real_blend(base, hit, 1, fractions, expected_joints);
        play_real_blend(expected_joints, wave, in, new_mask, expected_joints);
        CHECK_SMALL(miss(fixture, expected_joints), 3e-5);
        // Joint 6 is in both masks, so its transform is a blend of all three clips. Only the
        // translation is compared.
        md5_xform pose[PLAY_JOINTS];
        play_pose(fixture->player, pose);
        const double expected = 0.1 * (1.0 - in) * base[6].translation.x
                                + 0.9 * (1.0 - in) * hit[6].translation.x
                                + in * wave[6].translation.x;
        CHECK_NEAR(pose[6].translation.x, expected, 2e-5);
    }
    CHECK_UINT(md5_player_one_shot(fixture->player, 2).clip, WAVE);
}

// One-shots are played and stopped at random with fades of 0.2 to 0.3 s, at most four in a slot. In
// steps of 1/1000 s no joint may move faster than clips and fades do.
TEST_HERE (one_shot_never_jumps) {
    STRINGS(mask_names) = {NULL, "upper", "arms"};
    uint64_t random = 77;
    md5_xform initial_pose[PLAY_JOINTS], pose[PLAY_JOINTS];
    advance(fixture, 0);
    play_pose(fixture->player, initial_pose);
    for (int step = 0; step < 20000; step++) {
        const uint32_t slot = (uint32_t)step / 50 % 2;
        if (step % 50 == 0 && test_random_u32(&random) % 3 > 0) {
            const md5_easing easing = {.kind = (md5_ease_kind)(test_random_u32(&random) % 2)};
            const md5_one_shot_desc desc = {.mask = mask_names[test_random_u32(&random) % 3],
                                            .end = (md5_one_shot_end)(test_random_u32(&random) % 3),
                                            .weight = (float)(0.1 + 0.9 * test_random(&random)),
                                            .fade_in = (float)(0.2 + 0.1 * test_random(&random)),
                                            .fade_out = 0.25f,
                                            .fade_in_easing = easing,
                                            .fade_out_easing = easing};
            CHECK(md5_player_play_one_shot(fixture->player, slot, test_random_u32(&random) % 3,
                                           &desc));
        }
        if (test_random_u32(&random) % 300 == 0)
            md5_player_stop_one_shot(fixture->player, test_random_u32(&random) % 2, 0.2f);
        advance(fixture, 0.001);
        play_pose(fixture->player, pose);
        CHECK(play_pose_distance(pose, initial_pose) < 0.08);
        memcpy(initial_pose, pose, sizeof pose);
    }
}

TEST_HERE (one_shot_stops_over_its_fade) {
    const md5_one_shot_desc loops = {.end = MD5_ONE_SHOT_LOOPS};
    CHECK(!md5_player_stop_one_shot(fixture->player, 0, 0.5f));
    md5_player_play_one_shot(fixture->player, 0, HIT, &loops);
    advance(fixture, 0.1);
    // If the one-shot is stopped again in each step, the first fade must not become longer.
    for (int step = 0; step < 5; step++) {
        CHECK(md5_player_stop_one_shot(fixture->player, 0, 0.5f));
        const md5_one_shot_status status = md5_player_one_shot(fixture->player, 0);
        CHECK_NEAR(status.weight, 1.0 - 0.2 * step, 1e-6);
        CHECK(status.is_stopping);
        advance(fixture, 0.1);
    }
    CHECK(!md5_player_one_shot(fixture->player, 0).is_playing);
    // A shorter fade continues from the current weight.
    md5_player_play_one_shot(fixture->player, 0, HIT, &loops);
    md5_player_stop_one_shot(fixture->player, 0, 1);
    advance(fixture, 0.5);
    md5_player_stop_one_shot(fixture->player, 0, 0.1f);
    advance(fixture, 0.05);
    CHECK_NEAR(md5_player_one_shot(fixture->player, 0).weight, 0.25, 1e-6);
    CHECK(md5_player_stop_one_shot(fixture->player, 0, 0));
    CHECK(!md5_player_stop_one_shot(fixture->player, 0, 0));
    md5_player_play_one_shot(fixture->player, 0, HIT, &loops);
    md5_player_reset(fixture->player);
    CHECK(!md5_player_one_shot(fixture->player, 0).is_playing);
}

TEST_HERE (one_shot_with_invalid_values_is_rejected) {
    static const md5_one_shot_desc wrong[] = {
        {.mask = "legs"},    {.layer = "hat"},  {.reference = "d"},      {.weight = 1.5f},
        {.weight = -0.5f},   {.weight = NAN},   {.speed = INFINITY},     {.start = 1.5},
        {.start = -0.1},     {.start = NAN},    {.fade_in = -1},         {.fade_in = INFINITY},
        {.fade_out = -0.1f}, {.fade_out = NAN}, {.reference_frame = 17},
    };
    md5_player_play_one_shot(fixture->player, 1, WAVE, NULL);
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        const md5_one_shot_desc *const row = &wrong[i];
        CHECK(!md5_player_play_one_shot(fixture->player, 1, HIT, row));
    }
    CHECK(!md5_player_play_one_shot(fixture->player, 4, HIT, NULL));
    CHECK(!md5_player_play_one_shot(fixture->player, 1, 3, NULL));
    CHECK(!md5_player_stop_one_shot(fixture->player, 4, 0));
    CHECK(!md5_player_one_shot(fixture->player, 4).is_playing);
    CHECK_UINT(md5_player_one_shot(fixture->player, 1).clip, WAVE);
    CHECK(md5_find_clip(fixture->machine, "c") == WAVE
          && md5_find_clip(fixture->machine, "d") == MD5_NONE);
}

TEST_PLAY (one_shot_slots_are_counted_when_the_machine_is_made, play_scene_begin(fixture)) {
    play_scene_add(fixture, 17, rate, 0.5, 1);
    md5_machine_desc desc = {.model = fixture->assets.model,
                             .max_one_shots = MD5_MAX_ONE_SHOTS + 1};
    play_desc_refused(&desc, "max_one_shots is out of range: expected 0 to 64, found 65");
    // A machine without layers plays one-shots over the bind pose.
    play_scene_play(fixture, &(md5_machine_desc){.max_one_shots = 1});
    CHECK(!md5_player_play_one_shot(fixture->player, 1, 0, NULL));
    CHECK(PLAY_ONE_SHOT(fixture->player, 0, 0, .weight = 0.5f));
    play_advance(fixture->player, 0.3);
    real_transform bind[PLAY_JOINTS], clip[PLAY_JOINTS];
    play_real_bind(fixture->assets.model, bind);
    play_real_sample(fixture->assets.anims[0], 6, clip);
    play_real_blend(bind, clip, 0.5, NULL, clip);
    CHECK_SMALL(miss(fixture, clip), 2e-5);
}

// -- Time of one-shots ----------------------------------------------------------------------------

// One-shots over time: events and root motion, and independence of the division into steps.

enum { ONE_SHOT_TIME_BASE, LUNGE, NOD, CLIPS, MAX_EVENTS = 256 };

static const double frame_rate = 20;

typedef struct event_log {
    const md5_event *events[MAX_EVENTS];
    float weights[MAX_EVENTS];
    uint32_t count;
} event_log;

typedef struct acting {
    play_case assets;
    md5_machine *machine;
    md5_player *player;
    event_log event_log;
    play_position position;
} acting;

// Creates two clips that walk, at 40 and 100 units per second, and one clip that stands; masks with
// and without joint 0.
static void one_shot_time_begin(acting *fixture)
{
    static const uint32_t num_frames[CLIPS] = {25, 17, 21};
    static const play_walk walks[CLIPS] = {{40, 0, 0}, {100, 0, 0}, {0, 0, 0}};
    memset(fixture, 0, sizeof *fixture);
    play_begin(&fixture->assets);
    for (uint32_t i = 0; i < CLIPS; i++)
        play_add_clip(&fixture->assets, num_frames[i], frame_rate, 0.5, walks[i], 31 + i);
    fixture->machine =
        play_machine_read(&fixture->assets, NULL,
                          "clip base f { walk frame 0 step left frame 12 step right } "
                          "clip lunge f { walk frame 0 begin frame 8 hit frame 16 end } clip nod f "
                          "mask upper ( *spine ) { feather 1 } mask lower ( *origin -*spine ) "
                          "layer body { state base base }");
    fixture->player = play_player(fixture->machine);
}

static void end(acting *fixture)
{
    md5_destroy_player(fixture->player);
    md5_destroy_machine(fixture->machine);
    play_end(&fixture->assets);
}

PLAY_LISTENER(hear)
{
    acting *const fixture = user;
    CHECK(player == fixture->player && weight > 0 && weight <= 1);
    if (fixture->event_log.count == MAX_EVENTS)
        return;
    fixture->event_log.events[fixture->event_log.count] = event;
    fixture->event_log.weights[fixture->event_log.count++] = weight;
}

static void one_shot_time_advance(acting *fixture, double seconds)
{
    md5_player_advance(fixture->player, seconds, hear, fixture);
    play_apply_motion(&fixture->position, md5_player_root_motion(fixture->player));
}

// Returns the events of one-shots in a step as text; events of the layer are skipped.
static const char *events_in(acting *fixture, double seconds)
{
    static char text[1024];
    text[0] = '\0';
    fixture->event_log.count = 0;
    one_shot_time_advance(fixture, seconds);
    for (uint32_t i = 0; i < fixture->event_log.count; i++) {
        const size_t used = strlen(text);
        if (strcmp(fixture->event_log.events[i]->name, "step") != 0)
            snprintf(text + used, sizeof text - used, "%s %.4f ",
                     fixture->event_log.events[i]->name, fixture->event_log.weights[i]);
    }
    return text;
}

#undef TEST_HERE
#define TEST_HERE(title) \
    TEST_WITH (title, acting, fixture, one_shot_time_begin(fixture), end(fixture))

TEST_HERE (one_shot_fires_its_events_once) {
    md5_player_play_one_shot(fixture->player, 0, LUNGE, NULL);
    CHECK_STRING(events_in(fixture, 0), "begin 1.0000 ");
    CHECK_STRING(events_in(fixture, 0.4), "hit 1.0000 ");
    CHECK_STRING(events_in(fixture, 0.4), "end 1.0000 ");
    CHECK_STRING(events_in(fixture, 5), "");
    // A one-shot plays its whole clip in one step. A looping one-shot plays two cycles and the
    // start of a third.
    PLAY_ONE_SHOT(fixture->player, 1, LUNGE, .weight = 0.5f);
    CHECK_STRING(events_in(fixture, 5), "begin 0.5000 hit 0.5000 end 0.5000 ");
    PLAY_ONE_SHOT(fixture->player, 1, LUNGE, .end = MD5_ONE_SHOT_LOOPS);
    CHECK_STRING(events_in(fixture, 1.7),
                 "begin 1.0000 hit 1.0000 end 1.0000 begin 1.0000 hit 1.0000 end 1.0000 "
                 "begin 1.0000 ");
    // A one-shot with negative speed plays backward from the end of its clip.
    PLAY_ONE_SHOT(fixture->player, 1, LUNGE, .speed = -2.0f);
    CHECK_STRING(events_in(fixture, 1), "end 1.0000 hit 1.0000 begin 1.0000 ");
    // A loop with negative speed begins at the start of its cycle, which is also the end of the
    // previous cycle.
    PLAY_ONE_SHOT(fixture->player, 1, LUNGE, .speed = -1.0f, .end = MD5_ONE_SHOT_LOOPS);
    CHECK_STRING(events_in(fixture, 0.6), "begin 1.0000 end 1.0000 hit 1.0000 ");
}

// With negative time the clip plays backward, leaves the fade at its end, and waits at its start.
TEST_HERE (one_shot_plays_backward) {
    PLAY_ONE_SHOT(fixture->player, 0, LUNGE, .fade_out = 0.5f);
    one_shot_time_advance(fixture, 0.7);
    CHECK_NEAR(md5_player_one_shot(fixture->player, 0).weight, 0.2, 1e-6);
    CHECK_STRING(events_in(fixture, -0.6), "hit 0.8000 ");
    CHECK_NEAR(md5_player_one_shot(fixture->player, 0).weight, 1, 1e-6);
    CHECK_STRING(events_in(fixture, -5), "begin 1.0000 ");
    CHECK_STRING(events_in(fixture, 0.4), "hit 0.8000 ");
    CHECK_NEAR(md5_player_one_shot(fixture->player, 0).time, 0.5, 1e-9);
}

// The middle of the first eighth of a linear fade is 1/16.
TEST_HERE (one_shot_events_within_fades_have_their_weight) {
    const md5_one_shot_desc slow = {.fade_in = 0.5f, .fade_out = 0.5f};
    md5_player_play_one_shot(fixture->player, 0, LUNGE, &slow);
    CHECK_STRING(events_in(fixture, 1), "begin 0.0625 hit 0.6400 end 0.0625 ");
    // A fade-out of 0.3 s begins at 0.2 s. The event `hit` at 0.4 s has the third of the weight
    // that is left. After the fade-out, the stopped one-shot fires no events.
    md5_player_play_one_shot(fixture->player, 0, LUNGE, NULL);
    CHECK_STRING(events_in(fixture, 0.2), "begin 1.0000 ");
    md5_player_stop_one_shot(fixture->player, 0, 0.3f);
    CHECK_STRING(events_in(fixture, 1), "hit 0.3333 ");
    // A one-shot that is replaced at the instant of its start fires no events.
    md5_player_play_one_shot(fixture->player, 0, LUNGE, &slow);
    md5_player_play_one_shot(fixture->player, 0, NOD, &slow);
    CHECK_STRING(events_in(fixture, 1), "");
}

TEST (one_shot_moves_the_root_by_its_weight_at_joint_0) {
    static const struct {
        md5_one_shot_desc desc;
        uint32_t clip;
        double distance; // distance in 0.8 s
    } cases[] = {
        {{0}, LUNGE, 80},
        {{.weight = 0.5f}, LUNGE, 56},
        {{.mask = "upper"}, LUNGE, 32},
        {{.mask = "lower"}, LUNGE, 80},
        {{.fade_in = 0.2f, .fade_out = 0.3f}, LUNGE, 40.0 * 0.8 + 60.0 * 0.55},
        {{.mode = MD5_LAYER_ADD, .weight = 0.25f}, LUNGE, 32.0 + 20.0},
        {{.speed = -1, .mode = MD5_LAYER_ADD}, LUNGE, 32.0 - 80.0},
        {{.end = MD5_ONE_SHOT_LOOPS}, NOD, 0},
        {{.end = MD5_ONE_SHOT_LOOPS, .mask = "upper"}, NOD, 32},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        acting fixture;
        one_shot_time_begin(&fixture);
        CHECK(md5_player_play_one_shot(fixture.player, 0, cases[i].clip, &cases[i].desc));
        one_shot_time_advance(&fixture, 0.8);
        if (!CHECK_NEAR(fixture.position.x, cases[i].distance, 2e-3))
            printf("case %zu\n", i);
        md5_player_stop_one_shot(fixture.player, 0, 0);
        fixture.position.x = 0;
        one_shot_time_advance(&fixture, 1);
        CHECK_NEAR(fixture.position.x, 40, 1e-3);
        end(&fixture);
    }
}

// The root's speed changes from one clip to the other as the weights do.
TEST_HERE (one_shot_that_replaces_another_shares_the_root) {
    PLAY_ONE_SHOT(fixture->player, 0, LUNGE, .end = MD5_ONE_SHOT_LOOPS);
    one_shot_time_advance(fixture, 0.1);
    PLAY_ONE_SHOT(fixture->player, 0, NOD, .fade_in = 0.4f, .end = MD5_ONE_SHOT_LOOPS);
    fixture->position.x = 0;
    one_shot_time_advance(fixture, 0.4);
    CHECK_NEAR(fixture->position.x, 100.0 * 0.2, 2e-3);
}

// -- Splits -----------------------------------------------------------------------------------

// Starts or stops a random one-shot clip.
static void act(acting *fixture, uint64_t *random)
{
    STRINGS(masks) = {NULL, NULL, "upper", "lower"};
    const md5_easing easing = {.kind = (md5_ease_kind)(test_random_u32(random) % 3)};
    const md5_one_shot_desc desc = {
        .mode = (md5_layer_mode)(test_random_u32(random) % 2),
        .mask = masks[test_random_u32(random) % 4],
        .end = (md5_one_shot_end)(test_random_u32(random) % 3),
        .speed = (float)(3.0 * test_random(random) - 1.0),
        .start = 0.5 * (test_random_u32(random) % 2),
        .fade_in = 0.15f * (float)(test_random_u32(random) % 3),
        .fade_out = 0.1f * (float)(test_random_u32(random) % 3),
        .fade_in_easing = easing,
        .fade_out_easing = easing,
    };
    const uint32_t choice = test_random_u32(random) % 4;
    const uint32_t slot = test_random_u32(random) % 2;
    const uint32_t clip = test_random_u32(random) % CLIPS;
    if (choice == 0)
        md5_player_stop_one_shot(fixture->player, slot, desc.fade_in);
    else if (choice < 3)
        CHECK(md5_player_play_one_shot(fixture->player, slot, clip, &desc));
}

TEST (one_shot_is_the_same_in_any_split_of_time) {
    static acting single, split;
    one_shot_time_begin(&single);
    one_shot_time_begin(&split);
    uint64_t random = 5;
    uint64_t same = 5;
    uint64_t cuts = 6;
    for (int i = 0; i < 400; i++) {
        act(&single, &random);
        act(&split, &same);
        const double stretch = 1.5 * test_random(&random) - (i % 5 == 4 ? 1.5 : 0.0);
        test_random(&same);
        single.event_log.count = split.event_log.count = 0;
        single.position = split.position = (play_position){0};
        one_shot_time_advance(&single, stretch);

        // Play the same interval in random parts.
        double left = stretch;
        for (int j = 0; j < 12; j++) {
            const double part = test_random_u32(&cuts) % 4 == 0 ? 0.0 : left * test_random(&cuts);
            one_shot_time_advance(&split, part);
            left -= part;
        }
        one_shot_time_advance(&split, left);

        CHECK_UINT(split.event_log.count, single.event_log.count);
        for (uint32_t j = 0; j < single.event_log.count && j < split.event_log.count; j++) {
            CHECK_STRING(split.event_log.events[j]->name, single.event_log.events[j]->name);
            CHECK_NEAR(split.event_log.weights[j], single.event_log.weights[j], 1e-4);
        }
        CHECK_SMALL(play_player_distance(single.player, split.player), 1e-4);
        CHECK_NEAR(split.position.x, single.position.x, 0.05);
        for (uint32_t slot = 0; slot < 4; slot++) {
            const md5_one_shot_status a = md5_player_one_shot(single.player, slot);
            const md5_one_shot_status b = md5_player_one_shot(split.player, slot);
            CHECK(a.is_playing == b.is_playing && a.clip == b.clip
                  && a.is_stopping == b.is_stopping);
            CHECK_NEAR(b.time, a.time, 1e-8);
        }
    }
    end(&single);
    end(&split);
}

// -- Curves of one-shots --------------------------------------------------------------------------

// One-shots whose fades have easing curves, compared with double precision.

// Creates two clips of 21 frames at 20 Hz, 1 s each.
static void one_shot_curves_begin(play_scene *fixture)
{
    play_scene_begin(fixture);
    play_scene_add(fixture, 21, 20, 0.4, 1);
    play_scene_add(fixture, 21, 20, 0.5, 2);
    play_scene_read(fixture, "layer body { state base a }");
}

static const md5_easing bezier = {
    .kind = MD5_EASE_CUBIC_BEZIER, .x1 = 0.25f, .y1 = 0.75f, .x2 = 0.5f, .y2 = 1};
static const md5_easing stairs = {.kind = MD5_EASE_STEPS, .steps = 5, .jump = MD5_JUMP_START};
static const md5_easing back = {.kind = MD5_EASE_BACK_IN};

// Returns the y of the curve `bezier` at x, found by bisection.
static double bezier_at(double x)
{
    double low = 0;
    double high = 1;
    for (int i = 0; i < 60; i++) {
        const double s = 0.5 * (low + high);
        const double r = 1.0 - s;
        if (3.0 * r * r * s * 0.25 + 3.0 * r * s * s * 0.5 + s * s * s < x)
            low = s;
        else
            high = s;
    }
    const double s = low;
    const double r = 1.0 - s;
    return 3.0 * r * r * s * 0.75 + 3.0 * r * s * s + s * s * s;
}

static double one_shot_weight(const play_scene *fixture)
{
    return md5_player_one_shot(fixture->player, 0).weight;
}

// Returns the distance of the pose from both clips blended by this weight.
static double one_shot_curves_miss(const play_scene *fixture, double seconds, double weight)
{
    real_transform base[PLAY_JOINTS];
    real_transform one_shot[PLAY_JOINTS];
    real_transform blended[PLAY_JOINTS];
    play_real_sample(fixture->assets.anims[0], 20.0 * seconds, base);
    play_real_sample(fixture->assets.anims[1], 20.0 * seconds, one_shot);
    play_real_blend(base, one_shot, weight, NULL, blended);
    return play_miss(fixture->player, blended);
}

#undef TEST_HERE
#define TEST_HERE(title) TEST_PLAY (title, one_shot_curves_begin(fixture))

TEST_HERE (one_shot_fades_by_curves_of_style_sheets_and_steps) {
    const md5_one_shot_desc desc = {
        .fade_in = 0.4f, .fade_out = 0.4f, .fade_in_easing = bezier, .fade_out_easing = stairs};
    CHECK(md5_player_play_one_shot(fixture->player, 0, 1, &desc));
    for (int step = 1; step < 40; step++) {
        advance(fixture, 0.025);
        const double time = 0.025 * step;
        const double in = fmin(time / 0.4, 1);
        const double out = fmax((time - 0.6) / 0.4, 0);
        if (fabs(5.0 * out - floor(5.0 * out + 0.5)) < 1e-6)
            continue; // a step of the curve begins there
        const double left = 1.0 - (time > 0.6 ? fmin(floor(5.0 * out) + 1.0, 5) / 5.0 : 0.0);
        CHECK_NEAR(one_shot_weight(fixture), bezier_at(in) * left, 2e-6);
        CHECK(one_shot_curves_miss(fixture, time, bezier_at(in) * left) < 2e-5);
    }
    advance(fixture, 0.025);
    CHECK(!md5_player_one_shot(fixture->player, 0).is_playing);
}

// Each fade has its own easing. If the curve is below 0, the weight is 0.
TEST_HERE (one_shot_fades_by_a_curve_and_an_easing) {
    CHECK(PLAY_ONE_SHOT(fixture->player, 0, 1, .fade_in = 0.5f, .fade_out = 0.5f,
                        .fade_out_easing.kind = MD5_EASE_QUADRATIC_IN, .fade_in_easing = back));
    for (int step = 1; step < 20; step++) {
        advance(fixture, 0.05);
        const double t = fmin(0.1 * step, 1);
        const double out = fmax(0.1 * step - 1.0, 0);
        const double in = 2.70158 * t * t * t - 1.70158 * t * t;
        CHECK_NEAR(one_shot_weight(fixture), fmax(in, 0) * (1.0 - out * out), 2e-6);
    }
}

// The old one-shot fades out as the new one fades in, so their weights add up to 1. The steps of a
// fade-out that has not begun have no effect, although their curve is not 0 at 0.
TEST_HERE (one_shot_is_replaced_by_the_curve_of_the_new_one) {
    const md5_one_shot_desc loops = {.end = MD5_ONE_SHOT_LOOPS};
    CHECK(md5_player_play_one_shot(fixture->player, 0, 0, &loops));
    advance(fixture, 0.25);
    CHECK(PLAY_ONE_SHOT(fixture->player, 0, 1, .end = MD5_ONE_SHOT_LOOPS, .start = 0.25,
                        .fade_in = 0.5f, .fade_in_easing = bezier, .fade_out_easing = stairs));
    for (int step = 1; step < 10; step++) {
        advance(fixture, 0.05);
        CHECK(one_shot_curves_miss(fixture, 0.25 + 0.05 * step, bezier_at(0.1 * step)) < 2e-5);
    }
}

TEST_HERE (one_shot_is_stopped_by_the_curve_of_its_fade_out) {
    CHECK(PLAY_ONE_SHOT(fixture->player, 0, 1, .end = MD5_ONE_SHOT_LOOPS, .fade_in_easing = stairs,
                        .fade_out_easing = bezier));
    CHECK(md5_player_stop_one_shot(fixture->player, 0, 0.5f));
    for (int step = 1; step < 10; step++) {
        advance(fixture, 0.05);
        CHECK_NEAR(one_shot_weight(fixture), 1.0 - bezier_at(0.1 * step), 2e-6);
    }
}

// The description and its curves may be freed: the player stores copies.
TEST_HERE (one_shot_with_curves_is_saved_and_copied) {
    md5_easing in = bezier;
    md5_easing out = stairs;
    CHECK(PLAY_ONE_SHOT(fixture->player, 0, 1, .fade_in = 0.5f, .fade_out = 0.4f,
                        .fade_in_easing = in, .fade_out_easing = out));
    memset(&in, 0, sizeof in);
    memset(&out, 0, sizeof out);
    advance(fixture, 0.2);
    md5_player_stop_one_shot(fixture->player, 0, 0.7f);
    advance(fixture, 0.1);
    md5_player *const restored_and_copied[2] = {play_restored(fixture->player),
                                                play_copied(fixture->player)};
    for (int step = 0; step < 10; step++) {
        for (int i = 0; i < 2; i++) {
            CHECK(md5_player_one_shot(restored_and_copied[i], 0).weight
                  == md5_player_one_shot(fixture->player, 0).weight);
            play_advance(restored_and_copied[i], 0.06);
        }
        advance(fixture, 0.06);
    }
    for (int i = 0; i < 2; i++)
        md5_destroy_player(restored_and_copied[i]);
}

TEST_HERE (one_shot_with_an_invalid_curve_is_rejected) {
    static const md5_easing wrong[] = {
        {.kind = MD5_EASE_CUBIC_BEZIER, .x1 = -0.5f},
        {.kind = MD5_EASE_CUBIC_BEZIER, .x1 = 1.5f},
        {.kind = MD5_EASE_CUBIC_BEZIER, .x1 = NAN},
        {.kind = MD5_EASE_CUBIC_BEZIER, .x2 = 2},
        {.kind = MD5_EASE_CUBIC_BEZIER, .x2 = -1},
        {.kind = MD5_EASE_CUBIC_BEZIER, .y1 = NAN},
        {.kind = MD5_EASE_CUBIC_BEZIER, .y2 = INFINITY},
        {.kind = MD5_EASE_STEPS},
        {.kind = MD5_EASE_STEPS, .steps = 1, .jump = MD5_JUMP_NONE},
        {.kind = MD5_EASE_STEPS, .steps = MD5_MAX_EASE_STEPS + 1},
    };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        const md5_easing *const row = &wrong[i];
        CHECK(!PLAY_ONE_SHOT(fixture->player, 0, 1, .fade_in_easing = *row));
        CHECK(!PLAY_ONE_SHOT(fixture->player, 0, 1, .fade_out_easing = *row));
    }
    CHECK(!md5_player_one_shot(fixture->player, 0).is_playing);
    const md5_easing steps = {.kind = MD5_EASE_STEPS, .steps = MD5_MAX_EASE_STEPS};
    CHECK(PLAY_ONE_SHOT(fixture->player, 0, 1, .fade_in_easing = steps));
}

// Computes the position of the curves from the end of the saved bytes. After the description of the
// last one-shot follow 4 + 16 bytes for the Bézier curve, 3 times 4 bytes for the steps, 4 bytes
// for the curve of the stop, and `rest` bytes.
TEST_HERE (one_shot_with_an_invalid_curve_is_not_restored) {
    static const uint8_t not_a_number[4] = {0, 0, 0xc0, 0x7f};
    static const uint8_t minus_one[4] = {0, 0, 0x80, 0xbf};
    static const uint8_t nothing[4] = {0};
    static const uint8_t many[4] = {9};
    CHECK(
        PLAY_ONE_SHOT(fixture->player, 3, 1, .fade_in_easing = bezier, .fade_out_easing = stairs));
    uint8_t bytes[1024], broken[1024];
    const size_t size = md5_player_save(fixture->player, bytes, sizeof bytes);
    const size_t rest =
        8 + 8 + 1 + 8 + 1 + 1 + 4; // sizes of: clock, start, fade in, new, stopping, kept
    const size_t curves = size - rest - 4 - 12 - 20;
    CHECK_UINT(bytes[curves], MD5_EASE_CUBIC_BEZIER);
    CHECK_UINT(bytes[curves + 20], MD5_EASE_STEPS);
    const struct {
        size_t offset;
        const uint8_t *value;
    } cases[] = {
        {0, not_a_number}, {4, minus_one},  {8, not_a_number}, {12, minus_one}, {16, not_a_number},
        {20, minus_one},   {24, minus_one}, {24, many},        {28, nothing},   {32, minus_one},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        md5_error error = {0};
        memcpy(broken, bytes, size);
        memcpy(broken + curves + cases[i].offset, cases[i].value, 4);
        CHECK_FAILS(md5_player_restore(fixture->player, broken, size, &error), error,
                    MD5_ERROR_RANGE);
    }
    CHECK(md5_player_restore(fixture->player, bytes, size, NULL));
}

// -- Sections -----------------------------------------------------------------------------------

// Sections of one-shots, compared with a simulator that plays the clip frame by frame, in seconds.

enum { SIM_FRAMES = 41, SIM_ENDS = 4, MAX_FRAMES = 4096 };

static const struct {
    const char *name;
    double first, last;
} sections[] = {{"a", 0, 10}, {"b", 10, 20}, {"c", 5, 31}, {"d", 30, 40}};

typedef struct section_sim {
    double frame, rate; // current frame; frames per second
    int section, next;  // -1: none
    bool repeats;
    bool is_over;
    bool holds;
    int frames[MAX_FRAMES]; // events that fired
    uint32_t count;
} section_sim;

static void sim_note(section_sim *fixture, double frame)
{
    if (fixture->count < MAX_FRAMES)
        fixture->frames[fixture->count++] = (int)frame;
}

static void sim_enter(section_sim *fixture)
{
    fixture->section = fixture->next;
    if (!fixture->repeats)
        fixture->next = -1;
    if (fixture->section < 0)
        return;
    const double at =
        fixture->rate > 0 ? sections[fixture->section].first : sections[fixture->section].last;
    if (fabs(at - fixture->frame) > 1e-6)
        sim_note(fixture, at);
    fixture->frame = at;
}

// Simulates the frames and sections of a one-shot clip for `seconds`.
static void sim_advance(section_sim *fixture, double seconds)
{
    while (seconds > 0 && !fixture->is_over) {
        const bool ahead = fixture->rate > 0;
        double end = ahead ? SIM_FRAMES - 1 : 0.0;
        if (fixture->section >= 0 && ahead)
            end = sections[fixture->section].last;
        else if (fixture->section >= 0)
            end = sections[fixture->section].first;
        const double border =
            ahead ? floor(fixture->frame + 1e-7) + 1.0 : ceil(fixture->frame - 1e-7) - 1.0;
        const bool is_at_end = fabs(fixture->frame - end) < 1e-7;
        const double time_to_border = is_at_end ? 0.0 : (border - fixture->frame) / fixture->rate;
        if (time_to_border > seconds) {
            fixture->frame += fixture->rate * seconds;
            return;
        }
        seconds -= time_to_border;
        if (!is_at_end)
            sim_note(fixture, fixture->frame = border);
        if (fabs(fixture->frame - end) > 1e-7)
            continue;
        if (fixture->section >= 0 || fixture->next >= 0)
            sim_enter(fixture);
        else if (fixture->holds)
            return;
        else
            fixture->is_over = true;
        const bool has_section = fixture->section >= 0 || fixture->next >= 0;
        const bool is_at_last = fabs(fixture->frame - (ahead ? SIM_FRAMES - 1 : 0)) < 1e-7;
        if (!fixture->holds && !has_section && is_at_last)
            fixture->is_over = true;
    }
}

PLAY_LISTENER(hear_frame)
{
    CHECK(player && weight == 1);
    sim_note(user, event->frame);
}

typedef struct sectioned {
    play_case assets;
    md5_machine *machine;
    md5_player *single;
    md5_player *split;
    md5_player *second;
} sectioned;

static void sections_begin(sectioned *fixture)
{
    char rows[2048] = "clip k f { walk ";
    play_begin(&fixture->assets);
    play_add_clip(&fixture->assets, SIM_FRAMES, 20, 0.5, (play_walk){50, 0, 0}, 3);
    size_t used = strlen(rows);
    for (size_t i = 0; i < SIM_FRAMES; i++)
        used += (size_t)snprintf(rows + used, sizeof rows - used, "frame %zu e ", i);
    for (size_t i = 0; i < COUNT_OF(sections); i++)
        used += (size_t)snprintf(rows + used, sizeof rows - used, "section %s %g %g ",
                                 sections[i].name, sections[i].first, sections[i].last);
    fixture->machine = play_machine_read(&fixture->assets, NULL, "%s}", rows);
    fixture->single = play_player(fixture->machine);
    fixture->split = play_player(fixture->machine);
    fixture->second = play_player(fixture->machine);
}

static void sections_end(sectioned *fixture)
{
    md5_destroy_player(fixture->single);
    md5_destroy_player(fixture->split);
    md5_destroy_player(fixture->second);
    md5_destroy_machine(fixture->machine);
    play_end(&fixture->assets);
}

// Applies one random command to both players and the simulator.
static void sections_change(sectioned *fixture, section_sim *sim, uint64_t *random)
{
    md5_player *const players[] = {fixture->single, fixture->split};
    const int section = (int)(test_random_u32(random) % 4);
    const md5_section_change change = (md5_section_change)(test_random_u32(random) % 4);
    if (sim->is_over || test_random_u32(random) % 6 == 0) {
        static const double rates[] = {20, 13, -20, -31};
        const int begins = test_random_u32(random) % 3 == 0 ? -1 : section;
        const bool loops = begins >= 0 && test_random_u32(random) % 2 == 0;
        *sim = (section_sim){.rate = rates[test_random_u32(random) % 4],
                             .section = -1,
                             .next = begins,
                             .repeats = loops,
                             .holds = !loops && test_random_u32(random) % 3 == 0,
                             .count = sim->count};
        sim->frame = sim->rate > 0 ? 0.0 : SIM_FRAMES - 1;
        if (begins >= 0)
            sim->frame = -99.0;
        memset(sim->frames, 0, sizeof sim->frames);
        sim->count = 0;
        if (begins < 0)
            sim_note(sim, sim->frame);
        sim_enter(sim);
        md5_one_shot_desc desc = {.speed = (float)(sim->rate / 20.0), .end = MD5_ONE_SHOT_ENDS};
        if (begins >= 0)
            desc.section = sections[begins].name;
        if (loops)
            desc.end = MD5_ONE_SHOT_LOOPS;
        else if (sim->holds)
            desc.end = MD5_ONE_SHOT_HOLDS;
        for (int i = 0; i < 2; i++)
            CHECK(md5_player_play_one_shot(players[i], 0, 0, &desc));
        return;
    }
    for (int i = 0; i < 2; i++)
        CHECK(md5_player_one_shot_section(players[i], 0, sections[section].name, change));
    sim->next = change == MD5_SECTION_LEAVE ? -1 : section;
    sim->repeats = change == MD5_SECTION_LOOP;
    const double end = sim->rate > 0 ? SIM_FRAMES - 1 : 0;
    const bool waits_for_section = sim->next >= 0 && sim->section < 0;
    if (change == MD5_SECTION_JUMP || (waits_for_section && fabs(sim->frame - end) < 1e-7))
        sim_enter(sim);
}

// Returns true if a player is at the frame and in the section of the simulator.
static bool sim_is_at(const section_sim *sim, const md5_one_shot_status *status)
{
    if (fabs(status->time * (SIM_FRAMES - 1) - sim->frame) >= 1e-6)
        return false;
    if (sim->section < 0)
        return status->section == NULL;
    return status->section && strcmp(status->section, sections[sim->section].name) == 0;
}

TEST_WITH (sections_equal_a_simulation_for_any_split_of_time, sectioned, fixture,
           sections_begin(fixture), sections_end(fixture)) {
    static section_sim sim, fired[2];
    uint64_t random = 41;
    sim = (section_sim){.is_over = true};
    uint8_t bytes[4096];
    const uint32_t count = play_transitions(3000);
    for (uint32_t i = 0; i < count; i++) {
        const double seconds = 0.9 * test_random(&random);
        play_position positions[2] = {{0}};
        double left = seconds;
        sim.count = fired[0].count = fired[1].count = 0;
        sections_change(fixture, &sim, &random);
        if (test_random_u32(&random) % 3 == 0)
            sections_change(fixture, &sim, &random);
        sim.count = 0;
        play_advance(fixture->single, 0); // events of the commands
        play_advance(fixture->split, 0);
        const bool was_held = sim.section < 0 && sim.holds
                              && fabs(sim.frame - (sim.rate > 0 ? SIM_FRAMES - 1 : 0)) < 1e-7;
        const double previous_frame = sim.frame;
        sim_advance(&sim, seconds);
        md5_player_advance(fixture->single, seconds, hear_frame, &fired[0]);
        play_apply_motion(&positions[0], md5_player_root_motion(fixture->single));
        for (int k = 0; k < 9; k++) { // saved and restored, or copied, between the parts
            const double part = k == 8 ? left : left * test_random(&random);
            const size_t size = md5_player_save(fixture->split, bytes, sizeof bytes);
            if (k % 2 == 0)
                CHECK(md5_player_restore(fixture->second, bytes, size, NULL));
            else
                md5_player_copy(fixture->second, fixture->split);
            md5_player *const swapped = fixture->split;
            fixture->split = fixture->second;
            fixture->second = swapped;
            md5_player_advance(fixture->split, part, hear_frame, &fired[1]);
            play_apply_motion(&positions[1], md5_player_root_motion(fixture->split));
            left -= part;
        }
        bool is_same = true;
        for (int k = 0; k < 2; k++) {
            const md5_one_shot_status status =
                md5_player_one_shot(k ? fixture->split : fixture->single, 0);
            is_same = is_same && fired[k].count == sim.count
                      && memcmp(fired[k].frames, sim.frames, sim.count * sizeof(int)) == 0;
            is_same = is_same && status.is_playing == !sim.is_over
                      && (sim.is_over || sim_is_at(&sim, &status));
            // The root continues across every jump until the clip is held or has ended.
            if (!sim.is_over && !was_held && !sim.holds)
                is_same = CHECK_NEAR(positions[k].x, 2.5 * sim.rate * seconds, 2e-3) && is_same;
        }
        if (!CHECK(is_same)) {
            printf("step %u, from frame %g by %g s\n", i, previous_frame, seconds);
            break;
        }
    }
}

TEST_WITH (section_fires_both_ends_and_plays_backward, sectioned, fixture, sections_begin(fixture),
           sections_end(fixture)) {
    static section_sim fired;
    fired.count = 0;
    const md5_one_shot_desc loop = {.section = "b", .end = MD5_ONE_SHOT_LOOPS, .fade_out = 0.5f};
    CHECK(!md5_player_one_shot_section(fixture->single, 0, "a", MD5_SECTION_JUMP));
    CHECK(md5_player_play_one_shot(fixture->single, 0, 0, &loop));
    CHECK(!md5_player_one_shot_section(fixture->single, 0, "e", MD5_SECTION_NEXT));
    md5_player_advance(fixture->single, 1.05, hear_frame,
                       &fired); // two cycles: 10..20 10..20 10 11
    static const int expected[] = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 10,
                                   11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 10, 11};
    CHECK_UINT(fired.count, COUNT_OF(expected));
    CHECK(memcmp(fired.frames, expected, sizeof expected) == 0);
    play_advance(fixture->single, -0.25);
    CHECK_NEAR(md5_player_one_shot(fixture->single, 0).time * 40.0, 6, 1e-9);
    CHECK(md5_player_one_shot_section(fixture->single, 0, NULL, MD5_SECTION_LEAVE));
    play_advance(fixture->single, 1.45); // in the fade before the end of the clip
    CHECK_NEAR(md5_player_one_shot(fixture->single, 0).time * 40.0, 35, 1e-9);
    CHECK_NEAR(md5_player_one_shot(fixture->single, 0).weight, 0.5, 1e-6);
    CHECK(!md5_player_one_shot(fixture->single, 0).section);
    CHECK(!PLAY_ONE_SHOT(fixture->single, 0, 0, .section = "b", .start = 1.0));
    CHECK(PLAY_ONE_SHOT(fixture->single, 0, 0, .end = MD5_ONE_SHOT_LOOPS));
    CHECK(!md5_player_one_shot_section(fixture->single, 0, "b", MD5_SECTION_NEXT));
}

// -- Until an event fires -----------------------------------------------------------------------

// Layers play clip a of one second, which fires `ev` at 0.3 s. The event stops one-shots of b in
// two slots: the one-shot of the first slot begins again at that time; in the second slot, a call
// waited for the stop.
TEST (one_shot_that_an_event_stops_restarts_at_the_time_of_the_event) {
    static const int splits[] = {1, 3, 7, 60, 600};
    for (size_t i = 0; i < COUNT_OF(splits); i++) {
        SCOPED_PLAY fixture = {0};
        play_scene_make(
            &fixture, 3,
            "trigger call trigger hold clip a f { frame 6 ev } clip b f "
            "clip c f { frame 0 ev } "
            "layer l { state s a } slot one slot two slot three bool off "
            "one_shot again one b { when not off until heard ev fade_out 0.1 } "
            "one_shot held two a { when hold until heard ev holds priority 1 fade_out 0.2 } "
            "one_shot called two b { when call until heard ev } "
            "one_shot itself three c { when not off until heard ev fade_out 0.1 }");
        md5_player_set(fixture.player, 0, 1);
        md5_player_set(fixture.player, 1, 1);
        play_steps(fixture.player, splits[i], 0.6);
        for (uint32_t slot = 0; slot < 3; slot++)
            CHECK_NEAR(md5_player_one_shot(fixture.player, slot).time, 0.3, 1e-9);
        CHECK_UINT(md5_player_one_shot(fixture.player, 1).clip, 1);
        CHECK(!md5_player_one_shot(fixture.player, 2).is_stopping);
    }
}

// An event at the frame where a section begins again stops the one-shot, because that is not its
// start.
TEST (one_shot_is_stopped_by_the_start_of_its_repeated_section) {
    SCOPED_PLAY fixture = {0};
    play_scene_make(&fixture, 1,
                    "trigger go clip a f { section part 4 10 frame 4 ev } "
                    "layer l { state none nothing } slot s "
                    "one_shot over s a { when go until heard ev section part loops fade_out 1 } ");
    md5_player_set(fixture.player, 0, 1);
    play_advance(fixture.player, 0.25);
    CHECK(md5_player_one_shot(fixture.player, 0).is_playing
          && !md5_player_one_shot(fixture.player, 0).is_stopping);
    play_advance(fixture.player, 0.1);
    CHECK(md5_player_one_shot(fixture.player, 0).is_stopping);
    CHECK_NEAR(md5_player_one_shot(fixture.player, 0).weight, 0.95, 1e-6);
}

// A one-shot that repeats a section is released during the time of its fade-out: the next one-shot
// must begin immediately.
TEST (one_shot_that_is_released_during_fade_out_ends_immediately) {
    static const int splits[] = {1, 3, 60};
    for (size_t i = 0; i < COUNT_OF(splits); i++) {
        SCOPED_PLAY fixture = {0};
        play_scene_clips(&fixture, 1, 21, 20);
        play_scene_add(&fixture, 81, 20, 0.3, 2);
        play_scene_read(&fixture, "trigger go trigger next clip a f { section end 12 18 } clip b f "
                                  "layer l { state none nothing } slot s "
                                  "one_shot over s a { when go section end loops fade_out 0.5 } "
                                  "one_shot then s b { when next } ");
        md5_player_set(fixture.player, 0, 1);
        md5_player_set(fixture.player, 1, 1);
        play_advance(fixture.player, 1);
        CHECK_UINT(md5_player_one_shot(fixture.player, 0).clip, 0);
        CHECK(md5_player_one_shot_section(fixture.player, 0, NULL, MD5_SECTION_LEAVE));
        play_steps(fixture.player, splits[i], 0.2);
        CHECK_UINT(md5_player_one_shot(fixture.player, 0).clip, 1);
        CHECK_NEAR(md5_player_one_shot(fixture.player, 0).time, 0.05, 1e-9);
    }
}

// -- One-shots of a machine's table -------------------------------------------------------------

// The reference evaluates the rules of the table 4800 times per second.

#define TICK (1.0 / 4800.0)

enum { ROWS = 4 };

static const struct {
    double length;
    double speed;
    double fade_out;
    uint32_t clip;
    int priority;
    bool loops;
} table[ROWS] = {{2, 1, 0.26, 0, 0, false},
                 {0.8, 1, 0.11, 1, 1, false},
                 {1, 1, 0.31, 2, 0, true},
                 {0.4, 2, 0.13, 1, -1, false}};

typedef struct table_sim {
    float set[4]; // parameters speed, wave, hit, dance
    double from;
    double speed;
    double since;
    double age;
    double stopping; // seconds left, or -1
    int playing;     // -1: nothing
} table_sim;

static bool table_begins(const table_sim *fixture, int row)
{
    const bool whens[] = {
        fixture->set[1] != 0
        && fixture->speed<5, fixture->set[2] != 0, fixture->set[3] != 0, fixture->speed> 8};
    return whens[row];
}

static bool table_ends(const table_sim *fixture, int row)
{
    const bool untils[] = {fixture->speed >= 5, false, fixture->set[3] == 0, false};
    return untils[row];
}

// Simulates one tick of the rules by which conditions start and end the one-shot clips of a table.
static void table_rules(table_sim *fixture)
{
    const int old = fixture->playing;
    if (old >= 0 && fixture->stopping < 0 && table_ends(fixture, old))
        fixture->stopping = table[old].fade_out;
    for (int i = 0; i < ROWS; i++) {
        const int current = fixture->playing;
        if (current >= 0) {
            const bool is_ending =
                !table[current].loops
                && fixture->age > table[current].length - table[current].fade_out;
            const bool fades = fixture->stopping >= 0 || is_ending;
            if (!fades && table[current].priority >= table[i].priority)
                continue;
        }
        if (!table_begins(fixture, i))
            continue;
        if (i < 2)
            fixture->set[1 + i] = 0; // its trigger is consumed
        if (table_ends(fixture, i))
            continue;
        fixture->playing = i;
        fixture->age = 0;
        fixture->stopping = -1;
    }
}

static void table_tick(table_sim *fixture)
{
    fixture->since += TICK;
    fixture->age += TICK;
    fixture->speed =
        fixture->from + (fixture->set[0] - fixture->from) * fmin(fixture->since / 0.5, 1);
    if (fixture->stopping >= 0 && (fixture->stopping -= TICK) < 0)
        fixture->playing = -1;
    if (fixture->playing >= 0 && !table[fixture->playing].loops
        && fixture->age >= table[fixture->playing].length)
        fixture->playing = -1;
    table_rules(fixture);
}

static bool table_matches(const table_sim *fixture, const md5_one_shot_status *status)
{
    if (fixture->playing < 0 || !status->is_playing)
        return fixture->playing < 0 && !status->is_playing;
    const double cycle = table[fixture->playing].length;
    const double off = fabs(status->time * cycle - fixture->age);
    return status->clip == table[fixture->playing].clip && off < 8.0 * TICK
           && status->is_stopping == (fixture->stopping >= 0);
}

TEST_WITH (one_shots_equal_a_simulation_at_any_frame_rate, play_case, assets, play_begin(assets),
           play_end(assets)) {
    static const uint32_t frames[3] = {41, 17, 21};
    for (uint32_t i = 0; i < 3; i++)
        play_add_clip(assets, frames[i], 20, 0.4, (play_walk){0}, i);
    SCOPED_MACHINE machine = play_machine_read(
        assets, NULL,
        "float speed trigger wave trigger hit bool dance follow speed ease 0.5 "
        "clip wave f clip hit f clip spin f slot other slot s "
        "one_shot wave s wave { when wave and speed < 5 until speed >= 5 fade_in 0.1 fade_out 0.26 "
        "} "
        "one_shot hit s hit { when hit priority 1 fade_in 0.05 fade_out 0.11 smooth } "
        "one_shot spin s spin { when dance until not dance loops fade_in 0.1 fade_out 0.31 } "
        "one_shot nod s hit { when speed > 8 priority -1 fade_out 0.13 speed 2 } "
        "one_shot never s hit");
    static const int rates[3] = {24, 60, 240};
    md5_player *players[4];
    for (int i = 0; i < 4; i++)
        players[i] = play_player(machine);
    CHECK_UINT(md5_find_slot(machine, "s"), 1);
    CHECK_UINT(md5_find_one_shot(machine, "never"), 4);
    table_sim sim = {.playing = -1, .stopping = -1};
    uint64_t random = 8;
    uint8_t bytes[4096];
    int num_begun = 0;
    int last = -1;
    const uint32_t count = play_transitions(4000);
    for (uint32_t i = 0; i < count; i++) {
        if (test_random_u32(&random) % 3 == 0) {
            const uint32_t which = test_random_u32(&random) % 4;
            const float value = which > 0 ? (float)(test_random_u32(&random) % 2)
                                          : (float)(12.0 * test_random(&random));
            for (int k = 0; k < 3; k++)
                md5_player_set(players[k], which, value);
            sim.set[which] = value;
            if (which == 0) {
                sim.from = sim.speed;
                sim.since = 0;
            }
        }
        table_rules(&sim);
        for (int k = 0; k < 3; k++) {
            for (int step = 0; step < rates[k] / 12; step++)
                play_advance(players[k], 1.0 / rates[k]);
        }
        for (int k = 0; k < 400; k++)
            table_tick(&sim);
        num_begun += sim.playing != last;
        last = sim.playing;
        const size_t size = md5_player_save(players[1], bytes, sizeof bytes);
        CHECK(md5_player_restore(players[3], bytes, size, NULL));
        md5_player *const swapped = players[1];
        players[1] = players[3];
        players[3] = swapped;
        table_sim later = sim;
        for (int k = 0; k < 8; k++)
            table_tick(&later);
        bool is_same = true;
        const md5_one_shot_status first = md5_player_one_shot(players[0], 1);
        for (int k = 0; k < 3; k++) {
            const md5_one_shot_status status = md5_player_one_shot(players[k], 1);
            is_same = is_same && status.is_playing == first.is_playing && status.clip == first.clip;
            is_same = is_same && fabs(status.time - first.time) < 1e-7
                      && fabsf(status.weight - first.weight) < 1e-6f;
            is_same = is_same && (table_matches(&sim, &status) || table_matches(&later, &status));
        }
        if (!CHECK(is_same)) {
            printf("after %u twelfths: row %d for %g s\n", i, sim.playing, sim.age);
            break;
        }
    }
    CHECK(num_begun > (int)(play_transitions(4000) / 50));
    // A game plays an entry by its name; the `until` of the entry stops it.
    for (int k = 0; k < 3; k++) {
        const md5_one_shot_desc *const rows = md5_machine_tables(machine)->one_shots;
        md5_player_reset(players[k]);
        CHECK(md5_player_play_one_shot(players[k], MD5_NONE, MD5_NONE, &rows[2]));
        CHECK_UINT(md5_player_one_shot(players[k], 1).clip, 2);
        play_advance(players[k], 0.2);
        CHECK(md5_player_one_shot(players[k], 1).is_stopping);
    }
    for (int k = 0; k < 4; k++)
        md5_destroy_player(players[k]);
}

// Compares the poses of Bobbin after a trigger: of the machine that plays its gestures in the slot
// `slot`, and of the machine that plays them by states.
static void compare_gesture(const md5_character *bobbin, const md5_machine *with_states,
                            uint32_t slot, const char *trigger)
{
    const uint32_t num_joints = bobbin->model->skeleton.num_joints;
    SCOPED_PLAYER one_shots = play_player(bobbin->machine);
    SCOPED_PLAYER states = play_player(with_states);
    SCOPED_ARRAY(md5_xform, one_shot_pose, num_joints);
    SCOPED_ARRAY(md5_xform, state_pose, num_joints);
    REQUIRE(one_shot_pose && state_pose);
    md5_player *const players[] = {one_shots, states};
    for (int k = 0; k < 2; k++) {
        md5_player_set(players[k], md5_find_parameter(with_states, "speed"), 20);
        play_advance(players[k], 1.5);
        md5_player_set(players[k], md5_find_parameter(with_states, trigger), 1);
    }
    double max_weight = 0;
    for (int step = 0; step < 30; step++) {
        play_advance(one_shots, 1.0 / 60.0);
        play_advance(states, 1.0 / 60.0);
        play_pose(one_shots, one_shot_pose);
        play_pose(states, state_pose);
        for (uint32_t j = 0; j < num_joints; j++)
            CHECK(real_angle(one_shot_pose[j].rotation, state_pose[j].rotation) <= 1e-6);
        max_weight = fmax(max_weight, md5_player_one_shot(one_shots, slot).weight);
    }
    CHECK(max_weight == 1);
}

// An entry of Bobbin's machine has the same effect as three lines of a layer.
TEST (one_shot_of_bobbin_equals_states_and_transitions) {
    static const char rows[] =
        "machine g { layer gesture { mask upper state none nothing "
        "state wave wave state point point state attack attack state sneeze sneeze "
        "transition none wave { when wave and speed > 2 duration 0.3 smooth } "
        "transition none point { when point and speed > 2 duration 0.3 smooth } "
        "transition none attack { when attack and speed > 2 duration 0.15 smooth } "
        "transition none sneeze { when sneeze and speed > 2 duration 0.2 smooth } } }";
    md5_error error = {0};
    SCOPED_CHARACTER bobbin =
        md5_load_character(test_path("models/bobbin/bobbin.md5machine"), NULL, &error);
    SCOPED_MACHINE_FILE file = md5_parse_machine_file(rows, sizeof rows - 1, NULL, &error);
    REQUIRE(bobbin && file);
    md5_machine_desc desc = *md5_machine_tables(bobbin->machine);
    md5_layer_desc layers[16];
    const uint32_t below = md5_find_layer(bobbin->machine, "arm") + 1;
    const uint32_t slot = md5_find_slot(bobbin->machine, "gesture");
    memcpy(layers, desc.layers, below * sizeof *layers);
    layers[below] = file->desc.layers[0];
    memcpy(layers + below + 1, desc.layers + below, (desc.num_layers++ - below) * sizeof *layers);
    desc.layers = layers;
    desc.num_one_shots = 0;
    SCOPED_MACHINE machine = md5_create_machine(&desc, NULL, &error);
    if (!CHECK(machine))
        printf("%s\n", error.message);
    STRINGS(triggers) = {"wave", "point", "attack", "sneeze"};
    if (machine) {
        for (size_t i = 0; i < COUNT_OF(triggers); i++)
            compare_gesture(bobbin, machine, slot, triggers[i]);
    }
}
