// Feet that are held keep pointing where they pointed while a character turns over them.
#include "test/play/test_play_hold_case.h"

#include "md5/play/run/player_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double tangent_of(double degrees)
{
    return tan(degrees * 3.14159265358979 / 360.0);
}

static double degrees_of(double tangent)
{
    return atan(tangent) * 360.0 / 3.14159265358979;
}

// While the character turns by 5.7 degrees.
TEST (play_hold_keeps_headings) {
    for (int holds = 0; holds < 2; holds++) {
        holding of;
        hold_begin(&of, "turns", holds ? HOLD_FEET "hold { toe toe_l } }" : HOLD_FEET "}");
        for (int i = 0; i <= 30; i++) {
            hold_go_on(&of, i == 0 ? 0.0 : HOLD_TICK);
            const double expected = holds ? 0.0 : hold_body_heading(&of);
            CHECK_NEAR(hold_heading_of(&of, TOE_L), expected, 1e-3);
            CHECK_NEAR(hold_heading_of(&of, ANKLE_R), expected, 1e-3);
        }
        CHECK(hold_body_heading(&of) < -5.0);
        hold_end(&of);
    }
}

// A leg turns its foot by 45 degrees; from then on the foot goes along.
TEST_HOLD (play_hold_turns_feet_no_farther_than_a_leg_can, "spins",
           HOLD_FEET "hold { toe toe_l distance 20 } }") {
    hold_go_on(of, 0.0);
    const real3 was = hold_sole_of(of, TOE_L);
    for (int i = 0; i < 180; i++) {
        hold_go_on(of, HOLD_TICK);
        const double turned = hold_body_heading(of);
        CHECK_NEAR(hold_heading_of(of, TOE_L), turned > 45.0 ? turned - 45.0 : 0.0, 0.01);
        CHECK_NEAR(real3_distance(hold_sole_of(of, TOE_L), was), 0.0, 1e-4);
    }
    CHECK(hold_body_heading(of) > 60.0);
}

// Nor does a turned foot stretch its leg. The character turns by 30 degrees about a sole, so that
// the ankle 4 units behind it has to be 8 sin 15 = 2.07 units beside the animated one: a leg of 10
// becomes one of 10.21.
TEST (play_hold_stretches_no_leg_by_turning) {
    static const md5_hold_numbers hold = {
        .height = 0.3f, .speed = 10.0f, .distance = 4.0f, .release = 0.2f};
    for (int is_long = 0; is_long < 2; is_long++) {
        md5_held held = {0};
        md5_hold_step step = {
            .seconds = 0.1f,
            .cosine = 1.0f,
            .facing = {1.0f, 0.0f, 0.0f},
            .stands = true,
            .ankle = {-4.0f, 0.0f, 2.0f},
            .leg = {0.0f, 0.0f, -10.0f},
            .reach = is_long ? 10.25f : 10.2f,
        };
        md5i_advance_hold(&hold, &step, true, &held);
        CHECK(held.is_held && held.turn == 0.0f);
        step.cosine = cosf(0.52359878f);
        step.sine = sinf(0.52359878f);
        md5i_advance_hold(&hold, &step, false, &held);
        CHECK(held.is_held == (is_long == 1));
        const md5_vec3 shift = md5i_held_shift(&held, step.ankle, 1.0f);
        if (held.is_held)
            CHECK_NEAR(hypot((double)shift.x, (double)shift.y), 2.0705523608, 1e-5);
    }
}

// A foot that is held again does not turn in that step either.
TEST_HOLD (play_hold_begins_as_a_sole_pointed, "turns",
           HOLD_FEET "hold { toe toe_l distance 1.02 } }") {
    CHECK(hold_slide(of, 30) > 0.1);
    int num_begun = 0;
    for (int i = 0; i < 120; i++) {
        const bool was_held = of->player->held[0].is_held;
        const double was = hold_heading_of(of, TOE_L);
        hold_go_on(of, HOLD_TICK);
        if (was_held || !of->player->held[0].is_held)
            continue;
        CHECK_NEAR(hold_heading_of(of, TOE_L), was, 1e-3);
        num_begun++;
    }
    CHECK(num_begun > 1);
}

// A clip that turns a sole that stands, faster than 30 degrees a second, does so on purpose.
TEST_HOLD (play_hold_lets_clips_turn_soles_that_stand, "twists",
           HOLD_FEET "hold { toe toe_l distance 20 } }") {
    hold_go_on(of, 0.0);
    const real3 was = hold_sole_of(of, TOE_L);
    for (int i = 0; i < 45; i++) {
        hold_go_on(of, HOLD_TICK);
        CHECK_NEAR(hold_heading_of(of, TOE_L), hold_body_heading(of), 0.01);
        CHECK_NEAR(real3_distance(hold_sole_of(of, TOE_L), was), 0.0, 1e-4);
    }
    CHECK(hold_body_heading(of) > 40.0);
}

// As a foot that is let go returns, so does the tangent of half of the angle by which it is turned:
//   x(t) = (x + (v + w x) t) exp(-w t)
TEST_HOLD (play_hold_eases_headings_back, "turns", HOLD_FEET "hold { toe toe_l release 0.3 } }") {
    const double release = 0.3, w = 6.638352 / release;
    hold_go_on(of, 0.0);
    double x = 0.0, v = 0.0;
    for (int i = 0; i < 30; i++) {
        hold_go_on(of, HOLD_TICK);
        const double now = -tangent_of(hold_body_heading(of));
        v = (now - x) / HOLD_TICK;
        x = now;
    }
    const uint32_t slides = md5_find_clip(of->machine, "slides");
    CHECK(md5_player_play_shot(of->player, 0, slides, &(md5_shot_desc){0}));
    for (int i = 1; i <= 30; i++) {
        hold_go_on(of, HOLD_TICK);
        CHECK(!of->player->held[0].is_held);
        const double t = HOLD_TICK * i;
        CHECK_NEAR(hold_heading_of(of, TOE_L) - hold_body_heading(of),
                   degrees_of((x + (v + w * x) * t) * exp(-w * t)), 0.01);
    }
}

// However fast the body turned, a foot that is let go does not turn much farther away.
TEST_HOLD (play_hold_throws_no_foot_about, "spins", HOLD_FEET "hold { toe toe_l } }") {
    hold_go_on(of, 0.0);
    hold_go_on(of, HOLD_TICK);
    const double turned = hold_body_heading(of);
    CHECK(turned > 0.3);
    const uint32_t slides = md5_find_clip(of->machine, "slides");
    CHECK(md5_player_play_shot(of->player, 0, slides, &(md5_shot_desc){0}));
    for (int i = 0; i < 30; i++) {
        hold_go_on(of, HOLD_TICK);
        const double away = hold_body_heading(of) - hold_heading_of(of, TOE_L);
        CHECK(away < 1.22 * turned && away > -1e-3);
    }
}

// With half of the weight a foot is turned back by half.
TEST_HOLD (play_hold_turns_feet_by_weight, "turns", HOLD_FEET "hold { toe toe_l } }") {
    md5_player_target(of->player, 0)->weight = 0.5f;
    for (int i = 0; i <= 30; i++)
        hold_go_on(of, i == 0 ? 0.0 : HOLD_TICK);
    const double turned = hold_body_heading(of);
    CHECK_NEAR(hold_heading_of(of, TOE_L), turned - degrees_of(0.5 * tangent_of(turned)), 1e-3);
}

static void see_ankle(void *user, const md5_player *player, md5_vec3 ankle, md5_foot *foot)
{
    CHECK(player != NULL);
    if (foot->ankle == ANKLE_L)
        *(md5_vec3 *)user = ankle;
    foot->floor = 0.0f;
}

// The ground is asked for where the turned foot has its ankle.
TEST_HOLD (play_hold_asks_for_the_ground_below_a_turned_foot, "turns",
           HOLD_FEET "hold { toe toe_l } }") {
    md5_vec3 ankle = {0.0f, 0.0f, 0.0f};
    md5_player_set_ground(of->player, see_ankle, &ankle);
    for (int i = 0; i <= 30; i++) {
        hold_go_on(of, i == 0 ? 0.0 : HOLD_TICK);
        const md5_vec3 at = md5_xform_point(of->place, ankle);
        CHECK_NEAR((double)at.x, 0.0, 1e-4);
        CHECK_NEAR((double)at.y, 3.0, 1e-4);
    }
}

// What the library wrote for this machine after 30 steps, in hexadecimal, when the format was in
// version 4: no headings were held.
static const char saved[] =
    "4d35505304000000752e2c240ff0b334010100000000000000000060f993b8fa7aa93f00e507e33bc673"
    "3f0000000000000000405b8753f4ffef3f202ce5e05a556bbf0000000000000000000000000000000000"
    "00000000000000000000000000f03f000000000000000000000000000000000000000000000000000000"
    "00ffffffff01000000000000001f00000000000000000000803f00000000000000000000000000000000"
    "00000000000000000000803f000000000000000000000000000001000000000000000000000000000000"
    "00000000000000000000000000fa02013600000000000000000000000000000000000000000000000000"
    "000034010000804000004040000000002a060c4026054f4000000000acf3e7bf6052703e000000001f90"
    "65c0cc0c003f00000000000000008b44153f000000000100000000000040c00000000027b098bfcaa048"
    "c00000000027b098bfa00c0abe000000009f9918c0f9e498be0000000000000000a410c43e0000000000"
    "000000ffffffff0100000000000000ffffffff000000000000000000000000ffffffffffffdf3f000000"
    "0000000000000000000000000000000000000000000000ffffffffffffdf3f0000000000000000000000"
    "000000000000";

enum { SAVED_SIZE = (sizeof saved - 1) / 2 };

// The place stays held. The heading begins to be, as the foot is animated then.
TEST (play_hold_saved_without_headings_is_restored) {
    holding old, same;
    uint8_t bytes[SAVED_SIZE];
    md5_error error = {0};
    for (size_t i = 0; i < SAVED_SIZE; i++) {
        const char digits[3] = {saved[2 * i], saved[2 * i + 1], '\0'};
        bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    hold_begin(&old, "turns", HOLD_FEET "hold { toe toe_l } }");
    hold_begin(&same, "turns", HOLD_FEET "hold { toe toe_l } }");
    for (int i = 0; i <= 30; i++)
        hold_go_on(&same, i == 0 ? 0.0 : HOLD_TICK);
    CHECK(md5_player_restore(old.player, bytes, sizeof bytes, &error));
    CHECK_STRING(error.message, "");
    old.place = same.place;
    double heading = 0.0;
    for (int i = 0; i < 15; i++) {
        hold_go_on(&old, HOLD_TICK);
        hold_go_on(&same, HOLD_TICK);
        heading = i == 0 ? hold_body_heading(&old) : heading;
        CHECK(old.player->held[0].is_held);
        CHECK_NEAR(real3_distance(hold_sole_of(&old, TOE_L), hold_sole_of(&same, TOE_L)), 0.0,
                   1e-4);
        CHECK_NEAR(hold_heading_of(&old, TOE_L), heading, 1e-3);
    }
    CHECK(hold_body_heading(&old) < heading - 2.0);
    hold_end(&old);
    hold_end(&same);
}
