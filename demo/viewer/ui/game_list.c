#include "demo/viewer/ui/game_list.h"

#include "demo/viewer/motion/entity.h"
#include "demo/viewer/assets/library.h"

#include <stdlib.h>
#include <string.h>

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
    view_go_to_group(browser, shown);
    view_find_entries(browser);
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
    view_find_entries(browser);
    browser->chosen = chosen;
}

void view_list_scan(view_browser *browser, const char *place, size_t num_files)
{
    if (browser->kind != VIEW_BROWSE_GAME || !browser->is_scanning) {
        view_clear_browser(browser);
        browser->kind = VIEW_BROWSE_GAME;
        browser->folder = view_title_of_place(place);
        browser->is_scanning = true;
        view_find_entries(browser);
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
