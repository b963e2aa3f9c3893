// Poses: uploads the data of a model's instances for all draws that follow.
//
// An instance is one copy of the model in the scene. Its palette contains the skin matrices of all
// joints, which md5_build_palette() computes. Its placement moves it from model space to world
// space. Palettes and placements are uploaded to tables, arrays that shaders read by index. The
// size of a table is limited, so the instances are divided into batches. Each batch has its own
// tables.
//
// Meshes on the paths CPU and COMPUTE are skinned here, once for all passes. On the other paths,
// the vertex shader of each pass skins. This file also contains the GPU copies of morph targets and
// of baked clips.
//
// If the frame needs motion vectors, the instances of the previous frame are uploaded too
// (md5gl_instances.previous). In each table they follow the current instances.
//
// Instances of baked clips use the same batches as skinned instances. Placements, tints, skins and
// passes therefore need no separate code. Instead of palettes, a batch of baked instances contains
// one texel per instance.
#include "render/gl_internal.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// -- Morph targets --------------------------------------------------------------------------

// A delta is the displacement of one vertex by one morph target. This is the layout that
// bind_morphed.glsl reads: three texels of four floats.
typedef struct delta_texels {
    float position[3];
    float target; // index of the morph target
    float normal[3];
    float unused1;
    float tangent[3];
    float unused2;
} delta_texels;

// Returns true if a table can have this number of texels. Otherwise fills the error. `content`
// names the data in the message.
static bool fits_table(const md5gl_renderer *renderer, uint64_t texels, const char *content,
                       md5_error *error)
{
    if (texels <= renderer->max_texels)
        return true;
    return md5gli_fail(error, MD5_ERROR_GPU,
                       "%s are too large: they require %llu texels, but %s is %u", content,
                       (unsigned long long)texels, renderer->max_texels_name, renderer->max_texels);
}

// Converts the deltas of a mesh to the layout of the shader.
static void write_mesh_deltas(const md5_morph_mesh *mesh, delta_texels *deltas)
{
    for (uint32_t i = 0; i < mesh->num_deltas; i++) {
        const md5_morph_delta *const delta = &mesh->deltas[i];
        const md5_vec3 p = delta->position;
        const md5_vec3 n = delta->normal;
        const md5_vec3 t = delta->tangent;
        deltas[i] = (delta_texels){
            .position = {p.x, p.y, p.z},
            .target = (float)delta->target,
            .normal = {n.x, n.y, n.z},
            .tangent = {t.x, t.y, t.z},
        };
    }
}

// Writes the index of the first delta of each vertex of a mesh. A vertex without deltas gets the
// index of the next delta. `num_earlier_deltas` is the number of deltas of earlier meshes.
static void write_first_deltas(const md5_morph_mesh *mesh, uint32_t num_vertices,
                               uint32_t num_earlier_deltas, uint32_t *first)
{
    // mesh->vertices lists only the vertices that have deltas. `next` is an index into that list.
    uint32_t next = 0;
    for (uint32_t vertex = 0; vertex < num_vertices; vertex++) {
        first[vertex] = num_earlier_deltas + mesh->first[next];
        if (next < mesh->num_vertices && mesh->vertices[next] == vertex)
            next++;
    }
}

// Writes the deltas of all meshes to `deltas`. Writes the index of each vertex's first delta to
// `first`, and the number of all deltas after the last index.
static void write_deltas(const md5_morph *source, uint32_t *first, delta_texels *deltas)
{
    uint32_t num_vertices = 0; // vertices of earlier meshes
    uint32_t num_deltas = 0;
    for (uint32_t i = 0; i < source->model->num_meshes; i++) {
        const md5_morph_mesh *const mesh = &source->meshes[i];
        const uint32_t count = source->model->meshes[i].num_vertices;
        write_mesh_deltas(mesh, deltas + num_deltas);
        write_first_deltas(mesh, count, num_deltas, first + num_vertices);
        num_vertices += count;
        num_deltas += mesh->num_deltas;
    }
    first[num_vertices] = num_deltas;
}

// Uploads the deltas of all vertices, and for each vertex the index of its first delta. Returns
// false and fills the error if memory runs out.
static bool upload_morph(md5gl_renderer *renderer, md5gl_morph *morph, size_t num_vertices,
                         size_t num_deltas, md5_error *error)
{
    // The last index ends the deltas of the last vertex. Drivers do not support texture buffers
    // without a texel, so an additional delta of zeros is uploaded.
    const size_t num_firsts = num_vertices + 1;
    const size_t capacity = num_deltas + 1;
    uint32_t *const first = MD5GL_NEW(renderer, uint32_t, num_firsts, error);
    delta_texels *const deltas = MD5GL_NEW(renderer, delta_texels, capacity, error);
    const bool has_memory = first && deltas;
    if (has_memory) {
        write_deltas(morph->source, first, deltas);
        morph->first = md5gli_create_table(renderer, GL_R32UI, first, num_firsts * sizeof *first);
        morph->deltas =
            md5gli_create_table(renderer, GL_RGBA32F, deltas, capacity * sizeof *deltas);
    }
    md5gli_free(renderer, first);
    md5gli_free(renderer, deltas);
    return has_memory;
}

// Returns the number of deltas of all vertices and targets.
static uint64_t count_deltas(const md5_morph *source)
{
    uint64_t num_deltas = 0;
    for (uint32_t i = 0; i < source->model->num_meshes; i++)
        num_deltas += source->meshes[i].num_deltas;
    return num_deltas;
}

// Returns true if the deltas and the index of each vertex's first delta fit into tables. Otherwise
// fills the error. Both arrays have one more element; see upload_morph().
static bool fits_tables_of_morph(const md5gl_renderer *renderer, uint64_t num_vertices,
                                 uint64_t num_deltas, md5_error *error)
{
    const uint64_t texels_per_delta = sizeof(delta_texels) / (4 * sizeof(float));
    const uint64_t num_texels = texels_per_delta * (num_deltas + 1);
    return fits_table(renderer, num_vertices + 1, "vertices of morph targets", error)
           && fits_table(renderer, num_texels, "deltas of morph targets", error);
}

// Uploads the vertex displacements of morph targets to the GPU. Returns NULL and sets the error if
// they do not fit into a table or memory runs out.
md5gl_morph *md5gl_create_morph(md5gl_renderer *renderer, const md5_morph *source, md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_PART(source, model);
    if (!renderer || !source) {
        md5gli_fail_missing(error, renderer ? "morph" : "renderer");
        return NULL;
    }

    MD5GL_ASSERT_NO_FRAME(renderer);
    uint64_t num_vertices = 0;
    for (uint32_t i = 0; i < source->model->num_meshes; i++)
        num_vertices += source->model->meshes[i].num_vertices;
    const uint64_t num_deltas = count_deltas(source);
    if (!fits_tables_of_morph(renderer, num_vertices, num_deltas, error))
        return NULL;
    md5gl_morph *const morph = MD5GL_NEW(renderer, md5gl_morph, 1, error);
    md5gli_set_kind(morph, MD5GL_KIND_MORPH);
    if (!morph)
        return NULL;
    morph->source = source;
    (void)md5gli_clear_errors(renderer);

    const bool has_tables =
        upload_morph(renderer, morph, (size_t)num_vertices, (size_t)num_deltas, error);
    if (has_tables && md5gli_check(renderer, "uploading morph targets", error))
        return morph;
    md5gl_destroy_morph(renderer, morph);
    return NULL;
}

// Destroys morph targets that md5gl_create_morph() created. `morph` may be NULL.
void md5gl_destroy_morph(md5gl_renderer *renderer, md5gl_morph *morph)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_ALIVE(morph, MORPH);
    if (!morph)
        return;
    md5gli_destroy_table(renderer, &morph->first);
    md5gli_destroy_table(renderer, &morph->deltas);
    md5gli_free(renderer, morph);
}

// -- Baked clips ----------------------------------------------------------------------------

// Returns the number of vertices of all meshes.
static uint32_t count_vertices(const md5_model *model)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++)
        count += model->meshes[i].num_vertices;
    return count;
}

enum {
    MAX_FRAMES = 1 << 24,     // a float represents all smaller frame indices exactly
    TEXELS_PER_CLIP_RANGE = 2 // see collect_clips()
};

// Returns true if all frames of baked clips fit into one table of vertices, and the ranges of the
// clips into another table. Otherwise fills the error. `num_vertices` is the number per frame.
static bool check_baked_size(const md5gl_renderer *renderer, uint64_t num_frames,
                             uint32_t num_vertices, uint32_t num_clips, md5_error *error)
{
    const uint32_t limit = renderer->max_texels;
    const uint64_t num_texels = num_frames * num_vertices;
    const bool have_frames_space = num_texels <= limit && num_frames <= MAX_FRAMES;
    const bool have_ranges_space = TEXELS_PER_CLIP_RANGE * (uint64_t)num_clips <= limit;
    if (have_frames_space && have_ranges_space)
        return true;
    return md5gli_fail(
        error, MD5_ERROR_GPU,
        "baked clips are too large: %llu frames of %u vertices require %llu texels, but %s is %u",
        (unsigned long long)num_frames, num_vertices, (unsigned long long)num_texels,
        renderer->max_texels_name, limit);
}

// Returns true if baked clips were made from a model with these vertices and fit into tables.
// Otherwise fills the error.
static bool check_clips(const md5gl_renderer *renderer, const md5_model *model,
                        const md5_baked *const *clips, uint32_t count, md5_error *error)
{
    if (count == 0)
        return md5gli_fail(error, MD5_ERROR_RANGE,
                           "list of baked clips is empty: expected at least 1");

    const uint32_t num_vertices = count_vertices(model);
    uint64_t num_frames = 0;
    for (uint32_t i = 0; i < count; i++) {
        num_frames += clips[i]->num_frames;
        if (clips[i]->num_vertices != num_vertices)
            return md5gli_fail(
                error, MD5_ERROR_MISMATCH,
                "baked clip %u has a wrong number of vertices: expected %u, found %u", i,
                num_vertices, clips[i]->num_vertices);
    }
    return check_baked_size(renderer, num_frames, num_vertices, count, error);
}

// Writes the vertices of all clips to `vertices`, one clip after the other. Writes two vectors per
// clip to `ranges`. The first contains the minimum of the clip's bounds and the index of its first
// frame. The second is the size of a step of the quantized positions.
static void collect_clips(const md5gl_baked *baked, const md5_baked *const *clips,
                          md5_baked_vertex *vertices, md5_vec4 *ranges)
{
    size_t frame = 0;
    for (uint32_t i = 0; i < baked->num_clips; i++) {
        const md5_baked *const clip = clips[i];
        const md5_vec3 min = clip->bounds.min;
        if (baked->num_vertices > 0)
            memcpy(vertices + frame * baked->num_vertices, clip->vertices,
                   (size_t)clip->num_frames * clip->num_vertices * sizeof *vertices);
        md5_vec4 *const range = ranges + TEXELS_PER_CLIP_RANGE * (size_t)i;
        range[0] = (md5_vec4){min.x, min.y, min.z, (float)frame};
        range[1] = (md5_vec4){clip->step.x, clip->step.y, clip->step.z, 0.0f};
        frame += clip->num_frames;
    }
}

// Uploads all clips as one table of vertices and one table of ranges. Returns false and fills the
// error on failure.
static bool upload_clips(md5gl_renderer *renderer, md5gl_baked *baked,
                         const md5_baked *const *clips, size_t num_frames, md5_error *error)
{
    const size_t num_texels = num_frames * baked->num_vertices;
    const size_t num_ranges = TEXELS_PER_CLIP_RANGE * (size_t)baked->num_clips;
    const size_t vertices_size = num_texels * sizeof(md5_baked_vertex);
    const size_t ranges_size = num_ranges * sizeof(md5_vec4);
    (void)md5gli_clear_errors(renderer);

    // The clips are collected in temporary memory, because each table is uploaded in one call.
    md5_baked_vertex *const vertices = MD5GL_NEW(renderer, md5_baked_vertex, num_texels, error);
    md5_vec4 *const ranges = MD5GL_NEW(renderer, md5_vec4, num_ranges, error);
    const bool has_memory = vertices && ranges;
    if (has_memory) {
        collect_clips(baked, clips, vertices, ranges);
        baked->vertices = md5gli_create_table(renderer, GL_RG32UI, vertices, vertices_size);
        baked->clips = md5gli_create_table(renderer, GL_RGBA32F, ranges, ranges_size);
        baked->gpu_size = vertices_size + ranges_size;
        renderer->stats.baked_bytes += baked->gpu_size;
    }
    md5gli_free(renderer, vertices);
    md5gli_free(renderer, ranges);
    return has_memory && md5gli_check(renderer, "uploading baked clips", error);
}

// Sets the counts and the bounds of baked clips. Returns the number of frames of all clips.
static size_t describe_clips(md5gl_baked *baked, const md5_model *model,
                             const md5_baked *const *clips, uint32_t count)
{
    size_t num_frames = 0;
    baked->model = model;
    baked->num_vertices = count_vertices(model);
    baked->num_clips = count;
    baked->bounds = md5_bounds_from_points(NULL, 0); // empty
    for (uint32_t i = 0; i < count; i++) {
        baked->bounds = md5_bounds_union(baked->bounds, clips[i]->bounds);
        baked->num_frames[i] = clips[i]->num_frames;
        num_frames += clips[i]->num_frames;
    }
    return num_frames;
}

// Uploads clips with precomputed vertices, all of the same model. Returns NULL and sets the error
// on failure.
md5gl_baked *md5gl_create_baked(md5gl_renderer *renderer, const md5_model *model,
                                const md5_baked *const *clips, uint32_t count, md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_PART(model, bind);
    if (!renderer || !model) {
        md5gli_fail_missing(error, renderer ? "model" : "renderer");
        return NULL;
    }
    MD5_ASSERT(clips != NULL || count == 0, "clips: must not be NULL");
    MD5GL_ASSERT_NO_FRAME(renderer);
    if (!check_clips(renderer, model, clips, count, error)
        || !md5gli_build_variant(renderer, MD5GL_PATH_AUTO, 0, error))
        return NULL;

    md5gl_baked *const baked = (md5gl_baked *)md5gli_alloc(
        &renderer->allocator, 1, sizeof *baked + count * sizeof *baked->num_frames, error);
    md5gli_set_kind(baked, MD5GL_KIND_BAKED);
    if (!baked)
        return NULL;

    const size_t num_frames = describe_clips(baked, model, clips, count);
    if (!upload_clips(renderer, baked, clips, num_frames, error)) {
        md5gl_destroy_baked(renderer, baked);
        return NULL;
    }
    return baked;
}

// Destroys baked clips that md5gl_create_baked() created. `baked` may be NULL.
void md5gl_destroy_baked(md5gl_renderer *renderer, md5gl_baked *baked)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_ALIVE(baked, BAKED);
    if (!baked)
        return;
    renderer->stats.baked_bytes -= baked->gpu_size;
    md5gli_destroy_table(renderer, &baked->vertices);
    md5gli_destroy_table(renderer, &baked->clips);
    md5gli_free(renderer, baked->jobs);
    md5gli_free(renderer, baked);
}

// -- Batches ----------------------------------------------------------------------------------

// Enlarges the array of batches to `num_batches`, and creates the tables of the new batches. The
// array never shrinks, so later poses reuse the tables. Returns false and fills the error if memory
// runs out.
static bool reserve_batches(md5gl_renderer *renderer, md5gl_model *model, uint32_t num_batches,
                            md5_error *error)
{
    if (num_batches <= model->batch_capacity)
        return true;
    md5gl_batch *const batches = MD5GL_NEW(renderer, md5gl_batch, num_batches, error);
    if (!batches)
        return false;

    if (model->batch_capacity > 0)
        memcpy(batches, model->batches, model->batch_capacity * sizeof *batches);
    md5gli_free(renderer, model->batches);
    for (uint32_t i = model->batch_capacity; i < num_batches; i++) {
        batches[i].palettes = md5gli_create_table(renderer, GL_RGBA32F, NULL, 0);
        batches[i].placements = md5gli_create_table(renderer, GL_RGBA32F, NULL, 0);
        batches[i].tints = md5gli_create_table(renderer, GL_RGBA32F, NULL, 0);
        batches[i].ids = md5gli_create_table(renderer, GL_R32UI, NULL, 0);
    }

    model->batches = batches;
    model->batch_capacity = num_batches;
    return true;
}

// Uploads the matrices of `count` instances to a table, beginning with instance `first`. Each
// instance has `per_instance` matrices. `previous` contains the matrices of the previous frame, as
// many as `matrices`, or is NULL. Returns the first texel of the previous matrices, or 0 if there
// are none.
static uint32_t upload_matrices(md5gl_renderer *renderer, md5gl_table *table,
                                const md5_mat34 *matrices, const md5_mat34 *previous,
                                uint32_t first, uint32_t count, uint32_t per_instance)
{
    const size_t offset = (size_t)first * per_instance;
    const size_t size = (size_t)count * per_instance * sizeof *matrices;
    const md5_mat34 *const first_previous = previous ? previous + offset : NULL;
    return md5gli_fill_table(renderer, table, matrices + offset, first_previous, size);
}

// Uploads the placements and the palettes of a batch. `palettes` is NULL if no shader reads
// palettes. `first` is the index of the batch's first instance in the model.
static void fill_batch(md5gl_renderer *renderer, md5gl_batch *batch, const md5_mat34 *palettes,
                       uint32_t num_joints, const md5gl_instances *instances, uint32_t first)
{
    const md5gl_instances *const previous = instances->previous;
    batch->previous_palettes = 0;
    batch->previous_placements = 0;
    if (palettes)
        batch->previous_palettes =
            upload_matrices(renderer, &batch->palettes, palettes, previous->palettes, first,
                            batch->count, num_joints);
    if (instances->placements)
        batch->previous_placements =
            upload_matrices(renderer, &batch->placements, instances->placements,
                            previous->placements, first, batch->count, 1);
}

// Returns the number of instances that fit into the tables of one batch. Returns 0 and fills the
// error if not even one instance fits. `has_palettes` is false if no shader reads palettes.
static uint32_t batch_size(const md5gl_renderer *renderer, const md5gl_model *model,
                           const md5gl_instances *instances, bool has_palettes, md5_error *error)
{
    // A limit of compute shaders: GL guarantees at least 65535 work groups in one dimension.
    enum { MAX_INSTANCES = 65535 };
    const md5gl_instances *const previous = instances->previous;
    const bool has_previous = previous->palettes || previous->jobs || previous->placements;
    const uint32_t num_joints = has_palettes ? model->model->skeleton.num_joints : 1;
    const uint32_t copies = has_previous ? 2 : 1;
    const uint32_t fit = md5gli_instances_per_draw(renderer, num_joints, copies, error);
    return fit < MAX_INSTANCES ? fit : MAX_INSTANCES;
}

// Divides the instances into batches and uploads their placements and palettes. Each batch contains
// as many instances as fit into the tables. `palettes` may be NULL. Returns false and fills the
// error on failure.
static bool fill_batches(md5gl_renderer *renderer, md5gl_model *model, const md5_mat34 *palettes,
                         const md5gl_instances *instances, md5_error *error)
{
    const uint32_t capacity = batch_size(renderer, model, instances, palettes != NULL, error);
    if (capacity == 0)
        return false;

    const uint32_t num_joints = model->model->skeleton.num_joints;
    const uint32_t count = instances->count;
    const uint32_t num_batches = count / capacity + (count % capacity > 0 ? 1 : 0);
    if (!reserve_batches(renderer, model, num_batches, error))
        return false;

    uint32_t first = 0;
    for (uint32_t i = 0; i < num_batches; i++) {
        md5gl_batch *const batch = &model->batches[i];
        const uint32_t remaining = count - first;
        batch->count = remaining < capacity ? remaining : capacity;
        fill_batch(renderer, batch, palettes, num_joints, instances, first);
        first += batch->count;
    }
    model->num_batches = num_batches;
    return true;
}

// -- Skinning once ----------------------------------------------------------------------------

// Uploads the vertices of one instance to the bound buffer. `vertices` consists of arrays, first
// all positions, then all normals, and so on, as `instance_layout` describes. The buffer consists
// of the same arrays with the vertices of all instances, as `buffer_layout` describes. In each
// array, the vertices of an instance are consecutive.
static void write_instance(const GladGLContext *gl, const md5gl_layout *buffer_layout,
                           const md5gl_layout *instance_layout, uint32_t num_arrays,
                           uint32_t instance, const uint8_t *vertices)
{
    for (uint32_t i = 0; i < num_arrays; i++) {
        const size_t size = instance_layout->begin[i + 1] - instance_layout->begin[i];
        gl->BufferSubData(GL_ARRAY_BUFFER, (GLintptr)(buffer_layout->begin[i] + instance * size),
                          (GLsizeiptr)size, vertices + instance_layout->begin[i]);
    }
}

// Skins one instance on the CPU. Writes its positions, normals and tangents to `vertices` as three
// arrays. `weights` are the weights of the morph targets. dual[num_joints] is scratch memory for
// the palette as dual quaternions.
static void skin_one(const md5gl_model *model, const md5gl_mesh *mesh, const md5_mat34 *palette,
                     const float *weights, md5_dual_quat *dual, void *vertices)
{
    uint8_t *const bytes = (uint8_t *)vertices;
    const bool is_dual = model->blending == MD5GL_BLEND_DUAL;
    const md5gl_layout instance_layout =
        md5gli_make_layout(mesh->mesh->num_vertices, MD5GL_ARRAY_TEXCOORDS);
    if (is_dual)
        md5_build_dual_palette(palette, model->model->skeleton.num_joints, dual);
    md5_skin_job job = {
        .mesh = mesh->mesh,
        .morph = model->morph ? model->morph->source : NULL,
        .morph_weights = weights,
        .positions = bytes,
        .normals = bytes + instance_layout.begin[MD5GL_ARRAY_NORMALS],
        .tangents = bytes + instance_layout.begin[MD5GL_ARRAY_TANGENTS],
    };
    if (is_dual)
        job.duals = dual;
    else
        job.palette = palette;
    md5_skin_one(&job);
}

// Sets the normals and tangents of a deformed surface, because the host's function does not write
// them. If the surface has as many vertices as the mesh, copies both arrays from the skinned
// vertices. One copy suffices, because the arrays are adjacent in both layouts. If the numbers
// differ, the vertices do not correspond. All normals then point up, and tangents remain 0.
static void set_deformed_frames(const md5gl_mesh *mesh, const uint8_t *skinned,
                                const md5gl_layout *skinned_layout, md5_vec3 *normals)
{
    const size_t count = mesh->deform.num_vertices;
    if (count == mesh->mesh->num_vertices) {
        const size_t begin = skinned_layout->begin[MD5GL_ARRAY_NORMALS];
        const size_t end = skinned_layout->begin[MD5GL_ARRAY_TEXCOORDS];
        memcpy(normals, skinned + begin, end - begin);
        return;
    }
    const md5_vec3 up = {0.0f, 0.0f, 1.0f};
    for (size_t i = 0; i < count; i++)
        normals[i] = up;
}

// Computes the deformed surface of an instance, and uploads it as element `index` of the arrays in
// the bound buffer. The host's function (md5gl_set_deform()) computes the surface from the skinned
// vertices. It receives `instance`, the index of the instance.
//
// skinned[] contains the positions, normals and tangents of the mesh as three arrays. deformed[] is
// scratch memory for the five arrays of the deformed surface. This surface can have more vertices
// than the mesh.
static void deform_one(const GladGLContext *gl, const md5gl_model *model, const md5gl_mesh *mesh,
                       uint32_t instance, uint32_t index, const uint8_t *skinned, uint8_t *deformed)
{
    const size_t count = mesh->deform.num_vertices;
    const uint32_t mesh_index = (uint32_t)(mesh - model->meshes);
    const md5gl_layout skinned_layout =
        md5gli_make_layout(mesh->mesh->num_vertices, MD5GL_ARRAY_TEXCOORDS);
    const md5gl_layout deformed_layout = md5gli_make_layout(count, MD5GL_NUM_ARRAYS);
    const md5gl_layout buffer_layout =
        md5gli_make_layout(count * mesh->posed_count, MD5GL_NUM_ARRAYS);

    // Positions are the first array in both layouts, so they begin at offset 0.
    const md5_vec3 *const skinned_positions = (const md5_vec3 *)(const void *)skinned;
    const md5_vec3 *const skinned_normals =
        (const md5_vec3 *)(const void *)(skinned + skinned_layout.begin[MD5GL_ARRAY_NORMALS]);
    md5_vec3 *const positions = (md5_vec3 *)(void *)deformed;
    md5_vec3 *const normals =
        (md5_vec3 *)(void *)(deformed + deformed_layout.begin[MD5GL_ARRAY_NORMALS]);
    md5_vec2 *const texcoords =
        (md5_vec2 *)(void *)(deformed + deformed_layout.begin[MD5GL_ARRAY_TEXCOORDS]);
    md5_vec4 *const colors =
        (md5_vec4 *)(void *)(deformed + deformed_layout.begin[MD5GL_ARRAY_COLORS]);

    memset(deformed, 0, deformed_layout.begin[MD5GL_NUM_ARRAYS]);
    set_deformed_frames(mesh, skinned, &skinned_layout, normals);
    mesh->deform.write(mesh->deform.user, mesh_index, instance, skinned_positions, skinned_normals,
                       positions, texcoords, colors);
    write_instance(gl, &buffer_layout, &deformed_layout, MD5GL_NUM_ARRAYS, index, deformed);
}

// Scratch memory for skinning one instance on the CPU, in one block that begins at `skinned`.
typedef struct skin_scratch {
    uint8_t *skinned;    // positions, normals and tangents
    md5_dual_quat *dual; // [num_joints] palette as dual quaternions
    uint8_t *deformed;   // vertices of the deformed surface
} skin_scratch;

// Allocates the scratch memory for one instance of a mesh as one block. Returns false and fills the
// error if memory runs out.
static bool alloc_scratch(md5gl_renderer *renderer, const md5gl_model *model,
                          const md5gl_mesh *mesh, skin_scratch *scratch, md5_error *error)
{
    const md5gl_layout skinned =
        md5gli_make_layout(mesh->mesh->num_vertices, MD5GL_ARRAY_TEXCOORDS);
    const md5gl_layout deformed = md5gli_make_layout(mesh->deform.num_vertices, MD5GL_NUM_ARRAYS);
    const size_t skinned_size = skinned.begin[MD5GL_NUM_ARRAYS];
    const size_t dual_size = model->model->skeleton.num_joints * sizeof(md5_dual_quat);
    const size_t deformed_size = mesh->deform.write ? deformed.begin[MD5GL_NUM_ARRAYS] : 0;
    scratch->skinned =
        MD5GL_NEW(renderer, uint8_t, skinned_size + dual_size + deformed_size, error);
    if (!scratch->skinned)
        return false;
    scratch->dual = (md5_dual_quat *)(void *)(scratch->skinned + skinned_size);
    scratch->deformed = scratch->skinned + skinned_size + dual_size;
    return true;
}

// Skins `count` instances on the CPU and uploads them to the bound buffer. Instance i becomes
// element `first` + i of the buffer's arrays. palettes[count * num_joints] and weights[count *
// num_targets] contain the poses of the instances. `scratch` is reused for each instance.
static void skin_instances(const GladGLContext *gl, const md5gl_model *model,
                           const md5gl_mesh *mesh, uint32_t count, const md5_mat34 *palettes,
                           const float *weights, uint32_t first, const skin_scratch *scratch)
{
    const size_t num_vertices = mesh->mesh->num_vertices;
    const md5gl_layout buffer_layout =
        md5gli_make_layout(num_vertices * mesh->posed_count, MD5GL_ARRAY_TEXCOORDS);
    const md5gl_layout instance_layout = md5gli_make_layout(num_vertices, MD5GL_ARRAY_TEXCOORDS);

    const size_t num_joints = model->model->skeleton.num_joints;
    const size_t num_targets = model->morph ? model->morph->source->num_targets : 0;
    for (uint32_t i = 0; i < count; i++) {
        const md5_mat34 *const palette = palettes + i * num_joints;
        const float *const morph_weights = num_targets > 0 ? weights + i * num_targets : NULL;
        skin_one(model, mesh, palette, morph_weights, scratch->dual, scratch->skinned);
        if (mesh->deform.write)
            deform_one(gl, model, mesh, i, first + i, scratch->skinned, scratch->deformed);
        else
            write_instance(gl, &buffer_layout, &instance_layout, MD5GL_ARRAY_TEXCOORDS, first + i,
                           scratch->skinned);
    }
}

// Skins all instances of a mesh on the CPU, one instance at a time, and uploads them. If the buffer
// has space for the instances of the previous frame, they follow the current instances. Returns
// false and fills the error on failure.
static bool skin_on_cpu(md5gl_renderer *renderer, const md5gl_model *model, const md5gl_mesh *mesh,
                        const md5gl_instances *instances, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const md5gl_instances *const previous = instances->previous;
    const uint32_t count = instances->count;
    skin_scratch scratch;
    if (mesh->mesh->num_vertices > 0 && !mesh->mesh->positions)
        return md5gli_fail(
            error, MD5_ERROR_MISMATCH,
            "model geometry was released: mesh %u is skinned on the CPU and needs it",
            (unsigned)(mesh - model->meshes));
    if (!alloc_scratch(renderer, model, mesh, &scratch, error))
        return false;

    skin_instances(gl, model, mesh, count, instances->palettes, instances->weights, 0, &scratch);
    if (mesh->posed_count > count) {
        // The host may give only previous palettes or only previous weights. The missing array has
        // not changed since the previous frame, so the current one is used.
        const md5_mat34 *const palettes =
            previous->palettes ? previous->palettes : instances->palettes;
        const float *const weights = previous->weights ? previous->weights : instances->weights;
        skin_instances(gl, model, mesh, count, palettes, weights, count, &scratch);
    }
    md5gli_free(renderer, scratch.skinned);
    return true;
}

// Runs the compute shader that skins all instances of a mesh. If `copy` is 0, skins them in the
// current pose. If it is 1, skins them in the pose of the previous frame, and stores them in the
// buffer `posed` after the instances in the current pose. `copies` is the number of poses that the
// buffer contains.
static void dispatch_skinning(md5gl_renderer *renderer, const md5gl_model *model,
                              const md5gl_mesh *mesh, const md5gl_program *program, uint32_t copy,
                              uint32_t copies)
{
    enum { VERTICES_PER_GROUP = 64 }; // local_size_x of preskin.comp
    const GladGLContext *gl = &renderer->gl;
    const uint32_t num_vertices = mesh->mesh->num_vertices;
    const uint32_t num_instances = model->num_instances;
    const uint32_t num_groups = (num_vertices + VERTICES_PER_GROUP - 1) / VERTICES_PER_GROUP;
    uint32_t first = 0;
    for (uint32_t i = 0; i < model->num_batches; i++) {
        const md5gl_batch *const batch = &model->batches[i];
        md5gli_bind_mesh(renderer, model, mesh, program, batch, first);
        // The first texels of the palettes and weights of this pose in their tables.
        const uint32_t palettes = copy > 0 ? batch->previous_palettes : 0;
        const uint32_t weights = copy > 0 ? model->previous_weights : 0;
        gl->Uniform3i(program->uniforms[MD5GL_PREVIOUS], (GLint)palettes, 0, (GLint)weights);
        md5gli_set_integer(gl, program, MD5GL_NUM_VERTICES, (GLint)num_vertices);
        md5gli_set_integer(gl, program, MD5GL_NUM_INSTANCES, (GLint)(copies * num_instances));
        md5gli_set_integer(gl, program, MD5GL_FIRST_INSTANCE,
                           (GLint)(copy * num_instances + first));
        renderer->optional.DispatchCompute(num_groups, batch->count, 1);
        first += batch->count;
    }
}

// Skins all instances of a mesh with a compute shader into the buffer `posed`. Later draws read
// their vertices from this buffer. If `copies` is 2, also skins them in the pose of the previous
// frame, which motion vectors need.
static void skin_by_compute(md5gl_renderer *renderer, const md5gl_model *model,
                            const md5gl_mesh *mesh, uint32_t copies)
{
    const GladGLContext *gl = &renderer->gl;
    const md5gl_program *const program =
        &renderer->preskin[md5gl_variant_index(model->blending, model->morph != NULL)];
    gl->UseProgram(program->name);
    gl->BindBufferBase(MD5GL_SHADER_STORAGE_BUFFER, MD5GL_BINDING_BIND, mesh->vertices);
    gl->BindBufferBase(MD5GL_SHADER_STORAGE_BUFFER, MD5GL_BINDING_FIRST_INFLUENCE,
                       mesh->influences);
    gl->BindBufferBase(MD5GL_SHADER_STORAGE_BUFFER, MD5GL_BINDING_POSED, mesh->posed);

    for (uint32_t copy = 0; copy < copies; copy++)
        dispatch_skinning(renderer, model, mesh, program, copy, copies);

    // Later draws read the buffer as vertex attributes. They must wait until the compute shader has
    // written it.
    renderer->optional.MemoryBarrier(MD5GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT);
    for (uint32_t i = 0; i < MD5GL_NUM_STORAGE_BINDINGS; i++)
        gl->BindBufferBase(MD5GL_SHADER_STORAGE_BUFFER, i, 0);
    gl->BindBuffer(MD5GL_SHADER_STORAGE_BUFFER, 0);
    gl->BindVertexArray(0);
    gl->UseProgram(0);
}

// Gives the buffer `posed` of a mesh new storage for `count` instances, and leaves it bound.
// Returns false and fills the error if the buffer would be too large for shaders.
static bool resize_posed(md5gl_renderer *renderer, md5gl_mesh *mesh, size_t count, md5_error *error)
{
    // Floats of a vertex in the buffer: its position, normal and tangent. A deformed vertex also
    // has texture coordinates and a color.
    enum { FLOATS_PER_VERTEX = 3 + 3 + 4, FLOATS_PER_DEFORMED_VERTEX = 3 + 3 + 4 + 2 + 4 };
    const GladGLContext *gl = &renderer->gl;
    const bool is_deformed = mesh->deform.write != NULL;
    const size_t num_vertices = mesh->deform.num_vertices;
    const size_t num_floats = is_deformed ? FLOATS_PER_DEFORMED_VERTEX : FLOATS_PER_VERTEX;
    const size_t max_floats = INT_MAX; // shaders index floats with a signed int
    if (num_vertices > max_floats / num_floats / count)
        return md5gli_fail(error, MD5_ERROR_GPU,
                           "too many vertices for CPU skinning: %zu instances of %zu vertices",
                           count, num_vertices);

    const uint32_t num_arrays = is_deformed ? MD5GL_NUM_ARRAYS : MD5GL_ARRAY_TEXCOORDS;
    const md5gl_layout layout = md5gli_make_layout(num_vertices * count, num_arrays);
    gl->BindBuffer(GL_ARRAY_BUFFER, mesh->posed);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)layout.begin[MD5GL_NUM_ARRAYS], NULL,
                   GL_STREAM_DRAW);
    mesh->posed_count = (uint32_t)count;
    return true;
}

// Skins all instances of a mesh into its buffer `posed`, on the CPU or by a compute shader. Does
// nothing on paths that skin in the vertex shaders of each pass. Returns false and fills the error
// on failure.
static bool preskin(md5gl_renderer *renderer, const md5gl_model *model, md5gl_mesh *mesh,
                    const md5gl_instances *instances, md5_error *error)
{
    const bool has_previous = instances->previous->palettes || instances->previous->weights;
    const uint32_t copies = has_previous ? 2 : 1; // copies of each instance, see skin_by_compute()
    const size_t count = (size_t)copies * instances->count;
    if (!mesh->posed || mesh->deform.num_vertices == 0 || count == 0)
        return true;
    if (!resize_posed(renderer, mesh, count, error))
        return false;

    bool is_skinned = true;
    if (mesh->path == MD5GL_PATH_CPU)
        is_skinned = skin_on_cpu(renderer, model, mesh, instances, error);
    else
        skin_by_compute(renderer, model, mesh, copies);
    renderer->gl.BindBuffer(GL_ARRAY_BUFFER, 0);
    return is_skinned;
}

// -- Poses ------------------------------------------------------------------------------------

// Returns true if the morph targets of the instances belong to the model and their weights fit into
// a table. Otherwise fills the error.
static bool check_weights(const md5gl_renderer *renderer, const md5gl_model *model,
                          const md5gl_instances *instances, size_t num_weights, md5_error *error)
{
    if (num_weights == 0)
        return true;
    const float *const previous = instances->previous->weights;
    MD5_ASSERT(instances->weights != NULL, "weights: must not be NULL");
    for (size_t i = 0; i < num_weights; i++) {
        MD5_ASSERT(isfinite(instances->weights[i]), "weights: must be finite");
        MD5_ASSERT(!previous || isfinite(previous[i]), "weights: must be finite");
    }
    if (instances->morph->source->model != model->model)
        return md5gli_fail(
            error, MD5_ERROR_MISMATCH,
            "morph targets belong to another model: expected morph targets of this model");

    // The table also contains the weights of the previous frame.
    const uint64_t num_texels = (uint64_t)num_weights * (previous ? 2 : 1);
    return fits_table(renderer, num_texels, "weights of morph targets", error);
}

// Uploads the weights of morph targets. Until the next pose, programs with morph targets draw the
// model.
static void upload_weights(md5gl_renderer *renderer, md5gl_model *model,
                           const md5gl_instances *instances, size_t num_weights)
{
    if (!model->morph_weights.texture)
        model->morph_weights = md5gli_create_table(renderer, GL_R32F, NULL, 0);
    model->previous_weights =
        md5gli_fill_table(renderer, &model->morph_weights, instances->weights,
                          instances->previous->weights, num_weights * sizeof(float));
    model->morph = instances->morph;
}

// Builds the programs that skin the meshes of a model, unless they exist already. Returns false and
// fills the error on failure.
static bool build_skinning(md5gl_renderer *renderer, const md5gl_model *model, bool has_weights,
                           md5_error *error)
{
    const int variant = md5gl_variant_index(model->blending, has_weights);
    for (uint32_t i = 0; i < model->model->num_meshes; i++) {
        if (!md5gli_build_variant(renderer, model->meshes[i].path, variant, error))
            return false;
    }
    return true;
}

// Returns true if the GPU skins at least one mesh of a model.
static bool is_skinned_on_gpu(const md5gl_model *model)
{
    for (uint32_t i = 0; i < model->model->num_meshes; i++) {
        if (model->meshes[i].path != MD5GL_PATH_CPU)
            return true;
    }
    return false;
}

// Uploads the palettes and morph weights of all instances. Then skins the meshes on paths that skin
// once per pose. Returns false and fills the error on failure.
static bool pose_palettes(md5gl_renderer *renderer, md5gl_model *model,
                          const md5gl_instances *instances, md5_error *error)
{
    const md5gl_morph *const morph = instances->morph;
    const size_t num_targets = morph ? morph->source->num_targets : 0;
    const size_t num_weights = instances->count * num_targets;
    if (!check_weights(renderer, model, instances, num_weights, error))
        return false;
    if (!build_skinning(renderer, model, num_weights > 0, error))
        return false;

    if (num_weights > 0)
        upload_weights(renderer, model, instances, num_weights);
    const md5_mat34 *const palettes = is_skinned_on_gpu(model) ? instances->palettes : NULL;
    if (!fill_batches(renderer, model, palettes, instances, error))
        return false;

    // Skin the meshes whose path skins once for all passes.
    for (uint32_t i = 0; i < model->model->num_meshes; i++) {
        if (!preskin(renderer, model, &model->meshes[i], instances, error))
            return false;
    }
    return true;
}

// A job selects what an instance of a baked clip shows: the clip, two of its frames, and a fraction
// between them. Returns true if the clips and frames of all jobs exist. Otherwise fills the error.
static bool check_jobs(const md5gl_baked *baked, const md5gl_clip_job *jobs, uint32_t count,
                       md5_error *error)
{
    MD5_VALIDATE_RESERVED(jobs, count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t clip = jobs[i].clip;
        const md5_sample_position *const sample = &jobs[i].sample;
        if (clip >= baked->num_clips)
            return md5gli_fail(error, MD5_ERROR_RANGE,
                               "instance %u: unknown baked clip: expected an index below %u, found "
                               "%u",
                               i, baked->num_clips, clip);
        const uint32_t num_frames = baked->num_frames[clip];
        if (sample->frame0 >= num_frames || sample->frame1 >= num_frames)
            return md5gli_fail(error, MD5_ERROR_RANGE,
                               "instance %u: frames are out of range: expected indices below %u, "
                               "found %u and %u",
                               i, num_frames, sample->frame0, sample->frame1);
    }
    return true;
}

// Writes one texel per job for the shader: both frames, the fraction between them, and the clip.
static void write_jobs(const md5gl_clip_job *jobs, uint32_t count, md5_vec4 *texels)
{
    for (uint32_t i = 0; i < count; i++) {
        const md5_sample_position *const sample = &jobs[i].sample;
        texels[i] = (md5_vec4){(float)sample->frame0, (float)sample->frame1, sample->fraction,
                               (float)jobs[i].clip};
    }
}

// Increases the capacity of baked->jobs, temporary memory for texels, to `count`. Returns false and
// fills the error if memory runs out.
static bool reserve_jobs(md5gl_renderer *renderer, md5gl_baked *baked, uint32_t count,
                         md5_error *error)
{
    if (count <= baked->job_capacity)
        return true;
    md5gli_free(renderer, baked->jobs);
    baked->jobs = MD5GL_NEW(renderer, md5_vec4, count, error);
    baked->job_capacity = baked->jobs ? count : 0;
    return baked->jobs;
}

// Uploads the jobs of one batch to the table `palettes`, because baked instances have no palettes.
// `previous` are the jobs in the previous frame, or NULL. Both arrays begin with the first instance
// of the batch.
static void upload_jobs(md5gl_renderer *renderer, md5gl_baked *baked, md5gl_batch *batch,
                        const md5gl_clip_job *jobs, const md5gl_clip_job *previous)
{
    md5_vec4 *const texels = baked->jobs;
    md5_vec4 *previous_texels = NULL;
    write_jobs(jobs, batch->count, texels);
    if (previous) {
        previous_texels = texels + batch->count;
        write_jobs(previous, batch->count, previous_texels);
    }
    batch->previous_palettes = md5gli_fill_table(renderer, &batch->palettes, texels,
                                                 previous_texels, batch->count * sizeof *texels);
}

// Uploads the jobs of instances of baked clips. Returns false and fills the error on failure.
static bool pose_clips(md5gl_renderer *renderer, md5gl_model *model,
                       const md5gl_instances *instances, md5_error *error)
{
    md5gl_baked *const baked = instances->baked;
    const md5gl_clip_job *const jobs = instances->jobs;
    const md5gl_clip_job *const previous = instances->previous->jobs;
    MD5_ASSERT(jobs != NULL || instances->count == 0, "jobs: must not be NULL");
    if (instances->count == 0)
        return true;
    if (baked->model != model->model)
        return md5gli_fail(
            error, MD5_ERROR_MISMATCH,
            "baked clips belong to another model: expected baked clips of this model");
    if (!check_jobs(baked, jobs, instances->count, error))
        return false;
    if (previous && !check_jobs(baked, previous, instances->count, error))
        return false;

    // baked->jobs is temporary memory for one batch: the jobs, then the previous jobs.
    if (!fill_batches(renderer, model, NULL, instances, error))
        return false;
    const uint32_t max_count = model->batches[0].count; // batch 0 is the largest
    if (!reserve_jobs(renderer, baked, (previous ? 2 : 1) * max_count, error))
        return false;

    uint32_t first = 0;
    for (uint32_t i = 0; i < model->num_batches; i++) {
        md5gl_batch *const batch = &model->batches[i];
        upload_jobs(renderer, baked, batch, jobs + first, previous ? previous + first : NULL);
        first += batch->count;
    }
    model->baked = baked;
    return true;
}

// Returns a run that contains only one instance. `skins` may be NULL.
static md5gl_run run_of_instance(const md5gl_model *model, const uint32_t *skins, uint32_t instance)
{
    md5gl_run run = {.first = instance, .count = 1};
    if (skins)
        run.skin = skins[instance];
    if (model->has_mirrored)
        run.is_mirrored = model->mirrored[instance];
    return run;
}

// Divides the instances into runs: consecutive instances with the same skin and the same winding of
// triangles. Returns the number of runs, and writes them to runs[] unless it is NULL. If `skins` is
// NULL, all instances have skin 0.
static uint32_t find_runs(const md5gl_model *model, const uint32_t *skins, md5gl_run *runs)
{
    uint32_t num_runs = 0;
    md5gl_run run = {0};
    for (uint32_t i = 0; i < model->num_instances; i++) {
        const md5gl_run next = run_of_instance(model, skins, i);
        const bool continues =
            i > 0 && next.skin == run.skin && next.is_mirrored == run.is_mirrored;
        if (continues) {
            run.count++;
        } else {
            run = next;
            num_runs++;
        }
        if (runs)
            runs[num_runs - 1] = run;
    }
    return num_runs;
}

// Returns true if the skins of all instances exist. Otherwise fills the error. `skins` may be NULL.
static bool check_skins(const md5gl_model *model, const uint32_t *skins, md5_error *error)
{
    const uint32_t count = skins ? model->num_instances : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (skins[i] >= model->num_skins)
            return md5gli_fail(
                error, MD5_ERROR_RANGE,
                "instance %u: skin is out of range: expected an index below %u, found %u", i,
                model->num_skins, skins[i]);
    }
    return true;
}

// Stores the runs of instances in the model. `skins` may be NULL. Returns false and fills the error
// if a skin does not exist or memory runs out.
static bool set_runs(md5gl_renderer *renderer, md5gl_model *model, const uint32_t *skins,
                     md5_error *error)
{
    if (!check_skins(model, skins, error))
        return false;

    const uint32_t num_runs = find_runs(model, skins, NULL);
    if (num_runs > model->run_capacity) {
        md5gl_run *const runs = MD5GL_NEW(renderer, md5gl_run, num_runs, error);
        if (!runs)
            return false;
        md5gli_free(renderer, model->runs);
        model->runs = runs;
        model->run_capacity = num_runs;
    }
    model->num_runs = find_runs(model, skins, model->runs);
    return true;
}

// Returns true if a matrix mirrors. The determinant of its 3x3 part is then negative, and the
// winding of triangles is reversed.
static bool is_mirror(const md5_mat34 *matrix)
{
    const float *const m = matrix->m;
    // Compute the determinant in double, because products of three floats can exceed the range of
    // float.
    const double x = (double)m[5] * (double)m[10] - (double)m[6] * (double)m[9];
    const double y = (double)m[6] * (double)m[8] - (double)m[4] * (double)m[10];
    const double z = (double)m[4] * (double)m[9] - (double)m[5] * (double)m[8];
    return (double)m[0] * x + (double)m[1] * y + (double)m[2] * z < 0.0;
}

// Returns true if at least one of the placements mirrors.
static bool has_mirror(const md5_mat34 *placements, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (is_mirror(&placements[i]))
            return true;
    }
    return false;
}

// Increases the capacity of model->mirrored to `count`. Returns false and fills the error if memory
// runs out.
static bool reserve_mirrored(md5gl_renderer *renderer, md5gl_model *model, uint32_t count,
                             md5_error *error)
{
    if (count <= model->mirrored_capacity)
        return true;
    bool *const mirrored = MD5GL_NEW(renderer, bool, count, error);
    if (!mirrored)
        return false;
    md5gli_free(renderer, model->mirrored);
    model->mirrored = mirrored;
    model->mirrored_capacity = count;
    return true;
}

// Finds the instances with a placement that mirrors. Sets `mirrored` and `has_mirrored` of the
// model. Most models have no such instances, so the array is allocated only when one is found.
// Returns false and fills the error if memory runs out.
static bool find_mirrored(md5gl_renderer *renderer, md5gl_model *model,
                          const md5gl_instances *instances, md5_error *error)
{
    const md5_mat34 *const placements = instances->placements;
    const uint32_t count = placements ? instances->count : 0;
    model->has_mirrored = false;
    if (!has_mirror(placements, count))
        return true;
    if (!reserve_mirrored(renderer, model, count, error))
        return false;

    model->has_mirrored = true;
    for (uint32_t i = 0; i < count; i++)
        model->mirrored[i] = is_mirror(&placements[i]);
    return true;
}

// Returns true if at least one tint has alpha below 1, so that its instance needs the alpha test.
// tints[num_instances] may be NULL.
static bool has_faded_tint(const md5_vec4 *tints, uint32_t num_instances)
{
    const uint32_t count = tints ? num_instances : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (tints[i].w < 1.0f)
            return true;
    }
    return false;
}

// Uploads the tint colors and ids of all instances to the tables of their batches. Either array may
// be NULL.
static void upload_tints_and_ids(md5gl_renderer *renderer, md5gl_model *model,
                                 const md5_vec4 *tints, const uint32_t *ids)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < model->num_batches; i++) {
        md5gl_batch *const batch = &model->batches[i];
        if (tints)
            md5gli_fill_table(renderer, &batch->tints, tints + first, NULL,
                              batch->count * sizeof *tints);
        if (ids)
            md5gli_fill_table(renderer, &batch->ids, ids + first, NULL, batch->count * sizeof *ids);
        first += batch->count;
    }
}

// Sets the skins, tint colors and ids of all instances, without changing their poses. Returns false
// and fills the error on failure.
static bool set_appearance(md5gl_renderer *renderer, md5gl_model *model,
                           const md5gl_instances *instances, md5_error *error)
{
    model->tinted = false;
    model->faded = false;
    model->has_ids = false;
    model->num_runs = 0;
    if (model->num_batches == 0)
        return true;

    // If all instances have skin 0 and none is mirrored, they are one run, which is not stored.
    const bool needs_runs = instances->skins || model->has_mirrored;
    if (needs_runs && !set_runs(renderer, model, instances->skins, error))
        return false;

    model->tinted = instances->tints != NULL;
    model->faded = has_faded_tint(instances->tints, model->num_instances);
    model->has_ids = instances->ids != NULL;
    upload_tints_and_ids(renderer, model, instances->tints, instances->ids);
    return true;
}

// Returns the bounds of one instance in model space. They are empty if the instance has neither a
// palette nor a baked clip.
static md5_bounds find_model_bounds(const md5gl_model *model, const md5gl_instances *instances,
                                    uint32_t instance)
{
    const uint32_t num_joints = model->model->skeleton.num_joints;
    if (instances->palettes) {
        const md5_mat34 *const palette = instances->palettes + (size_t)instance * num_joints;
        return md5_bounds_from_joints(model->joint_bounds, palette, num_joints);
    }
    if (instances->baked)
        return instances->baked->bounds;
    return md5_bounds_from_points(NULL, 0);
}

// Returns the bounds of all instances in world space. Shadow maps cover these bounds if the host
// does not set the bounds of the casters.
static md5_bounds find_bounds(const md5gl_model *model, const md5gl_instances *instances)
{
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    for (uint32_t i = 0; i < instances->count; i++) {
        md5_bounds instance_bounds = find_model_bounds(model, instances, i);
        if (instances->placements) // from model space to world space
            instance_bounds = md5_bounds_transform(instance_bounds, instances->placements[i]);
        bounds = md5_bounds_union(bounds, instance_bounds);
    }
    return bounds;
}

// Returns true if the diffuse texture of a material can have transparent texels.
// md5gl_create_texture() marks opaque textures by a swizzle that replaces alpha by the constant 1.
// WebGL does not have swizzles, so every texture can be transparent there.
static bool can_be_transparent(md5gl_renderer *renderer, md5gl_texture diffuse)
{
    GLint alpha = GL_ALPHA;
    if (!renderer->is_webgl) {
        md5gli_bind_texture(renderer, NULL, MD5GL_UNIT_TEXTURE, GL_TEXTURE_2D, diffuse);
        renderer->gl.GetTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_A, &alpha);
    }
    return alpha != GL_ONE;
}

// Returns true if the alpha test can discard pixels of a mesh. Vertex colors can also have alpha.
static bool needs_alpha_test(md5gl_renderer *renderer, const md5_mesh *mesh,
                             const md5gl_material *material)
{
    if (material->is_opaque)
        return false;
    if (mesh->colors || material->alpha_test >= 1.0f)
        return true;
    return material->diffuse && can_be_transparent(renderer, material->diffuse);
}

// Finds out which visible meshes need the alpha test. Examines only surfaces whose material has
// changed since the last pose. The test queries GL, which is slow, so it is done once per pose
// instead of in each pass. Surfaces that were not examined yet are drawn with the alpha test.
static void update_opacity(md5gl_renderer *renderer, md5gl_model *model)
{
    for (uint32_t skin = 0; skin < model->num_skins; skin++) {
        for (uint32_t i = 0; i < model->model->num_meshes; i++) {
            const md5gl_mesh *const mesh = &model->meshes[i];
            md5gl_surface *const surface = md5gli_get_surface(model, skin, i);
            if (surface->is_opacity_computed || !mesh->visible)
                continue;
            surface->is_alpha_tested = needs_alpha_test(renderer, mesh->mesh, &surface->material);
            surface->is_opacity_computed = true;
        }
    }
}

// Returns true if each array that the previous frame's instances have also exists for the current
// instances. Both are uploaded with the same size.
static bool has_matching_arrays(const md5gl_instances *instances)
{
    const md5gl_instances *const previous = instances->previous;
    if (previous->palettes && !instances->palettes)
        return false;
    if (previous->placements && !instances->placements)
        return false;
    if (previous->jobs && !instances->baked)
        return false;
    return !previous->weights || instances->morph;
}

// Replaces the pose of a model: uploads the palettes of its instances, or their baked clips. The
// former pose is lost, even on failure. Returns false and fills the error on failure.
static bool replace_pose(md5gl_renderer *renderer, md5gl_model *model,
                         const md5gl_instances *instances, md5_error *error)
{
    model->num_batches = 0;
    model->num_instances = instances->count;
    model->placed = instances->placements != NULL;
    model->baked = NULL;
    model->morph = NULL;
    model->previous_weights = 0;
    update_opacity(renderer, model);
    bool is_posed = false;
    if (instances->baked)
        is_posed = pose_clips(renderer, model, instances, error);
    else
        is_posed = pose_palettes(renderer, model, instances, error);
    if (is_posed)
        is_posed = find_mirrored(renderer, model, instances, error);
    if (!renderer->casters_are_set)
        model->posed = find_bounds(model, instances);
    return is_posed;
}

// Sets the instances of a model, which later draws use: uploads their poses, placements, skins and
// tints. Without palettes and clips, changes only the appearance of the current instances. After a
// failure the model has no instances.
bool md5gl_pose(md5gl_renderer *renderer, md5gl_model *model, const md5gl_instances *instances,
                md5_error *error)
{
    static const md5gl_instances none = {0};
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_MODEL(model);
    if (!renderer || !model) {
        md5gli_fail_missing(error, renderer ? "model" : "renderer");
        return false;
    }
    MD5_ASSERT_NOT_NULL(instances);
    MD5_ASSERT(!instances->palettes || !instances->baked, "palettes, baked: only one must be set");
    MD5_ASSERT_RESERVED(instances);

    // Set `previous` in every case, so that no other function must compare it with NULL.
    md5gl_instances complete = *instances;
    const md5gl_instances *const previous = instances->previous ? instances->previous : &none;
    complete.previous = previous;
    const bool has_same_arrays = has_matching_arrays(&complete);
    MD5_ASSERT(has_same_arrays, "previous: must have the same arrays as the current instances");
    (void)has_same_arrays; // unused without assertions
    MD5_ASSERT_RESERVED(previous);

    if (!renderer->in_frame) // within a frame, transfers have their defaults
        md5gli_reset_transfers(renderer);

    // Without palettes and clips, only appearances change, such as skins and tints.
    const bool has_pose = instances->palettes || instances->baked || instances->count == 0;
    MD5_ASSERT(has_pose || instances->count == model->num_instances,
               "count: must be the current number of instances if only appearances change");

    bool is_done = true;
    if (has_pose)
        is_done = replace_pose(renderer, model, &complete, error);
    if (is_done)
        is_done = set_appearance(renderer, model, &complete, error);
    if (!is_done)
        model->num_batches = 0; // nothing is drawn

    if (!renderer->in_frame)
        md5gli_reset_state(renderer);
    return is_done;
}
