// The state graph of a machine: its nodes, what it highlights, and where a click on it leads.
#include "test/viewer/test_view_shot.h"

#include "demo/viewer/app/requests.h"

#include <string.h>

#define MACHINE "models/bobbin/bobbin.md5machine --panel --graph"

enum { WIDTH = 1280, HEIGHT = 900 };

static view_facts draw(view_state *state)
{
    const view_facts facts = view_facts_of(state, WIDTH, HEIGHT);
    view_clear_canvas(&state->canvas);
    view_draw_ui(&state->ui, &facts);
    return facts;
}

static const md5_layer_desc *layer_of(const view_state *state, uint32_t layer)
{
    return &state->document->scene.machine.desc->layers[layer];
}

// The node of a state in the first layer.
static const view_state_hit *node_of(const view_state *state, const char *name)
{
    const view_layout *const layout = &state->ui.layout;
    for (uint32_t i = 0; i < layout->num_states; i++)
        if (layout->states[i].layer == 0
            && strcmp(layer_of(state, 0)->states[layout->states[i].state].name, name) == 0)
            return &layout->states[i];
    return NULL;
}

// Whether a vertex in the colour of active states lies within a node.
static bool is_lit(const view_state *state, const view_state_hit *node)
{
    static const uint8_t color[4] = {0x33, 0x50, 0x7F, 0xFF};
    for (uint32_t i = 0; i < state->canvas.count; i++) {
        const md5gl_panel_vertex *const vertex = &state->canvas.vertices[i];
        if (memcmp(vertex->rgba, color, sizeof color) == 0
            && view_contains(node->rect, vertex->x, vertex->y))
            return true;
    }
    return false;
}

static view_request press_node(view_state *state, const view_facts *facts,
                               const view_state_hit *node)
{
    return view_press_ui(&state->ui, facts, node->rect.x + 0.5f * node->rect.width,
                         node->rect.y + 0.5f * node->rect.height);
}

static bool are_apart(view_rect a, view_rect b)
{
    return a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y
           || b.y + b.height <= a.y;
}

TEST (view_graph_has_a_node_for_each_state) {
    gl_scene scene;
    shot_viewer viewer;
    if (!scene_share(&scene))
        return;
    if (shot_open(&viewer, &scene, MACHINE)) {
        view_state *const state = &viewer.state;
        (void)draw(state);
        const view_layout *const layout = &state->ui.layout;
        const view_rect box = layout->graph;
        uint32_t expected = 0; // a layer of one state has no graph
        for (uint32_t i = 0; i < state->document->scene.machine.desc->num_layers; i++) {
            const uint32_t num_states = layer_of(state, i)->num_states;
            expected += num_states > 1 ? num_states : 0;
        }
        CHECK_UINT(layout->num_states, expected);
        for (uint32_t i = 0; i < layout->num_states; i++) {
            const view_rect node = layout->states[i].rect;
            CHECK(view_contains(box, node.x, node.y)
                  && view_contains(box, node.x + node.width, node.y + node.height));
            for (uint32_t j = 0; j < i; j++)
                CHECK(are_apart(node, layout->states[j].rect));
        }
        // The model is shown above it.
        const view_facts facts = view_facts_of(state, WIDTH, HEIGHT);
        const view_rect region = view_free_region(&facts);
        CHECK(region.y + region.height <= box.y + 1.0f);
        state->shown.graph = false;
        (void)draw(state);
        CHECK_UINT(layout->num_states, 0);
    }
    shot_close(&viewer);
    scene_close(&scene);
}

TEST (view_graph_goes_to_the_state_that_is_clicked_on) {
    gl_scene scene;
    shot_viewer viewer;
    if (!scene_share(&scene))
        return;
    if (shot_open(&viewer, &scene, MACHINE)) {
        view_state *const state = &viewer.state;
        view_machine *const machine = &state->document->scene.machine;
        view_pose(&state->document->scene, &state->play);
        view_facts facts = draw(state);
        const view_state_hit *const idle = node_of(state, "idle"), *const dance =
                                                                       node_of(state, "dance");
        if (CHECK(idle != NULL && dance != NULL)) {
            CHECK(is_lit(state, idle) && !is_lit(state, dance));
            view_request request = press_node(state, &facts, dance);
            CHECK_UINT(request.kind, VIEW_REQUEST_STATE);
            CHECK_UINT(request.number, 0);
            CHECK_UINT(request.state, dance->state);
            // Paused: immediately.
            state->play.playing = false;
            machine->acts = true;
            CHECK(view_carry_out(state, request));
            CHECK(!machine->acts); // the user has taken over
            CHECK_UINT(md5_player_layer(machine->player, 0).state, dance->state);
            CHECK(md5_player_layer(machine->player, 0).from < 0);
            facts = draw(state);
            CHECK(is_lit(state, node_of(state, "dance")) && !is_lit(state, node_of(state, "idle")));
            // Playing: with a transition.
            state->play.playing = true;
            CHECK(view_carry_out(state, press_node(state, &facts, node_of(state, "idle"))));
            view_run_machine(machine, machine->time + 0.1);
            const md5_layer_status status = md5_player_layer(machine->player, 0);
            CHECK_UINT(status.state, idle->state);
            CHECK(status.from == (int32_t)dance->state);
            // A click beside the nodes, then a state that does not exist.
            const view_rect box = state->ui.layout.graph;
            request = view_press_ui(&state->ui, &facts, box.x + 2.0f, box.y + 2.0f);
            CHECK_UINT(request.kind, VIEW_REQUEST_DONE);
            CHECK(view_carry_out(state, (view_request){.kind = VIEW_REQUEST_STATE, .number = 99}));
            CHECK_UINT(md5_player_layer(machine->player, 0).state, idle->state);
        }
    }
    shot_close(&viewer);
    scene_close(&scene);
}
