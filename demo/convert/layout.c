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

// Writes a file of the game, unless it is empty.
static bool write_file(const convert_layout *layout, const char *name, const void *bytes,
                       size_t size, md5_error *error)
{
    char *const path = common_format("%s/%s", layout->root, name);
    if (size > 0)
        common_make_folders(path, 0777);
    const bool is_written = size == 0 || convert_write_file(layout->job, path, bytes, size, error);
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
    if (layout->family == CONVERT_DOOM3 && strcmp(ending, ".png") == 0) {
        md5_error why;
        if (view_decode_image(picture->bytes, size, MD5_MAX_IMAGE_PIXELS, &image, &why)) {
            tga = make_tga(&image, &size);
            ending = ".tga";
            free(image.rgba);
        } else {
            convert_note(layout->job, "%s is not made a TGA file, which Doom 3 reads: %s", path,
                         why.message);
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
    struct {
        const convert_picture *picture;
        char *path; // from the root, without ending
    } * files;      // [num_files]
    size_t num_files;
    convert_bytes text; // the declarations
} written_looks;

// Writes a picture unless an equal one is there; another one of its name gets a number. Returns its
// path, which `all` owns; NULL: failure.
static const char *write_once(const convert_layout *layout, written_looks *all,
                              const convert_picture *picture, const char *wanted, md5_error *error)
{
    char *path = common_copy(wanted);
    for (size_t k = all->num_files + 1, i = 0; i < all->num_files; i++) {
        const convert_picture *const other = all->files[i].picture;
        if (strcmp(all->files[i].path, path) != 0)
            continue;
        free(path);
        if (other->size == picture->size
            && memcmp(other->bytes, picture->bytes, picture->size) == 0)
            return all->files[i].path;
        path = common_format("%s_%zu", wanted, k++);
        i = SIZE_MAX; // the first one again
    }
    all->files = common_grow(all->files, all->num_files, sizeof *all->files);
    all->files[all->num_files].picture = picture;
    all->files[all->num_files++].path = path;
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
    const convert_picture *const picture = &material->maps[map];
    const char *const declared = picture->declared;
    if (layout->family == CONVERT_DOOM3 && declared && is_plain_path(declared))
        return common_format(
            "%.*s", (int)(strlen(declared) - (common_has_ending(declared, ".tga") ? 4 : 0)),
            declared);
    const bool is_skin = layout->family == CONVERT_QUAKE;
    char *const plain = plain_name(is_skin ? material->shader : picture->name);
    char *const path = common_format("%s%s%s%s", layout->inner, plain, is_skin ? "_00_00" : "",
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
                                       [CONVERT_OTHER] = (1 << CONVERT_NUM_MAPS) - 1};
    const char *paths[CONVERT_NUM_MAPS] = {NULL};
    uint32_t num_unused = 0;
    bool has_any = false, has_own_names = true;
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
        if (layout->family == CONVERT_DOOM3 && !is_plain_path(paths[map])) {
            convert_note(layout->job, "material %s: the engine cannot read the name %s",
                         material->shader, paths[map]);
            paths[map] = NULL;
        }
        has_any |= paths[map] != NULL;
    }
    if (num_unused > 0)
        convert_note(layout->job,
                     "material %s: %u maps besides the color are left out, as the "
                     "engine has none",
                     material->shader, (unsigned)num_unused);
    if (layout->family != CONVERT_DOOM3)
        return true;
    if (strpbrk(material->shader, "\"\r\n") || material->shader[0] == '\0')
        convert_note(layout->job, "a material without a name that can be declared is left out");
    else if (material->text && has_own_names && !strchr(material->text, '[')) // without tables
        convert_put_text(&all->text, "%s\n\n", material->text);
    else if (has_any)
        declare_material(&all->text, material, paths);
    return true;
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

// Declares the model and its clips.
static void declare_model(const convert_layout *layout, convert_bytes *def)
{
    convert_put_text(def, "model ");
    put_word(def, "", layout->declared, "");
    convert_put_text(def, "\n{\n\tmesh\t");
    put_word(def, layout->inner, layout->name, ".md5mesh");
    for (size_t i = 0; i < layout->scene->num_parts; i++) {
        const convert_part *const part = &layout->scene->parts[i];
        if (part->kind != CONVERT_CLIP)
            continue;
        convert_put_text(def, "\n\tanim\t");
        put_word(def, "", part->name, "");
        convert_put_text(def, "\t");
        put_word(def, layout->inner, part->name, ".md5anim");
    }
    convert_put_text(def, "\n}\n");
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
    if (!convert_find_model(scene) || (scene->num_materials == 0 && !layout->job->engine))
        return true;
    char nothing[] = "";
    convert_layout own = *layout;
    if (own.family != CONVERT_DOOM3) { // pictures lie beside the model
        own.root = own.folder;
        own.inner = nothing;
    }
    written_looks all = {.num_files = 0};
    bool is_written = true;
    for (size_t i = 0; i < scene->num_materials && is_written; i++)
        is_written = write_material(&own, &scene->materials[i], &all, error);
    is_written = is_written && write_text(&own, "materials", ".mtr", &all.text, error);
    if (is_written && own.family == CONVERT_DOOM3) {
        declare_model(&own, &all.text);
        is_written = write_text(&own, "def", ".def", &all.text, error);
    }
    for (size_t i = 0; i < all.num_files; i++)
        free(all.files[i].path);
    free(all.files);
    free(all.text.bytes);
    if (own.family == CONVERT_QUAKE2 && scene->num_materials > 0)
        convert_note(own.job, "the engine takes the names of skins from the .md2 file");
    if (own.family == CONVERT_OTHER && scene->num_materials > 0)
        convert_note(own.job, "no materials are declared for this engine: pictures only");
    return is_written;
}
