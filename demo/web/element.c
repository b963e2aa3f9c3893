// What the element <md5-model> runs: one model on one canvas, drawn by md5gl. element.js makes the
// context, fetches the files before they are opened here, and says when to draw. A failure is told
// to it as text.
#include "md5/md5image.h"
#include "md5/md5play.h"
#include "render/md5gl_look.h"

#include <emscripten.h>
#include <glad/gl.h>
#include <stdlib.h>
#include <string.h>

typedef struct web_element {
    md5gl_renderer *renderer;
    md5gl_model *drawn;
    md5gl_looks *looks;
    const md5_model *model; // own, or that of the character
    md5_model *own;
    md5_anim *clip; // NULL: the bind pose
    md5_binding *binding;
    md5_character *character; // with a player, instead of a clip
    md5_player *player;
    md5_morph *morph; // the targets that its machine drives, in that order; NULL: none, or not yet
    md5_morph_source
        *targets;      // [targets] before that; those without a file are of the model itself
    md5gl_morph *bent; // `morph` on the GPU
    float *weights;    // [targets] of the pose
    md5_camera *path;  // NULL: the camera circles around the model
    double time;       // of the clip and the camera path, seconds
    md5_xform *pose;   // [joints], and what follows
    md5_mat34 *joints, *palette;
    void *scratch;      // of the player
    md5_bounds framed;  // of the whole clip: what the camera shows
    md5_bounds casters; // of the pose
    float ground;       // height of where it stands
} web_element;

// == The page =====================================================================================

// The bytes of a file that the page has fetched, for free(); NULL if it has not.
EM_JS(void *, page_open, (const char *path, size_t *size), {
    const bytes = Module["files"].get(UTF8ToString(path));
    const copy = bytes ? _malloc(bytes.length + 1) : 0;
    if (!copy)
        return 0;
    HEAPU8.set(bytes, copy);
    HEAPU32[size >> 2] = bytes.length;
    return copy;
})
EM_JS(void, page_tell, (const char *kind, const char *text, const char *more),
      { Module["tell"](UTF8ToString(kind), UTF8ToString(text), UTF8ToString(more)); })

static bool tell_failure(const md5_error *error)
{
    char text[600];
    md5_format_error(error, text, sizeof text);
    page_tell("error", text, "");
    return false;
}

static void tell_event(void *user, md5_player *player, const md5_event *event, float weight)
{
    (void)user;
    (void)player;
    if (weight >= 0.5f && event->name != NULL)
        page_tell(event->kind == MD5_EVENT_CLIP_END ? "end" : "event", event->name,
                  event->text != NULL ? event->text : "");
}

static const void *open_file(void *user, const char *path, size_t *size, md5_error *error)
{
    (void)user;
    (void)error;
    return page_open(path, size);
}

static void close_file(void *user, const void *bytes, size_t size)
{
    (void)user;
    (void)size;
    free((void *)(uintptr_t)bytes);
}

static const md5_error out_of_memory = {MD5_ERROR_MEMORY, .message = "out of memory"};
static const md5_load_opts page_opts = {.files = {open_file, close_file, NULL},
                                        .without = MD5_PART_SKIN_PLANS};

// The browser decodes PNG and JPEG: the page has put their pixels into a DDS file of that name.
static const void *load_picture(void *user, const char *path, uint32_t *width, uint32_t *height,
                                md5_error *error)
{
    size_t size = 0;
    void *const bytes = page_open(path, &size);
    md5_image *const image = bytes != NULL ? md5_parse_image(bytes, size, NULL, error) : NULL;
    void *const pixels = image != NULL ? malloc(4 * (size_t)image->width * image->height) : NULL;
    (void)user;
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

// == Assets =======================================================================================

// Computes the palette, and the bounds of what casts shadows.
static void pose(web_element *element)
{
    const md5_root root = element->path != NULL ? MD5_ROOT_FILE : MD5_ROOT_IN_PLACE;
    if (element->player != NULL)
        md5_player_pose(element->player, element->pose, element->joints, element->palette,
                        element->scratch);
    else if (element->binding != NULL)
        md5_pose_palette(element->binding,
                         md5_moment_at(element->clip, element->time, MD5_WRAP_LOOP), root,
                         element->pose, element->joints, element->palette);
    else
        md5_local_to_palette(element->model, element->model->bind_local, element->joints,
                             element->palette);
    element->casters = md5_skin_bounds(element->model, element->palette);
    if (element->morph == NULL)
        return;
    float reach = 0.0f;
    md5_player_morphs(element->player, element->weights);
    for (uint32_t i = 0; i < element->morph->num_targets; i++)
        reach += fabsf(element->weights[i]) * element->morph->targets[i].reach;
    const md5_vec3 farther = {reach, reach, reach};
    element->casters.min = md5_vec3_sub(element->casters.min, farther);
    element->casters.max = md5_vec3_add(element->casters.max, farther);
}

// The bounds of the clip, in some of its poses, and the ground, on which the lowest one stands.
static void frame_clip(web_element *element)
{
    enum { POSES = 8 };
    element->ground = INFINITY;
    element->framed = element->model->bounds;
    for (int i = 0; i < POSES; i++) {
        element->time = element->clip != NULL ? element->clip->duration * i / POSES : 0.0;
        pose(element);
        element->framed = md5_bounds_union(element->framed, element->casters);
        element->ground = fminf(element->ground, element->casters.min.z);
    }
    element->time = 0.0;
}

// Loads what is named: a model, perhaps with a clip, or a state machine, and a camera path. Names
// that are missing are "". Returns false, and has told why, on failure.
EMSCRIPTEN_KEEPALIVE bool web_load(web_element *element, const char *model, const char *clip,
                                   const char *machine, const char *path)
{
    md5_error error = {0};
    bool is_loaded;
    if (machine[0] != '\0') {
        element->character = md5_load_character(machine, &page_opts, &error);
        element->model = element->character != NULL ? element->character->model : NULL;
        element->player = element->character != NULL
                              ? md5_create_player(element->character->machine, NULL, &error)
                              : NULL;
        is_loaded = element->player != NULL;
    } else {
        element->model = element->own = md5_load_model(model, &page_opts, &error);
        if (clip[0] != '\0' && element->own != NULL) {
            element->clip = md5_load_anim(clip, &page_opts, &error);
            element->binding = md5_bind(element->own, element->clip, NULL, &error);
        }
        is_loaded = element->own != NULL && (clip[0] == '\0' || element->binding != NULL);
    }
    if (is_loaded && path[0] != '\0') {
        element->path = md5_load_camera(path, &page_opts, &error);
        is_loaded = element->path != NULL;
    }
    if (!is_loaded)
        return tell_failure(&error);
    const size_t num_joints = element->model->skeleton.num_joints + 1; // none: not of 0 bytes
    element->pose = malloc(num_joints * sizeof *element->pose);
    element->joints = malloc(num_joints * sizeof *element->joints);
    element->palette = malloc(num_joints * sizeof *element->palette);
    element->scratch = element->player != NULL
                           ? malloc(md5_player_pose_scratch(element->character->machine))
                           : NULL;
    if (element->pose == NULL || element->joints == NULL || element->palette == NULL
        || (element->player != NULL && element->scratch == NULL))
        return tell_failure(&out_of_memory);
    frame_clip(element);
    return true;
}

// What the pictures of a mesh are called by: its shader, or its name; NULL behind the last.
EMSCRIPTEN_KEEPALIVE const char *web_shader(const web_element *element, uint32_t mesh)
{
    if (mesh >= element->model->num_meshes)
        return NULL;
    const md5_mesh *const its = &element->model->meshes[mesh];
    return its->shader[0] != '\0' ? its->shader : its->name;
}

// == Morph targets ================================================================================

// What the machine calls a target that it drives; NULL behind the last.
EMSCRIPTEN_KEEPALIVE const char *web_target(const web_element *element, uint32_t target)
{
    const md5_machine *const machine =
        element->character != NULL ? element->character->machine : NULL;
    return machine != NULL && target < md5_machine_num_morphs(machine)
               ? md5_machine_morph_name(machine, target)
               : NULL;
}

// Loads its file; if that is not there, the target moves nothing. Returns false on failure. One
// after the other, so that the page draws in between.
EMSCRIPTEN_KEEPALIVE bool web_load_target(web_element *element, uint32_t target, const char *path)
{
    md5_error error = {0};
    if (element->targets == NULL)
        element->targets =
            calloc(md5_machine_num_morphs(element->character->machine), sizeof *element->targets);
    if (element->targets == NULL)
        return tell_failure(&out_of_memory);
    const md5_model *const its = md5_load_model(path, &page_opts, &error);
    if (its == NULL && error.status != MD5_ERROR_IO)
        return tell_failure(&error);
    element->targets[target] = (md5_morph_source){.name = web_target(element, target),
                                                  .model = its != NULL ? its : element->model};
    return true;
}

static void free_targets(web_element *element)
{
    for (uint32_t i = 0; element->targets != NULL && web_target(element, i) != NULL; i++)
        if (element->targets[i].model != element->model)
            md5_free_model((md5_model *)(uintptr_t)element->targets[i].model);
    free(element->targets);
    element->targets = NULL;
}

static bool upload_targets(web_element *element, md5_error *error)
{
    element->bent = md5gl_create_morph(element->renderer, element->morph, error);
    return element->bent != NULL;
}

// The machine drives the targets from now on, all of which are loaded.
EMSCRIPTEN_KEEPALIVE bool web_bend(web_element *element)
{
    md5_error error = {0};
    const uint32_t count = md5_machine_num_morphs(element->character->machine);
    element->weights = calloc(count, sizeof *element->weights);
    if (element->weights == NULL)
        return tell_failure(&out_of_memory);
    element->morph = md5_create_morph(element->model, element->targets, count, NULL, &error);
    free_targets(element);
    return (element->morph != NULL
            && (element->renderer == NULL || upload_targets(element, &error)))
           || tell_failure(&error);
}

// == On the GPU ===================================================================================

static void hide_model(web_element *element)
{
    if (element->renderer != NULL) {
        md5gl_destroy_model(element->renderer, element->drawn);
        md5gl_destroy_morph(element->renderer, element->bent);
        md5gl_free_looks(element->renderer, element->looks);
    }
    element->drawn = NULL;
    element->bent = NULL;
    element->looks = NULL;
}

// Before its context is used no more, or when that is lost: later the old names would be errors.
EMSCRIPTEN_KEEPALIVE void web_hide(web_element *element)
{
    hide_model(element);
    md5gl_destroy_renderer(element->renderer);
    element->renderer = NULL;
}

// The texts of what it never draws: web.mk leaves out the files. Renderers build programs for all
// overlays, which then do nothing.
#define NOTHING "void main() {}"
const char md5gli_shader_impostor_views_glsl[] = "", md5gli_shader_impostor_glsl[] = "",
           md5gli_shader_impostor_vert[] = "", md5gli_shader_impostor_frag[] = "",
           md5gli_shader_impostor_depth_frag[] = "", md5gli_shader_picture_frag[] = "",
           md5gli_shader_stage_frag[] = "", md5gli_shader_outputs_frag[] = "",
           md5gli_shader_preskin_glsl[] = "", md5gli_shader_preskin_comp[] = "",
           md5gli_shader_environment_vert[] = "", md5gli_shader_environment_frag[] = "",
           md5gli_shader_environment_glsl[] = "", md5gli_shader_sky_environment_glsl[] = "",
           md5gli_shader_sky_host_glsl[] = "", md5gli_shader_spot_glsl[] = "",
           md5gli_shader_classic_glsl[] = "", md5gli_shader_previous_glsl[] = "",
           md5gli_shader_table_buffer_glsl[] = "", md5gli_shader_blend_dual_glsl[] = "",
           md5gli_shader_skin_baked_glsl[] = "", md5gli_shader_line_vert[] = NOTHING,
           md5gli_shader_line_frag[] = NOTHING, md5gli_shader_grid_vert[] = NOTHING,
           md5gli_shader_grid_frag[] = NOTHING, md5gli_shader_panel_vert[] = NOTHING,
           md5gli_shader_panel_frag[] = NOTHING, md5gli_shader_image_frag[] = NOTHING,
           md5gli_shader_blob_vert[] = NOTHING, md5gli_shader_blob_frag[] = NOTHING,
           md5gli_shader_smooth_frag[] = "";
#undef NOTHING

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

// Uploads the model to the current context: at first, and again after web_hide().
EMSCRIPTEN_KEEPALIVE bool web_show(web_element *element)
{
    md5_error error = {0};
    if (element->renderer == NULL)
        element->renderer = md5gl_create_renderer(&(md5gl_opts){.load = find_gl}, &error);
    element->drawn =
        element->renderer != NULL
            ? md5gl_create_model(element->renderer, element->model, MD5GL_PATH_AUTO, &error)
            : NULL;
    return (element->drawn != NULL && (element->morph == NULL || upload_targets(element, &error)))
           || tell_failure(&error);
}

// Makes the materials, when the pictures beside `path` are there. Returns
// false on failure.
EMSCRIPTEN_KEEPALIVE bool web_look(web_element *element, const char *path)
{
    md5_error error = {0};
    const md5gl_looks_desc desc = {
        .model = element->model, .path = path, .load = load_picture, .release = release_picture};
    md5gl_looks *const looks = md5gl_load_looks(element->renderer, &desc, &error);
    if (looks == NULL)
        return tell_failure(&error);
    for (uint32_t i = 0; i < looks->num_meshes; i++)
        md5gl_set_material(element->renderer, element->drawn, 0, i, &looks->materials[i]);
    md5gl_free_looks(element->renderer, element->looks);
    element->looks = looks;
    return true;
}

// == Playing ======================================================================================

EMSCRIPTEN_KEEPALIVE void web_advance(web_element *element, double seconds)
{
    const double before = element->time;
    element->time += seconds;
    if (element->player != NULL)
        md5_player_advance(element->player, seconds, tell_event, NULL);
    else if (element->clip != NULL
             && md5_moment_at(element->clip, before, MD5_WRAP_LOOP).cycle
                    != md5_moment_at(element->clip, element->time, MD5_WRAP_LOOP).cycle)
        page_tell("end", "", "");
}

EMSCRIPTEN_KEEPALIVE double web_time(const web_element *element)
{
    return element->time;
}

// Sets a parameter of the machine, or a trigger. Returns whether it has one of that name.
EMSCRIPTEN_KEEPALIVE bool web_set(web_element *element, const char *name, float value)
{
    return element->player != NULL
           && md5_player_set(element->player, md5_find_parameter(element->character->machine, name),
                             value);
}

// The camera circles around the middle at angles in degrees, and a distance in radii of the model,
// or follows its path. `eye_height` becomes where it is.
static md5gl_frame make_frame(const web_element *element, uint32_t width, uint32_t height,
                              float azimuth, float elevation, float distance, float *eye_height)
{
    const float degree = 0.01745329252f, aspect = (float)width / (float)height;
    const md5_bounds *const box = &element->framed;
    const md5_vec3 middle = md5_vec3_scale(md5_vec3_add(box->min, box->max), 0.5f);
    const float radius = fmaxf(0.5f * md5_vec3_length(md5_vec3_sub(box->max, box->min)), 1e-3f);
    const float level = cosf(elevation * degree);
    const md5_vec3 back = {level * cosf(azimuth * degree), level * sinf(azimuth * degree),
                           sinf(elevation * degree)};
    md5_vec3 eye = md5_vec3_add(middle, md5_vec3_scale(back, distance * radius));
    md5_mat44 view_from_world = md5_mat44_look_at(eye, middle, (md5_vec3){0, 0, 1});
    float fov = 35.0f;
    if (element->path != NULL) {
        const md5_camera_view view =
            md5_camera_at(element->path, element->time, MD5_WRAP_LOOP, 0.0);
        const md5_axes usual = {0};
        eye = view.position;
        view_from_world = md5_mat44_look_along(view.position, view.rotation, usual);
        fov = md5_vertical_fov(fminf(fmaxf(view.fov, 1.0f), 175.0f), aspect);
    }
    *eye_height = eye.z;
    return (md5gl_frame){
        .width = width,
        .height = height,
        .view_from_world = view_from_world,
        .clip_from_view = md5_mat44_perspective(fov, aspect, 0.02f * radius, 100.0f * radius,
                                                MD5_DEPTH_MINUS_ONE_TO_ONE),
        .tone_mapped = true,
        .light_direction = {1.0f, 0.6f, 1.2f},
        .light = {2.0f, 1.9f, 1.8f},
        .ambient = {0.45f, 0.47f, 0.5f},
        .casters = element->casters,
        .ground = fminf(element->ground, element->casters.min.z),
        .softness = 0.1f,
    };
}

// Draws the model over nothing: the page's background is seen around it.
EMSCRIPTEN_KEEPALIVE bool web_draw(web_element *element, uint32_t width, uint32_t height,
                                   float azimuth, float elevation, float distance)
{
    md5_error error = {0};
    pose(element);
    float eye_height;
    const md5gl_frame frame =
        make_frame(element, width, height, azimuth, elevation, distance, &eye_height);
    const md5gl_instances one = {.count = 1,
                                 .palettes = element->palette,
                                 .morph = element->bent,
                                 .weights = element->weights};
    if (!md5gl_pose(element->renderer, element->drawn, &one, &error))
        return tell_failure(&error);
    const md5_vec3 middle =
        md5_vec3_scale(md5_vec3_add(element->framed.min, element->framed.max), 0.5f);
    const float reach = md5_vec3_length(md5_vec3_sub(element->framed.max, element->framed.min));
    md5gl_begin_frame(element->renderer, &frame);
    md5gl_draw_shadows(element->renderer, element->drawn);
    md5gl_draw_model(element->renderer, element->drawn, MD5GL_LIT);
    // From below, shadows on the ground would cover it.
    if (eye_height > frame.ground)
        md5gl_draw_ground(element->renderer, middle, 2.0f * reach);
    return md5gl_end_frame(element->renderer, &error) || tell_failure(&error);
}

EMSCRIPTEN_KEEPALIVE void web_end(web_element *element)
{
    web_hide(element);
    free_targets(element);
    md5_destroy_morph(element->morph);
    free(element->weights);
    free(element->pose);
    free(element->joints);
    free(element->palette);
    free(element->scratch);
    md5_destroy_player(element->player);
    md5_free_character(element->character);
    md5_free_binding(element->binding);
    md5_free_anim(element->clip);
    md5_free_camera(element->path);
    md5_free_model(element->own);
    free(element);
}

// `before` ends, if there is one, and its renderer with the programs goes on.
EMSCRIPTEN_KEEPALIVE web_element *web_begin(web_element *before)
{
    web_element *const element = calloc(1, sizeof *element);
    if (before != NULL) {
        hide_model(before);
        element->renderer = before->renderer;
        before->renderer = NULL;
        web_end(before);
    }
    return element;
}
