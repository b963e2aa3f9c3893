// A machine that visits another: events of either set the triggers of the other.
#include "test/test.h"

#include "demo/viewer/scene/machine.h"

static const char *state_of(const view_machine *machine)
{
    return machine->desc->layers[0].states[md5_player_layer(machine->player, 0).state].name;
}

static void set_off(view_machine *machine, const char *name)
{
    const int32_t parameter = md5_find_parameter(machine->character->machine, name);
    CHECK(parameter >= 0 && md5_player_set(machine->player, (uint32_t)parameter, 1.0f));
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
    view_run_machine(&host, 35.5); // a snore or two later
    CHECK_STRING(state_of(&host), "doze");
    CHECK_STRING(state_of(&guest), "stands");
    CHECK(guest.place.translation.x > 110.0f);
    set_off(&host, "attack"); // startles him up
    view_run_machine(&host, 37.0);
    CHECK_STRING(state_of(&host), "idle");
    set_off(&host, "attack");
    view_run_machine(&host, 37.3);
    CHECK_STRING(state_of(&guest), "stands"); // he winds up still
    view_run_machine(&host, 38.0);
    CHECK_STRING(state_of(&guest), "fold");
    view_restart_machine(&host);
    CHECK_STRING(state_of(&guest), "waits");
    CHECK_NEAR((double)guest.place.translation.x, 50.0, 0.0);
    view_free_machine(&guest);
    view_free_machine(&host);
}
