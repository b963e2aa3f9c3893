// From the state to what is remembered of it, and back.
#include "demo/viewer/jobs/view.h"

#include "demo/common/file.h"

#include <stdlib.h>
#include <string.h>

#include <SDL.h>

// Replaces the argument of that name.
static void set_argument(view_config *config, const char *name, char *value)
{
    char *argument = common_format("--%s=%s", name, value);
    const size_t length = strlen(name) + strlen("--=");
    free(value);
    for (size_t i = 0; i < config->num_arguments; i++)
        if (strncmp(config->arguments[i], argument, length) == 0) {
            free(config->arguments[i]);
            config->arguments[i] = argument;
            return;
        }
    config->arguments =
        common_realloc(config->arguments, config->num_arguments + 1, sizeof *config->arguments);
    config->arguments[config->num_arguments++] = argument;
}

static void remember_size(view_state *viewer)
{
    int width = 0, height = 0;
    const Uint32 full = SDL_WINDOW_FULLSCREEN_DESKTOP;
    if ((SDL_GetWindowFlags(viewer->window) & full) != 0)
        return;
    SDL_GetWindowSize(viewer->window, &width, &height);
    // Smaller than that one would not find it again.
    width = width > 320 ? width : 320;
    height = height > 200 ? height : 200;
    set_argument(viewer->config, "resolution", common_format("%d,%d", width, height));
}

void view_remember(view_state *viewer)
{
    const view_shown *const s = &viewer->shown;
    const struct {
        const char *name;
        bool on;
    } switches[] = {
        {"grid", s->grid},
        {"axis", s->axes},
        {"edges", s->edges},
        {"armature", s->skeleton},
        {"normal-glyphs", s->normals},
        {"bounds", s->bounds},
        {"untextured", s->untextured},
        {"checkerboard", s->checker},
        {"no-maps", !s->maps},
        {"two-sided", s->two_sided},
        {"no-shadow", !s->shadows},
        {"panel", s->panel},
        {"statistics", s->statistics},
        {"frame-time", s->frame_time},
        {"hierarchy", s->hierarchy},
        {"lamps", s->lamps},
    };
    view_config *const config = viewer->config;
    if (config == NULL)
        return;
    remember_size(viewer);
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++)
        set_argument(config, switches[i].name, common_copy(switches[i].on ? "yes" : "no"));
    set_argument(config, "light", common_copy(s->classic ? "classic" : "studio"));
    set_argument(config, "skinning", common_copy(viewer->document->scene.dual ? "dual" : "linear"));
    char lamps[128];
    view_write_lamps(&viewer->lamps, lamps, sizeof lamps);
    set_argument(config, "lamp", common_copy(lamps));
    config->has_camera = config->model != NULL;
    config->camera = viewer->camera;
    (void)view_write_config(config, &viewer->log);
}

void view_restore_camera(view_state *viewer, const view_camera *camera)
{
    const view_options *const options = viewer->options;
    if (options->azimuth_given || options->elevation_given || options->distance_given
        || options->orthographic)
        return;
    const float radius = viewer->camera.scene_radius;
    viewer->camera = *camera;
    viewer->camera.scene_radius = radius;
}
