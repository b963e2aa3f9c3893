#include "demo/common/machine.h"

#include "demo/common/file.h"
#include "demo/common/memory.h"

#include <stdio.h>
#include <stdlib.h>

// Adds the name of a clip to the messages about its binding.
typedef struct clip_warnings {
    const char *clip;
    md5_warn_fn *warn;
    void *user;
} clip_warnings;

static void name_clip(const char *clip, md5_error *error)
{
    const md5_error before = *error;
    (void)snprintf(error->message, sizeof error->message, "clip '%.60s': %.180s", clip,
                   before.message);
}

static void warn_of_clip(void *user, const md5_error *warning)
{
    const clip_warnings *const to = user;
    md5_error named = *warning;
    name_clip(to->clip, &named);
    to->warn(to->user, &named);
}

static bool load_clip(const char *folder, const md5_load_opts *opts, common_machine *loaded,
                      md5_error *error)
{
    const uint32_t clip = loaded->num_clips;
    char *const path = common_join(folder, loaded->file->clips[clip].file);
    loaded->clip_paths[clip] = path;
    loaded->num_clips++;
    loaded->anims[clip] = md5_load_anim(path, opts, error);
    if (loaded->anims[clip] == NULL)
        return false;
    md5_load_opts binding_opts = opts != NULL ? *opts : (md5_load_opts){0};
    clip_warnings named = {loaded->file->clips[clip].name, binding_opts.warn,
                           binding_opts.warn_user};
    binding_opts.file_name = path;
    if (binding_opts.warn != NULL) {
        binding_opts.warn = warn_of_clip;
        binding_opts.warn_user = &named;
    }
    loaded->bindings[clip] = md5_bind(loaded->model, loaded->anims[clip], &binding_opts, error);
    loaded->file->clips[clip].binding = loaded->bindings[clip];
    if (loaded->bindings[clip] == NULL)
        name_clip(named.clip, error);
    return loaded->bindings[clip] != NULL;
}

static bool load_parts(const char *folder, const md5_load_opts *opts, common_machine *loaded,
                       md5_error *error)
{
    md5_machine_desc *const desc = &loaded->file->desc;
    char *const model_path = common_join(folder, loaded->file->model_file);
    loaded->model = md5_load_model(model_path, opts, error);
    free(model_path);
    if (loaded->model == NULL)
        return false;
    desc->model = loaded->model;
    loaded->clip_paths = common_alloc(desc->num_clips, sizeof *loaded->clip_paths);
    loaded->anims = common_alloc(desc->num_clips, sizeof *loaded->anims);
    loaded->bindings = common_alloc(desc->num_clips, sizeof *loaded->bindings);
    while (loaded->num_clips < desc->num_clips)
        if (!load_clip(folder, opts, loaded, error))
            return false;
    return true;
}

bool common_load_machine(const char *path, const md5_load_opts *opts, common_machine *loaded,
                         md5_error *error)
{
    *loaded = (common_machine){0};
    loaded->file = md5_load_machine_file(path, opts, error);
    if (loaded->file == NULL)
        return false;
    char *const folder = common_folder(path);
    const bool has_parts = load_parts(folder, opts, loaded, error);
    free(folder);
    if (!has_parts)
        return false;
    md5_load_opts machine_opts = opts != NULL ? *opts : (md5_load_opts){0};
    machine_opts.file_name = path;
    loaded->machine = md5_create_machine(&loaded->file->desc, &machine_opts, error);
    return loaded->machine != NULL;
}

void common_free_machine(common_machine *loaded)
{
    md5_free_machine(loaded->machine);
    for (uint32_t i = 0; i < loaded->num_clips; i++) {
        md5_free_binding(loaded->bindings[i]);
        md5_free_anim(loaded->anims[i]);
        free(loaded->clip_paths[i]);
    }
    free(loaded->bindings);
    free(loaded->anims);
    free(loaded->clip_paths);
    md5_free_model(loaded->model);
    md5_free_machine_file(loaded->file);
    *loaded = (common_machine){0};
}
