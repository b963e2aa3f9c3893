// Public functions of 4x4 matrices: views and projections.
#include "md5/core/assert.h"
#include "md5/core/math.h"

md5_mat44 md5_mat44_from_mat34(md5_mat34 m)
{
    md5_mat44 out;
    for (int column = 0; column < 4; column++) {
        for (int row = 0; row < 3; row++)
            out.m[4 * column + row] = m.m[4 * row + column];
        out.m[4 * column + 3] = column == 3 ? 1.0f : 0.0f;
    }
    return out;
}

md5_mat44 md5_mat44_mul(md5_mat44 a, md5_mat44 b)
{
    md5_mat44 product;
    for (int column = 0; column < 4; column++) {
        for (int row = 0; row < 4; row++) {
            float sum = 0.0f;
            for (int i = 0; i < 4; i++)
                sum += a.m[4 * i + row] * b.m[4 * column + i];
            product.m[4 * column + row] = sum;
        }
    }
    return product;
}

// The direction to the right; where `up` says nothing of it, by the axis that is the least parallel
// to `forward`.
static md5_vec3d right_of(md5_vec3d forward, md5_vec3d up)
{
    const md5_vec3d right = md5_vec3d_cross(forward, md5_vec3d_normalize(up));
    if (md5_vec3d_length(right) > 1e-6)
        return md5_vec3d_normalize(right);
    const md5_vec3d x = {1.0, 0.0, 0.0}, z = {0.0, 0.0, 1.0};
    return md5_vec3d_normalize(md5_vec3d_cross(forward, fabs(forward.z) < 0.8 ? z : x));
}

md5_mat44 md5_mat44_look_at(md5_vec3 eye, md5_vec3 target, md5_vec3 up)
{
    const md5_vec3d from = md5_vec3d_of(eye);
    md5_vec3d forward = md5_vec3d_normalize(md5_vec3d_sub(md5_vec3d_of(target), from));
    if (!(md5_vec3d_dot(forward, forward) > 0.5))
        forward = (md5_vec3d){1.0, 0.0, 0.0};
    const md5_vec3d right = right_of(forward, md5_vec3d_of(up));
    const md5_vec3d rows[3] = {right, md5_vec3d_cross(right, forward),
                               md5_vec3d_scale(forward, -1.0)};
    md5_mat44 view = {{0.0f}};
    for (int row = 0; row < 3; row++) {
        view.m[row] = (float)rows[row].x;
        view.m[4 + row] = (float)rows[row].y;
        view.m[8 + row] = (float)rows[row].z;
        view.m[12 + row] = (float)-md5_vec3d_dot(rows[row], from);
    }
    view.m[15] = 1.0f;
    return view;
}

// Of a point at the distance d, z / w is -m[10] + m[14] / d and linear in 1 / d: 1 at far_z, and 0
// at near_z for a depth from 0. `ratio` is near / far or far / near, whichever is finite.
md5_mat44 md5_mat44_perspective(float fov_y, float aspect, float near_z, float far_z,
                                md5_depth depth)
{
    MD5_ASSERT(fov_y > 0.0f && fov_y < 180.0f, "fov_y: above 0 and below 180 degrees");
    MD5_ASSERT(aspect > 0.0f, "aspect: above 0");
    MD5_ASSERT(near_z > 0.0f && far_z > 0.0f && near_z != far_z,
               "near_z, far_z: positive, not equal");
    const double from = (double)near_z, to = (double)far_z;
    const double cotangent = 1.0 / tan((double)fov_y * 3.14159265358979323846 / 360.0);
    const double linear = from < to ? 1.0 / (from / to - 1.0) : (to / from) / (1.0 - to / from);
    const double constant = from < to ? from * linear : to / (1.0 - to / from);
    const bool from_zero = depth == MD5_DEPTH_ZERO_TO_ONE;
    md5_mat44 clip = {{0.0f}};
    clip.m[0] = (float)(cotangent / (double)aspect);
    clip.m[5] = (float)cotangent;
    clip.m[10] = (float)(from_zero ? linear : 2.0 * linear + 1.0);
    clip.m[11] = -1.0f;
    clip.m[14] = (float)(from_zero ? constant : 2.0 * constant);
    return clip;
}
