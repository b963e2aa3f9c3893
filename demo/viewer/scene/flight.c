#include "demo/viewer/scene/flight.h"

#include "demo/common/file.h"
#include "demo/common/memory.h"

#include <stdlib.h>

view_flight view_make_flight(const char *path, md5_camera *camera)
{
    const uint32_t last = camera->num_frames - 1;
    const uint32_t hidden = camera->num_cuts < last ? camera->num_cuts : last;
    return (view_flight){
        .path = common_copy(path),
        .name = common_stem(path),
        .camera = camera,
        .clock = {.num_frames = camera->num_frames - hidden,
                  .frame_rate = camera->frame_rate,
                  .duration = camera->duration},
    };
}

void view_free_flight(view_flight *flight)
{
    md5_free_camera(flight->camera);
    free(flight->path);
    free(flight->name);
    *flight = (view_flight){0};
}

md5_camera_view view_flight_at(const view_flight *flight, const view_play *play)
{
    return md5_camera_smooth_at(flight->camera, play->time, play->wrap, flight->smoothing);
}

uint32_t view_flight_frame(const view_flight *flight, uint32_t played, uint32_t *shot)
{
    const md5_camera *const camera = flight->camera;
    // Each cut passed so far removes one frame of the file, which no shot plays.
    while (*shot < camera->num_cuts && played + *shot >= camera->cuts[*shot])
        ++*shot;
    const uint32_t frame = played + *shot;
    return frame < camera->num_frames ? frame : camera->num_frames - 1;
}

view_flight_place view_find_place(const view_flight *flight, const view_play *play)
{
    const md5_moment moment = md5_moment_at(&flight->clock, play->time, play->wrap);
    view_flight_place place = {0};
    const uint32_t frame = view_flight_frame(flight, moment.frame0, &place.shot);
    // As in the library, the last frame is held; a clip would blend into its first frame.
    const bool is_held = moment.frame1 <= moment.frame0;
    place.frame = (double)frame + (is_held ? 0.0 : (double)moment.fraction);
    return place;
}
