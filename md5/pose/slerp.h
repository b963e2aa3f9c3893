// Slerp whose weights are polynomials of the angle's cosine: what depends on the fraction only is
// computed once for all joints, which then need no division, square root or branch.
#ifndef MD5_POSE_SLERP_H
#define MD5_POSE_SLERP_H

#include "md5/md5model.h"

enum { MD5_SLERP_POWERS = 8, MD5_SLERP_POWERS_OF_T2 = 4 };

// With u = 1 - cos(angle) and [k] for u^k:
//   weight of b = t + u * step(u)
//   weights of both, less 1 = u * sum(u)
typedef struct md5_slerp_weights {
    float t;
    float step[MD5_SLERP_POWERS], sum[MD5_SLERP_POWERS];
} md5_slerp_weights;

md5_slerp_weights md5_slerp_weights_at(float t);

// Of what the weights are made: see slerp.c.
extern const float md5_slerp_table[MD5_SLERP_POWERS_OF_T2][MD5_SLERP_POWERS];

// c[0] u + c[1] u^2 + ..., even and odd powers apart, so that neither waits for the other.
static inline float md5_slerp_polynomial(const float *c, float u)
{
    const float uu = u * u;
    float odd = c[MD5_SLERP_POWERS - 2], even = c[MD5_SLERP_POWERS - 1];
    for (int power = MD5_SLERP_POWERS - 4; power >= 0; power -= 2) {
        odd = c[power] + uu * odd;
        even = c[power + 1] + uu * even;
    }
    return u * odd + uu * even;
}

// Up to this u both weights are linear in t to within 1.2e-7, and a dot product of floats cannot
// tell equal rotations from others.
#define MD5_SLERP_EQUAL 0x1p-21f

// The result is written as a + a * (both weights - 1) + (b - a) * weight of b, so that equal
// rotations, and fraction 0, give exactly `a`.
static inline md5_quat md5_slerp_weighted(const md5_slerp_weights *weights, md5_quat a, md5_quat b)
{
    const float cosine = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    const float sign = cosine < 0.0f ? -1.0f : 1.0f;
    const md5_quat way = {b.x * sign - a.x, b.y * sign - a.y, b.z * sign - a.z, b.w * sign - a.w};
    const float less = 1.0f - cosine * sign;
    const float u = less > MD5_SLERP_EQUAL ? less : 0.0f;
    const float of_b = weights->t + md5_slerp_polynomial(weights->step, u);
    const float more = md5_slerp_polynomial(weights->sum, u);
    return (md5_quat){
        a.x + (a.x * more + way.x * of_b),
        a.y + (a.y * more + way.y * of_b),
        a.z + (a.z * more + way.z * of_b),
        a.w + (a.w * more + way.w * of_b),
    };
}

#endif
