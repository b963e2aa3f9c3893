// Models on the GPU: the skinning path of each mesh, its buffers, its material in each skin, and
// deforms.
//
// The buffers of a mesh are created once and never change, except for deformed meshes: the caller
// computes their surface in each pose (md5gl_set_deform()).
#include "render/gl_internal.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// -- Choice of the path -----------------------------------------------------------------------

// Returns the number of instances whose palettes fit into one table, or 0 with an error if not even
// one fits. `copies` is 2 if the previous palettes are needed too, for motion vectors.
uint32_t md5gli_instances_per_draw(const md5gl_renderer *renderer, uint32_t num_joints,
                                   uint32_t copies, md5_error *error)
{
    // A placement also takes three texels, so there is a limit even without joints.
    const uint64_t texels = 3 * (uint64_t)copies * (num_joints > 0 ? num_joints : 1);
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

// Sets the skinning path of a mesh, and the reason for it. MD5GL_PATH_AUTO selects the fastest path
// without a visible loss. If the mesh does not fit into the tables of the context, the path is
// MD5GL_PATH_CPU; if a different path was requested explicitly, fills the error and returns false.
static bool set_path(const md5gl_renderer *renderer, const md5_model *model, md5gl_mesh *mesh,
                     md5gl_path requested, md5_error *error)
{
    const md5_vec3 size = md5_vec3_sub(model->bounds.max, model->bounds.min);
    const bool is_empty = size.x < 0.0f;
    const float diagonal = is_empty ? 0.0f : sqrtf(md5_vec3_dot(size, size));
    const float limit = MD5GL_MEASURABLE_LOSS * diagonal; // in model space
    const bool is_auto = requested == MD5GL_PATH_AUTO;

    // Start with the exact path; each condition below selects a faster path if its loss is within
    // the limit.
    mesh->path = is_auto ? MD5GL_PATH_EXACT : requested;
    mesh->reason = is_auto ? "8 is lossy" : "requested";
    if (is_auto && mesh->mesh->loss8 <= limit) {
        mesh->path = MD5GL_PATH_8;
        mesh->reason = "4 is lossy";
    }
    if (is_auto && mesh->mesh->loss4 <= limit) {
        mesh->path = MD5GL_PATH_4;
        mesh->reason = "lossless";
    }

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

// Returns the offsets of the first `num_arrays` kinds of vertex arrays, of `count` vertices each,
// in one buffer.
md5gl_layout md5gli_make_layout(size_t count, uint32_t num_arrays)
{
    md5gl_layout layout = {{0}};
    for (uint32_t i = 0; i < MD5GL_NUM_ARRAYS; i++) {
        const size_t size = i < num_arrays ? count * vertex_arrays[i].size : 0;
        layout.begin[i + 1] = layout.begin[i] + size;
    }
    return layout;
}

// Connects attributes of vertex shaders with arrays `first` to `end` - 1 of the bound buffer.
// `vertex` is the index of the first vertex that is drawn.
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

// A part of a buffer, which is filled from the caller's memory.
typedef struct buffer_part {
    const void *data; // NULL: zeros
    size_t size;
} buffer_part;

// Fills a static buffer with consecutive parts. The parts are copied together and uploaded in one
// call, because drivers advise against writing to static buffers in several steps. Leaves the
// buffer bound to GL_ARRAY_BUFFER. Returns false and fills the error if memory runs out.
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

// Replaces joint indices of 32 bits by indices of 16 bits in place: index i is read at 4 i and
// written at 2 i, so that no index is overwritten before it is read.
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
// one joint and its weight; each vertex has 4 or 8 slots. An attribute has at most four components,
// so every 4 slots need one attribute for joints and one for weights. The joints of all vertices
// are at the beginning of the buffer, the weights of all vertices begin at `first_weight`, bytes.
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

// Uploads `slots` joints and weights per vertex, 4 or 8, and sets their attributes. Returns false
// and fills the error if memory runs out.
static bool upload_slots(md5gl_renderer *renderer, md5gl_mesh *mesh, uint32_t slots,
                         uint32_t num_joints, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const size_t count = (size_t)mesh->mesh->num_vertices * slots;
    uint32_t *const joints = MD5GL_NEW(renderer, uint32_t, count, error);
    float *const weights = MD5GL_NEW(renderer, float, count, error);
    bool uploaded = joints && weights;
    if (uploaded) {
        (void)md5_pack_influences(&(md5_pack_job){
            .mesh = mesh->mesh, .slots = slots, .joints = joints, .weights = weights});

        // Joint indices of 16 bits halve the memory that a vertex reads; only a model of more than
        // 65536 joints needs 32 bits.
        const bool is_narrow = num_joints <= UINT16_MAX + 1u;
        const size_t joint_size = is_narrow ? sizeof(uint16_t) : sizeof(uint32_t);
        if (is_narrow)
            narrow_joints(joints, count);

        const buffer_part parts[] = {{joints, count * joint_size},
                                     {weights, count * sizeof *weights}};
        gl->GenBuffers(1, &mesh->influences);
        uploaded = fill_buffer(renderer, mesh->influences, parts, 2, error);
        if (uploaded)
            set_slot_attributes(gl, slots, is_narrow, parts[0].size);
    }
    md5gli_free(renderer, joints);
    md5gli_free(renderer, weights);
    return uploaded;
}

// Uploads all influences (joints and weights of vertices) to tables, for the paths that read any
// number of influences per vertex. Also uploads the index of each vertex's first influence; except
// for the path COMPUTE, it is an attribute.
static void upload_exact(md5gl_renderer *renderer, md5gl_mesh *mesh)
{
    const GladGLContext *gl = &renderer->gl;
    const md5_mesh *const source = mesh->mesh;
    const size_t count = source->num_influences;
    mesh->exact_influences = md5gli_create_table(renderer, GL_RGBA32F, source->influences,
                                                 count * sizeof *source->influences);
    mesh->exact_joints = md5gli_create_table(renderer, GL_R32UI, source->influence_joints,
                                             count * sizeof *source->influence_joints);

    // The array has one more element: the end of the last vertex's influences.
    const size_t size = source->num_vertices * sizeof(uint32_t) + sizeof(uint32_t);
    gl->GenBuffers(1, &mesh->influences);
    gl->BindBuffer(GL_ARRAY_BUFFER, mesh->influences);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, source->first_influence, GL_STATIC_DRAW);
    if (mesh->path == MD5GL_PATH_COMPUTE)
        return;

    // The influences of a vertex end at the first influence of the next vertex, so the array is
    // read twice, shifted by one element.
    gl->VertexAttribIPointer(MD5GL_AT_JOINTS, 1, GL_UNSIGNED_INT, 0, NULL);
    gl->VertexAttribIPointer(MD5GL_AT_JOINTS_HIGH, 1, GL_UNSIGNED_INT, 0,
                             (const void *)sizeof(uint32_t));
    gl->EnableVertexAttribArray(MD5GL_AT_JOINTS);
    gl->EnableVertexAttribArray(MD5GL_AT_JOINTS_HIGH);
}

// Returns the number of joints and weights per vertex in the attributes of a path, or 0 if the path
// reads them from tables or does not read them.
static uint32_t slots_per_vertex(md5gl_path path)
{
    if (path == MD5GL_PATH_4)
        return 4;
    return path == MD5GL_PATH_8 ? 8 : 0;
}

// Uploads the triangles' edges as lines, two indices each. Leaves the triangles' indices bound.
static bool upload_edges(md5gl_renderer *renderer, md5gl_mesh *mesh, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const size_t num_triangles = mesh->mesh->num_triangles;
    const size_t num_ends = 6 * num_triangles;
    uint32_t *const ends = MD5GL_NEW(renderer, uint32_t, num_ends, error);
    if (!ends)
        return false;

    for (size_t i = 0; i < num_triangles; i++) {
        const uint32_t *const vertices = mesh->mesh->indices + 3 * i;
        for (uint32_t k = 0; k < 3; k++) {
            ends[6 * i + 2 * k] = vertices[k];
            ends[6 * i + 2 * k + 1] = vertices[(k + 1) % 3];
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

// Uploads the attributes of the vertices, whose arrays follow each other in one buffer.
static bool upload_attributes(md5gl_renderer *renderer, md5gl_mesh *mesh, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const md5_mesh *const source = mesh->mesh;
    const uint32_t num_arrays = count_arrays(source);
    const md5gl_layout layout = md5gli_make_layout(source->num_vertices, num_arrays);
    const void *const data[MD5GL_NUM_ARRAYS] = {
        source->positions, source->normals, source->tangents, source->texcoords, source->colors};
    buffer_part parts[MD5GL_NUM_ARRAYS];
    for (uint32_t i = 0; i < MD5GL_NUM_ARRAYS; i++)
        parts[i] = (buffer_part){data[i], layout.begin[i + 1] - layout.begin[i]};
    gl->GenBuffers(1, &mesh->vertices);
    if (!fill_buffer(renderer, mesh->vertices, parts, MD5GL_NUM_ARRAYS, error))
        return false;
    md5gli_set_attributes(gl, &layout, 0, 0, num_arrays);
    return true;
}

// Checks that the counts of a mesh fit into the integers of OpenGL. OpenGL ES also needs two line
// indices for each edge of a triangle. Returns false and fills the error otherwise.
static bool check_mesh_size(const md5gl_renderer *renderer, const md5_mesh *source,
                            md5_error *error)
{
    const size_t num_indices = (size_t)source->num_triangles * 3;
    const size_t max_indices = renderer->is_es ? INT_MAX / 2 : INT_MAX;
    if (source->num_vertices > INT_MAX)
        return md5gli_fail(error, MD5_ERROR_GPU,
                           "mesh has too many vertices: expected at most %d, found %u", INT_MAX,
                           source->num_vertices);
    if (num_indices > max_indices)
        return md5gli_fail(error, MD5_ERROR_GPU,
                           "mesh has too many indices: expected at most %zu, found %zu",
                           max_indices, num_indices);
    return true;
}

// Uploads a mesh: its vertices, the data of its skinning path, and its triangles. Returns false and
// fills the error if the mesh is too large or memory runs out.
static bool upload_mesh(md5gl_renderer *renderer, md5gl_mesh *mesh, uint32_t num_joints,
                        md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const md5_mesh *const source = mesh->mesh;
    if (!check_mesh_size(renderer, source, error))
        return false;

    gl->GenVertexArrays(1, &mesh->array);
    gl->BindVertexArray(mesh->array);
    if (!upload_attributes(renderer, mesh, error))
        return false;

    // Upload the data that the skinning path of the mesh needs.
    const uint32_t slots = slots_per_vertex(mesh->path);
    if (slots > 0 && !upload_slots(renderer, mesh, slots, num_joints, error))
        return false;
    if (mesh->path == MD5GL_PATH_EXACT || mesh->path == MD5GL_PATH_COMPUTE)
        upload_exact(renderer, mesh);
    if (mesh->path == MD5GL_PATH_CPU || mesh->path == MD5GL_PATH_COMPUTE)
        gl->GenBuffers(1, &mesh->posed);

    const size_t indices_size = (size_t)source->num_triangles * 3 * sizeof(uint32_t);
    gl->GenBuffers(1, &mesh->indices);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->indices);
    gl->BufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)indices_size, source->indices,
                   GL_STATIC_DRAW);
    if (renderer->is_es)
        return upload_edges(renderer, mesh, error);
    return true;
}

// -- Materials --------------------------------------------------------------------------------

md5gl_surface *md5gli_get_surface(const md5gl_model *model, uint32_t skin, uint32_t mesh)
{
    return &model->surfaces[(size_t)skin * model->model->num_meshes + mesh];
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
    const md5gl_material *const former = &surface->material;
    // The opacity depends on these members: md5gl_pose() must find it again if they change.
    if (former->diffuse != material->diffuse || former->alpha_test != material->alpha_test
        || former->is_opaque != material->is_opaque)
        surface->has_known_opacity = false;
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

// Sets the number of skins of a model, which are sets of materials. New skins are copies of skin 0.
// Returns false and changes nothing if memory runs out.
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
    md5gl_surface *const surfaces =
        MD5GL_NEW(renderer, md5gl_surface, num_skins * num_meshes, error);
    if (!surfaces)
        return false;

    // New skins are copies of skin 0.
    for (uint32_t skin = 0; skin < num_skins; skin++) {
        const uint32_t source = skin < model->num_skins ? skin : 0;
        memcpy(surfaces + skin * num_meshes, md5gli_get_surface(model, source, 0),
               num_meshes * sizeof *surfaces);
    }
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

// Binds a table, an array that shaders read by index, to a texture unit. A table is a texture
// buffer or, in contexts without texture buffers, a 2D texture.
static void bind_table(md5gl_renderer *renderer, const md5gl_program *program, enum md5gl_unit unit,
                       const md5gl_table *table)
{
    md5gli_bind_texture(renderer, program, unit, table->buffer ? GL_TEXTURE_BUFFER : GL_TEXTURE_2D,
                        table->texture);
}

// Sets the uniforms for the motion vectors and the ids of the instances in a batch, which is a part
// of the instances that one call draws. `before` is the number of instances in earlier batches. If
// the caller has not set ids, the id of an instance is its index plus 1.
static void bind_previous(md5gl_renderer *renderer, const md5gl_model *model,
                          const md5gl_mesh *mesh, const md5gl_program *program,
                          const md5gl_batch *batch, uint32_t before)
{
    const GladGLContext *gl = &renderer->gl;
    // A mesh that was skinned once does not use palettes here. The uniform then only tells whether
    // its buffer contains the instances of the previous frame.
    uint32_t previous_palettes = batch->previous_palettes;
    if (mesh->posed && !model->baked)
        previous_palettes = mesh->posed_count > model->num_instances;
    gl->Uniform3i(program->uniforms[MD5GL_PREVIOUS], (GLint)previous_palettes,
                  (GLint)batch->previous_placements, (GLint)model->previous_weights);
    gl->Uniform2i(program->uniforms[MD5GL_IDENTITY], model->has_ids ? 0 : (GLint)before + 1,
                  (GLint)(mesh - model->meshes));
    // Without ids the table is empty, but it must be bound: WebGL draws nothing if the unit has a
    // texture of colors.
    bind_table(renderer, program, MD5GL_UNIT_GLOW, &batch->ids);
}

// Returns the number of vertices in the meshes before a mesh, which is its first vertex in the
// tables of baked clips and morph targets.
static uint32_t first_vertex(const md5gl_model *model, const md5gl_mesh *mesh)
{
    uint32_t first = 0;
    for (const md5gl_mesh *earlier = model->meshes; earlier != mesh; earlier++)
        first += earlier->mesh->num_vertices;
    return first;
}

// Binds the tables of baked clips, in the units that influences have without clips.
static void bind_baked_clips(md5gl_renderer *renderer, const md5gl_baked *baked,
                             const md5gl_program *program)
{
    md5gli_set_integer(&renderer->gl, program, MD5GL_NUM_VERTICES, (GLint)baked->num_vertices);
    bind_table(renderer, program, MD5GL_UNIT_INFLUENCES, &baked->clips);
    bind_table(renderer, program, MD5GL_UNIT_INFLUENCE_JOINTS, &baked->vertices);
}

// Binds the tables of morph targets. `before` is the number of instances in earlier batches.
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

// Binds all that a draw of a mesh reads: its vertices, and the tables of a batch of instances.
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

// Returns the value of md5gl_mesh.deform for a mesh without a deform: its callback is NULL.
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

// Sets the deform of a mesh, whose vertex array is bound. The mesh changes to the path that skins
// on the CPU; all other meshes remain instanced.
static void add_deform(const GladGLContext *gl, md5gl_mesh *mesh, const md5gl_deform *deform)
{
    const size_t size = 3 * (size_t)deform->num_triangles * sizeof *deform->indices;
    if (mesh->path != MD5GL_PATH_CPU) {
        // The shader of the new path does not read joints and weights.
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

// Returns true if a deformed mesh can replace a mesh. Otherwise fills the error. `index` is the
// index of the mesh, for messages.
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

// Sets or removes (NULL) the deform of a mesh, which changes its vertices on the CPU in each frame,
// such as a sprite that faces the camera. The model has no instances until the next md5gl_pose().
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
    // If size_t has 32 bits, the sum can overflow; the allocation then fails with SIZE_MAX.
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

// Creates the surfaces, and the bounds of the joints in model space of the bind pose.
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

// Returns true if no mesh has lost its vertex arrays by md5_release_geometry(). Otherwise fills the
// error.
static bool check_geometry(const md5_model *model, md5_error *error)
{
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        if (!model->meshes[i].positions && model->meshes[i].num_vertices > 0)
            return md5gli_fail(
                error, MD5_ERROR_MISMATCH,
                "geometry of the model was released: expected a model with geometry; load "
                "the model again");
    }
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

    if (!check_geometry(model, error))
        return NULL;
    if (!md5gl_has_path(renderer, path)) {
        md5gli_fail(error, MD5_ERROR_GPU,
                    "path \"%s\" is not supported: expected OpenGL 4.3, found %s",
                    md5gl_path_name(path), renderer->device_name);
        return NULL;
    }

    md5gl_model *const copy = allocate_model(renderer, model, error);
    if (!copy)
        return NULL;

    (void)md5gli_clear_errors(renderer);
    const bool uploaded =
        create_bounds(renderer, copy, error) && upload_meshes(renderer, copy, path, error);
    renderer->gl.BindVertexArray(0);
    renderer->gl.BindBuffer(GL_ARRAY_BUFFER, 0);
    if (!uploaded || !md5gli_check(renderer, "creating the buffers of a model", error)) {
        md5gl_destroy_model(renderer, copy);
        return NULL;
    }
    return copy;
}

// Destroys a model with its buffers and removes it from the renderer's list. Its textures remain.
// `model` may be NULL.
void md5gl_destroy_model(md5gl_renderer *renderer, md5gl_model *model)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_MODEL(model);
    if (!model)
        return;

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
        md5gli_destroy_table(renderer, &model->batches[i].ids);
    }
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

// Returns the skinning path (how the vertices of a mesh are computed) that was selected for a mesh,
// for example to find out why a model is slow.
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
    // Programs without morph targets are also built, so that targets can be removed without an
    // error.
    if (blending != model->blending) {
        const int variant = md5gl_variant_index(blending, false);
        const int morphed_variant = md5gl_variant_index(blending, true);
        for (uint32_t i = 0; i < model->model->num_meshes; i++) {
            const md5gl_path path = model->meshes[i].path;
            if (!md5gli_build_variant(renderer, path, variant, error))
                return false;
            if (model->morph && !md5gli_build_variant(renderer, path, morphed_variant, error))
                return false;
        }
    }
    model->blending = blending;
    return true;
}
