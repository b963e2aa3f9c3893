// What the body shows: its materials, weights, or texture coordinates.
#ifndef DEMO_VIEWER_DRAW_SURFACE_H
#define DEMO_VIEWER_DRAW_SURFACE_H

#include "demo/viewer/draw/stage.h"

// Prepares what the surface that is switched on needs. Call it before each picture, outside of a
// frame. Returns false and fills `error` on failure.
bool view_prepare_surface(const view_stage *stage, md5_error *error);

// The model to pose and draw: the document's, or, if weights are shown, its coloured copy. NULL if
// there is none.
md5gl_model *view_surface_model(const view_stage *stage);

#endif
