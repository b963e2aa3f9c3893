// What loads leave out, made later: geometry from tables that were kept for it, tangents from the
// geometry itself, plans and losses.
#include "md5/core/axes.h"
#include "md5/load.h"
#include "md5/load_geometry.h"

#include <math.h>

// All that meshes are made from: the head of a block with the tables behind it.
typedef struct kept_tables {
    md5_load_opts opts; // those that concern meshes
    md5_mat34 *bind;    // [joints] of the file
    md5_file_mesh *meshes;
} kept_tables;

// -- Keeping --------------------------------------------------------------------------------

static void *keep(md5_block *block, const void *from, size_t count, size_t size)
{
    void *const kept = md5i_block_take(block, from ? count : 0, size);
    if (kept && from)
        md5_copy_items(kept, from, count, size);
    return from ? kept : NULL;
}

static md5_file_mesh keep_mesh(md5_block *block, const md5_file_mesh *mesh)
{
    const size_t count = mesh->num_vertices, num_corners = 3 * (size_t)mesh->num_triangles;
    md5_file_mesh kept = {.num_vertices = mesh->num_vertices,
                          .num_triangles = mesh->num_triangles,
                          .num_weights = mesh->num_weights};
    kept.vertices = (md5_vertex *)keep(block, mesh->vertices, count, sizeof *kept.vertices);
    kept.texcoords = (md5_vec2 *)keep(block, mesh->texcoords, count, sizeof *kept.texcoords);
    kept.narrow_triangles =
        (uint16_t *)keep(block, mesh->narrow_triangles, num_corners, sizeof *kept.narrow_triangles);
    kept.triangles = (uint32_t *)keep(block, mesh->triangles, num_corners, sizeof *kept.triangles);
    kept.weights =
        (md5_weight *)keep(block, mesh->weights, mesh->num_weights, sizeof *kept.weights);
    kept.normals = (md5_vec3 *)keep(block, mesh->normals, count, sizeof *kept.normals);
    kept.tangents = (md5_vec4 *)keep(block, mesh->tangents, count, sizeof *kept.tangents);
    kept.colors = (md5_vec4 *)keep(block, mesh->colors, count, sizeof *kept.colors);
    return kept;
}

// While the block is measured nothing is copied.
static kept_tables *keep_all(md5_block *block, const md5_mesh_file *file, const md5_mat34 *bind)
{
    kept_tables *const kept = (kept_tables *)md5i_block_take(block, 1, sizeof *kept);
    md5_mat34 *const own_bind = (md5_mat34 *)keep(block, bind, file->num_joints, sizeof *own_bind);
    md5_file_mesh *const meshes =
        (md5_file_mesh *)md5i_block_take(block, file->num_meshes, sizeof *meshes);
    for (uint32_t m = 0; m < file->num_meshes; m++) {
        const md5_file_mesh mesh = keep_mesh(block, &file->meshes[m]);
        if (meshes)
            meshes[m] = mesh;
    }
    if (kept)
        *kept = (kept_tables){.bind = own_bind, .meshes = meshes};
    return kept;
}

bool md5i_keep_tables(md5_context *context, const md5_mesh_file *file, md5_model *model,
                      md5_mesh *meshes)
{
    md5_block measured = {0};
    keep_all(&measured, file, model->bind);
    TRY(model->geometry = md5i_alloc(context, measured.used));
    model->geometry_size = measured.used;
    md5_block block = {.base = (unsigned char *)model->geometry};
    kept_tables *const kept = keep_all(&block, file, model->bind);
    kept->opts = (md5_load_opts){
        .allocator = context->allocator,
        .memory_limit = context->memory_limit,
        .axes = context->axes,
        .scale = context->scale,
        .flip_v = context->flip_v,
        .normals = context->normals,
    };
    for (uint32_t m = 0; m < file->num_meshes; m++) {
        const md5_file_mesh *const from = &file->meshes[m];
        meshes[m].num_file_vertices = meshes[m].num_vertices = from->num_vertices;
        meshes[m].num_weights = from->num_weights;
        if (from->num_vertices > model->max_vertices)
            model->max_vertices = from->num_vertices;
        meshes[m].num_triangles = from->num_triangles;
        meshes[m].bounds = md5_bounds_from_points(NULL, 0);
        meshes[m].loss4 = meshes[m].loss8 = INFINITY;
        meshes[m].is_mirrored = md5_is_mirrored(context->axes);
    }
    return true;
}

// -- Making ---------------------------------------------------------------------------------

// Makes all of the meshes anew. The model changes only if that succeeds.
static bool make_anew(md5_arena *arena, const kept_tables *kept, md5_model *model)
{
    const uint32_t num_meshes = model->num_meshes;
    md5_mesh_file file = {
        .num_joints = model->skeleton.num_joints, .num_meshes = num_meshes, .meshes = kept->meshes};
    md5_mesh *const meshes = (md5_mesh *)md5i_arena_alloc(arena, num_meshes, sizeof *meshes);
    TRY(meshes);
    TRY(file.notes = md5i_arena_alloc(arena, num_meshes, sizeof(md5_geometry_sizes)));
    file.tables = md5i_arena_here(arena);
    md5_model made = *model;
    made.geometry = NULL;
    made.geometry_size = 0;
    made.meshes = meshes;
    for (uint32_t m = 0; m < num_meshes; m++)
        meshes[m] = (md5_mesh){.name = model->meshes[m].name, .shader = model->meshes[m].shader};
    if (!md5i_make_meshes(arena, &file, kept->bind, &made, meshes)
        || !md5i_finish_meshes(arena->context, &made, meshes)) {
        md5_release_geometry(&made);
        return false;
    }
    md5_release_geometry(model);
    memcpy(md5_own_meshes(model), meshes, num_meshes * sizeof *meshes);
    model->geometry = made.geometry;
    model->geometry_size = made.geometry_size;
    model->bounds = made.bounds;
    model->max_vertices = made.max_vertices;
    return true;
}

typedef enum geometry_state { GEOMETRY_MADE, GEOMETRY_KEPT, GEOMETRY_RELEASED } geometry_state;

static geometry_state state_of(const md5_model *model)
{
    if (!model->geometry)
        return model->num_meshes == 0 ? GEOMETRY_MADE : GEOMETRY_RELEASED;
    return model->meshes[0].first_influence ? GEOMETRY_MADE : GEOMETRY_KEPT;
}

static bool make_from(const kept_tables *kept, md5_model *model, md5_error *error)
{
    md5_context context;
    md5i_context_begin(&context, &kept->opts, NULL, error);
    md5_arena arena = {.context = &context};
    const bool is_made = make_anew(&arena, kept, model);
    md5i_arena_free(&arena);
    return is_made;
}

// -- What exists ----------------------------------------------------------------------------

static bool has_losses(const md5_model *model)
{
    uint32_t m = 0;
    while (m < model->num_meshes && model->meshes[m].loss4 < INFINITY)
        m++;
    return m == model->num_meshes;
}

static bool has_tangents(const md5_model *model)
{
    uint32_t m = 0;
    while (m < model->num_meshes && model->meshes[m].tangents)
        m++;
    return m == model->num_meshes;
}

static bool has_plan(const md5_model *model)
{
    uint32_t m = 0;
    while (m < model->num_meshes && !model->meshes[m].skin_plan)
        m++;
    return m < model->num_meshes;
}

// The opposite of md5i_convert_points().
static md5_vec3 point_of_file(const md5_skeleton *skeleton, md5_vec3 point)
{
    const float scale = md5_scale_of(skeleton);
    const md5_vec3 unscaled = {point.x / scale, point.y / scale, point.z / scale};
    return md5i_vec3_from_axes(skeleton->axes, unscaled);
}

// The opposite of md5i_convert_matrices().
static md5_mat34 matrix_of_file(const md5_skeleton *skeleton, const md5_mat34 *matrix)
{
    const md5_axes_map *const map = &md5i_axes_maps[skeleton->axes];
    md5_mat34 made;
    for (int row = 0; row < 3; row++) {
        const float *const from = matrix->m + 4 * row;
        float *const to = made.m + 4 * map->from[row];
        for (int column = 0; column < 3; column++)
            to[map->from[column]] = map->sign[row] * map->sign[column] * from[column];
        to[3] = map->sign[row] * (from[3] / md5_scale_of(skeleton));
    }
    return made;
}

// What the file said of a mesh that was made without tangents.
static bool tables_of_mesh(md5_arena *arena, const md5_model *model, const md5_mesh *mesh,
                           md5_file_mesh *file)
{
    const uint32_t num_weights = mesh->num_weights, num_vertices = mesh->num_file_vertices;
    md5_weight *const weights = (md5_weight *)md5i_arena_room(arena, num_weights, sizeof *weights);
    TRY(weights);
    md5_vec2 *const texcoords = (md5_vec2 *)md5i_arena_room(arena, num_vertices, sizeof *texcoords);
    TRY(texcoords);
    for (uint32_t w = 0; w < num_weights; w++) {
        weights[w] = mesh->weights[w];
        weights[w].offset = point_of_file(&model->skeleton, weights[w].offset);
    }
    for (uint32_t v = 0; v < num_vertices; v++) {
        texcoords[v] = mesh->texcoords[v];
        if (model->flip_v)
            texcoords[v].y = 1.0f - texcoords[v].y;
    }
    *file = (md5_file_mesh){
        .num_vertices = num_vertices,
        .num_triangles = mesh->num_triangles,
        .num_weights = num_weights,
        .vertices = (md5_vertex *)mesh->file_vertices, // are read only
        .texcoords = texcoords,
        .triangles = (uint32_t *)mesh->indices,
        .weights = weights,
    };
    return true;
}

static bool tables_of_model(md5_arena *arena, const md5_model *model, kept_tables *kept)
{
    const md5_skeleton *const skeleton = &model->skeleton;
    *kept = (kept_tables){
        .opts = {.allocator = model->allocator,
                 .axes = skeleton->axes,
                 .scale = skeleton->scale,
                 .flip_v = model->flip_v,
                 .normals = model->normals,
                 .without = (has_plan(model) ? 0 : MD5_PART_SKIN_PLANS)
                            | (has_losses(model) ? 0 : MD5_PART_LOSSES)},
        .bind = (md5_mat34 *)md5i_arena_room(arena, skeleton->num_joints, sizeof *kept->bind),
        .meshes = (md5_file_mesh *)md5i_arena_room(arena, model->num_meshes, sizeof *kept->meshes),
    };
    TRY(kept->bind);
    TRY(kept->meshes);
    for (uint32_t j = 0; j < skeleton->num_joints; j++)
        kept->bind[j] = matrix_of_file(skeleton, &model->bind[j]);
    for (uint32_t m = 0; m < model->num_meshes; m++)
        TRY(tables_of_mesh(arena, model, &model->meshes[m], &kept->meshes[m]));
    return true;
}

// Geometry that exists without tangents is derived again, with the plans and losses that it has or
// that are asked for.
static bool make_tangents(md5_context *context, md5_model *model, uint32_t parts, md5_error *error)
{
    if (model->stores_normals)
        return md5i_fail(context, MD5_ERROR_MISMATCH, 0, 0,
                         "tangents that the file stores were left out: load it with them");
    kept_tables kept;
    md5_arena arena = {.context = context};
    bool is_made = tables_of_model(&arena, model, &kept);
    kept.opts.without &= ~parts;
    is_made = is_made && make_from(&kept, model, error);
    md5i_arena_free(&arena);
    return is_made;
}

bool md5_complete_model(md5_model *model, uint32_t parts, md5_error *error)
{
    MD5_ASSERT(model != NULL, "model: not NULL");
    MD5_ASSERT(parts <= MD5_PART_GEOMETRY, "parts: md5_part flags");
    const md5_load_opts opts = {.allocator = model->allocator};
    md5_context context;
    md5i_context_begin(&context, &opts, NULL, error);
    const geometry_state state = state_of(model);
    if (parts == 0)
        return true;
    if (state == GEOMETRY_RELEASED)
        return md5i_fail(&context, MD5_ERROR_MISMATCH, 0, 0, "the model's geometry was released");
    if (state == GEOMETRY_KEPT) {
        kept_tables kept = *(const kept_tables *)model->geometry;
        kept.opts.without = ~parts & (MD5_PART_TANGENTS | MD5_PART_SKIN_PLANS | MD5_PART_LOSSES);
        return make_from(&kept, model, error);
    }
    if ((parts & MD5_PART_TANGENTS) && !has_tangents(model))
        return make_tangents(&context, model, parts, error);
    TRY(!(parts & MD5_PART_SKIN_PLANS)
        || md5i_build_plans(&context, model->num_meshes, md5_own_meshes(model)));
    if (parts & MD5_PART_LOSSES && !has_losses(model))
        md5i_measure_losses(model, md5_own_meshes(model));
    return true;
}
