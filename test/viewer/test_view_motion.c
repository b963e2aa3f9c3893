// The interface between the viewer and the motion of a model: its implementations, and one
// implementation of this test, which the viewer shows, drives and points at without special code.
// Also walking legs, terrains and the camera that follows a character.
#include "test/viewer/test_view_shot.h"
#include "test/viewer/test_view_case.h"

#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/stage.h"

static bool open_scene(view_scene *scene, const char *path)
{
    view_log log = quiet_log;
    const char *const files[] = {test_path(path)};
    return CHECK(view_load_scene(scene, files, 1, NULL, true, &log));
}

TEST (view_motion_is_selected_by_the_scene) {
    view_scene scene;
    if (!open_scene(&scene, "models/bobbin/bobbin.md5machine"))
        return;
    CHECK_STRING(view_get_motion(&scene)->name, "machine");
    CHECK(view_shown_clip(&scene) == NULL && view_get_mover(&scene)->mode == VIEW_MODE_MACHINE);
    view_free_scene(&scene);

    if (!open_scene(&scene, "models/thimble/thimble.md5mesh"))
        return;
    CHECK_STRING(view_get_motion(&scene)->name, "clip");
    CHECK(view_begin_walk(&scene));
    CHECK_STRING(view_get_motion(&scene)->name, "legs");
    view_show_bind_pose(&scene, true, NULL);
    CHECK_STRING(view_get_motion(&scene)->name, "bind pose");
    CHECK_STRING(view_get_mover(&scene)->name, "legs");
    CHECK(view_shown_clip(&scene) == NULL && !view_get_motion(&scene)->moves_alone);
    view_show_bind_pose(&scene, false, NULL);
    CHECK_STRING(view_get_motion(&scene)->name, "legs");
    CHECK(view_end_walk(&scene) && !view_end_walk(&scene));
    CHECK_STRING(view_get_motion(&scene)->name, "clip");
    view_free_scene(&scene);
}

// -- A motion of this test ------------------------------------------------------------------------

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

static md5_xform kite_placement(const view_scene *scene)
{
    (void)scene;
    return (md5_xform){.translation = {0, 0, 5}, .rotation = {.w = 1}};
}

static md5_vec3 walked_by_kite(const view_scene *scene, const view_play *play)
{
    (void)scene;
    return (md5_vec3){0, 0, (float)play->time};
}

static void describe_kite(const view_scene *scene, char *text, size_t size)
{
    snprintf(text, size, "kite of %s", scene->name);
}

static view_control *get_kite_control(view_scene *scene, bool down)
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
    .placement = kite_placement,
    .walked = walked_by_kite,
    .describe = describe_kite,
    .take_control = get_kite_control,
    .point = point_kite,
};

TEST (view_motion_of_a_new_kind_is_shown_and_driven) {
    view_document document = {.uses_options = true};
    view_scene *const scene = &document.scene;
    view_options options = {.output = NULL};
    view_state viewer = {.options = &options,
                         .document = &document,
                         .width = 200,
                         .height = 100,
                         .cameras.user = {.distance = 50},
                         .pages = {.open = -1}};
    const view_play play = {.time = 3};
    char text[64];
    if (!open_scene(scene, "models/thimble/thimble.md5mesh"))
        return;
    scene->mover = scene->motion = &kite_motion;

    view_pose(scene, &play);
    CHECK_NEAR(scene->joints[0].m[11], scene->model->bind[0].m[11] + 3.0f, 1e-6);
    CHECK_NEAR(view_walked(scene, &play).z, 3, 1e-6);
    CHECK_NEAR(view_model_from_world(scene).m[11], -5, 1e-6);
    CHECK(view_shown_clip(scene) == NULL && view_timing_anim(scene) == NULL);
    CHECK(view_get_mode(&document) == VIEW_MODE_CLIPS);
    view_describe_motion(scene, text, sizeof text);
    CHECK_STRING(text, "kite of thimble");
    view_hull hull;
    const md5_bounds bounds = view_clip_bounds(scene, &play, &hull);
    CHECK_NEAR(bounds.min.z, scene->model->bounds.min.z + 3.0f, 0.1);

    const view_menu_entry ahead = {.action = VIEW_AHEAD};
    CHECK(view_controls_character(&viewer));
    view_control_character(&viewer, &ahead, true);
    CHECK(kite.control.ahead == 1);
    view_control_character(&viewer, &ahead, false);
    CHECK(kite.control.ahead == 0);
    view_point_mover(&viewer, 150.0f, 50.0f);
    CHECK(md5_vec3_length(kite.target) > 0.0f);

    view_show_bind_pose(scene, true, NULL);
    view_pose(scene, &play);
    CHECK_NEAR(scene->joints[0].m[11], scene->model->bind[0].m[11], 1e-6);
    CHECK_SMALL(view_walked(scene, &play).z, 1e-6);
    view_show_bind_pose(scene, false, NULL);
    CHECK_STRING(view_get_motion(scene)->name, "kite");
    view_free_scene(scene);
}

// -- Legs -----------------------------------------------------------------------------------------

// Procedural walking in the viewer: finding legs, and driving them with keys.

static bool legs_open_scene(view_scene *scene, const char *path)
{
    view_log log = quiet_log;
    const char *const files[] = {test_path(path)};
    *scene = (view_scene){.root = MD5_ROOT_FILE};
    return CHECK(view_load_scene(scene, files, 1, NULL, false, &log));
}

TEST (view_finds_legs_for_walking) {
    view_scene scene;
    if (!legs_open_scene(&scene, "models/thimble/thimble.md5mesh"))
        return;
    CHECK(view_begin_walk(&scene));
    CHECK_UINT(scene.legs.num_legs, 6);
    CHECK_STRING(scene.skeleton->joints[scene.legs.body].name, "body");
    CHECK_UINT(scene.legs.num_pistons, 6);
    uint32_t num_first = 0;
    for (uint32_t i = 0; i < 6; i++) {
        const md5_leg *const leg = &scene.legs.legs[i];
        CHECK(leg->swivel != MD5_NONE);
        num_first += leg->group == 0;
        // The opposite leg and the adjacent legs of the same side are in the other group.
        for (uint32_t k = 0; k < i; k++) {
            const char *const a = scene.skeleton->joints[leg->limb.tip].name;
            const char *const b = scene.skeleton->joints[scene.legs.legs[k].limb.tip].name;
            const int apart = abs(a[5] - b[5]); // foot_1_l: character 5 is the number of the pair
            const bool is_same_side = a[7] == b[7];
            const bool is_adjacent = is_same_side && apart == 1;
            const bool is_opposite = !is_same_side && apart == 0;
            if (is_adjacent || is_opposite)
                CHECK(leg->group != scene.legs.legs[k].group);
        }
    }
    CHECK_UINT(num_first, 3);
    view_free_scene(&scene);
    if (!legs_open_scene(&scene, "models/bobbin/bobbin.md5mesh"))
        return;
    CHECK(view_begin_walk(&scene));
    CHECK_UINT(scene.legs.num_legs, 2);
    CHECK_STRING(scene.skeleton->joints[scene.legs.body].name, "hips");
    CHECK(scene.legs.legs[0].swivel == MD5_NONE
          && scene.legs.legs[0].group != scene.legs.legs[1].group);
    view_free_scene(&scene);
    if (!legs_open_scene(&scene, "models/lantern/lantern.md5mesh"))
        return;
    CHECK(!view_begin_walk(&scene));
    CHECK_UINT(scene.legs.num_legs, 0);
    view_free_scene(&scene);
}

// Returns the sine of the largest angle between one half of a piston and the line to the other
// half.
static double largest_piston_error(const view_scene *scene)
{
    double max_error = 0.0;
    for (uint32_t i = 0; i < scene->legs.num_pistons; i++) {
        const view_piston *const piston = &scene->legs.pistons[i];
        for (int end = 0; end < 2; end++) {
            const md5_mat34 joint_transform = scene->joints[piston->joints[end]];
            const md5_vec3 to =
                md5_vec3_sub(md5_mat34_translation(scene->joints[piston->joints[1 - end]]),
                             md5_mat34_translation(joint_transform));
            const md5_vec3 points = md5_mat34_direction(joint_transform, piston->forward[end]);
            const md5_vec3 across = md5_vec3_cross(to, points);
            const double lengths = (double)md5_vec3_length(to) * md5_vec3_length(points);
            const bool is_backward = md5_vec3_dot(to, points) < 0.0f;
            const double off = is_backward ? 1.0 : md5_vec3_length(across) / lengths;
            max_error = off > max_error ? off : max_error;
        }
    }
    return max_error;
}

// The height of the ground is periodic, equals the corner heights at the corners of a square, and
// is linear within each triangle.
TEST (view_ground_is_made_of_triangles) {
    const view_terrain terrain = {.kind = VIEW_HILLS, .cell = 4, .height = 3};
    const float period = terrain.cell * (float)VIEW_GROUND_SQUARES;
    uint64_t random = 5;
    float low = INFINITY;
    float high = -INFINITY;
    for (int i = 0; i < 2000; i++) {
        const int32_t x = (int32_t)(test_random_u32(&random) % 300) - 150;
        const int32_t y = (int32_t)(test_random_u32(&random) % 300) - 150;
        const float at_x = 4.0f * (float)x;
        const float at_y = 4.0f * (float)y;
        const float corner = view_corner_height(&terrain, x, y);
        const float east = view_corner_height(&terrain, x + 1, y);
        const float north = view_corner_height(&terrain, x, y + 1);
        low = fminf(low, corner);
        high = fmaxf(high, corner);
        CHECK_NEAR(view_ground_height(&terrain, at_x, at_y), corner, 1e-5);
        CHECK_NEAR(view_ground_height(&terrain, at_x + period, at_y - 2.0f * period), corner, 1e-5);
        CHECK_NEAR(view_ground_height(&terrain, at_x + 1.0f, at_y + 2.0f),
                   0.25 * (double)corner + 0.25 * (double)east + 0.5 * (double)north, 1e-5);
        CHECK_NEAR(view_ground_height(&terrain, at_x + 2.0f, at_y + 2.0f),
                   0.5 * (double)east + 0.5 * (double)north, 1e-5);
        CHECK(fabsf(east - corner) < 2.0f); // no cliffs
    }
    CHECK(low >= -3.0f && high <= 3.0f && high - low > 2.5f);
    CHECK(view_ground_height(&terrain, NAN, 0.0f) == 0.0f);
    CHECK(view_ground_height(&terrain, 1e30f, 0.0f) == 0.0f);
}

// A slope of 20 degrees; then treads of constant height, each one stair below the last.
TEST (view_ground_has_slopes_and_stairs) {
    const float tangent = tanf(0.349066f);
    const view_terrain slope = {.kind = VIEW_SLOPE, .cell = 4, .height = 4 * 4.12f};
    CHECK_SMALL(view_ground_height(&slope, 0, 0), 1e-6);
    CHECK_NEAR(view_ground_height(&slope, 7, 7), 7 * sqrtf(2) * tangent, 0.02);
    CHECK_SMALL(view_ground_height(&slope, 9, -9), 1e-5);
    const view_terrain stairs = {.kind = VIEW_STAIRS, .cell = 2, .height = 5};
    for (int step = 0; step < 7; step++) {
        CHECK_NEAR(view_ground_height(&stairs, 8.0f * (float)step + 0.1f, 3), -5.0 * step, 1e-6);
        CHECK_NEAR(view_ground_height(&stairs, 8.0f * (float)step + 7.9f, -40), -5.0 * step, 1e-6);
    }
    // A box rests on the highest point of the ground below it.
    CHECK_SMALL(view_ground_under(&stairs, (md5_vec3){9, 0, 0}, 2), 1e-6);
    CHECK_NEAR(view_ground_under(&stairs, (md5_vec3){9, 0, 0}, 0.5f), -5, 1e-6);
    // In the drawn mesh, both edges of a riser have the same x, and a tread extends from one riser
    // to the next.
    CHECK(view_corner_x(&stairs, 2) == 8.0f && view_corner_x(&stairs, 3) == 8.0f);
    CHECK(view_corner_x(&stairs, 4) == 8.0f && view_corner_x(&stairs, 5) == 16.0f);
    CHECK_NEAR(view_corner_height(&stairs, 2, 0), 0, 1e-6);
    CHECK_NEAR(view_corner_height(&stairs, 3, 0), -5, 1e-6);
}

// The lift starts level with the floor, and reaches its top after three seconds of six.
TEST (view_ground_has_a_lift) {
    view_terrain lift = {.kind = VIEW_LIFT, .cell = 2, .height = 5};
    static const double rises[][2] = {{0, 0}, {1, 1.25}, {1.5, 2.5},
                                      {3, 5}, {4, 3.75}, {602, 3.75}};
    for (size_t i = 0; i < COUNT_OF(rises); i++) {
        view_set_lift_time(&lift, rises[i][0]);
        CHECK_NEAR(view_ground_height(&lift, 100, 0), rises[i][1], 1e-4);
    }
    // The lift covers 12 of 64 squares to each side; one more square slopes down to the floor.
    CHECK_NEAR(view_ground_height(&lift, 0, 23.9f), 3.75, 1e-4);
    CHECK_NEAR(view_ground_height(&lift, 0, -23.9f + 256.0f), 3.75, 1e-4);
    for (int side = -1; side <= 1; side += 2) {
        CHECK(view_is_lift(&lift, 12 * side) && !view_is_lift(&lift, 13 * side));
        CHECK_NEAR(view_ground_height(&lift, 0, 25.0f * (float)side), 0.5 * 3.75, 1e-4);
        CHECK_SMALL(view_ground_height(&lift, 0, 26.1f * (float)side), 1e-6);
    }
}

TEST_IF (view_walks_over_the_terrain, view_scene, scene,
         legs_open_scene(scene, "models/thimble/thimble.md5mesh"), view_free_scene(scene)) {
    // Only monsters support the lift.
    CHECK_UINT(view_find_feet(&scene->terrain, scene, VIEW_LIFT), 0);
    CHECK(view_find_feet(&scene->terrain, scene, VIEW_HILLS) == 6 && view_begin_walk(scene));
    const view_play play = {.time = 3};
    view_pose(scene, &play);
    const md5_vec3 walked = view_walked(scene, &play);
    CHECK(hypot((double)walked.x, (double)walked.y) > 20.0);
    CHECK(largest_piston_error(scene) < 1e-3);
    for (uint32_t i = 0; i < 6; i++) {
        const md5_foothold *const foot = &scene->legs.gait.feet[i];
        const md5_vec3 at = foot->position;
        CHECK_NEAR(at.z, view_ground_height(&scene->terrain, at.x, at.y), 1e-5);
    }
    // After a seek to the start the walked distance is 0, and after a seek forward it is the same
    // as before.
    const view_play begin = {.time = 0};
    view_pose(scene, &begin);
    CHECK_SMALL(view_walked(scene, &begin).x, 1e-6);
    view_pose(scene, &play);
    CHECK_NEAR(view_walked(scene, &play).x, walked.x, 1e-6);
}

TEST (view_keys_control_legs) {
    view_document document = {.uses_options = true};
    view_options options = {.output = NULL};
    view_state viewer = {.options = &options, .document = &document, .pages = {.open = -1}};
    if (!legs_open_scene(&document.scene, "models/thimble/thimble.md5mesh"))
        return;
    CHECK(!view_controls_character(&viewer)); // walking is not enabled
    CHECK(view_begin_walk(&document.scene));
    CHECK(view_controls_character(&viewer));
    const view_menu_entry ahead = {.action = VIEW_AHEAD};
    const view_menu_entry left = {.action = VIEW_TO_LEFT};
    const view_menu_entry back = {.action = VIEW_BACK};
    const view_menu_entry trigger = {.action = VIEW_TRIGGER};
    view_control_character(&viewer, &trigger, true);
    CHECK(!document.scene.legs.is_driven);
    view_control_character(&viewer, &ahead, true);
    view_pose(&document.scene, &(view_play){.time = 1});
    const md5_gait first = document.scene.legs.gait;
    CHECK(first.position.x > 10.0f && fabsf(first.position.y) < 1e-4f);
    view_control_character(&viewer, &ahead, false);
    view_control_character(&viewer, &left, true);
    view_pose(&document.scene, &(view_play){.time = 2});
    CHECK(document.scene.legs.gait.facing.z > 0.2f);
    view_control_character(&viewer, &left, false);
    view_control_character(&viewer, &back, true);
    view_pose(&document.scene, &(view_play){.time = 3});
    CHECK(document.scene.legs.gait.velocity.x < -10.0f);
    view_free_scene(&document.scene);
}

// -- The key for walking ----------------------------------------------------------------------

static void run_seconds(view_state *viewer, double seconds)
{
    viewer->play.time += seconds;
    view_pose(&viewer->document->scene, &viewer->play);
}

// The key starts walking like --walk, and pressing it again returns to the clip.
TEST_IF (view_key_starts_and_ends_procedural_walking, gl_scene, gl, scene_share(gl),
         scene_close(gl)) {
    shot_viewer viewer;
    view_state *const state = &viewer.state;
    const view_menu_entry *const key = view_find_shortcut('u');
    CHECK_UINT(key->action, VIEW_WALK);
    if (shot_open(&viewer, gl, "models/bobbin/bobbin.md5mesh models/bobbin/dance.md5anim")) {
        view_scene *const scene = &state->document->scene;
        run_seconds(state, 0.5);
        const md5_vec3 clip_position = md5_mat34_translation(scene->joints[10]);
        PERFORM(state, key->action);
        CHECK_UINT(scene->legs.num_legs, 2);
        CHECK_EXACT(state->play.time, 0);
        for (int i = 0; i < 4; i++)
            run_seconds(state, 0.5);
        CHECK(md5_vec3_length(view_walked(scene, &state->play)) > 5.0f);
        CHECK(view_controls_character(state));
        PERFORM(state, key->action);
        CHECK_UINT(scene->legs.num_legs, 0);
        run_seconds(state, 0.5);
        CHECK_EXACT(md5_vec3_length(view_walked(scene, &state->play)), 0);
        const md5_vec3 again = md5_mat34_translation(scene->joints[10]);
        CHECK_EXACT(md5_vec3_length(md5_vec3_sub(again, clip_position)), 0);
    }
    shot_close(&viewer);
    if (shot_open(&viewer, gl, "models/lantern/lantern.md5mesh")) {
        PERFORM(state, key->action);
        CHECK_UINT(state->document->scene.legs.num_legs, 0);
        CHECK_STRING(state->ui.notice.text,
                     "Cannot walk: no two joint names contain foot or ankle");
    }
    shot_close(&viewer);
}

// -- Smooth camera motion -------------------------------------------------------------------------

// The camera of a window moves smoothly. Without a window it takes its position immediately.

static view_camera camera_at(float azimuth, float elevation, float distance, md5_vec3 target)
{
    return (view_camera){.azimuth = azimuth,
                         .elevation = elevation,
                         .distance = distance,
                         .target = target,
                         .scene_radius = 10};
}

TEST (view_camera_follows_by_a_fraction) {
    const view_camera to = camera_at(170.0f, 40.0f, 100.0f, (md5_vec3){8, -4, 2});
    view_camera camera = camera_at(-170.0f, 20.0f, 60.0f, (md5_vec3){0, 0, 0});
    camera.scene_radius = 3.0f;
    CHECK(view_follow_camera(&camera, &to, 0.25f));
    CHECK_NEAR(camera.azimuth, -175, 1e-4); // along the shorter arc, across 180
    CHECK_NEAR(camera.elevation, 25, 1e-4);
    CHECK_NEAR(camera.distance, 70, 1e-4);
    CHECK_NEAR(camera.target.x, 2, 1e-5);
    CHECK_NEAR(camera.target.y, -1, 1e-5);
    CHECK_EXACT(camera.scene_radius, 10);
    CHECK(view_follow_camera(&camera, &to, 0.0f)); // no time passes: unchanged
    CHECK_NEAR(camera.distance, 70, 1e-4);
    CHECK(!view_follow_camera(&camera, &to, 1.0f));
    CHECK(camera.azimuth == to.azimuth && camera.distance == to.distance);
    CHECK(!view_follow_camera(&camera, &to, 0.25f));
}

// Each frame of dt seconds moves the camera by x += (target - x) (1 - e^(-20 dt)). After t seconds,
// the fraction e^(-20 t) of the distance remains, for every frame rate.
TEST (view_camera_follows_independently_of_the_frame_rate) {
    static const int rates[] = {24, 60, 144, 1000};
    for (int i = 0; i < 4; i++) {
        view_options options = {.output = NULL};
        view_state viewer = {.options = &options,
                             .cameras.user = camera_at(0.0f, 10.0f, 100.0f, (md5_vec3){0, 0, 0})};
        viewer.drawing.font.line[VIEW_TEXT] = 20.0f;
        view_snap(&viewer);
        CHECK(viewer.cameras.drawn.distance == 100.0f && !view_follow(&viewer, 0.01));
        viewer.cameras.user.azimuth = 80.0f;
        viewer.cameras.user.distance = 20.0f;
        viewer.ui.scrolls[0].wanted = 400.0f;
        const int frames = rates[i] / 8; // 1/8 s; 125 ms at 1000 Hz
        for (int k = 0; k < frames; k++)
            CHECK(view_follow(&viewer, 1.0 / rates[i]));
        const double rest = exp(-20.0 * frames / rates[i]);
        CHECK_NEAR(viewer.cameras.drawn.azimuth, 80.0 * (1.0 - rest), 2e-3);
        CHECK_NEAR(viewer.cameras.drawn.distance, 20.0 + 80.0 * rest, 2e-3);
        CHECK_NEAR(viewer.ui.scrolls[0].shown, 400.0 * (1.0 - rest), 2e-2);
        int more = 0;
        while (view_follow(&viewer, 1.0 / rates[i]))
            more++;
        CHECK(more < rates[i]); // the camera arrives within a second
        CHECK(viewer.cameras.drawn.azimuth == 80.0f && viewer.ui.scrolls[0].shown == 400.0f);
    }
}

TEST (view_snap_moves_the_shown_camera) {
    view_document document = {.uses_options = true};
    view_options options = {.output = NULL};
    view_state viewer = {.options = &options,
                         .document = &document,
                         .cameras.user = camera_at(0.0f, 10.0f, 100.0f, (md5_vec3){0, 0, 0})};
    CHECK(view_build_stage(&viewer, 640.0f, 480.0f).camera == &viewer.cameras.user);
    view_snap(&viewer);
    view_follow(&viewer, 0.01);
    viewer.cameras.user.azimuth = 90.0f;
    CHECK(view_build_stage(&viewer, 640.0f, 480.0f).camera == &viewer.cameras.drawn);
    view_follow(&viewer, 0.01);
    CHECK(viewer.cameras.drawn.azimuth < 30.0f);
    view_snap(&viewer);
    CHECK(viewer.cameras.drawn.azimuth == 90.0f && !view_follow(&viewer, 0.01));
}

TEST (view_reduced_motion_arrives_immediately) {
    view_options options = {.shown.reduced_motion = true};
    view_state viewer = {.options = &options,
                         .cameras.user = camera_at(0.0f, 10.0f, 100.0f, (md5_vec3){0, 0, 0})};
    viewer.drawing.font.line[VIEW_TEXT] = 20.0f;
    view_snap(&viewer);
    viewer.cameras.user.azimuth = 80.0f;
    viewer.ui.scrolls[0].wanted = 400.0f;
    view_follow(&viewer, 0.001);
    CHECK(viewer.cameras.drawn.azimuth == 80.0f && viewer.ui.scrolls[0].shown == 400.0f);
    CHECK(!view_follow(&viewer, 0.001));
}

// The point under the mouse at the time of a wheel step keeps its position in the image until the
// camera has arrived.
TEST (view_zoom_keeps_the_point_under_the_mouse) {
    const view_camera from = camera_at(30.0f, 12.0f, 100.0f, (md5_vec3){1, 2, 3});
    const float height = 480.0f;
    const float x = 120.0f;
    const float y = -70.0f;
    view_camera to = from;
    view_camera camera = from;
    view_zoom(&to, 2.5f, x, y, height);
    const view_axes axes =
        view_region_lens(&from, (view_rect){0, 0, height, height}, height, height).axes;
    const double half = tan(15.0 * 3.14159265358979 / 180.0);
    const double pixel = 2.0 * half * 100.0 / 480.0;
    for (int i = 0; i < 5; i++) {
        CHECK(view_follow_camera(&camera, &to, 0.3f));
        // The position of the point in the plane of the target, in pixels from the middle.
        const md5_vec3 offset = md5_vec3_sub(camera.target, from.target);
        const double units_per_pixel = 2.0 * half * camera.distance / 480.0;
        CHECK_NEAR((x * pixel - md5_vec3_dot(offset, axes.right)) / units_per_pixel, x, 1e-2);
        CHECK_NEAR((-y * pixel - md5_vec3_dot(offset, axes.up)) / units_per_pixel, -y, 1e-2);
    }
}
