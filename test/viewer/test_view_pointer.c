// What md5view tells a machine of the mouse pointer, and what Bobbin makes of it.
#include "test/test.h"

#include "demo/viewer/motion/machine.h"

#include <math.h>

static bool load(view_machine *machine, view_log *log)
{
    *log = (view_log){.level = VIEW_QUIET};
    return CHECK(
        view_load_machine(machine, test_path("models/bobbin/bobbin.md5machine"), NULL, log));
}

static double value(const view_machine *machine, const char *name)
{
    const uint32_t parameter = md5_find_parameter(machine->character->machine, name);
    CHECK(parameter != MD5_NONE);
    return (double)md5_player_get(machine->player, parameter);
}

static const char *state_of(const view_machine *machine)
{
    return machine->desc->layers[0].states[md5_player_layer(machine->player, 0).state].name;
}

// A point at this height of the eyes, so many degrees to the left, 100 units away.
static md5_vec3 point(const view_machine *machine, double degrees)
{
    const md5_bounds bounds = machine->desc->model->bounds;
    const double angle = degrees * 3.14159265358979 / 180.0;
    return (md5_vec3){(float)(100.0 * cos(angle)), (float)(100.0 * sin(angle)),
                      bounds.min.z + 0.75f * (bounds.max.z - bounds.min.z)};
}

TEST (view_pointer_is_told_to_a_machine_until_it_is_still) {
    view_machine machine;
    view_log log;
    if (!load(&machine, &log))
        return;
    view_run_machine(&machine, 0.5);
    CHECK_NEAR(value(&machine, "pointer"), 0.0, 0.0);
    view_point_at(&machine, point(&machine, 30.0));
    // Eyes are there at once, the head is not.
    view_run_machine(&machine, 0.6);
    CHECK(value(&machine, "eyes_yaw") > 25.0 && value(&machine, "head_yaw") < 15.0);
    view_run_machine(&machine, 2.0);
    CHECK_NEAR(value(&machine, "pointer"), 1.0, 1e-6);
    CHECK_NEAR(value(&machine, "head_yaw"), 30.0, 0.1);
    CHECK_NEAR(value(&machine, "head_pitch"), 0.0, 0.1);
    CHECK_STRING(state_of(&machine), "idle");
    CHECK_NEAR((double)machine.place.rotation.z, 0.0, 1e-6);
    view_run_machine(&machine, 8.5);
    CHECK_NEAR(value(&machine, "pointer"), 0.0, 1e-6);
    CHECK_NEAR(value(&machine, "head_yaw"), 0.0, 0.5);
    view_free_machine(&machine);
}

static double turned(md5_quat rotation)
{
    return 2.0 * atan2((double)rotation.z, (double)rotation.w);
}

// How fast he turns where a turn of 45 degrees begins, as at its end: radians a second.
static double turning_rate(const view_machine *machine)
{
    const double step = 1.0 / 256.0;
    md5_player *const player = md5_create_player(machine->character->machine, NULL, NULL);
    const uint32_t state = md5_find_state(machine->character->machine, 0, "turn_left");
    CHECK(state != MD5_NONE && md5_player_seek(player, 0, state, 0.0));
    md5_player_advance(player, step, NULL, NULL);
    const double angle = turned(md5_player_root_motion(player).rotation);
    md5_destroy_player(player);
    return angle / step;
}

TEST (view_pointer_behind_him_turns_him_round) {
    view_machine machine;
    view_log log;
    if (!load(&machine, &log))
        return;
    view_point_at(&machine, point(&machine, 150.0));
    view_run_machine(&machine, 4.0);
    // Turns of 45 degrees until it is no more than 40 to the side: three. Of the rate half is lost
    // in the 0.2 seconds of the transition to the first, and kept in the 0.3 to standing.
    CHECK_STRING(state_of(&machine), "idle");
    CHECK_NEAR(turned(machine.place.rotation),
               135.0 * 3.14159265358979 / 180.0 + 0.5 * (0.3 - 0.2) * turning_rate(&machine), 1e-3);
    CHECK(fabs(value(&machine, "head_yaw")) < 40.0);
    view_free_machine(&machine);
}

// Behind him a pointer that crosses the middle stays on its side for a while.
TEST (view_pointer_that_circles_behind_him_does_not_swing_his_head) {
    static const double at[][2] = {{170.0, 170.0},  {190.0, 190.0},  {205.0, 205.0},
                                   {215.0, -145.0}, {190.0, -170.0}, {155.0, -205.0},
                                   {145.0, 145.0},  {30.0, 30.0}};
    view_machine machine;
    view_log log;
    if (!load(&machine, &log))
        return;
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        view_point_at(&machine, point(&machine, at[i][0]));
        view_tell_pointer(&machine);
        CHECK_NEAR((double)machine.told_yaw, at[i][1], 0.1);
    }
    view_free_machine(&machine);
}

TEST (view_pointer_that_clicks_makes_him_giggle_and_then_hurts) {
    view_machine machine;
    view_log log;
    if (!load(&machine, &log))
        return;
    view_click_machine(&machine);
    view_run_machine(&machine, 0.3);
    CHECK_STRING(state_of(&machine), "giggle");
    view_click_machine(&machine);
    view_run_machine(&machine, 0.6);
    CHECK_STRING(state_of(&machine), "hit");
    view_free_machine(&machine);
}

TEST (view_pointer_is_not_told_to_a_machine_that_does_not_ask) {
    view_machine machine;
    view_log log = {.level = VIEW_QUIET};
    if (!CHECK(view_load_machine(&machine, test_path("models/bobbin/page_look.md5machine"), NULL,
                                 &log)))
        return;
    view_point_at(&machine, point(&machine, 30.0));
    view_click_machine(&machine);
    view_run_machine(&machine, 0.3);
    CHECK(machine.is_told);
    view_free_machine(&machine);
}
