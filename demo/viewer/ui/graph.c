// The state graph of a machine in the bottom dock. It displays one layer with the active states. A
// click on a state activates it, a click on a transition takes it.
#include "demo/viewer/ui/graph.h"

#include "demo/viewer/ui/graph_layout.h"
#include "demo/viewer/ui/ui.h"
#include "demo/viewer/ui/window_layout.h"

// Sizes in em.
static const float head_height = 2;     // header of the panel
static const float head_length = 0.55f; // head of an arrow
static const float line_width = 0.1f;
static const float live_width = 0.25f; // of the active transition
static const float node_radius = 0.3f;
static const float edge_reach = 0.45f; // distance at which the mouse hits an edge
// Limits of the zoom.
static const float lowest_zoom = 0.25f;
static const float highest_zoom = 2;
static const view_color edge_color = 0x8A97A8FFu;
static const view_color ground_color = 0x12151AFFu;

bool view_shows_graph(const view_stage *stage)
{
    return !stage->docks.shows_problems && !view_shows_curves(stage)
           && view_current_layout(stage).docks[VIEW_DOCK_BOTTOM].width > 0;
}

// Returns the height of text in pixels.
static float text_height(const view_font *font)
{
    return font->line[VIEW_TEXT] / 1.3f;
}

void view_clear_graph(view_graph_view *view)
{
    view_free_graph(view->graph);
    *view = (view_graph_view){.layer = view->layer};
}

// State of one run of the panel. The graph is drawn in pixels at a zoom of 1, from its upper left
// corner; then all its vertices are transformed to their final positions.
typedef struct graph_panel {
    view_ui *ui;
    const view_stage *stage;
    view_graph_view *view;
    const view_graph *graph;
    const view_machine *machine;
    md5_layer_status status;
    view_rect area; // of the panel, below its header
    float em;
    float x; // left edge of the graph, pixels
    float y; // top edge of the graph, pixels
    float zoom;
    float mouse_x; // position of the mouse in the graph, em; not finite: outside
    float mouse_y;
    uint32_t node; // under the mouse, or MD5_NONE
    uint32_t edge; // under the mouse, or MD5_NONE
} graph_panel;

static float measure_text(const void *user, const char *text)
{
    const view_font *const font = user;
    return view_text_width(font, VIEW_TEXT, text) / text_height(font);
}

// -- Hit test ---------------------------------------------------------------------------------

static view_rect scale_rect(view_rect rect, float factor)
{
    return (view_rect){rect.x * factor, rect.y * factor, rect.width * factor, rect.height * factor};
}

// Returns the visible part of a rectangle of the graph, in pixels. Its width is 0 if it is not
// visible.
static view_rect seen_rect(const graph_panel *panel, view_rect rect)
{
    const float unit = panel->em * panel->zoom;
    const float left = fmaxf(panel->x + rect.x * unit, panel->area.x);
    const float top = fmaxf(panel->y + rect.y * unit, panel->area.y);
    const float right =
        fminf(panel->x + (rect.x + rect.width) * unit, panel->area.x + panel->area.width);
    const float bottom =
        fminf(panel->y + (rect.y + rect.height) * unit, panel->area.y + panel->area.height);
    if (right <= left || bottom <= top)
        return (view_rect){0};
    return (view_rect){left, top, right - left, bottom - top};
}

// Returns the distance of the mouse from the line between two points, in em.
static float segment_distance(const graph_panel *panel, const view_graph_point *ends)
{
    const float x = ends[1].x - ends[0].x;
    const float y = ends[1].y - ends[0].y;
    const float square = x * x + y * y;
    const float along = (panel->mouse_x - ends[0].x) * x + (panel->mouse_y - ends[0].y) * y;
    const float part = square > 0 ? view_clamp(along / square, 0, 1) : 0;
    return hypotf(panel->mouse_x - ends[0].x - part * x, panel->mouse_y - ends[0].y - part * y);
}

static float edge_distance(const graph_panel *panel, const view_graph_edge *edge)
{
    float nearest = INFINITY;
    for (uint32_t i = 0; i + 1 < edge->num_points; i++)
        nearest = fminf(nearest, segment_distance(panel, &edge->points[i]));
    return nearest;
}

// Finds the node or, if there is none, the nearest edge under the mouse.
static void find_hovered(graph_panel *panel)
{
    const view_graph *const graph = panel->graph;
    float nearest = edge_reach / fminf(panel->zoom, 1);
    panel->node = panel->edge = MD5_NONE;
    if (!view_contains(panel->area, panel->ui->mouse.x, panel->ui->mouse.y)
        || !ui_is_panel_hot(panel->ui))
        return;
    panel->mouse_x = (panel->ui->mouse.x - panel->x) / (panel->em * panel->zoom);
    panel->mouse_y = (panel->ui->mouse.y - panel->y) / (panel->em * panel->zoom);
    for (uint32_t i = 0; i < graph->num_nodes; i++)
        if (view_contains(graph->nodes[i].rect, panel->mouse_x, panel->mouse_y))
            panel->node = i;
    for (uint32_t i = 0; i < graph->num_edges && panel->node == MD5_NONE; i++) {
        const float distance = edge_distance(panel, &graph->edges[i]);
        if (distance < nearest) {
            nearest = distance;
            panel->edge = i;
        }
    }
}

static bool touches(const view_graph_edge *edge, uint32_t node)
{
    return edge->ends[0] == node || edge->ends[1] == node;
}

// Returns true if an edge is dim because another edge, or a node that it does not touch, is under
// the mouse.
static bool is_edge_dim(const graph_panel *panel, uint32_t edge)
{
    if (panel->edge != MD5_NONE)
        return edge != panel->edge;
    return panel->node != MD5_NONE && !touches(&panel->graph->edges[edge], panel->node);
}

static view_color dimmed(view_color color, bool is_dim)
{
    return is_dim ? (color & 0xFFFFFF00u) | (uint32_t)(0.4f * (float)(color & 0xFFu)) : color;
}

// -- Lines ------------------------------------------------------------------------------------

// Returns the point at a distance from `from` on the line to `to`, but not beyond `to`.
static view_graph_point towards(view_graph_point from, view_graph_point to, float distance)
{
    const float length = hypotf(to.x - from.x, to.y - from.y);
    const float part = length > 0 ? fminf(distance / length, 1) : 0;
    return (view_graph_point){from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part};
}

// Draws a straight line with an arrow head of length `head` at its end. The line is at least one
// pixel wide.
static void draw_line(const graph_panel *panel, view_graph_point from, view_graph_point to,
                      float width, float head, view_color color)
{
    const float em = panel->em;
    const float length = hypotf(to.x - from.x, to.y - from.y);
    const float part = length > 0 ? head / length : 0;
    const float x = 0.5f * part * (to.x - from.x);
    const float y = 0.5f * part * (to.y - from.y);
    const view_graph_point neck = {to.x - 2 * x, to.y - 2 * y};
    const view_graph_point end = {to.x - 1.6f * x, to.y - 1.6f * y};
    const float ends[4] = {from.x * em, from.y * em, end.x * em, end.y * em};
    const float corners[6] = {to.x * em,         to.y * em,         (neck.x - y) * em,
                              (neck.y + x) * em, (neck.x + y) * em, (neck.y - x) * em};
    view_draw_segment(panel->stage->canvas, ends, fmaxf(width * em, 1.0f / panel->zoom), color);
    if (head > 0)
        view_draw_triangle(panel->stage->canvas, corners, color);
}

static float segment_length(const view_graph_point *ends)
{
    return hypotf(ends[1].x - ends[0].x, ends[1].y - ends[0].y);
}

// Draws the line of an edge, with an arrow head at each end that transitions lead to.
static void draw_edge(const graph_panel *panel, const view_graph_edge *edge, float width,
                      view_color color)
{
    const view_graph_point *const points = edge->points;
    const uint32_t count = edge->num_points;
    if (count < 2)
        return;
    const view_graph_point middle = towards(points[0], points[1], 0.5f * segment_length(points));
    const float first_head = fminf(head_length, 0.5f * segment_length(points));
    const float last_head = fminf(head_length, 0.5f * segment_length(points + count - 2));
    draw_line(panel, middle, points[0], width, edge->num_transitions[1] > 0 ? first_head : 0,
              color);
    if (count == 3)
        draw_line(panel, middle, points[1], width, 0, color);
    const view_graph_point from = count == 3 ? points[1] : middle;
    draw_line(panel, from, points[count - 1], width, edge->num_transitions[0] > 0 ? last_head : 0,
              color);
}

// Returns the point at a fraction of the length of an edge, 0 to 1.
static view_graph_point point_at(const view_graph_edge *edge, float part)
{
    const view_graph_point *const points = edge->points;
    float length = 0;
    for (uint32_t i = 1; i < edge->num_points; i++)
        length += part * segment_length(points + i - 1);
    uint32_t at = 0;
    for (; at + 2 < edge->num_points && length > segment_length(points + at); at++)
        length -= segment_length(points + at);
    return towards(points[at], points[at + 1], length);
}

// Draws a centered text unless it is too small to be read. A text that is wider than `max_width` is
// truncated.
static void draw_text(const graph_panel *panel, float x, float y, float max_width, view_color color,
                      const char *text)
{
    if (panel->zoom < VIEW_GRAPH_MIN_SCALE)
        return;
    const float limit = max_width * panel->em;
    const float width = fminf(ui_text_width(panel->ui, text), limit);
    ui_text(panel->ui, x * panel->em - 0.5f * width, y * panel->em - 0.5f * panel->ui->line, limit,
            color, text);
}

// Draws a rounded box with a frame.
static void draw_frame(const graph_panel *panel, view_rect rect, float radius, view_color frame,
                       view_color color)
{
    const float thick = fmaxf(0.1f, 1.0f / (panel->em * panel->zoom));
    view_canvas *const canvas = panel->stage->canvas;
    view_draw_round_rect(canvas, scale_rect(rect, panel->em), radius * panel->em, frame);
    view_draw_round_rect(canvas, scale_rect(view_inset(rect, thick), panel->em),
                         (radius - thick) * panel->em, color);
}

// Draws the number of transitions of an edge, if there are several in one direction.
static void draw_count(const graph_panel *panel, const view_graph_edge *edge, view_color frame)
{
    const uint32_t *const counts = edge->num_transitions;
    const uint32_t most = counts[0] > counts[1] ? counts[0] : counts[1];
    if (most < 2 || edge->num_points == 0)
        return;
    char text[16];
    COMMON_TEXT(text, "%u", most);
    const view_graph_point middle = point_at(edge, 0.5f);
    const float width = fmaxf(measure_text(panel->stage->font, text) + 0.7f, 1.3f);
    draw_frame(panel, (view_rect){middle.x - 0.5f * width, middle.y - 0.65f, width, 1.3f}, 0.65f,
               frame, ground_color);
    draw_text(panel, middle.x, middle.y, width, dimmed(VIEW_PLAIN, (frame & 0xFFu) != 0xFFu), text);
}

// Returns the edge of the active transition, or MD5_NONE.
static uint32_t running_edge(const graph_panel *panel)
{
    uint32_t from_any = MD5_NONE;
    if (panel->status.from == MD5_NONE)
        return MD5_NONE;
    for (uint32_t i = 0; i < panel->graph->num_edges; i++) {
        const view_graph_edge *const edge = &panel->graph->edges[i];
        const uint32_t end = edge->ends[0] == panel->status.state ? 0 : 1;
        if (edge->ends[end] != panel->status.state || edge->num_transitions[1 - end] == 0)
            continue;
        if (edge->ends[1 - end] == panel->status.from)
            return i;
        if (edge->ends[1 - end] == panel->graph->num_states)
            from_any = i;
    }
    return from_any;
}

// Stores the edges that were taken. They fade out within two seconds.
static void store_taken_edges(graph_panel *panel)
{
    view_graph_view *const view = panel->view;
    const double lifetime = 2;
    const uint32_t edge = running_edge(panel);
    if (panel->ui->is_event)
        return;
    if (edge != MD5_NONE && edge != view->running) {
        memmove(view->recent + 1, view->recent, sizeof view->recent - sizeof view->recent[0]);
        view->recent[0] = (view_recent_edge){edge, panel->machine->time};
    }
    view->running = edge;
    for (int i = 0; i < VIEW_RECENT_EDGES; i++)
        if (fabs(panel->machine->time - view->recent[i].time) > lifetime
            || view->recent[i].edge >= panel->graph->num_edges)
            view->recent[i].edge = MD5_NONE;
}

static void draw_edges(const graph_panel *panel)
{
    const view_graph *const graph = panel->graph;
    const bool has_hovered = panel->node != MD5_NONE || panel->edge != MD5_NONE;
    for (int pass = 0; pass < 2; pass++) { // highlighted edges last, on top of the others
        for (uint32_t i = 0; i < graph->num_edges; i++) {
            const view_graph_edge *const edge = &graph->edges[i];
            const bool is_dim = is_edge_dim(panel, i);
            const bool is_lit = !is_dim && has_hovered;
            const bool is_any = touches(edge, graph->num_states);
            if (is_lit != (pass == 1))
                continue;
            const view_color usual = is_any ? VIEW_AMBER : edge_color;
            const view_color color = is_lit ? VIEW_ACCENT : dimmed(usual, is_dim);
            draw_edge(panel, edge, is_lit ? 2 * line_width : line_width, color);
        }
    }
    for (int i = VIEW_RECENT_EDGES; i-- > 0;) {
        const view_recent_edge *const taken = &panel->view->recent[i];
        const float age = (float)fabs(panel->machine->time - taken->time);
        const uint32_t alpha = (uint32_t)(255 * view_clamp(1 - 0.5f * age, 0, 1));
        if (taken->edge != MD5_NONE)
            draw_edge(panel, &graph->edges[taken->edge], 1.5f * line_width,
                      (VIEW_ACCENT & 0xFFFFFF00u) | alpha);
    }
    const uint32_t running = running_edge(panel);
    if (running != MD5_NONE)
        draw_edge(panel, &graph->edges[running], live_width, VIEW_ACCENT);
    for (uint32_t i = 0; i < graph->num_edges; i++)
        draw_count(panel, &graph->edges[i], dimmed(edge_color, is_edge_dim(panel, i)));
    if (running != MD5_NONE && !panel->stage->shown->reduced_motion
        && graph->edges[running].num_points > 1) {
        const view_graph_edge *const edge = &graph->edges[running];
        const float part = view_clamp(panel->status.progress, 0, 1);
        const bool is_back = edge->ends[1] != panel->status.state;
        const view_graph_point spot = point_at(edge, is_back ? 1 - part : part);
        view_draw_disc(panel->stage->canvas, spot.x * panel->em, spot.y * panel->em,
                       0.35f * panel->em, VIEW_BRIGHT);
    }
}

// -- States -----------------------------------------------------------------------------------

// Draws the sign of a transition from a state to itself: a circle with an arrow head.
static void draw_loop(const graph_panel *panel, float x, float y, view_color color)
{
    enum { STEPS = 12 };
    const float radius = 0.38f;
    const float step = 1.6f * VIEW_PI / (float)STEPS;
    view_graph_point pen = {x + radius, y};
    for (int i = 1; i <= STEPS; i++) {
        const float angle = step * (float)i;
        const view_graph_point next = {x + radius * cosf(angle), y + radius * sinf(angle)};
        draw_line(panel, pen, next, line_width, i == STEPS ? 0.4f : 0, color);
        pen = next;
    }
}

static void draw_dashes(const graph_panel *panel, view_rect rect, view_color color)
{
    const float dash = 0.45f;
    const float right = rect.x + rect.width;
    const float bottom = rect.y + rect.height;
    const view_graph_point corners[] = {
        {rect.x, rect.y}, {right, rect.y}, {right, bottom}, {rect.x, bottom}, {rect.x, rect.y}};
    for (int i = 0; i < 4; i++)
        for (unsigned k = 0; 2 * dash * (float)k < segment_length(corners + i); k++)
            draw_line(panel, towards(corners[i], corners[i + 1], 2 * dash * (float)k),
                      towards(corners[i], corners[i + 1], dash * (float)(2 * k + 1)), line_width, 0,
                      color);
}

// Returns true if a node is dim because it is not connected to the node or edge under the mouse.
static bool is_node_dim(const graph_panel *panel, uint32_t node)
{
    if (panel->edge != MD5_NONE)
        return !touches(&panel->graph->edges[panel->edge], node);
    if (panel->node == MD5_NONE || panel->node == node)
        return false;
    for (uint32_t i = 0; i < panel->graph->num_edges; i++)
        if (touches(&panel->graph->edges[i], panel->node) && touches(&panel->graph->edges[i], node))
            return false;
    return true;
}

// Returns the colors of the frame and of the background of a state.
static void node_colors(const graph_panel *panel, uint32_t number, view_color *frame,
                        view_color *fill)
{
    const bool is_dim = is_node_dim(panel, number);
    const bool is_active = number == panel->status.state;
    const bool is_left = number == panel->status.from;
    *frame = VIEW_EDGE;
    *fill = dimmed(VIEW_CONTROL, is_dim);
    if (number == panel->node) {
        *frame = VIEW_PLAIN;
        *fill = VIEW_HOVERED;
    }
    if (is_active || is_left)
        *frame = VIEW_ACCENT;
    if (is_left || (is_active && panel->status.from == MD5_NONE))
        *fill = VIEW_SELECTED;
    *frame = dimmed(*frame, is_dim);
}

static void draw_node(const graph_panel *panel, uint32_t number)
{
    const view_graph_node *const node = &panel->graph->nodes[number];
    const view_rect rect = node->rect;
    const bool is_any = number == panel->graph->num_states;
    const bool is_dim = is_node_dim(panel, number);
    const bool is_active = number == panel->status.state;
    const bool is_left = number == panel->status.from; // by the active transition
    const float middle = rect.y + 0.5f * rect.height;
    // Hides the lines that pass behind the node.
    view_draw_round_rect(panel->stage->canvas, scale_rect(rect, panel->em), node_radius * panel->em,
                         ground_color);
    if (is_any) {
        draw_dashes(panel, rect, dimmed(VIEW_AMBER, is_dim));
    } else {
        view_color frame;
        view_color fill;
        node_colors(panel, number, &frame, &fill);
        draw_frame(panel, rect, node_radius, frame, fill);
    }
    if (is_active && panel->status.from != MD5_NONE) { // the progress of the transition
        const view_rect inside = view_inset(rect, 0.1f);
        const float part = view_clamp(panel->status.progress, 0, 1);
        view_draw_round_rect(
            panel->stage->canvas,
            scale_rect(
                (view_rect){inside.x, inside.y, fmaxf(part * inside.width, 0.4f), inside.height},
                panel->em),
            (node_radius - 0.1f) * panel->em, VIEW_SELECTED);
    }
    const bool is_bright = is_active || is_left || number == panel->node;
    const view_color color = dimmed(is_bright ? VIEW_BRIGHT : VIEW_PLAIN, is_dim);
    // The sign of a loop is at the right end, the name in the middle of the remaining space.
    const float left = rect.x + 0.3f;
    float right = rect.x + rect.width - 0.3f;
    if (node->loops) {
        draw_loop(panel, right - 0.6f, middle, color);
        right -= 1.2f;
    }
    draw_text(panel, 0.5f * (left + right), middle, right - left, color, node->name);
}

// Draws the names of the active states and of the state under the mouse in full size if the names
// in the graph are too small to be read.
static void draw_labels(const graph_panel *panel)
{
    for (uint32_t i = 0; i < panel->graph->num_nodes && panel->zoom < VIEW_GRAPH_MIN_SCALE; i++) {
        const view_rect rect = seen_rect(panel, panel->graph->nodes[i].rect);
        const char *const name = panel->graph->nodes[i].name;
        const bool is_named =
            i == panel->status.from || i == panel->status.state || i == panel->node;
        const float width = ui_text_width(panel->ui, name);
        const float height = panel->ui->line;
        const view_rect text = {rect.x + 0.5f * (rect.width - width),
                                rect.y + 0.5f * (rect.height - height), width, height};
        if (is_named && rect.width > 0) {
            view_draw_round_rect(panel->stage->canvas, text, 0.3f * panel->em, ground_color);
            ui_text(panel->ui, text.x, text.y, 0, VIEW_BRIGHT, name);
        }
    }
}

// Draws the sign of the entry and all nodes.
static void draw_nodes(const graph_panel *panel)
{
    const view_graph *const graph = panel->graph;
    const view_graph_point tip = {graph->nodes[0].rect.x, graph->nodes[0].rect.y + 0.85f};
    const view_graph_point disc = {tip.x - 2.6f, tip.y};
    view_draw_disc(panel->stage->canvas, disc.x * panel->em, disc.y * panel->em, 0.45f * panel->em,
                   VIEW_FINE);
    draw_line(panel, disc, tip, line_width, head_length, VIEW_FINE);
    draw_text(panel, disc.x - 2.6f, disc.y, 4, VIEW_DIM, "entry");
    for (uint32_t i = 0; i < graph->num_nodes; i++)
        draw_node(panel, i);
}

// -- Transitions ------------------------------------------------------------------------------

// Writes a condition of a transition, such as "speed > 2".
static void describe_condition(const md5_condition *condition, char *text, size_t size)
{
    static const char *const signs[] = {"%s",      "not %s",   "%s < %g",
                                        "%s > %g", "%s <= %g", "%s >= %g"};
    static const char *const kinds[] = {NULL, "state time", "time left", "event "};
    const bool is_event = condition->kind == MD5_WHEN_EVENT;
    const char *const kind = kinds[condition->kind];
    const char *const subject = kind != NULL && !is_event ? kind : condition->parameter;
    char word[96];
    COMMON_TEXT(word, signs[condition->compare], subject, condition->value);
    common_append(text, size, "", "%s%s", is_event ? kind : "", word);
    if (condition->longest != 0)
        common_append(text, size, "", " to %g", condition->longest);
}

// Writes the conditions of a transition. Returns true if they are satisfied now: all conditions of
// one alternative hold.
static bool describe_conditions(const view_machine *machine, const md5_transition_desc *transition,
                                char *text, size_t size)
{
    bool all = true;     // conditions of the current alternative hold
    bool is_met = false; // a previous alternative holds
    for (uint32_t i = 0; i < transition->num_conditions; i++) {
        const md5_condition *const condition = &transition->conditions[i];
        if (condition->begins_alternative) {
            is_met = is_met || all;
            all = true;
        }
        all = all && md5_player_condition_holds(machine->player, condition);
        if (text[0] != '\0')
            common_append(text, size, "", "%s", condition->begins_alternative ? " or " : " and ");
        describe_condition(condition, text, size);
    }
    return all || is_met;
}

// Describes the conditions of a transition, whether they are satisfied now, and its crossfade.
static ui_line describe_transition(const view_machine *machine,
                                   const md5_transition_desc *transition)
{
    static const char *const fades[] = {"cross-fade", "inertial"};
    char text[192] = "";
    char fade[48] = "cut";
    char exit[64] = "";
    char priority[32] = "";
    const char *phase = "";
    const bool is_met = describe_conditions(machine, transition, text, sizeof text);
    if (transition->duration > 0)
        COMMON_TEXT(fade, "%s %.2f s", fades[transition->fade], transition->duration);
    if (transition->exit_event != NULL)
        COMMON_TEXT(exit, VIEW_DOT "exit at %s", transition->exit_event);
    else if (transition->waits)
        COMMON_TEXT(exit, VIEW_DOT "exit time %g%s", transition->exit,
                    transition->exits_each ? " (each loop)" : "");
    if (transition->in_step)
        phase = VIEW_DOT "synchronized";
    else if (transition->keeps_phase)
        phase = VIEW_DOT "keep phase";
    if (transition->priority != 0)
        COMMON_TEXT(priority, VIEW_DOT "priority %d", transition->priority);
    ui_line line = {.color = is_met ? VIEW_FINE : VIEW_PLAIN};
    COMMON_TEXT(line.text, "%s", text[0] != '\0' ? text : "always");
    common_append(line.text, sizeof line.text, "", "%s" VIEW_DOT "%s%s%s%s", is_met ? " (met)" : "",
                  fade, exit, phase, priority);
    return line;
}

// Lists the transitions of the edge under the mouse in a popup next to the mouse.
static void draw_popover(const graph_panel *panel)
{
    enum { MAX_LISTED = 8 };
    const view_graph_edge *const edge = &panel->graph->edges[panel->edge];
    const md5_layer_desc *const layer = &panel->machine->desc->layers[panel->view->layer];
    const view_ui *const ui = panel->ui;
    ui_line lines[1 + 2 * (MAX_LISTED + 2)] = {{VIEW_BRIGHT, "Click to take this transition"}};
    size_t count = 1;
    uint32_t begin = edge->first_transition;
    for (uint32_t end = 0; end < 2; end++) {
        if (edge->num_transitions[end] > 0) {
            lines[count].color = VIEW_BRIGHT;
            COMMON_TEXT(lines[count].text, "%s \xE2\x86\x92 %s",
                        panel->graph->nodes[edge->ends[end]].name,
                        panel->graph->nodes[edge->ends[1 - end]].name);
            count++;
        }
        for (uint32_t i = 0; i < edge->num_transitions[end] && i < MAX_LISTED; i++) {
            const uint32_t index = panel->graph->transitions[begin + i];
            lines[count++] = describe_transition(panel->machine, &layer->transitions[index]);
        }
        if (edge->num_transitions[end] > MAX_LISTED) {
            lines[count].color = VIEW_DIM;
            COMMON_TEXT(lines[count].text, "%u more", edge->num_transitions[end] - MAX_LISTED);
            count++;
        }
        begin += edge->num_transitions[end];
    }
    const float gap = 1.2f * panel->em;
    ui_note(ui, ui->mouse.x + gap, ui->mouse.y + gap, ui->mouse.y, lines, count);
}

// -- The panel --------------------------------------------------------------------------------

// A button in the header. Its left edge or, if `at_right`, its right edge is at `x`, which is moved
// to the position of the next button. Returns true if it was pressed.
static bool draw_word(const graph_panel *panel, float *x, bool at_right, bool is_selected,
                      const char *label, const char *text)
{
    const float padding = 0.7f * panel->em;
    const float width = ui_text_width(panel->ui, text) + 2 * padding;
    const view_rect rect = {at_right ? *x - width : *x,
                            panel->area.y - (head_height + 0.3f) * panel->em, width,
                            (head_height - 0.2f) * panel->em};
    const bool is_pressed = ui_item(panel->ui, rect, label);
    const bool is_hot = ui_is_hot(panel->ui);
    if (is_selected || is_hot)
        view_draw_round_rect(panel->stage->canvas, rect, 0.3f * panel->em,
                             is_selected ? VIEW_SELECTED : VIEW_HOVERED);
    ui_text(panel->ui, rect.x + padding, rect.y + 0.5f * (rect.height - panel->ui->line), 0,
            is_selected || is_hot ? VIEW_BRIGHT : VIEW_PLAIN, text);
    *x += at_right ? -width : width;
    return is_pressed;
}

// Sets the zoom so that the point (x, y) of the window does not move.
static void set_zoom(view_graph_view *view, const graph_panel *panel, float zoom, float x, float y)
{
    const float next = view_clamp(zoom, lowest_zoom, highest_zoom);
    const float part = next / panel->zoom;
    view->x = x - panel->area.x - (x - panel->x) * part;
    view->y = y - panel->area.y - (y - panel->y) * part;
    view->zoom = next;
}

// Fits the graph into the area and centers it, at a zoom of at least `min_zoom`. A graph that is
// larger than the area begins at its upper left corner.
static void place_fitted(graph_panel *panel, float min_zoom)
{
    const float width = panel->graph->width * panel->em;
    const float height = panel->graph->height * panel->em;
    panel->zoom =
        view_clamp(fminf(panel->area.width / width, panel->area.height / height), min_zoom, 1);
    panel->x = roundf(panel->area.x + fmaxf(0.5f * (panel->area.width - width * panel->zoom), 0));
    panel->y = roundf(panel->area.y + fmaxf(0.5f * (panel->area.height - height * panel->zoom), 0));
}

static float name_width(const graph_panel *panel, uint32_t layer)
{
    return (measure_text(panel->stage->font, panel->machine->desc->layers[layer].name) + 1.4f)
           * panel->em;
}

// Draws the names of the layers, from the first layer that leaves space for the selected layer. A
// click selects a layer. The names are between `x` and `right`.
static void layer_tabs(const graph_panel *panel, float x, float right)
{
    const md5_machine_desc *const desc = panel->machine->desc;
    char text[96];
    uint32_t first = panel->view->layer;
    float used = name_width(panel, first);
    while (first > 0 && used + name_width(panel, first - 1) <= right - x)
        used += name_width(panel, --first);
    for (uint32_t i = first; i < desc->num_layers; i++) {
        if (x + name_width(panel, i) > right)
            break;
        COMMON_TEXT(text, "layer %s", desc->layers[i].name);
        if (draw_word(panel, &x, false, i == panel->view->layer, text, desc->layers[i].name)
            && i != panel->view->layer) {
            panel->view->layer = i;
            panel->view->zoom = 0;
        }
    }
}

// The header: the names of the layers and the buttons of the zoom. Also handles the wheel.
static void run_header(const graph_panel *panel)
{
    view_ui *const ui = panel->ui;
    const md5_machine_desc *const desc = panel->machine->desc;
    const view_rect area = panel->area;
    const float middle_x = area.x + 0.5f * area.width;
    const float middle_y = area.y + 0.5f * area.height;
    char text[96];
    float right = area.x + area.width;
    if (draw_word(panel, &right, true, false, "fit", "Fit")) {
        graph_panel whole = *panel;
        place_fitted(&whole, lowest_zoom);
        set_zoom(panel->view, &whole, whole.zoom, 0, 0);
    }
    COMMON_TEXT(text, "%.0f %%", 100 * (double)panel->zoom);
    const char *const words[][2] = {
        {"zoom in", "+"}, {"reset zoom", text}, {"zoom out", "\xE2\x88\x92"}};
    const float zooms[] = {1.25f * panel->zoom, 1, 0.8f * panel->zoom};
    for (int i = 0; i < 3; i++)
        if (draw_word(panel, &right, true, false, words[i][0], words[i][1]))
            set_zoom(panel->view, panel, zooms[i], middle_x, middle_y);
    layer_tabs(panel, area.x, right);
    if (ui->mouse.wheel == 0 || !ui_is_panel_hot(ui))
        return;
    ui->has_taken = true;
    if (view_contains(area, ui->mouse.x, ui->mouse.y)) {
        set_zoom(panel->view, panel, panel->zoom * powf(1.15f, ui->mouse.wheel), ui->mouse.x,
                 ui->mouse.y);
    } else { // over the header: selects another layer
        const uint32_t count = desc->num_layers;
        panel->view->layer = (panel->view->layer + (ui->mouse.wheel < 0 ? 1 : count - 1)) % count;
        panel->view->zoom = 0;
    }
}

// Returns the transition that a click on an edge takes: of the direction that begins at the active
// state, the transition of highest priority.
static uint32_t clicked_transition(const graph_panel *panel, const view_graph_edge *edge)
{
    const uint32_t *const counts = edge->num_transitions;
    const bool is_from_second = counts[1] > 0 && edge->ends[1] == panel->status.state;
    const uint32_t end = counts[0] == 0 || is_from_second ? 1 : 0;
    const md5_transition_desc *const transitions =
        panel->machine->desc->layers[panel->view->layer].transitions;
    const uint32_t first = edge->first_transition + (end == 1 ? counts[0] : 0);
    uint32_t best = panel->graph->transitions[first];
    for (uint32_t i = 1; i < counts[end]; i++) {
        const uint32_t candidate = panel->graph->transitions[first + i];
        if (transitions[candidate].priority > transitions[best].priority)
            best = candidate;
    }
    return best;
}

// Returns true if the layout of the view is valid for the layer, the machine, the font and the
// area.
static bool is_laid_out(const graph_panel *panel, view_graph_area area, uint64_t fingerprint)
{
    const view_graph_view *const view = panel->view;
    const bool is_same_area =
        view->area_of_layout.width == area.width && view->area_of_layout.height == area.height;
    const bool is_same_machine = view->graph != NULL && view->fingerprint == fingerprint;
    const bool is_same_font = view->scale == panel->stage->font->scale;
    const bool is_same_layer = view->laid_out == view->layer;
    if (!is_same_machine || !is_same_layer)
        return false;
    return is_same_area && is_same_font;
}

// Lays out the selected layer if needed, and computes the position of the graph.
static void open_graph(graph_panel *panel)
{
    view_graph_view *const view = panel->view;
    const md5_machine *const machine = panel->machine->character->machine;
    const view_font *const font = panel->stage->font;
    const uint64_t fingerprint = md5_machine_fingerprint(machine);
    if (view->layer >= panel->machine->desc->num_layers)
        view->layer = 0;
    const view_graph_area area = {panel->area.width / panel->em, panel->area.height / panel->em};
    if (!is_laid_out(panel, area, fingerprint)) {
        view_free_graph(view->graph);
        if (view->fingerprint != fingerprint)
            view->zoom = 0;
        view->graph = view_lay_out_graph(&panel->machine->desc->layers[view->layer], area,
                                         measure_text, font);
        view->fingerprint = fingerprint;
        view->scale = font->scale;
        view->laid_out = view->layer;
        view->area_of_layout = area;
        view->running = MD5_NONE;
        for (int i = 0; i < VIEW_RECENT_EDGES; i++)
            view->recent[i].edge = MD5_NONE;
    }
    // The names have other addresses if the machine was read again.
    for (uint32_t i = 0; i < view->graph->num_states; i++)
        view->graph->nodes[i].name = panel->machine->desc->layers[view->layer].states[i].name;
    panel->graph = view->graph;
    panel->status = md5_player_layer(panel->machine->player, view->layer);
    panel->zoom = view->zoom;
    panel->x = panel->area.x + view->x;
    panel->y = panel->area.y + view->y;
    // Show the whole graph if its names can be read then, or else its beginning at full size.
    if (!(view->zoom > 0))
        place_fitted(panel, lowest_zoom);
    if (!(view->zoom > 0) && panel->zoom < VIEW_GRAPH_MIN_SCALE)
        place_fitted(panel, 1);
}

// Moves the focus by the arrow keys to the nearest visible state in their direction.
static void move_focus(const graph_panel *panel, uint32_t focused)
{
    static const int32_t keys[] = {VIEW_KEY_LEFT, VIEW_KEY_RIGHT, VIEW_KEY_UP, VIEW_KEY_DOWN};
    const view_rect from = seen_rect(panel, panel->graph->nodes[focused].rect);
    for (int k = 0; k < 4; k++) {
        uint32_t nearest = focused;
        float min_distance = INFINITY;
        if (!ui_key(panel->ui, keys[k]))
            continue;
        for (uint32_t i = 0; i < panel->graph->num_states; i++) {
            const view_rect to = seen_rect(panel, panel->graph->nodes[i].rect);
            const float x = to.x - from.x + 0.5f * (to.width - from.width);
            const float y = to.y - from.y + 0.5f * (to.height - from.height);
            const bool is_horizontal = k < 2;
            const float along = is_horizontal ? x : y;
            const float ahead = k % 2 == 0 ? -along : along;
            const float distance = ahead + 2 * fabsf(is_horizontal ? y : x);
            if (to.width > 0 && ahead > 1 && distance < min_distance) {
                min_distance = distance;
                nearest = i;
            }
        }
        panel->ui->focus.number += nearest - focused;
    }
}

// Adds an item for each state, which can be pressed and can have the focus.
static void node_items(const graph_panel *panel)
{
    uint32_t focused = MD5_NONE;
    for (uint32_t i = 0; i < panel->graph->num_states; i++) {
        const view_rect rect = seen_rect(panel, panel->graph->nodes[i].rect);
        char label[160] = "";
        if (rect.width > 0)
            COMMON_TEXT(label, "%s/%s", panel->machine->desc->layers[panel->view->layer].name,
                        panel->graph->nodes[i].name);
        if (ui_item(panel->ui, rect, label))
            UI_COMMAND(panel->ui, VIEW_GO_TO_STATE, .number = panel->view->layer, .item = i);
        ui_context(panel->ui, VIEW_ON_STATE, panel->view->layer, i, panel->graph->nodes[i].name,
                   NULL);
        if (ui_is_focused(panel->ui))
            focused = i;
    }
    if (focused != MD5_NONE && panel->ui->is_focus_shown)
        move_focus(panel, focused);
}

// Draws the graph and moves it to its position and zoom.
static void draw_graph(const graph_panel *panel)
{
    view_canvas *const canvas = panel->stage->canvas;
    const uint32_t first = canvas->count;
    const view_rect seen = {(panel->area.x - panel->x) / panel->zoom,
                            (panel->area.y - panel->y) / panel->zoom,
                            panel->area.width / panel->zoom, panel->area.height / panel->zoom};
    const view_rect before = view_clip_canvas(canvas, seen);
    draw_edges(panel);
    draw_nodes(panel);
    view_clip_canvas(canvas, before);
    for (uint32_t i = first; i < canvas->count; i++) {
        md5gl_panel_vertex *const vertex = &canvas->vertices[i];
        vertex->x = panel->x + vertex->x * panel->zoom;
        vertex->y = panel->y + vertex->y * panel->zoom;
    }
}

void view_graph_panel(view_ui *ui, view_graph_view *view)
{
    const view_stage *const stage = ui->stage;
    const view_rect box = view_current_layout(stage).docks[VIEW_DOCK_BOTTOM];
    const float em = text_height(stage->font);
    const float padding = 0.7f * em;
    graph_panel panel = {
        .ui = ui, .stage = stage, .view = view, .machine = &ui->scene->machine, .em = em};
    panel.area =
        (view_rect){box.x + padding, box.y + head_height * em + 1.5f * padding,
                    box.width - 2 * padding, box.height - head_height * em - 2.2f * padding};
    if (panel.machine->desc->num_layers == 0 || box.width < 20 * em || panel.area.height < 2 * em)
        return;
    open_graph(&panel);
    view_draw_round_rect(stage->canvas, box, VIEW_RADIUS * ui->scale, 0x12151AE0u);
    const bool is_pressed = ui_box(ui, "state", box, "");
    find_hovered(&panel);
    float part;
    if (is_pressed && panel.edge == MD5_NONE) {
        view->grip_x = ui->mouse.x;
        view->grip_y = ui->mouse.y;
    }
    if (ui_drag(ui, is_pressed && panel.edge == MD5_NONE, box, &part)) {
        set_zoom(view, &panel, panel.zoom, ui->mouse.x, ui->mouse.y);
        view->x += ui->mouse.x - view->grip_x;
        view->y += ui->mouse.y - view->grip_y;
        view->grip_x = ui->mouse.x;
        view->grip_y = ui->mouse.y;
    }
    if (panel.edge != MD5_NONE) {
        const uint32_t transition = clicked_transition(&panel, &panel.graph->edges[panel.edge]);
        ui_context(ui, VIEW_ON_EDGE, view->layer, transition, NULL, NULL);
        if (is_pressed)
            UI_COMMAND(ui, VIEW_TAKE_TRANSITION, .number = view->layer, .item = transition);
    }
    node_items(&panel);
    view->hovered = 0;
    if (panel.node != MD5_NONE)
        view->hovered = panel.node + 1;
    else if (panel.edge != MD5_NONE)
        view->hovered = panel.graph->num_nodes + panel.edge + 1;
    store_taken_edges(&panel);
    if (!ui->is_event)
        draw_graph(&panel);
    draw_labels(&panel);
    run_header(&panel);
    if (panel.edge != MD5_NONE && !ui->is_event)
        draw_popover(&panel);
}
