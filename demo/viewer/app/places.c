#include "demo/viewer/app/places.h"

#include "demo/common/file.h"
#include "demo/viewer/app/game_preview.h"
#include "demo/viewer/app/tell.h"
#include "demo/viewer/assets/library.h"
#include "demo/viewer/ui/browser.h"

#include <stdlib.h>
#include <string.h>

// -- Places ---------------------------------------------------------------------------------

void view_browse_place(view_state *viewer, const char *path)
{
    if (view_is_game(path))
        view_browse_game(viewer, path);
    else
        view_browse_folder(&viewer->ui.browser, path, viewer->config);
}

// -- Listing --------------------------------------------------------------------------------

void view_show_section(view_state *viewer, size_t section)
{
    if (viewer->library == NULL || section >= VIEW_NUM_SECTIONS)
        return;
    char *const name = view_shown_name(viewer);
    viewer->section = (view_section)section;
    view_list_section(&viewer->ui.browser, viewer->library, viewer->section, name);
    free(name);
}

void view_browse_game(view_state *viewer, const char *place)
{
    char *const whole = view_with_base(place);
    if (viewer->library != NULL && strcmp(viewer->library->place, whole) == 0) {
        view_show_section(viewer, viewer->section);
    } else {
        view_stop_scan(viewer->scan);
        viewer->scan = view_begin_scan(whole);
        view_list_scan(&viewer->ui.browser, whole, 0);
    }
    free(whole);
}

static void take_library(view_state *viewer)
{
    md5_error error;
    view_library *const library = view_end_scan(viewer->scan, &error);
    const bool is_awaited = viewer->ui.browser.is_scanning;
    viewer->scan = NULL;
    if (library == NULL) {
        view_log_error(&viewer->log, &error);
        if (is_awaited)
            view_clear_browser(&viewer->ui.browser);
    } else {
        if (md5_game_num_unread(library->game) > 0)
            view_warn(&viewer->log, "%s: %u files of declarations are not read: see md5tool check",
                      library->place, (unsigned)md5_game_num_unread(library->game));
        view_drop_library(viewer->library);
        viewer->library = library;
        view_forget_previews(viewer);
        viewer->section = view_first_section(library);
        if (is_awaited) // unless the user closed the list meanwhile
            view_show_section(viewer, viewer->section);
    }
    view_tell_state(viewer, "scanned");
}

bool view_follow_scan(view_state *viewer)
{
    size_t num_files = 0;
    if (viewer->scan == NULL)
        return false;
    if (view_has_scanned(viewer->scan, &num_files))
        take_library(viewer);
    else if (viewer->ui.browser.is_scanning)
        view_list_scan(&viewer->ui.browser, view_scanned_place(viewer->scan), num_files);
    return true;
}

void view_list_game(view_state *viewer)
{
    const bool was_open = viewer->ui.browser.kind == VIEW_BROWSE_GAME;
    const view_package *const package = viewer->document->textures.package;
    const char *const root = package != NULL ? view_package_root(package) : NULL;
    view_clear_browser(&viewer->ui.browser);
    if (was_open)
        return;
    if (viewer->scan != NULL)
        view_list_scan(&viewer->ui.browser, view_scanned_place(viewer->scan), 0);
    else if (viewer->library != NULL)
        view_show_section(viewer, viewer->section);
    else if (root != NULL)
        view_browse_game(viewer, root);
    else
        view_notice(viewer, "No game folder: drop one here, or an archive");
    viewer->ui.browser.fresh = true;
}
