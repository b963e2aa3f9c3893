// Tests of feet that are held at their position on the ground while the root of the character moves
// or rotates.
//
// The rig has two legs; its clips slide the character over its feet. The first part tests
// positions, "Hold heading" directions of feet, and "Hold tables" errors of the definition.
#include "test/ik/test_ik_case.h"
#include "test/scoped.h"
#include "test/play/test_play_case.h"

// Joints and clips of the rig, which has two legs.

enum { ANKLE_L = 4, TOE_L = 5, ANKLE_R = 8, HOLD_JOINTS = 10, HOLD_CLIPS = 7, HOLD_FRAMES = 11 };

#define HOLD_FEET "modifier legs feet pelvis { foot ankle_l foot ankle_r "
#define HOLD_TICK (1.0 / 60.0) // seconds

#define TEST_HOLD(title, clip, words) \
    TEST_WITH (title, play_rig, fixture, hold_begin(fixture, clip, words), play_rig_end(fixture))

// Bones of 10.3 units: the leg reaches 20.6 over a height of 18, so that a foot can be moved by 10.
static const char model_text[] = "numJoints 10\nnumMeshes 0\njoints {\n"
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

#define CLIPS                                                                                    \
    "clip still f { turn }\nclip glides f { turn }\nclip slides f { turn }\n"                    \
    "clip lifts f { turn }\nclip turns f { turn }\nclip spins f { turn }\nclip twists f { turn " \
    "}\n"

// Movement of the character in each clip, relative to the first frame, in the order of CLIPS. The
// clips have ten frames per second. In each frame the character moves ahead by `ahead` units and
// rotates by `degrees`, which is the z of a quaternion. Its left leg rises by `up` units.
static const struct {
    double ahead;
    double degrees;
    double up;
} clips[HOLD_CLIPS] = {{0, 0, 0},      {0.5, 0, 0},   {2, 0, 0},    {0.5, 0, 0.1},
                       {0.3, 0.01, 0}, {0, -0.02, 0}, {0, -0.05, 0}};

// Creates clips[number], in which a figure with two legs moves and rotates.
static md5_anim *create_clip(int number, const md5_load_opts *opts)
{
    STRINGS(rows) = {"origin\" -1 33", "pelvis\" 0 0", "hip_l\" 1 4", "knee_l\" 2 0",
                     "ankle_l\" 3 0",  "toe_l\" 4 0",  "hip_r\" 1 0", "knee_r\" 6 0",
                     "ankle_r\" 7 0",  "head\" 1 0"};
    static const char base[] =
        "baseframe { ( 0 0 0 ) ( 0 0 0 ) ( 0 0 20 ) ( 0 0 0 ) ( 0 3 0 ) ( 0 0 0 )\n"
        "( 5 0 -9 ) ( 0 0 0 ) ( -5 0 -9 ) ( 0 0 0 ) ( 4 0 -1 ) ( 0 0 0 )\n"
        "( 0 -3 0 ) ( 0 0 0 ) ( 5 0 -9 ) ( 0 0 0 ) ( -5 0 -9 ) ( 0 0 0 )\n"
        "( 0 0 20 ) ( 0 0 0 ) }\n";
    test_text text = {0};
    test_append(&text,
                "MD5Version 10 commandline \"\" numFrames %d numJoints 10 frameRate 10 "
                "numAnimatedComponents 3\nhierarchy {\n",
                HOLD_FRAMES);
    static const int first_components[HOLD_JOINTS] = {0, 2, 2, 3, 3, 3, 3, 3, 3, 3};
    for (int i = 0; i < HOLD_JOINTS; i++)
        test_append(&text, "\"%s %d\n", rows[i], first_components[i]);
    test_append(&text, "}\nbounds {\n");
    for (int i = 0; i < HOLD_FRAMES; i++)
        test_append(&text, "( 0 0 0 ) ( 1 1 1 )\n");
    test_append(&text, "}\n%s", base);
    for (int i = 0; i < HOLD_FRAMES; i++)
        test_append(&text, "frame %d { %.9g %.9g %.9g }\n", i, clips[number].ahead * i,
                    clips[number].degrees * i, clips[number].up * i);
    md5_error error = {0};
    md5_anim *const anim = md5_parse_anim(text.bytes, text.used, opts, &error);
    free(text.bytes);
    CHECK_STRING(error.message, "");
    return anim;
}

// Begins a rig whose machine plays the clip `clip` in its only layer. `words` are further entries
// of the machine file, such as a modifier. The model has the axes `axes`.
static void hold_begin_in(play_rig *fixture, const char *clip, const char *words, md5_axes axes)
{
    const md5_load_opts opts = {.axes = axes};
    play_rig_read(fixture, model_text, &opts,
                  "machine m { mask head ( head )\n" CLIPS
                  "layer body { state s %s state still still }\n%s }",
                  clip, words);
    if (fixture->file) {
        for (int i = 0; i < HOLD_CLIPS; i++) {
            fixture->anims[i] = create_clip(i, &opts);
            fixture->bindings[i] =
                md5_bind(fixture->model, fixture->anims[i], NULL, &fixture->error);
            fixture->file->clips[i].binding = fixture->bindings[i];
        }
    }
    play_rig_start(fixture);
}

static void hold_begin(play_rig *fixture, const char *clip, const char *words)
{
    hold_begin_in(fixture, clip, words, MD5_AXES_ID);
    CHECK_STRING(fixture->error.message, "");
}

static void hold_steps(play_rig *fixture, int num_steps)
{
    for (int i = 0; i < num_steps; i++)
        play_rig_advance(fixture, HOLD_TICK);
}

// Returns the position of the sole of a foot in world space, in id's axes: the point below the toe
// or the ankle.
static real3 hold_sole_position(const play_rig *fixture, uint32_t joint)
{
    const md5_mat34 axes = md5_mat34_from_axes(fixture->model->skeleton.axes, 1);
    const float height = joint == TOE_L ? 1 : 2;
    const md5_vec3 point = md5_mat34_direction(axes, (md5_vec3){0, 0, -height});
    const md5_xform at = md5_xform_mul(
        fixture->placement, md5_joint_in_model(&fixture->model->skeleton, fixture->pose, joint));
    return to_real3(md5_mat34_direction(md5_mat34_inverse(axes), md5_xform_point(at, point)));
}

// Returns the distance of the left sole from a point.
static double hold_moved(const play_rig *fixture, real3 from)
{
    return real3_distance(hold_sole_position(fixture, TOE_L), from);
}

static double heading_in_degrees(const play_rig *fixture, md5_quat rotation)
{
    const md5_mat34 axes = md5_mat34_from_axes(fixture->model->skeleton.axes, 1);
    const md5_vec3 ahead = md5_mat34_direction(
        md5_mat34_inverse(axes),
        md5_quat_rotate(rotation, md5_mat34_direction(axes, (md5_vec3){1, 0, 0})));
    return atan2((double)ahead.y, (double)ahead.x) * 180.0 / 3.14159265358979;
}

// Return the heading of a joint, or of the character, in world space: degrees to the left of x.
static double hold_joint_heading(const play_rig *fixture, uint32_t joint)
{
    const md5_xform at = md5_joint_in_model(&fixture->model->skeleton, fixture->pose, joint);
    return heading_in_degrees(fixture, md5_quat_mul(fixture->placement.rotation, at.rotation));
}

static double hold_body_heading(const play_rig *fixture)
{
    return heading_in_degrees(fixture, fixture->placement.rotation);
}

// Returns the largest distance by which a sole leaves its position within `num_steps` steps.
static double hold_slide(play_rig *fixture, int num_steps)
{
    static const uint32_t joints[] = {TOE_L, ANKLE_R};
    double max = 0;
    play_rig_advance(fixture, 0);
    const real3 was[] = {hold_sole_position(fixture, TOE_L), hold_sole_position(fixture, ANKLE_R)};
    for (int i = 0; i < num_steps; i++) {
        play_rig_advance(fixture, HOLD_TICK);
        for (int foot = 0; foot < 2; foot++) {
            const double distance =
                real3_distance(hold_sole_position(fixture, joints[foot]), was[foot]);
            max = fmax(max, distance);
        }
    }
    return max;
}

// The character moves for half a second, in the last case for a third. In the clip "turns" it also
// rotates, by 5.7 degrees.
TEST (play_hold_keeps_soles_in_place) {
    static const struct {
        const char *clip, *words;
        double min, max;
    } cases[] = {
        {"glides", HOLD_FEET "}", 2.49, 2.51},
        {"glides", HOLD_FEET "hold { toe toe_l } }", 0, 1e-4},
        {"glides", HOLD_FEET "hold { toe toe_l } }\nmodifier none joint head", 0, 1e-4},
        {"turns", HOLD_FEET "}", 1.4, 4},
        {"turns", HOLD_FEET "hold { toe toe_l } }", 0, 1e-4},
        // Three causes of sliding: the clip is faster than the limit for standing soles; the
        // distance is too short; the soles are not low enough.
        {"slides", HOLD_FEET "hold { toe toe_l } }", 9.99, 10.01},
        {"glides", HOLD_FEET "hold { toe toe_l speed 4.9 } }", 2.49, 2.51},
        {"glides", HOLD_FEET "hold { toe toe_l speed 0 } }", 2.49, 2.51},
        {"glides", HOLD_FEET "hold { toe toe_l distance 0 } }", 2.49, 2.51},
        {"slides", HOLD_FEET "hold { toe toe_l speed 20.1 distance 30 } }", 0, 1e-4},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED_RIG fixture;
        hold_begin(&fixture, cases[i].clip, cases[i].words);
        const double max = hold_slide(&fixture, i == 9 ? 20 : 30);
        CHECK_THAT(max >= cases[i].min && max <= cases[i].max, "%s: %g", cases[i].words, max);
    }
}

// A character that the game moves and rotates takes its feet along.
TEST_HOLD (play_hold_follows_moving_ground, "still", HOLD_FEET "hold }") {
    play_rig_advance(fixture, 0);
    for (int i = 0; i < 20; i++) {
        fixture->placement.translation.x += 1;
        play_rig_advance(fixture, HOLD_TICK);
    }
    CHECK_NEAR(hold_sole_position(fixture, ANKLE_R).x, 20, 1e-4);
}

// When the distance is exceeded, the foot returns like a critically damped spring. In double
// precision, the exact motion from the displacement x and velocity v at its release is
//      x(t) = (x + (v + w x) t) exp(-w t)
// where w leaves 1 % of a displacement at rest within the release time. Meanwhile the foot steps
// along a parabola whose height is a third of the displacement.
TEST_HOLD (play_hold_releases_and_returns, "glides",
           HOLD_FEET "hold { toe toe_l distance 1.02 release 0.3 } }") {
    const double release = 0.3;
    const double w = 6.638352 / release;
    CHECK_NEAR((1 + w * release) * exp(-w * release), 0.01, 1e-7);
    CHECK_SMALL(hold_slide(fixture, 12), 1e-4);
    // The character has moved by one unit while the sole was held. From here on, positions are
    // relative to the character.
    const double start = hold_sole_position(fixture, TOE_L).x - fixture->placement.translation.x;
    for (int i = 1; i <= 17; i++) {
        play_rig_advance(fixture, HOLD_TICK);
        const double t = HOLD_TICK * i;
        const double v = -5;
        const double x = (-1 + (v - w) * t) * exp(-w * t);
        CHECK_NEAR(hold_sole_position(fixture, TOE_L).x - fixture->placement.translation.x,
                   start + 1 + x, 2e-3);
        CHECK_NEAR(hold_sole_position(fixture, TOE_L).z, 4 * 0.33 * t / release * (1 - t / release),
                   1e-4);
    }
    // After its return the foot must be held again, at its current position.
    play_rig_advance(fixture, HOLD_TICK);
    play_rig_advance(fixture, HOLD_TICK);
    const real3 was = hold_sole_position(fixture, TOE_L);
    play_rig_advance(fixture, HOLD_TICK);
    CHECK_SMALL(hold_moved(fixture, was), 1e-4);
}

// With a release time of 0 a foot is back immediately.
TEST_HOLD (play_hold_without_release_returns_immediately, "glides",
           HOLD_FEET "hold { toe toe_l distance 1.02 release 0 } }") {
    CHECK_SMALL(hold_slide(fixture, 12), 1e-4);
    play_rig_advance(fixture, HOLD_TICK);
    CHECK_NEAR(hold_sole_position(fixture, TOE_L).x - fixture->placement.translation.x, 4, 1e-4);
}

// A leg that would be stretched is released: no foot is farther from its hip than the leg can
// reach.
TEST_HOLD (play_hold_stretches_no_leg, "slides",
           HOLD_FEET "hold { toe toe_l speed 30 distance 100 } }") {
    double max = 0;
    for (int i = 0; i < 120; i++) {
        play_rig_advance(fixture, HOLD_TICK);
        const md5_foot *const feet = md5_player_feet(fixture->player, 0);
        CHECK(feet[0].result == MD5_LIMB_REACHED && feet[0].miss < 1e-3f);
        const double shift = fabs((double)play_foot_shift(fixture->player, 0).x);
        max = fmax(max, shift);
    }
    // The foot of a leg of 20.59 over 18 reaches 9.9, and is released at most one step of 1/3
    // before that.
    const double far = sqrt(0.999 * 0.999 * 4 * 106 - 18 * 18.0);
    CHECK(max > far - 0.34 && max <= far + 1e-3);
}

// A sole is held until it is higher than 0.3, after 0.3 s; the other foot remains held.
TEST_HOLD (play_hold_ends_when_a_sole_lifts, "lifts", HOLD_FEET "hold { toe toe_l } }") {
    play_rig_advance(fixture, 0);
    const real3 left = hold_sole_position(fixture, TOE_L);
    const real3 right = hold_sole_position(fixture, ANKLE_R);
    for (int i = 1; i <= 24; i++) {
        play_rig_advance(fixture, HOLD_TICK);
        const real3 sole = hold_sole_position(fixture, TOE_L);
        CHECK(play_is_foot_locked(fixture->player, 0) == (i <= 18));
        if (i <= 18)
            CHECK_NEAR(sole.x, left.x, 1e-4);
        CHECK_NEAR(sole.z, 1.0 / 60.0 * i, 1e-4);
    }
    CHECK(hold_sole_position(fixture, TOE_L).x > left.x + 0.3);
    CHECK_NEAR(hold_sole_position(fixture, ANKLE_R).x, right.x, 1e-4);
}

// Clips that are blended over the legs, in layers or as one-shot clips, affect the hold of feet.
// Clips that do not move the legs, and additive clips, do not affect it.
TEST (play_hold_counts_clips_that_move_the_ankles) {
    static const char words[] = "float over 0 layer more { weight over state t slides }\n"
                                "layer face { mask head state u slides }\n"
                                "layer lean { add state v slides } " HOLD_FEET "hold }";
    SCOPED_RIG fixture;
    hold_begin(&fixture, "still", words);
    play_rig_advance(&fixture, HOLD_TICK);
    CHECK(play_is_foot_locked(fixture.player, 0) && play_is_foot_locked(fixture.player, 1));
    CHECK(md5_player_set(fixture.player, 0, 1));
    play_rig_advance(&fixture, HOLD_TICK);
    CHECK(!play_is_foot_locked(fixture.player, 0) && !play_is_foot_locked(fixture.player, 1));
    CHECK(md5_player_set(fixture.player, 0, 0.25f));
    play_rig_advance(&fixture, HOLD_TICK);
    CHECK(play_is_foot_locked(fixture.player, 0));
    const uint32_t clip = md5_find_clip(fixture.machine, "slides");
    static const md5_one_shot_desc one_shots[] = {{.mode = MD5_LAYER_ADD}, {.mask = "head"}, {0}};
    for (int i = 0; i < 3; i++) {
        CHECK(md5_player_play_one_shot(fixture.player, (uint32_t)i, clip, &one_shots[i]));
        play_rig_advance(&fixture, HOLD_TICK);
        CHECK(play_is_foot_locked(fixture.player, 0) == (i < 2));
    }
}

// Soles are not held in a state without motion, nor in a machine without layers.
TEST_HOLD (play_hold_without_clips_keeps_low_feet, "nothing", HOLD_FEET "hold }") {
    play_rig_advance(fixture, HOLD_TICK);
    CHECK(play_is_foot_locked(fixture->player, 0));
    CHECK(play_fade(fixture->player, 0, 1, 0.2f));
    play_rig_advance(fixture, HOLD_TICK);
    CHECK(play_is_foot_locked(fixture->player, 0));
}

// A foot must not move in the step in which it is held again, here after its release.
TEST_HOLD (play_hold_begins_at_the_position_of_the_sole, "glides",
           HOLD_FEET "hold { toe toe_l distance 1.02 } }") {
    CHECK_SMALL(hold_slide(fixture, 12), 1e-4);
    real3 was = hold_sole_position(fixture, TOE_L);
    play_rig_advance(fixture, HOLD_TICK);
    CHECK(!play_is_foot_locked(fixture->player, 0));
    for (int i = 0; i < 20 && !play_is_foot_locked(fixture->player, 0); i++) {
        was = hold_sole_position(fixture, TOE_L);
        play_rig_advance(fixture, HOLD_TICK);
    }
    CHECK(play_is_foot_locked(fixture->player, 0));
    CHECK_SMALL(hold_moved(fixture, was), 1e-4);
}

// So many states that interrupt each other's fades use all slots of the layer. The oldest pose is
// frozen.
TEST_HOLD (play_hold_survives_a_frozen_pose, "still", HOLD_FEET "hold }") {
    for (uint32_t i = 0; i < 8; i++) {
        CHECK(play_fade(fixture->player, 0, 1 - i % 2, 1));
        play_rig_advance(fixture, HOLD_TICK);
    }
    CHECK(play_is_foot_locked(fixture->player, 0));
    CHECK_SMALL(hold_sole_position(fixture, ANKLE_R).x, 1e-4);
}

// Poses in every third step give the result of poses in each step; with weight 0 a foot begins
// again.
TEST_HOLD (play_hold_advances_with_poses, "glides", HOLD_FEET "hold { toe toe_l } }") {
    CHECK(md5_player_set_detail(fixture->player, &(md5_detail){.interval = 3}));
    play_rig_advance(fixture, 0);
    const real3 was = hold_sole_position(fixture, TOE_L);
    for (int i = 1; i <= 30; i++) {
        play_rig_advance(fixture, HOLD_TICK);
        if (i % 3 == 0)
            CHECK_SMALL(hold_moved(fixture, was), 1e-4);
    }
    md5_player_target(fixture->player, 0)->weight = 0;
    hold_steps(fixture, 3);
    CHECK_NEAR(hold_sole_position(fixture, TOE_L).x, 4.0 + fixture->placement.translation.x, 1e-4);
    md5_player_target(fixture->player, 0)->weight = 1;
    hold_steps(fixture, 3);
    CHECK_NEAR(hold_sole_position(fixture, TOE_L).x, 4.0 + fixture->placement.translation.x, 1e-4);
}

// A player that is restored, copied, or played in a batch continues with the same bits.
TEST_HOLD (play_hold_is_saved_and_copied, "turns", HOLD_FEET "hold { toe toe_l distance 1 } }") {
    enum { NUM_COPIES = 3 };
    hold_steps(fixture, 20);
    play_advance(fixture->player, HOLD_TICK); // advanced, but not posed
    md5_player *const copies[NUM_COPIES] = {play_restored(fixture->player),
                                            play_copied(fixture->player),
                                            play_restored(fixture->player)};
    for (int i = 0; i < 60; i++) {
        md5_mat34 joints[2][HOLD_JOINTS];
        md5_xform pose[HOLD_JOINTS];
        play_advance(fixture->player, HOLD_TICK);
        md5_player_pose(fixture->player, fixture->pose, joints[0], NULL, fixture->scratch);
        for (int k = 0; k < 2; k++) {
            play_advance(copies[k], HOLD_TICK);
            md5_player_pose(copies[k], pose, NULL, NULL, fixture->scratch);
            CHECK_BYTES(pose, fixture->pose, sizeof pose);
        }
        md5_play_job job = {.player = copies[2], .seconds = HOLD_TICK, .joints = joints[1]};
        SCOPED void *const scratch = malloc(md5_play_batch_scratch(&job, 1, NULL));
        md5_play_batch(&job, 1, NULL, scratch);
        CHECK_BYTES(joints[0], joints[1], sizeof joints[0]);
    }
    for (int k = 0; k < NUM_COPIES; k++)
        md5_destroy_player(copies[k]);
}

// Numbers that are not finite, from damaged bytes, make the foot begin again.
TEST (play_hold_that_is_not_finite_is_reset) {
    static const float wrong[] = {NAN, INFINITY, -INFINITY, 3e38f};
    for (int number = 0; number < 4 * PLAY_FOOT_NUMBERS; number++) {
        SCOPED_RIG fixture;
        hold_begin(&fixture, "glides", HOLD_FEET "hold { toe toe_l } }");
        play_rig_advance(&fixture, HOLD_TICK);
        *play_foot_number(fixture.player, 0, (uint32_t)number % PLAY_FOOT_NUMBERS) =
            wrong[number / PLAY_FOOT_NUMBERS];
        uint8_t bytes[2048];
        const size_t size = md5_player_save(fixture.player, bytes, sizeof bytes);
        CHECK(md5_player_restore(fixture.player, bytes, size, NULL));
        play_rig_advance(&fixture, HOLD_TICK);
        CHECK(play_is_foot_locked(fixture.player, 0));
        CHECK(fabsf(play_foot_shift(fixture.player, 0).x) < 1);
        CHECK(*play_foot_number(fixture.player, 0, PLAY_FOOT_HALF_TANGENT) == 0);
        const real3 was = hold_sole_position(&fixture, TOE_L);
        play_rig_advance(&fixture, HOLD_TICK);
        CHECK_SMALL(hold_moved(&fixture, was), 1e-4);
    }
}

// A held foot must move in the same way in every system of axes, including left-handed systems.
TEST (play_hold_is_the_same_in_other_axes) {
    for (md5_axes axes = MD5_AXES_Y_UP; axes <= MD5_AXES_BLENDER; axes++) {
        SCOPED_RIG plain, rotated;
        hold_begin(&plain, "turns", HOLD_FEET "hold { toe toe_l distance 1 } }");
        hold_begin_in(&rotated, "turns", HOLD_FEET "hold { toe toe_l distance 1 } }", axes);
        CHECK_STRING(rotated.error.message, "");
        for (int i = 0; i < 60; i++) {
            play_rig_advance(&plain, HOLD_TICK);
            play_rig_advance(&rotated, HOLD_TICK);
            CHECK_SMALL(real3_distance(hold_sole_position(&plain, TOE_L),
                                       hold_sole_position(&rotated, TOE_L)),
                        1e-3);
            CHECK_NEAR(hold_joint_heading(&plain, TOE_L), hold_joint_heading(&rotated, TOE_L),
                       1e-2);
            CHECK(play_is_foot_locked(plain.player, 0) == play_is_foot_locked(rotated.player, 0));
        }
    }
}

static void see_ankle(void *user, const md5_player *player, md5_vec3 ankle, md5_foot *foot)
{
    CHECK(player);
    if (foot->ankle == ANKLE_L)
        *(md5_vec3 *)user = ankle;
    foot->floor = 0;
}

// The ground callback receives the position at which the foot is held.
TEST_HOLD (play_hold_asks_for_the_ground_where_it_stands, "glides",
           HOLD_FEET "hold { toe toe_l } }") {
    md5_vec3 ankle = {0, 0, 0};
    md5_player_set_ground(fixture->player, see_ankle, &ankle);
    for (int i = 0; i < 31; i++) {
        play_rig_advance(fixture, i == 0 ? 0 : HOLD_TICK);
        CHECK_SMALL((ankle.x + fixture->placement.translation.x), 1e-4);
    }
}

// The last frame of a clip has the contact of the previous frame. In an open loop, it only has a
// contact if the first frame has the same contact.
TEST_HOLD (play_hold_considers_the_ends_of_clips, "glides", HOLD_FEET "hold { toe toe_l } }") {
    md5_machine_desc *const desc = &fixture->file->desc;
    fixture->file->clips[1].period = MD5_PERIOD_OPEN;
    fixture->file->clips[3].period = MD5_PERIOD_OPEN;
    SCOPED_MACHINE open = md5_create_machine(desc, NULL, NULL);
    REQUIRE(open);
    const uint32_t left = 0;
    const uint32_t end = HOLD_CLIPS * HOLD_FRAMES; // frames of all clips
    CHECK(play_sole_contact(open, 1, end - 1) != PLAY_CONTACT_OUTSIDE);
    CHECK(play_sole_contact(open, 2, 0) == PLAY_CONTACT_OUTSIDE);
    CHECK(play_sole_contact(open, left, end) == PLAY_CONTACT_OUTSIDE);
    CHECK(play_sole_contact(open, left, 2 * HOLD_FRAMES - 1) == PLAY_CONTACT_STANDS);
    CHECK(play_sole_contact(open, left, 3 * HOLD_FRAMES - 1) == PLAY_CONTACT_SLIDES);
    for (uint32_t frame = 0; frame < HOLD_FRAMES; frame++) // it rises above 0.3 after frame 3
        CHECK_UINT(play_sole_contact(open, left, 3 * HOLD_FRAMES + frame),
                   frame < 3 ? PLAY_CONTACT_STANDS : PLAY_CONTACT_NONE);
}

// -- Heading of held feet -------------------------------------------------------------------------
//
// Feet that are held keep their heading while a character rotates over them.

static double half_angle_tangent(double degrees)
{
    return tan(degrees * 3.14159265358979 / 360.0);
}

static double degrees_from_tangent(double tangent)
{
    return atan(tangent) * 360.0 / 3.14159265358979;
}

// The character rotates by 5.7 degrees.
TEST (play_hold_keeps_headings) {
    for (int holds = 0; holds < 2; holds++) {
        SCOPED_RIG fixture;
        hold_begin(&fixture, "turns", holds ? HOLD_FEET "hold { toe toe_l } }" : HOLD_FEET "}");
        for (int i = 0; i < 31; i++) {
            play_rig_advance(&fixture, i == 0 ? 0 : HOLD_TICK);
            const double expected = holds ? 0 : hold_body_heading(&fixture);
            CHECK_NEAR(hold_joint_heading(&fixture, TOE_L), expected, 1e-3);
            CHECK_NEAR(hold_joint_heading(&fixture, ANKLE_R), expected, 1e-3);
        }
        CHECK(hold_body_heading(&fixture) < -5);
    }
}

// A leg rotates its foot by at most 45 degrees; after that the foot rotates with the character.
TEST_HOLD (play_hold_rotates_feet_within_the_range_of_the_leg, "spins",
           HOLD_FEET "hold { toe toe_l distance 20 } }") {
    play_rig_advance(fixture, 0);
    const real3 was = hold_sole_position(fixture, TOE_L);
    for (int i = 0; i < 180; i++) {
        play_rig_advance(fixture, HOLD_TICK);
        const double heading = hold_body_heading(fixture);
        CHECK_NEAR(hold_joint_heading(fixture, TOE_L), heading > 45 ? heading - 45 : 0, 0.01);
        CHECK_SMALL(hold_moved(fixture, was), 1e-4);
    }
    CHECK(hold_body_heading(fixture) > 60);
}

// A foot that is held again does not rotate in that step either.
TEST_HOLD (play_hold_begins_with_the_heading_of_the_sole, "turns",
           HOLD_FEET "hold { toe toe_l distance 1.02 } }") {
    CHECK(hold_slide(fixture, 30) > 0.1);
    int num_begun = 0;
    for (int i = 0; i < 120; i++) {
        const bool was_held = play_is_foot_locked(fixture->player, 0);
        const double was = hold_joint_heading(fixture, TOE_L);
        play_rig_advance(fixture, HOLD_TICK);
        if (was_held || !play_is_foot_locked(fixture->player, 0))
            continue;
        CHECK_NEAR(hold_joint_heading(fixture, TOE_L), was, 1e-3);
        num_begun++;
    }
    CHECK(num_begun > 1);
}

// A clip that rotates a standing sole by more than 30 degrees per second does so on purpose.
TEST_HOLD (play_hold_allows_clips_to_rotate_planted_soles, "twists",
           HOLD_FEET "hold { toe toe_l distance 20 } }") {
    play_rig_advance(fixture, 0);
    const real3 was = hold_sole_position(fixture, TOE_L);
    for (int i = 0; i < 45; i++) {
        play_rig_advance(fixture, HOLD_TICK);
        CHECK_NEAR(hold_joint_heading(fixture, TOE_L), hold_body_heading(fixture), 0.01);
        CHECK_SMALL(hold_moved(fixture, was), 1e-4);
    }
    CHECK(hold_body_heading(fixture) > 40);
}

// Let x be the tangent of half of the angle by which a foot is rotated. It returns to 0 by the same
// formula as the distance by which a foot is moved, where v is the velocity at the start:
//      x(t) = (x + (v + w x) t) exp(-w t)
TEST_HOLD (play_hold_eases_headings_back, "turns", HOLD_FEET "hold { toe toe_l release 0.3 } }") {
    const double release = 0.3;
    const double w = 6.638352 / release;
    play_rig_advance(fixture, 0);
    double x = 0;
    double v = 0;
    for (int i = 0; i < 30; i++) {
        play_rig_advance(fixture, HOLD_TICK);
        const double tangent = -half_angle_tangent(hold_body_heading(fixture));
        v = (tangent - x) / HOLD_TICK;
        x = tangent;
    }
    const uint32_t slides = md5_find_clip(fixture->machine, "slides");
    CHECK(md5_player_play_one_shot(fixture->player, 0, slides, &(md5_one_shot_desc){0}));
    for (int i = 1; i <= 30; i++) {
        play_rig_advance(fixture, HOLD_TICK);
        CHECK(!play_is_foot_locked(fixture->player, 0));
        const double t = HOLD_TICK * i;
        CHECK_NEAR(hold_joint_heading(fixture, TOE_L) - hold_body_heading(fixture),
                   degrees_from_tangent((x + (v + w * x) * t) * exp(-w * t)), 0.01);
    }
}

// A foot that is released does not rotate much farther away, even if the body rotated fast.
TEST_HOLD (play_hold_does_not_move_feet_far, "spins", HOLD_FEET "hold { toe toe_l } }") {
    play_rig_advance(fixture, 0);
    play_rig_advance(fixture, HOLD_TICK);
    const double heading = hold_body_heading(fixture);
    CHECK(heading > 0.3);
    const uint32_t slides = md5_find_clip(fixture->machine, "slides");
    CHECK(md5_player_play_one_shot(fixture->player, 0, slides, &(md5_one_shot_desc){0}));
    for (int i = 0; i < 30; i++) {
        play_rig_advance(fixture, HOLD_TICK);
        const double toe_heading = hold_body_heading(fixture) - hold_joint_heading(fixture, TOE_L);
        CHECK(toe_heading < 1.22 * heading && toe_heading > -1e-3);
    }
}

// With a weight of 0.5 a foot is rotated back by half of the angle.
TEST_HOLD (play_hold_rotates_feet_by_weight, "turns", HOLD_FEET "hold { toe toe_l } }") {
    md5_player_target(fixture->player, 0)->weight = 0.5f;
    play_rig_advance(fixture, 0);
    hold_steps(fixture, 30);
    const double heading = hold_body_heading(fixture);
    CHECK_NEAR(hold_joint_heading(fixture, TOE_L),
               heading - degrees_from_tangent(0.5 * half_angle_tangent(heading)), 1e-3);
}

// The ground callback receives the ankle position of the rotated foot.
TEST_HOLD (play_hold_asks_for_the_ground_below_a_turned_foot, "turns",
           HOLD_FEET "hold { toe toe_l } }") {
    md5_vec3 ankle = {0, 0, 0};
    md5_player_set_ground(fixture->player, see_ankle, &ankle);
    for (int i = 0; i < 31; i++) {
        play_rig_advance(fixture, i == 0 ? 0 : HOLD_TICK);
        const md5_vec3 at = md5_xform_point(fixture->placement, ankle);
        CHECK_SMALL(at.x, 1e-4);
        CHECK_NEAR(at.y, 3, 1e-4);
    }
}

// The bytes in hexadecimal that the library saved for this machine after 30 steps when the format
// had version 4, which did not contain headings.
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

// A restored player continues to hold the position of a foot. It holds the heading that the foot
// has in the animation at this time, because version 4 did not store headings.
TEST (play_hold_saved_without_headings_is_restored) {
    SCOPED_RIG old, same;
    uint8_t bytes[SAVED_SIZE];
    md5_error error = {0};
    play_unhex(saved, SAVED_SIZE, bytes);
    hold_begin(&old, "turns", HOLD_FEET "hold { toe toe_l } }");
    hold_begin(&same, "turns", HOLD_FEET "hold { toe toe_l } }");
    play_rig_advance(&same, 0);
    hold_steps(&same, 30);
    CHECK(md5_player_restore(old.player, bytes, sizeof bytes, &error));
    CHECK_STRING(error.message, "");
    old.placement = same.placement;
    double heading = 0;
    for (int i = 0; i < 15; i++) {
        play_rig_advance(&old, HOLD_TICK);
        play_rig_advance(&same, HOLD_TICK);
        heading = i == 0 ? hold_body_heading(&old) : heading;
        CHECK(play_is_foot_locked(old.player, 0));
        CHECK_SMALL(
            real3_distance(hold_sole_position(&old, TOE_L), hold_sole_position(&same, TOE_L)),
            1e-4);
        CHECK_NEAR(hold_joint_heading(&old, TOE_L), heading, 1e-3);
    }
    CHECK(hold_body_heading(&old) < heading - 2);
}

// -- Errors of definitions ------------------------------------------------------------------------
//
// Errors of the definitions of held feet, in machine files and in tables that are written in C.

TEST (play_hold_without_valid_legs_is_rejected) {
    static const struct {
        const char *words, *message;
    } cases[] = {
        {HOLD_FEET "hold { toe hand } }", "modifier 'legs' refers to unknown joint 'hand'"},
        {HOLD_FEET "hold { toe head } }",
         "modifier 'legs': joint 'head' is not a descendant of joint 'ankle_l'"},
        {HOLD_FEET "hold { toe toe_l toe ankle_r toe head } }",
         "modifier 'legs': too many toes: expected at most 2, one per foot, found 3"},
        {HOLD_FEET "hold { height -1 } }",
         "modifier 'legs': height is out of range: expected 0 to 1e+06, found -1"},
        {HOLD_FEET "hold { speed -1 } }",
         "modifier 'legs': speed is out of range: expected 0 to 1e+09, found -1"},
        {HOLD_FEET "hold { distance -1 } }",
         "modifier 'legs': distance is out of range: expected 0 to 1e+06, found -1"},
        {HOLD_FEET "hold { release -1 } }",
         "modifier 'legs': release is out of range: expected 0 to 1e+06, found -1"},
        {HOLD_FEET "hold hold }", "duplicate 'hold': expected one"},
        {HOLD_FEET "hold { toe a toe b toe c toe d toe e toe f toe g toe h toe i } }",
         "too many toes: expected at most 8"},
        {HOLD_FEET "hold { toe } }", "expected a toe, found '}'"},
        {HOLD_FEET "hold { limit 1 } }", "expected a keyword of a hold or '}', found 'limit'"},
    };
    for (size_t j = 0; j < COUNT_OF(cases); j++) {
        SCOPED_RIG fixture;
        hold_begin_in(&fixture, "still", cases[j].words, MD5_AXES_ID);
        CHECK(!fixture.machine);
        CHECK_STRING(fixture.error.message, cases[j].message);
        CHECK_UINT(fixture.error.line, 3 + HOLD_CLIPS);
    }
}

// Checks tables that are written in C: only a modifier of kind feet can have a hold description,
// the machine stores a copy of it, and each of its numbers is part of the fingerprint.
TEST_HOLD (play_hold_is_part_of_the_tables, "still", "") {
    md5_modifier_hold rule = {.toes = {"toe_l", NULL, "nobody"}};
    static const md5_foot_desc feet[] = {{.ankle = "ankle_l"}, {.ankle = "ankle_r"}};
    md5_modifier_desc modifier = {
        .name = "legs", .kind = MD5_MODIFIER_AIM, .joint = "pelvis", .hold = &rule};
    const md5_machine_desc desc = {.model = fixture->model, ROW(modifiers, modifier)};
    play_desc_refused(&desc, "modifier 'legs' has a hold description: only 'feet' supports it");
    modifier.kind = MD5_MODIFIER_FEET;
    modifier.feet = feet;
    modifier.num_feet = 2;
    md5_modifier_hold full = {.params = {.height = 0.75f, .speed = 0.75f}};
    for (int i = 0; i < MD5_MAX_HELD; i++)
        full.toes[i] = "toe_l";
    modifier.hold = &full;
    play_desc_refused(&desc,
                      "modifier 'legs': too many toes: expected at most 2, one per foot, found 8");
    float *const numbers[] = {&rule.params.height, &rule.params.speed, &rule.params.distance,
                              &rule.params.release};
    enum { NUMBERS = COUNT_OF(numbers), ALL = NUMBERS + 3 };
    uint64_t fingerprints[ALL];
    for (int i = 0; i < ALL; i++) {
        if (i < NUMBERS)
            *numbers[i] = 0.75f;
        rule.toes[0] = i == NUMBERS ? NULL : "toe_l";
        modifier.hold = i == NUMBERS + 1 ? NULL : &rule;
        SCOPED_MACHINE machine = play_machine(&desc);
        const md5_modifier_hold *const copy = md5_machine_tables(machine)->modifiers[0].hold;
        CHECK((copy == NULL) == (i == NUMBERS + 1) && copy != &rule);
        if (copy && copy->toes[0])
            CHECK(copy->toes[0] != rule.toes[0] && strcmp(copy->toes[0], "toe_l") == 0);
        fingerprints[i] = md5_machine_fingerprint(machine);
        for (int k = 0; k < i; k++)
            CHECK(fingerprints[k] != fingerprints[i]);
        if (i < NUMBERS)
            *numbers[i] = 0;
    }
}
