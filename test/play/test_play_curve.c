// Transitions that are eased by a cubic Bézier curve or by steps.
#include "test/play/test_play_case.h"

#include <math.h>
#include <stdlib.h>

static const md5_condition goes = {"go", MD5_IS_SET, 0.0f};
static const md5_parameter_desc go = {"go", MD5_PARAMETER_BOOL, 1.0f};
static const md5_state_desc states[2] = {{"low", "a"}, {"high", "b"}};

static void begin(play_scene *of, const md5_transition_desc *transition)
{
    const md5_layer_desc layer = {.name = "body",
                                  .states = states,
                                  .transitions = transition,
                                  .num_states = 2,
                                  .num_transitions = 1};
    const md5_machine_desc desc = {ROW(parameters, go), ROW(layers, layer)};
    play_scene_begin(of);
    play_scene_add(of, 11, 10.0, 0.3, 1);
    play_scene_add(of, 11, 10.0, 0.3, 2);
    play_scene_play(of, &desc);
}

static md5_transition_desc eased(md5_ease_kind easing, md5_easing curve)
{
    return (md5_transition_desc){.from = "low",
                                 .to = "high",
                                 ROW(conditions, goes),
                                 .duration = 0.5f,
                                 .easing = easing,
                                 .curve = curve};
}

// The y of a cubic Bézier curve from 0 0 to 1 1 at x, by bisection.
static double bezier(const double c[4], double x)
{
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 60; i++) {
        const double s = 0.5 * (low + high), r = 1.0 - s;
        if (3.0 * r * r * s * c[0] + 3.0 * r * s * s * c[2] + s * s * s < x)
            low = s;
        else
            high = s;
    }
    const double s = low, r = 1.0 - s;
    return 3.0 * r * r * s * c[1] + 3.0 * r * s * s * c[3] + s * s * s;
}

// How far the pose is from both clips blended by this weight.
static double miss(const play_scene *of, double seconds, double weight)
{
    md5_xform pose[PLAY_JOINTS];
    play_real from[PLAY_JOINTS], to[PLAY_JOINTS], blended[PLAY_JOINTS];
    play_real_sample(of->made.anims[0], fmod(10.0 * seconds, 10.0), from);
    play_real_sample(of->made.anims[1], fmod(10.0 * seconds, 10.0), to);
    play_real_blend(from, to, fmin(fmax(weight, 0.0), 1.0), NULL, blended);
    play_pose(of->player, pose);
    return play_distance(pose, blended);
}

TEST (curve_of_a_transition_is_that_of_style_sheets) {
    static const double ease[4] = {0.25, 0.1, 0.25, 1.0}, back[4] = {0.3, -0.5, 0.6, 1.5};
    for (int i = 0; i < 2; i++) {
        const double *const c = i == 0 ? ease : back;
        const md5_easing curve = {
            .x1 = (float)c[0], .y1 = (float)c[1], .x2 = (float)c[2], .y2 = (float)c[3]};
        const md5_transition_desc transition = eased(MD5_EASE_CUBIC_BEZIER, curve);
        play_scene of;
        begin(&of, &transition);
        for (int step = 1; step < 20; step++) {
            md5_player_advance(of.player, 0.025, NULL, NULL);
            CHECK(miss(&of, 0.025 * step, bezier(c, 0.05 * step)) < 1e-5);
        }
        play_scene_end(&of);
    }
}

TEST (curve_of_a_transition_may_have_steps) {
    const md5_transition_desc transition =
        eased(MD5_EASE_STEPS, (md5_easing){.steps = 4, .jump = MD5_JUMP_END});
    play_scene of;
    begin(&of, &transition);
    for (int step = 1; step < 10; step++) {
        md5_player_advance(of.player, 0.05, NULL, NULL);
        if (step != 5) // a step begins there
            CHECK(miss(&of, 0.05 * step, floor(0.4 * step) / 4.0) < 1e-5);
    }
    play_scene_end(&of);
}

TEST (curve_of_a_transition_is_saved_and_copied) {
    const md5_transition_desc transition =
        eased(MD5_EASE_CUBIC_BEZIER, (md5_easing){.x1 = 0.9f, .y1 = 0.0f, .x2 = 0.9f, .y2 = 0.2f});
    play_scene of;
    begin(&of, &transition);
    md5_player_advance(of.player, 0.2, NULL, NULL);
    md5_player *const others[2] = {play_player(of.machine), play_player(of.machine)};
    const size_t size = md5_player_save(of.player, NULL, 0);
    void *const bytes = malloc(size);
    CHECK_UINT(md5_player_save(of.player, bytes, size), size);
    CHECK(md5_player_restore(others[0], bytes, size, NULL));
    md5_player_copy(others[1], of.player);
    md5_player_advance(of.player, 0.2, NULL, NULL);
    md5_xform pose[2][PLAY_JOINTS];
    play_pose(of.player, pose[0]);
    for (int i = 0; i < 2; i++) {
        md5_player_advance(others[i], 0.2, NULL, NULL);
        play_pose(others[i], pose[1]);
        CHECK(play_pose_distance(pose[0], pose[1]) == 0.0);
        md5_player_advance(others[i], 1.0, NULL, NULL);
        md5_player_reset(others[i]);
        md5_destroy_player(others[i]);
    }
    free(bytes);
    play_scene_end(&of);
}

static void check_refused(md5_ease_kind easing, md5_easing curve, const char *message)
{
    const md5_transition_desc transition = eased(easing, curve);
    md5_error error;
    play_scene of;
    play_scene_begin(&of);
    play_scene_add(&of, 11, 10.0, 0.3, 1);
    play_scene_add(&of, 11, 10.0, 0.3, 2);
    const md5_layer_desc layer = {.name = "body",
                                  .states = states,
                                  .transitions = &transition,
                                  .num_states = 2,
                                  .num_transitions = 1};
    const md5_machine_desc desc = {.model = of.made.model,
                                   .clips = of.clips,
                                   .num_clips = 2,
                                   ROW(parameters, go),
                                   ROW(layers, layer)};
    md5_machine *const machine = md5_create_machine(&desc, NULL, &error);
    CHECK(machine == NULL);
    CHECK_STRING(error.message, message);
    md5_destroy_machine(machine);
    play_scene_end(&of);
}

TEST (curve_of_a_transition_must_make_sense) {
    check_refused(MD5_EASE_CUBIC_BEZIER, (md5_easing){.x1 = 1.5f},
                  "a transition of layer 'body': x1 is 1.5, which must be 0 to 1");
    check_refused(MD5_EASE_CUBIC_BEZIER, (md5_easing){.x2 = -1.0f},
                  "a transition of layer 'body': x2 is -1, which must be 0 to 1");
    check_refused(MD5_EASE_CUBIC_BEZIER, (md5_easing){.y1 = INFINITY},
                  "a transition of layer 'body': y1 is not finite");
    check_refused(MD5_EASE_CUBIC_BEZIER, (md5_easing){.y2 = NAN},
                  "a transition of layer 'body': y2 is not finite");
    check_refused(MD5_EASE_STEPS, (md5_easing){.steps = 0},
                  "a transition of layer 'body': there are 0 steps, which must be 1 to 65536");
    check_refused(MD5_EASE_STEPS, (md5_easing){.steps = 1, .jump = MD5_JUMP_NONE},
                  "a transition of layer 'body': there are 1 steps, which must be 2 to 65536");
    check_refused(MD5_EASE_STEPS, (md5_easing){.steps = 3, .jump = (md5_jump)9},
                  "a transition of layer 'body': there is no jump 9");
}
