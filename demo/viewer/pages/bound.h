// A character with automatic weights (md5skin.h) in place of its own.
#ifndef DEMO_VIEWER_PAGES_BOUND_H
#define DEMO_VIEWER_PAGES_BOUND_H

#include "md5/md5skin.h"

// Joins the meshes of a model and computes weights for all vertices, in the order of meshes. `desc`
// has resolution, influences, smoothing and falloff; the rest is filled. Joints get no weights
// whose vertices no distance could know: parts of the face, and things to hold. Returns NULL and
// fills `error` on failure.
md5_weights *view_bind_weights(const md5_model *model, md5_weights_desc desc, md5_error *error);

// Creates a copy of a model with these weights; free it with md5_free_model(). Vertices are those
// of the model, in the same order.
md5_model *view_bound_model(const md5_model *model, const md5_weights *weights, md5_error *error);

#endif
