// Materials from image files in the folder of a model: finds the images by their names and
// determines the kind of each map from its texels.
#include "render/gl_internal.h"
#include "render/md5gl_material_files.h"

#include <stdio.h>
#include <string.h>

enum { NAME_CAPACITY = 200, PATH_CAPACITY = 4096 };

// The state of md5gl_load_materials() while it loads the materials of a model.
typedef struct material_loader {
    md5gl_renderer *renderer;
    const md5gl_material_set_desc *desc;
    md5gl_material_set *material_set; // the result
    int folder_size;                  // bytes of desc->path before the name of the file
    char path[PATH_CAPACITY];         // path of the last file that the loader tried to read
} material_loader;

// Counts a warning about a file and passes it to the host's function. The caller sets only the
// message of `warning`.
static void warn(const material_loader *loader, const char *path, md5_error *warning)
{
    loader->material_set->num_warnings++;
    warning->status = MD5_WARNING;
    (void)snprintf(warning->file, sizeof warning->file, "%s", path);
    if (loader->desc->warn)
        loader->desc->warn(loader->desc->warn_user, warning);
}

// Returns true if two texts are equal, ignoring the case of `text`. `lowercase` consists of
// lowercase letters, digits and '.'. All of these characters have the bit that distinguishes
// lowercase letters. Setting it in `text` therefore changes only capitals.
static bool equals_lowercase(const char *text, const char *lowercase)
{
    const char lowercase_bit = 32; // bit that distinguishes lowercase from uppercase ASCII letters
    while (*text != '\0' && (*text | lowercase_bit) == *lowercase) {
        text++;
        lowercase++;
    }
    return *text == *lowercase; // both ended
}

// Removes the extension of a name if it is the extension of an image.
static void remove_image_extension(char *name)
{
    char *const dot = strrchr(name, '.');
    if (!dot)
        return;
    for (const char *const *extension = md5gl_image_extensions(); *extension; extension++) {
        if (equals_lowercase(dot, *extension)) {
            *dot = '\0';
            return;
        }
    }
}

// Returns true if a text contains a control character.
static bool has_control_character(const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ')
            return true;
    }
    return false;
}

// Writes the last part of a path to `part`: the text after the last separator, without the
// extension of an image. Writes "" if the part is too long or contains control characters. Returns
// the offset of the part in the path.
//
// Shader names are paths in the model's file, which can be hostile. Only their last part is used,
// so they cannot lead out of the folder.
static int last_part(const char *path, char part[NAME_CAPACITY])
{
    const char *start = path;
    for (const char *c = path; *c != '\0'; c++) {
        const bool is_separator = *c == '/' || *c == '\\' || *c == ':';
        if (is_separator)
            start = c + 1;
    }

    const size_t length = strlen(start);
    part[0] = '\0';
    if (length < NAME_CAPACITY && !has_control_character(start))
        memcpy(part, start, length + 1);
    remove_image_extension(part);
    return (int)(start - path);
}

// Loads the image at loader->path with the host's function. Returns false if the file does not
// exist. Also returns false, after a warning, if the image is not usable. On success, the caller
// must release image->texels with the host's function.
static bool load_image(material_loader *loader, md5gl_texture_desc *image)
{
    const md5gl_material_set_desc *const desc = loader->desc;
    const uint32_t max_side = loader->renderer->max_texture_size;
    md5_error error = {.status = MD5_OK};
    const uint8_t *const texels = (const uint8_t *)desc->load(
        desc->user, loader->path, &image->width, &image->height, &error);
    image->texels = texels;
    const bool is_empty = image->width == 0 || image->height == 0;
    const bool is_too_large = image->width > max_side || image->height > max_side;
    if (texels && !is_empty && !is_too_large)
        return true;

    if (texels) {
        desc->release(desc->user, texels);
        md5gli_fail(&error, MD5_ERROR_GPU,
                    "image size is out of range: expected 1 to %u texels per side, found %u x %u",
                    max_side, image->width, image->height);
    }
    // The host does not fill the error if the file does not exist.
    const bool has_error = error.status != MD5_OK || error.message[0] != '\0';
    if (has_error)
        warn(loader, loader->path, &error);
    return false;
}

// A part of a file name: bytes of a longer text.
typedef struct name_part {
    const char *text;
    int length;
} name_part;

// Loads an image from the folder of the model. The file name consists of `base`, "_", a keyword,
// and an extension of images. If the keyword is empty, "_" is omitted. The first existing file is
// used. Returns false if there is none.
static bool find_with_keyword(material_loader *loader, name_part base, name_part keyword,
                              md5gl_texture_desc *image)
{
    const char *const separator = keyword.length > 0 ? "_" : "";
    for (const char *const *extension = md5gl_image_extensions(); *extension; extension++) {
        const int size = snprintf(loader->path, PATH_CAPACITY, "%.*s%.*s%s%.*s%s",
                                  loader->folder_size, loader->desc->path, base.length, base.text,
                                  separator, keyword.length, keyword.text, *extension);
        const bool is_path_complete = size >= 0 && size < PATH_CAPACITY;
        if (is_path_complete && load_image(loader, image))
            return true;
    }
    return false;
}

// Loads the first existing image with one of the keywords in its name; see find_with_keyword().
// `keywords` contains a space before and after each keyword. Returns false if there is none.
static bool find_with_keywords(material_loader *loader, name_part base, const char *keywords,
                               md5gl_texture_desc *image)
{
    const char *next = keywords + strspn(keywords, " ");
    while (*next != '\0') {
        const name_part keyword = {next, (int)strcspn(next, " ")};
        if (find_with_keyword(loader, base, keyword, image))
            return true;
        next += keyword.length;
        next += strspn(next, " ");
    }
    return false;
}

// Loads an image that the host has chosen. Returns false if `path` is empty or too long, or if the
// image cannot be loaded.
static bool load_chosen(material_loader *loader, const char *path, md5gl_texture_desc *image)
{
    const int size = snprintf(loader->path, PATH_CAPACITY, "%s", path);
    const bool is_valid = size > 0 && size < PATH_CAPACITY;
    return is_valid && load_image(loader, image);
}

// Loads the image of a map, such as the normal map of a material. Returns false if it does not
// exist. If the host chooses a file, that file is used. Otherwise the file name consists of the
// base name, "_" and a keyword of the map. The base name is the first `base_length` bytes of
// `name`, which is the last part of the shader's name. The file of a diffuse image can also be
// called `name` or have the base name without a keyword.
static bool find_map(material_loader *loader, const char *shader, const char *name, int base_length,
                     md5gl_image_kind kind, md5gl_texture_desc *image)
{
    static const name_part no_keyword = {"", 0};
    const md5gl_material_set_desc *const desc = loader->desc;
    const char *const chosen = desc->name ? desc->name(desc->user, shader, kind) : NULL;
    if (chosen)
        return load_chosen(loader, chosen, image);

    const name_part complete_name = {name, (int)strlen(name)};
    const name_part base = {name, base_length};
    if (complete_name.length == 0)
        return false;
    if (kind == MD5GL_IMAGE_DIFFUSE) {
        if (find_with_keyword(loader, complete_name, no_keyword, image))
            return true;
        const bool is_shorter = base.length < complete_name.length;
        if (is_shorter && find_with_keyword(loader, base, no_keyword, image))
            return true;
    }
    return find_with_keywords(loader, base, md5gl_texture_keywords(kind), image);
}

// Returns the length of a name in bytes, without "_" and a keyword of diffuse images at its end.
// The names of all maps of a material begin with this part. For example, "imp_d" and "imp_local"
// begin with "imp".
static int find_base_length(const char *name)
{
    const char *const last = strrchr(name, '_');
    if (!last || last == name)
        return (int)strlen(name);
    // In a list of keywords, each keyword is surrounded by spaces. Search for the keyword with its
    // spaces, so that a part of a keyword does not match.
    char keyword[NAME_CAPACITY + 2];
    (void)snprintf(keyword, sizeof keyword, " %s ", last + 1);
    const bool has_keyword = strstr(md5gl_texture_keywords(MD5GL_IMAGE_DIFFUSE), keyword);
    return (int)(has_keyword ? (size_t)(last - name) : strlen(name));
}

// Creates the texture of an image and adds it to the set. Returns 0 after a warning if that fails.
static md5gl_texture add_texture(const material_loader *loader, const md5gl_texture_desc *image)
{
    md5gl_material_set *const material_set = loader->material_set;
    md5_error error = {.status = MD5_OK};
    const md5gl_texture texture = md5gl_create_texture(loader->renderer, image, &error);
    if (texture == 0) {
        warn(loader, loader->desc->path, &error);
        return 0;
    }
    material_set->textures[material_set->num_textures] = texture;
    material_set->num_textures++;
    return texture;
}

// Loads the image of a map and creates its texture. If a normal map and a height map exist, the
// slopes of the heights are added to the normals. Sets the properties of the material that depend
// on the image. Returns 0 if the image does not exist, or after a warning if the texture could not
// be created.
static md5gl_texture load_map(material_loader *loader, const char *shader, const char *name,
                              md5gl_image_kind kind, md5gl_material *material)
{
    const md5gl_material_set_desc *const desc = loader->desc;
    const int base_length = find_base_length(name);
    md5gl_texture_desc image = {.kind = MD5GL_TEXTURE_COLOR};
    md5gl_texture_desc heights = {.kind = MD5GL_TEXTURE_COLOR};
    if (!find_map(loader, shader, name, base_length, kind, &image))
        return 0;

    // Some properties can be determined only from the texels, such as the encoding of normals.
    if (kind == MD5GL_IMAGE_DIFFUSE) {
        material->two_sided = md5gl_has_transparent_texels(&image);
    } else if (kind == MD5GL_IMAGE_HEIGHTS) {
        image.kind = MD5GL_TEXTURE_NORMALS;
        image.normals = MD5GL_NORMALS_HEIGHTS;
    } else if (kind == MD5GL_IMAGE_NORMALS) {
        image.kind = MD5GL_TEXTURE_NORMALS;
        image.normals = md5gl_guess_normals(&image);
        if (image.normals == 0
            && find_map(loader, shader, name, base_length, MD5GL_IMAGE_HEIGHTS, &heights))
            image.heights = &heights;
    } else if (kind == MD5GL_IMAGE_SPECULAR && strstr(loader->path, ".png") != NULL) {
        material->has_thin_parts = true; // the alpha of PNG images marks them
    }

    const md5gl_texture texture = add_texture(loader, &image);
    desc->release(desc->user, image.texels);
    if (image.heights)
        desc->release(desc->user, heights.texels);
    return texture;
}

// Fills a material with the images of a shader. Returns false if the diffuse image does not exist.
static bool load_material(material_loader *loader, const char *shader, const char *name,
                          md5gl_material *material)
{
    material->diffuse = load_map(loader, shader, name, MD5GL_IMAGE_DIFFUSE, material);
    if (material->diffuse == 0)
        return false;
    material->normals = load_map(loader, shader, name, MD5GL_IMAGE_NORMALS, material);
    if (material->normals == 0) // heights replace missing normals
        material->normals = load_map(loader, shader, name, MD5GL_IMAGE_HEIGHTS, material);
    material->specular = load_map(loader, shader, name, MD5GL_IMAGE_SPECULAR, material);
    material->glow = load_map(loader, shader, name, MD5GL_IMAGE_GLOW, material);
    return true;
}

// Copies the material of an earlier mesh with the same shader, so that both share textures. Returns
// true if there is such a mesh, or if the mesh is empty and needs no material. A hostile model can
// have very many meshes, so only the last MAX_COMPARED meshes are compared. Otherwise the search
// would take quadratic time.
static bool reuse_material(const md5_model *model, uint32_t mesh, md5gl_material *materials)
{
    enum { MAX_COMPARED = 64 }; // real models have fewer meshes
    const char *const shader = model->meshes[mesh].shader;
    if (model->meshes[mesh].num_triangles == 0)
        return true;
    if (shader[0] == '\0')
        return false;
    for (uint32_t i = mesh > MAX_COMPARED ? mesh - MAX_COMPARED : 0; i < mesh; i++) {
        if (model->meshes[i].num_triangles > 0 && strcmp(model->meshes[i].shader, shader) == 0) {
            materials[mesh] = materials[i];
            return true;
        }
    }
    return false;
}

// Allocates a material set as one block. The set is followed by its materials and by the names of
// its textures. Returns NULL and fills the error if memory runs out.
static md5gl_material_set *create_material_set(md5gl_renderer *renderer, uint32_t num_meshes,
                                               md5_error *error)
{
    const size_t mesh_size = sizeof(md5gl_material) + MD5GL_NUM_IMAGE_KINDS * sizeof(md5gl_texture);
    md5gl_material_set *const material_set = (md5gl_material_set *)(void *)MD5GL_NEW(
        renderer, uint8_t, sizeof(md5gl_material_set) + num_meshes * mesh_size, error);
    md5gli_set_kind(material_set, MD5GL_KIND_MATERIALS);
    if (!material_set)
        return NULL;
    material_set->num_meshes = num_meshes;
    material_set->materials = (md5gl_material *)(material_set + 1);
    material_set->textures = (md5gl_texture *)(material_set->materials + num_meshes);
    return material_set;
}

// Sets the material of a mesh. Copies the material of an earlier mesh with the same shader, or
// loads the images of the shader. If there are none, gives a warning and sets a checkered texture.
static void set_mesh_material(material_loader *loader, uint32_t index)
{
    const md5gl_material_set_desc *const desc = loader->desc;
    const md5_mesh *const mesh = &desc->model->meshes[index];
    md5gl_material *const material = &loader->material_set->materials[index];
    const char *const shader = mesh->shader[0] != '\0' ? mesh->shader : mesh->name;
    char name[NAME_CAPACITY];
    (void)last_part(shader, name);

    bool has_material = reuse_material(desc->model, index, loader->material_set->materials);
    if (!has_material)
        has_material = load_material(loader, shader, name, material);
    if (!has_material) {
        md5_error missing = {.status = MD5_OK};
        md5gli_fail(&missing, MD5_WARNING, "mesh %u: image \"%s\" not found next to the model",
                    index, name);
        warn(loader, desc->path, &missing);
    }
    if (material->diffuse == 0)
        material->diffuse = md5gl_checker_texture(loader->renderer);
}

// Creates a material for each mesh that has triangles, from the images in the folder of the model.
// Call it outside a frame.
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
    const uint32_t num_meshes = desc->model->num_meshes;
    md5gl_material_set *const material_set = create_material_set(renderer, num_meshes, error);
    if (!material_set)
        return NULL;

    char name[NAME_CAPACITY];
    material_loader loader = {renderer, desc, material_set, last_part(desc->path, name), ""};
    for (uint32_t i = 0; i < num_meshes; i++)
        set_mesh_material(&loader, i);
    return material_set;
}

// Destroys the textures of a material set and frees the set. Call it after the last draw with its
// materials. `material_set` may be NULL.
void md5gl_free_materials(md5gl_renderer *renderer, md5gl_material_set *material_set)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_ALIVE(material_set, MATERIALS);
    if (!material_set)
        return;
    for (uint32_t i = 0; i < material_set->num_textures; i++)
        md5gl_destroy_texture(renderer, material_set->textures[i]);
    md5gli_free(renderer, material_set);
}
