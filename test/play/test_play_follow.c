// Parameters that follow their goal, against closed forms in double precision.
#include "test/play/test_play_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SMOOTH, SPRING, EASE, PLAIN, NUM_PARAMETERS };

static const md5_parameter_desc parameters[NUM_PARAMETERS] = {{"smooth", MD5_PARAMETER_FLOAT, 1.0f},
                                                              {"spring", MD5_PARAMETER_FLOAT, 1.0f},
                                                              {"ease", MD5_PARAMETER_FLOAT, 1.0f},
                                                              {"plain", MD5_PARAMETER_FLOAT, 1.0f}};
static const md5_follow_desc follows[3] = {
    {.parameter = "spring", .kind = MD5_FOLLOW_SPRING, .stiffness = 100.0f, .damping = 4.0f},
    {.parameter = "smooth", .rate = 3.0f},
    {.parameter = "ease",
     .kind = MD5_FOLLOW_EASE,
     .duration = 0.5f,
     .easing = MD5_EASE_QUADRATIC_IN},
};

static const md5_condition is_high = {"smooth", MD5_IS_GREATER, 3.0f};
static const md5_transition_desc rise = {.from = "low", .to = "high", ROW(conditions, is_high)};
static const md5_state_desc states[2] = {{"low", "a"}, {"high", "b"}};

static void begin(play_scene *of)
{
    const md5_layer_desc layer = {.name = "body",
                                  .states = states,
                                  .transitions = &rise,
                                  .num_states = 2,
                                  .num_transitions = 1};
    const md5_machine_desc desc = {ROWS(parameters, parameters), ROW(layers, layer),
                                   ROWS(follows, follows)};
    play_scene_begin(of);
    play_scene_add(of, 11, 10.0, 0.3, 1);
    play_scene_add(of, 11, 10.0, 0.3, 2);
    play_scene_play(of, &desc);
}

static double get(const play_scene *of, uint32_t parameter)
{
    return (double)md5_player_get(of->player, parameter);
}

static void set_all(play_scene *of, float value)
{
    for (uint32_t i = 0; i < NUM_PARAMETERS; i++)
        CHECK(md5_player_set(of->player, i, value));
}

// From 1 to 5: the distance that is left after t seconds, of 4.
static double left(int kind, double t)
{
    if (kind == SMOOTH)
        return exp(-3.0 * t);
    if (kind == SPRING) {
        const double decay = 2.0, w = sqrt(100.0 - decay * decay);
        return exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t));
    }
    return kind == EASE && t < 0.5 ? 1.0 - 4.0 * t * t : 0.0;
}

TEST (follow_moves_as_its_formula_however_time_is_split) {
    for (int split = 1; split <= 7; split += 3) {
        play_scene of;
        begin(&of);
        set_all(&of, 5.0f);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(get(&of, (uint32_t)i), 1.0, 0.0); // nothing has happened yet
        CHECK_NEAR(get(&of, PLAIN), 5.0, 0.0);
        for (int step = 1; step <= 40; step++) {
            for (int part = 0; part < split; part++)
                md5_player_advance(of.player, 0.02 / split, NULL, NULL);
            for (int i = 0; i < NUM_PARAMETERS; i++)
                CHECK_NEAR(get(&of, (uint32_t)i), 5.0 - 4.0 * left(i, 0.02 * step), 2e-5);
        }
        CHECK_NEAR(get(&of, EASE), 5.0, 0.0); // exactly there
        play_scene_end(&of);
    }
}

#define TEST_HERE(title) TEST_WITH (title, play_scene, of, begin(of), play_scene_end(of))

TEST_HERE (follow_is_seen_by_conditions) {
    set_all(of, 5.0f);
    // 5 - 4 exp(-3 t) passes 3 after ln 2 / 3 = 0.231 s.
    md5_player_advance(of->player, 0.22, NULL, NULL);
    CHECK_UINT(md5_player_layer(of->player, 0).state, 0);
    md5_player_advance(of->player, 0.02, NULL, NULL);
    CHECK_UINT(md5_player_layer(of->player, 0).state, 1);
}

TEST_HERE (follow_stands_while_time_does_and_begins_anew) {
    set_all(of, 5.0f);
    md5_player_advance(of->player, 0.25, NULL, NULL);
    const double ease = get(of, EASE), spring = get(of, SPRING);
    md5_player_advance(of->player, 0.0, NULL, NULL);
    md5_player_advance(of->player, -0.1, NULL, NULL);
    CHECK_NEAR(get(of, EASE), ease, 0.0);
    CHECK_NEAR(get(of, SPRING), spring, 0.0);
    CHECK(md5_player_set(of->player, EASE, 5.0f)); // the same goal: it goes on
    md5_player_advance(of->player, 0.05, NULL, NULL);
    CHECK_NEAR(get(of, EASE), 5.0 - 4.0 * left(EASE, 0.3), 2e-5);
    const double from = get(of, EASE);
    CHECK(md5_player_set(of->player, EASE, -1.0f)); // another one: from here
    md5_player_advance(of->player, 0.25, NULL, NULL);
    CHECK_NEAR(get(of, EASE), from + 0.25 * (-1.0 - from), 2e-5);
    md5_player_reset(of->player);
    md5_player_advance(of->player, 0.25, NULL, NULL);
    for (uint32_t i = 0; i < NUM_PARAMETERS; i++)
        CHECK_NEAR(get(of, i), 1.0, 0.0);
}

TEST_HERE (follow_is_saved_and_copied) {
    set_all(of, 5.0f);
    md5_player_advance(of->player, 0.2, NULL, NULL);
    md5_player *const others[2] = {play_player(of->machine), play_player(of->machine)};
    const size_t size = md5_player_save(of->player, NULL, 0);
    void *const bytes = malloc(size);
    CHECK_UINT(md5_player_save(of->player, bytes, size), size);
    CHECK(md5_player_restore(others[0], bytes, size, NULL));
    md5_player_copy(others[1], of->player);
    md5_player_advance(of->player, 0.07, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        md5_player_advance(others[i], 0.07, NULL, NULL);
        for (uint32_t p = 0; p < NUM_PARAMETERS; p++)
            CHECK(md5_player_get(others[i], p) == md5_player_get(of->player, p));
    }
    // Writes NaN over four bytes at every offset: more than half of these saved players are
    // refused.
    uint32_t refused = 0;
    for (size_t at = 0; at + 4 <= size; at++) {
        unsigned char *const changed = (unsigned char *)malloc(size);
        memcpy(changed, bytes, size);
        memset(changed + at, 0xFF, 4);
        refused += md5_player_restore(others[0], changed, size, NULL) ? 0u : 1u;
        free(changed);
    }
    CHECK(refused > size / 2);
    md5_destroy_player(others[0]);
    md5_destroy_player(others[1]);
    free(bytes);
}

// -- Rates ------------------------------------------------------------------------------------

// How a parameter goes from 1 to 3, and after a second back to 0.5.
static const md5_easing bezier = {
    .kind = MD5_EASE_CUBIC_BEZIER, .x1 = 0.7f, .y1 = -0.4f, .x2 = 0.2f, .y2 = 1.5f};
static const md5_easing staircase = {.kind = MD5_EASE_STEPS, .steps = 4, .jump = MD5_JUMP_BOTH};
static const md5_follow_desc kinds[] = {
    {.parameter = "pace", .rate = 5.0f},
    {.parameter = "pace", .rate = 0.2f},
    {.parameter = "pace", .kind = MD5_FOLLOW_SPRING, .stiffness = 90.0f, .damping = 3.0f},
    {.parameter = "pace", .kind = MD5_FOLLOW_SPRING, .stiffness = 64.0f, .damping = 16.0f},
    {.parameter = "pace", .kind = MD5_FOLLOW_SPRING, .stiffness = 20.0f, .damping = 30.0f},
    {.parameter = "pace", .kind = MD5_FOLLOW_EASE, .duration = 0.5f, .easing = MD5_EASE_SMOOTH},
    {.parameter = "pace", .kind = MD5_FOLLOW_EASE, .duration = 0.7f, .easing = MD5_EASE_LINEAR},
    {.parameter = "pace", .kind = MD5_FOLLOW_EASE, .duration = 0.6f, .easing = MD5_EASE_BOUNCE_OUT},
    {.parameter = "pace",
     .kind = MD5_FOLLOW_EASE,
     .duration = 0.9f,
     .easing = MD5_EASE_ELASTIC_IN_OUT},
    {.parameter = "pace", .kind = MD5_FOLLOW_EASE, .duration = 0.4f, .curve = &bezier},
    {.parameter = "pace", .kind = MD5_FOLLOW_EASE, .duration = 0.8f, .curve = &staircase},
    {.parameter = "pace", .kind = MD5_FOLLOW_EASE},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

typedef struct moving {
    double value, velocity;
} moving;

// By the formulas of each kind, with libc's functions.
static moving moved(const md5_follow_desc *follow, moving from, double goal, double t)
{
    const double x = from.value - goal, v = from.velocity;
    if (follow->kind == MD5_FOLLOW_SMOOTH)
        return (moving){goal + x * exp(-(double)follow->rate * t), 0.0};
    if (follow->kind == MD5_FOLLOW_SPRING) {
        const double half = 0.5 * (double)follow->damping, k = (double)follow->stiffness;
        const double square = half * half - k, w = sqrt(fabs(square)), e = exp(-half * t);
        const double c = square > 0.0 ? cosh(w * t) : cos(w * t);
        const double s = w == 0.0 ? t : (square > 0.0 ? sinh(w * t) : sin(w * t)) / w;
        return (moving){goal + e * (x * c + (v + half * x) * s),
                        e * (v * c - (half * v + k * x) * s)};
    }
    const md5_easing plain = {.kind = follow->easing};
    const double duration = (double)follow->duration;
    const double part = t < duration ? (double)md5_ease(follow->curve ? *follow->curve : plain,
                                                        (float)(t / duration))
                                     : 1.0;
    return (moving){goal + x * (1.0 - part), 0.0};
}

// Cycles of a clip of one second that it drives, after t seconds: by the middles of many short
// times, none of which a step of the staircase divides.
static double cycles_after(const md5_follow_desc *follow, double t)
{
    enum { PARTS = 72000 };
    const moving begin = {1.0, 0.0}, turn = moved(follow, begin, 3.0, 1.0);
    double sum = 0.0;
    for (int i = 0; i < PARTS; i++) {
        const double at = (i + 0.5) * t / (double)PARTS;
        sum += at < 1.0 ? moved(follow, begin, 3.0, at).value
                        : moved(follow, turn, 0.5, at - 1.0).value;
    }
    return sum * t / (double)PARTS;
}

typedef struct paced {
    play_scene scene;
    play_place place;
    char heard[64]; // the events' names, one letter each
} paced;

static void hear_letter(void *user, md5_player *player, const md5_event *event, float weight)
{
    char *const heard = user;
    (void)player;
    if (CHECK(strlen(heard) < 63 && weight > 0.0f))
        heard[strlen(heard)] = event->name[0];
}

// A clip of one second and 40 units, at the pace of the parameter; `exit` leaves it for another
// one.
static void begin_paced(paced *of, const md5_follow_desc *follow, double exit)
{
    static const md5_parameter_desc pace[] = {{"pace", MD5_PARAMETER_FLOAT, 1.0f}};
    static const md5_motion_desc motion = {.name = "go", .clip = "a", .speed_parameter = "pace"};
    static const md5_event events[] = {
        {.frame = 0, .name = "x"}, {.frame = 7, .name = "y"}, {.frame = 20, .name = "z"}};
    static const md5_state_desc both[] = {{"go", "go"}, {"then", "b"}};
    const md5_transition_desc leave = {
        .from = "go", .to = "then", .waits = true, .exit = (float)exit, .duration = 0.25f};
    const md5_layer_desc layer = {
        .name = "body", ROWS(states, both), .transitions = &leave, .num_transitions = exit > 0.0};
    const md5_machine_desc desc = {ROWS(parameters, pace), ROW(motions, motion), ROW(layers, layer),
                                   .follows = follow, .num_follows = 1};
    memset(of, 0, sizeof *of);
    play_scene_begin(&of->scene);
    for (uint32_t i = 0; i < 2; i++) {
        play_add_clip(&of->scene.made, 21, 20.0, 0.3, (play_walk){40.0, 0.0, 0.0}, i);
        of->scene.clips[i] = (md5_clip_desc){.name = i == 0 ? "a" : "b",
                                             .binding = of->scene.made.bindings[i],
                                             .extract = MD5_EXTRACT_WALK,
                                             ROWS(events, events)};
    }
    play_scene_play(&of->scene, &desc);
}

// Two seconds, in `rate` steps each.
static void play_paced(paced *of, int rate)
{
    md5_player *const player = of->scene.player;
    for (int step = 0; step < 2 * rate; step++) {
        if (step == 0 || step == rate)
            CHECK(md5_player_set(player, 0, step == 0 ? 3.0f : 0.5f));
        md5_player_advance(player, 1.0 / rate, hear_letter, of->heard);
        play_go_on(&of->place, md5_player_root_motion(player));
    }
}

static const int frame_rates[] = {1000, 240, 60, 24, 10, 5, 1};
enum { FRAME_RATES = sizeof frame_rates / sizeof frame_rates[0] };

TEST (follow_drives_a_rate_alike_at_any_frame_rate) {
    static paced all[FRAME_RATES];
    for (int kind = 0; kind < KINDS; kind++) {
        const double cycles = cycles_after(&kinds[kind], 2.0);
        for (int i = 0; i < FRAME_RATES; i++) {
            begin_paced(&all[i], &kinds[kind], 0.0);
            play_paced(&all[i], frame_rates[i]);
            CHECK_NEAR(md5_player_layer(all[i].scene.player, 0).time, cycles, 1e-6);
            CHECK_NEAR(all[i].place.x, 40.0 * cycles, 1e-4);
            CHECK(strlen(all[i].heard) > 4);
            CHECK_STRING(all[i].heard, all[0].heard);
        }
        for (int i = 0; i < FRAME_RATES; i++)
            play_scene_end(&all[i].scene);
    }
}

// Clips on a line, in step: their rate changes otherwise where the parameter passes one of them.
// Where they are blended by speed, the way is the integral of the speed.
TEST (follow_drives_a_blend_alike_at_any_frame_rate) {
    static const md5_parameter_desc speed[] = {{"speed", MD5_PARAMETER_FLOAT, 50.0f}};
    static const md5_follow_desc follow = {.parameter = "speed", .rate = 3.0f};
    for (int by_speed = 0; by_speed < 2; by_speed++) {
        const md5_motion_item items[] = {{.motion = "a", .x = by_speed ? 0.0f : 40.0f},
                                         {.motion = "b", .x = by_speed ? 0.0f : 100.0f}};
        const md5_motion_desc motion = {.name = "go",
                                        .kind =
                                            by_speed ? MD5_MOTION_BY_SPEED : MD5_MOTION_BLEND_1D,
                                        .x_parameter = "speed",
                                        .sync = MD5_SYNC_PHASE,
                                        ROWS(items, items)};
        const md5_state_desc state = {"go", "go"};
        const md5_layer_desc layer = {.name = "body", ROW(states, state)};
        play_scene of;
        play_scene_begin(&of);
        for (uint32_t i = 0; i < 2; i++) {
            const play_walk walk = {i == 0 ? 40.0 : 100.0, 0.0, 0.0};
            play_add_clip(&of.made, i == 0 ? 21 : 13, 20.0, 0.3, walk, i);
            of.clips[i] = (md5_clip_desc){.name = i == 0 ? "a" : "b",
                                          .binding = of.made.bindings[i],
                                          .extract = MD5_EXTRACT_WALK};
        }
        play_scene_play(&of, &(md5_machine_desc){ROWS(parameters, speed), ROW(motions, motion),
                                                 ROW(layers, layer), ROW(follows, follow)});
        double time = 0.0;
        for (int i = 0; i < FRAME_RATES; i++) {
            play_place place = {0};
            md5_player_reset(of.player);
            CHECK(md5_player_set(of.player, 0, 130.0f));
            for (int step = 0; step < 2 * frame_rates[i]; step++) {
                if (step == frame_rates[i])
                    CHECK(md5_player_set(of.player, 0, -20.0f));
                md5_player_advance(of.player, 1.0 / frame_rates[i], NULL, NULL);
                play_go_on(&place, md5_player_root_motion(of.player));
            }
            const double now = md5_player_layer(of.player, 0).time;
            time = i == 0 ? now : time;
            CHECK_NEAR(now, time, 1e-6);
            // From 50 to 130, held at 100, and from 126.0 to -20, held at 100 and at 40.
            const double up = log(80.0 / 30.0) / 3.0, top = 130.0 - 80.0 * exp(-3.0);
            const double at_100 = log((top + 20.0) / 120.0) / 3.0;
            const double at_40 = log((top + 20.0) / 60.0) / 3.0;
            const double way = 130.0 * up - 50.0 / 3.0 + 100.0 * (1.0 - up) + 100.0 * at_100
                               + 60.0 / 3.0 - 20.0 * (at_40 - at_100) + 40.0 * (1.0 - at_40);
            if (by_speed)
                CHECK_NEAR(place.x, way, 1e-4);
        }
        play_scene_end(&of);
    }
}

// An exit is reached when the integral of the pace is there, within a step.
TEST (follow_reaches_an_exit_at_the_same_time_at_any_frame_rate) {
    paced of;
    for (int kind = 0; kind < KINDS; kind++) {
        double low = 0.0, high = 1.0;
        for (int i = 0; i < 40; i++) {
            const double middle = 0.5 * (low + high);
            *(cycles_after(&kinds[kind], middle) < 1.0 ? &low : &high) = middle;
        }
        for (int i = 0; i < FRAME_RATES; i++) {
            begin_paced(&of, &kinds[kind], 1.0);
            play_paced(&of, frame_rates[i]);
            CHECK_UINT(md5_player_layer(of.scene.player, 0).state, 1);
            CHECK_NEAR(md5_player_layer(of.scene.player, 0).time, 2.0 - low, 2e-6);
            play_scene_end(&of.scene);
        }
    }
}

// 5 - 4 exp(-3 t) passes 3 after ln 2 / 3 s.
TEST (follow_meets_a_condition_at_the_same_time_at_any_frame_rate) {
    for (int i = 0; i < FRAME_RATES; i++) {
        play_scene of;
        begin(&of);
        set_all(&of, 5.0f);
        for (int step = 0; step < frame_rates[i]; step++)
            md5_player_advance(of.player, 1.0 / frame_rates[i], NULL, NULL);
        CHECK_UINT(md5_player_layer(of.player, 0).state, 1);
        CHECK_NEAR(md5_player_layer(of.player, 0).time, 1.0 - log(2.0) / 3.0, 1e-6);
        play_scene_end(&of);
    }
}

static void count_event(void *user, md5_player *player, const md5_event *event, float weight)
{
    (void)player, (void)event, (void)weight;
    *(int *)user += 1;
}

// A cycle of transitions that takes no time rests while a parameter that they do not ask for moves.
TEST_WITH (follow_wakes_no_layer_that_rests, play_scene, of, play_scene_begin(of),
           play_scene_end(of)) {
    static const md5_transition_desc circle[] = {{.from = "low", .to = "high"},
                                                 {.from = "high", .to = "low"}};
    const md5_layer_desc layer = {.name = "body", ROWS(states, states), ROWS(transitions, circle)};
    play_scene_add(of, 11, 10.0, 0.3, 1);
    play_scene_add(of, 11, 10.0, 0.3, 2);
    play_scene_play(of, &(md5_machine_desc){ROWS(parameters, parameters), ROW(layers, layer),
                                            ROW(follows, follows[1]), .report = {.enter = true}});
    int most = 0;
    for (int i = 0; i < FRAME_RATES; i++) {
        int count = 0;
        md5_player_reset(of->player);
        CHECK(md5_player_set(of->player, SMOOTH, 5.0f));
        for (int step = 0; step < frame_rates[i]; step++)
            md5_player_advance(of->player, 1.0 / frame_rates[i], count_event, &count);
        most = i == 0 ? count : most;
        CHECK_UINT((unsigned)count, (unsigned)most);
    }
    CHECK(most < 4);
}

// -- Mistakes of the tables ---------------------------------------------------------------------

static void check_refused(const md5_follow_desc *rows, uint32_t count, const char *message)
{
    static const md5_parameter_desc two[2] = {{"speed", MD5_PARAMETER_FLOAT, 0.0f},
                                              {"jump", MD5_PARAMETER_TRIGGER, 0.0f}};
    md5_error error;
    play_case made;
    play_begin(&made);
    const md5_machine_desc desc = {
        .model = made.model, ROWS(parameters, two), .follows = rows, .num_follows = count};
    md5_machine *const machine = md5_create_machine(&desc, NULL, &error);
    CHECK(machine == NULL);
    CHECK_STRING(error.message, message);
    md5_destroy_machine(machine);
    play_end(&made);
}

TEST (follow_refuses_what_makes_no_sense) {
    const md5_follow_desc rows[] = {
        {.rate = 1.0f},
        {.parameter = "jump", .rate = 1.0f},
        {.parameter = "speed", .rate = 0.0f},
        {.parameter = "speed", .kind = MD5_FOLLOW_SPRING, .stiffness = -1.0f},
        {.parameter = "speed", .kind = MD5_FOLLOW_SPRING, .stiffness = 1.0f, .damping = -1.0f},
        {.parameter = "speed", .kind = MD5_FOLLOW_EASE, .duration = -1.0f},
        {.parameter = "speed", .kind = MD5_FOLLOW_EASE, .easing = MD5_EASE_STEPS},
        {.parameter = "speed", .kind = (md5_follow_kind)7},
    };
    static const char *const messages[] = {
        "row 0 of the followed parameters names none",
        "parameter 'jump' is not a float and cannot follow",
        "the following parameter 'speed': rate is 0, which must be 1e-06 to 1e+06",
        "the following parameter 'speed': stiffness is -1, which must be 1e-06 to 1e+12",
        "the following parameter 'speed': damping is -1, which must be 0 to 1e+06",
        "the following parameter 'speed': duration is -1, which must be 0 to 1e+06",
        "the following parameter 'speed': there is no easing 34",
        "the following parameter 'speed': there is no kind 7",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_refused(&rows[i], 1, messages[i]);
    const md5_follow_desc twice[2] = {{.parameter = "speed", .rate = 1.0f},
                                      {.parameter = "speed", .rate = 2.0f}};
    check_refused(twice, 2, "parameter 'speed' has two follow rules");
    check_refused(NULL, 1, "machine '': no array of follows, but a count of 1");
}
