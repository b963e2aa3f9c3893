// Models on the GPU: buffers made once, never changed.
#include "render/gl_internal.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// -- Which path -----------------------------------------------------------------------------

static float diagonal(const md5_bounds *bounds)
{
    if (bounds->min.x > bounds->max.x)
        return 0.0f;
    const float x = bounds->max.x - bounds->min.x;
    const float y = bounds->max.y - bounds->min.y;
    const float z = bounds->max.z - bounds->min.z;
    return sqrtf(x * x + y * y + z * z);
}

static md5gl_path choose_path(const md5_model *model, const md5_mesh *mesh, md5gl_path wanted)
{
    if (wanted != MD5GL_PATH_AUTO)
        return wanted;
    const float most = MD5GL_MEASURABLE_LOSS * diagonal(&model->bounds);
    if (mesh->loss4 <= most)
        return MD5GL_PATH_4;
    if (mesh->loss8 <= most)
        return MD5GL_PATH_8;
    return MD5GL_PATH_EXACT;
}

// -- Upload ---------------------------------------------------------------------------------

// Vertex arrays are stored one after the other, as they lie in the model.
static void upload_vertices(const GladGLContext *gl, md5gl_mesh *mesh)
{
    const size_t count = mesh->mesh->num_vertices;
    const size_t normals = count * sizeof(md5_vec3), texcoords = 2 * normals;
    const size_t size = texcoords + count * sizeof(md5_vec2);
    gl->GenBuffers(1, &mesh->vertices);
    gl->BindBuffer(GL_ARRAY_BUFFER, mesh->vertices);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, NULL, GL_STATIC_DRAW);
    gl->BufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)normals, mesh->mesh->positions);
    gl->BufferSubData(GL_ARRAY_BUFFER, (GLintptr)normals, (GLsizeiptr)normals, mesh->mesh->normals);
    gl->BufferSubData(GL_ARRAY_BUFFER, (GLintptr)texcoords, (GLsizeiptr)(size - texcoords),
                      mesh->mesh->texcoords);
    gl->VertexAttribPointer(MD5GL_AT_POSITION, 3, GL_FLOAT, GL_FALSE, 0, NULL);
    gl->VertexAttribPointer(MD5GL_AT_NORMAL, 3, GL_FLOAT, GL_FALSE, 0, (const void *)normals);
    gl->VertexAttribPointer(MD5GL_AT_TEXCOORD, 2, GL_FLOAT, GL_FALSE, 0, (const void *)texcoords);
    gl->EnableVertexAttribArray(MD5GL_AT_POSITION);
    gl->EnableVertexAttribArray(MD5GL_AT_NORMAL);
    gl->EnableVertexAttribArray(MD5GL_AT_TEXCOORD);
}

// Joint indices of 16 bits halve what a vertex reads; only a model of more joints than they can
// tell apart needs 32. Works in place: what is written lies never beyond what is read.
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

static void point_at_slots(const GladGLContext *gl, uint32_t slots, size_t joint_size,
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
    uint32_t *const joints = md5gl_alloc(&renderer->allocator, count, sizeof *joints, error);
    float *const weights = md5gl_alloc(&renderer->allocator, count, sizeof *weights, error);
    const bool allocated = joints && weights;
    if (allocated) {
        md5_pack_influences(mesh->mesh, slots, joints, weights);
        const size_t joint_size = narrow_joints(joints, count, num_joints);
        const size_t joint_bytes = count * joint_size, weight_bytes = count * sizeof *weights;
        gl->GenBuffers(1, &mesh->influences);
        gl->BindBuffer(GL_ARRAY_BUFFER, mesh->influences);
        gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(joint_bytes + weight_bytes), NULL,
                       GL_STATIC_DRAW);
        gl->BufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)joint_bytes, joints);
        gl->BufferSubData(GL_ARRAY_BUFFER, (GLintptr)joint_bytes, (GLsizeiptr)weight_bytes,
                          weights);
        point_at_slots(gl, slots, joint_size, joint_bytes);
    }
    md5gl_free(&renderer->allocator, joints, count * sizeof *joints);
    md5gl_free(&renderer->allocator, weights, count * sizeof *weights);
    return allocated;
}

static bool upload_exact(md5gl_renderer *renderer, md5gl_mesh *mesh, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const md5_mesh *const source = mesh->mesh;
    const size_t count = source->num_influences;
    if (count > renderer->max_texels)
        return md5gl_fail(error, MD5_ERROR_GPU,
                          "a mesh of %zu influences, GL_MAX_TEXTURE_BUFFER_SIZE is %u", count,
                          (unsigned)renderer->max_texels);
    mesh->exact_influences = md5gl_create_table(renderer, GL_RGBA32F, source->influences,
                                                count * sizeof *source->influences);
    mesh->exact_joints = md5gl_create_table(renderer, GL_R32UI, source->influence_joints,
                                            count * sizeof *source->influence_joints);
    // first_influence holds each vertex's end as its neighbour's start: read it twice, shifted.
    const size_t size = (size_t)source->num_vertices * sizeof(uint32_t) + sizeof(uint32_t);
    gl->GenBuffers(1, &mesh->influences);
    gl->BindBuffer(GL_ARRAY_BUFFER, mesh->influences);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, source->first_influence, GL_STATIC_DRAW);
    gl->VertexAttribIPointer(MD5GL_AT_JOINTS, 1, GL_UNSIGNED_INT, 0, NULL);
    gl->VertexAttribIPointer(MD5GL_AT_JOINTS_HIGH, 1, GL_UNSIGNED_INT, 0,
                             (const void *)sizeof(uint32_t));
    gl->EnableVertexAttribArray(MD5GL_AT_JOINTS);
    gl->EnableVertexAttribArray(MD5GL_AT_JOINTS_HIGH);
    return true;
}

static bool upload_influences(md5gl_renderer *renderer, md5gl_mesh *mesh, uint32_t num_joints,
                              md5_error *error)
{
    switch (mesh->path) {
    case MD5GL_PATH_4:
        return upload_slots(renderer, mesh, 4, num_joints, error);
    case MD5GL_PATH_8:
        return upload_slots(renderer, mesh, 8, num_joints, error);
    default:
        return upload_exact(renderer, mesh, error);
    }
}

static bool upload_mesh(md5gl_renderer *renderer, md5gl_mesh *mesh, uint32_t num_joints,
                        md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const md5_mesh *const source = mesh->mesh;
    const size_t num_indices = (size_t)source->num_triangles * 3;
    if (source->num_vertices > INT_MAX || num_indices > INT_MAX)
        return md5gl_fail(error, MD5_ERROR_GPU, "a mesh of more vertices or indices than GL draws");
    gl->GenVertexArrays(1, &mesh->array);
    gl->BindVertexArray(mesh->array);
    upload_vertices(gl, mesh);
    if (!upload_influences(renderer, mesh, num_joints, error))
        return false;
    gl->GenBuffers(1, &mesh->indices);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->indices);
    gl->BufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(num_indices * sizeof(uint32_t)),
                   source->indices, GL_STATIC_DRAW);
    return true;
}

// -- Public -----------------------------------------------------------------------------------

md5gl_model *md5gl_create_model(md5gl_renderer *renderer, const md5_model *model, md5gl_path path,
                                md5_error *error)
{
    md5gl_clear_error(error);
    const uint32_t num_joints = model->skeleton.num_joints;
    if (md5gl_instances_per_draw(renderer, num_joints, error) == 0)
        return NULL;
    const size_t most = (SIZE_MAX - sizeof(md5gl_model)) / sizeof(md5gl_mesh);
    const size_t size = model->num_meshes <= most
                            ? sizeof(md5gl_model) + model->num_meshes * sizeof(md5gl_mesh)
                            : SIZE_MAX;
    md5gl_model *const copy = md5gl_alloc(&renderer->allocator, size, 1, error);
    if (!copy)
        return NULL;
    copy->model = model;
    copy->size = size;
    md5gl_drop_errors(renderer);
    bool uploaded = true;
    for (uint32_t i = 0; i < model->num_meshes && uploaded; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        copy->meshes[i].mesh = mesh;
        copy->meshes[i].path = choose_path(model, mesh, path);
        copy->meshes[i].visible = true;
        uploaded = upload_mesh(renderer, &copy->meshes[i], num_joints, error);
    }
    renderer->gl.BindVertexArray(0);
    renderer->gl.BindBuffer(GL_ARRAY_BUFFER, 0);
    if (uploaded && md5gl_check(renderer, "making a model's buffers", error))
        return copy;
    md5gl_destroy_model(renderer, copy);
    return NULL;
}

void md5gl_destroy_model(md5gl_renderer *renderer, md5gl_model *model)
{
    if (!model)
        return;
    const GladGLContext *gl = &renderer->gl;
    for (uint32_t i = 0; i < model->model->num_meshes; i++) {
        md5gl_mesh *const mesh = &model->meshes[i];
        const GLuint buffers[] = {mesh->vertices, mesh->influences, mesh->indices};
        gl->DeleteVertexArrays(1, &mesh->array);
        gl->DeleteBuffers(3, buffers);
        md5gl_destroy_table(renderer, &mesh->exact_influences);
        md5gl_destroy_table(renderer, &mesh->exact_joints);
    }
    md5gl_free(&renderer->allocator, model, model->size);
}

md5gl_path md5gl_mesh_path(const md5gl_model *model, uint32_t mesh)
{
    return model->meshes[mesh].path;
}

const char *md5gl_path_name(md5gl_path path)
{
    switch (path) {
    case MD5GL_PATH_4:
        return "4";
    case MD5GL_PATH_8:
        return "8";
    case MD5GL_PATH_EXACT:
        return "exact";
    default:
        return "auto";
    }
}

void md5gl_set_texture(md5gl_model *model, uint32_t mesh, md5gl_texture diffuse)
{
    model->meshes[mesh].diffuse = diffuse;
}

void md5gl_set_visible(md5gl_model *model, uint32_t mesh, bool visible)
{
    model->meshes[mesh].visible = visible;
}
