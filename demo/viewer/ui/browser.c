// The lists that open over the picture: their entries, names of a game in groups, selecting by
// keys, and the panel. Names are grouped by the folders in them, and by their words up to "_" where
// there are no folders, so that a long list fits on a screen.
#include "demo/viewer/ui/ui.h"

#include "demo/viewer/draw/previews.h"

void view_clear_browser(view_browser *browser)
{
    COMMON_FOR (i, browser->num_entries) {
        free(browser->entries[i].label);
        free(browser->entries[i].path);
    }
    free(browser->entries);
    free(browser->found);
    free(browser->folder);
    free(browser->group);
    memset(browser, 0, sizeof *browser);
}

// -- Groups ---------------------------------------------------------------------------------

// A name of the browser.
typedef struct ordered {
    const char *name;
    size_t entry; // of the browser
} ordered;

// Names in the order of their bytes: those that begin alike are neighbours.
typedef struct name_order {
    ordered *names; // [count]
    size_t count;
} name_order;

// Neighbours that begin with the same `length` bytes.
typedef struct name_span {
    size_t first, count, length;
} name_span;

static int by_name(const void *a, const void *b)
{
    const ordered *const first = a, *const second = b;
    const int names = strcmp(first->name, second->name);
    return names != 0 ? names : (first->entry > second->entry) - (first->entry < second->entry);
}

// Folders divide names; only where there are none, words do.
static char divider_of(const name_order *order, name_span span)
{
    COMMON_FOR (i, span.count)
        if (strchr(order->names[span.first + i].name + span.length, '/') != NULL)
            return '/';
    return '_';
}

// The group that begins with name `first` of a span; a name that belongs to none is one by itself.
static name_span group_at(const name_order *order, name_span span, char divider, size_t first)
{
    const char *const name = order->names[first].name;
    const char *const end = strchr(name + span.length, divider);
    name_span group = {first, 1, end != NULL ? (size_t)(end - name) + 1 : span.length};
    while (end != NULL && first + group.count < span.first + span.count
           && strncmp(order->names[first + group.count].name, name, group.length) == 0)
        group.count++;
    return group;
}

// Goes down as long as there is one group and nothing else.
static name_span without_levels(const name_order *order, name_span span)
{
    while (span.count > 1) {
        const name_span only = group_at(order, span, divider_of(order, span), span.first);
        if (only.count < span.count)
            break;
        span = only;
    }
    return span;
}

// The span of a group, or of the group that lists a name; `*above` is the one that it is in, or has
// count 0.
static name_span find_span(const name_order *order, const char *name, name_span *above)
{
    name_span here = without_levels(order, (name_span){0, order->count, 0});
    *above = (name_span){0, 0, 0};
    while (here.count > VIEW_MOST_UNGROUPED && here.length < strlen(name)) {
        const char divider = divider_of(order, here);
        name_span group = {here.first, 0, 0};
        bool is_within = false;
        while (!is_within && group.first + group.count < here.first + here.count) {
            group = group_at(order, here, divider, group.first + group.count);
            is_within =
                group.count > 1 && strncmp(order->names[group.first].name, name, group.length) == 0;
        }
        if (!is_within)
            break;
        *above = here;
        here = without_levels(order, group);
    }
    return here;
}

static char *start_of(const name_order *order, name_span group)
{
    char *const start = common_copy(group.count > 0 ? order->names[group.first].name : "");
    start[group.length] = '\0';
    return start;
}

// Adds an entry, which takes over its label.
static view_entry *add_entry(view_browser *browser, view_entry_kind kind,
                             char *label, // NOLINT(readability-non-const-parameter): is freed later
                             const char *path)
{
    const size_t count = browser->num_entries++;
    if ((count & (count - 1)) == 0) // all of a power of two are used
        browser->entries =
            common_realloc(browser->entries, 2 * count + 1, sizeof *browser->entries);
    view_entry *const entry = &browser->entries[count];
    *entry =
        (view_entry){.kind = kind, .label = label, .path = path != NULL ? common_copy(path) : NULL};
    return entry;
}

static void add_group_row(view_browser *browser, view_entry_kind kind, char *label, char *path)
{
    browser->found[browser->num_found++] = browser->num_entries;
    add_entry(browser, kind, label, NULL)->path = path;
}

static void list_groups(view_browser *browser)
{
    size_t num_own = 0;
    name_order order = {common_alloc(browser->num_names + 1, sizeof *order.names), 0};
    COMMON_FOR (i, browser->num_names) {
        num_own += browser->entries[i].is_own;
        if (browser->entries[i].is_own || !browser->is_own_alone)
            order.names[order.count++] = (ordered){browser->entries[i].path, i};
    }
    if (order.count > 0)
        qsort(order.names, order.count, sizeof *order.names, by_name);
    name_span above;
    const name_span here = find_span(&order, browser->group != NULL ? browser->group : "", &above);
    const char divider = here.count > VIEW_MOST_UNGROUPED ? divider_of(&order, here) : '\0';
    char *const start = start_of(&order, here);
    const char *const slash = strrchr(start, '/');
    // Groups and special rows are at most as many as names, and two.
    browser->found =
        common_realloc(browser->found, 2 * browser->num_names + 2, sizeof *browser->found);
    browser->num_left_out = slash != NULL ? (size_t)(slash - start) + 1 : 0;
    if (above.count > 0 || browser->is_own_alone)
        add_group_row(browser, VIEW_ENTRY_PARENT, common_copy("../"),
                      above.count > 0 ? start_of(&order, above) : NULL);
    else if (here.count == browser->num_names && num_own > 0 && num_own < browser->num_names)
        add_group_row(browser, VIEW_ENTRY_OWN,
                      common_format("only of the mod" VIEW_DOT "%zu", num_own), NULL);
    for (size_t i = here.first; i < here.first + here.count;) {
        const name_span group =
            divider != '\0' ? group_at(&order, here, divider, i) : (name_span){i, 1, 0};
        if (group.count > 1) {
            char *const path = start_of(&order, group);
            const char *const dots = path[group.length - 1] == '/' ? "" : "\xE2\x80\xA6";
            add_group_row(browser, VIEW_ENTRY_GROUP,
                          common_format("%s%s" VIEW_DOT "%zu", path + browser->num_left_out, dots,
                                        group.count),
                          path);
        } else {
            browser->found[browser->num_found++] = order.names[i].entry;
        }
        i += group.count;
    }
    free(order.names);
    free(browser->group);
    browser->group = start;
}

// Finds the entries whose labels contain the filter, and selects the first. Without a filter, the
// entries of a game are those of its group: groups within and single names. Time: that of sorting
// the names.
static void find_entries(view_browser *browser)
{
    browser->found =
        common_realloc(browser->found, browser->num_entries + 1, sizeof *browser->found);
    browser->num_found = browser->selected = browser->first = 0;
    if (browser->kind == VIEW_BROWSE_GAME) {
        while (browser->num_entries > browser->num_names) { // groups stand behind the names
            view_entry *const entry = &browser->entries[--browser->num_entries];
            free(entry->label);
            free(entry->path);
        }
        browser->num_left_out = 0;
        if (browser->filter[0] == '\0')
            list_groups(browser);
    }
    const bool has_rows = browser->num_found > 0;
    for (size_t i = 0; i < browser->num_entries && !has_rows; i++)
        if (common_contains(browser->entries[i].label, browser->filter)
            && (browser->entries[i].is_own || !browser->is_own_alone))
            browser->found[browser->num_found++] = i;
    // Enter selects an entry other than the parent folder, if there is one.
    const view_entry_kind first =
        browser->num_found > 1 ? browser->entries[browser->found[0]].kind : VIEW_ENTRY_FILE;
    browser->selected = first == VIEW_ENTRY_PARENT || first == VIEW_ENTRY_OWN;
}

// Selects the row of what is shown, if it is listed.
static void select_shown(view_browser *browser)
{
    COMMON_FOR (i, browser->num_found)
        if (browser->entries[browser->found[i]].is_shown)
            browser->selected = i;
}

// Enters the group of a row, or leaves one. Returns false if the row is a name.
static bool enter_group(view_browser *browser, const view_entry *entry)
{
    char *const left = browser->group;
    const bool is_above = entry->kind == VIEW_ENTRY_PARENT;
    if (entry->kind != VIEW_ENTRY_GROUP && entry->kind != VIEW_ENTRY_OWN && !is_above)
        return false;
    if (entry->kind == VIEW_ENTRY_OWN || entry->path == NULL)
        browser->is_own_alone = entry->kind == VIEW_ENTRY_OWN;
    browser->group = entry->path != NULL ? common_copy(entry->path) : NULL;
    find_entries(browser); // frees the entry
    // The group that was left is selected.
    for (size_t i = 0; i < browser->num_found && is_above && left != NULL; i++) {
        const view_entry *const listed = &browser->entries[browser->found[i]];
        if (listed->kind == VIEW_ENTRY_GROUP
            && strncmp(listed->path, left, strlen(listed->path)) == 0)
            browser->selected = i;
    }
    free(left);
    return true;
}

// -- Lists ----------------------------------------------------------------------------------

void view_browse_folder(view_browser *browser, const char *folder, const char *shown,
                        const view_config *config)
{
    static const char *const endings[] = {".md5mesh", ".md5machine", "md5.cfg", ".md5anim",
                                          ".md5camera"};
    enum { NUM_ENDINGS = COMMON_LENGTH(endings) };
    view_browser listed = {.kind = VIEW_BROWSE_FILES, .folder = common_whole(folder)};
    char *const outer = common_folder(listed.folder), *const above = common_whole(outer);
    free(outer);
    if (strcmp(above, listed.folder) != 0)
        add_entry(&listed, VIEW_ENTRY_PARENT, common_copy("../"), above);
    free(above);
    for (size_t i = 0; i <= NUM_ENDINGS; i++) { // then the folders in it
        const bool is_file = i < NUM_ENDINGS;
        common_list list = common_list_folder(listed.folder, is_file ? endings[i] : NULL);
        COMMON_FOR (k, list.count) {
            const char *const name = common_base(list.names[k]);
            add_entry(&listed, is_file ? VIEW_ENTRY_FILE : VIEW_ENTRY_FOLDER,
                      common_format(is_file ? "%s" : "%s/", name), list.names[k])
                ->is_shown = is_file && shown != NULL && strcmp(name, common_base(shown)) == 0;
        }
        common_free_list(&list);
    }
    for (size_t i = 0; config != NULL && i < config->recent.count; i++) {
        const char *const path = config->recent.names[i];
        char *const within = common_folder(path);
        add_entry(&listed, VIEW_ENTRY_RECENT,
                  common_format("%s" VIEW_DOT "%s", common_base(path), within), path);
        free(within);
    }
    view_clear_browser(browser);
    *browser = listed;
    find_entries(browser);
}

static view_entry *add_clip(view_browser *browser, const view_scene *scene, size_t number)
{
    view_entry *const entry =
        add_entry(browser, VIEW_ENTRY_CLIP,
                  common_format("%s" VIEW_DOT "%.2f s", scene->clips[number].name,
                                scene->clips[number].anim->duration),
                  NULL);
    entry->clip = number;
    return entry;
}

bool view_open_browser(view_browser *browser, view_browser_kind kind, uint32_t number,
                       const view_scene *scene, const view_config *config)
{
    const bool has_key = kind == VIEW_BROWSE_CLIPS || kind == VIEW_BROWSE_FILES;
    const bool was_open = browser->kind == kind;
    view_clear_browser(browser);
    if (has_key && was_open)
        return true;
    if (kind == VIEW_BROWSE_CLIPS && scene->num_clips == 0)
        return false;
    if (kind == VIEW_BROWSE_FILES) {
        char *const folder = common_folder(scene->path != NULL ? scene->path : ".");
        view_browse_folder(browser, folder, scene->path, config);
        free(folder);
    }
    browser->kind = kind;
    browser->fresh = has_key;
    if (kind == VIEW_BROWSE_CLIPS) {
        COMMON_FOR (i, scene->num_clips)
            add_clip(browser, scene, i)->is_shown = i == scene->clip;
    } else if (kind == VIEW_BROWSE_CHANNEL) {
        const md5_channel channel = (md5_channel)number;
        const view_entity *const entity = view_channels_of(scene);
        const int32_t playing = entity != NULL ? entity->channels[channel].clip : -1;
        browser->channel = number;
        browser->folder = common_format("Clips for %s", view_channel_name(channel));
        // To end what it plays.
        add_entry(browser, VIEW_ENTRY_CLIP, common_copy("nothing"), NULL)->clip = SIZE_MAX;
        COMMON_FOR (i, scene->num_clips) {
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
    char filter[sizeof browser->filter] = ""; // goes on in another section
    const bool keeps = browser->kind == VIEW_BROWSE_GAME;
    const bool is_own_alone = keeps && browser->is_own_alone;
    if (keeps)
        memcpy(filter, browser->filter, sizeof filter);
    view_clear_browser(browser);
    browser->kind = VIEW_BROWSE_GAME;
    browser->folder = view_title_of_place(library->place);
    browser->section = section;
    memcpy(browser->num_in_section, library->num_names, sizeof browser->num_in_section);
    browser->is_own_alone = is_own_alone;
    COMMON_FOR (i, count) {
        const char *const name = library->names[section][i];
        view_entry *const entry = add_entry(browser, VIEW_ENTRY_NAMED, common_copy(name), name);
        entry->is_own = view_is_own(library, section, i);
        entry->is_shown = shown != NULL && strcmp(name, shown) == 0;
    }
    browser->num_names = count;
    memcpy(browser->filter, filter, sizeof filter);
    browser->group = shown != NULL ? common_copy(shown) : NULL; // the one that lists it
    find_entries(browser);
    if (filter[0] == '\0')
        select_shown(browser);
}

void view_list_scan(view_browser *browser, const char *place)
{
    if (browser->is_scanning)
        return;
    view_clear_browser(browser);
    browser->kind = VIEW_BROWSE_GAME;
    browser->folder = view_title_of_place(place);
    browser->is_scanning = true;
}

// -- Choosing -------------------------------------------------------------------------------

// Choosing an entry closes the list, unless it is a folder, which is listed instead.
static view_command take_selected(view_browser *browser)
{
    if (browser->selected >= browser->num_found)
        return (view_command){.action = VIEW_HANDLED};
    const view_entry *const entry = &browser->entries[browser->found[browser->selected]];
    if (browser->kind == VIEW_BROWSE_GAME && enter_group(browser, entry))
        return (view_command){.action = VIEW_LISTED};
    if (entry->kind == VIEW_ENTRY_FOLDER || entry->kind == VIEW_ENTRY_PARENT)
        return (view_command){.action = VIEW_OPEN_FOLDER, .path = common_copy(entry->path)};
    static const view_action actions[] = {[VIEW_BROWSE_FILES] = VIEW_OPEN_FILE,
                                          [VIEW_BROWSE_CLIPS] = VIEW_OPEN_CLIP,
                                          [VIEW_BROWSE_CHANNEL] = VIEW_PLAY_IN_CHANNEL,
                                          [VIEW_BROWSE_GAME] = VIEW_OPEN_NAMED};
    const view_command command = {
        .action = actions[browser->kind],
        .number = browser->kind == VIEW_BROWSE_GAME ? browser->section : entry->clip,
        .item = browser->channel,
        .path = entry->path != NULL ? common_copy(entry->path) : NULL,
    };
    view_clear_browser(browser);
    return command;
}

static void move_choice(view_browser *browser, long long step)
{
    const long long last = (long long)browser->num_found - 1;
    long long place = (long long)browser->selected + step;
    place = place > last ? last : place;
    browser->selected = place < 0 ? 0 : (size_t)place;
}

// Another section of the game; of the files, the contents of their folder.
static view_command turn_section(const view_browser *browser, int step)
{
    const int count = VIEW_NUM_SECTIONS;
    if (browser->kind == VIEW_BROWSE_FILES)
        return (view_command){.action = VIEW_OPEN_GAME, .path = common_copy(browser->folder)};
    if (browser->kind != VIEW_BROWSE_GAME || browser->is_scanning)
        return (view_command){.action = VIEW_HANDLED};
    return (view_command){.action = VIEW_OPEN_SECTION,
                          .number = (size_t)(((int)browser->section + step + count) % count)};
}

view_command view_key_browser(view_browser *browser, int32_t code, bool repeated)
{
    if (browser->kind == VIEW_BROWSE_NOTHING)
        return (view_command){.action = VIEW_NOTHING};
    browser->fresh = browser->fresh && repeated;
    const long long page = (long long)(browser->num_rows > 1 ? browser->num_rows : 1);
    const long long all = (long long)browser->num_found;
    switch (code) {
    case VIEW_KEY_ESCAPE:
        view_clear_browser(browser);
        return (view_command){.action = VIEW_CLOSED};
    case VIEW_KEY_RETURN:
    case VIEW_KEY_PAD_ENTER:
        return take_selected(browser);
    case VIEW_KEY_BACKSPACE: {
        // Removes the last character, which may have several bytes.
        size_t length = strlen(browser->filter);
        while (length > 0 && ((unsigned char)browser->filter[length - 1] & 0xC0) == 0x80)
            length--;
        browser->filter[length > 0 ? length - 1 : 0] = '\0';
        find_entries(browser);
    } break;
    case VIEW_KEY_TAB:
        return turn_section(browser, 1);
    case VIEW_KEY_RIGHT:
    case VIEW_KEY_LEFT:
        return browser->kind == VIEW_BROWSE_GAME
                   ? turn_section(browser, code == VIEW_KEY_RIGHT ? 1 : -1)
                   : (view_command){.action = VIEW_NOTHING};
    case VIEW_KEY_UP:
    case VIEW_KEY_DOWN:
        move_choice(browser, code == VIEW_KEY_DOWN ? 1 : -1);
        break;
    case VIEW_KEY_PAGE_UP:
    case VIEW_KEY_PAGE_DOWN:
        move_choice(browser, code == VIEW_KEY_PAGE_DOWN ? page : -page);
        break;
    case VIEW_KEY_HOME:
    case VIEW_KEY_END:
        move_choice(browser, code == VIEW_KEY_END ? all : -all);
        break;
    default:
        // Function keys keep their actions; others are typed or ignored.
        return (view_command){.action = code < VIEW_KEY_NAMED ? VIEW_HANDLED : VIEW_NOTHING};
    }
    return (view_command){.action = VIEW_LISTED};
}

view_command view_type_browser(view_browser *browser, const char *text)
{
    if (browser->kind == VIEW_BROWSE_NOTHING || browser->fresh)
        return (view_command){.action = VIEW_NOTHING};
    const size_t used = strlen(browser->filter);
    if (used + strlen(text) >= sizeof browser->filter)
        return (view_command){.action = VIEW_HANDLED};
    memcpy(browser->filter + used, text, strlen(text) + 1);
    find_entries(browser);
    return (view_command){.action = VIEW_LISTED};
}

view_entry *view_listed_entry(const view_browser *browser, size_t line)
{
    if (browser->kind != VIEW_BROWSE_GAME || line >= browser->num_found)
        return NULL;
    view_entry *const entry = &browser->entries[browser->found[line]];
    return entry->kind == VIEW_ENTRY_NAMED ? entry : NULL;
}

// -- The panel ------------------------------------------------------------------------------

// Title, count, sections of a game, and the typed filter or a hint.
static void draw_heading(view_ui *ui, float x, float y, float width)
{
    const view_browser *const browser = &ui->browser;
    view_canvas *const canvas = ui->canvas;
    const float scale = canvas->font->scale, line = canvas->font->line[VIEW_TEXT];
    const bool is_game = browser->kind == VIEW_BROWSE_GAME, is_typed = browser->filter[0] != '\0';
    const size_t num_all = is_game ? browser->num_names : browser->num_entries;
    static const char *const names[VIEW_NUM_SECTIONS] = {"entities", "models", "clips", "skins"};
    char count[48], hint[160];
    if (is_game && !is_typed)
        COMMON_TEXT(count, "%zu", num_all); // rows may be groups
    else
        COMMON_TEXT(count, "%zu of %zu", browser->num_found, num_all);
    const float count_width = view_text_width(canvas->font, VIEW_TEXT, count) + 12 * scale;
    view_draw_text(canvas, VIEW_TEXT, x, y, fmaxf(width - count_width, 1), VIEW_BRIGHT,
                   browser->kind == VIEW_BROWSE_CLIPS ? "Clips" : browser->folder);
    view_draw_text(canvas, VIEW_TEXT, x + width - count_width + 12 * scale, y, 0, VIEW_DIM, count);
    y += is_game ? 1.2f * line : 0;
    if (is_game && browser->is_scanning) {
        COMMON_TEXT(hint, "reading: %zu files", browser->num_scanned);
        view_draw_text(canvas, VIEW_TEXT, x, y, width, VIEW_AMBER, hint);
    }
    float left = x;
    for (int i = 0; is_game && !browser->is_scanning && i < VIEW_NUM_SECTIONS && left < x + width;
         i++) {
        const bool is_open = (view_section)i == browser->section;
        const view_color color = is_open                          ? VIEW_BRIGHT
                                 : browser->num_in_section[i] > 0 ? VIEW_ACCENT
                                                                  : VIEW_DIM;
        char text[64];
        COMMON_TEXT(text, "%s %zu", names[i], browser->num_in_section[i]);
        const float used =
            view_draw_text(canvas, VIEW_TEXT, left, y, x + width - left, color, text);
        if (ui_item(ui, (view_rect){left, y, used, line}, text))
            ui->command = (view_command){.action = VIEW_OPEN_SECTION, .number = (size_t)i};
        if (is_open)
            view_draw_rect(canvas, (view_rect){left, y + line - 2 * scale, used, scale},
                           VIEW_BRIGHT);
        left += used + 18 * scale;
    }
    const view_rect field = {x - 6 * scale, y + 1.2f * line, width + 12 * scale, line + 4 * scale};
    view_draw_round_rect(canvas, field, 4 * scale, VIEW_CONTROL);
    const char *const group = is_game && browser->group != NULL ? browser->group : "";
    COMMON_TEXT(hint, "%s%stype to filter; Enter opens%s", group, group[0] != '\0' ? ": " : "",
                is_game ? ", Tab: next section" : "");
    const float used =
        view_draw_text(canvas, VIEW_TEXT, x, field.y + 2 * scale, width,
                       is_typed ? VIEW_BRIGHT : VIEW_DIM, is_typed ? browser->filter : hint);
    if (is_typed)
        view_draw_rect(canvas,
                       (view_rect){x + used + 1, field.y + 4 * scale, scale, line - 4 * scale},
                       VIEW_ACCENT);
}

// A click beside the list closes it.
void view_browser_panel(view_ui *ui, const view_stage *stage)
{
    static const view_color colors[] = {
        [VIEW_ENTRY_FILE] = VIEW_PLAIN,    [VIEW_ENTRY_RECENT] = VIEW_DIM,
        [VIEW_ENTRY_FOLDER] = VIEW_ACCENT, [VIEW_ENTRY_PARENT] = VIEW_ACCENT,
        [VIEW_ENTRY_CLIP] = VIEW_PLAIN,    [VIEW_ENTRY_NAMED] = VIEW_PLAIN,
        [VIEW_ENTRY_GROUP] = VIEW_ACCENT,  [VIEW_ENTRY_OWN] = VIEW_ACCENT,
    };
    view_browser *const browser = &ui->browser;
    view_canvas *const canvas = ui->canvas;
    const float scale = canvas->font->scale, line = canvas->font->line[VIEW_TEXT];
    const float margin = VIEW_MARGIN * scale, padding = VIEW_PADDING * scale;
    const bool is_game = browser->kind == VIEW_BROWSE_GAME;
    if (browser->kind == VIEW_BROWSE_NOTHING)
        return;
    // As high as the unfiltered list, of all sections, so that it does not jump while the user
    // types.
    size_t num_lines = browser->num_entries;
    COMMON_FOR (i, VIEW_NUM_SECTIONS)
        if (browser->num_in_section[i] > num_lines)
            num_lines = browser->num_in_section[i];
    const float heading = (is_game ? 4 : 2.8f) * line;
    const float most = ui->window.height - 2 * margin - 2 * padding - heading;
    const float inner = fmaxf(fminf(520 * scale, stage->width - 2 * margin - 2 * padding), 1);
    // The preview of a game is beside the rows, if there is room for one.
    const float side = (float)VIEW_SKETCH_SIZE * scale, distance = 16 * scale;
    const bool has_preview = is_game && !browser->is_scanning && inner > 2.5f * (side + distance);
    const float beside = has_preview ? side + distance : 0;
    const float height =
        fmaxf(floorf(fminf(fmaxf((float)num_lines * line, beside), most) / line), 1) * line;
    const view_rect box = {roundf(0.5f * (stage->width - inner) - padding), ui->window.y + margin,
                           inner + 2 * padding, heading + height + 2 * padding};
    ui_list list = {
        .rows = {box.x + padding, box.y + padding + heading, inner - beside, height},
        .count = browser->num_found,
        .highlight = 12 * scale,
        .bar_x = box.x + padding + inner - beside + 7 * scale,
        .hovered = SIZE_MAX,
        .pressed = SIZE_MAX,
    };
    browser->num_rows = ui_list_room(ui, list.rows);
    ui_begin(ui, "list");
    const bool is_beside = ui_item(ui, (view_rect){0, 0, stage->width, stage->height}, "");
    ui_item(ui, box, "box");
    if (ui_is_panel_hot(ui)
        && ui_scroll_lines(ui, line, browser->num_rows, browser->num_found, &browser->first)) {
        const size_t last = browser->first + browser->num_rows - 1;
        browser->selected = browser->selected < browser->first ? browser->first
                            : browser->selected > last         ? last
                                                               : browser->selected;
    }
    if (browser->selected < browser->first)
        browser->first = browser->selected;
    if (browser->selected >= browser->first + browser->num_rows)
        browser->first = browser->selected - browser->num_rows + 1;
    list.first = browser->first;
    view_draw_round_rect(canvas, box, VIEW_RADIUS * scale, 0x12151AF6u);
    draw_heading(ui, box.x + padding, box.y + padding, inner);
    if (has_preview) {
        static const float whole[4] = {0, 0, 1, 1};
        const view_rect frame = {list.rows.x + list.rows.width + distance, list.rows.y, side, side};
        view_draw_round_rect(canvas, frame, 4 * scale, VIEW_PREVIEW_COLOR);
        if (stage->preview != 0)
            view_draw_image(canvas, view_inset(frame, 2 * scale), whole, stage->preview, true);
    }
    for (size_t i = list.first; i < list.count && i < list.first + browser->num_rows; i++) {
        const view_entry *const entry = &browser->entries[browser->found[i]];
        const size_t left_out = entry->kind == VIEW_ENTRY_NAMED ? browser->num_left_out : 0;
        if (entry->num_missing > 0) {
            char text[48];
            COMMON_TEXT(text, "\xE2\x9A\xA0 %u missing", entry->num_missing);
            ui_text_left_of(ui, list.rows.x + list.rows.width,
                            list.rows.y + (float)(i - list.first) * line, VIEW_AMBER, text);
        }
        ui_line(ui, &list, i, i == browser->selected, 0, colors[entry->kind], entry->label,
                entry->label + left_out);
        if (entry->kind == VIEW_ENTRY_FILE || entry->kind == VIEW_ENTRY_RECENT)
            ui_context(ui, VIEW_ON_FILE, 0, 0, common_base(entry->path), entry->path);
    }
    ui_scroll_bar(ui, &list);
    if (list.hovered != SIZE_MAX)
        browser->selected = list.hovered;
    if (list.pressed != SIZE_MAX) {
        browser->selected = list.pressed;
        ui->command = take_selected(browser);
    }
    if (is_beside) {
        view_clear_browser(browser);
        ui->command.action = VIEW_CLOSED;
    }
}
