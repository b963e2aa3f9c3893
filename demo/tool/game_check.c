// md5tool check for a game folder: checks all files, and all declarations in engine mode and in
// lenient mode. check.c prints the results.
#include "demo/tool/game.h"

// Allocates the results of a check: one entry per material, and one entry per model. Only games of
// the engines in `engines` have declarations, so these engines are checked by default.
void tool_begin_game_check(tool_game *game, tool_game_check *check)
{
    // Engines of Doom 3's game folders.
    static const char *const engines[] = {"doom3", "darkmod", "quake4"};
    const uint32_t num_materials = md5_game_num_decls(game->md5, MD5_DECL_MATERIAL);
    game->check = check;
    game->num_models = md5_game_num_decls(game->md5, MD5_DECL_MODEL);
    game->is_on_surface = common_alloc(num_materials + (size_t)1, sizeof *game->is_on_surface);
    game->defaulted_models = common_alloc(game->num_models + 1, sizeof *game->defaulted_models);

    for (int i = 0; i < MD5_NUM_DECL_TYPES; i++)
        check->has_decls |= md5_game_num_decls(game->md5, (md5_decl_type)i) > 0;
    const bool has_request = check->requested.all != 0;
    if (has_request || !check->has_decls)
        return;
    for (size_t i = 0; i < COMMON_LENGTH(engines); i++)
        check->requested.all |= md5_find_engines(engines[i]);
    check->requested.sure = check->requested.all;
}

// -- Declarations ---------------------------------------------------------------------------------

// Prints a violation if a model names a skin that is not declared.
static void check_model_skin(tool_game *game, const md5_decl *decl)
{
    md5_error error = {0};
    const md5_model_def *const model = md5_game_model_def(game->md5, decl->name, &error);
    if (model && model->skin && !tool_decl_exists(game, MD5_DECL_SKIN, model->skin))
        tool_print_violation(game, decl->file, tool_decl_position(decl), "no-skin-decl",
                             "modelDef '%.100s': skin '%.150s' not found", decl->name, model->skin);
}

// Prints a violation for each material that a skin names and that does not exist.
static void check_skin_materials(tool_game *game, const md5_decl *decl)
{
    md5_error error = {0};
    const md5_skin_def *const skin = md5_game_skin_def(game->md5, decl->name, &error);
    if (!skin)
        return;
    for (uint32_t i = 0; i < skin->num_replacements; i++) {
        const char *const material = skin->replacements[i].to;
        if (!tool_decl_exists(game, MD5_DECL_MATERIAL, material))
            tool_print_missing_material(game, decl->file, tool_decl_position(decl), material);
    }
}

// The types of declarations that are checked, in this order: materials precede models, and models
// precede the entities that use them.
static const struct checked_type {
    md5_decl_type type;
    const char *keyword;
} checked_types[] = {
    {MD5_DECL_TABLE, "table"},      {MD5_DECL_MATERIAL, "material"},
    {MD5_DECL_SKIN, "skin"},        {MD5_DECL_MODEL, "model"},
    {MD5_DECL_ENTITY, "entityDef"}, {MD5_DECL_ARTICULATED_FIGURE, "articulatedFigure"},
};

// Stores the location, type and name of a declaration that the engine replaces, for the summary.
static void store_unreported_default(tool_game *game, const md5_decl *decl)
{
    const char *keyword = "";
    for (size_t i = 0; i < COMMON_LENGTH(checked_types); i++) {
        if (checked_types[i].type == decl->type)
            keyword = checked_types[i].keyword;
    }
    const char *const suffix = decl->type == MD5_DECL_MATERIAL ? ", which no mesh uses" : "";
    const text_position position = tool_decl_position(decl);
    char *const path = tool_full_path(&game->search_paths, decl->file);
    common_add(&game->check->unreported_defaults,
               common_format("%s:%u:%u: %s '%.100s'%s", path, position.line, position.column,
                             keyword, decl->name, suffix));
    free(path);
}

// Parses a declaration as the engine does. At the first error, the engine replaces the declaration
// with a default.
//
// For a material, the reason is printed now. Models are stored and printed later, because one error
// can replace many models. Materials that no mesh uses, and other types, have no rule about
// defaults; their names are stored for the summary. Returns false if memory runs out.
static bool check_decl_as_engine(tool_game *game, const md5_decl *decl, md5_error *error)
{
    tool_clear_game_warnings(game);
    if (!tool_parse_decl(game->md5, decl, error))
        return false;
    if (decl->state != MD5_DECL_DEFAULTED)
        return true;
    game->check->num_defaulted++;
    if (decl->type == MD5_DECL_MODEL)
        tool_store_defaulted_model(game, decl);
    else if (decl->type == MD5_DECL_MATERIAL && game->is_on_surface[decl->index])
        tool_print_defaulted_material(game, decl);
    else
        store_unreported_default(game, decl);
    return true;
}

// Parses a declaration in lenient mode, which continues after errors. Prints the warnings, and the
// names in the declaration that do not exist. Returns false if memory runs out.
static bool check_decl_leniently(tool_game *game, const md5_decl *decl, md5_error *error)
{
    if (!tool_parse_decl(game->md5, decl, error))
        return false;
    game->check->num_decls++;
    if (decl->type == MD5_DECL_ENTITY && !tool_check_entity_keys(game, decl, error))
        return false;
    tool_print_game_warnings(game);

    if (decl->type == MD5_DECL_MODEL) {
        tool_check_clips(game, decl);
        check_model_skin(game, decl);
    } else if (decl->type == MD5_DECL_MATERIAL) {
        tool_check_material_images(game, decl);
    } else if (decl->type == MD5_DECL_SKIN) {
        check_skin_materials(game, decl);
    }
    return true;
}

// Sets the parse mode and calls `visit` for all declarations, type by type.
static bool walk_all_decls(tool_game *game, md5_parse_mode mode, tool_visit_decl_fn *visit,
                           md5_error *error)
{
    game->mode = mode;
    if (!md5_game_set_parse_mode(game->md5, mode, error))
        return false;
    for (size_t i = 0; i < COMMON_LENGTH(checked_types); i++) {
        if (!tool_walk_decls(game, checked_types[i].type, visit, error))
            return false;
    }
    return true;
}

// Checks all declarations twice. Engine mode finds the declarations that the engine replaces with
// defaults, but stops at the first error of each. Lenient mode finds the further errors. Its
// warnings about errors that engine mode has printed are hidden.
static bool check_all_decls(tool_game *game, md5_error *error)
{
    const bool is_done = walk_all_decls(game, MD5_PARSE_ENGINE, check_decl_as_engine, error);
    tool_print_defaulted_models(game);
    tool_clear_game_warnings(game);
    tool_hide_error_locations(game);
    return is_done && walk_all_decls(game, MD5_PARSE_LENIENT, check_decl_leniently, error);
}

// -- Commands -------------------------------------------------------------------------------------

// Calls `visit` in a parse mode for each material that a checked surface uses.
static void check_surface_materials(tool_game *game, md5_parse_mode mode, tool_visit_decl_fn *visit)
{
    md5_error error = {0};
    const uint32_t num_materials = md5_game_num_decls(game->md5, MD5_DECL_MATERIAL);
    game->mode = mode;
    for (uint32_t i = 0; i < num_materials; i++) {
        if (game->is_on_surface[i] && md5_game_set_parse_mode(game->md5, mode, &error))
            visit(game, md5_game_decl(game->md5, MD5_DECL_MATERIAL, i), &error);
    }
}

// Checks one mesh file for `md5tool explain`: the files of its folder, the materials of its meshes,
// and their images. The engines of the mesh are guessed from its folder if none are requested, and
// apply to all of these checks.
void tool_check_mesh_materials(tool_game *game, const char *path)
{
    const md5_engines requested = game->check->requested;
    game->check->requested = tool_engines(requested, game->md5, path);
    md5_check *const check = tool_check_file(game->md5, path, game->check->requested);
    if (check) {
        check->num_diagnostics = 0; // `explain` does not print errors in the text
        tool_check_folder(game->md5, check);
        tool_print_file_diagnostics(game, check);
        if (game->check->has_decls)
            tool_check_surfaces(game, check);
    }

    tool_clear_game_warnings(game);
    check_surface_materials(game, MD5_PARSE_LENIENT, check_decl_leniently);
    check_surface_materials(game, MD5_PARSE_ENGINE, check_decl_as_engine);
    tool_check_stored_images(game);

    md5_game_set_parse_mode(game->md5, MD5_PARSE_LENIENT, NULL);
    game->check->requested = requested;
    md5_free_check(check);
}

// Opens the game, and checks it if it has declarations. Checks the files first, because the check
// of declarations needs their results. Both checks store images, which are checked last.
int tool_check_game(const tool_arguments *arguments, tool_game_check *check)
{
    tool_game game;
    md5_error error = {0};
    int status = tool_open_game(arguments, true, &game);
    game.check = check; // needed to print the warnings
    tool_print_game_warnings(&game);
    if (status == TOOL_OK)
        tool_begin_game_check(&game, check);
    if (check->has_decls) {
        tool_check_game_files(&game);
        const bool is_checked = check_all_decls(&game, &error);
        tool_print_missing_files(&game);
        tool_check_stored_images(&game);
        status = tool_end(is_checked, &error);
    }

    // The caller needs the search paths for later messages, and closes them.
    check->search_paths = game.search_paths;
    game.search_paths = (tool_search_paths){.game = NULL};
    tool_close_game(&game);
    return status;
}
