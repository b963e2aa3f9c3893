#include "demo/viewer/pages/picture.h"

#include "demo/common/memory.h"
#include "demo/viewer/base/math.h"
#include "demo/viewer/base/panel.h"
#include "demo/viewer/draw/draw.h"
#include "demo/viewer/draw/lighting.h"
#include "demo/viewer/pages/panel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- Opening --------------------------------------------------------------------------------

void view_open_page(view_pages *pages, int32_t number)
{
    pages->open = number;
    pages->dragged = -1;
    if (number < 0 || number >= (int32_t)view_num_pages())
        return;
    const view_page *const page = view_page_at((uint32_t)number);
    for (uint32_t i = 0; i < page->num_sliders; i++)
        pages->values[i] = page->sliders[i].first;
}

void view_free_pages(view_pages *pages, md5gl_renderer *renderer)
{
    view_free_page_figures(&pages->drawn, renderer);
    view_free_kept(&pages->kept);
    pages->kept_by = NULL;
}

// Makes what the page keeps, unless that of the same character and sliders is there.
static void keep(view_pages *pages, const view_stage *stage, const view_page *page,
                 view_picture *picture)
{
    const md5_model *const model = picture->scene->model;
    bool is_kept = pages->kept_by == page && pages->kept_of == model;
    if (page->keep == NULL)
        return;
    for (uint32_t i = 0; i < page->num_kept; i++)
        is_kept = is_kept && pages->kept_values[i] == pages->values[i];
    if (!is_kept) {
        view_free_pages(pages, stage->renderer);
        page->keep(picture, &pages->kept);
        memcpy(pages->kept_values, pages->values, sizeof pages->values);
        pages->kept_by = page;
        pages->kept_of = model;
    }
    picture->kept = &pages->kept;
}

// -- Lines and labels -----------------------------------------------------------------------

static void add_bones(const view_picture *picture, view_lines *lines)
{
    const md5_skeleton *const skeleton = picture->scene->skeleton;
    md5_mat34 *const joints = common_alloc(skeleton->num_joints, sizeof *joints);
    for (uint32_t i = 0; i < picture->num_figures; i++) {
        const view_figure *const figure = &picture->figures[i];
        md5_local_to_model(skeleton, figure->pose, joints);
        for (uint32_t j = 0; j < skeleton->num_joints; j++) {
            const int32_t parent = skeleton->joints[j].parent;
            if (parent >= 0)
                view_add_line(
                    lines, md5_xform_point(figure->place, md5_mat34_translation(joints[parent])),
                    md5_xform_point(figure->place, md5_mat34_translation(joints[j])), 0xF1F3F6C0u);
        }
    }
    free(joints);
}

static void draw_lines(const view_stage *stage, const view_picture *picture)
{
    view_lines *const lines = stage->lines;
    view_clear_lines(lines);
    if (picture->shows_bones)
        add_bones(picture, lines);
    for (uint32_t i = 0; i < picture->num_lines; i++)
        view_add_line(lines, picture->lines[i].from, picture->lines[i].to, picture->lines[i].color);
    if (lines->count > 0)
        md5gl_draw_lines(stage->renderer, lines->vertices, lines->count, 2.0f * stage->font->scale,
                         true);
}

static void draw_labels(const view_stage *stage, const view_picture *picture, const view_lens *lens,
                        float width, float height)
{
    const float scale = stage->font->scale;
    for (uint32_t i = 0; i < picture->num_labels; i++) {
        const view_label *const label = &picture->labels[i];
        const md5_vec3 way = md5_vec3_sub(label->place, lens->eye);
        const float depth = -md5_vec3_dot(way, lens->axes.back);
        if (!(depth > 0.0f))
            continue;
        const float x =
            0.5f * width
            * (1.0f + lens->shift_x + md5_vec3_dot(way, lens->axes.right) / (depth * lens->half_x));
        const float y =
            0.5f * height
            * (1.0f - lens->shift_y - md5_vec3_dot(way, lens->axes.up) / (depth * lens->half_y));
        const float text = view_text_width(stage->font, VIEW_TEXT, label->text);
        const view_rect box = {x - 0.5f * text - 6.0f * scale, y - 11.0f * scale,
                               text + 12.0f * scale, 22.0f * scale};
        view_draw_round_rect(stage->canvas, box, 6.0f * scale, 0x12151AC0u);
        view_draw_text(stage->canvas, VIEW_TEXT, box.x + 6.0f * scale, box.y + 2.0f * scale, 0,
                       label->color, label->text);
    }
}

// -- Picture --------------------------------------------------------------------------------

static view_lens frame_box(const view_stage *stage, md5_bounds bounds, view_rect region,
                           view_camera *camera, float width, float height)
{
    view_hull hull = {.reach = {0}};
    for (int i = 0; i < VIEW_HULL_POINTS; i++)
        hull.reach[i] = -INFINITY;
    for (unsigned i = 0; i < 8; i++) {
        const md5_vec3 corner = view_corner(bounds, i);
        view_widen_hull(&hull, &corner, 1);
    }
    *camera = *stage->camera;
    view_frame_all(camera, bounds, &hull, region.width, region.height);
    view_lens lens = view_camera_lens(camera, region.width, region.height);
    view_widen_lens(&lens, region.x, region.y, region.width, region.height, width, height);
    return lens;
}

typedef struct page_size {
    md5gl_target *target;
    uint32_t width, height;
    view_rect region;
    bool transparent;
} page_size;

static bool draw_space(view_pages *pages, const view_stage *given, const view_picture *picture,
                       const page_size *size, view_lens *lens, md5_error *error)
{
    const float width = (float)size->width, height = (float)size->height;
    view_camera camera = *given->camera;
    view_stage stage = *given;
    stage.camera = &camera;
    if (!view_ready_page_figures(&pages->drawn, given, picture, error))
        picture = NULL;
    const bool is_empty = picture == NULL || view_is_empty(picture->bounds)
                          || picture->bounds.max.x <= picture->bounds.min.x;
    const md5_bounds bounds = is_empty ? (md5_bounds){{-1, -1, -1}, {1, 1, 1}} : picture->bounds;
    *lens = frame_box(given, bounds, size->region, &camera, width, height);
    md5gl_frame frame = {.target = size->target,
                         .width = size->width,
                         .height = size->height,
                         .background = {0.214f, 0.243f, 0.286f, 1.0f}};
    for (int i = 0; i < 4 && size->transparent; i++)
        frame.background[i] = 0.0f;
    view_lens_matrices(lens, &frame.view_from_world, &frame.clip_from_view);
    md5gl_point_light points[VIEW_NUM_POINTS];
    view_set_lights(&stage, lens->axes, points, &frame);
    if (!view_is_empty(frame.casters))
        frame.casters = bounds;
    md5gl_begin_frame(stage.renderer, &frame);
    if (!size->transparent)
        view_draw_background(&stage, width, height);
    if (picture == NULL)
        return false;
    if (is_empty)
        return true;
    const bool drawn = view_draw_page_figures(&pages->drawn, &stage, picture, error);
    const bool has_floor = !picture->has_no_floor;
    if (drawn && !size->transparent && picture->num_figures > 0 && has_floor)
        md5gl_draw_ground(stage.renderer, view_centre(bounds), 3.0f * camera.scene_radius);
    if (stage.shown->grid && has_floor)
        md5gl_draw_grid(stage.renderer, stage.document->ground, 10.0f, view_centre(bounds),
                        7.0f * camera.scene_radius);
    draw_lines(&stage, picture);
    return drawn;
}

bool view_draw_page(view_pages *pages, const view_stage *stage, double seconds,
                    md5gl_target *target, uint32_t width, uint32_t height, bool transparent,
                    bool clean, md5_error *error)
{
    const bool is_list = pages->open >= (int32_t)view_num_pages();
    const view_page *const page = view_page_at(is_list ? 0 : (uint32_t)pages->open);
    const float margin = VIEW_MARGIN * stage->font->scale;
    view_picture *const picture = common_alloc(1, sizeof *picture);
    view_begin_picture(picture, &stage->document->scene, pages->values, page->start + seconds);
    const view_loader loader = {stage->options, stage->renderer, stage->log, NULL};
    if (!is_list && page->has_morphs) // without them, which is logged, the page shows the model
        (void)view_ready_morphs(stage->document, &loader);
    if (!is_list && stage->document->scene.model != NULL) {
        keep(pages, stage, page, picture);
        page->show(picture);
    }
    const float left = clean ? 0.0f : view_panel_width(stage->font, (float)width);
    const float plots = clean ? 0.0f : view_plots_height(picture, (float)height);
    const page_size size = {.target = target,
                            .width = width,
                            .height = height,
                            .region = {left, 0.0f, (float)width - left, (float)height - plots},
                            .transparent = transparent};
    view_lens lens;
    const bool drawn = draw_space(pages, stage, picture, &size, &lens, error);
    view_clear_canvas(stage->canvas);
    if (!clean && is_list)
        view_draw_contents(pages, stage->canvas, (float)width, (float)height);
    else if (!clean) {
        draw_labels(stage, picture, &lens, (float)width, (float)height);
        view_draw_page_panel(pages, page, picture, stage->canvas, (float)width, (float)height);
        view_draw_plots(
            picture, stage->canvas,
            (view_rect){left, (float)height - plots, (float)width - left - margin, plots - margin});
    }
    view_end_picture(picture);
    free(picture);
    return drawn;
}

// -- Mouse ----------------------------------------------------------------------------------

int32_t view_press_page(view_pages *pages, float x, float y, bool *was_taken)
{
    const bool is_list = pages->open >= (int32_t)view_num_pages();
    *was_taken = view_contains(pages->panel, x, y);
    for (uint32_t i = 0; i < view_num_pages() && i < VIEW_MAX_LISTED && is_list; i++)
        if (view_contains(pages->listed[i], x, y))
            return (int32_t)i;
    const view_page *const page = view_page_at(is_list ? 0 : (uint32_t)pages->open);
    for (uint32_t i = 0; i < page->num_sliders && !is_list; i++) {
        view_rect rect = pages->sliders[i];
        rect.x -= 0.03f * rect.width; // the knob at an end is wider
        rect.width *= 1.06f;
        if (!view_contains(rect, x, y))
            continue;
        pages->dragged = (int32_t)i;
        (void)view_drag_page(pages, x);
    }
    return -1;
}

bool view_drag_page(view_pages *pages, float x)
{
    if (pages->dragged < 0 || pages->open < 0 || pages->open >= (int32_t)view_num_pages())
        return false;
    const view_slider *const slider = &view_page_at((uint32_t)pages->open)->sliders[pages->dragged];
    const view_rect rect = pages->sliders[pages->dragged];
    const float part = view_clamp((x - rect.x) / fmaxf(rect.width, 1.0f), 0.0f, 1.0f);
    const float value = slider->low + part * (slider->high - slider->low);
    const bool is_whole = slider->word != NULL || slider->whole;
    pages->values[pages->dragged] = is_whole ? roundf(value) : value;
    return true;
}
