// The list that opens over the image: files, clips or the contents of a game. This file contains
// its entries (view_entry), its keys, and its panel, which displays the entries as tiles.
#include "demo/viewer/ui/browser.h"

#include "demo/viewer/ui/ui.h"

#include "demo/viewer/draw/previews.h"

void view_close_browser(view_browser *browser)
{
    if (browser->kind != VIEW_BROWSE_NOTHING)
        browser->was = browser->kind;
    browser->kind = VIEW_BROWSE_NOTHING;
    browser->is_peeking = false;
}

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
    *browser = (view_browser){.asked = browser->asked, .places = browser->places};
}

// -- Entries --------------------------------------------------------------------------------

// Adds an entry, which owns `label`.
static view_entry *add_entry(view_browser *browser, view_entry_kind kind,
                             char *label, // NOLINT(readability-non-const-parameter): freed later
                             const char *path)
{
    const size_t count = browser->num_entries++;
    if ((count & (count - 1)) == 0) // a power of two: the array is full
        browser->entries =
            common_realloc(browser->entries, 2 * count + 1, sizeof *browser->entries);
    view_entry *const entry = &browser->entries[count];
    *entry =
        (view_entry){.kind = kind, .label = label, .path = path != NULL ? common_copy(path) : NULL};
    return entry;
}

// Returns the part of the filter that names must contain. If the filter is a path in the listed
// folder, this is the part after the folder.
static const char *name_filter(const view_browser *browser)
{
    const char *const filter = browser->filter;
    if (browser->kind != VIEW_BROWSE_FILES || browser->folder == NULL)
        return filter;
    const size_t length = strlen(browser->folder);
    if (length == 0 || strncmp(filter, browser->folder, length) != 0)
        return filter;
    return filter + length + (filter[length] == '/');
}

// Returns true if the tabs show the kind of an entry. Folders are always shown.
static bool is_kind_shown(const view_browser *browser, const view_entry *entry)
{
    if (browser->shows == 0 || entry->kind == VIEW_ENTRY_FOLDER)
        return true;
    return (browser->shows >> entry->kind & 1) != 0;
}

// Returns true if a file is hidden: its name begins with a dot, or it belongs to a lesson.
static bool is_hidden_file(const view_browser *browser, const view_entry *entry)
{
    static const char lesson[] = "page_";
    if (browser->kind != VIEW_BROWSE_FILES || browser->folder == NULL)
        return false;
    const bool is_lesson = strncmp(entry->label, lesson, strlen(lesson)) == 0
                           && common_has_suffix(entry->label, ".md5machine");
    return entry->label[0] == '.' || is_lesson;
}

// Returns true if an entry matches the filter and is not hidden. Counts hidden matches.
static bool is_listed(view_browser *browser, const view_entry *entry)
{
    const char *const wanted = name_filter(browser);
    const bool is_match = is_kind_shown(browser, entry) && common_contains(entry->label, wanted);
    const bool is_found = is_match && (entry->is_own || !browser->is_own_alone);
    const bool is_wanted = browser->shows_hidden || wanted[0] == '.';
    const bool is_hidden = is_hidden_file(browser, entry) && !is_wanted;
    browser->num_hidden += is_found && is_hidden;
    return is_found && !is_hidden;
}

// Lists the entries that match the filter and selects the first of them.
static void find_entries(view_browser *browser)
{
    browser->found =
        common_realloc(browser->found, browser->num_entries + 1, sizeof *browser->found);
    browser->num_found = browser->selected = browser->num_hidden = 0;
    browser->reveals = true;
    for (size_t i = 0; i < browser->num_entries; i++)
        if (is_listed(browser, &browser->entries[i]))
            browser->found[browser->num_found++] = i;
}

// Selects the open item if it is listed.
static void select_shown(view_browser *browser)
{
    for (size_t i = 0; i < browser->num_found; i++)
        if (browser->entries[browser->found[i]].is_shown)
            browser->selected = i;
}

// Returns the command that opens the parent folder, or VIEW_HANDLED if there is no parent.
static view_command open_parent(const view_browser *browser)
{
    if (browser->kind != VIEW_BROWSE_FILES || browser->folder == NULL
        || strcmp(browser->folder, "/") == 0)
        return (view_command){.action = VIEW_HANDLED};
    char *const outer = common_folder(browser->folder);
    char *const path = common_canonical_path(outer);
    free(outer);
    return (view_command){.action = VIEW_OPEN_FOLDER, .path = path};
}

// -- Lists ----------------------------------------------------------------------------------

enum { OPENED = 1 << VIEW_ENTRY_MODEL | 1 << VIEW_ENTRY_ANIM | 1 << VIEW_ENTRY_CAMERA };

// File extensions and their kinds. Files are listed in this order, and Enter opens the first match.
// Files that refer to a model (`refers_to_model`) are listed only if the list is not restricted to
// kinds of files, because options and clips require the model itself.
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

// File extensions of archives, which are listed before the folders.
static const char *const archive_endings[] = {".pk4", ".pk3", ".pak", ".zip"};

// Adds the files with the extension `ending`. NULL adds images or, for VIEW_ENTRY_OTHER, files that
// can be converted.
static void add_files(view_browser *browser, const common_list *files, const char *ending,
                      view_entry_kind kind, const char *shown)
{
    for (size_t i = 0; i < files->count; i++) {
        const char *const path = files->names[i];
        bool is_match;
        if (ending != NULL)
            is_match = common_has_suffix(path, ending);
        else if (kind == VIEW_ENTRY_OTHER)
            is_match = view_is_converted(path);
        else
            is_match = view_is_image(path);
        if (!is_match)
            continue;
        add_entry(browser, kind, common_copy(common_base(path)), path)->is_shown =
            shown != NULL && strcmp(path, shown) == 0;
    }
}

// Adds the recently opened files and items of games.
static void list_recent(view_browser *browser, const view_config *config)
{
    for (size_t i = 0; config != NULL && i < config->recent.count; i++) {
        const char *const path = config->recent.names[i];
        view_address address;
        const bool is_in_game = view_read_address(path, &address);
        view_entry *const entry =
            add_entry(browser, VIEW_ENTRY_MODEL, common_copy(common_base(path)), path);
        entry->is_missing = !is_in_game && !common_is_file(path) && !common_is_folder(path);
        entry->is_in_game = is_in_game;
        if (is_in_game)
            view_free_address(&address);
    }
}

void view_browse_folder(view_browser *browser, const char *folder, const char *shown,
                        const view_config *config)
{
    view_browser listed = {.kind = VIEW_BROWSE_FILES,
                           .asked = browser->asked,
                           .places = browser->places,
                           .folder = folder[0] != '\0' ? common_canonical_path(folder) : NULL};
    char *const whole = shown != NULL ? common_canonical_path(shown) : NULL;
    const unsigned takes = listed.asked.takes;
    common_list files = {NULL, 0};
    common_list folders = {NULL, 0};
    if (listed.folder == NULL) {
        list_recent(&listed, config);
    } else {
        files = common_list_folder(listed.folder, "");
        folders = common_list_folder(listed.folder, NULL);
    }
    const unsigned kinds = takes == 0 ? OPENED : takes;
    for (size_t i = 0; i < COMMON_LENGTH(endings); i++) {
        const view_entry_kind kind = endings[i].kind;
        const bool is_usable = takes == 0 || !endings[i].refers_to_model;
        if ((kinds >> kind & 1) != 0 && is_usable)
            add_files(&listed, &files, endings[i].ending, kind, whole);
    }
    if ((takes >> VIEW_ENTRY_PICTURE & 1) != 0)
        add_files(&listed, &files, NULL, VIEW_ENTRY_PICTURE, whole);
    if (takes == 0)
        add_files(&listed, &files, NULL, VIEW_ENTRY_OTHER, whole);
    for (size_t i = 0; i < COMMON_LENGTH(archive_endings) && !listed.asked.is_folder; i++)
        add_files(&listed, &files, archive_endings[i], VIEW_ENTRY_FOLDER, whole);
    for (size_t i = 0; i < folders.count; i++)
        add_entry(&listed, VIEW_ENTRY_FOLDER, common_format("%s/", common_base(folders.names[i])),
                  folders.names[i])
            ->is_shown = whole != NULL && strcmp(folders.names[i], whole) == 0;
    common_free_list(&files);
    common_free_list(&folders);
    free(whole);
    view_clear_browser(browser);
    *browser = listed;
    find_entries(browser);
    select_shown(browser);
}

void view_list_first(view_browser *browser, const common_list *paths)
{
    for (size_t n = paths->count; n-- > 0;)
        for (size_t i = 0; i < browser->num_entries; i++) {
            const view_entry entry = browser->entries[i];
            if (strcmp(entry.path, paths->names[n]) != 0)
                continue;
            memmove(browser->entries + 1, browser->entries, i * sizeof entry);
            browser->entries[0] = entry;
        }
    find_entries(browser);
}

static view_entry *add_clip(view_browser *browser, const view_scene *scene, size_t number)
{
    view_entry *const entry =
        add_entry(browser, VIEW_ENTRY_CLIP, common_copy(scene->clips[number].name), NULL);
    entry->clip = number;
    return entry;
}

bool view_open_browser(view_browser *browser, view_browser_kind kind, uint32_t number,
                       const view_scene *scene)
{
    const bool has_key = kind == VIEW_BROWSE_CLIPS || kind == VIEW_BROWSE_FILES;
    if (has_key && browser->kind == kind) {
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
    }
    browser->kind = kind;
    if (kind == VIEW_BROWSE_CLIPS) {
        for (size_t i = 0; i < scene->num_clips; i++)
            add_clip(browser, scene, i)->is_shown = i == scene->clip;
    } else if (kind == VIEW_BROWSE_CHANNEL) {
        const md5_channel channel = (md5_channel)number;
        const view_entity *const entity = view_active_entity(scene);
        const int32_t playing = entity != NULL ? entity->channels[channel].clip : -1;
        browser->channel = number;
        browser->folder = common_format("Clips for %s", view_channel_name(channel));
        // An entry that stops the channel.
        add_entry(browser, VIEW_ENTRY_CLIP, common_copy("none"), NULL)->clip = SIZE_MAX;
        for (size_t i = 0; i < scene->num_clips; i++) {
            const uint32_t in_entity = scene->clips[i].in_entity;
            if (in_entity != 0)
                add_clip(browser, scene, i)->is_shown = (int32_t)in_entity - 1 == playing;
        }
    }
    find_entries(browser);
    select_shown(browser);
    return true;
}

void view_list_section(view_browser *browser, const view_library *library, view_section section,
                       const char *shown)
{
    const size_t count = library->num_names[section];
    char filter[sizeof browser->filter] = ""; // the filter is kept when the section changes
    const bool keeps = browser->kind == VIEW_BROWSE_GAME;
    const bool is_own_alone = keeps && browser->is_own_alone;
    if (keeps)
        memcpy(filter, browser->filter, sizeof filter);
    view_clear_browser(browser);
    browser->kind = VIEW_BROWSE_GAME;
    browser->folder = view_location_title(library->place);
    browser->section = section;
    memcpy(browser->num_in_section, library->num_names, sizeof browser->num_in_section);
    browser->is_own_alone = is_own_alone;
    for (size_t i = 0; i < count; i++) {
        const char *const name = library->names[section][i];
        view_entry *const entry = add_entry(browser, VIEW_ENTRY_NAMED, common_copy(name), name);
        entry->is_own = view_is_from_mod(library, section, i);
        browser->num_own += entry->is_own;
        entry->is_shown = shown != NULL && strcmp(name, shown) == 0;
    }
    browser->on = shown != NULL ? common_copy(shown) : NULL;
    memcpy(browser->filter, filter, sizeof filter);
    find_entries(browser);
    select_shown(browser);
}

void view_list_scan(view_browser *browser, const char *place)
{
    if (browser->is_scanning)
        return;
    view_clear_browser(browser);
    browser->kind = VIEW_BROWSE_GAME;
    browser->folder = view_location_title(place);
    browser->is_scanning = true;
}

// -- Choosing -------------------------------------------------------------------------------

// Returns the path that was typed into the filter, to be freed, or NULL if the filter does not
// contain a folder. "~" is replaced by the home folder.
static char *typed_path(const view_browser *browser)
{
    const char *const text = browser->filter;
    const char *const home = getenv("HOME");
    if (browser->kind != VIEW_BROWSE_FILES || browser->folder == NULL || strchr(text, '/') == NULL)
        return NULL;
    char *const joined = text[0] == '~' && home != NULL ? common_format("%s%s", home, text + 1)
                                                        : common_join(browser->folder, text);
    char *const path = common_canonical_path(joined);
    free(joined);
    return path;
}

// Returns the command that applies the purpose of the list to a file.
static view_command command_for_file(const view_browser *browser, const char *path)
{
    view_command command = browser->asked.answer;
    if (command.action == VIEW_NOTHING)
        command.action = VIEW_OPEN_FILE;
    const char *const form = browser->asked.form != NULL ? browser->asked.form : "\1";
    const size_t before = strcspn(form, "\1");
    command.path = common_format("%.*s%s%s", (int)before, form, path, form + before + 1);
    return command;
}

static const view_entry *selected_entry(const view_browser *browser)
{
    return browser->selected < browser->num_found
               ? &browser->entries[browser->found[browser->selected]]
               : NULL;
}

// Returns the command that opens the selected entry or the typed path, and closes the list. A
// folder is listed instead.
static view_command open_selected(view_browser *browser)
{
    const view_entry *const entry = selected_entry(browser);
    char *const typed = typed_path(browser);
    view_command command = {.action = VIEW_HANDLED};
    if (typed != NULL && common_is_folder(typed)) {
        return (view_command){.action = VIEW_OPEN_FOLDER, .path = typed};
    }
    if (typed != NULL && common_is_file(typed)) {
        command = command_for_file(browser, typed);
    } else if (entry == NULL) {
        free(typed);
        return command;
    } else if (entry->kind == VIEW_ENTRY_FOLDER) {
        command.action = common_is_folder(entry->path) ? VIEW_OPEN_FOLDER : VIEW_OPEN_GAME;
        command.path = common_copy(entry->path);
        return command;
    } else if (browser->kind == VIEW_BROWSE_FILES) {
        command = command_for_file(browser, entry->path);
    } else {
        static const view_action actions[] = {[VIEW_BROWSE_CLIPS] = VIEW_OPEN_CLIP,
                                              [VIEW_BROWSE_CHANNEL] = VIEW_PLAY_IN_CHANNEL,
                                              [VIEW_BROWSE_GAME] = VIEW_OPEN_NAMED};
        command.action = actions[browser->kind];
        command.number = browser->kind == VIEW_BROWSE_GAME ? browser->section : entry->clip;
        command.item = browser->channel;
        command.path = entry->path != NULL ? common_copy(entry->path) : NULL;
    }
    free(typed);
    view_close_browser(browser);
    return command;
}

static void move_selection(view_browser *browser, long long step)
{
    const long long last = (long long)browser->num_found - 1;
    long long index = (long long)browser->selected + step;
    index = index > last ? last : index;
    browser->selected = index < 0 ? 0 : (size_t)index;
    browser->reveals = true;
}

// Returns the command that lists the next section of the game, or the game that the listed folder
// contains.
static view_command open_next_section(const view_browser *browser, int step)
{
    const int count = VIEW_NUM_SECTIONS;
    if (browser->kind == VIEW_BROWSE_FILES && browser->folder != NULL)
        return (view_command){.action = VIEW_OPEN_GAME, .path = common_copy(browser->folder)};
    if (browser->kind != VIEW_BROWSE_GAME || browser->is_scanning)
        return (view_command){.action = VIEW_HANDLED};
    return (view_command){.action = VIEW_OPEN_SECTION,
                          .number = (size_t)(((int)browser->section + step + count) % count)};
}

void view_filter_list(view_browser *browser, const char *text)
{
    // A space at the beginning comes from the key that enlarges the preview.
    COMMON_TEXT(browser->filter, "%s", text + (text[0] == ' '));
    find_entries(browser);
}

// Returns true if the selected entry has a large preview.
static bool can_peek(const view_browser *browser)
{
    const view_entry *const entry = selected_entry(browser);
    return browser->kind == VIEW_BROWSE_FILES && entry != NULL && entry->kind < VIEW_ENTRY_LIGHT;
}

// Writes the listed folder into the filter and selects the text, so that a path can be typed.
static void edit_path(view_browser *browser)
{
    COMMON_TEXT(browser->filter, "%s%s", browser->folder,
                strcmp(browser->folder, "/") == 0 ? "" : "/");
    browser->selects_all = true;
    find_entries(browser);
}

view_command view_key_browser(view_browser *browser, int32_t code)
{
    if (browser->kind == VIEW_BROWSE_NOTHING)
        return (view_command){.action = VIEW_NOTHING};
    const long long row = (long long)(browser->per_row > 1 ? browser->per_row : 1);
    const long long page = row * (long long)(browser->num_rows > 1 ? browser->num_rows : 1);
    const long long all = (long long)browser->num_found;
    const view_entry *const entry = selected_entry(browser);
    const bool is_empty = browser->filter[0] == '\0';
    switch (code) {
    case VIEW_KEY_ESCAPE:
        if (browser->is_peeking) {
            browser->is_peeking = false;
            break;
        }
        view_close_browser(browser);
        return (view_command){.action = VIEW_CLOSED};
    case VIEW_KEY_RETURN:
    case VIEW_KEY_PAD_ENTER:
        return open_selected(browser);
    case ' ':
        if (!is_empty)
            return (view_command){.action = VIEW_NOTHING};
        browser->is_peeking = !browser->is_peeking && can_peek(browser);
        break;
    case VIEW_KEY_BACKSPACE:
        return is_empty ? open_parent(browser) : (view_command){.action = VIEW_NOTHING};
    case VIEW_KEY_UP | VIEW_WITH_CTRL:
        return open_parent(browser);
    case 'l' | VIEW_WITH_CTRL:
        if (browser->kind != VIEW_BROWSE_FILES || browser->folder == NULL)
            return (view_command){.action = VIEW_NOTHING};
        edit_path(browser);
        break;
    case 'c' | VIEW_WITH_CTRL:
        if (entry != NULL && entry->path != NULL)
            return (view_command){.action = VIEW_COPY_PATH, .path = common_copy(entry->path)};
        break;
    case VIEW_KEY_TAB:
        return open_next_section(browser, 1);
    case VIEW_KEY_RIGHT:
    case VIEW_KEY_LEFT:
        move_selection(browser, code == VIEW_KEY_RIGHT ? 1 : -1);
        break;
    case VIEW_KEY_UP:
    case VIEW_KEY_DOWN:
        move_selection(browser, code == VIEW_KEY_DOWN ? row : -row);
        break;
    case VIEW_KEY_PAGE_UP:
    case VIEW_KEY_PAGE_DOWN:
        move_selection(browser, code == VIEW_KEY_PAGE_DOWN ? page : -page);
        break;
    case VIEW_KEY_HOME:
    case VIEW_KEY_END:
        move_selection(browser, code == VIEW_KEY_END ? all : -all);
        break;
    default:
        return (view_command){.action = VIEW_NOTHING};
    }
    return (view_command){.action = VIEW_LISTED};
}

// -- The panel ------------------------------------------------------------------------------

// Texts for the members of view_entry_kind.
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

// Returns the preview of an entry, or NULL, and writes a description of one line.
static const view_thumbnail *entry_preview(view_ui *ui, view_browser *browser,
                                           const view_entry *entry, char *text, size_t size)
{
    const bool is_named = entry->kind == VIEW_ENTRY_NAMED;
    snprintf(text, size, "%s", entry->is_missing ? "missing" : kind_words[entry->kind]);
    if (!has_preview(entry))
        return NULL;
    char *const request = is_named
                              ? view_preview_request(browser->section, entry->path, browser->on)
                              : common_copy(entry->path);
    const view_thumbnail *const picture = ui_thumbnail(ui, request, is_named);
    free(request);
    if (picture != NULL && picture->num_missing > 0)
        snprintf(text, size, "\xE2\x9A\xA0 %u missing", picture->num_missing);
    else if (picture != NULL && picture->facts[0] != '\0')
        snprintf(text, size, "%.*s", (int)strcspn(picture->facts, "\n"), picture->facts);
    return picture;
}

// Displays an entry as a tile and handles clicks on it.
static void show_entry(view_ui *ui, view_browser *browser, size_t line, view_rect box)
{
    const view_entry *const entry = &browser->entries[browser->found[line]];
    const bool is_file = browser->kind == VIEW_BROWSE_FILES || browser->kind == VIEW_BROWSE_GAME;
    const bool is_list = entry->kind == VIEW_ENTRY_FOLDER;
    char text[64];
    char name[256];
    const view_thumbnail *const picture = entry_preview(ui, browser, entry, text, sizeof text);
    COMMON_TEXT(name, "%s",
                entry->kind == VIEW_ENTRY_NAMED ? common_base(entry->label) : entry->label);
    const ui_tile_content thing = {.label = entry->label,
                                   .name = name,
                                   .text = text,
                                   .picture = picture,
                                   .is_selected = line == browser->selected,
                                   .is_link = is_list,
                                   .is_folder = is_list,
                                   .is_wrong = picture != NULL
                                               && (picture->is_wrong || picture->num_missing > 0),
                                   .is_grey = entry->is_missing};
    const bool is_clip = entry->kind == VIEW_ENTRY_CLIP && entry->clip < ui->scene->num_clips;
    const bool is_pressed = is_clip ? ui_clip_tile(ui, box, entry->clip, thing.is_selected, true)
                                    : ui_content_tile(ui, box, &thing);
    if (browser->folder == NULL && browser->kind == VIEW_BROWSE_FILES) { // a recent file
        view_rect cross = view_cut(&box, VIEW_AT_RIGHT, 1.7f * ui->em);
        cross.height = cross.width;
        COMMON_TEXT(name, "remove %s", entry->label);
        if (ui_sign(ui, cross, name, "\xC3\x97")) {
            UI_COMMAND(ui, VIEW_FORGET_RECENT, .path = common_copy(entry->path));
            return;
        }
    }
    if (!is_pressed)
        return;
    browser->selected = line;
    if (is_list || !is_file || ui->mouse.is_double)
        ui->command = open_selected(browser);
}

// Displays the listed entries: files as tiles, or as rows in a small window; folders as rows.
static void show_entries(view_ui *ui, view_browser *browser, view_rect area, bool is_small)
{
    const float em = ui->em;
    ui_grid grid = {0};
    ui_column column;
    view_rect box;
    ui_begin_column(ui, &column, area, &ui->scrolls[UI_SCROLL_FILES]);
    for (size_t i = 0; i < browser->num_found; i++) {
        const view_entry_kind kind = browser->entries[browser->found[i]].kind;
        const bool is_flat = kind == VIEW_ENTRY_FOLDER;
        if (grid.count > 0 && is_flat != grid.is_flat)
            grid.count = 0; // a new row
        grid.is_flat = is_flat;
        float height = 10 * em;
        if (is_small)
            height = 2.6f * em;
        else if (is_flat)
            height = 2.3f * em;
        const float least = is_flat ? 14 * em : 9 * em;
        const float width = is_small ? area.width : least;
        const bool is_visible = ui_next_tile(ui, &grid, width, height, &box);
        if (!is_flat)
            browser->per_row = grid.per_row;
        if (i == browser->selected && browser->reveals && !ui->is_event) {
            ui_scroll *const scroll = &ui->scrolls[UI_SCROLL_FILES];
            scroll->wanted +=
                fminf(box.y - area.y, 0) + fmaxf(box.y + box.height - area.y - area.height, 0);
            browser->reveals = false;
        }
        if (is_visible)
            show_entry(ui, browser, i, box);
        else
            ui->item.number++; // so that the numbers of the following items do not change
    }
    if (browser->num_found == 0) {
        const char *reason = "No supported files in this folder";
        if (browser->is_scanning)
            reason = "Loading\xE2\x80\xA6";
        else if (browser->filter[0] != '\0')
            reason = "No matches";
        ui_column_text(ui, VIEW_DIM, reason);
    }
    browser->num_rows = (size_t)fmaxf(area.height / fmaxf(grid.height, 1), 1);
    ui_end_column(ui);
}

// Displays the list of locations: folders of the user, then games.
static void list_places(view_ui *ui, view_browser *browser, view_rect area)
{
    static const char *const names[] = {"Recent", "Home", NULL, "Examples", "Computer"};
    const char *const here = browser->folder != NULL ? browser->folder : "";
    const bool is_files = browser->kind == VIEW_BROWSE_FILES;
    ui_column column;
    view_rect row;
    ui_begin_column(ui, &column, area, &ui->scrolls[UI_SCROLL_PLACES]);
    for (size_t i = 0; i < browser->places.count; i++) {
        const char *const path = browser->places.names[i];
        const bool is_game = i >= COMMON_LENGTH(names);
        const bool is_known = i == 0 || path[0] != '\0';
        const char *const name = is_game || names[i] == NULL ? common_base(path) : names[i];
        if (!is_known || !ui_reserve_row(ui, 2.05f * ui->em, &row))
            continue;
        if (ui_item(ui, row, name))
            UI_COMMAND(ui, is_game ? VIEW_OPEN_GAME : VIEW_OPEN_FOLDER, .path = common_copy(path));
        ui_tip(ui, path);
        const bool is_here = is_game != is_files && strcmp(path, here) == 0;
        view_color background = 0;
        if (is_here)
            background = VIEW_SELECTED;
        else if (ui_is_hot(ui))
            background = VIEW_HOVERED;
        view_draw_rect(ui->canvas, row, background);
        row = view_inset(row, 0.4f * ui->em);
        view_color color = is_game ? VIEW_DIM : VIEW_PLAIN;
        if (is_here)
            color = VIEW_BRIGHT;
        ui_text(ui, row.x, row.y, row.width, color, name);
    }
    ui_end_column(ui);
}

// Displays the path of the listed folder; each part is a link. The first parts are omitted if the
// box is too narrow.
static void draw_crumbs(view_ui *ui, view_browser *browser, view_rect box)
{
    static const char arrow[] = " \xE2\x80\xBA ";
    const char *const path = browser->folder != NULL ? browser->folder : "Recent";
    const bool is_path = browser->kind == VIEW_BROWSE_FILES && browser->folder != NULL;
    const float end = box.x + box.width;
    const float y = box.y + 0.5f * (box.height - ui->line);
    const float gap = ui_text_width(ui, arrow);
    size_t first = strlen(path);
    size_t last = first;
    char name[256];
    float space = box.width;
    while (is_path && first > 0) { // backwards while there is space
        size_t begin = first - 1;
        while (begin > 0 && path[begin] != '/')
            begin--;
        COMMON_TEXT(name, "%.*s", (int)(first - begin), path + begin);
        space -= ui_text_width(ui, name) + gap;
        if (space < 0 && first < last)
            break;
        first = begin;
    }
    first = is_path ? first : 0;
    float x = box.x;
    if (first > 0)
        x += ui_text(ui, x, y, 0, VIEW_DIM, "\xE2\x80\xA6");
    while (first < last && x < end) {
        const size_t begin = first + (is_path && path[first] == '/');
        const size_t length = is_path ? strcspn(path + begin, "/") : last;
        first = begin + length;
        COMMON_TEXT(name, "%.*s", (int)length, path + begin);
        if (x > box.x)
            x += ui_text(ui, x, y, 0, VIEW_DIM, arrow);
        const view_rect part = {x, box.y, fmaxf(fminf(ui_text_width(ui, name), end - x), 1),
                                box.height};
        if (ui_item(ui, part, name) && first < last)
            UI_COMMAND(ui, VIEW_OPEN_FOLDER, .path = common_format("%.*s", (int)first, path));
        const bool is_bright = first == last || ui_is_hot(ui);
        x += ui_text(ui, x, y, part.width, is_bright ? VIEW_BRIGHT : VIEW_ACCENT, name);
    }
}

// The filter field. It has the focus unless a panel covers the list.
static void run_filter(view_ui *ui, view_browser *browser, view_rect box)
{
    const ui_item_id focus = ui->focus;
    const bool takes_next = ui->takes_next;
    const bool selects_all = ui->selects_all;
    char text[sizeof browser->filter];
    COMMON_TEXT(text, "%s", browser->filter);
    if (ui->modal == NULL)
        ui->focus = (ui_item_id){ui->item.panel, ui->item.number + 1};
    ui->selects_all = browser->selects_all;
    if (ui_field(ui, box, "Filter", text, sizeof text)) {
        view_filter_list(browser, text);
        ui->command.action = VIEW_LISTED;
    }
    browser->selects_all = ui->selects_all;
    ui->selects_all = selects_all;
    ui->focus = focus;
    ui->takes_next = takes_next;
}

// Displays the selected entry enlarged in `box`, and its properties in `facts`.
static void show_large(view_ui *ui, view_browser *browser, view_rect box, view_rect facts)
{
    const view_entry *const entry = selected_entry(browser);
    char text[64];
    const view_thumbnail *const picture =
        entry != NULL ? entry_preview(ui, browser, entry, text, sizeof text) : NULL;
    view_draw_round_rect(ui->canvas, box, 4 * ui->scale, VIEW_PREVIEW_COLOR);
    if (picture != NULL && picture->texture != 0)
        ui_image(ui, view_inset(box, 4), picture->texture, picture->width, picture->height, true);
    ui_column column;
    ui_scroll none = {0, 0};
    if (entry == NULL || !(facts.height > 0))
        return;
    ui_begin_column(ui, &column, facts, &none);
    column.margin = 0;
    ui_column_text(ui, VIEW_BRIGHT, entry->label);
    if (picture != NULL)
        ui_column_text(ui, picture->is_wrong ? VIEW_AMBER : VIEW_DIM, picture->facts);
    ui_end_column(ui);
}

// Returns true if the list has buttons for --outfit, --compare and --retarget: a model was dropped
// on the open model.
static bool has_option_buttons(const view_ui *ui, view_browser *browser, float width)
{
    if (browser->kind != VIEW_BROWSE_FILES || !browser->asked.is_dropped)
        return false;
    return ui->scene->model != NULL && !ui->stage->is_start && width > 26 * ui->em;
}

// Returns true if an option accepts the file of an entry.
static bool accepts_entry(const view_option *option, const view_entry *entry)
{
    if (entry == NULL)
        return false;
    if (entry->kind == VIEW_ENTRY_ANIM)
        return option->names == VIEW_NAMES_MODEL_OR_CLIP;
    return entry->kind == VIEW_ENTRY_MODEL && common_has_suffix(entry->path, ".md5mesh");
}

// The buttons for the selected entry, as many as fit.
static void run_buttons(view_ui *ui, view_browser *browser, view_rect *foot)
{
    static const char *const verbs[] = {"Add as outfit", "Compare", "Retarget to this model"};
    static const char *const options[] = {"outfit", "compare", "retarget"};
    const view_entry *const entry = selected_entry(browser);
    const char *words[5];
    const view_option *button_options[5] = {NULL};
    int count = 0;
    if (has_option_buttons(ui, browser, foot->width)) {
        for (; count < 3; count++) {
            button_options[count] = view_find_option(options[count], strlen(options[count]));
            words[count] = verbs[count];
        }
    }
    if (count == 0 || foot->width > 40 * ui->em) // a narrow window has only the cross
        words[count++] = "Cancel";
    const bool is_folder = browser->asked.is_folder && browser->folder != NULL;
    words[count++] = is_folder ? "Choose this folder" : "Open";
    const int pressed = ui_buttons(ui, foot, words, count, count - 1, true);
    if (pressed < 0)
        return;
    const view_option *const option = button_options[pressed];
    if (pressed == count - 1 && is_folder) {
        ui->command = command_for_file(browser, browser->folder);
        view_close_browser(browser);
    } else if (pressed == count - 1) {
        ui->command = open_selected(browser);
    } else if (option == NULL) {
        view_close_browser(browser);
        ui->command.action = VIEW_CLOSED;
    } else if (!accepts_entry(option, entry)) {
        COMMON_TEXT(ui->notice, "%s: select a model first", words[pressed]);
        ui->notice_end = ui->stage->now + 2.5;
    } else {
        ui->command = view_set_command(option, common_copy(entry->path));
        view_close_browser(browser);
    }
}
// The tabs that select the kinds of listed files or the section of a game.
static void run_tabs(view_ui *ui, view_browser *browser, view_rect box)
{
    static const char *const sections[VIEW_NUM_SECTIONS] = {"Entities", "Models", "Clips", "Skins"};
    static const char *const kinds[] = {"All", "Models", "Clips", "Cameras"};
    uint32_t choice = 0;
    if (browser->kind == VIEW_BROWSE_GAME && !browser->is_scanning) {
        char texts[VIEW_NUM_SECTIONS][32];
        const char *words[VIEW_NUM_SECTIONS];
        choice = (uint32_t)browser->section;
        for (int i = 0; i < VIEW_NUM_SECTIONS; i++) {
            COMMON_TEXT(texts[i], "%s %zu", sections[i], browser->num_in_section[i]);
            words[i] = texts[i];
        }
        if (ui_segment(ui, box, words, VIEW_NUM_SECTIONS, &choice))
            UI_COMMAND(ui, VIEW_OPEN_SECTION, .number = choice);
    } else if (browser->kind == VIEW_BROWSE_FILES && browser->asked.takes == 0) {
        while (choice < 3 && browser->shows != (1u << choice) >> 1)
            choice++;
        if (ui_segment(ui, box, kinds, 4, &choice)) {
            browser->shows = (1u << choice) >> 1;
            find_entries(browser);
        }
    }
}

// Returns the title of a dialog whose choice is not opened.
static const char *choice_title(const view_browser *browser)
{
    return browser->asked.is_folder ? "Choose a folder" : "Choose a file";
}

// Returns the title of the dialog.
static const char *list_title(const view_browser *browser)
{
    const view_action answer = browser->asked.answer.action;
    if (answer == VIEW_TAKE_TEXTURE)
        return "Choose an image";
    if (browser->kind == VIEW_BROWSE_FILES && browser->asked.is_dropped)
        return "Use the dropped model";
    if (browser->kind == VIEW_BROWSE_FILES)
        return answer != VIEW_NOTHING ? choice_title(browser) : "Open";
    if (browser->kind == VIEW_BROWSE_GAME)
        return "Game contents";
    return browser->kind == VIEW_BROWSE_CLIPS ? "Clips" : browser->folder;
}

// Returns true if the mouse was pressed outside of the dialog `box`, on the dimmed background.
static bool is_pressed_outside(const view_ui *ui, view_rect box)
{
    if (!ui->mouse.is_pressed || !ui_is_panel_hot(ui) || ui->hot.number != 1)
        return false;
    return !view_contains(box, ui->mouse.x, ui->mouse.y);
}

// The row above the entries: the button of the parent folder, the path, and a button for the mod or
// for the locations of a small window.
static void run_path_row(view_ui *ui, view_browser *browser, view_rect path, bool is_small)
{
    const float em = ui->em;
    const float gap = 0.6f * em;
    const float side = ceilf(1.85f * em);
    if (ui_button(ui, view_cut(&path, VIEW_AT_LEFT, side), "\xE2\x86\x91", false))
        ui->command = open_parent(browser);
    ui_tip(ui, "Parent folder  Ctrl+Up");
    view_cut(&path, VIEW_AT_LEFT, gap);
    const bool is_mod = browser->num_own > 0 && browser->num_own < browser->num_entries;
    if (is_mod || (is_small && browser->places.count > 0)) {
        bool *const on = is_mod ? &browser->is_own_alone : &browser->shows_places;
        const view_rect button = view_cut(&path, VIEW_AT_RIGHT, 6 * em);
        if (ui_button(ui, button, is_mod ? "Mod only" : "Locations", *on)) {
            *on = !*on;
            find_entries(browser);
        }
        view_cut(&path, VIEW_AT_RIGHT, gap);
    }
    draw_crumbs(ui, browser, view_inset(path, 0.3f * em));
}

// The number of listed entries in the last row of the dialog, and the link that shows hidden files.
// In a narrow dialog only the hidden files are counted, or the link is omitted.
static void run_status(view_ui *ui, view_browser *browser, view_rect foot)
{
    const view_font *const font = ui->stage->font;
    const float link_width = 3 * ui->em;
    char count[64];
    char text[128];
    if (browser->is_scanning)
        COMMON_TEXT(count, "Scanning: %zu files", browser->num_scanned);
    else
        COMMON_TEXT(count, "%zu of %zu", browser->num_found, browser->num_entries);
    COMMON_TEXT(text, "%s", count);
    bool has_link = browser->num_hidden > 0;
    if (has_link) {
        COMMON_TEXT(text, "%s" VIEW_DOT "%zu hidden  ", count, browser->num_hidden);
        if (view_text_width(font, VIEW_TEXT, text) + link_width > foot.width)
            COMMON_TEXT(text, "%zu hidden  ", browser->num_hidden);
        has_link = view_text_width(font, VIEW_TEXT, text) + link_width <= foot.width;
        if (!has_link)
            COMMON_TEXT(text, "%s", count);
    }
    const float y = foot.y + 0.5f * (foot.height - ui->line);
    const float used = ui_text(ui, foot.x, y, foot.width, VIEW_DIM, text);
    const view_rect show = {foot.x + used, y, link_width, ui->line};
    if (has_link && ui_item(ui, show, "show")) {
        browser->shows_hidden = true;
        find_entries(browser);
    }
    if (has_link)
        ui_text(ui, show.x, y, 0, VIEW_ACCENT, "show");
}

void view_browser_panel(view_ui *ui, view_browser *browser)
{
    const float em = ui->em;
    const float gap = 0.6f * em;
    const float line = ceilf(1.85f * em);
    if (browser->kind == VIEW_BROWSE_NOTHING)
        return;
    const bool is_files = browser->kind == VIEW_BROWSE_FILES;
    view_rect foot;
    view_rect rest = ui_footed_dialog(ui, "list", 930, 520, list_title(browser), &foot);
    const float border = VIEW_PADDING * ui->scale;
    const float top = rest.y - ui->stage->font->line[VIEW_TITLE] - 0.5f * border;
    const view_rect all = {rest.x, top, rest.width, foot.y + foot.height - top};
    const bool is_outside = is_pressed_outside(ui, view_inset(all, -border));
    const bool is_small = rest.width < 45 * em;
    const view_rect cross = {rest.x + rest.width - line, top, line, line};
    const bool is_closed = ui_sign(ui, cross, "close", "\xC3\x97") || is_outside;
    if (browser->is_peeking) {
        rest.height = foot.y + foot.height - rest.y;
        show_large(ui, browser, rest, (view_rect){0, 0, 0, 0});
        return;
    }
    const bool has_side = rest.width > 56 * em && is_files;
    const bool has_places = is_files || browser->kind == VIEW_BROWSE_GAME;
    if (!is_small && browser->places.count > 0 && has_places) {
        list_places(ui, browser, view_cut(&rest, VIEW_AT_LEFT, 11 * em));
        view_cut(&rest, VIEW_AT_LEFT, gap);
    }
    if (has_side) {
        view_rect side = view_cut(&rest, VIEW_AT_RIGHT, 15 * em);
        const view_rect large = view_cut(&side, VIEW_AT_TOP, side.width);
        view_cut(&side, VIEW_AT_TOP, gap);
        show_large(ui, browser, large, side);
        view_cut(&rest, VIEW_AT_RIGHT, 2 * gap);
    }
    if (has_places) {
        run_path_row(ui, browser, view_cut(&rest, VIEW_AT_TOP, line), is_small);
        view_cut(&rest, VIEW_AT_TOP, gap);
    }
    if (is_small) { // the filter is in the row of the buttons
        run_buttons(ui, browser, &foot);
        view_cut(&foot, VIEW_AT_RIGHT, gap);
        run_filter(ui, browser, foot);
    } else {
        view_rect tabs = view_cut(&rest, VIEW_AT_TOP, line);
        view_cut(&rest, VIEW_AT_TOP, gap);
        const view_rect bar = view_cut(&tabs, VIEW_AT_LEFT, fmaxf(tabs.width - 22 * em, 8 * em));
        view_cut(&tabs, VIEW_AT_LEFT, gap);
        run_tabs(ui, browser, tabs);
        run_filter(ui, browser, bar);
    }
    if (is_small && browser->shows_places)
        list_places(ui, browser, rest);
    else
        show_entries(ui, browser, rest, is_small);
    if (!is_small) {
        run_buttons(ui, browser, &foot);
        run_status(ui, browser, foot);
    }

    if (is_closed) {
        view_close_browser(browser);
        ui->command.action = VIEW_CLOSED;
    }
}
