// Derives parts of the geometry that a load has skipped. There are three cases:
//
// - The load skipped the whole geometry. It stored the vertices, weights and triangles as they were
//   read (stored_tables). All meshes are derived from these tables.
// - The load skipped the tangents. Tangents split drawn vertices, so all meshes are derived again.
//   The tables for this are restored from the existing geometry.
// - The load skipped skinning plans or packing losses. They are computed from the existing
//   geometry.
#include "md5/load/complete.h"
#include "md5/core/math.h"
#include "md5/load/parts.h"

// The tables from which meshes are derived. A model without geometry stores them as the first
// allocation in the newest chunk of model->internal.memory.
typedef struct stored_tables {
    md5_mat34 *bind; // [joints] bind pose of the file
    md5_mesh_build *meshes;
} stored_tables;

// Stores the tables of a file in a model whose geometry is skipped. md5_derive_geometry() can
// derive the geometry from them later. The meshes get their counts, but no arrays.
bool md5i_store_tables(md5_arena *mesh_arena, const md5_mesh_file *file, md5_model *model,
                       md5_mesh *meshes)
{
    const size_t size = file->num_joints * sizeof *model->bind;
    TRY(md5i_arena_reserve(mesh_arena, sizeof(stored_tables) + size));
    stored_tables *const tables =
        (stored_tables *)md5i_arena_alloc_raw(mesh_arena, 1, sizeof *tables + size);
    TRY(tables);

    // The bind pose is stored after the structure, in the same allocation.
    *tables = (stored_tables){(md5_mat34 *)(tables + 1), file->meshes};
    memcpy(tables->bind, model->bind, size);

    // The meshes of the model contain only the counts.
    for (uint32_t m = 0; m < file->num_meshes; m++) {
        md5_mesh_build *const table = &file->meshes[m];
        md5_mesh *const mesh = &meshes[m];
        table->num_vertices = table->num_file_vertices;
        md5i_store_mesh(table, mesh);
        md5i_clear_all_arrays(mesh);
        if (table->num_vertices > model->max_vertices)
            model->max_vertices = table->num_vertices;

        mesh->bounds = md5_bounds_from_points(NULL, 0);
        mesh->loss4 = INFINITY;
        mesh->loss8 = INFINITY;
        mesh->is_mirrored = md5_is_mirrored(mesh_arena->context->axes);
    }
    return true;
}

// Derives all meshes again from the tables of the file, and replaces the meshes of the model. Skips
// the parts that context->skip_geometry names. On failure the model is unchanged.
static bool rebuild_meshes(md5_arena *arena, const stored_tables *tables, md5_model *model)
{
    const uint32_t num_meshes = model->num_meshes;
    md5_mesh_file file = {.num_joints = model->skeleton.num_joints, .num_meshes = num_meshes};
    md5_mesh *const meshes = MD5_ALLOC_ZEROED(arena, md5_mesh, num_meshes);
    TRY(meshes);
    file.meshes = MD5_ALLOC_ARRAY(arena, md5_mesh_build, num_meshes);
    TRY(file.meshes);
    file.tables = md5i_arena_position(arena);

    // The new meshes are built in a copy of the model, which replaces the model only on success.
    md5_arena mesh_arena = {.context = arena->context, .is_exact = true};
    md5_model changed = *model;
    changed.meshes = meshes;
    for (uint32_t m = 0; m < num_meshes; m++) {
        meshes[m] = (md5_mesh){.name = model->meshes[m].name, .shader = model->meshes[m].shader};
        file.meshes[m] = tables->meshes[m];
    }

    const bool is_built =
        md5i_repack_tables(&mesh_arena, &file)
        && md5i_derive_meshes(arena, &mesh_arena, SIZE_MAX, &md5i_mesh_steps, &file, tables->bind,
                              &changed, meshes)
        && md5i_finish_meshes(arena->context, ~arena->context->skip_geometry, &changed, meshes);
    md5i_set_mesh_memory(&changed, &mesh_arena);

    if (!is_built) {
        md5_release_geometry(&changed);
        return false;
    }

    md5_release_geometry(model);
    memcpy((md5_mesh *)model->meshes, meshes, num_meshes * sizeof *meshes);
    changed.meshes = model->meshes;
    *model = changed;
    return true;
}

// -- Tangents from geometry -----------------------------------------------------------------

// Computes the bind pose in the axes and units of the file. This is the inverse of
// md5i_convert_matrices(), so the map of the axes is read in the other direction.
static void restore_bind_pose(const md5_model *model, md5_mat34 *bind)
{
    const md5_skeleton *const skeleton = &model->skeleton;
    const float scale = md5_skeleton_scale(skeleton);
    const md5_axes_map *const map = &md5i_axes_maps[skeleton->axes];
    for (uint32_t j = 0; j < skeleton->num_joints; j++) {
        for (uint32_t row = 0; row < 3; row++) {
            const float *const from = model->bind[j].m + 4 * row;
            float *const to = bind[j].m + 4 * map->from[row];
            for (uint32_t column = 0; column < 3; column++)
                to[map->from[column]] = map->sign[row] * map->sign[column] * from[column];
            to[3] = map->sign[row] * (from[3] / scale);
        }
    }
}

// Copies the weights of a mesh. Their offsets are converted back to the axes and units of the file,
// the inverse of md5i_convert_points().
static void restore_weights(const md5_skeleton *skeleton, const md5_mesh *mesh, md5_weight *weights)
{
    const float scale = md5_skeleton_scale(skeleton);
    for (uint32_t w = 0; w < mesh->num_weights; w++) {
        const md5_vec3 offset = mesh->weights[w].offset;
        const md5_vec3 in_file_units = {offset.x / scale, offset.y / scale, offset.z / scale};
        weights[w] = mesh->weights[w];
        weights[w].offset = md5i_vec3_from_axes(skeleton->axes, in_file_units);
    }
}

// Copies the texture coordinates of a mesh without tangents to texcoords[num_file_vertices]. Such a
// mesh has one drawn vertex for each file vertex. Their order may differ, so mesh->sources is used.
static void restore_texcoords(const md5_mesh *mesh, bool flip_v, md5_vec2 *texcoords)
{
    for (uint32_t v = 0; v < mesh->num_file_vertices; v++) {
        md5_vec2 *const texcoord = &texcoords[mesh->sources[v]];
        *texcoord = mesh->texcoords[v];
        if (flip_v)
            texcoord->y = 1.0f - texcoord->y;
    }
}

// Restores the tables of the file from a mesh without tangents, in the axes and units of the file.
// The new tables are in the arena. Only the file vertices are shared with the mesh, which contains
// them unchanged.
static bool restore_mesh(md5_arena *arena, const md5_model *model, const md5_mesh *mesh,
                         md5_mesh_build *file)
{
    *file = (md5_mesh_build){
        .num_file_vertices = mesh->num_file_vertices,
        .num_weights = mesh->num_weights,
        .num_triangles = mesh->num_triangles,
        .file_vertices = (md5_vertex *)mesh->file_vertices, // not modified
    };

    file->weights = MD5_ALLOC_ARRAY(arena, md5_weight, mesh->num_weights);
    TRY(file->weights);
    file->texcoords = MD5_ALLOC_ARRAY(arena, md5_vec2, mesh->num_file_vertices);
    TRY(file->texcoords);
    const size_t num_indices = 3 * (size_t)mesh->num_triangles;
    file->indices = MD5_ALLOC_ARRAY(arena, uint32_t, num_indices);
    TRY(file->indices);

    restore_weights(&model->skeleton, mesh, file->weights);
    restore_texcoords(mesh, model->flip_v, file->texcoords);
    for (size_t i = 0; i < num_indices; i++)
        file->indices[i] = mesh->sources[mesh->indices[i]];
    return true;
}

// Restores the tables of the file for all meshes of a model without tangents.
static bool restore_tables(md5_arena *arena, const md5_model *model, stored_tables *tables)
{
    tables->bind = MD5_ALLOC_ARRAY(arena, md5_mat34, model->skeleton.num_joints);
    TRY(tables->bind);
    tables->meshes = MD5_ALLOC_ARRAY(arena, md5_mesh_build, model->num_meshes);
    TRY(tables->meshes);
    restore_bind_pose(model, tables->bind);
    for (uint32_t m = 0; m < model->num_meshes; m++)
        TRY(restore_mesh(arena, model, &model->meshes[m], &tables->meshes[m]));
    return true;
}

// -- The three cases ------------------------------------------------------------------------

// Sets the options of the context so that exactly `parts` (md5_geometry_part flags) are derived.
// The vertices keep the model's order.
static void select_parts(md5_context *context, const md5_model *model, uint32_t parts)
{
    const uint32_t all_parts =
        MD5_GEOMETRY_TANGENTS | MD5_GEOMETRY_SKIN_PLANS | MD5_GEOMETRY_LOSSES;
    context->skip_geometry = all_parts & ~parts;
    context->group_vertices = model->has_grouped_vertices;
}

// Derives the whole geometry from the tables that the load has stored.
static bool derive_from_stored_tables(md5_context *context, uint32_t parts, md5_model *model)
{
    select_parts(context, model, parts);
    const stored_tables tables =
        *(const stored_tables *)md5i_arena_first_allocation(model->internal.memory);
    md5_arena arena = {.context = context};
    const bool is_derived = rebuild_meshes(&arena, &tables, model);
    md5i_arena_free(&arena);
    return is_derived;
}

// Returns the parts (md5_geometry_part flags) that the geometry of a model already has. Tangents
// are not included.
static uint32_t existing_parts(const md5_model *model)
{
    uint32_t parts = 0;
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        if (model->meshes[m].skin_plan)
            parts |= MD5_GEOMETRY_SKIN_PLANS;
        if (model->meshes[m].loss4 < INFINITY)
            parts |= MD5_GEOMETRY_LOSSES;
    }
    return parts;
}

// Derives the geometry of a model again to add tangents. This is necessary because vertices on
// mirror seams must be split. The result has tangents, the requested parts, and the parts that the
// model had before.
static bool derive_tangents(md5_context *context, uint32_t parts, md5_model *model)
{
    if (model->stores_normals)
        return MD5_FAIL(
            context, MD5_ERROR_MISMATCH,
            "tangents stored in the file were skipped; load the model again with tangents");
    select_parts(context, model, parts | existing_parts(model));
    stored_tables tables = {NULL, NULL};
    md5_arena arena = {.context = context};
    const bool is_derived =
        restore_tables(&arena, model, &tables) && rebuild_meshes(&arena, &tables, model);
    md5i_arena_free(&arena);
    return is_derived;
}

// Adds parts of the geometry that a load has skipped. A model that stores only tables gets its
// whole geometry. If tangents are requested and missing, the geometry is derived again. Otherwise
// only skinning plans and packing losses are added.
bool md5_derive_geometry(md5_model *model, uint32_t parts, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(model, MD5_TAG_MODEL);
    if (!model)
        return md5i_fail_missing(error, "model");
    MD5_ASSERT(parts <= MD5_GEOMETRY_ALL, "parts: must be flags of md5_geometry_part");
    const md5_load_opts opts = {
        .allocator = model->internal.allocator,
        .axes = model->skeleton.axes,
        .scale = model->skeleton.scale,
        .flip_v = model->flip_v,
        .normals = model->normals,
    };
    md5_context context;
    md5i_context_begin(&context, &opts, NULL, error);
    if (parts == 0 || model->num_meshes == 0)
        return true;
    if (!model->internal.memory)
        return MD5_FAIL(&context, MD5_ERROR_MISMATCH,
                        "geometry of the model was released: expected a model with geometry; load "
                        "the model again");

    // A load derives the arrays of all meshes or of none, and the same is true for tangents.
    // Therefore the first mesh is sufficient for these tests.
    const bool has_geometry = model->meshes[0].first_influence != NULL;
    if (!has_geometry)
        return derive_from_stored_tables(&context, parts, model);
    const bool has_tangents = model->meshes[0].tangents != NULL;
    if ((parts & MD5_GEOMETRY_TANGENTS) && !has_tangents)
        return derive_tangents(&context, parts, model);
    return md5i_finish_meshes(&context, parts, model, (md5_mesh *)model->meshes);
}
