// Computes the paths of a model's files for an engine, and writes the images and materials of the
// model next to it, with the declarations of the engine. The main structures are convert_layout and
// written_materials; materials.c finds the images and materials.
#include "demo/convert/layout.h"

#include "demo/looks/image.h"

// -- Layouts --------------------------------------------------------------------------------------

// Returns the name of a model's declarations: "monsters_imp" for the model imp in
// models/monsters/imp/. The name contains the path, so that models in different folders get
// different names. `inner` is the folder of the model in the game. The caller frees the result.
static char *name_declarations(const char *inner, const char *name)
{
    char *const folder = common_copy(inner[0] != '\0' ? inner + strlen("models/") : "");
    const size_t length = strlen(folder);
    if (length > 0) // remove the last slash
        folder[length - 1] = '\0';
    const bool is_model_folder = length > 0 && common_compare_case(common_base(folder), name) == 0;
    for (char *c = folder; *c != '\0'; c++) {
        if (*c == '/')
            *c = '_';
    }
    if (is_model_folder)
        return folder;

    char *const declared = common_format("%s%s%s", folder, length > 0 ? "_" : "", name);
    free(folder);
    return declared;
}

// Returns the name of the model's files, without extension.
static char *name_model(const convert_job *job, const convert_scene *scene, bool is_folder)
{
    if (!is_folder)
        return common_stem(job->output);
    const convert_part *const model = convert_find_model(scene);
    return common_copy(model ? model->name : scene->name);
}

// Returns the position of the last "models/" in a path that ends with a slash, or NULL.
static const char *find_models_folder(const char *path)
{
    const char *last = NULL;
    const char *found = strstr(path, "/models/");
    while (found) {
        last = found + 1;
        found = strstr(last, "/models/");
    }
    return last;
}

// Sets the folder of the game, and the folder of the model inside the game. `absolute` is the
// absolute path of the model's folder. For Doom 3, the folder of the game contains `models`. For
// other engines, and if there is no folder `models`, both are the same folder.
static void set_game_folder(convert_layout *layout, const char *absolute)
{
    char *const clean = common_normalize_path(absolute);
    char *const path = common_format("%s/", clean);
    const char *const inner = layout->family == CONVERT_DOOM3 ? find_models_folder(path) : NULL;
    layout->inner = common_copy(inner ? inner : "");
    if (inner)
        layout->root = common_format("%.*s", (int)(inner - 1 - path), path);
    else
        layout->root = common_copy(layout->folder);
    free(path);
    free(clean);
}

// Appends the folder in which Quake's engines search for models, unless the path already ends with
// this folder.
static void append_quake_folder(convert_layout *layout, const char *absolute)
{
    const char *const required = layout->family == CONVERT_QUAKE ? "progs" : "md5";
    if (common_compare_case(common_base(absolute), required) == 0)
        return;
    char *const outer = layout->folder;
    layout->folder = common_join(outer, required);
    free(outer);
}

// Decides where the files of a model are written. Engines expect them in certain folders of the
// game and with certain names. Without a requested engine, all files are written to one folder.
convert_layout convert_find_layout(const convert_job *job, const convert_scene *scene)
{
    const convert_engine *const engine = convert_find_engine(job->engine);
    const bool is_folder = common_is_folder(job->output);
    const bool has_selected_images =
        scene->has_selected_images && common_has_suffix(job->output, "mesh");
    const bool is_single_file = !is_folder && !job->is_batch;
    const bool is_quake = engine->family == CONVERT_QUAKE || engine->family == CONVERT_QUAKE2;
    convert_layout layout = {
        .job = job,
        .scene = scene,
        .family = engine->family,
        .max_weights = engine->max_weights,
        .has_one_clip = is_quake,
        .is_bare = is_single_file && !job->engine && !has_selected_images,
        .folder = is_folder ? common_copy(job->output) : common_folder(job->output),
        .name = name_model(job, scene, is_folder),
    };

    char *const absolute = common_absolute(layout.folder);
    if (is_quake)
        append_quake_folder(&layout, absolute);
    set_game_folder(&layout, absolute);
    layout.declared = name_declarations(layout.inner, layout.name);
    free(absolute);
    return layout;
}

// Frees the paths of a layout. The scene and the job belong to the caller.
void convert_free_layout(convert_layout *layout)
{
    free(layout->folder);
    free(layout->name);
    free(layout->declared);
    free(layout->root);
    free(layout->inner);
}

// -- Names ----------------------------------------------------------------------------------------

// Converts a path to a file name that every engine accepts. The name is in lower case, without
// folder and extension. It does not begin with '_', because Doom 3 marks its own images in this
// way.
static char *plain_name(const char *text)
{
    char *const stem = common_stem(text);
    for (char *c = stem; *c != '\0'; c++)
        *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '_';
    const char *const start = stem + strspn(stem, "_");
    char *const name = common_copy(start[0] != '\0' ? start : "skin");
    free(stem);
    return name;
}

// Returns the name of the images of a shader for Quake, which stores at most 63 bytes of the path
// progs/NAME_00_00. The end of a longer name is replaced by the lower 32 bits of the FNV-1a hash of
// the name, so that images with the same first bytes remain distinct. The names must not change
// between releases, because image files have them. The caller frees the name.
static char *quake_skin_name(const char *shader)
{
    enum { MAX_BYTES = 51, NUM_HASH_DIGITS = 8 };
    char *const name = plain_name(shader);
    if (strlen(name) <= MAX_BYTES)
        return name;
    const uint32_t hash = (uint32_t)common_hash(COMMON_HASH_START, name, strlen(name));
    char *const shortened =
        common_format("%.*s_%08x", MAX_BYTES - 1 - NUM_HASH_DIGITS, name, (unsigned)hash);
    free(name);
    return shortened;
}

// Changes the names of meshes to those that the engine requires. Quake's engines derive the names
// of images from shaders, and Cube 2 refers to meshes by name.
void convert_name_meshes(const convert_layout *layout, md5_doc *doc, common_list *names)
{
    for (uint32_t i = 0; i < doc->num_meshes; i++) {
        md5_doc_mesh *const mesh = &doc->meshes[i];
        const bool is_named = mesh->name && mesh->name[0] != '\0';
        if (layout->family == CONVERT_QUAKE)
            mesh->shader = common_add(names, quake_skin_name(mesh->shader));
        else if (layout->family == CONVERT_CUBE2 && !is_named)
            mesh->name = common_add(names, common_format("mesh%u", i));
    }
}

// Returns true if Doom 3 reads the path as one token, and the path remains inside of the game
// folder.
static bool is_plain_path(const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./";
    if (path[0] == '\0' || path[0] == '/' || path[0] == '_')
        return false;
    return !strstr(path, "..") && path[strspn(path, plain)] == '\0';
}

// -- Written images -------------------------------------------------------------------------------

// Writes a file to the folder of the game, unless it is empty. If there is no game, an existing
// file is kept, because the model may have been created from it.
static bool write_file(const convert_layout *layout, const char *name, const void *bytes,
                       size_t size, md5_error *error)
{
    char *const path = common_format("%s/%s", layout->root, name);
    const bool is_kept = layout->is_bare && !layout->job->is_forced && common_is_file(path);
    if (is_kept)
        convert_note(layout->job,
                     "%s already exists and was not overwritten; use --force to overwrite it",
                     path);
    if (size > 0)
        common_create_folders(path, 0777);
    bool is_written = true;
    if (size > 0 && !is_kept)
        is_written = convert_write_file(layout->job, path, bytes, size, error);
    free(path);
    return is_written;
}

// Converts a PNG file to TGA, because Doom 3 does not read PNG. If the file cannot be decoded,
// reports the reason as a note and returns NULL. The caller frees the result.
static uint8_t *convert_to_tga(const convert_layout *layout, const convert_image *png,
                               const char *path, size_t *size)
{
    view_image image;
    md5_error reason;
    if (!view_decode_image(png->bytes, png->size, MD5_MAX_IMAGE_PIXELS, &image, &reason)) {
        convert_note(layout->job, "cannot convert %s to TGA for Doom 3: %s", path, reason.message);
        return NULL;
    }
    uint8_t *const tga = view_encode_tga(&image, size);
    free(image.rgba);
    return tga;
}

// Writes an image to root/path with an extension. A PNG file for Doom 3 becomes TGA.
static bool write_image(const convert_layout *layout, const convert_image *source, const char *path,
                        md5_error *error)
{
    const bool is_png = strcmp(convert_image_extension(source), ".png") == 0;
    const bool is_for_doom3 = layout->family == CONVERT_DOOM3 && !layout->is_bare;
    size_t size = source->size;
    uint8_t *tga = NULL;
    if (is_png && is_for_doom3)
        tga = convert_to_tga(layout, source, path, &size);

    const char *const extension = tga ? ".tga" : convert_image_extension(source);
    char *const file = common_format("%s%s", path, extension);
    const bool is_written = write_file(layout, file, tga ? tga : source->bytes, size, error);
    free(file);
    free(tga);
    return is_written;
}

// The images and declarations that were written for a model. The index of paths ensures that each
// image is written once and that no image overwrites another one.
typedef struct written_materials {
    common_text_index paths;      // relative to the root, without extension
    const convert_image **images; // [paths.count]
    const md5_doc *model;         // for an md5.cfg
    common_text_index shaders;    // shaders of the model's meshes, for an md5.cfg
    size_t *first_mesh;           // [shaders.count] first mesh with a shader
    size_t *next_mesh;            // [meshes] next mesh with the same shader, or SIZE_MAX
    convert_bytes text;           // the declarations
} written_materials;

static bool is_equal(const convert_image *a, const convert_image *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

// Adds a path to the index. Returns its index, which is the former count if the path is new.
static size_t index_path(written_materials *written, const convert_image *image, const char *path)
{
    const size_t count = written->paths.count;
    const size_t index = common_index_text(&written->paths, path, strlen(path));
    if (index == count) {
        written->images = common_grow((void *)written->images, count, sizeof *written->images);
        written->images[count] = image;
    }
    return index;
}

// Writes an image to the preferred path. If another image has this path, appends a number to it.
// The first number that is tried is above the number of written paths, so few paths must be tried.
// If an equal image has one of the tried paths, nothing is written. Returns the path, which
// `written` owns, or NULL on failure.
static const char *write_once(const convert_layout *layout, written_materials *written,
                              const convert_image *image, const char *preferred, md5_error *error)
{
    const size_t num_paths = written->paths.count;
    size_t number = num_paths + 1;
    size_t index = index_path(written, image, preferred);
    while (index < num_paths && !is_equal(written->images[index], image)) {
        char *const path = common_format("%s_%zu", preferred, number);
        index = index_path(written, image, path);
        number++;
        free(path);
    }

    const char *const path = written->paths.texts[index];
    const bool is_written_before = index < num_paths;
    if (is_written_before)
        return path;
    return write_image(layout, image, path, error) ? path : NULL;
}

// -- Materials ------------------------------------------------------------------------------------

// Appends a folder, a name and an extension as one token to the text of a declaration. A token that
// the lexer of id's engines would split is written in quotes. Quotes and control characters, which
// cannot be written in a token, silently become underscores. A name of an input file can therefore
// not end the token and add keywords to the declaration.
static void append_token(convert_bytes *to, const char *folder, const char *name,
                         const char *extension)
{
    char *const token = common_format("%s%s%s", folder, name, extension);
    for (char *c = token; *c != '\0'; c++) {
        if (*c == '"' || (unsigned char)*c < ' ')
            *c = '_';
    }
    // If a token begins with a number, id's lexer ends the token after the number.
    const size_t number_length = strspn(token, "0123456789.");
    const bool is_split = number_length > 0 && token[number_length] != '\0';
    const bool is_plain = is_plain_path(token) && !is_split;
    convert_append_text(to, is_plain ? "%s" : "\"%s\"", token);
    free(token);
}

// Links the meshes of each shader in ascending order, for describe_meshes(). Meshes after the first
// CONVERT_MAX_SEARCHED_MESHES are skipped.
static void link_meshes(written_materials *written)
{
    const size_t num_meshes = written->model->num_meshes;
    const size_t count =
        num_meshes < CONVERT_MAX_SEARCHED_MESHES ? num_meshes : CONVERT_MAX_SEARCHED_MESHES;
    written->first_mesh = common_alloc(count, sizeof *written->first_mesh);
    written->next_mesh = common_alloc(count, sizeof *written->next_mesh);
    for (size_t i = 0; i < count; i++)
        written->first_mesh[i] = SIZE_MAX;
    for (size_t i = count; i-- > 0;) {
        const char *const name = written->model->meshes[i].shader;
        const size_t shader = common_index_text(&written->shaders, name, strlen(name));
        written->next_mesh[i] = written->first_mesh[shader];
        written->first_mesh[shader] = i;
    }
}

// A line of an md5.cfg, the text in which Cube 2 declares a model: a command for one mesh.
typedef struct cfg_line {
    const char *command;
    const char *value;     // NULL if the command is not needed
    const char *extension; // extension of the file `value`, or ""
} cfg_line;

// Appends the lines of an md5.cfg that describe a mesh: a command, the mesh, and a value, such
// as the path of its texture. Lines without a value are skipped.
static void append_cfg_lines(convert_bytes *text, const char *mesh, const cfg_line *lines,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!lines[i].value)
            continue;
        convert_append_text(text, "%s ", lines[i].command);
        append_token(text, "", mesh, "");
        convert_append_text(text, " ");
        append_token(text, "", lines[i].value, lines[i].extension);
        convert_append_text(text, "\n");
    }
}

// Describes the meshes of a material in an md5.cfg: images, alpha test, blending and culling.
// `paths` are the paths of the material's images; NULL if the material does not have an image.
static void describe_meshes(written_materials *written, const convert_material *material,
                            const char *const *paths)
{
    if (!common_has_text(&written->shaders, material->shader))
        return;
    char cutoff[32];
    COMMON_TEXT(cutoff, "%g", material->cutoff);
    const char *const blend = material->alpha == CONVERT_BLEND ? "1" : NULL;
    const char *const test = material->alpha == CONVERT_MASK ? cutoff : NULL;
    const char *const cull = material->is_two_sided ? "0" : NULL;
    const char *const unlit = material->is_unlit ? "1" : NULL;
    const cfg_line lines[] = {
        {.command = "md5skin",
         .value = paths[CONVERT_MAP_COLOR],
         .extension = convert_image_extension(&material->maps[CONVERT_MAP_COLOR])},
        {.command = "md5bumpmap",
         .value = paths[CONVERT_MAP_NORMAL],
         .extension = convert_image_extension(&material->maps[CONVERT_MAP_NORMAL])},
        {.command = "md5alphatest", .value = test, .extension = ""},
        {.command = "md5alphablend", .value = blend, .extension = ""},
        {.command = "md5cullface", .value = cull, .extension = ""},
        {.command = "md5fullbright", .value = unlit, .extension = ""},
    };
    const size_t shader =
        common_index_text(&written->shaders, material->shader, strlen(material->shader));
    for (size_t i = written->first_mesh[shader]; i != SIZE_MAX; i = written->next_mesh[i])
        append_cfg_lines(&written->text, written->model->meshes[i].name, lines,
                         COMMON_LENGTH(lines));
}

// Returns true if an engine could mistake a name for a type of declarations. Examples are
// "Material", which is Blender's default name, and "skin". Engines ignore case.
static bool can_be_type(const char *name)
{
    const char *end = name;
    while (isalpha((unsigned char)*end))
        end++;
    return *end == '\0';
}

// Returns the line "blend" of the stage with a material's color image. Returns "" if the stage
// needs no such line, because the image is unlit and not blended.
static const char *color_blend_line(const convert_material *material)
{
    if (material->alpha == CONVERT_BLEND)
        return "\t\tblend\tblend\n";
    return material->is_unlit ? "" : "\t\tblend\tdiffusemap\n";
}

// Appends the declaration of one image of a material. `path` is the path of the image.
static void declare_image(convert_bytes *mtr, const convert_material *material, convert_map map,
                          const char *path)
{
    static const char *const map_keywords[CONVERT_NUM_MAPS] = {
        "\tdiffusemap\t", "\tbumpmap\t", "\tspecularmap\t", "\t{\n\t\tblend\tadd\n\t\tmap\t"};

    // The color image needs a stage block if it has an alpha test, is blended or is unlit.
    const bool has_color_stage = material->alpha != CONVERT_OPAQUE || material->is_unlit;
    const bool is_color_stage = map == CONVERT_MAP_COLOR && has_color_stage;
    if (is_color_stage)
        convert_append_text(mtr, "\t{\n%s\t\tmap\t", color_blend_line(material));
    else
        convert_append_text(mtr, "%s", map_keywords[map]);
    append_token(mtr, "", path, "");
    convert_append_text(mtr, "\n");
    if (is_color_stage && material->alpha == CONVERT_MASK)
        convert_append_text(mtr, "\t\talphaTest\t%g\n", material->cutoff);
    if (is_color_stage || map == CONVERT_MAP_GLOW)
        convert_append_text(mtr, "\t}\n");
}

// Appends the declaration of a material. `paths` are the paths of its images; NULL if the material
// does not have an image.
static void declare_material(convert_bytes *mtr, const convert_material *material,
                             const char *const *paths)
{
    const char *const type = can_be_type(material->shader) ? "material " : "";
    convert_append_text(mtr, "%s\"%s\"\n{\n", type, material->shader);
    if (material->is_two_sided)
        convert_append_text(mtr, "\ttwosided\n");
    if (material->is_flat)
        convert_append_text(mtr, "\tunsmoothedTangents\n");
    for (convert_map map = CONVERT_MAP_COLOR; map < CONVERT_NUM_MAPS; map++) {
        if (paths[map])
            declare_image(mtr, material, map, paths[map]);
    }
    convert_append_text(mtr, "}\n\n");
}

// Returns true if a name ends with "_NN_NN". The reader of MDL files gives such names to skins and
// images after the first.
static bool has_skin_suffix(const char *name)
{
    const size_t length = strlen(name);
    int end = 0;
    if (length > 6)
        sscanf(name + length - 6, "_%*2[0-9]_%*2[0-9]%n", &end);
    return end == 6;
}

// Returns the path of an image for which the viewer searches if no material is declared: the name
// of the shader and a suffix for the map.
static char *undeclared_image_path(const convert_layout *layout, const convert_material *material,
                                   convert_map map)
{
    static const char *const suffixes[CONVERT_NUM_MAPS] = {"", "_local", "_s", "_add"};
    char *const name = convert_file_name(common_base(material->shader));
    char *const path = common_format("%s%s%s", layout->inner, name, suffixes[map]);
    free(name);
    return path;
}

// Returns the path of an image for which Quake searches. It consists of the name of the shader, the
// numbers of the skin and of its frame, and a suffix for the image that glows.
static char *quake_image_path(const convert_layout *layout, const convert_material *material,
                              convert_map map)
{
    char *const name = quake_skin_name(material->shader);
    const char *const skin_suffix = has_skin_suffix(name) ? "" : "_00_00";
    const char *const glow_suffix = map == CONVERT_MAP_GLOW ? "_glow" : "";
    char *const path = common_format("%s%s%s%s", layout->inner, name, skin_suffix, glow_suffix);
    free(name);
    return path;
}

// Returns the path of an image relative to the root, without extension. The caller frees it. Doom 3
// keeps the names that the original materials declare.
static char *image_path(const convert_layout *layout, const convert_material *material,
                        convert_map map)
{
    if (layout->is_bare)
        return undeclared_image_path(layout, material, map);
    if (layout->family == CONVERT_QUAKE)
        return quake_image_path(layout, material, map);

    const convert_image *const image = &material->maps[map];
    const char *const declared = image->declared;
    if (layout->family == CONVERT_DOOM3 && declared && is_plain_path(declared)) {
        const size_t extension = common_has_suffix(declared, ".tga") ? strlen(".tga") : 0;
        return common_format("%.*s", (int)(strlen(declared) - extension), declared);
    }

    // id's lexer ends a path after a number at its start, also if a declaration contains the path
    // in quotes, because the engine copies it without them.
    char *const name = plain_name(image->name);
    const bool begins_with_number =
        layout->inner[0] == '\0' && strcspn(name, "0123456789.") == 0 && name[0] != '\0';
    const char *const prefix = begins_with_number ? "image_" : "";
    char *const path = common_format("%s%s%s", layout->inner, prefix, name);
    free(name);
    return path;
}

// Returns true if an image is a part of the engine, such as _white.
static bool is_engine_image(const convert_layout *layout, const convert_image *image)
{
    if (layout->family != CONVERT_DOOM3 || !image->declared || image->declared[0] != '_')
        return false;
    return is_plain_path(image->declared + 1);
}

// Returns true if the engine of the layout supports a map.
static bool is_supported_map(const convert_layout *layout, int map)
{
    static const unsigned supported_maps[] = {
        // bits
        [CONVERT_DOOM3] = (1 << CONVERT_NUM_MAPS) - 1,
        [CONVERT_QUAKE] = 1 | 1 << CONVERT_MAP_GLOW,
        [CONVERT_QUAKE2] = 1,
        [CONVERT_CUBE2] = 1 | 1 << CONVERT_MAP_NORMAL,
        [CONVERT_OTHER] = (1 << CONVERT_NUM_MAPS) - 1,
    };
    return (supported_maps[layout->family] >> map & 1) != 0;
}

// Writes the image of a map. *path receives the path for the declaration, or NULL if the engine
// cannot read a file with this name.
static bool write_map(const convert_layout *layout, const convert_material *material, int map,
                      written_materials *written, const char **path, md5_error *error)
{
    const convert_image *const image = &material->maps[map];
    if (is_engine_image(layout, image)) {
        *path = image->declared;
        return true;
    }

    char *const preferred = image_path(layout, material, (convert_map)map);
    *path = write_once(layout, written, image, preferred, error);
    free(preferred);
    if (!*path)
        return false;
    if (layout->family == CONVERT_DOOM3 && !layout->is_bare && !is_plain_path(*path)) {
        convert_note(layout->job, "material %s: the engine does not support the file name %s",
                     material->shader, *path);
        *path = NULL;
    }
    return true;
}

// Returns true if all written images keep the names that the material's declaration uses.
static bool has_declared_names(const convert_layout *layout, const convert_material *material)
{
    for (int map = 0; map < CONVERT_NUM_MAPS; map++) {
        const convert_image *const image = &material->maps[map];
        const bool is_written =
            image->bytes && is_supported_map(layout, map) && !is_engine_image(layout, image);
        if (is_written && !(image->declared && is_plain_path(image->declared)))
            return false;
    }
    return true;
}

// Appends the declaration of a material for Doom 3. This is the declaration in the game if it is
// still valid. Otherwise it is a new declaration.
static void append_declaration(const convert_layout *layout, const convert_material *material,
                               const char *const *paths, convert_bytes *text)
{
    // Names of MD5 documents contain no quotes and no control characters, but can be empty.
    if (material->shader[0] == '\0') {
        convert_note(layout->job,
                     "skipped a material, because it has no name; name it in the model");
        return;
    }

    bool has_image = false;
    for (int map = 0; map < CONVERT_NUM_MAPS; map++)
        has_image |= paths[map] != NULL;
    const bool uses_table = material->text && strchr(material->text, '['); // tables are not copied
    if (material->text && !uses_table && has_declared_names(layout, material))
        convert_append_text(text, "%s\n\n", material->text);
    else if (has_image)
        declare_material(text, material, paths);
}

// Writes the images of a material and appends its declaration, if the engine has declarations.
static bool write_material(const convert_layout *layout, const convert_material *material,
                           written_materials *written, md5_error *error)
{
    const char *paths[CONVERT_NUM_MAPS] = {NULL};
    uint32_t num_unused = 0;
    for (int map = 0; map < CONVERT_NUM_MAPS; map++) {
        if (!material->maps[map].bytes)
            continue;
        if (!is_supported_map(layout, map))
            num_unused++;
        else if (!write_map(layout, material, map, written, &paths[map], error))
            return false;
    }
    if (num_unused > 0)
        convert_note(layout->job, "material %s: skipped %u %s that the engine does not support",
                     material->shader, num_unused, common_noun(num_unused, "map", "maps"));

    if (layout->family == CONVERT_CUBE2)
        describe_meshes(written, material, paths);
    else if (layout->family == CONVERT_DOOM3 && !layout->is_bare)
        append_declaration(layout, material, paths, &written->text);
    return true;
}

// -- Declarations ---------------------------------------------------------------------------------

// Appends the frame rate of a clip. Returns false if the clip cannot be read.
static bool append_frame_rate(convert_bytes *to, const convert_part *part, md5_error *error)
{
    md5_doc *const clip = convert_parse_doc(part, error);
    if (!clip)
        return false;
    convert_append_text(to, " %g", clip->frame_rate);
    md5_free_doc(clip);
    return true;
}

// Returns the name by which Doom 3 refers to a clip. It requires a character after the first one
// that is not a digit. The caller frees the name.
static char *doom3_anim_name(const char *name)
{
    const bool is_valid = name[0] != '\0' && name[1 + strspn(name + 1, "0123456789")] != '\0';
    return common_format("%s%s", is_valid ? "" : "anim_", name);
}

// Declares the model and its clips in a modelDef of Doom 3. Reports clips with another name there.
static void declare_doom3_model(const convert_layout *layout, convert_bytes *to)
{
    convert_append_text(to, "model ");
    append_token(to, "", layout->declared, "");
    convert_append_text(to, "\n{\n\tmesh\t");
    append_token(to, layout->inner, layout->name, ".md5mesh");
    for (size_t i = 0; i < layout->scene->num_parts; i++) {
        const convert_part *const part = &layout->scene->parts[i];
        if (part->kind != CONVERT_CLIP)
            continue;
        char *const name = doom3_anim_name(part->name);
        convert_append_text(to, "\n\tanim\t");
        append_token(to, "", name, "");
        convert_append_text(to, "\t");
        append_token(to, layout->inner, part->name, ".md5anim");
        if (strcmp(name, part->name) != 0)
            convert_note(layout->job,
                         "clip %s is called %s in the modelDef, because Doom 3 rejects its name",
                         part->name, name);
        free(name);
    }
    convert_append_text(to, "\n}\n");
}

// Declares the model and its clips, with their frame rates, in an md5.cfg of Cube 2. Returns false
// if a clip cannot be read.
static bool declare_cube2_model(const convert_layout *layout, convert_bytes *to, md5_error *error)
{
    convert_append_text(to, "md5load ");
    append_token(to, layout->inner, layout->name, ".md5mesh");
    for (size_t i = 0; i < layout->scene->num_parts; i++) {
        const convert_part *const part = &layout->scene->parts[i];
        if (part->kind != CONVERT_CLIP)
            continue;
        convert_append_text(to, "\nmd5anim ");
        append_token(to, "", part->name, "");
        convert_append_text(to, " ");
        append_token(to, layout->inner, part->name, ".md5anim");
        if (!append_frame_rate(to, part, error))
            return false;
    }
    convert_append_text(to, "\n");
    return true;
}

// Writes declarations of one kind to the folder of that kind, and clears the text.
static bool write_text(const convert_layout *layout, const char *kind, const char *extension,
                       convert_bytes *text, md5_error *error)
{
    char *const name = common_format("%s/%s%s", kind, layout->declared, extension);
    const bool is_written = write_file(layout, name, text->bytes, text->size, error);
    free(name);
    text->size = 0;
    return is_written;
}

// Appends the model and its clips to the md5.cfg, and indexes the meshes by shader for the lines of
// the materials. `names` owns the names of the meshes.
static bool begin_cfg(const convert_layout *layout, md5_doc *model, common_list *names,
                      written_materials *written, md5_error *error)
{
    written->model = model;
    if (!model || !declare_cube2_model(layout, &written->text, error))
        return false;
    convert_name_meshes(layout, model, names);
    link_meshes(written);
    return true;
}

// Writes the texts that declare the model and its materials, if the engine has such files. They are
// md5.cfg for Cube 2, and .mtr and .def files for Doom 3. Returns false on failure.
static bool write_declarations(const convert_layout *layout, written_materials *written,
                               md5_error *error)
{
    if (layout->family == CONVERT_CUBE2
        && !write_file(layout, "md5.cfg", written->text.bytes, written->text.size, error))
        return false;
    if (layout->is_bare) {
        convert_note(layout->job, "wrote images without materials; use --for ENGINE or write to a "
                                  "folder to declare materials");
        return true;
    }
    if (layout->family != CONVERT_DOOM3)
        return true;

    if (!write_text(layout, "materials", ".mtr", &written->text, error))
        return false;
    declare_doom3_model(layout, &written->text);
    return write_text(layout, "def", ".def", &written->text, error);
}

// Frees the lists of materials that were already written.
static void free_written(written_materials *written)
{
    common_free_text_index(&written->paths);
    common_free_text_index(&written->shaders);
    free((void *)written->images);
    free(written->first_mesh);
    free(written->next_mesh);
    free(written->text.bytes);
}

// Reports the reason if an engine gets images without materials.
static void note_missing_materials(const convert_layout *layout)
{
    if (layout->scene->num_materials == 0)
        return;
    if (layout->family == CONVERT_QUAKE2)
        convert_note(layout->job, "the engine reads the names of skins from the .md2 file");
    if (layout->family == CONVERT_OTHER)
        convert_note(layout->job,
                     "wrote images without materials: this engine has no material files");
}

// Writes the images of all materials, and declarations in the format of the engine, such as a
// .mtr file or an md5.cfg.
bool convert_write_materials(const convert_layout *layout, md5_error *error)
{
    const convert_scene *const scene = layout->scene;
    const convert_part *const part = convert_find_model(scene);
    if (!part || (scene->num_materials == 0 && !layout->job->engine))
        return true;

    const bool has_cfg = layout->family == CONVERT_CUBE2;
    md5_doc *const model = has_cfg ? convert_parse_doc(part, error) : NULL;
    common_list names = {NULL, 0};
    written_materials written = {.model = NULL};
    bool is_written = !has_cfg || begin_cfg(layout, model, &names, &written, error);
    for (size_t i = 0; i < scene->num_materials && is_written; i++)
        is_written = write_material(layout, &scene->materials[i], &written, error);
    is_written = is_written && write_declarations(layout, &written, error);

    free_written(&written);
    md5_free_doc(model);
    common_free_list(&names);
    note_missing_materials(layout);
    return is_written;
}
