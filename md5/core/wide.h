// SIMD registers of floats with the same names for every instruction set. A kernel is written once
// with these names and compiled for each set, so that all versions give the same bits. A file
// defines one of MD5_WIDE_AVX512, MD5_WIDE_AVX2, MD5_WIDE_SSE2 or MD5_WIDE_NEON before it includes
// this header, or a kernel that includes it. Without such a definition the kernel is plain C.
//
//   MD5_WIDTH                 floats per register: 16, 8, 4, 4 or 1
//   MD5_WIDE_NAME(name)       the name of a kernel in this set: name_avx2, ...
//   MD5_WIDE_NARROWER(name)   the name of the kernel in the next narrower set
//   MD5_WIDE_REGISTERS        number of registers in the set: 16 or 32
//   MD5_WIDE_KIND             kind of the registers, for MD5_KEEP_LOADED()
//   MD5_WIDE_CODE             precedes a function that uses the set
//   MD5_WIDE_INLINE           precedes a function that must be inlined
//   MD5_UNROLL                precedes a short loop over an array of md5_wide: see compiler.h
//
//   md5_wide, md5_mask        a register of floats; a truth value for each float
//   md5_wide_set1(value)      the same value in all lanes
//   md5_wide_load(p), md5_wide_store(p, a)             MD5_WIDTH floats at any address
//   md5_wide_add, _sub, _mul, _div(a, b), _sqrt(a)     rounded as in C, never fused
//   md5_wide_less(a, b), md5_wide_greater(a, b)        truth values; false for NaN
//   md5_wide_min(a, b), md5_wide_max(a, b)             a < b ? a : b, a > b ? a : b
//   md5_wide_mask(mask, a)                             mask ? a : +0
//   md5_wide_select(mask, a, b)                        mask ? a : b
//   md5_wide_negate_if(mask, a)                        mask ? -a : a
//   md5_wide_bits(mask)                                one bit per lane, the first lane lowest
//
// A structure in memory is one or more rows of four floats. An array md5_wide[4] contains MD5_WIDTH
// rows in one of two layouts. In row layout, register k contains row k and, in wider registers,
// rows k + 4, k + 8 and k + 12. In component layout, register c contains component c of all rows.
//
//   md5_wide_load_rows(pointers, rows), md5_wide_store_rows(pointers, rows)   one pointer per row
//   md5_wide_load_run(first, step, rows), md5_wide_store_run(first, step, rows)
//                                        rows at a distance of `step` floats
//   md5_wide_spread(a, rows)             each float of a in all four elements of its row
//   md5_wide_clear_w(rows)               sets the last element of each row to +0
//   md5_wide_transpose(rows)             converts between the layouts
//   md5_wide_row_sums(rows)              per row: (first + third) + (second + fourth)
//
//   md5_wide_mat34                       one 3x4 matrix, like md5_mat34
//   md5_wide_mat34_load(m), md5_wide_mat34_store(m, a)
//   md5_wide_mat34_product(a, m)         a * m, bit-identical to md5_mat34_product()
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

// -- Common to several sets -----------------------------------------------------------------------

#if MD5_WIDTH == 4

// Loads four floats from each of four addresses.
MD5_WIDE_INLINE void md5_wide_load_rows(const float *const from[4], md5_wide rows[4])
{
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++)
        rows[i] = md5_wide_load(from[i]);
}

// Stores four floats to each of four addresses.
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

// Stores a matrix as twelve floats.
MD5_WIDE_INLINE void md5_wide_mat34_store(float *m, md5_wide_mat34 a)
{
    md5_wide_store(m, a.row[0]);
    md5_wide_store(m + 4, a.row[1]);
    md5_wide_store(m + 8, a.row[2]);
}

// Returns the product of a matrix in registers and a matrix in memory.
MD5_WIDE_INLINE md5_wide_mat34 md5_wide_mat34_product(md5_wide_mat34 a, const float *m)
{
    const md5_wide_mat34 b = md5_wide_mat34_load(m);
    return (md5_wide_mat34){{md5_wide_row_product(a.row[0], b.row),
                             md5_wide_row_product(a.row[1], b.row),
                             md5_wide_row_product(a.row[2], b.row)}};
}

#endif

#if MD5_WIDTH > 1

// Returns row `i` of md5_wide_spread(a, rows). Each row has its own call, because the second
// argument of md5_wide_broadcast() must be a constant expression.
MD5_WIDE_INLINE md5_wide md5_wide_spread_row(md5_wide a, int i)
{
    switch (i) {
    case 0:
        return md5_wide_broadcast(a, 0);
    case 1:
        return md5_wide_broadcast(a, 1);
    case 2:
        return md5_wide_broadcast(a, 2);
    default:
        return md5_wide_broadcast(a, 3);
    }
}

// Writes four registers: register i contains lane i of `a` in all its lanes.
MD5_WIDE_INLINE void md5_wide_spread(md5_wide a, md5_wide rows[4])
{
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++)
        rows[i] = md5_wide_spread_row(a, (int)i);
}

// Prevents compilers from loading a register again for every use: loads are the bottleneck of
// blending.
MD5_WIDE_INLINE void md5_wide_keep_loaded(md5_wide *a)
{
    MD5_KEEP_LOADED(MD5_WIDE_KIND, *a);
}

// Transposes each 4x4 block of four rows: rows become components, or components become rows.
//
// md5_wide_unpack_low() and md5_wide_unpack_high() interleave the first two and the last two floats
// of two rows. md5_wide_low_halves() and md5_wide_high_halves() concatenate the first halves and
// the second halves of two rows.
MD5_WIDE_INLINE void md5_wide_transpose(md5_wide rows[4])
{
    const md5_wide ab_low = md5_wide_unpack_low(rows[0], rows[1]);
    const md5_wide ab_high = md5_wide_unpack_high(rows[0], rows[1]);
    const md5_wide cd_low = md5_wide_unpack_low(rows[2], rows[3]);
    const md5_wide cd_high = md5_wide_unpack_high(rows[2], rows[3]);
    rows[0] = md5_wide_low_halves(ab_low, cd_low);
    rows[1] = md5_wide_high_halves(ab_low, cd_low);
    rows[2] = md5_wide_low_halves(ab_high, cd_high);
    rows[3] = md5_wide_high_halves(ab_high, cd_high);
}

// Returns the sums of rows of four floats. In each group of four lanes, lane i of the result is the
// sum of the same four lanes of rows[i].
MD5_WIDE_INLINE md5_wide md5_wide_row_sums(const md5_wide rows[4])
{
    const md5_wide ab =
        md5_wide_add(md5_wide_unpack_low(rows[0], rows[1]), md5_wide_unpack_high(rows[0], rows[1]));
    const md5_wide cd =
        md5_wide_add(md5_wide_unpack_low(rows[2], rows[3]), md5_wide_unpack_high(rows[2], rows[3]));
    return md5_wide_add(md5_wide_low_halves(ab, cd), md5_wide_high_halves(ab, cd));
}

#endif

// Loads four floats from each of MD5_WIDTH addresses that are `step` floats apart.
MD5_WIDE_INLINE void md5_wide_load_run(const float *first, size_t step, md5_wide rows[4])
{
    const float *from[MD5_WIDTH];
    MD5_UNROLL
    for (uint32_t i = 0; i < MD5_WIDTH; i++)
        from[i] = first + i * step;
    md5_wide_load_rows(from, rows);
}

// Stores four floats to each of MD5_WIDTH addresses that are `step` floats apart.
MD5_WIDE_INLINE void md5_wide_store_run(float *first, size_t step, const md5_wide rows[4])
{
    float *to[MD5_WIDTH];
    MD5_UNROLL
    for (uint32_t i = 0; i < MD5_WIDTH; i++)
        to[i] = first + i * step;
    md5_wide_store_rows(to, rows);
}

#endif
