// How pages describe their pictures.
#include "demo/viewer/pages/page.h"

#include "demo/common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPARE = 8 };

// -- Rows -----------------------------------------------------------------------------------

const char *const view_whole[] = {NULL}, *const view_easings[] = {NULL};

uint32_t view_num_sliders(const view_page *page)
{
    uint32_t count = 0;
    while (count < VIEW_PAGE_SLIDERS && page->sliders[count].name != NULL)
        count++;
    return count;
}

const char *view_slider_word(const view_slider *slider, float value)
{
    if (slider->words == view_easings)
        return md5_easing_name((md5_ease_kind)lroundf(value));
    return slider->words != NULL && slider->words != view_whole ? slider->words[lroundf(value)]
                                                                : NULL;
}

const char *view_page_lines(const char *name)
{
    for (const view_lines_of *lines = view_lines_of_pages; lines->name != NULL; lines++)
        if (strcmp(lines->name, name) == 0)
            return lines->text;
    return "";
}

// -- A picture ------------------------------------------------------------------------------

void view_begin_picture(view_picture *picture, const view_page *page, const view_scene *scene,
                        const float *values, double time)
{
    const size_t joints = scene->num_joints + 1;
    md5_xform *const poses = common_alloc((VIEW_PAGE_FIGURES + SPARE) * joints, sizeof *poses);
    *picture = (view_picture){.page = page,
                              .scene = scene,
                              .values = values,
                              .time = time,
                              .lines = common_alloc(VIEW_PAGE_LINES, sizeof *picture->lines),
                              .bounds = page->box,
                              .heat_joint = -1};
    for (uint32_t i = 0; i < VIEW_PAGE_FIGURES; i++) {
        view_figure *const figure = &picture->figures[i];
        const char *const label = page->figures[i].label;
        const float y = page->figures[i].y;
        figure->pose = poses + i * joints;
        figure->place = (md5_xform){.rotation = {.w = 1.0f}, .translation = {.y = y}};
        if (label == NULL && i > 0)
            continue;
        picture->num_figures = i + 1;
        if (label != NULL && label[0] != '\0')
            view_add_label(picture, (md5_vec3){0.0f, y, page->box.max.z - 2.0f}, VIEW_PLAIN_TEXT,
                           label);
        if (scene->model != NULL)
            view_sample_clip(picture, page->clip, 0.0, figure->pose);
    }
    for (; picture->num_plots < VIEW_PAGE_PLOTS; picture->num_plots++) {
        picture->plots[picture->num_plots].row = page->plots[picture->num_plots];
        if (page->plots[picture->num_plots].title == NULL)
            break;
    }
}

void view_end_picture(view_picture *picture)
{
    free(picture->figures[0].pose);
    free(picture->lines);
    *picture = (view_picture){.num_figures = 0};
}

void view_show_page(view_picture *picture)
{
    if (picture->scene->model != NULL)
        picture->page->show(picture);
    for (uint32_t i = 0; i < picture->num_plots; i++) {
        // A plot that fits has the height of its points.
        view_plot *const plot = &picture->plots[i];
        float low = INFINITY, high = -INFINITY;
        for (uint32_t j = 0; j < VIEW_PAGE_SERIES; j++)
            for (uint32_t p = 0; p < plot->series[j].count; p++) {
                low = fminf(low, plot->series[j].points[p].y);
                high = fmaxf(high, plot->series[j].points[p].y);
            }
        if (plot->row.fit == VIEW_FIT_NOT || !(low <= high))
            continue;
        const float margin = fmaxf(0.06f * (high - low), 1e-6f);
        plot->row.low.y = plot->row.fit == VIEW_FIT_TOP ? 0.0f : low - margin;
        plot->row.high.y = high + margin;
    }
}

void view_free_kept(view_kept *kept)
{
    md5_free_baked(kept->baked);
    md5_free_model(kept->bound);
    free(kept->heat);
    *kept = (view_kept){.baked = NULL};
}

// -- Poses ----------------------------------------------------------------------------------

md5_xform *view_spare_pose(view_picture *picture, uint32_t number)
{
    const size_t joints = picture->scene->num_joints + 1;
    return picture->figures[0].pose + (VIEW_PAGE_FIGURES + number % SPARE) * joints;
}

const view_clip *view_page_clip(const view_picture *picture, const char *name)
{
    for (size_t i = 0; i < picture->scene->num_clips && name != NULL; i++)
        if (strcmp(picture->scene->clips[i].name, name) == 0)
            return &picture->scene->clips[i];
    return NULL;
}

void view_sample_clip(const view_picture *picture, const char *name, double seconds,
                      md5_xform *pose)
{
    const view_clip *const clip = view_page_clip(picture, name);
    if (clip == NULL)
        memcpy(pose, picture->scene->model->bind_local, picture->scene->num_joints * sizeof *pose);
    else
        md5_sample(clip->binding, md5_moment_at(clip->anim, seconds, MD5_WRAP_LOOP),
                   MD5_ROOT_IN_PLACE, pose);
}

uint32_t view_page_joint(const view_picture *picture, const char *name)
{
    const uint32_t joint = md5_find_joint(picture->scene->skeleton, name);
    return joint != MD5_NONE ? joint : 0;
}

md5_vec3 view_posed_place(const view_picture *picture, const md5_xform *pose, uint32_t joint)
{
    return md5_joint_in_model(picture->scene->skeleton, pose, joint).translation;
}

md5_vec3 view_joint_place(const view_picture *picture, const view_figure *figure, uint32_t joint)
{
    return md5_xform_point(figure->place, view_posed_place(picture, figure->pose, joint));
}

void view_turn_joint(const view_picture *picture, md5_xform *pose, const char *name, md5_quat turn)
{
    const md5_xform change = {.rotation = turn, .translation = {NAN, NAN, NAN}};
    (void)md5_modify_joint(picture->scene->skeleton, view_page_joint(picture, name),
                           MD5_JOINT_MODEL, change, 1.0f, pose);
}

md5_xform view_spin(view_figure *figure, md5_quat turn)
{
    const md5_xform centre = {turn, {0.0f, figure->place.translation.y, 32.0f}, 0.0f};
    const md5_xform down = {.rotation = {.w = 1.0f}, .translation = {.z = -28.0f}};
    figure->place = md5_xform_mul(centre, down);
    return centre;
}

int view_choice(const view_picture *picture, uint32_t slider)
{
    return (int)lroundf(picture->values[slider]);
}

// In double precision: digits that floats lack would show.
double view_angle(md5_quat a, md5_quat b)
{
    const double ax = a.x, ay = a.y, az = a.z, aw = a.w, bx = b.x, by = b.y, bz = b.z, bw = b.w;
    const double x = aw * bx - ax * bw - ay * bz + az * by,
                 y = aw * by + ax * bz - ay * bw - az * bx,
                 z = aw * bz - ax * by + ay * bx - az * bw,
                 cosine = ax * bx + ay * by + az * bz + aw * bw;
    return 2.0 * atan2(sqrt(x * x + y * y + z * z), fabs(cosine)) * 57.29577951308232;
}

double view_largest_angle(const view_picture *picture, const md5_xform *a, const md5_xform *b)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < picture->scene->num_joints; i++)
        largest = fmax(largest, view_angle(a[i].rotation, b[i].rotation));
    return largest;
}

// -- Plots, facts and labels ----------------------------------------------------------------

double view_plot_x(const view_plot *plot, int i)
{
    const double low = plot->row.low.x;
    return low + (plot->row.high.x - low) * i / (double)VIEW_PAGE_STEPS;
}

void view_add_point(view_plot *plot, int series, double x, double y)
{
    view_series *const points = &plot->series[series];
    if (points->count < VIEW_PAGE_POINTS)
        points->count++;
    points->points[points->count - 1] = (md5_vec2){(float)x, (float)y};
}

void view_add_mark(view_plot *plot, double x, double y, view_color color)
{
    if (plot->num_marks < VIEW_PAGE_MARKS)
        plot->num_marks++;
    plot->marks[plot->num_marks - 1] = (view_mark){{(float)x, (float)y}, color};
}

void view_add_fact(view_picture *picture, const char *name, double value, const char *unit)
{
    if (picture->num_facts < VIEW_PAGE_FACTS)
        picture->num_facts++;
    picture->facts[picture->num_facts - 1] = (view_fact){name, unit, value};
}

void view_add_label(view_picture *picture, md5_vec3 place, view_color color, const char *text)
{
    if (picture->num_labels < VIEW_PAGE_LABELS)
        picture->num_labels++;
    picture->labels[picture->num_labels - 1] = (view_label){place, color, text};
}

// -- Lines ----------------------------------------------------------------------------------

void view_add_stroke(view_picture *picture, md5_vec3 from, md5_vec3 to, view_color color)
{
    if (picture->num_lines < VIEW_PAGE_LINES)
        picture->lines[picture->num_lines++] = (view_line){from, to, color};
}

void view_draw_to(view_picture *picture, md5_vec3 to, view_color color)
{
    if (color != 0)
        view_add_stroke(picture, picture->pen, to, color);
    picture->pen = to;
}

void view_add_cross(view_picture *picture, md5_vec3 place, float size, view_color color)
{
    const md5_vec3 axes[3] = {{size, 0.0f, 0.0f}, {0.0f, size, 0.0f}, {0.0f, 0.0f, size}};
    for (int i = 0; i < 3; i++)
        view_add_stroke(picture, md5_vec3_sub(place, axes[i]), md5_vec3_add(place, axes[i]), color);
}

void view_add_frame(view_picture *picture, md5_xform transform, float size)
{
    static const view_color colors[3] = {VIEW_RED, VIEW_GREEN, VIEW_BLUE};
    const md5_vec3 axes[3] = {{size, 0.0f, 0.0f}, {0.0f, size, 0.0f}, {0.0f, 0.0f, size}};
    for (int i = 0; i < 3; i++)
        view_add_stroke(picture, transform.translation, md5_xform_point(transform, axes[i]),
                        colors[i]);
}

void view_add_bone(view_picture *picture, const view_figure *figure, uint32_t joint,
                   view_color color)
{
    const uint32_t parent = picture->scene->skeleton->joints[joint].parent;
    if (parent != MD5_NONE)
        view_add_stroke(picture, view_joint_place(picture, figure, parent),
                        view_joint_place(picture, figure, joint), color);
}
