// A head and eyes that look by themselves.
#include "demo/viewer/pages/families.h"

#include "md5/md5pose.h"

#include <math.h>

// The look begins again after this time, and the plot shows this many seconds.
static const double span = 60.0, shown = 6.0, tick = 1.0 / 60.0;

// A ball that flies in front of him.
static md5_vec3 ball_at(double time)
{
    return (md5_vec3){48.0f, 26.0f * (float)sin(1.1 * time), 42.0f + 9.0f * (float)sin(1.7 * time)};
}

// lines of gaze
static void look_on(const md5_gaze_desc *desc, const md5_skeleton *skeleton, md5_gaze *gaze,
                    double seconds)
{
    md5_gaze_advance(desc, skeleton->axes, gaze, seconds);
}

static void look(const md5_gaze_desc *desc, const md5_gaze *gaze, const md5_skeleton *skeleton,
                 md5_xform *pose)
{
    md5_gaze_pose(desc, gaze, skeleton, 1.0f, pose);
}
// end of lines

static double degrees(float tangent)
{
    return atan((double)tangent) * 57.29577951;
}

// The head is late: its part of the way is drawn beside that of the eyes.
static void plot(view_picture *picture, const md5_gaze_desc *desc, const md5_gaze *gaze,
                 double seconds)
{
    const md5_vec3 way =
        md5_vec3_sub(md5_gaze_point(desc, picture->scene->skeleton->axes, gaze), desc->origin);
    view_plot *const last = &picture->plots[0];
    const double values[2] = {degrees(way.y / way.x), degrees(gaze->head.x)};
    for (int i = 0; i < 2; i++) {
        view_series *const series = &last->series[i];
        if (series->count < VIEW_PAGE_POINTS)
            series->points[series->count++] = (md5_vec2){(float)seconds, (float)values[i]};
    }
}

static uint32_t simulate(view_picture *picture, const md5_gaze_desc *desc, md5_vec3 *ball,
                         double now, md5_gaze *gaze)
{
    const int steps = (int)(now / tick + 0.5), first = steps - (int)(shown / tick);
    uint32_t saccades = 0;
    *ball = ball_at(0.0);
    for (int i = 1; i <= steps; i++) {
        const float before = i > 1 ? gaze->seconds : INFINITY; // the first is at once
        *ball = ball_at(tick * i);
        look_on(desc, picture->scene->skeleton, gaze, tick);
        saccades += gaze->seconds < before ? 1u : 0u;
        if (i >= first && i % 3 == 0)
            plot(picture, desc, gaze, tick * (i - steps));
    }
    return saccades;
}

static void show_gaze(view_picture *picture)
{
    const float *const v = picture->values;
    const md5_skeleton *const skeleton = picture->scene->skeleton;
    const uint32_t left = view_page_joint(picture, "eye_l"),
                   right = view_page_joint(picture, "eye_r");
    const md5_mat34 *const bind = picture->scene->model->bind;
    md5_vec3 ball = {0.0f, 0.0f, 0.0f};
    const md5_gaze_desc desc = {
        .head = view_page_joint(picture, "head"),
        .eyes = {left, right},
        .num_eyes = 2,
        .origin = md5_vec3_lerp(md5_mat34_translation(bind[left]),
                                md5_mat34_translation(bind[right]), 0.5f),
        .targets = &ball,
        .num_targets = 1,
        .interest = v[1] > 0.0f ? v[1] : MD5_ZERO,
        .distance = 60.0f,
        .most_seconds = v[2],
        .head_share = v[3] > 0.0f ? v[3] : MD5_ZERO,
        .head_seconds = v[4],
    };
    md5_gaze gaze;
    view_add_plot(picture, "to his left, degrees", "seconds", (md5_vec2){-(float)shown, -45.0f},
                  (md5_vec2){0.0f, 45.0f});
    view_add_series(picture, "eyes", VIEW_YELLOW);
    view_add_series(picture, "head", VIEW_BLUE);
    md5_gaze_begin((uint64_t)view_choice(picture, 0), &gaze);
    const uint32_t saccades =
        simulate(picture, &desc, &ball, fmod(fmax(picture->time, 0.0), span), &gaze);
    view_figure *const figure = view_add_figure(picture, 0.0f, 0.0f);
    view_sample_clip(picture, "stand", 0.0, figure->pose);
    look(&desc, &gaze, skeleton, figure->pose);
    const md5_vec3 point = md5_gaze_point(&desc, skeleton->axes, &gaze);
    view_add_cross(picture, ball, 3.0f, VIEW_RED);
    view_add_cross(picture, point, 1.5f, VIEW_YELLOW);
    for (int i = 0; i < 2; i++)
        view_add_stroke(picture, view_joint_place(picture, figure, i == 0 ? left : right), point,
                        0xF2C14E70u);
    view_show_box(picture, (md5_vec3){-20.0f, -34.0f, 8.0f}, (md5_vec3){50.0f, 34.0f, 60.0f});
    view_add_fact(picture, "saccades", (double)saccades, "");
    view_add_fact(picture, "looks at the ball", gaze.target == 0 ? 1.0 : 0.0, "");
    view_add_fact(picture, "the last one took", (double)gaze.duration, "s");
    view_add_fact(picture, "head to his left", degrees(gaze.head.x), "degrees");
}

const view_page view_page_gaze = {
    .name = "gaze",
    .title = "Looking by itself",
    .family = "Inverse kinematics",
    .about = "The eyes fixate a point, then jump to the next: a random direction, or the ball, "
             "which they track. The head follows part of the way. The same seed gives the same "
             "motion.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 9.0,
    .sliders = {{"seed", 0.0f, 99.0f, 1.0f, NULL, true},
                {"interest in the ball", 0.0f, 1.0f, 0.5f, NULL, false},
                {"longest rest, seconds", 0.5f, 5.0f, 2.0f, NULL, false},
                {"head's share", 0.0f, 1.0f, 0.6f, NULL, false},
                {"head's time, seconds", 0.05f, 1.0f, 0.2f, NULL, false}},
    .num_sliders = 5,
    .show = show_gaze,
};
