// Models: read, derive what drawing and posing need, put into two blocks and the skinning plans.
#include "md5/core/axes.h"
#include "md5/core/parts.h"
#include "md5/load.h"
#include "md5/load_mesh.h"
#include "md5/pose/bind_pose.h"
#include "md5/skin/plan.h"

#include <math.h>

// The parts of a model in its block; all NULL while the block is measured.
typedef struct model_layout {
    md5_model *model;
    md5_mesh *meshes;
    md5_joint *joints;
    uint32_t *order;
    md5_transform *bind_local;
    md5_mat34 *bind, *inverse_bind;
    char *names;
} model_layout;

static bool measure_meshes(md5_arena *arena, const md5_mesh_file *file)
{
    md5_geometry_sizes *const sizes = (md5_geometry_sizes *)file->notes;
    for (uint32_t m = 0; m < file->num_meshes; m++)
        TRY(md5_measure_mesh(arena, &file->meshes[m], &sizes[m]));
    return true;
}

static size_t model_names_size(const md5_mesh_file *file)
{
    size_t size = md5_joint_names_size(file->joints, file->num_joints);
    for (uint32_t m = 0; m < file->num_meshes; m++)
        size += md5_name_size(file->meshes[m].name) + md5_name_size(file->meshes[m].shader);
    return size + md5_name_size(file->command_line);
}

static void lay_out_model(md5_block *block, const md5_mesh_file *file, model_layout *layout)
{
    const uint32_t num_joints = file->num_joints;
    layout->model = (md5_model *)md5_block_take(block, 1, sizeof *layout->model);
    layout->meshes = (md5_mesh *)md5_block_take(block, file->num_meshes, sizeof *layout->meshes);
    layout->joints = (md5_joint *)md5_block_take(block, num_joints, sizeof *layout->joints);
    layout->order = (uint32_t *)md5_block_take(block, num_joints, sizeof *layout->order);
    layout->bind_local =
        (md5_transform *)md5_block_take(block, num_joints, sizeof *layout->bind_local);
    layout->bind = (md5_mat34 *)md5_block_take(block, num_joints, sizeof *layout->bind);
    layout->inverse_bind =
        (md5_mat34 *)md5_block_take(block, num_joints, sizeof *layout->inverse_bind);
    layout->names = (char *)md5_block_take(block, model_names_size(file), 1);
}

// The blocks of a model but for those of the plans: what md5_release_geometry() keeps, and what it
// frees.
typedef struct model_blocks {
    md5_block model, geometry;
} model_blocks;

static model_blocks measure_model(const md5_mesh_file *file)
{
    const md5_geometry_sizes *const sizes = (const md5_geometry_sizes *)file->notes;
    model_blocks blocks = {0};
    model_layout model;
    lay_out_model(&blocks.model, file, &model);
    for (uint32_t m = 0; m < file->num_meshes; m++)
        md5_measure_mesh_block(&blocks.geometry, &file->meshes[m], &sizes[m]);
    return blocks;
}

// Places the joints and copies the tables of the meshes, which are not needed afterwards.
static md5_model *place_model(const md5_context *context, model_blocks *blocks,
                              const md5_mesh_file *file, model_layout *layout)
{
    const md5_geometry_sizes *const sizes = (const md5_geometry_sizes *)file->notes;
    const uint32_t num_joints = file->num_joints;
    lay_out_model(&blocks->model, file, layout);
    char *names = layout->names;
    md5_copy_joints(&names, file->joints, num_joints, layout->joints);
    md5_copy_items(layout->order, file->order, num_joints, sizeof *layout->order);

    md5_model *const model = layout->model;
    *model = (md5_model){
        .skeleton = {num_joints, layout->joints, layout->order, context->axes, context->scale},
        .bind_local = layout->bind_local,
        .bind = layout->bind,
        .inverse_bind = layout->inverse_bind,
        .num_meshes = file->num_meshes,
        .meshes = layout->meshes,
        .bounds = md5_bounds_of_points(NULL, 0),
        .command_line = md5_copy_name(&names, file->command_line),
        .num_warnings = context->num_warnings,
        .allocator = context->allocator,
    };
    md5_build_bind_pose(&model->skeleton, file->bind, layout->bind_local, layout->bind,
                        layout->inverse_bind);
    md5_block meshes = blocks->geometry;
    for (uint32_t m = 0; m < file->num_meshes; m++) {
        layout->meshes[m] = (md5_mesh){.name = md5_copy_name(&names, file->meshes[m].name),
                                       .shader = md5_copy_name(&names, file->meshes[m].shader)};
        md5_place_mesh(&meshes, &file->meshes[m], &sizes[m], &layout->meshes[m]);
    }
    return model;
}

static bool fill_model(md5_arena *arena, model_blocks *blocks, const md5_mesh_file *file,
                       md5_model **result)
{
    const md5_geometry_sizes *const sizes = (const md5_geometry_sizes *)file->notes;
    model_layout layout;
    md5_model *const model = place_model(arena->context, blocks, file, &layout);
    md5_arena_rewind(arena, file->tables);
    const md5_geometry_source joints = {
        .num_joints = file->num_joints,
        .bind = layout.bind,
        .joint_scratch =
            (uint32_t *)md5_arena_alloc(arena, file->num_joints, sizeof *joints.joint_scratch),
    };
    TRY(joints.joint_scratch);
    for (uint32_t m = 0; m < file->num_meshes; m++) {
        md5_mesh *const mesh = &layout.meshes[m];
        TRY(md5_derive_mesh(arena, &blocks->geometry, &file->meshes[m], &sizes[m], &joints, mesh));
        model->bounds = md5_bounds_union(model->bounds, mesh->bounds);
    }
    if (md5_converts(arena->context)) { // meshes are derived from the file's own bind pose
        md5_convert_transforms(arena->context, layout.bind_local, file->num_joints);
        md5_convert_matrices(arena->context, layout.bind, file->num_joints);
        md5_convert_matrices(arena->context, layout.inverse_bind, file->num_joints);
    }
    model->size = blocks->model.used;
    model->geometry = blocks->geometry.base;
    model->geometry_size = blocks->geometry.used;
    *result = model;
    return true;
}

// The meshes lie in the model's own block.
static md5_mesh *own_mesh(const md5_model *model, uint32_t mesh)
{
    return (md5_mesh *)&model->meshes[mesh];
}

static bool build_plans(md5_context *context, const md5_model *model)
{
    const bool has_plans = MD5_HAS_SKIN_PLAN && !context->no_skin_plan;
    for (uint32_t m = 0; has_plans && m < model->num_meshes; m++)
        TRY(md5_skin_plan_build(context, &model->meshes[m], &own_mesh(model, m)->skin_plan));
    return true;
}

// Whether each vertex follows one joint with bias 1, or none: then packed influences lose nothing.
// Without a plan nobody knows.
static bool is_rigid(const md5_skin_plan *plan)
{
    uint32_t i = 0;
    while (MD5_HAS_SKIN_PLAN && plan && i < plan->num_runs && plan->runs[i].kind <= MD5_SKIN_RIGID)
        i++;
    return MD5_HAS_SKIN_PLAN && plan && i == plan->num_runs;
}

// What a drawing path with 4 or 8 influences a vertex loses, for each mesh.
static void measure_losses(const md5_model *model)
{
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        md5_mesh *const mesh = own_mesh(model, m);
        if (is_rigid(mesh->skin_plan))
            continue; // loses nothing
        if (!MD5_HAS_LOSS) {
            mesh->loss4 = mesh->loss8 = INFINITY; // unknown
            continue;
        }
        mesh->loss4 = md5_path_loss(model, m, 4, NULL);
        // Without a vertex of more than four influences the packed forms are equal.
        mesh->loss8 = mesh->max_influences > 4 ? md5_path_loss(model, m, 8, NULL) : mesh->loss4;
    }
}

// Reserves the scratch memory of an ordinary file in one chunk: the file's tables, and later, in
// the same bytes, what deriving the largest mesh needs.
static bool reserve_scratch(md5_arena *arena, const char *text, size_t size)
{
    const md5_mesh_counts counts = md5_count_mesh_file(text, size);
    const md5_mesh_counts no_tables = {.num_joints = counts.num_joints,
                                       .num_meshes = counts.num_meshes};
    const uint64_t notes = counts.num_meshes * sizeof(md5_geometry_sizes);
    const uint64_t reading =
        md5_mesh_file_size(&counts) + md5_geometry_measure_size(counts.most_vertices);
    const uint64_t deriving = md5_mesh_file_size(&no_tables) + counts.num_joints * sizeof(uint32_t)
                              + md5_geometry_build_size(counts.most_vertices);
    const uint64_t most = notes + (reading > deriving ? reading : deriving);
    return md5_arena_reserve(arena, most < SIZE_MAX ? (size_t)most : SIZE_MAX);
}

static bool build_model(md5_arena *arena, const char *text, size_t size, void **asset)
{
    md5_mesh_file file;
    md5_model *model = NULL;
    const size_t note_size = sizeof(md5_geometry_sizes);
    const bool is_bfg = MD5_HAS_BFG && md5_is_bfg_mesh(text, size);
    if (MD5_HAS_SHORTCUTS && !is_bfg)
        TRY(reserve_scratch(arena, text, size));
    TRY(is_bfg ? md5_read_bfg_mesh(arena, text, size, note_size, &file)
               : md5_read_mesh_file(arena, text, size, note_size, &file));
    TRY(measure_meshes(arena, &file));
    const model_blocks sizes = measure_model(&file);
    const size_t model_size = sizes.model.used, geometry_size = sizes.geometry.used;
    model_blocks blocks = {0};
    if (geometry_size > 0)
        blocks.geometry.base = (unsigned char *)md5_alloc(arena->context, geometry_size);
    if (blocks.geometry.base || geometry_size == 0)
        blocks.model.base = (unsigned char *)md5_alloc(arena->context, model_size);
    const bool has_memory = blocks.model.base != NULL;
    if (!has_memory || !fill_model(arena, &blocks, &file, &model)) {
        md5_free(arena->context, blocks.geometry.base, geometry_size);
        md5_free(arena->context, blocks.model.base, model_size);
        return false;
    }
    // Plans take memory only after scratch memory is freed, so that the most that is held at once
    // does not include both.
    md5_arena_free(arena);
    if (!build_plans(arena->context, model)) {
        md5_free_model(model);
        return false;
    }
    measure_losses(model);
    *asset = model;
    return true;
}

md5_model *md5_parse_model(const void *text, size_t size, const md5_load_opts *opts,
                           md5_error *error)
{
    MD5_ASSERT_TEXT(text, size);
    MD5_ASSERT_OPTS(opts);
    return (md5_model *)md5_parse_asset(build_model, text, size, opts, error);
}

md5_model *md5_load_model(const char *path, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_PATH(path);
    MD5_ASSERT_OPTS(opts);
    return (md5_model *)md5_load_asset(build_model, path, opts, error);
}

void md5_release_geometry(md5_model *model)
{
    MD5_ASSERT(model != NULL, "model: not NULL");
    for (uint32_t m = 0; m < model->num_meshes && model->geometry; m++) {
        md5_mesh *const mesh = own_mesh(model, m);
        md5_skin_plan_free(&model->allocator, mesh->skin_plan);
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

void md5_free_model(md5_model *model)
{
    if (!model)
        return;
    md5_release_geometry(model);
    model->allocator.free(model->allocator.user, model, model->size);
}
