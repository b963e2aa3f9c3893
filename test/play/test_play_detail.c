// Tests of the level of detail. Animated joints have the same bits as at full detail, the remaining
// joints keep the bind pose. The last pose is kept until the next pose is due. Time, events and
// root motion do not change.
//
// Each test plays a machine twice, at full and at reduced detail; the last part does so with
// crowds.
#include "test/scoped.h"
#include "test/play/test_play_random.h"

enum { MACHINES = 150, STEPS = 24, MASKS = 2, MAX_JOINTS = 128 };

// Two players of the same machine: `full` has full detail, `reduced` has reduced detail.
typedef struct detail_test {
    play_random_stock stock;
    play_random_tables tables;
    md5_machine *machine;
    md5_player *full, *reduced;
    play_event_log logs[2];
    char words[128]; // joints of the mask "few"
    bool are_animated[PLAY_JOINTS];
} detail_test;

static const int play_parents[PLAY_JOINTS] = {-1, 0, 1, 2, 3, 3, 5, 3, 7, 1, 9, 10};

// Selects random joints and their ancestors, which must also be animated.
static void select_joints(detail_test *fixture, uint64_t *random)
{
    size_t used = 0;
    fixture->words[0] = '\0';
    memset(fixture->are_animated, 0, sizeof fixture->are_animated);
    fixture->are_animated[0] = true;
    for (int i = 0; i < PLAY_JOINTS; i++) {
        if (!play_random_one_in(random, 4))
            continue;
        used += (size_t)snprintf(fixture->words + used, sizeof fixture->words - used, "%s ",
                                 play_joint_names[i]);
        for (int joint = i; joint >= 0; joint = play_parents[joint])
            fixture->are_animated[joint] = true;
    }
}

static const md5_modifier_desc swaying = {.name = "sway",
                                          .kind = MD5_MODIFIER_SPRING,
                                          .joint = "head",
                                          .length = 2,
                                          .spring.gravity = 50};

// Creates a random machine. play_random_make() does not give masks to layers, so this function adds
// masks to the layers of every second machine.
static void begin_machine(detail_test *fixture, uint64_t seed, uint64_t *random,
                          const md5_modifier_desc *modifier)
{
    *random = seed * 0x2545F4914F6CDD1Du + 1;
    select_joints(fixture, random);
    play_random_make(&fixture->stock, &fixture->tables, random);
    const md5_mask_desc masks[MASKS] = {{.name = "few", .joints = fixture->words},
                                        {.name = "upper", .joints = "*spine", .feather = 1}};
    fixture->tables.desc.masks = masks;
    fixture->tables.desc.num_masks = MASKS;
    fixture->tables.desc.modifiers = modifier;
    fixture->tables.desc.num_modifiers = modifier ? 1 : 0;
    for (uint32_t i = 1; seed % 2 && i < fixture->tables.desc.num_layers; i++) {
        fixture->tables.layers[i].mask = "upper";
        fixture->tables.layers[i].weight = i == 1 ? 1 : 0.5f;
    }
    fixture->machine = play_machine(&fixture->tables.desc);
    fixture->full = play_player(fixture->machine);
    fixture->reduced = play_player(fixture->machine);
}

// Advances both players by a random step. Events and root motion must be bit-identical.
static bool advance_both(detail_test *fixture, uint64_t *random)
{
    md5_player *const players[2] = {fixture->full, fixture->reduced};
    md5_xform motions[2];
    const double seconds = 0.1 * play_random_seconds(random);
    if (play_random_one_in(random, 2))
        play_random_change(players, 2, &fixture->tables, random);
    if (play_random_one_in(random, 4)) {
        const md5_one_shot_desc one_shot = {
            .mode = (md5_layer_mode)play_below(random, 2),
            .mask = play_random_one_in(random, 2) ? "upper" : NULL,
            .fade_in = 0.2f * (float)play_below(random, 2),
            .fade_out = 0.1f,
        };
        const uint32_t clip = play_below(random, PLAY_RANDOM_CLIPS);
        CHECK(md5_player_play_one_shot(fixture->full, 0, clip, &one_shot));
        CHECK(md5_player_play_one_shot(fixture->reduced, 0, clip, &one_shot));
    }
    for (int i = 0; i < 2; i++) {
        fixture->logs[i].count = 0;
        md5_player_advance(players[i], seconds, play_log_event, &fixture->logs[i]);
        motions[i] = md5_player_root_motion(players[i]);
    }
    return play_same_events(&fixture->logs[0], &fixture->logs[1])
           && CHECK_BYTES(&motions[0], &motions[1], sizeof motions[0]);
}

static bool is_reduced(const md5_xform *reduced, const md5_xform *full, const md5_xform *bind,
                       const bool *are_animated, uint32_t num_joints)
{
    bool is_right = true;
    for (uint32_t i = 0; i < num_joints && is_right; i++) {
        const md5_xform *const expected = are_animated[i] ? &full[i] : &bind[i];
        is_right =
            CHECK_THAT(memcmp(&reduced[i], expected, sizeof reduced[i]) == 0,
                       "joint %u, which is %s", i, are_animated[i] ? "animated" : "left out");
    }
    return is_right;
}

typedef bool check_machine(detail_test *fixture, uint64_t *random);

static void check_machines(check_machine *check, const md5_modifier_desc *modifier)
{
    SCOPED detail_test *const fixture = calloc(1, sizeof *fixture);
    bool is_right = true;
    play_random_begin(&fixture->stock);
    for (uint64_t seed = 1; is_right && seed <= MACHINES; seed++) {
        uint64_t random;
        begin_machine(fixture, seed, &random, modifier);
        is_right = check(fixture, &random);
        CHECK_THAT(is_right, "machine of seed %llu", (unsigned long long)seed);
        md5_destroy_player(fixture->full);
        md5_destroy_player(fixture->reduced);
        md5_destroy_machine(fixture->machine);
    }
    play_end(&fixture->stock.assets);
}

// Computes the pose of a player in memory full of NaN, so that a joint that is not written is
// detected.
static void pose_over_nan(md5_player *player, const md5_machine *machine, uint32_t num_joints,
                          md5_xform *pose)
{
    const size_t size = md5_player_pose_scratch(machine);
    SCOPED void *const scratch = malloc(size);
    memset(scratch, 0xff, size);
    memset(pose, 0xff, num_joints * sizeof *pose);
    md5_player_pose(player, pose, NULL, NULL, scratch);
}

static bool poses_few_joints(detail_test *fixture, uint64_t *random)
{
    bool is_right = CHECK(md5_player_set_detail(fixture->reduced, &(md5_detail){.mask = "few"}));
    for (int i = 0; i < STEPS && is_right; i++) {
        md5_xform full[PLAY_JOINTS], reduced[PLAY_JOINTS];
        is_right = advance_both(fixture, random);
        play_pose(fixture->full, full);
        pose_over_nan(fixture->reduced, fixture->machine, PLAY_JOINTS, reduced);
        is_right = is_right
                   && is_reduced(reduced, full, fixture->stock.assets.model->bind_local,
                                 fixture->are_animated, PLAY_JOINTS);
    }
    return is_right;
}

TEST (detail_of_few_joints_poses_them_with_the_same_bits) {
    check_machines(poses_few_joints, NULL);
}

// Checks that poses are computed only in the steps that the interval selects. The player at full
// detail is posed at the same times, so that its spring has the same history.
static bool poses_at_intervals(detail_test *fixture, uint64_t *random)
{
    const uint32_t interval = 1 + play_below(random, 5);
    const uint32_t phase = play_below(random, 9);
    const uint32_t num_before = play_below(random, 4);
    md5_xform kept[PLAY_JOINTS];
    md5_xform full[PLAY_JOINTS];
    md5_xform posed[PLAY_JOINTS];
    md5_player_target(fixture->full, 0)->weight = md5_player_target(fixture->reduced, 0)->weight =
        0.7f;
    for (uint32_t i = 0; i < num_before; i++) {
        play_pose(fixture->full, full);
        play_pose(fixture->reduced, full);
    }
    const md5_detail detail = {.interval = interval, .phase = phase};
    SCOPED void *const scratch = malloc(md5_player_pose_scratch(fixture->machine));
    bool is_right = true;
    for (uint32_t i = 0; is_right && i < STEPS; i++) {
        is_right = advance_both(fixture, random)
                   && CHECK(md5_player_set_detail(fixture->reduced, &detail));
        const bool is_due = i == 0 || (num_before + i + phase) % interval == 0;
        if (is_due)
            play_pose(fixture->full, kept);
        is_right = is_right
                   && CHECK(md5_player_pose(fixture->reduced, posed, NULL, NULL, scratch) == is_due)
                   && CHECK_BYTES(posed, kept, sizeof kept);
    }
    return is_right;
}

TEST (detail_interval_keeps_poses_but_neither_time_nor_events) {
    check_machines(poses_at_intervals, &swaying);
}

static bool poses_as_before(detail_test *fixture, uint64_t *random)
{
    bool is_right = true;
    for (int i = 0; i < STEPS && is_right; i++) {
        md5_xform full[PLAY_JOINTS], again[PLAY_JOINTS];
        const md5_detail details[] = {{.interval = 7}, {.mask = "few", .interval = 2}};
        CHECK(md5_player_set_detail(fixture->reduced, &details[i % 2]));
        CHECK(md5_player_set_detail(fixture->reduced, i % 3 == 0 ? NULL : &(md5_detail){0}));
        is_right = advance_both(fixture, random);
        play_pose(fixture->full, full);
        play_pose(fixture->reduced, again);
        is_right = is_right && CHECK_BYTES(full, again, sizeof full);
    }
    return is_right;
}

TEST (full_level_of_detail_has_the_same_bits) {
    check_machines(poses_as_before, &swaying);
}

// -- One character ----------------------------------------------------------------------------

// Creates a clip that swings, and a machine with a mask and modifiers.
static void begin_scene(play_scene *fixture, const char *modifiers)
{
    play_scene_begin(fixture);
    play_scene_add(fixture, 17, 20, 0.5, 3);
    play_scene_read(fixture,
                    "mask trunk ( chest ) mask legless ( *chest lhip ) %s layer all { state a a }",
                    modifiers);
}

TEST (detail_omits_modifiers_of_excluded_joints) {
    SCOPED_PLAY fixture;
    begin_scene(&fixture, "modifier reach fabrik lhand { length 4 } "
                          "modifier stand feet pelvis { foot lfoot } modifier nod joint chest");
    md5_xform still[PLAY_JOINTS], pose[PLAY_JOINTS];
    md5_target *const reach = md5_player_target(fixture.player, 0);
    md5_target *const stand = md5_player_target(fixture.player, 1);
    md5_target *const nod = md5_player_target(fixture.player, 2);
    nod->weight = 1;
    nod->rotation = (md5_quat){0.6f, 0, 0, 0.8f};
    play_pose(fixture.player, still);
    reach->weight = stand->weight = 1;
    reach->position = (md5_vec3){30, 20, 70};
    md5_player_feet(fixture.player, 1)->floor = 9;
    CHECK(md5_player_set_detail(fixture.player, &(md5_detail){.mask = "trunk"}));
    play_pose(fixture.player, pose);
    CHECK_BYTES(pose, still, 4 * sizeof pose[0]); // up to the chest, which nods in the clip
    const md5_xform *const bind = fixture.assets.model->bind_local;
    CHECK_BYTES(pose + 4, bind + 4, (PLAY_JOINTS - 4) * sizeof pose[0]);
    // The mask `legless` contains the hand but not the foot, so only the hand is animated.
    CHECK(md5_player_set_detail(fixture.player, &(md5_detail){.mask = "legless"}));
    play_pose(fixture.player, pose);
    CHECK(memcmp(pose + 3, still + 3, sizeof pose[0]) != 0);
    CHECK_BYTES(pose + 1, still + 1, sizeof pose[0]); // the modifier must not lower the pelvis
    CHECK_BYTES(pose + 10, bind + 10, 2 * sizeof pose[0]);
}

// An unknown mask changes neither the interval nor the phase. Of the phase, only the remainder of
// the division by the interval is used.
TEST_PLAY (detail_with_an_unknown_mask_is_rejected, begin_scene(fixture, "")) {
    md5_xform pose[PLAY_JOINTS];
    SCOPED void *const scratch = malloc(md5_player_pose_scratch(fixture->machine));
    CHECK(md5_player_set_detail(fixture->player,
                                &(md5_detail){.mask = "trunk", .interval = 4, .phase = 11}));
    CHECK(!md5_player_set_detail(fixture->player,
                                 &(md5_detail){.mask = "tail", .interval = 2, .phase = 1}));
    for (uint32_t call = 0; call < 12;
         call++) // the first call computes a pose because none is stored
        CHECK(md5_player_pose(fixture->player, pose, NULL, NULL, scratch)
              == (call == 0 || (call + 11) % 4 == 0));
    md5_player_reset(fixture->player);
    for (int call = 0; call < 4; call++)
        CHECK(md5_player_pose(fixture->player, pose, NULL, NULL, scratch));
}

// No pose becomes older than the interval, for any previous interval.
TEST_PLAY (detail_pose_is_never_older_than_its_interval, begin_scene(fixture, "")) {
    uint64_t random = 5;
    uint32_t age = 0;
    md5_xform pose[PLAY_JOINTS];
    SCOPED void *const scratch = malloc(md5_player_pose_scratch(fixture->machine));
    for (int i = 0; i < 2000; i++) {
        const uint32_t interval = 1 + play_below(&random, 6);
        CHECK(md5_player_set_detail(
            fixture->player, &(md5_detail){.interval = interval, .phase = play_below(&random, 6)}));
        age = md5_player_pose(fixture->player, pose, NULL, NULL, scratch) ? 0 : age + 1;
        CHECK(age < interval);
    }
}

// -- A character with many joints ---------------------------------------------------------------

// Masks with several separate ranges of joints, some of them together with layers that also have
// masks.
static const md5_mask_desc FAR_MASKS[] = {
    {.name = "limbs", .joints = "foot_l foot_r hand_l hand_r"},
    {.name = "ears", .joints = "*ear_1_r tail_1"},
    {.name = "head", .joints = "head brow_r"},
    {.name = "nothing", .joints = ""},
    {.name = "all", .joints = "*origin"},
};
enum { FAR_KINDS = COUNT_OF(FAR_MASKS), MAX_MASKS = 16 };

// Marks the joints with a weight in a mask, and their ancestors.
static void mark_masked_joints(const md5_skeleton *skeleton, const char *mask, bool *are_animated)
{
    float weights[MAX_JOINTS];
    memset(are_animated, 0, MAX_JOINTS * sizeof *are_animated);
    are_animated[0] = true;
    CHECK(md5_build_mask(skeleton, mask, 0, weights, NULL));
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        if (!(weights[i] > 0))
            continue;
        for (uint32_t joint = i; joint != MD5_NONE; joint = skeleton->joints[joint].parent)
            are_animated[joint] = true;
    }
}

// Compares a player with all joints and a player whose detail is limited to a mask.
static void compare_masked(const md5_model *model, const md5_machine *machine,
                           const md5_mask_desc *mask)
{
    const uint32_t num_joints = model->skeleton.num_joints;
    bool are_animated[MAX_JOINTS];
    md5_xform poses[2][MAX_JOINTS];
    mark_masked_joints(&model->skeleton, mask->joints, are_animated);
    SCOPED_PLAYER full = play_player(machine);
    SCOPED_PLAYER part = play_player(machine);
    md5_player *const players[2] = {full, part};
    CHECK(md5_player_set_detail(part, &(md5_detail){.mask = mask->name}));
    // Held feet bend legs only if their ankles are animated.
    md5_player_target(full, 0)->weight = 0;
    md5_player_target(part, 0)->weight = 0;
    bool is_right = true;
    for (int step = 0; step < 120 && is_right; step++) {
        STRINGS(names) = {"speed", "wave", "talk", "jump", "point", "dance", "breath"};
        static const float values[] = {20, 1, 1, 1, 1, 1, 0.7f};
        for (int i = 0; i < 2; i++) {
            play_set(players[i], names[step % 7], step % 3 ? values[step % 7] : 0);
            if (step % 9 == 4)
                PLAY_ONE_SHOT(players[i], 0, 1, .mask = "upper", .fade_in = 0.1f);
            play_advance(players[i], 0.11);
        }
        play_pose(full, poses[0]);
        pose_over_nan(part, machine, num_joints, poses[1]);
        is_right = is_reduced(poses[1], poses[0], model->bind_local, are_animated, num_joints);
    }
}

TEST (detail_of_many_joints_poses_them_with_the_same_bits) {
    md5_error error = {0};
    SCOPED_CHARACTER bobbin =
        md5_load_character(test_path("models/bobbin/bobbin.md5machine"), NULL, &error);
    if (!CHECK_STRING(error.message, ""))
        return;
    md5_machine_desc desc = *md5_machine_tables(bobbin->machine);
    md5_mask_desc masks[MAX_MASKS];
    REQUIRE(desc.num_masks + FAR_KINDS <= MAX_MASKS);
    memcpy(masks, desc.masks, desc.num_masks * sizeof masks[0]);
    memcpy(masks + desc.num_masks, FAR_MASKS, sizeof FAR_MASKS);
    desc.masks = masks;
    desc.num_masks += FAR_KINDS;
    SCOPED_MACHINE machine = play_machine(&desc);
    const md5_model *const model = bobbin->model;
    if (CHECK(model->skeleton.num_joints <= MAX_JOINTS)) {
        for (int kind = 0; kind < FAR_KINDS; kind++)
            compare_masked(model, machine, &FAR_MASKS[kind]);
    }
}

// -- Detail crowd ---------------------------------------------------------------------------------
//
// Level of detail in crowds: each job must give the result of its player alone, and each frame must
// cost the same.

enum { CROWD = PLAY_CROWD };

typedef struct hooked {
    play_crowd *crowd;
    uint32_t num_hooked;
} hooked;

// Moves a hand by a distance that depends on the index of the job.
static void hook(void *user, const md5_play_job *jobs, uint32_t count, md5_xform *const *poses)
{
    hooked *const fixture = user;
    fixture->num_hooked += count;
    for (uint32_t i = 0; i < count; i++) {
        CHECK(jobs[i].is_computed || !jobs[i].keeps_matrices);
        poses[i][6].translation.x += (float)(jobs + i - fixture->crowd->jobs);
    }
}

static void begin_crowd(hooked *fixture)
{
    *fixture = (hooked){.crowd = play_crowd_new("mask trunk ( chest ) modifier look aim head "
                                                "layer all { state a a }",
                                                CROWD)};
    for (uint32_t i = 0; i < CROWD; i++) {
        const md5_detail detail = {
            .mask = i % 3 == 0 ? "trunk" : NULL, .interval = i % 5, .phase = i};
        CHECK(md5_player_set_detail(fixture->crowd->players[i], &detail));
        CHECK(md5_player_set_detail(fixture->crowd->separate[i], &detail));
        fixture->crowd->jobs[i].hook = i % 7 < 3 ? hook : NULL;
        fixture->crowd->jobs[i].hook_user = fixture;
    }
}

#define TEST_HERE(title) \
    TEST_WITH (title, hooked, fixture, begin_crowd(fixture), play_crowd_free(fixture->crowd))

static void play(hooked *fixture)
{
    fixture->num_hooked = 0;
    play_crowd_advance(fixture->crowd);
}

// Compares a job with its separate player, whose pose is changed in the same way as by the hook.
static bool equals_separate_player(const play_crowd *fixture, uint32_t number, void *scratch)
{
    const md5_model *const model = fixture->scene.assets.model;
    const md5_play_job *const job = &fixture->jobs[number];
    md5_xform pose[PLAY_JOINTS];
    md5_mat34 joints[PLAY_JOINTS], palette[PLAY_JOINTS];
    play_advance(fixture->separate[number], job->seconds);
    const bool is_computed = md5_player_pose(fixture->separate[number], pose, NULL, NULL, scratch);
    if (job->hook)
        pose[6].translation.x += (float)number;
    md5_local_to_model(&model->skeleton, pose, joints);
    md5_build_palette(model, joints, palette);
    return CHECK(job->is_computed == is_computed)
           && CHECK_BYTES(fixture->joints[number], joints, sizeof joints)
           && CHECK_BYTES(fixture->palettes[number], palette, sizeof palette);
}

TEST_HERE (detail_of_a_crowd_equals_that_of_each_character) {
    play_crowd *const crowd = fixture->crowd;
    SCOPED void *const scratch = malloc(md5_player_pose_scratch(crowd->scene.machine));
    uint32_t num_hooks = 0;
    for (int i = 0; i < CROWD; i++)
        num_hooks += crowd->jobs[i].hook != NULL;
    for (int frame = 0; frame < 9; frame++) {
        play(fixture);
        CHECK_UINT(fixture->num_hooked, num_hooks);
        for (uint32_t i = 0; i < CROWD; i++)
            equals_separate_player(crowd, i, scratch);
    }
}

TEST_HERE (detail_of_a_crowd_does_not_change_kept_matrices) {
    play_crowd *const crowd = fixture->crowd;
    play(fixture);
    for (int i = 0; i < CROWD; i++)
        crowd->jobs[i].keeps_matrices = true;
    SCOPED md5_mat34 *const before = malloc(sizeof crowd->palettes);
    for (int frame = 0; frame < 9; frame++) {
        uint32_t num_hooks = 0;
        memcpy(before, crowd->palettes, sizeof crowd->palettes);
        memset(crowd->joints, 0, sizeof crowd->joints);
        play(fixture);
        for (int i = 0; i < CROWD; i++) {
            const bool is_computed = crowd->jobs[i].is_computed;
            CHECK((memcmp(&before[i * PLAY_JOINTS], crowd->palettes[i], sizeof crowd->palettes[i])
                   != 0)
                  == is_computed);
            CHECK((crowd->joints[i][0].m[0] != 0) == is_computed);
            num_hooks += crowd->jobs[i].hook && is_computed;
        }
        CHECK_UINT(fixture->num_hooked, num_hooks);
    }
}

// The detail is set in every frame, and changes for some players.
TEST_HERE (detail_of_a_crowd_costs_the_same_in_each_frame) {
    play_crowd *const crowd = fixture->crowd;
    for (int frame = 0; frame < 40; frame++) {
        uint32_t num_computed = 0;
        for (uint32_t i = 0; i < 64; i++)
            md5_player_set_detail(crowd->players[i], &(md5_detail){.interval = 4, .phase = i});
        for (uint32_t i = 0; i < 4; i++) // four players come near and leave again
            md5_player_set_detail(crowd->players[i], frame / 10 % 2 ? NULL : &(md5_detail){0});
        play(fixture);
        for (uint32_t i = 4; i < 64u; i++)
            num_computed += crowd->jobs[i].is_computed;
        CHECK_UINT(num_computed, frame == 0 ? 60 : 15);
    }
}
