// Tests of modifiers that place feet on the ground, in a rig whose legs have helper joints, and
// measurements of sliding soles of the characters in models/.
#include "test/ik/test_ik_case.h"
#include "test/scoped.h"
#include "test/play/test_play_case.h"

enum { PELVIS = 1, HIP_L = 2, KNEE_L = 4, ANKLE_L = 6, HIP_R = 7, KNEE_R = 8, ANKLE_R = 9 };
enum { HEAD = 10, JOINTS = 11 };

// The left leg has a twist helper in the thigh, and the foot is a child of a helper at the knee.
static const char model_text[] = "numJoints 11\nnumMeshes 0\njoints {\n"
                                 "\"origin\" -1 ( 0 0 0 ) ( 0 0 0 )\n"
                                 "\"pelvis\" 0 ( 0 0 20 ) ( 0 0.1 0 )\n"
                                 "\"hip_l\" 1 ( 0 3 20 ) ( 0 0 0 )\n"
                                 "\"twist_l\" 2 ( 1 3 15 ) ( 0 0 0.5 )\n"
                                 "\"knee_l\" 3 ( 2 3 11 ) ( 0 0 0 )\n"
                                 "\"helper_l\" 4 ( 2 3 11 ) ( 0 0.2 0 )\n"
                                 "\"ankle_l\" 5 ( 0 3 2 ) ( 0 0 0 )\n"
                                 "\"hip_r\" 1 ( 0 -3 20 ) ( 0 0 0 )\n"
                                 "\"knee_r\" 7 ( 2 -3 11 ) ( 0 0 0 )\n"
                                 "\"ankle_r\" 8 ( 0 -3 2 ) ( 0 0 0 )\n"
                                 "\"head\" 1 ( 0 0 40 ) ( 0 0 0 )\n}\n";

// Creates a machine with the given modifier. If the text is invalid, sets an error and no machine.
static void begin(play_rig *fixture, const char *words)
{
    play_rig_read(fixture, model_text, NULL, "machine m {\nmodifier stand %s }", words);
    play_rig_start(fixture);
    if (fixture->player)
        md5_player_target(fixture->player, 0)->weight = 1;
}

static real3 joint_position(const play_rig *fixture, const md5_xform *pose, uint32_t joint)
{
    return ik_joint_transform(&fixture->model->skeleton, pose, joint).translation;
}

#define LEGS "foot ankle_l { knee knee_l hip hip_l } foot ankle_r"

// Sets a ground that rises to the left by 1/2 unit per unit of y and is 1 unit below the origin.
static void slope(void *user, const md5_player *player, md5_vec3 ankle, md5_foot *foot)
{
    ++*(uint32_t *)user;
    CHECK(player);
    foot->floor = 0.5f * ankle.y - 1;
    foot->normal = (md5_vec3){0, -0.4472135955f, 0.8944271910f};
}

#define TEST_HERE(title, ...) \
    TEST_WITH (title, play_rig, fixture, begin(fixture, __VA_ARGS__), play_rig_end(fixture))

// Ankles keep their height above the ground as in the bind pose, which the machine plays.
TEST_HERE (play_feet_stand_on_the_ground_of_the_callback, "feet pelvis { " LEGS " }") {
    uint32_t num_calls = 0;
    CHECK_STRING(fixture->error.message, "");
    md5_player_set_ground(fixture->player, slope, &num_calls);
    play_rig_advance(fixture, 0);
    CHECK_UINT(num_calls, 2);
    static const uint32_t ankles[] = {ANKLE_L, ANKLE_R};
    static const double floors[] = {0.5, -2.5};
    const md5_foot *const feet = md5_player_feet(fixture->player, 0);
    for (int i = 0; i < 2; i++) {
        const real3 was = joint_position(fixture, fixture->model->bind_local, ankles[i]);
        const real3 is = joint_position(fixture, fixture->pose, ankles[i]);
        CHECK_NEAR(is.x, was.x, 1e-4);
        CHECK_NEAR(is.y, was.y, 1e-4);
        CHECK_NEAR(is.z, was.z + floors[i], 1e-4);
        CHECK(feet[i].result == MD5_LIMB_REACHED && feet[i].miss < 1e-4f);
    }
    // The pelvis and its descendants sink with the lower foot. The up direction of the feet tilts.
    CHECK_NEAR(joint_position(fixture, fixture->pose, HEAD).z, 40 - 2.5, 1e-4);
    const real3 up =
        real4_rotate(ik_joint_transform(&fixture->model->skeleton, fixture->pose, ANKLE_R).rotation,
                     (real3){0, 0, 1});
    CHECK_NEAR(up.y, -0.4472135955, 1e-5);
    CHECK_NEAR(up.z, 0.8944271910, 1e-5);
}

TEST_HERE (play_feet_use_heights_that_the_game_writes, "feet pelvis { " LEGS " }") {
    md5_foot *const feet = md5_player_feet(fixture->player, 0);
    feet[0].floor = 2;
    feet[1].floor = -1;
    play_rig_advance(fixture, 0);
    CHECK_NEAR(joint_position(fixture, fixture->pose, ANKLE_L).z, 4, 1e-4);
    CHECK_NEAR(joint_position(fixture, fixture->pose, ANKLE_R).z, 1, 1e-4);
    CHECK(md5_player_feet(fixture->player, 1) == NULL);
    md5_player_reset(fixture->player);
    CHECK(feet[0].floor == 0 && feet[0].lift == 0 && feet[0].ankle == ANKLE_L);
}

TEST (play_feet_follow_with_their_time_constant) {
    static const struct {
        const char *words;
        double constant;
    } cases[] = {{"feet pelvis { " LEGS " }", 0.1},
                 {"feet pelvis { " LEGS " smoothing 0.3 }", 0.3},
                 {"feet pelvis { " LEGS " smoothing 0 }", 1e-9}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED_RIG fixture;
        begin(&fixture, cases[i].words);
        md5_foot *const feet = md5_player_feet(fixture.player, 0);
        play_rig_advance(&fixture, 0);
        feet[0].floor = feet[1].floor = 2;
        for (int step = 1; step <= 7; step++) {
            play_rig_advance(&fixture, 0.02);
            const double height = 2 * (1 - exp(-0.02 * step / cases[i].constant));
            CHECK_NEAR(feet[0].lift, height, 1e-5);
            CHECK_NEAR(joint_position(&fixture, fixture.pose, ANKLE_L).z, 2 + height, 1e-4);
        }
    }
}

// With weight 0 nothing changes. After that, feet begin on the ground instead of moving there from
// their previous positions.
TEST_HERE (play_feet_that_are_enabled_are_placed_immediately,
           "feet pelvis { " LEGS " smoothing 10 }") {
    md5_foot *const feet = md5_player_feet(fixture->player, 0);
    md5_target *const target = md5_player_target(fixture->player, 0);
    feet[0].floor = feet[1].floor = 2;
    play_rig_advance(fixture, 0.1);
    CHECK_NEAR(joint_position(fixture, fixture->pose, ANKLE_L).z, 4, 1e-4);
    target->weight = 0;
    play_rig_advance(fixture, 0.1);
    CHECK_BYTES(fixture->pose, fixture->model->bind_local, JOINTS * sizeof *fixture->pose);
    feet[0].floor = feet[1].floor = -1;
    target->weight = 1;
    play_rig_advance(fixture, 0.1);
    CHECK_NEAR(joint_position(fixture, fixture->pose, ANKLE_L).z, 1, 1e-4);
    CHECK_NEAR(joint_position(fixture, fixture->pose, ANKLE_R).z, 1, 1e-4);
}

TEST (play_feet_without_valid_legs_are_rejected) {
    static const struct {
        const char *words, *message;
        uint32_t column;
    } cases[] = {
        {"feet tail { " LEGS " }", "modifier 'stand' refers to unknown joint 'tail'", 21},
        {"feet pelvis", "modifier 'stand' has no feet: expected at least 1", 21},
        {"feet pelvis { foot toe }", "modifier 'stand' refers to unknown joint 'toe'", 35},
        {"feet pelvis { foot ankle_l }",
         "modifier 'stand': joints 'knee_l' and 'helper_l' of the limb are at the same position: "
         "select its joints with 'knee' and 'hip'",
         35},
        {"feet pelvis { foot ankle_l { knee knee_r } }",
         "modifier 'stand': joint 'ankle_l' is not a descendant of joint 'knee_r'", 50},
        {"feet pelvis { foot ankle_l { knee shin } }",
         "modifier 'stand' refers to unknown joint 'shin'", 50},
        {"feet pelvis { foot pelvis }",
         "modifier 'stand': joint 'origin' of the limb has no parent", 35},
        {"feet pelvis { " LEGS " smoothing -1 }",
         "modifier 'stand': smoothing is out of range: expected 0 to 1e+06, found -1", 92},
        {"spring head { foot ankle_r }", "modifier 'stand' has feet: only 'feet' supports them", 0},
        {"feet pelvis { foot { knee shin } }", "expected the ankle of a foot, found '{'", 35},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED_RIG fixture;
        begin(&fixture, cases[i].words);
        CHECK_STRING(fixture.error.message, cases[i].message);
        CHECK_UINT(fixture.error.line, cases[i].column > 0 ? 2 : 0);
        CHECK_UINT(fixture.error.column, cases[i].column);
        CHECK(!fixture.machine);
    }
}

// A machine with such an error can also be created from tables that are written in C.
TEST_HERE (play_feet_without_a_table_are_rejected, "feet pelvis { " LEGS " }") {
    const md5_foot_desc nameless = {0};
    md5_modifier_desc modifier = {
        .name = "stand", .kind = MD5_MODIFIER_FEET, .joint = "pelvis", .num_feet = 1};
    const md5_machine_desc desc = {.model = fixture->model, ROW(modifiers, modifier)};
    play_desc_refused(&desc, "modifier 'stand': feet is NULL: expected an array of 1 elements");
    modifier.feet = &nameless;
    play_desc_refused(&desc, "modifier 'stand': foot has no ankle: expected the name of a joint");
}

// -- Soles ----------------------------------------------------------------------------------------
//
// Characters with their machine files and without added parameters for feet: measures how fast the
// vertices of their soles slide while they are on the floor.

enum { STEPS_PER_SECOND = 60, MAX_SOLES = 512 };

// Heights in units. Vertices below `sole_height` in the bind pose belong to soles; soles below
// `on_floor` are on the floor.
static const float sole_height = 0.3f;
static const float on_floor = 0.15f;

typedef struct strider {
    md5_character *character;
    md5_player *player;
    void *scratch;
    md5_xform *pose, placement;
    md5_mat34 *palette;
    md5_vec3 *skin; // vertices of the largest mesh
    uint32_t num_soles;
    uint32_t mesh[MAX_SOLES];
    uint32_t vertex[MAX_SOLES];
    md5_vec3 at[MAX_SOLES]; // positions in world space
} strider;

static void pose(strider *fixture)
{
    const md5_model *const model = fixture->character->model;
    md5_player_pose(fixture->player, fixture->pose, NULL, fixture->palette, fixture->scratch);
    uint32_t mesh = model->num_meshes;
    for (uint32_t i = 0; i < fixture->num_soles; i++) {
        if (fixture->mesh[i] != mesh)
            md5_skin(&model->meshes[mesh = fixture->mesh[i]], fixture->palette, fixture->skin, NULL,
                     NULL);
        fixture->at[i] = md5_xform_point(fixture->placement, fixture->skin[fixture->vertex[i]]);
    }
}

// Movement of sole vertices between two steps if they are on the floor in both.
typedef struct slide_record {
    double fastest, mean; // units per second
    double fast_fraction; // fraction of the vertices that is faster than 2 units per second
    uint32_t count;
} slide_record;

static void step(strider *fixture, slide_record *record)
{
    md5_vec3 before[MAX_SOLES];
    memcpy(before, fixture->at, sizeof before);
    play_advance(fixture->player, 1.0 / (double)STEPS_PER_SECOND);
    fixture->placement = md5_xform_mul(fixture->placement, md5_player_root_motion(fixture->player));
    pose(fixture);
    for (uint32_t i = 0; i < fixture->num_soles; i++) {
        if (before[i].z > on_floor || fixture->at[i].z > on_floor)
            continue;
        const double x = (double)fixture->at[i].x - before[i].x;
        const double y = (double)fixture->at[i].y - before[i].y;
        const double slide = hypot(x, y) * (double)STEPS_PER_SECOND;
        record->fastest = fmax(record->fastest, slide);
        record->mean += slide;
        record->fast_fraction += slide > 2 ? 1 : 0;
        record->count++;
    }
}

// A test case: the parameter `first` is set at the start, `then` (or a trigger) 2.5 seconds later.
// The seconds from `from` to `until` are measured.
typedef struct order {
    const char *name;
    float first;
    float then;
    float turn_parameter;
    const char *trigger;
    double from, until;
} order;

// Plays an order. A negative `weight` selects the weight of the machine file.
static slide_record stride(const char *file, const order *test_order, float weight)
{
    strider fixture;
    slide_record record = {0};
    slide_record unseen;
    md5_error error = {0};
    memset(&fixture, 0, sizeof fixture);
    fixture.character = md5_load_character(test_path(file), NULL, &error);
    CHECK_STRING(error.message, "");
    if (!fixture.character)
        return record;
    const uint32_t num_joints = fixture.character->model->skeleton.num_joints;
    fixture.player = md5_create_player(fixture.character->machine, NULL, NULL);
    fixture.scratch = malloc(md5_player_pose_scratch(fixture.character->machine));
    fixture.pose = malloc(num_joints * sizeof *fixture.pose);
    fixture.palette = malloc(num_joints * sizeof *fixture.palette);
    fixture.placement.rotation.w = 1;
    const md5_model *const model = fixture.character->model;
    uint32_t max_vertices = 0;
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        const md5_mesh *const mesh = &model->meshes[m];
        max_vertices = mesh->num_vertices > max_vertices ? mesh->num_vertices : max_vertices;
        for (uint32_t v = 0; v < mesh->num_vertices; v++) {
            if (mesh->positions[v].z <= sole_height && CHECK(fixture.num_soles < MAX_SOLES)) {
                fixture.mesh[fixture.num_soles] = m;
                fixture.vertex[fixture.num_soles++] = v;
            }
        }
    }
    fixture.skin = malloc(max_vertices * sizeof *fixture.skin);
    pose(&fixture);

    const uint32_t feet = md5_find_modifier(fixture.character->machine, "legs");
    if (CHECK(feet != MD5_NONE) && weight >= 0)
        md5_player_target(fixture.player, feet)->weight = weight;
    play_set(fixture.player, "speed", test_order->first);
    play_set(fixture.player, "turn", test_order->turn_parameter);
    for (int i = 0; i < (int)(test_order->until * (double)STEPS_PER_SECOND); i++) {
        if (i == 5 * STEPS_PER_SECOND / 2) {
            play_set(fixture.player, "speed", test_order->then);
            play_set(fixture.player, "turn", 0);
            if (test_order->trigger)
                play_set(fixture.player, test_order->trigger, 1);
        }
        step(&fixture, i >= (int)(test_order->from * (double)STEPS_PER_SECOND) ? &record : &unseen);
    }
    free(fixture.skin);
    free(fixture.palette);
    free(fixture.pose);
    free(fixture.scratch);
    md5_destroy_player(fixture.player);
    md5_free_character(fixture.character);
    if (CHECK(record.count > 500)) {
        record.mean /= record.count;
        record.fast_fraction *= 100.0 / record.count;
    }
    return record;
}

static void check_order(const char *file, const order *test_order, double max_fast_fraction)
{
    const slide_record off = stride(file, test_order, 0);
    const slide_record on = stride(file, test_order, 1);
    const slide_record unchanged = stride(file, test_order, -1);
    printf("note: %s, %s: sole vertices on the floor slide at %.2f units a second on average, "
           "above 2 in %.2f %%, at most %.1f; with feet that are not held %.2f, %.2f %%, %.1f\n",
           file, test_order->name, unchanged.mean, unchanged.fast_fraction, unchanged.fastest,
           off.mean, off.fast_fraction, off.fastest);
    CHECK(unchanged.mean == on.mean && unchanged.fastest == on.fastest);
    CHECK(off.mean > 0.1);
    CHECK(unchanged.mean < 0.6 * off.mean
          && unchanged.fast_fraction <= max_fast_fraction * off.fast_fraction);
}

// The fastest vertices have no limit: if the speed of the root jumps, as at the start of a run,
// soles that are about to lift move with it.
TEST (soles_of_bobbin_do_not_slide) {
    static const order orders[] = {
        {"fall out of steps back", -3, -3, 0, "fall", 2.5, 3.4},
        {"start of a run", 45, 45, 0, NULL, 0, 2},
        {"start of a walk", 22.5f, 22.5f, 0, NULL, 0, 2},
        {"stop of a walk", 22.5f, 0, 0, NULL, 2.5, 4.5},
        {"steps back", -3, 0, 0, NULL, 0, 4.5},
        {"turn", 0, 0, 60, NULL, 0, 4.5},
    };
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        const order *const row = &orders[i];
        check_order("models/bobbin/bobbin.md5machine", row, 0.8);
    }
}

TEST (soles_of_thimble_do_not_slide) {
    static const order orders[] = {
        {"shot out of a trot", 45, 45, 0, "shoot", 2.5, 4},
        {"start of a trot", 45, 45, 0, NULL, 0, 2},
        {"start of a walk", 22.5f, 22.5f, 0, NULL, 0, 2},
        {"stop of a walk", 22.5f, 0, 0, NULL, 2.5, 4.5},
        {"steps back", -3, 0, 0, NULL, 0, 4.5},
        {"turn", 0, 0, 30, NULL, 0, 4.5},
    };
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        const order *const row = &orders[i];
        check_order("models/thimble/thimble.md5machine", row, 0);
    }
}
