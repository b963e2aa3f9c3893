// The layout of a state graph in columns (K. Sugiyama, S. Tagawa, M. Toda, Methods for Visual
// Understanding of Hierarchical System Structures, 1981). After each column is a channel for
// verticals, above each row a gap for level lanes. What is left of a node in its row, up to the
// node before it, belongs to the lines that end at it: a line leads from its left node up or down
// in the next channel to the row of its right node, or, if a node is in between, to a lane beside
// that row. So none meets a foreign node, and none has to look for a way.
#include "demo/viewer/ui/graph_layout.h"

#include "demo/common/memory.h"

static const float node_width = 8, node_height = 1.7f, row_gap = 0.7f, track_width = 0.7f,
                   lane_height = 0.6f, channel_width = 3.2f, channel_end = 1.1f,
                   text_padding = 0.8f, sign_width = 1.5f, more_width = 2.6f, mark_gap = 0.9f,
                   mark_padding = 0.5f, mark_height = 1.3f, entry_width = 7;

enum { HUB_NEIGHBOURS = 8, SWEEPS = 8 };

// What is known of a node while it is placed. States that alternate are a unit, for which columns
// are found and edges are listed; it has the number of the first.
typedef struct graph_place {
    uint32_t unit, degree;          // degree: edges
    uint32_t column, row;           // the hub's column is 0
    uint32_t after;                 // its row is free from the channel of this column on
    double level;                   // where it is while rows are found
    enum { NEW, WAITS, DONE } mark; // whether its column is found
    bool is_paired, is_pinned;      // is_pinned: the hub leads to it, in the first column after it
    bool uses_right;                // a line begins or ends at its right side
} graph_place;

// What is sorted by keys, and then by its number.
typedef struct graph_item {
    double keys[4];
    uint32_t number, size; // size, sum: see set_rows()
    double sum;
} graph_item;

// How the line of an edge runs from `left` to `right`; of one column, `right` is the state that it
// leads to. Without a lane it has at most one vertical.
typedef enum route_class { ROUTE_FORWARD, ROUTE_BACK, ROUTE_SIDE, ROUTE_UPRIGHT } route_class;
typedef struct graph_route {
    uint32_t edge, left, right;
    route_class class;
    uint32_t num_verticals, channels[2], tracks[2];
    uint32_t gap, lane; // with two verticals
} graph_route;

// A column or a row.
typedef struct graph_band {
    uint32_t begin, end;         // nodes in the order of rows
    uint32_t num_lines;          // in the channel after the column, or above the row
    float start, width, channel; // left or upper edge; of a column also these
} graph_band;

typedef struct layout {
    view_measure_fn *measure;
    const void *user;
    view_graph *graph;
    uint32_t *first, *links; // edges of each unit: links[first[unit]...]
    graph_place *places;     // of each node
    graph_item *items;
    graph_route *routes;
    graph_band *columns, *rows;
    uint32_t num_columns, num_rows, num_routes;
} layout;

static int compare_items(const void *a, const void *b)
{
    const graph_item *const x = a, *const y = b;
    COMMON_FOR (i, 4)
        if (x->keys[i] < y->keys[i] || x->keys[i] > y->keys[i])
            return x->keys[i] < y->keys[i] ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

// == Edges ========================================================================================

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(const md5_state_desc *const *)a)->name,
                  (*(const md5_state_desc *const *)b)->name);
}

static uint32_t find_state(const md5_layer_desc *layer, const md5_state_desc **names,
                           const char *name)
{
    const md5_state_desc key = {.name = name}, *const wanted = &key;
    const md5_state_desc **const found =
        bsearch(&wanted, names, layer->num_states, sizeof *names, compare_names);
    return found != NULL ? (uint32_t)(*found - layer->states) : MD5_NONE;
}

// Makes an edge of the transitions between each two nodes.
static void fold_edges(view_graph *graph, const md5_layer_desc *layer)
{
    const uint32_t num_states = layer->num_states, num_ways = layer->num_transitions;
    const md5_state_desc **const names = common_alloc(num_states, sizeof *names);
    graph_item *const ways = common_alloc(num_ways, sizeof *ways);
    graph->nodes = common_alloc((size_t)num_states + 1, sizeof *graph->nodes);
    graph->edges = common_alloc(num_ways, sizeof *graph->edges);
    graph->ways = common_alloc(num_ways, sizeof *graph->ways);
    graph->num_states = graph->num_nodes = num_states;
    COMMON_FOR (i, num_states) {
        names[i] = &layer->states[i];
        graph->nodes[i].name = layer->states[i].name;
    }
    graph->nodes[num_states].name = "any state";
    qsort(names, num_states, sizeof *names, compare_names);
    COMMON_FOR (i, num_ways) {
        const char *const name = layer->transitions[i].from;
        const uint32_t from = name != NULL ? find_state(layer, names, name) : num_states;
        const uint32_t to = find_state(layer, names, layer->transitions[i].to);
        if (from == MD5_NONE || to == MD5_NONE)
            continue;
        if (from == num_states)
            graph->num_nodes = num_states + 1;
        ways[graph->num_ways++] =
            (graph_item){.keys = {fmin(from, to), fmax(from, to), from > to}, .number = i};
    }
    qsort(ways, graph->num_ways, sizeof *ways, compare_items);
    COMMON_FOR (i, graph->num_ways) {
        const uint32_t low = (uint32_t)ways[i].keys[0], high = (uint32_t)ways[i].keys[1];
        const view_graph_edge *const last = &graph->edges[graph->num_edges - (i > 0)];
        if (i == 0 || last->ends[0] != low || last->ends[1] != high)
            graph->edges[graph->num_edges++] =
                (view_graph_edge){.kind = low == high ? VIEW_EDGE_LOOP : VIEW_EDGE_LINE,
                                  .ends = {low, high},
                                  .first_way = i};
        graph->nodes[low].loops |= low == high;
        graph->edges[graph->num_edges - 1].num_ways[ways[i].keys[2] > 0]++;
        graph->ways[i] = ways[i].number;
    }
    free(ways);
    free(names);
}

// == Roles ========================================================================================

static bool is_free(const layout *of, uint32_t node)
{
    return of->graph->nodes[node].place == VIEW_NODE_COLUMN;
}

// Finds the hub, the states in its box, and what that makes of edges. In the box is what is reached
// from the hub alone and returns to it, if the hub leads to all else that it leads to.
static void find_roles(layout *of)
{
    view_graph *const graph = of->graph;
    graph_place *const places = of->places;
    uint32_t hub = MD5_NONE;
    COMMON_FOR (i, 2 * graph->num_edges) {
        const uint32_t node = graph->edges[i / 2].ends[i % 2];
        places[node].degree += graph->edges[i / 2].kind == VIEW_EDGE_LINE;
        if (node < graph->num_states && places[node].degree >= HUB_NEIGHBOURS
            && (hub == MD5_NONE || places[node].degree > places[hub].degree))
            hub = node;
    }
    graph->hub = hub;
    for (uint32_t i = 0; i < 6 * graph->num_edges && hub != MD5_NONE; i++) {
        const uint32_t pass = i / (2 * graph->num_edges), end = i % 2;
        view_graph_edge *const edge = &graph->edges[i / 2 % graph->num_edges];
        const uint32_t number = edge->ends[end], other = edge->ends[1 - end];
        view_graph_node *const node = &graph->nodes[number];
        const bool is_led_to = edge->num_ways[1 - end] > 0;
        if (edge->kind == VIEW_EDGE_LOOP || number == hub)
            continue;
        if (pass == 0 && other == hub) {
            places[number].is_pinned = is_led_to;
            if (edge->num_ways[end] > 0 && is_led_to && number != 0)
                node->place = VIEW_NODE_BOXED;
        } else if (pass == 1 && other != hub && (is_led_to || !places[other].is_pinned)) {
            node->place = VIEW_NODE_COLUMN;
        } else if (pass == 2 && node->place == VIEW_NODE_BOXED) {
            edge->kind = other == hub ? VIEW_EDGE_BOXED : VIEW_EDGE_MORE;
            node->num_more += other != hub;
        } else if (pass == 2 && other == hub) {
            edge->kind = is_led_to ? VIEW_EDGE_HUB : VIEW_EDGE_STUB;
            node->returns = !is_led_to;
        }
    }
    if (hub != MD5_NONE)
        graph->nodes[hub].place = VIEW_NODE_HUB;
}

// States that alternate have names that differ after the last "_": walk_left, walk_right.
static bool are_alike(const char *a, const char *b)
{
    const char *const end = strrchr(a, '_'), *const other = strrchr(b, '_');
    return end != NULL && other != NULL && end - a == other - b
           && strncmp(a, b, (size_t)(end - a)) == 0;
}

// Finds the states that alternate, and lists the edges of each unit.
static void find_units(layout *of)
{
    const view_graph *const graph = of->graph;
    graph_place *const places = of->places;
    COMMON_FOR (i, graph->num_nodes)
        places[i].unit = i;
    COMMON_FOR (i, graph->num_edges) {
        const view_graph_edge *const edge = &graph->edges[i];
        const uint32_t a = edge->ends[0], b = edge->ends[1];
        if (edge->kind == VIEW_EDGE_LINE && edge->num_ways[0] > 0 && edge->num_ways[1] > 0
            && !places[a].is_paired && !places[b].is_paired
            && are_alike(graph->nodes[a].name, graph->nodes[b].name)) {
            places[a].is_paired = places[b].is_paired = true;
            places[b].unit = a;
            places[a].is_pinned = places[b].is_pinned |= places[a].is_pinned;
        }
    }
    of->first = common_alloc((size_t)graph->num_nodes + 2, sizeof *of->first);
    of->links = common_alloc(2 * (size_t)graph->num_edges, sizeof *of->links);
    COMMON_FOR (i, 2 * graph->num_edges)
        of->first[places[graph->edges[i / 2].ends[i % 2]].unit + 2]++;
    for (uint32_t i = 2; i < graph->num_nodes + 2; i++)
        of->first[i] += of->first[i - 1];
    COMMON_FOR (i, 2 * graph->num_edges)
        of->links[of->first[places[graph->edges[i / 2].ends[i % 2]].unit + 1]++] = i / 2;
}

// == Columns and rows =============================================================================

// The column of each node: the longest way from the hub, the first state or any state, without
// edges that lead back to what is reached before. What the hub leads to is beside it.
static void find_columns(layout *of)
{
    const view_graph *const graph = of->graph;
    graph_place *const places = of->places;
    const uint32_t num_nodes = graph->num_nodes, base = graph->hub != MD5_NONE ? 1 : 0;
    uint32_t head = 0, tail = 0;
    COMMON_FOR (i, 2 * num_nodes) {
        const uint32_t node = i < num_nodes ? i : i - num_nodes;
        if (is_free(of, node) && places[node].unit == node && places[node].mark == NEW
            && (i >= num_nodes || node == 0 || node == graph->num_states
                || places[node].is_pinned)) {
            places[node].mark = WAITS;
            of->items[tail++].number = node;
            places[node].column = base;
        }
        while (head < tail && i >= num_nodes) {
            const uint32_t unit = of->items[head++].number;
            places[unit].mark = DONE;
            for (uint32_t k = of->first[unit]; k < of->first[unit + 1]; k++) {
                const view_graph_edge *const edge = &graph->edges[of->links[k]];
                const uint32_t end = places[edge->ends[0]].unit == unit ? 0 : 1;
                const uint32_t target = places[edge->ends[1 - end]].unit;
                if (edge->kind != VIEW_EDGE_LINE || edge->num_ways[end] == 0
                    || places[target].mark == DONE)
                    continue;
                if (places[target].mark == NEW)
                    of->items[tail++].number = target;
                places[target].mark = WAITS;
                if (places[target].column <= places[unit].column && !places[target].is_pinned)
                    places[target].column = places[unit].column + 1;
            }
        }
    }
    COMMON_FOR (i, num_nodes)
        places[i].column = places[places[i].unit].column;
}

// Where a node wishes to be: in the middle of its neighbours at its left or right side.
static double wish_beside(const layout *of, uint32_t node, bool at_left)
{
    const graph_place *const place = &of->places[node];
    double sum = 0, count = 0;
    for (uint32_t k = of->first[place->unit]; k < of->first[place->unit + 1]; k++) {
        const view_graph_edge *const edge = &of->graph->edges[of->links[k]];
        const uint32_t end = edge->ends[0] == node ? 0 : 1;
        const graph_place *const other = &of->places[edge->ends[1 - end]];
        if (edge->ends[end] == node && edge->kind == VIEW_EDGE_LINE
            && (at_left ? other->column < place->column : other->column > place->column)) {
            sum += other->level;
            count += 1;
        }
    }
    return count > 0 ? sum / count : place->level;
}

// Orders the nodes of a column by where they wish to be, and puts each as near to that as the
// others permit: those that push each other become a pool, in the middle of their wishes.
static void set_rows(const layout *of, graph_item *items, uint32_t count, bool forward)
{
    uint32_t num_pools = 0;
    COMMON_FOR (i, count) {
        double *const keys = items[i].keys;
        keys[1] = keys[3] = wish_beside(of, items[i].number, forward);
        if (i > 0 && items[i - 1].keys[2] == keys[2])
            keys[1] = items[i - 1].keys[1] = 0.5 * (keys[1] + items[i - 1].keys[1]);
    }
    qsort(items, count, sizeof *items, compare_items);
    COMMON_FOR (i, count) {
        const bool is_second = i > 0 && items[i - 1].keys[2] == items[i].keys[2]; // it is below
        graph_item *pool = &items[num_pools++];
        pool->sum = items[i].keys[1] + is_second - i;
        pool->size = 1;
        for (; num_pools > 1 && pool->sum * pool[-1].size <= pool[-1].sum * pool->size; pool--) {
            pool[-1].sum += pool->sum;
            pool[-1].size += pool->size;
            num_pools--;
        }
    }
    for (uint32_t pool = 0, i = 0; pool < num_pools; pool++)
        for (const uint32_t end = i + items[pool].size; i < end; i++)
            of->places[items[i].number].level = round(items[pool].sum / items[pool].size) + i;
}

// Places nodes in their columns beside their neighbours; rows that nothing is in are left out.
static void find_rows(layout *of)
{
    graph_place *const places = of->places;
    graph_item *const items = of->items;
    uint32_t count = 0;
    of->num_columns = of->graph->hub != MD5_NONE ? 1 : 0;
    COMMON_FOR (i, of->graph->num_nodes)
        if (is_free(of, i))
            items[count++] =
                (graph_item){.keys = {places[i].column, 0, places[i].unit}, .number = i};
    qsort(items, count, sizeof *items, compare_items);
    COMMON_FOR (i, count) {
        graph_band *const column = &of->columns[(uint32_t)items[i].keys[0]];
        column->begin = column->end == 0 ? i : column->begin;
        column->end = i + 1;
        of->num_columns = (uint32_t)items[i].keys[0] + 1;
        places[items[i].number].level = i - column->begin;
    }
    COMMON_FOR (i, (SWEEPS + 1) * of->num_columns) {
        const bool forward = i / of->num_columns % 2 == 0;
        const uint32_t step = i % of->num_columns;
        const graph_band *const column = &of->columns[forward ? step : of->num_columns - 1 - step];
        set_rows(of, items + column->begin, column->end - column->begin, forward);
    }
    COMMON_FOR (i, count) {
        const graph_place *const place = &places[items[i].number];
        items[i] = (graph_item){.keys = {place->level, place->column}, .number = items[i].number};
    }
    qsort(items, count, sizeof *items, compare_items);
    COMMON_FOR (i, count) {
        const bool is_new = i == 0 || items[i].keys[0] > items[i - 1].keys[0];
        of->num_rows += is_new;
        places[items[i].number].row = of->num_rows - 1;
        places[items[i].number].after = is_new ? 0 : places[items[i - 1].number].column;
    }
}

// == Routes =======================================================================================

// Finds the verticals and the lane of each line between columns.
static void find_routes(layout *of)
{
    const view_graph *const graph = of->graph;
    COMMON_FOR (i, graph->num_edges) {
        const view_graph_edge *const edge = &graph->edges[i];
        graph_place *const ends[2] = {&of->places[edge->ends[0]], &of->places[edge->ends[1]]};
        const bool is_side = ends[0]->column == ends[1]->column;
        const bool is_turned = is_side ? edge->num_ways[0] == 0 : ends[0]->column > ends[1]->column;
        graph_place *const left = ends[is_turned], *const right = ends[!is_turned];
        const bool is_near = left->row + 1 == right->row || right->row + 1 == left->row;
        const bool is_blocked = left->column < right->after && !is_side;
        if (edge->kind != VIEW_EDGE_LINE)
            continue;
        graph_route *const route = &of->routes[of->num_routes++];
        *route = (graph_route){.edge = i,
                               .left = edge->ends[is_turned],
                               .right = edge->ends[!is_turned],
                               .class = is_side && is_near              ? ROUTE_UPRIGHT
                                        : is_side                       ? ROUTE_SIDE
                                        : edge->num_ways[is_turned] > 0 ? ROUTE_FORWARD
                                                                        : ROUTE_BACK,
                               .channels = {left->column, right->after}};
        left->uses_right |= route->class != ROUTE_UPRIGHT;
        right->uses_right |= route->class == ROUTE_SIDE;
        if (route->class != ROUTE_UPRIGHT)
            route->num_verticals = is_blocked ? 2 : left->row != right->row;
        COMMON_FOR (k, route->num_verticals)
            route->tracks[k] = of->columns[route->channels[k]].num_lines++;
        route->gap = right->row + (route->class == ROUTE_BACK || left->row > right->row);
        if (is_blocked)
            route->lane = of->rows[route->gap].num_lines++;
    }
}

// The heights at which a line begins, runs level, and ends. Lines that only leave a node do so
// beside its middle, so that heads there are those of others.
static void find_levels(const layout *of, const graph_route *route, float levels[3])
{
    static const float ends[] = {[ROUTE_FORWARD] = 0, [ROUTE_BACK] = 0.45f, [ROUTE_SIDE] = 0.6f};
    const view_graph_edge *const edge = &of->graph->edges[route->edge];
    const bool returns = edge->num_ways[edge->ends[0] != route->right] > 0;
    levels[0] = of->rows[of->places[route->left].row].start + 0.5f * node_height;
    levels[1] = levels[2] = of->rows[of->places[route->right].row].start + 0.5f * node_height;
    if (route->num_verticals == 0)
        return;
    levels[1] = levels[2] += ends[route->class];
    if (route->num_verticals > 1)
        levels[1] = of->rows[route->gap].start - 0.5f - lane_height * (float)route->lane;
    if (!returns)
        levels[0] += levels[1] > levels[0] ? 0.3f : -0.3f;
}

// The heights of rows and the lanes above them.
static void set_heights(layout *of)
{
    float y = 0;
    for (uint32_t i = 0; i <= of->num_rows; i++) {
        const bool is_between = i > 0 && i < of->num_rows;
        if (is_between || of->rows[i].num_lines > 0)
            y += fmaxf(lane_height * (float)of->rows[i].num_lines + 0.3f, row_gap);
        of->rows[i].start = y;
        y += i < of->num_rows ? node_height : 0;
    }
    of->graph->height = fmaxf(y, node_height);
}

// == Places =======================================================================================

// How wide the node of a state has to be for its name and signs.
static float wish_width(const layout *of, uint32_t node, float mark)
{
    const view_graph_node *const known = &of->graph->nodes[node];
    const bool is_inside = known->returns && of->places[node].uses_right;
    const float signs = (known->loops ? sign_width : 0) + (is_inside ? mark + mark_padding : 0)
                        + (known->num_more > 0 ? more_width : 0);
    return fmaxf(of->measure(of->user, known->name) + 2 * text_padding + signs, node_width);
}

// The box of detours left of the hub, below the entry; returns its width with the gap after it.
static float place_box(layout *of)
{
    view_graph *const graph = of->graph;
    const float padding = 0.6f, title = 1.9f, step = node_height + row_gap;
    uint32_t count = 0, number = 0;
    float width = 0;
    COMMON_FOR (i, graph->num_states)
        if (graph->nodes[i].place == VIEW_NODE_BOXED) {
            width = fmaxf(width, wish_width(of, i, 0) + padding);
            count++;
        }
    if (count == 0)
        return 0;
    const uint32_t across = count > 1 ? count / (of->num_rows + 6) + 2 : 1;
    const uint32_t num_rows = (count + across - 1) / across;
    const float height = title + step * (float)num_rows;
    graph->height = fmaxf(graph->height, height + step);
    graph->box = (view_rect){0, fmaxf(0.5f * (graph->height - height), step),
                             width * (float)across + padding, height};
    COMMON_FOR (i, graph->num_states)
        if (graph->nodes[i].place == VIEW_NODE_BOXED) {
            const uint32_t row = number / across, column = number++ % across;
            graph->nodes[i].rect =
                (view_rect){padding + width * (float)column,
                            graph->box.y + title + step * (float)row, width - padding, node_height};
        }
    return graph->box.width + channel_width;
}

// Places everything from left to right: box, hub, columns, each with the channel after it.
static void place_nodes(layout *of)
{
    view_graph *const graph = of->graph;
    const char *const name = graph->hub != MD5_NONE ? graph->nodes[graph->hub].name : "";
    const float mark = of->measure(of->user, name) + 2 * mark_padding, above = graph->height;
    float x = fmaxf(place_box(of), of->places[0].column == 0 ? entry_width : 0);
    for (uint32_t i = 0; i <= of->num_rows; i++) // the box may be higher
        of->rows[i].start += 0.5f * (graph->height - above);
    COMMON_FOR (i, graph->num_nodes) {
        graph_band *const column = &of->columns[of->places[i].column];
        if (graph->nodes[i].place != VIEW_NODE_BOXED)
            column->width = fmaxf(column->width, wish_width(of, i, mark));
        if (graph->nodes[i].returns && !of->places[i].uses_right)
            column->channel = mark_gap + mark;
    }
    COMMON_FOR (i, of->num_columns) {
        graph_band *const column = &of->columns[i];
        column->start = x;
        column->channel += x + column->width;
        x = column->channel
            + fmaxf(2 * channel_end + track_width * ((float)column->num_lines - 1), channel_width);
        // Lines between nodes of the last column are at its right.
        graph->width = column->num_lines > 0 ? x : column->channel;
    }
    COMMON_FOR (i, graph->num_nodes) {
        view_graph_node *const node = &graph->nodes[i];
        const graph_place *const place = &of->places[i];
        const graph_band *const column = &of->columns[place->column];
        const float right = column->start + column->width, top = of->rows[place->row].start;
        if (node->place == VIEW_NODE_HUB)
            node->rect = (view_rect){column->start, 0, column->width, graph->height};
        if (!is_free(of, i))
            continue;
        node->rect = (view_rect){column->start, top, column->width, node_height};
        node->mark = (view_rect){place->uses_right ? right - mark - 0.3f : right + mark_gap,
                                 top + 0.5f * (node_height - mark_height), node->returns ? mark : 0,
                                 mark_height};
    }
}

// == Lines ========================================================================================

// Adds the line of an edge, which begins at a node.
static void add_line(view_graph *graph, view_graph_edge *edge, uint32_t begin,
                     const view_graph_point *points, uint32_t count)
{
    edge->first_point = graph->num_points;
    edge->num_points = count;
    COMMON_FOR (i, count)
        graph->points[graph->num_points++] = points[edge->ends[0] == begin ? i : count - 1 - i];
}

static void add_route(const layout *of, const graph_route *route)
{
    const view_rect left = of->graph->nodes[route->left].rect,
                    right = of->graph->nodes[route->right].rect;
    const bool is_down = left.y < right.y, is_side = route->class == ROUTE_SIDE;
    const float x = left.x + 0.5f * left.width, end = right.x + (is_side ? right.width : 0);
    float levels[3];
    uint32_t count = 1;
    find_levels(of, route, levels);
    view_graph_point points[6] = {{left.x + left.width, levels[0]}};
    COMMON_FOR (i, route->num_verticals) {
        const float vertical = of->columns[route->channels[i]].channel + channel_end
                               + track_width * (float)route->tracks[i];
        points[count++] = (view_graph_point){vertical, levels[i]};
        points[count++] = (view_graph_point){vertical, levels[i + 1]};
    }
    points[count++] = (view_graph_point){end, levels[2]};
    if (route->class == ROUTE_UPRIGHT) {
        points[0] = (view_graph_point){x, left.y + (is_down ? left.height : 0)};
        points[1] = (view_graph_point){x, right.y + (is_down ? 0 : right.height)};
    }
    add_line(of->graph, &of->graph->edges[route->edge], route->left, points, count);
}

static void place_lines(const layout *of)
{
    view_graph *const graph = of->graph;
    COMMON_FOR (i, of->num_routes)
        add_route(of, &of->routes[i]);
    for (uint32_t i = 0; i < graph->num_edges && graph->hub != MD5_NONE; i++) {
        view_graph_edge *const edge = &graph->edges[i];
        const view_rect bar = graph->nodes[graph->hub].rect, box = graph->box;
        const view_graph_node *const node = &graph->nodes[edge->ends[edge->ends[0] == graph->hub]];
        const float y = node->rect.y + 0.5f * node_height, middle = box.y + 0.5f * box.height;
        view_graph_point points[2] = {{bar.x + bar.width, y}, {node->rect.x, y}};
        if (edge->kind == VIEW_EDGE_BOXED) {
            points[0] = (view_graph_point){bar.x, middle};
            points[1] = (view_graph_point){box.x + box.width, middle};
        } else if (edge->kind == VIEW_EDGE_STUB) {
            points[0].x = node->mark.x;
            points[1].x = fminf(node->rect.x + node->rect.width, node->mark.x);
        }
        if (edge->kind >= VIEW_EDGE_HUB)
            add_line(graph, edge, graph->hub, points, 2);
    }
}

view_graph *view_lay_out_graph(const md5_layer_desc *layer, view_measure_fn *measure,
                               const void *user)
{
    view_graph *const graph = common_alloc(1, sizeof *graph);
    layout of = {.measure = measure, .user = user, .graph = graph};
    fold_edges(graph, layer);
    const size_t num_nodes = (size_t)graph->num_nodes + 1, num_edges = graph->num_edges;
    of.places = common_alloc(num_nodes, sizeof *of.places);
    of.items = common_alloc(num_nodes, sizeof *of.items);
    of.routes = common_alloc(num_edges, sizeof *of.routes);
    of.columns = common_alloc(num_nodes, sizeof *of.columns);
    of.rows = common_alloc(num_nodes, sizeof *of.rows);
    graph->points = common_alloc(6 * num_edges, sizeof *graph->points);
    find_roles(&of);
    find_units(&of);
    find_columns(&of);
    find_rows(&of);
    find_routes(&of);
    set_heights(&of);
    place_nodes(&of);
    place_lines(&of);
    void *const memory[] = {of.first,  of.links,   of.places, of.items,
                            of.routes, of.columns, of.rows};
    COMMON_FOR (i, COMMON_LENGTH(memory))
        free(memory[i]);
    return graph;
}

void view_free_graph(view_graph *graph)
{
    if (graph == NULL)
        return;
    free(graph->nodes);
    free(graph->edges);
    free(graph->points);
    free(graph->ways);
    free(graph);
}
