// Vectors, quaternions and 3x4 matrices, inline. Float throughout, in one fixed order of
// operations, so that SIMD twins can give the same bits.
#ifndef MD5_CORE_MATH_H
#define MD5_CORE_MATH_H

#include "md5/core/floats.h"
#include "md5/md5model.h"

#include <math.h>

// By how much the squared length of a file's x y z may pass 1 without a warning: files round to
// six decimals, which moves the square by at most 2 * sqrt(3) * 5e-7; some tools round more
// coarsely.
#define MD5_LENGTH_SLACK 1e-5f

static inline md5_vec3 md5_vec3_add(md5_vec3 a, md5_vec3 b)
{
    return (md5_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline md5_vec3 md5_vec3_sub(md5_vec3 a, md5_vec3 b)
{
    return (md5_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline md5_vec3 md5_vec3_scale(md5_vec3 a, float s)
{
    return (md5_vec3){a.x * s, a.y * s, a.z * s};
}

static inline float md5_vec3_dot(md5_vec3 a, md5_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline md5_vec3 md5_vec3_cross(md5_vec3 a, md5_vec3 b)
{
    return (md5_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline md5_vec3 md5_vec3_lerp(md5_vec3 a, md5_vec3 b, float t)
{
    return (md5_vec3){a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t};
}

// Unit length, or `fallback` if `a` is too short or too long to have a direction in floats: its
// square at most 1e-30, or not finite.
static inline md5_vec3 md5_vec3_normalize(md5_vec3 a, md5_vec3 fallback)
{
    const float square = md5_vec3_dot(a, a);
    if (!(square > 1e-30f && square < INFINITY))
        return fallback;
    return md5_vec3_scale(a, 1.0f / sqrtf(square));
}

// Whether a file's x y z is longer than a rotation's by more than rounding.
static inline bool md5_quat_is_overlong(float x, float y, float z)
{
    return x * x + y * y + z * z > 1.0f + MD5_LENGTH_SLACK;
}

// Rebuilds w <= 0 of a file's rotation as id's engine does, then makes the four unit length where
// x y z alone are longer (see md5_quat). `square` must be finite.
static inline md5_quat md5_quat_from_xyz(float x, float y, float z)
{
    const float square = x * x + y * y + z * z;
    const float w = -sqrtf(fabsf(1.0f - square));
    if (!(square > 1.0f))
        return (md5_quat){x, y, z, w};
    // square + w * w, halved so that it stays finite.
    const float scale = sqrtf(0.5f) / sqrtf(square - 0.5f);
    return (md5_quat){x * scale, y * scale, z * scale, w * scale};
}

// a * b: first b, then a.
static inline md5_quat md5_quat_mul(md5_quat a, md5_quat b)
{
    return (md5_quat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
        a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
}

static inline md5_quat md5_quat_conjugate(md5_quat q)
{
    return (md5_quat){-q.x, -q.y, -q.z, q.w};
}

static inline md5_vec3 md5_quat_rotate(md5_quat q, md5_vec3 v)
{
    const md5_vec3 axis = {q.x, q.y, q.z};
    const md5_vec3 twice = md5_vec3_scale(md5_vec3_cross(axis, v), 2.0f);
    return md5_vec3_add(md5_vec3_add(v, md5_vec3_scale(twice, q.w)), md5_vec3_cross(axis, twice));
}

// a * b: first b, then a.
static inline md5_transform md5_transform_mul(md5_transform a, md5_transform b)
{
    return (md5_transform){
        .rotation = md5_quat_mul(a.rotation, b.rotation),
        .translation = md5_vec3_add(a.translation, md5_quat_rotate(a.rotation, b.translation)),
    };
}

static inline md5_transform md5_transform_inverse(md5_transform a)
{
    const md5_quat back = md5_quat_conjugate(a.rotation);
    return (md5_transform){
        .rotation = back,
        .translation = md5_vec3_scale(md5_quat_rotate(back, a.translation), -1.0f),
    };
}

static inline md5_mat34 md5_mat34_of(md5_quat q, md5_vec3 t)
{
    const float x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    const float xx = q.x * x2, yy = q.y * y2, zz = q.z * z2;
    const float xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
    const float wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    return (md5_mat34){{
        1.0f - (yy + zz), xy - wz, xz + wy, t.x, //
        xy + wz, 1.0f - (xx + zz), yz - wx, t.y, //
        xz - wy, yz + wx, 1.0f - (xx + yy), t.z, //
    }};
}

// The last row of both is 0 0 0 1.
static inline md5_mat34 md5_mat34_product(const md5_mat34 *a, const md5_mat34 *b)
{
    md5_mat34 product;
    for (int row = 0; row < 3; row++) {
        const float *r = a->m + 4 * row;
        float *out = product.m + 4 * row;
        for (int column = 0; column < 4; column++)
            out[column] = r[0] * b->m[column] + r[1] * b->m[4 + column] + r[2] * b->m[8 + column];
        out[3] += r[3];
    }
    return product;
}

// Rotation part only.
static inline md5_vec3 md5_mat34_rotate(const md5_mat34 *m, md5_vec3 v)
{
    return (md5_vec3){
        m->m[0] * v.x + m->m[1] * v.y + m->m[2] * v.z,
        m->m[4] * v.x + m->m[5] * v.y + m->m[6] * v.z,
        m->m[8] * v.x + m->m[9] * v.y + m->m[10] * v.z,
    };
}

// m * (v.xyz, v.w): a point for w = 1, a weighted point for a weight's (bias * point, bias).
static inline md5_vec3 md5_mat34_apply(const md5_mat34 *m, md5_vec4 v)
{
    return (md5_vec3){
        ((m->m[0] * v.x + m->m[1] * v.y) + m->m[2] * v.z) + m->m[3] * v.w,
        ((m->m[4] * v.x + m->m[5] * v.y) + m->m[6] * v.z) + m->m[7] * v.w,
        ((m->m[8] * v.x + m->m[9] * v.y) + m->m[10] * v.z) + m->m[11] * v.w,
    };
}

// The inverse of a rotation and a translation.
static inline md5_mat34 md5_mat34_inverse(const md5_mat34 *a)
{
    const float *m = a->m;
    return (md5_mat34){{
        m[0], m[4], m[8], -(m[0] * m[3] + m[4] * m[7] + m[8] * m[11]),   //
        m[1], m[5], m[9], -(m[1] * m[3] + m[5] * m[7] + m[9] * m[11]),   //
        m[2], m[6], m[10], -(m[2] * m[3] + m[6] * m[7] + m[10] * m[11]), //
    }};
}

static inline md5_vec3 md5_mat34_translation(const md5_mat34 *m)
{
    return (md5_vec3){m->m[3], m->m[7], m->m[11]};
}

#endif
