// Comparison of poses: distances and angles between joints of tiny models whose poses are known.
#include "test/viewer/test_view_shot.h"

#include "demo/viewer/crowd/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool open_scene(view_scene *scene, const char *model, const char *clip)
{
    const char *const files[] = {test_path(model), clip != NULL ? test_path(clip) : NULL};
    view_log log = {.level = VIEW_QUIET};
    return CHECK(view_load_scene(scene, files, clip != NULL ? 2 : 1, false, &log));
}

static bool load(view_compare *compare, const view_scene *scene, const char *file)
{
    view_log log = {.level = VIEW_QUIET};
    return view_load_compare(compare, scene, test_path(file), &log);
}

static const char *name_of(const view_scene *scene, const view_difference *difference)
{
    return scene->skeleton->joints[difference->joint].name;
}

// Bind poses: "root" is moved by 4 and turned by 90 degrees, "tip" is moved from (0, 0, 10) to
// (0, 4, 6) and turned by 90 degrees; "between" is only in the scene.
TEST (view_compare_finds_joints_of_the_same_name) {
    view_scene scene = {0};
    view_compare compare = {0};
    const view_play play = {.speed = 1.0};
    if (open_scene(&scene, "models/zoo/fewer_joints.md5mesh", NULL)
        && CHECK(load(&compare, &scene, "models/zoo/bind_turned.md5mesh"))) {
        view_pose(&scene, &play);
        view_pose_compare(&compare, &scene, &play);
        CHECK_UINT(compare.num_joints, 3);
        if (CHECK(compare.num_same == 2)) {
            CHECK_STRING(name_of(&scene, &compare.differences[0]), "tip");
            CHECK_NEAR(compare.differences[0].distance, sqrt(32.0), 1e-5);
            CHECK_NEAR(compare.differences[0].angle, 90.0, 1e-3);
            CHECK_STRING(name_of(&scene, &compare.differences[1]), "root");
            CHECK_NEAR(compare.differences[1].distance, 4.0, 1e-5);
            CHECK_NEAR(compare.differences[1].angle, 90.0, 1e-3);
        }
    }
    view_free_compare(&compare);
    view_free_scene(&scene);
}

// After a quarter of a second the arm is rotated by 90 degrees about z in one clip; in the other
// one it is always rotated about y by 2 asin(0.25). The root stands still.
TEST (view_compare_poses_another_clip) {
    view_scene scene = {0};
    view_compare compare = {0};
    const view_play play = {.time = 0.25, .speed = 1.0};
    if (open_scene(&scene, "models/zoo/half_turn.md5mesh", "models/zoo/half_turn.md5anim")
        && CHECK(load(&compare, &scene, "models/zoo/one_frame.md5anim"))) {
        view_pose(&scene, &play);
        view_pose_compare(&compare, &scene, &play);
        CHECK_UINT(compare.num_same, 2);
        const double w = sqrt(0.5) * sqrt(1.0 - 0.25 * 0.25);
        double largest = 0.0;
        for (int i = 0; i < 2; i++) {
            const double angle = (double)compare.differences[i].angle;
            CHECK_NEAR(compare.differences[i].distance, 0.0, 1e-6);
            largest = angle > largest ? angle : largest;
        }
        CHECK_NEAR(largest, 2.0 * acos(w) * 180.0 / 3.14159265358979324, 1e-3);
        // Bind poses of the same model are equal.
        view_show_bind_pose(&scene, true, NULL);
        view_pose(&scene, &play);
        view_pose_compare(&compare, &scene, &play);
        CHECK(!(compare.differences[0].angle > 0.0f) && !(compare.differences[1].angle > 0.0f));
    }
    view_free_compare(&compare);
    view_free_scene(&scene);
}

// Another model plays the scene's clip, also after the scene has changed its clip. Turning the
// scene makes no difference.
TEST (view_compare_follows_the_clip_of_the_scene) {
    view_scene scene = {0};
    view_compare compare = {0};
    view_log log = {.level = VIEW_QUIET};
    const view_play play = {.time = 0.3, .speed = 1.0};
    if (open_scene(&scene, "models/bobbin/bobbin.md5mesh", "models/bobbin/walk.md5anim")
        && CHECK(load(&compare, &scene, "models/bobbin/bobbin.md5mesh"))) {
        scene.turn = view_turn_y_up();
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

TEST (view_compare_refuses_what_does_not_fit) {
    view_scene scene = {0};
    view_compare compare = {0};
    if (open_scene(&scene, "models/zoo/half_turn.md5mesh", "models/zoo/half_turn.md5anim")) {
        static const char *const files[] = {"models/zoo/nothing.md5mesh",
                                            "models/zoo/nothing.md5anim",
                                            "models/bobbin/walk.md5anim"};
        for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
            CHECK(!load(&compare, &scene, files[i]));
            view_free_compare(&compare);
        }
        // A model that the clip does not fit stands in its bind pose.
        const view_play play = {.time = 0.3, .speed = 1.0};
        CHECK(load(&compare, &scene, "models/zoo/chain.md5mesh"));
        view_pose(&scene, &play);
        view_pose_compare(&compare, &scene, &play);
        CHECK(compare.binding == NULL && compare.num_same == 0);
        CHECK(memcmp(compare.joints, compare.model->bind, sizeof *compare.joints) == 0);
    }
    view_free_compare(&compare);
    view_free_scene(&scene);
}

// Both poses are visible in the picture, and the differences in the panel.
TEST_SCENE (view_compare_is_drawn_beside_the_model) {
    static const char *const line =
        "models/zoo/half_turn.md5mesh models/zoo/half_turn.md5anim --animation-time 0.25 "
        "--samples 1 --resolution 160,120 --no-background --grid=no --camera-elevation-angle 0 "
        "--camera-azimuth-angle 0";
    char compared[512];
    shot_viewer viewer;
    (void)snprintf(compared, sizeof compared, "%s --compare %s", line,
                   test_path("models/zoo/one_frame.md5anim"));
    shot alone = shot_take(scene, line);
    if (shot_open(&viewer, scene, compared)) {
        shot both = shot_draw(&viewer);
        const shot_cover one = shot_cover_of(&alone), two = shot_cover_of(&both);
        CHECK((two.right - two.left) / (two.bottom - two.top)
              > 1.5 * (one.right - one.left) / (one.bottom - one.top));
        viewer.state.shown.panel = true;
        const view_stage facts = view_stage_of(&viewer.state, 1280.0f, 900.0f);
        const float with = view_free_region(&facts).width;
        CHECK(with > 0.0f);
        shot with_panel = shot_draw(&viewer);
        CHECK(!shot_same(&both, &with_panel));
        free(both.rgba);
        free(with_panel.rgba);
    }
    shot_close(&viewer);
    free(alone.rgba);
}

// The arm turns about z by 45 degrees a frame; the other one's is always turned by 2 asin(0.25)
// about y. Between these turns is 2 acos(|cos(z / 2)| cos(y / 2)): 180 degrees, at most, in
// frame 4.
TEST (view_compare_measures_all_frames_of_a_clip) {
    view_scene scene = {0};
    view_compare compare = {0};
    const view_play play = {.time = 0.1, .speed = 1.0};
    if (open_scene(&scene, "models/zoo/half_turn.md5mesh", "models/zoo/half_turn.md5anim")
        && CHECK(load(&compare, &scene, "models/zoo/one_frame.md5anim"))) {
        view_pose(&scene, &play);
        const md5_quat before = scene.pose[1].rotation;
        view_pose_compare(&compare, &scene, &play);
        CHECK(compare.measured == scene.clips[0].anim);
        CHECK_STRING(scene.skeleton->joints[compare.peaks[0].joint].name, "arm");
        CHECK_NEAR(compare.peaks[0].angle, 180.0, 0.1);
        CHECK_UINT(compare.peaks[0].angle_frame, 4);
        CHECK_NEAR(compare.peaks[1].angle, 0.0, 1e-3);                       // the root
        CHECK(memcmp(&before, &scene.pose[1].rotation, sizeof before) == 0); // posed again
        view_show_bind_pose(&scene, true, NULL);
        view_pose(&scene, &play);
        view_pose_compare(&compare, &scene, &play);
        CHECK(compare.measured == NULL);
    }
    view_free_compare(&compare);
    view_free_scene(&scene);
}

// What single frames show one after another has the same maxima. Both clips are closed; the second
// is shorter and goes on from its beginning.
TEST (view_compare_measures_what_single_frames_show) {
    view_scene scene = {0};
    view_compare compare = {0};
    view_play play = {.speed = 1.0};
    if (open_scene(&scene, "models/bobbin/bobbin.md5mesh", "models/bobbin/walk.md5anim")
        && CHECK(load(&compare, &scene, "models/bobbin/run.md5anim"))) {
        const md5_anim *const anim = scene.clips[0].anim;
        float largest = 0.0f, found = 0.0f;
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
