// Tests of inverse kinematics, mirrored poses and state machines of characters that were loaded
// with converted axes and units. The results must equal those in the axes and units of the file,
// converted afterwards.
#include "test/load/test_axes_case.h"
#include "test/scoped.h"
#include "test/play/test_play_case.h"

#define SCALE 0.0254f
#define SIZE 40.0 // size of the character, units

static double pose_error(const axes_case *fixture, const md5_skeleton *skeleton,
                         const md5_xform *from, const md5_xform *to)
{
    double max_error = 0;
    for (uint32_t i = 0; i < skeleton->num_joints; i++)
        max_error = fmax(max_error, axes_transform_error(fixture, SCALE, &from[i], &to[i], SIZE));
    return max_error;
}

// -- Poses ------------------------------------------------------------------------------------

// The bind pose of one character with slightly bent arms, once converted and once not.
typedef struct both {
    const axes_case *fixture;
    md5_model *from, *to;
    md5_xform *pose, *converted;
} both;

static void reset(both *pair)
{
    const size_t size = pair->from->skeleton.num_joints * sizeof *pair->pose;
    memcpy(pair->pose, pair->from->bind_local, size);
    memcpy(pair->converted, pair->to->bind_local, size);
}

static bool begin(both *pair, const axes_case *fixture)
{
    const md5_load_opts opts = axes_options(fixture, SCALE);
    *pair = (both){fixture, axes_load_model("models/bobbin/bobbin.md5mesh", NULL),
                   axes_load_model("models/bobbin/bobbin.md5mesh", &opts), NULL, NULL};
    if (!pair->from || !pair->to)
        return false;
    const size_t count = pair->from->skeleton.num_joints;
    pair->pose = malloc(count * sizeof *pair->pose);
    pair->converted = malloc(count * sizeof *pair->converted);
    reset(pair);
    return true;
}

static void end(both *pair)
{
    free(pair->pose);
    free(pair->converted);
    md5_free_model(pair->from);
    md5_free_model(pair->to);
}

static uint32_t joint(const both *pair, const char *name)
{
    const uint32_t found = md5_find_joint(&pair->from->skeleton, name);
    CHECK(found != MD5_NONE);
    return found == MD5_NONE ? 0 : found;
}

static void check_both(const both *pair, double tolerance)
{
    if (!CHECK_SMALL(pose_error(pair->fixture, &pair->from->skeleton, pair->pose, pair->converted),
                     tolerance))
        CHECK_STRING("", pair->fixture->name);
}

// Uses the default axes of the joint, and targets in all directions, including nearly vertical
// directions.
TEST (axes_keep_aimed_joints_upright) {
    static const md5_vec3 targets[] = {{100, 20, 30}, {50, -80, 10}, {30, 5, 300}, {40, 30, -60}};
    for (int i = 0; i < NUM_AXES; i++) {
        both pair;
        if (!begin(&pair, &axes_cases[i]))
            return;
        for (int k = 0; k < 8; k++) {
            const md5_vec3 up = {0, 0.6f, 0.8f};
            md5_aim_job job = {.tip = joint(&pair, "head"),
                               .length = 1 + (uint32_t)k % 3,
                               .target = targets[k % 4],
                               .weight = 0.9f};
            if (k >= 4)
                job.params.up = up;
            if (k % 2 != 0)
                job.params.limit = 0.6f;
            reset(&pair);
            CHECK(md5_solve_aim(&pair.from->skeleton, &job, pair.pose));
            job.target = axes_point(pair.fixture, SCALE, job.target);
            job.params.up = axes_point(pair.fixture, 1, job.params.up);
            CHECK(md5_solve_aim(&pair.to->skeleton, &job, pair.converted));
            check_both(&pair, 5e-6);
        }
        end(&pair);
    }
}

// A straight leg bends to the front of the character in every system of axes.
TEST (axes_bend_straight_limbs_toward_forward) {
    for (int i = 0; i < NUM_AXES; i++) {
        const axes_case *const fixture = &axes_cases[i];
        const md5_load_opts opts = axes_options(fixture, SCALE);
        static const char text[] =
            "MD5Version 10\ncommandline \"\"\nnumJoints 4\nnumMeshes 0\njoints {\n"
            "\"hip\" -1 ( 0 0 30 ) ( 0 0 0 )\n\"knee\" 0 ( 0 0 20 ) ( 0 0 0 )\n"
            "\"foot\" 1 ( 0 0 10 ) ( 0 0 0 )\n\"toe\" 2 ( 0 0 0 ) ( 0 0 0 )\n}\n";
        SCOPED_MODEL from = text_model(text, NULL);
        SCOPED_MODEL to = md5_parse_model(text, sizeof text - 1, &opts, NULL);
        if (CHECK(from && to)) {
            for (int k = 0; k < 3; k++) {
                md5_xform a[4], b[4];
                memcpy(a, from->bind_local, sizeof a);
                memcpy(b, to->bind_local, sizeof b);
                const md5_vec3 target = {0, 0, 16};
                if (k == 0) {
                    md5_two_bone_job job = {.tip = 2, .target = target, .weight = 1};
                    CHECK(md5_solve_two_bone(&from->skeleton, &job, a));
                    job.target = axes_point(fixture, SCALE, target);
                    CHECK(md5_solve_two_bone(&to->skeleton, &job, b));
                } else {
                    md5_chain_job job = {.solver = k == 1 ? MD5_CHAIN_FABRIK : MD5_CHAIN_CCD,
                                         .tip = 3,
                                         .length = 4,
                                         .target = target,
                                         .tolerance = 1e-3f,
                                         .iterations = 60,
                                         .weight = 1};
                    md5_solve_chain(&from->skeleton, &job, a);
                    job.target = axes_point(fixture, SCALE, target);
                    job.tolerance *= SCALE;
                    md5_solve_chain(&to->skeleton, &job, b);
                }
                CHECK_SMALL(pose_error(fixture, &from->skeleton, a, b), 1e-4);
                // The knee must be in front of the line from hip to foot.
                md5_mat34 joints[4];
                double ahead[3];
                md5_local_to_model(&to->skeleton, b, joints);
                axes_direction(fixture, (md5_vec3){1, 0, 0}, ahead);
                const md5_vec3 knee = md5_mat34_translation(joints[1]);
                CHECK(k > 0
                      || ahead[0] * knee.x + ahead[1] * knee.y + ahead[2] * knee.z > 5.0 * SCALE);
            }
        }
    }
}

TEST (feet_are_placed_along_the_up_axis) {
    for (int i = 0; i < NUM_AXES; i++) {
        both pair;
        if (!begin(&pair, &axes_cases[i]))
            return;
        md5_foot feet[2] = {
            {.ankle = joint(&pair, "foot_l"), .floor = 4, .normal = {0.2f, 0.1f, 1}},
            {.ankle = joint(&pair, "foot_r"), .floor = -2}};
        md5_foot converted_feet[2] = {feet[0], feet[1]};
        md5_feet_job job = {.pelvis = joint(&pair, "hips"),
                            .feet = feet,
                            .num_feet = 2,
                            .smoothing = 0.1f,
                            .seconds = 0.05f,
                            .weight = 0.8f};
        md5_feet_job converted_job = job;
        converted_job.feet = converted_feet;
        for (int k = 0; k < 2; k++) {
            converted_feet[k].floor = feet[k].floor * SCALE;
            converted_feet[k].normal = axes_point(pair.fixture, 1, feet[k].normal);
        }
        for (int step = 0; step < 5; step++) {
            reset(&pair);
            const uint32_t placed = md5_solve_feet(&pair.from->skeleton, &job, pair.pose);
            CHECK_UINT(md5_solve_feet(&pair.to->skeleton, &converted_job, pair.converted), placed);
            CHECK_NEAR(converted_job.drop, (double)job.drop * SCALE, 1e-6);
            check_both(&pair, 2e-5);
        }
        end(&pair);
    }
}

TEST (axes_mirror_left_and_right) {
    for (int i = 0; i < NUM_AXES; i++) {
        both pair;
        if (!begin(&pair, &axes_cases[i]))
            return;
        const uint32_t count = pair.from->skeleton.num_joints;
        SCOPED uint32_t *const mirror = malloc(count * sizeof *mirror);
        md5_xform *const a = malloc(2 * count * sizeof *a);
        md5_xform *const b = a + count;
        CHECK(md5_build_mirror(&pair.from->skeleton, mirror) > 4);
        uint64_t random = 5;
        for (uint32_t j = 0; j < count; j++) {
            const md5_vec3 axis = {(float)test_random(&random), (float)test_random(&random) - 0.5f,
                                   (float)test_random(&random) - 0.5f};
            const md5_quat rotation = md5_quat_from_axis_angle(axis, 0.7f);
            pair.pose[j].rotation = md5_quat_mul(pair.pose[j].rotation, rotation);
            pair.pose[j].translation.x += (float)(j % 3);
            pair.converted[j].rotation = axes_quat(pair.fixture, pair.pose[j].rotation);
            pair.converted[j].translation =
                axes_point(pair.fixture, SCALE, pair.pose[j].translation);
        }
        md5_mirror_pose(pair.from, mirror, pair.pose, a);
        md5_mirror_pose(pair.to, mirror, pair.converted, b);
        CHECK_SMALL(pose_error(pair.fixture, &pair.from->skeleton, a, b), 1e-5);
        free(a);
        end(&pair);
    }
}

// -- Machines ---------------------------------------------------------------------------------

enum { MAX_JOINTS = 128 };

typedef struct walker {
    md5_character *character;
    md5_player *player;
    md5_xform pose[MAX_JOINTS];
} walker;

static void begin_walker(const md5_load_opts *opts, walker *pair)
{
    md5_error error = {0};
    pair->character =
        md5_load_character(test_path("models/bobbin/bobbin.md5machine"), opts, &error);
    if (!CHECK_STRING(error.message, "")
        || !CHECK(pair->character->model->skeleton.num_joints <= MAX_JOINTS))
        abort();
    pair->player = play_player(pair->character->machine);
}

static void free_walker(walker *pair)
{
    md5_destroy_player(pair->player);
    md5_free_character(pair->character);
}

static md5_xform step(walker *pair, float speed, bool leaps)
{
    play_set(pair->player, "speed", speed);
    if (leaps)
        play_set(pair->player, "jump", 1);
    play_advance(pair->player, 0.05);
    play_pose(pair->player, pair->pose);
    return md5_player_root_motion(pair->player);
}

// Walking, running and a leap: clips that extract movement over the ground and rotations about the
// up axis. The scale is 1 because speeds in a machine file use the units of the loaded model.
TEST (axes_move_characters_over_the_ground) {
    for (int i = 0; i < NUM_AXES; i++) {
        const axes_case *const fixture = &axes_cases[i];
        const md5_load_opts opts = axes_options(fixture, 1);
        walker from, to;
        begin_walker(NULL, &from);
        begin_walker(&opts, &to);
        double forward = 0;
        double pose = 0;
        for (int k = 0; k < 120; k++) {
            float speed = 0;
            if (k >= 80)
                speed = 120;
            else if (k >= 40)
                speed = 60;
            const md5_xform a = step(&from, speed, k == 70);
            const md5_xform b = step(&to, speed, k == 70);
            CHECK_SMALL(axes_transform_error(fixture, 1, &a, &b, 1), 1e-5);
            forward += a.translation.x;
            for (uint32_t j = 0; j < from.character->model->skeleton.num_joints; j++)
                pose =
                    fmax(pose, axes_transform_error(fixture, 1, &from.pose[j], &to.pose[j], SIZE));
        }
        CHECK(forward > 100);
        CHECK_SMALL(pose, 1e-5);
        // The fingerprint depends on the axes: a player that is saved in one system of axes cannot
        // be restored in another.
        CHECK((md5_machine_fingerprint(from.character->machine)
               == md5_machine_fingerprint(to.character->machine))
              == (fixture->axes == MD5_AXES_ID));
        free_walker(&from);
        free_walker(&to);
    }
}
