// The state graph of a machine: its nodes, what it highlights, and where a click on it leads.
#include "test/viewer/test_view_item.h"
#include "test/viewer/test_view_shot.h"

#include "demo/common/memory.h"
#include "demo/viewer/app/window.h"

#include <stdlib.h>
#include <string.h>

#define MACHINE "models/bobbin/bobbin.md5machine --panel --graph"

enum { WIDTH = 1280, HEIGHT = 900 };

static view_stage draw(view_state *state)
{
    return item_draw(state, WIDTH, HEIGHT);
}

static const md5_layer_desc *layer_of(const view_state *state, uint32_t layer)
{
    return &state->document->scene.machine.desc->layers[layer];
}

// The node of a state.
static view_rect node_of(view_state *state, const char *layer, const char *name)
{
    const view_stage facts = view_stage_of(state, WIDTH, HEIGHT);
    char *const item = common_format("state/%s/%s", layer, name);
    const view_rect rect = item_find(state, &facts, item);
    free(item);
    return rect;
}

// Whether a vertex in the colour of active states lies within a node.
static bool is_lit(view_state *state, const char *name)
{
    static const uint8_t color[4] = {0x33, 0x50, 0x7F, 0xFF};
    const view_rect node = node_of(state, layer_of(state, 0)->name, name);
    for (uint32_t i = 0; i < state->canvas.count; i++) {
        const md5gl_panel_vertex *const vertex = &state->canvas.vertices[i];
        if (memcmp(vertex->rgba, color, sizeof color) == 0
            && view_contains(node, vertex->x, vertex->y))
            return true;
    }
    return false;
}

static view_command press_node(view_state *state, const view_stage *facts, const char *name)
{
    char *const item = common_format("state/%s/%s", layer_of(state, 0)->name, name);
    const view_command request = item_press(state, facts, item, 0.5f, 0.5f);
    free(item);
    return request;
}

static bool are_apart(view_rect a, view_rect b)
{
    return a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y
           || b.y + b.height <= a.y;
}

TEST_SCENE (view_graph_has_a_node_for_each_state) {
    shot_viewer viewer;
    if (shot_open(&viewer, scene, MACHINE)) {
        view_state *const state = &viewer.state;
        const view_stage before = draw(state);
        const view_rect box = view_graph_box(&before);
        view_rect nodes[128];
        uint32_t count = 0;
        for (uint32_t i = 0; i < state->document->scene.machine.desc->num_layers; i++) {
            const md5_layer_desc *const layer = layer_of(state, i);
            for (uint32_t j = 0; j < layer->num_states && layer->num_states > 1; j++) {
                const view_rect node = nodes[count] =
                    node_of(state, layer->name, layer->states[j].name);
                CHECK(node.width > 0.0f && view_contains(box, node.x, node.y)
                      && view_contains(box, node.x + node.width, node.y + node.height));
                for (uint32_t k = 0; k < count; k++)
                    CHECK(are_apart(node, nodes[k]));
                if (!CHECK(++count < 128))
                    break;
            }
        }
        CHECK(count > 4);
        // The model is shown above it.
        const view_stage facts = view_stage_of(state, WIDTH, HEIGHT);
        const view_rect region = view_free_region(&facts);
        CHECK(region.y + region.height <= box.y + 1.0f);
        state->shown.graph = false;
        CHECK(node_of(state, layer_of(state, 0)->name, "idle").width == 0.0f);
    }
    shot_close(&viewer);
}

TEST_SCENE (view_graph_goes_to_the_state_that_is_clicked_on) {
    shot_viewer viewer;
    if (shot_open(&viewer, scene, MACHINE)) {
        view_state *const state = &viewer.state;
        view_machine *const machine = &state->document->scene.machine;
        view_pose(&state->document->scene, &state->play);
        view_stage facts = draw(state);
        CHECK(is_lit(state, "idle") && !is_lit(state, "dance"));
        view_command request = press_node(state, &facts, "dance");
        CHECK_UINT(request.action, VIEW_GO_TO_STATE);
        CHECK_UINT(request.number, 0);
        const uint32_t dance = (uint32_t)request.item;
        CHECK_STRING(layer_of(state, 0)->states[dance].name, "dance");
        // Paused: immediately.
        state->play.playing = false;
        machine->acts = true;
        CHECK(view_perform(state, request));
        CHECK(!machine->acts); // the user has taken over
        CHECK_UINT(md5_player_layer(machine->player, 0).state, dance);
        CHECK(md5_player_layer(machine->player, 0).from == MD5_NONE);
        facts = draw(state);
        CHECK(is_lit(state, "dance") && !is_lit(state, "idle"));
        // Playing: with a transition.
        state->play.playing = true;
        request = press_node(state, &facts, "idle");
        const uint32_t idle = (uint32_t)request.item;
        CHECK(view_perform(state, request));
        view_run_machine(machine, machine->time + 0.1);
        const md5_layer_status status = md5_player_layer(machine->player, 0);
        CHECK_UINT(status.state, idle);
        CHECK(status.from == dance);
        // A click beside the nodes, then a state that does not exist.
        const view_rect box = view_graph_box(&facts);
        request = view_press_ui(&state->ui, &facts, box.x + 2.0f, box.y + 2.0f);
        CHECK_UINT(request.action, VIEW_TAKEN);
        CHECK(view_perform(state, (view_command){.action = VIEW_GO_TO_STATE, .number = 99}));
        CHECK_UINT(md5_player_layer(machine->player, 0).state, idle);
    }
    shot_close(&viewer);
}
