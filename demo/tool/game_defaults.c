// Reports the materials and models that the engine replaces with defaults because of an error.
// Models inherit others, so one error replaces many models. Such models are stored first. They are
// then reported as one diagnostic at the model with the cause.
#include "demo/tool/game.h"

// Prints that the engine replaces a declaration with the default, and the reason: "'NAME'SUBJECT
// the default: REASON". `subject` contains the verb, such as " becomes" or " and 2 models that
// inherit it become". `reason` is the message of the warning, or NULL if the reason is unknown.
static void print_default(tool_game *game, const md5_decl *decl, const char *rule,
                          const char *subject, text_position position, const char *reason)
{
    // Lenient mode would warn of the same error, so store its location to hide that warning.
    if (reason && tool_has_rule(game->check->requested, rule))
        tool_store_error_location(game, decl->file, position);
    tool_print_violation(game, decl->file, position, rule, "'%.100s'%s the default: %.250s",
                         decl->name, subject, reason ? reason : "see the warnings of its lines");
}

// Prints why the engine replaces a material by the default material. The reason is in the
// warnings that were collected while the material was parsed. Without a warning, prints only
// that the material is replaced.
void tool_print_defaulted_material(tool_game *game, const md5_decl *decl)
{
    static const char rule[] = "defaulted/material";
    if (game->num_warnings == 0) {
        print_default(game, decl, rule, " becomes", tool_decl_position(decl), NULL);
        return;
    }
    // The engine stops at the first error, so the last warning contains the reason.
    const md5_error *const last = &game->warnings[game->num_warnings - 1];
    const text_position position = {last->line, last->column};
    print_default(game, decl, rule, " becomes", position, last->message);
}

// -- Storing models -------------------------------------------------------------------------------

// If a warning says that an inherited model is invalid, returns the index of that model. Returns
// MD5_NONE for other warnings.
static uint32_t find_parent_with_cause(const tool_game *game, const char *warning)
{
    static const char inherited[] = "inherited model definition '";
    const size_t length = sizeof inherited - 1;
    if (strncmp(warning, inherited, length) != 0)
        return MD5_NONE;
    char *const name = common_copy(warning + length);
    name[strcspn(name, "'")] = '\0';
    const md5_decl *const parent = md5_find_decl(game->md5, MD5_DECL_MODEL, name);
    free(name);
    return parent && parent->file ? parent->index : MD5_NONE;
}

// Several adjacent warnings can have the location of warnings[index]. Returns the index of the
// first of them, because it contains the cause of the others.
static size_t find_first_warning(const tool_game *game, size_t index)
{
    const md5_error *const warnings = game->warnings;
    while (index > 0 && warnings[index - 1].line == warnings[index].line
           && warnings[index - 1].column == warnings[index].column)
        index--;
    return index;
}

// Stores the reason why a model is replaced, and the reasons of the inherited models that were
// parsed with it.
//
// The last warning is the reason of the model. If it names an inherited model, the warning before
// it is the reason of that model, and so on. The loop walks backwards through the warnings and
// upwards through the models. It ends at a model that is already stored.
void tool_store_defaulted_model(tool_game *game, const md5_decl *decl)
{
    size_t num_warnings = game->num_warnings; // number of warnings without a model
    while (!game->defaulted_models[decl->index].is_defaulted) {
        tool_defaulted_model *const model = &game->defaulted_models[decl->index];
        *model = (tool_defaulted_model){
            .is_defaulted = true,
            .parent = MD5_NONE,
            .position = tool_decl_position(decl),
        };
        if (num_warnings == 0)
            return;

        num_warnings = find_first_warning(game, num_warnings - 1);
        const md5_error *const warning = &game->warnings[num_warnings];
        model->position = (text_position){warning->line, warning->column};
        model->reason = common_copy(warning->message);
        model->parent = find_parent_with_cause(game, warning->message);
        if (model->parent == MD5_NONE)
            return;
        decl = md5_game_decl(game->md5, MD5_DECL_MODEL, model->parent);
    }
}

// -- Printing models ------------------------------------------------------------------------------

// Returns true if the engine replaces a model because of an error of this model itself.
static bool has_cause(const tool_defaulted_model *model)
{
    return model->is_defaulted && model->parent == MD5_NONE;
}

// Returns the model with the cause, which is the end of a chain of parents. Stores it as the parent
// of all models in the chain (path compression), so that each chain is followed only once.
static uint32_t find_root(tool_defaulted_model *models, size_t count, uint32_t index)
{
    uint32_t root = index;
    for (size_t steps = 0; models[root].parent != MD5_NONE; steps++) {
        if (steps == count) { // a chain longer than the number of models is a circle: break it
            models[root].parent = MD5_NONE;
            break;
        }
        root = models[root].parent;
    }
    while (index != root) {
        const uint32_t next = models[index].parent;
        models[index].parent = root;
        index = next;
    }
    return root;
}

// Counts for each model with a cause how many models are replaced because they inherit it.
static void count_inheriting_models(tool_defaulted_model *models, size_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (models[i].is_defaulted && models[i].parent != MD5_NONE)
            models[find_root(models, count, i)].num_inheriting++;
    }
}

// For sorting pointers to models: orders the models by reason, and by index if the reasons are
// equal.
static int compare_reasons(const void *a, const void *b)
{
    const tool_defaulted_model *const first = *(tool_defaulted_model *const *)a;
    const tool_defaulted_model *const second = *(tool_defaulted_model *const *)b;
    const int order = strcmp(first->reason, second->reason);
    return order != 0 ? order : (first > second) - (first < second);
}

// Groups the models that name the same missing mesh, so that each mesh is reported once. The first
// model of a group is reported; its num_same_mesh counts the others and the models that inherit
// them.
static void group_missing_meshes(tool_defaulted_model *models, size_t count)
{
    static const char missing_mesh[] = "Model '"; // start of the warning about a missing mesh
    tool_defaulted_model **const sorted = common_alloc(count + 1, sizeof(tool_defaulted_model *));
    size_t num_sorted = 0;
    for (size_t i = 0; i < count; i++) {
        const char *const reason = models[i].reason;
        const bool is_mesh_missing =
            reason && strncmp(reason, missing_mesh, sizeof missing_mesh - 1) == 0;
        if (has_cause(&models[i]) && is_mesh_missing)
            sorted[num_sorted++] = &models[i];
    }

    // Equal reasons are adjacent after sorting.
    common_sort(sorted, num_sorted, sizeof(tool_defaulted_model *), compare_reasons);
    size_t first = 0; // first index of the group
    for (size_t i = 1; i < num_sorted; i++) {
        if (strcmp(sorted[i]->reason, sorted[first]->reason) == 0) {
            sorted[first]->num_same_mesh += 1 + sorted[i]->num_inheriting;
            sorted[i]->is_counted = true;
        } else {
            first = i;
        }
    }
    free(sorted);
}

// Prints a model with a cause, and how many models are replaced for the same cause.
static void print_model(tool_game *game, const md5_decl *decl, const tool_defaulted_model *model)
{
    char subject[120] = " becomes";
    const size_t num_others = model->num_inheriting + model->num_same_mesh;
    const char *const noun = common_noun(num_others, "model", "models");
    const char *verb = common_noun(num_others, "inherits it", "inherit it");
    if (model->num_same_mesh > 0)
        verb = common_noun(num_others, "names the same mesh", "inherit it or name the same mesh");
    if (num_others > 0)
        COMMON_TEXT(subject, " and %zu %s that %s become", num_others, noun, verb);
    print_default(game, decl, "defaulted", subject, model->position, model->reason);
}

// Prints the models that have a cause themselves, in the order of their declarations. If several
// models name one missing mesh, only the first is printed. The locations of the others are stored,
// so that lenient mode does not warn of them.
void tool_print_defaulted_models(tool_game *game)
{
    tool_defaulted_model *const models = game->defaulted_models;
    const bool is_reported = tool_has_rule(game->check->requested, "defaulted");
    count_inheriting_models(models, game->num_models);
    group_missing_meshes(models, game->num_models);
    for (uint32_t i = 0; i < game->num_models; i++) {
        if (!has_cause(&models[i]))
            continue;
        const md5_decl *const decl = md5_game_decl(game->md5, MD5_DECL_MODEL, i);
        if (!models[i].is_counted)
            print_model(game, decl, &models[i]);
        else if (is_reported)
            tool_store_error_location(game, decl->file, models[i].position);
    }
}
