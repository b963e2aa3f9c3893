#include "demo/viewer/app/remember.h"

#include "demo/viewer/base/option_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <SDL.h>

// -- State and options ----------------------------------------------------------------------

// The switches that are the same in both. What one direction takes, the other gives back.
static const struct view_switch {
    size_t option, shown;
    bool is_opposite; // "no-maps" is on when maps are off
} switches[] = {
#define SAME(field, of_shown)                                                \
    {                                                                        \
        offsetof(view_options, field), offsetof(view_shown, of_shown), false \
    }
#define OPPOSITE(field, of_shown)                                           \
    {                                                                       \
        offsetof(view_options, field), offsetof(view_shown, of_shown), true \
    }
    SAME(axis, axes),
    SAME(edges, edges),
    SAME(normals, normals),
    SAME(armature, skeleton),
    SAME(bounds, bounds),
    SAME(untextured, untextured),
    SAME(checkerboard, checker),
    OPPOSITE(no_maps, maps),
    SAME(two_sided, two_sided),
    SAME(classic, classic),
    OPPOSITE(no_shadow, shadows),
    SAME(statistics, statistics),
    SAME(hierarchy, hierarchy),
    SAME(show_lamps, lamps),
    SAME(keys, help),
#undef SAME
#undef OPPOSITE
};
enum { NUM_SWITCHES = sizeof switches / sizeof switches[0] };

void view_take_switches(view_state *viewer)
{
    const view_options *const o = viewer->options;
    view_shown *const shown = &viewer->shown;
    const bool window = o->output == NULL;
    for (size_t i = 0; i < NUM_SWITCHES; i++) {
        const bool *const option = (const bool *)((const char *)o + switches[i].option);
        *(bool *)((char *)shown + switches[i].shown) = *option != switches[i].is_opposite;
    }
    shown->grid = o->grid >= 0 ? o->grid != 0 : !o->no_background;
    shown->panel = o->panel >= 0 ? o->panel != 0 : window;
    shown->frame_time = o->frame_time >= 0 ? o->frame_time != 0 : window;
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
    const view_shown *const shown = &viewer->shown;
    for (size_t i = 0; i < NUM_SWITCHES; i++) {
        const bool *const on = (const bool *)((const char *)shown + switches[i].shown);
        *(bool *)((char *)options + switches[i].option) = *on != switches[i].is_opposite;
    }
    options->grid = shown->grid;
    options->panel = shown->panel;
    options->frame_time = shown->frame_time;
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
        || options->orthographic >= 0)
        return;
    const float radius = viewer->camera.scene_radius;
    viewer->camera = *camera;
    viewer->camera.scene_radius = radius;
}
