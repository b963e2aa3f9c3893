#include "demo/viewer/pages/page.h"

#include "demo/common/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPARE = 8 };

void view_begin_picture(view_picture *picture, const view_scene *scene, const float *values,
                        double time)
{
    *picture = (view_picture){.scene = scene, .values = values, .time = time, .heat_joint = -1};
    const size_t joints = scene->num_joints > 0 ? scene->num_joints : 1;
    md5_xform *const poses = common_alloc((VIEW_PAGE_FIGURES + SPARE) * joints, sizeof *poses);
    for (size_t i = 0; i < VIEW_PAGE_FIGURES; i++)
        picture->figures[i].pose = poses + i * joints;
    picture->lines = common_alloc(VIEW_PAGE_LINES, sizeof *picture->lines);
}

void view_end_picture(view_picture *picture)
{
    free(picture->figures[0].pose);
    free(picture->lines);
    *picture = (view_picture){.num_figures = 0};
}

void view_free_kept(view_kept *kept)
{
    md5_free_baked(kept->baked);
    md5_free_model(kept->bound);
    free(kept->heat);
    *kept = (view_kept){.baked = NULL};
}

md5_xform *view_spare_pose(view_picture *picture, uint32_t number)
{
    return picture->figures[0].pose
           + (VIEW_PAGE_FIGURES + number % SPARE) * (size_t)picture->scene->num_joints;
}

// -- Figures --------------------------------------------------------------------------------

view_figure *view_add_figure(view_picture *picture, float x, float y)
{
    const uint32_t last = VIEW_PAGE_FIGURES - 1;
    view_figure *const figure =
        &picture->figures[picture->num_figures < last ? picture->num_figures : last];
    if (picture->num_figures < VIEW_PAGE_FIGURES)
        picture->num_figures++;
    figure->kind = VIEW_FIGURE_LIT;
    figure->place = (md5_xform){.rotation = {.w = 1.0f}, .translation = {x, y, 0.0f}};
    figure->tint = (md5_vec4){1.0f, 1.0f, 1.0f, 1.0f};
    memcpy(figure->pose, picture->scene->model->bind_local,
           picture->scene->num_joints * sizeof *figure->pose);
    return figure;
}

const view_clip *view_page_clip(const view_picture *picture, const char *name)
{
    for (size_t i = 0; i < picture->scene->num_clips; i++)
        if (strcmp(picture->scene->clips[i].name, name) == 0)
            return &picture->scene->clips[i];
    return NULL;
}

void view_sample_clip(const view_picture *picture, const char *name, double seconds,
                      md5_xform *pose)
{
    const view_clip *const clip = view_page_clip(picture, name);
    if (clip == NULL) {
        memcpy(pose, picture->scene->model->bind_local, picture->scene->num_joints * sizeof *pose);
        return;
    }
    const md5_moment moment = md5_moment_at(clip->anim, seconds, MD5_WRAP_LOOP);
    md5_sample(clip->binding, moment, MD5_ROOT_IN_PLACE, pose);
}

uint32_t view_page_joint(const view_picture *picture, const char *name)
{
    const uint32_t joint = md5_find_joint(picture->scene->skeleton, name);
    return joint != MD5_NONE ? joint : 0;
}

md5_vec3 view_joint_place(const view_picture *picture, const view_figure *figure, uint32_t joint)
{
    const md5_xform in_model = md5_joint_in_model(picture->scene->skeleton, figure->pose, joint);
    return md5_xform_point(figure->place, in_model.translation);
}

int view_choice(const view_picture *picture, uint32_t slider)
{
    return (int)lroundf(picture->values[slider]);
}

// -- Plots and facts ------------------------------------------------------------------------

void view_add_plot(view_picture *picture, const char *title, const char *across, md5_vec2 low,
                   md5_vec2 high)
{
    if (picture->num_plots < VIEW_PAGE_PLOTS)
        picture->num_plots++;
    view_plot *const plot = &picture->plots[picture->num_plots - 1];
    plot->title = title;
    plot->across = across;
    plot->low = low;
    plot->high = high;
    plot->num_series = plot->num_marks = 0;
}

static view_plot *last_plot(view_picture *picture)
{
    return &picture->plots[picture->num_plots > 0 ? picture->num_plots - 1 : 0];
}

void view_add_series(view_picture *picture, const char *name, view_color color)
{
    view_plot *const plot = last_plot(picture);
    if (plot->num_series < VIEW_PAGE_SERIES)
        plot->num_series++;
    view_series *const series = &plot->series[plot->num_series - 1];
    series->name = name;
    series->color = color;
    series->count = 0;
}

void view_add_point(view_picture *picture, float x, float y)
{
    view_plot *const plot = last_plot(picture);
    view_series *const series = &plot->series[plot->num_series > 0 ? plot->num_series - 1 : 0];
    if (series->count < VIEW_PAGE_POINTS)
        series->count++;
    series->points[series->count - 1] = (md5_vec2){x, y};
}

void view_fit_plot(view_picture *picture)
{
    view_plot *const plot = last_plot(picture);
    float low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < plot->num_series; i++)
        for (uint32_t p = 0; p < plot->series[i].count; p++) {
            low = fminf(low, plot->series[i].points[p].y);
            high = fmaxf(high, plot->series[i].points[p].y);
        }
    if (!(low <= high))
        return;
    const float margin = fmaxf(0.06f * (high - low), 1e-6f);
    plot->low.y = low - margin;
    plot->high.y = high + margin;
}

void view_add_mark(view_picture *picture, float x, float y, view_color color)
{
    view_plot *const plot = last_plot(picture);
    if (plot->num_marks < VIEW_PAGE_MARKS)
        plot->num_marks++;
    plot->marks[plot->num_marks - 1] = (view_mark){{x, y}, color};
}

void view_add_fact(view_picture *picture, const char *name, double value, const char *unit)
{
    if (picture->num_facts < VIEW_PAGE_FACTS)
        picture->num_facts++;
    picture->facts[picture->num_facts - 1] = (view_fact){name, unit, value};
}

// -- Lines and labels -----------------------------------------------------------------------

void view_add_label(view_picture *picture, md5_vec3 place, view_color color, const char *text)
{
    if (picture->num_labels < VIEW_PAGE_LABELS)
        picture->num_labels++;
    view_label *const label = &picture->labels[picture->num_labels - 1];
    label->place = place;
    label->color = color;
    (void)snprintf(label->text, sizeof label->text, "%s", text);
}

void view_add_stroke(view_picture *picture, md5_vec3 from, md5_vec3 to, view_color color)
{
    if (picture->num_lines < VIEW_PAGE_LINES)
        picture->lines[picture->num_lines++] = (view_line){from, to, color};
}

static void add_axis(view_picture *picture, md5_vec3 place, md5_vec3 axis, view_color color)
{
    view_add_stroke(picture, md5_vec3_sub(place, axis), md5_vec3_add(place, axis), color);
}

void view_add_cross(view_picture *picture, md5_vec3 place, float size, view_color color)
{
    add_axis(picture, place, (md5_vec3){size, 0.0f, 0.0f}, color);
    add_axis(picture, place, (md5_vec3){0.0f, size, 0.0f}, color);
    add_axis(picture, place, (md5_vec3){0.0f, 0.0f, size}, color);
}

void view_add_frame(view_picture *picture, md5_xform transform, float size)
{
    static const view_color colors[3] = {VIEW_RED, VIEW_GREEN, VIEW_BLUE};
    for (int i = 0; i < 3; i++) {
        const md5_vec3 axis = {i == 0 ? size : 0.0f, i == 1 ? size : 0.0f, i == 2 ? size : 0.0f};
        view_add_stroke(picture, transform.translation, md5_xform_point(transform, axis),
                        colors[i]);
    }
}

void view_show_box(view_picture *picture, md5_vec3 low, md5_vec3 high)
{
    picture->bounds = (md5_bounds){low, high};
}
