// Reads the materials and images of glTF.
#include "demo/convert/convert.h"

#ifdef HAS_JANSSON

#include "demo/convert/gltf_file.h"
#include "demo/looks/look.h"

// -- Images ---------------------------------------------------------------------------------------

// Returns a copy of an image's name without its extension, or NULL.
static char *remove_extension(const char *name)
{
    if (!name)
        return NULL;
    for (const char *const *extension = md5gl_image_extensions(); *extension; extension++) {
        if (common_has_suffix(name, *extension))
            return common_format("%.*s", (int)(strlen(name) - strlen(*extension)), name);
    }
    return convert_trim_image_name(name);
}

// Returns NULL if the bytes are a PNG or JPEG file; otherwise an error message.
static const char *find_fault(const uint8_t *bytes, size_t size)
{
    static const struct kind {
        const char *bytes;
        const char *fault;
        size_t offset;
    } kinds[] = {
        {.bytes = "\x89PNG"},
        {.bytes = "\xff\xd8\xff"},
        {.bytes = "WEBP",
         .offset = 8,
         .fault = "unsupported image format WebP: expected PNG or JPEG; export the file with PNG "
                  "images"},
        {.bytes = "KTX 20",
         .offset = 1,
         .fault = "unsupported image format KTX 2 (KHR_texture_basisu): expected PNG or JPEG; "
                  "export the file with PNG images"},
        {.bytes = "ftypavif",
         .offset = 4,
         .fault = "unsupported image format AVIF: expected PNG or JPEG; export the file with PNG "
                  "images"},
    };

    for (size_t i = 0; i < COMMON_LENGTH(kinds); i++) {
        const struct kind *const kind = &kinds[i];
        const size_t length = strlen(kind->bytes);
        if (size > kind->offset + length && memcmp(bytes + kind->offset, kind->bytes, length) == 0)
            return kind->fault;
    }

    return "unknown image format: expected PNG or JPEG; export the file with PNG images";
}

// Returns the image of a texture, also if only an extension contains it.
static uint32_t find_image(const json_t *texture)
{
    uint32_t image = gltf_index(texture, "source");
    json_t *const extensions = json_object_get(texture, "extensions");
    void *item = json_object_iter(extensions);
    while (item && image == MD5_NONE) {
        image = gltf_index(json_object_iter_value(item), "source");
        item = json_object_iter_next(extensions, item);
    }
    return image;
}

// Finds the bytes of an image. Users often copy all files to one folder. If the path of the image
// does not exist, therefore tries a file with the same name next to the glTF file.
static gltf_bytes find_image_bytes(gltf_file *file, uint32_t image, const char *path)
{
    const gltf_bytes found = gltf_image(file, image, false);
    const char *const base = path ? common_base(path) : "";
    if (found.bytes || !path || strcmp(base, path) == 0)
        return found;
    const gltf_bytes moved = gltf_image(file, image, true);
    if (!moved.bytes)
        return (gltf_bytes){.reason = found.reason};
    convert_note(file->job, "images/%u: %.100s was not found; using %.80s in the file's folder",
                 image, path, base);
    return moved;
}

// Sets the name of an image from its `name` or its path, which is NULL if it is not in a file.
static void name_image(const json_t *object, uint32_t index, const char *path, convert_image *image)
{
    const char *const name = gltf_text(object, "name");
    char *const file_stem = remove_extension(path ? common_base(path) : NULL);
    char *const name_stem = remove_extension(name);
    image->name = plain_file_name(name_stem ? name_stem : file_stem);
    if (!image->name)
        image->name = common_format("image_%u", index);
    image->declared = remove_extension(path ? path : name);
    free(name_stem);
    free(file_stem);
}

// Finds the bytes of an image: in a view of the file, or at its URI, whose path is not NULL if it
// names a file. Returns false if the view is invalid. found->reason is set if the image is missing
// or cannot be used.
static bool find_usable_image(gltf_file *file, uint32_t index, const char *path, gltf_bytes *found)
{
    const json_t *const object = gltf_item(file, "images", index);
    const uint32_t view = gltf_index(object, "bufferView");
    *found = (gltf_bytes){.reason = NULL};
    if (view != MD5_NONE) {
        found->bytes = gltf_view(file, view, &found->size);
        if (!found->bytes)
            return false;
    } else {
        *found = find_image_bytes(file, index, path);
    }

    if (found->bytes)
        found->reason = find_fault(found->bytes, found->size);
    if (!found->reason && !convert_can_charge_bytes(file->job, found->size, 1))
        found->reason = "too many images for a file of this size";
    return true;
}

// Returns the path of an image in another file, or NULL if it is in the glTF file itself. The
// caller frees the path.
static char *find_image_path(const json_t *image)
{
    const char *const uri = gltf_text(image, "uri");
    const bool is_file = uri && strncmp(uri, "data:", strlen("data:")) != 0;
    return is_file ? gltf_decode_uri(uri) : NULL;
}

// Adds the image with an index, a PNG or JPEG file, to a material. `path` is its path, or NULL. A
// missing image is only noted.
static bool add_found_image(gltf_file *file, const char *shader, uint32_t index, const char *path,
                            convert_image *to)
{
    gltf_bytes found;
    if (!find_usable_image(file, index, path, &found))
        return false;

    name_image(gltf_item(file, "images", index), index, path, to);
    if (!found.bytes || found.reason) {
        char *const title =
            path ? common_format("image %.100s", path) : common_format("images/%u", index);
        const bool is_missing = path && !found.bytes;
        convert_note(file->job, "skipped %s of material %s: %s%s", title, shader, found.reason,
                     is_missing ? "; copy the image to the folder of the model" : "");
        free(title);
        return true;
    }

    to->bytes = common_alloc(found.size, 1);
    memcpy(to->bytes, found.bytes, found.size);
    to->size = found.size;
    return true;
}

// Adds the image of a texture to a material.
static bool add_image(gltf_file *file, const char *shader, const json_t *texture, convert_image *to)
{
    const uint32_t index = find_image(gltf_item(file, "textures", gltf_index(texture, "index")));
    if (index == MD5_NONE)
        return true;
    char *const path = find_image_path(gltf_item(file, "images", index));
    const bool is_added = add_found_image(file, shader, index, path, to);
    free(path);
    return is_added;
}

// Flips the green channel of a normal map, which points up in glTF and down in id's format.
static void flip_normal_map(gltf_file *file, const char *shader, convert_image *image)
{
    md5_error error = {.message = ""};
    if (!image->bytes)
        return;
    uint8_t *const flipped = convert_flip_green_channel(file->job, image, &image->size, &error);
    if (!flipped) {
        convert_note(file->job, "material %s: cannot flip the green channel of the normal map: %s",
                     shader, error.message);
        return;
    }
    // gltf_write.c appends "_n" to the name of a normal map whose channel it flipped. Remove it
    // again.
    const size_t length = strlen(image->name);
    if (length > 2 && strcmp(image->name + length - 2, "_n") == 0)
        image->name[length - 2] = '\0';
    free(image->bytes);
    image->bytes = flipped;
}

// -- Materials ------------------------------------------------------------------------------------

// Returns the JSON object that contains the base color of a material, or NULL. It belongs to the
// standard, or to the older extension KHR_materials_pbrSpecularGlossiness.
static const json_t *get_color(const json_t *material)
{
    const json_t *const old = json_object_get(json_object_get(material, "extensions"),
                                              "KHR_materials_pbrSpecularGlossiness");
    return old ? old : json_object_get(material, "pbrMetallicRoughness");
}

const json_t *gltf_color_texture(const json_t *material)
{
    const json_t *const color = get_color(material);
    const json_t *const old = json_object_get(color, "diffuseTexture");
    return old ? old : json_object_get(color, "baseColorTexture");
}

// Returns how a material is transparent. The default of glTF is opaque.
static convert_alpha read_alpha_mode(const json_t *material)
{
    const char *const mode = gltf_text(material, "alphaMode");
    if (mode && strcmp(mode, "MASK") == 0)
        return CONVERT_MASK;
    if (mode && strcmp(mode, "BLEND") == 0)
        return CONVERT_BLEND;
    return CONVERT_OPAQUE;
}

// The objects of a material that contain its textures, and its constant colors.
typedef struct gltf_surface {
    const json_t *color;                      // object of the base color, or NULL
    const json_t *textures[CONVERT_NUM_MAPS]; // or NULL
    bool has_color_factor;
    bool has_glow; // the emissive factor is not black
    double color_factor[4];
    double glow_factor[3];
} gltf_surface;

// Finds the color, factors and textures of a material. A file may store them in the core of glTF
// 2.0, in the specular-glossiness extension of older files, or in the specular extension.
static gltf_surface find_surface(const json_t *object)
{
    const json_t *const extensions = json_object_get(object, "extensions");
    const json_t *const glossiness =
        json_object_get(extensions, "KHR_materials_pbrSpecularGlossiness");
    const json_t *const specular = json_object_get(extensions, "KHR_materials_specular");
    gltf_surface surface = {.color = get_color(object), .color_factor = {1, 1, 1, 1}};
    const json_t **const textures = surface.textures;
    textures[CONVERT_MAP_COLOR] = gltf_color_texture(object);
    textures[CONVERT_MAP_NORMAL] = json_object_get(object, "normalTexture");
    textures[CONVERT_MAP_SPECULAR] = glossiness
                                         ? json_object_get(glossiness, "specularGlossinessTexture")
                                         : json_object_get(specular, "specularColorTexture");
    textures[CONVERT_MAP_GLOW] = json_object_get(object, "emissiveTexture");

    const char *const factor = glossiness ? "diffuseFactor" : "baseColorFactor";
    double *const glow = surface.glow_factor;
    surface.has_color_factor = gltf_numbers(surface.color, factor, 4, surface.color_factor);
    gltf_numbers(object, "emissiveFactor", 3, glow);
    surface.has_glow = glow[0] + glow[1] + glow[2] > 0;
    return surface;
}

// Creates images for constant colors, and reports factors that change an image.
static void apply_factors(const gltf_file *file, const gltf_surface *surface,
                          convert_material *material)
{
    const double max_white_sum = 3.999; // sum of four components of 1, less a rounding error
    const double *const color = surface->color_factor;
    // Without a color, a material of glTF is white. In files of gltf_write.c such a material has no
    // color image on purpose, so no white image is created for it.
    const bool is_written_by_us = gltf_extras(json_object_get(file->root, "asset"));
    if (!surface->textures[CONVERT_MAP_COLOR] && (surface->has_color_factor || !is_written_by_us))
        convert_create_color_image(file->job, material, CONVERT_MAP_COLOR, color);
    else if (color[0] + color[1] + color[2] + color[3] < max_white_sum)
        convert_note(file->job, "material %s: skipped the color factor %.3g %.3g %.3g %.3g",
                     material->shader, color[0], color[1], color[2], color[3]);
    if (!surface->textures[CONVERT_MAP_GLOW] && surface->has_glow)
        convert_create_color_image(file->job, material, CONVERT_MAP_GLOW, surface->glow_factor);
}

// Adds a material. Properties that the shaders of MD5's time do not support are skipped, and
// reported as a note.
static bool add_material(gltf_file *file, uint32_t index, const plain_material *plain,
                         convert_scene *scene)
{
    const json_t *const object = gltf_item(file, "materials", index);
    const json_t *const extensions = json_object_get(object, "extensions");
    const char *const shader = plain->shader;
    convert_material *const material = COMMON_ADD_ITEM(scene->materials, scene->num_materials);
    *material = (convert_material){
        .shader = common_copy(shader),
        .alpha = read_alpha_mode(object),
        .cutoff = (float)gltf_number(object, "alphaCutoff", 0.5),
        .is_two_sided = json_is_true(json_object_get(object, "doubleSided")),
        .is_unlit = json_object_get(extensions, "KHR_materials_unlit"),
        .is_flat = plain->is_flat,
        .text = common_copy(gltf_text(gltf_extras(object), "text")),
    };

    const gltf_surface surface = find_surface(object);
    for (int map = 0; map < CONVERT_NUM_MAPS; map++) {
        const bool is_black = map == CONVERT_MAP_GLOW && !surface.has_glow;
        if (!surface.textures[map] || is_black)
            continue;
        if (!add_image(file, shader, surface.textures[map], &material->maps[map]))
            return false;
    }
    apply_factors(file, &surface, material);

    if (json_object_get(surface.color, "metallicRoughnessTexture"))
        convert_note(file->job, "material %s: skipped the metallic-roughness texture", shader);
    flip_normal_map(file, shader, &material->maps[CONVERT_MAP_NORMAL]);
    return true;
}

bool gltf_add_materials(gltf_file *file, const plain_scene *plain, convert_scene *scene)
{
    for (uint32_t i = 0; i < plain->num_materials; i++) {
        if (plain->materials[i].shader && !add_material(file, i, &plain->materials[i], scene))
            return false;
    }
    return true;
}

#endif
