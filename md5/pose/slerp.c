#include "md5/pose/slerp.h"

// For unit quaternions at the angle A, slerp gives b the weight sin(t A) / sin(A), and a the same
// of 1 - t. With u = 1 - cos(A), which is 0..1 on the shortest path, that is
//
//   t + t (1 - t^2) u G(u, t^2)
//
// where G is smooth: its power series in u has the terms that Eberly ("A Fast and Accurate
// Algorithm for Computing SLERP", 2011) cuts off; its nearest singularity is u = 2. The factor
// t (1 - t^2) makes both ends exact. Row m, column k of the table is the factor of
// t^(2 m) u^k in a fit of G that keeps the error of a weight below 3.7e-8 and of the sum of both
// below 6.9e-8; printed by slerp_fit.py, which also says how the fit is made.
const float md5_slerp_table[MD5_SLERP_POWERS_OF_T2][MD5_SLERP_POWERS] = {
    {0.333324199f, 0.133610785f, 0.0542794449f, 0.0395264553f, //
     -0.0262664252f, 0.0622054163f, -0.0436623114f, 0.017778642f},
    {5.18733804e-06f, -0.0334907695f, -0.0190114828f, -0.0187616322f, //
     0.0160399368f, -0.0347482442f, 0.0247392251f, -0.00993907902f},
    {-1.09069646e-06f, 3.30602288e-05f, 0.00124685995f, 0.00295436789f, //
     -0.00369471558f, 0.0071242293f, -0.00517956021f, 0.00203738974f},
    {1.04859901e-07f, -3.17311871e-06f, 3.26186531e-05f, -0.000204327553f, //
     0.000384765909f, -0.00066504638f, 0.000494711609f, -0.000189618902f},
};

// Powers innermost: compilers take them several at a time.
static void weigh(float t, float *by_power)
{
    const float square = t * t;
    const float ends = t * (1.0f - square);
    for (int power = 0; power < MD5_SLERP_POWERS; power++)
        by_power[power] = md5_slerp_table[MD5_SLERP_POWERS_OF_T2 - 1][power];
    for (int row = MD5_SLERP_POWERS_OF_T2 - 2; row >= 0; row--) {
        for (int power = 0; power < MD5_SLERP_POWERS; power++)
            by_power[power] = md5_slerp_table[row][power] + square * by_power[power];
    }
    for (int power = 0; power < MD5_SLERP_POWERS; power++)
        by_power[power] = ends * by_power[power];
}

md5_slerp_weights md5_slerp_weights_at(float t)
{
    md5_slerp_weights weights;
    weights.t = t;
    float of_a[MD5_SLERP_POWERS];
    weigh(t, weights.step);
    weigh(1.0f - t, of_a);
    for (int power = 0; power < MD5_SLERP_POWERS; power++)
        weights.sum[power] = weights.step[power] + of_a[power];
    return weights;
}

md5_quat md5_slerp(md5_quat a, md5_quat b, float t)
{
    if (!(t > 0.0f))
        return a;
    if (t >= 1.0f) {
        const float cosine = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
        return cosine < 0.0f ? (md5_quat){-b.x, -b.y, -b.z, -b.w} : b;
    }
    const md5_slerp_weights weights = md5_slerp_weights_at(t);
    return md5_slerp_weighted(&weights, a, b);
}
