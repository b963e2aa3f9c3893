#include "demo/viewer/motion/upload.h"

#include "demo/viewer/assets/layers.h"

md5gl_model *view_create_model(const view_loader *loader, const md5_model *model)
{
    const view_options *const options = loader->options;
    md5_error error;
    md5gl_model *drawn = md5gl_create_model(loader->renderer, model, options->path, &error);
    if (drawn == NULL && options->path != MD5GL_PATH_AUTO && !options->verify
        && error.status == MD5_ERROR_GPU) {
        view_warn(loader->log, "%s; using another vertex path", error.message);
        drawn = md5gl_create_model(loader->renderer, model, MD5GL_PATH_AUTO, &error);
    }
    if (drawn == NULL)
        view_log_error(loader->log, &error);
    return drawn;
}

bool view_upload(const view_loader *loader, const view_scene *scene, bool as_asked,
                 md5gl_model **drawn, view_textures *textures)
{
    *drawn = NULL;
    *textures = (view_textures){0};
    if (scene->model == NULL || loader->renderer == NULL)
        return true;
    *drawn = view_create_model(loader, scene->model);
    if (*drawn == NULL)
        return false;
    if (!view_load_textures(textures, loader->renderer, scene->model, scene->path,
                            scene->library != NULL ? scene->library->game : NULL, scene->looks,
                            scene->num_looks, as_asked ? loader->options : NULL, loader->chosen,
                            loader->log)) {
        md5gl_destroy_model(loader->renderer, *drawn);
        *drawn = NULL;
        return false;
    }
    view_set_deforms(&textures->layers, loader->renderer, *drawn, scene->model, loader->log);
    return true;
}
