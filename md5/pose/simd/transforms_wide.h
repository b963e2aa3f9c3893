// MD5_WIDTH md5_transforms that lie one after the other in memory: how blending loads, combines and
// stores them. Compiled once for each instruction set, in the vocabulary of md5/core/wide.h.
//
// Each set keeps the transforms in the lane order that costs it the fewest shuffles. Numbers that
// are not transforms, such as weights, must be brought into the same order by to_lane_order(): only
// then do they belong to the transform in the same lane.
//
//   to_lane_order(a)          floats, one for each transform, brought into that order
//   load_rotations(p, q)      the components of the rotations
//   dot_rotations(a, b)       the dot products of the rotations
//   blend_transforms(out, a, b, of_a, of_b, t, is_same)
//                             rotations: a - (a * of_a - b * of_b); translations: the same, with t
//                             instead of both weights
//   add_translations(out, a, b, c, t, is_same, q)
//                             translations: a + (b - c) * t, without c if it is NULL; rotations: q
#ifndef MD5_POSE_SIMD_TRANSFORMS_WIDE_H
#define MD5_POSE_SIMD_TRANSFORMS_WIDE_H

#include "md5/core/wide.h"

#include <stdbool.h>
#include <stddef.h>

#if defined(MD5_WIDE_AVX512)

// A register is loaded with two transforms. So four joints stand together, and joint 4 i + k is in
// lane 4 k + i: i is the register, k the quarter of it.
MD5_WIDE_INLINE md5_wide to_lane_order(md5_wide a)
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_ps(order, a);
}

MD5_WIDE_INLINE void load_rotations(const float *p, md5_wide q[4])
{
    MD5_UNROLL
    for (int i = 0; i < 4; i++)
        q[i] = _mm512_shuffle_f32x4(_mm512_loadu_ps(p + 32 * i), _mm512_loadu_ps(p + 32 * i + 16),
                                    _MM_SHUFFLE(2, 0, 2, 0));
    md5_wide_transpose(q);
}

MD5_WIDE_INLINE md5_wide dot_rotations(const float *a, const float *b)
{
    md5_wide products[4];
    MD5_UNROLL
    for (int i = 0; i < 4; i++) {
        const float *const p = a + 32 * i, *const q = b + 32 * i;
        const __m512 low = _mm512_mul_ps(_mm512_loadu_ps(p), _mm512_loadu_ps(q));
        const __m512 high = _mm512_mul_ps(_mm512_loadu_ps(p + 16), _mm512_loadu_ps(q + 16));
        products[i] = _mm512_shuffle_f32x4(low, high, _MM_SHUFFLE(2, 0, 2, 0));
    }
    return md5_wide_sums(products);
}

// One of the rows of md5_wide_spread().
MD5_WIDE_INLINE __m512 spread_one(__m512 a, int i)
{
    switch (i) {
    case 0:
        return _mm512_permute_ps(a, 0x00);
    case 1:
        return _mm512_permute_ps(a, 0x55);
    case 2:
        return _mm512_permute_ps(a, 0xaa);
    default:
        return _mm512_permute_ps(a, 0xff);
    }
}

// The weights that spread_one() spreads for register 2 i and for the next one: a's in the first and
// third quarter, t's in the others.
MD5_WIDE_INLINE void pair_weights(md5_wide a, md5_wide t, md5_wide pair[2])
{
    const __m512 even = _mm512_shuffle_f32x4(t, t, _MM_SHUFFLE(1, 1, 0, 0));
    const __m512 odd = _mm512_shuffle_f32x4(t, t, _MM_SHUFFLE(3, 3, 2, 2));
    pair[0] = _mm512_mask_shuffle_f32x4(even, 0x0f0f, a, a, _MM_SHUFFLE(1, 1, 0, 0));
    pair[1] = _mm512_mask_shuffle_f32x4(odd, 0x0f0f, a, a, _MM_SHUFFLE(3, 3, 2, 2));
}

// Each register is finished before the next one begins, for compilers that run out of registers.
MD5_WIDE_INLINE void blend_transforms(float *out, const float *a, const float *b, md5_wide of_a,
                                      md5_wide of_b, md5_wide t, bool is_same)
{
    (void)is_same;
    md5_wide more[2], less[2];
    pair_weights(of_a, t, more);
    pair_weights(of_b, t, less);
    MD5_UNROLL
    for (int i = 0; i < 8; i++) {
        __m512 from = _mm512_loadu_ps(a + 16 * i);
        md5_wide_keep_loaded(&from);
        const __m512 to = _mm512_loadu_ps(b + 16 * i);
        const __m512 part = _mm512_mul_ps(from, spread_one(more[i % 2], i / 2));
        const __m512 change =
            _mm512_sub_ps(part, _mm512_mul_ps(to, spread_one(less[i % 2], i / 2)));
        _mm512_storeu_ps(out + 16 * i, _mm512_sub_ps(from, change));
    }
}

// Computes all eight floats of each transform, then replaces the rotations by q.
MD5_WIDE_INLINE void add_translations(float *out, const float *a, const float *b, const float *c,
                                      md5_wide t, bool is_same, md5_wide q[4])
{
    (void)is_same;
    const __m512 weights[2] = {_mm512_shuffle_f32x4(t, t, _MM_SHUFFLE(1, 1, 0, 0)),
                               _mm512_shuffle_f32x4(t, t, _MM_SHUFFLE(3, 3, 2, 2))};
    md5_wide_transpose(q);
    MD5_UNROLL
    for (int i = 0; i < 8; i++) {
        const __m512 rotation = q[i / 2];
        __m512 change = _mm512_loadu_ps(b + 16 * i);
        if (c)
            change = _mm512_sub_ps(change, _mm512_loadu_ps(c + 16 * i));
        change = _mm512_mul_ps(change, spread_one(weights[i % 2], i / 2));
        change = _mm512_add_ps(_mm512_loadu_ps(a + 16 * i), change);
        change = i % 2 ? _mm512_mask_shuffle_f32x4(change, 0x0f0f, rotation, rotation,
                                                   _MM_SHUFFLE(3, 3, 2, 2))
                       : _mm512_mask_shuffle_f32x4(change, 0x0f0f, rotation, rotation,
                                                   _MM_SHUFFLE(1, 1, 0, 0));
        _mm512_storeu_ps(out + 16 * i, change);
    }
}

#else

MD5_WIDE_INLINE md5_wide to_lane_order(md5_wide a)
{
    return a;
}

MD5_WIDE_INLINE void load_rotations(const float *p, md5_wide q[4])
{
    md5_wide_load_run(p, 8, q);
    md5_wide_transpose(q);
}

MD5_WIDE_INLINE md5_wide dot_rotations(const float *a, const float *b)
{
    md5_wide p[4], q[4];
    md5_wide_load_run(a, 8, p);
    md5_wide_load_run(b, 8, q);
    MD5_UNROLL
    for (int i = 0; i < 4; i++)
        p[i] = md5_wide_mul(p[i], q[i]);
    return md5_wide_sums(p);
}

#endif

#if defined(MD5_WIDE_AVX2)

// One of the rows of md5_wide_spread().
MD5_WIDE_INLINE __m256 spread_one(__m256 a, int i)
{
    switch (i) {
    case 0:
        return _mm256_permute_ps(a, 0x00);
    case 1:
        return _mm256_permute_ps(a, 0x55);
    case 2:
        return _mm256_permute_ps(a, 0xaa);
    default:
        return _mm256_permute_ps(a, 0xff);
    }
}

// The lower halves hold the weights of the rotations, the upper ones those of the translations.
// Each transform is finished before the next one begins, for compilers that run out of registers.
MD5_WIDE_INLINE void blend_transforms(float *out, const float *a, const float *b, md5_wide of_a,
                                      md5_wide of_b, md5_wide t, bool is_same)
{
    (void)is_same;
    const __m128 low_t = _mm256_castps256_ps128(t);
    const __m256 more[2] = {_mm256_insertf128_ps(of_a, low_t, 1),
                            _mm256_permute2f128_ps(of_a, t, 0x31)};
    const __m256 less[2] = {_mm256_insertf128_ps(of_b, low_t, 1),
                            _mm256_permute2f128_ps(of_b, t, 0x31)};
    MD5_UNROLL
    for (int i = 0; i < 8; i++) {
        __m256 from = _mm256_loadu_ps(a + 8 * i);
        md5_wide_keep_loaded(&from);
        const __m256 to = _mm256_loadu_ps(b + 8 * i);
        const __m256 part = _mm256_mul_ps(from, spread_one(more[i / 4], i % 4));
        const __m256 change =
            _mm256_sub_ps(part, _mm256_mul_ps(to, spread_one(less[i / 4], i % 4)));
        _mm256_storeu_ps(out + 8 * i, _mm256_sub_ps(from, change));
    }
}

// Computes all eight floats of each transform, then replaces the rotations by q.
MD5_WIDE_INLINE void add_translations(float *out, const float *a, const float *b, const float *c,
                                      md5_wide t, bool is_same, md5_wide q[4])
{
    (void)is_same;
    const __m256 weights[2] = {_mm256_permute2f128_ps(t, t, 0x00), t};
    md5_wide_transpose(q);
    MD5_UNROLL
    for (int i = 0; i < 8; i++) {
        __m256 change = _mm256_loadu_ps(b + 8 * i);
        if (c)
            change = _mm256_sub_ps(change, _mm256_loadu_ps(c + 8 * i));
        change = _mm256_mul_ps(change, spread_one(weights[i / 4], i % 4));
        change = _mm256_add_ps(_mm256_loadu_ps(a + 8 * i), change);
        change = i < 4 ? _mm256_blend_ps(change, q[i], 0x0f)
                       : _mm256_permute2f128_ps(q[i - 4], change, 0x31);
        _mm256_storeu_ps(out + 8 * i, change);
    }
}

#elif MD5_WIDTH == 4

// md5_wide_spread(), which does nothing if all lanes are the same.
MD5_WIDE_INLINE void spread_share(md5_wide t, bool is_same, md5_wide rows[4])
{
    if (!is_same)
        md5_wide_spread(t, rows);
    for (int i = 0; i < 4 && is_same; i++)
        rows[i] = t;
}

MD5_WIDE_INLINE void blend_transforms(float *out, const float *a, const float *b, md5_wide of_a,
                                      md5_wide of_b, md5_wide t, bool is_same)
{
    md5_wide rows[3][4];
    md5_wide_spread(of_a, rows[0]);
    md5_wide_spread(of_b, rows[1]);
    spread_share(t, is_same, rows[2]);
    MD5_UNROLL
    for (int i = 0; i < 8; i++) {
        const md5_wide from = md5_wide_load(a + 4 * i), to = md5_wide_load(b + 4 * i);
        const md5_wide change = md5_wide_sub(md5_wide_mul(from, rows[i % 2 ? 2 : 0][i / 2]),
                                             md5_wide_mul(to, rows[i % 2 ? 2 : 1][i / 2]));
        md5_wide_store(out + 4 * i, md5_wide_sub(from, change));
    }
}

MD5_WIDE_INLINE void add_translations(float *out, const float *a, const float *b, const float *c,
                                      md5_wide t, bool is_same, md5_wide q[4])
{
    md5_wide weights[4];
    spread_share(t, is_same, weights);
    md5_wide_transpose(q);
    MD5_UNROLL
    for (int i = 0; i < 4; i++) {
        const int at = 8 * i + 4;
        md5_wide change = md5_wide_load(b + at);
        if (c)
            change = md5_wide_sub(change, md5_wide_load(c + at));
        change = md5_wide_mul(change, weights[i]);
        md5_wide_store(out + at, md5_wide_add(md5_wide_load(a + at), change));
        md5_wide_store(out + 8 * i, q[i]);
    }
}

#elif MD5_WIDTH == 1

MD5_WIDE_INLINE void blend_transforms(float *out, const float *a, const float *b, md5_wide of_a,
                                      md5_wide of_b, md5_wide t, bool is_same)
{
    (void)is_same;
    MD5_UNROLL
    for (int i = 0; i < 8; i++) {
        const float more = i < 4 ? of_a : t, less = i < 4 ? of_b : t;
        out[i] = a[i] - (a[i] * more - b[i] * less);
    }
}

MD5_WIDE_INLINE void add_translations(float *out, const float *a, const float *b, const float *c,
                                      md5_wide t, bool is_same, const md5_wide q[4])
{
    (void)is_same;
    MD5_UNROLL
    for (int i = 0; i < 4; i++) {
        const float change = c ? b[4 + i] - c[4 + i] : b[4 + i];
        out[4 + i] = a[4 + i] + change * t;
        out[i] = q[i];
    }
}

#endif

#endif
