#include "demo/viewer/scene/bakes.h"

#include "demo/common/memory.h"

#include <stdlib.h>
#include <string.h>

// The largest distance of a baked vertex from the skinned one, in pixels. It is measured in the
// middle between frames, near which it is largest; below 1, because "near" is not "at".
static const float largest_error = 0.75f;

// At most as many baked frames per frame: the error falls with the square.
enum { MOST_RATE = 4 };

// -- Size -----------------------------------------------------------------------------------

static uint32_t count_vertices(const md5_model *model)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++)
        count += model->meshes[i].num_vertices;
    return count;
}

// Bytes of a frame: 8 per vertex; while it is baked, the palette.
static uint64_t frame_size(const md5_model *model)
{
    const uint64_t vertices = (uint64_t)count_vertices(model) * sizeof(md5_baked_vertex);
    const uint64_t palette = (uint64_t)model->skeleton.num_joints * sizeof(md5_mat34);
    return vertices > palette ? vertices : palette;
}

// Between the frames of a clip lie `rate` - 1 others; none after its last, where loops end.
static uint64_t count_frames(const md5_anim *anim, uint32_t rate)
{
    return anim->num_frames > 0 ? (uint64_t)(anim->num_frames - 1) * rate + 1 : 0;
}

static uint64_t total_size(const view_bake_source *source, const uint32_t *rates)
{
    uint64_t num_frames = 0;
    for (uint32_t i = 0; i < source->num_clips; i++)
        num_frames += count_frames(source->clips[i]->anim, rates[i]);
    return num_frames * frame_size(source->model);
}

// -- Baking ---------------------------------------------------------------------------------

typedef struct kind_baking {
    const view_bake_source *source;
    uint32_t *rates;    // [clips]
    float *errors;      // [clips] largest distance from the skinned vertices, units
    md5_baked **baked;  // [clips]; NULL: not baked yet
    md5_error *failure; // [clips]
} kind_baking;

// The part `step` of `steps` of the way from a frame to the next one.
static md5_moment moment_after(const md5_anim *anim, uint32_t frame, uint32_t step, uint32_t steps)
{
    return (md5_moment){.frame0 = frame,
                        .frame1 = frame + 1 < anim->num_frames ? frame + 1 : frame,
                        .fraction = (float)step / (float)steps};
}

// In the middle between baked frames.
static float measure(const md5_binding *clip, const md5_baked *baked, uint32_t rate,
                     md5_xform *pose, md5_mat34 *joints, md5_mat34 *palette)
{
    float largest = 0.0f;
    for (uint32_t i = 0; i + 1 < baked->num_frames; i++) {
        const md5_moment at = moment_after(clip->anim, i / rate, 2 * (i % rate) + 1, 2 * rate);
        const md5_moment between = {.frame0 = i, .frame1 = i + 1, .fraction = 0.5f};
        md5_pose_palette(clip, at, MD5_ROOT_IN_PLACE, pose, joints, palette);
        largest = fmaxf(largest, md5_baked_error(baked, clip->model, between, palette));
    }
    return fmaxf(largest, baked->position_error);
}

static void bake_clip(kind_baking *work, uint32_t index)
{
    const md5_binding *const clip = work->source->clips[index];
    const uint32_t num_joints = clip->model->skeleton.num_joints, rate = work->rates[index];
    const uint32_t num_frames = (uint32_t)count_frames(clip->anim, rate);
    md5_xform *const pose = common_alloc(num_joints, sizeof *pose);
    md5_mat34 *const joints = common_alloc(num_joints, sizeof *joints);
    md5_mat34 *const palettes = common_alloc((size_t)num_frames * num_joints, sizeof *palettes);
    for (uint32_t i = 0; i < num_frames; i++) {
        const md5_moment moment = moment_after(clip->anim, i / rate, i % rate, rate);
        md5_pose_palette(clip, moment, MD5_ROOT_IN_PLACE, pose, joints,
                         palettes + (size_t)i * num_joints);
    }
    work->baked[index] =
        md5_make_baked(clip->model, palettes, num_frames, NULL, &work->failure[index]);
    if (work->baked[index] != NULL)
        work->errors[index] = measure(clip, work->baked[index], rate, pose, joints, palettes);
    free(pose);
    free(joints);
    free(palettes);
}

static void bake_part(void *user, uint32_t worker, size_t begin, size_t end)
{
    kind_baking *const work = user;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        if (work->baked[i] == NULL)
            bake_clip(work, (uint32_t)i);
}

// Bakes the clips that are not baked yet.
static bool bake(kind_baking *work, const md5_threads *threads, md5_error *error)
{
    const uint32_t count = work->source->num_clips;
    md5_threads_run(threads, count, bake_part, work);
    for (uint32_t i = 0; i < count; i++)
        if (work->baked[i] == NULL) {
            *error = work->failure[i];
            return false;
        }
    return true;
}

// Raises the rates of fast clips as far as the memory allows; these must be baked again.
static void raise_rates(kind_baking *work)
{
    const view_bake_source *const source = work->source;
    const float most = largest_error * 2.0f * source->radius / source->pixels;
    for (uint32_t i = 0; i < source->num_clips; i++) {
        const float wanted = ceilf(sqrtf(work->errors[i] / most));
        if (!(wanted > 1.0f))
            continue;
        work->rates[i] = (uint32_t)fminf(wanted, (float)MOST_RATE);
        if (total_size(source, work->rates) > source->memory) {
            work->rates[i] = 1;
            continue;
        }
        md5_free_baked(work->baked[i]);
        work->baked[i] = NULL;
    }
}

// -- Making ---------------------------------------------------------------------------------

static bool upload(view_bakes *bakes, const kind_baking *work, const view_loader *loader,
                   md5_error *error)
{
    const view_bake_source *const source = work->source;
    bakes->clips =
        md5gl_create_baked(loader->renderer, source->drawn, (const md5_baked *const *)work->baked,
                           source->num_clips, error);
    if (bakes->clips != NULL)
        bakes->drawn = md5gl_create_model(loader->renderer, source->drawn, MD5GL_PATH_AUTO, error);
    if (bakes->drawn == NULL)
        return false;
    bakes->rates = common_alloc(source->num_clips, sizeof *bakes->rates);
    bakes->sizes = common_alloc(source->num_clips, sizeof *bakes->sizes);
    for (uint32_t i = 0; i < source->num_clips; i++) {
        const float size = largest_error * 2.0f * source->radius / work->errors[i];
        bakes->rates[i] = work->rates[i];
        bakes->sizes[i] = work->errors[i] > 0.0f ? fminf(size, source->pixels) : source->pixels;
    }
    bakes->jobs = common_alloc(source->count, sizeof *bakes->jobs);
    bakes->placements = common_alloc(source->count, sizeof *bakes->placements);
    bakes->tints = common_alloc(source->count, sizeof *bakes->tints);
    return true;
}

static bool make(view_bakes *bakes, kind_baking *work, const md5_threads *threads,
                 const view_loader *loader, md5_error *error)
{
    if (!bake(work, threads, error))
        return false;
    raise_rates(work);
    return bake(work, threads, error) && upload(bakes, work, loader, error);
}

void view_make_bakes(view_bakes *bakes, const view_bake_source *source, const md5_threads *threads,
                     const view_loader *loader)
{
    const uint32_t count = source->num_clips;
    md5_error error;
    kind_baking work = {
        .source = source,
        .rates = common_alloc(count, sizeof *work.rates),
        .errors = common_alloc(count, sizeof *work.errors),
        .baked = common_alloc(count, sizeof *work.baked),
        .failure = common_alloc(count, sizeof *work.failure),
    };
    for (uint32_t i = 0; i < count; i++)
        work.rates[i] = 1;
    *bakes = (view_bakes){0};
    const uint64_t size = total_size(source, work.rates);
    if (size > source->memory) {
        view_warn(loader->log, "%s stays skinned: its baked clips take %.1f MB, at most %.1f fit",
                  source->name, 1e-6 * (double)size, 1e-6 * (double)source->memory);
    } else if (!make(bakes, &work, threads, loader, &error)) {
        view_warn(loader->log, "%s stays skinned: %s", source->name, error.message);
        view_free_bakes(bakes, loader->renderer);
    }
    for (uint32_t i = 0; i < count; i++)
        md5_free_baked(work.baked[i]);
    free(work.rates);
    free(work.errors);
    free(work.baked);
    free(work.failure);
}

void view_free_bakes(view_bakes *bakes, md5gl_renderer *renderer)
{
    if (renderer != NULL) {
        md5gl_destroy_model(renderer, bakes->drawn);
        md5gl_destroy_baked(renderer, bakes->clips);
    }
    free(bakes->rates);
    free(bakes->sizes);
    free(bakes->jobs);
    free(bakes->placements);
    free(bakes->tints);
    *bakes = (view_bakes){0};
}

// -- Members --------------------------------------------------------------------------------

bool view_is_baked(const view_bakes *bakes, uint32_t clip, float pixels)
{
    return bakes->clips != NULL && pixels <= bakes->sizes[clip];
}

md5gl_baked_job view_baked_job(const view_bakes *bakes, uint32_t clip, const md5_moment *moment)
{
    const uint32_t rate = bakes->rates[clip];
    const float part = moment->fraction * (float)rate;
    const uint32_t step = (uint32_t)fminf(part, (float)(rate - 1));
    const uint32_t frame = moment->frame0 * rate + step;
    const bool is_last = step + 1 == rate; // of the frames between frame0 and frame1
    return (md5gl_baked_job){
        .clip = clip,
        .moment = {.frame0 = frame,
                   .frame1 = is_last ? moment->frame1 * rate : frame + 1,
                   .fraction = fminf(part - (float)step, 1.0f)},
    };
}
