// Smooths a camera path: each view is a weighted mean over the time around it, within its shot.
#include "md5/core/assert.h"
#include "md5/core/math.h"
#include "md5/pose/camera.h"

// Frames to each side, so that the time of a call is bounded.
static const double most_frames = 512.0;

// The view at a place between stored frames of a shot.
static md5_camera_view view_between(const md5_camera *camera, double place)
{
    const uint32_t frame = (uint32_t)place;
    const float t = (float)(place - (double)frame);
    const md5_camera_view *const from = &camera->frames[frame];
    if (t == 0.0f || frame + 1 == camera->num_frames)
        return *from;
    return (md5_camera_view){
        .position = md5_vec3_lerp(from->position, from[1].position, t),
        .rotation = md5_quat_slerp(from->rotation, from[1].rotation, t),
        .fov = from->fov + (from[1].fov - from->fov) * t,
    };
}

// Sums in double, because positions may be far from the origin.
typedef struct view_sum {
    double position[3], rotation[4], fov, weight;
} view_sum;

static void add_view(view_sum *sum, const md5_camera_view *view, md5_quat middle, double weight)
{
    const md5_quat q = view->rotation;
    // The sign of a quaternion has no meaning: all get that of the middle.
    const float dot = q.x * middle.x + q.y * middle.y + q.z * middle.z + q.w * middle.w;
    const double sign = dot < 0.0f ? -weight : weight;
    sum->position[0] += weight * (double)view->position.x;
    sum->position[1] += weight * (double)view->position.y;
    sum->position[2] += weight * (double)view->position.z;
    sum->rotation[0] += sign * (double)q.x;
    sum->rotation[1] += sign * (double)q.y;
    sum->rotation[2] += sign * (double)q.z;
    sum->rotation[3] += sign * (double)q.w;
    sum->fov += weight * (double)view->fov;
    sum->weight += weight;
}

static md5_camera_view mean_of(const view_sum *sum, md5_quat middle)
{
    const double part = 1.0 / sum->weight;
    const md5_quat q = {(float)(part * sum->rotation[0]), (float)(part * sum->rotation[1]),
                        (float)(part * sum->rotation[2]), (float)(part * sum->rotation[3])};
    return (md5_camera_view){
        .position = {(float)(part * sum->position[0]), (float)(part * sum->position[1]),
                     (float)(part * sum->position[2])},
        .rotation = md5_quat_normalize(q, middle),
        .fov = (float)(part * sum->fov),
    };
}

md5_camera_view md5_camera_smooth_at(const md5_camera *camera, double time, md5_wrap wrap,
                                     double seconds)
{
    MD5_ASSERT(camera != NULL, "camera: not NULL");
    MD5_ASSERT((unsigned)wrap <= MD5_WRAP_CLAMP, "wrap: a md5_wrap");
    const md5_shot_place at = md5i_find_shot(camera, time, wrap);
    const md5_camera_view middle = view_between(camera, at.place);
    const double before = at.place - (double)at.first, after = (double)at.last - at.place;
    double reach = seconds * camera->frame_rate;
    reach = reach < most_frames ? reach : most_frames;
    reach = before < reach ? before : reach;
    reach = after < reach ? after : reach;
    if (!(reach > 1e-3))
        return middle;
    view_sum sum = {.weight = 0.0};
    add_view(&sum, &middle, middle.rotation, 1.0);
    for (uint32_t i = 1; (double)i < reach; i++) {
        const double part = (double)i / reach, rest = 1.0 - part * part;
        for (int side = -1; side <= 1; side += 2) {
            const md5_camera_view view = view_between(camera, at.place + (double)(side * (int)i));
            add_view(&sum, &view, middle.rotation, rest * rest);
        }
    }
    return mean_of(&sum, middle.rotation);
}
