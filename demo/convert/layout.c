#include "demo/convert/layout.h"

#include "demo/common/file.h"
#include "demo/common/system.h"
#include "demo/looks/image.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- Layouts --------------------------------------------------------------------------------------

// Moves a folder into `name` below it unless it is called so.
static void move_into(char **folder, const char *name)
{
    char *const absolute = common_absolute(*folder);
    if (common_compare_case(common_base(absolute), name) != 0) {
        char *const inner = common_join(*folder, name);
        free(*folder);
        *folder = inner;
    }
    free(absolute);
}

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
        .folder = is_folder ? common_copy(job->output) : common_folder(job->output),
        .name =
            !is_folder ? common_stem(job->output) : common_copy(model ? model->name : scene->name),
    };
    if (layout.family == CONVERT_QUAKE)
        move_into(&layout.folder, "progs");
    if (layout.family == CONVERT_QUAKE2)
        move_into(&layout.folder, "md5");
    // A Doom 3 game's folder is that above `models`; the path is cut behind its last one.
    char *const absolute = common_absolute(layout.folder), *const clean = common_clean(absolute);
    char *const whole = common_format("%s/", clean);
    const char *inner = NULL;
    for (const char *c = whole; (c = strstr(c, "/models/")) != NULL; c++)
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

char *convert_shader_name(const convert_layout *layout, const char *shader)
{
    return layout->family == CONVERT_QUAKE ? plain_name(shader) : common_copy(shader);
}

// Whether Doom 3 reads a path as one word, and it leads nowhere else.
static bool is_plain_path(const char *path)
{
    return path[0] != '\0' && path[0] != '/' && path[0] != '_' && strstr(path, "..") == NULL
           && path[strspn(path,
                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./")]
                  == '\0';
}

// -- Pictures -------------------------------------------------------------------------------------

static bool is_jpeg(const convert_picture *picture)
{
    return picture->size > 3 && memcmp(picture->bytes, "\xff\xd8\xff", 3) == 0;
}

// A TGA file: 24 or, where alpha is used, 32 bits, the bottom row first, as all engines read it.
static uint8_t *make_tga(const view_image *image, size_t *size)
{
    enum { HEAD = 18 };
    const size_t width = image->width, height = image->height;
    bool has_alpha = false;
    for (size_t i = 0; i < width * height; i++)
        has_alpha |= image->rgba[4 * i + 3] != 255;
    const size_t depth = has_alpha ? 4 : 3;
    *size = HEAD + depth * width * height;
    uint8_t *const tga = common_alloc(*size, 1);
    tga[2] = 2; // color without palette, not packed
    tga[12] = (uint8_t)width, tga[13] = (uint8_t)(width >> 8);
    tga[14] = (uint8_t)height, tga[15] = (uint8_t)(height >> 8);
    tga[16] = (uint8_t)(8 * depth);
    tga[17] = has_alpha ? 8 : 0; // bits of alpha
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            const uint8_t *const from = image->rgba + 4 * (y * width + x);
            uint8_t *const to = tga + HEAD + depth * ((height - 1 - y) * width + x);
            to[0] = from[2], to[1] = from[1], to[2] = from[0];
            if (has_alpha)
                to[3] = from[3];
        }
    return tga;
}

// Writes a picture as root/path and an ending: for Doom 3, which reads no PNG, as TGA.
static bool write_picture(const convert_layout *layout, const convert_picture *picture,
                          const char *path, md5_error *error)
{
    view_image image;
    size_t size = picture->size;
    uint8_t *tga = NULL;
    if (layout->family == CONVERT_DOOM3 && !is_jpeg(picture)) {
        md5_error why;
        if (view_decode_image(picture->bytes, size, MD5_MAX_IMAGE_PIXELS, &image, &why)) {
            tga = make_tga(&image, &size);
            free(image.rgba);
        } else {
            convert_note(layout->job, "%s is not made a TGA file, which Doom 3 reads: %s", path,
                         why.message);
        }
    }
    char *const file = common_format("%s/%s%s", layout->root, path,
                                     tga                ? ".tga"
                                     : is_jpeg(picture) ? ".jpg"
                                                        : ".png");
    common_make_folders(file, 0777);
    const bool is_written =
        convert_write_file(layout->job, file, tga ? tga : picture->bytes, size, error);
    free(file);
    free(tga);
    return is_written;
}

// Picture files by their paths, so that each is written once and none over another.
typedef struct picture_files {
    const convert_picture **pictures; // [count]
    char **paths;                     // [count] from the root, without endings
    size_t count;
} picture_files;

// Returns the number of a path; all->count: there is none.
static size_t find_path(const picture_files *all, const char *path)
{
    size_t i = 0;
    while (i < all->count && strcmp(all->paths[i], path) != 0)
        i++;
    return i;
}

// Writes a picture unless an equal one is there; another one of its name gets a number. Returns its
// path, which `all` owns; NULL: failure.
static const char *write_once(const convert_layout *layout, picture_files *all,
                              const convert_picture *picture, const char *wanted, md5_error *error)
{
    const size_t known = find_path(all, wanted);
    const convert_picture *const other = known < all->count ? all->pictures[known] : NULL;
    if (other && other->size == picture->size
        && memcmp(other->bytes, picture->bytes, picture->size) == 0)
        return all->paths[known];
    char *path = common_copy(wanted);
    for (size_t k = all->count + 1; find_path(all, path) < all->count; k++) {
        free(path);
        path = common_format("%s_%zu", wanted, k);
    }
    all->pictures = common_grow(all->pictures, all->count, sizeof *all->pictures);
    all->paths = common_grow(all->paths, all->count, sizeof *all->paths);
    all->pictures[all->count] = picture;
    all->paths[all->count++] = path;
    return write_picture(layout, picture, path, error) ? path : NULL;
}

// -- Materials ------------------------------------------------------------------------------------

// Adds the declaration of a material with its pictures' paths; NULL: it has none.
static void declare_material(convert_bytes *mtr, const convert_material *material,
                             const char *const *paths)
{
    const char *const color = paths[CONVERT_MAP_COLOR];
    const bool is_plain = material->alpha == CONVERT_OPAQUE && !material->is_unlit;
    convert_put_text(mtr, "\"%s\"\n{\n%s", material->shader,
                     material->is_two_sided ? "\ttwosided\n" : "");
    if (color && is_plain) {
        convert_put_text(mtr, "\tdiffusemap\t%s\n", color);
    } else if (color) {
        convert_put_text(mtr, "\t{\n%s\t\tmap\t%s\n",
                         material->alpha == CONVERT_BLEND ? "\t\tblend\tblend\n"
                         : material->is_unlit             ? ""
                                                          : "\t\tblend\tdiffusemap\n",
                         color);
        if (material->alpha == CONVERT_MASK)
            convert_put_text(mtr, "\t\talphaTest\t%g\n", (double)material->cutoff);
        convert_put_text(mtr, "\t}\n");
    }
    if (paths[CONVERT_MAP_NORMAL])
        convert_put_text(mtr, "\tbumpmap\t%s\n", paths[CONVERT_MAP_NORMAL]);
    if (paths[CONVERT_MAP_SPECULAR])
        convert_put_text(mtr, "\tspecularmap\t%s\n", paths[CONVERT_MAP_SPECULAR]);
    if (paths[CONVERT_MAP_GLOW])
        convert_put_text(mtr, "\t{\n\t\tblend\tadd\n\t\tmap\t%s\n\t}\n", paths[CONVERT_MAP_GLOW]);
    convert_put_text(mtr, "}\n\n");
}

// The path of a picture from the root, without ending, to be freed.
static char *path_of(const convert_layout *layout, const convert_material *material,
                     convert_map map)
{
    static const char *const suffixes[CONVERT_NUM_MAPS] = {"", "_local", "_s", "_add"};
    const convert_picture *const picture = &material->maps[map];
    char *const plain = plain_name(layout->family == CONVERT_QUAKE ? material->shader
                                   : picture->name                 ? picture->name
                                                                   : material->shader);
    const char *const declared = picture->declared;
    char *path;
    if (layout->family == CONVERT_QUAKE)
        path = common_format("%s_00_00%s", plain, map == CONVERT_MAP_GLOW ? "_glow" : "");
    else if (layout->family == CONVERT_DOOM3 && declared && is_plain_path(declared))
        path = common_format(
            "%.*s", (int)(strlen(declared) - (common_has_ending(declared, ".tga") ? 4 : 0)),
            declared);
    else
        path = common_format("%s%s%s", layout->inner, plain, picture->name ? "" : suffixes[map]);
    free(plain);
    return path;
}

static bool write_material(const convert_layout *layout, const convert_material *material,
                           picture_files *all, convert_bytes *mtr, md5_error *error)
{
    const char *paths[CONVERT_NUM_MAPS] = {NULL};
    uint32_t num_unused = 0;
    bool is_written = true, has_any = false, has_own_names = true;
    for (int map = 0; map < CONVERT_NUM_MAPS && is_written; map++) {
        const convert_picture *const picture = &material->maps[map];
        const bool is_used = map == CONVERT_MAP_COLOR || layout->family == CONVERT_DOOM3
                             || layout->family == CONVERT_OTHER
                             || (map == CONVERT_MAP_GLOW && layout->family == CONVERT_QUAKE);
        if (!picture->bytes)
            continue;
        num_unused += !is_used;
        if (!is_used)
            continue;
        if (layout->family == CONVERT_DOOM3 && picture->declared && picture->declared[0] == '_'
            && is_plain_path(picture->declared + 1)) { // the engine has it: _white
            paths[map] = picture->declared;
            has_any = true;
            continue;
        }
        has_own_names &= picture->declared && is_plain_path(picture->declared);
        char *const path = path_of(layout, material, (convert_map)map);
        paths[map] = write_once(layout, all, picture, path, error);
        is_written = paths[map] != NULL;
        if (is_written && layout->family == CONVERT_DOOM3 && !is_plain_path(paths[map])) {
            convert_note(layout->job, "material %s: the engine cannot read the name %s",
                         material->shader, paths[map]);
            paths[map] = NULL;
        }
        has_any |= paths[map] != NULL;
        free(path);
    }
    if (num_unused > 0)
        convert_note(layout->job,
                     "material %s: %u maps besides the color are left out, as the "
                     "engine has none",
                     material->shader, (unsigned)num_unused);
    if (layout->family != CONVERT_DOOM3)
        return is_written;
    if (strpbrk(material->shader, "\"\r\n") || material->shader[0] == '\0')
        convert_note(layout->job, "a material without a name that can be declared is left out");
    else if (material->text && has_own_names && !strchr(material->text, '[')) // without tables
        convert_put_text(mtr, "%s\n\n", material->text);
    else if (has_any)
        declare_material(mtr, material, paths);
    return is_written;
}

// -- Declarations ---------------------------------------------------------------------------------

// Adds a word to a declaration, in quotes if it needs them.
static void put_word(convert_bytes *to, const char *folder, const char *name, const char *ending)
{
    char *const word = common_format("%s%s%s", folder, name, ending);
    for (char *c = word; *c != '\0'; c++)
        *c = *c == '"' || (unsigned char)*c < ' ' ? '_' : *c;
    convert_put_text(to, is_plain_path(word) ? "%s" : "\"%s\"", word);
    free(word);
}

// Writes root/folder/NAME and an ending, unless there is no text.
static bool write_text(const convert_layout *layout, const char *folder, const char *ending,
                       const convert_bytes *from, md5_error *error)
{
    char *const path = common_format("%s/%s/%s%s", layout->root, folder, layout->declared, ending);
    bool is_written = true;
    if (from->size > 0) {
        common_make_folders(path, 0777);
        is_written = convert_write_file(layout->job, path, from->bytes, from->size, error);
    }
    free(path);
    return is_written;
}

static bool write_model_def(const convert_layout *layout, md5_error *error)
{
    convert_bytes def = {.bytes = NULL};
    convert_put_text(&def, "model ");
    put_word(&def, "", layout->declared, "");
    convert_put_text(&def, "\n{\n\tmesh\t");
    put_word(&def, layout->inner, layout->name, ".md5mesh");
    for (size_t i = 0; i < layout->scene->num_parts; i++) {
        const convert_part *const part = &layout->scene->parts[i];
        if (part->kind != CONVERT_CLIP)
            continue;
        convert_put_text(&def, "\n\tanim\t");
        put_word(&def, "", part->name, "");
        convert_put_text(&def, "\t");
        put_word(&def, layout->inner, part->name, ".md5anim");
    }
    convert_put_text(&def, "\n}\n");
    const bool is_written = write_text(layout, "def", ".def", &def, error);
    free(def.bytes);
    return is_written;
}

bool convert_write_looks(const convert_layout *layout, md5_error *error)
{
    const convert_scene *const scene = layout->scene;
    if (!convert_find_model(scene) || (scene->num_materials == 0 && !layout->job->engine))
        return true;
    char nothing[] = "";
    convert_layout own = *layout;
    if (own.family != CONVERT_DOOM3) { // pictures lie beside the model
        own.root = own.folder;
        own.inner = nothing;
    }
    picture_files all = {NULL, NULL, 0};
    convert_bytes mtr = {.bytes = NULL};
    bool is_written = true;
    for (size_t i = 0; i < scene->num_materials && is_written; i++)
        is_written = write_material(&own, &scene->materials[i], &all, &mtr, error);
    for (size_t i = 0; i < all.count; i++)
        free(all.paths[i]);
    free(all.paths);
    free(all.pictures);
    if (is_written)
        is_written = write_text(&own, "materials", ".mtr", &mtr, error);
    free(mtr.bytes);
    if (own.family == CONVERT_QUAKE2 && scene->num_materials > 0)
        convert_note(own.job, "the engine takes the names of skins from the .md2 file");
    if (own.family == CONVERT_OTHER && scene->num_materials > 0)
        convert_note(own.job, "no materials are declared for this engine: pictures only");
    return is_written && (own.family != CONVERT_DOOM3 || write_model_def(&own, error));
}
