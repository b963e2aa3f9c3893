// The state graph of a state machine in the bottom dock. It displays one layer of the machine:
// states are nodes, and an edge stands for all transitions between two states. Active states are
// highlighted. A click on a node activates its state. A click on an edge takes one of its
// transitions.
#include "demo/viewer/ui/graph.h"

#include "demo/viewer/ui/graph_layout.h"
#include "demo/viewer/ui/ui.h"
#include "demo/viewer/ui/window_layout.h"

// Sizes in em.
static const float header_height = 2; // height of the panel's header
static const float arrow_head_length = 0.55f;
static const float line_width = 0.1f;
static const float active_line_width = 0.25f; // line of the active transition
static const float node_radius = 0.3f;        // rounded corners of a node
static const float edge_reach = 0.45f;        // distance at which the mouse hits an edge
static const float count_height = 1.3f;       // box with the number of transitions of an edge
static const float progress_radius = 0.35f;   // disc that displays the progress of a transition
static const float name_margin = 0.3f;        // left and right of the name of a state
static const float loop_width = 1.2f;         // space for the sign of a loop
// Limits of the zoom.
static const float lowest_zoom = 0.25f;
static const float highest_zoom = 2;
static const float zoom_per_wheel_step = 1.15f;
static const view_color edge_color = 0x8A97A8FFu;
static const view_color ground_color = 0x12151AFFu;
static const view_color panel_color = 0x12151AE0u;

static const double recent_lifetime = 2; // seconds for which a taken edge is highlighted

enum { MAX_LISTED_TRANSITIONS = 8 }; // per direction, in the popup of an edge

bool view_shows_graph(const view_stage *stage)
{
    return !stage->docks.shows_problems && !view_shows_curves(stage)
           && view_current_layout(stage).docks[VIEW_DOCK_BOTTOM].width > 0;
}

// Returns the em of the graph in pixels: the height of text without the space between lines.
static float text_height(const view_font *font)
{
    return font->line[VIEW_TEXT] / 1.3f;
}

void view_clear_graph(view_graph_view *view)
{
    view_free_graph(view->graph);
    *view = (view_graph_view){.layer = view->layer};
}

void view_select_layer(view_graph_view *view, uint32_t layer)
{
    view->layer = layer;
    view->zoom = 0;
}

// State of one run of the panel. The graph is drawn at a zoom of 1 with its upper left corner at
// the origin. draw_graph() then moves all vertices to their final positions, so that the drawing
// functions need no transform.
typedef struct graph_panel {
    view_ui *ui;
    const view_stage *stage;
    view_graph_view *view;
    const view_graph *graph;
    const view_machine *machine;
    md5_layer_status status;
    view_rect area; // area of the panel below its header
    float em;
    float x; // left edge of the graph, pixels
    float y; // top edge of the graph, pixels
    float zoom;
    float mouse_x; // position of the mouse in the graph, em; set if the mouse is over `area`
    float mouse_y;
    uint32_t node; // node under the mouse, or MD5_NONE
    uint32_t edge; // edge under the mouse, or MD5_NONE
} graph_panel;

// Returns the width of a text in em. This is a view_measure_fn; `user` is the font.
static float measure_text(const void *user, const char *text)
{
    const view_font *const font = user;
    return view_text_width(font, VIEW_TEXT, text) / text_height(font);
}

// -- Hit test ---------------------------------------------------------------------------------

// Returns a rectangle whose position and size are multiplied by a factor.
static view_rect scale_rect(view_rect rect, float factor)
{
    return (view_rect){rect.x * factor, rect.y * factor, rect.width * factor, rect.height * factor};
}

// Converts a rectangle of the graph from em to pixels of the window. Returns its visible part,
// which is empty if the rectangle is outside of the panel.
static view_rect visible_rect(const graph_panel *panel, view_rect rect)
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

    // `part` is the position of the nearest point of the line, as a fraction of its length.
    const float part = square > 0 ? view_clamp(along / square, 0, 1) : 0;
    return hypotf(panel->mouse_x - ends[0].x - part * x, panel->mouse_y - ends[0].y - part * y);
}

// Returns the distance between the mouse and the line of an edge, in em. Returns INFINITY if the
// edge has no line.
static float edge_distance(const graph_panel *panel, const view_graph_edge *edge)
{
    float nearest = INFINITY;
    for (uint32_t i = 0; i + 1 < edge->num_points; i++)
        nearest = fminf(nearest, segment_distance(panel, &edge->points[i]));
    return nearest;
}

// Finds the node under the mouse. If there is none, finds the nearest edge within reach. Sets
// panel->node and panel->edge; at least one of them is MD5_NONE.
static void find_hovered(graph_panel *panel)
{
    const view_graph *const graph = panel->graph;
    const view_ui *const ui = panel->ui;
    panel->node = panel->edge = MD5_NONE;
    if (!view_contains(panel->area, ui->mouse.x, ui->mouse.y) || !ui_is_panel_hot(ui))
        return;

    panel->mouse_x = (ui->mouse.x - panel->x) / (panel->em * panel->zoom);
    panel->mouse_y = (ui->mouse.y - panel->y) / (panel->em * panel->zoom);
    for (uint32_t i = 0; i < graph->num_nodes; i++) {
        if (view_contains(graph->nodes[i].rect, panel->mouse_x, panel->mouse_y))
            panel->node = i;
    }
    if (panel->node != MD5_NONE)
        return;

    // The reach is constant in pixels. In em, it is larger if the graph is zoomed out.
    float min_distance = edge_reach / fminf(panel->zoom, 1);
    for (uint32_t i = 0; i < graph->num_edges; i++) {
        const float distance = edge_distance(panel, &graph->edges[i]);
        if (distance < min_distance) {
            min_distance = distance;
            panel->edge = i;
        }
    }
}

// Returns true if a node is one of the two ends of an edge.
static bool touches(const view_graph_edge *edge, uint32_t node)
{
    return edge->ends[0] == node || edge->ends[1] == node;
}

// Returns true if an edge is drawn dim, because the mouse is over another edge or over a node that
// the edge does not touch.
static bool is_edge_dim(const graph_panel *panel, uint32_t edge)
{
    if (panel->edge != MD5_NONE)
        return edge != panel->edge;
    return panel->node != MD5_NONE && !touches(&panel->graph->edges[edge], panel->node);
}

// Returns a color 0xRRGGBBAA with another alpha.
static view_color with_alpha(view_color color, uint32_t alpha)
{
    return (color & 0xFFFFFF00u) | alpha;
}

// Returns a color with a lower alpha if `is_dim` is true, otherwise the color itself.
static view_color dimmed(view_color color, bool is_dim)
{
    const float dim_part = 0.4f; // factor of the alpha
    const uint32_t alpha = color & 0xFFu;
    return is_dim ? with_alpha(color, (uint32_t)(dim_part * (float)alpha)) : color;
}

// -- Lines ------------------------------------------------------------------------------------

// Returns the point on the line from `from` to `to` at a distance from `from`. The distance is
// limited to the length of the line.
static view_graph_point point_towards(view_graph_point from, view_graph_point to, float distance)
{
    const float length = hypotf(to.x - from.x, to.y - from.y);
    const float part = length > 0 ? fminf(distance / length, 1) : 0;
    return (view_graph_point){from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part};
}

// Draws a straight line that is at least one pixel wide. If `head` is not 0, draws an arrow head of
// this length at `to`. All lengths are in em.
static void draw_line(const graph_panel *panel, view_graph_point from, view_graph_point to,
                      float width, float head, view_color color)
{
    const float em = panel->em;
    const float length = hypotf(to.x - from.x, to.y - from.y);
    const float head_part = length > 0 ? head / length : 0;

    // (x, y) is half of the arrow head, along the line. The line ends inside of the head. Otherwise
    // the corners of its end would be visible next to the tip.
    const float x = 0.5f * head_part * (to.x - from.x);
    const float y = 0.5f * head_part * (to.y - from.y);
    const view_graph_point neck = {to.x - 2 * x, to.y - 2 * y};
    const view_graph_point end = {to.x - 1.6f * x, to.y - 1.6f * y};
    const float ends[4] = {from.x * em, from.y * em, end.x * em, end.y * em};
    view_draw_segment(panel->stage->canvas, ends, fmaxf(width * em, 1.0f / panel->zoom), color);

    // The head is as wide as it is long. (x, y) is half of its length. This vector, rotated by 90
    // degrees, is (-y, x) or (y, -x). These are the displacements of the two other corners from the
    // neck.
    const float triangle[6] = {to.x * em,         to.y * em,         (neck.x - y) * em,
                               (neck.y + x) * em, (neck.x + y) * em, (neck.y - x) * em};
    if (head > 0)
        view_draw_triangle(panel->stage->canvas, triangle, color);
}

// Returns the length of the line between two consecutive points of an edge.
static float segment_length(const view_graph_point *ends)
{
    return hypotf(ends[1].x - ends[0].x, ends[1].y - ends[0].y);
}

// Draws the line of an edge. An end to which transitions lead has an arrow head. draw_line() can
// draw an arrow head at only one end. Therefore the line consists of two parts, which begin in the
// middle of its first segment.
static void draw_edge(const graph_panel *panel, const view_graph_edge *edge, float width,
                      view_color color)
{
    const view_graph_point *const points = edge->points;
    const uint32_t count = edge->num_points;
    if (count < 2) // an edge from a state to itself has no line
        return;
    const float first_length = segment_length(points);
    const float last_length = segment_length(points + count - 2);
    const view_graph_point middle = point_towards(points[0], points[1], 0.5f * first_length);

    // The part to the first node. Transitions of the second direction lead to this node.
    const bool has_first_head = edge->num_transitions[1] > 0;
    const float first_head = has_first_head ? fminf(arrow_head_length, 0.5f * first_length) : 0;
    draw_line(panel, middle, points[0], width, first_head, color);

    // Draw the second half of the line, which ends at the second node. A line of three points bends
    // at points[1].
    view_graph_point last_begin = middle;
    if (count == 3) {
        draw_line(panel, middle, points[1], width, 0, color);
        last_begin = points[1];
    }
    const bool has_last_head = edge->num_transitions[0] > 0;
    const float last_head = has_last_head ? fminf(arrow_head_length, 0.5f * last_length) : 0;
    draw_line(panel, last_begin, points[count - 1], width, last_head, color);
}

// Returns a point on the line of an edge, which must have a line. `part` is the distance along the
// line from its begin, as a fraction of its length.
static view_graph_point point_at(const view_graph_edge *edge, float part)
{
    const view_graph_point *const points = edge->points;
    float distance = 0; // distance of the point from the first point, along the edge
    for (uint32_t i = 1; i < edge->num_points; i++)
        distance += part * segment_length(points + i - 1);

    // Find the segment that contains the point. Then `distance` is the distance from the begin of
    // this segment.
    uint32_t segment = 0;
    while (segment + 2 < edge->num_points && distance > segment_length(points + segment)) {
        distance -= segment_length(points + segment);
        segment++;
    }
    return point_towards(points[segment], points[segment + 1], distance);
}

// Draws a text in the graph, centered at (x, y). Draws nothing if the zoom makes it unreadable. A
// text that is wider than `max_width` is truncated. All lengths are in em.
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

// Draws a rounded box of the color `fill` with a frame of at least one pixel.
static void draw_frame(const graph_panel *panel, view_rect rect, float radius, view_color frame,
                       view_color fill)
{
    const float thickness = fmaxf(0.1f, 1.0f / (panel->em * panel->zoom)); // em
    view_canvas *const canvas = panel->stage->canvas;
    view_draw_round_rect(canvas, scale_rect(rect, panel->em), radius * panel->em, frame);
    view_draw_round_rect(canvas, scale_rect(view_inset(rect, thickness), panel->em),
                         (radius - thickness) * panel->em, fill);
}

// Draws the number of an edge's transitions in the middle of its line, unless there is only one per
// direction. `is_dim` is true if the edge is not connected to the item under the mouse.
static void draw_count(const graph_panel *panel, const view_graph_edge *edge, bool is_dim)
{
    const uint32_t *const counts = edge->num_transitions;
    const uint32_t max_count = counts[0] > counts[1] ? counts[0] : counts[1];
    if (max_count < 2 || edge->num_points == 0)
        return;

    char text[16];
    COMMON_TEXT(text, "%u", max_count);
    const float width = fmaxf(measure_text(panel->stage->font, text) + 0.7f, count_height);
    const view_graph_point middle = point_at(edge, 0.5f);
    const view_rect box = {middle.x - 0.5f * width, middle.y - 0.5f * count_height, width,
                           count_height};
    draw_frame(panel, box, 0.5f * count_height, dimmed(edge_color, is_dim), ground_color);
    draw_text(panel, middle.x, middle.y, width, dimmed(VIEW_PLAIN, is_dim), text);
}

// Returns the edge of the transition that is active now, or MD5_NONE. If no edge leads from the
// previous state to the active one, the transition must come from the node "any state".
static uint32_t running_edge(const graph_panel *panel)
{
    const md5_layer_status *const status = &panel->status;
    if (status->from == MD5_NONE)
        return MD5_NONE;

    uint32_t edge_from_any = MD5_NONE;
    for (uint32_t i = 0; i < panel->graph->num_edges; i++) {
        const view_graph_edge *const edge = &panel->graph->edges[i];
        // The active transition leads from node `begin` of the edge (0 or 1) to node `end`.
        const uint32_t end = edge->ends[0] == status->state ? 0 : 1;
        const uint32_t begin = 1 - end;
        if (edge->ends[end] != status->state || edge->num_transitions[begin] == 0)
            continue;
        if (edge->ends[begin] == status->from)
            return i;
        if (edge->ends[begin] == panel->graph->num_states)
            edge_from_any = i;
    }
    return edge_from_any;
}

// Updates the list of recently taken edges, once per frame. Adds the edge of a transition that has
// just begun, and removes edges that have faded out.
static void store_taken_edges(graph_panel *panel)
{
    view_graph_view *const view = panel->view;
    const double machine_time = panel->machine->time;
    if (panel->ui->is_event)
        return;

    const uint32_t edge = running_edge(panel);
    const bool has_begun = edge != MD5_NONE && edge != view->running;
    if (has_begun) { // the oldest edge is dropped
        memmove(view->recent + 1, view->recent, sizeof view->recent - sizeof view->recent[0]);
        view->recent[0] = (view_recent_edge){edge, machine_time};
    }
    view->running = edge;

    // After a reset, the time of the machine is earlier than the time of the edge. The absolute
    // difference covers this case.
    for (int i = 0; i < VIEW_RECENT_EDGES; i++) {
        view_recent_edge *const recent = &view->recent[i];
        if (fabs(machine_time - recent->time) > recent_lifetime
            || recent->edge >= panel->graph->num_edges)
            recent->edge = MD5_NONE;
    }
}

// Returns true if an edge is highlighted, because it or one of its nodes is under the mouse.
static bool is_edge_lit(const graph_panel *panel, uint32_t edge)
{
    const bool has_hovered = panel->node != MD5_NONE || panel->edge != MD5_NONE;
    return has_hovered && !is_edge_dim(panel, edge);
}

// Draws the lines of all highlighted edges if `are_lit` is true, otherwise of all other edges.
static void draw_edge_lines(const graph_panel *panel, bool are_lit)
{
    const view_graph *const graph = panel->graph;
    for (uint32_t i = 0; i < graph->num_edges; i++) {
        const view_graph_edge *const edge = &graph->edges[i];
        if (is_edge_lit(panel, i) != are_lit)
            continue;
        if (are_lit) {
            draw_edge(panel, edge, 2 * line_width, VIEW_ACCENT);
        } else {
            const bool is_any = touches(edge, graph->num_states); // the node "any state"
            const view_color color = is_any ? VIEW_AMBER : edge_color;
            draw_edge(panel, edge, line_width, dimmed(color, is_edge_dim(panel, i)));
        }
    }
}

// Draws the edges that were taken a short time ago. An edge fades out as it becomes older. The
// newest edge is drawn last, so that it covers older ones.
static void draw_recent_edges(const graph_panel *panel)
{
    for (int i = VIEW_RECENT_EDGES; i-- > 0;) {
        const view_recent_edge *const recent = &panel->view->recent[i];
        if (recent->edge == MD5_NONE)
            continue;
        const float age = (float)fabs(panel->machine->time - recent->time);
        const float opacity = view_clamp(1 - age / (float)recent_lifetime, 0, 1);
        const view_color color = with_alpha(VIEW_ACCENT, (uint32_t)(255 * opacity));
        draw_edge(panel, &panel->graph->edges[recent->edge], 1.5f * line_width, color);
    }
}

// Draws a disc that moves along the edge of the active transition and shows its progress.
static void draw_progress_disc(const graph_panel *panel, const view_graph_edge *edge)
{
    if (panel->stage->shown->reduced_motion || edge->num_points < 2)
        return;
    const float progress = view_clamp(panel->status.progress, 0, 1);
    const bool is_back = edge->ends[1] != panel->status.state; // the transition leads to ends[0]
    const view_graph_point position = point_at(edge, is_back ? 1 - progress : progress);
    view_draw_disc(panel->stage->canvas, position.x * panel->em, position.y * panel->em,
                   progress_radius * panel->em, VIEW_BRIGHT);
}

// Draws all edges. Highlighted edges are drawn later, so that they cover others. The order is:
// normal edges, edges under the mouse, recently taken edges, the edge of the active transition.
static void draw_edges(const graph_panel *panel)
{
    const view_graph *const graph = panel->graph;
    const uint32_t running = running_edge(panel);
    draw_edge_lines(panel, false);
    draw_edge_lines(panel, true);
    draw_recent_edges(panel);
    if (running != MD5_NONE)
        draw_edge(panel, &graph->edges[running], active_line_width, VIEW_ACCENT);

    for (uint32_t i = 0; i < graph->num_edges; i++)
        draw_count(panel, &graph->edges[i], is_edge_dim(panel, i));
    if (running != MD5_NONE)
        draw_progress_disc(panel, &graph->edges[running]);
}

// -- States -----------------------------------------------------------------------------------

// Draws the sign of a transition from a state to itself, centered at (x, y). It is an open circle,
// made of straight lines, with an arrow head.
static void draw_loop(const graph_panel *panel, float x, float y, view_color color)
{
    enum { NUM_LINES = 12 };
    const float radius = 0.38f;                           // em
    const float head = 0.4f;                              // length of the arrow head, em
    const float step = 1.6f * VIEW_PI / (float)NUM_LINES; // 80 % of a circle in all, radians
    view_graph_point begin = {x + radius, y};
    for (int i = 1; i <= NUM_LINES; i++) {
        const float angle = step * (float)i;
        const view_graph_point end = {x + radius * cosf(angle), y + radius * sinf(angle)};
        draw_line(panel, begin, end, line_width, i == NUM_LINES ? head : 0, color);
        begin = end;
    }
}

// Draws the dashed outline of a rectangle in the coordinates of the graph, which are in em.
static void draw_dashes(const graph_panel *panel, view_rect rect, view_color color)
{
    const float dash = 0.45f; // length of a dash, and of the gap after it, em
    const float right = rect.x + rect.width;
    const float bottom = rect.y + rect.height;
    const view_graph_point corners[] = {
        {rect.x, rect.y}, {right, rect.y}, {right, bottom}, {rect.x, bottom}, {rect.x, rect.y}};

    for (int i = 0; i < 4; i++) {
        const view_graph_point *const side = corners + i;
        // Dash k begins 2 k dash lengths after the corner. The last dash is shortened, so that it
        // ends at the next corner.
        for (unsigned k = 0; 2 * dash * (float)k < segment_length(side); k++) {
            const view_graph_point begin = point_towards(side[0], side[1], 2 * dash * (float)k);
            const view_graph_point end = point_towards(side[0], side[1], dash * (float)(2 * k + 1));
            draw_line(panel, begin, end, line_width, 0, color);
        }
    }
}

// Returns true if a node is drawn dim, because it is not connected to the node or edge under the
// mouse.
static bool is_node_dim(const graph_panel *panel, uint32_t node)
{
    const view_graph *const graph = panel->graph;
    if (panel->edge != MD5_NONE)
        return !touches(&graph->edges[panel->edge], node);
    if (panel->node == MD5_NONE || panel->node == node)
        return false;

    for (uint32_t i = 0; i < graph->num_edges; i++) {
        if (touches(&graph->edges[i], panel->node) && touches(&graph->edges[i], node))
            return false;
    }
    return true;
}

// Sets the colors of the frame and of the background of a state. The active state has a filled
// background. During a transition, the previous state is filled instead, and draw_node_progress()
// gradually fills the active state.
static void node_colors(const graph_panel *panel, uint32_t state, view_color *frame,
                        view_color *fill)
{
    const bool is_dim = is_node_dim(panel, state);
    const bool is_active = state == panel->status.state;
    const bool is_left = state == panel->status.from;
    const bool is_in_transition = panel->status.from != MD5_NONE;
    *frame = VIEW_EDGE;
    *fill = dimmed(VIEW_CONTROL, is_dim);
    if (state == panel->node) {
        *frame = VIEW_PLAIN;
        *fill = VIEW_HOVERED;
    }
    if (is_active || is_left)
        *frame = VIEW_ACCENT;
    if (is_left || (is_active && !is_in_transition))
        *fill = VIEW_SELECTED;
    *frame = dimmed(*frame, is_dim);
}

// Draws the background and the frame of a node. The background hides lines that pass behind the
// node.
static void draw_node_box(const graph_panel *panel, uint32_t number)
{
    const view_rect rect = panel->graph->nodes[number].rect;
    const bool is_any = number == panel->graph->num_states;
    view_draw_round_rect(panel->stage->canvas, scale_rect(rect, panel->em), node_radius * panel->em,
                         ground_color);
    if (is_any) {
        draw_dashes(panel, rect, dimmed(VIEW_AMBER, is_node_dim(panel, number)));
    } else {
        view_color frame;
        view_color fill;
        node_colors(panel, number, &frame, &fill);
        draw_frame(panel, rect, node_radius, frame, fill);
    }
}

// Fills a node from the left. The width is proportional to the progress of the transition to it.
static void draw_node_progress(const graph_panel *panel, view_rect rect)
{
    const float border = 0.1f;
    const float min_width = 0.4f;
    const float part = view_clamp(panel->status.progress, 0, 1);
    view_rect filled = view_inset(rect, border);
    filled.width = fmaxf(part * filled.width, min_width);
    view_draw_round_rect(panel->stage->canvas, scale_rect(filled, panel->em),
                         (node_radius - border) * panel->em, VIEW_SELECTED);
}

// Draws the box of a node and its name. If a transition leads from the state to itself, also draws
// the sign of a loop.
static void draw_node(const graph_panel *panel, uint32_t number)
{
    const view_graph_node *const node = &panel->graph->nodes[number];
    const view_rect rect = node->rect;
    const bool is_active = number == panel->status.state;
    const bool is_left = number == panel->status.from; // by the active transition
    draw_node_box(panel, number);
    if (is_active && panel->status.from != MD5_NONE)
        draw_node_progress(panel, rect);

    // The sign of a loop is at the right end of the node. The name is centered in the remaining
    // space.
    const bool is_bright = is_active || is_left || number == panel->node;
    const view_color color =
        dimmed(is_bright ? VIEW_BRIGHT : VIEW_PLAIN, is_node_dim(panel, number));
    const float middle = rect.y + 0.5f * rect.height;
    const float left = rect.x + name_margin;
    float right = rect.x + rect.width - name_margin;
    if (node->loops) {
        draw_loop(panel, right - 0.5f * loop_width, middle, color);
        right -= loop_width;
    }
    draw_text(panel, 0.5f * (left + right), middle, right - left, color, node->name);
}

// Draws the name of a node at full size, at any zoom, in the middle of its visible part.
static void draw_label(const graph_panel *panel, uint32_t node)
{
    const view_ui *const ui = panel->ui;
    const char *const name = panel->graph->nodes[node].name;
    const view_rect rect = visible_rect(panel, panel->graph->nodes[node].rect);
    if (!(rect.width > 0))
        return;
    const float width = ui_text_width(ui, name);
    const view_rect text = {rect.x + 0.5f * (rect.width - width),
                            rect.y + 0.5f * (rect.height - ui->line), width, ui->line};
    view_draw_round_rect(panel->stage->canvas, text, 0.3f * panel->em, ground_color);
    ui_text(ui, text.x, text.y, 0, VIEW_BRIGHT, name);
}

// If the names in the graph are too small to be read, draws the names of the active states and of
// the state under the mouse at full size.
static void draw_labels(const graph_panel *panel)
{
    if (panel->zoom >= VIEW_GRAPH_MIN_SCALE)
        return;
    for (uint32_t i = 0; i < panel->graph->num_nodes; i++) {
        const bool is_active = i == panel->status.from || i == panel->status.state;
        if (is_active || i == panel->node)
            draw_label(panel, i);
    }
}

// Draws all nodes. Also draws the sign of the entry: the word "entry", a disc, and an arrow to the
// start state. The first node is the start state.
static void draw_nodes(const graph_panel *panel)
{
    const view_graph *const graph = panel->graph;
    const view_rect start = graph->nodes[0].rect;
    const float arrow_length = 2.6f;                         // em
    const view_graph_point tip = {start.x, start.y + 0.85f}; // in the middle of the left side
    const view_graph_point disc = {tip.x - arrow_length, tip.y};
    const float text_x = disc.x - 2.6f; // middle of the word
    view_draw_disc(panel->stage->canvas, disc.x * panel->em, disc.y * panel->em, 0.45f * panel->em,
                   VIEW_FINE);
    draw_line(panel, disc, tip, line_width, arrow_head_length, VIEW_FINE);
    draw_text(panel, text_x, disc.y, 4, VIEW_DIM, "entry");
    for (uint32_t i = 0; i < graph->num_nodes; i++)
        draw_node(panel, i);
}

// -- Transitions ------------------------------------------------------------------------------

// Appends the text of a condition, for example "speed > 2", "state time >= 1" or "event step".
static void describe_condition(const md5_condition *condition, char *text, size_t size)
{
    // Formats by md5_condition.compare. Their arguments are the subject and the value. The first
    // two formats ignore the value.
    static const char *const formats[] = {"%s",      "not %s",   "%s < %g",
                                          "%s > %g", "%s <= %g", "%s >= %g"};
    // Subjects of conditions, indexed by md5_condition.kind. If NULL, the subject is the name of
    // the parameter or event.
    static const char *const subjects[] = {NULL, "state time", "time left", NULL};
    const char *const fixed_subject = subjects[condition->kind];
    const char *const subject = fixed_subject != NULL ? fixed_subject : condition->parameter;
    const char *const prefix = condition->kind == MD5_WHEN_EVENT ? "event " : "";

    char comparison[96];
    COMMON_TEXT(comparison, formats[condition->compare], subject, condition->value);
    common_append(text, size, "", "%s%s", prefix, comparison);
    if (condition->longest != 0)
        common_append(text, size, "", " to %g", condition->longest);
}

// Appends the conditions of a transition to an empty text. The conditions of an alternative are
// joined by "and", and alternatives are joined by "or". Returns true if the conditions are
// satisfied now, or if there are none.
static bool describe_conditions(const view_machine *machine, const md5_transition_desc *transition,
                                char *text, size_t size)
{
    bool is_met = false;            // a previous alternative is satisfied
    bool is_alternative_met = true; // all conditions of the current alternative so far
    for (uint32_t i = 0; i < transition->num_conditions; i++) {
        const md5_condition *const condition = &transition->conditions[i];
        if (condition->begins_alternative) {
            is_met = is_met || is_alternative_met;
            is_alternative_met = true;
        }
        is_alternative_met =
            is_alternative_met && md5_player_condition_holds(machine->player, condition);

        if (text[0] != '\0')
            common_append(text, size, "", "%s", condition->begins_alternative ? " or " : " and ");
        describe_condition(condition, text, size);
    }
    return is_met || is_alternative_met;
}

// Appends the time at which a transition may leave its state. Appends nothing if the transition may
// leave at any time.
static void append_exit(const md5_transition_desc *transition, char *text, size_t size)
{
    if (transition->exit_event != NULL)
        common_append(text, size, "", VIEW_DOT "exit at %s", transition->exit_event);
    else if (transition->waits)
        common_append(text, size, "", VIEW_DOT "exit time %g%s", transition->exit,
                      transition->exits_each ? " (each loop)" : "");
}

// Returns the line about a transition in the popup, for example "speed > 2 (met) - cross-fade 0.20
// s". It contains the conditions, the kind and the duration of the fade, the exit time, and
// properties that differ from their defaults.
static ui_line describe_transition(const view_machine *machine,
                                   const md5_transition_desc *transition)
{
    static const char *const fades[] = {"cross-fade", "inertial"}; // by md5_transition_desc.fade
    char conditions[192] = "";
    const bool is_met = describe_conditions(machine, transition, conditions, sizeof conditions);
    ui_line line = {.color = is_met ? VIEW_FINE : VIEW_PLAIN};
    char *const text = line.text;
    const size_t size = sizeof line.text;
    snprintf(text, size, "%s", conditions[0] != '\0' ? conditions : "always");
    if (is_met)
        common_append(text, size, "", " (met)");

    // Append the fade and the exit time.
    if (transition->duration > 0)
        common_append(text, size, "", VIEW_DOT "%s %.2f s", fades[transition->fade],
                      transition->duration);
    else
        common_append(text, size, "", VIEW_DOT "cut");
    append_exit(transition, text, size);

    // Append the properties that differ from the default.
    if (transition->in_step)
        common_append(text, size, "", VIEW_DOT "synchronized");
    else if (transition->keeps_phase)
        common_append(text, size, "", VIEW_DOT "keep phase");
    if (transition->priority != 0)
        common_append(text, size, "", VIEW_DOT "priority %d", transition->priority);
    return line;
}

// Writes lines about the transitions of an edge that lead from edge->ends[end] to its other node.
// They are a title, a line for each transition, and the number of transitions that are not listed.
// `first` is the index of the first transition in view_graph.transitions. Returns the number of
// lines, or 0 if there are no such transitions.
static size_t list_transitions(const graph_panel *panel, const view_graph_edge *edge, uint32_t end,
                               uint32_t first, ui_line lines[MAX_LISTED_TRANSITIONS + 2])
{
    const view_graph *const graph = panel->graph;
    const md5_layer_desc *const layer = &panel->machine->desc->layers[panel->view->layer];
    const uint32_t num_transitions = edge->num_transitions[end];
    size_t count = 0;
    if (num_transitions == 0)
        return 0;

    ui_line *const title = &lines[count++];
    title->color = VIEW_BRIGHT;
    COMMON_TEXT(title->text, "%s \xE2\x86\x92 %s", graph->nodes[edge->ends[end]].name,
                graph->nodes[edge->ends[1 - end]].name);

    for (uint32_t i = 0; i < num_transitions && i < MAX_LISTED_TRANSITIONS; i++) {
        const uint32_t index = graph->transitions[first + i];
        lines[count++] = describe_transition(panel->machine, &layer->transitions[index]);
    }

    if (num_transitions > MAX_LISTED_TRANSITIONS) {
        ui_line *const more = &lines[count++];
        more->color = VIEW_DIM;
        COMMON_TEXT(more->text, "%u more", num_transitions - MAX_LISTED_TRANSITIONS);
    }
    return count;
}

// Lists the transitions of the edge under the mouse, in both directions, in a popup below the
// mouse.
static void draw_popover(const graph_panel *panel)
{
    const view_graph_edge *const edge = &panel->graph->edges[panel->edge];
    const view_ui *const ui = panel->ui;
    ui_line lines[1 + 2 * (MAX_LISTED_TRANSITIONS + 2)] = {
        {VIEW_BRIGHT, "Click to take this transition"}};
    size_t count = 1;
    uint32_t first = edge->first_transition;
    for (uint32_t end = 0; end < 2; end++) {
        count += list_transitions(panel, edge, end, first, lines + count);
        first += edge->num_transitions[end];
    }

    const float gap = 1.2f * panel->em;
    ui_note(ui, ui->mouse.x + gap, ui->mouse.y + gap, ui->mouse.y, lines, count);
}

// -- The panel --------------------------------------------------------------------------------

// A button in the header of the panel.
typedef struct header_button {
    const char *label; // label of the item
    const char *text;
    bool is_selected;
} header_button;

// Draws a button of the header and handles its input. `x` is the right edge of the button if
// `side` is VIEW_AT_RIGHT, otherwise its left edge. Sets `x` to the edge of the next button.
// Returns true if the button was pressed.
static bool run_header_button(const graph_panel *panel, float *x, view_side side,
                              const header_button *button)
{
    view_ui *const ui = panel->ui;
    const float em = panel->em;
    const float padding = UI_PADDING * em;
    const bool is_at_right = side == VIEW_AT_RIGHT;
    const float width = ui_text_width(ui, button->text) + 2 * padding;
    const float left = is_at_right ? *x - width : *x;
    const float top = panel->area.y - (header_height + 0.3f) * em;
    const view_rect rect = {left, top, width, (header_height - 0.2f) * em};
    *x += is_at_right ? -width : width;

    const bool is_pressed = ui_item(ui, rect, button->label);
    const bool is_bright = button->is_selected || ui_is_hot(ui);
    if (is_bright)
        view_draw_round_rect(panel->stage->canvas, rect, 0.3f * em,
                             button->is_selected ? VIEW_SELECTED : VIEW_HOVERED);
    ui_text(ui, rect.x + padding, rect.y + 0.5f * (rect.height - ui->line), 0,
            is_bright ? VIEW_BRIGHT : VIEW_PLAIN, button->text);
    return is_pressed;
}

// Stores a zoom in the view. Moves the graph so that the point of the graph at (x, y) in the window
// (pixels) remains there.
static void set_zoom(const graph_panel *panel, float zoom, float x, float y)
{
    view_graph_view *const view = panel->view;
    const float new_zoom = view_clamp(zoom, lowest_zoom, highest_zoom);
    const float factor = new_zoom / panel->zoom;
    view->x = x - panel->area.x - (x - panel->x) * factor;
    view->y = y - panel->area.y - (y - panel->y) * factor;
    view->zoom = new_zoom;
}

// Sets the zoom and the position so that the whole graph is centered in the area. The zoom is
// limited to `min_zoom` to 1. If the graph is too large at `min_zoom`, its upper left corner is at
// the corner of the area.
static void fit_graph(graph_panel *panel, float min_zoom)
{
    const view_rect area = panel->area;
    const float width = panel->graph->width * panel->em;
    const float height = panel->graph->height * panel->em;
    panel->zoom = view_clamp(fminf(area.width / width, area.height / height), min_zoom, 1);
    panel->x = roundf(area.x + fmaxf(0.5f * (area.width - width * panel->zoom), 0));
    panel->y = roundf(area.y + fmaxf(0.5f * (area.height - height * panel->zoom), 0));
}

// Returns the width of the tab of a layer, in pixels.
static float tab_width(const graph_panel *panel, uint32_t layer)
{
    return (measure_text(panel->stage->font, panel->machine->desc->layers[layer].name) + 1.4f)
           * panel->em;
}

// Returns the first layer whose tab is displayed. The tabs from this layer to the selected one fit
// in `space` pixels.
static uint32_t first_visible_tab(const graph_panel *panel, float space)
{
    uint32_t first = panel->view->layer;
    float used = tab_width(panel, first);
    while (first > 0) {
        used += tab_width(panel, first - 1);
        if (used > space)
            break;
        first--;
    }
    return first;
}

// Draws the tabs of the layers between the x coordinates `x` and `right`. Also handles their
// input. A click selects a layer. Tabs that do not fit are omitted, but the tab of the selected
// layer is always displayed if any tab is.
static void run_layer_tabs(const graph_panel *panel, float x, float right)
{
    const md5_machine_desc *const desc = panel->machine->desc;
    for (uint32_t i = first_visible_tab(panel, right - x); i < desc->num_layers; i++) {
        if (x + tab_width(panel, i) > right)
            break;
        const bool is_selected = i == panel->view->layer;
        char label[96];
        COMMON_TEXT(label, "layer %s", desc->layers[i].name);
        const header_button tab = {
            .label = label, .text = desc->layers[i].name, .is_selected = is_selected};
        if (run_header_button(panel, &x, VIEW_AT_LEFT, &tab) && !is_selected)
            view_select_layer(panel->view, i);
    }
}

// Draws the zoom buttons at the right end of the header: "Fit", +, the zoom in percent, and -.
// Also handles their input. Returns the x coordinate of the leftmost button, in pixels.
static float run_zoom_buttons(const graph_panel *panel)
{
    const view_rect area = panel->area;
    const float middle_x = area.x + 0.5f * area.width;
    const float middle_y = area.y + 0.5f * area.height;
    const header_button fit = {.label = "fit", .text = "Fit"};
    float x = area.x + area.width;
    if (run_header_button(panel, &x, VIEW_AT_RIGHT, &fit)) {
        graph_panel fitted = *panel;
        fit_graph(&fitted, lowest_zoom);
        set_zoom(&fitted, fitted.zoom, 0, 0); // the zoom is the same: stores the position
    }

    char percent[96];
    COMMON_TEXT(percent, "%.0f %%", 100 * (double)panel->zoom);
    const struct {
        header_button button;
        float zoom; // after a press
    } buttons[] = {{{.label = "zoom in", .text = "+"}, 1.25f * panel->zoom},
                   {{.label = "reset zoom", .text = percent}, 1},
                   {{.label = "zoom out", .text = "\xE2\x88\x92"}, 0.8f * panel->zoom}};
    for (size_t i = 0; i < COMMON_LENGTH(buttons); i++) {
        if (run_header_button(panel, &x, VIEW_AT_RIGHT, &buttons[i].button))
            set_zoom(panel, buttons[i].zoom, middle_x, middle_y);
    }
    return x;
}

// Handles the mouse wheel. Over the graph, it zooms. Over the header, it selects the next or the
// previous layer.
static void run_wheel(const graph_panel *panel)
{
    view_ui *const ui = panel->ui;
    if (ui->mouse.wheel == 0 || !ui_is_panel_hot(ui))
        return;
    ui->is_event_handled = true;
    if (view_contains(panel->area, ui->mouse.x, ui->mouse.y)) {
        const float zoom = panel->zoom * powf(zoom_per_wheel_step, ui->mouse.wheel);
        set_zoom(panel, zoom, ui->mouse.x, ui->mouse.y);
    } else {
        const uint32_t count = panel->machine->desc->num_layers;
        const uint32_t step = ui->mouse.wheel < 0 ? 1 : count - 1; // modulo count: 1 or -1
        view_select_layer(panel->view, (panel->view->layer + step) % count);
    }
}

// Draws the header, which contains the tabs of the layers and the zoom buttons, and handles clicks
// on it and the mouse wheel.
static void run_header(const graph_panel *panel)
{
    const float right = run_zoom_buttons(panel);
    run_layer_tabs(panel, panel->area.x, right);
    run_wheel(panel);
}

// Returns the index of the transition that a click on an edge takes. It is the transition with the
// highest priority in one direction. This direction begins at the active state, if a transition of
// the edge does. Otherwise it is the first direction that has transitions.
static uint32_t clicked_transition(const graph_panel *panel, const view_graph_edge *edge)
{
    const uint32_t num_forward = edge->num_transitions[0];
    const uint32_t num_backward = edge->num_transitions[1];
    const bool is_second_active = edge->ends[1] == panel->status.state;

    // The transitions of an edge are consecutive: first those from ends[0] to ends[1], then those
    // in the opposite direction.
    uint32_t first = edge->first_transition;
    uint32_t count = num_forward;
    if (num_forward == 0 || (num_backward > 0 && is_second_active)) {
        first += num_forward;
        count = num_backward;
    }

    const md5_transition_desc *const transitions =
        panel->machine->desc->layers[panel->view->layer].transitions;
    uint32_t best = panel->graph->transitions[first];
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t candidate = panel->graph->transitions[first + i];
        if (transitions[candidate].priority > transitions[best].priority)
            best = candidate;
    }
    return best;
}

// Returns true if the cached layout is still valid. It depends on the selected layer, the machine
// (by its fingerprint), the font and the area.
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

// Lays out the selected layer. Stores the inputs of the layout for is_laid_out(). A new machine is
// displayed at its default zoom. The recent edges are removed, because their indices belong to the
// previous layout.
static void lay_out_layer(graph_panel *panel, view_graph_area area, uint64_t fingerprint)
{
    view_graph_view *const view = panel->view;
    const view_font *const font = panel->stage->font;
    view_free_graph(view->graph);
    if (view->fingerprint != fingerprint)
        view->zoom = 0;
    view->graph =
        view_lay_out_graph(&panel->machine->desc->layers[view->layer], area, measure_text, font);

    view->fingerprint = fingerprint;
    view->scale = font->scale;
    view->laid_out = view->layer;
    view->area_of_layout = area;
    view->running = MD5_NONE;
    for (int i = 0; i < VIEW_RECENT_EDGES; i++)
        view->recent[i].edge = MD5_NONE;
}

// Prepares a run. Lays out the selected layer if necessary, reads the state of the machine, and
// computes the position and the zoom of the graph.
static void open_graph(graph_panel *panel)
{
    view_graph_view *const view = panel->view;
    const uint64_t fingerprint = md5_machine_fingerprint(panel->machine->character->machine);
    const view_graph_area area = {panel->area.width / panel->em, panel->area.height / panel->em};
    if (view->layer >= panel->machine->desc->num_layers)
        view->layer = 0;
    if (!is_laid_out(panel, area, fingerprint))
        lay_out_layer(panel, area, fingerprint);

    // The layout contains pointers to names. They are invalid if the machine was read again, so
    // they are updated.
    for (uint32_t i = 0; i < view->graph->num_states; i++)
        view->graph->nodes[i].name = panel->machine->desc->layers[view->layer].states[i].name;

    panel->graph = view->graph;
    panel->status = md5_player_layer(panel->machine->player, view->layer);
    panel->zoom = view->zoom;
    panel->x = panel->area.x + view->x;
    panel->y = panel->area.y + view->y;

    // If the user has not set a zoom, show the whole graph. If its names would be too small to be
    // read, show its beginning at full size.
    if (view->zoom > 0)
        return;
    fit_graph(panel, lowest_zoom);
    if (panel->zoom < VIEW_GRAPH_MIN_SCALE)
        fit_graph(panel, 1);
}

// Returns the nearest visible state in a direction from the state `from`, or `from` if there is
// none. `axis` (0: x, 1: y) and `sign` are the direction. The distance perpendicular to the
// direction counts twice, so that states straight ahead are preferred.
static uint32_t nearest_state(const graph_panel *panel, uint32_t from, int axis, float sign)
{
    const view_rect origin = visible_rect(panel, panel->graph->nodes[from].rect);
    uint32_t nearest = from;
    float min_distance = INFINITY;
    for (uint32_t i = 0; i < panel->graph->num_states; i++) {
        const view_rect rect = visible_rect(panel, panel->graph->nodes[i].rect);
        if (!(rect.width > 0)) // not visible
            continue;

        // The vector from center to center, in pixels.
        const float offset[2] = {rect.x - origin.x + 0.5f * (rect.width - origin.width),
                                 rect.y - origin.y + 0.5f * (rect.height - origin.height)};
        const float ahead = sign * offset[axis];
        const float across = fabsf(offset[1 - axis]);
        const float distance = ahead + 2 * across;
        if (ahead > 1 && distance < min_distance) {
            min_distance = distance;
            nearest = i;
        }
    }
    return nearest;
}

// Handles the arrow keys. A key moves the focus from the state `focused` to the nearest visible
// state in its direction.
static void move_focus(const graph_panel *panel, uint32_t focused)
{
    static const struct {
        int32_t key;
        int axis;
        float sign;
    } directions[] = {{VIEW_KEY_LEFT, 0, -1},
                      {VIEW_KEY_RIGHT, 0, 1},
                      {VIEW_KEY_UP, 1, -1},
                      {VIEW_KEY_DOWN, 1, 1}};
    for (size_t i = 0; i < COMMON_LENGTH(directions); i++) {
        if (!ui_key(panel->ui, directions[i].key))
            continue;
        const uint32_t nearest =
            nearest_state(panel, focused, directions[i].axis, directions[i].sign);
        // The items of the states have consecutive numbers, so the focus moves by the difference of
        // their indices. A negative difference wraps around.
        panel->ui->focus.item.number += nearest - focused;
    }
}

// Adds an item for each state, so that the mouse and the keyboard can activate it. An invisible
// state also has an item, but without a label. The numbers of the items are therefore independent
// of the position of the graph.
static void run_node_items(const graph_panel *panel)
{
    view_ui *const ui = panel->ui;
    const uint32_t layer = panel->view->layer;
    const char *const layer_name = panel->machine->desc->layers[layer].name;
    uint32_t focused = MD5_NONE;
    for (uint32_t i = 0; i < panel->graph->num_states; i++) {
        const char *const name = panel->graph->nodes[i].name;
        const view_rect rect = visible_rect(panel, panel->graph->nodes[i].rect);
        char label[160] = "";
        if (rect.width > 0)
            COMMON_TEXT(label, "%s/%s", layer_name, name);

        if (ui_item(ui, rect, label))
            UI_COMMAND(ui, VIEW_GO_TO_STATE, .number = layer, .item = i);
        ui_context(ui, VIEW_ON_STATE, layer, i, name, NULL);
        if (ui_is_focused(ui))
            focused = i;
    }
    if (focused != MD5_NONE && ui->focus.is_shown)
        move_focus(panel, focused);
}

// Draws the graph at a zoom of 1 with its upper left corner at the origin. Then moves its vertices
// to their positions in the window. The clip rectangle must be valid before this step, so it is
// transformed to the graph.
static void draw_graph(const graph_panel *panel)
{
    view_canvas *const canvas = panel->stage->canvas;
    const view_rect area = panel->area;
    const uint32_t first = canvas->count; // first vertex of the graph
    const view_rect clip = {(area.x - panel->x) / panel->zoom, (area.y - panel->y) / panel->zoom,
                            area.width / panel->zoom, area.height / panel->zoom};
    const view_rect previous_clip = view_clip_canvas(canvas, clip);
    draw_edges(panel);
    draw_nodes(panel);
    view_clip_canvas(canvas, previous_clip);

    for (uint32_t i = first; i < canvas->count; i++) {
        md5gl_panel_vertex *const vertex = &canvas->vertices[i];
        vertex->x = panel->x + vertex->x * panel->zoom;
        vertex->y = panel->y + vertex->y * panel->zoom;
    }
}

// Returns the area of the graph in the dock, below the header.
static view_rect find_graph_area(view_rect box, float em)
{
    const float padding = UI_PADDING * em;
    return (view_rect){box.x + padding, box.y + header_height * em + 1.5f * padding,
                       box.width - 2 * padding, box.height - header_height * em - 2.2f * padding};
}

// Moves the graph while its background is dragged. `is_pressed` is true if the panel was pressed in
// this run. A press on an edge takes a transition and does not begin a drag.
static void drag_graph(const graph_panel *panel, view_rect box, bool is_pressed)
{
    view_ui *const ui = panel->ui;
    view_graph_view *const view = panel->view;
    const bool is_gripped = is_pressed && panel->edge == MD5_NONE;
    float unused;
    if (is_gripped) {
        view->grip_x = ui->mouse.x;
        view->grip_y = ui->mouse.y;
    }
    if (!ui_drag(ui, is_gripped, box, &unused))
        return;

    // The user now determines the position and the zoom. Store the displayed ones, then move the
    // graph by the movement of the mouse since the last event.
    set_zoom(panel, panel->zoom, ui->mouse.x, ui->mouse.y);
    view->x += ui->mouse.x - view->grip_x;
    view->y += ui->mouse.y - view->grip_y;
    view->grip_x = ui->mouse.x;
    view->grip_y = ui->mouse.y;
}

// Handles clicks on the edge under the mouse. A click takes a transition. A click with the right
// button opens the context menu of the transition.
static void run_hovered_edge(const graph_panel *panel, bool is_pressed)
{
    view_ui *const ui = panel->ui;
    const uint32_t layer = panel->view->layer;
    if (panel->edge == MD5_NONE)
        return;
    const uint32_t transition = clicked_transition(panel, &panel->graph->edges[panel->edge]);
    ui_context(ui, VIEW_ON_EDGE, layer, transition, NULL, NULL);
    if (is_pressed)
        UI_COMMAND(ui, VIEW_TAKE_TRANSITION, .number = layer, .item = transition);
}

// Returns a number that identifies the node or edge under the mouse, or 0. If it differs from the
// number of the last run, the graph must be drawn again.
static uint32_t hovered_number(const graph_panel *panel)
{
    if (panel->node != MD5_NONE)
        return 1 + panel->node;
    return panel->edge != MD5_NONE ? 1 + panel->graph->num_nodes + panel->edge : 0;
}

// Draws the state graph of a machine in the bottom dock, and handles the mouse and the keys in
// it. Input is handled before drawing, so that the graph shows its result in the same frame.
void view_graph_panel(view_ui *ui, view_graph_view *view)
{
    const view_stage *const stage = ui->stage;
    const view_rect box = view_current_layout(stage).docks[VIEW_DOCK_BOTTOM];
    const float em = text_height(stage->font);
    graph_panel panel = {.ui = ui,
                         .stage = stage,
                         .view = view,
                         .machine = &ui->scene->machine,
                         .em = em,
                         .area = find_graph_area(box, em)};
    const bool has_space = box.width >= 20 * em && panel.area.height >= 2 * em;
    if (panel.machine->desc->num_layers == 0 || !has_space)
        return;

    // Handle the mouse and the keys.
    open_graph(&panel);
    view_draw_round_rect(stage->canvas, box, VIEW_RADIUS * ui->scale, panel_color);
    const bool is_pressed = ui_box(ui, "state", box, "");
    find_hovered(&panel);
    drag_graph(&panel, box, is_pressed);
    run_hovered_edge(&panel, is_pressed);
    run_node_items(&panel);
    view->hovered = hovered_number(&panel);

    // Draw the graph before the header and the popup, which are above it.
    store_taken_edges(&panel);
    if (!ui->is_event)
        draw_graph(&panel);
    draw_labels(&panel);
    run_header(&panel);
    if (panel.edge != MD5_NONE && !ui->is_event)
        draw_popover(&panel);
}
