// What meshes look like: the materials of each skin, and the tint and skin of each instance.
#include "render/gl_internal.h"

#include <string.h>

// -- Materials --------------------------------------------------------------------------------

md5gl_surface *md5gli_surface_of(const md5gl_model *model, uint32_t skin, uint32_t mesh)
{
    return &model->surfaces[(size_t)skin * model->model->num_meshes + mesh];
}

void md5gl_set_skin_material(md5gl_model *model, uint32_t skin, uint32_t mesh,
                             const md5gl_material *material)
{
    MD5_ASSERT(model != NULL && material != NULL, "model, material: not NULL");
    MD5_ASSERT(skin < model->num_skins, "skin: below the number of skins");
    MD5_ASSERT(mesh < model->model->num_meshes, "mesh: an index into the model's meshes");
    MD5_ASSERT_RESERVED(material);
    md5gl_surface *const surface = md5gli_surface_of(model, skin, mesh);
    const md5gl_material *const old = &surface->material;
    if (old->diffuse != material->diffuse || old->alpha_test != material->alpha_test
        || old->flags != material->flags) // what needs_alpha_test() reads
        surface->opacity_known = false;
    surface->material = *material;
}

void md5gl_set_material(md5gl_model *model, uint32_t mesh, const md5gl_material *material)
{
    md5gl_set_skin_material(model, 0, mesh, material);
}

void md5gl_set_texture(md5gl_model *model, uint32_t mesh, md5gl_texture diffuse)
{
    MD5_ASSERT(model != NULL, "model: not NULL");
    MD5_ASSERT(mesh < model->model->num_meshes, "mesh: an index into the model's meshes");
    md5gl_material material = md5gli_surface_of(model, 0, mesh)->material;
    material.diffuse = diffuse;
    md5gl_set_skin_material(model, 0, mesh, &material);
}

void md5gl_set_visible(md5gl_model *model, uint32_t mesh, bool visible)
{
    MD5_ASSERT(model != NULL, "model: not NULL");
    MD5_ASSERT(mesh < model->model->num_meshes, "mesh: an index into the model's meshes");
    model->meshes[mesh].visible = visible;
}

// -- Opacity ----------------------------------------------------------------------------------

// Opaque textures are marked as such; vertex colours may have alpha, too.
static bool needs_alpha_test(md5gl_renderer *renderer, const md5_mesh *mesh,
                             const md5gl_material *material)
{
    if (material->flags & MD5GL_OPAQUE)
        return false;
    return mesh->colors || material->alpha_test >= 1.0f
           || (material->diffuse && !md5gli_texture_is_opaque(renderer, material->diffuse));
}

void md5gli_update_opacity(md5gl_renderer *renderer, md5gl_model *model)
{
    const uint32_t num_meshes = model->model->num_meshes;
    for (uint32_t i = 0; i < model->num_skins * num_meshes; i++) {
        const md5gl_mesh *const mesh = &model->meshes[i % num_meshes];
        md5gl_surface *const surface = &model->surfaces[i];
        if (surface->opacity_known || !mesh->visible)
            continue;
        surface->alpha_tested = needs_alpha_test(renderer, mesh->mesh, &surface->material);
        surface->opacity_known = true;
    }
}

bool md5gli_is_opaque(const md5gl_surface *surface)
{
    return surface->opacity_known && !surface->alpha_tested;
}

// -- Skins ------------------------------------------------------------------------------------

bool md5gl_set_num_skins(md5gl_renderer *renderer, md5gl_model *model, uint32_t num_skins,
                         md5_error *error)
{
    MD5_ASSERT(renderer != NULL && model != NULL, "renderer, model: not NULL");
    MD5_ASSERT(num_skins > 0, "num_skins: at least 1");
    const size_t num_meshes = model->model->num_meshes, size = sizeof *model->surfaces;
    const uint32_t kept = num_skins < model->num_skins ? num_skins : model->num_skins;
    md5gli_clear_error(error);
    if (num_meshes > UINT32_MAX / num_skins)
        return md5gli_fail(error, MD5_ERROR_RANGE, "%u skins of %zu meshes are too many",
                           (unsigned)num_skins, num_meshes);
    md5gl_surface *const surfaces =
        (md5gl_surface *)md5gli_alloc(&renderer->allocator, num_skins * num_meshes, size, error);
    if (!surfaces)
        return false;
    for (uint32_t skin = 0; skin < num_skins; skin++)
        memcpy(surfaces + skin * num_meshes, md5gli_surface_of(model, skin < kept ? skin : 0, 0),
               num_meshes * size);
    md5gli_free(&renderer->allocator, model->surfaces, model->num_skins * num_meshes * size);
    model->surfaces = surfaces;
    model->num_skins = num_skins;
    md5gli_forget_looks(model, model->num_instances);
    return true;
}

// -- Instances --------------------------------------------------------------------------------

void md5gli_forget_looks(md5gl_model *model, uint32_t num_instances)
{
    model->num_instances = num_instances;
    model->tinted = false;
    model->faded = false;
    model->num_runs = 0;
}

md5gl_run md5gli_run_at(const md5gl_model *model, uint32_t index)
{
    if (model->num_runs > 0)
        return index < model->num_runs ? model->runs[index] : (md5gl_run){0};
    return (md5gl_run){.count = index == 0 ? model->num_instances : 0};
}

static bool check_skins(const md5gl_model *model, const uint32_t *skins, md5_error *error)
{
    for (uint32_t i = 0; i < model->num_instances; i++) {
        if (skins[i] >= model->num_skins)
            return md5gli_fail(error, MD5_ERROR_RANGE, "instance %u: skin %u, but there are %u",
                               (unsigned)i, (unsigned)skins[i], (unsigned)model->num_skins);
    }
    return true;
}

// Returns how many runs the instances form; writes them unless `runs` is NULL.
static uint32_t find_runs(const uint32_t *skins, uint32_t count, md5gl_run *runs)
{
    uint32_t num_runs = 0;
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && skins[end] == skins[first]; end++) {
        }
        if (runs)
            runs[num_runs] = (md5gl_run){skins[first], first, end - first};
        num_runs++;
    }
    return num_runs;
}

static bool set_runs(md5gl_renderer *renderer, md5gl_model *model, const uint32_t *skins,
                     md5_error *error)
{
    if (!check_skins(model, skins, error))
        return false;
    const uint32_t num_runs = find_runs(skins, model->num_instances, NULL);
    if (num_runs > model->run_capacity) {
        md5gl_run *const runs =
            (md5gl_run *)md5gli_alloc(&renderer->allocator, num_runs, sizeof *runs, error);
        if (!runs)
            return false;
        md5gli_free(&renderer->allocator, model->runs, model->run_capacity * sizeof *model->runs);
        model->runs = runs;
        model->run_capacity = num_runs;
    }
    model->num_runs = find_runs(skins, model->num_instances, model->runs);
    return true;
}

static void upload_tints(md5gl_renderer *renderer, md5gl_model *model, const md5_vec4 *tints)
{
    for (uint32_t i = 0; i < model->num_instances; i++)
        model->faded = model->faded || tints[i].w < 1.0f;
    model->tinted = true;
    for (uint32_t i = 0; i < model->num_batches; i++) {
        md5gl_batch *const batch = &model->batches[i];
        md5gli_fill_table(renderer, &batch->tints, tints, batch->count * sizeof *tints);
        tints += batch->count;
    }
}

bool md5gl_set_looks(md5gl_renderer *renderer, md5gl_model *model, const md5_vec4 *tints,
                     const uint32_t *skins, md5_error *error)
{
    MD5_ASSERT(renderer != NULL && model != NULL, "renderer, model: not NULL");
    md5gli_clear_error(error);
    md5gli_forget_looks(model, model->num_instances);
    if (model->num_batches == 0 || model->num_instances == 0)
        return true;
    if (skins && !set_runs(renderer, model, skins, error))
        return false;
    if (tints)
        upload_tints(renderer, model, tints);
    return true;
}
