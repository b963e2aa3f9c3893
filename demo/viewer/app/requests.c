#include "demo/viewer/app/requests.h"

#include "demo/viewer/app/actions.h"
#include "demo/viewer/app/drive.h"
#include "demo/viewer/app/game.h"
#include "demo/viewer/app/open.h"
#include "demo/viewer/app/places.h"
#include "demo/viewer/app/tell.h"
#include "demo/viewer/ui/game_list.h"

#include <stdlib.h>

// While it is paused the state is shown at once, at its beginning.
static void go_to_state(view_state *viewer, const view_request *request)
{
    const float duration = 0.25f;
    view_machine *const machine = &viewer->document->scene.machine;
    const uint32_t layer = (uint32_t)request->number, state = (uint32_t)request->state;
    if (machine->player == NULL)
        return;
    view_take_over(machine);
    const bool goes = viewer->play.playing ? md5_player_fade_to(
                          machine->player, layer, state, duration, MD5_FADE_CROSS, MD5_EASE_SMOOTH)
                                           : md5_player_seek(machine->player, layer, state, 0.0);
    if (goes) // a machine that was read again may have other states
        view_notice(viewer, "%s: %s", machine->desc->layers[layer].name,
                    machine->desc->layers[layer].states[state].name);
}

static void show_clip(view_state *viewer, size_t clip)
{
    if (clip < viewer->document->scene.num_clips) // a file that changed may have fewer
        view_change_clip(viewer, clip);
}

static void carry_out_of_game(view_state *viewer, const view_request *request)
{
    view_scene *const scene = &viewer->document->scene;
    switch (request->kind) {
    case VIEW_REQUEST_GAME:
        view_browse_game(viewer, request->path);
        break;
    case VIEW_REQUEST_SECTION:
        view_show_section(viewer, request->number);
        break;
    case VIEW_REQUEST_NAMED:
        view_show_named(viewer, request->number, request->path);
        break;
    case VIEW_REQUEST_FOCUS:
        view_show_channel(viewer, request->channel);
        break;
    case VIEW_REQUEST_CHANNEL:
        view_list_channel(&viewer->ui.browser, scene, (md5_channel)request->channel);
        break;
    case VIEW_REQUEST_PLAY_IN:
        view_play_in(viewer, request->channel, request->number);
        break;
    default: // the interface has done it alone
        break;
    }
}

bool view_carry_out(view_state *viewer, view_request request)
{
    const view_scene *const scene = &viewer->document->scene;
    switch (request.kind) {
    case VIEW_REQUEST_BROWSE:
        view_browse_folder(&viewer->ui.browser, request.path, viewer->config);
        break;
    case VIEW_REQUEST_OPEN:
        view_drop(viewer, request.path);
        break;
    case VIEW_REQUEST_CLIP:
        show_clip(viewer, request.number);
        break;
    case VIEW_REQUEST_PERFORM:
        view_perform(viewer, request.action);
        break;
    case VIEW_REQUEST_MESH:
        view_toggle_mesh(viewer, (uint32_t)request.number);
        break;
    case VIEW_REQUEST_TEXTURES:
        view_list_textures(&viewer->ui.browser, scene, (uint32_t)request.number);
        break;
    case VIEW_REQUEST_TEXTURE:
        view_give_texture(viewer, (uint32_t)request.number, request.path);
        break;
    case VIEW_REQUEST_STATE:
        go_to_state(viewer, &request);
        break;
    default:
        carry_out_of_game(viewer, &request);
        break;
    }
    free(request.path);
    return request.kind != VIEW_REQUEST_PASS;
}

// The name of the request in the log; NULL if nothing is done or if the action logs itself.
static const char *name_request(view_request_kind kind)
{
    switch (kind) {
    case VIEW_REQUEST_LISTED:
        return "list";
    case VIEW_REQUEST_CLOSED:
        return "close-lists";
    case VIEW_REQUEST_MARKED:
        return "joint";
    case VIEW_REQUEST_BROWSE:
        return "enter-folder";
    case VIEW_REQUEST_GAME:
    case VIEW_REQUEST_SECTION:
        return "section";
    case VIEW_REQUEST_OPEN:
    case VIEW_REQUEST_CLIP:
    case VIEW_REQUEST_NAMED:
    case VIEW_REQUEST_PLAY_IN:
        return "choose";
    case VIEW_REQUEST_FOCUS:
    case VIEW_REQUEST_CHANNEL:
        return "channel";
    case VIEW_REQUEST_TEXTURES:
        return "textures";
    case VIEW_REQUEST_TEXTURE:
        return "texture";
    case VIEW_REQUEST_STATE:
        return "state";
    default:
        return NULL;
    }
}

bool view_answer(view_state *viewer, view_request request)
{
    const bool was_taken = view_carry_out(viewer, request);
    const char *const name = name_request(request.kind);
    if (name != NULL)
        view_tell_state(viewer, name);
    return was_taken;
}
