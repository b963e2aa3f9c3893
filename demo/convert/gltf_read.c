// glTF 2.0 in: its scene becomes a model with morph targets, its animations clips.
#include "demo/convert/convert.h"

#ifdef HAS_JANSSON

#include "demo/convert/gltf_mesh.h"

// -- Materials ------------------------------------------------------------------------------------

// A copy of the name of a picture, or NULL, without what says its format.
static char *without_ending(const char *name)
{
    static const char *const endings[] = {".png", ".jpg",  ".jpeg", ".tga", ".dds",
                                          ".bmp", ".tiff", ".webp", ".ktx2"};
    if (name) {
        for (size_t i = 0; i < COMMON_LENGTH(endings); i++)
            if (common_has_ending(name, endings[i]))
                return common_format("%.*s", (int)(strlen(name) - strlen(endings[i])), name);
    }
    return common_copy(name);
}

// Why bytes are no picture that is read. NULL: they are a PNG or a JPEG.
static const char *find_fault(const uint8_t *bytes, size_t size)
{
    static const struct kind {
        const char *bytes;
        const char *fault;
        size_t at;
    } kinds[] = {
        {"\x89PNG", NULL, 0},
        {"\xff\xd8\xff", NULL, 0},
        {"WEBP", "unsupported image format WebP: expected PNG or JPEG", 8},
        {"KTX 20", "unsupported image format KTX 2 (KHR_texture_basisu): expected PNG or JPEG", 1},
        {"ftypavif", "unsupported image format AVIF: expected PNG or JPEG", 4},
    };
    for (size_t i = 0; i < COMMON_LENGTH(kinds); i++) {
        const struct kind *const k = &kinds[i];
        const size_t length = strlen(k->bytes);
        if (size > k->at + length && memcmp(bytes + k->at, k->bytes, length) == 0)
            return k->fault;
    }
    return "unknown image format: expected PNG or JPEG";
}

// The image of a texture, also where an extension says it.
static uint32_t find_image(const json_t *texture)
{
    uint32_t image = gltf_index(texture, "source");
    json_t *const extensions = json_object_get(texture, "extensions");
    for (void *at = json_object_iter(extensions); at && image == MD5_NONE;
         at = json_object_iter_next(extensions, at))
        image = gltf_index(json_object_iter_value(at), "source");
    return image;
}

// Adds the picture of a texture, a PNG or JPEG, to a material. One that is missing is noted.
static bool add_picture(gltf_file *file, const char *shader, const json_t *texture,
                        convert_picture *picture)
{
    const uint32_t image = find_image(gltf_item(file, "textures", gltf_index(texture, "index")));
    if (image == MD5_NONE)
        return true;
    const json_t *const object = gltf_item(file, "images", image);
    const uint32_t view = gltf_index(object, "bufferView");
    const char *const uri = gltf_text(object, "uri");
    const bool is_file = uri && strncmp(uri, "data:", 5) != 0;
    const char *const name = gltf_text(object, "name");
    const char *const base = is_file ? common_base(uri) : "";
    char *const stem = without_ending(is_file ? base : NULL);
    char *const own = without_ending(name);
    gltf_bytes found = {.reason = NULL};
    if (view != MD5_NONE)
        found.bytes = gltf_view(file, view, &found.size);
    else
        found = gltf_image(file, image, false);
    if (!found.bytes && view != MD5_NONE) {
        free(stem);
        free(own);
        return false;
    }
    if (!found.bytes && is_file && strcmp(base, uri) != 0) { // people move files
        const char *const reason = found.reason;
        found = gltf_image(file, image, true);
        if (found.bytes)
            convert_note(file->job,
                         "images/%u: %.100s was not found; using %.80s in the file's folder", image,
                         uri, base);
        else
            found.reason = reason;
    }
    picture->name = gltf_file_name(own ? own : stem);
    if (!picture->name)
        picture->name = common_format("image_%u", image);
    picture->declared = without_ending(is_file ? uri : name);
    if (found.bytes)
        found.reason = find_fault(found.bytes, found.size);
    if (!found.reason && !convert_can_charge_bytes(file->job, found.size, 1))
        found.reason = "too many images for a file of this size";
    if (found.bytes && !found.reason) {
        picture->bytes = common_alloc(found.size, 1);
        memcpy(picture->bytes, found.bytes, found.size);
        picture->size = found.size;
    } else {
        char *const location = is_file ? common_format(": %.100s", uri) : common_copy("");
        convert_note(file->job, "skipped images/%u of material %s: %s%s", image, shader,
                     found.reason, location);
        free(location);
    }
    free(own);
    free(stem);
    return true;
}

// Turns the green of a normal map, which points up in glTF and down in id's.
static void turn_normals(gltf_file *file, const char *shader, convert_picture *picture)
{
    md5_error error = {.message = ""};
    if (!picture->bytes)
        return;
    uint8_t *const turned = convert_turn_green(file->job, picture, &picture->size, &error);
    if (!turned) {
        convert_note(file->job, "material %s: cannot flip the green channel of the normal map: %s",
                     shader, error.message);
        return;
    }
    // NAME_n is what a writer of glTF made of NAME.
    const size_t length = strlen(picture->name);
    if (length > 2 && strcmp(picture->name + length - 2, "_n") == 0)
        picture->name[length - 2] = '\0';
    free(picture->bytes);
    picture->bytes = turned;
}

// How meshes of a material look. What shaders of that age cannot say is left out, and noted.
static bool add_material(const gltf_meshes *meshes, uint32_t number, convert_scene *scene)
{
    gltf_file *const file = meshes->rig->file;
    const json_t *const object = gltf_item(file, "materials", number);
    const json_t *const extensions = json_object_get(object, "extensions");
    const json_t *const look = gltf_color(object);
    const json_t *const old = json_object_get(extensions, "KHR_materials_pbrSpecularGlossiness");
    const json_t *const shine = json_object_get(extensions, "KHR_materials_specular");
    const json_t *const textures[CONVERT_NUM_MAPS] = {
        [CONVERT_MAP_COLOR] = gltf_color_texture(object),
        [CONVERT_MAP_NORMAL] = json_object_get(object, "normalTexture"),
        [CONVERT_MAP_SPECULAR] = json_object_get(
            old ? old : shine, old ? "specularGlossinessTexture" : "specularColorTexture"),
        [CONVERT_MAP_GLOW] = json_object_get(object, "emissiveTexture"),
    };
    const char *const shader = meshes->shaders[number];
    const char *const alpha = gltf_text(object, "alphaMode");
    double glow[3] = {0, 0, 0};
    double color[4] = {1, 1, 1, 1};
    convert_material *const material = COMMON_MORE(scene->materials, scene->num_materials);
    *material = (convert_material){
        .shader = common_copy(shader),
        .alpha = !alpha                        ? CONVERT_OPAQUE
                 : strcmp(alpha, "MASK") == 0  ? CONVERT_MASK
                 : strcmp(alpha, "BLEND") == 0 ? CONVERT_BLEND
                                               : CONVERT_OPAQUE,
        .cutoff = (float)gltf_number(object, "alphaCutoff", 0.5),
        .is_two_sided = json_is_true(json_object_get(object, "doubleSided")),
        .is_unlit = json_object_get(extensions, "KHR_materials_unlit"),
        .is_flat = meshes->is_flat[number],
        .text = common_copy(gltf_text(gltf_extras(object), "text")),
    };
    gltf_numbers(object, "emissiveFactor", 3, glow);
    const bool has_color = gltf_numbers(look, old ? "diffuseFactor" : "baseColorFactor", 4, color);
    for (int map = 0; map < CONVERT_NUM_MAPS; map++)
        if (textures[map] && (map != CONVERT_MAP_GLOW || glow[0] + glow[1] + glow[2] > 0)
            && !add_picture(file, shader, textures[map], &material->maps[map]))
            return false;
    // White is what glTF has where it says nothing, but not what a writer of ours means.
    const bool is_ours = gltf_extras(json_object_get(file->root, "asset"));
    if (!textures[CONVERT_MAP_COLOR] && (has_color || !is_ours))
        convert_paint(file->job, material, CONVERT_MAP_COLOR, color);
    else if (color[0] + color[1] + color[2] + color[3] < 3.999)
        convert_note(file->job, "material %s: skipped the color factor %.3g %.3g %.3g %.3g", shader,
                     color[0], color[1], color[2], color[3]);
    if (!textures[CONVERT_MAP_GLOW] && glow[0] + glow[1] + glow[2] > 0)
        convert_paint(file->job, material, CONVERT_MAP_GLOW, glow);
    if (json_object_get(look, "metallicRoughnessTexture"))
        convert_note(file->job, "material %s: skipped the metallic-roughness texture", shader);
    turn_normals(file, shader, &material->maps[CONVERT_MAP_NORMAL]);
    return true;
}

// -- Files ----------------------------------------------------------------------------------------

// NULL without a part, too.
static md5_model *parse_model(const convert_part *part, md5_error *error)
{
    const md5_load_opts opts = {.skip_geometry = MD5_GEOMETRY_TANGENTS | MD5_GEOMETRY_LOSSES};
    return part ? md5_parse_model(part->bytes, part->size, &opts, error) : NULL;
}

// The model that clips are for: that of the file or, if there was one before, that.
static bool add_parts(const gltf_meshes *meshes, convert_scene *scene)
{
    const gltf_rig *const rig = meshes->rig;
    gltf_file *const file = rig->file;
    const convert_part *part = NULL;
    if (rig->model && meshes->model.num_meshes > 0 && gltf_count(file, "animations") > 0) {
        convert_note(file->job,
                     "%s: only the animations were read, because a model is already loaded",
                     file->path);
    } else if (meshes->model.num_meshes > 0) {
        char *const name = common_stem(file->path);
        const bool is_added =
            convert_add_doc(file->job, scene, CONVERT_MODEL, name, &meshes->model, file->error);
        free(name);
        if (!is_added || (!rig->model && !gltf_add_targets(meshes, scene)))
            return false;
        part = rig->model ? NULL : convert_find_model(scene);
        for (uint32_t i = 0; i < gltf_count(file, "materials"); i++)
            if (meshes->shaders[i] && !add_material(meshes, i, scene))
                return false;
    }
    md5_model *const model = parse_model(part, file->error);
    const size_t first = scene->num_parts;
    bool is_added = (!part || model) && gltf_add_clips(meshes, model ? model : rig->model, scene);
    // Clips alone may go to another body, for which it counts how their own one rests.
    for (size_t i = first; i < scene->num_parts && is_added && !part && !rig->model; i++)
        is_added = convert_print_doc(&meshes->model, &scene->parts[i].rest,
                                     &scene->parts[i].rest_size, file->error);
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
                    .model_turn = scene->turn,
                    .shaders = json_object()};
    for (size_t i = 0; i < scene->num_materials; i++)
        gltf_name(rig.shaders, scene->materials[i].shader, 255, "", 0);
    gltf_meshes meshes = {.rig = &rig};
    const bool is_read = gltf_open(&file, job, input, error) && gltf_open_rig(&rig, &file)
                         && gltf_read_meshes(&rig, &meshes) && add_parts(&meshes, scene);
    if (is_read && !model) {
        scene->unit = rig.unit;
        scene->turn = gltf_turn(&rig);
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
