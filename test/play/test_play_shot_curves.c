// One-shots whose fades have easing curves, against double precision.
#include "test/play/test_play_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Two clips of 21 frames at 20 a second: 1 s each.
static void begin(play_scene *of)
{
    play_scene_begin(of);
    play_scene_add(of, 21, 20.0, 0.4, 1);
    play_scene_add(of, 21, 20.0, 0.5, 2);
    play_scene_read(of, "layer body { state base a }");
}

static const md5_easing bezier = {
    .kind = MD5_EASE_CUBIC_BEZIER, .x1 = 0.25f, .y1 = 0.75f, .x2 = 0.5f, .y2 = 1.0f};
static const md5_easing stairs = {.kind = MD5_EASE_STEPS, .steps = 5, .jump = MD5_JUMP_START};
static const md5_easing back = {.kind = MD5_EASE_BACK_IN};

// The y of the curve `bezier` at x, by bisection.
static double bezier_at(double x)
{
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 60; i++) {
        const double s = 0.5 * (low + high), r = 1.0 - s;
        if (3.0 * r * r * s * 0.25 + 3.0 * r * s * s * 0.5 + s * s * s < x)
            low = s;
        else
            high = s;
    }
    const double s = low, r = 1.0 - s;
    return 3.0 * r * r * s * 0.75 + 3.0 * r * s * s + s * s * s;
}

static double weight_of(const play_scene *of)
{
    return (double)md5_player_shot(of->player, 0).weight;
}

static void advance(play_scene *of, double seconds)
{
    md5_player_advance(of->player, seconds, NULL, NULL);
}

// How far the pose is from both clips blended by this weight.
static double miss(const play_scene *of, double seconds, double weight)
{
    md5_xform pose[PLAY_JOINTS];
    play_real base[PLAY_JOINTS], shot[PLAY_JOINTS], blended[PLAY_JOINTS];
    play_real_sample(of->made.anims[0], 20.0 * seconds, base);
    play_real_sample(of->made.anims[1], 20.0 * seconds, shot);
    play_real_blend(base, shot, weight, NULL, blended);
    play_pose(of->player, pose);
    return play_distance(pose, blended);
}

#define TEST_HERE(title) TEST_WITH (title, play_scene, of, begin(of), play_scene_end(of))

TEST_HERE (shot_fades_by_curves_of_style_sheets_and_steps) {
    const md5_shot_desc desc = {
        .fade_in = 0.4f, .fade_out = 0.4f, .fade_in_easing = bezier, .fade_out_easing = stairs};
    CHECK(md5_player_play_shot(of->player, 0, 1, &desc));
    for (int step = 1; step < 40; step++) {
        advance(of, 0.025);
        const double time = 0.025 * step, in = fmin(time / 0.4, 1.0);
        const double out = fmax((time - 0.6) / 0.4, 0.0);
        if (fabs(5.0 * out - floor(5.0 * out + 0.5)) < 1e-6)
            continue; // a step begins there
        const double left = 1.0 - (time > 0.6 ? fmin(floor(5.0 * out) + 1.0, 5.0) / 5.0 : 0.0);
        CHECK_NEAR(weight_of(of), bezier_at(in) * left, 2e-6);
        CHECK(miss(of, time, bezier_at(in) * left) < 2e-5);
    }
    advance(of, 0.025);
    CHECK(!md5_player_shot(of->player, 0).is_playing);
}

// Each fade has its own easing. Where the curve goes below 0 the weight stays at 0.
TEST_HERE (shot_fades_by_a_curve_and_an_easing) {
    CHECK(md5_player_play_shot(of->player, 0, 1,
                               &(md5_shot_desc){.fade_in = 0.5f,
                                                .fade_out = 0.5f,
                                                .fade_out_easing.kind = MD5_EASE_QUADRATIC_IN,
                                                .fade_in_easing = back}));
    for (int step = 1; step < 20; step++) {
        advance(of, 0.05);
        const double t = fmin(0.1 * step, 1.0), out = fmax(0.1 * step - 1.0, 0.0);
        const double in = 2.70158 * t * t * t - 1.70158 * t * t;
        CHECK_NEAR(weight_of(of), fmax(in, 0.0) * (1.0 - out * out), 2e-6);
    }
}

// The old one-shot fades out as the new one fades in, so their shares add up to 1. Steps of a fade
// out that has not begun do not count, although their curve is not 0 at 0.
TEST_HERE (shot_is_replaced_by_the_curve_of_the_new_one) {
    const md5_shot_desc loops = {.end = MD5_SHOT_LOOPS};
    CHECK(md5_player_play_shot(of->player, 0, 0, &loops));
    advance(of, 0.25);
    CHECK(md5_player_play_shot(of->player, 0, 1,
                               &(md5_shot_desc){.end = MD5_SHOT_LOOPS,
                                                .start = 0.25,
                                                .fade_in = 0.5f,
                                                .fade_in_easing = bezier,
                                                .fade_out_easing = stairs}));
    for (int step = 1; step < 10; step++) {
        advance(of, 0.05);
        CHECK(miss(of, 0.25 + 0.05 * step, bezier_at(0.1 * step)) < 2e-5);
    }
}

TEST_HERE (shot_is_stopped_by_the_curve_of_its_fade_out) {
    CHECK(md5_player_play_shot(of->player, 0, 1,
                               &(md5_shot_desc){.end = MD5_SHOT_LOOPS,
                                                .fade_in_easing = stairs,
                                                .fade_out_easing = bezier}));
    CHECK(md5_player_stop_shot(of->player, 0, 0.5f));
    for (int step = 1; step < 10; step++) {
        advance(of, 0.05);
        CHECK_NEAR(weight_of(of), 1.0 - bezier_at(0.1 * step), 2e-6);
    }
}

// The description and its curves may be freed: the player has copies.
TEST_HERE (shot_with_curves_is_saved_and_copied) {
    md5_easing in = bezier, out = stairs;
    CHECK(md5_player_play_shot(
        of->player, 0, 1,
        &(md5_shot_desc){
            .fade_in = 0.5f, .fade_out = 0.4f, .fade_in_easing = in, .fade_out_easing = out}));
    memset(&in, 0, sizeof in);
    memset(&out, 0, sizeof out);
    advance(of, 0.2);
    md5_player_stop_shot(of->player, 0, 0.7f);
    advance(of, 0.1);
    md5_player *const others[2] = {play_player(of->machine), play_player(of->machine)};
    const size_t size = md5_player_save(of->player, NULL, 0);
    void *const bytes = malloc(size);
    CHECK_UINT(md5_player_save(of->player, bytes, size), size);
    CHECK(md5_player_restore(others[0], bytes, size, NULL));
    md5_player_copy(others[1], of->player);
    for (int step = 0; step < 10; step++) {
        for (int i = 0; i < 2; i++) {
            CHECK(md5_player_shot(others[i], 0).weight == md5_player_shot(of->player, 0).weight);
            md5_player_advance(others[i], 0.06, NULL, NULL);
        }
        advance(of, 0.06);
    }
    for (int i = 0; i < 2; i++)
        md5_destroy_player(others[i]);
    free(bytes);
}

TEST_HERE (shot_with_a_wrong_curve_is_refused) {
    static const md5_easing wrong[] = {
        {.kind = MD5_EASE_CUBIC_BEZIER, .x1 = -0.5f},
        {.kind = MD5_EASE_CUBIC_BEZIER, .x1 = 1.5f},
        {.kind = MD5_EASE_CUBIC_BEZIER, .x1 = NAN},
        {.kind = MD5_EASE_CUBIC_BEZIER, .x2 = 2.0f},
        {.kind = MD5_EASE_CUBIC_BEZIER, .x2 = -1.0f},
        {.kind = MD5_EASE_CUBIC_BEZIER, .y1 = NAN},
        {.kind = MD5_EASE_CUBIC_BEZIER, .y2 = INFINITY},
        {.kind = MD5_EASE_STEPS},
        {.kind = MD5_EASE_STEPS, .steps = 1, .jump = MD5_JUMP_NONE},
        {.kind = MD5_EASE_STEPS, .steps = MD5_MAX_EASE_STEPS + 1},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(
            !md5_player_play_shot(of->player, 0, 1, &(md5_shot_desc){.fade_in_easing = wrong[i]}));
        CHECK(
            !md5_player_play_shot(of->player, 0, 1, &(md5_shot_desc){.fade_out_easing = wrong[i]}));
    }
    CHECK(!md5_player_shot(of->player, 0).is_playing);
}

// In the last one-shot the curves follow 56 bytes of description: 4 + 16 bytes of the Bézier curve
// and 3 times 4 of the steps, then 4 of the curve of the stop.
TEST_HERE (shot_with_a_wrong_curve_is_not_restored) {
    static const uint8_t not_a_number[4] = {0, 0, 0xc0, 0x7f}, minus_one[4] = {0, 0, 0x80, 0xbf};
    static const uint8_t nothing[4] = {0}, many[4] = {9};
    CHECK(md5_player_play_shot(
        of->player, 3, 1, &(md5_shot_desc){.fade_in_easing = bezier, .fade_out_easing = stairs}));
    uint8_t bytes[1024], broken[1024];
    const size_t size = md5_player_save(of->player, bytes, sizeof bytes);
    const size_t rest = 8 + 8 + 1 + 8 + 1 + 1 + 4; // clock, start, fade in, new, stopping, kept
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
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        md5_error error = {0};
        memcpy(broken, bytes, size);
        memcpy(broken + curves + cases[i].offset, cases[i].value, 4);
        CHECK(!md5_player_restore(of->player, broken, size, &error));
        CHECK_UINT(error.status, MD5_ERROR_RANGE);
    }
    CHECK(md5_player_restore(of->player, bytes, size, NULL));
}
