// Four floats that are worked on at once: a rotation x y z w, or a vector x y z whose last place
// says nothing. With vector registers where the compiler has such, else in plain C; both round each
// operation by itself, in the order of md5/core/math.h, and so give the same bits.
#ifndef MD5_IK_ROW_H
#define MD5_IK_ROW_H

#include "md5/core/math.h"

#include <stddef.h>
#include <string.h>

#if defined(__GNUC__) && !defined(MD5_NO_SIMD)

typedef float md5_row __attribute__((vector_size(16)));
typedef int32_t md5_row_bits __attribute__((vector_size(16)));

#if defined(__clang__)
#define MD5_ROW_PICK(a, i, j, k, l) __builtin_shufflevector(a, a, i, j, k, l)
#else
#define MD5_ROW_PICK(a, i, j, k, l) __builtin_shuffle(a, (md5_row_bits){i, j, k, l})
#endif

static inline md5_row md5_row_of(float x, float y, float z, float w)
{
    return (md5_row){x, y, z, w};
}

static inline float md5_row_at(md5_row a, int place)
{
    return a[place];
}

static inline md5_row md5_row_add(md5_row a, md5_row b)
{
    return a + b;
}

static inline md5_row md5_row_sub(md5_row a, md5_row b)
{
    return a - b;
}

static inline md5_row md5_row_mul(md5_row a, md5_row b)
{
    return a * b;
}

static inline md5_row md5_row_flip_w(md5_row a)
{
    return (md5_row)((md5_row_bits)a ^ (md5_row_bits){0, 0, 0, INT32_MIN});
}

static inline md5_row md5_row_conjugate(md5_row q)
{
    return (md5_row)((md5_row_bits)q ^ (md5_row_bits){INT32_MIN, INT32_MIN, INT32_MIN, 0});
}

#else

typedef struct md5_row {
    float at[4];
} md5_row;

#define MD5_ROW_PICK(a, i, j, k, l) md5_row_of((a).at[i], (a).at[j], (a).at[k], (a).at[l])

static inline md5_row md5_row_of(float x, float y, float z, float w)
{
    return (md5_row){{x, y, z, w}};
}

static inline float md5_row_at(md5_row a, int place)
{
    return a.at[place];
}

static inline md5_row md5_row_add(md5_row a, md5_row b)
{
    for (int i = 0; i < 4; i++)
        a.at[i] += b.at[i];
    return a;
}

static inline md5_row md5_row_sub(md5_row a, md5_row b)
{
    for (int i = 0; i < 4; i++)
        a.at[i] -= b.at[i];
    return a;
}

static inline md5_row md5_row_mul(md5_row a, md5_row b)
{
    for (int i = 0; i < 4; i++)
        a.at[i] *= b.at[i];
    return a;
}

static inline md5_row md5_row_flip_w(md5_row a)
{
    a.at[3] = -a.at[3];
    return a;
}

static inline md5_row md5_row_conjugate(md5_row q)
{
    for (int i = 0; i < 3; i++)
        q.at[i] = -q.at[i];
    return q;
}

#endif

static inline md5_row md5_row_scale(md5_row a, float s)
{
    return md5_row_mul(a, md5_row_of(s, s, s, s));
}

// -- In and out -------------------------------------------------------------------------------

// Four floats that lie in memory.
static inline md5_row md5_row_load(const void *from)
{
    md5_row row;
    memcpy(&row, from, sizeof row);
    return row;
}

static inline md5_row md5_row_rotation(const md5_transform *from)
{
    return md5_row_load(from);
}

static inline md5_row md5_row_translation(const md5_transform *from)
{
    return md5_row_load((const char *)from + offsetof(md5_transform, translation));
}

static inline md5_row md5_row_of_quat(md5_quat q)
{
    return md5_row_of(q.x, q.y, q.z, q.w);
}

static inline md5_row md5_row_of_vec3(md5_vec3 v)
{
    return md5_row_of(v.x, v.y, v.z, 0.0f);
}

static inline md5_quat md5_quat_of_row(md5_row a)
{
    md5_quat q;
    memcpy(&q, &a, sizeof q);
    return q;
}

static inline md5_vec3 md5_vec3_of_row(md5_row a)
{
    md5_vec3 v;
    memcpy(&v, &a, sizeof v);
    return v;
}

// -- Vectors ----------------------------------------------------------------------------------

static inline float md5_row_dot3(md5_row a, md5_row b)
{
    const md5_row product = md5_row_mul(a, b);
    return md5_row_at(product, 0) + md5_row_at(product, 1) + md5_row_at(product, 2);
}

static inline float md5_row_length(md5_row a)
{
    return sqrtf(md5_row_dot3(a, a));
}

static inline md5_row md5_row_cross(md5_row a, md5_row b)
{
    return md5_row_sub(md5_row_mul(MD5_ROW_PICK(a, 1, 2, 0, 3), MD5_ROW_PICK(b, 2, 0, 1, 3)),
                       md5_row_mul(MD5_ROW_PICK(a, 2, 0, 1, 3), MD5_ROW_PICK(b, 1, 2, 0, 3)));
}

// Unit length, or `fallback` where there is no direction to keep.
static inline md5_row md5_row_normalize(md5_row a, md5_row fallback)
{
    const float square = md5_row_dot3(a, a);
    return square > 1e-30f ? md5_row_scale(a, 1.0f / sqrtf(square)) : fallback;
}

// The part of `v` at right angles to `axis`, which is of unit length.
static inline md5_row md5_row_beside(md5_row v, md5_row axis)
{
    return md5_row_sub(v, md5_row_scale(axis, md5_row_dot3(v, axis)));
}

// -- Rotations --------------------------------------------------------------------------------

static inline md5_row md5_row_with_w(md5_row xyz, float w)
{
    return md5_row_of(md5_row_at(xyz, 0), md5_row_at(xyz, 1), md5_row_at(xyz, 2), w);
}

static inline float md5_row_dot4(md5_row a, md5_row b)
{
    const md5_row product = md5_row_mul(a, b);
    return md5_row_at(product, 0) + md5_row_at(product, 1) + md5_row_at(product, 2)
           + md5_row_at(product, 3);
}

// a * b: first b, then a. Its last place is a difference where the others are sums.
static inline md5_row md5_row_turn(md5_row a, md5_row b)
{
    const md5_row first = md5_row_mul(MD5_ROW_PICK(a, 3, 3, 3, 3), b);
    const md5_row second = md5_row_mul(MD5_ROW_PICK(a, 0, 1, 2, 0), MD5_ROW_PICK(b, 3, 3, 3, 0));
    const md5_row third = md5_row_mul(MD5_ROW_PICK(a, 1, 2, 0, 1), MD5_ROW_PICK(b, 2, 0, 1, 1));
    const md5_row fourth = md5_row_mul(MD5_ROW_PICK(a, 2, 0, 1, 2), MD5_ROW_PICK(b, 1, 2, 0, 2));
    return md5_row_sub(
        md5_row_add(md5_row_add(first, md5_row_flip_w(second)), md5_row_flip_w(third)), fourth);
}

static inline md5_row md5_row_rotate(md5_row q, md5_row v)
{
    const md5_row half = md5_row_cross(q, v);
    const md5_row twice = md5_row_add(half, half);
    return md5_row_add(md5_row_add(v, md5_row_mul(twice, MD5_ROW_PICK(q, 3, 3, 3, 3))),
                       md5_row_cross(q, twice));
}

// Takes away what rounding adds to the length of a product of unit quaternions: one step of
// Newton's method for the inverse square root, begun at 1.
static inline md5_row md5_row_trim(md5_row q)
{
    return md5_row_scale(q, 1.5f - 0.5f * md5_row_dot4(q, q));
}

#endif
