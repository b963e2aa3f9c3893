#include "demo/viewer/crowd/details.h"

#include "demo/common/memory.h"
#include "demo/viewer/crowd/reduce.h"

#include <math.h>
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

md5gl_clip_job view_baked_job(const view_bakes *bakes, uint32_t clip, const md5_moment *moment)
{
    const uint32_t rate = bakes->rates[clip];
    const float part = moment->fraction * (float)rate;
    const uint32_t step = (uint32_t)fminf(part, (float)(rate - 1));
    const uint32_t frame = moment->frame0 * rate + step;
    const bool is_last = step + 1 == rate; // of the frames between frame0 and frame1
    return (md5gl_clip_job){
        .clip = clip,
        .moment = {.frame0 = frame,
                   .frame1 = is_last ? moment->frame1 * rate : frame + 1,
                   .fraction = fminf(part - (float)step, 1.0f)},
    };
}

// -- Impostors -----------------------------------------------------------------------------------

// Pictures per second of a clip if the memory suffices; small figures need no more.
static const double picture_rate = 15.0;

// Bytes of GPU memory for the pictures of all kinds.
static const size_t picture_memory = (size_t)192 << 20;

// Bytes per frame: 25 views of 64 x 64 texels of 8 bytes, and a third more for mipmaps.
enum { FRAME_SIZE = 25 * 64 * 64 * 8 / 3 * 4 };

static double total_duration(const md5_binding *const *clips, uint32_t num_clips)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < num_clips; i++)
        sum += clips[i]->anim->duration;
    return sum;
}

static void divide_frames(view_levels *levels, const md5_binding *const *clips, uint32_t num_kinds)
{
    const double most = (double)picture_memory / (double)FRAME_SIZE / num_kinds - levels->num_clips;
    const double total = total_duration(clips, levels->num_clips);
    const double rate = total * picture_rate > most ? fmax(most, 0.0) / total : picture_rate;
    for (uint32_t i = 0; i < levels->num_clips; i++) {
        const uint32_t count = (uint32_t)fmin(1.0 + rate * clips[i]->anim->duration, 1e4);
        levels->first[i + 1] = levels->first[i] + count;
    }
}

bool view_make_levels(view_levels *levels, const md5_binding *const *clips, uint32_t num_clips,
                      view_sphere sphere, uint32_t count, uint32_t num_kinds,
                      const view_loader *loader)
{
    md5_error error;
    levels->num_clips = num_clips;
    levels->first = common_alloc((size_t)num_clips + 1, sizeof *levels->first);
    divide_frames(levels, clips, num_kinds);
    const md5gl_impostor_desc desc = {
        .num_frames = levels->first[num_clips],
        .center = sphere.centre,
        .radius = sphere.radius,
    };
    levels->impostors = md5gl_create_impostors(loader->renderer, &desc, &error);
    if (levels->impostors == NULL) {
        view_log_error(loader->log, &error);
        return false;
    }
    levels->instances = common_alloc(count, sizeof *levels->instances);
    levels->tints = common_alloc(count, sizeof *levels->tints);
    return true;
}

void view_free_levels(view_levels *levels, md5gl_renderer *renderer)
{
    if (renderer != NULL)
        md5gl_destroy_impostors(renderer, levels->impostors);
    free(levels->first);
    free(levels->instances);
    free(levels->tints);
    *levels = (view_levels){0};
}

uint32_t view_count_pictures(const view_levels *levels)
{
    return levels->first[levels->num_clips];
}

uint32_t view_count_clip_pictures(const view_levels *levels, uint32_t clip)
{
    return levels->first[clip + 1] - levels->first[clip];
}

uint32_t view_picture_at(const view_levels *levels, uint32_t clip, const md5_anim *anim,
                         double seconds)
{
    const uint32_t first = levels->first[clip], count = view_count_clip_pictures(levels, clip);
    const double cycles = anim->duration > 0.0 ? seconds / anim->duration : 0.0;
    uint32_t picture = (uint32_t)((cycles - floor(cycles)) * count + 0.5) % count;
    while (picture > 0 && !md5gl_has_impostor_pictures(levels->impostors, first + picture))
        picture--;
    return first + picture;
}

// -- Details -------------------------------------------------------------------------------------

// The error of a level: pixels; of shadow casters, texels of the shadow map. It is the sum of what
// surface, texture and normals move by, of which only the surface casts shadows.
static const float most_pixels = 1.0f, most_texels = 2.0f;

// The share of the triangles that a level must save of those of the one before.
static const float least_saved = 0.15f;

static uint32_t count_triangles(const md5_model *model)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++)
        count += model->meshes[i].num_triangles;
    return count;
}

// -- Reducing ---------------------------------------------------------------------------------

typedef struct reduction {
    const md5_model *source;
    float errors[VIEW_NUM_DETAILS];
    view_triangles (*meshes)[VIEW_NUM_DETAILS]; // [num_meshes]
} reduction;

static void reduce_part(void *user, uint32_t worker, size_t begin, size_t end)
{
    const reduction *const work = user;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        view_reduce_mesh(&work->source->meshes[i], work->errors, VIEW_NUM_DETAILS, work->meshes[i]);
}

// A copy of the model with the triangles of a level, which it owns.
static md5_model *make_model(const reduction *work, uint32_t level)
{
    const md5_model *const source = work->source;
    md5_model *const model = common_alloc(1, sizeof *model);
    md5_mesh *const meshes = common_alloc(source->num_meshes, sizeof *meshes);
    *model = *source;
    model->meshes = meshes;
    for (uint32_t i = 0; i < source->num_meshes; i++) {
        meshes[i] = source->meshes[i];
        meshes[i].num_triangles = work->meshes[i][level].count;
        meshes[i].indices = work->meshes[i][level].indices;
    }
    return model;
}

static void free_model(md5_model *model)
{
    if (model == NULL)
        return;
    for (uint32_t i = 0; i < model->num_meshes; i++)
        free((void *)model->meshes[i].indices);
    free((void *)model->meshes);
    free(model);
}

// -- Making -----------------------------------------------------------------------------------

static void alloc_instances(view_details *details, const view_detail_source *source)
{
    const size_t count = source->count;
    details->order = common_alloc(count, sizeof *details->order);
    details->palettes =
        common_alloc(count * source->model->skeleton.num_joints, sizeof *details->palettes);
    details->placements = common_alloc(count, sizeof *details->placements);
    details->tints = common_alloc(count, sizeof *details->tints);
}

static bool upload_detail(md5gl_model **drawn, const md5_model *model, const view_loader *loader)
{
    md5_error error;
    *drawn = md5gl_create_model(loader->renderer, model, loader->options->path, &error);
    if (*drawn == NULL)
        *drawn = md5gl_create_model(loader->renderer, model, MD5GL_PATH_AUTO, &error);
    if (*drawn == NULL)
        view_warn(loader->log, "characters are drawn from all triangles: %s", error.message);
    return *drawn != NULL;
}

// Uploads a level if it saves enough triangles of those of the last one, `count`.
static bool upload_level(view_detail *detail, uint32_t *count, const view_loader *loader)
{
    const uint32_t own = count_triangles(detail->model);
    if ((float)own > (1.0f - least_saved) * (float)*count)
        return true;
    *count = own;
    return upload_detail(&detail->drawn, detail->model, loader);
}

static bool upload_levels(view_details *details, const view_detail_source *source,
                          const reduction *work, const view_loader *loader)
{
    const md5_model *casters = NULL;
    uint32_t count = count_triangles(source->model);
    for (uint32_t i = 1; i <= VIEW_NUM_DETAILS; i++) {
        if (!upload_level(&details->levels[i], &count, loader))
            return false;
        if (work->errors[i - 1] <= most_texels * source->texel)
            casters = details->levels[i].model;
    }
    return casters == NULL || upload_detail(&details->casters, casters, loader);
}

void view_make_details(view_details *details, const view_detail_source *source,
                       const md5_threads *threads, const view_loader *loader)
{
    reduction work = {.source = source->model};
    work.meshes = common_alloc(source->model->num_meshes, sizeof *work.meshes);
    *details = (view_details){.count = 1 + VIEW_NUM_DETAILS};
    for (uint32_t i = 0; i < VIEW_NUM_DETAILS; i++) {
        const float larger = (float)(1u << i);
        details->levels[i + 1].pixels = source->pixels / larger;
        work.errors[i] = most_pixels * 2.0f * source->radius * larger / source->pixels;
    }
    md5_threads_run(threads, source->model->num_meshes, reduce_part, &work);
    for (uint32_t i = 0; i < VIEW_NUM_DETAILS; i++)
        details->levels[i + 1].model = make_model(&work, i);
    free(work.meshes);
    details->levels[0].drawn = source->drawn;
    alloc_instances(details, source);
    if (!upload_levels(details, source, &work, loader))
        view_free_details(details, loader->renderer);
}

void view_free_details(view_details *details, md5gl_renderer *renderer)
{
    for (uint32_t i = 1; i <= VIEW_NUM_DETAILS && renderer != NULL; i++)
        md5gl_destroy_model(renderer, details->levels[i].drawn);
    if (renderer != NULL)
        md5gl_destroy_model(renderer, details->casters);
    for (uint32_t i = 0; i <= VIEW_NUM_DETAILS; i++)
        free_model(details->levels[i].model);
    free(details->order);
    free(details->palettes);
    free(details->placements);
    free(details->tints);
    *details = (view_details){0};
}

void view_show_detail_mesh(const view_details *details, uint32_t mesh, bool visible)
{
    for (uint32_t i = 1; i < details->count; i++)
        if (details->levels[i].drawn != NULL)
            md5gl_set_visible(details->levels[i].drawn, mesh, visible);
    if (details->casters != NULL)
        md5gl_set_visible(details->casters, mesh, visible);
}

uint32_t view_detail_at(const view_details *details, float pixels)
{
    uint32_t detail = 0;
    for (uint32_t i = 1; i < details->count && pixels <= details->levels[i].pixels; i++)
        detail = details->levels[i].drawn != NULL ? i : detail;
    return detail;
}
