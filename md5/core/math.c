// The values' public functions.
#include "md5/core/math.h"

#include <float.h>

md5_mat34 md5_mat34_from_transform(md5_transform transform)
{
    return md5_mat34_of(transform.rotation, transform.translation);
}

md5_mat34 md5_mat34_mul(md5_mat34 a, md5_mat34 b)
{
    return md5_mat34_product(&a, &b);
}

md5_vec3 md5_mat34_transform_point(md5_mat34 m, md5_vec3 point)
{
    return md5_mat34_apply(&m, (md5_vec4){point.x, point.y, point.z, 1.0f});
}

md5_bounds md5_bounds_union(md5_bounds a, md5_bounds b)
{
    return (md5_bounds){
        .min = {fminf(a.min.x, b.min.x), fminf(a.min.y, b.min.y), fminf(a.min.z, b.min.z)},
        .max = {fmaxf(a.max.x, b.max.x), fmaxf(a.max.y, b.max.y), fmaxf(a.max.z, b.max.z)},
    };
}

md5_bounds md5_bounds_of_points(const md5_vec3 *points, size_t count)
{
    md5_bounds bounds = {
        .min = {FLT_MAX, FLT_MAX, FLT_MAX},
        .max = {-FLT_MAX, -FLT_MAX, -FLT_MAX},
    };
    for (size_t i = 0; i < count; i++)
        bounds = md5_bounds_union(bounds, (md5_bounds){points[i], points[i]});
    return bounds;
}
