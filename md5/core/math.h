// Internal additions to md5math.h: functions of floats, vectors and matrices, double precision
// (md5_vec3d, md5_quatd), and the conversion to other axes. Every function has one fixed order of
// operations, so that the corresponding SIMD code can give the same bits.
//
// Playback computes with floats. Values that are derived once, at load, and smooth curves are
// computed with doubles.
#ifndef MD5_CORE_MATH_H
#define MD5_CORE_MATH_H

#include "md5/core/compiler.h"
#include "md5/core/floats.h"
#include "md5/md5model.h"

#include <float.h>

// -- Floats ---------------------------------------------------------------------------------------

// The increment of a Weyl sequence, which is used together with the mixing function below: Steele,
// Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014. The mixing function maps 0
// to 0.
#define MD5_WEYL UINT64_C(0x9E3779B97F4A7C15)
// Returns a number whose bits all depend on all bits of the argument, for hashes and random numbers
// (the last steps of SplitMix64).
static inline uint64_t md5_mix_bits(uint64_t bits)
{
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94D049BB133111EB);
    return bits ^ (bits >> 31);
}

// Returns a pseudorandom number from 0 (included) to 1 (excluded), a multiple of 2^-24.
static inline float md5_random_float(uint64_t bits)
{
    return (float)(md5_mix_bits(bits) >> 40) * (1.0f / 16777216.0f);
}

// Tolerance for x y z of a rotation in a file: their squared length may exceed 1 by this value
// without a warning. Rounding to six decimals changes the square by at most 2 * sqrt(3) * 5e-7, and
// some tools round more coarsely.
#define MD5_LENGTH_SLACK 1e-5f

// Returns the part of `v` perpendicular to `axis`, which has unit length.
static inline md5_vec3 md5_vec3_reject(md5_vec3 v, md5_vec3 axis)
{
    return md5_vec3_sub(v, md5_vec3_scale(axis, md5_vec3_dot(v, axis)));
}

// Returns true if the x y z of a rotation in a file are longer than 1 by more than rounding error.
static inline bool md5_quat_is_overlong(float x, float y, float z)
{
    return x * x + y * y + z * z > 1.0f + MD5_LENGTH_SLACK;
}

// Returns the x y z that MD5 files store for a rotation. q and -q are the same rotation. The sign
// is chosen so that md5_quat_from_xyz() restores w, which it assumes to be <= 0.
static inline md5_vec3 md5_quat_to_xyz(md5_quat q)
{
    const float sign = q.w > 0 ? -1.0f : 1.0f;
    return (md5_vec3){q.x * sign, q.y * sign, q.z * sign};
}

// Returns the shortest rotation from one unit vector to another, for angles above 120 degrees. For
// opposite vectors the axis is any axis perpendicular to them.
md5_quat md5i_quat_between_far(md5_vec3 from, md5_vec3 to);

// Returns the matrix of a rotation and a translation.
static inline md5_mat34 md5_mat34_compose(md5_quat q, md5_vec3 t)
{
    const float x2 = q.x + q.x;
    const float y2 = q.y + q.y;
    const float z2 = q.z + q.z;

    const float xx = q.x * x2;
    const float yy = q.y * y2;
    const float zz = q.z * z2;
    const float xy = q.x * y2;
    const float xz = q.x * z2;
    const float yz = q.y * z2;
    const float wx = q.w * x2;
    const float wy = q.w * y2;
    const float wz = q.w * z2;

    return (md5_mat34){{
        1.0f - (yy + zz), xy - wz, xz + wy, t.x, //
        xy + wz, 1.0f - (xx + zz), yz - wx, t.y, //
        xz - wy, yz + wx, 1.0f - (xx + yy), t.z, //
    }};
}

// Returns the rotation of a matrix as a unit quaternion. Each case computes the quaternion times 4
// times one of its components, from sums and differences of matrix elements. The cases select a
// component of at least 1/2, because division by a small component loses precision: Shepperd,
// "Quaternion from Rotation Matrix", Journal of Guidance and Control 1, 1978.
static inline md5_quat md5_mat34_rotation(const md5_mat34 *matrix)
{
    const float *const m = matrix->m;
    const float xx = m[0];
    const float yy = m[5];
    const float zz = m[10];
    md5_quat q;
    if (xx + yy + zz > 0)
        q = (md5_quat){m[9] - m[6], m[2] - m[8], m[4] - m[1], 1.0f + (xx + yy + zz)};
    else if (xx >= yy && xx >= zz)
        q = (md5_quat){1.0f + (xx - yy - zz), m[1] + m[4], m[2] + m[8], m[9] - m[6]};
    else if (yy >= zz)
        q = (md5_quat){m[1] + m[4], 1.0f + (yy - xx - zz), m[6] + m[9], m[2] - m[8]};
    else
        q = (md5_quat){m[2] + m[8], m[6] + m[9], 1.0f + (zz - xx - yy), m[4] - m[1]};
    return md5_quat_normalize(q, (md5_quat){0, 0, 0, 1});
}

// Returns a * b, which is the transform b followed by the transform a. The last row of both is 0 0
// 0 1. Therefore the translation of `a` is added only to the last column.
static inline md5_mat34 md5_mat34_product(const md5_mat34 *a, const md5_mat34 *b)
{
    md5_mat34 product;
    for (uint32_t row = 0; row < 3; row++) {
        const float *r = a->m + 4 * row;
        float *out = product.m + 4 * row;
        for (uint32_t column = 0; column < 4; column++)
            out[column] = r[0] * b->m[column] + r[1] * b->m[4 + column] + r[2] * b->m[8 + column];
        out[3] += r[3];
    }
    return product;
}

// Transforms a direction: the translation of the matrix is not added.
static inline md5_vec3 md5_mat34_rotate(const md5_mat34 *m, md5_vec3 v)
{
    return (md5_vec3){
        m->m[0] * v.x + m->m[1] * v.y + m->m[2] * v.z,
        m->m[4] * v.x + m->m[5] * v.y + m->m[6] * v.z,
        m->m[8] * v.x + m->m[9] * v.y + m->m[10] * v.z,
    };
}

// Returns the x y z of m * v. If v is (point, 1), this transforms a point. If v is (bias * point,
// bias), it transforms a point and multiplies the result by the bias of a weight.
static inline md5_vec3 md5_mat34_apply(const md5_mat34 *m, md5_vec4 v)
{
    return (md5_vec3){
        ((m->m[0] * v.x + m->m[1] * v.y) + m->m[2] * v.z) + m->m[3] * v.w,
        ((m->m[4] * v.x + m->m[5] * v.y) + m->m[6] * v.z) + m->m[7] * v.w,
        ((m->m[8] * v.x + m->m[9] * v.y) + m->m[10] * v.z) + m->m[11] * v.w,
    };
}

// -- Doubles --------------------------------------------------------------------------------------

// Vectors of doubles. The exponent range of a double includes the product of any four floats.
// Therefore squared lengths of cross products neither overflow nor underflow, for all numbers that
// a file can contain.
typedef struct md5_vec3d {
    double x;
    double y;
    double z;
} md5_vec3d;

static inline md5_vec3d md5_vec3d_from_vec3(md5_vec3 a)
{
    return (md5_vec3d){(double)a.x, (double)a.y, (double)a.z};
}

static inline md5_vec3d md5_vec3d_add(md5_vec3d a, md5_vec3d b)
{
    return (md5_vec3d){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline md5_vec3d md5_vec3d_sub(md5_vec3d a, md5_vec3d b)
{
    return (md5_vec3d){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline md5_vec3d md5_vec3d_scale(md5_vec3d a, double s)
{
    return (md5_vec3d){a.x * s, a.y * s, a.z * s};
}

static inline double md5_vec3d_dot(md5_vec3d a, md5_vec3d b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline md5_vec3d md5_vec3d_cross(md5_vec3d a, md5_vec3d b)
{
    return (md5_vec3d){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double md5_vec3d_length(md5_vec3d a)
{
    return sqrt(md5_vec3d_dot(a, a));
}

// Returns `a` at unit length, or zero if it has no direction.
static inline md5_vec3d md5_vec3d_normalize(md5_vec3d a)
{
    const double length = md5_vec3d_length(a);
    return length > 0 ? md5_vec3d_scale(a, 1.0 / length) : (md5_vec3d){0, 0, 0};
}

// Returns a unit vector perpendicular to `v`, which must not be zero. It is the cross product of
// `v` and the coordinate axis that is closest to perpendicular to `v`.
static inline md5_vec3d md5_vec3d_perpendicular(md5_vec3d v)
{
    const double x = fabs(v.x);
    const double y = fabs(v.y);
    const double z = fabs(v.z);
    md5_vec3d axis = {0, 0, 1};
    if (x <= y && x <= z)
        axis = (md5_vec3d){1, 0, 0};
    else if (y <= z)
        axis = (md5_vec3d){0, 1, 0};
    return md5_vec3d_normalize(md5_vec3d_cross(v, axis));
}

// Returns the nearest finite float.
static inline float md5_round_to_float(double value)
{
    const double max = (double)FLT_MAX;
    if (value > max)
        return FLT_MAX;
    if (value < -max)
        return -FLT_MAX;
    return (float)value;
}

static inline md5_vec3 md5_vec3d_round(md5_vec3d a)
{
    return (md5_vec3){md5_round_to_float(a.x), md5_round_to_float(a.y), md5_round_to_float(a.z)};
}

typedef struct md5_quatd {
    double x;
    double y;
    double z;
    double w;
} md5_quatd;

static inline md5_quatd md5_quatd_from_quat(md5_quat q)
{
    return (md5_quatd){(double)q.x, (double)q.y, (double)q.z, (double)q.w};
}

// Returns the product a * b: the rotation b, followed by the rotation a.
static inline md5_quatd md5_quatd_mul(md5_quatd a, md5_quatd b)
{
    return (md5_quatd){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
        a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
}

static inline double md5_quatd_dot(md5_quatd a, md5_quatd b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static inline md5_quatd md5_quatd_conjugate(md5_quatd q)
{
    return (md5_quatd){-q.x, -q.y, -q.z, q.w};
}

static inline md5_quatd md5_quatd_negate(md5_quatd q)
{
    return (md5_quatd){-q.x, -q.y, -q.z, -q.w};
}

// -- Axes -----------------------------------------------------------------------------------------
//
// Conversion between id's axes and the axes of an engine. Each value of md5_axes is a signed
// permutation C of the coordinates:
//
//   vector       v  becomes  C v
//   rotation     R  becomes  C R C^-1
//   quaternion   (xyz, w)  becomes  (det(C) C xyz, w)
//
// The quaternion contains det(C), because the axis of a rotation is a pseudovector. det(C) is -1
// for left-handed axes.
//
// C is applied to every space, including the spaces of the joints. So all relations between spaces
// are unchanged. A result that is computed from converted values equals the converted result.

// Component i of the converted vector is sign[i] times component from[i] of the original.
typedef struct md5_axes_map {
    int from[3];
    float sign[3];
    float determinant;
} md5_axes_map;
enum { MD5_NUM_AXES = MD5_AXES_BLENDER + 1 };
extern const md5_axes_map md5i_axes_maps[MD5_NUM_AXES];

// Convert a value from id's axes to others, or back. For MD5_AXES_ID the result is bit-identical.
md5_vec3 md5i_vec3_to_axes(md5_axes axes, md5_vec3 v);
md5_vec3 md5i_vec3_from_axes(md5_axes axes, md5_vec3 v);
md5_quat md5i_quat_to_axes(md5_axes axes, md5_quat q);
md5_xform md5i_transform_to_axes(md5_axes axes, md5_xform transform);
md5_xform md5i_transform_from_axes(md5_axes axes, md5_xform transform);

// Like md5i_transform_to_axes(), but without a call for MD5_AXES_ID. A call would pass the
// transform through memory.
static inline md5_xform md5_transform_to_axes(md5_axes axes, md5_xform transform)
{
    return axes == MD5_AXES_ID ? transform : md5i_transform_to_axes(axes, transform);
}

static inline md5_vec3 md5_forward(md5_axes axes)
{
    return md5i_vec3_to_axes(axes, (md5_vec3){1, 0, 0});
}

static inline md5_vec3 md5_up(md5_axes axes)
{
    return md5i_vec3_to_axes(axes, (md5_vec3){0, 0, 1});
}

static inline bool md5_is_mirrored(md5_axes axes)
{
    return md5i_axes_maps[axes].determinant < 0;
}

// Returns the scale of a skeleton. A stored scale of 0 means 1.
static inline float md5_skeleton_scale(const md5_skeleton *skeleton)
{
    return skeleton->scale == 0 ? 1.0f : skeleton->scale;
}

#endif
