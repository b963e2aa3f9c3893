// Samples a camera at any time, and optionally smooths its path.
//
// Cuts divide the stored frames into shots. Each cut hides one stored frame, so a camera plays
// fewer frames than it stores. Smoothing replaces a view by a weighted mean of the views at nearby
// times in the same shot.
#include "md5/core/math.h"
#include "md5/pose/sample_position.h"

// Returns the number of cuts before a played frame. Stops at the first cut that is not reached,
// like the original engine. Thus cuts that are out of order have the same effect as there.
static uint32_t count_passed_cuts(const md5_camera *camera, uint32_t played)
{
    uint32_t passed = 0;
    while (passed < camera->num_cuts && played + passed >= camera->cuts[passed])
        passed++;
    return passed;
}

// Converts a time to a sample position. Its frames are played frames, which do not count the frames
// that cuts hide.
static md5_sample_position camera_sample_position(const md5_camera *camera, double time,
                                                  md5_wrap wrap)
{
    const uint32_t hidden =
        camera->num_cuts < camera->num_frames ? camera->num_cuts : camera->num_frames - 1;
    const md5_anim played = {.num_frames = camera->num_frames - hidden,
                             .frame_rate = camera->frame_rate};
    return md5_sample_position_at(&played, time, wrap);
}

// Returns the view that the file stores with the last cut before `time`. Returns NULL if the file
// has no view for that cut.
const md5_cut_view *md5_camera_cut_view(const md5_camera *camera, double time, md5_wrap wrap)
{
    MD5_ASSERT_ALIVE(camera, MD5_TAG_CAMERA);
    const md5_sample_position sample = camera_sample_position(camera, time, wrap);
    const uint32_t num_passed = count_passed_cuts(camera, sample.frame0);
    // Find the view of the last passed cut, whose index is num_passed - 1. The views are in the
    // order of their cuts.
    uint32_t i = 0;
    while (i < camera->num_cut_views && camera->cut_views[i].cut + 1 < num_passed)
        i++;
    if (i < camera->num_cut_views && camera->cut_views[i].cut + 1 == num_passed)
        return &camera->cut_views[i];
    return NULL;
}

// A position between two stored frames, and the shot that contains it. Invariant: first <= frame +
// fraction <= last < num_frames.
typedef struct shot_position {
    uint32_t frame;
    uint32_t first; // first frame of the shot
    uint32_t last;  // last frame of the shot, which is the cut
    float fraction;
} shot_position;

// Finds the shot and the stored frame at a time.
//
// A shot blends towards its last frame. It never blends into another shot or back to its own start.
// Cuts that are out of order count as in the engine. The shot then ends at the current frame or at
// the next frame.
static shot_position find_shot(const md5_camera *camera, double time, md5_wrap wrap)
{
    const md5_sample_position sample = camera_sample_position(camera, time, wrap);
    const uint32_t num_passed = count_passed_cuts(camera, sample.frame0);
    const uint32_t last_frame = camera->num_frames - 1;

    // A cut hides one stored frame, so the index of a stored frame is higher by the number of
    // passed cuts.
    const uint32_t stored = sample.frame0 + num_passed;
    const uint32_t frame = stored < last_frame ? stored : last_frame;
    const bool has_no_next_frame = sample.frame1 <= sample.frame0 || frame == last_frame;

    shot_position shot = {
        .frame = frame, .last = last_frame, .fraction = has_no_next_frame ? 0 : sample.fraction};
    if (num_passed > 0 && camera->cuts[num_passed - 1] < last_frame)
        shot.first = camera->cuts[num_passed - 1] + 1;
    if (num_passed < camera->num_cuts && camera->cuts[num_passed] < last_frame)
        shot.last = camera->cuts[num_passed];

    const bool are_cuts_out_of_order = shot.last <= frame;
    if (are_cuts_out_of_order)
        shot.last = has_no_next_frame ? frame : frame + 1;
    return shot;
}

// Returns the view between two stored frames: `frame`, and the next one at t = 1. Requires 0 <= t <
// 1.
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

// A weighted sum of views, in double because positions may be far from the origin.
typedef struct view_sum {
    double position[3];
    double rotation[4];
    double fov;
    double weight;
} view_sum;

// Adds a view times `weight` to a sum. `middle` is the rotation of the view that is smoothed; it
// selects the signs of the quaternions.
static void add_view(view_sum *sum, const md5_camera_view *view, md5_quat middle, double weight)
{
    const md5_quat q = view->rotation;
    // q and -q are the same rotation. Use the sign that is nearer to the middle, so that similar
    // rotations do not cancel out.
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

// Divides a sum by its weight, which gives the mean view. Uses the rotation `middle` if the
// rotations of the sum cancel out.
static md5_camera_view mean_view(const view_sum *sum, md5_quat middle)
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

// Largest reach in frames. The reach is the number of frames on each side of a smoothed view that
// contribute to it. The limit bounds the time of a call.
static const double max_reach = 512;
// Smallest reach in frames. A view with a smaller reach is not smoothed.
static const double min_reach = 1e-3;

// Returns the reach of smoothing at a position: the number of frames on each side that contribute
// to the view. It is `seconds` in frames, but at most max_reach. It also ends at the nearer end of
// the shot, so that smoothing does not cross a cut and remains symmetric.
static double smoothing_reach(const md5_camera *camera, const shot_position *shot, double position,
                              double seconds)
{
    const double before = position - (double)shot->first;
    const double after = (double)shot->last - position;
    double reach = seconds * camera->frame_rate;
    reach = reach < max_reach ? reach : max_reach;
    reach = before < reach ? before : reach;
    return after < reach ? after : reach;
}

// Returns the view of a camera at a time. Smooths the view if `seconds` is positive: it then is the
// weighted mean of the frames within the reach, which is the result of smoothing_reach(). A frame
// at the distance d has the weight
//
//   (1 - (d / reach)^2)^2
md5_camera_view md5_camera_at(const md5_camera *camera, double time, md5_wrap wrap, double seconds)
{
    MD5_ASSERT_ALIVE(camera, MD5_TAG_CAMERA);
    MD5_ASSERT((unsigned)wrap <= MD5_WRAP_CLAMP, "wrap: must be a value of md5_wrap");

    const shot_position shot = find_shot(camera, time, wrap);
    const md5_camera_view middle = view_between(camera, shot.frame, shot.fraction);
    const double position = (double)shot.frame + (double)shot.fraction;
    const double reach = smoothing_reach(camera, &shot, position, seconds);
    if (!(seconds > 0 && reach > min_reach))
        return middle;

    view_sum sum = {.weight = 0};
    add_view(&sum, &middle, middle.rotation, 1);
    for (uint32_t i = 1; (double)i < reach; i++) {
        const double distance = (double)i / reach;
        const double falloff = 1 - distance * distance;
        for (int side = -1; side <= 1; side += 2) {
            const double near = position + (double)(side * (int)i);
            const uint32_t frame = (uint32_t)near;
            const md5_camera_view view = view_between(camera, frame, (float)(near - (double)frame));
            add_view(&sum, &view, middle.rotation, falloff * falloff);
        }
    }

    return mean_view(&sum, middle.rotation);
}
