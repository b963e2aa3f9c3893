// Rotations between directions, the weights of slerp, and the conversion to other axes.
#include "md5/core/math.h"

#include "md5/core/slerp.h"

// Returns a unit vector perpendicular to `v`. It is the cross product of `v` and a coordinate axis.
// The coordinate axis of the smallest component of `v` is chosen, because this axis is closest to
// perpendicular to `v`.
static md5_vec3 any_perpendicular(md5_vec3 v)
{
    const float x = fabsf(v.x);
    const float y = fabsf(v.y);
    const float z = fabsf(v.z);
    md5_vec3 axis = {0, 0, 1};
    if (x <= y && x <= z)
        axis = (md5_vec3){1, 0, 0};
    else if (y <= z)
        axis = (md5_vec3){0, 1, 0};
    return md5_vec3_normalize(md5_vec3_cross(v, axis), (md5_vec3){0, 0, 1});
}

// Returns the shortest rotation from one unit vector to another, for large angles up to 180
// degrees. For opposite vectors any perpendicular axis is correct.
md5_quat md5i_quat_between_far(md5_vec3 from, md5_vec3 to)
{
    // The axis is the direction of the cross product. Near 180 degrees the cross product is short,
    // so its direction is inaccurate. Making the axis perpendicular to `from` corrects most of the
    // error. The remaining error affects the result only in proportion to the difference between
    // the angle and 180 degrees.
    const md5_vec3 cross = md5_vec3_cross(from, to);
    const md5_vec3 fallback = any_perpendicular(from);
    const md5_vec3 rough = md5_vec3_dot(cross, cross) > 1e-12f ? cross : fallback;
    const md5_vec3 axis =
        md5_vec3_normalize(md5_vec3_reject(md5_vec3_normalize(rough, fallback), from), fallback);

    // For unit vectors, the lengths of the sum and of the difference are 2 cos and 2 sin of half
    // the angle. The factor 2 disappears in the normalization.
    const float half_cosine = md5_vec3_length(md5_vec3_add(from, to));
    const float half_sine = md5_vec3_length(md5_vec3_sub(from, to));
    const md5_quat rotation = {axis.x * half_sine, axis.y * half_sine, axis.z * half_sine,
                               half_cosine};
    return md5_quat_normalize(rotation, ((md5_quat){0, 0, 0, 1}));
}

// Computes the values of slerp that depend only on the fraction t, so that md5_slerp_by_cosine()
// needs no trigonometric functions.
//
// Let 2 h be the angle between two unit quaternions a and b, and s = t - 1/2. The weights of slerp
// are
//
//   weight of a = sin((1 - t) 2 h) / sin(2 h)
//   weight of b = sin(t 2 h) / sin(2 h)
//
// By the sum-to-product formulas, their sum and their difference are
//
//   sum        = cos(2 s h) / cos(h)
//   difference = sin(2 s h) / sin(h)
//
// Let u = 1 - cos(2 h), which is 0..1 on the shortest path, and r = (2 s)^2. Half the difference is
//
//   d = s + s (1 - r) u H(u, r)
//
// where H is smooth. The factor 1 - r makes both ends exact. The table is a fit of H, printed by
// slerp_fit.py. It keeps the angle to the exact quaternion below 1.8e-7. Eberly ("A Fast and
// Accurate Algorithm for Computing SLERP", 2011) truncates the power series for the whole angle.
// This series is for half the angle, so that five powers of u are enough.
//
// The result has length 1. Half the sum therefore follows from d:
//
//   sqrt((1/2 - d^2 u) / (2 - u))
md5_slerp_weights md5i_slerp_weights_at(float t)
{
    const float s = t - 0.5f;
    const float r = (s + s) * (s + s);
    md5_slerp_weights weights = {.s = s, .ends = s * (1 - r)};
    for (uint32_t power = 0; power < MD5_SLERP_POWERS; power++) {
        const float *const c = md5_slerp_table[power];
        weights.by_power[power] = c[0] + r * (c[1] + r * c[2]);
    }
    return weights;
}

// -- Axes -----------------------------------------------------------------------------------------

const md5_axes_map md5i_axes_maps[MD5_NUM_AXES] = {
    [MD5_AXES_ID] = {{0, 1, 2}, {1, 1, 1}, 1},
    [MD5_AXES_Y_UP] = {{1, 2, 0}, {-1, 1, -1}, 1},
    [MD5_AXES_GLTF] = {{1, 2, 0}, {1, 1, 1}, 1},
    [MD5_AXES_Y_UP_LEFT] = {{1, 2, 0}, {-1, 1, 1}, -1},
    [MD5_AXES_Z_UP_LEFT] = {{0, 1, 2}, {1, -1, 1}, -1},
    [MD5_AXES_BLENDER] = {{1, 0, 2}, {1, -1, 1}, 1},
};

// Converts a vector from id's axes (x forward, y left, z up) to other axes. Each component of the
// result is a component of `v`, possibly negated. The result for MD5_AXES_ID is bit-identical to
// `v`.
md5_vec3 md5i_vec3_to_axes(md5_axes axes, md5_vec3 v)
{
    if (axes == MD5_AXES_ID)
        return v;
    const md5_axes_map *const map = &md5i_axes_maps[axes];
    const float from[3] = {v.x, v.y, v.z};
    return (md5_vec3){map->sign[0] * from[map->from[0]], map->sign[1] * from[map->from[1]],
                      map->sign[2] * from[map->from[2]]};
}

// Converts a vector back from other axes to id's axes: the inverse of md5i_vec3_to_axes().
md5_vec3 md5i_vec3_from_axes(md5_axes axes, md5_vec3 v)
{
    if (axes == MD5_AXES_ID)
        return v;
    const md5_axes_map *const map = &md5i_axes_maps[axes];
    float to[3];
    to[map->from[0]] = map->sign[0] * v.x;
    to[map->from[1]] = map->sign[1] * v.y;
    to[map->from[2]] = map->sign[2] * v.z;
    return (md5_vec3){to[0], to[1], to[2]};
}

// Converts a rotation from id's axes to other axes. The rotation is reversed if the other axes are
// left-handed (determinant -1).
md5_quat md5i_quat_to_axes(md5_axes axes, md5_quat q)
{
    const md5_vec3 axis = md5i_vec3_to_axes(axes, (md5_vec3){q.x, q.y, q.z});
    const float sign = md5i_axes_maps[axes].determinant;
    return (md5_quat){sign * axis.x, sign * axis.y, sign * axis.z, q.w};
}

// Converts a transform from id's axes to other axes.
md5_xform md5i_transform_to_axes(md5_axes axes, md5_xform transform)
{
    return (md5_xform){
        .rotation = md5i_quat_to_axes(axes, transform.rotation),
        .translation = md5i_vec3_to_axes(axes, transform.translation),
    };
}

// Converts a transform from other axes to id's axes. A change of handedness (determinant -1)
// reverses rotations. Therefore it negates the vector part of the quaternion.
md5_xform md5i_transform_from_axes(md5_axes axes, md5_xform transform)
{
    const md5_quat q = transform.rotation;
    const md5_vec3 axis = md5i_vec3_from_axes(axes, (md5_vec3){q.x, q.y, q.z});
    const float sign = md5i_axes_maps[axes].determinant;
    return (md5_xform){
        .rotation = {sign * axis.x, sign * axis.y, sign * axis.z, q.w},
        .translation = md5i_vec3_from_axes(axes, transform.translation),
    };
}
