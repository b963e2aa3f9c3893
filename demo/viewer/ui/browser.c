// The lists that open over the picture.
#include "demo/viewer/ui/browser.h"

#include "demo/common/file.h"
#include "demo/viewer/base/math.h"
#include "demo/viewer/assets/package.h"
#include "demo/viewer/ui/groups.h"

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
    *browser = (view_browser){0};
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
    view_find_entries(browser);
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
    view_find_entries(browser);
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
    view_find_entries(browser);
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
    if (browser->kind == VIEW_BROWSE_GAME && view_enter_group(browser, entry))
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
    view_find_entries(browser);
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
    view_find_entries(browser);
    return (view_command){.action = VIEW_LISTED};
}

// -- For the panel --------------------------------------------------------------------------

view_command view_take_entry(view_browser *browser, size_t place)
{
    browser->chosen = place;
    return take_chosen(browser);
}

void view_scroll_browser(view_browser *browser, float steps)
{
    move_choice(browser, (long long)view_clamp(-3.0f * steps, -1e6f, 1e6f));
}

const char *view_listed_name(const view_browser *browser, long long offset)
{
    const long long place = (long long)browser->chosen + offset;
    if (browser->kind != VIEW_BROWSE_GAME || place < 0 || place >= (long long)browser->num_found)
        return NULL;
    const view_entry *const entry = &browser->entries[browser->found[place]];
    return entry->kind == VIEW_ENTRY_NAMED ? entry->path : NULL;
}
