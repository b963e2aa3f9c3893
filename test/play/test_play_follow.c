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
static const md5_transition_desc rise = {
    .from = "low", .to = "high", .conditions = &is_high, .num_conditions = 1};
static const md5_state_desc states[2] = {{"low", "a"}, {"high", "b"}};

static void begin(play_scene *of)
{
    const md5_layer_desc layer = {.name = "body",
                                  .states = states,
                                  .transitions = &rise,
                                  .num_states = 2,
                                  .num_transitions = 1};
    const md5_machine_desc desc = {.parameters = parameters,
                                   .num_parameters = NUM_PARAMETERS,
                                   .layers = &layer,
                                   .num_layers = 1,
                                   .follows = follows,
                                   .num_follows = 3};
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

TEST (follow_is_seen_by_conditions) {
    play_scene of;
    begin(&of);
    set_all(&of, 5.0f);
    // 5 - 4 exp(-3 t) passes 3 after ln 2 / 3 = 0.231 s.
    md5_player_advance(of.player, 0.22, NULL, NULL);
    CHECK_UINT(md5_player_layer(of.player, 0).state, 0);
    md5_player_advance(of.player, 0.02, NULL, NULL);
    CHECK_UINT(md5_player_layer(of.player, 0).state, 1);
    play_scene_end(&of);
}

TEST (follow_stands_while_time_does_and_begins_anew) {
    play_scene of;
    begin(&of);
    set_all(&of, 5.0f);
    md5_player_advance(of.player, 0.25, NULL, NULL);
    const double ease = get(&of, EASE), spring = get(&of, SPRING);
    md5_player_advance(of.player, 0.0, NULL, NULL);
    md5_player_advance(of.player, -0.1, NULL, NULL);
    CHECK_NEAR(get(&of, EASE), ease, 0.0);
    CHECK_NEAR(get(&of, SPRING), spring, 0.0);
    CHECK(md5_player_set(of.player, EASE, 5.0f)); // the same goal: it goes on
    md5_player_advance(of.player, 0.05, NULL, NULL);
    CHECK_NEAR(get(&of, EASE), 5.0 - 4.0 * left(EASE, 0.3), 2e-5);
    const double from = get(&of, EASE);
    CHECK(md5_player_set(of.player, EASE, -1.0f)); // another one: from here
    md5_player_advance(of.player, 0.25, NULL, NULL);
    CHECK_NEAR(get(&of, EASE), from + 0.25 * (-1.0 - from), 2e-5);
    md5_player_reset(of.player);
    md5_player_advance(of.player, 0.25, NULL, NULL);
    for (uint32_t i = 0; i < NUM_PARAMETERS; i++)
        CHECK_NEAR(get(&of, i), 1.0, 0.0);
    play_scene_end(&of);
}

TEST (follow_is_saved_and_copied) {
    play_scene of;
    begin(&of);
    set_all(&of, 5.0f);
    md5_player_advance(of.player, 0.2, NULL, NULL);
    md5_player *const others[2] = {play_player(of.machine), play_player(of.machine)};
    const size_t size = md5_player_save_size(of.player);
    void *const bytes = malloc(size);
    CHECK_UINT(md5_player_save(of.player, bytes, size), size);
    CHECK(md5_player_restore(others[0], bytes, size, NULL));
    md5_player_copy(others[1], of.player);
    md5_player_advance(of.player, 0.07, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        md5_player_advance(others[i], 0.07, NULL, NULL);
        for (uint32_t p = 0; p < NUM_PARAMETERS; p++)
            CHECK(md5_player_get(others[i], p) == md5_player_get(of.player, p));
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
    md5_free_player(others[0]);
    md5_free_player(others[1]);
    free(bytes);
    play_scene_end(&of);
}

// -- Mistakes of the tables ---------------------------------------------------------------------

static void check_refused(const md5_follow_desc *rows, uint32_t count, const char *message)
{
    static const md5_parameter_desc two[2] = {{"speed", MD5_PARAMETER_FLOAT, 0.0f},
                                              {"jump", MD5_PARAMETER_TRIGGER, 0.0f}};
    md5_error error;
    play_case made;
    play_begin(&made);
    const md5_machine_desc desc = {.model = made.model,
                                   .parameters = two,
                                   .num_parameters = 2,
                                   .follows = rows,
                                   .num_follows = count};
    md5_machine *const machine = md5_create_machine(&desc, NULL, &error);
    CHECK(machine == NULL);
    CHECK_STRING(error.message, message);
    md5_free_machine(machine);
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
