#include "demo/viewer/app/start.h"

#include "demo/common/file.h"
#include "demo/viewer/app/game.h"
#include "demo/viewer/app/open.h"
#include "demo/viewer/app/places.h"
#include "demo/viewer/app/remember.h"

#include <stdlib.h>
#include <string.h>

// Opens the model of the last run with its camera: a file, or NULL, our own model. If the file
// cannot be opened, shows our own model and the error.
static bool open_remembered(view_state *viewer)
{
    const view_config *const config = viewer->config;
    const view_camera camera = config->camera;
    const bool has_camera = config->has_camera, is_own = config->model == NULL;
    char *path = is_own ? NULL : common_copy(config->model);
    const char *const files[1] = {path};
    const bool opened = view_open(viewer, files, is_own ? 0 : 1, true);
    char error[sizeof viewer->log.error];
    memcpy(error, viewer->log.error, sizeof error);
    free(path);
    if (opened && has_camera)
        view_restore_camera(viewer, &camera);
    if (opened || is_own || !view_open(viewer, NULL, 0, true))
        return opened;
    memcpy(viewer->log.error, error, sizeof error);
    return true;
}

// The command line has priority: the last model and its camera are restored only if the command
// line names nothing to show.
static bool takes_remembered(const view_state *viewer)
{
    const view_options *const options = viewer->options;
    const view_config *const config = viewer->config;
    return config != NULL && options->num_files == 0 && options->num_folders == 0
           && !options->names_content && (config->model == NULL || common_is_file(config->model));
}

bool view_open_first(view_state *viewer)
{
    const view_options *const options = viewer->options;
    if (options->num_folders > 0 && !view_shows_window(options)) {
        const bool is_sheet = options->output != NULL && options->num_folders == 1
                              && options->num_files == 0 && common_is_folder(options->folders[0]);
        if (!is_sheet)
            view_error(&viewer->log,
                       "%s: folders can be listed in a window, or one alone drawn by --output; "
                       "name a file",
                       options->folders[0]);
        return is_sheet;
    }
    if (options->game != NULL && options->num_files == 0 && !view_shows_window(options)) {
        view_error(&viewer->log,
                   "--game %s: it can be listed in a window only; name an entity, "
                   "a model or a file in it",
                   options->game);
        return false;
    }
    if (options->game != NULL && options->num_files > 0)
        return view_open_game_name(viewer);
    const bool opened = takes_remembered(viewer)
                            ? open_remembered(viewer)
                            : view_open(viewer, options->files, options->num_files, true);
    // As if dropped: of several folders the last one is listed.
    for (size_t i = 0; i < options->num_folders && opened; i++)
        view_browse_place(viewer, options->folders[i]);
    if (options->game != NULL && opened) {
        char *const place = view_place_of_options(options);
        view_browse_game(viewer, place);
        free(place);
    }
    return opened;
}
