// Creates and frees crowds: loads their kinds and creates the levels of detail of each kind.
//
// A member is one character of the crowd. Members of the same kind share a model and its clips. A
// level of detail (short: level) is one form in which the members of a kind are drawn. Each level
// is for a range of diameters in the image. The forms are, from near to far:
//
// - all triangles of the model
// - fewer triangles
// - baked clips: vertices that were skinned in advance
// - impostors: images of the model
#include "demo/viewer/crowd/crowd.h"

#include "demo/common/threads.h"

// == Kinds ========================================================================================

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

// Increases the size of the scratch memory to the size that a kind needs. Each worker uses its
// scratch memory for all kinds.
static void reserve_scratch(view_crowd *crowd, const view_kind *kind)
{
    const md5_pose_job job = {.binding = kind->num_clips > 0 ? kind->clips[0] : NULL};
    size_t scratch_size;
    if (kind->machine != NULL)
        scratch_size = md5_player_pose_scratch(kind->machine) + view_pose_size(kind);
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
           && view_find_clips(kind, &kind->loaded, first, loader->log)
           && load_kind_morphs(kind, loader);
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
    kind->sphere = view_measure_bounding_sphere(kind);
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

    size_t first_file = 0; // first file of the current kind
    crowd->kinds[0] = *first;
    for (uint32_t i = 0; i < num_kinds; i++) {
        view_kind *const kind = &crowd->kinds[crowd->num_kinds++];
        kind->begin = (uint32_t)((uint64_t)crowd->count * i / num_kinds);
        kind->end = (uint32_t)((uint64_t)crowd->count * (i + 1) / num_kinds);
        bool is_loaded;
        if (i == 0) {
            is_loaded = view_find_clips(kind, scene, NULL, loader->log);
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

// == Levels of detail =============================================================================

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
    double duration = 0; // duration of all clips
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
        view_add_reduced(kind, crowd->reduced_pixels, texel, crowd->threads, loader);

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

// == Crowds =======================================================================================

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
    crowd->spread = 0.5f * VIEW_MEMBER_SPACING * crowd->size * (float)ceil(sqrt(count));
    if (!create_levels(crowd, loader) || !view_create_members(crowd, loader->log))
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
