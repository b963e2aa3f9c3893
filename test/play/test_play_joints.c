// Tests of layers that change only some joints. The changed joints must be as if all joints were
// computed; the remaining joints must keep their bits. "Masks" and "Below a mask" test that skipped
// computations of joints do not change the result.
#include "test/scoped.h"
#include "test/play/test_play_case.h"
#include "test/pose/test_generated_pose.h"

// The library computes offsets and differences as floats, and adds them in another order than the
// test.
#define NEAR 1e-5

enum { ALL = (1u << PLAY_JOINTS) - 1, RATE = 24, FRAMES = 25 };

#define BUT(...) (ALL & ~(__VA_ARGS__))

// Adds the clips a b c d, some of which move only few joints: b moves 2 and 8, c moves 8 and 10.
static void begin_parts(play_scene *fixture)
{
    static const uint32_t still[4] = {0, BUT(1u << 2 | 1u << 8), BUT(1u << 8 | 1u << 10), 0};
    play_scene_begin(fixture);
    for (uint32_t i = 0; i < 4; i++) {
        fixture->assets.still = still[i];
        play_scene_add(fixture, FRAMES, RATE, 0.5, i == 2 ? 2 : 1 + i);
    }
}

static void sample(const play_case *assets, uint32_t clip, double seconds, md5_xform *pose)
{
    const md5_sample_position position =
        md5_sample_position_at(assets->anims[clip], seconds, MD5_WRAP_LOOP);
    md5_sample(assets->bindings[clip], position, MD5_ROOT_FILE, pose);
}

// Adds to a pose the contribution of a layer in state b or, if `fade` > 0, in a transition from b
// to c.
static void add_full(const play_case *assets, double seconds, double since, float fade,
                     const float *mask, float weight, md5_xform *pose)
{
    md5_xform reference[PLAY_JOINTS];
    md5_xform b[PLAY_JOINTS];
    md5_xform c[PLAY_JOINTS];
    sample(assets, 1, 0, reference);
    sample(assets, 1, seconds, b);
    md5_subtract_pose(b, reference, PLAY_JOINTS, b);
    if (fade > 0) {
        sample(assets, 2, since, c);
        md5_subtract_pose(c, reference, PLAY_JOINTS, c);
        md5_blend_poses(b, c, fade, NULL, PLAY_JOINTS, b);
    }
    md5_add_pose(pose, b, NULL, weight, mask, PLAY_JOINTS, pose);
}

// Checks a layer that adds a difference, before, during and after a fade. `mask` limits it to a
// part of the joints, or is NULL.
static void check_added(const char *mask)
{
    SCOPED_PLAY fixture;
    begin_parts(&fixture);
    char rows[128] = "";
    if (mask)
        snprintf(rows, sizeof rows, "mask part ( %s ) { feather 1 }", mask);
    play_scene_read(&fixture,
                    "%s layer body { state d d } layer more { add weight 0.4 reference b 0 %s "
                    "state b b state c c state none nothing }",
                    rows, mask ? "mask part" : "");
    float weights[PLAY_JOINTS];
    const char *const joints = mask ? mask : "*origin";
    CHECK(md5_build_mask(&fixture.assets.model->skeleton, joints, mask ? 1 : 0, weights, NULL));
    const double begin = 0.35;
    const double duration = 0.5;
    for (int i = 0; i < 40; i++) {
        const double time = 0.05 * i;
        const double since = time - begin;
        const bool fades = since > -1e-9;
        if (i == 7)
            play_fade(fixture.player, 1, 1, (float)duration);
        md5_xform pose[PLAY_JOINTS];
        md5_xform body[PLAY_JOINTS];
        md5_xform expected[PLAY_JOINTS];
        play_pose(fixture.player, pose);
        sample(&fixture.assets, 3, time, body);
        memcpy(expected, body, sizeof body);
        float fade = 0;
        if (fades)
            fade = since < duration ? (float)(since / duration) : 1;
        add_full(&fixture.assets, time, since, fade, weights, 0.4f, expected);
        CHECK(play_pose_distance(pose, expected) < NEAR);
        for (int joint = 0; joint < PLAY_JOINTS; joint++) {
            const bool is_changed = joint == 2 || joint == 8 || joint == 10;
            if (weights[joint] == 0 || !is_changed)
                CHECK_BYTES(&pose[joint], &body[joint], sizeof pose[joint]);
        }
        play_advance(fixture.player, 0.05);
    }
}

TEST (joints_that_no_clip_moves_keep_the_bind_pose) {
    check_added(NULL);
    check_added("*spine");
    check_added("larm rhand");
    check_added("head");
}

// At x = 0, each of the motions `line`, `nested` and `many` equals clip b, although it contains
// other items. The motion `many` has 17 items.
TEST_PLAY (joints_of_items_that_are_added, begin_parts(fixture)) {
    play_scene_read(fixture, "float x motion line line x { item b 0 item c 1 } "
                             "motion nested line x { item line 0 item a 1 } "
                             "motion many line x { item b 0 item a 1 item a 2 item a 3 item a 4 "
                             "item a 5 item a 6 item a 7 item a 8 item a 9 item a 10 item a 11 "
                             "item a 12 item a 13 item a 14 item a 15 item a 16 } "
                             "motion stack_b stack { item d item b { add weight 0.75 } } "
                             "motion stack_line stack { item d item line { add weight 0.75 } } "
                             "motion stack_nested stack { item d item nested { add weight 0.75 } } "
                             "motion stack_many stack { item d item many { add weight 0.75 } } "
                             "layer body { state b stack_b state line stack_line "
                             "state nested stack_nested state many stack_many }");
    for (uint32_t state = 0; state < 4; state++) {
        md5_player_reset(fixture->player);
        play_fade(fixture->player, 0, state, 0);
        play_advance(fixture->player, 0.4);
        md5_xform pose[PLAY_JOINTS], expected[PLAY_JOINTS];
        play_pose(fixture->player, pose);
        sample(&fixture->assets, 3, 0.4, expected);
        add_full(&fixture->assets, 0.4, 0, 0, NULL, 0.75f, expected);
        CHECK(play_pose_distance(pose, expected) < NEAR);
    }
    // At x = 1, the motion `line` equals clip c. Clip c moves joint 10, clip b does not.
    CHECK(md5_player_set(fixture->player, 0, 1));
    play_fade(fixture->player, 0, 1, 0);
    play_advance(fixture->player, 0.4);
    md5_xform pose[PLAY_JOINTS];
    md5_xform expected[PLAY_JOINTS];
    md5_xform c[PLAY_JOINTS];
    md5_xform reference[PLAY_JOINTS];
    play_pose(fixture->player, pose);
    sample(&fixture->assets, 3, 0.4, expected);
    sample(&fixture->assets, 1, 0, reference);
    sample(&fixture->assets, 2, 0.4, c);
    md5_add_pose(expected, c, reference, 0.75f, NULL, PLAY_JOINTS, expected);
    CHECK(play_pose_distance(pose, expected) < NEAR);
}

// Root motion is removed from a clip before its difference is computed.
TEST_PLAY (joints_of_a_walk_that_is_added, play_scene_begin(fixture)) {
    play_scene_add(fixture, FRAMES, RATE, 0.5, 1);
    fixture->assets.still = BUT(1u << 8);
    play_add_clip(&fixture->assets, FRAMES, RATE, 0.5, (play_walk){30, 0, 0}, 2);
    play_scene_read(fixture, "clip a f clip walk f { move } layer body { state a a } "
                             "layer more { add state walk walk }");
    play_advance(fixture->player, 0.3);
    md5_xform pose[PLAY_JOINTS];
    md5_xform expected[PLAY_JOINTS];
    md5_xform reference[PLAY_JOINTS];
    md5_xform source[PLAY_JOINTS];
    play_pose(fixture->player, pose);
    sample(&fixture->assets, 0, 0.3, expected);
    sample(&fixture->assets, 1, 0, reference);
    sample(&fixture->assets, 1, 0.3, source);
    source[0] = reference[0];
    md5_add_pose(expected, source, reference, 1, NULL, PLAY_JOINTS, expected);
    CHECK(play_pose_distance(pose, expected) < NEAR);
}

// -- Masks ------------------------------------------------------------------------------------

static const char BOBBIN[] = "models/bobbin/bobbin.md5mesh";

enum { MAX_JOINTS = 128 };

static bool is_near(const md5_xform *a, const md5_xform *b)
{
    float p[8], q[8];
    memcpy(p, a, sizeof p);
    memcpy(q, b, sizeof q);
    for (int i = 0; i < 7; i++) {
        if (!(fabs((double)p[i] - q[i]) < NEAR * fmax(1, fabs((double)q[i]))))
            return false;
    }
    return true;
}

// Plays one of Bobbin's layers over another layer through a mask. The bits must equal the result of
// md5_blend_poses() or, if the layer is additive, of md5_add_pose() with all joints.
static void check_mask(const char *joints, uint32_t feather, float weight, md5_layer_mode mode)
{
    static const char *const names[2] = {"walk", "wave"};
    SCOPED_CASE bobbin;
    play_begin_bobbin(&bobbin, names, 2);
    SCOPED_MACHINE machine = play_machine_read(
        &bobbin, NULL,
        "clip walk f clip wave f mask part ( %s ) { feather %u } layer body { state walk walk } "
        "layer part { %s mask part weight %.9g state wave wave }",
        joints, feather, mode == MD5_LAYER_ADD ? "add" : "override", weight);
    SCOPED_PLAYER player = play_player(machine);
    const md5_skeleton *const skeleton = &bobbin.model->skeleton;
    md5_xform body[MAX_JOINTS];
    md5_xform second_pose[MAX_JOINTS];
    md5_xform reference[MAX_JOINTS];
    md5_xform *const pose = second_pose;
    float weights[MAX_JOINTS];
    const uint32_t count = skeleton->num_joints;
    CHECK(count <= MAX_JOINTS && md5_build_mask(skeleton, joints, feather, weights, NULL));
    play_advance(player, 0.25);
    md5_xform *const poses[2] = {body, second_pose};
    for (uint32_t layer = 0; layer < 2; layer++) { // each plays the clip with its index
        const md5_sample_position position =
            play_layer_sample_position(player, layer, layer, MD5_INTERPOLATE_LINEAR);
        md5_sample(bobbin.bindings[layer], position, MD5_ROOT_FILE, poses[layer]);
    }
    md5_sample(bobbin.bindings[1], (md5_sample_position){0}, MD5_ROOT_FILE, reference);
    if (mode == MD5_LAYER_ADD)
        md5_add_pose(body, second_pose, reference, weight, weights, count, body);
    else
        md5_blend_poses(body, second_pose, weight, weights, count, body);
    play_pose(player, pose);
    if (mode == MD5_LAYER_OVERRIDE)
        CHECK_BYTES(pose, body, count * sizeof *pose);
    for (uint32_t i = 0; i < count; i++)
        CHECK(is_near(&pose[i], &body[i]));
}

TEST (joints_of_a_mask_are_blended_as_all_are) {
    // Branches with and without feathering, scattered joints, all joints, and an empty mask.
    STRINGS(masks) = {"*spine_2", "*spine_2 *thigh_l -head", "jaw foot_r belly",
                      "*origin",  "*tail_1 -*tail_3",        ""};
    for (size_t i = 0; i < COUNT_OF(masks); i++) {
        for (uint32_t feather = 0; feather < 8; feather += 2) {
            check_mask(masks[i], feather, 1, MD5_LAYER_OVERRIDE);
            check_mask(masks[i], feather, 0.6f, MD5_LAYER_OVERRIDE);
            check_mask(masks[i], feather, 0.6f, MD5_LAYER_ADD);
        }
    }
}

// A list that is longer than one chunk of collected joints.
TEST (joints_of_a_long_list) {
    check_mask("origin belly tail_2 tail_4 tail_6 thigh_l foot_l toe_in_l toe_out_l shin_r toes_r "
               "toe_mid_r spine_1 chest upperarm_l hand_l thumb_2_l finger_a_2_l finger_b_2_l "
               "forearm_twist_l upperarm_r hand_r thumb_2_r finger_a_2_r finger_b_2_r "
               "forearm_twist_r head tongue cheek_r eye_r lid_upper_r lid_lower_r brow_r ear_2_l",
               0, 0.6f, MD5_LAYER_ADD);
}

// A layer needs only some joints of a clip. Tests masks with and without joint 0, with and without
// extracted root motion, with each kind of interpolation.
TEST (joints_of_a_mask_are_all_that_is_sampled) {
    STRINGS(joints) = {"*chest", "*origin -*chest", "origin head", ""};
    STRINGS(kinds) = {"cubic", "linear", "nlerp"};
    for (int variant = 0; variant < 24; variant++) {
        const bool walks = variant % 2 == 0;
        SCOPED_PLAY fixture;
        play_scene_begin(&fixture);
        play_scene_add(&fixture, FRAMES, RATE, 0.5, 1);
        play_add_clip(&fixture.assets, FRAMES, RATE, 3, (play_walk){30, 0.3, 0}, 2);
        play_scene_read(&fixture,
                        "clip a f clip walk f { %s %s } mask part ( %s ) layer body { state a a } "
                        "layer more { mask part state walk walk state none nothing }",
                        walks ? "turn" : "", kinds[variant / 2 % 3], joints[variant / 6]);
        play_advance(fixture.player, 0.26);
        md5_xform pose[PLAY_JOINTS];
        md5_xform expected[PLAY_JOINTS];
        md5_xform second_pose[PLAY_JOINTS];
        play_pose(fixture.player, pose);
        sample(&fixture.assets, 0, 0.26, expected);
        SCOPED_MACHINE walking = play_machine_read(
            &fixture.assets, NULL, "clip a f clip walk f { %s %s } layer body { state walk walk }",
            walks ? "turn" : "", kinds[variant / 2 % 3]);
        SCOPED_PLAYER walker = play_player(walking);
        play_advance(walker, 0.26);
        play_pose(walker, second_pose);
        float weights[PLAY_JOINTS];
        CHECK(
            md5_build_mask(&fixture.assets.model->skeleton, joints[variant / 6], 0, weights, NULL));
        for (int joint = 0; joint < PLAY_JOINTS; joint++) {
            if (weights[joint] > 0)
                expected[joint] = second_pose[joint];
        }
        CHECK(play_pose_distance(pose, expected) < NEAR);
        play_fade(fixture.player, 1, 1, 0);
        play_advance(fixture.player, 0);
        play_pose(fixture.player, pose);
        sample(&fixture.assets, 0, 0.26, expected);
        CHECK_BYTES(pose, expected, sizeof pose);
    }
}

// Creates a machine with the clip of the only binding in a layer with the mask `branch`.
static md5_machine *play_masked(const play_case *assets, const char *words, const char *branch,
                                uint32_t feather)
{
    return play_machine_read(assets, NULL,
                             "clip clip f { %s } mask part ( \"*%s\" ) { feather %u } "
                             "layer body { state none nothing } "
                             "layer part { mask part state clip clip }",
                             words, branch, feather);
}

// Computes the expected pose of such a machine: the bind pose, over which the clip is blended with
// the weights of the mask.
static void blend_masked(const md5_model *model, const md5_binding *binding, const char *branch,
                         uint32_t feather, md5_sample_position position, md5_xform *pose)
{
    float weights[MAX_JOINTS];
    const uint32_t count = model->skeleton.num_joints;
    char joints[64];
    snprintf(joints, sizeof joints, "*%s", branch);
    CHECK(md5_build_mask(&model->skeleton, joints, feather, weights, NULL));
    md5_sample(binding, position, MD5_ROOT_FILE, pose);
    md5_blend_poses(model->bind_local, pose, 1, weights, count, pose);
}

TEST (joints_of_a_branch_through_other_skeletons) {
    uint64_t random = 7;
    for (int round = 0; round < 200; round++) {
        SCOPED_GENERATED_POSE generated;
        const uint32_t num_joints = 1 + test_random_u32(&random) % (MAX_JOINTS - 1);
        generate_pose(&generated, num_joints, (joint_pairing)(round % NUM_PAIRINGS), 0.9, 0.7,
                      &random);

        // Branches of random skeletons, with clips whose joints have another order, other parents,
        // or are more. The bits must equal the result of md5_blend_poses() for the bind pose and
        // the whole clip.
        uint32_t feather = (uint32_t)round / NUM_PAIRINGS % 3;
        const uint32_t count = generated.model.skeleton.num_joints;
        const char *const name =
            generated.model.skeleton.joints[test_random_u32(&random) % count].name;
        const play_case full_case = {.model = &generated.model, .bindings = {generated.binding}};
        SCOPED_MACHINE machine = play_masked(&full_case, "", name, feather);
        SCOPED_PLAYER player = play_player(machine);
        play_advance(player, 0.3);
        const md5_sample_position position =
            play_layer_sample_position(player, 1, 0, MD5_INTERPOLATE_LINEAR);
        md5_xform pose[MAX_JOINTS], expected[MAX_JOINTS];
        blend_masked(&generated.model, generated.binding, name, feather, position, expected);
        play_pose(player, pose);
        CHECK_BYTES(pose, expected, count * sizeof *pose);
    }
}

// A machine with a compressed clip gives the bits of a sample of the clip, without and with a mask.
TEST (joints_of_a_compressed_clip_equal_samples_of_it) {
    static const md5_interpolation kinds[] = {MD5_INTERPOLATE_LINEAR, MD5_INTERPOLATE_NLERP,
                                              MD5_INTERPOLATE_CUBIC, MD5_INTERPOLATE_STEP};
    STRINGS(words) = {"linear", "nlerp", "cubic", "step"};
    SCOPED_MODEL model = our_model(BOBBIN);
    SCOPED_ANIM plain = our_anim("models/bobbin/walk.md5anim");
    SCOPED_ANIM anim = md5_compress_anim(plain, &(md5_compress_opts){.model = model}, NULL, NULL);
    SCOPED_BINDING binding = md5_bind(model, anim, NULL, NULL);
    REQUIRE(binding);
    const play_case full_case = {.model = model, .bindings = {binding}};
    const uint32_t count = model->skeleton.num_joints;
    for (int variant = 0; variant < 8; variant++) {
        const char *const branch = variant % 2 ? "chest" : "origin";
        SCOPED_MACHINE machine = play_masked(&full_case, words[variant / 2], branch, 0);
        SCOPED_PLAYER player = play_player(machine);
        for (int step = 0; step < 20; step++) {
            play_advance(player, 0.07);
            const md5_sample_position position =
                play_layer_sample_position(player, 1, 0, kinds[variant / 2]);
            md5_xform pose[MAX_JOINTS], expected[MAX_JOINTS];
            blend_masked(model, binding, branch, 0, position, expected);
            play_pose(player, pose);
            CHECK_BYTES(pose, expected, count * sizeof *pose);
        }
    }
}

// -- Below a mask ---------------------------------------------------------------------------------
//
// Joints that a layer with a mask overwrites need not be computed below it. The bits must be the
// same as if they were computed.

enum { CLIPS = 3, BELOW_FRAMES = 240 };

typedef struct below_case {
    play_case assets;
    md5_machine *machines[2]; // the second machine computes all joints
    md5_player *players[2];
    md5_xform *poses[2];
    void *scratch;
    size_t scratch_size;
} below_case;

static const char *const NAMES[CLIPS] = {"walk", "idle", "wave"};

// Creates a machine with a layer that covers the joints of the mask `upper`. `joints` is the text
// of the mask. `fade` is `cross` or `inertial`, the kind of its transitions.
static md5_machine *create_machine(const below_case *fixture, const char *joints, const char *fade)
{
    return play_machine_read(
        &fixture->assets, NULL,
        "clip walk f { turn } clip idle f clip wave f mask upper ( %s ) { feather 2 } "
        "float speed 2 float upper 1 float body 1 "
        "layer body { weight body state walk walk state stand idle "
        "transition walk stand { when speed <= 1 duration 0.2 %s } "
        "transition stand walk { when speed > 1 duration 0.2 %s } } "
        "layer upper { mask upper weight upper state wave wave state none nothing "
        "transition wave none { when speed <= 1 duration 0.3 } "
        "transition none wave { when speed > 1 duration 0.3 } }",
        joints, fade, fade);
}

static void begin(below_case *fixture, const char *joints, const char *fade)
{
    play_begin_bobbin(&fixture->assets, NAMES, CLIPS);
    const uint32_t num_joints = fixture->assets.model->skeleton.num_joints;
    for (int i = 0; i < 2; i++) {
        fixture->machines[i] = create_machine(fixture, joints, fade);
        fixture->players[i] = play_player(fixture->machines[i]);
        fixture->poses[i] = (md5_xform *)malloc(num_joints * sizeof *fixture->poses[i]);
    }
    fixture->scratch_size = md5_player_pose_scratch(fixture->machines[0]);
    fixture->scratch = malloc(fixture->scratch_size);
    CHECK(play_compute_covered_joints(fixture->machines[1], 0));
}

// Computes the pose of a player. The memory is filled with NaN first, so that joints that are not
// written are detected.
static const md5_xform *compute_pose(const below_case *fixture, int which)
{
    const size_t size = fixture->assets.model->skeleton.num_joints * sizeof *fixture->poses[which];
    memset(fixture->scratch, 0xff, fixture->scratch_size);
    memset(fixture->poses[which], 0xff, size);
    md5_player_pose(fixture->players[which], fixture->poses[which], NULL, NULL, fixture->scratch);
    return fixture->poses[which];
}

// Plays a machine that omits covered joints, and a machine that computes all joints. Both must have
// the same poses.
static void play(const char *joints, const char *fade)
{
    static const float weights[] = {1, 1, 0.5f, 1, 0};
    below_case fixture;
    begin(&fixture, joints, fade);
    const uint32_t num_joints = fixture.assets.model->skeleton.num_joints;
    for (int frame = 0; frame < BELOW_FRAMES; frame++) {
        for (int i = 0; i < 2; i++) {
            md5_player_set(fixture.players[i], 0, frame / 25 % 2 ? 0 : 2);
            md5_player_set(fixture.players[i], 1, weights[frame / 20 % 5]);
            md5_player_set(fixture.players[i], 2, weights[frame / 33 % 5]);
            play_advance(fixture.players[i], 1.0 / 60.0);
            if (frame == 180)
                md5_player_play_one_shot(fixture.players[i], 0, 2, NULL);
        }
        const md5_xform *const pose = compute_pose(&fixture, 0);
        const md5_xform *const full_pose = compute_pose(&fixture, 1);
        if (!CHECK(play_is_sound(pose, num_joints))
            || !CHECK_BYTES(pose, full_pose, num_joints * sizeof *pose))
            break;
    }
    for (int i = 0; i < 2; i++) {
        md5_destroy_player(fixture.players[i]);
        md5_destroy_machine(fixture.machines[i]);
        free(fixture.poses[i]);
    }
    play_end(&fixture.assets);
    free(fixture.scratch);
}

TEST (clips_hidden_below_a_mask_are_not_computed) {
    play("*spine_2", "cross");
    play("*spine_2", "inertial");
    play("*origin -*spine_2", "cross"); // also joint 0, which moves the character
    play("*origin -*spine_2", "inertial");
}
