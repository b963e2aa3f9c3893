// Sixteen floats in a register: see wide.h.
#ifndef MD5_CORE_WIDE_AVX512_H
#define MD5_CORE_WIDE_AVX512_H

#include <immintrin.h>
#include <stddef.h>

#define MD5_WIDTH 16
#define MD5_WIDE_NAME(name) name##_avx512
#define MD5_WIDE_NARROWER(name) name##_avx2
#define MD5_WIDE_REGISTERS 32
#define MD5_WIDE_CODE MD5_TARGET("avx512f,avx512dq,avx512vl")
#define MD5_WIDE_INLINE MD5_WIDE_CODE static MD5_ALWAYS_INLINE

typedef __m512 md5_wide;
typedef __mmask16 md5_mask;

MD5_WIDE_INLINE md5_wide md5_wide_all(float value)
{
    return _mm512_set1_ps(value);
}

MD5_WIDE_INLINE md5_wide md5_wide_load(const float *from)
{
    return _mm512_loadu_ps(from);
}

// Keeps compilers from loading it again for every use: loads are the bottleneck here.
MD5_WIDE_INLINE void md5_wide_keep_loaded(md5_wide *a)
{
    MD5_KEEP_LOADED("v", *a);
}

MD5_WIDE_INLINE void md5_wide_store(float *to, md5_wide a)
{
    _mm512_storeu_ps(to, a);
}

MD5_WIDE_INLINE md5_wide md5_wide_add(md5_wide a, md5_wide b)
{
    return _mm512_add_ps(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_sub(md5_wide a, md5_wide b)
{
    return _mm512_sub_ps(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_mul(md5_wide a, md5_wide b)
{
    return _mm512_mul_ps(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_div(md5_wide a, md5_wide b)
{
    return _mm512_div_ps(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_sqrt(md5_wide a)
{
    return _mm512_sqrt_ps(a);
}

MD5_WIDE_INLINE md5_mask md5_wide_less(md5_wide a, md5_wide b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}

MD5_WIDE_INLINE md5_mask md5_wide_greater(md5_wide a, md5_wide b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ);
}

MD5_WIDE_INLINE md5_wide md5_wide_smaller(md5_wide a, md5_wide b)
{
    return _mm512_min_ps(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_larger(md5_wide a, md5_wide b)
{
    return _mm512_max_ps(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_keep(md5_mask mask, md5_wide a)
{
    return _mm512_maskz_mov_ps(mask, a);
}

MD5_WIDE_INLINE md5_wide md5_wide_select(md5_mask mask, md5_wide a, md5_wide b)
{
    return _mm512_mask_mov_ps(b, mask, a);
}

MD5_WIDE_INLINE md5_wide md5_wide_flip(md5_mask mask, md5_wide a)
{
    return _mm512_mask_xor_ps(a, mask, a, _mm512_set1_ps(-0.0f));
}

MD5_WIDE_INLINE unsigned md5_wide_bits(md5_mask mask)
{
    return mask;
}

MD5_WIDE_INLINE md5_wide md5_wide_four(const float *a, const float *b, const float *c,
                                       const float *d)
{
    __m512 rows = _mm512_castps128_ps512(_mm_loadu_ps(a));
    rows = _mm512_insertf32x4(rows, _mm_loadu_ps(b), 1);
    rows = _mm512_insertf32x4(rows, _mm_loadu_ps(c), 2);
    return _mm512_insertf32x4(rows, _mm_loadu_ps(d), 3);
}

MD5_WIDE_INLINE void md5_wide_load_rows(const float *const from[16], md5_wide rows[4])
{
    rows[0] = md5_wide_four(from[0], from[4], from[8], from[12]);
    rows[1] = md5_wide_four(from[1], from[5], from[9], from[13]);
    rows[2] = md5_wide_four(from[2], from[6], from[10], from[14]);
    rows[3] = md5_wide_four(from[3], from[7], from[11], from[15]);
}

MD5_WIDE_INLINE void md5_wide_load_run(const float *first, size_t step, md5_wide rows[4])
{
    const float *const a = first, *const b = a + step, *const c = b + step, *const d = c + step;
    rows[0] = md5_wide_four(a, a + 4 * step, a + 8 * step, a + 12 * step);
    rows[1] = md5_wide_four(b, b + 4 * step, b + 8 * step, b + 12 * step);
    rows[2] = md5_wide_four(c, c + 4 * step, c + 8 * step, c + 12 * step);
    rows[3] = md5_wide_four(d, d + 4 * step, d + 8 * step, d + 12 * step);
}

MD5_WIDE_INLINE void md5_wide_split(float *a, float *b, float *c, float *d, md5_wide rows)
{
    _mm_storeu_ps(a, _mm512_castps512_ps128(rows));
    _mm_storeu_ps(b, _mm512_extractf32x4_ps(rows, 1));
    _mm_storeu_ps(c, _mm512_extractf32x4_ps(rows, 2));
    _mm_storeu_ps(d, _mm512_extractf32x4_ps(rows, 3));
}

MD5_WIDE_INLINE void md5_wide_store_rows(float *const to[16], const md5_wide rows[4])
{
    md5_wide_split(to[0], to[4], to[8], to[12], rows[0]);
    md5_wide_split(to[1], to[5], to[9], to[13], rows[1]);
    md5_wide_split(to[2], to[6], to[10], to[14], rows[2]);
    md5_wide_split(to[3], to[7], to[11], to[15], rows[3]);
}

MD5_WIDE_INLINE void md5_wide_store_run(float *first, size_t step, const md5_wide rows[4])
{
    float *const a = first, *const b = a + step, *const c = b + step, *const d = c + step;
    md5_wide_split(a, a + 4 * step, a + 8 * step, a + 12 * step, rows[0]);
    md5_wide_split(b, b + 4 * step, b + 8 * step, b + 12 * step, rows[1]);
    md5_wide_split(c, c + 4 * step, c + 8 * step, c + 12 * step, rows[2]);
    md5_wide_split(d, d + 4 * step, d + 8 * step, d + 12 * step, rows[3]);
}

MD5_WIDE_INLINE void md5_wide_spread(md5_wide a, md5_wide rows[4])
{
    rows[0] = _mm512_permute_ps(a, 0x00);
    rows[1] = _mm512_permute_ps(a, 0x55);
    rows[2] = _mm512_permute_ps(a, 0xaa);
    rows[3] = _mm512_permute_ps(a, 0xff);
}

MD5_WIDE_INLINE void md5_wide_cut(md5_wide rows[4])
{
    MD5_UNROLL
    for (int i = 0; i < 4; i++)
        rows[i] = _mm512_maskz_mov_ps(0x7777, rows[i]);
}

MD5_WIDE_INLINE void md5_wide_transpose(md5_wide rows[4])
{
    const __m512 ab_low = _mm512_unpacklo_ps(rows[0], rows[1]);
    const __m512 ab_high = _mm512_unpackhi_ps(rows[0], rows[1]);
    const __m512 cd_low = _mm512_unpacklo_ps(rows[2], rows[3]);
    const __m512 cd_high = _mm512_unpackhi_ps(rows[2], rows[3]);
    rows[0] = _mm512_shuffle_ps(ab_low, cd_low, _MM_SHUFFLE(1, 0, 1, 0));
    rows[1] = _mm512_shuffle_ps(ab_low, cd_low, _MM_SHUFFLE(3, 2, 3, 2));
    rows[2] = _mm512_shuffle_ps(ab_high, cd_high, _MM_SHUFFLE(1, 0, 1, 0));
    rows[3] = _mm512_shuffle_ps(ab_high, cd_high, _MM_SHUFFLE(3, 2, 3, 2));
}

MD5_WIDE_INLINE md5_wide md5_wide_sums(const md5_wide rows[4])
{
    const __m512 ab =
        _mm512_add_ps(_mm512_unpacklo_ps(rows[0], rows[1]), _mm512_unpackhi_ps(rows[0], rows[1]));
    const __m512 cd =
        _mm512_add_ps(_mm512_unpacklo_ps(rows[2], rows[3]), _mm512_unpackhi_ps(rows[2], rows[3]));
    return _mm512_add_ps(_mm512_shuffle_ps(ab, cd, _MM_SHUFFLE(1, 0, 1, 0)),
                         _mm512_shuffle_ps(ab, cd, _MM_SHUFFLE(3, 2, 3, 2)));
}

// All three rows in one register.
typedef __m512 md5_wide_mat34;

MD5_WIDE_INLINE md5_wide_mat34 md5_wide_mat34_load(const float *m)
{
    return _mm512_insertf32x4(_mm512_castps256_ps512(_mm256_loadu_ps(m)), _mm_loadu_ps(m + 8), 2);
}

MD5_WIDE_INLINE void md5_wide_mat34_store(float *m, md5_wide_mat34 a)
{
    _mm256_storeu_ps(m, _mm512_castps512_ps256(a));
    _mm_storeu_ps(m + 8, _mm512_extractf32x4_ps(a, 2));
}

// Adds the translation to the last column; adding -0 does not change any number.
MD5_WIDE_INLINE md5_wide_mat34 md5_wide_mat34_product(md5_wide_mat34 a, const float *m)
{
    const __m512 b0 = _mm512_broadcast_f32x4(_mm_loadu_ps(m));
    const __m512 b1 = _mm512_broadcast_f32x4(_mm_loadu_ps(m + 4));
    const __m512 b2 = _mm512_broadcast_f32x4(_mm_loadu_ps(m + 8));
    __m512 sum = _mm512_mul_ps(_mm512_permute_ps(a, 0x00), b0);
    sum = _mm512_add_ps(sum, _mm512_mul_ps(_mm512_permute_ps(a, 0x55), b1));
    sum = _mm512_add_ps(sum, _mm512_mul_ps(_mm512_permute_ps(a, 0xaa), b2));
    return _mm512_add_ps(sum, _mm512_mask_mov_ps(_mm512_set1_ps(-0.0f), 0x8888, a));
}

#endif
