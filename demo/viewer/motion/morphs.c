// Loads the morph targets of a model and computes their weights; see morphs.h.
#include "demo/viewer/motion/morphs.h"

bool view_has_driven_morphs(const md5_machine *machine)
{
    return machine != NULL && md5_machine_num_morphs(machine) > 0;
}

// Writes the weights of all morph targets. A weight is the sum of two weights: one from the option
// --morph and one from the state machine. morphs->driven maps each morph target of the state
// machine to a target of the model, or to MD5_NONE if the model does not have the target.
void view_drive_morphs(const view_morphs *morphs, md5_player *player, float *reported,
                       float *weights)
{
    memcpy(weights, morphs->requested, morphs->morph->num_targets * sizeof *weights);
    if (player == NULL || morphs->num_driven == 0)
        return;
    md5_player_morphs(player, reported);
    for (uint32_t i = 0; i < morphs->num_driven; i++) {
        if (morphs->driven[i] != MD5_NONE)
            weights[morphs->driven[i]] += reported[i];
    }
}

// Returns the largest distance by which the morph targets can move a vertex, in units. Adds the
// displacements of all targets, as if they moved the same vertex in the same direction. The
// result is therefore an upper limit.
float view_morph_reach(const view_morphs *morphs, const float *weights)
{
    if (morphs == NULL)
        return 0;
    const md5_morph_target *const targets = morphs->morph->targets;
    const float *const used_weights = weights != NULL ? weights : morphs->requested;
    float reach = 0;
    for (uint32_t i = 0; i < morphs->morph->num_targets; i++)
        reach += fabsf(used_weights[i]) * targets[i].reach;
    if (weights != NULL)
        return reach;

    // The machine adds at most 1 to the weights of its targets.
    for (uint32_t i = 0; i < morphs->num_driven; i++) {
        if (morphs->driven[i] != MD5_NONE)
            reach += targets[morphs->driven[i]].reach;
    }
    return reach;
}

// Loads the models of morph targets from `files` to `sources`. Stops if a file cannot be read or
// the user cancels; after a cancellation, the targets that are already loaded are used. Sets
// `count` to the number of elements that the caller must free. Returns false and fills `error` if a
// file cannot be read.
static bool load_sources(const common_list *files, md5_morph_source *sources, uint32_t *count,
                         view_log *log, md5_error *error)
{
    const md5_load_opts opts = {.skip_geometry = MD5_GEOMETRY_SKIN_PLANS | MD5_GEOMETRY_LOSSES};
    *count = 0;
    while (*count < files->count) {
        const bool is_canceled = !view_log_progress(log, "morph targets", *count, files->count);
        if (is_canceled)
            break;
        const char *const file = files->names[*count];
        const md5_model *const target = md5_load_model(file, &opts, error);
        sources[*count] = (md5_morph_source){.name = common_stem(file), .model = target};
        ++*count;
        if (target == NULL)
            return false;
    }
    return true;
}

// Loads the .md5mesh files in the folder `morphs` next to `path`, and builds the morph targets.
// Returns NULL and fills `error` on failure.
static md5_morph *load_targets(const char *path, const md5_model *model, const view_loader *loader,
                               md5_error *error)
{
    char *const model_folder = common_folder(path);
    char *const morph_folder = common_join(model_folder, "morphs");
    common_list files = common_list_folder(morph_folder, ".md5mesh");
    md5_morph_source *const sources = common_alloc(files.count, sizeof *sources);
    uint32_t num_sources;
    md5_morph *morph = NULL;
    if (load_sources(&files, sources, &num_sources, loader->log, error))
        morph = md5_create_morph(model, sources, num_sources, NULL, error);

    // The morph contains copies of all data, so its sources are not needed any more.
    for (uint32_t i = 0; i < num_sources; i++) {
        md5_free_model((md5_model *)(uintptr_t)sources[i].model);
        free((char *)(uintptr_t)sources[i].name);
    }
    free(sources);
    common_free_list(&files);
    free(morph_folder);
    free(model_folder);
    return morph;
}

// Finds the target of each morph of the machine. A morph of a machine is a name with a weight that
// the machine computes. It drives the target of the same name. Warns of missing targets.
static void find_driven_targets(view_morphs *morphs, const md5_machine *machine, view_log *log)
{
    if (!view_has_driven_morphs(machine))
        return;
    morphs->num_driven = md5_machine_num_morphs(machine);
    morphs->driven = common_alloc(morphs->num_driven, sizeof *morphs->driven);
    morphs->reported = common_alloc(morphs->num_driven, sizeof *morphs->reported);
    for (uint32_t i = 0; i < morphs->num_driven; i++) {
        const char *const name = md5_machine_morph_name(machine, i);
        const uint32_t target = md5_find_morph_target(morphs->morph, name);
        morphs->driven[i] = target;
        if (target == MD5_NONE)
            view_warn(
                log,
                "morph target %s of the machine not found: expected the file morphs/%s.md5mesh",
                name, name);
    }
}

// Logs that --morph names an unknown target, with the valid names. Returns false.
static bool report_unknown_target(const md5_morph *morph, const char *name, view_log *log)
{
    if (morph->num_targets == 0)
        return view_error(log, "--morph %s: unknown target; the model has no morph targets", name);
    char *names = common_copy(morph->targets[0].name);
    for (uint32_t i = 1; i < morph->num_targets; i++)
        common_extend(&names, ", %s", morph->targets[i].name);
    view_error(log, "--morph %s: unknown target; valid names: %s", name, names);
    free(names);
    return false;
}

// Sets the weights of the option --morph. If `has_all` is true, the model must have all named
// targets, and an unknown target is an error. Otherwise unknown targets are ignored, because the
// models of a crowd have different targets. Returns false and logs the error.
static bool set_requested_weights(view_morphs *morphs, bool has_all, const view_loader *loader)
{
    const view_options *const options = loader->options;
    for (size_t i = 0; i < options->morphs.count; i++) {
        const view_setting *const setting = &options->morphs.rows[i];
        const uint32_t target = md5_find_morph_target(morphs->morph, setting->parameter);
        if (target != MD5_NONE)
            morphs->requested[target] = setting->value;
        else if (has_all)
            return report_unknown_target(morphs->morph, setting->parameter, loader->log);
    }
    return true;
}

// Loads the morph targets of a model, finds the targets that its machine controls, and uploads
// them.
bool view_load_morphs(view_morphs *morphs, const char *path, const md5_model *model,
                      const md5_machine *machine, bool has_all, const view_loader *loader)
{
    if (model == NULL || path == NULL)
        return true;
    md5_error error = {0};
    morphs->morph = load_targets(path, model, loader, &error);
    if (morphs->morph == NULL)
        return view_log_error(loader->log, &error);

    const uint32_t num_targets = morphs->morph->num_targets;
    morphs->weights = common_alloc(num_targets, sizeof *morphs->weights);
    morphs->requested = common_alloc(num_targets, sizeof *morphs->requested);
    find_driven_targets(morphs, machine, loader->log);

    if (loader->renderer != NULL) {
        morphs->drawn = md5gl_create_morph(loader->renderer, morphs->morph, &error);
        if (morphs->drawn == NULL)
            return view_log_error(loader->log, &error);
    }

    // No machine plays yet, so only --morph sets weights.
    const bool has_valid_options = set_requested_weights(morphs, has_all, loader);
    view_drive_morphs(morphs, NULL, NULL, morphs->weights);
    return has_valid_options;
}

// Frees the morph targets, their weights and their copy on the GPU. `renderer` may be NULL if
// nothing was uploaded to the GPU.
void view_free_morphs(view_morphs *morphs, md5gl_renderer *renderer)
{
    if (renderer != NULL)
        md5gl_destroy_morph(renderer, morphs->drawn);
    md5_destroy_morph(morphs->morph);
    free(morphs->weights);
    free(morphs->requested);
    free(morphs->driven);
    free(morphs->reported);
    *morphs = (view_morphs){.morph = NULL};
}
