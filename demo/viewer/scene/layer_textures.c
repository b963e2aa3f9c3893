#include "demo/viewer/scene/layer_textures.h"

#include "demo/common/memory.h"
#include "demo/viewer/scene/game_image.h"
#include "demo/viewer/scene/maps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- Pictures -------------------------------------------------------------------------------------

static md5gl_wrap wrap_of(md5_image_repeat repeat)
{
    switch (repeat) {
    case MD5_REPEAT:
        return MD5GL_WRAP_REPEAT;
    case MD5_CLAMP:
        return MD5GL_WRAP_CLAMP;
    case MD5_CLAMP_ZERO:
        return MD5GL_WRAP_CLAMP_BLACK;
    case MD5_CLAMP_BORDER:
    case MD5_CLAMP_ZERO_ALPHA:
        break;
    }
    return MD5GL_WRAP_CLAMP_CLEAR;
}

static md5_image *load_picture(md5_game *game, const md5_image_program *program, md5_error *error)
{
    const md5_image_opts opts = {.decoder = view_game_decoder(), .keep_size = true};
    return md5_load_image(game, program, &opts, error);
}

static md5gl_texture upload_flat(md5gl_renderer *renderer, md5_game *game, const md5_stage *stage,
                                 md5_error *error)
{
    md5gl_texture texture = 0;
    md5_image *const image = load_picture(game, &stage->image, error);
    if (image != NULL)
        texture = md5gl_create_stage_texture(renderer, image->width, image->height, image->pixels,
                                             wrap_of(stage->repeat),
                                             stage->filter == MD5_FILTER_NEAREST, error);
    md5_free_image(image);
    return texture;
}

// For lit surfaces: decoded from sRGB, or normals.
static md5gl_texture upload_lit(md5gl_renderer *renderer, md5_game *game, const md5_stage *stage,
                                md5_error *error)
{
    md5gl_texture texture = 0;
    md5_image *const image = load_picture(game, &stage->image, error);
    if (image != NULL && stage->light == MD5_STAGE_BUMP) {
        const view_image picture = {image->pixels, image->width, image->height};
        texture = md5gl_create_normal_map(renderer, image->width, image->height, image->pixels,
                                          view_guess_normals(&picture), error);
    } else if (image != NULL) {
        texture = md5gl_create_texture(renderer, image->width, image->height, image->pixels, error);
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
    const uint8_t *sides[6];
    md5gl_texture texture = 0;
    const bool is_built_in = stage->image.text[0] == '_';
    bool loaded = !is_built_in || load_whole(game, stage, &side, &rgba, error);
    for (int i = 0; i < 6 && loaded && !is_built_in; i++)
        loaded = add_side(game, stage, i, &side, &rgba, error);
    for (size_t i = 0; i < 6 && loaded; i++)
        sides[i] = rgba + 4 * (size_t)side * side * i;
    if (loaded)
        texture = md5gl_create_stage_cube(renderer, side, sides,
                                          stage->filter == MD5_FILTER_NEAREST, error);
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

md5gl_texture view_load_layer(view_layer_textures *textures, md5gl_renderer *renderer,
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

void view_free_layer_textures(view_layer_textures *textures, md5gl_renderer *renderer)
{
    for (size_t i = 0; i < textures->num_loaded; i++)
        md5gl_destroy_texture(renderer, textures->loaded[i].texture);
    free(textures->loaded);
    free(textures->lost);
    *textures = (view_layer_textures){0};
}
