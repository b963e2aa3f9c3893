// Draws the part of a lesson that is in space: its character on the GPU in all figures, the lines
// and the background. view_draw_page() draws it.
#include "demo/viewer/pages/page.h"

// == The character on the GPU =====================================================================

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

// == The lesson in space ==========================================================================

// Frees the GPU objects and results of another character, and the cached results of another lesson
// or of other slider values. Only the first page->num_cache_sliders sliders affect cached results.
// `page` is NULL for the contents.
static void free_outdated(view_pages *pages, const view_page *page, const md5_model *model,
                          md5gl_renderer *renderer)
{
    const bool caches_results = page != NULL && page->fill_cache != NULL;
    const uint32_t num_sliders = caches_results ? page->num_cache_sliders : 0;
    const size_t size = num_sliders * sizeof *pages->values; // size of the sliders' values, bytes
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

// Returns the part of the window that the panel, the plots and the code leave for the figures.
// Without a panel, returns the complete window.
static view_rect figures_area(const view_stage *stage, bool has_panel)
{
    if (!has_panel)
        return (view_rect){0, 0, stage->width, stage->height};
    const float left = view_page_panel_width(stage);
    const float covered = view_page_plots_height(stage) + view_page_code_height(stage)
                          + view_page_panel_height(stage);
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
bool view_draw_page(const view_stage *given, double seconds, md5gl_target *target, unsigned omitted,
                    md5_error *error)
{
    const bool has_panel = !(omitted & VIEW_OMIT_INTERFACE);
    const bool transparent = (omitted & VIEW_OMIT_BACKGROUND) != 0;
    view_pages *const pages = given->pages;
    const view_page *const page = view_page_at((uint32_t)pages->open); // NULL: the contents
    const bool is_prepared = prepare_picture(given, page, seconds, error);

    // Fit the bounding box of the lesson to the free space.
    const view_rect area = figures_area(given, has_panel);
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
