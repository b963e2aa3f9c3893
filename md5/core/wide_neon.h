// Four floats in a register, on aarch64: see wide.h.
#ifndef MD5_CORE_WIDE_NEON_H
#define MD5_CORE_WIDE_NEON_H

#include <arm_neon.h>
#include <stddef.h>

#define MD5_WIDTH 4
#define MD5_WIDE_NAME(name) name##_neon
#define MD5_WIDE_NARROWER(name) name##_scalar
#define MD5_WIDE_REGISTERS 32
#define MD5_WIDE_CODE
#define MD5_WIDE_INLINE static MD5_ALWAYS_INLINE

typedef float32x4_t md5_wide;
typedef uint32x4_t md5_mask; // all bits of a true lane are set

MD5_WIDE_INLINE md5_wide md5_wide_all(float value)
{
    return vdupq_n_f32(value);
}

MD5_WIDE_INLINE md5_wide md5_wide_load(const float *from)
{
    return vld1q_f32(from);
}

MD5_WIDE_INLINE void md5_wide_store(float *to, md5_wide a)
{
    vst1q_f32(to, a);
}

MD5_WIDE_INLINE md5_wide md5_wide_add(md5_wide a, md5_wide b)
{
    return vaddq_f32(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_sub(md5_wide a, md5_wide b)
{
    return vsubq_f32(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_mul(md5_wide a, md5_wide b)
{
    return vmulq_f32(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_div(md5_wide a, md5_wide b)
{
    return vdivq_f32(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_sqrt(md5_wide a)
{
    return vsqrtq_f32(a);
}

MD5_WIDE_INLINE md5_mask md5_wide_less(md5_wide a, md5_wide b)
{
    return vcltq_f32(a, b);
}

MD5_WIDE_INLINE md5_mask md5_wide_greater(md5_wide a, md5_wide b)
{
    return vcgtq_f32(a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_smaller(md5_wide a, md5_wide b)
{
    return vbslq_f32(vcltq_f32(a, b), a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_larger(md5_wide a, md5_wide b)
{
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_keep(md5_mask mask, md5_wide a)
{
    return vreinterpretq_f32_u32(vandq_u32(mask, vreinterpretq_u32_f32(a)));
}

MD5_WIDE_INLINE md5_wide md5_wide_select(md5_mask mask, md5_wide a, md5_wide b)
{
    return vbslq_f32(mask, a, b);
}

MD5_WIDE_INLINE md5_wide md5_wide_flip(md5_mask mask, md5_wide a)
{
    const uint32x4_t sign = vandq_u32(mask, vdupq_n_u32(0x80000000u));
    return vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(a), sign));
}

MD5_WIDE_INLINE unsigned md5_wide_bits(md5_mask mask)
{
    const uint32x4_t bits = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(mask, bits));
}

MD5_WIDE_INLINE void md5_wide_load_rows(const float *const from[4], md5_wide rows[4])
{
    MD5_UNROLL
    for (int i = 0; i < 4; i++)
        rows[i] = vld1q_f32(from[i]);
}

MD5_WIDE_INLINE void md5_wide_load_run(const float *first, size_t step, md5_wide rows[4])
{
    MD5_UNROLL
    for (size_t i = 0; i < 4; i++)
        rows[i] = vld1q_f32(first + i * step);
}

MD5_WIDE_INLINE void md5_wide_store_rows(float *const to[4], const md5_wide rows[4])
{
    MD5_UNROLL
    for (int i = 0; i < 4; i++)
        vst1q_f32(to[i], rows[i]);
}

MD5_WIDE_INLINE void md5_wide_store_run(float *first, size_t step, const md5_wide rows[4])
{
    MD5_UNROLL
    for (size_t i = 0; i < 4; i++)
        vst1q_f32(first + i * step, rows[i]);
}

MD5_WIDE_INLINE void md5_wide_spread(md5_wide a, md5_wide rows[4])
{
    rows[0] = vdupq_laneq_f32(a, 0);
    rows[1] = vdupq_laneq_f32(a, 1);
    rows[2] = vdupq_laneq_f32(a, 2);
    rows[3] = vdupq_laneq_f32(a, 3);
}

MD5_WIDE_INLINE void md5_wide_cut(md5_wide rows[4])
{
    MD5_UNROLL
    for (int i = 0; i < 4; i++)
        rows[i] = vsetq_lane_f32(0.0f, rows[i], 3);
}

MD5_WIDE_INLINE void md5_wide_transpose(md5_wide rows[4])
{
    const float32x4x2_t ab = vtrnq_f32(rows[0], rows[1]);
    const float32x4x2_t cd = vtrnq_f32(rows[2], rows[3]);
    rows[0] = vcombine_f32(vget_low_f32(ab.val[0]), vget_low_f32(cd.val[0]));
    rows[1] = vcombine_f32(vget_low_f32(ab.val[1]), vget_low_f32(cd.val[1]));
    rows[2] = vcombine_f32(vget_high_f32(ab.val[0]), vget_high_f32(cd.val[0]));
    rows[3] = vcombine_f32(vget_high_f32(ab.val[1]), vget_high_f32(cd.val[1]));
}

MD5_WIDE_INLINE md5_wide md5_wide_sums(const md5_wide rows[4])
{
    const float32x4_t ab = vaddq_f32(vzip1q_f32(rows[0], rows[1]), vzip2q_f32(rows[0], rows[1]));
    const float32x4_t cd = vaddq_f32(vzip1q_f32(rows[2], rows[3]), vzip2q_f32(rows[2], rows[3]));
    return vaddq_f32(vcombine_f32(vget_low_f32(ab), vget_low_f32(cd)),
                     vcombine_f32(vget_high_f32(ab), vget_high_f32(cd)));
}

typedef struct md5_wide_mat34 {
    float32x4_t row[3];
} md5_wide_mat34;

MD5_WIDE_INLINE md5_wide_mat34 md5_wide_mat34_load(const float *m)
{
    return (md5_wide_mat34){{vld1q_f32(m), vld1q_f32(m + 4), vld1q_f32(m + 8)}};
}

MD5_WIDE_INLINE void md5_wide_mat34_store(float *m, md5_wide_mat34 a)
{
    vst1q_f32(m, a.row[0]);
    vst1q_f32(m + 4, a.row[1]);
    vst1q_f32(m + 8, a.row[2]);
}

// Adds the translation to the last column; adding -0 does not change any number.
MD5_WIDE_INLINE float32x4_t md5_wide_row_product(float32x4_t a, const float32x4_t b[3])
{
    float32x4_t sum = vmulq_laneq_f32(b[0], a, 0);
    sum = vaddq_f32(sum, vmulq_laneq_f32(b[1], a, 1));
    sum = vaddq_f32(sum, vmulq_laneq_f32(b[2], a, 2));
    return vaddq_f32(sum, vcopyq_laneq_f32(vdupq_n_f32(-0.0f), 3, a, 3));
}

#endif
