// A head and eyes that look by themselves.
#include "test/misuse.h"
#include "test/test.h"

#include "md5/md5pose.h"

// The first numbers of SplitMix64 from 1234567, as published with its reference code.
static const uint64_t published[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                     UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                     UINT64_C(16408922859458223821)};

static double published_number(int i)
{
    return (double)(published[i] >> 40) / 16777216.0;
}

TEST (gaze_selects_by_the_published_generator) {
    const md5_gaze_desc desc = {.params.wide = 0.5f, .params.high = 0.25f};
    md5_gaze gaze;
    md5_gaze_begin(1234567, &gaze);
    CHECK(gaze.target == MD5_NONE && gaze.to.x == 0);
    md5_gaze_advance(&desc, MD5_AXES_ID, &gaze, 0.01);
    CHECK_NEAR(gaze.to.x, 0.5 * (2 * published_number(0) - 1), 1e-6);
    CHECK_NEAR(gaze.to.y, 0.25 * (2 * published_number(1) - 1), 1e-6);
    CHECK_NEAR(gaze.rest, 0.4 + 2.1 * published_number(4) - 0.01, 1e-5);
    md5_gaze_advance(&desc, MD5_AXES_ID, &gaze, 0); // nothing happens
    md5_gaze_advance(&desc, MD5_AXES_ID, &gaze, -1);
    md5_gaze_advance(&desc, MD5_AXES_ID, &gaze, NAN);
    CHECK_NEAR(gaze.seconds, 0.01, 1e-7);
}

TEST (gaze_saccades_equal_the_formula_and_the_head_follows) {
    const md5_gaze_desc desc = {
        .params.distance = 50, .params.head_share = 0.5f, .params.head_seconds = 0.3f};
    md5_gaze gaze;
    md5_gaze_begin(1234567, &gaze);
    const double x = 0.8 * (2 * published_number(0) - 1);
    const double y = 0.35 * (2 * published_number(1) - 1);
    // The chord of the angle a between straight ahead and the direction (1, x, y) is 2 sin(a / 2).
    const double length = sqrt(1 + x * x + y * y);
    const double chord = sqrt(2 - 2.0 / length);
    const double duration = 0.021 + 0.126 * chord;
    for (int i = 1; i <= 20; i++) {
        md5_gaze_advance(&desc, MD5_AXES_ID, &gaze, 0.01);
        const double t = fmin(0.01 * i / duration, 1);
        const double part = t * t * (3 - 2 * t);
        const md5_vec3 at = md5_gaze_point(&desc, MD5_AXES_ID, &gaze);
        CHECK_NEAR(at.x, 50, 1e-5);
        CHECK_NEAR(at.y, 50 * x * part, 1e-3);
        CHECK_NEAR(at.z, 50 * y * part, 1e-3);
        CHECK_NEAR(gaze.head.x, 0.5 * x * (1 - exp(-0.01 * i / 0.3)), 1e-5);
        CHECK_NEAR(gaze.head.y, 0.5 * y * (1 - exp(-0.01 * i / 0.3)), 1e-5);
    }
    CHECK_NEAR(gaze.duration, duration, 1e-5);
}

TEST (gaze_is_the_same_however_time_is_split) {
    const md5_gaze_desc desc = {.params.max_seconds = 1};
    md5_gaze single;
    md5_gaze parts;
    md5_gaze different_seed;
    md5_gaze_begin(7, &single);
    md5_gaze_begin(7, &parts);
    md5_gaze_begin(8, &different_seed);
    int differs = 0;
    for (int i = 0; i < 40; i++) {
        md5_gaze_advance(&desc, MD5_AXES_ID, &single, 0.5);
        md5_gaze_advance(&desc, MD5_AXES_ID, &different_seed, 0.5);
        for (int k = 0; k < 8; k++)
            md5_gaze_advance(&desc, MD5_AXES_ID, &parts, 0.0625);
        CHECK(single.random == parts.random && single.target == parts.target);
        CHECK_NEAR(single.head.x, parts.head.x, 1e-4);
        CHECK_NEAR(single.seconds, parts.seconds, 1e-4);
        differs += fabsf(single.to.x - different_seed.to.x) > 0.01f;
    }
    CHECK(differs > 20);
    md5_gaze_advance(&desc, MD5_AXES_ID, &single, 1e9); // advances by at most a minute
    md5_gaze_advance(&desc, MD5_AXES_ID, &parts, 60);
    CHECK_BYTES(&single.random, &parts.random, sizeof single.random);
}

TEST (gaze_looks_at_targets_that_are_in_front) {
    md5_vec3 targets[] = {{40, 10, 5}, {-40, 0, 0}, {NAN, 0, 0}};
    const md5_gaze_desc desc = {.origin = {0, 0, 1},
                                .targets = targets,
                                .num_targets = 3,
                                .params.interest = 1,
                                .params.max_seconds = 0.5f,
                                .params.head_share = 1,
                                .params.head_seconds = MD5_EXPLICIT_ZERO};
    md5_gaze gaze;
    int looks = 0;
    int at_random = 0;
    md5_gaze_begin(3, &gaze);
    for (int i = 0; i < 600; i++) {
        targets[0].y = 10 * sinf(0.01f * (float)i);
        md5_gaze_advance(&desc, MD5_AXES_ID, &gaze, 1.0 / 30.0);
        CHECK(gaze.target == 0 || gaze.target == MD5_NONE);
        looks += gaze.target == 0;
        at_random += gaze.target == MD5_NONE;
        if (gaze.target != 0)
            continue;
        CHECK_NEAR(gaze.to.x, targets[0].y / 40.0, 1e-6); // it moves with the target
        CHECK_NEAR(gaze.to.y, 0.1, 1e-6);
        CHECK_NEAR(gaze.head.x, gaze.to.x, 1e-6); // immediately
        const md5_vec3 at = md5_gaze_point(&desc, MD5_AXES_ID, &gaze);
        if (gaze.seconds >= gaze.duration)
            CHECK(at.x == 40 && at.y == targets[0].y);
    }
    CHECK(looks > 100 && at_random > 200); // two of three cannot be seen
    const md5_gaze_desc never = {
        .targets = targets, .num_targets = 1, .params.interest = MD5_EXPLICIT_ZERO};
    for (int i = 0; i < 600; i++) {
        md5_gaze_advance(&never, MD5_AXES_ID, &gaze, 1.0 / 10.0);
        CHECK(gaze.target == MD5_NONE || i < 30);
    }
}

// Returns the angle in degrees between the x axis of an eye and the direction to a point.
static double off_by(const md5_skeleton *skeleton, const md5_xform *pose, uint32_t eye,
                     md5_vec3 point)
{
    const md5_xform at = md5_joint_in_model(skeleton, pose, eye);
    const md5_vec3 x = md5_quat_rotate(at.rotation, (md5_vec3){1, 0, 0});
    const md5_vec3 direction = md5_vec3_sub(point, at.translation);
    const double cosine = (double)md5_vec3_dot(x, direction) / md5_vec3_length(direction);
    return acos(fmin(cosine, 1)) * 180.0 / 3.14159265358979;
}

// Lets a model look around in the given axes. The head must rotate and, with id's axes, the eyes
// must look at the point of the gaze.
static void look(const md5_model *model, md5_axes axes)
{
    const md5_skeleton *const skeleton = &model->skeleton;
    const uint32_t head = md5_find_joint(skeleton, "head");
    const md5_gaze_desc desc = {
        .head = head,
        .eyes = {md5_find_joint(skeleton, "eye_l"), md5_find_joint(skeleton, "eye_r"), 9999},
        .num_eyes = 3,
        .origin = md5_mat34_translation(model->bind[md5_find_joint(skeleton, "eye_l")]),
        .params.wide = 0.4f,
        .params.high = 0.2f,
        .params.eye_limit = 1.5f};
    md5_xform pose[128];
    md5_gaze gaze;
    double max_change = 0;
    md5_gaze_begin(5, &gaze);
    for (int i = 0; i < 50; i++) {
        md5_gaze_advance(&desc, axes, &gaze, 0.2);
        memcpy(pose, model->bind_local, skeleton->num_joints * sizeof *pose);
        CHECK_UINT(md5_gaze_pose(&desc, &gaze, skeleton, 1, pose), 2);
        const md5_vec3 point = md5_gaze_point(&desc, axes, &gaze);
        if (axes == MD5_AXES_ID)
            for (int k = 0; k < 2; k++)
                CHECK(off_by(skeleton, pose, desc.eyes[k], point) < 0.1);
        const double change =
            fabs((double)(pose[head].rotation.x - model->bind_local[head].rotation.x))
            + fabs((double)(pose[head].rotation.z - model->bind_local[head].rotation.z));
        max_change = change > max_change ? change : max_change;
    }
    CHECK(max_change > 0.01);
}

TEST (gaze_turns_head_and_eyes_to_the_point) {
    for (int axes = MD5_AXES_ID; axes <= MD5_AXES_BLENDER; axes++) {
        const md5_load_opts opts = {.axes = (md5_axes)axes};
        md5_model *const model =
            md5_load_model(test_path("models/bobbin/bobbin.md5mesh"), &opts, NULL);
        if (CHECK(model && model->skeleton.num_joints <= 128))
            look(model, (md5_axes)axes);
        md5_free_model(model);
    }
}

TEST (gaze_accepts_any_numbers) {
    static const float numbers[] = {NAN, INFINITY, -INFINITY, -1, 1e30f, 0, MD5_EXPLICIT_ZERO};
    const size_t count = COUNT_OF(numbers);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            const md5_vec3 target = {numbers[i], numbers[k], 1};
            const md5_gaze_desc desc = {.origin = {0, numbers[k], 0},
                                        .targets = &target,
                                        .num_targets = 1,
                                        .params.interest = numbers[i],
                                        .params.wide = numbers[k],
                                        .params.min_seconds = numbers[i],
                                        .params.max_seconds = numbers[k],
                                        .params.head_seconds = numbers[i]};
            md5_gaze gaze;
            md5_gaze_begin(1, &gaze);
            for (int step = 0; step < 8; step++)
                md5_gaze_advance(&desc, MD5_AXES_ID, &gaze, 60);
            CHECK(gaze.target == 0 || gaze.target == MD5_NONE);
        }
    }
}

// Each joint of the skeleton is an eye. All of them look at the same distant point.
TEST (gaze_turns_up_to_eight_eyes) {
    md5_joint joints[MD5_MAX_EYES];
    uint32_t order[MD5_MAX_EYES];
    md5_xform pose[MD5_MAX_EYES];
    const md5_vec3 target = {1e6f, 5e5f, 0};
    md5_gaze_desc desc = {
        .num_eyes = MD5_MAX_EYES, .targets = &target, .num_targets = 1, .params.interest = 1};
    for (uint32_t i = 0; i < MD5_MAX_EYES; i++) {
        joints[i] = (md5_joint){"eye", MD5_NONE};
        order[i] = i;
        pose[i] = (md5_xform){.rotation = {0, 0, 0, 1}, .translation = {0, (float)i, 0}};
        desc.eyes[i] = i;
    }
    desc.head = MD5_NONE;
    const md5_skeleton skeleton = {.num_joints = MD5_MAX_EYES, .joints = joints, .order = order};
    md5_gaze gaze;
    md5_gaze_begin(1, &gaze);
    md5_gaze_advance(&desc, MD5_AXES_ID, &gaze, 1);
    CHECK_UINT(md5_gaze_pose(&desc, &gaze, &skeleton, 1, pose), MD5_MAX_EYES);
    for (uint32_t i = 0; i < MD5_MAX_EYES; i++) {
        const md5_vec3 forward = md5_quat_rotate(pose[i].rotation, (md5_vec3){1, 0, 0});
        CHECK_NEAR(forward.y / forward.x, 0.5, 1e-4);
    }
}

#if !defined(NDEBUG)

TEST (gaze_errors_are_reported) {
    MISUSE("gaze: must not be NULL", md5_gaze_begin(1, test_null()));
    MISUSE("MD5_MAX_EYES", {
        const md5_gaze_desc desc = {.num_eyes = MD5_MAX_EYES + 1};
        const md5_gaze gaze = {.target = MD5_NONE};
        const md5_skeleton skeleton = {.num_joints = 0};
        md5_xform pose = {.rotation = {.w = 1}};
        md5_gaze_pose(&desc, &gaze, &skeleton, 1, &pose);
    });
}

#endif
