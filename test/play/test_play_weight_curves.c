// Weights of items on a stack and of layers that are eased, and parameters that follow by a curve,
// against double precision.
#include "test/play/test_play_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const md5_parameter_desc fade = {"fade", MD5_PARAMETER_FLOAT, 0.0f};
static const md5_mask_desc mask = {"upper", "*spine", 0};
static const md5_easing bezier = {
    .kind = MD5_EASE_CUBIC_BEZIER, .x1 = 0.5f, .y1 = 0.0f, .x2 = 0.5f, .y2 = 1.0f};
static const md5_easing stairs = {.kind = MD5_EASE_STEPS, .steps = 4};
static const md5_easing cubic = {.kind = MD5_EASE_CUBIC_IN};
static const md5_easing back = {.kind = MD5_EASE_BACK_OUT};
static const md5_easing line = {.kind = MD5_EASE_LINEAR};

typedef struct faded {
    md5_motion_item items[2];
    md5_motion_desc stack;
    md5_state_desc states[2];
    md5_layer_desc layers[2];
    md5_follow_desc follow;
    md5_machine_desc desc;
    play_scene scene;
} faded;

// A clip with another one on a stack, or in a layer over it.
static void describe(faded *of, bool in_layer, const md5_easing *curve)
{
    *of = (faded){0};
    of->items[0] = (md5_motion_item){.motion = "a"};
    of->items[1] = (md5_motion_item){
        .motion = "b", .mask = "upper", .weight_parameter = "fade", .weight_curve = curve};
    of->stack =
        (md5_motion_desc){.name = "stack", .kind = MD5_MOTION_STACK, ROWS(items, of->items)};
    of->states[0] = (md5_state_desc){"base", in_layer ? "a" : "stack"};
    of->states[1] = (md5_state_desc){"top", "b"};
    of->layers[0] = (md5_layer_desc){.name = "body", ROW(states, of->states[0])};
    of->layers[1] = (md5_layer_desc){.name = "over",
                                     .mask = "upper",
                                     .weight_parameter = "fade",
                                     ROW(states, of->states[1]),
                                     .weight_curve = curve};
    of->desc = (md5_machine_desc){.masks = &mask,
                                  .parameters = &fade,
                                  .motions = &of->stack,
                                  .layers = of->layers,
                                  .num_masks = 1,
                                  .num_parameters = 1,
                                  .num_motions = 1,
                                  .num_layers = in_layer ? 2 : 1};
    play_scene_begin(&of->scene);
    play_scene_add(&of->scene, 11, 10.0, 0.3, 1);
    play_scene_add(&of->scene, 11, 10.0, 0.5, 2);
}

static void begin(faded *of, bool in_layer, const md5_easing *curve)
{
    describe(of, in_layer, curve);
    play_scene_play(&of->scene, &of->desc);
}

// How far the pose at the start is from both clips blended by this weight.
static double miss(const faded *of, double weight)
{
    float weights[PLAY_JOINTS];
    md5_xform pose[PLAY_JOINTS];
    play_real from[PLAY_JOINTS], to[PLAY_JOINTS], blended[PLAY_JOINTS];
    md5_build_mask(&of->scene.made.model->skeleton, mask.joints, mask.feather, weights, NULL);
    play_real_sample(of->scene.made.anims[0], 0.0, from);
    play_real_sample(of->scene.made.anims[1], 0.0, to);
    play_real_blend(from, to, weight, weights, blended);
    md5_player_advance(of->scene.player, 0.0, NULL, NULL);
    play_pose(of->scene.player, pose);
    return play_distance(pose, blended);
}

// The y of the curve `bezier` at x, by bisection.
static double bezier_at(double x)
{
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 60; i++) {
        const double s = 0.5 * (low + high), r = 1.0 - s;
        if (1.5 * r * r * s + 1.5 * r * s * s + s * s * s < x)
            low = s;
        else
            high = s;
    }
    return 3.0 * (1.0 - low) * low * low + low * low * low;
}

// t in 0..1, apart from the starts of steps.
static double expected(const md5_easing *curve, double t)
{
    if (curve == &bezier)
        return bezier_at(t);
    if (curve == &stairs)
        return floor(4.0 * t) / 4.0;
    if (curve == &cubic)
        return t * t * t;
    if (curve == &back) // beyond 1 it stays at 1
        return fmin(1.0 + 2.70158 * pow(t - 1.0, 3.0) + 1.70158 * pow(t - 1.0, 2.0), 1.0);
    return t;
}

TEST (weight_of_an_item_or_layer_is_eased) {
    static const md5_easing *const curves[] = {&bezier, &stairs, &cubic, &back, &line, NULL};
    for (int number = 0; number < 12; number++) {
        const md5_easing *const curve = curves[number / 2];
        faded of;
        begin(&of, number % 2 == 1, curve);
        for (int i = -2; i <= 22; i++) {
            const double t = (i + 0.1) / 20.0, within = fmin(fmax(t, 0.0), 1.0);
            const double weight = expected(curve, within);
            CHECK(md5_player_set(of.scene.player, 0, (float)t));
            if (!CHECK(miss(&of, weight) < 2e-5))
                printf("curve %d at %g\n", number, t);
            if (number % 2 == 1)
                CHECK_NEAR((double)md5_player_layer(of.scene.player, 1).weight, weight, 2e-6);
        }
        play_scene_end(&of.scene);
    }
}

// As a fade over time: the parameter follows in 0.5 s, by a curve of its own.
TEST (parameter_follows_by_a_curve) {
    for (int number = 0; number < 2; number++) {
        const md5_easing *const curve = number == 0 ? &bezier : &stairs;
        faded of;
        describe(&of, true, NULL);
        of.follow = (md5_follow_desc){
            .parameter = "fade", .kind = MD5_FOLLOW_EASE, .duration = 0.5f, .curve = curve};
        of.desc.follows = &of.follow;
        of.desc.num_follows = 1;
        play_scene_play(&of.scene, &of.desc);
        of.follow.curve = NULL; // the machine has a copy
        CHECK(md5_machine_tables(of.scene.machine)->follows[0].curve->kind == curve->kind);
        CHECK(md5_player_set(of.scene.player, 0, 3.0f));
        for (int step = 1; step < 20; step++) {
            md5_player_advance(of.scene.player, 0.025, NULL, NULL);
            if (number == 0 || step % 5 != 0)
                CHECK_NEAR((double)md5_player_get(of.scene.player, 0),
                           3.0 * expected(curve, 0.05 * step), 1e-5);
        }
        md5_player_advance(of.scene.player, 0.03, NULL, NULL);
        CHECK(md5_player_get(of.scene.player, 0) == 3.0f);
        play_scene_end(&of.scene);
    }
}

TEST (curves_are_copied_with_the_tables) {
    faded of;
    md5_easing mine = bezier;
    begin(&of, true, &mine);
    mine.kind = MD5_EASE_LINEAR;
    const md5_machine_desc *const tables = md5_machine_tables(of.scene.machine);
    const md5_easing *const copy = tables->layers[1].weight_curve;
    CHECK(copy != &mine && copy->kind == MD5_EASE_CUBIC_BEZIER);
    CHECK(copy->x1 == 0.5f && copy->y2 == 1.0f);
    CHECK(tables->motions[0].items[1].weight_curve->kind == MD5_EASE_CUBIC_BEZIER);
    CHECK(tables->motions[0].items[0].weight_curve == NULL);
    CHECK(tables->layers[0].weight_curve == NULL);
    play_scene_end(&of.scene);
}

static uint64_t fingerprint_with(const md5_easing *item, const md5_easing *layer,
                                 const md5_easing *follow)
{
    faded of;
    describe(&of, true, layer);
    of.items[1].weight_curve = item;
    of.follow = (md5_follow_desc){
        .parameter = "fade", .kind = MD5_FOLLOW_EASE, .duration = 0.5f, .curve = follow};
    of.desc.follows = &of.follow;
    of.desc.num_follows = 1;
    play_scene_play(&of.scene, &of.desc);
    const uint64_t fingerprint = md5_machine_fingerprint(of.scene.machine);
    play_scene_end(&of.scene);
    return fingerprint;
}

TEST (fingerprint_depends_on_every_curve) {
    md5_easing other = bezier, more = stairs;
    other.y1 = 0.25f;
    more.steps = 5;
    const uint64_t all[] = {
        fingerprint_with(NULL, NULL, NULL),    fingerprint_with(&bezier, NULL, NULL),
        fingerprint_with(NULL, &bezier, NULL), fingerprint_with(NULL, NULL, &bezier),
        fingerprint_with(NULL, &other, NULL),  fingerprint_with(NULL, &stairs, NULL),
        fingerprint_with(NULL, &more, NULL),   fingerprint_with(NULL, &cubic, NULL),
    };
    enum { COUNT = sizeof all / sizeof all[0] };
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < i; k++)
            CHECK(all[i] != all[k]);
}

static void check_refused(faded *of, const char *message)
{
    md5_error error;
    of->desc.model = of->scene.made.model;
    of->desc.clips = of->scene.clips;
    of->desc.num_clips = 2;
    md5_machine *const machine = md5_create_machine(&of->desc, NULL, &error);
    CHECK(machine == NULL);
    CHECK_STRING(error.message, message);
    md5_destroy_machine(machine);
    play_end(&of->scene.made);
}

TEST (curve_of_a_weight_must_make_sense) {
    static const md5_easing wide = {.kind = MD5_EASE_CUBIC_BEZIER, .x1 = 1.5f};
    static const md5_easing none = {.kind = MD5_EASE_STEPS};
    static const md5_easing odd = {.kind = (md5_ease_kind)99};
    faded of;
    describe(&of, false, &wide);
    check_refused(&of, "motion 'stack': x1 is 1.5, which must be 0 to 1");
    describe(&of, false, &odd);
    check_refused(&of, "motion 'stack': there is no easing 99");
    describe(&of, true, NULL);
    of.layers[1].weight_curve = &none;
    check_refused(&of, "layer 'over': there are 0 steps, which must be 1 to 65536");
    describe(&of, true, NULL);
    of.follow = (md5_follow_desc){
        .parameter = "fade", .kind = MD5_FOLLOW_EASE, .duration = 0.5f, .curve = &wide};
    of.desc.follows = &of.follow;
    of.desc.num_follows = 1;
    check_refused(&of, "the following parameter 'fade': x1 is 1.5, which must be 0 to 1");
}
