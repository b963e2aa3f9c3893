// Samples a camera at any time.
#include "md5/pose/camera.h"

#include "md5/core/math.h"
#include "md5/pose/moment.h"

// Returns how many cuts were passed after that many played frames. Each hides one of the stored
// frames. Counts as the original engine does, so that cuts out of order behave the same.
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
    return md5i_moment_in(camera->num_frames - hidden, camera->frame_rate, time, wrap);
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
    // A shot blends towards its last frame, never into another shot or back into the first.
    const bool is_held = moment.frame1 <= moment.frame0 || frame + 1 == camera->num_frames;
    if (is_held)
        return *from;
    const md5_camera_view *to = from + 1;
    const float t = moment.fraction;
    return (md5_camera_view){
        .position = md5_vec3_lerp(from->position, to->position, t),
        .rotation = md5_quat_slerp(from->rotation, to->rotation, t),
        .fov = from->fov + (to->fov - from->fov) * t,
    };
}

// Cuts that are out of order count as in the engine; the shot then ends at the frame itself or the
// next.
md5_shot_place md5i_find_shot(const md5_camera *camera, double time, md5_wrap wrap)
{
    const md5_moment moment = moment_of(camera, time, wrap);
    const uint32_t passed = passed_cuts(camera, moment.frame0);
    const uint32_t stored = moment.frame0 + passed, end = camera->num_frames - 1;
    const uint32_t frame = stored < end ? stored : end;
    const bool is_held = moment.frame1 <= moment.frame0 || frame == end;
    md5_shot_place found = {.place = (double)frame, .first = 0, .last = end};
    if (passed > 0 && camera->cuts[passed - 1] < end)
        found.first = camera->cuts[passed - 1] + 1;
    if (passed < camera->num_cuts && camera->cuts[passed] < end)
        found.last = camera->cuts[passed];
    if (found.last <= frame) // a shot blends into the frame after this one
        found.last = is_held ? frame : frame + 1;
    if (!is_held)
        found.place += (double)moment.fraction;
    return found;
}
