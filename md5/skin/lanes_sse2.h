// Loads and stores for skinning with SSE2, in addition to md5/core/wide.h.
#ifndef MD5_SKIN_LANES_SSE2_H
#define MD5_SKIN_LANES_SSE2_H

#include "md5/core/wide.h"
#include "md5/md5model.h"

// In comments and in the names of registers, the numbers 0 to 3 are indices of vertices.

MD5_WIDE_INLINE bool is_all_true(md5_mask mask)
{
    return _mm_movemask_ps(mask) == 0xf;
}

// Loads four points from consecutive addresses, and transposes the triples to lanes.
MD5_WIDE_INLINE lanes3 load_points(const md5_vec3 *points)
{
    const md5_wide a = _mm_loadu_ps(&points->x);                       // x0 y0 z0 x1
    const md5_wide b = _mm_loadu_ps(&points->x + 4);                   // y1 z1 x2 y2
    const md5_wide c = _mm_loadu_ps(&points->x + 8);                   // z2 x3 y3 z3
    const md5_wide xy = _mm_shuffle_ps(b, c, _MM_SHUFFLE(2, 1, 3, 2)); // x2 y2 x3 y3
    const md5_wide yz = _mm_shuffle_ps(a, b, _MM_SHUFFLE(1, 0, 2, 1)); // y0 z0 y1 z1
    return (lanes3){
        _mm_shuffle_ps(a, xy, _MM_SHUFFLE(2, 0, 3, 0)),  // x0 x1 x2 x3
        _mm_shuffle_ps(yz, xy, _MM_SHUFFLE(3, 1, 2, 0)), // y0 y1 y2 y3
        _mm_shuffle_ps(yz, c, _MM_SHUFFLE(3, 0, 3, 1)),  // z0 z1 z2 z3
    };
}

// Stores four points as consecutive floats x0 y0 z0 x1 ... from registers with x, y and z of all
// points.
MD5_WIDE_INLINE void store_points(md5_vec3 *points, lanes3 v)
{
    const md5_wide xy = _mm_shuffle_ps(v.x, v.y, _MM_SHUFFLE(2, 0, 2, 0)); // x0 x2 y0 y2
    const md5_wide yz = _mm_shuffle_ps(v.y, v.z, _MM_SHUFFLE(3, 1, 3, 1)); // y1 y3 z1 z3
    const md5_wide zx = _mm_shuffle_ps(v.z, v.x, _MM_SHUFFLE(3, 1, 2, 0)); // z0 z2 x1 x3
    const md5_wide a = _mm_shuffle_ps(xy, zx, _MM_SHUFFLE(2, 0, 2, 0));    // x0 y0 z0 x1
    const md5_wide b = _mm_shuffle_ps(yz, xy, _MM_SHUFFLE(3, 1, 2, 0));    // y1 z1 x2 y2
    const md5_wide c = _mm_shuffle_ps(zx, yz, _MM_SHUFFLE(3, 1, 3, 1));    // z2 x3 y3 z3
    _mm_storeu_ps(&points->x, a);
    _mm_storeu_ps(&points->x + 4, b);
    _mm_storeu_ps(&points->x + 8, c);
}

// Loads a point, reading exactly twelve bytes.
MD5_WIDE_INLINE md5_wide load_point(const float *point)
{
    const __m128 xy = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)point));
    return _mm_movelh_ps(xy, _mm_load_ss(point + 2));
}

// Loads a point, and 1 in the last lane.
MD5_WIDE_INLINE md5_wide load_point_and_one(const float *point)
{
    const __m128 xy = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)point));
    return _mm_movelh_ps(xy, _mm_unpacklo_ps(_mm_load_ss(point + 2), _mm_set1_ps(1.0f)));
}

// Stores the first three lanes as a point.
MD5_WIDE_INLINE void store_point(float *point, md5_wide a)
{
    _mm_storel_pi((__m64 *)(void *)point, a);
    _mm_store_ss(point + 2, _mm_movehl_ps(a, a));
}

// Loads four points. Point i is at from + at[i] * size.
MD5_WIDE_INLINE lanes3 load_points_at(const float *from, const uint32_t *at, uint32_t size)
{
    md5_wide rows[4] = {load_point(from + at[0] * size), load_point(from + at[1] * size),
                        load_point(from + at[2] * size), load_point(from + at[3] * size)};
    md5_wide_transpose(rows);
    return (lanes3){rows[0], rows[1], rows[2]};
}

// Loads four points. Point i is at from + at[i]. Because `at` ascends, four floats can be loaded
// for every point except the last one.
MD5_WIDE_INLINE lanes3 load_points_ascending(const float *from, const uint32_t *at)
{
    md5_wide rows[4] = {_mm_loadu_ps(from + at[0]), _mm_loadu_ps(from + at[1]),
                        _mm_loadu_ps(from + at[2]), load_point(from + at[3])};
    md5_wide_transpose(rows);
    return (lanes3){rows[0], rows[1], rows[2]};
}

// The entries of a matrix row. In spread_entry(), `i` is a constant after inlining.
typedef __m128 entry_row;

MD5_WIDE_INLINE entry_row load_entries(const float *row)
{
    return _mm_loadu_ps(row);
}

// Returns entry `i` of a row in all four lanes.
MD5_WIDE_INLINE md5_wide spread_entry(entry_row row, int i)
{
    return md5_wide_spread_row(row, i);
}

// Stores two points at two addresses. `xy` contains x and y of both, `z` contains z of both.
MD5_WIDE_INLINE void store_point_pair(float *low, float *high, __m128 xy, __m128 z)
{
    _mm_storel_pi((__m64 *)(void *)low, xy);
    _mm_storeh_pi((__m64 *)(void *)high, xy);
    _mm_store_ss(low + 2, z);
    _mm_store_ss(high + 2, md5_wide_broadcast(z, 1));
}

// Stores four points. Point i becomes element at[i] of an array with elements of `size` floats.
MD5_WIDE_INLINE void store_points_at(float *to, const uint32_t *at, uint32_t size, lanes3 v)
{
    store_point_pair(to + at[0] * size, to + at[1] * size, _mm_unpacklo_ps(v.x, v.y), v.z);
    store_point_pair(to + at[2] * size, to + at[3] * size, _mm_unpackhi_ps(v.x, v.y),
                     _mm_movehl_ps(v.z, v.z));
}

// Adds neighboring lanes: a0 + a1, a2 + a3, b0 + b1, b2 + b3.
MD5_WIDE_INLINE md5_wide add_neighbors(md5_wide a, md5_wide b)
{
    return _mm_add_ps(_mm_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0)),
                      _mm_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1)));
}

#endif
