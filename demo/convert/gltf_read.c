// Reads glTF 2.0: the scene becomes a model with morph targets, and the animations become clips.
// This file reads materials and images, and calls the other gltf files in order.
#include "demo/convert/convert.h"

#ifdef HAS_JANSSON

#include "demo/convert/gltf_mesh.h"

// -- Materials ------------------------------------------------------------------------------------

// Returns a copy of an image's name without its extension, or NULL.
static char *remove_extension(const char *name)
{
    static const char *const extensions[] = {".png", ".jpg",  ".jpeg", ".tga", ".dds",
                                             ".bmp", ".tiff", ".webp", ".ktx2"};
    if (name) {
        for (size_t i = 0; i < COMMON_LENGTH(extensions); i++)
            if (common_has_suffix(name, extensions[i]))
                return common_format("%.*s", (int)(strlen(name) - strlen(extensions[i])), name);
    }
    return common_copy(name);
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
         .fault = "unsupported image format WebP: expected PNG or JPEG"},
        {.bytes = "KTX 20",
         .offset = 1,
         .fault = "unsupported image format KTX 2 (KHR_texture_basisu): expected PNG or JPEG"},
        {.bytes = "ftypavif",
         .offset = 4,
         .fault = "unsupported image format AVIF: expected PNG or JPEG"},
    };
    for (size_t i = 0; i < COMMON_LENGTH(kinds); i++) {
        const struct kind *const kind = &kinds[i];
        const size_t length = strlen(kind->bytes);
        if (size > kind->offset + length && memcmp(bytes + kind->offset, kind->bytes, length) == 0)
            return kind->fault;
    }
    return "unknown image format: expected PNG or JPEG";
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

// Finds the bytes of an image. If its path does not exist, tries a file with the same name in the
// folder of the glTF file, because users move files.
static gltf_bytes find_image_bytes(gltf_file *file, uint32_t image, const char *uri, bool is_file)
{
    const gltf_bytes found = gltf_image(file, image, false);
    const char *const base = is_file ? common_base(uri) : "";
    if (found.bytes || !is_file || strcmp(base, uri) == 0)
        return found;
    const gltf_bytes moved = gltf_image(file, image, true);
    if (!moved.bytes)
        return (gltf_bytes){.reason = found.reason};
    convert_note(file->job, "images/%u: %.100s was not found; using %.80s in the file's folder",
                 image, uri, base);
    return moved;
}

// Sets the name of an image from its `name` or its path.
static void name_image(const json_t *object, uint32_t index, bool is_file, convert_image *image)
{
    const char *const uri = gltf_text(object, "uri");
    const char *const name = gltf_text(object, "name");
    char *const file_stem = remove_extension(is_file ? common_base(uri) : NULL);
    char *const name_stem = remove_extension(name);
    image->name = gltf_file_name(name_stem ? name_stem : file_stem);
    if (!image->name)
        image->name = common_format("image_%u", index);
    image->declared = remove_extension(is_file ? uri : name);
    free(name_stem);
    free(file_stem);
}

// Adds the image of a texture, a PNG or JPEG file, to a material. A missing image is only noted.
static bool add_image(gltf_file *file, const char *shader, const json_t *texture, convert_image *to)
{
    const uint32_t image = find_image(gltf_item(file, "textures", gltf_index(texture, "index")));
    if (image == MD5_NONE)
        return true;
    const json_t *const object = gltf_item(file, "images", image);
    const uint32_t view = gltf_index(object, "bufferView");
    const char *const uri = gltf_text(object, "uri");
    const bool is_file = uri && strncmp(uri, "data:", 5) != 0;
    gltf_bytes found = {.reason = NULL};
    if (view != MD5_NONE) {
        found.bytes = gltf_view(file, view, &found.size);
        if (!found.bytes)
            return false;
    } else {
        found = find_image_bytes(file, image, uri, is_file);
    }
    name_image(object, image, is_file, to);
    if (found.bytes)
        found.reason = find_fault(found.bytes, found.size);
    if (!found.reason && !convert_can_charge_bytes(file->job, found.size, 1))
        found.reason = "too many images for a file of this size";
    if (found.bytes && !found.reason) {
        to->bytes = common_alloc(found.size, 1);
        memcpy(to->bytes, found.bytes, found.size);
        to->size = found.size;
    } else {
        char *const location = is_file ? common_format(": %.100s", uri) : common_copy("");
        convert_note(file->job, "skipped images/%u of material %s: %s%s", image, shader,
                     found.reason, location);
        free(location);
    }
    return true;
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
    // gltf_write.c adds "_n" to the name of a normal map that it flipped.
    const size_t length = strlen(image->name);
    if (length > 2 && strcmp(image->name + length - 2, "_n") == 0)
        image->name[length - 2] = '\0';
    free(image->bytes);
    image->bytes = flipped;
}

static convert_alpha read_alpha_mode(const json_t *material)
{
    const char *const mode = gltf_text(material, "alphaMode");
    if (mode && strcmp(mode, "MASK") == 0)
        return CONVERT_MASK;
    if (mode && strcmp(mode, "BLEND") == 0)
        return CONVERT_BLEND;
    return CONVERT_OPAQUE;
}

// Adds a material. Properties that shaders of MD5's age do not have are skipped and noted.
static bool add_material(const gltf_meshes *meshes, uint32_t index, convert_scene *scene)
{
    gltf_file *const file = meshes->rig->file;
    const json_t *const object = gltf_item(file, "materials", index);
    const json_t *const extensions = json_object_get(object, "extensions");
    const json_t *const base = gltf_color(object);
    const json_t *const glossiness =
        json_object_get(extensions, "KHR_materials_pbrSpecularGlossiness");
    const json_t *const specular = json_object_get(extensions, "KHR_materials_specular");
    const json_t *const textures[CONVERT_NUM_MAPS] = {
        [CONVERT_MAP_COLOR] = gltf_color_texture(object),
        [CONVERT_MAP_NORMAL] = json_object_get(object, "normalTexture"),
        [CONVERT_MAP_SPECULAR] = glossiness
                                     ? json_object_get(glossiness, "specularGlossinessTexture")
                                     : json_object_get(specular, "specularColorTexture"),
        [CONVERT_MAP_GLOW] = json_object_get(object, "emissiveTexture"),
    };
    const char *const shader = meshes->shaders[index];
    double glow[3] = {0, 0, 0};
    double color[4] = {1, 1, 1, 1};
    convert_material *const material = COMMON_ADD_ITEM(scene->materials, scene->num_materials);
    *material = (convert_material){
        .shader = common_copy(shader),
        .alpha = read_alpha_mode(object),
        .cutoff = (float)gltf_number(object, "alphaCutoff", 0.5),
        .is_two_sided = json_is_true(json_object_get(object, "doubleSided")),
        .is_unlit = json_object_get(extensions, "KHR_materials_unlit"),
        .is_flat = meshes->is_flat[index],
        .text = common_copy(gltf_text(gltf_extras(object), "text")),
    };
    gltf_numbers(object, "emissiveFactor", 3, glow);
    const bool has_color =
        gltf_numbers(base, glossiness ? "diffuseFactor" : "baseColorFactor", 4, color);
    const bool has_glow = glow[0] + glow[1] + glow[2] > 0;
    for (int map = 0; map < CONVERT_NUM_MAPS; map++) {
        if (!textures[map] || (map == CONVERT_MAP_GLOW && !has_glow))
            continue;
        if (!add_image(file, shader, textures[map], &material->maps[map]))
            return false;
    }
    // A missing color is white, but a file of this writer without a color has no image on purpose.
    const bool is_own_file = gltf_extras(json_object_get(file->root, "asset"));
    if (!textures[CONVERT_MAP_COLOR] && (has_color || !is_own_file))
        convert_create_color_image(file->job, material, CONVERT_MAP_COLOR, color);
    else if (color[0] + color[1] + color[2] + color[3] < 3.999)
        convert_note(file->job, "material %s: skipped the color factor %.3g %.3g %.3g %.3g", shader,
                     color[0], color[1], color[2], color[3]);
    if (!textures[CONVERT_MAP_GLOW] && has_glow)
        convert_create_color_image(file->job, material, CONVERT_MAP_GLOW, glow);
    if (json_object_get(base, "metallicRoughnessTexture"))
        convert_note(file->job, "material %s: skipped the metallic-roughness texture", shader);
    flip_normal_map(file, shader, &material->maps[CONVERT_MAP_NORMAL]);
    return true;
}

// -- Files ----------------------------------------------------------------------------------------

// Parses a model. Returns NULL on failure or if `part` is NULL.
static md5_model *parse_model(const convert_part *part, md5_error *error)
{
    const md5_load_opts opts = {.skip_geometry = MD5_GEOMETRY_TANGENTS | MD5_GEOMETRY_LOSSES};
    return part ? md5_parse_model(part->bytes, part->size, &opts, error) : NULL;
}

// Adds the model and the clips of the file. If the scene already has a model, clips are added for
// that model instead.
static bool add_parts(const gltf_meshes *meshes, convert_scene *scene)
{
    const gltf_rig *const rig = meshes->rig;
    gltf_file *const file = rig->file;
    const convert_part *part = NULL;
    const bool has_meshes = meshes->model.num_meshes > 0;
    if (rig->model && has_meshes && gltf_count(file, "animations") > 0) {
        convert_note(file->job,
                     "%s: only the animations were read, because a model is already loaded",
                     file->path);
    } else if (has_meshes) {
        char *const name = common_stem(file->path);
        const bool is_added =
            convert_add_doc(file->job, scene, CONVERT_MODEL, name, &meshes->model, file->error);
        free(name);
        if (!is_added || (!rig->model && !gltf_add_targets(meshes, scene)))
            return false;
        if (!rig->model)
            part = convert_find_model(scene);
        for (uint32_t i = 0; i < gltf_count(file, "materials"); i++)
            if (meshes->shaders[i] && !add_material(meshes, i, scene))
                return false;
    }
    md5_model *const model = parse_model(part, file->error);
    const size_t first = scene->num_parts;
    bool is_added = (!part || model) && gltf_add_clips(meshes, model ? model : rig->model, scene);
    // A file with clips only: store its skeleton, because retargeting needs the rest pose.
    const bool has_clips_only = !part && !rig->model;
    for (size_t i = first; i < scene->num_parts && is_added && has_clips_only; i++)
        is_added = convert_print_doc(&meshes->model, &scene->parts[i].skeleton_text,
                                     &scene->parts[i].skeleton_size, file->error);
    md5_free_model(model);
    return is_added;
}

bool convert_read_gltf(const convert_job *job, convert_input *input, convert_scene *scene,
                       md5_error *error)
{
    gltf_file file;
    const convert_part *const part = convert_find_model(scene);
    md5_model *const model = parse_model(part, error);
    if (part && !model)
        return false;
    gltf_rig rig = {.model = model,
                    .model_unit = scene->unit,
                    .model_yaw = scene->source_yaw,
                    .shaders = json_object()};
    for (size_t i = 0; i < scene->num_materials; i++)
        gltf_name(rig.shaders, scene->materials[i].shader, 255, "", 0);
    gltf_meshes meshes = {.rig = &rig};
    const bool is_open = gltf_open(&file, job, input, error) && gltf_open_rig(&rig, &file);
    const bool is_read = is_open && gltf_read_meshes(&rig, &meshes) && add_parts(&meshes, scene);
    if (is_read && !model) {
        scene->unit = rig.unit;
        scene->source_yaw = gltf_source_yaw(&rig);
    }
    gltf_free_meshes(&meshes);
    gltf_free_rig(&rig);
    gltf_close(&file);
    md5_free_model(model);
    return is_read;
}

#else

bool convert_read_gltf(const convert_job *job, convert_input *input, convert_scene *scene,
                       md5_error *error)
{
    (void)job;
    (void)scene;
    return convert_fail(error, MD5_ERROR_VERSION, input->path,
                        "glTF is not supported: built without jansson");
}

#endif
