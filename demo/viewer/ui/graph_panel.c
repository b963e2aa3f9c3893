// The state graph of a machine, below the model: the states of each layer as nodes, its transitions
// as arrows. What plays is highlighted; a click on a node goes there.
#include "demo/viewer/ui/panels.h"

#include "demo/viewer/base/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// In layout units.
static const float graph_height = 190.0f, least_height = 440.0f, node_padding = 9.0f,
                   arrow_length = 8.0f, lane = 4.0f;
static const view_color arrow_color = 0x6A7484FFu, node_color = 0x333C49FFu;

// A layer's part of the graph. Of many states and transitions only the first are drawn.
enum { MOST_STATES = 64, MOST_ROUND = 10, MOST_TRANSITIONS = 256 };
typedef struct layer_graph {
    const md5_layer_desc *layer;
    md5_layer_status status;
    uint32_t count; // of states that are drawn
    view_rect nodes[MOST_STATES];
} layer_graph;

bool view_shows_graph(const view_facts *facts)
{
    return facts->stage.shown->graph && view_shows_machine(facts)
           && facts->height >= least_height * facts->stage.font->scale;
}

view_rect view_graph_box(const view_facts *facts)
{
    const float scale = facts->stage.font->scale, margin = VIEW_MARGIN * scale;
    const float height = (graph_height + 2.0f * VIEW_PADDING) * scale;
    return (view_rect){margin, facts->height - margin - height,
                       view_machine_box(facts).x - 2.0f * margin, height};
}

// -- Nodes ----------------------------------------------------------------------------------

static view_rect node_at(const layer_graph *graph, const view_font *font, uint32_t state,
                         float widest)
{
    const float text = view_text_width(font, VIEW_TEXT, graph->layer->states[state].name);
    const float padding = 2.0f * node_padding * font->scale;
    return (view_rect){.width = fminf(text + padding, widest),
                       .height = font->line[VIEW_TEXT] + 4.0f * font->scale};
}

// On an ellipse, from the left over the top.
static void place_round(layer_graph *graph, const view_font *font, view_rect area)
{
    for (uint32_t i = 0; i < graph->count; i++) {
        view_rect node = node_at(graph, font, i, 0.45f * area.width);
        const float angle = VIEW_PI * (1.0f + 2.0f * (float)i / (float)graph->count);
        node.x = area.x + 0.5f * (area.width - node.width) * (1.0f + cosf(angle));
        node.y = area.y + 0.5f * (area.height - node.height) * (1.0f + sinf(angle));
        graph->nodes[i] = node;
    }
}

// More than fit on an ellipse are in columns, one below the other.
static void place_in_columns(layer_graph *graph, const view_font *font, view_rect area)
{
    const float row = font->line[VIEW_TEXT] + 6.0f * font->scale;
    const float narrowest = 76.0f * font->scale;
    const uint32_t rows = (uint32_t)fmaxf(area.height / row, 1.0f);
    const uint32_t most = rows * (uint32_t)fmaxf(area.width / narrowest, 1.0f);
    graph->count = graph->count < most ? graph->count : most;
    const uint32_t columns = (graph->count + rows - 1) / rows;
    const float width = area.width / (float)columns;
    for (uint32_t i = 0; i < graph->count; i++) {
        const uint32_t column = i / rows;
        view_rect node = node_at(graph, font, i, width - 4.0f * font->scale);
        node.x = area.x + width * (float)column + 0.5f * (width - node.width);
        node.y = area.y + row * (float)(i % rows);
        graph->nodes[i] = node;
    }
}

static void place_nodes(layer_graph *graph, const view_font *font, view_rect area)
{
    const float title = font->line[VIEW_TEXT] + 2.0f * font->scale;
    const view_rect below = {area.x, area.y + title, area.width, area.height - title};
    graph->count = graph->layer->num_states < MOST_STATES ? graph->layer->num_states : MOST_STATES;
    if (graph->count > MOST_ROUND)
        place_in_columns(graph, font, below);
    else
        place_round(graph, font, below);
}

static void draw_node(const view_facts *facts, const layer_graph *graph, uint32_t state)
{
    view_canvas *const canvas = facts->stage.canvas;
    const view_rect node = graph->nodes[state];
    const float scale = facts->stage.font->scale;
    const md5_layer_status *const status = &graph->status;
    const bool is_left = status->from >= 0 && (uint32_t)status->from == state;
    const bool is_active = status->state == state;
    const char *const name = graph->layer->states[state].name;
    const float text = view_text_width(facts->stage.font, VIEW_TEXT, name);
    const float room = node.width - node_padding * scale;
    view_draw_round_rect(canvas, node, 6.0f * scale, is_left ? 0x6B5730FFu : node_color);
    if (is_active) { // filled as far as the transition has come
        const float part = status->from >= 0 ? view_clamp(status->progress, 0.0f, 1.0f) : 1.0f;
        const view_rect filled = {node.x, node.y, fmaxf(part * node.width, 12.0f * scale),
                                  node.height};
        view_draw_round_rect(canvas, filled, 6.0f * scale, 0x33507FFFu);
    }
    view_draw_text(canvas, VIEW_TEXT, node.x + 0.5f * (node.width - fminf(text, room)),
                   node.y + 2.0f * scale, room, is_active || is_left ? VIEW_BRIGHT : VIEW_PLAIN,
                   name);
}

// -- Arrows ---------------------------------------------------------------------------------

// The index of a state that is drawn, or -1.
static int32_t find_state(const layer_graph *graph, const char *name)
{
    for (uint32_t i = 0; name != NULL && i < graph->count; i++)
        if (strcmp(graph->layer->states[i].name, name) == 0)
            return (int32_t)i;
    return -1;
}

// How far a way from the centre of a rectangle stays inside of it, as a share of the way.
static float share_inside(view_rect rect, float right, float down)
{
    const float across = fabsf(right) > 0.0f ? 0.5f * rect.width / fabsf(right) : 1.0f;
    const float along = fabsf(down) > 0.0f ? 0.5f * rect.height / fabsf(down) : 1.0f;
    return fminf(fminf(across, along), 0.5f);
}

static void draw_head(view_canvas *canvas, const float tip[2], const float way[2], float size,
                      view_color color)
{
    const float x = tip[0] - way[0] * size, y = tip[1] - way[1] * size;
    const float aside[2] = {-0.5f * way[1] * size, 0.5f * way[0] * size};
    const float corners[6] = {tip[0],       tip[1],       x + aside[0],
                              y + aside[1], x - aside[0], y - aside[1]};
    view_draw_triangle(canvas, corners, color);
}

// Arrows of both directions keep apart: each is moved to its left.
static void draw_arrow(const view_facts *facts, view_rect from, view_rect to, view_color color)
{
    const float scale = facts->stage.font->scale;
    const float x = from.x + 0.5f * from.width, y = from.y + 0.5f * from.height;
    const float right = to.x + 0.5f * to.width - x, down = to.y + 0.5f * to.height - y;
    const float length = hypotf(right, down);
    if (!(length > 1.0f))
        return;
    const float way[2] = {right / length, down / length};
    const float begin = share_inside(from, right, down), end = 1.0f - share_inside(to, right, down);
    const float aside[2] = {lane * scale * way[1], -lane * scale * way[0]};
    const float ends[4] = {x + begin * right + aside[0], y + begin * down + aside[1],
                           x + end * right + aside[0], y + end * down + aside[1]};
    view_draw_segment(facts->stage.canvas, ends, 1.5f * scale, color);
    draw_head(facts->stage.canvas, ends + 2, way, arrow_length * scale, color);
}

// From any state: a short arrow from above.
static void draw_from_any(const view_facts *facts, view_rect to, view_color color)
{
    static const float down[2] = {0.0f, 1.0f};
    const float scale = facts->stage.font->scale, x = to.x + 0.5f * to.width;
    const float ends[4] = {x, to.y - 14.0f * scale, x, to.y};
    view_draw_segment(facts->stage.canvas, ends, 1.5f * scale, color);
    view_draw_disc(facts->stage.canvas, x, ends[1], 2.5f * scale, color);
    draw_head(facts->stage.canvas, ends + 2, down, arrow_length * scale, color);
}

static void draw_transitions(const view_facts *facts, const layer_graph *graph)
{
    const md5_layer_desc *const layer = graph->layer;
    const md5_layer_status *const status = &graph->status;
    for (uint32_t i = 0; i < layer->num_transitions && i < MOST_TRANSITIONS; i++) {
        const md5_transition_desc *const transition = &layer->transitions[i];
        const int32_t from = find_state(graph, transition->from);
        const int32_t to = find_state(graph, transition->to);
        if (to >= 0 && transition->from == NULL)
            draw_from_any(facts, graph->nodes[to], arrow_color);
        else if (to >= 0 && from >= 0)
            draw_arrow(facts, graph->nodes[from], graph->nodes[to], arrow_color);
    }
    const bool is_drawn =
        status->from >= 0 && (uint32_t)status->from < graph->count && status->state < graph->count;
    if (is_drawn) // also if it is none of the table
        draw_arrow(facts, graph->nodes[status->from], graph->nodes[status->state], VIEW_AMBER);
}

// -- The panel ------------------------------------------------------------------------------

static void draw_layer(view_ui *ui, const view_facts *facts, uint32_t number, view_rect area)
{
    const view_machine *const machine = &facts->stage.document->scene.machine;
    char title[96];
    layer_graph graph = {.layer = &machine->desc->layers[number],
                         .status = md5_player_layer(machine->player, number)};
    place_nodes(&graph, facts->stage.font, area);
    const uint32_t num_more = graph.layer->num_states - graph.count;
    (void)snprintf(title, sizeof title, num_more > 0 ? "%s, and %u more" : "%s", graph.layer->name,
                   (unsigned)num_more);
    view_draw_text(facts->stage.canvas, VIEW_TEXT, area.x, area.y, area.width, VIEW_DIM, title);
    draw_transitions(facts, &graph);
    for (uint32_t i = 0; i < graph.count; i++) {
        draw_node(facts, &graph, i);
        (void)snprintf(title, sizeof title, "%s/%s", graph.layer->name,
                       graph.layer->states[i].name);
        if (ui_item(ui, graph.nodes[i], title))
            ui_ask(ui, (view_command){.action = VIEW_GO_TO_STATE, .number = number, .item = i});
    }
}

// Layers of one state have nothing to show. Those with more states are wider.
static float share_of(const md5_layer_desc *layer)
{
    return layer->num_states < 2 ? 0.0f : 1.5f + fminf((float)layer->num_states, 24.0f);
}

void view_graph_panel(view_ui *ui, const view_facts *facts)
{
    const md5_machine_desc *const desc = facts->stage.document->scene.machine.desc;
    const float scale = facts->stage.font->scale, padding = VIEW_PADDING * scale;
    const view_rect box = view_graph_box(facts);
    float sum = 0.0f, x = box.x + padding;
    for (uint32_t i = 0; i < desc->num_layers; i++)
        sum += share_of(&desc->layers[i]);
    if (!(sum > 0.0f) || box.width < 8.0f * padding)
        return;
    ui_begin(ui, "state");
    (void)ui_item(ui, box, "");
    view_draw_round_rect(facts->stage.canvas, box, VIEW_RADIUS * scale, VIEW_BOX);
    for (uint32_t i = 0; i < desc->num_layers; i++) {
        const float width = (box.width - padding) * share_of(&desc->layers[i]) / sum;
        const view_rect area = {x, box.y + padding, width - padding, box.height - 2.0f * padding};
        if (area.width > 0.0f)
            draw_layer(ui, facts, i, area);
        x += width;
    }
}
