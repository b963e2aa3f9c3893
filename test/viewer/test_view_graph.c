// State graphs: properties of the layout that are true for every machine, and the panel that shows
// it.
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"
#include "test/viewer/test_view_shot.h"

// The panel in windows of 1280 x 720 and 640 x 480 pixels, in em.
static const view_graph_area large_area = {84, 20};
static const view_graph_area small_area = {42, 15};

// Measures text in a font whose letters have equal widths.
static float measure_text(const void *user, const char *text)
{
    (void)user;
    return 0.55f * (float)strlen(text);
}

static bool overlap(view_rect a, view_rect b)
{
    const float margin = 1e-3f;
    const bool overlap_in_x = a.x + margin < b.x + b.width && b.x + margin < a.x + a.width;
    const bool overlap_in_y = a.y + margin < b.y + b.height && b.y + margin < a.y + a.height;
    return overlap_in_x && overlap_in_y;
}

static bool is_within(const view_graph *graph, view_rect rect)
{
    const float margin = 1e-3f;
    const bool is_within_x = rect.x > -margin && rect.x + rect.width < graph->width + margin;
    const bool is_within_y = rect.y > -margin && rect.y + rect.height < graph->height + margin;
    return is_within_x && is_within_y;
}

// Returns true if the name of a state and the icon of a loop fit into its node. Names longer than
// 20 em are cut.
static bool name_fits(const view_graph_node *node)
{
    const float needed = measure_text(NULL, node->name) + (node->loops ? 1.5f : 0.0f) + 1.0f;
    return node->rect.width >= fminf(needed, 20.0f);
}

static uint32_t count_overlaps(const view_graph *graph)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->num_nodes; i++) {
        for (uint32_t k = 0; k < i; k++)
            count += overlap(graph->nodes[i].rect, graph->nodes[k].rect);
    }
    return count;
}

// Returns true if the point is on the border of the rectangle.
static bool is_on_border(view_graph_point point, view_rect rect)
{
    const view_rect spot = {point.x - 0.01f, point.y - 0.01f, 0.02f, 0.02f};
    const view_rect inside = {rect.x + 0.02f, rect.y + 0.02f, rect.width - 0.04f,
                              rect.height - 0.04f};
    return overlap(spot, rect) && !overlap(spot, inside);
}

// Returns true if each line is straight and leads from node to node. Within a column, a line around
// the states in between has one bend.
static bool are_lines_straight(const view_graph *graph)
{
    for (uint32_t i = 0; i < graph->num_edges; i++) {
        const view_graph_edge *const edge = &graph->edges[i];
        const view_rect first = graph->nodes[edge->ends[0]].rect;
        const view_rect second = graph->nodes[edge->ends[1]].rect;
        const bool is_loop = edge->ends[0] == edge->ends[1];
        const bool is_bent = edge->num_points == 3;
        if (is_loop != (edge->num_points == 0))
            return false;
        if (is_loop)
            continue;
        if (!is_on_border(edge->points[0], first)
            || !is_on_border(edge->points[edge->num_points - 1], second))
            return false;
        if (is_bent && fabsf(first.x - second.x) > 1e-3f)
            return false;
    }
    return true;
}

// Returns true if each transition belongs to one edge, between its states.
static bool has_all_transitions(const view_graph *graph, const md5_layer_desc *layer)
{
    SCOPED uint8_t *const num_found = common_alloc((size_t)layer->num_transitions + 1, 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->num_edges; i++) {
        const view_graph_edge *const edge = &graph->edges[i];
        for (uint32_t k = 0; k < edge->num_transitions[0] + edge->num_transitions[1]; k++) {
            const uint32_t index = graph->transitions[edge->first_transition + k];
            const md5_transition_desc *const transition = &layer->transitions[index];
            const bool is_back = k >= edge->num_transitions[0];
            const char *const from = graph->nodes[edge->ends[is_back ? 1 : 0]].name;
            const char *const to = graph->nodes[edge->ends[is_back ? 0 : 1]].name;
            const char *const expected = transition->from != NULL ? transition->from : "any state";
            if (num_found[index]++ != 0 || strcmp(transition->to, to) != 0
                || strcmp(expected, from) != 0)
                return false;
            count++;
        }
    }
    return count == layer->num_transitions;
}

// Computes the smallest number of transitions from the first state to each state, by relaxation
// until nothing changes. MD5_NONE: the state cannot be reached.
static void find_distances(const md5_layer_desc *layer, uint32_t *distances)
{
    for (uint32_t i = 0; i < layer->num_states; i++)
        distances[i] = i == 0 ? 0 : MD5_NONE;
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (uint32_t i = 0; i < layer->num_transitions; i++) {
            const md5_transition_desc *const transition = &layer->transitions[i];
            uint32_t from = MD5_NONE;
            uint32_t to = MD5_NONE;
            for (uint32_t k = 0; k < layer->num_states; k++) {
                if (transition->from != NULL
                    && strcmp(transition->from, layer->states[k].name) == 0)
                    from = k;
                if (strcmp(transition->to, layer->states[k].name) == 0)
                    to = k;
            }
            if (from == MD5_NONE || distances[from] == MD5_NONE)
                continue;
            if (distances[to] == MD5_NONE || distances[to] > distances[from] + 1) {
                distances[to] = distances[from] + 1;
                is_changed = true;
            }
        }
    }
}

// Checks that states at a larger distance are further right, and that, in an area of unlimited
// height, all states of a distance begin at the same x.
static void check_columns(const view_graph *graph, const md5_layer_desc *layer, bool is_unlimited)
{
    SCOPED uint32_t *const distances =
        common_alloc((size_t)layer->num_states + 1, sizeof *distances);
    find_distances(layer, distances);
    for (uint32_t i = 0; i < layer->num_states; i++) {
        for (uint32_t k = 0; k < layer->num_states; k++) {
            const view_rect a = graph->nodes[i].rect;
            const view_rect b = graph->nodes[k].rect;
            if (distances[i] == MD5_NONE || distances[k] == MD5_NONE)
                continue;
            if (distances[i] < distances[k])
                CHECK(a.x + a.width < b.x);
            if (is_unlimited && distances[i] == distances[k])
                CHECK_NEAR(a.x, b.x, 1e-3);
        }
    }
}

static float scale_in(const view_graph *graph, view_graph_area area)
{
    return fminf(area.width / graph->width, area.height / graph->height);
}

static void check_layout(const md5_layer_desc *layer, view_graph_area area)
{
    view_graph *const graph = view_lay_out_graph(layer, area, measure_text, NULL);
    CHECK_UINT(graph->num_states, layer->num_states);
    for (uint32_t i = 0; i < graph->num_nodes; i++)
        CHECK(is_within(graph, graph->nodes[i].rect) && name_fits(&graph->nodes[i]));
    for (uint32_t i = 0; i < graph->num_edges; i++) {
        for (uint32_t k = 0; k < graph->edges[i].num_points; k++) {
            const view_graph_point point = graph->edges[i].points[k];
            CHECK(is_within(graph, (view_rect){point.x, point.y, 0, 0}));
        }
    }
    CHECK_UINT(count_overlaps(graph), 0);
    CHECK(are_lines_straight(graph));
    CHECK(has_all_transitions(graph, layer));
    check_columns(graph, layer, area.height > 1e6f);
    view_free_graph(graph);
}

static void check_layer(const md5_layer_desc *layer)
{
    check_layout(layer, large_area);
    check_layout(layer, small_area);
    check_layout(layer, (view_graph_area){1e7f, 1e7f});
}

TEST (view_graph_of_each_machine_is_complete) {
    STRINGS(names) = {"bobbin/bobbin",          "bobbin/page_additive", "bobbin/page_crossfade",
                      "bobbin/page_directions", "bobbin/page_in_step",  "bobbin/page_sync",
                      "thimble/thimble",        "thimble/visitor",      "tendril/tendril"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        SCOPED_STRING path = common_format("models/%s.md5machine", names[i]);
        md5_machine_file *const file = md5_load_machine_file(test_path(path), NULL, NULL);
        for (uint32_t k = 0; CHECK(file) && k < file->desc.num_layers; k++) {
            const md5_layer_desc *const layer = &file->desc.layers[k];
            check_layer(layer);
            view_graph *const large = view_lay_out_graph(layer, large_area, measure_text, NULL);
            view_graph *const small = view_lay_out_graph(layer, small_area, measure_text, NULL);
            CHECK(scale_in(large, large_area) >= 0.8f);
            // In the small area the graph must be large enough to read, or low enough that it needs
            // to be scrolled only horizontally.
            CHECK(scale_in(small, small_area) >= VIEW_GRAPH_MIN_SCALE
                  || small->height <= small_area.height);
            view_free_graph(large);
            view_free_graph(small);
        }
        md5_free_machine_file(file);
    }
}

static const view_graph_node *find_node(const view_graph *graph, const char *name)
{
    for (uint32_t i = 0; i < graph->num_nodes; i++) {
        view_graph_node *const node = &graph->nodes[i];
        if (strcmp(node->name, name) == 0)
            return node;
    }
    CHECK(!name); // the name does not exist
    return &graph->nodes[0];
}

static const view_graph_edge *find_edge(const view_graph *graph, const char *from, const char *to)
{
    for (uint32_t i = 0; i < graph->num_edges; i++) {
        view_graph_edge *const edge = &graph->edges[i];
        const char *const first = graph->nodes[edge->ends[0]].name;
        const char *const second = graph->nodes[edge->ends[1]].name;
        const bool leads_forward = strcmp(first, from) == 0 && strcmp(second, to) == 0;
        const bool leads_backward = strcmp(first, to) == 0 && strcmp(second, from) == 0;
        if (leads_forward || leads_backward)
            return edge;
    }
    CHECK(!from); // the state does not exist
    return &graph->edges[0];
}

TEST (view_graph_has_a_column_for_each_distance) {
    static const char text[] =
        "machine m { layer body { state idle nothing state walk nothing state run nothing "
        "state turn nothing state stop nothing state hit nothing state lost nothing "
        "transition idle walk transition walk run transition run stop transition stop idle "
        "transition idle turn transition turn walk transition turn turn transition walk idle "
        "transition any hit { when speed > 2 } transition any hit { when click } "
        "transition hit idle transition lost hit } }";
    md5_error error = {0};
    md5_machine_file *const file = md5_parse_machine_file(text, sizeof text - 1, NULL, &error);
    if (!CHECK_STRING(error.message, ""))
        return;
    view_graph *const graph =
        view_lay_out_graph(&file->desc.layers[0], large_area, measure_text, NULL);
    const float first = find_node(graph, "idle")->rect.x;
    const float second = find_node(graph, "walk")->rect.x;
    // "any state" is in the first column, and so is a state that cannot be reached.
    CHECK_NEAR(find_node(graph, "any state")->rect.x, first, 1e-3);
    CHECK_NEAR(find_node(graph, "lost")->rect.x, first, 1e-3);
    CHECK_NEAR(find_node(graph, "turn")->rect.x, second, 1e-3);
    CHECK_NEAR(find_node(graph, "hit")->rect.x, second, 1e-3);
    CHECK(first < second && second < find_node(graph, "run")->rect.x);
    CHECK(find_node(graph, "run")->rect.x < find_node(graph, "stop")->rect.x);
    CHECK(find_node(graph, "idle")->rect.y < find_node(graph, "any state")->rect.y);
    CHECK(find_node(graph, "turn")->loops && !find_node(graph, "walk")->loops);
    const view_graph_edge *const both = find_edge(graph, "idle", "walk");
    CHECK(both->num_transitions[0] == 1 && both->num_transitions[1] == 1);
    const view_graph_edge *const twice = find_edge(graph, "any state", "hit");
    CHECK_UINT(twice->num_transitions[0] + twice->num_transitions[1], 2);
    CHECK_UINT(find_edge(graph, "turn", "turn")->num_points, 0);
    view_free_graph(graph);
    md5_free_machine_file(file);
}

// Names are cut at a width of 20 em.
TEST (view_graph_limits_the_width_of_names) {
    char names[2][41] = {{0}};
    memset(names[0], 'x', 33); // 18.15 em, which with margins of 0.8 em is less than 20 em
    memset(names[1], 'y', 34);
    const md5_state_desc states[] = {{.name = names[0]}, {.name = names[1]}};
    const md5_layer_desc layer = {.states = states, .num_states = 2};
    view_graph *const graph = view_lay_out_graph(&layer, large_area, measure_text, NULL);
    CHECK_NEAR(graph->nodes[0].rect.width, 20, 1e-3); // the width of the wider node in the column
    CHECK_NEAR(graph->nodes[1].rect.width, 20, 1e-3);
    view_free_graph(graph);
}

// Checks a layer of states "s0"... in a chain or with random transitions.
static void check_generated_layer(uint32_t num_states, uint32_t num_transitions, bool is_chain)
{
    enum { MAX_STATES = 1000 };
    static char names[MAX_STATES][16];
    static md5_state_desc states[MAX_STATES];
    static md5_transition_desc transitions[MAX_STATES];
    uint64_t random = 1;
    for (uint32_t i = 0; i < num_states; i++) {
        snprintf(names[i], sizeof names[i], "s%u", i);
        states[i].name = names[i];
    }
    for (uint32_t i = 0; i < num_transitions; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const uint32_t from = is_chain ? i : (uint32_t)(random >> 33) % num_states;
        const uint32_t to = is_chain ? i + 1 : (uint32_t)(random >> 48) % num_states;
        transitions[i] = (md5_transition_desc){
            .from = i % 50 == 7 && !is_chain ? NULL : names[from], .to = names[to]};
    }
    check_layer(&(md5_layer_desc){.states = states,
                                  .num_states = num_states,
                                  .transitions = transitions,
                                  .num_transitions = num_transitions});
}

TEST (view_graph_of_a_machine_of_any_size_is_complete) {
    check_generated_layer(60, 150, false);
    check_generated_layer(200, 400, false);
    check_generated_layer(300, 299, true);
    check_generated_layer(2, 0, false);
    check_generated_layer(1, 0, false);
}

// One state leads to all others, which gives the highest column.
TEST (view_graph_of_sixty_states_is_readable) {
    enum { NUM_STATES = 60 };
    char names[NUM_STATES][16];
    md5_state_desc states[NUM_STATES] = {{0}};
    md5_transition_desc transitions[NUM_STATES] = {{0}};
    for (uint32_t i = 0; i < NUM_STATES; i++) {
        snprintf(names[i], sizeof names[i], "walk_start_%u", i);
        states[i].name = names[i];
        transitions[i].from = names[0];
        transitions[i].to = names[i];
    }
    const md5_layer_desc layer = {.states = states,
                                  .num_states = NUM_STATES,
                                  .transitions = transitions + 1,
                                  .num_transitions = NUM_STATES - 1};
    view_graph *const large = view_lay_out_graph(&layer, large_area, measure_text, NULL);
    view_graph *const small = view_lay_out_graph(&layer, small_area, measure_text, NULL);
    CHECK(scale_in(large, large_area) >= VIEW_GRAPH_MIN_SCALE);
    CHECK(small->height <= small_area.height); // scrolled only to the right
    view_free_graph(large);
    view_free_graph(small);
}

// Presses a key and draws. Returns true if the focus is at a state of the body afterwards.
static bool press_key(view_state *state, int32_t key, const char *name, view_command *command)
{
    const view_stage stage = item_draw(state, 1280.0f, 900.0f);
    *command =
        view_run_ui(&state->ui, &state->panels, &stage, &(ui_mouse){.x = 1, .y = 1, .key = key});
    const view_rect rect = item_find(state, &stage, name);
    const view_rect focus = state->ui.focus.rect;
    return fabsf(rect.x - focus.x) < 0.5f && fabsf(rect.y - focus.y) < 0.5f;
}

TEST_SHOT (view_graph_focus_goes_to_the_nearest_state,
           "models/bobbin/bobbin.md5machine --panel --graph") {
    view_state *const state = &viewer->state;
    view_command command;
    const view_stage stage = item_draw(state, 1280.0f, 900.0f);
    item_press(state, &stage, "state/layer story", 0.5f, 0.5f);
    for (int i = 0; i < 300 && !press_key(state, VIEW_KEY_TAB, "state/story/sit", &command);)
        i++;
    CHECK(press_key(state, VIEW_KEY_RIGHT, "state/story/doze", &command));
    CHECK(press_key(state, VIEW_KEY_LEFT, "state/story/sit", &command));
    CHECK(press_key(state, VIEW_KEY_RETURN, "state/story/sit", &command));
    CHECK_UINT(command.action, VIEW_GO_TO_STATE);
    const view_machine *const machine = &state->document->scene.machine;
    CHECK_STRING(machine->desc->layers[2].states[command.item].name, "sit");
    // If names are too small to read, only the name of the active state is drawn.
    item_press(state, &stage, "state/layer body", 0.5f, 0.5f);
    state->panels.graph.zoom = 0.55f;
    item_draw(state, 1280.0f, 900.0f);
    const size_t before = state->drawing.canvas.count;
    const uint32_t long_name = md5_find_state(machine->character->machine, 0, "stumble_left");
    CHECK(md5_player_seek(machine->player, 0, long_name, 0.0));
    item_draw(state, 1280.0f, 900.0f);
    CHECK(state->drawing.canvas.count > before); // "idle" has fewer letters
}
