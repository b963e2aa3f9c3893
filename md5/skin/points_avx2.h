// Loads and stores points in eight lanes, for AVX2: see skin_wide.h.
#ifndef MD5_SKIN_POINTS_AVX2_H
#define MD5_SKIN_POINTS_AVX2_H

#include "md5/core/wide.h"
#include "md5/md5model.h"

// In the names of registers below, 0 to 7 are vertices; a bar separates the two halves.

MD5_WIDE_INLINE bool is_all_true(md5_mask mask)
{
    return _mm256_movemask_ps(mask) == 0xff;
}

// From a = x0 y0 z0 x1 | x4 y4 z4 x5, b = y1 z1 x2 y2 | .., c = z2 x3 y3 z3 | ..
MD5_WIDE_INLINE lanes3 points_of_rows(md5_wide a, md5_wide b, md5_wide c)
{
    const md5_wide xy = _mm256_shuffle_ps(b, c, _MM_SHUFFLE(2, 1, 3, 2)); // x2 y2 x3 y3
    const md5_wide yz = _mm256_shuffle_ps(a, b, _MM_SHUFFLE(1, 0, 2, 1)); // y0 z0 y1 z1
    return (lanes3){
        _mm256_shuffle_ps(a, xy, _MM_SHUFFLE(2, 0, 3, 0)),
        _mm256_shuffle_ps(yz, xy, _MM_SHUFFLE(3, 1, 2, 0)),
        _mm256_shuffle_ps(yz, c, _MM_SHUFFLE(3, 0, 3, 1)),
    };
}

MD5_WIDE_INLINE lanes3 load_points(const md5_vec3 *points)
{
    const float *const p = &points->x;
    const md5_wide u = _mm256_loadu_ps(p), v = _mm256_loadu_ps(p + 8), w = _mm256_loadu_ps(p + 16);
    return points_of_rows(_mm256_blend_ps(u, v, 0xf0), _mm256_permute2f128_ps(u, w, 0x21),
                          _mm256_blend_ps(v, w, 0xf0));
}

MD5_WIDE_INLINE void store_points(md5_vec3 *points, lanes3 v)
{
    const md5_wide xy = _mm256_shuffle_ps(v.x, v.y, _MM_SHUFFLE(2, 0, 2, 0)); // x0 x2 y0 y2
    const md5_wide yz = _mm256_shuffle_ps(v.y, v.z, _MM_SHUFFLE(3, 1, 3, 1)); // y1 y3 z1 z3
    const md5_wide zx = _mm256_shuffle_ps(v.z, v.x, _MM_SHUFFLE(3, 1, 2, 0)); // z0 z2 x1 x3
    const md5_wide a = _mm256_shuffle_ps(xy, zx, _MM_SHUFFLE(2, 0, 2, 0));
    const md5_wide b = _mm256_shuffle_ps(yz, xy, _MM_SHUFFLE(3, 1, 2, 0));
    const md5_wide c = _mm256_shuffle_ps(zx, yz, _MM_SHUFFLE(3, 1, 3, 1));
    float *const p = &points->x;
    _mm256_storeu_ps(p, _mm256_permute2f128_ps(a, b, 0x20));
    _mm256_storeu_ps(p + 8, _mm256_blend_ps(c, a, 0xf0));
    _mm256_storeu_ps(p + 16, _mm256_permute2f128_ps(b, c, 0x31));
}

#endif
