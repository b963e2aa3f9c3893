// Creates the block of a model, which contains the structure, the skeleton, the bind pose and the
// names. The arrays of the meshes are in separate memory, so that a program can release them and
// keep the skeleton (md5_release_geometry()).
#include "md5/core/freed.h"
#include "md5/load/model.h"
#include "md5/load/axes.h"
#include "md5/pose/skeleton.h"
#include "md5/skin/geometry.h"

// Reserves the memory for reading a text, from estimates of its counts. There are three chunks: for
// the joints, for the tables that the model keeps, and for the other tables. The last chunk also
// has space for the minimum of scratch memory that is needed to derive the largest mesh.
bool md5i_reserve_model(md5_arena *arena, md5_arena *joints, md5_arena *mesh_arena,
                        const char *text, size_t size)
{
    const md5_mesh_counts counts = md5i_count_mesh_file(text, size);
    const md5_mesh_sizes sizes = md5i_mesh_file_sizes(&counts);
    const uint64_t scratch =
        counts.num_joints * sizeof(uint32_t) + md5i_geometry_min_size(counts.max_vertices);
    const uint64_t total = sizes.meshes + sizes.tables + scratch;
    if (counts.num_joints > 0)
        TRY(md5i_arena_reserve(joints, (size_t)sizes.joints));
    TRY(md5i_arena_reserve(mesh_arena, counts.mesh_arena_size));
    return md5i_arena_reserve(arena, total < SIZE_MAX ? (size_t)total : SIZE_MAX);
}

// Addresses of the parts of a model. All parts are in one memory block, which md5_free_model()
// frees.
typedef struct model_layout {
    md5_model *model;
    md5_mesh *meshes;
    const md5_joint *joints;
    const char *command_line;
    const uint32_t *order;
    md5_xform *bind_local;
    md5_mat34 *bind;
    md5_mat34 *inverse_bind;
} model_layout;

// Allocates the parts in the block, and copies the tables of the file to them. This function is
// called twice, first to measure the block. All parts are then NULL.
static void allocate_model(md5_block *block, const md5_mesh_file *file, model_layout *parts)
{
    const uint32_t num_joints = file->num_joints;
    parts->model = MD5_BLOCK_ARRAY(block, md5_model, 1);
    parts->meshes = MD5_BLOCK_ARRAY(block, md5_mesh, file->num_meshes);
    parts->joints = md5i_store_joints(block, file->joints, num_joints);
    parts->command_line = md5i_store_text(block, file->command_line);
    for (uint32_t m = 0; m < file->num_meshes; m++) {
        const char *const name = md5i_store_text(block, file->meshes[m].name);
        const char *const shader = md5i_store_text(block, file->meshes[m].shader);
        if (parts->meshes)
            parts->meshes[m] = (md5_mesh){.name = name, .shader = shader};
    }
    parts->order = MD5_BLOCK_COPY(block, uint32_t, file->order, num_joints);
    parts->bind_local = MD5_BLOCK_ARRAY(block, md5_xform, num_joints);
    parts->bind = MD5_BLOCK_ARRAY(block, md5_mat34, num_joints);
    parts->inverse_bind = MD5_BLOCK_ARRAY(block, md5_mat34, num_joints);
}

// Computes w of the rotations of a bind pose. Most files store only x y z, because w follows from
// the unit length.
static void add_missing_w(md5_xform *bind, uint32_t num_joints)
{
    for (uint32_t j = 0; j < num_joints; j++) {
        const md5_quat q = bind[j].rotation;
        bind[j].rotation = md5_quat_from_xyz(q.x, q.y, q.z);
    }
}

// Creates the block of a model from the tables of a file. It contains the skeleton and the bind
// pose. Of the meshes, only the names are set.
MD5_COLD bool md5i_create_model(md5_context *context, const md5_mesh_file *file, md5_model **result)
{
    const uint32_t num_joints = file->num_joints;
    md5_block block = {0};
    model_layout parts = {.model = NULL};
    for (uint32_t pass = 0; pass < 2; pass++) {
        allocate_model(&block, file, &parts);
        if (pass == 0)
            TRY(md5i_block_end_measuring(context, &block));
    }

    *parts.model = (md5_model){
        .skeleton = {num_joints, parts.joints, parts.order, context->axes, context->scale},
        .bind_local = parts.bind_local,
        .bind = parts.bind,
        .inverse_bind = parts.inverse_bind,
        .num_meshes = file->num_meshes,
        .normals = context->normals,
        .meshes = parts.meshes,
        .bounds = md5_bounds_from_points(NULL, 0),
        .command_line = parts.command_line,
        .flip_v = context->flip_v,
        .size = block.used,
        .internal = {.allocator = context->allocator, .tag = MD5_TAG_MODEL},
    };

    if (!file->has_w)
        add_missing_w(file->bind, num_joints);
    md5i_build_bind_pose(&parts.model->skeleton, file->bind, parts.bind_local, parts.bind,
                         parts.inverse_bind);
    *result = parts.model;
    return true;
}

// Converts the bind pose to the axes and units of the options.
void md5i_convert_bind_pose(const md5_context *context, md5_model *model)
{
    const uint32_t num_joints = model->skeleton.num_joints;
    md5i_convert_transforms(context, (md5_xform *)model->bind_local, num_joints);
    md5i_convert_matrices(context, (md5_mat34 *)model->bind, num_joints);
    md5i_convert_matrices(context, (md5_mat34 *)model->inverse_bind, num_joints);
}

// Frees a model with its meshes. NULL has no effect.
void md5_free_model(md5_model *model)
{
    MD5_ASSERT_NULL_OR_ALIVE(model, MD5_TAG_MODEL);
    if (!model)
        return;
    md5_release_geometry(model);
    MD5_FREE(model, MD5_TAG_MODEL);
}
