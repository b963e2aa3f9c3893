// Opens game folders for the commands list, explain, parse and check, and visits declarations.
#include "demo/tool/game.h"

// Limit of the work of searches for similar names, in comparisons of characters. They take about a
// second.
enum { MAX_SUGGESTION_WORK = 400000000 };

// -- Opening --------------------------------------------------------------------------------------

// Stores a warning, or prints it immediately if the command does not store warnings. The number of
// stored warnings is limited, so that a hostile file cannot fill the memory.
void tool_store_game_warning(void *user, const md5_error *warning)
{
    enum { MAX_WARNINGS = 1000 };
    tool_game *const game = user;
    if (!game->stores_warnings) {
        tool_print_error(NULL, warning);
        return;
    }
    if (game->num_warnings == MAX_WARNINGS) {
        // Replace the last stored warning. The last warning of a parser contains the reason why it
        // ended, so it must not be lost.
        game->num_suppressed++;
        game->num_warnings--;
    }
    game->warnings = common_grow(game->warnings, game->num_warnings, sizeof *game->warnings);
    game->warnings[game->num_warnings++] = *warning;
}

void tool_clear_game_warnings(tool_game *game)
{
    game->num_warnings = 0;
    game->num_suppressed = 0;
}

md5_load_opts tool_game_load_options(tool_game *game)
{
    return (md5_load_opts){
        .warn = tool_store_game_warning, .warn_user = game, .max_warnings = UINT32_MAX};
}

// Opens the folders and archives of the arguments as one game. Their files are listed for this, and
// the number of files is printed as progress.
int tool_open_game(const tool_arguments *arguments, bool stores_warnings, tool_game *result)
{
    md5_error error = {0};
    *result = (tool_game){.search_paths.list.should_continue = tool_show_search,
                          .stores_warnings = stores_warnings,
                          .work = MAX_SUGGESTION_WORK};
    const md5_load_opts opts = tool_game_load_options(result);
    const bool is_open = tool_open_search_paths(arguments, &opts, &result->search_paths, &error);
    tool_show_progress(0, 0); // removes the number of files
    result->md5 = result->search_paths.game;
    if (is_open)
        result->memory = md5_game_memory(result->md5);
    return tool_end(is_open, &error);
}

// Frees the game and all results of its command. Any pointer may be NULL, because an error can end
// the command at any time.
void tool_close_game(tool_game *game)
{
    tool_close_search_paths(&game->search_paths);
    common_free_list(&game->used);
    common_free_list(&game->non_surface_images);
    common_free_list(&game->surface_images);
    common_free_list(&game->error_locations);
    common_free_list(&game->script_objects);
    for (size_t i = 0; i < game->num_models; i++)
        free(game->defaulted_models[i].reason);
    free(game->defaulted_models);
    free(game->warnings);
    for (size_t i = 0; i < game->num_files; i++)
        md5_free_check(game->files[i].check);
    free(game->files);
    free(game->is_on_surface);
    common_free_text_index(&game->missing_texts);
    free(game->missing);
}

// Moves the game folder DIR from the operands to arguments->folder. The game can be given as DIR,
// by --base, or by both. If both are given, DIR is a mod of the game in --base.
int tool_read_game_folder(tool_arguments *arguments, int max_operands)
{
    const bool has_folder = !arguments->base || arguments->num_operands > max_operands;
    if (arguments->num_operands > 0 && has_folder) {
        arguments->folder = *arguments->operands++;
        arguments->num_operands--;
    }
    if (!arguments->folder && !arguments->base)
        return tool_usage(arguments->command, "argument is missing: expected a game folder");
    return TOOL_OK;
}

// -- Declarations ---------------------------------------------------------------------------------

// Limits the memory of parsed declarations: if they take too much, destroys the game and opens it
// again. Pointers that the game returned before are then invalid, and its stored warnings are
// cleared. The parse mode is kept. Returns false if the game cannot be opened or was opened too
// often.
static bool reopen_large_game(tool_game *game, md5_error *error)
{
    enum { MAX_GROWTH = 24 << 20, MAX_REOPENS = 64 }; // bytes; number of reopenings
    if (md5_game_memory(game->md5) < game->memory + MAX_GROWTH)
        return true;
    if (game->num_reopens++ == MAX_REOPENS)
        return convert_fail(error, MD5_ERROR_MEMORY, "",
                            "memory limit exceeded: the remaining declarations were skipped");

    const common_game_paths *const list = &game->search_paths.list;
    const md5_load_opts opts = tool_game_load_options(game);
    md5_destroy_game(game->md5);
    game->md5 = md5_create_game(list->paths, list->count, &opts, error);
    game->search_paths.game = game->md5;
    tool_clear_game_warnings(game);
    if (!game->md5) {
        game->memory = 0;
        return false;
    }
    game->memory = md5_game_memory(game->md5);
    return md5_game_set_parse_mode(game->md5, game->mode, error);
}

// Calls `visit` for the declarations by index. Each call may parse a declaration, so the memory of
// the game is checked before each call.
bool tool_walk_decls(tool_game *game, md5_decl_type type, tool_visit_decl_fn *visit,
                     md5_error *error)
{
    for (uint32_t i = 0; i < md5_game_num_decls(game->md5, type); i++) {
        // A game that is opened again repeats its warnings. Stored warnings are cleared at that
        // time, but printed warnings would appear twice. A game that prints warnings is therefore
        // kept.
        if (game->stores_warnings && !reopen_large_game(game, error))
            return false;
        const md5_decl *const decl = md5_game_decl(game->md5, type, i);
        if (!decl->file) // the remaining declarations are implicit, which this function does not
                         // visit
            break;
        if (!visit(game, decl, error))
            return false;
        if (game->stores_warnings)
            tool_show_progress(i + 1, md5_game_num_decls(game->md5, type));
    }
    return true;
}

// Parses a declaration with the function of its type. The default case is a model.
bool tool_parse_decl(md5_game *game, const md5_decl *decl, md5_error *error)
{
    switch (decl->type) {
    case MD5_DECL_TABLE:
        md5_game_table(game, decl->name, error);
        break;
    case MD5_DECL_MATERIAL:
        md5_game_material(game, decl->name, error);
        break;
    case MD5_DECL_SKIN:
        md5_game_skin_def(game, decl->name, error);
        break;
    case MD5_DECL_ENTITY:
        md5_game_check_entity_def(game, decl->name, error);
        break;
    case MD5_DECL_ARTICULATED_FIGURE:
        md5_game_figure_def(game, decl->name, error);
        break;
    default:
        md5_game_model_def(game, decl->name, error);
        break;
    }
    return error->status == MD5_OK;
}

// -- Names ----------------------------------------------------------------------------------------

// Returns the declaration name that is most similar to a missing name, or NULL. Considers only
// declarations that are in a file. The name is a suggestion in an error message.
const char *tool_find_similar_decl(tool_game *game, md5_decl_type type, const char *name)
{
    tool_nearest nearest = {.work = game->work};
    for (uint32_t i = 0; i < md5_game_num_decls(game->md5, type); i++) {
        const md5_decl *const decl = md5_game_decl(game->md5, type, i);
        if (decl->file)
            tool_compare_name(&nearest, name, decl->name);
    }
    game->work = nearest.work;
    return nearest.name;
}

// Returns true if the engine finds an image. Built-in images have names that begin with an
// underscore. The compressed form of an image is dds/NAME.dds.
bool tool_has_image(const tool_game *game, const char *name)
{
    const bool is_built_in = name[0] == '_';
    if (is_built_in || md5_game_image_file(game->md5, name))
        return true;
    char *const compressed = common_format("dds/%s.dds", name);
    const bool is_found = md5_game_find_file(game->md5, compressed, 0) != MD5_NONE;
    free(compressed);
    return is_found;
}
