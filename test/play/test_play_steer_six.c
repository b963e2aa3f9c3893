// Thimble, steered: it folds, unfolds and fires. How its soles stand is in test_play_steer.c.
#include "test/test.h"

#include "md5/md5play.h"

#include <string.h>

typedef struct crawler {
    md5_character *character;
    md5_player *player;
    uint32_t num_shots;
} crawler;

static void set(crawler *of, const char *name, float value)
{
    const uint32_t parameter = md5_find_parameter(of->character->machine, name);
    CHECK(parameter != MD5_NONE && md5_player_set(of->player, parameter, value));
}

static bool make(crawler *of)
{
    md5_error error = {0};
    *of = (crawler){0};
    of->character =
        md5_load_character(test_path("models/thimble/thimble.md5machine"), NULL, &error);
    CHECK_STRING(error.message, "");
    of->player = of->character ? md5_create_player(of->character->machine, NULL, NULL) : NULL;
    return CHECK(of->player != NULL);
}

static void end(crawler *of)
{
    md5_destroy_player(of->player);
    md5_free_character(of->character);
}

static void count_shots(void *user, md5_player *player, const md5_event *event, float weight)
{
    crawler *const of = user;
    (void)player;
    of->num_shots += weight > 0.5f && strcmp(event->name, "shot") == 0;
}

static const char *state_of(const crawler *of)
{
    const md5_machine_desc *const tables = md5_machine_tables(of->character->machine);
    return tables->layers[0].states[md5_player_layer(of->player, 0).state].name;
}

static void check_state(crawler *of, double seconds, const char *name)
{
    md5_player_advance(of->player, seconds, count_shots, of);
    CHECK_STRING(state_of(of), name);
}

TEST_IF (steer_six_it_folds_and_any_key_unfolds_it, crawler, of, make(of), end(of)) {
    set(of, "fold", 1.0f);
    check_state(of, 5.0, "fold");
    set(of, "speed", 22.5f);
    check_state(of, 0.1, "unfold");
    check_state(of, 2.0, "start");
    check_state(of, 0.5, "walk_left");
    set(of, "speed", 0.0f);
    check_state(of, 2.5, "idle");
    set(of, "speed", -3.0f);
    check_state(of, 1.0, "back");
}

TEST_IF (steer_six_it_shoots_standing_alert_and_walking, crawler, of, make(of), end(of)) {
    set(of, "shoot", 1.0f);
    check_state(of, 0.1, "shoot");
    check_state(of, 2.0, "idle");
    CHECK(of->num_shots == 2);
    set(of, "alert", 1.0f);
    check_state(of, 4.0, "alert");
    set(of, "shoot", 1.0f);
    check_state(of, 2.0, "idle");
    CHECK(of->num_shots == 4);
    set(of, "speed", 22.5f);
    check_state(of, 1.5, "walk_right");
    set(of, "shoot", 1.0f);
    md5_player_advance(of->player, 2.0, count_shots, of);
    CHECK(of->num_shots == 6);
}
