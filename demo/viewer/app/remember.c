#include "demo/viewer/app/remember.h"

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
    viewer->surface = o->surface;
    viewer->onion = o->onion;
    viewer->lights = o->lights;
    viewer->document->scene.root = o->root;
    viewer->document->scene.dual = o->dual;
    if (o->up_is_y)
        viewer->document->scene.turn = view_turn_y_up();
    viewer->play.wrap = o->wrap;
}

// The size in the system's points, which SDL expects when it creates a window.
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
    options->lights = viewer->lights;
    options->root = viewer->document->scene.root;
    options->dual = viewer->document->scene.dual;
    options->wrap = viewer->play.wrap;
    if (viewer->text_scale != 1.0f) // chosen by keys
        options->ui_scale = fmaxf(0.5f, fminf(viewer->font.scale, 8.0f));
    describe_size(viewer, options);
}

// -- Configuration --------------------------------------------------------------------------

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

static void note_state(const view_state *viewer)
{
    view_config *const config = viewer->config;
    remember_options(viewer);
    if (view_remembers_model(viewer)) {
        config->has_camera = true;
        config->camera = viewer->camera;
    }
}

void view_remember(view_state *viewer)
{
    if (viewer->config == NULL)
        return;
    note_state(viewer);
    (void)view_write_config(viewer->config, &viewer->log);
}

void view_remember_soon(view_state *viewer)
{
    const double interval = 1.0;
    view_config *const config = viewer->config;
    if (config == NULL || viewer->now < viewer->noted + interval)
        return;
    const bool was_changed = config->is_changed || view_has_new_choices(&config->chosen);
    viewer->noted = viewer->now;
    config->is_changed = false;
    note_state(viewer);
    if (!was_changed || config->is_changed)
        config->is_changed |= was_changed;
    else if (!view_write_config(config, &viewer->log))
        viewer->noted = INFINITY; // reported once; view_remember() tries again
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
    view_snap(viewer);
}
