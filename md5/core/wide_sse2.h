// Four floats in a register: see wide.h.
#ifndef MD5_CORE_WIDE_SSE2_H
#define MD5_CORE_WIDE_SSE2_H

#include <emmintrin.h>
#include <stddef.h>

#define MD5_WIDTH 4
#define MD5_WIDE_NAME(name) name##_sse2
#define MD5_WIDE_NARROWER(name) name##_scalar
#define MD5_WIDE_REGISTERS 16
#define MD5_WIDE_CODE
#define MD5_WIDE_INLINE static MD5_ALWAYS_INLINE

typedef __m128 md5_wide;
typedef __m128 md5_mask; // all bits of a true lane are set

MD5_WIDE_INLINE md5_wide md5_wide_all(float value)
{
    return _mm_set1_ps(value);
}

MD5_WIDE_INLINE md5_wide md5_wide_load(const float *from)
{
    return _mm_loadu_ps(from);
}

MD5_WIDE_INLINE void md5_wide_store(float *to, md5_wide a)
{
    _mm_storeu_ps(to, a);
}

MD5_WIDE_INLINE md5_wide md5_wide_add(md5_wide a, md5_wide b)
{
    return _mm_add_ps(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_sub(md5_wide a, md5_wide b)
{
    return _mm_sub_ps(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_mul(md5_wide a, md5_wide b)
{
    return _mm_mul_ps(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_div(md5_wide a, md5_wide b)
{
    return _mm_div_ps(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_sqrt(md5_wide a)
{
    return _mm_sqrt_ps(a);
}

MD5_WIDE_INLINE md5_mask md5_wide_less(md5_wide a, md5_wide b)
{
    return _mm_cmplt_ps(a, b);
}

MD5_WIDE_INLINE md5_mask md5_wide_greater(md5_wide a, md5_wide b)
{
    return _mm_cmpgt_ps(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_smaller(md5_wide a, md5_wide b)
{
    return _mm_min_ps(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_larger(md5_wide a, md5_wide b)
{
    return _mm_max_ps(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_keep(md5_mask mask, md5_wide a)
{
    return _mm_and_ps(mask, a);
}

MD5_WIDE_INLINE md5_wide md5_wide_select(md5_mask mask, md5_wide a, md5_wide b)
{
    return _mm_or_ps(_mm_and_ps(mask, a), _mm_andnot_ps(mask, b));
}

MD5_WIDE_INLINE md5_wide md5_wide_flip(md5_mask mask, md5_wide a)
{
    return _mm_xor_ps(a, _mm_and_ps(mask, _mm_set1_ps(-0.0f)));
}

MD5_WIDE_INLINE unsigned md5_wide_bits(md5_mask mask)
{
    return (unsigned)_mm_movemask_ps(mask);
}

MD5_WIDE_INLINE void md5_wide_load_rows(const float *const from[4], md5_wide rows[4])
{
    MD5_UNROLL
    for (int i = 0; i < 4; i++)
        rows[i] = _mm_loadu_ps(from[i]);
}

MD5_WIDE_INLINE void md5_wide_load_run(const float *first, size_t step, md5_wide rows[4])
{
    MD5_UNROLL
    for (size_t i = 0; i < 4; i++)
        rows[i] = _mm_loadu_ps(first + i * step);
}

MD5_WIDE_INLINE void md5_wide_store_rows(float *const to[4], const md5_wide rows[4])
{
    MD5_UNROLL
    for (int i = 0; i < 4; i++)
        _mm_storeu_ps(to[i], rows[i]);
}

MD5_WIDE_INLINE void md5_wide_store_run(float *first, size_t step, const md5_wide rows[4])
{
    MD5_UNROLL
    for (size_t i = 0; i < 4; i++)
        _mm_storeu_ps(first + i * step, rows[i]);
}

MD5_WIDE_INLINE void md5_wide_spread(md5_wide a, md5_wide rows[4])
{
    rows[0] = _mm_shuffle_ps(a, a, 0x00);
    rows[1] = _mm_shuffle_ps(a, a, 0x55);
    rows[2] = _mm_shuffle_ps(a, a, 0xaa);
    rows[3] = _mm_shuffle_ps(a, a, 0xff);
}

MD5_WIDE_INLINE void md5_wide_cut(md5_wide rows[4])
{
    const __m128 first = _mm_castsi128_ps(_mm_set_epi32(0, -1, -1, -1));
    MD5_UNROLL
    for (int i = 0; i < 4; i++)
        rows[i] = _mm_and_ps(rows[i], first);
}

MD5_WIDE_INLINE void md5_wide_transpose(md5_wide rows[4])
{
    _MM_TRANSPOSE4_PS(rows[0], rows[1], rows[2], rows[3]);
}

MD5_WIDE_INLINE md5_wide md5_wide_sums(const md5_wide rows[4])
{
    const __m128 ab =
        _mm_add_ps(_mm_unpacklo_ps(rows[0], rows[1]), _mm_unpackhi_ps(rows[0], rows[1]));
    const __m128 cd =
        _mm_add_ps(_mm_unpacklo_ps(rows[2], rows[3]), _mm_unpackhi_ps(rows[2], rows[3]));
    return _mm_add_ps(_mm_shuffle_ps(ab, cd, _MM_SHUFFLE(1, 0, 1, 0)),
                      _mm_shuffle_ps(ab, cd, _MM_SHUFFLE(3, 2, 3, 2)));
}

typedef struct md5_wide_mat34 {
    __m128 row[3];
} md5_wide_mat34;

MD5_WIDE_INLINE md5_wide_mat34 md5_wide_mat34_load(const float *m)
{
    return (md5_wide_mat34){{_mm_loadu_ps(m), _mm_loadu_ps(m + 4), _mm_loadu_ps(m + 8)}};
}

MD5_WIDE_INLINE void md5_wide_mat34_store(float *m, md5_wide_mat34 a)
{
    _mm_storeu_ps(m, a.row[0]);
    _mm_storeu_ps(m + 4, a.row[1]);
    _mm_storeu_ps(m + 8, a.row[2]);
}

// Adds the translation to the last column; adding -0 does not change any number.
MD5_WIDE_INLINE __m128 md5_wide_row_product(__m128 a, const __m128 b[3])
{
    const __m128 last = _mm_castsi128_ps(_mm_set_epi32(-1, 0, 0, 0));
    __m128 sum = _mm_mul_ps(_mm_shuffle_ps(a, a, 0x00), b[0]);
    sum = _mm_add_ps(sum, _mm_mul_ps(_mm_shuffle_ps(a, a, 0x55), b[1]));
    sum = _mm_add_ps(sum, _mm_mul_ps(_mm_shuffle_ps(a, a, 0xaa), b[2]));
    return _mm_add_ps(sum, md5_wide_select(last, a, _mm_set1_ps(-0.0f)));
}

#endif
