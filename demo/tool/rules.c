// Selects the engines for which files are checked, and collects violations of their rules.
// md5edit.h contains the rules.
#include "demo/tool/tool.h"

// -- Rules ----------------------------------------------------------------------------------------

void tool_print_engines(uint32_t set)
{
    enum { MAX_LENGTH = 400 }; // holds the names of all engines
    char names[MAX_LENGTH];
    md5_engine_names(set, names, sizeof names);
    fputs(names, stdout);
}

// Names of the engines of each game; unused entries are NULL.
enum { MAX_ENGINES = 4 };
static const char *const id_engines[MAX_ENGINES] = {"doom3", "darkmod", "quake4"};
static const char *const quake_engines[MAX_ENGINES] = {"ironwail", "vkquake", "qss", "fte"};
static const char *const quake2_engines[MAX_ENGINES] = {"q2pro", "yquake2"};
static const char *const cube_engines[MAX_ENGINES] = {"cube2"};

// Returns the names of the engines for which a file was probably made, judging by its folder.
// Quake's engines replace models in the folder `progs` or next to an .mdl file with the same name.
// Quake II's engines replace models in the folder `md5` or next to an .md2 file. Cube 2 requires an
// md5.cfg. All other folders are assumed to belong to id's engines.
static const char *const *guess_engines(const md5_game *game, const char *path)
{
    char *const folder = common_folder(path);
    const char *const folder_name = common_base(folder);
    const bool is_progs = strcmp(folder_name, "progs") == 0;
    const bool is_md5 = strcmp(folder_name, "md5") == 0;
    free(folder);

    if (is_progs || tool_has_sibling(game, path, "", ".mdl"))
        return quake_engines;
    if (is_md5 || tool_has_sibling(game, path, "", ".md2"))
        return quake2_engines;
    if (tool_has_sibling(game, path, "md5.cfg", NULL))
        return cube_engines;
    return id_engines;
}

// Returns the requested engines or, if there are none, the engines that guess_engines() selects.
// `sure` contains the engines that certainly use the file, and `all` also those that may use it.
md5_engines tool_engines(md5_engines requested, const md5_game *game, const char *path)
{
    if (requested.all != 0)
        return requested;

    const char *const *const names = guess_engines(game, path);
    md5_engines engines = {0};
    for (int i = 0; i < MAX_ENGINES && names[i]; i++)
        engines.sure |= md5_find_engines(names[i]);
    engines.all = engines.sure;

    // A folder without the marks of a game may hold files for any engine, if a mesh and a clip have
    // the same name.
    const bool is_ordinary_folder = names == id_engines;
    if (is_ordinary_folder && tool_has_sibling(game, path, "", ".md5mesh")
        && tool_has_sibling(game, path, "", ".md5anim"))
        engines.all = md5_find_engines("all");
    return engines;
}

// Searches all rules of the engines. Ignores a rule that is silent for these engines.
bool tool_has_rule(md5_engines requested, const char *rule)
{
    md5_diagnostic found;
    for (uint32_t i = 0; md5_get_rule(i, requested, &found); i++) {
        if (!found.is_silent && strcmp(found.rule, rule) == 0)
            return true;
    }
    return false;
}

// Prints all rules with the engines to which they apply and the remedy for a violation.
void tool_print_rules(void)
{
    const md5_engines all = {.all = md5_find_engines("all")};
    md5_diagnostic found;
    for (uint32_t i = 0; md5_get_rule(i, all, &found); i++)
        printf("%s: %s\n    %s\n    remedy: %s\n", found.rule, found.error.message, found.engines,
               found.fix);
}

// -- Diagnostics ----------------------------------------------------------------------------------

// Returns the diagnostics of a model or clip for the requested engines, or NULL for other files.
// A compressed clip is not checked, because it does not contain text. If `text` is NULL, returns a
// check without diagnostics for any file, to which the caller can add some.
md5_check *tool_check_text(const char *path, const char *text, size_t size, md5_engines requested)
{
    const tool_kind path_kind = tool_file_kind(path);
    const tool_kind kind = text ? tool_content_kind(path, text, size) : path_kind;
    const bool has_rules = kind == TOOL_MODEL || kind == TOOL_ANIM;
    const bool is_wrong_type = path_kind != TOOL_UNKNOWN && path_kind != kind;
    if (text && (!has_rules || is_wrong_type || convert_is_compressed_clip(text, size)))
        return NULL;

    const md5_load_opts opts = {.file_name = path, .allocator = {.limit = SIZE_MAX}};
    const md5_doc_kind doc_kind = kind == TOOL_ANIM ? MD5_DOC_ANIM : MD5_DOC_MODEL;
    return md5_check_doc(doc_kind, text, size, requested, &opts, NULL);
}

// Returns the diagnostics of a file like tool_check_text(), or NULL if it cannot be read. Reads
// the file from the game or, if `game` is NULL, from the disk.
md5_check *tool_check_file(md5_game *game, const char *path, md5_engines requested)
{
    size_t size = 0;
    char *const text = tool_read_file(game, path, &size);
    md5_check *const check = text ? tool_check_text(path, text, size, requested) : NULL;
    free(text);
    return check;
}

void tool_add_diagnostic(md5_check *check, const char *rule, text_position at, const char *format,
                         va_list values)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, values);
    md5_add_diagnostic(check, rule, at.line, at.column, text);
}

void tool_add_violation(md5_check *check, const char *rule, uint32_t line, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    tool_add_diagnostic(check, rule, (text_position){line, line > 0}, format, values);
    va_end(values);
}

// Orders diagnostics by line, then by column.
static int compare_positions(const void *a, const void *b)
{
    const md5_error *const first = &((const md5_diagnostic *)a)->error;
    const md5_error *const second = &((const md5_diagnostic *)b)->error;
    if (first->line != second->line)
        return first->line < second->line ? -1 : 1;
    return (first->column > second->column) - (first->column < second->column);
}

const md5_diagnostic *tool_diagnostics(md5_check *check, size_t *count)
{
    *count = check->num_diagnostics;
    common_sort(check->diagnostics, *count, sizeof *check->diagnostics, compare_positions);
    return check->diagnostics;
}

// Searches for a violation in the line of the error whose rule covers errors of the library, too.
// If the library itself is a requested engine, its errors are never replaced by a rule.
bool tool_is_reported_by_rule(const md5_check *check, const md5_error *error)
{
    if (!check || error->line == 0)
        return false;
    if (check->engines.all & MD5_ENGINE_LIBRARY)
        return false;
    for (uint32_t i = 0; i < check->num_diagnostics; i++) {
        const md5_diagnostic *const violation = &check->diagnostics[i];
        if (violation->is_library_too && violation->error.line == error->line)
            return true;
    }
    return false;
}
