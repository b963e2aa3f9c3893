// Instances: uploads palettes and placements into tables, in as many batches as their size
// requires, and skins vertices on the paths that skin once.
#include "render/gl_internal.h"

#include <limits.h>
#include <string.h>

// -- Batches ----------------------------------------------------------------------------------

// Whether any mesh is skinned from palettes on the GPU.
static bool needs_palettes(const md5gl_model *model)
{
    for (uint32_t i = 0; i < model->model->num_meshes; i++) {
        if (model->meshes[i].path != MD5GL_PATH_CPU)
            return true;
    }
    return false;
}

static bool reserve_batches(md5gl_renderer *renderer, md5gl_model *model, uint32_t count,
                            md5_error *error)
{
    if (count <= model->batch_capacity)
        return true;
    md5gl_batch *const batches =
        (md5gl_batch *)md5gli_alloc(&renderer->allocator, count, sizeof *batches, error);
    if (!batches)
        return false;
    if (model->batch_capacity > 0)
        memcpy(batches, model->batches, model->batch_capacity * sizeof *batches);
    md5gli_free(&renderer->allocator, model->batches, model->batch_capacity * sizeof *batches);
    for (uint32_t i = model->batch_capacity; i < count; i++) {
        batches[i].palettes = md5gli_create_table(renderer, GL_RGBA32F, NULL, 0);
        batches[i].placements = md5gli_create_table(renderer, GL_RGBA32F, NULL, 0);
        batches[i].tints = md5gli_create_table(renderer, GL_RGBA32F, NULL, 0);
    }
    model->batches = batches;
    model->batch_capacity = count;
    return true;
}

static void fill_batch(md5gl_renderer *renderer, md5gl_batch *batch, const md5_mat34 *palettes,
                       const md5_mat34 *placements, uint32_t num_joints)
{
    if (palettes)
        md5gli_fill_table(renderer, &batch->palettes, palettes,
                          (size_t)batch->count * num_joints * sizeof *palettes);
    if (placements)
        md5gli_fill_table(renderer, &batch->placements, placements,
                          batch->count * sizeof *placements);
}

bool md5gli_fill_batches(md5gl_renderer *renderer, md5gl_model *model, const md5_mat34 *palettes,
                         const md5_mat34 *placements, uint32_t count, uint32_t capacity,
                         md5_error *error)
{
    const uint32_t num_joints = model->model->skeleton.num_joints;
    const uint32_t num_batches = count / capacity + (count % capacity > 0);
    if (!reserve_batches(renderer, model, num_batches, error))
        return false;
    for (uint32_t i = 0, first = 0; i < num_batches; i++) {
        md5gl_batch *const batch = &model->batches[i];
        batch->count = count - first < capacity ? count - first : capacity;
        fill_batch(renderer, batch, palettes ? palettes + (size_t)first * num_joints : NULL,
                   placements ? placements + first : NULL, num_joints);
        first += batch->count;
    }
    model->num_batches = num_batches;
    return true;
}

static bool pose_batches(md5gl_renderer *renderer, md5gl_model *model, const md5_mat34 *palettes,
                         const md5_mat34 *placements, uint32_t count, md5_error *error)
{
    const bool uploads = needs_palettes(model);
    const uint32_t num_joints = uploads ? model->model->skeleton.num_joints : 1;
    const uint32_t fit = md5gli_instances_per_draw(renderer, num_joints, error);
    const uint32_t capacity = fit < MD5GL_MAX_BATCH_INSTANCES ? fit : MD5GL_MAX_BATCH_INSTANCES;
    bool posed = capacity > 0
                 && md5gli_fill_batches(renderer, model, uploads ? palettes : NULL, placements,
                                        count, capacity, error);
    for (uint32_t i = 0; i < model->model->num_meshes && posed; i++)
        posed = md5gli_preskin(renderer, model, &model->meshes[i], palettes, count, error);
    return posed;
}

void md5gli_begin_pose(md5gl_renderer *renderer, md5gl_model *model, bool placed, uint32_t count)
{
    model->num_batches = 0;
    model->placed = placed;
    model->baked = NULL;
    md5gli_forget_looks(model, count);
    md5gli_update_opacity(renderer, model);
}

bool md5gl_pose_models(md5gl_renderer *renderer, md5gl_model *model, const md5_mat34 *palettes,
                       const md5_mat34 *placements, uint32_t count, md5_error *error)
{
    MD5_ASSERT(renderer != NULL && model != NULL, "renderer, model: not NULL");
    MD5_ASSERT(palettes != NULL || count == 0 || model->model->skeleton.num_joints == 0,
               "palettes: not NULL");
    md5gli_clear_error(error);
    md5gli_begin_pose(renderer, model, placements != NULL, count);
    const bool posed = pose_batches(renderer, model, palettes, placements, count, error);
    if (!posed)
        model->num_batches = 0;
    if (!renderer->in_frame)
        md5gli_reset_state(renderer);
    return posed;
}

// -- Skinning once ----------------------------------------------------------------------------

static void write_part(const GladGLContext *gl, size_t begin, size_t size, const void *data)
{
    gl->BufferSubData(GL_ARRAY_BUFFER, (GLintptr)begin, (GLsizeiptr)size, data);
}

// Skins one instance into `bytes`, in the layout of one instance. `weights` NULL: no morph targets.
// `dual` [num_joints] is scratch.
static void skin_one(const md5gl_model *model, const md5gl_mesh *mesh, const md5_mat34 *palette,
                     const float *weights, md5_dual_quat *dual, uint8_t *bytes)
{
    const md5_morph *const morph = weights ? md5gli_morph_source(model->morph) : NULL;
    const uint32_t index = (uint32_t)(mesh - model->meshes);
    const md5gl_layout one = md5gli_make_layout(mesh->mesh->num_vertices, false);
    md5_vec3 *const positions = (md5_vec3 *)(void *)bytes, *const normals =
                                                               (md5_vec3 *)(void *)(bytes
                                                                                    + one.normals);
    md5_vec4 *const tangents = (md5_vec4 *)(void *)(bytes + one.tangents);
    if (model->blending == MD5GL_BLEND_DUAL) {
        md5_build_dual_palette(palette, model->model->skeleton.num_joints, dual);
        if (morph)
            md5_skin_dual_morphed(morph, index, weights, dual, positions, normals, tangents);
        else
            md5_skin_dual(mesh->mesh, dual, positions, normals, tangents);
    } else if (morph) {
        md5_skin_morphed(morph, index, weights, palette, positions, normals, tangents);
    } else {
        md5_skin(mesh->mesh, palette, positions, normals, tangents);
    }
}

// Forms the surface of an instance from its skinned vertices, and uploads it. `formed` is scratch.
static void deform_one(const GladGLContext *gl, const md5gl_model *model, const md5gl_mesh *mesh,
                       uint32_t instance, const uint8_t *skinned, uint8_t *formed)
{
    const size_t count = md5gli_num_posed(mesh), first = count * instance;
    const md5gl_layout one = md5gli_make_layout(count, true);
    const md5gl_layout all = md5gli_make_layout(count * mesh->posed_count, true);
    const md5gl_layout from = md5gli_make_layout(mesh->mesh->num_vertices, false);
    md5_vec3 *const normals = (md5_vec3 *)(void *)(formed + one.normals);
    const md5_vec3 up = {0.0f, 0.0f, 1.0f};
    memset(formed, 0, one.end);
    if (count == mesh->mesh->num_vertices)
        memcpy(normals, skinned + from.normals, from.texcoords - from.normals);
    for (size_t i = 0; i < count && count != mesh->mesh->num_vertices; i++)
        normals[i] = up;
    mesh->deform.write(mesh->deform.user, (uint32_t)(mesh - model->meshes), instance,
                       (const md5_vec3 *)(const void *)skinned,
                       (const md5_vec3 *)(const void *)(skinned + from.normals),
                       (md5_vec3 *)(void *)formed, (md5_vec2 *)(void *)(formed + one.texcoords),
                       (md5_vec4 *)(void *)(formed + one.colours));
    write_part(gl, first * sizeof(md5_vec3), one.normals, formed);
    write_part(gl, all.normals + first * sizeof(md5_vec3), one.normals, normals);
    write_part(gl, all.tangents + first * sizeof(md5_vec4), count * sizeof(md5_vec4),
               formed + one.tangents);
    write_part(gl, all.texcoords + first * sizeof(md5_vec2), count * sizeof(md5_vec2),
               formed + one.texcoords);
    write_part(gl, all.colours + first * sizeof(md5_vec4), count * sizeof(md5_vec4),
               formed + one.colours);
}

// Skins one instance at a time into scratch memory and uploads it from there.
static bool skin_on_cpu(md5gl_renderer *renderer, const md5gl_model *model, const md5gl_mesh *mesh,
                        const md5_mat34 *palettes, uint32_t count, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const size_t vertices = mesh->mesh->num_vertices;
    if (vertices > 0 && !mesh->mesh->positions)
        return md5gli_fail(error, MD5_ERROR_MISMATCH,
                           "the model's geometry was released, but the CPU skins mesh %u",
                           (unsigned)(mesh - model->meshes));
    const md5gl_layout all = md5gli_make_layout(vertices * count, false);
    const md5gl_layout one = md5gli_make_layout(vertices, false);
    const size_t num_joints = model->model->skeleton.num_joints;
    const size_t formed_at = one.texcoords + num_joints * sizeof(md5_dual_quat);
    const size_t scratch_size =
        formed_at + (mesh->deform.write ? md5gli_make_layout(md5gli_num_posed(mesh), true).end : 0);
    uint8_t *const bytes = (uint8_t *)md5gli_alloc(&renderer->allocator, scratch_size, 1, error);
    if (!bytes)
        return false;
    md5_dual_quat *const dual = (md5_dual_quat *)(void *)(bytes + one.texcoords);
    if (!mesh->mesh->tangents)
        memset(bytes + one.tangents, 0, one.texcoords - one.tangents);
    const size_t positions = one.normals, normals = one.tangents - one.normals;
    const size_t tangents = one.texcoords - one.tangents;
    for (uint32_t i = 0; i < count; i++) {
        skin_one(model, mesh, palettes + i * num_joints, md5gli_weights_of(model, i), dual, bytes);
        if (mesh->deform.write) {
            deform_one(gl, model, mesh, i, bytes, bytes + formed_at);
            continue;
        }
        write_part(gl, i * positions, positions, bytes);
        write_part(gl, all.normals + i * normals, normals, bytes + one.normals);
        write_part(gl, all.tangents + i * tangents, tangents, bytes + one.tangents);
    }
    md5gli_free(&renderer->allocator, bytes, scratch_size);
    return true;
}

static void skin_by_compute(md5gl_renderer *renderer, const md5gl_model *model,
                            const md5gl_mesh *mesh, uint32_t count)
{
    enum { GROUP = 64 }; // vertices: local_size_x of preskin.comp
    const GladGLContext *gl = &renderer->gl;
    const md5gl_program *const program =
        &renderer->preskin[md5gl_variant_of(model->blending, model->morph != NULL)];
    const uint32_t num_groups = (mesh->mesh->num_vertices + GROUP - 1) / GROUP;
    gl->BindBufferBase(MD5GL_SHADER_STORAGE_BUFFER, MD5GL_BINDING_BIND, mesh->vertices);
    gl->BindBufferBase(MD5GL_SHADER_STORAGE_BUFFER, MD5GL_BINDING_FIRST_INFLUENCE,
                       mesh->influences);
    gl->BindBufferBase(MD5GL_SHADER_STORAGE_BUFFER, MD5GL_BINDING_POSED, mesh->posed);
    uint32_t first = 0;
    for (uint32_t b = 0; b < model->num_batches; b++) {
        const md5gl_batch *const batch = &model->batches[b];
        md5gli_bind_mesh(renderer, mesh, program, batch, model->model->skeleton.num_joints);
        md5gli_bind_morph(renderer, model, mesh, program, first);
        gl->Uniform1i(program->uniforms[MD5GL_NUM_VERTICES], (GLint)mesh->mesh->num_vertices);
        gl->Uniform1i(program->uniforms[MD5GL_NUM_INSTANCES], (GLint)count);
        gl->Uniform1i(program->uniforms[MD5GL_FIRST_INSTANCE], (GLint)first);
        renderer->optional.DispatchCompute(num_groups, batch->count, 1);
        first += batch->count;
    }
    renderer->optional.MemoryBarrier(MD5GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT);
    for (GLuint i = 0; i < MD5GL_NUM_STORAGE_BINDINGS; i++)
        gl->BindBufferBase(MD5GL_SHADER_STORAGE_BUFFER, i, 0);
    gl->BindBuffer(MD5GL_SHADER_STORAGE_BUFFER, 0);
    gl->BindVertexArray(0);
    gl->UseProgram(0);
}

bool md5gli_preskin(md5gl_renderer *renderer, md5gl_model *model, md5gl_mesh *mesh,
                    const md5_mat34 *palettes, uint32_t count, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const size_t vertices = md5gli_num_posed(mesh);
    if (!md5gli_preskins(mesh->path) || vertices == 0 || count == 0)
        return true;
    // Shaders index floats with a signed int; a vertex takes ten, of a deform sixteen.
    const size_t floats = mesh->deform.write ? 16 : 10;
    if (vertices > (size_t)INT_MAX / floats / count)
        return md5gli_fail(error, MD5_ERROR_GPU,
                           "%u instances of %zu vertices exceed the buffer for skinned vertices",
                           (unsigned)count, vertices);
    const md5gl_layout layout = md5gli_make_layout(vertices * count, true);
    const size_t size = mesh->deform.write ? layout.end : layout.texcoords;
    gl->BindBuffer(GL_ARRAY_BUFFER, mesh->posed);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, NULL, GL_STREAM_DRAW);
    mesh->posed_count = count;
    bool done = true;
    if (mesh->path == MD5GL_PATH_CPU)
        done = skin_on_cpu(renderer, model, mesh, palettes, count, error);
    else
        skin_by_compute(renderer, model, mesh, count);
    gl->BindBuffer(GL_ARRAY_BUFFER, 0);
    return done;
}

void md5gli_set_posed_attributes(md5gl_renderer *renderer, const md5gl_mesh *mesh,
                                 uint32_t instance)
{
    const GladGLContext *gl = &renderer->gl;
    const size_t vertices = md5gli_num_posed(mesh), first = vertices * instance;
    const md5gl_layout all = md5gli_make_layout(vertices * mesh->posed_count, true);
    const size_t position = first * sizeof(md5_vec3);
    const size_t tangent = all.tangents + first * sizeof(md5_vec4);
    gl->BindBuffer(GL_ARRAY_BUFFER, mesh->posed);
    gl->VertexAttribPointer(MD5GL_AT_POSITION, 3, GL_FLOAT, GL_FALSE, 0, (const void *)position);
    gl->VertexAttribPointer(MD5GL_AT_NORMAL, 3, GL_FLOAT, GL_FALSE, 0,
                            (const void *)(all.normals + position));
    gl->VertexAttribPointer(MD5GL_AT_TANGENT, 4, GL_FLOAT, GL_FALSE, 0, (const void *)tangent);
    if (mesh->deform.write) {
        md5gli_set_attribute(gl, MD5GL_AT_TEXCOORD, 2, all.texcoords + first * sizeof(md5_vec2));
        md5gli_set_attribute(gl, MD5GL_AT_COLOUR, 4, all.colours + first * sizeof(md5_vec4));
    }
    gl->BindBuffer(GL_ARRAY_BUFFER, 0);
}
