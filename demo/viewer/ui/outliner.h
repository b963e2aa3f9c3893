// The outliner in the left dock. It lists meshes, clips, layers with states, materials and morph
// targets, and the joints as a tree. It has a search field. This header also contains the selection
// of meshes, materials and joints.
#ifndef DEMO_VIEWER_UI_OUTLINER_H
#define DEMO_VIEWER_UI_OUTLINER_H

#include "demo/viewer/ui/graph.h"

enum { VIEW_MAX_FOLDED = 1024 }; // joints with a larger index cannot be folded

// The state of the outliner: the search text and the folded rows.
typedef struct view_outliner {
    char filter[64];    // search text
    bool lists_section; // sections have no headers: the tab of a phone displays only one section
    uint64_t folded_joints[VIEW_MAX_FOLDED / 64]; // one bit per joint; 1: folded
    uint64_t open_layers;                         // one bit per layer; 1: its states are listed
    int32_t revealed_joint;                       // joint that the list was scrolled to
} view_outliner;

// Draws the outliner in `area` and handles its input. On a phone, it displays either only the
// clips, without headers, or all other sections. A click on a layer selects it in `graph`.
void view_outliner_panel(view_ui *ui, view_outliner *outliner, view_graph_view *graph,
                         view_rect area);

// Selects a mesh and highlights it in the image. The inspector displays its page. `uptime` is in
// seconds since the start.
void view_select_mesh(view_ui *ui, double uptime, uint32_t mesh);

// Selects the material of a mesh.
void view_select_material(view_ui *ui, uint32_t mesh);

// Returns the joint that is marked in the image, or -1. It is the joint whose row is under the
// mouse. If there is none, it is the selected joint.
int32_t view_marked_joint(const view_ui *ui, const view_scene *scene);

#endif
