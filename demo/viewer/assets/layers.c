#include "demo/viewer/assets/layers.h"

#include "demo/common/memory.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const void *decode(void *user, const void *bytes, size_t size, uint32_t *width,
                          uint32_t *height, md5_error *error)
{
    view_image image;
    view_image_fault fault;
    (void)user;
    if (!view_decode_image(bytes, size, &image, &fault)) {
        if (error != NULL)
            (void)snprintf(error->message, sizeof error->message, "%.180s", fault.message);
        return NULL;
    }
    *width = image.width;
    *height = image.height;
    return image.rgba;
}

static void release(void *user, const void *pixels)
{
    (void)user;
    free((void *)(uintptr_t)pixels);
}

// Decodes what the library does not: PNG and JPEG.
static md5_image_decoder game_decoder(void)
{
    return (md5_image_decoder){decode, release, NULL};
}

bool view_read_game_image(md5_game *game, const md5_image_program *program, view_image *image,
                          view_image_fault *fault)
{
    md5_error error;
    const md5_image_opts opts = {.decoder = game_decoder(), .keep_size = true};
    md5_image *const made = md5_load_image(game, program, &opts, &error);
    if (made == NULL)
        return view_image_fail(fault, "%.190s", error.message);
    const size_t size = (size_t)made->width * made->height * 4;
    *image = (view_image){common_alloc(size, 1), made->width, made->height};
    memcpy(image->rgba, made->pixels, size);
    md5_free_image(made);
    return true;
}

const md5_image_program *view_material_image(const md5_material *material, view_map map)
{
    const md5_stage_light light = map == VIEW_MAP_NORMALS    ? MD5_STAGE_BUMP
                                  : map == VIEW_MAP_SPECULAR ? MD5_STAGE_SPECULAR
                                                             : MD5_STAGE_DIFFUSE;
    const md5_image_program *any = NULL;
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        if (stage->image.text[0] == '\0')
            continue;
        if (stage->light == light)
            return &stage->image;
        if (any == NULL && map == VIEW_MAP_DIFFUSE && stage->light == MD5_STAGE_AMBIENT)
            any = &stage->image;
    }
    return any;
}

// -- Textures of stages --------------------------------------------------------------------------

// -- Pictures -------------------------------------------------------------------------------------

static md5gl_wrap wrap_of(md5_image_repeat repeat)
{
    switch (repeat) {
    case MD5_IMAGE_REPEAT:
        return MD5GL_WRAP_REPEAT;
    case MD5_IMAGE_CLAMP:
        return MD5GL_WRAP_CLAMP;
    case MD5_IMAGE_CLAMP_ZERO:
        return MD5GL_WRAP_CLAMP_BLACK;
    case MD5_IMAGE_CLAMP_BORDER:
    case MD5_IMAGE_CLAMP_ZERO_ALPHA:
        break;
    }
    return MD5GL_WRAP_CLAMP_CLEAR;
}

static md5_image *load_picture(md5_game *game, const md5_image_program *program, md5_error *error)
{
    const md5_image_opts opts = {.decoder = game_decoder(), .keep_size = true};
    return md5_load_image(game, program, &opts, error);
}

static md5gl_texture upload_flat(md5gl_renderer *renderer, md5_game *game, const md5_stage *stage,
                                 md5_error *error)
{
    md5gl_texture texture = 0;
    md5_image *const image = load_picture(game, &stage->image, error);
    if (image != NULL)
        texture = md5gl_create_texture(
            renderer,
            &(md5gl_texture_desc){.kind = MD5GL_TEXTURE_STAGE,
                                  .width = image->width,
                                  .height = image->height,
                                  .texels = image->pixels,
                                  .wrap = wrap_of(stage->repeat),
                                  .is_nearest = stage->filter == MD5_FILTER_NEAREST},
            error);
    md5_free_image(image);
    return texture;
}

// For lit surfaces: decoded from sRGB, or normals.
static md5gl_texture upload_lit(md5gl_renderer *renderer, md5_game *game, const md5_stage *stage,
                                md5_error *error)
{
    md5gl_texture texture = 0;
    md5_image *const image = load_picture(game, &stage->image, error);
    if (image != NULL) {
        const view_image picture = {image->pixels, image->width, image->height};
        const bool is_bump = stage->light == MD5_STAGE_BUMP;
        const md5gl_texture_desc desc = {.kind =
                                             is_bump ? MD5GL_TEXTURE_NORMALS : MD5GL_TEXTURE_COLOR,
                                         .width = image->width,
                                         .height = image->height,
                                         .texels = image->pixels,
                                         .normals = is_bump ? view_guess_normals(&picture) : 0};
        texture = md5gl_create_texture(renderer, &desc, error);
    }
    md5_free_image(image);
    return texture;
}

// -- Cube maps ------------------------------------------------------------------------------------

// A picture's point, right and down, of a side's point (s, t), both from -1 to 1, follows from the
// directions in which the camera looks and to which OpenGL gives s and t.
void view_turn_camera_side(int number, uint32_t side, const uint8_t *from, uint8_t *to)
{
    const bool is_transposed = number != 2 && number != 3; // right along t, down along s
    const bool flips_right = number == 1 || number == 3, flips_down = number == 1 || number == 2;
    for (uint32_t t = 0; t < side; t++) {
        for (uint32_t s = 0; s < side; s++) {
            const uint32_t right = is_transposed ? t : s, down = is_transposed ? s : t;
            const size_t column = flips_right ? side - 1 - right : right;
            const size_t row = flips_down ? side - 1 - down : down;
            memcpy(to + 4 * ((size_t)t * side + s), from + 4 * (row * side + column), 4);
        }
    }
}

static bool fail(md5_error *error, const char *what)
{
    (void)snprintf(error->message, sizeof error->message, "%.180s", what);
    return false;
}

// Writes the six sides one after another into *rgba, to be freed. A name that is one picture of six
// sides below each other is built in.
static bool load_whole(md5_game *game, const md5_stage *stage, uint32_t *side, uint8_t **rgba,
                       md5_error *error)
{
    md5_image *const image = load_picture(game, &stage->image, error);
    const bool is_cube = image != NULL && image->height == 6 * image->width;
    if (is_cube) {
        const size_t size = 24 * (size_t)image->width * image->width;
        *side = image->width;
        *rgba = memcpy(common_alloc(size, 1), image->pixels, size);
    }
    md5_free_image(image);
    return is_cube;
}

// Adds a side; all are squares of the same size.
static bool add_side(md5_game *game, const md5_stage *stage, int number, uint32_t *side,
                     uint8_t **rgba, md5_error *error)
{
    static const char *const suffixes[2][6] = {
        {"_px", "_nx", "_py", "_ny", "_pz", "_nz"},
        {"_forward", "_back", "_left", "_right", "_up", "_down"}};
    const bool is_camera = stage->cube == MD5_IMAGE_CAMERA_CUBE;
    md5_image_program program;
    char *const name =
        common_format("%s%s.tga", stage->image.text, suffixes[is_camera ? 1 : 0][number]);
    md5_image *const image = md5_game_image_program(game, name, &program, error)
                                 ? load_picture(game, &program, error)
                                 : NULL;
    free(name);
    if (image == NULL)
        return false;
    const bool fits = image->width == image->height && (number == 0 || image->width == *side);
    const size_t size = 4 * (size_t)image->width * image->width;
    if (fits && number == 0) {
        *side = image->width;
        *rgba = common_alloc(6 * size, 1);
    }
    if (fits && is_camera)
        view_turn_camera_side(number, *side, image->pixels, *rgba + size * (size_t)number);
    else if (fits)
        memcpy(*rgba + size * (size_t)number, image->pixels, size);
    md5_free_image(image);
    return fits || fail(error, "the sides of a cube map are squares of one size");
}

static md5gl_texture upload_cube(md5gl_renderer *renderer, md5_game *game, const md5_stage *stage,
                                 md5_error *error)
{
    uint32_t side = 0;
    uint8_t *rgba = NULL;
    md5gl_texture_desc desc = {.kind = MD5GL_TEXTURE_STAGE_CUBE,
                               .is_nearest = stage->filter == MD5_FILTER_NEAREST};
    md5gl_texture texture = 0;
    const bool is_built_in = stage->image.text[0] == '_';
    bool loaded = !is_built_in || load_whole(game, stage, &side, &rgba, error);
    for (int i = 0; i < 6 && loaded && !is_built_in; i++)
        loaded = add_side(game, stage, i, &side, &rgba, error);
    for (size_t i = 0; i < 6 && loaded; i++)
        desc.faces[i] = rgba + 4 * (size_t)side * side * i;
    desc.width = desc.height = side;
    if (loaded)
        texture = md5gl_create_texture(renderer, &desc, error);
    free(rgba);
    return texture;
}

// -- Public ---------------------------------------------------------------------------------------

void view_warn_lost(view_layer_textures *textures, const char *program, const char *why,
                    view_log *log)
{
    for (size_t i = 0; i < textures->num_lost; i++)
        if (strcmp(textures->lost[i], program) == 0)
            return;
    textures->lost = common_realloc(textures->lost, textures->num_lost + 1, sizeof *textures->lost);
    textures->lost[textures->num_lost++] = program;
    view_warn(log, "picture %s: %s", program, why);
}

static md5gl_texture load_layer(view_layer_textures *textures, md5gl_renderer *renderer,
                                md5_game *game, const md5_stage *stage, bool tests_alpha,
                                view_log *log)
{
    md5_error error = {.message = ""};
    view_layer_texture made = {.text = stage->image.text,
                               .repeat = stage->repeat,
                               .filter = stage->filter,
                               .cube = stage->cube,
                               .light = tests_alpha ? MD5_STAGE_AMBIENT : stage->light};
    for (size_t i = 0; i < textures->num_loaded; i++) {
        const view_layer_texture *const known = &textures->loaded[i];
        if (known->repeat == made.repeat && known->filter == made.filter && known->cube == made.cube
            && known->light == made.light && strcmp(known->text, made.text) == 0)
            return known->texture;
    }
    if (made.light != MD5_STAGE_AMBIENT)
        made.texture = upload_lit(renderer, game, stage, &error);
    else
        made.texture = stage->cube == MD5_IMAGE_2D ? upload_flat(renderer, game, stage, &error)
                                                   : upload_cube(renderer, game, stage, &error);
    if (made.texture == 0)
        view_warn_lost(textures, stage->image.text, error.message, log);
    textures->loaded =
        common_realloc(textures->loaded, textures->num_loaded + 1, sizeof *textures->loaded);
    textures->loaded[textures->num_loaded++] = made;
    return made.texture;
}

// Returns the texture of a stage, which is loaded on first use; 0 if it cannot be shown. Of a lit
// stage it is one of a md5gl_material, unless `tests_alpha`: then it is one of a md5gl_stage.
static void free_layer_textures(view_layer_textures *textures, md5gl_renderer *renderer)
{
    for (size_t i = 0; i < textures->num_loaded; i++)
        md5gl_destroy_texture(renderer, textures->loaded[i].texture);
    free(textures->loaded);
    free(textures->lost);
    *textures = (view_layer_textures){0};
}

// -- Lit layers ----------------------------------------------------------------------------------

// Whether a stage is the first one of its kind, whose texture the mesh itself has.
static bool is_first(const md5_material *material, const md5_stage *stage)
{
    const md5_stage *first = material->stages;
    while (first->light != stage->light)
        first++;
    return first == stage;
}

static void load_lit_layers(view_lit_layers *lit, view_layer_textures *textures,
                            md5gl_renderer *renderer, md5_game *game, const md5_material *material,
                            view_log *log)
{
    bool is_single = true;
    *lit = (view_lit_layers){.textures = common_alloc(material->num_stages, sizeof *lit->textures),
                             .shown = common_alloc(material->num_stages, sizeof *lit->shown)};
    for (uint32_t i = 0; i < material->num_stages; i++)
        is_single = is_single
                    && (material->stages[i].light == MD5_STAGE_AMBIENT
                        || is_first(material, &material->stages[i]));
    for (uint32_t i = 0; i < material->num_stages && !is_single; i++) {
        const md5_stage *const stage = &material->stages[i];
        if (stage->light != MD5_STAGE_AMBIENT)
            lit->textures[i] = load_layer(textures, renderer, game, stage, false, log);
    }
}

// Loads the textures of layers beyond the first.
static void free_lit_layers(view_lit_layers *lit)
{
    free(lit->textures);
    free(lit->shown);
    *lit = (view_lit_layers){0};
}

bool view_is_painted(const md5_material *material, const md5_stage *stage)
{
    bool is_white = stage->vertex_color == MD5_VERTEX_COLOR_IGNORE;
    if (stage->light != MD5_STAGE_DIFFUSE && stage->light != MD5_STAGE_SPECULAR)
        return false;
    for (int i = 0; i < 3; i++) {
        const uint32_t reg = stage->color[i];
        bool computed = reg < MD5_FIRST_REGISTER;
        for (uint32_t k = 0; k < material->num_ops; k++)
            computed = computed || material->ops[k].result == reg;
        is_white = is_white && !computed && material->registers[reg] >= 1.0f;
    }
    return !is_white;
}

// -- Layers -----------------------------------------------------------------------------------

// The stages of a layer by their light; NULL: none.
typedef struct lit_walk {
    const md5_stage *stages[MD5_STAGE_SPECULAR + 1];
    md5_vertex_color vertex_color; // the last stage decides
} lit_walk;

bool view_reflects(md5_vec3 color)
{
    return color.x != 0.0f || color.y != 0.0f || color.z != 0.0f;
}

// The colour of a stage for md5gl_material, or 0, 0, 0 if it reflects nothing. Sets *texture.
static md5_vec3 reflect(const view_lit_layers *lit, const md5_material *material,
                        const md5_stage *stage, const float *registers, md5gl_texture *texture)
{
    const md5_vec3 none = {0.0f, 0.0f, 0.0f};
    if (stage == NULL)
        return none;
    const md5_vec3 color = {registers[stage->color[0]], registers[stage->color[1]],
                            registers[stage->color[2]]};
    if (!(color.x > 0.0f) && !(color.y > 0.0f) && !(color.z > 0.0f))
        return none;
    const bool is_own = lit->num_shown == 0 && is_first(material, stage);
    const bool is_missing = stage->light == MD5_STAGE_DIFFUSE && lit->lacks_diffuse;
    *texture = is_own ? 0 : lit->textures[stage - material->stages];
    return (is_own ? is_missing : *texture == 0) ? none : color;
}

// Ends a layer. As in the engine it is nothing without a bump map, and keeps its stages.
static void end_layer(view_lit_layers *lit, const md5_material *material, const float *registers,
                      const lit_walk *walk)
{
    static const md5_vec3 black = {FLT_MIN, FLT_MIN, FLT_MIN}; // 0, 0, 0 would be white
    const md5_stage *const bump = walk->stages[MD5_STAGE_BUMP];
    md5gl_material shown = {
        .no_vertex_color = walk->vertex_color == MD5_VERTEX_COLOR_IGNORE,
        .inverse_vertex_color = walk->vertex_color == MD5_VERTEX_COLOR_INVERSE,
    };
    if (bump == NULL)
        return;
    if (lit->num_shown > 0 || !is_first(material, bump))
        shown.normals = lit->textures[bump - material->stages];
    shown.diffuse_color =
        reflect(lit, material, walk->stages[MD5_STAGE_DIFFUSE], registers, &shown.diffuse);
    shown.specular_color =
        reflect(lit, material, walk->stages[MD5_STAGE_SPECULAR], registers, &shown.specular);
    if (!view_reflects(shown.diffuse_color) && !view_reflects(shown.specular_color))
        return;
    if (!view_reflects(shown.diffuse_color))
        shown.diffuse_color = black;
    lit->shown[lit->num_shown++] = shown;
}

void view_choose_lit_layers(view_lit_layers *lit, const md5_material *material,
                            const float *registers)
{
    lit_walk walk = {.stages = {NULL}};
    lit->num_shown = 0;
    // Another spectrum is lit by lights of that alone.
    for (uint32_t i = 0; i < material->num_stages && material->spectrum == 0; i++) {
        const md5_stage *const stage = &material->stages[i];
        if (stage->light == MD5_STAGE_AMBIENT || registers[stage->condition] == 0.0f)
            continue;
        if (stage->light == MD5_STAGE_BUMP || walk.stages[stage->light] != NULL)
            end_layer(lit, material, registers, &walk);
        if (stage->light == MD5_STAGE_BUMP)
            walk = (lit_walk){.vertex_color = walk.vertex_color};
        else
            walk.vertex_color = stage->vertex_color;
        walk.stages[stage->light] = stage;
    }
    end_layer(lit, material, registers, &walk);
}

// -- Layers of meshes ----------------------------------------------------------------------------

// -- Adding ---------------------------------------------------------------------------------------

// Adds a note, which belongs to the layers then.
static void note(view_layers *layers, uint32_t mesh, const md5_material *material, char *text,
                 view_log *log)
{
    view_info(log, "material %s: %s", material->decl->name, text);
    layers->notes = common_realloc(layers->notes, layers->num_notes + 1, sizeof *layers->notes);
    layers->notes[layers->num_notes++] = (view_layer_note){mesh, text};
}

// Notes what is not shown of a layered mesh; `text` belongs to the layers then.
static void note_layer(view_layers *layers, const view_layered *layered, char *text, view_log *log)
{
    note(layers, layered->mesh, layered->material, text, log);
}

// Whether texture coordinates are directions.
static bool needs_cube(md5_texgen texgen)
{
    return texgen == MD5_TEXGEN_NORMAL || texgen == MD5_TEXGEN_REFLECT
           || texgen == MD5_TEXGEN_SKYBOX;
}

// Returns why a stage cannot be shown, to be freed, or NULL.
static char *obstacle_of(const md5_stage *stage)
{
    const md5_stage_program *const program = &stage->program;
    if (program->vertex != NULL || program->fragment != NULL)
        return common_format("program %s",
                             program->vertex != NULL ? program->vertex : program->fragment);
    if (stage->video != NULL)
        return common_format(stage->is_sound_map ? "sound as a picture: %s" : "video %s",
                             stage->video);
    if (stage->dynamic != MD5_IMAGE_STATIC)
        return common_format("view of the world, as a %s",
                             stage->dynamic == MD5_IMAGE_MIRROR   ? "mirror"
                             : stage->dynamic == MD5_IMAGE_REMOTE ? "remote camera"
                                                                  : "xray");
    if (stage->texgen == MD5_TEXGEN_WOBBLE_SKY)
        return common_format("texture coordinates of a wobbling sky");
    if (stage->texgen == MD5_TEXGEN_GLASS_WARP)
        return common_format("texture coordinates of warped glass");
    if ((stage->cube != MD5_IMAGE_2D) != needs_cube(stage->texgen))
        return common_format(needs_cube(stage->texgen) ? "directions without a cube map"
                                                       : "cube map %s without directions",
                             stage->image.text);
    return stage->image.text[0] == '\0' ? common_format("no picture") : NULL;
}

static bool is_lit(const md5_stage *stage)
{
    return stage->light != MD5_STAGE_AMBIENT;
}

// Whether a register never changes.
static bool is_constant(const md5_material *material, uint32_t reg)
{
    bool computed = reg < MD5_FIRST_REGISTER;
    for (uint32_t i = 0; i < material->num_ops; i++)
        computed = computed || material->ops[i].result == reg;
    return !computed;
}

// Whether a stage cuts the surface out, as in the engine: only if that is what covers it.
static bool tests_alpha(const md5_material *material, const md5_stage *stage)
{
    return stage->has_alpha_test && material->coverage == MD5_COVERAGE_PERFORATED;
}

// Whether a lit surface does the same with its diffuse map alone, at all times.
static bool is_usual_cut(const md5_material *material, const md5_stage *stage)
{
    const float *const constants = material->registers;
    return tests_alpha(material, stage) && stage->light == MD5_STAGE_DIFFUSE && !stage->has_matrix
           && is_constant(material, stage->alpha_test) && constants[stage->alpha_test] > 0.0f
           && is_constant(material, stage->condition) && constants[stage->condition] != 0.0f
           && is_constant(material, stage->color[3]) && constants[stage->color[3]] >= 1.0f;
}

// Whether a surface lies on another one.
static bool is_decal(const md5_material *material)
{
    const float decal = 2.0f; // of sort
    return material->has_polygon_offset || material->sort == decal;
}

// Whether a stage cuts the surface out by something else.
static bool cuts_surface(const md5_material *material, const md5_stage *stage)
{
    return tests_alpha(material, stage) && !is_usual_cut(material, stage);
}

// Whether a material draws more, or less, than one lit surface with its bump, diffuse and specular
// map.
static bool has_layers(const md5_material *material)
{
    bool any = material->coverage == MD5_COVERAGE_TRANSLUCENT || material->cull == MD5_CULL_FRONT
               || material->deform != MD5_DEFORM_NONE || is_decal(material) || material->no_shadows
               || material->spectrum != 0;
    uint32_t counts[MD5_STAGE_SPECULAR + 1] = {0};
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        const bool is_on = is_constant(material, stage->condition)
                           && material->registers[stage->condition] != 0.0f;
        any = any || !is_lit(stage) || !is_on || cuts_surface(material, stage)
              || view_is_painted(material, stage) || stage->has_matrix
              || ++counts[stage->light] > 1;
    }
    return any || counts[MD5_STAGE_DIFFUSE] == 0;
}

static bool has_diffuse(const md5_material *material)
{
    for (uint32_t i = 0; i < material->num_stages; i++)
        if (material->stages[i].light == MD5_STAGE_DIFFUSE)
            return true;
    return false;
}

// What is not shown of a material as a whole.
static void report(view_layers *layers, uint32_t mesh, const md5_material *material, view_log *log)
{
    if (material->gui != NULL)
        note(layers, mesh, material, common_format("GUI not shown: %s", material->gui), log);
}

// As in the engine, the first bump stage of a material is also that of its reflections.
static void load_reflected_bump(view_layers *layers, md5gl_renderer *renderer, md5_game *game,
                                view_layered *layered, view_log *log)
{
    const md5_material *const material = layered->material;
    const md5_stage *bump = NULL;
    bool reflects = false;
    for (uint32_t i = material->num_stages; i-- > 0;) {
        reflects = reflects || material->stages[i].texgen == MD5_TEXGEN_REFLECT;
        if (material->stages[i].light == MD5_STAGE_BUMP)
            bump = &material->stages[i];
    }
    if (reflects && bump != NULL)
        layered->bump = load_layer(&layers->textures, renderer, game, bump, false, log);
}

// Loads the pictures of the stages. As in the engine, a surface stays what it is without them:
// where an opaque one would show a missing picture, there is a pattern instead, and what would be
// added to or blended with something adds nothing.
static void load_stages(view_layers *layers, md5gl_renderer *renderer, md5_game *game,
                        view_layered *layered, view_log *log)
{
    const md5_material *const material = layered->material;
    const bool is_opaque = material->coverage != MD5_COVERAGE_TRANSLUCENT && !is_decal(material);
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        const bool is_replaced = !is_lit(stage) && (stage->bits & 255) == 0; // one, zero
        if (is_lit(stage) && stage->has_matrix)
            note(layers, layered->mesh, material,
                 common_format("stage %u: lit textures do not move", (unsigned)i + 1), log);
        if (is_lit(stage) && !tests_alpha(material, stage))
            continue;
        char *const obstacle = obstacle_of(stage);
        if (obstacle != NULL) {
            note(layers, layered->mesh, material,
                 common_format("stage %u not shown: %s", (unsigned)i + 1, obstacle), log);
            free(obstacle);
            continue;
        }
        layered->textures[i] = load_layer(&layers->textures, renderer, game, stage, true, log);
        if (layered->textures[i] == 0 && is_opaque && is_replaced && stage->cube == MD5_IMAGE_2D)
            layered->textures[i] = md5gl_checker_texture(renderer);
    }
}

static void free_layered(view_layered *layered)
{
    free(layered->registers);
    free(layered->textures);
    free(layered->stages);
    free_lit_layers(&layered->lit);
}

static view_layer_surface surface_of(const md5_material *material)
{
    view_layer_surface surface = {.is_declared = true,
                                  .two_sided = material->creates_back_sides
                                               || material->cull == MD5_CULL_NONE};
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        if (!is_usual_cut(material, stage))
            continue;
        surface.is_cut = true;
        surface.alpha_test = material->registers[stage->alpha_test];
    }
    return surface;
}

static uint32_t read_at(uint32_t reg)
{
    return reg < MD5_REGISTER_GLOBAL0 ? 1u << reg : 0;
}

// The registers of time and parms that a material reads, a bit for each. Constants have others.
static uint32_t registers_read(const md5_material *material)
{
    uint32_t read = 0;
    for (uint32_t i = 0; i < material->num_ops; i++) {
        const md5_material_op *const op = &material->ops[i];
        if (op->kind == MD5_OP_SOUND) // has no operands
            continue;
        read |= read_at(op->b) | (op->kind == MD5_OP_TABLE ? 0 : read_at(op->a));
    }
    for (int i = 0; i < 3 && material->deform != MD5_DEFORM_NONE; i++)
        read |= read_at(material->deform_registers[i]);
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        read |= read_at(stage->condition);
        read |= stage->has_alpha_test ? read_at(stage->alpha_test) : 0;
        for (int k = 0; k < 4; k++)
            read |= read_at(stage->color[k]);
        for (int k = 0; k < 6 && stage->has_matrix; k++)
            read |= read_at(stage->matrix[k / 3][k % 3]);
    }
    return read;
}

view_layer_surface view_add_layers(view_layers *layers, md5gl_renderer *renderer, md5_game *game,
                                   uint32_t mesh, const char *shader, view_log *log)
{
    const view_layer_surface none = {0};
    if (game == NULL || md5_find_decl(game, MD5_DECL_MATERIAL, shader) == NULL)
        return none;
    const md5_material *const material = md5_game_material(game, shader, NULL);
    if (material == NULL || material->decl == NULL)
        return none;
    report(layers, mesh, material, log);
    layers->read |= registers_read(material);
    view_layer_surface surface = surface_of(material);
    if (!has_layers(material))
        return surface;
    const uint32_t count = material->num_stages;
    view_layered layered = {.mesh = mesh, .material = material};
    if (material->deform_decl != NULL)
        layered.table = md5_game_table(game, material->deform_decl, NULL);
    layered.registers = common_alloc(material->num_registers, sizeof *layered.registers);
    layered.textures = common_alloc(count, sizeof *layered.textures);
    layered.stages = common_alloc(count, sizeof *layered.stages);
    load_lit_layers(&layered.lit, &layers->textures, renderer, game, material, log);
    load_reflected_bump(layers, renderer, game, &layered, log);
    load_stages(layers, renderer, game, &layered, log);
    layers->meshes = common_realloc(layers->meshes, layers->num_meshes + 1, sizeof *layers->meshes);
    layers->meshes[layers->num_meshes++] = layered;
    surface.is_staged = !has_diffuse(material);
    return surface;
}

void view_lack_diffuse(view_layers *layers, uint32_t mesh)
{
    for (uint32_t i = 0; i < layers->num_meshes; i++) {
        view_layered *const layered = &layers->meshes[i];
        if (layered->mesh == mesh)
            layered->lit.lacks_diffuse = layered->material->coverage == MD5_COVERAGE_TRANSLUCENT
                                         || is_decal(layered->material);
    }
}

static int by_sort(const void *left, const void *right)
{
    const view_layered *const a = left, *const b = right;
    if (a->material->sort != b->material->sort)
        return a->material->sort < b->material->sort ? -1 : 1;
    return a->mesh < b->mesh ? -1 : a->mesh > b->mesh;
}

void view_sort_layers(view_layers *layers, uint32_t num_meshes)
{
    if (layers->num_meshes > 0)
        qsort(layers->meshes, layers->num_meshes, sizeof *layers->meshes, by_sort);
    layers->lists = common_alloc(layers->num_meshes, sizeof *layers->lists);
    layers->places = common_alloc(num_meshes, sizeof *layers->places);
    for (uint32_t i = 0; i < layers->num_meshes; i++)
        layers->places[layers->meshes[i].mesh] = i + 1;
}

void view_free_layers(view_layers *layers, md5gl_renderer *renderer)
{
    for (uint32_t i = 0; i < layers->num_meshes; i++)
        free_layered(&layers->meshes[i]);
    free_layer_textures(&layers->textures, renderer);
    free(layers->meshes);
    free(layers->lists);
    free(layers->places);
    for (size_t i = 0; i < layers->num_notes; i++)
        free(layers->notes[i].text);
    free(layers->notes);
    *layers = (view_layers){0};
}

// -- Evaluating -----------------------------------------------------------------------------------

// The factors of the lowest eight bits of md5_stage.bits from code 3 on; for `first` and `second`
// see there.
static md5gl_factor factor_of(uint32_t code, md5gl_factor first, md5gl_factor second)
{
    static const md5gl_factor others[] = {
        MD5GL_FACTOR_TARGET_COLOR,          MD5GL_FACTOR_ONE_MINUS_TARGET_COLOR,
        MD5GL_FACTOR_SOURCE_ALPHA,          MD5GL_FACTOR_ONE_MINUS_SOURCE_ALPHA,
        MD5GL_FACTOR_TARGET_ALPHA,          MD5GL_FACTOR_ONE_MINUS_TARGET_ALPHA,
        MD5GL_FACTOR_SOURCE_ALPHA_SATURATE,
    };
    if (code < 3)
        return code == 0 ? first : second;
    return code - 3 < sizeof others / sizeof others[0] ? others[code - 3] : first;
}

static md5gl_factor source_of(uint32_t bits)
{
    return factor_of(bits & 15, MD5GL_FACTOR_ONE, MD5GL_FACTOR_ZERO);
}

static md5gl_factor target_of(uint32_t bits)
{
    const uint32_t code = bits >> 4 & 15;
    if (code == 3 || code == 4)
        return code == 3 ? MD5GL_FACTOR_SOURCE_COLOR : MD5GL_FACTOR_ONE_MINUS_SOURCE_COLOR;
    return code == 9 ? MD5GL_FACTOR_ZERO : factor_of(code, MD5GL_FACTOR_ZERO, MD5GL_FACTOR_ONE);
}

static md5gl_texgen texgen_of(md5_texgen texgen)
{
    switch (texgen) {
    case MD5_TEXGEN_NORMAL:
        return MD5GL_TEXGEN_NORMAL;
    case MD5_TEXGEN_REFLECT:
        return MD5GL_TEXGEN_REFLECT;
    case MD5_TEXGEN_SKYBOX:
        return MD5GL_TEXGEN_SKYBOX;
    case MD5_TEXGEN_SCREEN:
    case MD5_TEXGEN_SCREEN2:
        return MD5GL_TEXGEN_SCREEN;
    default:
        return MD5GL_TEXGEN_MESH;
    }
}

static uint32_t mask_of(uint32_t bits)
{
    return (bits & MD5_STAGE_NO_RED ? (uint32_t)MD5GL_MASK_RED : 0)
           | (bits & MD5_STAGE_NO_GREEN ? (uint32_t)MD5GL_MASK_GREEN : 0)
           | (bits & MD5_STAGE_NO_BLUE ? (uint32_t)MD5GL_MASK_BLUE : 0)
           | (bits & MD5_STAGE_NO_ALPHA ? (uint32_t)MD5GL_MASK_ALPHA : 0);
}

static const float offset_units = -600.0f; // of depth, for a polygonOffset of 1: r_offsetUnits

// A lit stage is there for its alpha test alone.
static md5gl_stage stage_of(const view_layered *layered, const md5_stage *stage,
                            md5gl_texture texture)
{
    const md5_material *const material = layered->material;
    const float *const registers = layered->registers;
    md5gl_stage drawn = {.texture = texture,
                         .source = is_lit(stage) ? MD5GL_FACTOR_ZERO : source_of(stage->bits),
                         .target = is_lit(stage) ? MD5GL_FACTOR_ONE : target_of(stage->bits),
                         .has_matrix = stage->has_matrix,
                         .is_tested = tests_alpha(material, stage),
                         .alpha_test = registers[stage->alpha_test],
                         .masked = mask_of(stage->bits),
                         .writes_depth = !is_lit(stage) && !(stage->bits & MD5_STAGE_NO_DEPTH),
                         .depth_equal = (stage->bits & MD5_STAGE_DEPTH_EQUAL) != 0,
                         .depth_offset = offset_units * stage->polygon_offset,
                         .texgen = texgen_of(stage->texgen),
                         .normals = layered->bump};
    for (int i = 0; i < 4; i++)
        drawn.color[i] = registers[stage->color[i]];
    if (stage->has_matrix)
        md5_stage_matrix(stage, registers, drawn.matrix);
    if (stage->vertex_color == MD5_VERTEX_COLOR_MODULATE)
        drawn.vertex_color = MD5GL_VERTEX_COLOR_MODULATE;
    if (stage->vertex_color == MD5_VERTEX_COLOR_INVERSE)
        drawn.vertex_color = MD5GL_VERTEX_COLOR_INVERSE;
    return drawn;
}

static md5gl_cull cull_of(const md5_material *material)
{
    if (material->cull == MD5_CULL_NONE || material->creates_back_sides)
        return MD5GL_CULL_NONE;
    return material->cull == MD5_CULL_FRONT ? MD5GL_CULL_FRONT : MD5GL_CULL_BACK;
}

// As the engine: light is added to what is behind translucent surfaces; opaque ones are black below
// what is drawn, unless all their stages are off, or they are decals that lack their pictures.
static void choose_base(view_layered *layered, bool is_on, bool is_cut, md5gl_stage_list *list)
{
    const md5_material *const material = layered->material;
    const bool is_translucent = material->coverage == MD5_COVERAGE_TRANSLUCENT;
    const bool has_shadow = material->force_shadows || (!material->no_shadows && !is_translucent);
    const bool has_light = layered->lit.num_shown > 0;
    const bool is_lost = is_decal(material) && list->num_stages == 0 && !has_light;
    // What is cut out by stages has their shadow, and is not cut out again by its diffuse map.
    layered->no_shadow = !has_shadow || is_cut || is_lost;
    layered->is_opaque = is_cut;
    list->casts_shadow = has_shadow && is_cut;
    layered->is_staged = is_translucent || !has_light || is_cut;
    if (is_translucent)
        list->base = has_light ? MD5GL_BASE_ADDED : MD5GL_BASE_NONE;
    else if (!is_on || is_lost || (has_light && !is_cut))
        list->base = MD5GL_BASE_NONE;
    else
        list->base = has_light ? MD5GL_BASE_LIT : MD5GL_BASE_BLACK;
}

static void evaluate(view_layered *layered, const md5_material_input *input, md5gl_stage_list *list)
{
    const md5_material *const material = layered->material;
    const float *const registers = layered->registers;
    bool is_on = false, is_cut = false;
    md5_evaluate_material(material, input, layered->registers);
    *list = (md5gl_stage_list){
        .mesh = layered->mesh, .cull = cull_of(material), .stages = layered->stages};
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        if (registers[stage->condition] == 0.0f)
            continue;
        is_on = true;
        is_cut = is_cut || cuts_surface(material, stage);
        if (layered->textures[i] != 0)
            layered->stages[list->num_stages++] = stage_of(layered, stage, layered->textures[i]);
    }
    // A lit decal is lifted off what is below it; further lit layers are drawn over a lit base;
    // md5gl_draw_model() shows front sides.
    view_choose_lit_layers(&layered->lit, material, registers);
    if (layered->lit.num_shown > 1) {
        list->lit_layers = layered->lit.shown + 1;
        list->num_lit_layers = layered->lit.num_shown - 1;
    }
    const bool is_lifted =
        material->has_polygon_offset || list->num_lit_layers > 0 || list->cull == MD5GL_CULL_FRONT;
    is_cut = is_cut || (is_lifted && material->coverage != MD5_COVERAGE_TRANSLUCENT);
    choose_base(layered, is_on, is_cut, list);
    // What md5gl_draw_model() draws is not offset, and it is cut out already.
    const bool over_lit = !layered->is_staged;
    for (uint32_t i = 0; i < list->num_stages && over_lit; i++)
        layered->stages[i].is_tested = false;
    if (material->has_polygon_offset && !over_lit)
        list->depth_offset = offset_units * material->polygon_offset;
}

void view_evaluate_layers(const view_layers *layers, const md5_material_input *input)
{
    for (uint32_t i = 0; i < layers->num_meshes; i++)
        evaluate(&layers->meshes[i], input, &layers->lists[i]);
}

const view_layered *view_find_layered(const view_layers *layers, uint32_t mesh)
{
    const uint32_t place = layers->num_meshes > 0 ? layers->places[mesh] : 0;
    return place > 0 ? &layers->meshes[place - 1] : NULL;
}

void view_paint_layer(const view_layers *layers, uint32_t mesh, bool maps, md5gl_material *material)
{
    const view_layered *const layered = view_find_layered(layers, mesh);
    if (layered == NULL)
        return;
    material->is_staged = layered->is_staged;
    material->no_shadow = layered->no_shadow;
    material->is_opaque = material->is_opaque || layered->is_opaque;
    if (layered->lit.num_shown == 0)
        return;
    const md5gl_material *const first = &layered->lit.shown[0];
    material->no_vertex_color = first->no_vertex_color;
    material->inverse_vertex_color = first->inverse_vertex_color;
    material->diffuse_color = first->diffuse_color;
    material->specular_color = first->specular_color;
    if (first->diffuse != 0)
        material->diffuse = first->diffuse;
    if (maps && first->normals != 0)
        material->normals = first->normals;
    if (maps && (first->specular != 0 || !view_reflects(first->specular_color)))
        material->specular = first->specular;
}

// -- Deforms -------------------------------------------------------------------------------------

bool view_has_deforms(const view_layers *layers)
{
    for (uint32_t i = 0; i < layers->num_meshes; i++)
        if (layers->meshes[i].deformed != NULL)
            return true;
    return false;
}

// The view in the space of a model that is placed.
static md5_deform_view seen_from(const md5_deform_view *view, const md5_mat34 *placement)
{
    const md5_mat34 back = md5_mat34_inverse(*placement);
    return (md5_deform_view){
        .eye = md5_mat34_point(back, view->eye),
        .left = md5_vec3_normalize(md5_mat34_direction(back, view->left), view->left),
        .up = md5_vec3_normalize(md5_mat34_direction(back, view->up), view->up),
    };
}

static void write_vertices(void *user, uint32_t mesh, uint32_t instance, const md5_vec3 *positions,
                           const md5_vec3 *normals, md5_vec3 *to_positions, md5_vec2 *texcoords,
                           md5_vec4 *colours)
{
    const view_layered *const layered = user;
    const md5_deformed out = {to_positions, texcoords, colours};
    (void)mesh;
    const md5_deform_view view = instance < layered->num_placements
                                     ? seen_from(&layered->view, &layered->placements[instance])
                                     : layered->view;
    md5_deform_vertices(layered->material, layered->table, layered->registers, layered->deformed,
                        positions, normals, &view, &out);
}

// Returns why a deform cannot be shown, to be freed.
static char *deform_obstacle(const md5_material *material)
{
    switch (material->deform) {
    case MD5_DEFORM_EYEBALL:
        return common_format("deform eyeBall not shown: the mesh is not an eye and two triangles");
    case MD5_DEFORM_PARTICLE:
    case MD5_DEFORM_PARTICLE2:
        return common_format("deform not shown: particles of %s",
                             material->deform_decl != NULL ? material->deform_decl : "no name");
    default:
        return common_format("deform not shown: the mesh is not made of quads");
    }
}

static void set_deform(view_layers *layers, view_layered *layered, md5gl_renderer *renderer,
                       md5gl_model *drawn, const md5_model *model, view_log *log)
{
    const md5_mesh *const mesh = &model->meshes[layered->mesh];
    const md5_deform deform = layered->material->deform;
    md5gl_deform set = {.write = write_vertices, .user = layered};
    md5_error error;
    if (!md5_deform_size(deform, mesh, &set.num_vertices, &set.num_triangles)) {
        note_layer(layers, layered, deform_obstacle(layered->material), log);
        return;
    }
    uint32_t *const indices = common_alloc(3 * (size_t)set.num_triangles, sizeof *indices);
    md5_deform_indices(deform, mesh, indices);
    set.indices = indices;
    if (md5gl_set_deform(renderer, drawn, layered->mesh, &set, &error))
        layered->deformed = mesh;
    else
        note_layer(layers, layered, common_format("deform not shown: %s", error.message), log);
    free(indices);
}

void view_set_deforms(view_layers *layers, md5gl_renderer *renderer, md5gl_model *drawn,
                      const md5_model *model, view_log *log)
{
    for (uint32_t i = 0; i < layers->num_meshes; i++)
        if (layers->meshes[i].material->deform != MD5_DEFORM_NONE)
            set_deform(layers, &layers->meshes[i], renderer, drawn, model, log);
}

void view_see_deforms(const view_layers *layers, const md5_deform_view *view,
                      const md5_mat34 *placements, uint32_t num_placements)
{
    for (uint32_t i = 0; i < layers->num_meshes; i++) {
        view_layered *const layered = &layers->meshes[i];
        layered->view = *view;
        layered->placements = placements;
        layered->num_placements = placements != NULL ? num_placements : 0;
    }
}
