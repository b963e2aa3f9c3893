// Models on the GPU: the skinning path of each mesh, its buffers, its material in each skin, and
// deforms.
//
// The path of a mesh selects where its vertices are skinned (by the vertex shader, by a compute
// shader or on the CPU) and the number of joints that can influence a vertex. A skin is a set of
// materials for all meshes.
//
// The buffers of a mesh are created once and never change, except for deformed meshes: the host
// computes their surface in each pose (md5gl_set_deform()).
#include "render/gl_internal.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// -- Choice of the path -----------------------------------------------------------------------

// Returns the number of instances whose palettes (the skin matrices of all joints) fit into one
// table. Returns 0 and fills the error if not even one fits. `copies` is 2 if the palettes of the
// previous frame are needed too, for motion vectors.
uint32_t md5gli_instances_per_draw(const md5gl_renderer *renderer, uint32_t num_joints,
                                   uint32_t copies, md5_error *error)
{
    enum { TEXELS_PER_MATRIX = 3 };
    // Each instance also has a placement, which is one matrix, so there is a limit even without
    // joints.
    const uint32_t num_matrices = num_joints > 0 ? num_joints : 1;
    const uint64_t texels = TEXELS_PER_MATRIX * (uint64_t)copies * num_matrices;
    const uint32_t limit = renderer->max_texels;
    if (texels > limit)
        md5gli_fail(error, MD5_ERROR_GPU,
                    "palette of %u joints%s is too large: it requires %llu texels, but %s is %u",
                    num_joints, copies > 1 ? " with the previous palette" : "",
                    (unsigned long long)texels, renderer->max_texels_name, limit);
    return (uint32_t)(limit / texels);
}

// Returns true if the palette of one instance and the influences of a mesh fit into the tables of
// the context. Otherwise fills the error.
static bool fits_tables(const md5gl_renderer *renderer, uint32_t num_joints, const md5gl_mesh *mesh,
                        md5_error *error)
{
    const uint32_t num_influences = mesh->mesh->num_influences;
    if (md5gli_instances_per_draw(renderer, num_joints, 1, error) == 0)
        return false;
    if (mesh->path == MD5GL_PATH_4 || mesh->path == MD5GL_PATH_8)
        return true;
    if (num_influences <= renderer->max_texels)
        return true;
    return md5gli_fail(error, MD5_ERROR_GPU, "mesh has too many influences: found %u, but %s is %u",
                       num_influences, renderer->max_texels_name, renderer->max_texels);
}

// Returns the largest skinning error, in units, that counts as lossless for a model.
static float max_loss(const md5_model *model)
{
    const md5_vec3 size = md5_vec3_sub(model->bounds.max, model->bounds.min);
    const bool is_empty = size.x < 0.0f;
    const float diagonal = is_empty ? 0.0f : sqrtf(md5_vec3_dot(size, size));
    return MD5GL_MEASURABLE_LOSS * diagonal;
}

// Selects the fastest path that skins a mesh without a visible loss. Paths with the 4 or the 8
// strongest influences per vertex are faster than the path with all influences.
static void select_path(const md5_model *model, md5gl_mesh *mesh)
{
    const float limit = max_loss(model);
    if (mesh->mesh->loss4 <= limit) {
        mesh->path = MD5GL_PATH_4;
        mesh->reason = "lossless";
    } else if (mesh->mesh->loss8 <= limit) {
        mesh->path = MD5GL_PATH_8;
        mesh->reason = "4 is lossy";
    } else {
        mesh->path = MD5GL_PATH_EXACT;
        mesh->reason = "8 is lossy";
    }
}

// Sets the skinning path of a mesh, and the reason for it. MD5GL_PATH_AUTO selects the fastest path
// without a visible loss. If the mesh does not fit into the tables of the context, only
// MD5GL_PATH_CPU is possible. The function then selects it, or, if a different path was requested
// explicitly, fills the error and returns false.
static bool set_path(const md5gl_renderer *renderer, const md5_model *model, md5gl_mesh *mesh,
                     md5gl_path requested, md5_error *error)
{
    const bool is_auto = requested == MD5GL_PATH_AUTO;
    mesh->path = requested;
    mesh->reason = "requested";
    if (is_auto)
        select_path(model, mesh);

    if (mesh->path == MD5GL_PATH_CPU)
        return true;
    if (fits_tables(renderer, model->skeleton.num_joints, mesh, is_auto ? NULL : error))
        return true;
    mesh->path = MD5GL_PATH_CPU;
    mesh->reason = "buffer too small";
    return is_auto;
}

// -- Upload ---------------------------------------------------------------------------------

static const struct {
    GLuint attribute;
    size_t size; // bytes per vertex
} vertex_arrays[MD5GL_NUM_ARRAYS] = {
    [MD5GL_ARRAY_POSITIONS] = {MD5GL_AT_POSITION, sizeof(md5_vec3)},
    [MD5GL_ARRAY_NORMALS] = {MD5GL_AT_NORMAL, sizeof(md5_vec3)},
    [MD5GL_ARRAY_TANGENTS] = {MD5GL_AT_TANGENT, sizeof(md5_vec4)},
    [MD5GL_ARRAY_TEXCOORDS] = {MD5GL_AT_TEXCOORD, sizeof(md5_vec2)},
    [MD5GL_ARRAY_COLORS] = {MD5GL_AT_COLOR, sizeof(md5_vec4)},
};

// Returns the offsets of the first `num_arrays` kinds of vertex arrays in one buffer. Each array
// has `count` vertices.
md5gl_layout md5gli_make_layout(size_t count, uint32_t num_arrays)
{
    md5gl_layout layout = {{0}};
    for (uint32_t i = 0; i < MD5GL_NUM_ARRAYS; i++) {
        const size_t size = i < num_arrays ? count * vertex_arrays[i].size : 0;
        layout.begin[i + 1] = layout.begin[i] + size;
    }
    return layout;
}

// Connects the attributes of arrays `first` to `end` - 1 with the bound buffer. Shaders read the
// vertex with index `vertex` of each array as their vertex 0.
void md5gli_set_attributes(const GladGLContext *gl, const md5gl_layout *layout, size_t vertex,
                           uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        const size_t offset = layout->begin[i] + vertex * vertex_arrays[i].size;
        gl->VertexAttribPointer(vertex_arrays[i].attribute,
                                (GLint)(vertex_arrays[i].size / sizeof(float)), GL_FLOAT, GL_FALSE,
                                0, (const void *)offset);
        gl->EnableVertexAttribArray(vertex_arrays[i].attribute);
    }
}

// Returns the number of attribute arrays of an undeformed mesh.
static uint32_t count_arrays(const md5_mesh *mesh)
{
    return mesh->colors ? MD5GL_NUM_ARRAYS : MD5GL_ARRAY_COLORS;
}

// Consecutive bytes that fill_buffer() copies into a buffer.
typedef struct buffer_part {
    const void *data; // NULL if all bytes are 0
    size_t size;
} buffer_part;

// Fills a static buffer with parts, one after the other. The parts are copied together and uploaded
// in one call, because drivers advise against writing to static buffers in several steps. Leaves
// the buffer bound to GL_ARRAY_BUFFER. Returns false and fills the error if memory runs out.
static bool fill_buffer(md5gl_renderer *renderer, GLuint buffer, const buffer_part *parts,
                        int count, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    size_t size = 0;
    for (int i = 0; i < count; i++)
        size += parts[i].size;
    uint8_t *const bytes = MD5GL_NEW(renderer, uint8_t, size, error);
    if (!bytes)
        return false;

    size_t used = 0;
    for (int i = 0; i < count; i++) {
        if (parts[i].size > 0 && parts[i].data)
            memcpy(bytes + used, parts[i].data, parts[i].size);
        else
            memset(bytes + used, 0, parts[i].size);
        used += parts[i].size;
    }

    gl->BindBuffer(GL_ARRAY_BUFFER, buffer);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, bytes, GL_STATIC_DRAW);
    md5gli_free(renderer, bytes);
    return true;
}

// Converts joint indices from 32 bits to 16 bits in place. Index i is read at byte 4 i and written
// at byte 2 i, so no index is overwritten before it is read.
static void narrow_joints(uint32_t *joints, size_t count)
{
    unsigned char *const bytes = (unsigned char *)joints;
    for (size_t i = 0; i < count; i++) {
        uint32_t wide;
        memcpy(&wide, bytes + 4 * i, sizeof wide);
        const uint16_t narrow = (uint16_t)wide;
        memcpy(bytes + 2 * i, &narrow, sizeof narrow);
    }
}

// Connects the joint and weight attributes of the vertex shader with the bound buffer. A slot is
// one joint and its weight. Each vertex has 4 or 8 slots. An attribute has at most four components,
// so four slots need one attribute for joints and one for weights. The buffer begins with the
// joints of all vertices. The weights of all vertices begin at byte `first_weight`.
static void set_slot_attributes(const GladGLContext *gl, uint32_t slots, bool is_narrow,
                                size_t first_weight)
{
    enum { SLOTS_PER_ATTRIBUTE = 4 };
    const GLenum joint_type = is_narrow ? GL_UNSIGNED_SHORT : GL_UNSIGNED_INT;
    const size_t joint_size = is_narrow ? sizeof(uint16_t) : sizeof(uint32_t);
    const GLsizei joint_stride = (GLsizei)(slots * joint_size);
    const GLsizei weight_stride = (GLsizei)(slots * sizeof(float));
    for (GLuint i = 0; i < slots / SLOTS_PER_ATTRIBUTE; i++) {
        const size_t slot = (size_t)i * SLOTS_PER_ATTRIBUTE;
        const size_t joint_offset = slot * joint_size;
        const size_t weight_offset = first_weight + slot * sizeof(float);
        gl->VertexAttribIPointer(MD5GL_AT_JOINTS + i, SLOTS_PER_ATTRIBUTE, joint_type, joint_stride,
                                 (const void *)joint_offset);
        gl->VertexAttribPointer(MD5GL_AT_WEIGHTS + i, SLOTS_PER_ATTRIBUTE, GL_FLOAT, GL_FALSE,
                                weight_stride, (const void *)weight_offset);
        gl->EnableVertexAttribArray(MD5GL_AT_JOINTS + i);
        gl->EnableVertexAttribArray(MD5GL_AT_WEIGHTS + i);
    }
}

// Packs the strongest influences of each vertex into `slots` joints and weights. Uploads them and
// sets their attributes. joints[count] and weights[count] are scratch memory for the slots of all
// vertices. Returns false and fills the error if memory runs out.
static bool pack_and_upload(md5gl_renderer *renderer, md5gl_mesh *mesh, uint32_t slots,
                            uint32_t num_joints, uint32_t *joints, float *weights, size_t count,
                            md5_error *error)
{
    (void)md5_pack_influences(
        &(md5_pack_job){.mesh = mesh->mesh, .slots = slots, .joints = joints, .weights = weights});

    // Joint indices of 16 bits halve the memory that a vertex reads. Only a model of more than
    // 65536 joints needs 32 bits.
    const bool is_narrow = num_joints <= UINT16_MAX + 1u;
    const size_t joint_size = is_narrow ? sizeof(uint16_t) : sizeof(uint32_t);
    if (is_narrow)
        narrow_joints(joints, count);

    const buffer_part parts[] = {{joints, count * joint_size}, {weights, count * sizeof *weights}};
    renderer->gl.GenBuffers(1, &mesh->influences);
    if (!fill_buffer(renderer, mesh->influences, parts, 2, error))
        return false;
    set_slot_attributes(&renderer->gl, slots, is_narrow, parts[0].size);
    return true;
}

// Uploads the influences of a mesh as vertex attributes with `slots` (4 or 8) joints and weights
// per vertex. Returns false and fills the error if memory runs out.
static bool upload_slots(md5gl_renderer *renderer, md5gl_mesh *mesh, uint32_t slots,
                         uint32_t num_joints, md5_error *error)
{
    const size_t count = (size_t)mesh->mesh->num_vertices * slots;
    uint32_t *const joints = MD5GL_NEW(renderer, uint32_t, count, error);
    float *const weights = MD5GL_NEW(renderer, float, count, error);
    bool is_uploaded = false;
    if (joints && weights)
        is_uploaded =
            pack_and_upload(renderer, mesh, slots, num_joints, joints, weights, count, error);
    md5gli_free(renderer, joints);
    md5gli_free(renderer, weights);
    return is_uploaded;
}

// Sets the attributes of the path EXACT. They give each vertex its range in the tables of
// influences: the index of its first influence, and the end. The bound buffer contains only the
// first indices. A range ends where the range of the next vertex begins. Therefore the second
// attribute reads the same array, shifted by one element.
static void set_range_attributes(const GladGLContext *gl)
{
    gl->VertexAttribIPointer(MD5GL_AT_JOINTS, 1, GL_UNSIGNED_INT, 0, NULL);
    gl->VertexAttribIPointer(MD5GL_AT_JOINTS_HIGH, 1, GL_UNSIGNED_INT, 0,
                             (const void *)sizeof(uint32_t));
    gl->EnableVertexAttribArray(MD5GL_AT_JOINTS);
    gl->EnableVertexAttribArray(MD5GL_AT_JOINTS_HIGH);
}

// Uploads all influences (joints and weights of vertices) to tables. Paths with any number of
// influences per vertex read them. Also uploads the index of each vertex's first influence. The
// path EXACT reads it as an attribute, and the path COMPUTE as a storage buffer.
static void upload_exact(md5gl_renderer *renderer, md5gl_mesh *mesh)
{
    const GladGLContext *gl = &renderer->gl;
    const md5_mesh *const source = mesh->mesh;
    const size_t count = source->num_influences;
    mesh->exact_influences = md5gli_create_table(renderer, GL_RGBA32F, source->influences,
                                                 count * sizeof *source->influences);
    mesh->exact_joints = md5gli_create_table(renderer, GL_R32UI, source->influence_joints,
                                             count * sizeof *source->influence_joints);

    // The array has one more element than there are vertices, which ends the range of the last
    // vertex.
    const size_t num_indices = (size_t)source->num_vertices + 1;
    gl->GenBuffers(1, &mesh->influences);
    gl->BindBuffer(GL_ARRAY_BUFFER, mesh->influences);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(num_indices * sizeof *source->first_influence),
                   source->first_influence, GL_STATIC_DRAW);
    if (mesh->path != MD5GL_PATH_COMPUTE)
        set_range_attributes(gl);
}

// Returns how many joints and weights the attributes of a vertex contain on a path. Returns 0 if
// the path has no such attributes: its shader reads influences from tables, or its vertices are
// skinned before the draw.
static uint32_t slots_per_vertex(md5gl_path path)
{
    if (path == MD5GL_PATH_4)
        return 4;
    return path == MD5GL_PATH_8 ? 8 : 0;
}

// Uploads the edges of all triangles as lines, with two indices per line. The buffer of triangle
// indices remains bound. Returns false and fills the error if memory runs out.
static bool upload_edges(md5gl_renderer *renderer, md5gl_mesh *mesh, md5_error *error)
{
    enum { EDGES_PER_TRIANGLE = 3, ENDS_PER_EDGE = 2 };
    const GladGLContext *gl = &renderer->gl;
    const size_t num_triangles = mesh->mesh->num_triangles;
    const size_t num_ends = num_triangles * EDGES_PER_TRIANGLE * ENDS_PER_EDGE;
    uint32_t *const ends = MD5GL_NEW(renderer, uint32_t, num_ends, error);
    if (!ends)
        return false;

    uint32_t *edge = ends;
    for (size_t i = 0; i < num_triangles; i++) {
        const uint32_t *const vertices = mesh->mesh->indices + 3 * i;
        for (uint32_t k = 0; k < EDGES_PER_TRIANGLE; k++) {
            edge[0] = vertices[k];
            edge[1] = vertices[(k + 1) % EDGES_PER_TRIANGLE];
            edge += ENDS_PER_EDGE;
        }
    }

    gl->GenBuffers(1, &mesh->edges);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->edges);
    gl->BufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(num_ends * sizeof *ends), ends,
                   GL_STATIC_DRAW);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->indices);
    md5gli_free(renderer, ends);
    return true;
}

// Uploads the attributes of the vertices as consecutive arrays in one buffer, and connects them
// with the bound vertex array. Returns false and fills the error if memory runs out.
static bool upload_attributes(md5gl_renderer *renderer, md5gl_mesh *mesh, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const md5_mesh *const source = mesh->mesh;
    const uint32_t num_arrays = count_arrays(source);
    const md5gl_layout layout = md5gli_make_layout(source->num_vertices, num_arrays);
    const void *const data[MD5GL_NUM_ARRAYS] = {
        source->positions, source->normals, source->tangents, source->texcoords, source->colors};
    // An array that the mesh does not have is NULL, and its size in the layout is 0.
    buffer_part parts[MD5GL_NUM_ARRAYS];
    for (uint32_t i = 0; i < MD5GL_NUM_ARRAYS; i++)
        parts[i] = (buffer_part){data[i], layout.begin[i + 1] - layout.begin[i]};
    gl->GenBuffers(1, &mesh->vertices);
    if (!fill_buffer(renderer, mesh->vertices, parts, MD5GL_NUM_ARRAYS, error))
        return false;
    md5gli_set_attributes(gl, &layout, 0, 0, num_arrays);
    return true;
}

// Returns true if GL can draw a mesh of this size. GL functions take counts as signed ints.
// Otherwise fills the error.
static bool check_mesh_size(const md5gl_renderer *renderer, const md5_mesh *mesh, md5_error *error)
{
    const size_t num_indices = (size_t)mesh->num_triangles * 3;
    // OpenGL ES draws edges as lines, which need two indices for each index of a triangle.
    const size_t max_indices = renderer->is_es ? INT_MAX / 2 : INT_MAX;
    if (mesh->num_vertices > INT_MAX)
        return md5gli_fail(error, MD5_ERROR_GPU,
                           "mesh has too many vertices: expected at most %d, found %u", INT_MAX,
                           mesh->num_vertices);
    if (num_indices > max_indices)
        return md5gli_fail(error, MD5_ERROR_GPU,
                           "mesh has too many indices: expected at most %zu, found %zu",
                           max_indices, num_indices);
    return true;
}

// Uploads the data that the skinning path of a mesh needs. Returns false and fills the error if
// memory runs out.
static bool upload_path_data(md5gl_renderer *renderer, md5gl_mesh *mesh, uint32_t num_joints,
                             md5_error *error)
{
    const uint32_t slots = slots_per_vertex(mesh->path);
    if (slots > 0)
        return upload_slots(renderer, mesh, slots, num_joints, error);
    if (mesh->path == MD5GL_PATH_EXACT || mesh->path == MD5GL_PATH_COMPUTE)
        upload_exact(renderer, mesh);
    if (mesh->path == MD5GL_PATH_CPU || mesh->path == MD5GL_PATH_COMPUTE)
        renderer->gl.GenBuffers(1, &mesh->posed);
    return true;
}

// Uploads a mesh: its vertices, the data of its skinning path, and its triangles. Returns false and
// fills the error if the mesh is too large or memory runs out.
static bool upload_mesh(md5gl_renderer *renderer, md5gl_mesh *mesh, uint32_t num_joints,
                        md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const md5_mesh *const source = mesh->mesh;
    const size_t num_indices = (size_t)source->num_triangles * 3;
    if (!check_mesh_size(renderer, source, error))
        return false;

    gl->GenVertexArrays(1, &mesh->array);
    gl->BindVertexArray(mesh->array);
    if (!upload_attributes(renderer, mesh, error))
        return false;
    if (!upload_path_data(renderer, mesh, num_joints, error))
        return false;

    gl->GenBuffers(1, &mesh->indices);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->indices);
    gl->BufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(num_indices * sizeof(uint32_t)),
                   source->indices, GL_STATIC_DRAW);
    return !renderer->is_es || upload_edges(renderer, mesh, error);
}

// -- Materials --------------------------------------------------------------------------------

md5gl_surface *md5gli_get_surface(const md5gl_model *model, uint32_t skin, uint32_t mesh)
{
    return &model->surfaces[(size_t)skin * model->model->num_meshes + mesh];
}

// Returns true if two materials cut out the same texels. Compares only the members that
// md5gl_pose() examines for this purpose.
static bool has_same_opacity(const md5gl_material *a, const md5gl_material *b)
{
    return a->diffuse == b->diffuse && a->alpha_test == b->alpha_test
           && a->is_opaque == b->is_opaque;
}

// Sets the material of a mesh in a skin, which is a set of materials for all meshes.
void md5gl_set_material(md5gl_renderer *renderer, md5gl_model *model, uint32_t skin, uint32_t mesh,
                        const md5gl_material *material)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_MODEL(model);
    MD5_ASSERT_NOT_NULL(material);
    (void)renderer;
    MD5_ASSERT(skin < model->num_skins, "skin: must be below the number of skins");
    MD5_ASSERT(mesh < model->model->num_meshes, "mesh: must be an index into the model's meshes");
    MD5_ASSERT_RESERVED(material);
    md5gl_surface *const surface = md5gli_get_surface(model, skin, mesh);
    if (!has_same_opacity(&surface->material, material))
        surface->is_opacity_computed = false;
    surface->material = *material;
}

// Shows or hides one mesh of a model, in all its instances. Meshes are visible by default. A hidden
// mesh also casts no shadow.
void md5gl_set_visible(md5gl_model *model, uint32_t mesh, bool visible)
{
    MD5GL_ASSERT_MODEL(model);
    MD5_ASSERT(mesh < model->model->num_meshes, "mesh: must be an index into the model's meshes");
    model->meshes[mesh].visible = visible;
}

// Allocates surfaces for another number of skins and copies the model's surfaces. New skins are
// copies of skin 0. Returns NULL and fills the error if memory runs out.
static md5gl_surface *copy_surfaces(md5gl_renderer *renderer, const md5gl_model *model,
                                    uint32_t num_skins, md5_error *error)
{
    const size_t num_meshes = model->model->num_meshes;
    md5gl_surface *const surfaces =
        MD5GL_NEW(renderer, md5gl_surface, num_skins * num_meshes, error);
    if (!surfaces)
        return NULL;
    for (uint32_t skin = 0; skin < num_skins; skin++) {
        const uint32_t source = skin < model->num_skins ? skin : 0;
        memcpy(surfaces + skin * num_meshes, md5gli_get_surface(model, source, 0),
               num_meshes * sizeof *surfaces);
    }
    return surfaces;
}

// Sets the number of skins of a model, which are sets of materials. New skins are copies of skin 0.
// All instances get skin 0 and lose their tints until the next md5gl_pose(). Returns false and
// changes nothing if memory runs out.
bool md5gl_set_num_skins(md5gl_renderer *renderer, md5gl_model *model, uint32_t num_skins,
                         md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_MODEL(model);
    if (!renderer || !model) {
        md5gli_fail_missing(error, renderer ? "model" : "renderer");
        return false;
    }
    MD5_ASSERT(num_skins > 0, "num_skins: must be at least 1");

    const size_t num_meshes = model->model->num_meshes;
    if (num_meshes > UINT32_MAX / num_skins)
        return md5gli_fail(error, MD5_ERROR_RANGE,
                           "too many skins: expected at most %u for %zu meshes, found %u",
                           UINT32_MAX / (uint32_t)num_meshes, num_meshes, num_skins);
    md5gl_surface *const surfaces = copy_surfaces(renderer, model, num_skins, error);
    if (!surfaces)
        return false;
    md5gli_free(renderer, model->surfaces);
    model->surfaces = surfaces;
    model->num_skins = num_skins;

    model->tinted = false;
    model->faded = false;
    for (uint32_t i = 0; i < model->num_runs; i++) // mirrored instances remain in separate runs
        model->runs[i].skin = 0;
    return true;
}

// -- Binding ----------------------------------------------------------------------------------

// Binds a table (an array that shaders read by index) to a texture unit. A table is a buffer
// texture or, in contexts without buffer textures, a 2D texture.
static void bind_table(md5gl_renderer *renderer, const md5gl_program *program, enum md5gl_unit unit,
                       const md5gl_table *table)
{
    md5gli_bind_texture(renderer, program, unit, table->buffer ? GL_TEXTURE_BUFFER : GL_TEXTURE_2D,
                        table->texture);
}

// Sets the uniforms and the table for motion vectors and ids of a batch. `before` is the number of
// instances in earlier batches. If the host has not set ids, the id of an instance is its index in
// the model plus 1.
static void bind_previous(md5gl_renderer *renderer, const md5gl_model *model,
                          const md5gl_mesh *mesh, const md5gl_program *program,
                          const md5gl_batch *batch, uint32_t before)
{
    const GladGLContext *gl = &renderer->gl;
    // If the mesh was skinned before the draw, the shader reads no palettes. The first element of
    // the uniform then is 1 if the buffer also contains the vertices of the previous frame, else 0.
    uint32_t previous_palettes = batch->previous_palettes;
    if (mesh->posed && !model->baked)
        previous_palettes = mesh->posed_count > model->num_instances;
    gl->Uniform3i(program->uniforms[MD5GL_PREVIOUS], (GLint)previous_palettes,
                  (GLint)batch->previous_placements, (GLint)model->previous_weights);

    const GLint first_id = model->has_ids ? 0 : (GLint)before + 1; // 0: ids are in the table
    const GLint mesh_index = (GLint)(mesh - model->meshes);
    gl->Uniform2i(program->uniforms[MD5GL_IDENTITY], first_id, mesh_index);
    // Without ids the table is empty, but it must be bound. Otherwise the unit can still contain a
    // texture of colors, and WebGL then draws nothing, because the type of this texture does not
    // match the sampler.
    bind_table(renderer, program, MD5GL_UNIT_GLOW, &batch->ids);
}

// Returns the index of a mesh's first vertex in the tables of baked clips and morph targets, which
// contain the vertices of all meshes.
static uint32_t first_vertex(const md5gl_model *model, const md5gl_mesh *mesh)
{
    uint32_t first = 0;
    for (const md5gl_mesh *earlier = model->meshes; earlier != mesh; earlier++)
        first += earlier->mesh->num_vertices;
    return first;
}

// Binds the tables of baked clips. They use the texture units of the influences, because baked
// instances are not skinned.
static void bind_baked_clips(md5gl_renderer *renderer, const md5gl_baked *baked,
                             const md5gl_program *program)
{
    md5gli_set_integer(&renderer->gl, program, MD5GL_NUM_VERTICES, (GLint)baked->num_vertices);
    bind_table(renderer, program, MD5GL_UNIT_INFLUENCES, &baked->clips);
    bind_table(renderer, program, MD5GL_UNIT_INFLUENCE_JOINTS, &baked->vertices);
}

// Binds the tables of morph targets. Sets the index of the batch's first instance in the table of
// weights, which is `before`, the number of instances in earlier batches.
static void bind_morph(md5gl_renderer *renderer, const md5gl_model *model,
                       const md5gl_program *program, uint32_t before)
{
    const GladGLContext *gl = &renderer->gl;
    const md5gl_morph *const morph = model->morph;
    md5gli_set_integer(gl, program, MD5GL_NUM_MORPHS, (GLint)morph->source->num_targets);
    md5gli_set_integer(gl, program, MD5GL_FIRST_MORPHED, (GLint)before);
    bind_table(renderer, program, MD5GL_UNIT_MORPH_FIRST, &morph->first);
    bind_table(renderer, program, MD5GL_UNIT_MORPH_DELTAS, &morph->deltas);
    bind_table(renderer, program, MD5GL_UNIT_MORPH_WEIGHTS, &model->morph_weights);
}

// Binds the data that a draw of a mesh reads: its vertices, and the tables of a batch of instances.
// `before` is the number of instances in earlier batches.
void md5gli_bind_mesh(md5gl_renderer *renderer, const md5gl_model *model, const md5gl_mesh *mesh,
                      const md5gl_program *program, const md5gl_batch *batch, uint32_t before)
{
    const GladGLContext *gl = &renderer->gl;
    gl->BindVertexArray(mesh->array);
    bind_table(renderer, program, MD5GL_UNIT_PALETTES, &batch->palettes);
    bind_table(renderer, program, MD5GL_UNIT_PLACEMENTS, &batch->placements);
    bind_table(renderer, program, MD5GL_UNIT_TINTS, &batch->tints);
    if (program->uniforms[MD5GL_PREVIOUS] >= 0)
        bind_previous(renderer, model, mesh, program, batch, before);
    if (model->baked || model->morph)
        md5gli_set_integer(gl, program, MD5GL_FIRST_VERTEX, (GLint)first_vertex(model, mesh));
    if (model->baked) {
        bind_baked_clips(renderer, model->baked, program);
        return;
    }

    md5gli_set_integer(gl, program, MD5GL_NUM_JOINTS, (GLint)model->model->skeleton.num_joints);
    if (mesh->exact_joints.texture) {
        bind_table(renderer, program, MD5GL_UNIT_INFLUENCES, &mesh->exact_influences);
        bind_table(renderer, program, MD5GL_UNIT_INFLUENCE_JOINTS, &mesh->exact_joints);
    }
    if (model->morph)
        bind_morph(renderer, model, program, before);
}

// -- Deforms ----------------------------------------------------------------------------------

// Returns the value of md5gl_mesh.deform for a mesh without a deform. The function is NULL, and the
// counts are the mesh's counts.
static md5gl_deform no_deform(const md5_mesh *mesh)
{
    return (md5gl_deform){.num_vertices = mesh->num_vertices, .num_triangles = mesh->num_triangles};
}

// Makes the bound vertex array of a mesh read the undeformed triangles, texture coordinates and
// colors again.
static void remove_deform(const GladGLContext *gl, md5gl_mesh *mesh)
{
    const uint32_t num_arrays = count_arrays(mesh->mesh);
    const md5gl_layout layout = md5gli_make_layout(mesh->mesh->num_vertices, num_arrays);
    mesh->deform = no_deform(mesh->mesh);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->indices);
    gl->BindBuffer(GL_ARRAY_BUFFER, mesh->vertices);
    gl->DisableVertexAttribArray(MD5GL_AT_COLOR);
    md5gli_set_attributes(gl, &layout, 0, MD5GL_ARRAY_TEXCOORDS, num_arrays);
    gl->DeleteBuffers(1, &mesh->deformed_indices);
    mesh->deformed_indices = 0;
}

// Sets the deform of a mesh, whose vertex array is bound. A deform needs skinned vertices in
// memory, so the mesh changes to the path CPU. All other meshes keep their paths.
static void add_deform(const GladGLContext *gl, md5gl_mesh *mesh, const md5gl_deform *deform)
{
    const size_t size = 3 * (size_t)deform->num_triangles * sizeof *deform->indices;
    if (mesh->path != MD5GL_PATH_CPU) {
        // The shader of the new path does not read joints and weights, so disable these attributes.
        for (GLuint i = MD5GL_AT_JOINTS; i <= MD5GL_AT_WEIGHTS_HIGH; i++)
            gl->DisableVertexAttribArray(i);
        if (mesh->posed == 0)
            gl->GenBuffers(1, &mesh->posed);
        mesh->path = MD5GL_PATH_CPU;
        mesh->reason = "deformed";
    }
    mesh->deform = *deform;
    mesh->deform.indices = NULL; // the caller's memory
    gl->GenBuffers(1, &mesh->deformed_indices);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->deformed_indices);
    gl->BufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)size, deform->indices, GL_STATIC_DRAW);
}

// Returns true if a deform is valid for a mesh. Otherwise fills the error. `index` is the index of
// the mesh, for the message.
static bool check_deform(const md5gl_deform *deform, const md5gl_mesh *mesh, uint32_t index,
                         md5_error *error)
{
    MD5_ASSERT(deform->write != NULL && deform->indices != NULL, "deform: must be complete");
    MD5_ASSERT_RESERVED(deform);
    const uint32_t min_vertices = mesh->mesh->num_vertices;
    const uint32_t max_triangles = INT_MAX / 6; // edges have two indices per triangle vertex
    if (deform->num_vertices < min_vertices || deform->num_vertices > INT_MAX)
        return md5gli_fail(error, MD5_ERROR_RANGE,
                           "mesh %u: the deformed mesh must have at least the %u vertices of the "
                           "mesh and at most %d, found %u",
                           index, min_vertices, INT_MAX, deform->num_vertices);
    if (deform->num_triangles > max_triangles)
        return md5gli_fail(error, MD5_ERROR_RANGE,
                           "mesh %u: the deformed mesh has too many triangles: expected at most "
                           "%u, found %u",
                           index, max_triangles, deform->num_triangles);
    return true;
}

// Sets the deform of a mesh. If `deform` is NULL, removes it. A deform changes the vertices of a
// mesh on the CPU in each frame, for example to turn a sprite to the camera. The model has no
// instances until the next md5gl_pose().
bool md5gl_set_deform(md5gl_renderer *renderer, md5gl_model *model, uint32_t mesh,
                      const md5gl_deform *deform, md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_MODEL(model);
    if (!renderer || !model) {
        md5gli_fail_missing(error, renderer ? "model" : "renderer");
        return false;
    }
    MD5_ASSERT(mesh < model->model->num_meshes, "mesh: must be an index into the model's meshes");
    MD5GL_ASSERT_NO_FRAME(renderer);

    md5gl_mesh *const deformed = &model->meshes[mesh];
    if (deform && !check_deform(deform, deformed, mesh, error))
        return false;
    if (deform && !md5gli_build_variant(renderer, MD5GL_PATH_CPU, MD5GL_BLEND_LINEAR, error))
        return false;

    const GladGLContext *gl = &renderer->gl;
    model->num_batches = 0; // the current pose has other vertices
    gl->BindVertexArray(deformed->array);
    if (deformed->deform.write)
        remove_deform(gl, deformed);
    if (deform)
        add_deform(gl, deformed, deform);
    gl->BindVertexArray(0);
    gl->BindBuffer(GL_ARRAY_BUFFER, 0);
    return true;
}

// -- Public -----------------------------------------------------------------------------------

// Allocates a model with its meshes in one block, and adds it to the models of the renderer.
// Returns NULL and fills the error if memory runs out.
static md5gl_model *allocate_model(md5gl_renderer *renderer, const md5_model *model,
                                   md5_error *error)
{
    // The sum can overflow if size_t has 32 bits. SIZE_MAX then makes the allocation fail.
    const size_t num_meshes = model->num_meshes;
    const bool can_overflow = num_meshes > (SIZE_MAX - sizeof(md5gl_model)) / sizeof(md5gl_mesh);
    const size_t size =
        can_overflow ? SIZE_MAX : sizeof(md5gl_model) + num_meshes * sizeof(md5gl_mesh);
    md5gl_model *const copy = (md5gl_model *)md5gli_alloc(&renderer->allocator, size, 1, error);
    md5gli_set_kind(copy, MD5GL_KIND_MODEL);
    if (!copy)
        return NULL;
    copy->model = model;
    copy->num_skins = 1;
    copy->next = renderer->models;
    renderer->models = copy;
    return copy;
}

// Allocates the surfaces (materials of meshes). Also computes for each joint the bounds of the
// vertices that it moves, in model space of the bind pose. Returns false and fills the error if
// memory runs out.
static bool create_bounds(md5gl_renderer *renderer, md5gl_model *copy, md5_error *error)
{
    const md5_model *const model = copy->model;
    const uint32_t num_joints = model->skeleton.num_joints;
    copy->surfaces = MD5GL_NEW(renderer, md5gl_surface, model->num_meshes, error);
    copy->joint_bounds = MD5GL_NEW(renderer, md5_bounds, num_joints, error);
    if (!copy->surfaces || !copy->joint_bounds)
        return false;
    (void)md5_build_joint_bounds(model, copy->joint_bounds);
    for (uint32_t i = 0; i < num_joints; i++)
        copy->joint_bounds[i] = md5_bounds_transform(copy->joint_bounds[i], model->bind[i]);
    return true;
}

// Uploads all meshes, each on the requested path or the path that MD5GL_PATH_AUTO selects. Returns
// false and fills the error on failure.
static bool upload_meshes(md5gl_renderer *renderer, md5gl_model *copy, md5gl_path path,
                          md5_error *error)
{
    const md5_model *const model = copy->model;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        md5gl_mesh *const mesh = &copy->meshes[i];
        mesh->mesh = &model->meshes[i];
        mesh->visible = true;
        mesh->deform = no_deform(mesh->mesh);
        if (!set_path(renderer, model, mesh, path, error))
            return false;
        if (!upload_mesh(renderer, mesh, model->skeleton.num_joints, error))
            return false;
    }
    return true;
}

// Returns true if a model can be uploaded with a path. The model must still have its geometry, and
// the context must support the path. Otherwise fills the error.
static bool check_model(const md5gl_renderer *renderer, const md5_model *model, md5gl_path path,
                        md5_error *error)
{
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        if (!model->meshes[i].positions && model->meshes[i].num_vertices > 0)
            return md5gli_fail(error, MD5_ERROR_MISMATCH,
                               "geometry of the model was released: expected a model with "
                               "geometry; load the model again");
    }
    if (!md5gl_has_path(renderer, path))
        return md5gli_fail(error, MD5_ERROR_GPU,
                           "path \"%s\" is not supported: expected OpenGL 4.3, found %s",
                           md5gl_path_name(path), renderer->device_name);
    return true;
}

// Uploads a model to the GPU. `path` selects where and how its vertices are skinned. Returns NULL
// and sets the error on failure.
md5gl_model *md5gl_create_model(md5gl_renderer *renderer, const md5_model *model, md5gl_path path,
                                md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_PART(model, bind);
    if (!renderer || !model) {
        md5gli_fail_missing(error, renderer ? "model" : "renderer");
        return NULL;
    }
    MD5_ASSERT((unsigned)path <= MD5GL_PATH_COMPUTE, "path: must be a value of md5gl_path");
    MD5GL_ASSERT_NO_FRAME(renderer);

    if (!check_model(renderer, model, path, error))
        return NULL;
    md5gl_model *const copy = allocate_model(renderer, model, error);
    if (!copy)
        return NULL;

    (void)md5gli_clear_errors(renderer);
    const bool uploaded =
        create_bounds(renderer, copy, error) && upload_meshes(renderer, copy, path, error);
    renderer->gl.BindVertexArray(0);
    renderer->gl.BindBuffer(GL_ARRAY_BUFFER, 0);
    if (uploaded && md5gli_check(renderer, "creating the buffers of a model", error))
        return copy;
    md5gl_destroy_model(renderer, copy);
    return NULL;
}

// Deletes the vertex array, the buffers and the tables of a mesh.
static void destroy_mesh(md5gl_renderer *renderer, md5gl_mesh *mesh)
{
    const GladGLContext *gl = &renderer->gl;
    const GLuint buffers[] = {mesh->vertices, mesh->influences, mesh->indices,
                              mesh->posed,    mesh->edges,      mesh->deformed_indices};
    gl->DeleteVertexArrays(1, &mesh->array);
    gl->DeleteBuffers(6, buffers);
    md5gli_destroy_table(renderer, &mesh->exact_influences);
    md5gli_destroy_table(renderer, &mesh->exact_joints);
}

// Deletes the tables of a batch.
static void destroy_batch(md5gl_renderer *renderer, md5gl_batch *batch)
{
    md5gli_destroy_table(renderer, &batch->palettes);
    md5gli_destroy_table(renderer, &batch->placements);
    md5gli_destroy_table(renderer, &batch->tints);
    md5gli_destroy_table(renderer, &batch->ids);
}

// Destroys a model with its buffers and removes it from the renderer's list. Its textures remain.
// `model` may be NULL.
void md5gl_destroy_model(md5gl_renderer *renderer, md5gl_model *model)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_MODEL(model);
    if (!model)
        return;

    for (uint32_t i = 0; i < model->model->num_meshes; i++)
        destroy_mesh(renderer, &model->meshes[i]);
    for (uint32_t i = 0; i < model->batch_capacity; i++)
        destroy_batch(renderer, &model->batches[i]);
    md5gli_destroy_table(renderer, &model->morph_weights);

    // Remove the model from the renderer's list.
    md5gl_model **link = &renderer->models;
    while (*link != model)
        link = &(*link)->next;
    *link = model->next;

    md5gli_free(renderer, model->surfaces);
    md5gli_free(renderer, model->runs);
    md5gli_free(renderer, model->mirrored);
    md5gli_free(renderer, model->joint_bounds);
    md5gli_free(renderer, model->batches);
    md5gli_free(renderer, model);
}

// Returns true if the GL context of the renderer supports `path`.
bool md5gl_has_path(const md5gl_renderer *renderer, md5gl_path path)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5_ASSERT((unsigned)path <= MD5GL_PATH_COMPUTE, "path: must be a value of md5gl_path");
    return path != MD5GL_PATH_COMPUTE || renderer->has_compute;
}

// Returns the skinning path that was selected for a mesh, which is the way in which its vertices
// are computed. It helps to find out why a model is slow.
md5gl_path md5gl_mesh_path(const md5gl_model *model, uint32_t mesh, const char **reason)
{
    MD5GL_ASSERT_MODEL(model);
    MD5_ASSERT(mesh < model->model->num_meshes, "mesh: must be an index into the model's meshes");
    if (reason)
        *reason = model->meshes[mesh].reason;
    return model->meshes[mesh].path;
}

// Returns the name of a path as a text for users: "4", "8", "exact", "cpu" or "compute".
const char *md5gl_path_name(md5gl_path path)
{
    MD5_ASSERT((unsigned)path <= MD5GL_PATH_COMPUTE, "path: must be a value of md5gl_path");
    static const char *const names[] = {
        [MD5GL_PATH_AUTO] = "auto",   [MD5GL_PATH_4] = "4",     [MD5GL_PATH_8] = "8",
        [MD5GL_PATH_EXACT] = "exact", [MD5GL_PATH_CPU] = "cpu", [MD5GL_PATH_COMPUTE] = "compute",
    };
    return names[path];
}

// Builds the programs that skin the meshes of a model with a blending method. If the model has
// morph targets, also builds the programs without them. Removing the targets later therefore cannot
// fail. Returns false and fills the error on failure.
static bool build_blending(md5gl_renderer *renderer, const md5gl_model *model,
                           md5gl_blending blending, md5_error *error)
{
    const int variant = md5gl_variant_index(blending, false);
    const int morphed_variant = md5gl_variant_index(blending, true);
    for (uint32_t i = 0; i < model->model->num_meshes; i++) {
        const md5gl_path path = model->meshes[i].path;
        if (!md5gli_build_variant(renderer, path, variant, error))
            return false;
        if (model->morph && !md5gli_build_variant(renderer, path, morphed_variant, error))
            return false;
    }
    return true;
}

// Selects linear or dual quaternion skinning for a model. Builds the shaders first, so that the
// method remains unchanged if one does not compile.
bool md5gl_set_blending(md5gl_renderer *renderer, md5gl_model *model, md5gl_blending blending,
                        md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_MODEL(model);
    if (!renderer || !model) {
        md5gli_fail_missing(error, renderer ? "model" : "renderer");
        return false;
    }

    MD5_ASSERT((unsigned)blending <= MD5GL_BLEND_DUAL,
               "blending: must be a value of md5gl_blending");
    MD5GL_ASSERT_NO_FRAME(renderer);
    if (blending != model->blending && !build_blending(renderer, model, blending, error))
        return false;
    model->blending = blending;
    return true;
}
