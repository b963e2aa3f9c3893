#include "demo/viewer/scene/morphs.h"

#include "demo/common/file.h"
#include "demo/common/memory.h"

#include <stdlib.h>
#include <string.h>

char *view_name_morphs(const view_morphs *morphs)
{
    char *names = common_format("%s", "");
    for (uint32_t i = 0; morphs->morph != NULL && i < morphs->morph->num_targets; i++) {
        char *const longer =
            common_format("%s%s%s", names, i > 0 ? ", " : "", morphs->morph->targets[i].name);
        free(names);
        names = longer;
    }
    return names;
}

// Loads the files in the folder and computes their differences from the model.
static md5_morph *load_files(const view_scene *scene, const common_list *files, view_log *log)
{
    md5_morph_source *const sources = common_alloc(files->count + 1, sizeof *sources);
    md5_model **const models = common_alloc(files->count + 1, sizeof *models);
    md5_error error = {.status = MD5_OK};
    size_t count = 0;
    bool loaded = true;
    for (; count < files->count && loaded; count++) {
        models[count] = md5_load_model(files->names[count], NULL, &error);
        sources[count] = (md5_morph_source){common_stem(files->names[count]), models[count]};
        loaded = models[count] != NULL;
    }
    md5_morph *const morph =
        loaded ? md5_create_morph(scene->model, sources, (uint32_t)count, NULL, &error) : NULL;
    if (morph == NULL)
        view_log_error(log, &error);
    for (size_t i = 0; i < count; i++) {
        md5_free_model(models[i]);
        free((char *)(uintptr_t)sources[i].name);
    }
    free(models);
    free(sources);
    return morph;
}

static bool weigh(const view_morphs *morphs, const view_loader *loader)
{
    for (size_t i = 0; i < loader->options->num_morphs; i++) {
        const view_setting *const wanted = &loader->options->morphs[i];
        const int32_t target = md5_find_morph_target(morphs->morph, wanted->parameter);
        if (target < 0) {
            char *const names = view_name_morphs(morphs);
            view_error(loader->log, "--morph %s: no such target; %s%s", wanted->parameter,
                       names[0] != '\0' ? "available: " : "none available", names);
            free(names);
            return false;
        }
        morphs->weights[target] = wanted->value;
    }
    return true;
}

bool view_load_morphs(view_morphs *morphs, const view_scene *scene, const view_loader *loader)
{
    if (scene->model == NULL || scene->path == NULL)
        return true;
    char *const folder = common_folder(scene->path), *const inner = common_join(folder, "morphs");
    common_list files = common_list_folder(inner, ".md5mesh");
    morphs->morph = load_files(scene, &files, loader->log);
    common_free_list(&files);
    free(inner);
    free(folder);
    if (morphs->morph == NULL)
        return false;
    morphs->weights = common_alloc(morphs->morph->num_targets + 1, sizeof *morphs->weights);
    memset(morphs->weights, 0, morphs->morph->num_targets * sizeof *morphs->weights);
    md5_error error;
    if (loader->renderer != NULL) {
        morphs->drawn = md5gl_create_morph(loader->renderer, morphs->morph, &error);
        if (morphs->drawn == NULL) {
            view_log_error(loader->log, &error);
            return false;
        }
    }
    return weigh(morphs, loader);
}

void view_free_morphs(view_morphs *morphs, md5gl_renderer *renderer)
{
    if (renderer != NULL)
        md5gl_destroy_morph(renderer, morphs->drawn);
    md5_free_morph(morphs->morph);
    free(morphs->weights);
    *morphs = (view_morphs){.morph = NULL};
}

bool view_set_morphs(const view_morphs *morphs, md5gl_renderer *renderer, md5gl_model *drawn,
                     md5_error *error)
{
    return drawn == NULL || morphs->drawn == NULL
           || md5gl_set_morph(renderer, drawn, morphs->drawn, morphs->weights, 1, error);
}
