// Matrix sums for skinning with registers of four floats, for SSE2 and NEON.
#ifndef MD5_SKIN_LANES_FOUR_H
#define MD5_SKIN_LANES_FOUR_H

#include "md5/skin/transform_wide.h"

#if MD5_WIDTH == 4

// One matrix in the layout of the palette.
typedef md5_wide_mat34 matrix_rows;

MD5_WIDE_INLINE matrix_rows multiply_by(const float *m, md5_wide q)
{
    return (matrix_rows){{md5_wide_mul(md5_wide_load(m), q), md5_wide_mul(md5_wide_load(m + 4), q),
                          md5_wide_mul(md5_wide_load(m + 8), q)}};
}

MD5_WIDE_INLINE matrix_rows scale_matrix(const float *m, const float *factor)
{
    return multiply_by(m, md5_wide_set1(*factor));
}

MD5_WIDE_INLINE matrix_rows multiply_wide_rows(const float *m, const float *q)
{
    return multiply_by(m, md5_wide_load(q));
}

// Adds two 3x4 matrices entry by entry.
MD5_WIDE_INLINE matrix_rows add_matrices(matrix_rows a, matrix_rows b)
{
    return (matrix_rows){{md5_wide_add(a.row[0], b.row[0]), md5_wide_add(a.row[1], b.row[1]),
                          md5_wide_add(a.row[2], b.row[2])}};
}

// Converts four 3x4 matrices to registers with one lane for each matrix. entries[row][column]
// contains that entry of all four matrices.
MD5_WIDE_INLINE void matrices_to_lanes(const matrix_rows m[4], md5_wide entries[3][4])
{
    MD5_UNROLL
    for (uint32_t row = 0; row < 3; row++) {
        MD5_UNROLL
        for (uint32_t i = 0; i < 4; i++)
            entries[row][i] = m[i].row[row];
        md5_wide_transpose(entries[row]);
    }
}

// Multiplies each row of a matrix by a point, component by component. The last component of the
// point is 1.
MD5_WIDE_INLINE matrix_rows multiply_by_point(matrix_rows m, const float *point)
{
    const md5_wide p = load_point_and_one(point);
    return (matrix_rows){
        {md5_wide_mul(m.row[0], p), md5_wide_mul(m.row[1], p), md5_wide_mul(m.row[2], p)}};
}

// Stores the sums (e0 + e1) + (e2 + e3) of the three rows.
MD5_WIDE_INLINE void store_row_sums(float *to, matrix_rows m)
{
    store_point(
        to, add_neighbors(add_neighbors(m.row[0], m.row[1]), add_neighbors(m.row[2], m.row[2])));
}

#endif

#endif
