// Public functions of rotations: from axis and angle, Euler angles, two directions and matrices.
#include "md5/core/math.h"

#define NO_ROTATION ((md5_quat){0.0f, 0.0f, 0.0f, 1.0f})

static const double radians = 3.14159265358979323846 / 180.0; // in a degree

// -- Axis and angle -------------------------------------------------------------------------------

md5_quat md5_quat_from_axis_angle(md5_vec3 axis, float angle)
{
    const md5_vec3d of = md5_vec3d_of(axis);
    const double length = md5_vec3d_length(of), half = 0.5 * (double)angle;
    if (!(length > 0.0 && length < HUGE_VAL))
        return NO_ROTATION;
    const md5_vec3d unit = md5_vec3d_scale(of, sin(half) / length);
    return (md5_quat){(float)unit.x, (float)unit.y, (float)unit.z, (float)cos(half)};
}

// -- Euler angles ---------------------------------------------------------------------------------

// The product of the three half-angle quaternions, multiplied out.
md5_quat md5_quat_from_euler(md5_euler angles)
{
    const double half = 0.5 * radians;
    const double pitch = (double)angles.pitch * half, yaw = (double)angles.yaw * half;
    const double roll = (double)angles.roll * half;
    const double sx = sin(roll), cx = cos(roll), sy = sin(pitch), cy = cos(pitch);
    const double sz = sin(yaw), cz = cos(yaw);
    return (md5_quat){
        (float)(sx * cy * cz - cx * sy * sz),
        (float)(cx * sy * cz + sx * cy * sz),
        (float)(cx * cy * sz - sx * sy * cz),
        (float)(cx * cy * cz + sx * sy * sz),
    };
}

// Below this cosine of the pitch, yaw and roll turn about the same axis, up to rounding error of
// floats.
#define LEAST_COSINE 1e-6

// The first column of the matrix is where x goes: (cos p cos y, cos p sin y, -sin p). The last row
// is (-sin p, cos p sin r, cos p cos r).
md5_euler md5_quat_to_euler(md5_quat q)
{
    const double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    const double xx = w * w + x * x - y * y - z * z, yx = 2.0 * (x * y + w * z);
    const double zx = 2.0 * (x * z - w * y);
    const double cosine = sqrt(xx * xx + yx * yx);
    md5_euler angles = {.pitch = (float)(atan2(-zx, cosine) / radians)};
    if (cosine > LEAST_COSINE) {
        angles.yaw = (float)(atan2(yx, xx) / radians);
        const double zy = 2.0 * (y * z + w * x), zz = w * w - x * x - y * y + z * z;
        angles.roll = (float)(atan2(zy, zz) / radians);
    } else { // the second column is (-sin y, cos y, 0)
        const double xy = 2.0 * (x * y - w * z), yy = w * w - x * x + y * y - z * z;
        angles.yaw = (float)(atan2(-xy, yy) / radians);
    }
    return angles;
}

// -- Two directions -------------------------------------------------------------------------------

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
    return md5_quat_normalize(turn, NO_ROTATION);
}

md5_quat md5_quat_between(md5_vec3 from, md5_vec3 to)
{
    const md5_vec3d from_unit = md5_vec3d_normalize(md5_vec3d_of(from));
    const md5_vec3d to_unit = md5_vec3d_normalize(md5_vec3d_of(to));
    const md5_vec3 a = md5_vec3d_round(from_unit), b = md5_vec3d_round(to_unit);
    const float cosine = md5_vec3_dot(a, b);
    if (!(md5_vec3_dot(a, a) > 0.5f && md5_vec3_dot(b, b) > 0.5f))
        return NO_ROTATION;
    if (!(cosine > -0.5f))
        return md5i_quat_between_far(a, b);
    // The quaternion (from x to, 1 + cosine), whose square is 2 (1 + cosine).
    const float half_cosine = sqrtf(0.5f + 0.5f * cosine);
    const md5_vec3 axis = md5_vec3_scale(md5_vec3_cross(a, b), 0.5f / half_cosine);
    return (md5_quat){axis.x, axis.y, axis.z, half_cosine};
}

// -- Matrices -------------------------------------------------------------------------------------

// From the largest of the four, which is 1/2 at least. Shepperd, "Quaternion from Rotation Matrix",
// Journal of Guidance and Control 1, 1978.
md5_quat md5_quat_from_mat34(md5_mat34 matrix)
{
    const float *const m = matrix.m;
    const float xx = m[0], yy = m[5], zz = m[10];
    md5_quat q;
    if (xx + yy + zz > 0.0f)
        q = (md5_quat){m[9] - m[6], m[2] - m[8], m[4] - m[1], 1.0f + (xx + yy + zz)};
    else if (xx >= yy && xx >= zz)
        q = (md5_quat){1.0f + (xx - yy - zz), m[1] + m[4], m[2] + m[8], m[9] - m[6]};
    else if (yy >= zz)
        q = (md5_quat){m[1] + m[4], 1.0f + (yy - xx - zz), m[6] + m[9], m[2] - m[8]};
    else
        q = (md5_quat){m[2] + m[8], m[6] + m[9], 1.0f + (zz - xx - yy), m[4] - m[1]};
    return md5_quat_normalize(q, NO_ROTATION);
}

md5_xform md5_xform_from_mat34(md5_mat34 m)
{
    return (md5_xform){
        .rotation = md5_quat_from_mat34(m),
        .translation = md5_mat34_translation(m),
    };
}
