#include "test/viewer/test_view_page_case.h"

bool page_open(page_case *of, const char *name)
{
    char path[256];
    view_log log = {.level = VIEW_QUIET};
    *of = (page_case){.page = NULL};
    const int32_t number = view_find_page(name);
    if (!CHECK(number >= 0))
        return false;
    of->page = view_page_at((uint32_t)number);
    for (uint32_t i = 0; i < view_num_sliders(of->page); i++)
        of->values[i] = of->page->sliders[i].first;
    snprintf(path, sizeof path, "models/%s",
             of->page->model != NULL ? of->page->model : VIEW_USUAL_MODEL);
    const char *const files[1] = {test_path(path)};
    if (!CHECK(view_load_scene(&of->scene, files, 1, NULL, true, &log)))
        return false;
    const view_options options = {.num_morphs = 0};
    const view_loader loader = {&options, NULL, &log, NULL};
    if (of->page->has_morphs && !CHECK(view_load_morphs(&of->morphs, &of->scene, true, &loader)))
        return false;
    of->scene.morph = of->morphs.morph;
    of->scene.morph_weights = of->morphs.weights;
    return true;
}

void page_close(page_case *of)
{
    if (of->has_picture)
        view_end_picture(&of->picture);
    view_free_kept(&of->kept);
    view_free_morphs(&of->morphs, NULL);
    view_free_scene(&of->scene);
}

void page_show(page_case *of, double time)
{
    if (of->has_picture)
        view_end_picture(&of->picture);
    view_free_kept(&of->kept);
    view_show_page(&of->picture, of->page, &of->scene, of->values, time, &of->kept);
    of->has_picture = true;
}

void page_set(page_case *of, const char *slider, float value)
{
    for (uint32_t i = 0; i < view_num_sliders(of->page); i++)
        if (strcmp(of->page->sliders[i].name, slider) == 0) {
            of->values[i] = value;
            return;
        }
    CHECK(slider == NULL); // there is none of this name
}

double page_fact(const page_case *of, const char *name)
{
    for (uint32_t i = 0; i < of->picture.num_facts; i++)
        if (strcmp(of->picture.facts[i].name, name) == 0)
            return of->picture.facts[i].value;
    CHECK(name == NULL); // there is none of this name
    return NAN;
}

const view_series *page_series(const page_case *of, uint32_t plot, const char *name)
{
    static const view_series none = {.count = 0};
    const view_plot *const shown = &of->picture.plots[plot];
    for (uint32_t i = 0; plot < of->picture.num_plots && i < VIEW_PAGE_SERIES; i++)
        if (shown->row.series[i].name != NULL && strcmp(shown->row.series[i].name, name) == 0)
            return &shown->series[i];
    CHECK(name == NULL); // there is none of this name
    return &none;
}

double page_series_at(const view_series *series, double x)
{
    for (uint32_t i = 1; i < series->count; i++) {
        const md5_vec2 a = series->points[i - 1], b = series->points[i];
        if (x <= b.x && b.x > a.x) {
            const double part = (x - a.x) / ((double)b.x - a.x);
            return a.y + part * ((double)b.y - a.y);
        }
    }
    return NAN;
}

bool page_has_color(const md5gl_line_vertex *end, view_color color)
{
    bool is_equal = true;
    for (int i = 0; i < 4; i++)
        is_equal = is_equal && end->rgba[i] == (color >> (24 - 8 * i) & 0xFF);
    return is_equal;
}
