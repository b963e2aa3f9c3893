// Samples a camera at any time, and smooths its path: each view is then a weighted mean over the
// time around it, within its shot.
#include "md5/core/math.h"
#include "md5/pose/sample_position.h"

// Returns how many cuts were passed after that many played frames. Each hides one of the stored
// frames. Counts as the original engine does, so that cuts out of order behave the same.
static uint32_t passed_cuts(const md5_camera *camera, uint32_t played)
{
    uint32_t passed = 0;
    while (passed < camera->num_cuts && played + passed >= camera->cuts[passed])
        passed++;
    return passed;
}

static md5_sample_position camera_sample_position(const md5_camera *camera, double time,
                                                  md5_wrap wrap)
{
    const uint32_t hidden =
        camera->num_cuts < camera->num_frames ? camera->num_cuts : camera->num_frames - 1;
    const md5_anim played = {.num_frames = camera->num_frames - hidden,
                             .frame_rate = camera->frame_rate};
    return md5_sample_position_at(&played, time, wrap);
}

const md5_cut_view *md5_camera_cut_view(const md5_camera *camera, double time, md5_wrap wrap)
{
    MD5_ASSERT_ALIVE(camera, MD5_TAG_CAMERA);
    const uint32_t passed = passed_cuts(camera, camera_sample_position(camera, time, wrap).frame0);
    uint32_t i = 0;
    while (i < camera->num_cut_views && camera->cut_views[i].cut + 1 < passed)
        i++;
    const bool is_there = i < camera->num_cut_views && camera->cut_views[i].cut + 1 == passed;
    return is_there ? &camera->cut_views[i] : NULL;
}

// A place between two stored frames, and the shot that it belongs to: its first frame and its last,
// which is the cut. first <= frame + fraction <= last < num_frames.
typedef struct shot_place {
    uint32_t frame;
    uint32_t first;
    uint32_t last;
    float fraction;
} shot_place;

// A shot blends towards its last frame, never into another shot or back into the first. Cuts that
// are out of order count as in the engine; the shot then ends at the frame itself or the next.
static shot_place find_shot(const md5_camera *camera, double time, md5_wrap wrap)
{
    const md5_sample_position sample = camera_sample_position(camera, time, wrap);
    const uint32_t passed = passed_cuts(camera, sample.frame0);
    const uint32_t stored = sample.frame0 + passed;
    const uint32_t end = camera->num_frames - 1;
    const uint32_t frame = stored < end ? stored : end;
    const bool is_held = sample.frame1 <= sample.frame0 || frame == end;
    shot_place found = {.frame = frame, .last = end, .fraction = is_held ? 0 : sample.fraction};
    if (passed > 0 && camera->cuts[passed - 1] < end)
        found.first = camera->cuts[passed - 1] + 1;
    if (passed < camera->num_cuts && camera->cuts[passed] < end)
        found.last = camera->cuts[passed];
    if (found.last <= frame) // a shot blends into the frame after this one
        found.last = is_held ? frame : frame + 1;
    return found;
}

static md5_camera_view view_between(const md5_camera *camera, uint32_t frame, float t)
{
    const md5_camera_view *const from = &camera->frames[frame];
    if (t == 0 || frame + 1 == camera->num_frames)
        return *from;
    return (md5_camera_view){
        .position = md5_vec3_lerp(from->position, from[1].position, t),
        .rotation = md5_quat_slerp(from->rotation, from[1].rotation, t),
        .fov = from->fov + (from[1].fov - from->fov) * t,
    };
}

// Sums in double, because positions may be far from the origin.
typedef struct view_sum {
    double position[3];
    double rotation[4];
    double fov;
    double weight;
} view_sum;

static void add_view(view_sum *sum, const md5_camera_view *view, md5_quat middle, double weight)
{
    const md5_quat q = view->rotation;
    // The sign of a quaternion has no meaning: all get that of the middle.
    const float dot = q.x * middle.x + q.y * middle.y + q.z * middle.z + q.w * middle.w;
    const double sign = dot < 0 ? -weight : weight;
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

// Frames to each side, so that the time of a call is bounded.
static const double max_reach = 512;

md5_camera_view md5_camera_at(const md5_camera *camera, double time, md5_wrap wrap, double seconds)
{
    MD5_ASSERT_ALIVE(camera, MD5_TAG_CAMERA);
    MD5_ASSERT((unsigned)wrap <= MD5_WRAP_CLAMP, "wrap: must be a value of md5_wrap");
    const shot_place shot = find_shot(camera, time, wrap);
    const md5_camera_view middle = view_between(camera, shot.frame, shot.fraction);
    const double place = (double)shot.frame + (double)shot.fraction;
    const double before = place - (double)shot.first;
    const double after = (double)shot.last - place;
    double reach = seconds * camera->frame_rate;
    reach = reach < max_reach ? reach : max_reach;
    reach = before < reach ? before : reach;
    reach = after < reach ? after : reach;
    if (!(seconds > 0 && reach > 1e-3))
        return middle;
    view_sum sum = {.weight = 0};
    add_view(&sum, &middle, middle.rotation, 1);
    for (uint32_t i = 1; (double)i < reach; i++) {
        const double part = (double)i / reach;
        const double rest = 1 - part * part;
        for (int side = -1; side <= 1; side += 2) {
            const double near = place + (double)(side * (int)i);
            const uint32_t frame = (uint32_t)near;
            const md5_camera_view view = view_between(camera, frame, (float)(near - (double)frame));
            add_view(&sum, &view, middle.rotation, rest * rest);
        }
    }
    return mean_of(&sum, middle.rotation);
}
