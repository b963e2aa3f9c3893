// Meshes that their materials deform: see md5game.h.
#ifndef DEMO_VIEWER_SCENE_DEFORMS_H
#define DEMO_VIEWER_SCENE_DEFORMS_H

#include "demo/viewer/scene/layers.h"

// Whether a mesh is deformed, after view_set_deforms().
bool view_has_deforms(const view_layers *layers);

// Sets the deforms of a model. Notes and logs those that cannot be shown. The layers stay where
// they are until the model is destroyed.
void view_set_deforms(view_layers *layers, md5gl_renderer *renderer, md5gl_model *drawn,
                      const md5_model *model, view_log *log);

// Sets from where deformed meshes are seen, in world space, before the model is posed with
// placements[num_placements], which stay valid while it is. They rotate, move and scale equally in
// all directions; NULL: the model is where its file puts it.
void view_see_deforms(const view_layers *layers, const md5_deform_view *view,
                      const md5_mat34 *placements, uint32_t num_placements);

#endif
