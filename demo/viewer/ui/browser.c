// The lists that open over the picture: their entries, names of a game in groups, choosing by keys,
// and the panel. Names are grouped by the folders in them, and by their words up to "_" where there
// are no folders, so that a long list fits on a screen.
#include "demo/viewer/ui/panels.h"

#include "demo/common/file.h"
#include "demo/viewer/assets/library.h"
#include "demo/viewer/assets/look.h"
#include "demo/viewer/base/math.h"
#include "demo/viewer/draw/previews.h"
#include "demo/viewer/motion/entity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <SDL.h>

void view_clear_browser(view_browser *browser)
{
    for (size_t i = 0; i < browser->num_entries; i++) {
        free(browser->entries[i].label);
        free(browser->entries[i].path);
    }
    free(browser->entries);
    free(browser->found);
    free(browser->folder);
    free(browser->group);
    memset(browser, 0, sizeof *browser);
}

// Names of the browser in the order of their bytes: those that begin alike are neighbours.
typedef struct ordered {
    const char *name;
    size_t entry; // of the browser
} ordered;

typedef struct order {
    ordered *names; // [count]
    size_t count;
} order;

// Neighbours that begin with the same `length` bytes.
typedef struct name_span {
    size_t first, count, length;
} name_span;

// -- Groups: order
// ----------------------------------------------------------------------------------

static int by_name(const void *a, const void *b)
{
    const ordered *const first = a, *const second = b;
    const int names = strcmp(first->name, second->name);
    return names != 0 ? names : (first->entry > second->entry) - (first->entry < second->entry);
}

static order make_order(const view_browser *browser)
{
    order made = {common_alloc(browser->num_names + 1, sizeof *made.names), 0};
    for (size_t i = 0; i < browser->num_names; i++)
        if (browser->entries[i].is_own || !browser->is_own_alone)
            made.names[made.count++] = (ordered){browser->entries[i].path, i};
    if (made.count > 0)
        qsort(made.names, made.count, sizeof *made.names, by_name);
    return made;
}

// -- Groups: spans
// ---------------------------------------------------------------------------------

// Folders divide names; only where there are none, words do.
static char divider_of(const order *of, name_span in)
{
    for (size_t i = 0; i < in.count; i++)
        if (strchr(of->names[in.first + i].name + in.length, '/') != NULL)
            return '/';
    return '_';
}

// The group that begins with name `at` of a span; a name that belongs to none is one by itself.
static name_span group_at(const order *of, name_span in, char divider, size_t at)
{
    const char *const name = of->names[at].name;
    const char *const end = strchr(name + in.length, divider);
    name_span found = {at, 1, end != NULL ? (size_t)(end - name) + 1 : in.length};
    while (end != NULL && at + found.count < in.first + in.count
           && strncmp(of->names[at + found.count].name, name, found.length) == 0)
        found.count++;
    return found;
}

// Goes down as long as there is one group and nothing else.
static name_span without_levels(const order *of, name_span in)
{
    while (in.count > 1) {
        const name_span only = group_at(of, in, divider_of(of, in), in.first);
        if (only.count < in.count)
            break;
        in = only;
    }
    return in;
}

// The group within a span whose names begin as `name` does; count 0: none.
static name_span group_with(const order *of, name_span in, const char *name)
{
    const char divider = divider_of(of, in);
    for (size_t at = in.first; at < in.first + in.count;) {
        const name_span group = group_at(of, in, divider, at);
        if (group.count > 1 && strncmp(of->names[at].name, name, group.length) == 0)
            return group;
        at += group.count;
    }
    return (name_span){0, 0, 0};
}

// The span of a group, or of the group that lists a name; `*above` is the one that it is in, or has
// count 0.
static name_span find_span(const order *of, const char *name, name_span *above)
{
    name_span here = without_levels(of, (name_span){0, of->count, 0});
    *above = (name_span){0, 0, 0};
    while (here.count > VIEW_MOST_UNGROUPED && here.length < strlen(name)) {
        const name_span within = group_with(of, here, name);
        if (within.count == 0)
            break;
        *above = here;
        here = without_levels(of, within);
    }
    return here;
}

static char *start_of(const order *of, name_span group)
{
    char *const start = common_copy(group.count > 0 ? of->names[group.first].name : "");
    start[group.length] = '\0';
    return start;
}

// -- Groups: rows
// -----------------------------------------------------------------------------------

static void add_group_row(view_browser *browser, view_entry entry)
{
    browser->entries =
        common_realloc(browser->entries, browser->num_entries + 1, sizeof *browser->entries);
    browser->found[browser->num_found++] = browser->num_entries;
    browser->entries[browser->num_entries++] = entry;
}

static void add_group(view_browser *browser, const order *of, name_span group)
{
    char *const start = start_of(of, group);
    const char *const dots = start[group.length - 1] == '/' ? "" : "\xE2\x80\xA6";
    char *const label =
        common_format("%s%s  \xE2\x80\xA2  %zu", start + browser->num_left_out, dots, group.count);
    add_group_row(browser, (view_entry){.kind = VIEW_ENTRY_GROUP, .label = label, .path = start});
}

// Up to where names of a group are left out: its folder.
static size_t folder_length(const char *start)
{
    const char *const slash = strrchr(start, '/');
    return slash != NULL ? (size_t)(slash - start) + 1 : 0;
}

static void add_special_rows(view_browser *browser, const order *of, name_span here,
                             name_span above)
{
    size_t num_own = 0;
    for (size_t i = 0; i < browser->num_names; i++)
        num_own += browser->entries[i].is_own;
    view_entry up = {.kind = VIEW_ENTRY_ABOVE};
    view_entry own = {.kind = VIEW_ENTRY_OWN};
    if (above.count > 0 || browser->is_own_alone) {
        up.label = common_copy("../");
        up.path = above.count > 0 ? start_of(of, above) : NULL;
        add_group_row(browser, up);
    } else if (here.count == browser->num_names && num_own > 0 && num_own < browser->num_names) {
        own.label = common_format("only of the mod  \xE2\x80\xA2  %zu", num_own);
        add_group_row(browser, own);
    }
}

static void add_group_rows(view_browser *browser, const order *of, name_span here)
{
    const bool has_groups = here.count > VIEW_MOST_UNGROUPED;
    const char divider = divider_of(of, here);
    for (size_t at = here.first; at < here.first + here.count;) {
        const name_span group =
            has_groups ? group_at(of, here, divider, at) : (name_span){at, 1, 0};
        if (group.count > 1)
            add_group(browser, of, group);
        else
            browser->found[browser->num_found++] = of->names[at].entry;
        at += group.count;
    }
}

static void drop_groups(view_browser *browser)
{
    while (browser->num_entries > browser->num_names) {
        view_entry *const entry = &browser->entries[--browser->num_entries];
        free(entry->label);
        free(entry->path);
    }
    browser->num_left_out = 0;
}

static void list_groups(view_browser *browser)
{
    name_span above;
    const order of = make_order(browser);
    const name_span here = find_span(&of, browser->group != NULL ? browser->group : "", &above);
    char *const start = start_of(&of, here);
    drop_groups(browser);
    // Groups and special rows are at most as many as names, and two.
    browser->found =
        common_realloc(browser->found, 2 * browser->num_names + 2, sizeof *browser->found);
    browser->num_found = 0;
    browser->num_left_out = folder_length(start);
    add_special_rows(browser, &of, here, above);
    add_group_rows(browser, &of, here);
    free(of.names);
    free(browser->group);
    browser->group = start;
}

// Finds the entries whose labels contain the filter, and chooses the first. Without a filter, the
// entries of a game are those of its group: groups within and single names. Time: that of sorting
// the names.
static void find_entries(view_browser *browser)
{
    browser->found =
        common_realloc(browser->found, browser->num_entries + 1, sizeof *browser->found);
    browser->num_found = browser->chosen = browser->first = 0;
    if (browser->kind == VIEW_BROWSE_GAME) {
        drop_groups(browser);
        if (browser->filter[0] == '\0')
            list_groups(browser);
    }
    const bool has_rows = browser->num_found > 0;
    for (size_t i = 0; i < browser->num_entries && !has_rows; i++)
        if (common_contains(browser->entries[i].label, browser->filter)
            && (browser->entries[i].is_own || !browser->is_own_alone))
            browser->found[browser->num_found++] = i;
    // Enter chooses an entry other than the parent folder, if there is one.
    const view_entry_kind first =
        browser->num_found > 1 ? browser->entries[browser->found[0]].kind : VIEW_ENTRY_FILE;
    browser->chosen = first == VIEW_ENTRY_ABOVE || first == VIEW_ENTRY_OWN;
}

// The next search goes to the group that lists a name; NULL: to the one of all names.
static void go_to_group(view_browser *browser, const char *name)
{
    free(browser->group);
    browser->group = name != NULL ? common_copy(name) : NULL;
}

// Enters the group of a row, or leaves one. Returns false if the row is a name.
static bool enter_group(view_browser *browser, const view_entry *entry)
{
    char *const left = browser->group;
    const bool is_above = entry->kind == VIEW_ENTRY_ABOVE;
    if (entry->kind != VIEW_ENTRY_GROUP && entry->kind != VIEW_ENTRY_OWN && !is_above)
        return false;
    if (entry->kind == VIEW_ENTRY_OWN || entry->path == NULL)
        browser->is_own_alone = entry->kind == VIEW_ENTRY_OWN;
    browser->group = entry->path != NULL ? common_copy(entry->path) : NULL;
    find_entries(browser); // frees the entry
    // The group that was left is chosen.
    for (size_t i = 0; i < browser->num_found && is_above && left != NULL; i++) {
        const view_entry *const listed = &browser->entries[browser->found[i]];
        if (listed->kind == VIEW_ENTRY_GROUP
            && strncmp(listed->path, left, strlen(listed->path)) == 0)
            browser->chosen = i;
    }
    free(left);
    return true;
}

// -- Entries --------------------------------------------------------------------------------

static view_entry *add_entry(view_browser *browser, view_entry_kind kind, const char *label,
                             const char *path)
{
    browser->entries =
        common_realloc(browser->entries, browser->num_entries + 1, sizeof *browser->entries);
    view_entry *const entry = &browser->entries[browser->num_entries++];
    *entry = (view_entry){
        .kind = kind, .label = common_copy(label), .path = path != NULL ? common_copy(path) : NULL};
    return entry;
}

static void add_files(view_browser *browser, const char *ending)
{
    common_list list = common_list_folder(browser->folder, ending);
    for (size_t i = 0; i < list.count; i++)
        add_entry(browser, VIEW_ENTRY_FILE, common_base(list.names[i]), list.names[i]);
    common_free_list(&list);
}

// Adds the parent folder, unless there is none.
static void add_folder_above(view_browser *browser)
{
    char *above = common_is_absolute(browser->folder) ? common_folder(browser->folder)
                                                      : common_join(browser->folder, "..");
    if (strcmp(above, browser->folder) != 0)
        add_entry(browser, VIEW_ENTRY_ABOVE, "../", above);
    free(above);
}

static void add_folders(view_browser *browser)
{
    common_list list = common_list_folder(browser->folder, NULL);
    for (size_t i = 0; i < list.count; i++) {
        char *label = common_format("%s/", common_base(list.names[i]));
        add_entry(browser, VIEW_ENTRY_FOLDER, label, list.names[i]);
        free(label);
    }
    common_free_list(&list);
}

static void add_recent(view_browser *browser, const view_config *config)
{
    for (size_t i = 0; config != NULL && i < config->num_recent; i++) {
        char *folder = common_folder(config->recent[i]);
        char *label = common_format("%s  \xE2\x80\xA2  %s", common_base(config->recent[i]), folder);
        add_entry(browser, VIEW_ENTRY_RECENT, label, config->recent[i]);
        free(label);
        free(folder);
    }
}

static void add_clips(view_browser *browser, const view_scene *scene)
{
    for (size_t i = 0; i < scene->num_clips; i++) {
        const view_clip *const clip = &scene->clips[i];
        char *label = common_format("%s  \xE2\x80\xA2  %.2f s", clip->name, clip->anim->duration);
        add_entry(browser, VIEW_ENTRY_CLIP, label, NULL)->clip = i;
        free(label);
    }
}

static void choose_shown(view_browser *browser, const view_scene *scene)
{
    for (size_t i = 0; i < browser->num_found; i++) {
        const view_entry *const entry = &browser->entries[browser->found[i]];
        const bool is_shown = entry->kind == VIEW_ENTRY_CLIP
                                  ? entry->clip == scene->clip
                                  : entry->kind == VIEW_ENTRY_FILE && scene->path != NULL
                                        && strcmp(entry->label, common_base(scene->path)) == 0;
        if (is_shown) {
            browser->chosen = i;
            return;
        }
    }
}

static void list_folder(view_browser *browser, const char *folder, const view_config *config)
{
    static const char *const endings[] = {".md5mesh", ".md5machine", "md5.cfg", ".md5anim",
                                          ".md5camera"};
    view_browser listed = {.kind = VIEW_BROWSE_FILES, .folder = common_copy(folder)};
    for (size_t end = strlen(folder); end > 1 && folder[end - 1] == '/'; end--)
        listed.folder[end - 1] = '\0';
    add_folder_above(&listed);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        add_files(&listed, endings[i]);
    add_folders(&listed);
    add_recent(&listed, config);
    view_clear_browser(browser);
    *browser = listed;
}

void view_browse_folder(view_browser *browser, const char *folder, const view_config *config)
{
    list_folder(browser, folder, config);
    find_entries(browser);
}

bool view_open_browser(view_browser *browser, view_browser_kind kind, const view_scene *scene,
                       const view_config *config)
{
    const bool was_open = browser->kind == kind;
    view_clear_browser(browser);
    if (was_open)
        return true;
    if (kind == VIEW_BROWSE_CLIPS && scene->num_clips == 0)
        return false;
    if (kind == VIEW_BROWSE_FILES) {
        char *folder = common_folder(scene->path != NULL ? scene->path : ".");
        list_folder(browser, folder, config);
        free(folder);
    } else {
        add_clips(browser, scene);
    }
    browser->kind = kind;
    browser->fresh = true;
    find_entries(browser);
    choose_shown(browser, scene);
    return true;
}

// Images are shown by their paths in the package.
static void add_textures(view_browser *browser, const view_scene *scene)
{
    size_t count;
    view_package *const package = view_open_package(scene->path);
    const view_image_file *const pictures = view_package_pictures(package, true, &count);
    const char *const root = view_package_root(package);
    for (size_t i = 0; i < count; i++) {
        const char *const path = pictures[i].path;
        const size_t above = root != NULL ? strlen(root) + 1 : 0;
        add_entry(browser, VIEW_ENTRY_TEXTURE, root != NULL ? path + above : common_base(path),
                  path);
    }
    view_close_package(package);
}

void view_list_textures(view_browser *browser, const view_scene *scene, uint32_t mesh)
{
    view_clear_browser(browser);
    browser->kind = VIEW_BROWSE_TEXTURES;
    browser->mesh = mesh;
    add_entry(browser, VIEW_ENTRY_FOUND_TEXTURE, "as found by names", NULL);
    add_textures(browser, scene);
    find_entries(browser);
}

// -- Choosing -------------------------------------------------------------------------------

// What choosing an entry asks for.
static view_command command_of(const view_browser *browser, const view_entry *entry)
{
    view_command command = {.number = entry->clip,
                            .path = entry->path != NULL ? common_copy(entry->path) : NULL};
    switch (browser->kind) {
    case VIEW_BROWSE_CLIPS:
        command.action = VIEW_OPEN_CLIP;
        break;
    case VIEW_BROWSE_CHANNEL:
        command.action = VIEW_PLAY_IN_CHANNEL;
        command.item = browser->channel;
        break;
    case VIEW_BROWSE_TEXTURES:
        command.action = VIEW_TAKE_TEXTURE;
        command.number = browser->mesh;
        break;
    case VIEW_BROWSE_GAME:
        command.action = VIEW_OPEN_NAMED;
        command.number = (size_t)browser->section;
        break;
    default:
        command.action = VIEW_OPEN_FILE;
        break;
    }
    return command;
}

// Choosing an entry closes the list, unless it is a folder, which is listed instead.
static view_command take_chosen(view_browser *browser)
{
    if (browser->chosen >= browser->num_found)
        return (view_command){.action = VIEW_TAKEN};
    const view_entry *const entry = &browser->entries[browser->found[browser->chosen]];
    if (browser->kind == VIEW_BROWSE_GAME && enter_group(browser, entry))
        return (view_command){.action = VIEW_LISTED};
    if (entry->kind == VIEW_ENTRY_FOLDER || entry->kind == VIEW_ENTRY_ABOVE)
        return (view_command){.action = VIEW_OPEN_FOLDER, .path = common_copy(entry->path)};
    const view_command command = command_of(browser, entry);
    view_clear_browser(browser);
    return command;
}

static void move_choice(view_browser *browser, long long step)
{
    const long long last = (long long)browser->num_found - 1;
    long long place = (long long)browser->chosen + step;
    place = place > last ? last : place;
    browser->chosen = place < 0 ? 0 : (size_t)place;
}

// Another section of the game; of the files, the contents of their folder.
static view_command turn_section(const view_browser *browser, int step)
{
    const int count = VIEW_NUM_SECTIONS;
    if (browser->kind == VIEW_BROWSE_FILES)
        return (view_command){.action = VIEW_OPEN_GAME, .path = common_copy(browser->folder)};
    if (browser->kind != VIEW_BROWSE_GAME || browser->is_scanning)
        return (view_command){.action = VIEW_TAKEN};
    return (view_command){.action = VIEW_OPEN_SECTION,
                          .number = (size_t)(((int)browser->section + step + count) % count)};
}

// Removes the last character, which may have several bytes.
static void erase_last(view_browser *browser)
{
    size_t length = strlen(browser->filter);
    while (length > 0 && ((unsigned char)browser->filter[length - 1] & 0xC0) == 0x80)
        length--;
    browser->filter[length > 0 ? length - 1 : 0] = '\0';
    find_entries(browser);
}

view_command view_key_browser(view_browser *browser, int32_t code, bool repeated)
{
    if (browser->kind == VIEW_BROWSE_NOTHING)
        return (view_command){.action = VIEW_NOTHING};
    browser->fresh = browser->fresh && repeated;
    const long long page = (long long)(browser->num_rows > 1 ? browser->num_rows : 1);
    const long long all = (long long)browser->num_found;
    switch (code) {
    case SDLK_ESCAPE:
        view_clear_browser(browser);
        return (view_command){.action = VIEW_CLOSED};
    case SDLK_RETURN:
    case SDLK_KP_ENTER:
        return take_chosen(browser);
    case SDLK_BACKSPACE:
        erase_last(browser);
        break;
    case SDLK_TAB:
        return turn_section(browser, 1);
    case SDLK_RIGHT:
    case SDLK_LEFT:
        return browser->kind == VIEW_BROWSE_GAME
                   ? turn_section(browser, code == SDLK_RIGHT ? 1 : -1)
                   : (view_command){.action = VIEW_NOTHING};
    case SDLK_UP:
    case SDLK_DOWN:
        move_choice(browser, code == SDLK_DOWN ? 1 : -1);
        break;
    case SDLK_PAGEUP:
    case SDLK_PAGEDOWN:
        move_choice(browser, code == SDLK_PAGEDOWN ? page : -page);
        break;
    case SDLK_HOME:
    case SDLK_END:
        move_choice(browser, code == SDLK_END ? all : -all);
        break;
    default:
        // Function keys keep their actions; others are typed or ignored.
        return (view_command){.action =
                                  (code & SDLK_SCANCODE_MASK) == 0 ? VIEW_TAKEN : VIEW_NOTHING};
    }
    return (view_command){.action = VIEW_LISTED};
}

view_command view_type_browser(view_browser *browser, const char *text)
{
    if (browser->kind == VIEW_BROWSE_NOTHING || browser->fresh)
        return (view_command){.action = VIEW_NOTHING};
    const size_t used = strlen(browser->filter);
    if (used + strlen(text) >= sizeof browser->filter)
        return (view_command){.action = VIEW_TAKEN};
    memcpy(browser->filter + used, text, strlen(text) + 1);
    find_entries(browser);
    return (view_command){.action = VIEW_LISTED};
}

const char *view_listed_name(const view_browser *browser, long long offset)
{
    const long long place = (long long)browser->chosen + offset;
    if (browser->kind != VIEW_BROWSE_GAME || place < 0 || place >= (long long)browser->num_found)
        return NULL;
    const view_entry *const entry = &browser->entries[browser->found[place]];
    return entry->kind == VIEW_ENTRY_NAMED ? entry->path : NULL;
}

// -- The panel ------------------------------------------------------------------------------

static void draw_entries(view_ui *ui, view_rect rows)
{
    view_browser *const browser = &ui->browser;
    view_canvas *const canvas = ui->canvas;
    const float scale = canvas->font->scale, line = canvas->font->line[VIEW_TEXT];
    const size_t fitting = browser->num_rows;
    size_t hovered = browser->chosen, pressed = SIZE_MAX;
    for (size_t i = 0; i < fitting && browser->first + i < browser->num_found; i++) {
        const size_t place = browser->first + i;
        const view_entry *const entry = &browser->entries[browser->found[place]];
        const float y = rows.y + (float)i * line;
        if (place == browser->chosen)
            view_draw_round_rect(
                canvas, (view_rect){rows.x - 6.0f * scale, y, rows.width + 12.0f * scale, line},
                4.0f * scale, 0x33507FFFu);
        const bool is_folder = entry->kind == VIEW_ENTRY_FOLDER || entry->kind == VIEW_ENTRY_ABOVE
                               || entry->kind == VIEW_ENTRY_GROUP || entry->kind == VIEW_ENTRY_OWN
                               || entry->kind == VIEW_ENTRY_FOUND_TEXTURE;
        const size_t left_out = entry->kind == VIEW_ENTRY_NAMED ? browser->num_left_out : 0;
        const view_color color = is_folder                          ? VIEW_ACCENT
                                 : entry->kind == VIEW_ENTRY_RECENT ? VIEW_DIM
                                                                    : VIEW_PLAIN;
        view_draw_text(canvas, VIEW_TEXT, rows.x, y, rows.width,
                       place == browser->chosen ? VIEW_BRIGHT : color, entry->label + left_out);
        if (ui_item(ui, (view_rect){rows.x, y, rows.width, line}, entry->label))
            pressed = place;
        if (ui->mouse.is_moved && ui_is_hot(ui))
            hovered = place;
    }
    if (browser->num_found > fitting) {
        const float part = (float)fitting / (float)browser->num_found;
        const float way = (float)browser->first / (float)(browser->num_found - fitting);
        const float length = rows.height * part;
        const view_rect bar = {rows.x + rows.width + 7.0f * scale,
                               rows.y + (rows.height - length) * way, 4.0f * scale, length};
        view_draw_round_rect(canvas, bar, 2.0f * scale, VIEW_DIM);
    }
    browser->chosen = hovered;
    if (pressed != SIZE_MAX) {
        browser->chosen = pressed;
        ui_ask(ui, take_chosen(browser));
    }
}

static void draw_sections(view_ui *ui, float x, float y, float width)
{
    const view_browser *const browser = &ui->browser;
    view_canvas *const canvas = ui->canvas;
    const float scale = canvas->font->scale, line = canvas->font->line[VIEW_TEXT];
    const float right = x + width;
    char text[64];
    if (browser->is_scanning) {
        (void)snprintf(text, sizeof text, "reading: %zu files", browser->num_scanned);
        view_draw_text(canvas, VIEW_TEXT, x, y, width, VIEW_AMBER, text);
        return;
    }
    for (int i = 0; i < VIEW_NUM_SECTIONS && x < right; i++) {
        (void)snprintf(text, sizeof text, "%s %zu", view_section_name((view_section)i),
                       browser->num_in_section[i]);
        const bool is_open = (view_section)i == browser->section;
        const float used = view_draw_text(canvas, VIEW_TEXT, x, y, right - x,
                                          is_open                          ? VIEW_BRIGHT
                                          : browser->num_in_section[i] > 0 ? VIEW_ACCENT
                                                                           : VIEW_DIM,
                                          text);
        if (ui_item(ui, (view_rect){x, y, used, line}, text))
            ui_ask(ui, (view_command){.action = VIEW_OPEN_SECTION, .number = (size_t)i});
        if (is_open)
            view_draw_rect(canvas, (view_rect){x, y + line - 2.0f * scale, used, scale},
                           VIEW_BRIGHT);
        x += used + 18.0f * scale;
    }
}

// -- Preview --------------------------------------------------------------------------------

// In layout units: between rows and preview.
static const float distance = 16.0f;

// The side of the preview beside the rows, in pixels, with its distance; 0 if the list has none, or
// no room for one: `width` is that of both.
static float preview_room(const view_browser *browser, const view_font *font, float width)
{
    const float room = ((float)VIEW_SKETCH_SIZE + distance) * font->scale;
    const bool has_any = browser->kind == VIEW_BROWSE_GAME && !browser->is_scanning;
    return has_any && width > 2.5f * room ? room : 0.0f;
}

static void draw_preview(view_canvas *canvas, view_rect rows, md5gl_texture preview)
{
    const float scale = canvas->font->scale, side = (float)VIEW_SKETCH_SIZE * scale;
    const view_rect place = {rows.x + rows.width + distance * scale, rows.y, side, side};
    const float inset = 2.0f * scale, whole[4] = {0.0f, 0.0f, 1.0f, 1.0f};
    const view_rect within = {place.x + inset, place.y + inset, side - 2.0f * inset,
                              side - 2.0f * inset};
    view_draw_round_rect(canvas, place, 4.0f * scale, VIEW_PREVIEW_COLOR);
    if (preview != 0)
        view_draw_image(canvas, within, whole, preview, true);
}

// The typed filter, or a hint.
static void draw_heading(view_ui *ui, float x, float y, float width)
{
    const view_browser *const browser = &ui->browser;
    view_canvas *const canvas = ui->canvas;
    const float scale = canvas->font->scale, line = canvas->font->line[VIEW_TEXT];
    char count[48], title[48];
    (void)snprintf(title, sizeof title, "Texture of mesh %u", (unsigned)browser->mesh);
    const bool is_game = browser->kind == VIEW_BROWSE_GAME;
    const size_t num_all = is_game ? browser->num_names : browser->num_entries;
    if (is_game && browser->filter[0] == '\0')
        (void)snprintf(count, sizeof count, "%zu", num_all); // rows may be groups
    else
        (void)snprintf(count, sizeof count, "%zu of %zu", browser->num_found, num_all);
    const float count_width = view_text_width(canvas->font, VIEW_TEXT, count) + 12.0f * scale;
    view_draw_text(canvas, VIEW_TEXT, x, y, fmaxf(width - count_width, 1.0f), VIEW_BRIGHT,
                   browser->kind == VIEW_BROWSE_CLIPS ? "Clips"
                   : browser->folder != NULL          ? browser->folder
                                                      : title);
    view_draw_text(canvas, VIEW_TEXT, x + width - count_width + 12.0f * scale, y, 0, VIEW_DIM,
                   count);
    if (is_game) {
        y += 1.2f * line;
        draw_sections(ui, x, y, width);
    }
    const view_rect field = {x - 6.0f * scale, y + 1.2f * line, width + 12.0f * scale,
                             line + 4.0f * scale};
    view_draw_round_rect(canvas, field, 4.0f * scale, 0x2A303AFFu);
    const bool typed = browser->filter[0] != '\0';
    char hint[160];
    (void)snprintf(hint, sizeof hint, "%s%stype to filter; Enter opens%s",
                   is_game && browser->group != NULL ? browser->group : "",
                   is_game && browser->group != NULL && browser->group[0] != '\0' ? ": " : "",
                   is_game ? ", Tab: next section" : "");
    const float used =
        view_draw_text(canvas, VIEW_TEXT, x, field.y + 2.0f * scale, width,
                       typed ? VIEW_BRIGHT : VIEW_DIM, typed ? browser->filter : hint);
    if (typed)
        view_draw_rect(
            canvas,
            (view_rect){x + used + 1.0f, field.y + 4.0f * scale, scale, line - 4.0f * scale},
            VIEW_ACCENT);
}

// Of the entries of all sections, so that the list is as high in each.
static size_t most_entries(const view_browser *browser)
{
    size_t most = browser->num_entries;
    for (int i = 0; i < VIEW_NUM_SECTIONS; i++)
        most = browser->num_in_section[i] > most ? browser->num_in_section[i] : most;
    return most;
}

// A click beside the list closes it.
void view_browser_panel(view_ui *ui, const view_stage *stage)
{
    const float width = stage->width, height = stage->height;
    view_browser *const browser = &ui->browser;
    view_canvas *const canvas = ui->canvas;
    const float scale = canvas->font->scale, line = canvas->font->line[VIEW_TEXT];
    const float margin = VIEW_MARGIN * scale, padding = VIEW_PADDING * scale;
    if (browser->kind == VIEW_BROWSE_NOTHING)
        return;
    // As high as the unfiltered list, so that it does not jump while the user types.
    const float heading = (browser->kind == VIEW_BROWSE_GAME ? 4.0f : 2.8f) * line;
    const float most = height - 2.0f * margin - 2.0f * padding - heading;
    const float inner = fmaxf(fminf(520.0f * scale, width - 2.0f * margin - 2.0f * padding), 1.0f);
    const float beside = preview_room(browser, canvas->font, inner);
    const float wanted = fmaxf((float)most_entries(browser) * line, beside);
    const float rows = fmaxf(floorf(fminf(wanted, most) / line), 1.0f) * line;
    const view_rect box = {roundf(0.5f * (width - inner) - padding), margin, inner + 2.0f * padding,
                           heading + rows + 2.0f * padding};
    const view_rect inside = {box.x + padding, box.y + padding + heading, inner - beside, rows};
    browser->num_rows = (size_t)(rows / line + 0.5f);
    ui_begin(ui, "list");
    const bool is_beside = ui_item(ui, (view_rect){0.0f, 0.0f, width, height}, "");
    (void)ui_item(ui, box, "box");
    if (ui->mouse.wheel != 0.0f && ui_is_panel_hot(ui)) {
        move_choice(browser, (long long)view_clamp(-3.0f * ui->mouse.wheel, -1e6f, 1e6f));
        ui->has_taken = true;
    }
    if (browser->chosen < browser->first)
        browser->first = browser->chosen;
    if (browser->chosen >= browser->first + browser->num_rows)
        browser->first = browser->chosen - browser->num_rows + 1;
    view_draw_round_rect(canvas, box, VIEW_RADIUS * scale, 0x12151AF6u);
    draw_heading(ui, box.x + padding, box.y + padding, inner);
    if (beside > 0.0f)
        draw_preview(canvas, inside, stage->preview);
    draw_entries(ui, inside);
    if (is_beside) {
        view_clear_browser(browser);
        ui_ask(ui, (view_command){.action = VIEW_CLOSED});
    }
}

// == Contents of a game ====================================================================

// Chooses the line of a name; without one, or if it is not listed, the first.
static void choose_name(view_browser *browser, const char *name)
{
    for (size_t i = 0; i < browser->num_found && name != NULL; i++) {
        const view_entry *const entry = &browser->entries[browser->found[i]];
        if (entry->kind == VIEW_ENTRY_NAMED && strcmp(entry->path, name) == 0)
            browser->chosen = i;
    }
}

void view_list_section(view_browser *browser, const view_library *library, view_section section,
                       const char *shown)
{
    const size_t count = library->num_names[section];
    char filter[sizeof browser->filter];
    memcpy(filter, browser->filter, sizeof filter); // goes on in another section
    const bool keeps = browser->kind == VIEW_BROWSE_GAME;
    const bool is_own_alone = keeps && browser->is_own_alone;
    view_clear_browser(browser);
    browser->kind = VIEW_BROWSE_GAME;
    browser->folder = view_title_of_place(library->place);
    browser->section = section;
    for (int i = 0; i < VIEW_NUM_SECTIONS; i++)
        browser->num_in_section[i] = library->num_names[i];
    browser->entries = common_alloc(count + 1, sizeof *browser->entries);
    browser->num_entries = browser->num_names = count;
    browser->is_own_alone = is_own_alone;
    for (size_t i = 0; i < count; i++) {
        const char *const name = library->names[section][i];
        browser->entries[i] = (view_entry){.kind = VIEW_ENTRY_NAMED,
                                           .label = common_copy(name),
                                           .path = common_copy(name),
                                           .is_own = view_is_own(library, section, i)};
    }
    if (keeps)
        memcpy(browser->filter, filter, sizeof filter);
    go_to_group(browser, shown);
    find_entries(browser);
    if (browser->filter[0] == '\0')
        choose_name(browser, shown);
}

void view_list_channel(view_browser *browser, const view_scene *scene, md5_channel channel)
{
    const view_entity *const entity = view_channels_of(scene);
    const int32_t playing = entity != NULL ? entity->channels[channel].clip : -1;
    size_t chosen = 0;
    view_clear_browser(browser);
    browser->kind = VIEW_BROWSE_CHANNEL;
    browser->channel = (uint32_t)channel;
    browser->folder = common_format("Clips for %s", view_channel_name(channel));
    browser->entries = common_alloc(scene->num_clips + 1, sizeof *browser->entries);
    browser->entries[browser->num_entries++] =
        (view_entry){.kind = VIEW_ENTRY_CLIP, .label = common_copy("nothing"), .clip = SIZE_MAX};
    for (size_t i = 0; i < scene->num_clips; i++) {
        const view_clip *const clip = &scene->clips[i];
        if (clip->in_entity == 0)
            continue;
        if ((int32_t)clip->in_entity - 1 == playing)
            chosen = browser->num_entries;
        browser->entries[browser->num_entries++] = (view_entry){
            .kind = VIEW_ENTRY_CLIP,
            .label = common_format("%s  \xE2\x80\xA2  %.2f s", clip->name, clip->anim->duration),
            .clip = i};
    }
    find_entries(browser);
    browser->chosen = chosen;
}

void view_list_scan(view_browser *browser, const char *place, size_t num_files)
{
    if (browser->kind != VIEW_BROWSE_GAME || !browser->is_scanning) {
        view_clear_browser(browser);
        browser->kind = VIEW_BROWSE_GAME;
        browser->folder = view_title_of_place(place);
        browser->is_scanning = true;
        find_entries(browser);
    }
    browser->num_scanned = num_files;
}

view_section view_first_section(const view_library *library)
{
    for (int i = 0; i < VIEW_NUM_SECTIONS; i++)
        if (library->num_names[i] > 0)
            return (view_section)i;
    return VIEW_ENTITIES;
}
