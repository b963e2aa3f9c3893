// Loads and stores points of two contiguous groups in sixteen lanes, for AVX-512: see
// skin_avx512.c.
#ifndef MD5_SKIN_POINTS_AVX512_H
#define MD5_SKIN_POINTS_AVX512_H

#include "md5/core/wide.h"
#include "md5/md5model.h"

MD5_WIDE_INLINE bool is_all_true(md5_mask mask)
{
    return mask == 0xffff;
}

// In the comments of registers, 0 to 7 are the vertices of a group, and _ is a lane that is not
// used. Both halves of a register have the same layout: the lower half contains the first group,
// the upper half the second group.

// Lane indices for a permutation that is the same in both halves. 0 to 7 are lanes of the first
// register, 16 to 23 are lanes of the second register.
#define IN_BOTH_HALVES(a, b, c, d, e, f, g, h)                                             \
    _mm512_setr_epi32(a, b, c, d, e, f, g, h, 8 + (a), 8 + (b), 8 + (c), 8 + (d), 8 + (e), \
                      8 + (f), 8 + (g), 8 + (h))

// Loads eight floats of each group.
MD5_WIDE_INLINE md5_wide load_halves(const float *low, const float *high)
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(low)), _mm256_loadu_ps(high),
                              1);
}

MD5_WIDE_INLINE void store_halves(float *low, float *high, md5_wide a)
{
    _mm256_storeu_ps(low, _mm512_castps512_ps256(a));
    _mm256_storeu_ps(high, _mm512_extractf32x8_ps(a, 1));
}

// Loads two groups of eight points, and transposes the triples to lanes. The points of `low` become
// lanes 0 to 7, the points of `high` lanes 8 to 15.
MD5_WIDE_INLINE lanes3 load_two_groups(const md5_vec3 *low, const md5_vec3 *high)
{
    const float *const p = &low->x;
    const float *const q = &high->x;
    const md5_wide u = load_halves(p, q);           // x0 y0 z0 x1 y1 z1 x2 y2
    const md5_wide v = load_halves(p + 8, q + 8);   // z2 x3 y3 z3 x4 y4 z4 x5
    const md5_wide w = load_halves(p + 16, q + 16); // y5 z5 x6 y6 z6 x7 y7 z7

    // x0 .. x5 _ _, y0 .. y4 _ _ _ and z0 .. z4 _ _ _
    const md5_wide x = _mm512_permutex2var_ps(u, IN_BOTH_HALVES(0, 3, 6, 17, 20, 23, 0, 0), v);
    const md5_wide y = _mm512_permutex2var_ps(u, IN_BOTH_HALVES(1, 4, 7, 18, 21, 0, 0, 0), v);
    const md5_wide z = _mm512_permutex2var_ps(u, IN_BOTH_HALVES(2, 5, 16, 19, 22, 0, 0, 0), v);

    // The remaining lanes are in `w`.
    return (lanes3){
        _mm512_permutex2var_ps(x, IN_BOTH_HALVES(0, 1, 2, 3, 4, 5, 18, 21), w),
        _mm512_permutex2var_ps(y, IN_BOTH_HALVES(0, 1, 2, 3, 4, 16, 19, 22), w),
        _mm512_permutex2var_ps(z, IN_BOTH_HALVES(0, 1, 2, 3, 4, 17, 20, 23), w),
    };
}

// Stores two groups of eight points: the inverse of load_two_groups().
MD5_WIDE_INLINE void store_two_groups(md5_vec3 *low, md5_vec3 *high, lanes3 a)
{
    float *const p = &low->x;
    float *const q = &high->x;

    // x0 y0 _ x1 y1 _ x2 y2, _ x3 y3 _ x4 y4 _ x5 and y5 _ x6 y6 _ x7 y7 _
    const md5_wide u = _mm512_permutex2var_ps(a.x, IN_BOTH_HALVES(0, 16, 0, 1, 17, 0, 2, 18), a.y);
    const md5_wide v = _mm512_permutex2var_ps(a.x, IN_BOTH_HALVES(0, 3, 19, 0, 4, 20, 0, 5), a.y);
    const md5_wide w = _mm512_permutex2var_ps(a.x, IN_BOTH_HALVES(21, 0, 6, 22, 0, 7, 23, 0), a.y);

    // The z coordinates fill the remaining lanes.
    store_halves(p, q, _mm512_permutex2var_ps(u, IN_BOTH_HALVES(0, 1, 16, 3, 4, 17, 6, 7), a.z));
    store_halves(p + 8, q + 8,
                 _mm512_permutex2var_ps(v, IN_BOTH_HALVES(18, 1, 2, 19, 4, 5, 20, 7), a.z));
    store_halves(p + 16, q + 16,
                 _mm512_permutex2var_ps(w, IN_BOTH_HALVES(0, 21, 2, 3, 22, 5, 6, 23), a.z));
}

#undef IN_BOTH_HALVES

#endif
