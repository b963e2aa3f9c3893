// Feet that are held where they stand while a character glides over them.
#include "test/play/test_play_hold_case.h"

#include "md5/play/run/player_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// For half a second at 5 units a second, and as the character turns by 11 degrees.
TEST (play_hold_keeps_soles_where_they_stand) {
    static const struct {
        const char *clip, *words;
        double least, most;
    } cases[] = {
        {"glides", HOLD_FEET "}", 2.49, 2.51},
        {"glides", HOLD_FEET "hold { toe toe_l } }", 0.0, 1e-4},
        {"glides", HOLD_FEET "hold { toe toe_l } }\nmodifier none joint head", 0.0, 1e-4},
        {"turns", HOLD_FEET "}", 1.4, 4.0},
        {"turns", HOLD_FEET "hold { toe toe_l } }", 0.0, 1e-4},
        // Faster than clips have soles stand; held nowhere far; not low enough.
        {"slides", HOLD_FEET "hold { toe toe_l } }", 9.99, 10.01},
        {"glides", HOLD_FEET "hold { toe toe_l speed 4.9 } }", 2.49, 2.51},
        {"glides", HOLD_FEET "hold { toe toe_l speed 0 } }", 2.49, 2.51},
        {"glides", HOLD_FEET "hold { toe toe_l distance 0 } }", 2.49, 2.51},
        {"slides", HOLD_FEET "hold { toe toe_l speed 20.1 distance 30 } }", 0.0, 1e-4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        holding of;
        hold_begin(&of, cases[i].clip, cases[i].words);
        const double most = hold_slide(&of, i == 9 ? 20 : 30);
        if (!CHECK(most >= cases[i].least && most <= cases[i].most))
            printf("%d: %g\n", (int)i, most);
        hold_end(&of);
    }
}

// A character that is turned and moved by the game carries its feet along.
TEST_HOLD (play_hold_goes_with_what_the_game_moves, "still", HOLD_FEET "hold }") {
    hold_go_on(of, 0.0);
    for (int i = 0; i < 20; i++) {
        of->place.translation.x += 1.0f;
        hold_go_on(of, HOLD_TICK);
    }
    CHECK_NEAR(hold_sole_of(of, ANKLE_R).x, 20.0, 1e-4);
}

// After the distance is passed the foot returns like a critically damped spring: in double, the
// exact motion from the displacement x and velocity v at which it was let go,
//   x(t) = (x + (v + w x) t) exp(-w t)
// w leaves 1 % of a displacement at rest within the release. Meanwhile it steps: a parabola of a
// third of the displacement.
TEST_HOLD (play_hold_lets_go_and_returns, "glides",
           HOLD_FEET "hold { toe toe_l distance 1.02 release 0.3 } }") {
    const double release = 0.3, w = 6.638352 / release;
    CHECK_NEAR((1.0 + w * release) * exp(-w * release), 0.01, 1e-7);
    CHECK_NEAR(hold_slide(of, 12), 0.0, 1e-4);
    // From here on it is seen from the character, which has gone on by a unit.
    const double start = hold_sole_of(of, TOE_L).x - (double)of->place.translation.x;
    for (int i = 1; i <= 17; i++) {
        hold_go_on(of, HOLD_TICK);
        const double t = HOLD_TICK * i, v = -5.0;
        const double x = (-1.0 + (v - w) * t) * exp(-w * t);
        CHECK_NEAR(hold_sole_of(of, TOE_L).x - (double)of->place.translation.x, start + 1.0 + x,
                   2e-3);
        CHECK_NEAR(hold_sole_of(of, TOE_L).z, 4.0 * 0.33 * t / release * (1.0 - t / release), 1e-4);
    }
    // It is held again from where it is then.
    hold_go_on(of, HOLD_TICK);
    hold_go_on(of, HOLD_TICK);
    const real3 was = hold_sole_of(of, TOE_L);
    hold_go_on(of, HOLD_TICK);
    CHECK_NEAR(real3_distance(hold_sole_of(of, TOE_L), was), 0.0, 1e-4);
}

// With a release of 0 a foot is back at once.
TEST_HOLD (play_hold_without_release_is_back_at_once, "glides",
           HOLD_FEET "hold { toe toe_l distance 1.02 release 0 } }") {
    CHECK_NEAR(hold_slide(of, 12), 0.0, 1e-4);
    hold_go_on(of, HOLD_TICK);
    CHECK_NEAR(hold_sole_of(of, TOE_L).x - (double)of->place.translation.x, 4.0, 1e-4);
}

// A leg that would be stretched lets go: no foot is farther from its hip than it can reach.
TEST_HOLD (play_hold_stretches_no_leg, "slides",
           HOLD_FEET "hold { toe toe_l speed 30 distance 100 } }") {
    double most = 0.0;
    for (int i = 0; i < 120; i++) {
        hold_go_on(of, HOLD_TICK);
        const md5_foot *const feet = md5_player_feet(of->player, 0);
        CHECK(feet[0].result == MD5_LIMB_PLACED && feet[0].miss < 1e-3f);
        const double shift = fabs((double)of->player->held[0].shift.x);
        most = shift > most ? shift : most;
    }
    // The foot of a leg of 20.59 over 18 goes as far as 9.9, or before it a step of 1/3 less.
    const double far = sqrt(0.999 * 0.999 * 4.0 * 106.0 - 18.0 * 18.0);
    CHECK(most > far - 0.34 && most <= far + 1e-3);
}

// A sole is held until it is higher than 0.3, after 0.3 s; the other foot stays.
TEST_HOLD (play_hold_ends_as_a_sole_lifts, "lifts", HOLD_FEET "hold { toe toe_l } }") {
    hold_go_on(of, 0.0);
    const real3 left = hold_sole_of(of, TOE_L), right = hold_sole_of(of, ANKLE_R);
    for (int i = 1; i <= 24; i++) {
        hold_go_on(of, HOLD_TICK);
        const real3 now = hold_sole_of(of, TOE_L);
        CHECK(of->player->held[0].is_held == (i <= 18));
        if (i <= 18)
            CHECK_NEAR(now.x, left.x, 1e-4);
        CHECK_NEAR(now.z, 1.0 / 60.0 * i, 1e-4);
    }
    CHECK(hold_sole_of(of, TOE_L).x > left.x + 0.3);
    CHECK_NEAR(hold_sole_of(of, ANKLE_R).x, right.x, 1e-4);
}

// What is blended over the legs counts, in layers and as one-shots; what is not over them, or is
// added, does not.
TEST (play_hold_counts_what_plays_at_the_ankles) {
    static const char words[] = "float over 0 layer more { weight over state t slides }\n"
                                "layer face { mask head state u slides }\n"
                                "layer lean { add state v slides } " HOLD_FEET "hold }";
    holding of;
    hold_begin(&of, "still", words);
    hold_go_on(&of, HOLD_TICK);
    CHECK(of.player->held[0].is_held && of.player->held[1].is_held);
    CHECK(md5_player_set(of.player, 0, 1.0f));
    hold_go_on(&of, HOLD_TICK);
    CHECK(!of.player->held[0].is_held && !of.player->held[1].is_held);
    CHECK(md5_player_set(of.player, 0, 0.25f));
    hold_go_on(&of, HOLD_TICK);
    CHECK(of.player->held[0].is_held);
    const uint32_t clip = md5_find_clip(of.machine, "slides");
    static const md5_shot_desc shots[] = {{.mode = MD5_LAYER_ADD}, {.mask = "head"}, {0}};
    for (int i = 0; i < 3; i++) {
        CHECK(md5_player_play_shot(of.player, (uint32_t)i, clip, &shots[i]));
        hold_go_on(&of, HOLD_TICK);
        CHECK(of.player->held[0].is_held == (i < 2));
    }
    hold_end(&of);
}

// A state without motion has no soles that stand, nor has a machine without layers.
TEST_HOLD (play_hold_without_clips_holds_what_is_low, "nothing", HOLD_FEET "hold }") {
    hold_go_on(of, HOLD_TICK);
    CHECK(of->player->held[0].is_held);
    CHECK(md5_player_fade_to(of->player, 0, 1, 0.2f, MD5_FADE_CROSS, MD5_EASE_LINEAR));
    hold_go_on(of, HOLD_TICK);
    CHECK(of->player->held[0].is_held);
}

// A foot that is held again, here after it was let go, does not move in that step either.
TEST_HOLD (play_hold_begins_where_a_sole_was, "glides",
           HOLD_FEET "hold { toe toe_l distance 1.02 } }") {
    CHECK_NEAR(hold_slide(of, 12), 0.0, 1e-4);
    real3 was = hold_sole_of(of, TOE_L);
    hold_go_on(of, HOLD_TICK);
    CHECK(!of->player->held[0].is_held);
    for (int i = 0; i < 20 && !of->player->held[0].is_held; i++) {
        was = hold_sole_of(of, TOE_L);
        hold_go_on(of, HOLD_TICK);
    }
    CHECK(of->player->held[0].is_held);
    CHECK_NEAR(real3_distance(hold_sole_of(of, TOE_L), was), 0.0, 1e-4);
}

// Frozen below a chain of states that interrupt each other.
TEST_HOLD (play_hold_survives_a_frozen_pose, "still", HOLD_FEET "hold }") {
    for (uint32_t i = 0; i < 8; i++) {
        CHECK(md5_player_fade_to(of->player, 0, 1 - i % 2, 1.0f, MD5_FADE_CROSS, MD5_EASE_LINEAR));
        hold_go_on(of, HOLD_TICK);
    }
    CHECK(of->player->held[0].is_held);
    CHECK_NEAR(hold_sole_of(of, ANKLE_R).x, 0.0, 1e-4);
}

// In every third pose, as in each; with weight 0 a foot begins anew.
TEST_HOLD (play_hold_advances_with_poses, "glides", HOLD_FEET "hold { toe toe_l } }") {
    CHECK(md5_player_set_detail(of->player, &(md5_detail){.interval = 3}));
    hold_go_on(of, 0.0);
    const real3 was = hold_sole_of(of, TOE_L);
    for (int i = 1; i <= 30; i++) {
        hold_go_on(of, HOLD_TICK);
        if (i % 3 == 0)
            CHECK_NEAR(real3_distance(hold_sole_of(of, TOE_L), was), 0.0, 1e-4);
    }
    md5_player_target(of->player, 0)->weight = 0.0f;
    for (int i = 0; i < 3; i++)
        hold_go_on(of, HOLD_TICK);
    CHECK_NEAR(hold_sole_of(of, TOE_L).x, 4.0 + (double)of->place.translation.x, 1e-4);
    md5_player_target(of->player, 0)->weight = 1.0f;
    for (int i = 0; i < 3; i++)
        hold_go_on(of, HOLD_TICK);
    CHECK_NEAR(hold_sole_of(of, TOE_L).x, 4.0 + (double)of->place.translation.x, 1e-4);
}

// Restored, copied and in a batch, a player goes on with the same bits.
TEST_HOLD (play_hold_is_saved_and_copied, "turns", HOLD_FEET "hold { toe toe_l distance 1 } }") {
    enum { OTHERS = 3 };
    md5_player *others[OTHERS];
    uint8_t bytes[2048];
    for (int i = 0; i < 20; i++)
        hold_go_on(of, HOLD_TICK);
    md5_player_advance(of->player, HOLD_TICK, NULL, NULL); // and not posed yet
    const size_t size = md5_player_save(of->player, bytes, sizeof bytes);
    CHECK(size > 0);
    for (int k = 0; k < OTHERS; k++) {
        others[k] = md5_create_player(of->machine, NULL, NULL);
        if (k % 2 == 0)
            CHECK(md5_player_restore(others[k], bytes, size, NULL));
        else
            md5_player_copy(others[k], of->player);
    }
    for (int i = 0; i < 60; i++) {
        md5_mat34 joints[2][HOLD_JOINTS];
        md5_xform pose[HOLD_JOINTS];
        md5_player_advance(of->player, HOLD_TICK, NULL, NULL);
        md5_player_pose(of->player, of->pose, joints[0], NULL, of->scratch);
        for (int k = 0; k < 2; k++) {
            md5_player_advance(others[k], HOLD_TICK, NULL, NULL);
            md5_player_pose(others[k], pose, NULL, NULL, of->scratch);
            CHECK(memcmp(pose, of->pose, sizeof pose) == 0);
        }
        md5_play_job job = {.player = others[2], .seconds = HOLD_TICK, .joints = joints[1]};
        void *const scratch = malloc(md5_play_batch_scratch(&job, 1, NULL));
        md5_play_batch(&job, 1, NULL, scratch);
        CHECK(memcmp(joints[0], joints[1], sizeof joints[0]) == 0);
        free(scratch);
    }
    for (int k = 0; k < OTHERS; k++)
        md5_destroy_player(others[k]);
}

// Numbers that are not finite, from broken bytes, begin anew.
TEST (play_hold_that_is_not_finite_begins_anew) {
    static const float wrong[] = {NAN, INFINITY, -INFINITY, 3e38f};
    for (int number = 0; number < 32; number++) {
        holding of;
        hold_begin(&of, "glides", HOLD_FEET "hold { toe toe_l } }");
        hold_go_on(&of, HOLD_TICK);
        md5_held *const held = &of.player->held[0];
        float *const numbers[] = {&held->place.x,    &held->shift.y,  &held->rate.x,
                                  &held->animated.x, &held->facing.y, &held->heading.x,
                                  &held->turn,       &held->turn_rate};
        *numbers[number % 8] = wrong[number / 8];
        uint8_t bytes[2048];
        const size_t size = md5_player_save(of.player, bytes, sizeof bytes);
        CHECK(md5_player_restore(of.player, bytes, size, NULL));
        hold_go_on(&of, HOLD_TICK);
        CHECK(held->is_held && fabsf(held->shift.x) < 1.0f && held->turn == 0.0f);
        const real3 was = hold_sole_of(&of, TOE_L);
        hold_go_on(&of, HOLD_TICK);
        CHECK_NEAR(real3_distance(hold_sole_of(&of, TOE_L), was), 0.0, 1e-4);
        hold_end(&of);
    }
}

// The same in other axes, also left-handed ones.
TEST (play_hold_holds_alike_in_other_axes) {
    for (md5_axes axes = MD5_AXES_Y_UP; axes <= MD5_AXES_BLENDER; axes++) {
        holding plain, turned;
        hold_begin(&plain, "turns", HOLD_FEET "hold { toe toe_l distance 1 } }");
        hold_begin_in(&turned, "turns", HOLD_FEET "hold { toe toe_l distance 1 } }", axes);
        CHECK_STRING(turned.error.message, "");
        for (int i = 0; i < 60; i++) {
            hold_go_on(&plain, HOLD_TICK);
            hold_go_on(&turned, HOLD_TICK);
            CHECK_NEAR(real3_distance(hold_sole_of(&plain, TOE_L), hold_sole_of(&turned, TOE_L)),
                       0.0, 1e-3);
            CHECK_NEAR(hold_heading_of(&plain, TOE_L), hold_heading_of(&turned, TOE_L), 1e-2);
            CHECK(plain.player->held[0].is_held == turned.player->held[0].is_held);
        }
        hold_end(&plain);
        hold_end(&turned);
    }
}

static void see_ankle(void *user, const md5_player *player, md5_vec3 ankle, md5_foot *foot)
{
    CHECK(player != NULL);
    if (foot->ankle == ANKLE_L)
        *(md5_vec3 *)user = ankle;
    foot->floor = 0.0f;
}

// The ground is asked for where a foot is held.
TEST_HOLD (play_hold_asks_for_the_ground_where_it_stands, "glides",
           HOLD_FEET "hold { toe toe_l } }") {
    md5_vec3 ankle = {0.0f, 0.0f, 0.0f};
    md5_player_set_ground(of->player, see_ankle, &ankle);
    for (int i = 0; i <= 30; i++) {
        hold_go_on(of, i == 0 ? 0.0 : HOLD_TICK);
        CHECK_NEAR((double)(ankle.x + of->place.translation.x), 0.0, 1e-4);
    }
}

// Where a cycle leads back to its first frame over an interval of its own, that is as those beside
// it; a clip of one frame stands.
TEST_HOLD (play_hold_knows_the_ends_of_clips, "glides", HOLD_FEET "hold { toe toe_l } }") {
    md5_machine_desc *const desc = &of->file->desc;
    of->file->clips[1].period = MD5_PERIOD_OPEN;
    of->file->clips[3].period = MD5_PERIOD_OPEN;
    md5_machine *const open = md5_create_machine(desc, NULL, NULL);
    if (!CHECK(open))
        return;
    const uint8_t *const contacts = open->contacts; // of the left sole
    CHECK_UINT(open->num_soles, 2);
    CHECK_UINT(open->num_frames, (size_t)HOLD_CLIPS * HOLD_FRAMES);
    CHECK_UINT(contacts[HOLD_FRAMES + HOLD_FRAMES - 1], MD5_CONTACT_STANDS);
    CHECK_UINT(contacts[2 * HOLD_FRAMES + HOLD_FRAMES - 1], MD5_CONTACT_SLIDES);
    for (uint32_t frame = 0; frame < HOLD_FRAMES; frame++) // it rises above 0.3 after frame 3
        CHECK_UINT(contacts[3 * HOLD_FRAMES + frame],
                   frame < 3 ? MD5_CONTACT_STANDS : MD5_CONTACT_NONE);
    md5_destroy_machine(open);
}
