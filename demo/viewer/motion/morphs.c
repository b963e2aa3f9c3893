// Loads the morph targets of a model and computes their weights; see morphs.h.
#include "demo/viewer/motion/morphs.h"

bool view_has_driven_morphs(const md5_machine *machine)
{
    return machine != NULL && md5_machine_num_morphs(machine) > 0;
}

void view_drive_morphs(const view_morphs *morphs, md5_player *player, float *reported,
                       float *weights)
{
    memcpy(weights, morphs->asked, morphs->morph->num_targets * sizeof *weights);
    if (player == NULL || morphs->num_driven == 0)
        return;
    md5_player_morphs(player, reported);
    for (uint32_t i = 0; i < morphs->num_driven; i++)
        if (morphs->driven[i] != MD5_NONE)
            weights[morphs->driven[i]] += reported[i];
}

// Skinning blends a displacement with weights that sum to 1, and joints only rotate it, except for
// the scales of a .md5scale file. So a target moves a vertex by at most its reach.
float view_morph_reach(const view_morphs *morphs, const float *weights)
{
    float reach = 0;
    if (morphs == NULL)
        return reach;
    const md5_morph_target *const targets = morphs->morph->targets;
    for (uint32_t i = 0; i < morphs->morph->num_targets; i++)
        reach += fabsf(weights != NULL ? weights[i] : morphs->asked[i]) * targets[i].reach;
    for (uint32_t i = 0; i < morphs->num_driven && weights == NULL; i++)
        if (morphs->driven[i] != MD5_NONE)
            reach += targets[morphs->driven[i]].reach;
    return reach;
}

bool view_load_morphs(view_morphs *morphs, const char *path, const md5_model *model,
                      const md5_machine *machine, bool has_all, const view_loader *loader)
{
    if (model == NULL || path == NULL)
        return true;
    char *const folder = common_folder(path);
    char *const inner = common_join(folder, "morphs");
    common_list files = common_list_folder(inner, ".md5mesh");
    md5_morph_source *const sources = common_alloc(files.count, sizeof *sources);
    const md5_load_opts opts = {.skip_geometry = MD5_GEOMETRY_SKIN_PLANS | MD5_GEOMETRY_LOSSES};
    md5_error error = {0};
    uint32_t count = 0;
    bool is_loaded = true;
    for (; count < files.count && is_loaded
           && view_log_progress(loader->log, "morph targets", count, files.count);
         count++) {
        const char *const file = files.names[count];
        sources[count] = (md5_morph_source){.name = common_stem(file),
                                            .model = md5_load_model(file, &opts, &error)};
        is_loaded = sources[count].model != NULL;
    }
    morphs->morph = is_loaded ? md5_create_morph(model, sources, count, NULL, &error) : NULL;
    while (count-- > 0) {
        md5_free_model((md5_model *)(uintptr_t)sources[count].model);
        free((char *)(uintptr_t)sources[count].name);
    }
    free(sources);
    common_free_list(&files);
    free(inner);
    free(folder);
    if (morphs->morph == NULL)
        return view_log_error(loader->log, &error);
    const uint32_t num_targets = morphs->morph->num_targets;
    morphs->weights = common_alloc(num_targets, sizeof *morphs->weights);
    morphs->asked = common_alloc(num_targets, sizeof *morphs->asked);
    if (view_has_driven_morphs(machine)) {
        morphs->num_driven = md5_machine_num_morphs(machine);
        morphs->driven = common_alloc(morphs->num_driven, sizeof *morphs->driven);
        morphs->reported = common_alloc(morphs->num_driven, sizeof *morphs->reported);
    }
    for (uint32_t i = 0; i < morphs->num_driven; i++) {
        const char *const name = md5_machine_morph_name(machine, i);
        morphs->driven[i] = md5_find_morph_target(morphs->morph, name);
        if (morphs->driven[i] == MD5_NONE)
            view_warn(loader->log,
                      "the machine uses morph target %s, but morphs/%s.md5mesh was not found", name,
                      name);
    }
    if (loader->renderer != NULL) {
        morphs->drawn = md5gl_create_morph(loader->renderer, morphs->morph, &error);
        if (morphs->drawn == NULL)
            return view_log_error(loader->log, &error);
    }
    bool has_weights = true;
    for (size_t i = 0; i < loader->options->morphs.count && has_weights; i++) {
        const view_setting *const choice = &loader->options->morphs.rows[i];
        const uint32_t target = md5_find_morph_target(morphs->morph, choice->parameter);
        if (target != MD5_NONE) {
            morphs->asked[target] = choice->value;
        } else if (has_all) {
            char *names = common_copy(""); // names of the targets, separated by commas
            for (uint32_t k = 0; k < num_targets; k++)
                common_extend(&names, "%s%s", k > 0 ? ", " : "", morphs->morph->targets[k].name);
            has_weights = view_error(
                loader->log, "--morph %s: unknown target; %s%s", choice->parameter,
                names[0] != '\0' ? "valid names: " : "the model has no morph targets", names);
            free(names);
        }
    }
    view_drive_morphs(morphs, NULL, NULL, morphs->weights);
    return has_weights;
}

void view_free_morphs(view_morphs *morphs, md5gl_renderer *renderer)
{
    if (renderer != NULL)
        md5gl_destroy_morph(renderer, morphs->drawn);
    md5_destroy_morph(morphs->morph);
    free(morphs->weights);
    free(morphs->asked);
    free(morphs->driven);
    free(morphs->reported);
    *morphs = (view_morphs){.morph = NULL};
}
