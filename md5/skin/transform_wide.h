// Transforms points and directions by matrices, one in each lane. Performs the operations of
// skin_scalar.c in the same order.
#ifndef MD5_SKIN_TRANSFORM_WIDE_H
#define MD5_SKIN_TRANSFORM_WIDE_H

#include "md5/core/wide.h"
#include "md5/skin/kernels.h"

// Points or directions, one in each lane.
typedef struct lanes3 {
    md5_wide x;
    md5_wide y;
    md5_wide z;
} lanes3;

// A matrix row or an influence in each lane. Not an array, because compilers keep the members of a
// structure in registers more reliably.
typedef struct lanes4 {
    md5_wide x;
    md5_wide y;
    md5_wide z;
    md5_wide w;
} lanes4;

MD5_WIDE_INLINE lanes4 lanes4_from_array(const md5_wide e[4])
{
    return (lanes4){e[0], e[1], e[2], e[3]};
}

// A matrix in each lane: its three rows.
typedef struct lanes_mat34 {
    lanes4 x;
    lanes4 y;
    lanes4 z;
} lanes_mat34;

#if defined(MD5_WIDE_AVX512)
#include "md5/skin/points_avx512.h"
#elif defined(MD5_WIDE_AVX2)
#include "md5/skin/lanes_avx2.h"
#elif defined(MD5_WIDE_SSE2)
#include "md5/skin/lanes_sse2.h"
#elif defined(MD5_WIDE_NEON)
#include "md5/skin/lanes_neon.h"
#endif

MD5_WIDE_INLINE md5_wide sum3(md5_wide a, md5_wide b, md5_wide c)
{
    return md5_wide_add(md5_wide_add(a, b), c);
}

MD5_WIDE_INLINE md5_wide sum_wide_row(lanes4 e)
{
    return md5_wide_add(md5_wide_add(e.x, e.y), md5_wide_add(e.z, e.w));
}

MD5_WIDE_INLINE md5_wide move_wide_row(lanes4 e, lanes3 p)
{
    return sum_wide_row(
        (lanes4){md5_wide_mul(e.x, p.x), md5_wide_mul(e.y, p.y), md5_wide_mul(e.z, p.z), e.w});
}

MD5_WIDE_INLINE lanes3 move_points(const lanes_mat34 *m, lanes3 p)
{
    return (lanes3){move_wide_row(m->x, p), move_wide_row(m->y, p), move_wide_row(m->z, p)};
}

MD5_WIDE_INLINE md5_wide rotate_wide_row(lanes4 e, lanes3 v)
{
    return sum3(md5_wide_mul(e.x, v.x), md5_wide_mul(e.y, v.y), md5_wide_mul(e.z, v.z));
}

// Selects a normalized vector in lanes in which it has a direction, and the vector of the bind pose
// in other lanes.
MD5_WIDE_INLINE lanes3 keep_direction(md5_mask has_direction, lanes3 unit, lanes3 bind)
{
    return (lanes3){md5_wide_select(has_direction, unit.x, bind.x),
                    md5_wide_select(has_direction, unit.y, bind.y),
                    md5_wide_select(has_direction, unit.z, bind.z)};
}

// Rotates the directions of all lanes and normalizes them, with the operations of rotate_normal()
// in skin_scalar.c. Directions that have no direction after the rotation remain as in the bind
// pose.
MD5_WIDE_INLINE lanes3 rotate_wide(const lanes_mat34 *m, lanes3 bind)
{
    const lanes3 v = {rotate_wide_row(m->x, bind), rotate_wide_row(m->y, bind),
                      rotate_wide_row(m->z, bind)};
    const md5_wide square =
        sum3(md5_wide_mul(v.x, v.x), md5_wide_mul(v.y, v.y), md5_wide_mul(v.z, v.z));

    const md5_wide one = md5_wide_set1(1.0f);
    const md5_wide off = md5_wide_sub(square, one);
    const md5_mask is_unit =
        md5_wide_less(md5_wide_mul(off, off), md5_wide_set1(MD5_UNIT_OFF_SQUARED));

    if (MD5_IS_LENGTH_FREE || is_all_true(is_unit))
        return v;

    const md5_wide scale = md5_wide_select(is_unit, one, md5_wide_div(one, md5_wide_sqrt(square)));
    lanes3 unit = {md5_wide_mul(v.x, scale), md5_wide_mul(v.y, scale), md5_wide_mul(v.z, scale)};

    // The length is NaN if the square is infinite, so one comparison detects all special cases.
    const md5_wide length = md5_wide_mul(square, scale);
    if (!is_all_true(md5_wide_greater(length, md5_wide_set1(1.1e-15f)))) {
        unit = keep_direction(md5_wide_greater(square, md5_wide_set1(1e-30f)), unit, bind);
        unit = keep_direction(md5_wide_less(square, md5_wide_set1(INFINITY)), unit, bind);
    }
    return unit;
}

#endif
