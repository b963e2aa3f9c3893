// One float at a time, in plain C: see wide.h. One row is also its components.
#ifndef MD5_CORE_WIDE_SCALAR_H
#define MD5_CORE_WIDE_SCALAR_H

#include "md5/core/math.h"

#define MD5_WIDTH 1
#define MD5_WIDE_NAME(name) name##_scalar
#define MD5_WIDE_NARROWER(name) name##_scalar // never reached: a width of 1 is always filled
#define MD5_WIDE_REGISTERS 32                 // constants of one float are no burden
#define MD5_WIDE_CODE
#define MD5_WIDE_INLINE static MD5_ALWAYS_INLINE

typedef float md5_wide;
typedef bool md5_mask;

MD5_WIDE_INLINE md5_wide md5_wide_all(float value)
{
    return value;
}

MD5_WIDE_INLINE md5_wide md5_wide_load(const float *from)
{
    return *from;
}

MD5_WIDE_INLINE void md5_wide_store(float *to, md5_wide a)
{
    *to = a;
}

MD5_WIDE_INLINE md5_wide md5_wide_add(md5_wide a, md5_wide b)
{
    return a + b;
}

MD5_WIDE_INLINE md5_wide md5_wide_sub(md5_wide a, md5_wide b)
{
    return a - b;
}

MD5_WIDE_INLINE md5_wide md5_wide_mul(md5_wide a, md5_wide b)
{
    return a * b;
}

MD5_WIDE_INLINE md5_wide md5_wide_div(md5_wide a, md5_wide b)
{
    return a / b;
}

MD5_WIDE_INLINE md5_wide md5_wide_sqrt(md5_wide a)
{
    return sqrtf(a);
}

MD5_WIDE_INLINE md5_mask md5_wide_less(md5_wide a, md5_wide b)
{
    return a < b;
}

MD5_WIDE_INLINE md5_mask md5_wide_greater(md5_wide a, md5_wide b)
{
    return a > b;
}

MD5_WIDE_INLINE md5_wide md5_wide_smaller(md5_wide a, md5_wide b)
{
    return a < b ? a : b;
}

MD5_WIDE_INLINE md5_wide md5_wide_larger(md5_wide a, md5_wide b)
{
    return a > b ? a : b;
}

MD5_WIDE_INLINE md5_wide md5_wide_keep(md5_mask mask, md5_wide a)
{
    return mask ? a : 0.0f;
}

MD5_WIDE_INLINE md5_wide md5_wide_select(md5_mask mask, md5_wide a, md5_wide b)
{
    return mask ? a : b;
}

MD5_WIDE_INLINE md5_wide md5_wide_flip(md5_mask mask, md5_wide a)
{
    return mask ? -a : a;
}

MD5_WIDE_INLINE unsigned md5_wide_bits(md5_mask mask)
{
    return mask;
}

MD5_WIDE_INLINE void md5_wide_load_run(const float *first, size_t step, md5_wide rows[4])
{
    (void)step;
    MD5_UNROLL
    for (int i = 0; i < 4; i++)
        rows[i] = first[i];
}

MD5_WIDE_INLINE void md5_wide_load_rows(const float *const from[1], md5_wide rows[4])
{
    md5_wide_load_run(from[0], 0, rows);
}

MD5_WIDE_INLINE void md5_wide_store_run(float *first, size_t step, const md5_wide rows[4])
{
    (void)step;
    MD5_UNROLL
    for (int i = 0; i < 4; i++)
        first[i] = rows[i];
}

MD5_WIDE_INLINE void md5_wide_store_rows(float *const to[1], const md5_wide rows[4])
{
    md5_wide_store_run(to[0], 0, rows);
}

MD5_WIDE_INLINE void md5_wide_spread(md5_wide a, md5_wide rows[4])
{
    MD5_UNROLL
    for (int i = 0; i < 4; i++)
        rows[i] = a;
}

MD5_WIDE_INLINE void md5_wide_cut(md5_wide rows[4])
{
    rows[3] = 0.0f;
}

// NOLINTNEXTLINE(readability-non-const-parameter): other sets do change it
MD5_WIDE_INLINE void md5_wide_transpose(md5_wide rows[4])
{
    (void)rows;
}

MD5_WIDE_INLINE md5_wide md5_wide_sums(const md5_wide rows[4])
{
    return (rows[0] + rows[2]) + (rows[1] + rows[3]);
}

typedef md5_mat34 md5_wide_mat34;

MD5_WIDE_INLINE md5_wide_mat34 md5_wide_mat34_load(const float *m)
{
    md5_mat34 a;
    MD5_UNROLL
    for (int i = 0; i < 12; i++)
        a.m[i] = m[i];
    return a;
}

MD5_WIDE_INLINE void md5_wide_mat34_store(float *m, md5_wide_mat34 a)
{
    MD5_UNROLL
    for (int i = 0; i < 12; i++)
        m[i] = a.m[i];
}

MD5_WIDE_INLINE md5_wide_mat34 md5_wide_mat34_product(md5_wide_mat34 a, const float *m)
{
    const md5_mat34 b = md5_wide_mat34_load(m);
    return md5_mat34_product(&a, &b);
}

#endif
