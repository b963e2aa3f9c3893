// Models on the GPU: buffers that are created once and never change.
#include "render/gl_internal.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// -- Choice of the path -----------------------------------------------------------------------

static float diagonal(const md5_bounds *bounds)
{
    if (bounds->min.x > bounds->max.x)
        return 0.0f;
    const float x = bounds->max.x - bounds->min.x;
    const float y = bounds->max.y - bounds->min.y;
    const float z = bounds->max.z - bounds->min.z;
    return sqrtf(x * x + y * y + z * z);
}

// Whether a mesh's data for a path fits into the context's buffers.
static bool fits(const md5gl_renderer *renderer, const md5_model *model, const md5_mesh *mesh,
                 md5gl_path path, md5_error *error)
{
    if (path == MD5GL_PATH_CPU)
        return true;
    if (md5gli_instances_per_draw(renderer, model->skeleton.num_joints, error) == 0)
        return false;
    if (path != MD5GL_PATH_4 && path != MD5GL_PATH_8 && mesh->num_influences > renderer->max_texels)
        return md5gli_fail(error, MD5_ERROR_GPU, "mesh of %u influences, but %s is %u",
                           (unsigned)mesh->num_influences, renderer->max_texels_name,
                           (unsigned)renderer->max_texels);
    return true;
}

static void choose_path(const md5gl_renderer *renderer, const md5_model *model, md5gl_mesh *mesh)
{
    const float limit = MD5GL_MEASURABLE_LOSS * diagonal(&model->bounds);
    mesh->path = MD5GL_PATH_EXACT;
    mesh->reason = "8 is lossy";
    if (mesh->mesh->loss8 <= limit) {
        mesh->path = MD5GL_PATH_8;
        mesh->reason = "4 is lossy";
    }
    if (mesh->mesh->loss4 <= limit) {
        mesh->path = MD5GL_PATH_4;
        mesh->reason = "lossless";
    }
    if (!fits(renderer, model, mesh->mesh, mesh->path, NULL)) {
        mesh->path = MD5GL_PATH_CPU;
        mesh->reason = "buffer too small";
    }
}

// Returns false if the context does not support a requested path.
static bool check_path(const md5gl_renderer *renderer, md5gl_path wanted, md5_error *error)
{
    if (!md5gl_has_path(renderer, wanted))
        return md5gli_fail(error, MD5_ERROR_GPU, "path \"%s\" needs OpenGL 4.3, but this is %s",
                           md5gl_path_name(wanted), renderer->device_name);
    return true;
}

// Sets the requested path. Returns false if this mesh cannot take it.
static bool set_path(const md5gl_renderer *renderer, const md5_model *model, md5gl_mesh *mesh,
                     md5gl_path wanted, md5_error *error)
{
    if (wanted == MD5GL_PATH_AUTO) {
        choose_path(renderer, model, mesh);
        return true;
    }
    mesh->path = wanted;
    mesh->reason = "requested";
    return fits(renderer, model, mesh->mesh, wanted, error);
}

// -- Upload ---------------------------------------------------------------------------------

// The buffer holds one attribute array after the other, as in the model.
static bool upload_vertices(md5gl_renderer *renderer, md5gl_mesh *mesh, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const md5_mesh *const source = mesh->mesh;
    const md5gl_layout layout = md5gli_make_layout(source->num_vertices, source->colors != NULL);
    const md5gl_part parts[] = {
        {source->positions, layout.normals},
        {source->normals, layout.tangents - layout.normals},
        {source->tangents, layout.texcoords - layout.tangents},
        {source->texcoords, layout.colours - layout.texcoords},
        {source->colors, layout.end - layout.colours},
    };
    gl->GenBuffers(1, &mesh->vertices);
    if (!md5gli_fill_buffer(renderer, mesh->vertices, parts, 5, error))
        return false;
    md5gli_set_attribute(gl, MD5GL_AT_POSITION, 3, 0);
    md5gli_set_attribute(gl, MD5GL_AT_NORMAL, 3, layout.normals);
    md5gli_set_attribute(gl, MD5GL_AT_TANGENT, 4, layout.tangents);
    md5gli_set_attribute(gl, MD5GL_AT_TEXCOORD, 2, layout.texcoords);
    if (source->colors)
        md5gli_set_attribute(gl, MD5GL_AT_COLOUR, 4, layout.colours);
    return true;
}

// Joint indices of 16 bits halve what a vertex reads; only a model of more than 65536 joints needs
// 32 bits. Works in place: the write position never passes the read position. Returns the size of
// an index.
static size_t narrow_joints(uint32_t *joints, size_t count, uint32_t num_joints)
{
    if (num_joints > 65536)
        return sizeof(uint32_t);
    unsigned char *const bytes = (unsigned char *)joints;
    for (size_t i = 0; i < count; i++) {
        uint32_t wide;
        memcpy(&wide, bytes + 4 * i, sizeof wide);
        const uint16_t narrow = (uint16_t)wide;
        memcpy(bytes + 2 * i, &narrow, sizeof narrow);
    }
    return sizeof(uint16_t);
}

static void set_slot_attributes(const GladGLContext *gl, uint32_t slots, size_t joint_size,
                                size_t weights_offset)
{
    const GLenum type = joint_size == 2 ? GL_UNSIGNED_SHORT : GL_UNSIGNED_INT;
    const size_t joint_stride = slots * joint_size, weight_stride = slots * sizeof(float);
    for (GLuint half = 0; half < slots / 4; half++) {
        const size_t first = (size_t)half * 4, joints = first * joint_size;
        const size_t weights = weights_offset + first * sizeof(float);
        gl->VertexAttribIPointer(MD5GL_AT_JOINTS + half, 4, type, (GLsizei)joint_stride,
                                 (const void *)joints);
        gl->VertexAttribPointer(MD5GL_AT_WEIGHTS + half, 4, GL_FLOAT, GL_FALSE,
                                (GLsizei)weight_stride, (const void *)weights);
        gl->EnableVertexAttribArray(MD5GL_AT_JOINTS + half);
        gl->EnableVertexAttribArray(MD5GL_AT_WEIGHTS + half);
    }
}

static bool upload_slots(md5gl_renderer *renderer, md5gl_mesh *mesh, uint32_t slots,
                         uint32_t num_joints, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const size_t count = (size_t)mesh->mesh->num_vertices * slots;
    uint32_t *const joints =
        (uint32_t *)md5gli_alloc(&renderer->allocator, count, sizeof *joints, error);
    float *const weights =
        (float *)md5gli_alloc(&renderer->allocator, count, sizeof *weights, error);
    bool uploaded = joints && weights;
    if (uploaded) {
        md5_pack_influences(mesh->mesh, slots, joints, weights);
        const size_t joint_size = narrow_joints(joints, count, num_joints);
        const md5gl_part parts[] = {{joints, count * joint_size},
                                    {weights, count * sizeof *weights}};
        gl->GenBuffers(1, &mesh->influences);
        uploaded = md5gli_fill_buffer(renderer, mesh->influences, parts, 2, error);
        if (uploaded)
            set_slot_attributes(gl, slots, joint_size, parts[0].size);
    }
    md5gli_free(&renderer->allocator, joints, count * sizeof *joints);
    md5gli_free(&renderer->allocator, weights, count * sizeof *weights);
    return uploaded;
}

static void upload_exact(md5gl_renderer *renderer, md5gl_mesh *mesh)
{
    const GladGLContext *gl = &renderer->gl;
    const md5_mesh *const source = mesh->mesh;
    const size_t count = source->num_influences;
    mesh->exact_influences = md5gli_create_table(renderer, GL_RGBA32F, source->influences,
                                                 count * sizeof *source->influences);
    mesh->exact_joints = md5gli_create_table(renderer, GL_R32UI, source->influence_joints,
                                             count * sizeof *source->influence_joints);
    const size_t size = (size_t)source->num_vertices * sizeof(uint32_t) + sizeof(uint32_t);
    gl->GenBuffers(1, &mesh->influences);
    gl->BindBuffer(GL_ARRAY_BUFFER, mesh->influences);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, source->first_influence, GL_STATIC_DRAW);
    if (mesh->path == MD5GL_PATH_COMPUTE)
        return;
    // The end of a vertex's influences is the start of the next vertex's: read the array twice,
    // shifted by one.
    gl->VertexAttribIPointer(MD5GL_AT_JOINTS, 1, GL_UNSIGNED_INT, 0, NULL);
    gl->VertexAttribIPointer(MD5GL_AT_JOINTS_HIGH, 1, GL_UNSIGNED_INT, 0,
                             (const void *)sizeof(uint32_t));
    gl->EnableVertexAttribArray(MD5GL_AT_JOINTS);
    gl->EnableVertexAttribArray(MD5GL_AT_JOINTS_HIGH);
}

static bool upload_influences(md5gl_renderer *renderer, md5gl_mesh *mesh, uint32_t num_joints,
                              md5_error *error)
{
    if (md5gli_preskins(mesh->path))
        renderer->gl.GenBuffers(1, &mesh->posed);
    switch (mesh->path) {
    case MD5GL_PATH_4:
        return upload_slots(renderer, mesh, 4, num_joints, error);
    case MD5GL_PATH_8:
        return upload_slots(renderer, mesh, 8, num_joints, error);
    case MD5GL_PATH_CPU:
        return true;
    default:
        upload_exact(renderer, mesh);
        return true;
    }
}

// The edges of a mesh as lines, two indices each. Leaves the mesh's own indices bound.
static bool upload_edges(md5gl_renderer *renderer, md5gl_mesh *mesh, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const size_t count = 6 * (size_t)mesh->mesh->num_triangles;
    uint32_t *const ends =
        (uint32_t *)md5gli_alloc(&renderer->allocator, count, sizeof *ends, error);
    if (!ends)
        return false;
    for (size_t i = 0; i < count / 2; i++) {
        ends[2 * i] = mesh->mesh->indices[i];
        ends[2 * i + 1] = mesh->mesh->indices[i % 3 == 2 ? i - 2 : i + 1];
    }
    gl->GenBuffers(1, &mesh->edges);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->edges);
    gl->BufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof *ends), ends,
                   GL_STATIC_DRAW);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->indices);
    md5gli_free(&renderer->allocator, ends, count * sizeof *ends);
    return true;
}

static bool upload_mesh(md5gl_renderer *renderer, md5gl_mesh *mesh, uint32_t num_joints,
                        md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const md5_mesh *const source = mesh->mesh;
    const size_t num_indices = (size_t)source->num_triangles * 3;
    if (source->num_vertices > INT_MAX || num_indices > (renderer->is_es ? INT_MAX / 2 : INT_MAX))
        return md5gli_fail(error, MD5_ERROR_GPU,
                           "a mesh has more vertices or indices than GL can draw");
    gl->GenVertexArrays(1, &mesh->array);
    gl->BindVertexArray(mesh->array);
    if (!upload_vertices(renderer, mesh, error)
        || !upload_influences(renderer, mesh, num_joints, error))
        return false;
    gl->GenBuffers(1, &mesh->indices);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->indices);
    gl->BufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(num_indices * sizeof(uint32_t)),
                   source->indices, GL_STATIC_DRAW);
    return !renderer->is_es || upload_edges(renderer, mesh, error);
}

// -- Public -----------------------------------------------------------------------------------

static bool has_geometry(const md5_model *model, md5_error *error)
{
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        if (!model->meshes[i].positions && model->meshes[i].num_vertices > 0)
            return md5gli_fail(error, MD5_ERROR_MISMATCH, "the model's geometry was released");
    }
    return true;
}

md5gl_model *md5gl_create_model(md5gl_renderer *renderer, const md5_model *model, md5gl_path path,
                                md5_error *error)
{
    MD5_ASSERT(renderer != NULL && model != NULL, "renderer, model: not NULL");
    MD5_ASSERT((unsigned)path <= MD5GL_PATH_COMPUTE, "path: one of md5gl_path");
    MD5_ASSERT(!renderer->in_frame, "call it outside of a frame");
    md5gli_clear_error(error);
    if (!has_geometry(model, error))
        return NULL;
    const uint32_t num_joints = model->skeleton.num_joints;
    const size_t num_meshes = model->num_meshes; // as many as size_t can count, if it has 32 bits
    const size_t size = num_meshes <= (SIZE_MAX - sizeof(md5gl_model)) / sizeof(md5gl_mesh)
                            ? sizeof(md5gl_model) + num_meshes * sizeof(md5gl_mesh)
                            : SIZE_MAX;
    md5gl_model *const copy = (md5gl_model *)md5gli_alloc(&renderer->allocator, size, 1, error);
    if (!copy)
        return NULL;
    copy->model = model;
    copy->size = size;
    md5gli_clear_gl_errors(renderer);
    copy->surfaces = (md5gl_surface *)md5gli_alloc(&renderer->allocator, model->num_meshes,
                                                   sizeof *copy->surfaces, error);
    copy->num_skins = 1;
    bool uploaded = copy->surfaces && check_path(renderer, path, error);
    for (uint32_t i = 0; i < model->num_meshes && uploaded; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        copy->meshes[i].mesh = mesh;
        copy->meshes[i].visible = true;
        // Most contexts need the programs of one path only.
        uploaded =
            set_path(renderer, model, &copy->meshes[i], path, error)
            && md5gli_build_variant(renderer, copy->meshes[i].path, MD5GL_BLEND_LINEAR, error)
            && upload_mesh(renderer, &copy->meshes[i], num_joints, error);
    }
    renderer->gl.BindVertexArray(0);
    renderer->gl.BindBuffer(GL_ARRAY_BUFFER, 0);
    if (uploaded && md5gli_check(renderer, "creating a model's buffers", error))
        return copy;
    md5gl_destroy_model(renderer, copy);
    return NULL;
}

void md5gl_destroy_model(md5gl_renderer *renderer, md5gl_model *model)
{
    if (!model)
        return;
    MD5_ASSERT(renderer != NULL, "renderer: not NULL");
    const GladGLContext *gl = &renderer->gl;
    for (uint32_t i = 0; i < model->model->num_meshes; i++) {
        md5gl_mesh *const mesh = &model->meshes[i];
        const GLuint buffers[] = {mesh->vertices, mesh->influences, mesh->indices,
                                  mesh->posed,    mesh->edges,      mesh->deformed_indices};
        gl->DeleteVertexArrays(1, &mesh->array);
        gl->DeleteBuffers(6, buffers);
        md5gli_destroy_table(renderer, &mesh->exact_influences);
        md5gli_destroy_table(renderer, &mesh->exact_joints);
    }
    for (uint32_t i = 0; i < model->batch_capacity; i++) {
        md5gli_destroy_table(renderer, &model->batches[i].palettes);
        md5gli_destroy_table(renderer, &model->batches[i].placements);
        md5gli_destroy_table(renderer, &model->batches[i].tints);
    }
    md5gli_destroy_table(renderer, &model->morph_weights);
    md5gli_free(&renderer->allocator, model->weights, model->weights_size);
    md5gli_free(&renderer->allocator, model->surfaces,
                (size_t)model->num_skins * model->model->num_meshes * sizeof *model->surfaces);
    md5gli_free(&renderer->allocator, model->runs, model->run_capacity * sizeof *model->runs);
    md5gli_free(&renderer->allocator, model->batches,
                model->batch_capacity * sizeof *model->batches);
    md5gli_free(&renderer->allocator, model, model->size);
}

bool md5gl_has_path(const md5gl_renderer *renderer, md5gl_path path)
{
    MD5_ASSERT(renderer != NULL, "renderer: not NULL");
    MD5_ASSERT((unsigned)path <= MD5GL_PATH_COMPUTE, "path: one of md5gl_path");
    return path != MD5GL_PATH_COMPUTE || renderer->has_compute;
}

md5gl_path md5gl_mesh_path(const md5gl_model *model, uint32_t mesh)
{
    MD5_ASSERT(model != NULL, "model: not NULL");
    MD5_ASSERT(mesh < model->model->num_meshes, "mesh: an index into the model's meshes");
    return model->meshes[mesh].path;
}

const char *md5gl_path_reason(const md5gl_model *model, uint32_t mesh)
{
    MD5_ASSERT(model != NULL, "model: not NULL");
    MD5_ASSERT(mesh < model->model->num_meshes, "mesh: an index into the model's meshes");
    return model->meshes[mesh].reason;
}

const char *md5gl_path_name(md5gl_path path)
{
    MD5_ASSERT((unsigned)path <= MD5GL_PATH_COMPUTE, "path: one of md5gl_path");
    static const char *const names[] = {
        [MD5GL_PATH_AUTO] = "auto",   [MD5GL_PATH_4] = "4",     [MD5GL_PATH_8] = "8",
        [MD5GL_PATH_EXACT] = "exact", [MD5GL_PATH_CPU] = "cpu", [MD5GL_PATH_COMPUTE] = "compute",
    };
    return names[path];
}

bool md5gl_set_blending(md5gl_renderer *renderer, md5gl_model *model, md5gl_blending blending,
                        md5_error *error)
{
    MD5_ASSERT(renderer != NULL && model != NULL, "renderer, model: not NULL");
    MD5_ASSERT((unsigned)blending <= MD5GL_BLEND_DUAL, "blending: one of md5gl_blending");
    MD5_ASSERT(!renderer->in_frame, "call it outside of a frame");
    md5gli_clear_error(error);
    // Those without morph targets too, so that targets can be taken away without an error.
    for (uint32_t i = 0; i < model->model->num_meshes; i++) {
        const md5gl_path path = model->meshes[i].path;
        if (!md5gli_build_variant(renderer, path, md5gl_variant_of(blending, false), error)
            || (model->morph
                && !md5gli_build_variant(renderer, path, md5gl_variant_of(blending, true), error)))
            return false;
    }
    model->blending = blending;
    return true;
}

md5gl_blending md5gl_model_blending(const md5gl_model *model)
{
    MD5_ASSERT(model != NULL, "model: not NULL");
    return model->blending;
}
