// Computes the paths of a model's files for an engine, searches for images and materials as the
// viewer does, and writes them next to the model. Images in PNG and JPEG files are copied unchanged
// unless their texels must change; all other images become PNG. The main structures are
// convert_layout, finder (the search) and written_looks (written images and declarations).
#include "demo/convert/layout.h"

#include "demo/convert/budget.h"
#include "demo/looks/image.h"

// -- Layouts --------------------------------------------------------------------------------------

// Returns the name of a model's declarations: "monsters_imp" for the model imp in
// models/monsters/imp/. No other model inside of `models` has this name.
static char *name_declarations(const char *inner, const char *name)
{
    char *const folder = common_copy(inner[0] != '\0' ? inner + strlen("models/") : "");
    const size_t length = strlen(folder);
    if (length > 0)
        folder[length - 1] = '\0';
    const bool is_model_folder = length > 0 && common_compare_case(common_base(folder), name) == 0;
    for (char *c = folder; *c != '\0'; c++)
        if (*c == '/')
            *c = '_';
    char *declared = NULL;
    if (is_model_folder)
        declared = common_copy(folder);
    else
        declared = common_format("%s%s%s", folder, length > 0 ? "_" : "", name);
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
    char *const clean = common_normalize_path(absolute);
    char *const whole = common_format("%s/", clean);

    // Quake's engines search for models in a folder of this name.
    const char *const last = layout.family == CONVERT_QUAKE ? "progs" : "md5";
    if (layout.has_one_clip && common_compare_case(common_base(absolute), last) != 0) {
        char *const outer = layout.folder;
        layout.folder = common_join(outer, last);
        free(outer);
    }

    // The folder of a Doom 3 game contains `models`. If the path contains several folders `models`,
    // the last one counts. For other engines, and without `models`, all files are in one folder.
    const char *inner = NULL;
    if (layout.family == CONVERT_DOOM3) {
        const char *found = strstr(whole, "/models/");
        while (found) {
            inner = found + 1;
            found = strstr(found + 1, "/models/");
        }
    }

    layout.inner = common_copy(inner ? inner : "");
    if (inner)
        layout.root = common_format("%.*s", (int)(inner - 1 - whole), whole);
    else
        layout.root = common_copy(layout.folder);
    layout.declared = name_declarations(layout.inner, layout.name);

    free(whole);
    free(clean);
    free(absolute);
    return layout;
}

void convert_free_layout(convert_layout *layout)
{
    free(layout->folder);
    free(layout->name);
    free(layout->declared);
    free(layout->root);
    free(layout->inner);
}

// -- Names ----------------------------------------------------------------------------------------

// Converts a path to a file name that every engine accepts: lower case, no folder, no extension.
static char *plain_name(const char *text)
{
    char *const name = common_stem(text);
    for (char *c = name; *c != '\0'; c++)
        *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '_';
    if (name[0] != '\0')
        return name;
    free(name);
    return common_copy("skin");
}

void convert_name_meshes(const convert_layout *layout, md5_doc *doc, common_list *names)
{
    for (uint32_t i = 0; i < doc->num_meshes; i++) {
        md5_doc_mesh *const mesh = &doc->meshes[i];
        const char **const name = layout->family == CONVERT_QUAKE ? &mesh->shader : &mesh->name;
        if (layout->family == CONVERT_QUAKE)
            common_add(names, plain_name(mesh->shader));
        else if (layout->family == CONVERT_CUBE2 && (!*name || (*name)[0] == '\0'))
            common_add(names, common_format("mesh%u", i));
        else
            continue;
        *name = names->names[names->count - 1];
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

// -- Found materials ------------------------------------------------------------------------------

// Limits for one model: a hostile model may name a large image in each of its meshes.
enum { MAX_MESHES = 4096, MAX_BYTES = 1 << 30 };

// The maps in the terms of the renderer and the viewer.
static const md5gl_image_kind image_kinds[CONVERT_NUM_MAPS] = {
    MD5GL_IMAGE_DIFFUSE, MD5GL_IMAGE_NORMALS, MD5GL_IMAGE_SPECULAR, MD5GL_IMAGE_GLOW};

// State of the search for the images of a model.
typedef struct finder {
    const convert_job *job;
    convert_scene *scene;
    const md5_model *model;
    view_package *package; // of the model's file; NULL if the model is not on disk
    md5_game *game;        // material declarations, or NULL
    view_listener listener;
    size_t num_bytes;          // of all images so far
    common_text_index keys;    // of materials: shader and paths of the images
    common_text_index shaders; // shaders that have a material
    bool is_by_shader;         // each shader has one material
    const char *(
        *mesh_options)[CONVERT_NUM_MAPS + 1]; // [meshes] selected file of each map; option to hide
} finder;

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

static void flip_green_channel(view_image *image)
{
    for (size_t i = 0; i < (size_t)image->width * image->height; i++)
        image->rgba[4 * i + 1] = (uint8_t)(255 - image->rgba[4 * i + 1]);
}

// Converts a normal map to id's encoding. Returns true if the texels show another encoding.
static bool fix_normal_encoding(const finder *f, const char *name, const md5gl_texture_desc *desc,
                                view_image *image)
{
    const uint32_t normals = md5gl_guess_normals(desc);
    if (normals & MD5GL_NORMALS_RXGB)
        for (size_t i = 0; i < (size_t)image->width * image->height; i++)
            image->rgba[4 * i] = image->rgba[4 * i + 3];
    if (normals & MD5GL_NORMALS_GREEN_UP) {
        flip_green_channel(image);
        convert_note(f->job, "normal map %s: green channel points up (detected from the image)",
                     name);
    }
    return normals != 0;
}

// Effect of an unlit stage on the background.
typedef enum blend_kind { REPLACES, BLENDS, ADDS, FILTERS } blend_kind;

static blend_kind stage_blending(const md5_stage *stage)
{
    switch (stage->bits & 0xFF) { // see md5material.h
    case 0x00:
        return REPLACES;
    case 0x20:
    case 0x25:
        return ADDS;
    case 0x03:
    case 0x30:
    case 0x31:
        return FILTERS;
    default:
        return BLENDS; // by alpha; also for blends that no other kind describes
    }
}

// Converts an image so that alpha blending looks like adding or multiplying it. Color c over
// background b is b (1 - a) + c for addition, in which a is the largest component of c. Black over
// b is b (1 - a) for multiplication, in which 1 - a is the luminance.
static void blend_by_alpha(view_image *image, blend_kind blending)
{
    for (size_t i = 0; i < (size_t)image->width * image->height; i++) {
        uint8_t *const c = image->rgba + 4 * i;
        uint8_t max = c[0] > c[1] ? c[0] : c[1];
        if (c[2] > max)
            max = c[2];
        const uint8_t luminance = (uint8_t)((54 * c[0] + 183 * c[1] + 19 * c[2]) / 256);
        const bool is_black = blending == FILTERS || max == 0;
        for (int k = 0; k < 3; k++)
            c[k] = (uint8_t)(is_black ? 0 : 255 * c[k] / max);
        c[3] = blending == FILTERS ? (uint8_t)(255 - luminance) : max;
    }
}

// -- Images of materials --------------------------------------------------------------------------

// Returns the file of a game to which an image program refers. Returns NULL if the program computes
// an image instead, or if the file does not exist.
static char *read_game_file(md5_game *game, const md5_image_program *program, size_t *size)
{
    const bool is_file = program->num_steps == 1 && program->steps[0].kind == MD5_IMAGE_FILE;
    const char *const name = is_file ? md5_game_image_file(game, program->steps[0].file) : NULL;
    md5_error error;
    return name ? view_copy_file(md5_game_files(game), name, size, &error) : NULL;
}

// Reads an image: the file at `path`, or if it is NULL, an image program of the game. *bytes is the
// file, which the caller frees, or NULL for a computed image.
static bool read_image(const finder *f, const char *path, const md5_image_program *program,
                       char **bytes, size_t *size, view_image *image, md5_error *error)
{
    const char *reason = NULL;
    if (path) {
        *bytes = common_read_stream(path, size, &reason);
        if (!*bytes)
            return convert_fail(error, MD5_ERROR_IO, path, "%s", reason);
    } else if (program) {
        *bytes = read_game_file(f->game, program, size);
    }
    if (*bytes)
        return view_decode_image((uint8_t *)*bytes, *size, MD5_MAX_IMAGE_PIXELS, image, error);
    return view_read_game_image(f->game, program, image, error);
}

// Returns true if a file can be copied unchanged: a JPEG file, or a PNG file without alpha, unless
// the material uses alpha. Some readers blend with any alpha. Byte 25 of a PNG file is its color
// type: bit 2 is alpha, and type 3 is a palette, which may have alpha.
static bool is_usable_file(const convert_image *file, bool with_alpha)
{
    const uint8_t *const bytes = file->bytes;
    const bool is_png = file->size > 32 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0;
    if (!is_png)
        return strcmp(convert_image_extension(file), ".jpg") == 0;
    const bool may_have_alpha = (bytes[25] & 4) != 0 || bytes[25] == 3;
    return with_alpha || !may_have_alpha;
}

// Adds an image to a material: the file at `path`, or if it is NULL, an image program of the game.
// `blending` applies to the color of an unlit material. An unreadable image is reported as a note.
// Does nothing if the material already has a selected image for this map.
static void add_image(finder *f, convert_material *material, convert_map map, const char *path,
                      const md5_image_program *program, blend_kind blending)
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
    size_t size = 0;
    char *bytes = NULL;

    if (!read_image(f, path, program, &bytes, &size, &image, &error)) {
        convert_note(f->job, "material %s: cannot read %s: %s", material_title(material), title,
                     error.message);
        free(bytes);
        return;
    }

    const md5gl_texture_desc desc = {
        .width = image.width, .height = image.height, .texels = image.rgba};
    bool is_changed = map == CONVERT_MAP_NORMAL && fix_normal_encoding(f, title, &desc, &image);

    // As in the viewer, an image without a declaration is cut out where its alpha is below 0.5.
    const bool is_undeclared_color =
        map == CONVERT_MAP_COLOR && path && material->alpha == CONVERT_OPAQUE;
    if (is_undeclared_color && md5gl_has_transparent_texels(&desc)) {
        material->alpha = CONVERT_MASK;
        material->cutoff = 0.5f;
        material->is_two_sided = true;
        convert_note(
            f->job,
            "material %s: enabled alpha test at 0.5, because the image has transparent texels",
            material_title(material));
    }

    const bool is_filter = blending == ADDS || blending == FILTERS;
    if (map == CONVERT_MAP_COLOR && is_filter) {
        blend_by_alpha(&image, blending);
        is_changed = true;
    }
    const bool with_alpha = map == CONVERT_MAP_COLOR && material->alpha != CONVERT_OPAQUE;
    convert_image added = {.bytes = (uint8_t *)bytes, .size = size};
    const bool is_usable = bytes && !is_changed && is_usable_file(&added, with_alpha);
    if (!is_usable) {
        free(bytes);
        added.bytes = view_encode_png(&image, with_alpha, &added.size);
    }

    free(image.rgba);
    f->num_bytes += added.bytes ? added.size : 0;
    if (!added.bytes || f->num_bytes > MAX_BYTES) {
        convert_note(f->job, "material %s: skipped %s: %s", material_title(material), title,
                     added.bytes ? "the images are larger than 1 GiB in total"
                                 : "built without PNG support");
        free(added.bytes);
        return;
    }

    added.name = common_stem(title);
    added.declared = common_copy(path ? NULL : title);
    material->maps[map] = added;
}

uint8_t *convert_flip_green_channel(const convert_job *job, const convert_image *in, size_t *size,
                                    md5_error *error)
{
    enum { PIXELS_PER_ELEMENT = 4 };
    const uint64_t left = convert_elements_left(job);
    uint32_t max_pixels = MD5_MAX_IMAGE_PIXELS;
    if (left < MD5_MAX_IMAGE_PIXELS / PIXELS_PER_ELEMENT)
        max_pixels = PIXELS_PER_ELEMENT * (uint32_t)left;
    view_image image;
    if (!view_decode_image(in->bytes, in->size, max_pixels, &image, error))
        return NULL;
    convert_can_charge(job, (uint64_t)image.width * image.height / PIXELS_PER_ELEMENT);
    flip_green_channel(&image);
    uint8_t *const bytes = view_encode_png(&image, false, size);
    free(image.rgba);
    if (!bytes)
        convert_fail(error, MD5_ERROR_IO, in->name, "built without PNG support");
    return bytes;
}

void convert_create_color_image(const convert_job *job, convert_material *material, convert_map map,
                                const double *color)
{
    enum { SIDE = 8 }; // pixels; every engine accepts this size
    uint8_t rgba[SIDE * SIDE * 4];
    const bool has_alpha = map == CONVERT_MAP_COLOR && material->alpha != CONVERT_OPAQUE;
    uint8_t texel[4];

    for (int i = 0; i < 3; i++) {
        const double c = fmin(fmax(color[i], 0.0), 1.0);
        const double srgb = c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1.0 / 2.4) - 0.055;
        texel[i] = (uint8_t)(255 * srgb + 0.5);
    }

    const double alpha = has_alpha ? fmin(fmax(color[3], 0.0), 1.0) : 1;
    texel[3] = (uint8_t)(255 * alpha + 0.5);
    for (int i = 0; i < SIDE * SIDE; i++)
        memcpy(rgba + 4 * i, texel, sizeof texel);

    convert_image *const image = &material->maps[map];
    image->bytes = view_encode_png(&(view_image){rgba, SIDE, SIDE}, has_alpha, &image->size);
    image->name = common_format("%s%s", common_base(material_title(material)),
                                map == CONVERT_MAP_GLOW ? "_add" : "");
    for (char *c = image->name; *c != '\0'; c++) // no part of the name is an extension
        if (*c == '.')
            *c = '_';

    const char *const title = map == CONVERT_MAP_GLOW ? "the emissive color" : "the color";
    convert_note(job, "material %s: %s is not an image but a constant (%.3g %.3g %.3g): %s",
                 material_title(material), title, color[0], color[1], color[2],
                 image->bytes ? "created an image of 8 x 8 pixels of that color"
                              : "built without PNG support");
}

// -- Declared materials ---------------------------------------------------------------------------

// Returns the first ambient stage that is added to the lit surface, or NULL.
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

// Adds the images of a declared material, evaluated at time 0. Other formats have one image per
// map: the first stage of each light, and as glow the first stage that is added to a lit surface.
// Returns false if the material has no color image.
static bool use_declaration(finder *f, convert_material *to, const md5_material *material)
{
    if (to->maps[CONVERT_MAP_COLOR].bytes) { // a selected image makes it a lit surface
        for (convert_map map = CONVERT_MAP_NORMAL; map <= CONVERT_MAP_SPECULAR; map++) {
            const md5_image_program *const program =
                view_material_image(material, image_kinds[map]);
            if (program)
                add_image(f, to, map, NULL, program, REPLACES);
        }
        return true;
    }

    float *const registers = common_alloc(material->num_registers, sizeof *registers);
    md5_evaluate_material(material, &(md5_material_input){.parms = {1, 1, 1, 1}}, registers);
    const md5_image_program *const color = view_material_image(material, MD5GL_IMAGE_DIFFUSE);
    const md5_stage *shown = NULL; // the stage with the color image
    uint32_t num_used = 0;
    uint32_t num_images = 0;

    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        num_images += stage->image.text[0] != '\0';
        if (!shown && &stage->image == color)
            shown = stage;
        if (stage->has_alpha_test && to->alpha == CONVERT_OPAQUE) {
            to->alpha = CONVERT_MASK;
            to->cutoff = registers[stage->alpha_test];
        }
    }

    const bool is_lit = shown && shown->light == MD5_STAGE_DIFFUSE;
    const blend_kind blending = shown && !is_lit ? stage_blending(shown) : REPLACES;
    const md5_stage *const glow = is_lit ? find_glow(material) : NULL;
    to->is_two_sided = material->cull == MD5_CULL_NONE || material->creates_back_sides;
    to->is_unlit = shown && !is_lit;
    const bool is_translucent =
        blending != REPLACES || material->coverage == MD5_COVERAGE_TRANSLUCENT;
    if (to->alpha == CONVERT_OPAQUE && is_translucent)
        to->alpha = CONVERT_BLEND;
    if (blending == ADDS || blending == FILTERS)
        convert_note(f->job, "material %s: %s; using alpha blending instead", material_title(to),
                     blending == ADDS ? "unsupported blend: it adds to the background"
                                      : "unsupported blend: it modulates the background");
    if (material->decl && material->decl->file)
        to->text = copy_declaration(material->decl);

    for (convert_map map = CONVERT_MAP_COLOR; map < CONVERT_NUM_MAPS; map++) {
        const md5_image_program *program = NULL;
        if (map != CONVERT_MAP_GLOW)
            program = view_material_image(material, image_kinds[map]);
        else if (glow)
            program = &glow->image;
        num_used += program != NULL;
        if (program)
            add_image(f, to, map, NULL, program, blending);
    }

    if (num_images > num_used)
        convert_note(f->job, "material %s: skipped %u of %u stages", material_title(to),
                     (num_images - num_used), num_images);

    free(registers);
    return to->maps[CONVERT_MAP_COLOR].bytes;
}

// -- Materials without a declaration --------------------------------------------------------------

// Adds the image files of a material that has no declaration. `diffuse` is the color image: the
// image that was found, or a selected image; the other maps are searched for next to it.
static void use_look(finder *f, convert_material *to, const view_look *look, const char *diffuse)
{
    to->is_two_sided |= look->two_sided;
    if (look->alpha_test > 0) {
        to->alpha = CONVERT_MASK;
        to->cutoff = look->alpha_test;
    }
    const bool has_tried = look->tried.count > 0;
    const char *const separator = has_tried ? "; tried " : "";
    const char *const tried = has_tried ? look->tried.names[0] : "";

    if (!diffuse)
        convert_note(f->job, "material %s: no image found%s%s", material_title(to), separator,
                     tried);
    else if (look->is_guess)
        convert_note(f->job, "material %s: guessed the image %s by %s", material_title(to), diffuse,
                     look->why);

    if (look->num_turns > 0)
        convert_note(f->job, "material %s: skipped %u more images of an animated texture",
                     material_title(to), look->num_turns);
    if (look->masks)
        convert_note(f->job, "material %s: skipped the mask image %s", material_title(to),
                     look->masks);
    if (!diffuse)
        return;

    char *const folder = common_folder(diffuse);
    common_list files = common_list_folder(folder, "");
    for (convert_map map = CONVERT_MAP_COLOR; map < CONVERT_NUM_MAPS; map++) {
        const char *path = NULL;
        if (map == CONVERT_MAP_COLOR)
            path = diffuse;
        else if (map == CONVERT_MAP_NORMAL)
            path = look->normals;
        if (!path)
            path = view_find_map(&files, diffuse, image_kinds[map]);
        // Masks may have the name of a specular map, but their channels have another meaning.
        const bool is_mask = path && look->masks && strcmp(path, look->masks) == 0;
        const bool is_color = map != CONVERT_MAP_COLOR && path && strcmp(path, diffuse) == 0;
        if (path && !is_mask && !is_color)
            add_image(f, to, map, path, NULL, REPLACES);
    }

    const char *const heights = view_find_map(&files, diffuse, MD5GL_IMAGE_HEIGHTS);
    if (heights && strcmp(heights, diffuse) != 0)
        convert_note(f->job, "material %s: skipped the height map %s", material_title(to), heights);

    common_free_list(&files);
    free(folder);
}

// -- Materials ------------------------------------------------------------------------------------

// Applies an option "[MESH=]FILE", or "MESH" for hidden meshes, to the meshes that it names.
// `end` is the end of MESH, or NULL for all meshes. Returns false if no mesh matches.
static bool apply_mesh_option(finder *f, int list, const char *text, const char *end)
{
    bool is_used = false;
    for (uint32_t i = 0; i < f->model->num_meshes; i++) {
        if (end && !view_is_mesh(f->model, i, text, (size_t)(end - text)))
            continue;
        f->mesh_options[i][list] = end && *end == '=' ? end + 1 : text;
        is_used = true;
    }
    return is_used;
}

// Applies the options for meshes. Of several options for a mesh the last one counts; an option with
// a mesh precedes an option for all meshes.
static bool apply_mesh_options(finder *f, md5_error *error)
{
    const uint32_t count = f->model->num_meshes;
    f->mesh_options = common_alloc(count, sizeof *f->mesh_options);
    for (int list = 0; list < CONVERT_NUM_MAPS + 1; list++) {
        const common_texts *const texts = &f->job->mesh_options[list];
        for (int pass = 0; pass < 2; pass++) { // options for all meshes in the first pass
            for (size_t i = 0; i < texts->count; i++) {
                const char *const text = texts->names[i];
                const char *const equals = strchr(text, '=');
                const char *const end = list == CONVERT_NUM_MAPS ? text + strlen(text) : equals;
                if ((pass == 0) != !end || apply_mesh_option(f, list, text, end))
                    continue;
                return convert_fail(error, MD5_ERROR_MISSING, f->job->inputs[0],
                                    "no mesh matches '%s'; the model has %u meshes", text, count);
            }
        }
    }
    return true;
}

// Adds the selected images of a mesh to its material.
static bool add_selected_images(finder *f, convert_material *material, const char *const *files,
                                md5_error *error)
{
    for (convert_map map = CONVERT_MAP_COLOR; map < CONVERT_NUM_MAPS; map++) {
        if (!files[map])
            continue;
        add_image(f, material, map, files[map], NULL, REPLACES);
        if (!material->maps[map].bytes)
            return convert_fail(error, MD5_ERROR_IO, files[map], "not an image file");
    }
    return true;
}

// Sets the material of a mesh: an existing material with the same images, or a new one. If
// f->is_by_shader, all meshes with one shader share one material.
static bool add_material(finder *f, uint32_t index, md5_error *error)
{
    const convert_job *const job = f->job;
    const md5_mesh *const mesh = &f->model->meshes[index];
    const char *const *const files = f->mesh_options[index];
    const char *const selected = files[CONVERT_MAP_COLOR];
    const char *const shown = job->shaders ? job->shaders->names[index] : mesh->shader;
    convert_scene *const scene = f->scene;
    const bool has_material = common_has_text(&f->shaders, mesh->shader);

    if (has_material && f->is_by_shader) {
        if (selected)
            convert_note(
                job,
                "material %s: mesh %u uses the same images as the first mesh with this material",
                mesh->shader, index);
        return true;
    }

    // If an image is selected, declarations apply only if the caller passed the game explicitly.
    md5_game *const game = selected && f->game != job->game ? NULL : f->game;
    const bool is_declared = game && md5_find_decl(game, MD5_DECL_MATERIAL, shown);
    const view_look_search search = {.model = f->model, .mesh = index, .package = f->package};
    const view_listener silent = {warn, NULL};
    view_look look = {.diffuse = NULL};
    if (!is_declared && f->package && !selected)
        look = view_find_look(&search, has_material ? silent : f->listener);
    char *key = common_format("%s\n%s\n%s", mesh->shader, shown, look.diffuse ? look.diffuse : "");
    for (int map = 0; map < CONVERT_NUM_MAPS; map++)
        common_extend(&key, "\n%s", files[map] ? files[map] : "");

    const size_t num_keys = f->keys.count;
    const size_t key_index = common_index_text(&f->keys, key, strlen(key));
    free(key);
    scene->mesh_materials[index] = key_index + 1;
    if (key_index < num_keys) {
        view_free_look(&look);
        return true;
    }

    common_index_text(&f->shaders, mesh->shader, strlen(mesh->shader));
    convert_material *const material = COMMON_ADD_ITEM(scene->materials, scene->num_materials);
    *material = (convert_material){.shader = common_copy(mesh->shader)};
    const bool is_read = add_selected_images(f, material, files, error);

    // The engine uses a shader without a declaration as the name of an image.
    const md5_material *found = NULL;
    if (is_declared || (game && game == job->game))
        found = md5_game_material(game, shown, NULL);
    const bool has_color = found && use_declaration(f, material, found);
    if (!has_color && !is_declared && f->package)
        use_look(f, material, &look, selected ? selected : look.diffuse);

    view_free_look(&look);
    return is_read;
}

// Opens the package of the outfit whose meshes begin at `mesh`, because its images are near its
// file. *next is the index of the next outfit.
static void open_outfit_package(finder *f, uint32_t mesh, size_t *next)
{
    const convert_scene *const scene = f->scene;
    while (*next < scene->num_outfits && scene->outfits[*next].first == mesh) {
        const char *const path = scene->outfits[(*next)++].path;
        if (!path || f->job->files.open)
            continue;
        view_close_package(f->package);
        f->package = view_open_package(path, NULL);
        f->game = f->job->game ? f->job->game : view_package_game(f->package, f->listener);
    }
}

bool convert_find_materials(const convert_job *job, convert_scene *scene, bool adds_materials,
                            bool by_shader, md5_error *error)
{
    const convert_part *const part = convert_find_model(scene);
    if (!part)
        return true;

    md5_model *const model = convert_parse_model(part, error);
    if (!model)
        return false;

    finder f = {.job = job,
                .scene = scene,
                .model = model,
                .game = job->game,
                .is_by_shader = by_shader,
                .listener = {warn, (void *)(uintptr_t)job}};
    const char *const path = part->path ? part->path : scene->image_path;
    if (path && !job->files.open)
        f.package = view_open_package(path, NULL);
    if (!f.game)
        f.game = view_package_game(f.package, f.listener);
    scene->num_mesh_materials = model->num_meshes;
    scene->mesh_materials = common_alloc(scene->num_mesh_materials, sizeof *scene->mesh_materials);
    bool is_done = apply_mesh_options(&f, error);
    size_t next_outfit = 0;

    for (uint32_t i = 0; i < model->num_meshes && is_done; i++) {
        open_outfit_package(&f, i, &next_outfit);
        if (f.mesh_options[i][CONVERT_NUM_MAPS])
            scene->mesh_materials[i] = CONVERT_HIDDEN;
        else if (adds_materials && i < MAX_MESHES && model->meshes[i].num_triangles > 0)
            is_done = add_material(&f, i, error);
    }

    common_free_text_index(&f.keys);
    common_free_text_index(&f.shaders);
    free(f.mesh_options);
    if (adds_materials && model->num_meshes > MAX_MESHES)
        convert_note(job, "images were searched for the first %d meshes only", MAX_MESHES);

    view_close_package(f.package);
    md5_free_model(model);
    return is_done;
}

// -- Written images -------------------------------------------------------------------------------

// Writes a file to the game's folder unless it is empty. Without a game, an existing file is kept,
// because the model may have been created from it.
static bool write_file(const convert_layout *layout, const char *name, const void *bytes,
                       size_t size, md5_error *error)
{
    char *const path = common_format("%s/%s", layout->root, name);
    const bool is_kept = layout->is_bare && !layout->job->is_forced && common_is_file(path);
    if (is_kept)
        convert_note(layout->job, "%s exists and was not overwritten; use --force to overwrite it",
                     path);
    if (size > 0)
        common_create_folders(path, 0777);
    bool is_written = true;
    if (size > 0 && !is_kept)
        is_written = convert_write_file(layout->job, path, bytes, size, error);
    free(path);
    return is_written;
}

// Writes an image to root/path with an extension. PNG files become TGA for Doom 3, which does not
// read PNG.
static bool write_image(const convert_layout *layout, const convert_image *source, const char *path,
                        md5_error *error)
{
    view_image image;
    size_t size = source->size;
    uint8_t *tga = NULL;
    const char *extension = convert_image_extension(source);
    const bool needs_tga = layout->family == CONVERT_DOOM3 && !layout->is_bare;
    if (needs_tga && strcmp(extension, ".png") == 0) {
        md5_error why;
        if (view_decode_image(source->bytes, size, MD5_MAX_IMAGE_PIXELS, &image, &why)) {
            tga = view_encode_tga(&image, &size);
            extension = ".tga";
            free(image.rgba);
        } else {
            convert_note(layout->job, "cannot convert %s to TGA for Doom 3: %s", path, why.message);
        }
    }
    char *const file = common_format("%s%s", path, extension);
    const bool is_written = write_file(layout, file, tga ? tga : source->bytes, size, error);
    free(file);
    free(tga);
    return is_written;
}

// Images and declarations of a model. The index of paths ensures that each image is written once
// and that no image overwrites another image.
typedef struct written_looks {
    common_text_index paths;      // relative to the root, without extension
    const convert_image **images; // [paths.count]
    const md5_doc *model;         // for an md5.cfg
    common_text_index shaders;    // shaders of the model's meshes, for an md5.cfg
    size_t *first_mesh;           // [shaders.count] first mesh with a shader
    size_t *next_mesh;            // [meshes] next mesh with the same shader, or SIZE_MAX
    convert_bytes text;           // the declarations
} written_looks;

static bool is_equal(const convert_image *a, const convert_image *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

// Adds a path to the index. Returns its index, which is the former count if the path is new.
static size_t index_path(written_looks *all, const convert_image *image, const char *path)
{
    const size_t count = all->paths.count;
    const size_t index = common_index_text(&all->paths, path, strlen(path));
    if (index == count) {
        all->images = common_grow((void *)all->images, count, sizeof *all->images);
        all->images[count] = image;
    }
    return index;
}

// Writes an image, unless an equal image was written to the same path. If the path is used by
// another image, a number is appended. Returns the path, which `all` owns, or NULL on failure.
static const char *write_once(const convert_layout *layout, written_looks *all,
                              const convert_image *image, const char *preferred, md5_error *error)
{
    const size_t count = all->paths.count;
    size_t index = index_path(all, image, preferred);
    for (size_t k = count + 1; index < count && !is_equal(all->images[index], image); k++) {
        char *const path = common_format("%s_%zu", preferred, k);
        index = index_path(all, image, path);
        free(path);
    }
    const char *const path = all->paths.texts[index];
    const bool is_new = index == count;
    return !is_new || write_image(layout, image, path, error) ? path : NULL;
}

// -- Materials ------------------------------------------------------------------------------------

// Appends a token to a declaration, in quotes if necessary.
static void append_token(convert_bytes *to, const char *folder, const char *name,
                         const char *extension)
{
    char *const token = common_format("%s%s%s", folder, name, extension);
    for (char *c = token; *c != '\0'; c++)
        if (*c == '"' || (unsigned char)*c < ' ')
            *c = '_';
    // If a token begins with a number, id's lexer splits it after the number.
    const size_t number_length = strspn(token, "0123456789.");
    const bool is_split = number_length > 0 && token[number_length] != '\0';
    const bool is_plain = is_plain_path(token) && !is_split;
    convert_append_text(to, is_plain ? "%s" : "\"%s\"", token);
    free(token);
}

// Links the first MAX_MESHES meshes of each shader in ascending order.
static void link_meshes(written_looks *all)
{
    size_t count = all->model->num_meshes;
    count = count < MAX_MESHES ? count : MAX_MESHES;
    all->first_mesh = common_alloc(count, sizeof *all->first_mesh);
    all->next_mesh = common_alloc(count, sizeof *all->next_mesh);
    for (size_t i = 0; i < count; i++)
        all->first_mesh[i] = SIZE_MAX;
    for (size_t i = count; i-- > 0;) {
        const char *const name = all->model->meshes[i].shader;
        const size_t shader = common_index_text(&all->shaders, name, strlen(name));
        all->next_mesh[i] = all->first_mesh[shader];
        all->first_mesh[shader] = i;
    }
}

// A line of an md5.cfg.
typedef struct cfg_line {
    const char *command;
    const char *value; // NULL if the command is not needed
    const char *extension;
} cfg_line;

// Appends the commands that describe a mesh to an md5.cfg.
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

// Describes the meshes of a material in an md5.cfg. `paths` are the paths of its images; NULL if
// the material does not have an image.
static void describe_meshes(written_looks *all, const convert_material *material,
                            const char *const *paths)
{
    if (!common_has_text(&all->shaders, material->shader))
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
        common_index_text(&all->shaders, material->shader, strlen(material->shader));
    for (size_t i = all->first_mesh[shader]; i != SIZE_MAX; i = all->next_mesh[i])
        append_cfg_lines(&all->text, all->model->meshes[i].name, lines, COMMON_LENGTH(lines));
}

// Appends the declaration of a material. `paths` are the paths of its images; NULL if the material
// does not have an image.
static void declare_material(convert_bytes *mtr, const convert_material *material,
                             const char *const *paths)
{
    static const char *const lines[CONVERT_NUM_MAPS] = {
        "\tdiffusemap\t", "\tbumpmap\t", "\tspecularmap\t", "\t{\n\t\tblend\tadd\n\t\tmap\t"};
    convert_append_text(mtr, "\"%s\"\n{\n", material->shader);
    if (material->is_two_sided)
        convert_append_text(mtr, "\ttwosided\n");
    if (material->is_flat)
        convert_append_text(mtr, "\tunsmoothedTangents\n");
    const char *blend = "\t\tblend\tdiffusemap\n";
    if (material->alpha == CONVERT_BLEND)
        blend = "\t\tblend\tblend\n";
    else if (material->is_unlit)
        blend = "";

    for (int map = 0; map < CONVERT_NUM_MAPS; map++) {
        const bool is_stage =
            map == CONVERT_MAP_COLOR && (material->alpha != CONVERT_OPAQUE || material->is_unlit);
        if (!paths[map])
            continue;
        if (is_stage)
            convert_append_text(mtr, "\t{\n%s\t\tmap\t", blend);
        else
            convert_append_text(mtr, "%s", lines[map]);
        append_token(mtr, "", paths[map], "");
        convert_append_text(mtr, "\n");
        if (is_stage && material->alpha == CONVERT_MASK)
            convert_append_text(mtr, "\t\talphaTest\t%g\n", material->cutoff);
        if (is_stage || map == CONVERT_MAP_GLOW)
            convert_append_text(mtr, "\t}\n");
    }

    convert_append_text(mtr, "}\n\n");
}

// Returns true if a name ends with "_NN_NN", by which readers of MDL name further skins and images.
static bool has_skin_suffix(const char *name)
{
    const size_t length = strlen(name);
    int end = 0;
    if (length > 6)
        sscanf(name + length - 6, "_%*2[0-9]_%*2[0-9]%n", &end);
    return end == 6;
}

// Returns the path of an image relative to the root, without extension. The caller frees it.
static char *image_path(const convert_layout *layout, const convert_material *material,
                        convert_map map)
{
    static const char *const maps[CONVERT_NUM_MAPS] = {"", "_local", "_s", "_add"};
    const convert_image *const image = &material->maps[map];
    const char *const declared = image->declared;
    if (layout->is_bare) { // the name that the viewer searches for without a declaration
        char *const name = convert_file_name(common_base(material->shader));
        char *const bare = common_format("%s%s%s", layout->inner, name, maps[map]);
        free(name);
        return bare;
    }
    if (layout->family == CONVERT_DOOM3 && declared && is_plain_path(declared)) {
        const size_t extension = common_has_suffix(declared, ".tga") ? strlen(".tga") : 0;
        return common_format("%.*s", (int)(strlen(declared) - extension), declared);
    }
    const bool is_skin = layout->family == CONVERT_QUAKE;
    char *const plain = plain_name(is_skin ? material->shader : image->name);
    const char *const skin_suffix = is_skin && !has_skin_suffix(plain) ? "_00_00" : "";
    const char *const glow_suffix = is_skin && map == CONVERT_MAP_GLOW ? "_glow" : "";
    char *const path = common_format("%s%s%s%s", layout->inner, plain, skin_suffix, glow_suffix);
    free(plain);
    return path;
}

// Returns true if an image is a part of the engine, such as _white.
static bool is_engine_image(const convert_layout *layout, const convert_image *image)
{
    if (layout->family != CONVERT_DOOM3 || !image->declared || image->declared[0] != '_')
        return false;
    return is_plain_path(image->declared + 1);
}

static bool write_material(const convert_layout *layout, const convert_material *material,
                           written_looks *all, md5_error *error)
{
    // Bits of the maps that an engine supports.
    static const unsigned supported_maps[] = {
        [CONVERT_DOOM3] = (1 << CONVERT_NUM_MAPS) - 1,
        [CONVERT_QUAKE] = 1 | 1 << CONVERT_MAP_GLOW,
        [CONVERT_QUAKE2] = 1,
        [CONVERT_CUBE2] = 1 | 1 << CONVERT_MAP_NORMAL,
        [CONVERT_OTHER] = (1 << CONVERT_NUM_MAPS) - 1,
    };
    const char *paths[CONVERT_NUM_MAPS] = {NULL};
    uint32_t num_unused = 0;
    bool has_any = false;
    bool has_declared_names = true; // all images have the names of the declaration

    for (int map = 0; map < CONVERT_NUM_MAPS; map++) {
        const convert_image *const image = &material->maps[map];
        if (!image->bytes)
            continue;
        if (!(supported_maps[layout->family] >> map & 1)) {
            num_unused++;
            continue;
        }
        if (is_engine_image(layout, image)) {
            paths[map] = image->declared;
            has_any = true;
            continue;
        }
        has_declared_names &= image->declared && is_plain_path(image->declared);
        char *const path = image_path(layout, material, (convert_map)map);
        paths[map] = write_once(layout, all, image, path, error);
        free(path);
        if (!paths[map])
            return false;
        if (layout->family == CONVERT_DOOM3 && !layout->is_bare && !is_plain_path(paths[map])) {
            convert_note(layout->job, "material %s: the engine does not support the file name %s",
                         material->shader, paths[map]);
            paths[map] = NULL;
        }
        has_any |= paths[map] != NULL;
    }

    if (num_unused > 0)
        convert_note(layout->job,
                     "material %s: skipped %u maps: the engine supports only color maps",
                     material->shader, num_unused);
    if (layout->family == CONVERT_CUBE2)
        describe_meshes(all, material, paths);
    if (layout->family != CONVERT_DOOM3 || layout->is_bare)
        return true;

    if (strpbrk(material->shader, "\"\r\n") || material->shader[0] == '\0')
        convert_note(layout->job, "skipped a material with an empty or invalid name");
    else if (material->text && has_declared_names && !strchr(material->text, '[')) // no tables
        convert_append_text(&all->text, "%s\n\n", material->text);
    else if (has_any)
        declare_material(&all->text, material, paths);

    return true;
}

// -- Declarations ---------------------------------------------------------------------------------

// Declares the model and its clips in a modelDef or an md5.cfg. An md5.cfg also contains the frame
// rates of the clips.
static bool declare_model(const convert_layout *layout, convert_bytes *to, md5_error *error)
{
    const bool is_cube = layout->family == CONVERT_CUBE2;
    convert_append_text(to, is_cube ? "md5load " : "model ");
    if (!is_cube) {
        append_token(to, "", layout->declared, "");
        convert_append_text(to, "\n{\n\tmesh\t");
    }
    append_token(to, layout->inner, layout->name, ".md5mesh");

    for (size_t i = 0; i < layout->scene->num_parts; i++) {
        convert_part *const part = &layout->scene->parts[i];
        if (part->kind != CONVERT_CLIP)
            continue;
        convert_append_text(to, is_cube ? "\nmd5anim " : "\n\tanim\t");
        append_token(to, "", part->name, "");
        convert_append_text(to, is_cube ? " " : "\t");
        append_token(to, layout->inner, part->name, ".md5anim");
        md5_doc *const clip = is_cube ? convert_parse_doc(part, error) : NULL;
        if (is_cube && !clip)
            return false;
        if (clip)
            convert_append_text(to, " %g", clip->frame_rate);
        md5_free_doc(clip);
    }

    convert_append_text(to, is_cube ? "\n" : "\n}\n");
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

bool convert_write_materials(const convert_layout *layout, md5_error *error)
{
    const convert_scene *const scene = layout->scene;
    const convert_part *const part = convert_find_model(scene);
    if (!part || (scene->num_materials == 0 && !layout->job->engine))
        return true;

    const bool is_cube = layout->family == CONVERT_CUBE2;
    md5_doc *const model = is_cube ? convert_parse_doc(part, error) : NULL;
    common_list names = {NULL, 0};
    written_looks all = {.model = model};
    bool is_written = !is_cube || (model && declare_model(layout, &all.text, error));
    if (model) {
        convert_name_meshes(layout, model, &names);
        link_meshes(&all);
    }
    for (size_t i = 0; i < scene->num_materials && is_written; i++)
        is_written = write_material(layout, &scene->materials[i], &all, error);

    if (is_written && is_cube)
        is_written = write_file(layout, "md5.cfg", all.text.bytes, all.text.size, error);
    if (is_written && layout->is_bare)
        convert_note(layout->job, "wrote images without materials; use --for ENGINE or write to a "
                                  "folder to declare materials");
    else if (is_written && layout->family == CONVERT_DOOM3) {
        is_written = write_text(layout, "materials", ".mtr", &all.text, error)
                     && declare_model(layout, &all.text, error)
                     && write_text(layout, "def", ".def", &all.text, error);
    }

    md5_free_doc(model);
    common_free_list(&names);
    common_free_text_index(&all.paths);
    common_free_text_index(&all.shaders);
    free((void *)all.images);
    free(all.first_mesh);
    free(all.next_mesh);
    free(all.text.bytes);
    if (layout->family == CONVERT_QUAKE2 && scene->num_materials > 0)
        convert_note(layout->job, "the engine reads the names of skins from the .md2 file");
    if (layout->family == CONVERT_OTHER && scene->num_materials > 0)
        convert_note(layout->job,
                     "wrote images without materials: this engine has no material files");
    return is_written;
}
