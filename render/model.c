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

// Whether a mesh's data for a path fits into texture buffers.
static bool fits(const md5gl_renderer *renderer, const md5_model *model, const md5_mesh *mesh,
                 md5gl_path path, md5_error *error)
{
    if (path == MD5GL_PATH_CPU)
        return true;
    if (path == MD5GL_PATH_STORAGE)
        return md5gl_instances_per_block(renderer, model, error) > 0;
    if (md5gl_instances_per_draw(renderer, model->skeleton.num_joints, error) == 0)
        return false;
    if (path != MD5GL_PATH_4 && path != MD5GL_PATH_8 && mesh->num_influences > renderer->max_texels)
        return md5gl_fail(error, MD5_ERROR_GPU,
                          "a mesh of %u influences, GL_MAX_TEXTURE_BUFFER_SIZE is %u",
                          (unsigned)mesh->num_influences, (unsigned)renderer->max_texels);
    return true;
}

static void choose_path(const md5gl_renderer *renderer, const md5_model *model, md5gl_mesh *mesh)
{
    const float most = MD5GL_MEASURABLE_LOSS * diagonal(&model->bounds);
    mesh->path = MD5GL_PATH_EXACT;
    mesh->reason = "8 would lose";
    if (mesh->mesh->loss8 <= most) {
        mesh->path = MD5GL_PATH_8;
        mesh->reason = "4 would lose";
    }
    if (mesh->mesh->loss4 <= most) {
        mesh->path = MD5GL_PATH_4;
        mesh->reason = "loses nothing";
    }
    if (!fits(renderer, model, mesh->mesh, mesh->path, NULL)) {
        mesh->path = MD5GL_PATH_CPU;
        mesh->reason = "buffer too small";
    }
}

// False when a path that is wanted cannot be had here, for whatever model.
static bool prepare_path(md5gl_renderer *renderer, md5gl_path wanted, md5_error *error)
{
    if (wanted == MD5GL_PATH_STORAGE && !renderer->has_storage)
        return md5gl_fail(error, MD5_ERROR_GPU, "path \"storage\": %s", renderer->no_storage);
    if (!md5gl_has_path(renderer, wanted))
        return md5gl_fail(error, MD5_ERROR_GPU, "path \"%s\" needs OpenGL 4.3: this is %s",
                          md5gl_path_name(wanted), renderer->device_name);
    // Its programs are made when they are first asked for.
    return wanted != MD5GL_PATH_STORAGE
           || md5gl_build_blending(renderer, wanted, MD5GL_BLEND_LINEAR, error);
}

// False when a path that is wanted cannot be had for this mesh.
static bool set_path(const md5gl_renderer *renderer, const md5_model *model, md5gl_mesh *mesh,
                     md5gl_path wanted, md5_error *error)
{
    if (wanted == MD5GL_PATH_AUTO) {
        choose_path(renderer, model, mesh);
        return true;
    }
    mesh->path = wanted;
    mesh->reason = "asked for";
    return fits(renderer, model, mesh->mesh, wanted, error);
}

// -- Upload ---------------------------------------------------------------------------------

// Vertex arrays are stored one after the other, as they lie in the model.
static bool upload_vertices(md5gl_renderer *renderer, md5gl_mesh *mesh, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const md5_mesh *const source = mesh->mesh;
    const md5gl_layout layout = md5gl_lay_out(source->num_vertices, source->colors != NULL);
    const md5gl_part parts[] = {
        {source->positions, layout.normals},
        {source->normals, layout.tangents - layout.normals},
        {source->tangents, layout.texcoords - layout.tangents},
        {source->texcoords, layout.colours - layout.texcoords},
        {source->colors, layout.end - layout.colours},
    };
    gl->GenBuffers(1, &mesh->vertices);
    if (!md5gl_fill(renderer, mesh->vertices, parts, 5, error))
        return false;
    md5gl_point_at(gl, MD5GL_AT_POSITION, 3, 0);
    md5gl_point_at(gl, MD5GL_AT_NORMAL, 3, layout.normals);
    md5gl_point_at(gl, MD5GL_AT_TANGENT, 4, layout.tangents);
    md5gl_point_at(gl, MD5GL_AT_TEXCOORD, 2, layout.texcoords);
    if (source->colors)
        md5gl_point_at(gl, MD5GL_AT_COLOUR, 4, layout.colours);
    return true;
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
    bool uploaded = joints && weights;
    if (uploaded) {
        md5_pack_influences(mesh->mesh, slots, joints, weights);
        const size_t joint_size = narrow_joints(joints, count, num_joints);
        const md5gl_part parts[] = {{joints, count * joint_size},
                                    {weights, count * sizeof *weights}};
        gl->GenBuffers(1, &mesh->influences);
        uploaded = md5gl_fill(renderer, mesh->influences, parts, 2, error);
        if (uploaded)
            point_at_slots(gl, slots, joint_size, parts[0].size);
    }
    md5gl_free(&renderer->allocator, joints, count * sizeof *joints);
    md5gl_free(&renderer->allocator, weights, count * sizeof *weights);
    return uploaded;
}

static void upload_exact(md5gl_renderer *renderer, md5gl_mesh *mesh)
{
    const GladGLContext *gl = &renderer->gl;
    const md5_mesh *const source = mesh->mesh;
    const size_t count = source->num_influences;
    mesh->exact_influences = md5gl_create_table(renderer, GL_RGBA32F, source->influences,
                                                count * sizeof *source->influences);
    mesh->exact_joints = md5gl_create_table(renderer, GL_R32UI, source->influence_joints,
                                            count * sizeof *source->influence_joints);
    const size_t size = (size_t)source->num_vertices * sizeof(uint32_t) + sizeof(uint32_t);
    gl->GenBuffers(1, &mesh->influences);
    gl->BindBuffer(GL_ARRAY_BUFFER, mesh->influences);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, source->first_influence, GL_STATIC_DRAW);
    if (mesh->path == MD5GL_PATH_COMPUTE)
        return;
    // first_influence holds each vertex's end as its neighbour's start: read it twice, shifted.
    gl->VertexAttribIPointer(MD5GL_AT_JOINTS, 1, GL_UNSIGNED_INT, 0, NULL);
    gl->VertexAttribIPointer(MD5GL_AT_JOINTS_HIGH, 1, GL_UNSIGNED_INT, 0,
                             (const void *)sizeof(uint32_t));
    gl->EnableVertexAttribArray(MD5GL_AT_JOINTS);
    gl->EnableVertexAttribArray(MD5GL_AT_JOINTS_HIGH);
}

static bool upload_influences(md5gl_renderer *renderer, md5gl_mesh *mesh, uint32_t num_joints,
                              md5_error *error)
{
    if (md5gl_skins_first(mesh->path))
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
    if (!upload_vertices(renderer, mesh, error)
        || !upload_influences(renderer, mesh, num_joints, error))
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
    bool uploaded = prepare_path(renderer, path, error);
    for (uint32_t i = 0; i < model->num_meshes && uploaded; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        copy->meshes[i].mesh = mesh;
        copy->meshes[i].visible = true;
        uploaded = set_path(renderer, model, &copy->meshes[i], path, error)
                   && (path == MD5GL_PATH_STORAGE
                       || upload_mesh(renderer, &copy->meshes[i], num_joints, error));
    }
    if (path == MD5GL_PATH_STORAGE)
        uploaded = uploaded && md5gl_create_storage(renderer, copy, error);
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
        const GLuint buffers[] = {mesh->vertices, mesh->influences, mesh->indices, mesh->posed};
        gl->DeleteVertexArrays(1, &mesh->array);
        gl->DeleteBuffers(4, buffers);
        md5gl_destroy_table(renderer, &mesh->exact_influences);
        md5gl_destroy_table(renderer, &mesh->exact_joints);
    }
    for (uint32_t i = 0; i < model->room; i++) {
        md5gl_destroy_table(renderer, &model->batches[i].palettes);
        md5gl_destroy_table(renderer, &model->batches[i].placements);
    }
    md5gl_destroy_storage(renderer, model);
    md5gl_free(&renderer->allocator, model->palettes, model->palettes_size);
    md5gl_free(&renderer->allocator, model->batches, model->room * sizeof *model->batches);
    md5gl_free(&renderer->allocator, model, model->size);
}

bool md5gl_has_path(const md5gl_renderer *renderer, md5gl_path path)
{
    return path == MD5GL_PATH_STORAGE   ? renderer->has_storage
           : path == MD5GL_PATH_COMPUTE ? renderer->has_compute
                                        : true;
}

md5gl_path md5gl_mesh_path(const md5gl_model *model, uint32_t mesh)
{
    return model->meshes[mesh].path;
}

const char *md5gl_path_reason(const md5gl_model *model, uint32_t mesh)
{
    return model->meshes[mesh].reason;
}

const char *md5gl_path_name(md5gl_path path)
{
    static const char *const names[] = {
        [MD5GL_PATH_AUTO] = "auto",
        [MD5GL_PATH_4] = "4",
        [MD5GL_PATH_8] = "8",
        [MD5GL_PATH_EXACT] = "exact",
        [MD5GL_PATH_CPU] = "cpu",
        [MD5GL_PATH_COMPUTE] = "compute",
        [MD5GL_PATH_STORAGE] = "storage",
    };
    return names[path];
}

bool md5gl_set_blending(md5gl_renderer *renderer, md5gl_model *model, md5gl_blending blending,
                        md5_error *error)
{
    md5gl_clear_error(error);
    for (uint32_t i = 0; i < model->model->num_meshes; i++) {
        if (!md5gl_build_blending(renderer, model->meshes[i].path, blending, error))
            return false;
    }
    model->blending = blending;
    return true;
}

md5gl_blending md5gl_model_blending(const md5gl_model *model)
{
    return model->blending;
}

// What a mesh looks like decides what it is drawn with.
static void mark_stale(md5gl_model *model, md5gl_mesh *mesh)
{
    mesh->holes_known = false;
    if (model->storage)
        model->storage->stale = true;
}

void md5gl_set_material(md5gl_model *model, uint32_t mesh, const md5gl_material *material)
{
    if (!md5gl_same_material(&model->meshes[mesh].material, material))
        mark_stale(model, &model->meshes[mesh]);
    model->meshes[mesh].material = *material;
}

void md5gl_set_texture(md5gl_model *model, uint32_t mesh, md5gl_texture diffuse)
{
    if (model->meshes[mesh].material.diffuse != diffuse)
        mark_stale(model, &model->meshes[mesh]);
    model->meshes[mesh].material.diffuse = diffuse;
}

void md5gl_set_visible(md5gl_model *model, uint32_t mesh, bool visible)
{
    if (model->meshes[mesh].visible != visible)
        mark_stale(model, &model->meshes[mesh]);
    model->meshes[mesh].visible = visible;
}

// By its texture, if that has been marked; colours of vertices may have alpha, too.
static bool has_holes(md5gl_renderer *renderer, const md5gl_mesh *mesh)
{
    const md5gl_material *const material = &mesh->material;
    return mesh->mesh->colors || material->alpha_test > 1.0f
           || (material->diffuse && !md5gl_is_solid(renderer, material->diffuse));
}

void md5gl_look_for_holes(md5gl_renderer *renderer, md5gl_model *model)
{
    for (uint32_t i = 0; i < model->model->num_meshes; i++) {
        md5gl_mesh *const mesh = &model->meshes[i];
        if (mesh->holes_known || !mesh->visible)
            continue;
        mark_stale(model, mesh);
        mesh->holes = has_holes(renderer, mesh);
        mesh->holes_known = true;
    }
}
