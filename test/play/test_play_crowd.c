// Tests of complete characters: crowds in batches, all kinds of modifiers, bounding boxes, pose
// hooks, and random input. A batch must give the same bits as its players one by one.
#include "test/scoped.h"
#include "test/play/test_play_case.h"

enum { CROWD = 24, STATES = 6 };

// The states and transitions that two base layers and an additive layer share.
#define STATES_AND_TRANSITIONS                                             \
    "state line line state stack stack state once once state swing swing " \
    "state none nothing state still e "                                    \
    "transition any once { when leap duration 0.2 priority 1 } "           \
    "transition once line { exit 0.8 duration 0.3 inertial } "             \
    "transition line stack { when x > 0.7 duration 0.4 keep_phase } "      \
    "transition stack swing { exit 1.5 duration 0.1 interrupt_higher } "   \
    "transition swing none { exit 1 duration 0.2 } "                       \
    "transition none still { exit 1 duration 0.2 } transition still line { exit 1 duration 0.2 } "
#define STEPS "frame 3 step left frame 13 step right markers ( 2 11 ) "

// A machine of three layers with motions of nearly every kind and modifiers of every kind.
static const char ROWS_OF_ALL[] =
    "clip a f { turn " STEPS "} clip b f { turn open step " STEPS "} clip c f { cubic " STEPS "} "
    "clip d f { open nlerp " STEPS "} clip e f "
    "float x 0.4 float y float w 0.5 trigger leap mask upper ( *spine ) { feather 1 } "
    "motion line line x { markers item a 0 item b 1 } "
    "motion plane plane x y { phase item line 0 0 item c 1 0 item d 0 1 } "
    "motion stack stack { speed w item plane item d { mask upper weight w } "
    "item c { add weight x mask upper } } "
    "motion once clip b { once speed -1 start 1 } motion swing clip d { ping_pong } "
    "layer a { " STATES_AND_TRANSITIONS "} "
    "layer b { mask upper weight w " STATES_AND_TRANSITIONS "} "
    "layer c { add weight 0.25 reference a 0 " STATES_AND_TRANSITIONS "} "
    "modifier joint joint spine modifier look aim head { limit 0.5 } "
    "modifier foot two_bone lfoot modifier hand fabrik lhand { length 4 } "
    "modifier reach ccd rhand { length 3 } modifier swing spring rhand { gravity 100 } "
    "modifier stand feet pelvis { foot lfoot hold { height 40 speed 1000 } } "
    "modifier gaze gaze head { eye lhand max_seconds 1 }";

static void begin(play_scene *fixture)
{
    static const play_walk walks[5] = {{40, 0, 0}, {90, 0.5, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    play_scene_begin(fixture);
    for (uint32_t i = 0; i < 5; i++) {
        const uint32_t num_frames = i == 4 ? 1 : 17 + 8 * i;
        play_add_clip(&fixture->assets, num_frames, 20, 0.5, walks[i], 21 + i);
    }
    play_scene_read(fixture, "%s", ROWS_OF_ALL);
}

// Changes the input of a player at random: one-shot clips, parameters and states.
static void stir(md5_player *player, uint64_t *random)
{
    if (test_random_u32(random) % 4 == 0) {
        STRINGS(layers) = {NULL, "a", "c"};
        const md5_one_shot_desc desc = {
            .mode = (md5_layer_mode)(test_random_u32(random) % 2),
            .mask = test_random_u32(random) % 2 ? "upper" : NULL,
            .layer = layers[test_random_u32(random) % 3],
            .end = (md5_one_shot_end)(test_random_u32(random) % 3),
            .speed = (float)(4 * test_random(random) - 2),
            .fade_in = 0.2f * (float)(test_random_u32(random) % 2),
            .fade_out = (float)test_random(random),
        };
        const uint32_t slot = test_random_u32(random) % 4;
        if (test_random_u32(random) % 4 == 0)
            md5_player_stop_one_shot(player, slot, desc.fade_in);
        else
            CHECK(md5_player_play_one_shot(player, slot, test_random_u32(random) % 5, &desc));
    }
    const float extremes[8] = {0, 1, -1, 0.5f, 1e30f, -1e30f, 1e-30f, 0.999f};
    const uint32_t parameter = test_random_u32(random) % 4;
    const bool is_extreme = test_random_u32(random) % 4 == 0;
    md5_player_set(player, parameter,
                   is_extreme ? extremes[test_random_u32(random) % 8] : (float)test_random(random));
    if (test_random_u32(random) % 16 == 0)
        md5_player_fade_to(player, test_random_u32(random) % 3, test_random_u32(random) % STATES,
                           (float)(test_random_u32(random) % 2) * 0.3f,
                           (md5_fade)(test_random_u32(random) % 2),
                           (md5_ease_kind)(test_random_u32(random) % 11));
    md5_target *const target = md5_player_target(player, test_random_u32(random) % 8);
    target->weight = (float)(test_random_u32(random) % 3) * 0.5f;
    target->position =
        (md5_vec3){(float)(100 * test_random(random) - 50), (float)(100 * test_random(random) - 50),
                   (float)(100 * test_random(random))};
    md5_player_feet(player, 6)->floor = 0.1f * target->position.x;
    target->has_pole = test_random_u32(random) % 2;
    target->has_rotation = test_random_u32(random) % 2;
}

// Returns a time step in seconds. Most steps have the usual length of a frame of a game. One of 64
// steps is unusual: zero, negative, or many seconds.
static double random_step(uint64_t *random)
{
    static const double odd[6] = {0, -0.3, 3, 500, -100, 40};
    if (test_random_u32(random) % 64 == 0)
        return odd[test_random_u32(random) % 6];
    return 0.03 * test_random(random);
}

#define TEST_HERE(title) TEST_PLAY (title, begin(fixture))

// test/long/play_split.sh runs this test with more steps.
TEST_HERE (crowd_of_any_input_is_finite) {
    const char *const given = getenv("MD5_CROWD_STEPS");
    const unsigned long steps = given ? strtoul(given, NULL, 10) : 1500;
    uint64_t random = 31;
    md5_player *const player = fixture->player;
    for (unsigned long i = 0; i < steps; i++) {
        stir(player, &random);
        const bool is_extreme = test_random_u32(&random) % 100 == 0;
        play_advance(player, is_extreme ? 1e300 : random_step(&random));
        const md5_xform motion = md5_player_root_motion(player);
        CHECK(play_is_sound(&motion, 1));
        if (test_random_u32(&random) % 8 == 0)
            continue;
        md5_xform pose[PLAY_JOINTS];
        play_pose(player, pose);
        CHECK(play_is_sound(pose, PLAY_JOINTS));
        if (test_random_u32(&random) % 500 == 0)
            md5_player_reset(player);
    }
}

PLAY_LISTENER(count_event)
{
    CHECK(event->text && weight >= 0 && weight <= 1.0001f);
    ++*(uint32_t *)user;
}

// A batch must give the same bits as separate players, with scratch memory of the required size at
// any address.
TEST_HERE (crowd_equals_single_characters) {
    uint64_t random = 32;
    uint64_t same = 32;
    md5_player *crowd[CROWD], *separate[CROWD];
    md5_play_job jobs[CROWD];
    uint32_t num_received = 0;
    uint32_t num_received_separately = 0;
    md5_mat34 joints[CROWD][PLAY_JOINTS], palettes[CROWD][PLAY_JOINTS];
    memset(joints, 0, sizeof joints);
    memset(palettes, 0, sizeof palettes);
    for (int i = 0; i < CROWD; i++) {
        crowd[i] = play_player(fixture->machine);
        separate[i] = play_player(fixture->machine);
        jobs[i] = (md5_play_job){.player = crowd[i], .user = &num_received};
        if (i % 2 != 0)
            jobs[i].joints = joints[i];
        if (i % 3 != 0) {
            jobs[i].events = count_event;
            jobs[i].palette = palettes[i];
        }
    }
    const size_t size = md5_play_batch_scratch(jobs, CROWD, NULL);
    for (int step = 0; step < 40; step++) {
        unsigned char *const scratch = malloc(size + 16);
        memset(joints, 0x11, sizeof joints);
        memset(palettes, 0x11, sizeof palettes);
        for (int i = 0; i < CROWD; i++) {
            stir(crowd[i], &random);
            jobs[i].seconds = random_step(&random);
        }
        md5_play_batch(jobs, CROWD, NULL, scratch + step % 16);
        free(scratch);
        for (int i = 0; i < CROWD; i++) {
            stir(separate[i], &same);
            md5_player_advance(separate[i], random_step(&same), i % 3 ? count_event : NULL,
                               &num_received_separately);
            md5_mat34 expected[2][PLAY_JOINTS];
            play_matrices(separate[i], expected[0], expected[1]);
            const md5_xform motion = md5_player_root_motion(separate[i]);
            CHECK_BYTES(&motion, &jobs[i].motion, sizeof motion);
            CHECK(i % 2 == 0 || memcmp(expected[0], joints[i], sizeof joints[i]) == 0);
            CHECK(i % 3 == 0 || memcmp(expected[1], palettes[i], sizeof joints[i]) == 0);
        }
    }
    CHECK_UINT(num_received, num_received_separately);
    CHECK(num_received > 0);
    CHECK_UINT(md5_play_batch_scratch(NULL, 0, NULL), 0);
    md5_play_batch(NULL, 0, NULL, NULL);
    for (int i = 0; i < CROWD; i++) {
        md5_destroy_player(crowd[i]);
        md5_destroy_player(separate[i]);
    }
}

// Skeletons of two sizes alternate, and there are more of them than fit into one group.
TEST_HERE (crowd_of_two_machines) {
    enum { COUNT = 19, MAX_JOINTS = 128 };
    SCOPED_MODEL model = our_model("models/bobbin/bobbin.md5mesh");
    SCOPED_ANIM anim = our_anim("models/bobbin/walk.md5anim");
    SCOPED_BINDING binding = md5_bind(model, anim, NULL, NULL);
    const play_case bobbin = {.model = model, .bindings = {binding}, .num_clips = 1};
    SCOPED_MACHINE other_machine =
        play_machine_read(&bobbin, NULL, "clip walk f layer body { state walk walk }");
    static md5_mat34 palettes[COUNT][MAX_JOINTS];
    md5_play_job jobs[COUNT];
    for (int i = 0; i < COUNT; i++)
        jobs[i] = (md5_play_job){.player = play_player(i % 3 ? fixture->machine : other_machine),
                                 .seconds = 0.03 * i,
                                 .palette = palettes[i]};
    SCOPED void *const scratch = malloc(md5_play_batch_scratch(jobs, COUNT, NULL));
    md5_play_batch(jobs, COUNT, NULL, scratch);
    for (int i = 0; i < COUNT; i++) {
        const md5_machine *const machine = i % 3 ? fixture->machine : other_machine;
        const uint32_t num_joints = md5_machine_tables(machine)->model->skeleton.num_joints;
        SCOPED_PLAYER separate = play_player(machine);
        md5_xform pose[MAX_JOINTS];
        md5_mat34 expected[MAX_JOINTS];
        play_advance(separate, jobs[i].seconds);
        md5_player_pose(separate, pose, NULL, expected, scratch);
        CHECK_BYTES(expected, palettes[i], num_joints * sizeof *expected);
        md5_destroy_player(jobs[i].player);
    }
}

enum { MAX = 37 };

// Plays `count` characters in one batch, and compares them with characters that are played
// separately. They have two machines of one model. Every `part`-th character requests joint
// matrices.
static void check_equal(const md5_machine *const machines[2], int count, int part)
{
    static md5_mat34 joints[MAX][PLAY_JOINTS], palettes[MAX][PLAY_JOINTS];
    md5_play_job jobs[MAX] = {{0}};
    for (int i = 0; i < count; i++)
        jobs[i] = (md5_play_job){.player = play_player(machines[i % 2]),
                                 .seconds = 0.03 * i,
                                 .joints = i % part == part - 1 ? joints[i] : NULL,
                                 .palette = palettes[i]};
    const size_t size = md5_play_batch_scratch(jobs, (size_t)count, NULL);
    unsigned char *const scratch = malloc(size + 4);
    md5_play_batch(jobs, (size_t)count, NULL, scratch + 4);
    free(scratch);
    for (int i = 0; i < count; i++) {
        SCOPED_PLAYER separate = play_player(machines[i % 2]);
        md5_mat34 expected[2][PLAY_JOINTS];
        play_advance(separate, jobs[i].seconds);
        play_matrices(separate, expected[0], expected[1]);
        CHECK(!jobs[i].joints || memcmp(expected[0], joints[i], sizeof joints[i]) == 0);
        CHECK_BYTES(expected[1], palettes[i], sizeof palettes[i]);
        md5_destroy_player(jobs[i].player);
    }
}

// As many characters as SIMD lanes, more, and fewer; also with a machine without clips.
TEST_HERE (crowd_of_one_model) {
    static const int counts[] = {1, 2, 3, 5, 8, 9, 11, 16, 25, MAX};
    SCOPED_MACHINE still = play_machine(&(md5_machine_desc){.model = fixture->assets.model});
    const md5_machine *const pairs[3][2] = {
        {fixture->machine, fixture->machine}, {fixture->machine, still}, {still, fixture->machine}};
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        for (int k = 0; k < 3; k++) {
            check_equal(pairs[k], counts[i], 3);
            check_equal(pairs[k], counts[i], MAX + 1);
        }
    }
}

// Each modifier must have the effect of the function with its name.
TEST_HERE (crowd_modifiers_change_the_pose) {
    md5_player *const player = fixture->player;
    const md5_skeleton *const skeleton = &fixture->assets.model->skeleton;
    const md5_vec3 target_position = {30, 20, 50};
    md5_xform plain[PLAY_JOINTS];
    md5_xform pose[PLAY_JOINTS];
    md5_xform expected[PLAY_JOINTS];
    for (uint32_t i = 0; i < 8; i++)
        md5_player_target(player, i)->weight = 0;
    play_pose(player, plain);
    for (uint32_t i = 0; i < 6; i++) {
        md5_target *const target = md5_player_target(player, i);
        *target =
            (md5_target){.weight = 0.75f, .position = target_position, .rotation = {0, 0, 0, 1}};
        play_pose(player, pose);
        memcpy(expected, plain, sizeof plain);
        const md5_aim_job aim = {.tip = 4,
                                 .length = 2,
                                 .target = target_position,
                                 .params.forward = {1, 0, 0},
                                 .params.up = {0, 0, 1},
                                 .params.limit = 0.5f,
                                 .weight = 0.75f};
        const md5_two_bone_job bend = {
            .tip = 11, .target = target_position, .params.stretch = 1, .weight = 0.75f};
        md5_chain_job reach = {.solver = MD5_CHAIN_CCD,
                               .tip = 8,
                               .length = 3,
                               .target = target_position,
                               .tolerance = 0.01f,
                               .iterations = 16,
                               .weight = 0.75f};
        if (i == 3) {
            reach.solver = MD5_CHAIN_FABRIK;
            reach.tip = 6;
            reach.length = 4;
        }
        const md5_xform change = {.rotation = {0, 0, 0, 1}, .translation = target_position};
        if (i == 0)
            md5_modify_joint(skeleton, 2, MD5_JOINT_LOCAL, change, 0.75f, expected);
        else if (i == 1)
            md5_solve_aim(skeleton, &aim, expected);
        else if (i == 2)
            md5_solve_two_bone(skeleton, &bend, expected);
        else if (i < 5)
            md5_solve_chain(skeleton, &reach, expected);
        // A spring at rest keeps the animated pose, but its solver adds rounding errors. All other
        // modifiers must give the bits of the function with their name.
        CHECK(i == 5 ? play_pose_distance(pose, plain) < 1e-4
                     : memcmp(pose, expected, sizeof pose) == 0);
        CHECK(i == 5 || memcmp(pose, plain, sizeof pose) != 0);
        target->weight = 0;
    }
    // After a while the spring hangs down. After a reset it begins at the animated pose again.
    md5_player_target(player, 5)->weight = 1;
    play_pose(player, pose);
    play_advance(player, 0.2);
    md5_player_seek(player, 0, 0, 0);
    md5_player_seek(player, 1, 0, 0);
    md5_player_seek(player, 2, 0, 0);
    play_pose(player, pose);
    CHECK(play_pose_distance(pose, plain) > 0.05);
    md5_player_reset(player);
    for (uint32_t i = 0; i < 8; i++)
        md5_player_target(player, i)->weight = i == 5 ? 1 : 0;
    play_pose(player, pose);
    CHECK(play_pose_distance(pose, plain) < 1e-4);
}

// -- Bounds -----------------------------------------------------------------------------------

static void check_inside(const md5_model *model, const md5_player *player, const md5_mat34 *joints)
{
    md5_mat34 palette[PLAY_JOINTS];
    md5_build_palette(model, joints, palette);
    const md5_bounds outer = md5_player_bounds(player, joints);
    const md5_bounds inner = md5_skin_bounds(model, palette);
    CHECK(inner.min.x >= outer.min.x && inner.max.x <= outer.max.x);
    CHECK(inner.min.y >= outer.min.y && inner.max.y <= outer.max.y);
    CHECK(inner.min.z >= outer.min.z && inner.max.z <= outer.max.z);
}

// The bounds that a player reports contain all vertices, for all parameters, states and one-shots.
TEST_HERE (crowd_stays_in_its_bounds) {
    uint64_t random = 33;
    md5_player *const player = fixture->player;
    for (int i = 0; i < 500; i++) {
        md5_mat34 joints[PLAY_JOINTS], palette[PLAY_JOINTS];
        stir(player, &random);
        play_advance(player, 0.05);
        play_matrices(player, joints, palette);
        check_inside(fixture->assets.model, player, joints);
    }
}

// Biases whose sum is more or less than 1, that are negative, or that cancel out; also no vertices.
TEST (crowd_bounds_contain_vertices_of_unusual_biases) {
    static const struct {
        const char *weights;
        unsigned count;
    } cases[] = {
        {"weight 0 0 1.5 ( 1 0 2 )\n", 1},
        {"weight 0 0 0.25 ( 1 0 2 )\n", 1},
        {"weight 0 0 1.5 ( 1 0 2 )\nweight 1 1 -0.5 ( 0 3 1 )\n", 2},
        {"weight 0 1 0.5 ( 1 0 2 )\nweight 1 1 -0.5 ( 0 3 1 )\nweight 2 0 1 ( 0 0 0 )\n", 3},
        {"", 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        // Write a model with one mesh, two joints and the weights of the case.
        unsigned num_weights = cases[i].count;
        char text[2048];
        const int size =
            snprintf(text, sizeof text,
                     "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes %d\njoints {\n"
                     "\"a\" -1 ( 5 0 0 ) ( 0 0 0 )\n\"b\" 0 ( 5 10 0 ) ( 0 0 0 )\n}\n",
                     num_weights > 0 ? 1 : 0);
        int used = size;
        if (num_weights > 0)
            used += snprintf(text + size, sizeof text - (size_t)size,
                             "mesh {\nshader \"\"\nnumverts 1\nvert 0 ( 0 0 ) 0 %u\nnumtris 0\n"
                             "numweights %u\n%s}\n",
                             num_weights, num_weights, cases[i].weights);
        md5_error error = {0};
        SCOPED_MODEL model = md5_parse_model(text, (size_t)used, NULL, &error);
        CHECK_STRING(error.message, "");

        SCOPED_MACHINE machine = play_machine(&(md5_machine_desc){.model = model});
        SCOPED_PLAYER player = play_player(machine);
        uint64_t random = 34;
        for (int k = 0; k < 50; k++) {
            md5_xform pose[2];
            for (int joint = 0; joint < 2; joint++) {
                const double angle = 6 * test_random(&random);
                pose[joint] = model->bind_local[joint];
                pose[joint].rotation = (md5_quat){0, (float)sin(angle), 0, (float)cos(angle)};
                pose[joint].translation.x += (float)(40 * test_random(&random) - 20);
            }
            md5_mat34 joints[2];
            md5_local_to_model(&model->skeleton, pose, joints);
            check_inside(model, player, joints);
        }
        md5_xform pose[2];
        play_pose(player, pose);
        CHECK_BYTES(pose, model->bind_local, sizeof pose); // the machine has no clips
        md5_mat34 joints[2];
        play_advance(player, 1);
        md5_local_to_model(&model->skeleton, pose, joints);
        if (cases[i].count == 0)
            CHECK(md5_player_bounds(player, joints).max.y == 10);
    }
}

// After a year of playback, a clip continues as in its first second.
TEST_WITH (crowd_is_exact_after_a_year, play_case, assets, play_begin(assets), play_end(assets)) {
    play_add_clip(assets, 31, 24, 0.5, (play_walk){40, 0, 0}, 1);
    SCOPED_MACHINE machine =
        play_machine_read(assets, NULL, "clip a f { move } layer body { state a a }");
    SCOPED_PLAYER old = play_player(machine);
    SCOPED_PLAYER young = play_player(machine);
    md5_player_seek(old, 0, 0, 2e7 + 0.25);
    md5_player_seek(young, 0, 0, 0.25);
    for (int i = 0; i < 20000; i++) {
        md5_xform a[PLAY_JOINTS], b[PLAY_JOINTS];
        play_advance(old, 1.0 / 60.0);
        play_advance(young, 1.0 / 60.0);
        const md5_vec3 far = md5_player_root_motion(old).translation;
        const md5_vec3 near = md5_player_root_motion(young).translation;
        CHECK(fabsf(far.x - near.x) < 1e-5f);
        if (i % 100 > 0)
            continue;
        play_pose(old, a);
        play_pose(young, b);
        CHECK(play_pose_distance(a, b) < 1e-5);
    }
    CHECK_NEAR(play_time(young), 0.25 + 20000.0 / 60.0 * 24.0 / 30.0, 1e-9);
}

// -- Pose hooks -----------------------------------------------------------------------------------

// Pose hooks of crowds. They receive the pose of a separate character, and their changes appear in
// joints and palettes.

enum { MAX_CALLS = 64, HOOK_CROWD = 37 };

typedef struct hooked {
    play_crowd *crowd;
    md5_xform hook_poses[HOOK_CROWD][PLAY_JOINTS];
    uint32_t first[MAX_CALLS];
    uint32_t count[MAX_CALLS];
    uint32_t num_calls;
} hooked;

// Stores the poses and rotates a head.
static void record_poses(void *user, const md5_play_job *jobs, uint32_t count,
                         md5_xform *const *poses)
{
    hooked *const fixture = user;
    const uint32_t first = (uint32_t)(jobs - fixture->crowd->jobs);
    fixture->first[fixture->num_calls] = first;
    fixture->count[fixture->num_calls++] = count;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(fixture->hook_poses[first + i], poses[i], sizeof fixture->hook_poses[0]);
        poses[i][4].rotation = (md5_quat){0.6f, 0, 0, 0.8f};
    }
}

static void hook_begin(hooked *fixture)
{
    *fixture = (hooked){
        .crowd = play_crowd_new("modifier look aim head layer all { state a a }", HOOK_CROWD)};
}

#define TEST_HOOK(title) \
    TEST_WITH (title, hooked, fixture, hook_begin(fixture), play_crowd_free(fixture->crowd))

// Sets the hook of some of the jobs.
static void hook(hooked *fixture, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        fixture->crowd->jobs[i].hook = record_poses;
        fixture->crowd->jobs[i].hook_user = fixture;
    }
}

static void play(hooked *fixture)
{
    fixture->num_calls = 0;
    play_crowd_advance(fixture->crowd);
}

// The hook receives the pose after all modifiers and changes a rotation. The matrices are
// computed from the changed pose.
TEST_HOOK(play_hook_is_between_modifiers_and_matrices)
{
    play_crowd *const crowd = fixture->crowd;
    hook(fixture, 0, HOOK_CROWD);
    play(fixture);
    for (int i = 0; i < HOOK_CROWD; i++) {
        md5_xform pose[PLAY_JOINTS];
        md5_mat34 joints[PLAY_JOINTS];
        play_advance(crowd->separate[i], 0.03);
        play_pose(crowd->separate[i], pose);
        CHECK_BYTES(fixture->hook_poses[i], pose, sizeof pose);
        pose[4].rotation = (md5_quat){0.6f, 0, 0, 0.8f};
        md5_local_to_model(&crowd->scene.assets.model->skeleton, pose, joints);
        CHECK_BYTES(crowd->joints[i], joints, sizeof joints);
        md5_mat34 palette[PLAY_JOINTS];
        md5_build_palette(crowd->scene.assets.model, joints, palette);
        CHECK_BYTES(crowd->palettes[i], palette, sizeof palette);
    }
}

TEST_HOOK(play_hook_is_called_for_its_jobs_only)
{
    play_crowd *const crowd = fixture->crowd;
    play(fixture);
    CHECK_UINT(fixture->num_calls, 0);
    md5_mat34 plain[HOOK_CROWD][PLAY_JOINTS];
    // No time passes, so that the crowd without hooks can be compared.
    for (int i = 0; i < HOOK_CROWD; i++)
        crowd->jobs[i].seconds = 0;
    memcpy(plain, crowd->palettes, sizeof plain);
    hook(fixture, 3, 9);
    hook(fixture, 10, 20);
    play(fixture);
    // Jobs are posed 16 at a time; the hook receives 3 to 8, 10 to 15 and 16 to 19.
    static const uint32_t first[] = {3, 10, 16};
    static const uint32_t count[] = {6, 6, 4};
    if (CHECK_UINT(fixture->num_calls, 3)) {
        CHECK_BYTES(fixture->first, first, sizeof first);
        CHECK_BYTES(fixture->count, count, sizeof count);
    }
    for (int i = 0; i < HOOK_CROWD; i++) {
        const bool is_hooked = i >= 3 && i < 20 && i != 9;
        CHECK((memcmp(plain[i], crowd->palettes[i], sizeof plain[i]) != 0) == is_hooked);
    }
}

// A caller may need the poses of a crowd but no matrices. The hook must be called for it too.
TEST_HOOK(play_hook_is_called_without_matrices)
{
    play_crowd *const crowd = fixture->crowd;
    hook(fixture, 0, HOOK_CROWD);
    for (int i = 0; i < HOOK_CROWD; i++)
        crowd->jobs[i].joints = crowd->jobs[i].palette = NULL;
    play(fixture);
    CHECK_UINT(fixture->num_calls, 3);
    CHECK(play_is_sound(fixture->hook_poses[HOOK_CROWD - 1], PLAY_JOINTS));
}
