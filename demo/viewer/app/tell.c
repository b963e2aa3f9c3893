#include "demo/viewer/app/tell.h"

#include <stdarg.h>
#include <stdio.h>

void view_notice(view_state *viewer, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)vsnprintf(viewer->ui.notice, sizeof viewer->ui.notice, format, values);
    va_end(values);
    viewer->ui.notice_end = viewer->now + 2.5;
}

// One line of names and numbers, for debugging and for tests; a second one of what moves the model,
// if it has one.
void view_tell_state(view_state *viewer, const char *action)
{
    const view_scene *const scene = &viewer->document->scene;
    const view_play *const play = &viewer->play;
    const view_camera *const camera = &viewer->camera;
    const view_clip *const clip = view_shown_clip(scene);
    const md5_anim *const anim = view_clock(scene);
    const bool has_camera_path = scene->camera_path.camera != NULL;
    const view_camera_path_place place =
        has_camera_path ? view_find_place(&scene->camera_path, play) : (view_camera_path_place){0};
    static const char *const roots[] = {"file", "id", "in_place"};
    static const char *const lists[] = {"none", "files", "clips", "textures", "channel", "game"};
    static const char *const surfaces[VIEW_NUM_SURFACES] = {"lit", "weights", "uv", "textures"};
    if (viewer->log.level < VIEW_DEBUG)
        return;
    char lights[VIEW_LIGHTS_TEXT], switches[640], up[3], front[3];
    view_name_axes(&scene->turn, up, front);
    view_write_switches(&viewer->shown, switches, sizeof switches);
    view_write_lights(&viewer->lights, lights, sizeof lights);
    view_debug(
        &viewer->log,
        "%s: model=%s clip=%s %zu/%zu time=%.4f frame=%.3f/%u playing=%d speed=%g backward=%d "
        "loop=%s range=%u-%u root=%s axes-of-file=up%s,front%s skinning=%s azimuth=%.1f "
        "elevation=%.1f "
        "distance=%.4g "
        "target=%.4g,%.4g,%.4g "
        "orthographic=%d surface=%s onion=%u %s lights=%s warnings=%u "
        "size=%ux%u camera-path=%s following=%d shot=%u camera-frame=%.3f list=%s found=%zu "
        "joint=%d "
        "picked=%d/%d hidden=%u crowd=%u error=%d notice=%d",
        action, scene->name, clip != NULL ? clip->name : "bind-pose",
        clip != NULL ? scene->clip + 1 : 0, scene->num_clips,
        anim != NULL ? view_cycle_time(play, anim) : 0.0,
        anim != NULL ? view_frame_place(play, anim) : 0.0,
        anim != NULL ? (unsigned)anim->num_frames - 1 : 0, play->playing, play->speed,
        play->backward, view_wrap_name(play->wrap), (unsigned)play->range_first,
        (unsigned)play->range_last, roots[scene->root], up, front, scene->dual ? "dual" : "linear",
        (double)camera->azimuth, (double)camera->elevation, (double)camera->distance,
        (double)camera->target.x, (double)camera->target.y, (double)camera->target.z,
        camera->orthographic, surfaces[viewer->surface], (unsigned)viewer->onion.count, switches,
        lights, (unsigned)viewer->log.num_warnings, (unsigned)viewer->width,
        (unsigned)viewer->height, has_camera_path ? scene->camera_path.name : "none",
        viewer->following, (unsigned)place.shot, place.frame, lists[viewer->ui.browser.kind],
        viewer->ui.browser.num_found, (int)view_marked_joint(&viewer->ui, scene),
        viewer->pick.is_set ? (int)viewer->pick.mesh : -1,
        viewer->pick.is_set ? (int)viewer->pick.triangle : -1, (unsigned)viewer->hidden_meshes,
        (unsigned)viewer->document->crowd.count, viewer->log.error[0] != '\0',
        viewer->now < viewer->ui.notice_end);
    const view_motion_kind *const mover = view_mover_of(scene);
    if (mover->tell != NULL) {
        char text[512];
        mover->tell(scene, text, sizeof text);
        view_debug(&viewer->log, "%s %s", action, text);
    }
}
