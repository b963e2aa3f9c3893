// Executes commands about files: opening, lists, games, lessons, textures and repairs.
//
// view_run_file_command() runs a command. Most commands are implemented in the other files of this
// folder.
#include "demo/viewer/jobs/view.h"

// Runs the commands VIEW_FILES and VIEW_CLIPS, which open a list of files or of clips. If
// command->item is not 0, it is the index + 1 of an option for which the user selects a file. If
// command->path is not NULL, it is a dropped model whose uses are listed. After an error, shows the
// previous list again. Otherwise the list is for opening a file or selecting a clip.
static void open_list(view_state *viewer, const view_command *command)
{
    view_browser *const browser = &viewer->panels.browser;
    const bool is_files = command->action == VIEW_FILES;
    if (command->item > 0) {
        view_list_files_for_option(viewer, command->item - 1, command->path);
        return;
    }
    if (command->path != NULL) {
        view_list_uses(viewer, command->path);
        return;
    }

    // After an error, return to the list from which the item was opened.
    const bool is_closed = browser->kind == VIEW_BROWSE_NOTHING;
    const bool has_list = !is_closed || browser->was != VIEW_BROWSE_NOTHING;
    const bool is_after_error = viewer->log.error[0] != '\0';
    viewer->log.error[0] = '\0';
    if (is_after_error && has_list) {
        if (is_closed)
            browser->kind = browser->was;
        return;
    }

    if (is_files && is_closed) {
        char *const folder = view_get_default_folder(viewer);
        if (!view_open_file_dialog(viewer, VIEW_FILES, folder))
            view_browse_files(viewer, folder, (view_list_purpose){.accepted_kinds = 0});
        free(folder);
        return;
    }
    const view_browser_kind kind = is_files ? VIEW_BROWSE_FILES : VIEW_BROWSE_CLIPS;
    if (!view_open_browser(browser, kind, 0, &viewer->document->scene))
        view_notice(viewer, VIEW_NO_CLIP);
}

// Opens a folder that was chosen in a list or in the dialog of the desktop. If `path` is NULL, lets
// the user choose it.
static void open_folder(view_state *viewer, const char *path)
{
    view_browser *const browser = &viewer->panels.browser;
    if (path == NULL) {
        char *const folder = view_get_default_folder(viewer);
        if (!view_open_file_dialog(viewer, VIEW_OPEN_FOLDER, folder))
            view_browse_files(viewer, folder, (view_list_purpose){.accepted_kinds = 0});
        free(folder);
    } else if (browser->kind == VIEW_BROWSE_NOTHING) {
        view_drop(viewer, path);
    } else {
        view_browse_folder(browser, path, browser->folder, viewer->config);
    }
}

// Opens the next (step +1) or previous (step -1) lesson, cyclically. The order is the list of
// lessons, then all lessons. If no lesson is open, opens the list or the last lesson.
static void open_next_lesson(view_state *viewer, int step)
{
    const int32_t num_lessons = (int32_t)view_num_pages;
    const int32_t open = viewer->pages.open;
    const bool is_list_open = open >= num_lessons; // VIEW_CONTENTS

    // Positions in the order: 0 is the list, `i + 1` is lesson i.
    int32_t position = open + 1;
    if (open < 0)
        position = step > 0 ? -1 : 0; // one before the list, or the list
    else if (is_list_open)
        position = 0;
    const int32_t num_positions = num_lessons + 1;
    position = (position + step + num_positions) % num_positions;
    view_open_lesson(viewer, position == 0 ? VIEW_CONTENTS : position - 1);
}

// Removes a file from the list of recent files, and shows the list again.
static void remove_recent(view_state *viewer, const char *path)
{
    if (viewer->config != NULL)
        view_remove_recent(viewer->config, path);
    if (viewer->panels.browser.kind == VIEW_BROWSE_NOTHING)
        view_show_start(viewer);
    else
        view_browse_folder(&viewer->panels.browser, "", NULL, viewer->config);
}

// Runs a command about files. view_action describes the fields of a command for each action.
static void run_file_command(view_state *viewer, const view_command *command)
{
    view_browser *const browser = &viewer->panels.browser;
    const view_scene *const scene = &viewer->document->scene;
    const view_action action = command->action;
    const size_t number = command->number;
    const char *const path = command->path;
    bool is_reloaded;
    // A list closes when an item is opened.
    if (action == VIEW_OPEN_FILE || action == VIEW_OPEN_PAGE || action == VIEW_ASSIGN_TEXTURE)
        view_close_browser(browser);
    switch (action) {
    case VIEW_FILES:
    case VIEW_CLIPS:
        open_list(viewer, command);
        break;
    case VIEW_FIND_TEXTURE:
        view_list_images_for_map(viewer, command);
        break;
    case VIEW_LIST_CHANNEL:
        view_open_browser(browser, VIEW_BROWSE_CHANNEL, (uint32_t)command->item, scene);
        break;
    case VIEW_GAME:
        view_list_game(viewer);
        break;
    case VIEW_NEXT_FILE:
    case VIEW_PREVIOUS_FILE:
        view_open_neighbor(viewer, action == VIEW_NEXT_FILE ? 1 : -1);
        break;
    case VIEW_RELOAD:
        is_reloaded = view_reload(viewer);
        view_notice(viewer, "%s",
                    is_reloaded ? "Reloaded" : "Reload failed; the previous version is kept");
        break;
    case VIEW_NEXT_PAGE:
    case VIEW_PREVIOUS_PAGE:
        open_next_lesson(viewer, action == VIEW_NEXT_PAGE ? 1 : -1);
        break;
    case VIEW_OPEN_FOLDER:
        if (number != VIEW_FOLDER_OF_EXPORT)
            open_folder(viewer, path);
        else if (path == NULL)
            view_list_export_folders(viewer);
        else
            view_select_export_folder(viewer, path);
        break;
    case VIEW_START_PAGE:
        if (viewer->panels.start.is_open)
            view_clear_start(&viewer->ui, &viewer->panels.start);
        else
            view_show_start(viewer);
        break;
    case VIEW_REMOVE_RECENT:
        remove_recent(viewer, path);
        break;
    case VIEW_OPEN_GAME:
        view_browse_game(viewer, path);
        break;
    case VIEW_OPEN_SECTION:
        view_show_section(viewer, number);
        break;
    case VIEW_OPEN_FILE:
        view_drop(viewer, path);
        break;
    case VIEW_OPEN_CLIP:
        if (number < scene->num_clips) // after a reload fewer clips may exist
            view_change_clip(viewer, number);
        viewer->play.playing |= command->item > 0;
        break;
    case VIEW_OPEN_NAMED:
        view_show_game_item(viewer, number, path);
        break;
    case VIEW_TEXTURES:
        view_open_textures(viewer, command->item > 0 ? (uint32_t)command->item - 1
                                                     : view_selected_texture_mesh(viewer));
        viewer->panels.textures.takes_focus = true; // Enter then selects an image
        break;
    case VIEW_ASSIGN_TEXTURE:
        view_assign_texture(viewer, number, (md5gl_image_kind)command->item, path);
        break;
    case VIEW_SAVE_TEXTURES:
        view_save_textures(viewer, number != 0);
        break;
    case VIEW_MAP_JOINTS:
        view_map_joints(viewer, path);
        break;
    case VIEW_REPAIR:
        view_repair_or_preview(viewer, command);
        break;
    case VIEW_OPEN_PAGE:
        view_open_lesson(viewer, (int32_t)number);
        break;
    case VIEW_KEEP_MOVIE:
    case VIEW_DELETE_MOVIE:
        view_resolve_lost_movie(viewer, action == VIEW_KEEP_MOVIE);
        break;
    default: // the interface has already run the command
        break;
    }
}

// Runs a command about files. A failed command is stored, so that the error dialog can try it
// again.
void view_run_file_command(view_state *viewer, const view_command *command)
{
    const uint32_t num_errors = viewer->log.num_errors;
    const bool is_retry = command->action == VIEW_TRY_AGAIN;
    const view_command *const effective = is_retry ? &viewer->opening.failed : command;
    if (is_retry)
        viewer->log.error[0] = '\0';
    // If no command has failed, the first document could not be opened.
    if (is_retry && effective->action == VIEW_NOTHING)
        view_open_first(viewer);
    else
        run_file_command(viewer, effective);
    view_sync_overlay(&viewer->ui, &viewer->panels);
    if (viewer->log.num_errors != num_errors)
        view_store_failed_command(viewer, effective);
}
