// Blending of animation layers of FBX files, as the documentation of FbxAnimLayer defines it. Each
// layer of a clip changes the value of a property that the layers before it computed.
#ifndef DEMO_CONVERT_FBX_LAYERS_H
#define DEMO_CONVERT_FBX_LAYERS_H

#include "demo/convert/space.h"

#include <stdbool.h>

enum { FBX_TRANSLATION, FBX_ROTATION, FBX_SCALING, FBX_NUM_PROPERTIES };

// The values of these constants are stored in files. Unknown modes replace the value.
typedef enum fbx_blend_mode {
    FBX_ADDITIVE = 0,
    FBX_OVERRIDE = 1,    // ignores the weight
    FBX_PASSTHROUGH = 2, // interpolates by the weight
} fbx_blend_mode;

// The ways in which a layer is blended with the result of the earlier layers.
typedef struct fbx_blending {
    fbx_blend_mode mode;
    double weight;             // 0 to 1
    bool has_separate_angles;  // Euler angles are added or interpolated separately, instead of
                               // rotations
    bool has_separate_scaling; // scale factors are added, instead of multiplied
} fbx_blending;

// The axes of the six rotation orders; the rotation about the first axis is applied first.
extern const int fbx_rotation_orders[6][3];

// Returns the value of a property after a layer. `below` is the value of the layers before it, and
// `value` the layer's value. Angles are in degrees; `order` is the rotation order of the model.
convert_vec fbx_blend_layer(const fbx_blending *blending, int property, int order,
                            convert_vec below, convert_vec value);

#endif
