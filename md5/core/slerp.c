#include "md5/core/slerp.h"

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
