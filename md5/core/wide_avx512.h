// Sixteen floats in a register: see wide.h.
#ifndef MD5_CORE_WIDE_AVX512_H
#define MD5_CORE_WIDE_AVX512_H

#include <immintrin.h>
#include <stddef.h>

#define MD5_WIDTH 16
#define MD5_WIDE_NAME(name) name##_avx512
#define MD5_WIDE_NARROWER(name) name##_avx2
#define MD5_WIDE_REGISTERS 32
#define MD5_WIDE_KIND "v"
#define MD5_WIDE_CODE MD5_TARGET("avx512f,avx512dq,avx512vl")
#define MD5_WIDE_INLINE MD5_WIDE_CODE static MD5_ALWAYS_INLINE

typedef __m512 md5_wide;
typedef __mmask16 md5_mask;

#define md5_wide_set1 _mm512_set1_ps
#define md5_wide_load _mm512_loadu_ps
#define md5_wide_store _mm512_storeu_ps
#define md5_wide_add _mm512_add_ps
#define md5_wide_sub _mm512_sub_ps
#define md5_wide_mul _mm512_mul_ps
#define md5_wide_div _mm512_div_ps
#define md5_wide_sqrt _mm512_sqrt_ps
#define md5_wide_less(a, b) _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ)
#define md5_wide_greater(a, b) _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ)
#define md5_wide_mask _mm512_maskz_mov_ps
#define md5_wide_min _mm512_min_ps
#define md5_wide_max _mm512_max_ps
#define md5_wide_select(mask, a, b) _mm512_mask_mov_ps(b, mask, a)
#define md5_wide_negate_if(mask, a) _mm512_mask_xor_ps(a, mask, a, _mm512_set1_ps(-0.0f))
#define md5_wide_unpack_low _mm512_unpacklo_ps
#define md5_wide_unpack_high _mm512_unpackhi_ps
#define md5_wide_low_halves(a, b) _mm512_shuffle_ps(a, b, _MM_SHUFFLE(1, 0, 1, 0))
#define md5_wide_high_halves(a, b) _mm512_shuffle_ps(a, b, _MM_SHUFFLE(3, 2, 3, 2))
#define md5_wide_broadcast(a, i) _mm512_permute_ps(a, 0x55 * (i))

MD5_WIDE_INLINE unsigned md5_wide_bits(md5_mask mask)
{
    return mask;
}

// Loads four floats from each of 16 addresses. Register rows[i] receives the four floats of
// from[i], from[i + 4], from[i + 8] and from[i + 12].
MD5_WIDE_INLINE void md5_wide_load_rows(const float *const from[16], md5_wide rows[4])
{
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++) {
        rows[i] = _mm512_castps128_ps512(_mm_loadu_ps(from[i]));
        rows[i] = _mm512_insertf32x4(rows[i], _mm_loadu_ps(from[i + 4]), 1);
        rows[i] = _mm512_insertf32x4(rows[i], _mm_loadu_ps(from[i + 8]), 2);
        rows[i] = _mm512_insertf32x4(rows[i], _mm_loadu_ps(from[i + 12]), 3);
    }
}

// Stores four floats to each of 16 addresses, in the order of md5_wide_load_rows().
MD5_WIDE_INLINE void md5_wide_store_rows(float *const to[16], const md5_wide rows[4])
{
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++) {
        _mm_storeu_ps(to[i], _mm512_castps512_ps128(rows[i]));
        _mm_storeu_ps(to[i + 4], _mm512_extractf32x4_ps(rows[i], 1));
        _mm_storeu_ps(to[i + 8], _mm512_extractf32x4_ps(rows[i], 2));
        _mm_storeu_ps(to[i + 12], _mm512_extractf32x4_ps(rows[i], 3));
    }
}

// Sets the last of each four lanes to 0.
MD5_WIDE_INLINE void md5_wide_clear_w(md5_wide rows[4])
{
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++)
        rows[i] = _mm512_maskz_mov_ps(0x7777, rows[i]);
}

// All three rows of a matrix in one register. Its last four lanes are not used.
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

// Returns the product of the matrices `a` and `m`, with all rows at once. The translation of `a` is
// added to the last column; adding -0 to the other columns does not change any number.
MD5_WIDE_INLINE md5_wide_mat34 md5_wide_mat34_product(md5_wide_mat34 a, const float *m)
{
    const __m512 b0 = _mm512_broadcast_f32x4(_mm_loadu_ps(m));
    const __m512 b1 = _mm512_broadcast_f32x4(_mm_loadu_ps(m + 4));
    const __m512 b2 = _mm512_broadcast_f32x4(_mm_loadu_ps(m + 8));
    __m512 sum = _mm512_mul_ps(md5_wide_broadcast(a, 0), b0);
    sum = _mm512_add_ps(sum, _mm512_mul_ps(md5_wide_broadcast(a, 1), b1));
    sum = _mm512_add_ps(sum, _mm512_mul_ps(md5_wide_broadcast(a, 2), b2));
    const __mmask16 last_of_rows = 0x8888;
    return _mm512_add_ps(sum, _mm512_mask_mov_ps(_mm512_set1_ps(-0.0f), last_of_rows, a));
}

#endif
