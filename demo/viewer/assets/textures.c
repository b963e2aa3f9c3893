// Finds, loads and uploads the textures of meshes. Also loads and evaluates what materials of a
// game add to them: further stages, and deforms of the mesh.
#include "demo/viewer/assets/textures.h"

#include "demo/viewer/assets/library.h"

#include <float.h>

// == Pixels of maps ==============================================================================

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

// == Textures =====================================================================================

// -- Loading --------------------------------------------------------------------------------

// Copies each texel of a side from the camera's image of this side. (s, t) is the position of the
// texel on the side, in the directions that OpenGL defines for this side. (right, down) is its
// position in the camera's image.
void view_rotate_camera_side(int number, uint32_t side, const uint8_t *from, uint8_t *to)
{
    const bool is_transposed = number != 2 && number != 3; // right along t, down along s
    const bool flips_right = number == 1 || number == 3;
    const bool flips_down = number == 1 || number == 2;
    for (uint32_t t = 0; t < side; t++) {
        for (uint32_t s = 0; s < side; s++) {
            const uint32_t right = is_transposed ? t : s;
            const uint32_t down = is_transposed ? s : t;
            const size_t column = flips_right ? side - 1 - right : right;
            const size_t row = flips_down ? side - 1 - down : down;
            const size_t source = row * side + column;
            const size_t target = (size_t)t * side + s;
            memcpy(to + 4 * target, from + 4 * source, 4);
        }
    }
}

// Returns true if the engine creates the cube map itself. The name of such a cube map begins with
// "_". All other cube maps are read from files.
static bool is_built_in(const md5_stage *stage)
{
    return stage->image.text[0] == '_';
}

// Reads one image of a cube map. A cube map that the engine creates (is_built_in()) has one image
// with its name. Any other cube map has six files, whose names are its name with a suffix for the
// side. `number` is the index of the side.
static bool read_cube_image(md5_game *game, const md5_stage *stage, int number, view_image *image,
                            md5_error *error)
{
    static const char *const axis_suffixes[] = {"_px", "_nx", "_py", "_ny", "_pz", "_nz"};
    static const char *const camera_suffixes[] = {"_forward", "_back", "_left",
                                                  "_right",   "_up",   "_down"};
    if (is_built_in(stage))
        return view_read_game_image(game, &stage->image, image, error);

    const bool is_camera = stage->cube == MD5_IMAGE_CAMERA_CUBE;
    const char *const suffix = is_camera ? camera_suffixes[number] : axis_suffixes[number];
    char *const name = common_format("%s%s.tga", stage->image.text, suffix);
    md5_image_program program;
    const bool is_valid = md5_game_image_program(game, name, &program, error);
    free(name);
    return is_valid && view_read_game_image(game, &program, image, error);
}

enum { NUM_CUBE_SIDES = 6 };

// Copies one image of a cube map to *rgba, which contains all sides. The first image (`number` 0)
// sets the width of the sides, desc->width, and allocates *rgba. Returns false and fills `error` if
// the sides in the image are not squares of this width.
static bool store_cube_image(const md5_stage *stage, int number, const view_image *image,
                             md5gl_texture_desc *desc, uint8_t **rgba, md5_error *error)
{
    const bool has_all_sides = is_built_in(stage); // below each other
    const uint32_t num_sides = has_all_sides ? NUM_CUBE_SIDES : 1;
    const size_t side_size = 4 * (size_t)image->width * image->width; // bytes
    if (number == 0) {
        desc->width = image->width;
        desc->height = image->width;
        *rgba = common_alloc(NUM_CUBE_SIDES, side_size);
    }
    if (image->width != desc->width || image->height != num_sides * image->width) {
        COMMON_TEXT(
            error->message,
            "the sizes of the cube map's faces are invalid: expected squares of equal size");
        return false;
    }

    uint8_t *const side = *rgba + side_size * (size_t)number;
    if (stage->cube == MD5_IMAGE_CAMERA_CUBE && !has_all_sides)
        view_rotate_camera_side(number, image->width, image->rgba, side);
    else
        memcpy(side, image->rgba, num_sides * side_size);
    return true;
}

// Reads the six sides of a cube map into one block, which the caller frees. Also sets the size and
// the sides of `desc`. The sides are in six images; in a cube map of the engine they are below each
// other in one image. Returns NULL and fills `error` on failure.
static uint8_t *read_cube_sides(md5_game *game, const md5_stage *stage, md5gl_texture_desc *desc,
                                md5_error *error)
{
    const int num_images = is_built_in(stage) ? 1 : NUM_CUBE_SIDES;
    uint8_t *rgba = NULL;
    for (int number = 0; number < num_images; number++) {
        view_image image = {NULL, 0, 0};
        const bool is_stored = read_cube_image(game, stage, number, &image, error)
                               && store_cube_image(stage, number, &image, desc, &rgba, error);
        free(image.rgba);
        if (!is_stored) {
            free(rgba);
            return NULL;
        }
    }
    if (rgba == NULL) // not possible: there is at least one image
        return NULL;
    const size_t side_size = 4 * (size_t)desc->width * desc->width; // bytes
    for (size_t i = 0; i < NUM_CUBE_SIDES; i++)
        desc->faces[i] = rgba + side_size * i;
    return rgba;
}

// Reads and uploads a cube map. Returns 0 and fills `error` on failure.
static md5gl_texture upload_cube(md5gl_renderer *renderer, md5_game *game, const md5_stage *stage,
                                 md5_error *error)
{
    md5gl_texture_desc desc = {.kind = MD5GL_TEXTURE_STAGE_CUBE,
                               .is_nearest = stage->filter == MD5_FILTER_NEAREST};
    uint8_t *const rgba = read_cube_sides(game, stage, &desc, error);
    if (rgba == NULL)
        return 0;
    const md5gl_texture texture = md5gl_create_texture(renderer, &desc, error);
    free(rgba);
    return texture;
}

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
        texture->texture = upload_cube(task->renderer, task->game, stage, error);
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

// Returns the texture of a file that is used as a map of a mesh, as load_texture() does.
static const view_texture *load_file(const view_texture_task *task, md5gl_image_kind map,
                                     const char *path, bool selected)
{
    return load_texture(task, (view_texture){.path = path, .map = map}, selected);
}

// Sets a map of the mesh unless the mesh has one. Does nothing if the path is NULL.
static void set_map(const view_texture_task *task, view_texture desc)
{
    const view_texture **const map = &task->textures->meshes[task->search.mesh].maps[desc.map];
    if (*map == NULL && desc.path != NULL)
        *map = load_texture(task, desc, false);
}

// Loads the image of a stage as a map of a lit surface or, for MD5GL_NUM_IMAGE_KINDS, as the stage
// samples it. Returns 0 if it cannot be loaded.
static md5gl_texture load_stage(const view_texture_task *task, const md5_stage *stage,
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

// == Layers =======================================================================================

// -- Lit layers ----------------------------------------------------------------------------------

// Returns true if no earlier stage of the material has the same kind, such as diffuse. A mesh has
// one map per kind, which is the texture of this first stage.
static bool is_first(const md5_material *material, const md5_stage *stage)
{
    const md5_stage *first = material->stages;
    while (first->light != stage->light)
        first++;
    return first == stage;
}

// Returns the value of a register if it never changes, otherwise 0. The registers before
// MD5_FIRST_REGISTER are the inputs of a material: the time and the parms. The results of
// operations can change with them.
static float constant_value(const md5_material *material, uint32_t reg)
{
    if (reg < MD5_FIRST_REGISTER)
        return 0;
    for (uint32_t i = 0; i < material->num_ops; i++) {
        if (material->ops[i].result == reg)
            return 0;
    }
    return material->registers[reg];
}

bool view_is_colored_stage(const md5_material *material, const md5_stage *stage)
{
    bool is_white = stage->vertex_color == MD5_VERTEX_COLOR_IGNORE;
    for (int i = 0; i < 3; i++)
        is_white = is_white && constant_value(material, stage->color[i]) >= 1;
    return !is_white && (stage->light == MD5_STAGE_DIFFUSE || stage->light == MD5_STAGE_SPECULAR);
}

bool view_reflects(md5_vec3 color)
{
    return color.x != 0 || color.y != 0 || color.z != 0;
}

// Returns the color of a stage for md5gl_material, or 0, 0, 0 if the stage reflects no light. Sets
// *texture to the texture of the stage, or to 0 if the stage uses the map of the mesh. In the first
// lit layer, the first stage of each kind does so.
static md5_vec3 reflect(const view_lit_layers *lit, const md5_material *material,
                        const md5_stage *stage, const float *registers, md5gl_texture *texture)
{
    const md5_vec3 none = {0, 0, 0};
    if (stage == NULL)
        return none;
    const md5_vec3 color = {registers[stage->color[0]], registers[stage->color[1]],
                            registers[stage->color[2]]};
    const bool has_positive = color.x > 0 || color.y > 0 || color.z > 0;
    if (!has_positive)
        return none;

    const bool uses_mesh_map = lit->num_shown == 0 && is_first(material, stage);
    if (uses_mesh_map) {
        const bool is_missing = stage->light == MD5_STAGE_DIFFUSE && lit->lacks_diffuse;
        *texture = 0;
        return is_missing ? none : color;
    }
    *texture = lit->textures[stage - material->stages];
    return *texture == 0 ? none : color;
}

// Adds a lit layer to lit->shown, unless it reflects no light. parts[kind] is the stage of the
// layer for a kind of map (bump, diffuse or specular), or NULL. There is always a bump stage.
static void add_lit_layer(view_lit_layers *lit, const md5_material *material,
                          const md5_stage *const *parts, md5_vertex_color vertex_color,
                          const float *registers)
{
    static const md5_vec3 black = {FLT_MIN, FLT_MIN, FLT_MIN}; // 0, 0, 0 would be white
    const md5_stage *const bump = parts[MD5_STAGE_BUMP];
    md5gl_material layer = {
        .no_vertex_color = vertex_color == MD5_VERTEX_COLOR_IGNORE,
        .inverse_vertex_color = vertex_color == MD5_VERTEX_COLOR_INVERSE,
    };
    const bool uses_mesh_normals = lit->num_shown == 0 && is_first(material, bump);
    if (!uses_mesh_normals)
        layer.normals = lit->textures[bump - material->stages];
    layer.diffuse_color =
        reflect(lit, material, parts[MD5_STAGE_DIFFUSE], registers, &layer.diffuse);
    layer.specular_color =
        reflect(lit, material, parts[MD5_STAGE_SPECULAR], registers, &layer.specular);

    const bool has_diffuse = view_reflects(layer.diffuse_color);
    const bool has_specular = view_reflects(layer.specular_color);
    if (!has_diffuse && !has_specular)
        return;
    if (!has_diffuse)
        layer.diffuse_color = black;
    lit->shown[lit->num_shown++] = layer;
}

// Groups the stages of a Doom 3 material to lit layers, as the engine does. Each layer has a bump,
// a diffuse and a specular map.
void view_select_lit_layers(view_lit_layers *lit, const md5_material *material,
                            const float *registers)
{
    const md5_stage *parts[MD5_STAGE_SPECULAR + 1] = {NULL}; // stages of the layer, by their kind
    md5_vertex_color vertex_color = MD5_VERTEX_COLOR_IGNORE; // of the last stage of the layer
    lit->num_shown = 0;
    // Only lights of the same spectrum light a surface. The viewer has no lights of another
    // spectrum.
    if (material->spectrum != 0)
        return;
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        const bool is_on = registers[stage->condition] != 0;
        if (stage->light == MD5_STAGE_AMBIENT || !is_on)
            continue;
        // A bump stage begins a new layer, and so does a second stage of the same kind. As in the
        // engine, a layer that has no bump map yet continues.
        const bool begins_layer = stage->light == MD5_STAGE_BUMP;
        const bool is_end_of_layer = begins_layer || parts[stage->light] != NULL;
        if (parts[MD5_STAGE_BUMP] != NULL && is_end_of_layer)
            add_lit_layer(lit, material, parts, vertex_color, registers);
        if (begins_layer)
            memset(parts, 0, sizeof parts);
        else
            vertex_color = stage->vertex_color;
        parts[stage->light] = stage;
    }
    if (parts[MD5_STAGE_BUMP] != NULL) // the last layer
        add_lit_layer(lit, material, parts, vertex_color, registers);
}

// -- Layers of meshes ----------------------------------------------------------------------------

// Logs that a part of a mesh's material is not shown, and adds a note about it to `layers`. The
// note owns `text`.
static void note(view_layers *layers, uint32_t mesh, const md5_material *material, char *text,
                 view_log *log)
{
    view_info(log, "material %s: %s", material->decl->name, text);
    *COMMON_ADD_ITEM(layers->notes, layers->num_notes) = (view_layer_note){mesh, text};
}

// Returns the name of the kind of view that a stage shows instead of an image.
static const char *rendered_view(md5_dynamic_image dynamic)
{
    if (dynamic == MD5_IMAGE_MIRROR)
        return "mirror";
    return dynamic == MD5_IMAGE_REMOTE ? "remote camera" : "xray";
}

// Returns the reason why a stage is not supported, such as "video intro.roq", or NULL. The viewer
// does not run the engine's programs (shaders). It shows neither videos nor views that the engine
// renders, such as mirrors. The caller frees the text.
static char *find_obstacle(const md5_stage *stage)
{
    const md5_stage_program *const program = &stage->program;
    const char *const program_name = program->vertex != NULL ? program->vertex : program->fragment;
    if (program_name != NULL)
        return common_format("program %s", program_name);
    if (stage->video != NULL)
        return common_format(stage->is_sound_map ? "sound visualization: %s" : "video %s",
                             stage->video);
    if (stage->dynamic != MD5_IMAGE_STATIC)
        return common_format("rendered view: %s", rendered_view(stage->dynamic));
    if (stage->texgen == MD5_TEXGEN_WOBBLE_SKY)
        return common_format("wobbleSky texture coordinates");
    if (stage->texgen == MD5_TEXGEN_GLASS_WARP)
        return common_format("glassWarp texture coordinates");

    // These kinds of texture coordinates are directions, which only a cube map accepts. A 2D image
    // needs the two coordinates of the mesh.
    const bool is_reflection =
        stage->texgen == MD5_TEXGEN_REFLECT || stage->texgen == MD5_TEXGEN_SKYBOX;
    const bool needs_cube = stage->texgen == MD5_TEXGEN_NORMAL || is_reflection;
    const bool is_cube = stage->cube != MD5_IMAGE_2D;
    if (needs_cube && !is_cube)
        return common_format("cube map coordinates without a cube map");
    if (is_cube && !needs_cube)
        return common_format("cube map %s without cube map coordinates", stage->image.text);
    return stage->image.text[0] == '\0' ? common_format("no image") : NULL;
}

// Returns true if a stage reflects light: it is a bump, diffuse or specular map.
static bool is_lit(const md5_stage *stage)
{
    return stage->light != MD5_STAGE_AMBIENT;
}

// Returns true if a stage cuts holes into the surface, by discarding pixels whose alpha is too
// small. As in the engine, only stages of perforated materials do this.
static bool tests_alpha(const md5_material *material, const md5_stage *stage)
{
    return stage->has_alpha_test && material->coverage == MD5_COVERAGE_PERFORATED;
}

// Returns true if a lit surface can do the alpha test of a stage itself
// (md5gl_material.alpha_test), so that the stage need not be drawn. The stage must be always on,
// and test the alpha of the diffuse map with a constant threshold. The map must not be moved or
// scaled.
static bool is_alpha_test_of_lit_surface(const md5_material *material, const md5_stage *stage)
{
    if (!tests_alpha(material, stage) || stage->light != MD5_STAGE_DIFFUSE || stage->has_matrix)
        return false;
    const bool has_constant_threshold = constant_value(material, stage->alpha_test) > 0;
    const bool is_always_on = constant_value(material, stage->condition) != 0;
    const bool has_alpha_of_map = constant_value(material, stage->color[3]) >= 1;
    return has_constant_threshold && is_always_on && has_alpha_of_map;
}

// Returns true if a surface is a decal on another surface.
static bool is_decal(const md5_material *material)
{
    const float decal = 2; // of sort
    return material->has_polygon_offset || material->sort == decal;
}

// Returns true if a stage cuts holes that md5gl_draw_model() cannot cut, so that the surface must
// be drawn by md5gl_draw_stages().
static bool needs_stages_to_cut(const md5_material *material, const md5_stage *stage)
{
    return tests_alpha(material, stage) && !is_alpha_test_of_lit_surface(material, stage);
}

// Returns the bit of a register in view_layers.read, or 0 if the register is neither the time nor a
// parm. A parm is an input of a material that the game sets.
static uint32_t register_bit(uint32_t reg)
{
    return reg < MD5_REGISTER_GLOBAL0 ? 1u << reg : 0;
}

// Returns the registers of time and parms that a stage reads, one bit each.
static uint32_t registers_read_by_stage(const md5_stage *stage)
{
    uint32_t read = register_bit(stage->condition);
    if (stage->has_alpha_test)
        read |= register_bit(stage->alpha_test);
    for (int k = 0; k < 4; k++)
        read |= register_bit(stage->color[k]);
    if (!stage->has_matrix)
        return read;
    for (int row = 0; row < 2; row++) {
        for (int column = 0; column < 3; column++)
            read |= register_bit(stage->matrix[row][column]);
    }
    return read;
}

// Returns the registers of time and parms that a material reads, one bit each. The panel of parms
// dims all others, because they have no effect.
static uint32_t registers_read(const md5_material *material)
{
    uint32_t read = 0;
    for (uint32_t i = 0; i < material->num_ops; i++) {
        const md5_material_op *const op = &material->ops[i];
        if (op->kind == MD5_OP_SOUND) // has no operands
            continue;
        read |= register_bit(op->b);
        if (op->kind != MD5_OP_TABLE) // a table has no operand a
            read |= register_bit(op->a);
    }
    if (material->deform != MD5_DEFORM_NONE) {
        for (int i = 0; i < 3; i++)
            read |= register_bit(material->deform_registers[i]);
    }
    for (uint32_t i = 0; i < material->num_stages; i++)
        read |= registers_read_by_stage(&material->stages[i]);
    return read;
}

// Returns the map that a lit stage corresponds to.
static md5gl_image_kind stage_map(const md5_stage *stage)
{
    if (stage->light == MD5_STAGE_BUMP)
        return MD5GL_IMAGE_NORMALS;
    return stage->light == MD5_STAGE_DIFFUSE ? MD5GL_IMAGE_DIFFUSE : MD5GL_IMAGE_SPECULAR;
}

// Loads the image of a stage that is drawn by itself: an unlit stage, or a stage that cuts the
// surface. If the image is missing, the stage is usually not drawn. In two cases, a checker pattern
// shows the error, as in the engine: the stage replaces the colors of an opaque surface, or the
// material is not declared.
static void load_sampled_stage(const view_texture_task *task, view_layered *layered, uint32_t index)
{
    enum { BLEND_BITS = 255 }; // of stage->bits; 0: the factors are 1 and 0, which replace colors
    const md5_material *const material = layered->material;
    const md5_stage *const stage = &material->stages[index];
    char *const obstacle = find_obstacle(stage);
    if (obstacle != NULL) {
        note(&task->textures->layers, layered->mesh, material,
             common_format("stage %u is not shown: %s", index + 1, obstacle), task->log);
        free(obstacle);
        return;
    }

    const md5gl_texture loaded = load_stage(task, stage, MD5GL_NUM_IMAGE_KINDS);
    layered->textures[index] = loaded;
    if (loaded != 0 || stage->cube != MD5_IMAGE_2D)
        return;
    const bool is_opaque = material->coverage != MD5_COVERAGE_TRANSLUCENT && !is_decal(material);
    const bool is_replacing = !is_lit(stage) && (stage->bits & BLEND_BITS) == 0;
    const bool is_declared = material->decl->file != NULL;
    if (!is_declared || (is_opaque && is_replacing))
        layered->textures[index] = md5gl_checker_texture(task->renderer);
}

// Loads the normal map for the reflections of a material. As in the engine, it is the normal map of
// the first bump stage.
static void load_reflection_bump(const view_texture_task *task, view_layered *layered)
{
    const md5_material *const material = layered->material;
    const md5_stage *bump = NULL;
    bool reflects = false;
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        reflects = reflects || stage->texgen == MD5_TEXGEN_REFLECT;
        if (bump == NULL && stage->light == MD5_STAGE_BUMP)
            bump = stage;
    }
    if (reflects && bump != NULL)
        layered->bump = load_stage(task, bump, MD5GL_IMAGE_NORMALS);
}

// Returns true if a material has two lit stages of the same kind, such as two diffuse maps. A mesh
// has only one map of each kind, so these stages need their own textures.
static bool has_lit_layers(const md5_material *material)
{
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        if (is_lit(stage) && !is_first(material, stage))
            return true;
    }
    return false;
}

// Loads the images of the stages of a material, and notes the stages that are not supported.
static void load_stages(const view_texture_task *task, view_layered *layered)
{
    const md5_material *const material = layered->material;
    view_layers *const layers = &task->textures->layers;
    const bool loads_lit_stages = has_lit_layers(material);
    load_reflection_bump(task, layered);
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        const bool has_lit_image = is_lit(stage) && loads_lit_stages;
        const bool is_moving = is_lit(stage) && stage->has_matrix;
        const bool is_drawn_itself = !is_lit(stage) || tests_alpha(material, stage);
        if (has_lit_image)
            layered->lit.textures[i] = load_stage(task, stage, stage_map(stage));
        if (is_moving)
            note(layers, layered->mesh, material,
                 common_format("stage %u: moving lit textures are not supported", i + 1),
                 task->log);
        if (is_drawn_itself)
            load_sampled_stage(task, layered, i);
    }
}

// Returns true if a property of a material other than its stages requires more than a lit, opaque
// surface that casts a shadow.
static bool is_special_surface(const md5_material *material)
{
    if (material->coverage == MD5_COVERAGE_TRANSLUCENT || material->cull == MD5_CULL_FRONT)
        return true;
    if (material->deform != MD5_DEFORM_NONE || is_decal(material))
        return true;
    return material->no_shadows || material->spectrum != 0;
}

// Returns true if a stage cannot be drawn as one of the maps of a lit surface. This is the case if
// it is unlit, not always on, moves its texture, or cuts or colors the surface.
static bool is_special_stage(const md5_material *material, const md5_stage *stage)
{
    if (!is_lit(stage) || constant_value(material, stage->condition) == 0)
        return true;
    if (needs_stages_to_cut(material, stage) || view_is_colored_stage(material, stage))
        return true;
    return stage->has_matrix;
}

// Returns the material that the game declares for a shader name of a mesh, or NULL.
static const md5_material *find_declared_material(md5_game *game, const char *shader)
{
    if (md5_find_decl(game, MD5_DECL_MATERIAL, shader) == NULL)
        return NULL;
    const md5_material *const material = md5_game_material(game, shader, NULL);
    return material != NULL && material->decl != NULL ? material : NULL;
}

// Returns true if a material needs layers. Otherwise it is one lit surface with at most one bump,
// diffuse and specular stage; the maps of the mesh suffice for it. Adds the number of stages of
// each kind to `counts`.
static bool needs_layers(const md5_material *material, uint32_t counts[MD5_STAGE_SPECULAR + 1])
{
    bool has_special_stage = false;
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        counts[stage->light]++;
        const bool is_repeated = counts[stage->light] > 1;
        if (is_repeated || is_special_stage(material, stage))
            has_special_stage = true;
    }
    return has_special_stage || is_special_surface(material);
}

// Copies two properties that a material declares to its mesh: which sides are drawn, and the alpha
// test that cuts holes.
static void set_surface(view_mesh_textures *mesh_textures, const md5_material *material)
{
    const bool has_no_stages = material->num_stages == 0; // as a part that a skin hides
    mesh_textures->two_sided = material->creates_back_sides || material->cull == MD5_CULL_NONE;
    mesh_textures->opaque = true;
    mesh_textures->is_unmeasured = has_no_stages || material->deform == MD5_DEFORM_EYEBALL;
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        if (is_alpha_test_of_lit_surface(material, stage)) {
            mesh_textures->opaque = false;
            mesh_textures->alpha_test = material->registers[stage->alpha_test];
        }
    }
}

// Reads the Doom 3 material that a game declares for the current mesh. Adds layers to the mesh if
// the material is more than one lit surface, for example if it is translucent or animated. Returns
// true if the mesh is drawn only with the images of these layers, without a diffuse map.
bool view_add_layers(const view_texture_task *task, const char *shader)
{
    const uint32_t mesh = task->search.mesh;
    view_layers *const layers = &task->textures->layers;
    const md5_material *const material = find_declared_material(task->game, shader);
    if (material == NULL)
        return false;
    if (material->gui != NULL)
        note(layers, mesh, material, common_format("GUI is not shown: %s", material->gui),
             task->log);
    layers->read |= registers_read(material);
    set_surface(&task->textures->meshes[mesh], material);

    // A material without a diffuse stage always needs layers, because no map shows it.
    uint32_t num_stages_by_light[MD5_STAGE_SPECULAR + 1] = {0};
    const bool has_layers = needs_layers(material, num_stages_by_light);
    const bool has_diffuse = num_stages_by_light[MD5_STAGE_DIFFUSE] > 0;
    if (!has_layers && has_diffuse)
        return false;

    const uint32_t count = material->num_stages;
    view_layered layered = {
        .mesh = mesh,
        .material = material,
        .registers = common_alloc(material->num_registers, sizeof *layered.registers),
        .textures = common_alloc(count, sizeof *layered.textures),
        .stages = common_alloc(count, sizeof *layered.stages),
        .lit = {.textures = common_alloc(count, sizeof *layered.lit.textures),
                .shown = common_alloc(count, sizeof *layered.lit.shown)},
    };
    if (material->deform_decl != NULL)
        layered.table = md5_game_table(task->game, material->deform_decl, NULL);
    load_stages(task, &layered);
    *COMMON_ADD_ITEM(layers->meshes, layers->num_meshes) = layered;
    return !has_diffuse;
}

// Compares two view_layered for sorting: by the order of drawing of their materials, then by mesh.
static int by_sort(const void *left, const void *right)
{
    const view_layered *const a = left;
    const view_layered *const b = right;
    if (a->material->sort != b->material->sort)
        return a->material->sort < b->material->sort ? -1 : 1;
    return a->mesh < b->mesh ? -1 : a->mesh > b->mesh;
}

// Sorts the meshes with layers in the order in which the engine draws them.
void view_sort_layers(view_layers *layers, uint32_t num_meshes)
{
    layers->lists = common_alloc(layers->num_meshes, sizeof *layers->lists);
    layers->entry_numbers = common_alloc(num_meshes, sizeof *layers->entry_numbers);
    if (layers->meshes == NULL)
        return;
    qsort(layers->meshes, layers->num_meshes, sizeof *layers->meshes, by_sort);
    for (uint32_t i = 0; i < layers->num_meshes; i++)
        layers->entry_numbers[layers->meshes[i].mesh] = i + 1;
}

// -- Evaluating -----------------------------------------------------------------------------------

// Source and target factor of the codes in the lowest eight bits of md5_stage.bits. Unknown codes
// have the factors of code 0.
enum { NUM_CODES = 10 };
static const md5gl_factor factors[NUM_CODES][2] = {
    {MD5GL_FACTOR_ONE, MD5GL_FACTOR_ZERO},
    {MD5GL_FACTOR_ZERO, MD5GL_FACTOR_ONE},
    {MD5GL_FACTOR_ZERO, MD5GL_FACTOR_ONE},
    {MD5GL_FACTOR_TARGET_COLOR, MD5GL_FACTOR_SOURCE_COLOR},
    {MD5GL_FACTOR_ONE_MINUS_TARGET_COLOR, MD5GL_FACTOR_ONE_MINUS_SOURCE_COLOR},
    {MD5GL_FACTOR_SOURCE_ALPHA, MD5GL_FACTOR_SOURCE_ALPHA},
    {MD5GL_FACTOR_ONE_MINUS_SOURCE_ALPHA, MD5GL_FACTOR_ONE_MINUS_SOURCE_ALPHA},
    {MD5GL_FACTOR_TARGET_ALPHA, MD5GL_FACTOR_TARGET_ALPHA},
    {MD5GL_FACTOR_ONE_MINUS_TARGET_ALPHA, MD5GL_FACTOR_ONE_MINUS_TARGET_ALPHA},
    {MD5GL_FACTOR_SOURCE_ALPHA_SATURATE, MD5GL_FACTOR_ZERO},
};

static md5gl_factor source_factor(uint32_t code)
{
    return factors[code < NUM_CODES ? code : 0][0];
}

static md5gl_factor target_factor(uint32_t code)
{
    return factors[code < NUM_CODES ? code : 0][1];
}

static const md5gl_texgen texgens[] = {
    [MD5_TEXGEN_NORMAL] = MD5GL_TEXGEN_NORMAL,  [MD5_TEXGEN_REFLECT] = MD5GL_TEXGEN_REFLECT,
    [MD5_TEXGEN_SKYBOX] = MD5GL_TEXGEN_SKYBOX,  [MD5_TEXGEN_SCREEN] = MD5GL_TEXGEN_SCREEN,
    [MD5_TEXGEN_SCREEN2] = MD5GL_TEXGEN_SCREEN, [MD5_TEXGEN_GLASS_WARP] = MD5GL_TEXGEN_MESH,
};

static const float offset_units = -600; // depth units for a polygonOffset of 1: r_offsetUnits

// Converts an active stage for the renderer: its texture, blending and color, with the current
// values of its expressions.
static md5gl_stage drawn_stage(const view_layered *layered, uint32_t index)
{
    const md5_stage *const stage = &layered->material->stages[index];
    const float *const registers = layered->registers;
    // A lit stage is in the list only because of its alpha test, so it has the factors of code 1.
    const uint32_t source = is_lit(stage) ? 1 : stage->bits & 15;
    const uint32_t target = is_lit(stage) ? 1 : stage->bits >> 4 & 15;
    md5gl_stage drawn = {
        .texture = layered->textures[index],
        .source = source_factor(source),
        .target = target_factor(target),
        .has_matrix = stage->has_matrix,
        .vertex_color = (md5gl_vertex_color)stage->vertex_color, // same order
        .is_tested = tests_alpha(layered->material, stage),
        .alpha_test = registers[stage->alpha_test],
        .masked = stage->bits / MD5_STAGE_NO_RED & 15, // in the order of md5gl_mask
        .writes_depth = !is_lit(stage) && !(stage->bits & MD5_STAGE_NO_DEPTH),
        .depth_equal = (stage->bits & MD5_STAGE_DEPTH_EQUAL) != 0,
        .depth_offset = offset_units * stage->polygon_offset,
        .texgen = texgens[stage->texgen],
        .normals = layered->bump,
    };
    for (int c = 0; c < 4; c++)
        drawn.color[c] = registers[stage->color[c]];
    if (stage->has_matrix)
        md5_stage_matrix(stage, registers, drawn.matrix);
    return drawn;
}

// Properties of a material's active stages. A stage has a condition, which is an expression that
// depends on the time and the parms. The stage is active while its condition is not 0.
typedef struct stage_summary {
    bool has_active; // at least one stage is active
    bool is_cut;     // an active stage cuts holes that a lit surface cannot have
} stage_summary;

// Fills list->stages with the active stages of a material that have a texture, and returns a
// summary of all active stages.
static stage_summary list_active_stages(view_layered *layered, md5gl_stage_list *list)
{
    stage_summary summary = {.has_active = false};
    const md5_material *const material = layered->material;
    for (uint32_t k = 0; k < material->num_stages; k++) {
        const md5_stage *const stage = &material->stages[k];
        if (layered->registers[stage->condition] == 0)
            continue;
        summary.has_active = true;
        summary.is_cut = summary.is_cut || needs_stages_to_cut(material, stage);
        if (layered->textures[k] != 0)
            layered->stages[list->num_stages++] = drawn_stage(layered, k);
    }
    return summary;
}

// Returns the base, the surface that is drawn below the stages of a material. As in the engine,
// opaque surfaces are black below their stages, and light is added to the background of translucent
// surfaces. If `is_cut`, the lit surface is drawn together with the stages. If `is_lost`, the
// surface is invisible, because it is a decal without images.
static md5gl_base stage_base(const md5_material *material, bool has_light, bool has_active,
                             bool is_cut, bool is_lost)
{
    if (material->coverage == MD5_COVERAGE_TRANSLUCENT)
        return has_light ? MD5GL_BASE_ADDED : MD5GL_BASE_NONE;
    if (!has_active || is_lost)
        return MD5GL_BASE_NONE;
    if (has_light)
        return is_cut ? MD5GL_BASE_LIT : MD5GL_BASE_NONE;
    return MD5GL_BASE_BLACK;
}

// Evaluates the expressions of a mesh's material; their values are its registers. Fills `list` with
// the active stages and the active lit layers.
static stage_summary evaluate_material(view_layered *layered, const md5_material_input *input,
                                       md5gl_stage_list *list)
{
    const md5_material *const material = layered->material;
    md5_evaluate_material(material, input, layered->registers);
    *list = (md5gl_stage_list){
        .mesh = layered->mesh,
        .cull = material->creates_back_sides ? MD5GL_CULL_NONE
                                             : (md5gl_cull)material->cull, // same order
        .stages = layered->stages,
    };
    const stage_summary summary = list_active_stages(layered, list);
    view_select_lit_layers(&layered->lit, material, layered->registers);
    // md5gl_draw_model() draws the first lit layer, the list contains the others.
    if (layered->lit.num_shown > 1) {
        list->lit_layers = layered->lit.shown + 1;
        list->num_lit_layers = layered->lit.num_shown - 1;
    }
    return summary;
}

// Evaluates the material of a mesh, fills its list of stages, and selects the function that draws
// its surface. md5gl_draw_model() can draw a surface with one lit layer, visible front sides and no
// depth offset. It cuts holes only by the alpha of the diffuse map. md5gl_draw_stages() draws all
// other surfaces (layered->is_staged).
static void evaluate_layered(view_layered *layered, md5gl_stage_list *list,
                             const md5_material_input *input)
{
    const md5_material *const material = layered->material;
    const stage_summary summary = evaluate_material(layered, input, list);
    const bool is_translucent = material->coverage == MD5_COVERAGE_TRANSLUCENT;
    const bool has_light = layered->lit.num_shown > 0;

    // Opaque surfaces that md5gl_draw_model() cannot draw are treated like surfaces with holes.
    const bool shows_back_sides = list->cull == MD5GL_CULL_FRONT;
    const bool has_more_layers = list->num_lit_layers > 0;
    const bool needs_stages = material->has_polygon_offset || has_more_layers || shows_back_sides;
    const bool is_cut = summary.is_cut || (needs_stages && !is_translucent);
    layered->is_opaque = is_cut;
    layered->is_staged = is_translucent || !has_light || is_cut;

    // A surface that its stages cut has the shadow of these stages. Its diffuse map must not cut it
    // again.
    const bool has_shadow = material->force_shadows || (!material->no_shadows && !is_translucent);
    const bool is_lost = is_decal(material) && list->num_stages == 0 && !has_light;
    layered->no_shadow = !has_shadow || is_cut || is_lost;
    list->casts_shadow = has_shadow && is_cut;
    list->base = stage_base(material, has_light, summary.has_active, is_cut, is_lost);

    // md5gl_draw_model() tests the alpha of this surface itself and uses no depth offset, so its
    // stages do neither.
    if (!layered->is_staged) {
        for (uint32_t k = 0; k < list->num_stages; k++)
            layered->stages[k].is_tested = false;
    } else if (material->has_polygon_offset) {
        list->depth_offset = offset_units * material->polygon_offset;
    }
}

void view_evaluate_layers(const view_layers *layers, const md5_material_input *input)
{
    for (uint32_t i = 0; i < layers->num_meshes; i++)
        evaluate_layered(&layers->meshes[i], &layers->lists[i], input);
}

const view_layered *view_find_layered(const view_layers *layers, uint32_t mesh)
{
    if (layers->num_meshes == 0)
        return NULL;
    const uint32_t number = layers->entry_numbers[mesh]; // 1 + index, or 0
    return number > 0 ? &layers->meshes[number - 1] : NULL;
}

// Applies the first lit layer of a mesh's game material to the material with which the mesh is
// drawn. A layer is a normal map with a diffuse and a specular map; see "Lit layers" in
// textures.h. The flags, the use of vertex colors and the colors are replaced. A map is replaced
// only if the layer has one, so a map that the caller has set remains. A layer without a
// specular color removes the specular map. Normal and specular maps are applied only if `maps`
// is true. Does nothing if the mesh has no layers.
void view_apply_lit_layer(const view_layers *layers, uint32_t mesh, bool maps,
                          md5gl_material *material)
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

// Callback of md5gl_deform: writes the deformed vertices of an instance. A deform may depend on the
// view, for example to turn sprites to the camera. The vertices are in the model space of the
// instance, so the view is transformed from world space to this space.
static void write_vertices(void *user, uint32_t mesh, uint32_t instance, const md5_vec3 *positions,
                           const md5_vec3 *normals, md5_vec3 *to_positions, md5_vec2 *texcoords,
                           md5_vec4 *colors)
{
    const view_layered *const layered = user;
    const md5_deformed out = {.positions = to_positions, .texcoords = texcoords, .colors = colors};
    md5_deform_view view = layered->view;
    (void)mesh;
    if (instance < layered->num_placements) {
        const md5_mat34 world_to_model = md5_mat34_inverse(layered->placements[instance]);
        const md5_vec3 left = md5_mat34_direction(world_to_model, view.left);
        const md5_vec3 up = md5_mat34_direction(world_to_model, view.up);
        view.eye = md5_mat34_point(world_to_model, view.eye);
        view.left = md5_vec3_normalize(left, view.left);
        view.up = md5_vec3_normalize(up, view.up);
    }
    md5_deform_vertices(layered->material, layered->table, layered->registers, layered->deformed,
                        positions, normals, &view, &out);
}

// Returns the reason why the deform of a material is not shown: the mesh lacks the required shape.
// The caller frees the text.
static char *deform_obstacle(const md5_material *material)
{
    if (material->deform == MD5_DEFORM_EYEBALL)
        return common_format("deform eyeBall is not shown: expected an eye and two triangles");
    if (material->deform == MD5_DEFORM_PARTICLE || material->deform == MD5_DEFORM_PARTICLE2) {
        const bool has_name = material->deform_decl != NULL;
        const char *const name = has_name ? material->deform_decl : "without a name";
        return common_format("deform is not shown: particles are not supported: %s", name);
    }
    return common_format("deform is not shown: expected a mesh of quads");
}

// Replaces the triangles of a mesh on the GPU by the triangles of its deform. Returns NULL on
// success, otherwise the reason why the mesh is not deformed, which the caller frees.
static char *set_deform(view_layered *layered, md5gl_renderer *renderer, md5gl_model *drawn,
                        const md5_mesh *mesh)
{
    const md5_material *const material = layered->material;
    md5gl_deform deform = {.write = write_vertices, .user = layered};
    if (!md5_deform_size(material->deform, mesh, &deform.num_vertices, &deform.num_triangles))
        return deform_obstacle(material);

    md5_error error = {0};
    uint32_t *const indices = common_alloc(3 * (size_t)deform.num_triangles, sizeof *indices);
    md5_deform_indices(material->deform, mesh, indices);
    deform.indices = indices;
    const bool is_set = md5gl_set_deform(renderer, drawn, layered->mesh, &deform, &error);
    free(indices);
    if (!is_set)
        return common_format("deform is not shown: %s", error.message);
    layered->deformed = mesh;
    return NULL;
}

// Replaces the triangles of meshes that their material deforms, such as sprites that face the
// camera.
void view_set_deforms(view_layers *layers, md5gl_renderer *renderer, md5gl_model *drawn,
                      const md5_model *model, view_log *log)
{
    for (uint32_t i = 0; i < layers->num_meshes; i++) {
        view_layered *const layered = &layers->meshes[i];
        const md5_material *const material = layered->material;
        if (material->deform == MD5_DEFORM_NONE)
            continue;
        char *const obstacle = set_deform(layered, renderer, drawn, &model->meshes[layered->mesh]);
        if (obstacle != NULL)
            note(layers, layered->mesh, material, obstacle, log);
        else
            layers->has_deforms = true;
    }
}

// Sets the view for which the meshes are deformed when the model is posed. A deform, for example
// a sprite that turns to the viewer, changes the vertices depending on the view. All meshes with
// layers receive the same view.
void view_set_deform_view(const view_layers *layers, const md5_deform_view *view,
                          const md5_mat34 *placements, uint32_t num_placements)
{
    for (uint32_t i = 0; i < layers->num_meshes; i++) {
        view_layered *const layered = &layers->meshes[i];
        layered->view = *view;
        layered->placements = placements;
        layered->num_placements = placements != NULL ? num_placements : 0;
    }
}

// == Meshes =======================================================================================

// Loads the texture that the search has found for a mesh. An animated texture consists of several
// images; if one of them cannot be read, only the images before it are used. Logs how the texture
// was found.
static void use_found_texture(const view_texture_task *task, view_mesh_textures *mesh_textures)
{
    const uint32_t index = task->search.mesh;
    const view_look *const look = &mesh_textures->look;
    const char *const name = task->search.model->meshes[index].name;
    for (uint32_t i = 0; i <= look->num_later_images; i++) {
        const char *const path = i == 0 ? look->diffuse : look->later_images[i - 1];
        mesh_textures->images[i] = load_file(task, MD5GL_IMAGE_DIFFUSE, path, false);
        if (mesh_textures->images[i] == NULL)
            break;
        mesh_textures->num_images++;
    }
    mesh_textures->maps[MD5GL_IMAGE_DIFFUSE] = mesh_textures->images[0];
    if (look->is_guess)
        view_info(task->log, "texture of mesh %u \"%s\" was guessed by %s: %s", index, name,
                  look->why, look->diffuse);
    else
        view_debug(task->log, "texture of mesh %u: %s, found by %s", index, look->diffuse,
                   look->why);
}

// Warns that a mesh has no texture, with the most likely image and the reason why it was rejected.
// Other rejected images are logged.
static void report_missing_texture(const view_texture_task *task, const view_look *look)
{
    const uint32_t index = task->search.mesh;
    const md5_mesh *const mesh = &task->search.model->meshes[index];
    const char *const why = look->tried.count > 0 ? look->tried.names[0] : NULL;
    if (*mesh->shader == '\0' && why == NULL)
        view_warn(task->log,
                  "mesh %u \"%s\" has neither a shader name nor a texture; use --texture to select "
                  "a texture",
                  index, mesh->name);
    else if (why == NULL)
        view_warn(
            task->log,
            "mesh %u \"%s\": texture of shader \"%s\" not found; use --texture to select a texture",
            index, mesh->name, mesh->shader);
    else
        view_warn(task->log,
                  "mesh %u \"%s\": texture of shader \"%s\" not found; use --texture to select a "
                  "texture; rejected image: %s",
                  index, mesh->name, mesh->shader, why);
    for (size_t i = 1; i < look->tried.count; i++)
        view_debug(task->log, "rejected for mesh %u: %s", index, look->tried.names[i]);
}

// Loads the masks of a mesh's material twice: as highlights, and as a glow map. The glow map has
// the colors of the texture with which the masks are declared.
static void use_masks(const view_texture_task *task, const view_mesh_textures *mesh_textures)
{
    const view_look *const look = &mesh_textures->look;
    view_texture masks = {.path = look->masks,
                          .map = MD5GL_IMAGE_SPECULAR,
                          .is_masks = true,
                          .mask_factor = look->specular};
    set_map(task, masks);
    // If the masks cannot be read, this was already reported for the highlights.
    const bool has_masks = mesh_textures->maps[MD5GL_IMAGE_DIFFUSE] != NULL
                           && mesh_textures->maps[MD5GL_IMAGE_SPECULAR] != NULL;
    if (!look->is_declared || !has_masks)
        return;
    masks.map = MD5GL_IMAGE_GLOW;
    masks.mask_factor = look->glow;
    masks.base = look->diffuse;
    set_map(task, masks);
}

// Searches the textures of a mesh by its names, and fills the `look` of the mesh. Uses the found
// diffuse texture, unless an option selects one. Reports a missing texture. If the mesh has a
// material in a game (`is_in_game`), its missing images were already reported.
static void find_diffuse_by_name(const view_texture_task *task, bool is_in_game)
{
    view_mesh_textures *const mesh_textures = &task->textures->meshes[task->search.mesh];
    view_look *const look = &mesh_textures->look;
    const bool is_selected = mesh_textures->maps[MD5GL_IMAGE_DIFFUSE] != NULL;
    view_free_look(look); // result for a game that lacks the image
    *look = view_find_look(&task->search, view_log_listener(task->log));
    if (look->diffuse != NULL && !is_selected)
        use_found_texture(task, mesh_textures);
    else if (is_in_game)
        common_free_list(&look->tried); // the tried images are not missing
    else if (!is_selected)
        report_missing_texture(task, look);
}

// Searches a mesh's textures by its names. Loads the diffuse texture (see find_diffuse_by_name()),
// the normals and the masks. Copies the material properties that the search has found.
static void load_textures_by_name(const view_texture_task *task, bool is_in_game)
{
    find_diffuse_by_name(task, is_in_game);
    view_mesh_textures *const mesh_textures = &task->textures->meshes[task->search.mesh];
    const view_look *const look = &mesh_textures->look;
    set_map(task, (view_texture){.path = look->normals, .map = MD5GL_IMAGE_NORMALS});
    use_masks(task, mesh_textures);
    mesh_textures->two_sided = mesh_textures->two_sided || look->two_sided;
    if (look->alpha_test > 0)
        mesh_textures->alpha_test = look->alpha_test;
}

// Loads a map of the current mesh that was found next to its diffuse texture, and logs it. If the
// folder also contains a height map, its slopes are added to a normal map.
static void load_found_map(const view_texture_task *task, const common_list *files,
                           const char *diffuse, md5gl_image_kind map, const char *path)
{
    const uint32_t mesh = task->search.mesh;
    const char *heights = NULL;
    if (map == MD5GL_IMAGE_NORMALS)
        heights = view_find_map(files, diffuse, MD5GL_IMAGE_HEIGHTS);
    set_map(task, (view_texture){.path = path, .heights = heights, .map = map});
    if (task->textures->meshes[mesh].maps[map] == NULL)
        return;
    if (heights != NULL)
        view_debug(task->log, "%s of mesh %u: %s + %s", view_map_name(map), mesh, path,
                   common_base(heights));
    else
        view_debug(task->log, "%s of mesh %u: %s", view_map_name(map), mesh, path);
}

// Loads the maps of the current mesh that are files in the folder of its diffuse texture, except
// the maps that the mesh already has. Their names are the name of the texture with a suffix.
static void find_maps(const view_texture_task *task)
{
    const view_texture **const mesh_maps = task->textures->meshes[task->search.mesh].maps;
    if (mesh_maps[MD5GL_IMAGE_DIFFUSE] == NULL)
        return;
    const char *const diffuse = mesh_maps[MD5GL_IMAGE_DIFFUSE]->path;
    char *const folder = common_folder(diffuse);
    common_list files = common_list_folder(folder, "");
    for (md5gl_image_kind map = MD5GL_IMAGE_NORMALS; map < MD5GL_NUM_IMAGE_KINDS; map++) {
        // A height map is only used if the mesh has no normal map.
        const bool is_unused = map == MD5GL_IMAGE_HEIGHTS && mesh_maps[MD5GL_IMAGE_NORMALS] != NULL;
        if (mesh_maps[map] != NULL || is_unused)
            continue;
        const char *const path = view_find_map(&files, diffuse, map);
        if (path != NULL && strcmp(path, diffuse) != 0)
            load_found_map(task, &files, diffuse, map, path);
    }
    common_free_list(&files);
    free(folder);
}

// Loads a map that an option selects: "PATH" for all meshes, or "MESH=PATH" for one. Returns false
// and logs an error if the mesh does not exist or the file cannot be read. If
// log->skips_faulty_files is true, a file that cannot be read is ignored.
static bool use_choice(const view_texture_task *task, md5gl_image_kind map, const char *choice)
{
    const md5_model *const model = task->search.model;
    const char *const equals = strchr(choice, '=');
    const bool is_for_one_mesh = equals != NULL;
    const size_t name_length = is_for_one_mesh ? (size_t)(equals - choice) : 0; // of the mesh
    const char *const path = is_for_one_mesh ? equals + 1 : choice;
    const view_texture *const loaded = load_file(task, map, path, true);
    if (loaded == NULL && !task->log->skips_faulty_files)
        return false;

    bool is_mesh_found = false;
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        if (is_for_one_mesh && !view_is_mesh(model, m, choice, name_length))
            continue;
        view_mesh_textures *const mesh_textures = &task->textures->meshes[m];
        if (loaded != NULL)
            mesh_textures->maps[map] = loaded;
        mesh_textures->is_selected[map] = is_for_one_mesh;
        is_mesh_found = true;
    }
    if (is_for_one_mesh && !is_mesh_found)
        return view_error(task->log, "--%s: mesh \"%.*s\" not found; the model has %u %s",
                          view_get_map_option(map)->name, (int)name_length, choice,
                          model->num_meshes, common_noun(model->num_meshes, "mesh", "meshes"));
    return true;
}

// Loads the choices of an option for one map. If `is_for_one_mesh` is true, loads the choices for
// single meshes, otherwise those for all meshes. Returns false and logs an error on failure.
static bool use_choices_for(const view_texture_task *task, md5gl_image_kind map,
                            const common_texts *choices, bool is_for_one_mesh)
{
    for (size_t i = 0; i < choices->count; i++) {
        const char *const choice = choices->names[i];
        const bool names_mesh = strchr(choice, '=') != NULL;
        if (names_mesh == is_for_one_mesh && !use_choice(task, map, choice))
            return false;
    }
    return true;
}

// Loads the maps that the options select. First applies the choices for all meshes, then the
// choices for single meshes, which replace them. `options` may be NULL. Returns false and logs an
// error on failure.
static bool use_choices(const view_texture_task *task, const view_options *options)
{
    if (options == NULL)
        return true;
    for (md5gl_image_kind map = 0; map < MD5GL_NUM_IMAGE_KINDS; map++) {
        const common_texts *const choices = &options->maps[map];
        if (!use_choices_for(task, map, choices, false)
            || !use_choices_for(task, map, choices, true))
            return false;
    }
    return true;
}

// Returns the path of the model's file, which the caller frees. Returns NULL if the model is an
// entity of a game or is in an archive.
static char *model_file(const view_texture_sources *sources)
{
    if (sources->game == NULL)
        return common_copy(sources->file != NULL ? sources->file : sources->path);
    view_address address;
    if (!view_read_address(sources->path, &address))
        return NULL;
    char *const file = common_format("%s/%s", address.location, address.name);
    view_free_address(&address);
    if (common_is_file(file))
        return file;
    free(file);
    return NULL;
}

// Adds an image to the names that were searched, with the place of its declaration. A material
// declares this image as its diffuse map. The viewer shows these names to the user.
static void note_declared_image(const view_texture_task *task, const md5_material *material,
                                const md5_image_program *program)
{
    const uint32_t index = task->search.mesh;
    view_mesh_textures *const mesh_textures = &task->textures->meshes[index];
    const bool has_file = material->decl != NULL && material->decl->file != NULL;
    const bool is_loaded = mesh_textures->maps[MD5GL_IMAGE_DIFFUSE] != NULL;
    const char *const location =
        has_file ? material->decl->file : task->search.model->meshes[index].shader;
    char *const name = common_format("%s: %s", location, program->text);
    view_add_searched_name(&mesh_textures->look, is_loaded, name);
}

// Sets the maps of the current mesh that its material in a game declares, unless the mesh has them.
static void use_material(const view_texture_task *task, const md5_material *material)
{
    static const md5gl_image_kind kinds[] = {MD5GL_IMAGE_DIFFUSE, MD5GL_IMAGE_NORMALS,
                                             MD5GL_IMAGE_SPECULAR};
    const view_mesh_textures *const mesh_textures = &task->textures->meshes[task->search.mesh];
    for (size_t k = 0; k < COMMON_LENGTH(kinds); k++) {
        const md5gl_image_kind kind = kinds[k];
        const md5_image_program *const program = view_material_image(material, kind);
        if (program == NULL)
            continue;
        set_map(task, (view_texture){.path = program->text, .program = program, .map = kind});
        const bool was_searched = kind == MD5GL_IMAGE_DIFFUSE && !mesh_textures->is_selected[kind];
        if (was_searched)
            note_declared_image(task, material, program);
    }
}

// If the last added layers belong to a mesh, records in them that its diffuse map is missing. A
// translucent surface or a decal then reflects no diffuse light.
static void note_missing_diffuse(view_layers *layers, uint32_t mesh)
{
    if (layers->num_meshes == 0)
        return;
    view_layered *const last = &layers->meshes[layers->num_meshes - 1];
    if (last->mesh != mesh)
        return;
    if (last->material->coverage == MD5_COVERAGE_TRANSLUCENT || is_decal(last->material))
        last->lit.lacks_diffuse = true;
}

// Opens the packages of the attached outfits whose meshes begin at or before the current mesh. A
// package is the folder of a game or mod in which the materials and images of a file are searched.
// The current mesh belongs to the last of these outfits, so its textures are searched in this
// package.
static void open_outfits(view_texture_task *task, const convert_scene *outfit_conversion)
{
    view_textures *const textures = task->textures;
    while (textures->num_outfit_packages < outfit_conversion->num_outfits) {
        const convert_outfit *const outfit =
            &outfit_conversion->outfits[textures->num_outfit_packages];
        if (outfit->first > task->search.mesh)
            break;
        task->search.package = view_open_package(outfit->path, NULL);
        *COMMON_ADD_ITEM(textures->outfit_packages, textures->num_outfit_packages) =
            task->search.package;
    }
}

// Reads the material that a game or package declares for the current mesh. Adds its maps. Also adds
// its layers, unless an option selects the diffuse map of the mesh. Returns true if the mesh is
// drawn only with the images of the layers, without a diffuse map.
static bool load_declared(const view_texture_task *task, const char *shader)
{
    const view_mesh_textures *const mesh_textures = &task->textures->meshes[task->search.mesh];
    const bool is_selected = mesh_textures->is_selected[MD5GL_IMAGE_DIFFUSE];
    const bool is_staged = !is_selected && view_add_layers(task, shader);
    const md5_material *const material = md5_game_material(task->game, shader, NULL);
    if (material != NULL)
        use_material(task, material);
    return is_staged;
}

// Finds and loads the textures of the current mesh. The options have priority, and were applied
// before. The next source is the material of the mesh in the game or in the package of the file.
// The last is a search by names.
static void load_mesh(view_texture_task *task, const view_texture_sources *sources)
{
    const uint32_t index = task->search.mesh;
    md5_game *const game = sources->game;
    const view_texture *const *const diffuse =
        &task->textures->meshes[index].maps[MD5GL_IMAGE_DIFFUSE];
    const char *const shader = sources->model->meshes[index].shader;
    if (sources->outfit_conversion != NULL)
        open_outfits(task, sources->outfit_conversion);
    task->search.cfg_look = index < sources->num_cfg_looks ? &sources->cfg_looks[index] : NULL;

    // Use the material in the game, or else in the package of the file.
    task->game = game;
    if (game == NULL && *diffuse == NULL)
        task->game = view_package_game(task->search.package, view_log_listener(task->log));
    const bool is_declared =
        task->game != NULL && md5_find_decl(task->game, MD5_DECL_MATERIAL, shader) != NULL;
    const bool is_in_game = is_declared || game != NULL;
    const bool is_staged = is_in_game && load_declared(task, shader);

    // Search by names. Images that the game lacks were reported.
    const bool has_declared_image = is_staged || (is_in_game && *diffuse != NULL);
    const bool can_search = !is_in_game || task->search.package != NULL;
    if (!has_declared_image && can_search) {
        if (*diffuse == NULL || task->search.cfg_look != NULL)
            load_textures_by_name(task, is_in_game);
        if (!is_declared)
            find_maps(task);
    }
    if (*diffuse == NULL)
        note_missing_diffuse(&task->textures->layers, index);
}

// Ensures that the bounds of the model contain at least one mesh. Meshes with is_unmeasured are
// ignored in the bounds. If this is set for all meshes, clears it for all.
static void require_measured_mesh(const view_textures *textures)
{
    for (uint32_t i = 0; i < textures->num_meshes; i++) {
        if (!textures->meshes[i].is_unmeasured)
            return;
    }
    for (uint32_t i = 0; i < textures->num_meshes; i++)
        textures->meshes[i].is_unmeasured = false;
}

// Returns true if the option --skin can have an effect on a model. Only models of the Quake
// re-releases have numbered skins. In a game, the option is not reported as ignored.
static bool has_numbered_skins(const view_texture_sources *sources)
{
    return sources->game != NULL || view_detect_quake_game(sources->path) != VIEW_QUAKE_NONE;
}

// Loads the textures of each mesh that has triangles. Ends if the user stops the operation.
static void load_meshes(view_texture_task *task, const view_texture_sources *sources)
{
    const md5_model *const model = sources->model;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        if (!view_log_progress(task->log, "textures", i, model->num_meshes))
            return;
        task->log->about = (view_about){VIEW_ABOUT_MESH, i, 0, model};
        if (model->meshes[i].num_triangles == 0)
            continue;
        task->search.mesh = i;
        load_mesh(task, sources);
    }
}

// Finds and loads the textures of all meshes, each from the first source that has one. Returns
// false and logs an error if an option names a mesh or an image that does not exist.
bool view_load_textures(view_textures *textures, const view_loader *loader,
                        const view_texture_sources *sources)
{
    const md5_model *const model = sources->model;
    const view_options *const options = sources->options;
    *textures = (view_textures){
        .num_meshes = model->num_meshes,
        .meshes = common_alloc(model->num_meshes, sizeof *textures->meshes),
    };
    view_texture_task task = {
        .textures = textures,
        .renderer = loader->renderer,
        .log = loader->log,
        .ahead = loader->ahead,
        .game = sources->game,
        .search = {.model = model},
    };
    if (!use_choices(&task, options)) {
        view_free_textures(textures, task.renderer);
        return false;
    }

    // The package of a file is the folder of the game or mod that contains the model.
    char *const file = model_file(sources);
    if (file != NULL)
        textures->package = view_open_package(file, NULL);
    free(file);
    task.search.package = textures->package;
    task.search.skin = options != NULL ? options->skin : 0;
    if (task.search.skin > 0 && !has_numbered_skins(sources))
        view_warn(task.log,
                  "--skin is ignored: only models of the Quake re-releases have numbered skins");

    load_meshes(&task, sources);
    view_silence_package(textures->package);
    require_measured_mesh(textures);
    task.log->about.kind = VIEW_ABOUT_FILE;
    view_sort_layers(&textures->layers, model->num_meshes);
    view_log_progress(task.log, "textures", model->num_meshes, model->num_meshes);
    return true;
}

// Uploads the textures of a preview without reading files. The images were decoded before, on
// the thread that loads previews. All meshes are drawn two-sided.
void view_load_preview_textures(view_textures *textures, const view_loader *loader,
                                const md5_model *model, md5_game *game,
                                const view_preview_mesh *meshes)
{
    *textures = (view_textures){
        .num_meshes = model->num_meshes,
        .meshes = common_alloc(model->num_meshes, sizeof *textures->meshes),
    };
    view_texture_task task = {
        .textures = textures,
        .renderer = loader->renderer,
        .log = loader->log,
        .ahead = loader->ahead,
        .game = game,
        .search = {.model = model},
    };
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_material *const material = meshes[i].material;
        view_mesh_textures *const mesh_textures = &textures->meshes[i];
        task.search.mesh = i;
        mesh_textures->opaque = material != NULL && material->coverage == MD5_COVERAGE_OPAQUE;
        mesh_textures->two_sided = true;
        if (meshes[i].image == NULL)
            continue;
        if (material != NULL && material->coverage == MD5_COVERAGE_TRANSLUCENT)
            view_add_layers(&task, model->meshes[i].shader);
        else
            set_map(&task, (view_texture){.path = meshes[i].image, .map = MD5GL_IMAGE_DIFFUSE});
    }
    view_sort_layers(&textures->layers, model->num_meshes);
}

// Frees the images that were loaded, with their textures on the GPU; the looks and layers of all
// meshes; and the lists of images of the model and its outfits.
void view_free_textures(view_textures *textures, md5gl_renderer *renderer)
{
    for (size_t i = 0; i < textures->num_loaded; i++) {
        view_texture *const texture = textures->loaded[i];
        md5gl_destroy_texture(renderer, texture->texture);
        free((char *)(uintptr_t)texture->path);
        free((char *)(uintptr_t)texture->heights);
        free((char *)(uintptr_t)texture->base);
        free(texture);
    }
    for (uint32_t i = 0; i < textures->num_meshes; i++)
        view_free_look(&textures->meshes[i].look);
    view_layers *const layers = &textures->layers;
    for (uint32_t i = 0; i < layers->num_meshes; i++) {
        view_layered *const layered = &layers->meshes[i];
        free(layered->registers);
        free(layered->textures);
        free(layered->stages);
        free(layered->lit.textures);
        free(layered->lit.shown);
    }
    for (size_t i = 0; i < layers->num_notes; i++)
        free(layers->notes[i].text);
    free(layers->meshes);
    free(layers->lists);
    free(layers->entry_numbers);
    free(layers->notes);
    view_close_package(textures->package);
    for (size_t i = 0; i < textures->num_outfit_packages; i++)
        view_close_package(textures->outfit_packages[i]);
    free(textures->outfit_packages);
    free(textures->meshes);
    free(textures->loaded);
    *textures = (view_textures){0};
}

// -- Results for a mesh -------------------------------------------------------------------------

// Returns the texture of a map of a mesh, or 0 if the mesh does not have the map.
static md5gl_texture map_texture(const view_mesh_textures *mesh_textures, md5gl_image_kind map)
{
    return mesh_textures->maps[map] != NULL ? mesh_textures->maps[map]->texture : 0;
}

// Sets the normal, specular and glow maps of a material. If a mesh has no normal map, its height
// map replaces it.
static void set_material_maps(md5gl_material *material, const view_mesh_textures *mesh_textures)
{
    const view_texture *const specular = mesh_textures->maps[MD5GL_IMAGE_SPECULAR];
    material->normals = map_texture(mesh_textures, MD5GL_IMAGE_NORMALS);
    if (material->normals == 0)
        material->normals = map_texture(mesh_textures, MD5GL_IMAGE_HEIGHTS);
    material->specular = map_texture(mesh_textures, MD5GL_IMAGE_SPECULAR);
    // In other engines, the alpha of TGA and DDS files has other meanings, so only PNG files have
    // thin parts.
    material->has_thin_parts = material->specular != 0 && common_has_suffix(specular->path, ".png");
    material->glow = map_texture(mesh_textures, MD5GL_IMAGE_GLOW);
}

// Returns the material with which a mesh is drawn. Begins with the texture of the mesh, or the
// checker texture if it has none. Then replaces the image of an animated Quake skin by the image
// at `time`, and adds the maps and the lit layer.
md5gl_material view_mesh_material(const view_textures *textures, const md5gl_renderer *renderer,
                                  uint32_t mesh, bool maps, bool layers, double time)
{
    const view_mesh_textures *const mesh_textures = &textures->meshes[mesh];
    const view_texture *const diffuse = mesh_textures->maps[MD5GL_IMAGE_DIFFUSE];
    const bool has_holes = !mesh_textures->opaque && diffuse != NULL && diffuse->has_holes;
    md5gl_material material = {
        .diffuse = diffuse != NULL ? diffuse->texture : md5gl_checker_texture(renderer),
        .alpha_test = mesh_textures->alpha_test,
        .is_opaque = mesh_textures->opaque,
        .two_sided = mesh_textures->two_sided || has_holes,
    };
    const bool is_animated = mesh_textures->num_images > 0 && diffuse == mesh_textures->images[0];
    if (is_animated) {
        const md5_quake_skins skins = {.num_skins = 1, .num_images = {mesh_textures->num_images}};
        material.diffuse = mesh_textures->images[md5_quake_image_at(&skins, 0, time)]->texture;
    }
    if (maps)
        set_material_maps(&material, mesh_textures);
    if (layers)
        view_apply_lit_layer(&textures->layers, mesh, maps, &material);
    return material;
}

const view_texture *view_mesh_image(const view_textures *textures, uint32_t mesh,
                                    md5gl_image_kind map)
{
    return textures->meshes != NULL ? textures->meshes[mesh].maps[map] : NULL;
}

const view_look *view_mesh_look(const view_textures *textures, uint32_t mesh)
{
    static const view_look none = {0};
    return textures->meshes != NULL ? &textures->meshes[mesh].look : &none;
}

// -- Uploading models ----------------------------------------------------------------------------

// Creates a model on the GPU with the skinning method of the options. Returns NULL and logs an
// error on failure. The second attempt selects the method automatically. It is made only if the
// user has requested a method that the GPU does not support.
md5gl_model *view_create_model(const view_loader *loader, const md5_model *model)
{
    const view_options *const options = loader->options;
    md5_error error = {0};
    md5gl_model *drawn = md5gl_create_model(loader->renderer, model, options->path, &error);
    if (drawn == NULL && options->path != MD5GL_PATH_AUTO && error.status == MD5_ERROR_GPU) {
        view_warn(loader->log, "%s; using another skinning path", error.message);
        drawn = md5gl_create_model(loader->renderer, model, MD5GL_PATH_AUTO, &error);
    }
    if (drawn == NULL)
        view_log_error(loader->log, &error);
    return drawn;
}

// Creates a model on the GPU with its textures and deforms. Returns false on failure. The model
// exists on the GPU before its textures are loaded. If they cannot be loaded, the model is
// destroyed again.
bool view_upload(const view_loader *loader, const view_texture_sources *sources,
                 md5gl_model **drawn, view_textures *textures)
{
    *textures = (view_textures){0};
    *drawn = view_create_model(loader, sources->model);
    if (*drawn == NULL)
        return false;
    if (!view_load_textures(textures, loader, sources)) {
        md5gl_destroy_model(loader->renderer, *drawn);
        *drawn = NULL;
        return false;
    }
    view_set_deforms(&textures->layers, loader->renderer, *drawn, sources->model, loader->log);
    return true;
}

// == Environment light ===========================================================================

// Returns the brightness of a linear color, with the weights of Rec. 709.
static float luminance(md5_vec3 color)
{
    return 0.2126f * color.x + 0.7152f * color.y + 0.0722f * color.z;
}

// Sets the exposure and the brightest direction of an environment from its light.
//
// md5gl_environment_light() returns the light as a polynomial of the direction. The terms of first
// degree (indices 1 to 3) form a vector to the brightest side. The mean over the sphere is the
// constant term (0) plus a third of the term of z^2 (7).
static void measure_environment(view_environment *environment)
{
    const md5_vec3 *const terms = md5gl_environment_light(environment->light);
    const float studio = 0.5f; // mean light of an image that looks as bright as the studio
    const float mean = luminance(terms[0]) + luminance(terms[7]) / 3.0f;
    environment->exposure = mean > 1e-6f ? studio / mean : 1;

    const md5_vec3 direction = {luminance(terms[1]), luminance(terms[2]), luminance(terms[3])};
    const float length = md5_vec3_length(direction);
    const bool has_direction = length > 0.01f * mean;
    environment->brightest = (md5_vec3){0, 0, 1};
    if (has_direction)
        environment->brightest =
            (md5_vec3){direction.x / length, direction.y / length, direction.z / length};
}

// Replaces the environment map by the panorama in a file. Returns false and logs an error on
// failure. Decodes the panorama and creates the environment map before the current one is
// destroyed, so that a failure keeps it.
bool view_load_environment(view_environment *environment, md5gl_renderer *renderer,
                           const char *path, view_log *log)
{
    view_panorama panorama;
    md5_error error = {0};
    if (!view_read_panorama(path, &panorama, &error))
        return view_error(log, "%s: %s", path, error.message);
    md5gl_environment *const light =
        md5gl_create_environment(renderer, panorama.width, panorama.height, panorama.rgb, &error);
    free(panorama.rgb);
    if (light == NULL)
        return view_error(log, "%s: %s", path, error.message);
    md5gl_destroy_environment(renderer, environment->light);
    environment->light = light;
    measure_environment(environment);
    return true;
}
