#include "demo/viewer/draw/framing.h"

#include "demo/viewer/base/math.h"

view_camera view_chosen_camera(const view_options *options)
{
    view_camera camera = view_default_camera();
    camera.orthographic = options->orthographic;
    if (options->azimuth_given)
        camera.azimuth = options->azimuth;
    if (options->elevation_given)
        camera.elevation = options->elevation;
    return camera;
}

// The camera comes no farther from a crowd than a viewer in front of its first row.
view_framing view_frame_document(view_camera *camera, const view_document *document,
                                 view_rect region)
{
    const view_crowd *const crowd = &document->crowd;
    view_frame_all(camera, document->bounds, &document->hull, region.width, region.height);
    const float nearest_view = crowd->spread + 2.0f * crowd->size;
    if (crowd->count > 0 && !camera->orthographic && camera->distance > nearest_view) {
        camera->distance = nearest_view;
        camera->target = view_centre(document->bounds);
    }
    return (view_framing){*camera, view_size(document->bounds), region.width, region.height};
}

bool view_is_framed(const view_framing *framing, const view_camera *camera)
{
    const md5_vec3 a = framing->camera.target, b = camera->target;
    return framing->width > 0.0f && camera->distance == framing->camera.distance && a.x == b.x
           && a.y == b.y && a.z == b.z;
}

bool view_holds_document(const view_framing *framing, const view_camera *camera,
                         const view_document *document, view_rect region)
{
    return region.width == framing->width && region.height == framing->height
           && view_size(document->bounds) >= 0.5f * framing->size
           && view_has_all(camera, &document->hull, region.width, region.height);
}

view_lens view_path_lens(const view_document *document, const view_play *play,
                         const view_camera *camera, float width, float height)
{
    const md5_camera_view view = view_camera_path_at(&document->scene.camera_path, play);
    return view_camera_path_lens(&view, view_centre(document->bounds), camera->scene_radius, width,
                                 height);
}

void view_take_path(view_camera *camera, const view_document *document, const view_play *play,
                    float width, float height)
{
    const md5_vec3 walked = view_walked(&document->scene, play);
    const md5_vec3 centre = md5_vec3_add(view_centre(document->bounds), walked);
    const md5_camera_view view = view_camera_path_at(&document->scene.camera_path, play);
    const view_lens lens =
        view_camera_path_lens(&view, centre, camera->scene_radius, width, height);
    view_take_lens(camera, &lens, centre);
    camera->target = md5_vec3_sub(camera->target, walked);
}

view_lens view_stage_lens(const view_stage *stage, float width, float height)
{
    if (stage->following)
        return view_path_lens(stage->document, stage->play, stage->camera, width, height);
    const view_rect region = stage->region;
    view_camera camera = *stage->camera;
    camera.target = md5_vec3_add(camera.target, view_walked(&stage->document->scene, stage->play));
    view_lens lens = view_camera_lens(&camera, region.width, region.height);
    view_widen_lens(&lens, region.x, region.y, region.width, region.height, width, height);
    return lens;
}
