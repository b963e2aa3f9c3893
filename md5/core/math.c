// Public functions of 3x4 matrices and bounds.
#include "md5/core/math.h"

#include "md5/core/assert.h"

#include <float.h>

md5_mat34 md5_mat34_from_xform(md5_xform transform)
{
    return md5_mat34_of(transform.rotation, transform.translation);
}

md5_mat34 md5_mat34_mul(md5_mat34 a, md5_mat34 b)
{
    return md5_mat34_product(&a, &b);
}

md5_vec3 md5_mat34_point(md5_mat34 m, md5_vec3 point)
{
    return md5_mat34_apply(&m, (md5_vec4){point.x, point.y, point.z, 1.0f});
}

md5_vec3 md5_mat34_direction(md5_mat34 m, md5_vec3 direction)
{
    return md5_mat34_rotate(&m, direction);
}

// By cofactors: column c of the cofactors is the cross product of the other two columns.
md5_mat34 md5_mat34_inverse(md5_mat34 m)
{
    md5_vec3d columns[4];
    for (int i = 0; i < 4; i++)
        columns[i] = (md5_vec3d){(double)m.m[i], (double)m.m[4 + i], (double)m.m[8 + i]};
    const md5_vec3d rows[3] = {
        md5_vec3d_cross(columns[1], columns[2]),
        md5_vec3d_cross(columns[2], columns[0]),
        md5_vec3d_cross(columns[0], columns[1]),
    };
    const double determinant = md5_vec3d_dot(columns[0], rows[0]);
    md5_mat34 inverse;
    bool is_finite = true;
    for (int i = 0; i < 3; i++) {
        const md5_vec3d row = md5_vec3d_scale(rows[i], 1.0 / determinant);
        float *const out = inverse.m + 4 * i;
        out[0] = (float)row.x;
        out[1] = (float)row.y;
        out[2] = (float)row.z;
        out[3] = (float)-md5_vec3d_dot(row, columns[3]);
        for (int j = 0; j < 4; j++)
            is_finite = is_finite && fabsf(out[j]) <= FLT_MAX;
    }
    return is_finite ? inverse : (md5_mat34){{0.0f}};
}

// fminf and fmaxf without a call: if one value is NaN, returns the other.
static float smaller(float a, float b)
{
    return b < a || a != a ? b : a;
}

static float larger(float a, float b)
{
    return b > a || a != a ? b : a;
}

md5_bounds md5_bounds_union(md5_bounds a, md5_bounds b)
{
    return (md5_bounds){
        .min = {smaller(a.min.x, b.min.x), smaller(a.min.y, b.min.y), smaller(a.min.z, b.min.z)},
        .max = {larger(a.max.x, b.max.x), larger(a.max.y, b.max.y), larger(a.max.z, b.max.z)},
    };
}

// Ignores NaN, since comparisons with NaN are false.
md5_bounds md5_bounds_from_points(const md5_vec3 *points, size_t count)
{
    MD5_ASSERT(points != NULL || count == 0, "points: not NULL");
    md5_vec3 min = {FLT_MAX, FLT_MAX, FLT_MAX}, max = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    for (size_t i = 0; i < count; i++) {
        const md5_vec3 p = points[i];
        min.x = p.x < min.x ? p.x : min.x;
        min.y = p.y < min.y ? p.y : min.y;
        min.z = p.z < min.z ? p.z : min.z;
        max.x = p.x > max.x ? p.x : max.x;
        max.y = p.y > max.y ? p.y : max.y;
        max.z = p.z > max.z ? p.z : max.z;
    }
    return (md5_bounds){min, max};
}
