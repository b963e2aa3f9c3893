// md5_float4 is four floats in one register. It is for code that computes one rotation (x y z w) or
// one vector (x y z, undefined w) at a time. wide.h is for code that computes many at a time. The
// compiler's vector extensions are used if they exist, otherwise plain C. Both variants round each
// operation separately, in the order of md5/core/math.h, so that they give the same bits.
#ifndef MD5_CORE_FLOAT4_H
#define MD5_CORE_FLOAT4_H

#include "md5/core/math.h"

#if MD5_HAS_VECTORS && MD5_HAS_SIMD

typedef float md5_float4 MD5_VECTOR_SIZE(16);
typedef int32_t md5_float4_bits MD5_VECTOR_SIZE(16);

#define MD5_FLOAT4_SHUFFLE(a, i, j, k, l) MD5_SHUFFLE(md5_float4_bits, a, i, j, k, l)

static inline md5_float4 md5_float4_set(float x, float y, float z, float w)
{
    return (md5_float4){x, y, z, w};
}

static inline float md5_float4_at(md5_float4 a, int index)
{
    return a[index];
}

static inline md5_float4 md5_float4_add(md5_float4 a, md5_float4 b)
{
    return a + b;
}

static inline md5_float4 md5_float4_sub(md5_float4 a, md5_float4 b)
{
    return a - b;
}

static inline md5_float4 md5_float4_mul(md5_float4 a, md5_float4 b)
{
    return a * b;
}

static inline md5_float4 md5_float4_flip_w(md5_float4 a)
{
    return (md5_float4)((md5_float4_bits)a ^ (md5_float4_bits){0, 0, 0, INT32_MIN});
}

static inline md5_float4 md5_float4_conjugate(md5_float4 q)
{
    return (md5_float4)((md5_float4_bits)q ^ (md5_float4_bits){INT32_MIN, INT32_MIN, INT32_MIN, 0});
}

#else

typedef struct md5_float4 {
    float at[4];
} md5_float4;

#define MD5_FLOAT4_SHUFFLE(a, i, j, k, l) md5_float4_set((a).at[i], (a).at[j], (a).at[k], (a).at[l])

static inline md5_float4 md5_float4_set(float x, float y, float z, float w)
{
    return (md5_float4){{x, y, z, w}};
}

static inline float md5_float4_at(md5_float4 a, int index)
{
    return a.at[index];
}

static inline md5_float4 md5_float4_add(md5_float4 a, md5_float4 b)
{
    for (uint32_t i = 0; i < 4; i++)
        a.at[i] += b.at[i];
    return a;
}

static inline md5_float4 md5_float4_sub(md5_float4 a, md5_float4 b)
{
    for (uint32_t i = 0; i < 4; i++)
        a.at[i] -= b.at[i];
    return a;
}

static inline md5_float4 md5_float4_mul(md5_float4 a, md5_float4 b)
{
    for (uint32_t i = 0; i < 4; i++)
        a.at[i] *= b.at[i];
    return a;
}

static inline md5_float4 md5_float4_flip_w(md5_float4 a)
{
    a.at[3] = -a.at[3];
    return a;
}

static inline md5_float4 md5_float4_conjugate(md5_float4 q)
{
    for (uint32_t i = 0; i < 3; i++)
        q.at[i] = -q.at[i];
    return q;
}

#endif

static inline md5_float4 md5_float4_scale(md5_float4 a, float s)
{
    return md5_float4_mul(a, md5_float4_set(s, s, s, s));
}

// -- Loads, stores and conversions ------------------------------------------------------------

// Reads four floats from memory of any alignment.
static inline md5_float4 md5_float4_load(const void *from)
{
    md5_float4 loaded;
    memcpy(&loaded, from, sizeof loaded);
    return loaded;
}

static inline md5_float4 md5_float4_load_rotation(const md5_xform *from)
{
    return md5_float4_load(from);
}

static inline md5_float4 md5_float4_load_translation(const md5_xform *from)
{
    return md5_float4_load((const char *)from + offsetof(md5_xform, translation));
}

// Writes four floats to memory of any alignment. If the memory is the translation of a transform,
// the fourth float overwrites the padding after it.
static inline void md5_float4_store(void *to, md5_float4 a)
{
    memcpy(to, &a, sizeof a);
}

static inline md5_float4 md5_float4_from_quat(md5_quat q)
{
    return md5_float4_set(q.x, q.y, q.z, q.w);
}

static inline md5_float4 md5_float4_from_vec3(md5_vec3 v)
{
    return md5_float4_set(v.x, v.y, v.z, 0);
}

static inline md5_quat md5_quat_from_float4(md5_float4 a)
{
    md5_quat q;
    memcpy(&q, &a, sizeof q);
    return q;
}

static inline md5_vec3 md5_vec3_from_float4(md5_float4 a)
{
    md5_vec3 v;
    memcpy(&v, &a, sizeof v);
    return v;
}

// -- Vectors ----------------------------------------------------------------------------------

static inline float md5_float4_dot3(md5_float4 a, md5_float4 b)
{
    const md5_float4 product = md5_float4_mul(a, b);
    return md5_float4_at(product, 0) + md5_float4_at(product, 1) + md5_float4_at(product, 2);
}

static inline float md5_float4_length(md5_float4 a)
{
    return sqrtf(md5_float4_dot3(a, a));
}

// Returns the vector with the elements in the order y z x w.
static inline md5_float4 md5_float4_yzxw(md5_float4 a)
{
    return MD5_FLOAT4_SHUFFLE(a, 1, 2, 0, 3);
}

static inline md5_float4 md5_float4_cross(md5_float4 a, md5_float4 b)
{
    return md5_float4_yzxw(md5_float4_sub(md5_float4_mul(a, md5_float4_yzxw(b)),
                                          md5_float4_mul(md5_float4_yzxw(a), b)));
}

// Returns the vector scaled to unit length, or `fallback` if it is so short that its direction is
// only rounding error.
static inline md5_float4 md5_float4_normalize(md5_float4 a, md5_float4 fallback)
{
    const float square = md5_float4_dot3(a, a);
    return square > 1e-30f ? md5_float4_scale(a, 1.0f / sqrtf(square)) : fallback;
}

// Returns the part of `v` perpendicular to `axis`, which has unit length.
static inline md5_float4 md5_float4_reject(md5_float4 v, md5_float4 axis)
{
    return md5_float4_sub(v, md5_float4_scale(axis, md5_float4_dot3(v, axis)));
}

// -- Rotations --------------------------------------------------------------------------------

static inline md5_float4 md5_float4_with_w(md5_float4 xyz, float w)
{
    return md5_float4_set(md5_float4_at(xyz, 0), md5_float4_at(xyz, 1), md5_float4_at(xyz, 2), w);
}

static inline float md5_float4_dot4(md5_float4 a, md5_float4 b)
{
    const md5_float4 product = md5_float4_mul(a, b);
    return md5_float4_at(product, 0) + md5_float4_at(product, 1) + md5_float4_at(product, 2)
           + md5_float4_at(product, 3);
}

// Returns the quaternion product a * b, which is the rotation b followed by the rotation a. Each
// lane is a sum of four products, for example
//
//   x = aw bx + ax bw + ay bz - az by
//   w = aw bw - ax bx - ay by - az bz
//
// In the lane w, the second and the third product are subtracted. md5_float4_flip_w() negates them
// there.
static inline md5_float4 md5_float4_quat_mul(md5_float4 a, md5_float4 b)
{
    const md5_float4 first = md5_float4_mul(MD5_FLOAT4_SHUFFLE(a, 3, 3, 3, 3), b);
    const md5_float4 second =
        md5_float4_mul(MD5_FLOAT4_SHUFFLE(a, 0, 1, 2, 0), MD5_FLOAT4_SHUFFLE(b, 3, 3, 3, 0));
    const md5_float4 third =
        md5_float4_mul(MD5_FLOAT4_SHUFFLE(a, 1, 2, 0, 1), MD5_FLOAT4_SHUFFLE(b, 2, 0, 1, 1));
    const md5_float4 fourth =
        md5_float4_mul(MD5_FLOAT4_SHUFFLE(a, 2, 0, 1, 2), MD5_FLOAT4_SHUFFLE(b, 1, 2, 0, 2));
    return md5_float4_sub(
        md5_float4_add(md5_float4_add(first, md5_float4_flip_w(second)), md5_float4_flip_w(third)),
        fourth);
}

// Rotates the vector `v` by the unit quaternion `q`. With the vector part u and the scalar part w
// of q, the result is
//
//   v + 2 w (u x v) + 2 u x (u x v)
static inline md5_float4 md5_float4_rotate(md5_float4 q, md5_float4 v)
{
    const md5_float4 half = md5_float4_cross(q, v);
    const md5_float4 twice = md5_float4_add(half, half);
    return md5_float4_add(
        md5_float4_add(v, md5_float4_mul(twice, MD5_FLOAT4_SHUFFLE(q, 3, 3, 3, 3))),
        md5_float4_cross(q, twice));
}

// Returns the quaternion scaled to unit length, or `fallback` in the same cases as
// md5_quat_normalize().
static inline md5_float4 md5_float4_normalize_quat(md5_float4 q, md5_float4 fallback)
{
    const float square = md5_float4_dot4(q, q);
    const bool is_rotation = square > 1e-30f && square < 1e30f;
    return is_rotation ? md5_float4_scale(q, 1.0f / sqrtf(square)) : fallback;
}

// Corrects the length of a product of unit quaternions, which differs from 1 only by rounding
// errors. Computes one step of Newton's method for the inverse square root, starting at 1.
static inline md5_float4 md5_float4_renormalize(md5_float4 q)
{
    return md5_float4_scale(q, 1.5f - 0.5f * md5_float4_dot4(q, q));
}

#endif
