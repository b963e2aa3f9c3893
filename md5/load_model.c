// Models: read, put into a block of their own, and meshes in another one: see load_geometry.h.
#include "md5/core/axes.h"
#include "md5/load.h"
#include "md5/load_geometry.h"
#include "md5/pose/bind_pose.h"

// The parts of a model in its block; all NULL while the block is measured.
typedef struct model_layout {
    md5_model *model;
    md5_mesh *meshes;
    md5_joint *joints;
    uint32_t *order;
    md5_xform *bind_local;
    md5_mat34 *bind, *inverse_bind;
    char *names;
} model_layout;

static size_t model_names_size(const md5_mesh_file *file)
{
    size_t size = md5i_joint_names_size(file->joints, file->num_joints);
    for (uint32_t m = 0; m < file->num_meshes; m++)
        size += md5i_name_size(file->meshes[m].name) + md5i_name_size(file->meshes[m].shader);
    return size + md5i_name_size(file->command_line);
}

static void lay_out_model(md5_block *block, const md5_mesh_file *file, model_layout *layout)
{
    const uint32_t num_joints = file->num_joints;
    layout->model = (md5_model *)md5i_block_take(block, 1, sizeof *layout->model);
    layout->meshes = (md5_mesh *)md5i_block_take(block, file->num_meshes, sizeof *layout->meshes);
    layout->joints = (md5_joint *)md5i_block_take(block, num_joints, sizeof *layout->joints);
    layout->order = (uint32_t *)md5i_block_take(block, num_joints, sizeof *layout->order);
    layout->bind_local =
        (md5_xform *)md5i_block_take(block, num_joints, sizeof *layout->bind_local);
    layout->bind = (md5_mat34 *)md5i_block_take(block, num_joints, sizeof *layout->bind);
    layout->inverse_bind =
        (md5_mat34 *)md5i_block_take(block, num_joints, sizeof *layout->inverse_bind);
    layout->names = (char *)md5i_block_take(block, model_names_size(file), 1);
}

static size_t measure_model(const md5_mesh_file *file)
{
    md5_block block = {0};
    model_layout layout;
    lay_out_model(&block, file, &layout);
    return block.used;
}

// Fills the model's own block: everything but what meshes have in theirs.
static md5_model *place_model(const md5_context *context, md5_block *block,
                              const md5_mesh_file *file, md5_mesh **meshes)
{
    const uint32_t num_joints = file->num_joints;
    model_layout layout;
    lay_out_model(block, file, &layout);
    char *names = layout.names;
    md5i_copy_joints(&names, file->joints, num_joints, layout.joints);
    md5_copy_items(layout.order, file->order, num_joints, sizeof *layout.order);

    md5_model *const model = layout.model;
    *model = (md5_model){
        .skeleton = {num_joints, layout.joints, layout.order, context->axes, context->scale},
        .bind_local = layout.bind_local,
        .bind = layout.bind,
        .inverse_bind = layout.inverse_bind,
        .num_meshes = file->num_meshes,
        .normals = context->normals,
        .meshes = layout.meshes,
        .bounds = md5_bounds_from_points(NULL, 0),
        .command_line = md5i_copy_name(&names, file->command_line),
        .num_warnings = context->num_warnings,
        .flip_v = context->flip_v,
        .stores_normals = file->num_meshes > 0 && file->meshes[0].normals,
        .size = block->used,
        .allocator = context->allocator,
    };
    md5i_build_bind_pose(&model->skeleton, file->bind, layout.bind_local, layout.bind,
                         layout.inverse_bind);
    for (uint32_t m = 0; m < file->num_meshes; m++)
        layout.meshes[m] = (md5_mesh){.name = md5i_copy_name(&names, file->meshes[m].name),
                                      .shader = md5i_copy_name(&names, file->meshes[m].shader)};
    *meshes = layout.meshes;
    return model;
}

static void convert_bind_pose(const md5_context *context, md5_model *model)
{
    const uint32_t num_joints = model->skeleton.num_joints;
    // All three lie in the model's own block.
    md5i_convert_transforms(context, (md5_xform *)model->bind_local, num_joints);
    md5i_convert_matrices(context, (md5_mat34 *)model->bind, num_joints);
    md5i_convert_matrices(context, (md5_mat34 *)model->inverse_bind, num_joints);
}

// Reserves the scratch memory of an ordinary file in two chunks: of the joints, which is freed
// before the meshes take theirs; and of the file's tables, and later, in the same bytes, of what
// deriving the largest mesh needs.
static bool reserve_scratch(md5_arena *arena, md5_arena *joints, const char *text, size_t size)
{
    const bool keeps = md5_keeps_tables(arena->context);
    const md5_mesh_counts counts = md5i_count_mesh_file(text, size);
    const md5_mesh_counts no_tables = {.num_meshes = counts.num_meshes};
    const uint64_t notes = counts.num_meshes * sizeof(md5_geometry_sizes);
    const uint64_t reading =
        md5i_mesh_file_size(&counts) + md5i_geometry_measure_size(counts.most_vertices);
    const uint64_t deriving = md5i_mesh_file_size(&no_tables) + counts.num_joints * sizeof(uint32_t)
                              + md5i_geometry_build_size(counts.most_vertices);
    const uint64_t most = notes + (reading > deriving || keeps ? reading : deriving);
    TRY(counts.num_joints == 0 || md5i_arena_reserve(joints, md5i_file_joints_size(&counts)));
    return md5i_arena_reserve(arena, most < SIZE_MAX ? (size_t)most : SIZE_MAX);
}

// Reads the file and fills the model's own block. The bind pose is still that of the file.
static bool read_model(md5_arena *arena, md5_arena *joints, const char *text, size_t size,
                       md5_mesh_file *file, md5_model **model, md5_mesh **meshes)
{
    const size_t note_size = sizeof(md5_geometry_sizes);
    const bool is_bfg = md5i_is_bfg_mesh(text, size);
    if (!is_bfg)
        TRY(reserve_scratch(arena, joints, text, size));
    TRY(is_bfg ? md5i_read_bfg_mesh(arena, text, size, note_size, file)
               : md5i_read_mesh_file(arena, joints, text, size, note_size, file));
    md5_block block = {.base = (unsigned char *)md5i_alloc(arena->context, measure_model(file))};
    TRY(block.base);
    *model = place_model(arena->context, &block, file, meshes);
    return true;
}

static bool build_model(md5_arena *arena, const char *text, size_t size, void **asset)
{
    md5_context *const context = arena->context;
    md5_arena joints = {.context = context};
    md5_mesh_file file;
    md5_model *model;
    md5_mesh *meshes;
    const bool is_read = read_model(arena, &joints, text, size, &file, &model, &meshes);
    md5i_arena_free(&joints);
    TRY(is_read);
    const bool is_filled = md5_keeps_tables(context)
                               ? md5i_keep_tables(context, &file, model, meshes)
                               : md5i_make_meshes(arena, &file, model->bind, model, meshes);
    if (!is_filled) {
        md5_free_model(model);
        return false;
    }
    if (md5_converts(context)) // meshes are derived from the file's own bind pose
        convert_bind_pose(context, model);
    // Plans take memory only after scratch memory is freed, so that the most that is held at once
    // does not include both.
    md5i_arena_free(arena);
    if (!md5_keeps_tables(context) && !md5i_finish_meshes(context, model, meshes)) {
        md5_free_model(model);
        return false;
    }
    *asset = model;
    return true;
}

md5_model *md5_parse_model(const void *text, size_t size, const md5_load_opts *opts,
                           md5_error *error)
{
    MD5_ASSERT_TEXT(text, size);
    MD5_ASSERT_OPTS(opts);
    return (md5_model *)md5i_parse_asset(build_model, text, size, opts, error);
}

md5_model *md5_load_model(const char *path, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_PATH(path);
    MD5_ASSERT_OPTS(opts);
    return (md5_model *)md5i_load_asset(build_model, path, opts, error);
}

void md5_free_model(md5_model *model)
{
    if (!model)
        return;
    md5_release_geometry(model);
    model->allocator.free(model->allocator.user, model, model->size);
}
