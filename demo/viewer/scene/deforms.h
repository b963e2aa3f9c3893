// Meshes that their materials deform: see md5deform.h.
#ifndef DEMO_VIEWER_SCENE_DEFORMS_H
#define DEMO_VIEWER_SCENE_DEFORMS_H

#include "demo/viewer/scene/layers.h"

// Whether a mesh has a deform that can be shown. Then its model has to be on the path of the CPU.
bool view_has_deforms(const view_layers *layers, const md5_model *model);

// Sets the deforms of a model on that path. Notes and logs those that cannot be shown. The layers
// stay where they are until the model is destroyed.
void view_set_deforms(view_layers *layers, md5gl_renderer *renderer, md5gl_model *drawn,
                      const md5_model *model, view_log *log);

// Sets from where deformed meshes are seen, before the model is posed.
void view_see_deforms(const view_layers *layers, const md5_deform_view *view);

#endif
