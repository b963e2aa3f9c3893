// Creates crowds, and culls, advances and poses their members.
//
// A member is one character of the crowd. Members of the same kind share a model and its clips. A
// level of detail (short: level) is one form in which the members of a kind are drawn. Each level
// is for a range of diameters in the image. The forms are, from near to far:
//
// - all triangles of the model
// - fewer triangles
// - baked clips: vertices that were skinned in advance
// - impostors: images of the model
//
// An update (view_run_crowd) has three parts. advance_part() advances the members and selects their
// levels. pose_part() computes the palettes. write_member_range() writes the arrays that are drawn.
// Several worker threads call each part, for different ranges of members.
#include "demo/viewer/crowd/crowd.h"

#include "demo/common/threads.h"
#include "demo/convert/retarget.h"
#include "demo/viewer/assets/model_text.h"
#include "demo/viewer/platform/platform.h"

// == Kinds =================================================================================

// Retargets each frame of the clips, and adds the results as clips of the scene.
bool view_retarget_clips(view_scene *scene, const md5_binding *const *bindings, uint32_t count,
                         md5_error *error)
{
    const md5_model *const source = bindings[0]->model;
    const md5_model *const model = scene->model;
    md5_retarget *const retarget = convert_create_retarget(NULL, source, model, NULL, error);
    if (retarget == NULL)
        return false;
    md5_xform *const source_pose = common_alloc(source->skeleton.num_joints, sizeof *source_pose);
    md5_xform *const pose = common_alloc(model->skeleton.num_joints, sizeof *pose);
    void *const scratch = common_alloc(1, md5_retarget_pose_scratch(retarget));

    bool is_done = true;
    for (uint32_t i = 0; i < count && is_done; i++) {
        const md5_anim *const source_anim = bindings[i]->anim;
        md5_anim *const anim =
            view_make_anim(model, source_anim->num_frames, source_anim->frame_rate);
        for (uint32_t frame = 0; frame < source_anim->num_frames; frame++) {
            const md5_sample_position sample = {.frame0 = frame, .frame1 = frame};
            md5_sample(bindings[i], sample, MD5_ROOT_FILE, source_pose);
            md5_retarget_pose(retarget, source_pose, pose, scratch);
            view_set_frame(anim, frame, pose);
        }
        is_done = view_append_clip(scene, (view_clip){.anim = anim}, NULL, error);
    }

    free(scratch);
    free(source_pose);
    free(pose);
    md5_destroy_retarget(retarget);
    return is_done;
}

// Creates the machine of a kind from the machine of another kind, with the retargeted clips of
// `scene`. Returns false and fills `error` on failure.
static bool retarget_machine(view_kind *kind, const view_scene *scene, const md5_machine *machine,
                             md5_error *error)
{
    md5_machine_desc tables = *md5_machine_tables(machine);
    md5_clip_desc *const clips = common_alloc(tables.num_clips, sizeof *clips);
    for (uint32_t i = 0; i < tables.num_clips; i++) {
        clips[i] = tables.clips[i];
        clips[i].binding = scene->clips[i].binding;
    }
    tables.model = kind->model;
    tables.clips = clips;
    kind->owned_machine = md5_create_machine(&tables, NULL, error);
    kind->machine = kind->owned_machine;
    free(clips);
    return kind->machine != NULL;
}

// Fills kind->clips, the clips that the members of a kind play. They are the clips of its machine.
// If the kind has no machine, they are the clips of its scene.
static void list_clips(view_kind *kind, const view_scene *scene)
{
    const md5_machine_desc *tables = NULL;
    if (kind->machine != NULL)
        tables = md5_machine_tables(kind->machine);

    kind->num_clips = tables != NULL ? tables->num_clips : (uint32_t)scene->num_clips;
    kind->clips = common_alloc(kind->num_clips, sizeof *kind->clips);
    for (uint32_t i = 0; i < kind->num_clips; i++)
        kind->clips[i] = tables != NULL ? tables->clips[i].binding : scene->clips[i].binding;
}

// Animates a model that has no clips and no machine. Retargets the clips of the kind `source` to
// this model, and adds them to the scene of the kind. If `source` has a machine, also copies the
// machine. Returns false and logs an error on failure.
static bool borrow_clips(view_kind *kind, const view_kind *source, view_log *log)
{
    md5_error error = {0};
    if (!view_retarget_clips(&kind->loaded, source->clips, source->num_clips, &error))
        return view_log_error(log, &error);
    if (source->machine == NULL)
        return true;
    if (!retarget_machine(kind, &kind->loaded, source->machine, &error))
        return view_log_error(log, &error);
    return true;
}

// Sets the model, the state machine and the clips of a kind, which shows `scene`. If the scene has
// neither a machine nor clips, the kind plays retargeted animations of the kind `source`. If
// `source` is NULL, this is an error. Returns false and logs an error on failure.
static bool find_clips(view_kind *kind, const view_scene *scene, const view_kind *source,
                       view_log *log)
{
    kind->name = scene->name;
    kind->model = scene->model;
    kind->machine = view_scene_machine(scene);
    const bool is_animated = kind->machine != NULL || scene->num_clips > 0;
    const bool has_model = kind->machine != NULL || scene->model != NULL;
    const bool can_be_animated = is_animated || source != NULL;
    if (!has_model || !can_be_animated)
        return view_error(log, "--crowd requires a model with animations or a state machine");

    if (!is_animated && !borrow_clips(kind, source, log))
        return false;
    list_clips(kind, scene);
    return true;
}

// Returns how the root of a clip moves a member. If a machine does not extract the root motion of
// the clip, the motion moves the model away from its placement.
static md5_root clip_root(const view_kind *kind, uint32_t clip)
{
    if (kind->machine == NULL)
        return MD5_ROOT_IN_PLACE;
    const md5_machine_desc *const tables = md5_machine_tables(kind->machine);
    const bool is_extracted = tables->clips[clip].root_extraction != MD5_ROOT_EXTRACTION_NONE;
    return is_extracted ? MD5_ROOT_IN_PLACE : MD5_ROOT_FILE;
}

// Measures the poses of a clip. Extends *bounds by the bounds of about MAX_SPHERE_FRAMES frames.
// Lowers kind->lowest to the lowest vertex of up to MAX_HEIGHT_FRAMES frames. The height needs more
// frames, because the ground hides everything below it. `pose` and `palette` are scratch memory for
// the joints of the model.
static void measure_clip_bounds(view_kind *kind, uint32_t clip, md5_xform *pose, md5_mat34 *palette,
                                md5_bounds *bounds)
{
    enum { MAX_SPHERE_FRAMES = 32, MAX_HEIGHT_FRAMES = 600 };
    const md5_anim *const anim = kind->clips[clip]->anim;
    const md5_root root = clip_root(kind, clip);
    const uint32_t sphere_stride = 1 + anim->num_frames / MAX_SPHERE_FRAMES;
    const uint32_t height_stride = 1 + anim->num_frames / MAX_HEIGHT_FRAMES;
    for (uint32_t frame = 0; frame < anim->num_frames; frame += height_stride) {
        const md5_sample_position sample = {.frame0 = frame, .frame1 = frame};
        md5_pose_palette(kind->clips[clip], sample, root, pose, NULL, palette);
        const md5_bounds posed = md5_skin_bounds(kind->model, palette);
        kind->lowest = fminf(kind->lowest, posed.min.z);
        // Bounds need fewer frames than heights: the first sampled frame of each `sphere_stride`
        // frames.
        const bool is_in_sphere = frame % sphere_stride < height_stride;
        if (is_in_sphere)
            *bounds = md5_bounds_union(*bounds, posed);
    }
}

// Returns a sphere around the model in all poses of its clips. Also sets kind->lowest, the height
// of the lowest vertex.
static view_sphere measure_bounding_sphere(view_kind *kind)
{
    const uint32_t num_joints = kind->model->skeleton.num_joints;
    md5_xform *const pose = common_alloc(num_joints, sizeof *pose);
    md5_mat34 *const palette = common_alloc(num_joints, sizeof *palette);
    md5_bounds bounds = kind->model->bounds;
    kind->lowest = kind->num_clips == 0 ? bounds.min.z : INFINITY;
    for (uint32_t clip = 0; clip < kind->num_clips; clip++)
        measure_clip_bounds(kind, clip, pose, palette, &bounds);
    free(pose);
    free(palette);
    if (view_is_empty(bounds))
        return (view_sphere){0};

    // Poses between the measured frames, and poses that a machine blends or adds, may leave the
    // measured bounds. The margin covers them.
    const float margin = kind->machine != NULL ? 1.2f : 1.1f;
    const float morph_reach = view_morph_reach(kind->morphs, NULL);
    const float radius = 0.5f * margin * view_size(bounds) + morph_reach;
    return (view_sphere){view_center(bounds), radius};
}

// == Levels of detail ======================================================================

// Selects the coarsest level whose size limit is not below the member's size in the image.
uint32_t view_detail_at(const view_kind *kind, uint32_t clip, float pixels, bool reduced,
                        bool baked)
{
    // Levels are sorted from fine to coarse, so the last level that fits is the coarsest.
    uint32_t coarsest = 0;
    for (uint32_t i = 1; i < kind->num_levels; i++) {
        const view_detail *const level = &kind->levels[i];
        const bool is_baked = level->source == VIEW_DETAIL_BAKED && baked;
        const bool is_reduced = level->source == VIEW_DETAIL_POSED && reduced;
        if (level->drawn == NULL || (!is_baked && !is_reduced))
            continue;
        const float max_pixels = is_baked ? kind->bakes.sizes[clip] : level->pixels;
        if (pixels <= max_pixels)
            coarsest = i;
    }
    return coarsest;
}

// Frees the levels of detail of a kind, except its model. Level 0 is the kind's model, which
// belongs to the kind. A level with fewer triangles owns its indices and its list of meshes, but
// shares the vertices with level 0.
void view_free_levels(view_kind *kind, md5gl_renderer *renderer)
{
    // In reverse order, because a baked level may use the triangles of an earlier level.
    for (uint32_t i = kind->num_levels; i-- > 1;) {
        const view_detail *const level = &kind->levels[i];
        if (renderer != NULL) {
            md5gl_destroy_model(renderer, level->drawn);
            md5gl_destroy_morph(renderer, level->drawn_morph);
        }
        if (level->source != VIEW_DETAIL_POSED)
            continue;
        for (uint32_t m = 0; m < level->model->num_meshes; m++)
            free((void *)level->model->meshes[m].indices);
        free((void *)level->model->meshes);
        free(level->model);
    }
    if (renderer != NULL) {
        md5gl_destroy_baked(renderer, kind->bakes.clips);
        md5gl_destroy_impostors(renderer, kind->pictures.impostors);
    }
    free(kind->bakes.rates);
    free(kind->bakes.sizes);
    free(kind->jobs);
    free(kind->pictures.first);
    free(kind->pictures.instances);
    kind->bakes = (view_bakes){0};
    kind->pictures = (view_pictures){0};
    kind->num_levels = 0;
}

// -- Fewer triangles ------------------------------------------------------------------------

// Maximum error of a level, in pixels, and of the level for shadow casters, in texels of the shadow
// map. meshoptimizer measures only the error of the surface, not of texture and normals. In crowds
// of Bobbin and Thimble, a surface error of a third of a pixel changes the image as much as the
// three errors together if their sum is one pixel.
static const float max_error_pixels = 0.35f;
static const float max_error_texels = 1;

// A level must save this fraction of the previous level's triangles. Otherwise it is not worth its
// memory.
static const float min_saved = 0.15f;

// Input and result of reducing the meshes of a model to VIEW_NUM_REDUCED levels.
typedef struct reduction {
    const md5_model *source;
    const md5_morph *morph;                     // NULL: the model does not have morph targets
    md5_mat34 *bent;                            // palette of view_bend_joints()
    float errors[VIEW_NUM_REDUCED];             // permitted error of each level, units
    view_triangles (*meshes)[VIEW_NUM_REDUCED]; // [num_meshes] result: the triangles of each level
} reduction;

// Reduces the meshes from `begin` to before `end`. Runs on a worker thread; `user` is the
// reduction.
static void reduce_part(void *user, uint32_t worker, size_t begin, size_t end)
{
    const reduction *const work = user;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const md5_morph_mesh *const morph = work->morph != NULL ? &work->morph->meshes[i] : NULL;
        view_create_mesh_levels(&work->source->meshes[i], work->bent, morph, work->errors,
                                VIEW_NUM_REDUCED, work->meshes[i]);
    }
}

// Uploads the model of a level, and its morph targets unless `morph` is NULL. Returns false and
// logs a warning on failure.
static bool upload_level(view_detail *level, const md5_morph *morph, const view_loader *loader)
{
    md5gl_renderer *const renderer = loader->renderer;
    md5_error error = {0};
    level->drawn = md5gl_create_model(renderer, level->model, loader->options->path, &error);
    if (level->drawn == NULL)
        level->drawn = md5gl_create_model(renderer, level->model, MD5GL_PATH_AUTO, &error);
    bool is_uploaded = level->drawn != NULL;
    if (is_uploaded && morph != NULL) {
        level->morph = *morph;
        level->morph.model = level->model;
        level->drawn_morph = md5gl_create_morph(renderer, &level->morph, &error);
        is_uploaded = level->drawn_morph != NULL;
    }
    if (!is_uploaded)
        view_warn(loader->log, "cannot create reduced meshes: %s; all triangles are drawn",
                  error.message);
    return is_uploaded;
}

// Returns a copy of the model with the reduced meshes of a level. view_free_levels() frees it.
static md5_model *create_reduced_model(const reduction *work, int level)
{
    const md5_model *const source = work->source;
    md5_model *const model = common_alloc(1, sizeof *model);
    md5_mesh *const meshes = common_alloc(source->num_meshes, sizeof *meshes);
    *model = *source;
    model->meshes = meshes;
    for (uint32_t m = 0; m < source->num_meshes; m++) {
        meshes[m] = source->meshes[m];
        meshes[m].num_triangles = work->meshes[m][level].count;
        meshes[m].indices = work->meshes[m][level].indices;
    }
    return model;
}

// Reduces all meshes of a model to the levels of detail, on several threads. The error of level i
// is at most errors[i]. Allocates work->meshes.
static void reduce_meshes(reduction *work, const md5_threads *threads)
{
    const md5_model *const source = work->source;
    work->bent = common_alloc(source->skeleton.num_joints, sizeof *work->bent);
    work->meshes = common_alloc(source->num_meshes, sizeof *work->meshes);
    view_bend_joints(source, work->bent);
    md5_threads_run(threads, source->num_meshes, reduce_part, work);
    free(work->bent);
    work->bent = NULL;
}

// Adds the reduced levels. The first is for members up to `pixels`, each other level for half of
// the previous diameter. They are not uploaded yet; view_free_levels() frees their models.
static void add_reduced_levels(view_kind *kind, const reduction *work, float pixels)
{
    for (int i = 0; i < VIEW_NUM_REDUCED; i++) {
        view_detail *const level = &kind->levels[kind->num_levels++];
        *level = (view_detail){.source = VIEW_DETAIL_POSED,
                               .pixels = pixels / (float)(1u << i),
                               .model = create_reduced_model(work, i)};
    }
}

// Uploads the reduced levels, except those that save too few triangles. Returns false if an upload
// fails.
static bool upload_reduced_levels(view_detail levels[VIEW_NUM_REDUCED], const reduction *work,
                                  const view_loader *loader)
{
    uint32_t num_triangles = view_count_triangles(work->source); // of the last uploaded level
    for (int i = 0; i < VIEW_NUM_REDUCED; i++) {
        const uint32_t count = view_count_triangles(levels[i].model);
        if ((float)count > (1 - min_saved) * (float)num_triangles)
            continue;
        num_triangles = count;
        if (!upload_level(&levels[i], work->morph, loader))
            return false;
    }
    return true;
}

// Adds a level for shadow casters: the coarsest reduced level whose error is at most `max_error`
// units, if there is one. Returns false if the upload fails.
static bool add_caster_level(view_kind *kind, const view_detail reduced[VIEW_NUM_REDUCED],
                             const reduction *work, float max_error, const view_loader *loader)
{
    view_detail casters = {.source = VIEW_DETAIL_CASTERS};
    for (int i = 0; i < VIEW_NUM_REDUCED; i++) {
        if (work->errors[i] <= max_error)
            casters.model = reduced[i].model;
    }
    if (casters.model == NULL)
        return true;
    view_detail *const last = &kind->levels[kind->num_levels++];
    *last = casters;
    return upload_level(last, work->morph, loader);
}

// Adds VIEW_NUM_REDUCED levels with the same vertices and fewer triangles, for members up to a
// diameter of `pixels`. The surface of each level moves by less than a pixel. Then adds a level for
// shadow casters: the level with the fewest triangles whose error is less than a texel of the
// shadow map. `texel` is the side of a texel, units. If the upload fails, logs a warning and adds
// no level.
static void add_reduced(view_kind *kind, float pixels, float texel, const md5_threads *threads,
                        const view_loader *loader)
{
    reduction work = {.source = kind->model,
                      .morph = kind->morphs != NULL ? kind->morphs->morph : NULL};
    // Each level is for half of the diameter of the previous level, so its error in units may be
    // twice as large.
    const float diameter = 2 * kind->sphere.radius; // units
    for (int i = 0; i < VIEW_NUM_REDUCED; i++)
        work.errors[i] = max_error_pixels * diameter * (float)(1u << i) / pixels;
    reduce_meshes(&work, threads);
    view_detail *const reduced = &kind->levels[kind->num_levels];
    add_reduced_levels(kind, &work, pixels);
    free(work.meshes);

    bool is_uploaded = upload_reduced_levels(reduced, &work, loader);
    if (is_uploaded)
        is_uploaded = add_caster_level(kind, reduced, &work, max_error_texels * texel, loader);
    if (!is_uploaded) {
        view_free_levels(kind, loader->renderer);
        kind->num_levels = 1; // the kind's model
    }
}

// -- Baked clips ----------------------------------------------------------------------------

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

// == Culling ===============================================================================

// Sets the members of view_culling that describe shadows, for the light of a frame. A body may be
// outside of a plane while its shadow is inside. A shadow falls from a height onto the ground. Per
// unit of this height it moves toward the inside of a plane by shadow_shift.
static void add_shadows(view_culling *culling, const md5gl_frame *frame)
{
    // If the z component of the light direction is smaller, the light is almost horizontal and its
    // shadows are treated as infinitely long.
    const float min_light_z = 1e-3f;
    const md5_vec3 light = frame->light_direction;
    const float length = md5_vec3_length(light);
    culling->reach = md5gl_shadow_reach(frame);
    culling->shadowed = culling->reach > 0 && length > 0;
    culling->unbounded = light.z <= min_light_z * length;
    if (!culling->shadowed || culling->unbounded)
        return;

    const md5_vec3 displacement = md5_vec3_scale(light, -1.0f / light.z); // per unit of height
    for (int i = 0; i < VIEW_NUM_PLANES; i++) {
        const float inward_shift = md5_vec3_dot(culling->planes[i].inward, displacement);
        culling->planes[i].shadow_shift = fmaxf(inward_shift, 0);
    }
    const float sine = light.z / length; // of the elevation of the light
    const float cosine = sqrtf(fmaxf(1 - sine * sine, 0));
    culling->reach_upward = culling->reach * cosine;
}

// Prepares the culling of a frame for a lens: normalizes the planes of the view, and computes
// how far shadows move.
view_culling view_prepare_culling(const view_lens *lens, const md5gl_frame *frame, float lowest)
{
    view_culling culling = {.lens = *lens, .height = (float)frame->height, .lowest = lowest};
    const md5_mat44 clip_from_world = md5_mat44_mul(frame->clip_from_view, frame->view_from_world);
    md5_vec4 planes[VIEW_NUM_PLANES + 1]; // with the far plane
    md5_frustum_planes(clip_from_world, MD5_DEPTH_MINUS_ONE_TO_ONE, planes);
    for (int i = 0; i < VIEW_NUM_PLANES; i++) {
        const md5_vec3 inward = {planes[i].x, planes[i].y, planes[i].z};
        const float scale = 1.0f / md5_vec3_length(inward);
        culling.planes[i] =
            (view_plane){.inward = md5_vec3_scale(inward, scale), .begin = -scale * planes[i].w};
    }
    add_shadows(&culling, frame);
    return culling;
}

// Returns false if a sphere and its shadow are both completely outside of one of the planes. `fall`
// is the height from the top of the sphere to the lowest point that receives the shadow, units. If
// it is 0, only the sphere is tested.
static bool intersects(const view_culling *culling, md5_vec3 center, float radius, float fall)
{
    for (int i = 0; i < VIEW_NUM_PLANES; i++) {
        const view_plane *const plane = &culling->planes[i];
        const float innermost =
            md5_vec3_dot(plane->inward, center) + plane->shadow_shift * fall + radius;
        if (innermost < plane->begin)
            return false;
    }
    return true;
}

// Tests a sphere, and the volume of its shadow, against the planes of the view.
bool view_may_be_visible(const view_culling *culling, view_sphere sphere)
{
    const md5_vec3 center = sphere.center;
    if (culling->all || intersects(culling, center, sphere.radius, 0))
        return true;
    if (!culling->shadowed)
        return false;
    if (culling->unbounded) // the shadow may be anywhere
        return true;
    const float fall = center.z + sphere.radius + culling->reach_upward - culling->lowest;
    return intersects(culling, center, sphere.radius + culling->reach, fmaxf(fall, 0));
}

// Returns the diameter of a sphere in the image, pixels. The depth is at least the radius. A sphere
// at or behind the eye therefore counts as large, and the result is never negative.
static float pixels_across(const view_culling *culling, view_sphere sphere)
{
    const view_lens *const lens = &culling->lens;
    if (lens->orthographic)
        return sphere.radius * culling->height / lens->half_y;
    const float depth = md5_vec3_dot(lens->axes.back, md5_vec3_sub(lens->eye, sphere.center));
    return sphere.radius * culling->height / (lens->half_y * fmaxf(depth, sphere.radius));
}

// == Advancing =============================================================================

static const float speed_rate = 2;          // rate at which the speed approaches target_speed, 1/s
static const float border_turn_rate = 1.2f; // of a member at the border, radians per second

// Returns the next random number, from 0 to below 1, of the generator xorshift64 (Marsaglia 2003).
static float next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (float)(*state >> 40) / (float)(1 << 24);
}

// Selects what a member with a machine does until a random time. It fires a trigger of the machine,
// or sets the target speed so that the member stands, walks or runs. A member that talks to its
// group only fires triggers.
static void choose_behavior(const view_crowd *crowd, view_member *member)
{
    enum { TRIGGER, STAND, NUM_CHOICES = 4 }; // the other choices are to move
    const float walking_chance = 0.75f;       // otherwise the member runs
    const float walking_speed = 0.36f;        // relative to the maximum
    const md5_machine *const machine = crowd->kinds[member->kind].machine;
    const md5_machine_desc *const desc = md5_machine_tables(machine);
    const uint32_t choice = (uint32_t)(next_random(&member->random) * (float)NUM_CHOICES);
    member->next_choice = crowd->time + 1.5 + 4 * (double)next_random(&member->random);
    const float random = next_random(&member->random); // selects the trigger or the speed

    const bool fires_trigger = choice == TRIGGER || member->talks;
    if (fires_trigger && desc->num_parameters > 0) {
        const float position = random * (float)desc->num_parameters;
        const uint32_t parameter = (uint32_t)position % desc->num_parameters;
        if (desc->parameters[parameter].kind == MD5_PARAMETER_TRIGGER)
            md5_player_set(member->player, parameter, 1);
        return;
    }
    if (choice == STAND) {
        member->target_speed = 0;
        return;
    }
    float min_speed;
    float max_speed;
    view_parameter_range(machine, "speed", &min_speed, &max_speed);
    const float relative_speed = random < walking_chance ? walking_speed : 1;
    member->target_speed = relative_speed * max_speed;
}

// Moves the parameter `speed` of a member's machine towards the target speed.
static void approach_target_speed(const view_member *member, const md5_machine *machine,
                                  float seconds)
{
    const uint32_t speed = md5_find_parameter(machine, "speed");
    if (speed == MD5_NONE)
        return;
    const float current = md5_player_get(member->player, speed);
    const float part = fminf(speed_rate * seconds, 1);
    md5_player_set(member->player, speed, current + (member->target_speed - current) * part);
}

// Rotates a member that has left the square of the crowd back towards the middle.
static void rotate_inward(const view_crowd *crowd, view_member *member, float seconds)
{
    const md5_vec3 position = member->placement.translation; // relative to the middle
    const float distance = fmaxf(fabsf(position.x), fabsf(position.y));
    if (distance < crowd->spread)
        return;
    const md5_vec3 ahead = md5_quat_rotate(member->placement.rotation, (md5_vec3){1, 0, 0});
    const float side = ahead.x * position.y - ahead.y * position.x; // > 0: the middle is right
    const float rate = side > 0 ? -border_turn_rate : border_turn_rate;
    member->placement.rotation = view_rotate_about_z(member->placement.rotation, rate * seconds);
}

// Passes the placement of a member to the springs of its machine, because springs are simulated in
// world space. Returns true if the machine has springs.
static bool move_springs(const view_member *member, const md5_machine_desc *desc)
{
    bool has_springs = false;
    for (uint32_t i = 0; i < desc->num_modifiers; i++) {
        if (desc->modifiers[i].kind != MD5_MODIFIER_SPRING)
            continue;
        md5_target *const target = md5_player_target(member->player, i);
        target->position = member->placement.translation;
        target->rotation = member->placement.rotation;
        has_springs = true;
    }
    return has_springs;
}

// Advances a member with a player by the time since its last update. Selects its behavior, advances
// its machine, and moves the member. Returns true if the machine has springs.
static bool wander(const view_crowd *crowd, view_member *member)
{
    const md5_machine *const machine = crowd->kinds[member->kind].machine;
    const float seconds = member->waited;
    if (crowd->time >= member->next_choice)
        choose_behavior(crowd, member);
    approach_target_speed(member, machine, seconds);
    rotate_inward(crowd, member, seconds);
    md5_player_advance(member->player, seconds, NULL, NULL);
    member->placement = md5_xform_mul(member->placement, md5_player_root_motion(member->player));
    return move_springs(member, md5_machine_tables(machine));
}

// Members with a smaller diameter than these are updated every second or fourth frame, pixels. A
// fast limb crosses the whole character in half a second. At 60 frames per second, it then jumps by
// at most six pixels.
static const float half_rate_pixels = 90;
static const float quarter_rate_pixels = 45;

// Maximum time between updates, seconds. An animated film shows a drawing for this long: 12
// drawings per second.
static const float max_wait = 1.0f / 12.0f;

// Returns a sphere in world space that contains a member in any pose.
static view_sphere member_sphere(const view_crowd *crowd, const view_member *member)
{
    const view_sphere sphere = crowd->kinds[member->kind].sphere;
    return (view_sphere){md5_xform_point(member->placement, sphere.center), sphere.radius};
}

// Returns the fraction of pixels, 0 to 1, that show the impostor of a member instead of its
// model. `size` is the diameter of the member in pixels. If `pixels` is 0, impostors are not
// used.
float view_impostor_fraction(float size, float pixels)
{
    if (pixels <= 0)
        return 0;
    const float max_size = 1.25f * pixels; // no impostor is drawn from this size on
    const float fade_range = 0.25f * pixels;
    return view_clamp((max_size - size) / fade_range, 0, 1);
}

// Returns the size of a pose in bytes.
static size_t pose_size(const view_kind *kind)
{
    return kind->model->skeleton.num_joints * sizeof(md5_xform);
}

// Poses a player and writes its palette, which may be NULL. `scratch` contains the local pose,
// followed by the scratch memory of md5_player_pose().
static void pose_player(const view_kind *kind, md5_player *player, unsigned char *scratch,
                        md5_mat34 *palette)
{
    md5_player_pose(player, (md5_xform *)(void *)scratch, NULL, palette, scratch + pose_size(kind));
}

// Returns the number of frames between updates of a member with a diameter of `pixels`. At a low
// frame rate it is smaller, so that no member waits longer than max_wait seconds.
static uint32_t update_stride(const view_crowd *crowd, float pixels)
{
    uint32_t stride = 1;
    if (pixels < quarter_rate_pixels)
        stride = 4;
    else if (pixels < half_rate_pixels)
        stride = 2;
    while (stride > 1 && (float)stride * crowd->pace > max_wait)
        stride /= 2;
    return stride;
}

// Selects the level of detail of a visible member, and the fraction that its impostor shows.
static void select_detail(const view_crowd *crowd, view_member *member, view_sphere sphere)
{
    const view_kind *const kind = &crowd->kinds[member->kind];
    const float pixels = pixels_across(crowd->culling, sphere);
    member->pixels = pixels;
    if (kind->pictures.impostors != NULL)
        member->impostor_fraction =
            view_impostor_fraction(pixels, kind->levels[kind->num_levels - 1].pixels);
    // Baked vertices are blended linearly, which does not match dual-quaternion skinning.
    const bool allows_baked = member->impostor_fraction < 1 && !crowd->is_dual;
    member->level = view_detail_at(kind, member->clip, ldexpf(pixels, -crowd->coarser),
                                   crowd->reduces, allows_baked);
}

// Returns true if a member is updated in this frame. Small members are updated every second or
// fourth frame. The index of a member determines in which, so that each frame updates about the
// same number of members.
static bool is_update_due(const view_crowd *crowd, const view_member *member, size_t index)
{
    const bool is_throttled = crowd->culling != NULL && crowd->throttles;
    if (!is_throttled)
        return true;
    const float pixels = pixels_across(crowd->culling, member_sphere(crowd, member));
    return (crowd->num_frames + index) % update_stride(crowd, pixels) == 0;
}

// Advances the members from `begin` to before `end` by crowd->step, and selects their levels of
// detail if the crowd is drawn. Runs on several threads; `user` is the crowd.
static void advance_part(void *user, uint32_t worker, size_t begin, size_t end)
{
    view_crowd *const crowd = user;
    for (size_t i = begin; i < end; i++) {
        view_member *const member = &crowd->members[i];
        bool has_springs = false;
        member->is_due = is_update_due(crowd, member, i);
        member->waited += crowd->step;
        if (member->is_due) {
            if (member->player != NULL)
                has_springs = wander(crowd, member);
            member->waited = 0;
        }

        const view_sphere sphere = member_sphere(crowd, member);
        member->is_visible = crowd->culling != NULL && view_may_be_visible(crowd->culling, sphere);
        member->impostor_fraction = 0;
        member->level = 0;
        if (member->is_visible)
            select_detail(crowd, member, sphere);

        // Springs are simulated during posing. A culled member with springs must therefore be posed
        // too, although it is not drawn.
        if (has_springs && !member->is_visible)
            pose_player(&crowd->kinds[member->kind], member->player,
                        crowd->scratch + worker * crowd->scratch_size, NULL);
    }
}

// -- Posing ---------------------------------------------------------------------------------

// Compares two view_sized for qsort(): the larger member, which is nearer, comes first; then the
// member with the smaller index.
static int compare_sizes(const void *a, const void *b)
{
    const view_sized *const first = a;
    const view_sized *const second = b;
    if (first->pixels < second->pixels || first->pixels > second->pixels)
        return first->pixels > second->pixels ? -1 : 1;
    return (first->member > second->member) - (first->member < second->member);
}

// Clears the lists of visible members of a kind at the beginning of a frame. The members are sorted
// by distance only if reduced levels are drawn (`reduces`).
static void begin_kind_selection(view_kind *kind, bool reduces)
{
    kind->num_seen = 0;
    kind->fades = false;
    kind->is_sorted =
        reduces && kind->num_levels > 1 && kind->levels[1].source == VIEW_DETAIL_POSED;
    for (int i = 0; i < VIEW_MAX_LEVELS; i++)
        kind->levels[i].count = 0;
}

// Counts a member in each form in which it is drawn: impostor, baked, or posed. Also assigns its
// index among the members of this form. A member that fades is drawn in two forms: as an impostor
// and in one of the others.
static void select_member(view_crowd *crowd, view_kind *kind, uint32_t index)
{
    view_member *const member = &crowd->members[index];
    view_detail *const level = &kind->levels[member->level];
    const bool has_impostor = member->is_visible && member->impostor_fraction > 0;
    const bool has_model = member->is_visible && member->impostor_fraction < 1;
    const bool is_baked = has_model && level->source == VIEW_DETAIL_BAKED;
    const bool was_posed = member->is_posed;
    member->is_posed = has_model && !is_baked;

    if (has_impostor) {
        view_detail *const impostors = &kind->levels[kind->num_levels - 1];
        member->impostor_index = impostors->count++;
        crowd->num_far++;
    }
    if (has_impostor && has_model) {
        crowd->num_faded++;
        kind->fades = true;
    }
    if (is_baked) {
        member->draw_index = level->count++;
        crowd->num_baked++;
    }
    if (member->is_posed)
        kind->order[kind->num_seen++] = (view_sized){member->pixels, index};

    // The palette of a posed member is computed if the member was updated. It is also computed if
    // it was not posed before, because its palette is then out of date.
    const bool needs_palette = member->is_due || !was_posed;
    if (member->is_posed && needs_palette) {
        crowd->posed[crowd->num_posed++] = index;
        crowd->num_joints += kind->model->skeleton.num_joints;
    }
}

// Assigns the posed members of a kind to its levels. If the order matters, sorts them from near to
// far.
static void order_posed(view_crowd *crowd, view_kind *kind)
{
    if (kind->is_sorted)
        qsort(kind->order, kind->num_seen, sizeof *kind->order, compare_sizes);
    // If all members are posed and drawn in their own order, their palettes need not be copied.
    const bool are_all_posed = kind->num_seen == kind->end - kind->begin;
    const bool needs_copies = kind->is_sorted || !are_all_posed;
    kind->drawn_palettes = needs_copies ? kind->copies : kind->palettes;
    for (uint32_t i = 0; i < kind->num_seen; i++) {
        view_member *const member = &crowd->members[kind->order[i].member];
        member->draw_index = kind->levels[member->level].count++;
    }
}

// Computes the range of each posed and baked level in the arrays of drawn members. Impostors have a
// separate array. Shadow casters use the palettes of all posed members, so they need no range.
static void begin_levels(view_kind *kind)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < kind->num_levels; i++) {
        view_detail *const level = &kind->levels[i];
        if (level->source == VIEW_DETAIL_CASTERS)
            level->count = kind->num_seen;
        if (level->source == VIEW_DETAIL_POSED || level->source == VIEW_DETAIL_BAKED) {
            level->first = first;
            first += level->count;
        }
    }
}

// Assigns an index among the drawn members to each visible member, and selects the members to pose.
// A member that becomes visible is always posed, unless it is baked or drawn only as an impostor.
static void select_posed(view_crowd *crowd)
{
    crowd->num_joints = 0;
    crowd->num_posed = crowd->num_baked = crowd->num_far = crowd->num_faded = 0;
    for (uint32_t k = 0; k < crowd->num_kinds; k++) {
        view_kind *const kind = &crowd->kinds[k];
        begin_kind_selection(kind, crowd->reduces);
        for (uint32_t i = kind->begin; i < kind->end; i++)
            select_member(crowd, kind, i);
        order_posed(crowd, kind);
        begin_levels(kind);
    }
}

// Returns the palette of a member in the array of its kind, which is in the order of the members.
static md5_mat34 *member_palette(const view_crowd *crowd, const view_member *member)
{
    const view_kind *const kind = &crowd->kinds[member->kind];
    const size_t index_in_kind = (size_t)(member - crowd->members) - kind->begin;
    return kind->palettes + index_in_kind * kind->model->skeleton.num_joints;
}

// Returns the sample position of a member without a machine at the time of the crowd. Clips loop.
static md5_sample_position member_sample_position(const view_crowd *crowd,
                                                  const view_member *member)
{
    const md5_binding *const clip = crowd->kinds[member->kind].clips[member->clip];
    return md5_sample_position_at(clip->anim, crowd->time + member->offset, MD5_WRAP_LOOP);
}

// Clips that are posed in one call. The palettes are written to a buffer, and then copied to the
// palettes of the members: see VIEW_POSES_PER_BATCH.
typedef struct pose_batch {
    md5_pose_job jobs[VIEW_POSES_PER_BATCH];
    md5_mat34 *palettes[VIEW_POSES_PER_BATCH]; // the palette of the member of each job
    uint32_t num_jobs;
    md5_mat34 *next_palette; // the unused part of the buffer
} pose_batch;

// Adds a member that plays a clip to a batch. The poses of a batch are computed together, which is
// faster than one by one.
static void add_to_batch(pose_batch *batch, const view_crowd *crowd, const view_member *member)
{
    const view_kind *const kind = &crowd->kinds[member->kind];
    batch->palettes[batch->num_jobs] = member_palette(crowd, member);
    batch->jobs[batch->num_jobs++] = (md5_pose_job){.binding = kind->clips[member->clip],
                                                    .sample = member_sample_position(crowd, member),
                                                    .root = MD5_ROOT_IN_PLACE,
                                                    .palette = batch->next_palette};
    batch->next_palette += kind->model->skeleton.num_joints;
}

// Computes the palettes of a batch and copies them to the members.
static void run_batch(const pose_batch *batch, void *scratch)
{
    md5_pose_batch(batch->jobs, batch->num_jobs, NULL, scratch);
    for (uint32_t i = 0; i < batch->num_jobs; i++) {
        const md5_pose_job *const job = &batch->jobs[i];
        memcpy(batch->palettes[i], job->palette,
               job->binding->skeleton->num_joints * sizeof *job->palette);
    }
}

// Computes the palettes of the posed members from `begin` to before `end`. Players pose members
// with machines one by one. Members with clips are posed in batches. Runs on several threads;
// `user` is the crowd.
static void pose_part(void *user, uint32_t worker, size_t begin, size_t end)
{
    const view_crowd *const crowd = user;
    // The scratch memory of a worker begins with the palettes of a batch.
    md5_mat34 *const buffer = (md5_mat34 *)(void *)(crowd->scratch + worker * crowd->scratch_size);
    unsigned char *const scratch = (unsigned char *)(buffer + crowd->buffer_size);
    pose_batch batch;
    batch.num_jobs = 0;
    batch.next_palette = buffer;
    for (size_t i = begin; i < end; i++) {
        const view_member *const member = &crowd->members[crowd->posed[i]];
        const view_kind *const kind = &crowd->kinds[member->kind];
        if (member->player != NULL) {
            pose_player(kind, member->player, scratch, member_palette(crowd, member));
            continue;
        }
        add_to_batch(&batch, crowd, member);
        if (batch.num_jobs == VIEW_POSES_PER_BATCH) {
            run_batch(&batch, scratch);
            batch.num_jobs = 0;
            batch.next_palette = buffer;
        }
    }
    if (batch.num_jobs > 0)
        run_batch(&batch, scratch);
}

// Copies the palette and the morph weights of a posed member to the arrays that are drawn. `index`
// is its index among the drawn members.
static void write_member_pose(const view_crowd *crowd, const view_member *member, size_t index)
{
    const view_kind *const kind = &crowd->kinds[member->kind];
    const size_t num_joints = kind->model->skeleton.num_joints;
    const bool needs_copy = kind->drawn_palettes == kind->copies;
    if (needs_copy)
        memcpy(kind->copies + index * num_joints, member_palette(crowd, member),
               num_joints * sizeof *kind->copies);
    if (kind->morphs == NULL)
        return;
    const size_t index_in_kind = (size_t)(member - crowd->members) - kind->begin;
    view_drive_morphs(kind->morphs, member->player,
                      kind->reported + index_in_kind * kind->morphs->num_driven,
                      kind->morph_weights + index * kind->morphs->morph->num_targets);
}

// Returns the index of a member's impostor image: the image nearest to the current time of its
// clip. If this image is not drawn yet, returns the last earlier image of the clip that exists.
static uint32_t select_impostor_image(const view_crowd *crowd, const view_member *member)
{
    const view_kind *const kind = &crowd->kinds[member->kind];
    const view_pictures *const pictures = &kind->pictures;
    const double duration = kind->clips[member->clip]->anim->duration;
    const double cycles = duration > 0 ? (crowd->time + member->offset) / duration : 0;
    const double part = cycles - floor(cycles); // of the current cycle
    const uint32_t first = pictures->first[member->clip];
    const uint32_t num_images = pictures->first[member->clip + 1] - first;
    uint32_t in_clip = (uint32_t)(part * num_images + 0.5) % num_images;
    while (in_clip > 0 && !md5gl_has_impostor_images(pictures->impostors, first + in_clip))
        in_clip--;
    return first + in_clip;
}

// Writes the placement and the image of a member's impostor.
static void write_impostor(const view_crowd *crowd, const view_member *member)
{
    const view_pictures *const pictures = &crowd->kinds[member->kind].pictures;
    pictures->instances[member->impostor_index] = (md5gl_impostor){
        .rotation = member->placement.rotation,
        .translation = member->placement.translation,
        .scale = 1,
        .frame = (float)select_impostor_image(crowd, member),
        .shown = member->impostor_fraction,
    };
}

// Writes the placement, palette and other drawing data of the visible members from `begin` to
// before `end`. Runs on several threads; `user` is the crowd.
static void write_member_range(void *user, uint32_t worker, size_t begin, size_t end)
{
    const view_crowd *const crowd = user;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const view_member *const member = &crowd->members[i];
        const view_kind *const kind = &crowd->kinds[member->kind];
        const size_t index = kind->levels[member->level].first + member->draw_index;
        if (!member->is_visible)
            continue;

        const bool has_model = member->impostor_fraction < 1; // posed or baked
        if (has_model) {
            kind->placements[index] = md5_mat34_from_xform(member->placement);
            kind->tints[index] = (md5_vec4){1, 1, 1, 1 + member->impostor_fraction};
        }
        if (member->is_posed) {
            write_member_pose(crowd, member, index);
        } else if (has_model) {
            const md5_sample_position sample = member_sample_position(crowd, member);
            kind->jobs[member->draw_index] = view_baked_job(&kind->bakes, member->clip, &sample);
        }
        if (member->impostor_fraction > 0)
            write_impostor(crowd, member);
    }
}

// -- Updating -------------------------------------------------------------------------------

// Returns true if the members of a kind play a state machine.
static bool has_machines(const view_crowd *crowd)
{
    for (uint32_t k = 0; k < crowd->num_kinds; k++) {
        if (crowd->kinds[k].machine != NULL)
            return true;
    }
    return false;
}

// Advances all members of the crowd to a time, seconds, which may be before the current time.
// Members with machines advance in steps of limited length, and only through the last
// `max_simulated` seconds. Members that play clips can jump to any time.
static void advance_crowd(view_crowd *crowd, double time, const view_culling *culling)
{
    const double max_step = 1.0 / 15.0; // seconds
    const double max_simulated = 30;    // seconds
    double remaining = time - crowd->time;
    crowd->pace = fabsf((float)remaining);

    // Skip the time that is not simulated.
    double skipped = 0;
    if (!has_machines(crowd))
        skipped = remaining;
    else if (remaining > max_simulated)
        skipped = remaining - max_simulated;
    crowd->time += skipped;
    remaining -= skipped;

    // Levels of detail are selected once, in the last step. This step may be 0 seconds long.
    bool is_last = false;
    while (!is_last) {
        is_last = !(remaining > max_step);
        const double step = is_last ? remaining : max_step;
        crowd->step = (float)step;
        crowd->time += step;
        crowd->culling = is_last ? culling : NULL;
        md5_threads_run(crowd->threads, crowd->count, advance_part, crowd);
        remaining -= max_step;
    }
}

// Advances all members of the crowd. If the crowd is drawn (`culling` is not NULL), also poses the
// visible members. Each phase runs on all threads.
void view_run_crowd(view_crowd *crowd, double time, const view_culling *culling)
{
    const double begin = view_seconds();
    advance_crowd(crowd, time, culling);
    if (culling != NULL) {
        select_posed(crowd);
        md5_threads_run(crowd->threads, crowd->num_posed, pose_part, crowd);
        md5_threads_run(crowd->threads, crowd->count, write_member_range, crowd);
        crowd->num_frames++;
    }
    crowd->culling = NULL;

    // A moving average of the duration of updates.
    crowd->last_seconds = view_seconds() - begin;
    crowd->seconds =
        crowd->seconds > 0 ? 0.9 * crowd->seconds + 0.1 * crowd->last_seconds : crowd->last_seconds;
}

// == Creation ==============================================================================
//
// The kinds of a crowd, and the placement, clip and time offset of each member.

// Distance between the members' cells, relative to the size of the largest kind. Each member stands
// in a cell of a square grid.
static const float spacing = 1.1f;

// Sizes of per-thread memory are multiples of a cache line, so that no two threads write to the
// same line.
enum { LINE = 64 };

// Returns the number of kinds: one for the scene, and one for each model or machine in `files`. The
// first file, if there is one, is a model.
static uint32_t count_kinds(const char *const *files, size_t num_files)
{
    uint32_t count = 1;
    size_t model = 0; // index of a model; its clips follow
    while (model < num_files) {
        const size_t after_model = model + 1;
        count++;
        model = after_model + view_find_model(files + after_model, num_files - after_model);
    }
    return count;
}

// Loads and uploads the scene of a kind after the first, from a model and its clips. Returns false
// and logs an error on failure.
static bool load_kind_scene(view_kind *kind, const char *const *files, size_t num_files,
                            const view_loader *loader)
{
    const bool is_automatic = !loader->options->no_auto;
    if (!view_load_scene(&kind->loaded, files, num_files, NULL, is_automatic, loader->log))
        return false;
    kind->textures = kind->owned_textures = common_alloc(1, sizeof *kind->owned_textures);
    return view_upload_scene(loader, &kind->loaded, false, &kind->drawn, kind->owned_textures);
}

// Loads the morph targets of a kind after the first, if --morph or its machine sets weights.
// Returns false and logs an error on failure.
static bool load_kind_morphs(view_kind *kind, const view_loader *loader)
{
    const md5_machine *const machine = view_scene_machine(&kind->loaded);
    if (loader->options->morphs.count == 0 && !view_has_driven_morphs(machine))
        return true;
    if (!view_load_morphs(&kind->owned_morphs, kind->loaded.path, kind->loaded.model, machine,
                          false, loader))
        return false;
    kind->morphs = &kind->owned_morphs;
    return true;
}

// Allocates the arrays with an element for each member of a kind, so that no frame needs to
// allocate memory.
static void allocate_kind_arrays(view_kind *kind)
{
    const size_t count = kind->end - kind->begin;
    const size_t num_matrices = count * kind->model->skeleton.num_joints;
    if (kind->morphs != NULL) {
        const md5_morph *const morph = kind->morphs->morph;
        kind->morph_weights = common_alloc(count * morph->num_targets, sizeof(float));
        kind->reported = common_alloc(count * kind->morphs->num_driven, sizeof(float));
    }
    kind->palettes = common_alloc(num_matrices, sizeof *kind->palettes);
    kind->copies = common_alloc(num_matrices, sizeof *kind->copies);
    kind->placements = common_alloc(count, sizeof *kind->placements);
    kind->tints = common_alloc(count, sizeof *kind->tints);
    kind->order = common_alloc(count, sizeof *kind->order);
}

// Increases the size of the scratch memory to what a kind needs. Each worker uses its scratch
// memory for all kinds.
static void reserve_scratch(view_crowd *crowd, const view_kind *kind)
{
    const md5_pose_job job = {.binding = kind->num_clips > 0 ? kind->clips[0] : NULL};
    size_t scratch_size;
    if (kind->machine != NULL)
        scratch_size = md5_player_pose_scratch(kind->machine) + pose_size(kind);
    else
        scratch_size = md5_pose_batch_scratch(&job, 1, NULL);
    const size_t buffer_size = VIEW_POSES_PER_BATCH * (size_t)kind->model->skeleton.num_joints;
    if (crowd->scratch_size < scratch_size)
        crowd->scratch_size = scratch_size;
    if (crowd->buffer_size < buffer_size)
        crowd->buffer_size = buffer_size;
}

// Loads a kind after the first: its model and clips, its textures and its morph targets. If it has
// no clips, it plays the clips of the kind `first`. Returns false and logs an error on failure.
static bool load_kind(view_kind *kind, const view_kind *first, const char *const *files,
                      size_t num_files, const view_loader *loader)
{
    return load_kind_scene(kind, files, num_files, loader)
           && find_clips(kind, &kind->loaded, first, loader->log) && load_kind_morphs(kind, loader);
}

// Logs an error and returns false if --crowd has too few members for its kinds, or if there are too
// many kinds.
static bool check_num_kinds(const view_crowd *crowd, uint32_t num_kinds, view_log *log)
{
    if (num_kinds > VIEW_MAX_KINDS)
        return view_error(log, "--crowd: too many models: expected at most %d, found %u",
                          VIEW_MAX_KINDS, num_kinds);
    if (num_kinds > crowd->count)
        return view_error(log, "--crowd %u: fewer characters than models; use --crowd %u or more",
                          crowd->count, num_kinds);
    return true;
}

// Prepares a kind whose model is loaded for drawing. Allocates its arrays and measures its size.
// Enlarges the size of the crowd and the scratch memory if this kind needs more.
static void prepare_kind(view_crowd *crowd, view_kind *kind)
{
    allocate_kind_arrays(kind);
    kind->sphere = measure_bounding_sphere(kind);
    crowd->size = fmaxf(crowd->size, view_size(kind->model->bounds));
    reserve_scratch(crowd, kind);
}

// Creates the kinds, to which about equal numbers of members are assigned. The first kind shows
// `scene` with the GPU objects of `first`. The others show the models in `files`, in which each
// model is followed by its clips. Returns false and logs an error on failure.
static bool create_kinds(view_crowd *crowd, const view_scene *scene, const view_kind *first,
                         const char *const *files, size_t num_files, const view_loader *loader)
{
    const uint32_t num_kinds = count_kinds(files, num_files);
    if (!check_num_kinds(crowd, num_kinds, loader->log))
        return false;

    size_t first_file = 0; // of the current kind
    crowd->kinds[0] = *first;
    for (uint32_t i = 0; i < num_kinds; i++) {
        view_kind *const kind = &crowd->kinds[crowd->num_kinds++];
        kind->begin = (uint32_t)((uint64_t)crowd->count * i / num_kinds);
        kind->end = (uint32_t)((uint64_t)crowd->count * (i + 1) / num_kinds);
        bool is_loaded;
        if (i == 0) {
            is_loaded = find_clips(kind, scene, NULL, loader->log);
        } else {
            const char *const *const kind_files = files + first_file;
            const size_t num_remaining = num_files - first_file - 1; // after the model
            const size_t num_kind_files = 1 + view_find_model(kind_files + 1, num_remaining);
            is_loaded = load_kind(kind, &crowd->kinds[0], kind_files, num_kind_files, loader);
            first_file += num_kind_files;
        }
        if (!is_loaded)
            return false;
        prepare_kind(crowd, kind);
    }
    return true;
}

// -- Members --------------------------------------------------------------------------------

// Factor that turns a small number into a seed for next_random(): 2^64 divided by the golden ratio.
static const uint64_t seed_factor = UINT64_C(0x9E3779B97F4A7C15);

// Discards the first random numbers, which are similar for similar seeds.
static void discard_similar_numbers(uint64_t *random)
{
    enum { NUM_DISCARDED = 4 };
    for (int i = 0; i < NUM_DISCARDED; i++)
        next_random(random);
}

// Returns the middle of the group to which a cell belongs, in cells. Each square of 2 x 2 cells
// contains the middle of one group, at a random position away from its border. A cell belongs to
// the nearest middle, so most groups have two to six members. *random receives a random state that
// is the same for all members of the group.
static md5_vec3 find_group(md5_vec3 cell, uint64_t *random)
{
    md5_vec3 nearest = {INFINITY, 0, 0};
    for (int i = 0; i < 9; i++) { // the square of the cell and its eight neighbors
        const int x = (int)(0.5f * cell.x) + i % 3 - 1;
        const int y = (int)(0.5f * cell.y) + i / 3 - 1;
        // The position of the square is the seed, so the members of a group find the same middle.
        uint64_t state = (((uint64_t)x << 32) + (uint64_t)y + 2) * seed_factor;
        discard_similar_numbers(&state);
        const float in_square_x = 0.2f + 0.6f * next_random(&state); // relative to its side
        const float in_square_y = 0.2f + 0.6f * next_random(&state);
        const md5_vec3 middle = {2 * ((float)x + in_square_x), 2 * ((float)y + in_square_y), 0};
        if (view_distance(middle, cell) < view_distance(nearest, cell)) {
            nearest = middle;
            *random = state;
        }
    }
    return nearest;
}

// Returns the cells of the members: 0 to count - 1, shuffled, so that neighbors differ in kind and
// clip. The caller frees them.
static uint32_t *shuffle_cells(uint32_t count)
{
    uint32_t *const cells = common_alloc(count, sizeof *cells);
    uint64_t random = seed_factor;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t swapped = (uint32_t)(next_random(&random) * (float)(i + 1)) % (i + 1);
        cells[i] = cells[swapped];
        cells[swapped] = i;
    }
    return cells;
}

// Places a member near the middle of the group of its cell. In some groups, the members face the
// middle and talk. In the others, they roughly face the viewer, and walk in that direction
// together.
static void position_member(const view_crowd *crowd, view_member *member, md5_vec3 cell)
{
    const float step = spacing * crowd->size; // side of a cell, units
    uint64_t group_random = 0;
    const md5_vec3 middle = find_group(cell, &group_random);
    const md5_vec3 to_middle = md5_vec3_sub(middle, cell);
    const float group_heading = 0.7f * VIEW_PI * (next_random(&group_random) - 0.5f);
    member->talks = next_random(&group_random) < 0.5f;
    if (!member->talks)
        member->random = group_random; // the group makes the same choices

    const md5_vec3 position = md5_vec3_scale(view_along(cell, to_middle, 0.4f), step);
    const md5_vec3 center = {crowd->spread, crowd->spread, 0}; // of the square of all cells
    const float heading = member->talks ? atan2f(to_middle.y, to_middle.x) : group_heading;
    member->placement.translation = md5_vec3_sub(position, center);
    member->placement.rotation = view_rotate_about_z((md5_quat){.w = 1}, heading);
}

// Selects the clip and the start time of member `index` of a kind. Members are sorted by clip, so
// that the poses of a batch belong to one clip; otherwise a batch takes twice as long. The start
// times of a clip's members are spread over the clip, so that they do not move in step.
static void select_clip(const view_kind *kind, view_member *member, uint32_t index)
{
    const uint32_t count = kind->end - kind->begin;
    member->clip = (uint32_t)((uint64_t)index * kind->num_clips / count);
    const double members_per_clip = (double)count / kind->num_clips;
    const double part = (index + (double)next_random(&member->random)) / members_per_clip;
    member->offset = kind->clips[member->clip]->anim->duration * (part - member->clip);
}

// Creates a member of a kind in a cell of the square, with a player or a clip. Returns false and
// logs an error on failure.
static bool create_member(view_crowd *crowd, uint32_t index, uint32_t kind_index, md5_vec3 cell,
                          view_log *log)
{
    const view_kind *const kind = &crowd->kinds[kind_index];
    view_member *const member = &crowd->members[index];
    *member = (view_member){.kind = kind_index, .random = (index + 1) * seed_factor};
    discard_similar_numbers(&member->random);
    position_member(crowd, member, cell);
    member->next_choice = 3 * (double)next_random(&member->random);
    if (kind->machine == NULL) {
        select_clip(kind, member, index - kind->begin);
        return true;
    }

    md5_error error = {0};
    member->player = md5_create_player(kind->machine, NULL, &error);
    if (member->player == NULL)
        return view_log_error(log, &error);
    md5_player_seed(member->player, index); // each member blinks at different times
    return true;
}

// Creates all members: distributes them over the cells of the square, and gives each a player or a
// clip. Returns false and logs an error on failure.
static bool create_members(view_crowd *crowd, view_log *log)
{
    const uint32_t side = (uint32_t)ceil(sqrt(crowd->count)); // cells per side of the square
    uint32_t *const cells = shuffle_cells(crowd->count);
    bool is_created = true;
    uint32_t kind = 0;
    for (uint32_t i = 0; i < crowd->count && is_created; i++) {
        if (i == crowd->kinds[kind].end)
            kind++;
        const uint32_t row = cells[i] / side;
        const uint32_t column = cells[i] % side;
        const md5_vec3 middle = {(float)column + 0.5f, (float)row + 0.5f, 0}; // of the cell
        is_created = create_member(crowd, i, kind, middle, log);
    }
    free(cells);
    return is_created;
}

// -- Memory ---------------------------------------------------------------------------------

// Maximum number of impostor images per second of a clip. Small characters do not need more. It is
// reduced if the memory does not suffice.
static const double image_rate = 15;

// Bytes of GPU memory for the images of all kinds.
static const size_t image_memory = (size_t)192 << 20;

// Bytes per frame: 25 views of 64 x 64 texels of 8 bytes, and a third more for mipmaps.
enum { FRAME_SIZE = 25 * 64 * 64 * 8 / 3 * 4 };

// Bytes for the baked clips of all kinds.
static const size_t baked_memory = (size_t)256 << 20;

// Writes pictures->first, which distributes the impostor images of a kind over its clips. There are
// image_rate images per second, or fewer if they would exceed this kind's share of image_memory.
static void plan_impostor_images(const view_crowd *crowd, const view_kind *kind)
{
    uint32_t *const first = kind->pictures.first;
    double duration = 0; // of all clips
    for (uint32_t i = 0; i < kind->num_clips; i++)
        duration += kind->clips[i]->anim->duration;

    // Each clip has at least one image, which the limit does not include.
    const double max_images =
        (double)image_memory / (double)FRAME_SIZE / crowd->num_kinds - kind->num_clips;
    double rate = image_rate;
    if (duration * image_rate > max_images)
        rate = fmax(max_images, 0) / duration;
    for (uint32_t i = 0; i < kind->num_clips; i++) {
        const double num_images = fmin(1 + rate * kind->clips[i]->anim->duration, 1e4);
        first[i + 1] = first[i] + (uint32_t)num_images;
    }
}

// Adds the level of the impostors, with images of the clips. Reduces the number of images per
// second if the images would exceed the memory. Returns false and logs an error on failure.
static bool add_impostors(view_crowd *crowd, view_kind *kind, const view_loader *loader)
{
    view_pictures *const pictures = &kind->pictures;
    pictures->first = common_alloc((size_t)kind->num_clips + 1, sizeof *pictures->first);
    pictures->instances = common_alloc(kind->end - kind->begin, sizeof *pictures->instances);
    plan_impostor_images(crowd, kind);

    md5_error error = {0};
    const md5gl_impostor_desc desc = {
        .num_frames = pictures->first[kind->num_clips],
        .center = kind->sphere.center,
        .radius = kind->sphere.radius,
    };
    pictures->impostors = md5gl_create_impostors(loader->renderer, &desc, &error);
    kind->levels[kind->num_levels++] =
        (view_detail){.source = VIEW_DETAIL_PICTURED, .pixels = crowd->impostor_pixels};
    return pictures->impostors != NULL || view_log_error(loader->log, &error);
}

// Creates the levels of detail of a kind; the first is the kind's model. `texel` is the side of a
// texel of the shadow map, units. Returns false and logs an error on failure.
static bool create_kind_levels(view_crowd *crowd, view_kind *kind, float texel,
                               const view_loader *loader)
{
    kind->levels[kind->num_levels++] =
        (view_detail){.source = VIEW_DETAIL_POSED,
                      .pixels = INFINITY,
                      .drawn = kind->drawn,
                      .drawn_morph = kind->morphs != NULL ? kind->morphs->drawn : NULL};
    const bool has_size = kind->sphere.radius > 0;
    if (!has_size)
        return true;

    // Deformed surfaces and material stages exist only for the kind's own model, so such a kind has
    // no reduced levels.
    const bool is_reducible = view_can_reduce_meshes() && kind->textures->layers.num_meshes == 0;
    if (crowd->reduced_pixels > 0 && is_reducible)
        add_reduced(kind, crowd->reduced_pixels, texel, crowd->threads, loader);

    // Baked clips and impostors contain only frames of clips. They cannot show blended poses of
    // machines, morph targets, or surfaces that rotate towards the viewer.
    const bool shows_only_clips = kind->machine == NULL && kind->morphs == NULL;
    if (!shows_only_clips || kind->textures->layers.has_deforms)
        return true;
    if (crowd->baked_pixels > 0)
        view_add_baked(kind, crowd->baked_pixels, baked_memory / crowd->num_kinds, crowd->threads,
                       loader);
    if (crowd->impostor_pixels <= 0)
        return true;
    return add_impostors(crowd, kind, loader);
}

// Creates the levels of detail of all kinds. Call it after all kinds are created: the size of a
// shadow texel depends on the extent of the whole crowd. Returns false and logs an error on
// failure.
static bool create_levels(view_crowd *crowd, const view_loader *loader)
{
    const float texel = sqrtf(2) * 2 * crowd->spread / (float)VIEW_CROWD_TEXELS;
    for (uint32_t k = 0; k < crowd->num_kinds; k++) {
        view_kind *const kind = &crowd->kinds[k];
        if (kind->drawn != NULL && !create_kind_levels(crowd, kind, texel, loader))
            return false;
    }
    return true;
}

// Returns the largest diameter in the image at which members use a level of detail, pixels. This is
// the value `given` of the option if `is_given` is true. Otherwise it is `default_pixels`. Small
// crowds, of fewer than `min_members` members, do not need the level, so they get 0.
static float level_pixels(const view_options *options, bool is_given, uint32_t given,
                          uint32_t min_members, uint32_t default_pixels)
{
    if (is_given)
        return (float)given;
    return options->crowd >= min_members ? (float)default_pixels : 0;
}

// Returns an empty crowd with the settings of the options. They include the largest diameters, in
// pixels, at which members are drawn with fewer triangles, as baked clips, and as impostors. The
// numbers below are the defaults: the smallest crowd that uses a level, and its diameter.
static view_crowd choose_crowd_settings(const view_options *options)
{
    // Clips are not baked for an output. It draws only a few images, so baking would take longer
    // than it saves. A saved image must show every member at its exact time, so no member is
    // updated less often.
    const bool is_in_window = options->output == NULL;
    const uint32_t default_baked = is_in_window ? 128 : 0;
    return (view_crowd){
        .count = options->crowd,
        .culls = true,
        .throttles = is_in_window,
        .reduced_pixels =
            level_pixels(options, options->crowd_reduced_given, options->crowd_reduced, 100, 512),
        .baked_pixels = level_pixels(options, options->crowd_baked_given, options->crowd_baked,
                                     1000, default_baked),
        .impostor_pixels = level_pixels(options, options->crowd_impostors_given,
                                        options->crowd_impostors, 5000, 64),
    };
}

// Creates a crowd: its kinds, one for each model, then their levels of detail, then its members.
// Returns false and logs an error on failure; the caller frees the crowd in both cases.
bool view_make_crowd(view_crowd *crowd, const view_scene *scene, const view_kind *first,
                     const char *const *files, size_t num_files, const view_loader *loader)
{
    const uint32_t count = loader->options->crowd;
    *crowd = choose_crowd_settings(loader->options);
    for (size_t i = 0; i < num_files; i++)
        common_add(&crowd->files, common_copy(files[i]));
    crowd->members = common_alloc(count, sizeof *crowd->members);
    crowd->posed = common_alloc(count, sizeof *crowd->posed);
    crowd->threads = common_start_threads(0);

    if (!create_kinds(crowd, scene, first, files, num_files, loader))
        return false;
    crowd->spread = 0.5f * spacing * crowd->size * (float)ceil(sqrt(count));
    if (!create_levels(crowd, loader) || !create_members(crowd, loader->log))
        return false;

    // Each worker has a batch of palettes, scratch memory, and an unused cache line between them.
    crowd->scratch_size += crowd->buffer_size * sizeof(md5_mat34);
    crowd->scratch_size = (crowd->scratch_size / LINE + 2) * LINE;
    crowd->scratch = common_alloc(crowd->threads->num_workers, crowd->scratch_size);
    return true;
}

// Frees the members, then the kinds with their levels, then the worker threads and shared
// arrays.
void view_free_crowd(view_crowd *crowd, md5gl_renderer *renderer)
{
    for (uint32_t i = 0; i < crowd->count; i++)
        md5_destroy_player(crowd->members[i].player);
    // Free in reverse order, because retargeted clips refer to the first kind.
    for (uint32_t k = crowd->num_kinds; k-- > 0;) {
        view_kind *const kind = &crowd->kinds[k];
        if (kind->owned_textures != NULL && renderer != NULL) {
            view_free_textures(kind->owned_textures, renderer);
            md5gl_destroy_model(renderer, kind->drawn);
        }
        view_free_levels(kind, renderer);
        free(kind->order);
        free(kind->copies);
        free(kind->tints);
        view_free_morphs(&kind->owned_morphs, renderer);
        free(kind->morph_weights);
        free(kind->reported);
        md5_destroy_machine(kind->owned_machine);
        view_free_scene(&kind->loaded);
        free(kind->owned_textures);
        free(kind->clips);
        free(kind->palettes);
        free(kind->placements);
    }
    common_free_list(&crowd->files);
    common_stop_threads(crowd->threads);
    free(crowd->members);
    free(crowd->posed);
    free(crowd->scratch);
    *crowd = (view_crowd){0};
}

uint32_t view_count_visible(const view_crowd *crowd)
{
    uint32_t count = crowd->num_baked;
    for (uint32_t k = 0; k < crowd->num_kinds; k++)
        count += crowd->kinds[k].num_seen;
    return count + crowd->num_far - crowd->num_faded;
}
