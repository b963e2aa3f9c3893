#include "demo/viewer/scene/details.h"

#include "demo/common/memory.h"
#include "demo/viewer/scene/reduce.h"

#include <stdlib.h>
#include <string.h>

// The error of a level: pixels; of shadow casters, texels of the shadow map. It is the sum of what
// surface, texture and normals move by, of which only the surface casts shadows.
static const float most_pixels = 1.0f, most_texels = 2.0f;

// The share of the triangles that a level must save of those of the one before.
static const float least_saved = 0.15f;

static uint32_t count_triangles(const md5_model *model)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++)
        count += model->meshes[i].num_triangles;
    return count;
}

// -- Reducing ---------------------------------------------------------------------------------

typedef struct reduction {
    const md5_model *source;
    float errors[VIEW_NUM_DETAILS];
    view_triangles (*meshes)[VIEW_NUM_DETAILS]; // [num_meshes]
} reduction;

static void reduce_part(void *user, uint32_t worker, size_t begin, size_t end)
{
    const reduction *const work = user;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        view_reduce_mesh(&work->source->meshes[i], work->errors, VIEW_NUM_DETAILS, work->meshes[i]);
}

// A copy of the model with the triangles of a level, which it owns.
static md5_model *make_model(const reduction *work, uint32_t level)
{
    const md5_model *const source = work->source;
    md5_model *const model = common_alloc(1, sizeof *model);
    md5_mesh *const meshes = common_alloc(source->num_meshes, sizeof *meshes);
    *model = *source;
    model->meshes = meshes;
    for (uint32_t i = 0; i < source->num_meshes; i++) {
        meshes[i] = source->meshes[i];
        meshes[i].num_triangles = work->meshes[i][level].count;
        meshes[i].indices = work->meshes[i][level].indices;
    }
    return model;
}

static void free_model(md5_model *model)
{
    if (model == NULL)
        return;
    for (uint32_t i = 0; i < model->num_meshes; i++)
        free((void *)model->meshes[i].indices);
    free((void *)model->meshes);
    free(model);
}

// -- Making -----------------------------------------------------------------------------------

static void alloc_instances(view_details *details, const view_detail_source *source)
{
    const size_t count = source->count;
    details->order = common_alloc(count, sizeof *details->order);
    details->palettes =
        common_alloc(count * source->model->skeleton.num_joints, sizeof *details->palettes);
    details->placements = common_alloc(count, sizeof *details->placements);
    details->tints = common_alloc(count, sizeof *details->tints);
}

static bool upload(md5gl_model **drawn, const md5_model *model, const view_loader *loader)
{
    md5_error error;
    *drawn = md5gl_create_model(loader->renderer, model, loader->options->path, &error);
    if (*drawn == NULL)
        *drawn = md5gl_create_model(loader->renderer, model, MD5GL_PATH_AUTO, &error);
    if (*drawn == NULL)
        view_warn(loader->log, "characters are drawn from all triangles: %s", error.message);
    return *drawn != NULL;
}

// Uploads a level if it saves enough triangles of those of the last one, `count`.
static bool upload_level(view_detail *detail, uint32_t *count, const view_loader *loader)
{
    const uint32_t own = count_triangles(detail->model);
    if ((float)own > (1.0f - least_saved) * (float)*count)
        return true;
    *count = own;
    return upload(&detail->drawn, detail->model, loader);
}

static bool upload_levels(view_details *details, const view_detail_source *source,
                          const reduction *work, const view_loader *loader)
{
    const md5_model *casters = NULL;
    uint32_t count = count_triangles(source->model);
    for (uint32_t i = 1; i <= VIEW_NUM_DETAILS; i++) {
        if (!upload_level(&details->levels[i], &count, loader))
            return false;
        if (work->errors[i - 1] <= most_texels * source->texel)
            casters = details->levels[i].model;
    }
    return casters == NULL || upload(&details->casters, casters, loader);
}

void view_make_details(view_details *details, const view_detail_source *source,
                       const md5_threads *threads, const view_loader *loader)
{
    reduction work = {.source = source->model};
    work.meshes = common_alloc(source->model->num_meshes, sizeof *work.meshes);
    *details = (view_details){.count = 1 + VIEW_NUM_DETAILS};
    for (uint32_t i = 0; i < VIEW_NUM_DETAILS; i++) {
        const float larger = (float)(1u << i);
        details->levels[i + 1].pixels = source->pixels / larger;
        work.errors[i] = most_pixels * 2.0f * source->radius * larger / source->pixels;
    }
    md5_threads_run(threads, source->model->num_meshes, reduce_part, &work);
    for (uint32_t i = 0; i < VIEW_NUM_DETAILS; i++)
        details->levels[i + 1].model = make_model(&work, i);
    free(work.meshes);
    details->levels[0].drawn = source->drawn;
    alloc_instances(details, source);
    if (!upload_levels(details, source, &work, loader))
        view_free_details(details, loader->renderer);
}

void view_free_details(view_details *details, md5gl_renderer *renderer)
{
    for (uint32_t i = 1; i <= VIEW_NUM_DETAILS && renderer != NULL; i++)
        md5gl_destroy_model(renderer, details->levels[i].drawn);
    if (renderer != NULL)
        md5gl_destroy_model(renderer, details->casters);
    for (uint32_t i = 0; i <= VIEW_NUM_DETAILS; i++)
        free_model(details->levels[i].model);
    free(details->order);
    free(details->palettes);
    free(details->placements);
    free(details->tints);
    *details = (view_details){0};
}

void view_show_detail_mesh(const view_details *details, uint32_t mesh, bool visible)
{
    for (uint32_t i = 1; i < details->count; i++)
        if (details->levels[i].drawn != NULL)
            md5gl_set_visible(details->levels[i].drawn, mesh, visible);
    if (details->casters != NULL)
        md5gl_set_visible(details->casters, mesh, visible);
}

uint32_t view_detail_at(const view_details *details, float pixels)
{
    uint32_t detail = 0;
    for (uint32_t i = 1; i < details->count && pixels <= details->levels[i].pixels; i++)
        detail = details->levels[i].drawn != NULL ? i : detail;
    return detail;
}
