// Creates previews and thumbnails. A request is a text that names a file, or an item of a game
// folder. The subject of a preview is the loaded scene with its images. This file finds the model,
// clip and images of a request, and loads them within limits of time and memory. Then a callback on
// the thread of the renderer draws the subject.
#include "demo/viewer/draw/previews.h"

#include "demo/common/system.h"
#include "demo/viewer/base/math.h"
#include "demo/viewer/motion/motion.h"
#include "demo/viewer/platform/platform.h"

#include <stdatomic.h>

// -- Subjects -------------------------------------------------------------------------------

// Maximum width and height of a texture, relative to the preview. More detail would not be visible.
enum { TEXELS_PER_PIXEL = 2 };

// Returns true if a material is translucent. NULL: the mesh has no material.
static bool is_translucent(const md5_material *material)
{
    return material != NULL && material->coverage == MD5_COVERAGE_TRANSLUCENT;
}

// Returns the first unlit stage of a material that has an image, or NULL.
static const md5_stage *find_ambient_stage(const md5_material *material)
{
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        if (stage->light == MD5_STAGE_AMBIENT && stage->image.text[0] != '\0')
            return stage;
    }
    return NULL;
}

// Writes texel (x, y) of a reduced image of `width` by `height` texels. It is the average of a
// regular grid of samples in the corresponding area of the image `full`.
static void average_samples(const view_image *full, uint64_t width, uint64_t height, uint64_t x,
                            uint64_t y, uint8_t rgba[4])
{
    enum { GRID_SIZE = 4, NUM_SAMPLES = GRID_SIZE * GRID_SIZE };
    unsigned sum[4] = {0};
    for (uint64_t sample = 0; sample < NUM_SAMPLES; sample++) {
        // The position in the grid of all texels, then in the full image.
        const uint64_t grid_x = GRID_SIZE * x + sample % GRID_SIZE;
        const uint64_t grid_y = GRID_SIZE * y + sample / GRID_SIZE;
        const uint64_t column = grid_x * full->width / (GRID_SIZE * width);
        const uint64_t row = grid_y * full->height / (GRID_SIZE * height);
        const uint8_t *const texel = full->rgba + 4 * (row * full->width + column);
        for (int i = 0; i < 4; i++)
            sum[i] += texel[i];
    }
    for (int i = 0; i < 4; i++)
        rgba[i] = (uint8_t)(sum[i] / NUM_SAMPLES);
}

// Reduces an image so that its longer side is at most `side` texels; keeps the ratio of the sides.
// Frees `full`, or returns it unchanged if it is small enough.
static view_image reduce_image(view_image full, uint32_t side)
{
    const uint64_t longest = full.width > full.height ? full.width : full.height;
    if (longest <= side)
        return full;

    // Rounded up, so that no side becomes 0.
    const uint64_t width = (full.width * (uint64_t)side + longest - 1) / longest;
    const uint64_t height = (full.height * (uint64_t)side + longest - 1) / longest;
    uint8_t *const rgba = common_alloc(4 * width * height, 1);
    for (uint64_t y = 0; y < height; y++) {
        for (uint64_t x = 0; x < width; x++)
            average_samples(&full, width, height, x, y, &rgba[4 * (y * width + x)]);
    }
    free(full.rgba);
    return (view_image){rgba, (uint32_t)width, (uint32_t)height};
}

// Returns true if the list of decoded images contains an image with this name.
static bool has_image(const view_prefetch *images, const char *name)
{
    for (size_t i = 0; i < images->count; i++) {
        if (strcmp(images->paths[i], name) == 0)
            return true;
    }
    return false;
}

// Adds an image with a name to the subject, at the resolution that a preview of `size` pixels
// needs. Takes ownership of the image. If the subject already has VIEW_MAX_PREFETCHED images, frees
// the image instead.
static void add_image(view_preview_subject *subject, const char *name, view_image image,
                      uint32_t size)
{
    view_prefetch *const images = &subject->images;
    if (images->count == VIEW_MAX_PREFETCHED) {
        free(image.rgba);
        return;
    }
    images->images[images->count] = reduce_image(image, TEXELS_PER_PIXEL * size);
    images->paths[images->count++] = common_copy(name);
}

// Prepares a loaded subject for its images. All of its images are added before it is drawn, so that
// drawing reads no files.
static void begin_meshes(view_preview_subject *subject)
{
    subject->images.is_complete = true; // no files are read during drawing
    subject->meshes =
        common_alloc(view_count_meshes(&subject->document.scene), sizeof *subject->meshes);
}

// Frees the model of a preview with its images.
static void free_subject(view_preview_subject *subject)
{
    for (uint32_t i = 0; i < view_count_meshes(&subject->document.scene); i++)
        free(subject->meshes[i].image);
    free(subject->meshes);
    view_end_prefetch(&subject->images);
    view_free_scene(&subject->document.scene);
}

// -- Limits of drawing ----------------------------------------------------------------------

// Returns the area of the bounding rectangle of a triangle in an image, pixels. `right` and `up`
// are the axes of the image, `scale` is the number of pixels per unit.
static float covered_area(const md5_vec3 corners[3], md5_vec3 right, md5_vec3 up, float scale)
{
    float min_x = INFINITY;
    float min_y = INFINITY;
    float max_x = -INFINITY;
    float max_y = -INFINITY;
    for (size_t k = 0; k < 3; k++) {
        const float x = md5_vec3_dot(corners[k], right);
        const float y = md5_vec3_dot(corners[k], up);
        min_x = fminf(min_x, x);
        min_y = fminf(min_y, y);
        max_x = fmaxf(max_x, x);
        max_y = fmaxf(max_y, y);
    }
    return scale * (max_x - min_x) * scale * (max_y - min_y);
}

// Estimates the cost of drawing the skinned pose: the sum of the areas of its triangles' bounding
// rectangles, pixels. The assumed image has `size` by `size` pixels and shows the bounds from the
// front left. Each triangle counts as at least one pixel and at most the area of the image.
static uint64_t count_pixels(const view_scene *scene, md5_bounds bounds, uint32_t size)
{
    const float azimuth = 0.52f;   // radians: 30 degrees
    const float elevation = 0.21f; // radians: 12 degrees
    const md5_vec3 right = {-sinf(azimuth), cosf(azimuth), 0};
    const md5_vec3 up = {-sinf(elevation) * cosf(azimuth), -sinf(elevation) * sinf(azimuth),
                         cosf(elevation)};
    const md5_vec3 sides = md5_vec3_sub(bounds.max, bounds.min);
    const float scale = (float)size / fmaxf(fmaxf(sides.x, sides.y), sides.z);
    const float max_area = (float)size * (float)size;
    uint64_t count = 0;
    for (uint32_t i = 0; i < view_count_meshes(scene); i++) {
        const md5_mesh *const mesh = &scene->model->meshes[i];
        const md5_vec3 *const positions = scene->skinned[i].positions;
        for (uint32_t triangle = 0; triangle < mesh->num_triangles; triangle++) {
            const uint32_t *const vertices = mesh->indices + 3 * (size_t)triangle;
            const md5_vec3 corners[3] = {positions[vertices[0]], positions[vertices[1]],
                                         positions[vertices[2]]};
            const float area = covered_area(corners, right, up, scale);
            count += 1 + (uint64_t)fminf(fmaxf(area, 0), max_area);
        }
    }
    return count;
}

// Returns the reason why the skinned pose cannot be drawn as a thumbnail of `size` pixels, or NULL.
static const char *find_obstacle(const view_scene *scene, md5_bounds bounds, uint32_t size)
{
    const uint64_t max_pixels = ((uint64_t)16 << 20) + 16 * (uint64_t)size * size;
    if (view_is_empty(bounds))
        return "nothing to draw";
    const float extent = view_size(bounds);
    if (!(extent > 1e-6f)) // true for NaN
        return "nothing to draw";
    if (extent >= 1e9f)
        return "the model is too large: expected coordinates up to 1e9 units";
    if (count_pixels(scene, bounds, size) > max_pixels)
        return "the triangles of the thumbnail cover too many pixels: expected at most about 16 "
               "million";
    return NULL;
}

// -- Requests -------------------------------------------------------------------------------

// Maximum number of models that are loaded to find the model for a clip or a skin.
enum { MAX_TRIED = 8 };

static const char *const divider = "::";

char *view_preview_request(view_section section, const char *name, const char *on)
{
    if (section != VIEW_ANIMS && section != VIEW_SKINS)
        return common_copy(name);
    return common_format("%s%s%s", on != NULL ? on : "", divider, name);
}

// -- Drawing --------------------------------------------------------------------------------

// Returns the image program of a mesh's texture, or NULL. An image program is the text by which a
// material of a game describes an image. A translucent material often has no diffuse map, so the
// image of its first unlit stage is used.
static const md5_image_program *find_image(const md5_material *material)
{
    if (is_translucent(material)) {
        const md5_stage *const stage = find_ambient_stage(material);
        if (stage != NULL)
            return &stage->image;
    }
    return view_material_image(material, MD5GL_IMAGE_DIFFUSE);
}

// Finds the materials of the meshes in the game. Returns true if all of them are translucent.
static bool find_game_materials(const view_preview_subject *subject)
{
    const view_scene *const scene = &subject->document.scene;
    bool is_all_translucent = true;
    for (uint32_t i = 0; i < view_count_meshes(scene); i++) {
        const char *const shader = scene->model->meshes[i].shader;
        subject->meshes[i].material = md5_game_material(subject->game, shader, NULL);
        is_all_translucent = is_all_translucent && is_translucent(subject->meshes[i].material);
    }
    return is_all_translucent;
}

// Loads the image of a mesh's material, if it has one, unless another mesh has loaded it. Returns
// false if the image cannot be read.
static bool load_game_image(view_preview_subject *subject, view_preview_mesh *mesh)
{
    const md5_image_program *const program = find_image(mesh->material);
    if (program == NULL)
        return true;
    view_image image;
    md5_error error;
    mesh->image = common_copy(program->text);
    if (has_image(&subject->images, mesh->image))
        return true;
    if (!view_read_game_image(subject->game, program, &image, &error))
        return false;
    add_image(subject, mesh->image, image, VIEW_PREVIEW_SIZE);
    return true;
}

// Loads the images for a scene of a game. Translucent meshes, such as muzzle flashes, would cover
// the model, so they are hidden. If all meshes are translucent, as for a ghost, none is hidden.
// Returns the number of missing materials and images.
static uint32_t load_game_images(view_preview_subject *subject)
{
    const view_scene *const scene = &subject->document.scene;
    uint32_t num_missing = 0;
    subject->game = scene->library->game;
    const bool is_all_translucent = find_game_materials(subject);
    for (uint32_t i = 0; i < view_count_meshes(scene); i++) {
        view_preview_mesh *const mesh = &subject->meshes[i];
        if (mesh->material == NULL) {
            num_missing++;
            continue;
        }
        mesh->is_hidden = is_translucent(mesh->material) && !is_all_translucent;
        if (!mesh->is_hidden && !load_game_image(subject, mesh))
            num_missing++;
    }
    return num_missing;
}

// Draws the preview of a scene of a game at a time, seconds. The image is missing in the result if
// the pose cannot be drawn within the limits.
static view_preview draw_game_scene(view_preview_subject *subject, double time,
                                    const view_preview_drawer *drawer)
{
    view_scene *const scene = &subject->document.scene;
    view_preview preview = {.num_missing = 0};
    subject->play = (view_play){.speed = 1, .time = time};
    view_pose(scene, &subject->play);
    if (scene->model != NULL)
        view_skin(scene);
    const md5_bounds bounds = view_pose_bounds(scene, NULL);
    if (find_obstacle(scene, bounds, VIEW_PREVIEW_SIZE) != NULL)
        return preview;
    if (!view_is_skeleton_only(scene))
        preview.num_missing = load_game_images(subject);
    drawer->draw(drawer->user, subject, VIEW_PREVIEW_SIZE, &preview.image);
    return preview;
}

// -- Models for clips and skins -------------------------------------------------------------

// Names of models, in the order in which they are tried.
typedef struct model_names {
    const char *names[MAX_TRIED];
    size_t count;
} model_names;

// Adds the name of a model, unless it is already in the list or the list is full. Ignores NULL and
// the empty name.
static void add_model_name(model_names *models, const char *name)
{
    if (name == NULL || name[0] == '\0' || models->count == MAX_TRIED)
        return;
    for (size_t i = 0; i < models->count; i++) {
        if (strcmp(models->names[i], name) == 0)
            return;
    }
    models->names[models->count++] = name;
}

// Adds the .md5mesh files of a game that are in the same folder as `path`, which is the path of a
// file or the name of a material. Does nothing if `path` is NULL.
static void add_models_of_folder(model_names *models, const view_library *library, const char *path)
{
    if (path == NULL)
        return;
    const char *const slash = strrchr(path, '/');
    const size_t folder_length = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    for (size_t i = 0; i < library->num_names[VIEW_MODELS]; i++) {
        const char *const name = library->names[VIEW_MODELS][i];
        const bool is_in_folder =
            strncmp(name, path, folder_length) == 0 && strchr(name + folder_length, '/') == NULL;
        if (is_in_folder && common_has_suffix(name, ".md5mesh"))
            add_model_name(models, name);
    }
}

// Time at which a model is drawn, seconds. Materials that fade in, such as a ghost's, are invisible
// at time 0.
static const double model_time = 0.5;

// Loads a model of a game folder. Errors are not logged, because the user sees that the preview is
// missing.
static bool load(view_scene *scene, view_library *library, const char *name, const char *skin)
{
    view_log log = {.level = VIEW_QUIET};
    char *const address = view_make_address(library->location, name, skin);
    const bool is_loaded = view_load_game_scene(scene, library, address, &log);
    free(address);
    return is_loaded;
}

// Returns true if the current clip of a scene fits its model: at least half of the clip's joints
// must exist in the model. Fewer matches may be accidental, because many models have names such as
// "origin". If `is_strict`, the clip must also drive all joints of the model.
static bool clip_fits(const view_scene *scene, bool is_strict)
{
    const md5_binding *const binding = view_shown_clip(scene)->binding;
    if (2 * (uint64_t)binding->num_extra > binding->anim->skeleton.num_joints)
        return false;
    return !is_strict || binding->num_missing == 0;
}

// Loads a model of a game with a clip. Returns false and leaves nothing loaded if one of them
// cannot be loaded, or if the clip does not fit the model (see clip_fits()).
static bool load_model_with_clip(view_scene *scene, view_library *library, const char *model,
                                 const char *clip, bool is_strict)
{
    view_log quiet = {.level = VIEW_QUIET};
    if (!load(scene, library, model, NULL))
        return false;
    const bool has_clip = scene->model != NULL && view_add_clip(scene, clip, &quiet);
    if (has_clip && clip_fits(scene, is_strict))
        return true;
    view_free_scene(scene);
    return false;
}

// Loads a clip of a game with a model that it fits. First tries the model that the request names
// (`requested_model`, may be ""), then the models in the clip's folder. If the clip fits none of
// them, loads it without a model. Returns false if the clip cannot be loaded.
static bool load_for_clip(view_scene *scene, view_library *library, const char *clip,
                          const char *requested_model)
{
    model_names models = {.count = 0};
    add_model_name(&models, requested_model);
    add_models_of_folder(&models, library, clip);

    // In the first round, the clip must drive all joints of a model, unless the request names the
    // model. Otherwise the clip of a head would be shown on a body. In the second round, the clip
    // may leave joints undriven.
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < models.count; i++) {
            const bool is_requested = strcmp(models.names[i], requested_model) == 0;
            const bool is_strict = round == 0 && !is_requested;
            if (load_model_with_clip(scene, library, models.names[i], clip, is_strict))
                return true;
        }
    }
    return load(scene, library, clip, NULL);
}

// Returns true if a mesh of the model has a material that the skin has assigned to it.
static bool is_changed_by_skin(const md5_model *model, const md5_skin_def *skin)
{
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        for (uint32_t k = 0; k < skin->num_replacements; k++) {
            if (strcmp(model->meshes[i].shader, skin->replacements[k].to) == 0)
                return true;
        }
    }
    return false;
}

// Lists the models that may have a material which the skin replaces, the most likely first. They
// are the model that the request names (may be NULL or ""), the models that the skin names, and the
// models in the folders of the materials.
static void list_models_of_skin(model_names *models, view_library *library,
                                const md5_skin_def *skin, const char *requested_model)
{
    add_model_name(models, requested_model);
    for (uint32_t i = 0; i < skin->num_models; i++)
        add_model_name(models, skin->models[i]);
    for (uint32_t i = 0; i < skin->num_replacements; i++)
        add_models_of_folder(models, library, skin->replacements[i].from);
}

// Loads a skin with the first model of list_models_of_skin() that it changes. A skin is a list of
// replacements of materials. Returns the name of this model, or NULL if the skin changes none of
// them.
static const char *load_for_skin(view_scene *scene, view_library *library, const char *name,
                                 const char *requested_model)
{
    const md5_skin_def *const skin = md5_game_skin_def(library->game, name, NULL);
    if (skin == NULL)
        return NULL;
    model_names models = {.count = 0};
    list_models_of_skin(&models, library, skin, requested_model);
    for (size_t i = 0; i < models.count; i++) {
        if (!load(scene, library, models.names[i], name))
            continue;
        if (scene->model != NULL && is_changed_by_skin(scene->model, skin))
            return models.names[i];
        view_free_scene(scene);
    }
    return NULL;
}

// Returns the name of the first model that a skin changes, or NULL. The caller frees the name.
// Loads the models one after the other until one of them uses the skin, and frees it again. Only
// its name is needed.
char *view_model_for_skin(view_library *library, const char *name)
{
    view_scene scene;
    const char *const model = load_for_skin(&scene, library, name, NULL);
    if (model == NULL)
        return NULL;
    char *const copy = common_copy(model);
    view_free_scene(&scene);
    return copy;
}

// The parts of a request, which is a name, or "MODEL::NAME", where NAME is a clip or a skin.
typedef struct preview_request {
    char *model; // to be freed; may be ""; NULL: NAME is an entity or a model
    const char *name;
    bool is_clip;
} preview_request;

// Splits the text of a request, "NAME" or "MODEL::NAME", into its parts. The result refers to the
// text, which must remain valid; the caller frees .model.
static preview_request parse_request(const char *text)
{
    const char *const model_end = strstr(text, divider);
    if (model_end == NULL)
        return (preview_request){.name = text};
    const char *const name = model_end + strlen(divider);
    return (preview_request){
        .model = common_format("%.*s", (int)(model_end - text), text),
        .name = name,
        .is_clip = common_has_suffix(name, ".md5anim"),
    };
}

// Loads the scene of a request. Returns false if there is nothing to show.
static bool load_requested(view_scene *scene, view_library *library, const preview_request *request)
{
    if (request->model == NULL)
        return load(scene, library, request->name, NULL);
    if (request->is_clip)
        return load_for_clip(scene, library, request->name, request->model);
    return load_for_skin(scene, library, request->name, request->model) != NULL;
}

// Creates the preview that a request describes: loads the model, clip or skin, draws it with the
// callback `drawer`, and frees it. If it cannot be loaded, the result has no image. num_missing is
// then 1, or 0 for a skin, which need not change any model.
view_preview view_make_preview(view_library *library, const char *request,
                               const view_preview_drawer *drawer)
{
    preview_request parts = parse_request(request);
    view_preview_subject subject = {.game = NULL};
    view_scene *const scene = &subject.document.scene;
    const bool is_loaded = load_requested(scene, library, &parts);
    const bool is_skin = parts.model != NULL && !parts.is_clip;
    free(parts.model);
    if (!is_loaded) // a skin without a model that it changes is not an error
        return (view_preview){.num_missing = is_skin ? 0 : 1};

    // The poses of different clips differ most at half of their duration.
    const double time = parts.is_clip ? 0.5 * view_shown_anim(scene)->duration : model_time;
    begin_meshes(&subject);
    view_preview result = draw_game_scene(&subject, time, drawer);
    if (parts.is_clip)
        result.num_missing = 0; // the clip does not name the model
    free_subject(&subject);
    return result;
}

// -- On a thread ---------------------------------------------------------------------------------

// A game never frees the declarations and images that it has loaded. The thread opens it again
// after this number of previews, so that its memory is limited.
enum { MAX_PICTURES_PER_GAME = 100 };

// An entry of the cache: a request, and its preview when it was created.
typedef struct preview {
    char *request; // NULL if the entry is unused
    enum { REQUESTED, CREATING, CREATED } state;
    view_preview result;
    uint64_t used; // value of view_previews.num_requests at the last request
} preview;

// The cache of previews and the thread that creates them.
struct view_previews {
    char *location; // location of the game; NULL: requests are paths of files
    char *models;   // folder whose files may refer to each other, or NULL
    view_thread *thread;
    atomic_bool ends; // the thread must end
    view_lock *lock;  // protects the following members
    bool has_more;    // previews were finished since the last view_update_previews()
    // A drawing that a worker thread requests from the window's thread, because only that thread
    // may use OpenGL: `subject` is drawn into *image, which has `size` x `size` pixels. `subject`
    // is NULL if no drawing is requested.
    view_preview_subject *subject;
    uint32_t size;
    view_image *image;
    preview list[VIEW_MAX_PREVIEWS];
    uint64_t num_requests; // counts requests, so that the least recently used preview can be found
};

// Frees an entry of the cache and marks it as unused.
static void drop(preview *picture)
{
    free(picture->request);
    free(picture->result.image.rgba);
    *picture = (preview){.request = NULL};
}

// -- Making ---------------------------------------------------------------------------------

// Callback of view_open_library(): returns false to abort opening when the thread must end.
static bool can_continue(void *user, size_t num_files)
{
    view_previews *const previews = user;
    (void)num_files;
    return !atomic_load(&previews->ends);
}

// Callback `draw` of the thread. The window's thread owns the renderer, so the subject is passed to
// it. Waits until it is drawn or the previews are stopped. Returns false if there is no image.
static bool request_drawing(void *user, view_preview_subject *subject, uint32_t size,
                            view_image *image)
{
    view_previews *const previews = user;
    view_lock_enter(previews->lock);
    previews->subject = subject;
    previews->size = size;
    previews->image = image;
    view_wake_window();
    while (previews->subject != NULL && !atomic_load(&previews->ends))
        view_lock_wait(previews->lock);
    previews->subject = NULL;
    view_lock_leave(previews->lock);
    return image->rgba != NULL;
}

// Returns the entry with the oldest request, or NULL. The caller has locked previews->lock.
static preview *oldest_request(view_previews *previews)
{
    preview *oldest = NULL;
    for (int i = 0; i < VIEW_MAX_PREVIEWS; i++) {
        preview *const candidate = &previews->list[i];
        if (candidate->request == NULL || candidate->state != REQUESTED)
            continue;
        if (oldest == NULL || candidate->used < oldest->used)
            oldest = candidate;
    }
    return oldest;
}

// Creates a preview of a file. A request that begins with '*' is for a large preview.
static view_preview preview_requested_file(const view_previews *previews, const char *request,
                                           const view_preview_drawer *drawer)
{
    const bool is_large = request[0] == '*';
    const char *const path = is_large ? request + 1 : request;
    return view_preview_file(path, is_large ? VIEW_LARGE_PREVIEW_SIZE : VIEW_PREVIEW_SIZE,
                             previews->models, drawer);
}

// The library from which the thread creates previews of a game. Without a game it is not used.
typedef struct preview_source {
    view_library *library; // NULL: not opened yet, or it cannot be opened
    uint32_t num_created;  // number of previews so far
} preview_source;

// Creates the preview of a request. The request names an item of a game if previews->location is
// set, otherwise a file. After MAX_PICTURES_PER_GAME previews, opens the game again to free its
// memory. Runs on the thread; the caller must not hold the lock.
static view_preview create_preview(view_previews *previews, preview_source *source,
                                   const char *request)
{
    const view_preview_drawer drawer = {request_drawing, previews};
    const bool has_game = previews->location != NULL;
    if (!has_game)
        return preview_requested_file(previews, request, &drawer);

    const bool opens_game = source->num_created % MAX_PICTURES_PER_GAME == 0;
    source->num_created++;
    if (opens_game) {
        md5_error error = {0};
        view_drop_library(source->library);
        source->library = view_open_library(previews->location, can_continue, previews, &error);
    }
    if (source->library == NULL)
        return (view_preview){.image = {.rgba = NULL}};
    return view_make_preview(source->library, request, &drawer);
}

// Main function of the thread: creates the requested previews, the oldest request first, until the
// thread is stopped. Releases the lock while it creates a preview, so that the window is not
// blocked. Always returns 0.
static int create_previews(void *user)
{
    view_previews *const previews = user;
    preview_source source = {.library = NULL};
    view_lock_enter(previews->lock);
    while (!atomic_load(&previews->ends)) {
        preview *const next = oldest_request(previews);
        if (next == NULL) {
            view_lock_wait(previews->lock);
            continue;
        }
        next->state = CREATING;
        view_lock_leave(previews->lock);
        const view_preview result = create_preview(previews, &source, next->request);
        view_lock_enter(previews->lock);
        next->result = result;
        next->state = CREATED;
        previews->has_more = true;
        view_wake_window();
    }
    view_lock_leave(previews->lock);
    view_drop_library(source.library);
    return 0;
}

// -- Beginning and end ----------------------------------------------------------------------

// Starts the thread that loads the models of previews. The main thread draws them, because OpenGL
// belongs to it.
view_previews *view_begin_previews(const char *location, char *models)
{
    view_previews *const previews = common_alloc(1, sizeof *previews);
    previews->location = location != NULL ? common_copy(location) : NULL;
    previews->models = models != NULL ? common_canonical_path(models) : NULL;
    free(models);
    previews->lock = view_new_lock("previews");
    if (previews->lock != NULL)
        previews->thread = view_start_thread(create_previews, "previews", previews);
    return previews; // without a thread, no previews are created
}

// Requests the end of the thread that loads previews, waits for it, and frees the previews.
void view_stop_previews(view_previews *previews)
{
    if (previews == NULL)
        return;
    if (previews->thread != NULL) {
        view_lock_enter(previews->lock);
        atomic_store(&previews->ends, true);
        view_lock_signal(previews->lock);
        view_lock_leave(previews->lock);
        view_wait_thread(previews->thread, "previews");
    }
    view_free_lock(previews->lock);
    for (int i = 0; i < VIEW_MAX_PREVIEWS; i++)
        drop(&previews->list[i]);
    free(previews->location);
    free(previews->models);
    free(previews);
}

// -- The caller's side ----------------------------------------------------------------------

// Returns the entry of a request, or NULL. The caller has locked previews->lock.
static preview *find_request(view_previews *previews, const char *request)
{
    for (int i = 0; i < VIEW_MAX_PREVIEWS; i++) {
        preview *const entry = &previews->list[i];
        if (entry->request != NULL && strcmp(entry->request, request) == 0)
            return entry;
    }
    return NULL;
}

// Adds a request. It gets a free entry of the cache, or replaces the preview that was not used for
// the longest time. A free entry counts as last used at time 0. The entry on which the thread works
// is not replaced. The caller has locked previews->lock.
static void add_request(view_previews *previews, const char *request)
{
    preview *entry = NULL;
    for (int i = 0; i < VIEW_MAX_PREVIEWS; i++) {
        preview *const candidate = &previews->list[i];
        if (candidate->state == CREATING)
            continue;
        if (entry == NULL || candidate->used < entry->used)
            entry = candidate;
    }
    drop(entry); // exists, because the thread works on at most one entry
    *entry = (preview){.request = common_copy(request), .used = ++previews->num_requests};
}

// Replaces the pending requests by requests[count], and sets results[i] to the finished preview of
// requests[i] or to NULL. The caller has locked previews->lock.
static void replace_requests(view_previews *previews, const char *const *requests, size_t count,
                             const view_preview **results)
{
    for (int i = 0; i < VIEW_MAX_PREVIEWS; i++) {
        if (previews->list[i].state == REQUESTED)
            drop(&previews->list[i]);
    }
    for (size_t i = 0; i < count; i++) {
        preview *const entry = find_request(previews, requests[i]);
        results[i] = NULL;
        if (entry == NULL) {
            add_request(previews, requests[i]);
        } else if (entry->state == CREATED) {
            entry->used = ++previews->num_requests;
            results[i] = &entry->result;
        }
    }
}

// Exchanges data with the thread that loads previews: draws the subject for which the thread
// waits, replaces the requests, and returns the previews that the thread has finished. Called once
// per frame.
bool view_update_previews(view_previews *previews, const char *const *requests, size_t count,
                          const view_preview_drawer *drawer, const view_preview **results)
{
    if (previews->thread == NULL) {
        for (size_t i = 0; i < count; i++)
            results[i] = NULL;
        return false;
    }
    view_lock_enter(previews->lock);
    if (previews->subject != NULL) // the thread waits in request_drawing()
        drawer->draw(drawer->user, previews->subject, previews->size, previews->image);
    previews->subject = NULL;
    const bool has_more = previews->has_more;
    previews->has_more = false;
    replace_requests(previews, requests, count, results);
    view_lock_signal(previews->lock);
    view_lock_leave(previews->lock);
    return has_more;
}

// == Previews of files ===========================================================================

// Limits of a preview or thumbnail, so that a large or hostile file cannot block a file manager.
enum {
    MAX_MEMORY = 512 << 20, // in addition to the memory that is in use at the call
    MAX_SECONDS = 5,
    MAX_BYTES = 32 << 20, // sum of the files
    MAX_VERTICES = 500000,
    MAX_PIXELS = 16 << 20, // per image
};

static const char too_many_bytes[] =
    "the files of the thumbnail are too large: expected at most 32 MiB";
static const char time_limit_message[] =
    "md5view: the thumbnail needs more than 5 s of processor time\n";

// -- Files ----------------------------------------------------------------------------------

// A thumbnail that is being created: its files, the limits that remain, and the subject.
typedef struct thumbnail {
    const view_options *options; // the files, the size and the time
    view_log *log;
    view_preview *result; // receives information about the files; NULL for --thumbnail
    const view_preview_drawer *drawer;
    view_preview_subject subject;
    char *folder;             // the folder of the first file, or the first file if it is a folder
    const char *models;       // if it contains `folder`, all files in it may be read; may be NULL
    atomic_size_t bytes_left; // remaining bytes that may be read
    view_package *package;    // finds materials and images of the model
    uint64_t num_pixels;      // sum of all images
    uint32_t num_found;       // number of meshes with a texture
} thumbnail;

// Returns true if a thumbnail may read a path: the path is in the folder whose files may be read.
// No part of the path below this folder may be a link, because a link could lead to a file outside
// of the folder.
static bool is_allowed(const thumbnail *job, const char *path)
{
    const bool is_in_models = job->models != NULL && common_is_in(job->folder, job->models);
    const char *const folder = is_in_models ? job->models : job->folder;
    if (!common_is_in(path, folder))
        return false;
    bool has_link = false;
    char *part = common_copy(path); // the path, then its parent folders
    while (!has_link && strlen(part) > strlen(folder)) {
        char *const parent = common_folder(part);
        has_link = common_is_link(part);
        free(part);
        part = parent;
    }
    free(part);
    return !has_link;
}

// Reserves `count` of the bytes that may still be read. Returns false if fewer bytes are left.
// md5_load_character() reads files on several threads, so the number is changed atomically.
static bool reserve_bytes(thumbnail *job, uint64_t count)
{
    // If another thread has changed the number, the exchange fails and stores the new number in
    // `left`; then try again.
    size_t left = atomic_load(&job->bytes_left);
    while (count <= left) {
        if (atomic_compare_exchange_weak(&job->bytes_left, &left, left - (size_t)count))
            return true;
    }
    return false;
}

// Returns the reason why a file may not be read, or NULL. Sets *size to the size of the file, and
// reserves this number of bytes. `full_path` is the canonical path.
static const char *reserve_file(thumbnail *job, const char *path, const char *full_path,
                                uint64_t *size)
{
    // The user has selected the first file, so it may be a link to any folder.
    const bool is_selected = strcmp(path, job->options->files[0]) == 0;
    if (!is_selected && !is_allowed(job, full_path))
        return "the file is outside the folder of the model";
    if (!common_is_file(full_path))
        return "the file does not exist";
    *size = common_file_size(full_path);
    if (*size == 0)
        return "the file is empty";
    return reserve_bytes(job, *size) ? NULL : too_many_bytes;
}

// Reads up to `length` bytes of a file, to be freed. Returns NULL if the file cannot be opened or
// the memory is not sufficient.
static char *read_bytes(const char *path, uint64_t length, size_t *size)
{
    FILE *const file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    char *const bytes = malloc(length);
    if (bytes != NULL)
        *size = fread(bytes, 1, length, file);
    fclose(file);
    return bytes;
}

// Callback md5_files.open: reads a file if it is allowed and within the limit of bytes. Returns
// NULL and sets the message of `error` on failure. `user` is the thumbnail.
static const void *open_file(void *user, const char *path, size_t *size, md5_error *error)
{
    thumbnail *const job = user;
    char *const full_path = common_canonical_path(path);
    uint64_t length = 0;
    char *bytes = NULL;
    *size = 0;
    const char *problem = reserve_file(job, path, full_path, &length);
    if (problem == NULL) {
        bytes = read_bytes(full_path, length, size);
        problem = "cannot read the file";
    }
    if (bytes == NULL)
        COMMON_TEXT(error->message, "%s", problem);
    free(full_path);
    return bytes;
}

// Callback md5_files.close: frees the bytes of open_file().
static void close_file(void *user, const void *bytes, size_t size)
{
    (void)user, (void)size;
    free((void *)(uintptr_t)bytes);
}

// -- Images ---------------------------------------------------------------------------------

// Logs an error about a file of the thumbnail. Always returns false.
static bool fail(thumbnail *job, const char *path, const char *why)
{
    return view_error(job->log, "%s: %s", path, why);
}

// Reads an image and adds it to the subject under a name. Returns false and logs an error if the
// image exceeds a limit. A faulty image is omitted with a warning.
static bool read_image(thumbnail *job, const char *path, const char *name)
{
    const uint64_t max_pixels_of_all = 2 * (uint64_t)MAX_PIXELS;
    md5_error error = {0};
    view_image image = {NULL, 0, 0};
    if (!reserve_bytes(job, common_file_size(path)))
        return fail(job, path, too_many_bytes);
    if (!view_read_image(path, MAX_PIXELS, &image, &error)) {
        if (error.status == MD5_ERROR_MEMORY)
            return fail(job, path, error.message);
        view_warn(job->log, "%s: %s", path, error.message);
        return true;
    }

    job->num_pixels += (uint64_t)image.width * image.height;
    add_image(&job->subject, name, image, job->options->thumbnail);
    if (job->num_pixels > max_pixels_of_all)
        return fail(
            job, path,
            "the images of the thumbnail have too many pixels: expected at most 32 million");
    return true;
}

// Returns the material that a file in the model's folder declares for a mesh, or NULL.
static const md5_material *find_material(thumbnail *job, uint32_t mesh)
{
    const char *const shader = job->subject.document.scene.model->meshes[mesh].shader;
    md5_game *const game = view_package_game(job->package, view_log_listener(job->log));
    if (game == NULL || md5_find_decl(game, MD5_DECL_MATERIAL, shader) == NULL)
        return NULL;
    return md5_game_material(game, shader, NULL);
}

// Reads the image that was found for a mesh, unless another mesh has read it. Returns false and
// logs an error if it exceeds a limit.
static bool use_mesh_image(thumbnail *job, view_preview_mesh *mesh, const char *path)
{
    // A translucent material is drawn by its stage, which identifies its image by the name in the
    // material.
    const md5_stage *stage = NULL;
    if (is_translucent(mesh->material))
        stage = find_ambient_stage(mesh->material);
    const char *const name = stage != NULL ? stage->image.text : path;
    job->num_found++;
    mesh->image = common_copy(name);
    if (has_image(&job->subject.images, mesh->image))
        return true;
    return read_image(job, path, mesh->image);
}

// Finds and reads the image of a mesh. Returns false and logs an error if it exceeds a limit.
static bool load_mesh_image(thumbnail *job, uint32_t index)
{
    const view_scene *const scene = &job->subject.document.scene;
    view_preview_mesh *const mesh = &job->subject.meshes[index];
    mesh->material = find_material(job, index);
    const view_look_search search = {
        .model = scene->model,
        .mesh = index,
        .package = job->package,
        .skin = job->options->skin,
        .cfg_look = index < scene->num_looks ? &scene->looks[index] : NULL,
    };
    view_look look = view_find_look(&search, view_log_listener(job->log));
    bool is_within_limits = true;
    if (look.diffuse != NULL)
        is_within_limits = use_mesh_image(job, mesh, look.diffuse);
    view_free_look(&look);
    return is_within_limits;
}

// Finds and reads the image of each mesh. Returns false and logs an error if the images exceed a
// limit.
static bool load_images(thumbnail *job)
{
    const view_scene *const scene = &job->subject.document.scene;
    job->subject.game = view_package_game(job->package, view_log_listener(job->log));
    for (uint32_t i = 0; i < view_count_meshes(scene); i++) {
        const bool is_visible = scene->model->meshes[i].num_triangles > 0;
        if (is_visible && !load_mesh_image(job, i))
            return false;
    }
    return true;
}

// -- Drawing --------------------------------------------------------------------------------

// Adds the first clip in the folder that fits the model, if all meshes are translucent. Such models
// are sprites or smoke, whose bind pose shows little. Returns true if a clip was added.
static bool add_first_clip(thumbnail *job)
{
    view_scene *const scene = &job->subject.document.scene;
    if (scene->model == NULL || scene->num_clips > 0)
        return false;
    for (uint32_t i = 0; i < scene->model->num_meshes; i++) {
        if (!is_translucent(find_material(job, i)))
            return false;
    }

    common_list clips = common_list_folder(job->folder, ".md5anim");
    for (size_t i = 0; i < clips.count && scene->num_clips == 0; i++)
        view_add_clip(scene, clips.names[i], job->log);
    common_free_list(&clips);
    return scene->num_clips > 0;
}

// Returns the time of the thumbnail, seconds. This is the requested time. For a clip that the
// preview in a window plays or that was added, it is the middle of the clip. Otherwise it is 0.
static double thumbnail_time(const thumbnail *job, bool is_clip_added)
{
    const view_scene *const scene = &job->subject.document.scene;
    const bool is_preview = job->result != NULL;
    if (job->options->num_times > 0)
        return job->options->times[0];
    if (is_clip_added || (is_preview && scene->num_clips > 0))
        return 0.5 * view_shown_anim(scene)->duration;
    return 0;
}

// Poses the loaded scene, loads its images within the limits, and draws the thumbnail. If this
// fails, logs an error and returns an image without texels.
static view_image draw_thumbnail(thumbnail *job)
{
    view_scene *const scene = &job->subject.document.scene;
    const uint32_t size = job->options->thumbnail; // pixels
    view_image image = {.rgba = NULL};
    if (view_count_vertices(scene->model) > MAX_VERTICES) {
        fail(job, scene->path,
             "the model has too many vertices for a thumbnail: expected at most 500000");
        return image;
    }

    const bool is_clip_added = add_first_clip(job);
    view_play *const play = &job->subject.play;
    *play = (view_play){.speed = 1, .time = thumbnail_time(job, is_clip_added)};
    view_pose(scene, play);
    view_skin(scene);

    view_hull hull;
    const md5_bounds bounds =
        is_clip_added ? view_pose_bounds(scene, NULL) : view_clip_bounds(scene, play, &hull);
    const char *const obstacle = find_obstacle(scene, bounds, size);
    if (obstacle != NULL) {
        fail(job, scene->path, obstacle);
        return image;
    }
    if (!load_images(job))
        return image;
    if (!job->drawer->draw(job->drawer->user, &job->subject, size, &image))
        fail(job, scene->path, "the renderer cannot draw the thumbnail");
    return image;
}

// Returns the number of states of all layers of a machine.
static size_t count_machine_states(const md5_machine_desc *machine)
{
    size_t count = 0;
    for (size_t i = 0; i < machine->num_layers; i++)
        count += machine->layers[i].num_states;
    return count;
}

// Appends the size of the main file: the states of a machine, the duration and frames of a clip,
// the frames of a camera path, or the joints of a model.
static void describe_content(const view_scene *scene, bool is_clip, char *info, size_t size)
{
    if (scene->machine.desc != NULL) {
        const size_t num_states = count_machine_states(scene->machine.desc);
        common_append(info, size, "\n", "%zu state%s", num_states, num_states == 1 ? "" : "s");
        return;
    }
    if (is_clip) {
        const md5_anim *const anim = view_shown_anim(scene);
        common_append(info, size, "\n", "%.2f s", anim->duration);
        common_append(info, size, "\n", "%u %s, %g per second", anim->num_frames,
                      common_noun(anim->num_frames, "frame", "frames"), (double)anim->frame_rate);
        return;
    }
    const bool is_camera_path = scene->model == NULL && scene->camera_path.camera != NULL;
    if (is_camera_path) {
        const uint32_t num_frames = scene->camera_path.camera->num_frames;
        common_append(info, size, "\n", "%u %s", num_frames,
                      common_noun(num_frames, "frame", "frames"));
        return;
    }
    common_append(info, size, "\n", "%u %s", scene->num_joints,
                  common_noun(scene->num_joints, "joint", "joints"));
}

// Appends the number of clips in the model's folder that animate all of its joints. If the limit of
// bytes is reached, the remaining clips are not counted.
static void describe_fitting_clips(thumbnail *job, char *info, size_t size)
{
    view_scene *const scene = &job->subject.document.scene;
    common_list clips = common_list_folder(job->folder, ".md5anim");
    size_t num_read = 0;
    size_t num_fitting = 0;
    atomic_store(&job->bytes_left, MAX_BYTES);
    while (num_read < clips.count && atomic_load(&job->bytes_left) > 0) {
        const bool is_added = view_add_clip(scene, clips.names[num_read], job->log);
        if (is_added && scene->clips[scene->num_clips - 1].binding->num_missing == 0)
            num_fitting++;
        num_read++;
    }
    if (num_read > 0)
        common_append(info, size, "\n", "clips in the folder: %zu of %zu fit", num_fitting,
                      num_read);
    common_free_list(&clips);
}

// Writes properties of the drawn files to result->info. For a model, they include its meshes, its
// textures and the number of clips in its folder that fit it.
static void describe_files(thumbnail *job, bool is_clip)
{
    const view_scene *const scene = &job->subject.document.scene;
    const md5_model *const model = scene->model;
    char *const info = job->result->info;
    const size_t size = sizeof job->result->info;
    describe_content(scene, is_clip, info, size);
    if (model == NULL || is_clip)
        return;
    common_append(info, size, "\n", "%u mesh%s, %u vertices", model->num_meshes,
                  model->num_meshes == 1 ? "" : "es", view_count_vertices(model));
    common_append(info, size, "\n", "textures: %u of %u found", job->num_found, model->num_meshes);
    if (scene->machine.desc == NULL)
        describe_fitting_clips(job, info, size);
}

// Draws the loaded scene of a thumbnail, and describes its files if they are for a list. Frees the
// scene.
static void draw_loaded_files(thumbnail *job, const md5_files *reader, view_image *image)
{
    view_scene *const scene = &job->subject.document.scene;
    const md5_character *const character = scene->machine.character;
    const char *const model_path = character != NULL ? character->model_path : scene->path;
    const bool is_clip = scene->num_clips > 0; // drawing may add a clip to a model
    job->package = view_open_package(model_path, reader);
    begin_meshes(&job->subject);
    *image = draw_thumbnail(job);
    if (job->result != NULL)
        describe_files(job, is_clip);
    else
        common_limit_process(SIZE_MAX, 0, ""); // the output file must be written completely
    free_subject(&job->subject);
    view_close_package(job->package);
}

// Loads the files within the limits and draws them. Returns true if they can be read, even if they
// cannot be drawn.
static bool draw_files(thumbnail *job, view_image *image)
{
    const view_options *const options = job->options;
    view_scene *const scene = &job->subject.document.scene;
    char *const path = common_canonical_path(options->files[0]);
    job->folder = common_is_folder(path) ? common_copy(path) : common_folder(path);
    free(path);

    const md5_files reader = {open_file, close_file, job};
    atomic_store(&job->bytes_left, MAX_BYTES);
    const bool is_loaded =
        view_load_scene(scene, options->files, options->num_files, &reader, false, job->log);
    if (is_loaded)
        draw_loaded_files(job, &reader, image);
    free(job->folder);
    return is_loaded;
}

// Draws one image for a file manager, within limits of time and memory.
view_image view_make_thumbnail(const view_options *options, const view_preview_drawer *drawer,
                               view_log *log)
{
    thumbnail job = {.options = options, .log = log, .drawer = drawer};
    view_image image = {.rgba = NULL};
    if (options->num_files == 0) {
        view_error(log, "--thumbnail: file is missing: expected a model or an animation");
        return image;
    }
    // The limit of memory is relative to the current use, because graphics drivers reserve an
    // unknown part of the address space.
    const size_t used = common_address_space();
    common_limit_process(used > 0 ? used + MAX_MEMORY : SIZE_MAX, MAX_SECONDS, time_limit_message);
    draw_files(&job, &image);
    return image;
}

// -- Kinds of files -------------------------------------------------------------------------

// Creates the preview of an image file: the image, reduced to at most `size` pixels, with its size
// and file extension as information.
static void preview_image(const char *path, uint32_t size, view_preview *result)
{
    view_image image = {NULL, 0, 0};
    md5_error error = {0};
    bool is_read = false;
    if (common_is_file(path)) // opening a pipe would block
        is_read = view_read_image(path, MD5_MAX_IMAGE_PIXELS, &image, &error);
    result->is_wrong = !is_read;
    if (!is_read) {
        COMMON_TEXT(result->info, "cannot be read");
        return;
    }
    const char *const dot = strrchr(path, '.');
    const char *const extension = dot != NULL ? dot + 1 : "";
    COMMON_TEXT(result->info, "%u\xC3\x97%u %s", image.width, image.height, // multiplication sign
                extension);
    result->image = reduce_image(image, size);
}

// Creates the preview of a file that is not an image. If the file is a clip, `model` is the model
// that it moves, or NULL. Returns true if the files can be read. A file that cannot be read is
// marked as wrong only if `model` is NULL, because the clip may fit another model.
static bool preview_files(const char *path, const char *model, uint32_t size, const char *models,
                          const view_preview_drawer *drawer, view_preview *result)
{
    const char *files[2] = {path, model};
    view_log log = {.level = VIEW_QUIET};
    const view_options options = {
        .files = files, .num_files = model != NULL ? 2 : 1, .thumbnail = size};
    thumbnail job = {
        .options = &options, .log = &log, .result = result, .models = models, .drawer = drawer};
    const bool is_loaded = draw_files(&job, &result->image);
    result->is_wrong = !is_loaded && model == NULL;
    if (result->is_wrong && log.failure.line > 0)
        COMMON_TEXT(result->info, "line %u\n%.150s", log.failure.line, log.failure.message);
    else if (result->is_wrong)
        COMMON_TEXT(result->info, "cannot be read\n%.150s", log.error);
    return is_loaded;
}

// Creates the preview of a clip on one of the models in its folder. Returns false if none of the
// first MAX_TRIED models fits.
static bool preview_clip(const char *path, uint32_t size, const char *models,
                         const view_preview_drawer *drawer, view_preview *result)
{
    char *const folder = common_folder(path);
    common_list neighbors = common_list_folder(folder, ".md5mesh");
    bool is_created = false;
    for (size_t i = 0; i < neighbors.count && i < MAX_TRIED && !is_created; i++)
        is_created = preview_files(path, neighbors.names[i], size, models, drawer, result);
    common_free_list(&neighbors);
    free(folder);
    return is_created;
}

// Creates the preview of an image, a clip or a model, with a description of a few lines.
view_preview view_preview_file(const char *path, uint32_t size, const char *models,
                               const view_preview_drawer *drawer)
{
    view_preview result = {.num_missing = 0};
    bool is_created = false;
    if (view_is_image(path)) {
        preview_image(path, size, &result);
        is_created = true;
    } else if (common_has_suffix(path, ".md5anim")) {
        is_created = preview_clip(path, size, models, drawer, &result);
    }
    if (!is_created)
        preview_files(path, NULL, size, models, drawer, &result);

    if (!result.is_wrong)
        common_append(result.info, sizeof result.info, "\n", "%.0f KB",
                      ceil((double)common_file_size(path) / 1000));
    return result;
}
