// Tests of the poses of players, compared with the same poses in double precision. The last part
// compares layers with the channels of the original engine.
#include "test/play/test_play_case.h"

// The two poses of a blend are rounded to floats, and each slerp has an error of at most 2e-6.
#define NEAR 3e-5

enum { RATE = 24, FRAMES = 25 };

// Creates four clips of one second.
static void begin_four(play_scene *fixture)
{
    play_scene_begin(fixture);
    for (uint32_t i = 0; i < 4; i++)
        play_scene_add(fixture, FRAMES, RATE, 0.3 + 0.2 * i, 1 + i);
}

static void at(const play_case *assets, uint32_t clip, double seconds, real_transform *pose)
{
    play_real_sample(assets->anims[clip], fmod(seconds, 1) * (double)RATE, pose);
}

#define TEST_HERE(title) TEST_PLAY (title, begin_four(fixture))

TEST_HERE (play_shows_a_clip) {
    play_scene_read(fixture, "layer body { state swinging b }");
    double time = 0;
    for (int i = 0; i < 100; i++) {
        real_transform expected[PLAY_JOINTS];
        at(&fixture->assets, 1, time, expected);
        CHECK(play_miss(fixture->player, expected) < NEAR);
        play_advance(fixture->player, 0.071);
        time += 0.071;
    }
}

// Three fades overlap. The expected pose is mix(mix(mix(A, B), C), D), in which each clip has its
// own time and each mix the weight of its own fade.
TEST_HERE (play_crossfades_up_to_four) {
    play_scene_read(fixture, "layer body { state a a state b b state c c state d d }");
    static const md5_ease_kind easings[4] = {MD5_EASE_LINEAR, MD5_EASE_SMOOTH, MD5_EASE_LINEAR,
                                             MD5_EASE_CUBIC_IN_OUT};
    const double begins[4] = {0, 0.3, 0.5, 0.6};
    const double durations[4] = {1, 0.9, 1, 0.8};
    double time = 0;
    uint32_t num_begun = 1;
    for (int i = 0; i < 180; i++) {
        if (num_begun < 4 && time >= begins[num_begun] - 1e-9) {
            CHECK(md5_player_fade_to(fixture->player, 0, num_begun, (float)durations[num_begun],
                                     MD5_FADE_CROSS, easings[num_begun]));
            num_begun++;
        }
        real_transform expected[PLAY_JOINTS], next[PLAY_JOINTS];
        at(&fixture->assets, 0, time, expected);
        for (uint32_t k = 1; k < num_begun; k++) {
            const double fraction = (time - begins[k]) / (float)durations[k];
            at(&fixture->assets, k, time - begins[k], next);
            play_real_blend(expected, next,
                            md5_ease((md5_easing){.kind = easings[k]}, (float)fraction), NULL,
                            expected);
        }
        CHECK(play_miss(fixture->player, expected) < NEAR);
        play_advance(fixture->player, 0.01);
        time += 0.01;
    }
}

// A fade with an easing that overshoots is clamped to its ends: otherwise BACK would extrapolate
// from A.
TEST_HERE (play_crossfade_stays_within_its_ends) {
    play_scene_read(fixture, "layer body { state a a state b b }");
    CHECK(md5_player_fade_to(fixture->player, 0, 1, 1, MD5_FADE_CROSS, MD5_EASE_BACK_IN_OUT));
    for (int i = 1; i < 20; i++) {
        play_advance(fixture->player, 0.05);
        const double time = 0.05 * i;
        const double eased = md5_ease((md5_easing){.kind = MD5_EASE_BACK_IN_OUT}, (float)time);
        real_transform expected[PLAY_JOINTS], next[PLAY_JOINTS];
        at(&fixture->assets, 0, time, expected);
        at(&fixture->assets, 1, time, next);
        play_real_blend(expected, next, fmin(fmax(eased, 0), 1), NULL, expected);
        CHECK(play_miss(fixture->player, expected) < NEAR);
    }
}

// A state without a motion shows the bind pose or the layer below it.
TEST_HERE (play_fades_to_nothing) {
    play_scene_read(fixture, "layer body { state a a state nothing nothing state c c }");
    md5_xform pose[PLAY_JOINTS];
    real_transform bind[PLAY_JOINTS];
    real_transform a[PLAY_JOINTS];
    real_transform c[PLAY_JOINTS];
    real_transform expected[PLAY_JOINTS];
    play_real_bind(fixture->assets.model, bind);

    play_fade(fixture->player, 0, 1, 0.5f);
    play_advance(fixture->player, 0.2);
    at(&fixture->assets, 0, 0.2, a);
    play_real_blend(bind, a, 0.6, NULL, expected);
    CHECK(play_miss(fixture->player, expected) < NEAR);

    // The fade to nothing has left A the weight 0.6. The fade to C is half done, so the weights are
    // 0.3 for A, 0.5 for C and 0.2 for nothing.
    play_fade(fixture->player, 0, 2, 0.2f);
    play_advance(fixture->player, 0.1);
    at(&fixture->assets, 0, 0.3, a);
    at(&fixture->assets, 2, 0.1, c);
    play_real_blend(a, c, 0.5 / 0.7, NULL, expected);
    play_real_blend(bind, expected, 0.7, NULL, expected);
    CHECK(play_miss(fixture->player, expected) < NEAR);

    play_fade(fixture->player, 0, 1, 0);
    play_pose(fixture->player, pose);
    CHECK_BYTES(pose, fixture->assets.model->bind_local, sizeof pose);
}

// Weights of a blend space, a stack on top of it, and items that are added, nested and have their
// own speed.
TEST_HERE (play_nests_motions) {
    play_scene_read(fixture,
                    "float x 0.25 float more 0.5 mask arms ( *larm *rarm ) "
                    "motion d_twice clip d { speed 2 start 0.5 } "
                    "motion line line x { item a 0 item b 1 } "
                    "motion all stack { speed 0.5 item line item c { mask arms weight 0.75 } "
                    "item d_twice { add weight more } "
                    "item b { add weight 0.5 reference a 7 } } layer body { state all all }");
    float arms[PLAY_JOINTS];
    CHECK(md5_build_mask(&fixture->assets.model->skeleton, "*larm *rarm", 0, arms, NULL));
    double time = 0;
    for (int i = 0; i < 50; i++) {
        const double x = 0.25 + 0.01 * i;
        const double more = 0.02 * i;
        md5_player_set(fixture->player, 0, (float)x);
        md5_player_set(fixture->player, 1, (float)more);
        play_advance(fixture->player, 0.06);
        time += 0.06;
        real_transform expected[PLAY_JOINTS];
        real_transform second_pose[PLAY_JOINTS];
        real_transform reference[PLAY_JOINTS];
        at(&fixture->assets, 0, 0.5 * time, expected);
        at(&fixture->assets, 1, 0.5 * time, second_pose);
        play_real_blend(expected, second_pose, x, NULL, expected);
        at(&fixture->assets, 2, 0.5 * time, second_pose);
        play_real_blend(expected, second_pose, 0.75, arms, expected);
        at(&fixture->assets, 3, time + 0.5, second_pose);
        play_real_sample(fixture->assets.anims[3], 0, reference);
        play_real_add(expected, second_pose, reference, more, NULL, expected);
        at(&fixture->assets, 1, 0.5 * time, second_pose);
        play_real_sample(fixture->assets.anims[0], 7, reference);
        play_real_add(expected, second_pose, reference, 0.5, NULL, expected);
        CHECK(play_miss(fixture->player, expected) < NEAR);
    }
    // A changed parameter is visible immediately, without a step.
    md5_xform before[PLAY_JOINTS], after[PLAY_JOINTS];
    play_pose(fixture->player, before);
    md5_player_set(fixture->player, 0, 0.1f);
    play_pose(fixture->player, after);
    CHECK(play_pose_distance(before, after) > 0.1);
}

TEST_HERE (play_blends_layers_over_another) {
    play_scene_read(fixture, "float lean 0.4 mask upper ( *spine ) { feather 2 } "
                             "layer body { state a a } "
                             "layer upper { mask upper weight 0.9 state b b } "
                             "layer lean { add reference c 3 mask upper weight lean state c c }");
    float upper[PLAY_JOINTS];
    CHECK(md5_build_mask(&fixture->assets.model->skeleton, "*spine", 2, upper, NULL));
    for (int i = 0; i < 50; i++) {
        real_transform expected[PLAY_JOINTS];
        real_transform second_pose[PLAY_JOINTS];
        real_transform reference[PLAY_JOINTS];
        const double time = 0.05 * i;
        at(&fixture->assets, 0, time, expected);
        at(&fixture->assets, 1, time, second_pose);
        play_real_blend(expected, second_pose, 0.9f, upper, expected);
        at(&fixture->assets, 2, time, second_pose);
        play_real_sample(fixture->assets.anims[2], 3, reference);
        play_real_add(expected, second_pose, reference, 0.4f, upper, expected);
        CHECK(play_miss(fixture->player, expected) < NEAR);
        play_advance(fixture->player, 0.05);
    }
}

// -- Channels of the original engine ----------------------------------------------------------

// The blends that a channel of id's engine plays, newest first, each with a weight.
typedef struct channel {
    const float *mask; // NULL: all joints
    uint32_t clips[2];
    double weights[2];
} channel;

// Accumulates a channel as id's engine does: the first pose has the full weight, and each further
// pose the fraction of its weight in the sum of the weights so far. After a sum of 1, poses are
// ignored.
static double accumulate(const play_case *assets, const channel *from, double time, double gathered,
                         real_transform *pose)
{
    for (int i = 0; i < 2 && gathered < 1; i++) {
        real_transform next[PLAY_JOINTS];
        if (from->weights[i] == 0)
            continue;
        at(assets, from->clips[i], time, next);
        gathered += from->weights[i];
        play_real_blend(pose, next, from->weights[i] / gathered, from->mask, pose);
    }
    return gathered;
}

typedef struct original {
    play_scene scene;
    float masks[4][PLAY_JOINTS];
} original;

// Creates layers instead of channels: the parts, ALL over them, the eyelids over ALL.
static void begin_original(original *fixture)
{
    play_scene *const scene = &fixture->scene;
    begin_four(scene);
    play_scene_read(scene, "float blink mask torso ( *spine -*head ) "
                           "mask legs ( origin pelvis *lhip ) mask head ( *head ) "
                           "mask eyelids ( head ) "
                           "layer torso { mask torso state a a state b b } "
                           "layer legs { mask legs state c c state d d } "
                           "layer head { mask head state d d state a a } "
                           "layer all { state none nothing state b b } "
                           "layer eyelids { mask eyelids weight blink state c c }");
    const md5_mask_desc *const masks = md5_machine_tables(scene->machine)->masks;
    for (int i = 0; i < 4; i++)
        CHECK(md5_build_mask(&scene->assets.model->skeleton, masks[i].joints, 0, fixture->masks[i],
                             NULL));
}

static void check_original(original *fixture, const channel *channels, double time)
{
    real_transform expected[PLAY_JOINTS];
    // The expected pose: ALL, then the parts with the weight that ALL leaves them, then the
    // eyelids, which are blended over the result.
    const play_case *assets = &fixture->scene.assets;
    play_real_bind(assets->model, expected);
    const double total = accumulate(assets, &channels[0], time, 0, expected);
    for (int i = 1; i < 4; i++)
        accumulate(assets, &channels[i], time, total, expected);
    accumulate(assets, &channels[4], time, 1 - channels[4].weights[0], expected);

    CHECK(play_miss(fixture->scene.player, expected) < NEAR);
}

// Torso, legs and head each change from one animation to another; the eyes blink.
TEST (play_fades_channels_like_the_original_engine) {
    original fixture;
    begin_original(&fixture);
    for (uint32_t i = 0; i < 3; i++)
        play_fade(fixture.scene.player, i, 1, 1);
    for (int i = 0; i < 48; i++) {
        const double time = 0.025 * i;
        const double in = fmin(time, 1);
        const double blink = (float)(0.02 * i);
        const channel channels[5] = {{NULL, {0, 0}, {0, 0}},
                                     {fixture.masks[0], {1, 0}, {in, 1 - in}},
                                     {fixture.masks[1], {3, 2}, {in, 1 - in}},
                                     {fixture.masks[2], {0, 3}, {in, 1 - in}},
                                     {fixture.masks[3], {2, 0}, {blink, 0}}};
        md5_player_set(fixture.scene.player, 0, (float)blink);
        check_original(&fixture, channels, time);
        play_advance(fixture.scene.player, 0.025);
    }
    play_scene_end(&fixture.scene);
}

// An animation of the whole body fades out to the parts, whose weights rise as its weight falls.
TEST (play_fades_the_whole_body_like_the_original_engine) {
    original fixture;
    begin_original(&fixture);
    play_fade(fixture.scene.player, 3, 1, 0);
    play_fade(fixture.scene.player, 3, 0, 1);
    for (int i = 0; i < 48; i++) {
        const double time = 0.025 * i;
        const double in = fmin(time, 1);
        const channel channels[5] = {{NULL, {1, 0}, {1 - in, 0}},
                                     {fixture.masks[0], {0, 0}, {in, 0}},
                                     {fixture.masks[1], {2, 0}, {in, 0}},
                                     {fixture.masks[2], {3, 0}, {in, 0}},
                                     {fixture.masks[3], {2, 0}, {0, 0}}};
        check_original(&fixture, channels, time);
        play_advance(fixture.scene.player, 0.025);
    }
    play_scene_end(&fixture.scene);
}
