// Path storage: all meshes of a model in one set of buffers; palettes and placements are written
// directly to memory that the GPU reads.
#include "render/storage.h"

#include <limits.h>
#include <string.h>

// The largest alignment that GL may require for a range of a storage buffer. 16 palettes or
// placements are a multiple of it, since a matrix has 48 bytes.
enum { ALIGNMENT = 256, INSTANCES_ALIGNED = 16 };

static size_t align(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// -- Limits -----------------------------------------------------------------------------------

typedef struct totals {
    uint64_t vertices, indices, influences;
    bool coloured;
} totals;

static totals add_up(const md5_model *model)
{
    totals all = {0};
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        all.vertices += mesh->num_vertices;
        all.indices += 3 * (uint64_t)mesh->num_triangles;
        all.influences += mesh->num_influences;
        all.coloured = all.coloured || mesh->colors != NULL;
    }
    return all;
}

// A model without joints still gets memory for one, because a range of a buffer may not be empty.
static size_t palette_size(const md5_model *model)
{
    const size_t num_joints = model->skeleton.num_joints;
    return (num_joints > 0 ? num_joints : 1) * sizeof(md5_mat34);
}

uint32_t md5gl_instances_per_block(const md5gl_renderer *renderer, const md5_model *model,
                                   md5_error *error)
{
    const unsigned long long max_block = renderer->max_block;
    const totals all = add_up(model);
    if (all.vertices > INT_MAX || all.indices > INT_MAX) {
        md5gl_fail(error, MD5_ERROR_GPU, "the model has more vertices or indices than GL can draw");
        return 0;
    }
    if (all.influences > max_block / sizeof(md5_vec4)) {
        md5gl_fail(error, MD5_ERROR_GPU,
                   "model of %llu influences, but GL_MAX_SHADER_STORAGE_BLOCK_SIZE is %llu",
                   (unsigned long long)all.influences, max_block);
        return 0;
    }
    const uint64_t fit = max_block / palette_size(model);
    if (fit < INSTANCES_ALIGNED)
        md5gl_fail(error, MD5_ERROR_GPU,
                   "%d palettes of %u joints, but GL_MAX_SHADER_STORAGE_BLOCK_SIZE is %llu",
                   INSTANCES_ALIGNED, (unsigned)model->skeleton.num_joints, max_block);
    return (uint32_t)(fit - fit % INSTANCES_ALIGNED);
}

// -- Static buffers ---------------------------------------------------------------------------

// Writes the vertices of one mesh into `bytes`, which holds all meshes in `layout`, followed by
// each vertex's first influence, an index into the model's influences. `before` is the number of
// vertices of earlier meshes. If only other meshes have vertex colours, this one gets white.
static void write_mesh(const md5_mesh *mesh, size_t before, uint32_t influences_before,
                       const md5gl_layout *layout, uint8_t *bytes)
{
    const size_t count = mesh->num_vertices;
    uint32_t *const first = (uint32_t *)(void *)(bytes + layout->end) + before;
    md5_vec4 *const colours = (md5_vec4 *)(void *)(bytes + layout->colours) + before;
    memcpy(bytes + before * sizeof(md5_vec3), mesh->positions, count * sizeof(md5_vec3));
    memcpy(bytes + layout->normals + before * sizeof(md5_vec3), mesh->normals,
           count * sizeof(md5_vec3));
    if (mesh->tangents)
        memcpy(bytes + layout->tangents + before * sizeof(md5_vec4), mesh->tangents,
               count * sizeof(md5_vec4));
    else
        memset(bytes + layout->tangents + before * sizeof(md5_vec4), 0, count * sizeof(md5_vec4));
    memcpy(bytes + layout->texcoords + before * sizeof(md5_vec2), mesh->texcoords,
           count * sizeof(md5_vec2));
    for (size_t i = 0; i < count; i++)
        first[i] = influences_before + mesh->first_influence[i];
    for (size_t i = 0; i < count && layout->end > layout->colours; i++)
        colours[i] = mesh->colors ? mesh->colors[i] : (md5_vec4){1, 1, 1, 1};
}

static void write_vertices(const md5_model *model, const md5gl_layout *layout, uint8_t *bytes)
{
    size_t before = 0;
    uint32_t influences = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        if (mesh->num_vertices > 0)
            write_mesh(mesh, before, influences, layout, bytes);
        before += mesh->num_vertices;
        influences += mesh->num_influences;
    }
    memcpy(bytes + layout->end + before * sizeof influences, &influences, sizeof influences);
}

static void set_integer_attribute(const GladGLContext *gl, GLuint attribute, size_t offset)
{
    gl->VertexAttribIPointer(attribute, 1, GL_UNSIGNED_INT, 0, (const void *)offset);
    gl->EnableVertexAttribArray(attribute);
}

static bool upload_vertices(md5gl_renderer *renderer, md5gl_storage *storage,
                            const md5_model *model, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const totals all = add_up(model);
    const size_t count = (size_t)all.vertices;
    const md5gl_layout layout = md5gl_make_layout(count, all.coloured);
    const size_t size = layout.end + (count + 1) * sizeof(uint32_t);
    uint8_t *const bytes = (uint8_t *)md5gl_alloc(&renderer->allocator, size, 1, error);
    if (!bytes)
        return false;
    write_vertices(model, &layout, bytes);
    gl->BindBuffer(GL_ARRAY_BUFFER, storage->vertices);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, bytes, GL_STATIC_DRAW);
    md5gl_free(&renderer->allocator, bytes, size);
    md5gl_set_attribute(gl, MD5GL_AT_POSITION, 3, 0);
    md5gl_set_attribute(gl, MD5GL_AT_NORMAL, 3, layout.normals);
    md5gl_set_attribute(gl, MD5GL_AT_TANGENT, 4, layout.tangents);
    md5gl_set_attribute(gl, MD5GL_AT_TEXCOORD, 2, layout.texcoords);
    if (all.coloured)
        md5gl_set_attribute(gl, MD5GL_AT_COLOUR, 4, layout.colours);
    // The end of a vertex's influences is the start of the next vertex's.
    set_integer_attribute(gl, MD5GL_AT_JOINTS, layout.end);
    set_integer_attribute(gl, MD5GL_AT_JOINTS_HIGH, layout.end + sizeof(uint32_t));
    storage->coloured = all.coloured;
    return true;
}

// Appends a part to an array of parts.
static void add_part(md5gl_part *parts, int *count, const void *data, size_t size)
{
    parts[(*count)++] = (md5gl_part){data, size};
}

static bool upload_indices(md5gl_renderer *renderer, md5gl_storage *storage, md5gl_model *model,
                           md5gl_part *parts, md5_error *error)
{
    uint32_t first_vertex = 0, first_index = 0;
    int count = 0;
    for (uint32_t i = 0; i < model->model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->model->meshes[i];
        add_part(parts, &count, mesh->indices, 3 * (size_t)mesh->num_triangles * sizeof(uint32_t));
        model->meshes[i].first_vertex = first_vertex;
        model->meshes[i].first_index = first_index;
        first_vertex += mesh->num_vertices;
        first_index += 3 * mesh->num_triangles;
    }
    if (!md5gl_fill_buffer(renderer, storage->indices, parts, count, error))
        return false;
    renderer->gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, storage->indices);
    return true;
}

static bool upload_influences(md5gl_renderer *renderer, md5gl_storage *storage,
                              const md5_model *model, md5gl_part *parts, md5_error *error)
{
    static const uint8_t zeros[ALIGNMENT] = {0};
    const size_t influences = (size_t)add_up(model).influences * sizeof(md5_vec4);
    int count = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++)
        add_part(parts, &count, model->meshes[i].influences,
                 model->meshes[i].num_influences * sizeof(md5_vec4));
    // Neither range may be empty, even if the model has no influences.
    storage->joints_begin = align(influences + 1);
    storage->influences_size = influences > 0 ? influences : storage->joints_begin;
    add_part(parts, &count, zeros, storage->joints_begin - influences);
    for (uint32_t i = 0; i < model->num_meshes; i++)
        add_part(parts, &count, model->meshes[i].influence_joints,
                 model->meshes[i].num_influences * sizeof(uint32_t));
    storage->joints_size = influences / sizeof(md5_vec4) * sizeof(uint32_t) + sizeof(uint32_t);
    add_part(parts, &count, zeros, sizeof(uint32_t));
    return md5gl_fill_buffer(renderer, storage->influences, parts, count, error);
}

// -- Creation ---------------------------------------------------------------------------------

static bool upload_all(md5gl_renderer *renderer, md5gl_model *model, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    md5gl_storage *const storage = model->storage;
    const size_t max_parts = 2 * (size_t)model->model->num_meshes + 2;
    GLuint buffers[6];
    gl->GenVertexArrays(1, &storage->array);
    gl->GenBuffers(6, buffers);
    storage->vertices = buffers[0];
    storage->indices = buffers[1];
    storage->influences = buffers[2];
    storage->commands = buffers[3];
    storage->gpu_palettes = buffers[4];
    storage->tints = buffers[5];
    md5gl_part *const parts =
        (md5gl_part *)md5gl_alloc(&renderer->allocator, max_parts, sizeof *parts, error);
    if (!parts)
        return false;
    gl->BindVertexArray(storage->array);
    const bool uploaded = upload_vertices(renderer, storage, model->model, error)
                          && upload_indices(renderer, storage, model, parts, error)
                          && upload_influences(renderer, storage, model->model, parts, error);
    gl->BindVertexArray(0);
    gl->BindBuffer(GL_ARRAY_BUFFER, 0);
    md5gl_free(&renderer->allocator, parts, max_parts * sizeof *parts);
    return uploaded;
}

bool md5gl_create_storage(md5gl_renderer *renderer, md5gl_model *model, md5_error *error)
{
    const size_t num_meshes = model->model->num_meshes;
    md5gl_storage *const storage =
        (md5gl_storage *)md5gl_alloc(&renderer->allocator, 1, sizeof *storage, error);
    model->storage = storage;
    if (!storage)
        return false;
    storage->palette_size = palette_size(model->model);
    storage->batch_capacity = md5gl_instances_per_block(renderer, model->model, error);
    storage->stale = true;
    storage->lit_order = (md5gl_draw_item *)md5gl_alloc(&renderer->allocator, num_meshes,
                                                        sizeof *storage->lit_order, error);
    storage->depth_order = (md5gl_draw_item *)md5gl_alloc(&renderer->allocator, num_meshes,
                                                          sizeof *storage->depth_order, error);
    storage->command_list = (md5gl_command *)md5gl_alloc(
        &renderer->allocator, num_meshes * MD5GL_NUM_LISTS, sizeof *storage->command_list, error);
    return storage->batch_capacity > 0 && storage->lit_order && storage->depth_order
           && storage->command_list && upload_all(renderer, model, error);
}

void md5gl_destroy_storage(md5gl_renderer *renderer, md5gl_model *model)
{
    const GladGLContext *gl = &renderer->gl;
    const md5_allocator *const allocator = &renderer->allocator;
    const size_t num_meshes = model->model->num_meshes;
    md5gl_storage *const storage = model->storage;
    if (!storage)
        return;
    const GLuint buffers[] = {storage->vertices, storage->indices,      storage->influences,
                              storage->commands, storage->gpu_palettes, storage->tints};
    gl->DeleteVertexArrays(1, &storage->array);
    gl->DeleteBuffers(6, buffers);
    md5gl_destroy_ring(renderer, &storage->ring);
    md5gl_free(allocator, storage->lit_order, num_meshes * sizeof *storage->lit_order);
    md5gl_free(allocator, storage->depth_order, num_meshes * sizeof *storage->depth_order);
    md5gl_free(allocator, storage->command_list,
               num_meshes * MD5GL_NUM_LISTS * sizeof *storage->command_list);
    md5gl_free(allocator, storage, sizeof *storage);
}

// -- Instances --------------------------------------------------------------------------------

// Acquires a region for `count` instances: palettes, then placements, for which memory is always
// reserved.
static md5gl_region *acquire(md5gl_renderer *renderer, md5gl_storage *storage, size_t palette_size,
                             uint32_t count, md5_error *error)
{
    const size_t size = palette_size + sizeof(md5_mat34);
    if (count > (SIZE_MAX / 2 - ALIGNMENT) / size) {
        md5gl_fail(error, MD5_ERROR_GPU, "out of memory for %u palettes", (unsigned)count);
        return NULL;
    }
    return md5gl_acquire_region(renderer, &storage->ring, count * size + ALIGNMENT, error);
}

md5_mat34 *md5gl_map_storage(md5gl_renderer *renderer, md5gl_model *model, uint32_t count,
                             md5_error *error)
{
    md5gl_storage *const storage = model->storage;
    const md5gl_region *const region =
        acquire(renderer, storage, storage->palette_size, count, error);
    storage->mapped = region ? (md5_mat34 *)(void *)region->bytes : NULL;
    return storage->mapped;
}

bool md5gl_pose_storage(md5gl_renderer *renderer, md5gl_model *model, const md5_mat34 *palettes,
                        const md5_mat34 *placements, uint32_t count, md5_error *error)
{
    md5gl_storage *const storage = model->storage;
    if (count == 0)
        return true;
    const size_t size = palettes ? storage->palette_size : 0;
    const md5gl_region *const region = acquire(renderer, storage, size, count, error);
    if (!region)
        return false;
    storage->from_clips = false;
    storage->placements_begin = align(count * size);
    if (palettes && palettes != storage->mapped && model->model->skeleton.num_joints > 0)
        memcpy(region->bytes, palettes, count * size);
    if (placements)
        memcpy(region->bytes + storage->placements_begin, placements, count * sizeof *placements);
    storage->mapped = NULL;
    storage->count = count;
    md5gl_advance_ring(renderer, &storage->ring);
    model->num_batches = count / storage->batch_capacity + (count % storage->batch_capacity > 0);
    return true;
}

GLuint md5gl_array_of(const md5gl_model *model, const md5gl_mesh *mesh)
{
    return model->storage ? model->storage->array : mesh->array;
}

GLuint md5gl_palettes_in_storage(const md5gl_storage *storage)
{
    return storage->from_clips ? storage->gpu_palettes
                               : storage->ring.regions[storage->ring.current].buffer;
}

void md5gl_use_storage_program(md5gl_renderer *renderer, const md5gl_model *model,
                               const md5gl_program *program, uint32_t first)
{
    const GladGLContext *gl = &renderer->gl;
    gl->UseProgram(program->name);
    gl->Uniform1i(program->uniforms[MD5GL_NUM_JOINTS], (GLint)model->model->skeleton.num_joints);
    gl->Uniform1i(program->uniforms[MD5GL_FIRST_INSTANCE], (GLint)first);
}

void md5gl_bind_storage(md5gl_renderer *renderer, const md5gl_model *model, uint32_t batch)
{
    const GladGLContext *gl = &renderer->gl;
    const md5gl_storage *const storage = model->storage;
    const GLuint region = storage->ring.regions[storage->ring.current].buffer;
    const size_t capacity = storage->batch_capacity;
    const size_t first = batch * capacity, rest = storage->count - first;
    const size_t count = rest < capacity ? rest : capacity;
    const size_t placement = sizeof(md5_mat34), tint = sizeof(md5_vec4);
    const GLuint tints = model->tinted ? storage->tints : 0;
    const struct {
        GLuint buffer;
        size_t begin, size;
    } ranges[] = {
        {md5gl_palettes_in_storage(storage), first * storage->palette_size,
         count * storage->palette_size},
        {region, storage->placements_begin + first * placement, count * placement},
        {storage->influences, 0, storage->influences_size},
        {storage->influences, storage->joints_begin, storage->joints_size},
        {tints, first * tint, count * tint},
    };
    gl->BindVertexArray(storage->array);
    for (GLuint i = 0; i < (tints ? 5 : 4); i++)
        gl->BindBufferRange(MD5GL_SHADER_STORAGE_BUFFER, MD5GL_BINDING_PALETTES + i,
                            ranges[i].buffer, (GLintptr)ranges[i].begin,
                            (GLsizeiptr)ranges[i].size);
}

void md5gl_draw_stored(md5gl_renderer *renderer, const md5gl_mesh *mesh, uint32_t count)
{
    const size_t offset = mesh->first_index * sizeof(uint32_t);
    renderer->gl.DrawElementsInstancedBaseVertex(
        GL_TRIANGLES, (GLsizei)(3 * mesh->mesh->num_triangles), GL_UNSIGNED_INT,
        (const void *)offset, (GLsizei)count, (GLint)mesh->first_vertex);
}
