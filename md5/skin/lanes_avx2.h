// Loads, stores and matrix sums for skinning with AVX2, in addition to md5/core/wide.h.
#ifndef MD5_SKIN_LANES_AVX2_H
#define MD5_SKIN_LANES_AVX2_H

#include "md5/core/wide.h"
#include "md5/md5model.h"

// == Halves of registers =========================================================================

MD5_WIDE_INLINE md5_wide join(__m128 low, __m128 high)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}

// Return one half of `a` in the lower half of the register, and one half of `b` in the upper half.
MD5_WIDE_INLINE md5_wide join_lower_halves(md5_wide a, md5_wide b)
{
    return _mm256_permute2f128_ps(a, b, 0x20);
}

MD5_WIDE_INLINE md5_wide join_upper_halves(md5_wide a, md5_wide b)
{
    return _mm256_permute2f128_ps(a, b, 0x31);
}

MD5_WIDE_INLINE md5_wide join_upper_and_lower_half(md5_wide a, md5_wide b)
{
    return _mm256_permute2f128_ps(a, b, 0x21);
}

MD5_WIDE_INLINE md5_wide join_lower_and_upper_half(md5_wide a, md5_wide b)
{
    return _mm256_blend_ps(a, b, 0xf0);
}

// == Points ======================================================================================
//
// Loads and stores points in eight lanes. In comments and in the names of registers, the numbers 0
// to 7 are indices of vertices. A bar separates the two halves of a register. Where a comment shows
// only one half, the other half contains vertices 4 to 7 in the same order.

MD5_WIDE_INLINE bool is_all_true(md5_mask mask)
{
    return _mm256_movemask_ps(mask) == 0xff;
}

// Separates the coordinates of eight points: a = x0 y0 z0 x1, b = y1 z1 x2 y2, c = z2 x3 y3 z3.
MD5_WIDE_INLINE lanes3 separate_coordinates(md5_wide a, md5_wide b, md5_wide c)
{
    const md5_wide xy = _mm256_shuffle_ps(b, c, _MM_SHUFFLE(2, 1, 3, 2)); // x2 y2 x3 y3
    const md5_wide yz = _mm256_shuffle_ps(a, b, _MM_SHUFFLE(1, 0, 2, 1)); // y0 z0 y1 z1
    return (lanes3){
        _mm256_shuffle_ps(a, xy, _MM_SHUFFLE(2, 0, 3, 0)),  // x0 x1 x2 x3
        _mm256_shuffle_ps(yz, xy, _MM_SHUFFLE(3, 1, 2, 0)), // y0 y1 y2 y3
        _mm256_shuffle_ps(yz, c, _MM_SHUFFLE(3, 0, 3, 1)),  // z0 z1 z2 z3
    };
}

// Loads eight consecutive points of three floats and separates their x, y and z.
MD5_WIDE_INLINE lanes3 load_points(const md5_vec3 *points)
{
    const float *const p = &points->x;
    const md5_wide u = _mm256_loadu_ps(p);      // x0 y0 z0 x1 | y1 z1 x2 y2
    const md5_wide v = _mm256_loadu_ps(p + 8);  // z2 x3 y3 z3 | x4 y4 z4 x5
    const md5_wide w = _mm256_loadu_ps(p + 16); // y5 z5 x6 y6 | z6 x7 y7 z7
    return separate_coordinates(join_lower_and_upper_half(u, v), join_upper_and_lower_half(u, w),
                                join_lower_and_upper_half(v, w));
}

// Stores eight points at consecutive addresses: transposes x y z in lanes to triples, in three
// registers.
MD5_WIDE_INLINE void store_points(md5_vec3 *points, lanes3 v)
{
    const md5_wide xy = _mm256_shuffle_ps(v.x, v.y, _MM_SHUFFLE(2, 0, 2, 0)); // x0 x2 y0 y2
    const md5_wide yz = _mm256_shuffle_ps(v.y, v.z, _MM_SHUFFLE(3, 1, 3, 1)); // y1 y3 z1 z3
    const md5_wide zx = _mm256_shuffle_ps(v.z, v.x, _MM_SHUFFLE(3, 1, 2, 0)); // z0 z2 x1 x3
    const md5_wide a = _mm256_shuffle_ps(xy, zx, _MM_SHUFFLE(2, 0, 2, 0));    // x0 y0 z0 x1
    const md5_wide b = _mm256_shuffle_ps(yz, xy, _MM_SHUFFLE(3, 1, 2, 0));    // y1 z1 x2 y2
    const md5_wide c = _mm256_shuffle_ps(zx, yz, _MM_SHUFFLE(3, 1, 3, 1));    // z2 x3 y3 z3
    float *const p = &points->x;
    _mm256_storeu_ps(p, join_lower_halves(a, b));             // x0 y0 z0 x1 | y1 z1 x2 y2
    _mm256_storeu_ps(p + 8, join_lower_and_upper_half(c, a)); // z2 x3 y3 z3 | x4 y4 z4 x5
    _mm256_storeu_ps(p + 16, join_upper_halves(b, c));        // y5 z5 x6 y6 | z6 x7 y7 z7
}

// == Matrices ====================================================================================

// One matrix in the layout of the palette.
typedef md5_wide_mat34 matrix_rows;

// Loads two points, reading exactly twelve bytes of each.
MD5_WIDE_INLINE md5_wide load_point_pair(const float *low, const float *high)
{
    const __m128 low_xy = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)low));
    const __m128 high_xy = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)high));
    return join(_mm_movelh_ps(low_xy, _mm_load_ss(low + 2)),
                _mm_movelh_ps(high_xy, _mm_load_ss(high + 2)));
}

// Loads the points of eight lanes, and separates their x, y and z. Point i is element at[i] of an
// array with elements of `size` floats.
MD5_WIDE_INLINE lanes3 load_points_at(const float *from, const uint32_t *at, uint32_t size)
{
    md5_wide rows[4] = {
        load_point_pair(from + at[0] * size, from + at[4] * size),
        load_point_pair(from + at[1] * size, from + at[5] * size),
        load_point_pair(from + at[2] * size, from + at[6] * size),
        load_point_pair(from + at[3] * size, from + at[7] * size),
    };
    md5_wide_transpose(rows);
    return (lanes3){rows[0], rows[1], rows[2]};
}

// Loads eight points and separates their x, y and z. Point i is at from + at[i]. Each point except
// the last is loaded as four floats. This is safe because `at` ascends, so the four bytes after
// such a point belong to the array.
MD5_WIDE_INLINE lanes3 load_points_ascending(const float *from, const uint32_t *at)
{
    md5_wide rows[4] = {
        md5_wide_pair(from + at[0], from + at[4]),
        md5_wide_pair(from + at[1], from + at[5]),
        md5_wide_pair(from + at[2], from + at[6]),
        load_point_pair(from + at[3], from + at[7]),
    };
    md5_wide_transpose(rows);
    return (lanes3){rows[0], rows[1], rows[2]};
}

// The entries of a matrix row, in memory. In spread_entry(), `i` is a constant after inlining.
typedef const float *entry_row;

MD5_WIDE_INLINE entry_row load_entries(const float *row)
{
    return row;
}

MD5_WIDE_INLINE md5_wide spread_entry(entry_row row, int i)
{
    return _mm256_broadcast_ss(row + i);
}

// Stores the two points that are in a half register. `xy` contains x and y of both, `z` contains z
// of both.
MD5_WIDE_INLINE void store_point_pair(float *low, float *high, __m128 xy, __m128 z)
{
    _mm_storel_pi((__m64 *)(void *)low, xy);
    _mm_storeh_pi((__m64 *)(void *)high, xy);
    _mm_store_ss(low + 2, z);
    _mm_store_ss(high + 2, _mm_movehdup_ps(z));
}

// Stores eight points. Point i is at to + at[i] * size. Writes exactly twelve bytes of each, so
// that data between points is preserved.
MD5_WIDE_INLINE void store_points_at(float *to, const uint32_t *at, uint32_t size, lanes3 v)
{
    const md5_wide xy01 = _mm256_unpacklo_ps(v.x, v.y);
    const md5_wide xy23 = _mm256_unpackhi_ps(v.x, v.y);
    const __m128 z0 = _mm256_castps256_ps128(v.z);
    const __m128 z4 = _mm256_extractf128_ps(v.z, 1);
    store_point_pair(to + at[0] * size, to + at[1] * size, _mm256_castps256_ps128(xy01), z0);
    store_point_pair(to + at[2] * size, to + at[3] * size, _mm256_castps256_ps128(xy23),
                     _mm_movehl_ps(z0, z0));
    store_point_pair(to + at[4] * size, to + at[5] * size, _mm256_extractf128_ps(xy01, 1), z4);
    store_point_pair(to + at[6] * size, to + at[7] * size, _mm256_extractf128_ps(xy23, 1),
                     _mm_movehl_ps(z4, z4));
}

// Multiplies all twelve entries of a matrix by a factor.
MD5_WIDE_INLINE matrix_rows scale_matrix(const float *m, const float *factor)
{
    md5_wide all = _mm256_broadcast_ss(factor);
    md5_wide_keep_loaded(&all);
    return (matrix_rows){_mm256_mul_ps(_mm256_loadu_ps(m), all),
                         _mm_mul_ps(_mm_loadu_ps(m + 8), _mm256_castps256_ps128(all))};
}

// Multiplies each of the three rows of a matrix by the vector q[4], component by component.
MD5_WIDE_INLINE matrix_rows multiply_wide_rows(const float *m, const float *q)
{
    const md5_wide both = _mm256_broadcast_ps((const __m128 *)(const void *)q);
    return (matrix_rows){_mm256_mul_ps(_mm256_loadu_ps(m), both),
                         _mm_mul_ps(_mm_loadu_ps(m + 8), _mm256_castps256_ps128(both))};
}

MD5_WIDE_INLINE matrix_rows add_matrices(matrix_rows a, matrix_rows b)
{
    return (matrix_rows){_mm256_add_ps(a.top, b.top), _mm_add_ps(a.bottom, b.bottom)};
}

// Transposes eight matrices to lanes. entries[row][column] then contains that entry of all
// matrices.
MD5_WIDE_INLINE void matrices_to_lanes(const matrix_rows matrices[8], md5_wide entries[3][4])
{
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++) {
        const matrix_rows a = matrices[i];
        const matrix_rows b = matrices[i + 4];
        entries[0][i] = join_lower_halves(a.top, b.top);
        entries[1][i] = join_upper_halves(a.top, b.top);
        entries[2][i] = join(a.bottom, b.bottom);
    }
    md5_wide_transpose(entries[0]);
    md5_wide_transpose(entries[1]);
    md5_wide_transpose(entries[2]);
}

// Multiplies each row of a matrix by a point, component by component. The last component of the
// point is 1.
MD5_WIDE_INLINE matrix_rows multiply_by_point(matrix_rows m, const float *point)
{
    const __m128 xy = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)point));
    const __m128 p = _mm_movelh_ps(xy, _mm_unpacklo_ps(_mm_load_ss(point + 2), _mm_set1_ps(1.0f)));
    return (matrix_rows){_mm256_mul_ps(m.top, join(p, p)), _mm_mul_ps(m.bottom, p)};
}

// Stores the sums (e0 + e1) + (e2 + e3) of the three rows.
MD5_WIDE_INLINE void store_row_sums(float *to, matrix_rows m)
{
    const __m128 x = _mm256_castps256_ps128(m.top);
    const __m128 y = _mm256_extractf128_ps(m.top, 1);
    const __m128 pairs_of_z = _mm_hadd_ps(m.bottom, m.bottom);
    const __m128 sums = _mm_hadd_ps(_mm_hadd_ps(x, y), pairs_of_z); // x y z z
    _mm_storel_pi((__m64 *)(void *)to, sums);
    _mm_store_ss(to + 2, _mm_movehl_ps(sums, sums));
}

#endif
