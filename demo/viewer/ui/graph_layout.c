// The layout of a state graph in columns (K. Sugiyama, S. Tagawa, M. Toda, Methods for Visual
// Understanding of Hierarchical System Structures, 1981), with what state machines have besides: a
// state that all others return to, pairs that alternate, short detours.
#include "demo/viewer/ui/graph_layout.h"

#include "demo/common/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float node_width = 8.0f, node_height = 1.7f, row_height = 2.4f, track_width = 0.7f,
                   lane_height = 0.6f, channel_width = 3.2f, channel_end = 1.1f,
                   text_padding = 0.8f, sign_width = 1.5f, mark_gap = 0.9f, mark_padding = 0.5f,
                   mark_height = 1.3f;

enum { HUB_NEIGHBOURS = 8, SWEEPS = 8, MAX_LANES = 64, MAX_CELLS = 1 << 22 };

// What is known of a node while it is placed.
typedef struct graph_place {
    uint32_t twin;   // the state that it alternates with, or itself
    uint32_t group;  // nodes that lines connect, the hub's left out
    uint32_t column; // the hub's is 0
    float row;       // a whole number, within its group
    bool is_pinned;  // the hub leads to it: in the first column after it
    bool uses_right; // a line begins or ends at its right side
} graph_place;

// A node in the order of its column.
typedef struct graph_slot {
    uint32_t group, column;
    float wish; // the row that it should be in
    uint32_t unit, node;
    float row;
} graph_slot;

// Nodes of a group and a column: slots from `begin` to before `end`.
typedef struct graph_segment {
    uint32_t begin, end;
} graph_segment;

typedef struct graph_group {
    uint32_t num_rows, first_row, num_above, num_below; // lanes above and below its rows
    float y;                                            // of its first row's upper edge
} graph_group;

// A vertical that lines to one node share, in the channel at the right of a column.
typedef struct graph_bus {
    uint32_t channel, track, number;
    float low, high;
} graph_bus;

typedef enum lane_kind { LANE_ROW, LANE_ABOVE, LANE_BELOW } lane_kind;

// A level stretch over more than one column, from channel to channel.
typedef struct graph_lane {
    lane_kind kind;
    uint32_t group, number, first, last;
} graph_lane;

typedef enum graph_shape {
    SHAPE_LEVEL,
    SHAPE_UPRIGHT,
    SHAPE_SIDE,
    SHAPE_BENT,
    SHAPE_LONG
} graph_shape;

// How a line that is to be drawn runs from `left` to `right`; of one column, `right` is the state
// that it leads to.
typedef enum route_class { ROUTE_FORWARD, ROUTE_BACK, ROUTE_SIDE } route_class;
typedef struct graph_route {
    uint32_t edge, left, right, column; // column: of `left`
    route_class class;
    graph_shape shape;
    uint32_t buses[2], lane;
} graph_route;

typedef struct layout {
    const md5_layer_desc *layer;
    view_measure_fn *measure;
    const void *user;
    view_graph *graph;
    uint32_t any;            // its node, or MD5_NONE
    uint32_t *first, *links; // edges of each node: links[first[node]...], by their other ends
    graph_place *places;
    graph_slot *slots;
    graph_segment *segments;
    graph_group *groups;
    graph_bus *buses;
    graph_lane *lanes;
    graph_route *routes;
    uint32_t num_slots, num_segments, num_groups, num_buses, num_lanes, num_routes, num_columns;
    uint8_t *cells; // rows times columns: 1 if a node or a lane is there; NULL: too many
    float *lefts, *widths, *extents; // of columns: left edge, width of nodes, with marks
} layout;

// == Edges ========================================================================================

typedef struct name_entry {
    const char *name;
    uint32_t state;
} name_entry;

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const name_entry *)a)->name, ((const name_entry *)b)->name);
}

typedef struct graph_way {
    uint32_t low, high, is_back, transition;
} graph_way;

static int compare_keys(const uint32_t first[4], const uint32_t second[4])
{
    int i = 0;
    while (i < 3 && first[i] == second[i])
        i++;
    return first[i] < second[i] ? -1 : first[i] > second[i];
}

static int compare_ways(const void *a, const void *b)
{
    const graph_way *const x = a, *const y = b;
    return compare_keys((uint32_t[4]){x->low, x->high, x->is_back, x->transition},
                        (uint32_t[4]){y->low, y->high, y->is_back, y->transition});
}

static uint32_t find_name(const name_entry *names, uint32_t count, const char *name)
{
    const name_entry *const found =
        bsearch(&(name_entry){name, 0}, names, count, sizeof *names, compare_names);
    return found != NULL ? found->state : MD5_NONE;
}

// Makes an edge of the transitions between each two nodes.
static void fold_edges(layout *of)
{
    const md5_layer_desc *const layer = of->layer;
    view_graph *const graph = of->graph;
    const uint32_t num_states = layer->num_states, num_ways = layer->num_transitions;
    name_entry *const names = common_alloc(num_states, sizeof *names);
    graph_way *const ways = common_alloc(num_ways, sizeof *ways);
    graph->nodes = common_alloc((size_t)num_states + 1, sizeof *graph->nodes);
    graph->edges = common_alloc(num_ways, sizeof *graph->edges);
    graph->ways = common_alloc(num_ways, sizeof *graph->ways);
    graph->num_states = graph->num_nodes = num_states;
    for (uint32_t i = 0; i < num_states; i++) {
        names[i] = (name_entry){layer->states[i].name, i};
        graph->nodes[i].name = layer->states[i].name;
    }
    graph->nodes[num_states].name = "any state";
    qsort(names, num_states, sizeof *names, compare_names);
    uint32_t count = 0;
    for (uint32_t i = 0; i < num_ways; i++) {
        const md5_transition_desc *const transition = &layer->transitions[i];
        const uint32_t to = find_name(names, num_states, transition->to);
        const uint32_t from =
            transition->from != NULL ? find_name(names, num_states, transition->from) : num_states;
        if (from == MD5_NONE || to == MD5_NONE)
            continue;
        if (from == num_states) {
            of->any = num_states;
            graph->num_nodes = num_states + 1;
        }
        ways[count++] = from <= to ? (graph_way){from, to, 0, i} : (graph_way){to, from, 1, i};
    }
    qsort(ways, count, sizeof *ways, compare_ways);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || ways[i].low != ways[i - 1].low || ways[i].high != ways[i - 1].high) {
            const bool loops = ways[i].low == ways[i].high;
            graph->edges[graph->num_edges++] =
                (view_graph_edge){.kind = loops ? VIEW_EDGE_LOOP : VIEW_EDGE_LINE,
                                  .ends = {ways[i].low, ways[i].high},
                                  .first_way = i};
            graph->nodes[ways[i].low].loops |= loops;
        }
        graph->edges[graph->num_edges - 1].num_ways[ways[i].is_back]++;
        graph->ways[i] = ways[i].transition;
    }
    graph->num_ways = count;
    free(ways);
    free(names);
}

static uint32_t other_end(const view_graph_edge *edge, uint32_t node)
{
    return edge->ends[edge->ends[0] == node ? 1 : 0];
}

// Whether a transition of the edge leads away from the node.
static bool leads_from(const view_graph_edge *edge, uint32_t node)
{
    return edge->num_ways[edge->ends[0] == node ? 0 : 1] > 0;
}

static void link_edges(layout *of)
{
    const view_graph *const graph = of->graph;
    of->first = common_alloc((size_t)graph->num_nodes + 2, sizeof *of->first);
    of->links = common_alloc(2 * (size_t)graph->num_edges, sizeof *of->links);
    for (uint32_t i = 0; i < graph->num_edges; i++)
        for (int end = 0; end < 2 && graph->edges[i].kind != VIEW_EDGE_LOOP; end++)
            of->first[graph->edges[i].ends[end] + 2]++;
    for (uint32_t i = 2; i < graph->num_nodes + 2; i++)
        of->first[i] += of->first[i - 1];
    for (uint32_t i = 0; i < graph->num_edges; i++)
        for (int end = 0; end < 2 && graph->edges[i].kind != VIEW_EDGE_LOOP; end++)
            of->links[of->first[graph->edges[i].ends[end] + 1]++] = i;
}

// == Roles ========================================================================================

static bool is_free(const layout *of, uint32_t node)
{
    return of->graph->nodes[node].place == VIEW_NODE_COLUMN;
}

// Whether a state is a detour: reached from the hub alone, to which it returns, and what else it
// leads to is reached from the hub too.
static bool is_detour(const layout *of, uint32_t node)
{
    const uint32_t hub = of->graph->hub;
    bool returns = false;
    for (uint32_t k = of->first[node]; k < of->first[node + 1]; k++) {
        const view_graph_edge *const edge = &of->graph->edges[of->links[k]];
        const uint32_t other = other_end(edge, node);
        if (other == hub)
            returns = leads_from(edge, node) && leads_from(edge, hub);
        else if (leads_from(edge, other) || !of->places[other].is_pinned)
            return false;
    }
    return returns;
}

// Finds the hub, the states in its box, and what that makes of edges.
static void find_roles(layout *of)
{
    view_graph *const graph = of->graph;
    uint32_t most = HUB_NEIGHBOURS - 1, num_boxed = 0;
    graph->hub = MD5_NONE;
    for (uint32_t i = 0; i < graph->num_states; i++) {
        uint32_t count = 0;
        for (uint32_t k = of->first[i]; k < of->first[i + 1]; k++)
            count += other_end(&graph->edges[of->links[k]], i) < graph->num_states;
        if (count > most) {
            most = count;
            graph->hub = i;
        }
    }
    const uint32_t hub = graph->hub;
    if (hub == MD5_NONE)
        return;
    for (uint32_t k = of->first[hub]; k < of->first[hub + 1]; k++) {
        const view_graph_edge *const edge = &graph->edges[of->links[k]];
        of->places[other_end(edge, hub)].is_pinned = leads_from(edge, hub);
    }
    graph->nodes[hub].place = VIEW_NODE_HUB;
    for (uint32_t i = 0; i < graph->num_states; i++)
        num_boxed += i != hub && is_detour(of, i);
    for (uint32_t i = 0; i < graph->num_states && num_boxed > 1; i++)
        if (i != hub && is_detour(of, i))
            graph->nodes[i].place = VIEW_NODE_BOXED;
    for (uint32_t i = 0; i < graph->num_edges; i++) {
        view_graph_edge *const edge = &graph->edges[i];
        const uint32_t low = edge->ends[0], high = edge->ends[1];
        if (edge->kind == VIEW_EDGE_LOOP)
            continue;
        const bool is_hubs = low == hub || high == hub;
        const uint32_t boxed = graph->nodes[low].place == VIEW_NODE_BOXED    ? low
                               : graph->nodes[high].place == VIEW_NODE_BOXED ? high
                                                                             : MD5_NONE;
        if (boxed != MD5_NONE) {
            edge->kind = is_hubs ? VIEW_EDGE_BOXED : VIEW_EDGE_MORE;
            graph->nodes[boxed].num_more += !is_hubs;
        } else if (is_hubs && !leads_from(edge, hub)) {
            edge->kind = VIEW_EDGE_STUB;
            graph->nodes[other_end(edge, hub)].returns = true;
        }
    }
}

// States that alternate have names that differ after the last "_": walk_left, walk_right.
static bool are_alike(const char *a, const char *b)
{
    const char *const end = strrchr(a, '_'), *const other = strrchr(b, '_');
    return end != NULL && other != NULL && end - a == other - b
           && strncmp(a, b, (size_t)(end - a)) == 0;
}

static void find_twins(layout *of)
{
    const view_graph *const graph = of->graph;
    for (uint32_t i = 0; i < graph->num_nodes; i++)
        of->places[i].twin = i;
    for (uint32_t i = 0; i < graph->num_edges; i++) {
        const view_graph_edge *const edge = &graph->edges[i];
        const uint32_t low = edge->ends[0], high = edge->ends[1];
        if (edge->kind == VIEW_EDGE_LINE && edge->num_ways[0] > 0 && edge->num_ways[1] > 0
            && is_free(of, low) && is_free(of, high) && of->places[low].twin == low
            && of->places[high].twin == high
            && are_alike(graph->nodes[low].name, graph->nodes[high].name)) {
            of->places[low].twin = high;
            of->places[high].twin = low;
            of->places[low].is_pinned |= of->places[high].is_pinned;
            of->places[high].is_pinned = of->places[low].is_pinned;
        }
    }
}

// == Columns ======================================================================================

static uint32_t unit_of(const layout *of, uint32_t node)
{
    const uint32_t twin = of->places[node].twin;
    return twin < node ? twin : node;
}

// The edge that is number `*cursor` of a node and its twin; sets the node that it is of. MD5_NONE:
// there are no more.
static uint32_t next_link(const layout *of, uint32_t unit, uint32_t *cursor, uint32_t *node)
{
    const uint32_t twin = of->places[unit].twin;
    const uint32_t count = of->first[unit + 1] - of->first[unit];
    const uint32_t more = twin != unit ? of->first[twin + 1] - of->first[twin] : 0;
    const uint32_t number = (*cursor)++;
    if (number >= count + more)
        return MD5_NONE;
    *node = number < count ? unit : twin;
    return of->links[of->first[*node] + (number < count ? number : number - count)];
}

// A unit that a transition of that edge leads to from a node, or MD5_NONE if it stays in its unit
// or leaves the columns.
static uint32_t target_of(const layout *of, uint32_t edge, uint32_t node)
{
    const uint32_t other = other_end(&of->graph->edges[edge], node);
    if (!leads_from(&of->graph->edges[edge], node) || !is_free(of, other))
        return MD5_NONE;
    const uint32_t unit = unit_of(of, other);
    return unit != unit_of(of, node) ? unit : MD5_NONE;
}

// Depth first from a unit, in the order of the states. Lists units as they are finished, and marks
// the edges, two directions each, that lead back to one that is not.
enum { UNIT_NEW, UNIT_OPEN, UNIT_DONE };
typedef struct graph_search {
    uint8_t *marks, *are_back;
    uint32_t *stack, *cursors, *finished, num_finished;
} graph_search;

static void search_from(const layout *of, graph_search *search, uint32_t root)
{
    uint32_t depth = 0;
    if (search->marks[root] != UNIT_NEW)
        return;
    search->marks[root] = UNIT_OPEN;
    search->cursors[root] = 0;
    search->stack[depth++] = root;
    while (depth > 0) {
        const uint32_t unit = search->stack[depth - 1];
        uint32_t node = unit;
        const uint32_t edge = next_link(of, unit, &search->cursors[unit], &node);
        if (edge == MD5_NONE) {
            search->marks[unit] = UNIT_DONE;
            search->finished[search->num_finished++] = unit;
            depth--;
            continue;
        }
        const uint32_t target = target_of(of, edge, node);
        if (target == MD5_NONE)
            continue;
        if (search->marks[target] == UNIT_OPEN)
            search->are_back[2 * edge + (of->graph->edges[edge].ends[0] != node)] = 1;
        if (search->marks[target] != UNIT_NEW)
            continue;
        search->marks[target] = UNIT_OPEN;
        search->cursors[target] = 0;
        search->stack[depth++] = target;
    }
}

// The column of each node: the longest way from the hub or the first state, without edges that lead
// back. What the hub leads to is beside it.
static void find_columns(layout *of)
{
    const view_graph *const graph = of->graph;
    const size_t count = graph->num_nodes;
    const uint32_t base = graph->hub != MD5_NONE ? 1 : 0;
    graph_search search = {common_alloc(count, 1),
                           common_alloc(2 * (size_t)graph->num_edges, 1),
                           common_alloc(count, sizeof(uint32_t)),
                           common_alloc(count, sizeof(uint32_t)),
                           common_alloc(count, sizeof(uint32_t)),
                           0};
    for (uint32_t i = 0; i < count; i++) {
        of->places[i].column = base;
        if (is_free(of, i) && (base > 0 ? of->places[i].is_pinned : i == 0))
            search_from(of, &search, unit_of(of, i));
    }
    if (of->any != MD5_NONE)
        search_from(of, &search, of->any);
    for (uint32_t i = 0; i < count; i++)
        if (is_free(of, i))
            search_from(of, &search, unit_of(of, i));
    for (uint32_t i = search.num_finished; i-- > 0;) {
        const uint32_t unit = search.finished[i];
        uint32_t cursor = 0, node = unit, edge;
        of->places[of->places[unit].twin].column = of->places[unit].column;
        while ((edge = next_link(of, unit, &cursor, &node)) != MD5_NONE) {
            const uint32_t target = target_of(of, edge, node);
            if (target == MD5_NONE || of->places[target].is_pinned
                || search.are_back[2 * edge + (graph->edges[edge].ends[0] != node)] != 0)
                continue;
            const uint32_t column = of->places[unit].column + 1;
            if (of->places[target].column < column)
                of->places[target].column = column;
        }
    }
    free(search.marks);
    free(search.are_back);
    free(search.stack);
    free(search.cursors);
    free(search.finished);
    if (of->any == MD5_NONE)
        return;
    uint32_t nearest = MD5_NONE; // any state stands before the first of its targets
    for (uint32_t k = of->first[of->any]; k < of->first[of->any + 1]; k++) {
        const uint32_t target = target_of(of, of->links[k], of->any);
        if (target != MD5_NONE && of->places[target].column < nearest)
            nearest = of->places[target].column;
    }
    if (nearest != MD5_NONE && nearest > base)
        of->places[of->any].column = nearest - 1;
}

// == Rows =========================================================================================

static int compare_slots(const void *a, const void *b)
{
    const graph_slot *const x = a, *const y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    if (x->wish < y->wish || x->wish > y->wish)
        return x->wish < y->wish ? -1 : 1;
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    if (x->row < y->row || x->row > y->row)
        return x->row < y->row ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

// Numbers the groups in the order of their first states, and lists nodes by group and column.
static void list_slots(layout *of)
{
    const view_graph *const graph = of->graph;
    uint32_t *const queue = common_alloc(graph->num_nodes, sizeof *queue);
    of->slots = common_alloc(graph->num_nodes, sizeof *of->slots);
    of->segments = common_alloc(graph->num_nodes, sizeof *of->segments);
    for (uint32_t i = 0; i < graph->num_nodes; i++)
        of->places[i].group = MD5_NONE;
    for (uint32_t i = 0; i < graph->num_nodes; i++) {
        uint32_t head = 0, tail = 0;
        if (!is_free(of, i) || of->places[i].group != MD5_NONE)
            continue;
        of->places[i].group = of->num_groups;
        queue[tail++] = i;
        while (head < tail) {
            const uint32_t node = queue[head++];
            of->slots[of->num_slots++] = (graph_slot){
                of->num_groups, of->places[node].column, 0.0f, unit_of(of, node), node, 0.0f};
            for (uint32_t k = of->first[node]; k < of->first[node + 1]; k++) {
                const uint32_t other = other_end(&graph->edges[of->links[k]], node);
                if (is_free(of, other) && of->places[other].group == MD5_NONE) {
                    of->places[other].group = of->num_groups;
                    queue[tail++] = other;
                }
            }
        }
        of->num_groups++;
    }
    free(queue);
    qsort(of->slots, of->num_slots, sizeof *of->slots, compare_slots);
    for (uint32_t i = 0; i < of->num_slots; i++) {
        const graph_slot *const slot = &of->slots[i];
        if (i == 0 || slot->group != slot[-1].group || slot->column != slot[-1].column)
            of->segments[of->num_segments++] = (graph_segment){i, i};
        graph_segment *const last = &of->segments[of->num_segments - 1];
        of->places[slot->node].row = (float)(i - last->begin);
        last->end = i + 1;
        if (of->num_columns <= slot->column)
            of->num_columns = slot->column + 1;
    }
}

typedef enum graph_side { SIDE_LEFT, SIDE_RIGHT, SIDE_SAME } graph_side;

static graph_side opposite(graph_side side)
{
    return side == SIDE_LEFT ? SIDE_RIGHT : SIDE_LEFT;
}

// Collects the rows of the neighbours at a side of the node, or in its column; returns their
// number.
static uint32_t neighbour_rows(const layout *of, uint32_t node, graph_side side, float *rows)
{
    uint32_t count = 0;
    for (uint32_t k = of->first[node]; k < of->first[node + 1]; k++) {
        const uint32_t other = other_end(&of->graph->edges[of->links[k]], node);
        if (!is_free(of, other))
            continue;
        const uint32_t column = of->places[other].column, own = of->places[node].column;
        const graph_side at = column < own ? SIDE_LEFT : column > own ? SIDE_RIGHT : SIDE_SAME;
        if (at == side)
            rows[count++] = of->places[other].row;
    }
    return count;
}

// How many more lines cross if a node is above another one than if it is below it.
static int64_t crossings(const layout *of, uint32_t upper, uint32_t lower, float *rows)
{
    enum { MAX_PAIRS = 4096 };
    int64_t sum = 0;
    for (graph_side side = SIDE_LEFT; side <= SIDE_RIGHT; side++) {
        const uint32_t count = neighbour_rows(of, upper, side, rows);
        const uint32_t others = neighbour_rows(of, lower, side, rows + count);
        for (uint32_t i = 0; i < count && (uint64_t)count * others <= MAX_PAIRS; i++)
            for (uint32_t k = count; k < count + others; k++)
                sum += (rows[i] > rows[k]) - (rows[i] < rows[k]);
    }
    return sum;
}

// Sets what each slot of a segment wishes: the median of its neighbours' rows at one side, the mean
// of that with its twin's; without any, to be beside a neighbour in its column.
static void set_wishes(const layout *of, graph_segment range, graph_side side, float *rows)
{
    for (uint32_t i = range.begin; i < range.end; i++) {
        graph_slot *const slot = &of->slots[i];
        uint32_t count = neighbour_rows(of, slot->node, side, rows);
        slot->row = of->places[slot->node].row;
        if (count == 0 && neighbour_rows(of, slot->node, opposite(side), rows) == 0)
            count = neighbour_rows(of, slot->node, SIDE_SAME, rows);
        qsort(rows, count, sizeof *rows, compare_floats);
        slot->wish = count > 0 ? 0.5f * (rows[(count - 1) / 2] + rows[count / 2]) : slot->row;
        if (i > range.begin && slot[-1].unit == slot->unit)
            slot->wish = slot[-1].wish = 0.5f * (slot->wish + slot[-1].wish);
    }
}

// Puts a segment's slots into rows in their order, each as near to its wish as the others permit:
// those that push each other become a pool, which is in the middle of their wishes.
static void set_rows(const layout *of, graph_segment range, float *sums, uint32_t *sizes)
{
    uint32_t num_pools = 0;
    for (uint32_t i = range.begin; i < range.end; i++) {
        const graph_slot *const slot = &of->slots[i];
        const bool is_second = i > range.begin && slot[-1].unit == slot->unit;
        const bool is_first = i + 1 < range.end && slot[1].unit == slot->unit;
        const float aside = is_second ? 0.5f : is_first ? -0.5f : 0.0f;
        sums[num_pools] = slot->wish + aside - (float)(i - range.begin);
        sizes[num_pools++] = 1;
        while (num_pools > 1
               && sums[num_pools - 1] * (float)sizes[num_pools - 2]
                      <= sums[num_pools - 2] * (float)sizes[num_pools - 1]) {
            sums[num_pools - 2] += sums[num_pools - 1];
            sizes[num_pools - 2] += sizes[num_pools - 1];
            num_pools--;
        }
    }
    uint32_t i = range.begin;
    for (uint32_t pool = 0; pool < num_pools; pool++) {
        const float row = roundf(sums[pool] / (float)sizes[pool]);
        for (uint32_t k = 0; k < sizes[pool]; k++, i++)
            of->places[of->slots[i].node].row = row + (float)(i - range.begin);
    }
}

static void sweep(layout *of, bool forward, float *rows, float *sums, uint32_t *sizes)
{
    for (uint32_t i = 0; i < of->num_segments; i++) {
        const graph_segment range = of->segments[forward ? i : of->num_segments - 1 - i];
        set_wishes(of, range, forward ? SIDE_LEFT : SIDE_RIGHT, rows);
        qsort(of->slots + range.begin, range.end - range.begin, sizeof *of->slots, compare_slots);
        for (uint32_t k = range.begin; k + 1 < range.end; k++) {
            graph_slot *const upper = &of->slots[k], *const lower = &upper[1];
            const bool are_single = of->places[upper->node].twin == upper->node
                                    && of->places[lower->node].twin == lower->node;
            if ((!are_single && upper->unit != lower->unit)
                || crossings(of, upper->node, lower->node, rows) <= 0)
                continue;
            const graph_slot swapped = *upper;
            *upper = *lower;
            *lower = swapped;
            lower->wish = upper->wish = 0.5f * (lower->wish + upper->wish);
        }
        set_rows(of, range, sums, sizes);
    }
}

// How far the lines of the columns lead up and down.
static double length_of(const layout *of)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < of->graph->num_edges; i++) {
        const view_graph_edge *const edge = &of->graph->edges[i];
        if (edge->kind == VIEW_EDGE_LINE && is_free(of, edge->ends[0])
            && is_free(of, edge->ends[1]))
            sum += fabs((double)(of->places[edge->ends[0]].row - of->places[edge->ends[1]].row));
    }
    return sum;
}

static void find_rows(layout *of)
{
    const size_t room = 2 * (size_t)of->graph->num_edges + of->graph->num_nodes + 1;
    float *const rows = common_alloc(room, sizeof *rows);
    float *const sums = common_alloc((size_t)of->num_slots + 1, sizeof *sums);
    uint32_t *const sizes = common_alloc((size_t)of->num_slots + 1, sizeof *sizes);
    of->groups = common_alloc((size_t)of->num_groups + 1, sizeof *of->groups);
    float *const best = common_alloc((size_t)of->graph->num_nodes + 1, sizeof *best);
    double least = INFINITY;
    for (int i = 0, last = 0; i < SWEEPS && i < last + 3; i++) { // until nothing gets better
        sweep(of, i % 2 == 0, rows, sums, sizes);
        const double length = length_of(of);
        if (length >= least)
            continue;
        least = length;
        last = i;
        for (uint32_t k = 0; k < of->graph->num_nodes; k++)
            best[k] = of->places[k].row;
    }
    for (uint32_t k = 0; k < of->graph->num_nodes; k++)
        of->places[k].row = best[k];
    free(best);
    // Rows that nothing is in are left out.
    uint32_t total = 0;
    for (uint32_t begin = 0, end; begin < of->num_slots; begin = end) {
        graph_group *const group = &of->groups[of->slots[begin].group];
        uint32_t count = 0;
        for (end = begin; end < of->num_slots && of->slots[end].group == of->slots[begin].group;
             end++)
            sums[count++] = of->places[of->slots[end].node].row;
        qsort(sums, count, sizeof *sums, compare_floats);
        for (uint32_t i = 0; i < count; i++)
            if (i == 0 || sums[i] > sums[group->num_rows - 1])
                sums[group->num_rows++] = sums[i];
        for (uint32_t i = begin; i < end; i++) {
            float *const row = &of->places[of->slots[i].node].row;
            const float *const found =
                bsearch(row, sums, group->num_rows, sizeof *sums, compare_floats);
            *row = found != NULL ? (float)(found - sums) : 0.0f;
        }
        group->first_row = total;
        total += group->num_rows;
    }
    free(rows);
    free(sums);
    free(sizes);
    if (of->num_columns > 0 && total <= MAX_CELLS / of->num_columns)
        of->cells = common_alloc((size_t)total * of->num_columns, 1);
    for (uint32_t i = 0; i < of->num_slots && of->cells != NULL; i++) {
        const graph_place *const place = &of->places[of->slots[i].node];
        const uint32_t row = of->groups[place->group].first_row + (uint32_t)place->row;
        of->cells[(size_t)row * of->num_columns + place->column] = 1;
    }
}

// == Routes =======================================================================================

static int compare_routes(const void *a, const void *b)
{
    const graph_route *const x = a, *const y = b;
    return compare_keys((uint32_t[4]){x->right, (uint32_t)x->class, x->column, x->edge},
                        (uint32_t[4]){y->right, (uint32_t)y->class, y->column, y->edge});
}

// Lists the lines between columns, and turns their edges so that they run from left to right.
static void list_routes(layout *of)
{
    view_graph *const graph = of->graph;
    of->routes = common_alloc(graph->num_edges, sizeof *of->routes);
    for (uint32_t i = 0; i < graph->num_edges; i++) {
        view_graph_edge *const edge = &graph->edges[i];
        if (edge->kind != VIEW_EDGE_LINE || !is_free(of, edge->ends[0])
            || !is_free(of, edge->ends[1]))
            continue;
        const uint32_t a = edge->ends[0], b = edge->ends[1];
        const uint32_t column = of->places[a].column, other = of->places[b].column;
        const bool is_turned = column != other ? column > other : edge->num_ways[0] == 0;
        const uint32_t left = is_turned ? b : a, right = is_turned ? a : b;
        const bool leads = leads_from(edge, left);
        of->routes[of->num_routes++] = (graph_route){.edge = i,
                                                     .left = left,
                                                     .right = right,
                                                     .column = of->places[left].column,
                                                     .class = column == other ? ROUTE_SIDE
                                                              : leads         ? ROUTE_FORWARD
                                                                              : ROUTE_BACK,
                                                     .buses = {MD5_NONE, MD5_NONE},
                                                     .lane = MD5_NONE};
    }
    qsort(of->routes, of->num_routes, sizeof *of->routes, compare_routes);
}

static uint32_t add_bus(layout *of, uint32_t channel)
{
    of->buses[of->num_buses] = (graph_bus){channel, 0, of->num_buses, INFINITY, -INFINITY};
    return of->num_buses++;
}

// Takes a row in the columns between two, if it is free there.
static bool take_row(layout *of, uint32_t row, uint32_t after, uint32_t before)
{
    uint8_t *const cells = of->cells + (size_t)row * of->num_columns + after + 1;
    const size_t count = before - after - 1;
    if (memchr(cells, 1, count) != NULL)
        return false;
    memset(cells, 1, count);
    return true;
}

// A lane from the channel after a column to that before another one: a row that is free, that of
// the right or the left node at best; else above the group, or below it if that is nearer or it
// leads back.
static uint32_t add_lane(layout *of, const graph_route *route)
{
    const graph_place *const left = &of->places[route->left], *const right =
                                                                  &of->places[route->right];
    graph_group *const group = &of->groups[right->group];
    graph_lane lane = {LANE_ROW, right->group, 0, left->column, right->column - 1};
    const uint32_t rows[2] = {(uint32_t)right->row, (uint32_t)left->row};
    for (int i = 0; i < 2 && of->cells != NULL; i++)
        if (take_row(of, group->first_row + rows[i], left->column, right->column)) {
            lane.number = rows[i];
            of->lanes[of->num_lanes] = lane;
            return of->num_lanes++;
        }
    const bool is_low = left->row + right->row > (float)group->num_rows - 0.5f;
    lane.kind = route->class == ROUTE_BACK || is_low ? LANE_BELOW : LANE_ABOVE;
    uint64_t taken = 0; // a bit for each that another one covers
    for (uint32_t i = 0; i < of->num_lanes; i++) {
        const graph_lane *const other = &of->lanes[i];
        if (other->group == lane.group && other->kind == lane.kind && other->first <= lane.last
            && other->last >= lane.first)
            taken |= (uint64_t)1 << other->number;
    }
    while (lane.number + 1 < MAX_LANES && (taken >> lane.number & 1) != 0)
        lane.number++;
    uint32_t *const count = lane.kind == LANE_BELOW ? &group->num_below : &group->num_above;
    if (*count <= lane.number)
        *count = lane.number + 1;
    of->lanes[of->num_lanes] = lane;
    return of->num_lanes++;
}

// The shape of each line, its verticals and its lane, which lines to one node share.
static void find_routes(layout *of)
{
    list_routes(of);
    of->buses = common_alloc(2 * (size_t)of->num_routes + 1, sizeof *of->buses);
    of->lanes = common_alloc((size_t)of->num_routes + 1, sizeof *of->lanes);
    const graph_route *before = NULL;
    uint32_t end_bus = MD5_NONE, begin_bus = MD5_NONE, lane = MD5_NONE;
    for (uint32_t i = 0; i < of->num_routes; i++) {
        graph_route *const route = &of->routes[i];
        graph_place *const left = &of->places[route->left], *const right =
                                                                &of->places[route->right];
        const bool is_new =
            before == NULL || before->right != route->right || before->class != route->class;
        if (is_new)
            end_bus = lane = MD5_NONE;
        if (is_new || before->column != route->column)
            begin_bus = MD5_NONE;
        before = route;
        const float down = right->row - left->row;
        if (route->class == ROUTE_SIDE && fabsf(down) < 1.5f) {
            route->shape = SHAPE_UPRIGHT;
            continue;
        }
        left->uses_right = true;
        right->uses_right |= route->class == ROUTE_SIDE;
        const bool is_next = left->column + 1 == right->column;
        route->shape = route->class == ROUTE_SIDE ? SHAPE_SIDE
                       : !is_next                 ? SHAPE_LONG
                       : fabsf(down) < 0.5f       ? SHAPE_LEVEL
                                                  : SHAPE_BENT;
        if (route->shape == SHAPE_LONG && lane == MD5_NONE)
            lane = add_lane(of, route);
        const bool is_level = route->shape == SHAPE_LONG && of->lanes[lane].kind == LANE_ROW;
        const float row = is_level ? (float)of->lanes[lane].number : -1.0f;
        const bool ends_level = is_level && fabsf(row - right->row) < 0.5f,
                   begins_level = is_level && fabsf(row - left->row) < 0.5f;
        if (route->shape != SHAPE_LEVEL && !ends_level) {
            if (end_bus == MD5_NONE)
                end_bus =
                    add_bus(of, route->class == ROUTE_SIDE ? right->column : right->column - 1);
            route->buses[1] = end_bus;
        }
        if (route->shape == SHAPE_LONG) {
            route->lane = lane;
            if (begin_bus == MD5_NONE && !begins_level)
                begin_bus = add_bus(of, left->column);
            route->buses[0] = begins_level ? MD5_NONE : begin_bus;
        }
    }
}

// == Places =======================================================================================

static float row_middle(const layout *of, uint32_t node)
{
    const graph_place *const place = &of->places[node];
    return of->groups[place->group].y + 0.5f * node_height + row_height * place->row;
}

static float lane_y(const layout *of, const graph_lane *lane)
{
    const graph_group *const group = &of->groups[lane->group];
    const float bottom = group->y + row_height * (float)(group->num_rows - 1) + node_height;
    return lane->kind == LANE_ROW ? group->y + 0.5f * node_height + row_height * (float)lane->number
           : lane->kind == LANE_ABOVE ? group->y - lane_height * (float)(lane->number + 1)
                                      : bottom + lane_height * (float)(lane->number + 1);
}

// The heights at which a line begins, ends and runs level between them. Lines that only leave a
// node do so beside its middle, so that heads there are those of others.
typedef struct graph_levels {
    float begin, end, between;
} graph_levels;

static graph_levels levels_of(const layout *of, const graph_route *route)
{
    const float port = 0.3f, side_port = 0.6f, back_port = 0.45f;
    const view_graph_edge *const edge = &of->graph->edges[route->edge];
    const float left = row_middle(of, route->left), right = row_middle(of, route->right);
    const float between = route->shape == SHAPE_LONG ? lane_y(of, &of->lanes[route->lane]) : right;
    const bool returns = leads_from(edge, route->right);
    graph_levels levels = {left, right, between};
    const bool is_level = fabsf(between - left) < 0.1f;
    if (!returns && !is_level)
        levels.begin += between > left ? port : -port;
    if (route->shape == SHAPE_SIDE)
        levels.end += left > right ? side_port : -side_port;
    else if (route->class == ROUTE_BACK
             && (route->shape == SHAPE_BENT || fabsf(between - right) > 0.1f))
        levels.end += back_port;
    if (route->shape != SHAPE_LONG)
        levels.between = levels.end;
    return levels;
}

static void set_heights(layout *of)
{
    const float gap = row_height - node_height;
    float y = 0.0f;
    for (uint32_t i = 0; i < of->num_groups; i++) {
        graph_group *const group = &of->groups[i];
        y += lane_height * (float)group->num_above + (group->num_above > 0 ? 0.5f * gap : 0.0f);
        group->y = y;
        y += row_height * (float)group->num_rows + lane_height * (float)group->num_below;
    }
    of->graph->height = fmaxf(y - gap, node_height);
}

static void extend(layout *of, uint32_t number, float y)
{
    if (number == MD5_NONE)
        return;
    of->buses[number].low = fminf(of->buses[number].low, y);
    of->buses[number].high = fmaxf(of->buses[number].high, y);
}

static int compare_buses(const void *a, const void *b)
{
    const graph_bus *const x = a, *const y = b;
    const float length = x->high - x->low, other = y->high - y->low;
    if (x->channel != y->channel)
        return x->channel < y->channel ? -1 : 1;
    if (length < other || length > other)
        return length < other ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

// Gives each vertical a track in its channel, on which none overlaps, the shortest first.
// Afterwards they are in the order of their numbers again. `counts`: of tracks in each channel.
static void set_tracks(layout *of, uint32_t *counts)
{
    for (uint32_t i = 0; i < of->num_routes; i++) {
        const graph_route *const route = &of->routes[i];
        const graph_levels levels = levels_of(of, route);
        extend(of, route->buses[0], levels.begin);
        extend(of, route->buses[0], levels.between);
        extend(of, route->buses[1], route->shape == SHAPE_LONG ? levels.between : levels.begin);
        extend(of, route->buses[1], levels.end);
    }
    qsort(of->buses, of->num_buses, sizeof *of->buses, compare_buses);
    uint8_t *const taken = common_alloc((size_t)of->num_buses + 1, 1);
    for (uint32_t i = 0, begin = 0; i < of->num_buses; i++) {
        graph_bus *const bus = &of->buses[i];
        if (bus->channel != of->buses[begin].channel)
            begin = i;
        memset(taken, 0, i - begin + 1);
        for (uint32_t k = begin; k < i; k++)
            if (of->buses[k].low < bus->high + 0.2f && bus->low < of->buses[k].high + 0.2f)
                taken[of->buses[k].track] = 1;
        while (taken[bus->track] != 0)
            bus->track++;
        if (counts[bus->channel] <= bus->track)
            counts[bus->channel] = bus->track + 1;
    }
    free(taken);
    graph_bus *const sorted = common_alloc((size_t)of->num_buses + 1, sizeof *sorted);
    for (uint32_t i = 0; i < of->num_buses; i++)
        sorted[of->buses[i].number] = of->buses[i];
    free(of->buses);
    of->buses = sorted;
}

// How wide the node of a state has to be for its name and signs.
static float wish_width(const layout *of, uint32_t node, float mark)
{
    const view_graph_node *const known = &of->graph->nodes[node];
    const bool is_inside = known->returns && of->places[node].uses_right;
    char more[16] = "";
    if (known->num_more > 0)
        (void)snprintf(more, sizeof more, "+%u", known->num_more);
    const float signs = (known->loops ? sign_width : 0.0f) + (known->is_entry ? sign_width : 0.0f)
                        + (is_inside ? mark + mark_padding : 0.0f)
                        + (more[0] != '\0' ? of->measure(of->user, more) + text_padding : 0.0f);
    return fmaxf(of->measure(of->user, known->name) + 2.0f * text_padding + signs, node_width);
}

// The box of detours left of the hub; returns its width with the gap after it.
static float place_box(layout *of)
{
    view_graph *const graph = of->graph;
    const float padding = 0.6f, title = 1.9f;
    uint32_t count = 0, number = 0;
    float width = 0.0f;
    for (uint32_t i = 0; i < graph->num_states; i++)
        if (graph->nodes[i].place == VIEW_NODE_BOXED) {
            width = fmaxf(width, wish_width(of, i, 0.0f));
            count++;
        }
    if (count == 0)
        return 0.0f;
    const float room = fmaxf(graph->height - title - padding, 5.0f * row_height);
    const uint32_t max_rows = (uint32_t)(room / row_height);
    const uint32_t num_columns = count > 2 * max_rows ? (count + max_rows - 1) / max_rows : 2;
    const uint32_t num_rows = (count + num_columns - 1) / num_columns;
    const float top = graph->has_entry ? row_height : 0.0f;
    graph->box = (view_rect){0.0f, 0.0f, (width + padding) * (float)num_columns + padding,
                             title + row_height * (float)num_rows - 0.7f + padding};
    graph->height = fmaxf(graph->height, graph->box.height + top);
    graph->box.y = fmaxf(0.5f * (graph->height - graph->box.height), top);
    for (uint32_t i = 0; i < graph->num_states; i++)
        if (graph->nodes[i].place == VIEW_NODE_BOXED) {
            const uint32_t place = number / num_columns;
            const float column = (float)(number % num_columns), row = (float)place;
            graph->nodes[i].rect =
                (view_rect){padding + (width + padding) * column,
                            graph->box.y + title + row_height * row, width, node_height};
            number++;
        }
    return graph->box.width + channel_width;
}

// Places everything from left to right: box, hub, columns, each with the channel after it.
static void place_nodes(layout *of, const uint32_t *num_tracks)
{
    view_graph *const graph = of->graph;
    const uint32_t hub = graph->hub;
    const bool has_hub = hub != MD5_NONE;
    const float mark =
        has_hub ? of->measure(of->user, graph->nodes[hub].name) + 2.0f * mark_padding : 0.0f;
    const bool is_first = graph->num_states > 0 && is_free(of, 0) && of->places[0].column == 0;
    graph->has_entry = graph->num_states > 0 && (has_hub ? hub == 0 : is_first);
    if (graph->num_states > 0)
        graph->nodes[0].is_entry = !graph->has_entry;
    const float entry = graph->has_entry ? 1.4f + of->measure(of->user, "entry") : 0.0f;
    const float above = graph->height;
    float x = fmaxf(place_box(of), graph->has_entry ? entry + channel_width : 0.0f);
    const float down = 0.5f * (graph->height - above); // the box may be higher
    for (uint32_t i = 0; i < of->num_groups; i++)
        of->groups[i].y += down;
    of->lefts = common_alloc((size_t)of->num_columns + 1, sizeof *of->lefts);
    of->widths = common_alloc((size_t)of->num_columns + 1, sizeof *of->widths);
    of->extents = common_alloc((size_t)of->num_columns + 1, sizeof *of->extents);
    if (has_hub) {
        const float width =
            fmaxf(of->measure(of->user, graph->nodes[hub].name) + 2.0f * text_padding
                      + (graph->nodes[hub].loops ? sign_width : 0.0f)
                      + (graph->nodes[hub].is_entry ? sign_width : 0.0f),
                  6.0f);
        graph->nodes[hub].rect = (view_rect){x, 0.0f, width, graph->height};
        of->widths[0] = of->extents[0] = width;
    }
    for (uint32_t i = 0; i < of->num_slots; i++) {
        const uint32_t node = of->slots[i].node, column = of->slots[i].column;
        of->widths[column] = fmaxf(of->widths[column], wish_width(of, node, mark));
    }
    for (uint32_t i = 0; i < of->num_slots; i++) {
        const uint32_t node = of->slots[i].node, column = of->slots[i].column;
        const bool is_beside = graph->nodes[node].returns && !of->places[node].uses_right;
        of->extents[column] =
            fmaxf(of->extents[column], of->widths[column] + (is_beside ? mark_gap + mark : 0.0f));
    }
    for (uint32_t column = 0; column < of->num_columns; column++) {
        of->lefts[column] = x;
        graph->width = x + of->extents[column];
        const float tracks = track_width * ((float)num_tracks[column] - 1.0f);
        x = graph->width + fmaxf(2.0f * channel_end + fmaxf(tracks, 0.0f), channel_width);
    }
    if (of->num_columns > 0 && num_tracks[of->num_columns - 1] > 0)
        graph->width = x; // lines between nodes of the last column
    for (uint32_t i = 0; i < of->num_slots; i++) {
        const uint32_t node = of->slots[i].node, column = of->slots[i].column;
        view_graph_node *const known = &graph->nodes[node];
        known->rect = (view_rect){of->lefts[column], row_middle(of, node) - 0.5f * node_height,
                                  of->widths[column], node_height};
        const float right = known->rect.x + known->rect.width;
        known->mark = (view_rect){
            of->places[node].uses_right ? right - mark - 0.3f : right + mark_gap,
            row_middle(of, node) - 0.5f * mark_height, known->returns ? mark : 0.0f, mark_height};
    }
    if (graph->has_entry) {
        const view_rect first = graph->nodes[0].rect;
        graph->entry =
            (view_graph_point){first.x - channel_width + 0.6f, first.y + 0.5f * node_height};
    }
}

// == Lines ========================================================================================

static void add_point(view_graph *graph, view_graph_edge *edge, float x, float y)
{
    if (edge->num_points > 0) {
        const view_graph_point last = graph->points[graph->num_points - 1];
        if (fabsf(last.x - x) < 1e-3f && fabsf(last.y - y) < 1e-3f)
            return;
    } else {
        edge->first_point = graph->num_points;
    }
    graph->points[graph->num_points++] = (view_graph_point){x, y};
    edge->num_points++;
}

static float bus_x(const layout *of, uint32_t number)
{
    const graph_bus *const bus = &of->buses[number];
    return of->lefts[bus->channel] + of->extents[bus->channel] + channel_end
           + track_width * (float)bus->track;
}

static void draw_route(layout *of, const graph_route *route)
{
    view_graph *const graph = of->graph;
    view_graph_edge *const edge = &graph->edges[route->edge];
    const view_rect left = graph->nodes[route->left].rect, right = graph->nodes[route->right].rect;
    const graph_levels levels = levels_of(of, route);
    if (edge->ends[0] != route->left) { // its line runs from left to right
        const uint32_t back = edge->num_ways[0];
        edge->num_ways[0] = edge->num_ways[1];
        edge->num_ways[1] = back;
        edge->ends[0] = route->left;
        edge->ends[1] = route->right;
        // Ways of the new direction come first again.
        uint32_t *const ways = graph->ways + edge->first_way;
        const uint32_t count = edge->num_ways[0] + edge->num_ways[1];
        for (uint32_t shift = 0; shift < back; shift++) {
            const uint32_t way = ways[0];
            memmove(ways, ways + 1, (count - 1) * sizeof *ways);
            ways[count - 1] = way;
        }
    }
    if (route->shape == SHAPE_UPRIGHT) {
        const float x = left.x + 0.5f * left.width;
        const bool is_down = right.y > left.y;
        add_point(graph, edge, x, is_down ? left.y + left.height : left.y);
        add_point(graph, edge, x, is_down ? right.y : right.y + right.height);
        return;
    }
    const float end = route->shape == SHAPE_SIDE ? right.x + right.width : right.x;
    add_point(graph, edge, left.x + left.width, levels.begin);
    if (route->buses[0] != MD5_NONE) {
        add_point(graph, edge, bus_x(of, route->buses[0]), levels.begin);
        add_point(graph, edge, bus_x(of, route->buses[0]), levels.between);
    }
    if (route->buses[1] != MD5_NONE) {
        const float y = route->shape == SHAPE_LONG ? levels.between : levels.begin;
        add_point(graph, edge, bus_x(of, route->buses[1]), y);
        add_point(graph, edge, bus_x(of, route->buses[1]), levels.end);
    }
    add_point(graph, edge, end, levels.end);
}

static void place_lines(layout *of)
{
    view_graph *const graph = of->graph;
    graph->points = common_alloc(6 * (size_t)graph->num_edges, sizeof *graph->points);
    for (uint32_t i = 0; i < of->num_routes; i++)
        draw_route(of, &of->routes[i]);
    for (uint32_t i = 0; i < graph->num_edges; i++) {
        view_graph_edge *const edge = &graph->edges[i];
        const uint32_t hub = graph->hub;
        const bool is_hubs = hub != MD5_NONE && (edge->ends[0] == hub || edge->ends[1] == hub);
        if (!is_hubs || edge->kind == VIEW_EDGE_LOOP)
            continue;
        const view_graph_node *const node = &graph->nodes[other_end(edge, hub)];
        const view_rect bar = graph->nodes[hub].rect;
        float from = bar.x + bar.width, to = node->rect.x;
        float y = node->rect.y + 0.5f * node->rect.height;
        if (edge->kind == VIEW_EDGE_BOXED) {
            from = bar.x;
            to = graph->box.x + graph->box.width;
            y = graph->box.y + 0.5f * graph->box.height;
        } else if (edge->kind == VIEW_EDGE_STUB) {
            from = node->mark.x;
            to = fminf(node->rect.x + node->rect.width, from);
        }
        const bool is_first = edge->ends[0] == hub;
        add_point(graph, edge, is_first ? from : to, y);
        add_point(graph, edge, is_first ? to : from, y);
    }
}

view_graph *view_lay_out_graph(const md5_layer_desc *layer, view_measure_fn *measure,
                               const void *user)
{
    view_graph *const graph = common_alloc(1, sizeof *graph);
    layout of = {.layer = layer, .measure = measure, .user = user, .graph = graph};
    of.any = MD5_NONE;
    fold_edges(&of);
    link_edges(&of);
    of.places = common_alloc((size_t)graph->num_nodes + 1, sizeof *of.places);
    find_roles(&of);
    find_twins(&of);
    find_columns(&of);
    list_slots(&of);
    find_rows(&of);
    find_routes(&of);
    set_heights(&of);
    uint32_t *const num_tracks = common_alloc((size_t)of.num_columns + 1, sizeof *num_tracks);
    set_tracks(&of, num_tracks);
    place_nodes(&of, num_tracks);
    place_lines(&of);
    free(num_tracks);
    free(of.first);
    free(of.links);
    free(of.places);
    free(of.slots);
    free(of.segments);
    free(of.groups);
    free(of.buses);
    free(of.lanes);
    free(of.routes);
    free(of.cells);
    free(of.lefts);
    free(of.widths);
    free(of.extents);
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
