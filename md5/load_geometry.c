#include "md5/md5skin.h"
#include "md5/load_geometry.h"

#include "md5/skin/plan.h"

#include <math.h>

// -- Arrays ---------------------------------------------------------------------------------

static bool measure_meshes(md5_arena *arena, const md5_mesh_file *file, size_t *size)
{
    md5_geometry_sizes *const sizes = (md5_geometry_sizes *)file->notes;
    md5_block block = {0};
    for (uint32_t m = 0; m < file->num_meshes; m++) {
        TRY(md5i_measure_mesh(arena, &file->meshes[m], &sizes[m]));
        md5i_measure_mesh_block(&block, &file->meshes[m], &sizes[m]);
    }
    *size = block.used;
    return true;
}

// The tables were placed; in their memory lies what deriving needs.
static bool derive_meshes(md5_arena *arena, const md5_mesh_file *file, const md5_mat34 *bind,
                          md5_model *model, md5_mesh *meshes)
{
    const md5_geometry_sizes *const sizes = (const md5_geometry_sizes *)file->notes;
    md5_block block = {.base = (unsigned char *)model->geometry};
    const md5_geometry_source joints = {
        .num_joints = file->num_joints,
        .bind = bind,
        .joint_scratch =
            (uint32_t *)md5i_arena_alloc(arena, file->num_joints, sizeof *joints.joint_scratch),
    };
    TRY(joints.joint_scratch);
    for (uint32_t m = 0; m < file->num_meshes; m++) {
        TRY(md5i_derive_mesh(arena, &block, &file->meshes[m], &sizes[m], &joints, &meshes[m]));
        model->bounds = md5_bounds_union(model->bounds, meshes[m].bounds);
        if (meshes[m].num_vertices > model->max_vertices)
            model->max_vertices = meshes[m].num_vertices;
    }
    return true;
}

bool md5i_make_meshes(md5_arena *arena, const md5_mesh_file *file, const md5_mat34 *bind,
                      md5_model *model, md5_mesh *meshes)
{
    const md5_geometry_sizes *const sizes = (const md5_geometry_sizes *)file->notes;
    size_t size;
    TRY(measure_meshes(arena, file, &size));
    if (size == 0)
        return true; // no meshes
    TRY(model->geometry = md5i_alloc(arena->context, size));
    model->geometry_size = size;
    md5_block block = {.base = (unsigned char *)model->geometry};
    for (uint32_t m = 0; m < file->num_meshes; m++)
        md5i_place_mesh(&block, &file->meshes[m], &sizes[m], &meshes[m]);
    md5i_arena_rewind(arena, file->tables);
    model->bounds = md5_bounds_from_points(NULL, 0);
    model->max_vertices = 0;
    return derive_meshes(arena, file, bind, model, meshes);
}

// -- Plans and losses -----------------------------------------------------------------------

bool md5i_build_plans(md5_context *context, uint32_t num_meshes, md5_mesh *meshes)
{
    for (uint32_t m = 0; m < num_meshes; m++) {
        if (!meshes[m].skin_plan)
            TRY(md5i_skin_plan_build(context, &meshes[m], &meshes[m].skin_plan));
    }
    return true;
}

// Whether each vertex follows one joint with bias 1, or none: then packed influences lose nothing.
// Without a plan nobody knows.
static bool is_rigid(const md5_skin_plan *plan)
{
    uint32_t i = 0;
    while (plan && i < plan->num_runs && plan->runs[i].kind <= MD5_SKIN_RIGID)
        i++;
    return plan && i == plan->num_runs;
}

// What a drawing path with 4 or 8 influences a vertex loses.
static void measure_loss(const md5_model *model, uint32_t m, md5_mesh *mesh)
{
    mesh->loss4 = mesh->loss8 = 0.0f;
    if (is_rigid(mesh->skin_plan))
        return;
    mesh->loss4 = md5_pack_loss(model, m, 4, NULL);
    // Without a vertex of more than four influences the packed forms are equal.
    mesh->loss8 = mesh->max_influences > 4 ? md5_pack_loss(model, m, 8, NULL) : mesh->loss4;
}

void md5i_measure_losses(const md5_model *model, md5_mesh *meshes)
{
    for (uint32_t m = 0; m < model->num_meshes; m++)
        measure_loss(model, m, &meshes[m]);
}

bool md5i_finish_meshes(md5_context *context, const md5_model *model, md5_mesh *meshes)
{
    TRY(context->without & MD5_PART_SKIN_PLANS
        || md5i_build_plans(context, model->num_meshes, meshes));
    if (!(context->without & MD5_PART_LOSSES)) {
        md5i_measure_losses(model, meshes);
        return true;
    }
    for (uint32_t m = 0; m < model->num_meshes; m++)
        meshes[m].loss4 = meshes[m].loss8 = INFINITY;
    return true;
}

// -- Releasing ------------------------------------------------------------------------------

void md5_release_geometry(md5_model *model)
{
    MD5_ASSERT(model != NULL, "model: not NULL");
    for (uint32_t m = 0; m < model->num_meshes && model->geometry; m++) {
        md5_mesh *const mesh = &md5_own_meshes(model)[m];
        md5i_skin_plan_free(&model->allocator, mesh->skin_plan);
        mesh->file_vertices = NULL;
        mesh->weights = NULL;
        mesh->indices = mesh->sources = NULL;
        mesh->texcoords = NULL;
        mesh->positions = mesh->normals = NULL;
        mesh->tangents = mesh->colors = mesh->influences = NULL;
        mesh->first_influence = mesh->influence_joints = NULL;
        mesh->skin_plan = NULL;
    }
    if (model->geometry)
        model->allocator.free(model->allocator.user, model->geometry, model->geometry_size);
    model->geometry = NULL;
    model->geometry_size = 0;
}
