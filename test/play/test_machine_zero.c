// Numbers for which 0 in a table selects a default: a 0 that is written in a text has the value 0;
// in a table MD5_ZERO has.
#include "test/test.h"
#include "test/play/test_play_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct zero_rig {
    play_case made;
    md5_machine_file *file;
    md5_machine *machine;
    md5_player *player;
} zero_rig;

// Creates a machine of two clips, `a` and `b`, and the text `words`. `set`, unless NULL, changes
// the tables that were read before the machine is created.
static void begin(zero_rig *rig, const char *words, void (*set)(const md5_machine_desc *desc))
{
    char text[1024];
    md5_error error;
    snprintf(text, sizeof text, "machine m { float one 1 clip a a clip b b { turn }\n%s\n}", words);
    play_begin(&rig->made);
    play_add_clip(&rig->made, 21, 20.0, 0.4, (play_walk){0}, 1);
    play_add_clip(&rig->made, 21, 20.0, 0.8, (play_walk){20.0, 0.0, 0.0}, 2);
    rig->file = md5_parse_machine_file(text, strlen(text), NULL, &error);
    if (!CHECK(rig->file)) {
        printf("%s\n", error.message);
        abort();
    }
    CHECK_UINT(rig->file->num_warnings, 0);
    rig->file->desc.model = rig->made.model;
    for (uint32_t i = 0; i < 2; i++)
        rig->file->clips[i].binding = rig->made.bindings[i];
    if (set)
        set(&rig->file->desc);
    rig->machine = play_machine(&rig->file->desc);
    rig->player = play_player(rig->machine);
}

static void end(zero_rig *rig)
{
    md5_destroy_player(rig->player);
    md5_destroy_machine(rig->machine);
    md5_free_machine_file(rig->file);
    play_end(&rig->made);
}

enum { STEPS = 12 };

// Pose and root motion of a player after a step.
typedef struct zero_step {
    md5_xform pose[PLAY_JOINTS], motion;
} zero_step;

// Plays STEPS steps with a target for all modifiers.
static void play(zero_rig *rig, zero_step steps[STEPS])
{
    for (uint32_t i = 0; i < rig->file->desc.num_modifiers; i++) {
        md5_target *const target = md5_player_target(rig->player, i);
        target->rotation = (md5_quat){0.0f, 0.0f, 0.0f, 1.0f};
        target->position = (md5_vec3){10.0f, 30.0f, 20.0f};
    }
    for (int step = 0; step < STEPS; step++) {
        for (uint32_t i = 0; i < rig->file->desc.num_modifiers; i++) {
            md5_foot *const feet = md5_player_feet(rig->player, i);
            if (feet)
                feet->floor = 0.1f * (float)step;
        }
        md5_player_advance(rig->player, 0.07, NULL, NULL);
        play_pose(rig->player, steps[step].pose);
        steps[step].motion = md5_player_root_motion(rig->player);
    }
}

// Returns the largest difference between the poses and root motions of two machines.
static double difference(const char *words, void (*set)(const md5_machine_desc *desc),
                         const char *other)
{
    zero_step a[STEPS], b[STEPS];
    zero_rig rig;
    double most = 0.0;
    begin(&rig, words, set);
    play(&rig, a);
    end(&rig);
    begin(&rig, other, NULL);
    play(&rig, b);
    end(&rig);
    for (int step = 0; step < STEPS; step++) {
        const float moved = a[step].motion.translation.x - b[step].motion.translation.x;
        most = fmax(most, play_pose_distance(a[step].pose, b[step].pose));
        most = fmax(most, (double)fabsf(moved));
    }
    return most;
}

// The first row of each table, to be changed.
#define FIRST(type, table) ((type *)(uintptr_t)(table))
static void set_layer_weight(const md5_machine_desc *desc)
{
    FIRST(md5_layer_desc, desc->layers)[desc->num_layers - 1].weight = MD5_ZERO;
}
static void set_item_weight(const md5_machine_desc *desc)
{
    FIRST(md5_motion_item, desc->motions->items)[1].weight = MD5_ZERO;
}
static void set_speed(const md5_machine_desc *desc)
{
    FIRST(md5_motion_desc, desc->motions)->speed = MD5_ZERO;
}
static void set_limit(const md5_machine_desc *desc)
{
    FIRST(md5_modifier_desc, desc->modifiers)->aim.limit = MD5_ZERO;
}
static void set_stiffness(const md5_machine_desc *desc)
{
    FIRST(md5_modifier_desc, desc->modifiers)->spring.stiffness = MD5_ZERO;
}
static void set_damping(const md5_machine_desc *desc)
{
    FIRST(md5_modifier_desc, desc->modifiers)->spring.damping = MD5_ZERO;
}

static void set_weight(const md5_machine_desc *desc)
{
    FIRST(md5_modifier_desc, desc->modifiers)->weight = MD5_ZERO;
}

static void set_smoothing(const md5_machine_desc *desc)
{
    FIRST(md5_modifier_desc, desc->modifiers)->smoothing = MD5_ZERO;
}

#define GAZE(desc) FIRST(md5_modifier_gaze, (desc)->modifiers->gaze)
static void set_head_limit(const md5_machine_desc *desc)
{
    GAZE(desc)->numbers.head_limit = MD5_ZERO;
}
static void set_head_share(const md5_machine_desc *desc)
{
    GAZE(desc)->numbers.head_share = MD5_ZERO;
}
static void set_interest(const md5_machine_desc *desc)
{
    GAZE(desc)->numbers.interest = MD5_ZERO;
}

#define BODY "layer body { state s a } "
#define TOP(words) "layer top { " words " state t b } "
#define STACK(words) "motion k stack { item a item b { " words " } } layer body { state s k } "
#define STILL(words) "motion k clip a { " words " } layer body { state s k } "
#define SPACE(words) "motion k line one { item a 0 item b 2 " words " } layer body { state s k } "

// `zero` has a 0; `same` has the same effect without it; `left_out` leaves the number out, so that
// it has its default; `set` changes that default to MD5_ZERO in the tables.
static const struct {
    const char *name, *zero, *same, *left_out;
    void (*set)(const md5_machine_desc *desc);
} cases[] = {
    {"weight of a layer", BODY TOP("weight 0"), BODY, BODY TOP(""), set_layer_weight},
    {"weight -0 of a layer", BODY TOP("weight -0"), BODY, BODY TOP(""), set_layer_weight},
    {"weight of an added layer", BODY TOP("add weight 0e9"), BODY, BODY TOP("add"),
     set_layer_weight},
    {"weight of the first layer", TOP("weight 0"), "layer l { state s nothing }", TOP(""),
     set_layer_weight},
    {"weight of a masked layer", "mask m ( *spine )" BODY TOP("mask m weight 0"), BODY,
     "mask m ( *spine )" BODY TOP("mask m"), set_layer_weight},
    {"weight of an item", STACK("weight 0"), BODY, STACK(""), set_item_weight},
    {"weight of an added item", STACK("add weight 0.0"), BODY, STACK("add"), set_item_weight},
    {"speed of a clip", STILL("start 0.3 speed 0"), "float z 0 " STILL("start 0.3 speed z"),
     STILL("start 0.3"), set_speed},
    {"speed of a blend space", SPACE("speed 0"), "float z 0 " SPACE("speed z"), SPACE(""),
     set_speed},
    {"limit", BODY "modifier l aim head { length 2 limit 0 }", BODY,
     BODY "modifier l aim head { length 2 }", set_limit},
    {"stiffness", BODY "modifier l spring head { stiffness 0 }", BODY,
     BODY "modifier l spring head", set_stiffness},
    {"damping", BODY "modifier l spring head { damping 0 gravity 30 }",
     BODY "modifier l spring head { damping 1e-30 gravity 30 }",
     BODY "modifier l spring head { gravity 30 }", set_damping},
    {"weight of a modifier", BODY "modifier l two_bone lfoot { weight 0 }", BODY,
     BODY "modifier l two_bone lfoot", set_weight},
    {"weight of a gaze", BODY "modifier l gaze head { weight 0 }", BODY,
     BODY "modifier l gaze head", set_weight},
    {"smoothing", BODY "modifier l feet pelvis { foot lfoot smoothing 0 }",
     BODY "modifier l feet pelvis { foot lfoot smoothing 1e-6 }",
     BODY "modifier l feet pelvis { foot lfoot }", set_smoothing},
    {"head_limit", BODY "modifier l gaze head { head_limit 0 }", BODY, BODY "modifier l gaze head",
     set_head_limit},
    {"head_share", BODY "modifier l gaze head { head_share 0 }",
     BODY "modifier l gaze head { head_share 1e-20 }", BODY "modifier l gaze head", set_head_share},
    {"interest", BODY "modifier l gaze head { interest 0 }",
     BODY "modifier l gaze head { interest 1e-20 }", BODY "modifier l gaze head { interest 1 }",
     set_interest},
};
enum { NUM_CASES = sizeof cases / sizeof cases[0] };

TEST (machine_zero_in_a_text_is_zero) {
    for (size_t i = 0; i < NUM_CASES; i++) {
        const double from_same = difference(cases[i].zero, NULL, cases[i].same);
        const double from_default = difference(cases[i].zero, NULL, cases[i].left_out);
        if (!CHECK(from_same == 0.0) || !CHECK(from_default > 1e-3))
            printf("%s: %g, %g\n", cases[i].name, from_same, from_default);
    }
}

TEST (machine_zero_in_a_table_is_md5_zero) {
    for (size_t i = 0; i < NUM_CASES; i++) {
        const double from_same = difference(cases[i].left_out, cases[i].set, cases[i].same);
        if (!CHECK(from_same == 0.0))
            printf("%s: %g\n", cases[i].name, from_same);
    }
}

// Everywhere else 0 means the same as leaving the number out.
TEST (machine_zero_elsewhere_is_what_is_left_out) {
    static const struct {
        const char *zero, *left_out;
    } pairs[] = {
        {"float q 0 layer l { state s a state t b transition s t { when q > -1 } }",
         "float q layer l { state s a state t b transition s t { when q > -1 } }"},
        {"mask m ( *spine ) { feather 0 }" BODY TOP("mask m"),
         "mask m ( *spine )" BODY TOP("mask m")},
        {STILL("start 0"), STILL("")},
        {"layer l { state s a state t b transition s t { exit 0.3 duration 0 start 0 priority 0 } "
         "}",
         "layer l { state s a state t b transition s t { exit 0.3 } }"},
        {"layer l { state s a state t b transition s t { exit 0 duration 0.3 } }",
         "layer l { state s a state t b transition s t { duration 0.3 } }"},
        {BODY "modifier l two_bone lfoot { soften 0 }", BODY "modifier l two_bone lfoot"},
        {BODY "modifier l spring head { gravity 0 }", BODY "modifier l spring head"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (!CHECK(difference(pairs[i].zero, NULL, pairs[i].left_out) == 0.0))
            printf("%s\n", pairs[i].zero);
    }
}

static void check_refused(const char *words, void (*set)(const md5_machine_desc *desc),
                          const char *message)
{
    zero_rig rig;
    md5_error error;
    begin(&rig, BODY, NULL);
    char text[256];
    snprintf(text, sizeof text, "machine m { clip a a clip b b\n%s }", words);
    md5_machine_file *const file = md5_parse_machine_file(text, strlen(text), NULL, &error);
    if (file) {
        file->desc.model = rig.made.model;
        for (uint32_t i = 0; i < 2; i++)
            file->clips[i].binding = rig.made.bindings[i];
        if (set)
            set(&file->desc);
        CHECK(!md5_create_machine(&file->desc, NULL, &error));
    }
    CHECK_STRING(error.message, message);
    CHECK_UINT(error.line, 2);
    md5_free_machine_file(file);
    end(&rig);
}

static void set_stretch(const md5_machine_desc *desc)
{
    FIRST(md5_modifier_desc, desc->modifiers)->two_bone.stretch = MD5_ZERO;
}

// Where 0 makes no sense it is refused, not replaced.
TEST (machine_zero_is_refused_where_it_makes_no_sense) {
    static const char stretch[] = "modifier 'l': stretch is 0, which must be 1 to 1e+06";
    check_refused("modifier l two_bone lfoot { stretch 0 }", NULL, stretch);
    check_refused("modifier l two_bone lfoot { stretch 1 }", set_stretch, stretch);
    check_refused("modifier l aim head { length 0 }", NULL, "length 0: expected 1 or more");
    check_refused("modifier l aim head { forward ( 0 0 0 ) }", NULL,
                  "forward ( 0 0 0 ) is not a direction");
    check_refused("modifier l aim head { up ( 0 0 0 ) }", NULL, "up ( 0 0 0 ) is not a direction");
}

// A limit of MD5_ZERO turns nothing; a limit of 0 selects the default.
TEST (machine_zero_limit_of_an_aim_turns_nothing) {
    zero_rig rig;
    begin(&rig, BODY, NULL);
    md5_xform pose[PLAY_JOINTS], old[PLAY_JOINTS];
    play_pose(rig.player, old);
    memcpy(pose, old, sizeof pose);
    md5_aim_job job = {.tip = 4, .length = 2, .target = {0.0f, 30.0f, 20.0f}, .weight = 1.0f};
    job.numbers.limit = MD5_ZERO;
    CHECK(md5_solve_aim(&rig.made.model->skeleton, &job, pose));
    CHECK(memcmp(pose, old, sizeof pose) == 0);
    job.numbers.limit = 0.0f;
    CHECK(md5_solve_aim(&rig.made.model->skeleton, &job, pose));
    CHECK(play_pose_distance(pose, old) > 0.1);
    job.numbers.limit = MD5_ZERO;
    job.tip = PLAY_JOINTS;
    CHECK(!md5_solve_aim(&rig.made.model->skeleton, &job, pose));
    end(&rig);
}
