// The user's camera: frames everything until the user moves it.
#include "demo/viewer/jobs/view.h"

static void frame_for(view_state *viewer, float width, float height)
{
    const view_facts facts = view_facts_of(viewer, width, height);
    const view_rect region = view_free_region(&facts);
    viewer->framed = view_frame_document(&viewer->camera, viewer->document, region);
}

void view_frame_again(view_state *viewer)
{
    frame_for(viewer, (float)viewer->width, (float)viewer->height);
}

void view_keep_framed(view_state *viewer, uint32_t width, uint32_t height)
{
    if (viewer->following || !view_is_framed(&viewer->framed, &viewer->camera))
        return;
    const view_facts facts = view_facts_of(viewer, (float)width, (float)height);
    if (!view_holds_document(&viewer->framed, &viewer->camera, viewer->document,
                             facts.stage.region))
        frame_for(viewer, (float)width, (float)height);
}

void view_frame_anew(view_state *viewer)
{
    const view_options *const options = viewer->options;
    viewer->camera = view_chosen_camera(options);
    frame_for(viewer, (float)viewer->width, (float)viewer->height);
    if (options->distance_given)
        viewer->camera.distance = options->distance;
    // Without a model the camera path itself is framed.
    viewer->following = viewer->document->scene.camera_path.camera != NULL
                        && viewer->document->scene.skeleton != NULL && !options->camera_path;
    view_snap(viewer);
}

void view_frame_for(view_state *viewer, uint32_t width, uint32_t height)
{
    if (!viewer->options->distance_given)
        frame_for(viewer, (float)width, (float)height);
}

void view_frame_still(view_state *viewer)
{
    const float distance = viewer->camera.distance;
    if (viewer->following || view_shows_crowd(viewer->document) || viewer->pages.open >= 0)
        return;
    view_measure_document(viewer->document, &viewer->play);
    view_frame_again(viewer);
    if (viewer->options->distance_given)
        viewer->camera.distance = distance;
    // The camera follows a character that walks.
    const md5_vec3 walked = view_walked(&viewer->document->scene, &viewer->play);
    viewer->camera.target = md5_vec3_sub(viewer->camera.target, walked);
    view_snap(viewer);
}

void view_leave_camera_path(view_state *viewer)
{
    if (!viewer->following)
        return;
    view_take_path(&viewer->camera, viewer->document, &viewer->play, (float)viewer->width,
                   (float)viewer->height);
    viewer->framed = (view_framing){0};
    viewer->following = false;
    view_snap(viewer);
}

view_lens view_choose_lens(view_state *viewer, float width, float height)
{
    const view_facts facts = view_facts_of(viewer, width, height);
    return view_stage_lens(&facts.stage, width, height);
}
