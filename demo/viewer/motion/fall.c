#include "demo/viewer/motion/motion.h"

// -- A figure beside the model --------------------------------------------------------------------

static const char *name_of(void *user, size_t file)
{
    (void)file;
    return ((const view_fall *)user)->name;
}

static const void *open_file(void *user, size_t file, size_t *size, md5_error *error)
{
    const char *reason;
    (void)file;
    char *const text = common_read_stream(((const view_fall *)user)->path, size, &reason);
    if (text == NULL && error != NULL) {
        error->status = MD5_ERROR_IO;
        COMMON_TEXT(error->message, "%s", reason);
    }
    return text;
}

static void close_file(void *user, const void *bytes, size_t size)
{
    (void)user, (void)size;
    free((void *)(uintptr_t)bytes);
}

// The clip that a figure begins in, of an entity made of the scene's model.
static bool load_setup(view_fall *fall, const md5_model *model, const char *folder,
                       const md5_load_opts *opts)
{
    static const char *const names[] = {"af_pose.md5anim", "idle.md5anim"};
    for (size_t i = 0; i < COMMON_LENGTH(names) && fall->clip.num_files == 0; i++) {
        char *const path = common_join(folder, names[i]);
        md5_anim *const anim = common_is_file(path) ? md5_load_anim(path, opts, NULL) : NULL;
        md5_binding *const binding = anim != NULL ? md5_bind(model, anim, opts, NULL) : NULL;
        free(path);
        fall->clip.anims[0] = anim;
        fall->clip.bindings[0] = binding;
        fall->clip.num_files = binding != NULL;
        if (binding == NULL)
            md5_free_anim(anim);
    }
    fall->anim = (md5_model_anim){.name = "af_pose"};
    fall->clip.anim = &fall->anim;
    fall->entity = (md5_entity){.model = model, .num_clips = 1, .clips = &fall->clip};
    return fall->clip.num_files > 0;
}

static void load_beside(view_fall *fall, const md5_model *model, const char *model_path,
                        const md5_load_opts *opts)
{
    char *const folder = common_folder(model_path), *const stem = common_stem(model_path);
    char *const file = common_format("%s.af", stem);
    fall->path = common_join(folder, file);
    fall->name = common_format("af/%s", file);
    if (common_is_file(fall->path) && load_setup(fall, model, folder, opts)) {
        const md5_game_path place = {
            .num_files = 1, .name = name_of, .open = open_file, .close = close_file, .user = fall};
        fall->game = md5_create_game(&place, 1, opts, NULL);
        const md5_figure_def *const def =
            fall->game != NULL ? md5_game_figure_def(fall->game, stem, NULL) : NULL;
        fall->own = def != NULL ? md5_create_figure(def, &fall->entity, opts, NULL) : NULL;
        fall->bodies = fall->own;
    }
    free(file);
    free(stem);
    free(folder);
}

void view_load_fall(view_scene *scene, const char *model_path, const md5_load_opts *opts)
{
    view_fall *const fall = common_alloc(1, sizeof *fall);
    fall->bodies = scene->entity.bodies;
    if (fall->bodies == NULL && model_path != NULL)
        load_beside(fall, scene->model, model_path, opts);
    scene->fall = fall;
    if (fall->bodies == NULL) {
        view_free_fall(fall);
        scene->fall = NULL;
    }
}

void view_free_fall(view_fall *fall)
{
    if (fall == NULL)
        return;
    md5_free_figure(fall->own);
    md5_destroy_game(fall->game);
    if (fall->clip.num_files > 0) {
        md5_free_binding((md5_binding *)(uintptr_t)fall->clip.bindings[0]);
        md5_free_anim((md5_anim *)(uintptr_t)fall->clip.anims[0]);
    }
    free(fall->path);
    free(fall->name);
    free(fall);
}
