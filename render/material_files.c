// Materials from pictures beside a model: which names are sought, and what their texels say.
#include "render/gl_internal.h"
#include "render/md5gl_material_files.h"

#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 200, PATH_ROOM = 4096 };

typedef struct look_loader {
    md5gl_renderer *renderer;
    const md5gl_material_set_desc *desc;
    md5gl_material_set *material_set;
    int folder_size;      // bytes of desc->path before the file's name
    char path[PATH_ROOM]; // of the last file that was tried
} look_loader;

static void warn(const look_loader *loader, const char *path, md5_error *warning)
{
    loader->material_set->num_warnings++;
    warning->status = MD5_WARNING;
    (void)snprintf(warning->file, sizeof warning->file, "%s", path);
    if (loader->desc->warn)
        loader->desc->warn(loader->desc->warn_user, warning);
}

// Writes what a file may be named by: the last part of a name, without the ending of a picture.
// Names are what the model's file says: no part leads out of the folder. Those that are too long,
// and such with control characters, are "". Returns the part's offset.
static int last_part(const char *name, char part[NAME_ROOM])
{
    const char *start = name;
    for (const char *c = name; *c != '\0'; c++)
        if (*c == '/' || *c == '\\' || *c == ':')
            start = c + 1;
    const size_t length = strlen(start);
    part[0] = '\0';
    if (length < NAME_ROOM)
        memcpy(part, start, length + 1);
    for (const char *c = start; *c != '\0'; c++)
        if ((unsigned char)*c < ' ')
            part[0] = '\0';
    char *const dot = strrchr(part, '.');
    for (const char *const *ending = md5gl_image_extensions(); dot && *ending; ending++) {
        size_t same = 0; // ignoring case
        while (dot[same] != '\0' && (dot[same] | 32) == (*ending)[same])
            same++;
        if (dot[same] == (*ending)[same])
            *dot = '\0';
    }
    return (int)(start - name);
}

// Loads the picture at loader->path. Its texels are to be released.
static bool load_picture(look_loader *loader, md5gl_texture_desc *picture)
{
    const md5gl_material_set_desc *const desc = loader->desc;
    const uint32_t most = loader->renderer->max_texture_size;
    md5_error error = {.status = MD5_OK};
    const uint8_t *const texels = (const uint8_t *)desc->load(
        desc->user, loader->path, &picture->width, &picture->height, &error);
    picture->texels = texels;
    if (texels && picture->width - 1 < most && picture->height - 1 < most)
        return true;
    if (texels) {
        desc->release(desc->user, texels);
        md5gli_fail(&error, MD5_ERROR_GPU,
                    "image size is out of range: expected 1 to %u texels per side, found %u x %u",
                    most, picture->width, picture->height);
    }
    if (error.status != MD5_OK || error.message[0] != '\0')
        warn(loader, loader->path, &error);
    return false;
}

// Loads the first picture that is called so many bytes of `name` and one of the words, or "",
// alone.
static bool find_picture(look_loader *loader, const char *name, int length, const char *words,
                         md5gl_texture_desc *picture)
{
    do {
        words += strspn(words, " ");
        const int size = (int)strcspn(words, " ");
        for (const char *const *ending = md5gl_image_extensions(); *ending; ending++) {
            const int written = snprintf(loader->path, PATH_ROOM, "%.*s%.*s%s%.*s%s",
                                         loader->folder_size, loader->desc->path, length, name,
                                         size > 0 ? "_" : "", size, words, *ending);
            if (written < 0 || written >= PATH_ROOM)
                return false;
            if (load_picture(loader, picture))
                return true;
        }
        words += size;
    } while (*words == ' ' && words[1] != '\0');
    return false;
}

// Loads the picture of a map: the one that the program names, or else one that is called like the
// shader's last part, `name`, or so many bytes of it before another word of a diffuse picture.
static bool find_map(look_loader *loader, const char *shader, const char *name, int base,
                     md5gl_image_kind kind, md5gl_texture_desc *picture)
{
    const md5gl_material_set_desc *const desc = loader->desc;
    const char *const given = desc->name ? desc->name(desc->user, shader, kind) : NULL;
    if (given)
        return snprintf(loader->path, PATH_ROOM, "%s", given) < PATH_ROOM && *given != '\0'
               && load_picture(loader, picture);
    const int length = (int)strlen(name);
    return length > 0
           && ((kind == MD5GL_IMAGE_DIFFUSE
                && (find_picture(loader, name, length, "", picture)
                    || (base < length && find_picture(loader, name, base, "", picture))))
               || find_picture(loader, name, base, md5gl_texture_keywords(kind), picture));
}

// Fills a material with the pictures of a shader; false if there is no diffuse one.
static bool load_material(look_loader *loader, const char *shader, const char *name,
                          md5gl_material *material)
{
    const md5gl_material_set_desc *const desc = loader->desc;
    md5gl_texture *const textures[MD5GL_NUM_IMAGE_KINDS] = {&material->diffuse, &material->normals,
                                                            &material->normals, &material->specular,
                                                            &material->glow};
    const char *const last = strrchr(name, '_');
    char word[NAME_ROOM + 2];
    (void)snprintf(word, sizeof word, " %s ", last ? last + 1 : "");
    const bool has_word =
        last && last > name && strstr(md5gl_texture_keywords(MD5GL_IMAGE_DIFFUSE), word);
    const int base = (int)(has_word ? (size_t)(last - name) : strlen(name));
    for (int kind = 0; kind < MD5GL_NUM_IMAGE_KINDS && (kind == 0 || material->diffuse); kind++) {
        md5_error error = {.status = MD5_OK};
        md5gl_texture_desc picture = {.kind = MD5GL_TEXTURE_COLOR};
        md5gl_texture_desc heights = picture;
        if (*textures[kind] != 0 // heights are not needed
            || !find_map(loader, shader, name, base, (md5gl_image_kind)kind, &picture))
            continue;
        if (kind == MD5GL_IMAGE_DIFFUSE) {
            material->two_sided = md5gl_has_transparent_texels(&picture);
        } else if (kind == MD5GL_IMAGE_HEIGHTS) {
            picture.kind = MD5GL_TEXTURE_NORMALS;
            picture.normals = MD5GL_NORMALS_HEIGHTS;
        } else if (kind == MD5GL_IMAGE_NORMALS) {
            picture.kind = MD5GL_TEXTURE_NORMALS;
            picture.normals = md5gl_guess_normals(&picture);
            if (picture.normals == 0
                && find_map(loader, shader, name, base, MD5GL_IMAGE_HEIGHTS, &heights))
                picture.heights = &heights;
        }
        *textures[kind] = md5gl_create_texture(loader->renderer, &picture, &error);
        material->has_thin_parts =
            material->has_thin_parts
            || (kind == MD5GL_IMAGE_SPECULAR && strstr(loader->path, ".png") != NULL);
        if (*textures[kind] != 0)
            loader->material_set->textures[loader->material_set->num_textures++] = *textures[kind];
        else
            warn(loader, desc->path, &error);
        desc->release(desc->user, picture.texels);
        if (picture.heights)
            desc->release(desc->user, heights.texels);
    }
    return material->diffuse != 0;
}

md5gl_material_set *md5gl_load_materials(md5gl_renderer *renderer,
                                         const md5gl_material_set_desc *desc, md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    MD5_ASSERT(desc != NULL && desc->path && desc->load && desc->release,
               "desc: must have path, load and release");
    MD5_ASSERT_RESERVED(desc);
    if (!renderer || !desc->model) {
        md5gli_fail_missing(error, renderer ? "model" : "renderer");
        return NULL;
    }
    MD5GL_ASSERT_NO_FRAME(renderer);
    const uint32_t count = desc->model->num_meshes;
    const size_t each = sizeof(md5gl_material) + MD5GL_NUM_IMAGE_KINDS * sizeof(md5gl_texture);
    md5gl_material_set *const material_set = (md5gl_material_set *)(void *)MD5GL_NEW(
        renderer, uint8_t, sizeof(md5gl_material_set) + count * each, error);
    md5gli_set_kind(material_set, MD5GL_KIND_LOOKS);
    if (!material_set)
        return NULL;
    material_set->num_meshes = count;
    material_set->materials = (md5gl_material *)(material_set + 1);
    material_set->textures = (md5gl_texture *)(material_set->materials + count);
    char name[NAME_ROOM];
    look_loader loader = {renderer, desc, material_set, last_part(desc->path, name), ""};
    for (uint32_t i = 0; i < count; i++) {
        enum { COMPARED = 64 }; // real models have fewer meshes
        const md5_mesh *const meshes = desc->model->meshes;
        const md5_mesh *const mesh = &meshes[i];
        md5gl_material *const material = &material_set->materials[i];
        bool is_found = mesh->num_triangles == 0;
        for (uint32_t k = i > COMPARED ? i - COMPARED : 0; k < i && !is_found; k++) {
            is_found = mesh->shader[0] != '\0' && meshes[k].num_triangles > 0
                       && strcmp(meshes[k].shader, mesh->shader) == 0;
            *material = is_found ? material_set->materials[k] : *material;
        }
        const char *const shader = mesh->shader[0] != '\0' ? mesh->shader : mesh->name;
        (void)last_part(shader, name);
        if (!is_found && !load_material(&loader, shader, name, material)) {
            md5_error missing = {.status = MD5_OK};
            md5gli_fail(&missing, MD5_WARNING, "mesh %u: image \"%s\" not found next to the model",
                        i, name);
            warn(&loader, desc->path, &missing);
        }
        if (material->diffuse == 0)
            material->diffuse = md5gl_checker_texture(renderer);
    }
    return material_set;
}

void md5gl_free_materials(md5gl_renderer *renderer, md5gl_material_set *material_set)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_ALIVE(material_set, LOOKS);
    if (!material_set)
        return;
    for (uint32_t i = 0; i < material_set->num_textures; i++)
        md5gl_destroy_texture(renderer, material_set->textures[i]);
    md5gli_free(renderer, material_set);
}
