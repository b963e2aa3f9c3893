// Sections of the inspector with computed values: statistics of the document, the clicked item, and
// the distance between two items.
#ifndef DEMO_VIEWER_UI_INFO_H
#define DEMO_VIEWER_UI_INFO_H

#include "demo/viewer/ui/ui.h"

// Draws and handles the sections with information about the document. Most of them are displayed
// only if the option --statistics is set.
void view_figures_panel(view_ui *ui);

// Draws and handles the section with the distance between two selected joints or two clicked
// points.
void view_two_panel(view_ui *ui);

// Returns the vector between two picked points in the last skinned pose, in model space and its
// units.
md5_vec3 view_pick_difference(const view_scene *scene, const view_pick *from, const view_pick *to);

// Returns the matrix from world space to the space of the model file.
md5_mat34 view_model_from_world(const view_scene *scene);

// Returns the transform of a joint in model space. If `in_parent` is true and the joint has a
// parent, the transform is relative to the parent.
md5_mat34 view_joint_matrix(const view_scene *scene, uint32_t joint, bool in_parent);

#endif
