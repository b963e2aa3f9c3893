#include "demo/viewer/draw/framing.h"

#include "demo/viewer/base/math.h"

// So that all is seen; but before a crowd one stands as before people, with the others behind those
// of the first row.
static void frame_all(view_camera *camera, const view_document *document, float width, float height)
{
    const view_crowd *const crowd = &document->crowd;
    view_frame_all(camera, document->bounds, &document->hull, width, height);
    const float before = crowd->spread + 2.0f * crowd->size;
    if (crowd->count == 0 || camera->orthographic || camera->distance <= before)
        return;
    camera->distance = before;
    camera->target = view_centre(document->bounds);
}

view_camera view_camera_for(const view_document *document, const view_options *options, float width,
                            float height)
{
    view_camera camera = view_default_camera();
    camera.orthographic = options->orthographic > 0;
    if (options->azimuth_given)
        camera.azimuth = options->azimuth;
    if (options->elevation_given)
        camera.elevation = options->elevation;
    frame_all(&camera, document, width, height);
    if (options->distance_given)
        camera.distance = options->distance;
    return camera;
}

void view_frame_document(view_camera *camera, const view_document *document,
                         const view_options *options, float width, float height)
{
    if (!options->distance_given)
        frame_all(camera, document, width, height);
}

view_lens view_path_lens(const view_document *document, const view_play *play,
                         const view_camera *camera, float width, float height)
{
    const md5_camera_view view = view_flight_at(&document->scene.flight, play);
    return view_flight_lens(&view, view_centre(document->bounds), camera->scene_radius, width,
                            height);
}

void view_take_path(view_camera *camera, const view_document *document, const view_play *play,
                    float width, float height)
{
    const md5_vec3 walked = view_walked(&document->scene, play);
    const md5_vec3 centre = view_add(view_centre(document->bounds), walked);
    const md5_camera_view view = view_flight_at(&document->scene.flight, play);
    const view_lens lens = view_flight_lens(&view, centre, camera->scene_radius, width, height);
    view_take_lens(camera, &lens, centre);
    camera->target = view_sub(camera->target, walked);
}

view_lens view_stage_lens(const view_stage *stage, float width, float height)
{
    if (stage->flying)
        return view_path_lens(stage->document, stage->play, stage->camera, width, height);
    view_camera camera = *stage->camera;
    camera.target = view_add(camera.target, view_walked(&stage->document->scene, stage->play));
    return view_camera_lens(&camera, width, height);
}
