#include "demo/viewer/crowd/kind.h"

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

// -- Baking ---------------------------------------------------------------------------------

typedef struct kind_baking {
    const view_kind *kind;
    float *errors;      // [clips] largest distance from the skinned vertices, units
    md5_baked **baked;  // [clips]; NULL: not baked yet
    md5_error *failure; // [clips]
} kind_baking;

// Between the frames of a clip lie `rate` - 1 others; none after its last, where loops end.
static uint32_t count_frames(const view_kind *kind, uint32_t clip)
{
    const uint32_t num_frames = kind->clips[clip]->anim->num_frames;
    return num_frames > 0 ? (num_frames - 1) * kind->bakes.rates[clip] + 1 : 0;
}

// Bytes of all frames: 8 per vertex each; while they are baked, the palettes.
static uint64_t baked_size(const view_kind *kind)
{
    const md5_model *const model = kind->model;
    const uint64_t palette = (uint64_t)model->skeleton.num_joints * sizeof(md5_mat34);
    uint64_t num_frames = 0, vertices = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++)
        vertices += (uint64_t)model->meshes[i].num_vertices * sizeof(md5_baked_vertex);
    for (uint32_t i = 0; i < kind->num_clips; i++)
        num_frames += count_frames(kind, i);
    return num_frames * (vertices > palette ? vertices : palette);
}

// The part `step` of `steps` of the way from a frame to the next one.
static md5_moment moment_after(const md5_anim *anim, uint32_t frame, uint32_t step, uint32_t steps)
{
    return (md5_moment){.frame0 = frame,
                        .frame1 = frame + 1 < anim->num_frames ? frame + 1 : frame,
                        .fraction = (float)step / (float)steps};
}

static void bake_clip(kind_baking *work, uint32_t index)
{
    const md5_binding *const clip = work->kind->clips[index];
    const uint32_t num_joints = clip->model->skeleton.num_joints;
    const uint32_t rate = work->kind->bakes.rates[index];
    const uint32_t num_frames = count_frames(work->kind, index);
    md5_xform *const pose = common_alloc(num_joints, sizeof *pose);
    md5_mat34 *const joints = common_alloc(num_joints, sizeof *joints);
    md5_mat34 *const palettes = common_alloc((size_t)num_frames * num_joints, sizeof *palettes);
    for (uint32_t i = 0; i < num_frames; i++)
        md5_pose_palette(clip, moment_after(clip->anim, i / rate, i % rate, rate),
                         MD5_ROOT_IN_PLACE, pose, joints, palettes + (size_t)i * num_joints);
    md5_baked *const baked =
        md5_make_baked(clip->model, palettes, num_frames, NULL, &work->failure[index]);
    float largest = baked != NULL ? baked->position_error : 0.0f;
    for (uint32_t i = 0; baked != NULL && i + 1 < num_frames; i++) {
        const md5_moment between = {.frame0 = i, .frame1 = i + 1, .fraction = 0.5f};
        md5_pose_palette(clip, moment_after(clip->anim, i / rate, 2 * (i % rate) + 1, 2 * rate),
                         MD5_ROOT_IN_PLACE, pose, joints, palettes);
        largest = fmaxf(largest, md5_baked_error(baked, clip->model, between, palettes));
    }
    work->baked[index] = baked;
    work->errors[index] = largest;
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

// Bakes the clips that are not baked yet. Returns false if one cannot be.
static bool bake(kind_baking *work, const md5_threads *threads, md5_error *error)
{
    md5_threads_run(threads, work->kind->num_clips, bake_part, work);
    for (uint32_t i = 0; i < work->kind->num_clips; i++)
        if (work->baked[i] == NULL) {
            *error = work->failure[i];
            return false;
        }
    return true;
}

static void free_bakes(view_bakes *bakes, md5gl_renderer *renderer)
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

void view_bake_kind(view_kind *kind, float pixels, size_t memory, const md5_threads *threads,
                    const view_loader *loader)
{
    const uint32_t num_clips = kind->num_clips, count = kind->end - kind->begin;
    const uint32_t detail = view_detail_at(&kind->details, pixels);
    const md5_model *const drawn = detail > 0 ? kind->details.levels[detail].model : kind->model;
    const float largest = largest_error * 2.0f * kind->sphere.radius; // times pixels, units
    view_bakes *const bakes = &kind->bakes;
    md5_error error = {0};
    kind_baking work = {
        .kind = kind,
        .errors = common_alloc(num_clips, sizeof *work.errors),
        .baked = common_alloc(num_clips, sizeof(md5_baked *)),
        .failure = common_alloc(num_clips, sizeof *work.failure),
    };
    *bakes = (view_bakes){
        .rates = common_alloc(num_clips, sizeof *bakes->rates),
        .sizes = common_alloc(num_clips, sizeof *bakes->sizes),
        .jobs = common_alloc(count, sizeof *bakes->jobs),
        .placements = common_alloc(count, sizeof *bakes->placements),
        .tints = common_alloc(count, sizeof *bakes->tints),
    };
    for (uint32_t i = 0; i < num_clips; i++)
        bakes->rates[i] = 1;
    const uint64_t size = baked_size(kind);
    bool is_baked = size <= memory;
    if (!is_baked)
        view_warn(loader->log, "%s stays skinned: its baked clips take %.1f MB, at most %.1f fit",
                  kind->name, 1e-6 * (double)size, 1e-6 * (double)memory);
    if (is_baked && (is_baked = bake(&work, threads, &error))) {
        // The rates of fast clips are raised as far as the memory allows.
        for (uint32_t i = 0; i < num_clips; i++) {
            const float rate = ceilf(sqrtf(work.errors[i] / (largest / pixels)));
            bakes->rates[i] = rate > 1.0f ? (uint32_t)fminf(rate, (float)MOST_RATE) : 1;
            if (bakes->rates[i] > 1 && baked_size(kind) > memory)
                bakes->rates[i] = 1;
            if (bakes->rates[i] == 1)
                continue;
            md5_free_baked(work.baked[i]);
            work.baked[i] = NULL;
        }
        is_baked = bake(&work, threads, &error);
        if (is_baked)
            bakes->clips = md5gl_create_baked(
                loader->renderer, drawn, (const md5_baked *const *)work.baked, num_clips, &error);
        if (bakes->clips != NULL)
            bakes->drawn = md5gl_create_model(loader->renderer, drawn, MD5GL_PATH_AUTO, &error);
        is_baked = bakes->drawn != NULL;
    }
    if (!is_baked && size <= memory)
        view_warn(loader->log, "%s stays skinned: %s", kind->name, error.message);
    for (uint32_t i = 0; i < num_clips; i++) {
        bakes->sizes[i] = work.errors[i] > 0.0f ? fminf(largest / work.errors[i], pixels) : pixels;
        md5_free_baked(work.baked[i]);
    }
    if (!is_baked)
        free_bakes(bakes, loader->renderer);
    free(work.errors);
    free(work.baked);
    free(work.failure);
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

bool view_make_levels(view_kind *kind, uint32_t num_kinds, const view_loader *loader)
{
    const uint32_t num_clips = kind->num_clips, count = kind->end - kind->begin;
    view_levels *const levels = &kind->levels;
    double total = 0.0;
    md5_error error = {0};
    *levels = (view_levels){
        .num_clips = num_clips,
        .first = common_alloc((size_t)num_clips + 1, sizeof *levels->first),
        .instances = common_alloc(count, sizeof *levels->instances),
        .tints = common_alloc(count, sizeof *levels->tints),
    };
    for (uint32_t i = 0; i < num_clips; i++)
        total += kind->clips[i]->anim->duration;
    const double most = (double)picture_memory / (double)FRAME_SIZE / num_kinds - num_clips;
    const double rate = total * picture_rate > most ? fmax(most, 0.0) / total : picture_rate;
    for (uint32_t i = 0; i < num_clips; i++)
        levels->first[i + 1] =
            levels->first[i] + (uint32_t)fmin(1.0 + rate * kind->clips[i]->anim->duration, 1e4);
    const md5gl_impostor_desc desc = {
        .num_frames = levels->first[num_clips],
        .center = kind->sphere.centre,
        .radius = kind->sphere.radius,
    };
    levels->impostors = md5gl_create_impostors(loader->renderer, &desc, &error);
    if (levels->impostors == NULL)
        view_log_error(loader->log, &error);
    return levels->impostors != NULL;
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

static uint32_t count_triangles(const md5_model *model)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++)
        count += model->meshes[i].num_triangles;
    return count;
}

static bool upload_detail(md5gl_model **drawn, const md5_model *model, const view_loader *loader)
{
    md5_error error = {0};
    *drawn = md5gl_create_model(loader->renderer, model, loader->options->path, &error);
    if (*drawn == NULL)
        *drawn = md5gl_create_model(loader->renderer, model, MD5GL_PATH_AUTO, &error);
    if (*drawn == NULL)
        view_warn(loader->log, "characters are drawn from all triangles: %s", error.message);
    return *drawn != NULL;
}

static void free_details(view_details *details, md5gl_renderer *renderer)
{
    for (uint32_t i = 1; i <= VIEW_NUM_DETAILS && renderer != NULL; i++)
        md5gl_destroy_model(renderer, details->levels[i].drawn);
    if (renderer != NULL)
        md5gl_destroy_model(renderer, details->casters);
    for (uint32_t i = 1; i <= VIEW_NUM_DETAILS; i++) {
        md5_model *const model = details->levels[i].model;
        for (uint32_t m = 0; model != NULL && m < model->num_meshes; m++)
            free((void *)model->meshes[m].indices);
        if (model != NULL)
            free((void *)model->meshes);
        free(model);
    }
    free(details->order);
    free(details->palettes);
    free(details->placements);
    free(details->tints);
    *details = (view_details){0};
}

void view_make_details(view_kind *kind, float pixels, float texel, const md5_threads *threads,
                       const view_loader *loader)
{
    const md5_model *const source = kind->model, *casters = NULL;
    const size_t count = kind->end - kind->begin;
    view_details *const details = &kind->details;
    uint32_t num_triangles = count_triangles(source); // of the last level that is drawn
    bool is_uploaded = true;
    reduction work = {.source = source,
                      .meshes = common_alloc(source->num_meshes, sizeof *work.meshes)};
    *details = (view_details){
        .count = 1 + VIEW_NUM_DETAILS,
        .levels[0].drawn = kind->drawn,
        .order = common_alloc(count, sizeof *details->order),
        .palettes = common_alloc(count * source->skeleton.num_joints, sizeof *details->palettes),
        .placements = common_alloc(count, sizeof *details->placements),
        .tints = common_alloc(count, sizeof *details->tints),
    };
    for (uint32_t i = 0; i < VIEW_NUM_DETAILS; i++)
        work.errors[i] = most_pixels * 2.0f * kind->sphere.radius * (float)(1u << i) / pixels;
    md5_threads_run(threads, source->num_meshes, reduce_part, &work);
    for (uint32_t i = 0; i < VIEW_NUM_DETAILS; i++) {
        view_detail *const detail = &details->levels[i + 1];
        md5_mesh *const meshes = common_alloc(source->num_meshes, sizeof *meshes);
        detail->pixels = pixels / (float)(1u << i);
        detail->model = common_alloc(1, sizeof *detail->model);
        *detail->model = *source;
        detail->model->meshes = meshes;
        for (uint32_t m = 0; m < source->num_meshes; m++) {
            meshes[m] = source->meshes[m];
            meshes[m].num_triangles = work.meshes[m][i].count;
            meshes[m].indices = work.meshes[m][i].indices;
        }
        const uint32_t own = count_triangles(detail->model);
        if (is_uploaded && (float)own <= (1.0f - least_saved) * (float)num_triangles) {
            num_triangles = own;
            is_uploaded = upload_detail(&detail->drawn, detail->model, loader);
        }
        if (work.errors[i] <= most_texels * texel)
            casters = detail->model;
    }
    free(work.meshes);
    if (!is_uploaded || (casters != NULL && !upload_detail(&details->casters, casters, loader)))
        free_details(details, loader->renderer);
}

void view_free_levels(view_kind *kind, md5gl_renderer *renderer)
{
    free_bakes(&kind->bakes, renderer); // may be drawn from the triangles of a detail
    if (renderer != NULL)
        md5gl_destroy_impostors(renderer, kind->levels.impostors);
    free(kind->levels.first);
    free(kind->levels.instances);
    free(kind->levels.tints);
    kind->levels = (view_levels){0};
    free_details(&kind->details, renderer);
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
