// Tests of easing: transitions, weights of items and layers, and parameters that follow their goal,
// eased by a cubic Bézier curve or by steps. Expected values are closed forms in double precision.
#include "test/scoped.h"
#include "test/play/test_play_case.h"

static void begin_two(play_scene *fixture)
{
    play_scene_clips(fixture, 2, 11, 10);
}

// The text of a machine whose state fades from low to high in half a second, with the easing %s.
#define EASED                                          \
    "bool go 1 layer body { state low a state high b " \
    "transition low high { when go duration 0.5 %s } }"

static void begin(play_scene *fixture, const char *easing)
{
    begin_two(fixture);
    play_scene_read(fixture, EASED, easing);
}

// Returns the y of a cubic Bézier curve from 0 0 to 1 1 at x, found by bisection.
static double bezier(const double c[4], double x)
{
    double low = 0;
    double high = 1;
    for (int i = 0; i < 60; i++) {
        const double s = 0.5 * (low + high);
        const double r = 1 - s;
        if (3 * r * r * s * c[0] + 3 * r * s * s * c[2] + s * s * s < x)
            low = s;
        else
            high = s;
    }
    const double s = low;
    const double r = 1 - s;
    return 3 * r * r * s * c[1] + 3 * r * s * s * c[3] + s * s * s;
}

// Returns the distance between the player's pose and the expected pose: both clips at `seconds`,
// blended by `weight`.
static double miss(const play_scene *fixture, double seconds, double weight)
{
    real_transform from[PLAY_JOINTS];
    real_transform to[PLAY_JOINTS];
    real_transform blended[PLAY_JOINTS];
    play_real_sample(fixture->assets.anims[0], fmod(10 * seconds, 10), from);
    play_real_sample(fixture->assets.anims[1], fmod(10 * seconds, 10), to);
    play_real_blend(from, to, fmin(fmax(weight, 0), 1), NULL, blended);
    return play_miss(fixture->player, blended);
}

TEST (curve_of_a_transition_equals_that_of_css) {
    static const double ease[4] = {0.25, 0.1, 0.25, 1};
    static const double back[4] = {0.3, -0.5, 0.6, 1.5};
    for (int i = 0; i < 2; i++) {
        const double *const c = i == 0 ? ease : back;
        char easing[80];
        snprintf(easing, sizeof easing, "cubic_bezier %g %g %g %g", c[0], c[1], c[2], c[3]);
        SCOPED_PLAY fixture;
        begin(&fixture, easing);
        for (int step = 1; step < 20; step++) {
            play_advance(fixture.player, 0.025);
            CHECK(miss(&fixture, 0.025 * step, bezier(c, 0.05 * step)) < 1e-5);
        }
    }
}

TEST_PLAY (curve_of_a_transition_may_have_steps, begin(fixture, "steps 4")) {
    for (int step = 1; step < 10; step++) {
        play_advance(fixture->player, 0.05);
        if (step != 5) // a step of the curve begins at 5
            CHECK(miss(fixture, 0.05 * step, floor(0.4 * step) / 4.0) < 1e-5);
    }
}

TEST_PLAY (curve_of_a_transition_is_saved_and_copied,
           begin(fixture, "cubic_bezier 0.9 0 0.9 0.2")) {
    play_advance(fixture->player, 0.2);
    md5_player *const restored_and_copied[2] = {play_restored(fixture->player),
                                                play_copied(fixture->player)};
    play_advance(fixture->player, 0.2);
    md5_xform pose[2][PLAY_JOINTS];
    play_pose(fixture->player, pose[0]);
    for (int i = 0; i < 2; i++) {
        play_advance(restored_and_copied[i], 0.2);
        play_pose(restored_and_copied[i], pose[1]);
        CHECK(play_pose_distance(pose[0], pose[1]) == 0);
        play_advance(restored_and_copied[i], 1);
        md5_player_reset(restored_and_copied[i]);
        md5_destroy_player(restored_and_copied[i]);
    }
}

// Checks that an invalid curve is rejected. A machine file cannot express it, so the table of the
// same machine is changed.
static void check_refused(md5_ease_kind easing, md5_easing curve, const char *message)
{
    SCOPED_PLAY fixture;
    begin(&fixture, "linear");
    md5_machine_desc desc = *md5_machine_tables(fixture.machine);
    md5_layer_desc layer = desc.layers[0];
    md5_transition_desc transition = layer.transitions[0];
    transition.easing = curve;
    transition.easing.kind = easing;
    layer.transitions = &transition;
    desc.layers = &layer;
    play_desc_refused(&desc, message);
}

TEST (curve_of_a_transition_must_be_valid) {
    check_refused(MD5_EASE_CUBIC_BEZIER, (md5_easing){.x1 = 1.5f},
                  "transition of layer 'body': x1 is out of range: expected 0 to 1, found 1.5");
    check_refused(MD5_EASE_CUBIC_BEZIER, (md5_easing){.x2 = -1},
                  "transition of layer 'body': x2 is out of range: expected 0 to 1, found -1");
    check_refused(MD5_EASE_CUBIC_BEZIER, (md5_easing){.y1 = INFINITY},
                  "transition of layer 'body': y1 is not a finite number");
    check_refused(MD5_EASE_CUBIC_BEZIER, (md5_easing){.y2 = NAN},
                  "transition of layer 'body': y2 is not a finite number");
    check_refused(MD5_EASE_STEPS, (md5_easing){.steps = 0},
                  "transition of layer 'body': number of steps is out of range: expected 1 to "
                  "65536, found 0");
    check_refused(MD5_EASE_STEPS, (md5_easing){.steps = 1, .jump = MD5_JUMP_NONE},
                  "transition of layer 'body': number of steps is out of range: expected 2 to "
                  "65536, found 1");
    check_refused(MD5_EASE_STEPS, (md5_easing){.steps = 3, .jump = (md5_jump)9},
                  "transition of layer 'body': jump is out of range: expected 0 to 3, found 9");
}

// -- Weights by curves ----------------------------------------------------------------------------

// Weights of items on a stack and of layers that are eased, and parameters that follow along a
// curve, compared with double precision.

#define BEZIER "cubic_bezier 0.5 0 0.5 1"

// Creates a stack of two clips, or two layers, with an eased weight.
static void weight_curves_begin(play_scene *fixture, bool in_layer, const char *item,
                                const char *layer, const char *follow)
{
    play_scene_clips(fixture, 1, 11, 10);
    play_scene_add(fixture, 11, 10, 0.5, 2);
    const char *const base = in_layer ? "a" : "stack";
    const char *const weight = in_layer ? "fade" : "0";
    const char *const easing = in_layer ? layer : "";
    play_scene_read(fixture,
                    "mask upper ( *spine ) float fade %s motion stack stack { item a "
                    "item b { mask upper weight fade %s } } layer body { state base %s } "
                    "layer over { mask upper weight %s %s state top b }",
                    follow, item, base, weight, easing);
}

// Returns the distance between the player's pose at the start and the expected pose: both clips at
// their start, blended by `weight`.
static double weight_curves_miss(const play_scene *fixture, double weight)
{
    float weights[PLAY_JOINTS];
    real_transform from[PLAY_JOINTS];
    real_transform to[PLAY_JOINTS];
    real_transform blended[PLAY_JOINTS];
    md5_build_mask(&fixture->assets.model->skeleton, "*spine", 0, weights, NULL);
    play_real_sample(fixture->assets.anims[0], 0, from);
    play_real_sample(fixture->assets.anims[1], 0, to);
    play_real_blend(from, to, weight, weights, blended);
    play_advance(fixture->player, 0);
    return play_miss(fixture->player, blended);
}

// Returns the value of a curve at t, computed from its formula. `t` is in 0..1, but not at the
// start of a step of the curve, where rounding would decide the value.
static double expected(const char *curve, double t)
{
    if (strcmp(curve, BEZIER) == 0)
        return bezier((const double[]){0.5, 0, 0.5, 1}, t);
    if (strcmp(curve, "steps 4") == 0)
        return floor(4 * t) / 4.0;
    if (strcmp(curve, "cubic_in") == 0)
        return t * t * t;
    if (strcmp(curve, "back_out") == 0) // the weight is clamped to 1
        return fmin(1 + 2.70158 * pow(t - 1, 3) + 1.70158 * pow(t - 1, 2), 1);
    return t;
}

TEST (weight_of_an_item_or_layer_is_eased) {
    STRINGS(curves) = {BEZIER, "steps 4", "cubic_in", "back_out", "linear", ""};
    for (int number = 0; number < 12; number++) {
        const char *const curve = curves[number / 2];
        SCOPED_PLAY fixture;
        weight_curves_begin(&fixture, number % 2 == 1, curve, curve, "");
        for (int i = -2; i <= 22; i++) {
            const double t = (i + 0.1) / 20.0;
            const double within = fmin(fmax(t, 0), 1);
            const double weight = expected(curve, within);
            CHECK(md5_player_set(fixture.player, 0, (float)t));
            if (!CHECK(weight_curves_miss(&fixture, weight) < 2e-5))
                printf("curve %d at %g\n", number, t);
            if (number % 2 == 1)
                CHECK_NEAR(md5_player_layer(fixture.player, 1).weight, weight, 2e-6);
        }
    }
}

// A parameter that follows its goal along a curve for 0.5 s changes like the weight of a fade of
// 0.5 s with this curve.
TEST (parameter_follows_by_a_curve) {
    STRINGS(curves) = {BEZIER, "steps 4"};
    for (size_t i = 0; i < COUNT_OF(curves); i++) {
        char follow[64];
        snprintf(follow, sizeof follow, "follow fade ease 0.5 %s", curves[i]);
        SCOPED_PLAY fixture;
        weight_curves_begin(&fixture, true, "", "", follow);
        CHECK(md5_player_set(fixture.player, 0, 3));
        for (int step = 1; step < 20; step++) {
            play_advance(fixture.player, 0.025);
            if (i == 0 || step % 5 != 0)
                CHECK_NEAR(md5_player_get(fixture.player, 0), 3 * expected(curves[i], 0.05 * step),
                           1e-5);
        }
        play_advance(fixture.player, 0.03);
        CHECK(md5_player_get(fixture.player, 0) == 3);
    }
}

// A machine with tables that the tests can change, for curves that a machine file cannot contain.
typedef struct curved {
    play_scene scene;
    md5_motion_item items[2];
    md5_motion_desc stack;
    md5_layer_desc layers[2];
    md5_follow_desc follow;
    md5_machine_desc desc;
} curved;

static void begin_curved(curved *fixture)
{
    weight_curves_begin(&fixture->scene, true, "", BEZIER, "follow fade ease 0.5");
    fixture->desc = *md5_machine_tables(fixture->scene.machine);
    fixture->stack = fixture->desc.motions[0];
    memcpy(fixture->items, fixture->stack.items, sizeof fixture->items);
    memcpy(fixture->layers, fixture->desc.layers, sizeof fixture->layers);
    fixture->follow = fixture->desc.follows[0];
    fixture->stack.items = fixture->items;
    fixture->desc.motions = &fixture->stack;
    fixture->desc.layers = fixture->layers;
    fixture->desc.follows = &fixture->follow;
}

TEST (curves_are_copied_with_the_tables) {
    curved fixture;
    begin_curved(&fixture);
    fixture.follow.easing.kind = fixture.items[1].weight_easing.kind = MD5_EASE_STEPS;
    fixture.follow.easing.steps = fixture.items[1].weight_easing.steps = 4;
    SCOPED_MACHINE machine = play_machine(&fixture.desc);
    fixture.follow.easing.kind = fixture.items[1].weight_easing.kind = MD5_EASE_LINEAR;
    fixture.layers[1].weight_easing.kind = MD5_EASE_LINEAR;
    const md5_machine_desc *const tables = md5_machine_tables(machine);
    const md5_easing *const copy = &tables->layers[1].weight_easing;
    CHECK(copy != &fixture.layers[1].weight_easing && copy->kind == MD5_EASE_CUBIC_BEZIER);
    CHECK(copy->x1 == 0.5f && copy->y2 == 1);
    CHECK(tables->motions[0].items[1].weight_easing.kind == MD5_EASE_STEPS);
    CHECK(tables->motions[0].items[0].weight_easing.kind == MD5_EASE_LINEAR);
    CHECK(tables->layers[0].weight_easing.kind == MD5_EASE_LINEAR);
    CHECK(tables->follows[0].easing.kind == MD5_EASE_STEPS);
    play_scene_end(&fixture.scene);
}

// Machines that differ only in one easing curve have different fingerprints, so that a saved
// player of one is not restored into the other.
TEST (fingerprint_depends_on_every_curve) {
    static const struct {
        const char *item;
        const char *layer;
        const char *follow;
    } rows[] = {{"", "", ""},
                {BEZIER, "", ""},
                {"", BEZIER, ""},
                {"", "", BEZIER},
                {"", "cubic_bezier 0.5 0.25 0.5 1", ""},
                {"", "steps 4", ""},
                {"", "steps 5", ""},
                {"", "cubic_in", ""}};
    uint64_t fingerprints[COUNT_OF(rows)];
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char follow[64];
        snprintf(follow, sizeof follow, "follow fade ease 0.5 %s", rows[i].follow);
        SCOPED_PLAY fixture;
        weight_curves_begin(&fixture, true, rows[i].item, rows[i].layer, follow);
        fingerprints[i] = md5_machine_fingerprint(fixture.machine);
        for (size_t k = 0; k < i; k++)
            CHECK(fingerprints[i] != fingerprints[k]);
    }
}

TEST (curve_of_a_weight_must_be_valid) {
    static const struct {
        enum { OF_ITEM, OF_LAYER, OF_FOLLOW } where;
        md5_easing curve;
        const char *message;
    } rows[] = {
        {OF_ITEM,
         {.kind = MD5_EASE_CUBIC_BEZIER, .x1 = 1.5f},
         "motion 'stack': x1 is out of range: expected 0 to 1, found 1.5"},
        {OF_ITEM,
         {.kind = (md5_ease_kind)99},
         "motion 'stack': easing is out of range: expected 0 to 34, found 99"},
        {OF_LAYER,
         {.kind = MD5_EASE_STEPS},
         "layer 'over': number of steps is out of range: expected 1 to 65536, found 0"},
        {OF_FOLLOW,
         {.kind = MD5_EASE_CUBIC_BEZIER, .x1 = 1.5f},
         "'follow' entry of parameter 'fade': x1 is out of range: expected 0 to 1, found 1.5"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        curved fixture;
        begin_curved(&fixture);
        md5_easing *const easings[] = {&fixture.items[1].weight_easing,
                                       &fixture.layers[1].weight_easing, &fixture.follow.easing};
        *easings[rows[i].where] = rows[i].curve;
        play_desc_refused(&fixture.desc, rows[i].message);
        play_scene_end(&fixture.scene);
    }
}

// -- Followed parameters --------------------------------------------------------------------------

// Parameters that follow their goal, against closed forms in double precision.

enum { SMOOTH, SPRING, EASE, PLAIN, NUM_PARAMETERS };

static void follow_begin(play_scene *fixture)
{
    begin_two(fixture);
    play_scene_read(fixture, "float smooth 1 float spring 1 float ease 1 float plain 1 "
                             "follow spring spring 100 4 follow smooth smooth 3 "
                             "follow ease ease 0.5 quadratic_in "
                             "layer body { state low a state high b "
                             "transition low high { when smooth > 3 } }");
}

static double get(const play_scene *fixture, uint32_t parameter)
{
    return md5_player_get(fixture->player, parameter);
}

static void set_all(play_scene *fixture, float value)
{
    for (uint32_t i = 0; i < NUM_PARAMETERS; i++)
        CHECK(md5_player_set(fixture->player, i, value));
}

// Returns the expected distance between the parameter and its goal after t seconds. The parameter
// moves from 1 to 5. The result is relative to this distance of 4.
static double left(int kind, double t)
{
    if (kind == SMOOTH)
        return exp(-3 * t);
    if (kind == SPRING) {
        const double decay = 2;
        const double w = sqrt(100 - decay * decay);
        return exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t));
    }
    return kind == EASE && t < 0.5 ? 1 - 4 * t * t : 0;
}

TEST (follow_equals_its_formula_for_any_split_of_time) {
    for (int split = 1; split <= 7; split += 3) {
        SCOPED_PLAY fixture;
        follow_begin(&fixture);
        set_all(&fixture, 5);
        for (int i = 0; i < 3; i++)
            CHECK_EXACT(get(&fixture, (uint32_t)i), 1); // no time has passed
        CHECK_EXACT(get(&fixture, PLAIN), 5);
        for (int step = 1; step <= 40; step++) {
            play_steps(fixture.player, split, 0.02);
            for (int i = 0; i < NUM_PARAMETERS; i++)
                CHECK_NEAR(get(&fixture, (uint32_t)i), 5 - 4 * left(i, 0.02 * step), 2e-5);
        }
        CHECK_EXACT(get(&fixture, EASE), 5); // exactly at the goal
    }
}

#define TEST_HERE(title) TEST_PLAY (title, follow_begin(fixture))

TEST_HERE (follow_is_seen_by_conditions) {
    set_all(fixture, 5);
    // 5 - 4 exp(-3 t) passes 3 after ln 2 / 3 = 0.231 s.
    play_advance(fixture->player, 0.22);
    CHECK_UINT(play_state(fixture->player), 0);
    play_advance(fixture->player, 0.02);
    CHECK_UINT(play_state(fixture->player), 1);
}

TEST_HERE (follow_stops_with_time_and_can_restart) {
    set_all(fixture, 5);
    play_advance(fixture->player, 0.25);
    const double ease = get(fixture, EASE);
    const double spring = get(fixture, SPRING);
    play_advance(fixture->player, 0);
    play_advance(fixture->player, -0.1);
    CHECK_EXACT(get(fixture, EASE), ease);
    CHECK_EXACT(get(fixture, SPRING), spring);
    CHECK(md5_player_set(fixture->player, EASE, 5)); // setting the same goal continues the movement
    play_advance(fixture->player, 0.05);
    CHECK_NEAR(get(fixture, EASE), 5 - 4 * left(EASE, 0.3), 2e-5);
    const double from = get(fixture, EASE);
    CHECK(md5_player_set(fixture->player, EASE, -1)); // a new goal restarts from the current value
    play_advance(fixture->player, 0.25);
    CHECK_NEAR(get(fixture, EASE), from + 0.25 * (-1 - from), 2e-5);
    md5_player_reset(fixture->player);
    play_advance(fixture->player, 0.25);
    for (uint32_t i = 0; i < NUM_PARAMETERS; i++)
        CHECK_EXACT(get(fixture, i), 1);
}

TEST_HERE (follow_is_saved_and_copied) {
    set_all(fixture, 5);
    play_advance(fixture->player, 0.2);
    size_t size;
    SCOPED void *const bytes = play_save(fixture->player, &size);
    md5_player *const restored_and_copied[2] = {play_restored(fixture->player),
                                                play_copied(fixture->player)};
    play_advance(fixture->player, 0.07);
    for (int i = 0; i < 2; i++) {
        play_advance(restored_and_copied[i], 0.07);
        for (uint32_t p = 0; p < NUM_PARAMETERS; p++)
            CHECK(md5_player_get(restored_and_copied[i], p) == md5_player_get(fixture->player, p));
    }
    // Writes NaN over four bytes at every offset: more than half of these saved players are
    // rejected.
    uint32_t refused = 0;
    for (size_t at = 0; at + 4 <= size; at++) {
        SCOPED unsigned char *const changed = (unsigned char *)malloc(size);
        memcpy(changed, bytes, size);
        memset(changed + at, 0xFF, 4);
        refused += md5_player_restore(restored_and_copied[0], changed, size, NULL) ? 0u : 1u;
    }
    CHECK(refused > size / 2);
    md5_destroy_player(restored_and_copied[0]);
    md5_destroy_player(restored_and_copied[1]);
}

// -- Rates ------------------------------------------------------------------------------------

// A parameter moves from 1 to 3, and after one second back to 0.5.
static const md5_follow_desc kinds[] = {
    {.rate = 5},
    {.rate = 0.2f},
    {.kind = MD5_FOLLOW_SPRING, .stiffness = 90, .damping = 3},
    {.kind = MD5_FOLLOW_SPRING, .stiffness = 64, .damping = 16},
    {.kind = MD5_FOLLOW_SPRING, .stiffness = 20, .damping = 30},
    {.kind = MD5_FOLLOW_EASE, .duration = 0.5f, .easing.kind = MD5_EASE_SMOOTH},
    {.kind = MD5_FOLLOW_EASE, .duration = 0.7f, .easing.kind = MD5_EASE_LINEAR},
    {.kind = MD5_FOLLOW_EASE, .duration = 0.6f, .easing.kind = MD5_EASE_BOUNCE_OUT},
    {.kind = MD5_FOLLOW_EASE, .duration = 0.9f, .easing.kind = MD5_EASE_ELASTIC_IN_OUT},
    {.kind = MD5_FOLLOW_EASE,
     .duration = 0.4f,
     .easing = {.kind = MD5_EASE_CUBIC_BEZIER, .x1 = 0.7f, .y1 = -0.4f, .x2 = 0.2f, .y2 = 1.5f}},
    {.kind = MD5_FOLLOW_EASE,
     .duration = 0.8f,
     .easing = {.kind = MD5_EASE_STEPS, .steps = 4, .jump = MD5_JUMP_BOTH}},
    {.kind = MD5_FOLLOW_EASE},
};
enum { KINDS = COUNT_OF(kinds) };

typedef struct moving {
    double value, velocity;
} moving;

// Evaluates the formula of each kind with functions of libc.
static moving moved(const md5_follow_desc *follow, moving from, double goal, double t)
{
    const double x = from.value - goal;
    const double v = from.velocity;
    if (follow->kind == MD5_FOLLOW_SMOOTH)
        return (moving){goal + x * exp(-(double)follow->rate * t), 0};
    if (follow->kind == MD5_FOLLOW_SPRING) {
        const double half = 0.5 * follow->damping;
        const double k = follow->stiffness;
        const double square = half * half - k;
        const double w = sqrt(fabs(square));
        const double e = exp(-half * t);
        const double c = square > 0 ? cosh(w * t) : cos(w * t);
        double s = t;
        if (w != 0 && square > 0)
            s = sinh(w * t) / w;
        else if (w != 0)
            s = sin(w * t) / w;
        return (moving){goal + e * (x * c + (v + half * x) * s),
                        e * (v * c - (half * v + k * x) * s)};
    }
    const double duration = follow->duration;
    const double part = t < duration ? md5_ease(follow->easing, (float)(t / duration)) : 1;
    return (moving){goal + x * (1 - part), 0};
}

// Returns the cycles after t seconds of a clip of one second whose speed is the parameter. Sums the
// middles of many short intervals, none of which a step of the staircase divides.
static double cycles_after(const md5_follow_desc *follow, double t)
{
    enum { PARTS = 72000 };
    const moving follow_begin = {1, 0};
    const moving state = moved(follow, follow_begin, 3, 1);
    double sum = 0;
    for (int i = 0; i < PARTS; i++) {
        const double at = (i + 0.5) * t / (double)PARTS;
        sum += at < 1 ? moved(follow, follow_begin, 3, at).value
                      : moved(follow, state, 0.5, at - 1).value;
    }
    return sum * t / (double)PARTS;
}

typedef struct paced {
    play_scene scene;
    play_position placement;
    char received[64]; // first letters of the received events
} paced;

PLAY_LISTENER(hear_letter)
{
    char *const received = user;
    if (CHECK(strlen(received) < 63 && weight > 0))
        received[strlen(received)] = event->name[0];
}

// Begins with a clip of one second and 40 units whose speed is the parameter. At `exit` it changes
// to another clip.
static void begin_paced(paced *fixture, const md5_follow_desc *follow, double exit)
{
    play_scene *const scene = &fixture->scene;
    char leave[64] = "";
    if (exit > 0)
        snprintf(leave, sizeof leave, "transition go then { exit %g duration 0.25 }", exit);
    memset(fixture, 0, sizeof *fixture);
    play_scene_begin(scene);
    for (uint32_t i = 0; i < 2; i++)
        play_add_clip(&scene->assets, 21, 20, 0.3, (play_walk){40, 0, 0}, i);
    play_scene_read(scene,
                    "clip a f { walk frame 0 x frame 7 y frame 20 z } "
                    "clip b f { walk frame 0 x frame 7 y frame 20 z } "
                    "float pace 1 motion go clip a { speed pace } "
                    "layer body { state go go state then b %s }",
                    leave);
    // The entries of `follow` are also input of the formulas, so they are set as tables.
    md5_machine_desc desc = *md5_machine_tables(scene->machine);
    md5_follow_desc pace_follow = *follow;
    pace_follow.parameter = "pace";
    desc.follows = &pace_follow;
    desc.num_follows = 1;
    md5_machine *const machine = play_machine(&desc);
    md5_destroy_player(scene->player);
    md5_destroy_machine(scene->machine);
    scene->machine = machine;
    scene->player = play_player(machine);
}

// Plays two seconds in steps of 1 / `rate` seconds. Sets the parameter to 3 at the start, and to
// 0.5 after one second.
static void play_paced(paced *fixture, int rate)
{
    md5_player *const player = fixture->scene.player;
    for (int step = 0; step < 2 * rate; step++) {
        if (step == 0 || step == rate)
            CHECK(md5_player_set(player, 0, step == 0 ? 3 : 0.5f));
        md5_player_advance(player, 1.0 / rate, hear_letter, fixture->received);
        play_apply_motion(&fixture->placement, md5_player_root_motion(player));
    }
}

static const int frame_rates[] = {1000, 240, 60, 24, 10, 5, 1};
enum { FRAME_RATES = COUNT_OF(frame_rates) };

TEST (follow_drives_a_rate_independently_of_the_frame_rate) {
    static paced all[FRAME_RATES];
    for (int kind = 0; kind < KINDS; kind++) {
        const double cycles = cycles_after(&kinds[kind], 2);
        for (int i = 0; i < FRAME_RATES; i++) {
            begin_paced(&all[i], &kinds[kind], 0);
            play_paced(&all[i], frame_rates[i]);
            CHECK_NEAR(play_time(all[i].scene.player), cycles, 1e-6);
            CHECK_NEAR(all[i].placement.x, 40 * cycles, 1e-4);
            CHECK(strlen(all[i].received) > 4);
            CHECK_STRING(all[i].received, all[0].received);
        }
        for (int i = 0; i < FRAME_RATES; i++)
            play_scene_end(&all[i].scene);
    }
}

// A parameter that follows its goal drives a blend of synchronized clips. The rate of the blend
// changes differently before and after the parameter passes an item. If the clips are blended by
// speed, the distance is the integral of the speed.
TEST (follow_drives_a_blend_independently_of_the_frame_rate) {
    for (int by_speed = 0; by_speed < 2; by_speed++) {
        SCOPED_PLAY fixture;
        play_scene_begin(&fixture);
        for (uint32_t i = 0; i < 2; i++) {
            const play_walk walk = {i == 0 ? 40 : 100, 0, 0};
            play_add_clip(&fixture.assets, i == 0 ? 21 : 13, 20, 0.3, walk, i);
        }
        play_scene_read(&fixture,
                        "clip a f { walk } clip b f { walk } float speed 50 follow speed smooth 3 "
                        "motion go %s layer body { state go go }",
                        by_speed ? "by_speed speed { phase item a item b }"
                                 : "line speed { phase item a 40 item b 100 }");
        double time = 0;
        for (int i = 0; i < FRAME_RATES; i++) {
            play_position placement = {0};
            md5_player_reset(fixture.player);
            CHECK(md5_player_set(fixture.player, 0, 130));
            for (int step = 0; step < 2 * frame_rates[i]; step++) {
                if (step == frame_rates[i])
                    CHECK(md5_player_set(fixture.player, 0, -20));
                play_advance(fixture.player, 1.0 / frame_rates[i]);
                play_apply_motion(&placement, md5_player_root_motion(fixture.player));
            }
            const double current = play_time(fixture.player);
            time = i == 0 ? current : time;
            CHECK_NEAR(current, time, 1e-6);
            // In the first second the parameter moves from 50 toward 130, and the speed is limited
            // to 100 units per second. In the next second it moves from `top` toward -20, and the
            // speed is limited to 100 and to 40, the speeds of the two clips.
            const double up = log(80.0 / 30.0) / 3.0;
            const double top = 130 - 80 * exp(-3);
            const double at_100 = log((top + 20) / 120.0) / 3.0;
            const double at_40 = log((top + 20) / 60.0) / 3.0;
            const double expected_distance = 130 * up - 50.0 / 3.0 + 100 * (1 - up) + 100 * at_100
                                             + 60.0 / 3.0 - 20 * (at_40 - at_100)
                                             + 40 * (1 - at_40);
            if (by_speed)
                CHECK_NEAR(placement.x, expected_distance, 1e-4);
        }
    }
}

// The exit is reached when the integral of the speed reaches it, within a step.
TEST (follow_reaches_an_exit_at_the_same_time_at_any_frame_rate) {
    paced fixture;
    for (int kind = 0; kind < KINDS; kind++) {
        double low = 0;
        double high = 1;
        for (int i = 0; i < 40; i++) {
            const double middle = 0.5 * (low + high);
            *(cycles_after(&kinds[kind], middle) < 1 ? &low : &high) = middle;
        }
        for (int i = 0; i < FRAME_RATES; i++) {
            begin_paced(&fixture, &kinds[kind], 1);
            play_paced(&fixture, frame_rates[i]);
            CHECK_UINT(play_state(fixture.scene.player), 1);
            CHECK_NEAR(play_time(fixture.scene.player), 2 - low, 2e-6);
            play_scene_end(&fixture.scene);
        }
    }
}

// 5 - 4 exp(-3 t) passes 3 after ln 2 / 3 s.
TEST (follow_satisfies_a_condition_at_the_same_time_at_any_frame_rate) {
    for (int i = 0; i < FRAME_RATES; i++) {
        SCOPED_PLAY fixture;
        follow_begin(&fixture);
        set_all(&fixture, 5);
        play_steps(fixture.player, frame_rates[i], 1);
        CHECK_UINT(play_state(fixture.player), 1);
        CHECK_NEAR(play_time(fixture.player), 1 - log(2) / 3.0, 1e-6);
    }
}

PLAY_LISTENER(count_event)
{
    *(int *)user += 1;
}

// A cycle of transitions that takes no time remains inactive while a parameter moves that its
// conditions do not use.
TEST_PLAY (follow_does_not_activate_inactive_layers, play_scene_begin(fixture)) {
    play_scene_add(fixture, 11, 10, 0.3, 1);
    play_scene_add(fixture, 11, 10, 0.3, 2);
    play_scene_read(fixture, "float smooth 1 float spring 1 float ease 1 float plain 1 "
                             "follow smooth smooth 3 report { enter } layer body { state low a "
                             "state high b transition low high transition high low }");
    int first_count = 0;
    for (int i = 0; i < FRAME_RATES; i++) {
        int count = 0;
        md5_player_reset(fixture->player);
        CHECK(md5_player_set(fixture->player, SMOOTH, 5));
        for (int step = 0; step < frame_rates[i]; step++)
            md5_player_advance(fixture->player, 1.0 / frame_rates[i], count_event, &count);
        first_count = i == 0 ? count : first_count;
        CHECK_UINT((unsigned)count, (unsigned)first_count);
    }
    CHECK(first_count < 4);
}

// -- Errors of the tables -----------------------------------------------------------------------

static void follow_check_refused(const md5_follow_desc *rows, uint32_t count, const char *message)
{
    static const md5_parameter_desc two[2] = {{.name = "speed", .kind = MD5_PARAMETER_FLOAT},
                                              {.name = "jump", .kind = MD5_PARAMETER_TRIGGER}};
    SCOPED_CASE assets;
    play_begin(&assets);
    const md5_machine_desc desc = {
        .model = assets.model, ROWS(parameters, two), .follows = rows, .num_follows = count};
    play_desc_refused(&desc, message);
}

TEST (follow_rejects_invalid_parameters) {
    const md5_follow_desc rows[] = {
        {.rate = 1},
        {.parameter = "jump", .rate = 1},
        {.parameter = "speed", .rate = 0},
        {.parameter = "speed", .kind = MD5_FOLLOW_SPRING, .stiffness = -1},
        {.parameter = "speed", .kind = MD5_FOLLOW_SPRING, .stiffness = 1, .damping = -1},
        {.parameter = "speed", .kind = MD5_FOLLOW_EASE, .duration = -1},
        {.parameter = "speed", .kind = MD5_FOLLOW_EASE, .easing.kind = MD5_EASE_STEPS},
        {.parameter = "speed", .kind = (md5_follow_kind)7},
    };
    STRINGS(messages) = {
        "'follow' entry 0: name of the parameter is missing",
        "'follow' entry of parameter 'jump': expected a parameter of type 'float'",
        "'follow' entry of parameter 'speed': rate is out of range: expected 1e-06 to 1e+06, found "
        "0",
        "'follow' entry of parameter 'speed': stiffness is out of range: expected 1e-06 to 1e+12, "
        "found -1",
        "'follow' entry of parameter 'speed': damping is out of range: expected 0 to 1e+06, found "
        "-1",
        "'follow' entry of parameter 'speed': duration is out of range: expected 0 to 1e+06, found "
        "-1",
        "'follow' entry of parameter 'speed': number of steps is out of range: expected 1 to "
        "65536, "
        "found 0",
        "'follow' entry of parameter 'speed': kind is out of range: expected 0 to 2, found 7",
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        follow_check_refused(&rows[i], 1, messages[i]);
    const md5_follow_desc twice[2] = {{.parameter = "speed", .rate = 1},
                                      {.parameter = "speed", .rate = 2}};
    follow_check_refused(twice, 2, "duplicate 'follow' entry of parameter 'speed': expected one");
    follow_check_refused(NULL, 1, "machine '': follows is NULL: expected an array of 1 elements");
}
