// Between frames; curves in space and splines of rotations.
#include "demo/viewer/pages/page.h"

#include "md5/md5pose.h"

#include <math.h>
#include <string.h>

// == Interpolation =========================================================================

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
    (void)md5_modify_joint(picture->scene->skeleton, view_page_joint(picture, "upperarm_l"),
                           MD5_JOINT_MODEL, change, 1.0f, figure->pose);
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

// == Curves ================================================================================
//
// Curves in space: something travels along them at constant speed.

static const char *curve_word(float value)
{
    static const char *const words[] = {"Catmull-Rom", "uniform C.-R.", "cubic Bézier",
                                        "one Bézier",  "B-spline",      "NURBS"};
    return words[(int)value < 6 ? (int)value : 5];
}

static const char *pace_word(float value)
{
    return value < 0.5f ? "by t" : "by distance";
}

static const md5_vec3 control[7] = {
    {0.0f, -60.0f, 12.0f}, {18.0f, -42.0f, 50.0f}, {6.0f, -36.0f, 52.0f}, {-10.0f, 0.0f, 62.0f},
    {14.0f, 30.0f, 8.0f},  {24.0f, 44.0f, 30.0f},  {0.0f, 60.0f, 44.0f}};

// lines of curves
static md5_vec3 travel(const md5_curve *curve, bool by_distance, double part)
{
    const double length = md5_curve_length(curve);
    const double t = by_distance ? md5_curve_at_distance(curve, part * length) : part;
    return md5_curve_point(curve, t);
}
// end of lines

// One control point is moved by the slider, and its weight is that of a NURBS.
static md5_curve *make_curve(const view_picture *picture, md5_vec3 points[7])
{
    float weights[7] = {1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f};
    memcpy(points, control, sizeof control);
    points[3].z = picture->values[2];
    weights[3] = picture->values[3];
    const md5_curve_desc desc = {.kind = (md5_curve_kind)view_choice(picture, 0),
                                 .points = points,
                                 .num_points = 7,
                                 .weights = view_choice(picture, 0) == 5 ? weights : NULL};
    return md5_create_curve(&desc, NULL, NULL);
}

static md5_xform at_head(md5_vec3 place)
{
    return (md5_xform){.rotation = {.w = 1.0f}, .translation = place};
}

static void plot_speed(view_picture *picture, const md5_curve *curve, bool by_distance, float now)
{
    const double step = 1.0 / 256.0;
    view_add_plot(picture, "speed, units for the whole way", "part of the time",
                  (md5_vec2){0.0f, 0.0f}, (md5_vec2){1.0f, 500.0f});
    for (int way = 0; way < 2; way++) {
        view_add_series(picture, pace_word((float)way), way == 0 ? VIEW_BLUE : VIEW_YELLOW);
        for (int i = 0; i < 128; i++) {
            const double part = (double)i / 128.0;
            const md5_vec3 a = travel(curve, way == 1, part),
                           b = travel(curve, way == 1, part + step);
            const float speed = md5_vec3_length(md5_vec3_sub(b, a)) / (float)step;
            view_add_point(picture, (float)part, speed);
            if (by_distance == (way == 1) && fabs(part - (double)now) <= 1.0 / 256.0)
                view_add_mark(picture, (float)part, speed, VIEW_RED);
        }
    }
    view_plot *const plot = &picture->plots[picture->num_plots - 1];
    view_fit_plot(picture);
    plot->low.y = 0.0f;
}

static double distance_at(const md5_curve *curve, md5_vec3 point, double t)
{
    return (double)md5_vec3_length(md5_vec3_sub(md5_curve_point(curve, t), point));
}

// How near the curve comes to a point: at the nearest of many places, and then nearer and nearer.
static double nearest_distance(const md5_curve *curve, md5_vec3 point)
{
    double nearest = INFINITY, t = 0.0;
    for (int round = 0; round < 18; round++) {
        const double step = ldexp(1.0, -9 - round);
        const int begin = round == 0 ? 0 : -1, end = round == 0 ? 512 : 1;
        const double from = t;
        for (int i = begin; i <= end; i++) {
            const double at = fmin(fmax(from + step * i, 0.0), 1.0);
            const double distance = distance_at(curve, point, at);
            t = distance < nearest ? at : t;
            nearest = fmin(nearest, distance);
        }
    }
    return nearest;
}

static void show_curves(view_picture *picture)
{
    md5_vec3 points[7];
    md5_curve *const curve = make_curve(picture, points);
    const bool by_distance = view_choice(picture, 1) == 1;
    const float part = (float)(fmod(picture->time, 5.0) / 5.0);
    view_show_box(picture, (md5_vec3){-24.0f, -66.0f, 0.0f}, (md5_vec3){24.0f, 66.0f, 66.0f});
    view_figure *const figure = view_add_figure(picture, -30.0f, 0.0f);
    view_sample_clip(picture, "stand", 0.0, figure->pose);
    if (curve == NULL)
        return;
    for (int i = 0; i < 7; i++) {
        view_add_cross(picture, points[i], 2.0f, VIEW_BLUE);
        if (i > 0)
            view_add_stroke(picture, points[i - 1], points[i], 0x6FA8FF60u);
    }
    md5_vec3 last = md5_curve_point(curve, 0.0);
    for (int i = 1; i <= 192; i++) {
        const md5_vec3 next = md5_curve_point(curve, (double)i / 192.0);
        view_add_stroke(picture, last, next, VIEW_YELLOW);
        last = next;
    }
    const md5_vec3 place = travel(curve, by_distance, (double)part);
    view_add_cross(picture, place, 4.0f, VIEW_RED);
    // Bobbin looks after it.
    const md5_aim_job look = {.tip = view_page_joint(picture, "head"),
                              .length = 3,
                              .target = md5_xform_point(md5_xform_inverse(figure->place), place),
                              .weight = 1.0f};
    (void)md5_solve_aim(picture->scene->skeleton, &look, figure->pose);
    plot_speed(picture, curve, by_distance, part);
    view_add_fact(picture, "length", md5_curve_length(curve), "units");
    view_add_fact(picture, "t",
                  by_distance ? md5_curve_at_distance(curve, (double)part * md5_curve_length(curve))
                              : (double)part,
                  "");
    view_add_fact(picture, "distance gone", md5_curve_distance(curve, picture->facts[1].value),
                  "units");
    view_add_fact(picture, "to the moved point", nearest_distance(curve, points[3]), "units");
    md5_destroy_curve(curve);
}

const view_page view_page_curves = {
    .name = "curves",
    .title = "Curves and constant speed",
    .family = "Curves",
    .about = "Splines and Bézier curves of the blue points. Equal steps of the parameter t are not "
             "equal distances; with arc length as the parameter the speed is constant.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 1.2,
    .sliders = {{"curve", 0.0f, 5.0f, 0.0f, curve_word, false},
                {"pace", 0.0f, 1.0f, 1.0f, pace_word, false},
                {"height of a point", 6.0f, 66.0f, 62.0f, NULL, false},
                {"weight (NURBS)", 0.2f, 8.0f, 1.0f, NULL, false}},
    .num_sliders = 4,
    .show = show_curves,
};

// -- Quaternion splines ---------------------------------------------------------------------

enum { KEYS = 5 };
static const double period = 5.0;

static void make_keys(float spread, md5_quat keys[KEYS], double times[KEYS])
{
    static const md5_vec3 axes[KEYS] = {{0.0f, 0.0f, 1.0f},
                                        {0.0f, 1.0f, 0.3f},
                                        {1.0f, 0.0f, 0.4f},
                                        {0.0f, -1.0f, 0.5f},
                                        {-0.6f, 0.2f, 1.0f}};
    for (int i = 0; i < KEYS; i++) {
        keys[i] = md5_quat_from_axis_angle(axes[i], (i % 2 == 0 ? 1.0f : -1.0f) * spread);
        times[i] = (double)i;
    }
}

// lines of squad
static md5_quat key_rotation(const md5_squad *squad, const md5_quat keys[], bool smooth,
                             double time)
{
    if (smooth) // the angular velocity goes on through each key
        return md5_squad_rotation(squad, time);
    const int key = (int)time % KEYS;
    return md5_quat_slerp(keys[key], keys[(key + 1) % KEYS], (float)(time - floor(time)));
}
// end of lines

// In radians a second, about axes that turn along: the mean from `time` on, or, if `step` is
// negative, before it.
static md5_vec3 angular_velocity(const md5_squad *squad, const md5_quat keys[], bool smooth,
                                 double time, double step)
{
    const md5_quat a = key_rotation(squad, keys, smooth, time);
    const md5_quat b = key_rotation(squad, keys, smooth, fmod(time + step + period, period));
    const md5_quat d = md5_quat_mul(md5_quat_conjugate(a), b);
    const md5_vec3 axis = {d.x, d.y, d.z};
    const float sine = copysignf(md5_vec3_length(axis), d.w);
    const float turn = 2.0f * atan2f(sine, fabsf(d.w)) / (float)step;
    return sine != 0.0f ? md5_vec3_scale(axis, turn / sine) : axis;
}

// By how much the angular velocity at a key differs from that before it. Twice the mean over a step
// minus that over two steps is the velocity at their common end, up to the square of the step.
static float jump_at(const md5_squad *squad, const md5_quat keys[], bool smooth, double key)
{
    const double step = 1.0 / 512.0;
    md5_vec3 velocity[2];
    for (int side = 0; side < 2; side++) {
        const double way = side == 0 ? -step : step;
        const md5_vec3 one = angular_velocity(squad, keys, smooth, key, way),
                       two = angular_velocity(squad, keys, smooth, key, 2.0 * way);
        velocity[side] = md5_vec3_sub(md5_vec3_scale(one, 2.0f), two);
    }
    return md5_vec3_length(md5_vec3_sub(velocity[1], velocity[0]));
}

static float angular_speed(const md5_squad *squad, const md5_quat keys[], bool smooth, double time)
{
    return md5_vec3_length(angular_velocity(squad, keys, smooth, time, 1.0 / 512.0));
}

// The path of a direction on a sphere.
static void draw_way(view_picture *picture, const md5_squad *squad, const md5_quat keys[],
                     bool smooth, md5_xform centre, view_color color)
{
    const md5_vec3 forward = {26.0f, 0.0f, 0.0f};
    md5_vec3 last = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i <= 240; i++) {
        const double time = fmod(period * i / 240.0, period);
        const md5_vec3 at = md5_xform_point(
            centre, md5_quat_rotate(key_rotation(squad, keys, smooth, time), forward));
        if (i > 0)
            view_add_stroke(picture, last, at, color);
        last = at;
    }
}

static void show_squad(view_picture *picture)
{
    md5_quat keys[KEYS];
    double times[KEYS];
    make_keys(picture->values[0], keys, times);
    md5_squad *const squad = md5_create_squad(keys, times, KEYS, period, NULL, NULL);
    if (squad == NULL)
        return;
    const double now = fmod(picture->time, period);
    float largest[2] = {0.0f, 0.0f};
    view_add_plot(picture, "angular speed, radians/s", "seconds", (md5_vec2){0.0f, 0.0f},
                  (md5_vec2){(float)period, 5.0f});
    for (int smooth = 0; smooth < 2; smooth++) {
        const md5_xform centre = at_head((md5_vec3){0.0f, smooth == 0 ? -34.0f : 34.0f, 32.0f});
        view_figure *const figure = view_add_figure(picture, 0.0f, smooth == 0 ? -34.0f : 34.0f);
        const md5_quat turn = key_rotation(squad, keys, smooth == 1, now);
        const md5_xform spin = {.rotation = turn, .translation = centre.translation};
        // Turned about the middle of the body.
        figure->place = md5_xform_mul(spin, at_head((md5_vec3){0.0f, 0.0f, -28.0f}));
        draw_way(picture, squad, keys, smooth == 1, centre, smooth == 1 ? VIEW_YELLOW : VIEW_GREEN);
        view_add_label(picture, (md5_vec3){0.0f, centre.translation.y, 66.0f}, VIEW_PLAIN_TEXT,
                       smooth == 1 ? "squad" : "slerp from key to key");
        view_add_series(picture, smooth == 1 ? "squad" : "slerp",
                        smooth == 1 ? VIEW_YELLOW : VIEW_GREEN);
        for (int i = 0; i <= 128; i++) {
            const double time = fmod(period * i / 128.0, period);
            view_add_point(picture, (float)(period * i / 128.0),
                           angular_speed(squad, keys, smooth == 1, time));
        }
        for (int i = 0; i < KEYS; i++)
            largest[smooth] = fmaxf(largest[smooth], jump_at(squad, keys, smooth == 1, times[i]));
        view_add_mark(picture, (float)now, angular_speed(squad, keys, smooth == 1, now), VIEW_RED);
    }
    view_fit_plot(picture);
    view_show_box(picture, (md5_vec3){-28.0f, -64.0f, 0.0f}, (md5_vec3){28.0f, 64.0f, 66.0f});
    view_add_fact(picture, "largest jump at a key, slerp", (double)largest[0], "rad/s");
    view_add_fact(picture, "largest jump at a key, squad", (double)largest[1], "rad/s");
    md5_destroy_squad(squad);
}

const view_page view_page_squad = {
    .name = "squad",
    .title = "Splines of rotations",
    .family = "Curves",
    .about = "Slerp from key to key changes its axis and speed abruptly at each key. Squad passes "
             "through the same keys with a continuous angular velocity.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 0.6,
    .sliders = {{"spread, radians", 0.2f, 1.4f, 0.9f, NULL, false}},
    .num_sliders = 1,
    .show = show_squad,
};

// -- Euler angles ---------------------------------------------------------------------------

// lines of euler
static md5_quat turn_at(md5_euler from, md5_euler to, bool by_angles, float t)
{
    if (!by_angles)
        return md5_quat_slerp(md5_quat_from_euler(from), md5_quat_from_euler(to), t);
    const md5_euler between = {from.pitch + (to.pitch - from.pitch) * t,
                               from.yaw + (to.yaw - from.yaw) * t,
                               from.roll + (to.roll - from.roll) * t};
    return md5_quat_from_euler(between);
}
// end of lines

static float angle_of(md5_quat a, md5_quat b)
{
    const md5_quat d = md5_quat_mul(md5_quat_conjugate(a), b);
    const float sine = md5_vec3_length((md5_vec3){d.x, d.y, d.z});
    return 2.0f * atan2f(sine, fabsf(d.w)) * 57.2957795f;
}

// A ring for each angle, as a gimbal has them: outside yaw, then pitch, inside roll.
static void draw_gimbal(view_picture *picture, md5_vec3 centre, md5_euler angles)
{
    static const view_color colors[3] = {VIEW_BLUE, VIEW_GREEN, VIEW_RED};
    const md5_quat turns[3] = {
        md5_quat_from_euler((md5_euler){.yaw = angles.yaw}),
        md5_quat_from_euler((md5_euler){.yaw = angles.yaw, .pitch = angles.pitch}),
        md5_quat_from_euler(angles)};
    for (int ring = 0; ring < 3; ring++) {
        const float radius = 30.0f - 2.5f * (float)ring;
        md5_vec3 last = {0.0f, 0.0f, 0.0f};
        for (int i = 0; i <= 48; i++) {
            const float angle = 6.28318531f * (float)i / 48.0f;
            const float c = radius * cosf(angle), s = radius * sinf(angle);
            // The ring's plane holds its own axis of rotation and that of the next ring.
            const md5_vec3 flat = ring == 0   ? (md5_vec3){0.0f, c, s}
                                  : ring == 1 ? (md5_vec3){c, s, 0.0f}
                                              : (md5_vec3){c, 0.0f, s};
            const md5_vec3 at = md5_vec3_add(centre, md5_quat_rotate(turns[ring], flat));
            if (i > 0)
                view_add_stroke(picture, last, at, colors[ring]);
            last = at;
        }
    }
}

// How many of the three directions about which the angles turn are independent: the volume of the
// axes of yaw, pitch and roll, which is cos(pitch).
static float free_volume(md5_euler angles)
{
    const md5_quat yaw = md5_quat_from_euler((md5_euler){.yaw = angles.yaw});
    const md5_vec3 axis_yaw = {0.0f, 0.0f, 1.0f};
    const md5_vec3 axis_pitch = md5_quat_rotate(yaw, (md5_vec3){0.0f, 1.0f, 0.0f});
    const md5_vec3 axis_roll =
        md5_quat_rotate(md5_quat_from_euler(angles), (md5_vec3){1.0f, 0.0f, 0.0f});
    return fabsf(md5_vec3_dot(axis_yaw, md5_vec3_cross(axis_pitch, axis_roll)));
}

static void show_euler(view_picture *picture)
{
    const md5_euler from = {0.0f, 0.0f, 0.0f},
                    to = {picture->values[0], picture->values[1], picture->values[2]};
    const float t = picture->values[3] >= 0.0f
                        ? picture->values[3]
                        : 0.5f - 0.5f * cosf((float)fmod(picture->time, 4.0) * 1.57079633f);
    const md5_euler now = {to.pitch * t, to.yaw * t, to.roll * t};
    view_add_plot(picture, "angle to the beginning, degrees", "t", (md5_vec2){0.0f, 0.0f},
                  (md5_vec2){1.0f, 180.0f});
    for (int by_angles = 0; by_angles < 2; by_angles++) {
        const float y = by_angles == 1 ? 40.0f : -40.0f;
        const md5_quat turn = turn_at(from, to, by_angles == 1, t);
        view_figure *const figure = view_add_figure(picture, 0.0f, y);
        const md5_xform spin = {.rotation = turn, .translation = {0.0f, y, 32.0f}};
        figure->place = md5_xform_mul(spin, at_head((md5_vec3){0.0f, 0.0f, -28.0f}));
        view_add_label(picture, (md5_vec3){0.0f, y, 68.0f}, VIEW_PLAIN_TEXT,
                       by_angles == 1 ? "Euler angles" : "quaternions, slerp");
        view_add_series(picture, by_angles == 1 ? "Euler angles" : "slerp",
                        by_angles == 1 ? VIEW_YELLOW : VIEW_GREEN);
        for (int i = 0; i <= 128; i++)
            view_add_point(picture, (float)i / 128.0f,
                           angle_of(md5_quat_from_euler(from),
                                    turn_at(from, to, by_angles == 1, (float)i / 128.0f)));
        view_add_mark(picture, t, angle_of(md5_quat_from_euler(from), turn),
                      by_angles == 1 ? VIEW_YELLOW : VIEW_GREEN);
    }
    draw_gimbal(picture, (md5_vec3){0.0f, 40.0f, 32.0f}, now);
    view_show_box(picture, (md5_vec3){-30.0f, -70.0f, 0.0f}, (md5_vec3){30.0f, 70.0f, 70.0f});
    view_add_fact(picture, "between the two",
                  (double)angle_of(turn_at(from, to, true, t), turn_at(from, to, false, t)), "°");
    const md5_euler back = md5_quat_to_euler(md5_quat_from_euler(now));
    view_add_fact(picture, "pitch, there and back", (double)back.pitch, "°");
    view_add_fact(picture, "roll, there and back", (double)back.roll, "°");
    view_add_fact(picture, "1 = three free axes", (double)free_volume(now), "");
}

const view_page view_page_euler = {
    .name = "euler",
    .title = "Euler angles and the gimbal",
    .family = "Interpolation",
    .about = "Euler angles interpolated one by one take a longer path at uneven speed. At a pitch "
             "of 90 degrees the rings of yaw (blue) and roll (red) share one axis: gimbal lock.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 1.4,
    .sliders = {{"pitch", -90.0f, 90.0f, 80.0f, NULL, false},
                {"yaw", -180.0f, 180.0f, 130.0f, NULL, false},
                {"roll", -180.0f, 180.0f, 60.0f, NULL, false},
                {"t (below 0: moves)", -0.05f, 1.0f, -0.05f, NULL, false}},
    .num_sliders = 4,
    .show = show_euler,
};
