// Quarter rotations: a model whose file has y upward is shown upright, and rotations are exact.
// Also retargeted clips, bounding hulls and comparisons of poses.
#include "test/scoped.h"
#include "test/viewer/test_view_shot.h"
#include "test/viewer/test_view_case.h"

#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/stage.h"
#include "demo/viewer/assets/model_text.h"

static bool is_at(md5_vec3 v, float x, float y, float z)
{
    return v.x == x && v.y == y && v.z == z;
}

// Each further rotation about an axis is a quarter turn that follows the earlier ones. After four
// of them, the model counts as not rotated.
TEST (view_turns_are_quarters) {
    const md5_vec3 v = {1, 2, 3};
    const view_rotation none = {.is_set = false};
    const view_rotation about_x = view_rotate_further(none, 0);
    const view_rotation about_y = view_rotate_further(none, 1);
    const view_rotation about_z = view_rotate_further(none, 2);
    CHECK(is_at(view_rotate_vector(&none, v), 1.0f, 2.0f, 3.0f));
    CHECK(is_at(view_rotate_vector(&about_x, v), 1.0f, -3.0f, 2.0f)); // y to z
    CHECK(is_at(view_rotate_vector(&about_y, v), 3.0f, 2.0f, -1.0f)); // z to x
    CHECK(is_at(view_rotate_vector(&about_z, v), -2.0f, 1.0f, 3.0f)); // x to y
    const view_rotation both = view_rotate_further(about_x, 2);       // the first one about x
    CHECK(is_at(view_rotate_vector(&both, v), 3.0f, 1.0f, 2.0f));
    for (int axis = 0; axis < 3; axis++) {
        view_rotation rotation = {.is_set = false};
        for (int i = 0; i < 4; i++) {
            rotation = view_rotate_further(rotation, axis);
            CHECK(rotation.is_set == (i < 3));
        }
    }
}

TEST (view_turns_are_described) {
    char text[32];
    view_rotation rotation = {.is_set = false};
    view_describe_rotation(&rotation, text, sizeof text);
    CHECK_STRING(text, "up +z, front +x");
    rotation = view_rotate_further((view_rotation){0}, 0);
    view_describe_rotation(&rotation, text, sizeof text);
    CHECK_STRING(text, "up +y, front +x");
    rotation = view_rotate_further(rotation, 2);
    view_describe_rotation(&rotation, text, sizeof text);
    CHECK_STRING(text, "up +y, front +z");
}

TEST (view_turns_move_boxes_and_matrices) {
    const view_rotation rotation = view_rotate_further((view_rotation){0}, 0);
    const md5_bounds box = view_rotate_bounds(&rotation, (md5_bounds){{-1, -2, -3}, {1, 20, 30}});
    CHECK(is_at(box.min, -1.0f, -30.0f, -2.0f) && is_at(box.max, 1.0f, 3.0f, 20.0f));
    md5_mat34 matrix = {{1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7}};
    view_move_matrices(rotation.matrix, &matrix, 1);
    CHECK(is_at(md5_mat34_translation(matrix), 5.0f, -7.0f, 6.0f));
}

#define MODEL "models/thimble/thimble.md5mesh --animation-index 1 --no-background"

// Thimble's file has z up, so --up y exchanges its height and its depth.
TEST_SCENE (view_option_up_turns_the_model) {
    shot_viewer viewer;
    md5_vec3 sizes[2] = {{0}};
    for (int i = 0; i < 2; i++) {
        if (shot_open(&viewer, scene,
                      i == 0 ? MODEL " --samples 1" : MODEL " --samples 1 --up y")) {
            const view_document *const document = viewer.state.document;
            sizes[i] = md5_vec3_sub(document->bounds.max, document->bounds.min);
            CHECK(document->scene.rotation.is_set == (i == 1));
        }
        shot_close(&viewer);
    }
    CHECK_NEAR(sizes[1].x, sizes[0].x, 1e-3);
    CHECK_NEAR(sizes[1].y, sizes[0].z, 1e-3);
    CHECK_NEAR(sizes[1].z, sizes[0].y, 1e-3);
}

// Three more quarter rotations about x show the model as in its file.
TEST_SHOT (view_turns_by_keys_undo_the_option, MODEL " --samples 1 --resolution 160,120 --up y") {
    SCOPED_PICTURE plain = render_shot(&viewer->scene, MODEL " --samples 1 --resolution 160,120");
    SCOPED_PICTURE rotated = shot_draw(viewer);
    CHECK(shot_difference(&plain, &rotated) > 0.02);
    for (int i = 0; i < 3; i++)
        PERFORM(&viewer->state, VIEW_ROTATE_X);
    CHECK(!viewer->state.document->scene.rotation.is_set);
    SCOPED_PICTURE again = shot_draw(viewer);
    CHECK(shot_difference(&plain, &again) < 0.001);
    PERFORM(&viewer->state, VIEW_ROTATE_Z);
    CHECK(viewer->state.document->scene.rotation.is_set);
}

// The character of a machine is rotated about its position.
TEST_SHOT (view_turns_machines_about_their_position,
           "models/bobbin/bobbin.md5machine --samples 1") {
    view_scene *const shown = &viewer->state.document->scene;
    const md5_vec3 position = {100, 50, 0};
    shown->machine.placement.translation = position;
    view_pose(shown, &viewer->state.play);
    const md5_vec3 stands =
        md5_vec3_sub(md5_mat34_translation(shown->joints[shown->num_joints - 1]), position);
    shown->rotation = view_rotate_further(shown->rotation, 0);
    view_pose(shown, &viewer->state.play);
    const md5_vec3 lies =
        md5_vec3_sub(md5_mat34_translation(shown->joints[shown->num_joints - 1]), position);
    CHECK_NEAR(lies.x, stands.x, 1e-3);
    CHECK_NEAR(lies.y, -stands.z, 1e-3);
    CHECK_NEAR(lies.z, stands.y, 1e-3);
}

// -- Retargeting ----------------------------------------------------------------------------------

// Clips of one model on another model: the generated clips contain the poses that retargeting
// returns.

static bool is_same_rotation(md5_quat a, md5_quat b)
{
    const float sign = a.w * b.w < 0.0f ? -1.0f : 1.0f;
    const bool is_same_axis = a.x == sign * b.x && a.y == sign * b.y && a.z == sign * b.z;
    return is_same_axis && fabsf(a.w - sign * b.w) < 1e-5f;
}

// Checks that the clip is bit-identical, except for w, which files omit.
static void check_frame(const md5_binding *source, const md5_binding *compressed, uint32_t frame)
{
    const uint32_t count = compressed->model->skeleton.num_joints;
    const uint32_t num_source = source->model->skeleton.num_joints;
    const md5_sample_position sample = {.frame0 = frame, .frame1 = frame};
    SCOPED_RETARGET retarget =
        md5_create_retarget(source->model, compressed->model, NULL, 0, NULL, NULL);
    SCOPED md5_xform *const poses = calloc((size_t)2 * num_source + 1 + 2 * count, sizeof *poses);
    if (CHECK(retarget != NULL && poses != NULL)) {
        md5_xform *const wanted = poses + 2 * num_source + 1;
        md5_xform *const found = wanted + count;
        md5_sample(source, sample, MD5_ROOT_FILE, poses);
        md5_retarget_pose(retarget, poses, wanted, poses + num_source);
        md5_sample(compressed, sample, MD5_ROOT_FILE, found);
        for (uint32_t i = 0; i < count; i++) {
            const md5_vec3 a = wanted[i].translation;
            const md5_vec3 b = found[i].translation;
            CHECK(a.x == b.x && a.y == b.y && a.z == b.z);
            CHECK(is_same_rotation(wanted[i].rotation, found[i].rotation));
        }
    }
}

static void check_clip(const char *path)
{
    SCOPED_MODEL source = our_model("models/bobbin/bobbin.md5mesh");
    SCOPED_MODEL target = our_model("models/thimble/thimble.md5mesh");
    SCOPED_ANIM anim = md5_load_anim(path, NULL, NULL);
    if (CHECK(source != NULL && target != NULL && anim != NULL)) {
        view_scene target_scene = {.model = target};
        SCOPED_BINDING binding = md5_bind(source, anim, NULL, NULL);
        const md5_binding *const bindings[1] = {binding};
        if (CHECK(binding) && CHECK(view_retarget_clips(&target_scene, bindings, 1, NULL))) {
            CHECK_UINT(target_scene.clips[0].anim->num_frames, anim->num_frames);
            CHECK(target_scene.clips[0].anim->frame_rate == anim->frame_rate);
            for (uint32_t frame = 0; frame < anim->num_frames; frame++)
                check_frame(binding, target_scene.clips[0].binding, frame);
        }
        view_free_scene(&target_scene);
    }
}

TEST (view_retargeted_clips_equal_retargeting_bit_for_bit) {
    check_clip(test_path("models/bobbin/run.md5anim"));
    check_clip(test_path("models/bobbin/stand.md5anim")); // mostly components that are zero
}

// -- Bounding hull --------------------------------------------------------------------------------

// The hull that frames a shape: the farthest points of point clouds in 26 directions, compared with
// a linear search in double precision.

enum { MAX_POINTS = 500 };

static md5_vec3 random_point(uint64_t *random, double size)
{
    const double x = test_random(random);
    const double y = test_random(random);
    const double z = test_random(random);
    return (md5_vec3){(float)(size * (x - 0.3)), (float)(size * (y - 0.6)),
                      (float)(size * (z - 0.5))};
}

static double extent(const int direction[3], md5_vec3 point)
{
    const double x = direction[0];
    const double y = direction[1];
    const double z = direction[2];
    return (x * point.x + y * point.y + z * point.z) / sqrt(x * x + y * y + z * z);
}

// Returns the extent of the hull in a direction. No point of the hull is farther than its point for
// that direction.
static double hull_reach(const view_hull *hull, const int direction[3])
{
    double farthest = -INFINITY;
    for (int i = 0; i < VIEW_HULL_POINTS; i++)
        farthest = fmax(farthest, extent(direction, hull->points[i]));
    return farthest;
}

// Points are added in several calls. Later clouds are larger, or inside earlier ones.
TEST (view_hull_reaches_the_farthest_points_in_each_direction) {
    static const double sizes[] = {10, 80, 30, 81};
    static const uint32_t counts[] = {1, 500, 33, 128};
    static md5_vec3 points[4 * MAX_POINTS];
    uint64_t random = 7;
    uint32_t used = 0;
    view_hull hull = {0};
    for (int i = 0; i < VIEW_HULL_POINTS; i++)
        hull.reach[i] = -INFINITY;
    for (int call = 0; call < 4; call++) {
        const uint32_t first = used;
        for (uint32_t i = 0; i < counts[call]; i++)
            points[used++] = random_point(&random, sizes[call]);
        view_widen_hull(&hull, points + first, counts[call]);
        for (int cell = 0; cell < 27; cell++) {
            const int direction[3] = {cell % 3 - 1, cell / 3 % 3 - 1, cell / 9 - 1};
            double farthest = -INFINITY;
            if (cell != 13) {
                for (uint32_t i = 0; i < used; i++)
                    farthest = fmax(farthest, extent(direction, points[i]));
            }
            if (cell == 13)
                continue;
            CHECK_NEAR(hull_reach(&hull, direction), farthest, 1e-4);
            CHECK_NEAR(hull.reach[cell < 13 ? cell : cell - 1], farthest, 1e-4);
        }
    }
}

// Creates a square of 10 by 10 points, one unit apart, that moves 175 units along x in a clip of
// two frames. `num_outliers` further points are 1000 units away.
static bool make_walk(view_scene *scene, uint32_t num_outliers)
{
    view_text words = {0};
    view_append(&words, "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\njoints {\n"
                        "\"origin\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\nmesh {\nshader \"\"\n");
    view_append(&words, "numverts %u\n", 100 + (unsigned)num_outliers);
    for (uint32_t i = 0; i < 100 + num_outliers; i++)
        view_append(&words, "vert %u ( 0 0 ) %u 1\n", i, i);
    view_append(&words, "numtris 1\ntri 0 0 1 10\nnumweights %u\n", 100 + (unsigned)num_outliers);
    for (uint32_t i = 0; i < 100 + num_outliers; i++)
        view_append(&words, "weight %u 0 1 ( %u %u %u )\n", i, i % 10, i / 10 % 10,
                    i < 100 ? 0 : 1000);
    view_append(&words, "}\n");
    static const char clip[] =
        "MD5Version 10\ncommandline \"\"\nnumFrames 2\nnumJoints 1\nframeRate 1\n"
        "numAnimatedComponents 1\nhierarchy {\n\"origin\" -1 1 0\n}\n"
        "bounds {\n( 0 0 0 ) ( 1 1 1 )\n( 0 0 0 ) ( 1 1 1 )\n}\n"
        "baseframe {\n( 0 0 0 ) ( 0 0 0 )\n}\nframe 0 {\n0\n}\nframe 1 {\n175\n}\n";
    *scene = (view_scene){0};
    scene->owned_model = md5_parse_model(words.text, words.size, NULL, NULL);
    scene->model = scene->owned_model;
    free(words.text);
    md5_anim *const anim = md5_parse_anim(clip, sizeof clip - 1, NULL, NULL);
    if (!CHECK(scene->model != NULL && anim != NULL))
        return false;
    if (!CHECK(view_append_clip(scene, (view_clip){.anim = anim}, NULL, NULL)))
        return false;
    view_make_pose(scene, &scene->model->skeleton);
    return true;
}

TEST (view_hull_of_a_still_equals_the_hull_of_its_pose) {
    view_scene scene;
    view_hull hull;
    const view_play middle = {.time = 0.5, .speed = 1};
    if (make_walk(&scene, 0)) {
        const md5_bounds travel = view_clip_bounds(&scene, NULL, &hull);
        const md5_bounds still = view_clip_bounds(&scene, &middle, &hull);
        CHECK_NEAR(travel.max.x - travel.min.x, 184, 1e-3);
        CHECK_NEAR(still.min.x, 87.5, 1e-3);
        CHECK_NEAR(still.max.x, 96.5, 1e-3);
        CHECK_NEAR(hull.reach[13], 96.5, 1e-3);
    }
    view_free_scene(&scene);
}

// 3 of 103 points are few enough to ignore; 10 of 110 are not.
TEST (view_hull_ignores_few_distant_points) {
    static const uint32_t stray[] = {3, 10};
    for (int i = 0; i < 2; i++) {
        view_scene scene;
        view_hull hull;
        const view_play begin = {.speed = 1};
        if (make_walk(&scene, stray[i])) {
            const float top = i == 0 ? 0.0f : 1000.0f;
            CHECK_NEAR(view_clip_bounds(&scene, &begin, &hull).max.z, top, 1e-3);
            CHECK_NEAR(view_clip_bounds(&scene, NULL, &hull).max.z, top, 1e-3);
            view_pose(&scene, &begin);
            view_skin(&scene);
            CHECK_NEAR(view_pose_bounds(&scene, NULL).max.z, top, 1e-3);
        }
        view_free_scene(&scene);
    }
}

// -- Comparison of poses --------------------------------------------------------------------------

// Comparison of poses: distances and angles between joints of tiny models with known poses.

static bool open_scene(view_scene *scene, const char *model, const char *clip)
{
    const char *const files[] = {test_path(model), clip != NULL ? test_path(clip) : NULL};
    view_log log = quiet_log;
    return CHECK(view_load_scene(scene, files, clip != NULL ? 2 : 1, NULL, false, &log));
}

static bool load(view_compare *compare, const view_scene *scene, const char *file)
{
    view_log log = quiet_log;
    return view_load_compare(compare, scene, test_path(file), &log);
}

static const char *joint_name(const view_scene *scene, const view_difference *difference)
{
    return scene->skeleton->joints[difference->joint].name;
}

// In the bind pose "root" is moved by 4 and rotated by 90 degrees; "tip" is moved from (0, 0, 10)
// to (0, 4, 6) and rotated by 90 degrees; "between" exists only in the scene.
TEST (view_compare_finds_joints_of_the_same_name) {
    view_scene scene = {0};
    view_compare compare = {0};
    const view_play play = {.speed = 1};
    if (open_scene(&scene, "models/zoo/fewer_joints.md5mesh", NULL)
        && CHECK(load(&compare, &scene, "models/zoo/bind_turned.md5mesh"))) {
        view_pose(&scene, &play);
        view_pose_compare(&compare, &scene, &play);
        CHECK_UINT(compare.num_joints, 3);
        if (CHECK(compare.num_same == 2)) {
            CHECK_STRING(joint_name(&scene, &compare.differences[0]), "tip");
            CHECK_NEAR(compare.differences[0].distance, sqrt(32.0), 1e-5);
            CHECK_NEAR(compare.differences[0].angle, 90, 1e-3);
            CHECK_STRING(joint_name(&scene, &compare.differences[1]), "root");
            CHECK_NEAR(compare.differences[1].distance, 4, 1e-5);
            CHECK_NEAR(compare.differences[1].angle, 90, 1e-3);
        }
    }
    view_free_compare(&compare);
    view_free_scene(&scene);
}

// After 0.25 s the arm is rotated by 90 degrees about z in one clip. In the other clip it is always
// rotated about y by 2 asin(0.25). The root does not move.
TEST (view_compare_poses_another_clip) {
    view_scene scene = {0};
    view_compare compare = {0};
    const view_play play = {.time = 0.25, .speed = 1};
    if (open_scene(&scene, "models/zoo/half_turn.md5mesh", "models/zoo/half_turn.md5anim")
        && CHECK(load(&compare, &scene, "models/zoo/one_frame.md5anim"))) {
        view_pose(&scene, &play);
        view_pose_compare(&compare, &scene, &play);
        CHECK_UINT(compare.num_same, 2);
        const double w = sqrt(0.5) * sqrt(1.0 - 0.25 * 0.25);
        double largest = 0.0;
        for (int i = 0; i < 2; i++) {
            const double angle = compare.differences[i].angle;
            CHECK_SMALL(compare.differences[i].distance, 1e-6);
            largest = angle > largest ? angle : largest;
        }
        CHECK_NEAR(largest, 2.0 * acos(w) * 180.0 / 3.14159265358979324, 1e-3);
        // Both models are the same, so their bind poses do not differ.
        view_show_bind_pose(&scene, true, NULL);
        view_pose(&scene, &play);
        view_pose_compare(&compare, &scene, &play);
        CHECK(!(compare.differences[0].angle > 0.0f) && !(compare.differences[1].angle > 0.0f));
    }
    view_free_compare(&compare);
    view_free_scene(&scene);
}

// Another model plays the clip of the scene, even after the scene has changed its clip. Rotating
// the scene makes no difference.
TEST (view_compare_follows_the_clip_of_the_scene) {
    view_scene scene = {0};
    view_compare compare = {0};
    view_log log = quiet_log;
    const view_play play = {.time = 0.3, .speed = 1};
    if (open_scene(&scene, "models/bobbin/bobbin.md5mesh", "models/bobbin/walk.md5anim")
        && CHECK(load(&compare, &scene, "models/bobbin/bobbin.md5mesh"))) {
        scene.rotation = view_rotate_further((view_rotation){0}, 0);
        view_pose(&scene, &play);
        view_pose_compare(&compare, &scene, &play);
        CHECK_UINT(compare.num_same, scene.num_joints);
        CHECK(compare.differences[0].distance < 1e-5f);
        const md5_anim *const before = compare.bound;
        CHECK(view_add_clip(&scene, test_path("models/bobbin/run.md5anim"), &log));
        view_pose(&scene, &play);
        view_pose_compare(&compare, &scene, &play);
        CHECK(compare.bound != before && compare.differences[0].distance < 1e-5f);
    }
    view_free_compare(&compare);
    view_free_scene(&scene);
}

TEST (view_compare_rejects_models_that_do_not_match) {
    view_scene scene = {0};
    view_compare compare = {0};
    if (open_scene(&scene, "models/zoo/half_turn.md5mesh", "models/zoo/half_turn.md5anim")) {
        STRINGS(files) = {"models/zoo/nothing.md5mesh", "models/zoo/nothing.md5anim",
                          "models/bobbin/walk.md5anim"};
        for (size_t i = 0; i < COUNT_OF(files); i++) {
            CHECK(!load(&compare, &scene, files[i]));
            view_free_compare(&compare);
        }
        // A model that the clip does not fit has its bind pose.
        const view_play play = {.time = 0.3, .speed = 1};
        CHECK(load(&compare, &scene, "models/zoo/chain.md5mesh"));
        view_pose(&scene, &play);
        view_pose_compare(&compare, &scene, &play);
        CHECK(compare.binding == NULL && compare.num_same == 0);
        CHECK_BYTES(compare.joints, compare.model->bind, sizeof *compare.joints);
    }
    view_free_compare(&compare);
    view_free_scene(&scene);
}

// Both poses are visible in the image, and the differences in the panel.
TEST_SCENE (view_compare_is_drawn_with_the_model) {
    static const char *const line =
        "models/zoo/half_turn.md5mesh models/zoo/half_turn.md5anim --animation-time 0.25 "
        "--samples 1 --resolution 800,600 --no-background --grid=no --camera-elevation-angle 0 "
        "--camera-azimuth-angle 0";
    char compared[512];
    SCOPED_SHOT viewer;
    snprintf(compared, sizeof compared, "%s --compare %s", line,
             test_path("models/zoo/one_frame.md5anim"));
    SCOPED_PICTURE alone = render_shot(scene, line);
    if (shot_open(&viewer, scene, compared)) {
        SCOPED_PICTURE both = shot_draw(&viewer);
        const shot_cover single_cover = measure_shot_cover(&alone);
        const shot_cover two = measure_shot_cover(&both);
        CHECK((two.right - two.left) / (two.bottom - two.top)
              > 1.5 * (single_cover.right - single_cover.left)
                    / (single_cover.bottom - single_cover.top));
        SCOPED_SHOT panels;
        strcat(compared, " --panel");
        if (shot_open(&panels, scene, compared)) {
            const view_stage stage = view_build_stage(&panels.state, 1280.0f, 900.0f);
            CHECK(view_free_region(&stage).width > 0.0f);
            SCOPED_PICTURE with_panel = shot_draw(&panels);
            CHECK(!shot_same(&both, &with_panel));
        }
    }
}

// The arm rotates about z by 45 degrees per frame; in the other clip it is always rotated by 2
// asin(0.25) about y. The angle between these rotations is 2 acos(|cos(z / 2)| cos(y / 2)): at most
// 180 degrees, in frame 4.
TEST (view_compare_measures_all_frames_of_a_clip) {
    view_scene scene = {0};
    view_compare compare = {0};
    const view_play play = {.time = 0.1, .speed = 1};
    if (open_scene(&scene, "models/zoo/half_turn.md5mesh", "models/zoo/half_turn.md5anim")
        && CHECK(load(&compare, &scene, "models/zoo/one_frame.md5anim"))) {
        view_pose(&scene, &play);
        const md5_quat before = scene.pose[1].rotation;
        view_pose_compare(&compare, &scene, &play);
        CHECK(compare.measured == scene.clips[0].anim);
        CHECK_STRING(scene.skeleton->joints[compare.peaks[0].joint].name, "arm");
        CHECK_NEAR(compare.peaks[0].angle, 180, 0.1);
        CHECK_UINT(compare.peaks[0].angle_frame, 4);
        CHECK_SMALL(compare.peaks[1].angle, 1e-3);                    // the root
        CHECK_BYTES(&before, &scene.pose[1].rotation, sizeof before); // posed again
        view_show_bind_pose(&scene, true, NULL);
        view_pose(&scene, &play);
        view_pose_compare(&compare, &scene, &play);
        CHECK(!compare.measured);
    }
    view_free_compare(&compare);
    view_free_scene(&scene);
}

// Comparing single frames one after another gives the same maxima. Both clips are closed; the
// second one is shorter and repeats from its beginning.
TEST (view_compare_equals_the_distance_of_single_frames) {
    view_scene scene = {0};
    view_compare compare = {0};
    view_play play = {.speed = 1};
    if (open_scene(&scene, "models/bobbin/bobbin.md5mesh", "models/bobbin/walk.md5anim")
        && CHECK(load(&compare, &scene, "models/bobbin/run.md5anim"))) {
        const md5_anim *const anim = scene.clips[0].anim;
        float largest = 0.0f;
        float found = 0.0f;
        view_pose(&scene, &play);
        view_pose_compare(&compare, &scene, &play);
        const view_peak peak = compare.peaks[0];
        for (uint32_t frame = 0; frame + 1 < anim->num_frames; frame++) {
            play.time = frame / anim->frame_rate;
            view_pose(&scene, &play);
            view_pose_compare(&compare, &scene, &play);
            const float distance = compare.differences[0].distance;
            largest = distance > largest ? distance : largest;
            if (frame == peak.distance_frame)
                found = distance;
        }
        CHECK(largest > 1.0f && peak.distance_frame + 1 < anim->num_frames);
        CHECK_NEAR(peak.distance, largest, 1e-3);
        CHECK_NEAR(found, largest, 1e-3);
    }
    view_free_compare(&compare);
    view_free_scene(&scene);
}
