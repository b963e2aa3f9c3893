// Spherical and normalized linear interpolation of rotations (slerp, nlerp). Both blend rotations a
// and b at a fraction t. The values that depend only on t are computed once for all joints. Slerp
// uses a polynomial and a square root instead of trigonometric functions: see math.c.
//
// The code uses u = 1 - |cos(angle)|, where `angle` is the angle between the quaternions. u is 0
// for equal rotations, and at most 1.
#ifndef MD5_CORE_SLERP_H
#define MD5_CORE_SLERP_H

#include "md5/core/compiler.h"
#include "md5/md5model.h"

enum { MD5_SLERP_POWERS = 5, MD5_SLERP_POWERS_OF_R = 3 };

// Coefficients of the polynomial H(u, r): [k][m] for u^k r^m. See math.c.
static const float md5_slerp_table[MD5_SLERP_POWERS][MD5_SLERP_POWERS_OF_R] = {
    {0.0834003652f},
    {0.0181373343f, -0.00226483358f},
    {0.0077645213f, -0.000200421195f, 4.68794318e-05f},
    {-0.0016159546f, -0.0010020415f},
    {0.00303333116f},
};

// The part of slerp that depends only on t. Half the difference of the weights of b and a is
//
//   s + u * ends * (by_power[0] + by_power[1] u + by_power[2] u^2 + ...)
//
// with s = t - 1/2. `ends` is 0 at t = 0 and t = 1, so both ends are exact.
typedef struct md5_slerp_weights {
    float s;
    float ends;
    float by_power[MD5_SLERP_POWERS];
} md5_slerp_weights;

// Computes the part of slerp that depends only on the fraction `t`.
md5_slerp_weights md5i_slerp_weights_at(float t);

// Values of u up to this limit are replaced by 0. A dot product of floats cannot distinguish so
// small a value from equal rotations. The error is at most 1.2e-7: for such values, both weights
// are nearly linear in t.
#define MD5_SLERP_EQUAL 0x1p-21f

// The weights of both ends for normalized linear interpolation. Their sum is exactly 1.
typedef struct md5_nlerp_weights {
    float of_a;
    float of_b;
    float product; // 2 * of_a * of_b
} md5_nlerp_weights;

// Returns the values of nlerp (normalized linear interpolation) that depend only on t.
static inline md5_nlerp_weights md5_nlerp_weights_at(float t)
{
    const float of_a = 1.0f - t;
    const float of_b = 1.0f - of_a;
    return (md5_nlerp_weights){of_a, of_b, (of_a + of_a) * of_b};
}

// Returns the sum of two rotations with the weights 1 - reduction_a and weight_b:
//
//   a (1 - reduction_a) + b weight_b = a - (a reduction_a - b weight_b)
//
// The second form returns exactly `a` in two cases: if t is 0, because both factors are 0, and if
// the rotations are equal, because both factors are then equal.
static inline md5_quat md5_quat_mix(md5_quat a, md5_quat b, float reduction_a, float weight_b)
{
    return (md5_quat){
        a.x - (a.x * reduction_a - b.x * weight_b),
        a.y - (a.y * reduction_a - b.y * weight_b),
        a.z - (a.z * reduction_a - b.z * weight_b),
        a.w - (a.w * reduction_a - b.w * weight_b),
    };
}

// Returns the spherical interpolation of two rotations, at the fraction for which `weights` was
// computed. `cosine` is their dot product. The code computes half the difference and half the sum
// of the two weights:
//
//   difference = (weight of b - weight of a) / 2, a polynomial in u
//   sum        = (weight of a + weight of b) / 2 = sqrt((1/2 - difference^2 u) / (2 - u))
//
// The weight of a is sum - difference. The weight of b is sum + difference. math.c derives both
// formulas.
static inline md5_quat md5_slerp_by_cosine(const md5_slerp_weights *weights, float cosine,
                                           md5_quat a, md5_quat b)
{
    const float *const c = weights->by_power;
    const bool opposite = cosine < 0; // the shorter arc leads to -b
    const float exact_u = 1.0f - (opposite ? -cosine : cosine);
    const float u = exact_u > MD5_SLERP_EQUAL ? exact_u : 0.0f;
    const float uu = u * u;
    const float low = c[0] + u * c[1];
    const float high = c[2] + u * c[3] + uu * c[4];
    const float difference = weights->s + u * weights->ends * (low + uu * high);
    const float sum = sqrtf((0.5f - difference * difference * u) / (2.0f - u));
    const float reduction_a = 1.0f - sum + difference;
    const float weight_b = opposite ? -(sum + difference) : sum + difference;
    return md5_quat_mix(a, b, reduction_a, weight_b);
}

static inline md5_quat md5_slerp_weighted(const md5_slerp_weights *weights, md5_quat a, md5_quat b)
{
    return md5_slerp_by_cosine(weights, a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w, a, b);
}

// Returns the normalized linear interpolation of two rotations, at the fraction for which `weights`
// was computed. `cosine` is their dot product. The squared length of the weighted sum is
//
//   of_a^2 + of_b^2 + 2 of_a of_b |cosine| = 1 - product u
//
// Dividing the weights by the length normalizes the result.
static MD5_ALWAYS_INLINE md5_quat md5_nlerp_by_cosine(const md5_nlerp_weights *weights,
                                                      float cosine, md5_quat a, md5_quat b)
{
    const bool opposite = cosine < 0; // the shorter arc leads to -b
    const float exact_u = 1.0f - (opposite ? -cosine : cosine);
    const float u = exact_u > MD5_SLERP_EQUAL ? exact_u : 0.0f;
    const float scale = 1.0f / sqrtf(1.0f - weights->product * u);
    const float reduction_a = 1.0f - weights->of_a * scale;
    const float scaled_b = weights->of_b * scale;
    const float weight_b = opposite ? -scaled_b : scaled_b;
    return md5_quat_mix(a, b, reduction_a, weight_b);
}

static inline md5_quat md5_nlerp_weighted(const md5_nlerp_weights *weights, md5_quat a, md5_quat b)
{
    return md5_nlerp_by_cosine(weights, a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w, a, b);
}

#endif
