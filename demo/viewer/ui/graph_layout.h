// Where the states and transitions of a machine's layer are drawn: a function of the tables and of
// the widths of texts, without a picture. Lengths are in em, the height of text, from the upper
// left corner.
#ifndef DEMO_VIEWER_UI_GRAPH_LAYOUT_H
#define DEMO_VIEWER_UI_GRAPH_LAYOUT_H

#include "demo/viewer/base/canvas.h"
#include "md5/md5play.h"

typedef enum view_node_place {
    VIEW_NODE_COLUMN,
    VIEW_NODE_HUB,   // the state with most neighbours, if they are many: a bar, left of the columns
    VIEW_NODE_BOXED, // reached from the hub alone and back: in a box left of it
} view_node_place;

// A state, or, after all states, any state.
typedef struct view_graph_node {
    const char *name;
    view_rect rect;
    view_node_place place;
    bool loops;        // a transition leads from it to itself
    bool returns;      // to the hub, which a mark with its name says
    view_rect mark;    // of that: beside the node, or within it
    uint32_t num_more; // other states that it leads to, without a line: boxed
} view_graph_node;

typedef enum view_edge_kind {
    VIEW_EDGE_LOOP,  // a sign within the node
    VIEW_EDGE_MORE,  // counted in its node
    VIEW_EDGE_LINE,  // between columns
    VIEW_EDGE_HUB,   // a line from the hub
    VIEW_EDGE_STUB,  // back to the hub: a line to a mark with its name
    VIEW_EDGE_BOXED, // between hub and box: the one line that they share
} view_edge_kind;

// The transitions between two states, in both directions.
typedef struct view_graph_edge {
    view_edge_kind kind;
    uint32_t ends[2];                 // nodes
    uint32_t num_ways[2];             // transitions from the first to the second, and back
    uint32_t first_way;               // of both in view_graph.ways: from first to second, then back
    uint32_t first_point, num_points; // of its line in view_graph.points: from first to second
} view_graph_edge;

typedef struct view_graph_point {
    float x, y;
} view_graph_point;

typedef struct view_graph {
    view_graph_node *nodes;
    view_graph_edge *edges;
    view_graph_point *points;
    uint32_t *ways; // transitions of the layer
    uint32_t num_nodes, num_states, num_edges, num_points, num_ways;
    uint32_t hub;  // node, or MD5_NONE
    view_rect box; // "there and back"; without width: none
    float width, height;
} view_graph;

// The width of a text in em.
typedef float view_measure_fn(const void *user, const char *text);

// Free it with view_free_graph(). Each state is one node, each transition is in one edge, and no
// line passes through a node that it does not belong to. At the left of the first state there is
// room for a sign of the entry.
view_graph *view_lay_out_graph(const md5_layer_desc *layer, view_measure_fn *measure,
                               const void *user);
void view_free_graph(view_graph *graph); // NULL is allowed

#endif
