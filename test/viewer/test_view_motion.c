// What moves a model is one interface: its kinds, and one that is made up here, which the viewer
// shows, drives and points at without knowing of it.
#include "test/test.h"

#include "demo/viewer/app/input.h"
#include "demo/viewer/motion/motion.h"

#include <stdio.h>

static bool open_scene(view_scene *scene, const char *path)
{
    view_log log = {.level = VIEW_QUIET};
    const char *const files[] = {test_path(path)};
    return CHECK(view_load_scene(scene, files, 1, true, &log));
}

TEST (view_motion_is_what_moves_the_model) {
    view_scene scene;
    if (!open_scene(&scene, "models/bobbin/bobbin.md5machine"))
        return;
    CHECK_STRING(view_motion_of(&scene)->name, "machine");
    CHECK(view_shown_clip(&scene) == NULL && view_mover_of(&scene)->mode == VIEW_MODE_MACHINE);
    view_free_scene(&scene);

    if (!open_scene(&scene, "models/thimble/thimble.md5mesh"))
        return;
    CHECK_STRING(view_motion_of(&scene)->name, "clip");
    CHECK(view_begin_walk(&scene));
    CHECK_STRING(view_motion_of(&scene)->name, "legs");
    view_show_bind_pose(&scene, true, NULL);
    CHECK_STRING(view_motion_of(&scene)->name, "bind pose");
    CHECK_STRING(view_mover_of(&scene)->name, "legs");
    CHECK(view_shown_clip(&scene) == NULL && !view_motion_of(&scene)->moves_alone);
    view_show_bind_pose(&scene, false, NULL);
    CHECK_STRING(view_motion_of(&scene)->name, "legs");
    CHECK(view_end_walk(&scene) && !view_end_walk(&scene));
    CHECK_STRING(view_motion_of(&scene)->name, "clip");
    view_free_scene(&scene);
}

// -- A made-up kind -------------------------------------------------------------------------------

static struct {
    view_control control;
    md5_vec3 target;
} kite;

static void pose_kite(view_scene *scene, const view_play *play)
{
    for (uint32_t i = 0; i < scene->num_joints; i++) {
        scene->joints[i] = scene->model->bind[i];
        scene->joints[i].m[11] += (float)play->time;
    }
    md5_build_palette(scene->model, scene->joints, scene->palette);
}

static md5_xform place_kite(const view_scene *scene)
{
    (void)scene;
    return (md5_xform){.translation = {0.0f, 0.0f, 5.0f}, .rotation = {.w = 1.0f}};
}

static md5_vec3 walked_by_kite(const view_scene *scene, const view_play *play)
{
    (void)scene;
    return (md5_vec3){0.0f, 0.0f, (float)play->time};
}

static void describe_kite(const view_scene *scene, char *text, size_t size)
{
    (void)snprintf(text, size, "kite of %s", scene->name);
}

static view_control *take_kite(view_scene *scene, bool down)
{
    (void)scene;
    (void)down;
    return &kite.control;
}

static void point_kite(view_scene *scene, md5_vec3 target)
{
    (void)scene;
    kite.target = target;
}

static const view_motion_kind kite_motion = {
    .name = "kite",
    .clip_use = VIEW_CLIP_UNUSED,
    .mode = VIEW_MODE_CLIPS,
    .moves_alone = true,
    .ending = ".kite",
    .pose = pose_kite,
    .place = place_kite,
    .walked = walked_by_kite,
    .describe = describe_kite,
    .take_over = take_kite,
    .point = point_kite,
};

TEST (view_motion_of_a_new_kind_is_shown_and_driven) {
    view_document document = {.as_asked = true};
    view_scene *const scene = &document.scene;
    view_state viewer = {
        .document = &document, .width = 200, .height = 100, .camera = {.distance = 50.0f}};
    const view_play play = {.time = 3.0};
    char text[64];
    if (!open_scene(scene, "models/thimble/thimble.md5mesh"))
        return;
    scene->mover = scene->motion = &kite_motion;

    view_pose(scene, &play);
    CHECK_NEAR(scene->joints[0].m[11], scene->model->bind[0].m[11] + 3.0f, 1e-6);
    CHECK_NEAR(view_walked(scene, &play).z, 3.0, 1e-6);
    CHECK_NEAR(view_model_from_world(scene).m[11], -5.0, 1e-6);
    CHECK(view_shown_clip(scene) == NULL && view_clock(scene) == NULL);
    CHECK(view_mode_of(&document) == VIEW_MODE_CLIPS);
    view_describe_motion(scene, text, sizeof text);
    CHECK_STRING(text, "kite of thimble");
    view_hull hull;
    const md5_bounds bounds = view_clip_bounds(scene, &play, &hull);
    CHECK_NEAR(bounds.min.z, scene->model->bounds.min.z + 3.0f, 0.1);

    const view_binding ahead = {.action = VIEW_AHEAD};
    CHECK(view_drives_clips(&viewer, VIEW_AHEAD));
    view_drive(&viewer, &ahead, true);
    CHECK(kite.control.ahead == 1);
    view_drive(&viewer, &ahead, false);
    CHECK(kite.control.ahead == 0);
    view_point_mover(&viewer, 150.0f, 50.0f);
    CHECK(md5_vec3_length(kite.target) > 0.0f);

    view_show_bind_pose(scene, true, NULL);
    view_pose(scene, &play);
    CHECK_NEAR(scene->joints[0].m[11], scene->model->bind[0].m[11], 1e-6);
    CHECK_NEAR(view_walked(scene, &play).z, 0.0, 1e-6);
    view_show_bind_pose(scene, false, NULL);
    CHECK_STRING(view_motion_of(scene)->name, "kite");
    view_free_scene(scene);
}
