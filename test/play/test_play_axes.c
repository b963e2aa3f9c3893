// Tests of inverse kinematics, mirrored poses and state machines of characters that were loaded
// with converted axes and units. The results must equal those in the axes and units of the file,
// converted afterwards.
#include "test/load/test_axes_case.h"
#include "test/own.h"
#include "test/play/test_play_case.h"

#define SCALE 0.0254f
#define SIZE 40.0 // size of the character, units

static double pose_error(const axes_case *fixture, const md5_skeleton *skeleton,
                         const md5_xform *from, const md5_xform *to)
{
    double worst = 0;
    for (uint32_t i = 0; i < skeleton->num_joints; i++)
        worst = fmax(worst, axes_transform_error(fixture, SCALE, &from[i], &to[i], SIZE));
    return worst;
}

// -- Poses ------------------------------------------------------------------------------------

// The bind pose of one character with slightly bent arms, once converted and once not.
typedef struct both {
    const axes_case *fixture;
    md5_model *from, *to;
    md5_xform *pose, *converted;
} both;

static void reset(both *made)
{
    const size_t size = made->from->skeleton.num_joints * sizeof *made->pose;
    memcpy(made->pose, made->from->bind_local, size);
    memcpy(made->converted, made->to->bind_local, size);
}

static bool begin(both *made, const axes_case *fixture)
{
    const md5_load_opts opts = axes_options(fixture, SCALE);
    *made = (both){fixture, axes_load_model("models/bobbin/bobbin.md5mesh", NULL),
                   axes_load_model("models/bobbin/bobbin.md5mesh", &opts), NULL, NULL};
    if (!made->from || !made->to)
        return false;
    const size_t count = made->from->skeleton.num_joints;
    made->pose = malloc(count * sizeof *made->pose);
    made->converted = malloc(count * sizeof *made->converted);
    reset(made);
    return true;
}

static void end(both *made)
{
    free(made->pose);
    free(made->converted);
    md5_free_model(made->from);
    md5_free_model(made->to);
}

static uint32_t joint(const both *made, const char *name)
{
    const uint32_t found = md5_find_joint(&made->from->skeleton, name);
    CHECK(found != MD5_NONE);
    return found == MD5_NONE ? 0 : found;
}

static void check_both(const both *made, double tolerance)
{
    if (!CHECK_SMALL(pose_error(made->fixture, &made->from->skeleton, made->pose, made->converted),
                     tolerance))
        CHECK_STRING("", made->fixture->name);
}

// Uses the default axes of the joint, and targets in all directions, including nearly vertical
// directions.
TEST (axes_keep_aimed_joints_upright) {
    static const md5_vec3 targets[] = {{100, 20, 30}, {50, -80, 10}, {30, 5, 300}, {40, 30, -60}};
    for (int i = 0; i < NUM_AXES; i++) {
        both made;
        if (!begin(&made, &axes_cases[i]))
            return;
        for (int k = 0; k < 8; k++) {
            const md5_vec3 up = {0, 0.6f, 0.8f};
            md5_aim_job job = {.tip = joint(&made, "head"),
                               .length = 1 + (uint32_t)k % 3,
                               .target = targets[k % 4],
                               .weight = 0.9f};
            if (k >= 4)
                job.params.up = up;
            if (k % 2 != 0)
                job.params.limit = 0.6f;
            reset(&made);
            CHECK(md5_solve_aim(&made.from->skeleton, &job, made.pose));
            job.target = axes_point(made.fixture, SCALE, job.target);
            job.params.up = axes_point(made.fixture, 1, job.params.up);
            CHECK(md5_solve_aim(&made.to->skeleton, &job, made.converted));
            check_both(&made, 5e-6);
        }
        end(&made);
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
        OWN_MODEL from = text_model(text, NULL);
        OWN_MODEL to = md5_parse_model(text, sizeof text - 1, &opts, NULL);
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
        both made;
        if (!begin(&made, &axes_cases[i]))
            return;
        md5_foot feet[2] = {
            {.ankle = joint(&made, "foot_l"), .floor = 4, .normal = {0.2f, 0.1f, 1}},
            {.ankle = joint(&made, "foot_r"), .floor = -2}};
        md5_foot others[2] = {feet[0], feet[1]};
        md5_feet_job job = {.pelvis = joint(&made, "hips"),
                            .feet = feet,
                            .num_feet = 2,
                            .smoothing = 0.1f,
                            .seconds = 0.05f,
                            .weight = 0.8f};
        md5_feet_job other = job;
        other.feet = others;
        for (int k = 0; k < 2; k++) {
            others[k].floor = feet[k].floor * SCALE;
            others[k].normal = axes_point(made.fixture, 1, feet[k].normal);
        }
        for (int step = 0; step < 5; step++) {
            reset(&made);
            const uint32_t placed = md5_solve_feet(&made.from->skeleton, &job, made.pose);
            CHECK_UINT(md5_solve_feet(&made.to->skeleton, &other, made.converted), placed);
            CHECK_NEAR(other.drop, (double)job.drop * SCALE, 1e-6);
            check_both(&made, 2e-5);
        }
        end(&made);
    }
}

TEST (axes_mirror_left_and_right) {
    for (int i = 0; i < NUM_AXES; i++) {
        both made;
        if (!begin(&made, &axes_cases[i]))
            return;
        const uint32_t count = made.from->skeleton.num_joints;
        OWN uint32_t *const mirror = malloc(count * sizeof *mirror);
        md5_xform *const a = malloc(2 * count * sizeof *a);
        md5_xform *const b = a + count;
        CHECK(md5_build_mirror(&made.from->skeleton, mirror) > 4);
        uint64_t random = 5;
        for (uint32_t j = 0; j < count; j++) {
            const md5_vec3 axis = {(float)test_random(&random), (float)test_random(&random) - 0.5f,
                                   (float)test_random(&random) - 0.5f};
            const md5_quat turn = md5_quat_from_axis_angle(axis, 0.7f);
            made.pose[j].rotation = md5_quat_mul(made.pose[j].rotation, turn);
            made.pose[j].translation.x += (float)(j % 3);
            made.converted[j].rotation = axes_quat(made.fixture, made.pose[j].rotation);
            made.converted[j].translation =
                axes_point(made.fixture, SCALE, made.pose[j].translation);
        }
        md5_mirror_pose(made.from, mirror, made.pose, a);
        md5_mirror_pose(made.to, mirror, made.converted, b);
        CHECK_SMALL(pose_error(made.fixture, &made.from->skeleton, a, b), 1e-5);
        free(a);
        end(&made);
    }
}

// -- Machines ---------------------------------------------------------------------------------

enum { MAX_JOINTS = 128 };

typedef struct walker {
    md5_character *character;
    md5_player *player;
    md5_xform pose[MAX_JOINTS];
} walker;

static void begin_walker(const md5_load_opts *opts, walker *made)
{
    md5_error error = {0};
    made->character =
        md5_load_character(test_path("models/bobbin/bobbin.md5machine"), opts, &error);
    if (!CHECK_STRING(error.message, "")
        || !CHECK(made->character->model->skeleton.num_joints <= MAX_JOINTS))
        abort();
    made->player = play_player(made->character->machine);
}

static void free_walker(walker *made)
{
    md5_destroy_player(made->player);
    md5_free_character(made->character);
}

static md5_xform step(walker *made, float speed, bool leaps)
{
    play_set(made->player, "speed", speed);
    if (leaps)
        play_set(made->player, "jump", 1);
    play_advance(made->player, 0.05);
    play_pose(made->player, made->pose);
    return md5_player_root_motion(made->player);
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
