// What the element <md5-model> runs: its models, drawn by md5gl one after the other on one canvas.
// core.js makes the context, fetches the files before they are opened here, and says when to draw.
// A failure is told to it as text, but not that memory is short.
#include "md5/md5image.h"
#include "md5/md5play.h"
#include "render/md5gl_material_files.h"

#include <emscripten.h>
#include <glad/gl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CLIPS = 128 };

// A model with what plays it, shared by all elements that show it.
typedef struct web_asset {
    const md5_model *model; // own, or that of the character
    md5_model *own;
    md5_character *character; // of a machine; else clips, each a state of a machine of elements
    md5_clip_desc clips[MAX_CLIPS];
    md5_state_desc states[MAX_CLIPS + 1]; // that of clip i is i + 1, behind the bind pose
    char names[MAX_CLIPS][4];             // the clips' numbers: the page knows their names
    uint32_t num_clips;
    md5_morph *morph; // what the machine drives, in that order; NULL: none, or not yet
    md5gl_model *drawn;
    md5gl_morph *bent; // `morph` on the GPU
    md5gl_material_set *material_set;
} web_asset;

// It begins with numbers that the page writes or, from `framed` on, reads, and the player.
typedef struct web_element {
    md5_vec3 eye;
    md5_vec3 target;
    float fov, near_z, far_z;                               // degrees, units
    float exposure, softness, has_ground, follows, up_is_y; // the last are 0 or 1
    md5_bounds framed;   // what the camera shows, of the whole clip; its bottom is the ground
    float state, cycles; // of the clip: which, how often it has passed
    md5_player *player;
    web_asset *asset;
    const md5_machine *machine; // own, or that of the character
    md5_machine *own;           // of clips
    md5_camera *path;           // NULL: the page moves the camera
    double time;                // of the camera path, seconds
    md5_bounds casters;         // of the pose
    float ground, *weights;     // of the pose; [targets] of it
    md5_mat34 palette[];        // [joints], and then the weights
} web_element;

// == The page =====================================================================================

// The bytes of a file that the page has fetched, for free(); NULL if it has not. sizes[3]: how
// many, and of a picture that the browser has decoded, width and height, else 0.
EM_JS(void *, page_open, (const char *path, uint32_t *sizes, bool is_picture), {
    const bytes = Module["page"].open(UTF8ToString(path), is_picture);
    const copy = bytes ? _malloc(bytes.length + 1) : 0;
    if (copy) {
        HEAPU8.set(bytes, copy);
        HEAPU32.set([ bytes.length, bytes.width, bytes.height ], sizes >> 2);
    }
    return copy;
})
// The page's file for a map of a shader, "" for none, until the next call; NULL: it says nothing.
EM_JS(const char *, page_name, (const char *shader, int kind),
      { return Module["page"].name(UTF8ToString(shader), kind); })
EM_JS(void, page_tell, (const char *kind, const char *text, const char *more),
      { Module["page"].tell(UTF8ToString(kind), UTF8ToString(text), UTF8ToString(more)); })

static bool tell_failure(const md5_error *error)
{
    char text[600];
    const char status[] = {(char)('0' + error->status), '\0'};
    md5_format_error(error, text, sizeof text);
    page_tell("error", text, status);
    return false;
}

static void tell_event(void *user, md5_player *player, const md5_event *event, float weight)
{
    (void)user;
    (void)player;
    if (event->name != NULL && (weight >= 0.5f || event->kind == MD5_EVENT_CLIP_END))
        page_tell(event->kind == MD5_EVENT_CLIP_END ? "end" : "event", event->name,
                  event->text != NULL ? event->text : "");
}

static const void *open_file(void *user, const char *path, size_t *size, md5_error *error)
{
    uint32_t sizes[3] = {0};
    const void *const bytes = page_open(path, sizes, false);
    (void)user;
    (void)error;
    *size = sizes[0];
    return bytes;
}

static void close_file(void *user, const void *bytes, size_t size)
{
    (void)user;
    (void)size;
    free((void *)(uintptr_t)bytes);
}

static const md5_load_opts page_opts = {.files = {open_file, close_file, NULL},
                                        .skip_geometry = MD5_GEOMETRY_SKIN_PLANS};

// The browser decodes PNG, JPEG and its own kinds, the library the others.
static const void *load_picture(void *user, const char *path, uint32_t *width, uint32_t *height,
                                md5_error *error)
{
    uint32_t sizes[3] = {0};
    void *const bytes = page_open(path, sizes, true);
    (void)user;
    *width = sizes[1];
    *height = sizes[2];
    if (bytes == NULL || *width != 0)
        return bytes;
    md5_image *const image = md5_parse_image(bytes, sizes[0], NULL, error);
    void *const pixels = image != NULL ? malloc(4 * (size_t)image->width * image->height) : NULL;
    if (pixels != NULL) {
        memcpy(pixels, image->pixels, 4 * (size_t)image->width * image->height);
        *width = image->width;
        *height = image->height;
    }
    md5_free_image(image);
    free(bytes);
    return pixels;
}

static void release_picture(void *user, const void *pixels)
{
    close_file(user, pixels, 0);
}

static const char *name_picture(void *user, const char *shader, md5gl_image_kind kind)
{
    (void)user;
    return page_name(shader, (int)kind);
}

// == Assets =======================================================================================

// What the machine calls a target that it drives; NULL behind the last.
EMSCRIPTEN_KEEPALIVE const char *web_target(const web_asset *asset, uint32_t target)
{
    return asset->character != NULL ? md5_machine_morph_name(asset->character->machine, target)
                                    : NULL;
}

EMSCRIPTEN_KEEPALIVE void web_free(web_asset *asset)
{
    md5_destroy_morph(asset->morph);
    for (uint32_t i = 0; i < asset->num_clips; i++) {
        md5_anim *const anim = (md5_anim *)(uintptr_t)asset->clips[i].binding->anim;
        md5_free_binding((md5_binding *)(uintptr_t)asset->clips[i].binding);
        md5_free_anim(anim);
    }
    md5_free_character(asset->character);
    md5_free_model(asset->own);
    free(asset);
}

// Loads a model, or a machine with what it names; NULL, and has told why, on failure.
EMSCRIPTEN_KEEPALIVE web_asset *web_load(const char *path, bool is_machine)
{
    md5_error error;
    web_asset *const asset = calloc(1, sizeof *asset);
    if (asset == NULL)
        return NULL;
    if (is_machine)
        asset->character = md5_load_character(path, &page_opts, &error);
    else
        asset->own = md5_load_model(path, &page_opts, &error);
    asset->model = asset->character != NULL ? asset->character->model : asset->own;
    asset->states[0].name = "none";
    if (asset->model != NULL)
        return asset;
    free(asset);
    tell_failure(&error);
    return NULL;
}

// Adds a clip, for web_play(). Returns its duration in seconds; 0, and has told why, if it cannot.
EMSCRIPTEN_KEEPALIVE double web_add_clip(web_asset *asset, const char *path, bool travels)
{
    md5_error error = {.status = MD5_ERROR_RANGE, .message = "more than 128 clips"};
    const uint32_t i = asset->num_clips;
    md5_anim *const anim = i < MAX_CLIPS ? md5_load_anim(path, &page_opts, &error) : NULL;
    md5_binding *const binding = anim != NULL ? md5_bind(asset->own, anim, NULL, &error) : NULL;
    if (binding == NULL) {
        md5_free_anim(anim);
        return tell_failure(&error);
    }
    char *const name = asset->names[i];
    (void)snprintf(name, sizeof asset->names[i], "%u", i);
    // What walks stays in the picture, but leaps are as high as they are.
    asset->clips[i] = (md5_clip_desc){name, binding,
                                      .root_extraction = travels ? MD5_ROOT_EXTRACTION_NONE
                                                                 : MD5_ROOT_EXTRACTION_WALK};
    asset->states[i + 1] = (md5_state_desc){.name = name, .motion = name};
    asset->num_clips++;
    return fmax(anim->duration, 1e-6);
}

// Loads the targets that the page has files of in a folder, the others move nothing, and makes the
// machine drive them, from the next web_show() on. Returns false on failure.
EMSCRIPTEN_KEEPALIVE bool web_bend(web_asset *asset, const char *folder)
{
    md5_error error = {0};
    const uint32_t count = md5_machine_num_morphs(asset->character->machine);
    md5_morph_source *const targets = calloc(count, sizeof *targets);
    if (targets == NULL)
        return false;
    bool is_good = true;
    for (uint32_t i = 0; is_good && i < count; i++) {
        char path[4096];
        targets[i].name = web_target(asset, i);
        (void)snprintf(path, sizeof path, "%s%s.md5mesh", folder, targets[i].name);
        error.status = MD5_OK;
        const md5_model *const its = md5_load_model(path, &page_opts, &error);
        is_good = its != NULL || error.status == MD5_ERROR_IO;
        targets[i].model = its != NULL ? its : asset->model;
    }
    if (is_good)
        asset->morph = md5_create_morph(asset->model, targets, count, NULL, &error);
    for (uint32_t i = 0; i < count; i++)
        if (targets[i].model != asset->model)
            md5_free_model((md5_model *)(uintptr_t)targets[i].model);
    free(targets);
    return asset->morph != NULL || tell_failure(&error);
}

// == Elements =====================================================================================

static void note_time(web_element *element)
{
    const md5_layer_status now = md5_player_layer(element->player, 0);
    element->state = (float)now.state;
    element->cycles = (float)now.time;
}

EMSCRIPTEN_KEEPALIVE void web_end(web_element *element)
{
    md5_destroy_player(element->player);
    md5_destroy_machine(element->own);
    md5_free_camera(element->path);
    free(element);
}

// Plays the machine, or one made of the clips that are there: again when there are more, and then
// goes on where it was. After a failure it can only end.
EMSCRIPTEN_KEEPALIVE bool web_play(web_element *element)
{
    md5_error error = {0};
    const web_asset *const asset = element->asset;
    const md5_layer_desc layer = {
        .name = "clips", .states = asset->states, .num_states = asset->num_clips + 1};
    const md5_machine_desc desc = {.name = "clips",
                                   .model = asset->model,
                                   .clips = asset->clips,
                                   .num_clips = asset->num_clips,
                                   .layers = &layer,
                                   .num_layers = 1,
                                   .report = {.clip_end = true}};
    md5_destroy_player(element->player);
    md5_destroy_machine(element->own);
    element->own = asset->own != NULL ? md5_create_machine(&desc, &page_opts, &error) : NULL;
    element->machine = asset->own != NULL ? element->own : asset->character->machine;
    element->player = md5_create_player(element->machine, NULL, &error);
    if (element->player == NULL)
        return tell_failure(&error);
    (void)md5_player_seek(element->player, 0, (uint32_t)element->state, element->cycles);
    return true;
}

// An element that shows an asset, and follows a camera path if that is not "". NULL on failure.
EMSCRIPTEN_KEEPALIVE web_element *web_begin(web_asset *asset, const char *path)
{
    md5_error error;
    const size_t joints = asset->model->skeleton.num_joints;
    const size_t targets =
        asset->character != NULL ? md5_machine_num_morphs(asset->character->machine) : 0;
    web_element *const element = calloc(1, sizeof *element + joints * sizeof *element->palette
                                               + targets * sizeof *element->weights);
    if (element == NULL)
        return NULL;
    element->asset = asset;
    element->weights = (float *)(element->palette + joints);
    element->path = path[0] != '\0' ? md5_load_camera(path, &page_opts, &error) : NULL;
    if ((path[0] == '\0' || element->path != NULL || tell_failure(&error)) && web_play(element))
        return element;
    web_end(element);
    return NULL;
}

// Computes the palette, the bounds of what casts shadows, and the ground, which is not above them.
static void pose(web_element *element, md5_player *player)
{
    const web_asset *const asset = element->asset;
    const md5_mat34 upright = {{1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0}};
    const uint32_t count = asset->model->skeleton.num_joints;
    md5_xform *const local =
        malloc(count * sizeof *local + md5_player_pose_scratch(element->machine));
    if (local != NULL)
        md5_player_pose(player, local, NULL, element->palette, local + count);
    free(local);
    for (uint32_t i = 0; element->up_is_y != 0.0f && i < count; i++)
        element->palette[i] = md5_mat34_mul(upright, element->palette[i]);
    element->casters = md5_skin_bounds(asset->model, element->palette);
    float reach = 0.0f;
    if (asset->morph != NULL)
        md5_player_morphs(player, element->weights);
    for (uint32_t i = 0; asset->morph != NULL && i < asset->morph->num_targets; i++)
        reach += fabsf(element->weights[i]) * asset->morph->targets[i].reach;
    const md5_vec3 farther = {reach, reach, reach};
    element->casters.min = md5_vec3_sub(element->casters.min, farther);
    element->casters.max = md5_vec3_add(element->casters.max, farther);
    element->ground = fminf(element->framed.min.z, element->casters.min.z);
}

// Finds what the camera shows: of the clip that plays, or of what the machine does soon.
EMSCRIPTEN_KEEPALIVE void web_frame(web_element *element)
{
    enum { POSES = 16 };
    md5_error error;
    md5_player *const player = md5_create_player(element->machine, NULL, &error);
    if (player == NULL)
        return;
    if (element->own == NULL)
        md5_player_copy(player, element->player);
    for (int i = 0; i < POSES; i++) {
        if (element->own != NULL)
            (void)md5_player_seek(player, 0, (uint32_t)element->state, i / (double)POSES);
        else
            (void)md5_player_advance(player, i == 0 ? 0.0 : 4.0 / POSES, NULL, NULL);
        pose(element, player);
        element->framed =
            i == 0 ? element->casters : md5_bounds_union(element->framed, element->casters);
    }
    md5_destroy_player(player);
}

// == On the GPU ===================================================================================

// The functions of WebGL that render/ calls, USED(name) for each, are in gl_used.h, which web.mk
// makes: glad's loader would link all that there are.
#define USED(name) extern __typeof__(*((GladGLContext *)0)->name) gl##name;
#include <gl_used.h>
#undef USED

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
    return 0; // of desktops
}

// Only those that are called before the others are loaded.
static md5gl_proc find_gl(void *user, const char *name)
{
    (void)user;
    return strcmp(name, "glGetString") == 0     ? (md5gl_proc)glGetString
           : strcmp(name, "glGetIntegerv") == 0 ? (md5gl_proc)glGetIntegerv
           : strcmp(name, "glGetStringi") == 0  ? (md5gl_proc)glGetStringi
                                                : NULL;
}

EMSCRIPTEN_KEEPALIVE md5gl_renderer *web_create_renderer(void)
{
    md5_error error = {0};
    md5gl_renderer *const renderer = md5gl_create_renderer(&(md5gl_opts){.load = find_gl}, &error);
    if (renderer == NULL)
        tell_failure(&error);
    return renderer;
}

EMSCRIPTEN_KEEPALIVE void web_hide(web_asset *asset, md5gl_renderer *renderer)
{
    md5gl_destroy_model(renderer, asset->drawn);
    md5gl_destroy_morph(renderer, asset->bent);
    md5gl_free_materials(renderer, asset->material_set);
    asset->drawn = NULL;
    asset->bent = NULL;
    asset->material_set = NULL;
}

// Uploads what is not yet there: at first, after web_bend() and web_hide().
EMSCRIPTEN_KEEPALIVE bool web_show(web_asset *asset, md5gl_renderer *renderer)
{
    md5_error error = {0};
    if (asset->drawn == NULL)
        asset->drawn = md5gl_create_model(renderer, asset->model, MD5GL_PATH_AUTO, &error);
    if (asset->drawn != NULL && asset->morph != NULL && asset->bent == NULL)
        asset->bent = md5gl_create_morph(renderer, asset->morph, &error);
    return error.status == MD5_OK || tell_failure(&error);
}

// Makes the materials of the pictures beside `path` that are there. Returns false on failure.
EMSCRIPTEN_KEEPALIVE bool web_look(web_asset *asset, md5gl_renderer *renderer, const char *path)
{
    md5_error error = {0};
    const md5gl_material_set_desc desc = {.model = asset->model,
                                          .path = path,
                                          .load = load_picture,
                                          .release = release_picture,
                                          .name = name_picture};
    md5gl_material_set *const material_set = md5gl_load_materials(renderer, &desc, &error);
    if (material_set == NULL)
        return tell_failure(&error);
    for (uint32_t i = 0; i < material_set->num_meshes; i++)
        md5gl_set_material(renderer, asset->drawn, 0, i, &material_set->materials[i]);
    md5gl_free_materials(renderer, asset->material_set);
    asset->material_set = material_set;
    return true;
}

EMSCRIPTEN_KEEPALIVE void web_advance(web_element *element, double seconds)
{
    element->time += seconds;
    md5_player_advance(element->player, seconds, tell_event, NULL);
    note_time(element);
}

// Goes to a state of a machine of clips over some seconds, or at once to so many cycles of it.
EMSCRIPTEN_KEEPALIVE void web_go(web_element *element, uint32_t state, float seconds, double cycles)
{
    if (seconds > 0.0f)
        (void)md5_player_fade_to(element->player, 0, state, seconds, MD5_FADE_CROSS,
                                 MD5_EASE_SMOOTH);
    else
        (void)md5_player_seek(element->player, 0, state, cycles);
    note_time(element);
}

// The name of a parameter of the machine; NULL behind the last.
EMSCRIPTEN_KEEPALIVE const char *web_parameter(const web_element *element, uint32_t parameter)
{
    const md5_machine_desc *const tables = md5_machine_tables(element->machine);
    return parameter < tables->num_parameters ? tables->parameters[parameter].name : NULL;
}

// Draws the model over nothing, in the lower left corner: the page's background is seen around it.
EMSCRIPTEN_KEEPALIVE bool web_draw(web_element *element, md5gl_renderer *renderer, uint32_t width,
                                   uint32_t height)
{
    md5_error error = {0};
    const web_asset *const asset = element->asset;
    const md5_bounds *const box = &element->framed;
    const float aspect = (float)width / (float)height;
    const float light = element->exposure;
    md5_vec3 eye = element->eye;
    md5_mat44 view_from_world = md5_mat44_look_at(eye, element->target, (md5_vec3){0, 0, 1});
    float fov = element->fov;
    if (element->path != NULL && element->follows != 0.0f) {
        const md5_camera_view view =
            md5_camera_at(element->path, element->time, MD5_WRAP_LOOP, 0.0);
        eye = view.position;
        view_from_world = md5_mat44_look_along(eye, view.rotation, (md5_axes){0});
        fov = md5_vertical_fov(fminf(fmaxf(view.fov, 1.0f), 175.0f), aspect);
    }
    pose(element, element->player);
    const md5gl_instances one = {.count = 1,
                                 .palettes = element->palette,
                                 .morph = asset->bent,
                                 .weights = element->weights};
    const md5gl_frame frame = {
        .width = width,
        .height = height,
        .view_from_world = view_from_world,
        .clip_from_view = md5_mat44_perspective(fov, aspect, element->near_z, element->far_z,
                                                MD5_DEPTH_MINUS_ONE_TO_ONE),
        .tone_mapped = true,
        .light_direction = {1.0f, 0.6f, 1.2f},
        .light = {2.0f * light, 1.9f * light, 1.8f * light},
        .ambient = {0.45f * light, 0.47f * light, 0.5f * light},
        .casters = element->casters,
        .ground = element->ground,
        .softness = element->softness,
    };
    if (!md5gl_pose(renderer, asset->drawn, &one, &error))
        return tell_failure(&error);
    md5gl_begin_frame(renderer, &frame);
    md5gl_draw_shadows(renderer, asset->drawn);
    md5gl_draw_model(renderer, asset->drawn, MD5GL_LIT);
    // From below, shadows on the ground would cover it.
    if (element->has_ground != 0.0f && eye.z > frame.ground)
        md5gl_draw_ground(renderer, md5_vec3_scale(md5_vec3_add(box->min, box->max), 0.5f),
                          2.0f * md5_vec3_length(md5_vec3_sub(box->max, box->min)));
    return md5gl_end_frame(renderer, &error) || tell_failure(&error);
}
