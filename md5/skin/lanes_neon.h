// Loads and stores for skinning with NEON, in addition to md5/core/wide.h.
#ifndef MD5_SKIN_LANES_NEON_H
#define MD5_SKIN_LANES_NEON_H

#include "md5/core/wide.h"
#include "md5/md5model.h"

MD5_WIDE_INLINE bool is_all_true(md5_mask mask)
{
    return vminvq_u32(mask) != 0;
}

MD5_WIDE_INLINE lanes3 load_points(const md5_vec3 *points)
{
    const float32x4x3_t v = vld3q_f32(&points->x);
    return (lanes3){v.val[0], v.val[1], v.val[2]};
}

MD5_WIDE_INLINE void store_points(md5_vec3 *points, lanes3 v)
{
    vst3q_f32(&points->x, (float32x4x3_t){{v.x, v.y, v.z}});
}

// Loads four points. Point i is at from + at[i] * size. Reads exactly twelve bytes of each point.
MD5_WIDE_INLINE lanes3 load_points_at(const float *from, const uint32_t *at, uint32_t size)
{
    float32x4x3_t v = {{vdupq_n_f32(0.0f), vdupq_n_f32(0.0f), vdupq_n_f32(0.0f)}};
    v = vld3q_lane_f32(from + at[0] * size, v, 0);
    v = vld3q_lane_f32(from + at[1] * size, v, 1);
    v = vld3q_lane_f32(from + at[2] * size, v, 2);
    v = vld3q_lane_f32(from + at[3] * size, v, 3);
    return (lanes3){v.val[0], v.val[1], v.val[2]};
}

// Loads a point, and 1 in the last lane.
MD5_WIDE_INLINE md5_wide load_point_and_one(const float *point)
{
    return vcombine_f32(vld1_f32(point), vld1_lane_f32(point + 2, vdup_n_f32(1.0f), 0));
}

// Stores the first three lanes as a point.
MD5_WIDE_INLINE void store_point(float *point, md5_wide a)
{
    vst1_f32(point, vget_low_f32(a));
    vst1q_lane_f32(point + 2, a, 2);
}

// Loads four points. Point i is at from + at[i]. With NEON, `at` need not ascend.
MD5_WIDE_INLINE lanes3 load_points_ascending(const float *from, const uint32_t *at)
{
    return load_points_at(from, at, 1);
}

// The entries of a matrix row, in one register. A product with one of the entries is a single
// instruction. In spread_entry(), `i` is a constant after inlining.
typedef float32x4_t entry_row;

MD5_WIDE_INLINE entry_row load_entries(const float *row)
{
    return vld1q_f32(row);
}

// Returns entry `i` of a row in all lanes. `i` is a constant after inlining.
MD5_WIDE_INLINE md5_wide spread_entry(entry_row row, int i)
{
    switch (i) {
    case 0:
        return vdupq_laneq_f32(row, 0);
    case 1:
        return vdupq_laneq_f32(row, 1);
    case 2:
        return vdupq_laneq_f32(row, 2);
    default:
        return vdupq_laneq_f32(row, 3);
    }
}

// Stores the points of four lanes. Point i becomes element at[i] of an array with elements of
// `size` floats.
MD5_WIDE_INLINE void store_points_at(float *to, const uint32_t *at, uint32_t size, lanes3 a)
{
    const float32x4x3_t v = {{a.x, a.y, a.z}};
    vst3q_lane_f32(to + at[0] * size, v, 0);
    vst3q_lane_f32(to + at[1] * size, v, 1);
    vst3q_lane_f32(to + at[2] * size, v, 2);
    vst3q_lane_f32(to + at[3] * size, v, 3);
}

// Adds neighboring lanes: a0 + a1, a2 + a3, b0 + b1, b2 + b3.
MD5_WIDE_INLINE md5_wide add_neighbors(md5_wide a, md5_wide b)
{
    return vpaddq_f32(a, b);
}

#endif
