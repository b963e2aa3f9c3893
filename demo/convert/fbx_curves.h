// Animation curves of FBX files of version 7. libassimp discards the curves between keys, so that
// files with few keys lose their motion; here the curves are read and evaluated at any time.
#ifndef DEMO_CONVERT_FBX_CURVES_H
#define DEMO_CONVERT_FBX_CURVES_H

#include "demo/convert/affine.h"
#include "demo/convert/convert.h"
#include "demo/convert/plain_scene.h"

typedef struct fbx_curves fbx_curves;

// Reads the models, curves and clips of a file. Returns NULL if the file is not an FBX file of
// version 7, has no models or is damaged. Free it with fbx_free_curves().
fbx_curves *fbx_read_curves(const convert_job *job, const char *bytes, size_t size);
void fbx_free_curves(fbx_curves *curves);

// Gives models with equal names different names of the same length, because libassimp finds nodes
// and bones by their names. Returns the bytes of a file with these names, which exist as long as
// the curves.
const char *fbx_rename_models(fbx_curves *curves);

// Returns a name that several models have after fbx_rename_models(), or NULL.
const char *fbx_ambiguous_name(const fbx_curves *curves);

// Returns the only model with a name, or SIZE_MAX if no model or several models have the name.
size_t fbx_find_model(fbx_curves *curves, const char *name);

// Selects the only clip with a name. Returns false if no clip or several clips have the name, or if
// the budget is exceeded.
bool fbx_select_clip(fbx_curves *curves, const char *name);

// Returns true if the selected clip can be evaluated for a model. This is impossible if a curve is
// damaged, exceeds the budget, or has keys in the wrong order.
bool fbx_is_supported(const fbx_curves *curves, size_t model);

// Returns true if the selected clip animates a model.
bool fbx_is_animated(const fbx_curves *curves, size_t model);

size_t fbx_num_models(const fbx_curves *curves);

// Returns the name of a model in the original file.
const char *fbx_model_name(const fbx_curves *curves, size_t model);

// Animation layers. Returns the name of a layer after the first that animates a model in the
// selected clip, or NULL.
const char *fbx_blended_layer(const fbx_curves *curves, size_t model);

// Returns the name of a layer of the selected clip that is ignored, or NULL. A layer is ignored if
// it is muted, or if another layer is solo.
const char *fbx_skipped_layer(const fbx_curves *curves);

// Returns true if a layer after the first animates a model, in any clip.
bool fbx_has_blended_layers(const fbx_curves *curves);

// Returns the number of additional values that an evaluation of all models blends.
size_t fbx_num_blended(const fbx_curves *curves);

// Returns true if a geometry contains its morph targets, as in files of FBX 6 and some of FBX 7.1.
// libassimp ignores them.
bool fbx_has_old_shapes(const fbx_curves *curves);

// Returns the factor from seconds in the time unit of FBX 7 to seconds of the file: 1 unless the
// file has the time unit of FBX 8.
double fbx_time_factor(const fbx_curves *curves);

// Returns the transform of a model relative to its parent, at a time since the beginning of the
// selected clip.
convert_affine fbx_evaluate(const fbx_curves *curves, size_t model, double seconds);

// Returns true if the rotation order, the pre-rotation and the post-rotation of a model apply. FBX
// ignores these properties if RotationActive is 0 or RotationSpaceForLimitOnly is 1; libassimp
// applies them always.
bool fbx_has_rotation_space(const fbx_curves *curves, size_t model);

// Returns the way in which a model inherits the scale of its parent, its InheritType. libassimp
// multiplies transforms always.
plain_inheritance fbx_scale_inheritance(const fbx_curves *curves, size_t model);

// Returns true if the factors of a model's scale are neither all positive nor all negative.
// libassimp then splits its transform into another rotation and another scale.
bool fbx_has_mixed_scale(const fbx_curves *curves, size_t model);

// Returns the transform that applies to the meshes of a model, but not to its children. libassimp
// applies the rotation order of the model to it, which is wrong.
convert_affine fbx_geometric_factor(const fbx_curves *curves, size_t model);

// Returns the transform of a model relative to its parent without a clip. If `in_space` is true,
// applies the rotation order, the pre-rotation and the post-rotation of the model, even if the file
// disables them. If it is false, the model rotates in the order x, y, z only.
convert_affine fbx_rest_transform(const fbx_curves *curves, size_t model, bool in_space);

#endif
