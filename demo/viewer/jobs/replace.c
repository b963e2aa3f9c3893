// Replaces the shown document by another document, which is opened with its stored settings. Also
// shows added clips, and stores the command that failed.
#include "demo/viewer/jobs/view.h"

void view_store_failed_command(view_state *viewer, const view_command *command)
{
    char *const path = common_copy(command->path); // `command` may be viewer->failed
    free(viewer->opening.failed.path);
    viewer->opening.failed = *command;
    viewer->opening.failed.path = path;
}

bool view_open_document(view_state *viewer, const char *const *files, size_t num_files)
{
    view_options *const options = viewer->options;
    view_store_shown_document(viewer);
    view_options before = view_copy_options(options, VIEW_SCOPE_ANY, VIEW_SCOPE_CAMERA);
    memset(options->is_given, 0, view_num_options);
    view_restore_options(options, NULL, VIEW_SCOPE_ANY, VIEW_SCOPE_CAMERA);

    const bool is_open = view_open(viewer, files, num_files, true);
    if (!is_open)
        view_restore_options(options, &before, VIEW_SCOPE_ANY, VIEW_SCOPE_CAMERA);
    view_free_options(&before);

    view_apply_options(viewer);
    if (is_open) {
        view_close_page(viewer); // the lesson needs another character
        view_apply_start_options(viewer);
    }
    return is_open;
}

void view_open_item(view_state *viewer, const char *file, bool is_name, const char *skin)
{
    char *address = NULL;
    if (is_name)
        address = view_make_address(viewer->lists.game->location, file, skin);
    const char *const files[1] = {is_name ? address : file};
    if (!view_open_document(viewer, files, 1)) {
        const bool is_canceled = viewer->log.has_stopped;
        const char *const reason = is_canceled ? "Opening %s was canceled" : "Cannot open %s";
        view_notice(viewer, reason, common_base(file));
    }
    free(address);
}

void view_show_added_clip(view_state *viewer)
{
    const view_scene *const scene = &viewer->document->scene;
    view_check_clips(scene, scene->clip, &viewer->log);
    view_change_clip(viewer, scene->clip);
}

// == The next and the previous document ===========================================================

char *view_shown_game_name(const view_state *viewer)
{
    const view_scene *const scene = &viewer->document->scene;
    const view_library *const listed = viewer->lists.game;
    view_address address;
    if (listed == NULL || scene->library != listed)
        return NULL;
    if (!view_read_address(scene->path, &address))
        return NULL;
    char *const name = common_copy(address.name);
    view_free_address(&address);
    return name;
}

// Returns the index of the item after (step +1) or before (step -1) `name`, cyclically. For a name
// that is not in the list, returns the index of the second or the last item.
static size_t neighbor_index(const char *const *names, size_t count, const char *name, int step)
{
    size_t index = 0;
    while (index < count && strcmp(names[index], name) != 0)
        index++;
    const size_t offset = step > 0 ? 1 : count - 1; // modulo `count`, the latter is -1
    return (index + offset) % count;
}

// Opens the next (step +1) or previous (step -1) item of the listed section of the game. An item is
// an entity or a model.
static void open_neighbor_in_game(view_state *viewer, int step)
{
    const view_library *const library = viewer->lists.game;
    const view_section shown_section = viewer->lists.section;
    const view_section section = shown_section < VIEW_SKINS ? shown_section : VIEW_ENTITIES;
    char *const name = view_shown_game_name(viewer); // NULL if another game is listed
    const size_t count = name != NULL ? library->num_names[section] : 0;
    if (count == 0) {
        view_notice(viewer, "No other item in this list");
    } else {
        const char *const *const names = library->names[section];
        view_open_item(viewer, names[neighbor_index(names, count, name, step)], true, NULL);
    }
    free(name);
}

// Returns the file extension of the documents of the same kind as the shown document.
static const char *shown_extension(const view_scene *scene)
{
    const char *const motion_extension = view_get_mover(scene)->ending;
    if (motion_extension != NULL)
        return motion_extension;
    if (scene->model != NULL)
        return ".md5mesh";
    return scene->num_clips > 0 ? ".md5anim" : ".md5camera";
}

void view_open_neighbor(view_state *viewer, int step)
{
    const view_scene *const scene = &viewer->document->scene;
    if (scene->library != NULL) {
        open_neighbor_in_game(viewer, step);
        return;
    }

    const char *const extension = shown_extension(scene);
    char *const folder = common_folder(scene->path);
    char *const path = common_join(folder, common_base(scene->path));
    common_list files = common_list_folder(folder, extension);
    if (files.count < 2) {
        view_notice(viewer, "No other %s file in this folder", extension);
    } else {
        const char *const *const names = (const char *const *)files.names;
        view_open_item(viewer, names[neighbor_index(names, files.count, path, step)], false, NULL);
    }
    common_free_list(&files);
    free(path);
    free(folder);
}
