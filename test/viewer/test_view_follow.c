// The camera of a window moves smoothly; without a window it is where it is set.
#include "test/test.h"

#include "demo/viewer/jobs/view.h"

#include <math.h>

static view_camera camera_at(float azimuth, float elevation, float distance, md5_vec3 target)
{
    return (view_camera){.azimuth = azimuth,
                         .elevation = elevation,
                         .distance = distance,
                         .target = target,
                         .scene_radius = 10.0f};
}

TEST (view_camera_follows_by_a_share) {
    const view_camera to = camera_at(170.0f, 40.0f, 100.0f, (md5_vec3){8.0f, -4.0f, 2.0f});
    view_camera seen = camera_at(-170.0f, 20.0f, 60.0f, (md5_vec3){0.0f, 0.0f, 0.0f});
    seen.scene_radius = 3.0f;
    CHECK(view_follow_camera(&seen, &to, 0.25f));
    CHECK_NEAR(seen.azimuth, -175.0, 1e-4); // the shorter arc, across 180
    CHECK_NEAR(seen.elevation, 25.0, 1e-4);
    CHECK_NEAR(seen.distance, 70.0, 1e-4);
    CHECK_NEAR(seen.target.x, 2.0, 1e-5);
    CHECK_NEAR(seen.target.y, -1.0, 1e-5);
    CHECK_NEAR(seen.scene_radius, 10.0, 0.0);
    CHECK(view_follow_camera(&seen, &to, 0.0f)); // no time passes: unchanged
    CHECK_NEAR(seen.distance, 70.0, 1e-4);
    CHECK(!view_follow_camera(&seen, &to, 1.0f));
    CHECK(seen.azimuth == to.azimuth && seen.distance == to.distance);
    CHECK(!view_follow_camera(&seen, &to, 0.25f));
}

// x += (target - x) (1 - e^(-20 dt)): after t seconds e^(-20 t) of the distance remains.
TEST (view_follows_alike_at_any_frame_rate) {
    static const int rates[] = {24, 60, 144, 1000};
    for (int i = 0; i < 4; i++) {
        view_state viewer = {.camera = camera_at(0.0f, 10.0f, 100.0f, (md5_vec3){0, 0, 0})};
        viewer.font.line[VIEW_TEXT] = 20.0f;
        view_snap(&viewer);
        CHECK(viewer.seen.distance == 100.0f && !view_follow(&viewer, 0.01));
        viewer.camera.azimuth = 80.0f;
        viewer.camera.distance = 20.0f;
        viewer.ui.hierarchy_scroll = 400.0f;
        const int frames = rates[i] / 8; // 1/8 s; 125 ms at 1000
        for (int k = 0; k < frames; k++)
            CHECK(view_follow(&viewer, 1.0 / rates[i]));
        const double rest = exp(-20.0 * frames / rates[i]);
        CHECK_NEAR(viewer.seen.azimuth, 80.0 * (1.0 - rest), 2e-3);
        CHECK_NEAR(viewer.seen.distance, 20.0 + 80.0 * rest, 2e-3);
        CHECK_NEAR(viewer.ui.shown_scroll, 400.0 * (1.0 - rest), 2e-2);
        int more = 0;
        while (view_follow(&viewer, 1.0 / rates[i]))
            more++;
        CHECK(more < rates[i]); // it arrives within a second
        CHECK(viewer.seen.azimuth == 80.0f && viewer.ui.shown_scroll == 400.0f);
    }
}

TEST (view_pictures_snap_to_the_camera) {
    view_document document = {.as_asked = true};
    view_state viewer = {.document = &document,
                         .camera = camera_at(0.0f, 10.0f, 100.0f, (md5_vec3){0, 0, 0})};
    CHECK(view_stage_of(&viewer, 640.0f, 480.0f).camera == &viewer.camera);
    view_snap(&viewer);
    (void)view_follow(&viewer, 0.01);
    viewer.camera.azimuth = 90.0f;
    CHECK(view_stage_of(&viewer, 640.0f, 480.0f).camera == &viewer.seen);
    (void)view_follow(&viewer, 0.01);
    CHECK(viewer.seen.azimuth < 30.0f);
    view_snap(&viewer);
    CHECK(viewer.seen.azimuth == 90.0f && !view_follow(&viewer, 0.01));
}

// The point under the mouse when the wheel turns stays there until the camera has arrived.
TEST (view_zoom_keeps_the_point_on_the_way) {
    const view_camera from = camera_at(30.0f, 12.0f, 100.0f, (md5_vec3){1.0f, 2.0f, 3.0f});
    const float height = 480.0f, x = 120.0f, y = -70.0f;
    view_camera to = from, seen = from;
    view_zoom(&to, 2.5f, x, y, height);
    const view_axes axes = view_camera_axes(&from);
    const double half = tan(15.0 * 3.14159265358979 / 180.0), pixel = 2.0 * half * 100.0 / 480.0;
    for (int i = 0; i < 5; i++) {
        CHECK(view_follow_camera(&seen, &to, 0.3f));
        // The point in the plane of the target, in pixels from the middle.
        const md5_vec3 way = md5_vec3_sub(seen.target, from.target);
        const double now = 2.0 * half * (double)seen.distance / 480.0;
        CHECK_NEAR(((double)x * pixel - (double)md5_vec3_dot(way, axes.right)) / now, x, 1e-2);
        CHECK_NEAR(((double)-y * pixel - (double)md5_vec3_dot(way, axes.up)) / now, -y, 1e-2);
    }
}
