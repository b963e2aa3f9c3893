#include "md5/core/math.h"

// A unit vector at right angles to `v`, by the axis that `v` has the least of.
static md5_vec3 any_beside(md5_vec3 v)
{
    const float x = fabsf(v.x), y = fabsf(v.y), z = fabsf(v.z);
    md5_vec3 axis = {0.0f, 0.0f, 1.0f};
    if (x <= y && x <= z)
        axis = (md5_vec3){1.0f, 0.0f, 0.0f};
    else if (y <= z)
        axis = (md5_vec3){0.0f, 1.0f, 0.0f};
    return md5_vec3_normalize(md5_vec3_cross(v, axis), (md5_vec3){0.0f, 0.0f, 1.0f});
}

md5_quat md5i_quat_between_far(md5_vec3 from, md5_vec3 to)
{
    const md5_vec3 cross = md5_vec3_cross(from, to);
    // The further apart, the less the cross product says of the axis: it is set at right angles to
    // `from`, so that the turn moves `from` in a plane, and what remains wrong of the axis counts
    // for as little as the turn is short of a half one.
    const md5_vec3 other = any_beside(from);
    const md5_vec3 rough = md5_vec3_dot(cross, cross) > 1e-12f ? cross : other;
    const md5_vec3 axis =
        md5_vec3_normalize(md5_vec3_beside(md5_vec3_normalize(rough, other), from), other);
    const float half_cosine = md5_vec3_length(md5_vec3_add(from, to));
    const float half_sine = md5_vec3_length(md5_vec3_sub(from, to));
    const md5_quat turn = {axis.x * half_sine, axis.y * half_sine, axis.z * half_sine, half_cosine};
    return md5_quat_normalize(turn, ((md5_quat){0.0f, 0.0f, 0.0f, 1.0f}));
}
