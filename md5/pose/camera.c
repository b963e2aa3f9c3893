// Where a camera is, and what it sees, at any time.
#include "md5/core/math.h"
#include "md5/pose/moment.h"

// How many cuts were passed once that many frames were played. Each hides one of the frames that
// are stored. As the original counts them, which keeps its behaviour for cuts that are out of order
// too.
static uint32_t passed_cuts(const md5_camera *camera, uint32_t played)
{
    uint32_t passed = 0;
    while (passed < camera->num_cuts && played + passed >= camera->cuts[passed])
        passed++;
    return passed;
}

static md5_moment moment_of(const md5_camera *camera, double time, md5_wrap wrap)
{
    const uint32_t hidden =
        camera->num_cuts < camera->num_frames ? camera->num_cuts : camera->num_frames - 1;
    return md5_moment_in(camera->num_frames - hidden, camera->frame_rate, time, wrap);
}

const md5_cut_view *md5_camera_cut_view(const md5_camera *camera, double time, md5_wrap wrap)
{
    const uint32_t passed = passed_cuts(camera, moment_of(camera, time, wrap).frame0);
    uint32_t i = 0;
    while (i < camera->num_cut_views && camera->cut_views[i].cut + 1 < passed)
        i++;
    const bool is_there = i < camera->num_cut_views && camera->cut_views[i].cut + 1 == passed;
    return is_there ? &camera->cut_views[i] : NULL;
}

md5_camera_view md5_camera_at(const md5_camera *camera, double time, md5_wrap wrap)
{
    MD5_ASSERT(camera != NULL, "camera: not NULL");
    MD5_ASSERT((unsigned)wrap <= MD5_WRAP_CLAMP, "wrap: a md5_wrap");
    const md5_moment moment = moment_of(camera, time, wrap);
    const uint32_t stored = moment.frame0 + passed_cuts(camera, moment.frame0);
    const uint32_t frame = stored < camera->num_frames ? stored : camera->num_frames - 1;
    const md5_camera_view *from = &camera->frames[frame];
    // A shot moves towards its last frame, never into another shot nor back into the first.
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
