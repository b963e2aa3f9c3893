// Levels of detail: selects the level for a size in the image, creates the levels with fewer
// triangles, and frees all levels.
#include "demo/viewer/crowd/crowd.h"

#include "demo/common/threads.h"

// Selects the coarsest level whose size limit is not below the member's size in the image.
uint32_t view_detail_at(const view_kind *kind, uint32_t clip, float pixels, bool reduced,
                        bool baked)
{
    // Levels are sorted from fine to coarse, so the last level that fits is the coarsest.
    uint32_t coarsest = 0;
    for (uint32_t i = 1; i < kind->num_levels; i++) {
        const view_detail *const level = &kind->levels[i];
        const bool is_baked = level->source == VIEW_DETAIL_BAKED && baked;
        const bool is_reduced = level->source == VIEW_DETAIL_POSED && reduced;
        if (level->drawn == NULL || (!is_baked && !is_reduced))
            continue;
        const float max_pixels = is_baked ? kind->bakes.sizes[clip] : level->pixels;
        if (pixels <= max_pixels)
            coarsest = i;
    }
    return coarsest;
}

// Frees the levels of detail of a kind, except its model. Level 0 is the kind's model, which
// belongs to the kind. A level with fewer triangles owns its indices and its list of meshes, but
// shares the vertices with level 0.
void view_free_levels(view_kind *kind, md5gl_renderer *renderer)
{
    // In reverse order, because a baked level may use the triangles of an earlier level.
    for (uint32_t i = kind->num_levels; i-- > 1;) {
        const view_detail *const level = &kind->levels[i];
        if (renderer != NULL) {
            md5gl_destroy_model(renderer, level->drawn);
            md5gl_destroy_morph(renderer, level->drawn_morph);
        }
        if (level->source != VIEW_DETAIL_POSED)
            continue;
        for (uint32_t m = 0; m < level->model->num_meshes; m++)
            free((void *)level->model->meshes[m].indices);
        free((void *)level->model->meshes);
        free(level->model);
    }
    if (renderer != NULL) {
        md5gl_destroy_baked(renderer, kind->bakes.clips);
        md5gl_destroy_impostors(renderer, kind->pictures.impostors);
    }
    free(kind->bakes.rates);
    free(kind->bakes.sizes);
    free(kind->jobs);
    free(kind->pictures.first);
    free(kind->pictures.instances);
    kind->bakes = (view_bakes){0};
    kind->pictures = (view_pictures){0};
    kind->num_levels = 0;
}

// == Fewer triangles ==============================================================================

// Maximum error of a level, in pixels, and of the level for shadow casters, in texels of the shadow
// map. meshoptimizer measures only the error of the surface, not of texture and normals. In crowds
// of Bobbin and Thimble, a surface error of a third of a pixel changes the image as much as the
// three errors together if their sum is one pixel.
static const float max_error_pixels = 0.35f;

static const float max_error_texels = 1;

// A level must save this fraction of the previous level's triangles. Otherwise it is not worth its
// memory.
static const float min_saved = 0.15f;

// Input and result of reducing the meshes of a model to VIEW_NUM_REDUCED levels.
typedef struct reduction {
    const md5_model *source;
    const md5_morph *morph;                     // NULL: the model does not have morph targets
    md5_mat34 *bent;                            // palette of view_bend_joints()
    float errors[VIEW_NUM_REDUCED];             // permitted error of each level, units
    view_triangles (*meshes)[VIEW_NUM_REDUCED]; // [num_meshes] result: the triangles of each level
} reduction;

// Reduces the meshes from `begin` to before `end`. Runs on a worker thread; `user` is the
// reduction.
static void reduce_part(void *user, uint32_t worker, size_t begin, size_t end)
{
    const reduction *const work = user;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const md5_morph_mesh *const morph = work->morph != NULL ? &work->morph->meshes[i] : NULL;
        view_create_mesh_levels(&work->source->meshes[i], work->bent, morph, work->errors,
                                VIEW_NUM_REDUCED, work->meshes[i]);
    }
}

// Uploads the model of a level, and its morph targets unless `morph` is NULL. Returns false and
// logs a warning on failure.
static bool upload_level(view_detail *level, const md5_morph *morph, const view_loader *loader)
{
    md5gl_renderer *const renderer = loader->renderer;
    md5_error error = {0};
    level->drawn = md5gl_create_model(renderer, level->model, loader->options->path, &error);
    if (level->drawn == NULL)
        level->drawn = md5gl_create_model(renderer, level->model, MD5GL_PATH_AUTO, &error);
    bool is_uploaded = level->drawn != NULL;
    if (is_uploaded && morph != NULL) {
        level->morph = *morph;
        level->morph.model = level->model;
        level->drawn_morph = md5gl_create_morph(renderer, &level->morph, &error);
        is_uploaded = level->drawn_morph != NULL;
    }
    if (!is_uploaded)
        view_warn(loader->log, "cannot create reduced meshes: %s; all triangles are drawn",
                  error.message);
    return is_uploaded;
}

// Returns a copy of the model with the reduced meshes of a level. view_free_levels() frees it.
static md5_model *create_reduced_model(const reduction *work, int level)
{
    const md5_model *const source = work->source;
    md5_model *const model = common_alloc(1, sizeof *model);
    md5_mesh *const meshes = common_alloc(source->num_meshes, sizeof *meshes);
    *model = *source;
    model->meshes = meshes;
    for (uint32_t m = 0; m < source->num_meshes; m++) {
        meshes[m] = source->meshes[m];
        meshes[m].num_triangles = work->meshes[m][level].count;
        meshes[m].indices = work->meshes[m][level].indices;
    }
    return model;
}

// Reduces all meshes of a model to the levels of detail, on several threads. The error of level i
// is at most errors[i]. Allocates work->meshes.
static void reduce_meshes(reduction *work, const md5_threads *threads)
{
    const md5_model *const source = work->source;
    work->bent = common_alloc(source->skeleton.num_joints, sizeof *work->bent);
    work->meshes = common_alloc(source->num_meshes, sizeof *work->meshes);
    view_bend_joints(source, work->bent);
    md5_threads_run(threads, source->num_meshes, reduce_part, work);
    free(work->bent);
    work->bent = NULL;
}

// Adds the reduced levels. The first is for members up to `pixels`, each other level for half of
// the previous diameter. They are not uploaded yet; view_free_levels() frees their models.
static void add_reduced_levels(view_kind *kind, const reduction *work, float pixels)
{
    for (int i = 0; i < VIEW_NUM_REDUCED; i++) {
        view_detail *const level = &kind->levels[kind->num_levels++];
        *level = (view_detail){.source = VIEW_DETAIL_POSED,
                               .pixels = pixels / (float)(1u << i),
                               .model = create_reduced_model(work, i)};
    }
}

// Uploads the reduced levels, except those that save too few triangles. Returns false if an upload
// fails.
static bool upload_reduced_levels(view_detail levels[VIEW_NUM_REDUCED], const reduction *work,
                                  const view_loader *loader)
{
    // Number of triangles of the last uploaded level.
    uint32_t num_triangles = view_count_triangles(work->source);
    for (int i = 0; i < VIEW_NUM_REDUCED; i++) {
        const uint32_t count = view_count_triangles(levels[i].model);
        if ((float)count > (1 - min_saved) * (float)num_triangles)
            continue;
        num_triangles = count;
        if (!upload_level(&levels[i], work->morph, loader))
            return false;
    }
    return true;
}

// Adds a level for shadow casters: the coarsest reduced level whose error is at most `max_error`
// units, if there is one. Returns false if the upload fails.
static bool add_caster_level(view_kind *kind, const view_detail reduced[VIEW_NUM_REDUCED],
                             const reduction *work, float max_error, const view_loader *loader)
{
    view_detail casters = {.source = VIEW_DETAIL_CASTERS};
    for (int i = 0; i < VIEW_NUM_REDUCED; i++) {
        if (work->errors[i] <= max_error)
            casters.model = reduced[i].model;
    }
    if (casters.model == NULL)
        return true;
    view_detail *const last = &kind->levels[kind->num_levels++];
    *last = casters;
    return upload_level(last, work->morph, loader);
}

void view_add_reduced(view_kind *kind, float pixels, float texel, const md5_threads *threads,
                      const view_loader *loader)
{
    reduction work = {.source = kind->model,
                      .morph = kind->morphs != NULL ? kind->morphs->morph : NULL};
    // Each level is for half of the diameter of the previous level, so its error in units may be
    // twice as large.
    const float diameter = 2 * kind->sphere.radius; // units
    for (int i = 0; i < VIEW_NUM_REDUCED; i++)
        work.errors[i] = max_error_pixels * diameter * (float)(1u << i) / pixels;
    reduce_meshes(&work, threads);
    view_detail *const reduced = &kind->levels[kind->num_levels];
    add_reduced_levels(kind, &work, pixels);
    free(work.meshes);

    bool is_uploaded = upload_reduced_levels(reduced, &work, loader);
    if (is_uploaded)
        is_uploaded = add_caster_level(kind, reduced, &work, max_error_texels * texel, loader);
    if (!is_uploaded) {
        view_free_levels(kind, loader->renderer);
        kind->num_levels = 1; // the kind's model
    }
}
