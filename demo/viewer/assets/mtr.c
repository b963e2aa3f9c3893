// Writes the textures of a model as materials of id's engine, which the viewer finds again.
#include "demo/viewer/assets/textures.h"

#include "demo/common/file.h"
#include "demo/common/memory.h"
#include "demo/common/write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The folder that names of images begin in: that of the package, or the model's own.
static const char *root_of(const view_textures *textures)
{
    const view_package *const package = textures->package;
    return package == NULL ? NULL : package->root != NULL ? package->root : package->folder;
}

char *view_materials_path(const view_textures *textures)
{
    const char *const root = root_of(textures);
    char *const stem = root != NULL ? common_stem(textures->package->model) : NULL;
    char *const path = root != NULL ? common_format("%s/materials/%s.mtr", root, stem) : NULL;
    free(stem);
    return path;
}

// Whether the engine reads the name of an image as one. It cuts longer ones.
static bool is_name(const char *name)
{
    enum { LONGEST = 250 };
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_./");
    return length > 0 && length < LONGEST && name[length] == '\0';
}

// The name of an image from the folder on, to be freed; NULL: it cannot be named.
static char *name_image(const view_textures *textures, const view_texture *image)
{
    if (image->program != NULL)
        return common_copy(image->program->text);
    char *const absolute = common_absolute(image->path), *const path = common_clean(absolute);
    const char *const root = root_of(textures);
    const bool is_named =
        !image->is_masks && common_is_in(path, root) && is_name(path + strlen(root) + 1);
    char *const name = is_named ? common_copy(path + strlen(root) + 1) : NULL;
    free(absolute);
    free(path);
    return name;
}

// Why the material of a mesh cannot be written, or NULL. One that another file declares would hide
// this one or be hidden.
static const char *obstacle_of(const view_textures *textures, const md5_model *model, uint32_t mesh)
{
    const char *const shader = model->meshes[mesh].shader;
    const view_texture *const diffuse = textures->meshes[mesh].maps[MD5GL_PICTURE_DIFFUSE];
    char *const name = diffuse != NULL ? name_image(textures, diffuse) : NULL;
    free(name);
    if (name == NULL)
        return diffuse == NULL ? "has no texture"
                               : "has a texture from elsewhere, or of a name with blanks or signs";
    if (shader[0] == '\0' || strpbrk(shader, "\"\r\n") != NULL)
        return "names no shader";
    for (uint32_t i = 0; i < mesh; i++)
        if (common_compare_case(model->meshes[i].shader, shader) == 0)
            return "shares its material with a mesh before it";
    const md5_decl *const decl =
        textures->package->game != NULL
            ? md5_find_decl(textures->package->game, MD5_DECL_MATERIAL, shader)
            : NULL;
    char *const path = view_materials_path(textures);
    const bool is_own = decl == NULL || decl->file == NULL
                        || common_compare_case(common_base(decl->file), common_base(path)) == 0;
    free(path);
    return is_own ? NULL : "has a material in another file";
}

static void write_material(const view_textures *textures, const md5_model *model, uint32_t mesh,
                           FILE *file, view_log *log)
{
    static const char *const words[MD5GL_NUM_PICTURES] = {[MD5GL_PICTURE_DIFFUSE] = "diffusemap",
                                                          [MD5GL_PICTURE_NORMALS] = "bumpmap",
                                                          [MD5GL_PICTURE_SPECULAR] = "specularmap"};
    const view_mesh_textures *const own = &textures->meshes[mesh];
    const view_texture *const diffuse = own->maps[MD5GL_PICTURE_DIFFUSE];
    const bool has_holes = diffuse->has_holes && !own->opaque;
    (void)fprintf(file, "\n\"%s\"\n{\n%s", model->meshes[mesh].shader,
                  own->two_sided || has_holes ? "\ttwosided\n" : "");
    for (md5gl_picture map = 0; map < MD5GL_NUM_PICTURES; map++) {
        const view_texture *const image = own->maps[map];
        char *const name = image != NULL ? name_image(textures, image) : NULL;
        if (image != NULL && name == NULL)
            view_warn(log,
                      "%s of mesh %u is not saved: %s is elsewhere than %s, or has blanks or signs",
                      view_map_name(map), (unsigned)mesh, image->path, root_of(textures));
        else if (name != NULL && map == MD5GL_PICTURE_GLOW)
            (void)fprintf(file, "\t{\n\t\tblend\tadd\n\t\tmap\t%s\n\t}\n", name);
        else if (name != NULL && map == MD5GL_PICTURE_DIFFUSE && has_holes)
            (void)fprintf(file, "\t{\n\t\tblend\tdiffusemap\n\t\tmap\t%s\n\t\talphaTest\t%g\n\t}\n",
                          name, own->alpha_test > 0.0f ? (double)own->alpha_test : 0.5);
        else if (name != NULL && words[map] != NULL)
            (void)fprintf(file, "\t%s\t%s\n", words[map], name);
        free(name);
    }
    (void)fprintf(file, "}\n");
}

uint32_t view_save_materials(const view_textures *textures, const md5_model *model, view_log *log)
{
    common_writer writer;
    char *const path = view_materials_path(textures);
    uint32_t count = 0;
    if (path == NULL)
        view_warn(log, "materials cannot be saved into an archive");
    for (uint32_t i = 0; path != NULL && i < model->num_meshes; i++) {
        const char *const obstacle = obstacle_of(textures, model, i);
        count += obstacle == NULL;
        if (obstacle != NULL)
            view_warn(log, "mesh %u is not saved: it %s", (unsigned)i, obstacle);
    }
    if (count > 0) { // else not even the folder is made, which the search would heed
        view_make_folders(path, 0777);
        bool is_written = common_begin_file(&writer, path, false);
        if (is_written) {
            (void)fprintf(writer.file, "// Materials of %s.\n",
                          common_base(textures->package->model));
            for (uint32_t i = 0; i < model->num_meshes; i++)
                if (obstacle_of(textures, model, i) == NULL)
                    write_material(textures, model, i, writer.file, log);
            is_written = common_end_file(&writer, true);
        }
        if (!is_written)
            view_warn(log, "%s: %s", path, strerror(errno));
        count = is_written ? count : 0;
    }
    free(path);
    return count;
}
