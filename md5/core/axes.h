// Conversion between id's axes and those of an engine.
//
// All of md5_axes are signed permutations C of the coordinates. A vector v becomes C v, a rotation
// R becomes C R C^-1: applied to every space at once, the joints' own included, this changes no
// relation between them, so that everything computed from converted values is the converted result.
// As a quaternion, C R C^-1 is (det(C) C xyz, w), since the axis of a rotation is a pseudovector:
// for left-handed axes det(C) is -1.
#ifndef MD5_CORE_AXES_H
#define MD5_CORE_AXES_H

#include "md5/core/context.h"
#include "md5/core/math.h"

// Component i of the converted vector is sign[i] times component from[i] of the original.
typedef struct md5_axes_map {
    int from[3];
    float sign[3];
    float determinant;
} md5_axes_map;
enum { MD5_NUM_AXES = MD5_AXES_BLENDER + 1 };
extern const md5_axes_map md5i_axes_maps[MD5_NUM_AXES];

// Return the value unchanged for MD5_AXES_ID, to the bit.
md5_vec3 md5i_vec3_to_axes(md5_axes axes, md5_vec3 v);
md5_vec3 md5i_vec3_from_axes(md5_axes axes, md5_vec3 v);
md5_quat md5i_quat_to_axes(md5_axes axes, md5_quat q);
md5_xform md5i_transform_to_axes(md5_axes axes, md5_xform transform);
md5_xform md5i_transform_from_axes(md5_axes axes, md5_xform transform);

static inline md5_vec3 md5_forward(md5_axes axes)
{
    return md5i_vec3_to_axes(axes, (md5_vec3){1.0f, 0.0f, 0.0f});
}

static inline md5_vec3 md5_up(md5_axes axes)
{
    return md5i_vec3_to_axes(axes, (md5_vec3){0.0f, 0.0f, 1.0f});
}

static inline bool md5_is_mirrored(md5_axes axes)
{
    return md5i_axes_maps[axes].determinant < 0.0f;
}

// The scale of a skeleton, of which 0 means 1.
static inline float md5_scale_of(const md5_skeleton *skeleton)
{
    return skeleton->scale == 0.0f ? 1.0f : skeleton->scale;
}

#endif
