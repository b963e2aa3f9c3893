// Writes the textures of a model as materials of id's engine. When the model is opened again, the
// viewer finds these materials.
#include "demo/viewer/assets/textures.h"

#include "demo/common/system.h"
#include "demo/common/write.h"

#include <errno.h>

// Returns the folder that image names are relative to: the root of the package, or the model's
// folder.
static const char *image_root(const view_package *package)
{
    return package->root != NULL ? package->root : package->folder;
}

// Returns the path of the material file of the model, which the caller frees, or NULL if the
// model is in an archive. The name of the file is the name of the model with the extension .mtr.
char *view_materials_path(const view_textures *textures)
{
    const view_package *const package = textures->package;
    if (package == NULL)
        return NULL;
    char *const stem = common_stem(package->model);
    char *const path = common_format("%s/materials/%s.mtr", image_root(package), stem);
    free(stem);
    return path;
}

// Returns the path of an image relative to the root of image names, or NULL if the image is in
// another folder. The caller frees it.
static char *relative_path(const view_textures *textures, const view_texture *image)
{
    const char *const root = image_root(textures->package);
    char *const path = common_canonical_path(image->path);
    char *name = NULL;
    if (common_is_in(path, root))
        name = common_copy(path + strlen(root) + 1);
    free(path);
    return name;
}

// Returns true if the engine can read a name. It truncates longer names, so they would not match.
static bool is_valid_name(const char *name)
{
    enum { MAX_LENGTH = 250 };
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_./");
    return length < MAX_LENGTH && name[length] == '\0';
}

// Returns the name of an image in a material, to be freed. Returns NULL if the image is in another
// folder, or if the engine cannot read its name.
static char *name_image(const view_textures *textures, const view_texture *image)
{
    if (image->program != NULL) // an image of a game
        return common_copy(image->path);
    char *const name = relative_path(textures, image);
    if (name != NULL && is_valid_name(name))
        return name;
    free(name);
    return NULL;
}

// Returns true if the game declares a material in another file than the file to write.
static bool is_declared_elsewhere(const view_textures *textures, const char *shader)
{
    md5_game *const game = textures->package->game;
    const md5_decl *decl = NULL;
    if (game != NULL)
        decl = md5_find_decl(game, MD5_DECL_MATERIAL, shader);
    if (decl == NULL)
        return false;
    char *const path = view_materials_path(textures);
    const bool is_elsewhere = common_compare_case(common_base(decl->file), common_base(path)) != 0;
    free(path);
    return is_elsewhere;
}

// Returns the reason why the name of an image cannot be written, or NULL.
static const char *find_name_obstacle(const view_textures *textures, const view_texture *image)
{
    char *const name = name_image(textures, image);
    char *const path = relative_path(textures, image);
    const char *obstacle = NULL;
    if (name == NULL && path == NULL)
        obstacle = "its texture is in another folder";
    else if (name == NULL)
        obstacle = "the engine cannot read the file name of its texture";
    free(name);
    free(path);
    return obstacle;
}

// Returns the reason why the material of a mesh cannot be written, or NULL.
static const char *find_obstacle(const view_textures *textures, const md5_model *model,
                                 uint32_t mesh)
{
    const char *const shader = model->meshes[mesh].shader;
    const view_texture *const diffuse = textures->meshes[mesh].maps[MD5GL_IMAGE_DIFFUSE];
    if (diffuse == NULL)
        return "it has no texture";
    const char *const name_obstacle = find_name_obstacle(textures, diffuse);
    if (name_obstacle != NULL)
        return name_obstacle;
    if (shader[0] == '\0')
        return "its shader name is missing";
    if (strpbrk(shader, "\"\r\n") != NULL)
        return "its shader name contains a quote or a line break";
    if (is_declared_elsewhere(textures, shader))
        return "its material is defined in another file";
    for (uint32_t i = 0; i < mesh; i++) {
        if (common_compare_case(model->meshes[i].shader, shader) == 0)
            return "an earlier mesh has the same material";
    }
    return NULL;
}

// Writes the lines of a material that declare one of its maps. Some maps cannot be written: masks
// of Cube 2, heights, and images whose names the engine cannot read. Warns of them.
static void write_material_map(const view_textures *textures, const md5_model *model, uint32_t mesh,
                               md5gl_image_kind map, bool is_alpha_tested, FILE *file,
                               view_log *log)
{
    static const char *const formats[MD5GL_NUM_IMAGE_KINDS] = {
        [MD5GL_IMAGE_DIFFUSE] = "\tdiffusemap\t%s\n",
        [MD5GL_IMAGE_NORMALS] = "\tbumpmap\t%s\n",
        [MD5GL_IMAGE_SPECULAR] = "\tspecularmap\t%s\n",
        [MD5GL_IMAGE_GLOW] = "\t{\n\t\tblend\tadd\n\t\tmap\t%s\n\t}\n"};
    static const char alpha_tested_format[] =
        "\t{\n\t\tblend\tdiffusemap\n\t\tmap\t%s\n\t\talphaTest\t0.5\n\t}\n";
    const view_texture *const image = textures->meshes[mesh].maps[map];
    const char *const format = is_alpha_tested ? alpha_tested_format : formats[map];
    char *const name = image->is_masks ? NULL : name_image(textures, image);
    if (name != NULL && format != NULL)
        fprintf(file, format, name);
    else
        view_warn_about(log, (view_about){VIEW_ABOUT_MESH, mesh, 0, model},
                        "%s of mesh %u is not saved: %s", view_map_name(map), mesh, image->path);
    free(name);
}

// Writes the material of a mesh with its maps. The mesh has a diffuse map. If this map has holes,
// the material cuts them by an alpha test. It then also shows the back sides, which can be seen
// through the holes.
static void write_material(const view_textures *textures, const md5_model *model, uint32_t mesh,
                           FILE *file, view_log *log)
{
    const view_mesh_textures *const mesh_textures = &textures->meshes[mesh];
    const bool has_holes =
        mesh_textures->maps[MD5GL_IMAGE_DIFFUSE]->has_holes && !mesh_textures->opaque;
    const bool is_two_sided = mesh_textures->two_sided || has_holes;
    fprintf(file, "\n\"%s\"\n{\n%s", model->meshes[mesh].shader,
            is_two_sided ? "\ttwosided\n" : "");
    for (md5gl_image_kind map = 0; map < MD5GL_NUM_IMAGE_KINDS; map++) {
        const bool is_alpha_tested = map == MD5GL_IMAGE_DIFFUSE && has_holes;
        if (mesh_textures->maps[map] != NULL)
            write_material_map(textures, model, mesh, map, is_alpha_tested, file, log);
    }
    fprintf(file, "}\n");
}

// Saves the textures of a model as a .mtr file of Doom 3: one material for each mesh.
uint32_t view_save_materials(const view_textures *textures, const md5_model *model, view_log *log)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const char *const obstacle = find_obstacle(textures, model, i);
        if (obstacle == NULL)
            count++;
        else
            view_warn_about(log, (view_about){VIEW_ABOUT_MESH, i, 0, model},
                            "mesh %u is not saved: %s", i, obstacle);
    }
    if (count == 0) // not even the folder is created, because the search would find it
        return 0;

    common_writer writer;
    char *const path = view_materials_path(textures);
    common_create_folders(path, 0777);
    const bool is_begun = common_begin_file(&writer, path, false);
    if (is_begun) {
        for (uint32_t i = 0; i < model->num_meshes; i++) {
            if (find_obstacle(textures, model, i) == NULL)
                write_material(textures, model, i, writer.file, log);
        }
    }
    if (!is_begun || !common_end_file(&writer, true)) {
        view_warn(log, "%s: %s", path, strerror(errno));
        count = 0;
    }
    free(path);
    return count;
}
