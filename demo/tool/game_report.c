// Prints the diagnostics of a game folder: warnings of the library, violations of rules, and
// missing declarations. Warnings at the location of a printed error are hidden, see
// error_locations.
#include "demo/tool/game.h"

void tool_print_game_diagnostic(tool_game *game, const md5_diagnostic *found)
{
    game->check->search_paths = game->search_paths; // the game may have been opened again
    game->check->print(game->check->user, found);
}

void tool_print_game_error(tool_game *game, const md5_error *error)
{
    tool_print_game_diagnostic(game, &(md5_diagnostic){.error = *error, .count = 1});
}

// Prints the errors and warnings of a file. Clears the diagnostics after they are printed, so
// that `check` can collect those of the next file.
void tool_print_file_diagnostics(tool_game *game, md5_check *check)
{
    size_t count = 0;
    if (!check)
        return;
    const md5_diagnostic *const found = tool_diagnostics(check, &count);
    for (size_t i = 0; i < count; i++)
        tool_print_game_diagnostic(game, &found[i]);
    check->num_diagnostics = 0;
}

// Prints that a file violates a rule at a position. Creates a temporary check with a single
// diagnostic, so that violations are printed in the same form as other diagnostics. `format` is
// formatted like printf().
void tool_print_violation(tool_game *game, const char *file, text_position position,
                          const char *rule, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    md5_check *const check = tool_check_text(file, NULL, 0, game->check->requested);
    tool_add_diagnostic(check, rule, position, format, values);
    tool_print_game_diagnostic(game, check->diagnostics);
    md5_free_check(check);
    va_end(values);
}

// -- Warnings -------------------------------------------------------------------------------------

// Returns true if a warning is about a keyword of the requested engine. The library parses the
// keywords of Doom 3, so it warns of the keywords of engines that are derived from Doom 3.
static bool is_keyword_of_engine(md5_engines requested, const char *warning)
{
    static const struct {
        const char *ending; // end of the warning's text
        const char *engine;
    } keywords[] = {{"a keyword of The Dark Mod, skipped", "darkmod"},
                    {"a keyword of Quake 4, skipped", "quake4"},
                    {"a keyword of RBDOOM, skipped", "rbdoom"}};
    for (size_t i = 0; i < COMMON_LENGTH(keywords); i++) {
        const bool is_only_request = requested.all == md5_find_engines(keywords[i].engine);
        if (is_only_request && common_has_suffix(warning, keywords[i].ending))
            return true;
    }
    return false;
}

static char *format_location(const char *file, text_position position)
{
    return common_format("%s:%u:%u", file, position.line, position.column);
}

void tool_store_error_location(tool_game *game, const char *file, text_position position)
{
    common_add(&game->error_locations, format_location(file, position));
}

void tool_hide_error_locations(tool_game *game)
{
    common_list *const list = &game->error_locations;
    common_sort(list->names, list->count, sizeof *list->names, common_order_by_text);
    game->hides_error_locations = true;
}

// Returns true if an error was printed for the location of a warning. Both then have the same
// cause.
static bool is_hidden(const tool_game *game, const md5_error *warning)
{
    const common_list *const list = &game->error_locations;
    if (!game->hides_error_locations || list->count == 0)
        return false;
    const text_position position = {warning->line, warning->column};
    char *const location = format_location(warning->file, position);
    const bool is_found =
        bsearch(&location, list->names, list->count, sizeof location, common_order_by_text);
    free(location);
    return is_found;
}

// Returns true if a warning is about a missing model or clip.
static bool is_about_missing_file(const md5_error *warning)
{
    return strstr(warning->message, "unknown model ")
           || common_has_suffix(warning->message, "expected a readable file");
}

// Counts a warning about a missing model or clip. Stores the first warning of each message.
// Hundreds of entities may name the same file, so each message is later printed only once. Returns
// false for other warnings, and for new messages if too many are stored.
static bool count_missing_file(tool_game *game, const md5_error *warning)
{
    enum { MAX_MISSING = 10000 };
    common_text_index *const texts = &game->missing_texts;
    const size_t count = texts->count; // index of the next new message
    if (!is_about_missing_file(warning))
        return false;
    if (count == MAX_MISSING && !common_has_text(texts, warning->message))
        return false;
    const size_t index = common_index_text(texts, warning->message, strlen(warning->message));
    if (index == count) { // a new message
        game->missing = common_grow(game->missing, count, sizeof *game->missing);
        game->missing[index] = (md5_diagnostic){.error = *warning};
    }
    game->missing[index].count++;
    return true;
}

void tool_print_missing_files(tool_game *game)
{
    for (size_t i = 0; i < game->missing_texts.count; i++)
        tool_print_game_diagnostic(game, &game->missing[i]);
}

// Prints the stored warnings, except three kinds:
//
// - warnings about keywords that the requested engine supports
// - warnings at the location of a printed error
// - warnings about missing files, which tool_print_missing_files() prints
void tool_print_game_warnings(tool_game *game)
{
    for (size_t i = 0; i < game->num_warnings; i++) {
        const md5_error *const warning = &game->warnings[i];
        if (is_keyword_of_engine(game->check->requested, warning->message))
            continue;
        if (!is_hidden(game, warning) && !count_missing_file(game, warning))
            tool_print_game_error(game, warning);
    }
    if (game->num_suppressed > 0) {
        md5_error suppressed = {.status = MD5_WARNING};
        COMMON_TEXT(suppressed.message, "%zu further %s not shown", game->num_suppressed,
                    common_noun(game->num_suppressed, "warning is", "warnings are"));
        tool_print_game_error(game, &suppressed);
    }
    tool_clear_game_warnings(game);
}

// -- Missing declarations -------------------------------------------------------------------------

text_position tool_decl_position(const md5_decl *decl)
{
    return (text_position){decl->keyword_line, decl->keyword_column};
}

bool tool_decl_exists(const tool_game *game, md5_decl_type type, const char *name)
{
    const md5_decl *const decl = md5_find_decl(game->md5, type, name);
    if (decl && decl->file)
        return true;
    return type == MD5_DECL_MATERIAL && tool_has_image(game, name);
}

// A material that is not declared can be an image, so images are searched for the suggestion, too.
void tool_print_missing_material(tool_game *game, const char *file, text_position position,
                                 const char *name)
{
    const char *const material = tool_find_similar_decl(game, MD5_DECL_MATERIAL, name);
    char *const similar =
        material ? common_copy(material) : tool_near_image(game->md5, name, &game->work);
    if (similar)
        tool_print_violation(game, file, position, "no-material",
                             "material '%.150s' not found: did you mean '%.150s'?", name, similar);
    else
        tool_print_violation(game, file, position, "no-material", "material '%.150s' not found",
                             name);
    free(similar);
}
