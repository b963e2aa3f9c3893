// Bakes the clips of a kind: skins the vertices of each frame in advance, and uploads them as a
// level of detail.
#include "demo/viewer/crowd/crowd.h"

#include "demo/common/threads.h"

// Maximum distance of a baked vertex from the skinned vertex, pixels. It is measured only midway
// between baked frames. The limit is below one pixel, because the true maximum may be at another
// time near the middle.
static const float max_baked_error = 0.75f;

// The maximum number of baked frames per frame. The error decreases with the square of the number.
enum { MAX_RATE = 4 };

// Data of view_add_baked() while it bakes the clips of a kind.
typedef struct kind_baking {
    const view_kind *kind;
    const md5_model *model; // model whose triangles are drawn with the baked vertices
    float pixels;           // requested maximum diameter of a baked member, pixels
    float max_error;        // permitted error at a diameter of one pixel, units
    size_t memory;          // maximum size of all baked frames, bytes
    float *errors;          // [clips] maximum distance from the skinned vertices, units
    md5_baked **baked;      // [clips]; NULL: not baked yet
    md5_error *failure;     // [clips]
} kind_baking;

// Returns the number of baked frames of a clip. There are `rate` - 1 additional frames between two
// frames, but none after the last frame, because loops end there.
static uint32_t count_frames(const view_kind *kind, uint32_t clip)
{
    const uint32_t num_frames = kind->clips[clip]->anim->num_frames;
    return num_frames > 0 ? (num_frames - 1) * kind->bakes.rates[clip] + 1 : 0;
}

// Returns the memory that baking needs, bytes. This is the size of all baked frames, 8 bytes per
// vertex and frame. If the palettes that are needed during baking are larger, it is their size.
static uint64_t baked_size(const view_kind *kind)
{
    const md5_model *const model = kind->model;
    const uint64_t palette = (uint64_t)model->skeleton.num_joints * sizeof(md5_mat34);
    const uint64_t vertices = (uint64_t)view_count_vertices(model) * sizeof(md5_baked_vertex);
    uint64_t num_frames = 0;
    for (uint32_t i = 0; i < kind->num_clips; i++)
        num_frames += count_frames(kind, i);
    return num_frames * (vertices > palette ? vertices : palette);
}

// Returns the sample position at the fraction `step` / `steps` between a frame and the next.
static md5_sample_position sample_position_after(const md5_anim *anim, uint32_t frame,
                                                 uint32_t step, uint32_t steps)
{
    return (md5_sample_position){.frame0 = frame,
                                 .frame1 = frame + 1 < anim->num_frames ? frame + 1 : frame,
                                 .fraction = (float)step / (float)steps};
}

// Returns the largest distance of a baked vertex from its skinned vertex, units. At baked frames,
// only rounding causes a distance. It is largest about midway between them, where it is measured.
// `pose` and `palette` are scratch memory.
static float measure_baked_error(const kind_baking *work, size_t index, const md5_baked *baked,
                                 uint32_t num_frames, md5_xform *pose, md5_mat34 *palette)
{
    const md5_binding *const clip = work->kind->clips[index];
    const uint32_t rate = work->kind->bakes.rates[index]; // baked frames per frame
    float largest = baked->position_error;
    for (uint32_t i = 0; i + 1 < num_frames; i++) {
        // Midway between baked frames i and i + 1, both in baked frames and in frames of the clip.
        const md5_sample_position between = {.frame0 = i, .frame1 = i + 1, .fraction = 0.5f};
        const uint32_t frame = i / rate;
        const uint32_t half_steps = 2 * (i % rate) + 1; // each is half of a baked frame
        const md5_sample_position in_clip =
            sample_position_after(clip->anim, frame, half_steps, 2 * rate);
        md5_pose_palette(clip, in_clip, MD5_ROOT_IN_PLACE, pose, NULL, palette);
        largest = fmaxf(largest, md5_baked_error(baked, clip->model, between, palette));
    }
    return largest;
}

// Bakes a clip: skins its vertices in each baked frame, and measures the largest error. On failure,
// work->baked[index] is NULL and work->failure[index] is the error.
static void bake_clip(const kind_baking *work, size_t index)
{
    const md5_binding *const clip = work->kind->clips[index];
    const uint32_t num_joints = clip->model->skeleton.num_joints;
    const uint32_t rate = work->kind->bakes.rates[index]; // baked frames per frame
    const uint32_t num_frames = count_frames(work->kind, (uint32_t)index);
    md5_xform *const pose = common_alloc(num_joints, sizeof *pose);
    md5_mat34 *const palettes = common_alloc((size_t)num_frames * num_joints, sizeof *palettes);
    for (uint32_t i = 0; i < num_frames; i++) {
        const md5_sample_position sample =
            sample_position_after(clip->anim, i / rate, i % rate, rate);
        md5_pose_palette(clip, sample, MD5_ROOT_IN_PLACE, pose, NULL,
                         palettes + (size_t)i * num_joints);
    }

    md5_baked *const baked =
        md5_create_baked(clip->model, palettes, num_frames, NULL, &work->failure[index]);
    work->baked[index] = baked;
    work->errors[index] = 0;
    if (baked != NULL)
        work->errors[index] = measure_baked_error(work, index, baked, num_frames, pose, palettes);
    free(pose);
    free(palettes);
}

// Bakes the clips from `begin` to before `end` that are not baked yet. Runs on several threads;
// `user` is the kind_baking.
static void bake_part(void *user, uint32_t worker, size_t begin, size_t end)
{
    const kind_baking *const work = user;
    (void)worker;
    for (size_t index = begin; index < end; index++) {
        if (work->baked[index] == NULL)
            bake_clip(work, index);
    }
}

// Bakes all clips that are not baked yet, on several threads. Returns false if a clip cannot be
// baked.
static bool bake_clips(kind_baking *work, const md5_threads *threads, md5_error *error)
{
    md5_threads_run(threads, work->kind->num_clips, bake_part, work);
    for (uint32_t i = 0; i < work->kind->num_clips; i++) {
        if (work->baked[i] == NULL) {
            *error = work->failure[i];
            return false;
        }
    }
    return true;
}

// Increases the rates of the clips whose error is too large for members of the requested diameter,
// if the memory suffices. Frees the baked frames of these clips, because they must be baked again.
static void increase_rates(kind_baking *work, view_bakes *bakes)
{
    const float max_error = work->max_error / work->pixels; // at the requested diameter
    for (uint32_t i = 0; i < work->kind->num_clips; i++) {
        // The error decreases with the square of the rate.
        const float needed_rate = ceilf(sqrtf(work->errors[i] / max_error));
        if (!(needed_rate > 1)) {
            bakes->rates[i] = 1;
            continue;
        }
        bakes->rates[i] = (uint32_t)fminf(needed_rate, MAX_RATE);
        if (baked_size(work->kind) > work->memory) {
            bakes->rates[i] = 1;
            continue;
        }
        md5_destroy_baked(work->baked[i]);
        work->baked[i] = NULL;
    }
}

// Bakes all clips, then bakes the clips with too large errors again at a higher rate, and uploads
// them to bakes->clips. Returns a new model that draws them, or NULL with an error.
static md5gl_model *create_baked_model(kind_baking *work, view_bakes *bakes,
                                       const md5_threads *threads, md5gl_renderer *renderer,
                                       md5_error *error)
{
    const uint64_t size = baked_size(work->kind);
    if (size > work->memory) {
        COMMON_TEXT(error->message,
                    "baked clips are too large: expected at most %.1f MB, found %.1f MB",
                    1e-6 * (double)work->memory, 1e-6 * (double)size);
        return NULL;
    }
    if (!bake_clips(work, threads, error))
        return NULL;
    increase_rates(work, bakes);
    if (!bake_clips(work, threads, error))
        return NULL;

    const md5_baked *const *const baked = (const md5_baked *const *)work->baked;
    bakes->clips = md5gl_create_baked(renderer, work->model, baked, work->kind->num_clips, error);
    if (bakes->clips == NULL)
        return NULL;
    return md5gl_create_model(renderer, work->model, MD5GL_PATH_AUTO, error);
}

// Sets for each clip the maximum diameter at which members are drawn baked. The error in the image
// grows with the diameter, and must not exceed work->max_error.
static void limit_baked_sizes(const kind_baking *work, const view_bakes *bakes)
{
    for (uint32_t i = 0; i < work->kind->num_clips; i++) {
        bakes->sizes[i] = work->pixels;
        if (work->errors[i] > 0)
            bakes->sizes[i] = fminf(work->max_error / work->errors[i], work->pixels);
    }
}

// Initializes the work of baking the clips of a kind, and the rates: at first, each frame of a clip
// is one baked frame. end_baking() frees the work.
static kind_baking begin_baking(view_kind *kind, float pixels, size_t memory)
{
    const uint32_t num_clips = kind->num_clips;
    kind->bakes = (view_bakes){
        .rates = common_alloc(num_clips, sizeof *kind->bakes.rates),
        .sizes = common_alloc(num_clips, sizeof *kind->bakes.sizes),
    };
    for (uint32_t i = 0; i < num_clips; i++)
        kind->bakes.rates[i] = 1;

    // The baked vertices are drawn with the triangles of the posed level for this size.
    const uint32_t posed_level = view_detail_at(kind, 0, pixels, true, false);
    return (kind_baking){
        .kind = kind,
        .model = posed_level > 0 ? kind->levels[posed_level].model : kind->model,
        .pixels = pixels,
        .max_error = max_baked_error * 2 * kind->sphere.radius,
        .memory = memory,
        .errors = common_alloc(num_clips, sizeof(float)),
        .baked = common_alloc(num_clips, sizeof(md5_baked *)),
        .failure = common_alloc(num_clips, sizeof(md5_error)),
    };
}

// Frees the work of baking. The baked vertices are not needed any more, because the GPU has a copy.
static void end_baking(const kind_baking *work)
{
    for (uint32_t i = 0; i < work->kind->num_clips; i++)
        md5_destroy_baked(work->baked[i]);
    free(work->errors);
    free(work->baked);
    free(work->failure);
}

// Bakes the clips of a kind. The vertices of each frame are stored on the GPU, so small members
// need neither posing nor skinning. Adds a level that draws them. If this fails, warns and leaves
// the kind without baked clips.
void view_add_baked(view_kind *kind, float pixels, size_t memory, const md5_threads *threads,
                    const view_loader *loader)
{
    md5_error error = {0};
    view_bakes *const bakes = &kind->bakes;
    kind_baking work = begin_baking(kind, pixels, memory);
    md5gl_model *const drawn = create_baked_model(&work, bakes, threads, loader->renderer, &error);
    limit_baked_sizes(&work, bakes);
    end_baking(&work);
    if (drawn == NULL) {
        view_warn(loader->log, "%s is not baked: %s", kind->name, error.message);
        md5gl_destroy_baked(loader->renderer, bakes->clips);
        free(bakes->rates);
        free(bakes->sizes);
        *bakes = (view_bakes){0};
        return;
    }

    kind->levels[kind->num_levels++] =
        (view_detail){.source = VIEW_DETAIL_BAKED, .pixels = pixels, .drawn = drawn};
    kind->jobs = common_alloc(kind->end - kind->begin, sizeof *kind->jobs);
}

// Converts a sample position in frames of the clip to one in baked frames. A frame of the clip has
// `rate` baked frames.
md5gl_clip_job view_baked_job(const view_bakes *bakes, uint32_t clip,
                              const md5_sample_position *sample)
{
    const uint32_t rate = bakes->rates[clip];
    const float part = sample->fraction * (float)rate;              // baked frames after frame0
    const uint32_t step = (uint32_t)fminf(part, (float)(rate - 1)); // whole baked frames
    const uint32_t frame = sample->frame0 * rate + step;
    const bool is_last_step = step + 1 == rate; // the next baked frame is frame1
    const uint32_t next_frame = is_last_step ? sample->frame1 * rate : frame + 1;
    return (md5gl_clip_job){
        .clip = clip,
        .sample = {.frame0 = frame, .frame1 = next_frame, .fraction = fminf(part - (float)step, 1)},
    };
}
