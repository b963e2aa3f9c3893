// Between the window's state, the options that describe it, and the file that remembers them.
#include "demo/viewer/jobs/view.h"

#include "demo/common/file.h"
#include "demo/viewer/base/option_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <SDL.h>

// -- State and options ----------------------------------------------------------------------

void view_take_switches(view_state *viewer)
{
    const view_options *const o = viewer->options;
    viewer->shown = o->shown;
    viewer->lamps = o->lamps;
    viewer->document->scene.root = o->root;
    viewer->document->scene.dual = o->dual;
    viewer->play.wrap = o->wrap;
}

// The size in the system's points, which is what SDL takes when it makes a window.
static void describe_size(const view_state *viewer, view_options *options)
{
    int width = 0, height = 0;
    const Uint32 full = SDL_WINDOW_FULLSCREEN_DESKTOP;
    if (viewer->window == NULL || (SDL_GetWindowFlags(viewer->window) & full) != 0)
        return;
    SDL_GetWindowSize(viewer->window, &width, &height);
    // Smaller than that one would not find it again.
    options->width = (uint32_t)SDL_clamp(width, 320, VIEW_MAX_PICTURE_SIDE);
    options->height = (uint32_t)SDL_clamp(height, 200, VIEW_MAX_PICTURE_SIDE);
}

void view_describe(const view_state *viewer, view_options *options)
{
    options->shown = viewer->shown;
    options->lamps = viewer->lamps;
    options->root = viewer->document->scene.root;
    options->dual = viewer->document->scene.dual;
    options->wrap = viewer->play.wrap;
    if (viewer->text_scale != 1.0f) // chosen by keys
        options->ui_scale = fmaxf(0.5f, fminf(viewer->font.scale, 8.0f));
    describe_size(viewer, options);
}

// -- What is remembered ---------------------------------------------------------------------

static void remember_options(const view_state *viewer)
{
    size_t count;
    const view_option *const table = view_options_table(&count);
    view_options now = *viewer->options;
    view_describe(viewer, &now);
    for (size_t i = 0; i < count; i++) {
        char *const value =
            table[i].memory == VIEW_REMEMBERED ? view_write_option(&table[i], &now) : NULL;
        if (value != NULL)
            view_set_config(viewer->config, &table[i], value);
        free(value);
    }
}

bool view_remembers_model(const view_state *viewer)
{
    const view_options *const options = viewer->options;
    return viewer->config != NULL && options->crowd == 0 && options->retarget == NULL;
}

void view_remember(view_state *viewer)
{
    view_config *const config = viewer->config;
    if (config == NULL)
        return;
    remember_options(viewer);
    if (view_remembers_model(viewer)) {
        config->has_camera = true;
        config->camera = viewer->camera;
    }
    (void)view_write_config(config, &viewer->log);
}

void view_restore_camera(view_state *viewer, const view_camera *camera)
{
    const view_options *const options = viewer->options;
    if (options->azimuth_given || options->elevation_given || options->distance_given
        || options->orthographic_given)
        return;
    const float radius = viewer->camera.scene_radius;
    viewer->camera = *camera;
    viewer->camera.scene_radius = radius;
}

// -- Starting -------------------------------------------------------------------------------

// Opens what was shown the last time, as it was seen then: a file, or NULL, our own model. If the
// file has gone bad meanwhile, our own model is shown instead, and in the window what is wrong with
// the other.
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

// What the command line names decides: the model of the last time, with its camera, is taken only
// if nothing on the command line says what to show.
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
        view_error(&viewer->log, "%s: a folder is listed in a window; name a file",
                   options->folders[0]);
        return false;
    }
    const bool opened = takes_remembered(viewer)
                            ? open_remembered(viewer)
                            : view_open(viewer, options->files, options->num_files, true);
    // As if it were dropped: of several, the last one is listed.
    for (size_t i = 0; i < options->num_folders && opened; i++)
        view_browse_folder(viewer, options->folders[i]);
    return opened;
}
