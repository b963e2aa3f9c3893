// Draws the open lesson. It consists of the figures and lines in space, the plots, and the panel
// with text, sliders, values and code. Also draws the contents, which show a thumbnail of each
// lesson.
//
// view_show_page() computes the picture, view_draw_page() draws its part in space, and
// view_page_panel() draws the panel and the plots over it.
#include "demo/viewer/pages/page.h"

#include "demo/viewer/ui/window_layout.h"

#include <limits.h>

// == Computing the picture of a lesson =====================================================

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
    // One block contains the poses of all figures, followed by those of view_spare_pose().
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

// == The character on the GPU ==============================================================

// Frees the cached results of lessons, in memory and on the GPU.
void view_free_pages(view_pages *pages, md5gl_renderer *renderer)
{
    view_end_picture(&pages->picture);
    for (int i = VIEW_FIGURE_LIT; i < (int)VIEW_NUM_FIGURE_KINDS; i++) {
        if (i > VIEW_FIGURE_HEAT && renderer != NULL)
            md5gl_destroy_model(renderer, pages->models[i]);
        pages->models[i] = NULL;
    }
    if (renderer != NULL) {
        md5gl_destroy_baked(renderer, pages->baked);
        view_free_heat(&pages->heat, renderer);
    }
    pages->baked = NULL;
    view_free_lesson_cache(&pages->cache);
}

// Computes the heat map of the model, if it has changed.
static bool prepare_heat_map(view_pages *pages, md5gl_renderer *renderer, md5_error *error)
{
    const view_picture *const picture = &pages->picture;
    const float *const heat = picture->cache != NULL ? picture->cache->heat : NULL;
    const bool is_ready = view_prepare_heat(&pages->heat, renderer, picture->model, NULL, heat,
                                            picture->heat_joint, error);
    pages->models[VIEW_FIGURE_HEAT] = pages->heat.drawn;
    return is_ready;
}

// Creates the model on the GPU for a kind of figure, unless it exists. Dual quaternion skinning and
// baked vertices are properties of a model, so these kinds do not share the model of the document.
static bool prepare_separate_model(view_pages *pages, md5gl_renderer *renderer,
                                   view_figure_kind kind, md5_error *error)
{
    if (pages->models[kind] != NULL)
        return true;
    const view_picture *const picture = &pages->picture;
    md5gl_model *const drawn = md5gl_create_model(renderer, picture->model, MD5GL_PATH_AUTO, error);
    pages->models[kind] = drawn;
    if (drawn == NULL)
        return false;

    if (kind == VIEW_FIGURE_DUAL)
        return md5gl_set_blending(renderer, drawn, MD5GL_BLEND_DUAL, error);
    if (kind == VIEW_FIGURE_BAKED) {
        const md5_baked *const clip = picture->cache->baked;
        pages->baked = md5gl_create_baked(renderer, picture->model, &clip, 1, error);
        return pages->baked != NULL;
    }
    return true;
}

// Creates the GPU objects of a figure, before the frame begins. Returns false and fills `error` on
// failure.
static bool prepare_figure(view_pages *pages, const view_stage *stage, const view_figure *figure,
                           md5_error *error)
{
    switch (figure->kind) {
    case VIEW_FIGURE_LIT:
        pages->models[VIEW_FIGURE_LIT] = stage->document->drawn;
        break;
    case VIEW_FIGURE_HEAT:
        return prepare_heat_map(pages, stage->renderer, error);
    default:
        break;
    }
    return prepare_separate_model(pages, stage->renderer, figure->kind, error);
}

// The figures of a picture in arrays for the renderer, one element per figure, sorted by kind.
typedef struct figure_arrays {
    size_t num_joints;    // joints per figure
    uint32_t num_targets; // morph targets per figure; 0: drawn without morph targets
    uint32_t count;       // number of figures
    md5_mat34 *palettes;  // [VIEW_PAGE_FIGURES * num_joints]
    md5_mat34 placements[VIEW_PAGE_FIGURES];
    md5gl_clip_job jobs[VIEW_PAGE_FIGURES];
    float weights[VIEW_PAGE_FIGURES * VIEW_PAGE_TARGETS]; // [count * num_targets]
} figure_arrays;

// Appends the palette, the morph weights and the placement of a figure to the arrays with which
// all figures are drawn in one call.
static void append_figure(figure_arrays *arrays, const md5_model *model, const view_figure *figure)
{
    const uint32_t index = arrays->count++;
    md5_local_to_palette(model, figure->pose, NULL, arrays->palettes + index * arrays->num_joints);
    if (arrays->num_targets > 0)
        memcpy(arrays->weights + (size_t)index * arrays->num_targets, figure->morph_weights,
               arrays->num_targets * sizeof *arrays->weights);
    arrays->placements[index] =
        md5_mat34_mul(md5_mat34_from_xform(figure->placement), figure->shape);
    arrays->jobs[index] = (md5gl_clip_job){.sample = figure->sample};
}

// Describes the figures of one kind for the renderer, as instances of one model. They begin at
// index `first` of the arrays.
static view_body describe_body(const view_pages *pages, const view_document *document,
                               const figure_arrays *arrays, uint32_t first, view_figure_kind kind)
{
    view_body body = {
        .uses = VIEW_BODY_CASTS | VIEW_BODY_SHOWN,
        .drawn = pages->models[kind],
        .instances = {.count = arrays->count - first,
                      .jobs = arrays->jobs + first,
                      .placements = arrays->placements + first,
                      .weights = arrays->weights}, // only for the lit figures, which are the first
    };
    // A heat map has colors instead of textures.
    if (kind != VIEW_FIGURE_HEAT)
        body.textures = &document->textures;
    // Baked vertices are read at the sample of each job, all others are skinned.
    if (kind == VIEW_FIGURE_BAKED)
        body.instances.baked = pages->baked;
    else
        body.instances.palettes = arrays->palettes + first * arrays->num_joints;
    if (kind == VIEW_FIGURE_LIT && arrays->num_targets > 0)
        body.instances.morph = document->morphs.drawn;
    return body;
}

// Appends all figures of a kind to the arrays. Returns their number.
static uint32_t append_figures(figure_arrays *arrays, const view_picture *picture,
                               view_figure_kind kind)
{
    const uint32_t count_before = arrays->count;
    for (uint32_t i = 0; i < picture->num_figures; i++) {
        if (picture->figures[i].kind == kind)
            append_figure(arrays, picture->model, &picture->figures[i]);
    }
    return arrays->count - count_before;
}

// Draws all figures of the picture, sorted by kind: the figures of one kind are the instances of
// one body. Returns false and fills `error` on failure.
static bool draw_figures(const view_pages *pages, const view_stage *stage, md5_error *error)
{
    const view_picture *const picture = &pages->picture;
    const view_morphs *const morphs = &stage->document->morphs;
    const size_t num_joints = picture->scene->num_joints;
    figure_arrays arrays = {
        .num_joints = num_joints,
        .palettes = common_alloc(VIEW_PAGE_FIGURES * num_joints, sizeof *arrays.palettes),
    };
    if (morphs->drawn != NULL && morphs->morph->num_targets <= VIEW_PAGE_TARGETS)
        arrays.num_targets = morphs->morph->num_targets;

    view_bodies bodies = {.count = 0};
    for (int i = 0; i < (int)VIEW_NUM_FIGURE_KINDS; i++) {
        const view_figure_kind kind = (view_figure_kind)i;
        const uint32_t first = arrays.count;
        if (append_figures(&arrays, picture, kind) > 0)
            bodies.bodies[bodies.count++] =
                describe_body(pages, stage->document, &arrays, first, kind);
    }
    const bool is_drawn = view_draw_bodies(stage, &bodies, MD5GL_LIT, error);
    free(arrays.palettes);
    return is_drawn;
}

// == The lesson in space ===================================================================

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
    for (uint32_t i = 0; page != NULL && i < VIEW_PAGE_SLIDERS; i++)
        pages->values[i] = page->sliders[i].first;
}

static const float code_inset = 8; // between the code and the edge of its box, layout units

// Returns the distance of two lines of code. It is shorter than the normal distance of the font, so
// that the complete code of a lesson fits below the figures.
static float code_line_height(const view_font *font)
{
    return 0.88f * font->line[VIEW_CODE];
}

// Returns the space above and below the box of the code.
static float code_gap(const view_font *font)
{
    return 0.4f * font->line[VIEW_TEXT];
}

// Returns true if the panel with text and sliders is shown; with --panel=no only the image is
// shown.
static bool has_text(const view_stage *stage)
{
    return stage->shown->panel
           || !stage->options->is_given[view_option_index(VIEW_OPTION(shown.panel))];
}

// Returns the height of the panel if it is at the bottom, as on a phone in portrait orientation;
// otherwise 0.
static float panel_height(const view_stage *stage)
{
    return has_text(stage) && stage->width < 0.8f * stage->height ? 0.48f * stage->height : 0;
}

// Returns true if the panel is at the left of the figures.
static bool is_panel_at_left(const view_stage *stage)
{
    return has_text(stage) && panel_height(stage) == 0;
}

// Returns the width of the panel at the left including its margins, in pixels. Without a panel at
// the left, only the margin remains.
static float panel_width(const view_stage *stage)
{
    if (!is_panel_at_left(stage))
        return VIEW_MARGIN * stage->font->scale;
    return fminf(0.46f * stage->width, 520 * stage->font->scale);
}

// Returns the number of lines of a text in a box that is `columns` characters wide. Lines end with
// a newline, and lines that are too long are wrapped.
static size_t count_lines(const char *text, size_t columns)
{
    size_t count = 0;
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        count += 1 + (length > 0 ? (length - 1) / columns : 0);
        text += length;
        if (*text == '\n')
            text++;
    }
    return count;
}

// Returns the height of the code below the figures, pixels; 0 if the code is in the panel instead.
// The code is below the figures if a line of a hundred characters fits there. The box is as high as
// the code, but leaves enough space for the figures.
static float code_height(const view_stage *stage)
{
    const view_page *const page = stage->pages->picture.page;
    if (page == NULL || !is_panel_at_left(stage))
        return 0;
    const size_t columns = 100; // characters in a line
    const float scale = stage->font->scale;
    const float margin = VIEW_MARGIN * scale;
    const float insets = 2 * code_inset * scale; // at both sides of the text
    const float line_width = (float)columns * view_text_width(stage->font, VIEW_CODE, " ");
    const float free_width = stage->width - panel_width(stage) - margin;
    if (free_width < line_width + insets)
        return 0;

    char *const code = view_page_lines(page, stage->pages->values);
    const size_t num_lines = count_lines(code, columns);
    free(code);
    const float text_height = (float)num_lines * code_line_height(stage->font);
    const float rounding = 1; // ui_begin_column() rounds positions to pixels
    const float box_height = text_height + insets + 2 * code_gap(stage->font) + margin + rounding;
    return view_clamp(box_height, 0.3f * stage->height, 0.68f * stage->height);
}

// Returns the height of the plots below the figures, pixels; 0 if there are none. If the code takes
// this space, the plots are in the panel.
static float plots_height(const view_stage *stage)
{
    if (stage->pages->picture.num_plots == 0 || code_height(stage) > 0)
        return 0;
    const float fraction = is_panel_at_left(stage) ? 0.36f : 0.44f;
    return fraction * (stage->height - panel_height(stage));
}

// Frees the GPU objects and results of another character, and the cached results of another lesson
// or of other slider values. Only the first page->num_cache_sliders sliders affect cached results.
// `page` is NULL for the contents.
static void free_outdated(view_pages *pages, const view_page *page, const md5_model *model,
                          md5gl_renderer *renderer)
{
    const bool caches_results = page != NULL && page->fill_cache != NULL;
    const uint32_t num_sliders = caches_results ? page->num_cache_sliders : 0;
    const size_t size = num_sliders * sizeof *pages->values; // of the sliders, bytes
    const bool has_same_sliders = memcmp(pages->cache_values, pages->values, size) == 0;
    const bool is_cache_outdated = size > 0 && (pages->cache.page != page || !has_same_sliders);
    if (pages->source_model != model || is_cache_outdated)
        view_free_pages(pages, renderer);
    pages->source_model = model;
    memcpy(pages->cache_values, pages->values, size);
}

// Returns points at the bottom and the top of a box with rounded vertical edges, to which the
// camera is fitted. The corners of a lesson's box are always empty. If they need not be visible,
// the figures are larger in the image. The radius of the edges is half of the shorter side.
static view_hull rounded_hull(md5_bounds box)
{
    const md5_vec3 middle = view_center(box);
    const float half_x = box.max.x - middle.x;
    const float half_y = box.max.y - middle.y;
    const float radius = fminf(half_x, half_y);
    const unsigned num_angles = VIEW_HULL_POINTS / 2;
    view_hull hull;
    for (unsigned i = 0; i < num_angles; i++) {
        const float angle = 2 * VIEW_PI * ((float)i + 0.5f) / (float)num_angles;
        const float x = cosf(angle);
        const float y = sinf(angle);
        const md5_vec3 point = {middle.x + radius * x + copysignf(half_x - radius, x),
                                middle.y + radius * y + copysignf(half_y - radius, y), 0};
        hull.points[2 * i] = (md5_vec3){point.x, point.y, box.min.z};
        hull.points[2 * i + 1] = (md5_vec3){point.x, point.y, box.max.z};
    }
    return hull;
}

// Computes the picture of a lesson, and the GPU objects of its figures. Call it before the frame
// begins. If `page` is NULL, the contents are shown, which have no picture. Returns false and fills
// `error` on failure.
static bool prepare_picture(const view_stage *stage, const view_page *page, double seconds,
                            md5_error *error)
{
    view_pages *const pages = stage->pages;
    view_document *const document = stage->document;
    view_picture *const picture = &pages->picture;
    const md5_model *const model = document->scene.model;
    free_outdated(pages, page, model, stage->renderer);
    view_end_picture(picture);
    if (page == NULL || model == NULL || document->drawn == NULL)
        return true;

    const view_loader loader = {stage->options, stage->renderer, stage->log, NULL};
    if (page->has_morphs) // a failure is logged; the lesson then shows the model without them
        view_prepare_morphs(document, &loader);
    const double time = page->start + seconds;
    view_show_page(picture, page, &document->scene, pages->values, time, &pages->cache);
    for (uint32_t i = 0; i < picture->num_figures; i++) {
        if (!prepare_figure(pages, stage, &picture->figures[i], error))
            return false;
    }
    return true;
}

// Returns the part of the window that the panel, the plots and the code leave for the figures. With
// `clean`, returns the complete window.
static view_rect figures_area(const view_stage *stage, bool clean)
{
    if (clean)
        return (view_rect){0, 0, stage->width, stage->height};
    const float left = panel_width(stage);
    const float covered = plots_height(stage) + code_height(stage) + panel_height(stage);
    return (view_rect){left, 0, stage->width - left, stage->height - covered};
}

// Returns the camera of the stage, moved so that the bounding box of the picture fills `area`.
static view_camera fit_camera(const view_stage *stage, const view_picture *picture, view_rect area)
{
    const float filled_part = 0.9f;
    const view_hull hull = rounded_hull(picture->bounds);
    view_camera camera = *stage->camera;
    view_frame_all(&camera, picture->bounds, &hull, area.width, area.height);
    camera.distance = view_fitting_distance(&camera, &hull, filled_part, area.width, area.height);
    return camera;
}

// Draws the figures, the ground and the lines of the picture in the frame that has begun.
static bool draw_picture(const view_stage *stage, bool transparent, md5_error *error)
{
    view_picture *const picture = &stage->pages->picture;
    const float radius = stage->camera->scene_radius;
    const md5_vec3 middle = view_center(picture->bounds);
    const bool is_drawn = draw_figures(stage->pages, stage, error);
    if (is_drawn && !transparent && !picture->has_no_floor)
        md5gl_draw_ground(stage->renderer, middle, 3 * radius);
    if (stage->shown->grid && !picture->has_no_floor)
        md5gl_draw_grid(stage->renderer, stage->document->ground, 10, middle, 7 * radius);
    view_draw_lines(&picture->lines, stage->renderer, 2 * stage->font->scale, true);
    return is_drawn;
}

// Draws the open lesson of the stage into `target`, like view_draw_world(): its background,
// figures and lines, but not its panel. Begins a frame, which the caller must end even if false
// is returned.
bool view_draw_page(const view_stage *given, double seconds, md5gl_target *target, bool transparent,
                    bool clean, md5_error *error)
{
    view_pages *const pages = given->pages;
    const view_page *const page = view_page_at((uint32_t)pages->open); // NULL: the contents
    const bool is_prepared = prepare_picture(given, page, seconds, error);

    // Fit the bounding box of the lesson to the free space.
    const view_rect area = figures_area(given, clean);
    const view_camera camera = fit_camera(given, &pages->picture, area);
    pages->lens = view_region_lens(&camera, area, given->width, given->height);
    view_stage stage = *given;
    stage.camera = &camera;

    md5gl_point_light points[VIEW_NUM_POINTS];
    md5gl_frame frame = view_light_frame(&stage, &pages->lens, target, transparent, points);
    frame.casters = pages->picture.bounds;
    frame.no_shadows = false;
    md5gl_begin_frame(stage.renderer, &frame); // the caller ends it, also after a failure
    if (!transparent)
        view_draw_background(&stage, NULL);
    if (!is_prepared)
        return false;
    return pages->picture.num_figures == 0 || draw_picture(&stage, transparent, error);
}

// == Text, lines of C, sliders and plots ===================================================

static const view_color code_box = 0x1B2029FFu;
static const view_color code_color = 0xD8DEE9FFu;
static const view_color comment_color = 0x8FB573FFu;

// The text column of the panel, which is written from top to bottom.
typedef struct text_column {
    view_canvas *canvas;
    view_ui *ui;
    float x;
    float y;
    float width;
    bool is_narrow; // the panel is at the bottom: names use a larger part of the width
    // The plots are in this column instead of below the figures, where the code of the page is.
    bool has_plots;
} text_column;

static void draw_plot(const view_plot *plot, view_canvas *canvas, view_rect box);

// Returns the rank of position i for breaking a line of code; lower is better. A break within few
// brackets is best. Next best is a break after a comma or a semicolon, or before the ? or : of a
// condition.
static int rank_break(const char *code, size_t i, int num_open_brackets)
{
    const bool is_after_comma = code[i - 1] == ',' || code[i - 1] == ';';
    const bool is_before_operator = strchr("?:", code[i + 1]) != NULL;
    const bool is_good = is_after_comma || is_before_operator;
    return 2 * num_open_brackets + (is_good ? 0 : 1);
}

// Returns the number of characters of a line of code that fit into `columns` columns. Code can be
// broken at a space or after an opening bracket, comments only at a space. Prefers the second half
// of the line: the last of the best positions, in a comment the last position. Otherwise uses the
// last position in the first half.
static size_t find_break(const char *code, size_t length, size_t columns, bool in_comment)
{
    if (length <= columns)
        return length;
    size_t in_first_half = 0;  // the last position; 0: none
    size_t in_second_half = 0; // the best position; 0: none
    int best_rank = INT_MAX;
    int num_open = 0; // brackets
    for (size_t i = 1; i <= columns; i++) {
        const char before = code[i - 1];
        if (strchr("([{", before) != NULL)
            num_open++;
        if (strchr(")]}", before) != NULL)
            num_open--;
        const bool is_after_bracket = before == '(' && !in_comment;
        if (code[i] != ' ' && !is_after_bracket)
            continue;
        if (2 * i < columns) {
            in_first_half = i;
            continue;
        }
        const int rank = in_comment ? 0 : rank_break(code, i, num_open);
        if (rank <= best_rank) {
            best_rank = rank;
            in_second_half = i;
        }
    }
    if (in_second_half > 0)
        return in_second_half;
    return in_first_half > 0 ? in_first_half : columns;
}

// Returns the index of the first `//` in a part of a line, or the length of the part.
static size_t find_comment(const char *text, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++) {
        if (text[i] == '/' && text[i + 1] == '/')
            return i;
    }
    return length;
}

// Draws a part of a line: `num_code` characters of code, then a comment.
static void draw_code(view_canvas *canvas, float x, float y, const char *text, size_t num_code,
                      size_t length)
{
    char code[512];
    char comment[512];
    COMMON_TEXT(code, "%.*s", (int)num_code, text);
    COMMON_TEXT(comment, "%.*s", (int)(length - num_code), text + num_code);
    x += view_draw_text(canvas, VIEW_CODE, x, y, 0, code_color, code);
    view_draw_text(canvas, VIEW_CODE, x, y, 0, comment_color, comment);
}

// Writes one line of code at column->y, and moves column->y below it. A line that is too long is
// wrapped. Continuations of code are indented by four more columns, and continuations of comments
// begin with // again. If `is_drawn` is false, only moves column->y, which measures the height of
// the line.
static void write_code_line(text_column *column, const char *line, size_t length, bool is_drawn)
{
    enum { MIN_COLUMNS = 8, CONTINUATION_INDENT = 4, SLASHES = 3 }; // SLASHES: "// "
    const view_font *const font = column->canvas->font;
    const float letter = view_text_width(font, VIEW_CODE, " ");
    const float inset = code_inset * font->scale;
    const size_t first = strspn(line, " ");
    const bool is_empty = first >= length;
    if (is_empty) {
        column->y += code_line_height(font);
        return;
    }

    // Each step of the loop writes the part of the line that fits into one line of the box.
    size_t indent = first; // columns
    bool in_comment = false;
    size_t begin = first;
    while (begin < length) {
        const char *const text = line + begin;
        float x = (float)indent * letter;
        if (in_comment) {
            if (is_drawn)
                view_draw_text(column->canvas, VIEW_CODE, x + (column->x + inset), column->y, 0,
                               comment_color, "//");
            x += (float)SLASHES * letter;
        }
        const float columns = fmaxf((column->width - 2 * inset - x) / letter, MIN_COLUMNS);
        in_comment = in_comment || strncmp(text, "//", 2) == 0;
        const size_t num_chars = find_break(text, length - begin, (size_t)columns, in_comment);
        const size_t num_code = in_comment ? 0 : find_comment(text, num_chars);
        if (is_drawn)
            draw_code(column->canvas, x + (column->x + inset), column->y, text, num_code,
                      num_chars);

        if (begin == first && !in_comment)
            indent += CONTINUATION_INDENT;
        in_comment = in_comment || num_code < num_chars;
        column->y += code_line_height(font);
        begin += num_chars + strspn(text + num_chars, " ");
    }
}

// Draws lines of C code in a box at the current position of a column, with comments in another
// color. Advances the position past the box.
static void write_code(text_column *column, const char *lines)
{
    const view_font *const font = column->canvas->font;
    const float inset = code_inset * font->scale;
    const float space = code_gap(font);
    const float top = column->y + space;
    // The first pass measures the height of the box, the second draws the text over it.
    for (int pass = 0; pass < 2; pass++) {
        const bool is_drawn = pass == 1;
        const char *line = lines;
        column->y = top + inset;
        while (*line != '\0') {
            const size_t length = strcspn(line, "\n");
            write_code_line(column, line, length, is_drawn);
            line += length;
            if (*line == '\n')
                line++;
        }
        if (!is_drawn)
            view_draw_round_rect(
                column->canvas, (view_rect){column->x, top, column->width, column->y + inset - top},
                6 * font->scale, code_box);
    }
    column->y += inset + space;
}

// Writes one line of text, which is cut at the width of the column.
static void write_text(text_column *column, view_text_size size, view_color color, const char *text)
{
    view_draw_text(column->canvas, size, column->x, column->y, column->width, color, text);
    column->y += column->canvas->font->line[size];
}

// Returns the distance between two parts of the panel.
static float small_gap(const view_font *font)
{
    return 0.3f * font->line[VIEW_TEXT];
}

// Writes a text in as many lines as it needs.
static void write_paragraph(text_column *column, view_text_size size, view_color color,
                            const char *text)
{
    char row[VIEW_MAX_LINE];
    while (*text != '\0') {
        text = view_next_line(column->canvas->font, size, column->width, text, row);
        write_text(column, size, color, row);
    }
}

// Distances of text buttons, layout units.
static const float button_inset = 5; // between the text and the left or right edge of the button
static const float button_gap = 3;   // between two buttons

// Draws a text button. A button of a choice has a background, which shows if it is selected; other
// buttons are links.
static void draw_text_button(view_canvas *canvas, view_rect button, const char *text,
                             bool is_choice, bool is_selected)
{
    const float inset = button_inset * canvas->font->scale;
    view_color color = VIEW_ACCENT;
    if (is_choice) {
        const float line = canvas->font->line[VIEW_TEXT];
        view_draw_round_rect(canvas, view_inset(button, 0.06f * line), 4 * canvas->font->scale,
                             is_selected ? VIEW_SELECTED : VIEW_CONTROL);
        color = is_selected ? VIEW_BRIGHT : VIEW_PLAIN;
    }
    view_draw_text(canvas, VIEW_TEXT, button.x + inset, button.y, button.width - inset, color,
                   text);
}

// Writes text buttons in rows that begin at `left`. If `selected` is not -1, the buttons are a
// choice, and it is the index of the selected button. Otherwise the buttons are links. As an
// interface item, a button has the name "LABEL=TEXT". Returns the index of the pressed button, or
// -1.
static int write_buttons(text_column *column, float left, const char *label,
                         const char *const *texts, int count, int selected)
{
    const view_font *const font = column->canvas->font;
    const float line = font->line[VIEW_TEXT];
    const float right = column->x + column->width;
    float x = left;
    int pressed = -1;
    for (int i = 0; i < count; i++) {
        const float text_width = view_text_width(font, VIEW_TEXT, texts[i]);
        const float width = text_width + 2 * (button_inset * font->scale);
        const bool is_first_in_row = x <= left;
        if (!is_first_in_row && x + width > right) {
            x = left;
            column->y += line;
        }
        const view_rect button = {x, column->y, fminf(width, right - x), line};
        draw_text_button(column->canvas, button, texts[i], selected >= 0, i == selected);

        char name[96];
        COMMON_TEXT(name, "%s=%s", label, texts[i]);
        if (ui_item(column->ui, button, name))
            pressed = i;
        x += width + button_gap * font->scale;
    }
    column->y += line;
    return pressed;
}

// Writes a word, such as "Next", followed by links to the lessons pages[i] with titles[i].
static void write_links(text_column *column, const char *word, const char *const *titles,
                        const int32_t *pages, int count)
{
    enum { NO_CHOICE = -1 };
    const float word_width =
        view_draw_text(column->canvas, VIEW_TEXT, column->x, column->y, 0, VIEW_DIM, word);
    const float left = column->x + word_width + 0.5f * column->canvas->font->line[VIEW_TEXT];
    const int pressed = write_buttons(column, left, word, titles, count, NO_CHOICE);
    if (pressed >= 0)
        UI_COMMAND(column->ui, VIEW_OPEN_PAGE, .number = (size_t)pages[pressed]);
}

// Returns the part of the width that is reserved for the names of sliders.
static float name_fraction(const text_column *column)
{
    return column->is_narrow ? 0.5f : 0.34f;
}

// Returns the width of the words of a choice as buttons in one row, pixels.
static float choice_width(const view_font *font, const view_slider *slider, int count)
{
    float width = 0;
    for (int i = 0; i < count; i++)
        width += view_text_width(font, VIEW_TEXT, slider->words[i])
                 + (2 * button_inset + button_gap) * font->scale;
    return width;
}

// Writes a button with the selected word of a choice, which opens and closes the list of all words.
// Returns true if the list is shown in this frame.
static bool write_drop_down(text_column *column, view_pages *pages, uint32_t number, float left)
{
    const view_slider *const slider = &pages->picture.page->sliders[number];
    const int selected = (int)lroundf(pages->values[number]);
    const bool is_open = pages->unfolded == number + 1;
    const char *const arrow = is_open ? "\xE2\x86\x91" : "\xE2\x86\x93"; // up, down
    const char *const texts[2] = {slider->words[selected], arrow};
    if (write_buttons(column, left, slider->name, texts, 2, 0) >= 0)
        pages->unfolded = is_open ? 0 : number + 1;
    return is_open;
}

// Writes choice `number` of the lesson, and stores the word that the user selects. If all words fit
// to the right of its name in one row, shows them there. Otherwise shows a drop-down list.
static void write_choice(text_column *column, view_pages *pages, uint32_t number)
{
    const view_slider *const slider = &pages->picture.page->sliders[number];
    const float fraction = name_fraction(column);
    const float name_width = (fraction - 0.02f) * column->width;
    const int count = (int)slider->high + 1; // number of words
    const int selected = (int)lroundf(pages->values[number]);
    view_draw_text(column->canvas, VIEW_TEXT, column->x, column->y, name_width, VIEW_PLAIN,
                   slider->name);

    float left = column->x + fraction * column->width;
    const float free_width = column->x + column->width - left;
    const bool fits = choice_width(column->canvas->font, slider, count) <= free_width;
    if (!fits) {
        if (!write_drop_down(column, pages, number, left))
            return;
        left = column->x; // the list uses the whole width
    }

    const int pressed = write_buttons(column, left, slider->name, slider->words, count, selected);
    if (pressed < 0)
        return;
    pages->values[number] = (float)pressed;
    pages->unfolded = 0;
    column->ui->held = column->ui->item.panel; // this press has changed a value of the panel
}

// Returns the value of a fact. Rounding errors of measured values and a negative zero become 0.
static double shown_value(const view_fact *fact)
{
    const double rounding_error = fact->unit[0] != '\0' ? 1e-4 : 1e-12;
    return fabs(fact->value) < rounding_error ? 0 : fact->value;
}

// Sends the facts as lines of text to the web page in which the viewer runs, because the page shows
// them instead of the panel.
static void send_facts(const view_picture *picture)
{
    char *lines = common_copy("facts");
    for (uint32_t i = 0; i < picture->num_facts; i++) {
        const view_fact *const fact = &picture->facts[i];
        if (fact->text != NULL)
            common_extend(&lines, "\n%s: %s", fact->name, fact->text);
        else if (fact->column != NULL)
            common_extend(&lines, "\n%s, %s: %.7g %s", fact->name, fact->column, shown_value(fact),
                          fact->unit);
        else
            common_extend(&lines, "\n%s: %.4g %s", fact->name, shown_value(fact), fact->unit);
    }
    view_send_page_request(lines);
    free(lines);
}

// Writes a line with the name of a fact and its value. All values begin at the same x. A value that
// is too wide ends at the right edge of the column instead, if its name is short enough.
static void write_fact(text_column *column, const char *name, const char *value)
{
    const view_font *const font = column->canvas->font;
    const float gap = 0.02f * column->width;
    const float name_right = view_text_width(font, VIEW_TEXT, name) + gap;
    const float right_aligned = column->width - view_text_width(font, VIEW_TEXT, value);
    float value_left = (column->is_narrow ? 0.68f : 0.62f) * column->width;
    const bool is_too_wide = right_aligned < value_left;
    if (is_too_wide && name_right <= right_aligned)
        value_left = right_aligned;
    view_draw_text(column->canvas, VIEW_TEXT, column->x + value_left, column->y,
                   column->width - value_left, VIEW_BRIGHT, value);
    view_draw_text(column->canvas, VIEW_TEXT, column->x, column->y, value_left - gap, VIEW_DIM,
                   name);
    column->y += font->line[VIEW_TEXT];
}

// Writes the chapter and the number of the lesson, the title, the explanation and the first steps.
// The keyboard shortcuts follow the number, if they fit into its line and the device has a
// keyboard.
static void write_introduction(text_column *column, const view_pages *pages)
{
    const view_page *const page = pages->picture.page;
    char position[64];
    char position_and_keys[96];
    COMMON_TEXT(position, "%s  %d / %u", page->family, pages->open + 1, view_num_pages);
    COMMON_TEXT(position_and_keys, "%s   Y: next   Esc: close", position);
    const bool has_keys = !column->is_narrow && !column->ui->is_touched;
    const bool fits =
        view_text_width(column->canvas->font, VIEW_TEXT, position_and_keys) <= column->width;
    write_text(column, VIEW_TEXT, VIEW_DIM, has_keys && fits ? position_and_keys : position);
    write_paragraph(column, VIEW_TITLE, VIEW_BRIGHT, page->title);
    write_paragraph(column, VIEW_TEXT, VIEW_PLAIN, page->about);
    column->y += small_gap(column->canvas->font);
    write_paragraph(column, VIEW_TEXT, VIEW_BRIGHT, page->first);
}

// Writes a button that shows and hides the answer to the question of the lesson, and the answer.
static void write_answer(text_column *column, view_pages *pages)
{
    const char *const answer = pages->picture.page->answer;
    const char *const button = pages->shows_answer ? "Hide answer" : "Show answer";
    if (answer == NULL)
        return;
    if (write_buttons(column, column->x, "answer", &button, 1, 0) == 0)
        pages->shows_answer = !pages->shows_answer;
    if (pages->shows_answer)
        write_paragraph(column, VIEW_TEXT, VIEW_PLAIN, answer);
}

// Writes a slider for a real number or an integer, and changes `value` if the user moves it. Some
// sliders move automatically while their value is negative (see view_moving_part()). Their names
// contain "plays".
static void write_slider(text_column *column, const view_slider *slider, float *value)
{
    const bool is_integer = slider->words == view_integer_slider;
    const bool is_playing = *value < 0 && strstr(slider->name, "plays") != NULL;
    char text[64];
    if (is_playing)
        COMMON_TEXT(text, "plays");
    else
        COMMON_TEXT(text, is_integer ? "%.0f" : "%.3g", *value);

    view_ui *const ui = column->ui;
    const float line = column->canvas->font->line[VIEW_TEXT];
    ui->space = (view_rect){column->x, column->y, column->width, line};
    ui->label_width = name_fraction(column) * column->width;
    ui->value_width = (column->is_narrow ? 0.18f : 0.3f) * column->width;
    const bool is_moved = ui_slider(ui, slider->name, VIEW_PLAIN, text, VIEW_BRIGHT, slider->low,
                                    slider->high, &slider->first, value);
    if (is_moved && is_integer)
        *value = roundf(*value);
    column->y += line;
}

// Writes the sliders and the choices of the lesson.
static void write_sliders(text_column *column, view_pages *pages)
{
    const view_page *const page = pages->picture.page;
    for (uint32_t i = 0; i < view_num_sliders(page); i++) {
        const view_slider *const slider = &page->sliders[i];
        const bool is_choice = slider->words != NULL && slider->words != view_integer_slider;
        if (is_choice)
            write_choice(column, pages, i);
        else
            write_slider(column, slider, &pages->values[i]);
    }
}

// Writes the plots of the lesson one below the other.
static void write_plots(text_column *column, const view_picture *picture)
{
    const float line = column->canvas->font->line[VIEW_TEXT];
    // Two plots, or a plot above a table, are lower, so that the values below them are visible
    // without scrolling.
    const bool is_low = picture->num_plots > 1 || picture->page->columns[0] != NULL;
    const float height = (is_low ? 6.5f : 8.5f) * line;
    for (uint32_t i = 0; i < picture->num_plots; i++) {
        const view_rect box = {column->x, column->y, column->width, height};
        draw_plot(&picture->plots[i], column->canvas, box);
        column->y += height + 0.3f * line;
    }
}

// Returns the printf() format of a value: four digits, or all digits of the integer part.
static const char *value_format(const view_fact *fact)
{
    return fabs(fact->value) < 1000 ? "%.4g" : "%.0f";
}

// Writes a line of the table of facts: a name, and one text for each column.
static void write_table_line(text_column *column, const char *name,
                             const char texts[VIEW_PAGE_COLUMNS][32], view_color color)
{
    const float name_width = (column->is_narrow ? 0.46f : 0.4f) * column->width;
    const float cell_width = (column->width - name_width) / (float)VIEW_PAGE_COLUMNS;
    const float gap = 0.02f * column->width;
    view_draw_text(column->canvas, VIEW_TEXT, column->x, column->y, name_width - gap, VIEW_DIM,
                   name);
    for (int i = 0; i < VIEW_PAGE_COLUMNS; i++) {
        const float left = name_width + (float)i * cell_width;
        view_draw_text(column->canvas, VIEW_TEXT, column->x + left, column->y, cell_width - gap,
                       color, texts[i]);
    }
    column->y += column->canvas->font->line[VIEW_TEXT];
}

// Writes the names of the columns above the first row of the table of facts.
static void write_table_header(text_column *column, const view_page *page)
{
    char texts[VIEW_PAGE_COLUMNS][32];
    for (int i = 0; i < VIEW_PAGE_COLUMNS; i++)
        COMMON_TEXT(texts[i], "%s", page->columns[i]);
    column->y += 0.3f * column->canvas->font->line[VIEW_TEXT];
    write_table_line(column, "", texts, VIEW_AMBER);
}

// Writes a row of the table of facts, whose values begin at `facts`.
static void write_table_row(text_column *column, const view_fact *facts)
{
    char name[96];
    char texts[VIEW_PAGE_COLUMNS][32];
    const char *const separator = facts->unit[0] != '\0' ? ", " : "";
    COMMON_TEXT(name, "%s%s%s", facts->name, separator, facts->unit);
    for (int i = 0; i < VIEW_PAGE_COLUMNS; i++)
        COMMON_TEXT(texts[i], value_format(&facts[i]), shown_value(&facts[i]));
    write_table_line(column, name, texts, VIEW_BRIGHT);
}

// Writes a fact that is not in the table: its text, or its value and unit.
static void write_single_fact(text_column *column, const view_fact *fact)
{
    if (fact->text != NULL) {
        write_fact(column, fact->name, fact->text);
        return;
    }
    char number[32];
    char text[64];
    COMMON_TEXT(number, value_format(fact), shown_value(fact));
    COMMON_TEXT(text, "%s %s", number, fact->unit);
    write_fact(column, fact->name, text);
}

// Writes the facts of the lesson. A row of the table consists of VIEW_PAGE_COLUMNS facts.
static void write_facts(text_column *column, const view_picture *picture)
{
    bool has_header = false;
    uint32_t i = 0;
    while (i < picture->num_facts) {
        const view_fact *const fact = &picture->facts[i];
        const bool is_in_table = fact->column != NULL;
        if (!is_in_table) {
            write_single_fact(column, fact);
            i++;
            continue;
        }
        if (!has_header)
            write_table_header(column, picture->page);
        has_header = true;
        write_table_row(column, fact);
        i += VIEW_PAGE_COLUMNS;
    }
}

// Writes links to the next lesson, to the list of lessons, and to related lessons. On a touch
// screen, this is the only way to the list.
static void write_lesson_links(text_column *column, const view_pages *pages)
{
    const view_page *const page = pages->picture.page;
    const int32_t next = (pages->open + 1) % (int32_t)view_num_pages;
    const int32_t destinations[2] = {next, VIEW_CONTENTS};
    const char *const names[2] = {view_page_at((uint32_t)next)->title, "All lessons"};
    write_links(column, "Next", names, destinations, 2);

    int32_t related[VIEW_PAGE_LINKS];
    const char *titles[VIEW_PAGE_LINKS];
    int num_related = 0;
    for (int i = 0; i < VIEW_PAGE_LINKS && page->see[i] != NULL; i++) {
        related[i] = view_find_page(page->see[i]);
        titles[i] = view_page_at((uint32_t)related[i])->title;
        num_related++;
    }
    write_links(column, "See also", titles, related, num_related);
}

// Writes a button that copies the code of the lesson and, unless the code is below the figures, the
// code.
static void write_lesson_code(text_column *column, const view_pages *pages, double uptime)
{
    static const char *const buttons[] = {"Copy code"};
    char *const code = view_page_lines(pages->picture.page, pages->values);
    if (write_buttons(column, column->x, "copy", buttons, 1, 0) == 0)
        ui_copy(column->ui, uptime, code, "code of this lesson");
    if (!column->has_plots)
        write_code(column, code);
    free(code);
}

// Writes the complete lesson. `uptime` is the time of the frame, seconds. ui_copy() uses it to show
// the notice that the code was copied.
static void write_lesson(text_column *column, view_pages *pages, double uptime)
{
    const view_picture *const picture = &pages->picture;
    const char *const sources = picture->page->sources;
    const float gap = small_gap(column->canvas->font);
    write_introduction(column, pages);
    write_answer(column, pages);
    column->y += gap;
    write_sliders(column, pages);
    column->y += gap;
    if (column->has_plots)
        write_plots(column, picture);
    write_facts(column, picture);
    column->y += gap;
    write_lesson_code(column, pages, uptime);
    write_lesson_links(column, pages);
    if (sources[0] != '\0') {
        char text[512];
        COMMON_TEXT(text, "Sources (see test/techniques.md): %s.", sources);
        write_paragraph(column, VIEW_TEXT, VIEW_DIM, text);
    }
}

// Draws the box with the code below the figures, and handles its scrolling.
static void show_code_box(view_ui *ui, const view_stage *stage, view_rect box)
{
    view_pages *const pages = stage->pages;
    ui_column rows;
    ui_box(ui, "page-code", box, "");
    ui_begin_column(ui, &rows, box, &pages->code_scroll);
    rows.margin = 0; // code_height() contains the space below the code
    text_column column = {
        .canvas = ui->canvas, .ui = ui, .x = box.x, .y = rows.y, .width = box.width};
    char *const code = view_page_lines(pages->picture.page, pages->values);
    write_code(&column, code);
    free(code);
    rows.y = column.y;
    ui_end_column(ui);
}

// Returns the rectangle of the panel: at the bottom of the window or at its left.
static view_rect panel_rect(const view_stage *stage)
{
    const float margin = VIEW_MARGIN * stage->font->scale;
    const float bottom_height = panel_height(stage);
    const bool is_at_bottom = bottom_height > 0;
    const float top = is_at_bottom ? stage->height - bottom_height : margin;
    const float outer_width = is_at_bottom ? stage->width : panel_width(stage);
    return (view_rect){margin, top, outer_width - 1.5f * margin, stage->height - top - margin};
}

// Draws the panel with the text and the sliders. If there is space below the figures, also draws
// the box with the code. Also handles the input of both.
static void show_lesson_panel(view_ui *ui, const view_stage *stage)
{
    view_pages *const pages = stage->pages;
    const float margin = VIEW_MARGIN * stage->font->scale;
    const float padding = VIEW_PADDING * stage->font->scale;
    const float code = code_height(stage); // 0: the code is in the panel
    pages->panel = panel_rect(stage);
    ui_box(ui, "page-slider", pages->panel, "");

    ui_column rows;
    view_rect area = view_inset(pages->panel, padding);
    area.width += padding; // for the scroll bar
    ui_begin_column(ui, &rows, area, &pages->scroll);
    text_column column = {.canvas = ui->canvas,
                          .ui = ui,
                          .x = area.x,
                          .y = rows.y,
                          .width = area.width - padding,
                          .is_narrow = panel_height(stage) > 0,
                          .has_plots = code > 0};
    write_lesson(&column, pages, stage->uptime);
    rows.y = column.y;
    ui_end_column(ui);

    if (code > 0) {
        const float left = panel_width(stage);
        const view_rect box = {left, stage->height - code, stage->width - left - margin,
                               code - margin};
        show_code_box(ui, stage, box);
    }
}

// -- Plots and labels -----------------------------------------------------------------------

// Returns the pixel of a point of a plot. Points outside of the axes are moved to the edge.
static md5_vec2 plot_to_screen(const view_plot *plot, view_rect area, md5_vec2 point)
{
    const md5_vec2 low = plot->row.low;
    const md5_vec2 high = plot->row.high;
    const float across = view_clamp((point.x - low.x) / (high.x - low.x), 0, 1);
    const float up = view_clamp((point.y - low.y) / (high.y - low.y), 0, 1);
    return (md5_vec2){area.x + across * area.width, area.y + area.height - up * area.height};
}

// Returns the number of series, which ends before the first entry without a name.
static int count_series(const view_plot *plot)
{
    int count = 0;
    while (count < VIEW_PAGE_SERIES && plot->row.series[count].name != NULL)
        count++;
    return count;
}

// Draws a curve between two points: a straight line or, with `has_steps`, a horizontal line
// followed by a vertical line.
static void draw_step(view_canvas *canvas, md5_vec2 from, md5_vec2 to, bool has_steps, float width,
                      view_color color)
{
    if (!has_steps) {
        view_draw_segment(canvas, (const float[4]){from.x, from.y, to.x, to.y}, width, color);
        return;
    }
    view_draw_segment(canvas, (const float[4]){from.x, from.y, to.x, from.y}, width, color);
    view_draw_segment(canvas, (const float[4]){to.x, from.y, to.x, to.y}, width, color);
}

// Draws the curves of a plot as lines between their points. `area` is the rectangle of the plot,
// and `width` the width of a line in pixels.
static void draw_series(const view_plot *plot, view_canvas *canvas, view_rect area, float width)
{
    const int num_series = count_series(plot);
    for (int i = 0; i < num_series; i++) {
        const view_series *const series = &plot->series[i];
        for (uint32_t p = 1; p < series->count; p++) {
            const md5_vec2 from = plot_to_screen(plot, area, series->points[p - 1]);
            const md5_vec2 to = plot_to_screen(plot, area, series->points[p]);
            draw_step(canvas, from, to, plot->row.series[i].has_steps, width,
                      plot->row.series[i].color);
        }
    }
}

// Writes a number; the fraction `shift` of its width is at the left of x. Returns its width.
static float draw_number(view_canvas *canvas, float x, float y, float shift, float value)
{
    char text[32];
    COMMON_TEXT(text, "%.4g", value);
    const float width = view_text_width(canvas->font, VIEW_TEXT, text);
    view_draw_text(canvas, VIEW_TEXT, x - shift * width, y, 0, VIEW_DIM, text);
    return width;
}

// Writes the limits of the horizontal axis at its ends, and its name between them if the name fits.
static void draw_horizontal_labels(const view_plot *plot, view_canvas *canvas, view_rect area)
{
    const float scale = canvas->font->scale;
    const float y = area.y + area.height + 2 * scale;
    const float low_width = draw_number(canvas, area.x, y, 0, plot->row.low.x);
    const float high_width = draw_number(canvas, area.x + area.width, y, 1, plot->row.high.x);

    const float name_width = view_text_width(canvas->font, VIEW_TEXT, plot->row.across);
    const float space = 0.5f * (area.width - name_width); // at both sides of the centered name
    const bool fits = space >= fmaxf(low_width, high_width) + 4 * scale;
    if (fits)
        view_draw_text(canvas, VIEW_TEXT, area.x + space, y, 0, VIEW_DIM, plot->row.across);
}

// Draws a horizontal line at each power of ten.
static void draw_power_lines(const view_plot *plot, view_canvas *canvas, view_rect area)
{
    const int first = (int)ceilf(plot->row.low.y);
    const int last = (int)floorf(plot->row.high.y);
    for (int power = first; power <= last; power++) {
        const float y = plot_to_screen(plot, area, (md5_vec2){plot->row.low.x, (float)power}).y;
        view_draw_rect(canvas, (view_rect){area.x, y, area.width, canvas->font->scale}, VIEW_EDGE);
    }
}

// Writes the name of each series to the left of its lane, centered in the lane.
static void draw_lane_names(const view_plot *plot, view_canvas *canvas, view_rect area)
{
    const float half_line = 0.5f * canvas->font->line[VIEW_TEXT];
    const float right = area.x - 6 * canvas->font->scale;
    const int num_series = count_series(plot);
    for (int i = 0; i < num_series; i++) {
        const md5_vec2 middle = {plot->row.low.x, 0.5f - (float)i};
        const float y = plot_to_screen(plot, area, middle).y - half_line;
        const char *const name = plot->row.series[i].name;
        const float width = view_text_width(canvas->font, VIEW_TEXT, name);
        const view_color opaque_color = plot->row.series[i].color | 0xFFu;
        view_draw_text(canvas, VIEW_TEXT, right - width, y, 0, opaque_color, name);
    }
}

// Draws the axes, a line at height 0, and the limits and the name of the axes. If the heights are
// logarithms, draws a line at each power of ten, and the limits as powers. If the series have
// lanes, the vertical axis has their names instead of limits.
static void draw_axes(const view_plot *plot, view_canvas *canvas, view_rect area)
{
    const float scale = canvas->font->scale;
    const float line = canvas->font->line[VIEW_TEXT];
    const float bottom = area.y + area.height;
    const float zero = plot_to_screen(plot, area, (md5_vec2){plot->row.low.x, 0}).y;
    view_draw_rect(canvas, (view_rect){area.x, area.y, scale, area.height}, VIEW_EDGE);
    view_draw_rect(canvas, (view_rect){area.x, bottom, area.width, scale}, VIEW_EDGE);

    float low = plot->row.low.y;
    float high = plot->row.high.y;
    if (plot->row.fit == VIEW_FIT_POWERS) {
        draw_power_lines(plot, canvas, area);
        low = powf(10, low);
        high = powf(10, high);
    }
    draw_horizontal_labels(plot, canvas, area);
    if (plot->row.fit == VIEW_FIT_LANES) {
        draw_lane_names(plot, canvas, area);
        return;
    }
    view_draw_rect(canvas, (view_rect){area.x, zero, area.width, scale}, VIEW_EDGE);
    const float numbers_right = area.x - 6 * scale;
    draw_number(canvas, numbers_right, area.y - 0.3f * line, 1, high);
    draw_number(canvas, numbers_right, bottom - 0.7f * line, 1, low);
}

// Distances of the names of the series, layout units.
static const float legend_disc_width = 12; // from the left of the disc to the name
static const float legend_gap = 12;        // between two names

// Returns the width of the names of all series in one line.
static float legend_width(const view_plot *plot, const view_font *font)
{
    const int num_series = count_series(plot);
    float width = 0;
    for (int i = 0; i < num_series; i++)
        width += view_text_width(font, VIEW_TEXT, plot->row.series[i].name)
                 + (legend_disc_width + legend_gap) * font->scale;
    return width - legend_gap * font->scale;
}

// Writes the names of the series, each after a disc in the color of its curve. The lines extend
// from `left_top` to `right`. If `is_drawn` is false, only measures them. Returns the y of the end
// of the last line.
static float draw_legend(const view_plot *plot, view_canvas *canvas, md5_vec2 left_top, float right,
                         bool is_drawn)
{
    const float scale = canvas->font->scale;
    const float line = canvas->font->line[VIEW_TEXT];
    const float disc_width = legend_disc_width * scale;
    const float radius = 4 * scale;
    const int num_series = count_series(plot);
    float x = left_top.x;
    float y = left_top.y;
    for (int i = 0; i < num_series; i++) {
        const char *const name = plot->row.series[i].name;
        const float width = disc_width + view_text_width(canvas->font, VIEW_TEXT, name);
        const bool is_first_in_line = x <= left_top.x;
        if (!is_first_in_line && x + width > right) {
            x = left_top.x;
            y += line;
        }
        if (is_drawn) {
            const view_color opaque_color = plot->row.series[i].color | 0xFFu;
            const float max_name_width = fmaxf(right - x - disc_width, 1);
            view_draw_disc(canvas, x + radius, y + 0.5f * line, radius, opaque_color);
            view_draw_text(canvas, VIEW_TEXT, x + disc_width, y, max_name_width, VIEW_PLAIN, name);
        }
        x += width + legend_gap * scale;
    }
    return y + line;
}

// Writes the title of a plot. A title that is wider than `max_width`, as on a phone, is wrapped. If
// `is_drawn` is false, only measures it. Returns the y of the end of the last line.
static float draw_plot_title(const view_plot *plot, view_canvas *canvas, md5_vec2 left_top,
                             float max_width, bool is_drawn)
{
    const char *remaining = plot->row.title;
    float y = left_top.y;
    while (*remaining != '\0') {
        char text[VIEW_MAX_LINE];
        remaining = view_next_line(canvas->font, VIEW_TEXT, max_width, remaining, text);
        if (is_drawn)
            view_draw_text(canvas, VIEW_TEXT, left_top.x, y, max_width, VIEW_BRIGHT, text);
        y += canvas->font->line[VIEW_TEXT];
    }
    return y;
}

// Returns the top left corner of the names of the series. They are to the right of the title if all
// fit there, otherwise below it, at `title_bottom`.
static md5_vec2 legend_position(const view_plot *plot, const view_canvas *canvas, md5_vec2 title,
                                float title_bottom, float right)
{
    const float gap = 24 * canvas->font->scale;
    const float title_width = view_text_width(canvas->font, VIEW_TEXT, plot->row.title);
    const float left = title.x + title_width + gap;
    const bool fits = left + legend_width(plot, canvas->font) <= right;
    return fits ? (md5_vec2){left, title.y} : (md5_vec2){title.x, title_bottom};
}

// Returns the width at the left of the vertical axis, for its numbers or for the names of lanes.
static float vertical_label_width(const view_plot *plot, const view_font *font)
{
    float width = 44 * font->scale; // of numbers
    if (plot->row.fit != VIEW_FIT_LANES)
        return width;
    const int num_series = count_series(plot);
    for (int i = 0; i < num_series; i++) {
        const char *const name = plot->row.series[i].name;
        width = fmaxf(width, view_text_width(font, VIEW_TEXT, name) + 6 * font->scale);
    }
    return width;
}

// Draws a plot in a box. From top to bottom, it consists of the title and the names of its series,
// the curves with their axes, and the labels of the horizontal axis. The names of lanes are on the
// vertical axis.
static void draw_plot(const view_plot *plot, view_canvas *canvas, view_rect box)
{
    const float scale = canvas->font->scale;
    const float line = canvas->font->line[VIEW_TEXT];
    const float padding = 10 * scale;
    const float left = box.x + padding + vertical_label_width(plot, canvas->font);
    const float right = box.x + box.width - padding;
    const md5_vec2 title = {box.x + padding, box.y + padding};
    const bool has_legend = plot->row.fit != VIEW_FIT_LANES;
    const float title_bottom = draw_plot_title(plot, canvas, title, right - title.x, false);
    const md5_vec2 legend = legend_position(plot, canvas, title, title_bottom, right);
    float top = title_bottom + 0.3f * line;
    if (has_legend)
        top = draw_legend(plot, canvas, legend, right, false) + 0.3f * line;
    const float bottom = box.y + box.height - padding - 1.2f * line;
    const view_rect area = {left, top, right - left, bottom - top};

    view_draw_round_rect(canvas, box, VIEW_RADIUS * scale, VIEW_BOX);
    draw_plot_title(plot, canvas, title, right - title.x, true);
    draw_axes(plot, canvas, area);
    draw_series(plot, canvas, area, 2 * scale);
    if (has_legend)
        draw_legend(plot, canvas, legend, right, true);
    for (uint32_t i = 0; i < plot->num_marks; i++) {
        const md5_vec2 position = plot_to_screen(plot, area, plot->marks[i].point);
        view_draw_disc(canvas, position.x, position.y, 5 * scale, plot->marks[i].color);
    }
}

// == Contents ===============================================================================
//
// The thumbnails of all lessons, which are drawn once, in one texture.

enum { THUMBNAIL_WIDTH = 208, THUMBNAIL_HEIGHT = 124, THUMBNAIL_COLUMNS = 8 };

// Draws the curves of a lesson's first plot over the lower half of its thumbnail.
static void draw_thumbnail_plot(const view_picture *picture, view_canvas *canvas)
{
    const float margin = 4; // between the plot and the edges of the thumbnail, pixels
    const float half_height = 0.5f * (float)THUMBNAIL_HEIGHT;
    const view_rect area = {margin, half_height, (float)THUMBNAIL_WIDTH - 2 * margin,
                            half_height - margin};
    if (picture->num_plots > 0)
        draw_series(picture->plots, canvas, area, 1.5f);
}

// Draws the thumbnail of a lesson into `rgba`: its figures at the start time, and the curves of its
// first plot. A separate stage is used, so the open lesson does not change. Returns false if the
// thumbnail cannot be drawn.
static bool draw_thumbnail(const view_stage *given, view_document *document, int32_t number,
                           md5gl_target *target, uint8_t *rgba)
{
    view_pages pages = {.open = -1};
    view_shown shown = *given->shown;
    shown.shadows = false; // they are slow without a GPU
    shown.grid = false;    // its lines are too fine for a thumbnail
    view_camera camera = VIEW_DEFAULT_CAMERA;
    camera.azimuth = view_page_azimuth(view_page_at((uint32_t)number));
    view_stage stage = *given;
    stage.shown = &shown;
    stage.document = document;
    stage.camera = &camera;
    stage.pages = &pages;
    stage.width = THUMBNAIL_WIDTH;
    stage.height = THUMBNAIL_HEIGHT;

    md5_error error = {0};
    view_open_page(&pages, number);
    bool is_drawn = view_draw_page(&stage, 0, target, false, true, &error);
    view_clear_canvas(stage.canvas);
    draw_thumbnail_plot(&pages.picture, stage.canvas);
    view_draw_canvas(&stage);

    if (!md5gl_end_frame(stage.renderer, &error))
        is_drawn = false;
    if (is_drawn)
        is_drawn = md5gl_read_pixels(stage.renderer, target, THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT,
                                     rgba, &error);
    view_free_pages(&pages, stage.renderer);
    return is_drawn;
}

// Loads a character of the lessons from the folder `models`. Returns NULL if its file does not
// exist. This is no error: in a browser, the file may still be downloading.
static view_document *load_character(const view_stage *stage, const char *models, const char *name)
{
    const view_loader loader = {stage->options, stage->renderer, stage->log, NULL};
    char *const path = common_join(models, name);
    view_document *document = NULL;
    if (common_is_file(path)) {
        const char *const names[1] = {path};
        document = view_load_document(&loader, names, 1, true, false,
                                      (view_document_settings){.dual = false});
    }
    free(path);
    if (document != NULL)
        view_measure_document(document, NULL);
    return document;
}

bool view_lacks_thumbnails(const view_pages *pages)
{
    return pages->open == VIEW_CONTENTS && pages->folder != NULL
           && pages->num_thumbnails < view_num_pages;
}

// Returns the number of rows of thumbnails in the texture of all thumbnails.
static uint32_t count_atlas_rows(void)
{
    return (view_num_pages + THUMBNAIL_COLUMNS - 1) / THUMBNAIL_COLUMNS;
}

// The atlas is the texture that contains all thumbnails. Pitches are bytes per row of texels.
static const size_t thumbnail_pitch = 4 * (size_t)THUMBNAIL_WIDTH;
static const size_t atlas_pitch = 4 * (size_t)THUMBNAIL_WIDTH * THUMBNAIL_COLUMNS;

// Copies the texels of thumbnail `index` to its tile of the atlas.
static void copy_to_atlas(uint8_t *atlas, const uint8_t *rgba, uint32_t index)
{
    const uint32_t row = index / THUMBNAIL_COLUMNS;
    const uint32_t column = index % THUMBNAIL_COLUMNS;
    uint8_t *const begin = atlas + row * THUMBNAIL_HEIGHT * atlas_pitch + column * thumbnail_pitch;
    for (size_t y = 0; y < THUMBNAIL_HEIGHT; y++)
        memcpy(begin + y * atlas_pitch, rgba + y * thumbnail_pitch, thumbnail_pitch);
}

// Draws the next thumbnail into the atlas. It remains black if its character or `target` is missing
// or it cannot be drawn.
static void prepare_thumbnail(const view_stage *stage, md5gl_target *target, uint8_t *rgba)
{
    view_pages *const pages = stage->pages;
    const uint32_t index = pages->num_thumbnails++;
    const char *const model = view_page_at(index)->model; // NULL: the default character
    view_document *special = NULL;
    if (model != NULL)
        special = load_character(stage, pages->folder, model);
    view_document *const document = model != NULL ? special : pages->default_character;
    const bool is_drawn = target != NULL && document != NULL
                          && draw_thumbnail(stage, document, (int32_t)index, target, rgba);
    if (is_drawn)
        copy_to_atlas(pages->atlas, rgba, index);
    view_free_document(special, stage->renderer);
}

// Replaces the texture of the thumbnails by the current texels of the atlas.
static void upload_atlas(view_pages *pages, md5gl_renderer *renderer, md5_error *error)
{
    const md5gl_texture_desc desc = {.kind = MD5GL_TEXTURE_COLOR,
                                     .width = THUMBNAIL_WIDTH * THUMBNAIL_COLUMNS,
                                     .height = THUMBNAIL_HEIGHT * count_atlas_rows(),
                                     .texels = pages->atlas};
    md5gl_destroy_texture(renderer, pages->thumbnails);
    pages->thumbnails = md5gl_create_texture(renderer, &desc, error);
}

// Draws the next missing thumbnail, or for --output all. Call it outside of a frame.
void view_prepare_thumbnails(const view_stage *stage)
{
    view_pages *const pages = stage->pages;
    if (!view_lacks_thumbnails(pages))
        return;
    if (pages->atlas == NULL) {
        pages->atlas = common_alloc(atlas_pitch, THUMBNAIL_HEIGHT * count_atlas_rows());
        pages->default_character = load_character(stage, pages->folder, VIEW_DEFAULT_MODEL);
    }

    // A window stays responsive with one thumbnail per call; an output needs all of them.
    md5_error error = {0};
    md5gl_target *const target =
        md5gl_create_target(stage->renderer, THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT, 4, &error);
    uint8_t *const rgba = common_alloc(thumbnail_pitch, THUMBNAIL_HEIGHT);
    do {
        prepare_thumbnail(stage, target, rgba);
    } while (stage->options->output != NULL && view_lacks_thumbnails(pages));
    free(rgba);
    upload_atlas(pages, stage->renderer, &error);
    md5gl_destroy_target(stage->renderer, target);

    // After the last thumbnail, only the texture is still needed.
    const bool is_complete = pages->num_thumbnails == view_num_pages;
    if (is_complete) {
        view_free_document(pages->default_character, stage->renderer);
        free(pages->atlas);
        pages->default_character = NULL;
        pages->atlas = NULL;
    }
}

// Frees the texture with the thumbnails and its texels, the document with the character of most
// lessons, and the path of the folder.
void view_free_thumbnails(view_pages *pages, md5gl_renderer *renderer)
{
    if (renderer != NULL)
        md5gl_destroy_texture(renderer, pages->thumbnails);
    view_free_document(pages->default_character, renderer);
    free(pages->atlas);
    free(pages->folder);
}

// Draws the title of a lesson below its thumbnail, in one or two rows. The second row is cut at
// `width` if the title is too long.
static void draw_lesson_title(view_canvas *canvas, float x, float y, float width, const char *title)
{
    char row[VIEW_MAX_LINE];
    for (int i = 0; i < 2 && *title != '\0'; i++) {
        title = view_next_line(canvas->font, VIEW_TEXT, i == 0 ? width : INFINITY, title, row);
        view_draw_text(canvas, VIEW_TEXT, x, y, width, VIEW_BRIGHT, row);
        y += canvas->font->line[VIEW_TEXT];
    }
}

// Returns the number of tiles below one name of a chapter. They are the lessons of the chapter from
// `number` to the end of a row. A row has `per_row` tiles.
static uint32_t count_chapter_tiles(uint32_t number, uint32_t per_row)
{
    const char *const family = view_page_at(number)->family;
    uint32_t end = number + 1;
    while (end < view_num_pages && end % per_row != 0
           && strcmp(view_page_at(end)->family, family) == 0)
        end++;
    return end - number;
}

// Draws the name of a chapter above its tiles, below a line that separates it from the titles of
// the row above.
static void draw_chapter_name(view_canvas *canvas, view_rect tiles, const char *name)
{
    const float line = canvas->font->line[VIEW_TEXT];
    const view_rect rule = {tiles.x, tiles.y + 0.5f * line, tiles.width, canvas->font->scale};
    view_draw_rect(canvas, rule, VIEW_EDGE);
    view_draw_text(canvas, VIEW_TEXT, tiles.x, tiles.y + 0.75f * line, tiles.width, VIEW_AMBER,
                   name);
}

// Draws the thumbnail of a lesson from the texture of all thumbnails.
static void draw_lesson_thumbnail(view_canvas *canvas, const view_pages *pages, view_rect box,
                                  uint32_t number)
{
    const uint32_t row = number / THUMBNAIL_COLUMNS;
    const uint32_t column = number % THUMBNAIL_COLUMNS;
    const float u = 1.0f / (float)THUMBNAIL_COLUMNS;
    const float v = 1.0f / (float)count_atlas_rows();
    const float left = u * (float)column;
    const float top = v * (float)row;
    if (pages->thumbnails != 0)
        view_draw_image(canvas, box, (const float[4]){left, top, left + u, top + v},
                        pages->thumbnails, true);
}

// The sizes of the grid of lessons, pixels. From top to bottom, a tile is a space for the name of a
// chapter, a thumbnail, and two lines for the title.
typedef struct lesson_grid {
    uint32_t tiles_per_row;
    float tile_width;
    float gap; // between two tiles of a row
    float chapter_height;
    float image_height;
    float row_height;
} lesson_grid;

// Returns the grid for a width in pixels. A row has as many tiles as fit at their minimum width.
// The tiles are then widened to fill the row.
static lesson_grid lay_out_tiles(const view_font *font, float width)
{
    const float line = font->line[VIEW_TEXT];
    const float min_width = 140 * font->scale;
    const float gap = 8 * font->scale;
    const float columns = fmaxf(floorf((width + gap) / (min_width + gap)), 1);
    lesson_grid grid = {.tiles_per_row = (uint32_t)columns,
                        .tile_width = (width + gap) / columns - gap,
                        .gap = gap,
                        .chapter_height = 1.9f * line};
    grid.image_height = grid.tile_width * (float)THUMBNAIL_HEIGHT / (float)THUMBNAIL_WIDTH;
    grid.row_height = grid.chapter_height + grid.image_height + 2 * line;
    return grid;
}

// Draws the tile of lesson `number`, whose left edge is `x`, in a visible row. The first tile of a
// chapter also shows the name of the chapter, which extends over the chapter's tiles in this row.
static void draw_lesson_tile(view_canvas *canvas, const view_pages *pages, const lesson_grid *grid,
                             view_rect row, float x, uint32_t number, bool begins_chapter)
{
    const view_page *const page = view_page_at(number);
    if (begins_chapter) {
        const float num_tiles = (float)count_chapter_tiles(number, grid->tiles_per_row);
        const float width = num_tiles * (grid->tile_width + grid->gap) - grid->gap;
        draw_chapter_name(canvas, (view_rect){x, row.y, width, row.height}, page->family);
    }
    const view_rect image = {x, row.y + grid->chapter_height, grid->tile_width, grid->image_height};
    draw_lesson_thumbnail(canvas, pages, image, number);
    draw_lesson_title(canvas, x, image.y + image.height, grid->tile_width, page->title);
}

// Draws the tiles of all lessons in rows that can be scrolled, and opens the lesson whose tile is
// pressed. The scroll bar is at the right of `area`.
static void show_lesson_tiles(view_ui *ui, view_pages *pages, view_rect area)
{
    const view_font *const font = ui->canvas->font;
    const lesson_grid grid = lay_out_tiles(font, area.width);
    view_rect area_with_bar = area;
    area_with_bar.width += VIEW_PADDING * font->scale;

    // The keyboard can also select tiles that are scrolled out of view, so the item of each tile is
    // added. Only visible tiles are drawn.
    ui_column rows;
    view_rect row = {0, 0, 0, 0};
    bool is_visible = false;
    const char *previous_chapter = "";
    ui_begin_column(ui, &rows, area_with_bar, &pages->scroll);
    for (uint32_t i = 0; i < view_num_pages; i++) {
        const view_page *const page = view_page_at(i);
        const bool begins_chapter = strcmp(page->family, previous_chapter) != 0;
        previous_chapter = page->family;
        const uint32_t column = i % grid.tiles_per_row;
        const bool begins_row = column == 0;
        if (begins_row)
            is_visible = ui_reserve_row(ui, grid.row_height, &row);

        const float x = row.x + (float)column * (grid.tile_width + grid.gap);
        const view_rect tile = {x, row.y, grid.tile_width, row.height};
        if (ui_item(ui, tile, page->title))
            UI_COMMAND(ui, VIEW_OPEN_PAGE, .number = i);
        if (is_visible)
            draw_lesson_tile(ui->canvas, pages, &grid, row, x, i, begins_chapter);
    }
    ui_end_column(ui);
}

// Draws the contents as a grid of tiles below the menu bar, with a button that closes them, and
// handles their input.
static void show_contents(view_ui *ui, const view_stage *stage)
{
    const view_font *const font = stage->font;
    const float margin = VIEW_MARGIN * font->scale;
    const float padding = VIEW_PADDING * font->scale;
    const float title_height = 1.4f * font->line[VIEW_TITLE];
    const float top = view_current_layout(stage).menu.height;
    const view_rect below_menu = {0, top, stage->width, stage->height - top};
    const view_rect box = view_inset(below_menu, margin);
    view_rect area = view_inset(box, padding);
    const view_rect title = view_cut(&area, VIEW_AT_TOP, title_height); // the tiles get the rest
    const view_rect close_button = {title.x + title.width - title_height, title.y, title_height,
                                    font->line[VIEW_TITLE]};

    ui_box(ui, "contents", box, "");
    view_draw_text(ui->canvas, VIEW_TITLE, title.x, title.y, 0, VIEW_BRIGHT, "Lessons");
    if (ui_sign(ui, close_button, "close", "\xE2\x9C\x95")) // a cross
        UI_COMMAND(ui, VIEW_CLOSE_LISTS);
    ui_tooltip(ui, "Close  Esc");
    show_lesson_tiles(ui, stage->pages, area);
}

// Draws a label over the image, centered at the projection of its position. A label that would
// extend past the edge of the image is moved inward.
static void draw_label(const view_stage *stage, const view_label *label, md5_mat44 world_to_clip)
{
    const md5_viewport viewport = {.width = stage->width, .height = stage->height};
    md5_vec3 center; // pixels
    if (!md5_mat44_project(world_to_clip, viewport, label->position, &center))
        return;
    const float scale = stage->font->scale;
    const float inset = 6 * scale; // between the text and the edge of its box
    const float height = 22 * scale;
    const float width = view_text_width(stage->font, VIEW_TEXT, label->text) + 2 * inset;
    const float min_left = panel_width(stage);
    const float max_left = fmaxf(stage->width - VIEW_MARGIN * scale - width, min_left);
    const float left = view_clamp(center.x - 0.5f * width, min_left, max_left);
    const view_rect box = {left, center.y - 0.5f * height, width, height};
    view_draw_round_rect(stage->canvas, box, inset, 0x12151AC0u);
    view_draw_text(stage->canvas, VIEW_TEXT, box.x + inset, box.y + 2 * scale, 0, label->color,
                   label->text);
}

// Draws the plots side by side below the figures.
static void draw_bottom_plots(const view_stage *stage, float height)
{
    const view_picture *const picture = &stage->pages->picture;
    const float margin = VIEW_MARGIN * stage->font->scale;
    const float left = panel_width(stage);
    const float top = stage->height - height - panel_height(stage);
    for (uint32_t i = 0; i < picture->num_plots; i++) {
        const float width = (stage->width - left) / (float)picture->num_plots;
        const view_rect box = {left + (float)i * width, top, width - margin, height - margin};
        draw_plot(&picture->plots[i], stage->canvas, box);
    }
}

// Draws the labels of the picture over the image.
static void draw_labels(const view_stage *stage)
{
    const view_picture *const picture = &stage->pages->picture;
    md5_mat44 world_to_camera;
    md5_mat44 camera_to_clip;
    view_lens_matrices(&stage->pages->lens, &world_to_camera, &camera_to_clip);
    const md5_mat44 world_to_clip = md5_mat44_mul(camera_to_clip, world_to_camera);
    for (uint32_t i = 0; i < picture->num_labels; i++)
        draw_label(stage, &picture->labels[i], world_to_clip);
}

// Draws the panel of the stage's open lesson or contents, after view_draw_page().
void view_page_panel(view_ui *ui, const view_stage *stage)
{
    const view_pages *const pages = stage->pages;
    const float plots = plots_height(stage);
    if (pages->open == VIEW_CONTENTS)
        show_contents(ui, stage);
    // The lesson may have changed since view_draw_page(); its picture would not match.
    const view_page *const shown_page = pages->picture.page;
    if (shown_page == NULL || shown_page != view_page_at((uint32_t)pages->open))
        return;

    draw_labels(stage);
    if (has_text(stage))
        show_lesson_panel(ui, stage);
    else
        send_facts(&pages->picture);
    if (plots > 0)
        draw_bottom_plots(stage, plots);
}
