// Four floats in a register: see wide.h.
#ifndef MD5_CORE_WIDE_SSE2_H
#define MD5_CORE_WIDE_SSE2_H

#include <emmintrin.h>
#include <stddef.h>

#define MD5_WIDTH 4
#define MD5_WIDE_NAME(name) name##_sse2
#define MD5_WIDE_NARROWER(name) name##_scalar
#define MD5_WIDE_REGISTERS 16
#if defined(__wasm__) // the same intrinsics, but all registers are of one kind
#define MD5_WIDE_KIND "r"
#else
#define MD5_WIDE_KIND "x"
#endif
#define MD5_WIDE_CODE
#define MD5_WIDE_INLINE static MD5_ALWAYS_INLINE

typedef __m128 md5_wide;
typedef __m128 md5_mask; // all bits of a true lane are set

#define md5_wide_set1 _mm_set1_ps
#define md5_wide_load _mm_loadu_ps
#define md5_wide_store _mm_storeu_ps
#define md5_wide_add _mm_add_ps
#define md5_wide_sub _mm_sub_ps
#define md5_wide_mul _mm_mul_ps
#define md5_wide_div _mm_div_ps
#define md5_wide_sqrt _mm_sqrt_ps
#define md5_wide_less _mm_cmplt_ps
#define md5_wide_greater _mm_cmpgt_ps
#define md5_wide_mask _mm_and_ps
#define md5_wide_min _mm_min_ps
#define md5_wide_max _mm_max_ps
#define md5_wide_select(mask, a, b) _mm_or_ps(_mm_and_ps(mask, a), _mm_andnot_ps(mask, b))
#define md5_wide_negate_if(mask, a) _mm_xor_ps(a, _mm_and_ps(mask, _mm_set1_ps(-0.0f)))
#define md5_wide_unpack_low _mm_unpacklo_ps
#define md5_wide_unpack_high _mm_unpackhi_ps
#define md5_wide_low_halves(a, b) _mm_shuffle_ps(a, b, _MM_SHUFFLE(1, 0, 1, 0))
#define md5_wide_high_halves(a, b) _mm_shuffle_ps(a, b, _MM_SHUFFLE(3, 2, 3, 2))
#define md5_wide_broadcast(a, i) _mm_shuffle_ps(a, a, 0x55 * (i))

MD5_WIDE_INLINE unsigned md5_wide_bits(md5_mask mask)
{
    return (unsigned)_mm_movemask_ps(mask);
}

// Sets the last lane to 0.
MD5_WIDE_INLINE void md5_wide_clear_w(md5_wide rows[4])
{
    const __m128 first = _mm_castsi128_ps(_mm_set_epi32(0, -1, -1, -1));
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++)
        rows[i] = _mm_and_ps(rows[i], first);
}

// Returns one row of a matrix product: row `a` times the rows b[3]. The translation in `a` is added
// to the last column; adding -0 to the other columns does not change any number.
MD5_WIDE_INLINE __m128 md5_wide_row_product(__m128 a, const __m128 b[3])
{
    const __m128 last = _mm_castsi128_ps(_mm_set_epi32(-1, 0, 0, 0));
    __m128 sum = _mm_mul_ps(md5_wide_broadcast(a, 0), b[0]);
    sum = _mm_add_ps(sum, _mm_mul_ps(md5_wide_broadcast(a, 1), b[1]));
    sum = _mm_add_ps(sum, _mm_mul_ps(md5_wide_broadcast(a, 2), b[2]));
    return _mm_add_ps(sum, md5_wide_select(last, a, _mm_set1_ps(-0.0f)));
}

#endif
