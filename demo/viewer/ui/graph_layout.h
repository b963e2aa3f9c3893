// Layout of the state graph of a machine's layer: one column of states per distance from the start
// state, and straight lines. It depends only on the tables and on the widths of texts. Lengths are
// in em, the height of text, from the upper left corner.
#ifndef DEMO_VIEWER_UI_GRAPH_LAYOUT_H
#define DEMO_VIEWER_UI_GRAPH_LAYOUT_H

#include "demo/viewer/base/canvas.h"
#include "md5/md5play.h"

// A state, or, after all states, "any state".
typedef struct view_graph_node {
    const char *name;
    view_rect rect;
    bool loops; // a transition leads from the state to itself, which a sign in the node shows
} view_graph_node;

typedef struct view_graph_point {
    float x;
    float y;
} view_graph_point;

// Transitions between two states, in both directions.
typedef struct view_graph_edge {
    uint32_t ends[2];            // nodes
    uint32_t num_transitions[2]; // from the first node to the second, and back
    uint32_t first_transition; // of both in view_graph.transitions: from first to second, then back
    view_graph_point points[3]; // of its line, from the first node to the second
    uint32_t num_points;        // 0: from a state to itself, without a line; 3: within a column
} view_graph_edge;

typedef struct view_graph {
    view_graph_node *nodes;
    view_graph_edge *edges;
    uint32_t *transitions; // indices of transitions of the layer
    uint32_t num_nodes;
    uint32_t num_states;
    uint32_t num_edges;
    uint32_t num_transitions;
    float width;
    float height;
} view_graph;

// Scale below which the names in the nodes are too small to be read.
#define VIEW_GRAPH_MIN_SCALE 0.6f

// Returns the width of a text in em.
typedef float view_measure_fn(const void *user, const char *text);

// Size of the area that shows the graph, at a scale of 1. The states of one distance are wrapped
// into several columns if the graph would be too high for the area.
typedef struct view_graph_area {
    float width;
    float height;
} view_graph_area;

// Creates the layout. Each state is one node, each transition is in one edge. Left of the first
// state there is space for the sign of the entry. Takes O(n log n) time for n states and
// transitions. Free it with view_free_graph().
view_graph *view_lay_out_graph(const md5_layer_desc *layer, view_graph_area area,
                               view_measure_fn *measure, const void *user);
void view_free_graph(view_graph *graph); // NULL is allowed

#endif
