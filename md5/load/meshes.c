// Derives the meshes of a model from the tables of a file. Each mesh is derived in five steps:
// measure, allocate, build, convert, store. A table (md5_mesh_steps) contains a function for each
// step. This file contains md5i_derive_meshes(), which runs the steps for all meshes, and the
// functions for meshes without tangents and colors. parts.c contains the functions for meshes with
// all optional parts.
#include "md5/load/meshes.h"
#include "md5/load/axes.h"

// Allocates an array of `count` elements in the block. Copies from[num_read] to its beginning
// unless `from` is NULL.
void *md5i_allocate_array(md5_block *block, const void *from, size_t num_read, size_t count,
                          size_t size)
{
    void *const to = md5i_block_alloc(block, count, size);
    if (to && from && num_read > 0)
        memcpy(to, from, num_read * size);
    return to;
}

// Copies the tables that a model keeps unchanged to one block in `mesh_arena`. These are the file
// vertices, indices and weights of all meshes. The first pass measures the block, and the second
// pass copies.
static bool copy_tables(md5_arena *mesh_arena, md5_mesh_file *file)
{
    md5_block block = {0};
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t m = 0; m < file->num_meshes; m++) {
            md5_mesh_build mesh = file->meshes[m];
            mesh.file_vertices =
                MD5_BLOCK_COPY(&block, md5_vertex, mesh.file_vertices, mesh.num_file_vertices);
            mesh.indices =
                MD5_BLOCK_COPY(&block, uint32_t, mesh.indices, 3 * (size_t)mesh.num_triangles);
            mesh.weights = MD5_BLOCK_COPY(&block, md5_weight, mesh.weights, mesh.num_weights);
            if (pass > 0)
                file->meshes[m] = mesh;
        }
        if (pass == 0)
            TRY(md5i_block_end_measuring_in(mesh_arena, &block));
    }
    return true;
}

// Copies the tables that a model keeps unchanged to a new chunk of `mesh_arena`, and frees the
// previous chunks. This is needed if the reader has not stored the tables in `mesh_arena`, or if
// too much memory was reserved there.
bool md5i_repack_tables(md5_arena *mesh_arena, md5_mesh_file *file)
{
    md5_arena filled = {.context = mesh_arena->context, .is_exact = true};
    const bool is_copied = copy_tables(&filled, file);
    md5i_arena_free(mesh_arena);
    *mesh_arena = filled;
    return is_copied;
}

// -- The plain steps ------------------------------------------------------------------------------

// Counts the vertices and influences of a mesh, so that its arrays can be allocated.
static bool measure_mesh(md5_arena *scratch, md5_mesh_build *mesh)
{
    (void)scratch;
    md5i_measure_geometry(mesh);
    return true;
}

// Allocates the arrays of a drawn mesh in the block. Copies the texture coordinates and normals of
// the file. While the block is only measured, all arrays are NULL.
void md5i_allocate_mesh(md5_block *block, md5_mesh_build *mesh)
{
    const size_t num_read = mesh->num_file_vertices;
    const size_t count = mesh->num_vertices;
    mesh->texcoords = MD5_ALLOCATE_COPY(block, md5_vec2, mesh->texcoords, num_read, count);
    mesh->normals = MD5_ALLOCATE_COPY(block, md5_vec3, mesh->normals, num_read, count);
    mesh->sources = MD5_BLOCK_ARRAY(block, uint32_t, count);
    mesh->positions = MD5_BLOCK_ARRAY(block, md5_vec3, count);
    mesh->first_influence = MD5_BLOCK_ARRAY(block, uint32_t, count + 1);
    mesh->influence_joints = MD5_BLOCK_ARRAY(block, uint32_t, mesh->num_influences);
    mesh->influences = MD5_BLOCK_ARRAY(block, md5_vec4, mesh->num_influences);
}

// Converts a mesh to the axes and units of the options. This affects its weights, positions,
// normals, texture coordinates and influences.
void md5i_convert_mesh(const md5_context *context, md5_mesh_build *mesh)
{
    const size_t num_vertices = mesh->num_vertices;
    const size_t num_influences = mesh->first_influence[num_vertices];
    for (size_t i = 0; i < mesh->num_weights; i++)
        md5i_convert_points(context, &mesh->weights[i].offset, 1);

    md5i_convert_points(context, mesh->positions, num_vertices);
    for (size_t i = 0; i < num_vertices; i++)
        mesh->normals[i] = md5i_vec3_to_axes(context->axes, mesh->normals[i]);

    if (context->flip_v) {
        for (size_t i = 0; i < num_vertices; i++)
            mesh->texcoords[i].y = 1.0f - mesh->texcoords[i].y;
    }

    for (size_t i = 0; i < num_influences; i++) {
        // An influence contains a point that is multiplied by its bias. The conversion is linear,
        // so it applies to such a product as well.
        md5_vec4 *const influence = &mesh->influences[i];
        md5_vec3 point = {influence->x, influence->y, influence->z};
        md5i_convert_points(context, &point, 1);
        *influence = (md5_vec4){point.x, point.y, point.z, influence->w};
    }
}

// Stores the arrays and counts of a finished mesh in the mesh of the model.
void md5i_store_mesh(const md5_mesh_build *build, md5_mesh *mesh)
{
    mesh->num_file_vertices = build->num_file_vertices;
    mesh->num_weights = build->num_weights;
    mesh->file_vertices = build->file_vertices;
    mesh->weights = build->weights;
    mesh->num_vertices = build->num_vertices;
    mesh->num_triangles = build->num_triangles;
    mesh->indices = build->indices;
    mesh->sources = build->sources;
    mesh->texcoords = build->texcoords;
    mesh->positions = build->positions;
    mesh->normals = build->normals;
    mesh->first_influence = build->first_influence;
    mesh->influence_joints = build->influence_joints;
    mesh->influences = build->influences;
}

const md5_mesh_steps md5i_plain_mesh_steps = {
    .measure = measure_mesh,
    .allocate = md5i_allocate_mesh,
    .build = md5i_build_geometry,
    .convert = md5i_convert_mesh,
    .store = md5i_store_mesh,
};

// -- All meshes -----------------------------------------------------------------------------------

// Returns the size of the scratch memory for building the largest mesh. This is the preferred size
// unless it exceeds the memory goal.
static size_t build_memory_size(const md5_context *context, uint32_t max_vertices,
                                size_t memory_goal)
{
    const size_t preferred_size = md5i_geometry_build_size(max_vertices);
    const size_t used_size = context->memory_held + 2 * MD5_CHUNK_HEADER;
    const size_t allowed_size = memory_goal > used_size ? memory_goal - used_size : 0;
    return preferred_size < allowed_size ? preferred_size : allowed_size;
}

// Allocates the arrays of all meshes in one block of `mesh_arena`. Calls steps->allocate() once to
// measure the block, and again to get the addresses. Sets *max_vertices to the largest number of
// drawn vertices of a mesh. There must be at least one mesh.
static bool allocate_meshes(md5_arena *scratch, md5_arena *mesh_arena, const md5_mesh_steps *steps,
                            const md5_mesh_file *file, uint32_t *max_vertices)
{
    md5_block block = {0};
    *max_vertices = 0;
    for (uint32_t m = 0; m < file->num_meshes; m++) {
        TRY(steps->measure(scratch, &file->meshes[m]));
        // Measure with a copy, because steps->allocate() replaces the arrays of the file by NULL.
        md5_mesh_build measured = file->meshes[m];
        steps->allocate(&block, &measured);
        if (measured.num_vertices > *max_vertices)
            *max_vertices = measured.num_vertices;
    }

    TRY(md5i_block_end_measuring_in(mesh_arena, &block));
    for (uint32_t m = 0; m < file->num_meshes; m++)
        steps->allocate(&block, &file->meshes[m]);
    return true;
}

// Builds one mesh, converts it to the axes and units of the options, and stores it as `mesh`.
static bool derive_mesh(md5_arena *scratch, const md5_mesh_steps *steps,
                        const md5_mesh_joints *joints, md5_mesh_build *build, md5_mesh *mesh)
{
    const md5_context *const context = scratch->context;
    TRY(steps->build(scratch, joints, build));
    if (md5_needs_conversion(context))
        steps->convert(context, build);
    steps->store(build, mesh);
    mesh->is_mirrored = md5_is_mirrored(context->axes);
    md5i_geometry_summarize(mesh);
    return true;
}

// Derives all meshes of a file. Allocates their arrays in `mesh_arena`, and then derives one mesh
// after the other with the functions of `steps`. `arena` contains the other tables of the file.
// They are freed once they are copied, and their memory becomes scratch memory. `memory_goal` is
// the peak of memory of the whole load in bytes. Less scratch memory is reserved if the load would
// exceed it.
bool md5i_derive_meshes(md5_arena *arena, md5_arena *mesh_arena, size_t memory_goal,
                        const md5_mesh_steps *steps, const md5_mesh_file *file,
                        const md5_mat34 *bind, md5_model *model, md5_mesh *meshes)
{
    model->max_vertices = 0;
    if (file->num_meshes == 0)
        return true;
    TRY(allocate_meshes(arena, mesh_arena, steps, file, &model->max_vertices));

    // Free the tables that were copied. Reserve the scratch memory in their place.
    md5i_arena_rewind(arena, file->tables);
    const md5_mesh_joints joints = {
        .num_joints = file->num_joints,
        .bind = bind,
        .scratch = MD5_ALLOC_ZEROED(arena, uint32_t, file->num_joints),
    };
    TRY(joints.scratch);
    const size_t scratch_size = build_memory_size(arena->context, model->max_vertices, memory_goal);
    if (scratch_size > md5i_arena_free_bytes(arena))
        TRY(md5i_arena_reserve(arena, scratch_size));

    model->bounds = md5_bounds_from_points(NULL, 0);
    for (uint32_t m = 0; m < file->num_meshes; m++) {
        TRY(derive_mesh(arena, steps, &joints, &file->meshes[m], &meshes[m]));
        model->bounds = md5_bounds_union(model->bounds, meshes[m].bounds);
    }
    return true;
}

void md5i_set_mesh_memory(md5_model *model, const md5_arena *mesh_arena)
{
    model->internal.memory = mesh_arena->chunks;
    model->geometry_size = md5i_arena_size(mesh_arena);
}

// Sets the arrays of a mesh to NULL after their memory was freed. The counts of their elements
// remain.
void md5i_clear_mesh(md5_mesh *mesh)
{
    const md5_mesh_build counts = {
        .num_file_vertices = mesh->num_file_vertices,
        .num_weights = mesh->num_weights,
        .num_triangles = mesh->num_triangles,
        .num_vertices = mesh->num_vertices,
    };
    md5i_store_mesh(&counts, mesh);
}

// Frees the memory block that contains the arrays of all meshes of a model.
void md5i_free_mesh_memory(md5_model *model)
{
    md5_context context = {.allocator = model->internal.allocator};
    md5_arena mesh_arena = {.context = &context, .chunks = (md5_chunk *)model->internal.memory};
    md5i_arena_free(&mesh_arena);
    md5i_set_mesh_memory(model, &mesh_arena);
}
