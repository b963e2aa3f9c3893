// Poses characters on the GPU: a compute shader samples uploaded clips, composes the joints, and
// writes palettes to the buffers that draws read.
#include "render/clips.h"
#include "render/shaders.h"
#include "render/storage.h"

#include <stdio.h>
#include <string.h>

// The size of a work group, which poses one character.
enum { GROUP = 32 };

// Instances of a buffer range: a multiple of 16, whose palettes keep GL's alignment of ranges. See
// storage.c.
enum { MAX_RANGE_INSTANCES = MD5GL_MAX_BATCH_INSTANCES / 16 * 16 };

// Shared memory that a node takes: rotation, translation.
enum { NODE_BYTES = 2 * sizeof(md5gl_row) };

struct md5gl_clips {
    const md5_model *model;
    md5gl_program program;
    GLuint nodes, rows, jobs;
    size_t gpu_size;
    uint32_t num_clips;
    md5gl_clip clips[]; // [num_clips]
};

// A character, as `job` in animate.comp.
typedef struct gpu_job {
    uint32_t first_node, num_nodes;
    uint32_t frame0, frame1; // row offsets from the first frame
    float root[4];           // translation of the clip's joint 0 is xyz + w * stored translation
    float fraction, pad[3];
} gpu_job;

// -- Creation ---------------------------------------------------------------------------------

static size_t size_of_clips(uint32_t count)
{
    return sizeof(md5gl_clips) + count * sizeof(md5gl_clip);
}

// Builds a program whose groups use only the shared memory that these clips need: the less they
// use, the more groups run in parallel.
static bool build_program(md5gl_renderer *renderer, md5gl_clips *clips, md5_error *error)
{
    uint32_t max_nodes = 0;
    for (uint32_t i = 0; i < clips->num_clips; i++) {
        if (clips->clips[i].num_nodes > max_nodes)
            max_nodes = clips->clips[i].num_nodes;
    }
    char sizes[64];
    snprintf(sizes, sizeof sizes, "#define GROUP %d\n#define NODES %u\n", GROUP,
             (unsigned)(max_nodes > 0 ? max_nodes : 1));
    const md5gl_program_sources sources = {
        .compute = {{"sizes", sizes}, {"animate.comp", md5gl_shader_animate_comp}},
    };
    return md5gl_build_program(renderer, &sources, &clips->program, error);
}

static void create_buffer(const GladGLContext *gl, GLuint *buffer, const void *data, size_t size)
{
    gl->GenBuffers(1, buffer);
    gl->BindBuffer(GL_ARRAY_BUFFER, *buffer);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, data, GL_STATIC_DRAW);
}

static bool upload(md5gl_renderer *renderer, md5gl_clips *clips, md5_error *error)
{
    md5gl_clip_data data;
    const uint32_t max_nodes = renderer->max_group_memory / NODE_BYTES;
    if (!md5gl_make_clip_data(renderer, clips->clips, clips->num_clips, max_nodes,
                              renderer->max_block, &data, error))
        return false;
    md5gl_clear_gl_errors(renderer);
    const size_t nodes_size = data.num_nodes * sizeof *data.nodes;
    const size_t rows_size = data.num_rows * sizeof *data.rows;
    create_buffer(&renderer->gl, &clips->nodes, data.nodes, nodes_size);
    create_buffer(&renderer->gl, &clips->rows, data.rows, rows_size);
    clips->gpu_size = nodes_size + rows_size;
    renderer->gl.GenBuffers(1, &clips->jobs);
    renderer->gl.BindBuffer(GL_ARRAY_BUFFER, 0);
    md5gl_free_clip_data(renderer, &data);
    return build_program(renderer, clips, error) && md5gl_check(renderer, "uploading clips", error);
}

static bool check_bindings(const md5gl_renderer *renderer, const md5_binding *const *bindings,
                           uint32_t count, md5_error *error)
{
    if (!renderer->has_compute)
        return md5gl_fail(error, MD5_ERROR_GPU, "clips on the GPU need OpenGL 4.3, but this is %s",
                          renderer->device_name);
    if (count == 0)
        return md5gl_fail(error, MD5_ERROR_RANGE, "no clips");
    for (uint32_t i = 0; i < count; i++) {
        if (bindings[i]->model == NULL)
            return md5gl_fail(error, MD5_ERROR_MISMATCH,
                              "clip %u is bound to a skeleton, not to a model", (unsigned)i);
        if (bindings[i]->model != bindings[0]->model)
            return md5gl_fail(error, MD5_ERROR_MISMATCH, "clip %u is bound to another model",
                              (unsigned)i);
    }
    return true;
}

md5gl_clips *md5gl_create_clips(md5gl_renderer *renderer, const md5_binding *const *bindings,
                                uint32_t count, md5_error *error)
{
    MD5_ASSERT(renderer != NULL, "renderer: not NULL");
    MD5_ASSERT(bindings != NULL || count == 0, "bindings: not NULL");
    MD5_ASSERT(!renderer->in_frame, "call it outside of a frame");
    md5gl_clear_error(error);
    if (!check_bindings(renderer, bindings, count, error))
        return NULL;
    md5gl_clips *const clips =
        (md5gl_clips *)md5gl_alloc(&renderer->allocator, 1, size_of_clips(count), error);
    if (!clips)
        return NULL;
    clips->model = bindings[0]->model;
    clips->num_clips = count;
    for (uint32_t i = 0; i < count; i++)
        clips->clips[i].binding = bindings[i];
    if (upload(renderer, clips, error))
        return clips;
    md5gl_destroy_clips(renderer, clips);
    return NULL;
}

void md5gl_destroy_clips(md5gl_renderer *renderer, md5gl_clips *clips)
{
    if (!clips)
        return;
    MD5_ASSERT(renderer != NULL, "renderer: not NULL");
    const GLuint buffers[] = {clips->nodes, clips->rows, clips->jobs};
    renderer->gl.DeleteBuffers(3, buffers);
    renderer->gl.DeleteProgram(clips->program.name);
    md5gl_free(&renderer->allocator, clips, size_of_clips(clips->num_clips));
}

size_t md5gl_clips_size(const md5gl_clips *clips)
{
    MD5_ASSERT(clips != NULL, "clips: not NULL");
    return clips->gpu_size;
}

// -- Posing -----------------------------------------------------------------------------------

static void set_root(const md5gl_clip *clip, const md5gl_clip_job *job, float root[4])
{
    const md5_moment *const moment = &job->moment;
    const md5_vec3 first = clip->root_first, base = clip->root_base, loop = clip->root_displacement;
    const float into_next = moment->frame1 < moment->frame0 ? moment->fraction : 0.0f;
    const float loops = (float)moment->cycle + into_next;
    const md5gl_row rows[] = {
        [MD5_ROOT_FILE] = {0.0f, 0.0f, 0.0f, 1.0f},
        [MD5_ROOT_ID] = {loop.x * loops - base.x, loop.y * loops - base.y, loop.z * loops - base.z,
                         1.0f},
        [MD5_ROOT_IN_PLACE] = {first.x, first.y, first.z, 0.0f},
    };
    memcpy(root, &rows[job->root], sizeof rows[0]);
}

static bool make_job(const md5gl_clips *clips, const md5gl_clip_job *job, gpu_job *result)
{
    const md5gl_clip *const clip = &clips->clips[job->clip < clips->num_clips ? job->clip : 0];
    if (job->clip >= clips->num_clips || job->moment.frame0 >= clip->num_frames
        || job->moment.frame1 >= clip->num_frames || (unsigned)job->root > MD5_ROOT_IN_PLACE)
        return false;
    *result = (gpu_job){
        .first_node = clip->first_node,
        .num_nodes = clip->num_nodes,
        .frame0 = job->moment.frame0 * clip->stride,
        .frame1 = job->moment.frame1 * clip->stride,
        .fraction = job->moment.fraction,
    };
    set_root(clip, job, result->root);
    return true;
}

// Builds each job on the stack and writes it once, in ascending order: the mapped buffer may be
// memory that is slow to revisit.
static bool upload_jobs(md5gl_renderer *renderer, const md5gl_clips *clips,
                        const md5gl_clip_job *jobs, uint32_t count, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const GLenum target = MD5GL_SHADER_STORAGE_BUFFER;
    const GLsizeiptr size = (GLsizeiptr)(count * sizeof(gpu_job));
    if (count == 0)
        return true;
    gl->BindBuffer(target, clips->jobs);
    gl->BufferData(target, size, NULL, GL_STREAM_DRAW);
    gpu_job *const mapped = (gpu_job *)gl->MapBufferRange(
        target, 0, size, GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);
    if (!mapped)
        return md5gl_fail(error, MD5_ERROR_GPU, "out of memory for %u characters", (unsigned)count);
    bool valid = true;
    for (uint32_t i = 0; i < count && valid; i++) {
        gpu_job result;
        valid = make_job(clips, &jobs[i], &result);
        if (valid)
            mapped[i] = result;
        else
            md5gl_fail(error, MD5_ERROR_RANGE, "character %u: no such clip, frame or root",
                       (unsigned)i);
    }
    if (gl->UnmapBuffer(target))
        return valid;
    return md5gl_fail(error, MD5_ERROR_GPU, "the driver lost the data of %u characters",
                      (unsigned)count);
}

static void dispatch(md5gl_renderer *renderer, const md5gl_clips *clips, uint32_t first,
                     uint32_t count)
{
    renderer->gl.Uniform1i(clips->program.uniforms[MD5GL_FIRST_INSTANCE], (GLint)first);
    renderer->optional.DispatchCompute(count, 1, 1);
}

// Poses into the texture buffers of the batches.
static void animate_batches(md5gl_renderer *renderer, const md5gl_model *model,
                            const md5gl_clips *clips)
{
    const GladGLContext *gl = &renderer->gl;
    const size_t palette_size = model->model->skeleton.num_joints * sizeof(md5_mat34);
    for (uint32_t b = 0, first = 0; b < model->num_batches; b++) {
        const md5gl_batch *const batch = &model->batches[b];
        gl->BindBufferBase(MD5GL_SHADER_STORAGE_BUFFER, MD5GL_BINDING_PALETTES,
                           batch->palettes.buffer);
        gl->BufferData(MD5GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)(batch->count * palette_size), NULL,
                       GL_STREAM_COPY);
        dispatch(renderer, clips, first, batch->count);
        first += batch->count;
    }
}

// Poses into the buffer of path storage, in ranges that a shader can bind.
static void animate_storage(md5gl_renderer *renderer, const md5gl_storage *storage,
                            const md5gl_clips *clips, uint32_t count)
{
    const GladGLContext *gl = &renderer->gl;
    const GLenum target = MD5GL_SHADER_STORAGE_BUFFER;
    const size_t size = storage->palette_size;
    const uint32_t max_count = storage->batch_capacity < MAX_RANGE_INSTANCES
                                   ? storage->batch_capacity
                                   : MAX_RANGE_INSTANCES;
    gl->BindBuffer(target, storage->gpu_palettes);
    gl->BufferData(target, (GLsizeiptr)(count * size), NULL, GL_STREAM_COPY);
    for (uint32_t first = 0; first < count;) {
        const uint32_t now = count - first < max_count ? count - first : max_count;
        gl->BindBufferRange(target, MD5GL_BINDING_PALETTES, storage->gpu_palettes,
                            (GLintptr)(first * size), (GLsizeiptr)(now * size));
        dispatch(renderer, clips, first, now);
        first += now;
    }
}

static void animate(md5gl_renderer *renderer, const md5gl_model *model, const md5gl_clips *clips,
                    uint32_t count)
{
    const GladGLContext *gl = &renderer->gl;
    gl->UseProgram(clips->program.name);
    gl->Uniform1i(clips->program.uniforms[MD5GL_NUM_JOINTS],
                  (GLint)model->model->skeleton.num_joints);
    gl->BindBufferBase(MD5GL_SHADER_STORAGE_BUFFER, MD5GL_BINDING_NODES, clips->nodes);
    gl->BindBufferBase(MD5GL_SHADER_STORAGE_BUFFER, MD5GL_BINDING_ROWS, clips->rows);
    gl->BindBufferBase(MD5GL_SHADER_STORAGE_BUFFER, MD5GL_BINDING_JOBS, clips->jobs);
    if (model->storage)
        animate_storage(renderer, model->storage, clips, count);
    else
        animate_batches(renderer, model, clips);
    renderer->optional.MemoryBarrier(MD5GL_TEXTURE_FETCH_BARRIER_BIT
                                     | MD5GL_SHADER_STORAGE_BARRIER_BIT);
    gl->UseProgram(0);
}

// Returns false and fills the error if the model cannot be posed from these clips.
static bool check_model(const md5gl_renderer *renderer, const md5gl_model *model,
                        const md5gl_clips *clips, uint32_t count, md5_error *error)
{
    if (clips->model != model->model)
        return md5gl_fail(error, MD5_ERROR_MISMATCH, "the clips are bound to another model");
    for (uint32_t i = 0; i < model->model->num_meshes; i++) {
        if (model->meshes[i].path == MD5GL_PATH_CPU)
            return md5gl_fail(
                error, MD5_ERROR_GPU,
                "mesh %u is skinned on the CPU, which cannot read palettes posed on the GPU",
                (unsigned)i);
    }
    if (count > renderer->max_block / sizeof(gpu_job))
        return md5gl_fail(error, MD5_ERROR_GPU,
                          "GL_MAX_SHADER_STORAGE_BLOCK_SIZE is too small for %u characters",
                          (unsigned)count);
    return true;
}

// Returns how many characters fit into a texture buffer, a storage block and a dispatch.
static uint32_t max_batch_instances(const md5gl_renderer *renderer, uint32_t num_joints,
                                    md5_error *error)
{
    const uint32_t fit = md5gl_instances_per_draw(renderer, num_joints, error);
    const uint64_t stored = renderer->max_block / (num_joints * sizeof(md5_mat34));
    if (fit > 0 && stored == 0)
        md5gl_fail(error, MD5_ERROR_GPU,
                   "GL_MAX_SHADER_STORAGE_BLOCK_SIZE is too small for a palette of %u joints",
                   (unsigned)num_joints);
    const uint32_t count = stored < fit ? (uint32_t)stored : fit;
    return count < MD5GL_MAX_BATCH_INSTANCES ? count : MD5GL_MAX_BATCH_INSTANCES;
}

// Reserves memory for the palettes and uploads the placements.
static bool upload_instances(md5gl_renderer *renderer, md5gl_model *model,
                             const md5_mat34 *placements, uint32_t count, md5_error *error)
{
    if (model->storage) {
        if (!md5gl_pose_storage(renderer, model, NULL, placements, count, error))
            return false;
        model->storage->from_clips = true;
        return true;
    }
    const uint32_t capacity =
        max_batch_instances(renderer, model->model->skeleton.num_joints, error);
    return capacity > 0
           && md5gl_fill_batches(renderer, model, NULL, placements, count, capacity, error);
}

bool md5gl_pose_clips(md5gl_renderer *renderer, md5gl_model *model, const md5gl_clips *clips,
                      const md5gl_clip_job *jobs, const md5_mat34 *placements, uint32_t count,
                      md5_error *error)
{
    MD5_ASSERT(renderer != NULL && model != NULL && clips != NULL,
               "renderer, model, clips: not NULL");
    MD5_ASSERT(jobs != NULL || count == 0, "jobs: not NULL");
    md5gl_clear_error(error);
    md5gl_begin_pose(renderer, model, placements != NULL, count);
    bool posed = check_model(renderer, model, clips, count, error)
                 && upload_jobs(renderer, clips, jobs, count, error)
                 && upload_instances(renderer, model, placements, count, error);
    if (posed)
        animate(renderer, model, clips, count);
    for (uint32_t i = 0; i < model->model->num_meshes && posed; i++)
        posed = md5gl_preskin(renderer, model, &model->meshes[i], NULL, count, error);
    if (!posed)
        model->num_batches = 0;
    if (!renderer->in_frame)
        md5gl_reset_state(renderer);
    return posed;
}
