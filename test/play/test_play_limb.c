// Tests of two-bone modifiers in rigs whose hands and feet are children of helper joints, and of
// the weights of all modifiers whose player has no target or setting.
#include "test/ik/test_ik_case.h"
#include "test/scoped.h"
#include "test/play/test_play_case.h"

// A thigh with a twist helper, and a foot that is a child of a helper at the knee.
static const char model_text[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 6\nnumMeshes 0\njoints {\n"
    "\"origin\" -1 ( 0 0 0 ) ( 0 0 0 )\n"
    "\"thigh\" 0 ( 0 0 20 ) ( 0 0 0 )\n"
    "\"twist\" 1 ( 1 0 15 ) ( 0 0 0.5 )\n"
    "\"shin\" 2 ( 2 0 10 ) ( 0 0 0 )\n"
    "\"helper\" 3 ( 2 0 10 ) ( 0 0.2 0 )\n"
    "\"foot\" 4 ( 0 0 0 ) ( 0 0 0 )\n}\n";

static md5_machine *create_machine(const md5_model *model, const char *modifier, md5_error *error)
{
    char text[512];
    const int size = snprintf(text, sizeof text, "machine m { modifier leg %s }", modifier);
    SCOPED_MACHINE_FILE file = md5_parse_machine_file(text, (size_t)size, NULL, error);
    md5_machine *machine = NULL;
    if (CHECK(file)) {
        file->desc.model = model;
        machine = md5_create_machine(&file->desc, NULL, error);
    }
    return machine;
}

// Returns the distance of the foot from a target that the leg can reach.
static double foot_distance(const md5_machine *machine, const md5_model *model)
{
    SCOPED_PLAYER player = md5_create_player(machine, NULL, NULL);
    SCOPED void *const scratch = malloc(md5_player_pose_scratch(machine));
    md5_xform pose[8];
    md5_target *const target = md5_player_target(player, 0);
    *target = (md5_target){.weight = 1, .position = {5, 2, 6}};
    play_advance(player, 0);
    md5_player_pose(player, pose, NULL, NULL, scratch);
    const real3 foot = ik_joint_transform(&model->skeleton, pose, 5).translation;
    const double miss = real3_length(real3_sub(foot, to_real3(target->position)));
    return miss;
}

TEST (play_limb_of_named_joints_reaches) {
    md5_error error = {0};
    SCOPED_MODEL model = text_model(model_text, &error);
    STRINGS(limbs) = {
        "two_bone foot { middle shin root thigh }", "two_bone foot { root twist middle shin }",
        "two_bone foot { middle shin }", // `root` is then the parent of `middle`: `twist`
    };
    for (uint32_t i = 0; CHECK(model) && i < 3; i++) {
        SCOPED_MACHINE machine = create_machine(model, limbs[i], &error);
        CHECK_STRING(error.message, "");
        if (machine && i == 0) // the limbs of the other machines are too short to reach it
            CHECK_SMALL(foot_distance(machine, model), 1e-4);
        if (machine) {
            const md5_modifier_desc *const kept = md5_machine_tables(machine)->modifiers;
            CHECK_STRING(kept->middle, "shin");
        }
    }
}

TEST (play_limb_that_cannot_bend_is_rejected) {
    static const char *const cases[][2] = {
        {"two_bone foot", "modifier 'leg': joints 'shin' and 'helper' of the limb are at the same "
                          "position: select its joints with 'middle' and 'root'"},
        {"two_bone foot { middle thigh }", ""},
        {"two_bone foot { middle knee root thigh }",
         "modifier 'leg' refers to unknown joint 'knee'"},
        {"two_bone foot { middle shin root hip }", "modifier 'leg' refers to unknown joint 'hip'"},
        {"two_bone foot { middle foot root thigh }",
         "modifier 'leg': joint 'foot' is not a descendant of joint 'foot'"},
        {"two_bone foot { middle shin root helper }",
         "modifier 'leg': joint 'shin' is not a descendant of joint 'helper'"},
        {"two_bone shin { middle foot root thigh }",
         "modifier 'leg': joint 'shin' is not a descendant of joint 'foot'"},
        {"two_bone foot { middle origin }", "modifier 'leg': joint 'origin' of the limb has no "
                                            "parent"},
        {"two_bone thigh",
         "modifier 'leg': chain to joint 'thigh' is too long: expected at most 2 joints, found 3"},
        {"aim foot { middle shin }",
         "modifier 'leg' has a middle joint: only 'two_bone' supports it"},
        {"spring foot { root shin }",
         "modifier 'leg' has a root joint: only 'two_bone' supports it"},
    };
    SCOPED_MODEL model = text_model(model_text, NULL);
    for (uint32_t i = 0; CHECK(model) && i < COUNT_OF(cases); i++) {
        md5_error error = {0};
        SCOPED_MACHINE machine = create_machine(model, cases[i][0], &error);
        CHECK_STRING(error.message, cases[i][1]);
        CHECK((machine != NULL) == (cases[i][1][0] == '\0'));
    }
}

// -- Modifier weight ------------------------------------------------------------------------------
//
// Modifiers of a player without settings: springs, feet and gazes are active, all others wait for a
// target. The machine file can disable each modifier or set its weight.

typedef struct weighed {
    play_case assets;
    md5_machine_file *file;
    md5_machine *machine;
    md5_player *player;
    md5_error error;
    char warnings[300];
} weighed;

static void warn(void *user, const md5_error *warning)
{
    weighed *const fixture = user;
    snprintf(fixture->warnings, sizeof fixture->warnings, "%u:%u: %s", warning->line,
             warning->column, warning->message);
}

// Creates a machine that plays a clip with these modifiers, which are in the third line of the
// text.
static void begin(weighed *fixture, const char *modifiers)
{
    char text[1024];
    const md5_load_opts opts = {.warn = warn, .warn_user = fixture};
    memset(fixture, 0, sizeof *fixture);
    play_begin(&fixture->assets);
    play_add_clip(&fixture->assets, 21, 20, 0.8, (play_walk){40, 0, 0}, 2);
    snprintf(text, sizeof text, "machine m { clip a a { turn }\nlayer body { state s a }\n%s\n}",
             modifiers);
    fixture->file = md5_parse_machine_file(text, strlen(text), &opts, &fixture->error);
    if (!fixture->file)
        return;
    fixture->file->desc.model = fixture->assets.model;
    fixture->file->clips[0].binding = fixture->assets.bindings[0];
    fixture->machine = md5_create_machine(&fixture->file->desc, NULL, &fixture->error);
    fixture->player = fixture->machine ? play_player(fixture->machine) : NULL;
}

static void end(weighed *fixture)
{
    md5_destroy_player(fixture->player);
    md5_destroy_machine(fixture->machine);
    md5_free_machine_file(fixture->file);
    play_end(&fixture->assets);
}

#define SCOPED_WEIGHED __attribute__((cleanup(end))) weighed

enum { STEPS = 20 };

static void advance_and_pose(md5_player *player, md5_xform *pose)
{
    play_advance(player, 0.05);
    play_pose(player, pose);
}

// Returns the largest difference between the poses of two machines. If `weight` is not negative, it
// is set for the modifier of the first machine's player.
static double difference_with(const char *modifiers, const char *second_modifiers, float weight)
{
    SCOPED_WEIGHED a, b;
    double max_distance = 0;
    begin(&a, modifiers);
    begin(&b, second_modifiers);
    CHECK_STRING(a.error.message, "");
    CHECK_STRING(b.error.message, "");
    if (a.player && weight >= 0)
        md5_player_target(a.player, 0)->weight = weight;
    if (a.player && b.player) {
        for (int i = 0; i < STEPS; i++) {
            md5_xform pose[PLAY_JOINTS], second_pose[PLAY_JOINTS];
            advance_and_pose(a.player, pose);
            advance_and_pose(b.player, second_pose);
            if (memcmp(pose, second_pose, sizeof pose) != 0)
                max_distance =
                    fmax(fmax(max_distance, 1e-30), play_pose_distance(pose, second_pose));
        }
    }
    return max_distance;
}

static double difference(const char *modifiers, const char *second_modifiers)
{
    return difference_with(modifiers, second_modifiers, -1);
}

STRINGS(AT_ONCE) = {
    "modifier m spring lhand { length 3 gravity 50 %s }",
    "modifier m feet pelvis { foot lfoot hold { height 40 speed 1000 } %s }",
    "modifier m gaze head { length 2 %s }",
};
enum { NUM_AT_ONCE = COUNT_OF(AT_ONCE) };

static const char *with(const char *modifier, const char *words)
{
    static char text[2][256];
    static int next;
    next = 1 - next;
    snprintf(text[next], sizeof text[next], modifier, words);
    return text[next];
}

TEST (modifier_weight_springs_feet_and_gazes_work_at_once) {
    for (int i = 0; i < NUM_AT_ONCE; i++) {
        CHECK(difference(with(AT_ONCE[i], ""), "") > 0.05);
        CHECK(difference(with(AT_ONCE[i], ""), with(AT_ONCE[i], "weight 1")) == 0);
    }
}

static void *filled(void *fill, size_t size)
{
    void *const memory = malloc(size);
    return memory ? memset(memory, *(const int *)fill, size) : NULL;
}

static void free_filled(void *fill, void *memory, size_t size)
{
    (void)fill, (void)size;
    free(memory);
}

// The saved bytes do not depend on the previous content of the memory in which a player is created.
TEST (modifier_spring_that_cannot_move_saves_the_same_bytes) {
    SCOPED_WEIGHED fixture;
    md5_xform pose[PLAY_JOINTS];
    uint8_t saved[2][4096];
    size_t sizes[2];
    begin(&fixture, "modifier m spring lhand { length 3 stiffness 0 }");
    for (int i = 0; i < 2; i++) {
        int fill = 17 + i;
        SCOPED_PLAYER player = md5_create_player(
            fixture.machine, &(md5_allocator){filled, free_filled, &fill, 0}, &fixture.error);
        play_pose(player, pose);
        sizes[i] = md5_player_save(player, saved[i], sizeof saved[i]);
    }
    CHECK(sizes[0] == sizes[1] && sizes[0] <= sizeof saved[0]
          && memcmp(saved[0], saved[1], sizes[0]) == 0);
}

// Modifiers without a target have no effect on any bit.
TEST (modifier_weight_without_a_target_has_no_effect) {
    STRINGS(waiting) = {"modifier m joint spine { local }",
                        "modifier m joint spine { model }",
                        "modifier m joint spine { local_override }",
                        "modifier m joint spine { model_override }",
                        "modifier m joint origin { model }",
                        "modifier m aim head { length 2 }",
                        "modifier m two_bone lfoot",
                        "modifier m fabrik lhand { length 3 }",
                        "modifier m ccd lhand { length 3 }"};
    for (size_t i = 0; i < COUNT_OF(waiting); i++)
        CHECK(difference(waiting[i], "") == 0);
}

TEST (modifier_weight_of_a_file_is_the_initial_weight) {
    for (int i = 0; i < NUM_AT_ONCE; i++) {
        SCOPED_WEIGHED fixture;
        CHECK(difference(with(AT_ONCE[i], "weight 0"), "") == 0);
        // The weight of the file applies until the game sets another weight.
        CHECK(difference_with(with(AT_ONCE[i], "weight 0"), with(AT_ONCE[i], ""), 1) == 0);
        CHECK(difference(with(AT_ONCE[i], "weight 0.3"), with(AT_ONCE[i], "")) > 0.01);
        begin(&fixture, with(AT_ONCE[i], "weight 0.3"));
        CHECK(md5_player_target(fixture.player, 0)->weight == 0.3f);
        md5_player_target(fixture.player, 0)->weight = 0.9f;
        md5_player_reset(fixture.player);
        CHECK(md5_player_target(fixture.player, 0)->weight == 0.3f);
    }
}

// A position is a sufficient target; the target of a joint can be only a rotation or only a
// position.
TEST (modifier_with_a_target_needs_no_weight) {
    static const char modifiers[] =
        "modifier a aim head { length 2 } modifier b two_bone lfoot { weight 0.4 }\n"
        "modifier c fabrik lhand { length 4 } modifier d joint rhand { local_override }\n"
        "modifier e joint chest { local_override }";
    SCOPED_WEIGHED fixture;
    md5_xform pose[PLAY_JOINTS], expected[PLAY_JOINTS];
    begin(&fixture, modifiers);
    CHECK_STRING(fixture.error.message, "");
    const md5_skeleton *const skeleton = &fixture.assets.model->skeleton;
    const md5_vec3 target = {30, 20, 50};
    const md5_quat rotation = {0.6f, 0, 0, 0.8f};
    play_pose(fixture.player, expected);
    const md5_aim_job aim = {.tip = 4, .length = 2, .target = target, .weight = 1};
    const md5_two_bone_job bend = {.tip = 11, .target = target, .weight = 0.4f};
    const md5_chain_job reach = {
        .tip = 6, .length = 4, .target = target, .tolerance = 0.01f, .iterations = 16, .weight = 1};
    CHECK(md5_solve_aim(skeleton, &aim, expected));
    CHECK(md5_solve_two_bone(skeleton, &bend, expected));
    md5_solve_chain(skeleton, &reach, expected);
    expected[8].rotation = rotation;
    expected[3].translation = target;
    for (uint32_t i = 0; i < 3; i++)
        md5_player_target(fixture.player, i)->position = target;
    md5_player_target(fixture.player, 3)->rotation = rotation;
    md5_player_target(fixture.player, 4)->position = target;
    play_pose(fixture.player, pose);
    CHECK(play_pose_distance(pose, expected) < 1e-6);
    CHECK_BYTES(&pose[8].translation, &expected[8].translation, sizeof(md5_vec3));
    CHECK_BYTES(&pose[3].rotation, &expected[3].rotation, sizeof(md5_quat));
}

// The weights and targets of modifiers must be the same in a restored player, in a copy and in a
// batch. This is checked before and after a weight or target was set.
TEST (modifier_weight_is_saved_and_copied) {
    enum { NUM_COPIES = 3 };
    SCOPED_WEIGHED fixture;
    static const char modifiers[] =
        "modifier a aim head modifier b two_bone lfoot modifier c spring lhand { weight 0.7 }\n"
        "modifier d feet pelvis { foot lfoot hold { height 40 speed 1000 } } modifier e gaze head\n"
        "modifier f joint rhand { model_override } modifier g ccd rhand { length 3 weight 0 }";
    begin(&fixture, modifiers);
    CHECK_STRING(fixture.error.message, "");
    for (int when = 0; when < 3; when++) {
        md5_player *copies[NUM_COPIES];
        uint8_t bytes[4096];
        const size_t size = md5_player_save(fixture.player, bytes, sizeof bytes);
        for (int k = 0; k < NUM_COPIES; k++) {
            copies[k] = play_player(fixture.machine);
            md5_player_target(copies[k], 1)->position = (md5_vec3){9, 9, 9};
            md5_player_target(copies[k], 2)->weight = 0.1f;
            if (k == 0)
                CHECK(md5_player_restore(copies[k], bytes, size, NULL));
            else
                md5_player_copy(copies[k], fixture.player);
        }
        for (int step = 0; step < 4; step++) {
            md5_xform pose[PLAY_JOINTS], second_pose[PLAY_JOINTS];
            md5_mat34 joints[2][PLAY_JOINTS];
            md5_play_job job = {.player = copies[2], .seconds = 0.05, .joints = joints[0]};
            SCOPED void *const scratch = malloc(md5_play_batch_scratch(&job, 1, NULL));
            advance_and_pose(fixture.player, pose);
            for (int k = 0; k < 2; k++) {
                advance_and_pose(copies[k], second_pose);
                CHECK_BYTES(second_pose, pose, sizeof pose);
            }
            md5_play_batch(&job, 1, NULL, scratch);
            md5_local_to_model(&fixture.assets.model->skeleton, pose, joints[1]);
            CHECK_BYTES(joints[0], joints[1], sizeof joints[0]);
        }
        for (int k = 0; k < NUM_COPIES; k++)
            md5_destroy_player(copies[k]);
        if (when == 0)
            md5_player_target(fixture.player, 1)->position = (md5_vec3){5, 2, 6};
        else
            md5_player_target(fixture.player, 3)->weight = 0;
    }
}

static uint64_t fingerprint(const char *modifiers)
{
    SCOPED_WEIGHED fixture;
    begin(&fixture, modifiers);
    const uint64_t hash = fixture.machine ? md5_machine_fingerprint(fixture.machine) : 0;
    return hash;
}

TEST (modifier_weight_is_part_of_the_fingerprint) {
    for (int i = 0; i < NUM_AT_ONCE; i++) {
        const uint64_t off = fingerprint(with(AT_ONCE[i], "weight 0"));
        CHECK(off != fingerprint(with(AT_ONCE[i], "")));
        CHECK(off != fingerprint(with(AT_ONCE[i], "weight 0.5")));
        CHECK(off == fingerprint(with(AT_ONCE[i], "weight 0")));
    }
}

TEST (modifier_weight_out_of_range_is_rejected_with_location) {
    static const struct {
        const char *words, *message;
        uint32_t column;
    } cases[] = {
        {"modifier m spring head { weight 1.5 }",
         "modifier 'm': weight is out of range: expected 0 to 1, found 1.5", 33},
        {"modifier m gaze head { weight -1 }",
         "modifier 'm': weight is out of range: expected 0 to 1, found -1", 31},
        {"modifier m gaze head { eye lhand weight }", "expected a number, found '}'", 41},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED_WEIGHED fixture;
        begin(&fixture, cases[i].words);
        CHECK_STRING(fixture.error.message, cases[i].message);
        CHECK_UINT(fixture.error.line, 3);
        CHECK_UINT(fixture.error.column, cases[i].column);
    }
}

TEST (modifier_weight_given_twice_is_a_warning) {
    STRINGS(modifiers) = {"modifier m spring head { weight 0.3 weight 0.6 }",
                          "modifier m gaze head   { weight 0.3 weight 0.6 }"};
    for (size_t i = 0; i < COUNT_OF(modifiers); i++) {
        SCOPED_WEIGHED fixture;
        begin(&fixture, modifiers[i]);
        CHECK_STRING(fixture.warnings, "3:37: duplicate 'weight': using the last");
        CHECK(md5_player_target(fixture.player, 0)->weight == 0.6f);
    }
}
