// A register of floats, with the same names for every instruction set: a kernel is written once and
// compiled for each set, so that it gives the same bits by construction. A file defines one of
// MD5_WIDE_AVX512, MD5_WIDE_AVX2, MD5_WIDE_SSE2 or MD5_WIDE_NEON before it includes this (or a
// kernel that does); without one it is plain C.
//
//   MD5_WIDTH             number of floats: 16, 8, 4, 4 or 1
//   MD5_WIDE_NAME(name)   name_avx2, ...: the name of a kernel in this set
//   MD5_WIDE_NARROWER(name)   its name in the next narrower set
//   MD5_WIDE_REGISTERS    how many registers the set has: 16 or 32
//   MD5_WIDE_KIND         of its registers, for MD5_KEEP_LOADED()
//   MD5_WIDE_CODE         precedes a function that uses the set
//   MD5_WIDE_INLINE       precedes a function that must be inlined
//   MD5_UNROLL            precedes a short loop over an array of md5_wide: see compiler.h
//
//   md5_wide, md5_mask    the floats; a truth value for each
//   md5_wide_all(value)   the same value in all lanes
//   md5_wide_load(p), _store(p, a)             MD5_WIDTH floats at any address
//   md5_wide_add, _sub, _mul, _div(a, b), _sqrt(a)   rounded as in C, never fused
//   md5_wide_less, _greater(a, b)              truth values; false for NaN
//   md5_wide_smaller, _larger(a, b)            a if it is smaller or larger, else b
//   md5_wide_keep(mask, a)                     mask ? a : +0
//   md5_wide_select(mask, a, b)                mask ? a : b
//   md5_wide_flip(mask, a)                     mask ? -a : a
//   md5_wide_bits(mask)                        one bit for each lane, the first one lowest
//
// Structures are rows of four floats in memory. A md5_wide[4] holds MD5_WIDTH rows in one of two
// layouts: as rows, where register k holds row k and, if there are more, k + 4, ...; or as
// components, where register c holds component c of all rows in order.
//
//   md5_wide_load_rows(pointers, rows), _store_rows(pointers, rows)   one pointer for each row
//   md5_wide_load_run(first, step, rows), _store_run(first, step, rows)
//                                        rows that are `step` floats apart
//   md5_wide_spread(a, rows)             each float of a in all four elements of its row
//   md5_wide_cut(rows)                   sets the last element of each row to +0
//   md5_wide_transpose(rows)             from one layout to the other
//   md5_wide_sums(rows)                  of each row, (first + third) + (second + fourth)
//
//   md5_wide_mat34        one 3x4 matrix, as md5_mat34
//   md5_wide_mat34_load(m), _store(m, a), _product(a, m)   a * m, the bits of md5_mat34_product
#ifndef MD5_CORE_WIDE_H
#define MD5_CORE_WIDE_H

#include "md5/core/compiler.h"

#if defined(MD5_WIDE_AVX512)
#include "md5/core/wide_avx512.h"
#elif defined(MD5_WIDE_AVX2)
#include "md5/core/wide_avx2.h"
#elif defined(MD5_WIDE_SSE2)
#include "md5/core/wide_sse2.h"
#elif defined(MD5_WIDE_NEON)
#include "md5/core/wide_neon.h"
#else
#include "md5/core/wide_scalar.h"
#endif

// -- What sets share ------------------------------------------------------------------------------

#if MD5_WIDTH == 4

MD5_WIDE_INLINE void md5_wide_load_rows(const float *const from[4], md5_wide rows[4])
{
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++)
        rows[i] = md5_wide_load(from[i]);
}

MD5_WIDE_INLINE void md5_wide_store_rows(float *const to[4], const md5_wide rows[4])
{
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++)
        md5_wide_store(to[i], rows[i]);
}

typedef struct md5_wide_mat34 {
    md5_wide row[3];
} md5_wide_mat34;

MD5_WIDE_INLINE md5_wide_mat34 md5_wide_mat34_load(const float *m)
{
    return (md5_wide_mat34){{md5_wide_load(m), md5_wide_load(m + 4), md5_wide_load(m + 8)}};
}

MD5_WIDE_INLINE void md5_wide_mat34_store(float *m, md5_wide_mat34 a)
{
    md5_wide_store(m, a.row[0]);
    md5_wide_store(m + 4, a.row[1]);
    md5_wide_store(m + 8, a.row[2]);
}

MD5_WIDE_INLINE md5_wide_mat34 md5_wide_mat34_product(md5_wide_mat34 a, const float *m)
{
    const md5_wide_mat34 b = md5_wide_mat34_load(m);
    return (md5_wide_mat34){{md5_wide_row_product(a.row[0], b.row),
                             md5_wide_row_product(a.row[1], b.row),
                             md5_wide_row_product(a.row[2], b.row)}};
}

#endif

#if MD5_WIDTH > 1

// The row `i` of md5_wide_spread(a, rows), by md5_wide_pick(), whose `i` is a number in the text.
MD5_WIDE_INLINE md5_wide md5_wide_spread_one(md5_wide a, int i)
{
    return i == 0   ? md5_wide_pick(a, 0)
           : i == 1 ? md5_wide_pick(a, 1)
           : i == 2 ? md5_wide_pick(a, 2)
                    : md5_wide_pick(a, 3);
}

MD5_WIDE_INLINE void md5_wide_spread(md5_wide a, md5_wide rows[4])
{
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++)
        rows[i] = md5_wide_spread_one(a, (int)i);
}

// Keeps compilers from loading it again for every use: loads are the bottleneck of blending.
MD5_WIDE_INLINE void md5_wide_keep_loaded(md5_wide *a)
{
    MD5_KEEP_LOADED(MD5_WIDE_KIND, *a);
}

// `low` and `high` interleave the first and the last two floats of two rows; `firsts` and `seconds`
// join the first and the second halves of two rows.
MD5_WIDE_INLINE void md5_wide_transpose(md5_wide rows[4])
{
    const md5_wide ab_low = md5_wide_low(rows[0], rows[1]);
    const md5_wide ab_high = md5_wide_high(rows[0], rows[1]);
    const md5_wide cd_low = md5_wide_low(rows[2], rows[3]);
    const md5_wide cd_high = md5_wide_high(rows[2], rows[3]);
    rows[0] = md5_wide_firsts(ab_low, cd_low);
    rows[1] = md5_wide_seconds(ab_low, cd_low);
    rows[2] = md5_wide_firsts(ab_high, cd_high);
    rows[3] = md5_wide_seconds(ab_high, cd_high);
}

MD5_WIDE_INLINE md5_wide md5_wide_sums(const md5_wide rows[4])
{
    const md5_wide ab =
        md5_wide_add(md5_wide_low(rows[0], rows[1]), md5_wide_high(rows[0], rows[1]));
    const md5_wide cd =
        md5_wide_add(md5_wide_low(rows[2], rows[3]), md5_wide_high(rows[2], rows[3]));
    return md5_wide_add(md5_wide_firsts(ab, cd), md5_wide_seconds(ab, cd));
}

#endif

MD5_WIDE_INLINE void md5_wide_load_run(const float *first, size_t step, md5_wide rows[4])
{
    const float *from[MD5_WIDTH];
    MD5_UNROLL
    for (uint32_t i = 0; i < MD5_WIDTH; i++)
        from[i] = first + i * step;
    md5_wide_load_rows(from, rows);
}

MD5_WIDE_INLINE void md5_wide_store_run(float *first, size_t step, const md5_wide rows[4])
{
    float *to[MD5_WIDTH];
    MD5_UNROLL
    for (uint32_t i = 0; i < MD5_WIDTH; i++)
        to[i] = first + i * step;
    md5_wide_store_rows(to, rows);
}

#endif
