// Four floats in a register, on aarch64: see wide.h.
#ifndef MD5_CORE_WIDE_NEON_H
#define MD5_CORE_WIDE_NEON_H

#include <arm_neon.h>
#include <stddef.h>

#define MD5_WIDTH 4
#define MD5_WIDE_NAME(name) name##_neon
#define MD5_WIDE_NARROWER(name) name##_scalar
#define MD5_WIDE_REGISTERS 32
#define MD5_WIDE_KIND "w"
#define MD5_WIDE_CODE
#define MD5_WIDE_INLINE static MD5_ALWAYS_INLINE

typedef float32x4_t md5_wide;
typedef uint32x4_t md5_mask; // all bits of a true lane are set

#define md5_wide_set1 vdupq_n_f32
#define md5_wide_load vld1q_f32
#define md5_wide_store vst1q_f32
#define md5_wide_add vaddq_f32
#define md5_wide_sub vsubq_f32
#define md5_wide_mul vmulq_f32
#define md5_wide_div vdivq_f32
#define md5_wide_sqrt vsqrtq_f32
#define md5_wide_less vcltq_f32
#define md5_wide_greater vcgtq_f32
#define md5_wide_mask(mask, a) vbslq_f32(mask, a, vdupq_n_f32(0.0f))
#define md5_wide_min(a, b) vbslq_f32(vcltq_f32(a, b), a, b)
#define md5_wide_max(a, b) vbslq_f32(vcgtq_f32(a, b), a, b)
#define md5_wide_select vbslq_f32
#define md5_wide_negate_if(mask, a) vbslq_f32(mask, vnegq_f32(a), a)
#define md5_wide_unpack_low vzip1q_f32
#define md5_wide_unpack_high vzip2q_f32
#define md5_wide_low_halves(a, b) vcombine_f32(vget_low_f32(a), vget_low_f32(b))
#define md5_wide_high_halves(a, b) vcombine_f32(vget_high_f32(a), vget_high_f32(b))
#define md5_wide_broadcast vdupq_laneq_f32

MD5_WIDE_INLINE unsigned md5_wide_bits(md5_mask mask)
{
    const uint32x4_t bits = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(mask, bits));
}

// Sets the last lane to 0.
MD5_WIDE_INLINE void md5_wide_clear_w(md5_wide rows[4])
{
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++)
        rows[i] = vsetq_lane_f32(0.0f, rows[i], 3);
}

// Returns one row of a matrix product: row `a` times the rows b[3]. The translation in `a` is added
// to the last column; adding -0 to the other columns does not change any number.
MD5_WIDE_INLINE float32x4_t md5_wide_row_product(float32x4_t a, const float32x4_t b[3])
{
    float32x4_t sum = vmulq_laneq_f32(b[0], a, 0);
    sum = vaddq_f32(sum, vmulq_laneq_f32(b[1], a, 1));
    sum = vaddq_f32(sum, vmulq_laneq_f32(b[2], a, 2));
    return vaddq_f32(sum, vcopyq_laneq_f32(vdupq_n_f32(-0.0f), 3, a, 3));
}

#endif
