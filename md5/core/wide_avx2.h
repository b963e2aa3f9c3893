// Eight floats in a register: see wide.h.
#ifndef MD5_CORE_WIDE_AVX2_H
#define MD5_CORE_WIDE_AVX2_H

#include <immintrin.h>
#include <stddef.h>

#define MD5_WIDTH 8
#define MD5_WIDE_NAME(name) name##_avx2
#define MD5_WIDE_NARROWER(name) name##_sse2
#define MD5_WIDE_REGISTERS 16
#define MD5_WIDE_CODE MD5_TARGET("avx2")
#define MD5_WIDE_INLINE MD5_WIDE_CODE static MD5_ALWAYS_INLINE

typedef __m256 md5_wide;
typedef __m256 md5_mask; // all bits of a true lane are set

MD5_WIDE_INLINE md5_wide md5_wide_all(float value)
{
    return _mm256_set1_ps(value);
}

MD5_WIDE_INLINE md5_wide md5_wide_load(const float *from)
{
    return _mm256_loadu_ps(from);
}

// Keeps compilers from loading it again for every use: loads are the bottleneck here.
MD5_WIDE_INLINE void md5_wide_keep_loaded(md5_wide *a)
{
    MD5_KEEP_LOADED("x", *a);
}

MD5_WIDE_INLINE void md5_wide_store(float *to, md5_wide a)
{
    _mm256_storeu_ps(to, a);
}

MD5_WIDE_INLINE md5_wide md5_wide_add(md5_wide a, md5_wide b)
{
    return _mm256_add_ps(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_sub(md5_wide a, md5_wide b)
{
    return _mm256_sub_ps(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_mul(md5_wide a, md5_wide b)
{
    return _mm256_mul_ps(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_div(md5_wide a, md5_wide b)
{
    return _mm256_div_ps(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_sqrt(md5_wide a)
{
    return _mm256_sqrt_ps(a);
}

MD5_WIDE_INLINE md5_mask md5_wide_less(md5_wide a, md5_wide b)
{
    return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}

MD5_WIDE_INLINE md5_mask md5_wide_greater(md5_wide a, md5_wide b)
{
    return _mm256_cmp_ps(a, b, _CMP_GT_OQ);
}

MD5_WIDE_INLINE md5_wide md5_wide_smaller(md5_wide a, md5_wide b)
{
    return _mm256_min_ps(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_larger(md5_wide a, md5_wide b)
{
    return _mm256_max_ps(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_keep(md5_mask mask, md5_wide a)
{
    return _mm256_and_ps(mask, a);
}

MD5_WIDE_INLINE md5_wide md5_wide_select(md5_mask mask, md5_wide a, md5_wide b)
{
    return _mm256_blendv_ps(b, a, mask);
}

MD5_WIDE_INLINE md5_wide md5_wide_flip(md5_mask mask, md5_wide a)
{
    return _mm256_xor_ps(a, _mm256_and_ps(mask, _mm256_set1_ps(-0.0f)));
}

MD5_WIDE_INLINE unsigned md5_wide_bits(md5_mask mask)
{
    return (unsigned)_mm256_movemask_ps(mask);
}

MD5_WIDE_INLINE md5_wide md5_wide_pair(const float *low, const float *high)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}

MD5_WIDE_INLINE void md5_wide_load_rows(const float *const from[8], md5_wide rows[4])
{
    rows[0] = md5_wide_pair(from[0], from[4]);
    rows[1] = md5_wide_pair(from[1], from[5]);
    rows[2] = md5_wide_pair(from[2], from[6]);
    rows[3] = md5_wide_pair(from[3], from[7]);
}

MD5_WIDE_INLINE void md5_wide_load_run(const float *first, size_t step, md5_wide rows[4])
{
    rows[0] = md5_wide_pair(first, first + 4 * step);
    rows[1] = md5_wide_pair(first + step, first + 5 * step);
    rows[2] = md5_wide_pair(first + 2 * step, first + 6 * step);
    rows[3] = md5_wide_pair(first + 3 * step, first + 7 * step);
}

MD5_WIDE_INLINE void md5_wide_split(float *low, float *high, md5_wide a)
{
    _mm_storeu_ps(low, _mm256_castps256_ps128(a));
    _mm_storeu_ps(high, _mm256_extractf128_ps(a, 1));
}

MD5_WIDE_INLINE void md5_wide_store_rows(float *const to[8], const md5_wide rows[4])
{
    md5_wide_split(to[0], to[4], rows[0]);
    md5_wide_split(to[1], to[5], rows[1]);
    md5_wide_split(to[2], to[6], rows[2]);
    md5_wide_split(to[3], to[7], rows[3]);
}

MD5_WIDE_INLINE void md5_wide_store_run(float *first, size_t step, const md5_wide rows[4])
{
    md5_wide_split(first, first + 4 * step, rows[0]);
    md5_wide_split(first + step, first + 5 * step, rows[1]);
    md5_wide_split(first + 2 * step, first + 6 * step, rows[2]);
    md5_wide_split(first + 3 * step, first + 7 * step, rows[3]);
}

MD5_WIDE_INLINE void md5_wide_spread(md5_wide a, md5_wide rows[4])
{
    rows[0] = _mm256_permute_ps(a, 0x00);
    rows[1] = _mm256_permute_ps(a, 0x55);
    rows[2] = _mm256_permute_ps(a, 0xaa);
    rows[3] = _mm256_permute_ps(a, 0xff);
}

MD5_WIDE_INLINE void md5_wide_cut(md5_wide rows[4])
{
    MD5_UNROLL
    for (int i = 0; i < 4; i++)
        rows[i] = _mm256_blend_ps(rows[i], _mm256_setzero_ps(), 0x88);
}

MD5_WIDE_INLINE void md5_wide_transpose(md5_wide rows[4])
{
    const __m256 ab_low = _mm256_unpacklo_ps(rows[0], rows[1]);
    const __m256 ab_high = _mm256_unpackhi_ps(rows[0], rows[1]);
    const __m256 cd_low = _mm256_unpacklo_ps(rows[2], rows[3]);
    const __m256 cd_high = _mm256_unpackhi_ps(rows[2], rows[3]);
    rows[0] = _mm256_shuffle_ps(ab_low, cd_low, _MM_SHUFFLE(1, 0, 1, 0));
    rows[1] = _mm256_shuffle_ps(ab_low, cd_low, _MM_SHUFFLE(3, 2, 3, 2));
    rows[2] = _mm256_shuffle_ps(ab_high, cd_high, _MM_SHUFFLE(1, 0, 1, 0));
    rows[3] = _mm256_shuffle_ps(ab_high, cd_high, _MM_SHUFFLE(3, 2, 3, 2));
}

MD5_WIDE_INLINE md5_wide md5_wide_sums(const md5_wide rows[4])
{
    const __m256 ab =
        _mm256_add_ps(_mm256_unpacklo_ps(rows[0], rows[1]), _mm256_unpackhi_ps(rows[0], rows[1]));
    const __m256 cd =
        _mm256_add_ps(_mm256_unpacklo_ps(rows[2], rows[3]), _mm256_unpackhi_ps(rows[2], rows[3]));
    return _mm256_add_ps(_mm256_shuffle_ps(ab, cd, _MM_SHUFFLE(1, 0, 1, 0)),
                         _mm256_shuffle_ps(ab, cd, _MM_SHUFFLE(3, 2, 3, 2)));
}

// The first two rows in one register.
typedef struct md5_wide_mat34 {
    __m256 top;
    __m128 bottom;
} md5_wide_mat34;

MD5_WIDE_INLINE md5_wide_mat34 md5_wide_mat34_load(const float *m)
{
    return (md5_wide_mat34){_mm256_loadu_ps(m), _mm_loadu_ps(m + 8)};
}

MD5_WIDE_INLINE void md5_wide_mat34_store(float *m, md5_wide_mat34 a)
{
    _mm256_storeu_ps(m, a.top);
    _mm_storeu_ps(m + 8, a.bottom);
}

// Adds the translation to the last column; adding -0 does not change any number.
MD5_WIDE_INLINE md5_wide_mat34 md5_wide_mat34_product(md5_wide_mat34 a, const float *m)
{
    const __m256 b0 = _mm256_broadcast_ps((const __m128 *)m);
    const __m256 b1 = _mm256_broadcast_ps((const __m128 *)(m + 4));
    const __m256 b2 = _mm256_broadcast_ps((const __m128 *)(m + 8));
    const __m256 none = _mm256_set1_ps(-0.0f);
    __m256 top = _mm256_mul_ps(_mm256_permute_ps(a.top, 0x00), b0);
    top = _mm256_add_ps(top, _mm256_mul_ps(_mm256_permute_ps(a.top, 0x55), b1));
    top = _mm256_add_ps(top, _mm256_mul_ps(_mm256_permute_ps(a.top, 0xaa), b2));
    top = _mm256_add_ps(top, _mm256_blend_ps(none, a.top, 0x88));
    const __m128 c0 = _mm256_castps256_ps128(b0);
    const __m128 c1 = _mm256_castps256_ps128(b1);
    const __m128 c2 = _mm256_castps256_ps128(b2);
    __m128 bottom = _mm_mul_ps(_mm_permute_ps(a.bottom, 0x00), c0);
    bottom = _mm_add_ps(bottom, _mm_mul_ps(_mm_permute_ps(a.bottom, 0x55), c1));
    bottom = _mm_add_ps(bottom, _mm_mul_ps(_mm_permute_ps(a.bottom, 0xaa), c2));
    bottom = _mm_add_ps(bottom, _mm_blend_ps(_mm256_castps256_ps128(none), a.bottom, 0x8));
    return (md5_wide_mat34){top, bottom};
}

#endif
