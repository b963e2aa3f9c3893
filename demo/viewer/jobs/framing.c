// Frames the document: places the user's camera so that the whole document, or the current pose, is
// visible in the free region of the image. This ends when the user moves the camera.
#include "demo/viewer/jobs/stage.h"
#include "demo/viewer/jobs/framing.h"
#include "demo/viewer/jobs/view.h"

// Moves the camera so that the document fills the region that no panel covers.
void view_frame_document(view_state *viewer, uint32_t width, uint32_t height)
{
    const view_document *const document = viewer->document;
    view_camera *const camera = &viewer->cameras.user;
    const view_stage stage = view_build_stage(viewer, (float)width, (float)height);
    const view_rect region = view_content_region(viewer, &stage);
    view_frame_all(camera, document->bounds, &document->hull, region.width, region.height);
    viewer->cameras.framing =
        (view_framing){*camera, view_size(document->bounds), region.width, region.height};
}

// Returns true if the user has not moved the target or the distance of the camera since it was
// framed.
static bool is_still_framed(const view_cameras *cameras)
{
    const md5_vec3 framed_target = cameras->framing.camera.target;
    const md5_vec3 target = cameras->user.target;
    const bool has_same_target =
        target.x == framed_target.x && target.y == framed_target.y && target.z == framed_target.z;
    const bool has_same_distance = cameras->user.distance == cameras->framing.camera.distance;
    return cameras->framing.width > 0 && has_same_distance && has_same_target;
}

// Frames the document again if the current framing is no longer suitable. A framing is the
// choice of a camera target and distance with which the document fills the free region. Small
// changes of the region do not move the camera.
void view_update_framing(view_state *viewer, uint32_t width, uint32_t height)
{
    const view_document *const document = viewer->document;
    const view_cameras *const cameras = &viewer->cameras;
    const view_framing *const framed = &cameras->framing;
    if (cameras->follows_path || !is_still_framed(cameras))
        return;
    const view_stage stage = view_build_stage(viewer, (float)width, (float)height);
    const view_rect region = view_content_region(viewer, &stage);
    // The framing is still suitable if the document is neither too small nor cut off. It is not cut
    // off if it fills at most 92 % of the region.
    const bool is_same_region = region.width == framed->width && region.height == framed->height;
    const bool is_large_enough = view_size(document->bounds) >= 0.5f * framed->size;
    const float min_distance =
        view_fitting_distance(&cameras->user, &document->hull, 0.92f, region.width, region.height);
    const bool is_cut_off = min_distance > cameras->user.distance;
    if (!is_same_region || !is_large_enough || is_cut_off)
        view_frame_document(viewer, width, height);
}

// Places the user's camera as the options specify. Starts with the default camera, frames the
// document, and then replaces the values that the options specify. Ends a smooth movement of the
// camera.
void view_reset_camera(view_state *viewer)
{
    const view_options *const options = viewer->options;
    const view_scene *const scene = &viewer->document->scene;
    view_camera *const camera = &viewer->cameras.user;

    // Framing keeps the direction of the camera, so set the direction first.
    *camera = VIEW_DEFAULT_CAMERA;
    viewer->cameras.has_single = false;
    camera->orthographic = options->orthographic;
    if (options->azimuth_given)
        camera->azimuth = options->azimuth;
    if (options->elevation_given)
        camera->elevation = options->elevation;
    view_frame_document(viewer, viewer->width, viewer->height);

    // The options replace the distance and the target that framing has set.
    if (options->distance_given)
        camera->distance = options->distance;
    if (options->target_given)
        camera->target = (md5_vec3){options->target[0], options->target[1], options->target[2]};

    // Without a model, the path itself is shown from outside, as with the option.
    const bool has_path = scene->camera_path.camera != NULL;
    const bool has_model = scene->skeleton != NULL;
    viewer->cameras.follows_path = has_path && has_model && !options->camera_path;
    view_snap(viewer);
}

bool view_is_upright(const view_state *viewer)
{
    return viewer->height > viewer->width;
}

// The clips of a machine together are much wider than the character. In an upright window, for
// example on a phone, a camera that shows all of them would show the character too small.
static bool frames_only_the_pose(const view_state *viewer)
{
    const bool is_upright_window = viewer->has_interface && view_is_upright(viewer);
    return is_upright_window && view_get_mode(viewer->document) == VIEW_MODE_MACHINE;
}

// Moves the bounds and the hull of the current pose back by the distance that the character has
// walked. Like the bounds of clips, they must not contain this distance: the camera and the lights
// add it.
static void subtract_walked(view_document *document, const view_play *play)
{
    const md5_vec3 walked = view_walked(&document->scene, play);
    if (view_is_empty(document->bounds))
        return;
    document->bounds.min = md5_vec3_sub(document->bounds.min, walked);
    document->bounds.max = md5_vec3_sub(document->bounds.max, walked);

    view_hull moved = {.lowest = document->hull.lowest - walked.z};
    for (int i = 0; i < VIEW_HULL_POINTS; i++) {
        moved.points[i] = md5_vec3_sub(document->hull.points[i], walked);
        moved.reach[i] = -INFINITY;
    }
    document->hull = moved;
    view_widen_hull(&document->hull, moved.points, VIEW_HULL_POINTS);
}

// Measures the bounds of the document. For a state machine in an upright window, measures only the
// bounds of its current pose. Poses the scene again at the end, because measuring poses it at other
// times of its clips.
void view_measure(view_state *viewer)
{
    view_measure_document(viewer->document, NULL); // also finds the ground
    if (frames_only_the_pose(viewer)) {
        view_measure_document(viewer->document, &viewer->play);
        subtract_walked(viewer->document, &viewer->play);
    }
    view_pose(&viewer->document->scene, &viewer->play);
}

// Shows another clip from its beginning. Also removes the selected range of frames, which
// belonged to the previous clip, and measures the bounds of the new clip.
void view_change_clip(view_state *viewer, size_t clip)
{
    view_select_clip(&viewer->document->scene, clip);
    viewer->play.time = 0;
    viewer->play.range_first = viewer->play.range_last = 0;
    viewer->play.held_at_end = false;
    view_measure(viewer);
}

void view_snap(view_state *viewer)
{
    viewer->cameras.drawn = viewer->cameras.user;
    viewer->cameras.drawn_region.width = 0;
    for (int i = 0; i < UI_NUM_SCROLLS; i++)
        viewer->ui.scrolls[i].shown = viewer->ui.scrolls[i].wanted;
}

// Moves the camera so that the current pose fills the image. Does nothing for a crowd, for a
// lesson, or if the options or a camera path set the target. If the options set the distance, it
// is retained.
void view_frame_pose(view_state *viewer)
{
    const float distance = viewer->cameras.user.distance;
    if (viewer->options->target_given || viewer->cameras.follows_path)
        return;
    if (view_shows_crowd(viewer->document) || viewer->pages.open >= 0)
        return;
    view_measure_document(viewer->document, &viewer->play);
    subtract_walked(viewer->document, &viewer->play);
    view_frame_document(viewer, viewer->width, viewer->height);
    if (viewer->options->distance_given)
        viewer->cameras.user.distance = distance;
    view_snap(viewer);
}
