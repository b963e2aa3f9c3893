// Finds the images and materials of a model as the viewer does: by options, in the declarations of
// a game, and in image files near the model. PNG and JPEG files are copied unchanged, unless their
// texels must change. All other images become PNG. The main structure is material_search.
#include "demo/convert/budget.h"
#include "demo/convert/layout.h"
#include "demo/looks/image.h"

// -- The search -----------------------------------------------------------------------------------

// Limit of all images of a model together. A hostile model could select a large image in each of
// its meshes.
enum { MAX_BYTES = 1 << 30 };

// For each map of a material, the kind of image for which the viewer's search is started.
static const md5gl_image_kind image_kinds[CONVERT_NUM_MAPS] = {
    MD5GL_IMAGE_DIFFUSE, MD5GL_IMAGE_NORMALS, MD5GL_IMAGE_SPECULAR, MD5GL_IMAGE_GLOW};

// State of the search for the images of a model.
typedef struct material_search {
    const convert_job *job;
    convert_scene *scene;
    const md5_model *model;
    view_package *package; // package of the model's file; NULL if the model is not on disk
    md5_game *game;        // material declarations, or NULL
    view_listener listener;
    size_t num_bytes;          // size of all images so far
    char image_problem[256];   // why the last image was skipped, for add_selected_images()
    common_text_index keys;    // keys of materials: shader and paths of the images
    common_text_index shaders; // shaders that have a material
    bool is_by_shader;         // each shader has one material
    // [meshes] the options of the user that apply to each mesh: for each kind of map, the file that
    // replaces it, such as the argument of --texture; for --hide, its argument. NULL: no option.
    const char *(*mesh_options)[CONVERT_NUM_MESH_OPTIONS];
} material_search;

// For view_listener: reports a warning of the viewer's search as a note. A NULL job discards it.
static void warn(void *job, const char *text)
{
    if (job)
        convert_note(job, "%s", text);
}

const char *convert_image_extension(const convert_image *image)
{
    const bool is_jpeg = image->size > 3 && memcmp(image->bytes, "\xff\xd8\xff", 3) == 0;
    return is_jpeg ? ".jpg" : ".png";
}

static const char *material_title(const convert_material *material)
{
    return material->shader[0] != '\0' ? material->shader : "(no name)";
}

// -- Texels ---------------------------------------------------------------------------------------

// Inverts the green channel of a normal map. This converts between the two directions in which
// green can point, +v up and +v down.
static void flip_green_channel(view_image *image)
{
    for (size_t i = 0; i < (size_t)image->width * image->height; i++)
        image->rgba[4 * i + 1] = (uint8_t)(255 - image->rgba[4 * i + 1]);
}

// Converts the texels of a normal map to id's encoding, if they have another encoding. Returns true
// if they were changed.
static bool fix_normal_encoding(const material_search *search, const char *name,
                                const md5gl_texture_desc *desc, view_image *image)
{
    enum { RED = 0, ALPHA = 3 };
    const uint32_t normals = md5gl_guess_normals(desc);
    if (normals & MD5GL_NORMALS_RXGB) { // x is in the alpha channel
        for (size_t i = 0; i < (size_t)image->width * image->height; i++)
            image->rgba[4 * i + RED] = image->rgba[4 * i + ALPHA];
    }
    if (normals & MD5GL_NORMALS_GREEN_UP) {
        flip_green_channel(image);
        convert_note(search->job,
                     "normal map %s: green channel points up (detected from the image)", name);
    }
    return normals != 0;
}

// The effects of an unlit stage on the background. A stage is one layer of a Doom 3 material.
typedef enum blend_kind { REPLACES, BLENDS, ADDS, FILTERS } blend_kind;

// Compares the source and destination factors of a stage; see md5_stage.bits.
static blend_kind stage_blending(const md5_stage *stage)
{
    enum { FACTOR_BITS = 0xFF };
    switch (stage->bits & FACTOR_BITS) {
    case 0x00: // one, zero
        return REPLACES;
    case 0x20: // one, one
    case 0x25: // source alpha, one
        return ADDS;
    case 0x03: // destination color, zero
    case 0x30: // one, source color
    case 0x31: // zero, source color
        return FILTERS;
    default:
        return BLENDS; // by alpha; also for blends that no other kind describes
    }
}

// Returns the largest of the red, green and blue of a texel.
static uint8_t largest_component(const uint8_t *texel)
{
    const uint8_t largest = texel[0] > texel[1] ? texel[0] : texel[1];
    return texel[2] > largest ? texel[2] : largest;
}

// Converts an image so that alpha blending has the same effect as adding or multiplying it. Let c
// be a color over a background b, and a the alpha. For addition, b (1 - a) + c replaces b + c, and
// a is the largest component of c. For multiplication, b (1 - a) replaces b c, and 1 - a is the
// luminance of c.
static void blend_by_alpha(view_image *image, blend_kind blending)
{
    const size_t num_texels = (size_t)image->width * image->height;
    for (size_t i = 0; i < num_texels; i++) {
        uint8_t *const texel = image->rgba + 4 * i;
        const uint8_t largest = largest_component(texel);
        // Rec. 709 luminance, in 256ths
        const int luminance = (54 * texel[0] + 183 * texel[1] + 19 * texel[2]) / 256;
        const bool is_black = blending == FILTERS || largest == 0;
        for (int k = 0; k < 3; k++)
            texel[k] = (uint8_t)(is_black ? 0 : 255 * texel[k] / largest);
        texel[3] = blending == FILTERS ? (uint8_t)(255 - luminance) : largest;
    }
}

// -- Images of materials --------------------------------------------------------------------------
//
// An image program is the text by which a Doom 3 material selects an image. It is the name of a
// file, or contains operations on files such as addnormals(...).

// Returns the file of a game to which an image program refers. Returns NULL if the program computes
// an image instead, or if the file does not exist.
static char *read_game_file(md5_game *game, const md5_image_program *program, size_t *size)
{
    const bool is_file = program->num_steps == 1 && program->steps[0].kind == MD5_IMAGE_FILE;
    const char *const name = is_file ? md5_game_image_file(game, program->steps[0].file) : NULL;
    md5_error error;
    return name ? view_copy_file(md5_game_files(game), name, size, &error) : NULL;
}

// Reads an image from the file `path`. If `path` is NULL, an image program of the game creates the
// image. `image` receives the texels. file->bytes receives the bytes of the file. It is NULL if the
// program computes the image. The caller frees the bytes, also after an error.
static bool read_image(const material_search *search, const char *path,
                       const md5_image_program *program, convert_image *file, view_image *image,
                       md5_error *error)
{
    const char *reason = NULL;
    char *bytes = NULL;
    if (path) {
        bytes = common_read_stream(path, &file->size, &reason);
        if (!bytes)
            return convert_fail(error, MD5_ERROR_IO, path, "%s", reason);
    } else if (program) {
        bytes = read_game_file(search->game, program, &file->size);
    }

    file->bytes = (uint8_t *)bytes;
    if (!bytes)
        return view_read_game_image(search->game, program, image, error);
    return view_decode_image(file->bytes, file->size, MD5_MAX_IMAGE_PIXELS, image, error);
}

// Returns true if a file can be copied unchanged. This applies to JPEG files, and to PNG files
// unless they have alpha that the material does not use: some readers blend with any alpha. Byte 25
// of a PNG file is its color type. Bit 2 of it is alpha, and type 3 is a palette, which may have
// alpha.
static bool is_usable_file(const convert_image *file, bool with_alpha)
{
    const uint8_t *const bytes = file->bytes;
    const bool is_png = file->size > 32 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0;
    if (!is_png)
        return strcmp(convert_image_extension(file), ".jpg") == 0;
    const bool may_have_alpha = (bytes[25] & 4) != 0 || bytes[25] == 3;
    return with_alpha || !may_have_alpha;
}

// Enables the alpha test of a material if its color image has transparent texels. This is the rule
// of the viewer for images without a declaration: texels with alpha below 0.5 are not drawn.
static void enable_alpha_test(const material_search *search, convert_material *material,
                              const view_image *image)
{
    const md5gl_texture_desc desc = {
        .width = image->width, .height = image->height, .texels = image->rgba};
    if (material->alpha != CONVERT_OPAQUE || !md5gl_has_transparent_texels(&desc))
        return;
    material->alpha = CONVERT_MASK;
    material->cutoff = 0.5f;
    material->is_two_sided = true;
    convert_note(search->job,
                 "material %s: enabled alpha test at 0.5, because the image has transparent texels",
                 material_title(material));
}

// Stores an image in a material. If it could not be encoded (`image` has no bytes), or if the
// images of the model are too large together, reports it as skipped. Takes ownership of the bytes.
// `title` is the path of the file (`is_file`) or the image program, for messages.
static void store_image(material_search *search, convert_material *material, convert_map map,
                        const char *title, bool is_file, convert_image image)
{
    const char *reason = NULL;
    if (image.bytes)
        search->num_bytes += image.size;
    if (!image.bytes)
        reason = "PNG is not supported: built without stb";
    else if (search->num_bytes > MAX_BYTES)
        reason = "all images together are larger than 1 GiB";
    if (reason) {
        convert_note(search->job, "material %s: skipped %s: %s", material_title(material), title,
                     reason);
        COMMON_TEXT(search->image_problem, "%s", reason);
        free(image.bytes);
        return;
    }

    image.name = common_stem(title);
    image.declared = common_copy(is_file ? NULL : title);
    material->maps[map] = image;
}

// Changes the texels of an image if other formats need another encoding. Normal maps are converted
// to id's encoding. Blending modes of color images are replaced by alpha blending. Returns true if
// texels changed.
static bool adapt_texels(const material_search *search, convert_map map, const char *title,
                         blend_kind blending, view_image *image)
{
    if (map == CONVERT_MAP_NORMAL) {
        const md5gl_texture_desc desc = {
            .width = image->width, .height = image->height, .texels = image->rgba};
        return fix_normal_encoding(search, title, &desc, image);
    }

    const bool has_unsupported_blending = blending == ADDS || blending == FILTERS;
    if (map != CONVERT_MAP_COLOR || !has_unsupported_blending)
        return false;
    blend_by_alpha(image, blending);
    return true;
}

// Adds an image to a material: the file at `path`, or if it is NULL, an image program of the game.
// `blending` applies to the color of an unlit material. An unreadable image is reported as a note.
// Does nothing if the material already has a selected image for this map.
static void add_image(material_search *search, convert_material *material, convert_map map,
                      const char *path, const md5_image_program *program, blend_kind blending)
{
    if (material->maps[map].bytes)
        return;
    const char *title = "";
    if (path)
        title = path;
    else if (program)
        title = program->text;

    view_image image = {NULL, 0, 0};
    md5_error error = {0};
    convert_image file = {.bytes = NULL};
    if (!read_image(search, path, program, &file, &image, &error)) {
        convert_note(search->job, "material %s: cannot read %s: %s", material_title(material),
                     title, error.message);
        COMMON_TEXT(search->image_problem, "%s", error.message);
        free(file.bytes);
        return;
    }

    if (map == CONVERT_MAP_COLOR && path)
        enable_alpha_test(search, material, &image);
    const bool is_changed = adapt_texels(search, map, title, blending, &image);

    // Copy the file unchanged if possible; otherwise encode the texels.
    const bool with_alpha = map == CONVERT_MAP_COLOR && material->alpha != CONVERT_OPAQUE;
    const bool is_usable = file.bytes && !is_changed && is_usable_file(&file, with_alpha);
    if (!is_usable) {
        free(file.bytes);
        file.bytes = view_encode_png(&image, with_alpha, &file.size);
    }
    free(image.rgba);
    store_image(search, material, map, title, path != NULL, file);
}

// Returns a copy of a normal map as PNG with its green channel inverted. In Doom 3 and in glTF,
// this channel has opposite directions. The number of pixels is limited by the budget of the job.
uint8_t *convert_flip_green_channel(const convert_job *job, const convert_image *in, size_t *size,
                                    md5_error *error)
{
    enum { PIXELS_PER_ELEMENT = 4 };
    const uint64_t elements_left = convert_elements_left(job);
    uint32_t max_pixels = MD5_MAX_IMAGE_PIXELS;
    if (elements_left < MD5_MAX_IMAGE_PIXELS / PIXELS_PER_ELEMENT)
        max_pixels = PIXELS_PER_ELEMENT * (uint32_t)elements_left;
    view_image image;
    if (!view_decode_image(in->bytes, in->size, max_pixels, &image, error))
        return NULL;

    convert_can_charge(job, (uint64_t)image.width * image.height / PIXELS_PER_ELEMENT);
    flip_green_channel(&image);
    uint8_t *const bytes = view_encode_png(&image, false, size);
    free(image.rgba);
    if (!bytes)
        convert_fail(error, MD5_ERROR_IO, in->name, "PNG is not supported: built without stb");
    return bytes;
}

// Converts a linear color component to a byte of an sRGB image.
static uint8_t srgb_from_linear(double linear)
{
    const double c = fmin(fmax(linear, 0.0), 1.0);
    const double srgb = c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1.0 / 2.4) - 0.055;
    return (uint8_t)(255 * srgb + 0.5);
}

// Encodes a square image of one color as PNG. Returns NULL if this build cannot encode PNG.
static uint8_t *encode_color(const uint8_t texel[4], bool has_alpha, size_t *size)
{
    enum { SIDE = 8 }; // pixels; every engine accepts this size
    uint8_t rgba[SIDE * SIDE * 4];
    for (int i = 0; i < SIDE * SIDE; i++)
        memcpy(rgba + 4 * i, texel, 4);
    return view_encode_png(&(view_image){rgba, SIDE, SIDE}, has_alpha, size);
}

// Creates a small image of one color. A material of another format can have a color without an
// image, but MD5 materials require an image.
void convert_create_color_image(const convert_job *job, convert_material *material, convert_map map,
                                const double *color)
{
    const bool is_glow = map == CONVERT_MAP_GLOW;
    const bool has_alpha = map == CONVERT_MAP_COLOR && material->alpha != CONVERT_OPAQUE;
    const double alpha = has_alpha ? fmin(fmax(color[3], 0.0), 1.0) : 1;
    const uint8_t texel[4] = {srgb_from_linear(color[0]), srgb_from_linear(color[1]),
                              srgb_from_linear(color[2]), (uint8_t)(255 * alpha + 0.5)};

    convert_image *const image = &material->maps[map];
    image->bytes = encode_color(texel, has_alpha, &image->size);
    image->name =
        common_format("%s%s", common_base(material_title(material)), is_glow ? "_add" : "");
    for (char *c = image->name; *c != '\0'; c++) { // no part of the name is an extension
        if (*c == '.')
            *c = '_';
    }

    const char *const title = is_glow ? "the emissive color" : "the color";
    convert_note(job, "material %s: %s is the constant (%.3g %.3g %.3g) instead of an image: %s",
                 material_title(material), title, color[0], color[1], color[2],
                 image->bytes ? "created an image of 8 x 8 pixels with this color"
                              : "PNG is not supported: built without stb");
}

// -- Declared materials ---------------------------------------------------------------------------

// Returns the first stage of a material that adds light of its own, independently of lamps, or
// NULL.
static const md5_stage *find_glow(const md5_material *material)
{
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        const bool is_ambient = stage->light == MD5_STAGE_AMBIENT && stage->image.text[0];
        if (is_ambient && stage_blending(stage) == ADDS)
            return stage;
    }
    return NULL;
}

// Returns the text of a declaration without leading blanks.
static char *copy_declaration(const md5_decl *decl)
{
    const char *text = decl->text;
    size_t size = decl->size;
    while (size > 0 && (unsigned char)*text <= ' ') {
        text++;
        size--;
    }
    return common_format("%.*s", (int)size, text);
}

// Adds the normal map and the specular map of a declared material. If an option selects the color
// image, the material is a lit surface, and the color stages of the declaration do not apply.
static void add_lighting_maps(material_search *search, convert_material *to,
                              const md5_material *material)
{
    for (convert_map map = CONVERT_MAP_NORMAL; map <= CONVERT_MAP_SPECULAR; map++) {
        const md5_image_program *const program = view_material_image(material, image_kinds[map]);
        if (program)
            add_image(search, to, map, NULL, program, REPLACES);
    }
}

// The stages of a declared material that other formats can represent.
typedef struct declared_surface {
    const md5_stage *color; // the stage with the color image, or NULL
    const md5_stage *glow;  // the stage that is added to a lit surface, or NULL
    bool is_unlit;          // light does not affect the color image
    blend_kind blending;    // blending of an unlit color image; REPLACES for a lit one
} declared_surface;

// Finds the stage of a Doom 3 material that contains its color image, and how this stage is
// blended and lit.
static declared_surface find_surface(const md5_material *material)
{
    declared_surface surface = {.blending = REPLACES};
    const md5_image_program *const image = view_material_image(material, MD5GL_IMAGE_DIFFUSE);
    for (uint32_t i = 0; i < material->num_stages && !surface.color; i++) {
        if (&material->stages[i].image == image)
            surface.color = &material->stages[i];
    }
    if (!surface.color)
        return surface;

    surface.is_unlit = surface.color->light != MD5_STAGE_DIFFUSE;
    if (surface.is_unlit)
        surface.blending = stage_blending(surface.color);
    else
        surface.glow = find_glow(material);
    return surface;
}

// Enables the alpha test of the first stage that has one, with its threshold at time 0.
static void set_declared_alpha_test(convert_material *to, const md5_material *material)
{
    float *const registers = common_alloc(material->num_registers, sizeof *registers);
    md5_evaluate_material(material, &(md5_material_input){.parms = {1, 1, 1, 1}}, registers);
    for (uint32_t i = 0; i < material->num_stages && to->alpha == CONVERT_OPAQUE; i++) {
        const md5_stage *const stage = &material->stages[i];
        if (!stage->has_alpha_test)
            continue;
        to->alpha = CONVERT_MASK;
        to->cutoff = registers[stage->alpha_test];
    }
    free(registers);
}

// Sets the properties of a material that do not depend on its images. They are culling, lighting
// and transparency. They come from the material that the game declares. Blend modes that a model
// file cannot store become alpha blending, with a note. Also copies the text of the declaration.
static void set_declared_properties(const material_search *search, convert_material *to,
                                    const md5_material *material, const declared_surface *surface)
{
    to->is_two_sided = material->cull == MD5_CULL_NONE || material->creates_back_sides;
    to->is_unlit = surface->is_unlit;

    set_declared_alpha_test(to, material);
    const bool is_translucent =
        surface->blending != REPLACES || material->coverage == MD5_COVERAGE_TRANSLUCENT;
    if (to->alpha == CONVERT_OPAQUE && is_translucent)
        to->alpha = CONVERT_BLEND;
    const char *effect = NULL;
    if (surface->blending == ADDS)
        effect = "adds to the background";
    else if (surface->blending == FILTERS)
        effect = "modulates the background";
    if (effect)
        convert_note(search->job,
                     "material %s: unsupported blend mode, which %s: using alpha blending instead",
                     material_title(to), effect);

    if (material->decl && material->decl->file)
        to->text = copy_declaration(material->decl);
}

// Adds one image per map to a material, and reports the number of other stages with an image.
static void add_declared_images(material_search *search, convert_material *to,
                                const md5_material *material, const declared_surface *surface)
{
    uint32_t num_images = 0;
    for (uint32_t i = 0; i < material->num_stages; i++) {
        if (material->stages[i].image.text[0] != '\0')
            num_images++;
    }

    uint32_t num_used = 0;
    for (convert_map map = CONVERT_MAP_COLOR; map < CONVERT_NUM_MAPS; map++) {
        const md5_image_program *program = NULL;
        if (map != CONVERT_MAP_GLOW)
            program = view_material_image(material, image_kinds[map]);
        else if (surface->glow)
            program = &surface->glow->image;
        if (!program)
            continue;
        num_used++;
        add_image(search, to, map, NULL, program, surface->blending);
    }

    if (num_images > num_used)
        convert_note(
            search->job,
            "material %s: skipped %u of %u stages, because the format stores one image per map",
            material_title(to), (num_images - num_used), num_images);
}

// Applies the declaration of a Doom 3 material, evaluated at time 0. Other formats have one image
// per map. The first stage of each kind provides the image. The glow is the first stage that is
// added to a lit surface. Returns false if the material has no color image.
static bool use_declaration(material_search *search, convert_material *to,
                            const md5_material *material)
{
    const bool has_selected_image = to->maps[CONVERT_MAP_COLOR].bytes;
    if (has_selected_image) {
        add_lighting_maps(search, to, material);
        return true;
    }

    const declared_surface surface = find_surface(material);
    set_declared_properties(search, to, material, &surface);
    add_declared_images(search, to, material, &surface);
    return to->maps[CONVERT_MAP_COLOR].bytes;
}

// -- Materials without a declaration --------------------------------------------------------------

// Reports how the color image `diffuse` of a material without a declaration was found. `diffuse` is
// NULL if it is missing. Also reports found images that other formats cannot use.
static void note_look(const material_search *search, const convert_material *material,
                      const view_look *look, const char *diffuse)
{
    const char *const title = material_title(material);
    const bool has_tried = look->tried.count > 0;
    if (!diffuse && material->shader[0] == '\0')
        convert_note(search->job,
                     "no image is searched for a material without a name; name it in the model");
    else if (!diffuse && has_tried)
        convert_note(search->job, "material %s: image not found; tried %s", title,
                     look->tried.names[0]);
    else if (!diffuse)
        convert_note(search->job,
                     "material %s: image not found: expected a .png, .jpg, .tga or .dds image with "
                     "the name of the material in the folder of the model",
                     title);
    else if (look->is_guess)
        convert_note(search->job, "material %s: guessed the image %s by %s", title, diffuse,
                     look->why);

    if (look->num_later_images > 0)
        convert_note(search->job, "material %s: skipped %u further %s of an animated texture",
                     title, look->num_later_images,
                     common_noun(look->num_later_images, "image", "images"));
    if (look->masks)
        convert_note(search->job,
                     "material %s: skipped the mask image %s: masks of Cube 2 are not converted",
                     title, look->masks);
}

// Returns the image file of a map that belongs to the color image `diffuse`. It is the file that
// the search found, or one of `files`, which are in the same folder, with a related name. Returns
// NULL if there is no such file or its channels have another meaning.
static const char *find_map_file(const common_list *files, const view_look *look,
                                 const char *diffuse, convert_map map)
{
    const char *path = NULL;
    if (map == CONVERT_MAP_COLOR)
        path = diffuse;
    else if (map == CONVERT_MAP_NORMAL)
        path = look->normals;
    if (!path)
        path = view_find_map(files, diffuse, image_kinds[map]);
    if (!path)
        return NULL;

    const bool is_color_again = map != CONVERT_MAP_COLOR && strcmp(path, diffuse) == 0;
    // A mask can have the file name of a specular map, but its channels have another meaning.
    const bool is_mask = look->masks && strcmp(path, look->masks) == 0;
    return is_color_again || is_mask ? NULL : path;
}

// Adds the color image `diffuse` and the maps in its folder that belong to it.
static void add_image_files(material_search *search, convert_material *to, const view_look *look,
                            const char *diffuse)
{
    char *const folder = common_folder(diffuse);
    common_list files = common_list_folder(folder, "");
    for (convert_map map = CONVERT_MAP_COLOR; map < CONVERT_NUM_MAPS; map++) {
        const char *const path = find_map_file(&files, look, diffuse, map);
        if (path)
            add_image(search, to, map, path, NULL, REPLACES);
    }

    const char *const heights = view_find_map(&files, diffuse, MD5GL_IMAGE_HEIGHTS);
    if (heights && strcmp(heights, diffuse) != 0)
        convert_note(search->job, "material %s: skipped the height map %s", material_title(to),
                     heights);
    common_free_list(&files);
    free(folder);
}

// Adds the image files of a material that has no declaration. `look` is the result of the search
// for images near the model. `diffuse` is the color image: the image that was found, or a selected
// image; the other maps are searched for next to it.
static void use_look(material_search *search, convert_material *to, const view_look *look,
                     const char *diffuse)
{
    to->is_two_sided |= look->two_sided;
    if (look->alpha_test > 0) {
        to->alpha = CONVERT_MASK;
        to->cutoff = look->alpha_test;
    }
    note_look(search, to, look, diffuse);
    if (diffuse)
        add_image_files(search, to, look, diffuse);
}

// -- Materials ------------------------------------------------------------------------------------

// Applies an option to the meshes that it names. In the list CONVERT_HIDE, an option is "MESH"; in
// the other lists it is "[MESH=]FILE". `name_end` is the end of MESH in the text, or NULL if the
// option applies to all meshes. Returns false if no mesh has this name.
static bool apply_mesh_option(material_search *search, int list, const char *text,
                              const char *name_end)
{
    const char *const file = name_end && *name_end == '=' ? name_end + 1 : text;
    bool is_used = false;
    for (uint32_t i = 0; i < search->model->num_meshes; i++) {
        const bool is_selected =
            !name_end || view_is_mesh(search->model, i, text, (size_t)(name_end - text));
        if (!is_selected)
            continue;
        search->mesh_options[i][list] = file;
        is_used = true;
    }
    return is_used;
}

// Applies options of one list. If `for_all_meshes` is true, applies those that do not name a mesh;
// otherwise those that do. Fails if an option names a mesh that the model does not have.
static bool apply_option_list(material_search *search, int list, bool for_all_meshes,
                              md5_error *error)
{
    const common_texts *const texts = &search->job->mesh_options[list];
    const bool is_hide_list = list == CONVERT_HIDE;
    for (size_t i = 0; i < texts->count; i++) {
        const char *const text = texts->names[i];
        const char *const name_end = is_hide_list ? text + strlen(text) : strchr(text, '=');
        const bool is_for_all = name_end == NULL;
        if (is_for_all != for_all_meshes || apply_mesh_option(search, list, text, name_end))
            continue;
        return convert_fail(error, MD5_ERROR_MISSING, search->job->inputs[0],
                            "mesh '%.*s' not found: expected the name, shader or index of a "
                            "mesh; number of meshes: %u",
                            (int)(name_end - text), text, search->model->num_meshes);
    }
    return true;
}

// Applies the options for meshes. Options for all meshes are applied first, so that options for
// single meshes replace them. If several options name a mesh, the last one applies.
static bool apply_mesh_options(material_search *search, md5_error *error)
{
    search->mesh_options = common_alloc(search->model->num_meshes, sizeof *search->mesh_options);
    for (int list = 0; list < CONVERT_NUM_MESH_OPTIONS; list++) {
        if (!apply_option_list(search, list, true, error)
            || !apply_option_list(search, list, false, error))
            return false;
    }
    return true;
}

// Adds the images that options select for a mesh to its material. Fails if an image cannot be read.
static bool add_selected_images(material_search *search, convert_material *material,
                                const char *const *files, md5_error *error)
{
    for (convert_map map = CONVERT_MAP_COLOR; map < CONVERT_NUM_MAPS; map++) {
        if (!files[map])
            continue;
        add_image(search, material, map, files[map], NULL, REPLACES);
        if (!material->maps[map].bytes)
            return convert_fail(error, MD5_ERROR_IO, files[map],
                                "cannot read the selected image: %s", search->image_problem);
    }
    return true;
}

// Returns the key of a mesh's material. Meshes with equal keys share a material. The key consists
// of the mesh's shader, the shader for the search, the image that was found, and the selected
// images. The caller frees it.
static char *create_material_key(const md5_mesh *mesh, const char *searched_shader,
                                 const view_look *look, const char *const *files)
{
    char *key = common_format("%s\n%s\n%s", mesh->shader, searched_shader,
                              look->diffuse ? look->diffuse : "");
    for (int map = 0; map < CONVERT_NUM_MAPS; map++)
        common_extend(&key, "\n%s", files[map] ? files[map] : "");
    return key;
}

// A search for the images of one mesh.
typedef struct mesh_search {
    const char *shader;       // name of the material that is searched for
    const char *const *files; // [CONVERT_NUM_MAPS] images that options select, or NULL
    md5_game *game;           // game whose declarations apply, or NULL
    bool is_declared;         // the game declares the material
} mesh_search;

// Finds the game whose declarations apply to a mesh. If an option selects the color image, only a
// game that the caller passed applies, and not a game that was found near the model.
static mesh_search begin_mesh_search(const material_search *search, uint32_t index)
{
    const convert_job *const job = search->job;
    mesh_search mesh = {.shader = search->model->meshes[index].shader,
                        .files = search->mesh_options[index],
                        .game = search->game};
    if (job->shaders)
        mesh.shader = job->shaders->names[index];
    if (mesh.files[CONVERT_MAP_COLOR] && search->game != job->game)
        mesh.game = NULL;
    mesh.is_declared = mesh.game && md5_find_decl(mesh.game, MD5_DECL_MATERIAL, mesh.shader);
    return mesh;
}

// Returns the material that the game declares for a mesh, or NULL. The engine uses a shader without
// a declaration as the name of an image; this applies to a game that the caller passed explicitly.
static const md5_material *find_declared_material(const material_search *search,
                                                  const mesh_search *mesh)
{
    const bool is_explicit_game = mesh->game && mesh->game == search->job->game;
    if (!mesh->is_declared && !is_explicit_game)
        return NULL;
    return md5_game_material(mesh->game, mesh->shader, NULL);
}

// Adds a new material to the scene. Images that options select come first. The other images come
// from the declaration. Without a declaration, they come from the search near the model (`look`).
static bool create_material(material_search *search, const mesh_search *mesh, const char *shader,
                            const view_look *look, md5_error *error)
{
    convert_scene *const scene = search->scene;
    convert_material *const material = COMMON_ADD_ITEM(scene->materials, scene->num_materials);
    *material = (convert_material){.shader = common_copy(shader)};
    const bool is_read = add_selected_images(search, material, mesh->files, error);

    const md5_material *const declared = find_declared_material(search, mesh);
    const bool has_color = declared && use_declaration(search, material, declared);
    if (!has_color && !mesh->is_declared && search->package) {
        const char *const selected = mesh->files[CONVERT_MAP_COLOR];
        use_look(search, material, look, selected ? selected : look->diffuse);
    }
    return is_read;
}

// Searches for the images of a mesh near the model. Does nothing if a declaration or an option
// selects the images. Warnings are reported only for the first mesh with a shader.
static view_look find_mesh_look(const material_search *search, const mesh_search *mesh,
                                uint32_t index, bool is_silent)
{
    const bool is_selected = mesh->files[CONVERT_MAP_COLOR] != NULL;
    if (mesh->is_declared || is_selected || !search->package)
        return (view_look){.diffuse = NULL};
    const view_look_search image_search = {
        .model = search->model, .mesh = index, .package = search->package};
    const view_listener silent = {warn, NULL};
    return view_find_look(&image_search, is_silent ? silent : search->listener);
}

// Sets the material of a mesh. If a material with the same images exists, the mesh shares it;
// otherwise a new material is created. If search->is_by_shader is true, all meshes with the same
// shader share one material.
static bool add_material(material_search *search, uint32_t index, md5_error *error)
{
    const char *const shader = search->model->meshes[index].shader;
    const bool has_material = common_has_text(&search->shaders, shader);
    const mesh_search mesh = begin_mesh_search(search, index);
    if (has_material && search->is_by_shader) {
        if (mesh.files[CONVERT_MAP_COLOR])
            convert_note(search->job,
                         "material %s: all meshes of the material use the images of its first "
                         "mesh; the other images of mesh %u were skipped",
                         shader, index);
        return true;
    }

    // key_index is also the index of the material in the scene, because each key adds one material.
    view_look look = find_mesh_look(search, &mesh, index, has_material);
    char *const key =
        create_material_key(&search->model->meshes[index], mesh.shader, &look, mesh.files);
    const size_t num_keys = search->keys.count;
    const size_t key_index = common_index_text(&search->keys, key, strlen(key));
    const bool is_new = key_index == num_keys;
    free(key);
    search->scene->mesh_materials[index] = key_index + 1; // 0 means that the mesh has no material

    bool is_done = true;
    if (is_new) {
        common_index_text(&search->shaders, shader, strlen(shader));
        is_done = create_material(search, &mesh, shader, &look, error);
    }
    view_free_look(&look);
    return is_done;
}

// Selects another folder for the search if the meshes of an outfit begin at `mesh`. An outfit is an
// attached model, whose images are near its own file. *next is the index of the next outfit.
static void open_outfit_package(material_search *search, uint32_t mesh, size_t *next)
{
    const convert_scene *const scene = search->scene;
    while (*next < scene->num_outfits && scene->outfits[*next].first == mesh) {
        const char *const path = scene->outfits[(*next)++].path;
        if (!path || search->job->files.open)
            continue;
        view_close_package(search->package);
        search->package = view_open_package(path, NULL);
        search->game = search->job->game ? search->job->game
                                         : view_package_game(search->package, search->listener);
    }
}

// Sets the material of each mesh, or marks it as hidden.
static bool find_mesh_materials(material_search *search, bool adds_materials, md5_error *error)
{
    const md5_model *const model = search->model;
    size_t next_outfit = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        open_outfit_package(search, i, &next_outfit);
        const bool is_hidden = search->mesh_options[i][CONVERT_HIDE];
        const bool is_searched =
            adds_materials && i < CONVERT_MAX_SEARCHED_MESHES && model->meshes[i].num_triangles > 0;
        if (is_hidden)
            search->scene->mesh_materials[i] = CONVERT_HIDDEN;
        else if (is_searched && !add_material(search, i, error))
            return false;
    }
    return true;
}

// Begins the search for the images of a model: opens the folder of its file and its game.
static material_search begin_search(const convert_job *job, convert_scene *scene,
                                    const md5_model *model, bool by_shader)
{
    const convert_part *const part = convert_find_model(scene);
    const char *const path = part->path ? part->path : scene->image_path;
    material_search search = {.job = job,
                              .scene = scene,
                              .model = model,
                              .game = job->game,
                              .is_by_shader = by_shader,
                              .listener = {warn, (void *)(uintptr_t)job}};
    if (path && !job->files.open)
        search.package = view_open_package(path, NULL);
    if (!search.game)
        search.game = view_package_game(search.package, search.listener);
    return search;
}

// Finds the material of each mesh of the model. The sources are the options of the job, the
// declarations of a game folder, and image files near the model.
bool convert_find_materials(const convert_job *job, convert_scene *scene, bool adds_materials,
                            bool by_shader, md5_error *error)
{
    const convert_part *const part = convert_find_model(scene);
    if (!part)
        return true;
    md5_model *const model = convert_parse_model(part, error);
    if (!model)
        return false;

    material_search search = begin_search(job, scene, model, by_shader);
    scene->num_mesh_materials = model->num_meshes;
    scene->mesh_materials = common_alloc(scene->num_mesh_materials, sizeof *scene->mesh_materials);
    const bool is_done =
        apply_mesh_options(&search, error) && find_mesh_materials(&search, adds_materials, error);
    if (adds_materials && model->num_meshes > CONVERT_MAX_SEARCHED_MESHES)
        convert_note(
            job,
            "images were searched only for the first %d meshes; use --texture for the other meshes",
            CONVERT_MAX_SEARCHED_MESHES);

    common_free_text_index(&search.keys);
    common_free_text_index(&search.shaders);
    free(search.mesh_options);
    view_close_package(search.package);
    md5_free_model(model);
    return is_done;
}
