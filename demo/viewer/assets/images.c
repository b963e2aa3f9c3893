// Reads the image of a texture and uploads it. An image that was already loaded for the same use is
// shared.
#include "demo/viewer/assets/textures.h"

// == Pixels of maps ===============================================================================

// Returns the four bytes (red, green, blue, alpha) of a texel.
static uint8_t *texel_at(const view_image *image, uint32_t x, uint32_t y)
{
    return image->rgba + 4 * ((size_t)y * image->width + x);
}

// Returns the texel of an image at the same relative position as texel (x, y) of the image
// `reference`, whose size may be different.
static const uint8_t *texel_like(const view_image *image, const view_image *reference, uint32_t x,
                                 uint32_t y)
{
    return texel_at(image, (uint32_t)((uint64_t)x * image->width / reference->width),
                    (uint32_t)((uint64_t)y * image->height / reference->height));
}

// Converts the masks of a Cube 2 model, an image whose channels control effects. The result is an
// image of gray highlights. If `glowing` is given, it is `glowing` with its colors scaled by the
// glow.
void view_apply_masks(view_image *masks, const view_image *glowing, float factor)
{
    enum { RED_HIGHLIGHTS, GREEN_GLOW }; // the channels of the masks
    for (uint32_t y = 0; y < masks->height; y++) {
        for (uint32_t x = 0; x < masks->width; x++) {
            uint8_t *const texel = texel_at(masks, x, y);
            if (glowing == NULL) {
                const double highlight = fmin((double)factor * texel[RED_HIGHLIGHTS], 255);
                memset(texel, (int)lround(highlight), 3); // the same red, green and blue
            } else {
                const double glow = (double)factor * texel[GREEN_GLOW] / 255.0;
                const uint8_t *const color = texel_like(glowing, masks, x, y);
                for (int i = 0; i < 3; i++)
                    texel[i] = (uint8_t)lround(fmin(glow * color[i], 255));
            }
            texel[3] = 255;
        }
    }
}

// == Loading ======================================================================================

// Reads the image of a texture. If the image was decoded in advance, moves it from task->ahead
// instead. A preview has all of its images there, so it reads no files. Returns false and fills
// `error` on failure.
static bool read_image(const view_texture_task *task, const view_texture *texture,
                       view_image *image, md5_error *error)
{
    if (task->ahead != NULL && view_get_prefetched(task->ahead, texture->path, image))
        return true;
    if (task->ahead != NULL && task->ahead->is_complete) {
        COMMON_TEXT(error->message, "a preview does not show this image");
        return false;
    }
    if (texture->program != NULL)
        return view_read_game_image(task->game, texture->program, image, error);
    return view_read_image(texture->path, MD5_MAX_IMAGE_PIXELS, image, error);
}

// Replaces the masks of a Cube 2 model by the map that they define. For a glow map, this is the
// glow of texture->base. Otherwise it is a specular map. Returns false and sets `error` if this
// texture cannot be read.
static bool apply_masks(const view_texture *texture, view_image *masks, md5_error *error)
{
    if (texture->map != MD5GL_IMAGE_GLOW) {
        view_apply_masks(masks, NULL, texture->mask_factor);
        return true;
    }
    view_image glowing;
    if (!view_read_image(texture->base, MD5_MAX_IMAGE_PIXELS, &glowing, error))
        return false;
    view_apply_masks(masks, &glowing, texture->mask_factor);
    free(glowing.rgba);
    return true;
}

// Detects the encoding of a normal map and writes it to `desc`. If the normal map has a height map,
// reads it to `height_image` and describes it in `heights`. The caller frees `height_image`.
static void describe_normals(const view_texture *texture, md5gl_texture_desc *desc,
                             md5gl_texture_desc *heights, view_image *height_image)
{
    md5_error ignored;
    desc->kind = MD5GL_TEXTURE_NORMALS;
    desc->normals = md5gl_guess_normals(desc);
    // Heights are added only to normals in id's encoding.
    const bool is_id_encoding = desc->normals == 0;
    if (!is_id_encoding || texture->heights == NULL)
        return;
    if (!view_read_image(texture->heights, MD5_MAX_IMAGE_PIXELS, height_image, &ignored))
        return;
    heights->width = height_image->width;
    heights->height = height_image->height;
    heights->texels = height_image->rgba;
    desc->heights = heights;
}

// Completes `desc`, the description of a texture for the renderer. It already has the size and the
// texels of the image. The rest depends on what the texture contains: a stage of a material, masks,
// heights, normals, or colors. Masks are converted in `image`. `heights` and `height_image` are
// filled by describe_normals(). Returns false and fills `error` on failure.
static bool describe_image(const view_texture *texture, view_image *image, md5gl_texture_desc *desc,
                           md5gl_texture_desc *heights, view_image *height_image, md5_error *error)
{
    static const md5gl_wrap wraps[] = {
        [MD5_IMAGE_REPEAT] = MD5GL_WRAP_REPEAT,
        [MD5_IMAGE_CLAMP] = MD5GL_WRAP_CLAMP,
        [MD5_IMAGE_CLAMP_BORDER] = MD5GL_WRAP_CLAMP_CLEAR,
        [MD5_IMAGE_CLAMP_ZERO] = MD5GL_WRAP_CLAMP_BLACK,
        [MD5_IMAGE_CLAMP_ZERO_ALPHA] = MD5GL_WRAP_CLAMP_CLEAR,
    };
    const md5_stage *const stage = texture->stage;
    if (stage != NULL) {
        desc->kind = MD5GL_TEXTURE_STAGE;
        desc->wrap = wraps[stage->repeat];
        desc->is_nearest = stage->filter == MD5_FILTER_NEAREST;
        return true;
    }
    if (texture->is_masks)
        return apply_masks(texture, image, error);

    if (texture->map == MD5GL_IMAGE_HEIGHTS) {
        desc->kind = MD5GL_TEXTURE_NORMALS;
        desc->normals = MD5GL_NORMALS_HEIGHTS;
    } else if (texture->map == MD5GL_IMAGE_NORMALS) {
        describe_normals(texture, desc, heights, height_image);
    }
    return true;
}

// Creates the texture of an image on the GPU, and sets texture->has_holes. Returns false and fills
// `error` on failure. The image may be changed.
static bool create_texture_from_image(const view_texture_task *task, view_texture *texture,
                                      view_image *image, md5_error *error)
{
    md5gl_texture_desc desc = {.kind = MD5GL_TEXTURE_COLOR,
                               .width = image->width,
                               .height = image->height,
                               .texels = image->rgba};
    md5gl_texture_desc heights = {.kind = MD5GL_TEXTURE_COLOR};
    view_image height_image = {NULL, 0, 0};
    if (describe_image(texture, image, &desc, &heights, &height_image, error)) {
        const bool is_diffuse = texture->map == MD5GL_IMAGE_DIFFUSE;
        texture->texture = md5gl_create_texture(task->renderer, &desc, error);
        texture->has_holes = is_diffuse && md5gl_has_transparent_texels(&desc);
    }
    free(height_image.rgba);
    return texture->texture != 0;
}

// Reads the image of a texture and creates the texture on the GPU. Returns false and fills `error`
// on failure.
static bool upload_image(const view_texture_task *task, view_texture *texture, md5_error *error)
{
    // A preview, whose images are decoded in advance, does not have the sides of cube maps.
    const md5_stage *const stage = texture->stage;
    const bool is_cube = stage != NULL && stage->cube != MD5_IMAGE_2D;
    const bool reads_cubes = task->ahead == NULL || !task->ahead->is_complete;
    if (is_cube && reads_cubes) {
        texture->texture = view_upload_cube(task->renderer, task->game, stage, error);
        return texture->texture != 0;
    }

    view_image image;
    if (!read_image(task, texture, &image, error))
        return false;
    texture->width = image.width;
    texture->height = image.height;
    const bool is_created = create_texture_from_image(task, texture, &image, error);
    free(image.rgba);
    return is_created;
}

// Returns true if two texts are equal, or if both are NULL.
static bool is_same_text(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    return strcmp(a, b) == 0;
}

// Returns true if two stages sample a texture with the same settings. NULL: no stage.
static bool is_same_sampling(const md5_stage *a, const md5_stage *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    return a->repeat == b->repeat && a->filter == b->filter && a->cube == b->cube;
}

// Returns true if `loaded`, a texture of the same file, can also be used as `desc` describes.
static bool is_same_use(const view_texture *loaded, const view_texture *desc)
{
    if (loaded->map != desc->map || loaded->is_masks != desc->is_masks)
        return false;
    if (desc->stage != NULL && !is_same_sampling(loaded->stage, desc->stage))
        return false;
    return is_same_text(loaded->base, desc->base) && loaded->mask_factor == desc->mask_factor;
}

// Returns true if two textures have the same path, in a game or outside of games.
static bool is_same_path(const view_texture *a, const view_texture *b)
{
    const bool is_a_in_game = a->program != NULL;
    const bool is_b_in_game = b->program != NULL;
    return is_a_in_game == is_b_in_game && strcmp(a->path, b->path) == 0;
}

// Returns the element of textures->loaded that can be used as `desc` describes, or NULL. If
// `texture` of the element is 0, its image could not be read.
static const view_texture *find_loaded(const view_textures *textures, const view_texture *desc)
{
    for (size_t i = 0; i < textures->num_loaded; i++) {
        const view_texture *const loaded = textures->loaded[i];
        if (is_same_path(loaded, desc) && is_same_use(loaded, desc))
            return loaded;
    }
    return NULL;
}

// Returns true if the image of `desc` could not be read before, for any use.
static bool has_failed_before(const view_textures *textures, const view_texture *desc)
{
    for (size_t i = 0; i < textures->num_loaded; i++) {
        const view_texture *const loaded = textures->loaded[i];
        if (is_same_path(loaded, desc) && loaded->texture == 0)
            return true;
    }
    return false;
}

// Returns the texture that `desc` describes. It is loaded on first use, and its paths are copied.
// Returns NULL if it cannot be read; this is an error if an option `selected` the texture,
// otherwise a warning. If an image of a game cannot be read, this is reported once for all its
// uses.
static const view_texture *load_texture(const view_texture_task *task, view_texture desc,
                                        bool selected)
{
    view_textures *const textures = task->textures;
    const view_texture *const loaded = find_loaded(textures, &desc);
    if (loaded != NULL)
        return loaded->texture != 0 ? loaded : NULL;

    // A texture that cannot be read is also added to the list, so that it is not read again.
    const bool is_in_game = desc.program != NULL;
    const bool is_reported = is_in_game && has_failed_before(textures, &desc);
    md5_error error = {.message = ""};
    view_texture *const texture = common_alloc(1, sizeof *texture);
    *texture = desc;
    texture->path = common_copy(desc.path);
    texture->heights = common_copy(desc.heights);
    texture->base = common_copy(desc.base);
    const bool is_loaded = upload_image(task, texture, &error);
    *COMMON_ADD_ITEM(textures->loaded, textures->num_loaded) = texture;
    if (is_loaded)
        return texture;

    const char *const kind = is_in_game ? "image" : view_map_name(desc.map);
    if (selected)
        view_error(task->log, "%s %s: %s", kind, texture->path, error.message);
    else if (!is_reported)
        view_warn(task->log, "%s %s: %s", kind, texture->path, error.message);
    return NULL;
}

const view_texture *view_load_texture_file(const view_texture_task *task, md5gl_image_kind map,
                                           const char *path, bool selected)
{
    return load_texture(task, (view_texture){.path = path, .map = map}, selected);
}

void view_set_map(const view_texture_task *task, view_texture desc)
{
    const view_texture **const map = &task->textures->meshes[task->search.mesh].maps[desc.map];
    if (*map == NULL && desc.path != NULL)
        *map = load_texture(task, desc, false);
}

md5gl_texture view_load_stage(const view_texture_task *task, const md5_stage *stage,
                              md5gl_image_kind map)
{
    const bool is_map = map != MD5GL_NUM_IMAGE_KINDS;
    const view_texture desc = {
        .path = stage->image.text,
        .program = &stage->image,
        .map = map,
        .stage = is_map ? NULL : stage,
    };
    const view_texture *const loaded = load_texture(task, desc, false);
    return loaded != NULL ? loaded->texture : 0;
}
