// The layout of the state graph of one layer. States with the same distance from the start state
// are in one column, and lines are straight. The layout depends only on the description of the
// machine and on the widths of texts. Lengths are in em, the height of text. The origin is the
// upper left corner.
#ifndef DEMO_VIEWER_UI_GRAPH_LAYOUT_H
#define DEMO_VIEWER_UI_GRAPH_LAYOUT_H

#include "demo/viewer/base/canvas.h"
#include "md5/md5play.h"

// A node of the graph: a state. The last node may be "any state". Every state can take the
// transitions that begin there.
typedef struct view_graph_node {
    const char *name;
    view_rect rect;
    bool loops; // a transition leads from the state to itself; a sign in the node displays it
} view_graph_node;

typedef struct view_graph_point {
    float x;
    float y;
} view_graph_point;

// All transitions between two states, in both directions.
typedef struct view_graph_edge {
    uint32_t ends[2];            // the two nodes
    uint32_t num_transitions[2]; // from ends[0] to ends[1], and from ends[1] to ends[0]
    // Index of the first transition in view_graph.transitions. The transitions from ends[0] to
    // ends[1] are first. The transitions from ends[1] to ends[0] follow.
    uint32_t first_transition;
    view_graph_point points[3]; // points of the line from ends[0] to ends[1]
    // Number of points: 0 for an edge from a state to itself, which has no line; 2 for a straight
    // line; 3 for a line that bends around other nodes of the same column.
    uint32_t num_points;
} view_graph_edge;

typedef struct view_graph {
    view_graph_node *nodes;
    view_graph_edge *edges;
    uint32_t *transitions; // indices in md5_layer_desc.transitions, grouped by edge
    uint32_t num_nodes;    // num_states, or num_states + 1 if "any state" has transitions
    uint32_t num_states;
    uint32_t num_edges;
    uint32_t num_transitions;
    float width;
    float height;
} view_graph;

// The scale below which the names in nodes are too small to be read.
#define VIEW_GRAPH_MIN_SCALE 0.6f

// Returns the width of a text in em. `user` is passed to view_lay_out_graph().
typedef float view_measure_fn(const void *user, const char *text);

// Size of the area that displays the graph, at a scale of 1. If the graph would be higher than the
// area, states with the same distance are divided into several columns.
typedef struct view_graph_area {
    float width;
    float height;
} view_graph_area;

// Lays out a layer. The caller frees the result with view_free_graph(). Each state is one node, and
// each transition belongs to one edge. At the left of the first state is space for the sign of the
// entry, which is an arrow to this state. `measure` returns the width of a name and receives
// `user`. Takes O(n log n) time for n states and transitions.
view_graph *view_lay_out_graph(const md5_layer_desc *layer, view_graph_area area,
                               view_measure_fn *measure, const void *user);
void view_free_graph(view_graph *graph); // NULL is allowed

#endif
