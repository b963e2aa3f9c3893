// Samples a camera at any time.
#include "md5/core/math.h"
#include "md5/pose/moment.h"

// Converts a played frame to a stored frame: each cut before it hides one frame. Counts as the
// original engine does, so that cuts out of order behave the same.
static uint32_t stored_frame(const md5_camera *camera, uint32_t played)
{
    uint32_t frame = played;
    for (uint32_t i = 0; i < camera->num_cuts && frame >= camera->cuts[i]; i++)
        frame++;
    return frame < camera->num_frames ? frame : camera->num_frames - 1;
}

md5_camera_view md5_camera_at(const md5_camera *camera, double time, md5_wrap wrap)
{
    MD5_ASSERT(camera != NULL, "camera: not NULL");
    MD5_ASSERT((unsigned)wrap <= MD5_WRAP_CLAMP, "wrap: a md5_wrap");
    const uint32_t hidden =
        camera->num_cuts < camera->num_frames ? camera->num_cuts : camera->num_frames - 1;
    const md5_moment moment =
        md5_moment_in(camera->num_frames - hidden, camera->frame_rate, time, wrap);
    const uint32_t frame = stored_frame(camera, moment.frame0);
    const md5_camera_view *from = &camera->frames[frame];
    // A shot blends towards its last frame, never into another shot or back into the first.
    const bool is_held = moment.frame1 <= moment.frame0 || frame + 1 == camera->num_frames;
    if (is_held)
        return *from;
    const md5_camera_view *to = from + 1;
    const float t = moment.fraction;
    return (md5_camera_view){
        .position = md5_vec3_lerp(from->position, to->position, t),
        .rotation = md5_slerp(from->rotation, to->rotation, t),
        .fov = from->fov + (to->fov - from->fov) * t,
    };
}
