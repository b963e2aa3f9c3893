// What skinning needs besides md5/core/wide.h, for NEON: see skin_wide.h.
#ifndef MD5_SKIN_LANES_NEON_H
#define MD5_SKIN_LANES_NEON_H

#include "md5/core/wide.h"
#include "md5/md5model.h"

// One matrix as it lies in the palette.
typedef md5_wide_mat34 matrix_rows;

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

MD5_WIDE_INLINE lanes3 load_points_at(const md5_vec3 *points, const uint32_t *at)
{
    float32x4x3_t v = {{vdupq_n_f32(0.0f), vdupq_n_f32(0.0f), vdupq_n_f32(0.0f)}};
    v = vld3q_lane_f32(&points[at[0]].x, v, 0);
    v = vld3q_lane_f32(&points[at[1]].x, v, 1);
    v = vld3q_lane_f32(&points[at[2]].x, v, 2);
    v = vld3q_lane_f32(&points[at[3]].x, v, 3);
    return (lanes3){v.val[0], v.val[1], v.val[2]};
}

MD5_WIDE_INLINE void store_points_at(md5_vec3 *points, const uint32_t *at, lanes3 a)
{
    const float32x4x3_t v = {{a.x, a.y, a.z}};
    vst3q_lane_f32(&points[at[0]].x, v, 0);
    vst3q_lane_f32(&points[at[1]].x, v, 1);
    vst3q_lane_f32(&points[at[2]].x, v, 2);
    vst3q_lane_f32(&points[at[3]].x, v, 3);
}

MD5_WIDE_INLINE matrix_rows scale_matrix(const float *m, const float *factor)
{
    const md5_wide all = vld1q_dup_f32(factor);
    return (matrix_rows){{vmulq_f32(vld1q_f32(m), all), vmulq_f32(vld1q_f32(m + 4), all),
                          vmulq_f32(vld1q_f32(m + 8), all)}};
}

MD5_WIDE_INLINE matrix_rows multiply_rows(const float *m, const md5_vec4 *q)
{
    const md5_wide row = vld1q_f32(&q->x);
    return (matrix_rows){{vmulq_f32(vld1q_f32(m), row), vmulq_f32(vld1q_f32(m + 4), row),
                          vmulq_f32(vld1q_f32(m + 8), row)}};
}

MD5_WIDE_INLINE matrix_rows add_matrices(matrix_rows a, matrix_rows b)
{
    return (matrix_rows){{vaddq_f32(a.row[0], b.row[0]), vaddq_f32(a.row[1], b.row[1]),
                          vaddq_f32(a.row[2], b.row[2])}};
}

MD5_WIDE_INLINE void matrices_to_lanes(const matrix_rows m[4], md5_wide entries[3][4])
{
    MD5_UNROLL
    for (int row = 0; row < 3; row++) {
        entries[row][0] = m[0].row[row];
        entries[row][1] = m[1].row[row];
        entries[row][2] = m[2].row[row];
        entries[row][3] = m[3].row[row];
        md5_wide_transpose(entries[row]);
    }
}

// vpaddq_f32(a, b) is a0 + a1, a2 + a3, b0 + b1, b2 + b3.
MD5_WIDE_INLINE md5_wide sum_row(const matrix_rows m[4], int row)
{
    return vpaddq_f32(vpaddq_f32(m[0].row[row], m[1].row[row]),
                      vpaddq_f32(m[2].row[row], m[3].row[row]));
}

// (e0 + e1) + (e2 + e3) along each row.
MD5_WIDE_INLINE lanes3 sum_rows(const matrix_rows m[4])
{
    return (lanes3){sum_row(m, 0), sum_row(m, 1), sum_row(m, 2)};
}

#endif
