#include "demo/viewer/scene/camera_path.h"

#include "demo/common/file.h"
#include "demo/common/memory.h"

#include <stdlib.h>

view_camera_path view_make_camera_path(const char *path, md5_camera *camera)
{
    const uint32_t last = camera->num_frames - 1;
    const uint32_t hidden = camera->num_cuts < last ? camera->num_cuts : last;
    return (view_camera_path){
        .path = common_copy(path),
        .name = common_stem(path),
        .camera = camera,
        .clock = {.num_frames = camera->num_frames - hidden,
                  .frame_rate = camera->frame_rate,
                  .duration = camera->duration},
    };
}

void view_free_camera_path(view_camera_path *camera_path)
{
    md5_free_camera(camera_path->camera);
    free(camera_path->path);
    free(camera_path->name);
    *camera_path = (view_camera_path){0};
}

md5_camera_view view_camera_path_at(const view_camera_path *camera_path, const view_play *play)
{
    return md5_camera_at(camera_path->camera, play->time, play->wrap, camera_path->smoothing);
}

uint32_t view_camera_path_frame(const view_camera_path *camera_path, uint32_t played,
                                uint32_t *shot)
{
    const md5_camera *const camera = camera_path->camera;
    // Each cut passed so far removes one frame of the file, which no shot plays.
    while (*shot < camera->num_cuts && played + *shot >= camera->cuts[*shot])
        ++*shot;
    const uint32_t frame = played + *shot;
    return frame < camera->num_frames ? frame : camera->num_frames - 1;
}

view_camera_path_place view_find_place(const view_camera_path *camera_path, const view_play *play)
{
    const md5_moment moment = md5_moment_at(&camera_path->clock, play->time, play->wrap);
    view_camera_path_place place = {0};
    const uint32_t frame = view_camera_path_frame(camera_path, moment.frame0, &place.shot);
    // As in the library, the last frame is held; a clip would blend into its first frame.
    const bool is_held = moment.frame1 <= moment.frame0;
    place.frame = (double)frame + (is_held ? 0.0 : (double)moment.fraction);
    return place;
}
