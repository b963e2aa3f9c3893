// Baked clips: frames of vertices in a table, from which the instances of a model are drawn without
// palettes and without skinning.
//
// Instances of a baked pose are in the model's batches like any others, so that placements, tints,
// skins and passes are the same. What a batch has instead of palettes is one texel an instance.
#include "render/gl_internal.h"

#include <limits.h>
#include <string.h>

struct md5gl_baked {
    const md5_model *model;
    md5gl_table vertices, clips;
    md5_vec4 *jobs; // of one batch
    uint32_t job_capacity;
    uint32_t num_vertices; // of a frame
    size_t gpu_size;
    uint32_t num_clips;
    uint32_t num_frames[]; // [num_clips]
};

// -- Creation ---------------------------------------------------------------------------------

static size_t size_of(uint32_t num_clips)
{
    return sizeof(md5gl_baked) + num_clips * sizeof(uint32_t);
}

static uint32_t count_vertices(const md5_model *model)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++)
        count += model->meshes[i].num_vertices;
    return count;
}

// Frames are numbers that floats hold.
enum { MAX_FRAMES = 1 << 24 };

static bool check_clips(const md5gl_renderer *renderer, const md5_model *model,
                        const md5_baked *const *clips, uint32_t count, md5_error *error)
{
    const uint32_t num_vertices = count_vertices(model);
    const uint64_t limit = renderer->max_texels < INT_MAX ? renderer->max_texels : INT_MAX;
    uint64_t num_frames = 0;
    if (count == 0)
        return md5gli_fail(error, MD5_ERROR_RANGE, "no clips");
    for (uint32_t i = 0; i < count; i++) {
        num_frames += clips[i]->num_frames;
        if (clips[i]->num_vertices != num_vertices)
            return md5gli_fail(error, MD5_ERROR_MISMATCH,
                               "baked clip %u has %u vertices, but the model has %u", (unsigned)i,
                               (unsigned)clips[i]->num_vertices, (unsigned)num_vertices);
    }
    const uint64_t texels = num_frames * num_vertices;
    if (texels <= limit && num_frames <= MAX_FRAMES && 2 * (uint64_t)count <= limit)
        return true;
    return md5gli_fail(
        error, MD5_ERROR_GPU, "%llu baked frames of %u vertices take %llu texels, but %s is %llu",
        (unsigned long long)num_frames, (unsigned)num_vertices, (unsigned long long)texels,
        renderer->max_texels_name, (unsigned long long)limit);
}

// Both arrays of all clips, one after the other.
static bool upload(md5gl_renderer *renderer, md5gl_baked *baked, const md5_baked *const *clips,
                   md5_error *error)
{
    size_t num_frames = 0;
    for (uint32_t i = 0; i < baked->num_clips; i++)
        num_frames += clips[i]->num_frames;
    const size_t count = num_frames * baked->num_vertices, texel = sizeof(md5_baked_vertex);
    md5_baked_vertex *const vertices =
        (md5_baked_vertex *)md5gli_alloc(&renderer->allocator, count, texel, error);
    md5_vec4 *const ranges =
        (md5_vec4 *)md5gli_alloc(&renderer->allocator, baked->num_clips, 2 * sizeof *ranges, error);
    size_t frame = 0;
    for (uint32_t i = 0; i < baked->num_clips && vertices && ranges; i++) {
        const md5_baked *const clip = clips[i];
        const md5_vec3 min = clip->bounds.min;
        if (baked->num_vertices > 0)
            memcpy(vertices + frame * baked->num_vertices, clip->vertices,
                   (size_t)clip->num_frames * clip->num_vertices * texel);
        ranges[2 * i] = (md5_vec4){min.x, min.y, min.z, (float)frame};
        ranges[2 * i + 1] = (md5_vec4){clip->step.x, clip->step.y, clip->step.z, 0.0f};
        frame += clip->num_frames;
    }
    if (vertices && ranges) {
        baked->vertices = md5gli_create_table(renderer, GL_RG32UI, vertices, count * texel);
        baked->clips = md5gli_create_table(renderer, GL_RGBA32F, ranges,
                                           2 * sizeof *ranges * baked->num_clips);
        baked->gpu_size = count * texel + 2 * sizeof *ranges * baked->num_clips;
    }
    const bool uploaded = vertices && ranges;
    md5gli_free(&renderer->allocator, vertices, count * texel);
    md5gli_free(&renderer->allocator, ranges, 2 * sizeof *ranges * baked->num_clips);
    return uploaded;
}

md5gl_baked *md5gl_create_baked(md5gl_renderer *renderer, const md5_model *model,
                                const md5_baked *const *clips, uint32_t count, md5_error *error)
{
    MD5_ASSERT(renderer != NULL && model != NULL, "renderer, model: not NULL");
    MD5_ASSERT(clips != NULL || count == 0, "clips: not NULL");
    MD5_ASSERT(!renderer->in_frame, "call it outside of a frame");
    md5gli_clear_error(error);
    if (!check_clips(renderer, model, clips, count, error) || !md5gli_build_baked(renderer, error))
        return NULL;
    md5gl_baked *const baked =
        (md5gl_baked *)md5gli_alloc(&renderer->allocator, 1, size_of(count), error);
    if (!baked)
        return NULL;
    baked->model = model;
    baked->num_vertices = count_vertices(model);
    baked->num_clips = count;
    for (uint32_t i = 0; i < count; i++)
        baked->num_frames[i] = clips[i]->num_frames;
    md5gli_clear_gl_errors(renderer);
    if (upload(renderer, baked, clips, error)
        && md5gli_check(renderer, "uploading baked clips", error))
        return baked;
    md5gl_destroy_baked(renderer, baked);
    return NULL;
}

void md5gl_destroy_baked(md5gl_renderer *renderer, md5gl_baked *baked)
{
    if (!baked)
        return;
    MD5_ASSERT(renderer != NULL, "renderer: not NULL");
    md5gli_destroy_table(renderer, &baked->vertices);
    md5gli_destroy_table(renderer, &baked->clips);
    md5gli_free(&renderer->allocator, baked->jobs, baked->job_capacity * sizeof *baked->jobs);
    md5gli_free(&renderer->allocator, baked, size_of(baked->num_clips));
}

size_t md5gl_baked_size(const md5gl_baked *baked)
{
    MD5_ASSERT(baked != NULL, "baked: not NULL");
    return baked->gpu_size;
}

// -- Posing -----------------------------------------------------------------------------------

static bool check_jobs(const md5gl_model *model, const md5gl_baked *baked,
                       const md5gl_baked_job *jobs, uint32_t count, md5_error *error)
{
    if (baked->model != model->model)
        return md5gli_fail(error, MD5_ERROR_MISMATCH, "the clips were baked from another model");
    for (uint32_t i = 0; i < count; i++) {
        const md5gl_baked_job *const job = &jobs[i];
        if (job->clip >= baked->num_clips || job->moment.frame0 >= baked->num_frames[job->clip]
            || job->moment.frame1 >= baked->num_frames[job->clip])
            return md5gli_fail(error, MD5_ERROR_RANGE, "instance %u: no such baked clip or frame",
                               (unsigned)i);
    }
    return true;
}

static bool reserve_jobs(md5gl_renderer *renderer, md5gl_baked *baked, uint32_t count,
                         md5_error *error)
{
    if (count <= baked->job_capacity)
        return true;
    md5gli_free(&renderer->allocator, baked->jobs, baked->job_capacity * sizeof *baked->jobs);
    baked->jobs = (md5_vec4 *)md5gli_alloc(&renderer->allocator, count, sizeof *baked->jobs, error);
    baked->job_capacity = baked->jobs ? count : 0;
    return baked->jobs != NULL;
}

static bool pose(md5gl_renderer *renderer, md5gl_model *model, md5gl_baked *baked,
                 const md5gl_baked_job *jobs, const md5_mat34 *placements, uint32_t count,
                 md5_error *error)
{
    const uint32_t fit = md5gli_instances_per_draw(renderer, 1, error);
    const uint32_t capacity = fit < MD5GL_MAX_BATCH_INSTANCES ? fit : MD5GL_MAX_BATCH_INSTANCES;
    if (count == 0)
        return true;
    if (fit == 0 || !check_jobs(model, baked, jobs, count, error)
        || !reserve_jobs(renderer, baked, count < capacity ? count : capacity, error)
        || !md5gli_fill_batches(renderer, model, NULL, placements, count, capacity, error))
        return false;
    for (uint32_t b = 0; b < model->num_batches; b++) {
        md5gl_batch *const batch = &model->batches[b];
        for (uint32_t i = 0; i < batch->count; i++) {
            const md5_moment *const moment = &jobs[i].moment;
            baked->jobs[i] = (md5_vec4){(float)moment->frame0, (float)moment->frame1,
                                        moment->fraction, (float)jobs[i].clip};
        }
        md5gli_fill_table(renderer, &batch->palettes, baked->jobs,
                          batch->count * sizeof *baked->jobs);
        jobs += batch->count;
    }
    return true;
}

bool md5gl_pose_baked(md5gl_renderer *renderer, md5gl_model *model, md5gl_baked *baked,
                      const md5gl_baked_job *jobs, const md5_mat34 *placements, uint32_t count,
                      md5_error *error)
{
    MD5_ASSERT(renderer != NULL && model != NULL && baked != NULL,
               "renderer, model, baked: not NULL");
    MD5_ASSERT(jobs != NULL || count == 0, "jobs: not NULL");
    md5gli_clear_error(error);
    md5gli_begin_pose(renderer, model, placements != NULL, count);
    const bool posed = pose(renderer, model, baked, jobs, placements, count, error);
    model->baked = posed ? baked : NULL;
    if (!posed)
        model->num_batches = 0;
    if (!renderer->in_frame)
        md5gli_reset_state(renderer);
    return posed;
}

// -- Drawing ----------------------------------------------------------------------------------

void md5gli_bind_baked(md5gl_renderer *renderer, const md5gl_model *model, const md5gl_mesh *mesh,
                       const md5gl_program *program, const md5gl_batch *batch)
{
    const GladGLContext *gl = &renderer->gl;
    gl->UseProgram(program->name);
    gl->Uniform1i(program->uniforms[MD5GL_NUM_VERTICES], (GLint)model->baked->num_vertices);
    gl->Uniform1i(program->uniforms[MD5GL_FIRST_VERTEX],
                  (GLint)md5gli_vertices_before(model, mesh));
    gl->BindVertexArray(mesh->array);
    md5gli_bind_table(renderer, MD5GL_UNIT_PALETTES, &batch->palettes);
    md5gli_bind_table(renderer, MD5GL_UNIT_PLACEMENTS, &batch->placements);
    md5gli_bind_table(renderer, MD5GL_UNIT_TINTS, &batch->tints);
    md5gli_bind_table(renderer, MD5GL_UNIT_INFLUENCES, &model->baked->clips);
    md5gli_bind_table(renderer, MD5GL_UNIT_INFLUENCE_JOINTS, &model->baked->vertices);
}
