// The state graph of a state machine in the bottom dock. It displays one layer with its active
// states and the conditions of its transitions. A view_graph_view contains the zoom and the cached
// layout (graph_layout.h).
#ifndef DEMO_VIEWER_UI_GRAPH_H
#define DEMO_VIEWER_UI_GRAPH_H

#include "demo/viewer/ui/graph_layout.h"
#include "demo/viewer/ui/ui.h"

// An edge that was taken a short time ago, and is therefore highlighted. An edge stands for all
// transitions between two states.
enum { VIEW_RECENT_EDGES = 8 };
typedef struct view_recent_edge {
    uint32_t edge; // MD5_NONE: none
    double time;   // time of the machine, seconds
} view_recent_edge;

// The displayed layer, its position and zoom, and its cached layout.
typedef struct view_graph_view {
    uint32_t layer;
    float zoom;   // 0: fits the panel
    float x;      // left edge of the graph relative to the panel, pixels
    float y;      // top edge of the graph relative to the panel, pixels
    float grip_x; // last position of the mouse while dragging
    float grip_y;
    uint32_t hovered;                           // state or edge under the mouse; 0: none
    uint32_t running;                           // edge of the active transition, or MD5_NONE
    view_recent_edge recent[VIEW_RECENT_EDGES]; // edges that were taken, the newest first
    view_graph *graph;                          // cached layout, or NULL

    // Inputs of the cached layout. A change of any of them requires a new layout.
    uint64_t fingerprint; // fingerprint of the machine
    float scale;          // scale of the font
    uint32_t laid_out;    // index of the layer
    view_graph_area area_of_layout;
} view_graph_view;

// Frees the layout. The selected layer does not change.
void view_clear_graph(view_graph_view *view);

// Selects a layer by its index and displays it at its default zoom.
void view_select_layer(view_graph_view *view, uint32_t layer);

// view_shows_graph() returns true if the state graph is visible in the bottom dock.
// view_graph_panel() draws it and handles its input.
bool view_shows_graph(const view_stage *stage);
void view_graph_panel(view_ui *ui, view_graph_view *view);

#endif
