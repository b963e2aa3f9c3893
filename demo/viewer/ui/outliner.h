// The left dock: meshes, clips, layers with states, materials, morph targets, and joints as a tree
// with a search. It also contains the selection of meshes, materials and joints.
#ifndef DEMO_VIEWER_UI_OUTLINER_H
#define DEMO_VIEWER_UI_OUTLINER_H

#include "demo/viewer/ui/ui.h"

void view_outliner(view_ui *ui, view_rect area);

// Resets the folded sections and scroll positions for a new document.
void view_reset_rows(view_ui *ui);

// Selects a mesh and highlights it; the inspector shows its page. `now`: seconds since the start.
void view_select_mesh(view_ui *ui, double now, uint32_t mesh);

// Selects the material of a mesh.
void view_select_material(view_ui *ui, uint32_t mesh);

// Returns the joint under the mouse, or else the selected joint, or -1.
int32_t view_marked_joint(const view_ui *ui, const view_scene *scene);

#endif
