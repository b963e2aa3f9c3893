// Writes the textures of a model as materials of id's engine, which the viewer can find again.
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

char *view_materials_path(const view_textures *textures)
{
    const view_package *const package = textures->package;
    char *const stem = package != NULL ? common_stem(package->model) : NULL;
    char *const path =
        package != NULL ? common_format("%s/materials/%s.mtr", image_root(package), stem) : NULL;
    free(stem);
    return path;
}

// Returns the name of an image relative to this folder, to be freed. Returns NULL if the image is
// in another folder, or if the engine cannot read its name. The engine truncates long names.
static char *name_image(const view_textures *textures, const view_texture *image)
{
    enum { MAX_LENGTH = 250 };
    const char *const root = image_root(textures->package);
    char *const path = common_canonical_path(image->path);
    const bool is_in = image->program == NULL && common_is_in(path, root);
    char *const name = common_copy(is_in ? path + strlen(root) + 1 : image->path);
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_./");
    free(path);
    const bool is_readable = length < MAX_LENGTH && name[length] == '\0';
    if (image->program != NULL || (is_in && is_readable))
        return name;
    free(name);
    return NULL;
}

// Returns the reason why the material of a mesh cannot be written, or NULL.
static const char *find_obstacle(const view_textures *textures, const md5_model *model,
                                 uint32_t mesh)
{
    const char *const shader = model->meshes[mesh].shader;
    const view_texture *const diffuse = textures->meshes[mesh].maps[MD5GL_IMAGE_DIFFUSE];
    md5_game *const game = textures->package->game;
    const md5_decl *const decl =
        game != NULL ? md5_find_decl(game, MD5_DECL_MATERIAL, shader) : NULL;
    char *const name = diffuse != NULL ? name_image(textures, diffuse) : NULL;
    char *const path = view_materials_path(textures);
    const char *obstacle = NULL;
    if (diffuse == NULL)
        obstacle = "it has no texture";
    else if (name == NULL)
        obstacle = "its texture is in another folder or has special characters in its name";
    else if (shader[0] == '\0' || strpbrk(shader, "\"\r\n") != NULL)
        obstacle = "its shader name is missing";
    else if (decl != NULL && common_compare_case(common_base(decl->file), common_base(path)) != 0)
        obstacle = "its material is defined in another file";
    for (uint32_t i = 0; i < mesh && obstacle == NULL; i++)
        if (common_compare_case(model->meshes[i].shader, shader) == 0)
            obstacle = "an earlier mesh has the same material";
    free(name);
    free(path);
    return obstacle;
}

static void write_material(const view_textures *textures, const md5_model *model, uint32_t mesh,
                           FILE *file, view_log *log)
{
    static const char *const forms[MD5GL_NUM_IMAGE_KINDS] = {
        [MD5GL_IMAGE_DIFFUSE] = "\tdiffusemap\t%s\n",
        [MD5GL_IMAGE_NORMALS] = "\tbumpmap\t%s\n",
        [MD5GL_IMAGE_SPECULAR] = "\tspecularmap\t%s\n",
        [MD5GL_IMAGE_GLOW] = "\t{\n\t\tblend\tadd\n\t\tmap\t%s\n\t}\n"};
    static const char cut[] = "\t{\n\t\tblend\tdiffusemap\n\t\tmap\t%s\n\t\talphaTest\t0.5\n\t}\n";
    const view_mesh_textures *const mesh_textures = &textures->meshes[mesh];
    const bool has_holes =
        mesh_textures->maps[MD5GL_IMAGE_DIFFUSE]->has_holes && !mesh_textures->opaque;
    fprintf(file, "\n\"%s\"\n{\n%s", model->meshes[mesh].shader,
            mesh_textures->two_sided || has_holes ? "\ttwosided\n" : "");
    for (md5gl_image_kind map = 0; map < MD5GL_NUM_IMAGE_KINDS; map++) {
        const view_texture *const image = mesh_textures->maps[map];
        char *const name = image != NULL && !image->is_masks ? name_image(textures, image) : NULL;
        if (name != NULL && forms[map] != NULL)
            fprintf(file, map == 0 && has_holes ? cut : forms[map], name);
        else if (image != NULL)
            view_warn_about(log, (view_about){VIEW_ABOUT_MESH, mesh, 0, model},
                            "%s of mesh %u is not saved: %s", view_map_name(map), mesh,
                            image->path);
        free(name);
    }
    fprintf(file, "}\n");
}

uint32_t view_save_materials(const view_textures *textures, const md5_model *model, view_log *log)
{
    common_writer writer;
    char *const path = view_materials_path(textures);
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const char *const obstacle = find_obstacle(textures, model, i);
        count += obstacle == NULL;
        if (obstacle != NULL)
            view_warn_about(log, (view_about){VIEW_ABOUT_MESH, i, 0, model},
                            "mesh %u is not saved: %s", i, obstacle);
    }
    if (count > 0) { // otherwise not even the folder is created, because the search would find it
        common_create_folders(path, 0777);
        const bool is_begun = common_begin_file(&writer, path, false);
        for (uint32_t i = 0; i < model->num_meshes && is_begun; i++)
            if (find_obstacle(textures, model, i) == NULL)
                write_material(textures, model, i, writer.file, log);
        if (!is_begun || !common_end_file(&writer, true)) {
            view_warn(log, "%s: %s", path, strerror(errno));
            count = 0;
        }
    }
    free(path);
    return count;
}
