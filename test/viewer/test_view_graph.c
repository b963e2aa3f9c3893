// The layout of state graphs: what has to hold of every machine, whatever it looks like; and what
// the panel does with it.
#include "test/own.h"
#include "test/viewer/test_view_case.h"
#include "test/viewer/test_view_shot.h"

// Letters of one width.
static float measure(const void *user, const char *text)
{
    (void)user;
    return 0.55f * (float)strlen(text);
}

static bool overlap(view_rect a, view_rect b)
{
    const float room = 1e-3f;
    return a.x + room < b.x + b.width && b.x + room < a.x + a.width && a.y + room < b.y + b.height
           && b.y + room < a.y + a.height;
}

static bool is_within(const view_graph *graph, view_rect rect)
{
    return rect.x > -1e-3f && rect.y > -1e-3f && rect.x + rect.width < graph->width + 1e-3f
           && rect.y + rect.height < graph->height + 1e-3f;
}

// Whether a state's name and its signs fit into its node.
static bool fits(const view_graph_node *node)
{
    return node->rect.width >= measure(NULL, node->name) + (node->loops ? 1.5f : 0.0f) + 1.0f;
}

// How many lines pass through a node that they do not belong to.
static uint32_t count_through(const view_graph *graph)
{
    uint32_t count = 0;
    EACH_IN (edge, graph, edges) {
        const view_graph_point *const points = graph->points + edge->first_point;
        for (uint32_t k = 0; k + 1 < edge->num_points; k++) {
            const float left = fminf(points[k].x, points[k + 1].x),
                        top = fminf(points[k].y, points[k + 1].y);
            const view_rect line = {left - 0.02f, top - 0.02f,
                                    fabsf(points[k].x - points[k + 1].x) + 0.04f,
                                    fabsf(points[k].y - points[k + 1].y) + 0.04f};
            FOR (j, graph->num_nodes)
                count +=
                    j != edge->ends[0] && j != edge->ends[1] && overlap(line, graph->nodes[j].rect);
        }
    }
    return count;
}

static uint32_t count_overlaps(const view_graph *graph)
{
    uint32_t count = 0;
    FOR (i, graph->num_nodes)
        FOR (k, graph->num_nodes) {
            const view_rect mark = graph->nodes[k].mark;
            count += i != k && overlap(graph->nodes[i].rect, graph->nodes[k].rect);
            count += i != k && mark.width > 0.0f && overlap(graph->nodes[i].rect, mark);
        }
    return count;
}

// Whether each line begins and ends at its nodes, or at the box or mark that stands for one.
static bool are_joined(const view_graph *graph)
{
    EACH_IN (edge, graph, edges) {
        if (edge->kind != VIEW_EDGE_LINE && edge->kind != VIEW_EDGE_HUB)
            continue;
        FOR (end, 2u) {
            const view_rect rect = graph->nodes[edge->ends[end]].rect;
            const uint32_t at = edge->first_point + (end == 0 ? 0 : edge->num_points - 1);
            const view_rect spot = {graph->points[at].x - 0.01f, graph->points[at].y - 0.01f, 0.02f,
                                    0.02f};
            if (edge->num_points < 2 || !overlap(spot, rect))
                return false;
        }
    }
    return true;
}

// Whether each transition belongs to one edge, between its states.
static bool has_all_ways(const view_graph *graph, const md5_layer_desc *layer)
{
    OWN uint8_t *const seen = common_alloc((size_t)layer->num_transitions + 1, 1);
    uint32_t count = 0;
    EACH_IN (edge, graph, edges) {
        for (uint32_t k = 0; k < edge->num_ways[0] + edge->num_ways[1]; k++, count++) {
            const md5_transition_desc *const way =
                &layer->transitions[graph->ways[edge->first_way + k]];
            const bool is_back = k >= edge->num_ways[0];
            const char *const from = graph->nodes[edge->ends[is_back ? 1 : 0]].name,
                              *const to = graph->nodes[edge->ends[is_back ? 0 : 1]].name;
            if (seen[graph->ways[edge->first_way + k]]++ != 0 || strcmp(way->to, to) != 0
                || strcmp(way->from != NULL ? way->from : "any state", from) != 0)
                return false;
        }
    }
    return count == layer->num_transitions;
}

static void check_layer(const md5_layer_desc *layer)
{
    view_graph *const graph = view_lay_out_graph(layer, measure, NULL);
    CHECK_UINT(graph->num_states, layer->num_states);
    EACH_IN (node, graph, nodes)
        CHECK(is_within(graph, node->rect) && fits(node));
    EACH_IN (point, graph, points)
        CHECK(is_within(graph, (view_rect){point->x, point->y, 0, 0}));
    CHECK_UINT(count_overlaps(graph), 0);
    CHECK_UINT(count_through(graph), 0);
    CHECK(are_joined(graph));
    CHECK(has_all_ways(graph, layer));
    view_free_graph(graph);
}

TEST (view_graph_of_each_machine_is_drawn_whole) {
    STRINGS(names) = {"bobbin/bobbin",          "bobbin/page_additive", "bobbin/page_crossfade",
                      "bobbin/page_directions", "bobbin/page_in_step",  "bobbin/page_sync",
                      "thimble/thimble",        "thimble/visitor",      "tendril/tendril"};
    EACH (row, names) {
        OWN_STRING path = common_format("models/%s.md5machine", *row);
        md5_machine_file *const file = md5_load_machine_file(test_path(path), NULL, NULL);
        for (uint32_t k = 0; CHECK(file) && k < file->desc.num_layers; k++)
            check_layer(&file->desc.layers[k]);
        md5_free_machine_file(file);
    }
}

static const view_graph_node *find_node(const view_graph *graph, const char *name)
{
    EACH_IN (node, graph, nodes)
        if (strcmp(node->name, name) == 0)
            return node;
    CHECK(!name); // there is none
    return &graph->nodes[0];
}

static const view_graph_edge *find_edge(const view_graph *graph, const char *from, const char *to)
{
    EACH_IN (edge, graph, edges) {
        const char *const first = graph->nodes[edge->ends[0]].name, *const second =
                                                                        graph->nodes[edge->ends[1]]
                                                                            .name;
        if ((strcmp(first, from) == 0 && strcmp(second, to) == 0)
            || (strcmp(first, to) == 0 && strcmp(second, from) == 0))
            return edge;
    }
    CHECK(!from); // there is none
    return &graph->edges[0];
}

// As the picture of the design has it.
TEST (view_graph_of_a_character_has_a_hub_with_columns_beside_it) {
    static const char text[] =
        "machine m { layer body { state idle nothing state start nothing state walk_left nothing "
        "state walk_right nothing state stop_left nothing state stop_right nothing "
        "state back_start nothing state back nothing state back_stop nothing "
        "state turn_left nothing state turn_right nothing state strafe_left nothing "
        "state leap nothing state bow nothing state wave nothing state yawn nothing "
        "state sit nothing state doze nothing state startle nothing "
        "transition idle start transition start walk_left transition walk_left walk_right "
        "transition walk_right walk_left transition walk_left stop_right "
        "transition walk_right stop_left transition stop_left idle transition stop_right idle "
        "transition idle back_start transition back_start back transition back back "
        "transition back back_stop transition back_stop idle "
        "transition idle turn_left transition turn_left start transition turn_left idle "
        "transition idle turn_right transition turn_right start transition turn_right idle "
        "transition idle strafe_left transition strafe_left idle "
        "transition idle leap transition leap idle transition idle bow transition bow idle "
        "transition idle wave transition wave start transition wave back_start "
        "transition wave turn_left transition wave turn_right transition wave idle "
        "transition idle yawn transition yawn sit transition yawn idle transition sit doze "
        "transition doze startle { when speed > 2 } transition doze startle { when click } "
        "transition startle idle } }";
    md5_error error = {0};
    md5_machine_file *const file = md5_parse_machine_file(text, sizeof text - 1, NULL, &error);
    if (!CHECK_STRING(error.message, ""))
        return;
    view_graph *const graph = view_lay_out_graph(&file->desc.layers[0], measure, NULL);
    CHECK_STRING(graph->nodes[graph->hub].name, "idle");
    CHECK_NEAR(graph->nodes[graph->hub].rect.height, graph->height, 1e-3);
    STRINGS(boxed) = {"leap", "wave", "strafe_left"};
    EACH (each, boxed)
        CHECK(find_node(graph, *each)->place == VIEW_NODE_BOXED);
    CHECK_UINT(find_node(graph, "wave")->num_more, 4);
    CHECK(find_node(graph, "yawn")->place == VIEW_NODE_COLUMN);
    CHECK(find_node(graph, "back")->loops);
    STRINGS(chain) = {"idle", "yawn", "sit", "doze", "startle"};
    FOR_FROM (i, 1, sizeof chain / sizeof chain[0])
        CHECK(find_node(graph, chain[i - 1])->rect.x < find_node(graph, chain[i])->rect.x);
    FOR_FROM (i, 2, sizeof chain / sizeof chain[0]) // in one row
        CHECK_NEAR(find_node(graph, chain[i - 1])->rect.y, find_node(graph, chain[i])->rect.y,
                   1e-3);
    CHECK_NEAR(find_node(graph, "walk_left")->rect.x, find_node(graph, "walk_right")->rect.x, 1e-3);
    const view_graph_edge *const edge = find_edge(graph, "doze", "startle");
    CHECK_UINT(edge->num_ways[0] + edge->num_ways[1], 2);
    CHECK(find_edge(graph, "startle", "idle")->kind == VIEW_EDGE_STUB);
    CHECK(find_edge(graph, "idle", "bow")->kind == VIEW_EDGE_BOXED);
    CHECK(find_edge(graph, "wave", "turn_left")->kind == VIEW_EDGE_MORE);
    CHECK(find_edge(graph, "back", "back")->kind == VIEW_EDGE_LOOP);
    view_free_graph(graph);
    md5_free_machine_file(file);
}

// Checks a layer of states "s0"... in a chain or with random transitions.
static void check_made(uint32_t num_states, uint32_t num_ways, bool is_chain)
{
    enum { MAX_STATES = 1000 };
    static char names[MAX_STATES][16];
    static md5_state_desc states[MAX_STATES];
    static md5_transition_desc ways[MAX_STATES];
    uint64_t random = 1;
    FOR (i, num_states) {
        snprintf(names[i], sizeof names[i], "s%u", i);
        states[i].name = names[i];
    }
    FOR (i, num_ways) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const uint32_t from = is_chain ? i : (uint32_t)(random >> 33) % num_states,
                       to = is_chain ? i + 1 : (uint32_t)(random >> 48) % num_states;
        ways[i] = (md5_transition_desc){.from = i % 50 == 7 && !is_chain ? NULL : names[from],
                                        .to = names[to]};
    }
    check_layer(&(md5_layer_desc){.states = states,
                                  .num_states = num_states,
                                  .transitions = ways,
                                  .num_transitions = num_ways});
}

TEST (view_graph_of_a_machine_of_any_size_is_drawn_whole) {
    check_made(200, 1000, false);
    check_made(1000, 999, true);
    check_made(2, 0, false);
}

// Presses a key, and draws; returns whether the focus is at a state of the body then.
static bool press_key(view_state *state, int32_t key, const char *name, view_command *command)
{
    const view_stage facts = item_draw(state, 1280.0f, 900.0f);
    *command = view_run_ui(&state->ui, &facts, &(ui_mouse){.x = 1, .y = 1, .key = key});
    const view_rect rect = item_find(state, &facts, name), focus = state->ui.focus_rect;
    return fabsf(rect.x - focus.x) < 0.5f && fabsf(rect.y - focus.y) < 0.5f;
}

TEST_SHOT (view_graph_focus_goes_to_the_nearest_state,
           "models/bobbin/bobbin.md5machine --panel --graph") {
    view_state *const state = &viewer->state;
    view_command command;
    const view_stage facts = item_draw(state, 1280.0f, 900.0f);
    item_press(state, &facts, "state/layer story", 0.5f, 0.5f);
    for (int i = 0; i < 300 && !press_key(state, VIEW_KEY_TAB, "state/story/sit", &command);)
        i++;
    CHECK(press_key(state, VIEW_KEY_RIGHT, "state/story/doze", &command));
    CHECK(press_key(state, VIEW_KEY_LEFT, "state/story/sit", &command));
    CHECK(press_key(state, VIEW_KEY_RETURN, "state/story/sit", &command));
    CHECK_UINT(command.action, VIEW_GO_TO_STATE);
    const view_machine *const machine = &state->document->scene.machine;
    CHECK_STRING(machine->desc->layers[2].states[command.item].name, "sit");
    // Where names are too small to be read, those of the hub and of what plays are left.
    item_press(state, &facts, "state/layer body", 0.5f, 0.5f);
    state->ui.graph.zoom = 0.55f;
    item_draw(state, 1280.0f, 900.0f);
    const size_t before = state->canvas.count;
    const uint32_t walk = md5_find_state(machine->character->machine, 0, "walk");
    CHECK(md5_player_seek(machine->player, 0, walk, 0.0));
    item_draw(state, 1280.0f, 900.0f);
    CHECK(state->canvas.count > before);
}
