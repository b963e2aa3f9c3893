#include "md5/pose/slerp.h"

// With the angle 2 h between unit quaternions and s = t - 1/2, slerp's weights have the sum
// cos(2 s h) / cos(h) and the difference sin(2 s h) / sin(h), by the sum-to-product formulas from
// sin((1 - t) 2 h) / sin(2 h) and sin(t 2 h) / sin(2 h). With u = 1 - cos(2 h), which is 0..1 on
// the shortest path, and r = (2 s)^2, half the difference is
//
//   d = s + s (1 - r) u H(u, r)
//
// where H is smooth: its power series has the terms that Eberly ("A Fast and Accurate Algorithm for
// Computing SLERP", 2011) cuts off, but of half the angle, so that five powers of u do. The factor
// 1 - r makes both ends exact. By the length of the result, half the sum is
// sqrt((1/2 - d^2 u) / (2 - u)). The table is a fit of H, printed by slerp_fit.py, that keeps the
// angle to the exact quaternion below 1.8e-7.
md5_slerp_weights md5i_slerp_weights_at(float t)
{
    const float s = t - 0.5f, r = (s + s) * (s + s);
    md5_slerp_weights weights = {.s = s, .ends = s * (1.0f - r)};
    for (int power = 0; power < MD5_SLERP_POWERS; power++) {
        const float *const c = md5_slerp_table[power];
        weights.by_power[power] = c[0] + r * (c[1] + r * c[2]);
    }
    return weights;
}

// Returns the end of the shorter arc from `a` to `b`.
static md5_quat end_of(md5_quat a, md5_quat b)
{
    const float cosine = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    return cosine < 0.0f ? (md5_quat){-b.x, -b.y, -b.z, -b.w} : b;
}

// From the middle of the arc, with the angle 2 h between unit quaternions and x = 2 t - 1, slerp is
// at the angle x h, and the sum (1 - t) a + t b, whose parts along and across the middle are cos(h)
// and x sin(h), at atan(x tan(h)). Their difference is largest where its derivative by x is 0,
// h = tan(h) / (1 + x^2 tan(h)^2); a rotation turns by twice as much.
md5_quat md5_quat_nlerp(md5_quat a, md5_quat b, float t)
{
    if (!(t > 0.0f))
        return a;
    if (t >= 1.0f)
        return end_of(a, b);
    const md5_nlerp_weights weights = md5_nlerp_weights_at(t);
    return md5_nlerp_weighted(&weights, a, b);
}

md5_quat md5_quat_slerp(md5_quat a, md5_quat b, float t)
{
    if (!(t > 0.0f))
        return a;
    if (t >= 1.0f)
        return end_of(a, b);
    const md5_slerp_weights weights = md5i_slerp_weights_at(t);
    return md5_slerp_weighted(&weights, a, b);
}
