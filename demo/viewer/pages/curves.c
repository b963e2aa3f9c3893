// Lessons on interpolation: between frames, slerp and nlerp, and Euler angles.
#include "demo/viewer/pages/page.h"

// == Interpolation =========================================================================

// The lesson "interpolation" displays the following code, up to "End of the displayed code".

// Interpolates two poses, joint by joint: rotations along an arc, positions along a line.
static void pose_between(const md5_xform *a, const md5_xform *b, uint32_t num_joints, float part,
                         bool normalized, md5_xform *pose)
{
    for (uint32_t i = 0; i < num_joints; i++) {
        if (normalized)
            pose[i].rotation = md5_quat_nlerp(a[i].rotation, b[i].rotation, part);
        else
            pose[i].rotation = md5_quat_slerp(a[i].rotation, b[i].rotation, part);
        pose[i].translation = md5_vec3_lerp(a[i].translation, b[i].translation, part);
    }
}

// End of the displayed code.

// The methods of interpolation, in the order of the choice and of the series of the first plot. The
// second plot shows only the last two.
enum { KIND_STEP, KIND_SLERP, KIND_NLERP, KIND_CUBIC, NUM_KINDS, FIRST_COMPARED_KIND = KIND_NLERP };

// Samples a clip with a method of interpolation. Slerp and nlerp interpolate two frames with the
// displayed code. The library computes the other methods.
static void sample(view_picture *picture, const view_clip *clip, int kind, double seconds,
                   md5_xform *pose)
{
    md5_sample_position position = md5_sample_position_at(clip->anim, seconds, MD5_WRAP_LOOP);
    const bool uses_library = kind == KIND_STEP || kind == KIND_CUBIC;
    if (uses_library) {
        position.interpolation = kind == KIND_STEP ? MD5_INTERPOLATE_STEP : MD5_INTERPOLATE_CUBIC;
        md5_sample(clip->binding, position, MD5_ROOT_IN_PLACE, pose);
        return;
    }
    md5_xform *const poses[2] = {view_spare_pose(picture, 2), view_spare_pose(picture, 3)};
    const uint32_t frames[2] = {position.frame0, position.frame1};
    for (int i = 0; i < 2; i++) {
        const md5_sample_position frame =
            md5_sample_position_from_frames(clip->anim, frames[i], frames[i], 0);
        md5_sample(clip->binding, frame, MD5_ROOT_IN_PLACE, poses[i]);
    }
    pose_between(poses[0], poses[1], picture->scene->num_joints, position.fraction,
                 kind == KIND_NLERP, pose);
}

// The frames between which the current time is. Both plots of the lesson show this interval.
typedef struct shown_frames {
    double begin;       // time at which the interval begins, seconds
    double span;        // duration of the interval, seconds
    double first_frame; // frame of the clip at the begin
} shown_frames;

static const float num_frames_shown = 4;

// Returns the interval of frames at a time, and sets the horizontal axes of both plots to it.
static shown_frames select_frames(view_picture *picture, const md5_anim *anim, double time)
{
    shown_frames frames;
    frames.span = (double)num_frames_shown / anim->frame_rate;
    frames.begin = frames.span * floor(time / frames.span);
    frames.first_frame = anim->frame_rate * fmod(frames.begin, anim->duration);
    for (int i = 0; i < 2; i++) {
        picture->plots[i].row.low.x = (float)frames.first_frame;
        picture->plots[i].row.high.x = (float)frames.first_frame + num_frames_shown;
    }
    return frames;
}

// Plots the height of a hand for each method of interpolation. Also plots the distance of the hand
// from its position with slerp, as a logarithm.
static void plot_hands(view_picture *picture, const view_clip *clip, uint32_t hand,
                       const shown_frames *frames)
{
    const float smallest_distance = 1e-6f; // units; its logarithm is finite
    md5_xform *const tried = view_spare_pose(picture, 0);
    for (int i = 0; i < VIEW_PAGE_POINTS; i++) {
        const double part = i / (double)VIEW_PAGE_STEPS;
        const double x = frames->first_frame + (double)num_frames_shown * part;
        md5_vec3 hands[NUM_KINDS];
        for (int kind = 0; kind < NUM_KINDS; kind++) {
            sample(picture, clip, kind, frames->begin + frames->span * part, tried);
            hands[kind] = view_posed_position(picture, tried, hand);
            view_add_point(&picture->plots[0], kind, x, hands[kind].z);
        }
        for (int kind = FIRST_COMPARED_KIND; kind < NUM_KINDS; kind++) {
            const float distance = view_distance(hands[kind], hands[KIND_SLERP]);
            view_add_point(&picture->plots[1], kind - FIRST_COMPARED_KIND, x,
                           log10f(fmaxf(distance, smallest_distance)));
        }
    }
}

// Plots the height of the hand over some frames for each interpolation, and its distance from the
// position with slerp. Poses the figure with the selected interpolation.
VIEW_SHOW(interpolation)
{
    enum { CHOICE_KIND, SLIDER_SPEED }; // in the order of pages.txt
    const view_clip *const clip = view_page_clip(picture, "attack");
    if (clip == NULL)
        return;
    const uint32_t hand = view_page_joint(picture, "hand_r");
    const int selected = (int)view_choice(picture, CHOICE_KIND);
    const double time = v[SLIDER_SPEED] * picture->time;
    const double rate = clip->anim->frame_rate;
    const shown_frames frames = select_frames(picture, clip->anim, time);
    plot_hands(picture, clip, hand, &frames);

    md5_xform *const pose = picture->figures[0].pose;
    sample(picture, clip, selected, time, pose);
    const md5_vec3 position = view_posed_position(picture, pose, hand);
    view_plot *const heights = &picture->plots[0];
    view_add_mark(heights, frames.first_frame + rate * (time - frames.begin), position.z,
                  heights->row.series[selected].color | 0xFFu);
    view_page_cross(picture, position, 3, VIEW_RED);

    // Compare the selected interpolation and nlerp with slerp.
    md5_xform *const nlerp_pose = view_spare_pose(picture, 0);
    md5_xform *const slerp_pose = view_spare_pose(picture, 1);
    sample(picture, clip, KIND_SLERP, time, slerp_pose);
    sample(picture, clip, KIND_NLERP, time, nlerp_pose);
    const md5_vec3 slerp_hand = view_posed_position(picture, slerp_pose, hand);
    const md5_vec3 nlerp_hand = view_posed_position(picture, nlerp_pose, hand);
    VIEW_FACTS(picture, view_distance(position, slerp_hand), view_distance(nlerp_hand, slerp_hand));
    VIEW_FACTS(picture, view_largest_angle(picture, slerp_pose, pose),
               view_largest_angle(picture, slerp_pose, nlerp_pose));
}

// -- Slerp and nlerp ------------------------------------------------------------------------

// The lesson "slerp" displays the following code, up to "End of the displayed code".

// Interpolates between two unit quaternions along the shorter arc, by nlerp if `normalized` is true
// and otherwise by slerp.
static md5_quat slerp_or_nlerp(bool normalized, md5_quat a, md5_quat b, float t)
{
    const float cosine = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    const float sign =
        cosine < 0.0f ? -1.0f : 1.0f; // use the nearer of q and -q, the same rotation
    const float angle = acosf(fminf(fabsf(cosine), 1.0f));
    const float sine = sinf(angle);
    float p = 1.0f - t;
    float q = t;
    if (!normalized && sine > 1e-3f) { // if the sine is 0, both rotations are equal
        p = sinf((1.0f - t) * angle) / sine;
        q = sinf(t * angle) / sine;
    }
    q *= sign;
    return md5_quat_normalize(
        (md5_quat){p * a.x + q * b.x, p * a.y + q * b.y, p * a.z + q * b.z, p * a.w + q * b.w}, a);
}

// End of the displayed code.

// Returns the maximum error of nlerp, in degrees, between two rotations that are `angle` radians
// apart. md5math.h contains the derivation.
static double max_nlerp_error(double angle)
{
    const double h = 0.25 * angle;
    const double x = sqrt(tan(h) / h - 1) / tan(h);
    return (2 * atan(x * tan(h)) - 2 * x * h) * 57.29577951308232;
}

// Rotates an arm of the first figure by slerp, and of the second by nlerp. Plots the angles of both
// and their difference, whose maximum is known from theory.
VIEW_SHOW(slerp)
{
    enum { SLIDER_ANGLE, SLIDER_T };                          // in the order of pages.txt
    enum { METHOD_SLERP, METHOD_NLERP, NUM_METHODS };         // also the figures
    const double angle = v[SLIDER_ANGLE] / 57.29577951308232; // radians
    const float t = view_moving_part(picture, v[SLIDER_T]);
    const md5_quat from = {.w = 1};
    const md5_quat to = md5_quat_from_axis_angle((md5_vec3){1, 0, 0}, (float)angle);
    view_plot *const plots = picture->plots;
    plots[0].row.high.y = v[SLIDER_ANGLE];

    // The last step of the loop is at the current time and computes the rotations of the figures.
    md5_quat rotations[NUM_METHODS];
    for (int i = 0; i < VIEW_PAGE_POINTS + 1; i++) {
        const float part = (float)view_step_x(plots, i, t);
        for (int method = 0; method < NUM_METHODS; method++) {
            rotations[method] = slerp_or_nlerp(method == METHOD_NLERP, from, to, part);
            view_plot_step(plots, method, i, part, view_angle(from, rotations[method]));
        }
        const double difference = view_angle(rotations[METHOD_SLERP], rotations[METHOD_NLERP]);
        view_plot_step(&plots[1], 0, i, part, difference);
    }
    for (int method = 0; method < NUM_METHODS; method++)
        view_rotate_joint(picture, picture->figures[method].pose, "upperarm_l", rotations[method]);
    VIEW_FACTS(picture, t, view_angle(rotations[METHOD_SLERP], rotations[METHOD_NLERP]),
               max_nlerp_error(angle));
}

// -- Euler angles ---------------------------------------------------------------------------

// The lesson "euler" displays the following code, up to "End of the displayed code".

static md5_quat quat_from_euler(md5_euler e);

static md5_quat rotation_at(md5_euler from, md5_euler to, bool by_angles, float t)
{
    if (!by_angles)
        return md5_quat_slerp(quat_from_euler(from), quat_from_euler(to), t);
    const float pitch = from.pitch + (to.pitch - from.pitch) * t;
    const float yaw = from.yaw + (to.yaw - from.yaw) * t;
    const float roll = from.roll + (to.roll - from.roll) * t;
    return quat_from_euler((md5_euler){pitch, yaw, roll});
}

// Rotates by roll about x first, then by pitch about y, then by yaw about z.
// Quaternions contain half of each angle.
static md5_quat quat_from_euler(md5_euler e)
{
    const float half = 0.5f * 3.14159265f / 180.0f;
    const md5_quat yaw = {.z = sinf(half * e.yaw), .w = cosf(half * e.yaw)};
    const md5_quat pitch = {.y = sinf(half * e.pitch), .w = cosf(half * e.pitch)};
    const md5_quat roll = {.x = sinf(half * e.roll), .w = cosf(half * e.roll)};
    return md5_quat_mul(md5_quat_mul(yaw, pitch), roll);
}

// End of the displayed code.

// Draws a ring for each angle, as in a gimbal: yaw outside, then pitch, and roll inside. The plane
// of a ring contains the axis about which it rotates and the axis of the next ring.
static void draw_gimbal(view_picture *picture, const md5_quat rotations[3])
{
    enum { RING_POINTS = 48 };
    static const view_color colors[3] = {VIEW_BLUE, VIEW_GREEN, VIEW_RED};
    const md5_vec3 center = {0, 40, 32};
    for (int ring = 0; ring < 3; ring++) {
        const float radius = 30 - 2.5f * (float)ring;
        for (int i = 0; i <= RING_POINTS; i++) {
            const float angle = 6.28318531f * (float)i / (float)RING_POINTS;
            const float c = radius * cosf(angle);
            const float s = radius * sinf(angle);
            // The point of each ring before its rotation.
            const md5_vec3 unrotated[3] = {{0, c, s}, {c, s, 0}, {c, 0, s}};
            const md5_vec3 point = md5_quat_rotate(rotations[ring], unrotated[ring]);
            view_draw_to(picture, md5_vec3_add(center, point), i > 0 ? colors[ring] : 0);
        }
    }
}

// Plots the length of the path from the first rotation. The length is the sum of the angles between
// the steps of the plot. Marks the length at `t`. Returns the length of the complete path, degrees.
static double plot_path(view_plot *plot, md5_euler from, md5_euler to, bool by_angles, float t)
{
    double length = 0;
    double length_at_t = 0;
    md5_quat previous = rotation_at(from, to, by_angles, 0);
    for (int i = 0; i < VIEW_PAGE_POINTS; i++) {
        const float x = (float)view_plot_x(plot, i);
        const md5_quat rotation = rotation_at(from, to, by_angles, x);
        length += view_angle(previous, rotation);
        if (x <= t)
            length_at_t = length + view_angle(rotation, rotation_at(from, to, by_angles, t));
        view_plot_step(plot, by_angles, i, x, length);
        previous = rotation;
    }
    view_plot_step(plot, by_angles, VIEW_PAGE_POINTS, t, length_at_t);
    return length;
}

// Returns the volume of the parallelepiped of the axes about which yaw, pitch and roll rotate. The
// volume measures how independent the axes are; it equals cos(pitch). `rings` are the rotations of
// the rings of the gimbal.
static float axes_volume(const md5_quat rings[3])
{
    const md5_vec3 yaw = {0, 0, 1};
    const md5_vec3 pitch = md5_quat_rotate(rings[0], (md5_vec3){0, 1, 0});
    const md5_vec3 roll = md5_quat_rotate(rings[2], (md5_vec3){1, 0, 0});
    return fabsf(md5_vec3_dot(yaw, md5_vec3_cross(pitch, roll)));
}

// Rotates the first figure by slerp, and the second by interpolated Euler angles. Plots the lengths
// of both paths, and draws the rings of a gimbal with the interpolated angles.
VIEW_SHOW(euler)
{
    enum { SLIDER_PITCH, SLIDER_YAW, SLIDER_ROLL, SLIDER_T }; // in the order of pages.txt
    const md5_euler from = {0, 0, 0};
    const md5_euler to = {v[SLIDER_PITCH], v[SLIDER_YAW], v[SLIDER_ROLL]};
    const float t = view_moving_part(picture, v[SLIDER_T]);
    const md5_euler angles = {to.pitch * t, to.yaw * t, to.roll * t};
    md5_quat rotations[2];
    double lengths[2]; // lengths of both paths, degrees
    for (int by_angles = 0; by_angles < 2; by_angles++) {
        rotations[by_angles] = rotation_at(from, to, by_angles == 1, t);
        view_rotate_figure(&picture->figures[by_angles], rotations[by_angles]);
        lengths[by_angles] = plot_path(picture->plots, from, to, by_angles == 1, t);
    }

    // Each ring is rotated by its angle and the angles of the rings outside of it.
    const md5_quat rings[3] = {
        md5_quat_from_euler((md5_euler){.yaw = angles.yaw}),
        md5_quat_from_euler((md5_euler){.yaw = angles.yaw, .pitch = angles.pitch}),
        md5_quat_from_euler(angles)};
    draw_gimbal(picture, rings);
    const md5_euler back = md5_quat_to_euler(rings[2]);
    VIEW_FACTS(picture, t, lengths[0], lengths[1], view_angle(rotations[0], rotations[1]));
    VIEW_FACTS(picture, back.pitch, back.roll, axes_volume(rings));
}
