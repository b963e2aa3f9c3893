// The list that opens over the image. It contains files, clips, or the contents of a game. This
// file contains the entries of the list (view_entry), its keys, and the dialog that displays the
// entries as tiles.
//
// Terms: The purpose of a list is the use of the chosen entry, for example to open a model or to
// set the image of a mesh. A location is a folder or a game that the dialog offers at its left.
// Listed entries are the entries that match the filter and the tabs; view_browser.found contains
// their indices.
#include "demo/viewer/ui/browser.h"

#include "demo/viewer/ui/ui_tile.h"

#include "demo/viewer/draw/previews.h"

// Size of the dialog in layout units.
static const float dialog_width = 930;
static const float dialog_height = 520;

// Sizes in em.
static const float min_large_width = 45;        // width below which the dialog has one column
static const float min_width_with_preview = 56; // width of the dialog that has a preview
static const float part_gap = 0.6f;             // distance between two parts of the dialog
static const float locations_width = 11;        // list of locations
static const float preview_width = 15;
static const float tabs_width = 22; // tabs of kinds or sections
static const float min_filter_width = 8;
static const float show_link_width = 3;     // link "show" after the number of hidden files
static const float small_row_height = 2.6f; // row of an entry in a small window
static const float folder_tile_width = 14;
static const float folder_tile_height = 2.3f;
static const float file_tile_width = 9;
static const float file_tile_height = 10;

static const char path_separator[] = " \xE2\x80\xBA "; // between the folders of a path

void view_close_browser(view_browser *browser)
{
    if (browser->kind != VIEW_BROWSE_NOTHING)
        browser->was = browser->kind;
    browser->kind = VIEW_BROWSE_NOTHING;
    browser->is_peeking = false;
}

// Hides the list and frees its entries.
void view_clear_browser(view_browser *browser)
{
    for (size_t i = 0; i < browser->num_entries; i++) {
        free(browser->entries[i].label);
        free(browser->entries[i].path);
    }
    free(browser->entries);
    free(browser->found);
    free(browser->folder);
    free(browser->on);
    *browser = (view_browser){.purpose = browser->purpose, .locations = browser->locations};
}

// -- Entries --------------------------------------------------------------------------------

// Adds an entry and returns it. The pointer is valid until the next entry is added. The entry owns
// `label`. `path` is copied and may be NULL.
static view_entry *add_entry(view_browser *browser, view_entry_kind kind,
                             char *label, // NOLINT(readability-non-const-parameter): freed later
                             const char *path)
{
    const size_t count = browser->num_entries++;
    // When the number of entries is 0 or a power of two, the capacity is increased to more than
    // twice this number. Thus adding n entries takes linear time.
    const bool is_full = (count & (count - 1)) == 0;
    if (is_full)
        browser->entries =
            common_realloc(browser->entries, 2 * count + 1, sizeof *browser->entries);
    view_entry *const entry = &browser->entries[count];
    char *const path_copy = path != NULL ? common_copy(path) : NULL;
    *entry = (view_entry){.kind = kind, .label = label, .path = path_copy};
    return entry;
}

// Returns true if the list contains the files of a folder. The list of recent files has no folder.
static bool lists_folder(const view_browser *browser)
{
    return browser->kind == VIEW_BROWSE_FILES && browser->folder != NULL;
}

// Returns the text that a name must contain to be listed. It is the filter. If the filter is a path
// in the listed folder, it is only the part after the folder.
static const char *name_filter(const view_browser *browser)
{
    const char *const filter = browser->filter;
    if (!lists_folder(browser))
        return filter;
    const size_t length = strlen(browser->folder);
    const bool is_path_in_folder = length > 0 && strncmp(filter, browser->folder, length) == 0;
    if (!is_path_in_folder)
        return filter;
    const char *const after_folder = filter + length;
    return *after_folder == '/' ? after_folder + 1 : after_folder;
}

// Returns true if the selected tab contains an entry of this kind. All tabs contain folders.
static bool is_kind_shown(const view_browser *browser, const view_entry *entry)
{
    if (browser->shows == 0 || entry->kind == VIEW_ENTRY_FOLDER)
        return true;
    return (browser->shows >> entry->kind & 1) != 0;
}

// Returns true if a file is hidden by default. Such a file has a name that begins with a dot, or is
// a state machine that only a lesson uses.
static bool is_hidden_file(const view_browser *browser, const view_entry *entry)
{
    static const char lesson_prefix[] = "page_";
    if (!lists_folder(browser))
        return false;
    const bool is_of_lesson = strncmp(entry->label, lesson_prefix, strlen(lesson_prefix)) == 0
                              && common_has_suffix(entry->label, ".md5machine");
    return entry->label[0] == '.' || is_of_lesson;
}

// Returns true if an entry matches the filter, the tabs and the switch "Mod only". This switch
// omits the items that belong to the base game and not to the mod.
static bool matches_filters(const view_browser *browser, const view_entry *entry)
{
    const bool is_omitted = browser->shows_mod_only && !entry->is_from_mod;
    return !is_omitted && is_kind_shown(browser, entry)
           && common_contains(entry->label, name_filter(browser));
}

// Returns true if the list hides an entry. Hidden files are shown if the user has switched them on,
// or types a filter that begins with a dot.
static bool is_hidden(const view_browser *browser, const view_entry *entry)
{
    const bool shows_hidden = browser->shows_hidden || name_filter(browser)[0] == '.';
    return !shows_hidden && is_hidden_file(browser, entry);
}

// Finds the listed entries after the entries or the filter have changed, and selects the first one.
// Also counts the entries that match the filter but are hidden.
static void find_entries(view_browser *browser)
{
    browser->found =
        common_realloc(browser->found, browser->num_entries + 1, sizeof *browser->found);
    browser->num_found = browser->selected = browser->num_hidden = 0;
    browser->reveals = true;
    for (size_t i = 0; i < browser->num_entries; i++) {
        const view_entry *const entry = &browser->entries[i];
        if (!matches_filters(browser, entry))
            continue;
        if (is_hidden(browser, entry))
            browser->num_hidden++;
        else
            browser->found[browser->num_found++] = i;
    }
}

// Selects the entry of the item that is open in the viewer, if the entry is listed.
static void select_shown(view_browser *browser)
{
    for (size_t i = 0; i < browser->num_found; i++) {
        if (browser->entries[browser->found[i]].is_shown)
            browser->selected = i;
    }
}

// Returns the command that opens the parent folder, or VIEW_HANDLED if there is no parent.
static view_command open_parent(const view_browser *browser)
{
    if (!lists_folder(browser) || strcmp(browser->folder, "/") == 0)
        return (view_command){.action = VIEW_HANDLED};
    char *const parent = common_folder(browser->folder);
    char *const path = common_canonical_path(parent);
    free(parent);
    return (view_command){.action = VIEW_OPEN_FOLDER, .path = path};
}

// -- Lists ----------------------------------------------------------------------------------

// The kinds of files that a list contains by default, if its purpose does not require others.
enum { OPENED_KINDS = 1 << VIEW_ENTRY_MODEL | 1 << VIEW_ENTRY_ANIM | 1 << VIEW_ENTRY_CAMERA };

// File extensions and their kinds. Files are listed in this order, because Enter opens the first
// match. A file that only refers to a model is not listed for options and clips, because they
// require the model itself.
static const struct {
    const char *ending;
    view_entry_kind kind;
    bool refers_to_model;
} endings[] = {
    {".md5mesh", VIEW_ENTRY_MODEL, false},    {".md5machine", VIEW_ENTRY_MODEL, true},
    {"md5.cfg", VIEW_ENTRY_MODEL, true},      {".md5anim", VIEW_ENTRY_ANIM, false},
    {".md5camera", VIEW_ENTRY_CAMERA, false}, {".hdr", VIEW_ENTRY_LIGHT, false},
    {".map", VIEW_ENTRY_MAP, false},
};

// File extensions of archives. Archives are listed before folders.
static const char *const archive_endings[] = {".pk4", ".pk3", ".pak", ".zip"};

// Returns true if a file has the extension `ending`. `ending` is NULL for a kind with many
// extensions. The file must then be an image or, for VIEW_ENTRY_OTHER, a file that can be
// converted.
static bool is_file_of_kind(const char *path, const char *ending, view_entry_kind kind)
{
    if (ending != NULL)
        return common_has_suffix(path, ending);
    return kind == VIEW_ENTRY_OTHER ? view_is_converted(path) : view_is_image(path);
}

// Adds entries for the files that is_file_of_kind() accepts. `shown` is the path of the open file,
// or NULL.
static void add_files(view_browser *browser, const common_list *files, const char *ending,
                      view_entry_kind kind, const char *shown)
{
    for (size_t i = 0; i < files->count; i++) {
        const char *const path = files->names[i];
        if (!is_file_of_kind(path, ending, kind))
            continue;
        view_entry *const entry = add_entry(browser, kind, common_copy(common_base(path)), path);
        entry->is_shown = shown != NULL && strcmp(path, shown) == 0;
    }
}

// Adds entries for the recent files and the recent items of games. The path of an item is an
// address, which consists of the path of the game and the name of the item. `config` may be NULL.
static void list_recent(view_browser *browser, const view_config *config)
{
    if (config == NULL)
        return;
    for (size_t i = 0; i < config->recent.count; i++) {
        const char *const path = config->recent.names[i];
        const bool is_in_game = view_is_address(path);
        view_entry *const entry =
            add_entry(browser, VIEW_ENTRY_MODEL, common_copy(common_base(path)), path);
        entry->is_missing = !is_in_game && !common_is_file(path) && !common_is_folder(path);
        entry->is_in_game = is_in_game;
    }
}

// Adds entries for the files that the purpose of the list accepts, in the order of their kinds.
// Archives are listed like folders. If the user must select a folder, they are omitted. `shown` is
// the path of the open file, or NULL.
static void list_files(view_browser *browser, const common_list *files, const char *shown)
{
    const unsigned accepted = browser->purpose.accepted_kinds; // 0: files that can be opened
    const bool opens_files = accepted == 0;
    const unsigned kinds = opens_files ? OPENED_KINDS : accepted;
    for (size_t i = 0; i < COMMON_LENGTH(endings); i++) {
        const view_entry_kind kind = endings[i].kind;
        const bool is_accepted = (kinds >> kind & 1) != 0;
        const bool is_usable = opens_files || !endings[i].refers_to_model;
        if (is_accepted && is_usable)
            add_files(browser, files, endings[i].ending, kind, shown);
    }

    const bool accepts_images = (accepted >> VIEW_ENTRY_PICTURE & 1) != 0;
    if (accepts_images)
        add_files(browser, files, NULL, VIEW_ENTRY_PICTURE, shown);
    if (opens_files)
        add_files(browser, files, NULL, VIEW_ENTRY_OTHER, shown);
    if (browser->purpose.is_folder)
        return;
    for (size_t i = 0; i < COMMON_LENGTH(archive_endings); i++)
        add_files(browser, files, archive_endings[i], VIEW_ENTRY_FOLDER, shown);
}

// Adds entries for folders. Their labels end with a slash to distinguish them from files.
static void list_folders(view_browser *browser, const common_list *folders, const char *shown)
{
    for (size_t i = 0; i < folders->count; i++) {
        const char *const path = folders->names[i];
        char *const label = common_format("%s/", common_base(path));
        view_entry *const entry = add_entry(browser, VIEW_ENTRY_FOLDER, label, path);
        entry->is_shown = shown != NULL && strcmp(path, shown) == 0;
    }
}

// Lists a folder. If `folder` is "", lists the recent files. `shown` is the path of the entry to
// select, or NULL.
void view_browse_folder(view_browser *browser, const char *folder, const char *shown,
                        const view_config *config)
{
    // `folder` and `shown` may point into the old state. Therefore the new state is complete before
    // the old state is freed.
    const bool is_recent = folder[0] == '\0';
    view_browser listed = {.kind = VIEW_BROWSE_FILES,
                           .purpose = browser->purpose,
                           .locations = browser->locations,
                           .folder = is_recent ? NULL : common_canonical_path(folder)};
    char *const shown_path = shown != NULL ? common_canonical_path(shown) : NULL;
    if (is_recent) {
        list_recent(&listed, config);
    } else {
        common_list files = common_list_folder(listed.folder, "");
        common_list folders = common_list_folder(listed.folder, NULL);
        list_files(&listed, &files, shown_path);
        list_folders(&listed, &folders, shown_path);
        common_free_list(&files);
        common_free_list(&folders);
    }
    free(shown_path);

    view_clear_browser(browser);
    *browser = listed;
    find_entries(browser);
    select_shown(browser);
}

// Moves the files with these paths to the beginning of the list, in the order of `paths`.
void view_list_first(view_browser *browser, const common_list *paths)
{
    // Each step moves an entry to the beginning. Moving the last path first results in the order of
    // `paths`.
    for (size_t n = paths->count; n-- > 0;) {
        for (size_t i = 0; i < browser->num_entries; i++) {
            const view_entry moved = browser->entries[i];
            if (strcmp(moved.path, paths->names[n]) != 0)
                continue;
            memmove(browser->entries + 1, browser->entries, i * sizeof moved);
            browser->entries[0] = moved;
        }
    }
    find_entries(browser);
}

// Adds an entry for the clip of the scene with index `number` and returns it.
static view_entry *add_clip(view_browser *browser, const view_scene *scene, size_t number)
{
    view_entry *const entry =
        add_entry(browser, VIEW_ENTRY_CLIP, common_copy(scene->clips[number].name), NULL);
    entry->clip = number;
    return entry;
}

// Adds entries for the clips that a channel can play. A channel is a part of the body, for example
// the torso, that plays its own clip. The first entry, "No clip", stops the channel. The clips of
// the entity follow. Selects the clip that is playing.
static void list_channel_clips(view_browser *browser, const view_scene *scene, uint32_t channel)
{
    const view_entity *const entity = view_active_entity(scene);
    const int32_t playing = entity != NULL ? entity->channels[channel].clip : -1;
    browser->channel = channel;
    browser->folder = common_format("Clips for %s", view_channel_name((md5_channel)channel));
    view_entry *const no_clip = add_entry(browser, VIEW_ENTRY_CLIP, common_copy("No clip"), NULL);
    no_clip->clip = SIZE_MAX;

    for (size_t i = 0; i < scene->num_clips; i++) {
        const uint32_t in_entity = scene->clips[i].in_entity; // 1 + index in the entity; 0: none
        if (in_entity == 0)
            continue;
        view_entry *const entry = add_clip(browser, scene, i);
        entry->is_shown = (int32_t)in_entity - 1 == playing;
    }
}

// Adds entries for all clips of the scene. The clip that is shown is selected.
static void list_clips(view_browser *browser, const view_scene *scene)
{
    for (size_t i = 0; i < scene->num_clips; i++) {
        view_entry *const entry = add_clip(browser, scene, i);
        entry->is_shown = i == scene->clip;
    }
}

// Opens a list. Its kind determines its content. This may be the clips of the scene, the files in
// the folder of the scene, or the clips for channel `channel` of the scene's entity. If this list
// of clips or files is already open, closes it, because its shortcut does both. Returns false if
// the scene has no clips to list.
bool view_open_browser(view_browser *browser, view_browser_kind kind, uint32_t channel,
                       const view_scene *scene)
{
    const bool has_shortcut = kind == VIEW_BROWSE_CLIPS || kind == VIEW_BROWSE_FILES;
    if (has_shortcut && browser->kind == kind) {
        view_close_browser(browser);
        return true;
    }
    view_clear_browser(browser);
    if (kind == VIEW_BROWSE_CLIPS && scene->num_clips == 0)
        return false;

    if (kind == VIEW_BROWSE_FILES) {
        char *const folder = common_folder(scene->path != NULL ? scene->path : ".");
        view_browse_folder(browser, folder, scene->path, NULL);
        free(folder);
    } else if (kind == VIEW_BROWSE_CLIPS) {
        list_clips(browser, scene);
    } else if (kind == VIEW_BROWSE_CHANNEL) {
        list_channel_clips(browser, scene, channel);
    }
    browser->kind = kind;
    find_entries(browser);
    select_shown(browser);
    return true;
}

// Lists a section of a library: the entities, models, clips or skins of a game. `shown` is the name
// of the item to select, or NULL.
void view_list_section(view_browser *browser, const view_library *library, view_section section,
                       const char *shown)
{
    // Changing the section must not change the filter and "Mod only".
    const bool was_open = browser->kind == VIEW_BROWSE_GAME;
    const bool shows_mod_only = was_open && browser->shows_mod_only;
    char filter[sizeof browser->filter] = "";
    if (was_open)
        memcpy(filter, browser->filter, sizeof filter);
    view_clear_browser(browser);
    memcpy(browser->filter, filter, sizeof filter);
    browser->shows_mod_only = shows_mod_only;

    browser->kind = VIEW_BROWSE_GAME;
    browser->folder = view_location_title(library->location);
    browser->section = section;
    browser->on = shown != NULL ? common_copy(shown) : NULL;
    memcpy(browser->num_in_section, library->num_names, sizeof browser->num_in_section);
    for (size_t i = 0; i < library->num_names[section]; i++) {
        const char *const name = library->names[section][i];
        view_entry *const entry = add_entry(browser, VIEW_ENTRY_NAMED, common_copy(name), name);
        entry->is_from_mod = view_is_from_mod(library, section, i);
        entry->is_shown = browser->on != NULL && strcmp(name, browser->on) == 0;
        if (entry->is_from_mod)
            browser->num_from_mod++;
    }
    find_entries(browser);
    select_shown(browser);
}

// Shows an empty list while a game is read. Does nothing if a scan is shown already, so that its
// title and count remain.
void view_list_scan(view_browser *browser, const char *location)
{
    if (browser->is_scanning)
        return;
    view_clear_browser(browser);
    browser->kind = VIEW_BROWSE_GAME;
    browser->folder = view_location_title(location);
    browser->is_scanning = true;
}

// -- Choosing -------------------------------------------------------------------------------

// Returns the path that the user has typed into the filter. The caller frees it. Returns NULL if
// the filter contains no slash. A relative path begins in the listed folder. "~" stands for the
// home folder.
static char *typed_path(const view_browser *browser)
{
    const char *const text = browser->filter;
    if (!lists_folder(browser) || strchr(text, '/') == NULL)
        return NULL;

    const char *const home = getenv("HOME");
    const bool is_below_home = text[0] == '~' && home != NULL;
    char *const joined =
        is_below_home ? common_format("%s%s", home, text + 1) : common_join(browser->folder, text);
    char *const path = common_canonical_path(joined);
    free(joined);
    return path;
}

// Returns the command that uses a file for the purpose of the list. The command opens the file, or
// sets an option to a text that contains the path.
static view_command command_for_file(const view_browser *browser, const char *path)
{
    view_command command = browser->purpose.answer;
    if (command.action == VIEW_NOTHING)
        command.action = VIEW_OPEN_FILE;

    // `form` is the text of the command, in which the byte "\1" is replaced by the path. Without a
    // form the command consists only of the path.
    const char *const form = browser->purpose.form != NULL ? browser->purpose.form : "\1";
    const size_t length_before = strcspn(form, "\1");
    const char *const after = form + length_before + 1;
    command.path = common_format("%.*s%s%s", (int)length_before, form, path, after);
    return command;
}

// Returns the entry that Enter opens, or NULL if the list is empty.
static const view_entry *selected_entry(const view_browser *browser)
{
    if (browser->selected >= browser->num_found)
        return NULL;
    return &browser->entries[browser->found[browser->selected]];
}

// Returns the command that lists a folder, or the contents of a game or an archive.
static view_command open_folder_entry(const view_entry *entry)
{
    const bool is_folder = common_is_folder(entry->path);
    return (view_command){.action = is_folder ? VIEW_OPEN_FOLDER : VIEW_OPEN_GAME,
                          .path = common_copy(entry->path)};
}

// Returns the command that the user selects with an entry that is not a folder.
static view_command command_for_entry(const view_browser *browser, const view_entry *entry)
{
    switch (browser->kind) {
    case VIEW_BROWSE_FILES:
        return command_for_file(browser, entry->path);
    case VIEW_BROWSE_CLIPS:
        return (view_command){.action = VIEW_OPEN_CLIP, .number = entry->clip};
    case VIEW_BROWSE_CHANNEL:
        return (view_command){
            .action = VIEW_PLAY_IN_CHANNEL, .number = entry->clip, .item = browser->channel};
    case VIEW_BROWSE_GAME:
        return (view_command){.action = VIEW_OPEN_NAMED,
                              .number = browser->section,
                              .path = common_copy(entry->path)};
    default:
        return (view_command){.action = VIEW_HANDLED};
    }
}

// Returns the command for the selected entry. A folder is listed. Any other entry is used for the
// purpose of the list, which is then closed.
static view_command open_selected_entry(view_browser *browser)
{
    const view_entry *const entry = selected_entry(browser);
    if (entry == NULL)
        return (view_command){.action = VIEW_HANDLED};
    if (entry->kind == VIEW_ENTRY_FOLDER)
        return open_folder_entry(entry);
    const view_command command = command_for_entry(browser, entry);
    view_close_browser(browser);
    return command;
}

// Returns the command for the key Enter and the button "Open". It refers to the path in the filter,
// if the filter is the path of a folder or a file. Otherwise it refers to the selected entry.
static view_command open_selected(view_browser *browser)
{
    char *const typed = typed_path(browser);
    if (typed != NULL && common_is_folder(typed))
        return (view_command){.action = VIEW_OPEN_FOLDER, .path = typed};
    if (typed != NULL && common_is_file(typed)) {
        const view_command command = command_for_file(browser, typed);
        free(typed);
        view_close_browser(browser);
        return command;
    }
    free(typed);
    return open_selected_entry(browser);
}

// Moves the selection by `step` entries and scrolls to it. The selection stops at the first and the
// last entry.
static void move_selection(view_browser *browser, long long step)
{
    const long long last = (long long)browser->num_found - 1;
    long long index = (long long)browser->selected + step;
    if (index > last)
        index = last;
    if (index < 0) // also if the list is empty
        index = 0;
    browser->selected = (size_t)index;
    browser->reveals = true;
}

// Returns the command for the key Tab. In a list of a game's contents, Tab opens the next section;
// the first section follows the last. In a list of files, Tab lists the game that the folder
// contains. In other folders the list does not use it, and it moves the keyboard focus.
static view_command open_next_section(const view_browser *browser)
{
    if (lists_folder(browser)) {
        if (!view_is_game(browser->folder))
            return (view_command){.action = VIEW_NOTHING};
        return (view_command){.action = VIEW_OPEN_GAME, .path = common_copy(browser->folder)};
    }
    if (browser->kind != VIEW_BROWSE_GAME || browser->is_scanning)
        return (view_command){.action = VIEW_HANDLED};
    const size_t next = ((size_t)browser->section + 1) % VIEW_NUM_SECTIONS;
    return (view_command){.action = VIEW_OPEN_SECTION, .number = next};
}

void view_filter_list(view_browser *browser, const char *text)
{
    // The space key enlarges the preview. If the text begins with a space, the space is from this
    // key and is removed.
    const char *const filter = text[0] == ' ' ? text + 1 : text;
    COMMON_TEXT(browser->filter, "%s", filter);
    find_entries(browser);
}

// Returns true if the selected entry has a preview that can be enlarged.
static bool can_peek(const view_browser *browser)
{
    const view_entry *const entry = selected_entry(browser);
    return browser->kind == VIEW_BROWSE_FILES && entry != NULL && entry->kind < VIEW_ENTRY_LIGHT;
}

// Writes the path of the listed folder into the filter and selects the text, so that the user can
// replace it by another path.
static void edit_path(view_browser *browser)
{
    COMMON_TEXT(browser->filter, "%s%s", browser->folder,
                strcmp(browser->folder, "/") == 0 ? "" : "/");
    browser->selects_all = true;
    find_entries(browser);
}

// Returns the number of entries by which a key moves the selection, or 0 for other keys. The
// entries are tiles in rows. Therefore Up and Down move the selection by a row.
static long long selection_step(const view_browser *browser, int32_t code)
{
    const long long row = (long long)(browser->per_row > 1 ? browser->per_row : 1);
    const long long page = row * (long long)(browser->num_rows > 1 ? browser->num_rows : 1);
    const long long count = (long long)browser->num_found;
    switch (code) {
    case VIEW_KEY_LEFT:
        return -1;
    case VIEW_KEY_RIGHT:
        return 1;
    case VIEW_KEY_UP:
        return -row;
    case VIEW_KEY_DOWN:
        return row;
    case VIEW_KEY_PAGE_UP:
        return -page;
    case VIEW_KEY_PAGE_DOWN:
        return page;
    case VIEW_KEY_HOME:
        return -count;
    case VIEW_KEY_END:
        return count;
    default:
        return 0;
    }
}

// Handles Escape: ends the enlarged preview and returns VIEW_LIST_CHANGED. If no preview is
// enlarged, closes the list and returns VIEW_LIST_CLOSED.
static view_command press_escape(view_browser *browser)
{
    if (browser->is_peeking) {
        browser->is_peeking = false;
        return (view_command){.action = VIEW_LIST_CHANGED};
    }
    view_close_browser(browser);
    return (view_command){.action = VIEW_LIST_CLOSED};
}

// Handles a key while the list is open, before any panel receives it. Returns VIEW_NOTHING if
// the list does not use the key, VIEW_LIST_CHANGED if only the list has changed, and otherwise the
// command to execute.
view_command view_key_browser(view_browser *browser, int32_t code)
{
    const view_command unused = {.action = VIEW_NOTHING};
    const view_command changed = {.action = VIEW_LIST_CHANGED};
    if (browser->kind == VIEW_BROWSE_NOTHING)
        return unused;

    const long long step = selection_step(browser, code);
    const bool moves_to_end = code == VIEW_KEY_HOME || code == VIEW_KEY_END;
    if (step != 0 || moves_to_end) {
        move_selection(browser, step);
        return changed;
    }

    const view_entry *const entry = selected_entry(browser);
    const bool has_filter = browser->filter[0] != '\0';
    switch (code) {
    case VIEW_KEY_ESCAPE:
        return press_escape(browser);
    case VIEW_KEY_RETURN:
    case VIEW_KEY_PAD_ENTER:
        return open_selected(browser);
    case ' ':
        if (has_filter) // the space is a part of the filter
            return unused;
        browser->is_peeking = !browser->is_peeking && can_peek(browser);
        return changed;
    case VIEW_KEY_BACKSPACE:
        return has_filter ? unused : open_parent(browser);
    case VIEW_KEY_UP | VIEW_WITH_CTRL:
        return open_parent(browser);
    case 'l' | VIEW_WITH_CTRL:
        if (!lists_folder(browser))
            return unused;
        edit_path(browser);
        return changed;
    case 'c' | VIEW_WITH_CTRL:
        if (entry != NULL && entry->path != NULL)
            return (view_command){.action = VIEW_COPY_PATH, .path = common_copy(entry->path)};
        return changed;
    case VIEW_KEY_TAB:
        return open_next_section(browser);
    default:
        return unused;
    }
}

// -- The panel ------------------------------------------------------------------------------

// The words for the members of view_entry_kind.
static const char *const kind_words[] = {
    [VIEW_ENTRY_MODEL] = "model",
    [VIEW_ENTRY_ANIM] = "clip",
    [VIEW_ENTRY_CAMERA] = "camera",
    [VIEW_ENTRY_PICTURE] = "image",
    [VIEW_ENTRY_LIGHT] = "light",
    [VIEW_ENTRY_MAP] = "map",
    [VIEW_ENTRY_OTHER] = "other format",
    [VIEW_ENTRY_FOLDER] = "", // it has an icon
    [VIEW_ENTRY_CLIP] = "",
    [VIEW_ENTRY_NAMED] = "",
};

// Returns true if an entry has a preview.
static bool has_preview(const view_entry *entry)
{
    if (entry->is_missing || entry->is_in_game)
        return false;
    return entry->kind <= VIEW_ENTRY_PICTURE || entry->kind == VIEW_ENTRY_NAMED;
}

// Returns the preview of an entry, or NULL if it has none. Writes one line about the entry to
// `text`. The line is the first property of the preview. Until the preview is loaded, it is the
// kind of the entry. If images are missing, it is a warning.
static const view_thumbnail *entry_preview(view_ui *ui, view_browser *browser,
                                           const view_entry *entry, char *text, size_t size)
{
    snprintf(text, size, "%s", entry->is_missing ? "missing" : kind_words[entry->kind]);
    if (!has_preview(entry))
        return NULL;

    const bool is_game_item = entry->kind == VIEW_ENTRY_NAMED;
    char *const request = is_game_item
                              ? view_preview_request(browser->section, entry->path, browser->on)
                              : common_copy(entry->path);
    const view_thumbnail *const preview = ui_thumbnail(ui, request, is_game_item);
    free(request);
    if (preview == NULL)
        return NULL;
    if (preview->num_missing > 0)
        snprintf(text, size, "\xE2\x9A\xA0 %u missing", preview->num_missing);
    else if (preview->info[0] != '\0')
        snprintf(text, size, "%.*s", (int)strcspn(preview->info, "\n"), preview->info);
    return preview;
}

// Draws the button that removes a recent file from the list, in the upper right corner of its tile.
// Returns true if the button was pressed.
static bool run_remove_button(view_ui *ui, const view_entry *entry, view_rect tile)
{
    view_rect cross = view_cut(&tile, VIEW_AT_RIGHT, 1.7f * ui->em);
    cross.height = cross.width;
    char label[256];
    COMMON_TEXT(label, "remove %s", entry->label);
    if (!ui_sign(ui, cross, label, "\xC3\x97"))
        return false;
    UI_COMMAND(ui, VIEW_REMOVE_RECENT, .path = common_copy(entry->path));
    return true;
}

// Displays an entry as a tile. Clips of the open model use the tile of ui_clip_tile(). Returns true
// if the tile was pressed.
static bool show_entry_tile(view_ui *ui, view_browser *browser, const view_entry *entry,
                            view_rect box, bool is_selected)
{
    char text[64];
    const view_thumbnail *const preview = entry_preview(ui, browser, entry, text, sizeof text);
    const bool is_clip = entry->kind == VIEW_ENTRY_CLIP && entry->clip < ui->scene->num_clips;
    if (is_clip)
        return ui_clip_tile(ui, box, entry->clip, is_selected, true);

    const bool is_folder = entry->kind == VIEW_ENTRY_FOLDER;
    const bool is_game_item = entry->kind == VIEW_ENTRY_NAMED;
    char name[256];
    COMMON_TEXT(name, "%s", is_game_item ? common_base(entry->label) : entry->label);
    const bool has_problem = preview != NULL && (preview->is_wrong || preview->num_missing > 0);
    const ui_tile_content content = {.label = entry->label,
                                     .name = name,
                                     .text = text,
                                     .picture = preview,
                                     .is_selected = is_selected,
                                     .is_link = is_folder,
                                     .is_folder = is_folder,
                                     .is_wrong = has_problem,
                                     .is_gray = entry->is_missing};
    return ui_content_tile(ui, box, &content);
}

// Displays an entry as a tile and handles clicks on it. `index` is its position among the listed
// entries. One click opens a folder or a clip. A click only selects a file or an item of a game,
// and a double click opens it.
static void show_entry(view_ui *ui, view_browser *browser, size_t index, view_rect box)
{
    const view_entry *const entry = &browser->entries[browser->found[index]];
    const bool is_selected = index == browser->selected;
    const bool is_pressed = show_entry_tile(ui, browser, entry, box, is_selected);
    const bool is_recent = browser->folder == NULL && browser->kind == VIEW_BROWSE_FILES;
    if (is_recent && run_remove_button(ui, entry, box))
        return;
    if (!is_pressed)
        return;

    browser->selected = index;
    const bool has_files = browser->kind == VIEW_BROWSE_FILES || browser->kind == VIEW_BROWSE_GAME;
    const bool needs_double_click = has_files && entry->kind != VIEW_ENTRY_FOLDER;
    if (!needs_double_click || ui->mouse.is_double)
        ui_request(ui, open_selected(browser));
}

// Reserves the tile of the next entry and sets `box` to its rectangle. Tiles of folders are lower
// than tiles of files. Therefore the first folder after a file begins a new row. In a small window,
// each entry has its own row. Returns true if the tile is visible.
static bool next_entry_tile(view_ui *ui, ui_grid *grid, bool is_folder, bool is_small,
                            view_rect *box)
{
    const float em = ui->em;
    if (grid->count > 0 && is_folder != grid->is_flat)
        grid->count = 0; // a new row
    grid->is_flat = is_folder;
    if (is_small)
        return ui_next_tile(ui, grid, ui->column->area.width, small_row_height * em, box);
    if (is_folder)
        return ui_next_tile(ui, grid, folder_tile_width * em, folder_tile_height * em, box);
    return ui_next_tile(ui, grid, file_tile_width * em, file_tile_height * em, box);
}

// Returns the text that replaces the entries of an empty list.
static const char *empty_list_text(const view_browser *browser)
{
    if (browser->is_scanning)
        return "Loading\xE2\x80\xA6";
    if (browser->filter[0] != '\0')
        return "No matches";
    return "No supported files in this folder";
}

// Scrolls so that a tile is completely visible in the area.
static void scroll_to_tile(ui_scroll *scroll, view_rect tile, view_rect area)
{
    const float above = fminf(tile.y - area.y, 0); // negative
    const float below = fmaxf(tile.y + tile.height - area.y - area.height, 0);
    scroll->wanted += above + below;
}

// Displays the listed entries as tiles in a column. Scrolls to the selected entry if the selection
// has changed. Stores the number of rows and of tiles per row, because keys move the selection by
// rows.
static void show_entries(view_ui *ui, view_browser *browser, view_rect area, bool is_small)
{
    ui_scroll *const scroll = &ui->scrolls[UI_SCROLL_FILES];
    ui_grid grid = {0};
    ui_column column;
    ui_begin_column(ui, &column, area, scroll);
    for (size_t i = 0; i < browser->num_found; i++) {
        const view_entry_kind kind = browser->entries[browser->found[i]].kind;
        const bool is_folder = kind == VIEW_ENTRY_FOLDER;
        view_rect tile;
        const bool is_visible = next_entry_tile(ui, &grid, is_folder, is_small, &tile);
        if (!is_folder)
            browser->per_row = grid.per_row;

        const bool needs_scroll = i == browser->selected && browser->reveals && !ui->is_event;
        if (needs_scroll) {
            scroll_to_tile(scroll, tile, area);
            browser->reveals = false;
        }
        if (is_visible)
            show_entry(ui, browser, i, tile);
        else
            ui->item.number++; // so that the numbers of the following items do not change
    }
    if (browser->num_found == 0)
        ui_column_text(ui, VIEW_DIM, empty_list_text(browser));
    browser->num_rows = (size_t)fmaxf(area.height / fmaxf(grid.height, 1), 1);
    ui_end_column(ui);
}

// Displays a location as a link in the next row. A press lists its contents. The link of the listed
// location is highlighted. The location is a game if `is_game` is true, otherwise a folder.
static void show_location(view_ui *ui, const view_browser *browser, const char *name,
                          const char *path, bool is_game)
{
    view_rect row;
    if (!ui_reserve_row(ui, 2.05f * ui->em, &row))
        return;
    if (ui_item(ui, row, name))
        UI_COMMAND(ui, is_game ? VIEW_OPEN_GAME : VIEW_OPEN_FOLDER, .path = common_copy(path));
    ui_tooltip(ui, path);

    const char *const listed_path = browser->folder != NULL ? browser->folder : "";
    const bool is_file_list = browser->kind == VIEW_BROWSE_FILES;
    const bool is_listed = is_game != is_file_list && strcmp(path, listed_path) == 0;
    view_color background = 0;
    view_color color = is_game ? VIEW_DIM : VIEW_PLAIN;
    if (is_listed) {
        background = VIEW_SELECTED;
        color = VIEW_BRIGHT;
    } else if (ui_is_hot(ui)) {
        background = VIEW_HOVERED;
    }
    view_draw_rect(ui->canvas, row, background);
    const view_rect text = view_inset(row, 0.4f * ui->em);
    ui_text(ui, text.x, text.y, text.width, color, name);
}

// Displays the locations: first the recent files, then folders of the user, then games.
static void list_locations(view_ui *ui, view_browser *browser, view_rect area)
{
    // Names of the first locations. NULL stands for the name of the folder.
    static const char *const names[] = {"Recent", "Home", NULL, "Examples", "Computer"};
    ui_column column;
    ui_begin_column(ui, &column, area, &ui->scrolls[UI_SCROLL_LOCATIONS]);
    for (size_t i = 0; i < browser->locations.count; i++) {
        const char *const path = browser->locations.names[i];
        const bool is_recent = i == 0; // its path is ""
        const bool is_game = i >= COMMON_LENGTH(names);
        const char *const name = is_game || names[i] == NULL ? common_base(path) : names[i];
        if (is_recent || path[0] != '\0')
            show_location(ui, browser, name, path, is_game);
    }
    ui_end_column(ui);
}

// Returns the offset in a path from which on it is displayed. If the path is wider than `width`
// pixels, its first parts are omitted. The last part is always displayed. A part begins with its
// slash.
static size_t first_visible_part(const view_ui *ui, const char *path, float width)
{
    const float separator_width = ui_text_width(ui, path_separator);
    const size_t length = strlen(path);
    float remaining_width = width;
    size_t first = length;
    while (first > 0) {
        size_t part = first - 1; // beginning of the part that ends at `first`
        while (part > 0 && path[part] != '/')
            part--;

        char name[256];
        COMMON_TEXT(name, "%.*s", (int)(first - part), path + part);
        remaining_width -= ui_text_width(ui, name) + separator_width;
        const bool is_last_part = first == length;
        if (remaining_width < 0 && !is_last_part)
            break;
        first = part;
    }
    return first;
}

// Draws a part of a path as a link at `x`, and sets `x` to its end. The last part is bright,
// because it is the listed folder. Returns true if the link was pressed.
static bool run_crumb(view_ui *ui, view_rect box, float *x, bool is_last, const char *name)
{
    const float y = box.y + 0.5f * (box.height - ui->line);
    const float space = box.x + box.width - *x;
    const view_rect part = {*x, box.y, fmaxf(fminf(ui_text_width(ui, name), space), 1), box.height};
    const bool is_pressed = ui_item(ui, part, name);
    const bool is_bright = is_last || ui_is_hot(ui);
    *x += ui_text(ui, part.x, y, part.width, is_bright ? VIEW_BRIGHT : VIEW_ACCENT, name);
    return is_pressed;
}

// Displays the path of the listed folder. Each part is a link to its folder. The first parts are
// omitted if the box is too narrow.
static void draw_path(view_ui *ui, const char *path, view_rect box)
{
    const float y = box.y + 0.5f * (box.height - ui->line);
    const size_t length = strlen(path);
    size_t position = first_visible_part(ui, path, box.width);
    float x = box.x;
    if (position > 0)
        x += ui_text(ui, x, y, 0, VIEW_DIM, "\xE2\x80\xA6");

    while (position < length && x < box.x + box.width) {
        // A part is the text between two slashes. Its link opens the path up to its end.
        const size_t begin = path[position] == '/' ? position + 1 : position;
        const size_t name_length = strcspn(path + begin, "/");
        const size_t end = begin + name_length;
        char name[256];
        COMMON_TEXT(name, "%.*s", (int)name_length, path + begin);
        if (x > box.x)
            x += ui_text(ui, x, y, 0, VIEW_DIM, path_separator);

        const bool is_last = end == length; // the listed folder itself
        if (run_crumb(ui, box, &x, is_last, name) && !is_last)
            UI_COMMAND(ui, VIEW_OPEN_FOLDER, .path = common_format("%.*s", (int)end, path));
        position = end;
    }
}

// Displays the path of the listed folder. Other lists display their title instead.
static void draw_crumbs(view_ui *ui, const view_browser *browser, view_rect box)
{
    const char *const title = browser->folder != NULL ? browser->folder : "Recent";
    if (browser->kind == VIEW_BROWSE_FILES && browser->folder != NULL) {
        draw_path(ui, title, box);
    } else {
        float x = box.x;
        run_crumb(ui, box, &x, true, title);
    }
}

// Draws the filter field and handles its input. The user can type a filter without clicking the
// field first. Therefore the field gets the focus during this function, unless a panel covers
// the list. Afterwards the real focus is restored, which Tab can move to other items.
static void run_filter(view_ui *ui, view_browser *browser, view_rect box)
{
    // Store the state of the focus, which is restored below.
    const ui_item_id focus = ui->focus.item;
    const bool takes_next = ui->focus.takes_next;
    const bool selects_all = ui->focus.selects_all;
    char text[sizeof browser->filter];
    COMMON_TEXT(text, "%s", browser->filter);

    if (ui->modal == NULL) {
        ui->focus.item = ui->item;
        ui->focus.item.number++;
        ui->focus.at_press = ui->focus.item;
    }
    ui->focus.selects_all = browser->selects_all;
    if (ui_field(ui, box, "Filter", text, sizeof text)) {
        view_filter_list(browser, text);
        UI_COMMAND(ui, VIEW_LIST_CHANGED);
    }

    browser->selects_all = ui->focus.selects_all;
    ui->focus.selects_all = selects_all;
    ui->focus.item = focus;
    ui->focus.takes_next = takes_next;
}

// Displays the enlarged preview of the selected entry in `box`. Displays its name and properties in
// `info`, unless this area is empty.
static void show_large(view_ui *ui, view_browser *browser, view_rect box, view_rect info)
{
    const view_entry *const entry = selected_entry(browser);
    const view_thumbnail *preview = NULL;
    char unused[64];
    if (entry != NULL)
        preview = entry_preview(ui, browser, entry, unused, sizeof unused);

    view_draw_round_rect(ui->canvas, box, 4 * ui->scale, VIEW_PREVIEW_COLOR);
    if (preview != NULL && preview->texture != 0)
        ui_image(ui, view_inset(box, 4), preview->texture, preview->width, preview->height, true);
    if (entry == NULL || !(info.height > 0))
        return;

    ui_column column;
    ui_scroll no_scroll = {0, 0};
    ui_begin_column(ui, &column, info, &no_scroll);
    column.margin = 0;
    ui_column_text(ui, VIEW_BRIGHT, entry->label);
    if (preview != NULL)
        ui_column_text(ui, preview->is_wrong ? VIEW_AMBER : VIEW_DIM, preview->info);
    ui_end_column(ui);
}

// Returns true if the dialog has buttons that use a file for --outfit, --compare or --retarget. It
// offers them after a model was dropped on the open model. The row of the buttons, which is `width`
// pixels wide, must have space for them.
static bool has_option_buttons(const view_ui *ui, view_browser *browser, float width)
{
    if (browser->kind != VIEW_BROWSE_FILES || !browser->purpose.is_dropped)
        return false;
    return ui->scene->model != NULL && !ui->stage->is_start && width > 26 * ui->em;
}

// Returns true if an option accepts the file of an entry. `entry` may be NULL.
static bool accepts_entry(const view_option *option, const view_entry *entry)
{
    if (entry == NULL)
        return false;
    if (entry->kind == VIEW_ENTRY_ANIM)
        return option->names == VIEW_NAMES_MODEL_OR_CLIP;
    return entry->kind == VIEW_ENTRY_MODEL && common_has_suffix(entry->path, ".md5mesh");
}

// Requests the command that sets an option to the selected entry, and closes the list. If the
// option does not accept the entry, shows a notice instead. `label` is the label of the button, for
// the notice.
static void use_entry_for_option(view_ui *ui, view_browser *browser, const view_option *option,
                                 const char *label)
{
    const view_entry *const entry = selected_entry(browser);
    if (accepts_entry(option, entry)) {
        ui_request(ui, view_set_text_command(option, common_copy(entry->path)));
        view_close_browser(browser);
    } else {
        ui_show_notice(ui, ui->stage->uptime, "%s: select a model first", label);
    }
}

// Executes the button "Open" or "Choose this folder" of the dialog.
static void press_open_button(view_ui *ui, view_browser *browser, bool chooses_folder)
{
    if (!chooses_folder) {
        ui_request(ui, open_selected(browser));
        return;
    }
    ui_request(ui, command_for_file(browser, browser->folder));
    view_close_browser(browser);
}

// Draws the buttons at the right end of the last row: the uses of a dropped model, "Cancel", and
// "Open" or "Choose this folder". Also handles their input. Removes their space from the row.
static void run_buttons(view_ui *ui, view_browser *browser, view_rect *foot)
{
    enum { NUM_USES = 3, MAX_BUTTONS = NUM_USES + 2 };
    static const char *const use_labels[] = {"Add as outfit", "Compare", "Retarget to this model"};
    static const char *const use_options[] = {"outfit", "compare", "retarget"};
    const bool chooses_folder = browser->purpose.is_folder && browser->folder != NULL;

    // If there is no space for "Cancel", the user can still close the dialog with the cross in its
    // corner.
    const char *labels[MAX_BUTTONS];
    const int num_uses = has_option_buttons(ui, browser, foot->width) ? NUM_USES : 0;
    const bool has_cancel = num_uses == 0 || foot->width > 40 * ui->em;
    int count = 0;
    for (; count < num_uses; count++)
        labels[count] = use_labels[count];
    if (has_cancel)
        labels[count++] = "Cancel";
    const int open_index = count;
    labels[count++] = chooses_folder ? "Choose this folder" : "Open";

    const int pressed = ui_buttons(ui, foot, labels, count, open_index);
    if (pressed < 0)
        return;
    if (pressed < num_uses) {
        const char *const name = use_options[pressed];
        use_entry_for_option(ui, browser, view_find_option(name, strlen(name)), labels[pressed]);
    } else if (pressed == open_index) {
        press_open_button(ui, browser, chooses_folder);
    } else { // "Cancel"
        view_close_browser(browser);
        UI_COMMAND(ui, VIEW_LIST_CLOSED);
    }
}

// Draws the tabs of a game's sections and handles their input. The label of a tab contains the
// number of items in the section.
static void run_section_tabs(view_ui *ui, const view_browser *browser, view_rect box)
{
    static const char *const sections[VIEW_NUM_SECTIONS] = {"Entities", "Models", "Clips", "Skins"};
    char texts[VIEW_NUM_SECTIONS][32];
    const char *labels[VIEW_NUM_SECTIONS];
    for (int i = 0; i < VIEW_NUM_SECTIONS; i++) {
        COMMON_TEXT(texts[i], "%s %zu", sections[i], browser->num_in_section[i]);
        labels[i] = texts[i];
    }

    uint32_t choice = (uint32_t)browser->section;
    if (ui_segment(ui, box, labels, VIEW_NUM_SECTIONS, &choice))
        UI_COMMAND(ui, VIEW_OPEN_SECTION, .number = choice);
}

// Draws the tabs that select which kinds of files the list shows, and filters the entries again
// if the user selects another tab.
static void run_kind_tabs(view_ui *ui, view_browser *browser, view_rect box)
{
    static const struct {
        const char *label;
        unsigned kinds; // bits of view_browser.shows; 0: all
    } tabs[] = {{"All", 0},
                {"Models", 1 << VIEW_ENTRY_MODEL},
                {"Clips", 1 << VIEW_ENTRY_ANIM},
                {"Cameras", 1 << VIEW_ENTRY_CAMERA}};
    enum { NUM_TABS = COMMON_LENGTH(tabs) };
    const char *labels[NUM_TABS];
    uint32_t choice = 0;
    for (uint32_t i = 0; i < NUM_TABS; i++) {
        labels[i] = tabs[i].label;
        if (browser->shows == tabs[i].kinds)
            choice = i;
    }

    if (ui_segment(ui, box, labels, NUM_TABS, &choice)) {
        browser->shows = tabs[choice].kinds;
        find_entries(browser);
    }
}

// Draws the tabs of a list of files or of a game and handles their input. Lists for other
// purposes than opening a file have no tabs, and neither has a game that is still being read.
static void run_tabs(view_ui *ui, view_browser *browser, view_rect box)
{
    if (browser->kind == VIEW_BROWSE_GAME && !browser->is_scanning)
        run_section_tabs(ui, browser, box);
    else if (browser->kind == VIEW_BROWSE_FILES && browser->purpose.accepted_kinds == 0)
        run_kind_tabs(ui, browser, box);
}

// Returns the title of a dialog that chooses a file or folder for an option.
static const char *choice_title(const view_browser *browser)
{
    return browser->purpose.is_folder ? "Choose a folder" : "Choose a file";
}

// Returns the title of the dialog. It depends on the kind of the list and on the purpose for
// which the user selects an entry.
static const char *list_title(const view_browser *browser)
{
    const view_action answer = browser->purpose.answer.action;
    if (answer == VIEW_ASSIGN_TEXTURE)
        return "Choose an image";
    switch (browser->kind) {
    case VIEW_BROWSE_FILES:
        if (browser->purpose.is_dropped)
            return "Use the dropped model";
        return answer != VIEW_NOTHING ? choice_title(browser) : "Open";
    case VIEW_BROWSE_GAME:
        return "Game contents";
    case VIEW_BROWSE_CLIPS:
        return "Clips";
    default:
        return browser->folder; // "Clips for CHANNEL"
    }
}

// Returns true if the mouse was pressed outside of the dialog `box`, on the dimmed background.
static bool is_pressed_outside(const view_ui *ui, view_rect box)
{
    if (!ui->mouse.is_pressed || !ui_is_panel_hot(ui) || ui->hot.number != 1)
        return false;
    return !view_contains(box, ui->mouse.x, ui->mouse.y);
}

// Draws a switch at the right end of a row, handles its input, and removes its space from the
// row. A press changes `is_on` and finds the listed entries again.
static void run_list_switch(view_ui *ui, view_browser *browser, view_rect *row, const char *label,
                            bool *is_on)
{
    const view_rect button = view_cut(row, VIEW_AT_RIGHT, 6 * ui->em);
    if (ui_button(ui, button, label, *is_on)) {
        *is_on = !*is_on;
        find_entries(browser);
    }
    view_cut(row, VIEW_AT_RIGHT, part_gap * ui->em);
}

// Draws the row above the entries and handles its input. It contains the button that lists the
// parent folder, and the path. At the right end, it contains "Mod only" if the game is a mod. In
// a small window, it contains "Locations", which shows the locations instead of the entries.
static void run_path_row(view_ui *ui, view_browser *browser, view_rect row, bool is_small)
{
    const float em = ui->em;
    const float side = ceilf(UI_FIELD_HEIGHT * em);
    view_rect path = row;
    if (ui_button(ui, view_cut(&path, VIEW_AT_LEFT, side), "\xE2\x86\x91", false))
        ui_request(ui, open_parent(browser));
    ui_tooltip(ui, "Parent folder  Ctrl+Up");
    view_cut(&path, VIEW_AT_LEFT, part_gap * em);

    const bool is_mod = browser->num_from_mod > 0 && browser->num_from_mod < browser->num_entries;
    const bool has_hidden_locations = is_small && browser->locations.count > 0;
    if (is_mod)
        run_list_switch(ui, browser, &path, "Mod only", &browser->shows_mod_only);
    else if (has_hidden_locations)
        run_list_switch(ui, browser, &path, "Locations", &browser->shows_locations);
    draw_crumbs(ui, browser, view_inset(path, 0.3f * em));
}

// Writes the number of listed entries. While a game is being read, writes the number of files that
// were found so far.
static void write_entry_count(const view_browser *browser, char text[64])
{
    if (browser->is_scanning)
        snprintf(text, 64, "Scanning: %zu %s", browser->num_scanned,
                 common_noun(browser->num_scanned, "file", "files"));
    else
        snprintf(text, 64, "%zu of %zu", browser->num_found, browser->num_entries);
}

// Writes the status for the last row of the dialog: the numbers of listed entries and of hidden
// files. If `width` pixels are too few for both, writes only the number of hidden files. If there
// is no space for it either, writes only the number of listed entries. Returns true if the status
// contains the number of hidden files. run_status() then displays a link after it.
static bool write_status(const view_ui *ui, const view_browser *browser, float width,
                         char text[128])
{
    const float text_width = width - show_link_width * ui->em;
    char count[64];
    write_entry_count(browser, count);
    if (browser->num_hidden > 0) {
        snprintf(text, 128, "%s" VIEW_DOT "%zu hidden  ", count, browser->num_hidden);
        if (ui_text_width(ui, text) <= text_width)
            return true;
        snprintf(text, 128, "%zu hidden  ", browser->num_hidden);
        if (ui_text_width(ui, text) <= text_width)
            return true;
    }
    snprintf(text, 128, "%s", count);
    return false;
}

// Draws the status in the last row of the dialog, and handles the link that shows hidden files.
static void run_status(view_ui *ui, view_browser *browser, view_rect foot)
{
    char text[128];
    const bool has_link = write_status(ui, browser, foot.width, text);
    const float y = foot.y + 0.5f * (foot.height - ui->line);
    const float status_width = ui_text(ui, foot.x, y, foot.width, VIEW_DIM, text);
    if (!has_link)
        return;

    const view_rect link = {foot.x + status_width, y, show_link_width * ui->em, ui->line};
    if (ui_item(ui, link, "show")) {
        browser->shows_hidden = true;
        find_entries(browser);
    }
    ui_text(ui, link.x, y, 0, VIEW_ACCENT, "show");
}

// Draws the cross in the upper right corner of the dialog and handles its input. `body` is the
// area between the title and the last row, `foot`. Returns true if the user has pressed the
// cross or the dimmed background outside of the dialog.
static bool run_close_button(view_ui *ui, view_rect body, view_rect foot)
{
    const float side = ceilf(UI_FIELD_HEIGHT * ui->em);
    const float border = VIEW_PADDING * ui->scale;
    const float top = body.y - ui->stage->font->line[VIEW_TITLE] - 0.5f * border;
    const view_rect dialog = {body.x, top, body.width, foot.y + foot.height - top};
    const bool is_outside = is_pressed_outside(ui, view_inset(dialog, -border));
    const view_rect cross = {body.x + body.width - side, top, side, side};
    const bool is_cross_pressed = ui_sign(ui, cross, "close", "\xC3\x97");
    return is_cross_pressed || is_outside;
}

// Draws the columns at the sides of a large dialog. The locations are at the left. If there is
// space, the preview of the selected file is at the right. Also handles their input. Removes their
// space from `rest`.
static void run_side_columns(view_ui *ui, view_browser *browser, view_rect *rest)
{
    const float em = ui->em;
    const float gap = part_gap * em;
    const bool is_files = browser->kind == VIEW_BROWSE_FILES;
    const bool has_locations = is_files || browser->kind == VIEW_BROWSE_GAME;
    const bool has_preview = rest->width > min_width_with_preview * em && is_files;
    if (has_locations && browser->locations.count > 0) {
        list_locations(ui, browser, view_cut(rest, VIEW_AT_LEFT, locations_width * em));
        view_cut(rest, VIEW_AT_LEFT, gap);
    }
    if (has_preview) {
        view_rect side = view_cut(rest, VIEW_AT_RIGHT, preview_width * em);
        const view_rect large = view_cut(&side, VIEW_AT_TOP, side.width);
        view_cut(&side, VIEW_AT_TOP, gap);
        show_large(ui, browser, large, side);
        view_cut(rest, VIEW_AT_RIGHT, 2 * gap);
    }
}

// Draws the row with the filter and the tabs, at the top of `rest`. Also handles its input.
// Removes its space from `rest`.
static void run_filter_row(view_ui *ui, view_browser *browser, view_rect *rest)
{
    const float em = ui->em;
    const float gap = part_gap * em;
    view_rect tabs = view_cut(rest, VIEW_AT_TOP, ceilf(UI_FIELD_HEIGHT * em));
    view_cut(rest, VIEW_AT_TOP, gap);
    const float filter_width = fmaxf(tabs.width - tabs_width * em, min_filter_width * em);
    const view_rect filter = view_cut(&tabs, VIEW_AT_LEFT, filter_width);
    view_cut(&tabs, VIEW_AT_LEFT, gap);
    run_tabs(ui, browser, tabs);
    run_filter(ui, browser, filter);
}

// Draws the content of the dialog in a small window and handles its input. The filter shares the
// row of the buttons. `rest` is filled by the entries, or by the locations if the user has
// switched to them.
static void run_small_dialog(view_ui *ui, view_browser *browser, view_rect rest, view_rect foot)
{
    run_buttons(ui, browser, &foot);
    view_cut(&foot, VIEW_AT_RIGHT, part_gap * ui->em);
    run_filter(ui, browser, foot);
    if (browser->shows_locations)
        list_locations(ui, browser, rest);
    else
        show_entries(ui, browser, rest, true);
}

// Draws the content of the dialog, except for the enlarged preview, and handles its input.
// `body` is the area between the title and the last row, `foot`. Each part removes its space
// from `body`.
static void run_dialog_content(view_ui *ui, view_browser *browser, view_rect body, view_rect foot)
{
    const float em = ui->em;
    const bool is_small = body.width < min_large_width * em;
    const bool has_path = browser->kind == VIEW_BROWSE_FILES || browser->kind == VIEW_BROWSE_GAME;
    view_rect rest = body;
    if (!is_small)
        run_side_columns(ui, browser, &rest);
    if (has_path) {
        const view_rect path = view_cut(&rest, VIEW_AT_TOP, ceilf(UI_FIELD_HEIGHT * em));
        run_path_row(ui, browser, path, is_small);
        view_cut(&rest, VIEW_AT_TOP, part_gap * em);
    }
    if (is_small) {
        run_small_dialog(ui, browser, rest, foot);
        return;
    }
    view_rect status = foot;
    run_filter_row(ui, browser, &rest);
    show_entries(ui, browser, rest, false);
    run_buttons(ui, browser, &status);
    run_status(ui, browser, status);
}

// Draws the dialog of the open list and handles its input. While an entry is enlarged
// (is_peeking), its preview covers the other content.
void view_browser_panel(view_ui *ui, view_browser *browser)
{
    if (browser->kind == VIEW_BROWSE_NOTHING)
        return;
    view_rect foot;
    const view_rect body =
        ui_footed_dialog(ui, "list", dialog_width, dialog_height, list_title(browser), &foot);
    const bool is_closed = run_close_button(ui, body, foot);

    // The enlarged preview covers the whole content of the dialog.
    if (browser->is_peeking) {
        const view_rect large = {body.x, body.y, body.width, foot.y + foot.height - body.y};
        const view_rect no_facts = {0, 0, 0, 0};
        show_large(ui, browser, large, no_facts);
        return;
    }
    run_dialog_content(ui, browser, body, foot);
    if (is_closed) {
        view_close_browser(browser);
        UI_COMMAND(ui, VIEW_LIST_CLOSED);
    }
}
