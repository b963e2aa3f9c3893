// Where files of a model lie, for an engine; pictures and materials, which are found as the viewer
// finds them, and written beside the model. Pictures are PNG and JPEG: files in these formats are
// passed on as they are, unless something in them must change; all others become PNG.
#include "demo/convert/layout.h"

#include "demo/convert/budget.h"
#include "demo/looks/image.h"

// -- Layouts --------------------------------------------------------------------------------------

// "monsters_imp" for the model imp of models/monsters/imp/: no other model has this name, unless it
// lies outside of `models`.
static char *name_declarations(const char *inner, const char *name)
{
    char *const folder = common_copy(inner[0] != '\0' ? inner + strlen("models/") : "");
    const size_t length = strlen(folder);
    if (length > 0)
        folder[length - 1] = '\0';
    const bool is_own = length > 0 && common_compare_case(common_base(folder), name) == 0;
    for (char *c = folder; *c != '\0'; c++)
        *c = *c == '/' ? '_' : *c;
    char *const declared =
        is_own ? common_copy(folder) : common_format("%s%s%s", folder, length > 0 ? "_" : "", name);
    free(folder);
    return declared;
}

convert_layout convert_find_layout(const convert_job *job, const convert_scene *scene)
{
    const convert_engine *const engine = convert_find_engine(job->engine);
    const bool is_folder = common_is_folder(job->output);
    const convert_part *const model = convert_find_model(scene);
    convert_layout layout = {
        .job = job,
        .scene = scene,
        .family = engine->family,
        .max_weights = engine->max_weights,
        .has_one_clip = engine->family == CONVERT_QUAKE || engine->family == CONVERT_QUAKE2,
        .is_bare = !job->engine && !is_folder && !job->is_batch
                   && !(scene->declares && common_has_ending(job->output, "mesh")),
        .folder = is_folder ? common_copy(job->output) : common_folder(job->output),
        .name =
            !is_folder ? common_stem(job->output) : common_copy(model ? model->name : scene->name),
    };
    char *const absolute = common_absolute(layout.folder);
    char *const clean = common_clean(absolute);
    char *const whole = common_format("%s/", clean);
    // Models for Quake's engines are in a folder of this name.
    const char *const last = layout.family == CONVERT_QUAKE ? "progs" : "md5";
    if (layout.has_one_clip && common_compare_case(common_base(absolute), last) != 0) {
        char *const outer = layout.folder;
        layout.folder = common_join(outer, last);
        free(outer);
    }
    // A Doom 3 game's folder is that above `models`; the path is cut behind its last one. Without
    // one, and for other engines, all lies beside the model.
    const char *inner = NULL;
    for (const char *c = whole; layout.family == CONVERT_DOOM3 && (c = strstr(c, "/models/")); c++)
        inner = c + 1;
    layout.inner = common_copy(inner ? inner : "");
    layout.root =
        inner ? common_format("%.*s", (int)(inner - 1 - whole), whole) : common_copy(layout.folder);
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

// What every engine takes for the name of a file: lower case, without folder and ending.
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

// Whether Doom 3 reads a path as one word, and it leads nowhere else.
static bool is_plain_path(const char *path)
{
    return path[0] != '\0' && path[0] != '/' && path[0] != '_' && !strstr(path, "..")
           && path[strspn(path,
                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./")]
                  == '\0';
}

// -- Found looks ----------------------------------------------------------------------------------

// Of one model. A hostile one may name one large picture in each of its meshes.
enum { MAX_MESHES = 4096, MAX_BYTES = 1 << 30 };

// What the viewer calls the maps.
static const md5gl_image_kind pictures_of[CONVERT_NUM_MAPS] = {
    MD5GL_IMAGE_DIFFUSE, MD5GL_IMAGE_NORMALS, MD5GL_IMAGE_SPECULAR, MD5GL_IMAGE_GLOW};

typedef struct finder {
    const convert_job *job;
    convert_scene *scene;
    const md5_model *model;
    view_package *package; // of the model's file; NULL: it is not on disk
    md5_game *game;        // with declarations, or NULL
    view_listener listener;
    size_t num_bytes;          // of all pictures so far
    common_text_index keys;    // of materials: where each was found
    common_text_index shaders; // that have a material
    bool is_by_shader;
    const char *(*said)[CONVERT_NUM_MAPS + 1]; // [meshes] files of maps; what hides it
} finder;

static void warn(void *job, const char *text)
{
    if (job)
        convert_note(job, "%s", text);
}

const char *convert_picture_ending(const convert_picture *picture)
{
    return picture->size > 3 && memcmp(picture->bytes, "\xff\xd8\xff", 3) == 0 ? ".jpg" : ".png";
}

static const char *title_of(const convert_material *material)
{
    return material->shader[0] != '\0' ? material->shader : "(no name)";
}

// -- Texels ---------------------------------------------------------------------------------------

static void turn_green(view_image *image)
{
    for (size_t i = 0; i < (size_t)image->width * image->height; i++)
        image->rgba[4 * i + 1] = (uint8_t)(255 - image->rgba[4 * i + 1]);
}

// Brings a normal map to id's encoding. Returns whether it had another one, as its texels say.
static bool order_normals(const finder *f, const char *name, const md5gl_texture_desc *desc,
                          view_image *image)
{
    const uint32_t normals = md5gl_guess_normals(desc);
    if (normals & MD5GL_NORMALS_RXGB)
        for (size_t i = 0; i < (size_t)image->width * image->height; i++)
            image->rgba[4 * i] = image->rgba[4 * i + 3];
    if (normals & MD5GL_NORMALS_GREEN_UP) {
        turn_green(image);
        convert_note(f->job, "normal map %s: green channel points up (detected from the image)",
                     name);
    }
    return normals != 0;
}

// What a stage without light does to what is behind it.
typedef enum blend_kind { REPLACES, BLENDS, ADDS, FILTERS } blend_kind;

static blend_kind blending_of(const md5_stage *stage)
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
        return BLENDS; // by alpha, or as nothing else can
    }
}

// A picture that looks, blended by alpha, like this one added (color c over b is b (1 - a) + c,
// with a the largest of c) or multiplied (black over b is b (1 - a), with 1 - a the luminance).
static void blend_by_alpha(view_image *image, blend_kind how)
{
    for (size_t i = 0; i < (size_t)image->width * image->height; i++) {
        uint8_t *const c = image->rgba + 4 * i;
        uint8_t most = c[0] > c[1] ? c[0] : c[1];
        most = c[2] > most ? c[2] : most;
        const uint8_t light = (uint8_t)((54 * c[0] + 183 * c[1] + 19 * c[2]) / 256);
        for (int k = 0; k < 3; k++)
            c[k] = (uint8_t)(how == FILTERS || most == 0 ? 0 : 255 * c[k] / most);
        c[3] = how == FILTERS ? (uint8_t)(255 - light) : most;
    }
}

// -- Pictures of materials ------------------------------------------------------------------------

// The bytes of the file of a game that a program is; NULL if it is none, or computed.
static char *read_game_file(md5_game *game, const md5_image_program *program, size_t *size)
{
    const bool is_file = program->num_steps == 1 && program->steps[0].kind == MD5_IMAGE_FILE;
    const char *const name = is_file ? md5_game_image_file(game, program->steps[0].file) : NULL;
    md5_error error;
    return name ? view_copy_file(md5_game_files(game), name, size, &error) : NULL;
}

// Gives a material a picture, of a file or, without a path, of a program of the game; `how` is that
// of the color of an unlit material. One that cannot be read is a note.
static void add_picture(finder *f, convert_material *material, convert_map map, const char *path,
                        const md5_image_program *program, blend_kind how)
{
    const char *const title = path ? path : program ? program->text : "";
    const char *reason = NULL;
    if (material->maps[map].bytes) // it was selected
        return;
    view_image image = {NULL, 0, 0};
    md5_error error = {0};
    size_t size = 0;
    char *bytes = path      ? common_read_stream(path, &size, &reason)
                  : program ? read_game_file(f->game, program, &size)
                            : NULL;
    const bool is_read =
        path && !bytes ? convert_fail(&error, MD5_ERROR_IO, path, "%s", reason)
        : bytes ? view_decode_image((uint8_t *)bytes, size, MD5_MAX_IMAGE_PIXELS, &image, &error)
                : view_read_game_image(f->game, program, &image, &error);
    if (!is_read) {
        convert_note(f->job, "material %s: cannot read %s: %s", title_of(material), title,
                     error.message);
        free(bytes);
        return;
    }
    const md5gl_texture_desc desc = {
        .width = image.width, .height = image.height, .texels = image.rgba};
    bool is_changed = map == CONVERT_MAP_NORMAL && order_normals(f, title, &desc, &image);
    // As in the viewer: what nothing is said of is cut out where its alpha is below one half.
    if (map == CONVERT_MAP_COLOR && path && material->alpha == CONVERT_OPAQUE
        && md5gl_has_transparent_texels(&desc)) {
        material->alpha = CONVERT_MASK;
        material->cutoff = 0.5f;
        material->is_two_sided = true;
        convert_note(
            f->job,
            "material %s: enabled alpha test at 0.5, because the image has transparent texels",
            title_of(material));
    }
    if (map == CONVERT_MAP_COLOR && (how == ADDS || how == FILTERS)) {
        blend_by_alpha(&image, how);
        is_changed = true;
    }
    // A file is passed on, but for a PNG file whose alpha means nothing, as some readers blend with
    // it: byte 25 is its color type, with 4 for alpha; 3 is a palette, which may have it.
    const bool with_alpha = map == CONVERT_MAP_COLOR && material->alpha != CONVERT_OPAQUE;
    convert_picture picture = {.bytes = (uint8_t *)bytes, .size = size};
    const bool is_usable = bytes && !is_changed
                           && (size > 32 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0
                                   ? with_alpha || ((bytes[25] & 4) == 0 && bytes[25] != 3)
                                   : strcmp(convert_picture_ending(&picture), ".jpg") == 0);
    if (!is_usable) {
        free(bytes);
        picture.bytes = view_encode_png(&image, with_alpha, &picture.size);
    }
    free(image.rgba);
    f->num_bytes += picture.bytes ? picture.size : 0;
    if (!picture.bytes || f->num_bytes > MAX_BYTES) {
        convert_note(f->job, "material %s: skipped %s: %s", title_of(material), title,
                     picture.bytes ? "the images are larger than 1 GiB in total"
                                   : "built without PNG support");
        free(picture.bytes);
        return;
    }
    picture.name = common_stem(title);
    picture.declared = common_copy(path ? NULL : title);
    material->maps[map] = picture;
}

uint8_t *convert_turn_green(const convert_job *job, const convert_picture *in, size_t *size,
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
    turn_green(&image);
    uint8_t *const bytes = view_encode_png(&image, false, size);
    free(image.rgba);
    if (!bytes)
        convert_fail(error, MD5_ERROR_IO, in->name, "built without PNG support");
    return bytes;
}

void convert_paint(const convert_job *job, convert_material *material, convert_map map,
                   const double *color)
{
    enum { SIDE = 8 }; // that every engine takes
    uint8_t rgba[SIDE * SIDE * 4];
    const bool has_alpha = map == CONVERT_MAP_COLOR && material->alpha != CONVERT_OPAQUE;
    for (int i = 0; i < SIDE * SIDE * 4; i++) {
        const double c = i % 4 < 3 ? fmin(fmax(color[i % 4], 0.0), 1.0) : 1;
        const double stored = c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1.0 / 2.4) - 0.055;
        rgba[i] = (uint8_t)(255
                                * (i % 4 < 3   ? stored
                                   : has_alpha ? fmin(fmax(color[3], 0.0), 1.0)
                                               : 1)
                            + 0.5);
    }
    convert_picture *const to = &material->maps[map];
    to->bytes = view_encode_png(&(view_image){rgba, SIDE, SIDE}, has_alpha, &to->size);
    to->name = common_format("%s%s", common_base(title_of(material)),
                             map == CONVERT_MAP_GLOW ? "_add" : "");
    for (char *c = to->name; *c != '\0'; c++) // nothing of it is an ending
        *c = *c == '.' ? '_' : *c;
    convert_note(job, "material %s: %s %.3g %.3g %.3g has no image: %s", title_of(material),
                 map == CONVERT_MAP_GLOW ? "the emissive color" : "the color", color[0], color[1],
                 color[2],
                 to->bytes ? "created a small image of that color" : "built without PNG support");
}

// -- What declarations say ------------------------------------------------------------------------

// Maps the stages of a declared material, at time 0, to what one material of other formats has: the
// first stage of each light, and the first one that is added to lit ones as its glow. Returns false
// if it has no picture.
static bool use_declaration(finder *f, convert_material *to, const md5_material *material)
{
    if (to->maps[CONVERT_MAP_COLOR].bytes) { // as in the viewer it is a lit surface then
        for (convert_map map = CONVERT_MAP_NORMAL; map <= CONVERT_MAP_SPECULAR; map++)
            if (view_material_image(material, pictures_of[map]))
                add_picture(f, to, map, NULL, view_material_image(material, pictures_of[map]),
                            REPLACES);
        return true;
    }
    float *const registers = common_alloc(material->num_registers, sizeof *registers);
    md5_evaluate_material(material, &(md5_material_input){.parms = {1, 1, 1, 1}}, registers);
    const md5_image_program *const color = view_material_image(material, MD5GL_IMAGE_DIFFUSE);
    const md5_stage *shown = NULL, *glow = NULL; // shown: whose picture is the color
    uint32_t num_used = 0;
    uint32_t num_pictures = 0;
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        num_pictures += stage->image.text[0] != '\0';
        if (!shown && &stage->image == color)
            shown = stage;
        if (stage->has_alpha_test && to->alpha == CONVERT_OPAQUE) {
            to->alpha = CONVERT_MASK;
            to->cutoff = registers[stage->alpha_test];
        }
    }
    const bool is_lit = shown && shown->light == MD5_STAGE_DIFFUSE;
    const blend_kind how = shown && !is_lit ? blending_of(shown) : REPLACES;
    for (uint32_t i = 0; i < material->num_stages && is_lit && !glow; i++)
        if (material->stages[i].light == MD5_STAGE_AMBIENT && material->stages[i].image.text[0]
            && blending_of(&material->stages[i]) == ADDS)
            glow = &material->stages[i];
    to->is_two_sided = material->cull == MD5_CULL_NONE || material->creates_back_sides;
    to->is_unlit = shown && !is_lit;
    if (to->alpha == CONVERT_OPAQUE
        && (how != REPLACES || material->coverage == MD5_COVERAGE_TRANSLUCENT))
        to->alpha = CONVERT_BLEND;
    if (how == ADDS || how == FILTERS)
        convert_note(f->job, "material %s: %s; using alpha blending instead", title_of(to),
                     how == ADDS ? "unsupported blend: it adds to the background"
                                 : "unsupported blend: it modulates the background");
    if (material->decl && material->decl->file) {
        const char *text = material->decl->text;
        size_t size = material->decl->size;
        for (; size > 0 && (unsigned char)*text <= ' '; size--)
            text++;
        to->text = common_format("%.*s", (int)size, text);
    }
    for (convert_map map = CONVERT_MAP_COLOR; map < CONVERT_NUM_MAPS; map++) {
        const md5_image_program *const program =
            map != CONVERT_MAP_GLOW ? view_material_image(material, pictures_of[map])
            : glow                  ? &glow->image
                                    : NULL;
        num_used += program != NULL;
        if (program)
            add_picture(f, to, map, NULL, program, how);
    }
    if (num_pictures > num_used)
        convert_note(f->job, "material %s: skipped %u of %u stages", title_of(to),
                     (num_pictures - num_used), num_pictures);
    free(registers);
    return to->maps[CONVERT_MAP_COLOR].bytes;
}

// -- What names say -------------------------------------------------------------------------------

// `diffuse`: of the look, or selected, which has maps beside it too.
static void use_look(finder *f, convert_material *to, const view_look *look, const char *diffuse)
{
    to->is_two_sided |= look->two_sided;
    if (look->alpha_test > 0) {
        to->alpha = CONVERT_MASK;
        to->cutoff = look->alpha_test;
    }
    if (!diffuse)
        convert_note(f->job, "material %s: no image found%s%s", title_of(to),
                     look->tried.count > 0 ? "; tried " : "",
                     look->tried.count > 0 ? look->tried.names[0] : "");
    else if (look->is_guess)
        convert_note(f->job, "material %s: guessed the image %s by %s", title_of(to), diffuse,
                     look->why);
    if (look->num_turns > 0)
        convert_note(f->job, "material %s: skipped %u more images of an animated texture",
                     title_of(to), look->num_turns);
    if (look->masks)
        convert_note(f->job, "material %s: skipped the mask image %s", title_of(to), look->masks);
    if (diffuse) {
        char *const folder = common_folder(diffuse);
        common_list files = common_list_folder(folder, "");
        for (convert_map map = CONVERT_MAP_COLOR; map < CONVERT_NUM_MAPS; map++) {
            const char *const path = map == CONVERT_MAP_COLOR ? diffuse
                                     : map == CONVERT_MAP_NORMAL && look->normals
                                         ? look->normals
                                         : view_find_map(&files, diffuse, pictures_of[map]);
            // Masks may have the name of a specular map, but each channel means something else.
            const bool is_mask = path && look->masks && strcmp(path, look->masks) == 0;
            if (path && !is_mask && (map == CONVERT_MAP_COLOR || strcmp(path, diffuse) != 0))
                add_picture(f, to, map, path, NULL, REPLACES);
        }
        const char *const heights = view_find_map(&files, diffuse, MD5GL_IMAGE_HEIGHTS);
        if (heights && strcmp(heights, diffuse) != 0)
            convert_note(f->job, "material %s: skipped the height map %s", title_of(to), heights);
        common_free_list(&files);
        free(folder);
    }
}

// -- Materials ------------------------------------------------------------------------------------

// Finds what is said of each mesh: the last text that names it, or else the last of all meshes.
static bool find_said(finder *f, md5_error *error)
{
    const uint32_t count = f->model->num_meshes;
    f->said = common_alloc(count, sizeof *f->said);
    for (int list = 0; list < CONVERT_NUM_MAPS + 1; list++) {
        const common_texts *const texts = &f->job->said[list];
        for (size_t i = 0; i < 2 * texts->count; i++) { // of all meshes first
            // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): then there is no turn
            const char *const text = texts->names[i % texts->count];
            const char *const equals = strchr(text, '=');
            const char *const end = list == CONVERT_NUM_MAPS ? text + strlen(text) : equals;
            bool is_used = (i < texts->count) == (end != NULL);
            if ((i < texts->count) == !end) {
                for (uint32_t m = 0; m < count; m++)
                    if (!end || view_is_mesh(f->model, m, text, (size_t)(end - text))) {
                        f->said[m][list] = end == equals && end ? end + 1 : text;
                        is_used = true;
                    }
            }
            if (!is_used)
                return convert_fail(error, MD5_ERROR_MISSING, f->job->inputs[0],
                                    "no mesh matches '%s'; the model has %u meshes", text, count);
        }
    }
    return true;
}

// Sets the material of a mesh: one that was found in the same place, or a new one. With an engine
// each shader has one.
static bool add_material(finder *f, uint32_t index, md5_error *error)
{
    const convert_job *const job = f->job;
    const md5_mesh *const mesh = &f->model->meshes[index];
    const char *const *const files = f->said[index], *const selected = files[CONVERT_MAP_COLOR];
    const char *const shown = job->shaders ? job->shaders->names[index] : mesh->shader;
    convert_scene *const scene = f->scene;
    const bool is_again = common_has_text(&f->shaders, mesh->shader);
    if (is_again && f->is_by_shader) {
        if (selected)
            convert_note(
                job,
                "material %s: mesh %u uses the same images as the first mesh with this material",
                mesh->shader, index);
        return true;
    }
    // What a selected picture shows only a game that is asked for adds to.
    md5_game *const game = selected && f->game != job->game ? NULL : f->game;
    const bool is_declared = game && md5_find_decl(game, MD5_DECL_MATERIAL, shown);
    const view_look_search search = {.model = f->model, .mesh = index, .package = f->package};
    const view_listener listener = is_again ? (view_listener){warn, NULL} : f->listener;
    view_look look = {.diffuse = NULL};
    if (!is_declared && f->package && !selected)
        look = view_find_look(&search, listener);
    char *key = common_format("%s\n%s\n%s", mesh->shader, shown, look.diffuse ? look.diffuse : "");
    for (int map = 0; map < CONVERT_NUM_MAPS; map++)
        common_extend(&key, "\n%s", files[map] ? files[map] : "");
    const size_t num_keys = f->keys.count;
    const size_t number = common_index_text(&f->keys, key, strlen(key));
    free(key);
    scene->looks[index] = number + 1;
    if (number < num_keys) {
        view_free_look(&look);
        return true;
    }
    common_index_text(&f->shaders, mesh->shader, strlen(mesh->shader));
    convert_material *const material = COMMON_MORE(scene->materials, scene->num_materials);
    *material = (convert_material){.shader = common_copy(mesh->shader)};
    bool is_read = true;
    for (convert_map map = CONVERT_MAP_COLOR; map < CONVERT_NUM_MAPS && is_read; map++)
        if (files[map]) {
            add_picture(f, material, map, files[map], NULL, REPLACES);
            is_read = material->maps[map].bytes
                      || convert_fail(error, MD5_ERROR_IO, files[map], "not an image file");
        }
    // Without a declaration the engine takes the shader for the name of a picture.
    const md5_material *const found =
        is_declared || (game && game == job->game) ? md5_game_material(game, shown, NULL) : NULL;
    if ((!found || !use_declaration(f, material, found)) && !is_declared && f->package)
        use_look(f, material, &look, selected ? selected : look.diffuse);
    view_free_look(&look);
    return is_read;
}

bool convert_find_looks(const convert_job *job, convert_scene *scene, bool finds, bool by_shader,
                        md5_error *error)
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
    if (part->path && !job->files.open)
        f.package = view_open_package(part->path, NULL);
    if (!f.game)
        f.game = view_package_game(f.package, f.listener);
    scene->num_looks = model->num_meshes;
    scene->looks = common_alloc(scene->num_looks, sizeof *scene->looks);
    bool is_done = find_said(&f, error);
    size_t worn = 0;
    for (uint32_t i = 0; i < model->num_meshes && is_done; i++) {
        for (; worn < scene->num_worn && scene->worn[worn].first == i; worn++) {
            if (!scene->worn[worn].path || job->files.open)
                continue;
            view_close_package(f.package); // a worn model's pictures are around that
            f.package = view_open_package(scene->worn[worn].path, NULL);
            f.game = job->game ? job->game : view_package_game(f.package, f.listener);
        }
        if (f.said[i][CONVERT_NUM_MAPS])
            scene->looks[i] = CONVERT_HIDDEN;
        else if (finds && i < MAX_MESHES && model->meshes[i].num_triangles > 0)
            is_done = add_material(&f, i, error);
    }
    common_free_text_index(&f.keys);
    common_free_text_index(&f.shaders);
    free(f.said);
    if (finds && model->num_meshes > MAX_MESHES)
        convert_note(job, "images were searched for the first %d meshes only", MAX_MESHES);
    view_close_package(f.package);
    md5_free_model(model);
    return is_done;
}

// -- Written pictures -----------------------------------------------------------------------------

// Writes a file of the game, unless it is empty.
static bool write_file(const convert_layout *layout, const char *name, const void *bytes,
                       size_t size, md5_error *error)
{
    char *const path = common_format("%s/%s", layout->root, name);
    const bool stays = layout->is_bare && !layout->job->is_forced && common_is_file(path);
    if (stays) // perhaps that from which the model was made
        convert_note(layout->job, "%s exists and was not overwritten; use --force to overwrite it",
                     path);
    if (size > 0)
        common_make_folders(path, 0777);
    const bool is_written =
        size == 0 || stays || convert_write_file(layout->job, path, bytes, size, error);
    free(path);
    return is_written;
}

// Writes a picture as root/path and an ending: for Doom 3, which reads no PNG, as TGA.
static bool write_picture(const convert_layout *layout, const convert_picture *picture,
                          const char *path, md5_error *error)
{
    view_image image;
    size_t size = picture->size;
    uint8_t *tga = NULL;
    const char *ending = convert_picture_ending(picture);
    if (layout->family == CONVERT_DOOM3 && !layout->is_bare && strcmp(ending, ".png") == 0) {
        md5_error why;
        if (view_decode_image(picture->bytes, size, MD5_MAX_IMAGE_PIXELS, &image, &why)) {
            tga = view_encode_tga(&image, &size);
            ending = ".tga";
            free(image.rgba);
        } else {
            convert_note(layout->job, "cannot convert %s to TGA for Doom 3: %s", path, why.message);
        }
    }
    char *const file = common_format("%s%s", path, ending);
    const bool is_written = write_file(layout, file, tga ? tga : picture->bytes, size, error);
    free(file);
    free(tga);
    return is_written;
}

// What is written, so that each picture is written once and none over another.
typedef struct written_looks {
    common_text_index paths;          // from the root, without ending
    const convert_picture **pictures; // [paths.count]
    const md5_doc *model;             // of an md5.cfg
    common_text_index shaders;        // of the model's meshes, for an md5.cfg
    size_t *first_mesh, *next_mesh;   // [shaders.count], [meshes]: lists of the meshes of a shader
    convert_bytes text;               // the declarations
} written_looks;

static bool is_equal(const convert_picture *a, const convert_picture *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

// Returns the number of a path; it is the former count if the path is new.
static size_t index_path(written_looks *all, const convert_picture *picture, const char *path)
{
    const size_t count = all->paths.count;
    const size_t number = common_index_text(&all->paths, path, strlen(path));
    if (number == count) {
        all->pictures = common_grow((void *)all->pictures, count, sizeof *all->pictures);
        all->pictures[count] = picture;
    }
    return number;
}

// Writes a picture unless an equal one is there; another one of its name gets a number. Returns its
// path, which `all` owns; NULL: failure.
static const char *write_once(const convert_layout *layout, written_looks *all,
                              const convert_picture *picture, const char *wanted, md5_error *error)
{
    const size_t count = all->paths.count;
    size_t number = index_path(all, picture, wanted);
    for (size_t k = count + 1; number < count && !is_equal(all->pictures[number], picture); k++) {
        char *const path = common_format("%s_%zu", wanted, k);
        number = index_path(all, picture, path);
        free(path);
    }
    const char *const path = all->paths.texts[number];
    return number < count || write_picture(layout, picture, path, error) ? path : NULL;
}

// -- Materials ------------------------------------------------------------------------------------

// Adds a word to a declaration, in quotes if it needs them.
static void put_word(convert_bytes *to, const char *folder, const char *name, const char *ending)
{
    char *const word = common_format("%s%s%s", folder, name, ending);
    for (char *c = word; *c != '\0'; c++)
        *c = *c == '"' || (unsigned char)*c < ' ' ? '_' : *c;
    // Of a word that begins as a number, id's lexer reads that alone.
    const size_t number = strspn(word, "0123456789.");
    const bool is_word = is_plain_path(word) && (number == 0 || word[number] == '\0');
    convert_put_text(to, is_word ? "%s" : "\"%s\"", word);
    free(word);
}

// Links the first MAX_MESHES meshes of each shader, in their order.
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

// Adds how the meshes of a material look to an md5.cfg, with its pictures' paths; NULL: it has
// none.
static void describe_meshes(written_looks *all, const convert_material *material,
                            const char *const *paths)
{
    char cutoff[32];
    COMMON_TEXT(cutoff, "%g", material->cutoff);
    const struct {
        const char *word, *value; // NULL: it does not apply
        const char *ending;
    } rows[] = {
        {"md5skin", paths[CONVERT_MAP_COLOR],
         convert_picture_ending(&material->maps[CONVERT_MAP_COLOR])},
        {"md5bumpmap", paths[CONVERT_MAP_NORMAL],
         convert_picture_ending(&material->maps[CONVERT_MAP_NORMAL])},
        {"md5alphatest", material->alpha == CONVERT_MASK ? cutoff : NULL, ""},
        {"md5alphablend", material->alpha == CONVERT_BLEND ? "1" : NULL, ""},
        {"md5cullface", material->is_two_sided ? "0" : NULL, ""},
        {"md5fullbright", material->is_unlit ? "1" : NULL, ""},
    };
    if (!common_has_text(&all->shaders, material->shader))
        return;
    const size_t shader =
        common_index_text(&all->shaders, material->shader, strlen(material->shader));
    for (size_t i = all->first_mesh[shader]; i != SIZE_MAX; i = all->next_mesh[i])
        for (size_t j = 0; j < COMMON_LENGTH(rows); j++) {
            if (!rows[j].value)
                continue;
            convert_put_text(&all->text, "%s ", rows[j].word);
            put_word(&all->text, "", all->model->meshes[i].name, "");
            convert_put_text(&all->text, " ");
            put_word(&all->text, "", rows[j].value, rows[j].ending);
            convert_put_text(&all->text, "\n");
        }
}

// Adds the declaration of a material with its pictures' paths; NULL: it has none.
static void declare_material(convert_bytes *mtr, const convert_material *material,
                             const char *const *paths)
{
    static const char *const lines[CONVERT_NUM_MAPS] = {
        "\tdiffusemap\t", "\tbumpmap\t", "\tspecularmap\t", "\t{\n\t\tblend\tadd\n\t\tmap\t"};
    convert_put_text(mtr, "\"%s\"\n{\n%s%s", material->shader,
                     material->is_two_sided ? "\ttwosided\n" : "",
                     material->is_flat ? "\tunsmoothedTangents\n" : "");
    for (int map = 0; map < CONVERT_NUM_MAPS; map++) {
        const bool is_stage =
            map == CONVERT_MAP_COLOR && (material->alpha != CONVERT_OPAQUE || material->is_unlit);
        if (!paths[map])
            continue;
        if (is_stage)
            convert_put_text(mtr, "\t{\n%s\t\tmap\t",
                             material->alpha == CONVERT_BLEND ? "\t\tblend\tblend\n"
                             : material->is_unlit             ? ""
                                                              : "\t\tblend\tdiffusemap\n");
        else
            convert_put_text(mtr, "%s", lines[map]);
        put_word(mtr, "", paths[map], "");
        convert_put_text(mtr, "\n");
        if (is_stage && material->alpha == CONVERT_MASK)
            convert_put_text(mtr, "\t\talphaTest\t%g\n", material->cutoff);
        if (is_stage || map == CONVERT_MAP_GLOW)
            convert_put_text(mtr, "\t}\n");
    }
    convert_put_text(mtr, "}\n\n");
}

// The path of a picture from the root, without ending, to be freed.
static char *path_of(const convert_layout *layout, const convert_material *material,
                     convert_map map)
{
    static const char *const maps[CONVERT_NUM_MAPS] = {"", "_local", "_s", "_add"};
    const convert_picture *const picture = &material->maps[map];
    const char *const declared = picture->declared;
    if (layout->is_bare) { // what the viewer looks for, which declares nothing
        char *const name = convert_file_name(common_base(material->shader));
        char *const bare = common_format("%s%s%s", layout->inner, name, maps[map]);
        free(name);
        return bare;
    }
    if (layout->family == CONVERT_DOOM3 && declared && is_plain_path(declared))
        return common_format(
            "%.*s", (int)(strlen(declared) - (common_has_ending(declared, ".tga") ? 4 : 0)),
            declared);
    const bool is_skin = layout->family == CONVERT_QUAKE;
    char *const plain = plain_name(is_skin ? material->shader : picture->name);
    const size_t length = strlen(plain);
    int end = 0; // of a shader that names a further skin and its image, as readers of MDL make them
    if (length > 6)
        sscanf(plain + length - 6, "_%*2[0-9]_%*2[0-9]%n", &end);
    char *const path =
        common_format("%s%s%s%s", layout->inner, plain, is_skin && end != 6 ? "_00_00" : "",
                      is_skin && map == CONVERT_MAP_GLOW ? "_glow" : "");
    free(plain);
    return path;
}

static bool write_material(const convert_layout *layout, const convert_material *material,
                           written_looks *all, md5_error *error)
{
    static const unsigned has_map[] = {// bits of maps
                                       [CONVERT_DOOM3] = (1 << CONVERT_NUM_MAPS) - 1,
                                       [CONVERT_QUAKE] = 1 | 1 << CONVERT_MAP_GLOW,
                                       [CONVERT_QUAKE2] = 1,
                                       [CONVERT_CUBE2] = 1 | 1 << CONVERT_MAP_NORMAL,
                                       [CONVERT_OTHER] = (1 << CONVERT_NUM_MAPS) - 1};
    const char *paths[CONVERT_NUM_MAPS] = {NULL};
    uint32_t num_unused = 0;
    bool has_any = false;
    bool has_own_names = true;
    for (int map = 0; map < CONVERT_NUM_MAPS; map++) {
        const convert_picture *const picture = &material->maps[map];
        if (!picture->bytes)
            continue;
        if (!(has_map[layout->family] >> map & 1)) {
            num_unused++;
            continue;
        }
        if (layout->family == CONVERT_DOOM3 && picture->declared && picture->declared[0] == '_'
            && is_plain_path(picture->declared + 1)) { // the engine has it: _white
            paths[map] = picture->declared;
            has_any = true;
            continue;
        }
        has_own_names &= picture->declared && is_plain_path(picture->declared);
        char *const path = path_of(layout, material, (convert_map)map);
        paths[map] = write_once(layout, all, picture, path, error);
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
    else if (material->text && has_own_names && !strchr(material->text, '[')) // without tables
        convert_put_text(&all->text, "%s\n\n", material->text);
    else if (has_any)
        declare_material(&all->text, material, paths);
    return true;
}

// -- Declarations ---------------------------------------------------------------------------------

// Declares the model and its clips: in a modelDef or an md5.cfg, which has the rates of clips, too.
static bool declare_model(const convert_layout *layout, convert_bytes *to, md5_error *error)
{
    const bool is_cube = layout->family == CONVERT_CUBE2;
    convert_put_text(to, is_cube ? "md5load " : "model ");
    if (!is_cube) {
        put_word(to, "", layout->declared, "");
        convert_put_text(to, "\n{\n\tmesh\t");
    }
    put_word(to, layout->inner, layout->name, ".md5mesh");
    for (size_t i = 0; i < layout->scene->num_parts; i++) {
        convert_part *const part = &layout->scene->parts[i];
        if (part->kind != CONVERT_CLIP)
            continue;
        convert_put_text(to, is_cube ? "\nmd5anim " : "\n\tanim\t");
        put_word(to, "", part->name, "");
        convert_put_text(to, is_cube ? " " : "\t");
        put_word(to, layout->inner, part->name, ".md5anim");
        md5_doc *const clip = is_cube ? convert_parse_doc(part, error) : NULL;
        if (is_cube && !clip)
            return false;
        if (clip)
            convert_put_text(to, " %g", clip->frame_rate);
        md5_free_doc(clip);
    }
    convert_put_text(to, is_cube ? "\n" : "\n}\n");
    return true;
}

// Writes declarations, of which a folder has those of its kind.
static bool write_text(const convert_layout *layout, const char *kind, const char *ending,
                       convert_bytes *text, md5_error *error)
{
    char *const name = common_format("%s/%s%s", kind, layout->declared, ending);
    const bool is_written = write_file(layout, name, text->bytes, text->size, error);
    free(name);
    text->size = 0;
    return is_written;
}

bool convert_write_looks(const convert_layout *layout, md5_error *error)
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
    free((void *)all.pictures);
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
