// Reads, merges and writes the configuration file (view_config).
//
// Each line is NAME=VALUE. It contains an option, a recent file ("recent="), the settings of a
// document ("document="), or the choices of the export dialog ("export=").
//
// Several viewers can run at the same time and share the file. Therefore a viewer reads the file
// again before it writes it, and adds only its own new lines (view_recent_lines.num_new). The lines
// that other viewers have written in the meantime remain.
#include "demo/viewer/base/config.h"

#include "demo/common/system.h"
#include "demo/common/write.h"
#include "demo/viewer/base/removed.h"

#include <errno.h>

// == Lists of recent entries ======================================================================

// Returns the index of the line that has the same path as `line`, or list->count if there is none.
// The path of a line is the text before its first tab, or the whole line.
static size_t find_line(const view_recent_lines *list, const char *line)
{
    const size_t length = strcspn(line, "\t");
    for (size_t i = 0; i < list->count; i++) {
        const char *const listed = list->names[i];
        const bool has_same_length = strcspn(listed, "\t") == length;
        if (has_same_length && strncmp(listed, line, length) == 0)
            return i;
    }
    return list->count;
}

// Removes the line that has the same path as `line` from the list. Does nothing if there is none.
static void drop_line(view_recent_lines *list, const char *line)
{
    const size_t index = find_line(list, line);
    if (index == list->count)
        return;
    free(list->names[index]);
    if (index < list->num_new)
        list->num_new--;
    list->count--;
    for (size_t i = index; i < list->count; i++)
        list->names[i] = list->names[i + 1];
}

// Inserts a line at the beginning of the list and removes the older line with the same path. If the
// list already has `capacity` lines, removes the last one. Returns false if the line was already
// the first one.
static bool note_line(view_recent_lines *list, size_t capacity, const char *line)
{
    const bool is_first = list->count > 0 && strcmp(list->names[0], line) == 0;
    if (is_first)
        return false;
    drop_line(list, line);
    if (list->count == capacity)
        drop_line(list, list->names[capacity - 1]);
    for (size_t i = list->count; i > 0; i--)
        list->names[i] = list->names[i - 1];
    list->names[0] = common_copy(line);
    list->count++;
    list->num_new++;
    return true;
}

void view_free_recent_lines(view_recent_lines *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    *list = (view_recent_lines){.count = 0};
}

// Merges the lists of this viewer and of the file. The new lines of `list` are inserted before the
// lines of `stored`. The result replaces `list`. Empties `stored`, because `list` now owns its
// texts.
static void merge_lines(view_recent_lines *list, view_recent_lines *stored, size_t capacity)
{
    for (size_t i = list->num_new; i-- > 0;)
        note_line(stored, capacity, list->names[i]);
    stored->num_new = list->num_new;
    view_free_recent_lines(list);
    *list = *stored;
    stored->count = 0;
}

// Returns the stored settings of a document, or NULL. Searches by the canonical path, so that
// the settings are found independently of the current folder. The line of a document is its
// path, a tab, and its settings.
const char *view_find_document(const view_recent_lines *documents, const char *path)
{
    if (documents == NULL)
        return NULL;
    char *const full_path = common_canonical_path(path);
    const size_t index = find_line(documents, full_path);
    free(full_path);
    if (index == documents->count)
        return NULL;
    const char *const tab = strchr(documents->names[index], '\t');
    return tab != NULL ? tab + 1 : NULL;
}

// == The file =====================================================================================

enum { MAX_BYTES = 4200 }; // maximum length of a line

// -- Location -------------------------------------------------------------------------------

// Finds the user's folder for configuration files. Sets *folder to a folder that the system
// defines, or to NULL. Returns the path below *folder: "" or a text that begins with a slash.
#ifdef _WIN32
static const char *config_folder(const char **folder)
{
    *folder = getenv("APPDATA");
    return "";
}
#else
static const char *config_folder(const char **folder)
{
    // The XDG Base Directory Specification requires that relative paths are ignored.
    *folder = getenv("XDG_CONFIG_HOME");
    if (*folder != NULL && common_is_absolute(*folder))
        return "";
    *folder = getenv("HOME");
    return "/.config";
}
#endif

// Returns the path of the user's configuration file. The caller frees it. Returns NULL if the
// system does not define a folder for configuration files.
static char *config_path(void)
{
    const char *folder;
    const char *const subfolder = config_folder(&folder);
    if (folder == NULL || *folder == '\0')
        return NULL;
    return common_format("%s%s/md5view/config", folder, subfolder);
}

// -- Reading --------------------------------------------------------------------------------

// Returns true if a text can be one line of the file: it contains no control characters except
// tabs.
static bool is_text(const char *line)
{
    for (; *line != '\0'; line++) {
        if ((unsigned char)*line < ' ' && *line != '\t')
            return false;
    }
    return true;
}

// State of the reader of the file. A removed option is an option of an earlier version. Each of
// them is reported only once, because many documents may contain it.
typedef struct config_reader {
    view_config *config;
    view_log *log;
    unsigned line_number;
    const common_removed *reported[VIEW_MAX_REMOVED_OPTIONS];
    size_t num_reported;
} config_reader;

// Returns true if `name` (`length` bytes) is a removed option. Logs a warning at its first
// occurrence.
static bool skip_removed_option(config_reader *reader, const char *name, size_t length)
{
    const common_removed *const option = view_find_removed_option(name, length);
    if (option == NULL)
        return false;
    for (size_t i = 0; i < reader->num_reported; i++) {
        if (reader->reported[i] == option)
            return true;
    }
    reader->reported[reader->num_reported++] = option;
    view_warn(reader->log, "%s:%u: option %s was removed and is ignored: %s", reader->config->path,
              reader->line_number, option->name, option->advice);
    return true;
}

// Deletes the settings of removed options from a text of lines "--NAME=VALUE".
static void drop_removed_settings(config_reader *reader, char *settings)
{
    char *end_of_kept = settings;
    const char *line = settings;
    while (*line != '\0') {
        const size_t length = strcspn(line, "\n");
        const bool has_line_end = line[length] == '\n';
        const size_t line_size = has_line_end ? length + 1 : length;
        const char *const name = line + strspn(line, "-");
        const bool is_removed = skip_removed_option(reader, name, strcspn(name, "=\n"));
        if (!is_removed) {
            memmove(end_of_kept, line, line_size);
            end_of_kept += line_size;
        }
        line += line_size;
    }
    *end_of_kept = '\0';
}

// Reads the value of a "document" line: "PATH<tab>--NAME=VALUE<tab>--NAME=VALUE…". In memory, a
// line break ends each setting, as view_write_settings() writes it. Documents after the first
// VIEW_MAX_DOCUMENTS are ignored. Returns false if the value is malformed.
static bool read_document(config_reader *reader, const char *value)
{
    view_recent_lines *const documents = &reader->config->documents;
    const char *const tab = strchr(value, '\t');
    if (tab == NULL)
        return false;
    if (documents->count == VIEW_MAX_DOCUMENTS)
        return true;

    char *const text = common_format("%s\n", value);
    const size_t path_length = (size_t)(tab - value);
    char *const settings = text + path_length + 1;
    for (char *c = settings; *c != '\0'; c++) {
        if (*c == '\t')
            *c = '\n';
    }
    drop_removed_settings(reader, settings);
    documents->names[documents->count++] = text;
    return true;
}

// Reads an option line, NAME=VALUE, whose NAME has `length` bytes. Returns false if the
// configuration file cannot contain this option. Ignores a removed option with a warning.
static bool read_option_line(config_reader *reader, const char *line, size_t length)
{
    if (skip_removed_option(reader, line, length))
        return true;
    const view_option *const option = view_find_option(line, length);
    if (option == NULL)
        return false;
    const bool is_allowed = view_is_of_user(option) || option->scope == VIEW_SCOPE_ANY;
    if (!is_allowed)
        return false;
    common_extend(&reader->config->settings, "%s\n", line);
    return true;
}

// Reads one line, NAME=VALUE. Returns false if the name is unknown or the value is invalid.
static bool read_line(config_reader *reader, const char *line)
{
    view_config *const config = reader->config;
    const char *const equals = strchr(line, '=');
    if (equals == NULL)
        return false;
    const size_t length = (size_t)(equals - line);
    const char *const value = equals + 1;
    if (strncmp(line, "export=", length + 1) == 0) {
        free(config->export_choices);
        config->export_choices = common_copy(value);
        return true;
    }
    if (strncmp(line, "recent=", length + 1) == 0) {
        if (config->recent.count < VIEW_MAX_RECENT)
            config->recent.names[config->recent.count++] = common_copy(value);
        return true;
    }
    if (strncmp(line, "document=", length + 1) == 0)
        return read_document(reader, value);
    return read_option_line(reader, line, length);
}

// Reads the lines of the file. Invalid lines are ignored, and the first of them are reported.
// Returns false if a line contains control characters, because the file is corrupt then.
static bool read_lines(FILE *file, view_config *config, view_log *log)
{
    enum { MAX_LINES = 300, MAX_REPORTED = 3 };
    char line[MAX_BYTES];
    config_reader reader = {.config = config, .log = log};
    unsigned num_invalid = 0;
    bool is_corrupt = false;
    while (reader.line_number < MAX_LINES && fgets(line, sizeof line, file) != NULL) {
        reader.line_number++;
        line[strcspn(line, "\r\n")] = '\0';
        const bool is_comment = line[0] == '\0' || line[0] == '#';
        if (is_comment)
            continue;

        const bool is_line = is_text(line);
        if (!is_line)
            is_corrupt = true;
        if (is_line && read_line(&reader, line))
            continue;
        num_invalid++;
        if (num_invalid <= MAX_REPORTED)
            view_warn(log,
                      "%s:%u: invalid line is ignored: expected a stored option, or a valid line "
                      "'document=', 'recent=' or 'export='",
                      config->path, reader.line_number);
    }
    return !is_corrupt;
}

// Renames a corrupt configuration file. The viewer would otherwise overwrite a file that the user
// may want to repair.
static void rename_corrupt_file(const char *path, view_log *log)
{
    char *const new_path = common_format("%s.broken", path);
    if (rename(path, new_path) == 0)
        view_warn(log, "configuration file %s was corrupt: it was renamed to %s", path,
                  common_base(new_path));
    free(new_path);
}

// Reads the configuration file. If `path` is NULL, reads the user's file. A corrupt file is
// renamed, so that it is not overwritten.
void view_read_config(view_config *config, const char *path, view_log *log)
{
    *config = (view_config){.path = path != NULL ? common_copy(path) : config_path(),
                            .settings = common_copy("")};
    if (config->path == NULL)
        return;

    // A device, for example /dev/null, counts as a missing file.
    common_status status;
    const bool is_device = common_read_status(config->path, &status) && !status.is_file;
    FILE *const file = is_device ? NULL : fopen(config->path, "rb");
    config->is_new = file == NULL;
    if (file == NULL) {
        const bool is_missing = is_device || errno == ENOENT;
        if (!is_missing)
            view_warn(log, "cannot read the configuration file %s: %s", config->path,
                      strerror(errno));
        return;
    }

    const bool is_intact = read_lines(file, config, log);
    fclose(file);
    if (!is_intact)
        rename_corrupt_file(config->path, log);
    config->is_changed = false;
}

// -- Applying the configuration -------------------------------------------------------------

// Returns the valid options of the configuration as arguments "--NAME=VALUE". The caller frees the
// list. Each line is parsed separately, so that an invalid line does not disable all others.
static common_list list_valid_options(const view_config *config, view_log *log)
{
    common_list valid = {0};
    const char *line = config->settings;
    while (*line != '\0') {
        const char *const end = strchr(line, '\n');
        char *argument = common_format("--%.*s", (int)(end - line), line);
        char problem[256];
        view_options parsed;
        if (view_read_options(1, &argument, &parsed, problem, sizeof problem)) {
            common_add(&valid, argument);
        } else {
            view_warn(log, "%s: %s", config->path, problem);
            free(argument);
        }
        view_free_options(&parsed);
        line = end + 1;
    }
    return valid;
}

// Reads the configuration file, and applies its options and then those of the command line,
// which have priority. With --output, the options of the file are not applied and the file is
// not written; only the stored settings of documents are used.
void view_apply_config(view_config *config, int count, char **arguments, view_options *options,
                       view_log *log)
{
    const bool writes_image = options->output != NULL;
    view_log quiet = {.level = VIEW_QUIET};
    view_read_config(config, options->config, writes_image ? &quiet : log);
    if (config->path == NULL)
        return;
    if (writes_image) { // an image depends only on config->documents; the file is not written
        free(config->path);
        config->path = NULL;
        return;
    }

    // A later argument overrides an earlier one. Therefore the options of the configuration come
    // first.
    common_list stored = list_valid_options(config, log);
    const size_t num_arguments = stored.count + (size_t)count;
    char **const all = common_alloc(num_arguments, sizeof *all);
    if (stored.count > 0)
        memcpy(all, stored.names, stored.count * sizeof *all);
    memcpy(all + stored.count, arguments, (size_t)count * sizeof *all);

    // The arguments were valid before, and the configuration contains no jobs. Therefore the
    // combined command line cannot be invalid.
    char problem[256];
    view_free_options(options);
    view_read_options((int)num_arguments, all, options, problem, sizeof problem);
    free(all);
    common_free_list(&stored);
}

// -- Writing --------------------------------------------------------------------------------

// Reads the file again, because another viewer may have written it. Adds the new recent files and
// documents of this viewer to its lines. The choices of the last export come from the file, unless
// this viewer has new ones.
static void merge_stored(view_config *config)
{
    view_log quiet = {.level = VIEW_QUIET};
    view_config stored;
    view_read_config(&stored, config->path, &quiet);
    for (size_t i = 0; i < config->removed_recent.count; i++)
        drop_line(&stored.recent, config->removed_recent.names[i]);
    merge_lines(&config->recent, &stored.recent, VIEW_MAX_RECENT);
    merge_lines(&config->documents, &stored.documents, VIEW_MAX_DOCUMENTS);
    if (!config->has_new_export && stored.export_choices != NULL) {
        free(config->export_choices);
        config->export_choices = stored.export_choices;
        stored.export_choices = NULL;
    }
    view_free_config(&stored);
}

// Replaces the line breaks of the settings by tabs and removes the last one, so that they are one
// line. A tab inside of a setting becomes a line break. is_text() then rejects the line, which
// could not be read again.
static void join_lines(char *lines)
{
    for (char *c = lines; *c != '\0'; c++) {
        const bool is_last = c[1] == '\0';
        if (*c == '\t')
            *c = '\n';
        else if (*c == '\n')
            *c = is_last ? '\0' : '\t';
    }
}

// Writes a document and its settings as one line. Skips a document without settings. Also skips a
// line that could not be read again, because it is too long or contains control characters.
static void write_document(FILE *file, const char *document)
{
    char *const line = common_copy(document);
    char *const settings = strchr(line, '\t') + 1;
    join_lines(settings);
    const bool is_short = strlen(line) < MAX_BYTES - sizeof "document=\r\n";
    if (*settings != '\0' && is_text(line) && is_short)
        fprintf(file, "document=%s\n", line);
    free(line);
}

// Writes the content of the file: first the options, then the other lines.
static void write_lines(FILE *file, const view_config *config)
{
    fputs("# The state that md5view restores when it starts. Lines are command-line options;\n"
          "# unknown lines are reported and ignored.\n",
          file);
    fputs(config->settings != NULL ? config->settings : "", file);
    if (config->export_choices != NULL)
        fprintf(file, "export=%s\n", config->export_choices);
    for (size_t i = 0; i < config->recent.count; i++)
        fprintf(file, "recent=%s\n", config->recent.names[i]);
    for (size_t i = 0; i < config->documents.count; i++)
        write_document(file, config->documents.names[i]);
}

// Writes the configuration file. First merges the lines that other viewers have written.
bool view_write_config(view_config *config, view_log *log)
{
    config->is_changed = false;
    common_writer writer;
    common_create_folders(config->path, 0700);
    bool is_written = common_begin_file(&writer, config->path, true);
    if (is_written) {
        merge_stored(config);
        write_lines(writer.file, config);
        is_written = common_end_file(&writer, true);
    }
    if (!is_written) { // the lines remain new, so that the next attempt writes them
        view_warn(log, "cannot write %s: %s", config->path, strerror(errno));
        return false;
    }

    config->recent.num_new = config->documents.num_new = 0;
    common_free_list(&config->removed_recent);
    config->has_new_export = false;
    return true;
}

// Returns the user's options that differ from the defaults, as lines "NAME=VALUE". The caller frees
// the text.
static char *write_user_options(const view_options *options)
{
    char *lines = common_copy("");
    for (size_t i = 0; i < view_num_options; i++) {
        const view_option *const option = &view_option_rows[i];
        if (!view_is_of_user(option))
            continue;
        char *const value = view_write_option(option, options);
        if (value != NULL)
            common_extend(&lines, "%s=%s\n", option->name, value);
        free(value);
    }
    return lines;
}

// Stores the current settings of a window, and writes the configuration file. With `is_soon`, the
// file is written only if the settings are the same as in the last call. Different settings may be
// changing continuously, for example while the user drags a slider. Returns false if writing fails.
bool view_store_config(view_config *config, const view_options *options, bool is_soon,
                       view_log *log)
{
    const bool was_changed = config->is_changed;
    char *const before = config->settings;
    config->settings = write_user_options(options);
    const bool is_changing = before == NULL || strcmp(config->settings, before) != 0;
    free(before);

    // Do not write the file for each value while the user drags a slider.
    const bool has_settled = was_changed && !is_changing;
    if (!is_soon || has_settled)
        return view_write_config(config, log);
    config->is_changed = is_changing || was_changed;
    return true;
}

// Frees all memory of the configuration and clears it. Does not write the file.
void view_free_config(view_config *config)
{
    view_free_recent_lines(&config->recent);
    view_free_recent_lines(&config->documents);
    common_free_list(&config->removed_recent);
    free(config->settings);
    free(config->export_choices);
    free(config->path);
    *config = (view_config){0};
}

// -- Recent files ---------------------------------------------------------------------------

// Returns true if "NAME=VALUE" fits in a line of the file. `name_size` is the size of "NAME=\r\n"
// with the terminating zero.
static bool fits_in_line(const char *value, size_t name_size)
{
    return is_text(value) && strlen(value) < MAX_BYTES - name_size;
}

// Returns the absolute path without ".." components. The caller frees it. Returns NULL if the path
// does not fit in a line.
static char *line_path(const char *path)
{
    char *const full_path = common_canonical_path(path);
    if (fits_in_line(full_path, sizeof "recent=\r\n"))
        return full_path;
    free(full_path);
    return NULL;
}

// Adds a file to the beginning of the list of recent files. Stores the canonical path. Ignores a
// path that does not fit in a line of the file.
void view_add_recent(view_config *config, const char *path)
{
    char *const full = line_path(path);
    if (full == NULL)
        return;
    config->is_changed |= note_line(&config->recent, VIEW_MAX_RECENT, full);
    free(full);
}

void view_remove_recent(view_config *config, const char *path)
{
    common_add(&config->removed_recent, common_copy(path)); // drop_line() may free `path`
    drop_line(&config->recent, config->removed_recent.names[config->removed_recent.count - 1]);
    config->is_changed = true;
}

// Stores the choices of the export dialog for the next session. Ignores choices that are already
// stored, so that the file is not written without a reason. Also ignores choices that do not fit in
// a line of the file.
void view_store_export_choices(view_config *config, const char *choices)
{
    const char *const stored = config->export_choices;
    const bool is_same = stored != NULL && strcmp(stored, choices) == 0;
    if (is_same || !fits_in_line(choices, sizeof "export=\r\n"))
        return;
    free(config->export_choices);
    config->export_choices = common_copy(choices);
    config->has_new_export = config->is_changed = true;
}

// Replaces the stored settings of a document by `lines`. A path that contains a tab cannot be
// stored, because a tab separates the path from the settings in the file. Such a document is
// ignored.
void view_store_document_settings(view_config *config, const char *path, const char *lines)
{
    char *const full_path = line_path(path);
    const bool can_store = full_path != NULL && strchr(full_path, '\t') == NULL;
    if (!can_store) {
        free(full_path);
        return;
    }

    // A document without settings must be stored only if it replaces older settings.
    const bool was_stored = view_find_document(&config->documents, full_path) != NULL;
    char *const line = common_format("%s\t%s", full_path, lines);
    if (*lines != '\0' || was_stored)
        config->is_changed |= note_line(&config->documents, VIEW_MAX_DOCUMENTS, line);
    free(line);
    free(full_path);
}

// Removes the stored settings of a document. If `path` is NULL, removes the settings of all
// documents and the recent files. A document without settings is a line that ends after the tab. It
// replaces the document's line in the file when the file is merged and written.
void view_delete_document_settings(view_config *config, const char *path)
{
    if (path != NULL) {
        view_store_document_settings(config, path, "");
        return;
    }

    // Other viewers would write the documents again. Therefore each document remains as a new line
    // without settings, which replaces its line in the file.
    for (size_t i = 0; i < config->documents.count; i++) {
        char *const line = config->documents.names[i];
        const size_t path_length = strcspn(line, "\t");
        line[path_length + 1] = '\0';
    }
    config->documents.num_new = config->documents.count;
    while (config->recent.count > 0)
        view_remove_recent(config, config->recent.names[0]);
    config->is_changed = true;
}
