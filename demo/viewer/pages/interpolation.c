// Interpolation between frames and between rotations.
#include "demo/viewer/pages/families.h"

#include "md5/md5pose.h"

#include <math.h>
#include <string.h>

static const char *interpolation_word(float value)
{
    static const char *const words[] = {"step", "linear (slerp)", "linear (nlerp)", "cubic"};
    return words[(int)value < 4 ? (int)value : 3];
}

// lines of interpolation
static void sample(const md5_binding *clip, int kind, md5_moment moment, md5_xform *pose)
{
    static const md5_interpolation kinds[] = {MD5_INTERPOLATE_STEP, MD5_INTERPOLATE_LINEAR,
                                              MD5_INTERPOLATE_NLERP, MD5_INTERPOLATE_CUBIC};
    moment.interpolation = kinds[kind];
    md5_sample(clip, moment, MD5_ROOT_IN_PLACE, pose);
}
// end of lines

static float angle_between(md5_quat a, md5_quat b)
{
    const md5_quat difference = md5_quat_mul(md5_quat_conjugate(a), b);
    const float sine = md5_vec3_length((md5_vec3){difference.x, difference.y, difference.z});
    return 2.0f * atan2f(sine, fabsf(difference.w));
}

// The largest angle between two poses' rotations.
static float largest_angle(const md5_xform *a, const md5_xform *b, uint32_t count)
{
    float largest = 0.0f;
    for (uint32_t i = 0; i < count; i++)
        largest = fmaxf(largest, angle_between(a[i].rotation, b[i].rotation));
    return largest;
}

static md5_vec3 joint_at(view_picture *picture, const view_clip *clip, int kind, double time,
                         uint32_t joint)
{
    md5_xform *const pose = view_spare_pose(picture, 0);
    sample(clip->binding, kind, md5_moment_at(clip->anim, time, MD5_WRAP_LOOP), pose);
    return md5_joint_in_model(picture->scene->skeleton, pose, joint).translation;
}

// The hand's height over some frames, by each way, and how far it is from where slerp has it.
static void plot_hand(view_picture *picture, const view_clip *clip, double begin, double span,
                      uint32_t hand, md5_vec2 mark)
{
    static const view_color colors[4] = {VIEW_DIM_LINE, VIEW_GREEN, VIEW_BLUE, VIEW_YELLOW};
    static const char *const names[4] = {"step", "slerp", "nlerp", "cubic"};
    view_add_plot(picture, "height of the right hand", "seconds", (md5_vec2){(float)begin, 0.0f},
                  (md5_vec2){(float)(begin + span), 16.0f});
    for (int kind = 0; kind < 4; kind++) {
        view_add_series(picture, names[kind], colors[kind]);
        for (int i = 0; i <= 128; i++) {
            const double time = begin + span * i / 128.0;
            view_add_point(picture, (float)time, joint_at(picture, clip, kind, time, hand).z);
        }
    }
    view_fit_plot(picture);
    view_add_mark(picture, mark.x, mark.y, VIEW_RED);
    view_add_plot(picture, "from slerp, powers of ten of a unit", "seconds",
                  (md5_vec2){(float)begin, -6.0f}, (md5_vec2){(float)(begin + span), 1.0f});
    for (int kind = 2; kind < 4; kind++) {
        view_add_series(picture, names[kind], colors[kind]);
        for (int i = 0; i <= 128; i++) {
            const double time = begin + span * i / 128.0;
            const md5_vec3 off = md5_vec3_sub(joint_at(picture, clip, kind, time, hand),
                                              joint_at(picture, clip, 1, time, hand));
            view_add_point(picture, (float)time, log10f(fmaxf(md5_vec3_length(off), 1e-6f)));
        }
    }
}

static void show_interpolation(view_picture *picture)
{
    const view_clip *const clip = view_page_clip(picture, "attack");
    const uint32_t hand = view_page_joint(picture, "hand_r");
    view_figure *const figure = view_add_figure(picture, 0.0f, 0.0f);
    view_show_box(picture, (md5_vec3){-30.0f, -26.0f, 0.0f}, (md5_vec3){26.0f, 26.0f, 56.0f});
    if (clip == NULL)
        return;
    const double speed = (double)picture->values[1], time = speed * picture->time;
    const double frame = 1.0 / clip->anim->frame_rate, span = 4.0 * frame;
    const double begin = span * floor(time / span);
    const int kind = view_choice(picture, 0);
    const md5_moment moment = md5_moment_at(clip->anim, time, MD5_WRAP_LOOP);
    sample(clip->binding, kind, moment, figure->pose);
    const md5_vec3 place = view_joint_place(picture, figure, hand);
    plot_hand(picture, clip, begin, span, hand, (md5_vec2){(float)time, place.z});
    view_add_cross(picture, place, 3.0f, VIEW_RED);

    md5_xform *const exact = view_spare_pose(picture, 0), *const other =
                                                              view_spare_pose(picture, 1);
    const uint32_t count = picture->scene->num_joints;
    const double degrees = 180.0 / 3.14159265358979324;
    sample(clip->binding, 1, moment, exact);
    view_add_fact(picture, "frames a second", clip->anim->frame_rate, "");
    view_add_fact(picture, "between frames", (double)moment.fraction, "");
    view_add_fact(picture, "to slerp", degrees * largest_angle(exact, figure->pose, count), "°");
    sample(clip->binding, 2, moment, other);
    view_add_fact(picture, "nlerp to slerp", degrees * largest_angle(exact, other, count), "°");
}

const view_page view_page_interpolation = {
    .name = "interpolation",
    .title = "Interpolation between frames",
    .family = "Interpolation",
    .about = "A clip has few frames a second, often 24. Between them: step (no interpolation), "
             "slerp (constant speed), normalized lerp, or a cubic curve through the frames.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 8.0,
    .sliders = {{"interpolation", 0.0f, 3.0f, 3.0f, interpolation_word, false},
                {"speed", 0.02f, 1.0f, 0.06f, NULL, false}},
    .num_sliders = 2,
    .show = show_interpolation,
};

// -- Slerp beside nlerp ---------------------------------------------------------------------

// lines of slerp
static md5_quat slerp_or_nlerp(bool normalized, md5_quat from, md5_quat to, float t)
{
    return normalized ? md5_quat_nlerp(from, to, t) : md5_quat_slerp(from, to, t);
}
// end of lines

// The largest error of nlerp, as md5math.h derives it, in radians.
static double largest_error(double angle)
{
    const double h = 0.25 * angle;
    if (h < 1e-4)
        return angle * angle * angle / 249.0;
    const double x = sqrt(tan(h) / h - 1.0) / tan(h);
    return 2.0 * atan(x * tan(h)) - 2.0 * x * h;
}

static void raise_arm(const view_picture *picture, view_figure *figure, md5_quat turn)
{
    view_sample_clip(picture, "stand", 0.0, figure->pose);
    const md5_xform change = {.rotation = turn, .translation = {NAN, NAN, NAN}};
    (void)md5_modify_joint(picture->scene->skeleton, figure->pose,
                           view_page_joint(picture, "upperarm_l"), MD5_JOINT_MODEL, change, 1.0f);
}

static void plot_angles(view_picture *picture, md5_quat to, float angle, float t)
{
    const md5_quat from = {.w = 1.0f};
    const float degrees = 57.2957795f;
    view_add_plot(picture, "angle, degrees", "t", (md5_vec2){0.0f, 0.0f},
                  (md5_vec2){1.0f, fmaxf(angle * degrees, 1.0f)});
    for (int way = 0; way < 2; way++) {
        view_add_series(picture, way == 0 ? "slerp" : "nlerp", way == 0 ? VIEW_GREEN : VIEW_YELLOW);
        for (int i = 0; i <= 128; i++) {
            const float at = (float)i / 128.0f;
            const md5_quat q = slerp_or_nlerp(way == 1, from, to, at);
            view_add_point(picture, at, degrees * angle_between(from, q));
        }
        view_add_mark(picture, t,
                      degrees * angle_between(from, slerp_or_nlerp(way == 1, from, to, t)),
                      way == 0 ? VIEW_GREEN : VIEW_YELLOW);
    }
    view_add_plot(
        picture, "difference, degrees", "t", (md5_vec2){0.0f, 0.0f},
        (md5_vec2){1.0f, fmaxf(1.2f * degrees * (float)largest_error((double)angle), 1e-3f)});
    view_add_series(picture, "nlerp to slerp", VIEW_RED);
    for (int i = 0; i <= 128; i++) {
        const float at = (float)i / 128.0f;
        view_add_point(picture, at,
                       degrees
                           * angle_between(slerp_or_nlerp(false, from, to, at),
                                           slerp_or_nlerp(true, from, to, at)));
    }
}

static void show_slerp(view_picture *picture)
{
    const float angle = picture->values[0] * 3.14159265f / 180.0f;
    const float t = picture->values[1] >= 0.0f
                        ? picture->values[1]
                        : 0.5f - 0.5f * cosf((float)fmod(picture->time, 4.0) * 1.57079633f);
    const md5_quat from = {.w = 1.0f},
                   to = md5_quat_from_axis_angle((md5_vec3){1.0f, 0.0f, 0.0f}, angle);
    for (int way = 0; way < 2; way++) {
        view_figure *const figure = view_add_figure(picture, 0.0f, way == 0 ? -24.0f : 24.0f);
        raise_arm(picture, figure, slerp_or_nlerp(way == 1, from, to, t));
        view_add_label(picture, (md5_vec3){0.0f, way == 0 ? -24.0f : 24.0f, 57.0f}, VIEW_PLAIN_TEXT,
                       way == 0 ? "slerp" : "nlerp");
    }
    view_show_box(picture, (md5_vec3){-20.0f, -46.0f, 0.0f}, (md5_vec3){14.0f, 50.0f, 60.0f});
    plot_angles(picture, to, angle, t);
    const double degrees = 180.0 / 3.14159265358979324;
    view_add_fact(picture, "t", (double)t, "");
    view_add_fact(
        picture, "difference now",
        degrees
            * angle_between(slerp_or_nlerp(false, from, to, t), slerp_or_nlerp(true, from, to, t)),
        "°");
    view_add_fact(picture, "largest difference", degrees * largest_error((double)angle), "°");
}

const view_page view_page_slerp = {
    .name = "slerp",
    .title = "Slerp and nlerp",
    .family = "Interpolation",
    .about = "Slerp rotates at constant speed along the shorter arc. Normalized lerp takes the "
             "same arc, slower at its ends; the difference grows about with the cube of the angle.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 0.8,
    .sliders = {{"angle, degrees", 1.0f, 178.0f, 150.0f, NULL, false},
                {"t (below 0: moves)", -0.05f, 1.0f, -0.05f, NULL, false}},
    .num_sliders = 2,
    .show = show_slerp,
};
