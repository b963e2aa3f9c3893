// Tests of gaze modifiers, which move a head and eyes by a seeded random process.
#include "test/ik/test_ik_case.h"

#include "test/scoped.h"
#include "test/play/test_play_case.h"

enum { NECK = 1, HEAD = 2, EYE_L = 3, EYE_R = 4, JOINTS = 6 };

static const char model_text[] = "numJoints 6\nnumMeshes 0\njoints {\n"
                                 "\"origin\" -1 ( 0 0 0 ) ( 0 0 0 )\n"
                                 "\"neck\" 0 ( 0 0 40 ) ( 0 0 0 )\n"
                                 "\"head\" 1 ( 1 0 45 ) ( 0 0 0 )\n"
                                 "\"eye_l\" 2 ( 5 2 48 ) ( 0 0 0 )\n"
                                 "\"eye_r\" 2 ( 5 -2 48 ) ( 0 0 0 )\n"
                                 "\"tail\" 0 ( -5 0 20 ) ( 0 0 0 )\n}\n";

#define EYES "eye eye_l eye eye_r "

// Creates a machine with the given modifier. If the text is invalid, sets an error and no machine.
static void begin_with(play_rig *fixture, const char *words, const md5_load_opts *opts)
{
    play_rig_read(fixture, model_text, opts,
                  "machine m { mask blind ( head ) mask tail ( tail )\nmodifier look %s }", words);
    play_rig_start(fixture);
    if (fixture->player)
        md5_player_target(fixture->player, 0)->weight = 1;
}

static void begin(play_rig *fixture, const char *words)
{
    begin_with(fixture, words, NULL);
    CHECK_STRING(fixture->error.message, "");
}

// Returns by how many degrees an eye misses a point. An eye looks along its x axis.
static double off_by(const play_rig *fixture, uint32_t eye, md5_vec3 point)
{
    const real_transform at = ik_joint_transform(&fixture->model->skeleton, fixture->pose, eye);
    const real3 x = real4_rotate(at.rotation, (real3){1, 0, 0});
    return acos(fmin(real3_dot(x, real3_unit(real3_sub(to_real3(point), at.translation))), 1))
           * 57.29578;
}

#define TEST_HERE(title, ...) \
    TEST_WITH (title, play_rig, fixture, begin(fixture, __VA_ARGS__), play_rig_end(fixture))

// The eyes point at the point in the state of the gaze, for any position of the head.
TEST_HERE (play_gaze_turns_the_eyes_to_its_point,
           "gaze head { " EYES "length 2 distance 60 max_seconds 1 eye_limit 1 seed 5 }") {
    const md5_gaze_desc same = {.origin = {5, 0, 48}, .params.distance = 60};
    int moves = 0;
    md5_vec3 last = {0, 0, 0};
    for (int i = 0; i < 200; i++) {
        play_rig_advance(fixture, 0.05);
        const md5_gaze *const gaze = md5_player_gaze(fixture->player, 0);
        const md5_vec3 point = md5_gaze_point(&same, MD5_AXES_ID, gaze);
        CHECK(gaze->target == MD5_NONE);
        CHECK(off_by(fixture, EYE_L, point) < 0.05);
        CHECK(off_by(fixture, EYE_R, point) < 0.05);
        moves += fabsf(point.y - last.y) > 1 ? 1 : 0;
        last = point;
    }
    CHECK(moves > 8);
    CHECK(md5_player_gaze(fixture->player, 1) == NULL);
}

// The head rotates by its fraction of the direction, seen from (5 0 48).
TEST_HERE (play_gaze_rotates_the_head_by_its_share,
           "gaze head { " EYES "length 1 distance 60 head_share 0.5 head_seconds 0 }") {
    for (int i = 0; i < 100; i++) {
        play_rig_advance(fixture, 0.1);
        const md5_gaze *const gaze = md5_player_gaze(fixture->player, 0);
        CHECK_NEAR(gaze->head.x, 0.5 * gaze->to.x, 1e-6);
        const md5_vec3 point = {65, 60 * gaze->head.x, 48 + 60 * gaze->head.y};
        CHECK(off_by(fixture, HEAD, point) < 0.05);
    }
}

// The position of the target attracts the gaze; 0 0 0 means that there is no target.
TEST_HERE (play_gaze_follows_the_target,
           "gaze head { " EYES "interest 1 max_seconds 0.5 eye_limit 1 }") {
    md5_target *const target = md5_player_target(fixture->player, 0);
    for (int i = 0; i < 50; i++) {
        target->position = (md5_vec3){60, 0.5f * (float)i, 40};
        play_rig_advance(fixture, 0.1);
        const md5_gaze *const gaze = md5_player_gaze(fixture->player, 0);
        CHECK(gaze->target == 0);
        if (gaze->seconds > gaze->duration)
            CHECK(off_by(fixture, EYE_L, target->position) < 0.05);
    }
    target->position = (md5_vec3){0, 0, 0};
    play_rig_advance(fixture, 1);
    CHECK(md5_player_gaze(fixture->player, 0)->target == MD5_NONE);
}

// With weight 0, the pose is the pose of the clip and the gaze does not advance. With a weight
// between 0 and 1, the effect of the gaze is smaller than with 1.
TEST_HERE (play_gaze_has_a_weight, "gaze head { " EYES "seed 9 }") {
    play_rig_advance(fixture, 0.3);
    const md5_gaze initial_gaze = *md5_player_gaze(fixture->player, 0);
    CHECK(fabsf(initial_gaze.to.x) > 0.1f);
    md5_target *const target = md5_player_target(fixture->player, 0);
    float angles[3];
    for (int i = 0; i < 3; i++) {
        target->weight = 0.5f * (float)i;
        play_rig_advance(fixture, 0);
        angles[i] = fabsf(fixture->pose[EYE_L].rotation.z) + fabsf(fixture->pose[HEAD].rotation.z);
    }
    CHECK(angles[0] == 0 && angles[1] > 0 && angles[2] > angles[1]);
    target->weight = 0;
    play_rig_advance(fixture, 2);
    CHECK_BYTES(&initial_gaze, md5_player_gaze(fixture->player, 0), sizeof initial_gaze);
    for (int i = 0; i < JOINTS; i++)
        CHECK_BYTES(&fixture->pose[i], &fixture->model->bind_local[i], sizeof fixture->pose[i]);
}

// A player uses the seed of the machine or a seed that is set for it; the same seed gives the same
// gaze.
TEST_HERE (play_gaze_of_each_player_has_its_seed, "gaze head { " EYES "seed 77 }") {
    md5_player *const players[2] = {play_player(fixture->machine), play_player(fixture->machine)};
    md5_xform poses[2][JOINTS];
    md5_gaze_begin(78, md5_player_gaze(players[1], 0));
    int differs = 0;
    for (int i = 0; i < 40; i++) {
        play_rig_advance(fixture, 0.1);
        for (int k = 0; k < 2; k++) {
            md5_player_target(players[k], 0)->weight = 1;
            play_advance(players[k], 0.1);
            md5_player_pose(players[k], poses[k], NULL, NULL, fixture->scratch);
        }
        CHECK_BYTES(poses[0], fixture->pose, JOINTS * sizeof *fixture->pose);
        differs += memcmp(poses[1], fixture->pose, JOINTS * sizeof *fixture->pose) != 0;
    }
    CHECK(differs > 35);
    // A reset begins with the seed of the machine.
    md5_gaze first;
    md5_gaze_begin(77, &first);
    md5_player_reset(fixture->player);
    CHECK_BYTES(&first, md5_player_gaze(fixture->player, 0), sizeof first);
    for (int k = 0; k < 2; k++)
        md5_destroy_player(players[k]);
}

TEST_HERE (play_gaze_is_saved_and_copied, "gaze head { " EYES "}") {
    md5_gaze_begin(UINT64_C(0xfedcba9876543210), md5_player_gaze(fixture->player, 0));
    md5_player_target(fixture->player, 0)->position = (md5_vec3){50, 9, 45};
    play_rig_advance(fixture, 1.23);
    md5_player *const players[2] = {play_restored(fixture->player), play_copied(fixture->player)};
    for (int i = 0; i < 60; i++) {
        play_rig_advance(fixture, 0.1);
        for (int k = 0; k < 2; k++) {
            md5_xform pose[JOINTS];
            play_advance(players[k], 0.1);
            md5_player_pose(players[k], pose, NULL, NULL, fixture->scratch);
            CHECK_BYTES(pose, fixture->pose, sizeof pose);
        }
    }
    for (int k = 0; k < 2; k++)
        md5_destroy_player(players[k]);
}

// A gaze with numbers that are not finite, set by the game or by damaged bytes, begins again; poses
// remain finite.
TEST (play_gaze_that_is_not_finite_is_reset) {
    const float wrong[] = {NAN, INFINITY, -INFINITY, 3e38f};
    for (int number = 0; number < 36; number++) {
        SCOPED_RIG fixture;
        begin(&fixture, "gaze head { " EYES "}");
        play_rig_advance(&fixture, 0.5);
        md5_gaze *const gaze = md5_player_gaze(fixture.player, 0);
        float *const numbers[] = {&gaze->from.x,  &gaze->from.y,   &gaze->to.x,
                                  &gaze->to.y,    &gaze->head.x,   &gaze->head.y,
                                  &gaze->seconds, &gaze->duration, &gaze->rest};
        *numbers[number % 9] = wrong[number / 9];
        uint8_t bytes[1024];
        const size_t size = md5_player_save(fixture.player, bytes, sizeof bytes);
        CHECK(md5_player_restore(fixture.player, bytes, size, NULL));
        play_rig_advance(&fixture, 0.1);
        CHECK(gaze->seconds < 1 && fabsf(gaze->head.x) < 1);
        for (int i = 0; i < JOINTS; i++) {
            const real4 q = to_real4(fixture.pose[i].rotation);
            CHECK_NEAR(real4_dot(q, q), 1, 1e-5);
        }
    }
}

// Without animated eyes only the head moves; without an animated head nothing moves.
TEST_HERE (play_gaze_looks_at_a_level_of_detail, "gaze head { " EYES "}") {
    play_rig_advance(fixture, 0.5);
    const md5_xform head = fixture->pose[HEAD];
    CHECK(head.rotation.z != 0 && fixture->pose[EYE_L].rotation.z != 0);
    CHECK(md5_player_set_detail(fixture->player, &(md5_detail){.mask = "blind"}));
    play_rig_advance(fixture, 0);
    CHECK_BYTES(&fixture->pose[HEAD], &head, sizeof head);
    CHECK_BYTES(&fixture->pose[EYE_L], &fixture->model->bind_local[EYE_L], sizeof head);
    CHECK(md5_player_set_detail(fixture->player, &(md5_detail){.mask = "tail"}));
    play_rig_advance(fixture, 0);
    CHECK_BYTES(fixture->pose, fixture->model->bind_local, JOINTS * sizeof *fixture->pose);
}

// A gaze does not change if time runs backward.
TEST_HERE (play_gaze_does_not_go_backward, "gaze head") {
    play_rig_advance(fixture, 0.5);
    const md5_gaze initial_gaze = *md5_player_gaze(fixture->player, 0);
    play_rig_advance(fixture, -0.4);
    CHECK_BYTES(&initial_gaze, md5_player_gaze(fixture->player, 0), sizeof initial_gaze);
    // A gaze without eyes rotates a chain of three joints that ends at the head. The eyes keep
    // their rotations.
    CHECK(fixture->pose[HEAD].rotation.z != 0 && fixture->pose[EYE_L].rotation.z == 0);
}

// The same machine in other axes and units looks in the same directions.
TEST (play_gaze_is_the_same_in_other_axes) {
    SCOPED_RIG plain, rotated;
    begin(&plain, "gaze head { " EYES "seed 4 }");
    begin_with(&rotated, "gaze head { " EYES "seed 4 }",
               &(md5_load_opts){.axes = MD5_AXES_Y_UP, .scale = 0.5f});
    for (int i = 0; i < 30; i++) {
        play_rig_advance(&plain, 0.1);
        play_rig_advance(&rotated, 0.1);
        const md5_mat34 from_rotated =
            md5_mat34_inverse(md5_mat34_from_axes(rotated.model->skeleton.axes, 0.5f));
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            const md5_vec3 a =
                md5_joint_in_model(&plain.model->skeleton, plain.pose, joint).translation;
            const md5_vec3 b =
                md5_joint_in_model(&rotated.model->skeleton, rotated.pose, joint).translation;
            const md5_vec3 back = md5_mat34_direction(from_rotated, b);
            CHECK_NEAR(a.x, back.x, 1e-3);
            CHECK_NEAR(a.y, back.y, 1e-3);
            CHECK_NEAR(a.z, back.z, 1e-3);
        }
    }
}

TEST (play_gaze_without_valid_joints_is_rejected) {
    static const struct {
        const char *words, *message;
        uint32_t column; // in line 2, where the modifier begins
    } cases[] = {
        {"gaze hed", "modifier 'look' refers to unknown joint 'hed'", 20},
        {"gaze head { eye ey }", "modifier 'look' refers to unknown joint 'ey'", 31},
        {"gaze head { interest 2 }",
         "modifier 'look': interest is out of range: expected 0 to 1, found 2", 36},
        {"gaze head { wide -1 }",
         "modifier 'look': wide is out of range: expected 0 to 1000, found -1", 32},
        {"gaze head { high 1e9 }",
         "modifier 'look': high is out of range: expected 0 to 1000, found 1e+09", 32},
        {"gaze head { distance 0 }",
         "modifier 'look': distance is out of range: expected 1e-06 to 1e+09, found 0", 36},
        {"gaze head { min_seconds -1 }",
         "modifier 'look': min_seconds is out of range: expected 0 to 1e+06, found -1", 39},
        {"gaze head { max_seconds -1 }",
         "modifier 'look': max_seconds is out of range: expected 0 to 1e+06, found -1", 39},
        {"gaze head { min_seconds 3 }", "modifier 'look': min_seconds 3 is above max_seconds 2.5",
         39},
        {"gaze head { min_seconds 3 max_seconds 1 }",
         "modifier 'look': min_seconds 3 is above max_seconds 1", 53},
        {"gaze head { head_share 1.5 }",
         "modifier 'look': head_share is out of range: expected 0 to 1, found 1.5", 38},
        {"gaze head { head_seconds -1 }",
         "modifier 'look': head_seconds is out of range: expected 0 to 1e+06, found -1", 40},
        {"gaze head { head_limit -1 }",
         "modifier 'look': head_limit is out of range: expected 0 to 1e+06, found -1", 38},
        {"gaze head { eye_limit -1 }",
         "modifier 'look': eye_limit is out of range: expected 0 to 1e+06, found -1", 37},
        {"gaze head { length 4 }",
         "modifier 'look': chain to joint 'head' is too long: expected at most 3 joints, found 4",
         34},
        {"gaze head { length 65 }",
         "modifier 'look': chain length is out of range: expected 1 to 64 joints, found 65", 34},
        {"gaze head { length 0 }", "length is out of range: expected 1 or more, found 0", 34},
        {"gaze head { seed -1 }", "seed is out of range: expected 0 to 4294967295, found -1", 32},
        {"gaze head { limit 1 }", "expected a keyword of a gaze or '}', found 'limit'", 27},
        {"gaze head { eye a eye b eye c eye d eye e eye f eye g eye h eye i }",
         "too many eyes: expected at most 8", 75},
        {"gaze head { " EYES EYES EYES "eye eye_l eye ey }", // the eighth eye
         "modifier 'look' refers to unknown joint 'ey'", 101},
        {"gaze head { eye }", "expected an eye, found '}'", 31},
    };
    for (size_t j = 0; j < COUNT_OF(cases); j++) {
        SCOPED_RIG fixture;
        begin_with(&fixture, cases[j].words, NULL);
        CHECK(!fixture.machine);
        CHECK_STRING(fixture.error.message, cases[j].message);
        CHECK_UINT(fixture.error.line, 2);
        CHECK_UINT(fixture.error.column, cases[j].column);
    }
}

// Checks tables that are written in C: only a modifier of kind gaze can have a gaze description,
// the machine stores a copy of it, and each of its numbers is part of the fingerprint.
TEST_HERE (play_gaze_is_part_of_the_tables, "gaze head { " EYES "}") {
    md5_modifier_gaze rule = {.eyes = {"eye_l", NULL, "nobody"}};
    md5_modifier_desc modifier = {
        .name = "look", .kind = MD5_MODIFIER_AIM, .joint = "head", .gaze = &rule};
    const md5_machine_desc desc = {.model = fixture->model, ROW(modifiers, modifier)};
    play_desc_refused(&desc, "modifier 'look' has a gaze description: only 'gaze' supports it");
    modifier.kind = MD5_MODIFIER_GAZE;
    float *const numbers[] = {&rule.params.interest,    &rule.params.wide,
                              &rule.params.high,        &rule.params.distance,
                              &rule.params.min_seconds, &rule.params.max_seconds,
                              &rule.params.head_share,  &rule.params.head_seconds,
                              &rule.params.head_limit,  &rule.params.eye_limit};
    enum { NUMBERS = COUNT_OF(numbers), ALL = NUMBERS + 4 };
    uint64_t fingerprints[ALL];
    for (int i = 0; i < ALL; i++) {
        if (i < NUMBERS)
            *numbers[i] = 0.75f;
        rule.params.length = i == NUMBERS ? 2 : 0;
        rule.seed = i == NUMBERS + 1 ? 1 : 0;
        rule.eyes[0] = i == NUMBERS + 2 ? NULL : "eye_l";
        SCOPED_MACHINE machine = play_machine(&desc);
        const md5_modifier_gaze *const copy = md5_machine_tables(machine)->modifiers[0].gaze;
        CHECK(copy != &rule && copy->params.length == rule.params.length
              && copy->params.interest == rule.params.interest);
        if (copy->eyes[0])
            CHECK(copy->eyes[0] != rule.eyes[0] && strcmp(copy->eyes[0], "eye_l") == 0);
        fingerprints[i] = md5_machine_fingerprint(machine);
        for (int k = 0; k < i; k++)
            CHECK(fingerprints[k] != fingerprints[i]);
        if (i < NUMBERS)
            *numbers[i] = 0;
    }
}

// -- What comes near ------------------------------------------------------------------------------

// Tendril strikes at approaching objects: a parameter contains their distance.

static void check_state(play_actor *fixture, double seconds, const char *name)
{
    play_actor_advance(fixture, seconds);
    CHECK_STRING(play_state_name(fixture->player, 0), name);
}

// The machine of our model Tendril. Its states depend on the parameters `distance` and `hit`.
TEST_IF (near_tendril_strikes_while_something_is_near_and_recoils, play_actor, fixture,
         play_actor_begin(fixture, "models/tendril/tendril.md5machine", "strike"),
         play_actor_end(fixture)) {
    check_state(fixture, 10, "idle");
    CHECK(fixture->count == 0);
    play_set(fixture->player, "distance", 40);
    check_state(fixture, 0.1, "strike");
    check_state(fixture, 4, "strike"); // strikes take 1.6 s each: it strikes again
    CHECK(fixture->count >= 2);
    play_set(fixture->player, "distance", 90);
    check_state(fixture, 3, "idle");
    play_set(fixture->player, "hit", 1);
    check_state(fixture, 0.1, "recoil");
    check_state(fixture, 4, "idle");
}
