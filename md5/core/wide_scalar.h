// One float at a time, in plain C: see wide.h. With one row, both layouts are the same.
#ifndef MD5_CORE_WIDE_SCALAR_H
#define MD5_CORE_WIDE_SCALAR_H

#include "md5/core/math.h"

#define MD5_WIDTH 1
#define MD5_WIDE_NAME(name) name##_scalar
#define MD5_WIDE_NARROWER(name) name##_scalar // not called: no rows remain with a width of 1
#define MD5_WIDE_REGISTERS 32                 // constants of one float do not need many registers
#define MD5_WIDE_CODE
#define MD5_WIDE_INLINE static MD5_ALWAYS_INLINE

typedef float md5_wide;
typedef bool md5_mask;

#define md5_wide_set1(value) (value)
#define md5_wide_load(from) (*(from))
#define md5_wide_store(to, a) ((void)(*(to) = (a)))
#define md5_wide_add(a, b) ((a) + (b))
#define md5_wide_sub(a, b) ((a) - (b))
#define md5_wide_mul(a, b) ((a) * (b))
#define md5_wide_div(a, b) ((a) / (b))
#define md5_wide_sqrt sqrtf
#define md5_wide_less(a, b) ((a) < (b))
#define md5_wide_greater(a, b) ((a) > (b))
#define md5_wide_mask(mask, a) ((mask) ? (a) : 0.0f)
#define md5_wide_min(a, b) ((a) < (b) ? (a) : (b))
#define md5_wide_max(a, b) ((a) > (b) ? (a) : (b))
#define md5_wide_select(mask, a, b) ((mask) ? (a) : (b))
#define md5_wide_negate_if(mask, a) ((mask) ? -(a) : (a))

MD5_WIDE_INLINE unsigned md5_wide_bits(md5_mask mask)
{
    return mask;
}

MD5_WIDE_INLINE void md5_wide_load_rows(const float *const from[1], md5_wide rows[4])
{
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++)
        rows[i] = from[0][i];
}

MD5_WIDE_INLINE void md5_wide_store_rows(float *const to[1], const md5_wide rows[4])
{
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++)
        to[0][i] = rows[i];
}

MD5_WIDE_INLINE void md5_wide_spread(md5_wide a, md5_wide rows[4])
{
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++)
        rows[i] = a;
}

MD5_WIDE_INLINE void md5_wide_clear_w(md5_wide rows[4])
{
    rows[3] = 0;
}

// NOLINTNEXTLINE(readability-non-const-parameter): other sets change the array
MD5_WIDE_INLINE void md5_wide_transpose(md5_wide rows[4])
{
    (void)rows;
}

MD5_WIDE_INLINE md5_wide md5_wide_row_sums(const md5_wide rows[4])
{
    return (rows[0] + rows[2]) + (rows[1] + rows[3]);
}

typedef md5_mat34 md5_wide_mat34;

MD5_WIDE_INLINE md5_wide_mat34 md5_wide_mat34_load(const float *m)
{
    md5_mat34 a;
    MD5_UNROLL
    for (uint32_t i = 0; i < 12; i++)
        a.m[i] = m[i];
    return a;
}

MD5_WIDE_INLINE void md5_wide_mat34_store(float *m, md5_wide_mat34 a)
{
    MD5_UNROLL
    for (uint32_t i = 0; i < 12; i++)
        m[i] = a.m[i];
}

MD5_WIDE_INLINE md5_wide_mat34 md5_wide_mat34_product(md5_wide_mat34 a, const float *m)
{
    const md5_mat34 b = md5_wide_mat34_load(m);
    return md5_mat34_product(&a, &b);
}

#endif
