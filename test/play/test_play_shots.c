// One-shots: what they do to the pose, against double precision; slots, fades, what is refused.
#include "test/play/test_play_case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BASE, HIT, WAVE };

// Clips of 25, 17 and 21 frames at 20 a second: 1.2, 0.8 and 1 s.
static const uint32_t num_frames[3] = {25, 17, 21};
static const double rate = 20.0;

static void begin(play_scene *of)
{
    play_scene_begin(of);
    for (uint32_t i = 0; i < 3; i++)
        play_scene_add(of, num_frames[i], rate, 0.4 + 0.2 * i, 11 + i);
    play_scene_read(of, "float top mask upper ( *spine ) { feather 2 } mask arms ( *larm *rarm ) "
                        "layer body { state base a } layer top { add weight top state top c }");
}

static void advance(play_scene *of, double seconds)
{
    md5_player_advance(of->player, seconds, NULL, NULL);
}

// A clip that loops, at a time in seconds.
static void real_loop(const play_scene *of, uint32_t clip, double seconds, play_real *pose)
{
    play_real_sample(of->made.anims[clip], fmod(seconds * rate, num_frames[clip] - 1.0), pose);
}

static double miss(const play_scene *of, const play_real *expected)
{
    md5_xform pose[PLAY_JOINTS];
    play_pose(of->player, pose);
    return play_distance(pose, expected);
}

static void make_mask(const play_scene *of, uint32_t mask, float *weights)
{
    md5_build_mask(&of->made.model->skeleton, md5_machine_tables(of->machine)->masks[mask].joints,
                   mask == 0 ? 2 : 0, weights, NULL);
}

// Linear fades of 0.2 s in and 0.3 s out of a clip of 0.8 s.
static double expected_weight(double time)
{
    return fmin(time / 0.2, 1.0) * fmin((0.8 - time) / 0.3, 1.0);
}

TEST (shot_is_blended_over_the_layers_with_its_fades) {
    for (int masked = 0; masked < 2; masked++) {
        play_scene of;
        float mask[PLAY_JOINTS];
        begin(&of);
        make_mask(&of, 0, mask);
        const md5_shot_desc desc = {
            .mask = masked ? "upper" : NULL, .weight = 0.75f, .fade_in = 0.2f, .fade_out = 0.3f};
        advance(&of, 0.35);
        CHECK(md5_player_play_shot(of.player, 0, HIT, &desc));
        for (int step = 1; step < 16; step++) {
            play_real base[PLAY_JOINTS], hit[PLAY_JOINTS], expected[PLAY_JOINTS];
            const double time = 0.05 * step, weight = 0.75 * expected_weight(time);
            advance(&of, 0.05);
            real_loop(&of, BASE, 0.35 + time, base);
            real_loop(&of, HIT, time, hit);
            play_real_blend(base, hit, weight, masked ? mask : NULL, expected);
            CHECK_NEAR(miss(&of, expected), 0.0, 2e-5);
            const md5_shot_status status = md5_player_shot(of.player, 0);
            CHECK(status.is_playing && status.clip == HIT && !status.is_stopping);
            CHECK_NEAR((double)status.weight, weight, 1e-6);
            CHECK_NEAR(status.time, time / 0.8, 1e-9);
        }
        advance(&of, 0.05);
        CHECK(!md5_player_shot(of.player, 0).is_playing);
        play_real base[PLAY_JOINTS];
        real_loop(&of, BASE, 1.15, base);
        CHECK_NEAR(miss(&of, base), 0.0, 2e-5);
        play_scene_end(&of);
    }
}

// The difference from a frame of its own clip, and of another one.
TEST (shot_adds_its_difference) {
    for (int variant = 0; variant < 3; variant++) {
        play_scene of;
        float mask[PLAY_JOINTS];
        begin(&of);
        make_mask(&of, 1, mask);
        md5_shot_desc desc = {.mode = MD5_LAYER_ADD, .weight = 0.5f};
        desc.mask = variant == 1 ? "arms" : NULL;
        desc.reference = variant == 2 ? "c" : NULL;
        desc.reference_frame = variant == 2 ? 5 : 0;
        CHECK(md5_player_play_shot(of.player, 3, HIT, &desc));
        advance(&of, 0.33);
        play_real base[PLAY_JOINTS], hit[PLAY_JOINTS], from[PLAY_JOINTS], expected[PLAY_JOINTS];
        real_loop(&of, BASE, 0.33, base);
        real_loop(&of, HIT, 0.33, hit);
        play_real_sample(of.made.anims[variant == 2 ? WAVE : HIT], variant == 2 ? 5.0 : 0.0, from);
        play_real_add(base, hit, from, 0.5, variant == 1 ? mask : NULL, expected);
        CHECK_NEAR(miss(&of, expected), 0.0, 3e-5);
        play_scene_end(&of);
    }
}

#define TEST_HERE(title) TEST_WITH (title, play_scene, of, begin(of), play_scene_end(of))

TEST_HERE (shot_is_played_over_its_layer) {
    md5_player_set(of->player, 0, 1.0f); // the weight of `top`
    md5_player_play_shot(of->player, 0, HIT, &(md5_shot_desc){.layer = "body"});
    advance(of, 0.4);
    play_real hit[PLAY_JOINTS], top[PLAY_JOINTS], from[PLAY_JOINTS], expected[PLAY_JOINTS];
    real_loop(of, HIT, 0.4, hit);
    real_loop(of, WAVE, 0.4, top);
    play_real_sample(of->made.anims[WAVE], 0.0, from);
    play_real_add(hit, top, from, 1.0, NULL, expected);
    CHECK_NEAR(miss(of, expected), 0.0, 3e-5);
    // A one-shot over all layers hides them; in a higher slot it also hides the one in the lower
    // slot.
    md5_player_play_shot(of->player, 1, WAVE, NULL);
    advance(of, 0.2);
    real_loop(of, WAVE, 0.2, expected);
    CHECK_NEAR(miss(of, expected), 0.0, 2e-5);
}

TEST (shot_starts_and_goes_as_described) {
    static const struct {
        md5_shot_desc desc;
        double seconds, frame; // -1: it has ended
    } cases[] = {
        {{.start = 0.25}, 0.2, 8.0},
        {{.start = 0.25}, 0.59, 15.8},
        {{.start = 0.25}, 0.6, -1.0},
        {{.speed = 2.0f}, 0.3, 12.0},
        {{.speed = 2.0f}, 0.4, -1.0},
        {{.speed = -1.0f}, 0.3, 10.0},
        {{.speed = -0.5f, .start = 0.5}, 0.4, 4.0},
        {{.speed = -0.5f, .start = 0.5}, 0.8, -1.0},
        {{.speed = MD5_ZERO, .start = 0.5}, 50.0, 8.0},
        {{.end = MD5_SHOT_HOLDS}, 7.0, 16.0},
        {{.end = MD5_SHOT_HOLDS, .speed = -1.0f}, 7.0, 0.0},
        {{.end = MD5_SHOT_LOOPS}, 1.9, 6.0},
        {{.end = MD5_SHOT_LOOPS, .speed = -1.0f}, 1.9, 10.0},
        {{.end = MD5_SHOT_LOOPS, .start = 0.5}, 0.5, 2.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        play_scene of;
        play_real expected[PLAY_JOINTS];
        begin(&of);
        CHECK(md5_player_play_shot(of.player, 0, HIT, &cases[i].desc));
        advance(&of, 0.5 * cases[i].seconds);
        advance(&of, 0.5 * cases[i].seconds);
        const bool is_playing = md5_player_shot(of.player, 0).is_playing;
        CHECK(is_playing == (cases[i].frame >= 0.0));
        if (is_playing)
            play_real_sample(of.made.anims[HIT], cases[i].frame, expected);
        else
            real_loop(&of, BASE, cases[i].seconds, expected);
        if (!CHECK_NEAR(miss(&of, expected), 0.0, 3e-5))
            printf("case %zu\n", i);
        play_scene_end(&of);
    }
}

// While `new` fades in over `old`, each joint has their weights as shares, also where only one of
// the masks reaches: old first, by its share of what is left.
TEST_HERE (shot_takes_a_slot_joint_by_joint) {
    float old_mask[PLAY_JOINTS], new_mask[PLAY_JOINTS], share[PLAY_JOINTS];
    make_mask(of, 0, old_mask);
    make_mask(of, 1, new_mask);
    const md5_shot_desc old = {.mask = "upper", .end = MD5_SHOT_LOOPS, .weight = 0.9f};
    const md5_shot_desc new = {.mask = "arms",
                               .end = MD5_SHOT_LOOPS,
                               .fade_in = 0.4f,
                               .fade_in_easing.kind = MD5_EASE_SMOOTH,
                               .fade_out_easing.kind = MD5_EASE_SMOOTH};
    CHECK(md5_player_play_shot(of->player, 2, HIT, &old));
    advance(of, 0.1);
    CHECK(md5_player_play_shot(of->player, 2, WAVE, &new));
    for (int step = 1; step <= 8; step++) {
        play_real base[PLAY_JOINTS], hit[PLAY_JOINTS], wave[PLAY_JOINTS], both[PLAY_JOINTS];
        const double time = 0.05 * step, t = time / 0.4, in = t * t * (3.0 - 2.0 * t);
        advance(of, 0.05);
        for (int i = 0; i < PLAY_JOINTS; i++) {
            const double left = 1.0 - in * (double)new_mask[i];
            const double own = 0.9 * (1.0 - in) * (double)old_mask[i];
            share[i] = left > 0.0 ? (float)fmin(own / left, 1.0) : 0.0f;
        }
        real_loop(of, BASE, 0.1 + time, base);
        real_loop(of, HIT, 0.1 + time, hit);
        real_loop(of, WAVE, time, wave);
        play_real_blend(base, hit, 1.0, share, both);
        play_real_blend(both, wave, in, new_mask, both);
        CHECK_NEAR(miss(of, both), 0.0, 3e-5);
        // A joint of both masks, by its translation alone: shares of the three clips.
        md5_xform pose[PLAY_JOINTS];
        play_pose(of->player, pose);
        const double expected = 0.1 * (1.0 - in) * base[6].translation[0]
                                + 0.9 * (1.0 - in) * hit[6].translation[0]
                                + in * wave[6].translation[0];
        CHECK_NEAR((double)pose[6].translation.x, expected, 2e-5);
    }
    CHECK_UINT(md5_player_shot(of->player, 2).clip, WAVE);
}

// One-shots are played and stopped at random with fades of 0.2 to 0.3 s, at most four in a slot: in
// steps of 1/1000 s no joint moves faster than clips and fades do.
TEST_HERE (shot_never_jumps) {
    static const char *const mask_names[] = {NULL, "upper", "arms"};
    uint64_t random = 77;
    md5_xform old[PLAY_JOINTS], pose[PLAY_JOINTS];
    advance(of, 0.0);
    play_pose(of->player, old);
    double most = 0.0;
    for (int step = 0; step < 20000; step++) {
        const uint32_t slot = (uint32_t)step / 50 % 2;
        if (step % 50 == 0 && test_random_u32(&random) % 3 > 0) {
            const md5_easing easing = {.kind = (md5_ease_kind)(test_random_u32(&random) % 2)};
            const md5_shot_desc desc = {.mask = mask_names[test_random_u32(&random) % 3],
                                        .end = (md5_shot_end)(test_random_u32(&random) % 3),
                                        .weight = (float)(0.1 + 0.9 * test_random(&random)),
                                        .fade_in = (float)(0.2 + 0.1 * test_random(&random)),
                                        .fade_out = 0.25f,
                                        .fade_in_easing = easing,
                                        .fade_out_easing = easing};
            CHECK(md5_player_play_shot(of->player, slot, test_random_u32(&random) % 3, &desc));
        }
        if (test_random_u32(&random) % 300 == 0)
            md5_player_stop_shot(of->player, test_random_u32(&random) % 2, 0.2f);
        advance(of, 0.001);
        play_pose(of->player, pose);
        most = fmax(most, play_pose_distance(pose, old));
        memcpy(old, pose, sizeof pose);
    }
    CHECK(most < 0.08);
}

TEST_HERE (shot_stops_over_its_fade) {
    const md5_shot_desc loops = {.end = MD5_SHOT_LOOPS};
    CHECK(!md5_player_stop_shot(of->player, 0, 0.5f));
    md5_player_play_shot(of->player, 0, HIT, &loops);
    advance(of, 0.1);
    // Stopping again does not take longer.
    for (int step = 0; step < 5; step++) {
        CHECK(md5_player_stop_shot(of->player, 0, 0.5f));
        const md5_shot_status status = md5_player_shot(of->player, 0);
        CHECK_NEAR((double)status.weight, 1.0 - 0.2 * step, 1e-6);
        CHECK(status.is_stopping);
        advance(of, 0.1);
    }
    CHECK(!md5_player_shot(of->player, 0).is_playing);
    // A shorter fade takes over from what is left.
    md5_player_play_shot(of->player, 0, HIT, &loops);
    md5_player_stop_shot(of->player, 0, 1.0f);
    advance(of, 0.5);
    md5_player_stop_shot(of->player, 0, 0.1f);
    advance(of, 0.05);
    CHECK_NEAR((double)md5_player_shot(of->player, 0).weight, 0.25, 1e-6);
    CHECK(md5_player_stop_shot(of->player, 0, 0.0f));
    CHECK(!md5_player_stop_shot(of->player, 0, 0.0f));
    md5_player_play_shot(of->player, 0, HIT, &loops);
    md5_player_reset(of->player);
    CHECK(!md5_player_shot(of->player, 0).is_playing);
}

TEST_HERE (shot_that_makes_no_sense_is_refused) {
    static const md5_shot_desc wrong[] = {
        {.mask = "legs"},    {.layer = "hat"},       {.reference = "d"},      {.weight = 1.5f},
        {.weight = -0.5f},   {.weight = NAN},        {.speed = INFINITY},     {.start = 1.5},
        {.start = -0.1},     {.start = (double)NAN}, {.fade_in = -1.0f},      {.fade_in = INFINITY},
        {.fade_out = -0.1f}, {.fade_out = NAN},      {.reference_frame = 17},
    };
    md5_player_play_shot(of->player, 1, WAVE, NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK(!md5_player_play_shot(of->player, 1, HIT, &wrong[i]));
    CHECK(!md5_player_play_shot(of->player, 4, HIT, NULL));
    CHECK(!md5_player_play_shot(of->player, 1, 3, NULL));
    CHECK(!md5_player_stop_shot(of->player, 4, 0.0f));
    CHECK(!md5_player_shot(of->player, 4).is_playing);
    CHECK_UINT(md5_player_shot(of->player, 1).clip, WAVE);
    CHECK(md5_find_clip(of->machine, "c") == WAVE && md5_find_clip(of->machine, "d") == MD5_NONE);
}

TEST_WITH (shot_slots_are_counted_when_the_machine_is_made, play_scene, of, play_scene_begin(of),
           play_scene_end(of)) {
    md5_error error = {0};
    play_scene_add(of, 17, rate, 0.5, 1);
    md5_machine_desc desc = {.model = of->made.model, .max_shots = MD5_MAX_SHOTS + 1};
    CHECK(!md5_create_machine(&desc, NULL, &error));
    CHECK_STRING(error.message, "max_shots is 65, which must be 0 to 64");
    // A machine without layers plays one-shots all the same, over the bind pose.
    play_scene_play(of, &(md5_machine_desc){.max_shots = 1});
    CHECK(!md5_player_play_shot(of->player, 1, 0, NULL));
    CHECK(md5_player_play_shot(of->player, 0, 0, &(md5_shot_desc){.weight = 0.5f}));
    md5_player_advance(of->player, 0.3, NULL, NULL);
    play_real bind[PLAY_JOINTS], clip[PLAY_JOINTS];
    play_real_bind(of->made.model, bind);
    play_real_sample(of->made.anims[0], 6.0, clip);
    play_real_blend(bind, clip, 0.5, NULL, clip);
    CHECK_NEAR(miss(of, clip), 0.0, 2e-5);
}
