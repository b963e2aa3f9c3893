// The program of the element <md5-model>. All elements of a page share one instance of it. md5gl
// draws their models one after the other on one canvas.
//
// core.js creates the WebGL context, fetches files before this program opens them, and calls
// web_draw(). "The page" is the JavaScript code. A web_element is one element of the page. A
// web_asset is a loaded model, which several elements can show. A machine (md5_machine) is a state
// machine that blends clips. It is loaded together with its model and clips (md5_character).
//
// Functions report failures as text with page_report(), except for lack of memory.
#include "md5/md5image.h"
#include "md5/md5play.h"
#include "render/md5gl_material_files.h"

#include <emscripten.h>
#include <glad/gl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CLIPS = 128 };

// A model with its machine or its clips. All elements that show it share it.
typedef struct web_asset {
    const md5_model *model;   // owned_model, or the model of the character
    md5_model *owned_model;   // NULL if a machine was loaded
    md5_character *character; // NULL if a model was loaded

    // The clips of a model. Each is a state of the machine that web_create_player() creates.
    md5_clip_desc clips[MAX_CLIPS];
    md5_state_desc states[MAX_CLIPS + 1]; // state 0 is the bind pose, state i + 1 plays clip i
    char names[MAX_CLIPS][4];             // indices as text; only the page has the clips' names
    uint32_t num_clips;

    md5_morph *morph; // morph targets in the order of the machine; NULL before web_load_morphs()
    md5gl_model *drawn;
    md5gl_morph *gpu_morph; // `morph` on the GPU
    md5gl_material_set *material_set;
} web_asset;

// An element of the page. core.js accesses the first members by their offsets. It writes the
// members from `eye` to `up_is_y`, and reads the members from `framed` to `player`.
typedef struct web_element {
    md5_vec3 eye;
    md5_vec3 target;
    float fov; // degrees
    float near_z;
    float far_z;
    float exposure;
    float softness;
    float has_ground; // 0 or 1: draws shadows on the ground
    float follows;    // 0 or 1: the camera follows its path
    float up_is_y;    // 0 or 1

    md5_bounds framed; // bounds of the whole clip, which the camera shows; its bottom is the ground
    float state;       // state of the machine
    float cycles;      // position in the clip, in cycles
    // Result of web_project_joint(): the position of a joint on the canvas, as fractions of its
    // width and height from its upper left corner.
    float spot[2];
    md5_player *player;

    web_asset *asset;
    const md5_machine *machine; // owned_machine, or the machine of the character
    md5_machine *owned_machine; // machine of clips, or NULL
    md5_camera *path;           // NULL if the page moves the camera
    double time;                // position in the camera path, seconds
    md5_bounds casters;         // bounds of the pose
    float ground;               // height of the ground
    md5_mat44 clip_from_world;  // matrix of the last image
    float *weights;             // [targets] of the pose, stored after the palette
    md5_mat34 palette[];        // [joints] of the pose
} web_element;

// Checks that core.js uses the correct index of a member, in units of 4 bytes.
#define CHECK_MEMBER(name, index) \
    _Static_assert(offsetof(web_element, name) == 4 * (index), "see `member` in core.js")
CHECK_MEMBER(eye, 0);
CHECK_MEMBER(follows, 12);
CHECK_MEMBER(up_is_y, 13);
CHECK_MEMBER(framed, 14);
CHECK_MEMBER(cycles, 21);
CHECK_MEMBER(spot, 22);
CHECK_MEMBER(player, 24);
_Static_assert(MD5_ERROR_MEMORY == 3 && MD5_ERROR_MISMATCH == 7 && MD5_ERROR_GPU == 9,
               "see `status` in core.js");

// == The page =====================================================================================

// Returns the bytes of a file that the page has fetched, or NULL. Free them with free(). sizes[0]
// is their number. If the browser has decoded an image, sizes[1] and sizes[2] are its width and
// height. Otherwise they are 0.
EM_JS(void *, page_open, (const char *path, uint32_t *sizes, bool is_image), {
    const bytes = Module["page"].open(UTF8ToString(path), is_image);
    const copy = bytes ? _malloc(bytes.length + 1) : 0;
    if (copy) {
        HEAPU8.set(bytes, copy);
        HEAPU32.set([ bytes.length, bytes.width, bytes.height ], sizes >> 2);
    }
    return copy;
})
// Returns the path that the page specifies for a map of a shader. The path is valid until the next
// call. Returns "" if the page specifies that the map has no image. Returns NULL if the page leaves
// the choice to the library.
EM_JS(const char *, page_image_name, (const char *shader, int kind),
      { return Module["page"].name(UTF8ToString(shader), kind); })
// Reports an error or an event to the page.
EM_JS(void, page_report, (const char *kind, const char *text, const char *more),
      { Module["page"].report(UTF8ToString(kind), UTF8ToString(text), UTF8ToString(more)); })

// Reports an error to the page. Returns false.
static bool report_error(const md5_error *error)
{
    char text[600];
    const char status[] = {(char)('0' + error->status), '\0'};
    md5_format_error(error, text, sizeof text);
    page_report("error", text, status);
    return false;
}

// Reports an event of a machine to the page. An event is ignored if its clip is hardly visible.
static void report_event(void *user, md5_player *player, const md5_event *event, float weight)
{
    (void)user;
    (void)player;
    const bool is_end = event->kind == MD5_EVENT_CLIP_END;
    if (event->name == NULL || (weight < 0.5f && !is_end))
        return;
    page_report(is_end ? "end" : "event", event->name, event->text != NULL ? event->text : "");
}

// Returns the bytes of a file for the library, or NULL. It is the callback md5_files.open.
static const void *open_file(void *user, const char *path, size_t *size, md5_error *error)
{
    uint32_t sizes[3] = {0};
    const void *const bytes = page_open(path, sizes, false);
    (void)user;
    (void)error;
    *size = sizes[0];
    return bytes;
}

// Frees the result of open_file(). It is the callback md5_files.close.
static void close_file(void *user, const void *bytes, size_t size)
{
    (void)user;
    (void)size;
    free((void *)(uintptr_t)bytes);
}

static const md5_load_opts page_opts = {.files = {open_file, close_file, NULL},
                                        .skip_geometry = MD5_GEOMETRY_SKIN_PLANS};

// Decodes a TGA or DDS file. Returns its RGBA pixels, which the caller frees, or NULL if the file
// is invalid or memory runs out.
static void *decode_image(const void *bytes, size_t size, uint32_t *width, uint32_t *height,
                          md5_error *error)
{
    md5_image *const image = md5_parse_image(bytes, size, NULL, error);
    if (image == NULL)
        return NULL;
    const size_t pixels_size = 4 * (size_t)image->width * image->height;
    void *const pixels = malloc(pixels_size);
    if (pixels != NULL) {
        memcpy(pixels, image->pixels, pixels_size);
        *width = image->width;
        *height = image->height;
    }
    md5_free_image(image);
    return pixels;
}

// Loads an image for materials. The browser decodes PNG, JPEG and other formats of the web. The
// library decodes TGA and DDS. Returns RGBA pixels for release_image(), or NULL.
static const void *load_image(void *user, const char *path, uint32_t *width, uint32_t *height,
                              md5_error *error)
{
    uint32_t sizes[3] = {0}; // bytes, width, height; see page_open()
    (void)user;
    void *const bytes = page_open(path, sizes, true);
    *width = sizes[1];
    *height = sizes[2];
    const bool is_decoded = *width != 0;
    if (bytes == NULL || is_decoded)
        return bytes;
    void *const pixels = decode_image(bytes, sizes[0], width, height, error);
    free(bytes);
    return pixels;
}

// Frees the result of load_image().
static void release_image(void *user, const void *pixels)
{
    close_file(user, pixels, 0);
}

// Returns the path that the page specifies for an image, or NULL. It is the callback
// md5gl_material_set_desc.name.
static const char *name_image(void *user, const char *shader, md5gl_image_kind kind)
{
    (void)user;
    return page_image_name(shader, (int)kind);
}

// == Assets =======================================================================================

// Returns the name of a morph target of the machine, or NULL if the index is too large.
EMSCRIPTEN_KEEPALIVE const char *web_morph_name(const web_asset *asset, uint32_t target)
{
    if (asset->character == NULL)
        return NULL;
    return md5_machine_morph_name(asset->character->machine, target);
}

// Frees an asset with its model and clips. web_release() frees its GPU memory.
EMSCRIPTEN_KEEPALIVE void web_free_asset(web_asset *asset)
{
    md5_destroy_morph(asset->morph);
    for (uint32_t i = 0; i < asset->num_clips; i++) {
        md5_anim *const anim = (md5_anim *)(uintptr_t)asset->clips[i].binding->anim;
        md5_free_binding((md5_binding *)(uintptr_t)asset->clips[i].binding);
        md5_free_anim(anim);
    }
    md5_free_character(asset->character);
    md5_free_model(asset->owned_model);
    free(asset);
}

// Loads a model, or a machine with its model and clips. Returns NULL and reports the error on
// failure.
EMSCRIPTEN_KEEPALIVE web_asset *web_load(const char *path, bool is_machine)
{
    md5_error error;
    web_asset *const asset = calloc(1, sizeof *asset);
    if (asset == NULL)
        return NULL;
    if (is_machine)
        asset->character = md5_load_character(path, &page_opts, &error);
    else
        asset->owned_model = md5_load_model(path, &page_opts, &error);
    asset->model = asset->character != NULL ? asset->character->model : asset->owned_model;
    if (asset->model == NULL) {
        free(asset);
        report_error(&error);
        return NULL;
    }
    asset->states[0].name = "none"; // the bind pose
    return asset;
}

// Loads a clip and binds it to the model of an asset, which matches their joints by name. Returns
// NULL and fills the error on failure.
static md5_binding *load_binding(const web_asset *asset, const char *path, md5_error *error)
{
    md5_anim *const anim = md5_load_anim(path, &page_opts, error);
    if (anim == NULL)
        return NULL;
    md5_binding *const binding = md5_bind(asset->owned_model, anim, NULL, error);
    if (binding == NULL)
        md5_free_anim(anim);
    return binding;
}

// Adds a clip for web_create_player(). If `travels`, the clip moves the model. Otherwise the model
// walks in place. Returns the duration of the clip in seconds. On failure, reports the error and
// returns 0.
EMSCRIPTEN_KEEPALIVE double web_add_clip(web_asset *asset, const char *path, bool travels)
{
    static const double min_duration = 1e-6; // seconds; 0 means failure
    md5_error error = {.status = MD5_ERROR_RANGE,
                       .message = "too many clips: expected at most 128"};
    const uint32_t index = asset->num_clips;
    if (index >= MAX_CLIPS)
        return report_error(&error);
    md5_binding *const binding = load_binding(asset, path, &error);
    if (binding == NULL)
        return report_error(&error);

    char *const name = asset->names[index];
    (void)snprintf(name, sizeof asset->names[index], "%u", index);
    md5_clip_desc *const clip = &asset->clips[index];
    *clip = (md5_clip_desc){.name = name, .binding = binding};
    if (!travels) // removes horizontal movement but not the height of jumps
        clip->root_extraction = MD5_ROOT_EXTRACTION_WALK;
    asset->states[index + 1] = (md5_state_desc){.name = name, .motion = name};
    asset->num_clips++;
    return fmax(binding->anim->duration, min_duration);
}

// Loads a morph target, which is a model with displaced vertices. If the page has not fetched its
// file, returns the model itself, because that is a target without an effect. Returns NULL and
// fills the error if the file is invalid.
static const md5_model *load_target(const web_asset *asset, const char *folder, const char *name,
                                    md5_error *error)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s%s.md5mesh", folder, name);
    error->status = MD5_OK;
    const md5_model *const target = md5_load_model(path, &page_opts, error);
    if (target == NULL && error->status == MD5_ERROR_IO)
        return asset->model;
    return target;
}

// Loads the morph targets of the machine to targets[count]. If one is invalid, returns false and
// fills the error. The targets before it are then loaded and must be freed.
static bool load_targets(const web_asset *asset, const char *folder, md5_morph_source *targets,
                         uint32_t count, md5_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        targets[i].name = web_morph_name(asset, i);
        targets[i].model = load_target(asset, folder, targets[i].name, error);
        if (targets[i].model == NULL)
            return false;
    }
    return true;
}

// Loads the morph targets of the machine from a folder. Call web_upload() afterwards. Returns false
// on failure.
EMSCRIPTEN_KEEPALIVE bool web_load_morphs(web_asset *asset, const char *folder)
{
    md5_error error = {0};
    const uint32_t count = md5_machine_num_morphs(asset->character->machine);
    md5_morph_source *const targets = calloc(count, sizeof *targets);
    if (targets == NULL)
        return false;
    if (load_targets(asset, folder, targets, count, &error))
        asset->morph = md5_create_morph(asset->model, targets, count, NULL, &error);

    // The morph has copied the displacements, so the targets can be freed.
    for (uint32_t i = 0; i < count; i++) {
        if (targets[i].model != asset->model)
            md5_free_model((md5_model *)(uintptr_t)targets[i].model); // NULL is allowed
    }
    free(targets);
    return asset->morph != NULL || report_error(&error);
}

// == Elements =====================================================================================

// Copies the state of the player to the members that the page reads.
static void store_state(web_element *element)
{
    const md5_layer_status status = md5_player_layer(element->player, 0);
    element->state = (float)status.state;
    element->cycles = (float)status.time;
}

// Destroys an element. Its asset remains.
EMSCRIPTEN_KEEPALIVE void web_destroy_element(web_element *element)
{
    md5_destroy_player(element->player);
    md5_destroy_machine(element->owned_machine);
    md5_free_camera(element->path);
    free(element);
}

// Creates the machine of all clips, which has a state for each clip.
static md5_machine *create_clip_machine(const web_asset *asset, md5_error *error)
{
    const md5_layer_desc layer = {
        .name = "clips", .states = asset->states, .num_states = asset->num_clips + 1};
    const md5_machine_desc desc = {.name = "clips",
                                   .model = asset->model,
                                   .clips = asset->clips,
                                   .num_clips = asset->num_clips,
                                   .layers = &layer,
                                   .num_layers = 1,
                                   .report = {.clip_end = true}};
    return md5_create_machine(&desc, &page_opts, error);
}

// Creates a player for the machine, or for a machine of all clips. Call it again after clips were
// added. The current state then continues. After a failure, only web_destroy_element() may be
// called.
EMSCRIPTEN_KEEPALIVE bool web_create_player(web_element *element)
{
    md5_error error = {0};
    const web_asset *const asset = element->asset;
    md5_destroy_player(element->player);
    md5_destroy_machine(element->owned_machine);
    element->owned_machine = NULL;
    if (asset->owned_model != NULL) {
        element->owned_machine = create_clip_machine(asset, &error);
        element->machine = element->owned_machine;
    } else {
        element->machine = asset->character->machine;
    }
    element->player = md5_create_player(element->machine, NULL, &error);
    if (element->player == NULL)
        return report_error(&error);
    (void)md5_player_seek(element->player, 0, (uint32_t)element->state, element->cycles);
    return true;
}

// Allocates an element as one block, which also contains its palette and its weights. Returns NULL
// if memory runs out.
static web_element *allocate_element(web_asset *asset)
{
    const size_t num_joints = asset->model->skeleton.num_joints;
    size_t num_targets = 0;
    if (asset->character != NULL)
        num_targets = md5_machine_num_morphs(asset->character->machine);
    const size_t palette_size = num_joints * sizeof(md5_mat34);
    const size_t weights_size = num_targets * sizeof(float);
    web_element *const element = calloc(1, sizeof *element + palette_size + weights_size);
    if (element == NULL)
        return NULL;
    element->asset = asset;
    element->weights = (float *)(element->palette + num_joints);
    return element;
}

// Loads the camera path of an element. Returns false and reports the error on failure.
static bool load_camera_path(web_element *element, const char *path)
{
    md5_error error;
    element->path = md5_load_camera(path, &page_opts, &error);
    return element->path != NULL || report_error(&error);
}

// Creates an element for an asset. `path` is the file of a camera path, or "". Returns NULL on
// failure.
EMSCRIPTEN_KEEPALIVE web_element *web_create_element(web_asset *asset, const char *path)
{
    web_element *const element = allocate_element(asset);
    if (element == NULL)
        return NULL;
    bool is_created = true;
    if (path[0] != '\0')
        is_created = load_camera_path(element, path);
    if (is_created)
        is_created = web_create_player(element);
    if (!is_created) {
        web_destroy_element(element);
        return NULL;
    }
    return element;
}

// Stores the weights of morph targets. Enlarges the bounds of the pose by their largest
// displacement, because the bounds of joints do not contain it.
static void pose_morphs(web_element *element, md5_player *player, const md5_morph *morph)
{
    float reach = 0.0f;
    md5_player_morphs(player, element->weights);
    for (uint32_t i = 0; i < morph->num_targets; i++)
        reach += fabsf(element->weights[i]) * morph->targets[i].reach;
    const md5_vec3 margin = {reach, reach, reach};
    element->casters.min = md5_vec3_sub(element->casters.min, margin);
    element->casters.max = md5_vec3_add(element->casters.max, margin);
}

// Computes the palette of a pose, the skin matrices of all joints. Their space has z up, even if y
// is up in the model. If memory runs out, keeps the palette of the last pose.
static void compute_palette(web_element *element, md5_player *player)
{
    static const md5_mat34 z_up_from_y_up = {{1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0}};
    const uint32_t num_joints = element->asset->model->skeleton.num_joints;
    const size_t scratch_size = md5_player_pose_scratch(element->machine);
    md5_xform *const local = malloc(num_joints * sizeof *local + scratch_size);
    if (local == NULL)
        return;
    md5_player_pose(player, local, NULL, element->palette, local + num_joints);
    free(local);
    if (element->up_is_y != 0.0f) {
        for (uint32_t i = 0; i < num_joints; i++)
            element->palette[i] = md5_mat34_mul(z_up_from_y_up, element->palette[i]);
    }
}

// Computes the palette, the bounds of the pose, and the height of the ground. The ground is never
// above the bounds.
static void pose(web_element *element, md5_player *player)
{
    const web_asset *const asset = element->asset;
    compute_palette(element, player);
    element->casters = md5_skin_bounds(asset->model, element->palette);
    if (asset->morph != NULL)
        pose_morphs(element, player, asset->morph);
    element->ground = fminf(element->framed.min.z, element->casters.min.z);
}

// Computes the bounds that the camera shows. They are the union of the bounds of several poses,
// either in the current clip or in the next four seconds of the machine.
EMSCRIPTEN_KEEPALIVE void web_compute_bounds(web_element *element)
{
    enum { NUM_POSES = 16 };
    static const double duration = 4.0; // seconds of a machine
    md5_error error;
    md5_player *const player = md5_create_player(element->machine, NULL, &error);
    if (player == NULL)
        return;
    const bool has_clips = element->owned_machine != NULL;
    if (!has_clips)
        md5_player_copy(player, element->player);

    for (int i = 0; i < NUM_POSES; i++) {
        const bool is_first = i == 0;
        if (has_clips)
            (void)md5_player_seek(player, 0, (uint32_t)element->state, i / (double)NUM_POSES);
        else
            (void)md5_player_advance(player, is_first ? 0.0 : duration / NUM_POSES, NULL, NULL);
        pose(element, player);
        if (is_first)
            element->framed = element->casters;
        else
            element->framed = md5_bounds_union(element->framed, element->casters);
    }
    md5_destroy_player(player);
}

// == Drawing ======================================================================================

// gl_used.h contains USED(name) for each function of WebGL that the code of render/ calls. web.mk
// generates it. glad's own loader would link all functions of WebGL, which makes the program
// larger.
#define USED(name) extern __typeof__(*((GladGLContext *)0)->name) gl##name;
#include <gl_used.h>
#undef USED

// Replaces glad's loader for OpenGL ES. It stores the functions of gl_used.h without calling the
// loader of the renderer.
int gladLoadGLES2ContextUserPtr(GladGLContext *context, GLADuserptrloadfunc load, void *user)
{
    (void)load;
    (void)user;
    context->ES_VERSION_3_0 = 1;
#define USED(name) context->name = gl##name;
#include <gl_used.h>
#undef USED
    return GLAD_MAKE_VERSION(3, 0);
}

int gladLoadGLContextUserPtr(GladGLContext *context, GLADuserptrloadfunc load, void *user)
{
    (void)context;
    (void)load;
    (void)user;
    return 0; // browsers do not have desktop OpenGL
}

// Returns the few functions that the renderer calls before glad has loaded the others.
static md5gl_proc find_gl(void *user, const char *name)
{
    (void)user;
    if (strcmp(name, "glGetString") == 0)
        return (md5gl_proc)glGetString;
    if (strcmp(name, "glGetIntegerv") == 0)
        return (md5gl_proc)glGetIntegerv;
    if (strcmp(name, "glGetStringi") == 0)
        return (md5gl_proc)glGetStringi;
    return NULL;
}

// Creates the renderer of all elements. Returns NULL and reports the error on failure.
EMSCRIPTEN_KEEPALIVE md5gl_renderer *web_create_renderer(void)
{
    md5_error error = {0};
    md5gl_renderer *const renderer = md5gl_create_renderer(&(md5gl_opts){.load = find_gl}, &error);
    if (renderer == NULL)
        report_error(&error);
    return renderer;
}

// Frees the GPU copy of an asset.
EMSCRIPTEN_KEEPALIVE void web_release(web_asset *asset, md5gl_renderer *renderer)
{
    md5gl_destroy_model(renderer, asset->drawn);
    md5gl_destroy_morph(renderer, asset->gpu_morph);
    md5gl_free_materials(renderer, asset->material_set);
    asset->drawn = NULL;
    asset->gpu_morph = NULL;
    asset->material_set = NULL;
}

// Uploads the parts of an asset that are not on the GPU. Call it first, and again after
// web_load_morphs() and web_release(). Returns false on failure.
EMSCRIPTEN_KEEPALIVE bool web_upload(web_asset *asset, md5gl_renderer *renderer)
{
    md5_error error = {0};
    if (asset->drawn == NULL)
        asset->drawn = md5gl_create_model(renderer, asset->model, MD5GL_PATH_AUTO, &error);
    if (asset->drawn != NULL && asset->morph != NULL && asset->gpu_morph == NULL)
        asset->gpu_morph = md5gl_create_morph(renderer, asset->morph, &error);
    return error.status == MD5_OK || report_error(&error);
}

// Creates materials from the fetched images in the folder of `path`. Returns false on failure.
EMSCRIPTEN_KEEPALIVE bool web_load_materials(web_asset *asset, md5gl_renderer *renderer,
                                             const char *path)
{
    md5_error error = {0};
    const md5gl_material_set_desc desc = {.model = asset->model,
                                          .path = path,
                                          .load = load_image,
                                          .release = release_image,
                                          .name = name_image};
    md5gl_material_set *const material_set = md5gl_load_materials(renderer, &desc, &error);
    if (material_set == NULL)
        return report_error(&error);
    for (uint32_t i = 0; i < material_set->num_meshes; i++)
        md5gl_set_material(renderer, asset->drawn, 0, i, &material_set->materials[i]);
    md5gl_free_materials(renderer, asset->material_set);
    asset->material_set = material_set;
    return true;
}

// Advances the clips and the camera path of an element. Reports events of the machine to the page.
EMSCRIPTEN_KEEPALIVE void web_advance(web_element *element, double seconds)
{
    element->time += seconds;
    md5_player_advance(element->player, seconds, report_event, NULL);
    store_state(element);
}

// Changes to a state of a machine of clips. If `seconds` is above 0, it is the duration of a
// crossfade. If it is 0, changes immediately, to the position `cycles` of the clip.
EMSCRIPTEN_KEEPALIVE void web_set_state(web_element *element, uint32_t state, float seconds,
                                        double cycles)
{
    if (seconds > 0.0f)
        (void)md5_player_fade_to(element->player, 0, state, seconds, MD5_FADE_CROSS,
                                 MD5_EASE_SMOOTH);
    else
        (void)md5_player_seek(element->player, 0, state, cycles);
    store_state(element);
}

// Returns the name of a parameter of the machine, or NULL if the index is too large.
EMSCRIPTEN_KEEPALIVE const char *web_parameter_name(const web_element *element, uint32_t parameter)
{
    const md5_machine_desc *const tables = md5_machine_tables(element->machine);
    return parameter < tables->num_parameters ? tables->parameters[parameter].name : NULL;
}

// The camera of an image.
typedef struct element_view {
    md5_vec3 eye;
    md5_mat44 view_from_world;
    float fov; // vertical, degrees
} element_view;

// Returns the camera of the camera path, or the camera that the page has set.
static element_view get_view(const web_element *element, float aspect)
{
    static const md5_vec3 up = {0, 0, 1};
    if (element->path == NULL || element->follows == 0.0f)
        return (element_view){
            .eye = element->eye,
            .view_from_world = md5_mat44_look_at(element->eye, element->target, up),
            .fov = element->fov,
        };
    const md5_camera_view view = md5_camera_at(element->path, element->time, MD5_WRAP_LOOP, 0.0);
    const float horizontal_fov = fminf(fmaxf(view.fov, 1.0f), 175.0f);
    return (element_view){
        .eye = view.position,
        .view_from_world = md5_mat44_look_along(view.position, view.rotation, (md5_axes){0}),
        .fov = md5_vertical_fov(horizontal_fov, aspect),
    };
}

// Returns the description of a frame of width x height pixels. It has a warm directional light and
// a cool ambient light. Both are multiplied by the exposure that the page has set.
static md5gl_frame describe_frame(const web_element *element, const element_view *view,
                                  uint32_t width, uint32_t height)
{
    const float aspect = (float)width / (float)height;
    const float exposure = element->exposure;
    return (md5gl_frame){
        .width = width,
        .height = height,
        .view_from_world = view->view_from_world,
        .clip_from_view = md5_mat44_perspective(view->fov, aspect, element->near_z, element->far_z,
                                                MD5_DEPTH_MINUS_ONE_TO_ONE),
        .tone_mapped = true,
        .light_direction = {1.0f, 0.6f, 1.2f},
        .light = {2.0f * exposure, 1.9f * exposure, 1.8f * exposure},
        .ambient = {0.45f * exposure, 0.47f * exposure, 0.5f * exposure},
        .casters = element->casters,
        .ground = element->ground,
        .softness = element->softness,
    };
}

// Draws the shadows on the ground below the model.
static void draw_ground(const web_element *element, md5gl_renderer *renderer)
{
    const md5_bounds *const box = &element->framed;
    const md5_vec3 center = md5_vec3_scale(md5_vec3_add(box->min, box->max), 0.5f);
    const float diagonal = md5_vec3_length(md5_vec3_sub(box->max, box->min));
    md5gl_draw_ground(renderer, center, 2.0f * diagonal);
}

// Uploads the current pose of the model. Returns false and fills the error on failure.
static bool upload_pose(web_element *element, md5gl_renderer *renderer, md5_error *error)
{
    const web_asset *const asset = element->asset;
    pose(element, element->player);
    const md5gl_instances one = {.count = 1,
                                 .palettes = element->palette,
                                 .morph = asset->gpu_morph,
                                 .weights = element->weights};
    return md5gl_pose(renderer, asset->drawn, &one, error);
}

// Draws the model on a transparent background. The image of width x height pixels is in the lower
// left corner of the canvas. Returns false and reports the error on failure.
EMSCRIPTEN_KEEPALIVE bool web_draw(web_element *element, md5gl_renderer *renderer, uint32_t width,
                                   uint32_t height)
{
    md5_error error = {0};
    const web_asset *const asset = element->asset;
    const element_view view = get_view(element, (float)width / (float)height);
    const bool is_posed = upload_pose(element, renderer, &error);
    const md5gl_frame frame = describe_frame(element, &view, width, height); // needs the pose
    element->clip_from_world = md5_mat44_mul(frame.clip_from_view, frame.view_from_world);
    if (!is_posed)
        return report_error(&error);

    md5gl_begin_frame(renderer, &frame);
    md5gl_draw_shadows(renderer, asset->drawn);
    md5gl_draw_model(renderer, asset->drawn, MD5GL_LIT);
    // If the camera is below the ground, its shadows would cover the model.
    const bool is_above_ground = view.eye.z > frame.ground;
    if (element->has_ground != 0.0f && is_above_ground)
        draw_ground(element, renderer);
    return md5gl_end_frame(renderer, &error) || report_error(&error);
}

// Returns the index of a joint, or -1.
EMSCRIPTEN_KEEPALIVE int32_t web_find_joint(const web_element *element, const char *name)
{
    return (int32_t)md5_find_joint(&element->asset->model->skeleton, name);
}

// Computes the position of a joint in the last image and stores it in element->spot. Returns false
// if the joint is behind the camera.
EMSCRIPTEN_KEEPALIVE bool web_project_joint(web_element *element, uint32_t joint)
{
    // The palette converts the bind pose to the pose, so the joint's transform in the bind pose is
    // needed.
    const md5_mat34 bind = element->asset->model->bind[joint];
    const md5_mat34 transform = md5_mat34_mul(element->palette[joint], bind);
    const md5_vec3 position = {transform.m[3], transform.m[7], transform.m[11]};
    const md5_viewport unit = {.width = 1.0f, .height = 1.0f};
    md5_vec3 on_canvas;
    if (!md5_mat44_project(element->clip_from_world, unit, position, &on_canvas))
        return false;
    element->spot[0] = on_canvas.x;
    element->spot[1] = on_canvas.y;
    return true;
}
