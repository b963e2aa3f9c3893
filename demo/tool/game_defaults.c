// Reports the materials and models that the engine replaces with defaults because of an error.
// Models inherit others, so one error replaces many models: they are stored first, and then
// reported as one diagnostic at the model with the cause.
#include "demo/tool/game.h"

// Prints why the engine replaces a declaration with the default. `subject` is the verb, or the
// number of declarations that are replaced for the same reason and the verb. `reason` is NULL or
// the warning with the reason.
static void print_default(tool_game *game, const md5_decl *decl, const char *rule,
                          const char *subject, text_position position, const char *reason)
{
    if (reason && tool_has_rule(game->check->requested, rule))
        tool_store_error_location(game, decl->file, position);
    tool_print_violation(game, decl->file, position, rule, "'%.100s'%s the default: %.250s",
                         decl->name, subject, reason ? reason : "see the warnings of its lines");
}

void tool_print_defaulted_material(tool_game *game, const md5_decl *decl)
{
    static const char rule[] = "defaulted/material";
    if (game->num_warnings == 0) {
        print_default(game, decl, rule, " becomes", tool_decl_position(decl), NULL);
        return;
    }
    const md5_error *const last = &game->warnings[game->num_warnings - 1]; // the reason
    print_default(game, decl, rule, " becomes", (text_position){last->line, last->column},
                  last->message);
}

// -- Storing models -------------------------------------------------------------------------------

// Returns the index of the inherited model that a warning names as its cause, or MD5_NONE if it has
// another cause.
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

// Returns the index of the first of adjacent warnings with the same location. It has the cause of
// the others, such as a limit that prevents the use of a mesh.
static size_t find_first_warning(const tool_game *game, size_t index)
{
    const md5_error *const warnings = game->warnings;
    while (index > 0 && warnings[index - 1].line == warnings[index].line
           && warnings[index - 1].column == warnings[index].column)
        index--;
    return index;
}

// The last warning is the reason. If an inherited model was parsed together with this one and
// caused the error, its reason is the warning before, and so on.
void tool_store_defaulted_model(tool_game *game, const md5_decl *decl)
{
    size_t num_warnings = game->num_warnings; // warnings that are not assigned to a model yet
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

// Returns the model with the cause. Makes it the parent of all models between (path compression),
// so that a chain is followed once.
static uint32_t find_root(tool_defaulted_model *models, size_t count, uint32_t index)
{
    uint32_t root = index;
    for (size_t steps = 0; models[root].parent != MD5_NONE; steps++) {
        if (steps == count) { // the models inherit each other in a circle
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

static void count_inheriting_models(tool_defaulted_model *models, size_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (models[i].is_defaulted && models[i].parent != MD5_NONE)
            models[find_root(models, count, i)].num_inheriting++;
    }
}

// Orders models (tool_defaulted_model **) by reason, models with the same reason by index.
static int compare_reasons(const void *a, const void *b)
{
    const tool_defaulted_model *const first = *(tool_defaulted_model *const *)a;
    const tool_defaulted_model *const second = *(tool_defaulted_model *const *)b;
    const int order = strcmp(first->reason, second->reason);
    return order != 0 ? order : (first > second) - (first < second);
}

// Groups the models that name the same missing mesh: num_same_mesh of the first model of a group,
// which is reported, counts the others.
static void group_missing_meshes(tool_defaulted_model *models, size_t count)
{
    static const char missing_mesh[] = "Model '"; // start of the warning
    tool_defaulted_model **const sorted = common_alloc(count + 1, sizeof(tool_defaulted_model *));
    size_t num_sorted = 0;
    for (size_t i = 0; i < count; i++) {
        const char *const reason = models[i].reason;
        if (has_cause(&models[i]) && reason
            && strncmp(reason, missing_mesh, sizeof missing_mesh - 1) == 0)
            sorted[num_sorted++] = &models[i];
    }

    // Equal reasons are adjacent after sorting.
    common_sort(sorted, num_sorted, sizeof(tool_defaulted_model *), compare_reasons);
    size_t first = 0; // of the group
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
    if (model->num_same_mesh > 0)
        COMMON_TEXT(subject, " and %zu models that inherit it or name the same mesh become",
                    model->num_inheriting + model->num_same_mesh);
    else if (model->num_inheriting == 1)
        COMMON_TEXT(subject, " and 1 model that inherits it become");
    else if (model->num_inheriting > 1)
        COMMON_TEXT(subject, " and %zu models that inherit it become", model->num_inheriting);
    print_default(game, decl, "defaulted", subject, model->position, model->reason);
}

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
        else if (is_reported) // the first model of the group reports this error
            tool_store_error_location(game, decl->file, models[i].position);
    }
}
