// Sections of the inspector with computed values: statistics of the document, the clicked point,
// and the distance between two objects.
#ifndef DEMO_VIEWER_UI_INFO_H
#define DEMO_VIEWER_UI_INFO_H

#include "demo/viewer/ui/ui.h"

// Adds the sections about the document. Most of them are displayed only with the option
// --statistics.
void view_document_sections(view_ui *ui);

// Adds the section with the distance between two selected joints or two clicked points.
void view_distance_section(view_ui *ui);

// Returns the vector between two picked points in the last skinned pose. It is in model space, in
// the units of the model.
md5_vec3 view_pick_difference(const view_scene *scene, const view_pick *from, const view_pick *to);

// Returns the matrix from world space to the space of the model file.
md5_mat34 view_model_from_world(const view_scene *scene);

// Returns the transform of a joint in model space. If `in_parent` is true, returns it relative to
// the parent; a root has no parent, so its transform is in model space.
md5_mat34 view_joint_matrix(const view_scene *scene, uint32_t joint, bool in_parent);

#endif
