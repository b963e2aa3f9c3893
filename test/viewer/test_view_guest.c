// A machine that visits another: events of either set the triggers of the other.
#include "test/test.h"

#include "demo/viewer/motion/machine.h"

static const char *state_of(const view_machine *machine)
{
    return machine->desc->layers[0].states[md5_player_layer(machine->player, 0).state].name;
}

static void set_off(view_machine *machine, const char *name)
{
    const uint32_t parameter = md5_find_parameter(machine->character->machine, name);
    CHECK(parameter != MD5_NONE && md5_player_set(machine->player, parameter, 1.0f));
}

TEST (view_carried_fire_burns_when_he_sneezes) {
    view_log log = {.level = VIEW_QUIET};
    view_machine host, fire;
    if (!CHECK(view_load_machine(&host, test_path("models/bobbin/bobbin.md5machine"), NULL, &log)
               && view_load_machine(&fire, test_path("models/bobbin/attached/head.md5machine"),
                                    NULL, &log)))
        return;
    host.carried = &fire;
    set_off(&host, "sneeze");
    view_run_machine(&host, 1.2);
    CHECK_STRING(state_of(&fire), "out");
    view_run_machine(&host, 1.4);
    CHECK_STRING(state_of(&fire), "burst");
    view_restart_machine(&host);
    CHECK_STRING(state_of(&fire), "out");
    set_off(&host, "sneeze");
    view_run_machine(&host, 4.0);
    CHECK_STRING(state_of(&fire), "out");
    view_free_machine(&fire);
    view_free_machine(&host);
}

TEST (view_guest_comes_when_he_snores_and_folds_when_he_strikes) {
    view_log log = {.level = VIEW_QUIET};
    view_machine host, guest;
    if (!CHECK(view_load_machine(&host, test_path("models/bobbin/bobbin.md5machine"), NULL, &log)
               && view_load_machine(&guest, test_path("models/thimble/visitor.md5machine"), NULL,
                                    &log)))
        return;
    host.guest = &guest;
    guest.host = &host;
    guest.start.translation = guest.place.translation = (md5_vec3){50.0f, 0.0f, 0.0f};
    view_run_machine(&host, 24.0);
    CHECK_STRING(state_of(&guest), "waits");
    CHECK_NEAR((double)guest.place.translation.x, 50.0, 0.0);
    view_run_machine(&host, 39.3); // a snore or two later
    CHECK_STRING(state_of(&host), "doze");
    CHECK_STRING(state_of(&guest), "looks");
    CHECK(guest.place.translation.x > 360.0f);
    view_run_machine(&host, 42.0); // it has chirped
    CHECK_STRING(state_of(&host), "idle");
    CHECK_STRING(state_of(&guest), "begs");
    set_off(&host, "attack");
    view_run_machine(&host, 42.3);
    CHECK_STRING(state_of(&guest), "begs"); // he winds up still
    view_run_machine(&host, 43.0);
    CHECK_STRING(state_of(&guest), "fold");
    view_restart_machine(&host);
    CHECK_STRING(state_of(&guest), "waits");
    CHECK_NEAR((double)guest.place.translation.x, 50.0, 0.0);
    view_free_machine(&guest);
    view_free_machine(&host);
}

// A guest that stands before him is patted; one elsewhere is not, and nothing is left of its
// begging.
TEST (view_guest_is_patted_where_the_hand_reaches) {
    view_log log = {.level = VIEW_QUIET};
    for (int far = 0; far < 2; far++) {
        view_machine host, guest;
        if (!CHECK(
                view_load_machine(&host, test_path("models/bobbin/bobbin.md5machine"), NULL, &log)
                && view_load_machine(&guest, test_path("models/thimble/visitor.md5machine"), NULL,
                                     &log)))
            return;
        host.guest = &guest;
        guest.host = &host;
        guest.place.translation = (md5_vec3){far ? 60.0f : 27.0f, -13.0f, 0.0f};
        view_run_machine(&host, 0.1);
        set_off(&host, "beg");
        view_run_machine(&host, 0.2);
        CHECK_STRING(state_of(&host), far ? "idle" : "pat");
        guest.place.translation.x = 27.0f;
        view_run_machine(&host, 1.0);
        CHECK_STRING(state_of(&host), far ? "idle" : "pat");
        view_free_machine(&guest);
        view_free_machine(&host);
    }
}

// A guest that has gone comes again from where it began, seen from its host.
TEST (view_guest_that_is_far_away_comes_to_where_its_host_is) {
    view_log log = {.level = VIEW_QUIET};
    view_machine host, guest;
    if (!CHECK(view_load_machine(&host, test_path("models/bobbin/bobbin.md5machine"), NULL, &log)
               && view_load_machine(&guest, test_path("models/thimble/visitor.md5machine"), NULL,
                                    &log)))
        return;
    host.guest = &guest;
    guest.host = &host;
    guest.start.translation = (md5_vec3){30.0f, 40.0f, 0.0f};
    host.place.translation = (md5_vec3){1000.0f, 0.0f, 0.0f};
    view_run_machine(&host, 26.3);
    CHECK_STRING(state_of(&guest), "start");
    CHECK_NEAR((double)guest.place.translation.x, 1030.0, 6.0);
    CHECK_NEAR((double)guest.place.translation.y, 40.0, 0.1);
    view_free_machine(&guest);
    view_free_machine(&host);
}
