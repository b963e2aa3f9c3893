#include "demo/viewer/app/game.h"

#include "demo/common/file.h"
#include "demo/viewer/app/open.h"
#include "demo/viewer/app/places.h"
#include "demo/viewer/app/tell.h"
#include "demo/viewer/motion/entity.h"
#include "demo/viewer/assets/library.h"
#include "demo/viewer/motion/scene.h"

#include <stdlib.h>
#include <string.h>

char *view_place_of_options(const view_options *options)
{
    char *place =
        options->num_bases > 0 ? common_copy(options->game) : view_with_base(options->game);
    for (size_t i = 0; i < options->num_bases; i++) {
        char *const longer = view_put_behind(place, options->bases[i]);
        free(place);
        place = longer;
    }
    return place;
}

bool view_open_game_name(view_state *viewer)
{
    md5_error error;
    const view_options *const options = viewer->options;
    char *const place = view_place_of_options(options);
    viewer->library = view_open_library(place, NULL, NULL, &error);
    free(place);
    if (viewer->library == NULL) {
        view_log_error(&viewer->log, &error);
        return false;
    }
    char *const address = view_make_address(viewer->library->place, options->files[0], NULL);
    const char *const files[1] = {address};
    const bool is_open = view_open(viewer, files, 1, true);
    free(address);
    return is_open;
}

// -- Showing --------------------------------------------------------------------------------

static void open_name(view_state *viewer, const char *name, const char *skin)
{
    char *const address = view_make_address(viewer->library->place, name, skin);
    const char *const files[1] = {address};
    if (!view_open(viewer, files, 1, false))
        view_notice(viewer, "%s cannot be opened", common_base(name));
    free(address);
}

static void show_clip(view_state *viewer, const char *name)
{
    view_scene *const scene = &viewer->document->scene;
    if (scene->library != viewer->library || scene->model == NULL)
        open_name(viewer, name, NULL);
    else if (view_add_game_clip(scene, name, &viewer->log))
        view_change_clip(viewer, scene->clip);
    else
        view_notice(viewer, "%s does not fit", common_base(name));
}

// The shown entity in another skin.
static void show_skin(view_state *viewer, const char *skin)
{
    char *const name = view_shown_name(viewer);
    if (name != NULL && view_own_parms(&viewer->document->scene) != NULL)
        open_name(viewer, name, skin);
    else
        view_notice(viewer, "Choose an entity or a model first: a skin is put on it");
    free(name);
}

void view_show_named(view_state *viewer, size_t section, const char *name)
{
    if (viewer->library == NULL)
        return;
    if (section == VIEW_ANIMS)
        show_clip(viewer, name);
    else if (section == VIEW_SKINS)
        show_skin(viewer, name);
    else
        open_name(viewer, name, NULL);
}

void view_play_in(view_state *viewer, uint32_t channel, size_t clip)
{
    if (view_play_in_channel(&viewer->document->scene, channel, clip, &viewer->play))
        view_measure(viewer);
    else
        view_notice(viewer, "It cannot be played in this channel");
}

void view_show_neighbour(view_state *viewer, int step)
{
    char *const name = view_shown_name(viewer);
    const view_library *const library = viewer->library;
    const view_section section = viewer->section < VIEW_SKINS ? viewer->section : VIEW_ENTITIES;
    const size_t count = library != NULL ? library->num_names[section] : 0;
    size_t place = 0;
    while (name != NULL && place < count && strcmp(library->names[section][place], name) != 0)
        place++;
    if (count == 0 || name == NULL)
        view_notice(viewer, "Nothing else in this list");
    else
        open_name(viewer, library->names[section][(place + (step > 0 ? 1 : count - 1)) % count],
                  NULL);
    free(name);
}
