// Eight floats in a register: see wide.h.
#ifndef MD5_CORE_WIDE_AVX2_H
#define MD5_CORE_WIDE_AVX2_H

#include <immintrin.h>
#include <stddef.h>

#define MD5_WIDTH 8
#define MD5_WIDE_NAME(name) name##_avx2
#define MD5_WIDE_NARROWER(name) name##_sse2
#define MD5_WIDE_REGISTERS 16
#define MD5_WIDE_KIND "x"
#define MD5_WIDE_CODE MD5_TARGET("avx2")
#define MD5_WIDE_INLINE MD5_WIDE_CODE static MD5_ALWAYS_INLINE

typedef __m256 md5_wide;
typedef __m256 md5_mask; // all bits of a true lane are set

#define md5_wide_set1 _mm256_set1_ps
#define md5_wide_load _mm256_loadu_ps
#define md5_wide_store _mm256_storeu_ps
#define md5_wide_add _mm256_add_ps
#define md5_wide_sub _mm256_sub_ps
#define md5_wide_mul _mm256_mul_ps
#define md5_wide_div _mm256_div_ps
#define md5_wide_sqrt _mm256_sqrt_ps
#define md5_wide_less(a, b) _mm256_cmp_ps(a, b, _CMP_LT_OQ)
#define md5_wide_greater(a, b) _mm256_cmp_ps(a, b, _CMP_GT_OQ)
#define md5_wide_mask _mm256_and_ps
#define md5_wide_min _mm256_min_ps
#define md5_wide_max _mm256_max_ps
#define md5_wide_select(mask, a, b) _mm256_blendv_ps(b, a, mask)
#define md5_wide_negate_if(mask, a) _mm256_xor_ps(a, _mm256_and_ps(mask, _mm256_set1_ps(-0.0f)))
#define md5_wide_unpack_low _mm256_unpacklo_ps
#define md5_wide_unpack_high _mm256_unpackhi_ps
#define md5_wide_low_halves(a, b) _mm256_shuffle_ps(a, b, _MM_SHUFFLE(1, 0, 1, 0))
#define md5_wide_high_halves(a, b) _mm256_shuffle_ps(a, b, _MM_SHUFFLE(3, 2, 3, 2))
#define md5_wide_broadcast(a, i) _mm256_permute_ps(a, 0x55 * (i))

MD5_WIDE_INLINE unsigned md5_wide_bits(md5_mask mask)
{
    return (unsigned)_mm256_movemask_ps(mask);
}

// Loads four floats to the lower half of a register, and four floats to the upper half.
MD5_WIDE_INLINE md5_wide md5_wide_pair(const float *low, const float *high)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}

// Loads four floats from each of eight addresses. The lower half of rows[i] receives the floats of
// from[i], the upper half the floats of from[i + 4].
MD5_WIDE_INLINE void md5_wide_load_rows(const float *const from[8], md5_wide rows[4])
{
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++)
        rows[i] = md5_wide_pair(from[i], from[i + 4]);
}

// Stores four floats to each of eight addresses: the lower half of rows[i] to to[i], the upper half
// to to[i + 4].
MD5_WIDE_INLINE void md5_wide_store_rows(float *const to[8], const md5_wide rows[4])
{
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++) {
        _mm_storeu_ps(to[i], _mm256_castps256_ps128(rows[i]));
        _mm_storeu_ps(to[i + 4], _mm256_extractf128_ps(rows[i], 1));
    }
}

// Sets the last of each four lanes to 0.
MD5_WIDE_INLINE void md5_wide_clear_w(md5_wide rows[4])
{
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++)
        rows[i] = _mm256_blend_ps(rows[i], _mm256_setzero_ps(), 0x88);
}

// The first two rows of a matrix in one register, and the third row in another.
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

// Returns the product of the matrices `a` and `m`, two rows at a time. The translation of `a` is
// added to the last column; adding -0 to the other columns does not change any number. The row
// computed after the third row is not used.
MD5_WIDE_INLINE md5_wide_mat34 md5_wide_mat34_product(md5_wide_mat34 a, const float *m)
{
    const __m256 b0 = _mm256_broadcast_ps((const __m128 *)m);
    const __m256 b1 = _mm256_broadcast_ps((const __m128 *)(m + 4));
    const __m256 b2 = _mm256_broadcast_ps((const __m128 *)(m + 8));
    __m256 halves[2] = {a.top, _mm256_castps128_ps256(a.bottom)};
    MD5_UNROLL
    for (uint32_t i = 0; i < 2; i++) {
        const __m256 rows = halves[i];
        __m256 sum = _mm256_mul_ps(md5_wide_broadcast(rows, 0), b0);
        sum = _mm256_add_ps(sum, _mm256_mul_ps(md5_wide_broadcast(rows, 1), b1));
        sum = _mm256_add_ps(sum, _mm256_mul_ps(md5_wide_broadcast(rows, 2), b2));
        halves[i] = _mm256_add_ps(sum, _mm256_blend_ps(_mm256_set1_ps(-0.0f), rows, 0x88));
    }
    return (md5_wide_mat34){halves[0], _mm256_castps256_ps128(halves[1])};
}

#endif
