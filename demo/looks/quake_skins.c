// Finds the images of a model of the Quake re-releases, which belong to skins with numbers.
#include "demo/looks/names.h"
#include "demo/looks/search.h"

#include "demo/common/memory.h"

// Returns the path of the .md2 file that a model of Quake II replaces, or NULL. `path` is the path
// of the model and `folder` its folder. The .md2 file has the name of the model and is in the
// parent folder. The caller frees the result.
static char *find_md2(const char *folder, const char *path)
{
    char *const parent = common_folder(folder);
    char *const stem = common_stem(path);
    char *const name = common_format("%s.md2", stem);
    char *const md2 = common_find(parent, name);
    free(parent);
    free(stem);
    free(name);
    return md2;
}

// Returns the Quake game to which a model belongs, as its folder indicates. For Quake II, *md2
// receives the path of the .md2 file that the model replaces, and the caller frees it. Otherwise
// *md2 is NULL.
static view_quake find_quake(const char *path, char **md2)
{
    char *const folder = common_folder(path);
    char *const absolute = common_absolute(folder);
    const char *const name = common_base(absolute);
    const bool is_progs = strcmp(name, "progs") == 0;
    *md2 = strcmp(name, "md5") == 0 ? find_md2(absolute, path) : NULL;
    free(folder);
    free(absolute);
    if (is_progs)
        return VIEW_QUAKE_1;
    return *md2 ? VIEW_QUAKE_2 : VIEW_QUAKE_NONE;
}

view_quake view_detect_quake_game(const char *path)
{
    char *md2;
    const view_quake quake = find_quake(path, &md2);
    free(md2);
    return quake;
}

enum { MD2_NAME_SIZE = 64 }; // bytes of a name in an .md2 file's list of skins

// Reads a name of an .md2 file's list of skins. Returns false if the file is invalid or the index
// is too large.
static bool read_md2_skin(FILE *file, uint32_t skin, char name[MD2_NAME_SIZE + 1])
{
    // The header with the byte offsets of its members. Numbers are little-endian.
    enum { HEADER_SIZE = 68, VERSION_AT = 4, NUM_SKINS_AT = 20, LIST_OFFSET_AT = 44, VERSION = 8 };
    const uint32_t max_offset = 1u << 30; // offset of the list; larger sums could overflow `long`
    unsigned char header[HEADER_SIZE];
    if (fread(header, 1, HEADER_SIZE, file) != HEADER_SIZE || memcmp(header, "IDP2", 4) != 0)
        return false;
    const uint32_t version = common_read_little_endian(header + VERSION_AT, 4);
    const uint32_t num_skins = common_read_little_endian(header + NUM_SKINS_AT, 4);
    const uint32_t offset = common_read_little_endian(header + LIST_OFFSET_AT, 4);
    if (version != VERSION || skin >= num_skins || offset >= max_offset)
        return false;
    if (fseek(file, (long)offset + (long)skin * MD2_NAME_SIZE, SEEK_SET) != 0)
        return false;
    return fread(name, 1, MD2_NAME_SIZE, file) == MD2_NAME_SIZE && name[0] != '\0';
}

// Returns the name of a skin in an .md2 file without folder and extension: "skin" for
// "models/monsters/x/skin.pcx". Returns NULL if the index is too large.
static char *find_md2_skin(const char *path, uint32_t skin)
{
    char name[MD2_NAME_SIZE + 1] = "";
    FILE *const file = fopen(path, "rb");
    if (!file)
        return NULL;
    const bool is_read = read_md2_skin(file, skin, name);
    fclose(file);
    return is_read ? common_stem(name) : NULL;
}

// Returns the name of one image of a skin in Quake. It is derived from the shader, the skin and the
// index of the image. Returns NULL if the mesh does not have a shader or the name is too long.
static char *derive_image_name(const view_named_mesh *subject, uint32_t skin, uint32_t index)
{
    char name[256];
    if (subject->path[0] == '\0')
        return NULL;
    const size_t length =
        md5_quake_image_name(common_base(subject->path), skin, index, name, sizeof name);
    return length < sizeof name ? common_copy(name) : NULL;
}

// Returns the name of image `index` of a mesh's skin, without folder and extension. Returns NULL if
// it does not exist. A skin of Quake II has only one image, and its name is in the .md2 file. The
// caller frees the result.
static char *skin_image_name(const view_named_mesh *subject, uint32_t skin, uint32_t index)
{
    char *md2 = NULL;
    char *name = NULL;
    const view_quake quake = find_quake(subject->search->package->model, &md2);
    if (quake == VIEW_QUAKE_1)
        name = derive_image_name(subject, skin, index);
    else if (quake == VIEW_QUAKE_2 && index == 0)
        name = find_md2_skin(md2, skin);
    free(md2);
    return name;
}

// Returns the image of a skin with this name, in the model's folder or in the folder "textures" of
// the game. Returns NULL if it does not exist.
static const view_image_file *find_skin_file(view_package *package, const char *name)
{
    char *const in_textures = common_format("/textures/%s", name);
    char *const in_folder = common_format("/%s", name);
    free(view_add_named_folder(package, in_textures + 1)); // lists the game's folder "textures"
    const view_image_file *found = NULL;
    for (size_t i = 0; i < package->num_images && !found; i++) {
        const view_image_file *const image = &package->images[i];
        const bool is_in_model_folder = image->location == VIEW_SAME_FOLDER;
        if (common_has_suffix(image->stem, is_in_model_folder ? in_folder : in_textures))
            found = image;
    }
    free(in_textures);
    free(in_folder);
    return found;
}

// Finds image `index` of a mesh's skin in the model's folder or in the folder "textures" of the
// game. Returns NULL if it does not exist. A skin of Quake can have up to MD5_MAX_QUAKE_IMAGES
// images, which are shown in turn.
static const view_image_file *find_skin_image(const view_named_mesh *subject, uint32_t skin,
                                              uint32_t index)
{
    view_package *const package = subject->search->package;
    if (package->reader) // the game is unknown, because only the model's folder is read
        return NULL;

    char *const name = skin_image_name(subject, skin, index);
    const view_image_file *const found = name ? find_skin_file(package, name) : NULL;
    free(name);
    return found;
}

// Returns the first image of the mesh's skin *skin. If it does not exist, gives a warning, sets
// *skin to 0 and returns the first image of skin 0. Returns NULL if that does not exist either.
static const view_image_file *find_first_image(const view_named_mesh *subject, uint32_t *skin,
                                               view_listener warnings)
{
    const uint32_t requested = *skin;
    const view_image_file *const image = find_skin_image(subject, requested, 0);
    if (image || requested == 0)
        return image;
    *skin = 0;
    const view_image_file *const fallback = find_skin_image(subject, 0, 0);
    if (fallback)
        view_report_warning(warnings, common_format("mesh \"%s\" has no skin %u; using skin 0",
                                                    subject->mesh->name, requested));
    return fallback;
}

// Stores the further images of an animated skin in look->later_images. The first image is
// look->diffuse.
static void add_later_images(view_look *look, const view_named_mesh *subject, uint32_t skin)
{
    while (look->num_later_images < MD5_MAX_QUAKE_IMAGES - 1) {
        const uint32_t index = look->num_later_images + 1;
        const view_image_file *const next = find_skin_image(subject, skin, index);
        if (!next)
            break;
        look->later_images[look->num_later_images] = common_copy(next->path);
        look->num_later_images++;
    }
}

// Selects the images of the mesh's skin. If the skin does not exist, uses skin 0 with a warning.
// Returns false if no image exists.
bool view_select_skin(view_look *look, const view_named_mesh *subject, view_listener warnings)
{
    uint32_t skin = subject->search->skin;
    const view_image_file *const image = find_first_image(subject, &skin, warnings);
    if (!image)
        return false;
    view_select_known_image(look, image, BY_SKIN);
    add_later_images(look, subject, skin);
    return true;
}
