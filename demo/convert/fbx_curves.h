// Animation curves of FBX files of version 7. libassimp discards the curves between keys, so that
// files with few keys lose their motion; here the curves are read and evaluated at any time.
#ifndef DEMO_CONVERT_FBX_CURVES_H
#define DEMO_CONVERT_FBX_CURVES_H

#include "demo/convert/affine.h"
#include "demo/convert/convert.h"

typedef struct fbx_curves fbx_curves;

// Reads the models, curves and clips of a file. Returns NULL if the file is not an FBX file of
// version 7, is damaged or exceeds the budget. Free it with fbx_free_curves().
fbx_curves *fbx_read_curves(const convert_job *job, const char *bytes, size_t size);
void fbx_free_curves(fbx_curves *curves);

// Returns the only model with a name, or SIZE_MAX if no model or several models have the name.
size_t fbx_find_model(fbx_curves *curves, const char *name);

// Selects the only clip with a name. Returns false if no clip or several clips have the name, or if
// the budget is exceeded.
bool fbx_select_clip(fbx_curves *curves, const char *name);

// Returns true if the selected clip can be evaluated for a model: not if several layers animate one
// of its properties, or if a curve is damaged, exceeds the budget or has keys in the wrong order.
bool fbx_is_supported(const fbx_curves *curves, size_t model);

// Returns true if the selected clip animates a model.
bool fbx_is_animated(const fbx_curves *curves, size_t model);

// Returns the transform of a model relative to its parent, at a time since the beginning of the
// selected clip.
convert_affine fbx_evaluate(const fbx_curves *curves, size_t model, double seconds);

// Returns the transform of a model relative to its parent without a clip.
convert_affine fbx_rest_transform(const fbx_curves *curves, size_t model);

#endif
