// Lays out a state graph in layers from left to right, by the method of Sugiyama.
//
// A breadth-first search finds the distance of each state from the start state. All states with the
// same distance are a band. A band is one column, or several columns if one column would be higher
// than the panel. The states of a band are sorted by the mean height of their neighbors, so that
// few lines cross. The level of a state is its height in its band, from 0 (top) to 1 (bottom).
// Every second column is lower by half a row. A horizontal line that skips this column then passes
// between its states.
//
// Coordinates are in em, the height of text.
#include "demo/viewer/ui/graph_layout.h"

#include "demo/common/memory.h"

static const float min_node_width = 4;
static const float max_node_width = 20;
static const float node_height = 1.7f;
static const float row_height = 2.4f;      // node_height and the gap below a node
static const float text_padding = 0.8f;    // at each side of the name of a node
static const float loop_sign_width = 1.5f; // sign of a transition from a state to itself
static const float entry_width = 7;        // space for the sign of the entry
static const float band_distance = 3.6f;   // distance between the columns of different bands
static const float column_distance = 1.8f; // distance between the columns of one band

// The largest factor by which the distances between columns may be increased to fill the area.
static const float max_column_spread = 4;

// The scale at which names of nodes are still easy to read.
static const float readable_scale = 0.8f;

// The number of passes over all bands that sort their states; see order_bands().
enum { NUM_SWEEPS = 4 };

// Maximum number of columns of a band.
enum { MAX_COLUMNS_PER_BAND = 32 };

// Working data of a node, for the layout only.
typedef struct graph_node_layout {
    uint32_t distance; // from the start state, or MD5_NONE
    uint32_t column;
    uint32_t row;
    double level;      // position in the band: 0 at the top, 1 at the bottom
    double mean_level; // mean level of the neighbors in other bands
    float width;       // width of the name and the sign of a loop
} graph_node_layout;

// The nodes with the same distance: layout.order[begin] to layout.order[end - 1].
typedef struct graph_band {
    uint32_t begin;
    uint32_t end;
} graph_band;

// Working data of the layout of a graph.
typedef struct layout {
    view_graph *graph;
    graph_node_layout *nodes; // [nodes]
    // The edges of node n: adjacent_edges[first_edge[n]] to adjacent_edges[first_edge[n + 1] - 1].
    uint32_t *first_edge;
    uint32_t *adjacent_edges;
    uint32_t *order;   // [nodes] by band, then from top to bottom
    graph_band *bands; // [num_bands] by distance
    uint32_t num_bands;
} layout;

// -- Edges ----------------------------------------------------------------------------------------

// A transition and the two nodes that it connects.
typedef struct graph_link {
    uint32_t low;        // node with the smaller index
    uint32_t high;       // node with the larger index, or `low`
    bool is_back;        // the transition leads from `high` to `low`
    uint32_t transition; // index in the layer
} graph_link;

// Orders links for qsort(): by their nodes, then by direction, then by the index of the transition.
// The transitions of an edge become consecutive.
static int compare_links(const void *a, const void *b)
{
    const graph_link *const x = a;
    const graph_link *const y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    if (x->is_back != y->is_back)
        return x->is_back ? 1 : -1;
    return x->transition < y->transition ? -1 : 1;
}

// Compares two states by name. The arguments are pointers to pointers, for qsort() and bsearch().
static int compare_names(const void *a, const void *b)
{
    const md5_state_desc *const x = *(const md5_state_desc *const *)a;
    const md5_state_desc *const y = *(const md5_state_desc *const *)b;
    return strcmp(x->name, y->name);
}

// Returns the index of the state with a name, or MD5_NONE if the layer does not have it. `states`
// comes from sort_states().
static uint32_t find_state(const md5_layer_desc *layer, const md5_state_desc **states,
                           const char *name)
{
    const md5_state_desc key = {.name = name};
    const md5_state_desc *const wanted = &key;
    const md5_state_desc **const found =
        bsearch(&wanted, states, layer->num_states, sizeof *states, compare_names);
    return found != NULL ? (uint32_t)(*found - layer->states) : MD5_NONE;
}

// Returns pointers to the states of a layer, sorted by name for find_state(). The caller frees the
// array.
static const md5_state_desc **sort_states(const md5_layer_desc *layer)
{
    const md5_state_desc **const states = common_alloc(layer->num_states, sizeof *states);
    for (uint32_t i = 0; i < layer->num_states; i++)
        states[i] = &layer->states[i];
    qsort(states, layer->num_states, sizeof *states, compare_names);
    return states;
}

// Fills links[] with the transitions whose states exist, sorted by compare_links(). A transition
// without a source state begins at the node "any state". Returns the number of links.
static uint32_t list_links(const md5_layer_desc *layer, graph_link *links)
{
    const md5_state_desc **const states = sort_states(layer);
    const uint32_t any_state = layer->num_states; // the node after all states
    uint32_t num_links = 0;
    for (uint32_t i = 0; i < layer->num_transitions; i++) {
        const md5_transition_desc *const transition = &layer->transitions[i];
        const bool is_from_any = transition->from == NULL;
        const uint32_t from = is_from_any ? any_state : find_state(layer, states, transition->from);
        const uint32_t to = find_state(layer, states, transition->to);
        if (from == MD5_NONE || to == MD5_NONE)
            continue;

        graph_link link = {.low = from, .high = to, .is_back = from > to, .transition = i};
        if (link.is_back) {
            link.low = to;
            link.high = from;
        }
        links[num_links++] = link;
    }
    free(states);
    qsort(links, num_links, sizeof *links, compare_links);
    return num_links;
}

// Returns true if two transitions connect the same nodes, regardless of their direction.
static bool has_same_nodes(const graph_link *a, const graph_link *b)
{
    return a->low == b->low && a->high == b->high;
}

// Creates the nodes: one for each state, then "any state". num_nodes does not include "any state"
// until a transition uses it.
static void create_nodes(view_graph *graph, const md5_layer_desc *layer)
{
    const uint32_t num_states = layer->num_states;
    graph->nodes = common_alloc((size_t)num_states + 1, sizeof *graph->nodes);
    graph->num_states = num_states;
    graph->num_nodes = num_states;
    for (uint32_t i = 0; i < num_states; i++)
        graph->nodes[i].name = layer->states[i].name;
    graph->nodes[num_states].name = "any state";
}

// Creates an edge for each pair of nodes that transitions connect. Includes "any state" in the
// number of nodes if an edge uses it. Marks nodes that have a transition to themselves.
static void create_edges(view_graph *graph, const md5_layer_desc *layer)
{
    // The links are sorted, so that the links of an edge are consecutive.
    graph_link *const links = common_alloc(layer->num_transitions, sizeof *links);
    graph->edges = common_alloc(layer->num_transitions, sizeof *graph->edges);
    graph->transitions = common_alloc(layer->num_transitions, sizeof *graph->transitions);
    graph->num_transitions = list_links(layer, links);

    for (uint32_t i = 0; i < graph->num_transitions; i++) {
        const graph_link *const link = &links[i];
        const bool begins_edge = i == 0 || !has_same_nodes(&links[i - 1], link);
        if (begins_edge) {
            graph->edges[graph->num_edges++] =
                (view_graph_edge){.ends = {link->low, link->high}, .first_transition = i};
        }
        graph->edges[graph->num_edges - 1].num_transitions[link->is_back ? 1 : 0]++;
        graph->transitions[i] = link->transition;

        if (link->high == graph->num_states)
            graph->num_nodes = graph->num_states + 1;
        if (link->low == link->high)
            graph->nodes[link->low].loops = true;
    }
    free(links);
}

// Lists the edges of each node in adjacent_edges[], and the begin of each list in first_edge[]. An
// edge is in the lists of both of its nodes. This is a counting sort: it counts the edges of each
// node, adds up the counts, and stores the edges.
static void list_adjacent_edges(layout *work)
{
    const view_graph *const graph = work->graph;
    work->first_edge = common_alloc((size_t)graph->num_nodes + 2, sizeof *work->first_edge);
    work->adjacent_edges = common_alloc(2 * (size_t)graph->num_edges, sizeof *work->adjacent_edges);

    // next[node] is the index at which the next edge of the node is stored. It shares the element
    // first_edge[node + 1]. After all edges were stored, this element contains the end of the
    // node's list, which is the begin of the next list. For this reason, the count of a node is in
    // the element of its successor.
    uint32_t *const next = work->first_edge + 1;
    for (uint32_t i = 0; i < graph->num_edges; i++) {
        for (uint32_t end = 0; end < 2; end++) {
            const uint32_t node = graph->edges[i].ends[end];
            next[node + 1]++;
        }
    }
    for (uint32_t i = 1; i <= graph->num_nodes; i++)
        next[i] += next[i - 1];
    for (uint32_t i = 0; i < graph->num_edges; i++) {
        for (uint32_t end = 0; end < 2; end++) {
            const uint32_t node = graph->edges[i].ends[end];
            work->adjacent_edges[next[node]] = i;
            next[node]++;
        }
    }
}

// -- Bands ----------------------------------------------------------------------------------------

// Continues a breadth-first search from `start`. Sets the distance of all reachable nodes that have
// no distance yet, and appends them to work->order. This array is also the queue of the search.
// `num_found` is the number of nodes in it.
static void search_from(layout *work, uint32_t start, uint32_t *num_found)
{
    const view_graph *const graph = work->graph;
    uint32_t head = *num_found;
    uint32_t tail = *num_found;
    work->nodes[start].distance = 0;
    work->order[tail++] = start;

    while (head < tail) {
        const uint32_t node = work->order[head++];
        for (uint32_t k = work->first_edge[node]; k < work->first_edge[node + 1]; k++) {
            const view_graph_edge *const edge = &graph->edges[work->adjacent_edges[k]];
            const uint32_t end = edge->ends[0] == node ? 0 : 1;
            const uint32_t target = edge->ends[1 - end];
            const bool leads_to_target = edge->num_transitions[end] > 0;
            if (!leads_to_target || work->nodes[target].distance != MD5_NONE)
                continue;
            work->nodes[target].distance = work->nodes[node].distance + 1;
            work->order[tail++] = target;
        }
    }
    *num_found = tail;
}

// Sets the levels of a band's nodes by their order in the band.
static void set_levels(layout *work, const graph_band *band)
{
    const double count = band->end - band->begin;
    for (uint32_t i = band->begin; i < band->end; i++)
        work->nodes[work->order[i]].level = (i - band->begin + 0.5) / count;
}

// Sets the distances of all nodes, and work->order to the order in which they were found. The
// searches begin at the start state, then at "any state", then at states that are still unreached.
static void find_distances(layout *work)
{
    const uint32_t num_nodes = work->graph->num_nodes;
    const uint32_t num_states = work->graph->num_states;
    uint32_t num_found = 0;
    for (uint32_t i = 0; i < num_nodes; i++)
        work->nodes[i].distance = MD5_NONE;
    if (num_states > 0)
        search_from(work, 0, &num_found);
    if (num_nodes > num_states)
        search_from(work, num_states, &num_found);
    for (uint32_t i = 0; i < num_nodes; i++) {
        if (work->nodes[i].distance == MD5_NONE)
            search_from(work, i, &num_found);
    }
}

// Sorts work->order by distance and sets the range of each band. The counting sort is stable. The
// nodes of a band remain in the order in which the search found them.
static void sort_into_bands(layout *work)
{
    const uint32_t num_nodes = work->graph->num_nodes;
    uint32_t *const found = common_alloc(num_nodes, sizeof *found);
    memcpy(found, work->order, num_nodes * sizeof *found);

    // First count the nodes of each band in `end`. Then set `begin` and reset `end` to it, because
    // the bands are empty until nodes are stored.
    for (uint32_t i = 0; i < num_nodes; i++) {
        const uint32_t distance = work->nodes[i].distance;
        work->bands[distance].end++;
        if (work->num_bands < distance + 1)
            work->num_bands = distance + 1;
    }
    uint32_t begin = 0;
    for (uint32_t d = 0; d < work->num_bands; d++) {
        const uint32_t size = work->bands[d].end;
        work->bands[d] = (graph_band){.begin = begin, .end = begin};
        begin += size;
    }

    for (uint32_t i = 0; i < num_nodes; i++) {
        graph_band *const band = &work->bands[work->nodes[found[i]].distance];
        work->order[band->end++] = found[i];
    }
    free(found);
}

// Divides the nodes into bands by their distance from the start state, and sets their levels.
static void find_bands(layout *work)
{
    find_distances(work);
    sort_into_bands(work);
    for (uint32_t d = 0; d < work->num_bands; d++)
        set_levels(work, &work->bands[d]);
}

// Returns the node at the other end of an edge of `node`.
static uint32_t neighbor_at(const view_graph_edge *edge, uint32_t node)
{
    return edge->ends[0] == node ? edge->ends[1] : edge->ends[0];
}

// Sets mean_level of a node to the mean level of its neighbors in bands at the left. If
// `is_backward` is true, uses the neighbors in bands at the right. A node without such neighbors
// keeps its own level.
static void find_mean_level(layout *work, uint32_t node, bool is_backward)
{
    graph_node_layout *const node_layout = &work->nodes[node];
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t k = work->first_edge[node]; k < work->first_edge[node + 1]; k++) {
        const view_graph_edge *const edge = &work->graph->edges[work->adjacent_edges[k]];
        const graph_node_layout *const neighbor = &work->nodes[neighbor_at(edge, node)];
        const bool is_left = neighbor->distance < node_layout->distance;
        const bool is_right = neighbor->distance > node_layout->distance;
        const bool is_counted = is_backward ? is_right : is_left;
        if (!is_counted)
            continue;
        sum += neighbor->level;
        count++;
    }
    node_layout->mean_level = count > 0 ? sum / count : node_layout->level;
}

typedef struct sort_item {
    double key;
    uint32_t position;
    uint32_t node;
} sort_item;

// Orders items by key, then by their current position. qsort() is not stable, so the position is
// necessary for a reproducible order.
static int compare_items(const void *a, const void *b)
{
    const sort_item *const x = a;
    const sort_item *const y = b;
    if (x->key < y->key || x->key > y->key)
        return x->key < y->key ? -1 : 1;
    return x->position < y->position ? -1 : 1;
}

// Sorts the nodes of a band by the mean levels of their neighbors, and sets their new levels. Nodes
// with equal mean levels keep their order. `items` is working memory for all nodes.
static void order_band(layout *work, const graph_band *band, bool is_backward, sort_item *items)
{
    const uint32_t count = band->end - band->begin;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t node = work->order[band->begin + i];
        find_mean_level(work, node, is_backward);
        items[i] = (sort_item){.key = work->nodes[node].mean_level, .position = i, .node = node};
    }
    qsort(items, count, sizeof *items, compare_items);

    for (uint32_t i = 0; i < count; i++)
        work->order[band->begin + i] = items[i].node;
    set_levels(work, band);
}

// Sorts the nodes of all bands. The best order of a band depends on the neighboring bands.
// Therefore NUM_SWEEPS passes go alternately from left to right and from right to left. The first
// band is not sorted, so that the start state remains at its top.
static void order_bands(layout *work)
{
    sort_item *const items = common_alloc(work->graph->num_nodes, sizeof *items);
    for (uint32_t sweep = 0; sweep < NUM_SWEEPS; sweep++) {
        const bool is_backward = sweep % 2 == 1;
        for (uint32_t i = 1; i < work->num_bands; i++) {
            const uint32_t band = is_backward ? work->num_bands - i : i;
            order_band(work, &work->bands[band], is_backward, items);
        }
    }
    free(items);
}

// -- Columns --------------------------------------------------------------------------------------

// Returns the number of columns of a band that has at most `max_rows` states in a column.
static uint32_t count_columns(const graph_band *band, uint32_t max_rows)
{
    const uint32_t count = band->end - band->begin;
    return (count + max_rows - 1) / max_rows;
}

// A column of the graph. Its nodes are layout.order[first], [first + stride] and so on, before
// `end`.
typedef struct graph_column {
    uint32_t index; // from the left
    uint32_t first;
    uint32_t end;
    uint32_t stride;
    float left;  // x of its nodes
    float width; // width of the nodes
    float top;   // y of the first node, rows
} graph_column;

// Returns the width of a column: the width of its widest node.
static float column_width(const layout *work, const graph_column *column)
{
    float width = min_node_width;
    for (uint32_t i = column->first; i < column->end; i += column->stride)
        width = fmaxf(width, work->nodes[work->order[i]].width);
    return width;
}

// Sets the positions of the nodes of a column, from top to bottom.
static void position_column(layout *work, const graph_column *column)
{
    uint32_t row = 0;
    for (uint32_t i = column->first; i < column->end; i += column->stride) {
        const uint32_t node = work->order[i];
        const float y = row_height * (column->top + (float)row);
        work->nodes[node].column = column->index;
        work->nodes[node].row = row;
        work->graph->nodes[node].rect = (view_rect){column->left, y, column->width, node_height};
        row++;
    }
}

// The division of the bands into columns.
typedef struct graph_grid {
    uint32_t max_rows;   // states in a column
    float column_spread; // factor of the distances between columns
} graph_grid;

// Returns the number of rows of a band after it was divided into columns of similar height.
static uint32_t count_rows(const graph_band *band, uint32_t max_rows)
{
    const uint32_t num_columns = count_columns(band, max_rows);
    return (band->end - band->begin + num_columns - 1) / num_columns;
}

// Returns the number of rows of the band that has the most rows, at least 1.
static uint32_t max_rows_of_bands(const layout *work, graph_grid grid)
{
    uint32_t max_rows = 1;
    for (uint32_t d = 0; d < work->num_bands; d++) {
        const uint32_t rows = count_rows(&work->bands[d], grid.max_rows);
        max_rows = rows > max_rows ? rows : max_rows;
    }
    return max_rows;
}

// Sets the rectangles of all nodes and the size of the graph. A band with several columns is filled
// row by row, so that the height of a state still corresponds to its level. Bands with fewer rows
// are centered vertically. Returns the sum of the distances between columns at a spread of 1.
static float position_nodes(layout *work, graph_grid grid)
{
    view_graph *const graph = work->graph;
    const uint32_t num_rows = max_rows_of_bands(work, grid);
    float x = entry_width;    // left edge of the next column
    float distances = 0;      // sum of the distances after the columns so far
    uint32_t num_columns = 0; // columns so far
    for (uint32_t d = 0; d < work->num_bands; d++) {
        const graph_band *const band = &work->bands[d];
        const uint32_t columns = count_columns(band, grid.max_rows);
        const uint32_t num_rows_above = (num_rows - count_rows(band, grid.max_rows)) / 2;
        for (uint32_t k = 0; k < columns; k++) {
            const float shift = num_columns % 2 == 0 ? 0 : 0.5f; // every second column is lower
            graph_column column = {.index = num_columns++,
                                   .first = band->begin + k,
                                   .end = band->end,
                                   .stride = columns,
                                   .left = x,
                                   .top = (float)num_rows_above + shift};
            column.width = column_width(work, &column);
            position_column(work, &column);

            const float distance = k + 1 < columns ? column_distance : band_distance;
            distances += distance;
            x += column.width + distance * grid.column_spread;
        }
    }

    // Lines between states of the last column need space at its right.
    graph->width = x - band_distance * grid.column_spread + column_distance;
    graph->height = row_height * ((float)num_rows + (num_columns > 1 ? 0.5f : 0));
    return distances - band_distance;
}

// Returns the number of nodes of the largest band, at least 1.
static uint32_t largest_band(const layout *work)
{
    uint32_t largest = 1;
    for (uint32_t d = 0; d < work->num_bands; d++) {
        const uint32_t count = work->bands[d].end - work->bands[d].begin;
        largest = count > largest ? count : largest;
    }
    return largest;
}

// Returns the best division of the bands into columns. Sets `best_scale` to the scale at which the
// graph then fits in the area. The fewest columns with a readable scale are the best. If no number
// of columns is readable, the number with the largest scale is the best.
static graph_grid find_grid(layout *work, view_graph_area area, float *best_scale)
{
    const view_graph *const graph = work->graph;
    const uint32_t largest = largest_band(work);
    graph_grid best = {.max_rows = largest, .column_spread = 1};
    *best_scale = 0;
    for (uint32_t k = 1; k <= MAX_COLUMNS_PER_BAND && k <= largest; k++) {
        const graph_grid grid = {.max_rows = (largest + k - 1) / k, .column_spread = 1};
        position_nodes(work, grid);
        const float scale = fminf(area.width / graph->width, area.height / graph->height);
        if (scale > *best_scale) {
            *best_scale = scale;
            best = grid;
        }
        if (*best_scale >= readable_scale)
            break;
    }
    return best;
}

// Places the nodes so that the graph fills the area. If the names would be too small to be read,
// the columns get the height of the area at a scale of 1. The user then scrolls only horizontally.
static void fit_nodes(layout *work, view_graph_area area)
{
    float scale;
    graph_grid grid = find_grid(work, area, &scale);
    if (scale < VIEW_GRAPH_MIN_SCALE) {
        const float max_rows = floorf(area.height / row_height - 0.5f); // 0.5: of lower columns
        grid.max_rows = max_rows > 1 ? (uint32_t)max_rows : 1;
        position_nodes(work, grid);
        return;
    }
    // If the area is wider than the graph, increase the distances between columns. Lines are then
    // less steep.
    const float distances = position_nodes(work, grid);
    const float free_width = area.width / fminf(scale, 1) - work->graph->width;
    if (free_width > 0 && distances > 0) {
        grid.column_spread = fminf(1 + free_width / distances, max_column_spread);
        position_nodes(work, grid);
    }
}

// -- Lines ----------------------------------------------------------------------------------------

// Returns the y coordinate at which a line leaves the left or right side of a node. It is the
// middle of the side, shifted towards the target by less than 0.35 of the height. Lines to
// different targets leave at different heights, so that their arrow heads do not cover each other.
static float attach_height(view_rect node, view_rect target)
{
    const float middle = node.y + 0.5f * node.height;
    const float rise = target.y - node.y;
    return middle + 0.35f * node_height * rise / (fabsf(rise) + 3 * row_height);
}

// Sets the line of an edge between nodes in different columns. It leads from the right side of the
// left node to the left side of the right node. The arrays contain the nodes edge->ends[0] and
// edge->ends[1].
static void connect_columns(view_graph_edge *edge, const graph_node_layout *const nodes[2],
                            const view_rect rects[2])
{
    edge->num_points = 2;
    for (int end = 0; end < 2; end++) {
        const view_rect rect = rects[end];
        const bool is_left = nodes[end]->column < nodes[1 - end]->column;
        const view_graph_point point = {.x = is_left ? rect.x + rect.width : rect.x,
                                        .y = attach_height(rect, rects[1 - end])};
        edge->points[end] = point;
    }
}

// Sets the line of an edge between adjacent nodes of a column. It leads from the bottom of the
// upper node to the top of the lower node. `upper` is the index of the upper node in `rects`.
static void connect_neighbors(view_graph_edge *edge, const view_rect rects[2], int upper)
{
    edge->num_points = 2;
    for (int end = 0; end < 2; end++) {
        const view_rect rect = rects[end];
        const float y = end == upper ? rect.y + rect.height : rect.y;
        edge->points[end] = (view_graph_point){rect.x + 0.5f * rect.width, y};
    }
}

// Sets the line of an edge between other nodes of a column. It connects their right sides and bends
// to the right, around the nodes between them. If more nodes are between them, it bends farther, so
// that such lines do not cover each other.
static void connect_around(view_graph_edge *edge, const view_rect rects[2], uint32_t num_between)
{
    const float right = rects[0].x + rects[0].width;
    const float bend = fminf(0.5f + 0.1f * (float)num_between, 0.5f * column_distance);
    const float middle = 0.5f * (rects[0].y + rects[1].y + node_height);
    edge->num_points = 3;
    edge->points[0] = (view_graph_point){right, attach_height(rects[0], rects[1])};
    edge->points[1] = (view_graph_point){right + bend, middle};
    edge->points[2] = (view_graph_point){right, attach_height(rects[1], rects[0])};
}

// Sets the points of the line between two nodes. A transition from a state to itself has no line;
// the node displays a sign instead.
static void position_line(const layout *work, view_graph_edge *edge)
{
    const uint32_t first = edge->ends[0];
    const uint32_t second = edge->ends[1];
    if (first == second)
        return;
    const graph_node_layout *const nodes[2] = {&work->nodes[first], &work->nodes[second]};
    const view_rect rects[2] = {work->graph->nodes[first].rect, work->graph->nodes[second].rect};
    if (nodes[0]->column != nodes[1]->column) {
        connect_columns(edge, nodes, rects);
        return;
    }

    const int upper = nodes[0]->row < nodes[1]->row ? 0 : 1;
    const int lower = 1 - upper;
    const uint32_t num_between = nodes[lower]->row - nodes[upper]->row - 1;
    if (num_between == 0)
        connect_neighbors(edge, rects, upper);
    else
        connect_around(edge, rects, num_between);
}

// -- Layout ---------------------------------------------------------------------------------------

// Sets the widths of the nodes. A node must contain its name, padding, and the sign of a loop.
static void measure_nodes(layout *work, view_measure_fn *measure, const void *user)
{
    for (uint32_t i = 0; i < work->graph->num_nodes; i++) {
        const view_graph_node *const node = &work->graph->nodes[i];
        const float sign_width = node->loops ? loop_sign_width : 0;
        const float width = measure(user, node->name) + 2 * text_padding + sign_width;
        work->nodes[i].width = fminf(width, max_node_width);
    }
}

// Computes the positions of the states of a layer and of the lines between them. `measure`
// returns the width of the text of a state. The caller frees the result with view_free_graph().
view_graph *view_lay_out_graph(const md5_layer_desc *layer, view_graph_area area,
                               view_measure_fn *measure, const void *user)
{
    view_graph *const graph = common_alloc(1, sizeof *graph);
    create_nodes(graph, layer);
    create_edges(graph, layer);

    layout work = {.graph = graph};
    const size_t capacity = (size_t)graph->num_nodes + 1;
    work.nodes = common_alloc(capacity, sizeof *work.nodes);
    work.order = common_alloc(capacity, sizeof *work.order);
    work.bands = common_alloc(capacity, sizeof *work.bands);
    list_adjacent_edges(&work);
    measure_nodes(&work, measure, user);

    // The steps of the method of Sugiyama: assign nodes to bands, sort each band, compute
    // positions.
    find_bands(&work);
    order_bands(&work);
    fit_nodes(&work, area);
    for (uint32_t i = 0; i < graph->num_edges; i++)
        position_line(&work, &graph->edges[i]);

    free(work.nodes);
    free(work.order);
    free(work.bands);
    free(work.first_edge);
    free(work.adjacent_edges);
    return graph;
}

// Frees the states, the edges and the transitions of a graph, and the graph itself. Accepts
// NULL.
void view_free_graph(view_graph *graph)
{
    if (graph == NULL)
        return;
    free(graph->nodes);
    free(graph->edges);
    free(graph->transitions);
    free(graph);
}
