// Feet that are held where they stand while a character glides over them.
#include "test/ik/test_ik_case.h"

#include "md5/core/axes.h"
#include "md5/md5play.h"
#include "md5/play/run/player_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANKLE_L = 4, TOE_L = 5, ANKLE_R = 8, JOINTS = 10, CLIPS = 5, FRAMES = 11 };

// Bones of 10.3: a leg of 20.6 over 18, so that a foot may be moved by 10.
static const char model_text[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 10\nnumMeshes 0\njoints {\n"
    "\"origin\" -1 ( 0 0 0 ) ( 0 0 0 )\n"
    "\"pelvis\" 0 ( 0 0 20 ) ( 0 0 0 )\n"
    "\"hip_l\" 1 ( 0 3 20 ) ( 0 0 0 )\n"
    "\"knee_l\" 2 ( 5 3 11 ) ( 0 0 0 )\n"
    "\"ankle_l\" 3 ( 0 3 2 ) ( 0 0 0 )\n"
    "\"toe_l\" 4 ( 4 3 1 ) ( 0 0 0 )\n"
    "\"hip_r\" 1 ( 0 -3 20 ) ( 0 0 0 )\n"
    "\"knee_r\" 6 ( 5 -3 11 ) ( 0 0 0 )\n"
    "\"ankle_r\" 7 ( 0 -3 2 ) ( 0 0 0 )\n"
    "\"head\" 1 ( 0 0 40 ) ( 0 0 0 )\n}\n";

// In each of its ten frames a second the character moves ahead by `ahead`, turns by `turn`, the z
// of a quaternion, and its left leg rises by `up`, all from its first frame.
static const struct {
    const char *name;
    double ahead, turn, up;
} clips[CLIPS] = {{"still", 0.0, 0.0, 0.0},
                  {"glides", 0.5, 0.0, 0.0},
                  {"slides", 2.0, 0.0, 0.0},
                  {"lifts", 0.5, 0.0, 0.1},
                  {"turns", 0.3, 0.01, 0.0}};

typedef struct holding {
    md5_model *model;
    md5_anim *anims[CLIPS];
    md5_binding *bindings[CLIPS];
    md5_machine_file *file;
    md5_machine *machine;
    md5_player *player;
    void *scratch;
    md5_error error;
    md5_transform place, pose[JOINTS];
} holding;

static md5_anim *make_clip(int number, const md5_load_opts *opts)
{
    static const char *const rows[] = {
        "origin\" -1 33", "pelvis\" 0 0", "hip_l\" 1 4",  "knee_l\" 2 0",  "ankle_l\" 3 0",
        "toe_l\" 4 0",    "hip_r\" 1 0",  "knee_r\" 6 0", "ankle_r\" 7 0", "head\" 1 0"};
    static const char base[] =
        "baseframe { ( 0 0 0 ) ( 0 0 0 ) ( 0 0 20 ) ( 0 0 0 ) ( 0 3 0 ) ( 0 0 0 )\n"
        "( 5 0 -9 ) ( 0 0 0 ) ( -5 0 -9 ) ( 0 0 0 ) ( 4 0 -1 ) ( 0 0 0 )\n"
        "( 0 -3 0 ) ( 0 0 0 ) ( 5 0 -9 ) ( 0 0 0 ) ( -5 0 -9 ) ( 0 0 0 )\n"
        "( 0 0 20 ) ( 0 0 0 ) }\n";
    char text[4096];
    size_t at = (size_t)snprintf(text, sizeof text,
                                 "MD5Version 10 commandline \"\" numFrames %d numJoints 10 "
                                 "frameRate 10 numAnimatedComponents 3\nhierarchy {\n",
                                 FRAMES);
    for (int i = 0; i < JOINTS; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "\"%s %d\n", rows[i],
                               i == 0   ? 0
                               : i <= 2 ? 2
                                        : 3);
    at += (size_t)snprintf(text + at, sizeof text - at, "}\nbounds {\n");
    for (int i = 0; i < FRAMES; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "( 0 0 0 ) ( 1 1 1 )\n");
    at += (size_t)snprintf(text + at, sizeof text - at, "}\n%s", base);
    for (int i = 0; i < FRAMES; i++)
        at +=
            (size_t)snprintf(text + at, sizeof text - at, "frame %d { %.9g %.9g %.9g }\n", i,
                             clips[number].ahead * i, clips[number].turn * i, clips[number].up * i);
    md5_error error = {0};
    md5_anim *const anim = md5_parse_anim(text, at, opts, &error);
    CHECK_STRING(error.message, "");
    return anim;
}

// Creates a machine that plays a clip in its only layer and has these words.
static void begin_in(holding *of, const char *clip, const char *words, md5_axes axes)
{
    char text[2048];
    memset(of, 0, sizeof *of);
    const md5_load_opts opts = {.axes = axes};
    of->model = md5_parse_model(model_text, sizeof model_text - 1, &opts, NULL);
    size_t at = (size_t)snprintf(text, sizeof text, "machine m { mask head ( head )\n");
    for (int i = 0; i < CLIPS; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "clip %s %s { turn }\n", clips[i].name,
                               clips[i].name);
    at += (size_t)snprintf(text + at, sizeof text - at,
                           "layer body { state s %s state still still }\n%s }", clip, words);
    of->file = md5_parse_machine_file(text, at, NULL, &of->error);
    if (!CHECK(of->model) || !of->file)
        return;
    for (int i = 0; i < CLIPS; i++) {
        of->anims[i] = make_clip(i, &opts);
        of->bindings[i] = md5_bind(of->model, of->anims[i], NULL, &of->error);
        of->file->clips[i].binding = of->bindings[i];
    }
    of->file->desc.model = of->model;
    of->machine = md5_create_machine(&of->file->desc, NULL, &of->error);
    if (!of->machine)
        return;
    of->player = md5_create_player(of->machine, NULL, NULL);
    of->scratch = malloc(md5_player_scratch(of->machine));
    of->place.rotation.w = 1.0f;
    for (uint32_t i = 0; i < md5_machine_tables(of->machine)->num_modifiers; i++)
        md5_player_target(of->player, i)->weight = 1.0f;
}

static void begin(holding *of, const char *clip, const char *words)
{
    begin_in(of, clip, words, MD5_AXES_ID);
    CHECK_STRING(of->error.message, "");
}

static void end(holding *of)
{
    free(of->scratch);
    md5_free_player(of->player);
    md5_free_machine(of->machine);
    md5_free_machine_file(of->file);
    for (int i = 0; i < CLIPS; i++) {
        md5_free_binding(of->bindings[i]);
        md5_free_anim(of->anims[i]);
    }
    md5_free_model(of->model);
}

static void go_on(holding *of, double seconds)
{
    md5_player_advance(of->player, seconds, NULL, NULL);
    of->place = md5_transform_mul(of->place, md5_player_root_motion(of->player));
    md5_player_pose(of->player, of->scratch, of->pose, NULL, NULL);
}

// Where the sole of a foot is in the world, in id's axes: below its toe, or its ankle.
static real3 sole_of(const holding *of, uint32_t joint)
{
    const md5_axes axes = of->model->skeleton.axes;
    const float height = joint == TOE_L ? 1.0f : 2.0f;
    const md5_vec3 point = md5_vec3_to_axes(axes, (md5_vec3){0.0f, 0.0f, -height});
    const md5_transform at =
        md5_transform_mul(of->place, md5_joint_in_model(&of->model->skeleton, of->pose, joint));
    return real3_of(md5_vec3_from_axes(axes, md5_transform_point(at, point)));
}

#define FEET "modifier legs feet pelvis { foot ankle_l foot ankle_r "
static const double tick = 1.0 / 60.0;

// Largest distance by which the soles leave their places within so many steps.
static double slide(holding *of, int num_steps)
{
    static const uint32_t joints[] = {TOE_L, ANKLE_R};
    double most = 0.0;
    go_on(of, 0.0);
    const real3 was[] = {sole_of(of, TOE_L), sole_of(of, ANKLE_R)};
    for (int i = 0; i < num_steps; i++) {
        go_on(of, tick);
        for (int foot = 0; foot < 2; foot++) {
            const double distance = real3_distance(sole_of(of, joints[foot]), was[foot]);
            most = distance > most ? distance : most;
        }
    }
    return most;
}

// For half a second at 5 units a second, and as the character turns by 11 degrees.
TEST (play_hold_keeps_soles_where_they_stand) {
    static const struct {
        const char *clip, *words;
        double least, most;
    } cases[] = {
        {"glides", FEET "}", 2.49, 2.51},
        {"glides", FEET "hold { toe toe_l } }", 0.0, 1e-4},
        {"glides", FEET "hold { toe toe_l } }\nmodifier none joint head", 0.0, 1e-4},
        {"turns", FEET "}", 1.4, 4.0},
        {"turns", FEET "hold { toe toe_l } }", 0.0, 1e-4},
        // Faster than clips have soles stand; held nowhere far; not low enough.
        {"slides", FEET "hold { toe toe_l } }", 9.99, 10.01},
        {"glides", FEET "hold { toe toe_l speed 4.9 } }", 2.49, 2.51},
        {"glides", FEET "hold { toe toe_l distance 0 } }", 2.49, 2.51},
        {"slides", FEET "hold { toe toe_l speed 20.1 distance 30 } }", 0.0, 1e-4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        holding of;
        begin(&of, cases[i].clip, cases[i].words);
        const double most = slide(&of, i == 8 ? 20 : 30);
        if (!CHECK(most >= cases[i].least && most <= cases[i].most))
            printf("%d: %g\n", (int)i, most);
        end(&of);
    }
}

// A character that is turned and moved by the game carries its feet along.
TEST (play_hold_goes_with_what_the_game_moves) {
    holding of;
    begin(&of, "still", FEET "hold }");
    go_on(&of, 0.0);
    for (int i = 0; i < 20; i++) {
        of.place.translation.x += 1.0f;
        go_on(&of, tick);
    }
    CHECK_NEAR(sole_of(&of, ANKLE_R).x, 20.0, 1e-4);
    end(&of);
}

// After the distance is passed the foot returns like a critically damped spring: in double, the
// exact motion from the displacement x and velocity v at which it was let go,
//   x(t) = (x + (v + w x) t) exp(-w t)
// w leaves 1 % of a displacement at rest within the release. Meanwhile it steps: a parabola of a
// third of the displacement.
TEST (play_hold_lets_go_and_returns) {
    const double release = 0.3, w = 6.638352 / release;
    CHECK_NEAR((1.0 + w * release) * exp(-w * release), 0.01, 1e-7);
    holding of;
    begin(&of, "glides", FEET "hold { toe toe_l distance 1.02 release 0.3 } }");
    CHECK_NEAR(slide(&of, 12), 0.0, 1e-4);
    // From here on it is seen from the character, which has gone on by a unit.
    const double start = sole_of(&of, TOE_L).x - (double)of.place.translation.x;
    for (int i = 1; i <= 17; i++) {
        go_on(&of, tick);
        const double t = tick * i, v = -5.0;
        const double x = (-1.0 + (v - w) * t) * exp(-w * t);
        CHECK_NEAR(sole_of(&of, TOE_L).x - (double)of.place.translation.x, start + 1.0 + x, 2e-3);
        CHECK_NEAR(sole_of(&of, TOE_L).z, 4.0 * 0.33 * t / release * (1.0 - t / release), 1e-4);
    }
    // It is held again from where it is then.
    go_on(&of, tick);
    go_on(&of, tick);
    const real3 was = sole_of(&of, TOE_L);
    go_on(&of, tick);
    CHECK_NEAR(real3_distance(sole_of(&of, TOE_L), was), 0.0, 1e-4);
    end(&of);
}

// With a release of 0 a foot is back at once.
TEST (play_hold_without_release_is_back_at_once) {
    holding of;
    begin(&of, "glides", FEET "hold { toe toe_l distance 1.02 release 0 } }");
    CHECK_NEAR(slide(&of, 12), 0.0, 1e-4);
    go_on(&of, tick);
    CHECK_NEAR(sole_of(&of, TOE_L).x - (double)of.place.translation.x, 4.0, 1e-4);
    end(&of);
}

// A leg that would be stretched lets go: no foot is farther from its hip than it can reach.
TEST (play_hold_stretches_no_leg) {
    holding of;
    double most = 0.0;
    begin(&of, "slides", FEET "hold { toe toe_l speed 30 distance 100 } }");
    for (int i = 0; i < 120; i++) {
        go_on(&of, tick);
        const md5_foot *const feet = md5_player_feet(of.player, 0);
        CHECK(feet[0].result == MD5_LIMB_PLACED && feet[0].miss < 1e-3f);
        const double shift = fabs((double)of.player->held[0].shift.x);
        most = shift > most ? shift : most;
    }
    // The foot of a leg of 20.59 over 18 goes as far as 9.9, or before it a step of 1/3 less.
    const double far = sqrt(0.999 * 0.999 * 4.0 * 106.0 - 18.0 * 18.0);
    CHECK(most > far - 0.34 && most <= far + 1e-3);
    end(&of);
}

// A sole is held until it is higher than 0.3, after 0.3 s; the other foot stays.
TEST (play_hold_ends_as_a_sole_lifts) {
    holding of;
    begin(&of, "lifts", FEET "hold { toe toe_l } }");
    go_on(&of, 0.0);
    const real3 left = sole_of(&of, TOE_L), right = sole_of(&of, ANKLE_R);
    for (int i = 1; i <= 24; i++) {
        go_on(&of, tick);
        const real3 now = sole_of(&of, TOE_L);
        CHECK(of.player->held[0].is_held == (i <= 18));
        if (i <= 18)
            CHECK_NEAR(now.x, left.x, 1e-4);
        CHECK_NEAR(now.z, 1.0 / 60.0 * i, 1e-4);
    }
    CHECK(sole_of(&of, TOE_L).x > left.x + 0.3);
    CHECK_NEAR(sole_of(&of, ANKLE_R).x, right.x, 1e-4);
    end(&of);
}

// What is blended over the legs counts, in layers and as one-shots; what is not over them, or is
// added, does not.
TEST (play_hold_counts_what_plays_at_the_ankles) {
    static const char words[] = "float over 0 layer more { weight over state t slides }\n"
                                "layer face { mask head state u slides }\n"
                                "layer lean { add state v slides } " FEET "hold }";
    holding of;
    begin(&of, "still", words);
    go_on(&of, tick);
    CHECK(of.player->held[0].is_held && of.player->held[1].is_held);
    CHECK(md5_player_set(of.player, 0, 1.0f));
    go_on(&of, tick);
    CHECK(!of.player->held[0].is_held && !of.player->held[1].is_held);
    CHECK(md5_player_set(of.player, 0, 0.25f));
    go_on(&of, tick);
    CHECK(of.player->held[0].is_held);
    const uint32_t clip = (uint32_t)md5_find_clip(of.machine, "slides");
    static const md5_shot_desc shots[] = {{.mode = MD5_LAYER_ADD}, {.mask = "head"}, {0}};
    for (int i = 0; i < 3; i++) {
        CHECK(md5_player_play(of.player, (uint32_t)i, clip, &shots[i]));
        go_on(&of, tick);
        CHECK(of.player->held[0].is_held == (i < 2));
    }
    end(&of);
}

// A state without motion has no soles that stand, nor has a machine without layers.
TEST (play_hold_without_clips_holds_what_is_low) {
    holding of;
    begin(&of, "nothing", FEET "hold }");
    go_on(&of, tick);
    CHECK(of.player->held[0].is_held);
    CHECK(md5_player_go(of.player, 0, 1, 0.2f, MD5_FADE_CROSS, MD5_EASE_LINEAR));
    go_on(&of, tick);
    CHECK(of.player->held[0].is_held);
    end(&of);
}

// Frozen below a chain of states that interrupt each other.
TEST (play_hold_survives_a_frozen_pose) {
    holding of;
    begin(&of, "still", FEET "hold }");
    for (uint32_t i = 0; i < 8; i++) {
        CHECK(md5_player_go(of.player, 0, 1 - i % 2, 1.0f, MD5_FADE_CROSS, MD5_EASE_LINEAR));
        go_on(&of, tick);
    }
    CHECK(of.player->held[0].is_held);
    CHECK_NEAR(sole_of(&of, ANKLE_R).x, 0.0, 1e-4);
    end(&of);
}

// In every third pose, as in each; with weight 0 a foot begins anew.
TEST (play_hold_advances_with_poses) {
    holding of;
    begin(&of, "glides", FEET "hold { toe toe_l } }");
    CHECK(md5_player_set_detail(of.player, &(md5_detail){.interval = 3}));
    go_on(&of, 0.0);
    const real3 was = sole_of(&of, TOE_L);
    for (int i = 1; i <= 30; i++) {
        go_on(&of, tick);
        if (i % 3 == 0)
            CHECK_NEAR(real3_distance(sole_of(&of, TOE_L), was), 0.0, 1e-4);
    }
    md5_player_target(of.player, 0)->weight = 0.0f;
    for (int i = 0; i < 3; i++)
        go_on(&of, tick);
    CHECK_NEAR(sole_of(&of, TOE_L).x, 4.0 + (double)of.place.translation.x, 1e-4);
    md5_player_target(of.player, 0)->weight = 1.0f;
    for (int i = 0; i < 3; i++)
        go_on(&of, tick);
    CHECK_NEAR(sole_of(&of, TOE_L).x, 4.0 + (double)of.place.translation.x, 1e-4);
    end(&of);
}

// Restored, copied and in a batch, a player goes on with the same bits.
TEST (play_hold_is_saved_and_copied) {
    enum { OTHERS = 3 };
    holding of;
    begin(&of, "turns", FEET "hold { toe toe_l distance 1 } }");
    md5_player *others[OTHERS];
    uint8_t bytes[2048];
    for (int i = 0; i < 20; i++)
        go_on(&of, tick);
    md5_player_advance(of.player, tick, NULL, NULL); // and not posed yet
    const size_t size = md5_player_save(of.player, bytes, sizeof bytes);
    CHECK(size > 0);
    for (int k = 0; k < OTHERS; k++) {
        others[k] = md5_create_player(of.machine, NULL, NULL);
        if (k % 2 == 0)
            CHECK(md5_player_restore(others[k], bytes, size, NULL));
        else
            md5_player_copy(others[k], of.player);
    }
    for (int i = 0; i < 60; i++) {
        md5_mat34 joints[2][JOINTS];
        md5_transform pose[JOINTS];
        md5_player_advance(of.player, tick, NULL, NULL);
        md5_player_pose(of.player, of.scratch, of.pose, joints[0], NULL);
        for (int k = 0; k < 2; k++) {
            md5_player_advance(others[k], tick, NULL, NULL);
            md5_player_pose(others[k], of.scratch, pose, NULL, NULL);
            CHECK(memcmp(pose, of.pose, sizeof pose) == 0);
        }
        md5_play_job job = {.player = others[2], .seconds = tick, .joints = joints[1]};
        void *const scratch = malloc(md5_play_batch_scratch(&job, 1));
        md5_play_batch(&job, 1, scratch);
        CHECK(memcmp(joints[0], joints[1], sizeof joints[0]) == 0);
        free(scratch);
    }
    for (int k = 0; k < OTHERS; k++)
        md5_free_player(others[k]);
    end(&of);
}

// Numbers that are not finite, from broken bytes, begin anew.
TEST (play_hold_that_is_not_finite_begins_anew) {
    static const float wrong[] = {NAN, INFINITY, -INFINITY, 3e38f};
    for (int number = 0; number < 16; number++) {
        holding of;
        begin(&of, "glides", FEET "hold { toe toe_l } }");
        go_on(&of, tick);
        md5_held *const held = &of.player->held[0];
        float *const numbers[] = {&held->place.x, &held->shift.y, &held->rate.x, &held->animated.x};
        *numbers[number % 4] = wrong[number / 4];
        uint8_t bytes[2048];
        const size_t size = md5_player_save(of.player, bytes, sizeof bytes);
        CHECK(md5_player_restore(of.player, bytes, size, NULL));
        go_on(&of, tick);
        CHECK(held->is_held && fabsf(held->shift.x) < 1.0f);
        const real3 was = sole_of(&of, TOE_L);
        go_on(&of, tick);
        CHECK_NEAR(real3_distance(sole_of(&of, TOE_L), was), 0.0, 1e-4);
        end(&of);
    }
}

// The same in other axes.
TEST (play_hold_holds_alike_in_other_axes) {
    holding plain, turned;
    begin(&plain, "turns", FEET "hold { toe toe_l distance 1 } }");
    begin_in(&turned, "turns", FEET "hold { toe toe_l distance 1 } }", MD5_AXES_Y_UP);
    CHECK_STRING(turned.error.message, "");
    for (int i = 0; i < 60; i++) {
        go_on(&plain, tick);
        go_on(&turned, tick);
        CHECK_NEAR(real3_distance(sole_of(&plain, TOE_L), sole_of(&turned, TOE_L)), 0.0, 1e-3);
        CHECK(plain.player->held[0].is_held == turned.player->held[0].is_held);
    }
    end(&plain);
    end(&turned);
}

static void see_ankle(void *user, const md5_player *player, md5_vec3 ankle, md5_foot *foot)
{
    CHECK(player != NULL);
    if (foot->ankle == ANKLE_L)
        *(md5_vec3 *)user = ankle;
    foot->floor = 0.0f;
}

// The ground is asked for where a foot is held.
TEST (play_hold_asks_for_the_ground_where_it_stands) {
    holding of;
    md5_vec3 ankle = {0.0f, 0.0f, 0.0f};
    begin(&of, "glides", FEET "hold { toe toe_l } }");
    md5_player_set_ground(of.player, see_ankle, &ankle);
    for (int i = 0; i <= 30; i++) {
        go_on(&of, i == 0 ? 0.0 : tick);
        CHECK_NEAR((double)(ankle.x + of.place.translation.x), 0.0, 1e-4);
    }
    end(&of);
}

// Where a cycle leads back to its first frame over an interval of its own, that is as those beside
// it; a clip of one frame stands.
TEST (play_hold_knows_the_ends_of_clips) {
    holding of;
    begin(&of, "glides", FEET "hold { toe toe_l } }");
    md5_machine_desc *const desc = &of.file->desc;
    of.file->clips[1].period = MD5_PERIOD_OPEN;
    of.file->clips[3].period = MD5_PERIOD_OPEN;
    md5_machine *const open = md5_create_machine(desc, NULL, NULL);
    if (!CHECK(open))
        return;
    const uint8_t *const contacts = open->contacts; // of the left sole
    CHECK_UINT(open->num_soles, 2);
    CHECK_UINT(open->num_frames, (size_t)CLIPS * FRAMES);
    CHECK_UINT(contacts[FRAMES + FRAMES - 1], MD5_CONTACT_STANDS);
    CHECK_UINT(contacts[2 * FRAMES + FRAMES - 1], MD5_CONTACT_SLIDES);
    for (uint32_t frame = 0; frame < FRAMES; frame++) // it rises above 0.3 after frame 3
        CHECK_UINT(contacts[3 * FRAMES + frame], frame < 3 ? MD5_CONTACT_STANDS : MD5_CONTACT_NONE);
    md5_free_machine(open);
    end(&of);
}

TEST (play_hold_that_cannot_hold_is_refused) {
    static const struct {
        const char *words, *message;
    } cases[] = {
        {FEET "hold { toe hand } }", "modifier 'legs' names joint 'hand', which does not exist"},
        {FEET "hold { toe head } }",
         "modifier 'legs': joint 'head' is not a descendant of 'ankle_l'"},
        {FEET "hold { toe toe_l toe ankle_r toe head } }",
         "modifier 'legs' has 3 toes, but 2 feet"},
        {FEET "hold { height -1 } }", "modifier 'legs': height is -1, which must be 0 to 1e+06"},
        {FEET "hold { speed -1 } }", "modifier 'legs': speed is -1, which must be 0 to 1e+09"},
        {FEET "hold { distance -1 } }",
         "modifier 'legs': distance is -1, which must be 0 to 1e+06"},
        {FEET "hold { release -1 } }", "modifier 'legs': release is -1, which must be 0 to 1e+06"},
        {FEET "hold hold }", "there is a 'hold' already"},
        {FEET "hold { toe a toe b toe c toe d toe e toe f toe g toe h toe i } }",
         "there are more than 8 toes"},
        {FEET "hold { toe } }", "expected a toe, found '}'"},
        {FEET "hold { limit 1 } }", "expected a word of a hold or '}', found 'limit'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        holding of;
        begin_in(&of, "still", cases[i].words, MD5_AXES_ID);
        CHECK(of.machine == NULL);
        CHECK_STRING(of.error.message, cases[i].message);
        CHECK_UINT(of.error.line, 3 + CLIPS);
        end(&of);
    }
}

// In tables written in C: other kinds refuse it; the machine has a copy; each number is part of the
// fingerprint.
TEST (play_hold_is_part_of_the_tables) {
    holding of;
    begin(&of, "still", "");
    md5_hold_rule rule = {.toes = {"toe_l", NULL, "nobody"}};
    static const md5_foot_desc feet[] = {{.ankle = "ankle_l"}, {.ankle = "ankle_r"}};
    md5_modifier_desc modifier = {
        .name = "legs", .kind = MD5_MODIFIER_AIM, .joint = "pelvis", .hold = &rule};
    const md5_machine_desc desc = {.model = of.model, .modifiers = &modifier, .num_modifiers = 1};
    md5_error error;
    CHECK(md5_create_machine(&desc, NULL, &error) == NULL);
    CHECK_STRING(error.message, "modifier 'legs' holds feet, which only 'feet' has");
    modifier.kind = MD5_MODIFIER_FEET;
    modifier.feet = feet;
    modifier.num_feet = 2;
    float *const numbers[] = {&rule.height, &rule.speed, &rule.distance, &rule.release};
    enum { NUMBERS = sizeof numbers / sizeof numbers[0], ALL = NUMBERS + 3 };
    uint64_t fingerprints[ALL];
    for (int i = 0; i < ALL; i++) {
        if (i < NUMBERS)
            *numbers[i] = 0.75f;
        rule.toes[0] = i == NUMBERS ? NULL : "toe_l";
        modifier.hold = i == NUMBERS + 1 ? NULL : &rule;
        md5_machine *const machine = md5_create_machine(&desc, NULL, &error);
        if (!CHECK(machine))
            break;
        const md5_hold_rule *const copy = md5_machine_tables(machine)->modifiers[0].hold;
        CHECK((copy == NULL) == (i == NUMBERS + 1) && copy != &rule);
        if (copy && copy->toes[0])
            CHECK(copy->toes[0] != rule.toes[0] && strcmp(copy->toes[0], "toe_l") == 0);
        fingerprints[i] = md5_machine_fingerprint(machine);
        for (int k = 0; k < i; k++)
            CHECK(fingerprints[k] != fingerprints[i]);
        md5_free_machine(machine);
        if (i < NUMBERS)
            *numbers[i] = 0.0f;
    }
    end(&of);
}
