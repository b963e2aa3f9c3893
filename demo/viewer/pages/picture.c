// Opens a lesson, and computes its picture: the figures in their poses, the plots and their axes.
#include "demo/viewer/pages/page.h"

// Opens a lesson, or the list of lessons, with the initial values of its sliders. Scrolls the
// text and the code to the top, hides the answer, and folds all sections. `number` is the index
// of the lesson, or VIEW_CONTENTS for the list.
void view_open_page(view_pages *pages, int32_t number)
{
    const view_page *const page = number >= 0 ? view_page_at((uint32_t)number) : NULL;
    pages->open = number;
    pages->scroll = (ui_scroll){0, 0};
    pages->code_scroll = (ui_scroll){0, 0};
    pages->shows_answer = false;
    pages->unfolded = 0;
    if (page == NULL)
        return;
    for (uint32_t i = 0; i < VIEW_PAGE_SLIDERS; i++)
        pages->values[i] = page->sliders[i].first;
}

// Places a figure at y, in the pose of the lesson's clip at time 0, and adds a label above it.
// `label` may be NULL or empty. `pose` is the memory for its pose.
static void add_figure(view_picture *picture, uint32_t index, float y, const char *label)
{
    const float label_depth = 2; // distance of the labels from the top of the box, units
    picture->num_figures = index + 1;
    if (label != NULL && label[0] != '\0') {
        const md5_vec3 position = {0, y, picture->page->box.max.z - label_depth};
        view_add_label(picture, position, VIEW_PLAIN, label);
    }
    if (picture->model != NULL)
        view_sample_clip(picture, picture->page->clip, 0, picture->figures[index].pose);
}

// Adds the figures of a lesson: figure 0, and each further figure that has a label. Figure 0 need
// not have a label. Also initializes the unused figures. `poses` is memory for `num_joints` joints
// per figure.
static void add_figures(view_picture *picture, md5_xform *poses, size_t num_joints)
{
    const view_page *const page = picture->page;
    for (uint32_t i = 0; i < VIEW_PAGE_FIGURES; i++) {
        view_figure *const figure = &picture->figures[i];
        const char *const label = page->figures[i].label;
        const float y = page->figures[i].y;
        figure->pose = poses + i * num_joints;
        figure->placement = (md5_xform){.rotation = {.w = 1}, .translation = {.y = y}};
        figure->shape = (md5_mat34){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
        const bool is_used = i == 0 || label != NULL;
        if (is_used)
            add_figure(picture, i, y, label);
    }
}

// Adds the plots of a lesson, without points.
static void add_plots(view_picture *picture)
{
    for (uint32_t i = 0; i < VIEW_PAGE_PLOTS; i++) {
        picture->plots[i].row = picture->page->plots[i];
        if (picture->plots[i].row.title == NULL)
            return;
        picture->num_plots++;
    }
}

// Returns the smallest number of the form 1, 2 or 5 times a power of ten that is at least `size`.
static float round_step(float size)
{
    const float power = powf(10, floorf(log10f(size)));
    const float factor = size / power; // 1 to 10
    if (factor <= 1)
        return power;
    if (factor <= 2)
        return 2 * power;
    return factor <= 5 ? 5 * power : 10 * power;
}

// Finds the lowest and the highest point of a plot. Returns false if the plot does not have points.
static bool find_heights(const view_plot *plot, float *low, float *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (int i = 0; i < VIEW_PAGE_SERIES; i++) {
        const view_series *const series = &plot->series[i];
        for (uint32_t p = 0; p < series->count; p++) {
            *low = fminf(*low, series->points[p].y);
            *high = fmaxf(*high, series->points[p].y);
        }
    }
    return *low <= *high;
}

// Fits the vertical axis of a plot to its points, unless the lesson defines the axis. Without
// points, the axis remains unchanged. The ends of the axis are multiples of a round step, such as
// 0.2. The step divides the height into about four parts.
static void fit_axis(view_plot *plot)
{
    const bool is_fixed = plot->row.fit != VIEW_FIT_HEIGHT && plot->row.fit != VIEW_FIT_TOP;
    float low, high;
    if (is_fixed || !find_heights(plot, &low, &high))
        return;
    if (plot->row.fit == VIEW_FIT_TOP)
        low = 0;
    // If all points have the same height, the axis would have no length, so the range has a
    // minimum. It is relative to the height, because a float cannot represent a small difference of
    // large numbers.
    const float min_range = 1e-5f * fmaxf(fabsf(high), 1);
    const float step = round_step(fmaxf(high - low, min_range) / 4);
    plot->row.low.y = step * floorf(low / step);
    plot->row.high.y = fmaxf(step * ceilf(high / step), plot->row.low.y + step);
}

// If the lesson caches results, passes them to the picture. Computes them first if the cache is
// empty.
static void use_cache(view_picture *picture, view_lesson_cache *cache)
{
    const view_page *const page = picture->page;
    if (page->fill_cache == NULL)
        return;
    if (cache->page == NULL)
        page->fill_cache(picture, cache);
    cache->page = page;
    picture->cache = cache;
}

// Initializes the picture from the constant parts of a lesson and, if the scene has a model, calls
// view_page.show.
void view_show_page(view_picture *picture, const view_page *page, const view_scene *scene,
                    const float *values, double time, view_lesson_cache *cache)
{
    // One block contains the poses of all figures, followed by the poses of view_spare_pose().
    // view_end_picture() frees it.
    const size_t num_joints = scene->num_joints + 1;
    md5_xform *const poses =
        common_alloc((VIEW_PAGE_FIGURES + VIEW_PAGE_SPARE) * num_joints, sizeof *poses);

    *picture = (view_picture){.page = page,
                              .scene = scene,
                              .model = scene->model,
                              .skeleton = scene->skeleton,
                              .values = values,
                              .time = time,
                              .bounds = page->box,
                              .heat_joint = -1};
    add_figures(picture, poses, num_joints);
    add_plots(picture);
    if (scene->model != NULL) {
        use_cache(picture, cache);
        page->show(picture, values);
    }
    for (uint32_t i = 0; i < picture->num_plots; i++)
        fit_axis(&picture->plots[i]);
}

void view_end_picture(view_picture *picture)
{
    free(picture->figures[0].pose);
    view_free_lines(&picture->lines);
    *picture = (view_picture){.num_figures = 0};
}

void view_free_lesson_cache(view_lesson_cache *cache)
{
    md5_destroy_baked(cache->baked);
    free(cache->heat);
    *cache = (view_lesson_cache){.baked = NULL};
}
