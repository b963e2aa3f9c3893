// Tendril strikes at what comes near: a parameter says how far that is.
#include "test/test.h"

#include "md5/md5play.h"

#include <string.h>

typedef struct plant {
    md5_character *character;
    md5_player *player;
    uint32_t num_strikes;
} plant;

static void count_strikes(void *user, md5_player *player, const md5_event *event, float weight)
{
    plant *const of = user;
    (void)player;
    of->num_strikes += weight > 0.5f && strcmp(event->name, "strike") == 0;
}

static void set(plant *of, const char *name, float value)
{
    const uint32_t parameter = md5_find_parameter(of->character->machine, name);
    CHECK(parameter != MD5_NONE && md5_player_set(of->player, parameter, value));
}

static void check_state(plant *of, double seconds, const char *name)
{
    md5_player_advance(of->player, seconds, count_strikes, of);
    const md5_machine_desc *const tables = md5_machine_tables(of->character->machine);
    CHECK_STRING(tables->layers[0].states[md5_player_layer(of->player, 0).state].name, name);
}

TEST (near_tendril_strikes_while_something_is_near_and_recoils) {
    md5_error error = {0};
    plant of = {0};
    of.character = md5_load_character(test_path("models/tendril/tendril.md5machine"), NULL, &error);
    CHECK_STRING(error.message, "");
    if (of.character == NULL)
        return;
    of.player = md5_create_player(of.character->machine, NULL, NULL);
    if (CHECK(of.player != NULL)) {
        check_state(&of, 10.0, "idle");
        CHECK(of.num_strikes == 0);
        set(&of, "distance", 40.0f);
        check_state(&of, 0.1, "strike");
        check_state(&of, 4.0, "strike"); // 1.6 s each: it strikes again
        CHECK(of.num_strikes >= 2);
        set(&of, "distance", 90.0f);
        check_state(&of, 3.0, "idle");
        set(&of, "hit", 1.0f);
        check_state(&of, 0.1, "recoil");
        check_state(&of, 4.0, "idle");
    }
    md5_destroy_player(of.player);
    md5_free_character(of.character);
}
