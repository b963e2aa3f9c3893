// Tests of modifiers that a machine file drives: hands on joints of an object that the character
// carries or stands next to, compared with joint positions in double precision; weights that depend
// on parameters and states.
#include "test/ik/test_ik_case.h"
#include "test/scoped.h"
#include "test/play/test_play_case.h"

static const real3 grip_at = {2, 3, -1};
static const char gun_text[] = "MD5Version 10 commandline \"\" numJoints 2 numMeshes 0\n"
                               "joints { \"stock\" -1 ( 0 0 0 ) ( 0 0 0 )\n"
                               "\"grip\" 0 ( 2 3 -1 ) ( 0 0.6 0 ) }";
static char machine_text[32768];

// Opens the machine and the attached object from memory, all other files from Bobbin's folder.
static const void *open_file(void *user, const char *path, size_t *size, md5_error *error)
{
    const char *const name = strrchr(path, '/') + 1;
    const bool is_machine = strcmp(name, "m.md5machine") == 0;
    const char *const text = is_machine ? machine_text : gun_text;
    (void)user, (void)error;
    *size = strlen(text);
    return is_machine || strcmp(name, "gun.md5mesh") == 0 ? text : test_read_file(path, size);
}

static void close_file(void *user, const void *bytes, size_t size)
{
    (void)user, (void)size;
    if (bytes != machine_text && bytes != gun_text)
        release_memory(&bytes);
}

static md5_character *load(md5_error *error)
{
    const md5_load_opts opts = {.files = {open_file, close_file, NULL}};
    return md5_load_character(test_path("models/bobbin/m.md5machine"), &opts, error);
}

// Loads a character with all clips of Bobbin, each in one state.
static md5_character *load_with(const char *rows)
{
    md5_error error = {0};
    SCOPED_MACHINE_FILE bobbin_file =
        md5_load_machine_file(test_path("models/bobbin/bobbin.md5machine"), NULL, &error);
    if (!bobbin_file)
        return NULL;
    size_t used = (size_t)snprintf(machine_text, sizeof machine_text,
                                   "machine m { model bobbin.md5mesh float near 1 %s\n", rows);
    for (uint32_t i = 0; i < 2 * bobbin_file->desc.num_clips;
         i++) { // first for clips, then for states
        const md5_clip_desc *const clip = &bobbin_file->clips[i % bobbin_file->desc.num_clips];
        const bool is_clip = i < bobbin_file->desc.num_clips;
        const char *const start = i == bobbin_file->desc.num_clips ? "layer body { " : "";
        const char *const keyword = is_clip ? "clip" : "state";
        used += (size_t)snprintf(machine_text + used, sizeof machine_text - used, "%s%s %s %s\n",
                                 start, keyword, clip->name, is_clip ? clip->file : clip->name);
    }
    snprintf(machine_text + used, sizeof machine_text - used, " } }\n");
    md5_character *const character = load(&error);
    if (!CHECK_STRING(error.message, ""))
        abort();
    return character;
}

static const char hold[] =
    "attached gun gun.md5mesh on hand_r attached partner gun.md5mesh\n"
    "modifier carry two_bone hand_r { target chest { offset ( 2 -3 9 ) } }\n"
    "modifier hold two_bone hand_l { target grip of gun { aligned } weight near }\n"
    "modifier touch two_bone hand_r { target grip of partner { offset ( 0 1 0 ) } weight 0 }";

enum { MAX_JOINTS = 128, TIMES = 8 };

static real_transform joint_transform(const md5_character *character, const md5_xform *pose,
                                      const char *name)
{
    const md5_skeleton *const skeleton = &character->model->skeleton;
    return ik_joint_transform(skeleton, pose, md5_find_joint(skeleton, name));
}

// A modifier holds the left hand at the gun in the right hand. In each clip the hand is at the
// grip, or the arm points at it if it is out of reach.
TEST (hands_grip_one_gun_in_all_clips) {
    SCOPED_CHARACTER character = load_with(hold);
    REQUIRE(character && character->model->skeleton.num_joints <= MAX_JOINTS);
    SCOPED_PLAYER player = play_player(character->machine);
    uint32_t num_near = 0;
    uint32_t num_far = 0;
    double max_miss = 0;
    double max_rotation_error = 0;
    double max_far_error = 0;
    for (uint32_t i = 0; i < character->num_clips * TIMES; i++) {
        md5_xform pose[MAX_JOINTS];
        md5_player_seek(player, 0, i / TIMES, i % TIMES / (double)TIMES);
        play_pose(player, pose);
        const real_transform right = joint_transform(character, pose, "hand_r");
        const real_transform left = joint_transform(character, pose, "hand_l");
        const real3 shoulder = joint_transform(character, pose, "upperarm_l").translation;
        const real3 elbow = joint_transform(character, pose, "forearm_l").translation;
        const real3 grip = real3_add(right.translation, real4_rotate(right.rotation, grip_at));
        const real4 rotation = real4_mul(right.rotation, (real4){.y = 0.6, .w = -0.8});
        const double reach =
            real3_distance(shoulder, elbow) + real3_distance(elbow, left.translation);
        const double grip_distance = real3_distance(shoulder, grip);
        const double miss = real3_distance(left.translation, grip);
        real_update_max(&max_rotation_error, 1 - fabs(real4_dot(rotation, left.rotation)));
        const bool is_near =
            grip_distance < reach * 0.9999; // if it is out of reach, the arm points at it
        num_near += is_near;
        num_far += !is_near;
        if (is_near)
            real_update_max(&max_miss, miss);
        else
            real_update_max(&max_far_error, fabs(miss - (grip_distance - reach)));
    }
    printf("note: a hand on a gun: at most %.2g units away in %u frames, out of reach in %u\n",
           max_miss, num_near, num_far);
    CHECK(max_miss < 1e-3 && max_far_error < 5e-3 && max_rotation_error < 1e-5);
    CHECK(num_near > 400 && character->num_clips > 40);
}

TEST (hand_is_on_a_shoulder_while_its_target_is_set) {
    SCOPED_CHARACTER character = load_with(hold);
    SCOPED_PLAYER player = play_player(character->machine);
    SCOPED_PLAYER without_object = play_player(character->machine);
    md5_xform initial_pose[MAX_JOINTS], pose[MAX_JOINTS];
    const size_t size = character->model->skeleton.num_joints * sizeof *pose;
    play_pose(player, initial_pose);
    md5_player_target(player, 2)->weight = 1;
    play_pose(player, pose);
    CHECK_BYTES(pose, initial_pose, size);
    const real3 shoulder = joint_transform(character, pose, "upperarm_r").translation;
    md5_mat34 joints[2] = {{{1, 0, 0, 1e9f, 0, 1, 0, 0, 0, 0, 1, 0}}};
    joints[1] = (md5_mat34){{0, -1, 0, (float)shoulder.x + 7, 1, 0, 0, (float)shoulder.y, 0, 0, 1,
                             (float)shoulder.z - 3}};
    CHECK(!md5_player_attach(player, 0, joints) && !md5_player_attach(player, 2, joints)
          && md5_player_attach(player, 1, joints));
    play_pose(player, pose);
    const real3 there = {shoulder.x + 6, shoulder.y, shoulder.z - 3};
    CHECK(real3_distance(joint_transform(character, pose, "hand_r").translation, there) < 1e-3);
    md5_player_copy(without_object, player); // without the attached object
    play_pose(without_object, pose);
    CHECK_BYTES(pose, initial_pose, size);
}

TEST (hands_of_saved_copied_and_written_players_are_equal) {
    SCOPED_CHARACTER character = load_with(hold);
    SCOPED_STRING text = malloc(sizeof machine_text);
    REQUIRE(character && text);
    CHECK(md5_write_machine(md5_machine_tables(character->machine), "bobbin.md5mesh", text,
                            sizeof machine_text, NULL)
          < sizeof machine_text);
    memcpy(machine_text, text, strlen(text) + 1);
    md5_error error = {0};
    SCOPED_CHARACTER again = load(&error);
    REQUIRE(CHECK_STRING(error.message, "") && again);
    CHECK(md5_machine_fingerprint(again->machine) == md5_machine_fingerprint(character->machine));
    SCOPED_PLAYER player = play_player(character->machine);
    SCOPED_PLAYER saved = play_player(again->machine);
    SCOPED_PLAYER copied = play_player(character->machine);
    for (uint32_t i = 0; i < 40; i++) {
        uint8_t bytes[16384];
        md5_xform pose[MAX_JOINTS], copies[2][MAX_JOINTS];
        md5_mat34 joints[3][MAX_JOINTS];
        const uint32_t num_joints = character->model->skeleton.num_joints;
        md5_player_set(player, 0, (float)(i % 5) * 0.25f);
        md5_player_fade_to(player, 0, i, 0.3f, (md5_fade)(i % 2), MD5_EASE_LINEAR);
        play_advance(player, 0.05);
        CHECK(md5_player_restore(saved, bytes, md5_player_save(player, bytes, sizeof bytes), NULL));
        md5_player_copy(copied, player);
        play_pose(player, pose);
        play_pose(saved, copies[0]);
        play_pose(copied, copies[1]);
        md5_play_job jobs[2] = {{.player = saved, .joints = joints[0]},
                                {.player = copied, .joints = joints[1]}};
        SCOPED void *const scratch = malloc(md5_play_batch_scratch(jobs, 2, NULL));
        md5_play_batch(jobs, 2, NULL, scratch);
        md5_local_to_model(&character->model->skeleton, pose, joints[2]);
        for (int k = 0; k < 2; k++) {
            CHECK_BYTES(copies[k], pose, num_joints * sizeof *pose);
            CHECK_BYTES(joints[k], joints[2], num_joints * sizeof **joints);
        }
    }
}

// Arms whose target is out of reach bend within the limits of all joints and are not straight, as
// they would be without limits.
TEST (hands_obey_the_limits_of_joints) {
    STRINGS(limits) = {"", "limit lhand cone ( 1 0 0 ) { min -0.2 max 0.3 swing 0.1 }\n"
                           "limit larm hinge ( 0 2 0 ) { min -0.4 max -0.2 }\n"};
    for (int i = 0; i < 4; i++) {
        SCOPED_PLAY fixture;
        play_scene_clips(&fixture, 1, 11, 10);
        play_scene_read(&fixture, "%s clip a a layer body { state a a }\nmodifier m %s",
                        limits[i % 2], i < 2 ? "two_bone lhand" : "ccd lhand { length 3 }");
        md5_player_target(fixture.player, 0)->position = (md5_vec3){90, 20, -50};
        md5_xform pose[PLAY_JOINTS];
        play_pose(fixture.player, pose);
        const md5_model *const model = fixture.assets.model;
        const md5_joint_limit hinge = {.kind = MD5_LIMIT_HINGE,
                                       .rest = model->bind_local[5].rotation,
                                       .axis = {0, 1, 0},
                                       .min = -0.4f,
                                       .max = -0.2f};
        const md5_joint_limit cone = {.kind = MD5_LIMIT_CONE,
                                      .rest = model->bind_local[6].rotation,
                                      .axis = {1, 0, 0},
                                      .min = -0.2f,
                                      .max = 0.3f,
                                      .swing = 0.1f};
        const double excess =
            fmax(limit_excess(&hinge, pose[5].rotation), limit_excess(&cone, pose[6].rotation));
        CHECK(i % 2 == 0 ? excess > 0.05 : excess < 1e-5);
    }
}

#define HAND "modifier m two_bone lhand { target pelvis { offset ( 2 3 20 ) } pole lfoot "
#define ROWS_OF(words)                                                                    \
    "clip a a clip b b float p 0 morph w state body b layer body { weight 0.5 state a a " \
    "state b b } " HAND words " }"

// Compares the pose of a player with the pose of a player whose weight was set by the game.
static void check_weight(md5_player *player, md5_player *plain, double weight)
{
    md5_xform pose[PLAY_JOINTS], expected[PLAY_JOINTS];
    md5_player_target(plain, 0)->weight = (float)weight;
    play_pose(player, pose);
    play_pose(plain, expected);
    CHECK(play_pose_distance(pose, expected) < 1e-5);
}

TEST (hands_have_the_weight_of_a_parameter_or_a_state) {
    SCOPED_PLAY plain;
    SCOPED_PLAY eased;
    SCOPED_PLAY by_state;
    play_scene *const scenes[] = {&plain, &eased, &by_state};
    STRINGS(rows) = {ROWS_OF(""), ROWS_OF("weight p cubic_in"),
                     ROWS_OF("weight 0.5 weight state body b")};
    for (int i = 0; i < 3; i++) {
        play_scene_clips(scenes[i], 2, 11, 10);
        play_scene_read(scenes[i], "%s", rows[i]);
    }
    CHECK_UINT(md5_machine_num_morphs(by_state.machine), 1);
    CHECK(md5_player_set(eased.player, 0, 0.5f));
    check_weight(eased.player, plain.player, 0.125);
    md5_player_target(eased.player, 0)->weight = 0.5f;
    check_weight(eased.player, plain.player, 0.0625);
    check_weight(by_state.player, plain.player, 0);
    // A cross-fade, then fades that freeze poses and inertial fades: the weight follows the weight
    // of the morph target.
    for (uint32_t i = 0; i < 60; i++) {
        const md5_fade fade = i % 3 == 2 ? MD5_FADE_INERTIAL : MD5_FADE_CROSS;
        for (int k = 0; k < 3; k += 2) {
            if (i == 0 || i > 4)
                md5_player_fade_to(scenes[k]->player, 0, 1 - i % 2, 0.5f, fade, MD5_EASE_LINEAR);
            play_advance(scenes[k]->player, 0.1);
        }
        float morph;
        md5_player_morphs(plain.player, &morph);
        if (i < 4)
            CHECK_NEAR(morph, 0.5 * 0.2 * (i + 1), 1e-6);
        check_weight(by_state.player, plain.player, morph < 0 ? 0 : (double)morph);
    }
}

#define DRIVEN_BY(clips, words)                                                                   \
    clips "clip a a { window hit 3-6 curve c ( 0 0.2 10 1.2 ) } morph w window hit { weight 2 } " \
          "layer body { state a a } " HAND words " }"

PLAY_LISTENER(count_ends)
{
    *(int *)user += event->kind == MD5_EVENT_END ? 1 : 10;
}

TEST (hands_have_the_weight_of_a_curve_or_a_window) {
    SCOPED_PLAY plain;
    SCOPED_PLAY by_curve;
    SCOPED_PLAY by_window;
    SCOPED_PLAY edited;
    play_scene *const scenes[] = {&plain, &by_curve, &by_window, &edited};
    STRINGS(rows) = {
        DRIVEN_BY("", ""), DRIVEN_BY("", "weight curve c"), DRIVEN_BY("", "weight window hit"),
        DRIVEN_BY("clip b b { window new 0 2 curve d ( 0 1 ) } ", "weight window hit")};
    for (int i = 0; i < 4; i++) {
        play_scene_clips(scenes[i], 2, 11, 10);
        play_scene_read(scenes[i], "%s", rows[i]);
    }
    int ends = 0;
    for (int i = 0; i < 9; i++) {
        for (int k = 0; k < 3; k++)
            play_advance(scenes[k]->player, i == 0 ? 0.05 : 0.1);
        const double open = i >= 3 && i < 6 ? 1 : 0.0;
        float morph;
        md5_player_morphs(by_window.player, &morph);
        CHECK_NEAR(morph, 2 * open, 1e-6);
        check_weight(by_curve.player, plain.player, fmin(0.25 + 0.1 * i, 1));
        check_weight(by_window.player, plain.player, open);
        if (i == 4) { // in an edited machine the hand remains open until the state ends
            md5_player_migrate(edited.player, by_window.player, NULL, NULL);
            check_weight(edited.player, plain.player, 1);
        }
        if (i > 4)
            md5_player_advance(edited.player, i == 5 ? 0.2 : 0.1, count_ends, &ends);
    }
    CHECK(ends == 1);
}

TEST (hands_of_unknown_joints_are_rejected_with_location) {
    static const struct {
        const char *row, *message;
        uint32_t column; // in line 3
    } cases[] = {
        {"modifier m two_bone hand_l { target gripp of gun }",
         "modifier 'm' refers to unknown joint 'gripp'", 37},
        {"modifier m two_bone hand_l { target grip of gum }",
         "modifier 'm' refers to unknown attached model 'gum'", 45},
        {"modifier m two_bone hand_r { target grip of gun }",
         "modifier 'm': target is attached to joint 'hand_r', which the modifier moves", 37},
        {"modifier m fabrik hand_l { length 4 target thumb_1_l }",
         "modifier 'm': target is attached to joint 'thumb_1_l', which the modifier moves", 44},
        {"modifier m aim head { weight state body t }",
         "modifier 'm' refers to unknown state 't' of layer 'body'", 41},
        {"modifier m aim head { weight curve c }", "modifier 'm' refers to unknown curve 'c'", 36},
        {"modifier m aim head { weight window w }", "modifier 'm' refers to unknown window 'w'",
         37},
        {"attached x gun.md5mesh on hand", "attached 'x' refers to unknown joint 'hand'", 27},
        {"attached gun gun.md5mesh", "duplicate attached model 'gun'", 10},
        {"limit head hinge ( 1 0 0 ) { min 2 max 1 }",
         "limit 'head': range is not ascending: expected min <= max, found min 2 and max 1", 7},
        {"limit hed cone ( 1 0 0 )", "limit 'hed' refers to unknown joint 'hed'", 7},
        {"limit jaw cone ( 1 0 0 ) limit jaw none ( 1 0 0 )", "limit 'jaw' is a duplicate", 32},
        {"attached y none.md5mesh", "'none.md5mesh': ", 12},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        md5_error error = {0};
        snprintf(machine_text, sizeof machine_text,
                 "machine m { model bobbin.md5mesh attached gun gun.md5mesh on hand_r\n"
                 "clip a idle.md5anim layer body { state s a }\n%s }",
                 cases[i].row);
        CHECK(!load(&error));
        error.message[strlen(cases[i].message)] =
            '\0'; // the reason for a missing file is the system's text
        CHECK_STRING(error.message, cases[i].message);
        CHECK(error.line == 3 && error.column == cases[i].column);
    }
}
